"""What is asked of a solver, and what it answers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.distributional.budgets import Budget
from partita.distributional.outcomes import SAMPLED, Focal, Law, Quantity
from partita.distributional.sampling import Plan
from partita.distributional.table_index import TableIndex
from partita.errors import ParameterError, PartitionError, Phrase, Setting, TooLargeError

LAW_SECONDS = 5.0
"""With less time left, no law is tried."""

MOST_SECONDS = 1e9

USUAL_WORK = 3e7
"""Work that is spent where the user sets no limit; about half a minute."""

METHODS = ("auto", "exact", "bound", "sample", "nested")


@dataclass(frozen=True, eq=False)
class Task:
    """An index, how it is to be obtained, and what may be spent on it."""

    index: TableIndex
    method: str
    plan: Plan
    rng: np.random.Generator
    want_law: bool = True
    drop: float = 1e-12
    most_nodes: int = 2000
    most_levels: float = math.inf
    n_inner: int = 100
    report: Callable[[int, int], None] = lambda _done, _total: None

    @property
    def budget(self) -> Budget:
        """What may be spent on it."""
        return self.plan.budget

    def within(self, share: float) -> Task:
        """The same with a share of what is left to spend."""
        if not self.budget.is_limited:
            return self
        return replace(self, plan=replace(self.plan, budget=self.budget.part(share)))

    @property
    def has_time_for_law(self) -> bool:
        """Whether to try a law, or a set of values, whose making cannot be interrupted."""
        return self.budget.seconds_left > LAW_SECONDS

    @property
    def allows_samples(self) -> bool:
        """Whether numbers may come from drawn clusterings."""
        return self.method in ("auto", "sample", "nested")


@dataclass(frozen=True, eq=False)
class Answer:
    """The parts of a `Distribution` that depend on the kinds of clusterings."""

    reading: str
    measure: str
    quantities: Mapping[str, Quantity]
    law: Law | None = None
    focal: Focal | None = None
    notes: tuple[str, ...] = ()
    cost: Mapping[str, Any] = field(default_factory=dict)
    uniform: Law | None = None


def ends_only(lower: Quantity, upper: Quantity) -> dict[str, Quantity]:
    """Quantities where there is no probability law."""
    return {"lower": lower, "upper": upper, "mean": Quantity.undefined(), "std": Quantity.undefined()}


def nothing_known(reading: str, measure: str, *notes: str) -> Answer:
    """The answer where the index has no value at all."""
    nothing = ends_only(Quantity.undefined(), Quantity.undefined())
    return Answer(reading, measure, nothing, notes=notes)


def mean_end(outer: Array, attained: Array, task: Task) -> tuple[Quantity, str]:
    """The mean of an end that lies, for each draw, between a certified and an attained value."""
    half, theorem = task.plan.half_width(outer, task.index.width)
    means = sorted((float(outer.mean()), float(attained.mean())))
    low, high = task.index.range or (-math.inf, math.inf)
    return (
        Quantity(float(outer.mean()), max(means[0] - half, low), min(means[1] + half, high), SAMPLED),
        theorem,
    )


def budget_of(seconds: Any, work: float = USUAL_WORK) -> Budget:
    """So many seconds where the user asks for them, otherwise so much work."""
    if seconds is None:
        return Budget(work)
    if (
        isinstance(seconds, bool)
        or not isinstance(seconds, (int, float))
        or not 0.0 < seconds <= MOST_SECONDS
    ):
        what = Phrase(Setting("budget_seconds"), " is no time.")
        raise ParameterError(what, got=repr(seconds)[:60], need="a number of seconds above 0")
    return Budget(deadline=time.monotonic() + seconds)


def nothing_left() -> PartitionError:
    """The error where noise is ignored and there is nothing else."""
    fix = Phrase(Setting("noise", "cluster"))
    return PartitionError("every object is noise, and noise is ignored.", fix=fix)


def too_large(task: Task, size: str, *ways: str) -> TooLargeError:
    """The error for an exact answer that is out of reach, with what to do instead and its cost."""
    return TooLargeError(
        f"the exact answer for {task.index.entry.label} is out of reach here.",
        got=size,
        need="fewer uncertain objects",
        fix=Phrase(ways[0], *(piece for way in ways[1:] for piece in ("; or ", way))),
    )
