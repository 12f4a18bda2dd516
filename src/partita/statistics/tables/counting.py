"""The table of one block of objects: labels counted, memberships multiplied."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import COMPILED_FROM, MOST_DENSE_CELLS, Array, is_sparse, one_hot
from partita.errors import PartitionError, TooLargeError
from partita.partitions import POSSIBILISTIC, HardPartition, MembershipPartition, Partition

DENSE_CELLS = 1 << 16
"""Cells up to which a table is dense whatever the number of objects."""

FAINT = 2.0**-500
"""Sums of products below this may have lost digits, or all of them."""

FAINT_MEMBERSHIPS = 2.0**-250
"""Memberships of at least this have products that are not faint."""


def stay_sparse(truth: Partition, found: Partition) -> bool:
    """Whether each side is hard or given by its filled cells, and one is soft."""
    soft = [p for p in (truth, found) if not isinstance(p, HardPartition)]
    return bool(soft) and all(isinstance(p, MembershipPartition) and is_sparse(p.values) for p in soft)


def count_labels(truth: HardPartition, found: HardPartition, weight: Array | None) -> Any:
    """The table of two blocks of labels: dense while it is not larger than the block, else sparse."""
    rows, columns = truth.span, found.span
    n = truth.n_objects
    if rows * columns > max(DENSE_CELLS, n):
        return _count_sparse(truth, found, weight)
    a, b = _integer_block(truth), _integer_block(found)
    if weight is None and n >= COMPILED_FROM and rows * columns <= DENSE_CELLS:
        from partita.kernels.labels import count_pairs

        table, strays, _ = count_pairs(a, b, truth.low, found.low, rows, columns)
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
    assert isinstance(truth, MembershipPartition)
    assert isinstance(found, MembershipPartition)
    cells = truth.n_clusters * found.n_clusters
    if not stay_sparse(truth, found) and cells > MOST_DENSE_CELLS:
        raise TooLargeError(
            "the table of these clusterings would not fit.",
            got=f"{truth.n_clusters} x {found.n_clusters} clusters",
            need=f"at most {MOST_DENSE_CELLS} cells",
            fix="both memberships as CSR matrices, if most of them are 0",
        )
    if not (is_sparse(truth.values) or is_sparse(found.values)):
        u = truth.values if weight is None else truth.values * weight[:, None]
        return _product(u, found.values)
    u, v = _block(truth), _block(found)
    if weight is not None:
        u = u.multiply(weight[:, None]).tocsr() if is_sparse(u) else u * weight[:, None]
    if is_sparse(u) and is_sparse(v):
        product = u.T @ v
        dense = product.shape[0] * product.shape[1] <= DENSE_CELLS
        return product.toarray() if dense else product.tocsr()
    return np.asarray((v.T @ u).T if is_sparse(v) else u.T @ v)


def _product(u: Array, v: Array) -> Array:
    """U'V in double precision."""
    if u.dtype == v.dtype == np.float32:
        from partita.kernels.products import products_of_single

        return np.asarray(products_of_single(*map(np.ascontiguousarray, (u, v))))
    return np.asarray(u.astype(np.float64, copy=False).T @ v.astype(np.float64, copy=False))


def scaled_products(truth: Partition, found: Partition, weight: Array | None) -> tuple[Any, int]:
    """U'WV of one block without a power of two, and its exponent: 0 unless typicalities are tiny.

    Each object is brought to a largest typicality of about one on both sides, and then to its share of the
    largest product, so that only what counts for nothing beside the rest is lost.
    """
    product = sum_products(truth, found, weight)
    if POSSIBILISTIC not in (truth.kind, found.kind) or largest_of(product) >= FAINT or not truth.n_objects:
        return product, 0
    (u, own), (v, others) = (_of_unit_size(p) for p in (truth, found))
    exponent = int((own + others).max())
    share = np.ldexp(1.0, np.maximum(own + others - exponent, -2000))
    share = share if weight is None else share * weight
    u = u.multiply(share[:, None]).tocsr() if is_sparse(u) else u * share[:, None]
    scaled = (v.T @ u).T if is_sparse(v) and not is_sparse(u) else u.T @ v
    if not is_sparse(product):
        return np.asarray(scaled.toarray() if is_sparse(scaled) else scaled), exponent
    return csr_of(scaled), exponent


def csr_of(matrix: Any) -> Any:
    """The same matrix, of filled cells only."""
    from scipy.sparse import csr_array

    return csr_array(matrix)


def largest_of(table: Any) -> float:
    """The largest cell; 0 where there is none."""
    cells = table.data if is_sparse(table) else table
    return float(cells.max(initial=0.0))


def is_faint(partition: Partition) -> bool:
    """Whether products of its typicalities with those of another may be lost."""
    if partition.kind is not POSSIBILISTIC or not partition.n_objects:
        return False
    return float(_largest_in_rows(partition.memberships()).min()) < FAINT_MEMBERSHIPS


def _largest_in_rows(values: Any) -> Array:
    rows = values.max(axis=1)
    return np.asarray(rows.toarray().ravel() if is_sparse(values) else rows)


def _of_unit_size(partition: Partition) -> tuple[Any, Array]:
    """Memberships with a largest one between 1/2 and 1 in each row, and the exponents left away."""
    if isinstance(partition, HardPartition):
        labels = partition.values.astype(np.int64) - partition.low
        return one_hot(labels, partition.span), np.zeros(labels.size, dtype=np.int64)
    values = _block(partition)
    exponent = np.frexp(np.asarray(_largest_in_rows(values), dtype=np.float64))[1].astype(np.int64)
    if not is_sparse(values):
        return np.ldexp(values, -exponent[:, None]), exponent
    scaled = values.tocsr().astype(np.float64)
    scaled.data = np.ldexp(scaled.data, -np.repeat(exponent, np.diff(scaled.indptr)))
    return scaled, exponent


def _grouped_sums(hard: HardPartition, values: Any, weight: Array | None) -> Any:
    """For each label the (weighted) sum of the rows of ``values``: the table with a hard side."""
    labels = hard.values.astype(np.int64) - hard.low
    if is_sparse(values):
        each = values if weight is None else values.multiply(weight[:, None]).tocsr()
        product = one_hot(labels, hard.span).T @ each
        return product.toarray() if hard.span * values.shape[1] <= DENSE_CELLS else product.tocsr()
    k = values.shape[1]
    weighted = values if weight is None else values * weight[:, None]
    keys = (labels * k)[:, None] + np.arange(k)
    return np.bincount(keys.ravel(), weights=weighted.ravel(), minlength=hard.span * k).reshape(hard.span, k)


def _block(partition: Partition) -> Any:
    assert isinstance(partition, MembershipPartition)
    return partition.block(slice(None))
