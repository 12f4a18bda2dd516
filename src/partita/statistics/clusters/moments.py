"""Sums over data and one clustering: weights, centres and scatter of the clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from partita.arrays import BLOCK_ROWS, MOST_DENSE_CELLS, Array, Floats, dense, is_sparse, sorted_names
from partita.errors import TooLargeError
from partita.partitions import FUZZY, HARD, HardPartition, Kind, MembershipPartition, Partition, softest
from partita.statistics.clusters.moment_products import Products, moments_by_products
from partita.statistics.clusters.sparse_data import (
    moments_of_labels,
    moments_of_weights,
    rows_at_once,
    too_many_centers,
)
from partita.statistics.options import Above, Inner, NoOptions
from partita.statistics.protocol import Additive, Statistic

COMPILED_ROWS = 20_000
"""Objects of one block from which on the compiled loop is used."""

PRODUCT_ROWS = 4096
"""Objects of one block from which on moments of soft clusters are taken from matrix products."""

BLOCK_CELLS = 1 << 22
"""Numbers in one block of data and memberships: 32 MiB."""

COINCIDENT = float((64 * np.finfo(np.float64).eps) ** 2)
"""A share of the total sum of squares between centres that rounding alone can make."""

FEWEST_DIGITS = float(np.sqrt(np.finfo(np.float64).tiny / np.finfo(np.float64).eps))
"""The square of a smaller number has lost digits."""

LOG_2 = float(np.log(2.0))


@dataclass(frozen=True)
class MomentOptions:
    """To which power memberships count."""

    power: Annotated[float, Above(0), Inner()] = 2.0


@dataclass(frozen=True, eq=False)
class ClusterMoments(Additive):
    """Weight, centre and scatter around it of every cluster.

    Object i counts in cluster j with ``w_ij = sample_weight_i * u_ij ** power``; for a hard partition the
    power does not matter. Row j belongs to the j-th of ``names``: for a hard partition ``found.row_names``,
    so that ``found.values - found.low`` are the objects' rows here; empty clusters have weight 0. A centre is
    kept as an object of its cluster and the way from there, so that a large offset of X costs no digits.

    Attributes
    ----------
    weights : array (k,)
        Sums of w_ij.
    sizes : array (k,)
        Sums of the memberships themselves: counts for a hard partition.
    origins, offsets : arrays (k, d)
        An object of each cluster, and its centre seen from there; zeros for an empty cluster.
    within : array (k,)
        Sum over i of w_ij times the squared distance from x_i to the centre.
    total : int or float
        The number of objects, or the sum of their weights.
    exponent : int
        The unit of all lengths here is 2 ** exponent, in the units of the data.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    options: ClassVar[type[Any]] = MomentOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})
    why_not_sparse = staticmethod(too_many_centers)
    _by_cluster: ClassVar[tuple[str, ...]] = ("weights", "sizes", "origins", "offsets", "within")

    weights: Floats
    sizes: Floats
    origins: Floats
    offsets: Floats
    within: Floats
    total: Any
    kind: Kind = HARD
    names: Sequence[Any] = ()
    exponent: int = 0

    @staticmethod
    def block_rows(X: Array, found: Partition) -> int:
        """How many objects one block holds: more when each has many clusters."""
        if is_sparse(X):
            return rows_at_once(X, found)
        d, k = int(X.shape[1]), _row_count(found)
        if isinstance(found, HardPartition):
            return max(min(BLOCK_ROWS, BLOCK_CELLS // d), 4 * k, 1024)
        return max(min(BLOCK_ROWS, BLOCK_CELLS // (d + k)), 1024)

    @classmethod
    def idle_options(cls, **given: Any) -> frozenset[str]:
        """The power of memberships that are 0 and 1."""
        return frozenset({"power"}) if given["found"].kind is HARD else frozenset()

    def with_exponent(self, exponent: int) -> Self:
        """The same, made from data whose unit is ``2 ** exponent``."""
        return replace(self, exponent=exponent)

    @classmethod
    def zero(cls) -> Self:
        """The sums over no objects."""
        none = np.zeros(0)
        return cls(none, none, np.zeros((0, 0)), np.zeros((0, 0)), none, 0)

    @classmethod
    def from_block(
        cls, X: Array, found: Partition, weight: Array | None = None, *, power: float = 2.0
    ) -> Self:
        """The sums over one block of objects."""
        total = found.n_objects if weight is None else weight.sum()
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(found, HardPartition):
                weights, origins, offsets, within = _of_labels(X, found, weight)
                return cls(weights, weights, origins, offsets, within, total, found.kind, found.row_names)
            made = _by_products(X, found, weight, power, scatter=False)
            if made is not None:
                return cls(*made[:5], total, found.kind, found.names)
            weights, origins, offsets, within = _of_weights(X, _counted(found, weight, power))
            sizes = _counted(found, weight, 1.0).sum(axis=0)
            return cls(weights, sizes, origins, offsets, within, total, found.kind, found.names)

    def __add__(self, other: Self) -> Self:
        """The sums over both sets of objects, by Chan's formula; clusters are matched by name."""
        if not self.names or not other.names:
            return self if self.names else other
        names = self.names if self.names == other.names else sorted_names({*self.names, *other.names})
        with np.errstate(over="ignore", invalid="ignore"):
            return self._with_rows(names)._joined(other._with_rows(names))

    def _joined(self, other: Self) -> Self:
        apart, share = self._apart(other)
        first = self.filled[:, None]
        return replace(
            self,
            weights=self.weights + other.weights,
            sizes=self.sizes + other.sizes,
            origins=np.where(first, self.origins, other.origins),
            offsets=np.where(first, self.offsets + share[:, None] * apart, other.offsets),
            within=self.within + other.within + self.weights * share * (apart * apart).sum(axis=1),
            total=self.total + other.total,
            kind=softest((self.kind, other.kind)),
        )

    def _apart(self, other: Self) -> tuple[Floats, Floats]:
        """How far the other's centres lie from these, and the other's share of the weight."""
        apart = (other.origins - self.origins) + (other.offsets - self.offsets)
        weights = self.weights + other.weights
        both = self.filled & other.filled
        return np.where(both[:, None], apart, 0.0), other.weights / np.where(weights > 0, weights, 1.0)

    def _with_rows(self, names: Sequence[Any]) -> Self:
        """The same with a row for each of these names, empty where there was none."""
        if names == self.names:
            return self
        place = {name: row for row, name in enumerate(names)}
        rows = [place[name] for name in self.names]
        made: dict[str, Any] = {}
        for name in self._by_cluster:
            values = getattr(self, name)
            made[name] = np.zeros((len(names), *values.shape[1:]))
            made[name][rows] = values
        return replace(self, names=names, **made)

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (self.kind,)

    @property
    def is_whole(self) -> bool:
        """Whether objects were counted, not weighed by fractions."""
        return isinstance(self.total, (int, np.integer))

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self.origins.shape[1])

    @property
    def filled(self) -> Array:
        """Which clusters are not empty."""
        return np.asarray(self.weights > 0)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that are not empty."""
        return int(self.filled.sum())

    @property
    def centers(self) -> Floats:
        """The centres, ``(k, d)``; zeros for an empty cluster."""
        return np.asarray(self.origins + self.offsets)

    @property
    def centers_of_filled(self) -> Floats:
        """The centres of the clusters that are not empty."""
        return self.centers[self.filled]

    @cached_property
    def _seen_from(self) -> tuple[Floats, Floats]:
        """The object that stands for the heaviest cluster, and all centres seen from there."""
        here = self.origins[self.weights.argmax()]
        return here, np.where(self.filled[:, None], (self.origins - here) + self.offsets, 0.0)

    @cached_property
    def mean(self) -> Floats:
        """The weighted mean of the centres, ``(d,)``: the mean of the data for a hard partition."""
        here, centers = self._seen_from
        return np.asarray(here + self.weights @ centers / self.weights.sum())

    @cached_property
    def from_mean(self) -> Floats:
        """The centres minus their weighted mean, ``(k, d)``; zeros for an empty cluster."""
        _, centers = self._seen_from
        away = centers - self.weights @ centers / self.weights.sum()
        return np.where(self.filled[:, None], away, 0.0)

    @property
    def ssw(self) -> float:
        """The sum of squares within clusters."""
        return float(self.within.sum())

    @cached_property
    def ssb(self) -> float:
        """The sum of squares between clusters; 0 where rounding alone sets the centres apart."""
        with np.errstate(over="ignore", invalid="ignore"):
            between = float(self.weights @ (self.from_mean * self.from_mean).sum(axis=1))
        return 0.0 if between <= COINCIDENT * (between + self.ssw) else between

    @property
    def sst(self) -> float:
        """The total sum of squares: that within and that between clusters."""
        return self.ssw + self.ssb

    @property
    def together(self) -> Self:
        """The moments of all objects as one cluster, where each is in one cluster only."""
        here, centers = self._seen_from
        total = self.weights.sum()
        offset = self.weights @ centers / total
        with np.errstate(over="ignore", invalid="ignore"):
            between = self.weights @ np.square(self.from_mean).sum(axis=1)
        made = {"origins": here[None], "offsets": offset[None], "within": np.array([self.ssw + between])}
        return replace(self, weights=total[None], sizes=self.sizes.sum()[None], names=("all",), **made)

    def in_units(self, value: Any, degree: int) -> Floats:
        """A length to the power ``degree`` in the units of the data; inf or 0 where it is no number."""
        return in_units(value, degree * self.exponent)

    @property
    def log_unit(self) -> float:
        """The log of the unit of length: 0 for ordinary data."""
        return self.exponent * LOG_2


@dataclass(frozen=True, eq=False)
class ClusterScatter(ClusterMoments):
    """The moments of every cluster, with the matrix of its centred second moments.

    Attributes
    ----------
    scatter : array (k, d, d)
        Sum over i of w_ij (x_i - c_j) (x_i - c_j)'; zeros for an empty cluster.
    """

    _by_cluster: ClassVar[tuple[str, ...]] = (*ClusterMoments._by_cluster, "scatter")
    serves_for: ClassVar[tuple[type[Statistic], ...]] = (ClusterMoments,)
    why_not_sparse = staticmethod(Statistic.why_not_sparse)
    why_costly: ClassVar[str] = "too many features for a matrix of them all for each cluster"

    scatter: Floats = field(default_factory=lambda: np.zeros((0, 0, 0)))

    @staticmethod
    def pair_operations(X: Array, found: Partition, **_options: Any) -> float:
        """The work on the matrices and their determinants, in units of pairs of objects of ten features."""
        d = float(X.shape[1])
        return (found.n_objects * d**2 + found.n_clusters * d**3) / 10.0

    @staticmethod
    def block_rows(X: Array, found: Partition) -> int:
        """How many objects one block holds: all blocks' matrices take no more room than X."""
        return max(ClusterMoments.block_rows(X, found), _row_count(found) * int(X.shape[1]))

    @classmethod
    def from_block(
        cls, X: Array, found: Partition, weight: Array | None = None, *, power: float = 2.0
    ) -> Self:
        """The sums over one block of objects; refused where the matrices do not fit."""
        k, d = _row_count(found), int(X.shape[1])
        if k * d * d > MOST_DENSE_CELLS:
            raise TooLargeError(
                "the matrices of scatter do not fit: one for each cluster, with all pairs of features.",
                got=f"{k} clusters, {d} features: {k * d * d:.1e} cells",
                need=f"at most {MOST_DENSE_CELLS:.1e} cells",
                fix="fewer features (PCA first), or an index without matrices, such as calinski_harabasz",
            )
        with np.errstate(over="ignore", invalid="ignore"):
            made = _by_products(X, found, weight, power, scatter=True)
        if made is not None and made.scatter is not None:
            total = found.n_objects if weight is None else weight.sum()
            return cls(*made[:5], total, found.kind, found.names, scatter=made.scatter)
        plain = super().from_block(X, found, weight, power=power)
        scatter = np.zeros((k, d, d))
        with np.errstate(over="ignore", invalid="ignore"):
            for j, rows, counted in _spread_clusters(found, plain, weight, power):
                away = (X[rows] - plain.origins[j]) - plain.offsets[j]
                if counted is not None:
                    away *= np.sqrt(counted)[:, None]
                scatter[j] = away.T @ away
        return replace(plain, scatter=scatter)

    def _joined(self, other: Self) -> Self:
        apart, share = self._apart(other)
        between = (self.weights * share)[:, None, None] * apart[:, :, None] * apart[:, None, :]
        return replace(super()._joined(other), scatter=self.scatter + other.scatter + between)

    @property
    def surely_flat(self) -> Array:
        """The clusters of so few objects, or so many features, that their scatter must be singular."""
        objects = self.weights if self.kind is HARD else np.full(self.weights.size, float(self.total))
        return np.asarray(objects <= self.d if self.is_whole else np.zeros(self.weights.size, dtype=bool))

    @property
    def pooled(self) -> Floats:
        """The scatter within clusters, ``(d, d)``: the sum of the clusters' matrices."""
        return np.asarray(self.scatter.sum(axis=0))

    @cached_property
    def log_determinant(self) -> float:
        """The log of the determinant of the pooled scatter; -inf where it is singular up to rounding."""
        return float(log_determinants(self.pooled)) + 2.0 * self.d * self.log_unit


class DataMoments(ClusterMoments):
    """The moments of all objects as one cluster."""

    inputs: ClassVar[tuple[str, ...]] = ("X",)
    options: ClassVar[type[Any]] = NoOptions

    @staticmethod
    def block_rows(X: Array) -> int:  # type: ignore[override]
        """How many objects one block holds."""
        if is_sparse(X):
            return rows_at_once(X, _as_one_cluster(X))
        return max(min(BLOCK_ROWS, BLOCK_CELLS // int(X.shape[1])), 1024)

    @staticmethod
    def why_not_sparse(X: Any) -> str:  # type: ignore[override]
        """Why one centre does not fit, or nothing."""
        return too_many_centers(X, _as_one_cluster(X))

    @classmethod
    def from_block(cls, X: Array, weight: Array | None = None) -> Self:  # type: ignore[override]
        """The sums over one block of objects."""
        return super().from_block(X, _as_one_cluster(X), weight)


def _as_one_cluster(X: Any) -> HardPartition:
    return HardPartition.from_codes(np.zeros(X.shape[0], np.int64), ("all",))


def scatter_of_all(X: Array, *_sides: Any, weight: Array | None = None, exponent: int = 0) -> ClusterScatter:
    """The scatter of all objects as one cluster, in units of ``2 ** exponent``."""
    values = np.ldexp(np.asarray(X, dtype=np.float64), -exponent)
    return ClusterScatter.from_block(values, _as_one_cluster(X), weight)


def in_units(value: Any, exponent: int) -> Floats:
    """``value * 2 ** exponent``; inf, or 0, beyond the range of numbers."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(value, exponent))


def log_determinants(matrices: Array) -> Floats:
    """The log of the determinant of each scatter or covariance matrix; -inf where it is singular.

    Features are brought to one scale first, so that their units do not matter; a matrix is singular when its
    smallest eigenvalue is then no larger than rounding can make it. Matrices that overflowed give nan.
    """
    finite = np.asarray(np.isfinite(matrices).all(axis=(-2, -1)))
    matrices = np.where(finite[..., None, None], matrices, 0.0)
    spread = np.sqrt(np.einsum("...ff->...f", matrices))
    positive = (spread > FEWEST_DIGITS).all(axis=-1)
    scale = np.where(positive[..., None], spread, 1.0)
    values = np.linalg.eigvalsh(matrices / (scale[..., :, None] * scale[..., None, :]))
    noise = 16 * matrices.shape[-1] * np.finfo(np.float64).eps
    regular = positive & (values[..., 0] > noise * values[..., -1])
    logs = np.log(np.where(regular[..., None], values, 1.0)).sum(axis=-1) + 2 * np.log(scale).sum(axis=-1)
    return np.where(regular, logs, np.where(finite, -np.inf, np.nan))


# --- one block ----------------------------------------------------------------------------------------


def _row_count(found: Partition) -> int:
    return found.span if isinstance(found, HardPartition) else found.n_clusters


def _counted(found: Partition, weight: Array | None, power: float) -> Floats:
    """How much each object counts in each cluster: ``sample_weight * memberships ** power``."""
    assert isinstance(found, MembershipPartition)
    memberships = dense(found.block(slice(None)))
    raised: Floats = memberships if power == 1.0 else memberships**power
    return raised if weight is None else np.multiply(raised, weight[:, None])


def _by_products(
    X: Array, found: Partition, weight: Array | None, power: float, *, scatter: bool
) -> Products | None:
    """The moments of many objects of a soft clustering, where matrix products give them to all digits."""
    if isinstance(found, HardPartition) or X.shape[0] < PRODUCT_ROWS or is_sparse(X):
        return None
    assert isinstance(found, MembershipPartition)
    memberships = dense(found.block(slice(None)))
    return moments_by_products(X, memberships, weight, power, scatter=scatter)


def _spread_clusters(
    found: Partition, moments: ClusterMoments, weight: Array | None, power: float
) -> Iterator[tuple[Any, Any, Array | None]]:
    """The clusters with more than one distinct object: row, their objects, and how much these count."""
    spread = np.flatnonzero(moments.within)
    if not isinstance(found, HardPartition):
        counted = _counted(found, weight, power)
        yield from ((j, slice(None), counted[:, j]) for j in spread)
        return
    labels = found.values.astype(np.int64) - found.low
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=found.span))
    for j in spread:
        rows = order[ends[j - 1] if j else 0 : ends[j]]
        yield j, rows, None if weight is None else weight[rows]


def _of_labels(X: Array, found: HardPartition, weight: Array | None) -> tuple[Floats, Floats, Floats, Floats]:
    """Weights, origins, offsets and sums of squares within, for each label from low to high."""
    labels = found.values if found.values.dtype in (np.int64, np.int32) else found.values.astype(np.int64)
    each = np.zeros(0) if weight is None else np.asarray(weight, dtype=np.float64)
    if not each.all():
        labels, X, each = labels[each > 0], X[each > 0], each[each > 0]
    if is_sparse(X):
        ones = each if weight is not None else np.ones(labels.size)
        return moments_of_labels(X, labels.astype(np.int64) - found.low, found.span, ones)
    if labels.size >= COMPILED_ROWS:
        from partita.kernels.moments import labelled_moments

        compiled: tuple[Floats, Floats, Floats, Floats] = labelled_moments(
            labels, found.low, found.span, np.ascontiguousarray(X), each
        )
        return compiled
    k = found.span
    rows = labels.astype(np.int64) - found.low
    counts = None if weight is None else each
    weights = np.bincount(rows, counts, k).astype(np.float64)
    divisor = np.where(weights > 0, weights, 1.0)
    origins = np.zeros((k, X.shape[1]))
    origins[rows] = X  # any object of the cluster will do
    away = X - origins[rows]
    counted = away if counts is None else away * counts[:, None]
    offsets = np.stack([np.bincount(rows, column, k) for column in counted.T], axis=1) / divisor[:, None]
    away -= offsets[rows]
    squares = np.einsum("if,if->i", away, away)
    within = np.asarray(np.bincount(rows, squares if counts is None else squares * counts, k), np.float64)
    return weights, origins, offsets, within


def _of_weights(X: Array, counted: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The same when each object counts in each cluster; the heaviest object is the origin."""
    if is_sparse(X):
        return moments_of_weights(X, counted)
    weights = counted.sum(axis=0)
    origins = np.where((weights > 0)[:, None], X[counted.argmax(axis=0)], 0.0)
    if X.shape[0] >= COMPILED_ROWS:
        from partita.kernels.moments import weighted_moments

        weights, offsets, within = weighted_moments(
            np.ascontiguousarray(counted), np.ascontiguousarray(X), origins
        )
        return weights, origins, offsets, within
    offsets = np.zeros(origins.shape)
    within = np.zeros(weights.size)
    for j in np.flatnonzero(weights):
        away = X - origins[j]
        offsets[j] = counted[:, j] @ away / weights[j]
        away -= offsets[j]
        within[j] = counted[:, j] @ np.einsum("if,if->i", away, away)
    return weights, origins, offsets, within
