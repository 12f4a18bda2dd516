"""Clusterings compared by belief masses of pairs (denoeux2018), and fuzzy ones by matched memberships."""

from __future__ import annotations

import math

import numpy as np

from partita.registry import (
    ALL,
    EVIDENTIAL,
    FUZZY,
    HARD,
    ROUGH,
    Array,
    Example,
    Floats,
    Limit,
    Literal,
    bound,
    index,
)
from partita.statistics import CredalGaps, PairNonspecificity, SharedMemberships

Gap = Literal["belief", "jousselme", "conflict"]

KINDS = (HARD, FUZZY, ROUGH, EVIDENTIAL)
# masses on clusters 0 and 1, on both of them, and on nothing
_SETS = [[1, 0], [0, 1], [1, 1], [0, 0]]
_MASSES = {"mass": [[0.6, 0.0, 0.4, 0.0], [0.5, 0.1, 0.2, 0.2], [0.0, 0.7, 0.0, 0.3]], "F": _SETS}
_EITHER = [[True, True], [True, False]]
_SELVES = {
    HARD: Example([0, 0, 0, 1, 1], [0, 0, 0, 1, 1]),
    FUZZY: Example([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]]),
    ROUGH: Example([*_EITHER, [False, True]], [*_EITHER, [False, True]]),
    EVIDENTIAL: Example(_MASSES, _MASSES),
}
NO_PAIR = "there is only one object, and so no pair"
FRACTIONS = "weights below one: an object makes less than no pair with itself"


def _past_its_ends(sums: Array, pairs: Array, is_whole: bool) -> Array:
    slack = 1e-9 * np.maximum(1.0, pairs)
    return np.asarray((not is_whole) & ((sums < -slack) | (sums > pairs + slack)))


@index(
    title="Credal Rand index",
    best=1.0,
    range=dict.fromkeys(KINDS, (0.0, 1.0)),
    claims={
        "symmetric": ALL,
        "relabelling_invariant": ALL,
        "reflexive": ALL,
        "separating": HARD,
        "triangle": ALL,
        "normalized": ALL,
    },
    refuted={
        "separating": {
            FUZZY: Example([[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5]]),
            ROUGH: Example(_EITHER, [[True, True], [True, True]]),
            EVIDENTIAL: Example(
                {"mass": [[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]], "F": _SETS},
                {"mass": [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]], "F": _SETS},
            ),
        },
        "zero_by_chance": _SELVES,
    },
    limits=[
        Limit(lambda g: (g.pairs <= 0) & g.are_same, 1.0, f"{NO_PAIR}; the clusterings are the same"),
        Limit(lambda g: np.asarray(g.pairs <= 0), math.nan, NO_PAIR),
        Limit(lambda g: _past_its_ends(g.gaps, g.pairs, g.is_whole), math.nan, FRACTIONS),
    ],
    references=["denoeux2018"],
    formula=r"1 - \binom{n}{2}^{-1} \sum_{i < j} \tfrac{1}{2} "
    r"\left( |\Delta m_{ij}(s)| + |\Delta m_{ij}(\neg s)| + |\Delta m_{ij}(\emptyset)| \right)",
    examples=[
        Example([0, 0, 1, 1], [0, 1, 0, 1], 1 / 3, source="by hand: the Rand index for hard clusterings"),
        Example(
            [[0.5, 0.5], [0.2, 0.8]],
            [[1.0, 0.0], [0.9, 0.1]],
            0.6,
            source="by hand: together 0.5 against 0.9",
        ),
        Example([0, 1], [[True, True], [True, True]], 0.5, source="by hand: apart 1 against 0"),
        Example(
            [0, 1],
            [[True, True], [True, True]],
            1.0,
            type="conflict",
            source="by hand: nothing contradicts a vacuous clustering",
        ),
        Example(
            [0, 1],
            [[True, True], [True, True]],
            1 - math.sqrt(0.5),
            type="jousselme",
            source="by hand: delta = (0, 0, 1, -1), so delta' J delta / 2 = 1/2",
        ),
    ],
)
def credal_rand(gaps: CredalGaps) -> Floats:
    """How alike the beliefs are that pairs of objects are together or apart, in two clusterings of any kind.

    Each pair has masses on "together", "apart", both and neither, by Dempster's rule (see
    `pairwise_masses`). ``type="belief"`` takes half the absolute differences of the beliefs,
    ``"jousselme"`` the distance of Jousselme, and ``"conflict"`` the conflict of the two masses. The first
    two score 1 for every clustering against itself, and one minus them is a pseudo-metric; "belief" is the
    default, since it needs no pass over pairs when a side is hard. "conflict" is a consistency: 1 for a
    clustering and any that does not contradict it, below 1 for a fuzzy one and itself. For hard
    clusterings all three are the Rand index, for fuzzy ones "belief" and "jousselme" are the same.

    Pitfalls
    --------
    Not corrected for chance. Only pairs are compared, so clusterings that differ can score 1 when they
    are soft. ``type="conflict"`` rewards saying nothing: a vacuous clustering agrees with every hard one.
    Noise of a hard clustering is a cluster here unless ``noise=`` says otherwise; mass on the empty set
    is not. Two soft sides take a look at every pair: n^2 / 2 of them, but for "conflict".

    Examples
    --------
    >>> round(credal_rand([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [0, 0, 1]), 4)
    0.7667
    >>> from partita import RoughPartition
    >>> vacuous = RoughPartition([[True, True], [True, True]])
    >>> credal_rand([0, 1], vacuous), credal_rand([0, 1], vacuous, type="conflict")
    (0.5, 1.0)
    """
    return np.asarray(1.0 - np.divide(gaps.gaps, gaps.pairs))


@index(
    title="Pairwise nonspecificity",
    best=None,
    range=dict.fromkeys(KINDS, (0.0, 1.0)),
    limits=[
        Limit(lambda p: np.asarray(p.pairs <= 0), math.nan, NO_PAIR),
        Limit(lambda p: _past_its_ends(p.undecided, p.pairs, p.is_whole), math.nan, FRACTIONS),
    ],
    constant=dict.fromkeys((HARD, FUZZY), "no object is given to a set of clusters, so that it is 0"),
    references=["denoeux2018"],
    formula=r"\binom{n}{2}^{-1} \sum_{i < j} m_{ij}(\emptyset) + m_{ij}(\{s, \neg s\})",
    examples=[
        Example([0, 0, 1], 0.0, source="by hand: no set has two clusters"),
        Example([[0.5, 0.5], [0.2, 0.8]], 0.0, source="by hand: no set has two clusters"),
        Example([[True, True]] * 3, 1.0, source="by hand: nothing is known of any pair"),
        Example([*_EITHER, [False, True]], 2 / 3, source="by hand: the first object settles no pair"),
        Example(
            {"mass": [[0.6, 0.0, 0.4, 0.0], [0.5, 0.1, 0.2, 0.2]], "F": _SETS},
            0.2 + 0.4 * 0.8 + 0.6 * 0.2,
            source="by hand: 0.2 on the empty set, overlaps 0.4 x 0.8 and 0.6 x 0.2",
        ),
    ],
)
def pairwise_nonspecificity(pairs: PairNonspecificity) -> Floats:
    """How much of the evidence on pairs settles neither "together" nor "apart": 0 hard or fuzzy, 1 vacuous.

    The mean over pairs of the mass on the empty set and on {together, apart}. It describes a clustering
    and has no best value: a hard one has 0 however wrong it is.

    Pitfalls
    --------
    Not the object-wise nonspecificity, the mean log size of the focal sets (``ambiguity`` of a
    partition). Fuzziness does not count: memberships of one half are perfectly specific here.

    Examples
    --------
    >>> from partita import RoughPartition
    >>> pairwise_nonspecificity(RoughPartition([[True, True], [True, False], [True, False]]))
    0.666...
    """
    return np.asarray(np.divide(pairs.undecided, pairs.pairs))


@index(
    symbol="FPD",
    aliases=["matching_l1"],
    title="Fuzzy partition distance",
    best=0.0,
    range=dict.fromkeys(
        (HARD, FUZZY),
        (0.0, bound("1 - 1 / max(k, k')", lambda s: 1.0 - 1.0 / np.maximum(s.most_clusters, 1))),
    ),
    claims=dict.fromkeys(
        ("symmetric", "relabelling_invariant", "reflexive", "separating", "triangle", "normalized"), ALL
    ),
    refuted={
        "zero_by_chance": {
            HARD: _SELVES[HARD],
            FUZZY: _SELVES[FUZZY],
        }
    },
    limits=[
        Limit(
            lambda s: s.is_too_large_to_pair,
            math.nan,
            "too many clusters for an optimal pairing; criterion_h pairs them greedily",
        )
    ],
    references=["zhou2005"],
    formula=r"1 - \frac{1}{n} \max_\pi \sum_i \sum_r \min(u_{ir}, v_{i \pi(r)})",
    examples=[
        Example([0, 0, 1, 1], [1, 1, 0, 2], 0.25, source="by hand: one object of four must move"),
        Example(
            [[0.9, 0.1], [0.2, 0.8]],
            [[0.3, 0.7], [0.6, 0.4]],
            0.2,
            source="by hand: columns exchanged, each object shares 0.8",
        ),
    ],
)
def fuzzy_partition_distance(shared: SharedMemberships) -> Floats:
    """The share of all membership that must move to turn one clustering into the other, clusters matched.

    Half the mean absolute difference of memberships under the best one-to-one matching of clusters, the
    smaller clustering being given empty ones. It is the distance of Zhou, Li and Zha with unit weights,
    and a metric up to the names of the clusters; for hard clusterings, the classification error.

    Pitfalls
    --------
    Each cluster has at most one partner: splitting a cluster in halves costs as much as breaking half of
    it up. Values are below 1 - 1 / max(k, k'), so they do not compare between numbers of clusters.

    Examples
    --------
    >>> round(fuzzy_partition_distance([[0.9, 0.1], [0.2, 0.8]], [1, 0]), 4)
    0.15
    """
    if shared.is_too_large_to_pair:
        return np.full(shared.shape, np.nan)  # the limit says why
    return np.asarray(1.0 - shared.best_total / shared.n)
