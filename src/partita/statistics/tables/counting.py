"""The table of one block of objects: labels counted, memberships multiplied."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import COMPILED_FROM, Array, is_sparse
from partita.errors import PartitionError
from partita.partitions import HardPartition, MembershipPartition, Partition

DENSE_CELLS = 1 << 16
"""Cells up to which a table is dense whatever the number of objects."""


def count_labels(truth: HardPartition, found: HardPartition, weight: Array | None) -> Any:
    """The table of two blocks of labels: dense while it is not larger than the block, else sparse."""
    rows, columns = truth.span, found.span
    n = truth.n_objects
    if rows * columns > max(DENSE_CELLS, n):
        return _count_sparse(truth, found, weight)
    a, b = _integer_block(truth), _integer_block(found)
    if weight is None and n >= COMPILED_FROM and rows * columns <= DENSE_CELLS:
        from partita.kernels.labels import count_pairs

        table, strays = count_pairs(a, b, truth.low, found.low, rows, columns)
        if strays:
            raise _labels_changed(strays)
        return table
    keys = (a.astype(np.int64) - truth.low) * columns + (b - found.low)
    if weight is None:
        return np.bincount(keys, minlength=rows * columns).reshape(rows, columns)
    sums = np.zeros(rows * columns, dtype=weight.dtype)
    np.add.at(sums, keys, weight)
    return sums.reshape(rows, columns)


def _labels_changed(strays: int) -> PartitionError:
    return PartitionError(
        "labels changed after the partition was made.",
        got=f"{strays} labels outside the range they had then",
        need="arrays that stay as they are; a partition looks at the caller's labels, it does not copy many",
        fix="make the partition from a copy: as_partition(labels.copy())",
    )


def _count_sparse(truth: HardPartition, found: HardPartition, weight: Array | None) -> Any:
    from scipy.sparse import csr_array

    columns = found.span
    a = _integer_block(truth).astype(np.int64) - truth.low
    b = _integer_block(found).astype(np.int64) - found.low
    keys, place, times = np.unique(a * columns + b, return_inverse=True, return_counts=True)
    if weight is not None:
        times = np.zeros(keys.size, dtype=weight.dtype)
        np.add.at(times, place, weight)
    return csr_array((times, (keys // columns, keys % columns)), shape=(truth.span, columns))


def _integer_block(partition: HardPartition) -> Array:
    values = partition.values
    return values if values.dtype in (np.int64, np.int32) else values.astype(np.int64)


def sum_products(truth: Partition, found: Partition, weight: Array | None) -> Any:
    """U'WV of one block."""
    if isinstance(truth, HardPartition):
        return _grouped_sums(truth, _block(found), weight)
    if isinstance(found, HardPartition):
        return _grouped_sums(found, _block(truth), weight).T
    u, v = _block(truth), _block(found)
    if weight is not None:
        u = u.multiply(weight[:, None]).tocsr() if is_sparse(u) else u * weight[:, None]
    if is_sparse(u) and is_sparse(v):
        product = u.T @ v
        dense = product.shape[0] * product.shape[1] <= DENSE_CELLS
        return product.toarray() if dense else product.tocsr()
    if is_sparse(v):
        return np.asarray((v.T @ u).T)
    return np.asarray(u.T @ v)


def _grouped_sums(hard: HardPartition, values: Any, weight: Array | None) -> Any:
    """For each label the (weighted) sum of the rows of ``values``: the table with a hard side."""
    labels = hard.values.astype(np.int64) - hard.low
    if is_sparse(values):
        from scipy.sparse import csr_array

        n = labels.size
        ones = np.ones(n) if weight is None else weight.astype(np.float64)
        one_hot = csr_array((ones, (labels, np.arange(n))), shape=(hard.span, n))
        product = one_hot @ values
        return product.toarray() if hard.span * values.shape[1] <= DENSE_CELLS else product.tocsr()
    k = values.shape[1]
    weighted = values if weight is None else values * weight[:, None]
    keys = (labels * k)[:, None] + np.arange(k)
    return np.bincount(keys.ravel(), weights=weighted.ravel(), minlength=hard.span * k).reshape(hard.span, k)


def _block(partition: Partition) -> Any:
    assert isinstance(partition, MembershipPartition)
    return partition.block(slice(None))
