"""Small sweeps whose fits are written down, for tests that stop them: all that another process imports."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import partita
from stub_clusterer import StubClusterer

X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
LOG, STOPS = "PARTITA_TEST_LOG", "PARTITA_TEST_STOPS"


class Logged(StubClusterer):
    """Writes down every fit, and comes to no end from the one on that ``STOPS`` numbers."""

    def fit(self, X, y=None):
        log = Path(os.environ[LOG])
        with log.open("a") as file:
            file.write(f"{self.n_clusters} {self.random_state}\n")
        while 0 < int(os.environ.get(STOPS, "0")) <= len(log.read_text().splitlines()):
            log.with_suffix(".stopped").touch()
            time.sleep(0.05)
        return super().fit(X, y)


def logged():
    """With options whose text is another in every process."""
    first = FunctionTransformer(lambda values: values + 1)
    return make_pipeline(first, Logged(random_state=np.random.default_rng()))


def swept(what, *, checkpoint=None, n_jobs=1, random_state=3, estimator=None):
    """A small sweep: 3 whole fits and 9 perturbed ones, or 6 fits and 4 of null data."""
    options = {"n_jobs": n_jobs, "random_state": random_state, "checkpoint": checkpoint}
    method = logged() if estimator is None else estimator
    if what == "stability":
        return partita.stability(X, method, [2, 3, 4], n_repeats=3, indices=["CI", "ARI"], **options)
    checks = {"structure": False, "n_splits": 0}
    return partita.choose_k(X, method, [2, 3], n_runs=3, indices=["CH", "gap"], n_null=2, **checks, **options)
