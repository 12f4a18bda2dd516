"""Sparse data around the centres of clusters: distances, and moments, from the values that are not 0.

A squared distance is |x|^2 - 2 x.c + |c|^2, which costs as much as x has values. It is off by a few roundings
of |x|^2 + |c|^2; where it is less than 1/64 of that, it is taken again, feature by feature. So its relative
error is never more than some hundred roundings (about 1e-13), and 0 is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array, Floats, blocks, dense, one_hot
from partita.partitions import HardPartition, Partition

AT_RISK = 2.0**-6
"""Squared distances below this share of the squared lengths that they come from are taken again."""

MOST_CENTER_CELLS = 1 << 25
"""Centres (clusters x features) of sparse data: 256 MiB, of which some copies are held."""

BLOCK_CELLS = 1 << 20
"""Values that are written out at a time: 8 MiB."""

SMALLEST_BLOCK = 1 << 14


def too_many_centers(X: Any, found: Partition, **_options: Any) -> str:
    """Why the centres of sparse data do not fit, or nothing."""
    k, d = _row_count(found), int(X.shape[1])
    if k * d <= MOST_CENTER_CELLS:
        return ""
    return f"has centres of {k} clusters in {d} features, which are not sparse"


def rows_at_once(X: Any, found: Partition) -> int:
    """How many objects one block holds: so many that all blocks' centres take no more room than X."""
    k, n, d = _row_count(found), *map(int, X.shape)
    room = -(-k * d * n // max(int(X.nnz), 1))
    wide = SMALLEST_BLOCK if isinstance(found, HardPartition) else max(256, (1 << 22) // k)
    return max(min(SMALLEST_BLOCK, wide), room)


def _row_count(found: Partition) -> int:
    return found.span if isinstance(found, HardPartition) else found.n_clusters


def values_of_object(X: Any) -> float:
    """How many values an object has that are not 0, on average."""
    return float(X.nnz) / max(int(X.shape[0]), 1)


# --- distances ----------------------------------------------------------------------------------------


def squared_lengths(X: Any) -> Floats:
    """The squared length of each row."""
    return np.asarray(np.bincount(rows_of_values(X), X.data * X.data, X.shape[0]), dtype=np.float64)


def rows_of_values(X: Any) -> Array:
    """The row of each value that is not 0."""
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))


def squared_to_own(X: Any, place: Array, origins: Floats, offsets: Floats) -> Floats:
    """The squared distance of each object to the centre at its place, a point and the way from there."""
    centers = origins + offsets
    rows = rows_of_values(X)
    products = np.bincount(rows, X.data * centers[place[rows], X.indices], X.shape[0])
    lengths = squared_lengths(X) + np.einsum("jf,jf->j", centers, centers)[place]
    made: Floats = lengths - 2.0 * products
    again = np.flatnonzero(made < AT_RISK * lengths)
    made[again] = _one_by_one(X, again, place[again], origins, offsets)
    return made


def squared_to_all(X: Any, origins: Floats, offsets: Floats) -> Floats:
    """The squared distances of all objects to all centres, ``(n, k)``."""
    centers = origins + offsets
    lengths = np.add.outer(squared_lengths(X), np.einsum("jf,jf->j", centers, centers))
    made: Floats = lengths - 2.0 * np.asarray(X @ centers.T)
    rows, columns = np.nonzero(made < AT_RISK * lengths)
    made[rows, columns] = _one_by_one(X, rows, columns, origins, offsets)
    return made


def _one_by_one(X: Any, rows: Array, place: Array, origins: Floats, offsets: Floats) -> Floats:
    """Squared distances feature by feature, as of data that are written out."""
    made = np.empty(rows.size)
    for part in blocks(rows.size, max(1, BLOCK_CELLS // X.shape[1])):
        away = (dense(X[rows[part]]) - origins[place[part]]) - offsets[place[part]]
        made[part] = np.einsum("if,if->i", away, away)
    return made


# --- moments ------------------------------------------------------------------------------------------


def moments_of_labels(X: Any, place: Array, k: int, each: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Weights, origins, offsets and sums of squares within, for the cluster at each place.

    The origin is an object of the cluster. Of a feature, objects with a value are seen from there one by one,
    and the others are all as far from it as 0 is: a large offset costs no digits.
    """
    weights = np.asarray(np.bincount(place, each, k), dtype=np.float64)
    filled, first = np.unique(place, return_index=True)
    origins = np.zeros((k, X.shape[1]))
    origins[filled] = dense(X[first])
    groups = one_hot(place, k).T.tocsr()
    weighed = groups.copy()
    weighed.data = each[groups.indices]
    seen = X.copy()
    seen.data = X.data - origins[place[rows_of_values(X)], X.indices]
    with_value = X.copy()
    with_value.data = np.ones(X.nnz)
    absent = weights[:, None] - dense(weighed @ with_value)
    absent[dense(groups @ with_value) == np.bincount(place, minlength=k)[:, None]] = 0.0
    divisor = np.where(weights > 0, weights, 1.0)[:, None]
    offsets = (dense(weighed @ seen) - absent * origins) / divisor
    within = np.bincount(place, each * squared_to_own(X, place, origins, offsets), k)
    return weights, origins, offsets, np.asarray(within, dtype=np.float64)


def moments_of_weights(X: Any, counted: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The same when each object counts in each cluster; the heaviest object is the origin.

    A centre is off by some roundings of the largest value of the feature.
    """
    weights = counted.sum(axis=0)
    filled = weights > 0
    origins = np.where(filled[:, None], dense(X[counted.argmax(axis=0)]), 0.0)
    sums = np.asarray(X.T @ counted).T
    centers = sums / np.where(filled, weights, 1.0)[:, None]
    offsets = np.where(filled[:, None], centers - origins, 0.0)
    within = np.einsum("ij,ij->j", counted, squared_to_all(X, origins, offsets))
    return weights, origins, offsets, within
