"""Distances between all pairs of objects, in tiles: their sums to clusters, their smallest and largest.

Nothing of size n x n is held, unless the caller brings it (``metric="precomputed"``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from partita.arrays import Array, Floats, dense, generator, map_blocks, multiplicities
from partita.errors import MismatchError, ParameterError, TooLargeError
from partita.partitions import (
    FUZZY,
    HARD,
    DataMatrix,
    HardPartition,
    Kind,
    MembershipPartition,
    Partition,
    as_partition,
)
from partita.statistics.object_pairs import OnBlock

MOST_OPERATIONS = 3e10
"""Distances of ten features that are taken when asked for: about a minute."""

T = TypeVar("T")
Nearest: TypeAlias = tuple[Floats, Floats, Array]

PRECOMPUTED = "precomputed"
COMPILED = ("euclidean", "sqeuclidean", "cityblock")
BY_SCIPY = (
    "braycurtis", "canberra", "chebyshev", "correlation", "cosine", "dice", "hamming", "jaccard",
    "jensenshannon", "mahalanobis", "minkowski", "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath",
    "yule",
)  # fmt: skip
SPELLINGS = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}

COMPILED_PAIRS = 1 << 18
"""Pairs from which on compiled loops pay for being loaded."""

MOST_SUMS = 1 << 26
"""Distance sums (objects x clusters) that are held at once: 512 MiB."""

TILE_CELLS = 1 << 21
"""Distances, or sums of them, that one block holds: 16 MiB."""

ROWS_AT_ONCE = 256
"""Objects that are held against all others at a time, at most."""

MOST_BANDS = 64
"""Blocks of rows when each pair is looked at once: each leaves sums for all objects after it."""

NOT_SYMMETRIC = {"float64": 1e-8, "float32": 1e-5}
"""How far given distances may differ from their mirror image, as a share of the largest."""


@dataclass(frozen=True, eq=False)
class ObjectsByCluster:
    """Objects in the order of their clusters, empty ones left out, and the distances between them.

    Attributes
    ----------
    X : array (n, d), or (n, n) distances
        The data in that order; given distances stay in the order they came in.
    order, codes, weight : arrays (n,)
        Which object each is, its cluster, and its weight.
    bounds : array (k + 1,)
        Where each cluster starts.
    sizes, counts : arrays (k,)
        Weight and number of objects of each cluster.
    """

    X: Array
    metric: str
    order: Array
    codes: Array
    weight: Floats
    bounds: Array
    sizes: Floats
    names: tuple[Any, ...]

    @classmethod
    def of(cls, X: Array, found: HardPartition, weight: Array | None, metric: str) -> ObjectsByCluster:
        """Sort the objects, and check the metric."""
        metric = known_metric(metric)
        n = found.n_objects
        if metric == PRECOMPUTED:
            _check_distances(X, n)
        filled = np.flatnonzero(found.sizes)
        place = np.zeros(found.n_clusters, dtype=np.int64)
        place[filled] = np.arange(filled.size)
        codes = place[found.codes]
        order = np.argsort(codes, kind="stable")
        each = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
        return cls(
            X if metric == PRECOMPUTED else np.asarray(X, dtype=np.float64)[order],
            metric,
            order,
            codes[order],
            each[order],
            np.concatenate([[0], np.cumsum(found.sizes[filled])]).astype(np.int64),
            np.bincount(codes, each, filled.size).astype(np.float64),
            tuple(found.names[i] for i in filled),
        )

    @property
    def n(self) -> int:
        """The number of objects."""
        return self.order.size

    @property
    def k(self) -> int:
        """The number of clusters that are not empty."""
        return self.bounds.size - 1

    @property
    def counts(self) -> Array:
        """The number of objects of each cluster."""
        return np.diff(self.bounds)

    def is_compiled(self, rows: int) -> bool:
        """Whether the distances of so many objects to all are found by a compiled loop."""
        return self.metric in COMPILED and rows * self.n >= COMPILED_PAIRS

    @cached_property
    def _metric_options(self) -> dict[str, Any]:
        """What SciPy would otherwise estimate anew from each tile."""
        if self.metric not in ("seuclidean", "mahalanobis"):
            return {}
        away = self.X - np.average(self.X, axis=0, weights=self.weight)
        covariance = (away * self.weight[:, None]).T @ away / max(self.weight.sum() - 1.0, 1.0)
        if self.metric == "seuclidean":
            return {"V": np.diag(covariance)}
        if np.linalg.matrix_rank(covariance, hermitian=True) < len(covariance):
            raise ParameterError(
                "Mahalanobis distances need a covariance matrix that can be inverted.",
                got=f"{len(covariance)} features, some of which follow from the others",
                need="independent features, and more objects than features",
            )
        return {"VI": np.linalg.inv(covariance)}

    def distances(self, rows: Any, to: Floats | None = None) -> Floats:
        """The distances of some objects to all, or to other points."""
        if self.metric == PRECOMPUTED:
            return np.asarray(self.X[np.ix_(self.order[rows], self.order)], dtype=np.float64)
        return self.between(self.X[rows], self.X if to is None else to)

    def between(self, points: Floats, others: Floats | None = None) -> Floats:
        """The distances of points to others, or to each other."""
        from scipy.spatial.distance import cdist

        metric: Any = self.metric
        with np.errstate(all="ignore"):
            made = cdist(points, points if others is None else others, metric, **self._metric_options)
        if np.isnan(made).any():
            raise ParameterError(
                f"the metric {self.metric!r} has no value for some pairs of objects.",
                got=f"{int(np.isnan(made).sum())} distances that are no numbers",
                need="a metric that is defined for these data",
            )
        return made

    def over_rows(self, picked: Array, work: Callable[[Array], T], on_block: OnBlock) -> list[T]:
        """Apply work to blocks of some objects, small enough that their distances to all fit."""
        compiled = self.is_compiled(picked.size)
        _ = self.packed if compiled else self._metric_options  # once, before there are threads
        rows = max(1, min(ROWS_AT_ONCE, TILE_CELLS // (self.k if compiled else self.n)))
        return map_blocks(lambda part: work(picked[part]), picked.size, rows, on_block)

    # --- compiled ---------------------------------------------------------------------------------------

    @cached_property
    def packed(self) -> tuple[Floats, Floats]:
        """The objects in tiles for the compiled loops, and their weights, 0 for those filled up."""
        from partita.kernels.distances import TILE

        tiles = -(-self.n // TILE)
        filled = np.zeros((tiles * TILE, self.X.shape[1]))
        filled[: self.n] = self.X
        weight = np.zeros(tiles * TILE)
        weight[: self.n] = self.weight
        return np.ascontiguousarray(filled.reshape(tiles, TILE, -1).transpose(0, 2, 1)).ravel(), weight

    def sums_of(self, rows: Array, compiled: bool) -> Floats:
        """The weighted sums of the distances of some objects to the objects of each cluster, ``(m, k)``."""
        if compiled:
            return self._compiled_sums(rows, 0, self.packed[1].size)[0]
        return np.asarray(np.add.reduceat(self.distances(rows) * self.weight, self.bounds[:-1], axis=1))

    def _compiled_sums(self, rows: Any, first: int, mirrored: int) -> tuple[Floats, Floats]:
        from partita.kernels.distances import sums_to_clusters

        packed, weight = self.packed
        made: tuple[Floats, Floats] = sums_to_clusters(
            self.X[rows], self.codes[rows], self.weight[rows], packed, weight, self.bounds,
            first, mirrored, self.metric == "cityblock", self.metric == "euclidean",
        )  # fmt: skip
        return made

    def all_sums(self, on_block: OnBlock) -> Floats:
        """The sums of all objects, ``(n, k)``; a pair is looked at once, but for those inside a block."""
        from partita.kernels.distances import TILE

        _, weight = self.packed
        bands = -(-self.n // TILE // MOST_BANDS) * TILE

        def of_band(rows: slice) -> tuple[Floats, Floats]:
            return self._compiled_sums(rows, rows.start, min(rows.start + bands, weight.size))

        sums = np.zeros((self.n, self.k))
        parts = map_blocks(of_band, self.n, bands, on_block)
        for start, (rows, columns) in zip(range(0, self.n, bands), parts, strict=True):
            stop, first = start + len(rows), self.codes[start]
            sums[start:stop] += rows
            sums[stop:, first : first + len(columns)] += columns[:, : self.n - stop].T
        return sums


def known_metric(metric: Any) -> str:
    """The metric by SciPy's name."""
    name = SPELLINGS.get(metric, metric) if isinstance(metric, str) else metric
    if name not in (*COMPILED, *BY_SCIPY, PRECOMPUTED):
        raise ParameterError(
            "no such metric.",
            got=repr(metric),
            need=f'a name of scipy.spatial.distance ({", ".join(COMPILED)}, ...), or "precomputed"',
            fix='distances of your own go in as an (n, n) matrix with metric="precomputed"',
        )
    return str(name)


def _check_distances(X: Array, n: int) -> None:
    """Refuse what is no matrix of distances between n objects."""
    if X.shape != (n, n):
        raise ParameterError(
            'X is no matrix of distances, as metric="precomputed" says.',
            got=f"array of shape {X.shape} for {n} objects",
            need=f"shape ({n}, {n})",
            fix="leave metric out if X is data",
        )
    most = float(np.abs(X).max())
    tolerance = NOT_SYMMETRIC[X.dtype.name] * most

    def worst(rows: slice) -> tuple[float, float]:
        return float(X[rows].min()), float(np.abs(X[rows] - X[:, rows].T).max())

    ends = map_blocks(worst, n, max(1, TILE_CELLS // n))
    problems = {
        "some distances are negative": min(low for low, _ in ends) < -tolerance,
        "the distance of an object to itself is not 0": float(np.abs(np.diagonal(X)).max()) > tolerance,
        "the matrix is not symmetric": max(gap for _, gap in ends) > tolerance,
    }
    for problem, holds in problems.items():
        if holds:
            raise ParameterError(
                f"{problem}.",
                got=f"a matrix with entries up to {most:g}",
                need="distances: not negative, symmetric, 0 on the diagonal",
                fix="(D + D.T) / 2 for rounding; similarities must be turned into distances first",
            )


@dataclass(frozen=True, eq=False)
class DistanceSums:
    """For each object its distances to the objects of its own cluster, and to those of the nearest other one.

    The clusters of a fuzzy partition are its hardened ones; a tie goes to the first.

    Attributes
    ----------
    own : array (m,)
        The sum of the distances to the objects of the own cluster.
    nearest : array (m,)
        The smallest mean distance to another cluster; inf where there is none.
    neighbours : array (m,)
        Which cluster that is, as a position in ``names``; -1 where there is none.
    rows, codes, each : arrays (m,)
        Which objects these are, in the order of the data; their clusters, and their weights.
    margins : array (m,)
        How clearly each belongs to its cluster: the largest membership minus the second largest; 1 if hard.
    sizes, counts : arrays (k,)
        The weight and the number of objects of each cluster.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[tuple[str, ...]] = ("metric", "variant", "sample_size", "random_state")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})

    own: Floats
    nearest: Floats
    neighbours: Array
    rows: Array
    codes: Array
    each: Floats
    margins: Floats
    sizes: Floats
    counts: Array
    names: tuple[Any, ...]
    kinds: tuple[Kind] = (HARD,)
    shape: tuple[int, ...] = ()

    @classmethod
    def from_whole(
        cls,
        X: Array,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        metric: str = "euclidean",
        variant: str = "standard",
        sample_size: int | None = None,
        random_state: Any = 0,
    ) -> DistanceSums:
        """The sums for all objects, or for a sample of them against all.

        Parameters
        ----------
        X : array (n, d), or (n, n) distances for ``metric="precomputed"``
            The data.
        found : Partition
            The clustering, hard or fuzzy.
        weight : array, optional
            Multiplicities: copies of an object lie at distance 0 from it, and count.
        on_block : callable, optional
            Told how many blocks are done, of how many.
        metric : str
            One of SciPy's, or "precomputed". Euclidean, squared and city-block distances are compiled.
        variant : {"standard", "squared"}
            Squared: Euclidean distances are squared.
        sample_size : int, optional
            About how many objects to look at: from each cluster its share, and two where it has two.
        random_state : int or Generator
            The seed of the sample.
        """
        operations = cls.pair_operations(X, found, metric=metric)
        if sample_size is None and operations > MOST_OPERATIONS:
            raise TooLargeError(
                "so many distances take long, and nothing shows how far it is.",
                got=f"{found.n_objects} objects, {operations:.1e} distances of ten features",
                need=f"at most {MOST_OPERATIONS:.0e}",
                fix="sample_size=2000 looks at some against all; simplified_silhouette looks at centres",
            )
        hard = found if isinstance(found, HardPartition) else found.harden()
        objects = ObjectsByCluster.of(X, hard, weight, _squared(metric) if variant == "squared" else metric)
        picked = None if sample_size is None else _stratified(objects, sample_size, generator(random_state))
        if picked is None or picked.size == objects.n:
            picked = None
            own, nearest, neighbours = _of_all(objects, on_block)
        else:
            own, nearest, neighbours = _of_some(objects, picked, on_block)
        places = objects.order if picked is None else objects.order[picked]
        in_order = np.argsort(places, kind="stable")
        chosen = in_order if picked is None else picked[in_order]
        return cls(
            own[in_order],
            nearest[in_order],
            neighbours[in_order],
            places[in_order],
            objects.codes[chosen],
            objects.weight[chosen],
            _margins(found)[places[in_order]],
            objects.sizes,
            objects.counts,
            objects.names,
            (found.kind,),
        )

    @staticmethod
    def pair_operations(
        X: Array,
        found: Partition,
        *,
        metric: str = "euclidean",
        variant: str = "standard",  # noqa: ARG004 (an option of from_whole)
        sample_size: int | None = None,
        random_state: Any = 0,  # noqa: ARG004
    ) -> float:
        """Pairs of objects, in units of ten features."""
        n = found.n_objects
        looked_at = n / 2 if sample_size is None else min(float(sample_size), n / 2)
        return looked_at * n * work_of_pair(X, metric)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are not empty."""
        return len(self.names)

    @property
    def overflows(self) -> bool:
        """Whether some distances are too large for a number."""
        return not (np.isfinite(self.own).all() and (self.n_clusters < 2 or np.isfinite(self.nearest).all()))

    @property
    def is_sampled(self) -> bool:
        """Whether only some of the objects were looked at."""
        return self.rows.size < int(self.counts.sum())

    @cached_property
    def silhouettes(self) -> Floats:
        """The silhouette of each object: 0 where it is alone in its cluster, or where a = b = 0."""
        others = self.sizes[self.codes] - 1.0
        a = self.own / np.where(others > 0, others, 1.0)
        larger = np.maximum(a, self.nearest)
        usable = (others > 0) & (larger > 0) & np.isfinite(larger)
        return np.where(
            usable, (np.where(usable, self.nearest, 0.0) - a) / np.where(usable, larger, 1.0), 0.0
        )

    @cached_property
    def cluster_silhouettes(self) -> Floats:
        """The mean silhouette of each cluster, in the order of ``names``."""
        k = self.n_clusters
        sums = np.bincount(self.codes, self.each * self.silhouettes, k)
        return np.asarray(sums / np.bincount(self.codes, self.each, k))

    @property
    def mean_silhouette(self) -> float:
        """The mean over objects; of a sample, clusters are weighed by their true sizes."""
        return float(self.sizes @ self.cluster_silhouettes / self.sizes.sum())

    @cached_property
    def standard_error(self) -> float:
        """Of the mean silhouette of a sample; 0 where all objects were looked at."""
        k = self.n_clusters
        looked_at = np.bincount(self.codes, minlength=k)
        mean_weight = np.bincount(self.codes, self.each, k) / looked_at
        away = self.each / mean_weight[self.codes] * (self.silhouettes - self.cluster_silhouettes[self.codes])
        variances = np.bincount(self.codes, away * away, k) / np.maximum(looked_at - 1, 1)
        unseen = 1.0 - looked_at / self.counts
        return float(np.sqrt((self.sizes**2 * variances * unseen / looked_at).sum()) / self.sizes.sum())

    @property
    def how(self) -> str:
        """That it is a sample, and how far it can be trusted."""
        if not self.is_sampled:
            return ""
        n = int(self.counts.sum())
        return f"sampled: {self.rows.size} of {n} objects, standard error {self.standard_error:.2g}"


def silhouette_samples(X: Any, found: Any, *, metric: str = "euclidean", sample_weight: Any = None) -> Floats:
    """The silhouette of each object, in the order of the data.

    Parameters
    ----------
    X : (n, d) array or frame, or (n, n) distances for ``metric="precomputed"``
        The data.
    found : hard clustering
        Anything that `as_partition` takes.
    metric : str
        One of SciPy's, or "precomputed".
    sample_weight : array, optional
        Multiplicities; an object of weight 0 is not there, and has no silhouette (nan).

    Returns
    -------
    array (n,)
        Between -1 and 1; 0 for an object alone in its cluster, and where there is one cluster only.

    Examples
    --------
    >>> silhouette_samples([[0.0], [1.0], [5.0]], [0, 0, 1]).round(4)
    array([0.8 , 0.75, 0.  ])
    """
    sums, counted, n = _counted_sums(X, found, metric, sample_weight)
    values = np.full(n, np.nan)
    values[counted] = sums.silhouettes
    return values


def cluster_silhouettes(
    X: Any, found: Any, *, metric: str = "euclidean", sample_weight: Any = None
) -> dict[Any, float]:
    """The mean silhouette of each cluster, by its name.

    Parameters
    ----------
    X, found, metric, sample_weight
        As for `silhouette_samples`.

    Examples
    --------
    >>> cluster_silhouettes([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    {'a': 0.775, 'b': 0.0}
    """
    sums, _, _ = _counted_sums(X, found, metric, sample_weight)
    return dict(zip(sums.names, sums.cluster_silhouettes.tolist(), strict=True))


def _counted_sums(X: Any, found: Any, metric: str, sample_weight: Any) -> tuple[DistanceSums, Array, int]:
    """The sums of the objects whose weight is not 0, which ones these are, and the number of all."""
    data = DataMatrix(X)
    hard = as_partition(found).to(HARD)
    n = data.n_objects
    if hard.n_objects != n:
        raise MismatchError(
            "X and the clustering have another number of objects.",
            got=f"{n} rows of X, {hard.n_objects} objects",
            need="one row of X for each object",
        )
    weight = None if sample_weight is None else multiplicities(sample_weight, n)
    counted = np.arange(n) if weight is None else np.flatnonzero(weight)
    values = data.values
    if counted.size < n:
        values = values[np.ix_(counted, counted)] if metric == PRECOMPUTED else values[counted]
        hard = hard.take(counted)
    sums = DistanceSums.from_whole(values, hard, None if weight is None else weight[counted], metric=metric)
    return sums, counted, n


# --- sums ---------------------------------------------------------------------------------------------


def _squared(metric: str) -> str:
    if SPELLINGS.get(metric, metric) != "euclidean":
        raise ParameterError(
            'variant="squared" squares Euclidean distances.',
            got=f"metric={metric!r}",
            need='metric="euclidean"',
        )
    return "sqeuclidean"


def work_of_pair(X: Array, metric: str) -> float:
    """The work for one pair, in units of ten features."""
    return 0.1 if metric == PRECOMPUTED else max(float(X.shape[1]) / 10.0, 0.1)


def _margins(found: Partition) -> Floats:
    if isinstance(found, HardPartition):
        return np.ones(found.n_objects)
    assert isinstance(found, MembershipPartition)

    def of_block(rows: slice) -> Floats:
        block = dense(found.block(rows))
        if block.shape[1] < 2:
            return np.ones(len(block))
        top = np.partition(block, block.shape[1] - 2, axis=1)[:, -2:]
        return np.asarray(top[:, 1] - top[:, 0])

    return np.concatenate(map_blocks(of_block, found.n_objects, 1 << 14))


def _stratified(objects: ObjectsByCluster, sample_size: Any, rng: np.random.Generator) -> Array:
    """Positions of a sample that has from each cluster its share, and at least two where it has two."""
    if not isinstance(sample_size, (int, np.integer)) or isinstance(sample_size, bool) or sample_size < 1:
        raise ParameterError(
            "sample_size is no number of objects.", got=repr(sample_size), need="a whole number, or None"
        )
    counts = objects.counts
    share = np.floor(counts * (int(sample_size) / objects.n) + 0.5).astype(np.int64)
    wanted = np.minimum(np.maximum(share, 2), counts)
    parts = [
        start + np.sort(rng.choice(count, size, replace=False))
        for start, count, size in zip(objects.bounds, counts, wanted, strict=False)
    ]
    return np.concatenate(parts)


def _of_all(objects: ObjectsByCluster, on_block: OnBlock) -> Nearest:
    if objects.n * objects.k > MOST_SUMS or not objects.is_compiled(objects.n):
        return _of_some(objects, np.arange(objects.n), on_block)
    return _own_and_nearest(objects, slice(0, objects.n), objects.all_sums(on_block))


def _of_some(objects: ObjectsByCluster, picked: Array, on_block: OnBlock) -> Nearest:
    compiled = objects.is_compiled(picked.size)
    parts = objects.over_rows(
        picked, lambda rows: _own_and_nearest(objects, rows, objects.sums_of(rows, compiled)), on_block
    )
    own, nearest, neighbours = (np.concatenate(part) for part in zip(*parts, strict=True))
    return own, nearest, neighbours


def _own_and_nearest(objects: ObjectsByCluster, rows: Any, sums: Floats) -> Nearest:
    """Of the sums to all clusters those to the own one, and the least mean to another one."""
    codes = objects.codes[rows]
    every = np.arange(codes.size)
    own = sums[every, codes]
    if objects.k < 2:
        return own, np.full(codes.size, np.inf), np.full(codes.size, -1)
    means = sums / objects.sizes
    means[every, codes] = np.inf
    neighbours = means.argmin(axis=1)
    return own, means[every, neighbours], neighbours
