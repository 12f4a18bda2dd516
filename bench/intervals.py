"""Sampling intervals: 1000 bootstrap replicates at once against recomputing `compare` for each."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np

import partita as pt
from partita.chance.bootstraps import intervals
from partita.inputs import prepare
from partita.partitions import FUZZY

ISSUE = 16
REPLICATES = 1000


def soft(report: Callable[..., None], best: Callable[..., float]) -> None:
    """10^4 objects, 10 x 10 fuzzy clusters."""
    rng = np.random.default_rng(0)
    n = 10**4
    U = rng.dirichlet(np.full(10, 0.3), n)
    V = (U + rng.dirichlet(np.full(10, 0.3), n)) / 2
    inputs = prepare({"truth": U, "found": V})
    every = pt.compare(U, V, bounds=False)
    entries = [e for e in map(pt.indices.find, [row.index for row in every.rows]) if FUZZY in e.kinds]
    made = intervals(entries, inputs, n_replicates=REPLICATES)
    fast = [e for e in entries if not np.isnan(made[e.label].low)]
    counts = rng.multinomial(n, np.full(n, 1 / n))
    all_indices = best(lambda: pt.compare(U, V, bounds=False, sample_weight=counts), 2)
    same_indices = best(lambda: pt.compare(U, V, indices=fast, sample_weight=counts), 5)
    ours = best(lambda: intervals(entries, inputs, n_replicates=REPLICATES), 2)
    only = best(lambda: intervals(fast, inputs, n_replicates=REPLICATES), 3)
    print(
        f"10^4 x (10, 10): {REPLICATES} replicates {ours:.2f} s; {len(fast)} of {len(entries)} indices have"
        f" intervals, {only:.2f} s for these alone; compare once {all_indices * 1e3:.0f} ms, for these"
        f" {same_indices * 1e3:.1f} ms"
    )
    label = "bootstrap of 1000, soft 10^4 x (10, 10), vs recomputing compare"
    report(label, REPLICATES * all_indices / ours, 20, at_most=False)
    label = "bootstrap of 1000, soft, vs recomputing only the indices that have an interval"
    report(label, REPLICATES * same_indices / only, 20, at_most=False)


def hard(report: Callable[..., None], best: Callable[..., float]) -> None:
    """Cells are drawn, so that the number of objects does not matter."""
    rng = np.random.default_rng(1)
    times = []
    for n in (10**4, 10**6):
        truth = rng.integers(0, 10, n)
        found = np.where(rng.random(n) < 0.7, truth, rng.integers(0, 12, n))
        inputs = prepare({"truth": truth, "found": found})
        entries = [pt.indices.find(name) for name in ("ARI", "VI", "NMI", "FM", "purity")]
        values = {e.label: e(truth, found) for e in entries}
        times.append(best(lambda i=inputs, v=values, e=entries: intervals(e, i, values=v), 3))
    print(
        f"hard 10 x 12: 1000 replicates {times[0] * 1e3:.0f} ms at n = 10^4, {times[1] * 1e3:.0f} ms at 10^6"
    )
    report("bootstrap of hard clusterings, n = 10^6 vs n = 10^4", times[1] / times[0], 2, at_most=True)


def memory(report: Callable[..., None]) -> None:
    """The weights of a few objects at a time."""
    rng = np.random.default_rng(2)
    n = 10**6
    U = rng.dirichlet(np.ones(3), n)
    inputs = prepare({"truth": U.argmax(axis=1), "found": U})
    tracemalloc.start()
    intervals([pt.indices.find("NMI")], inputs, n_replicates=20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    report("peak extra memory of a bootstrap at n = 10^6, in 200 MB", peak / 2e8, 1, at_most=True)


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    soft(report, best)
    hard(report, best)
    memory(report)
