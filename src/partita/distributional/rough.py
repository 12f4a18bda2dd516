"""Rough clusterings: the set of values over all completions, and its ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from partita.arrays import Array
from partita.distributional.laws import law_of
from partita.distributional.outcomes import BOUND, SAMPLED, Law, Quantity, miss_chances
from partita.distributional.sampling import draw_tables
from partita.distributional.solvers.branching import Minimum, local_search, minimum
from partita.distributional.solvers.columns import (
    MOST_ROWS,
    MOST_STEPS,
    STEPS_PER_SECOND,
    STEPS_PER_WORK,
    groups_inside,
    size_ends,
    steps_for_ends,
)
from partita.distributional.solvers.groups import Groups
from partita.distributional.solvers.matching_ends import matching_ends
from partita.distributional.solvers.tallies import MOST_TABLES
from partita.distributional.table_index import PARTITION_DISTANCE, TableIndex
from partita.distributional.tasks import Answer, Task, ends_only, nothing_known, too_large
from partita.errors import PartitaError, Phrase, Setting

FEW_AMBIGUOUS, FEW_TABLES = 20, 3000
"""Ambiguous objects, and tables they can make, that are written out before anything else is tried."""

FEW_WORK = 4000.0
"""What that is counted as."""

UNDEFINED = "some completions leave the index undefined; they are left out"


def rough(truth: Array, found: Array, task: Task) -> Answer:
    """The ends of an index over all completions of ``(n, k)`` and ``(n, k')`` possible clusters."""
    reading = f"interval: every completion counts, {_completions(truth, found)} of them"
    if task.method == "sample":
        return _sampled(truth, found, task, reading)
    law = values_of(truth, found, task.index) if task.want_law and task.has_time_for_law else None
    if law is not None:
        lower, upper, notes, cost = ends_of(law)
    else:
        lower, upper, notes, cost = rough_ends(Groups.of(truth, found), task)
    return Answer(reading, "set", ends_only(lower, upper), law, None, tuple(notes), cost)


def values_of(truth: Array, found: Array, index: TableIndex, most_tables: float = MOST_TABLES) -> Law | None:
    """The set of values over all completions, where it is within reach."""
    possible = truth.astype(np.float64), found.astype(np.float64)
    law = law_of(*possible, index, "minimum", most_tables=most_tables)
    return None if law is None else replace(law, measure="set")


def _completions(truth: Array, found: Array) -> str:
    exponent = sum(float(np.log10(side.sum(axis=1)).sum()) for side in (truth, found))
    return f"{10**exponent:,.0f}" if exponent < 9 else f"10^{exponent:.1f}"


# --- ends -------------------------------------------------------------------------------------------------

Ends = tuple[Quantity, Quantity, list[str], dict[str, int]]


def rough_ends(groups: Groups, task: Task) -> Ends:
    """Both ends with what is sure about them, notes, and cost; by the best method that is at hand."""
    index = task.index
    if groups.n_ambiguous <= FEW_AMBIGUOUS:
        law = values_of(*groups.objects(), index, FEW_TABLES)
        if law is not None:
            task.budget.spend(FEW_WORK)
            return ends_of(law)
    if index.entry.name == PARTITION_DISTANCE:
        return _matching(groups, task)
    hard_found, hard_truth = ((side.sum(axis=1) == 1).all() for side in (groups.columns, groups.rows))
    if index.entry.given_sizes and (hard_found or hard_truth):
        found = _against_hard(
            groups if hard_found else groups.transposed(), task, truth_is_soft=bool(hard_found)
        )
        if found is not None:
            return found
    if index.coefficients is not None:
        return _separable(groups, task)
    if task.method == "exact":
        raise too_large(
            task,
            f"{groups.n_ambiguous} ambiguous objects of {groups.n}",
            Phrase(Setting("method", "bound"), ": an outer interval in seconds"),
            Phrase(Setting("method", "sample"), ": an inner interval"),
        )
    return _outer(groups, task)


def ends_of(law: Law) -> Ends:
    """The least and the largest value of a set."""
    notes = [UNDEFINED] if law.undefined else []
    if not len(law.support):
        return Quantity.undefined(), Quantity.undefined(), notes, {}
    lower, upper = (Quantity.exact(float(v)) for v in (law.support[0], law.support[-1]))
    return lower, upper, notes, {"values": len(law.support)}


def _against_hard(groups: Groups, task: Task, *, truth_is_soft: bool) -> Ends | None:
    """Exact ends in polynomial time: for all sizes that can occur, the ends of the sum over cells."""
    index = task.index
    if groups.shape[0] > MOST_ROWS:
        return None
    inside = groups_inside(groups)
    steps, budget = steps_for_ends(inside), task.budget
    if steps > min(MOST_STEPS, budget.seconds_left * STEPS_PER_SECOND, budget.work_left * STEPS_PER_WORK):
        return None
    ends = size_ends(inside, index.entry.given_sizes)
    budget.spend(500.0 + steps / STEPS_PER_WORK + len(ends.sizes))
    hard = np.tile(inside[:, -1], (len(ends.sizes), 1))
    sizes = (ends.sizes, hard) if truth_is_soft else (hard, ends.sizes)
    values = np.concatenate([index.on_sums(*sizes, sums) for sums in (ends.least, ends.most)])
    notes = [UNDEFINED] if np.isnan(values).any() else []
    if np.isnan(values).all():
        return Quantity.undefined(), Quantity.undefined(), notes, {}
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return Quantity.exact(low), Quantity.exact(high), notes, {"vectors of sizes": len(ends.sizes)}


def _matching(groups: Groups, task: Task) -> Ends:
    """The ends of the partition distance, from those of the largest matching."""
    ends = matching_ends(groups, budget=task.budget)
    (few, fewest), (most, many) = ends.fewest, ends.most
    lower = _end(1.0 - many / groups.n, 1.0 - most / groups.n, task, is_lower=True)
    return lower, _end(1.0 - few / groups.n, 1.0 - fewest / groups.n, task, is_lower=False), [], {}


def _end(certified: float, attained: float, task: Task, *, is_lower: bool, nothing: float = 0.0) -> Quantity:
    """An end between a certified value and one that a completion attains; both the same if exact."""
    apart = attained - certified if is_lower else certified - attained
    if apart < -1e-9 * max(1.0, abs(attained)):
        raise PartitaError(
            f"a bound on {task.index.entry.label} is wrong.",
            got=f"{certified} was certified, but a completion attains {attained}",
            fix="this is a bug; please report it with the inputs",
        )
    if apart <= nothing:
        return Quantity.exact(attained)
    return Quantity(certified, min(certified, attained), max(certified, attained), BOUND)


def _separable(groups: Groups, task: Task) -> Ends:
    """Both ends by branch and bound; certified whether it finishes or not."""
    index, c = task.index, task.index.coefficients
    assert c is not None
    unit = min((abs(w) for w in c.weights if w), default=1.0)
    weights = np.array(c.weights) / unit
    # sums of squares over rows, columns and cells all have the parity of n, so whole multiples differ by 2
    step = 2.0 if index.entry.given_sizes == "squares" and np.allclose(weights, weights.round()) else 0.0
    weights = weights.round() if step else weights
    gap = 0.0 if step else 1e-10 * index.n * math.log(max(index.n, 2))
    ends, nodes = [], 0
    for sign, share in ((1.0, 0.5), (-1.0, 1.0)):
        found = _minimum(groups, sign * weights, task.within(share), step, gap, task.most_nodes)
        attained = float(index.on_tables(found.table[None])[0])
        low, high = index.range or (-math.inf, math.inf)
        certified = float(np.clip(attained - sign * unit * (found.attained - found.bound), low, high))
        ends.append(_end(certified, attained, task, is_lower=sign > 0, nothing=gap * unit))
        nodes += found.nodes
    return ends[0], ends[1], [], {"nodes": nodes}


def _minimum(
    groups: Groups, weights: Array, task: Task, step: float, gap: float = 0.0, most_nodes: int = 100
) -> Minimum:
    rows, columns, cells = map(float, weights)
    return minimum(
        groups,
        task.index.phi,
        (rows, columns, cells),
        step=step,
        gap=gap,
        budget=task.budget,
        most_nodes=most_nodes,
    )


def _outer(groups: Groups, task: Task) -> Ends:
    """An outer interval from certified ranges of the three sums, an inner one by local search."""
    index = task.index
    low, high = index.range or (-math.inf, math.inf)
    # completions first: there must be one, and what is left of a budget then goes to the bounds
    least, most = (
        local_search(
            groups,
            value_of,
            rng=np.random.default_rng(0),
            budget=task.within(share).budget,
            table_work=index.table_work,
        )[0]
        for value_of, share in (
            (index.on_tables, 0.2),
            (lambda tables: -index.on_tables(tables), 0.25),
        )
    )
    nodes = 0
    if index.has_ends_at_vertices:
        step = 2.0 if index.entry.given_sizes == "squares" else 0.0
        ranges = []
        # the sums over rows and over columns depend on one side alone, which is quick
        sides = (groups.of_rows(), 0, 0.1), (groups.transposed().of_rows(), 0, 0.1), (groups, 2, 1.0)
        for some, axis, share in sides:
            part = task.within(share)
            least_sum = _minimum(some, np.eye(3)[axis], part.within(0.5), step)
            most_sum = _minimum(some, -np.eye(3)[axis], part, step)
            ranges.append((least_sum.bound, -most_sum.bound))
            nodes += least_sum.nodes + most_sum.nodes
        box = index.on_box(ranges)
        low, high = max(low, box[0]), min(high, box[1])
    cost = {"nodes": nodes}
    if math.isnan(least):
        return Quantity.undefined(), Quantity.undefined(), [UNDEFINED], cost
    note = "outer bounds by ranges of the table's sums; the other ends are attained by completions"
    lower = _end(low, least, task, is_lower=True)
    return lower, _end(high, -most, task, is_lower=False), [note], cost


def remembered_ends(task: Task) -> Callable[[Groups], Ends]:
    """`rough_ends` for many problems, of which equal ones are solved once."""
    known: dict[tuple[bytes, ...], Ends] = {}

    def ends(groups: Groups) -> Ends:
        key = tuple(part.tobytes() for part in (groups.rows, groups.columns, groups.counts))
        if key not in known:
            known[key] = rough_ends(groups, task)
        return known[key]

    return ends


# --- sampling ---------------------------------------------------------------------------------------------


def _sampled(truth: Array, found: Array, task: Task, reading: str) -> Answer:
    """An inner interval from uniformly drawn completions, with the chance that it misses an end."""
    index, plan = task.index, task.plan
    # uniform completions are draws of the fuzzy clusterings that spread each object over its set
    truth, found = (side / side.sum(axis=1, keepdims=True) for side in (truth, found))
    values, _ = plan.run(
        lambda size: index.on_tables(draw_tables(truth, found, size, task.rng))[:, None],
        index.width,
        task.report,
    )
    drawn = values[:, 0]
    law = Law.drawn(drawn, "set")
    share = 1.0 - (1.0 - plan.confidence) ** (1.0 / len(drawn))
    notes = [
        f"inner bound from {len(drawn)} uniformly drawn completions: the true interval is at least this wide",
        f"with confidence {plan.confidence:g}, at most {share:.2g} of all completions lie beyond each end",
        *([UNDEFINED] if law.undefined else []),
    ]
    if not len(law.support):
        return nothing_known(reading, "set", *notes)
    uniform = law_of(truth, found, index, "sum")
    if uniform is not None:
        chances = miss_chances(uniform, len(drawn), plan.epsilon)
        notes.append(
            f"chance to miss by {plan.epsilon:g} (Prop. 3): {chances[0]:.2g} below, {chances[1]:.2g} above"
        )
    low, high = index.range or (-math.inf, math.inf)
    least, most = float(law.support[0]), float(law.support[-1])
    ends = ends_only(Quantity(least, low, least, SAMPLED), Quantity(most, most, high, SAMPLED))
    return Answer(reading, "set", ends, law, None, tuple(notes), {"draws": len(drawn)}, uniform)
