"""Statistics that tell data with clusters from data without, and their p-values against null data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from partita.arrays import Floats, one_blas_thread
from partita.statistics.dips import dip, evenly_thinned
from partita.statistics.projections import Axes, Box, flattest_projection

__all__ = ["DIRECTIONS", "STATISTICS", "NullTest", "as_shown", "corrected", "measured", "null_tests"]

HOPKINS = "hopkins"
TREE = "spanning tree length"
DIP = "dip of the flattest projection"
STATISTICS = (HOPKINS, TREE, DIP)
DIRECTIONS = np.array([1.0, -1.0, 1.0])
"""1 if clusters make a statistic larger, -1 if smaller."""

MOST_PROBES = 100
"""Places and objects of Hopkins' statistic; more do not raise the power."""

MOST_DISTANCES = 5000
"""Distances whose median is taken."""

LARGEST_LOG_ODDS = 700.0
"""More cannot be turned back into a share."""

DIGITS = 9
"""Decimal digits that are compared, so that values which differ by rounding are equal."""

ROUNDING = 1e-9
"""Deviations that differ by less are equal."""


@dataclass(frozen=True)
class NullTest:
    """One statistic of the data compared with data from one distribution without clusters.

    Attributes
    ----------
    statistic : str
        The name of the statistic.
    null : str
        The name of the distribution.
    dimensions : int
        The dimensions of all data, or the number of leading principal components.
    value : float
        The statistic of the data.
    null_mean : float
        The mean over the data sets drawn from the distribution.
    p : float
        The share of data sets, the given data among them, that look at least as clustered.
    corrected_p : float
        The share of data sets that look as clustered in whichever statistic shows it most.
    """

    statistic: str
    null: str
    dimensions: int
    value: float
    null_mean: float
    p: float
    corrected_p: float


def measured(X: Floats, n_components: int, rng: np.random.Generator) -> list[float]:
    """All statistics of data, followed by those of so many of its leading principal components."""
    with one_blas_thread():
        axes = Axes.of(X)
        values = _statistics(X, axes, rng)
        if n_components:
            leading = np.ascontiguousarray(axes.along(X)[:, :n_components])
            values += _statistics(leading, Axes.of(leading), rng)
    return [float(f"{value:.{DIGITS}g}") for value in values]


def null_tests(
    values: Sequence[float], null: Mapping[str, Floats], dimensions: Sequence[int]
) -> tuple[NullTest, ...]:
    """Each statistic of the data against those of data sets from each distribution.

    Null has by distribution an array (data sets, statistics); dimensions are those of each block of
    statistics.
    """
    of_data = np.array(values)
    directions = np.tile(DIRECTIONS, len(dimensions))
    names = [(name, block) for block in dimensions for name in STATISTICS]
    tests = []
    for law, drawn in null.items():
        as_clustered = (drawn * directions >= of_data * directions).sum(axis=0)
        p = (1 + as_clustered) / (len(drawn) + 1)
        rows = np.array([as_shown(of_data), as_shown(drawn).mean(axis=0), p, corrected(of_data, drawn)]).T
        tests += [NullTest(name, law, d, *row) for (name, d), row in zip(names, rows.tolist(), strict=True)]
    return tuple(tests)


def corrected(values: Floats, null: Floats) -> Floats:
    """The p-value of each statistic, corrected for the others (Westfall & Young 1993, single-step max-T).

    Every statistic is expressed in standard deviations from its mean over all data sets, the given data among
    them; a data set counts if any of its statistics deviates as far as this one of the data. If the data come
    from the distribution, all data sets are exchangeable, so a p-value below 0.05 in any statistic comes in
    at most 5 % of cases, however the statistics depend on each other.
    """
    pool = np.vstack([values, null]) * np.tile(DIRECTIONS, len(values) // len(STATISTICS))
    deviations = pool - pool.mean(axis=0)
    spread = deviations.std(axis=0)
    varies = spread > 1e-12 * np.abs(pool).max(axis=0)
    deviations = np.where(varies, deviations / np.where(varies, spread, 1.0), 0.0)
    largest = deviations.max(axis=1)
    return np.asarray((largest[:, None] >= deviations[0] - ROUNDING).mean(axis=0))


def as_shown(values: Floats) -> Floats:
    """Statistics as readers know them: Hopkins' as a share, not as log odds, and lengths, not their logs."""
    from scipy.special import expit

    shown = values.copy()
    kind = np.arange(values.shape[-1]) % len(STATISTICS)
    for statistic, scale in ((HOPKINS, expit), (TREE, np.exp)):
        is_this = kind == STATISTICS.index(statistic)
        shown[..., is_this] = scale(values[..., is_this])
    return shown


def _statistics(X: Floats, axes: Axes, rng: np.random.Generator) -> list[float]:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import cdist, pdist

    n = len(X)
    probes = min(n, MOST_PROBES)
    box = Box.around(X, axes)
    places = box.at(rng.random((probes, len(box.low))))
    objects = X[rng.permutation(n)[:probes]]
    from_objects = np.partition(cdist(objects, X), 1, axis=1)[:, 1]  # the nearest is the object itself
    odds = hopkins_log_odds(cdist(places, X).min(axis=1), from_objects, len(axes.spread))
    # the heights at which single linkage joins are the edges of the minimum spanning tree
    distances = pdist(X)
    length = max(float(linkage(distances, "single")[:, 2].sum()), np.finfo(float).tiny)
    typical = float(np.median(distances[:: 1 + len(distances) // MOST_DISTANCES])) or 1.0
    projection = flattest_projection(axes.whitened(X))
    # far objects in a few of the data sets drawn must not decide what a usual deviation is: hence the log
    log_length = math.log(length) - math.log(math.sqrt(n) * typical)
    return [odds, log_length, dip(evenly_thinned(np.sort(projection)))]


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
