"""choose_k with two workers against one."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import psutil

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
    what = "choose_k, 6000 x 2, 20 numbers of clusters, 8 runs: two workers vs one"
    report(
        what, best(lambda: choose(1), 1) / best(lambda: choose(2), 1), 1.7, at_most=False, earlier={7: 1.6}
    )
    alone, _ = cpu_seconds(lambda: choose(1))
    here, of_workers = cpu_seconds(lambda: choose(2))
    print(
        f"in CPU seconds: {alone:.2f} alone; {here:.2f} here and {', '.join(f'{s:.2f}' for s in of_workers)} "
        "on workers"
    )
    report(what, alone / (here + max(of_workers)), 1.7, at_most=False, clock="CPU")


def cpu_seconds(work: Callable[[], object]) -> tuple[float, list[float]]:
    """What this process takes, and what each of its workers does: as on a machine that does nothing else."""
    before, start = _of_children(), time.process_time()
    work()
    here = time.process_time() - start
    return here, [end - before.get(process, 0.0) for process, end in _of_children().items()]


def _of_children() -> dict[int, float]:
    children = psutil.Process().children(recursive=True)
    return {one.pid: sum(one.cpu_times()[:2]) for one in children}
