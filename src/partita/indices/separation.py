"""How far apart clusters are, for how wide they are: Dunn, Davies-Bouldin, Xie-Beni."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from partita.registry import ALL, FUZZY, HARD, Above, Annotated, Example, Floats, Limit, index
from partita.statistics.clusters.dispersions import Dispersions, Radii
from partita.statistics.distances.cluster_gaps import ClusterGaps

Positive = Annotated[float, Above(0)]

NOT_NEGATIVE = {HARD: (0.0, None)}
INVARIANT = {"relabelling_invariant": ALL}
ONE_CLUSTER = Limit(
    lambda s: s.n_clusters < 2, math.nan, "there is one cluster only, and nothing to be apart from"
)
TOO_CLOSE = "two centres are so close that the ratio is beyond all numbers"
NO_WEIGHT = Limit(lambda s: s.weights.sum() == 0, math.nan, "no membership is left when raised to this power")
TWO_PAIRS = [[0.0], [2.0], [5.0], [7.0]]
UNLIKE_PAIRS = [[0.0], [1.0], [4.0], [6.0]]
FUZZY_PAIRS = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]


def _is_single(gaps: ClusterGaps | Radii) -> bool:
    return isinstance(gaps, ClusterGaps) and gaps.n_clusters < 2


def _is_zero_by_zero(gaps: ClusterGaps | Radii) -> bool:
    return isinstance(gaps, ClusterGaps) and gaps.widest == 0 and gaps.separation == 0


def _is_without_width(gaps: ClusterGaps | Radii) -> bool:
    return isinstance(gaps, ClusterGaps) and gaps.widest == 0


def _is_beyond_numbers(gaps: ClusterGaps | Radii) -> bool:
    return isinstance(gaps, ClusterGaps) and math.isinf(_dunn(gaps))


DUNN_LIMITS = [
    Limit(_is_single, math.nan, "there is one cluster only, and nothing to be apart from"),
    Limit(_is_zero_by_zero, math.nan, "no cluster has a width, and two lie on the same point: 0/0"),
    Limit(_is_without_width, math.inf, "no cluster has a width"),
    Limit(_is_beyond_numbers, math.inf, "clusters are so narrow that the ratio is beyond all numbers"),
]


@index(
    title="Dunn index",
    best=math.inf,
    range=NOT_NEGATIVE,
    claims=INVARIANT,
    limits=[
        *DUNN_LIMITS,
        Limit(
            lambda gaps: isinstance(gaps, Radii) and bool(np.isnan(gaps.shares).any()),
            math.nan,
            "a cluster has no spread to take a share of: 0/0",
        ),
    ],
    references=["dunn1974", "franti2017"],
    formula=r"\frac{\min_{i \neq j} \min_{x \in i, y \in j} d(x, y)}{\max_i \max_{x, y \in i} d(x, y)}",
    examples=[
        Example(UNLIKE_PAIRS, [0, 0, 1, 1], 1.5, source="by hand: 3 apart, 2 wide"),
        Example(UNLIKE_PAIRS, [0, 0, 1, 1], 1.0, variant="slide", source="by hand: 1/2 + 1/2"),
    ],
    alternatives={"variant": {"standard": ClusterGaps, "slide": Radii}},
    without=("delta", "diameter"),
)
def dunn(
    gaps: ClusterGaps,
) -> Floats:
    """The least distance between two clusters over the largest diameter: above 1, each is an island.

    ``metric`` is a name that SciPy knows, "precomputed" for a matrix of distances in the place of X, or
    "density" for density-connectivity distances with ``min_points``, which suit clusters of any shape; there
    noise is a cluster like others, which `dc_dunn` leaves out.

    ``variant="slide"`` is another quantity, which franti2017's Table B.1 prints under this name: the sum over
    clusters of the largest squared distance to the centre as a share of their sum.

    Pitfalls
    --------
    Two objects decide the numerator and two the denominator: one outlier ruins it. It takes n^2 distances.
    Infinite where no cluster has a width, as for n clusters of n different objects. The slide's quantity
    grows with the number of clusters.

    Examples
    --------
    >>> dunn([[0], [1], [4], [6]], [0, 0, 1, 1])
    1.5
    """
    return np.asarray(_dunn(gaps))


def _dunn(gaps: ClusterGaps | Radii) -> float:
    return float(gaps.shares.sum()) if isinstance(gaps, Radii) else gaps.separation / gaps.widest


@index(
    symbol="GDI",
    title="Generalised Dunn index",
    best=math.inf,
    range=NOT_NEGATIVE,
    claims=INVARIANT,
    limits=DUNN_LIMITS,
    references=["bezdek1998"],
    formula=r"\frac{\min_{i \neq j} \delta(i, j)}{\max_i \Delta(i)}",
    examples=[
        Example(UNLIKE_PAIRS, [0, 0, 1, 1], 2.25, source="by hand: mean distance 4.5, mean width 2"),
        Example(UNLIKE_PAIRS, [0, 0, 1, 1], 1.5, delta=1, diameter=1, source="by hand: Dunn's"),
        Example(UNLIKE_PAIRS, [0, 0, 1, 1], 3.0, delta=2, diameter=1, source="by hand: 6 / 2"),
        Example(UNLIKE_PAIRS, [0, 0, 1, 1], 2.25, delta=4, diameter=3, source="by hand: 4.5 / 2"),
        Example(UNLIKE_PAIRS, [0, 0, 1, 1], 2.25, delta=5, diameter=1, source="by hand: 18 / 4 / 2"),
        Example(UNLIKE_PAIRS, [0, 0, 1, 1], 2.5, delta=6, diameter=1, source="by hand: 5 / 2"),
    ],
    defaults={"delta": 3, "diameter": 2},
)
def generalized_dunn(
    gaps: ClusterGaps,
) -> Floats:
    """Dunn's quotient with other measures of distance and width: by default mean distances between objects.

    ``delta``, the distance of two clusters: 1 the least, 2 the largest, 3 the mean distance between their
    objects; 4 the distance of their centres; 5 the mean distance of their objects to the other's centre; 6
    the Hausdorff distance. ``diameter``, the width of a cluster: 1 the largest, 2 the mean distance of its
    objects; 3 twice the mean distance to its centre. With 1 and 1 it is Dunn's index.

    Pitfalls
    --------
    It takes n^2 distances but for delta 4 or 5 with diameter 3. Those measure distances to centres, so that
    they need data: precomputed distances do for the others. Values of different measures do not compare.

    Examples
    --------
    >>> generalized_dunn([[0], [1], [4], [6]], [0, 0, 1, 1])
    2.25
    """
    return np.asarray(gaps.separation / gaps.widest)


def _overlaps(spread: Dispersions, variant: str) -> Floats:
    return spread.squared_overlaps if variant == "squared" else spread.overlaps


@index(
    symbol="DBI",
    title="Davies-Bouldin index",
    family="compactness",  # it looks at centres, as its kin do, and at no gap
    best=0.0,
    range={HARD: (0.0, None), FUZZY: (0.0, None)},
    claims=INVARIANT,
    limits=[
        NO_WEIGHT,
        ONE_CLUSTER,
        Limit(
            lambda s, *, variant: np.isnan(_overlaps(s, variant)).any(),
            math.nan,
            "two clusters without spread lie on the same point: 0/0",
        ),
        Limit(lambda s: s.nearest_centers.min() == 0, math.inf, "two centres coincide"),
    ],
    references=["davies1979", "franti2017"],
    formula=r"\frac{1}{k} \sum_i \max_{j \neq i} \frac{S_i + S_j}{\lVert c_i - c_j \rVert_p}, \quad"
    r" S_i = \Bigl( \frac{1}{n_i} \sum_{x \in i} \lVert x - c_i \rVert_p^q \Bigr)^{1/q}",
    examples=[
        Example(TWO_PAIRS, [0, 0, 1, 1], 0.4, source="by hand: (1 + 1) / 5"),
        Example(TWO_PAIRS, [0, 0, 1, 1], 0.08, variant="squared", source="by hand: (1 + 1) / 25"),
        Example(
            [[0.0], [2.0], [6.0]],
            FUZZY_PAIRS,
            (0.64 + 1.28) / 4.8,
            source="by hand: centres 0.4 and 5.2, scatters (0.4 + 0.25 * 1.6) / 1.25 and twice that",
        ),
    ],
    without=("m",),
)
def davies_bouldin(
    spread: Dispersions,
    *,
    variant: Literal["standard", "squared"] = "standard",
) -> Floats:
    """How much each cluster overlaps with the one most like it, on average: 0 for tight clusters far apart.

    Scatter is the mean distance to the centre (``q=1``; 2 gives the root mean square), by the Minkowski norm
    ``p``. ``variant="squared"`` takes mean squared distances over squared distances, as franti2017's Table
    B.1 prints it. In a fuzzy partition objects count with their membership to the given ``power``, for
    centres and for scatters.

    Pitfalls
    --------
    The value depends on q: programs that take the root mean square print larger ones. It knows clusters by
    their centres only. Clusters of one object have no scatter and look perfect. It needs data: there are no
    centres in a matrix of distances; silhouette and dunn take these. Where centres coincide it is infinite;
    scikit-learn leaves such pairs out.

    Examples
    --------
    >>> davies_bouldin([[0], [2], [5], [7]], [0, 0, 1, 1])
    0.4
    """
    return np.asarray(_overlaps(spread, variant).mean())


@index(
    symbol="XB",
    title="Xie-Beni index",
    best=0.0,
    range={HARD: (0.0, None), FUZZY: (0.0, None)},
    claims=INVARIANT,
    limits=[
        NO_WEIGHT,
        ONE_CLUSTER,
        Limit(
            lambda s: s.nearest_centers.min() == 0 and s.squares.sum() == 0,
            math.nan,
            "two centres coincide, and no cluster has a spread: 0/0",
        ),
        Limit(lambda s: s.nearest_centers.min() == 0, math.inf, "two centres coincide"),
        Limit(lambda s: np.isinf(_xie_beni(s)), math.inf, TOO_CLOSE),
    ],
    references=["xie1991", "franti2017"],
    formula=r"\frac{\sum_i \sum_j u_{ij}^m \lVert x_i - c_j \rVert^2}"
    r"{n \min_{s \neq t} \lVert c_s - c_t \rVert^2}",
    examples=[
        Example(TWO_PAIRS, [0, 0, 1, 1], 0.04, source="by hand: 4 / (4 * 25)"),
        Example(
            [[0.0], [2.0], [6.0]],
            FUZZY_PAIRS,
            (0.16 + 0.25 * 2.56 + 0.25 * 10.24 + 0.64) / (3 * 23.04),
            source="by hand: centres 0.4 and 5.2",
        ),
    ],
    defaults={"m": 2.0},
    without=("q", "p"),
)
def xie_beni(
    spread: Dispersions,
) -> Floats:
    """The mean squared distance to the centres over the least squared distance of two centres: low is good.

    For a hard partition SSW / (n min). In a fuzzy one objects count with their memberships to the power
    ``m``; centres are means with memberships to the given ``power``. For fuzzy c-means with another fuzzifier
    than 2 set both to it.

    Pitfalls
    --------
    The two nearest centres alone decide the denominator. It falls towards 0 as the number of clusters comes
    near the number of objects. Some programs divide by n twice, or by the least distance of two objects. It
    needs data: there are no centres in a matrix of distances; silhouette and dunn take these.

    Examples
    --------
    >>> xie_beni([[0], [2], [5], [7]], [0, 0, 1, 1])
    0.04
    """
    return _xie_beni(spread)


def _xie_beni(spread: Dispersions) -> Floats:
    return np.asarray(spread.squares.sum() / (spread.total * spread.nearest_centers.min() ** 2))
