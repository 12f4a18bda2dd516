"""The answer of choose_k with its defaults: CPU seconds to the most that it may take."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import partita as pt
from cpu_time import cpu_seconds

ISSUE = 31
MOST_SECONDS = {(300, 2): 1.0, (3000, 2): 4.0, (3000, 20): 8.0, (30_000, 2): 8.0, (100_000, 2): 8.0}


def groups(n: int, d: int) -> np.ndarray:
    """Five normal groups with random centres, some of which overlap."""
    rng = np.random.default_rng(0)
    return (6 * rng.normal(size=(5, d)))[np.arange(n) % 5] + rng.normal(size=(n, d))


def run(report: Callable[..., None], best: Callable[..., float]) -> None:  # noqa: ARG001 (one form for all)
    for (n, d), most in MOST_SECONDS.items():
        X = groups(n, d)
        seconds = cpu_seconds(lambda X=X: pt.choose_k(X, random_state=0), repeats=3)
        what = f"choose_k, {n:,} x {d}: CPU seconds to {most:g}"
        report(what, seconds / most, 1.0, at_most=True, clock="CPU")
