"""Clusters that a method of centres cannot find: what density sees, held against what the method finds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import HardPartition
from partita.registry import find

__all__ = ["DenseClusters", "Disagreement", "dense_clusters", "disagreement"]

MOST_OBJECTS = 1000
"""More are thinned, so that the distances of all pairs are quick."""

NEIGHBOURS = 3
"""The core distance of an object is that to its so-many-th nearest: thin chains hold, single objects do not
bridge a gap."""

SMALLEST_SHARE = 0.05
"""A dense cluster holds so much of the objects; what hangs on smaller pieces is noise."""

FEWEST = 5
"""Objects that a dense cluster has at least."""

COVERED = 0.8
"""The share of objects that dense clusters must hold together."""

MOST_CLUSTERS = 20

LASTING = 1.2
"""Clusters are there if they stay apart while the reach grows by this factor: a fifth more is no accident of
where a few objects fell."""

SAME = 0.9
"""Adjusted Rand index from which on two clusterings count as the same."""


@dataclass(frozen=True, eq=False)
class DenseClusters:
    """Clusters that are dense inside and stay apart longest as the reach grows.

    Attributes
    ----------
    X : array (m, d)
        The objects that were looked at.
    rows : array (m,)
        Which they are.
    labels : array (m,)
        Their clusters; -1 is noise.
    lasting : float
        The factor by which the reach grows while these clusters stay as they are.
    """

    X: Floats
    rows: Array
    labels: Array
    lasting: float

    @property
    def k(self) -> int:
        """The number of clusters."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True)
class Disagreement:
    """Dense clusters beside others that a method finds for the same k.

    Attributes
    ----------
    k : int
        How many they are.
    lasting : float
        The factor by which the reach grows while the dense ones stay apart.
    agreement : float
        The adjusted Rand index of both.
    dbcv, other_dbcv : float
        The density-based validation of the dense ones, and of those of the method.
    """

    k: int
    lasting: float
    agreement: float
    dbcv: float
    other_dbcv: float


def dense_clusters(X: Array, rng: np.random.Generator) -> DenseClusters | None:
    """The clusters of a single-linkage tree of reaches that last longest; None where none lasts.

    The reach of two objects is their distance, or the distance of either to its third nearest if that is
    larger (as in moulavi2014's kin, HDBSCAN). From the top of the tree down, the large clusters (5 % of the
    objects or more) are counted at each height while they hold four fifths of the objects. The longest
    stretch of heights, as a ratio, with the same count of two or more is taken.

    Parameters
    ----------
    X : array (n, d)
        The data; a sample of 1000 is looked at if there are more.
    rng : Generator
        Draws the sample.
    """
    rows = np.arange(len(X))
    if len(X) > MOST_OBJECTS:
        rows = np.sort(rng.choice(len(X), MOST_OBJECTS, replace=False))
    values = np.asarray(X[rows], dtype=np.float64)
    if len(values) < 2 * FEWEST:
        return None
    best, lasting = None, LASTING
    for top, bottom, labels in _stretches(values):
        if 2 <= labels.max() + 1 <= MOST_CLUSTERS and bottom > 0 and top / bottom >= lasting:
            best, lasting = labels, top / bottom
    return None if best is None else DenseClusters(values, rows, best, lasting)


def _stretches(X: Floats) -> Iterator[tuple[float, float, Array]]:
    """From the top of the tree: heights between which the count of large clusters stays, and the labels."""
    from scipy.cluster.hierarchy import fcluster, single
    from scipy.spatial.distance import pdist, squareform

    gaps = squareform(pdist(X))
    core = np.partition(gaps, NEIGHBOURS, axis=1)[:, NEIGHBOURS]
    reach = np.maximum(gaps, np.maximum.outer(core, core))
    np.fill_diagonal(reach, 0.0)
    tree = single(squareform(reach, checks=False))
    smallest = max(FEWEST, math.ceil(SMALLEST_SHARE * len(X)))
    heights = np.unique(tree[:, 2])[::-1]
    top, count, labels = heights[0], 1, np.zeros(len(X), np.int64)
    for above, height in pairwise(heights):
        at_height = fcluster(tree, height, "distance") - 1
        sizes = np.bincount(at_height)
        large = np.flatnonzero(sizes >= smallest)
        is_over = sizes[large].sum() < COVERED * len(X)
        if is_over or len(large) != count:
            yield float(top), float(above), labels
            if is_over:
                return
            top, count = above, len(large)
            names = np.full(len(sizes), -1)
            names[large] = np.arange(count)
            labels = names[at_height]
    yield float(top), float(heights[-1]), labels


def disagreement(dense: DenseClusters, labels: Array) -> Disagreement | None:
    """Where a method that gives all objects these labels finds other clusters, and worse ones by density.

    None where it finds the same, or better ones. The labels are for the same number of clusters. In one
    dimension every cluster is an interval, and compact.
    """
    if dense.X.shape[1] == 1:
        return None
    others = np.asarray(labels)[dense.rows]
    inside = dense.labels >= 0
    agreement = float(find("adjusted_rand")(dense.labels[inside], others[inside]))
    if agreement >= SAME:
        return None
    values = _dbcv(dense.X, dense.labels), _dbcv(dense.X, others)
    found = Disagreement(dense.k, dense.lasting, agreement, *values)
    return None if values[1] >= values[0] else found  # nan is worse


def _dbcv(X: Floats, labels: Array) -> float:
    return float(find("dbcv")(X, HardPartition(labels)))
