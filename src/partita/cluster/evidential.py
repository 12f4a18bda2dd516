"""Evidential c-means: masses on sets of clusters, for objects between clusters and objects far from all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from math import comb
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from partita.arrays import Array, Floats, held, map_blocks
from partita.cluster.centres import nearest
from partita.cluster.clusterer import FROM_STARTS, Clusterer, best_from_starts, warn_of_no_convergence
from partita.cluster.prototypes import PrototypeFit, largest_column, settle, sum_blocks, warn_of_coincident
from partita.errors import TooLargeError
from partita.partitions import EvidentialPartition

ALL_SETS_UP_TO = 6
"""With more clusters, pairs and the whole set are enough by default."""

DELTAS = (2.0**-500, 2.0**500)
"""A delta beyond these, whose square is a number, has no other masses: all objects are farther, or none."""

TRIAL_TOL = 1e-3
"""Starts are compared when centres move by no more than this share of the spread; only the best goes on."""

MOST_MASSES = 1 << 27
"""More masses than this are refused before the work starts: 1 GiB."""


class EvidentialCMeans(Clusterer):
    """Evidential c-means, ECM (Masson and Denoeux 2008): each object has masses on sets of clusters.

    A set of clusters lies at the mean of their centres. The method seeks the least sum of ``|A|**alpha
    mass**beta D`` over objects and non-empty sets A, D the squared distance to the set's place, plus
    ``delta**2 mass**beta`` of the empty set, which takes outliers. Masses and centres take turns; centres
    solve a linear system (those that it leaves open stay). An object at the place of a set has all its mass
    there, shared evenly among sets at the same place. It ends when no centre moves by more than ``tol`` times
    the spread of X, the root of the mean squared distance from its mean.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    alpha : float
        How much large sets are held back, from 0 (not at all) to 10.
    beta : float
        The fuzzifier, above 1: near 1 an object's mass is all on one set.
    delta : float, optional
        The distance to the empty set, in units of X; objects farther than that from every set are outliers
        above all. None: the empty set gets no mass. The literature's 10 suits features of unit scale.
    focal_size : {"auto", "all"} or int
        Which sets get masses besides the empty one and that of all clusters: all, those of at most so many
        clusters, or ("auto") all for up to 6 clusters and at most pairs for more.
    init : {"k-means++", "random"} or (n_clusters, d) array
        Where centres start: spread out over the objects, at random objects, or as given.
    n_init : int
        The number of starts. When their centres move by less than a thousandth of the spread of X, the one of
        the least objective goes on alone, so that ten starts cost about as much as five. Given centres are
        one start.
    max_iter, tol : int, float
        When to stop.
    random_state : None, int or Generator
        The seed of the starts.
    n_jobs : int, optional
        How many starts run at a time. It changes no result.

    Attributes
    ----------
    partition_ : EvidentialPartition
        The clustering; its ``focal_sets`` go by size, the empty one first.
    masses_, labels_ : (n, f) array, (n,) array
        Its masses, and for each object the cluster of the largest pignistic probability (of the nearest
        centre where the empty set has all the mass).
    cluster_centers_ : (k, d) array
        The centres.
    objective_, n_iter_ : float, int
        The sum above, and the number of iterations of the start that was kept.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [5.5], [9.0], [10.0], [11.0], [90.0]]
    >>> fit = EvidentialCMeans(2, init=[[1.0], [10.0]]).fit(X)
    >>> fit.partition_.focal_sets.astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> fit.masses_[[1, 3, 7]].round(2).tolist()
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.97, 0.01, 0.02, 0.01]]
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        **FROM_STARTS,
        "alpha": [Interval(Real, 0, 10, closed="both")],
        "beta": [Interval(Real, 1, None, closed="neither")],
        "delta": [Interval(Real, 0, None, closed="neither"), None],
        "focal_size": [StrOptions({"auto", "all"}), Interval(Integral, 1, None, closed="left")],
    }
    _units: ClassVar[Mapping[str, int]] = {"cluster_centers_": 1, "objective_": 2}
    partition_: EvidentialPartition
    cluster_centers_: Floats
    masses_: Floats

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        alpha: float = 1.0,
        beta: float = 2.0,
        delta: float | None = 10.0,
        focal_size: Any = "auto",
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.delta = delta
        self.focal_size = focal_size
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        sets = _focal_sets(self.n_clusters, self.focal_size, len(X))

        def trial(start: Floats) -> PrototypeFit:
            return self._iterate(X, start, sets, self.max_iter, max(self.tol, TRIAL_TOL))

        best = best_from_starts(self, X, rng, trial, "evidential c-means")
        if self.tol < TRIAL_TOL and best.converged:
            best = self._go_on(X, best, sets)
        self.cluster_centers_, self.n_iter_ = best.centres, best.n_iter
        self.masses_, self.objective_ = self._masses(X, sets)
        self.labels_ = self._labels(X, sets, self.masses_)
        with_empty = np.vstack([np.zeros((1, self.n_clusters), dtype=bool), sets])
        self.partition_ = EvidentialPartition(self.masses_, with_empty, index=index)
        if not best.converged:
            warn_of_no_convergence("EvidentialCMeans", self.max_iter)
        warn_of_coincident(
            "EvidentialCMeans",
            X,
            best.centres,
            "a smaller n_clusters or beta, or a larger alpha, sets them apart",
        )

    def predict(self, X: Any) -> Array:
        """The cluster of the largest pignistic probability of each row of X."""
        X = self._read(X)
        sets = self.partition_.focal_sets[1:].copy()  # writable, as loops were compiled for
        return self._labels(X, sets, self._masses(X, sets)[0])

    def _pass(self, X: Floats, centres: Floats, sets: Array, masses: Floats | None) -> Any:
        """ECM is fuzzy c-means with sets for clusters, their distances enlarged, and one cluster at delta."""
        from partita.kernels.prototypes import barycentres, fuzzy_pass

        outlying = np.inf
        if self.delta is not None:
            outlying = float(np.clip(self._in_working_units(float(self.delta)), *DELTAS)) ** 2
        enlarged = sets.sum(axis=1) ** float(self.alpha)
        places = barycentres(sets, centres)
        return sum_blocks(fuzzy_pass, X, places, enlarged, outlying, float(self.beta), out=masses)

    def _go_on(self, X: Floats, trial: PrototypeFit, sets: Array) -> PrototypeFit:
        """The fit from where a trial ended: the same as if it had not been one."""
        left = self.max_iter - trial.n_iter
        if left == 0:
            return replace(trial, converged=False)
        rest = self._iterate(X, trial.centres, sets, left, self.tol)
        return replace(rest, n_iter=trial.n_iter + rest.n_iter)

    def _iterate(self, X: Floats, start: Floats, sets: Array, max_iter: int, tol: float) -> PrototypeFit:
        from partita.kernels.prototypes import spread_over_clusters

        sizes = sets.sum(axis=1).astype(np.float64)

        def step(centres: Floats) -> tuple[Floats, float]:
            """H (new centres) = B of the paper; H times the old centres is taken off both sides."""
            totals, shifts, objective = self._pass(X, centres, sets, None)
            left, right = spread_over_clusters(
                sets, totals * sizes ** (self.alpha - 2), shifts * sizes[:, None] ** (self.alpha - 1)
            )
            return np.linalg.lstsq(left, right, rcond=None)[0], objective

        return settle(X, start, held(step), max_iter=max_iter, tol=tol)

    def _masses(self, X: Floats, sets: Array) -> tuple[Floats, float]:
        """The masses that the centres give, the empty set first, and the objective."""
        masses = np.empty((len(X), 1 + len(sets)))
        *_, objective = self._pass(X, self._fitted("cluster_centers_"), sets, masses)
        return masses, objective

    def _labels(self, X: Floats, sets: Array, masses: Floats) -> Array:
        """The cluster of the largest pignistic probability; the nearest where there is none."""
        shares = sets / sets.sum(axis=1, keepdims=True)

        def largest(part: slice) -> Array:
            probabilities = masses[part, 1:] @ shares
            labels = largest_column(probabilities)
            lost = np.flatnonzero(probabilities.max(axis=1) == 0.0)
            if lost.size:
                labels[lost] = nearest(X[part][lost], self._fitted("cluster_centers_"))[0]
            return labels

        rows = max(256, (1 << 20) // len(sets))
        return np.concatenate(map_blocks(largest, len(X), rows, products=True))


def _focal_sets(n_clusters: int, focal_size: Any, n: int) -> Array:
    """The non-empty sets of clusters that get masses, as rows of a matrix, by size."""
    if focal_size == "auto":
        focal_size = "all" if n_clusters <= ALL_SETS_UP_TO else 2
    largest = n_clusters if focal_size == "all" else min(focal_size, n_clusters)
    sizes = sorted({*range(1, largest + 1), n_clusters})
    number = sum(comb(n_clusters, size) for size in sizes)
    if n * (number + 1) > MOST_MASSES:
        raise TooLargeError(
            "the masses on so many sets of clusters do not fit.",
            got=f"{n} objects, {number} sets of {n_clusters} clusters",
            need=f"at most {MOST_MASSES} masses",
            fix="focal_size=2 for pairs, focal_size=1 for single clusters, or a smaller n_clusters",
        )
    members = [chosen for size in sizes for chosen in combinations(range(n_clusters), size)]
    sets = np.zeros((number, n_clusters), dtype=bool)
    for row, chosen in zip(sets, members, strict=True):
        row[list(chosen)] = True
    return sets
