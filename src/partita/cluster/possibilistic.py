"""Possibilistic c-means: how typical each object is of each cluster, whatever the other clusters are."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils._param_validation import Interval, StrOptions

from partita.arrays import Array, Floats
from partita.cluster.centres import starting_centres
from partita.cluster.clusterer import COUNT, NOT_NEGATIVE, RANDOM_STATE, Clusterer, warn_of_no_convergence
from partita.cluster.fuzzy import fuzzy_c_means, fuzzy_memberships
from partita.cluster.prototypes import largest_column, mean_shifts, settle, sum_blocks, warn_of_coincident
from partita.partitions import PossibilisticPartition

SMALLEST = float(np.finfo(np.float64).tiny)
"""The smallest scale of a cluster, and the smallest largest typicality of an object."""


class PossibilisticCMeans(Clusterer):
    """Possibilistic c-means (Krishnapuram and Keller 1993): the least sum of ``t**m D + eta (1 - t)**m``.

    D is the squared distance of an object to a centre, eta the scale of the cluster: the mean D of the
    starting clusters, weighted by ``u**m``, u being the memberships of fuzzy c-means to the starting centres.
    Typicalities are ``t = 1 / (1 + (D / eta)**(1 / (m - 1)))``: one half at D = eta, and near 0 in every
    cluster for an outlier. Where all of them underflow, the one of the nearest centre is set to the smallest
    positive (normal) number, since a partition needs a cluster for each object.

    Clusters do not see each other, so **centres may end at the same place**, in the densest region. That is
    how the objective is made, not a failure of the search; a warning says so. A smaller ``m``, or starting
    centres and so scales of clusters farther apart, is the remedy.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    m : float
        The fuzzifier, above 1: near 1 an object is typical (1) within the root of eta and not (0) beyond.
    init : "fuzzy" or (n_clusters, d) array
        The starting centres: those of fuzzy c-means from one "k-means++" start, or these.
    max_iter, tol : int, float
        When to stop; ``tol`` is the largest movement of a centre, as a share of the spread of X.
    random_state : None, int or Generator
        The seed of the start.

    Attributes
    ----------
    partition_ : PossibilisticPartition
        The clustering.
    typicalities_, labels_ : (n, k) array, (n,) array
        Its typicalities, and the cluster of the largest for each object.
    cluster_centers_, scales_ : (k, d) array, (k,) array
        The centres and the etas, which are squared distances.
    objective_, n_iter_ : float, int
        The sum above, and the number of iterations.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [9.0], [10.0], [11.0], [20.0]]
    >>> fit = PossibilisticCMeans(2, init=[[1.0], [10.0]]).fit(X)
    >>> fit.cluster_centers_.ravel().round(1).tolist()
    [1.1, 9.7]
    >>> fit.typicalities_[[1, 4, 6]].round(2).tolist()
    [[1.0, 0.19], [0.07, 0.99], [0.02, 0.14]]
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        "n_clusters": COUNT,
        "m": [Interval(Real, 1, None, closed="neither")],
        "init": [StrOptions({"fuzzy"}), "array-like"],
        "max_iter": COUNT,
        "tol": NOT_NEGATIVE,
        "random_state": RANDOM_STATE,
    }
    _units: ClassVar[Mapping[str, int]] = {"cluster_centers_": 1, "scales_": 2, "objective_": 2}
    cluster_centers_: Floats
    scales_: Floats
    typicalities_: Floats

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        m: float = 2.0,
        init: Any = "fuzzy",
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.m = m
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        from partita.kernels.prototypes import possibilistic_pass

        if isinstance(self.init, str):
            start = starting_centres(X, self.n_clusters, "k-means++", rng)
            start = fuzzy_c_means(X, start, self.m, max_iter=self.max_iter, tol=self.tol).centres
        else:
            start = starting_centres(X, self.n_clusters, self._in_working_units(self.init), rng)
        self.scales_ = _scales(X, start, self.m)

        def step(centres: Floats) -> tuple[Floats, float]:
            totals, shifts, objective = sum_blocks(
                possibilistic_pass, X, centres, self.scales_, float(self.m), out=None
            )
            return mean_shifts(totals, shifts), objective

        fit = settle(X, start, step, max_iter=self.max_iter, tol=self.tol)
        self.cluster_centers_, self.n_iter_ = fit.centres, fit.n_iter
        self.typicalities_, self.objective_ = self._typicalities(X)
        self.labels_ = largest_column(self.typicalities_)
        self.partition_ = PossibilisticPartition(self.typicalities_, index=index)
        if not fit.converged:
            warn_of_no_convergence("PossibilisticCMeans", self.max_iter)
        warn_of_coincident(
            "PossibilisticCMeans", X, fit.centres, "the method allows it; a smaller m or another init may not"
        )

    def predict(self, X: Any) -> Array:
        """The cluster of which each row of X is most typical, the first of equals."""
        return largest_column(self._typicalities(self._read(X))[0])

    def _typicalities(self, X: Floats) -> tuple[Floats, float]:
        """The typicalities of objects, none of them without a cluster, and the objective."""
        from partita.kernels.prototypes import possibilistic_pass

        centres, scales = self._fitted("cluster_centers_"), self._fitted("scales_")
        typicalities = np.empty((len(X), len(centres)))
        *_, objective = sum_blocks(possibilistic_pass, X, centres, scales, float(self.m), out=typicalities)
        far = np.flatnonzero(typicalities.max(axis=1) < SMALLEST)
        typicalities[far, cdist(X[far], centres).argmin(axis=1)] = SMALLEST
        return typicalities, objective


def _scales(X: Floats, centres: Floats, m: float) -> Floats:
    """The mean squared distance to each centre; memberships of fuzzy c-means to the power m weigh."""
    weights, _ = fuzzy_memberships(X, centres, m)
    weights **= m
    totals = weights.sum(axis=0)
    weights *= cdist(X, centres, "sqeuclidean")
    means = weights.sum(axis=0) / np.where(totals > 0.0, totals, 1.0)
    return np.asarray(np.maximum(means, SMALLEST))
