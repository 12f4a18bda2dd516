"""All small soft clusterings of some objects, and the distances between every two of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.distributional import distribution
from partita.partitions import EvidentialPartition, FuzzyPartition, Partition, RoughPartition

__all__ = ["DISTANCES", "evidential_world", "fuzzy_world", "matrices", "meanings", "rough_world"]

DISTANCES = {"PD": "classification_error", "1 - Rand": "rand:pairs=ordered"}
"""Base distances: both are metrics between hard clusterings, up to relabelling."""

ZERO = 1e-9
"""Distances up to it are 0; the smallest others of these worlds are far above."""

FOCAL = ((True, False), (False, True), (True, True))
MASSES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.5, 0.25, 0.25))
"""Of each object of the evidential world: sure of either cluster, of none, and a bit of all."""

SHARES = (0.0, 0.5, 1.0)


def rough_world(n: int, k: int) -> list[RoughPartition]:
    """Every rough clustering of n objects in k clusters; the hard ones are among them."""
    sets = [one for one in product((False, True), repeat=k) if any(one)]
    return [RoughPartition(np.array(rows)) for rows in product(sets, repeat=n)]


def evidential_world(n: int) -> list[EvidentialPartition]:
    """Evidential clusterings of n objects in two clusters."""
    return [EvidentialPartition(np.array(rows), np.array(FOCAL)) for rows in product(MASSES, repeat=n)]


def fuzzy_world(n: int) -> list[FuzzyPartition]:
    """Fuzzy clusterings of n objects in two clusters, with memberships in halves."""
    return [FuzzyPartition([[share, 1 - share] for share in rows]) for rows in product(SHARES, repeat=n)]


def meanings(part: Partition) -> frozenset[tuple[int, ...]]:
    """The hard clusterings that a soft one may stand for, each as labels in the order of appearance."""
    if isinstance(part, EvidentialPartition):
        focal = np.asarray(part.focal_sets)
        choices = [_labels(np.any(focal[np.asarray(row) > 0], axis=0)) for row in np.asarray(part.masses)]
    elif isinstance(part, RoughPartition):
        choices = [_labels(row) for row in np.asarray(part.possible)]
    else:
        choices = [_labels(row) for row in np.asarray(part.memberships()) > 0]
    return frozenset(_in_order(labels) for labels in product(*choices))


def _labels(possible: Any) -> tuple[int, ...]:
    return tuple(np.flatnonzero(possible).tolist())


@cache
def _in_order(labels: tuple[int, ...]) -> tuple[int, ...]:
    places: dict[int, int] = {}
    return tuple(places.setdefault(label, len(places)) for label in labels)


def matrices(
    parts: Sequence[Partition], base: str, *, both_ways: bool, beliefs: bool = False
) -> tuple[Array, Array, Array]:
    """Lower and upper (expected) distance of every two, and where asked for the belief that it is 0.

    Without ``both_ways`` each pair is computed in one order only.
    """
    size = len(parts)
    lower, upper, sure = (np.zeros((size, size)) for _ in range(3))
    for i, one in enumerate(parts):
        for j in range(0 if both_ways else i, size):
            got = distribution(one, parts[j], DISTANCES[base], law=beliefs, random_state=0)
            ends = _as_distance(got, base)
            lower[i, j], upper[i, j] = ends
            if beliefs:
                sure[i, j] = got.belief(0.0) if base == "PD" else 1 - got.plausibility(1.0 - 1e-6)
            if not both_ways:
                lower[j, i], upper[j, i], sure[j, i] = lower[i, j], upper[i, j], sure[i, j]
    return lower, upper, sure


def _as_distance(got: Any, base: str) -> tuple[float, float]:
    return (got.lower, got.upper) if base == "PD" else (1 - got.upper, 1 - got.lower)


def triangle_excess(distances: Array) -> float:
    """By how much the triangle inequality is missed at worst; 0 or less where it holds."""
    return max(
        float((distances - (distances[:, [via]] + distances[[via], :])).max())
        for via in range(len(distances))
    )
