"""Sparse objects sorted by cluster: Euclidean and cosine distances between them by sparse products."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, blocks, dense, is_sparse, one_hot
from partita.errors import ParameterError
from partita.partitions import HardPartition
from partita.statistics.clusters.sparse_data import AT_RISK, BLOCK_CELLS, rows_of_values, squared_lengths
from partita.statistics.distances.objects_by_cluster import TILE_CELLS, ObjectsByCluster, known_metric
from partita.statistics.protocol import ALL_VALUES

LINEAR_METRICS = ("cosine", "sqeuclidean")
SPARSE_METRICS = (*LINEAR_METRICS, "euclidean")

ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""A mean of cosine distances below this is one that rounding alone can make: all point the same way."""

DENSE_SUMS = 1 << 24
"""Sums (clusters x features) that are written out, since products with them are then faster: 128 MiB."""


def is_linear(metric: str) -> bool:
    """Whether the sum of the distances to a cluster is known from the sum of its objects."""
    return known_metric(metric) in LINEAR_METRICS


def why_not_of_metric(metric: str) -> str:
    """Why sparse data must be written out for this metric, or nothing."""
    return "" if known_metric(metric) in SPARSE_METRICS else f"{ALL_VALUES} for the metric {metric!r}"


def sorted_by_cluster(X: Any, found: HardPartition, weight: Array | None, metric: str) -> ObjectsByCluster:
    """The objects by cluster, of data that are dense or sparse."""
    kind = SparseObjects if is_sparse(X) else ObjectsByCluster
    return kind.of(X, found, weight, metric)


class SparseObjects(ObjectsByCluster):
    """The same of sparse data, in order, as a CSR array; rows of length one where the metric is the cosine.

    The sum over a cluster of 1 - <x, y> is the number of its objects minus <x, s>, s being their sum; that of
    |x - y|^2 is n |x|^2 - 2 <x, s> + q, q being the sum of |y|^2. So no pair of objects is looked at for the
    cosine and for squared distances. The others come in tiles of <x, y>. Squared distances that are small
    beside the lengths that they come from are taken again, from the differences of the two rows.
    """

    X: Any

    @staticmethod
    def _check(X: Any, metric: str, n: int) -> None:  # noqa: ARG004
        lengths = squared_lengths(X)
        if metric == "cosine" and not lengths.all():
            zero = np.flatnonzero(lengths == 0)
            raise ParameterError(
                "the metric 'cosine' has no value for a row of zeros.",
                got=f"{zero.size} rows of zeros, the first of them row {zero[0]}",
                need="a value that is not 0 in each row",
                fix='leave these objects out, or metric="euclidean"',
            )

    @staticmethod
    def _in_order(X: Any, metric: str, order: Array) -> Any:
        ordered = X[order]
        if metric == "cosine":
            ordered.data = ordered.data / np.sqrt(squared_lengths(ordered))[rows_of_values(ordered)]
        return ordered

    def is_compiled(self, rows: int) -> bool:  # noqa: ARG002
        """No loop is compiled for sparse rows."""
        return False

    def _get_ready(self, rows: int, of_sums: bool) -> None:  # noqa: ARG002
        _ = self._sums if of_sums and is_linear(self.metric) else (self._turned, self._lengths)

    def _width(self, rows: int, of_sums: bool) -> int:  # noqa: ARG002
        return self.k if of_sums and is_linear(self.metric) else self.n

    @cached_property
    def _lengths(self) -> Floats:
        return squared_lengths(self.X)

    @cached_property
    def _turned(self) -> Any:
        return self.X.T.tocsr()

    @cached_property
    def _sums(self) -> tuple[Any, Floats]:
        """The weighted sums of the objects of each cluster, features by clusters, and of their squares."""
        members = one_hot(self.codes, self.k).T.tocsr()
        members.data = self.weight[members.indices]
        sums = (members @ self.X).T.tocsr()
        squares = np.asarray(np.bincount(self.codes, self.weight * self._lengths, self.k), dtype=np.float64)
        return sums.toarray() if sums.shape[0] * sums.shape[1] <= DENSE_SUMS else sums, squares

    def sums_of(self, rows: Array, compiled: bool) -> Floats:
        """The weighted sums of the distances of some objects to the objects of each cluster, ``(m, k)``."""
        if not is_linear(self.metric):
            return super().sums_of(rows, compiled)
        sums, squares = self._sums
        products = dense(self.X[rows] @ sums)
        if self.metric == "cosine":
            apart = self.sizes - products
            return np.where(apart > ROUNDING * self.sizes, apart, 0.0)
        lengths = np.multiply.outer(self._lengths[rows], self.sizes) + squares
        made: Floats = lengths - 2.0 * products
        again = np.flatnonzero((made < AT_RISK * lengths).any(axis=1))
        for part in blocks(again.size, max(1, TILE_CELLS // self.n)):
            some = again[part]
            made[some] = super().sums_of(rows[some], compiled)
        return made

    def distances(self, rows: Any, to: Floats | None = None) -> Floats:  # noqa: ARG002
        """The distances of some objects to all."""
        lengths = np.add.outer(self._lengths[rows], self._lengths)
        made: Floats = lengths - 2.0 * dense(self.X[rows] @ self._turned)
        near, others = np.nonzero(made < AT_RISK * lengths)
        for part in blocks(near.size, BLOCK_CELLS // 16):
            i, j = np.asarray(rows)[near[part]], others[part]
            gaps = self.X[i] - self.X[j]
            made[near[part], j] = squared_lengths(gaps.tocsr())
        if self.metric == "cosine":
            return made / 2.0  # rows have length one
        return made if self.metric == "sqeuclidean" else np.sqrt(made)
