"""The clusters of objects in chunks: which there are, what they weigh, and how far points are from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from operator import add
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array, Floats, blocks, dense, map_blocks
from partita.partitions import HardPartition, MembershipPartition, Partition
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.clusters.moments import ClusterScatter, scatter_of_all
from partita.statistics.distances.objects_by_cluster import (
    BY_COVARIANCE,
    TILE_CELLS,
    ObjectsByCluster,
    known_metric,
)
from partita.statistics.protocol import OnBlock

MOST_CELLS = 1 << 22
"""Sums (objects x clusters) of one chunk: 32 MiB; with those that wait to be added, some 16 times that."""


class Looked(NamedTuple):
    """Of the objects of a chunk: the names of clusters and which one each is in, weights and margins."""

    names: tuple[Any, ...]
    codes: Array
    weight: Floats
    margins: Floats

    @classmethod
    def at(cls, _X: Array, found: Partition, weight: Array | None) -> Looked:
        """Of hard labels, or of hardened memberships."""
        hard = found if isinstance(found, HardPartition) else found.harden()
        each = np.ones(found.n_objects) if weight is None else np.asarray(weight, dtype=np.float64)
        return cls(hard.names, hard.codes, each, margins(found))


def margins(found: Partition) -> Floats:
    """How clearly each object belongs to its cluster: largest membership minus the second; 1 if hard."""
    if isinstance(found, HardPartition):
        return np.ones(found.n_objects)
    assert isinstance(found, MembershipPartition)

    def of_block(rows: slice) -> Floats:
        block = dense(found.block(rows))
        if block.shape[1] < 2:
            return np.ones(len(block))
        top = np.partition(block, block.shape[1] - 2, axis=1)[:, -2:]
        return np.asarray(top[:, 1] - top[:, 0])

    rows = max(1, min(1 << 14, TILE_CELLS // found.n_clusters))
    return np.concatenate(map_blocks(of_block, found.n_objects, rows))


@dataclass(frozen=True, eq=False)
class ChunkedClusters:
    """Objects in chunks with their clusters, those of largest membership if these are fuzzy.

    A number or two for each object is held here; the data stays where it is.

    Attributes
    ----------
    labels : ObjectsByCluster
        All objects in the order of their clusters, without data.
    margins : array (n,)
        In the order of the data.
    metric, covariance
        Of distances.
    """

    objects: ChunkedObjects
    labels: ObjectsByCluster
    margins: Floats
    metric: str
    covariance: Floats | None = None

    @classmethod
    def of(cls, objects: ChunkedObjects, metric: str) -> ChunkedClusters:
        """Look at all chunks once, twice for a metric that depends on the spread of the data."""
        metric = known_metric(metric)
        seen: list[Looked] = objects.each(Looked.at)
        most = max((one.names for one in seen), key=len)
        every = tuple(dict.fromkeys([*most, *(name for one in seen for name in one.names)]))
        place = {name: i for i, name in enumerate(every)}
        codes = np.concatenate(
            [np.array([place[name] for name in one.names], dtype=np.int64)[one.codes] for one in seen]
        )
        weight, clear = (
            np.concatenate(part) for part in ([one.weight for one in seen], [one.margins for one in seen])
        )
        found = _sorted_by_name(codes, every)
        labels = ObjectsByCluster.of(np.empty((codes.size, 0)), found, weight, "euclidean")
        covariance = None
        if metric in BY_COVARIANCE:
            spread: ClusterScatter = objects.sum_over_chunks(scatter_of_all, add)
            covariance = spread.scatter[0] / max(float(weight.sum()) - 1.0, 1.0)
        return cls(objects, labels, clear, metric, covariance)

    @property
    def names(self) -> tuple[Any, ...]:
        """The clusters that are not empty."""
        return self.labels.names

    @property
    def k(self) -> int:
        """How many these are."""
        return self.labels.k

    @cached_property
    def places(self) -> Array:
        """For each object, in the order of the data, its place in the order of clusters."""
        return np.argsort(self.labels.order, kind="stable")

    @property
    def measuring(self) -> Measuring:
        """What is done to a chunk."""
        return Measuring(self.metric, self.covariance, {name: i for i, name in enumerate(self.names)})

    @property
    def most_rows(self) -> int:
        """How many objects are held against all at once."""
        return max(1, MOST_CELLS // self.k)

    def sums_of(self, rows: Array, on_block: OnBlock) -> Iterator[Floats]:
        """The weighted sums of the distances of some objects to those of each cluster, in parts (m, k)."""
        (X, *_), _ = self.objects.take(rows)
        points = np.asarray(X, dtype=np.float64)
        for part in blocks(len(points), self.most_rows):
            yield self.objects.sum_against_all(self.measuring.sums, points[part], np.add, on_block)

    def all_sums(self, on_block: OnBlock) -> Iterator[Floats]:
        """The same of all objects, in the order of the data."""
        return self.objects.each_against_all(_points, self.measuring.sums, np.add, self.most_rows, on_block)

    def all_least(self, on_block: OnBlock) -> Iterator[Floats]:
        """The least distances of all objects to those of each cluster, in parts."""
        work = self.measuring.least
        return self.objects.each_against_all(_points, work, np.minimum, self.most_rows, on_block)


@dataclass(frozen=True)
class Measuring:
    """Distances to the objects of one chunk, by the metric of all, in the order of all clusters."""

    metric: str
    covariance: Floats | None
    place: dict[Any, int]

    def by_cluster(self, X: Array, found: Partition, weight: Array | None) -> tuple[ObjectsByCluster, Array]:
        """The objects of a chunk by cluster, not moved, and which of all clusters these are."""
        hard = found if isinstance(found, HardPartition) else found.harden()
        made = ObjectsByCluster.of(X, hard, weight, self.metric)
        data = np.asarray(X, dtype=np.float64)[made.order]
        return replace(made, X=data, covariance=self.covariance), self.places(made)

    def places(self, objects: ObjectsByCluster) -> Array:
        """Which of all clusters those of some objects are."""
        return np.array([self.place[name] for name in objects.names], dtype=np.int64)

    def sums(self, points: Floats, X: Array, found: Partition, weight: Array | None) -> Floats:
        """The weighted sums of the distances of points to the objects of each cluster."""
        return self._spread(points, 0.0, X, found, weight, ObjectsByCluster.sums_from)

    def least(self, points: Floats, X: Array, found: Partition, weight: Array | None) -> Floats:
        """The least of the distances of points to the objects of each cluster."""
        return self._spread(points, np.inf, X, found, weight, ObjectsByCluster.least_from)

    def _spread(
        self,
        points: Floats,
        nothing: float,
        X: Array,
        found: Partition,
        weight: Array | None,
        measure: Callable[[ObjectsByCluster, Floats], Floats],
    ) -> Floats:
        own, places = self.by_cluster(X, found, weight)
        made = np.full((len(points), len(self.place)), nothing)
        made[:, places] = measure(own, points)
        return made


def _sorted_by_name(codes: Array, names: tuple[Any, ...]) -> HardPartition:
    """Labels whose names are in the order of integers, as they are where all objects are in memory."""
    if not all(type(name) is int for name in names):
        return HardPartition.from_codes(codes, names)
    order = sorted(range(len(names)), key=names.__getitem__)
    return HardPartition.from_codes(np.argsort(order)[codes], [names[i] for i in order])


def _points(rows: slice, X: Array, _found: Partition, weight: Array | None) -> Floats:  # noqa: ARG001
    return np.asarray(X[rows], dtype=np.float64)
