"""The mean gap of every pair of objects with every pair, for many sets of weights of the objects."""

from __future__ import annotations

import numpy as np

from partita.arrays import Array, Floats, blocks
from partita.partitions import Partition
from partita.statistics.pairs.coassociation_factors import shares

__all__ = ["mean_gaps_by_chance"]

_VALUES_AT_ONCE = 1 << 21


def mean_gaps_by_chance(truth: Partition, found: Partition, weights: Array, *, distances: bool) -> Floats:
    """For each set of weights ``(s, n)`` the mean of |x - y| over all pairs x of one side and y of the other.

    A pair has how far its objects are together, or half the L1 distance of their memberships. Values are
    sorted once for all sets: the mean is the integral of F (1 - G) + G (1 - F), F and G being the shares of
    pairs of either side up to a value. Copies of an object are pairs too.
    """
    i, j = np.triu_indices(truth.n_objects)
    pooled = np.concatenate([_of_pairs(shares(p), i, j, distances=distances) for p in (truth, found)])
    order = np.argsort(pooled, kind="stable")
    steps = np.diff(pooled[order])
    place = order % i.size
    of_truth = order < i.size
    made = np.empty(len(weights))
    for sets in blocks(len(weights), max(1, _VALUES_AT_ONCE // pooled.size)):
        some = weights[sets].astype(np.float64)
        counts = some[:, i] * some[:, j]
        own = i == j
        counts[:, own] = some * (some - 1.0) / 2.0
        counts /= counts.sum(axis=1, keepdims=True)
        sorted_counts = counts[:, place]
        f = np.cumsum(sorted_counts * of_truth, axis=1)[:, :-1]
        g = np.cumsum(sorted_counts * ~of_truth, axis=1)[:, :-1]
        made[sets] = (f + g - 2.0 * f * g) @ steps
    return made


def _of_pairs(rows: Floats, i: Array, j: Array, *, distances: bool) -> Floats:
    if distances:
        return np.asarray(np.abs(rows[i] - rows[j]).sum(axis=1) / 2.0)
    return np.asarray((rows[i] * rows[j]).sum(axis=1))
