"""Mixtures of Gaussians: how well one fits, and what its components, or those of a partition, look like."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from operator import add
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy.special import digamma, entr, gammaln, logsumexp

from partita.arrays import Array, binary_exponent, dense, map_blocks
from partita.errors import ParameterError
from partita.partitions import FUZZY, HARD, DataMatrix, HardPartition, Kind, Partition, as_partition
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.clusters.discrete_columns import few_values, refuse_discrete_columns, values_of_both
from partita.statistics.clusters.moments import LOG_2, ClusterScatter, log_determinants, scatter_of_all
from partita.statistics.options import AtLeast, Below
from partita.statistics.protocol import Request, Statistic, Whole

HARD_AND_FUZZY = frozenset({HARD, FUZZY})
BLOCK_CELLS = 1 << 20
"""Numbers that one block of densities or weighted rows may hold."""

FEWEST_POINTS = 25
"""The least that a component must hold, unless the caller says otherwise."""


def free_parameters(covariance_type: str, k: int, d: int) -> int:
    """The number of free parameters of a mixture of k Gaussians: weights, means and covariances."""
    triangle = d * (d + 1) // 2
    free = {"full": k * triangle, "tied": triangle, "diag": k * d, "spherical": k}
    return int(free[covariance_type] + k * d + k - 1)


@dataclass(frozen=True, eq=False)
class GivenMixture:
    """A mixture of Gaussians with given parameters, under the names that scikit-learn's have.

    It stands for a fitted model wherever one is asked for.

    Parameters
    ----------
    weights_, means_ : array (k,), array (k, d)
        The share and the centre of each component.
    covariances_ : array
        ``(k, d, d)`` if full, ``(d, d)`` if tied, ``(k, d)`` if diag, ``(k,)`` if spherical.
    covariance_type : {"full", "tied", "diag", "spherical"}
        Which of these shapes it is.
    """

    weights_: Any
    means_: Any
    covariances_: Any
    covariance_type: str = "full"

    def __post_init__(self) -> None:
        for name in ("weights_", "means_", "covariances_"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        shapes = {"full": "kdd", "tied": "dd", "diag": "kd", "spherical": "k"}
        size = dict(zip("kd", self.means_.shape, strict=False))
        wanted = tuple(size.get(axis) for axis in shapes.get(self.covariance_type, "?"))
        given = self.weights_.shape, self.covariances_.shape
        if self.means_.ndim != 2 or given != ((size["k"],), wanted):
            raise ParameterError(
                "these are not the parameters of a mixture of Gaussians.",
                got=f"weights {given[0]}, means {self.means_.shape}, {self.covariance_type!r} "
                f"covariances {given[1]}",
                need=", ".join(f"{kind!r} covariances {tuple(axes)}" for kind, axes in shapes.items()),
            )

    @classmethod
    def of(cls, model: Any) -> GivenMixture:
        """The parameters of a fitted model."""
        if isinstance(model, cls):
            return model
        kind = getattr(model, "covariance_type", "full")
        return cls(model.weights_, model.means_, model.covariances_, kind)

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: weights, means and covariances."""
        return free_parameters(self.covariance_type, *self.means_.shape)

    def covariance_matrices(self) -> Iterator[Array]:
        """The ``(d, d)`` covariance of each component."""
        d = self.means_.shape[1]
        for c in range(self.weights_.size):
            if self.covariance_type in ("full", "tied"):
                yield self.covariances_[c] if self.covariance_type == "full" else self.covariances_
            else:
                yield np.diag(np.broadcast_to(self.covariances_[c], d))

    @cached_property
    def _whitenings(self) -> list[Array]:
        """For each component the matrix that makes its covariance the identity; nan if it has none."""
        return [_whitening(covariance) for covariance in self.covariance_matrices()]

    def log_joint(self, X: Array) -> Array:
        """``(n, k)``: the log density of each object with each component."""
        joint = np.empty((X.shape[0], self.weights_.size))
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            shares = np.log(self.weights_)
            for c, whiten in enumerate(self._whitenings):
                squared = np.square((X - self.means_[c]) @ whiten.T).sum(axis=1)
                volume = -np.log(np.diagonal(whiten)).sum() + 0.5 * X.shape[1] * math.log(2 * math.pi)
                joint[:, c] = shares[c] - volume - 0.5 * squared
        return joint

    def fit(self, X: Any, y: Any = None) -> GivenMixture:  # noqa: ARG002 (scikit-learn's signature)
        """Itself: the parameters are given."""
        return self

    def predict_proba(self, X: Any) -> Array:
        """The responsibility of each component for each object; its weight where there is no density."""
        _, log_shares = _log_shares(self.log_joint(np.asarray(X, dtype=np.float64)))
        known = ~np.isnan(log_shares).any(axis=1, keepdims=True)
        return np.asarray(np.where(known, np.exp(log_shares), self.weights_))


def _log_shares(joint: Array) -> tuple[Array, Array]:
    """The log density of each object, and the logs of its responsibilities; nan where it has no density.

    The latter are taken from the largest on: beside a density of exp(-1e17) the log of a share has no digits.
    """
    top = joint.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        away = joint - top
        rest = logsumexp(away, axis=1, keepdims=True)
        return (top + rest)[:, 0], away - rest


@dataclass(frozen=True, eq=False)
class MixtureFit(Whole):
    """How well a mixture of Gaussians fits data, and how sure it is of its components.

    Attributes
    ----------
    log_likelihood : float
        Sum over objects of the log density; nan if a covariance is not positive definite.
    n_parameters : int
        The number of free parameters of the mixture.
    overlap : float
        Sum over objects of the entropy of the responsibilities, in nats.
    log_largest : float
        Sum over objects of the log of the largest responsibility.
    n : float
        The number of objects, or the sum of their weights.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "model")
    takes_units: ClassVar[bool] = True
    kinds_accepted: ClassVar[frozenset[Kind]] = HARD_AND_FUZZY  # sure responsibilities count as hard

    log_likelihood: float
    n_parameters: int
    overlap: float
    log_largest: float
    n: float

    @classmethod
    def from_whole(
        cls,
        X: Array,
        model: Any,
        weight: Array | None = None,
        on_block: Callable[[int, int], None] | None = None,
    ) -> MixtureFit:
        """The sums over all objects."""
        mixture = GivenMixture.of(model)
        n = float(X.shape[0] if weight is None else weight.sum())

        def one(rows: slice) -> Array:
            joint = mixture.log_joint(np.asarray(X[rows], dtype=np.float64))
            each, log_shares = _log_shares(joint)
            with np.errstate(invalid="ignore", over="ignore"):
                sums = np.stack([each, entr(np.exp(log_shares)).sum(axis=1), log_shares.max(axis=1)])
                return np.asarray(sums.sum(axis=1) if weight is None else sums @ weight[rows])

        rows = max(1, BLOCK_CELLS // max(X.shape[1], mixture.weights_.size))
        likelihood, overlap, largest = reduce(add, map_blocks(one, len(X), rows, on_block, products=True))
        return cls(float(likelihood), mixture.n_parameters, float(overlap), float(largest), n)

    @property
    def kinds(self) -> tuple[Kind]:
        """Fuzzy: responsibilities."""
        return (FUZZY,)


@dataclass(frozen=True)
class ComponentOptions:
    """How many objects a component must hold, and what is added to its variances."""

    min_points: Annotated[int | None, AtLeast(0), Below(1e15)] = None
    ridge: Annotated[float, AtLeast(0), Below(1e15)] = 0.0


@dataclass(frozen=True, eq=False)
class GaussianComponents(Whole):
    """Each cluster taken for a Gaussian: its share, its log-determinant, how many objects it holds.

    Of a fitted mixture these are its own parameters; of a partition the weighted moments of its clusters
    (memberships to the power 1, maximum likelihood), with ``ridge`` times the variance of each feature added
    to the diagonal. Empty clusters are left out.

    Attributes
    ----------
    points : array (k,)
        Sum of the memberships; for a mixture, its share of all objects.
    weights : array (k,)
        Shares that sum to one.
    log_determinants : array (k,)
        Of the covariances; -inf where one is singular.
    n_features : int
        The number of features.
    min_points : int or None
        The least that the caller wants a component to hold; None for the default.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = ComponentOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = HARD_AND_FUZZY
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"scatter": ClusterScatter}
    why_costly: ClassVar[str] = ClusterScatter.why_costly
    pair_operations = staticmethod(ClusterScatter.pair_operations)
    takes_model: ClassVar[bool] = True
    takes_units: ClassVar[bool] = True

    points: Array
    weights: Array
    log_determinants: Array
    n_features: int
    min_points: int | None = None
    kind: Kind = HARD

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The scatter of the clusters, unless a fitted model has covariances of its own."""
        return {} if given["model"] is not None else {"scatter": Request.of(ClusterScatter, {"power": 1.0})}

    @staticmethod
    def check(X: Array, **_options: Any) -> None:
        """Refuse features that no Gaussian can describe."""
        refuse_discrete_columns(few_values(X), float(X.shape[0]))

    @staticmethod
    def check_chunks(objects: ChunkedObjects, **_options: Any) -> None:
        """The same of data in chunks: one of them may hold few of many values."""
        few = objects.sum_over_chunks(few_values, values_of_both)
        refuse_discrete_columns(few, float(objects.n_objects))

    @classmethod
    def from_whole(
        cls,
        X: Array,
        found: Partition,
        weight: Array | None = None,
        on_block: Callable[[int, int], None] | None = None,
        *,
        min_points: int | None = None,
        ridge: float = 0.0,
        model: Any = None,
        scatter: ClusterScatter | None = None,
    ) -> GaussianComponents:
        """The components of a mixture if one is given, else those of the partition."""
        _check_options(min_points, ridge)
        n = float(X.shape[0] if weight is None else weight.sum())
        refuse_discrete_columns(few_values(X), n)
        if model is not None:
            mixture = GivenMixture.of(model)
            logs = np.array([_log_determinant(matrix) for matrix in mixture.covariance_matrices()])
            return cls._of(n * mixture.weights_, logs, X.shape[1], min_points, found.kind)
        exponent = binary_exponent(X) if scatter is None else scatter.exponent
        scaled = np.ldexp(X, -exponent) if exponent else X
        moments = scatter or ClusterScatter.over_blocks(
            scaled, found, weight=weight, on_block=on_block, power=1.0
        )
        variances = _variances(scaled, weight) if ridge else None
        logs = _log_determinants(moments, exponent, ridge, variances)
        return cls._of(moments.weights, logs, X.shape[1], min_points, found.kind)

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        X: Array,
        found: Partition,
        on_block: Callable[[int, int], None] | None = None,  # noqa: ARG003
        *,
        min_points: int | None = None,
        ridge: float = 0.0,
        model: Any = None,  # noqa: ARG003 (fitted models do not judge chunks)
        scatter: ClusterScatter,
    ) -> GaussianComponents:
        """The components of a partition of objects in chunks, from the scatter of its clusters."""
        _check_options(min_points, ridge)
        few = objects.sum_over_chunks(few_values, values_of_both)
        total = objects.weighed.total
        refuse_discrete_columns(few, total)
        variances = None
        if ridge:
            spread = objects.sum_over_chunks(partial(scatter_of_all, exponent=scatter.exponent), add)
            variances = np.diagonal(spread.scatter[0]) / total
        logs = _log_determinants(scatter, scatter.exponent, ridge, variances)
        return cls._of(scatter.weights, logs, X.shape[1], min_points, found.kind)

    @classmethod
    def _of(
        cls, points: Array, log_determinants: Array, d: int, min_points: int | None, kind: Kind
    ) -> GaussianComponents:
        """Without empty ones."""
        kept = points > 0
        shares = points[kept] / points[kept].sum()
        return cls(points[kept], shares, log_determinants[kept], d, min_points, kind)

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (self.kind,)

    @property
    def smallest(self) -> float:
        """How many objects the smallest component holds."""
        return float(self.points.min())

    @property
    def floor(self) -> int:
        """How many objects a component must hold: ``min_points``, or max(25, d + 1)."""
        return self.default_floor if self.min_points is None else self.min_points

    @property
    def default_floor(self) -> int:
        """The floor where the caller names none: max(25, d + 1)."""
        return max(FEWEST_POINTS, self.n_features + 1)

    def is_below(self, floor: int) -> bool:
        """Whether some component holds fewer objects than this, beyond rounding."""
        return self.smallest < floor * (1.0 - 1e-9)

    @property
    def how(self) -> str:
        """A caveat where the floor, or its absence, mattered."""
        if not (self.is_below(self.floor) or self.is_below(self.default_floor)):
            return ""
        return f"the smallest component holds {self.smallest:.4g} objects; min_points is {self.floor}" + (
            "" if self.is_below(self.floor) else f" (by default {self.default_floor})"
        )

    @property
    def is_singular(self) -> bool:
        """Whether some covariance has no finite log-determinant."""
        return not bool(np.isfinite(self.log_determinants).all())

    @property
    def size_entropy(self) -> float:
        """H(C), the entropy of the shares, in nats."""
        return float(entr(self.weights).sum())

    @property
    def conditional_entropy(self) -> float:
        """The entropy of X given C if every cluster were Gaussian, in nats (lagofernandez2009 eq. 5, 6)."""
        constant = 0.5 * self.n_features * math.log(2 * math.pi * math.e)
        return 0.5 * float(self.weights @ self.log_determinants) + constant


# --- the parts of the partition negentropy --------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NegentropyParts:
    """What the partition negentropy is made of, in nats (lagofernandez2009 eq. 2 to 7).

    Attributes
    ----------
    size_entropy : float
        H(C), the entropy of the shares of the clusters.
    conditional_entropy : float
        The entropy of X given C if every cluster were Gaussian. PNC is the sum of both, less
        d/2 log(2 pi e).
    overlap : float
        H(C | X), the mean entropy of the memberships.
    weights : array (k,)
        The shares of the clusters.
    negentropies : array (k,)
        How far each cluster is from a Gaussian with its covariance, estimated: at least 0, and 0 for a
        Gaussian; nan where a cluster is singular, too small, or has repeated points.
    errors : array (k,)
        The standard error of each by the spread of the estimated log densities.
    """

    size_entropy: float
    conditional_entropy: float
    overlap: float
    weights: Array
    negentropies: Array
    errors: Array

    @property
    def negentropy(self) -> float:
        """J(X | C), the mean of the clusters' negentropies by their shares."""
        return float(self.weights @ self.negentropies)


def negentropy_parts(X: Any, found: Any, *, neighbors: int = 4) -> NegentropyParts:
    """The parts of the partition negentropy of a hard or fuzzy partition, or of a fitted mixture.

    The entropy of a cluster is estimated in whitened coordinates, by the distance from each of its objects
    to its nearest neighbours there (Kozachenko and Leonenko); a fuzzy cluster has the density of all objects
    times its membership, read as p(c | x). What sampling error carries below 0 is given as 0.

    Parameters
    ----------
    X : array (n, d)
        The data.
    found : partition, or fitted mixture
        Hard or fuzzy.
    neighbors : int
        Which nearest neighbour: more give less variance and more bias.

    Notes
    -----
    The estimate is consistent, but its bias falls slowly with n: on Gaussian samples of 1000 objects or more
    it is at most 0.07 nats too high up to d = 6; at d = 10 it is 0.15 too low, and for more features it is
    of no use. Repeated points have no density, so a cluster with more than ``neighbors`` copies of a point
    is nan.
    """
    if not isinstance(neighbors, (int, np.integer)) or neighbors < 1:
        raise ParameterError("no such neighbour.", got=repr(neighbors), need="a whole number >= 1")
    matrix = DataMatrix(X)
    data = matrix.scaled
    partition = as_partition(found, X=X)
    if isinstance(partition, HardPartition):
        partition = partition.compacted()
    if partition.kind not in HARD_AND_FUZZY or partition.n_objects != len(data):
        raise ParameterError(
            "negentropy_parts judges a hard or fuzzy partition of the objects of X.",
            got=f"{partition!r} for {len(data)} objects",
            need=f"a hard or fuzzy partition of {len(data)} objects",
        )
    model = found if hasattr(found, "covariances_") else None
    components = GaussianComponents.from_whole(matrix.values, partition, model=model)
    moments = ClusterScatter.over_blocks(data, partition, power=1.0)
    negentropies, errors = _negentropies(data, partition, moments, neighbors)
    return NegentropyParts(
        components.size_entropy,
        components.conditional_entropy,
        float(np.mean(partition.entropies())),
        moments.weights[moments.filled] / len(data),
        negentropies,
        errors,
    )


@dataclass(frozen=True)
class NegentropyOptions:
    """Which nearest neighbour tells the density, and the smallest cluster that is judged."""

    neighbors: Annotated[int, AtLeast(1), Below(1000)] = 4
    min_points: Annotated[int | None, AtLeast(0), Below(1e15)] = None


@dataclass(frozen=True, eq=False)
class ClusterNegentropies(Whole):
    """How far each cluster is from a Gaussian with its covariance, estimated from nearest neighbours.

    Attributes
    ----------
    points, weights : arrays (k,)
        Sums of the memberships of the clusters that are not empty, and their shares.
    negentropies : array (k,)
        As in `NegentropyParts`; nan where a cluster is singular or has repeated points.
    n_features : int
        The number of features.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = NegentropyOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = HARD_AND_FUZZY
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"scatter": ClusterScatter}
    why_costly: ClassVar[str] = "too many objects for nearest neighbours, or too many features for matrices"

    points: Array
    weights: Array
    negentropies: Array
    n_features: int
    min_points: int | None = None
    kind: Kind = HARD
    fractional_weights: bool = False

    @staticmethod
    def pair_operations(X: Array, found: Partition, **_options: Any) -> float:
        """About how many distances the search needs, more with many features; and the work on matrices."""
        n, d = float(found.n_objects), int(X.shape[1])
        search = n * min(n, 2.0 ** min(d, 30)) * max(d / 10.0, 0.1)
        return search + ClusterScatter.pair_operations(X, found)

    @classmethod
    def foundations(cls, **_given: Any) -> Mapping[str, Request]:
        """The scatter of the clusters, with memberships as they are."""
        return {"scatter": Request.of(ClusterScatter, {"power": 1.0})}

    @classmethod
    def from_whole(
        cls,
        X: Array,
        found: Partition,
        weight: Array | None = None,
        on_block: Callable[[int, int], None] | None = None,  # noqa: ARG003
        *,
        neighbors: int = 4,
        min_points: int | None = None,
        scatter: ClusterScatter,
    ) -> ClusterNegentropies:
        """The estimates of all clusters; a weight is a number of copies."""
        is_fractional = weight is not None and weight.dtype.kind not in "iu"
        has_copies = weight is not None and bool(weight.max() > neighbors)
        filled = scatter.filled
        if is_fractional or has_copies:
            values = np.full(int(filled.sum()), math.nan)
        else:
            values = _negentropies(X, found, scatter, neighbors, weight)[0]
        points = scatter.weights[filled]
        shares = points / points.sum()
        return cls(points, shares, values, int(X.shape[1]), min_points, found.kind, is_fractional)

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (self.kind,)

    @property
    def floor(self) -> int:
        """The number of objects that a cluster must hold: ``min_points``, or max(25, d + 1)."""
        return max(FEWEST_POINTS, self.n_features + 1) if self.min_points is None else self.min_points

    @property
    def has_small(self) -> bool:
        """True where a cluster holds fewer objects than that, beyond rounding."""
        return float(self.points.min()) < self.floor * (1.0 - 1e-9)


def _negentropies(
    X: Array, found: Partition, moments: ClusterScatter, neighbors: int, copies: Array | None = None
) -> tuple[Array, Array]:
    """The negentropy of each cluster that is not empty, and its standard error."""

    def repeated(values: Array, rows: Array) -> Array:
        return values if copies is None else np.repeat(values, copies[rows], axis=0)

    made = [
        _negentropy(
            repeated(np.asarray(X[rows], dtype=np.float64), rows),
            repeated(share, rows),
            center,
            covariance,
            neighbors,
        )
        for (rows, share), center, covariance in zip(
            _objects(found, moments.filled),
            moments.centers_of_filled,
            _covariances(moments)[moments.filled],
            strict=True,
        )
    ]
    values, errors = np.array(made).T
    return values, errors


def _negentropy(
    X: Array, share: Array, center: Array, covariance: Array, neighbors: int
) -> tuple[float, float]:
    """The negentropy of one cluster from its objects and their memberships, and its standard error."""
    from scipy.spatial import cKDTree

    m, d = X.shape
    whiten = _whitening(covariance)
    if m <= neighbors or not np.isfinite(whiten).all():
        return math.nan, math.nan
    Z = (X - center) @ whiten.T
    distances: Any = cKDTree(Z).query(Z, k=[neighbors + 1])[0]  # the first neighbour is the object itself
    reach = distances[:, 0]
    if not (reach > 0).all():
        return math.nan, math.nan
    ball = 0.5 * d * math.log(math.pi) - gammaln(0.5 * d + 1)
    log_density = digamma(neighbors) - digamma(m) - ball - d * np.log(reach)
    of_cluster = log_density + np.log(share) - math.log(share.mean())
    part = share / share.sum()
    entropy = -float(part @ of_cluster)
    spread = float(np.sqrt(np.square(part) @ np.square(of_cluster + entropy)))
    return max(0.0, 0.5 * d * math.log(2 * math.pi * math.e) - entropy), spread


# --- moments of clusters ---------------------------------------------------------------------------------


def _covariances(moments: ClusterScatter) -> Array:
    """The maximum-likelihood covariance of each cluster; zeros for an empty one."""
    weights = np.where(moments.filled, moments.weights, 1.0)
    return np.asarray(moments.scatter / weights[:, None, None])


def _objects(found: Partition, filled: Array) -> Iterator[tuple[Array, Array]]:
    """For each of these clusters its objects, and their memberships."""
    hard = isinstance(found, HardPartition)
    labels = found.values.astype(np.int64) - found.low if isinstance(found, HardPartition) else np.zeros(0)
    for cluster in np.flatnonzero(filled):
        share = labels == cluster if hard else dense(found.memberships()[:, [cluster]])[:, 0]
        rows = np.flatnonzero(share)
        yield rows, share[rows].astype(np.float64)


def _log_determinants(moments: ClusterScatter, exponent: int, ridge: float, variances: Array | None) -> Array:
    """Of the covariance of each cluster, with a ridge of these variances, in the units of the data."""
    added = 0.0 if variances is None else np.diag(ridge * variances)
    flat = moments.surely_flat if not ridge else np.zeros(moments.weights.size, dtype=bool)
    logs = [
        _log_determinant(np.zeros((1, 1)) if is_flat else matrix + added)
        for matrix, is_flat in zip(_covariances(moments), flat, strict=True)
    ]
    return np.array(logs) + 2.0 * moments.d * exponent * LOG_2


def _variances(X: Array, weight: Array | None) -> Array:
    values = np.asarray(X, dtype=np.float64)
    mean = np.average(values, axis=0, weights=weight)
    return np.asarray(np.average(np.square(values - mean), axis=0, weights=weight))


def _log_determinant(covariance: Array) -> float:
    """The log-determinant of a covariance; -inf if it is singular up to rounding, or beyond all numbers."""
    return float(log_determinants(covariance)) if np.isfinite(covariance).all() else -math.inf


def _whitening(covariance: Array) -> Array:
    """The triangular matrix that makes the covariance the identity; nan if it is singular."""
    d = covariance.shape[0]
    if _log_determinant(covariance) == -math.inf:
        return np.full((d, d), math.nan)
    from scipy.linalg import solve_triangular

    return np.asarray(solve_triangular(np.linalg.cholesky(covariance), np.eye(d), lower=True))


def _check_options(min_points: Any, ridge: Any) -> None:
    whole = isinstance(min_points, (int, np.integer)) and not isinstance(min_points, bool)
    if min_points is not None and not (whole and min_points >= 0):
        raise ParameterError(
            "min_points is no number of objects.",
            got=repr(min_points),
            need="a whole number >= 0, or None for max(25, d + 1)",
        )
    if not ridge >= 0:
        raise ParameterError("a ridge cannot be negative.", got=repr(ridge), need="a number >= 0")
