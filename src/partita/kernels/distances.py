"""Distances between objects: summed to clusters, their ends, and those to an object's own centre.

Objects lie in tiles of `TILE` columns, ``packed[tile, feature, column]`` in one flat array, the last tile
filled up with anything. Two rows are held against a tile at a time, four features at a time: the inner loops
then keep all vector units busy. Sums may be taken in any order (``reassoc``), which the compiler settles
once: it is the same on every thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel

TILE = 256
"""Objects of a tile: with ten features it fits into the nearest cache."""

IN_ANY_ORDER = {"reassoc", "contract", "nnan", "nsz"}


@kernel(fastmath=IN_ANY_ORDER)
def _hold_against_tile(points: Any, i: int, i2: int, packed: Any, at: int, cityblock: bool, out: Any) -> None:
    """Sums over features of the squared or absolute differences of rows i, i2 to the tile that starts at."""
    d = points.shape[1]
    for j in range(2 * TILE):
        out[j] = 0.0
    f = 0
    while f + 4 <= d:
        x = packed[at + f * TILE : at + (f + 4) * TILE]
        a0, a1, a2, a3 = points[i, f], points[i, f + 1], points[i, f + 2], points[i, f + 3]
        b0, b1, b2, b3 = points[i2, f], points[i2, f + 1], points[i2, f + 2], points[i2, f + 3]
        if cityblock:
            for j in range(TILE):
                x0, x1, x2, x3 = x[j], x[TILE + j], x[2 * TILE + j], x[3 * TILE + j]
                out[j] += abs(x0 - a0) + abs(x1 - a1) + abs(x2 - a2) + abs(x3 - a3)
                out[TILE + j] += abs(x0 - b0) + abs(x1 - b1) + abs(x2 - b2) + abs(x3 - b3)
        else:
            for j in range(TILE):
                x0, x1, x2, x3 = x[j], x[TILE + j], x[2 * TILE + j], x[3 * TILE + j]
                out[j] += (
                    (x0 - a0) * (x0 - a0)
                    + (x1 - a1) * (x1 - a1)
                    + (x2 - a2) * (x2 - a2)
                    + (x3 - a3) * (x3 - a3)
                )
                out[TILE + j] += (
                    (x0 - b0) * (x0 - b0)
                    + (x1 - b1) * (x1 - b1)
                    + (x2 - b2) * (x2 - b2)
                    + (x3 - b3) * (x3 - b3)
                )
        f += 4
    while f < d:
        x = packed[at + f * TILE : at + (f + 1) * TILE]
        a0, b0 = points[i, f], points[i2, f]
        if cityblock:
            for j in range(TILE):
                out[j] += abs(x[j] - a0)
                out[TILE + j] += abs(x[j] - b0)
        else:
            for j in range(TILE):
                out[j] += (x[j] - a0) * (x[j] - a0)
                out[TILE + j] += (x[j] - b0) * (x[j] - b0)
        f += 1


def _tiles(rng: np.random.Generator, n: int, d: int) -> tuple[Any, Any, Any]:
    filled = np.zeros((-(-n // TILE) * TILE, d))
    filled[:n] = rng.normal(size=(n, d))
    weight = np.zeros(len(filled))
    weight[:n] = 1.0 + rng.integers(0, 2, n)
    return filled[:n], np.ascontiguousarray(filled.reshape(-1, TILE, d).transpose(0, 2, 1)).ravel(), weight


def _tiled_sums(rng: np.random.Generator) -> Any:
    X, packed, weight = _tiles(rng, 300, 5)
    bounds = np.array([0, 40, 41, 260, 300])
    codes = np.repeat(np.arange(4), np.diff(bounds))
    for cityblock, root in ((False, True), (False, False), (True, False)):
        yield X[35:46], codes[35:46], weight[35:46], packed, weight, bounds, 0, 256, cityblock, root


def _tiled_ends(rng: np.random.Generator) -> Any:
    X, packed, _ = _tiles(rng, 300, 5)
    return [
        (X[:7].astype(kind), packed.astype(kind), np.arange(2), cityblock)
        for cityblock in (False, True)
        for kind in (np.float64, np.float32)
    ]


def _with_own_centres(rng: np.random.Generator) -> Any:
    X, origins, offsets = rng.normal(size=(40, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    for kind in (np.int32, np.int64):
        for weight, cityblock in ((np.zeros(0), True), (rng.random(40), False)):
            rows = rng.integers(1, 5, 40).astype(kind)
            yield X, rows, 1, origins, offsets, weight, cityblock, not cityblock


@kernel(
    work=lambda points, *others: points.size * (others[4][-1] - others[5]),
    calls=10,
    reads=(0, 1, 2, 3, 4, 5),
    examples=_tiled_sums,
    fastmath=IN_ANY_ORDER,
)
def sums_to_clusters(
    points: Any, codes: Any, point_weight: Any, packed: Any, weight: Any, bounds: Any,
    first: int, mirrored: int, cityblock: bool, root: bool,
) -> Any:  # fmt: skip
    """Weighted sums of the distances of some objects to those of each cluster, and the other way round.

    Parameters
    ----------
    points, codes, point_weight : (m, d), (m,), (m,)
        The objects, in the order of their clusters.
    packed, weight : flat, (tiles * TILE,)
        All objects in the same order, in tiles; the weights of those filled up are 0.
    bounds : (k + 1,)
        Where the clusters start among all objects.
    first, mirrored : int
        The first object to look at, and the first whose distances are also summed to the points' clusters.
        Both are starts of tiles, or the end.
    cityblock, root : bool
        Absolute instead of squared differences; the root of their sum.

    Returns
    -------
    sums ``(m, k)`` of each point to each cluster, and ``(c, tiles * TILE - mirrored)`` of each object from
    ``mirrored`` on to each of the ``c`` clusters that the points are of
    """
    m, d = points.shape
    n, k = bounds[-1], bounds.shape[0] - 1
    rows = np.zeros((m, k))
    columns = np.zeros((codes[m - 1] - codes[0] + 1, weight.shape[0] - mirrored))
    out = np.empty(2 * TILE)
    cluster = 0
    for start in range(first, n, TILE):
        stop = min(start + TILE, n)
        while bounds[cluster + 1] <= start:
            cluster += 1
        for i in range(0, m, 2):
            _hold_against_tile(points, i, min(i + 1, m - 1), packed, start * d, cityblock, out)
            if root:
                for j in range(2 * TILE):
                    out[j] = np.sqrt(out[j])
            for r in range(min(2, m - i)):
                distances = out[r * TILE : (r + 1) * TILE]
                at, c = start, cluster
                while at < stop:
                    end = min(bounds[c + 1], stop)
                    part = distances[at - start : end - start]
                    each = weight[at:end]
                    total = 0.0
                    for j in range(part.shape[0]):
                        total += each[j] * part[j]
                    rows[i + r, c] += total
                    at = end
                    c += 1
                if start >= mirrored:
                    column = columns[codes[i + r] - codes[0], start - mirrored : start - mirrored + TILE]
                    w = point_weight[i + r]
                    for j in range(TILE):
                        column[j] += w * distances[j]
    return rows, columns


@kernel(
    work=lambda points, packed, tiles, cityblock: points.size * tiles.size * TILE,
    calls=10,
    reads=(0, 1, 2),
    examples=_tiled_ends,
    fastmath=IN_ANY_ORDER,
)
def column_ends(points: Any, packed: Any, tiles: Any, cityblock: bool) -> Any:
    """For each object of some tiles the ends of its distances to the points.

    Distances are sums over features of squared or absolute differences, without a root, in double or single
    precision as the points and tiles are.

    Returns
    -------
    least and largest, ``(tiles * TILE,)``
    """
    m, d = points.shape
    least = np.full(tiles.shape[0] * TILE, np.inf, points.dtype)
    largest = np.full(tiles.shape[0] * TILE, -np.inf, points.dtype)
    out = np.empty(2 * TILE, points.dtype)
    for t in range(tiles.shape[0]):
        low = least[t * TILE : (t + 1) * TILE]
        high = largest[t * TILE : (t + 1) * TILE]
        for i in range(0, m, 2):
            _hold_against_tile(points, i, min(i + 1, m - 1), packed, tiles[t] * TILE * d, cityblock, out)
            for j in range(TILE):
                one, two = out[j], out[TILE + j]
                # in two steps: the compiler makes slow masked stores of a minimum of three
                less, more = min(two, low[j]), max(two, high[j])
                low[j] = min(one, less)
                high[j] = max(one, more)
    return least, largest


@kernel(work=lambda X, *_: X.size, calls=100, reads=(0, 1, 3, 4, 5), examples=_with_own_centres)
def own_distances(
    X: Any, rows: Any, low: int, origins: Any, offsets: Any, weight: Any, cityblock: bool, plain: bool
) -> Any:
    """Sums over the objects of each cluster of the distance to its centre, plain or squared.

    A centre is an origin and an offset, so that a common offset of X costs no digits; ``weight`` may be
    empty: every object then counts once.

    Returns
    -------
    sums of the distance or its square ``(k,)``, of the square ``(k,)``, and the largest distance ``(k,)``
    """
    n, d = X.shape
    k = origins.shape[0]
    sums = np.zeros(k)
    squares = np.zeros(k)
    largest = np.zeros(k)
    weighted = weight.shape[0] > 0
    for i in range(n):
        c = rows[i] - low
        distance = 0.0
        if cityblock:
            for f in range(d):
                distance += abs(X[i, f] - origins[c, f] - offsets[c, f])
        else:
            for f in range(d):
                away = X[i, f] - origins[c, f] - offsets[c, f]
                distance += away * away
            distance = np.sqrt(distance)
        largest[c] = max(largest[c], distance)
        w = weight[i] if weighted else 1.0
        sums[c] += w * (distance if plain else distance * distance)
        squares[c] += w * distance * distance
    return sums, squares, largest
