"""Statistics that tell data with clusters from data without, and their p-values against null data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from partita.arrays import Array, Floats, one_blas_thread
from partita.selection.dips import dip, evenly_thinned
from partita.selection.null_data import Axes, Box

__all__ = ["DIRECTIONS", "LAWS", "STATISTICS", "NullTest", "as_shown", "corrected", "measured", "null_tests"]

HOPKINS = "hopkins"
TWO_MEANS = "two-means SSW / SST"
TREE = "spanning tree length"
DIP_OF_DISTANCES = "dip of distances"
DIP_ACROSS = "dip across two means"
STATISTICS = (HOPKINS, TWO_MEANS, TREE, DIP_OF_DISTANCES, DIP_ACROSS)
DIRECTIONS = np.array([1.0, -1.0, -1.0, 1.0, 1.0])
"""Whether clusters make a statistic larger or smaller."""

LAWS = ("uniform", "normal", "unimodal")

MOST_ROUNDS = 20
"""Rounds of the search for two means; the best split along a line is a good start."""

MOST_STARTS = 5
"""Principal axes along which the first split is sought: where several have about the same spread, clusters
may lie along any of them."""

LARGEST_LOG_ODDS = 700.0
"""More cannot be turned back into a share."""

DIGITS = 9
"""Decimal digits that are compared, so that values which differ by rounding are equal."""

ROUNDING = 1e-9
"""Deviations that differ by less are equal."""


@dataclass(frozen=True)
class NullTest:
    """One statistic of the data against the same of data from one law without clusters.

    Attributes
    ----------
    statistic : str
        What was measured.
    null : str
        The law.
    dimensions : int
        The dimensions of all data, or the number of leading principal components.
    value : float
        Of the data.
    null_mean : float
        Over the data sets drawn from the law.
    p : float
        The share of data sets, the given data among them, that look at least as clustered.
    corrected_p : float
        The share of those that look as clustered by whichever statistic shows it most.
    """

    statistic: str
    null: str
    dimensions: int
    value: float
    null_mean: float
    p: float
    corrected_p: float


def measured(X: Floats, n_components: int, rng: np.random.Generator) -> list[float]:
    """All statistics of data, and again those of so many of its leading principal components."""
    with one_blas_thread():
        axes = Axes.of(X)
        values = _statistics(X, axes, rng)
        if n_components:
            leading = np.ascontiguousarray(axes.along(X)[:, :n_components])
            values += _statistics(leading, Axes.of(leading), rng)
    return [float(f"{value:.{DIGITS}g}") for value in values]


def null_tests(
    values: Sequence[float], null: Floats, law: str, dimensions: Sequence[int]
) -> tuple[NullTest, ...]:
    """Each statistic of the data against those of data sets from one law; null is (data sets, statistics).

    `dimensions` are those of each block of statistics.
    """
    of_data = np.array(values)
    directions = np.tile(DIRECTIONS, len(dimensions))
    as_clustered = (null * directions >= of_data * directions).sum(axis=0)
    both = corrected(of_data, null)
    shown, null_shown = as_shown(of_data), as_shown(null).mean(axis=0)
    return tuple(
        NullTest(
            STATISTICS[j % len(STATISTICS)],
            law,
            dimensions[j // len(STATISTICS)],
            float(shown[j]),
            float(null_shown[j]),
            (1 + int(as_clustered[j])) / (len(null) + 1),
            float(both[j]),
        )
        for j in range(len(of_data))
    )


def corrected(values: Floats, null: Floats) -> Floats:
    """The p-value of each statistic, corrected for the others (Westfall & Young 1993, single-step max-T).

    Every statistic is put in deviations from its mean over all data sets, the given data and the null data
    alike; a data set counts if any statistic of its own deviates as far as this one of the data does. If the
    law holds, all data sets are alike, so that a p-value below 0.05 in any statistic comes in at most 5 % of
    cases, however the statistics hang together.
    """
    pool = np.vstack([values, null]) * np.tile(DIRECTIONS, len(values) // len(STATISTICS))
    deviations = pool - pool.mean(axis=0)
    spread = deviations.std(axis=0)
    varies = spread > 1e-12 * np.abs(pool).max(axis=0)
    deviations = np.where(varies, deviations / np.where(varies, spread, 1.0), 0.0)
    largest = deviations.max(axis=1)
    return np.asarray((largest[:, None] >= deviations[0] - ROUNDING).mean(axis=0))


def as_shown(values: Floats) -> Floats:
    """Statistics as a reader knows them: Hopkins' as a share, not as log odds."""
    from scipy.special import expit

    shown = values.copy()
    is_hopkins = np.arange(values.shape[-1]) % len(STATISTICS) == STATISTICS.index(HOPKINS)
    shown[..., is_hopkins] = expit(values[..., is_hopkins])
    return shown


def _statistics(X: Floats, axes: Axes, rng: np.random.Generator) -> list[float]:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import cdist, pdist, squareform

    n = len(X)
    distances = pdist(X)
    square = squareform(distances)
    np.fill_diagonal(square, np.inf)
    places = Box.around(X, axes).places(n, rng)
    odds = hopkins_log_odds(cdist(places, X).min(axis=1), square.min(axis=1), len(axes.spread))
    scatter = float(np.square(axes.spread).sum())
    share, across = two_means(X, axes)
    # the heights at which single linkage joins are the edges of the minimum spanning tree
    length = float(linkage(distances, "single")[:, 2].sum())
    return [
        odds,
        share,
        length / math.sqrt(n * scatter),
        dip(evenly_thinned(np.sort(distances))),
        dip(evenly_thinned(np.sort(across))),
    ]


def hopkins_log_odds(from_places: Floats, from_objects: Floats, dimension: int) -> float:
    """The logarithm of the sum of d-th powers of distances from places, over that from objects."""
    u, w = (_log_of_sum(gaps, dimension) for gaps in (from_places, from_objects))
    if u == w:  # both may be minus infinity
        return 0.0
    return min(max(u - w, -LARGEST_LOG_ODDS), LARGEST_LOG_ODDS)


def _log_of_sum(gaps: Floats, power: int) -> float:
    largest = float(gaps.max())
    if largest == 0:
        return -math.inf
    return power * math.log(largest) + math.log(float(((gaps / largest) ** power).sum()))


def two_means(X: Floats, axes: Axes) -> tuple[float, Floats]:
    """The share of the scatter left within two clusters, and all objects along the line of their means.

    Lloyd's steps, from the best split along one of the leading principal axes. A cluster of less than a
    twentieth of the objects is none: two means would else tell one far outlier from the rest.
    """
    n = len(X)
    smallest = max(n // 20, 1)
    centred = X - axes.middle
    along = centred @ axes.directions[:MOST_STARTS].T
    orders = np.argsort(along, axis=0, kind="stable")
    sizes = np.arange(1, n)[:, None]
    sums = np.cumsum(np.take_along_axis(along, orders, axis=0), axis=0)[:-1]
    between_sides = np.square(sums) * (1 / sizes + 1 / (n - sizes))
    allowed = np.minimum(sizes, n - sizes) >= smallest
    split, axis = np.unravel_index(np.argmax(np.where(allowed, between_sides, -1.0)), between_sides.shape)
    first: Array = np.zeros(n, dtype=bool)
    first[orders[: split + 1, axis]] = True
    best, line = -1.0, axes.directions[axis]
    for _ in range(MOST_ROUNDS):
        size, total = int(first.sum()), centred[first].sum(axis=0)
        between = float(total @ total) * (1 / size + 1 / (n - size))
        if between <= best:
            break
        mean, other = total / size, -total / (n - size)
        best, line = between, mean - other
        nearer = centred @ line > float(mean @ mean - other @ other) / 2
        if not smallest <= int(nearer.sum()) <= n - smallest:
            break
        first = nearer
    left = 1 - best / float(np.square(centred).sum())
    return max(left, 0.0), np.asarray(centred @ line)
