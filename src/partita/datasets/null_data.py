"""Data without clusters that resemble given data."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from partita.arrays import Floats, one_blas_thread
from partita.statistics.dips import evenly_thinned, unimodal_fit
from partita.statistics.projections import Axes, Box

LAWS = ("normal", "uniform", "student", "unimodal")
"""The distributions without clusters, the simplest first: methods of `NullLaws`."""

SEPARATION = 5.0
"""Standard deviations between the means of two planted clusters: 0.6 % of the objects lie nearer to the other
mean, so nobody would doubt that these are two."""

HALVINGS = 6
"""The inverse of the degrees of freedom is found to 1 / 64."""

REWEIGHTINGS = 4
"""Rounds of the robust covariances. They are affine equivariant after any number."""


def uniform_like(X: Floats, rng: np.random.Generator) -> Floats:
    """As many objects, uniform in the box that the data fill along their principal axes (Tibshirani 2001)."""
    axes = Axes.of(X, flat=True)
    along = axes.along(X)
    return axes.back(rng.uniform(along.min(axis=0), along.max(axis=0), size=along.shape))


def normal_like(X: Floats, rng: np.random.Generator) -> Floats:
    """As many objects, from one normal distribution with the mean and the covariances of the data."""
    axes = Axes.of(X, flat=True)
    drawn = rng.standard_normal((len(X), len(axes.spread)))
    return axes.back(drawn * (axes.spread / np.sqrt(max(len(X) - 1, 1))))


class NullLaws:
    """Distributions without clusters, fitted to data; each draws as many objects."""

    def __init__(self, X: Floats) -> None:
        self.X = X
        self.axes = Axes.of(X)
        self._shape = len(X), len(self.axes.spread)
        self._box = Box.around(X, self.axes)
        self._features = [unimodal_fit(evenly_thinned(np.sort(feature))) for feature in X.T]
        self._student = _Student(self.axes.whitened(X), lambda drawn: drawn)
        self._scores = _normal_scores(X)
        self._score_axes = Axes.of(self._scores)
        self._copula = _Student(self._score_axes.whitened(self._scores), _normal_scores)

    @property
    def has_heavy_tails(self) -> bool:
        """True if the Student distribution that fits is not the normal one."""
        return self._student.heaviness > 0

    def uniform(self, rng: np.random.Generator) -> Floats:
        """Uniform in the smallest of an ellipsoid and two boxes, along the features or the principal axes.

        Given the objects that touch its surface, the others are uniform inside: nothing about the true region
        need be known.
        """
        n, d = self._shape
        reach = float(np.linalg.norm(self.axes.whitened(self.X), axis=1).max())
        unit_ball = d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1)
        scales = self.axes.spread / math.sqrt(n)
        if self._box.log_volume <= unit_ball + d * math.log(reach) + float(np.log(scales).sum()):
            shares = rng.random((n, d))
            shares -= shares.min(axis=0)
            return self._box.at(shares / shares.max(axis=0))
        directions = rng.standard_normal((n, d))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        radii = rng.random((n, 1)) ** (1 / d)
        return self.axes.back(directions * (radii * reach / radii.max()) * scales)

    def normal(self, rng: np.random.Generator) -> Floats:
        """One normal distribution, given exactly the mean and the covariances of the data.

        These are sufficient statistics: given them nothing about the distribution is unknown, so a comparison
        with such data keeps its level for any number of objects and features.
        """
        return self.axes.back(_frame(self._shape, rng) * self.axes.spread)

    def student(self, rng: np.random.Generator) -> Floats:
        """One Student distribution: as heavy-tailed as the data, which may mean normal."""
        if not self.has_heavy_tails:
            return self.normal(rng)
        drawn = self._student.draw(rng)
        return self.axes.back(drawn * self.axes.spread / math.sqrt(len(drawn)))

    def unimodal(self, rng: np.random.Generator) -> Floats:
        """Each feature from a distribution with a single peak near to it, however skewed or heavy-tailed.

        The dependence between features is that of a normal distribution with the correlations of the data's
        normal scores, or of a Student distribution where features of an object tend to be extreme together.
        """
        spread = self._score_axes.spread
        sizes = _student_sizes(rng.random((len(self.X), 1)), self._copula.heaviness)
        normal = (_frame((len(self.X), len(spread)), rng) * spread) @ self._score_axes.directions
        orders = np.argsort(sizes * normal, axis=0)
        shares = np.sort(rng.random(self.X.shape), axis=0)
        drawn = np.empty_like(self.X)
        for j, law in enumerate(self._features):
            drawn[orders[:, j], j] = law.quantiles(shares[:, j])
        return drawn

    def two_clusters(self, rng: np.random.Generator) -> Floats:
        """Two normal clusters of equal size that together have about the covariances of the data.

        They are 5 of their own standard deviations apart in a random direction, all directions being equally
        likely once the data have unit covariances: the clusters differ in many features, not only along the
        leading axis.
        """
        n, d = self._shape
        drawn = rng.standard_normal(self._shape)
        direction = rng.standard_normal(d)
        direction /= np.linalg.norm(direction)
        along = drawn @ direction
        mixed = along + SEPARATION / 2 * np.where(rng.permutation(n) < n // 2, 1.0, -1.0)
        mixed /= math.sqrt(1 + SEPARATION**2 / 4)
        drawn += (mixed - along)[:, None] * direction
        return self.axes.back(drawn * (self.axes.spread / math.sqrt(max(n - 1, 1))))


class _Student:
    """A Student distribution fitted to data with unit covariances.

    Centre and scatter are robust, so they do not follow the far objects. The degrees of freedom are those of
    which data, transformed in the same way, have robust distances from the centre that spread as widely.
    """

    def __init__(self, X: Floats, transform: Callable[[Floats], Floats]) -> None:
        self.shape = X.shape
        self.heaviness = 0.0
        n, d = X.shape
        if d == 1 or n <= d + 1:
            return
        self.middle, self.factor, wanted = _robust_fit(X)
        rng = np.random.default_rng(0)
        normal, shares = _frame(X.shape, rng) * math.sqrt(n), rng.random((n, 1))

        def spread_at(heaviness: float) -> float:
            _, factor, spread = _robust_fit(transform(normal * _student_sizes(shares, heaviness)))
            self.scale = float(np.linalg.norm(factor)) / math.sqrt(d)
            return spread

        low, high = 0.0, 1.0
        for _ in range(HALVINGS if spread_at(0.0) < wanted else 0):
            middle = (low + high) / 2
            low, high = (middle, high) if spread_at(middle) < wanted else (low, middle)
        self.heaviness = low
        spread_at(low)

    def draw(self, rng: np.random.Generator) -> Floats:
        """As many objects."""
        sizes = _student_sizes(rng.random((self.shape[0], 1)), self.heaviness)
        drawn = _frame(self.shape, rng) * (sizes * math.sqrt(self.shape[0]) / self.scale)
        return np.asarray(drawn @ self.factor.T + self.middle)


def _frame(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Normal data given that columns have mean 0, are uncorrelated and have unit sums of squares."""
    drawn = rng.standard_normal(shape)
    with one_blas_thread():
        frame, triangle = np.linalg.qr(drawn - drawn.mean(axis=0))
    # the signs make the frame uniform among all frames, whatever those of the decomposition are
    return np.asarray(frame * np.where(np.diag(triangle) < 0, -1.0, 1.0))


def _robust_fit(X: Floats) -> tuple[Floats, Floats, float]:
    """Centre and Cholesky factor of the scatter by Cauchy weights (kent1991), and the spread of distances.

    The spread is the variance of log(d + squared distance from the centre in units of the scatter).
    """
    d = X.shape[1]
    weights = np.full(len(X), 1 / len(X))
    for _ in range(REWEIGHTINGS + 1):
        middle = weights @ X
        centred = X - middle
        factor = np.linalg.cholesky((centred * weights[:, None]).T @ centred)
        squares = np.square(np.linalg.solve(factor, centred.T)).sum(axis=0)
        weights = 1 / (1 + squares)
        weights /= weights.sum()
    return middle, factor, float(np.log(d + squares).var())


def _student_sizes(shares: Floats, heaviness: float) -> Floats:
    """Factors that turn normal objects into those of a Student distribution, from uniform numbers."""
    from scipy.special import gammaincinv

    if not heaviness:
        return np.ones_like(shares)
    half = 0.5 / heaviness  # half of the degrees of freedom
    return np.asarray(np.sqrt(half / np.maximum(gammaincinv(half, shares), np.finfo(float).tiny)))


def _normal_scores(X: Floats) -> Floats:
    """The quantiles of the normal distribution at the ranks of each feature."""
    from scipy.special import ndtri

    ranks = np.argsort(np.argsort(X, axis=0, kind="stable"), axis=0)
    return np.asarray(ndtri((ranks + 0.5) / len(X)))
