"""Sums over 0/1 data and one hard clustering: how many ones each cluster has of each feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from partita.arrays import BLOCK_ROWS, Array, dense, is_sparse, one_hot, sorted_names
from partita.errors import ParameterError
from partita.partitions import HARD, HardPartition, Kind
from partita.statistics.clusters.sparse_data import rows_at_once, too_many_centers
from partita.statistics.protocol import Additive


@dataclass(frozen=True, eq=False)
class BinaryCounts(Additive):
    """The sizes of the clusters, and how many ones each has of each feature.

    Attributes
    ----------
    sizes : array (k,)
        The number of objects of each cluster, or the sum of their weights.
    ones : array (k, d)
        How many of them have each feature.
    total : int or float
        The number of objects, or the sum of their weights.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    takes_units: ClassVar[bool] = True
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})
    why_not_sparse = staticmethod(too_many_centers)

    sizes: Array
    ones: Array
    total: Any
    names: Sequence[Any] = field(default=())

    @staticmethod
    def block_rows(X: Array, found: HardPartition) -> int:
        """How many objects one block holds: so many that the counts take no more room than X."""
        if is_sparse(X):
            return rows_at_once(X, found)
        return max(min(BLOCK_ROWS, (1 << 22) // int(X.shape[1])), found.span, 1024)

    @staticmethod
    def check(X: Array) -> None:
        """Refuse data other than 0 and 1."""
        _refuse_other_values(X)

    @classmethod
    def zero(cls) -> BinaryCounts:
        """The counts over no objects."""
        return cls(np.zeros(0), np.zeros((0, 0)), 0)

    @classmethod
    def from_block(cls, X: Any, found: HardPartition, weight: Array | None = None) -> BinaryCounts:
        """The counts over one block of objects; data other than 0 and 1 is refused."""
        _refuse_other_values(X)
        labels = found.values.astype(np.int64) - found.low
        sizes = np.bincount(labels, weights=weight, minlength=found.span).astype(np.float64)
        total = found.n_objects if weight is None else weight.sum()
        if is_sparse(X):
            each = X if weight is None else X.multiply(weight[:, None]).tocsr()
            ones = dense(one_hot(labels, found.span).T @ each)
            return cls(sizes, ones, total, found.row_names)
        ones = np.empty((found.span, X.shape[1]))
        for feature in range(X.shape[1]):
            marks = X[:, feature] if weight is None else X[:, feature] * weight
            ones[:, feature] = np.bincount(labels, weights=marks, minlength=found.span)
        return cls(sizes, ones, total, found.row_names)

    def __add__(self, other: BinaryCounts) -> BinaryCounts:
        """The counts over both sets of objects; clusters are matched by name."""
        if not self.names or not other.names:
            return self if self.names else other
        names = self.names if self.names == other.names else sorted_names({*self.names, *other.names})
        (sizes, ones), (more_sizes, more_ones) = self._with_rows(names), other._with_rows(names)
        return BinaryCounts(sizes + more_sizes, ones + more_ones, self.total + other.total, names)

    def _with_rows(self, names: Sequence[Any]) -> tuple[Array, Array]:
        """Sizes and ones with a row for each of these names."""
        if names == self.names:
            return self.sizes, self.ones
        place = {name: row for row, name in enumerate(names)}
        rows = [place[name] for name in self.names]
        sizes, ones = np.zeros(len(names)), np.zeros((len(names), self.ones.shape[1]))
        sizes[rows], ones[rows] = self.sizes, self.ones
        return sizes, ones

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (HARD,)

    @property
    def is_whole(self) -> bool:
        """Whether objects were counted, not weighed by fractions."""
        return isinstance(self.total, (int, np.integer))

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are not empty."""
        return int((self.sizes > 0).sum())


def _refuse_other_values(X: Any) -> None:
    values = X.data if is_sparse(X) else X
    other = (values != 0) & (values != 1)
    if other.any():
        place = np.argwhere(other)[0]
        row, column = (axis[place[0]] for axis in X.tocoo().coords) if is_sparse(X) else place
        raise ParameterError(
            "stochastic_complexity is defined for 0/1 data.",
            got=f"column {column} of X has the value {X[row, column]:g}",
            need="only 0 and 1",
            fix="code categories as 0/1 columns; for numeric data use bic_partition or partition_negentropy",
        )
