"""Clusterings that are chosen among: their facts, the values of indices, and remarks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.cluster_quality import LARGE, sample_size_for
from partita.evaluation import MOST_PAIR_OPERATIONS
from partita.fits.degenerate_fits import Shape, shape_of
from partita.fits.fit_scores import judge_inputs
from partita.inputs import Inputs
from partita.partitions import Partition
from partita.partitions.equal_clusterings import equal_groups, hard_labels
from partita.registry import Index
from partita.results import plain
from partita.results.records import JsonRecord
from partita.results.verdicts import Remark, RemarkKind, speak
from partita.selection.evidence import ScoredClustering

__all__ = ["Candidate", "candidates_of", "remarks_about"]

MOST_NAMED = 3

NOISE_NOTES = {
    "cluster": "indices count noise as one more cluster, except DBCV and DISCO",
    "singletons": "indices count each noise object as a cluster of its own",
    "ignore": "objects that are noise in any clustering are dropped for all",
}


@dataclass(frozen=True)
class Candidate(JsonRecord):
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
    partition : Partition
        The clustering.
    """

    names: tuple[Any, ...]
    label: str
    shape: Shape
    smallest: int = 0
    neighbours: float = math.nan
    values: Mapping[str, float] = field(default_factory=dict)
    caveats: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    scored: ScoredClustering | None = field(default=None, repr=False, compare=False)
    partition: Partition = field(repr=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        if not self.smallest:
            sizes = np.bincount(self.labels[self.labels >= 0])
            object.__setattr__(self, "smallest", int(min(sizes[sizes > 0], default=0)))

    @cached_property
    def labels(self) -> Array:
        """The clusters of objects from 0 on; -1 is noise."""
        return hard_labels(self.partition)

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
        return {**super().to_dict(), "score": plain(self.score)}


def candidates_of(
    label: Any,
    as_given: Mapping[Any, Partition],
    inputs: Mapping[Any, Inputs],
    entries: Sequence[Index],
    named: Any,
) -> tuple[list[Candidate], list[Index], dict[str, str]]:
    """The different clusterings with their values, the indices that evaluated, and those left out, with why.

    Parameters
    ----------
    label : function
        From the names of one clustering to its label.
    as_given, inputs : dict
        By name: the clustering with its noise, and what indices evaluate.
    entries, named : indices, labels
        Which indices, and which of them must apply.
    """
    groups = equal_groups(as_given)
    seen = [inputs[names[0]] for names in groups]
    size = None
    if any(one.n_objects > LARGE for one in seen):
        each = [sample_size_for(one.only(("X", "found")), "euclidean") for one in seen]
        size = None if None in each else min(s for s in each if s is not None)
    sampled = [
        entry.using(sample_size=size)
        if size is not None
        and entry.name == "silhouette"
        and entry.options.get("sample_size") is None
        and entry.label not in named
        else entry
        for entry in entries
    ]
    mixed = len({one.partitions["found"].kind for one in seen}) > 1
    evaluated = [
        judge_inputs(one, sampled, strict=named, most_pairs=MOST_PAIR_OPERATIONS, one_scale=mixed)
        for one in seen
    ]
    refusals = [refused for _, refused in evaluated]
    left_out = {e.label: refusals[0][e.label] for e in sampled if all(e.label in one for one in refusals)}
    kept = [entry for entry in sampled if entry.label not in left_out]
    found = []
    for names, one, (rows, refused) in zip(groups, seen, evaluated, strict=True):
        values = dict.fromkeys(refused, math.nan) | {row.index: row.value for row in rows}
        caveats = refused | {row.index: row.caveat for row in rows}
        partition = as_given[names[0]]
        found.append(
            Candidate(
                names,
                label(names),
                shape_of(partition, None, one.model, None if one.X is None else one.X.values),
                values={e.label: values[e.label] for e in kept},
                caveats={e.label: caveats[e.label] for e in kept},
                errors={row.index: row.se for row in rows if math.isfinite(row.se)},
                partition=partition,
            )
        )
    return found, kept, left_out


def remarks_about(candidates: Sequence[Candidate], noise: str) -> tuple[Remark, ...]:
    """Remarks on noise and tiny clusters."""
    covered = [f"{c.label} {c.coverage:.1%}" for c in candidates if c.coverage < 1.0]
    if len(covered) > MOST_NAMED:
        least, most = (choose(candidates, key=lambda c: c.coverage) for choose in (min, max))
        covered = [f"from {least.coverage:.1%} ({least.label}) to {most.coverage:.1%} ({most.label})"]
    about_noise = f"objects in a cluster, not noise: {', '.join(covered)}; {NOISE_NOTES.get(noise, '')}"
    flawed = [f"{c.label} ({c.flaw})" for c in candidates if c.flaw]
    head = "all have tiny clusters" if len(flawed) == len(candidates) else "does not count"
    return (
        *speak(RemarkKind.NOISE, about_noise.rstrip("; ") if covered else ""),
        *speak(RemarkKind.TINY_CLUSTERS, f"{head}: {', '.join(flawed)}" if flawed else ""),
    )
