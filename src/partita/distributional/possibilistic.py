"""Possibilistic clusterings: how possible each value of an index is, lower and upper expectations."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.distributional.fuzzy import law_notes
from partita.distributional.laws import law_of
from partita.distributional.outcomes import BOUND, EXACT, Law, Quantity
from partita.distributional.rough import remembered_ends, rough_ends
from partita.distributional.solvers.groups import Groups
from partita.distributional.solvers.tallies import MEET
from partita.distributional.tasks import Answer, Task, ends_only, mean_end, nothing_known, too_large
from partita.errors import ParameterError, Phrase, Setting

MOST_COMPLETIONS = 200_000
"""Pairs of completions that are written out for the literal reading."""

SMALLEST_HEIGHT = 1e-280
"""Below it, possibilities are given relative to the largest."""

MOST_TERMS = 500
"""Terms of the series for the probabilistic sum."""

LEVEL_SHARE = 0.5
"""Of what is left to spend, the part for one level."""

READINGS = {
    "cuts": "possibility ({tnorm} of typicalities): a value is as possible as its most possible completion; "
    "expectations integrate the ends of its level cuts",
    "literal": "possibility ({tnorm} of typicalities), campagner2022 eq. (7) as printed: the completions of "
    "a value are joined by the dual s-conorm; this is no probability, and no maximum",
}


BELOW_ONE = "no completion is more than {:.4g} possible; expectations are given that height"


def possibilistic(truth: Array, found: Array, tnorm: str, reading: str, task: Task) -> Answer:
    """Lower and upper expectation of an index between ``(n, k)`` and ``(n, k')`` typicalities."""
    words = READINGS[reading].format(tnorm=tnorm)
    if task.method == "sample":
        return _by_drawn_cuts(truth, found, tnorm, reading, task, words)
    if reading == "literal" and tnorm != "minimum":  # with the minimum both readings are the same
        law: Law | None = _literal(truth, found, tnorm, task)
    elif (task.want_law or tnorm != "minimum") and task.has_time_for_law:
        law = _possibilities(truth, found, tnorm, task)
    else:
        law = None
    if law is not None:
        return _from_law(law, words)
    if tnorm == "minimum":
        return _by_cuts(truth, found, task, words)
    return _bounded_by_minimum(truth, found, tnorm, task, words)


def _possibilities(truth: Array, found: Array, tnorm: str, task: Task) -> Law | None:
    """How possible each value is; products are taken relative to their largest, which may be tiny."""
    if tnorm != "product":
        return law_of(truth, found, task.index, tnorm)
    peaks = [side.max(axis=1) for side in (truth, found)]
    relative = (side / peak[:, None] for side, peak in zip((truth, found), peaks, strict=True))
    law = law_of(next(relative), next(relative), task.index, tnorm)
    height = float(np.prod(peaks[0]) * np.prod(peaks[1]))
    if law is None or height < SMALLEST_HEIGHT:
        return law
    return replace(law, weights=law.weights * height, undefined=law.undefined * height)


def _from_law(law: Law, words: str) -> Answer:
    lower, upper = (Quantity.exact(v) for v in law.expectations())
    notes = law_notes(law)
    height = float(law.weights.max(initial=0.0))
    if not len(law.support):
        notes.append("no value is possible at all")
    elif height < 1.0:
        notes.append(BELOW_ONE.format(height))
    return Answer(
        words, "possibility", ends_only(lower, upper), law, None, tuple(notes), {"values": len(law.support)}
    )


# --- cuts -------------------------------------------------------------------------------------------------


def _by_cuts(truth: Array, found: Array, task: Task, words: str) -> Answer:
    """Expectations from the ends at every level: one rough problem for each level that matters.

    A lower level has more completions, so the ends move outwards monotonically: between two levels with
    equal ends nothing happens, and stopping early leaves certified bounds.
    """
    levels = _levels(truth, found)
    known: dict[int, tuple[Quantity, Quantity]] = {}
    quiet = replace(task, report=lambda _done, _total: None)

    def ends_at(place: int) -> tuple[Quantity, Quantity]:
        if place not in known:
            groups = Groups.of(truth >= levels[place], found >= levels[place])
            known[place] = rough_ends(groups, quiet.within(LEVEL_SHARE))[:2]
            task.report(len(known), len(levels))
        return known[place]

    # few completions may all be undefined: then the highest level with a value is the height
    last = len(levels) - 1
    if math.isnan(ends_at(last)[0].value):
        last = _highest_defined(ends_at, last)
        if last < 0:
            return nothing_known(words, "possibility", "the index is undefined at every level")
    known = {place: ends for place, ends in known.items() if place <= last}
    levels = levels[: last + 1]
    widths, height = np.diff(levels, prepend=0.0), float(levels[-1])

    def unsure(first: int, last: int) -> tuple[float, int, int]:
        """What is not known about the levels between two: largest first on a heap."""
        width = float(widths[first + 1 : last].sum())
        changes = [
            abs(one.value - other.value) for one, other in zip(ends_at(first), ends_at(last), strict=True)
        ]
        return -width * max(changes), first, last

    waiting = [unsure(0, last)]
    while waiting and waiting[0][0] < 0.0 and not task.budget.is_over and len(known) < task.most_levels:
        _, first, last = heapq.heappop(waiting)
        middle = (first + last) // 2
        for part in ((first, middle), (middle, last)):
            heapq.heappush(waiting, unsure(*part))
    solved = sorted(known)
    lower, upper = (_integrated(solved, [known[s][side] for s in solved], widths, side) for side in (0, 1))
    notes = (
        []
        if height == 1.0
        else [f"every completion is at most {height:.4g} possible; expectations are given that height"]
    )
    if waiting and waiting[0][0] < 0.0:
        notes.append(f"stopped after {len(solved)} of {len(levels)} levels, with certified bounds")
    return Answer(
        words, "possibility", ends_only(lower, upper), None, None, tuple(notes), {"levels": len(solved)}
    )


def _levels(truth: Array, found: Array) -> Array:
    """All levels at which every object has a cluster on both sides, from low to high."""
    height = min(truth.max(axis=1).min(), found.max(axis=1).min())
    levels = np.unique(np.concatenate([truth.ravel(), found.ravel()]))
    return np.asarray(levels[(levels > 0) & (levels <= height)])


def _highest_defined(ends_at: Callable[[int], tuple[Quantity, Quantity]], last: int) -> int:
    """The highest level at which the index has a value, -1 if none: lower levels have more completions."""
    low, high = -1, last
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if math.isnan(ends_at(middle)[0].value) else (middle, high)
    return low


def _by_drawn_cuts(truth: Array, found: Array, tnorm: str, reading: str, task: Task, words: str) -> Answer:
    """Unbiased expectations from the ends at levels drawn uniformly below the height."""
    if tnorm != "minimum":
        raise ParameterError(
            "only level cuts under the minimum can be drawn.",
            got=Phrase(Setting("tnorm", tnorm), ", ", Setting("reading", reading)),
            need=Phrase(Setting("tnorm", "minimum")),
            fix=Phrase(
                Setting("reading", "independent"), " draws a level for each object, as consonant masses"
            ),
            parameter="tnorm",
        )
    height = float(_levels(truth, found)[-1])
    solve = remembered_ends(replace(task, method="auto", report=lambda _done, _total: None))

    def draw(size: int) -> Array:
        ends = []
        for level in height * (1.0 - task.rng.random(size)):
            lower, upper = solve(Groups.of(truth >= level, found >= level))[:2]
            ends.append([lower.low, upper.high, lower.high, upper.low])
        return np.array(ends)

    drawn, _ = task.plan.run(draw, task.index.width, task.report, 16)
    quantities, notes = [], [] if height == 1.0 else [BELOW_ONE.format(height)]
    known = ~np.isnan(drawn).any(axis=1)
    if not known.all():
        notes.append(f"undefined at {int((~known).sum())} of {len(drawn)} drawn levels, left out")
        drawn = drawn[known]
    if not len(drawn):
        return nothing_known(words, "possibility", *notes)
    for side, name in enumerate(("lower", "upper")):
        quantity, theorem = mean_end(drawn[:, side], drawn[:, side + 2], task)
        quantities.append(quantity)
        notes.append(f"{name}: confidence {task.plan.confidence:g} by itself ({theorem})")
    return Answer(
        words, "possibility", ends_only(*quantities), None, None, tuple(notes), {"drawn levels": len(drawn)}
    )


def _integrated(solved: list[int], ends: list[Quantity], widths: Array, side: int) -> Quantity:
    """The mean of an end over all levels; between two solved levels it lies between their values."""
    low, high = widths[0] * ends[0].low, widths[0] * ends[0].high
    for (first, one), (last, other) in pairwise(zip(solved, ends, strict=True)):
        between = widths[first + 1 : last].sum()
        low += between * min(one.low, other.low) + widths[last] * other.low
        high += between * max(one.high, other.high) + widths[last] * other.high
    low, high = float(low / widths.sum()), float(high / widths.sum())
    if high - low <= 1e-13 * max(1.0, abs(high)) and all(e.method == EXACT for e in ends):
        return Quantity.exact(low)
    return Quantity(low if side == 0 else high, low, high, BOUND)


def _bounded_by_minimum(truth: Array, found: Array, tnorm: str, task: Task, words: str) -> Answer:
    """Bounds from the minimum, which no t-norm exceeds: its cuts contain theirs, and at level 1 are the same.

    Dividing each row by its largest value makes all heights one. For the product that is the same as dividing
    by the height, which is what expectations are given; for others every row must reach one.
    """
    peaks = [side.max(axis=1, keepdims=True) for side in (truth, found)]
    if task.method == "exact" or (tnorm != "product" and any((peak < 1.0).any() for peak in peaks)):
        raise too_large(
            task,
            f"{len(truth)} objects under the {tnorm} t-norm",
            Phrase(Setting("tnorm", "minimum"), ": at most one rough problem a level"),
            Phrase(Setting("reading", "independent"), " with ", Setting("method", "sample")),
        )
    truth, found = (side / peak for side, peak in zip((truth, found), peaks, strict=True))
    answer = _by_cuts(truth, found, task, words)
    core = rough_ends(Groups.of(truth >= 1.0, found >= 1.0), task)
    outer = answer.quantities["lower"].low, answer.quantities["upper"].high
    ends = ends_only(
        Quantity(outer[0], outer[0], core[0].high, BOUND), Quantity(outer[1], core[1].low, outer[1], BOUND)
    )
    note = f"outer bounds: those of the minimum t-norm, which is never below the {tnorm}"
    return replace(answer, quantities=ends, notes=(*answer.notes, note))


# --- the literal reading ----------------------------------------------------------------------------------


def _literal(truth: Array, found: Array, tnorm: str, task: Task) -> Law:
    """Eq. (7) with the dual s-conorm over all pairs of completions of a value."""
    pairs = _completion_tables(truth, found, tnorm)
    if pairs is not None:
        tables, possibilities = pairs
        # the s-conorms are sums: of the possibilities, or of their -log(1 - p)
        is_product = tnorm == "product"
        with np.errstate(divide="ignore"):
            summands = -np.log1p(-possibilities) if is_product else possibilities
        law = Law.of(task.index.on_tables(tables), summands, "sum")

        def join(sums: Any) -> Any:
            return -np.expm1(-sums) if is_product else np.minimum(sums, 1.0)

        return replace(
            law, measure="possibility", weights=join(law.weights), undefined=float(join(law.undefined))
        )
    if tnorm == "product":
        law_by_series = _series(truth, found, task)
        if law_by_series is not None:
            return law_by_series
    raise too_large(
        task,
        f"more than {MOST_COMPLETIONS:,} pairs of completions of positive possibility",
        Phrase(Setting("reading", "cuts"), ": a value is as possible as its most possible completion"),
    )


def _completion_tables(truth: Array, found: Array, tnorm: str) -> tuple[Array, Array] | None:
    """The table of every pair of completions that is possible, one by one, with its possibility."""
    meet = MEET[tnorm]
    k, columns = truth.shape[1], found.shape[1]
    tables, weights = np.zeros((1, k * columns), dtype=np.int64), np.ones(1)
    for u, v in zip(truth, found, strict=True):
        joint = meet(u[:, None], v[None, :]).ravel()
        cells = np.flatnonzero(joint > 0)
        weights = meet(weights[:, None], joint[cells]).ravel()
        if len(weights) > 20 * MOST_COMPLETIONS:
            return None
        possible = weights > 0
        tables = (tables[:, None, :] + np.eye(k * columns, dtype=np.int64)[cells]).reshape(-1, k * columns)[
            possible
        ]
        weights = weights[possible]
        if len(weights) > MOST_COMPLETIONS:
            return None
    return tables.reshape(-1, k, columns), weights


def _series(truth: Array, found: Array, task: Task) -> Law | None:
    """1 - prod (1 - p) over completions as 1 - exp(- sum over r of W_r / r), W_r the sum of p^r.

    W_r is a law with typicalities to the power r. Where a completion has possibility 1 the sum diverges and
    the value is exactly 1; the rest of the series is below the last term times p / (1 - p), p the height.
    """
    largest = law_of(truth, found, task.index, "product")
    if largest is None:
        return None
    sure = largest.weights >= 1.0
    height = float(largest.weights[~sure].max(initial=0.0))
    sums = np.zeros(len(largest.support))
    for r in range(1, MOST_TERMS + 1):
        term = law_of(truth**r, found**r, task.index, "sum")
        if term is None:
            return None
        place = np.searchsorted(largest.support, term.support - 1e-11)
        sums[place] += term.weights / r
        last = float(term.weights[~sure[place]].max(initial=0.0))
        if last * height <= 1e-15 * (1.0 - height) * (r + 1):
            return replace(largest, weights=np.where(sure, 1.0, -np.expm1(-sums)))
    return None
