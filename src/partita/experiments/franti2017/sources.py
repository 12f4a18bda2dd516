"""What the studies of franti2017 share: printed values, sets, references, and values of indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

import partita as pt
from partita.arrays import Array, Floats
from partita.datasets import DataSet, load
from partita.experiments.findings import Printed, printed_values
from partita.plots import FigureData
from partita.plots.kinds.lines import Series

__all__ = [
    "S_SETS",
    "BenchSet",
    "agreement",
    "judged",
    "loaded",
    "printed",
    "reference",
    "scatter",
    "series_over",
    "told",
]

S_SETS = ("S1", "S2", "S3", "S4")


@dataclass(frozen=True)
class BenchSet:
    """A row of the tables: its name in `partita.datasets`, clusters, and the unit of its printed MSE."""

    name: str
    k: int
    unit: float = 1.0


@lru_cache(maxsize=1)
def _by_table() -> dict[str, dict[tuple[str, str], Printed]]:
    tables: dict[str, dict[tuple[str, str], Printed]] = {}
    for one in printed_values("franti2017"):
        tables.setdefault(one.table, {})[one.row, one.column] = one
    return tables


def printed(table: str) -> Mapping[tuple[str, str], Printed]:
    """The cells of a table by row and column."""
    return _by_table()[table]


@lru_cache(maxsize=4)
def loaded(name: str) -> DataSet:
    """A published set; a worker reads it once."""
    return load(name)


def reference(data: DataSet) -> Array:
    """The partition that the slides compare with: each object with the nearest true centre, not its label."""
    from sklearn.metrics import pairwise_distances_argmin

    if data.centres is None:
        assert data.labels is not None
        return data.labels
    nearest: Array = pairwise_distances_argmin(data.X, data.centres)
    return nearest


def series_over(x: Iterable[Any], values: Sequence[float] | Floats) -> Series:
    """A line without intervals."""
    return Series(list(x), [float(value) for value in values])


def scatter(labels: Array | None, X: Floats, title: str) -> FigureData:
    """Objects coloured by their clusters, under a title of our own; the usual one is in the description."""
    figure = pt.plots.figure_data(pt.as_partition(labels), "scatter", X=X)
    return replace(figure, title=title, description=f"{title}: {figure.title}. {figure.description}")


def told(values: Mapping[Any, Any], digits: int | None = None) -> str:
    """Names with their values, in a line."""
    shown = {n: v if digits is None or not np.isfinite(v) else f"{v:.{digits}f}" for n, v in values.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def judged(name: str, *subjects: Any, **options: Any) -> float:
    """The value of an index."""
    index: Any = pt.indices.find(name)
    return float(index(*subjects, **options))


def agreement(labels: Array | None, found: Any, name: str) -> float:
    """The value of an external index that needs no data."""
    return judged(name, labels, found)
