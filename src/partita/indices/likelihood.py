"""Indices of likelihood: information criteria of a fitted mixture, and the partition negentropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from partita.registry import ALL, FUZZY, HARD, Array, Example, Floats, Limit, bound, index
from partita.statistics import MembershipMoments
from partita.statistics.clusters.mixtures import (
    ClusterNegentropies,
    GaussianComponents,
    GivenMixture,
    MixtureFit,
)

# responsibilities that are all 0 or 1 (one component, say) make a hard partition
ANY_VALUE = {HARD: (None, None), FUZZY: (None, None)}

OF_MIXTURE: dict[str, Any] = {
    "best": -math.inf,
    "range": ANY_VALUE,
    "claims": {"relabelling_invariant": ALL},
    "limits": [
        Limit(
            lambda fit: np.asarray(not math.isfinite(2.0 * fit.log_likelihood)),
            math.nan,
            "the mixture gives the data no likelihood (a singular covariance, or objects beyond all numbers)",
        )
    ],
}

# two standard normals at -3 and 3; each object is as likely under its own as exp(-0.5) allows
_TWO = GivenMixture([0.5, 0.5], [[-3.0], [3.0]], [[[1.0]], [[1.0]]])
_SQUARE = [[-4.0], [-2.0], [2.0], [4.0]]
_HALF = GivenMixture([0.5, 0.5], [[0.0], [0.0]], [[[1.0]], [[1.0]]])
_ONE = GivenMixture([1.0], [[0.0]], [1.0], "spherical")
_LOG_DENSITIES = -2 * math.log(2 * math.pi) - 2.0  # of -1, -1, 1, 1 under the standard normal


@index(
    symbol="AIC",
    title="Akaike's information criterion",
    **OF_MIXTURE,
    references=["akaike1974", "lagofernandez2009"],
    formula=r"-2 \log L + 2 p",
    examples=[
        Example(
            [[-1.0], [-1.0], [1.0], [1.0]],
            _ONE,
            4 - 2 * _LOG_DENSITIES,
            source="by hand: four standard normal densities at distance 1, two parameters",
        ),
    ],
)
def aic(fit: MixtureFit) -> Floats:
    """How badly a mixture fits, plus twice its number of parameters: smaller is better.

    Equal to scikit-learn's ``model.aic(X)``. The parameters are the weights, means and covariances that are
    free for the mixture's covariance type. A Bayesian mixture is judged by its density at the estimates.

    Pitfalls
    --------
    It chooses too many components, the more so the longer EM runs, and clusters that are not Gaussian are
    split. The original paper maximises; here, as in scikit-learn, it is minimised.

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> round(aic(X, GaussianMixture(1).fit(X)), 4)
    20.3626
    """
    return np.asarray(2.0 * fit.n_parameters - 2.0 * fit.log_likelihood)


def _bic(fit: MixtureFit) -> Any:
    return fit.n_parameters * math.log(fit.n) - 2.0 * fit.log_likelihood


@index(
    symbol="BIC",
    title="Bayesian information criterion",
    **OF_MIXTURE,
    references=["schwarz1978", "lagofernandez2009", "franti2017"],
    formula=r"-2 \log L + p \log n",
    examples=[
        Example(
            [[-1.0], [-1.0], [1.0], [1.0]],
            _ONE,
            2 * math.log(4) - 2 * _LOG_DENSITIES,
            source="by hand: four standard normal densities at distance 1, two parameters",
        ),
    ],
)
def bic(fit: MixtureFit) -> Floats:
    """How badly a mixture fits, plus log n for each parameter: smaller is better.

    Equal to scikit-learn's ``model.bic(X)``. ``bic_partition`` is the same idea for a hard partition, with
    one spherical variance for all clusters.

    Pitfalls
    --------
    It chooses the number of Gaussians that describe the density, which is not the number of clusters: a
    cluster that is not Gaussian is split. The slides of franti2017 count clusters instead of parameters,
    and mclust maximises the negative of this.

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> round(bic(X, GaussianMixture(1).fit(X)), 4)
    19.1351
    """
    return np.asarray(_bic(fit))


@index(
    symbol="ICL",
    title="Integrated completed likelihood",
    **OF_MIXTURE,
    references=["biernacki2000", "lagofernandez2009"],
    formula=r"-2 \log L + p \log n - 2 \sum_{ik} r_{ik} \log r_{ik}",
    examples=[
        Example(
            [[-1.0], [-1.0], [1.0], [1.0]],
            _HALF,
            5 * math.log(4) - 2 * _LOG_DENSITIES + 8 * math.log(2),
            source="by hand: five parameters, every responsibility is one half",
        ),
    ],
)
def icl(fit: MixtureFit) -> Floats:
    """The Bayesian criterion plus twice the entropy of the responsibilities: smaller is better.

    Components that overlap are charged for it, so it counts clusters rather than Gaussians. At a fixed point
    of EM it is 2 n PNC + p log n + n d log(2 pi e).

    Pitfalls
    --------
    Overlapping clusters are merged, even where both are real. ``icl_map`` takes the largest responsibility
    in place of the entropy, and is never larger.

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> round(icl(X, GaussianMixture(1).fit(X)), 4)
    19.1351
    """
    return np.asarray(_bic(fit) + 2.0 * fit.overlap)


@index(
    title="Integrated completed likelihood of the most likely components",
    **OF_MIXTURE,
    references=["biernacki2000"],
    formula=r"-2 \log L + p \log n - 2 \sum_i \log \max_k r_{ik}",
    examples=[
        Example(
            [[-1.0], [-1.0], [1.0], [1.0]],
            _HALF,
            5 * math.log(4) - 2 * _LOG_DENSITIES + 8 * math.log(2),
            source="by hand: five parameters, every responsibility is one half",
        ),
        Example(
            _SQUARE,
            _TWO,
            5 * math.log(4) + 8 * math.log(2) - 2 * _LOG_DENSITIES,
            source="by hand: the density of an object with its own component, weight one half",
        ),
    ],
)
def icl_map(fit: MixtureFit) -> Floats:
    """The Bayesian criterion, each object given to its most likely component: smaller is better.

    Pitfalls
    --------
    Less strict on overlap than ``icl``, which is never smaller; papers often mean one and compute the other.

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> round(icl_map(X, GaussianMixture(1).fit(X)), 4)
    19.1351
    """
    return np.asarray(_bic(fit) - 2.0 * fit.log_largest)


def _too_few(components: GaussianComponents) -> Array:
    return np.asarray(components.is_below(components.floor))


@index(
    symbol="PNC",
    title="Partition negentropy criterion",
    best=-math.inf,
    range=ANY_VALUE,
    claims={"relabelling_invariant": ALL},
    limits=[
        Limit(_too_few, math.nan, "a component holds fewer objects than min_points"),
        Limit(lambda c: np.asarray(c.is_singular), math.nan, "the covariance of a component is singular"),
    ],
    references=["lagofernandez2009"],
    formula=r"\tfrac12 \sum_c p(c) \log |\Sigma_c| - \sum_c p(c) \log p(c)",
    examples=[
        Example(
            [[0.0], [2.0], [7.5], [13.5]],
            [0, 0, 1, 1],
            0.5 * math.log(3) + math.log(2),
            min_points=0,
            source="by hand: variances 1 and 9, halves: 1/2 (1/2 log 1 + 1/2 log 9) + log 2",
        ),
        Example(
            [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]],
            [0, 0, 0, 0],
            0.0,
            min_points=0,
            source="by hand: the identity is the covariance of a square of side 2",
        ),
    ],
)
def partition_negentropy(
    components: GaussianComponents,
) -> Floats:
    """How far the clusters are from separate Gaussians, up to a constant of the data: smaller is better.

    Of a fitted mixture it takes the weights and covariances; of any hard or fuzzy partition the shares and
    the weighted covariances of its clusters (divided by their weight). Up to d/2 log(2 pi e) - H(X), which no
    clustering changes, it is `partition_overlap` plus `cluster_negentropy`, the two terms of eq. (2);
    `partita.statistics.negentropy_parts` has those of each cluster. At a fixed point of EM it is ICL without
    the charge for parameters: ICL = 2 n PNC + p log n + n d log(2 pi e).

    ``min_points``: a component with fewer objects makes it nan, by default max(25, d + 1), since a few nearly
    collinear points bring log-determinants down without end; 0 is faithful to the paper. ``ridge`` times the
    variance of each feature is added to the covariances of a partition. It is 0 by default: with the floor
    it changes no choice, and it would make the value depend on the scales of the features; a mixture has the
    ridge of its fit.

    Pitfalls
    --------
    It does not charge for parameters: small flat components win unless ``min_points`` holds them off. Only
    differences on the same data mean anything: a change of units shifts every value by the same amount.
    Features of few whole numbers (2 to 10 of them, each five times or more on average) are refused; see
    ``stochastic_complexity`` for 0/1 data.

    Examples
    --------
    >>> X = [[0.0], [2.0], [7.5], [13.5]]
    >>> round(partition_negentropy(X, [0, 0, 1, 1], min_points=0), 4)
    1.2425
    """
    return np.asarray(0.5 * components.weights @ components.log_determinants + components.size_entropy)


@index(
    title="Overlap of the clusters",
    aliases=("H(C|X)",),
    best=0.0,
    range=dict.fromkeys((HARD, FUZZY), (0.0, bound("log k", lambda m: np.log(np.maximum(m.n_clusters, 1))))),
    claims={"relabelling_invariant": ALL},
    constant={HARD: "every hard clustering scores best on it, whatever it is"},
    references=["lagofernandez2009"],
    formula=r"-\frac{1}{n} \sum_{ik} u_{ik} \log u_{ik}",
    examples=[
        Example([[0.5, 0.5], [1.0, 0.0]], 0.5 * math.log(2), source="by hand: one object of two undecided"),
        Example([0, 1, 1], 0.0, source="by hand: hard clusters do not overlap"),
    ],
)
def partition_overlap(moments: MembershipMoments) -> Floats:
    """How much the clusters overlap, the first term of the partition negentropy: 0 for a hard partition.

    H(C | X) of lagofernandez2009, eq. (2): the mean entropy of p(c | x), in nats. It is the number of
    `partition_entropy`, under the name and in the unit in which it adds up with `cluster_negentropy`.

    Pitfalls
    --------
    It does not see the data, and one cluster has none: alone it chooses no number of clusters.

    Examples
    --------
    >>> round(partition_overlap([[0.5, 0.5], [1.0, 0.0]]), 4)
    0.3466
    """
    return np.asarray(moments.entropies / moments.total)


@index(
    title="Mean negentropy of the clusters",
    aliases=("J(X|C)",),
    best=0.0,
    range=dict.fromkeys((HARD, FUZZY), (0.0, None)),
    claims={"relabelling_invariant": ALL},
    limits=[
        Limit(lambda s: np.asarray(s.fractional_weights), math.nan, "weights must be whole numbers"),
        Limit(lambda s: np.asarray(s.has_small), math.nan, "a cluster holds fewer objects than min_points"),
        Limit(
            lambda s: np.asarray(np.isnan(s.negentropies).any()),
            math.nan,
            "a cluster is singular, has too few objects, or more copies of a point than neighbours",
        ),
    ],
    references=["lagofernandez2009"],
    formula=r"\sum_c p(c) \left( \tfrac12 \log |\Sigma_c| + \tfrac{d}{2} \log 2 \pi e - H(X | c) \right)",
    examples=[
        Example(
            [[0.0], [0.1], [10.0], [10.1]],
            [0, 0, 0, 0],
            0.5 * math.log(2 * math.pi * math.e) - 11 / 6 - math.log(2 * 0.1) + 0.5 * math.log(25.0025),
            neighbors=1,
            min_points=0,
            source="by hand: every nearest neighbour is 0.1 away, the variance is 25.0025",
        ),
    ],
)
def cluster_negentropy(negentropies: ClusterNegentropies) -> Floats:
    """How far the clusters are from Gaussians, the second term of the partition negentropy: 0 for Gaussians.

    J(X | C) of lagofernandez2009, eq. (3): the entropy of a Gaussian with the covariance of a cluster minus
    the entropy of the cluster, in the mean over clusters by their shares, in nats. The latter is estimated
    from the distance of each object to its nearest neighbours (Kozachenko and Leonenko) in whitened
    coordinates; ``neighbors`` is which of them. What sampling error carries below 0 counts as 0.

    Pitfalls
    --------
    Its bias falls slowly with the number of objects: at most 0.07 nats on Gaussian clusters of 1000 objects
    in up to 6 dimensions, and of no use beyond 10. `partition_negentropy` needs no density. Clusters with
    fewer than ``min_points`` objects, by default max(25, d + 1), make it nan, as do many copies of a point.

    Examples
    --------
    >>> X = [[0.0], [0.1], [10.0], [10.1]]
    >>> round(cluster_negentropy(X, [0, 0, 0, 0], neighbors=1, min_points=0), 4)
    2.8045
    """
    return np.asarray(negentropies.weights @ negentropies.negentropies)
