"""Indices that look one way: what the found clusters tell about the true classes, and the reverse."""

from __future__ import annotations

import math

import numpy as np

from partita.indices.information import (
    COUPLING,
    FUZZY_PAIR,
    NO_CLAIM_BY_CHANCE,
    NO_TRIANGLE,
    NORMALIZED_SEMI_METRIC,
    NOT_REFLEXIVE,
    NOTHING_SHARED,
    SAME,
    SCALED_TYPICALITIES,
    UNIT_INTERVAL,
    Base,
    unit,
)
from partita.registry import (
    ALL,
    FUZZY,
    HARD,
    POSSIBILISTIC,
    SOFT,
    Above,
    Annotated,
    Example,
    Floats,
    Limit,
    bound,
    index,
)
from partita.statistics import Contingency

LOG_CLASSES = bound("log k", lambda t, *, base: np.log(t.n_rows) / unit(base))


@index(
    aliases=["conditional_entropy"],
    title="Entropy of the true classes inside the found clusters",
    alternatives=COUPLING,
    given_sizes="entropy",
    separable=True,
    best=0.0,
    range={
        HARD: (0.0, LOG_CLASSES),
        SOFT: (0.0, LOG_CLASSES),
    },
    claims={"relabelling_invariant": ALL, "reflexive": HARD, "triangle": {HARD, FUZZY}},
    refuted={
        "symmetric": {
            HARD: Example([0, 0, 1, 1], [0, 1, 2, 3]),
            FUZZY: Example(FUZZY_PAIR[0], [[0.5, 0.5]] * 2),
        },
        "reflexive": NOT_REFLEXIVE,
        "separating": {HARD: Example([0, 0, 1, 1], [0, 1, 2, 3]), POSSIBILISTIC: SCALED_TYPICALITIES},
        "normalized": {HARD: Example([0, 1, 2, 3], [0, 0, 0, 0])},
        **NO_CLAIM_BY_CHANCE,
    },
    references=["franti2017"],
    formula=r"H(G \mid P) = H(G, P) - H(P) = -\sum_{ij} p_{ij} \log \frac{p_{ij}}{p_{\cdot j}}",
    examples=[
        Example([0, 0, 1, 1], [0, 0, 0, 0], math.log(2), source="by hand: one cluster of two halves"),
        Example([0, 0, 1, 1], [0, 1, 2, 3], 0.0, source="by hand: every cluster is pure"),
    ],
)
def class_entropy(table: Contingency, *, base: Base = None) -> Floats:
    """How mixed the found clusters are: the entropy of the true classes in each, weighted by its size.

    The "entropy" of franti2017's list; 0 when every found cluster is pure. In nats unless ``base`` says
    otherwise.

    Pitfalls
    --------
    Not symmetric, and splitting clusters never raises it: single objects are always pure.

    Examples
    --------
    >>> class_entropy([0, 0, 1, 1], [0, 0, 0, 0], base=2)
    1.0
    """
    return table.rows_given_columns / unit(base)


@index(
    title="Homogeneity",
    alternatives=COUPLING,
    given_sizes="entropy",
    best=1.0,
    range=UNIT_INTERVAL,
    claims={"relabelling_invariant": ALL, "reflexive": HARD, "normalized": ALL},
    refuted={
        "symmetric": {
            HARD: Example([0, 0, 1, 1], [0, 1, 2, 3]),
            FUZZY: Example(FUZZY_PAIR[0], [[0.6, 0.4], [0.4, 0.6]]),
        },
        "reflexive": NOT_REFLEXIVE,
        "separating": {HARD: Example([0, 0, 1, 1], [0, 1, 2, 3]), POSSIBILISTIC: SCALED_TYPICALITIES},
        "triangle": NO_TRIANGLE,
        **NO_CLAIM_BY_CHANCE,
    },
    limits=[
        Limit(lambda t: t.n_rows <= 1, 1.0, "truth has a single cluster, so every found cluster is pure")
    ],
    references=["rosenberg2007"],
    formula=r"1 - \frac{H(G \mid P)}{H(G)} = \frac{I(G, P)}{H(G)}",
    examples=[Example([0, 0, 1, 1], [0, 1, 2, 3], 1.0, source="rosenberg2007: splitting keeps homogeneity")],
)
def homogeneity(table: Contingency) -> Floats:
    """How pure the found clusters are: 1 when each holds members of a single true class.

    Pitfalls
    --------
    Splitting clusters never lowers it; read it together with completeness.

    Examples
    --------
    >>> homogeneity([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return table.mutual_information / table.row_entropy


@index(
    title="Completeness",
    alternatives=COUPLING,
    given_sizes="entropy",
    best=1.0,
    range=UNIT_INTERVAL,
    claims={"relabelling_invariant": ALL, "reflexive": HARD, "normalized": ALL},
    refuted={
        "symmetric": {
            HARD: Example([0, 0, 1, 1], [0, 1, 2, 3]),
            FUZZY: Example(FUZZY_PAIR[0], [[0.6, 0.4], [0.4, 0.6]]),
        },
        "reflexive": NOT_REFLEXIVE,
        "separating": {HARD: Example([0, 0, 1, 1], [0, 0, 0, 0]), POSSIBILISTIC: SCALED_TYPICALITIES},
        "triangle": NO_TRIANGLE,
        **NO_CLAIM_BY_CHANCE,
    },
    limits=[Limit(lambda t: t.n_columns <= 1, 1.0, "found has a single cluster, so no class is split")],
    references=["rosenberg2007"],
    formula=r"1 - \frac{H(P \mid G)}{H(P)} = \frac{I(G, P)}{H(P)}",
    examples=[Example([0, 0, 1, 1], [0, 1, 2, 3], 0.5, source="by hand: log 2 / log 4")],
)
def completeness(table: Contingency) -> Floats:
    """How well the true classes are kept together: 1 when each lies in a single found cluster.

    Pitfalls
    --------
    One cluster for everything scores 1; read it together with homogeneity.

    Examples
    --------
    >>> completeness([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return table.mutual_information / table.column_entropy


@index(
    title="V-measure",
    alternatives=COUPLING,
    given_sizes="entropy",
    best=1.0,
    **NORMALIZED_SEMI_METRIC,
    limits=[SAME, NOTHING_SHARED],
    references=["rosenberg2007"],
    formula=r"\frac{(1 + \beta)\, h\, c}{\beta h + c}",
    examples=[Example([0, 0, 1, 1], [0, 1, 2, 3], 2 / 3, source="by hand: h = 1, c = 1/2")],
)
def v_measure(table: Contingency, *, beta: Annotated[float, Above(0)] = 1.0) -> Floats:
    """The harmonic mean of homogeneity and completeness: 1 when the clusterings are identical.

    ``beta`` above 1 weighs completeness more, below 1 homogeneity. With beta = 1 it equals `nmi_sum`.

    Pitfalls
    --------
    Not corrected for chance. Symmetric only for beta = 1.

    Examples
    --------
    >>> round(v_measure([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    0.6667
    """
    # with h = I / H(G) and c = I / H(P) put in, nothing is left to divide by that could vanish
    return (1.0 + beta) * table.mutual_information / (table.row_entropy + beta * table.column_entropy)
