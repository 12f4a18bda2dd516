"""X-means: clusters are split in two as long as the Bayesian information criterion asks for it."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval

from partita.arrays import Array, Floats, held
from partita.cluster.centres import CentreFit, lloyd, starting_centres
from partita.cluster.clusterer import COUNT, FROM_STARTS, CentreClusterer, restarts, warn_of_no_convergence
from partita.errors import ParameterError
from partita.indices.scatter import bic_partition
from partita.partitions import HardPartition
from partita.statistics.clusters.moments import ClusterMoments


class XMeans(CentreClusterer):
    """k-means that finds the number of clusters by itself.

    In turn Lloyd's iteration improves all centres, and every cluster is tried in two: two centres set off
    from its own in opposite random directions, k-means on its objects alone places them, and they replace
    it if `bic_partition` of its objects falls. Of all clusterings on the way, and of several runs, the one
    whose `bic_partition` is smallest is kept.

    Many clusters at once can each look best whole, since halves of a cloud of them are not round either. So
    where no cluster asks to be split, the one that loses least is, as long as there are fewer than
    1.5 k + 5 clusters, k being those of the best clustering so far; the paper would end there.

    Clusters are taken to be round and of one variance: a long or wide one is cut into pieces.

    Parameters
    ----------
    n_clusters : int, optional
        The most clusters allowed; the root of the number of objects if not given. The number found is the
        attribute ``n_clusters_``.
    min_clusters : int
        The clusters to start from.
    init : {"k-means++", "random"} or array (min_clusters, d)
        The centres to start from.
    n_init : int
        Runs.
    max_iter : int
        The most iterations of Lloyd at a time.
    tol : float
        Lloyd's iteration also ends when the centres move by less than this, relative to the variance.
    random_state : None, int or Generator
        Draws the centres to start from, and the directions of the splits.
    n_jobs : int, optional
        Threads for the runs; their number changes no result.

    Attributes
    ----------
    partition_ : HardPartition
    labels_ : array (n,)
    n_clusters_ : int
        The number of clusters found.
    cluster_centers_ : array (``n_clusters_``, d)
    objective_ : float
        The sum of squared distances to the nearest centre.
    bic_ : float
        `bic_partition` of the clustering, which chose it; -inf if every object lies on its centre, inf if
        each is a cluster of its own.
    n_iter_ : int
        The rounds of Lloyd's iteration that led to it.

    References
    ----------
    pelleg2000, franti2017

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3], [50.0], [50.1], [50.2], [50.3]]
    >>> model = XMeans(5, random_state=0).fit(X)
    >>> model.n_clusters_, sorted(model.cluster_centers_.ravel().round(2).tolist())
    (3, [0.15, 9.15, 50.15])
    """

    n_clusters_: int
    bic_: float

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        **FROM_STARTS,
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "min_clusters": COUNT,
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        min_clusters: int = 1,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_clusters = min_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        most = self.n_clusters or math.isqrt(len(X))
        if self.min_clusters > most:
            raise ParameterError(
                "min_clusters is above the most clusters allowed.",
                got=f"min_clusters={self.min_clusters}",
                need=f"at most {most}, n_clusters or the root of the number of objects",
            )
        runs = restarts(
            lambda seed: self._run(X, most, seed),
            self.n_init,
            rng,
            n_jobs=self.n_jobs,
            description="x-means",
        )
        best = min(runs, key=lambda run: run.bic)
        if not best.fit.converged:
            warn_of_no_convergence("XMeans", self.max_iter)
        self._leave(best.fit, index)
        # the variance in units of X is 4^-exponent times that in working units
        self.bic_ = best.bic - 2 * self._exponent * X.size * math.log(2)
        self.n_iter_, self.n_clusters_ = best.rounds, len(best.fit.centres)

    def _run(self, X: Floats, most: int, rng: np.random.Generator) -> _Run:
        fit = self._lloyd(X, starting_centres(X, self.min_clusters, self._in_working_units(self.init), rng))
        best, rounds = _Run(fit, _bic(X, fit.labels), 1), 1
        tried: dict[bytes, _Split] = {}
        while True:
            splits = self._splits(X, fit.labels, tried, rng)
            k, asked = len(fit.centres), sum(split.gain > 0 for split in splits.values())
            if not splits or k >= (most if asked else min(most, 1.5 * len(best.fit.centres) + 5)):
                return best
            chosen = sorted(splits, key=lambda j: -splits[j].gain)[: min(max(asked, 1), most - k)]
            kept = np.delete(fit.centres, chosen, axis=0)
            fit = self._lloyd(X, np.vstack([kept, *(splits[j].centres for j in chosen)]))
            rounds += 1
            bic = _bic(X, fit.labels)
            best = _Run(fit, bic, rounds) if bic < best.bic else best

    def _splits(
        self, X: Floats, labels: Array, tried: dict[bytes, _Split], rng: np.random.Generator
    ) -> dict[int, _Split]:
        """Each cluster with scatter in two; one that is as it was in the last round is not tried anew."""
        last = dict(tried)
        tried.clear()
        found = {}
        for cluster in np.unique(labels):
            rows = np.flatnonzero(labels == cluster)
            key = rows.tobytes()
            split = tried[key] = last.get(key) or self._split(X[rows], rng)
            if split.gain > -math.inf:
                found[int(cluster)] = split
        return found

    def _split(self, members: Floats, rng: np.random.Generator) -> _Split:
        """The two centres of 2-means from a random direction, and how much the criterion falls."""
        mean = members.mean(axis=0)
        whole = _bic(members, np.zeros(len(members), np.int64)) if len(members) > 2 else -math.inf
        if whole == -math.inf:
            return _Split(-math.inf, members[:0])
        away = rng.standard_normal(mean.size)
        away *= math.sqrt(members.var(axis=0).sum()) / np.linalg.norm(away)
        halves = self._lloyd(members, np.stack([mean - away, mean + away]))
        return _Split(whole - _bic(members, halves.labels), halves.centres)

    def _lloyd(self, X: Floats, centres: Floats) -> CentreFit:
        return lloyd(X, centres, max_iter=self.max_iter, tol=self.tol)


class _Run(NamedTuple):
    fit: CentreFit
    bic: float
    rounds: int


class _Split(NamedTuple):
    gain: float
    centres: Floats


def _bic(X: Floats, labels: Array) -> float:
    """`bic_partition`; -inf without scatter within clusters, inf without an object beyond one a cluster."""
    moments = held(ClusterMoments.from_block)(X, HardPartition(labels))
    if moments.n_clusters == len(X):
        return math.inf
    has_scatter = moments.ssw > np.finfo(np.float64).tiny
    return float(bic_partition.formula_function(moments)) if has_scatter else -math.inf
