"""What Python packages that are not installed with partita say of inputs.json.

Run where evclust, hdbscan, pycvi-lib, scikit-fuzzy and scikit-learn are, and python.json is written.
"""

import json
import math
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pycvi.cvi_func as pycvi
from evclust.metrics import credalRI, nonspecificity
from hdbscan.validity import validity_index
from skfuzzy import cmeans
from sklearn.datasets import load_iris, make_moons

HERE = Path(__file__).parent
inputs = json.loads((HERE / "inputs.json").read_text(encoding="utf-8"))


def said(function, *given, **options):
    """A number, or the words of an error."""
    try:
        value = float(function(*given, **options))
    except (ZeroDivisionError, ValueError, TypeError) as problem:
        return f"{type(problem).__name__}: {problem}"
    return value if math.isfinite(value) else str(value)


X, labels = load_iris().data, np.array(inputs["iris"]["labels"])
groups = [np.flatnonzero(labels == k).tolist() for k in range(3)]
memberships = np.array(inputs["iris"]["memberships"])
singles = np.vstack([np.zeros(3), np.eye(3), np.ones(3)])
flowers = {"mass": np.eye(5)[labels + 1], "F": singles}
kinds = {"mass": np.eye(5)[np.array(inputs["iris"]["species"]) + 1], "F": singles}
sets = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
hard = {"mass": np.eye(4)[[1] * 5 + [2] * 5], "F": sets}
moons, which = make_moons(300, noise=0.05, random_state=0)
turned = {step: np.roll(np.arange(300), step) for step in (0, 50, 100, 150, 200, 250)}
vacuous = {"mass": np.eye(4)[[3] * 10], "F": sets}
recorded = {
    "versions": {
        name: version(package)
        for name, package in {
            "Python evclust": "evclust",
            "hdbscan": "hdbscan",
            "pycvi": "pycvi-lib",
            "scikit-fuzzy": "scikit-fuzzy",
        }.items()
    },
    "iris": {
        "pycvi": {
            "davies_bouldin": said(pycvi.davies_bouldin, X, groups),
            "dunn": said(pycvi.dunn, X, groups),
            "silhouette": said(pycvi.silhouette, X, groups),
            "xie_beni": said(pycvi.xie_beni, X, groups),
        },
        "Python evclust": {
            "metrics.credalRI": said(credalRI, kinds, flowers),
            "metrics.nonspecificity": said(nonspecificity, flowers["mass"], singles),
        },
        "hdbscan": {"validity_index": said(validity_index, X, labels)},
    },
    "iris_fuzzy": {
        "scikit-fuzzy": {
            "cmeans()[-1]": float(cmeans(X.T, 3, 2, 1e-12, 1000, init=memberships.T)[-1]),
        }
    },
    "moons": {
        "about": "make_moons(300, noise=0.05, random_state=0), the same objects begun at another one",
        "hdbscan": {
            str(step): said(validity_index, moons[order], which[order]) for step, order in turned.items()
        },
    },
    "credal": {
        "about": "ten objects, two clusters of five: hard masses, and all mass on both clusters",
        "credalRI, hard against itself": said(credalRI, hard, hard),
        "nonspecificity, hard": said(nonspecificity, hard["mass"], sets),
        "nonspecificity, vacuous": said(nonspecificity, vacuous["mass"], sets),
    },
}
(HERE / "python.json").write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
