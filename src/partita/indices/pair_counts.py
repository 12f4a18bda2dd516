"""The four pair counts that all pair indices are made of (franti2017 part VI).

Throughout, a pair of objects is together in both clusterings (a), in truth only (b), in found only (c), or
in neither (d). franti2017's slides exchange b and c between text and formulas; names are safer.
"""

from __future__ import annotations

from partita.registry import ALL, HARD, SOFT, Example, Floats, bound, index
from partita.statistics import Contingency, PairMoments

# franti2017's example, read as the 17-object table that its four counts fit
RAND_TRUTH = [0] * 6 + [1] * 6 + [2] * 5
RAND_FOUND = [0] * 5 + [1] + [0] + [1] * 4 + [2] + [0] * 2 + [2] * 3

# the same formulas on the soft pair counts of the co-association (rovetta2009: "many other cases")
COASSOCIATION = {"pairs": {"distinct": Contingency, "coassociation": PairMoments}}

ALL_PAIRS = bound("n (n - 1) / 2", lambda t: t.n * (t.n - 1.0) / 2.0)
HALF_SQUARE = bound("n^2 / 2", lambda t: t.n * t.n / 2.0)


@index(
    title="Pairs together in both clusterings",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    separable=True,
    best=None,
    range={HARD: (0.0, ALL_PAIRS), SOFT: (None, HALF_SQUARE)},
    claims={"symmetric": ALL, "relabelling_invariant": ALL},
    references=["franti2017", "hubert1985"],
    formula=r"a = \sum_{ij} \binom{n_{ij}}{2}",
    examples=[Example(RAND_TRUTH, RAND_FOUND, 20, source="franti2017, Rand index: a = 20")],
)
def pairs_in_both(table: Contingency) -> Floats:
    """How many pairs of objects share a cluster in both clusterings; exact up to 1.3 x 10^8 objects.

    Pitfalls
    --------
    Negative on soft tables whose cells hold less than one object each.

    Examples
    --------
    >>> pairs_in_both([0, 0, 1, 1], [0, 0, 0, 1])
    1.0
    """
    return table.pairs[0]


@index(
    title="Pairs together in truth only",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    separable=True,
    best=None,
    range={HARD: (0.0, ALL_PAIRS), SOFT: (0.0, HALF_SQUARE)},
    claims={"relabelling_invariant": ALL},
    refuted={"symmetric": {HARD: Example([0, 0, 1, 1], [0, 0, 0, 1])}},
    references=["franti2017", "hubert1985"],
    formula=r"b = \sum_i \binom{n_{i\cdot}}{2} - a",
    examples=[Example(RAND_TRUTH, RAND_FOUND, 20, source="franti2017 part VI, in the order of its text")],
)
def pairs_in_truth_only(table: Contingency) -> Floats:
    """How many pairs of objects share a true cluster but no found one.

    Pitfalls
    --------
    franti2017's text and formulas exchange this count with `pairs_in_found_only`.

    Examples
    --------
    >>> pairs_in_truth_only([0, 0, 1, 1], [0, 0, 0, 1])
    1.0
    """
    return table.pairs[1]


@index(
    title="Pairs together in found only",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    separable=True,
    best=None,
    range={HARD: (0.0, ALL_PAIRS), SOFT: (0.0, HALF_SQUARE)},
    claims={"relabelling_invariant": ALL},
    refuted={"symmetric": {HARD: Example([0, 0, 1, 1], [0, 0, 0, 1])}},
    references=["franti2017", "hubert1985"],
    formula=r"c = \sum_j \binom{n_{\cdot j}}{2} - a",
    examples=[Example(RAND_TRUTH, RAND_FOUND, 24, source="franti2017 part VI, in the order of its text")],
)
def pairs_in_found_only(table: Contingency) -> Floats:
    """How many pairs of objects share a found cluster but no true one.

    Pitfalls
    --------
    franti2017's text and formulas exchange this count with `pairs_in_truth_only`.

    Examples
    --------
    >>> pairs_in_found_only([0, 0, 1, 1], [0, 0, 0, 1])
    2.0
    """
    return table.pairs[2]


@index(
    title="Pairs together in neither clustering",
    alternatives=COASSOCIATION,
    given_sizes="squares",
    separable=True,
    best=None,
    range={HARD: (0.0, ALL_PAIRS), SOFT: (0.0, HALF_SQUARE)},
    claims={"symmetric": ALL, "relabelling_invariant": ALL},
    references=["franti2017", "hubert1985"],
    formula=r"d = \binom{n}{2} - a - b - c",
    examples=[Example(RAND_TRUTH, RAND_FOUND, 72, source="franti2017, Rand index: d = 72")],
)
def pairs_in_neither(table: Contingency) -> Floats:
    """How many pairs of objects are apart in both clusterings; exact up to 1.3 x 10^8 objects.

    Pitfalls
    --------
    With many clusters nearly all pairs are here, which is why the Rand index is then close to 1.

    Examples
    --------
    >>> pairs_in_neither([0, 0, 1, 1], [0, 0, 0, 1])
    2.0
    """
    return table.pairs[3]
