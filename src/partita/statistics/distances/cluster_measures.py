"""Distances and widths of clusters by the measures of Bezdek and Pal, from as few looks as each needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from partita.arrays import MOST_DENSE_CELLS, Array, Floats, map_blocks
from partita.errors import TooLargeError
from partita.statistics.distances.connectivity import ConnectedObjects
from partita.statistics.distances.objects_by_cluster import MOST_SUMS, ObjectsByCluster
from partita.statistics.protocol import OnBlock

MOST_BOUNDS = 1 << 22
"""Distances to centres (objects x clusters) that are held to leave out pairs: 32 MiB."""

WORTH_A_GLANCE = 1e9
"""Pairs of objects times features from which single precision, compiled too, tells where the ends lie."""


class ClusterMeasures:
    """Each of the measures, from as few looks at the distances as it needs."""

    def __init__(self, objects: ObjectsByCluster, on_block: OnBlock) -> None:
        self.objects = objects
        self.on_block = on_block
        self.runs_compiled = objects.is_compiled(objects.n)

    @property
    def nearest(self) -> Floats:
        """For each cluster the least distance to an object of another one."""
        return self.ends[0]

    def between(self, delta: int) -> Floats:
        """The distances of all pairs of clusters, ``(k, k)``."""
        k, sizes = self.objects.k, self.objects.sizes
        refuse_many_clusters(k)
        if delta == 2:
            return self.furthest
        if delta == 3:
            return np.asarray(self.sums / np.multiply.outer(sizes, sizes))
        if delta == 4:
            return self.objects.to_centers(*self._places, *self._places)
        if delta == 5:
            return np.asarray((self._to_centers + self._to_centers.T) / np.add.outer(sizes, sizes))
        directed = self._directed_hausdorff()
        return np.maximum(directed, directed.T)

    @property
    def furthest(self) -> Floats:
        """The largest distances between the objects of each two clusters, ``(k, k)``."""
        far = np.full((self.objects.k, self.objects.k), -np.inf)
        for first, _, part in self._parts:
            here = far[first : first + len(part)]
            np.maximum(here, part, out=here)
        return self._scaled(np.maximum(far, far.T))

    def widths(self, diameter: int) -> Floats:
        """The width of each cluster, ``(k,)``."""
        sizes = self.objects.sizes
        if diameter == 1:
            return self.ends[1]
        if diameter == 2:
            return mean_widths(self.sums, sizes)
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
        ends_of = column_ends.times(o.k)
        low, high = np.full((starts.size, o.k), np.inf), np.full((starts.size, o.k), -np.inf)
        for run, chosen in enumerate(np.split(rows, starts[1:])):
            least, largest = ends_of(o.X[chosen], o.packed[0], tiles, o.metric == "cityblock")
            low[run, c:] = np.minimum.reduceat(least[: o.n - first], bounds)
            high[run, c:] = np.maximum.reduceat(largest[: o.n - first], bounds)
        return int(o.codes[rows[0]]), low, high

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """For each cluster the least distance to another one, and the largest inside it."""
        if isinstance(self.objects, ConnectedObjects):
            return self.objects.ends
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
        o = self.objects
        if o.metric == "sqeuclidean":
            o, away = replace(o, metric="euclidean"), np.sqrt(away)
        radius = away[np.arange(o.n), o.codes]
        inwards = np.lexsort((-radius, o.codes))
        o = replace(o, X=o.X[inwards], order=o.order[inwards], weight=o.weight[inwards])
        away, radius = away[inwards], radius[inwards]
        segments = _Segments.of(o)
        in_reach = segments.within_bounds(away, radius, *_first_guesses(o, away))
        _ = o.packed
        if o.n**2 * o.X.shape[1] < WORTH_A_GLANCE:
            parts = segments.ends(in_reach, o.X, o.packed[0], self.on_block)
        else:
            likely = segments.at_a_glance(in_reach, self.on_block)
            parts = segments.ends(likely.__getitem__, o.X, o.packed[0])
        low, high = np.full(o.k, np.inf), np.zeros(o.k)
        for c, (seen, least, largest) in zip(segments.cluster, parts, strict=True):
            others = segments.cluster[seen]
            inside = others == c
            high[c] = max(high[c], largest[inside].max(initial=0.0))
            low[c] = min(low[c], least[~inside].min(initial=np.inf))
            np.minimum.at(low, others[~inside], least[~inside])
        return self._scaled(low), self._scaled(high)

    @cached_property
    def sums(self) -> Floats:
        """The weighted sums of the distances between the objects of each two clusters, both orders inside."""
        o = self.objects
        if self.runs_compiled and o.n * o.k <= MOST_SUMS:
            return np.add.reduceat(o.weight[:, None] * o.all_sums(self.on_block), o.bounds[:-1])

        def of_rows(rows: Array) -> tuple[int, Floats]:
            sums = o.weight[rows, None] * o.sums_of(rows, self.runs_compiled)
            return int(o.codes[rows[0]]), np.add.reduceat(sums, self._runs(rows))

        return self._added_up(o.over_rows(np.arange(o.n), of_rows, self.on_block, of_sums=True))

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
            ends_of = column_ends.times(o.k)

            def of_cluster(chosen: slice) -> Floats:
                rows = slice(o.bounds[chosen.start], o.bounds[chosen.stop])
                least, _ = ends_of(o.X[rows], o.packed[0], tiles, o.metric == "cityblock")
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
    def _places(self) -> tuple[Floats, Floats]:
        """The weighted means, ``(k, d)``: the first object of each cluster, and the way from there."""
        o = self.objects
        first = o.X[o.bounds[:-1]]
        away = (o.X - first[o.codes]) * o.weight[:, None]
        return first, np.asarray(np.add.reduceat(away, o.bounds[:-1]) / o.sizes[:, None])

    @property
    def _centers(self) -> Floats:
        """The weighted means themselves."""
        return self._places[0] + self._places[1]

    @cached_property
    def _to_centers(self) -> Floats:
        """``[i, j]``: the weighted sum of the distances of the objects of i to the centre of j."""
        o = self.objects

        def of_rows(rows: Array) -> tuple[int, Floats]:
            points = o.X[rows]
            away = o.weight[rows, None] * o.to_centers(points, np.zeros_like(points), *self._places)
            return int(o.codes[rows[0]]), np.add.reduceat(away, self._runs(rows))

        return self._added_up(o.over_rows(np.arange(o.n), of_rows, None))


@dataclass(frozen=True)
class _Segments:
    """Objects by cluster and, from the outside of each inwards, in pieces that lie in one tile each."""

    objects: ObjectsByCluster
    starts: Array
    stops: Array
    cluster: Array
    tile: Array

    @classmethod
    def of(cls, objects: ObjectsByCluster) -> _Segments:
        """The longest such pieces."""
        from partita.kernels.distances import TILE

        starts = np.union1d(np.arange(0, objects.n, TILE), objects.bounds[:-1])
        return cls(objects, starts, np.append(starts[1:], objects.n), objects.codes[starts], starts // TILE)

    def within_bounds(
        self, away: Floats, radius: Floats, near: Floats, far: Floats
    ) -> Callable[[int], Array]:
        """For a segment the tiles, from its own on, that may hold an end: see `_ends_within_bounds`."""
        cluster, slack = self.cluster, 1e-9 * float(away.max())
        outermost, inmost = np.maximum.reduceat(radius, self.starts), np.minimum.reduceat(away, self.starts)

        def in_reach(s: int) -> Array:
            c = cluster[s]
            apart = np.maximum(inmost[:, c] - outermost[s], inmost[s, cluster] - outermost)
            wanted = np.where(
                cluster == c,
                outermost[s] + outermost + slack > far[c],
                apart - slack < np.maximum(near[c], near[cluster]),
            )
            wanted[s] = True
            return np.unique(self.tile[s:][wanted[s:]])

        return in_reach

    def ends(
        self, tiles_of: Callable[[int], Array], X: Array, packed: Array, on_block: OnBlock = None
    ) -> list[tuple[Array, Array, Array]]:
        """For each segment the segments in its tiles, and the least and largest distance to each of them."""
        from partita.kernels.distances import TILE, column_ends

        starts, stops, tile = self.starts, self.stops, self.tile
        ends_of = column_ends.times(starts.size)
        cityblock = self.objects.metric == "cityblock"

        def of_segment(chosen: slice) -> tuple[Array, Array, Array]:
            s = chosen.start
            tiles = tiles_of(s)
            seen = np.flatnonzero(np.isin(tile, tiles))
            if not seen.size:
                return seen, np.zeros(0), np.zeros(0)
            least, largest = ends_of(X[starts[s] : stops[s]], packed, tiles, cityblock)
            place = (np.searchsorted(tiles, tile[seen]) - tile[seen]) * TILE
            used, first = place[-1] + stops[seen[-1]], place + starts[seen]
            return seen, np.minimum.reduceat(least[:used], first), np.maximum.reduceat(largest[:used], first)

        return map_blocks(of_segment, starts.size, 1, on_block)

    def at_a_glance(self, in_reach: Callable[[int], Array], on_block: OnBlock) -> list[Array]:
        """For each segment the tiles that hold an end, or nearly so, as single precision sees them.

        Rounding moves a feature, from the mean in units of the largest, by 2^-24 at most, so a distance of
        d features by less than 4 d 2^-24; sums of d terms are off by a share of less than (d + 8) 2^-24.
        """
        from partita.kernels.distances import TILE

        o, cluster = self.objects, self.cluster
        d = o.X.shape[1]
        mean = o.X.mean(axis=0)
        unit = float(np.abs(o.X - mean).max()) or 1.0
        X = ((o.X - mean) / unit).astype(np.float32)
        packed = ((o.packed[0].reshape(-1, d, TILE) - mean[:, None]) / unit).astype(np.float32).ravel()
        parts = []
        near, far = np.full(o.k, np.inf), np.zeros(o.k)
        for c, (seen, *ends) in zip(cluster, self.ends(in_reach, X, packed, on_block), strict=True):
            least, largest = (
                end.astype(np.float64) if o.metric == "cityblock" else np.sqrt(end, dtype=np.float64)
                for end in ends
            )
            others, inside = cluster[seen], cluster[seen] == c
            least[inside], largest[~inside] = np.inf, -np.inf
            error = (4 * d + (d + 8) * np.where(inside, largest, least)) * 2.0**-24
            parts.append((seen, least - error, largest + error))
            np.minimum.at(near, others, least + error)
            near[c] = min(near[c], (least + error).min(initial=np.inf))
            far[c] = max(far[c], (largest - error).max(initial=0.0))
        return [
            np.unique(self.tile[seen[(low < np.maximum(near[c], near[cluster[seen]])) | (high > far[c])]])
            for c, (seen, low, high) in zip(cluster, parts, strict=True)
        ]


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


def mean_widths(sums: Floats, sizes: Floats) -> Floats:
    """The mean distance inside each cluster, from the sums between all; 0 of a single object."""
    pairs = sizes * (sizes - 1.0)
    return np.where(pairs > 0, np.diagonal(sums) / np.where(pairs > 0, pairs, 1.0), 0.0)


def refuse_many_clusters(k: int, matrices: int = 1) -> None:
    """Refuse more clusters than so many matrices of their distances can hold."""
    if k * k * matrices > MOST_DENSE_CELLS:
        raise TooLargeError(
            "the distances of all pairs of clusters do not fit.",
            got=f"{k} clusters",
            need=f"at most {int((MOST_DENSE_CELLS / matrices) ** 0.5)}",
            fix="delta=1, which needs the nearest cluster of each only",
        )


def least_other(between: Floats) -> Floats:
    """For each cluster the least distance to another one."""
    apart = between.copy()
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1))
