"""Indices of soft partitions: how soft they are, and how well their prototypes fit the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from partita.indices.information import Base, unit
from partita.indices.scatter import is_beyond_numbers
from partita.indices.separation import TOO_CLOSE
from partita.registry import (
    ALL,
    EVIDENTIAL,
    FUZZY,
    HARD,
    ROUGH,
    Above,
    Annotated,
    Array,
    Example,
    Floats,
    Limit,
    bound,
    index,
)
from partita.statistics import MembershipMoments
from partita.statistics.clusters.prototypes import (
    CoreMemberships,
    FuzzyCenters,
    FuzzyCovariances,
    PrototypeDistances,
    Prototypes,
)

Power = Annotated[float, Above(0)]

_SOFT = [[0.9, 0.1], [0.5, 0.5]]
_LINE = [[0.0], [2.0], [6.0], [8.0]]
_HALVES = [0, 0, 1, 1]
_EVEN = [[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]]  # u^2 is 1/4, 1/4 and 0, 1/4, 1/4, 1
_THREE = [[0.0], [2.0], [4.0]]
_SQUARES = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [1.0, 1.0]]


def _fewest(m: MembershipMoments) -> Array:
    return 1.0 / np.maximum(m.n_clusters, 1)


def _log_k(m: MembershipMoments, *, base: float | None) -> Array:
    return np.asarray(np.log(np.maximum(m.n_clusters, 1)) / unit(base))


LOG_K = bound("log k", _log_k)
SURE = {HARD: "every hard clustering scores best on it, whatever it is"}
SPECIFIC = dict.fromkeys((HARD, FUZZY), "no object is given to a set of clusters, so that it is 0")
ONE_CLUSTER = "there is a single cluster"


@index(
    symbol="PC",
    title="Partition coefficient",
    best=1.0,
    range=dict.fromkeys((HARD, FUZZY), (bound("1 / k", _fewest), 1.0)),
    claims={"relabelling_invariant": ALL, "normalized": ALL},
    constant=SURE,
    references=["bezdek1974", "franti2017"],
    formula=r"\frac{1}{n} \sum_{ik} u_{ik}^2",
    examples=[
        Example(_SOFT, 0.66, source="by hand: (0.82 + 0.5) / 2"),
        Example([0, 1, 1], 1.0, source="by hand: crisp 1"),
    ],
)
def partition_coefficient(moments: MembershipMoments) -> Floats:
    """How sure the memberships are: 1 for a hard partition, 1 / k when each object belongs to all alike.

    The mean over objects of the sum of squared memberships.

    Pitfalls
    --------
    It does not see the data, and it falls with k: compare the modified coefficient between numbers of
    clusters. Some packages have averaged over the n k cells, which gives values below 1 / k.

    Examples
    --------
    >>> round(partition_coefficient([[0.9, 0.1], [0.5, 0.5]]), 4)
    0.66
    """
    return np.asarray(moments.squares / moments.total)


@index(
    symbol="MPC",
    title="Modified partition coefficient",
    best=1.0,
    range=dict.fromkeys((HARD, FUZZY), (0.0, 1.0)),
    claims={"relabelling_invariant": ALL, "normalized": ALL},
    limits=[Limit(lambda m: np.asarray(m.n_clusters <= 1), math.nan, ONE_CLUSTER)],
    constant=SURE,
    references=["dave1996"],
    formula=r"1 - \frac{k}{k - 1} (1 - PC)",
    examples=[Example(_SOFT, 0.32, source="by hand: 1 - 2 (1 - 0.66)")],
)
def modified_partition_coefficient(moments: MembershipMoments) -> Floats:
    """How sure the memberships are, on one scale for every k: 1 for a hard partition, 0 for none at all.

    The partition coefficient, scaled so that equal memberships score 0. Empty clusters do not count.

    Pitfalls
    --------
    It does not see the data: any hard partition scores 1, however bad it is.

    Examples
    --------
    >>> round(modified_partition_coefficient([[0.9, 0.1], [0.5, 0.5]]), 4)
    0.32
    """
    k = moments.n_clusters
    return np.asarray(1.0 - k / (k - 1.0) * (1.0 - moments.squares / moments.total))


@index(
    symbol="PE",
    title="Partition entropy",
    best=0.0,
    range=dict.fromkeys((HARD, FUZZY), (0.0, LOG_K)),
    claims={"relabelling_invariant": ALL},
    constant=SURE,
    references=["bezdek1973", "franti2017"],
    formula=r"-\frac{1}{n} \sum_{ik} u_{ik} \log u_{ik}",
    examples=[
        Example([[0.5, 0.5], [1.0, 0.0]], 0.5 * math.log(2), source="by hand: one object of two undecided"),
        Example([[0.5, 0.5], [1.0, 0.0]], 0.5, base=2, source="by hand: half a bit"),
        Example([0, 1, 1], 0.0, source="by hand: crisp 0"),
    ],
)
def partition_entropy(moments: MembershipMoments, *, base: Base = None) -> Floats:
    """How unsure the memberships are: 0 for a hard partition, log k when each object belongs to all alike.

    The mean entropy of the objects' memberships, in nats unless ``base`` says otherwise.

    Pitfalls
    --------
    It does not see the data, and it grows with k. Packages differ in the base: e1071 has nats,
    fuzzy-c-means bits. Not the entropy of the cluster sizes, which is ``entropy``.

    Examples
    --------
    >>> partition_entropy([[0.5, 0.5], [1.0, 0.0]], base=2)
    0.5
    """
    return np.asarray(moments.entropies / moments.total / unit(base))


@index(
    title="Nonspecificity",
    best=None,
    range=dict.fromkeys((HARD, FUZZY, ROUGH, EVIDENTIAL), (0.0, LOG_K)),
    claims={"relabelling_invariant": ALL},
    constant=SPECIFIC,
    references=["masson2008"],
    formula=r"\frac{1}{n} \sum_i \sum_{A \neq \emptyset} m_i(A) \log |A|",
    examples=[
        Example([0, 1, 1], 0.0, source="by hand: hard must be 0"),
        Example(
            [[True, True], [True, False]], 0.5 * math.log(2), source="by hand: one object of two undecided"
        ),
        Example(
            {"mass": [[0.5, 0.5, 0.0], [0.2, 0.0, 0.8]], "F": [[1, 0], [1, 1], [0, 0]]},
            0.25,
            base=2,
            source="by hand: half a bit, and nothing from the empty set",
        ),
    ],
)
def nonspecificity(moments: MembershipMoments, *, base: Base = None) -> Floats:
    """How large the sets of clusters are that objects are given to: 0 when each has one, log k for no idea.

    The mean over objects of the log size of their set, by its mass; in nats unless ``base`` says otherwise.
    It describes a clustering and has no best value.

    Pitfalls
    --------
    Mass on the empty set adds nothing here; Masson and Denoeux count it as ignorance when they choose a
    number of clusters. Another quantity than ``pairwise_nonspecificity``, which is that of "together or
    apart". Fuzziness does not count: hard and fuzzy partitions have 0.

    Examples
    --------
    >>> from partita import RoughPartition
    >>> nonspecificity(RoughPartition([[True, True], [True, False]]), base=2)
    0.5
    """
    return np.asarray(moments.nonspecificities / moments.total / unit(base))


# --- with data -------------------------------------------------------------------------------------------

ANY_VALUE = {HARD: (None, None), FUZZY: (None, None)}
NOT_NEGATIVE = {HARD: (0.0, None), FUZZY: (0.0, None)}
INVARIANT: dict[str, Any] = {"relabelling_invariant": ALL}
ONE = Limit(lambda p, *_: np.asarray(p.n_clusters <= 1), math.nan, ONE_CLUSTER)
BEYOND = "squared distances are beyond the range of numbers: scale the features"
NO_WEIGHT = Limit(
    lambda p, *_: np.asarray(p.n_clusters == 0), math.nan, "no membership is left when raised to this power"
)


@index(
    symbol="FS",
    title="Fukuyama-Sugeno index",
    family="compactness",
    best=-math.inf,
    range=ANY_VALUE,
    claims=INVARIANT,
    limits=[
        NO_WEIGHT,
        Limit(
            lambda p: is_beyond_numbers(_fukuyama_sugeno(p), p.in_units(_fukuyama_sugeno(p), 2)),
            math.nan,
            BEYOND,
        ),
    ],
    references=["fukuyama1989", "pal1995"],
    formula=r"\sum_{ik} u_{ik}^m \left( \|x_i - v_k\|^2 - \|v_k - \bar x\|^2 \right)",
    examples=[
        Example(_LINE, _HALVES, 4.0 - 36.0, source="by hand: 4 x 1 within, 4 x 9 between"),
        Example(
            _THREE,
            _EVEN,
            0.5 + 3.5 - (0.5 + 1.5),
            source="by hand: centres 1 and 3, mean 2; within 1/2 and 9/4 + 1/4 + 1, between 1/2 and 3/2",
        ),
    ],
)
def fukuyama_sugeno(centers: FuzzyCenters) -> Floats:
    """How compact the clusters are, less how far their centres lie from the mean: smaller is better.

    Centres are sum u^m x / sum u^m, and the mean is that of the data.

    Pitfalls
    --------
    It grows with the scale of the data and with n, and falls with k almost always. For large m it tends to
    depend on the centres only. Some packages (e1071) take the mean of the centres for that of the data.

    Examples
    --------
    >>> fukuyama_sugeno([[0.0], [2.0], [6.0], [8.0]], [0, 0, 1, 1])
    -32.0
    """
    return centers.in_units(_fukuyama_sugeno(centers), 2)


def _fukuyama_sugeno(centers: FuzzyCenters) -> float:
    clusters = centers.clusters
    return float(clusters.ssw - clusters.weights[clusters.filled] @ centers.from_mean)


@index(
    title="Kwon's index",
    family="separation",
    best=0.0,
    range=NOT_NEGATIVE,
    claims=INVARIANT,
    limits=[
        NO_WEIGHT,
        ONE,
        Limit(lambda p: np.asarray(p.total_scatter == 0), math.nan, "all objects are the same"),
        Limit(lambda p: np.asarray(p.least_separation == 0), math.inf, "two centres coincide"),
        Limit(lambda p: np.isinf(_kwon(p)), math.inf, TOO_CLOSE),
    ],
    references=["kwon1998"],
    formula=r"\frac{\sum_{ik} u_{ik}^m \|x_i - v_k\|^2 + \frac{1}{k} \sum_k \|v_k - \bar x\|^2}"
    r"{\min_{j \neq k} \|v_j - v_k\|^2}",
    examples=[
        Example(_LINE, _HALVES, (4 + 9) / 36, source="by hand: 4 within, centres at -3 and 3 of the mean"),
    ],
)
def kwon(prototypes: Prototypes) -> Floats:
    """Xie and Beni's compactness over separation, with a charge for spread-out centres: smaller is better.

    The charge keeps the index from falling to 0 as k approaches n. Memberships are squared, as in the
    original (``m=2``); centres are sum u^m x / sum u^m.

    Pitfalls
    --------
    Not divided by n: values grow with the number of objects. It only sees the two nearest centres.

    Examples
    --------
    >>> round(kwon([[0.0], [2.0], [6.0], [8.0]], [0, 0, 1, 1]), 4)
    0.3611
    """
    return _kwon(prototypes)


def _kwon(prototypes: Prototypes) -> Floats:
    spread = prototypes.from_mean.mean()
    return np.asarray((prototypes.clusters.ssw + spread) / prototypes.least_separation)


@index(
    symbol="PBMF",
    title="Pakhira-Bandyopadhyay-Maulik index, fuzzy",
    family="compactness",
    best=math.inf,
    range=NOT_NEGATIVE,
    claims=INVARIANT,
    limits=[
        NO_WEIGHT,
        ONE,
        Limit(
            lambda _, d: np.asarray(d.to_centers <= 1e-14 * d.to_mean),
            math.nan,
            "every object lies on its centre",
        ),
        Limit(
            lambda p, d: is_beyond_numbers(_pbm(p, d), p.in_units(_pbm(p, d), 2)),
            math.nan,
            BEYOND,
        ),
    ],
    references=["pakhira2004"],
    formula=r"\left( \frac{1}{k} \cdot \frac{\sum_i \|x_i - \bar x\|}{\sum_{ik} u_{ik}^m \|x_i - v_k\|}"
    r" \cdot \max_{j,k} \|v_j - v_k\| \right)^2",
    examples=[
        Example(_LINE, _HALVES, 81.0, source="by hand: (1/2 x 12/4 x 6)^2"),
    ],
)
def pbm_fuzzy(
    prototypes: Prototypes,
    distances: PrototypeDistances,
) -> Floats:
    """How few, compact and far apart the clusters are, in one product: larger is better.

    The sums are of distances, not of squares. Centres are sum u^m x / sum u^m; hard partitions give the
    crisp PBM index.

    Pitfalls
    --------
    It has the unit of X squared. One remote centre decides the separation.

    Examples
    --------
    >>> pbm_fuzzy([[0.0], [2.0], [6.0], [8.0]], [0, 0, 1, 1])
    81.0
    """
    return prototypes.in_units(_pbm(prototypes, distances), 2)


def _pbm(prototypes: Prototypes, distances: PrototypeDistances) -> float:
    compactness = distances.to_mean / distances.to_centers
    return float((compactness / prototypes.n_clusters) ** 2 * prototypes.largest_separation)


def _flat(f: FuzzyCovariances, *_: Any) -> Array:
    return np.asarray(f.is_flat)


def _beyond(f: FuzzyCovariances, *_: Any) -> Array:
    return np.asarray(np.abs(f.log_volumes).max() > 700.0)


VOLUMES = [
    Limit(
        lambda f, *_: np.asarray(f.clusters.n_clusters == 0),
        math.nan,
        "no membership is left when raised to this power",
    ),
    Limit(_flat, math.nan, "a cluster is flat: its covariance is singular"),
    Limit(_beyond, math.nan, "the volumes are beyond the range of numbers: scale the features"),
]


@index(
    symbol="FHV",
    title="Fuzzy hypervolume",
    family="density",
    best=0.0,
    range=NOT_NEGATIVE,
    claims=INVARIANT,
    limits=VOLUMES,
    references=["gath1989"],
    formula=r"\sum_k |F_k|^{1/2}, \quad F_k = \frac{\sum_i u_{ik}^m (x_i - v_k)(x_i - v_k)^\top}"
    r"{\sum_i u_{ik}^m}",
    examples=[
        Example(_LINE, _HALVES, 2.0, source="by hand: two variances of 1"),
        Example(_LINE, [[0.5, 0.5]] * 4, 2 * math.sqrt(10), source="by hand: twice the variance 10"),
    ],
)
def fuzzy_hypervolume(fuzzy: FuzzyCovariances) -> Floats:
    """How much room the clusters take, as ellipsoids: smaller is better.

    Memberships enter as they are (``m=1``), as Gath and Geva's posterior probabilities do; centres are
    sum u^m x / sum u^m.

    Pitfalls
    --------
    It changes with the units of X, and falls as clusters become flat: a cluster without volume is not
    scored. Many packages use u^m with the m of fuzzy c-means (``m=2``), or its centres with u.

    Examples
    --------
    >>> fuzzy_hypervolume([[0.0], [2.0], [6.0], [8.0]], [0, 0, 1, 1])
    2.0
    """
    return np.asarray(np.exp(fuzzy.log_volumes).sum())


@index(
    symbol="APD",
    title="Average partition density",
    family="density",
    best=math.inf,
    range=NOT_NEGATIVE,
    claims=INVARIANT,
    limits=VOLUMES,
    references=["gath1989"],
    formula=r"\frac{1}{k} \sum_k \frac{\sum_{i \in I_k} u_{ik}}{|F_k|^{1/2}}, \quad"
    r" I_k = \{ i : (x_i - v_k)^\top F_k^{-1} (x_i - v_k) < 1 \}",
    examples=[
        Example(
            _SQUARES,
            [0] * 5,
            1 / 0.8,
            source="by hand: covariance 0.8 I, and only the middle of the square is inside",
        ),
    ],
)
def average_partition_density(
    fuzzy: FuzzyCovariances,
    core: CoreMemberships,
) -> Floats:
    """How densely the inner ellipsoids of the clusters are filled, on average: larger is better.

    The sum of the memberships inside a Mahalanobis distance of 1 over the volume of the cluster, the mean of
    it over clusters. Objects at a distance of 1, up to rounding, are outside.

    Pitfalls
    --------
    It changes with the units of X and grows with n. One very dense cluster can stand for all; ``m`` only
    concerns the covariances.

    Examples
    --------
    >>> round(average_partition_density([[0, 0], [2, 0], [0, 2], [2, 2], [1, 1]], [0] * 5), 4)
    1.25
    """
    return np.asarray((core.inside / np.exp(fuzzy.log_volumes)).mean())
