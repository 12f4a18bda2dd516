"""Validity of clusters of any shape, and of noise, by density."""

from __future__ import annotations

import math

import numpy as np

from partita.registry import HARD, Example, Floats, Limit, index
from partita.statistics.distances.cluster_gaps import ConnectedGaps
from partita.statistics.distances.density import DensityConnectivity
from partita.statistics.distances.density_scores import DensityScores


def _same_place(parts: DensityConnectivity) -> bool:
    return bool((np.maximum(parts.separation, parts.sparseness) == 0.0).any())


# 0, 1 | 5, 6: both core distances are 1, so each pair is as sparse as 1; the nearest objects are 4 apart
_PAIRS = ([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
# Both core distances are 4, 3, 2, 3, 4, so that the ends are 4 from all others of their chain, and the rest 3
# from each other; the chains are 6 apart.
_FIVES = ([[float(x)] for x in (0, 1, 2, 3, 4, 10, 11, 12, 13, 14)], [0] * 5 + [1] * 5)
# d = 1, so a core distance is the harmonic mean of the distances to the others:
#   0: 3/(1 + 1/2 + 1/3) = 18/11    1: 3/(1 + 1 + 1/2) = 6/5    2 as 1    3 as 0
# The tree is the chain 0-1-2-3, its internal edge 1-2 has length 6/5.
# The other chain 10-11-12-13 is the same; the nearest internal objects 2 and 11 are 9 apart.
_CHAINS = ([[float(x)] for x in (0, 1, 2, 3, 10, 11, 12, 13)], [0, 0, 0, 0, 1, 1, 1, 1])


@index(
    title="Density-based clustering validation",
    best=1.0,
    range={HARD: (-1.0, 1.0)},
    claims={"relabelling_invariant": HARD},
    limits=[
        Limit(
            lambda p: p.n_clusters < 2,
            math.nan,
            "there are no two clusters of more than one object, so nothing is separate",
        ),
        Limit(_same_place, math.nan, "all objects of two clusters lie on one point"),
        Limit(
            lambda p: ~np.isfinite(np.maximum(p.sparseness, p.separation)).all(),
            math.nan,
            "core distances are beyond the range of numbers",
        ),
    ],
    references=["moulavi2014"],
    formula=r"\sum_i \frac{n_i}{n} \frac{\min_{j \ne i} \mathrm{DSPC}_{ij} - \mathrm{DSC}_i}"
    r"{\max(\min_{j \ne i} \mathrm{DSPC}_{ij}, \mathrm{DSC}_i)}, \quad "
    r"a(x) = \Big(\frac{1}{n_i - 1} \sum_{y \ne x} d(x, y)^{-d}\Big)^{-1/d}, \quad "
    r"r(x, y) = \max(a(x), a(y), d(x, y))",
    examples=[
        Example(*_PAIRS, 0.75, source="by hand: (4 - 1) / 4 for both"),
        Example(*_CHAINS, 1 - (6 / 5) / 9, source="by hand: (9 - 6/5) / 9 for both"),
        Example(
            [*_CHAINS[0], [6.0], [7.0]],
            [*_CHAINS[1], -1, -1],
            0.8 * (1 - (6 / 5) / 9),
            source="by hand: noise counts in n only",
        ),
    ],
)
def dbcv(
    parts: DensityConnectivity,
) -> Floats:
    """How much sparser it is between the clusters than inside: near 1 for dense clusters far apart.

    For clusters of any shape. Each cluster is as sparse as the longest internal edge of its minimum spanning
    tree (DSC), and as separate as the least reach between its internal objects and those of another cluster
    (DSPC). The reach of two objects is their distance, or the core distance of either if that is larger: the
    mean distance to its whole cluster, in which near objects count most. A negative value says that it is
    denser between clusters than inside. `partita.statistics.DensityConnectivity` has the values of each
    cluster.

    ``metric`` is a name that scipy's `cdist` knows, or "precomputed" for a matrix of distances in the place
    of X; ``dimension`` is the exponent d, the number of features by default, to be given with distances.

    Pitfalls
    --------
    Noise (label -1 beside others) is noise here: with noise="cluster" or "singletons" these objects are in no
    cluster and count in n, so they lower the value; noise="ignore" leaves them out. A cluster of one object
    counts as noise too. In a cluster of two or three objects, and in any whose tree is a star, no edge is
    internal: all its edges count. The authors' program does the same, but takes squared distances, for which
    set metric="sqeuclidean", and gives 0 for a single cluster, which has no value here.

    Spanning trees of reaches are seldom unique, and other programs give other values for other orders of the
    objects; here the shorter distance decides, and the value does not depend on the order. Equal objects add
    nothing to each other's core distance. For large d core distances are distances to the nearest object, and
    all values come close together.

    Examples
    --------
    >>> dbcv([[0], [1], [5], [6]], [0, 0, 1, 1])
    0.75
    """
    return np.asarray((parts.sizes * parts.validities).sum() / parts.total)


TOO_FEW = "there are fewer objects than min_points, so that none has a core distance"


@index(
    title="Density-based internal score for clusterings with noise",
    best=1.0,
    range={HARD: (-1.0, 1.0)},
    claims={"relabelling_invariant": HARD},
    limits=[
        Limit(lambda s: s.n_clusters == 0, -1.0, "every object is noise"),
        Limit(
            lambda s: s.n_clusters == 1 and not s.is_noise.any(),
            0.0,
            "there is one cluster and no noise, and nothing to be apart from",
        ),
        Limit(lambda s: s.has_too_few, math.nan, TOO_FEW),
    ],
    references=["beer2026", "beer2023"],
    formula=r"\frac{1}{n} \sum_x \rho(x), \quad "
    r"\rho(x) = \frac{b(x) - a(x)}{\max(a(x), b(x))} \text{ in clusters}, \quad "
    r"\rho(x) = \min_C \frac{\kappa(x) - \kappa(C)}{\max(\kappa(x), \kappa(C))} \text{ for noise}, \quad "
    r"\kappa(C) = \max_{y \in C} \kappa(y)",
    examples=[
        Example(*_FIVES, 23 / 60, source="by hand: 2/5 of (6 - 4) / 6 and 3/5 of (6 - 7/2) / 6"),
        Example(
            [*_FIVES[0], [30.0]],
            [*_FIVES[1], -1],
            (10 * 23 / 60 + 15 / 19) / 11,
            source="by hand: noise has (19 - 4) / 19, its core distance against the largest in a cluster",
        ),
        Example(
            [*_FIVES[0][:5], [11.0]],
            [0, 0, 0, 0, 0, -1],
            (2 * 6 / 10 + 3 * 6.5 / 10 + 6 / 10) / 6,
            source="by hand: one cluster, (10 - 4) / 10 and (10 - 7/2) / 10; noise (10 - 4) / 10",
        ),
        Example(*_PAIRS, 0.75, min_points=2, source="by hand: (4 - 1) / 4 for all"),
    ],
)
def disco(scores: DensityScores) -> Floats:
    """Mean score of all labels by density, noise included: 1 at best, negative where labels are misplaced.

    For clusters of any shape, and for noise. An object of a cluster has its silhouette in
    density-connectivity distances: the largest step on the best path between two objects, where a step is as
    long as the distance of its ends, or the core distance of either if that is larger. The core distance is
    the distance to the ``min_points``-th nearest object, itself being the first. A noise object is compared
    with the sparsest object of each cluster: above 0 it is sparser than all of them.

    ``metric`` is the distance to start from: a name that SciPy knows, or "precomputed" for a matrix of
    distances in the place of X. `partita.statistics.DensityScores` has the score of each object.

    Pitfalls
    --------
    Noise (label -1) is scored with noise="cluster", the default; noise="ignore" leaves it out.
    The paper takes the smaller of two scores for noise; the second, by the distance to the clusters, is never
    the smaller one, so that one sparse object in any cluster lowers the score of all noise. An object alone
    in its cluster has 0, and so has one cluster without noise. It takes n^2 distances.

    Examples
    --------
    >>> disco([[0], [1], [5], [6]], [0, 0, 1, 1], min_points=2)
    0.75
    """
    return np.asarray(scores.each @ scores.scores / scores.each.sum())


def _zero_by_zero(gaps: ConnectedGaps) -> bool:
    return gaps.widest == 0.0 and gaps.separation == 0.0


@index(
    title="Density-connectivity Dunn index",
    best=math.inf,
    range={HARD: (0.0, None)},
    claims={"relabelling_invariant": HARD},
    limits=[
        Limit(lambda gaps: gaps.has_too_few, math.nan, TOO_FEW),
        Limit(
            lambda gaps: gaps.n_clusters < 2,
            math.nan,
            "there are no two clusters, and nothing to be apart from",
        ),
        Limit(_zero_by_zero, math.nan, "no cluster has a width, and two lie on the same point: 0/0"),
        Limit(lambda gaps: gaps.widest == 0.0, math.inf, "no cluster has a width"),
        Limit(
            lambda gaps: np.isinf(gaps.separation / gaps.widest),
            math.inf,
            "clusters are so narrow that the ratio is beyond all numbers",
        ),
    ],
    references=["beer2023", "dunn1974", "beer2026"],
    formula=r"\frac{\min_{i \neq j} \min_{x \in i, y \in j} d(x, y)}{\max_i \max_{x, y \in i} d(x, y)}",
    examples=[
        Example(*_FIVES, 1.5, source="by hand: 6 apart, 4 wide"),
        Example([*_FIVES[0], [7.0]], [*_FIVES[1], -1], 1.5, source="by hand: noise is left out"),
        Example(*_PAIRS, 4.0, min_points=2, source="by hand: 4 apart, 1 wide"),
    ],
)
def dc_dunn(gaps: ConnectedGaps) -> Floats:
    """The least density-connectivity distance between two clusters over the largest inside one: high is good.

    Dunn's index for clusters of any shape: above 1, every cluster is more densely connected inside than with
    the others. The distance is the largest step on the best path between two objects, where a step is as long
    as the distance of its ends, or the core distance of either if that is larger. The core distance is the
    distance to the ``min_points``-th nearest object, itself being the first.

    ``metric`` is the distance to start from: a name that SciPy knows, or "precomputed" for a matrix of
    distances in the place of X. Without noise it is ``dunn`` with ``metric="density"``.

    Pitfalls
    --------
    Noise objects (label -1) are left out before distances are taken, with noise="cluster" too; with
    noise="singletons" each is a cluster. One sparse object in any cluster lowers the value. Infinite where no
    cluster has a width, as for n clusters of n different objects. It takes n^2 distances.

    Examples
    --------
    >>> dc_dunn([[0], [1], [5], [6]], [0, 0, 1, 1], min_points=2)
    4.0
    """
    return np.asarray(gaps.separation / gaps.widest)
