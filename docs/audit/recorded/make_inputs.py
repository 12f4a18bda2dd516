"""The inputs of the audit, the same for every package: inputs.json is written beside this file."""

import json
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs, make_moons

from partita.cluster import FuzzyCMeans

X, species = load_iris(return_X_y=True)
labels = KMeans(3, n_init=10, random_state=0).fit_predict(X)
fuzzy = FuzzyCMeans(3, random_state=0).fit(X)
memberships = fuzzy.partition_.memberships().round(6)
memberships[:, 2] = (1 - memberships[:, 0] - memberships[:, 1]).round(6)


def other_sets():
    """Sets with other numbers of clusters, names with gaps, and objects nearer to another centre."""
    blobs, y = make_blobs(140, centers=5, cluster_std=2.0, random_state=3)
    near = KMeans(4, n_init=5, random_state=0).fit_predict(blobs)
    near = np.where(np.arange(140) % 7 == 0, (near + 1) % 4, near)
    near = np.where(near == 3, 2, np.where((near == 0) & (np.arange(140) % 2 == 1), 3, near))  # joined, split
    moons, half = make_moons(160, noise=0.05, random_state=0)
    parts = (half * 3 + np.arange(160) % 3 + 3 * (np.arange(160) % 5 == 0)) % 6
    i = np.arange(84)
    grid = np.column_stack([(i * 37) % 29 + (i % 6) * 9, (i * 53) % 31, (i % 6) * 4 + (i * 11) % 7])
    made = {
        "blobs": (blobs.round(6), np.array([30, 10, 50, 20, 40])[y], np.array([7, 3, 9, 5])[near]),
        "moons": (moons.round(6), np.array([2, 1])[half], np.array([11, 4, 8, 2, 6, 15])[parts]),
        "grid": (grid, np.array([5, 1, 3, 4, 0, 2])[i % 6], np.array([2, 0, 1])[(i % 6) // 2 * (i % 5 > 0)]),
    }
    return {
        name: {"X": X.tolist(), "truth": truth.tolist(), "found": found.tolist()}
        for name, (X, truth, found) in made.items()
    }


inputs = {
    "about": "iris: species, labels of k-means, memberships of fuzzy c-means (m = 2), three clusters each",
    "iris": {
        "species": species.tolist(),
        "labels": labels.tolist(),
        "memberships": memberships.tolist(),
        "centers": fuzzy.cluster_centers_.round(6).tolist(),
    },
    "sets": other_sets(),
    "pairs": {
        "two clusters, six clusters": [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 3, 4, 5]],
        "independent": [[0, 1, 0, 1], [0, 0, 1, 1]],
        "both one cluster": [[0, 0, 0, 0], [0, 0, 0, 0]],
        "one cluster, two clusters": [[0, 0, 0, 0], [0, 0, 1, 1]],
        "all alone, twice": [[0, 1, 2, 3], [0, 1, 2, 3]],
        "one object off": [[0] * 9 + [1], [0] * 10],
    },
    "lonely": {"X": [[0.0, 0.0], [1.0, 0.0], [10.0, 0.0]], "labels": [0, 0, 1]},
    "real table": [[2.5, 0.6], [0.7, 3.4]],
    "large": "objects 0 to n - 1: truth is i mod 3, found is (i mod 3 + (1 if i mod 5 = 0 else 0)) mod 3",
}
Path(__file__).with_name("inputs.json").write_text(json.dumps(inputs) + "\n", encoding="utf-8")
