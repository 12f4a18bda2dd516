"""What sets each cluster apart: its means in the units of the data, against those of all other objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, dense, is_sparse, one_hot
from partita.partitions import EVIDENTIAL, ROUGH, DataMatrix, HardPartition, Partition
from partita.partitions.word_columns import profile_columns
from partita.results import Result, Table

MOST_FEATURES = 1000
"""Features of a cluster that are profiled, the most different ones."""

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
        Features of the objects, not distances. Columns of words beside them count too: each frequent word by
        its share, dates by their year.
    found : Partition
        A clustering of these objects. Rough and evidential ones count by their pignistic probabilities,
        typicalities as they are; noise belongs to no cluster.
    weight : array, optional
        Multiplicities.
    """
    n, d = data.shape
    words: list[str] = []
    each = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    total = each.sum()
    if data.sparse is None:
        X: Any = np.asarray(data.values, dtype=np.float64)
        words, columns = profile_columns(data.aside)
        X = np.column_stack([X, *columns]) if columns else X
        unit = _units(np.abs(X).max(axis=0, initial=0.0))
        X = X / unit
        whole = each @ X
        spread = np.sqrt(each @ (X - whole / total) ** 2 / total)
    else:
        unit = _units(abs(data.sparse).max(axis=0).toarray().ravel())
        X, whole, spread = _sparse_spread(data.sparse, unit, each)
    names, sizes, sums = _sums(X, found, each)
    features = [str(name) for name in data.features] or [f"column {j}" for j in range(d)]
    features += words
    profiles = tuple(
        ClusterProfile(
            name, _whole(size), float(size / total), _features(features, s, size, whole, total, spread, unit)
        )
        for name, size, s in zip(names, sizes, sums, strict=True)
        if size > 0
    )
    return ClusterProfiles(profiles=profiles, title=f"{n} objects in {len(profiles)} clusters")


def _sparse_spread(X: Any, unit: Floats, each: Floats) -> tuple[Any, Floats, Floats]:
    """Sparse data in these units, their weighted sums and standard deviations; no feature is written out."""
    made = X.copy()
    made.data = X.data / unit[X.indices]
    total, d = each.sum(), X.shape[1]
    weight = each[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))]
    whole = np.asarray(np.bincount(X.indices, weight * made.data, d), dtype=np.float64)
    mean = whole / total
    away = np.bincount(X.indices, weight * (made.data - mean[X.indices]) ** 2, d)
    absent = np.maximum(total - np.bincount(X.indices, weight, d), 0.0)  # those without a value lie at 0
    return made, whole, np.sqrt((away + absent * mean**2) / total)


def _units(largest: Floats) -> Floats:
    """Powers of two in which no value is large: sums and squares of huge and of tiny values are known so."""
    _, powers = np.frexp(largest)
    return np.asarray(np.ldexp(1.0, powers - 1))


def _sums(X: Any, found: Partition, each: Floats) -> tuple[Sequence[Any], Floats, Floats]:
    """For each cluster its name, its weight, and the weighted sums of the features."""
    if isinstance(found, HardPartition):
        inside = np.ones(each.size, bool) if found.noise_mask is None else ~found.noise_mask
        codes, k = found.codes, found.n_clusters
        weight = np.where(inside, each, 0.0)
        sizes: Floats = np.bincount(codes, weight, k).astype(np.float64)
        if is_sparse(X):
            groups = one_hot(codes, k).T.tocsr()
            groups.data = weight[groups.indices]
            return found.names, sizes, dense(groups @ X)
        sums: Floats = np.column_stack([np.bincount(codes, weight * column, k) for column in X.T])
        return found.names, sizes, sums
    soft = found.pignistic() if found.kind in (ROUGH, EVIDENTIAL) else found
    memberships = soft.memberships()  # dense or sparse
    if is_sparse(X):
        weighed = X.multiply(each[:, None]).tocsr()
        return soft.names, np.asarray(memberships.T @ each), dense((weighed.T @ memberships).T)
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
        for j in order[:MOST_FEATURES]
    )


def _whole(size: float) -> float:
    return int(size) if float(size).is_integer() else float(size)
