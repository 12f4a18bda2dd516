"""Scatter of objects around a mean, each counting by its share: a triangle, or its diagonal alone.

Data are (d, n), so that inner loops run over objects side by side in memory, a block of them at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel
from partita.kernels.tiles import BLOCK, TILE, add_tile_of_products


@kernel(fastmath={"contract"})
def subtract(X: Any, low: int, high: int, mean: Any, gaps: Any) -> None:
    """Put how far some objects lie from a mean into ``gaps``, feature by feature."""
    for f in range(mean.size):
        centre, row, gap = mean[f], X[f, low:high], gaps[f]
        for i in range(row.size):
            gap[i] = row[i] - centre


@kernel(fastmath={"contract", "reassoc", "nsz"})
def _add_products(gaps: Any, share: Any, line: Any, products: Any) -> None:
    """Add the products of the last row of gaps with each row, objects counting by their share."""
    size = share.size
    last = gaps[products.size - 1]
    for i in range(size):
        line[i] = share[i] * last[i]
    b = 0
    while b + 4 <= products.size:
        w, x, y, z = gaps[b], gaps[b + 1], gaps[b + 2], gaps[b + 3]
        p, q, r, s = 0.0, 0.0, 0.0, 0.0
        for i in range(size):
            p += line[i] * w[i]
            q += line[i] * x[i]
            r += line[i] * y[i]
            s += line[i] * z[i]
        products[b] += p
        products[b + 1] += q
        products[b + 2] += r
        products[b + 3] += s
        b += 4
    while b < products.size:
        w = gaps[b]
        p = 0.0
        for i in range(size):
            p += line[i] * w[i]
        products[b] += p
        b += 1


@kernel(fastmath={"contract", "reassoc", "nsz"})
def _add_tiles(gaps: Any, share: Any, lines: Any, scatter: Any) -> None:
    """Add the products of each row of gaps with those up to it, four rows at a time while there are.

    Some lie above the diagonal, which nobody reads.
    """
    d, size = gaps.shape[0], share.size
    whole = d - d % TILE
    flat = gaps.reshape(-1)
    for a in range(0, whole, TILE):
        for f in range(TILE):
            own, line = gaps[a + f], lines[f * BLOCK : (f + 1) * BLOCK]
            for i in range(size):
                line[i] = share[i] * own[i]
        for b in range(0, a + TILE, TILE):
            add_tile_of_products(lines, flat, a, b, size, scatter)
    for a in range(whole, d):
        _add_products(gaps, share, lines, scatter[a, : a + 1])


@kernel(fastmath={"contract", "reassoc", "nsz"})
def _add_scatter_of_block(gaps: Any, share: Any, lines: Any, scatter: Any) -> None:
    d, w = scatter.shape
    if w == d and d >= TILE:
        _add_tiles(gaps, share, lines, scatter)
    else:
        for a in range(d):
            first = 0 if w == d else a
            _add_products(gaps[first:], share, lines, scatter[a, : a - first + 1])


@kernel(fastmath={"contract", "reassoc", "nsz"})
def add_scatter(X: Any, share: Any, mean: Any, least: float, scatter: Any) -> None:
    """Add the scatter around a mean of all objects whose share is at least so much.

    Where these are less than half, as in components that lie apart, they are brought together first.
    """
    d, n = X.shape
    gaps, lines = np.empty((d, BLOCK)), np.empty(TILE * BLOCK)
    n_kept = 0
    for i in range(n):
        n_kept += share[i] >= least
    if 2 * n_kept >= n:
        for low in range(0, n, BLOCK):
            high = min(low + BLOCK, n)
            subtract(X, low, high, mean, gaps)
            _add_scatter_of_block(gaps, share[low:high], lines, scatter)
        return
    kept, kept_share = np.empty(BLOCK, np.int64), np.empty(BLOCK)
    size = 0
    for i in range(n):
        if share[i] >= least:
            kept[size], kept_share[size] = i, share[i]
            size += 1
            n_kept -= 1
            if size == BLOCK or n_kept == 0:
                for f in range(d):
                    centre, row, gap = mean[f], X[f], gaps[f]
                    for j in range(size):
                        gap[j] = row[kept[j]] - centre
                _add_scatter_of_block(gaps, kept_share[:size], lines, scatter)
                size = 0
