"""The moments of many pairs of clusterings of the same objects, made together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partita.arrays import Array, dense
from partita.partitions import Partition
from partita.statistics.pairs.coassociation import PairMoments
from partita.statistics.pairs.coassociation_factors import (
    EXTRA,
    fitting,
    from_origin,
    triangle,
    with_sums_of_one,
)

MOST_OBJECTS = 2048
"""Objects up to which many pairs at once are faster than one after the other."""

_CELLS_AT_ONCE = 1 << 21


def pairs_at_once(n_objects: int, n_clusters: int) -> int:
    """How many pairs of clusterings of so many clusters, both sides together, one stack may hold."""
    return max(1, _CELLS_AT_ONCE // (n_objects * (EXTRA + n_clusters)))


def moments_of_pairs(
    truths: Sequence[Partition], founds: Sequence[Partition], weight: Array | None
) -> PairMoments:
    """A stack ``(s,)`` of moments, of truths of one kind with founds of one kind."""
    (places, x, truth_origins), (other_places, y, found_origins) = _side(truths), _side(founds)
    k, others = x.shape[-1], y.shape[-1]
    rows = np.empty((len(truths), truths[0].n_objects, EXTRA + fitting(k + others)))
    rows[..., 0] = 1.0
    rows[..., 1] = (x * x).sum(axis=-1)[places]
    rows[..., 2] = (y * y).sum(axis=-1)[other_places]
    rows[..., EXTRA : EXTRA + k], rows[..., EXTRA + k :] = x[places], y[other_places]
    if weight is not None:
        rows *= np.sqrt(weight)[:, None]
    total = truths[0].n_objects if weight is None else weight.sum()
    return PairMoments(
        factor=triangle(rows),
        total=np.full(len(truths), total),
        kinds=(truths[0].kind, founds[0].kind),
        row_names=range(k),
        column_names=range(others),
        fractional_weights=weight is not None and weight.dtype.kind == "f",
        origins=(truth_origins[places], found_origins[other_places]),
    )


def _side(partitions: Sequence[Partition]) -> tuple[Array, Array, Array]:
    """For each its place among the distinct ones; their memberships as seen from an object, and its own.

    Those with fewer clusters than the largest have empty ones added.
    """
    distinct = {id(p): p for p in partitions}
    place = {key: i for i, key in enumerate(distinct)}
    k = max(p.n_clusters for p in distinct.values())
    rows = np.zeros((len(distinct), partitions[0].n_objects, k))
    origins = np.zeros((len(distinct), k))
    for i, partition in enumerate(distinct.values()):
        given = dense(partition.memberships())
        own = slice(0, given.shape[1])
        origins[i, own] = with_sums_of_one(given[:1])[0]
        rows[i, :, own] = from_origin(given, origins[i, own])
    return np.array([place[id(p)] for p in partitions]), rows, origins
