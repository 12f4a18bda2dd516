"""Sums of products of memberships in single precision, in double precision.

A product of two such numbers is exact in double precision, and rounded in single. To write all of them out
in double precision, for BLAS, takes longer than the sums do: a few rows at a time stay in cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel
from partita.kernels.tiles import BLOCK, TILE, add_tile_of_products


@kernel()
def _write_out(values: Any, low: int, high: int, columns: Any) -> None:
    """Some rows, column by column, `BLOCK` apart; four columns at a time while there are."""
    k = values.shape[1]
    flat = values.reshape(-1)
    whole = k - k % TILE
    for a in range(0, whole, TILE):
        own, place = columns[a * BLOCK : (a + TILE) * BLOCK], low * k + a
        for i in range(high - low):
            own[i], own[i + BLOCK] = flat[place], flat[place + 1]
            own[i + 2 * BLOCK], own[i + 3 * BLOCK] = flat[place + 2], flat[place + 3]
            place += k
    for a in range(whole, k):
        own, place = columns[a * BLOCK : (a + 1) * BLOCK], low * k + a
        for i in range(high - low):
            own[i] = flat[place]
            place += k


def _multiplied(u: Any, v: Any) -> Any:
    return u.astype(np.float64).T @ v.astype(np.float64)


@kernel(
    work=lambda u, v: u.size * v.shape[1],
    reads=(0, 1),
    examples=lambda rng: [tuple(rng.random((9, k), dtype=np.float32) for k in (3, 5))],
    small=_multiplied,
)
def products_of_single(u: Any, v: Any) -> Any:
    """U'V of two blocks of rows in single precision."""
    n, k, k_found = u.shape[0], u.shape[1], v.shape[1]
    # columns of zeros fill the last tiles
    tiles, tiles_found = -(-k // TILE), -(-k_found // TILE)
    left, right = np.zeros(tiles * TILE * BLOCK), np.zeros(tiles_found * TILE * BLOCK)
    sums = np.zeros((tiles * TILE, tiles_found * TILE))
    for low in range(0, n, BLOCK):
        high = min(low + BLOCK, n)
        _write_out(u, low, high, left)
        _write_out(v, low, high, right)
        for a in range(0, tiles * TILE, TILE):
            lines = left[a * BLOCK : (a + TILE) * BLOCK]
            for b in range(0, tiles_found * TILE, TILE):
                add_tile_of_products(lines, right, a, b, high - low, sums)
    return sums[:k, :k_found].copy()
