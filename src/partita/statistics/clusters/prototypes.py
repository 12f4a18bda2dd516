"""Data around the prototypes of a fuzzy partition: centres that powers of the memberships weigh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self, TypeVar

import numpy as np

from partita.arrays import Array, Floats, dense, is_sparse
from partita.partitions import FUZZY, HARD, HardPartition, Kind, MembershipPartition, Partition
from partita.statistics.clusters.dispersions import PAIRS_OF_CENTERS, center_operations, over_centers
from partita.statistics.clusters.moments import (
    LOG_2,
    ClusterMoments,
    ClusterScatter,
    DataMoments,
    in_units,
    log_determinants,
)
from partita.statistics.clusters.sparse_data import squared_to_own, too_many_centers
from partita.statistics.options import Above
from partita.statistics.protocol import Additive, OnBlock, Request, Statistic, Whole

M = TypeVar("M", ClusterMoments, ClusterScatter)

HARD_AND_FUZZY = frozenset({HARD, FUZZY})

ON_THE_SHELL = 1e-9
"""An object whose Mahalanobis distance is 1 up to this does not count as inside."""


def _with_powers(
    statistic: type[M], X: Array, found: Partition, weight: Array | None, on_block: OnBlock, m: float
) -> M:
    """Sums over all objects, memberships to the power m."""
    made: M = statistic.over_blocks(X, found, weight=weight, on_block=on_block, power=m)
    return made


@dataclass(frozen=True)
class PrototypeOptions:
    """To which power memberships count."""

    m: Annotated[float, Above(0)] = 2.0


@dataclass(frozen=True, eq=False)
class FuzzyCenters(Whole):
    """The clusters' centres and scatter with memberships to the power ``m``, and the mean of the data.

    Attributes
    ----------
    clusters : ClusterMoments
        Weights, centres and sums of squares, memberships to the power m.
    everything : ClusterMoments
        The same of all objects as one cluster.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = PrototypeOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = HARD_AND_FUZZY
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"clusters": ClusterMoments, "everything": DataMoments}
    from_needs_alone: ClassVar[bool] = True
    why_not_sparse = staticmethod(too_many_centers)

    clusters: ClusterMoments
    everything: ClusterMoments

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The centres with memberships to the power m; for a hard partition they tell the mean too."""
        clusters = Request.of(ClusterMoments, {"power": given["m"]})
        alone = {"clusters": clusters}
        return alone if given["found"].kind is HARD else {**alone, "everything": Request(DataMoments)}

    @classmethod
    def from_whole(
        cls,
        X: Array,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        m: float = 2.0,
        clusters: ClusterMoments | None = None,
        everything: ClusterMoments | None = None,
    ) -> Self:
        """From the moments of the clusters and of all objects, made here where they are not given."""
        clusters = clusters or _with_powers(ClusterMoments, X, found, weight, on_block, m)
        if found.kind is HARD:
            return cls(clusters, clusters.together)
        return cls(clusters, everything or DataMoments.over_blocks(X, weight=weight))

    @property
    def exponent(self) -> int:
        """The unit of all lengths here is 2 ** exponent."""
        return self.clusters.exponent

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (self.clusters.kind,)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are not empty."""
        return self.clusters.n_clusters

    @property
    def total_scatter(self) -> float:
        """The sum of squared distances from the mean of the data."""
        return self.everything.ssw

    @cached_property
    def centers(self) -> Floats:
        """The centres of the clusters that are not empty, seen from the mean of the data."""
        c, all_ = self.clusters, self.everything
        away = (c.origins - all_.origins[0]) + (c.offsets - all_.offsets[0])
        return np.asarray(away[c.filled])

    @cached_property
    def from_mean(self) -> Floats:
        """For each cluster that is not empty, the squared distance of its centre from the mean."""
        return np.asarray(np.square(self.centers).sum(axis=1))

    def in_units(self, value: Any, degree: int) -> Floats:
        """A length to the power ``degree`` in the units of the data; inf or 0 where it is no number."""
        return in_units(value, degree * self.exponent)


@dataclass(frozen=True, eq=False)
class Prototypes(FuzzyCenters):
    """The same, with how far the centres lie from one another."""

    why_costly: ClassVar[str] = PAIRS_OF_CENTERS
    pair_operations = staticmethod(center_operations)

    @cached_property
    def separations(self) -> tuple[float, float]:
        """The least and largest squared distance of two centres; 0 where rounding alone sets two apart.

        Both are nan where there are not two centres.
        """
        if self.n_clusters < 2:
            return np.nan, np.nan

        def ends(rows: slice, apart: Floats) -> Floats:
            least = apart.min(axis=1)
            apart[np.arange(len(apart)), np.arange(rows.start, rows.stop)] = 0.0
            return np.stack([least, apart.max(axis=1)], axis=1)

        found = over_centers(self.clusters, ends)
        return float(found[:, 0].min()) ** 2, float(found[:, 1].max()) ** 2

    @property
    def least_separation(self) -> float:
        """The smallest squared distance between two centres; nan where there are not two."""
        return self.separations[0]

    @property
    def largest_separation(self) -> float:
        """The largest squared distance between two centres; nan where there are not two."""
        return self.separations[1]


@dataclass(frozen=True, eq=False)
class PrototypeDistances(Additive):
    """Sums of distances, not squared: from the clusters' centres and from the mean of the data.

    Attributes
    ----------
    to_centers : float
        Sum over objects and clusters of u^m |x - c|.
    to_mean : float
        Sum over objects of |x - mean|.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = PrototypeOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = HARD_AND_FUZZY
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"prototypes": Prototypes}
    why_not_sparse = staticmethod(too_many_centers)

    to_centers: float
    to_mean: float
    kind: Kind = HARD

    @staticmethod
    def block_rows(X: Array, found: Partition) -> int:
        """How many objects one block holds."""
        return ClusterMoments.block_rows(X, found)

    @classmethod
    def from_block(
        cls,
        X: Array,
        found: Partition,
        prototypes: Prototypes,
        weight: Array | None = None,
        *,
        m: float = 2.0,
    ) -> PrototypeDistances:
        """The sums over one block of objects."""
        each = np.ones(X.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64)
        c, all_ = prototypes.clusters, prototypes.everything
        to_mean = each @ _distances(X, all_.origins[0], all_.offsets[0])
        if isinstance(found, HardPartition):
            rows = _rows_of(found, c.names)
            to_centers = each @ _distances(X, c.origins, c.offsets, rows)
        else:
            shares = _shares(found)
            to_centers = np.zeros(())
            for j in np.flatnonzero(c.filled):
                to_centers = to_centers + (each * shares[:, j] ** m) @ _distances(
                    X, c.origins[j], c.offsets[j]
                )
        return cls(float(to_centers), float(to_mean), found.kind)

    def __add__(self, other: PrototypeDistances) -> PrototypeDistances:
        """The sums over both sets of objects."""
        return PrototypeDistances(self.to_centers + other.to_centers, self.to_mean + other.to_mean, self.kind)

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (self.kind,)


@dataclass(frozen=True)
class CovarianceOptions:
    """To which power memberships count."""

    m: Annotated[float, Above(0)] = 1.0


@dataclass(frozen=True, eq=False)
class FuzzyCovariances(Whole):
    """The covariance of each cluster, memberships to the power ``m``; 1 by default (Gath and Geva).

    Attributes
    ----------
    clusters : ClusterScatter
        Weights, centres and scatter.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = CovarianceOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = HARD_AND_FUZZY

    needs: ClassVar[Mapping[str, type[Statistic]]] = {"clusters": ClusterScatter}
    from_needs_alone: ClassVar[bool] = True

    clusters: ClusterScatter

    why_costly: ClassVar[str] = ClusterScatter.why_costly
    pair_operations = staticmethod(ClusterScatter.pair_operations)

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The scatter with memberships to the power m."""
        return {"clusters": Request.of(ClusterScatter, {"power": given["m"]})}

    @classmethod
    def from_whole(
        cls,
        X: Array,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        m: float = 1.0,
        clusters: ClusterScatter | None = None,
    ) -> FuzzyCovariances:
        """From the scatter of the clusters, made here where it is not given."""
        return cls(clusters or _with_powers(ClusterScatter, X, found, weight, on_block, m))

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (self.clusters.kind,)

    @cached_property
    def covariances(self) -> Floats:
        """``(k, d, d)``, of the clusters that are not empty."""
        c = self.clusters
        return np.asarray(c.scatter[c.filled] / c.weights[c.filled, None, None])

    @cached_property
    def log_volumes(self) -> Floats:
        """For each cluster that is not empty half the log-determinant; -inf where it is singular."""
        c = self.clusters
        logs = np.full(c.n_clusters, -np.inf)
        for place in np.flatnonzero(~c.surely_flat[c.filled]):
            covariance = self.covariances[place]
            if np.isfinite(covariance).all():
                logs[place] = 0.5 * log_determinants(covariance) + c.d * c.exponent * LOG_2
        return logs

    @property
    def is_flat(self) -> bool:
        """Whether some cluster has no volume up to rounding."""
        return bool((self.log_volumes == -np.inf).any())


@dataclass(frozen=True, eq=False)
class CoreMemberships(Additive):
    """How much membership lies inside the ellipsoid of each cluster, its Mahalanobis distance below 1.

    Attributes
    ----------
    inside : array (k,)
        Sums of memberships; nan for a cluster whose covariance is singular.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = CovarianceOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = HARD_AND_FUZZY
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"fuzzy": FuzzyCovariances}

    inside: Floats
    kind: Kind = HARD

    why_costly: ClassVar[str] = ClusterScatter.why_costly
    pair_operations = staticmethod(ClusterScatter.pair_operations)

    @staticmethod
    def block_rows(X: Array, found: Partition) -> int:
        """How many objects one block holds."""
        return ClusterScatter.block_rows(X, found)

    @classmethod
    def from_block(
        cls,
        X: Array,
        found: Partition,
        fuzzy: FuzzyCovariances,
        weight: Array | None = None,
        *,
        m: float = 1.0,  # noqa: ARG003 (the ellipsoids have it in them)
    ) -> CoreMemberships:
        """The sums over one block of objects."""
        each = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
        c, hard = fuzzy.clusters, isinstance(found, HardPartition)
        labels = _rows_of(found, c.names) if isinstance(found, HardPartition) else np.zeros(0)
        shares = np.zeros((0, 0)) if hard else _shares(found)
        inside = np.full(c.n_clusters, np.nan)
        for place, (j, volume) in enumerate(zip(np.flatnonzero(c.filled), fuzzy.log_volumes, strict=True)):
            if volume == -np.inf:
                continue
            rows: Any = labels == j if hard else slice(None)
            away = (X[rows] - c.origins[j]) - c.offsets[j]
            reach = np.einsum("if,if->i", away, np.linalg.solve(fuzzy.covariances[place], away.T).T)
            counted = each[rows] if hard else each * shares[:, j]
            inside[place] = counted[reach < 1.0 - ON_THE_SHELL].sum()
        return cls(inside, found.kind)

    def __add__(self, other: CoreMemberships) -> CoreMemberships:
        """The sums over both sets of objects."""
        return CoreMemberships(self.inside + other.inside, self.kind)

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (self.kind,)


def _distances(X: Array, origins: Array, offsets: Array, rows: Array | None = None) -> Floats:
    """The distance of each object from a centre, or from its own of several, the rows of which are given."""
    if is_sparse(X):
        place = np.zeros(X.shape[0], dtype=np.int64) if rows is None else rows
        return np.sqrt(squared_to_own(X, place, np.atleast_2d(origins), np.atleast_2d(offsets)))
    own = ... if rows is None else rows
    away = (X - origins[own]) - offsets[own]
    return np.asarray(np.sqrt(np.einsum("if,if->i", away, away)))


def _shares(found: Partition) -> Floats:
    assert isinstance(found, MembershipPartition)
    return dense(found.block(slice(None)))


def _rows_of(found: HardPartition, names: Sequence[Any]) -> Array:
    """For each object the row of its cluster among these names."""
    labels = found.values.astype(np.int64) - found.low
    if found.row_names == names:
        return labels
    place = {name: row for row, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in found.row_names], dtype=np.int64)[labels]
