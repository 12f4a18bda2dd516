"""Indices of description length: how short a clustering makes the message that tells the data."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import entr, xlogy

from partita.indices.information import Base, unit
from partita.registry import ALL, HARD, Array, Example, Floats, bound, index
from partita.statistics.binary_counts import BinaryCounts


def _shortest(counts: BinaryCounts, *, simplified: bool, base: float | None) -> Array:
    return np.asarray(-xlogy(counts.total, counts.total) / unit(base) if simplified else 0.0)


def _longest(counts: BinaryCounts, *, simplified: bool, base: float | None) -> Array:
    """Every feature a coin, clusters of one size: n (d log 2 + log k) + (d k / 2) log(n / k)."""
    n, k, d = float(counts.total), counts.n_clusters, counts.ones.shape[1]
    full = n * (d * math.log(2) + math.log(k)) + 0.5 * d * k * math.log(n / k)
    return np.asarray((full - (xlogy(n, n) if simplified else 0.0)) / unit(base))


@index(
    title="Stochastic complexity",
    best=-math.inf,
    range={
        HARD: (
            bound("0 (simplified: -n log n)", _shortest),
            bound("n (d log 2 + log k) + d k / 2 log(n / k)", _longest),
        )
    },
    claims={"relabelling_invariant": ALL},
    references=["gyllenberg1997", "franti2003", "franti2017"],
    formula=r"\sum_j n_j \sum_i h\!\left(\tfrac{n_{ij}}{n_j}\right) - \sum_j n_j \log \tfrac{n_j}{n}"
    r" + \tfrac{d}{2} \sum_j \log \max(1, n_j), \quad h(p) = -p \log p - (1 - p) \log (1 - p)",
    examples=[
        Example(
            [[0, 1], [0, 1], [1, 0], [1, 1]],
            [0, 0, 1, 1],
            2 * math.log(2) + 4 * math.log(2) + 2 * math.log(2),
            source="by hand: one even feature of two objects, two halves of four, 2/2 (log 2 + log 2)",
        ),
        Example(
            [[0, 1], [0, 1], [1, 0], [1, 1]],
            [0, 0, 1, 1],
            0.0,
            simplified=True,
            source="by hand: 8 log 2 without the constant 4 log 4",
        ),
        Example([[0], [1]], [0, 0], 2.5, base=2, source="by hand: two bits, and half a bit for the mean"),
    ],
)
def stochastic_complexity(counts: BinaryCounts, *, simplified: bool = False, base: Base = None) -> Floats:
    """How long a message must be that tells 0/1 data by way of the clustering: smaller is better.

    Three parts: the features of the objects given their cluster, which cluster each object is in, and the
    centres. In nats unless ``base`` says otherwise. ``simplified=True`` leaves out the constant n log n of
    the second part, as the slides do: the same choice among clusterings of the same data.

    For numeric data the two-part code with Gaussian differences from the centres (the negative log-likelihood
    plus half of log n for each parameter) is half of ``bic_partition``, up to the precision of the data,
    which no clustering changes; so there is no entry of its own for it.

    Pitfalls
    --------
    Features are coded as independent within a cluster: correlated ones are paid for twice, which favours
    more clusters. Only values on the same data compare.

    Examples
    --------
    >>> round(stochastic_complexity([[0, 1], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1], base=2), 4)
    8.0
    """
    sizes, ones = counts.sizes, counts.ones
    shares = ones / np.where(sizes > 0, sizes, 1.0)[:, None]
    features = sizes @ (entr(shares) + entr(1.0 - shares)).sum(axis=1)
    which = (0.0 if simplified else xlogy(counts.total, counts.total)) - xlogy(sizes, sizes).sum()
    centers = 0.5 * ones.shape[1] * np.log(np.maximum(1.0, sizes)).sum()
    return np.asarray((features + which + centers) / unit(base))
