"""Indices of description length: how short a clustering makes the message that tells the data."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaln, entr, gammaln, xlogy

from partita.indices.information import Base, unit
from partita.registry import ALL, HARD, Array, Example, Floats, Literal, bound, index
from partita.statistics.clusters.binary_counts import BinaryCounts

Form = Literal["exact", "printed"]


def _features(sizes: Array, ones: Array) -> float:
    """What 0/1 features cost given the clusters, the shares of ones integrated out."""
    return float((math.log(math.pi) - betaln(ones + 0.5, sizes[:, None] - ones + 0.5)).sum())


def _labels(sizes: Array) -> float:
    """What the clusters of all objects cost, the shares of the clusters integrated out."""
    k = len(sizes)
    start = gammaln(sizes.sum() + 0.5 * k) - gammaln(0.5 * k)
    return float(start - (gammaln(sizes + 0.5) - gammaln(0.5)).sum())


def _shortest(counts: BinaryCounts, *, simplified: bool, base: float | None) -> Array:
    return np.asarray(-xlogy(counts.total, counts.total) / unit(base) if simplified else 0.0)


def _longest(counts: BinaryCounts, *, form: Form, simplified: bool, base: float | None) -> Array:
    """Every feature a coin, clusters of one size.

    That is n (d log 2 + log k) + (d k / 2) log(n / k) as printed. In the exact form a feature costs most when
    half are ones, since the beta function is log-convex; this cost is concave in the size of the cluster, and
    that of the labels falls when sizes become unequal, the gamma function being log-convex.
    """
    n, k, d = float(counts.total), counts.n_clusters, counts.ones.shape[1]
    if form == "exact":
        even = np.full(k, n / k)
        full = d * _features(even, 0.5 * even[:, None]) + _labels(even)
    else:
        full = n * (d * math.log(2) + math.log(k)) + 0.5 * d * k * math.log(n / k)
    return np.asarray((full - (xlogy(n, n) if simplified else 0.0)) / unit(base))


@index(
    title="Stochastic complexity",
    best=-math.inf,
    range={
        HARD: (
            bound("0 (simplified: -n log n)", _shortest),
            bound("that of features that are coins, clusters of one size", _longest),
        )
    },
    claims={"relabelling_invariant": ALL},
    references=["gyllenberg1997", "franti2003", "franti2017"],
    formula=r"-\sum_{j,i} \log \frac{B(n_{ij} + 1/2,\, n_j - n_{ij} + 1/2)}{B(1/2, 1/2)}"
    r" - \log \frac{\Gamma(k/2)}{\Gamma(n + k/2)} \prod_j \frac{\Gamma(n_j + 1/2)}{\Gamma(1/2)}",
    examples=[
        Example(
            [[0, 1], [0, 1], [1, 0], [1, 1]],
            [0, 0, 1, 1],
            19 * math.log(2) - 4 * math.log(3),
            source="by hand: features 3/8 (two alike) three times and 1/8 once, clusters 3/128",
        ),
        Example([[0], [1]], [0, 0], 3.0, base=2, source="by hand: 1/2, then 1/4"),
        Example([[0], [1]], [0, 1], 5.0, base=2, source="by hand: two features of 1/2, clusters 1/2 and 1/4"),
        Example(
            [[0, 1], [0, 1], [1, 0], [1, 1]],
            [0, 0, 1, 1],
            2 * math.log(2) + 4 * math.log(2) + 2 * math.log(2),
            form="printed",
            source="by hand: one even feature of two objects, two halves of four, 2/2 (log 2 + log 2)",
        ),
        Example(
            [[0, 1], [0, 1], [1, 0], [1, 1]],
            [0, 0, 1, 1],
            0.0,
            form="printed",
            simplified=True,
            source="by hand: 8 log 2 without the constant 4 log 4",
        ),
        Example(
            [[0], [1]],
            [0, 0],
            2.5,
            form="printed",
            base=2,
            source="by hand: two bits, and half a bit for the mean",
        ),
    ],
)
def stochastic_complexity(
    counts: BinaryCounts, *, form: Form = "exact", simplified: bool = False, base: Base = None
) -> Floats:
    r"""How long a message must be that tells 0/1 data by way of the clustering: smaller is better.

    In nats unless ``base`` says otherwise. The message tells which cluster each object is in, and its
    features given the cluster.

    ``form="exact"`` is minus the log of the marginal likelihood (Rissanen's definition): the share of ones of
    each feature in each cluster has a Beta(1/2, 1/2) prior, the shares of the clusters a Dirichlet(1/2) one
    (Jeffreys), and both are integrated out. It is the code that predicts each value from those before it, a
    one with probability (ones so far + 1/2) / (objects so far + 1): no parameter is free.

    ``form="printed"`` is the approximation for large clusters of franti2003 and franti2017,

    .. math:: \sum_j n_j \sum_i h\!\left(\tfrac{n_{ij}}{n_j}\right) - \sum_j n_j \log \tfrac{n_j}{n}
              + \tfrac{d}{2} \sum_j \log \max(1, n_j), \quad h(p) = -p \log p - (1 - p) \log (1 - p)

    ``simplified=True`` leaves out the constant n log n, as the slides do: the same choice among clusterings
    of the same data.

    For numeric data the two-part code with Gaussian differences from the centres (the negative log-likelihood
    plus half of log n for each parameter) is half of ``bic_partition``, up to the precision of the data,
    which no clustering changes; so there is no entry of its own for it.

    Pitfalls
    --------
    The printed form must not choose the number of clusters: a cluster of one object pays nothing for its
    features, nor for its centre (log 1 = 0), so it falls with more clusters on most real data and is smallest
    with every object alone (zoo: 466 against 701 for k = 7). The exact form pays d log 2 for such a cluster.

    Features are coded as independent within a cluster: correlated ones are paid for twice, which favours
    more clusters. Only values of one form on the same data compare.

    Examples
    --------
    >>> X, labels = [[0, 1], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]
    >>> round(stochastic_complexity(X, labels, base=2), 4)
    12.6601
    >>> round(stochastic_complexity(X, labels, form="printed", base=2), 4)
    8.0
    """
    sizes, ones = counts.sizes, counts.ones
    constant = xlogy(counts.total, counts.total) if simplified else 0.0
    if form == "exact":
        filled = sizes > 0
        exact = _features(sizes[filled], ones[filled]) + _labels(sizes[filled])
        return np.asarray((exact - constant) / unit(base))
    shares = ones / np.where(sizes > 0, sizes, 1.0)[:, None]
    features = sizes @ (entr(shares) + entr(1.0 - shares)).sum(axis=1)
    which = (0.0 if simplified else xlogy(counts.total, counts.total)) - xlogy(sizes, sizes).sum()
    centers = 0.5 * ones.shape[1] * np.log(np.maximum(1.0, sizes)).sum()
    return np.asarray((features + which + centers) / unit(base))
