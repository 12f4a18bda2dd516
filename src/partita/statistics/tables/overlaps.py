"""How much membership two clusterings share, cluster by cluster, and the best pairing by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from partita.arrays import BLOCK_ROWS, Array, Floats, blocks, dense, divided_by_row_sums, is_sparse
from partita.partitions import FUZZY, HARD, FuzzyPartition, HardPartition, Kind, Partition
from partita.statistics.protocol import Additive
from partita.statistics.tables.contingency import Contingency
from partita.statistics.tables.counting import DENSE_CELLS, count_labels, csr_of, sum_products
from partita.statistics.tables.matchings import is_too_large_to_pair, matching_score

_CELLS_AT_ONCE = 1 << 21
_SPARSE = 0.25  # of all cells of the table: a pair of filled cells costs as much as some cells of an array


@dataclass(frozen=True, eq=False)
class SharedMemberships(Additive):
    """For each true and found cluster the sum over objects of the smaller membership.

    Attributes
    ----------
    table : Contingency
        The sums as the raw cells of a table (of a stack of tables, for hard ones). With a hard side they
        are those of the contingency table itself.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})

    table: Contingency

    @staticmethod
    def block_rows(truth: Partition, found: Partition) -> int:
        """How many objects one block holds."""
        return Contingency.block_rows(truth, found) if HARD in (truth.kind, found.kind) else BLOCK_ROWS

    @classmethod
    def zero(cls) -> SharedMemberships:
        """The sums over no objects."""
        return cls(Contingency.zero())

    @classmethod
    def from_table(cls, table: Contingency) -> SharedMemberships:
        """The sums of two hard clusterings, or of a stack of pairs of them."""
        return cls(table)

    @classmethod
    def from_block(cls, truth: Partition, found: Partition, weight: Array | None = None) -> SharedMemberships:
        """The sums over one block of objects."""
        rows, columns = summing_to_one(truth), summing_to_one(found)
        if isinstance(rows, HardPartition) and isinstance(columns, HardPartition):
            raw = count_labels(rows, columns, weight)
        elif HARD in (truth.kind, found.kind):  # the smaller of x and 0 or 1 is their product
            raw = sum_products(rows, columns, weight)
        else:
            raw = _smaller_memberships(rows.memberships(), columns.memberships(), weight)
        total = truth.n_objects if weight is None else weight.sum()
        return cls(Contingency(raw, total, (truth.kind, found.kind), truth.row_names, found.row_names))

    def __add__(self, other: SharedMemberships) -> SharedMemberships:
        """The sums over both sets of objects; clusters are matched by name."""
        return SharedMemberships(self.table + other.table)

    @property
    def kinds(self) -> tuple[Kind, Kind]:
        """The kinds of truth and found."""
        return self.table.kinds

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; () for one table."""
        return self.table.shape

    @property
    def n(self) -> Floats:
        """The number of objects (sum of weights)."""
        return self.table.n

    @property
    def most_clusters(self) -> Array:
        """The larger number of clusters that are not empty."""
        return np.maximum(self.table.n_rows, self.table.n_columns)

    @cached_property
    def best_total(self) -> Floats:
        """The largest sum that a pairing of clusters, each with at most one, can reach."""
        if self.table.is_sparse or self.table.raw.dtype.kind in "iu":
            return matching_score(self.table, "overlap", "optimal", None)
        best = [_paired(self.table.raw[place]) for place in np.ndindex(self.shape)]
        return np.array(best, dtype=np.float64).reshape(self.shape)

    @property
    def is_too_large_to_pair(self) -> bool:
        """Whether the best pairing would take too long."""
        return is_too_large_to_pair(self.table)


def _smaller_memberships(u: Any, v: Any, weight: Array | None) -> Any:
    """For each two clusters the weighted sum of the smaller memberships; sparse where a large table is.

    Two sparse rows have as many cells in the table as their filled cells have pairs.
    """
    n, shape = u.shape[0], (u.shape[1], v.shape[1])
    each = np.ones(n) if weight is None else weight.astype(np.float64)
    if is_sparse(u) and is_sparse(v):
        pairs = np.diff(u.indptr).astype(np.int64) * np.diff(v.indptr)
        if pairs.sum() <= _SPARSE * n * shape[0] * shape[1]:
            return _smaller_of_filled(u, v, each, pairs)
    raw = np.zeros(shape)
    for part in blocks(n, max(1, _CELLS_AT_ONCE // shape[1])):
        some, others = dense(u[part]), dense(v[part])
        raw += np.stack([each[part] @ np.minimum(column[:, None], others) for column in some.T])
    return raw if shape[0] * shape[1] <= DENSE_CELLS or not (is_sparse(u) and is_sparse(v)) else csr_of(raw)


def _smaller_of_filled(u: Any, v: Any, each: Floats, pairs: Array) -> Any:
    """The same from the filled cells, the pairs of some objects at a time."""
    from scipy.sparse import coo_array, csr_array

    shape = (u.shape[1], v.shape[1])
    total = csr_array(shape)
    before = np.concatenate([[0], np.cumsum(pairs)])
    start = 0
    while start < pairs.size:
        stop = max(start + 1, int(np.searchsorted(before, before[start] + _CELLS_AT_ONCE, side="right")) - 1)
        counts = pairs[start:stop]
        objects = np.repeat(np.arange(start, stop), counts)
        place = np.arange(objects.size) - np.repeat(before[start:stop] - before[start], counts)
        width = np.diff(v.indptr)[objects]
        rows, columns = u.indptr[objects] + place // width, v.indptr[objects] + place % width
        smaller = each[objects] * np.minimum(u.data[rows], v.data[columns])
        total = total + coo_array((smaller, (u.indices[rows], v.indices[columns])), shape=shape).tocsr()
        start = stop
    return total.toarray() if shape[0] * shape[1] <= DENSE_CELLS else total


def _paired(cells: Array) -> float:
    if 0 in cells.shape:
        return 0.0
    from scipy.optimize import linear_sum_assignment

    return float(cells[linear_sum_assignment(cells, maximize=True)].sum())


def summing_to_one(partition: Partition) -> Partition:
    """Rows exactly as a fuzzy partition means them: they may be off by the precision they came in."""
    if isinstance(partition, HardPartition):
        return partition
    values = partition.memberships()  # raises for the kinds that have none
    made: FuzzyPartition = FuzzyPartition.trusted(divided_by_row_sums(values), partition.names)
    return made
