"""What a bench file measures with: times, peaks of memory, and the records it leaves.

A bench file has a function ``run(report, best)``: ``report`` is a `Report`, ``best`` the function here. It
names the issue that set its targets in a constant ``ISSUE``, or target by target.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Growth", "Memory", "Peer", "Report", "Target", "best", "cpu_seconds", "peak_bytes"]

WALL, CPU = "wall", "CPU"


@dataclass(frozen=True)
class Target:
    """A ratio, what it must be, and which issue says so."""

    what: str
    ratio: float
    target: float
    at_most: bool
    issue: int | None = None
    earlier: dict[str, float] = field(default_factory=dict)
    """What older issues asked for, by their number."""
    clock: str = WALL

    @property
    def holds(self) -> bool:
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target

    @property
    def sign(self) -> str:
        return "<=" if self.at_most else ">="


@dataclass(frozen=True)
class Growth:
    """CPU seconds of a statistic at several numbers of objects, and the exponent that they show."""

    statistic: str
    work: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    exponent: float
    limit: float

    @property
    def holds(self) -> bool:
        return self.exponent <= self.limit


@dataclass(frozen=True)
class Memory:
    """What a piece of work takes beyond its input, in bytes."""

    work: str
    given: int
    extra: int
    how: str


@dataclass(frozen=True)
class Peer:
    """The same work by another package in the same run."""

    peer: str
    work: str
    theirs: float
    ours: float
    agree: bool
    ratio: float | None = None
    """Their time to ours, where it was measured."""
    remark: str = ""
    """Where values differ: who is wrong, and why."""


@dataclass
class Report:
    """What one bench file found, in the order it was found."""

    issue: int | None = None
    records: list[Target | Growth | Memory | Peer] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __call__(
        self,
        what: str,
        ratio: float,
        target: float,
        *,
        at_most: bool,
        issue: int | None = None,
        earlier: dict[int, float] | None = None,
        clock: str = WALL,
    ) -> None:
        """Record a ratio beside its target, and print it; ``earlier`` has the targets of older issues."""
        older = {str(number): value for number, value in (earlier or {}).items()}
        made = Target(what, float(ratio), target, at_most, issue or self.issue, older, clock)
        self.records.append(made)
        print(
            f"{'ok    ' if made.holds else 'MISSED'} {what:<84} {made.ratio:8.2f}x   "
            f"target {made.sign} {target:g}x",
            flush=True,
        )

    def add(self, record: Growth | Memory | Peer) -> None:
        """Record something that is no target."""
        self.records.append(record)

    def note(self, text: str) -> None:
        """A sentence for the reader, printed too."""
        self.notes.append(text)
        print(f"       {text}", flush=True)

    def to_dict(self) -> dict[str, Any]:
        return {
            "records": [{"record": type(record).__name__, **asdict(record)} for record in self.records],
            "notes": self.notes,
        }


def best(work: Callable[[], object], repeats: int = 15) -> float:
    """Seconds by the clock on the wall of the fastest of several runs."""
    return _fastest(work, repeats, time.perf_counter)


def cpu_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Seconds that all threads of this process worked, in the leanest of several runs."""
    return _fastest(work, repeats, time.process_time)


def _fastest(work: Callable[[], object], repeats: int, clock: Callable[[], float]) -> float:
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def peak_bytes(work: Callable[[], object]) -> int:
    """The most that Python and NumPy held at once beyond what they held before."""
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak
