"""The result of `benchmark`: every value of every run, means with deviations, and the best by rank."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.registry import find
from partita.results import Result, Table, show
from partita.results.answers import Answer, Reason, ReasonKind
from partita.results.verdicts import Strength

__all__ = ["Benchmark", "BenchmarkRun"]

ROUNDING = 1e-12
"""Relative difference of means up to which they are equal."""

MOST_NAMED, MOST_WORDS, MOST_LETTERS = 3, 3, 24
"""Methods that a statement names, with so many words and letters of a name."""


@dataclass(frozen=True)
class BenchmarkRun:
    """One fit of a method to a data set: its values, or why it failed.

    ``clusters`` is the number of clusters found, noise not counted, and ``coverage`` the share of the objects
    that are in one of them.
    """

    data: str
    method: str
    run: int
    seed: int
    values: Mapping[str, float]
    caveats: Mapping[str, str] = field(default_factory=dict)
    failed: str = ""
    clusters: int | None = None
    coverage: float = math.nan


@dataclass(frozen=True, repr=False)
class Benchmark(Result):
    """Methods on data sets, compared by the same indices.

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
        return ("data", "method", "run", "seed", "index", "value", "caveat", "clusters", "coverage")

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
                "clusters": one.clusters,
                "coverage": one.coverage,
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

    def coverage(self, data: str, method: str) -> float:
        """The mean share of objects in clusters, over runs; nan where all failed."""
        mine = [one.coverage for one in self.runs if (one.data, one.method) == (data, method)]
        known = [share for share in mine if not math.isnan(share)]
        return float(np.mean(known)) if known else math.nan

    @cached_property
    def ranks(self) -> Floats:
        """The mean rank over indices of each method (columns) on each data set (rows); 1 is best.

        Ranks are those of means over runs. Equal means share their ranks, and a method without a value comes
        after all others. Indices that only describe do not count.
        """
        from scipy.stats import rankdata

        judging = [label for label in self.indices if find(label).direction != "none"]
        ranks = []
        for data in self.data if judging else ():
            of_data = []
            for label in judging:
                means = np.array([self.mean(data, method, label) for method in self.methods])
                losses = -means if find(label).direction == "higher" else means
                losses = np.where(np.isnan(losses), math.inf, losses)
                unit = ROUNDING * np.abs(losses[np.isfinite(losses)]).max(initial=0.0)
                of_data.append(rankdata(np.round(losses / unit) if unit else losses))
            ranks.append(np.mean(of_data, axis=0))
        return np.reshape(ranks, (len(ranks), len(self.methods)))

    @cached_property
    def mean_ranks(self) -> dict[str, float]:
        """The rank of each method, averaged over indices and data sets; best first."""
        if not self.ranks.size:
            return {}
        average = dict(zip(self.methods, self.ranks.mean(axis=0).tolist(), strict=True))
        return dict(sorted(average.items(), key=lambda item: item[1]))

    @cached_property
    def winners(self) -> tuple[str, ...]:
        """The method with the best mean rank, and those that tie with it.

        A tie is a difference of mean ranks below its standard error over data sets; on one data set, of 0.
        """
        by_method = dict(zip(self.methods, self.ranks.T, strict=True))
        tied: list[str] = []
        for method in self.mean_ranks:
            behind = by_method[method] - by_method[tied[0] if tied else method]
            n = len(behind)
            error = behind.std(ddof=1) / math.sqrt(n) if n > 1 else 0.0
            tied += [method] * bool(behind.mean() <= ROUNDING or behind.mean() < error - ROUNDING)
        return tuple(tied)

    @property
    def answer(self) -> Answer | None:
        """The winners, the strength of the answer, and the reasons; None where there is nothing to rank."""
        ranks, n = self.mean_ranks, len(self.data)
        if len(self.methods) < 2 or not ranks:
            return None
        names = {method: " ".join(method.split()[:MOST_WORDS])[:MOST_LETTERS] for method in self.methods}
        ties = len(self.winners) > 1
        who = " and ".join(names[method] for method in self.winners)
        if len(self.winners) > MOST_NAMED:
            who = f"{len(self.winners)} of {len(self.methods)} methods"
        low, high = f"{ranks[self.winners[0]]:.2f}", f"{ranks[self.winners[-1]]:.2f}"
        rank = f"mean rank {low}" if low == high else f"mean ranks {low} to {high}"
        over = f"{n} data set{'s' if n > 1 else ''}"
        reasons = [Reason(ReasonKind.VOTES, f"{rank} of {len(self.methods)} methods over {over}")]
        if ties and n > 1:
            text = "no difference exceeds its standard error"
            reasons.append(Reason(ReasonKind.RIVAL, text, role="against"))
        others = [method for method in ranks if method not in self.winners]
        if others:
            reasons.append(Reason(ReasonKind.RIVAL, f"next {names[others[0]]}, {ranks[others[0]]:.2f}"))
        for method in self.winners:
            shares = [1 - self.coverage(data, method) for data in self.data]
            if max(shares) > 0:
                text = f"{names[method]} leaves up to {max(shares):.0%} of the objects out"
                reasons.append(Reason(ReasonKind.FLAW, text, role="against"))
        if n == 1 or ties:
            reasons.append(Reason(ReasonKind.RIVAL, "Add data sets.", role="next"))
        strength: Strength = "contested" if ties else "weak" if n == 1 else "clear"
        return Answer(self.winners, strength, f"{who} {'tie' if ties else 'is best'}", tuple(reasons))

    @property
    def statement(self) -> str:
        """The winners, their mean ranks, and the next method, in 25 words at most."""
        return "" if self.answer is None else self.answer.statement

    def table(self) -> Table:
        """Means over runs with their standard deviations, a row for each data set and method.

        ``coverage`` is there where a method leaves objects out as noise.
        """
        covered = {(data, m): self.coverage(data, m) for data in self.data for m in self.methods}
        has_noise = any(share < 1 for share in covered.values())
        rows = []
        for data in self.data:
            for place, method in enumerate(self.methods):
                head = (data, self.ks[data]) if place == 0 else ("", None)
                shares = (covered[data, method],) * has_noise
                cells = []
                for index in self.indices:
                    values = self.values_of(data, method, index)
                    mean, several = float(values.mean()) if values.size else math.nan, values.size > 1
                    deviation = float(values.std(ddof=1)) if several else 0.0
                    spread = f" ({deviation if deviation > ROUNDING * abs(mean) else 0.0:.2g})"
                    cells.append(f"{show(mean) if values.size else 'nan'}{spread if several else ''}")
                rows.append((*head, method, *shares, *cells))
        symbols = [find(label).symbol or label for label in self.indices]
        heads = symbols if len(set(symbols)) == len(symbols) else self.indices
        columns = ("data", "k", "method", *["coverage"] * has_noise, *heads)
        notes = (*self.footnotes, "mean (standard deviation over runs)")
        return Table(self.title, columns, tuple(rows), notes, self.statement)
