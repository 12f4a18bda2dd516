"""How wide clusters are and how far apart: around their centres, and by Bezdek and Pal's measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from partita.arrays import BLOCK_ROWS, MOST_DENSE_CELLS, Array, Floats, blocks, dense, map_blocks, read_only
from partita.errors import ParameterError, TooLargeError
from partita.partitions import FUZZY, HARD, HardPartition, Kind, MembershipPartition, Partition
from partita.statistics.cluster_moments import COINCIDENT, COMPILED_ROWS, ClusterMoments
from partita.statistics.distances import (
    MOST_SUMS,
    PRECOMPUTED,
    ObjectsByCluster,
    known_metric,
    work_of_pair,
)
from partita.statistics.object_pairs import OnBlock

QUIET: dict[str, Any] = {"over": "ignore", "invalid": "ignore"}
"""Squares that are too large for a number are told by ``overflows``, not by warnings."""

BLOCK_CELLS = 1 << 20
"""Distances to centres that one block holds: 8 MiB."""

MOST_BOUNDS = 1 << 22
"""Distances to centres (objects x clusters) that are held to leave out pairs: 32 MiB."""

BY_CENTERS = (4, 5)
"""The separations of Bezdek and Pal that need centres; of the diameters it is the third."""


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
    """A distance that rounding alone can make between two equal points."""
    return float(np.sqrt(COINCIDENT * moments.sst))


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


# --- Bezdek and Pal -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ClusterGaps:
    """How far apart clusters are, and how wide, each by one of the measures of Bezdek and Pal.

    Attributes
    ----------
    separations : array (k,)
        From each cluster that is not empty to the nearest other one; inf where there is none.
    diameters : array (k,)
        The width of each.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[tuple[str, ...]] = ("metric", "delta", "diameter")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})

    separations: Floats
    diameters: Floats
    names: tuple[Any, ...]
    kinds: tuple[Kind] = (HARD,)
    shape: tuple[int, ...] = ()

    @classmethod
    @np.errstate(**QUIET)
    def from_whole(
        cls,
        X: Array,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        metric: str = "euclidean",
        delta: int = 1,
        diameter: int = 1,
    ) -> ClusterGaps:
        """The gaps between all clusters.

        Parameters
        ----------
        X : array (n, d), or (n, n) distances for ``metric="precomputed"``
            The data.
        found : HardPartition
            The clustering.
        weight : array, optional
            Multiplicities.
        on_block : callable, optional
            Told how many blocks are done, of how many.
        metric : str
            One of SciPy's, or "precomputed".
        delta : {1, 2, 3, 4, 5, 6}
            Distance of two clusters: the least, largest or mean one between their objects; of their centres;
            mean of their objects to the other's centre; Hausdorff.
        diameter : {1, 2, 3}
            Width of a cluster: the largest or mean distance of its objects; twice the mean one to its centre.
        """
        assert isinstance(found, HardPartition)
        objects = ObjectsByCluster.of(X, found, weight, metric)
        if objects.metric == PRECOMPUTED and (delta in BY_CENTERS or diameter == 3):
            raise needs_centers(f"generalized_dunn with delta={delta}, diameter={diameter}", metric)
        measures = _Measures(objects, on_block)
        separations = measures.nearest if delta == 1 else _least_other(measures.between(delta))
        return cls(separations, measures.widths(diameter), objects.names)

    @staticmethod
    def pair_operations(
        X: Array, found: Partition, *, metric: str = "euclidean", delta: int = 1, diameter: int = 1
    ) -> float:
        """Pairs of objects, in units of ten features; 0 where only centres matter."""
        if delta in BY_CENTERS and diameter == 3:
            return 0.0
        return found.n_objects**2 / 2 * work_of_pair(X, metric)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are not empty."""
        return len(self.names)

    @property
    def overflows(self) -> bool:
        """Whether some distances are too large for a number."""
        return not (np.isfinite(self.diameters).all() and (self.n_clusters < 2 or self.separation < np.inf))

    @property
    def separation(self) -> float:
        """The least distance of two clusters."""
        return float(self.separations.min())

    @property
    def widest(self) -> float:
        """The largest diameter."""
        return float(self.diameters.max())


class _Measures:
    """Each of the measures, from as few looks at the distances as it needs."""

    def __init__(self, objects: ObjectsByCluster, on_block: OnBlock) -> None:
        self.objects = objects
        self.on_block = on_block
        self.runs_compiled = objects.is_compiled(objects.n)

    @property
    def nearest(self) -> Floats:
        """For each cluster the least distance to an object of another one."""
        return self._ends[0]

    def between(self, delta: int) -> Floats:
        """The distances of all pairs of clusters, ``(k, k)``."""
        k, sizes = self.objects.k, self.objects.sizes
        if k * k > MOST_DENSE_CELLS:
            raise TooLargeError(
                "the distances of all pairs of clusters do not fit.",
                got=f"{k} clusters",
                need=f"at most {int(MOST_DENSE_CELLS**0.5)}",
                fix="delta=1, which needs the nearest cluster of each only",
            )
        if delta == 2:
            far = np.full((k, k), -np.inf)
            for first, _, part in self._parts:
                here = far[first : first + len(part)]
                np.maximum(here, part, out=here)
            return self._scaled(np.maximum(far, far.T))
        if delta == 3:
            return np.asarray(self._sums / np.multiply.outer(sizes, sizes))
        if delta == 4:
            return self.objects.between(self._centers)
        if delta == 5:
            return np.asarray((self._to_centers + self._to_centers.T) / np.add.outer(sizes, sizes))
        directed = self._directed_hausdorff()
        return np.maximum(directed, directed.T)

    def widths(self, diameter: int) -> Floats:
        """The width of each cluster, ``(k,)``."""
        sizes = self.objects.sizes
        if diameter == 1:
            return self._ends[1]
        if diameter == 2:
            pairs = sizes * (sizes - 1.0)
            return np.where(pairs > 0, np.diagonal(self._sums) / np.where(pairs > 0, pairs, 1.0), 0.0)
        return np.asarray(2.0 * np.diagonal(self._to_centers) / sizes)

    def _scaled(self, ends: Floats) -> Floats:
        """Compiled loops leave Euclidean distances squared."""
        return np.sqrt(ends) if self.runs_compiled and self.objects.metric == "euclidean" else ends

    def _runs(self, rows: Array) -> Array:
        """Where among these rows another cluster begins."""
        return np.flatnonzero(np.diff(self.objects.codes[rows], prepend=-1))

    @cached_property
    def _parts(self) -> list[tuple[int, Floats, Floats]]:
        """For blocks of objects: their first cluster, and the ends from each of theirs to all, ``(c, k)``.

        The compiled ones see only pairs with objects from their own tile on.
        """
        every = np.arange(self.objects.n)
        return self.objects.over_rows(every, self._ends_of, self.on_block)

    def _ends_of(self, rows: Array) -> tuple[int, Floats, Floats]:
        o, starts = self.objects, self._runs(rows)
        if not self.runs_compiled:
            distances, bounds = o.distances(rows), o.bounds[:-1]
            low, high = (end.reduceat(distances, bounds, axis=1) for end in (np.minimum, np.maximum))
            return int(o.codes[rows[0]]), np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
        from partita.kernels.distances import TILE, column_ends

        tiles = np.arange(int(rows[0]) // TILE, -(-o.n // TILE))
        first = int(tiles[0]) * TILE
        c = o.codes[first]
        bounds = np.maximum(o.bounds[c:-1] - first, 0)
        low, high = np.full((starts.size, o.k), np.inf), np.full((starts.size, o.k), -np.inf)
        for run, chosen in enumerate(np.split(rows, starts[1:])):
            least, largest = column_ends(o.X[chosen], o.packed[0], tiles, o.metric == "cityblock")
            low[run, c:] = np.minimum.reduceat(least[: o.n - first], bounds)
            high[run, c:] = np.maximum.reduceat(largest[: o.n - first], bounds)
        return int(o.codes[rows[0]]), low, high

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """For each cluster the least distance to another one, and the largest inside it."""
        k = self.objects.k
        bounded = self.runs_compiled and self.objects.n * k <= MOST_BOUNDS
        away = self.objects.between(self.objects.X, self._centers) if bounded else None
        if away is not None and np.isfinite(away).all():
            return self._ends_within_bounds(away)
        near, far = np.full(k, np.inf), np.zeros(k)
        for first, low, high in self._parts:
            touched = np.arange(first, first + len(low))
            each = np.arange(len(low))
            far[touched] = np.maximum(far[touched], high[each, touched])
            others = low.copy()
            others[each, touched] = np.inf
            near[touched] = np.minimum(near[touched], others.min(axis=1))
            near = np.minimum(near, others.min(axis=0))
        return self._scaled(near), self._scaled(far)

    def _ends_within_bounds(self, away: Floats) -> tuple[Floats, Floats]:
        """The same, without the tiles that cannot hold an end, from the distances to all centres.

        Objects are taken from the outside of each cluster inwards. For x in i and y in j, d(x, y) is at least
        d(y, c_i) - d(x, c_i), and for both in i at most d(x, c_i) + d(y, c_i): most pairs of tiles cannot
        beat the first guesses. These are fixed beforehand, so that threads change nothing.
        """
        from partita.kernels.distances import TILE, column_ends

        o = self.objects
        if o.metric == "sqeuclidean":
            o, away = replace(o, metric="euclidean"), np.sqrt(away)
        radius = away[np.arange(o.n), o.codes]
        inwards = np.lexsort((-radius, o.codes))
        o = replace(o, X=o.X[inwards], order=o.order[inwards], weight=o.weight[inwards])
        away, radius = away[inwards], radius[inwards]
        slack = 1e-9 * float(away.max())
        starts = np.union1d(np.arange(0, o.n, TILE), o.bounds[:-1])
        stops = np.append(starts[1:], o.n)
        cluster, tile = o.codes[starts], starts // TILE
        outermost, inmost = np.maximum.reduceat(radius, starts), np.minimum.reduceat(away, starts)
        near, far = _first_guesses(o, away)
        _ = o.packed

        def of_segment(chosen: slice) -> tuple[Array, Floats, Floats]:
            s = chosen.start
            c = cluster[s]
            apart = np.maximum(inmost[:, c] - outermost[s], inmost[s, cluster] - outermost)
            wanted = np.where(
                cluster == c,
                outermost[s] + outermost + slack > far[c],
                apart - slack < np.maximum(near[c], near[cluster]),
            )
            wanted[s] = True
            tiles = np.unique(tile[s:][wanted[s:]])
            least, largest = column_ends(
                o.X[starts[s] : stops[s]], o.packed[0], tiles, o.metric == "cityblock"
            )
            seen = np.flatnonzero(np.isin(tile, tiles))
            place = (np.searchsorted(tiles, tile[seen]) - tile[seen]) * TILE
            used, first = place[-1] + stops[seen[-1]], place + starts[seen]
            return (
                cluster[seen],
                np.minimum.reduceat(least[:used], first),
                np.maximum.reduceat(largest[:used], first),
            )

        parts = map_blocks(of_segment, starts.size, 1, self.on_block)
        low, high = np.full(o.k, np.inf), np.zeros(o.k)
        for c, (others, least, largest) in zip(cluster, parts, strict=True):
            inside = others == c
            high[c] = max(high[c], largest[inside].max())
            low[c] = min(low[c], least[~inside].min(initial=np.inf))
            np.minimum.at(low, others[~inside], least[~inside])
        return self._scaled(low), self._scaled(high)

    @cached_property
    def _sums(self) -> Floats:
        """The weighted sums of the distances between the objects of each two clusters, both orders inside."""
        o = self.objects
        if self.runs_compiled and o.n * o.k <= MOST_SUMS:
            return np.add.reduceat(o.weight[:, None] * o.all_sums(self.on_block), o.bounds[:-1])

        def of_rows(rows: Array) -> tuple[int, Floats]:
            sums = o.weight[rows, None] * o.sums_of(rows, self.runs_compiled)
            return int(o.codes[rows[0]]), np.add.reduceat(sums, self._runs(rows))

        return self._added_up(o.over_rows(np.arange(o.n), of_rows, self.on_block))

    def _added_up(self, parts: list[tuple[int, Floats]]) -> Floats:
        """Rows of blocks, each from its first cluster on, added up."""
        total = np.zeros((self.objects.k, self.objects.k))
        for first, part in parts:
            total[first : first + len(part)] += part
        return total

    def _directed_hausdorff(self) -> Floats:
        """``[i, j]``: how far an object of one of the two clusters can be from the other cluster."""
        o = self.objects
        if self.runs_compiled:
            from partita.kernels.distances import TILE, column_ends

            _ = o.packed
            tiles = np.arange(-(-o.n // TILE))

            def of_cluster(chosen: slice) -> Floats:
                rows = slice(o.bounds[chosen.start], o.bounds[chosen.stop])
                least, _ = column_ends(o.X[rows], o.packed[0], tiles, o.metric == "cityblock")
                return np.maximum.reduceat(least[: o.n], o.bounds[:-1])

            return self._scaled(np.stack(map_blocks(of_cluster, o.k, 1, self.on_block)))

        def of_rows(rows: Array) -> tuple[int, Floats]:
            nearest = np.minimum.reduceat(o.distances(rows), o.bounds[:-1], axis=1)
            return int(o.codes[rows[0]]), np.maximum.reduceat(nearest, self._runs(rows))

        furthest = np.zeros((o.k, o.k))
        for first, part in o.over_rows(np.arange(o.n), of_rows, self.on_block):
            here = furthest[first : first + len(part)]
            np.maximum(here, part, out=here)
        return furthest

    @cached_property
    def _centers(self) -> Floats:
        """The weighted means, ``(k, d)``, taken from the first object of each cluster on."""
        o = self.objects
        away = (o.X - o.X[o.bounds[:-1]][o.codes]) * o.weight[:, None]
        return np.asarray(o.X[o.bounds[:-1]] + np.add.reduceat(away, o.bounds[:-1]) / o.sizes[:, None])

    @cached_property
    def _to_centers(self) -> Floats:
        """``[i, j]``: the weighted sum of the distances of the objects of i to the centre of j."""
        o = self.objects

        def of_rows(rows: Array) -> tuple[int, Floats]:
            away = o.weight[rows, None] * o.distances(rows, self._centers)
            return int(o.codes[rows[0]]), np.add.reduceat(away, self._runs(rows))

        return self._added_up(o.over_rows(np.arange(o.n), of_rows, None))


def _first_guesses(objects: ObjectsByCluster, away: Floats) -> tuple[Floats, Floats]:
    """For each cluster the distances of two objects that lie near to, or far from, each other.

    To another cluster it is that of the objects nearest to the other's centre, inside that of the outermost
    object, which comes first, and the one furthest from it.
    """
    bounds, X = objects.bounds, objects.X

    def lengths(gaps: Floats) -> Floats:
        if objects.metric == "cityblock":
            return np.asarray(np.abs(gaps).sum(axis=1))
        return np.asarray(np.sqrt((gaps * gaps).sum(axis=1)))

    gates = np.stack([away[a:b].argmin(axis=0) + a for a, b in pairwise(bounds)])
    near = np.full(objects.k, np.inf)
    for c in range(objects.k):
        across = lengths(X[gates[c]] - X[gates[:, c]])
        across[c] = np.inf
        near[c] = across.min()
    far = np.maximum.reduceat(lengths(X - X[bounds[:-1]][objects.codes]), bounds[:-1])
    return near, far


def _least_other(between: Floats) -> Floats:
    """For each cluster the least distance to another one."""
    apart = between.copy()
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1))
