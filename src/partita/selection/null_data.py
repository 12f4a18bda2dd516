"""Data without structure that looks like given data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from partita.arrays import Floats, one_blas_thread
from partita.selection.dips import Unimodal, evenly_thinned, unimodal_fit

FLAT = 1e-12
"""A principal axis with a smaller share of the largest deviation is none."""

HALVINGS = 6
"""By which the inverse of the degrees of freedom is known to 1 / 64."""


def uniform_like(X: Floats, rng: np.random.Generator) -> Floats:
    """As many objects, uniform in the box that the data fills along its principal axes (Tibshirani 2001)."""
    with one_blas_thread():
        middle = X.mean(axis=0)
        axes = np.linalg.svd(X - middle, full_matrices=False)[2]
        along = (X - middle) @ axes.T
        low, high = along.min(axis=0), along.max(axis=0)
        drawn: Floats = rng.uniform(low, high, size=(len(X), len(low))) @ axes + middle
    return drawn


def normal_like(X: Floats, rng: np.random.Generator) -> Floats:
    """As many objects, from one normal law with the mean and the covariances of the data."""
    with one_blas_thread():
        middle = X.mean(axis=0)
        _, spread, axes = np.linalg.svd(X - middle, full_matrices=False)
        drawn = rng.standard_normal((len(X), len(spread))) * (spread / np.sqrt(max(len(X) - 1, 1)))
        return np.asarray(drawn @ axes + middle)


@dataclass(frozen=True)
class Axes:
    """The principal axes of some data that it fills, by falling spread."""

    middle: Floats
    spread: Floats
    """Roots of the sums of squares along each axis."""
    directions: Floats

    @classmethod
    def of(cls, X: Floats) -> Axes:
        """Those along which the data have any spread, but one at least."""
        middle = X.mean(axis=0)
        with one_blas_thread():
            _, spread, directions = np.linalg.svd(X - middle, full_matrices=False)
        filled = max(int((spread > FLAT * spread[0]).sum()), 1)
        return cls(middle, spread[:filled], directions[:filled])

    def along(self, X: Floats) -> Floats:
        """Coordinates of objects on the axes."""
        with one_blas_thread():
            return np.asarray((X - self.middle) @ self.directions.T)

    def back(self, coordinates: Floats) -> Floats:
        """Objects from their coordinates."""
        with one_blas_thread():
            return np.asarray(coordinates @ self.directions + self.middle)


@dataclass(frozen=True)
class Box:
    """A box around some data, along the features or along the principal axes."""

    low: Floats
    high: Floats
    axes: Axes | None

    @classmethod
    def around(cls, X: Floats, axes: Axes) -> Box:
        """The smaller of the two.

        Data that vary alike in all directions have arbitrary principal axes, and a box along these may be far
        from filled by data that fill a box along the features.
        """
        along = axes.along(X)
        turned = cls(along.min(axis=0), along.max(axis=0), axes)
        straight = cls(X.min(axis=0), X.max(axis=0), None)
        fills_all = len(axes.spread) == X.shape[1] and bool((straight.high > straight.low).all())
        return straight if fills_all and straight.log_volume <= turned.log_volume else turned

    @property
    def log_volume(self) -> float:
        """The logarithm of the volume."""
        return float(np.log(self.high - self.low).sum())

    def places(self, n: int, rng: np.random.Generator) -> Floats:
        """So many places, uniform in the box."""
        return self._at(rng.random((n, len(self.low))))

    def filled(self, n: int, rng: np.random.Generator) -> Floats:
        """So many objects, uniform in the box but for those that touch its sides.

        Given the smallest and the largest value along each side, the others are uniform in between: nothing
        about the true box need be known.
        """
        shares = rng.random((n, len(self.low)))
        shares -= shares.min(axis=0)
        return self._at(shares / shares.max(axis=0))

    def _at(self, shares: Floats) -> Floats:
        inside = self.low + shares * (self.high - self.low)
        return inside if self.axes is None else self.axes.back(inside)


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid around some data, of the shape of its covariances."""

    reach: float
    """The largest distance from the mean in units of the spreads."""
    axes: Axes

    @classmethod
    def around(cls, X: Floats, axes: Axes) -> Ellipsoid:
        """The smallest of that shape and middle."""
        return cls(float(np.linalg.norm(axes.along(X) / axes.spread, axis=1).max()), axes)

    @property
    def log_volume(self) -> float:
        """The logarithm of the volume."""
        d = len(self.axes.spread)
        unit_ball = d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1)
        return unit_ball + d * math.log(self.reach) + float(np.log(self.axes.spread).sum())

    def filled(self, n: int, rng: np.random.Generator) -> Floats:
        """So many objects, uniform in the ellipsoid; the outermost touches its surface."""
        d = len(self.axes.spread)
        directions = rng.standard_normal((n, d))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        radii = rng.random((n, 1)) ** (1 / d)
        return self.axes.back(directions * (radii * self.reach / radii.max()) * self.axes.spread)


class NullLaws:
    """Laws without clusters, fitted to data; each draws as many objects."""

    def __init__(self, X: Floats) -> None:
        self.X = X
        self.axes = Axes.of(X)

    def fitted(self) -> NullLaws:
        """The same, with all fits made."""
        _ = self._region, self._features, self._heaviness
        return self

    def uniform(self, rng: np.random.Generator) -> Floats:
        """Uniform in the smallest of an ellipsoid and two boxes, along the features or the principal axes."""
        return self._region.filled(len(self.X), rng)

    def normal(self, rng: np.random.Generator) -> Floats:
        """One normal law, given exactly the mean and the covariances of the data.

        These are all that a normal sample says of its law. Given them nothing about it is unknown, so a
        comparison with such data keeps its level for any number of objects and features.
        """
        drawn = rng.standard_normal(self._shape)
        with one_blas_thread():
            frame, triangle = np.linalg.qr(drawn - drawn.mean(axis=0))
        # the signs make the frame uniform among all frames, whatever those of the decomposition are
        return self.axes.back(frame * np.where(np.diag(triangle) < 0, -1.0, 1.0) * self.axes.spread)

    def unimodal(self, rng: np.random.Generator) -> Floats:
        """Each feature from a law with a single peak near to it, however skewed or heavy-tailed.

        The features hang together as those of a normal law with the correlations of the data's normal scores;
        where the features of an object tend to be extreme together, as those of Student's law.
        """
        sizes = _student_sizes(rng.random((len(self.X), 1)), self._heaviness)
        orders = np.argsort(sizes * (self._scores.normal(rng) - self._scores.axes.middle), axis=0)
        shares = np.sort(rng.random(self.X.shape), axis=0)
        drawn = np.empty_like(self.X)
        for j, law in enumerate(self._features):
            drawn[orders[:, j], j] = law.quantiles(shares[:, j])
        return drawn

    def two_clusters(self, separation: float, rng: np.random.Generator) -> Floats:
        """Two normal clusters of equal size that together have the covariances of the data.

        They lie so many of their own deviations apart along the leading principal axis.
        """
        n = len(self.X)
        drawn = rng.standard_normal(self._shape)
        drawn[:, 0] += separation / 2 * np.where(rng.permutation(n) < n // 2, 1.0, -1.0)
        drawn[:, 0] /= math.sqrt(1 + separation**2 / 4)
        return self.axes.back(drawn * (self.axes.spread / math.sqrt(max(n - 1, 1))))

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.X), len(self.axes.spread)

    @cached_property
    def _region(self) -> Box | Ellipsoid:
        box, ellipsoid = Box.around(self.X, self.axes), Ellipsoid.around(self.X, self.axes)
        return box if box.log_volume <= ellipsoid.log_volume else ellipsoid

    @cached_property
    def _features(self) -> list[Unimodal]:
        return [unimodal_fit(evenly_thinned(np.sort(feature))) for feature in self.X.T]

    @cached_property
    def _scores(self) -> NullLaws:
        return NullLaws(_normal_scores(self.X))

    @cached_property
    def _heaviness(self) -> float:
        """One over the degrees of freedom of the Student law whose normal scores are as heavy as the data's.

        By how often features are extreme together, in one draw that is the same for all that are tried; 0, a
        normal law, if the data are not heavier. Not in units of the covariances: these follow outliers where
        objects are not many more than features.
        """
        if self._shape[1] == 1:
            return 0.0
        rng = np.random.default_rng(0)
        normal, shares = self._scores.normal(rng) - self._scores.axes.middle, rng.random((len(self.X), 1))
        wanted = _joint_extremes(self._scores.X)

        def is_too_light(heaviness: float) -> bool:
            return _joint_extremes(_normal_scores(_student_sizes(shares, heaviness) * normal)) < wanted

        low, high = 0.0, 1.0
        for _ in range(HALVINGS if is_too_light(0.0) else 0):
            middle = (low + high) / 2
            low, high = (middle, high) if is_too_light(middle) else (low, middle)
        return low


def _student_sizes(shares: Floats, heaviness: float) -> Floats:
    """What normal objects are multiplied by to follow Student's law, from shares between 0 and 1."""
    from scipy.special import gammaincinv

    if not heaviness:
        return np.ones_like(shares)
    half = 0.5 / heaviness  # half of the degrees of freedom
    return np.asarray(np.sqrt(half / np.maximum(gammaincinv(half, shares), np.finfo(float).tiny)))


def _normal_scores(X: Floats) -> Floats:
    """The quantiles of the normal law at the ranks of each feature."""
    from scipy.special import ndtri

    ranks = np.argsort(np.argsort(X, axis=0, kind="stable"), axis=0)
    return np.asarray(ndtri((ranks + 0.5) / len(X)))


def _joint_extremes(scores: Floats) -> float:
    """The mean fourth power of the distances from the middle: large if features are extreme together."""
    return float(np.square(np.square(scores).sum(axis=1)).mean())
