"""Distances between all pairs of objects, in tiles: their sums to clusters, their smallest and largest.

Nothing of size n x n is held, unless the caller brings it (``metric="precomputed"``).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np

from partita.arrays import Array, Floats, generator, is_sparse
from partita.arrays.chunked import Chunked
from partita.errors import AlignmentWarning, ParameterError, TooLargeError
from partita.partitions import (
    FUZZY,
    HARD,
    DataMatrix,
    HardPartition,
    Kind,
    Partition,
    alignment_note,
    as_partition,
    same_objects,
)
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.clusters.sparse_data import values_of_object
from partita.statistics.distances.chunked_clusters import ChunkedClusters, margins
from partita.statistics.distances.connectivity import (
    ConnectedObjects,
    MinPoints,
    ReachabilityPath,
    path_if_needed,
)
from partita.statistics.distances.objects_by_cluster import (
    DENSITY,
    MOST_OPERATIONS,
    MOST_SUMS,
    PRECOMPUTED,
    SPELLINGS,
    ObjectsByCluster,
    known_metric,
    work_of_pair,
)
from partita.statistics.distances.sparse_objects import is_linear, sorted_by_cluster, why_not_of_metric
from partita.statistics.options import AtLeast
from partita.statistics.protocol import OnBlock, Request, Statistic, Whole

Nearest: TypeAlias = tuple[Floats, Floats, Array]

FEWEST_OF_CLUSTER = 30
"""Number of objects of each cluster in a sample, at least: of fewer a mean silhouette is mostly chance."""


@dataclass(frozen=True)
class SilhouetteOptions:
    """The distance of objects, how many make a place dense where that matters, and a sample of them."""

    metric: str = "euclidean"
    min_points: MinPoints = 5
    variant: Literal["standard", "squared"] = "standard"
    sample_size: Annotated[int | None, AtLeast(1)] = None
    random_state: int = 0


@dataclass(frozen=True, eq=False)
class DistanceSums(Whole):
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
    options: ClassVar[type[Any]] = SilhouetteOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"path": ReachabilityPath}

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
        min_points: int = 5,
        variant: str = "standard",
        sample_size: int | None = None,
        random_state: Any = 0,
        path: ReachabilityPath | None = None,
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
            One of SciPy's, "density" or "precomputed". Euclidean, squared and city-block distances are
            compiled.
        min_points : int
            For "density": the objects that make a place dense, the object itself among them.
        variant : {"standard", "squared"}
            Squared: Euclidean distances are squared.
        sample_size : int, optional
            About how many objects to look at: from each cluster its share, and two where it has two.
        random_state : int or Generator
            The seed of the sample.
        path : ReachabilityPath, optional
            For "density", where it is known already.
        """
        operations = cls.pair_operations(X, found, metric=metric, variant=variant)
        if sample_size is None and metric != DENSITY and operations > MOST_OPERATIONS:
            raise TooLargeError(
                "so many distances take long, and nothing shows how far it is.",
                got=f"{found.n_objects} objects, {operations:.1e} distances of ten features",
                need=f"at most {MOST_OPERATIONS:.0e}",
                fix="sample_size=2000 looks at some against all; simplified_silhouette looks at centres",
            )
        hard = found if isinstance(found, HardPartition) else found.harden()
        metric = _squared(metric) if variant == "squared" else metric
        objects = (
            ConnectedObjects.along(path, X, hard, weight, min_points)
            if metric == DENSITY
            else sorted_by_cluster(X, hard, weight, metric)
        )
        picked = _picked(objects, sample_size, random_state)
        made = _of_all(objects, on_block) if picked is None else _of_some(objects, picked, on_block)
        places = objects.order if picked is None else objects.order[picked]
        in_order = np.argsort(places, kind="stable")
        chosen = in_order if picked is None else picked[in_order]
        own, nearest, neighbours = (part[in_order] for part in made)
        return cls._of(objects, chosen, (own, nearest, neighbours), margins(found), found.kind)

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        X: Array,  # noqa: ARG003
        found: Partition,
        on_block: OnBlock = None,
        *,
        metric: str = "euclidean",
        min_points: int = 5,  # noqa: ARG003 (of one metric, for which chunks are refused)
        variant: str = "standard",
        sample_size: int | None = None,
        random_state: Any = 0,
        path: Any = None,  # noqa: ARG003
    ) -> DistanceSums:
        """The same of objects in chunks: each chunk, or the sample, is held while all chunks come by.

        A pair of objects is looked at from both sides, so that no more than the sums of one chunk are held.
        """
        clusters = ChunkedClusters.of(objects, _squared(metric) if variant == "squared" else metric)
        labels = clusters.labels
        picked = _picked(labels, sample_size, random_state)
        if picked is None:
            chosen = clusters.places
            sums = clusters.all_sums(on_block)
        else:
            chosen = picked[np.argsort(labels.order[picked], kind="stable")]
            sums = clusters.sums_of(labels.order[chosen], on_block)
        parts, start = [], 0
        for some in sums:
            parts.append(_own_and_nearest(labels, chosen[start : start + len(some)], some))
            start += len(some)
        own, nearest, neighbours = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cls._of(labels, chosen, (own, nearest, neighbours), clusters.margins, found.kind)

    @classmethod
    def _of(
        cls, objects: ObjectsByCluster, chosen: Array, made: Nearest, margins: Floats, kind: Kind
    ) -> DistanceSums:
        """Of chosen objects, by their places among those sorted by cluster, in the order of the data."""
        rows = objects.order[chosen]
        return cls(
            *made,
            rows,
            objects.codes[chosen],
            objects.weight[chosen],
            margins[rows],
            objects.sizes,
            objects.counts,
            objects.names,
            (kind,),
        )

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The order of Prim's algorithm, for the metric "density" alone."""
        return path_if_needed(given)

    @staticmethod
    def pair_operations(
        X: Any,
        found: Partition,
        *,
        metric: str = "euclidean",
        min_points: int = 5,  # noqa: ARG004 (an option of from_whole)
        variant: str = "standard",
        sample_size: int | None = None,
        random_state: Any = 0,  # noqa: ARG004 (an option of from_whole)
    ) -> float:
        """Pairs of objects, in units of ten features; in chunks each is looked at from both sides.

        Of sparse data objects and clusters, where these are enough.
        """
        n = found.n_objects
        if metric == DENSITY:  # which a sample needs all objects for
            return ReachabilityPath.pair_operations(X)
        if is_sparse(X) and is_linear("sqeuclidean" if variant == "squared" else metric):
            rows = n if sample_size is None else min(sample_size, n)
            return rows * found.n_clusters * max(values_of_object(X) / 10.0, 0.1)
        all_of_them = n if isinstance(X, Chunked) else n / 2
        looked_at = all_of_them if sample_size is None else min(sample_size, all_of_them)
        return looked_at * n * work_of_pair(X, metric)

    @staticmethod
    def sampling(_X: Array, _found: Partition) -> Mapping[str, Any]:
        """Some objects can be held against all."""
        return {"sample_size": 2000}

    @staticmethod
    def why_not_sparse(_X: Any, _found: Partition, *, metric: str = "euclidean", **_options: Any) -> str:
        """That a metric needs all values, or nothing."""
        return why_not_of_metric(metric)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are not empty."""
        return len(self.names)

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
    X : (n, d) array, frame or SciPy sparse matrix, or (n, n) distances for ``metric="precomputed"``
        The data.
    found : hard clustering
        Anything that `as_partition` takes. A pandas frame and series are aligned by their index.
    metric : str
        One of SciPy's, or "precomputed".
    sample_weight : array, optional
        Multiplicities; an object of weight 0 is not there, and has no silhouette (nan).

    Returns
    -------
    array (n,)
        Between -1 and 1; 0 for an object alone in its cluster, and where there is one cluster only; nan for a
        row of X that the clustering lacks.

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


def _counted_sums(
    X: Any, found: Any, metric: Any, sample_weight: Any
) -> tuple[DistanceSums, Array | slice, int]:
    """The sums of the objects that all inputs have, which rows of X these are, and the number of its rows."""
    are_distances = known_metric(metric) == PRECOMPUTED
    data = DataMatrix(X, are_distances=are_distances)
    sides = {"X": data, "found": as_partition(found, X=X).to(HARD)}
    sides, weight, rows, dropped = same_objects(sides, sample_weight)
    if dropped:
        warnings.warn(alignment_note(sides, dropped), AlignmentWarning, stacklevel=3)
    X = sides["X"]
    stays_sparse = X.sparse is not None and not DistanceSums.why_not_sparse(X, sides["found"], metric=metric)
    values = X.scaled_sparse if stays_sparse else X.scaled
    sums = DistanceSums.from_whole(values, sides["found"], weight, metric=metric)
    return sums, slice(None) if rows is None else rows, data.n_objects


# --- sums ---------------------------------------------------------------------------------------------


def _squared(metric: str) -> str:
    if SPELLINGS.get(metric, metric) != "euclidean":
        raise ParameterError(
            'variant="squared" squares Euclidean distances.',
            got=f"metric={metric!r}",
            need='metric="euclidean"',
        )
    return "sqeuclidean"


def _picked(objects: ObjectsByCluster, sample_size: int | None, random_state: Any) -> Array | None:
    """Positions of a sample of the objects, or None for all."""
    if sample_size is None:
        return None
    picked = _stratified(objects, sample_size, generator(random_state))
    return None if picked.size == objects.n else picked


def _stratified(objects: ObjectsByCluster, sample_size: Any, rng: np.random.Generator) -> Array:
    """Positions of a sample that has from each cluster its share, and where it has as many at least 30.

    Of a smaller sample than that it has from each at least as many as equal shares would be, or two.
    """
    if not isinstance(sample_size, (int, np.integer)) or isinstance(sample_size, bool) or sample_size < 1:
        raise ParameterError(
            "sample_size is no number of objects.", got=repr(sample_size), need="a whole number, or None"
        )
    counts = objects.counts
    share = np.floor(counts * (min(int(sample_size), objects.n) / objects.n) + 0.5).astype(np.int64)
    fewest = max(min(FEWEST_OF_CLUSTER, int(sample_size) // max(objects.k, 1)), 2)
    wanted = np.minimum(np.maximum(share, fewest), counts)
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
        picked,
        lambda rows: _own_and_nearest(objects, rows, objects.sums_of(rows, compiled)),
        on_block,
        of_sums=True,
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
