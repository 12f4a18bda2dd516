"""Moments of clusters: weights, means and squared distances to the mean, of one block of labelled data."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel

TILE_ROWS = 2048
"""Rows that are looked at twice while they are in cache."""


def _labelled(rng: np.random.Generator) -> Any:
    X = rng.normal(size=(50, 3)) + 100.0
    for kind in (np.int32, np.int64):
        for weight in (np.zeros(0), rng.random(50)):
            yield rng.integers(2, 6, 50).astype(kind), 2, 5, X, weight


@kernel(work=lambda labels, low, k, X, weight: 2 * X.size, calls=100, reads=(0, 3, 4), examples=_labelled)
def labelled_moments(labels: Any, low: int, k: int, X: Any, weight: Any) -> Any:
    """For each cluster its weight, an object of it, its mean seen from there, and the squares around it.

    Labels lie between ``low`` and ``low + k - 1``; ``weight`` may be empty: every object then counts once.
    Rows are taken in tiles that stay in cache, each twice (first the means, then the squares around them),
    and tiles are joined by Chan's formula. Coordinates are relative to the first object of the cluster, so
    that a large offset costs no digits.

    Returns
    -------
    weights ``(k,)``, origins ``(k, d)``, offsets ``(k, d)``, within ``(k,)``
    """
    n, d = X.shape
    weighted = weight.shape[0] > 0
    weights = np.zeros(k)
    origins = np.zeros((k, d))
    offsets = np.zeros((k, d))
    within = np.zeros(k)
    tile_weights = np.zeros(k)
    tile_sums = np.zeros((k, d))
    tile_squares = np.zeros((k, d))
    rows = max(TILE_ROWS, k)
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        for i in range(start, stop):
            j = labels[i] - low
            w = weight[i] if weighted else 1.0
            if weights[j] == 0.0 and tile_weights[j] == 0.0:
                for f in range(d):
                    origins[j, f] = X[i, f]
            tile_weights[j] += w
            if weighted:
                for f in range(d):
                    tile_sums[j, f] += w * (X[i, f] - origins[j, f])
            else:
                for f in range(d):
                    tile_sums[j, f] += X[i, f] - origins[j, f]
        for j in range(k):
            if tile_weights[j] > 0.0:
                for f in range(d):
                    tile_sums[j, f] /= tile_weights[j]
        for i in range(start, stop):
            j = labels[i] - low
            if weighted:
                for f in range(d):
                    away = X[i, f] - origins[j, f] - tile_sums[j, f]
                    tile_squares[j, f] += weight[i] * away * away
            else:
                for f in range(d):
                    away = X[i, f] - origins[j, f] - tile_sums[j, f]
                    tile_squares[j, f] += away * away
        _join(weights, offsets, within, tile_weights, tile_sums, tile_squares)
    return weights, origins, offsets, within


@kernel(
    work=lambda counted, X, origins: 2 * counted.size * X.shape[1],
    calls=100,
    reads=(0, 1, 2),
    examples=lambda rng: [(rng.random((50, 3)), rng.normal(size=(50, 2)), rng.normal(size=(3, 2)))],
)
def weighted_moments(counted: Any, X: Any, origins: Any) -> Any:
    """The same where object ``i`` counts in every cluster, with ``counted[i, j]``, and origins are given.

    Returns
    -------
    weights ``(k,)``, offsets ``(k, d)``, within ``(k,)``
    """
    n, d = X.shape
    k = counted.shape[1]
    weights = np.zeros(k)
    offsets = np.zeros((k, d))
    within = np.zeros(k)
    tile_weights = np.zeros(k)
    tile_sums = np.zeros((k, d))
    tile_squares = np.zeros((k, d))
    for start in range(0, n, TILE_ROWS):
        stop = min(start + TILE_ROWS, n)
        for i in range(start, stop):
            for j in range(k):
                w = counted[i, j]
                tile_weights[j] += w
                for f in range(d):
                    tile_sums[j, f] += w * (X[i, f] - origins[j, f])
        for j in range(k):
            if tile_weights[j] > 0.0:
                for f in range(d):
                    tile_sums[j, f] /= tile_weights[j]
        for i in range(start, stop):
            for j in range(k):
                w = counted[i, j]
                for f in range(d):
                    away = X[i, f] - origins[j, f] - tile_sums[j, f]
                    tile_squares[j, f] += w * away * away
        _join(weights, offsets, within, tile_weights, tile_sums, tile_squares)
    return weights, offsets, within


@kernel()
def _join(
    weights: Any, offsets: Any, within: Any, tile_weights: Any, tile_means: Any, tile_squares: Any
) -> None:
    """Add a tile to what is known so far by Chan's formula, and clear the tile."""
    k, d = offsets.shape
    for j in range(k):
        if tile_weights[j] > 0.0:
            both = weights[j] + tile_weights[j]
            share = tile_weights[j] / both
            squares = 0.0
            for f in range(d):
                apart = tile_means[j, f] - offsets[j, f]
                squares += tile_squares[j, f] + weights[j] * share * apart * apart
                offsets[j, f] += share * apart
                tile_means[j, f] = 0.0
                tile_squares[j, f] = 0.0
            within[j] += squares
            weights[j] = both
            tile_weights[j] = 0.0
