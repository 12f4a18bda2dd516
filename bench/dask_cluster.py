"""Dask on one machine: two single-threaded worker processes against one thread of this process.

Both sides make the same labels, chunk by chunk, and compare them: from nothing to the answer. In memory they
are made one after another, in a cluster where they are counted.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable

import numpy as np

import partita as pt
from measuring import Report
from partita.statistics import Contingency

ISSUE = 19
LABELS, CHUNK, SMALL = 10**8, 25 * 10**5, 10**4
MOST_MEMORY = 500e6
ON_TABLES = [entry.name for entry in pt.indices.catalogue() if entry.statistics == (Contingency,)]


def chunk(start: int, size: int, k: int) -> np.ndarray:
    """Labels of so many objects from one on: the same whoever makes them."""
    return np.random.default_rng((start, k)).integers(0, k, size)


def in_memory(n: int) -> tuple[np.ndarray, np.ndarray]:
    made = np.empty((2, n), dtype=np.int64)
    for start in range(0, n, CHUNK):
        for row, k in enumerate((10, 12)):
            made[row, start : start + CHUNK] = chunk(start, min(CHUNK, n - start), k)
    return made[0], made[1]


def in_chunks(n: int, rows: int) -> list[object]:
    import dask
    import dask.array as da

    make = dask.delayed(chunk)
    return [
        da.concatenate(
            [
                da.from_delayed(make(s, min(rows, n - s), k), (min(rows, n - s),), dtype=np.int64)
                for s in range(0, n, rows)
            ]
        )
        for k in (10, 12)
    ]


def run(report: Report, best: Callable[..., float]) -> None:
    from distributed import Client, LocalCluster

    warnings.filterwarnings("ignore", category=UserWarning, module="distributed")
    os.environ["PARTITA_NUM_THREADS"] = "1"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"

    def compare(sides: object) -> pt.Comparison:
        return pt.compare(*sides, indices=ON_TABLES)

    compare(in_memory(10**6))  # compiled
    start = time.perf_counter()
    sides = in_memory(LABELS)
    made = time.perf_counter()
    alone = compare(sides)
    ended = time.perf_counter()
    whole, counting = ended - start, ended - made
    small = in_memory(SMALL)
    small_alone = best(lambda: compare(small), 20)
    del sides
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        compare(in_chunks(4 * CHUNK, CHUNK))  # both workers have imported and compiled
        spread = compare(in_chunks(LABELS, CHUNK))
        same = [row.index for row in alone.rows if row.value != spread[row.index].value]
        assert not same, f"other values in a cluster: {same}"
        seconds = best(lambda: compare(in_chunks(LABELS, CHUNK)), 2)
        peaks = client.run(_peak)
        few = in_chunks(SMALL, SMALL // 2)
        small_spread = best(lambda: compare(few), 5)
    report(
        "10^8 labels made and compared: two dask workers vs one thread in memory",
        whole / seconds,
        1.5,
        at_most=False,
    )
    report(
        "peak memory of a dask worker, as a share of 500 MB",
        max(peaks.values()) / MOST_MEMORY,
        1,
        at_most=True,
    )
    report.note(
        f"10^8 labels by {len(ON_TABLES)} indices: one thread {whole:.1f} s (comparing {counting:.2f} s), "
        f"two dask workers {seconds:.1f} s; 10^4 labels: {small_alone * 1e3:.1f} ms in memory, "
        f"{small_spread * 1e3:.0f} ms through the cluster, which is its overhead"
    )


def _peak() -> float:
    """The most memory a worker held; getrusage would tell that of the process which started it."""
    from pathlib import Path

    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024.0 for line in lines if line.startswith("VmHWM"))
