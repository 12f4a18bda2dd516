"""Seconds of processors: what work costs, however many threads share it and whoever else uses the machine."""

from __future__ import annotations

import time
from collections.abc import Callable


def cpu_seconds(work: Callable[[], object], repeats: int = 7) -> float:
    """Those of the cheapest of several runs, all threads together."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
