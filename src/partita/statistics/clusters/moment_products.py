"""Moments of soft clusters by matrix products: all clusters at once, where that costs no digits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.arrays import Array, Floats, blocks

_ROWS_IN_CACHE = 4096
_DIGITS_AT_RISK = 1e-3
"""A scatter that is a smaller share of the squares about the common origin has lost digits to them."""


class Products(NamedTuple):
    """What `partita.statistics.ClusterMoments` holds, of one block; no scatter unless it is asked for."""

    weights: Floats
    sizes: Floats
    origins: Floats
    offsets: Floats
    within: Floats
    scatter: Floats | None


def moments_by_products(
    X: Array, memberships: Floats, weight: Array | None, power: float, *, scatter: bool
) -> Products | None:
    """The moments from one product of what objects count with (1, y, y y'), y being X about its mean.

    That mean is taken from some of the objects: any point among them would do. None where a cluster is so
    narrow beside its distance from there that differences of such sums would have lost digits, or where no
    object among the first few counts in it.
    """
    n, d = X.shape
    k = memberships.shape[1]
    few = X[:: max(1, n // _ROWS_IN_CACHE)]
    here = X[0] + (few - X[0]).mean(axis=0)  # of a constant feature exactly its value
    first = 1 + d
    width = first + (d * (d + 1) // 2 if scatter else 1)
    some = min(n, _ROWS_IN_CACHE)
    columns = np.empty((width, some))  # one feature after the other: long rows are multiplied far faster
    columns[0] = 1.0
    sums, sizes = np.zeros((width, k)), np.zeros(k)
    origins = np.zeros((k, d))
    for rows in blocks(n, some):
        part = columns[:, : rows.stop - rows.start]
        seen = part[1:first]
        np.subtract(X[rows].T, here[:, None], out=seen)
        if scatter:
            _write_products(seen, part[first:])
        else:
            np.multiply(seen, seen).sum(axis=0, out=part[first])
        own = memberships[rows] if weight is None else memberships[rows] * weight[rows, None]
        counted = own if power == 1.0 else memberships[rows] ** power
        if weight is not None and power != 1.0:
            counted *= weight[rows, None]
        if rows.start == 0:
            origins = X[counted.argmax(axis=0)]
            if not (counted.max(axis=0) > 0).all():
                return None
        sums += part @ counted
        sizes += part[0] @ own
    weights = sums[0]
    offsets = (sums[1:first] / weights).T
    if scatter:
        matrices = _as_matrices(sums[first:].T, d)
        matrices -= weights[:, None, None] * offsets[:, :, None] * offsets[:, None, :]
        squares = sums[first:][_diagonal(d)].T
        centred = np.einsum("jff->jf", matrices)
        within = centred.sum(axis=1)
    else:
        matrices = None
        squares = sums[first]
        centred = within = squares - weights * (offsets * offsets).sum(axis=1)
    if not (centred >= _DIGITS_AT_RISK * squares).all() or not (within > 0.0).all():
        return None
    return Products(weights, sizes, origins, (here - origins) + offsets, within, matrices)


def _write_products(seen: Floats, out: Floats) -> None:
    """The products of each feature with itself and all later ones."""
    d, start = len(seen), 0
    for f in range(d):
        np.multiply(seen[f], seen[f:], out=out[start : start + d - f])
        start += d - f


def _diagonal(d: int) -> Array:
    """Where among these products the squares are."""
    return np.concatenate([[0], np.cumsum(np.arange(d, 1, -1))]).astype(np.int64)


def _as_matrices(products: Floats, d: int) -> Floats:
    matrices = np.empty((len(products), d, d))
    rows, columns = np.triu_indices(d)
    matrices[:, rows, columns] = products
    matrices[:, columns, rows] = products
    return matrices
