"""Indices on co-associations: how much two objects are together, a in truth and b in found (rovetta2009)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from partita.registry import (
    ALL,
    FUZZY,
    HARD,
    Above,
    Annotated,
    Array,
    Below,
    Example,
    Floats,
    Limit,
    Literal,
    index,
)
from partita.statistics import CoassociationGaps, PairMoments, TNormCoassociations

Method = Literal["auto", "sample"]
Variant = Literal["gap", "means"]
Positive = Annotated[float, Above(0)]
Share = Annotated[float, Above(0), Below(1)]

SOFT_SPLIT = [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]]
SOFT_SELF = Example(SOFT_SPLIT, SOFT_SPLIT)
NOT_REFLEXIVE = {"reflexive": {FUZZY: SOFT_SELF}}
BY_CHANCE = {"zero_by_chance": {HARD: Example([0, 0, 0, 1, 1], [0, 0, 0, 1, 1]), FUZZY: SOFT_SELF}}

# rows of the same length that are not the same up to the order of clusters
SAME_LENGTH = ([[2 / 3, 1 / 6, 1 / 6]] * 2, [[0.5, 0.5, 0.0]] * 2)
BEYOND_ONE = {
    "normalized": {
        HARD: Example([0, 0, 0], [0, 1, 2]),
        FUZZY: Example([[0.99, 0.01]] * 2, [[0.1] * 10] * 2),
    }
}
CROSSED_SOFTLY = Example(
    [[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9]], [[0.9, 0.1], [0.1, 0.9], [0.9, 0.1], [0.1, 0.9]]
)
CROSSED = {HARD: Example([0, 0, 1, 1], [0, 1, 0, 1]), FUZZY: CROSSED_SOFTLY}
# two objects surely together, the third surely apart from them, but softly in clusters of its own
APART_SOFTLY = Example(
    [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5]], [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.3, 0.7]]
)
NEARLY_HARD = (
    [[0.98, 0.01, 0.01], [0.98, 0.01, 0.01], [0.01, 0.98, 0.01], [0.01, 0.01, 0.98]],
    [[0.99, 0.01], [0.99, 0.01], [0.01, 0.99], [0.01, 0.99]],
    [[0.98, 0.01, 0.01], [0.01, 0.98, 0.01], [0.01, 0.01, 0.98], [0.01, 0.01, 0.98]],
)
NO_TRIANGLE = {HARD: Example([0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 2]), FUZZY: Example(*NEARLY_HARD)}
METRIC_ON_HARD: dict[str, Any] = {
    "symmetric": ALL,
    "relabelling_invariant": ALL,
    "separating": HARD,
    "triangle": ALL,
}

GAPS_BY_TNORM: Any = {
    "tnorm": {
        "product": CoassociationGaps,
        "minimum": TNormCoassociations,
        "lukasiewicz": TNormCoassociations,
    }
}
MOMENTS_BY_TNORM: Any = {"tnorm": {**GAPS_BY_TNORM["tnorm"], "product": PairMoments}}
"""``tnorm`` joins the memberships of two objects, and the co-associations of the two clusterings."""

# together by the minimum to 0.7, 0.2, 0.5, by Lukasiewicz to 0.3, 0.2, 0.5; one pair of three in the truth
_TRUTH, _FOUND = [0, 0, 1], [[0.8, 0.2], [0.5, 0.5], [0.0, 1.0]]
_BY_MINIMUM = "by hand: pairs of found are together to 0.7, 0.2, 0.5"
_BY_LUKASIEWICZ = "by hand: pairs of found are together to 0.3, 0.2, 0.5"

# rovetta2009's toy data, 18 objects, with the misprints of its tables undone
TOY_TRUTH = [0] * 6 + [1] * 12
TOY_SOFT = [[0.8, 0.2]] * 6 + [[0.2, 0.8]] * 12
TOY_FOUND_3 = [[1.0, 0.0, 0.0]] * 6 + [[0.0, 0.8, 0.2]] * 6 + [[0.0, 0.2, 0.8]] * 6
TOY_FOUND_4 = [0, 0, 1, 1, 2, 2] + [0] * 4 + [1] * 4 + [2] * 4

ONE_OBJECT = "there is only one object, and so no pair"
NOTHING_TOGETHER = "no two objects are together in either clustering"
CONSTANT = "the co-association of one side is the same for all pairs"
SAME = "both clusterings are the same"
ROUNDING = 1e-9  # how far that may carry a value past the end of its range


def one_object(statistic: Any, *_: Any) -> Array:
    """Whether there is no pair."""
    return np.asarray(statistic.n <= 1.0)


def one_object_limits(best: float) -> list[Limit]:
    """Without pairs a clustering is still itself; two different ones have no value."""
    return [
        Limit(lambda s, *_: one_object(s) & s.is_identical, best, f"{ONE_OBJECT}; {SAME}"),
        Limit(one_object, math.nan, ONE_OBJECT),
    ]


def undefined(when: Callable[..., Any], best: float, reason: str) -> list[Limit]:
    """0/0: the best value for identical clusterings, else nan."""
    return [
        Limit(lambda s, *more: when(s, *more) & s.is_identical, best, f"{reason}; {SAME}"),
        Limit(when, math.nan, reason),
    ]


def _mean_gap(gaps: CoassociationGaps) -> Floats:
    return np.asarray(gaps.together)


def _student(gaps: CoassociationGaps) -> Floats:
    assert gaps.moments is not None
    return np.asarray(gaps.together / (0.5 + gaps.moments.squared_gap - gaps.together**2))


def _correlation(moments: PairMoments) -> Floats:
    return np.asarray(moments.values.correlation_distance)


def _constant(moments: PairMoments) -> Array:
    return np.asarray((moments.values.variance_truth <= 0.0) | (moments.values.variance_found <= 0.0))


def _jaccard(moments: PairMoments) -> Floats:
    both, truth_only, found_only, _ = moments.pairs
    return np.asarray((truth_only + found_only) / (both + truth_only + found_only))


def _nothing_together(moments: PairMoments) -> Array:
    both, truth_only, found_only, _ = moments.pairs
    return np.asarray(both + truth_only + found_only <= 1e-12 * moments.n)


@index(
    title="Average distance of co-associations",
    best=0.0,
    range={HARD: (0.0, 2.0), FUZZY: (0.0, 2.0)},
    claims={**METRIC_ON_HARD, "reflexive": ALL},
    refuted={"separating": {FUZZY: Example(*SAME_LENGTH)}, **BEYOND_ONE, **BY_CHANCE},
    limits=one_object_limits(0.0),
    alternatives=GAPS_BY_TNORM,
    references=["rovetta2009"],
    formula=r"\frac{2}{H} \sum_{i<j} |a_{ij} - b_{ij}|",
    examples=[
        Example(TOY_TRUTH, TOY_FOUND_3, 0.4455, source="rovetta2009 Table 2, toy3"),
        Example(TOY_TRUTH, TOY_FOUND_4, 1.0980, source="rovetta2009 Table 2, toy4"),
        Example(TOY_SOFT, TOY_SOFT, 0.0, source="rovetta2009 Table 2, toy2"),
        Example([0, 0, 1, 1], [0, 1, 0, 1], 0.0, variant="means", source="by hand: 2 of 6 pairs, both"),
        Example(_TRUTH, _FOUND, 2 / 3, tnorm="minimum", source=_BY_MINIMUM),
        Example(_TRUTH, _FOUND, 2.8 / 3, tnorm="lukasiewicz", source=_BY_LUKASIEWICZ),
    ],
)
def coassociation_average_distance(
    gaps: CoassociationGaps,
    *,
    variant: Variant = "gap",
) -> Floats:
    """Twice the mean difference between how much two objects are together in one clustering and the other.

    As rovetta2009's Table 2 prints it. ``variant="means"`` is |mean a - mean b|, as its text words it.
    ``method="sample"`` looks at as many drawn pairs as a mean gap within ``epsilon`` needs with that
    ``confidence``, and gives its standard error too; otherwise the value is exact.

    ``tnorm`` joins memberships, and the co-associations of the two clusterings: rovetta2009 takes the
    product. "minimum" (Goedel) and "lukasiewicz" look at every pair of objects.

    Pitfalls
    --------
    Ranges up to 2, not 1. ``variant="means"`` is 0 for any two clusterings that put as many pairs together,
    however different. Two soft clusterings need all pairs of objects unless both have two clusters.

    Examples
    --------
    >>> round(coassociation_average_distance([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    1.3333
    >>> coassociation_average_distance([0, 0, 1, 1], [0, 1, 0, 1], variant="means")
    0.0
    """
    if variant == "means":
        assert gaps.moments is not None
        return np.asarray(np.abs(gaps.moments.values.mean_truth - gaps.moments.values.mean_found))
    return 2.0 * _mean_gap(gaps)


@index(
    title="Rand distance of co-associations",
    best=0.0,
    range={HARD: (0.0, 1.0), FUZZY: (0.0, 1.0)},
    claims={**METRIC_ON_HARD, "reflexive": HARD, "normalized": ALL},
    refuted={**NOT_REFLEXIVE, "separating": {FUZZY: APART_SOFTLY}, **BY_CHANCE},
    limits=one_object_limits(0.0),
    alternatives=MOMENTS_BY_TNORM,
    references=["rovetta2009"],
    formula=r"\frac{1}{H} \sum_{i<j} (a_{ij} + b_{ij} - 2 a_{ij} b_{ij})",
    examples=[
        Example(TOY_TRUTH, TOY_FOUND_3, 0.2227, source="rovetta2009 Table 2, toy3"),
        Example(TOY_TRUTH, TOY_FOUND_4, 0.5490, source="rovetta2009 Table 2, toy4"),
        Example(TOY_SOFT, TOY_SOFT, 0.4352, source="rovetta2009 Table 2, toy2"),
        Example(_TRUTH, _FOUND, 1 / 3, tnorm="minimum", source=_BY_MINIMUM),
        Example(_FOUND, _FOUND, 0.0, tnorm="minimum", source="by hand: min(a, a) = a"),
        Example(_FOUND, _FOUND, 2 / 3, tnorm="lukasiewicz", source=_BY_LUKASIEWICZ),
    ],
)
def coassociation_rand_distance(moments: PairMoments) -> Floats:
    """How often two independent hardenings disagree on a pair, in the mean: 0 is best.

    One minus the Rand index for hard clusterings, and 1 - "product Rand" for soft ones; bounded for any
    number of objects, where the Rand index on soft tables is not.

    ``tnorm`` joins memberships, and the co-associations of the two clusterings: rovetta2009 takes the
    product. "minimum" (Goedel) and "lukasiewicz" look at every pair of objects.

    Pitfalls
    --------
    A soft clustering is not at distance 0 from itself: its own softness counts as disagreement.

    Examples
    --------
    >>> round(coassociation_rand_distance([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    0.6667
    >>> coassociation_rand_distance([[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]])
    0.5
    """
    return moments.disagreement


@index(
    title="Student distance of co-associations",
    best=0.0,
    range={HARD: (0.0, 2.0), FUZZY: (0.0, 2.0)},
    claims={"symmetric": ALL, "relabelling_invariant": ALL, "reflexive": ALL, "separating": HARD},
    refuted={
        "separating": {FUZZY: Example(*SAME_LENGTH)},
        "triangle": {
            HARD: Example([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 3]),
            FUZZY: Example(
                [[0.99, 0.01]] * 4,
                NEARLY_HARD[1],
                [
                    [0.97, 0.01, 0.01, 0.01],
                    [0.01, 0.97, 0.01, 0.01],
                    [0.01, 0.01, 0.97, 0.01],
                    [0.01] * 3 + [0.97],
                ],
            ),
        },
        **BEYOND_ONE,
        **BY_CHANCE,
    },
    limits=one_object_limits(0.0),
    alternatives=GAPS_BY_TNORM,
    references=["rovetta2009"],
    formula=r"\frac{\bar d}{0.5 + \overline{d^2} - \bar d^2}, \quad d_{ij} = |a_{ij} - b_{ij}|",
    examples=[
        Example(TOY_TRUTH, TOY_FOUND_3, 0.3845, source="rovetta2009 Table 2, toy3"),
        Example(TOY_TRUTH, TOY_FOUND_4, 0.7344, source="rovetta2009 Table 2, toy4"),
        Example(TOY_SOFT, TOY_SOFT, 0.0, source="rovetta2009 Table 2, toy2"),
        Example(_TRUTH, _FOUND, (1 / 3) / (0.5 + 0.38 / 3 - 1 / 9), tnorm="minimum", source=_BY_MINIMUM),
        Example(_TRUTH, _FOUND, (1.4 / 3) / (0.76 - 1.96 / 9), tnorm="lukasiewicz", source=_BY_LUKASIEWICZ),
    ],
)
def coassociation_student_distance(
    gaps: CoassociationGaps,
) -> Floats:
    """The mean difference of co-associations over one half plus its variance; 0 is best.

    After Student's statistic, without a root and with 0.5 against small variances. ``method="sample"``
    looks at as many drawn pairs as a mean gap within ``epsilon`` needs with that ``confidence``.

    ``tnorm`` joins memberships, and the co-associations of the two clusterings: rovetta2009 takes the
    product. "minimum" (Goedel) and "lukasiewicz" look at every pair of objects.

    Pitfalls
    --------
    No test statistic, and no metric. For hard clusterings a function of the Rand index alone. Two soft
    clusterings need all pairs of objects unless both have two clusters.

    Examples
    --------
    >>> round(coassociation_student_distance([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    0.9231
    """
    return _student(gaps)


@index(
    title="Correlation distance of co-associations",
    best=0.0,
    range={HARD: (0.0, 2.0), FUZZY: (0.0, 2.0)},
    claims={"symmetric": ALL, "relabelling_invariant": ALL, "reflexive": ALL, "separating": HARD},
    refuted={
        "separating": {
            FUZZY: Example(
                [[0.8, 0.2], [0.8, 0.2], [0.2, 0.8], [0.2, 0.8]],
                [[0.7, 0.3], [0.7, 0.3], [0.3, 0.7], [0.3, 0.7]],
            )
        },
        "triangle": NO_TRIANGLE,
        "normalized": CROSSED,
        **BY_CHANCE,
    },
    limits=[
        *one_object_limits(0.0),
        *undefined(_constant, 0.0, CONSTANT),
    ],
    alternatives=MOMENTS_BY_TNORM,
    references=["rovetta2009"],
    formula=r"1 - \mathrm{corr}(a, b)",
    examples=[
        Example(TOY_TRUTH, TOY_FOUND_3, 0.1610, source="rovetta2009 Table 2, toy3"),
        Example(TOY_TRUTH, TOY_FOUND_4, 1.0811, source="rovetta2009 Table 2, toy4"),
        Example(TOY_TRUTH, TOY_FOUND_4, 0.54055, halved=True, source="rovetta2009 eq. 3: half of toy4"),
        Example(TOY_SOFT, TOY_SOFT, 0.0, source="rovetta2009 Table 2, toy2"),
        Example(
            _TRUTH,
            _FOUND,
            1 - (0.7 / 3 - 1.4 / 9) / math.sqrt(2 / 9 * (0.26 - 1.96 / 9)),
            tnorm="minimum",
            source=_BY_MINIMUM,
        ),
    ],
)
def coassociation_correlation_distance(moments: PairMoments, *, halved: bool = False) -> Floats:
    """One minus the correlation of co-associations over all pairs of objects; 0 is best.

    ``halved=True`` divides by two, as rovetta2009's eq. (3) does and its tables do not.

    ``tnorm`` joins memberships, and the co-associations of the two clusterings: rovetta2009 takes the
    product. "minimum" (Goedel) and "lukasiewicz" look at every pair of objects.

    Pitfalls
    --------
    Blind to scale: memberships of 0.8 and of 0.7 in the same split are at distance 0. Undefined where all
    pairs of one side are alike: one cluster, all objects apart, all memberships equal.

    Examples
    --------
    >>> coassociation_correlation_distance([0, 0, 1, 1], [0, 1, 0, 1])
    1.5
    """
    return _correlation(moments) / 2.0 if halved else _correlation(moments)


@index(
    title="Jaccard distance of co-associations",
    best=0.0,
    range={HARD: (0.0, 1.0), FUZZY: (0.0, 1.0)},
    claims={**METRIC_ON_HARD, "reflexive": HARD, "normalized": ALL},
    refuted={**NOT_REFLEXIVE, "separating": {FUZZY: APART_SOFTLY}, **BY_CHANCE},
    limits=[
        *one_object_limits(0.0),
        *undefined(_nothing_together, 0.0, NOTHING_TOGETHER),
    ],
    alternatives=MOMENTS_BY_TNORM,
    references=["rovetta2009"],
    formula=r"1 - \frac{\sum_{i<j} a_{ij} b_{ij}}{\sum_{i<j} (a_{ij} + b_{ij} - a_{ij} b_{ij})}",
    examples=[
        Example(TOY_TRUTH, TOY_FOUND_3, 0.4207, source="rovetta2009 Table 2, toy3"),
        Example(TOY_TRUTH, TOY_FOUND_4, 0.8, source="rovetta2009 Table 2, toy4"),
        Example(TOY_SOFT, TOY_SOFT, 0.5976, source="rovetta2009 Table 2, toy2"),
        Example(_TRUTH, _FOUND, 1 - 0.7 / 1.7, tnorm="minimum", source=_BY_MINIMUM),
        Example(_FOUND, _FOUND, 1.0, tnorm="lukasiewicz", source=_BY_LUKASIEWICZ),
    ],
)
def coassociation_jaccard_distance(moments: PairMoments) -> Floats:
    """Of the pairs that are together in at least one clustering, the share that is not together in both.

    One minus the Jaccard index of pairs for hard clusterings.

    ``tnorm`` joins memberships, and the co-associations of the two clusterings: rovetta2009 takes the
    product. "minimum" (Goedel) and "lukasiewicz" look at every pair of objects.

    Pitfalls
    --------
    A soft clustering is not at distance 0 from itself. Not monotone when objects move one by one from one
    cluster to another (rovetta2009, experiment 1 of set 2).

    Examples
    --------
    >>> coassociation_jaccard_distance([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return _jaccard(moments)
