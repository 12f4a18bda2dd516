"""Rand indices on co-associations, plain and corrected for chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.indices.coassociation import (
    APART_SOFTLY,
    BY_CHANCE,
    CONSTANT,
    CROSSED,
    NEARLY_HARD,
    NO_TRIANGLE,
    NOT_REFLEXIVE,
    SAME_LENGTH,
    one_object_limits,
    undefined,
)
from partita.registry import (
    ALL,
    FUZZY,
    HARD,
    POSSIBILISTIC,
    Array,
    Example,
    Floats,
    bound,
    index,
)
from partita.statistics import CoassociationGaps, PairMoments, ShuffledGaps

ARI_RANGE = (-0.5, 1.0)
SYMMETRIC = {"symmetric": ALL, "relabelling_invariant": ALL}

# co-associations that are equal, or proportional, of clusterings that are not the same
EQUAL_PAIRS = (
    [[2 / 3, 1 / 6, 1 / 6, 0.0], [2 / 3, 1 / 6, 1 / 6, 0.0], [0.0, 0.0, 0.0, 1.0]],
    [[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
)
PROPORTIONAL = Example(
    [[1 / 2, 1 / 2, 0, 0], [1 / 2, 1 / 2, 0, 0], [0, 0, 1 / 2, 1 / 2]],
    [[1 / 3, 1 / 3, 1 / 3, 0, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0, 0, 0], [0, 0, 0, 1 / 3, 1 / 3, 1 / 3]],
)
SOFT_SIDE = [[0.8, 0.2], [0.6, 0.4], [0.1, 0.9], [0.5, 0.5]]

LOST = "the products of these typicalities are too small for a number"

NO_ROOM = "every shuffle of the objects gives the same agreement"


def _rounding(statistic: Any, of_soft: float) -> float:
    """Up to where a mean over pairs may be rounding: from a hard table it is exact."""
    return 0.0 if set(statistic.kinds) == {HARD} else of_soft


def _all_pairs_alike(moments: PairMoments) -> Array:
    return np.asarray(moments.gap_by_chance / 2.0 <= _rounding(moments, 1e-14))


def _product_adjusted(moments: PairMoments) -> Floats:
    return np.asarray(moments.values.covariance / (moments.gap_by_chance / 2.0))


def _frobenius(moments: PairMoments) -> Floats:
    return np.asarray(1.0 - moments.values.frobenius_gap)


def _frobenius_adjusted(moments: PairMoments) -> Floats:
    return np.asarray(moments.values.frobenius_excess / moments.values.frobenius_room)


def _belief(gaps: CoassociationGaps) -> Floats:
    return np.asarray(1.0 - gaps.shortfall / np.maximum(*gaps.sizes))


def _chance_shortfall(gaps: CoassociationGaps, chance: ShuffledGaps) -> Floats:
    return np.asarray((np.abs(gaps.sizes[0] - gaps.sizes[1]) + chance.together + chance.apart) / 2.0)


def _belief_adjusted(gaps: CoassociationGaps, chance: ShuffledGaps) -> Floats:
    return np.asarray(1.0 - gaps.shortfall / _chance_shortfall(gaps, chance))


def _nothing_by_chance(gaps: CoassociationGaps, chance: ShuffledGaps) -> Array:
    largest = np.maximum(*gaps.sizes)
    return np.asarray(_chance_shortfall(gaps, chance) <= _rounding(gaps, 1e-12) * largest)


def _all_lost(gaps: CoassociationGaps, *_: Any) -> Array:
    return np.asarray(np.maximum(*gaps.sizes) == 0.0)


def _lowest_frobenius(moments: PairMoments) -> Array:
    return np.asarray(-1.0 / np.maximum(moments.n - 1.0, 1e-300))


@index(
    title="Adjusted Rand index of product co-associations",
    best=1.0,
    range={HARD: ARI_RANGE, FUZZY: (-1.0, 1.0)},
    claims={**SYMMETRIC, "reflexive": HARD, "separating": HARD, "zero_by_chance": ALL},
    refuted={
        **NOT_REFLEXIVE,
        "separating": {FUZZY: APART_SOFTLY},
        "triangle": NO_TRIANGLE,
        "normalized": CROSSED,
    },
    limits=[
        *one_object_limits(1.0),
        *undefined(_all_pairs_alike, 1.0, CONSTANT),
    ],
    references=["hubert1985", "rovetta2009"],
    formula=r"\frac{\overline{ab} - \bar a \bar b}{(\bar a + \bar b)/2 - \bar a \bar b}",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 0, 1], -0.5, source="by hand: Hubert and Arabie's index"),
        Example(
            [0, 0, 1],
            [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]],
            0.25,
            source="by hand: a = 1, 0, 0 and b = 1/2, 0, 1/2 give (1/6 - 1/9) / (1/3 - 1/9)",
        ),
    ],
)
def product_adjusted_rand(moments: PairMoments) -> Floats:
    """How far two clusterings agree on pairs beyond chance, each object hardened at random.

    The Rand index 1 - `coassociation_rand_distance`, with its mean over all shuffles of the objects taken to
    0 and its maximum to 1: the adjusted Rand index for hard clusterings.

    Pitfalls
    --------
    A soft clustering scores below 1 against itself; `belief_adjusted_rand` and `frobenius_adjusted_rand`
    do not have that.

    Examples
    --------
    >>> round(product_adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    -0.5
    """
    return _product_adjusted(moments)


@index(
    title="Frobenius Rand index",
    best=1.0,
    range={HARD: (0.0, 1.0), FUZZY: (bound("-1 / (n - 1)", _lowest_frobenius), 1.0)},
    claims={**SYMMETRIC, "reflexive": ALL, "separating": HARD, "triangle": HARD, "normalized": HARD},
    refuted={
        "separating": {FUZZY: Example([[1 / 2] * 2] * 2, [[1 / 3] * 3] * 2)},
        "triangle": {FUZZY: Example(*NEARLY_HARD)},
        "normalized": {FUZZY: Example([[0.9, 0.1]] * 2, [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])},
        **BY_CHANCE,
    },
    limits=one_object_limits(1.0),
    references=["andrews2022"],
    formula=r"1 - \frac{\|\tilde X - \tilde Y\|_F^2}{n (n - 1)}, \quad X = U U^\top, \;"
    r" \tilde X = \frac{\langle X, J \rangle}{\langle X, X \rangle} X",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 0, 1], 1 / 3, source="by hand: the Rand index of hard clusterings"),
        Example([[1 / 2] * 2] * 2, [[1 / 3] * 3] * 2, 1.0, source="by hand: both are scaled to all ones"),
    ],
)
def frobenius_rand(moments: PairMoments) -> Floats:
    """How close two co-association matrices are once each is scaled to its best length; 1 is best.

    Pairs of objects with themselves are included. A soft clustering scores 1 against itself.

    Pitfalls
    --------
    Blind to scale: one cluster and memberships shared evenly among any number of clusters are the same to
    it. Below 0 for a few objects.

    Examples
    --------
    >>> round(frobenius_rand([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    0.3333
    """
    return _frobenius(moments)


@index(
    title="Frobenius adjusted Rand index",
    best=1.0,
    range={HARD: ARI_RANGE, FUZZY: (None, 1.0)},
    claims={**SYMMETRIC, "reflexive": ALL, "separating": HARD, "zero_by_chance": ALL},
    refuted={"separating": {FUZZY: PROPORTIONAL}, "triangle": NO_TRIANGLE, "normalized": CROSSED},
    limits=[
        *one_object_limits(1.0),
        *undefined(lambda m: m.values.frobenius_room <= 0.0, 1.0, NO_ROOM),
    ],
    references=["andrews2022"],
    formula=r"\frac{F - E}{1 - E}, \quad E \text{ the mean of } F \text{ over all shuffles}",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 0, 1], -0.5, source="by hand: Hubert and Arabie's index"),
        Example(SOFT_SIDE, SOFT_SIDE, 1.0, source="by hand: against itself"),
    ],
)
def frobenius_adjusted_rand(moments: PairMoments) -> Floats:
    """The Frobenius Rand index beyond chance: 1 for identical clusterings, 0 on average under shuffles.

    Computed from centred moments: memberships that are nearly all equal keep their digits.

    Pitfalls
    --------
    Undefined between two clusterings whose memberships do not vary. "FARI" also names other indices.

    Examples
    --------
    >>> round(frobenius_adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    -0.5
    """
    return _frobenius_adjusted(moments)


@index(
    aliases=["generalized_rand"],
    title="Belief Rand index (generalised Rand, GRI)",
    best=1.0,
    range={HARD: (0.0, 1.0), FUZZY: (0.0, 1.0), POSSIBILISTIC: (0.0, 1.0)},
    # one minus it is the distance 1 - |A n B| / max(|A|, |B|) of the sets under two curves, a metric of sets
    claims={**SYMMETRIC, "reflexive": ALL, "separating": HARD, "triangle": ALL, "normalized": ALL},
    refuted={
        "separating": {
            FUZZY: Example(*SAME_LENGTH),
            POSSIBILISTIC: Example(*SAME_LENGTH, kind=POSSIBILISTIC),
        },
        **BY_CHANCE,
    },
    limits=[*one_object_limits(1.0), *undefined(_all_lost, 1.0, LOST)],
    references=["horta2015"],
    formula=r"\frac{\sum \min(j^U, j^V) + \sum \min(a^U, a^V)}{\max(\sum (j^U + a^U), \sum (j^V + a^V))}",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 0, 1], 1 / 3, source="by hand: the Rand index of hard clusterings"),
        Example([0, 0], [[0.5, 0.5], [0.5, 0.5]], 0.5, source="by hand: 1 - |1 - 1/2|"),
    ],
)
def belief_rand(
    gaps: CoassociationGaps,
) -> Floats:
    """How much "together" and "apart" two clusterings share over all pairs of objects; 1 is best.

    1 - mean |a - b| for hard and fuzzy clusterings (the credal Rand index by Jousselme's distance and by
    belief); the general minima for typicalities. The first choice among indices on which a soft clustering
    scores 1 against itself.

    Pitfalls
    --------
    Not corrected for chance. Two soft clusterings need all pairs of objects unless both have two clusters.

    Examples
    --------
    >>> belief_rand([0, 0], [[0.5, 0.5], [0.5, 0.5]])
    0.5
    """
    return _belief(gaps)


@index(
    aliases=["generalized_adjusted_rand"],
    title="Belief adjusted Rand index (generalised adjusted Rand, AGRI)",
    best=1.0,
    range={HARD: ARI_RANGE, FUZZY: (None, 1.0), POSSIBILISTIC: (None, 1.0)},
    claims={**SYMMETRIC, "reflexive": ALL, "separating": HARD, "zero_by_chance": ALL},
    refuted={
        "separating": {
            FUZZY: Example(*EQUAL_PAIRS),
            POSSIBILISTIC: Example(*EQUAL_PAIRS, kind=POSSIBILISTIC),
        },
        "triangle": NO_TRIANGLE,
        "normalized": CROSSED,
    },
    limits=[
        *one_object_limits(1.0),
        *undefined(_all_lost, 1.0, LOST),
        *undefined(_nothing_by_chance, 1.0, NO_ROOM),
    ],
    references=["horta2015"],
    formula=r"\frac{G - E}{1 - E}, \quad E \text{ the mean of } G \text{ over all shuffles}",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 0, 1], -0.5, source="by hand: Hubert and Arabie's index"),
        Example(SOFT_SIDE, SOFT_SIDE, 1.0, source="by hand: against itself"),
    ],
    without=("method", "epsilon", "confidence"),
)
def belief_adjusted_rand(
    gaps: CoassociationGaps,
    chance: ShuffledGaps,
) -> Floats:
    """The belief Rand index beyond chance: 1 for identical clusterings, 0 on average under shuffles.

    The expectation is exact where one side is hard and for up to 5000 objects; above that it comes from
    ``n_samples`` drawn pairs of each side, and the result says with which standard error.

    Pitfalls
    --------
    Two soft clusterings need all pairs of objects. Unbounded below when hardly anything varies.

    Examples
    --------
    >>> round(belief_adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    -0.5
    """
    return _belief_adjusted(gaps, chance)
