"""How far apart clusters are, and how wide, by the measures of Bezdek and Pal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import HARD, HardPartition, Kind, Partition
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.clusters.dispersions import QUIET, needs_centers
from partita.statistics.distances.chunked_clusters import ChunkedClusters
from partita.statistics.distances.chunked_measures import ChunkedMeasures
from partita.statistics.distances.cluster_measures import ClusterMeasures, least_other
from partita.statistics.distances.objects_by_cluster import PRECOMPUTED, work_of_pair
from partita.statistics.distances.sparse_objects import sorted_by_cluster, why_not_of_metric
from partita.statistics.protocol import ALL_VALUES, OnBlock, Whole

BY_CENTERS = (4, 5)
"""The separations of Bezdek and Pal that need centres; of the diameters it is the third."""


@dataclass(frozen=True)
class GapOptions:
    """Which measures, and the distance of objects."""

    delta: Literal[1, 2, 3, 4, 5, 6] = 1
    diameter: Literal[1, 2, 3] = 1
    metric: str = "euclidean"


@dataclass(frozen=True, eq=False)
class ClusterGaps(Whole):
    """How far apart clusters are, and how wide, each by one of the measures of Bezdek and Pal.

    Attributes
    ----------
    separations : array (k,)
        From each cluster that is not empty to the nearest other one; inf where there is none.
    diameters : array (k,)
        The width of each.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = GapOptions
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
        objects = sorted_by_cluster(X, found, weight, metric)
        if objects.metric == PRECOMPUTED and (delta in BY_CENTERS or diameter == 3):
            raise needs_centers(f"generalized_dunn with delta={delta}, diameter={diameter}", metric)
        measures = ClusterMeasures(objects, on_block)
        separations = measures.nearest if delta == 1 else least_other(measures.between(delta))
        return cls(separations, measures.widths(diameter), objects.names)

    @classmethod
    @np.errstate(**QUIET)
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        X: Array,  # noqa: ARG003
        found: Partition,  # noqa: ARG003
        on_block: OnBlock = None,
        *,
        metric: str = "euclidean",
        delta: int = 1,
        diameter: int = 1,
    ) -> ClusterGaps:
        """The gaps between all clusters of objects in chunks."""
        measures = ChunkedMeasures(ChunkedClusters.of(objects, metric), on_block)
        separations = measures.nearest if delta == 1 else least_other(measures.between(delta))
        return cls(separations, measures.widths(diameter), measures.clusters.names)

    @staticmethod
    def pair_operations(
        X: Array, found: Partition, *, metric: str = "euclidean", delta: int = 1, diameter: int = 1
    ) -> float:
        """Pairs of objects, in units of ten features; 0 where only centres matter."""
        if delta in BY_CENTERS and diameter == 3:
            return 0.0
        return found.n_objects**2 / 2 * work_of_pair(X, metric)

    @staticmethod
    def why_not_sparse(
        _X: Any, _found: Partition, *, metric: str = "euclidean", delta: int = 1, diameter: int = 1
    ) -> str:
        """That a metric, or a measure with centres, needs all values; or nothing."""
        if delta in BY_CENTERS or diameter == 3:
            return f"{ALL_VALUES} for delta={delta}, diameter={diameter}"
        return why_not_of_metric(metric)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are not empty."""
        return len(self.names)

    @property
    def separation(self) -> float:
        """The least distance of two clusters."""
        return float(self.separations.min())

    @property
    def widest(self) -> float:
        """The largest diameter."""
        return float(self.diameters.max())
