"""Ward's method with one step of k-means after it, for one number of clusters or for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from partita.arrays import MOST_DENSE_CELLS, Array, Floats, frame_library, held
from partita.cluster.centres import CentreFit, nearest
from partita.cluster.clusterer import warn_of_empty
from partita.cluster.units import shifted, working_exponent
from partita.errors import ParameterError, TooLargeError
from partita.partitions import HardPartition
from partita.partitions.chunked_reading import from_dask
from partita.statistics.clusters.moments import ClusterMoments


def ward_partition(X: Any, n_clusters: int = 2, *, reassign: bool = True) -> HardPartition:
    """Ward's clusters, the objects then given to the nearest of their means.

    scikit-learn's `AgglomerativeClustering` merges the two clusters whose union adds least to the sum of
    squares (PNN to signal processing). An object never leaves its cluster there, so one step to the nearest
    mean lowers the sum of squares, often by much. franti2017 prints the sum between these two: from each
    object to the nearest of Ward's means, before the means follow the objects.

    Parameters
    ----------
    X : (n, d) array or data frame
        Finite numbers. Time and memory grow with n^2.
    n_clusters : int
        The number of clusters.
    reassign : bool
        Whether each object goes to the nearest mean afterwards.

    Returns
    -------
    HardPartition
        Clusters 0, 1, ..., k - 1.

    Examples
    --------
    >>> ward_partition([[0.0], [1.0], [9.0], [10.0], [50.0]], 3)
    HardPartition(n=5, k=3, sizes=[2 1 2], ambiguity=0, partial assignment=0)
    """
    from sklearn.cluster import AgglomerativeClustering

    X = from_dask("X", X)
    values = check_array(X, dtype=np.float64, order="C", ensure_min_samples=2)
    values = shifted(values, working_exponent(values))
    n = len(values)
    is_count = isinstance(n_clusters, (int, np.integer)) and not isinstance(n_clusters, bool)
    if not is_count or not 1 <= n_clusters <= n:
        raise ParameterError(
            "X cannot have so many clusters.",
            got=f"n_clusters={n_clusters!r}",
            need=f"a whole number, 1 to {n}",
        )
    if not isinstance(reassign, (bool, np.bool_)):
        raise ParameterError("reassign is no truth value.", got=repr(reassign), need="True or False")
    refuse_many_pairs(n, fix="RandomSwap or GlobalKMeans, or a sample of the objects")
    labels = AgglomerativeClustering(n_clusters, linkage="ward").fit(values).labels_.astype(np.int64)
    if reassign:
        means = held(ClusterMoments.from_block)(values, HardPartition(labels)).centers
        labels = nearest(values, means)[0]
        warn_of_empty(n_clusters - len(np.unique(labels)), n_clusters)
    library = frame_library(X)
    partition = HardPartition(labels, index=getattr(X, "index", None) if library == "pandas" else None)
    partition.frame = library
    return partition


@dataclass(frozen=True)
class WardTree:
    """All cuts of Ward's method: node i < n is an object, node n + i the union of merge i."""

    X: Floats
    parents: Array

    @classmethod
    def of(cls, X: Floats) -> WardTree:
        """Merge until one cluster is left, with the distances of all pairs in memory."""
        n = len(X)
        parents = np.full(2 * n - 1, 2 * n)
        if n > 1:
            from scipy.cluster.hierarchy import ward

            merged = ward(X)[:, :2].astype(np.int64)
            parents[merged] = np.arange(n, 2 * n - 1)[:, None]
        return cls(X, parents)

    def cut(self, k: int) -> Array:
        """Labels 0, ..., k - 1 after the first n - k merges."""
        n = len(self.X)
        top = np.where(self.parents < 2 * n - k, self.parents, np.arange(2 * n - 1))
        while not np.array_equal(higher := top[top], top):
            top = higher
        return np.unique(top[:n], return_inverse=True)[1]

    def partition(self, k: int, *, reassign: bool) -> CentreFit:
        """The clusters at a cut and their means, to the nearest of which objects go if asked for."""
        labels = self.cut(k)
        moments = ClusterMoments.from_block(self.X, HardPartition(labels))
        means = moments.centers
        if reassign:
            labels = nearest(self.X, means)[0]
            moments = ClusterMoments.from_block(self.X, HardPartition(labels))
        return CentreFit(means, labels, moments.ssw, n_iter=int(reassign), converged=True)


def refuse_many_pairs(n: int, fix: str) -> None:
    """Say before the work starts that the distances of all pairs of n objects do not fit."""
    pairs = n * (n - 1) // 2
    if pairs > MOST_DENSE_CELLS:
        raise TooLargeError(
            "Ward's method needs the distances of all pairs of objects.",
            got=f"{n} objects, {pairs} pairs",
            need=f"at most {MOST_DENSE_CELLS} pairs",
            fix=fix,
        )


def ward_cuts(X: Floats, ks: Sequence[int], *, metric: str = "euclidean") -> Iterable[Array]:
    """Ward's tree of data or distances, cut at those numbers of clusters that leave 5 objects for each."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    able = [k for k in ks if len(X) >= 5 * k]
    if not able:
        return []
    tree = linkage(squareform(X, checks=False) if metric == "precomputed" else X, "ward")
    return [fcluster(tree, k, "maxclust") - 1 for k in able]
