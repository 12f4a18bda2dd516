"""Scores of clusterings: how long they last in density trees, which methods agree with them, and BIC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, one_thread
from partita.cluster.density_tree import DensityTree, ReachTree, reach_trees, smallest_cluster
from partita.cluster.merged_mixture import (
    FittedMixture,
    MergedMixture,
    Merging,
    mixtures_over_k,
    standardised,
)
from partita.cluster.units import shifted, working_exponent
from partita.cluster.ward import ward_cuts
from partita.partitions import HardPartition
from partita.results.records import read_back
from partita.statistics.tables.near_clusterings import Clusterings

__all__ = ["MIXTURE", "TREE", "WARD", "Evidence", "ScoredClustering"]

TREE, MIXTURE, WARD = "density tree", "mixture", "Ward"
"""The two methods whose clusters can be the answer, and the witness."""

MIN_SAMPLES = (3, 5, 8, 12)
MIN_SHARES = (0.05, 0.02, 0.01)
"""Neighbours that set the reach, and shares of the smallest cluster, of the twelve density trees."""

MOST_OBJECTS = 3000
"""Number of objects that are clustered; of more a sample is drawn."""

FEWEST_OBJECTS = 8
"""With fewer objects there is no answer."""

DOMINANT_SHARE = 0.9
"""Share of all variance from which one column decides the distances, so that both scales are tried."""

LARGEST_K = 100
WARD_KS = (*range(2, 21), 22, 24, 27, 30, 33, 36, 40, 45, 50, 55, 60, 70, 80, 90, LARGEST_K)

MOST_LASTING = 1.0
"""Logarithms of the growth of the reach are clipped here: 2.7-fold is as good as longer."""


@dataclass(frozen=True, eq=False)
class ScoredClustering:
    """A clustering with the parts of its score.

    Attributes
    ----------
    labels : array
        The clusters, from 0 on; -1 is noise.
    method : str
        The kind of method that found it: "density tree", "mixture", or the name of another.
    parameters : dict
        The settings of the method.
    lasting : float
        P: the mean over the density trees of the logarithm of the growth of the reach over which these
        clusters stay apart, at most 1.
    agreement : float
        A: the mean, over two other kinds of method, of the largest adjusted Rand index with one of theirs.
    best_bic : float
        B: 0.15 (0.35 from 4 columns on) times the adjusted Rand index with the mixture of best BIC.
    agrees_with : dict
        For each other kind of method that index.
    """

    labels: Array = field(repr=False)
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    lasting: float = 0.0
    agreement: float = 0.0
    best_bic: float = 0.0
    agrees_with: Mapping[str, float] = field(default_factory=dict)
    k: int = 0
    """The number of clusters."""
    of_all: Array | None = field(default=None, repr=False)
    """The labels of all objects, where the method gave them; others follow the nearest one clustered."""

    def __post_init__(self) -> None:
        if not self.k:
            object.__setattr__(self, "k", len(np.unique(self.labels[self.labels >= 0])))

    @property
    def score(self) -> float:
        """The sum of the parts, from 0 to 2.15 (2.35 from 4 columns on); not a probability."""
        return self.lasting + self.agreement + self.best_bic

    @property
    def partition(self) -> HardPartition:
        """The clustering."""
        return HardPartition(self.labels)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the labels, as JSON holds it."""
        return {
            "k": self.k,
            "method": self.method,
            "parameters": dict(self.parameters),
            "score": self.score,
            "lasting": self.lasting,
            "agreement": self.agreement,
            "best_bic": self.best_bic,
            "agrees_with": dict(self.agrees_with),
        }

    @classmethod
    @read_back
    def from_dict(cls, row: Mapping[str, Any]) -> ScoredClustering:
        """The clustering that `to_dict` wrote, without its labels."""
        known = {name: value for name, value in row.items() if name != "score"}
        return cls(np.zeros(0, np.int64), **known)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What density trees, mixtures and Ward's tree find in data, by which any clustering is scored.

    Attributes
    ----------
    data : array (n, d) or (n, n)
        All objects, or their distances.
    rows : array (m,)
        The objects that were clustered: all up to 3000, else a sample.
    metric : {"euclidean", "precomputed"}
        The meaning of the data.
    dominant : int or None
        The column with more than 0.9 of all variance. Both scales are tried then.
    cuts : tuple of ScoredClustering
        The different cuts of all density trees, not scored yet.
    lasting : tuple
        For each scale, and each of its trees, how long each cut lasts, by its place in ``cuts``.
    mixtures : tuple of ScoredClustering
        The mixtures of two and more components, and those with components joined, not scored yet.
    best : FittedMixture or None
        The mixture of best BIC.
    witness : Clusterings
        The cuts of Ward's tree.
    largest_k : int
        The largest number of clusters that was tried.
    trees : tuple of ReachTree
        The spanning trees of the data as they are, and where one column dominates of columns of equal weight.
    """

    data: Floats
    rows: Array
    metric: str
    dominant: int | None
    cuts: tuple[ScoredClustering, ...]
    lasting: tuple[tuple[Mapping[int, float], ...], ...]
    mixtures: tuple[ScoredClustering, ...]
    best: FittedMixture | None
    witness: Clusterings
    largest_k: int
    trees: tuple[tuple[ReachTree, ...], ...] = ()

    @classmethod
    def of(
        cls, X: Array, rng: np.random.Generator, *, metric: str = "euclidean", ks: Sequence[int] = ()
    ) -> Evidence:
        """The evidence of data.

        Parameters
        ----------
        X : array (n, d), or (n, n) for ``metric="precomputed"``
            Finite numbers.
        rng : Generator
            Draws the sample.
        metric : {"euclidean", "precomputed"}
            Whether X holds data or distances, for which there are no mixtures.
        ks : list of int
            Numbers of clusters that are tried beside the usual ones: the cuts of trees up to
            max(20, min(100, n / 10)), and mixtures up to 100.
        """
        n = len(X)
        rows = np.arange(n) if n <= MOST_OBJECTS else np.sort(rng.choice(n, MOST_OBJECTS, replace=False))
        of_distances = metric == "precomputed"
        seen = np.asarray(X[np.ix_(rows, rows)] if of_distances else X[rows], dtype=np.float64)
        seen = shifted(seen, working_exponent(seen))
        most, is_few = max(20, min(LARGEST_K, len(rows) // 10), *ks), len(rows) < FEWEST_OBJECTS
        dominant = None if of_distances else _dominant_column(seen)
        scales = {"raw": seen} if dominant is None else {"raw": seen, "standard": standardised(seen)}
        with one_thread():
            samples = [m for m in MIN_SAMPLES if len(rows) > 4 * m] or MIN_SAMPLES[:1]
            spanning = tuple(
                () if is_few else tuple(reach_trees(values, samples, metric=metric))
                for values in scales.values()
            )
            cuts, lasting = _tree_cuts(spanning, [*scales], most)
            fits = [] if of_distances or is_few else mixtures_over_k(standardised(seen))
            witness = Clusterings(
                labels for values in scales.values() for labels in ward_cuts(values, WARD_KS, metric=metric)
            )
            best = max(fits, key=lambda one: (one.bic, -one.k), default=None)
            missing = {k for k in ks if k > 1} - {one.k for one in cuts} - {one.k for one in fits}
            fits += mixtures_over_k(standardised(seen), sorted(missing)) if fits and missing else []
        largest = max([most, *(one.k for one in fits)])
        mixtures = _mixture_clusterings(fits, best)
        return cls(X, rows, metric, dominant, cuts, lasting, mixtures, best, witness, largest, spanning)

    @cached_property
    def _known(self) -> dict[str, Clusterings]:
        """The clusterings of each kind of method that has any."""
        known = {
            TREE: Clusterings(one.labels for one in self.cuts),
            MIXTURE: Clusterings(one.labels for one in self.mixtures),
            WARD: self.witness,
        }
        return {name: one for name, one in known.items() if name != MIXTURE or self.metric != "precomputed"}

    @property
    def bic_weight(self) -> float:
        """The weight of the agreement with the mixture of best BIC."""
        return 0.15 if self.data.shape[1] <= 3 else 0.35

    def scored(
        self, clustering: ScoredClustering, others: Mapping[str, Clusterings] | None = None
    ) -> ScoredClustering:
        """The clustering with the parts of its score.

        A density tree or a mixture is compared with the other one and with Ward's tree, any other method with
        density trees and mixtures.

        Parameters
        ----------
        clustering : ScoredClustering
            Its labels are of the objects in ``rows``.
        others : dict of Clusterings, optional
            More kinds of method that may agree with it; of all kinds the two that agree best count.
        """
        labels, method = clustering.labels, clustering.method
        known = {name: one for name, one in self._known.items() if name != method}
        if method not in self._known:
            known = {name: one for name, one in known.items() if name != WARD or len(self._known) == 2}
        for name, one in (others or {}).items():
            if name != method:
                known[name] = Clusterings([*(known[name].codes if name in known else ()), *one.codes])
        found = {name: one.best_agreement(labels) if len(one) else 0.0 for name, one in known.items()}
        best_bic = 0.0
        if self.best is not None and self.best.k > 1:
            best_bic = self.bic_weight * Clusterings([self.best.labels]).agreement(labels)
        return replace(
            clustering,
            lasting=self._lasting_of(labels),
            agreement=sum(sorted(found.values(), reverse=True)[:2]) / 2,
            best_bic=best_bic,
            agrees_with=found,
        )

    def _lasting_of(self, labels: Array) -> float:
        """The mean over the trees of the longest lasting of a cut that is the same clustering."""
        same = self._known[TREE].near(labels) if self.cuts else {}
        means = [
            sum(max((v * tree[p] for p, v in same.items() if p in tree), default=0.0) for tree in scale)
            / len(scale)
            for scale in self.lasting
            if scale
        ]
        return max(means, default=0.0)

    @cached_property
    def clusterings(self) -> tuple[ScoredClustering, ...]:
        """The own clusterings with their scores, the best first, of equals the one with fewer clusters."""
        return ranked(self.scored(one) for one in (*self.cuts, *self.mixtures))

    def whole(self, clustering: ScoredClustering) -> ScoredClustering:
        """The clustering of all objects: each follows the nearest one that was clustered."""
        if clustering.of_all is not None:
            return replace(clustering, labels=clustering.of_all)
        if len(self.rows) == len(self.data):
            return clustering
        is_scaled = self.dominant is not None and clustering.parameters.get("scale") != "raw"
        nearest = self._nearest_scaled if is_scaled else self._nearest
        return replace(clustering, labels=clustering.labels[nearest])

    @cached_property
    def _nearest(self) -> Array:
        from sklearn.metrics import pairwise_distances_argmin

        if self.metric == "precomputed":
            return np.asarray(self.data[:, self.rows].argmin(axis=1))
        return np.asarray(pairwise_distances_argmin(self.data, self.data[self.rows]))

    @cached_property
    def _nearest_scaled(self) -> Array:
        from sklearn.metrics import pairwise_distances_argmin

        values = standardised(np.asarray(self.data, dtype=np.float64))
        return np.asarray(pairwise_distances_argmin(values, values[self.rows]))

    def model_of(self, clustering: ScoredClustering) -> Any:
        """The estimator that finds an own clustering, fitted to the objects that were clustered."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        known, seen = clustering.parameters, np.asarray(self.data[self.rows], dtype=np.float64)
        if clustering.k == 1:
            return MergedMixture(1, n_components=1).fit(seen)
        if clustering.method == MIXTURE:
            components, shape = known["n_components"], known["covariance_type"]
            return MergedMixture(clustering.k, n_components=components, covariance_type=shape).fit(seen)
        if self.metric == "precomputed":
            seen = np.ascontiguousarray(seen[:, self.rows])
        samples, share = known["min_samples"], known["min_share"]
        tree = DensityTree(clustering.k, min_samples=samples, min_share=share, metric=self.metric)
        return (make_pipeline(StandardScaler(), tree) if known["scale"] == "standard" else tree).fit(seen)


def ranked(clusterings: Iterable[ScoredClustering]) -> tuple[ScoredClustering, ...]:
    """The largest score first; of equal ones, the one with fewer clusters."""
    return tuple(sorted(clusterings, key=lambda one: (-round(one.score, 9), one.k)))


def _dominant_column(X: Floats) -> int | None:
    """The column with more than 0.9 of the sum of all variances, if there is one beside others."""
    variances = X.var(axis=0)
    largest = int(variances.argmax())
    is_dominant = X.shape[1] > 1 and variances[largest] > DOMINANT_SHARE * variances.sum()
    return largest if is_dominant else None


def _tree_cuts(
    spanning: Sequence[Sequence[ReachTree]], scales: Sequence[str], most: int
) -> tuple[tuple[ScoredClustering, ...], tuple[tuple[dict[int, float], ...], ...]]:
    """The different cuts of all density trees; for each scale and tree how long each lasts, by its place."""
    cuts: dict[bytes, ScoredClustering] = {}
    places: dict[bytes, int] = {}

    def read(tree: ReachTree, share: float, scale: str) -> dict[int, float]:
        found = tree.cuts(smallest_cluster(tree.core.size, share))
        known = {"min_samples": tree.min_samples, "min_share": share, "scale": scale}
        lasting = np.clip(found.persistence, 0.0, MOST_LASTING)
        of_tree = {}
        for k in range(2, min(found.n_clusters, most) + 1):
            one = ScoredClustering(found.labels(k), TREE, known)
            cuts.setdefault(one.labels.tobytes(), one)
            of_tree[places.setdefault(one.labels.tobytes(), len(places))] = float(lasting[k - 2])
        return of_tree

    lasting = tuple(
        tuple(read(tree, share, scale) for tree in trees for share in MIN_SHARES)
        for scale, trees in zip(scales, spanning, strict=True)
    )
    return tuple(cuts.values()), lasting


def _mixture_clusterings(
    fits: Sequence[FittedMixture], best: FittedMixture | None
) -> tuple[ScoredClustering, ...]:
    """The mixtures of several components, and the best one with components joined; each clustering once."""
    found: dict[bytes, ScoredClustering] = {}

    def add(fit: FittedMixture, labels: Array) -> None:
        codes = np.unique(labels, return_inverse=True)[1]
        known = {"covariance_type": fit.covariance_type, "n_components": fit.k, "bic": fit.bic}
        if codes.max() > 0:
            found.setdefault(codes.tobytes(), ScoredClustering(codes, MIXTURE, known))

    for fit in fits:
        add(fit, fit.labels)
    if best is not None and best.k > 2:
        merging = Merging.of(best.mixture)
        for k in range(best.k - 1, 1, -1):
            add(best, merging.memberships(best.memberships, k).argmax(axis=1))
    return tuple(found.values())
