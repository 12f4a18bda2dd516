"""Fuzzy c-means against scikit-fuzzy's, from the same start and for the same number of iterations."""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable

import numpy as np
from skfuzzy import cmeans

from partita.cluster.fuzzy import FuzzyCMeans, fuzzy_memberships
from partita.errors import PartitaWarning

ISSUE = 6
ITERATIONS = 20


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartitaWarning)  # fits are cut short
        _run(report, best)


def _run(report: Callable[..., None], best: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    n, d, k = 10**5, 10, 10
    X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(k, d))[rng.integers(0, k, n)]
    centres = X[:k] + 0.01
    for m in (2.0, 1.7):
        model = FuzzyCMeans(k, m=m, init=centres, max_iter=ITERATIONS, tol=0)
        start = np.ascontiguousarray(fuzzy_memberships(X, centres, m)[0].T)
        theirs = cmeans(X.T, k, m, 0.0, ITERATIONS, init=start)[1]
        assert np.abs(model.fit(X).memberships_ - theirs.T).max() < 1e-6
        report(
            f"fuzzy c-means, {n:,} x {d}, k = {k}, m = {m:g}, vs scikit-fuzzy",
            best(lambda m=m, start=start: cmeans(X.T, k, m, 0.0, ITERATIONS, init=start), 2)
            / best(lambda model=model: model.fit(X), 3),
            8,
            at_most=False,
            issue=19,
            earlier={6: 3},
        )
    tracemalloc.start()
    FuzzyCMeans(k, random_state=0, max_iter=3).fit(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    report("fuzzy c-means: peak memory, in n x k matrices", peak / (8 * n * k), 4, at_most=True)
