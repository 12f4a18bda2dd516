"""The plane in which objects are drawn: two features, given coordinates, or principal components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Floats, one_blas_thread
from partita.errors import ParameterError, near_names
from partita.partitions import DataMatrix
from partita.plots.names import plain_name, short_name

__all__ = ["LinearMap", "Plane", "feature_plane", "given_plane", "hull_of", "principal_plane"]

MOST_SQUARED = 1000
"""Features whose covariances are decomposed as a whole; of more only the two largest axes are sought."""

LINE = 1e-9
"""Points that leave a line by a smaller share of its length have no hull."""


@dataclass(frozen=True, eq=False)
class LinearMap:
    """How data become points: ``(values - origin) @ directions + offset``."""

    origin: Floats
    directions: Floats
    offset: Floats

    def of(self, values: Floats) -> Floats:
        """Points of data."""
        with one_blas_thread():
            return np.asarray((values - self.origin) @ self.directions + self.offset)

    def covariance(self, of_values: Floats) -> Floats:
        """The covariance of points of data that have this one."""
        return np.asarray(self.directions.T @ of_values @ self.directions)


@dataclass(frozen=True, eq=False)
class Plane:
    """Where objects are drawn.

    Attributes
    ----------
    points : (n, 2) array
        Of all objects.
    x, y : str
        What the axes measure; nothing where the height means nothing.
    linear : LinearMap or None
        How points come from the data that were clustered, where that is linear.
    notes : tuple of str
        What must be said of it.
    """

    points: Floats
    x: str
    y: str
    linear: LinearMap | None = None
    notes: tuple[str, ...] = ()


def feature_plane(given: DataMatrix, features: Sequence[Any], scale: Floats | None, zero: Floats) -> Plane:
    """Two features in their own units.

    Parameters
    ----------
    given : DataMatrix
        In their own units.
    features : two names or positions
        A single one is drawn on a line, the objects spread in height so that they can be seen.
    scale, zero : arrays (d,)
        What a step of one, and zero, of the data as they were clustered are in these units; ``scale`` is None
        where that is not known.
    """
    columns = [_column(given, feature) for feature in features]
    names = [plain_name(given.features[j]) if given.features else f"column {j}" for j in columns]
    values = np.asarray(given.values[:, columns], dtype=np.float64)
    if len(columns) == 1:
        heights = np.arange(len(values)) * ((np.sqrt(5) - 1) / 2) % 1.0
        return Plane(
            np.column_stack([values[:, 0], heights]), names[0], "", None, ("height without a meaning",)
        )
    linear = None
    if scale is not None:
        directions = np.zeros((len(scale), 2))
        directions[columns, [0, 1]] = scale[columns]
        linear = LinearMap(np.zeros(len(scale)), directions, zero[columns])
    return Plane(values, names[0], names[1], linear)


def _column(given: DataMatrix, feature: Any) -> int:
    d = int(given.values.shape[1])
    if (
        isinstance(feature, (int, np.integer))
        and not isinstance(feature, bool)
        and feature not in given.features
    ):
        if -d <= feature < d:
            return int(feature) + d * (int(feature) < 0)
        raise ParameterError(
            "there is no such feature.",
            got=f"position {feature}",
            need=f"positions from 0 to {d - 1}",
            parameter="features",
        )
    if feature not in given.features:
        known = [str(name) for name in given.features] or [str(j) for j in range(d)]
        raise near_names(str(feature), known, noun="feature", parameter="features")
    return int(given.features.index(feature))


def given_plane(coordinates: DataMatrix, name: str) -> Plane:
    """Coordinates that the user has, such as an embedding; a frame names them."""
    if coordinates.values.shape[1] != 2:
        raise ParameterError(
            "coordinates are no points of a plane.",
            got=f"{coordinates.values.shape[1]} columns",
            need="an (n, 2) array or frame",
            parameter="coordinates",
        )
    own = [plain_name(one) for one in coordinates.features]
    x, y = own or (f"{short_name(name, 40)} {axis}" for axis in (1, 2))
    return Plane(np.asarray(coordinates.values, dtype=np.float64), x, y)


def principal_plane(clustered: DataMatrix) -> Plane:
    """The first two principal components, with their share of the variance.

    Parameters
    ----------
    clustered : DataMatrix
        As the data were clustered, of two features at least.
    """
    values = np.asarray(clustered.scaled, dtype=np.float64)
    middle = values.mean(axis=0)
    axes, variances, total = _leading_axes(values - middle)
    points = LinearMap(middle, axes, np.zeros(2)).of(values)
    exponent = clustered.exponent
    linear = LinearMap(np.ldexp(middle, exponent), axes, np.zeros(2))
    shares = [f" ({variance / total:.0%} of variance)" if total > 0 else "" for variance in variances]
    x, y = (f"principal component {i}{share}" for i, share in enumerate(shares, start=1))
    return Plane(np.ldexp(points, exponent), x, y, linear)


def _leading_axes(centred: Floats) -> tuple[Floats, Floats, float]:
    """Two axes as columns, each with its largest part positive; sums of squares along them, and of all."""
    d = centred.shape[1]
    total = float(np.square(centred).sum())
    with one_blas_thread():
        if d <= MOST_SQUARED:
            squares, axes = np.linalg.eigh(centred.T @ centred)
            squares, axes = squares[::-1][:2], axes[:, ::-1][:, :2]
        else:
            squares, axes = _two_axes(centred)
    largest = axes[np.abs(axes).argmax(axis=0), [0, 1]]
    return axes * np.where(largest < 0, -1.0, 1.0), np.maximum(squares, 0.0), total


def _two_axes(centred: Floats) -> tuple[Floats, Floats]:
    """The same from many features, without a matrix of all pairs of these."""
    if len(centred) <= MOST_SQUARED:
        _, strengths, axes = np.linalg.svd(centred, full_matrices=False)
        rows = np.eye(2, centred.shape[1])
        rows[: len(axes[:2])] = axes[:2]
        return np.square(np.r_[strengths, 0.0][:2]), rows.T
    from scipy.sparse.linalg import svds

    start = np.random.default_rng(0).standard_normal(min(centred.shape))
    _, strengths, axes = svds(centred, k=2, v0=start)
    return np.square(strengths[::-1]), axes[::-1].T


def hull_of(points: Floats) -> list[list[float]]:
    """The corners of the convex hull of points, in order; none where they lie on a line."""
    from scipy.spatial import ConvexHull, QhullError

    low, span = points.min(axis=0), np.ptp(points, axis=0)
    if len(points) < 3 or not (span > 0).all():
        return []
    unit = (points - low) / span
    centred = unit - unit.mean(axis=0)
    strengths = np.sqrt(np.maximum(np.linalg.eigvalsh(centred.T @ centred), 0.0))
    if strengths[0] <= LINE * strengths[1]:
        return []
    try:
        corners = ConvexHull(unit).vertices
    except QhullError:
        return []
    found: list[list[float]] = points[corners].tolist()
    return found
