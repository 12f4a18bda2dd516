"""The inputs of the audit, the same for every package: inputs.json is written beside this file."""

import json
from pathlib import Path

from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from partita.cluster import FuzzyCMeans

X, species = load_iris(return_X_y=True)
labels = KMeans(3, n_init=10, random_state=0).fit_predict(X)
fuzzy = FuzzyCMeans(3, random_state=0).fit(X)
memberships = fuzzy.partition_.memberships().round(6)
memberships[:, 2] = (1 - memberships[:, 0] - memberships[:, 1]).round(6)

inputs = {
    "about": "iris: species, labels of k-means, memberships of fuzzy c-means (m = 2), three clusters each",
    "iris": {
        "species": species.tolist(),
        "labels": labels.tolist(),
        "memberships": memberships.tolist(),
        "centers": fuzzy.cluster_centers_.round(6).tolist(),
    },
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
