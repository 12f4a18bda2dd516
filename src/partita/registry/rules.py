"""Rules: from the values of an index over numbers of clusters to one number of clusters, or to none.

Each rule is one stated algorithm. Values are nan where the index has none; "no answer" is an answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.errors import ParameterError, near_names

__all__ = ["RULES", "Verdict", "apply_rule", "in_runs"]

WINDOW = 1.4
"""A knee compares slopes over this factor of k on either side."""

BEYOND = 1.15
"""How far, as a factor of k, a curve must go on beyond a knee."""

SHARP = 0.5
"""By what share a slope must lessen at a knee."""


@dataclass(frozen=True)
class Verdict:
    """The number of clusters that a rule chooses, or None, and why.

    Attributes
    ----------
    k : int or None
        The choice.
    reason : str
        In words, also where there is no choice.
    runner_up : int or None
        The next best number of clusters.
    difference : float
        By how much the choice is ahead of it, in what the rule compares; nan where nothing is compared.
    """

    k: int | None
    reason: str
    runner_up: int | None = None
    difference: float = math.nan


@dataclass(frozen=True)
class Heights:
    """A curve: values over numbers of clusters, which of them are better, and the best there can be."""

    ks: Array
    values: Floats
    direction: str
    best: float | None

    @property
    def gains(self) -> Floats:
        """The values so that higher is better."""
        if self.direction == "none":
            raise ParameterError("this rule needs a direction.", got="an index without a best value")
        return self.values if self.direction == "higher" else -self.values


def apply_rule(
    rule: str,
    ks: Sequence[int],
    values: Sequence[float],
    *,
    direction: str,
    best: float | None = None,
    **options: Any,
) -> Verdict:
    """What a rule makes of a curve.

    Parameters
    ----------
    rule : str
        One of `RULES`.
    ks : sequence of int
        Numbers of clusters, rising.
    values : sequence of float
        The value at each; nan where there is none.
    direction : {"higher", "lower", "none"}
        Which values are better.
    best : float or None
        The best value that the index can have, as its entry states it.
    options
        Those of the rule: ``errors`` for "first_se_max", ``threshold`` for "last_stable".

    Examples
    --------
    >>> apply_rule("best", [1, 2, 3], [0.25, 1.0, 0.5], direction="higher")
    Verdict(k=2, reason='the best value', runner_up=3, difference=0.5)
    """
    if rule not in RULES:
        raise near_names(rule, RULES, noun="rule")
    numbers, heights = np.asarray(ks, dtype=np.int64), np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or numbers.shape != heights.shape or (np.diff(numbers, prepend=0) <= 0).any():
        raise ParameterError(
            "a rule needs one value for each of rising numbers of clusters.",
            got=f"{numbers.size} numbers of clusters and {heights.size} values",
        )
    for option, value in options.items():
        if np.ndim(value) and np.shape(value) != numbers.shape:
            raise ParameterError(f"{option} are not one for each k.", got=f"shape {np.shape(value)}")
    known = np.isfinite(heights)
    if not known.any():
        return Verdict(None, "it has no value at any k")
    curve = Heights(numbers[known], heights[known], direction, best)
    with np.errstate(over="ignore", invalid="ignore"):  # differences beyond the largest number are infinite
        return RULES[rule](curve, **{option: _kept(value, known) for option, value in options.items()})


def _kept(option: Any, known: Array) -> Any:
    return np.asarray(option)[known] if np.ndim(option) == 1 else option


def _ahead(ks: Array, gains: Floats, reason: str) -> Verdict:
    """The k of the largest gain, the smallest of equals."""
    order = np.argsort(-gains, kind="stable")
    if len(ks) == 1:
        return Verdict(int(ks[0]), f"{reason}; there was nothing to compare it with")
    first, second = order[0], order[1]
    return Verdict(int(ks[first]), reason, int(ks[second]), float(gains[first] - gains[second]))


def best_value(curve: Heights) -> Verdict:
    """The k with the best value; the smallest of equals."""
    return _ahead(curve.ks, curve.gains, "the best value")


def first_max(curve: Heights) -> Verdict:
    """The smallest k that is better than the next one and no worse than the one before.

    None if the values get no worse up to the last k.
    """
    ks, gains = curve.ks, curve.gains
    for i in range(len(ks) - 1):
        if gains[i] > gains[i + 1] and (i == 0 or gains[i] >= gains[i - 1]):
            after = ks[i + 1]
            return Verdict(int(ks[i]), "the first local best", int(after), float(gains[i] - gains[i + 1]))
    return Verdict(None, "it gets no worse up to the largest k")


def knee(curve: Heights) -> Verdict:
    """Where a curve that goes on improving stops to do so at its pace; None if it does so nowhere.

    The curve is drawn against log k: the logarithm of what is missing to the best value where that is
    finite, the value itself where it is not. Without structure such curves are about straight. At each k the
    slope up to it is compared with the slope after it, twice: over the steps next to it, and over a window,
    from k / 1.4 and to 1.4 k (at least one step on either side, the curve going on to 1.15 k). The smaller of
    the two shares by which the slope lessens counts, and the knee is where it is largest, if it is at least
    one half.

    Both are needed. A single step is noisy: in data without structure some step is always followed by one of
    half its size. And a window still holds the drop one k later, so that beyond a steep drop, where the
    curve is flat, the window's slope lessens by more than at the drop itself.
    """
    ks, heights = curve.ks, curve.gains
    if curve.best is not None and math.isfinite(curve.best):
        missing = np.abs(curve.values - curve.best)
        ks, heights = ks[missing > 0], -np.log(missing[missing > 0])
    strengths = np.array([_bend(ks, heights, i) for i in range(len(ks))])
    judged = np.isfinite(strengths)
    if not judged.any():
        return Verdict(None, "no knee: too few numbers of clusters to see one, or no improvement")
    found = _ahead(ks[judged], strengths[judged], "the sharpest knee")
    if strengths[judged].max() < SHARP:
        return Verdict(None, f"no knee: the slope lessens by at most {max(strengths[judged].max(), 0):.0%}")
    return found


def _bend(ks: Array, heights: Floats, i: int) -> float:
    """By what share the slope lessens at the i-th k; nan where that cannot be seen."""
    k = ks[i]
    if i == 0 or i == len(ks) - 1 or BEYOND * k > max(ks[-1], k + 1):
        return math.nan
    left = max(int(np.searchsorted(ks, min(k - 1, math.floor(k / WINDOW)), side="right")) - 1, 0)
    right = min(int(np.searchsorted(ks, max(k + 1, math.ceil(k * WINDOW)))), len(ks) - 1)

    def lessens(start: int, end: int) -> float:
        before = (heights[i] - heights[start]) / math.log(k / ks[start])
        after = (heights[end] - heights[i]) / math.log(ks[end] / k)
        return float(1.0 - after / before) if before > 0 else math.nan

    return float(np.minimum(lessens(left, right), lessens(i - 1, i + 1)))  # nan if either is


def largest_drop(curve: Heights) -> Verdict:
    """The k that improves most on the number of clusters before it; None if none does."""
    gains = np.diff(curve.gains)
    if not gains.size or gains.max() <= 0:
        return Verdict(None, "no k improves on the one before it")
    return _ahead(curve.ks[1:], gains, "the largest improvement on the k before")


def at_most_10(curve: Heights) -> Verdict:
    """The smallest k with a value of at most 10 (Hartigan); None if all are above."""
    small = np.flatnonzero(curve.values <= 10.0)
    if not small.size:
        return Verdict(None, "every value is above 10: more clusters would pay")
    return Verdict(int(curve.ks[small[0]]), "the first value of at most 10")


def first_se_max(curve: Heights, *, errors: Floats | None = None) -> Verdict:
    """The smallest k within one standard error (none given: 0) of the next one's value (Tibshirani 2001).

    None if the values rise by more up to the last k.
    """
    ks, gains = curve.ks, curve.gains
    for i in range(len(ks) - 1):
        slack = float(gains[i] - gains[i + 1] + (0.0 if errors is None else errors[i + 1]))
        if slack >= 0:
            reason = "the first k within one standard error of the next"
            return Verdict(int(ks[i]), reason, int(ks[i + 1]), slack)
    return Verdict(None, "it rises by more than a standard error up to the largest k")


def last_stable(curve: Heights, *, threshold: float = 0.9) -> Verdict:
    """The largest k whose value is at least as good as a threshold; None if none is (franti2017 part IV).

    The reason names all k that are, in runs: what speaks for a k that stands alone after a gap is less than
    for the end of an unbroken run, though in data with clear clusters the true k often stands alone. Where
    the largest k of all is stable, larger ones may be too.
    """
    gains = curve.gains
    limit = threshold if curve.direction == "higher" else -threshold
    stable = np.flatnonzero(gains >= limit - 1e-12)
    if not stable.size:
        return Verdict(None, f"no k reaches {threshold:g}")
    last = stable[-1]
    reached = f"reached by {in_runs(curve.ks[stable].tolist())}" if stable.size > 1 else "reached by no other"
    reason = f"the last k that reaches {threshold:g}; {reached}"
    return Verdict(int(curve.ks[last]), reason, None, float(gains[last] - limit))


def in_runs(numbers: Sequence[int]) -> str:
    """Rising whole numbers with neighbours drawn together: ``2, 4 to 6, 15``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run))  # two are no range
        for run in runs
    ]
    return ", ".join(parts)


RULES: dict[str, Callable[..., Verdict]] = {
    "best": best_value,
    "first_max": first_max,
    "knee": knee,
    "largest_drop": largest_drop,
    "at_most_10": at_most_10,
    "first_se_max": first_se_max,
    "last_stable": last_stable,
}
