"""Validity of clusters of any shape, by density."""

from __future__ import annotations

import math

import numpy as np

from partita.registry import HARD, Example, Floats, Limit, index
from partita.statistics.distances.density import DensityConnectivity


def _same_place(parts: DensityConnectivity) -> bool:
    return bool((np.maximum(parts.separation, parts.sparseness) == 0.0).any())


# 0, 1 | 5, 6: both core distances are 1, so each pair is as sparse as 1; the nearest objects are 4 apart
_PAIRS = ([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
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
