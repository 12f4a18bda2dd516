"""Fuzzy clusterings: an index as a random variable, objects and sides drawn independently."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.arrays.chunked import Chunked
from partita.distributional.laws import law_of
from partita.distributional.outcomes import BOUND, EXACT, SAMPLED, Law, Quantity
from partita.distributional.rough import rough_ends
from partita.distributional.sampling import draw_tables, normal_half_width
from partita.distributional.solvers.groups import Groups
from partita.distributional.solvers.pair_moments import expected_squares, variance_of_squares
from partita.distributional.solvers.poisson_binomial import expected_matching, expected_sums
from partita.distributional.table_index import PARTITION_DISTANCE
from partita.distributional.tasks import Answer, Task, too_large
from partita.errors import Phrase, Setting, TooLargeError

READING = "probability: objects, and the two sides, are drawn independently by their memberships"

LAW_DRAWS = 2000
MOST_LAW_LABELS = 1e7
"""Draws, and labels in them, to show a law beside a mean that is known without it."""

MOST_CONTROL_CELLS = 1e7
"""Products of memberships from which the means of entropy sums are computed as control variates."""


def fuzzy(truth: Array, found: Array, task: Task) -> Answer:
    """The law, mean and deviation of an index between ``(n, k)`` and ``(n, k')`` memberships."""
    law, mean, std, notes = None, Quantity.undefined(), Quantity.undefined(), []
    if task.method != "sample":
        mean, std = closed_form(truth, found, task) if _is_affordable(truth, found, task) else (mean, std)
        if (task.want_law or not _is_exact(mean)) and task.has_time_for_law:
            law = law_of(truth, found, task.index, "sum", 0.0 if task.method == "exact" else task.drop)
        if law is not None:
            by_law = _moments(law, task)
            mean = mean if _is_exact(mean) else by_law[0]
            # the closed form of a variance near 0 is mostly rounding; a whole law has none
            std = by_law[1] if not law.dropped or not _is_exact(std) else std
    if law is None and task.method == "bound" and math.isnan(mean.value):
        mean = _between_ends(truth, found, task)
        notes.append("the mean lies between the ends over all clusters of positive membership")
    if law is None and task.method == "exact" and not _is_exact(mean):
        raise out_of_reach(task, truth, found)
    cost = {} if law is None else {"values": len(law.support)}
    if law is None and task.allows_samples and (task.want_law or not _is_exact(mean)):
        if _is_known(mean, task):
            values, how = _drawn_for_law(truth, found, task)
        else:
            values, sampled, how = _sampled(truth, found, task)
            mean = _both(mean, sampled)
        if len(values):
            law = Law.drawn(values, "probability")
            std = std if _is_exact(std) else Quantity(law.std, math.nan, math.nan, SAMPLED)
            cost["draws"] = len(values)
        notes.append(how)
    notes = [*(law_notes(law) if law else []), *notes]
    return Answer(
        READING,
        "probability",
        {"lower": mean, "upper": mean, "mean": mean, "std": std},
        law,
        None,
        tuple(notes),
        cost,
    )


def fuzzy_in_chunks(truth: Chunked, found: Chunked, task: Task) -> Answer:
    """Mean and deviation of an index between memberships in chunks: sums over objects, where these do.

    Whatever else there is looks at all objects at once, and is refused.
    """
    index = task.index
    is_of_pairs = index.coefficients is not None and index.entry.given_sizes == "squares"
    if task.method in ("sample", "nested") or not is_of_pairs:
        raise TooLargeError(
            f"the distribution of {index.entry.label} looks at all objects at once, and they lie in chunks.",
            got=f"{len(truth)} objects in {len(truth.chunks)} chunks, method={task.method!r}",
            need="the mean and the deviation of an index that is a sum over pairs, such as rand and mirkin",
            fix=Phrase(
                Setting("index", "rand"), "; or .compute() on a sample of the rows, which has every method"
            ),
        )
    mean, std = closed_form(truth, found, task)
    notes = ("the law is not worked out for objects in chunks",) if task.want_law else ()
    quantities = {"lower": mean, "upper": mean, "mean": mean, "std": std}
    return Answer(READING, "probability", quantities, notes=notes)


def _between_ends(truth: Array, found: Array, task: Task) -> Quantity:
    """The mean, between the ends over all hard clusterings that are possible at all."""
    lower, upper, _, _ = rough_ends(Groups.of(truth > 0, found > 0), replace(task, method="auto"))
    return Quantity((lower.low + upper.high) / 2.0, lower.low, upper.high, BOUND)


def _is_affordable(truth: Array, found: Array, task: Task) -> bool:
    """Whether closed forms, which cannot be interrupted, fit into the time that is left."""
    laws = 1 if task.index.entry.given_sizes == "squares" else truth.shape[1] + found.shape[1]
    return bool(truth.size * found.shape[1] * laws * 1e-8 < task.budget.seconds_left)


def _is_known(mean: Quantity, task: Task) -> bool:
    """Whether a closed form says enough about the mean."""
    return not math.isnan(mean.value) and mean.high - mean.low <= 2.0 * task.plan.epsilon


def _drawn_for_law(truth: Array, found: Array, task: Task) -> tuple[Array, str]:
    """Values on drawn clusterings, to show a law beside a mean that is known; none where that takes long."""
    size = LAW_DRAWS if task.plan.n_samples == "auto" else int(task.plan.n_samples)
    if task.index.n * size > MOST_LAW_LABELS and task.plan.n_samples == "auto":
        return np.zeros(0), "the law is not worked out for so many objects; n_samples= draws it"
    values = task.index.on_tables(draw_tables(truth, found, size, task.rng))
    return values, f"the law is sampled, {size} draws; the mean is not"


def _is_exact(quantity: Quantity) -> bool:
    return quantity.method == EXACT and not math.isnan(quantity.value)


def out_of_reach(task: Task, truth: Array, found: Array) -> Exception:
    """The error where neither a law nor a closed form is at hand."""
    n, index = len(truth), task.index
    draws = task.plan.most_draws(index.width)
    return too_large(
        task,
        f"{n} objects with up to {truth.shape[1]} x {found.shape[1]} cells each",
        Phrase(
            Setting("method", "sample"),
            f": at most {draws:,} draws of {n:,} objects for +-{task.plan.epsilon:g}",
        ),
        Phrase(Setting("index", "rand"), ' or "variation_of_information", whose means have a closed form'),
    )


# --- closed forms -----------------------------------------------------------------------------------------


def closed_form(truth: Any, found: Any, task: Task) -> tuple[Quantity, Quantity]:
    """Mean and deviation without counting tables; undefined where there is no such form."""
    index, nothing = task.index, Quantity.undefined()
    c = index.coefficients
    if c is not None and index.entry.given_sizes == "squares":
        mean = Quantity.exact(float(c.value(*expected_squares(truth, found))))
        return mean, Quantity.exact(math.sqrt(variance_of_squares(truth, found, c.weights)))
    if c is not None:
        return Quantity.exact(float(c.value(*expected_sums(truth, found, index.phi, task.report)))), nothing
    if index.entry.name == PARTITION_DISTANCE:
        least, most = (1.0 - matched / index.n for matched in reversed(expected_matching(truth, found)))
        return Quantity((least + most) / 2.0, least, most, BOUND), nothing
    return nothing, nothing


def _moments(law: Law, task: Task) -> tuple[Quantity, Quantity]:
    """Mean and deviation of a law; what was dropped may lie anywhere in the index's range."""
    if not law.dropped:
        return Quantity.exact(law.mean), Quantity.exact(law.std)
    lost, ends = law.dropped, task.index.range
    if ends is None:
        return Quantity(law.mean, math.nan, math.nan, BOUND), Quantity(law.std, math.nan, math.nan, BOUND)
    first, second = (float(law.weights @ law.support**p) for p in (1, 2))
    low, high = first + lost * ends[0], first + lost * ends[1]
    extra = lost * max(end * end for end in ends)
    variances = (
        second - max(low * low, high * high),
        second + extra - (0.0 if low < 0 < high else min(low * low, high * high)),
    )
    mean = Quantity(law.mean, min(low, law.mean), max(high, law.mean), BOUND)
    least, most = (math.sqrt(max(v, 0.0)) for v in variances)
    return mean, Quantity(law.std, min(least, law.std), max(most, law.std), BOUND)


def law_notes(law: Law) -> list[str]:
    """What a reader of a law must know."""
    notes = []
    if law.dropped:
        notes.append(f"values of total probability {law.dropped:.2g} were left away")
    if law.undefined:
        notes.append(f"undefined with {law.measure} {law.undefined:.4g}, and left out there")
    return notes


# --- sampling ---------------------------------------------------------------------------------------------


def _sampled(truth: Array, found: Array, task: Task) -> tuple[Array, Quantity, str]:
    """Values on drawn clusterings, their mean with what is sure about it, and how."""
    index, plan = task.index, task.plan
    controls: list[Array] = []
    means = _control_means(truth, found, task)

    def draw(size: int) -> Array:
        tables = draw_tables(truth, found, size, task.rng)
        if means is not None:
            margins = tables.sum(axis=2), tables.sum(axis=1), tables.reshape(size, -1)
            controls.append(np.stack([index.phi(m).sum(axis=1) for m in margins], axis=1))
        return index.on_tables(tables)[:, None]

    batch = int(np.clip((1 << 22) // max(index.n, 1), 1, 4096))
    values, is_enough = plan.run(draw, index.width, task.report, batch)
    value = values[:, 0]
    known = ~np.isnan(value)
    if not known.any():
        return value, Quantity.undefined(), "no drawn clustering has a value"
    half, theorem = plan.half_width(value[known], index.width)
    mean = float(value[known].mean())
    low, high = index.range or (-math.inf, math.inf)
    low, high = max(mean - half, low), min(mean + half, high)
    end = "" if is_enough else "; stopped before that was near enough"
    how = f"mean within {half:.2g} with confidence {plan.confidence:g} ({theorem}){end}"
    if means is not None and known.all() and len(value) > 30:
        # a better guess, but the interval stays the one that holds for any number of draws
        better = _with_controls(value, np.concatenate(controls), means)
        mean = float(np.clip(better.mean(), low, high))
        how += f"; control variates guess it to {normal_half_width(better, plan.confidence):.1g}"
    return value, Quantity(mean, low, high, SAMPLED), how


def _control_means(truth: Array, found: Array, task: Task) -> Array | None:
    """The means of the sums over rows, columns and cells, for an index that depends on them."""
    index = task.index
    if index.entry.given_sizes == "squares":
        return np.array(expected_squares(truth, found))
    if index.entry.given_sizes and truth.size * found.shape[1] <= MOST_CONTROL_CELLS:
        return np.array(expected_sums(truth, found, index.phi))
    return None


def _with_controls(values: Array, controls: Array, means: Array) -> Array:
    """The draws less what their control variates explain.

    Coefficients are fitted on the same draws: a bias of order 1 / draws, small beside the interval.
    """
    centred = controls - means
    varying = centred.std(axis=0) > 1e-12 * np.abs(means)
    if not varying.any():
        return values
    spread = controls[:, varying] - controls[:, varying].mean(axis=0)
    slope, *_ = np.linalg.lstsq(spread, values - values.mean(), rcond=None)
    return np.asarray(values - centred[:, varying] @ slope)


def _both(known: Quantity, sampled: Quantity) -> Quantity:
    """What two statements about one number say together: an exact one wins, a certified one narrows."""
    if math.isnan(known.value):
        return sampled
    if known.method == EXACT or math.isnan(sampled.value):
        return known
    low, high = max(known.low, sampled.low), min(known.high, sampled.high)
    if low > high:  # the sample missed, which happens once in a while
        return known
    return Quantity(float(np.clip(sampled.value, low, high)), low, high, SAMPLED)
