"""Small work, which is mostly bookkeeping: two short lists by every index."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.metrics import adjusted_rand_score

import partita as pt

ISSUE = 19


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    truth, found = rng.integers(0, 5, 200).tolist(), rng.integers(0, 6, 200).tolist()
    ours = pt.compare(truth, found)
    assert abs(ours["ARI"].value - adjusted_rand_score(truth, found)) < 1e-12
    report(
        f"compare of two lists of 200 labels, {len(ours.rows)} indices, vs scikit-learn's ARI alone",
        best(lambda: pt.compare(truth, found), 400) / best(lambda: adjusted_rand_score(truth, found), 400),
        3,
        at_most=True,
    )
