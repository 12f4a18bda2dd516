"""Sums over all pairs of objects of sparse co-associations, from the filled cells of the memberships alone.

With a = <u_i, u_j> and b = <v_i, v_j>, the sum of a b over all ordered pairs is the squared Frobenius norm
of U'V, and that of a the squared length of U'1; the pairs of an object with itself are taken out again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import (
    Array,
    Floats,
    divided_by_row_sums,
    map_blocks,
    one_hot,
    same_columns,
    stacked,
)
from partita.partitions import HardPartition, Partition

CELLS_AT_ONCE = 1 << 22
"""Filled cells of products of clusters that a thread holds at a time."""

_OFF = 1e-12  # sums of memberships that are off by more are not those of rows that were made to sum to one


class PairSums(NamedTuple):
    """Sums over all ordered pairs of objects, with themselves, and over the objects' own pairs alone.

    Those of a, b, ab, aa, bb in this order.
    """

    n: float
    everywhere: Floats
    own: Floats


@dataclass(frozen=True, eq=False)
class SparseRows:
    """The memberships of all objects in two clusterings, as CSR arrays in the parts that they came in.

    Attributes
    ----------
    truth, found : tuples of CSR arrays
        Rows that sum to one; columns are those of all parts.
    weights : tuple of arrays
        How much each object counts.
    """

    truth: tuple[Any, ...]
    found: tuple[Any, ...]
    weights: tuple[Floats, ...]

    @classmethod
    def of(cls, truth: Partition, found: Partition, weight: Array | None) -> SparseRows:
        """The rows of one block of objects."""
        each = np.ones(truth.n_objects) if weight is None else weight.astype(np.float64)
        return cls((rows_summing_to_one(truth),), (rows_summing_to_one(found),), (each,))

    def joined(self, other: SparseRows) -> SparseRows:
        """The rows of both, which have the same columns."""
        return SparseRows(self.truth + other.truth, self.found + other.found, self.weights + other.weights)

    def with_columns(self, truth: tuple[Sequence[int], int], found: tuple[Sequence[int], int]) -> SparseRows:
        """The same with the columns of each side at these places among so many."""
        sides = [
            tuple(_placed(part, *places) for part in side)
            for side, places in ((self.truth, truth), (self.found, found))
        ]
        return SparseRows(sides[0], sides[1], self.weights)

    @cached_property
    def sides(self) -> tuple[Any, Any]:
        """The rows of each side in one piece, times the roots of what objects count."""
        root = np.sqrt(np.concatenate(self.weights))
        whole = stacked(self.truth), stacked(self.found)
        if (root == 1.0).all():
            return whole
        return _times(whole[0], root), _times(whole[1], root)

    @cached_property
    def sums(self) -> PairSums:
        """What products over all pairs come to."""
        u, v = self.sides
        each = np.concatenate(self.weights)
        safe = np.where(each > 0, each, 1.0)
        own = [_squared_lengths(side) / safe for side in (u, v)]  # roots of weights are in twice
        sizes = [side.T @ np.sqrt(each) for side in (u, v)]
        turned = [side.T.tocsr() for side in (u, v)]
        products = [_squared_norm(turned[i], side) for i, side in ((0, v), (0, u), (1, v))]
        return PairSums(
            float(each.sum()),
            np.array([*(float(size @ size) for size in sizes), *products]),
            np.array([each @ own[0], each @ own[1], *(each @ (own[i] * own[j]) for i, j in _PRODUCTS)]),
        )

    @cached_property
    def filled(self) -> tuple[Array, Array]:
        """The clusters of each side that are not empty."""
        truth, found = (np.unique(side.indices[side.data > 0]) for side in self.sides)
        return truth, found

    def are_same(self, tolerance: float) -> bool:
        """Whether each cluster of one side is one of the other, up to empty ones."""
        if self.filled[0].size != self.filled[1].size:
            return False
        truth, found = (side[:, filled] for side, filled in zip(self.sides, self.filled, strict=True))
        return same_columns(truth, found, tolerance, 2)


_PRODUCTS = ((0, 1), (0, 0), (1, 1))


def rows_summing_to_one(partition: Partition) -> Any:
    """Sparse memberships, or labels, as a CSR array in double precision whose rows sum to one."""
    if isinstance(partition, HardPartition):
        return one_hot(partition.values.astype(np.int64) - partition.low, partition.span)
    rows = partition.memberships().astype(np.float64, copy=False)
    off = np.abs(np.asarray(rows.sum(axis=1)).ravel() - 1.0).max(initial=0.0) > _OFF
    return divided_by_row_sums(rows) if off else rows


def _placed(part: Any, places: Sequence[int], width: int) -> Any:
    from scipy.sparse import csr_array

    columns = np.asarray(places, dtype=np.int64)[part.indices]
    return csr_array((part.data, columns, part.indptr), shape=(part.shape[0], width))


def _times(rows: Any, each: Floats) -> Any:
    from scipy.sparse import csr_array

    data = rows.data * np.repeat(each, np.diff(rows.indptr))
    return csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


def _squared_lengths(rows: Any) -> Floats:
    return np.asarray(rows.multiply(rows).sum(axis=1)).ravel()


def _squared_norm(turned: Any, side: Any) -> float:
    """The squared Frobenius norm of a product, some of its rows at a time so that it is never held."""
    cells = int(np.diff(side.indptr)[turned.indices].sum())  # before those of one place are added up
    rows = max(1, turned.shape[0] * CELLS_AT_ONCE // max(cells, 1))

    def of_rows(part: slice) -> float:
        cells = (turned[part] @ side).data
        return float(cells @ cells)

    return float(np.sum(map_blocks(of_rows, turned.shape[0], rows)))
