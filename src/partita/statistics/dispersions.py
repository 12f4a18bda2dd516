"""How wide clusters are and how far apart: around their centres, and by Bezdek and Pal's measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from partita.arrays import BLOCK_ROWS, Array, Floats, blocks, dense, read_only
from partita.errors import ParameterError
from partita.partitions import FUZZY, HARD, HardPartition, Kind, MembershipPartition, Partition
from partita.statistics.cluster_moments import COINCIDENT, COMPILED_ROWS, ClusterMoments
from partita.statistics.objects_by_cluster import known_metric

QUIET: dict[str, Any] = {"over": "ignore", "invalid": "ignore"}
"""Squares that are too large for a number are told by ``overflows``, not by warnings."""

MOST_OBJECTS = 1e10
"""More rows than data have: a larger number of objects comes from their weights."""

BLOCK_CELLS = 1 << 20
"""Distances to centres that one block holds: 8 MiB."""


# --- centres ------------------------------------------------------------------------------------------


def over_centers(
    moments: ClusterMoments, of_rows: Callable[[slice, Floats], Floats], p: float = 2.0
) -> Floats:
    """What ``of_rows`` makes of the distances of some centres to all, put together; empty clusters left out.

    A centre's distance to itself counts as inf; distances that rounding alone can make are 0.
    """
    centers = moments.from_mean[moments.filled]
    parts = []
    for rows in blocks(len(centers), max(1, BLOCK_CELLS // len(centers))):
        apart = _to_points(centers[rows], centers, p)
        apart[apart <= rounding(moments)] = 0.0
        apart[np.arange(len(apart)), np.arange(rows.start, rows.stop)] = np.inf
        parts.append(of_rows(rows, apart))
    return np.concatenate(parts)


@lru_cache(maxsize=4)
def nearest_centers(moments: ClusterMoments, p: float = 2.0) -> Floats:
    """For each cluster that is not empty the distance from its centre to the nearest other one.

    Kept, since each block of a second pass asks for it.
    """
    return read_only(over_centers(moments, lambda _, apart: apart.min(axis=1), p))


def rounding(moments: ClusterMoments) -> float:
    """A distance that rounding alone can make between two equal points.

    It grows with the root of the number of objects, but not with their weights.
    """
    objects = min(1.0, MOST_OBJECTS / float(moments.total))
    return float(np.sqrt(COINCIDENT * objects * moments.sst))


def _to_points(X: Floats, points: Floats, p: float) -> Floats:
    """Minkowski distances of rows to points."""
    from scipy.spatial.distance import cdist

    if p in (1.0, 2.0):
        return cdist(X, points, "euclidean" if p == 2.0 else "cityblock")
    return cdist(X, points, "minkowski", p=p)


def _to_centers(X: Floats, moments: ClusterMoments, p: float = 2.0) -> Floats:
    """Distances of objects to the centres of the clusters that are not empty, all seen from an object."""
    here = moments.origins[moments.weights.argmax()]
    filled = moments.filled
    return _to_points(X - here, (moments.origins[filled] - here) + moments.offsets[filled], p)


def _rows_of(found: HardPartition, moments: ClusterMoments) -> tuple[Array, int]:
    """Integers for the objects, and the one that stands for the first row of the moments."""
    if found.row_names == moments.names:
        values = found.values
        return (values if values.dtype in (np.int64, np.int32) else values.astype(np.int64)), found.low
    place = {name: row for row, name in enumerate(moments.names)}
    return np.array([place[name] for name in found.names], dtype=np.int64)[found.codes], 0


class _AroundCenters:
    """What statistics of a second pass share: they are built on the moments of the clusters."""

    moments: ClusterMoments
    needs: ClassVar[tuple[type, ...]] = (ClusterMoments,)
    shape: ClassVar[tuple[int, ...]] = ()

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

    @property
    def overflows(self) -> bool:
        """Whether some squares of distances are too large for a number."""
        return not np.isfinite(self.moments.sst)


@dataclass(frozen=True, eq=False)
class Dispersions(_AroundCenters):
    """How far the objects of each cluster lie from its centre: a second pass, when the centres are known.

    Object i counts in cluster j with ``sample_weight_i * u_ij ** m``. Rows are those of the moments.

    Attributes
    ----------
    moments : ClusterMoments
        Weights and centres.
    sums, squares : arrays (k,)
        Sums of the q-th power and of the square of the Minkowski distance to the centre.
    weights : array (k,)
        Sums of what the objects count.
    widest : array (k,)
        The largest distance to the centre of an object that counts.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[tuple[str, ...]] = ("q", "p", "m", "power")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})

    moments: ClusterMoments
    sums: Floats
    squares: Floats
    weights: Floats
    widest: Floats
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
        away = _to_centers(X, moments, p)
        each = counted[:, filled]
        made = np.zeros((4, filled.size))
        made[0, filled] = (each * away**q).sum(axis=0)
        made[1, filled] = (each * away * away).sum(axis=0)
        made[2, filled] = each.sum(axis=0)
        made[3, filled] = np.where(each > 0, away, 0.0).max(axis=0)
        return cls(moments, made[0], made[1], made[2], made[3], q, p)

    def __add__(self, other: Self) -> Self:
        """The sums over both sets of objects."""
        return replace(
            self,
            sums=self.sums + other.sums,
            squares=self.squares + other.squares,
            weights=self.weights + other.weights,
            widest=np.maximum(self.widest, other.widest),
        )

    @property
    def scatters(self) -> Floats:
        """The power mean of the distances in each cluster that is not empty."""
        filled = self.moments.filled
        return np.asarray((self.sums[filled] / self.weights[filled]) ** (1.0 / self.q))

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
) -> tuple[Floats, Floats, Floats, Floats]:
    """Sums, squares, weights and largest distances of a block of a hard partition."""
    rows, low = _rows_of(found, moments)
    k = moments.weights.size
    each = np.zeros(0) if weight is None else np.asarray(weight, dtype=np.float64)
    counts = each if each.size else None
    if rows.size >= COMPILED_ROWS:
        from partita.kernels.distances import own_distances

        sums, squares, widest = own_distances(
            np.ascontiguousarray(X), rows, low, moments.origins, moments.offsets, each, float(p), float(q)
        )
        return sums, squares, np.bincount(rows - low, counts, k).astype(np.float64), widest
    place = rows.astype(np.int64) - low
    away = np.abs((X - moments.origins[place]) - moments.offsets[place])
    distance = np.sqrt((away * away).sum(axis=1)) if p == 2.0 else (away**p).sum(axis=1) ** (1.0 / p)
    counted = np.ones(place.size) if counts is None else counts
    widest = np.zeros(k)
    np.maximum.at(widest, place, distance)
    return (
        _by_cluster(place, counted * distance**q, k),
        _by_cluster(place, counted * distance**2, k),
        _by_cluster(place, counted, k),
        widest,
    )


def _by_cluster(place: Array, values: Floats, k: int) -> Floats:
    return np.bincount(place, values, k).astype(np.float64)


class Radii(Dispersions):
    """The dispersions of hard clusters by Euclidean distance, for the quotient that franti2017 calls Dunn."""

    options: ClassVar[tuple[str, ...]] = ("metric",)
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
    options: ClassVar[tuple[str, ...]] = ()
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})

    moments: ClusterMoments
    sums: Floats
    printed: Floats

    @staticmethod
    def block_rows(X: Array, found: Partition) -> int:
        """How many objects one block holds."""
        width = max(int(X.shape[1]), found.span if isinstance(found, HardPartition) else found.n_clusters)
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
