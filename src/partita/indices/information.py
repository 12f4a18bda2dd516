"""Indices from information theory (lei2014 Table II), on hard and soft tables alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from partita.registry import (
    ALL,
    FUZZY,
    HARD,
    POSSIBILISTIC,
    SOFT,
    Above,
    Annotated,
    Array,
    Example,
    Floats,
    Limit,
    Literal,
    bound,
    index,
)
from partita.statistics import Contingency, CoupledContingency, MembershipMoments

Base = Annotated[float | None, Above(1)]

FUZZY_PAIR = ([[0.9, 0.1], [0.2, 0.8]], [[0.9, 0.1], [0.2, 0.8]])
TYPICALITY_PAIR = ([[1.0, 0.4], [0.3, 1.0]], [[1.0, 0.4], [0.3, 1.0]])

# A soft table is the joint law of two labels drawn independently for each object, so a soft clustering
# is not at distance 0 from itself.
NOT_REFLEXIVE = {
    FUZZY: Example(*FUZZY_PAIR),
    POSSIBILISTIC: Example(*TYPICALITY_PAIR, kind=POSSIBILISTIC),
}
# Typicalities that are scaled by object fill the same cells as the unscaled ones.
SCALED_TYPICALITIES = Example([[0.5, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], kind=POSSIBILISTIC)
ABOVE_CHANCE = {HARD: Example([0, 0, 1, 1], [0, 0, 1, 1]), FUZZY: Example(*FUZZY_PAIR)}
NO_CLAIM_BY_CHANCE = {"zero_by_chance": ABOVE_CHANCE}

# the reflexive table of definitions 2.3: opt in, since lei2014's indices are on N*
COUPLING = {"coupling": {"product": Contingency, "maximal": CoupledContingency}}
UNIT_INTERVAL = {HARD: (0.0, 1.0), SOFT: (0.0, 1.0)}

# 1 - I / H(U, V) and 1 - I / max(H(U), H(V)) are metrics of random variables; a fuzzy table is
# the law of two of them, so the triangle holds there as well
NORMALIZED_METRIC: dict[str, Any] = {
    "range": UNIT_INTERVAL,
    "claims": {
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": HARD,
        "separating": {HARD, FUZZY},
        "triangle": {HARD, FUZZY},
        "normalized": ALL,
    },
    "refuted": {
        "reflexive": NOT_REFLEXIVE,
        "separating": {POSSIBILISTIC: SCALED_TYPICALITIES},
        **NO_CLAIM_BY_CHANCE,
    },
}
NO_TRIANGLE = {HARD: Example([0, 0, 1, 1], [0, 1, 2, 3], [0, 1, 0, 1])}
NORMALIZED_SEMI_METRIC: dict[str, Any] = {
    "range": UNIT_INTERVAL,
    "claims": {claim: kinds for claim, kinds in NORMALIZED_METRIC["claims"].items() if claim != "triangle"},
    "refuted": {**NORMALIZED_METRIC["refuted"], "triangle": NO_TRIANGLE},
}

ONE_CLUSTER_EACH = "both clusterings have a single cluster"
ONE_CONSTANT = "one clustering has a single cluster, so they share no information"


def _both_constant(t: Contingency) -> Array:
    return (t.n_rows <= 1) & (t.n_columns <= 1)


def _one_constant(t: Contingency) -> Array:
    return (t.n_rows <= 1) | (t.n_columns <= 1)


SAME = Limit(_both_constant, 1.0, ONE_CLUSTER_EACH)
NOTHING_SHARED = Limit(_one_constant, 0.0, ONE_CONSTANT)


def unit(base: float | None) -> float:
    """The size of one unit of information: 1 for nats."""
    return 1.0 if base is None else math.log(base)


_SUM_OF_ENTROPIES = bound("H(U) + H(V)", lambda t, *, base: (t.row_entropy + t.column_entropy) / unit(base))
_SMALLER_ENTROPY = bound(
    "min(H(U), H(V))", lambda t, *, base: np.minimum(t.row_entropy, t.column_entropy) / unit(base)
)


@index(
    title="Entropy of a clustering",
    best=None,
    range={ALL: (0.0, bound("log k", lambda m, *, base: np.log(m.n_clusters) / unit(base)))},
    claims={"relabelling_invariant": ALL},
    limits=[Limit(lambda m: m.n_clusters == 0, math.nan, "all mass is on the empty set")],
    references=["lei2014"],
    formula=r"H(U) = -\sum_i p_i \log p_i",
    examples=[Example([0, 0, 1, 1], math.log(2), source="by hand: two halves")],
)
def entropy(moments: MembershipMoments, *, base: Base = None) -> Floats:
    """How evenly the objects are spread over the clusters: 0 for one cluster, log k for k equal ones.

    Describes one clustering by the sizes of its clusters, in nats unless ``base`` says otherwise. For soft
    clusterings the sizes are sums of memberships, for rough and evidential ones of plausibilities.

    Pitfalls
    --------
    It says nothing about how soft each object's membership is: that is the partition entropy. For
    typicalities it differs from the H(U) inside NMI and VI, which is a margin of the scaled table.

    Examples
    --------
    >>> entropy([0, 0, 1, 1], base=2)
    1.0
    """
    return moments.size_entropy / unit(base)


@index(
    title="Joint entropy",
    alternatives=COUPLING,
    given_sizes="entropy",
    separable=True,
    best=None,
    range={
        HARD: (0.0, _SUM_OF_ENTROPIES),
        SOFT: (0.0, _SUM_OF_ENTROPIES),
    },
    claims={"symmetric": ALL, "relabelling_invariant": ALL},
    references=["lei2014"],
    formula=r"H(U, V) = -\sum_{ij} p_{ij} \log p_{ij}",
    examples=[Example([0, 0, 1, 1], [0, 1, 0, 1], math.log(4), source="by hand: four equal cells")],
)
def joint_entropy(table: Contingency, *, base: Base = None) -> Floats:
    """How evenly the objects are spread over the cells of the contingency table.

    Describes both clusterings together, in nats unless ``base`` says otherwise.

    Pitfalls
    --------
    It has no direction: two clusterings can agree at any joint entropy.

    Examples
    --------
    >>> joint_entropy([0, 0, 1, 1], [0, 1, 0, 1], base=2)
    2.0
    """
    return table.joint_entropy / unit(base)


@index(
    symbol="MI",
    title="Mutual information",
    alternatives=COUPLING,
    given_sizes="entropy",
    separable=True,
    best=math.inf,
    range={
        HARD: (0.0, _SMALLER_ENTROPY),
        SOFT: (0.0, _SMALLER_ENTROPY),
    },
    claims={"symmetric": ALL, "relabelling_invariant": ALL},
    refuted={
        "reflexive": {HARD: Example([0, 0, 1, 1], [0, 0, 1, 1]), **NOT_REFLEXIVE},
        "normalized": {HARD: Example([0, 1, 2, 3], [0, 1, 2, 3])},
        **NO_CLAIM_BY_CHANCE,
    },
    references=["lei2014", "franti2017", "campagner2022"],
    formula=r"I(U, V) = \sum_{ij} p_{ij} \log \frac{p_{ij}}{p_{i\cdot}\, p_{\cdot j}}",
    caveat="grows with the number of clusters",
    examples=[
        Example([0, 0, 1, 1], [0, 0, 1, 1], math.log(2), source="by hand: one bit"),
        Example([0, 0, 1, 1], [0, 1, 0, 1], 0.0, source="by hand: independent"),
    ],
)
def mutual_information(table: Contingency, *, base: Base = None) -> Floats:
    """How much knowing one clustering tells about the other: 0 when they are independent.

    In nats unless ``base`` says otherwise.

    Pitfalls
    --------
    It grows with the number of clusters, so it cannot choose one: splitting clusters never lowers it.

    Examples
    --------
    >>> mutual_information([0, 0, 1, 1], ["b", "b", "a", "a"], base=2)
    1.0
    """
    return table.mutual_information / unit(base)


@index(
    title="Mutual information normalised by the joint entropy",
    alternatives=COUPLING,
    given_sizes="entropy",
    best=1.0,
    **NORMALIZED_METRIC,
    limits=[SAME],
    references=["lei2014"],
    formula=r"\frac{I(U, V)}{H(U, V)}",
    examples=[Example([0, 0, 1, 1], [0, 0, 0, 1], 0.207519, source="by hand: I = 0.215762, H = 1.039721")],
)
def nmi_joint(table: Contingency) -> Floats:
    """The share of all information that both clusterings have in common: 1 when they are identical.

    One minus it is the normalized variation of information, a metric for hard clusterings.

    Pitfalls
    --------
    Not corrected for chance: many small clusters score high against anything.

    Examples
    --------
    >>> nmi_joint([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return table.mutual_information / table.joint_entropy


@index(
    title="Mutual information normalised by the larger entropy",
    alternatives=COUPLING,
    given_sizes="entropy",
    best=1.0,
    **NORMALIZED_METRIC,
    limits=[SAME],
    references=["lei2014", "vinh2010"],
    formula=r"\frac{I(U, V)}{\max\{H(U), H(V)\}}",
    examples=[Example([0, 0, 1, 1], [0, 0, 0, 1], 0.311278, source="by hand: I = 0.215762, H = log 2")],
)
def nmi_max(table: Contingency) -> Floats:
    """The information in common as a share of the richer clustering's: 1 when they are identical.

    Pitfalls
    --------
    Not corrected for chance: many small clusters score high against anything.

    Examples
    --------
    >>> nmi_max([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return table.mutual_information / np.maximum(table.row_entropy, table.column_entropy)


@index(
    symbol="NMI",
    aliases=["normalized_mutual_information"],
    title="Mutual information normalised by the mean entropy",
    alternatives=COUPLING,
    given_sizes="entropy",
    best=1.0,
    **NORMALIZED_SEMI_METRIC,
    limits=[SAME],
    references=["lei2014", "strehl2002"],
    formula=r"\frac{2\, I(U, V)}{H(U) + H(V)}",
    examples=[
        Example([0, 0, 1, 1], [0, 0, 0, 1], 0.343711, source="by hand: 2 x 0.215762 / (0.693147 + 0.562335)")
    ],
)
def nmi_sum(table: Contingency) -> Floats:
    """The information in common as a share of the mean of both entropies: 1 when they are identical.

    The usual "NMI" of scikit-learn, equal to the V-measure.

    Pitfalls
    --------
    Not corrected for chance: many small clusters score high against anything. Packages disagree on
    which normalisation "NMI" means, so name this one in a paper.

    Examples
    --------
    >>> nmi_sum([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return 2.0 * table.mutual_information / (table.row_entropy + table.column_entropy)


@index(
    title="Mutual information normalised by the geometric mean entropy",
    alternatives=COUPLING,
    given_sizes="entropy",
    best=1.0,
    **NORMALIZED_SEMI_METRIC,
    limits=[SAME, NOTHING_SHARED],
    references=["lei2014", "strehl2002"],
    formula=r"\frac{I(U, V)}{\sqrt{H(U)\, H(V)}}",
    examples=[
        Example([0, 0, 1, 1], [0, 0, 0, 1], 0.345592, source="by hand: 0.215762 / sqrt(0.693147 x 0.562335)")
    ],
)
def nmi_sqrt(table: Contingency) -> Floats:
    """The information in common as a share of the geometric mean of both entropies.

    Pitfalls
    --------
    Not corrected for chance: many small clusters score high against anything.

    Examples
    --------
    >>> nmi_sqrt([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return table.mutual_information / np.sqrt(table.row_entropy * table.column_entropy)


@index(
    title="Mutual information normalised by the smaller entropy",
    alternatives=COUPLING,
    given_sizes="entropy",
    best=1.0,
    range=UNIT_INTERVAL,
    claims={"symmetric": ALL, "relabelling_invariant": ALL, "reflexive": HARD, "normalized": ALL},
    refuted={
        "reflexive": NOT_REFLEXIVE,
        "separating": {
            HARD: Example([0, 0, 1, 1], [0, 1, 2, 3]),
            FUZZY: Example([[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], kind=FUZZY),
            POSSIBILISTIC: SCALED_TYPICALITIES,
        },
        "triangle": NO_TRIANGLE,
        **NO_CLAIM_BY_CHANCE,
    },
    limits=[SAME, NOTHING_SHARED],
    references=["lei2014"],
    formula=r"\frac{I(U, V)}{\min\{H(U), H(V)\}}",
    caveat="grows with the number of clusters",
    examples=[Example([0, 0, 1, 1], [0, 0, 0, 1], 0.383689, source="by hand: 0.215762 / 0.562335")],
)
def nmi_min(table: Contingency) -> Floats:
    """The information in common as a share of the poorer clustering's: 1 when one refines the other.

    Pitfalls
    --------
    It grows with the number of clusters: every refinement of the truth scores 1, single objects included.

    Examples
    --------
    >>> nmi_min([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return table.mutual_information / np.minimum(table.row_entropy, table.column_entropy)


def _largest_hard_vi(t: Contingency, *, base: float | None) -> Array:
    by_clusters = 2.0 * np.log(np.maximum(t.n_rows, t.n_columns))
    return (np.minimum(np.log(t.n), by_clusters) if t.is_whole else by_clusters) / unit(base)


@index(
    symbol="VI",
    title="Variation of information",
    alternatives=COUPLING,
    given_sizes="entropy",
    separable=True,
    best=0.0,
    range={
        HARD: (0.0, bound("min(log n, 2 log max(k, k'))", _largest_hard_vi)),
        SOFT: (
            0.0,
            bound("log k + log k'", lambda t, *, base: (np.log(t.n_rows) + np.log(t.n_columns)) / unit(base)),
        ),
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
        "normalized": {
            HARD: Example([0, 0, 1, 1], [0, 1, 0, 1]),
            FUZZY: Example([[0.5, 0.5]] * 3, [[0.5, 0.5]] * 3),
        },
        **NO_CLAIM_BY_CHANCE,
    },
    references=["meila2007", "lei2014", "franti2017"],
    formula=r"H(U, V) - I(U, V)",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 0, 1], math.log(4), source="by hand: H = log 4, I = 0"),
        Example([[0.5, 0.5]] * 3, [[0.5, 0.5]] * 3, math.log(4), source="by hand: two fair coins"),
    ],
)
def variation_of_information(table: Contingency, *, base: Base = None) -> Floats:
    """How much must be told to turn one clustering into the other: 0 when they are identical.

    A metric for hard clusterings, in nats unless ``base`` says otherwise. Between soft clusterings it
    keeps the triangle inequality, but a soft clustering is not at distance 0 from itself: see
    `self_agreement`. ``coupling="maximal"`` mends that, here as in every index of this family: each object's
    two labels are then drawn to agree as often as they can, and a clustering scores best against itself.

    Pitfalls
    --------
    When the clusterings tell nothing about each other it is H(U) + H(V), which is least for the fewest
    clusters: a low value by itself is no proof of agreement.

    Examples
    --------
    >>> variation_of_information([0, 0, 1, 1], [0, 1, 0, 1], base=2)
    2.0
    """
    return (table.rows_given_columns + table.columns_given_rows) / unit(base)


@index(
    symbol="NVI",
    title="Normalized variation of information",
    alternatives=COUPLING,
    given_sizes="entropy",
    best=0.0,
    **NORMALIZED_METRIC,
    limits=[Limit(_both_constant, 0.0, ONE_CLUSTER_EACH)],
    references=["lei2014", "meila2007"],
    formula=r"1 - \frac{I(U, V)}{H(U, V)}",
    examples=[Example([0, 0, 1, 1], [0, 0, 0, 1], 0.792481, source="by hand: 1 - 0.215762 / 1.039721")],
)
def normalized_variation_of_information(table: Contingency) -> Floats:
    """The share of all information that only one of the clusterings has: 0 when they are identical.

    Pitfalls
    --------
    Not corrected for chance: many small clusters score low against anything.

    Examples
    --------
    >>> normalized_variation_of_information([0, 0, 1, 1], [0, 1, 0, 1])
    1.0
    """
    return (table.rows_given_columns + table.columns_given_rows) / table.joint_entropy


Average = Literal["arithmetic", "geometric", "max", "min", "joint"]


def _average_entropy(t: Contingency, average: str) -> Array:
    u, v = t.row_entropy, t.column_entropy
    if average == "joint":
        return t.joint_entropy
    means = {"arithmetic": (u + v) / 2.0, "geometric": np.sqrt(u * v), "max": np.maximum(u, v)}
    return np.asarray(means.get(average, np.minimum(u, v)))


def _all_singletons(t: Contingency) -> Array:
    return np.asarray((t.n_rows == t.n) & (t.n_columns == t.n))


NOT_WHOLE = "the expected value needs whole-number weights, of a sum below 2^53"


def _no_room_above_chance(t: Contingency, *, average: str) -> Array:
    highest = _average_entropy(t, average)
    return np.asarray(~t.is_relabelling & (highest - t.expected_mutual_information <= 1e-12 * highest))


def _lowest_adjusted(t: Contingency, *, average: str) -> Any:
    """1 - d(U, V) / E d(U, V'), V' a shuffle of V, where d = average - I: what it is at least.

    For the arithmetic mean (half of VI) and the maximum, d is a metric and shuffling both keeps it. With
    shuffles U' and V': d(U, V) <= d(U, V') + d(V', V) and d(V', V) <= d(V', U') + d(U', V), in the mean at
    most three times E d. The joint entropy is average + d of the arithmetic mean: half of that, below 0.

    For the minimum and the geometric mean, d <= log n and E d >= E H(V | U'), V the side with less entropy.
    U has two objects together (else I = H(V) always), which V' splits with probability 2 / n at least; the
    cluster they are in then adds 2 log 2 / n at least.
    """
    known = {"arithmetic": -2.0, "max": -2.0, "joint": -1.0}
    return known.get(average, 1.0 - np.square(t.n) * np.log(t.n) / math.log(16.0))


_NMI_BY_AVERAGE = {
    "arithmetic": "nmi_sum",
    "geometric": "nmi_sqrt",
    "max": "nmi_max",
    "min": "nmi_min",
}


def _by_shuffles(*, average: str) -> str:
    """NMI with this mean, corrected for chance: the same, since shuffles keep both entropies."""
    return f"adjusted({_NMI_BY_AVERAGE[average]})" if average in _NMI_BY_AVERAGE else ""


@index(
    symbol="AMI",
    title="Adjusted mutual information",
    given_sizes="entropy",
    best=1.0,
    range={HARD: (bound("-2 (less for min, geometric)", _lowest_adjusted), 1.0)},
    claims={
        "symmetric": HARD,
        "relabelling_invariant": HARD,
        "reflexive": HARD,
        "separating": HARD,
        "zero_by_chance": HARD,
    },
    refuted={
        "normalized": {HARD: Example([0, 0, 1, 1], [0, 1, 0, 1])},
        "triangle": {HARD: Example([0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 2])},
    },
    limits=[
        Limit(
            lambda t: ~t.is_whole,
            math.nan,
            NOT_WHOLE,
        ),
        SAME,
        Limit(_all_singletons, 1.0, "both clusterings have each object in a cluster of its own"),
        NOTHING_SHARED,
        Limit(_no_room_above_chance, math.nan, "every shuffle of the objects agrees as well as possible"),
    ],
    by_shuffles=_by_shuffles,
    references=["vinh2010"],
    formula=r"\frac{I - E[I]}{\operatorname{avg}(H(U), H(V)) - E[I]}",
    examples=[Example([0, 0, 1, 1], [0, 1, 0, 1], -0.5, source="by hand: I = 0, E[I] = log(2) / 3")],
)
def adjusted_mutual_information(table: Contingency, *, average: Average = "arithmetic") -> Floats:
    """The information in common beyond what clusters of these sizes share by chance: 1 when identical.

    0 is the mean over all ways to shuffle the objects. ``average`` chooses what counts as the most that
    could be shared; "arithmetic" is scikit-learn's default. The expected value is exact at any size. For
    soft clusterings objects are shuffled with their memberships, as in ``adjusted("nmi_sum")``: with all
    orders of a few objects, else with 999 drawn ones (not for "joint"). `compare` takes that name, and gives
    the standard error.

    Pitfalls
    --------
    Values below 0 mean worse than chance. A soft clustering does not score 1 against itself. Chance is
    shuffling whole objects, so there is no value for weights that are not whole, such as
    ``sample_weight="balanced"`` for classes of unequal sizes: what chance gives depends on how many objects
    are shuffled, while such weights keep shares only, and a shuffled object would take its weight from class
    to class. Without the correction ``nmi_sum`` takes them, and with one for pairs ``adjusted_rand``.

    Examples
    --------
    >>> round(adjusted_mutual_information([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]), 4)
    0.5024
    """
    highest = _average_entropy(table, average)
    expected = table.expected_mutual_information if table.is_whole else np.nan
    return np.where(table.is_relabelling, 1.0, (table.mutual_information - expected) / (highest - expected))
