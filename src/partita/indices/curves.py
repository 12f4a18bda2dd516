"""Indices of a curve over k: they look at neighbouring numbers of clusters, or at the whole curve.

Each takes the numbers of clusters, the values of an index there, and the size of the data, and gives a value
for each number of clusters, with a reason where there is none.
"""

from __future__ import annotations

import math

import numpy as np

from partita.registry import Array, Floats
from partita.registry.curves import CurveExample, curve

NOISE = 1e-12
"""A difference of two numbers that is no larger than this share of them is rounding."""

HUGE = 1e300
"""Powers beyond this are not formed."""


def _at(ks: Array, values: Floats, wanted: Array) -> Floats:
    """The values at other numbers of clusters; nan where the curve has none."""
    known = dict(zip(ks.tolist(), values.tolist(), strict=True))
    return np.array([known.get(k, math.nan) for k in wanted.tolist()])


def _missing(ks: Array, values: Floats, shifts: tuple[int, ...], of: str) -> list[str]:
    """For each k the reason why it cannot be judged: the first neighbour without a value."""
    reasons = [""] * ks.size
    for shift in reversed(shifts):
        for i in np.flatnonzero(~np.isfinite(_at(ks, values, ks + shift))):
            k = int(ks[i]) + shift
            known = k in ks
            reasons[i] = f"{of} is {values[ks == k][0]:g} at k = {k}" if known else f"needs {of} at k = {k}"
    return reasons


def _explain(reasons: list[str], where: Array, reason: str) -> None:
    """Give this reason where it holds and there is none yet."""
    for i in np.flatnonzero(where):
        reasons[i] = reasons[i] or reason


@curve(
    title="Hartigan's ratio",
    of="ssw",
    rule="at_most_10",
    references=["hartigan1975", "franti2017"],
    formula=r"\left(\frac{SSW_k}{SSW_{k+1}} - 1\right) (n - k - 1)",
    examples=[
        CurveExample(
            (1, 2, 3),
            (90.0, 20.0, 16.0),
            50,
            2,
            (168.0, 11.75, math.nan),
            source="by hand: (90 / 20 - 1) * 48, (20 / 16 - 1) * 47",
        )
    ],
)
def hartigan(ks: Array, values: Floats, n: float) -> tuple[Floats, list[str]]:
    """Whether one cluster more would pay: the smallest k with a value of at most 10 is chosen.

    It is about an F statistic for the split of one of the k clusters in two.

    Pitfalls
    --------
    The 10 is a rule of thumb; with many objects nearly every split passes it. It needs SSW at k + 1 too.

    Examples
    --------
    >>> hartigan([1, 2, 3], [90, 20, 16], n=50, d=2).values
    array([168.  ,  11.75,    nan])
    """
    following = _at(ks, values, ks + 1)
    made = (values / following - 1.0) * (n - ks - 1)
    reasons = _missing(ks, values, (0, 1), "ssw")
    nothing_left = following == 0
    open_end = nothing_left & (values > 0) & (n - ks - 1 > 0)
    _explain(reasons, open_end, "no scatter is left at k + 1")
    _explain(reasons, nothing_left, "no scatter is left at k + 1, and nothing to hold against it at k")
    made[nothing_left & ~open_end] = math.nan
    return made, reasons


@curve(
    title="Krzanowski-Lai index",
    of="ssw",
    rule="best",
    best=math.inf,
    references=["krzanowski1988", "franti2017"],
    formula=r"\left\lvert \frac{DIFF_k}{DIFF_{k+1}} \right\rvert, \quad"
    r" DIFF_k = (k - 1)^{2/d} SSW_{k-1} - k^{2/d} SSW_k",
    examples=[
        CurveExample(
            (1, 2, 3, 4),
            (90.0, 20.0, 15.0, 11.0),
            50,
            2,
            (math.nan, 10.0, 5.0, math.nan),
            source="by hand: DIFF = 90 - 40, 40 - 45, 45 - 44",
        )
    ],
)
def krzanowski_lai(ks: Array, values: Floats, d: int) -> tuple[Floats, list[str]]:
    """How much more the k-th cluster brings than the next one would; the largest value is chosen.

    Multiplied by k^(2/d) the scatter within clusters stays about the same for data without structure, so
    that its differences show the structure.

    Pitfalls
    --------
    Where the denominator happens to be near 0 it has a high and meaningless peak, and on long curves there
    nearly always is one: look at the curve. It needs SSW at k - 1 and k + 1, and says nothing about k = 1.

    Examples
    --------
    >>> krzanowski_lai([1, 2, 3, 4], [90, 20, 15, 11], n=50, d=2).values
    array([nan, 10.,  5., nan])
    """
    before, here, after = (_at(ks, values, ks + shift) * (ks + shift) ** (2.0 / d) for shift in (-1, 0, 1))
    made = np.abs((before - here) / (here - after))
    reasons = _missing(ks, values, (0, -1, 1), "ssw")
    for i in np.flatnonzero(ks == 1):
        reasons[i] = "there is nothing before k = 1"
    noise = np.abs(here - after) <= NOISE * np.maximum(here, after)
    _explain(reasons, noise, "the next cluster changes k^(2/d) ssw by nothing: a ratio to it is noise")
    made[[reason != "" for reason in reasons]] = math.nan
    return made, reasons


@curve(
    title="Jump of the transformed distortion",
    of="ssw",
    rule="best",
    best=math.inf,
    references=["sugar2003", "franti2017"],
    formula=r"\left(\frac{D_k}{D_1}\right)^{-Y} - \left(\frac{D_{k-1}}{D_1}\right)^{-Y}, \quad"
    r" D = \frac{SSW}{n d}, \quad Y = \frac{d}{2}, \quad D_0^{-Y} = 0",
    examples=[
        CurveExample(
            (1, 2, 3),
            (90.0, 15.0, 10.0),
            50,
            2,
            (1.0, 5.0, 3.0),
            source="by hand: 90 / 90, 90 / 15 - 1, 90 / 10 - 6",
        )
    ],
)
def jump(ks: Array, values: Floats, d: int) -> tuple[Floats, list[str]]:
    """By how much the k-th cluster raises the transformed distortion; the largest jump is chosen.

    The power Y = d/2 makes the transformed distortion grow in proportion to k once the clusters are split
    at random. Distortions are divided by that of the smallest k first (of the largest k when their powers
    would overflow), which changes no choice.

    Pitfalls
    --------
    With many features the power makes the last cluster win nearly always; features that depend on each other
    need a smaller power than d/2. Jumps can be compared on one curve only.

    Examples
    --------
    >>> jump([1, 2, 3], [90, 15, 10], n=50, d=2).values
    array([1., 5., 3.])
    """
    reasons = _missing(ks, values, (0, -1), "ssw")
    for i in np.flatnonzero((ks == 1) & np.isfinite(values)):
        reasons[i] = ""  # the distortion at k = 0 is infinite
    positive = values[np.isfinite(values) & (values > 0)]
    scale, smallest = (positive[0], positive.min()) if positive.size else (1.0, 1.0)
    overflows = 0.5 * d * math.log(scale / smallest) > math.log(HUGE)
    powers = (values / (smallest if overflows else scale)) ** (-0.5 * d)
    before = np.where(ks == 1, 0.0, _at(ks, powers, ks - 1))
    made = powers - before
    _explain(reasons, np.isinf(powers) & np.isfinite(before), "no scatter is left at k")
    _explain(reasons, np.isinf(before), "no scatter is left at k - 1 already")
    if overflows:
        _explain(
            reasons,
            np.isfinite(made),
            "divided by the smallest distortion: by that at the first k, it overflows",
        )
    return made, reasons


@curve(
    title="Second difference",
    of="bic_partition",
    rather_of=["bic"],
    rule="best",
    best=math.inf,
    references=["zhao2008", "franti2017"],
    formula=r"F_{k-1} + F_{k+1} - 2 F_k",
    examples=[
        CurveExample(
            (1, 2, 3, 4),
            (90.0, 20.0, 15.0, 11.0),
            50,
            2,
            (math.nan, 65.0, 1.0, math.nan),
            source="by hand: 90 + 15 - 40, 20 + 11 - 30",
        )
    ],
)
def second_difference(ks: Array, values: Floats) -> tuple[Floats, list[str]]:
    """How sharply a falling curve bends at k; the sharpest knee is chosen.

    The curve is one where lower is better: in `choose_k` the mixture's BIC if that is asked for too, else the
    BIC of the partition, or what ``second_difference:of=ssw`` names. (The literature has the BIC with the
    other sign, which rises, and takes the most negative second difference: the same k.)

    Pitfalls
    --------
    Most curves bend most at the smallest k. It says nothing about the first and the last k, and depends on
    the scale of the curve only by a factor.

    Examples
    --------
    >>> second_difference([1, 2, 3, 4], [90, 20, 15, 11], n=50, d=2).values
    array([nan, 65.,  1., nan])
    """
    made = _at(ks, values, ks - 1) + _at(ks, values, ks + 1) - 2.0 * values
    reasons = _missing(ks, values, (0, -1, 1), "the curve")
    made[[reason != "" for reason in reasons]] = math.nan
    return made, reasons


@curve(
    title="Angle of the knee",
    of="bic_partition",
    rather_of=["bic"],
    rule="best",
    best=0.0,
    references=["zhao2008", "franti2017"],
    formula=r"\arctan\frac{1}{\lvert F_k - F_{k-1} \rvert} + \arctan\frac{1}{\lvert F_{k+1} - F_k \rvert}",
    examples=[
        CurveExample(
            (1, 2, 3, 4, 5),
            (8.0, 7.0, 6.0, 7.0, 8.0),
            50,
            2,
            (math.nan, math.nan, math.pi / 2, math.nan, math.nan),
            source="by hand: two steps of 1 are two angles of 45 degrees",
        )
    ],
)
def angle(ks: Array, values: Floats) -> tuple[Floats, list[str]]:
    """How narrow the angle is that a curve makes at k, at its knees only; the first narrow one is chosen.

    Knees are the local maxima of `second_difference`. They are taken in the order of its size as long as
    their angles get narrower; the later ones have no value, so that the smallest value is the choice. The
    curve is the one that `second_difference` reads.

    This reading is unverified: the source that we have (franti2017) gives no formula, and the paper it cites
    was not at hand.

    Pitfalls
    --------
    An angle depends on the scale of the curve: the same data in other units, or twice as many objects, can
    have another choice.

    Examples
    --------
    >>> angle([1, 2, 3, 4, 5], [8, 7, 6, 7, 8], n=50, d=2).values.round(4)
    array([   nan,    nan, 1.5708,    nan,    nan])
    """
    bends, reasons = second_difference.function(ks, values)
    reasons = list(reasons)
    left, right = (np.abs(values - _at(ks, values, ks + shift)) for shift in (-1, 1))
    angles = np.arctan2(1.0, left) + np.arctan2(1.0, right)
    around = [np.nan_to_num(_at(ks, bends, ks + shift), nan=-math.inf) for shift in (-1, 1)]
    is_knee = np.isfinite(bends) & (bends > 0) & (bends >= around[0]) & (bends > around[1])
    made = np.full(ks.size, math.nan)
    narrowest = math.inf
    for i in sorted(np.flatnonzero(is_knee), key=lambda i: -bends[i]):
        if angles[i] >= narrowest:
            _explain(
                reasons, is_knee & np.isnan(made), "a sharper knee is followed by a wider one: it is chosen"
            )
            break
        narrowest = made[i] = angles[i]
    _explain(reasons, ~is_knee, "the curve has no knee here")
    return made, reasons


@curve(
    title="Gap statistic",
    of="ssw",
    rule="first_se_max",
    best=math.inf,
    references=["tibshirani2001"],
    formula=r"\frac{1}{B} \sum_b \log SSW_{kb}^{*} - \log SSW_k",
    examples=[
        CurveExample(
            (1, 2),
            (math.e, 1.0),
            50,
            2,
            (1.5, 1.0),
            source="by hand: (3 + 2) / 2 - 1, (1.5 + 0.5) / 2 - 0",
            null=((math.e**3, math.e**1.5), (math.e**2, math.e**0.5)),
        )
    ],
    needs_null=True,
)
def gap(ks: Array, values: Floats, null: Floats) -> tuple[Floats, list[str]]:
    """How much tighter the clusters are than those of data without structure, in logarithms of the scatter.

    The smallest k is chosen whose gap is within one standard error of the next one's (`gap_errors`), which
    can be k = 1: no structure.

    Pitfalls
    --------
    It depends on where data without structure would lie: here uniformly in a box along the principal axes.
    It is random; a few dozen null data sets settle it. The scatter is not pooled with the factor 1/2 of some
    authors, which cancels.

    Examples
    --------
    >>> gap([1, 2], [2.0, 1.0], n=50, d=2, null=[[2.0, 2.0], [2.0, 2.0]]).values.round(4)
    array([0.    , 0.6931])
    """
    reasons = _missing(ks, values, (0,), "ssw")
    made = np.log(null).mean(axis=0) - np.log(values)
    _explain(reasons, values == 0, "no scatter is left at k")
    _explain(reasons, (null == 0).any(axis=0), "data without structure had no scatter left at k")
    _explain(reasons, ~np.isfinite(made), "a fit of data without structure failed at k")
    return made, reasons


def gap_errors(null: Floats) -> Floats:
    """The standard errors of the gaps, with the null data sets' own sampling: sd sqrt(1 + 1 / B)."""
    with np.errstate(all="ignore"):
        spread: Floats = np.log(null).std(axis=0) * math.sqrt(1.0 + 1.0 / len(null))
    return np.nan_to_num(spread, nan=0.0, posinf=0.0)
