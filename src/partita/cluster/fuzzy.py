"""Fuzzy clusterings around centres: fuzzy c-means, and memberships of maximal entropy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils._param_validation import Interval, StrOptions

from partita.arrays import Array, Floats
from partita.cluster.centres import lloyd, starting_centres
from partita.cluster.clusterer import (
    COUNT,
    FROM_STARTS,
    RANDOM_STATE,
    Clusterer,
    best_from_starts,
    warn_of_no_convergence,
)
from partita.cluster.prototypes import (
    PrototypeFit,
    largest_column,
    mean_shifts,
    settle,
    sum_blocks,
    warn_of_coincident,
)
from partita.cluster.units import shifted
from partita.partitions import FuzzyPartition


class MembershipClusterer(Clusterer):
    """A method that gives any object memberships, from its distances to the centres."""

    _units: ClassVar[Mapping[str, int]] = {"cluster_centers_": 1, "objective_": 2}
    memberships_: Floats
    cluster_centers_: Floats

    def predict_proba(self, X: Any) -> Floats:
        """The memberships of each row of X in the clusters of the fit."""
        return self._memberships(self._read(X), self._fitted("cluster_centers_"))[0]

    def predict(self, X: Any) -> Array:
        """The cluster of the largest membership of each row of X, the first of equals."""
        return largest_column(self.predict_proba(X))

    @abstractmethod
    def _memberships(self, X: Floats, centres: Floats) -> tuple[Floats, float]:
        """The memberships that centres give, and the objective."""

    def _leave(self, X: Floats, centres: Floats, n_iter: int, index: Any) -> None:
        """Set the attributes of a fit."""
        self.cluster_centers_, self.n_iter_ = centres, n_iter
        self.memberships_, self.objective_ = self._memberships(X, centres)
        self.labels_ = largest_column(self.memberships_)
        self.partition_ = FuzzyPartition(self.memberships_, index=index)


class FuzzyCMeans(MembershipClusterer):
    """Fuzzy c-means (Dunn 1973, Bezdek 1981): the least sum of ``u**m`` times squared distance.

    Memberships and centres take turns. An object on a centre has membership 1 there, shared evenly with
    centres at the same place. It ends when no centre moves by more than ``tol`` times the spread of X, the
    root of the mean squared distance from its mean, so that units do not matter.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    m : float
        The fuzzifier, above 1: near 1 it is k-means, and the larger the fuzzier.
    init : {"k-means++", "random"} or (n_clusters, d) array
        Where centres start: spread out over the objects, at random objects, or as given.
    n_init : int
        The number of starts; the fit of the least objective is kept. Given centres are one start.
    max_iter, tol : int, float
        When to stop.
    random_state : None, int or Generator
        The seed of the starts.
    n_jobs : int, optional
        How many starts run at a time. It changes no result.

    Attributes
    ----------
    partition_ : FuzzyPartition
        The clustering.
    memberships_, labels_ : (n, k) array, (n,) array
        Its memberships, and the cluster of the largest for each object.
    cluster_centers_ : (k, d) array
        The centres that the memberships belong to.
    objective_, n_iter_ : float, int
        The sum of ``u**m`` times squared distance, and the number of iterations of the start that was kept.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]]
    >>> fit = FuzzyCMeans(2, random_state=0).fit(X)
    >>> sorted(fit.cluster_centers_.ravel().round(2).tolist())
    [1.0, 10.0]
    >>> fit.predict_proba([[5.5]]).round(2).tolist()
    [[0.5, 0.5]]
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        **FROM_STARTS,
        "m": [Interval(Real, 1, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        m: float = 2.0,
        init: Any = "k-means++",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.m = m
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        def run(start: Floats) -> PrototypeFit:
            return fuzzy_c_means(X, start, self.m, max_iter=self.max_iter, tol=self.tol)

        best = best_from_starts(self, X, rng, run, "fuzzy c-means")
        self._leave(X, best.centres, best.n_iter, index)
        if not best.converged:
            warn_of_no_convergence("FuzzyCMeans", self.max_iter)
        warn_of_coincident("FuzzyCMeans", X, best.centres, "a smaller n_clusters or m sets them apart")

    def _memberships(self, X: Floats, centres: Floats) -> tuple[Floats, float]:
        return fuzzy_memberships(X, centres, self.m)


def fuzzy_c_means(X: Floats, centres: Floats, m: float, *, max_iter: int, tol: float) -> PrototypeFit:
    """Fuzzy c-means from given centres."""
    from partita.kernels.prototypes import fuzzy_pass

    even = np.ones(len(centres))

    def step(centres: Floats) -> tuple[Floats, float]:
        totals, shifts, objective = sum_blocks(fuzzy_pass, X, centres, even, np.inf, float(m), out=None)
        return mean_shifts(totals, shifts), objective

    return settle(X, centres, step, max_iter=max_iter, tol=tol)


def fuzzy_memberships(X: Floats, centres: Floats, m: float) -> tuple[Floats, float]:
    """The memberships of fuzzy c-means for given centres, and their objective."""
    from partita.kernels.prototypes import fuzzy_pass

    memberships = np.empty((len(X), len(centres)))
    even = np.ones(len(centres))
    *_, objective = sum_blocks(fuzzy_pass, X, centres, even, np.inf, float(m), out=memberships)
    return memberships, objective


class MaxEntropyMemberships(MembershipClusterer):
    """Memberships ``exp(-distance / beta)``, divided by their sum, from centres that stay (rovetta2009).

    Of all memberships they minimise the sum of u times (plain, not squared) distance less beta times the
    entropy. The paper takes the means of known classes as centres: give them as ``init``.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    beta : float
        How fuzzy, as a distance in units of X: near 0 each object is in its nearest cluster alone, far above
        the distances evenly in all.
    init : "k-means" or (n_clusters, d) array
        The centres: those of k-means, or these.
    random_state : None, int or Generator
        The seed of k-means.

    Attributes
    ----------
    partition_ : FuzzyPartition
        The clustering.
    memberships_, labels_ : (n, k) array, (n,) array
        Its memberships, and the cluster of the largest for each object.
    cluster_centers_ : (k, d) array
        The centres.
    objective_ : float
        The free energy, -beta times the sum over objects of log sum exp(-distance / beta): the least value of
        what the memberships minimise.
    n_iter_ : int
        The iterations of k-means; 0 for given centres.

    Examples
    --------
    >>> fit = MaxEntropyMemberships(2, init=[[0.0], [3.0]]).fit([[0.0], [1.0], [1.5]])
    >>> fit.memberships_.round(3).tolist()
    [[0.953, 0.047], [0.731, 0.269], [0.5, 0.5]]
    """

    _units: ClassVar[Mapping[str, int]] = {"cluster_centers_": 1}  # the energy is in them as it is computed
    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        "n_clusters": COUNT,
        "beta": [Interval(Real, 0, None, closed="neither")],
        "init": [StrOptions({"k-means"}), "array-like"],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self, n_clusters: int = 2, *, beta: float = 1.0, init: Any = "k-means", random_state: Any = None
    ) -> None:
        self.n_clusters = n_clusters
        self.beta = beta
        self.init = init
        self.random_state = random_state

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        if isinstance(self.init, str):
            found = lloyd(X, starting_centres(X, self.n_clusters, "k-means++", rng))
            centres, n_iter = found.centres, found.n_iter
        else:
            centres, n_iter = starting_centres(X, self.n_clusters, self._in_working_units(self.init), rng), 0
        self._leave(X, centres, n_iter, index)
        warn_of_coincident(
            "MaxEntropyMemberships", X, centres, "X may have fewer distinct points than clusters"
        )

    def _memberships(self, X: Floats, centres: Floats) -> tuple[Floats, float]:
        distances = cdist(X, centres)
        least = distances.min(axis=1, keepdims=True)
        beta = max(self._in_working_units(float(self.beta)), float(np.finfo(np.float64).tiny))
        with np.errstate(over="ignore"):  # a distance of very many beta: the membership is 0
            logs = (least - distances) / beta
            memberships = np.exp(logs, out=logs)
            totals = memberships.sum(axis=1, keepdims=True)
            energy = float((shifted(least, -self._exponent) - self.beta * np.log(totals)).sum())
        memberships /= totals
        return memberships, energy
