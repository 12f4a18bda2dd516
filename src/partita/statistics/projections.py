"""Data along some directions: principal axes, boxes around data, and the direction of least kurtosis."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from partita.arrays import Floats, one_blas_thread

__all__ = ["Axes", "Box", "flattest_projection"]

FLAT = 1e-12
"""A principal axis with a smaller share of the largest deviation is ignored."""

STARTS = 4
"""Directions of each of two kinds from which the flattest projection is sought."""

STEPS = 15
"""Steps of the search. Any number gives a valid test."""


@dataclass(frozen=True)
class Axes:
    """The principal axes along which data have any spread, by falling spread; at least one."""

    middle: Floats
    spread: Floats
    """Square roots of the sums of squares along each axis."""
    directions: Floats

    @classmethod
    def of(cls, X: Floats, *, flat: bool = False) -> Axes:
        """The axes of the data; with ``flat`` those without spread too."""
        middle = X.mean(axis=0)
        with one_blas_thread():
            _, spread, directions = np.linalg.svd(X - middle, full_matrices=False)
        filled = len(spread) if flat else max(int((spread > FLAT * spread[0]).sum()), 1)
        return cls(middle, spread[:filled], directions[:filled])

    def along(self, X: Floats) -> Floats:
        """Coordinates of objects on the axes."""
        with one_blas_thread():
            return np.asarray((X - self.middle) @ self.directions.T)

    def whitened(self, X: Floats) -> Floats:
        """Coordinates on the axes with unit variances."""
        return np.asarray(self.along(X) / self.spread * math.sqrt(len(X)))

    def back(self, coordinates: Floats) -> Floats:
        """Objects from their coordinates."""
        with one_blas_thread():
            return np.asarray(coordinates @ self.directions + self.middle)


@dataclass(frozen=True)
class Box:
    """The smaller of two boxes around data, along the features or along the principal axes.

    Data that vary alike in all directions have arbitrary principal axes, and a box along these may be far
    from filled by data that fill a box along the features.
    """

    low: Floats
    high: Floats
    axes: Axes | None

    @classmethod
    def around(cls, X: Floats, axes: Axes) -> Box:
        """The box around the data."""
        along = axes.along(X)
        turned = cls(along.min(axis=0), along.max(axis=0), axes)
        straight = cls(X.min(axis=0), X.max(axis=0), None)
        fills_all = len(axes.spread) == X.shape[1] and bool((straight.high > straight.low).all())
        return straight if fills_all and straight.log_volume <= turned.log_volume else turned

    @property
    def log_volume(self) -> float:
        """The logarithm of the volume."""
        return float(np.log(self.high - self.low).sum())

    def at(self, shares: Floats) -> Floats:
        """The places at given shares of the sides."""
        inside = self.low + shares * (self.high - self.low)
        return inside if self.axes is None else self.axes.back(inside)


def flattest_projection(X: Floats) -> Floats:
    """Data with unit covariances along the direction of least kurtosis.

    Projected on the line between two clusters of similar size, which need not be a direction of large
    variance, the data have two peaks and the least kurtosis of all directions (pena2001). The search starts
    from the leading axes and from those along which far objects are few (cardoso1989), and each step of it
    lowers the kurtosis. Objects far from the centre are moved nearer, so that none of them decides alone.
    """
    n, d = X.shape
    lengths = np.linalg.norm(X, axis=1)
    near = X * np.minimum(1.0, (math.sqrt(d) + 2) / np.maximum(lengths, 1.0))[:, None]
    weighted = near * np.linalg.norm(near, axis=1)[:, None]
    flat = np.linalg.eigh(weighted.T @ weighted)[1]
    directions = np.hstack([np.eye(d)[:, :STARTS], flat[:, :STARTS]])
    for _ in range(STEPS):
        along = near @ directions
        directions = 3 * directions - near.T @ (along * along * along) / n
        directions /= np.linalg.norm(directions, axis=0)
    squares = np.square(near @ directions)
    kurtosis = np.square(squares).mean(axis=0) / np.square(squares.mean(axis=0))
    return np.asarray(X @ directions[:, np.argmin(kurtosis)])
