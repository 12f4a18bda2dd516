"""Indices that count pairs of objects (franti2017 part VI), on hard and soft tables alike."""

from __future__ import annotations

import math

import numpy as np

from partita.indices.pair_counts import COASSOCIATION, RAND_FOUND, RAND_TRUTH
from partita.registry import (
    ALL,
    FUZZY,
    HARD,
    POSSIBILISTIC,
    SOFT,
    Array,
    Example,
    Floats,
    Limit,
    Literal,
    bound,
    index,
)
from partita.statistics import Contingency

Pairs = Literal["distinct", "ordered"]

_FUZZY_SELF = Example([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]])
_TYPICALITIES = [[1.0, 0.2], [0.9, 0.1], [0.1, 1.0], [0.3, 0.9]]
NOT_REFLEXIVE = {
    FUZZY: _FUZZY_SELF,
    POSSIBILISTIC: Example(_TYPICALITIES, _TYPICALITIES, kind=POSSIBILISTIC),
}
SCALED_TYPICALITIES = Example(
    [[0.5, 0.0], [0.5, 0.0], [0.0, 1.0], [0.0, 1.0]],
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]],
    kind=POSSIBILISTIC,
)
BY_CHANCE = {"zero_by_chance": {HARD: Example([0, 0, 0, 1, 1], [0, 0, 0, 1, 1])}}
UNBOUNDED = {SOFT: "soft: no known lower end (bounded: coassociation_rand_distance)"}


def _one_object(t: Contingency) -> Array:
    """One object, in one cluster on both sides."""
    return np.asarray((t.n <= 1) & (t.is_whole | _both_constant(t)))


def _both_constant(t: Contingency) -> Array:
    return np.asarray((t.n_rows <= 1) & (t.n_columns <= 1))


def _no_pairs(t: Contingency) -> Array:
    return np.asarray(t.n <= 1)


def _too_soft(t: Contingency) -> Array:
    """Fractional cells below one object count as less than no pair (0 up to rounding included)."""
    a, b, c, _ = t.pairs
    nothing = 1e-9 * t.n
    return np.asarray(~t.is_whole & ((a + b <= nothing) | (a + c <= nothing)))


def _nothing(t: Contingency) -> Array:
    """How many pairs are none: up to rounding, where memberships are multiplied."""
    return np.asarray((0.0 if t.kinds == (HARD, HARD) else 1e-12) * np.abs(sum(t.pairs)))


def _identical(t: Contingency) -> Array:
    _, b, c, d = t.pairs
    all_together = (c + d <= _nothing(t)) & (b + d <= _nothing(t)) & ~_no_pairs(t)
    return np.asarray(_both_constant(t) | all_together | (t.is_whole & (b == 0) & (c == 0)))


def _trivial(t: Contingency) -> Array:
    """All objects together, or each on its own, on at least one side."""
    a, b, c, d = t.pairs
    one_cluster = (t.n_rows <= 1) | (t.n_columns <= 1)
    return np.asarray(one_cluster | (np.minimum.reduce([a + b, a + c, c + d, b + d]) <= _nothing(t)))


def _same_and_trivial(t: Contingency) -> Array:
    return _identical(t) & _trivial(t)


TOO_SOFT = Limit(
    _too_soft,
    math.nan,
    "memberships too soft for n: fewer expected pairs than self-pairs (see coassociation_rand_distance)",
)
TRIVIAL = "both clusterings are the same trivial one (all together, or each object on its own)"
SAME = Limit(_same_and_trivial, 1.0, TRIVIAL)
ONE_OBJECT = "there is only one object, and so no pair"
NO_PAIR = "there is no pair of objects to be soft about"
ONE = Limit(_one_object, 1.0, ONE_OBJECT)


def _lowest_soft_rand(t: Contingency, *, pairs: str) -> Array:
    # both counts of agreement are at least -n / 2 in all, out of n (n - 1) / 2
    return np.asarray(0.0 if pairs == "ordered" else -1.0 / np.maximum(t.n - 1.0, 1e-300))


@index(
    symbol="RI",
    title="Rand index",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    separable=True,
    best=1.0,
    range={HARD: (0.0, 1.0), SOFT: (bound("-1 / (n - 1)", _lowest_soft_rand), 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": {HARD, FUZZY},
        "triangle": {HARD, FUZZY},
        "normalized": HARD,
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        "separating": {POSSIBILISTIC: SCALED_TYPICALITIES},
        "normalized": {FUZZY: Example([[0.99, 0.01]] * 2, [[0.1] * 10] * 2)},
        **BY_CHANCE,
    },
    limits=[
        ONE,
        Limit(lambda t, *, pairs: _no_pairs(t) & (pairs != "ordered"), math.nan, NO_PAIR),
    ],
    references=["rand1971", "franti2017", "campagner2022"],
    formula=r"\frac{a + d}{a + b + c + d}",
    examples=[
        Example(RAND_TRUTH, RAND_FOUND, 92 / 136, source="franti2017, Rand index: 92/136 = 0.68"),
        Example([0, 0, 1, 1], [0, 1, 0, 1], 1 / 3, source="by hand: 2 of 6 pairs"),
        Example([0, 0, 1, 1], [0, 1, 0, 1], 0.5, pairs="ordered", source="by hand: 8 of 16 ordered pairs"),
    ],
)
def rand(table: Contingency, *, pairs: Pairs = "distinct") -> Floats:
    """The share of pairs of objects that both clusterings treat alike, together or apart.

    ``pairs="ordered"`` counts ordered pairs and each object with itself, as campagner2022 eq. (1) does:
    the value is then 1 - (n - 1)/n (1 - rand). ``pairs="coassociation"`` takes soft pair counts from the
    products of memberships instead (rovetta2009), here as in every index that counts pairs; they are never
    negative. One minus the index is a metric for hard clusterings.

    Pitfalls
    --------
    Not corrected for chance: with many clusters almost all pairs are apart in both, and it nears 1.

    Examples
    --------
    >>> round(rand([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    0.3333
    """
    a, b, c, d = table.pairs
    if pairs == "ordered":
        return 1.0 - 2.0 * (b + c) / (table.n * table.n)
    return (a + d) / (a + b + c + d)


@index(
    symbol="ARI",
    aliases=["adjusted_rand_index"],
    title="Adjusted Rand index",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    best=1.0,
    range={HARD: (-0.5, 1.0), SOFT: (None, 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": HARD,
        "zero_by_chance": HARD,
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        "separating": {POSSIBILISTIC: SCALED_TYPICALITIES},
        "normalized": {HARD: Example([0, 0, 1, 1], [0, 1, 0, 1])},
        "triangle": {HARD: Example([0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 2])},
        "zero_by_chance": {FUZZY: _FUZZY_SELF},
    },
    limits=[SAME, TOO_SOFT],
    caveat=UNBOUNDED,
    references=["hubert1985", "franti2017", "lei2014"],
    formula=r"\frac{2 (a d - b c)}{(a + b)(b + d) + (a + c)(c + d)}",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 0, 1], -0.5, source="by hand"),
        Example(
            RAND_TRUTH,
            RAND_FOUND,
            0.2429,
            source="by hand from franti2017's counts, where the slide leaves it out",
        ),
    ],
)
def adjusted_rand(table: Contingency) -> Floats:
    """How far two clusterings agree on pairs, beyond what their sizes alone would give.

    1 when they are identical, 0 on average when the objects are shuffled.

    Pitfalls
    --------
    0 exactly when one side has a single cluster, however close the other is to it. On soft tables a soft
    clustering does not score 1 against itself, and with few objects values are unbounded below.

    Examples
    --------
    >>> adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1])
    -0.5
    """
    a, b, c, d = table.pairs
    return 2.0 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))


@index(
    title="Jaccard index of pairs",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    best=1.0,
    range={HARD: (0.0, 1.0), SOFT: (None, 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": HARD,
        "triangle": HARD,
        "normalized": HARD,
    },
    refuted={"reflexive": NOT_REFLEXIVE, "separating": {POSSIBILISTIC: SCALED_TYPICALITIES}, **BY_CHANCE},
    limits=[SAME, TOO_SOFT],
    caveat=UNBOUNDED,
    references=["franti2017"],
    formula=r"\frac{a}{a + b + c}",
    examples=[Example(RAND_TRUTH, RAND_FOUND, 20 / 64, source="by hand from franti2017's counts 20, 20, 24")],
)
def jaccard(table: Contingency) -> Floats:
    """Of the pairs that are together in at least one clustering, the share together in both.

    One minus it is a metric for hard clusterings.

    Pitfalls
    --------
    Not corrected for chance; large clusters dominate, since pairs grow with the square of size.

    Examples
    --------
    >>> jaccard([0, 0, 1, 1], [0, 0, 0, 1])
    0.25
    """
    a, b, c, _ = table.pairs
    return a / (a + b + c)


@index(
    symbol="FM",
    title="Fowlkes-Mallows index",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    best=1.0,
    range={HARD: (0.0, 1.0), SOFT: (None, 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": HARD,
        "normalized": HARD,
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        "separating": {POSSIBILISTIC: SCALED_TYPICALITIES},
        "triangle": {HARD: Example([0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 2])},
        **BY_CHANCE,
    },
    limits=[
        SAME,
        TOO_SOFT,
        Limit(
            lambda t: (t.pairs[0] + t.pairs[1] == 0) | (t.pairs[0] + t.pairs[2] == 0),
            math.nan,
            "one clustering has no pair together",
        ),
    ],
    caveat=UNBOUNDED,
    references=["fowlkes1983", "franti2017"],
    formula=r"\frac{a}{\sqrt{(a + b)(a + c)}}",
    examples=[
        Example(RAND_TRUTH, RAND_FOUND, 20 / math.sqrt(40 * 44), source="by hand from franti2017's counts")
    ],
)
def fowlkes_mallows(table: Contingency) -> Floats:
    """The geometric mean of pair precision and pair recall: 1 when the clusterings are identical.

    Pitfalls
    --------
    Not corrected for chance. scikit-learn gives 0 where all objects are singletons on both sides; here
    identical clusterings score 1, and 0/0 otherwise is nan.

    Examples
    --------
    >>> fowlkes_mallows([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    a, b, c, _ = table.pairs
    return a / np.sqrt((a + b) * (a + c))


@index(
    title="Hubert's Gamma, normalised",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    best=1.0,
    range={HARD: (-1.0, 1.0), SOFT: (None, 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": HARD,
        "zero_by_chance": HARD,
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        "separating": {POSSIBILISTIC: SCALED_TYPICALITIES},
        "normalized": {HARD: Example([0, 0, 1, 1], [0, 1, 0, 1])},
        "triangle": {HARD: Example([0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 2])},
        "zero_by_chance": {FUZZY: _FUZZY_SELF},
    },
    limits=[
        SAME,
        TOO_SOFT,
        Limit(_trivial, math.nan, "one clustering is trivial (all together, or each object on its own)"),
    ],
    caveat=UNBOUNDED,
    references=["hubert1976", "franti2017"],
    formula=r"\frac{a d - b c}{\sqrt{(a + b)(a + c)(c + d)(b + d)}}",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 0, 1], -0.5, source="by hand: (0 - 4) / sqrt(2 x 2 x 4 x 4)"),
        Example(
            RAND_TRUTH,
            RAND_FOUND,
            960 / math.sqrt(40 * 44 * 96 * 92),
            source="by hand from franti2017's counts",
        ),
    ],
)
def hubert_gamma(table: Contingency) -> Floats:
    """The correlation of "together" in one clustering with "together" in the other, over all pairs.

    1 when they are identical, 0 on average when the objects are shuffled.

    Pitfalls
    --------
    franti2017 prints two factors of the denominator as one bracket. Undefined when one side is trivial.

    Examples
    --------
    >>> hubert_gamma([0, 0, 1, 1], [0, 1, 0, 1])
    -0.5
    """
    a, b, c, d = table.pairs
    # roots factor by factor: the product of four pair counts passes the largest float
    scale: Floats = np.sqrt((a + b) * (a + c)) * np.sqrt((c + d) * (b + d))
    return (a * d - b * c) / scale


@index(
    title="Hubert's Gamma, second form",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    separable=True,
    best=1.0,
    range={
        HARD: (-1.0, 1.0),
        SOFT: (bound("-1 - 2 / (n - 1)", lambda t: -1.0 - 2.0 / np.maximum(t.n - 1.0, 1e-300)), 1.0),
    },
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": {HARD, FUZZY},
        "triangle": {HARD, FUZZY},
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        "separating": {POSSIBILISTIC: SCALED_TYPICALITIES},
        "normalized": {HARD: Example([0, 0, 1, 1], [0, 1, 0, 1])},
        **BY_CHANCE,
    },
    limits=[ONE, Limit(_no_pairs, math.nan, NO_PAIR)],
    references=["franti2017"],
    formula=r"\Gamma' = \frac{(a + d) - (b + c)}{a + b + c + d} = 2\,\mathrm{RI} - 1",
    examples=[Example(RAND_TRUTH, RAND_FOUND, 48 / 136, source="by hand: 2 x 92/136 - 1")],
)
def hubert_gamma_prime(table: Contingency) -> Floats:
    """Pairs treated alike minus pairs treated differently, as a share of all: 2 RI - 1.

    Pitfalls
    --------
    It carries nothing that the Rand index does not. franti2017 prints its range as [0, 1]; it is [-1, 1].

    Examples
    --------
    >>> round(hubert_gamma_prime([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    -0.3333
    """
    a, b, c, d = table.pairs
    return ((a + d) - (b + c)) / (a + b + c + d)


@index(
    title="Minkowski score",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    best=0.0,
    range={HARD: (0.0, math.inf), SOFT: (0.0, math.inf)},
    claims={"relabelling_invariant": ALL, "reflexive": HARD, "separating": HARD},
    refuted={
        "symmetric": {HARD: Example([0, 0, 1, 1], [0, 0, 0, 1])},
        "reflexive": NOT_REFLEXIVE,
        "separating": {POSSIBILISTIC: SCALED_TYPICALITIES},
        "normalized": {HARD: Example([0, 0, 1, 2], [0, 0, 0, 0])},
        "triangle": {HARD: Example([0, 0, 1, 2, 3], [0, 0, 0, 1, 2], [0, 0, 0, 0, 0])},
        **BY_CHANCE,
    },
    limits=[
        Limit(_same_and_trivial, 0.0, TRIVIAL),
        TOO_SOFT,
        Limit(lambda t: t.pairs[0] + t.pairs[1] == 0, math.nan, "truth has no pair together"),
    ],
    references=["franti2017"],
    formula=r"\sqrt{\frac{b + c}{a + b}}",
    examples=[
        Example(RAND_TRUTH, RAND_FOUND, math.sqrt(44 / 40), source="by hand: 44 differing pairs, 40 in truth")
    ],
)
def minkowski_score(table: Contingency) -> Floats:
    """Pairs treated differently, relative to the pairs together in truth, as a square root.

    0 when the clusterings are identical.

    Pitfalls
    --------
    Not symmetric (truth sets the scale) and without an upper end.

    Examples
    --------
    >>> minkowski_score([0, 0, 1, 1], [0, 0, 1, 1])
    0.0
    """
    a, b, c, _ = table.pairs
    return np.sqrt((b + c) / (a + b))


@index(
    title="Mirkin metric",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    separable=True,
    best=0.0,
    range={
        HARD: (0.0, bound("n (n - 1)", lambda t: t.n * (t.n - 1.0))),
        SOFT: (0.0, bound("n^2", lambda t: t.n * t.n)),
    },
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": {HARD, FUZZY},
        "triangle": {HARD, FUZZY},
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        "separating": {POSSIBILISTIC: SCALED_TYPICALITIES},
        "normalized": {HARD: Example([0, 0, 1, 1], [0, 1, 0, 1])},
        **BY_CHANCE,
    },
    references=["mirkin1996", "franti2017"],
    formula=r"2 (b + c) = \sum_i n_{i\cdot}^2 + \sum_j n_{\cdot j}^2 - 2 \sum_{ij} n_{ij}^2",
    examples=[Example(RAND_TRUTH, RAND_FOUND, 88, source="by hand: 2 x (20 + 24)")],
)
def mirkin(table: Contingency) -> Floats:
    """The number of ordered pairs that the clusterings treat differently: n(n - 1)(1 - RI).

    A metric for hard clusterings, invariant to renaming but not to the number of objects.

    Pitfalls
    --------
    Grows with the square of the number of objects: compare values for one data set only.

    Examples
    --------
    >>> mirkin([0, 0, 1, 1], [0, 1, 0, 1])
    8.0
    """
    _, b, c, _ = table.pairs
    return 2.0 * (b + c)


@index(
    title="Pair precision",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    best=1.0,
    range={HARD: (0.0, 1.0), SOFT: (None, 1.0)},
    claims={"relabelling_invariant": ALL, "reflexive": HARD, "normalized": HARD},
    refuted={
        "symmetric": {HARD: Example([0, 0, 1, 1], [0, 0, 0, 1])},
        "reflexive": NOT_REFLEXIVE,
        "separating": {HARD: Example([0, 0, 0, 0], [0, 0, 1, 1]), POSSIBILISTIC: SCALED_TYPICALITIES},
        "triangle": {HARD: Example([0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 2, 0])},
        **BY_CHANCE,
    },
    limits=[
        SAME,
        TOO_SOFT,
        Limit(lambda t: t.pairs[0] + t.pairs[2] == 0, math.nan, "found has no pair together"),
    ],
    caveat=UNBOUNDED,
    references=["franti2017"],
    formula=r"\frac{a}{a + c}",
    examples=[Example(RAND_TRUTH, RAND_FOUND, 20 / 44, source="by hand from franti2017's counts")],
)
def pair_precision(table: Contingency) -> Floats:
    """Of the pairs together in found, the share that is together in truth.

    Pitfalls
    --------
    Splitting clusters tends to raise it; read it together with pair recall.

    Examples
    --------
    >>> pair_precision([0, 0, 0, 0], [0, 0, 1, 1])
    1.0
    """
    a, _, c, _ = table.pairs
    return a / (a + c)


@index(
    title="Pair recall",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    best=1.0,
    range={HARD: (0.0, 1.0), SOFT: (None, 1.0)},
    claims={"relabelling_invariant": ALL, "reflexive": HARD, "normalized": HARD},
    refuted={
        "symmetric": {HARD: Example([0, 0, 1, 1], [0, 0, 0, 1])},
        "reflexive": NOT_REFLEXIVE,
        "separating": {HARD: Example([0, 0, 1, 1], [0, 0, 0, 0]), POSSIBILISTIC: SCALED_TYPICALITIES},
        "triangle": {HARD: Example([0, 0, 1, 2], [0, 0, 0, 0], [0, 1, 0, 0])},
        **BY_CHANCE,
    },
    limits=[
        SAME,
        TOO_SOFT,
        Limit(lambda t: t.pairs[0] + t.pairs[1] == 0, math.nan, "truth has no pair together"),
    ],
    caveat=UNBOUNDED,
    references=["franti2017"],
    formula=r"\frac{a}{a + b}",
    examples=[Example(RAND_TRUTH, RAND_FOUND, 20 / 40, source="by hand from franti2017's counts")],
)
def pair_recall(table: Contingency) -> Floats:
    """Of the pairs together in truth, the share that is together in found.

    Pitfalls
    --------
    Merging clusters never lowers it; read it together with pair precision.

    Examples
    --------
    >>> pair_recall([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    a, b, _, _ = table.pairs
    return a / (a + b)
