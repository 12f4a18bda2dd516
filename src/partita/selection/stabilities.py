"""The result of `stability`: every repeat, every cluster, the choice of each rule, and the answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.errors import ParameterError
from partita.registry import Caveat, find
from partita.registry.rules import Verdict
from partita.results import Result, Table, join_texts, number, plain
from partita.results.answers import Answer, Answered
from partita.selection._structure import Structure

__all__ = ["ClusterRecovery", "ClusterStability", "Repeat", "Stability"]

RECOVERED, DISSOLVED = 0.75, 0.5
"""A cluster is recovered in a repeat with a Jaccard coefficient above the first, and dissolved with one of at
most the second (Hennig 2007, and the R package fpc)."""

NO_ANSWER = Answer(None, "no structure", "no answer")


@dataclass(frozen=True)
class Repeat:
    """One perturbed clustering: its k, its seed, and its agreement by each index, with caveats.

    ``jaccards`` has the Jaccard coefficient of each cluster of the clustering of all data. Where another
    parameter was swept, ``setting`` is its value.
    """

    k: int
    repeat: int
    seed: int
    values: Mapping[str, float]
    caveats: Mapping[str, str]
    failed: str = ""
    jaccards: tuple[float, ...] = ()
    setting: Any = None

    @classmethod
    def of(
        cls, recorded: Mapping[str, Any], labels: Sequence[str], k: int, repeat: int, setting: Any
    ) -> Repeat:
        """From the values that its task recorded, and the labels of the indices."""
        rows = dict(zip(labels, recorded["rows"] or [(None, "")] * len(labels), strict=True))
        values = {label: number(value) for label, (value, _) in rows.items()}
        caveats = {label: caveat for label, (_, caveat) in rows.items()}
        jaccards = tuple(map(number, recorded["jaccards"]))
        return cls(k, repeat, int(recorded["seed"]), values, caveats, recorded["failed"], jaccards, setting)


@dataclass(frozen=True)
class ClusterRecovery:
    """Recovery of one cluster of the clustering of all data in perturbed data.

    ``compared`` counts the repeats in which it had objects; ``recovered`` those with a Jaccard coefficient
    above 0.75, ``dissolved`` those with at most 0.5. ``jaccards`` has the coefficient of every repeat that
    did not fail, nan where the cluster had no object.
    """

    tried: Any
    cluster: int
    size: int
    jaccard: float
    recovered: int
    dissolved: int
    compared: int
    jaccards: tuple[float, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def of(cls, tried: Any, cluster: int, size: int, jaccards: Floats) -> ClusterRecovery:
        """From the coefficients of all repeats, nan where the cluster had no object."""
        known = jaccards[np.isfinite(jaccards)]
        mean = float(known.mean()) if known.size else math.nan
        recovered, dissolved = int((known > RECOVERED).sum()), int((known <= DISSOLVED).sum())
        every = tuple(jaccards.tolist())
        return cls(tried, cluster, size, mean, recovered, dissolved, int(known.size), every)

    def summary(self) -> dict[str, Any]:
        """All but the value tried and the single repeats."""
        return {name: value for name, value in asdict(self).items() if name not in ("tried", "jaccards")}


@dataclass(frozen=True, repr=False)
class ClusterStability(Result):
    """Stability of each cluster in perturbed data (Hennig 2007, as clusterboot of R's fpc).

    The Jaccard coefficient of a cluster of all data with the most similar cluster of a perturbed clustering,
    on the objects that both have, each once; of soft clusterings on hardened labels. Prints the chosen
    clustering; ``to_frame()`` has all.

    Attributes
    ----------
    rows : tuple of ClusterRecovery
        One for each value tried and cluster.
    parameter : str
        The parameter: "k", or another one.
    chosen : int, or value of the parameter
        The value whose clusters the table shows; None for all.
    """

    rows: tuple[ClusterRecovery, ...] = ()
    parameter: str = "k"
    chosen: Any = None

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each value tried and cluster."""
        return [{self.parameter: row.tried, **row.summary()} for row in self.rows]

    def table(self) -> Table:
        """The clusters of the chosen clustering, the most stable first; of all where none was chosen."""
        rows = [r for r in self.rows if self.chosen is None or r.tried == self.chosen]
        if self.chosen is not None:
            rows.sort(key=lambda row: -row.jaccard if math.isfinite(row.jaccard) else math.inf)
        columns = (self.parameter, "cluster", "size", "jaccard", "recovered", "dissolved", "compared")
        below = f"mean Jaccard; recovered: above {RECOVERED:g}, dissolved: at most {DISSOLVED:g}"
        cells = tuple((row.tried, *row.summary().values()) for row in rows)
        return Table("stability of clusters", columns, cells, (below, *self.footnotes))


@dataclass(frozen=True, repr=False)
class Stability(Answered, Result):
    """Agreement of clusterings of perturbed data for each k, and the answer that follows.

    Attributes
    ----------
    ks : tuple of int
        The numbers of clusters that were tried, or that the clustering of all data has at each value.
    repeats : tuple of Repeat
        Every perturbed clustering, with every value.
    choices : dict of Verdict
        The choice of each rule: first of all of them together, then of each alone.
    title : str
        The data, the method and the perturbation in words.
    answer : Answer
        ``k``, ``value``, ``strength``, ``statement`` and ``because`` are read from it.
    parameter : str or None
        The parameter that was swept; None for the number of clusters.
    tried : tuple
        Its values.
    coverage : tuple of float
        At each, the share of the objects that are in a cluster, not noise.
    clusters : tuple of ClusterRecovery
        The recovery of each cluster; see ``by_cluster``.
    caveats : dict
        Index to the typed caveats that hold for all its values.
    limits : dict
        Index to the limit that it must reach at any k: the mean over repeats, or every repeat where it counts
        clusters that are missing. An index whose limit depends on k is not there.
    structure : Structure or None
        The test of structure, where one was run or passed in.
    """

    ks: tuple[int, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    choices: Mapping[str, Verdict] = field(default_factory=dict)
    title: str = ""
    answer: Answer = NO_ANSWER
    parameter: str | None = None
    tried: tuple[Any, ...] = ()
    coverage: tuple[float, ...] = ()
    clusters: tuple[ClusterRecovery, ...] = ()
    caveats: Mapping[str, tuple[Caveat, ...]] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    structure: Structure | None = field(default=None, repr=False, compare=False)

    @property
    def k(self) -> int | None:
        """The number of clusters; None for "no structure" unless one cluster was tried."""
        if self.parameter is not None and self.strength != "no structure":
            return self.ks[self.tried.index(self.value)]
        k: int | None = self.value
        return k

    @property
    def indices(self) -> tuple[str, ...]:
        """The indices that compared clusterings."""
        return tuple(self.repeats[0].values)

    @property
    def settings(self) -> tuple[Any, ...]:
        """The values that were tried: numbers of clusters, or of another parameter."""
        return self.tried or self.ks

    @cached_property
    def by_cluster(self) -> ClusterStability:
        """The stability of each cluster."""
        return ClusterStability(
            provenance=self.provenance,
            frame=self.frame,
            rows=self.clusters,
            parameter=self.parameter or "k",
            chosen=self.value,
        )

    def values(self, index: str, k: Any) -> Floats:
        """The values of an index at a k, or a value of the parameter, one for each repeat."""
        label = find(index, fits=lambda entry: entry.label in self.indices).label
        if label not in self.indices or k not in self.settings:
            raise ParameterError(
                f"{label} was not computed for {self.parameter or 'k'} = {k}.",
                got=f"{index!r}, {k!r}",
                need=f"one of {', '.join(self.indices)} and one of {list(self.settings)}",
            )
        count = len(self.repeats) // len(self.settings)
        first = self.settings.index(k) * count
        return np.array([repeat.values[label] for repeat in self.repeats[first : first + count]])

    def weakest(self, k: Any) -> float:
        """The mean Jaccard coefficient of the least stable cluster; nan where one was never compared."""
        means = [row.jaccard for row in self.clusters if row.tried == k]
        return min(means) if means and all(map(math.isfinite, means)) else math.nan

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each (k, repeat, index)."""
        taken = ("k", "repeat", "seed", "index", "value", "caveat")
        column = f"parameter {self.parameter}" if self.parameter in taken else str(self.parameter)
        return [
            {
                **({} if self.parameter is None else {column: r.setting}),
                "k": r.k,
                "repeat": r.repeat,
                "seed": r.seed,
                "index": index,
                "value": value,
                "caveat": join_texts([r.caveats[index], r.failed]),
            }
            for r in self.repeats
            for index, value in r.values.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {
            **super().to_dict(),
            "title": self.title,
            "k": self.k,
            "value": plain(self.value),
            "strength": self.strength,
            "answer": self.answer.to_dict(),
            "choices": plain({rule: asdict(verdict) for rule, verdict in self.choices.items()}),
            "by_cluster": plain(self.by_cluster.records()),
        }

    def table(self) -> Table:
        """For each k the mean, the standard deviation and the worst value of each index.

        ``coverage`` is there where some objects are in no cluster. ``weakest cluster`` is the mean Jaccard
        coefficient of the least stable one.
        """
        has_noise = any(share < 1 for share in self.coverage)
        columns = ["k"] if self.parameter is None else [self.parameter, "k"]
        columns += ["coverage"] * has_noise
        columns += [name for index in self.indices for name in (index, "sd", "worst")]
        columns += ["weakest cluster"] * bool(self.clusters)
        rows = []
        for place, tried in enumerate(self.settings):
            shown = tried if isinstance(tried, (int, float, str)) else repr(tried)
            row: list[Any] = [shown] if self.parameter is None else [shown, self.ks[place]]
            row += [self.coverage[place]] if has_noise else []
            for index in self.indices:
                values = self.values(index, tried)
                known = values[np.isfinite(values)]
                if not known.size:
                    row += [math.nan] * 3
                    continue
                deviation = float(known.std(ddof=1)) if known.size > 1 else math.nan
                worst = known.min() if find(index).direction == "higher" else known.max()
                row += [float(known.mean()), deviation, float(worst)]
            rows.append(tuple(row + [self.weakest(tried)] * bool(self.clusters)))
        chosen = tuple(
            f"{rule}: {'no answer' if v.k is None else f'k = {v.k}'} ({v.reason})"
            for rule, v in self.choices.items()
        )
        return Table(self.title, tuple(columns), tuple(rows), (*chosen, *self.footnotes), self.statement)
