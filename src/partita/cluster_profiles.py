"""What sets each cluster apart: its means in the units of the data, against those of all other objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import EVIDENTIAL, ROUGH, DataMatrix, HardPartition, Partition
from partita.results import Result, Table

__all__ = ["ClusterProfile", "ClusterProfiles", "FeatureProfile", "cluster_profiles"]


@dataclass(frozen=True)
class FeatureProfile:
    """One feature of one cluster.

    Attributes
    ----------
    mean, elsewhere : float
        The mean over the objects of the cluster, and over all others; of soft clusterings by membership.
    difference : float
        Between them, in standard deviations over all objects; nan where the feature is constant or there are
        no others.
    """

    feature: str
    mean: float
    elsewhere: float
    difference: float


@dataclass(frozen=True)
class ClusterProfile:
    """One cluster: its size, its share of all objects, and its features, the most different first."""

    cluster: Any
    size: float
    share: float
    features: tuple[FeatureProfile, ...]


@dataclass(frozen=True, repr=False)
class ClusterProfiles(Result):
    """What sets each cluster apart; ``profiles`` has one for each cluster, in the order of their names."""

    profiles: tuple[ClusterProfile, ...] = ()
    title: str = ""

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each cluster and feature."""
        return [
            {
                "cluster": one.cluster,
                "size": one.size,
                "feature": feature.feature,
                "mean": feature.mean,
                "elsewhere": feature.elsewhere,
                "difference": feature.difference,
            }
            for one in self.profiles
            for feature in one.features
        ]

    def table(self) -> Table:
        """One row a cluster and feature, the most different first."""
        rows = tuple(tuple(record.values()) for record in self.records())
        below = "difference: from the mean of all other objects, in standard deviations over all objects"
        return Table(self.title, self.columns, rows, (below, *self.footnotes))


def cluster_profiles(data: DataMatrix, found: Partition, weight: Array | None = None) -> ClusterProfiles:
    """The means of every cluster, in the units of the data, against those of all other objects.

    Parameters
    ----------
    data : DataMatrix
        Features of the objects, not distances.
    found : Partition
        A clustering of these objects. Rough and evidential ones count by their pignistic probabilities,
        typicalities as they are; noise belongs to no cluster.
    weight : array, optional
        Multiplicities.
    """
    X = np.asarray(data.values, dtype=np.float64)
    each = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    unit = _units(X)
    X = X / unit
    names, sizes, sums = _sums(X, found, each)
    total, whole = each.sum(), each @ X
    spread = np.sqrt(each @ (X - whole / total) ** 2 / total)
    features = [str(name) for name in data.features] or [f"column {j}" for j in range(X.shape[1])]
    profiles = tuple(
        ClusterProfile(
            name, _whole(size), float(size / total), _features(features, s, size, whole, total, spread, unit)
        )
        for name, size, s in zip(names, sizes, sums, strict=True)
        if size > 0
    )
    return ClusterProfiles(profiles=profiles, title=f"{len(X)} objects in {len(profiles)} clusters")


def _units(X: Floats) -> Floats:
    """Powers of two in which no value is large: sums and squares of huge and of tiny values are known so."""
    _, powers = np.frexp(np.abs(X).max(axis=0, initial=0.0))
    return np.asarray(np.ldexp(1.0, powers - 1))


def _sums(X: Floats, found: Partition, each: Floats) -> tuple[Sequence[Any], Floats, Floats]:
    """For each cluster its name, its weight, and the weighted sums of the features."""
    if isinstance(found, HardPartition):
        inside = np.ones(len(X), bool) if found.noise_mask is None else ~found.noise_mask
        codes, k = found.codes, found.n_clusters
        weight = np.where(inside, each, 0.0)
        sizes: Floats = np.bincount(codes, weight, k).astype(np.float64)
        sums: Floats = np.column_stack([np.bincount(codes, weight * column, k) for column in X.T])
        return found.names, sizes, sums
    soft = found.pignistic() if found.kind in (ROUGH, EVIDENTIAL) else found
    memberships = soft.memberships()  # dense or sparse
    return soft.names, np.asarray(memberships.T @ each), np.asarray(memberships.T @ (X * each[:, None]))


def _features(
    names: Sequence[str],
    sums: Floats,
    size: float,
    whole: Floats,
    total: float,
    spread: Floats,
    unit: Floats,
) -> tuple[FeatureProfile, ...]:
    rest = total - size
    mean = sums / size
    elsewhere = (whole - sums) / rest if rest > 1e-9 * total else np.full(len(names), math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = np.where(spread > 0, (mean - elsewhere) / spread, math.nan)
    order = np.argsort(-np.abs(np.where(np.isnan(difference), 0.0, difference)), kind="stable")
    return tuple(
        FeatureProfile(
            names[j], float(mean[j] * unit[j]), float(elsewhere[j] * unit[j]), float(difference[j])
        )
        for j in order
    )


def _whole(size: float) -> float:
    return int(size) if float(size).is_integer() else float(size)
