"""Typicalities of two clusterings over pairs of objects: gaps in how far these are together, and apart."""

from __future__ import annotations

import math

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import Partition
from partita.statistics.pairs.coassociation_factors import shares
from partita.statistics.pairs.coassociation_sums import signed
from partita.statistics.pairs.object_pairs import sum_over_pairs
from partita.statistics.protocol import OnBlock
from partita.statistics.tables.counting import FAINT_MEMBERSHIPS


def typicalities(truth: Partition, found: Partition) -> tuple[Array, Array]:
    """The rows of both sides, times a common power of two where all are so small that products are lost.

    Sums over pairs then have a common factor, which no ratio of them depends on.
    """
    exponent = faint_exponent(largest_membership(truth, found))
    u, v = shares(truth), shares(found)
    return (np.ldexp(u, -exponent), np.ldexp(v, -exponent)) if exponent else (u, v)


def largest_membership(truth: Partition, found: Partition, weight: Array | None = None) -> float:  # noqa: ARG001
    """The largest membership or typicality of both sides."""
    return max(float(shares(side).max(initial=0.0)) for side in (truth, found))


def faint_exponent(largest: float) -> int:
    """The power of two that is taken out where all memberships are so small that products are lost."""
    return math.frexp(largest)[1] if 0.0 < largest < FAINT_MEMBERSHIPS else 0


def typicality_sums(
    truth: Partition,
    found: Partition,
    weight: Array | None,
    split: int | None = None,
    *,
    exponent: int,
    on_block: OnBlock = None,
) -> Floats:
    """Over all pairs, see `sum_over_pairs`: gaps in how far they are together, and apart; r_i r_j of both."""
    u, v = (np.ldexp(shares(side), -exponent) for side in (truth, found))
    sums = [rows.sum(axis=1) for rows in (u, v)]
    left, right = signed(u, v)
    left_sums, right_sums = signed(sums[0][:, None], sums[1][:, None])

    def of_tile(i: slice, j: slice) -> list[Floats]:
        together = left[i] @ right[j].T
        return [np.abs(together), np.abs(left_sums[i] @ right_sums[j].T - together)]

    gaps = sum_over_pairs(of_tile, truth.n_objects, weight, on_block, split)
    return np.concatenate([gaps, [_sum_of_products(r, weight, split) for r in sums]])


def _sum_of_products(r: Floats, weight: Array | None, split: int | None) -> float:
    """The sum of r_i r_j over all pairs, copies counted; nothing is subtracted, so that nothing cancels."""
    if not r.size:
        return 0.0
    each = np.ones(r.size) if weight is None else weight.astype(np.float64)
    weighed = each * r
    if split is not None:
        return float(weighed[:split].sum() * weighed[split:].sum())
    between = float(weighed[1:] @ np.cumsum(weighed)[:-1])
    return between + float(each @ ((each - 1.0) * r * r)) / 2.0
