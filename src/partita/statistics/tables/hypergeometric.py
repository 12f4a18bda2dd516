"""The expected mutual information of two clusterings whose cluster sizes are all that is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import gammaln, xlogy

from partita.arrays import Array
from partita.statistics.tables.cell_sums import excess

_PAIRS_AT_ONCE = 20_000
_FEW = 1024  # objects whose weights are worked out one from the other
_FIRST = 4096  # whole numbers whose logarithms of factorials are kept


def expected_mutual_information(rows: Array, columns: Array) -> float:
    """Mean mutual information, in nats, over all ways to keep the cluster sizes and shuffle the objects.

    Each cell of the table is then hypergeometric. Three facts make the sum short, and exact to rounding:

    - Only distinct pairs of sizes matter; they are weighted by how often they occur.
    - A hypergeometric count is a sum of independent 0/1 variables (Vatutin and Mikhailov, 1982), so by
      Bernstein's inequality less than 1e-20 of its mass lies further than 9.5 s + 30 from its mean, with
      s its standard deviation.
    - Its characteristic function is at most exp(-s^2 (1 - cos t)) in size, so by Poisson summation it is
      enough to visit every h-th count with h <= s / 2: the error is of the order exp(-2 (pi s / h)^2), below
      1e-33. A cell thus costs some eighty terms, whatever the number of objects.
    """
    n = float(rows.sum())
    if n == 0:
        return 0.0
    (a_sizes, a_times), (b_sizes, b_times) = _distinct(rows), _distinct(columns)
    a, b = a_sizes.repeat(b_sizes.size), np.tile(b_sizes, a_sizes.size)
    times = np.multiply.outer(a_times, b_times).ravel()
    total = 0.0
    for start in range(0, a.size, _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        total += float(times[part] @ _expected_cell(a[part], b[part], n))
    return total / n


def expected_mutual_informations(rows: Array, columns: Array) -> Array:
    """The same for a stack of tables of as many objects, ``(s, k)`` and ``(s, k')``.

    Tables of a stack share most pairs of sizes, and each pair is worked out once.
    """
    n = int(rows[0].sum())
    a, b = rows.astype(np.int64)[:, :, None], columns.astype(np.int64)[:, None, :]
    pairs, place = np.unique(np.where((a > 0) & (b > 0), a * (n + 1) + b, 0), return_inverse=True)
    cells = np.zeros(pairs.size)
    start = int(pairs[0] == 0)  # an empty cluster shares nothing
    for first in range(start, pairs.size, _PAIRS_AT_ONCE):
        part = slice(first, first + _PAIRS_AT_ONCE)
        own, other = np.divmod(pairs[part], n + 1)
        cells[part] = _expected_cell(own.astype(np.float64), other.astype(np.float64), float(n))
    return np.asarray(cells[place].reshape(len(rows), -1).sum(axis=1) / n)


def _distinct(sizes: Array) -> tuple[Array, Array]:
    """The different sizes above 0, the smallest first, and how often each occurs."""
    times = Counter(sizes[sizes > 0].tolist())
    known = sorted(times)
    return np.array(known, dtype=np.float64), np.array([times[size] for size in known], dtype=np.float64)


def _expected_cell(a: Array, b: Array, n: float) -> Array:
    """E[x log(x / m)] of a hypergeometric x with mean m = a b / n, as the mean of x log(x / m) - x + m."""
    mean = a * b / n
    spread = np.sqrt(mean * (1.0 - a / n) * (n - b) / max(n - 1.0, 1.0))
    step = np.maximum(np.floor(spread / 2.0), 1.0)
    reach = 9.5 * spread + 30.0
    first = np.maximum(np.maximum(0.0, a + b - n), np.floor(mean - reach))
    last = np.minimum(np.minimum(a, b), np.ceil(mean + reach))
    ranks = np.arange(int(((last - first) // step).max()) + 1)
    x = first[:, None] + ranks * step[:, None]
    a, b, mean = a[:, None], b[:, None], mean[:, None]
    if n < _FEW and step.max() == 1.0:
        weight = _neighbours(x, a, b, n)
        gain = excess(x, mean)
    else:
        inside = x <= last[:, None]
        x = np.where(inside, x, first[:, None])
        gain = excess(x, mean)
        weight = np.where(inside, _around_means(x, gain, a, b, n), 0.0)
    return np.asarray((weight * gain).sum(axis=1) / weight.sum(axis=1))


def _neighbours(x: Array, a: Array, b: Array, n: float) -> Array:
    """Weights of counts without gaps, each from the one before it; 0 beyond the largest.

    The first is so small that the mode cannot overflow: it is at most 69 counts further (4 deviations to a
    step of two), and a quotient is at most n^2 / 4, so that it stays below 10^374 times the first.
    """
    before = x[:, :-1]
    weight = np.full(x.shape, 1e-150)
    weight[:, 1:] = (a - before) * (b - before) / ((before + 1.0) * (n - a - b + before + 1.0))
    return weight.cumprod(axis=1)


def _around_means(x: Array, gain: Array, a: Array, b: Array, n: float) -> Array:
    """Weights 1 / (x! (a - x)! (b - x)! (n - a - b + x)!), the largest 1.

    They are worked out around the four expected counts: the logarithms of these cancel, so that what is left
    is small and exact.
    """
    others = ((a - x, a * (n - b) / n), (b - x, b * (n - a) / n), (n - a - b + x, (n - a) * (n - b) / n))
    rest_of = _tabled_rest(n) if n < x.size else _stirling_rest
    log_weight = -(gain + rest_of(x))
    for count, expected in others:
        log_weight -= excess(count, expected) + rest_of(count)
    return np.asarray(np.exp(log_weight - log_weight.max(axis=1, keepdims=True)))


def _tabled_rest(n: float) -> Callable[[Array], Array]:
    """`_stirling_rest` of whole numbers up to n, each worked out once."""
    known = _first_rests() if n < _FIRST else _stirling_rest(np.arange(n + 1.0))
    return lambda x: np.asarray(known[x.astype(np.int64)])


@cache
def _first_rests() -> Array:
    return _stirling_rest(np.arange(float(_FIRST)))


def _stirling_rest(x: Array) -> Array:
    """Log x! - (x log x - x): exact for small x, by Stirling's series from 16 on."""
    large = np.maximum(x, 16.0)
    square = large * large
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / large
    small = np.minimum(np.maximum(x, 0.0), 16.0)
    return np.where(
        x >= 16.0,
        0.5 * np.log(2.0 * np.pi * large) + series,
        gammaln(small + 1.0) - xlogy(small, small) + small,
    )
