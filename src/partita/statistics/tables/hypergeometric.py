"""The expected mutual information of two clusterings whose cluster sizes are all that is known."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import gammaln, xlogy

from partita.arrays import Array
from partita.statistics.tables.cell_sums import excess

_PAIRS_AT_ONCE = 20_000
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
    a_sizes, a_times = np.unique(rows[rows > 0], return_counts=True)
    b_sizes, b_times = np.unique(columns[columns > 0], return_counts=True)
    a, b = (grid.ravel().astype(np.float64) for grid in np.meshgrid(a_sizes, b_sizes, indexing="ij"))
    times = np.multiply.outer(a_times, b_times).ravel().astype(np.float64)
    total = 0.0
    for start in range(0, a.size, _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        total += float(times[part] @ _expected_cell(a[part], b[part], n))
    return total / n


def _expected_cell(a: Array, b: Array, n: float) -> Array:
    """E[x log(x / m)] of a hypergeometric x with mean m = a b / n, as the mean of x log(x / m) - x + m."""
    mean = a * b / n
    spread = np.sqrt(mean * (1.0 - a / n) * (n - b) / max(n - 1.0, 1.0))
    step = np.maximum(np.floor(spread / 2.0), 1.0)
    reach = 9.5 * spread + 30.0
    first = np.maximum(np.maximum(0.0, a + b - n), np.floor(mean - reach))
    last = np.minimum(np.minimum(a, b), np.ceil(mean + reach))
    n_terms = np.floor((last - first) / step).astype(np.int64) + 1
    longest = int(n_terms.max())
    ranks = np.arange(longest)
    x = first[:, None] + ranks * step[:, None]
    inside = ranks < n_terms[:, None]
    x = np.where(inside, x, first[:, None])
    a, b, mean = a[:, None], b[:, None], mean[:, None]
    gain = excess(x, mean)
    # log of 1 / (x! (a - x)! (b - x)! (n - a - b + x)!) around the four expected counts: their logarithms
    # cancel, so that what is left is small and exact
    others = ((a - x, a * (n - b) / n), (b - x, b * (n - a) / n), (n - a - b + x, (n - a) * (n - b) / n))
    rest_of = _tabled_rest(n) if n < x.size else _stirling_rest
    log_weight = -(gain + rest_of(x))
    for count, expected in others:
        log_weight -= excess(count, expected) + rest_of(count)
    weight = np.where(inside, np.exp(log_weight - log_weight.max(axis=1, keepdims=True)), 0.0)
    return np.asarray((weight * gain).sum(axis=1) / weight.sum(axis=1))


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
