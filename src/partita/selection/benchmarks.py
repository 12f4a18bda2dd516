"""Methods on data sets: every value of every run, means with deviations, and who is best by rank."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.registry import find
from partita.results import Result, Table, show

__all__ = ["Benchmark", "BenchmarkRun"]

ROUNDING = 1e-12
"""Relative differences of means that are none."""


@dataclass(frozen=True)
class BenchmarkRun:
    """One fit of a method to a data set: its values, or why it failed."""

    data: str
    method: str
    run: int
    seed: int
    values: Mapping[str, float]
    caveats: Mapping[str, str] = field(default_factory=dict)
    failed: str = ""


@dataclass(frozen=True, repr=False)
class Benchmark(Result):
    """Methods on data sets, judged by the same indices.

    Attributes
    ----------
    indices : tuple of str
        The labels of the indices.
    runs : tuple of BenchmarkRun
        Every fit.
    ks : dict
        For each data set its number of true clusters.
    title : str
        What was compared, in words.
    """

    indices: tuple[str, ...] = ()
    runs: tuple[BenchmarkRun, ...] = ()
    ks: Mapping[str, int] = field(default_factory=dict)
    title: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return ("data", "method", "run", "seed", "index", "value", "caveat")

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each data set, method, run and index; nan where a fit failed, and why."""
        return [
            {
                "data": one.data,
                "method": one.method,
                "run": one.run,
                "seed": one.seed,
                "index": index,
                "value": one.values.get(index, math.nan),
                "caveat": one.failed or one.caveats.get(index, ""),
            }
            for one in self.runs
            for index in self.indices
        ]

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Their names, in the order given."""
        return tuple(dict.fromkeys(one.method for one in self.runs))

    @cached_property
    def data(self) -> tuple[str, ...]:
        """The names of the data sets, in the order given."""
        return tuple(dict.fromkeys(one.data for one in self.runs))

    def values_of(self, data: str, method: str, index: str) -> Floats:
        """The values of all runs of a method on a data set that have one."""
        mine = [one for one in self.runs if (one.data, one.method) == (data, method)]
        values = np.array([one.values.get(index, math.nan) for one in mine])
        return np.asarray(values[~np.isnan(values)])

    def mean(self, data: str, method: str, index: str) -> float:
        """The mean over runs; nan where no run has a value."""
        values = self.values_of(data, method, index)
        return float(values.mean()) if values.size else math.nan

    @cached_property
    def mean_ranks(self) -> dict[str, float]:
        """For each method its rank by the mean over runs, averaged over indices and data sets; best first.

        1 is best; equal means share their ranks, and a method without a value comes after all others. Indices
        that only describe do not count.
        """
        from scipy.stats import rankdata

        judging = [label for label in self.indices if find(label).direction != "none"]
        ranks = []
        for data in self.data:
            for label in judging:
                means = np.array([self.mean(data, method, label) for method in self.methods])
                signed = -means if find(label).direction == "higher" else means
                ranks.append(rankdata(np.where(np.isnan(means), np.inf, _rounded(signed))))
        if not ranks:
            return {}
        average = dict(zip(self.methods, np.mean(ranks, axis=0).tolist(), strict=True))
        return dict(sorted(average.items(), key=lambda item: item[1]))

    @property
    def winners(self) -> tuple[str, ...]:
        """The methods with the best mean rank: one, or several that share it."""
        best = min(self.mean_ranks.values(), default=math.nan)
        return tuple(method for method, rank in self.mean_ranks.items() if rank == best)

    @property
    def statement(self) -> str:
        """Who is best by mean rank, and by how much."""
        ranks = self.mean_ranks
        if len(self.methods) < 2 or not ranks:
            return ""
        best = ranks[self.winners[0]]
        others = [f"{method} {rank:.2f}" for method, rank in ranks.items() if method not in self.winners]
        shared = "has" if len(self.winners) == 1 else "share"
        over = f"{_counted(len(self.data), 'data set')} and {_counted(len(self.indices), 'index')}"
        then = f"; then {', '.join(others)}" if others else ""
        return (
            f"{' and '.join(self.winners)} {shared} the best mean rank, {best:.2f} of {len(self.methods)}, "
            f"over {over}{then}; ranks of means, no test of differences"
        )

    def table(self) -> Table:
        """Means over runs with their standard deviations, a row for each data set and method."""
        rows = []
        for data in self.data:
            for place, method in enumerate(self.methods):
                cells = [self._cell(data, method, index) for index in self.indices]
                rows.append(
                    (data if place == 0 else "", self.ks[data] if place == 0 else None, method, *cells)
                )
        heads = [find(label).symbol or label for label in self.indices]
        heads = heads if len(set(heads)) == len(heads) else list(self.indices)
        columns = ("data", "k", "method", *heads)
        notes = (*self.footnotes, "mean (standard deviation over runs)")
        return Table(self.title, columns, tuple(rows), notes, self.statement)

    def _cell(self, data: str, method: str, index: str) -> str:
        values = self.values_of(data, method, index)
        if not values.size:
            return "nan"
        mean = float(values.mean())
        if values.size == 1:
            return show(mean)
        deviation = float(values.std(ddof=1))
        return f"{show(mean)} ({deviation if deviation > ROUNDING * abs(mean) else 0.0:.2g})"


def _rounded(values: Floats) -> Floats:
    """Values without what rounding adds, so that equal ones share their rank."""
    finite = np.abs(values[np.isfinite(values)])
    unit = ROUNDING * float(finite.max(initial=0.0))
    return np.asarray(
        np.where(np.isfinite(values), np.round(values / unit) * unit, values) if unit else values
    )


def _counted(count: int, noun: str) -> str:
    plural = {"index": "indices"}.get(noun, f"{noun}s")
    return f"{count} {noun if count == 1 else plural}"


def failures(runs: Sequence[BenchmarkRun]) -> tuple[str, ...]:
    """What is said of fits that failed, once for each method, data set and reason."""
    counted: dict[tuple[str, str, str], int] = {}
    for one in runs:
        if one.failed:
            key = (one.method, one.data, one.failed)
            counted[key] = counted.get(key, 0) + 1
    return tuple(
        f"{method} failed on {data} ({_counted(count, 'run')}): {why}"
        for (method, data, why), count in counted.items()
    )
