"""How densely each cluster hangs together, and how sparse it is between clusters (moulavi2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from partita.arrays import Array, Floats, map_blocks
from partita.errors import ParameterError
from partita.partitions import HARD, HardPartition, Kind
from partita.statistics.distances.objects_by_cluster import (
    COMPILED,
    DENSITY,
    PRECOMPUTED,
    TILE_CELLS,
    ObjectsByCluster,
    check_metric,
    known_metric,
    work_of_pair,
)
from partita.statistics.options import Above
from partita.statistics.protocol import OnBlock, Whole

TIE = 2.0**23 + 1.0
"""Cuts a number to its first 30 bits: lengths that agree so far are ties, which rounding must not decide."""

COMPILED_PAIRS = 20_000
"""Pairs from which on compiled loops pay for being loaded."""

_ROWS = 256
_ALIKE = 1e-12  # cosines of parallel vectors are rarely 0


@dataclass(frozen=True)
class DensityOptions:
    """The distance of objects, and the exponent of core distances."""

    metric: str = "euclidean"
    dimension: Annotated[float | None, Above(0)] = None


@dataclass(frozen=True, eq=False)
class DensityConnectivity(Whole):
    """Per cluster its density sparseness and its density separation from the nearest other cluster.

    The core distance of an object is the power mean, with exponent -d, of its distances to the others of its
    cluster; the reach of two objects is the largest of their core distances and their distance. A cluster is
    as sparse as the longest internal edge of its minimum spanning tree, and as separate as the least reach
    from its internal nodes to those of another cluster. Internal nodes have more than one edge, internal
    edges lie between two of them. As in the authors' program: a cluster of one object counts as noise; where
    no edge is internal all edges count, and where no node is, all nodes; objects at distance 0 add nothing to
    the mean, though they are counted; a core distance is 0 if all others are at distance 0.

    Reaches are mostly core distances, so most spanning trees are not unique. Of edges of equal reach the
    shorter distance is taken, then the lower objects in lexicographic order of their features (in their own
    order when distances are given): the order of the objects does not matter.

    Attributes
    ----------
    sizes : array (k,)
        Objects, or the sum of their weights, in each cluster that is judged.
    sparseness, separation : arrays (k,)
        The longest internal edge; the least reach to another cluster, infinite if there is none.
    total : float
        All objects, those in no cluster too.
    names : sequence
        The clusters that are judged: not noise, not single objects.
    how : str
        What a reader must know.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = DensityOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})

    sizes: Floats
    sparseness: Floats
    separation: Floats
    total: float
    names: Sequence[Any] = ()
    how: str = ""

    @staticmethod
    def check(_X: Array, *, metric: str = "euclidean", dimension: float | None = None) -> None:
        """Refuse density-connectivity distances, and distances without the dimension of their data."""
        if metric == DENSITY:
            raise ParameterError(
                "dbcv has core distances of its own.",
                got=f"metric={metric!r}",
                need="a distance that knows nothing of density, such as euclidean",
            )
        if metric == PRECOMPUTED and dimension is None:
            raise ParameterError(
                "distances do not show the dimension of the data, which core distances need.",
                got='metric="precomputed" without dimension',
                need="dimension=d, the number of features that the distances were made from",
            )

    @staticmethod
    def pair_operations(X: Array, found: HardPartition, *, metric: str = "euclidean", **_: Any) -> float:
        """The work on all distances: in a cluster for core distances and its tree, else for separations."""
        within = float((found.sizes.astype(np.float64) ** 2).sum())
        return (1.5 * within + (float(len(X)) ** 2 - within) / 2.0) * work_of_pair(X, metric)

    @classmethod
    def from_whole(
        cls,
        X: Array,
        found: HardPartition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        metric: str = "euclidean",
        dimension: float | None = None,
    ) -> DensityConnectivity:
        """From all objects: the data, or their distances if ``metric="precomputed"``.

        ``dimension`` is the exponent of the core distances, the number of features by default.
        """
        name = known_metric(metric)
        cls.check(X, metric=name, dimension=dimension)
        check_metric(X, name, found.n_objects)
        each = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
        objects, how = _judged(X, found, each, name)
        unknown = np.full(objects.k, np.nan)
        bare, sparseness, separation = 0, unknown, unknown
        if objects.k > 1:
            exponent = float(X.shape[1] if dimension is None else dimension)
            few = len(X) ** 2 < COMPILED_PAIRS
            made = (
                _ByTiles(objects, exponent) if few or name not in COMPILED else _Compiled(objects, exponent)
            )
            bare, sparseness, separation = made.run(on_block)
        if bare:
            how.append(f"{bare} of {objects.k} clusters have no internal edge; all their edges count")
        return cls(objects.sizes, sparseness, separation, float(each.sum()), objects.names, "; ".join(how))

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (HARD,)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are judged."""
        return int(self.sizes.size)

    @property
    def validities(self) -> Floats:
        """For each cluster (separation - sparseness) / the larger of the two; nan where both are 0."""
        larger = np.maximum(self.separation, self.sparseness)
        with np.errstate(invalid="ignore"):
            return np.asarray((self.separation - self.sparseness) / larger)


def _judged(X: Array, found: HardPartition, each: Floats, metric: str) -> tuple[ObjectsByCluster, list[str]]:
    """The objects cluster by cluster, then by their features; without noise and clusters of one object."""
    in_cluster = np.ones(len(X), dtype=bool) if found.noise_mask is None else ~found.noise_mask
    codes = found.codes
    counts = np.bincount(codes[in_cluster], minlength=found.n_clusters)
    sizes = np.bincount(codes[in_cluster], each[in_cluster], found.n_clusters)
    single = (counts == 1) & (sizes <= 1.0)
    judged = (counts > 0) & ~single
    kept = np.flatnonzero(in_cluster & judged[codes])
    by_features = () if metric == PRECOMPUTED else X[kept].T[::-1]
    order = kept[np.lexsort((*by_features, codes[kept]))]
    how = []
    if not in_cluster.all():
        how.append(f"{each[~in_cluster].sum():g} objects of noise are in no cluster and count in n")
    if single.any():
        how.append(f"{int(single.sum())} clusters of one object count as noise")
    objects = ObjectsByCluster(
        X if metric == PRECOMPUTED else np.asarray(X[order], dtype=np.float64),
        metric,
        order,
        np.cumsum(judged)[codes[order]] - 1,
        each[order],
        np.concatenate([[0], np.cumsum(counts[judged])]).astype(np.int64),
        sizes[judged],
        tuple(name for name, is_judged in zip(found.names, judged, strict=True) if is_judged),
    )
    return objects, how


class _ByTiles:
    """Any metric, by tiles of distances."""

    def __init__(self, objects: ObjectsByCluster, exponent: float) -> None:
        self.objects = objects
        self.bounds, self.cluster, self.weight = objects.bounds, objects.codes, objects.weight
        self.exponent = exponent
        # the objects of the same cluster are those from low to high
        self.low, self.high = self.bounds[self.cluster], self.bounds[self.cluster + 1]
        self.rows = max(1, min(_ROWS, TILE_CELLS // objects.n))

    def run(self, on_block: OnBlock) -> tuple[int, Floats, Floats]:
        """How many clusters have no internal edge, the sparseness of each, its separation."""
        n, k = self.objects.n, self.objects.k
        stages = [-(-n // self.rows), k, -(-n // self.rows)]

        def progress(stage: int) -> OnBlock:
            if on_block is None:
                return None
            return lambda done, _: on_block(sum(stages[:stage]) + done, sum(stages))

        core = np.concatenate(map_blocks(self.cores, n, self.rows, progress(0)))
        trees = map_blocks(lambda c: self.judge(c.start, core), k, 1, progress(1))
        inner = np.concatenate([inside for inside, _, _ in trees])
        places = np.flatnonzero(inner)
        stages[2] = -(-places.size // self.rows)
        beyond = np.searchsorted(places, self.high[places])
        nearest = partial(self.nearest, places, core[places], beyond)
        separation = np.minimum.reduce(map_blocks(nearest, places.size, self.rows, progress(2)))
        return (
            sum(bare for _, bare, _ in trees),
            np.array([length for _, _, length in trees]),
            np.asarray(separation, dtype=np.float64),
        )

    def judge(self, c: int, core: Floats) -> tuple[Array, bool, float]:
        """Which objects of a cluster are internal, whether no edge is, and the longest internal edge."""
        own = slice(self.bounds[c], self.bounds[c + 1])
        m = own.stop - own.start
        if m == 1:
            return np.ones(1, dtype=bool), True, 0.0
        ends, lengths, apart = self.tree(own, core[own])
        # the copies of an object are leaves that hang on the first of them
        inside = (np.bincount(ends.ravel(), minlength=m) > 1) | (self.weight[own] > 1.0)
        internal = inside[ends].all(axis=1) & (apart > 0.0)
        bare = not internal.any()
        longest = float(lengths.max() if bare else lengths[internal].max())
        return (inside if inside.any() else ~inside), bare, longest

    def distances(self, rows: Array, columns: Array) -> Floats:
        """The distances of objects at these places."""
        if self.objects.metric == PRECOMPUTED:
            return self.objects.distances(rows)[:, columns]
        tile = self.objects.distances(rows, self.objects.X[columns])
        if self.objects.metric in ("cosine", "correlation"):
            tile[tile < _ALIKE] = 0.0
        return tile

    def cores(self, part: slice) -> Floats:
        """The core distances of some objects."""
        found = []
        for c in range(self.cluster[part.start], self.cluster[part.stop - 1] + 1):
            own = np.arange(self.bounds[c], self.bounds[c + 1])
            rows = own[(own >= part.start) & (own < part.stop)]
            gaps = self.distances(rows, own)
            gaps[np.arange(rows.size), rows - own[0]] = 0.0
            near = np.where(gaps > 0.0, gaps, np.inf).min(axis=1)
            known = np.isfinite(near)
            near[~known] = 1.0
            shares = np.divide(near[:, None], gaps, out=np.zeros_like(gaps), where=gaps > 0.0)
            others = self.weight[own].sum() - np.minimum(self.weight[rows], 1.0)
            inverse = np.where(known, shares**self.exponent @ self.weight[own], 1.0)
            with np.errstate(over="ignore"):  # an infinite distance is one beyond the range of numbers
                mean = near * (inverse / np.where(known, others, 1.0)) ** (-1.0 / self.exponent)
            found.append(np.where(known, mean, 0.0))
        return np.concatenate(found)

    def tree(self, own: slice, core: Floats) -> tuple[Array, Floats, Floats]:
        """The minimum spanning tree of reaches by Prim's algorithm, a row of distances at a time."""
        m = core.size
        objects = np.arange(own.start, own.stop)
        cut = _cut(core)
        reach, close, exact = (np.full(m, np.inf) for _ in range(3))
        parent = np.full(m, m)
        outside = np.ones(m, dtype=bool)
        ends = np.empty((m - 1, 2), dtype=np.int64)
        lengths, apart = np.empty(m - 1), np.empty(m - 1)
        u = 0
        for step in range(m - 1):
            outside[u] = False
            gaps = self.distances(objects[u : u + 1], objects)[0]
            short = _cut(gaps)
            new = np.maximum(np.maximum(cut, cut[u]), short)
            nearer = (short < close) | ((short == close) & (u < parent))
            better = outside & ((new < reach) | ((new == reach) & nearer))
            reach[better], close[better], exact[better] = new[better], short[better], gaps[better]
            parent[better] = u
            rest = np.flatnonzero(outside)
            rest = rest[reach[rest] == reach[rest].min()]
            rest = rest[close[rest] == close[rest].min()]
            lower, upper = np.minimum(rest, parent[rest]), np.maximum(rest, parent[rest])
            v = rest[np.lexsort((upper, lower))[0]]
            ends[step] = parent[v], v
            lengths[step] = max(exact[v], core[v], core[parent[v]])
            apart[step] = exact[v]
            u = v
        return ends, lengths, apart

    def nearest(self, places: Array, core: Floats, beyond: Array, part: slice) -> Floats:
        """For each cluster the least reach to another, over pairs of these objects with later clusters."""
        k = self.objects.k
        least = np.full(k, np.inf)
        cluster = self.cluster[places]
        for start in np.unique(beyond[part]):
            rows = np.arange(part.start, part.stop)[beyond[part] == start]
            if start == places.size:
                continue
            reach = np.maximum(self.distances(places[rows], places[start:]), core[start:])
            reach = np.maximum(reach, core[rows, None])
            own = cluster[rows[0]]
            least[own] = min(least[own], float(reach.min()))
            others, first = np.unique(cluster[start:], return_index=True)
            least[others] = np.minimum(least[others], np.minimum.reduceat(reach.min(axis=0), first))
        return least


class _Compiled(_ByTiles):
    """The common metrics, by compiled loops that keep no tile."""

    def __init__(self, objects: ObjectsByCluster, exponent: float) -> None:
        super().__init__(objects, exponent)
        self.columns = np.ascontiguousarray(objects.X.T)
        self.code = COMPILED.index(objects.metric)
        self.rows = _ROWS

    def cores(self, part: slice) -> Floats:
        """The core distances of some objects."""
        from partita.kernels.density import core_distances

        found: Floats = core_distances(
            self.columns, self.weight, self.low, self.high, part.start, part.stop, self.code, self.exponent
        )
        return found

    def tree(self, own: slice, core: Floats) -> tuple[Array, Floats, Floats]:
        """The minimum spanning tree of reaches."""
        from partita.kernels.density import spanning_tree

        ends, lengths, apart = spanning_tree(self.objects.X[own], core, self.code, TIE, False)
        return ends, lengths, apart

    def nearest(self, places: Array, core: Floats, beyond: Array, part: slice) -> Floats:
        """For each cluster the least reach to another, over pairs of these objects with later clusters."""
        from partita.kernels.density import nearest_reach

        least: Floats = nearest_reach(
            self.objects.X[places],
            core,
            self.cluster[places],
            beyond,
            part.start,
            part.stop,
            self.objects.k,
            self.code,
        )
        return least


def _cut(lengths: Floats) -> Floats:
    """Numbers without their last bits; what is infinite, or too large to be lifted, stays as it is."""
    with np.errstate(over="ignore", invalid="ignore"):
        lifted = lengths * TIE
        cut = lifted - (lifted - lengths)
    return np.asarray(np.where(np.isfinite(lifted), cut, lengths))
