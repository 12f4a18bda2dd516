"""What `stability` returns: every repeat, every cluster, what each rule says, and the answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.errors import ParameterError
from partita.registry import Caveat, Index, find
from partita.registry.rules import Verdict
from partita.results import Result, Table, join_texts, plain
from partita.results.verdicts import Strength

__all__ = ["Answer", "ClusterRecovery", "ClusterStability", "Repeat", "Stability"]

RECOVERED, DISSOLVED = 0.75, 0.5
"""A cluster is recovered in a repeat with a Jaccard coefficient above the first, and dissolved with one of at
most the second (Hennig 2007, and the R package fpc)."""


@dataclass(frozen=True)
class Repeat:
    """One perturbed clustering: its k, its seed, and how far it agrees, by each index, with caveats.

    ``jaccards`` has for each cluster of the clustering of all data how well it was found again. Where another
    parameter was swept, ``setting`` is its value and ``position`` the place of that value in the list.
    """

    k: int
    repeat: int
    seed: int
    values: Mapping[str, float]
    caveats: Mapping[str, str]
    failed: str = ""
    jaccards: tuple[float, ...] = ()
    setting: Any = None
    position: int | None = None


@dataclass(frozen=True)
class ClusterRecovery:
    """How well one cluster of the clustering of all data was found again.

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


@dataclass(frozen=True, repr=False)
class ClusterStability(Result):
    """How well each cluster is found again in perturbed data (Hennig 2007, as clusterboot of R's fpc).

    The Jaccard coefficient of a cluster of all data with the most similar cluster of a perturbed clustering,
    on the objects that both have, each once; of soft clusterings on hardened labels. Prints the chosen
    clustering; ``to_frame()`` has all.

    Attributes
    ----------
    rows : tuple of ClusterRecovery
        One for each value tried and cluster.
    parameter : str
        What was tried: "k", or another parameter.
    chosen : int, or value of the parameter
        Whose clusters the table shows; None for all.
    """

    rows: tuple[ClusterRecovery, ...] = ()
    parameter: str = "k"
    chosen: Any = None

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each value tried and cluster."""
        return [{self.parameter: row.tried, **_summarised(row)} for row in self.rows]

    def table(self) -> Table:
        """The clusters of the chosen clustering, the best found again first; of all where none was chosen."""
        rows = [r for r in self.rows if self.chosen is None or r.tried == self.chosen]
        if self.chosen is not None:
            rows.sort(key=lambda row: -row.jaccard if math.isfinite(row.jaccard) else math.inf)
        columns = (self.parameter, "cluster", "size", "jaccard", "recovered", "dissolved", "compared")
        below = f"mean Jaccard; recovered: above {RECOVERED:g}, dissolved: at most {DISSOLVED:g}"
        cells = tuple((row.tried, *_summarised(row).values()) for row in rows)
        return Table("clusters found again", columns, cells, (below, *self.footnotes))


def _summarised(row: ClusterRecovery) -> dict[str, Any]:
    """All but what was tried and the single repeats."""
    return {name: value for name, value in asdict(row).items() if name not in ("tried", "jaccards")}


@dataclass(frozen=True)
class Answer:
    """What all rules together say: the number of clusters, how sure, and in words.

    ``setting`` is the chosen value where another parameter was swept.
    """

    k: int | None = None
    strength: Strength = "no structure"
    statement: str = ""
    setting: Any = None


@dataclass(frozen=True, repr=False)
class Stability(Result):
    """How far clusterings of perturbed data agree, for each k, and what number of clusters that speaks for.

    Attributes
    ----------
    ks : tuple of int
        The numbers of clusters that were tried, or that the clustering of all data has at each value.
    repeats : tuple of Repeat
        Every perturbed clustering, with every value.
    choices : dict of Verdict
        What each rule chooses: first all of them together, then each alone.
    title : str
        What was clustered, in words.
    answer : Answer
        ``k``, ``strength`` and ``statement`` are read from it.
    parameter : str or None
        The parameter that was swept; None for the number of clusters.
    tried : tuple
        Its values.
    coverage : tuple of float
        At each, the share of the objects that are in a cluster, not noise.
    clusters : tuple of ClusterRecovery
        How well each cluster is found again; see ``by_cluster``.
    caveats : dict
        Index to the typed caveats that hold for all its values.
    limits : dict
        Index to what it must reach at any k: the mean over repeats, or every repeat where it counts clusters
        that are missing. An index whose limit depends on k is not there.
    """

    ks: tuple[int, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    choices: Mapping[str, Verdict] = field(default_factory=dict)
    title: str = ""
    answer: Answer = Answer()
    parameter: str | None = None
    tried: tuple[Any, ...] = ()
    coverage: tuple[float, ...] = ()
    clusters: tuple[ClusterRecovery, ...] = ()
    caveats: Mapping[str, tuple[Caveat, ...]] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def k(self) -> int | None:
        """The number of clusters that all rules together choose; None where there is no answer."""
        return self.answer.k

    @property
    def value(self) -> Any:
        """The chosen value of the parameter: k, unless another parameter was swept."""
        return self.answer.k if self.parameter is None else self.answer.setting

    @property
    def strength(self) -> Strength:
        """How far the answer can be trusted."""
        return self.answer.strength

    @property
    def statement(self) -> str:
        """The answer in words, with what speaks against it."""
        return self.answer.statement

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
        """How well each cluster is found again."""
        return ClusterStability(
            provenance=self.provenance,
            frame=self.frame,
            rows=self.clusters,
            parameter=self.parameter or "k",
            chosen=self.value,
        )

    def values(self, index: str, k: Any) -> Floats:
        """The values of an index at a k, or a value of the parameter, one for each repeat."""
        label = find(index).label
        if label not in self.indices or k not in self.settings:
            raise ParameterError(
                f"{label} was not computed for {self.parameter or 'k'} = {k}.",
                got=f"{index!r}, {k!r}",
                need=f"one of {', '.join(self.indices)} and one of {list(self.settings)}",
            )
        place = self.settings.index(k)
        return np.array([r.values[label] for r in self.repeats if self._place(r) == place])

    def _place(self, repeat: Repeat) -> int:
        return self.ks.index(repeat.k) if repeat.position is None else repeat.position

    def weakest(self, k: Any) -> float:
        """The mean Jaccard coefficient of the cluster that is found again worst; nan where one never was."""
        means = [row.jaccard for row in self.clusters if row.tried == k]
        return min(means) if means and all(map(math.isfinite, means)) else math.nan

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each (k, repeat, index)."""
        return [
            {
                **({} if self.parameter is None else {self._column: r.setting}),
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

    @property
    def _column(self) -> str:
        taken = {"k", "repeat", "seed", "index", "value", "caveat"}
        return f"parameter {self.parameter}" if self.parameter in taken else str(self.parameter)

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        choices = {rule: asdict(verdict) for rule, verdict in self.choices.items()}
        return {
            **super().to_dict(),
            "title": self.title,
            "k": self.k,
            "value": plain(self.value),
            "strength": self.strength,
            "choices": plain(choices),
            "by_cluster": plain(self.by_cluster.records()),
        }

    def table(self) -> Table:
        """For each k the mean, the standard deviation and the worst value of each index, and more.

        ``weakest cluster`` is the mean Jaccard coefficient of the one that is found again worst.
        """
        columns = ["k"] if self.parameter is None else [self.parameter, "k"]
        has_noise = any(share < 1 for share in self.coverage)
        columns += ["coverage"] * has_noise
        for index in self.indices:
            columns += [index, "sd", "worst"]
        columns += ["weakest cluster"] * bool(self.clusters)
        rows = []
        for place, tried in enumerate(self.settings):
            row: list[Any] = [tried] if self.parameter is None else [_cell(tried), self.ks[place]]
            row += [self.coverage[place]] if has_noise else []
            for index in self.indices:
                row += _summary(self.values(index, tried), find(index))
            rows.append(tuple(row + [self.weakest(tried)] * bool(self.clusters)))
        said = tuple(
            f"{rule}: {'no answer' if v.k is None else f'k = {v.k}'} ({v.reason})"
            for rule, v in self.choices.items()
        )
        return Table(self.title, tuple(columns), tuple(rows), (*said, *self.footnotes), self.statement)


def _cell(value: Any) -> Any:
    return value if isinstance(value, (int, float, str)) else repr(value)


def _summary(values: Floats, entry: Index) -> tuple[float, float, float]:
    """Mean, standard deviation (that of a sample) and worst value."""
    known = values[np.isfinite(values)]
    if not known.size:
        return math.nan, math.nan, math.nan
    worst = known.min() if entry.direction == "higher" else known.max()
    deviation = float(known.std(ddof=1)) if known.size > 1 else math.nan
    return float(known.mean()), deviation, float(worst)
