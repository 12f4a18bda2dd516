"""How much membership two clusterings share, cluster by cluster, and the best pairing by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from partita.arrays import BLOCK_ROWS, Array, Floats, dense, divided_by_row_sums
from partita.partitions import FUZZY, HARD, FuzzyPartition, HardPartition, Kind, Partition
from partita.statistics.protocol import Additive
from partita.statistics.tables.contingency import Contingency
from partita.statistics.tables.counting import count_labels, sum_products
from partita.statistics.tables.matchings import is_too_large_to_pair, matching_score


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
            u, v = dense(rows.memberships()), dense(columns.memberships())
            each = np.ones(len(u)) if weight is None else weight.astype(np.float64)
            raw = np.stack([each @ np.minimum(column[:, None], v) for column in u.T])
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
