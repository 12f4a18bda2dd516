"""How well each label, or that an object is noise, suits the density around the object (beer2026)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import HARD, HardPartition, Kind
from partita.statistics.distances.connectivity import PathOptions, ReachabilityPath
from partita.statistics.distances.distance_sums import DistanceSums
from partita.statistics.distances.objects_by_cluster import DENSITY
from partita.statistics.protocol import OnBlock, Request, Statistic, Whole


@dataclass(frozen=True, eq=False)
class DensityScores(Whole):
    """The DISCO score of each object.

    An object of a cluster has its silhouette in density-connectivity distances, which are found among all
    objects, noise included. Beside a single cluster, each noise object counts as a cluster.

    For a noise object x the paper takes the smaller of two scores, each the least over all clusters C of
    (v - M) / max(v, M), where M is the largest core distance in C: in the first, v is the core distance of x,
    in the second its distance to C. No step from x is shorter than its core distance, so the second is never
    the smaller one; and the first is least for the largest M. So one comparison is enough: the core distance
    of x with the largest one in any cluster.

    Attributes
    ----------
    scores, each : arrays (n,)
        The score of each object, and its weight, in the order of the data.
    is_noise : array (n,)
        Which objects are noise.
    names : tuple
        The clusters that are not noise and not empty.
    has_too_few : bool
        True if there are fewer objects than ``min_points``, so that there are no scores.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = PathOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"path": ReachabilityPath}

    scores: Floats
    each: Floats
    is_noise: Array
    names: tuple[Any, ...]
    has_too_few: bool = False
    kinds: tuple[Kind] = (HARD,)

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The path through all objects."""
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
    ) -> DensityScores:
        """From all objects: the data, or their distances if ``metric="precomputed"``."""
        if path is None:
            path = ReachabilityPath.from_whole(X, weight, on_block, metric=metric, min_points=min_points)
        n = found.n_objects
        each = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
        is_noise = np.zeros(n, dtype=bool) if found.noise_mask is None else found.noise_mask
        inside = np.flatnonzero(~is_noise)
        names = tuple(found.names[c] for c in np.unique(found.codes[inside]))
        scores = np.full(n, np.nan)
        if path.has_too_few or not inside.size:
            return cls(scores, each, is_noise, names, path.has_too_few)
        sums = DistanceSums.from_whole(
            X, found.take(inside), each[inside], metric=DENSITY, path=path.among(inside)
        )
        if len(names) == 1 and is_noise.any():
            sums = replace(sums, nearest=path.least(is_noise)[inside])
        scores[inside] = sums.silhouettes
        core, most = path.core[is_noise], float(path.core[inside].max())
        larger = np.maximum(core, most)
        scores[is_noise] = np.divide(core - most, larger, out=np.zeros_like(larger), where=larger > 0.0)
        return cls(scores, each, is_noise, names)

    @staticmethod
    def pair_operations(X: Any, _found: HardPartition, *, metric: str = "euclidean", **_: Any) -> float:
        """Pairs of objects, in units of ten features."""
        return ReachabilityPath.pair_operations(X, metric=metric)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are not noise and not empty."""
        return len(self.names)

    @property
    def how(self) -> str:
        """The number of noise objects, and their mean score."""
        if not self.is_noise.any() or self.has_too_few or not self.n_clusters:
            return ""
        weight = self.each[self.is_noise]
        mean = float(weight @ self.scores[self.is_noise] / weight.sum())
        return f"{weight.sum():g} noise objects have the mean score {mean:.2f}"
