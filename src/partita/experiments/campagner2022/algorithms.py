"""The five algorithms of campagner2022 on Iris: their settings, and what the measures say of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from partita import indices
from partita.arrays import Array
from partita.cluster import EvidentialCMeans, FuzzyCMeans, PossibilisticCMeans, RoughKMeans
from partita.datasets import load
from partita.distributional import distribution
from partita.experiments.findings import Printed, printed_values
from partita.partitions import (
    FUZZY,
    HARD,
    POSSIBILISTIC,
    ROUGH,
    Partition,
    PossibilisticPartition,
    as_partition,
)
from partita.registry import Index
from partita.results import show
from partita.statistics import Contingency

__all__ = ["AS_PRINTED", "FITTED", "INDICES", "Setting", "certainty", "clustering", "exact", "sampled"]

INDICES = {"RI": "rand:pairs=ordered", "PD": "classification_error"}
"""The Rand index of the paper's eq. (1), which counts ordered pairs, and its partition distance."""

TOLERANCE = 1e-9
"""Of the fits."""


@dataclass(frozen=True)
class Setting:
    """An algorithm with its options.

    Attributes
    ----------
    algorithm : str
        As the columns of Table 1 are named.
    options : dict
        Of the estimator.
    reading : str
        How typicalities are read; see `distribution`.
    """

    algorithm: str
    options: Mapping[str, Any] = field(default_factory=dict)
    reading: str = "cuts"

    @property
    def words(self) -> str:
        """The options in a line."""
        told = [f"{name} = {value}" for name, value in self.options.items()]
        return ", ".join([*told, *(["each object cut by itself"] if self.reading != "cuts" else [])])


AS_PRINTED = {
    "KM": Setting("KM", {"n_init": 10}),
    "RKM": Setting("RKM", {"threshold": 1.1, "variant": "pi", "n_init": 20}),
    "FCM": Setting("FCM", {"m": 5.0}),
    "PCM": Setting("PCM", {"m": 5.0}),
    "ECM": Setting("ECM", {"alpha": 5.0, "beta": 5.0, "delta": 10.0}),
}
FITTED = {
    "KM": Setting("KM", {"n_init": 1, "random_state": 0}),
    "RKM": Setting("RKM", {"threshold": 1.1, "variant": "pi", "n_init": 20}),
    "FCM": Setting("FCM", {"m": 1.4}),
    "PCM": Setting("PCM", {"m": 1.2}, "independent"),
    "ECM": Setting("ECM", {"alpha": 1.0, "beta": 1.4, "delta": 10.0}),
}
"""The closest of those that the study "search" tries."""


def clustering(setting: Setting, seed: int) -> Any:
    """The fitted estimator."""
    from sklearn.cluster import KMeans

    methods = {
        "KM": KMeans,
        "RKM": RoughKMeans,
        "FCM": FuzzyCMeans,
        "PCM": PossibilisticCMeans,
        "ECM": EvidentialCMeans,
    }
    X, _ = load("iris")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of centres that coincide: the findings tell
        options = {"tol": TOLERANCE, "max_iter": 1000, "random_state": seed, **setting.options}
        return methods[setting.algorithm](3, **options).fit(X)


def partition_of(setting: Setting, seed: int) -> Partition:
    """The clustering that a setting gives."""
    found: Partition = as_partition(clustering(setting, seed))
    return found


def nearest_centres(setting: Setting, seed: int) -> float:
    """The distance of the two centres that are nearest to each other, in cm."""
    from scipy.spatial.distance import pdist

    return float(pdist(clustering(setting, seed).cluster_centers_).min())


def certainty(found: Partition) -> float:
    """How hard a clustering is: the mean over objects of the largest share of a cluster; 1 if it is hard."""
    if found.kind in (HARD, FUZZY):
        shares = found.memberships()
    elif found.kind == POSSIBILISTIC:
        shares = found.memberships()
        shares = shares / shares.sum(axis=1, keepdims=True)
    else:
        shares = found.pignistic().memberships()
    return float(np.asarray(shares).max(axis=1).mean())


# --- measures ---------------------------------------------------------------------------------------------


def exact(
    found: Partition, setting: Setting, index: str, seed: int, draws: int | str = "auto"
) -> dict[str, Any]:
    """The distributional measure: a value, or lower and upper, each with what is sure about it.

    Exact where that is within reach; evidential clusterings are drawn, with exact ends for each draw.
    """
    _, species = load("iris")
    got = distribution(
        species, found, INDICES[index], law=False, reading=setting.reading, n_samples=draws, random_state=seed
    )
    return _quantities(got, found)


def _quantities(got: Any, found: Partition) -> dict[str, Any]:
    names = {"value": "mean"} if found.kind in (HARD, FUZZY) else {"lower": "lower", "upper": "upper"}
    chosen = {name: got.quantities[own] for name, own in names.items()}
    return {
        "values": {name: q.value for name, q in chosen.items()},
        "half": {name: _half_width(q.value, q.low, q.high) for name, q in chosen.items()},
        "method": got.method,
        "counted": {name: count for name, count in got.cost.items() if name != "seconds"},
    }


def _half_width(value: float, low: float, high: float) -> float:
    half = max(value - low, high - value)
    return float(half) if np.isfinite(half) else 0.0


def sampled(
    found: Partition, setting: Setting, index: str, seed: int, draws: int, completions: int
) -> dict[str, Any]:
    """The sampling-based approximation, as the paper describes it.

    Rough: the least and the largest of all draws. Fuzzy: their mean. Evidential and possibilistic: nested,
    a rough clustering is drawn first, and some of its completions then.
    """
    _, species = load("iris")
    name = INDICES[index]
    if found.kind == POSSIBILISTIC and setting.reading == "cuts":
        assert isinstance(found, PossibilisticPartition)
        return _nested_cuts(found, species, name, seed, draws, completions)
    nested = found.kind not in (FUZZY, ROUGH)
    got = distribution(
        species,
        found,
        name,
        method="nested" if nested else "sample",
        law=False,
        reading=setting.reading,
        n_samples=draws,
        n_inner=completions,
        random_state=seed,
    )
    told = _quantities(got, found)
    if found.kind == ROUGH:  # the ends of what was drawn; nothing is averaged
        told["half"] = dict.fromkeys(told["half"], 0.0)
    return told


def _nested_cuts(
    found: PossibilisticPartition, species: Array, name: str, seed: int, draws: int, completions: int
) -> dict[str, Any]:
    """Level cuts at random levels up to that of the most possible completion, and completions of each."""
    rng = np.random.default_rng(seed)
    height = float(np.asarray(found.memberships()).max(axis=1).min())
    ends = []
    for level in height * (1.0 - rng.random(draws)):
        values = index_of_draws(name, species, found.alpha_cut(level).sample(completions, random_state=rng))
        ends.append((values.min(), values.max()))
    means, errors = np.mean(ends, axis=0), np.std(ends, axis=0) / np.sqrt(draws)
    return {
        "values": {"lower": float(means[0]), "upper": float(means[1])},
        "half": {"lower": 2 * float(errors[0]), "upper": 2 * float(errors[1])},
        "method": "sampled",
        "counted": {"draws": draws},
    }


def index_of_draws(name: str, truth: Array, drawn: Array) -> Array:
    """The value of an index for each of many hard clusterings, as rows of labels, all in one go."""
    codes = [np.unique(side, return_inverse=True)[1].reshape(np.shape(side)) for side in (truth, drawn)]
    rows, columns = (np.eye(code.max() + 1) for code in codes)
    counts = np.einsum("ni,snj->sij", rows[codes[0]], columns[codes[1]]).astype(np.int64)
    index = indices.find(name)
    assert isinstance(index, Index)
    return np.asarray(index.of(Contingency(counts, np.full(len(drawn), len(truth)))))


# --- printed ----------------------------------------------------------------------------------------------


def printed_of(row: str, algorithm: str) -> dict[str, Printed]:
    """What Table 1 has in a cell, by "value", "lower", "upper" and "seconds"."""
    cells = [p for p in printed_values("campagner2022") if p.row == row and p.column.split()[0] == algorithm]
    return {p.column.split()[1]: p for p in cells}


def numbers_of(row: str, algorithm: str) -> dict[str, Printed]:
    """The same without the seconds."""
    return {name: p for name, p in printed_of(row, algorithm).items() if name != "seconds"}


def in_words(values: Mapping[str, float]) -> str:
    """A value, or an interval."""
    told = [show(round(value, 4)) for value in values.values()]
    return told[0] if len(told) == 1 else f"({', '.join(told)})"
