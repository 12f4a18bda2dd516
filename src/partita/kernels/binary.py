"""Stochastic complexity of 0/1 data: what it costs to move an object, passes over all objects, and swaps.

A clustering is ``labels``, the ``sizes`` of the clusters and ``ones``, how many members have each feature.
A cost depends on whole numbers up to n alone, so ``rise[m] = (m + 1) log(m + 1) - m log m`` is a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel

LEAST_GAIN = 1e-9
"""A move must gain more than rounding could feign, or passes might never end."""


def _bit_work(X: Any, per_cluster: Any) -> float:
    """Steps of a look at all bits of all objects for all clusters."""
    return float(X.size * len(per_cluster))


def _bits(rng: np.random.Generator) -> Any:
    X, labels = (rng.random((30, 6)) < 0.4).astype(np.int64), np.arange(30) % 4
    sizes, ones = np.bincount(labels), np.zeros((4, 6), np.int64)
    np.add.at(ones, labels, X)
    return X, labels, sizes, ones, rises(30)


def _seeds(rng: np.random.Generator) -> Any:
    X = _bits(rng)[0]
    yield (
        X,
        np.array([3, 7, 11]),
        np.zeros(30, np.int64),
        np.zeros(3, np.int64),
        np.zeros((3, 6), np.int64),
        0,
        30,
    )


def _swaps(rng: np.random.Generator) -> Any:
    X, labels, sizes, ones, _ = _bits(rng)
    yield X, 1, 6, (sizes.copy(), ones.copy()), labels, sizes, ones, 0, 30


@kernel(work=lambda n: n, calls=10, examples=lambda rng: [(9,)])
def rises(n: int) -> Any:
    """(m + 1) log(m + 1) - m log m for m = 0, ..., n."""
    made = np.zeros(n + 1)
    for m in range(1, n + 1):
        made[m] = (m + 1) * np.log(m + 1) - m * np.log(m)
    return made


@kernel(work=lambda sizes, ones: 2 * ones.size, calls=1000, examples=lambda rng: [_bits(rng)[2:4]])
def complexity(sizes: Any, ones: Any) -> Any:
    """The stochastic complexity of a clustering, in nats."""
    n, d = sizes.sum(), ones.shape[1]
    total = n * np.log(n)
    for j in range(sizes.size):
        size = sizes[j]
        if size > 0:
            total += (d - 1) * size * np.log(size) + 0.5 * d * np.log(size)
            for f in range(d):
                for part in (ones[j, f], size - ones[j, f]):
                    if part > 0:
                        total -= part * np.log(part)
    return total


@kernel()
def joining_cost(X: Any, i: int, size: int, ones: Any, rise: Any) -> Any:
    """How much the complexity rises when an object joins a cluster of this size with these ones."""
    d = ones.size
    cost = (d - 1) * rise[size]
    if size > 0:
        cost += 0.5 * d * np.log((size + 1) / size)
    for f in range(d):
        cost -= rise[ones[f]] if X[i, f] == 1 else rise[size - ones[f]]
    return cost


@kernel()
def _leave(X: Any, i: int, labels: Any, sizes: Any, ones: Any) -> None:
    sizes[labels[i]] -= 1
    for f in range(X.shape[1]):
        ones[labels[i], f] -= X[i, f]


@kernel()
def _join(X: Any, i: int, j: int, labels: Any, sizes: Any, ones: Any) -> None:
    labels[i] = j
    sizes[j] += 1
    for f in range(X.shape[1]):
        ones[j, f] += X[i, f]


@kernel(
    work=lambda X, sizes, *_: _bit_work(X, sizes),
    calls=1000,
    examples=lambda rng: [(_bits(rng)[0], *_bits(rng)[2:])],
)
def cheapest_clusters(X: Any, sizes: Any, ones: Any, rise: Any) -> Any:
    """For each object the cluster that it could join at the least cost, the first of equals."""
    labels = np.zeros(X.shape[0], np.int64)
    for i in range(X.shape[0]):
        least = np.inf
        for j in range(sizes.size):
            cost = joining_cost(X, i, sizes[j], ones[j], rise)
            if cost < least:
                least, labels[i] = cost, j
    return labels


@kernel(
    work=lambda X, labels, sizes, *_: _bit_work(X, sizes),
    calls=20_000,
    examples=lambda rng: [(*_bits(rng), 0, 30)],
)
def move_objects(X: Any, labels: Any, sizes: Any, ones: Any, rise: Any, low: int, high: int) -> bool:
    """Move some objects, one after the other, where the complexity is smaller; whether any moved.

    Every cluster keeps an object.
    """
    moved = False
    for i in range(low, high):
        own = labels[i]
        if sizes[own] == 1:
            continue
        _leave(X, i, labels, sizes, ones)
        stay = joining_cost(X, i, sizes[own], ones[own], rise)
        least, at = stay - LEAST_GAIN, own
        for j in range(sizes.size):
            if j != own:
                cost = joining_cost(X, i, sizes[j], ones[j], rise)
                if cost < least:
                    least, at = cost, j
        _join(X, i, at, labels, sizes, ones)
        moved = moved or at != own
    return moved


@kernel()
def squared_gap(X: Any, i: int, size: int, ones: Any) -> float:
    """The squared distance of an object to the mean of a cluster."""
    total = 0.0
    for f in range(ones.size):
        gap = X[i, f] - ones[f] / size
        total += gap * gap
    return total


@kernel(work=lambda X, seeds, *_: _bit_work(X, seeds), calls=1000, examples=_seeds)
def join_seeds(X: Any, seeds: Any, labels: Any, sizes: Any, ones: Any, low: int, high: int) -> None:
    """A cluster around each seed: objects go to the seed that they share most features with."""
    for i in range(low, high):
        least, at = np.inf, 0
        for j in range(seeds.size):
            gap = -1.0 if seeds[j] == i else squared_gap(X, i, 1, X[seeds[j]])
            if gap < least:
                least, at = gap, j
        _join(X, i, at, labels, sizes, ones)


@kernel(
    work=lambda X, gone, seed, before, labels, sizes, *_: _bit_work(X, sizes), calls=20_000, examples=_swaps
)
def swap(
    X: Any, gone: int, seed: int, before: Any, labels: Any, sizes: Any, ones: Any, low: int, high: int
) -> None:
    """Dissolve a cluster and put it up again around another's object.

    Objects of the old one go to the nearest mean, and any object comes that is nearer to the new seed than
    to its mean. Means are those before the swap: ``before`` has the sizes and ones of then.
    """
    old_sizes, old_ones = before
    for i in range(low, high):
        own = labels[i]
        least, at = squared_gap(X, i, 1, X[seed]), gone
        for j in range(sizes.size):
            if j != gone and own in (gone, j):
                gap = squared_gap(X, i, old_sizes[j], old_ones[j])
                if gap <= least:
                    least, at = gap, j
        at = gone if i == seed else at
        if at != own:
            _leave(X, i, labels, sizes, ones)
            _join(X, i, at, labels, sizes, ones)
