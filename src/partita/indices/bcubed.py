"""BCubed: precision and recall of each object's cluster, averaged over objects (bagga1998, amigo2009)."""

from __future__ import annotations

from partita.indices.information import NOT_REFLEXIVE
from partita.indices.matching import (
    NOT_BY_CHANCE,
    NOT_SYMMETRIC,
    REFINEMENT_IS_BEST,
    SCALE_IS_LOST,
    SPLIT,
    UNIT,
    softened,
)
from partita.registry import ALL, FUZZY, HARD, POSSIBILISTIC, Example, Floats, index
from partita.statistics import Contingency

MERGED = Example([0, 1, 2, 3], [0, 0, 1, 1])
FUZZY_MERGED = Example(
    [[0.5, 0.5, 0.0], [0.3, 0.7, 0.0], [0.0, 0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], kind=FUZZY
)
COARSENING_IS_BEST = {
    "separating": {
        HARD: MERGED,
        FUZZY: FUZZY_MERGED,
        POSSIBILISTIC: SCALE_IS_LOST["separating"][POSSIBILISTIC],
    }
}


@index(
    title="BCubed precision",
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
        **NOT_BY_CHANCE,
    },
    references=["bagga1998", "amigo2009"],
    formula=r"\frac{1}{n} \sum_{ij} \frac{n_{ij}^2}{n_{\cdot j}}",
    examples=[
        Example(
            [0, 0, 0, 1, 1, 1],
            [0, 0, 1, 1, 2, 2],
            5 / 6,
            source="by hand: 1, 1, 1/2, 1/2, 1, 1 for the six objects",
        ),
        Example(*SPLIT.inputs, 1.0, source="by hand: single objects are pure"),
    ],
)
def bcubed_precision(table: Contingency) -> Floats:
    """The share of an object's found cluster that is of its own true class, averaged over objects.

    The object itself is counted. 1 exactly when no found cluster mixes classes. It is the chance that an
    object, and one drawn from its found cluster, are of one class; one minus it is the mean Gini impurity.

    Pitfalls
    --------
    Not symmetric, and splitting clusters never lowers it: single objects have precision 1. For a sample of
    the objects it is too high, since an object weighs more in what is left of its cluster; see
    ``compare(..., sample=...)``.

    Examples
    --------
    >>> round(bcubed_precision([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4)
    0.8333
    """
    return table.mean_precision


@index(
    title="BCubed recall",
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
        **COARSENING_IS_BEST,
        **NOT_BY_CHANCE,
    },
    references=["bagga1998", "amigo2009"],
    formula=r"\frac{1}{n} \sum_{ij} \frac{n_{ij}^2}{n_{i\cdot}}",
    examples=[
        Example(
            [0, 0, 0, 1, 1, 1],
            [0, 0, 1, 1, 2, 2],
            5 / 9,
            source="by hand: 2/3, 2/3, 1/3, 1/3, 2/3, 2/3 for the six objects",
        ),
        Example(*MERGED.inputs, 1.0, source="by hand: single objects are in one cluster"),
    ],
)
def bcubed_recall(table: Contingency) -> Floats:
    """The share of an object's true class that is in its own found cluster, averaged over objects.

    The object itself is counted. 1 exactly when no class is split over found clusters.

    Pitfalls
    --------
    Not symmetric, and merging clusters never lowers it: one cluster of all objects has recall 1. For a sample
    of the objects it is too high, as is the precision; see ``compare(..., sample=...)``.

    Examples
    --------
    >>> round(bcubed_recall([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4)
    0.5556
    """
    return table.mean_recall


@index(
    title="BCubed F",
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
            HARD: Example([0, 1, 2, 3], [0, 1, 2, 2], [0, 0, 1, 1]),
            FUZZY: softened([0, 1, 2, 3], [0, 1, 2, 2], [0, 0, 1, 1]),
        },
        **NOT_BY_CHANCE,
    },
    references=["bagga1998", "amigo2009"],
    formula=r"\frac{2 P R}{P + R}",
    examples=[
        Example(
            [0, 0, 0, 1, 1, 1],
            [0, 0, 1, 1, 2, 2],
            2 / 3,
            source="by hand: precision 5/6, recall 5/9",
        ),
    ],
)
def bcubed_f(table: Contingency) -> Floats:
    """The harmonic mean of BCubed precision and recall: 1 exactly when the clusterings are identical.

    Of the extrinsic measures that amigo2009 compares, the one that meets all four of its constraints:
    clusters that are homogeneous, classes that are not split, one cluster for what belongs nowhere, and
    small errors in large clusters before large errors in small ones.

    Pitfalls
    --------
    Not corrected for chance, and not a metric. The F-measure of clusters (``f_measure``) is another.

    Examples
    --------
    >>> round(bcubed_f([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4)
    0.6667
    """
    precision, recall = table.mean_precision, table.mean_recall
    return 2.0 * precision * recall / (precision + recall)
