"""What torchmetrics says of inputs.json; run where it is installed, and torchmetrics.json is written."""

import json
from importlib.metadata import version
from pathlib import Path

import torch
import torchmetrics.clustering as classes
import torchmetrics.functional.clustering as functions
from sklearn.datasets import load_iris

HERE = Path(__file__).parent
TWO = (
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_index",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
)
DATA = ("calinski_harabasz_score", "davies_bouldin_score", "dunn_index")
inputs = json.loads((HERE / "inputs.json").read_text(encoding="utf-8"))


def plain(value):
    """A number, or a word where it is none."""
    return float(value) if torch.isfinite(torch.as_tensor(value)) else str(float(value))


def two(truth, found):
    """Its order is found, truth."""
    a, b = torch.tensor(found), torch.tensor(truth)
    values = {}
    for name in TWO:
        try:
            values[name] = plain(getattr(functions, name)(a, b))
        except (ValueError, ZeroDivisionError, RuntimeError, IndexError) as problem:
            values[name] = f"{type(problem).__name__}: {problem}"
    return values


iris = inputs["iris"]
X, labels = torch.tensor(load_iris().data), torch.tensor(iris["labels"])
recorded = {
    "versions": {name: version(name) for name in ("torch", "torchmetrics")},
    "iris": two(iris["species"], iris["labels"])
    | {name: plain(getattr(functions, name)(X, labels)) for name in DATA},
    "pairs": {name: two(*pair) for name, pair in inputs["pairs"].items()},
    "large": {},
    "higher_is_better": {name: getattr(classes, name).higher_is_better for name in classes.__all__},
}
for n in (1_000, 70_000, 1_000_000):
    i = torch.arange(n)
    found = (i % 3 + (i % 5 == 0)) % 3
    recorded["large"][str(n)] = plain(functions.adjusted_rand_score(found, i % 3))
text = json.dumps(recorded, indent=1)
(HERE / "torchmetrics.json").write_text(text + "\n", encoding="utf-8")
