"""The measures of Bezdek and Pal for objects in chunks: of one chunk, of two, or of all against a chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from operator import add
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import HardPartition, Partition
from partita.statistics.clusters.moments import ClusterMoments
from partita.statistics.distances.chunked_clusters import ChunkedClusters, Measuring
from partita.statistics.distances.cluster_measures import ClusterMeasures, mean_widths, refuse_many_clusters
from partita.statistics.distances.objects_by_cluster import ObjectsByCluster
from partita.statistics.protocol import OnBlock

WAITING = 16
"""Matrices of pairs of clusters that wait to be added, about."""


class ChunkedMeasures:
    """What `ClusterMeasures` has for objects in memory."""

    def __init__(self, clusters: ChunkedClusters, on_block: OnBlock) -> None:
        self.clusters, self.on_block = clusters, on_block

    @property
    def nearest(self) -> Floats:
        """For each cluster the least distance to an object of another one."""
        return np.asarray(-self._ends[0])

    def between(self, delta: int) -> Floats:
        """The distances of all pairs of clusters, ``(k, k)``."""
        sizes = self.clusters.labels.sizes
        refuse_many_clusters(self.clusters.k, WAITING)
        if delta == 2:
            return np.asarray(self._over_pairs(_furthest, np.maximum))
        if delta == 3:
            return np.asarray(self._sums / np.multiply.outer(sizes, sizes))
        if delta == 4:
            return self._any_objects.to_centers(*self._centers, *self._centers)
        if delta == 5:
            return np.asarray((self._to_centers + self._to_centers.T) / np.add.outer(sizes, sizes))
        directed = self._directed_hausdorff()
        return np.maximum(directed, directed.T)

    def widths(self, diameter: int) -> Floats:
        """The width of each cluster, ``(k,)``."""
        if diameter == 1:
            return np.asarray(self._ends[1])
        if diameter == 2:
            return mean_widths(self._sums, self.clusters.labels.sizes)
        return np.asarray(2.0 * np.diagonal(self._to_centers) / self.clusters.labels.sizes)

    def _over_pairs(self, work: Callable[..., Any], joined: Callable[[Any, Any], Any]) -> Any:
        bound = partial(work, self.clusters.measuring)
        return self.clusters.objects.sum_over_pairs(bound, joined, self.on_block)

    @cached_property
    def _ends(self) -> Floats:
        """For each cluster minus the least distance to another one, and the largest inside it: ``(2, k)``."""
        ends: Floats = self._over_pairs(_ends, np.maximum)
        return ends

    @cached_property
    def _sums(self) -> Floats:
        """The weighted sums of the distances between the objects of each two clusters, both orders inside."""
        sums: Floats = self._over_pairs(_sums, np.add)
        return sums

    def _directed_hausdorff(self) -> Floats:
        """``[i, j]``: how far an object of one of the two clusters can be from the other cluster."""
        labels, start = self.clusters.labels, 0
        furthest = np.zeros((labels.k, labels.k))
        for least in self.clusters.all_least(self.on_block):
            codes = labels.codes[self.clusters.places[start : start + len(least)]]
            np.maximum.at(furthest, codes, least)
            start += len(least)
        return furthest

    @cached_property
    def _centers(self) -> tuple[Floats, Floats]:
        """The weighted means, ``(k, d)``: a point of each cluster, and the way from there."""
        moments: ClusterMoments = self.clusters.objects.sum_over_chunks(_moments, add)
        place = {name: i for i, name in enumerate(moments.names)}
        rows = [place[name] for name in self.clusters.names]
        return moments.origins[rows], moments.offsets[rows]

    @cached_property
    def _any_objects(self) -> ObjectsByCluster:
        """Some objects, which know the metric."""
        (X, found), weight = self.clusters.objects.take(np.zeros(1, dtype=np.int64))
        objects, _ = self.clusters.measuring.by_cluster(X, found, weight)
        return objects

    @cached_property
    def _to_centers(self) -> Floats:
        """``[i, j]``: the weighted sum of the distances of the objects of i to the centre of j."""
        work = _ToCenters(self.clusters.measuring, *self._centers)
        sums: Floats = self.clusters.objects.sum_over_chunks(work, np.add)
        return sums


def _ends(
    measuring: Measuring, X: Array, found: HardPartition, weight: Array | None, split: int | None
) -> Floats:
    """The ends among all of these objects: looking at a pair twice changes none, so two chunks are as one."""
    del split
    objects = ObjectsByCluster.of(X, found, weight, measuring.metric, measuring.covariance)
    near, far = ClusterMeasures(objects, None).ends
    made = np.stack([np.full(len(measuring.place), -np.inf), np.zeros(len(measuring.place))])
    made[:, measuring.places(objects)] = -near, far
    return made


def _furthest(
    measuring: Measuring, X: Array, found: HardPartition, weight: Array | None, split: int | None
) -> Floats:
    """The largest distances between clusters, among all of these objects."""
    del split
    objects = ObjectsByCluster.of(X, found, weight, measuring.metric, measuring.covariance)
    made = np.full((len(measuring.place), len(measuring.place)), -np.inf)
    places = measuring.places(objects)
    made[np.ix_(places, places)] = ClusterMeasures(objects, None).furthest
    return made


def _sums(
    measuring: Measuring, X: Array, found: HardPartition, weight: Array | None, split: int | None
) -> Floats:
    """Sums between clusters: over all pairs of these objects, in both orders; or between the two parts."""
    k = len(measuring.place)
    made = np.zeros((k, k))
    if split is None:
        objects = ObjectsByCluster.of(X, found, weight, measuring.metric, measuring.covariance)
        places = measuring.places(objects)
        made[np.ix_(places, places)] = ClusterMeasures(objects, None).sums
        return made
    first, second = slice(0, split), slice(split, None)
    own = None if weight is None else weight[first]
    other = None if weight is None else weight[second]
    points, places = measuring.by_cluster(X[first], found.take(first), own)
    sums = measuring.sums(points.X, X[second], found.take(second), other)
    made[places] = np.add.reduceat(points.weight[:, None] * sums, points.bounds[:-1])
    return made + made.T


def _moments(X: Array, found: Partition, weight: Array | None) -> ClusterMoments:
    return ClusterMoments.from_block(np.asarray(X, dtype=np.float64), found, weight)


@dataclass(frozen=True)
class _ToCenters:
    measuring: Measuring
    origins: Floats
    offsets: Floats

    def __call__(self, X: Array, found: Partition, weight: Array | None) -> Floats:
        """The weighted sums of the distances of the objects of each cluster to all centres."""
        objects, places = self.measuring.by_cluster(X, found, weight)
        made = np.zeros((len(self.measuring.place),) * 2)

        def of_rows(rows: Array) -> tuple[Array, Floats]:
            points = objects.X[rows]
            away = objects.to_centers(points, np.zeros_like(points), self.origins, self.offsets)
            return objects.codes[rows], objects.weight[rows, None] * away

        for codes, away in objects.over_rows(np.arange(objects.n), of_rows, None):
            np.add.at(made, places[codes], away)
        return made
