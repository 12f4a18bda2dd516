"""Shuffles: tables drawn from their law against tables counted anew, and what memory they take."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np

import partita as pt
from partita.chance import chance_of
from partita.inputs import Inputs, prepare
from partita.statistics import Contingency

ISSUE = 16
SHUFFLES = 1000
ON_TABLES = [entry for entry in pt.indices.catalogue() if entry.statistics == (Contingency,)]


def labels(n: int) -> Inputs:
    rng = np.random.default_rng(0)
    return prepare({"truth": rng.integers(0, 10, n), "found": rng.integers(0, 12, n)})


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    inputs = labels(10**5)
    truth, found = (p.codes for p in inputs.partitions.values())

    def counted() -> None:
        for _ in range(SHUFFLES // 10):
            np.bincount(truth * 12 + rng.permutation(found), minlength=120)

    def judged(given: Inputs) -> float:
        chance_of(ON_TABLES, given, n_shuffles=10)
        return best(lambda: chance_of(ON_TABLES, given, n_shuffles=SHUFFLES), 3)

    tables, ours = best(counted, 3) * 10, judged(inputs)
    print(f"       1000 shuffles, 10^5 objects, 10 x 12, {len(ON_TABLES)} indices: {ours * 1e3:.0f} ms")
    report(
        "1000 shuffles with all table indices vs 1000 tables by np.bincount", ours / tables, 2, at_most=True
    )
    report(
        "1000 shuffles of 10^6 objects vs of 10^4",
        judged(labels(10**6)) / judged(labels(10**4)),
        2,
        at_most=True,
    )
    for name, given, shuffles in (
        ("10^6 hard objects, 1000 shuffles", labels(10**6), SHUFFLES),
        ("10^6 fuzzy objects, 10 x 10, 3 shuffles", soft(10**6), 3),
    ):
        entries = [entry for entry in ON_TABLES if entry.range_of(given.kinds) is not None]
        tracemalloc.start()
        chance_of(entries, given, n_shuffles=shuffles)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        report(f"peak extra memory, {name}, as a share of 200 MB", peak / 200e6, 1, at_most=True)


def soft(n: int) -> Inputs:
    rng = np.random.default_rng(1)
    return prepare({side: rng.dirichlet(np.ones(10), n) for side in ("truth", "found")})
