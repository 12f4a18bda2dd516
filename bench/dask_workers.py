"""10^8 labels that are generated chunk by chunk: a dask cluster of two workers beside one thread in memory.

Generating the labels is part of both, since it is part of what workers share. Where cores are busy otherwise,
the time on the wall says little; CPU seconds, halved for two workers, are what two idle cores would have.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import partita as pt

N, ROWS, K = 10**8, 5 * 10**6, 10
FEW = 1000
MOST_MEGABYTES = 500


def truth_in(block: int, size: int) -> np.ndarray:
    return np.random.default_rng([block, 0]).integers(0, K, size, dtype=np.int32)


def found_in(block: int, size: int) -> np.ndarray:
    rng = np.random.default_rng([block, 1])
    keeps = rng.random(size, dtype=np.float32) < 0.8
    return np.where(keeps, truth_in(block, size), rng.integers(0, K, size, dtype=np.int32))


def in_memory(make: Callable[[int, int], np.ndarray], n: int, rows: int) -> np.ndarray:
    labels = np.empty(n, dtype=np.int32)
    for start in range(0, n, rows):
        labels[start : start + rows] = make(start // rows, min(rows, n - start))
    return labels


def in_chunks(make: Callable[[int, int], np.ndarray], n: int, rows: int) -> da.Array:
    sizes = [min(rows, n - start) for start in range(0, n, rows)]
    made = dask.delayed(make)
    return da.concatenate(
        [da.from_delayed(made(block, size), (size,), dtype=np.int32) for block, size in enumerate(sizes)]
    )


def compared(how: Callable[..., Any], n: int, rows: int) -> float:
    value: float = pt.compare(how(truth_in, n, rows), how(found_in, n, rows))["ARI"].value
    return value


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def most_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    # workers are started first: a process is said to have had the memory of the one that started it
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        compared(in_chunks, 800_000, 200_000)  # loops are loaded
        before, own, start = client.run(cpu_seconds), cpu_seconds(), time.perf_counter()
        value = compared(in_chunks, N, ROWS)
        there, own = time.perf_counter() - start, cpu_seconds() - own
        by_workers = sum(after - before[worker] for worker, after in client.run(cpu_seconds).items())
        peak = max(client.run(most_megabytes).values())
        small_there = best(lambda: compared(in_chunks, FEW, FEW // 4), 5)
    threads = best(lambda: compared(in_chunks, FEW, FEW // 4), 5)
    small = best(lambda: compared(in_memory, FEW, FEW // 4), 5)
    wall, cpu, expected = _one_thread()
    assert value == expected
    print(
        f"10^8 generated labels: one thread in memory {wall:.1f} s ({cpu:.1f} s of CPU); two workers of dask"
        f" {there:.1f} s ({by_workers:.1f} s of CPU, and {own:.1f} s of the client and scheduler), at most"
        f" {peak:.0f} MB each. {FEW} labels in 4 chunks: {small * 1e3:.0f} ms in memory,"
        f" {threads * 1e3:.0f} ms by dask's threads, {small_there * 1e3:.0f} ms by its workers"
    )
    what = "compare of 10^8 generated labels: two dask workers vs one thread in memory"
    report(f"{what}, wall", wall / there, 1.5, at_most=False)
    report(f"{what}, CPU", cpu / ((by_workers + own) / 2.0), 1.5, at_most=False)
    report("the memory of a dask worker, of 500 MB", peak / MOST_MEGABYTES, 1, at_most=True)


def _one_thread() -> tuple[float, float, float]:
    """Seconds and CPU seconds of the same in memory, and the value."""
    before = os.environ.get("PARTITA_NUM_THREADS")
    os.environ["PARTITA_NUM_THREADS"] = "1"
    try:
        compared(in_memory, 200_000, 200_000)
        start, used = time.perf_counter(), cpu_seconds()
        value = compared(in_memory, N, ROWS)
        return time.perf_counter() - start, cpu_seconds() - used, value
    finally:
        os.environ.pop("PARTITA_NUM_THREADS")
        if before is not None:
            os.environ["PARTITA_NUM_THREADS"] = before
