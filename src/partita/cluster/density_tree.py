"""Density trees: clusters that stay apart while the distance that joins objects grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from partita.arrays import Array, Floats, held, map_blocks, multiplicities
from partita.cluster.clusterer import COUNT, Clusterer, warn
from partita.cluster.units import shifted, working_exponent
from partita.errors import EmptyClusterWarning, ParameterError, TooLargeError
from partita.kernels.compilation import has_numba
from partita.partitions import HardPartition
from partita.statistics.distances.density import TIE
from partita.statistics.distances.objects_by_cluster import (
    MOST_OPERATIONS,
    PRECOMPUTED,
    TILE_CELLS,
    check_distances,
    work_of_pair,
)

SMALLEST = 4
"""Objects in the smallest cluster, at least."""

COMPILED_OBJECTS = 1000
"""Objects from which on the compiled loop pays for being loaded."""

KD_COLUMNS = 15
"""Columns up to which a k-d tree finds neighbours sooner than a look at all pairs."""

METRICS = ("euclidean", PRECOMPUTED)
NOISE = ("fill", "keep")


def smallest_cluster(n: float, share: float) -> int:
    """The number of objects that both sides of a split need: a share of all, rounded up, and at least 4.

    With weights, n is their sum.
    """
    return max(SMALLEST, math.ceil(round(share * n, 9)))  # 0.07 * 100 is a little more than 7


@dataclass(frozen=True, eq=False)
class ReachTree:
    """A minimum spanning tree of mutual reachability.

    The core distance of an object is its distance to the m-th nearest other object. The reach of two objects
    is the largest of their distance and their core distances. Of edges of equal reach the one whose first
    object comes last is in the tree, then the one whose second does. Numbers that agree in their first 30
    bits are equal.

    Attributes
    ----------
    min_samples : int
        The m of the core distances.
    core : array (n,)
        The core distances.
    ends : array (n - 1, 2)
        The two objects of each edge. The tree is rooted at object 0; the first end is nearer to the root.
    heights : array (n - 1,)
        The reach of each edge, ascending. A reach of 0 counts as the smallest that is positive.
    median_edge : float
        The median of the heights.
    weight : array (n,), optional
        How often each object counts.
    """

    min_samples: int
    core: Floats
    ends: Array
    heights: Floats
    median_edge: float
    weight: Floats | None = None

    def cuts(self, smallest: int) -> Cuts:
        """The true splits: the joins that have at least ``smallest`` objects on both sides.

        Joins of equal height happen at once, since their order is arbitrary: where b sets of at least
        ``smallest`` objects from below this height meet, there are b - 1 splits.
        """
        splits = np.flatnonzero((self._smaller_sides >= smallest) & (self.heights > 0.0))[::-1]
        heights = self.heights[self._levels[splits]]
        persistence = np.log(heights / np.append(heights, self.median_edge)[1:])
        return Cuts(self, splits, heights, persistence)

    @cached_property
    def parents(self) -> Array:
        """The next object on the way to the root, which is its own parent."""
        parents = np.zeros(self.core.size, dtype=np.int64)
        parents[self.ends[:, 1]] = self.ends[:, 0]
        return parents

    @cached_property
    def _levels(self) -> Array:
        """For each edge the last one of equal height."""
        rounded = _without_last_bits(self.heights)
        return np.searchsorted(rounded, rounded, side="right") - 1

    @cached_property
    def _smaller_sides(self) -> Floats:
        """For each edge the size of the smaller side that it joins, as it was below this height.

        A side that has grown at this very height has the size of its largest part from below.
        """
        n = self.core.size
        weight = np.ones(n) if self.weight is None else self.weight
        size, part, grown = weight.tolist(), np.minimum(weight, 1.0).tolist(), [-1] * n
        if self.weight is not None:  # copies of an object are joined at its core distance
            core = _without_last_bits(np.maximum(self.core, self.heights[:1]))
            rounded = _without_last_bits(self.heights)
            level = np.searchsorted(rounded, core, side="right") - 1
            grown = np.where((level >= 0) & (rounded[level] == core), level, -1).tolist()
        root, smaller = list(range(n)), []
        for level, (near, far) in zip(self._levels.tolist(), self.ends.tolist(), strict=True):
            a, b = near, far
            while root[a] != a:
                root[a] = a = root[root[a]]
            while root[b] != b:
                root[b] = b = root[root[b]]
            below_a = part[a] if grown[a] == level else size[a]
            below_b = part[b] if grown[b] == level else size[b]
            smaller.append(min(below_a, below_b))
            if size[a] < size[b]:
                a, b = b, a
            root[b] = a
            size[a], part[a], grown[a] = size[a] + size[b], max(below_a, below_b), level
        return np.array(smaller, dtype=np.float64)


class Branch(NamedTuple):
    """A cluster in the hierarchy of cuts.

    Attributes
    ----------
    first, last : int
        The cuts of which it is a cluster, from the one that separates it on.
    size : float
        The number of its objects, loose ones included; the sum of their weights.
    children : tuple of int
        The two branches into which it divides, by their places; none for a cluster of the finest cut.
    """

    first: int
    last: int
    size: float
    children: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Cuts:
    """The true splits of a tree, and its cuts into 1, 2, ..., S + 1 clusters.

    Attributes
    ----------
    tree : ReachTree
        The tree that is cut.
    splits : array (S,)
        The edges between the two sides of each split, the highest first.
    heights : array (S,)
        Their heights, falling.
    persistence : array (S,)
        How long each cut lasts, from k = 2 on: the log of the height of its last split over that of the next
        one, or over the median edge where there is none.
    """

    tree: ReachTree
    splits: Array
    heights: Floats
    persistence: Floats

    @property
    def n_clusters(self) -> int:
        """The number of clusters of the finest cut."""
        return self.splits.size + 1

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """The clusters of all cuts as a binary tree: those of the finest cut by label, the root last."""
        finest = self.n_clusters
        labels = self.labels(finest)
        found = [Branch(1, finest, size) for size in np.bincount(labels, self.tree.weight).tolist()]
        holder = list(range(finest))  # the branch that now holds each cluster of the finest cut
        for split in range(finest - 2, -1, -1):
            joined = [holder[label] for label in labels[self.tree.ends[self.splits[split]]].tolist()]
            for place in joined:
                found[place] = found[place]._replace(first=split + 2)
            size = sum(found[place].size for place in joined)
            holder = [len(found) if place in joined else place for place in holder]
            found.append(Branch(1, split + 1, size, tuple(joined)))
        return tuple(found)

    def labels(self, k: int, *, noise: str = "fill") -> Array:
        """The cluster of each object when the k - 1 highest splits separate; numbered by first object.

        Objects that leave the tree above a split are in no side of it. ``noise="fill"`` gives them the label
        of the labelled object that is nearest in reach, the nearest first; ``noise="keep"`` the label -1.

        To fill is to remove the edges of the splits from the spanning tree. An edge that is not in the tree
        has the largest reach of a cycle, also when clusters have become one point each: so Prim's algorithm
        from the labelled objects on keeps to edges of the tree, and leaves out the highest edge of each path
        between two clusters. All edges on the way between the two sides of a split are lower than the split
        itself, and the way to any other cluster leads through a higher edge outside both.
        """
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or not 1 <= k <= self.n_clusters:
            raise no_such_cut(k, self.n_clusters)
        if noise not in NOISE:
            raise ParameterError("there is no such rule for loose objects.", got=repr(noise), need=str(NOISE))
        tree, removed = self.tree, self.splits[: k - 1]
        objects = np.arange(tree.core.size)
        towards = tree.parents.copy()
        towards[tree.ends[removed, 1]] = tree.ends[removed, 1]
        top = _last_on_the_way(towards)
        first = np.empty_like(objects)
        first[top[::-1]] = objects[::-1]  # the last to be written is the first object
        labels = (np.cumsum(first[top] == objects) - 1)[first[top]]
        if noise == "fill" or k == 1:
            return labels
        # a side of a split is what hangs together with its edge below it; the lowest split is written last
        lowest, inside = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
        for edge in removed:
            lowest[labels[tree.ends[edge]]], inside[labels[tree.ends[edge]]] = edge, tree.ends[edge]
        near, far = tree.ends.T
        below = np.arange(len(far)) < lowest[labels[far]]
        towards = objects.copy()
        towards[far[below]] = near[below]
        top = _last_on_the_way(towards)
        labels[top != top[inside[labels]]] = -1
        return labels


def reach_trees(
    X: Any, min_samples: Sequence[int], *, metric: str = "euclidean", sample_weight: Any = None
) -> list[ReachTree]:
    """A minimum spanning tree of mutual reachability for each number of neighbours.

    Distances are computed row by row: time grows with n^2, memory with n.

    Parameters
    ----------
    X : (n, d) array, or (n, n) distances
        Finite numbers.
    min_samples : sequence of int
        For each tree the m of its core distances, below n.
    metric : {"euclidean", "precomputed"}
        "precomputed" says that X holds distances.
    sample_weight : array (n,), optional
        How often each object counts, for equal rows that are given once: above 0.
    """
    if metric not in METRICS:
        raise ParameterError("density trees do not have this metric.", got=repr(metric), need=str(METRICS))
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2 or 0 in X.shape or not np.isfinite(X).all():
        raise ParameterError(
            "X is not an array of finite numbers.",
            got=f"array of shape {X.shape}{'' if np.isfinite(X).all() else ' with nan or inf'}",
            need="finite numbers of shape (n, d)",
        )
    n = len(X)
    weight = None if sample_weight is None else multiplicities(sample_weight, n).astype(np.float64)
    if weight is not None and weight.min() == 0.0:
        raise ParameterError(
            "an object of weight 0 has no place in a tree.",
            got=f"{int((weight == 0.0).sum())} weights of 0",
            need="weights above 0",
            fix="leave these objects out",
        )
    others = n - 1 if weight is None else weight.sum() - min(weight.max(), 1.0)
    for m in min_samples:
        if not isinstance(m, (int, np.integer)) or isinstance(m, bool) or not 1 <= m <= others:
            raise ParameterError(
                "min_samples must be a whole number of at least 1, and X must have more objects.",
                got=f"min_samples={m!r}, {n} objects",
                need=f"at least 1, at most {others:g}",
                parameter="min_samples",
            )
    operations = work_of_pair(X, metric) * float(n) ** 2 * len(min_samples)
    if operations > MOST_OPERATIONS:
        raise TooLargeError(
            "a density tree compares all pairs of objects, which would take long here.",
            got=f"{n} objects, {len(min_samples)} trees: {operations:.1e} distances of ten columns",
            need=f"at most {MOST_OPERATIONS:.0e}",
            fix="a sample of the objects",
        )
    exponent = working_exponent(X)
    X = shifted(X, exponent)
    if metric == PRECOMPUTED:
        check_distances(X, n)
    core = _core_distances(X, min_samples, metric, weight)
    trees = []
    for m, own, ends in zip(min_samples, core, _spanning_trees(X, core, metric), strict=True):
        near, far = ends.T
        apart = X[near, far] if metric == PRECOMPUTED else np.sqrt(((X[near] - X[far]) ** 2).sum(axis=1))
        reach = np.maximum(apart, np.maximum(own[near], own[far]))
        order = np.lexsort((-_pair_number(near, far, n), _without_last_bits(reach)))
        heights = np.sort(reach)  # equal heights may differ in their last bits
        positive = heights[heights > 0.0]
        if positive.size:
            heights = np.maximum(heights, positive[0])
        median = _median_edge(heights, own, weight)
        trees.append(
            ReachTree(
                int(m),
                shifted(own, -exponent),
                ends[order],
                shifted(heights, -exponent),
                shifted(median, -exponent),
                weight,
            )
        )
    return trees


def no_such_cut(k: Any, most: int) -> ParameterError:
    """The error for a number of clusters that a tree cannot be cut into."""
    return ParameterError(
        f"this tree has {most - 1} splits, so it has cuts into 1 to {most} clusters.",
        got=f"k={k!r}",
        need=f"a whole number from 1 to {most}",
        fix="a smaller min_share has more splits",
        parameter="n_clusters",
    )


def _core_distances(X: Floats, counts: Sequence[int], metric: str, weight: Floats | None) -> Floats:
    """For each count m the distance of each object to its m-th nearest other one: ``(len(counts), n)``."""
    if metric != PRECOMPUTED and X.shape[1] <= KD_COLUMNS and weight is None:
        # an object is its own nearest, and so is any that equals it
        found, _ = cKDTree(X).query(X, k=[m + 1 for m in counts])
        return np.ascontiguousarray(np.asarray(found).T)
    distances = _distances(X, metric)

    def of_rows(part: slice) -> Floats:
        rows = np.arange(part.start, part.stop)
        gaps = distances(rows)
        own = np.arange(rows.size), rows
        gaps[own] = 0.0
        if weight is None:
            return np.partition(gaps, counts, axis=1)[:, counts]
        order = gaps.argsort(axis=1)
        others = np.tile(weight, (rows.size, 1))
        others[own] -= np.minimum(weight[rows], 1.0)
        passed = np.take_along_axis(others, order, axis=1).cumsum(axis=1)
        # sums of weights are rounded
        place = np.stack([(passed < m * (1.0 - 1e-12)).sum(axis=1) for m in counts], axis=1)
        return np.take_along_axis(gaps, np.take_along_axis(order, place, axis=1), axis=1)

    parts = map_blocks(of_rows, len(X), max(1, TILE_CELLS // (4 * len(X))))
    return np.ascontiguousarray(np.concatenate(parts).T)


def _distances(X: Floats, metric: str) -> Callable[[Array], Floats]:
    """The function that returns the distances of some objects to all, in an array of its own."""
    if metric == PRECOMPUTED:
        return lambda rows: np.maximum(X[rows], 0.0)
    return lambda rows: cdist(X[rows], X)


def _spanning_trees(X: Floats, core: Floats, metric: str) -> list[Array]:
    """The ends of the edges of each spanning tree, the one nearer to object 0 first."""
    if metric != PRECOMPUTED and len(X) >= COMPILED_OBJECTS and has_numba():
        from partita.kernels.density import spanning_tree

        prim = held(spanning_tree.times(len(core)))
        return [prim(X, own, 0, TIE, True)[0] for own in core]
    return list(_prim(_distances(X, metric), core))


def _prim(distances: Callable[[Array], Floats], core: Floats) -> Array:
    """The edges that Prim's algorithm finds from object 0 on, of all trees side by side.

    A complex number is a reach and a pair of objects: they are compared by the first, where it is equal by
    the second.
    """
    trees, n = core.shape
    each, each_object = np.arange(trees), np.arange(n)
    outside = _without_last_bits(core)  # infinite for objects in the tree
    least = np.full((trees, n), np.inf, dtype=np.complex128)
    new = np.empty_like(least)
    parent = np.zeros((trees, n), dtype=np.int64)
    ends = np.empty((trees, n - 1, 2), dtype=np.int64)
    u = np.zeros(trees, dtype=np.int64)
    for step in range(n - 1):
        own = outside[each, u][:, None]
        outside[each, u], least[each, u] = np.inf, np.inf
        short = _without_last_bits(distances(u))
        new.real = np.maximum(np.maximum(short, outside), own)
        new.imag = -_pair_number(each_object, u[:, None], n)
        nearer = new < least
        np.copyto(least, new, where=nearer)
        np.copyto(parent, u[:, None], where=nearer)
        u = least.argmin(axis=1)
        ends[:, step, 0], ends[:, step, 1] = parent[each, u], u
    return ends


def _pair_number(one: Array, other: Array, n: int) -> Array:
    """A number for each pair of objects, rising with the lower one, then with the higher."""
    return np.asarray(np.minimum(one, other) * n + np.maximum(one, other))


def _without_last_bits(values: Floats) -> Floats:
    """The numbers rounded to their first 30 bits."""
    lifted = values * TIE
    return lifted - (lifted - values)


def _median_edge(heights: Floats, core: Floats, weight: Floats | None) -> float:
    """The median height; copies of an object are joined at its core distance."""
    if heights.size == 0:
        return 0.0
    if weight is None:
        return float(np.median(heights))
    every = np.concatenate([heights, np.maximum(core, heights[0])])
    copies = np.concatenate([np.ones(heights.size), np.maximum(weight - 1.0, 0.0)])
    order = every.argsort()
    passed = copies[order].cumsum()
    low, high = (int(np.searchsorted(passed, passed[-1] / 2.0, side=side)) for side in ("left", "right"))
    return float(every[order[[low, high]]].mean())


def _last_on_the_way(towards: Array) -> Array:
    """Where each object ends when it goes on and on to the next one."""
    while True:
        further = towards[towards]
        if np.array_equal(further, towards):
            return towards
        towards = further


class DensityTree(Clusterer):
    """Clusters that stay apart while the reach grows, whatever their shape.

    Two objects are joined when the reach is at least their distance and both have ``min_samples`` others
    within it. As the reach grows, clusters appear, take in the objects around them and join. A join of two
    sets that both have at least ``min_share`` of the objects is a split, and cutting the k - 1 highest splits
    gives k clusters. A cut lasts as long as the reach can grow before the next split is passed.

    Nothing is random. Distances of all pairs are computed, row by row: it is for thousands of objects, or
    tens of thousands.

    Parameters
    ----------
    n_clusters : int, optional
        The number of clusters. If not given, the cut that lasts longest is taken, or one cluster if there is
        no split. If there are fewer splits than needed, the finest cut is taken, with a warning.
    min_samples : int
        The number of other objects within the reach of an object that can be joined.
    min_share : float
        The share of the objects that a cluster has at least; it also has at least 4 objects.
    noise : {"fill", "keep"}
        What becomes of objects that are in no side of a split, since they are joined above it. "fill" gives
        them the label of the labelled object that is nearest in reach; "keep" the label -1.
    metric : {"euclidean", "precomputed"}
        With "precomputed", X is an (n, n) matrix of distances.

    Attributes
    ----------
    partition_ : HardPartition
        The clusters; objects with the label -1 are noise.
    labels_ : array (n,)
    n_clusters_ : int
        The number of clusters.
    objective_ : float
        Minus the persistence of the cut; 0 for one cluster.
    persistence_ : dict
        For each number of clusters from 2 on, how long the cut lasts: the log of the ratio of two heights.
        That of the finest cut is held against the median edge of the tree, and may be negative.
    heights_ : array
        The heights of the splits, falling.
    tree_ : ReachTree
        The spanning tree, or None where X has no more than ``min_samples`` objects and is too small to be
        split.
    n_iter_ : int
        1.

    See Also
    --------
    cut : the labels for another number of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> angle = np.linspace(0.0, 6.2, 100)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = DensityTree().fit(np.vstack([ring, 3.0 * ring]))
    >>> model.partition_
    HardPartition(n=200, k=2, sizes=[100 100], ambiguity=0, partial assignment=0)
    >>> round(model.persistence_[2], 2)
    1.27
    """

    _units: ClassVar[Mapping[str, int]] = {"heights_": 1}
    n_clusters_: int
    heights_: Floats
    _cuts: Cuts | None
    _objects: Floats | None
    persistence_: dict[int, float]
    tree_: ReachTree | None
    random_state = None  # nothing is drawn

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        "n_clusters": [*COUNT, None],
        "min_samples": COUNT,
        "min_share": [Interval(Real, 0, 1, closed="left")],
        "noise": [StrOptions(set(NOISE))],
        "metric": [StrOptions(set(METRICS))],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        min_samples: int = 5,
        min_share: float = 0.05,
        noise: str = "fill",
        metric: str = "euclidean",
    ) -> None:
        self.n_clusters = n_clusters
        self.min_samples = min_samples
        self.min_share = min_share
        self.noise = noise
        self.metric = metric

    def cut(self, k: int) -> Array:
        """The labels for another number of clusters, with the same rule for noise."""
        check_is_fitted(self)
        if self._cuts is not None:
            return self._cuts.labels(k, noise=self.noise)
        if k != 1:
            raise no_such_cut(k, 1)
        return np.zeros_like(self.labels_)

    def predict(self, X: Any) -> Array:
        """The label of the nearest object of the fit.

        With ``metric="precomputed"`` X holds the distances to the objects of the fit.
        """
        values = self._read(X)
        if self._objects is None:
            return np.asarray(self.labels_[values.argmin(axis=1)])
        objects = self._objects
        rows = max(1, TILE_CELLS // len(objects))
        nearest = map_blocks(lambda part: cdist(values[part], objects).argmin(axis=1), len(values), rows)
        return np.asarray(self.labels_[np.concatenate(nearest)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == PRECOMPUTED
        return tags

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:  # noqa: ARG002
        n, smallest = len(X), smallest_cluster(len(X), self.min_share)
        self._objects = None if self.metric == PRECOMPUTED else X
        self._cuts, self.tree_ = None, None
        self.heights_, persistence = np.empty(0), np.empty(0)
        if n > self.min_samples or n >= 2 * smallest:
            tree = reach_trees(X, [self.min_samples], metric=self.metric)[0]
            self._cuts = tree.cuts(smallest)
            self.heights_, persistence = self._cuts.heights, self._cuts.persistence
            self.tree_ = replace(
                tree,
                core=shifted(tree.core, -self._exponent),
                heights=shifted(tree.heights, -self._exponent),
                median_edge=shifted(tree.median_edge, -self._exponent),
            )
        most = len(persistence) + 1
        k = self.n_clusters
        if k is None:
            k = int(persistence.argmax()) + 2 if most > 1 else 1
        if k > most:
            warn(f"{no_such_cut(k, most).what} n_clusters={k} takes the finest cut.", EmptyClusterWarning)
            k = most
        self.persistence_ = dict(enumerate(persistence.tolist(), start=2))
        self.n_clusters_, self.n_iter_ = k, 1
        self.objective_ = 0.0 - self.persistence_.get(k, 0.0)
        self.labels_ = np.zeros(n, dtype=np.int64)
        self.labels_ = self.cut(k)
        self.partition_ = HardPartition(self.labels_, index=index)
