"""choose_k with two workers against one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import partita as pt

ISSUE = 19


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    centres = rng.uniform(0, 30, size=(15, 2))
    X = np.repeat(centres, 400, axis=0) + rng.normal(size=(6000, 2))

    def choose(n_jobs: int) -> pt.ChoiceOfK:
        indices = ["CH", "DBI", "silhouette"]
        return pt.choose_k(X, ks=range(2, 22), n_runs=8, indices=indices, n_jobs=n_jobs, random_state=0)

    assert choose(2).to_frame().equals(choose(1).to_frame())  # and the workers are up
    report(
        "choose_k, 6000 x 2, 20 numbers of clusters, 8 runs: two workers vs one",
        best(lambda: choose(1), 1) / best(lambda: choose(2), 1),
        1.7,
        at_most=False,
        earlier={7: 1.6},
    )
