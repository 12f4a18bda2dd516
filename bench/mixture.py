"""EM for mixtures of Gaussians against scikit-learn's, from the same starts by the same rule."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from partita.cluster.mixture import ExpectationMaximisation, MixtureRun
from partita.statistics.clusters.mixtures import GivenMixture

ISSUE = 6
TOL, MAX_ITER, RIDGE = 1e-5, 100, 1e-6


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    for n, d, k, n_starts, target in ((1000, 2, 5, 100, 20), (1000, 4, 5, 100, 20), (846, 18, 8, 10, 8)):
        rng = np.random.default_rng(0)
        X = rng.normal(scale=3.0, size=(k, d))[rng.integers(0, k, n)] + rng.normal(size=(n, d))
        X = (X - X.mean(axis=0)) / X.std(axis=0)  # scikit-learn's ridge is in units, ours in variances
        starts = [_start(X[rng.choice(n, k, replace=False)]) for _ in range(n_starts)]
        ours, theirs = _ours(X, starts), _theirs(X, starts)
        assert [a.n_iter for a in ours] == [b.n_iter_ for b in theirs]
        for a, b in zip(ours, theirs, strict=True):
            assert abs(a.log_likelihood / (n * b.score(X)) - 1) < 1e-7
        peer, own = best(lambda: _theirs(X, starts), 3), best(lambda: _ours(X, starts), 15)  # noqa: B023
        what = f"EM, {n} x {d}, k = {k}, {n_starts} starts, vs scikit-learn's GaussianMixture"
        new = {"issue": 19, "earlier": {6: 4}} if d == 18 else {}
        report(what, peer / own, target, at_most=False, **new)


def _start(means: np.ndarray) -> GivenMixture:
    k, d = means.shape
    return GivenMixture(np.full(k, 1 / k), means, np.stack([np.eye(d)] * k))


def _ours(X: np.ndarray, starts: list[GivenMixture]) -> list[MixtureRun]:
    return ExpectationMaximisation(X, reg_covar=RIDGE, tol=TOL, max_iter=MAX_ITER, n_jobs=1).run(starts)


def _theirs(X: np.ndarray, starts: list[GivenMixture]) -> list[GaussianMixture]:
    """One thread, as ours: its matrix products are too small for more."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return [
            GaussianMixture(
                len(start.weights_),
                weights_init=start.weights_,
                means_init=start.means_,
                precisions_init=start.covariances_,  # the identity
                tol=TOL,
                max_iter=MAX_ITER,
                reg_covar=RIDGE,
            ).fit(X)
            for start in starts
        ]
