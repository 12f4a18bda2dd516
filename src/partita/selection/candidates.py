"""Clusterings that are chosen among: what each looks like, how indices judge it, and whom they prefer."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.cluster_quality import LARGE, sample_size_for
from partita.errors import TooLargeError
from partita.evaluation import MOST_PAIR_OPERATIONS
from partita.inputs import Inputs
from partita.partitions import HardPartition, Partition
from partita.registry import Index, find
from partita.registry.rules import apply_rule
from partita.results.index_rows import IndexValue
from partita.selection.assessment import Ballot
from partita.selection.flaws import Shape, shape_of
from partita.selection.judging import judge_inputs

__all__ = [
    "Candidate",
    "ClusteringBallot",
    "Preference",
    "agreement_of",
    "ballot_of",
    "hard_labels",
    "judged_candidates",
    "preferences_of",
    "together",
]

TIE = 1e-12
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
        The mean share of nearest neighbours that are in an object's own cluster.
    values, caveats : dict
        For each index its value, and what must be said of it.
    """

    names: tuple[Any, ...]
    label: str
    shape: Shape
    smallest: int
    neighbours: float = math.nan
    values: Mapping[str, float] = field(default_factory=dict)
    caveats: Mapping[str, str] = field(default_factory=dict)

    @property
    def clusters(self) -> int:
        """How many clusters it has."""
        return self.shape.clusters

    @property
    def coverage(self) -> float:
        """The share of objects that are in a cluster."""
        return self.shape.coverage

    @property
    def flaw(self) -> str:
        """Why it does not count while others do, or nothing."""
        return self.shape.flaw


@dataclass(frozen=True)
class Preference:
    """Which clustering an index prefers, by how much, or why it prefers none."""

    index: str
    family: str
    label: str | None
    reason: str
    runner_up: str | None = None
    difference: float = math.nan
    votes: bool = True


@dataclass(frozen=True)
class ClusteringBallot(Ballot):
    """What families of indices choose among clusterings, which are known by their labels.

    Attributes
    ----------
    clusters : dict
        For each label its number of clusters.
    first, last : str, str
        Of an ordered parameter, the clusterings at its smallest and largest value; nothing elsewhere.
    alone : labels
        Those of them that no other value has.
    """

    clusters: Mapping[str, int] = field(default_factory=dict)
    first: str = ""
    last: str = ""
    alone: Collection[str] = ()

    def named(self, *ks: Any) -> str:
        """One clustering in a sentence, or several."""
        return " or ".join(f"{k}, {_clusters(self.clusters[k])}" for k in ks)

    def clusters_of(self, k: Any) -> int:
        """How many clusters it has."""
        return self.clusters[k]

    @property
    def without_structure(self) -> tuple[Any, str]:
        """No clustering is best where there is no structure."""
        return None, "no structure"

    @property
    def ends(self) -> tuple[tuple[Any, str, str], ...]:
        """The clusterings at the ends of an ordered parameter."""
        both = ((self.last, "largest", "more"), (self.first, "smallest", "less"))
        return tuple(end for end in both if end[0])

    def beyond(self, k: Any, *, refuted: bool) -> str:  # noqa: ARG002 (no clustering is the fewest that can be)
        """That a clustering is at an end, and that no value beside it gives the same."""
        for end, word, more in self.ends:
            if k == end and k in self.alone:
                return f"{k} or {more}: the {word} tried"
        return ""


def _clusters(count: int) -> str:
    return f"{count} cluster{'' if count == 1 else 's'}"


# --- equal clusterings ------------------------------------------------------------------------------------


def together(partitions: Mapping[Any, Partition]) -> list[tuple[Any, ...]]:
    """The names, those of equal clusterings together: equal up to the names of the clusters."""
    groups: dict[Hashable, list[Any]] = {}
    soft: list[list[Any]] = []
    for name, partition in partitions.items():
        if isinstance(partition, HardPartition):
            groups.setdefault(_signature(partition), []).append(name)
            continue
        same = next((group for group in soft if _equivalent(partitions[group[0]], partition)), None)
        if same is None:
            soft.append([name])
        else:
            same.append(name)
    place = {name: i for i, name in enumerate(partitions)}
    return sorted(map(tuple, (*groups.values(), *soft)), key=lambda names: place[names[0]])


def _signature(partition: HardPartition) -> Hashable:
    """The same for hard clusterings that differ in the names of their clusters only."""
    labels = hard_labels(partition)
    names, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    return np.where(labels < 0, -1, rank[codes]).tobytes()


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


# --- judging ----------------------------------------------------------------------------------------------


def judged_candidates(
    groups: Mapping[str, Sequence[Any]],
    as_given: Mapping[str, Partition],
    inputs: Mapping[str, Inputs],
    entries: Sequence[Index],
    named: Collection[str],
) -> tuple[list[Candidate], list[Index], dict[str, str]]:
    """The candidates with their values, the indices that judged, and those that were left out, with why.

    Parameters
    ----------
    groups : dict
        For each label of a clustering its names.
    as_given, inputs : dict
        By label: the clustering with its noise, and what indices judge.
    entries, named : indices, labels
        Which indices, and which of them must apply.
    """
    size = None
    if any(one.n_objects > LARGE for one in inputs.values()):
        each = [sample_size_for(one.only(("X", "found")), "euclidean") for one in inputs.values()]
        size = None if None in each else min(s for s in each if s is not None)
    entries = [_sampled(entry, size) if entry.label not in named else entry for entry in entries]
    mixed = len({one.partitions["found"].kind for one in inputs.values()}) > 1
    rows: dict[str, tuple[IndexValue, ...]] = {}
    refused: dict[str, dict[str, str]] = {}
    for label, one in inputs.items():
        rows[label], refused[label] = judge_inputs(
            one, entries, strict=named, most_pairs=MOST_PAIR_OPERATIONS, one_scale=mixed
        )
    left_out = {
        entry.label: next(iter(refused.values()))[entry.label]
        for entry in entries
        if all(entry.label in why for why in refused.values())
    }
    kept = [entry for entry in entries if entry.label not in left_out]
    candidates = []
    for label, names in groups.items():
        known = {row.index: row for row in rows[label]}
        own = hard_labels(as_given[label])
        sizes = np.bincount(own[own >= 0])
        candidates.append(
            Candidate(
                tuple(names),
                label,
                shape_of(as_given[label], None, inputs[label].model, _values(inputs[label])),
                int(sizes[sizes > 0].min()) if sizes.any() else 0,
                values={e.label: known[e.label].value if e.label in known else math.nan for e in kept},
                caveats={
                    e.label: known[e.label].caveat if e.label in known else refused[label][e.label]
                    for e in kept
                },
            )
        )
    return candidates, kept, left_out


def _values(inputs: Inputs) -> Array | None:
    return None if inputs.X is None else inputs.X.values


def _sampled(entry: Index, size: int | None) -> Index:
    able = size is not None and entry.name == "silhouette" and entry.options.get("sample_size") is None
    return entry.using(sample_size=size) if able else entry


def preferences_of(candidates: Sequence[Candidate], entries: Sequence[Index]) -> dict[str, Preference]:
    """What each index with a direction prefers; a clustering with a flaw counts only where all have one.

    As in `choose_k`, an index needs a value for half of the clusterings that count, and for two of them.
    """
    sound = [not c.flaw for c in candidates]
    counts = sound if any(sound) else [True] * len(candidates)
    return {
        entry.label: _preference(entry, candidates, counts) for entry in entries if entry.direction != "none"
    }


def _preference(entry: Index, candidates: Sequence[Candidate], counts: Sequence[bool]) -> Preference:
    known = [c.values[entry.label] if able else math.nan for c, able in zip(candidates, counts, strict=True)]
    made = Preference(entry.label, entry.family, None, "", votes="truth" not in entry.inputs)
    finite, able = int(np.isfinite(known).sum()), sum(counts)
    if able < 2 or not finite:
        reason = "there is nothing to compare" if able < 2 else "it has a value for none of them"
        return replace(made, reason=reason)
    if finite < max(able / 2, 2):
        return replace(made, reason=f"no vote: it has a value for only {finite} of {able} clusterings")
    places = range(1, len(candidates) + 1)
    verdict = apply_rule("best", places, known, direction=entry.direction, best=entry.best)
    assert verdict.k is not None
    assert verdict.runner_up is not None
    first, second = candidates[verdict.k - 1], candidates[verdict.runner_up - 1]
    if math.isclose(known[verdict.k - 1], known[verdict.runner_up - 1], rel_tol=TIE):
        return _among_equals(made, candidates, known, known[verdict.k - 1])
    return replace(
        made,
        label=first.label,
        reason=verdict.reason,
        runner_up=second.label,
        difference=verdict.difference,
    )


def _among_equals(
    made: Preference, candidates: Sequence[Candidate], known: Sequence[float], best: float
) -> Preference:
    """Of clusterings with the same value, the one that covers more objects than all others, if one does."""
    equal = [c for c, v in zip(candidates, known, strict=True) if math.isclose(v, best, rel_tol=TIE)]
    first, second = sorted(equal, key=lambda c: -c.coverage)[:2]
    if first.coverage == second.coverage:
        return replace(made, reason=f"a tie: {' and '.join(c.label for c in equal)}")
    reason = f"as good as {second.label}, which covers fewer objects"
    return replace(made, label=first.label, reason=reason, runner_up=second.label, difference=0.0)


def ballot_of(
    candidates: Sequence[Candidate], preferences: Mapping[str, Preference], values: Sequence[float] = ()
) -> ClusteringBallot:
    """The votes, each family having one; ``values`` are those of an ordered parameter."""
    families: dict[str, dict[str, str | None]] = {}
    for one in preferences.values():
        if one.votes:
            families.setdefault(one.family, {})[one.index] = one.label
    ends = {
        word: next(c.label for c in candidates if end in c.names)
        for word, end in (("first", min(values)), ("last", max(values)))
    } if len(values) > 1 else {}  # fmt: skip
    return ClusteringBallot(
        families,
        tuple(c.label for c in candidates),
        clusters={c.label: c.clusters for c in candidates},
        alone=frozenset(c.label for c in candidates if len(c.names) == 1),
        **ends,
    )


def agreement_of(partitions: Sequence[Partition]) -> tuple[tuple[float, ...], ...]:
    """The adjusted Rand index of every two clusterings, of hardened labels; noise is one more cluster."""
    index = find("adjusted_rand")
    hard = [p if isinstance(p, HardPartition) else p.harden() for p in partitions]
    size = len(hard)
    values = np.eye(size)
    for i in range(size):
        for j in range(i):
            values[i, j] = values[j, i] = float(index(hard[i], hard[j]))
    return tuple(map(tuple, values.tolist()))
