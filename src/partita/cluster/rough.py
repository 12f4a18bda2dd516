"""Rough k-means: objects about as near to several centres may belong to each of these clusters."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils._param_validation import Interval, StrOptions

from partita.arrays import Array, Floats
from partita.cluster.clusterer import (
    FROM_STARTS,
    CentreClusterer,
    best_from_starts,
    warn,
    warn_of_no_convergence,
)
from partita.cluster.prototypes import spread, warn_of_coincident
from partita.errors import ConvergenceWarning
from partita.partitions import RoughPartition


@dataclass(frozen=True)
class RoughFit:
    """Centres, the clusters they make possible, the objective, and how they were reached.

    ``period`` is 1 when they settled, more when the same assignments come back after so many iterations, and
    0 when neither happened.
    """

    centres: Floats
    possible: Array
    objective: float
    n_iter: int
    period: int


class RoughKMeans(CentreClusterer):
    """Rough k-means: a cluster is possible for an object up to ``threshold`` times its smallest distance.

    Objects with one possible cluster are in that cluster's lower approximation, the others in the boundary of
    each of theirs. The centres are then

    - "pi" (Peters 2014): means in which an object with t possible clusters weighs 1/t, the principle of
      indifference (campagner2022 uses it);
    - "lingras" (Lingras and West 2004): ``lower_weight`` times the mean of the lower approximation plus the
      rest times the mean of the boundary; where one of the two is empty, the other alone;
    - "peters" (Peters 2006): ``lower_weight`` times the mean of the lower approximation plus the rest times
      the mean of all objects for which the cluster is possible.

    The threshold is a ratio of distances in all three, as in later work of Lingras and of Peters; the paper
    of 2004 has a difference, which depends on the units. In "pi" and "peters" each centre's nearest object
    belongs to its cluster alone (of several centres the nearest comes first), so none stays empty.

    No objective falls with every iteration. The method ends when assignments do not change, or no centre
    moves by more than ``tol`` times the spread of X; when earlier assignments come back, it ends with the
    best of that cycle, and a warning.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    variant : {"pi", "lingras", "peters"}
        How centres follow from the approximations.
    threshold : float
        The largest ratio to the smallest distance at which a cluster is possible; 1 is k-means but for ties.
    lower_weight : float
        The weight of lower approximations, for "lingras" and "peters".
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
    partition_ : RoughPartition
        The clustering.
    labels_ : (n,) array
        The nearest of each object's possible clusters.
    cluster_centers_ : (k, d) array
        The centres.
    objective_, n_iter_ : float, int
        The sum over objects of the mean squared distance to the centres of their possible clusters, and the
        number of iterations of the start that was kept.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.2], [9.0], [10.0]]
    >>> fit = RoughKMeans(2, threshold=1.3, init=[[0.0], [10.0]]).fit(X)
    >>> fit.partition_.possible.sum(axis=1).tolist()
    [1, 1, 2, 1, 1]
    >>> fit.cluster_centers_.ravel().round(2).tolist()
    [1.44, 8.64]
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        **FROM_STARTS,
        "variant": [StrOptions({"pi", "lingras", "peters"})],
        "threshold": [Interval(Real, 1, None, closed="left")],
        "lower_weight": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        variant: str = "pi",
        threshold: float = 1.1,
        lower_weight: float = 0.7,
        init: Any = "k-means++",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.threshold = threshold
        self.lower_weight = lower_weight
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        best = best_from_starts(self, X, rng, lambda start: self._iterate(X, start), "rough k-means")
        self.cluster_centers_, self.objective_, self.n_iter_ = best.centres, best.objective, best.n_iter
        self.partition_ = RoughPartition(best.possible, index=index)
        distances = np.where(best.possible, cdist(X, best.centres), np.inf)
        self.labels_ = distances.argmin(axis=1).astype(np.int64, copy=False)
        warn_of_coincident("RoughKMeans", X, best.centres, "X may have fewer distinct points than n_clusters")
        if best.period == 0:
            warn_of_no_convergence("RoughKMeans", self.max_iter)
        elif best.period > 1:
            warn(
                f"RoughKMeans does not converge: the same assignments come back every {best.period} "
                "iterations; the best of them are kept. Another threshold or start may settle.",
                ConvergenceWarning,
            )

    def _iterate(self, X: Floats, centres: Floats) -> RoughFit:
        """Assignments and centres in turn, until one of them comes back."""
        seen: dict[bytes, int] = {}
        passed: list[tuple[float, Floats]] = []
        farthest = self.tol * spread(X)
        movement = np.inf
        for n_iter in range(1, self.max_iter + 1):
            possible, objective = self._assign(X, centres)
            passed.append((objective, centres))
            mark = hashlib.blake2b(np.packbits(possible).tobytes()).digest()
            if mark in seen or movement <= farthest:
                period = n_iter - seen.get(mark, n_iter - 1)
                centres = min(passed[-period:], key=lambda pair: pair[0])[1]
                break
            seen[mark] = n_iter
            means = self._means(X, possible, centres)
            movement = float(np.sqrt(np.square(means - centres).sum(axis=1).max()))
            centres = means
        else:
            period = 0
        return RoughFit(centres, *self._assign(X, centres), n_iter, period)

    def _assign(self, X: Floats, centres: Floats) -> tuple[Array, float]:
        """Which clusters are possible for which object, and the objective."""
        distances = cdist(X, centres)
        possible = distances / self.threshold <= distances.min(axis=1, keepdims=True)
        if self.variant != "lingras":
            for i, j in _nearest_objects(distances):
                possible[i] = False
                possible[i, j] = True
        squared = np.square(distances, out=distances)
        return possible, float((squared.sum(axis=1, where=possible) / possible.sum(axis=1)).sum())

    def _means(self, X: Floats, possible: Array, centres: Floats) -> Floats:
        """The centres that follow from the possible clusters; one that is possible for no object stays."""
        n_possible = possible.sum(axis=1, keepdims=True)
        if self.variant == "pi":
            weights = _shares(possible / n_possible)
        else:
            lower = possible & (n_possible == 1)
            other = possible if self.variant == "peters" else possible & ~lower
            weight = np.where(lower.any(axis=0), np.where(other.any(axis=0), self.lower_weight, 1.0), 0.0)
            weights = weight * _shares(lower) + (1.0 - weight) * _shares(other)
        means = np.einsum("ij,if->jf", weights, X)  # no BLAS, whose threads would change last bits
        return np.where(possible.any(axis=0, keepdims=True).T, means, centres)


def _nearest_objects(distances: Floats) -> list[tuple[int, int]]:
    """For each centre an object of its own, the nearest pair first: (object, centre)."""
    n, k = distances.shape
    candidates = np.unique(np.argpartition(distances, min(k, n - 1), axis=0)[:k])
    left, pairs = distances[candidates], []
    for _ in range(k):
        i, j = divmod(int(left.argmin()), k)
        left[i], left[:, j] = np.inf, np.inf
        pairs.append((int(candidates[i]), j))
    return pairs


def _shares(weights: Array) -> Floats:
    """Columns divided by their sums; a column of zeros stays."""
    totals = weights.sum(axis=0)
    return np.asarray(weights / np.where(totals > 0, totals, 1))
