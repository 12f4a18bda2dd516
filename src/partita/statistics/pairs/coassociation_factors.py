"""Memberships of one block of objects as a small factor that holds all their products."""

from __future__ import annotations

import numpy as np

from partita.arrays import Array, blocks, dense, map_blocks
from partita.errors import TooLargeError
from partita.kernels.compilation import has_numba
from partita.partitions import FUZZY, Partition

EXTRA = 3
"""The columns 1, |x|^2 and |y|^2 before those of the clusters."""

_DIGITS_AT_RISK = 1e-3
_ROWS_OF_A_PRODUCT = 8192
_ROWS_IN_CACHE = 2048
_COMPILED_FROM = 4096  # rows; fewer are soon done by array operations
_MOST_COLUMNS = 8192
_FACTORS_AT_ONCE = 128


def shares(partition: Partition) -> Array:
    """Memberships, dense, in double precision; of fuzzy rows, with sums that are one."""
    rows = dense(partition.memberships())
    return with_sums_of_one(rows) if partition.kind is FUZZY else rows


def with_sums_of_one(rows: Array) -> Array:
    """What single precision, or rounding to a few digits, left of them."""
    sums = rows @ np.ones(rows.shape[1])
    return rows if np.abs(sums - 1.0).max() <= 1e-12 else np.asarray(rows / sums[:, None])


def fitting(width: int) -> int:
    """The number of columns of clusters, refused where their products would not fit."""
    if width > _MOST_COLUMNS:
        raise TooLargeError(
            "the products of all pairs of clusters do not fit.",
            got=f"{width} clusters in both clusterings together",
            need=f"at most {_MOST_COLUMNS}, unless both are hard",
            fix="name other indices, or harden() both sides",
        )
    return width


def factor_of(u: Array, v: Array, origins: tuple[Array, Array], weight: Array | None) -> Array:
    """F with F'F = A'WA: from the products while they keep their digits, else by QR, which is slower."""
    n, width = len(u), EXTRA + fitting(u.shape[1] + v.shape[1])
    root = None if weight is None else np.sqrt(weight)
    if n <= width:
        return triangle(_columns(u, v, origins, root, np.empty((n, width))))
    products = np.zeros((width, width))
    some = np.empty((min(n, _ROWS_OF_A_PRODUCT), width))
    for rows in blocks(n, _ROWS_OF_A_PRODUCT):
        part = None if root is None else root[rows]
        columns = _columns(u[rows], v[rows], origins, part, some[: rows.stop - rows.start])
        products += columns.T @ columns
    if loses_digits(products, u.shape[1]):
        return triangle(_columns(u, v, origins, root, np.empty((n, width))))
    return factor_of_products(products)


def factor_of_products(products: Array) -> Array:
    """F with F'F = these products, ``(..., m, m)``; those of a long stack are shared among threads."""
    if products.ndim == 3 and len(products) > _FACTORS_AT_ONCE:
        parts = map_blocks(lambda some: factor_of_products(products[some]), len(products), _FACTORS_AT_ONCE)
        return np.concatenate(parts)
    scale = np.sqrt(np.diagonal(products, axis1=-2, axis2=-1))
    divisor = np.where(scale == 0.0, 1.0, scale)
    values, vectors = np.linalg.eigh(products / (divisor[..., :, None] * divisor[..., None, :]))
    # times a scale of 0 an empty cluster stays empty, whatever rounding made of it
    roots = np.sqrt(np.maximum(values, 0.0))[..., :, None]
    return np.asarray(roots * np.swapaxes(vectors, -1, -2) * scale[..., None, :])


def unweighted_columns(u: Array, v: Array, origins: tuple[Array, Array]) -> Array:
    """The rows (1, |x|^2, |y|^2, x, y) of some objects."""
    width = EXTRA + fitting(u.shape[1] + v.shape[1])
    return _columns(u, v, origins, None, np.empty((len(u), width)))


def _columns(u: Array, v: Array, origins: tuple[Array, Array], root: Array | None, out: Array) -> Array:
    """The rows (1, |x|^2, |y|^2, x, y), times the root of their weight."""
    if len(out) >= _COMPILED_FROM and has_numba():
        from partita.kernels.pair_columns import pair_columns

        sides = (np.ascontiguousarray(side, dtype=np.float64) for side in (u, v, *origins))
        pair_columns(*sides, np.zeros(0) if root is None else root, out)
        return out
    clusters = (slice(EXTRA, EXTRA + u.shape[1]), slice(EXTRA + u.shape[1], None))
    some = min(len(out), _ROWS_IN_CACHE)
    repeated = [np.tile(origin, (some, 1)) for origin in origins]
    for part in blocks(len(out), _ROWS_IN_CACHE):
        here = out[part]
        here[:, 0] = 1.0
        for place, side, given, origin in zip((1, 2), clusters, (u, v), repeated, strict=True):
            here[:, side] = rows = from_origin(given[part], origin[: len(here)])
            here[:, place] = (rows * rows) @ np.ones(rows.shape[1])  # faster than einsum
        if root is not None:
            here *= root[part, None]
    return out


def from_origin(given: Array, origin: Array) -> Array:
    """Memberships as seen from those of one object; rows sum to one, whatever rounding left of that.

    The origin is a row, or that row again for each object: short rows are subtracted far faster that way.
    """
    rows = with_sums_of_one(given) - origin
    rows -= np.dot((rows @ np.ones(rows.shape[1]))[:, None], origin[:1])
    return np.asarray(rows)


def triangle(rows: Array) -> Array:
    """The triangle that has the same products of columns."""
    return np.asarray(np.linalg.qr(rows, mode="r"))


def loses_digits(products: Array, k: int) -> bool:
    """Whether the two sides nearly agree, or one nearly equals its mean: differences would be rounding."""
    u, v = slice(EXTRA, EXTRA + k), slice(EXTRA + k, None)
    square, cross = products[u, u], products[u, v]
    squares = (square**2).sum() + (products[v, v] ** 2).sum()
    if squares - 2.0 * (cross**2).sum() < _DIGITS_AT_RISK * squares:
        return True
    for side in (u, v):
        at_mean = (products[0, side] ** 2).sum() / products[0, 0]
        if np.trace(products[side, side]) - at_mean < _DIGITS_AT_RISK * at_mean:
            return True
    return False
