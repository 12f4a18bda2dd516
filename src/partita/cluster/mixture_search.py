"""How many components: those of a mixture are merged or left out until the partition negentropy is lowest."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from partita.arrays import Floats
from partita.indices.likelihood import partition_negentropy
from partita.partitions import FUZZY
from partita.statistics.clusters.mixtures import FEWEST_POINTS, GaussianComponents, GivenMixture
from partita.statistics.clusters.moments import log_determinants

if TYPE_CHECKING:
    from partita.cluster.mixture import ExpectationMaximisation, MixtureRun


def first_number(X: Floats, max_clusters: int) -> int:
    """How many components a search begins with: no more than can hold max(25, d + 1) objects each."""
    GaussianComponents.check(X)
    n, d = X.shape
    that_fit: int = n // max(FEWEST_POINTS, d + 1)
    return max(1, min(max_clusters, that_fit))


def shrink(em: ExpectationMaximisation, run: MixtureRun) -> MixtureRun:
    """Take components away, one at a time, down to one; the run of lowest partition negentropy on the way.

    To end where the negentropy first rises was tried on five kinds of data, 40 sets each: 1 to 5 fits of
    every kind had a component too many. With the whole way down, at the same cost, only 3 of one kind had.
    """
    n = len(em.X)
    best, lowest = run, _negentropy(run.mixture, n)
    while len(run.mixture.weights_) > 1:
        runs = [one for one in em.run(_smaller(em, run.mixture)) if not one.is_singular]
        if not runs:
            break
        # where each has a component that is too small, the likeliest goes on
        value, _, at = min(
            (_negentropy(one.mixture, n), -one.log_likelihood, i) for i, one in enumerate(runs)
        )
        run = runs[at]
        if value <= lowest:
            best, lowest = run, value
    return best


def _negentropy(mixture: GivenMixture, n: int) -> float:
    """The partition negentropy of a mixture of n objects; infinite where a component is too small."""
    alive = mixture.weights_ > 0
    weights = mixture.weights_[alive]
    determinants = log_determinants(np.stack(list(mixture.covariance_matrices())))[alive]
    d = mixture.means_.shape[1]
    value = partition_negentropy.of(GaussianComponents(n * weights, weights, determinants, d, kind=FUZZY))
    return math.inf if math.isnan(value) else float(value)


def _smaller(em: ExpectationMaximisation, mixture: GivenMixture) -> list[GivenMixture]:
    """Mixtures with one component less: each left out in turn, and the two of best union merged."""
    from partita.cluster.mixture import expectation

    k, n = len(mixture.weights_), len(em.X)
    left_out = [_take(mixture, np.delete(np.arange(k), c)) for c in range(k)]
    memberships = expectation(em.X, mixture)[0]
    merged = []
    for a, b in combinations(range(k), 2):
        together = np.delete(memberships, b, axis=1)
        together[:, a] += memberships[:, b]
        merged.append(em.maximised(together, left_out[b]))
    return [*left_out, min(merged, key=lambda one: _negentropy(one, n))]


def _take(mixture: GivenMixture, kept: Floats) -> GivenMixture:
    """Some components of a mixture, with the weights they have among themselves."""
    weights = mixture.weights_[kept]
    shares = weights / weights.sum() if weights.sum() > 0 else np.full(len(kept), 1 / len(kept))
    tied = mixture.covariance_type == "tied"
    covariances = mixture.covariances_ if tied else mixture.covariances_[kept]
    return GivenMixture(shares, mixture.means_[kept], covariances, mixture.covariance_type)
