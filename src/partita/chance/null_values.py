"""Values of an index under a null model: their mean and spread, and the observed value beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from partita.arrays import Array, Floats
from partita.chance.expectations import ENUMERATED, MONTE_CARLO, Expectation
from partita.registry import Index

SAME = 1e-9
"""Values that differ by less, relative to 1 or to themselves, are ties: rounding never makes a p smaller."""


@dataclass(frozen=True)
class Summary:
    """Mean and spread of values under a model."""

    mean: float
    spread: float
    expectation: Expectation | None


def summarise(values: Floats, times: Array, *, is_enumerated: bool) -> Summary:
    """Of those values that there are, each as often as it counts."""
    known = ~np.isnan(values)
    count = float(times[known].sum())
    if count == 0.0:
        return Summary(math.nan, math.nan, None)
    x, w = values[known], times[known] / count
    mean = float(w @ x)
    variance = float(w @ np.square(x - mean))
    if is_enumerated:
        return Summary(mean, math.sqrt(variance), Expectation(mean, 0.0, ENUMERATED))
    spread = math.sqrt(variance * count / (count - 1.0)) if count > 1.0 else math.nan
    return Summary(mean, spread, Expectation(mean, spread / math.sqrt(count), MONTE_CARLO))


def said_of_missing(values: Floats, times: Array) -> list[str]:
    """What to say of draws in which the index has no value."""
    missing = int(times[np.isnan(values)].sum())
    every = int(times.sum())
    if not missing:
        return []
    if missing == every:
        return ["no value in any of the draws"]
    return [f"no value in {missing} of {every} draws: left out of the mean, and counted as hits"]


def p_value(
    entry: Index, value: float, values: Floats, times: Array, *, is_enumerated: bool
) -> tuple[float, str]:
    """How likely a value at least as good is, and why there is none."""
    if entry.direction == "none":
        return math.nan, "no p: the index only describes, and has no better or worse"
    if math.isnan(value):
        return math.nan, ""
    near = SAME * max(1.0, abs(value))
    with np.errstate(invalid="ignore"):
        as_good = values >= value - near if entry.direction == "higher" else values <= value + near
    hits, every = int(times[as_good | np.isnan(values)].sum()), int(times.sum())
    return (hits / every if is_enumerated else (1 + hits) / (1 + every)), ""


def adjusted_value(value: float, expected: float, best: float) -> tuple[float, str]:
    """(value - expected) / (best - expected), and why there is none.

    0/0, where every clustering that the model draws is as good as can be: 1 if the value is the best one too.
    """
    if math.isnan(best):
        return math.nan, "not adjusted: the index only describes, and has no best value"
    if math.isinf(best):
        return math.nan, "not adjusted: the largest value that the index can have is not known"
    if math.isnan(value) or math.isnan(expected):
        return math.nan, ""
    near = SAME * max(1.0, abs(best)) * 1e-3
    if abs(best - expected) <= near:
        if abs(value - best) <= near:
            return 1.0, ""
        return math.nan, "not adjusted: chance alone is as good as can be"
    return (value - expected) / (best - expected), ""
