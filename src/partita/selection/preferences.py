"""Clusterings that are chosen among: their facts, the values of indices, and the preference of each index."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import TooLargeError
from partita.fits.degenerate_fits import Shape
from partita.partitions import HardPartition, Partition
from partita.registry import Index, find
from partita.registry.rules import apply_rule
from partita.results import plain
from partita.selection.evidence import ScoredClustering

__all__ = ["Candidate", "Preference", "agreement_of", "equal_groups", "hard_labels", "preferences_of"]

ROUNDING = 1e-12
"""Values as close as this, relatively, are a tie."""


@dataclass(frozen=True)
class Candidate:
    """One clustering, under all the names that it was given.

    Attributes
    ----------
    names : tuple
        The names, or values of a parameter, under which it is the same up to the names of its clusters.
    label : str
        All of them in one text.
    shape : Shape
        The number of clusters, those of a single object, and the share of objects that are not noise.
    smallest : int
        The number of objects of its smallest cluster.
    neighbours : float
        The mean share of nearest neighbours in an object's own cluster.
    values, caveats, errors : dict
        For each index its value, its caveat, and its standard error where it is estimated.
    scored : ScoredClustering or None
        The parts of its score; None without two clusters.
    partition : Partition or None
        The clustering.
    """

    names: tuple[Any, ...]
    label: str
    shape: Shape
    smallest: int
    neighbours: float = math.nan
    values: Mapping[str, float] = field(default_factory=dict)
    caveats: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    scored: ScoredClustering | None = field(default=None, repr=False, compare=False)
    partition: Partition | None = field(default=None, repr=False, compare=False)

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return self.shape.clusters

    @property
    def coverage(self) -> float:
        """The share of objects in a cluster."""
        return self.shape.coverage

    @property
    def flaw(self) -> str:
        """The reason why it does not count while others do."""
        return self.shape.flaw

    @property
    def score(self) -> float:
        """The score; nan without two clusters."""
        return math.nan if self.scored is None else self.scored.score

    def to_dict(self) -> dict[str, Any]:
        """The candidate without labels of objects, as JSON holds it."""
        bare = asdict(replace(self, scored=None, partition=None))
        return dict(plain({**bare, "score": self.score}))


@dataclass(frozen=True)
class Preference:
    """The clustering that an index prefers, by how much, or the reason why it prefers none."""

    index: str
    family: str
    label: str | None
    reason: str
    runner_up: str | None = None
    difference: float = math.nan
    no_vote: str = ""

    @property
    def votes(self) -> bool:
        """True where the preference counts among the votes."""
        return not self.no_vote


def equal_groups(partitions: Mapping[Any, Partition]) -> list[tuple[Any, ...]]:
    """The names, those of equal clusterings together: equal up to the names of the clusters."""
    groups: dict[Hashable, list[Any]] = {}
    soft: list[list[Any]] = []
    for name, partition in partitions.items():
        if isinstance(partition, HardPartition):
            labels = hard_labels(partition)
            _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
            rank = np.argsort(np.argsort(first, kind="stable"), kind="stable")
            signature = np.where(labels < 0, -1, rank[codes]).tobytes()
            groups.setdefault(signature, []).append(name)
            continue
        same = next((group for group in soft if _equivalent(partitions[group[0]], partition)), None)
        if same is None:
            soft.append([name])
        else:
            same.append(name)
    place = {name: i for i, name in enumerate(partitions)}
    return sorted(map(tuple, (*groups.values(), *soft)), key=lambda names: place[names[0]])


def _equivalent(one: Partition, other: Partition) -> bool:
    try:
        return one.equivalent(other)
    except TooLargeError:  # too many relabellings to try
        return False


def hard_labels(partition: Partition) -> Array:
    """The clusters of objects from 0 on, hardened where they are soft; -1 is noise."""
    hard = partition if isinstance(partition, HardPartition) else partition.harden()
    if hard.noise_mask is None:
        return hard.codes
    inside = ~hard.noise_mask
    labels = np.full(hard.n_objects, -1)
    labels[inside] = np.unique(hard.codes[inside], return_inverse=True)[1]
    return labels


def preferences_of(candidates: Sequence[Candidate], entries: Sequence[Index]) -> dict[str, Preference]:
    """The preference of each index; a clustering with a flaw counts only where all have one.

    An index needs a value for half of the clusterings that count, and for two of them. An index whose rule
    over k is not "take the best" grows with k, and prefers none among clusterings of different k.
    """
    sound = [not c.flaw for c in candidates]
    counts = sound if any(sound) else [True] * len(candidates)
    return {
        entry.label: _preference(entry, candidates, counts) for entry in entries if entry.direction != "none"
    }


def _preference(entry: Index, candidates: Sequence[Candidate], counts: Sequence[bool]) -> Preference:
    known = [c.values[entry.label] if able else math.nan for c, able in zip(candidates, counts, strict=True)]
    no_vote = "it knows the truth" if "truth" in entry.inputs else ""
    none = Preference(entry.label, entry.family, None, "", no_vote=no_vote)
    finite, able = int(np.isfinite(known).sum()), sum(counts)
    if able < 2 or not finite:
        reason = "there is nothing to compare" if able < 2 else "it has a value for none of them"
        return replace(none, reason=reason)
    if finite < max(able / 2, 2):
        return replace(none, reason=f"no vote: it has a value for only {finite} of {able} clusterings")
    if entry.rule != "best" and len({c.clusters for c in candidates}) > 1:
        return replace(none, reason="it changes with the number of clusters, which differs here")
    places = range(1, len(candidates) + 1)
    verdict = apply_rule("best", places, known, direction=entry.direction, best=entry.best)
    assert verdict.k is not None
    assert verdict.runner_up is not None
    first, second = candidates[verdict.k - 1], candidates[verdict.runner_up - 1]
    values = [first.values[entry.label], second.values[entry.label]]
    if math.isclose(*values, rel_tol=ROUNDING):
        return _among_equals(none, candidates, known, values[0])
    error = math.hypot(*(c.errors.get(entry.label, 0.0) for c in (first, second)))
    if abs(values[0] - values[1]) < error:
        lead = f"{first.label} leads {second.label} by less than the standard error {error:.2g}"
        return replace(none, reason=f"a tie: {lead}")
    return replace(
        none,
        label=first.label,
        reason=verdict.reason,
        runner_up=second.label,
        difference=verdict.difference,
    )


def _among_equals(
    none: Preference, candidates: Sequence[Candidate], known: Sequence[float], best: float
) -> Preference:
    """Of clusterings with the same value, the one that covers more objects than all others, if one does."""
    equal = [c for c, v in zip(candidates, known, strict=True) if math.isclose(v, best, rel_tol=ROUNDING)]
    first, second = sorted(equal, key=lambda c: -c.coverage)[:2]
    if first.coverage == second.coverage:
        return replace(none, reason=f"a tie: {' and '.join(c.label for c in equal)}")
    reason = f"as good as {second.label}, which covers fewer objects"
    return replace(none, label=first.label, reason=reason, runner_up=second.label, difference=0.0)


def agreement_of(partitions: Sequence[Partition]) -> tuple[tuple[float, ...], ...]:
    """The adjusted Rand index of every two clusterings, of hardened labels; noise is one more cluster."""
    index = find("adjusted_rand")
    hard = [p if isinstance(p, HardPartition) else p.harden() for p in partitions]
    values = np.eye(len(hard))
    for i in range(len(hard)):
        for j in range(i):
            values[i, j] = values[j, i] = float(index(hard[i], hard[j]))
    return tuple(map(tuple, values.tolist()))
