"""How wide clusters are and how far apart: around their centres, and by Bezdek and Pal's measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import numpy as np

from partita.arrays import BLOCK_ROWS, Array, Floats, blocks, dense, is_sparse, read_only
from partita.errors import ParameterError, TooLargeError
from partita.partitions import FUZZY, HARD, HardPartition, Kind, MembershipPartition, Partition
from partita.statistics.clusters.moments import COINCIDENT, COMPILED_ROWS, ClusterMoments
from partita.statistics.clusters.sparse_data import (
    squared_to_all,
    squared_to_own,
    too_many_centers,
    values_of_object,
)
from partita.statistics.distances.objects_by_cluster import MOST_OPERATIONS, NEAR, known_metric
from partita.statistics.options import Above
from partita.statistics.protocol import Additive, Statistic

QUIET: dict[str, Any] = {"over": "ignore", "invalid": "ignore"}
"""Ratios of nothing by nothing are told by limits, not by warnings."""

MOST_OBJECTS = 1e10
"""More rows than data have: a larger number of objects comes from their weights."""

BLOCK_CELLS = 1 << 20
"""Distances to centres that one block holds: 8 MiB."""

ROOT_OR_SUM = (1.0, 2.0)
"""The powers that need no care."""

Points: TypeAlias = tuple[Floats, Floats]
"""Places, each as a point near by and the way from there, so that a large offset costs no digits."""


PAIRS_OF_CENTERS = "too many centres to look at all distances from them"


def center_operations(X: Array, found: Partition, **_options: Any) -> float:
    """The work on all pairs of centres, in units of ten features."""
    return found.n_clusters**2 / 2 * max(float(X.shape[1]) / 10.0, 0.1)


# --- centres ------------------------------------------------------------------------------------------


def over_centers(
    moments: ClusterMoments, of_rows: Callable[[slice, Floats], Floats], p: float = 2.0
) -> Floats:
    """What ``of_rows`` makes of the distances of some centres to all, put together; empty clusters left out.

    A centre's distance to itself counts as inf; distances that rounding alone can make are 0.
    """
    operations = moments.n_clusters**2 / 2 * max(moments.d / 10.0, 0.1)
    if operations > MOST_OPERATIONS:
        raise TooLargeError(
            "so many pairs of centres take long, and nothing shows how far it is.",
            got=f"{moments.n_clusters} clusters, {operations:.1e} distances of ten features",
            need=f"at most {MOST_OPERATIONS:.0e}",
            fix="an index without pairs of centres, such as calinski_harabasz",
        )
    centers, noise = moments.from_mean[moments.filled], rounding(moments)
    places = moments.origins[moments.filled], moments.offsets[moments.filled]
    extent = max(float(np.abs(centers).max()), 2.0 * float(noise.max()) / NEAR)
    parts = []
    for rows in blocks(len(centers), max(1, BLOCK_CELLS // len(centers))):
        apart = _to_points(centers[rows], centers, p)
        near = _look_closely(apart, (places[0][rows], places[1][rows]), places, extent, p)
        alike = apart[near] <= noise[near[0] + rows.start] + noise[near[1]]
        apart[near[0][alike], near[1][alike]] = 0.0
        apart[np.arange(len(apart)), np.arange(rows.start, rows.stop)] = np.inf
        parts.append(of_rows(rows, apart))
    return np.concatenate(parts)


@lru_cache(maxsize=4)
def nearest_centers(moments: ClusterMoments, p: float = 2.0) -> Floats:
    """For each cluster that is not empty the distance from its centre to the nearest other one.

    Kept, since each block of a second pass asks for it.
    """
    return read_only(over_centers(moments, lambda _, apart: apart.min(axis=1), p))


@lru_cache(maxsize=4)
def rounding(moments: ClusterMoments) -> Floats:
    """How far rounding alone can move the centre of each cluster that is not empty.

    A centre is a mean of ways from its origin, so its error is a share of how long these are; it grows with
    the root of their number, but not with their weights.
    """
    filled = moments.filled
    ways = np.sqrt(moments.within[filled] / moments.weights[filled]) + lengths(moments.offsets[filled], 2.0)
    objects = np.clip(float(moments.total), 1.0, MOST_OBJECTS)
    return read_only(np.sqrt(COINCIDENT * objects) * ways)


def lengths(gaps: Floats, p: float) -> Floats:
    """Minkowski norms over the last axis; large powers are taken of shares of the largest component."""
    if p == 1.0:
        return np.asarray(np.abs(gaps).sum(axis=-1))
    if p == 2.0:
        return np.asarray(np.sqrt((gaps * gaps).sum(axis=-1)))
    sizes = np.abs(gaps)
    largest = sizes.max(axis=-1)
    unit = np.where(largest > 0, largest, 1.0)
    return np.asarray(largest * ((sizes / unit[..., None]) ** p).sum(axis=-1) ** (1.0 / p))


def _to_points(X: Floats, points: Floats, p: float) -> Floats:
    """Minkowski distances of rows to points."""
    from scipy.spatial.distance import cdist

    if p in (1.0, 2.0):
        return cdist(X, points, "euclidean" if p == 2.0 else "cityblock")
    made = np.empty((len(X), len(points)))
    for rows in blocks(len(X), max(1, BLOCK_CELLS // points.size)):
        made[rows] = lengths(X[rows, None] - points, p)
    return made


def _look_closely(
    apart: Floats, first: Points, second: Points, extent: float, p: float
) -> tuple[Array, Array]:
    """Take small distances again from the points' own origins: what is far off has lost their digits.

    Which ones these are is returned.
    """
    rows, columns = np.nonzero(apart < NEAR * extent)
    for part in blocks(rows.size, BLOCK_CELLS // 4):
        i, j = rows[part], columns[part]
        gaps = (first[0][i] - second[0][j]) + (first[1][i] - second[1][j])
        apart[i, j] = lengths(gaps, p)
    return rows, columns


def _to_centers(X: Floats, moments: ClusterMoments, p: float = 2.0) -> Floats:
    """Distances of objects to the centres of the clusters that are not empty."""
    if is_sparse(X):
        return _sparse_to_centers(X, moments, p)
    here = moments.origins[moments.weights.argmax()]
    origins, offsets = moments.origins[moments.filled], moments.offsets[moments.filled]
    points = (origins - here) + offsets
    apart = _to_points(X - here, points, p)
    _look_closely(apart, (X, np.zeros_like(X)), (origins, offsets), np.abs(points).max(), p)
    return apart


def _sparse_to_centers(X: Any, moments: ClusterMoments, p: float) -> Floats:
    """The same of sparse objects, which all but Euclidean distances need written out, some at a time."""
    if p == 2.0:
        return np.sqrt(squared_to_all(X, moments.origins[moments.filled], moments.offsets[moments.filled]))
    parts = blocks(X.shape[0], max(1, BLOCK_CELLS // X.shape[1]))
    return np.concatenate([_to_centers(dense(X[part]), moments, p) for part in parts])


def _to_own(X: Array, place: Array, moments: ClusterMoments, p: float) -> Floats:
    """Distances of objects to the centres at their places."""
    if not is_sparse(X):
        return lengths((X - moments.origins[place]) - moments.offsets[place], p)
    if p == 2.0:
        return np.sqrt(squared_to_own(X, place, moments.origins, moments.offsets))
    parts = blocks(X.shape[0], max(1, BLOCK_CELLS // X.shape[1]))
    return np.concatenate([_to_own(dense(X[part]), place[part], moments, p) for part in parts])


def _rows_of(found: HardPartition, moments: ClusterMoments) -> tuple[Array, int]:
    """Integers for the objects, and the one that stands for the first row of the moments."""
    if found.row_names == moments.names:
        values = found.values
        return (values if values.dtype in (np.int64, np.int32) else values.astype(np.int64)), found.low
    place = {name: row for row, name in enumerate(moments.names)}
    return np.array([place[name] for name in found.names], dtype=np.int64)[found.codes], 0


class _AroundCenters(Additive):
    """What statistics of a second pass share: they are built on the moments of the clusters."""

    moments: ClusterMoments
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"moments": ClusterMoments}
    why_costly: ClassVar[str] = PAIRS_OF_CENTERS
    pair_operations = staticmethod(center_operations)
    why_not_sparse = staticmethod(too_many_centers)

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return self.moments.kinds

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are not empty."""
        return self.moments.n_clusters

    @property
    def total(self) -> float:
        """The number of objects, or the sum of their weights."""
        return float(self.moments.total)


@dataclass(frozen=True)
class DispersionOptions:
    """Powers: of distances, of the norm, of memberships for distances and for centres."""

    q: Annotated[float, Above(0)] = 1.0
    p: Annotated[float, Above(0)] = 2.0
    m: Annotated[float | None, Above(0)] = None
    power: Annotated[float, Above(0)] = 2.0


@dataclass(frozen=True, eq=False)
class Dispersions(_AroundCenters):
    """How far the objects of each cluster lie from its centre: a second pass, when the centres are known.

    Object i counts in cluster j with ``sample_weight_i * u_ij ** m``. Rows are those of the moments.

    Attributes
    ----------
    moments : ClusterMoments
        Weights and centres.
    sums, squares : arrays (k,)
        Sums of the q-th power, in the given unit, and of the square of the Minkowski distance to the centre.
    weights : array (k,)
        Sums of what the objects count.
    widest : array (k,)
        The largest distance to the centre of an object that counts.
    units : array (k,)
        The unit of the q-th powers: 1 for q = 1 and 2, else the largest distance, so that none overflows.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = DispersionOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})

    moments: ClusterMoments
    sums: Floats
    squares: Floats
    weights: Floats
    widest: Floats
    units: Floats
    q: float
    p: float

    @staticmethod
    def block_rows(X: Array, found: Partition) -> int:
        """How many objects one block holds."""
        if isinstance(found, HardPartition):
            return ClusterMoments.block_rows(X, found)
        return max(min(BLOCK_ROWS, BLOCK_CELLS // found.n_clusters), 256)

    @classmethod
    @np.errstate(**QUIET)
    def from_block(
        cls,
        X: Array,
        found: Partition,
        moments: ClusterMoments,
        weight: Array | None = None,
        *,
        q: float = 1.0,
        p: float = 2.0,
        m: float | None = None,
        power: float = 2.0,
    ) -> Self:
        """The sums over one block of objects; m is the power of the centres where it is not given."""
        if isinstance(found, HardPartition):
            return cls(moments, *_own(X, found, moments, weight, q, p), q, p)
        assert isinstance(found, MembershipPartition)
        counted = dense(found.block(slice(None))) ** (power if m is None else m)
        if weight is not None:
            counted *= weight[:, None]
        filled = moments.filled
        made = np.zeros((4, filled.size))
        if not filled.any():
            return cls(moments, made[0], made[1], made[2], made[3], np.ones(filled.size), q, p)
        away = _to_centers(X, moments, p)
        each = counted[:, filled]
        made[3, filled] = np.where(each > 0, away, 0.0).max(axis=0)
        units = _units(made[3], q)
        made[0, filled] = (each * (np.where(each > 0, away, 0.0) / units[filled]) ** q).sum(axis=0)
        made[1, filled] = (each * away * away).sum(axis=0)
        made[2, filled] = each.sum(axis=0)
        return cls(moments, made[0], made[1], made[2], made[3], units, q, p)

    def __add__(self, other: Self) -> Self:
        """The sums over both sets of objects."""
        widest = np.maximum(self.widest, other.widest)
        units = _units(widest, self.q)
        return replace(
            self,
            sums=self.sums * (self.units / units) ** self.q + other.sums * (other.units / units) ** self.q,
            squares=self.squares + other.squares,
            weights=self.weights + other.weights,
            widest=widest,
            units=units,
        )

    @property
    def scatters(self) -> Floats:
        """The power mean of the distances in each cluster that is not empty."""
        filled = self.moments.filled
        return np.asarray(self.units[filled] * (self.sums[filled] / self.weights[filled]) ** (1.0 / self.q))

    @property
    def mean_squares(self) -> Floats:
        """The mean squared distance in each cluster that is not empty."""
        filled = self.moments.filled
        return np.asarray(self.squares[filled] / self.weights[filled])

    @property
    def nearest_centers(self) -> Floats:
        """For each cluster that is not empty the distance from its centre to the nearest other one."""
        return nearest_centers(self.moments, self.p)

    @cached_property
    def overlaps(self) -> Floats:
        """The largest (S_i + S_j) / d_ij of each cluster; inf where centres coincide, nan for 0/0."""
        return self._overlaps(self.scatters, 1)

    @cached_property
    def squared_overlaps(self) -> Floats:
        """The same with mean squared distances over squared distances."""
        return self._overlaps(self.mean_squares, 2)

    def _overlaps(self, scatters: Floats, power: int) -> Floats:
        def worst(rows: slice, apart: Floats) -> Floats:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = (scatters[rows, None] + scatters) / apart**power
            return np.asarray(ratios.max(axis=1))

        return over_centers(self.moments, worst, self.p)


def _own(
    X: Array, found: HardPartition, moments: ClusterMoments, weight: Array | None, q: float, p: float
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Sums, squares, weights, largest distances and units of a block of a hard partition."""
    rows, low = _rows_of(found, moments)
    k = moments.weights.size
    each = np.zeros(0) if weight is None else np.asarray(weight, dtype=np.float64)
    counts = each if each.size else None
    if not is_sparse(X) and rows.size >= COMPILED_ROWS and p in ROOT_OR_SUM and q in ROOT_OR_SUM:
        from partita.kernels.distances import own_distances

        sums, squares, widest = own_distances(
            np.ascontiguousarray(X), rows, low, moments.origins, moments.offsets, each, p == 1.0, q == 1.0
        )
        weights = np.bincount(rows - low, counts, k).astype(np.float64)
        return sums, squares, weights, widest, np.ones(k)
    place = rows.astype(np.int64) - low
    distance = _to_own(X, place, moments, p)
    counted = np.ones(place.size) if counts is None else counts
    widest = np.zeros(k)
    np.maximum.at(widest, place, distance)
    units = _units(widest, q)
    return (
        _by_cluster(place, counted * (distance / units[place]) ** q, k),
        _by_cluster(place, counted * distance**2, k),
        _by_cluster(place, counted, k),
        widest,
        units,
    )


def _units(widest: Floats, q: float) -> Floats:
    """For each cluster the unit in which the q-th power of no distance overflows."""
    return np.ones(widest.size) if q in ROOT_OR_SUM else np.where(widest > 0, widest, 1.0)


def _by_cluster(place: Array, values: Floats, k: int) -> Floats:
    return np.bincount(place, values, k).astype(np.float64)


@dataclass(frozen=True)
class RadiusOptions:
    """The distance of objects."""

    metric: str = "euclidean"


class Radii(Dispersions):
    """The dispersions of hard clusters by Euclidean distance, for the quotient that franti2017 calls Dunn."""

    options: ClassVar[type[Any]] = RadiusOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})

    @classmethod
    def from_block(  # type: ignore[override]
        cls,
        X: Array,
        found: Partition,
        moments: ClusterMoments,
        weight: Array | None = None,
        *,
        metric: str = "euclidean",
    ) -> Self:
        """The sums over one block of objects."""
        if known_metric(metric) != "euclidean":
            raise needs_centers('variant="slide" of dunn', metric)
        return super().from_block(X, found, moments, weight)

    @property
    def shares(self) -> Floats:
        """The largest squared distance as a share of their sum, for each cluster; nan where that is 0."""
        filled = self.moments.filled
        with np.errstate(invalid="ignore"):
            return np.asarray(self.widest[filled] ** 2 / self.squares[filled])


def needs_centers(what: str, metric: str) -> ParameterError:
    """The error for a metric that knows no centres."""
    return ParameterError(
        f"{what} measures distances to the centres of clusters.",
        got=f"metric={metric!r}",
        need='data and metric="euclidean"',
        fix="silhouette and dunn take any metric, and distances computed beforehand",
    )


@dataclass(frozen=True, eq=False)
class CentroidSilhouettes(_AroundCenters):
    """Silhouettes from distances to centres instead of objects, summed over the objects of each cluster.

    Attributes
    ----------
    moments : ClusterMoments
        Weights and centres; rows are its rows.
    sums : array (k,)
        The simplified silhouettes: a is the distance to the own centre, b that to the nearest other one.
    printed : array (k,)
        The form on franti2017's slide: a is the mean squared distance to the other objects of the cluster, b
        the squared distance from its centre to the nearest other one.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})

    moments: ClusterMoments
    sums: Floats
    printed: Floats

    @staticmethod
    def pair_operations(X: Array, found: Partition, **_options: Any) -> float:
        """The distances of all objects to all centres, and of these, in units of ten features."""
        features = values_of_object(X) if is_sparse(X) else float(X.shape[1])
        work = found.n_objects * found.n_clusters * max(features / 10.0, 0.1)
        return work + center_operations(X, found)

    @staticmethod
    def block_rows(X: Array, found: Partition) -> int:
        """How many objects one block holds."""
        width = found.span if isinstance(found, HardPartition) else found.n_clusters
        width = width if is_sparse(X) else max(int(X.shape[1]), width)
        return max(min(BLOCK_ROWS, BLOCK_CELLS // width), 64)

    @classmethod
    @np.errstate(**QUIET)
    def from_block(
        cls, X: Array, found: Partition, moments: ClusterMoments, weight: Array | None = None
    ) -> CentroidSilhouettes:
        """The sums over one block of objects."""
        assert isinstance(found, HardPartition)
        rows, low = _rows_of(found, moments)
        place = rows.astype(np.int64) - low
        k = moments.weights.size
        if moments.n_clusters < 2:
            return cls(moments, np.zeros(k), np.zeros(k))
        column = np.cumsum(moments.filled) - 1
        away = _to_centers(X, moments)
        away[away <= rounding(moments)] = 0.0
        every = np.arange(place.size)
        own = away[every, column[place]]
        away[every, column[place]] = np.inf
        size = moments.weights[place]
        others = np.where(size > 1, size - 1.0, 1.0)
        mean_square = (size * own * own + moments.within[place]) / others
        nearest = nearest_centers(moments)[column[place]]
        each = (size > 1) * (np.ones(place.size) if weight is None else weight)
        sums = _by_cluster(place, each * _silhouette(own, away.min(axis=1)), k)
        return cls(moments, sums, _by_cluster(place, each * _silhouette(mean_square, nearest**2), k))

    def __add__(self, other: CentroidSilhouettes) -> CentroidSilhouettes:
        """The sums over both sets of objects."""
        return replace(self, sums=self.sums + other.sums, printed=self.printed + other.printed)


def _silhouette(a: Floats, b: Floats) -> Floats:
    larger = np.maximum(a, b)
    return np.where(larger > 0, (b - a) / np.where(larger > 0, larger, 1.0), 0.0)
