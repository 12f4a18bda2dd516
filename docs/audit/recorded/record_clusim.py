"""What clusim says of inputs.json. Run where it is installed, and clusim.json is written."""

import json
import math
from importlib.metadata import version
from pathlib import Path

import clusim.sim
from clusim.clustering import Clustering

HERE = Path(__file__).parent
NAMES = (
    "adj_mi",
    "adjrand_index",
    "classification_error",
    "fowlkes_mallows_index",
    "jaccard_index",
    "mi",
    "nmi",
    "omega_index",
    "pearson_correlation",
    "purity_index",
    "rand_index",
    "vi",
)
inputs = json.loads((HERE / "inputs.json").read_text(encoding="utf-8"))


def said(name, truth, found):
    """A number, or the words of an error."""
    both = [Clustering().from_membership_list(labels) for labels in (truth, found)]
    try:
        value = float(getattr(clusim.sim, name)(*both))
    except (ZeroDivisionError, ValueError, TypeError) as problem:
        return f"{type(problem).__name__}: {problem}"
    return value if math.isfinite(value) else str(value)


def of_two(truth, found):
    """What clusim says of two clusterings."""
    return {f"sim.{name}": said(name, truth, found) for name in NAMES}


recorded = {
    "versions": {"clusim": version("clusim")},
    "iris": {"clusim": of_two(inputs["iris"]["species"], inputs["iris"]["labels"])},
    "sets": {name: {"clusim": of_two(one["truth"], one["found"])} for name, one in inputs["sets"].items()},
    "pairs": {name: {"clusim": of_two(*pair)} for name, pair in inputs["pairs"].items()},
}
(HERE / "clusim.json").write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
