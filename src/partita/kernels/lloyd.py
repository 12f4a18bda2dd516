"""Nearest centres, and Lloyd's iteration with bounds that spare most distances."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from partita.kernels.compilation import kernel


@kernel(fastmath={"reassoc", "contract", "nsz"})
def squared_distance(a: Any, i: int, b: Any, j: int) -> float:
    """Squared Euclidean distance of row i of a and row j of b."""
    total = 0.0
    for f in range(a.shape[1]):
        gap = a[i, f] - b[j, f]
        total += gap * gap
    return total


@kernel(small=lambda values: np.argsort(values, kind="stable"))
def ascending(values: Any) -> Any:
    """Positions by value, of equals the first first: Shell's sort, which compiles in no time."""
    order = np.arange(values.size)
    gap = values.size // 2
    while gap > 0:
        for i in range(gap, values.size):
            item, at = order[i], i
            while at >= gap and (
                values[order[at - gap]] > values[item]
                or (values[order[at - gap]] == values[item] and order[at - gap] > item)
            ):
                order[at] = order[at - gap]
                at -= gap
            order[at] = item
        gap = 1 if gap == 2 else gap * 5 // 11
    return order


CALLS = 100
"""Searches call these loops again and again."""


def centre_work(X: Any, centres: Any, *_: Any) -> float:
    """Steps of a look at all objects and all centres."""
    return float(X.size * len(centres))


def objects_and_centres(rng: np.random.Generator) -> Any:
    """Examples: objects in groups, and some of them as centres; with equal ones, one centre, one feature."""
    X = rng.normal(size=(60, 3)) + 4.0 * rng.integers(0, 3, size=(60, 1))
    yield X, X[:5].copy()
    yield X[:, :1].copy(), X[7:8, :1].copy()
    yield np.repeat(X[:12], 3, axis=0), X[[0, 1, 1, 30]]


def nearest_small(X: Any, centres: Any) -> Any:
    """`nearest_centres` by array operations."""
    squares = ((X[:, None, :] - centres) ** 2).sum(axis=2)
    labels = squares.argmin(axis=1)
    return labels, squares[np.arange(len(X)), labels]


@kernel(work=centre_work, calls=CALLS, examples=objects_and_centres, small=nearest_small, reads=(0, 1))
def nearest_centres(X: Any, centres: Any) -> Any:
    """The nearest centre of each row, the first of equals, and the squared distance to it."""
    n, k = X.shape[0], centres.shape[0]
    labels, squares = np.zeros(n, np.int64), np.empty(n)
    for i in range(n):
        best, at = np.inf, 0
        for j in range(k):
            square = squared_distance(X, i, centres, j)
            if square < best:
                best, at = square, j
        labels[i], squares[i] = at, best
    return labels, squares


RUNNING, SETTLED, STOPPED = 0, 1, 2


class Lloyd(NamedTuple):
    """Where Lloyd's iteration stands; all arrays change in place."""

    labels: Any
    upper: Any  # bound of the distance of each object to its own centre
    lower: Any  # and to any other
    sums: Any
    counts: Any
    shift: Any  # how far each centre has moved
    order: Any  # for each centre the others by distance
    apart: Any  # and these distances
    position: Any  # the iteration, the next object in it, and how many have moved


def at_start(n: int, d: int, k: int) -> Lloyd:
    """Lloyd's iteration before its first step."""
    return Lloyd(
        np.zeros(n, np.int64), np.full(n, np.inf), np.zeros(n), np.zeros((k, d)), np.zeros(k, np.int64),
        np.zeros(k), np.empty((k, k), np.int64), np.zeros((k, k)), np.array([1, 0, 0]),
    )  # fmt: skip


@kernel()
def _find_neighbours(centres: Any, order: Any, apart: Any) -> None:
    """For each centre the others by distance, and these distances; the centre itself comes first."""
    k = centres.shape[0]
    for a in range(k):
        gaps = np.empty(k)
        for b in range(k):
            gaps[b] = np.sqrt(squared_distance(centres, a, centres, b))
        gaps[a] = -1.0  # first even among equal centres
        by_distance = ascending(gaps)
        for place in range(k):
            order[a, place] = by_distance[place]
            apart[a, place] = max(gaps[by_distance[place]], 0.0)


def _lloyd_small(X: Any, centres: Any, state: Any, max_iter: int, threshold: float, *_: Any) -> int:
    """`iterate_lloyd` by array operations, in one go; it needs no bounds and leaves them as they are."""
    labels, sums, counts, position = state.labels, state.sums, state.counts, state.position
    rows, clusters = np.arange(len(X)), np.arange(len(centres))
    for iteration in range(position[0], max_iter + 1):
        distances = np.sqrt(((X[:, None, :] - centres) ** 2).sum(axis=2))
        at = distances.argmin(axis=1)
        moves = distances[rows, at] < distances[rows, labels]
        labels[moves] = at[moves]
        moved = position[2] + np.count_nonzero(moves)
        position[0], position[1], position[2] = iteration, 0, 0
        if iteration > 1 and moved == 0:
            return SETTLED
        counts[:] = np.bincount(labels, minlength=clusters.size)
        for f in range(X.shape[1]):
            sums[:, f] = np.bincount(labels, X[:, f], clusters.size)
        filled = _fill_empty(X, centres, labels, sums, counts)
        means = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
        total = ((means - centres) ** 2).sum()
        centres[:] = means
        if total <= threshold and threshold > 0.0 and filled == 0:
            return SETTLED
    return STOPPED


@kernel(
    work=centre_work,
    calls=CALLS,
    reads=(0,),
    small=_lloyd_small,
    examples=lambda rng: [
        (X, centres, at_start(len(X), X.shape[1], len(centres)), 20, 0.0, 10**9)
        for X, centres in objects_and_centres(rng)
    ],
)
def iterate_lloyd(
    X: Any, centres: Any, state: Any, max_iter: int, threshold: float, most_distances: int
) -> int:
    """Move centres, in place, until no object changes its centre or they move by at most a threshold.

    It stops for a while (RUNNING) when so many distances are computed, and goes on when it is called again.

    Each object knows an upper bound of the distance to its own centre and a lower bound of that to any other
    (Hamerly 2010). Where the two cross, only centres within ``2 upper + gap`` of its own can be first or
    second, gap being the distance from its own centre to the next (Newling and Fleuret 2016, "exponion").
    """
    n, d = X.shape
    k = centres.shape[0]
    labels, upper, lower, sums, counts, shift, order, apart, position = state
    computed = 0
    for iteration in range(position[0], max_iter + 1):
        if position[1] == 0:
            _find_neighbours(centres, order, apart)
            computed += k * k
        moved = position[2]
        for i in range(position[1], n):
            if computed > most_distances and i > position[1]:
                position[0], position[1], position[2] = iteration, i, moved
                return RUNNING
            computed += 1
            own = labels[i]
            gap = apart[own, 1] if k > 1 else np.inf
            safe = max(lower[i], gap / 2)
            if upper[i] <= safe:
                continue
            upper[i] = np.sqrt(squared_distance(X, i, centres, own))
            if upper[i] <= safe:
                continue
            reach = 2 * upper[i] + gap
            best, second, at = upper[i], np.inf, own
            for place in range(1, k):
                if apart[own, place] > reach:
                    break
                other = order[own, place]
                computed += 1
                distance = np.sqrt(squared_distance(X, i, centres, other))
                if distance < best:
                    best, second, at = distance, best, other
                elif distance < second:
                    second = distance
            upper[i], lower[i] = best, second
            if at != own:
                labels[i] = at
                moved += 1
        position[0], position[1], position[2] = iteration, 0, 0
        if iteration > 1 and moved == 0:
            return SETTLED
        sums[:], counts[:] = 0.0, 0
        for i in range(n):
            counts[labels[i]] += 1
            for f in range(d):
                sums[labels[i], f] += X[i, f]
        filled = _fill_empty(X, centres, labels, sums, counts)
        if filled > 0:
            upper[:], lower[:] = np.inf, 0.0
        total = 0.0
        for j in range(k):
            square = 0.0
            if counts[j] > 0:
                for f in range(d):
                    mean = sums[j, f] / counts[j]
                    square += (mean - centres[j, f]) ** 2
                    centres[j, f] = mean
            total += square
            shift[j] = np.sqrt(square)
        if total <= threshold and threshold > 0.0 and filled == 0:
            return SETTLED
        widest, wider = 0.0, 0.0
        at_widest = -1
        for j in range(k):
            if shift[j] > widest:
                widest, wider, at_widest = shift[j], widest, j
            elif shift[j] > wider:
                wider = shift[j]
        for i in range(n):
            upper[i] += shift[labels[i]]
            lower[i] -= wider if labels[i] == at_widest else widest
    return STOPPED


@kernel()
def _fill_empty(X: Any, centres: Any, labels: Any, sums: Any, counts: Any) -> int:
    """Give each empty cluster the object farthest from all centres, of a cluster that keeps others."""
    filled, is_missing = 0, False
    for j in range(counts.size):
        is_missing |= counts[j] == 0
    if not is_missing:
        return filled
    n = X.shape[0]
    squared = np.empty(n)
    for i in range(n):
        squared[i] = squared_distance(X, i, centres, labels[i])
    for j in range(counts.size):
        if counts[j] > 0:
            continue
        farthest, at = 0.0, -1
        for i in range(n):
            if squared[i] > farthest and counts[labels[i]] > 1:
                farthest, at = squared[i], i
        if at < 0:
            break
        for f in range(X.shape[1]):
            sums[labels[at], f] -= X[at, f]
            sums[j, f] = X[at, f]
            centres[j, f] = X[at, f]
        counts[labels[at]] -= 1
        counts[j] = 1
        labels[at] = j
        filled += 1
        for i in range(n):
            squared[i] = min(squared[i], squared_distance(X, i, centres, j))
    return filled
