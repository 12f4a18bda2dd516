"""How far apart clusters are, and how wide: by the measures of Bezdek and Pal, and by density."""

from __future__ import annotations

from collections.abc import Mapping
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
from partita.statistics.distances.connectivity import (
    ConnectedObjects,
    MinPoints,
    PathOptions,
    ReachabilityPath,
    path_if_needed,
)
from partita.statistics.distances.objects_by_cluster import DENSITY, PRECOMPUTED, work_of_pair
from partita.statistics.distances.sparse_objects import sorted_by_cluster, why_not_of_metric
from partita.statistics.protocol import ALL_VALUES, OnBlock, Request, Statistic, Whole

BY_CENTERS = (4, 5)
"""The separations of Bezdek and Pal that need centres; of the diameters it is the third."""


@dataclass(frozen=True)
class GapOptions:
    """Which measures, the distance of objects, and how many make a place dense where that matters."""

    delta: Literal[1, 2, 3, 4, 5, 6] = 1
    diameter: Literal[1, 2, 3] = 1
    metric: str = "euclidean"
    min_points: MinPoints = 5


@dataclass(frozen=True, eq=False)
class _Gaps(Whole):
    """Distances and widths of clusters.

    Attributes
    ----------
    separations : array (k,)
        From each cluster that is not empty to the nearest other one; inf where there is none.
    diameters : array (k,)
        The width of each.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"path": ReachabilityPath}

    separations: Floats
    diameters: Floats
    names: tuple[Any, ...]
    kinds: tuple[Kind] = (HARD,)

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


@dataclass(frozen=True, eq=False)
class ClusterGaps(_Gaps):
    """How far apart clusters are, and how wide, each by one of the measures of Bezdek and Pal."""

    options: ClassVar[type[Any]] = GapOptions

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
        min_points: int = 5,
        delta: int = 1,
        diameter: int = 1,
        path: ReachabilityPath | None = None,
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
            One of SciPy's, "density" or "precomputed".
        min_points : int
            For "density": the objects that make a place dense, the object itself among them.
        delta : {1, 2, 3, 4, 5, 6}
            Distance of two clusters: the least, largest or mean one between their objects; of their centres;
            mean of their objects to the other's centre; Hausdorff.
        diameter : {1, 2, 3}
            Width of a cluster: the largest or mean distance of its objects; twice the mean one to its centre.
        path : ReachabilityPath, optional
            For "density", where it is known already.
        """
        assert isinstance(found, HardPartition)
        objects = (
            ConnectedObjects.along(path, X, found, weight, min_points)
            if metric == DENSITY
            else sorted_by_cluster(X, found, weight, metric)
        )
        if objects.metric in (PRECOMPUTED, DENSITY) and (delta in BY_CENTERS or diameter == 3):
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
        min_points: int = 5,  # noqa: ARG003 (of one metric, for which chunks are refused)
        delta: int = 1,
        diameter: int = 1,
        path: Any = None,  # noqa: ARG003
    ) -> ClusterGaps:
        """The gaps between all clusters of objects in chunks."""
        measures = ChunkedMeasures(ChunkedClusters.of(objects, metric), on_block)
        separations = measures.nearest if delta == 1 else least_other(measures.between(delta))
        return cls(separations, measures.widths(diameter), measures.clusters.names)

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The order of Prim's algorithm, for the metric "density" alone."""
        return path_if_needed(given)

    @staticmethod
    def pair_operations(
        X: Array, found: Partition, *, metric: str = "euclidean", delta: int = 1, diameter: int = 1, **_: Any
    ) -> float:
        """Pairs of objects, in units of ten features; 0 where only centres matter."""
        if delta in BY_CENTERS and diameter == 3:
            return 0.0
        return found.n_objects**2 / 2 * work_of_pair(X, metric)

    @staticmethod
    def why_not_sparse(
        _X: Any, _found: Partition, *, metric: str = "euclidean", delta: int = 1, diameter: int = 1, **_: Any
    ) -> str:
        """That a metric, or a measure with centres, needs all values; or nothing."""
        if delta in BY_CENTERS or diameter == 3:
            return f"{ALL_VALUES} for delta={delta}, diameter={diameter}"
        return why_not_of_metric(metric)


@dataclass(frozen=True, eq=False)
class ConnectedGaps(_Gaps):
    """How far apart clusters are, and how wide, in density-connectivity distances: Dunn's measures.

    Noise objects are left out before distances are taken, as the authors do with their data sets.

    Attributes
    ----------
    n_noise : float
        The weight of the noise objects.
    has_too_few : bool
        True if there are fewer other objects than ``min_points``, so that there are no distances.
    """

    options: ClassVar[type[Any]] = PathOptions

    n_noise: float = 0.0
    has_too_few: bool = False

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The path through all objects, where none is noise."""
        if given["found"].noise_mask is not None:
            return {}
        return {"path": ReachabilityPath.request(given["metric"], given["min_points"])}

    @classmethod
    def from_whole(
        cls,
        X: Array,
        found: HardPartition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        metric: str = "euclidean",
        min_points: int = 5,
        path: ReachabilityPath | None = None,
    ) -> ConnectedGaps:
        """From all objects: the data, or their distances if ``metric="precomputed"``."""
        n_noise, nothing = 0.0, np.zeros(0)
        if found.noise_mask is not None:
            inside, outside = np.flatnonzero(~found.noise_mask), np.flatnonzero(found.noise_mask)
            n_noise = float(outside.size if weight is None else weight[outside].sum())
            if not inside.size:
                return cls(nothing, nothing, (), n_noise=n_noise)
            X = X[np.ix_(inside, inside)] if metric == PRECOMPUTED else X[inside]
            found, weight = found.take(inside), None if weight is None else weight[inside]
        if path is None:
            path = ReachabilityPath.from_whole(X, weight, on_block, metric=metric, min_points=min_points)
        if path.has_too_few:
            return cls(nothing, nothing, (), n_noise=n_noise, has_too_few=True)
        objects = ConnectedObjects.along(path, X, found, weight, min_points)
        return cls(*objects.ends, objects.names, n_noise=n_noise)

    @staticmethod
    def pair_operations(X: Any, _found: HardPartition, *, metric: str = "euclidean", **_: Any) -> float:
        """Pairs of objects, in units of ten features."""
        return ReachabilityPath.pair_operations(X, metric=metric)

    @property
    def how(self) -> str:
        """The number of noise objects, which are left out."""
        return f"{self.n_noise:g} noise objects are left out" if self.n_noise else ""
