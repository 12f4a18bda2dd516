"""Evidential clusterings: lower and upper expectations over the rough clusterings they are made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from partita.arrays import Array
from partita.distributional.decision_rules import Rule, closest_rule
from partita.distributional.outcomes import BOUND, EXACT, SAMPLED, Focal, Quantity
from partita.distributional.rough import Ends, ends_of, remembered_ends, rough_ends, values_of
from partita.distributional.sampling import draw_labels, draw_tables, kl_upper_limit, tables_of
from partita.distributional.sides import Masses
from partita.distributional.solvers.columns import (
    MOST_ROWS,
    STEPS_PER_WORK,
    counts_inside,
    multiset_ends,
    separable_ends,
    steps_for_ends,
)
from partita.distributional.solvers.groups import Groups
from partita.distributional.solvers.matching_ends import hard_matching_ends
from partita.distributional.solvers.reached_tables import ReachedTables
from partita.distributional.solvers.tallies import Choices
from partita.distributional.table_index import PARTITION_DISTANCE, TableIndex
from partita.distributional.tasks import Answer, Task, ends_only, mean_end, nothing_known, too_large
from partita.errors import Phrase, Setting

READING = (
    "belief: rough clusterings are drawn object by object by their masses; the expectations are those of the "
    "lower and upper ends (campagner2022 eqs. 9 and 10)"
)

MOST_FOCAL = 2000
"""Focal rough clusterings that are enumerated unasked; ten times as many by method="exact"."""

FOCAL_WORK, DRAW_WORK = 4000.0, 100.0
"""What it is counted as to solve one of them, and a draw against a hard clustering."""

LEAST_DRAWS = 20
"""With less of them, bounds say more."""

NODES_PER_DRAW = 20
MOST_RULE_CELLS = 2_000_000
"""Masses for which a decision rule is looked for."""

MOST_STEPS_PER_DRAW = 2e8


def evidential(truth: Masses, found: Masses, task: Task) -> Answer:
    """Lower and upper expectation of an index between two evidential clusterings."""
    if task.method == "nested":
        return _nested(truth, found, task)
    if task.method != "sample":
        answer = _enumerated(truth, found, task)
        if answer is not None:
            return answer
    if task.method == "bound":
        return _bounded(truth, found, task)
    if task.method == "exact":
        raise too_large(
            task,
            f"more than {_most_focal(task):,} pairs of focal rough clusterings",
            Phrase(Setting("method", "bound"), ": certified bounds in seconds"),
            Phrase(
                Setting("method", "sample"),
                f": at most {task.plan.most_draws(task.index.width):,} draws with exact ends each",
            ),
        )
    is_limited = task.method == "auto" and task.budget.work_left < math.inf
    answer = _sampled(truth, found, task.within(0.6 if is_limited else 1.0))
    if is_limited and answer.cost.get("draws", 0) < min(LEAST_DRAWS, task.plan.most_draws(task.index.width)):
        return _bounded(truth, found, task)
    return answer


def _most_focal(task: Task) -> int:
    return MOST_FOCAL * (10 if task.method == "exact" else 1)


# --- every focal clustering -------------------------------------------------------------------------------


def _enumerated(truth: Masses, found: Masses, task: Task) -> Answer | None:
    """All focal pairs, told apart by how many objects have which pair of sets; None where too many."""
    uncertain = (truth.masses < 1.0).all(axis=1) | (found.masses < 1.0).all(axis=1)
    if uncertain.sum() > _most_focal(task) or task.budget.seconds_left < 1.0:
        return None
    choices = Choices.of(truth.masses, found.masses, "sum")
    if choices.n_tables > min(_most_focal(task), task.budget.work_left / FOCAL_WORK):
        return None
    tally = choices.tally("sum")
    values: list[tuple[float, ...]] = []
    ends = []
    for done, counts in enumerate(tally.tables):
        rows, columns = np.nonzero(counts)
        groups = Groups(truth.sets[rows], found.sets[columns], counts[rows, columns])
        law = values_of(*groups.objects(), task.index)
        values.append(() if law is None else tuple(law.support.tolist()))
        ends.append((rough_ends(groups, task) if law is None else ends_of(law))[:2])
        task.budget.spend(FOCAL_WORK)
        task.report(done + 1, len(tally.tables))
    low, high = (np.array([e[side].value for e in ends]) for side in (0, 1))
    known = ~np.isnan(low)
    undefined = float(tally.weights[~known].sum())
    notes = (f"undefined with mass {undefined:.4g}, and left out there",) if undefined else ()
    if not known.any():
        return nothing_known(READING, "belief", *notes)
    masses = tally.weights[known] / tally.weights[known].sum()
    kept = [e for e, k in zip(ends, known, strict=True) if k]
    lower, upper = (_mean_of([e[side] for e in kept], masses) for side in (0, 1))
    sets = [v for v, k in zip(values, known, strict=True) if k]
    method = EXACT if lower.method == upper.method == EXACT else BOUND
    focal = _merged(sets, low[known], high[known], masses, method)
    return Answer(
        READING,
        "belief",
        ends_only(lower, upper),
        None,
        focal,
        notes,
        {"focal clusterings": len(tally.weights)},
    )


def _mean_of(ends: list[Quantity], masses: Array) -> Quantity:
    value, low, high = (float(masses @ [getattr(e, part) for e in ends]) for part in ("value", "low", "high"))
    if all(e.method == EXACT for e in ends):
        return Quantity.exact(value)
    return Quantity(value, low, high, BOUND)


def _merged(sets: list[tuple[float, ...]], low: Array, high: Array, masses: Array, method: str) -> Focal:
    """Focal sets of values: equal sets have one mass (campagner2022 eq. 8)."""
    if not all(sets):
        return Focal(low, high, masses, (), method)
    together: dict[tuple[float, ...], float] = {}
    names: dict[tuple[float, ...], tuple[float, ...]] = {}
    for values, mass in zip(sets, masses, strict=True):
        key = tuple(round(v, 11) for v in values)
        names.setdefault(key, values)
        together[key] = together.get(key, 0.0) + float(mass)
    ordered = sorted(together)
    return Focal(
        np.array([names[key][0] for key in ordered]),
        np.array([names[key][-1] for key in ordered]),
        np.array([together[key] for key in ordered]),
        tuple(names[key] for key in ordered),
    )


# --- bounds -----------------------------------------------------------------------------------------------


def _bounded(truth: Masses, found: Masses, task: Task) -> Answer:
    """Certified bounds: every focal clustering's completions are among those of the unions of focal sets.

    For a separable index a decision rule bounds each expectation from the other side.
    """
    unions = [(side.masses > 0) @ side.sets for side in (truth, found)]
    lower, upper, notes, cost = rough_ends(Groups.of(unions[0], unions[1]), replace(task, method="auto"))
    inner = (upper.high, lower.low)
    if task.index.coefficients is not None:
        low_rule, high_rule = closest_rule(truth, found, task)
        inner = (low_rule.mean, high_rule.mean)
        notes = [*notes, "inner bounds by decision rules, which pick a cluster from each focal set"]
    ends = ends_only(
        Quantity(lower.low, lower.low, max(inner[0], lower.low), BOUND),
        Quantity(upper.high, min(inner[1], upper.high), upper.high, BOUND),
    )
    words = "outer bounds by all clusters that any mass is on"
    return Answer(READING, "belief", ends, notes=(words, *notes), cost=cost)


# --- drawn focal clusterings ------------------------------------------------------------------------------


def _sampled(truth: Masses, found: Masses, task: Task) -> Answer:
    """Unbiased means of the ends of drawn focal clusterings, with control variates where there are some."""
    index, plan = task.index, task.plan
    is_small = truth.masses.size + found.masses.size <= MOST_RULE_CELLS
    rules = closest_rule(truth, found, task) if index.coefficients is not None and is_small else None
    cheap = replace(task, method="auto", most_nodes=NODES_PER_DRAW, report=lambda _done, _total: None)
    solve = remembered_ends(cheap)
    k, columns = truth.sets.shape[1], found.sets.shape[1]
    tables = ReachedTables(truth.sets, found.sets, index) if ReachedTables.fits(k, columns, index.n) else None
    gaps: list[Array] = []

    def draw(size: int) -> Array:
        picks = [draw_labels(side.masses, size, task.rng) for side in (truth, found)]
        ends = _ends_of_draws(truth, found, picks, task, tables, solve)
        if rules is not None:
            made = [pick[: len(ends)] for pick in picks]
            chosen = np.stack([_values_by_rule(rule, made, task) for rule in rules], axis=1)
            gaps.append(np.abs(chosen - ends[:, :2]))
        return ends

    at_once = 256 if task.budget.work_left > 256 * FOCAL_WORK else 16
    batch = int(np.clip((1 << 21) // max(index.n, 1), 1, at_once))
    drawn, is_enough = plan.run(draw, index.width, task.report, batch)
    known = ~np.isnan(drawn).any(axis=1)
    notes = [] if is_enough else ["stopped when the time was up"]
    if not known.all():
        notes.append(f"undefined for {int((~known).sum())} of {len(drawn)} drawn clusterings, left out")
    if not known.any():
        return nothing_known(READING, "belief", *notes)
    drawn = drawn[known]
    are_exact = np.array_equal(drawn[:, :2], drawn[:, 2:])
    if not are_exact:
        notes.append("the ends of some draws are certified bounds, not exact; the intervals allow for that")
    quantities = []
    for side, name in enumerate(("lower", "upper")):
        quantity, theorem = mean_end(drawn[:, side], drawn[:, side + 2], task)
        if rules is not None and are_exact and known.all() and index.width is not None:
            controlled = _controlled(rules[side], np.concatenate(gaps)[:, side], side, task)
            if controlled.high - controlled.low < quantity.high - quantity.low:
                quantity, theorem = controlled, "control variate, one-sided KL bound"
        quantities.append(quantity)
        notes.append(f"{name}: confidence {plan.confidence:g} by itself ({theorem})")
    focal = Focal(drawn[:, 0], drawn[:, 1], np.full(len(drawn), 1.0 / len(drawn)), (), SAMPLED)
    return Answer(READING, "belief", ends_only(*quantities), None, focal, tuple(notes), {"draws": known.size})


def _controlled(rule: Rule, gaps: Array, side: int, task: Task) -> Quantity:
    """The closed form of a decision rule, less the mean gap between rule and end.

    A rule picks one cluster from each focal set, so its value is never beyond the end: the gap is one-sided,
    and the interval reaches from the closed form to the KL (Chernoff) limit of the mean gap.
    """
    width = task.index.width
    assert width is not None
    outwards = -1.0 if side == 0 else 1.0
    limit = width * kl_upper_limit(float(gaps.mean()) / width, len(gaps), task.plan.confidence)
    least, most = task.index.range or (-math.inf, math.inf)
    low, high = np.clip(sorted((rule.mean, rule.mean + outwards * limit)), least, most)
    value = float(np.clip(rule.mean + outwards * float(gaps.mean()), least, most))
    return Quantity(value, float(low), float(high), SAMPLED)


def _values_by_rule(rule: Rule, picks: list[Array], task: Task) -> Array:
    """The index on the hard clusterings that a rule makes of drawn focal sets."""
    objects = np.arange(picks[0].shape[1])
    labels = (choice[objects, pick] for choice, pick in zip((rule.truth, rule.found), picks, strict=True))
    return task.index.on_tables(tables_of(next(labels), next(labels), rule.shape))


def _ends_of_draws(
    truth: Masses,
    found: Masses,
    picks: list[Array],
    task: Task,
    tables: ReachedTables | None,
    solve: Callable[[Groups], Ends],
) -> Array:
    """For each draw lower and upper end as certified outwards, then as attained: ``(s, 4)``.

    Less draws where there is nothing left to spend, one at least.
    """
    ends = None
    if (found.sets.sum(axis=1)[picks[1]] == 1).all():
        ends = _ends_against_hard(truth, found, picks, task, tables, soft_is_truth=True)
    elif (truth.sets.sum(axis=1)[picks[0]] == 1).all():
        ends = _ends_against_hard(found, truth, picks[::-1], task, tables, soft_is_truth=False)
    if ends is not None:
        return np.concatenate([ends, ends], axis=1)
    solved = np.zeros(len(picks[0]), dtype=bool)
    ends = np.full((len(solved), 2), np.nan)
    if tables is not None:
        ends, solved = tables.ends(picks[0], picks[1], task.budget)
    both = np.concatenate([ends, ends], axis=1)
    for place in np.flatnonzero(~solved):
        if place and task.budget.is_over:
            return both[:place]
        lower, upper = solve(Groups.of(truth.sets[picks[0][place]], found.sets[picks[1][place]]))[:2]
        both[place] = lower.low, upper.high, lower.high, upper.low
    return both


def _ends_against_hard(
    soft: Masses,
    hard: Masses,
    picks: list[Array],
    task: Task,
    tables: ReachedTables | None,
    *,
    soft_is_truth: bool,
) -> Array | None:
    """Exact ends of all draws at once, for draws of moderate size and an index that depends on sums."""
    index, c = task.index, task.index.coefficients
    if soft.sets.shape[1] > MOST_ROWS:
        return None
    labels = hard.sets.argmax(axis=1)[picks[1]]
    inside = counts_inside(soft.sets[picks[0]], labels, hard.sets.shape[1])
    if index.entry.name == PARTITION_DISTANCE:
        matched = hard_matching_ends(inside)
        task.budget.spend(DRAW_WORK * len(inside))
        return None if matched is None else 1.0 - matched[:, ::-1] / index.n
    if not index.entry.given_sizes or (c is None and tables is not None and tables.reaches_all):
        return None
    steps = max(steps_for_ends(draw) for draw in inside[:8])
    if steps > MOST_STEPS_PER_DRAW:
        return None
    task.budget.spend((DRAW_WORK + steps / STEPS_PER_WORK) * len(inside))
    if c is None and index.table_work:
        return None
    if c is None:
        ends, n_vectors = _ends_by_sizes(inside, index, soft_is_truth=soft_is_truth)
        task.budget.spend(n_vectors)
        return ends
    own, other = (c.rows, c.columns) if soft_is_truth else (c.columns, c.rows)
    ends = separable_ends(inside, index.entry.given_sizes, own, c.cells)
    constant = c.constant + other * index.phi(inside[:, :, -1]).sum(axis=1)
    return np.asarray(ends + constant[:, None])


def _ends_by_sizes(inside: Array, index: TableIndex, *, soft_is_truth: bool) -> tuple[Array, int]:
    """Exact ends of each draw: from those of the sum over cells, for all sizes that can occur (how many)."""
    ends, last, n_vectors = multiset_ends(inside, index.entry.given_sizes)
    first = np.concatenate([[0], last[:-1]])
    hard = np.repeat(inside[:, :, -1], np.diff(last, prepend=0), axis=0)
    sizes = (ends.sizes, hard) if soft_is_truth else (hard, ends.sizes)
    values = [index.on_sums(*sizes, sums) for sums in (ends.least, ends.most)]
    # fmin and fmax leave undefined values out
    low, high = np.fmin.reduceat(np.fmin(*values), first), np.fmax.reduceat(np.fmax(*values), first)
    return np.stack([low, high], axis=1), n_vectors


# --- nested sampling, as in the paper ---------------------------------------------------------------------


def _nested(truth: Masses, found: Masses, task: Task) -> Answer:
    """Means of the smallest and largest value over a few completions of each drawn focal clustering."""
    index = task.index

    def draw(size: int) -> Array:
        ends = np.empty((size, 2))
        for i in range(size):
            sides = []
            for side in (truth, found):
                possible = side.sets[draw_labels(side.masses, 1, task.rng)[0]]
                sides.append(possible / possible.sum(axis=1, keepdims=True))
            values = index.on_tables(draw_tables(sides[0], sides[1], task.n_inner, task.rng))
            ends[i] = (np.nan, np.nan) if np.isnan(values).all() else (np.nanmin(values), np.nanmax(values))
        return ends

    drawn, _ = task.plan.run(draw, index.width, task.report, 64)
    known = ~np.isnan(drawn).any(axis=1)
    quantities = [
        Quantity(float(drawn[known, s].mean()), math.nan, math.nan, SAMPLED)
        if known.any()
        else Quantity.undefined()
        for s in (0, 1)
    ]
    notes = (
        f"nested sampling as in campagner2022: {task.n_inner} completions of each drawn clustering",
        (
            "biased: lower is overestimated and upper underestimated at any number of draws, since the least "
            'of some completions is never below the true end; method="sample" solves each draw exactly'
        ),
    )
    cost = {"draws": len(drawn), "completions": len(drawn) * task.n_inner}
    return Answer(READING, "belief", ends_only(*quantities), None, None, notes, cost)
