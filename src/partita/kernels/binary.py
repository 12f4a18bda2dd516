"""Stochastic complexity of 0/1 data: what it costs to move an object, passes over all objects, and swaps.

A clustering is ``labels``, the ``sizes`` of the clusters and ``ones``, how many members have each feature.
A cost depends on whole numbers up to n alone, so ``rise[m] = (m + 1) log(m + 1) - m log m`` is a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

LEAST_GAIN = 1e-9
"""A move must gain more than rounding could feign, or passes might never end."""


@njit(cache=True, nogil=True)
def rises(n: int) -> Any:
    """(m + 1) log(m + 1) - m log m for m = 0, ..., n."""
    made = np.zeros(n + 1)
    for m in range(1, n + 1):
        made[m] = (m + 1) * np.log(m + 1) - m * np.log(m)
    return made


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True, boundscheck=False)
def joining_cost(X: Any, i: int, size: int, ones: Any, rise: Any) -> Any:
    """How much the complexity rises when an object joins a cluster of this size with these ones."""
    d = ones.size
    cost = (d - 1) * rise[size]
    if size > 0:
        cost += 0.5 * d * np.log((size + 1) / size)
    for f in range(d):
        cost -= rise[ones[f]] if X[i, f] == 1 else rise[size - ones[f]]
    return cost


@njit(cache=True, nogil=True, boundscheck=False)
def _leave(X: Any, i: int, labels: Any, sizes: Any, ones: Any) -> None:
    sizes[labels[i]] -= 1
    for f in range(X.shape[1]):
        ones[labels[i], f] -= X[i, f]


@njit(cache=True, nogil=True, boundscheck=False)
def _join(X: Any, i: int, j: int, labels: Any, sizes: Any, ones: Any) -> None:
    labels[i] = j
    sizes[j] += 1
    for f in range(X.shape[1]):
        ones[j, f] += X[i, f]


@njit(cache=True, nogil=True, boundscheck=False)
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


@njit(cache=True, nogil=True, boundscheck=False)
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


@njit(cache=True, nogil=True, boundscheck=False)
def squared_gap(X: Any, i: int, size: int, ones: Any) -> float:
    """The squared distance of an object to the mean of a cluster."""
    total = 0.0
    for f in range(ones.size):
        gap = X[i, f] - ones[f] / size
        total += gap * gap
    return total


@njit(cache=True, nogil=True, boundscheck=False)
def join_seeds(X: Any, seeds: Any, labels: Any, sizes: Any, ones: Any, low: int, high: int) -> None:
    """A cluster around each seed: objects go to the seed that they share most features with."""
    for i in range(low, high):
        least, at = np.inf, 0
        for j in range(seeds.size):
            gap = -1.0 if seeds[j] == i else squared_gap(X, i, 1, X[seeds[j]])
            if gap < least:
                least, at = gap, j
        _join(X, i, at, labels, sizes, ones)


@njit(cache=True, nogil=True, boundscheck=False)
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
