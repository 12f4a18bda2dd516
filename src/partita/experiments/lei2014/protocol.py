"""The protocol of lei2014: many runs for each number of clusters, judged by labels and by one another."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import partita as pt
from partita.arrays import Array, Floats
from partita.errors import ConvergenceWarning, PartitaWarning
from partita.experiments.studies import Record, Run
from partita.plots import FigureData
from partita.plots.kinds.lines import Series, line_figure

__all__ = [
    "COVARIANCES",
    "COVARIANCES_NOTE",
    "GOOD",
    "INDICES",
    "RIDGE",
    "averages",
    "chosen",
    "consensus_work",
    "curves_figure",
    "fitted",
    "rate_of",
    "rates_figure",
    "runs_of",
    "values_of",
]

INDICES = {
    "NMI_max": "nmi_max",
    "ARI": "adjusted_rand",
    "NMI_joint": "nmi_joint",
    "NMI_sum": "nmi_sum",
    "NMI_sqrt": "nmi_sqrt",
    "VI": "variation_of_information",
    "MI": "mutual_information",
    "NMI_min": "nmi_min",
}
"""The eight indices in the order of the paper's Fig. 2, and our names of them."""

GOOD = ("NMI_max", "ARI", "NMI_joint", "NMI_sum", "NMI_sqrt", "VI")
"""The six that the paper finds good."""

RIDGE = 1e-6
"""Of the variance of each feature, added to the covariances by every M step."""

COVARIANCES = {"diag": "diagonal", "full": "full"}
"""Of the components: the paper gives diagonal ones at the start and does not say what the M step makes of "
"them;
findings are counted with diagonal ones, which reproduce most, and full ones stand beside them."""

COVARIANCES_NOTE = (
    "covariances are diagonal: the paper says so of the start, and not what the M step makes of them; they "
    "reproduce more than full ones, which stand beside them on the same draws"
)

L = 100
"""Runs for each number of clusters; for quick versions a fifth of them."""


def runs_of(run: Run) -> int:
    """The number of runs for each number of clusters."""
    return L // 5 if run.quick else L


def fitted(
    X: Floats, c: int, seed: int, *, method: str = "em", ridge: float = RIDGE, covariances: str = "diag"
) -> Any:
    """One clustering into c clusters; EM starts and stops as the paper says.

    It says that the covariances are diagonal at the start, not whether they stay so.

    The start: distinct objects as means, variances of the features, equal weights; the end: no mean moves by
    0.001, or 100 iterations. The paper mentions no ridge; without one single runs end singular.
    """
    models: dict[str, Callable[[], Any]] = {
        "em": lambda: pt.cluster.GaussianMixtureEM(
            c,
            covariance_type=covariances,
            init="random",
            stop="means",
            tol=1e-3,
            max_iter=100,
            reg_covar=ridge,
            random_state=seed,
        ),
        "fuzzy c-means": lambda: pt.cluster.FuzzyCMeans(c, random_state=seed),
        "possibilistic c-means": lambda: pt.cluster.PossibilisticCMeans(c, random_state=seed),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the paper has a limit of iterations too
        warnings.simplefilter("ignore", PartitaWarning)  # possibilistic centres may coincide
        return models[method]().fit(X).partition_


def values_of(labels: Array, partitions: Sequence[Any]) -> Floats:
    """The values of the eight indices for each partition against the labels: (runs, indices)."""
    named = list(INDICES.values())
    rows = [pt.compare(labels, found, indices=named, bounds=False) for found in partitions]
    return np.array([[row[name].value for name in named] for row in rows])


def chosen(name: str, cs: Sequence[int], values: Floats) -> Array:
    """The number of clusters with the best value, for each column of ``values``; its rows are those of cs."""
    better = pt.indices.find(INDICES[name]).direction
    held = np.where(np.isnan(values), -np.inf if better == "higher" else np.inf, values)
    best = held.argmax(axis=0) if better == "higher" else held.argmin(axis=0)
    picked: Array = np.asarray(cs)[best]
    return picked


def rate_of(name: str, cs: Sequence[int], values: Floats, true: int) -> float:
    """The share of runs in which an index is best at the true number, the l-th runs of all c held together.

    ``values`` has the shape (numbers of clusters, runs, indices).
    """
    place = list(INDICES).index(name)
    return float(np.mean(chosen(name, cs, values[:, :, place]) == true))


def averages(name: str, values: Floats) -> Floats:
    """The mean over the runs for each number of clusters."""
    return np.asarray(values[:, :, list(INDICES).index(name)].mean(axis=1))


# --- consensus --------------------------------------------------------------------------------------------


def consensus_work(
    X: Floats, labels: Array, c: int, seeds: Sequence[int], ridge: float, covariances: str
) -> Record:
    """For one c: the values against the labels of every run, and the consensus index of all runs."""
    partitions = [fitted(X, c, seed, ridge=ridge, covariances=covariances) for seed in seeds]
    agreed = pt.consensus_index(partitions, list(INDICES.values()))
    return Record(
        {"consensus": {name: agreed[label].value for name, label in INDICES.items()}},
        {"values": values_of(labels, partitions)},
    )


def seeds_of(run: Run, *place: int) -> list[int]:
    """A seed for each run."""
    return [run.task_seed(*place, i) for i in range(runs_of(run))]


# --- figures ----------------------------------------------------------------------------------------------


def rates_figure(
    rates: Mapping[str, Mapping[str, float]],
    *,
    title: str,
    description: str,
    deviations: Mapping[str, float] | None = None,
    notes: tuple[str, ...] = (),
) -> FigureData:
    """Success rates of the eight indices, one series for each set or method."""
    shown = {}
    for series, by_index in rates.items():
        y = [100 * by_index[name] for name in INDICES]
        spread = None if deviations is None else [100 * deviations[name] for name in INDICES]
        shown[series] = Series(
            list(INDICES),
            y,
            None if spread is None else [a - b for a, b in zip(y, spread, strict=True)],
            None if spread is None else [a + b for a, b in zip(y, spread, strict=True)],
        )
    return line_figure(
        {"": shown},
        title=title,
        description=description,
        x="index, in the paper's order",
        y="success rate in %, higher is better",
        notes=notes,
    )


def curves_figure(
    cs: Sequence[int],
    curves: Mapping[str, Mapping[str, Sequence[float]]],
    true: int,
    *,
    title: str,
    what: str,
) -> FigureData:
    """Values over c, a panel for each index; ``curves`` by what they are, then by index."""
    shown = {
        f"{name}, {pt.indices.find(label).direction} is better": {
            series: Series(list(cs), list(values[name])) for series, values in curves.items()
        }
        for name, label in INDICES.items()
    }
    return line_figure(
        shown,
        title=title,
        description=f"{title}. {what}. The dashed line is the true number of clusters.",
        x="number of clusters c",
        y="value",
        marked=dict.fromkeys(shown, float(true)),
        notes=("dashed: the true number of clusters",),
    )
