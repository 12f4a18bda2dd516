"""Indices of scatter: how close objects lie to the centres of their clusters, and how far these lie apart.

All are functions of the sums of squares within (SSW) and between (SSB) clusters. A fuzzy partition takes
part with the squares of its memberships as weights, where that is customary.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy.special import xlogy

from partita.registry import FUZZY, HARD, Array, Example, Floats, Limit, bound, index
from partita.statistics.clusters.moments import COINCIDENT, ClusterMoments, ClusterScatter

BOTH = frozenset({HARD, FUZZY})


def is_beyond_numbers(value: Any, in_units: Any) -> Array:
    """Whether a value is too large, or too small, for a number when given in the units of the data."""
    return np.asarray(np.isinf(in_units) | ((value != 0) & (np.abs(in_units) < np.finfo(np.float64).tiny)))


TOO_LARGE = "the squares of the distances overflow"
TOO_SMALL = "the squares of the distances are too small for a number"
OVERFLOW_IN_UNITS = Limit(lambda t: not math.isfinite(t.in_units(t.sst, 2)), math.nan, TOO_LARGE)
UNDERFLOW_IN_UNITS = Limit(lambda t: is_beyond_numbers(t.ssw, t.in_units(t.ssw, 2)), math.nan, TOO_SMALL)
ONE_CLUSTER = Limit(lambda t: t.n_clusters < 2, math.nan, "there is only one cluster")
NO_FREEDOM = Limit(
    lambda t: t.total <= t.n_clusters,
    math.nan,
    "there are as many clusters as objects: no degrees of freedom",
)
ALL_ALIKE = Limit(lambda t: t.sst == 0, math.nan, "all objects are alike: there is no scatter")

EXAMPLE_X = [[0], [1], [5]]
EXAMPLE_LABELS = [0, 0, 1]
# squared memberships make weights of 5/4 each, centres 0.6 and 5.4, mean 3
SOFT_X = [[0], [3], [6]]
SOFT_U = [[1, 0], [0.5, 0.5], [0, 1]]


def _squares(t: ClusterMoments) -> Floats:
    return t.in_units(t.sst, 2)


def _no_scatter(t: ClusterMoments) -> bool:
    return t.ssw == 0


def _no_separation(t: ClusterMoments, *, variant: str) -> bool:
    return _between(t, variant) == 0


def _between(t: ClusterMoments, variant: str) -> float:
    """SSB: of all objects, or as Table B.1 has it; 0 where rounding alone sets the centres apart."""
    if variant != "slide":
        return t.ssb
    filled = t.filled
    centers = t.from_mean[filled]
    away = centers - centers.mean(axis=0)
    apart = float(2.0 * (away * away).sum() / (t.n_clusters - 1))
    widest = float((t.within[filled] / t.weights[filled]).max())
    return 0.0 if apart <= COINCIDENT * (apart + widest) else apart


def _within(t: ClusterMoments, variant: str) -> float:
    """SSW: the sum over the objects, or as Table B.1 has it, their mean."""
    return t.ssw / float(t.total) if variant == "slide" else t.ssw


COINCIDENT_CENTRES = "the centres of all clusters coincide"
NO_SCATTER = "no object is away from the centre of its cluster"


@index(
    title="Sum of squares within clusters",
    best=0.0,
    range={BOTH: (0.0, bound("the total sum of squares", _squares))},
    claims={"relabelling_invariant": BOTH},
    limits=[
        OVERFLOW_IN_UNITS,
        Limit(
            lambda t, *, variant: is_beyond_numbers(t.ssw, t.in_units(_within(t, variant), 2)),
            math.nan,
            TOO_SMALL,
        ),
    ],
    rule="knee",
    references=["franti2017"],
    formula=r"\sum_j \sum_i u_{ij}^2 \lVert x_i - c_j \rVert^2",
    examples=[
        Example(EXAMPLE_X, EXAMPLE_LABELS, 0.5, source="by hand: 2 * 0.5^2"),
        Example(EXAMPLE_X, EXAMPLE_LABELS, 1 / 6, variant="slide", source="by hand: 0.5 / 3"),
        Example(SOFT_X, SOFT_U, 3.6, source="by hand: 2 * (0.6^2 + 2.4^2 / 4)"),
    ],
)
def ssw(moments: ClusterMoments, *, variant: Literal["sum", "slide"] = "sum") -> Floats:
    """How much the objects scatter around the centres of their clusters: what k-means minimises.

    For a fuzzy partition memberships are squared, as in fuzzy c-means with m = 2. ``variant="slide"`` divides
    by the number of objects, as franti2017's Table B.1 does.

    Pitfalls
    --------
    It falls with the number of clusters, down to 0 when each object is one: compare it for the same number
    of clusters only, or look for a knee. It depends on the scale of the features.

    Examples
    --------
    >>> ssw([[0], [1], [5]], [0, 0, 1])
    0.5
    """
    return moments.in_units(_within(moments, variant), 2)


def _most_between(t: ClusterMoments, *, variant: str) -> Array:
    return t.in_units(t.sst if variant == "sum" else math.inf, 2)


@index(
    title="Sum of squares between clusters",
    best=math.inf,
    range={BOTH: (0.0, bound("the total sum of squares", _most_between))},
    claims={"relabelling_invariant": BOTH},
    limits=[
        OVERFLOW_IN_UNITS,
        Limit(
            lambda t, *, variant: variant == "slide" and t.n_clusters < 2,
            math.nan,
            "there is only one cluster, and so no pair of centres",
        ),
        Limit(
            lambda t, *, variant: is_beyond_numbers(
                _between(t, variant), t.in_units(_between(t, variant), 2)
            ),
            math.nan,
            TOO_SMALL,
        ),
    ],
    rule="knee",
    references=["franti2017"],
    formula=r"\sum_j n_j \lVert c_j - \bar x \rVert^2",
    examples=[
        Example(EXAMPLE_X, EXAMPLE_LABELS, 13.5, source="by hand: 2 * 1.5^2 + 3^2"),
        Example(EXAMPLE_X, EXAMPLE_LABELS, 20.25, variant="slide", source="by hand: 4.5^2"),
        Example(SOFT_X, SOFT_U, 14.4, source="by hand: 2.5 * 2.4^2"),
    ],
)
def ssb(moments: ClusterMoments, *, variant: Literal["sum", "slide"] = "sum") -> Floats:
    """How far the centres of the clusters lie from the mean of the data, each counted with its weight.

    SSW + SSB is the total sum of squares, the same for every hard clustering of the data.
    ``variant="slide"`` is the mean squared distance between two centres, whatever the sizes of the clusters
    (franti2017, Table B.1; each pair once, as the authors' program has it: its printed sum runs over both
    orders of a pair). The same variant of `calinski_harabasz`, `wb_index` and `hartigan_log` is built on it.

    Pitfalls
    --------
    It grows with the number of clusters as SSW falls.

    Examples
    --------
    >>> ssb([[0], [1], [5]], [0, 0, 1])
    13.5
    """
    return moments.in_units(_between(moments, variant), 2)


@index(
    title="Mean squared error",
    best=0.0,
    range={HARD: (0.0, None)},
    claims={"relabelling_invariant": HARD},
    limits=[OVERFLOW_IN_UNITS, UNDERFLOW_IN_UNITS],
    rule="knee",
    references=["franti2017"],
    formula=r"\frac{SSW}{n d}",
    examples=[Example(EXAMPLE_X, EXAMPLE_LABELS, 1 / 6, source="by hand: 0.5 / (3 * 1)")],
)
def mse(moments: ClusterMoments) -> Floats:
    """The squared distance from an object to the centre of its cluster, per object and feature.

    Pitfalls
    --------
    Like SSW it falls with the number of clusters. Some authors do not divide by the number of features.

    Examples
    --------
    >>> round(mse([[0], [1], [5]], [0, 0, 1]), 4)
    0.1667
    """
    return moments.in_units(moments.ssw / (moments.total * moments.d), 2)


@index(
    title="Ball-Hall index",
    best=0.0,
    range={HARD: (0.0, None)},
    claims={"relabelling_invariant": HARD},
    limits=[OVERFLOW_IN_UNITS, UNDERFLOW_IN_UNITS],
    rule="largest_drop",
    references=["ball1965", "franti2017"],
    formula=r"\frac{SSW}{k}",
    examples=[
        Example(EXAMPLE_X, EXAMPLE_LABELS, 0.25, source="by hand: 0.5 / 2"),
        Example(EXAMPLE_X, EXAMPLE_LABELS, 0.125, variant="mean_error", source="by hand: (0.25 + 0) / 2"),
    ],
)
def ball_hall(moments: ClusterMoments, *, variant: Literal["sum", "mean_error"] = "sum") -> Floats:
    """The sum of squares within clusters per cluster.

    ``variant="mean_error"`` is the mean over clusters of their mean squared distance to the centre, as in
    clusterCrit.

    Pitfalls
    --------
    It falls with the number of clusters: look for the largest drop or a knee. Packages mean different numbers
    by this name.

    Examples
    --------
    >>> ball_hall([[0], [1], [5]], [0, 0, 1])
    0.25
    """
    if variant == "sum":
        return moments.in_units(moments.ssw / moments.n_clusters, 2)
    return moments.in_units((moments.within[moments.filled] / moments.weights[moments.filled]).mean(), 2)


@index(
    title="Marriott's index, its logarithm",
    best=-math.inf,
    range={HARD: (None, None)},
    claims={"relabelling_invariant": HARD},
    limits=[
        Limit(
            lambda t: t.is_whole and t.total - t.n_clusters < t.d,
            -math.inf,
            "n - k < d: the scatter within clusters is singular for every clustering into so many",
        ),
        Limit(
            lambda t: t.log_determinant == -math.inf,
            -math.inf,
            "the scatter within clusters is singular: a feature is constant or a combination of others there",
        ),
    ],
    references=["marriott1971", "franti2017"],
    formula=r"\log\left(k^2 \lvert W \rvert\right)",
    examples=[
        Example(EXAMPLE_X, EXAMPLE_LABELS, math.log(2.0), source="by hand: log(2^2 * 0.5)"),
        Example(
            [[0, 0], [1, 0], [0, 1], [9, 9]],
            [0, 0, 0, 1],
            math.log(4 / 3),
            source="by hand: W = [[2, -1], [-1, 2]] / 3",
        ),
    ],
)
def marriott(scatter: ClusterScatter) -> Floats:
    """How small a volume the scatter within clusters fills, against what a uniform cloud would give.

    W is the matrix of scatter within clusters; dividing a uniform cloud into k parts divides its determinant
    by about k squared. Unlike SSW it does not depend on the scale of the features, up to a constant.

    Pitfalls
    --------
    It is -inf, its best value, as soon as W is singular: with fewer than k + d objects, or when a feature is
    constant in all clusters. Compare values for the same data only.

    Examples
    --------
    >>> round(marriott([[0], [1], [5]], [0, 0, 1]), 4)
    0.6931
    """
    return np.asarray(2.0 * np.log(scatter.n_clusters) + scatter.log_determinant)


@index(
    symbol="CH",
    title="Calinski-Harabasz index",
    best=math.inf,
    range={BOTH: (0.0, None)},
    claims={"relabelling_invariant": BOTH},
    limits=[
        ONE_CLUSTER,
        NO_FREEDOM,
        ALL_ALIKE,
        Limit(_no_scatter, math.inf, NO_SCATTER),
        Limit(
            lambda t, *, variant: math.isinf(_per_freedom(t, variant)),
            math.inf,
            "the scatter within clusters is so small that the ratio is beyond all numbers",
        ),
    ],
    references=["calinski1974", "franti2017"],
    formula=r"\frac{SSB / (k - 1)}{SSW / (n - k)}",
    examples=[
        Example(EXAMPLE_X, EXAMPLE_LABELS, 27.0, source="by hand: 13.5 / (0.5 / 1)"),
        Example(EXAMPLE_X, EXAMPLE_LABELS, 121.5, variant="slide", source="by hand: 4.5^2 / (0.5 / 3)"),
        Example(SOFT_X, SOFT_U, 4.0, source="by hand: 14.4 / (3.6 / 1)"),
    ],
)
def calinski_harabasz(moments: ClusterMoments, *, variant: Literal["sum", "slide"] = "sum") -> Floats:
    """The scatter between clusters over that within, each per degree of freedom; higher is better.

    For a fuzzy partition SSB and SSW are weighted sums, and n is the number of objects. ``variant="slide"``
    takes SSB and SSW as franti2017's Table B.1 defines them: the mean squared distance of two centres, and
    the mean squared distance of an object to its centre. The missing stroke in its SSW(N - M) is put back.

    Pitfalls
    --------
    It prefers round clusters of similar spread. It is undefined for one cluster, and infinite when every
    cluster is one repeated point (scikit-learn gives 1 there). Its values have no scale that would carry over
    to other data.

    Examples
    --------
    >>> calinski_harabasz([[0], [1], [5]], [0, 0, 1])
    27.0
    """
    return np.asarray(_per_freedom(moments, variant))


def _per_freedom(t: ClusterMoments, variant: str) -> float:
    between = _between(t, variant) / (t.n_clusters - 1)
    return float(between / (_within(t, variant) / (t.total - t.n_clusters)))


@index(
    title="Hartigan's log ratio",
    best=math.inf,
    range={HARD: (None, None)},
    claims={"relabelling_invariant": HARD},
    limits=[
        ONE_CLUSTER,
        ALL_ALIKE,
        Limit(_no_scatter, math.inf, NO_SCATTER),
        Limit(_no_separation, -math.inf, COINCIDENT_CENTRES),
    ],
    rule="knee",
    references=["hartigan1975", "franti2017"],
    formula=r"\log\frac{SSB}{SSW}",
    examples=[
        Example(EXAMPLE_X, EXAMPLE_LABELS, math.log(27.0), source="by hand: log(13.5 / 0.5)"),
        Example(
            EXAMPLE_X, EXAMPLE_LABELS, math.log(121.5), variant="slide", source="by hand: 4.5^2 / (0.5 / 3)"
        ),
    ],
)
def hartigan_log(moments: ClusterMoments, *, variant: Literal["sum", "slide"] = "sum") -> Floats:
    """The logarithm of the scatter between clusters over that within.

    ``variant="slide"`` takes both as franti2017's Table B.1 defines them; see `calinski_harabasz`.

    Pitfalls
    --------
    It grows with the number of clusters: look for a knee. Hartigan's rule with the threshold 10 is another
    index, on a curve over k: `hartigan`.

    Examples
    --------
    >>> round(hartigan_log([[0], [1], [5]], [0, 0, 1]), 4)
    3.2958
    """
    return np.asarray(np.log(_between(moments, variant)) - np.log(_within(moments, variant)))


@index(
    title="Xu's index",
    best=-math.inf,
    range={BOTH: (None, None)},
    claims={"relabelling_invariant": BOTH},
    limits=[Limit(_no_scatter, -math.inf, NO_SCATTER)],
    references=["xu1997", "franti2017"],
    formula=r"d \log\sqrt{\frac{SSW}{d n^2}} + \log k",
    examples=[
        Example(
            EXAMPLE_X, EXAMPLE_LABELS, 0.5 * math.log(0.5 / 9) + math.log(2), source="by hand, d = 1, n = 3"
        ),
        Example(SOFT_X, SOFT_U, 0.5 * math.log(0.4) + math.log(2), source="by hand: SSW = 3.6, n = 3"),
    ],
)
def xu(moments: ClusterMoments) -> Floats:
    """The log of the scatter within clusters with a price for their number; lower is better.

    Pitfalls
    --------
    It has the minimum of k^(2/d) SSW: with two features it decides nearly as the WB index does, with many
    features the price vanishes and it asks for as many clusters as it is offered.

    Examples
    --------
    >>> round(xu([[0], [1], [5]], [0, 0, 1]), 4)
    -0.752
    """
    t = moments
    volume = 0.5 * t.d * np.log(t.ssw / (t.d * float(t.total) ** 2)) + t.d * t.log_unit
    return np.asarray(volume + np.log(t.n_clusters))


def _no_freedom_for_test(t: ClusterMoments, *, variant: str) -> bool:
    return bool(variant == "f_test" and t.total <= t.n_clusters)


@index(
    symbol="WB",
    title="WB index",
    aliases=("f_ratio",),
    best=0.0,
    range={BOTH: (0.0, None)},
    claims={"relabelling_invariant": BOTH},
    limits=[
        ONE_CLUSTER,
        Limit(_no_freedom_for_test, NO_FREEDOM.value, NO_FREEDOM.reason),
        ALL_ALIKE,
        Limit(_no_separation, math.inf, COINCIDENT_CENTRES),
    ],
    references=["zhao2014", "franti2017"],
    formula=r"\frac{k\, SSW}{SSB}",
    examples=[
        Example(EXAMPLE_X, EXAMPLE_LABELS, 2 / 27, source="by hand: 2 * 0.5 / 13.5"),
        Example(EXAMPLE_X, EXAMPLE_LABELS, 1 / 27, variant="f_test", source="by hand: 1 / CH"),
        Example(EXAMPLE_X, EXAMPLE_LABELS, 4 / 243, variant="slide", source="by hand: 2 * (0.5 / 3) / 4.5^2"),
        Example(SOFT_X, SOFT_U, 0.5, source="by hand: 2 * 3.6 / 14.4"),
    ],
)
def wb_index(moments: ClusterMoments, *, variant: Literal["wb", "f_test", "slide"] = "wb") -> Floats:
    """The scatter within clusters over that between, times the number of clusters; lower is better.

    ``variant="f_test"`` takes each per degree of freedom instead: 1 / Calinski-Harabasz. ``variant="slide"``
    takes both as franti2017's Table B.1 defines them; see `calinski_harabasz`.

    Pitfalls
    --------
    With the number of objects as the number of clusters it is 0, its best value. It prefers round clusters of
    similar spread.

    Examples
    --------
    >>> round(wb_index([[0], [1], [5]], [0, 0, 1]), 4)
    0.0741
    """
    t = moments
    if variant != "f_test":
        return np.asarray(t.n_clusters * _within(t, variant) / _between(t, variant))
    return np.asarray((t.ssw / (t.total - t.n_clusters)) / (t.ssb / (t.n_clusters - 1)))


@index(
    title="Root mean square standard deviation",
    best=0.0,
    range={HARD: (0.0, None)},
    claims={"relabelling_invariant": HARD},
    limits=[
        NO_FREEDOM,
        Limit(
            lambda t, *, variant: is_beyond_numbers(t.ssw, _variance(t, variant)),
            math.nan,
            "the squares of the distances are beyond the range of numbers",
        ),
    ],
    rule="knee",
    references=["sharma1996", "franti2017"],
    formula=r"\sqrt{\frac{SSW}{d (n - k)}}",
    examples=[
        Example(EXAMPLE_X, EXAMPLE_LABELS, math.sqrt(0.5), source="by hand: sqrt(0.5 / 1)"),
        Example(EXAMPLE_X, EXAMPLE_LABELS, 0.5, variant="slide", source="by hand: without the root"),
    ],
)
def rmsstd(moments: ClusterMoments, *, variant: Literal["root", "slide"] = "root") -> Floats:
    """The standard deviation of a feature within clusters, pooled over features and clusters.

    ``variant="slide"`` leaves out the root (franti2017, table of indices).

    Pitfalls
    --------
    It tends to fall with the number of clusters: look for a knee. It mixes features of different scale.

    Examples
    --------
    >>> round(rmsstd([[0], [1], [5]], [0, 0, 1]), 4)
    0.7071
    """
    return _variance(moments, variant)


def _variance(t: ClusterMoments, variant: str) -> Floats:
    variance = t.ssw / (t.d * (t.total - t.n_clusters))
    return t.in_units(variance, 2) if variant == "slide" else t.in_units(np.sqrt(variance), 1)


@index(
    title="R squared",
    best=1.0,
    range={HARD: (0.0, 1.0)},
    claims={"relabelling_invariant": HARD},
    limits=[ALL_ALIKE],
    rule="knee",
    references=["sharma1996", "franti2017"],
    formula=r"1 - \frac{SSW}{SST}",
    examples=[Example(EXAMPLE_X, EXAMPLE_LABELS, 27 / 28, source="by hand: 1 - 0.5 / 14")],
)
def r_squared(moments: ClusterMoments) -> Floats:
    """The share of the total scatter that lies between clusters.

    Pitfalls
    --------
    It grows with the number of clusters, up to 1 when each object is one: look for a knee.

    Examples
    --------
    >>> round(r_squared([[0], [1], [5]], [0, 0, 1]), 4)
    0.9643
    """
    return np.asarray(moments.ssb / moments.sst)


@index(
    title="Bayesian information criterion of a partition",
    family="likelihood",  # of spherical clusters of one variance
    best=-math.inf,
    range={HARD: (None, None)},
    claims={"relabelling_invariant": HARD},
    limits=[
        NO_FREEDOM,
        Limit(_no_scatter, math.nan, NO_SCATTER + ": the variance is 0"),
    ],
    references=["pelleg2000", "zhao2008", "franti2017"],
    formula=r"-2 \sum_j n_j \log\frac{n_j}{n} + n d \log(2 \pi s^2) + d (n - k) + k (d + 1) \log n, \quad"
    r" s^2 = \frac{SSW}{d (n - k)}",
    examples=[
        Example(
            EXAMPLE_X,
            EXAMPLE_LABELS,
            -4 * math.log(2 / 3) + 2 * math.log(3) + 3 * math.log(math.pi) + 1 + 4 * math.log(3),
            source="by hand: s^2 = 0.5",
        ),
        Example(
            EXAMPLE_X,
            EXAMPLE_LABELS,
            -4 * math.log(2 / 3) + 2 * math.log(3) + 3 * math.log(math.pi) + 1 + 4 * math.log(2),
            variant="slide",
            source="by hand: the price is 2 * 2 * (log 2 + log 1)",
        ),
    ],
)
def bic_partition(moments: ClusterMoments, *, variant: Literal["size", "slide"] = "size") -> Floats:
    """How well round clusters of one variance describe the data, with a price for each; lower is better.

    It is -2 times the penalised log-likelihood, as `bic` is for a fitted mixture, so that the two point the
    same way. Each cluster costs (d + 1) log n; ``variant="slide"`` has the price of franti2017's Table B.1,
    k (d + 1) times the sum over clusters of log n_j, which is far higher.

    Pitfalls
    --------
    It often keeps falling slowly with the number of clusters: look at the curve for a knee, not only at its
    minimum. It assumes spherical clusters of equal variance.

    Examples
    --------
    >>> round(bic_partition([[0], [1], [5]], [0, 0, 1]), 4)
    12.6477
    """
    n, k, d = float(moments.total), moments.n_clusters, moments.d
    variance = moments.ssw / (d * (n - k))
    sizes = moments.sizes[moments.filled]
    log_variance = np.log(2.0 * math.pi * variance) + 2.0 * moments.log_unit
    fit = -2.0 * xlogy(sizes, sizes / n).sum() + n * d * log_variance + d * (n - k)
    price = np.log(sizes).sum() if variant == "slide" else np.log(n)
    return np.asarray(fit + k * (d + 1) * price)
