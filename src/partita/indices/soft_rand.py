"""Rand indices for fuzzy clusterings that look at every pair of objects: Campello's, and concordance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from partita.registry import (
    ALL,
    FUZZY,
    HARD,
    Array,
    Example,
    Floats,
    Limit,
    Literal,
    index,
)
from partita.statistics import ConcordanceChance, ConcordanceGaps, TNormPairs

TNorm = Literal["minimum", "product"]

NOISE = 1e-12
"""An expected gap of soft clusterings below this is rounding: all pairs of objects look alike in both."""

_TRUTH, _FOUND = [0, 0, 1], [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
_BY_HAND = "by hand: degrees (together, apart) of the pairs in found are (1/2, 1/2), (0, 1), (1/2, 1/2)"

_SELF = [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]]
# the third object shares neither of its two clusters: to every pair it is as alone as in one cluster
_ALONE_IN_ONE = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
_ALONE_IN_TWO = [[1.0, 0, 0, 0], [1.0, 0, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 1.0]]
_THREE_TOGETHER = [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
_BLIND = Example(_ALONE_IN_ONE, _ALONE_IN_TWO, kind=FUZZY)
_SHORT_CUT = Example(_THREE_TOGETHER, _ALONE_IN_TWO, _ALONE_IN_ONE, kind=FUZZY)
_ARI_SHORT_CUT = Example([0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 2])
_AGAINST_CHANCE = Example([0, 0, 1, 1], [0, 1, 0, 1])
_BY_CHANCE = {HARD: Example([0, 0, 0, 1, 1], [0, 0, 0, 1, 1]), FUZZY: Example(_SELF, _SELF)}

_SAME = "both clusterings are the same, and all their pairs are of one kind"
_NO_PAIR = "there is only one object, and so no pair"
_TOO_LIGHT = "fractional weights below one leave less than no pair"
_FOR_A_HARD_REFERENCE = {(FUZZY, FUZZY): "published for a fuzzy clustering against a hard one"}


# --- Campello -----------------------------------------------------------------------------------------


def _campello_limits(denominator: Callable[..., Any], reason: str) -> list[Limit]:
    def nothing(t: TNormPairs) -> Array:
        return np.asarray(denominator(*t.pairs) <= 0.0)

    return [
        Limit(lambda t: t.is_relabelling & nothing(t), 1.0, _SAME),
        Limit(lambda t: t.n == 1.0, math.nan, _NO_PAIR),
        Limit(lambda t: np.any([sums < 0.0 for sums in t.pairs], axis=0), math.nan, _TOO_LIGHT),
        Limit(nothing, math.nan, reason),
    ]


def _all(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    return a + b + c + d


def _together_in_any(a: Floats, b: Floats, c: Floats, _: Floats) -> Floats:
    return a + b + c


def _beyond_chance(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    return (a + b) * (b + d) + (a + c) * (c + d)


@index(
    title="Campello's fuzzy Rand index",
    best=1.0,
    range={HARD: (0.0, 1.0), FUZZY: (0.0, 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": HARD,
        "triangle": HARD,
        "normalized": ALL,
    },
    refuted={
        "reflexive": {FUZZY: Example(_SELF, _SELF)},
        "separating": {FUZZY: _BLIND},
        "triangle": {FUZZY: _SHORT_CUT},
        "zero_by_chance": _BY_CHANCE,
    },
    limits=_campello_limits(_all, _NO_PAIR),
    caveat=_FOR_A_HARD_REFERENCE,
    references=["campello2007"],
    formula=r"\frac{a + d}{a + b + c + d}",
    examples=[
        Example(_TRUTH, _FOUND, 2 / 3, source=f"{_BY_HAND}; a = b = c = 1/2, d = 3/2"),
        Example([[0.5, 0.5]] * 3, [[0.2] * 5] * 3, 0.5, source="by hand: both uniform"),
    ],
)
def campello_rand(sums: TNormPairs) -> Floats:
    """The share of fuzzy agreement on pairs: together in both or apart in both, to some degree.

    Two objects are together to the degree max T(u_ir, u_jr) over clusters r, and apart to the degree
    max T(u_ir, u_jq) over r != q, with T the minimum or the product (``tnorm``). T also joins the degrees of
    the two clusterings, to a (together in both), b, c and d (apart in both). For hard clusterings it is the
    Rand index. ``n_samples`` draws so many pairs in place of all: the caveat then gives the relative standard
    error of each of the four sums.

    Pitfalls
    --------
    A fuzzy clustering does not score 1 against itself, and two uniform ones score 1/2 whatever they are.
    Looks at all pairs: time grows with the square of the number of objects.

    Examples
    --------
    >>> round(campello_rand([0, 0, 1], [[1, 0], [0.5, 0.5], [0, 1]]), 4)
    0.6667
    """
    a, _, _, d = sums.pairs
    return (a + d) / _all(*sums.pairs)


@index(
    title="Campello's fuzzy adjusted Rand index",
    best=1.0,
    range={HARD: (-0.5, 1.0), FUZZY: (-1.0, 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": HARD,
        "zero_by_chance": HARD,
    },
    refuted={
        "reflexive": {FUZZY: Example(_SELF, _SELF)},
        "separating": {FUZZY: _BLIND},
        "triangle": {HARD: _ARI_SHORT_CUT, FUZZY: _SHORT_CUT},
        "normalized": {
            HARD: _AGAINST_CHANCE,
            FUZZY: Example([[0.9, 0.1], [0, 1], [1, 0]], [[0, 1], [0.2, 0.8], [1, 0]]),
        },
        "zero_by_chance": {FUZZY: Example(_SELF, _SELF)},
    },
    limits=_campello_limits(
        _beyond_chance, "no pair is together in either clustering, or none apart, so chance alone agrees"
    ),
    caveat=_FOR_A_HARD_REFERENCE,
    references=["campello2007", "hubert1985"],
    formula=r"\frac{2 (a d - b c)}{(a + b)(b + d) + (a + c)(c + d)}",
    examples=[
        Example(_TRUTH, _FOUND, 1 / 4, source=f"{_BY_HAND}; a = b = c = 1/2, d = 3/2"),
        Example([[0.5, 0.5]] * 3, [[0.2] * 5] * 3, 0.0, source="by hand: both uniform"),
    ],
)
def campello_adjusted_rand(sums: TNormPairs) -> Floats:
    """How far the fuzzy agreement on pairs lies above what the clusterings' own pair sums would give.

    Hubert and Arabie's formula on the pair sums of `campello_rand`, with the same options. For hard
    clusterings it is the adjusted Rand index.

    Pitfalls
    --------
    A fuzzy clustering does not score 1 against itself, and shuffled objects do not give 0 on average;
    `adjusted_concordance` does both.

    Examples
    --------
    >>> campello_adjusted_rand([0, 0, 1], [[1, 0], [0.5, 0.5], [0, 1]])
    0.25
    """
    a, b, c, d = sums.pairs
    return 2.0 * (a * d - b * c) / _beyond_chance(a, b, c, d)


@index(
    title="Campello's fuzzy Jaccard index of pairs",
    best=1.0,
    range={HARD: (0.0, 1.0), FUZZY: (0.0, 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": HARD,
        "triangle": HARD,
        "normalized": ALL,
    },
    refuted={
        "reflexive": {FUZZY: Example(_SELF, _SELF)},
        "separating": {FUZZY: _BLIND},
        "triangle": {FUZZY: _SHORT_CUT},
        "zero_by_chance": _BY_CHANCE,
    },
    limits=_campello_limits(_together_in_any, "no pair is together in either clustering"),
    caveat=_FOR_A_HARD_REFERENCE,
    references=["campello2007"],
    formula=r"\frac{a}{a + b + c}",
    examples=[
        Example(_TRUTH, _FOUND, 1 / 3, source=f"{_BY_HAND}; a = b = c = 1/2, d = 3/2"),
        Example([[0.5, 0.5]] * 3, [[0.2] * 5] * 3, 1 / 3, source="by hand: both uniform"),
    ],
)
def campello_jaccard(sums: TNormPairs) -> Floats:
    """Of the fuzzy pairs together in at least one clustering, the share together in both.

    The fuzzy pair sums and options are those of `campello_rand`. For hard clusterings it is the Jaccard index
    of pairs.

    Pitfalls
    --------
    A fuzzy clustering does not score 1 against itself: two uniform ones score 1/3. Not corrected for chance.

    Examples
    --------
    >>> round(campello_jaccard([0, 0, 1], [[1, 0], [0.5, 0.5], [0, 1]]), 4)
    0.3333
    """
    return sums.pairs[0] / _together_in_any(*sums.pairs)


# --- concordance --------------------------------------------------------------------------------------

# the same distances between rows, though every row is another
_SHIFTED = Example([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]], [[0.125, 0.875], [0.375, 0.625], [0.625, 0.375]])


def _too_light(gaps: ConcordanceGaps) -> Array:
    return np.asarray((gaps.n_pairs <= 0.0) | (gaps.mean_gap > 1.0 + NOISE))


@index(
    symbol="NDC",
    aliases=["normalized_degree_of_concordance"],
    title="Normalized degree of concordance (Hüllermeier and Rifqi)",
    best=1.0,
    range={HARD: (0.0, 1.0), FUZZY: (0.0, 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": ALL,
        "separating": HARD,
        "triangle": ALL,
        "normalized": ALL,
    },
    refuted={
        "separating": {FUZZY: Example([[1.0]] * 3, [[1 / 3] * 3] * 3, kind=FUZZY)},
        "zero_by_chance": _BY_CHANCE,
    },
    limits=[
        Limit(lambda g: g.is_relabelling & (g.n_pairs <= 0.0), 1.0, _NO_PAIR),
        Limit(lambda g: g.n_pairs == 0.0, math.nan, _NO_PAIR),
        Limit(_too_light, math.nan, _TOO_LIGHT),
    ],
    references=["huellermeier2012"],
    formula=r"1 - \frac{2}{n (n - 1)} \sum_{i < j} \left| \tfrac12 \lVert u_i - u_j \rVert_1"
    r" - \tfrac12 \lVert v_i - v_j \rVert_1 \right|",
    examples=[
        Example(_TRUTH, _FOUND, 2 / 3, source="by hand: distances 0, 1, 1 against 1/2, 1, 1/2"),
        Example([[1.0]] * 3, [[1 / 3] * 3] * 3, 1.0, source="by hand: it sees no level"),
    ],
)
def hullermeier_rifqi(gaps: ConcordanceGaps) -> Floats:
    """How alike two clusterings see the distances of objects: 1 when every pair is equally far in both.

    The distance of two objects is half the L1 distance of their memberships. For hard clusterings it is the
    Rand index. A fuzzy clustering scores 1 against itself, and one minus the index is a pseudo-metric.

    Pitfalls
    --------
    It sees differences between objects only: all clusterings whose objects are all alike, "one cluster" and
    "uniform over three" among them, score 1. Not corrected for chance. Two soft clusterings cost time that
    grows with the square of the number of objects; one hard side makes it n log n.

    Examples
    --------
    >>> round(hullermeier_rifqi([0, 0, 1], [[1, 0], [0.5, 0.5], [0, 1]]), 4)
    0.6667
    """
    return 1.0 - gaps.mean_gap


def _no_chance(_: ConcordanceGaps, chance: ConcordanceChance) -> Array:
    noise = 0.0 if set(chance.kinds) == {HARD} else NOISE  # a table is exact
    return np.asarray(~(chance.expected_gap > noise))


@index(
    symbol="ACI",
    title="Adjusted concordance index",
    best=1.0,
    range={HARD: (-0.5, 1.0), FUZZY: (None, 1.0)},
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": ALL,
        "separating": HARD,
        "zero_by_chance": ALL,
    },
    refuted={
        "separating": {FUZZY: _SHIFTED},
        "triangle": {
            HARD: _ARI_SHORT_CUT,
            FUZZY: Example(
                [[0.9, 0.1], [1.0, 0.0], [0.5, 0.5]],
                [[0.7, 0.3], [0.5, 0.5], [0.0, 1.0]],
                [[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]],
            ),
        },
        "normalized": {
            HARD: _AGAINST_CHANCE,
            FUZZY: Example([[0.1, 0.9], [0.9, 0.1], [0.3, 0.7]], [[0.1, 0.9], [0.3, 0.7], [0.8, 0.2]]),
        },
    },
    limits=[
        Limit(lambda g, chance: g.is_relabelling & _no_chance(g, chance), 1.0, _SAME),
        Limit(lambda g, _: g.n_pairs == 0.0, math.nan, _NO_PAIR),
        Limit(lambda g, _: _too_light(g), math.nan, _TOO_LIGHT),
        Limit(_no_chance, math.nan, "all pairs of objects are equally far in both, so chance alone agrees"),
    ],
    references=["dambrosio2021", "huellermeier2012"],
    formula=r"1 - \frac{\overline{|x_p - y_p|}}{\overline{|x_p - y_q|}}, \quad p, q \text{ pairs of objects}",
    examples=[
        Example(_TRUTH, _FOUND, 1 / 4, source="by hand: mean gap 1/3, expected 1/3 + 1/3 - 2/9"),
        Example([0, 0, 1, 1], [0, 1, 0, 1], -0.5, source="by hand: the adjusted Rand index"),
    ],
)
def adjusted_concordance(
    gaps: ConcordanceGaps,
    chance: ConcordanceChance,
) -> Floats:
    """How far the degree of concordance (`hullermeier_rifqi`) lies above what shuffled objects give.

    1 for a fuzzy clustering against itself, 0 on average when the objects are shuffled. For hard clusterings
    it is the adjusted Rand index. The expectation is that over all shuffles, exact where one side is hard and
    up to 5000 objects; above that it is sampled from ``n_samples`` pairs of objects on each side, with the
    seed ``random_state``, and the caveat gives its standard error.

    Pitfalls
    --------
    No lower end is known for fuzzy clusterings. 1 says that the distances between objects agree, not the
    memberships. Undefined (nan) when all objects are alike in both clusterings, unless these are identical.

    Examples
    --------
    >>> round(adjusted_concordance([0, 0, 1], [[1, 0], [0.5, 0.5], [0, 1]]), 4)
    0.25
    """
    return 1.0 - gaps.mean_gap / chance.expected_gap
