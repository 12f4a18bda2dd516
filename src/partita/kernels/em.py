"""Expectation and maximisation for mixtures of Gaussians, over many starts in one pass.

Data are (d, n) and responsibilities (k, n), so that inner loops run over objects side by side in memory. A
covariance is (d, w): its lower triangle for w = d, its diagonal for w = 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from partita.kernels.compilation import kernel
from partita.kernels.scatter import add_scatter, subtract
from partita.kernels.tiles import BLOCK, TILE, add_last_tile, add_tile, put_tile

GROUP = 64
"""Sums of up to 10,000 densities, each at most 1, whose product still is a number."""

EMPTY = 10 * np.finfo(np.float64).eps
"""A component with less mass keeps its mean and covariance."""

NEGLIGIBLE = 1e-30
"""An object with a smaller share of a component's mass is left out of its covariance: n of them, each up to
10^10 variances away, change it by less than n 10^-20 of itself."""

LEAST_LOG_DENSITY = -1e300
CONVERGED, STOPPED, SINGULAR = 1, 0, -1

# exp(x) = 2^m exp(r): adding SHIFT to x / log 2 rounds it to m and leaves m + 1023 in the lowest bits
_SHIFT = 1.5 * 2.0**52 + 1023.0
_PER_LOG2 = 1.4426950408889634
_LOG2_HIGH, _LOG2_LOW = 0.6931471803691238, 1.9082149292705877e-10


@kernel(fastmath={"contract"})
def exp_of_negative(x: float) -> float:
    """exp(x) for x <= 0 without a library call, so that loops over it vectorise; 0 below -708."""
    y = max(x, -708.0)
    shifted = y * _PER_LOG2 + _SHIFT
    m = shifted - _SHIFT
    r = (y - m * _LOG2_HIGH) - m * _LOG2_LOW
    p = 1.0 / 479001600
    p = p * r + 1.0 / 39916800
    p = p * r + 1.0 / 3628800
    p = p * r + 1.0 / 362880
    p = p * r + 1.0 / 40320
    p = p * r + 1.0 / 5040
    p = p * r + 1.0 / 720
    p = p * r + 1.0 / 120
    p = p * r + 1.0 / 24
    p = p * r + 1.0 / 6
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    bits = np.float64(shifted).view(np.int64) << 52
    power = np.int64(bits).view(np.float64)
    return p * power if x >= -708.0 else 0.0


# --- covariances -------------------------------------------------------------------------------------------


@kernel(fastmath={"contract", "reassoc", "nsz"})
def _invert_root(covariance: Any, inverse: Any) -> float:
    """Put the inverse of the Cholesky triangle into ``inverse``; the log of its determinant, nan if singular.

    Singular up to rounding, that is: a feature is left with next to none of its variance once those before
    it are known.
    """
    d, w = covariance.shape
    least = 16 * d * np.finfo(np.float64).eps
    log_determinant = 0.0
    root = np.empty((d, w))
    for a in range(d):
        first = 0 if w == d else a
        for b in range(first, a):
            total = covariance[a, b]
            for f in range(b):
                total -= root[a, f] * root[b, f]
            root[a, b] = total * inverse[b, b - first]
        own = covariance[a, a - first]
        pivot = own
        for f in range(a - first):
            pivot -= root[a, f] * root[a, f]
        if not (pivot > least * own):
            return np.nan
        root[a, a - first] = np.sqrt(pivot)
        scale = 1.0 / root[a, a - first]
        inverse[a, : a - first] = 0.0
        for m in range(first, a):
            for b in range(m + 1):
                inverse[a, b] -= root[a, m] * inverse[m, b]
        for b in range(a - first):
            inverse[a, b] *= scale
        inverse[a, a - first] = scale
        log_determinant += np.log(scale)
    return log_determinant


# --- the E step --------------------------------------------------------------------------------------------
# Loops take rows as arrays of their own: with two indices LLVM does not vectorise all of them.


@kernel(fastmath={"contract"})
def _add_square(gaps: Any, weights: Any, line: Any, squares: Any) -> None:
    """Add the squared combination of the first rows of gaps with these weights."""
    size = squares.size
    last = weights.size - 1
    own, gap = weights[last], gaps[last]
    for i in range(size):
        line[i] = own * gap[i]
    b = 0
    while b + 4 <= last:
        p, q, r, s = weights[b], weights[b + 1], weights[b + 2], weights[b + 3]
        w, x, y, z = gaps[b], gaps[b + 1], gaps[b + 2], gaps[b + 3]
        for i in range(size):
            line[i] += p * w[i] + q * x[i] + r * y[i] + s * z[i]
        b += 4
    while b < last:
        p, w = weights[b], gaps[b]
        for i in range(size):
            line[i] += p * w[i]
        b += 1
    for i in range(size):
        squares[i] += line[i] * line[i]


@kernel(fastmath={"contract"})
def _add_squares(gaps: Any, root: Any, lines: Any, squares: Any) -> None:
    """Add the squared product of a lower triangle with gaps, four rows of it at a time while there are."""
    d, size = root.shape[0], squares.size
    whole = d - d % TILE
    flat = gaps.reshape(-1)
    for a in range(0, whole, TILE):
        if a:
            put_tile(flat, root, a, 0, lines, size)
        else:
            lines[:] = 0.0
        for b in range(TILE, a, TILE):
            add_tile(flat, root, a, b, lines, size)
        add_last_tile(flat, root, a, lines, squares)
    for a in range(whole, d):
        _add_square(gaps, root[a, : a + 1], lines, squares)


@kernel(fastmath={"contract"})
def _put_log_joint(squares: Any, constant: float, joint: Any, peak: Any) -> None:
    for i in range(squares.size):
        log_density = -0.5 * squares[i]
        value = constant + (log_density if log_density > LEAST_LOG_DENSITY else LEAST_LOG_DENSITY)
        joint[i] = value
        peak[i] = value if value > peak[i] else peak[i]


@kernel(fastmath={"contract"})
def _exponentiate(joint: Any, peak: Any, total: Any) -> None:
    for i in range(joint.size):
        share = exp_of_negative(joint[i] - peak[i])
        joint[i] = share
        total[i] += share


@kernel(error_model="numpy")
def _divide(share: Any, total: Any) -> None:
    for i in range(share.size):
        share[i] /= total[i]


def _mixtures(rng: np.random.Generator) -> Any:
    """Objects, and parameters of three components with full covariances and with variances."""
    X = rng.normal(size=(5, 300)) + 2.0 * rng.integers(0, 3, 300)
    means, weights = np.ascontiguousarray(X[:, :3].T), np.array([0.2, 0.3, 0.5])
    yield X, weights, means, np.array([np.eye(5) + 0.1 * c for c in range(3)])
    yield X, weights, means, np.ones((3, 5, 1))


def _expecting(rng: np.random.Generator) -> Any:
    for X, weights, means, covariances in _mixtures(rng):
        yield X, weights, means, covariances, np.empty((3, 300)), np.empty(300), np.empty(300)


def _maximising(rng: np.random.Generator) -> Any:
    for X, weights, means, covariances in _mixtures(rng):
        for shape in ((False, False), (True, False)):
            yield (
                X,
                rng.dirichlet(np.ones(3), 300).T.copy(),
                np.full(5, 1e-6),
                shape,
                weights,
                means,
                covariances,
            )


def _starting(rng: np.random.Generator) -> Any:
    for X, weights, means, covariances in _mixtures(rng):
        start = (weights[None].copy(), means[None].copy(), covariances[None].copy())
        for by_means in (False, True):
            state = at_start(300, 1, covariances.shape)
            yield X, *start, np.full(5, 1e-6), (False, False), by_means, 1e-3, 4, state, 10**9


@kernel(
    work=lambda X, weights, means, covariances, *_: X.shape[1] * covariances.size,
    calls=1000,
    reads=(0, 1, 2, 3),
    examples=_expecting,
    fastmath={"contract"},
)
def expect(X: Any, weights: Any, means: Any, covariances: Any, shares: Any, peaks: Any, totals: Any) -> bool:
    """Fill the responsibilities ``shares`` (k, n); False if a covariance is singular.

    The log density of an object is ``peaks + log(totals)``.
    """
    inverses, constants = np.empty(covariances.shape), np.empty(weights.size)
    if not _invert_roots(weights, covariances, inverses, constants):
        return False
    _expect_some(X, means, inverses, constants, shares, peaks, totals, 0, X.shape[1])
    return True


@kernel(fastmath={"contract"})
def _invert_roots(weights: Any, covariances: Any, inverses: Any, constants: Any) -> bool:
    """Fill the inverse roots of covariances and the constants of log densities; False if one is singular."""
    k, d, _ = covariances.shape
    for c in range(k):
        log_determinant = _invert_root(covariances[c], inverses[c])
        if np.isnan(log_determinant):
            return False
        log_weight = np.log(weights[c]) if weights[c] > 0.0 else -np.inf
        constants[c] = log_weight + log_determinant - 0.5 * d * np.log(2 * np.pi)
    return True


@kernel(fastmath={"contract"})
def _expect_some(
    X: Any,
    means: Any,
    inverses: Any,
    constants: Any,
    shares: Any,
    peaks: Any,
    totals: Any,
    first: int,
    last: int,
) -> None:
    """The E step of the objects from the first, a multiple of BLOCK, up to the last."""
    k, d, w = inverses.shape
    gaps, squares = np.empty((d, BLOCK)), np.empty(BLOCK)
    lines = np.empty(TILE * BLOCK)
    peaks[first:last], totals[first:last] = -np.inf, 0.0
    for low in range(first, last, BLOCK):
        high = min(low + BLOCK, last)
        peak, total, square = peaks[low:high], totals[low:high], squares[: high - low]
        for c in range(k):
            subtract(X, low, high, means[c], gaps)
            square[:] = 0.0
            if w == d and d >= TILE:
                _add_squares(gaps, inverses[c], lines, square)
            else:
                for a in range(d):
                    first = 0 if w == d else a
                    _add_square(gaps[first:], inverses[c, a, : a - first + 1], lines, square)
            _put_log_joint(square, constants[c], shares[c, low:high], peak)
        for c in range(k):
            _exponentiate(shares[c, low:high], peak, total)
        for c in range(k):
            _divide(shares[c, low:high], total)


@kernel(fastmath={"contract", "reassoc", "nsz"})
def _log_likelihood(peaks: Any, totals: Any) -> float:
    """The sum of ``peaks + log(totals)``, with one logarithm for a group of objects."""
    n = peaks.size
    likelihood = 0.0
    for i in range(n):
        likelihood += peaks[i]
    for low in range(0, n, GROUP):
        product = 1.0
        for i in range(low, min(low + GROUP, n)):
            product *= totals[i]
        likelihood += np.log(product)
    return likelihood


# --- the M step --------------------------------------------------------------------------------------------


@kernel(fastmath={"contract", "reassoc", "nsz"})
def _dot(a: Any, b: Any) -> float:
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@kernel(
    work=lambda X, shares, ridge, shape, weights, means, covariances: X.shape[1] * covariances.size,
    calls=1000,
    reads=(0, 2),
    examples=_maximising,
    fastmath={"contract", "reassoc", "nsz"},
)
def maximise(
    X: Any, shares: Any, ridge: Any, shape: Any, weights: Any, means: Any, covariances: Any
) -> float:
    """Weights, means and covariances, in place, from responsibilities; the largest change of a mean.

    ``shape`` says whether covariances are tied and whether they are spherical.
    """
    change, pooled = 0.0, np.zeros(covariances.shape[1:])
    for c in range(weights.size):
        change = max(change, _maximise_one(X, shares, ridge, shape, weights, means, covariances, pooled, c))
    _share_out(ridge, shape, weights, covariances, pooled)
    return change


@kernel(fastmath={"contract", "reassoc", "nsz"})
def _maximise_one(
    X: Any,
    shares: Any,
    ridge: Any,
    shape: Any,
    weights: Any,
    means: Any,
    covariances: Any,
    pooled: Any,
    c: int,
) -> float:
    """Mass, mean and covariance of one component (its part of the pooled one); the change of the mean."""
    d = means.shape[1]
    tied, spherical = shape
    change = 0.0
    mass = shares[c].sum()
    weights[c] = mass
    if mass < EMPTY:
        return change
    for f in range(d):
        mean = _dot(shares[c], X[f]) / mass
        change = max(change, abs(mean - means[c, f]))
        means[c, f] = mean
    scatter = pooled if tied else covariances[c]
    if not tied:
        scatter[:] = 0.0
    add_scatter(X, shares[c], means[c], NEGLIGIBLE * mass, scatter)
    if not tied:
        _finish(scatter, mass, ridge, spherical)
    return change


@kernel()
def _share_out(ridge: Any, shape: Any, weights: Any, covariances: Any, pooled: Any) -> None:
    """End of the M step: masses become weights, and a pooled covariance that of all components."""
    mass_of_all = 0.0
    for c in range(weights.size):
        mass_of_all += weights[c]
    tied, spherical = shape
    if tied:
        _finish(pooled, mass_of_all, ridge, spherical)
        covariances[:] = pooled
    weights /= mass_of_all


@kernel(error_model="numpy")
def _finish(scatter: Any, mass: float, ridge: Any, spherical: bool) -> None:
    """A covariance from the scatter of a mass: divided, ridged, and made spherical."""
    d, w = scatter.shape
    scatter /= mass
    for a in range(d):
        scatter[a, a if w == d else 0] += ridge[a]
    if spherical:
        scatter[:] = scatter.sum() / d


# --- starts ------------------------------------------------------------------------------------------------

EXPECTING, MAXIMISING, ENDING = 0, 1, 2


class Iteration(NamedTuple):
    """Where EM from many starts stands; all arrays change in place."""

    position: Any  # the start, what it is doing, how far it is in that, and how it will end
    numbers: Any  # the mean log-likelihood of the iteration before, and the largest change of a mean in this
    shares: Any
    peaks: Any
    totals: Any
    inverses: Any
    constants: Any
    pooled: Any
    likelihoods: Any  # of each start, when it has ended
    n_iters: Any
    ends: Any


def at_start(n: int, n_starts: int, shape: tuple[int, int, int]) -> Iteration:
    """EM from so many starts before its first step; ``shape`` is that of the covariances of one."""
    k = shape[0]
    return Iteration(
        np.zeros(4, np.int64), np.array([-np.inf, 0.0]), np.empty((k, n)), np.empty(n), np.empty(n),
        np.empty(shape), np.empty(k), np.empty(shape[1:]),
        np.full(n_starts, np.nan), np.zeros(n_starts, np.int64), np.full(n_starts, SINGULAR),
    )  # fmt: skip


@kernel(
    work=lambda X, weights, means, covariances, *_: X.shape[1] * covariances.size,
    calls=20_000,
    reads=(0, 4),
    examples=_starting,
    error_model="numpy",
)
def iterate_em(
    X: Any,
    weights: Any,
    means: Any,
    covariances: Any,
    ridge: Any,
    shape: Any,
    by_means: bool,
    tol: float,
    max_iter: int,
    state: Any,
    most_products: int,
) -> bool:
    """Improve each start in place; whether all have ended.

    A start ends when no mean moves by ``tol`` or, if not ``by_means``, when the mean log-likelihood changes
    by less. After about so many products it stops for a while, to go on when it is called again.
    """
    position, numbers, shares, peaks, totals, inverses, constants, pooled, likelihoods, n_iters, ends = state
    n_starts = weights.shape[0]
    n, w = X.shape[1], covariances.shape[3]
    k, d = means.shape[1:]
    left = most_products
    while position[0] < n_starts:
        s = position[0]
        if left <= 0:
            return False
        if position[1] == MAXIMISING:
            c = position[2]
            change = _maximise_one(X, shares, ridge, shape, weights[s], means[s], covariances[s], pooled, c)
            numbers[1] = max(numbers[1], change)
            position[2] = c + 1
            left -= n * d * w
            if c + 1 == k:
                _share_out(ridge, shape, weights[s], covariances[s], pooled)
                if not by_means:
                    likelihood = _log_likelihood(peaks, totals) / n
                    numbers[1], numbers[0] = abs(likelihood - numbers[0]), likelihood
                has_converged = numbers[1] < tol
                position[3] = CONVERGED if has_converged else STOPPED
                position[1] = ENDING if has_converged or n_iters[s] == max_iter else EXPECTING
                position[2] = 0
            continue
        first = position[2]
        if first == 0:
            n_iters[s] += position[1] == EXPECTING
            if not _invert_roots(weights[s], covariances[s], inverses, constants):
                _next_start(position, numbers)
                continue
        last = min(n, first + BLOCK * (1 + left // (BLOCK * k * d * w)))
        _expect_some(X, means[s], inverses, constants, shares, peaks, totals, first, last)
        left -= (last - first) * k * d * w
        position[2] = last
        if last < n:
            continue
        if position[1] == ENDING:
            likelihoods[s] = _log_likelihood(peaks, totals)
            ends[s] = position[3]
            _next_start(position, numbers)
        else:
            position[1], position[2], numbers[1] = MAXIMISING, 0, 0.0
            pooled[:] = 0.0
    return True


@kernel()
def _next_start(position: Any, numbers: Any) -> None:
    position[0] += 1
    position[1], position[2] = EXPECTING, 0
    numbers[0] = -np.inf
