"""Silhouettes: is an object nearer to its own cluster than to the next one."""

from __future__ import annotations

import math

import numpy as np

from partita.registry import ALL, FUZZY, HARD, Above, Annotated, Example, Floats, Limit, bound, index
from partita.statistics.clusters.dispersions import CentroidSilhouettes, Dispersions
from partita.statistics.distances.distance_sums import DistanceSums, cluster_silhouettes, silhouette_samples

__all__ = [
    "cluster_silhouettes",
    "fuzzy_silhouette",
    "macro_silhouette",
    "sci",
    "silhouette",
    "silhouette_samples",
    "simplified_silhouette",
]

BETWEEN_MINUS_ONE_AND_ONE = {HARD: (-1.0, 1.0)}
INVARIANT = {"relabelling_invariant": ALL}
ONE_CLUSTER = Limit(
    lambda s: s.n_clusters < 2, math.nan, "there is one cluster only, and nothing to be apart from"
)
TWO_PAIRS = [[0.0], [2.0], [5.0], [7.0]]


@index(
    aliases=["silhouette_coefficient"],
    title="Silhouette",
    best=1.0,
    range=BETWEEN_MINUS_ONE_AND_ONE,
    claims=INVARIANT,
    limits=[ONE_CLUSTER],
    references=["rousseeuw1987", "franti2017"],
    formula=r"\frac{1}{n} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}",
    examples=[
        Example([[0.0], [1.0], [5.0]], [0, 0, 1], 31 / 60, source="by hand: (4/5 + 3/4 + 0) / 3"),
        Example(
            TWO_PAIRS, [0, 0, 1, 1], (2 * (33 / 37) + 2 * (13 / 17)) / 4, variant="squared", source="by hand"
        ),
    ],
)
def silhouette(
    sums: DistanceSums,
) -> Floats:
    """How much nearer objects are to their own cluster than to the next one: 1 well inside, below 0 outside.

    For each object, a is the mean distance to the others of its cluster, and b the least mean distance to
    another cluster. `silhouette_samples` gives the value of each object, `cluster_silhouettes` the mean of
    each cluster.

    ``metric`` is a name that SciPy knows, "precomputed" for a matrix of distances in the place of X, or
    "density" for density-connectivity distances, which suit clusters of any shape: the largest step on the
    best path between two objects, no step being shorter than the distance to the ``min_points``-th nearest
    object from either end. ``sample_size`` takes about so many objects, from each cluster its share (30 at
    least, where it has as many), each against all: the caveat then gives the standard error.
    ``variant="squared"`` takes squared Euclidean distances, as franti2017's Table B.1 prints it. Of large
    sparse data, cosine and squared distances come from sums over clusters, without a look at pairs; a row of
    zeros has no cosine, and is refused.

    Pitfalls
    --------
    It takes n^2 distances: `simplified_silhouette` or ``sample_size`` are for large n, in chunks too. An
    object alone in its cluster has 0, so that n clusters of n objects have 0 too; where a and b are 0 it is
    0. It favours round clusters of equal spread, and often two of them. Large clusters count most; in
    `macro_silhouette` all count the same. Other programs square distances (Spark).

    Examples
    --------
    >>> round(silhouette([[0], [1], [5]], [0, 0, 1]), 4)
    0.5167
    """
    return np.asarray(sums.mean_silhouette)


@index(
    aliases=["macro_averaged_silhouette"],
    title="Macro-averaged silhouette",
    best=1.0,
    range=BETWEEN_MINUS_ONE_AND_ONE,
    claims=INVARIANT,
    limits=[ONE_CLUSTER],
    references=["pavlopoulos2024", "rousseeuw1987"],
    formula=r"\frac{1}{k} \sum_c \frac{1}{n_c} \sum_{i \in c} \frac{b_i - a_i}{\max(a_i, b_i)}",
    examples=[
        Example([[0.0], [1.0], [5.0]], [0, 0, 1], 31 / 80, source="by hand: ((4/5 + 3/4) / 2 + 0) / 2"),
        Example(
            [[0.0], [2.0], [10.0], [12.0]],
            [0, 0, 1, 1],
            0.797979797979798,
            source="the example of the Python package sil-score (macro_sil_score)",
        ),
    ],
    without=("variant", "sample_size", "random_state"),
)
def macro_silhouette(sums: DistanceSums) -> Floats:
    """The mean over clusters of the mean silhouette of each: 1 well inside, below 0 outside.

    All clusters count the same, however many objects they have: a small cluster that is badly placed shows.
    ``metric`` and ``min_points`` are those of `silhouette`, which is the mean over objects;
    `cluster_silhouettes` gives the mean of each cluster.

    Pitfalls
    --------
    It takes n^2 distances. A cluster of one object has 0, and counts as much as one of thousands: a few
    outliers that are clusters of their own lower the value as much as large clusters can.

    Examples
    --------
    >>> round(macro_silhouette([[0], [1], [5]], [0, 0, 1]), 4)
    0.3875
    """
    return np.asarray(sums.cluster_silhouettes.mean())


@index(
    title="Simplified silhouette",
    best=1.0,
    range=BETWEEN_MINUS_ONE_AND_ONE,
    claims=INVARIANT,
    limits=[ONE_CLUSTER],
    references=["hruschka2006"],
    formula=r"\frac{1}{n} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}, \quad a_i = \lVert x_i - c_{p(i)} \rVert,"
    r" \; b_i = \min_{j \neq p(i)} \lVert x_i - c_j \rVert",
    examples=[Example(TWO_PAIRS, [0, 0, 1, 1], 19 / 24, source="by hand: the mean of 5/6 and 3/4")],
)
def simplified_silhouette(sums: CentroidSilhouettes) -> Floats:
    """How much nearer objects are to their own centre than to the next one: 1 well inside, below 0 outside.

    The silhouette with distances to centres in the place of mean distances to objects; two passes over the
    data.

    Pitfalls
    --------
    It knows clusters by their centres only, so that rings and crescents mislead it. Never negative on average
    where objects belong to their nearest centre, as after k-means. An object alone in its cluster has 0.

    Examples
    --------
    >>> round(simplified_silhouette([[0], [2], [5], [7]], [0, 0, 1, 1]), 4)
    0.7917
    """
    return np.asarray(sums.sums.sum() / sums.total)


def _is_without_spread(spread: Dispersions | CentroidSilhouettes) -> bool:
    return isinstance(spread, Dispersions) and bool((spread.scatters == 0).any())


def _is_on_another(spread: Dispersions | CentroidSilhouettes) -> bool:
    return isinstance(spread, Dispersions) and bool(
        ((spread.scatters == 0) & (spread.nearest_centers == 0)).any()
    )


@index(
    title="SCI (silhouette by centroids)",
    best=math.inf,
    range={
        HARD: (bound("0; -1 if printed", lambda _, *, variant: -1.0 if variant == "printed" else 0.0), None)
    },
    claims=INVARIANT,
    limits=[
        ONE_CLUSTER,
        Limit(_is_on_another, math.nan, "a cluster without spread lies on the centre of another one: 0/0"),
        Limit(_is_without_spread, math.inf, "a cluster has no spread"),
    ],
    references=["franti2017"],
    formula=r"\sum_i \frac{n_i}{n} \frac{\min_{j \neq i} \lVert c_i - c_j \rVert}"
    r"{\frac{1}{n_i} \sum_{x \in i} \lVert x - c_i \rVert}",
    examples=[
        Example(TWO_PAIRS, [0, 0, 1, 1], 5.0, source="by hand: centres 5 apart, objects 1 from theirs"),
        Example(TWO_PAIRS, [0, 0, 1, 1], 0.84, variant="printed", source="by hand: (25 - 4) / 25"),
    ],
    alternatives={"variant": {"program": Dispersions, "printed": CentroidSilhouettes}},
    without=("q", "p", "m", "power"),
)
def sci(
    spread: Dispersions,
) -> Floats:
    """How far the next centre is, in mean distances of the objects from their own: high for clear clusters.

    Called SC' 2008 on the slides. The default is what their authors' program computes. ``variant="printed"``
    is the formula on the slide: a silhouette (between -1 and 1) in which a is the mean squared distance to
    the other objects of the cluster, and b the squared distance from its centre to the nearest other one.

    Pitfalls
    --------
    A cluster of a single object, or of equal ones, has no spread, and the value is infinite. Small tight
    clusters dominate it. In the printed form an object alone in its cluster has 0.

    Examples
    --------
    >>> sci([[0], [2], [5], [7]], [0, 0, 1, 1])
    5.0
    """
    return np.asarray(_sci(spread))


def _sci(spread: Dispersions | CentroidSilhouettes) -> float:
    if isinstance(spread, CentroidSilhouettes):
        return float(spread.printed.sum()) / spread.total
    weights = spread.weights[spread.moments.filled]
    return float(weights @ (spread.nearest_centers / spread.scatters) / weights.sum())


def _clear_weights(sums: DistanceSums, alpha: float) -> Floats:
    """How much objects count: the clearer they belong to one cluster, the more."""
    return np.asarray(sums.margins**alpha * sums.each)


@index(
    title="Fuzzy silhouette",
    best=1.0,
    range={HARD: (-1.0, 1.0), FUZZY: (-1.0, 1.0)},
    claims={"relabelling_invariant": HARD},
    refuted={
        "relabelling_invariant": {
            FUZZY: Example([[0.0], [1.0], [3.0], [4.0]], [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.1, 0.9]])
        }
    },
    limits=[
        Limit(
            lambda s: s.n_clusters < 2,
            math.nan,
            "all objects belong most to one cluster, and there is nothing to be apart from",
        ),
        Limit(
            lambda s, *, alpha: _clear_weights(s, alpha).sum() == 0,
            math.nan,
            "every object lies between two clusters, and none counts",
        ),
    ],
    references=["campello2006"],
    formula=r"\frac{\sum_i (u_{i(1)} - u_{i(2)})^\alpha s_i}{\sum_i (u_{i(1)} - u_{i(2)})^\alpha}",
    examples=[
        Example(
            [[0.0], [1.0], [5.0], [6.0]],
            [[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.0, 1.0]],
            (1.8 * 9 / 11 + 7 / 9) / 2.8,
            source="by hand: silhouettes 9/11, 7/9, 7/9, 9/11 weighed by 0.8, 0.4, 0.6, 1",
        )
    ],
    without=("variant", "sample_size", "random_state"),
)
def fuzzy_silhouette(
    sums: DistanceSums,
    *,
    alpha: Annotated[float, Above(0)] = 1.0,
) -> Floats:
    """The silhouette of the hardened clusters, in which objects that belong clearly to one count more.

    An object counts with the gap between its largest and its second largest membership, to the power alpha.
    Hardening is part of the definition. For a hard partition it is the silhouette.

    Pitfalls
    --------
    It takes n^2 distances. Objects between clusters are left out of the mean, so that it is higher than the
    silhouette as a rule. An object with two largest memberships goes to the first of these clusters: it does
    not count itself, but others' distances to it do. Clusters that are no object's largest do not count.

    Examples
    --------
    >>> U = [[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.0, 1.0]]
    >>> round(fuzzy_silhouette([[0], [1], [5], [6]], U), 4)
    0.8038
    """
    weights = _clear_weights(sums, alpha)
    return np.asarray(weights @ sums.silhouettes / weights.sum())
