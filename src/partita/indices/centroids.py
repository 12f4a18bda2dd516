"""Indices that compare two clusterings by the centres of their clusters (franti2017 part VI)."""

from __future__ import annotations

import math

import numpy as np

from partita.registry import FUZZY, HARD, Array, Example, Floats, Limit, Literal, bound, index
from partita.statistics import Contingency
from partita.statistics.clusters.centroid_pairs import (
    MOST_PAIRS,
    CentroidPair,
    orphans_by_overlap,
    orphans_of,
)

BOTH = frozenset({HARD, FUZZY})
Way = Literal["symmetric", "forward", "backward"]
Variant = Literal["slide", "program"]

_LINE = [[0.0], [1.0], [2.0], [3.0]]
_HALVES, _SINGLES = [0, 0, 1, 1], [0, 1, 2, 3]
_UNDECIDED = [[0.5, 0.5]] * 4

# two pairs and a pair far away; found joins the first two and halves the far one
_SIX = [[0.0], [1.0], [4.0], [5.0], [20.0], [24.0]]
_THREE_PAIRS, _JOINED = [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2]

COINCIDENT = {
    "reflexive": {
        HARD: Example([[2.0], [2.0], [5.0]], [0, 1, 2], [0, 1, 2]),
        FUZZY: Example(_LINE, _UNDECIDED, _UNDECIDED),
    }
}
_NOT_BY_CHANCE = {"zero_by_chance": {HARD: Example(_LINE, _HALVES, _SINGLES)}}


@index(
    symbol="CI",
    title="Centroid index",
    best=0.0,
    range={BOTH: (0.0, bound("max(k, k') - 1", lambda pair: max(pair.n_truth, pair.n_found) - 1.0))},
    claims={"symmetric": BOTH},
    refuted={
        # 1 is as near to 0 as to 2; the first of them is taken
        "relabelling_invariant": {HARD: Example([[0.0], [2.0], [2.0]], [0, 1, 0], [2, 0, 1], [0, 1, 2])},
        **COINCIDENT,
        "separating": {
            HARD: Example([[2.0], [4.0], [4.0]], [0, 0, 1], [0, 1, 0]),
            FUZZY: Example(
                _LINE,
                [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]],
                [[0.8, 0.2], [0.8, 0.2], [0.2, 0.8], [0.2, 0.8]],
            ),
        },
        "triangle": {HARD: Example([[5.0], [4.0], [4.0]], [1, 1, 0], [0, 1, 1], [1, 0, 0])},
        "normalized": {HARD: Example(_LINE, _HALVES, _SINGLES)},
        **_NOT_BY_CHANCE,
    },
    references=["franti2014", "franti2017"],
    formula=r"\max\{\mathrm{CI}_1(C, C'), \mathrm{CI}_1(C', C)\}, \quad "
    r"\mathrm{CI}_1(C, C') = \left|\{j : j \ne \arg\min_l \lVert c_i - c'_l \rVert \ \forall i\}\right|",
    examples=[
        Example(
            _SIX,
            _THREE_PAIRS,
            _JOINED,
            1.0,
            source="by hand: the true centres 0.5, 4.5, 22 are next to 2.5, 2.5, 20, "
            "the found ones 2.5, 20, 24 next to 0.5, 22, 22",
        ),
        Example(_LINE, _HALVES, _SINGLES, 2.0, source="by hand: 0.5 and 2.5 are next to two of four centres"),
        Example(_LINE, _HALVES, _SINGLES, 0.0, way="backward", source="by hand: no true centre is an orphan"),
    ],
)
def centroid_index(pair: CentroidPair, *, way: Way = "symmetric") -> Floats:
    """How many clusters are located wrongly: 0 when the centres of both clusterings lie at the same places.

    Each centre of one side is mapped to the nearest of the other; a centre that nothing is mapped to is an
    orphan. The index counts orphans: among the found ones (``way="forward"``, CI_1), the true ones
    ("backward"), or the larger number ("symmetric", CI_2). Two sets of centres, such as ``cluster_centers_``,
    need no data: ``centroid_index(centers=G, found_centers=C)``.

    Pitfalls
    --------
    It judges the places of centres, not the objects: 0 does not mean that the clusterings are the same. Of
    equally near centres the first is taken, so with ties the names of the clusters can change the value, and
    two clusters with the same centre make an orphan even against themselves. Centres of fuzzy clusterings are
    weighted by squared memberships. Made for compact clusters around a centre.

    Examples
    --------
    >>> centroid_index([[0], [1], [4], [5], [20], [24]], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2])
    1.0
    """
    return orphans_of(pair, way)


def _once(shared: Floats, target: Array) -> float:
    """The sum over targets of the most that one source shares with them."""
    most = np.zeros(int(target.max()) + 1)
    np.maximum.at(most, target, shared)
    return float(most.sum())


@index(
    symbol="CSI",
    title="Centroid similarity index",
    best=1.0,
    range={BOTH: (0.0, 1.0)},
    claims={"symmetric": BOTH, "separating": HARD, "normalized": BOTH},
    refuted={
        "relabelling_invariant": {HARD: Example([[0.0], [0.0], [5.0]], [1, 0, 0], [0, 1, 2], [1, 2, 0])},
        **COINCIDENT,
        "triangle": {HARD: Example([[8.0], [1.0], [4.0], [2.0]], [0, 2, 2, 0], [1, 1, 1, 1], [0, 0, 1, 0])},
        **_NOT_BY_CHANCE,
    },
    limits=[
        Limit(
            lambda pair: pair.table is None,
            math.nan,
            "centres alone share no objects; with X they follow the nearest centre",
        )
    ],
    references=["franti2014", "franti2017"],
    formula=r"\frac{1}{2n} \Big(\sum_i n_{i q_i} + \sum_j n_{q'_j j}\Big), "
    r"\quad q_i = \arg\min_j \lVert c_i - c'_j \rVert, \ q'_j = \arg\min_i \lVert c_i - c'_j \rVert",
    examples=[
        Example(
            _SIX,
            _THREE_PAIRS,
            _JOINED,
            (2 + 1 + 2 + 1) / 12,
            variant="program",
            source="by hand: 2 objects in the joined cluster and 1 at 20, both ways",
        ),
        Example(
            _SIX,
            _THREE_PAIRS,
            _JOINED,
            (2 + 2 + 1 + 2 + 1 + 1) / 12,
            source="by hand: both pairs of the joined cluster, both halves of the far pair",
        ),
    ],
)
def centroid_similarity_index(pair: CentroidPair, *, variant: Variant = "slide") -> Floats:
    """The share of objects in clusters that are matched by their centres: 1 when identical.

    Clusters are matched as for `centroid_index`, in both directions, and the objects they share are counted.
    When several clusters have the same nearest one, all of them count (``variant="slide"``, the formula of
    franti2017), or only the one that shares most with it ("program", as in the authors' program). Of two sets
    of centres the objects follow the nearest centre: ``centroid_similarity_index(X, centers=G,
    found_centers=C)``.

    Pitfalls
    --------
    The values that franti2017 prints for k-means on S1 to S4 are those of ``variant="program"``, not of its
    formula; those for better clusterings of S3 and S4 are given by neither. Of equally near centres the first
    is taken, so with ties the names of the clusters can change the value, and two clusters with the same
    centre lower it even against themselves.

    Examples
    --------
    >>> centroid_similarity_index([[0], [1], [4], [5], [20], [24]], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2])
    0.75
    """
    assert pair.table is not None
    forward, backward = pair.shared_forward, pair.shared_backward
    if variant == "slide":
        shared = forward.sum() + backward.sum()
    else:
        shared = _once(forward, pair.nearest_found) + _once(backward, pair.nearest_truth)
    return np.asarray(shared / (2.0 * pair.table.n))


@index(
    title="Centroid ratio",
    best=1.0,
    range={BOTH: (0.0, 1.0)},
    claims={"symmetric": BOTH, "reflexive": BOTH, "normalized": BOTH},
    refuted={
        "relabelling_invariant": {
            HARD: Example([[3.0], [3.0], [0.0], [0.0]], [0, 0, 0, 1], [1, 0, 1, 1], [0, 1, 0, 0])
        },
        "separating": {HARD: Example([[3.0], [3.0], [0.0]], [0, 0, 1], [0, 1, 1])},
        "triangle": {HARD: Example([[1.0], [5.0], [4.0]], [1, 1, 0], [0, 1, 0], [1, 0, 0])},
        "zero_by_chance": {HARD: Example(_LINE, _HALVES, _HALVES)},
    },
    limits=[
        Limit(
            lambda pair: pair.n_truth != pair.n_found,
            math.nan,
            "it pairs centres, so both sides need as many of them",
        ),
        Limit(lambda pair: pair.n_truth == 1, 1.0, "there is one centre on each side"),
        Limit(
            lambda pair: pair.n_truth * pair.n_found > MOST_PAIRS,
            math.nan,
            "too many centres to sort all pairs of them",
        ),
    ],
    references=["zhao2014", "franti2017"],
    formula=r"1 - \frac{1}{k} \left|\{i : \lVert c_i - c'_{\sigma(i)} \rVert^2 > "
    r"\min_{l \ne i} \lVert c_i - c_l \rVert "
    r"\min_{l \ne \sigma(i)} \lVert c'_{\sigma(i)} - c'_l \rVert\}\right|",
    examples=[
        Example(
            _SIX,
            _THREE_PAIRS,
            _JOINED,
            2 / 3,
            source="by hand: 0.5-2.5 and 22-20 are stable (4 <= 4 * 17.5, 4 <= 17.5 * 4), 4.5-24 is not "
            "(380.25 > 4 * 4)",
        ),
        Example(
            _LINE, _HALVES, [0, 0, 0, 1], 1.0, source="by hand: 0.5 and 2.5 against 1 and 3: 0.25 <= 2 * 2"
        ),
    ],
)
def centroid_ratio(pair: CentroidPair) -> Floats:
    """The share of clusters whose centre stays at its place: 1 when none is lost.

    Centres are paired, the nearest two first. A pair is unstable when its squared distance exceeds the
    product of the distances from each of its centres to the nearest other one of the same side; one minus the
    share of unstable pairs is the index. Two sets of centres need no data:
    ``centroid_ratio(centers=G, found_centers=C)``.

    Pitfalls
    --------
    This definition is not verified: franti2017 names the index without a formula, and the paper it comes from
    was not at hand, so take values as ours until they are checked against it. Equal numbers of clusters only.
    It judges the places of centres, not the objects, and with tied distances the names of the clusters can
    change the value.

    Examples
    --------
    >>> round(centroid_ratio([[0], [1], [4], [5], [20], [24]], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2]), 4)
    0.6667
    """
    return np.asarray(1.0 - pair.unstable / pair.n_truth)


def _orphans_by_nearness(pair: CentroidPair, *, way: Way = "symmetric") -> Floats:
    """The generalised index of two sets of centres: by overlap where they share objects, else by nearness."""
    return orphans_of(pair, way) if pair.table is None else orphans_by_overlap(pair.table, way)


@index(
    title="Generalised centroid index",
    best=0.0,
    range={HARD: (0.0, bound("max(k, k') - 1", lambda t: np.maximum(t.n_rows, t.n_columns) - 1.0))},
    claims={"symmetric": HARD, "reflexive": HARD},
    refuted={
        "relabelling_invariant": {HARD: Example([0, 0, 1, 1, 2], [0, 1, 0, 2, 1], [1, 0, 1, 2, 0])},
        "separating": {HARD: Example([0, 0, 0, 1], [0, 0, 1, 1])},
        "triangle": {HARD: Example([0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 0])},
        "normalized": {HARD: Example([0, 0, 1, 1], [0, 1, 2, 3])},
        "zero_by_chance": {HARD: Example([0, 0, 1, 1], [0, 1, 2, 3])},
    },
    references=["franti2014", "franti2017"],
    formula=r"\max\{\mathrm{CI}_1, \mathrm{CI}'_1\}, \quad \mathrm{CI}_1 = \left|\{j : j \ne "
    r"\arg\max_l \frac{n_{il}}{n_{i\cdot} + n_{\cdot l} - n_{il}} \ \forall i\}\right|",
    examples=[
        Example(
            [0, 0, 1, 1], [0, 1, 2, 3], 2.0, source="by hand: two classes are most like two of four clusters"
        ),
        Example(
            [0, 0, 1, 1], [0, 1, 2, 3], 0.0, way="backward", source="by hand: each class has its clusters"
        ),
        Example(
            _THREE_PAIRS,
            _JOINED,
            1.0,
            source="by hand: two classes are most like the joined cluster, one is split",
        ),
        Example([0, 0, 0, 1], [0, 0, 1, 1], 0.0, source="by hand: Jaccard 2/3 and 1/2, one for each"),
    ],
    of_centers=_orphans_by_nearness,
)
def generalized_centroid_index(table: Contingency, *, way: Way = "symmetric") -> Floats:
    """How many clusters have no counterpart on the other side: 0 when each is the most similar of some other.

    The centroid index for clusterings without centres: the nearest cluster is that of largest Jaccard
    overlap. A cluster that is nearest to none is an orphan; ``way`` as for `centroid_index`. Of two sets of
    centres the objects follow the nearest centre: ``generalized_centroid_index(centers=G, found_centers=C,
    X=X)``; without X the nearest cluster is that of nearest centre, and this is the centroid index.

    Pitfalls
    --------
    It counts clusters, not objects: 0 does not mean that the clusterings are the same. Of equally similar
    clusters the first is taken, so with ties the names of the clusters can change the value.

    Examples
    --------
    >>> generalized_centroid_index([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2])
    1.0
    """
    return orphans_by_overlap(table, way)
