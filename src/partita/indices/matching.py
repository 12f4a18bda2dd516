"""Indices that match whole clusters with each other (franti2017 part VI), on hard and soft tables alike.

All of them are choices of `partita.set_matching`: a similarity, a way to match, a normalisation.
"""

from __future__ import annotations

import math

import numpy as np

from partita.indices.information import (
    ABOVE_CHANCE,
    FUZZY_PAIR,
    NOT_REFLEXIVE,
    ONE_CLUSTER_EACH,
    SCALED_TYPICALITIES,
    TYPICALITY_PAIR,
)
from partita.registry import ALL, FUZZY, HARD, POSSIBILISTIC, SOFT, Array, Example, Floats, Kind, Limit, index
from partita.statistics import Contingency, is_too_large_to_pair, matching_score

UNIT = {HARD: (0.0, 1.0), SOFT: (0.0, 1.0)}


def softened(*clusterings: list[int]) -> Example:
    """A counter-example that stays one when a hundredth of each membership goes to the other clusters."""
    spread = []
    for labels in clusterings:
        k = max(labels) + 1
        rest = 0.01 / (k - 1) if k > 1 else 0.0
        spread.append([[1.0 - rest * (k - 1) if c == label else rest for c in range(k)] for label in labels])
    return Example(*spread, kind=FUZZY)


SPLIT = Example([0, 0, 1, 1], [0, 1, 2, 3])
FUZZY_SPLIT = Example(
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5, 0.0], [0.3, 0.7, 0.0], [0.0, 0.0, 1.0]], kind=FUZZY
)
_THREE_FUZZY = [[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]
_THREE_TYPICAL = [[1.0, 0.4, 0.1], [0.3, 0.5, 1.0]]

NOT_BY_CHANCE = {
    "zero_by_chance": {**ABOVE_CHANCE, POSSIBILISTIC: Example(*TYPICALITY_PAIR, kind=POSSIBILISTIC)}
}
NOT_SYMMETRIC = {
    "symmetric": {
        HARD: Example([0, 0, 0, 1], [0, 0, 1, 2]),
        FUZZY: Example(FUZZY_PAIR[0], _THREE_FUZZY),
        POSSIBILISTIC: Example(TYPICALITY_PAIR[0], _THREE_TYPICAL, kind=POSSIBILISTIC),
    }
}
REFINEMENT_IS_BEST = {
    "separating": {HARD: SPLIT, FUZZY: FUZZY_SPLIT, POSSIBILISTIC: SCALED_TYPICALITIES},
}
SCALE_IS_LOST = {"separating": {POSSIBILISTIC: SCALED_TYPICALITIES}}


def _not_triangle(*typicalities: list[list[float]]) -> dict[str, dict[Kind, Example]]:
    """Fuzzy tables are laws of labels drawn together, which gives the inequality; scaled ones are not."""
    return {"triangle": {POSSIBILISTIC: Example(*typicalities, kind=POSSIBILISTIC)}}


def _of_pairs(table: Contingency, similarity: str, normalize: str) -> Floats:
    """The score of the optimal pairing; nan where the limit of too many clusters holds."""
    if is_too_large_to_pair(table, similarity):
        return np.full(table.shape, np.nan)
    return matching_score(table, similarity, "optimal", normalize)


def _too_many(similarity: str) -> Limit:
    return Limit(
        lambda t: is_too_large_to_pair(t, similarity),
        math.nan,
        "too many clusters for an optimal pairing; criterion_h pairs them greedily",
    )


ONE_EACH = Limit(lambda t: (t.n_rows <= 1) & (t.n_columns <= 1), 1.0, ONE_CLUSTER_EACH)


@index(
    aliases=["micro_average_precision"],
    title="Purity",
    best=1.0,
    range=UNIT,
    claims={
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "triangle": {HARD, FUZZY},
        "normalized": ALL,
    },
    refuted={
        **NOT_SYMMETRIC,
        "reflexive": NOT_REFLEXIVE,
        **REFINEMENT_IS_BEST,
        **_not_triangle(
            [[0.5, 1.0], [0.5, 0.0], [0.5, 0.0]], [[0.5], [0.5], [1.0]], [[1.0, 0.0], [0.5, 0.5], [1.0, 0.0]]
        ),
        **NOT_BY_CHANCE,
    },
    references=["zhao2004", "franti2017"],
    formula=r"\frac{1}{n} \sum_j \max_i n_{ij}",
    examples=[
        Example([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], 5 / 6, source="by hand: 2 + 1 + 2 of 6"),
        Example([0, 0, 1, 1], [0, 1, 2, 3], 1.0, source="by hand: single objects are pure"),
    ],
)
def purity(table: Contingency) -> Floats:
    """The share of objects in the majority class of their found cluster: 1 when every cluster is pure.

    Each found cluster is matched with the true one it overlaps most, one way. The micro-average precision
    is the same number.

    Pitfalls
    --------
    Not symmetric, and splitting clusters never lowers it: single objects are always pure. It is never
    below the share of the largest true cluster.

    Examples
    --------
    >>> round(purity([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4)
    0.8333
    """
    return matching_score(table, "overlap", "one_way", "objects", over="found")


@index(
    title="F-measure of clusters",
    best=1.0,
    range=UNIT,
    claims={
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": {HARD, FUZZY},
        "normalized": ALL,
    },
    refuted={
        **NOT_SYMMETRIC,
        "reflexive": NOT_REFLEXIVE,
        **SCALE_IS_LOST,
        "triangle": {
            HARD: Example([0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 2]),
            FUZZY: softened([0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 2]),
            POSSIBILISTIC: Example(
                [[0.5], [0.5]], [[1.0], [0.5]], [[1.0, 0.0], [1.0, 0.5]], kind=POSSIBILISTIC
            ),
        },
        **NOT_BY_CHANCE,
    },
    references=["larsen1999", "franti2017"],
    formula=r"\sum_i \frac{n_{i\cdot}}{n} \max_j \frac{2 n_{ij}}{n_{i\cdot} + n_{\cdot j}}",
    examples=[
        Example(
            [0, 0, 0, 1, 1, 1],
            [0, 0, 1, 1, 2, 2],
            0.8,
            source="by hand: each class of 3 has 2 objects in a cluster of 2, 4/5",
        )
    ],
)
def f_measure(table: Contingency) -> Floats:
    """How well each true class is found by its best cluster: 1 when the clusterings are identical.

    For each true class the harmonic mean of precision and recall (Sorensen-Dice) of the found cluster that
    fits it best, weighted by the size of the class.

    Pitfalls
    --------
    Not symmetric; one found cluster may serve several classes. Not the F-measure of pairs of objects, and
    not what mclustcomp calls so (which is not normalised). franti2017 garbles the fraction.

    Examples
    --------
    >>> round(f_measure([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4)
    0.8
    """
    return matching_score(table, "dice", "one_way", "sizes", over="truth")


@index(
    symbol="PD",
    aliases=["partition_distance"],
    title="Classification error",
    best=0.0,
    range=UNIT,
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": {HARD, FUZZY},
        "triangle": {HARD, FUZZY},
        "normalized": ALL,
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        **SCALE_IS_LOST,
        **_not_triangle([[1.0, 0.0]] * 3, [[0.5], [1.0], [1.0]], [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]),
        **NOT_BY_CHANCE,
    },
    limits=[_too_many("overlap")],
    references=["gusfield2002", "franti2017", "campagner2022"],
    formula=r"1 - \frac{1}{n} \max_\sigma \sum_i n_{i \sigma(i)}",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 1, 1], 0.25, source="by hand: one object of four must move"),
        Example(
            [0, 0, 0, 0, 1, 1, 2, 2],
            [0, 0, 1, 2, 1, 1, 2, 2],
            0.25,
            source="by hand: 2 + 2 + 2 of 8 in paired clusters",
        ),
    ],
)
def classification_error(table: Contingency) -> Floats:
    """The share of objects that must move to turn one clustering into the other: 0 when identical.

    One minus the accuracy under the best one-to-one pairing of clusters. A metric for hard clusterings.

    Pitfalls
    --------
    With unequal numbers of clusters the objects of clusters without a partner all count as errors. Large
    clusters decide it: losing a small one costs little.

    Examples
    --------
    >>> classification_error([0, 0, 1, 1], [0, 1, 1, 1])
    0.25
    """
    return 1.0 - _of_pairs(table, "overlap", "objects")


@index(
    symbol="NVD",
    title="Normalised van Dongen criterion",
    best=0.0,
    range=UNIT,
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": {HARD, FUZZY},
        "triangle": {HARD, FUZZY},
        "normalized": ALL,
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        **SCALE_IS_LOST,
        **_not_triangle(
            [[0.5, 0.5], [1.0, 1.0], [0.0, 0.5]],
            [[1.0], [0.5], [1.0]],
            [[0.0, 1.0], [1.0, 1.0], [0.5, 1.0]],
        ),
        **NOT_BY_CHANCE,
    },
    references=["vandongen2000", "franti2017"],
    formula=r"\frac{2n - \sum_i \max_j n_{ij} - \sum_j \max_i n_{ij}}{2n}",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 1, 1], 0.25, source="by hand: (8 - (1 + 2) - (1 + 2)) / 8"),
        Example([0, 0, 1, 1], [0, 1, 2, 3], 0.25, source="by hand: (8 - 2 - 4) / 8"),
    ],
)
def normalized_van_dongen(table: Contingency) -> Floats:
    """The share of objects outside the best match of their cluster, averaged over both directions.

    0 when the clusterings are identical. A metric for hard clusterings.

    Pitfalls
    --------
    It equals criterion_h and 1 - purity only where the best matches of both directions are each other's
    (franti2017 writes the equality without that condition, and prints 1 - NVD in the table for Unbalance).

    Examples
    --------
    >>> normalized_van_dongen([0, 0, 1, 1], [0, 1, 2, 3])
    0.25
    """
    return 1.0 - matching_score(table, "overlap", "two_way", "objects")


_TIED = ([0, 0, 1], [0, 1, 0], [1, 0, 1])
_TIED_MEMBERSHIPS = (
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]],
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]],
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]],
)


@index(
    title="Criterion H",
    best=0.0,
    range=UNIT,
    claims={"symmetric": ALL, "reflexive": HARD, "separating": {HARD, FUZZY}, "normalized": ALL},
    refuted={
        "relabelling_invariant": {
            HARD: Example(*_TIED),
            FUZZY: Example(*_TIED_MEMBERSHIPS),
            POSSIBILISTIC: Example(*_TIED_MEMBERSHIPS, kind=POSSIBILISTIC),
        },
        "reflexive": NOT_REFLEXIVE,
        **SCALE_IS_LOST,
        "triangle": {
            HARD: Example([0, 0, 0, 1], [0, 1, 1, 0], [0, 1, 2, 0]),
            FUZZY: Example(
                [[0.0, 1.0, 0.0], [1 / 3, 0.0, 2 / 3]],
                [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
                [[0.5, 0.0, 0.5], [2 / 3, 0.0, 1 / 3]],
                kind=FUZZY,
            ),
            POSSIBILISTIC: Example(
                [[1.0], [1.0], [0.5]],
                [[1.0], [0.5], [1.0]],
                [[0.5, 0.0], [0.5, 0.5], [1.0, 0.0]],
                kind=POSSIBILISTIC,
            ),
        },
        **NOT_BY_CHANCE,
    },
    references=["meila2001", "franti2017"],
    formula=r"1 - \frac{1}{n} \sum_i n_{i \sigma(i)}, \quad \sigma \text{ greedy by } n_{ij}",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 1, 1], 0.25, source="by hand: 2, then 1, of 4"),
        Example(
            [0, 0, 0, 0, 0, 1, 1],
            [0, 0, 0, 1, 1, 0, 0],
            4 / 7,
            source="by hand: 3 of 7 first, which leaves 0; the best pairing has 2 + 2",
        ),
    ],
)
def criterion_h(table: Contingency) -> Floats:
    """The share of objects outside paired clusters, the pairs taken greedily by their overlap.

    0 when the clusterings are identical. Cheaper than the optimal pairing of `classification_error`, and
    never below it.

    Pitfalls
    --------
    Ties go to the lowest cluster, so with ties the names of the clusters can change the value; the optimal
    pairing is free of that. franti2017 calls it CH, as others call Calinski-Harabasz.

    Examples
    --------
    >>> criterion_h([0, 0, 1, 1], [0, 1, 1, 1])
    0.25
    """
    return 1.0 - matching_score(table, "overlap", "greedy", "objects")


@index(
    symbol="GK",
    title="Goodman-Kruskal coefficient as franti2017 prints it",
    best=0.0,
    range=UNIT,
    claims={
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "triangle": {HARD, FUZZY},
        "normalized": ALL,
    },
    refuted={
        **NOT_SYMMETRIC,
        "reflexive": NOT_REFLEXIVE,
        **REFINEMENT_IS_BEST,
        **_not_triangle([[0.5, 0.0], [0.5, 0.5]], [[1.0], [1.0]], [[0.5], [1.0]]),
        **NOT_BY_CHANCE,
    },
    references=["franti2017"],
    formula=r"\sum_j \frac{n_{\cdot j}}{n} \left(1 - \max_i \frac{n_{ij}}{n_{\cdot j}}\right)",
    examples=[Example([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], 1 / 6, source="by hand: 1 - 5/6")],
)
def goodman_kruskal(table: Contingency) -> Floats:
    """The share of objects outside the majority class of their found cluster: 1 - purity.

    Pitfalls
    --------
    Not the coefficient of Goodman and Kruskal, which compares this error with that of knowing nothing:
    see `goodman_kruskal_lambda`. Not symmetric, and splitting clusters never raises it.

    Examples
    --------
    >>> round(goodman_kruskal([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4)
    0.1667
    """
    return 1.0 - matching_score(table, "overlap", "one_way", "objects", over="found")


def _no_error_to_remove(t: Contingency) -> Array:
    rounding = 0.0 if t.kinds == (HARD, HARD) else 1e-12
    return np.asarray(t.outside_largest_row <= rounding * t.n)


@index(
    title="Goodman and Kruskal's lambda",
    best=1.0,
    range=UNIT,
    claims={"relabelling_invariant": ALL, "reflexive": HARD, "normalized": ALL},
    refuted={
        **NOT_SYMMETRIC,
        "reflexive": NOT_REFLEXIVE,
        **REFINEMENT_IS_BEST,
        "triangle": {
            HARD: Example([0, 0, 0, 1], [0, 0, 1, 2], [0, 0, 1, 0]),
            FUZZY: softened([0, 0, 0, 1], [0, 0, 1, 2], [0, 0, 1, 0]),
            POSSIBILISTIC: Example(
                [[0.5, 0.0], [0.0, 0.5], [0.0, 0.5]],
                [[1.0, 0.0], [0.0, 1.0], [0.0, 0.5]],
                [[1.0, 0.0], [0.0, 0.5], [1.0, 0.0]],
                kind=POSSIBILISTIC,
            ),
        },
        **NOT_BY_CHANCE,
    },
    limits=[
        ONE_EACH,
        Limit(_no_error_to_remove, math.nan, "truth has a single cluster, so there is no error to remove"),
    ],
    references=["goodman1954"],
    formula=r"\lambda = \frac{\sum_j \max_i n_{ij} - \max_i n_{i\cdot}}{n - \max_i n_{i\cdot}}",
    examples=[
        Example([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], 2 / 3, source="by hand: (5 - 3) / (6 - 3)"),
        Example([0, 0, 0, 1], [0, 0, 1, 1], 0.0, source="by hand: the majority is class 0 everywhere"),
    ],
)
def goodman_kruskal_lambda(table: Contingency) -> Floats:
    """How much of the error in guessing the true class goes away when the found cluster is known.

    1 when every found cluster is pure, 0 when the guess stays the same. Purity, corrected for the largest
    class. The direction is truth given found; exchange the arguments for the other one.

    Pitfalls
    --------
    Not symmetric. It is 0 for clearly related clusterings whenever one class is the majority in every found
    cluster, and splitting clusters never lowers it.

    Examples
    --------
    >>> round(goodman_kruskal_lambda([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4)
    0.6667
    """
    errors = table.outside_largest_row
    return np.asarray((errors - table.outside_largest_cells.sum(axis=-1)) / errors)


_PSI_EXAMPLE = ([0, 0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 1, 1, 2, 2])
# pairs 2/4, 2/3, 2/3 (true sizes 4, 2, 2; found 2, 3, 3): S = 11/6; E = (3 + 2 + 2) / 8
_PSI_TOTAL, _PSI_EXPECTED = 11 / 6, 7 / 8


@index(
    symbol="PSI",
    title="Pair set index",
    best=1.0,
    range=UNIT,
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": {HARD, FUZZY},
        "normalized": ALL,
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        **SCALE_IS_LOST,
        "triangle": {
            HARD: Example([0, 0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 2]),
            FUZZY: softened([0, 0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 2]),
            POSSIBILISTIC: Example(
                [[0.0, 1.0], [1.0, 0.0]],
                [[0.0, 0.5], [1.0, 0.0]],
                [[0.5, 0.0], [0.5, 0.5]],
                kind=POSSIBILISTIC,
            ),
        },
        **NOT_BY_CHANCE,
    },
    limits=[_too_many("braun_banquet")],
    references=["rezaei2016", "franti2017"],
    formula=r"\max\left(0, \frac{S - E}{\max(k, k') - E}\right), \quad "
    r"S = \max_\sigma \sum_i \frac{n_{i\sigma(i)}}{\max(n_{i\cdot}, n_{\cdot\sigma(i)})}, \quad "
    r"E = \frac{1}{n} \sum_r \min(n_{(r)\cdot}, n_{\cdot(r)})",
    examples=[
        Example(
            *_PSI_EXAMPLE,
            (_PSI_TOTAL - _PSI_EXPECTED) / (3 - _PSI_EXPECTED),
            source="by hand: S = 2/4 + 2/3 + 2/3, E = (3 + 2 + 2) / 8",
        ),
        Example([0, 0, 0, 0], [0, 0, 1, 1], 0.0, source="by hand: S = E = 1/2"),
        Example([0, 0], [1, 1], 1.0, source="franti2017: 1 for K = K' = 1"),
    ],
)
def pair_set_index(table: Contingency) -> Floats:
    """The similarity of optimally paired clusters, each cluster counting alike, corrected for chance.

    1 when the clusterings are identical, 0 at the level of chance and below. Two clusters are as alike as
    the objects they share over the size of the larger one (Braun-Banquet); a small cluster that is lost
    costs as much as a large one. Chance is what clusters of equal rank by size would share.

    Pitfalls
    --------
    Clipped at 0, so its mean over shuffles is above 0. ELKI pairs the sizes in ascending order, which gives
    other values for unequal numbers of clusters; genieclust agrees with this one.

    Examples
    --------
    >>> round(pair_set_index([0, 0, 1, 1], [0, 1, 1, 1]), 4)
    0.3333
    """
    return _of_pairs(table, "braun_banquet", "chance")


@index(
    title="Simplified pair set index",
    best=1.0,
    range=UNIT,
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": {HARD, FUZZY},
        "triangle": {HARD, FUZZY},
        "normalized": ALL,
    },
    refuted={
        "reflexive": NOT_REFLEXIVE,
        **SCALE_IS_LOST,
        **_not_triangle([[0.5, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 0.5]], [[1.0, 0.0], [1.0, 1.0]]),
        **NOT_BY_CHANCE,
    },
    limits=[_too_many("braun_banquet")],
    references=["rezaei2016"],
    formula=r"\max\left(0, \frac{S - 1}{\max(k, k') - 1}\right), \quad "
    r"S = \max_\sigma \sum_i \frac{n_{i\sigma(i)}}{\max(n_{i\cdot}, n_{\cdot\sigma(i)})}",
    examples=[
        Example(*_PSI_EXAMPLE, (_PSI_TOTAL - 1) / 2, source="by hand: S = 2/4 + 2/3 + 2/3"),
        Example([0, 0], [1, 1], 1.0, source="as the pair set index: 1 for one cluster each"),
    ],
)
def simplified_pair_set_index(table: Contingency) -> Floats:
    """The pair set index with 1 for what chance gives: 1 when identical, 0 at the level of chance.

    One minus it is a metric for hard clusterings, which the pair set index itself is not.

    Pitfalls
    --------
    Another index than PSI: chance gives at most 1, so the correction is the largest possible and the value
    is never above PSI. Clipped at 0.

    Examples
    --------
    >>> round(simplified_pair_set_index([0, 0, 1, 1], [0, 1, 1, 1]), 4)
    0.1667
    """
    return _of_pairs(table, "braun_banquet", "simplified")
