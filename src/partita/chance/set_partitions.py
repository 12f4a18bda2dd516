"""Uniformly random partitions of a set: how likely two objects are together, and how they are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np

from partita.arrays import Array, Floats

_POINTS = 1 << 10
_WIDTHS = 12.0
_ROUND_BELOW = 40.0  # deviations up to which all of the circle is gone around


# --- how likely two objects are together --------------------------------------------------------------


@lru_cache(maxsize=1024)
def together_given_number(n: int, k: int) -> float:
    """S(n - 1, k) / S(n, k): two objects together in a uniform partition of n objects into k clusters.

    S(n, k) k! / n! is the coefficient of x^n in (e^x - 1)^k, an integral over a circle of any radius r. With
    r so that k zero-truncated Poisson variables of parameter r have the mean n in all, the integrand is
    the characteristic function of their sum: close to a Gaussian, and nothing cancels. Points at equal
    distances then integrate it with an error that falls exponentially in their number.

    Examples
    --------
    >>> together_given_number(4, 2) == 3 / 7
    True
    """
    if k <= 1 or n <= k:
        return 1.0 if k <= 1 < n else 0.0
    if n <= 200:
        return stirling(n - 1, k) / stirling(n, k)
    mean = n / k
    radius = poisson_parameter(mean)
    deviation = math.sqrt(k * mean * (1.0 + radius - mean))
    reach = math.pi if deviation < _ROUND_BELOW else _WIDTHS / deviation
    angles = np.linspace(-reach, reach, _POINTS, endpoint=False)
    turned = radius * np.exp(1j * angles)
    weights = np.exp(k * (_log_excess(turned) - _log_excess(radius)) - 1j * (n - k) * angles)
    ratio = float((weights * np.exp(1j * angles)).sum().real / weights.sum().real)
    return radius / n * ratio


def _log_excess(z: Any) -> Any:
    """Log of (e^z - 1) / z: what a cluster holds beyond its first object."""
    size = float(np.abs(z).max())
    if size < 0.5:
        series = np.zeros_like(z)
        for i in range(16, 0, -1):
            series = (1.0 + series) * z / (i + 1.0)
        return np.log1p(series)
    if size < 30.0:
        return np.log(np.expm1(z) / z)
    return z - np.log(z)  # e^z passes the largest float, and 1 is nothing beside it


@lru_cache(maxsize=1024)
def together_in_any(n: int) -> float:
    """B(n - 1) / B(n): two objects together in a uniform partition of n objects.

    By Dobinski's formula it is the mean of 1 / m when m is drawn with weights m^n / m!.

    Examples
    --------
    >>> together_in_any(3)
    0.4
    """
    if n <= 1:
        return 0.0
    if n <= 200:
        return bell(n - 1) / bell(n)
    urns, shares = dobinski_law(n)
    return float(shares @ (1.0 / urns))


@lru_cache(maxsize=256)
def dobinski_law(n: int) -> tuple[Floats, Floats]:
    """Numbers of urns m and their probabilities, proportional to m^n / m! (Stam 1983)."""
    mode = _largest_term(n)
    deviation = mode / math.sqrt(n + mode)
    first = max(1, math.floor(mode - 12.0 * deviation - 30.0))
    urns = np.arange(first, math.ceil(mode + 12.0 * deviation + 30.0) + 1, dtype=np.float64)
    # ratios of neighbours, added up: the logarithms themselves are large and would cancel
    steps = n * np.log1p(1.0 / urns[:-1]) - np.log(urns[1:])
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    return urns, weights / weights.sum()


def _largest_term(n: int) -> float:
    """About where m^n / m! is largest: m log m = n."""
    m = max(2.0, n / max(math.log(n + 1.0), 1.0))
    for _ in range(50):
        m = max(1.5, m - (m * math.log(m) - n) / (math.log(m) + 1.0))
    return m


def poisson_parameter(mean: float) -> float:
    """The r for which a Poisson variable that is not 0 has this mean, above 1: r / (1 - e^-r) = mean."""
    r = mean if mean > 2.0 else 2.0 * (mean - 1.0)
    for _ in range(100):
        lost = -math.expm1(-r)
        step = (r / lost - mean) / ((lost - r * math.exp(-r)) / lost**2)
        r = max(r - step, r / 4.0)
        if abs(step) <= 1e-15 * r:
            break
    return r


@cache
def _stirling_row(n: int) -> tuple[int, ...]:
    if n == 0:
        return (1,)
    above = _stirling_row(n - 1)
    return tuple((k * above[k] if k < n else 0) + (above[k - 1] if k else 0) for k in range(n + 1))


def stirling(n: int, k: int) -> int:
    """How many partitions of n objects have k clusters, exactly.

    Examples
    --------
    >>> stirling(4, 2)
    7
    """
    for m in range(n):  # row by row, so that none asks for many before it
        _stirling_row(m)
    return _stirling_row(n)[k] if k <= n else 0


def bell(n: int) -> int:
    """How many partitions n objects have, exactly.

    Examples
    --------
    >>> bell(4)
    15
    """
    stirling(n, 0)
    return sum(_stirling_row(n))


# --- drawing ------------------------------------------------------------------------------------------


def sizes_given_number(n: int, k: int, count: int, rng: np.random.Generator) -> Array:
    """Cluster sizes ``(count, k)`` of uniform partitions of n objects into k clusters, exactly.

    A uniform partition with its clusters in random order has sizes with weights n! / prod n_i!, n_i >= 1:
    those of k zero-truncated Poisson variables, given that their sum is n; other sums are thrown away. The
    order of the sizes means nothing.
    """
    if k == 1 or n == k:
        return np.full((count, k), n // k, dtype=np.int64)
    rate = poisson_parameter(n / k)
    deviation = math.sqrt(k * (n / k) * (1.0 + rate - n / k))
    widest = math.ceil(rate + 12.0 * math.sqrt(rate) + 40.0)
    by_sizes = widest * (1.0 + 2.5 * deviation) < k**1.5
    return (_by_sizes if by_sizes else _by_clusters)(n, k, rate, count, rng)


def _by_clusters(n: int, k: int, rate: float, count: int, rng: np.random.Generator) -> Array:
    """All sizes but the last are drawn; the remainder is taken with the probability that it has.

    That is relative to the largest one: about one try in sqrt(k) succeeds.
    """
    from scipy.special import gammaln

    made: list[Array] = []
    missing = count
    at_once = max(1, (1 << 20) // k)
    peak = max(1, math.floor(rate))  # r^m / m! is largest there
    most = peak * math.log(rate) - math.lgamma(peak + 1.0)
    while missing:
        tries = min(at_once, math.ceil(missing * math.sqrt(k) * 1.5) + 8)
        # the first arrival of a Poisson process before the time r, given that there is one; then the others
        first = -np.log1p(rng.random((tries, k - 1)) * math.expm1(-rate))
        drawn = 1 + rng.poisson(np.maximum(rate - first, 0.0))
        last = n - drawn.sum(axis=1)
        possible = np.maximum(last, 1)
        chance = np.exp(possible * math.log(rate) - gammaln(possible + 1.0) - most)
        kept = np.flatnonzero((last >= 1) & (rng.random(tries) < chance))[:missing]
        made.append(np.column_stack([drawn[kept], last[kept]]))
        missing -= len(kept)
    return np.concatenate(made)


def _by_sizes(n: int, k: int, rate: float, count: int, rng: np.random.Generator) -> Array:
    """How many clusters have each size is drawn, and taken where they hold n objects in all.

    Sizes whose probability is below 1e-30 are left out. For many clusters this costs far less.
    """
    from scipy.special import gammaln

    sizes = np.arange(1, math.ceil(rate + 12.0 * math.sqrt(rate) + 40.0))
    logs = sizes * math.log(rate) - gammaln(sizes + 1.0)
    shares = np.exp(logs - logs.max())
    sizes, shares = sizes[shares > 1e-30], shares[shares > 1e-30]
    shares /= shares.sum()
    made: list[Array] = []
    tries = max(1, (1 << 20) // len(sizes))
    while len(made) < count:
        drawn = rng.multinomial(k, shares, size=tries)
        fitting = drawn[drawn @ sizes == n]
        made += [np.repeat(sizes, each) for each in fitting[: count - len(made)]]
    return np.stack(made)


def sizes_in_any(n: int, count: int, rng: np.random.Generator) -> Array:
    """Cluster sizes of uniform partitions of n objects, exactly, filled up with zeros (Stam 1983).

    The number of urns is drawn with weights m^n / m!, and each object falls into one of them; the
    partition into the urns that are not empty is uniform.
    """
    urns, shares = dobinski_law(n)
    chosen = urns[np.searchsorted(np.cumsum(shares), rng.random(count) * shares.sum())].astype(np.int64)
    filled = []
    for m in chosen.tolist():
        sizes = rng.multinomial(n, np.full(m, 1.0 / m))
        filled.append(sizes[sizes > 0])
    wide = np.zeros((count, max(map(len, filled))), dtype=np.int64)
    for row, sizes in zip(wide, filled, strict=True):
        row[: len(sizes)] = sizes
    return wide


# --- enumerating --------------------------------------------------------------------------------------


def every_partition(n: int, k: int | None = None) -> Array:
    """The labels of all partitions of n objects (into k clusters), one a row: 0, then at most one more.

    Examples
    --------
    >>> every_partition(3, 2).tolist()
    [[0, 0, 1], [0, 1, 0], [0, 1, 1]]
    """
    labels = np.zeros((1, 1), dtype=np.int64)
    for _ in range(n - 1):
        seen = labels.max(axis=1) + 1
        choices = seen + 1 if k is None else np.minimum(seen + 1, k)
        repeated = np.repeat(labels, choices, axis=0)
        new = np.arange(len(repeated)) - np.repeat(np.cumsum(choices) - choices, choices)
        labels = np.column_stack([repeated, new])
    return labels if k is None else labels[labels.max(axis=1) == k - 1]


def every_type(n: int, k: int | None = None) -> Iterator[tuple[tuple[int, ...], int]]:
    """The sizes of all partitions of n objects (into k clusters), and how many partitions have them."""
    for sizes in _descending(n, n):
        if k is None or len(sizes) == k:
            repeats = math.prod(math.factorial(sizes.count(s)) for s in set(sizes))
            yield sizes, math.factorial(n) // math.prod(map(math.factorial, sizes)) // repeats


def _descending(n: int, most: int) -> Iterator[tuple[int, ...]]:
    if n == 0:
        yield ()
    for first in range(min(n, most), 0, -1):
        for rest in _descending(n - first, first):
            yield (first, *rest)


def every_arrangement(sizes: Array) -> Array:
    """All distinct labellings of the objects by clusters of these sizes, one a row.

    Examples
    --------
    >>> every_arrangement(np.array([2, 1])).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    left = np.asarray(sizes, dtype=np.int64)[None]
    labels = np.zeros((1, 0), dtype=np.int64)
    for _ in range(int(np.sum(sizes))):
        row, cluster = np.nonzero(left)
        labels = np.column_stack([labels[row], cluster])
        left = left[row]
        left[np.arange(len(row)), cluster] -= 1
    return labels


def number_of_arrangements(sizes: Array) -> int:
    """How many `every_arrangement` gives."""
    whole = [int(s) for s in sizes]
    return math.factorial(sum(whole)) // math.prod(map(math.factorial, whole))
