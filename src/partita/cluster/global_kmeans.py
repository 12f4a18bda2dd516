"""Global k-means: one centre after the other, each where it helps most."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from partita.arrays import Array, Floats, map_blocks
from partita.cluster.centres import CentreFit, lloyd, nearest
from partita.cluster.clusterer import (
    COUNT,
    NOT_NEGATIVE,
    RANDOM_STATE,
    CentreClusterer,
    warn_of_no_convergence,
)
from partita.errors import TooLargeError
from partita.progress import bar

MOST_OPERATIONS = 4e9
"""Differences of two numbers for one new centre, at most: a few seconds for the first, less for others."""

ALL = "all"
USUAL_ITERATIONS = 10
"""Of Lloyd's from one more centre: what a refusal counts with."""

BLOCK_CANDIDATES = 256
"""Candidates that one thread judges at a time."""


class GlobalKMeans(CentreClusterer):
    """k-means that adds its centres one by one, without chance.

    From the mean of the data on, the object that as a centre would lower the sum of squares most becomes the
    next centre, and Lloyd's iteration follows; this is the paper's fast variant. Each step compares all
    objects with all others in the worst case, so it is for thousands of objects; `RandomSwap` is for more.
    ``n_candidates="all"`` is the paper's own algorithm: Lloyd's iteration from every object as the next
    centre, of which the best end is kept. It takes hundreds of times as long, and is seldom better.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    n_candidates : int or "all", optional
        How many objects, drawn anew for each centre, are tried; all of them if not given. "all" runs Lloyd's
        iteration from each of them.
    max_iter : int
        The most iterations of Lloyd after each new centre.
    tol : float
        Lloyd's iteration also ends when the centres move by less than this, relative to the variance.
    random_state : None, int or Generator
        Draws the candidates; without ``n_candidates`` nothing is drawn.

    Attributes
    ----------
    partition_ : HardPartition
    labels_ : array (n,)
    cluster_centers_ : array (k, d)
    objective_ : float
        The sum of squared distances to the nearest centre.
    path_ : array (k,)
        This sum for 1, 2, ..., k clusters: the curve that `choose_k` would draw, at no further cost.
    n_iter_ : int
        The iterations of Lloyd after the last centre.

    References
    ----------
    likas2003, franti2017

    Examples
    --------
    >>> X = [[0.0], [1.0], [9.0], [10.0], [50.0]]
    >>> model = GlobalKMeans(3).fit(X)
    >>> model.cluster_centers_.ravel()
    array([ 9.5, 50. ,  0.5])
    >>> model.path_.tolist()
    [1702.0, 82.0, 1.0]
    """

    _units: ClassVar[Mapping[str, int]] = {**CentreClusterer._units, "path_": 2}
    path_: Floats

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        "n_clusters": COUNT,
        "n_candidates": [Interval(Integral, 1, None, closed="left"), StrOptions({ALL}), None],
        "max_iter": COUNT,
        "tol": NOT_NEGATIVE,
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_candidates: int | str | None = None,
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_candidates = n_candidates
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        is_full = self.n_candidates == ALL
        tried = len(X) if is_full or self.n_candidates is None else min(int(self.n_candidates), len(X))
        places = np.sort(np.unique(X, axis=0, return_index=True)[1]) if is_full else np.zeros(0, dtype=int)
        if self.n_clusters > 1:
            _refuse_long_work(tried, len(X), X.shape[1], runs=places.size * self.n_clusters)
        fits = [lloyd(X, X.mean(axis=0, keepdims=True), max_iter=self.max_iter, tol=self.tol)]
        with bar("global k-means") as report:
            while len(fits) < self.n_clusters:
                report(len(fits), self.n_clusters)
                if is_full:
                    fits.append(self._best_start(X, fits[-1], places))
                    continue
                candidates = X if tried == len(X) else X[rng.choice(len(X), tried, replace=False)]
                grown = np.vstack([fits[-1].centres, best_insertion(X, fits[-1], candidates)])
                fits.append(lloyd(X, grown, max_iter=self.max_iter, tol=self.tol))
        self.path_ = np.array([fit.objective for fit in fits])
        if not fits[-1].converged:
            warn_of_no_convergence("GlobalKMeans", self.max_iter)
        self._leave(fits[-1], index)

    def _best_start(self, X: Floats, fit: CentreFit, places: Array) -> CentreFit:
        """The best end of Lloyd's iteration with one of these objects as one more centre."""
        away = places[nearest(X[places], fit.centres)[1] > 0]
        starts = (np.vstack([fit.centres, X[[place]]]) for place in (away if away.size else places))
        ends = (lloyd(X, start, max_iter=self.max_iter, tol=self.tol) for start in starts)
        return min(ends, key=lambda end: end.objective)


def best_insertion(X: Floats, fit: CentreFit, candidates: Floats) -> Floats:
    """The candidate that as one more centre lowers the sum of squares most, the first of equals."""
    from partita.kernels.insertions import insertion_gains

    squares = nearest(X, fit.centres)[1]
    order: Array = np.lexsort((-squares, fit.labels))
    starts = np.searchsorted(fit.labels[order], np.arange(len(fit.centres) + 1))
    grouped, falling = X[order], squares[order]
    gains = map_blocks(
        lambda part: insertion_gains(candidates[part], grouped, falling, starts, fit.centres),
        len(candidates),
        BLOCK_CANDIDATES,
    )
    best: Floats = candidates[np.concatenate(gains).argmax()]
    return best


def _refuse_long_work(tried: int, n: int, d: int, runs: int) -> None:
    """Refuse too many differences for one centre: ``runs`` is the number of Lloyd's, times the centres."""
    operations = float(tried) * n * d
    lloyds = float(runs) * n * d * USUAL_ITERATIONS
    if lloyds > MOST_OPERATIONS:
        raise TooLargeError(
            "Lloyd's iteration from every object would take long here.",
            got=f"{n} objects, {d} features: {lloyds:.1e} operations for the last centre",
            need=f"at most {MOST_OPERATIONS:.0e}",
            fix="n_candidates=None, which runs it from the best object only, or RandomSwap",
        )
    if operations > MOST_OPERATIONS:
        raise TooLargeError(
            "global k-means compares all candidates with all objects, which would take long here.",
            got=f"{tried} candidates, {n} objects, {d} features: {operations:.1e} operations for each centre",
            need=f"at most {MOST_OPERATIONS:.0e}",
            fix=f"n_candidates={max(1, min(1000, int(MOST_OPERATIONS / (n * d))))}, or RandomSwap",
        )
