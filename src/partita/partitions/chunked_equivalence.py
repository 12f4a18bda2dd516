"""Whether clusterings in chunks are the same up to the names of their clusters: told chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from partita.arrays import Array, dense
from partita.arrays.chunked import all_at_once, zipped
from partita.partitions.chunked import ChunkedHard, InChunks
from partita.partitions.chunked_reading import cut_into_chunks
from partita.partitions.conversions import equal_columns
from partita.partitions.partition import Partition

__all__ = ["equivalent_in_chunks", "is_one_to_one", "likeness"]

Likeness = tuple[Array, Array, Array]
"""Which clusters of one side equal which of the other, and which of each side are not empty."""


def equivalent_in_chunks(one: Any, other: Any) -> bool:
    """What `partita.partitions.conversions.equivalent` tells, where one side or both lie in chunks."""
    sizes = next(side.values.sizes for side in (one, other) if isinstance(side, InChunks))
    one, other = (
        side.with_values(side.values.cut_as(sizes))
        if isinstance(side, InChunks)
        else cut_into_chunks(side, sizes)
        for side in (one, other)
    )
    are_hard = [isinstance(side, ChunkedHard) for side in (one, other)]
    if all(are_hard):
        filled, of_other = (np.sort(side.sizes[side.sizes > 0]) for side in (one, other))
        if not np.array_equal(filled, of_other):
            return False
        found = zipped(_partners, one.values, other.values)
        pairs = {pair for partners in found if partners is not None for pair in partners.items()}
        return None not in found and len(pairs) == len(dict(pairs)) == len({label for _, label in pairs})
    if one.kind is not other.kind and not any(are_hard):
        raise all_at_once(f"{one!r} and {other!r}")
    one, other = (side.coded() if isinstance(side, ChunkedHard) else side for side in (one, other))
    return is_one_to_one(zipped(partial(_likeness, one.blank(), other.blank()), one.values, other.values))


def _partners(labels: Array, others: Array) -> dict[Any, Any] | None:
    """The label of the other side that each label of a chunk is always beside; None if it is not one."""
    names, first, place = np.unique(labels, return_index=True, return_inverse=True)
    beside = others[first]
    if not np.array_equal(beside[place], others):
        return None
    return dict(zip(names.tolist(), beside.tolist(), strict=True))


def _likeness(one: Any, other: Any, values: Any, other_values: Any) -> Likeness:
    return likeness(one.holding(values), other.holding(other_values))


def likeness(one: Partition, other: Partition) -> Likeness:
    """Which clusters are equal in a chunk, up to rounding, and which of each side are not empty."""
    u, v = dense(one.memberships()), dense(other.memberships())
    return equal_columns(u, v), np.asarray(u.any(axis=0)), np.asarray(v.any(axis=0))


def is_one_to_one(found: Iterable[Likeness]) -> bool:
    """Whether each cluster of one side is, in every chunk, the same one of the other."""
    alike, of_one, of_other = zip(*found, strict=True)
    filled = [np.logical_or.reduce(side) for side in (of_one, of_other)]
    left = np.logical_and.reduce(alike)[np.ix_(*filled)]
    if left.shape[0] != left.shape[1]:
        return False
    for row in range(len(left)):
        if not left[row].any():
            return False
        left[:, left[row].argmax()] = False  # equality up to rounding is next to transitive
    return True
