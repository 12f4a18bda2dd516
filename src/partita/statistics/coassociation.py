"""Sums over all pairs of objects of their co-associations, without ever looking at a pair.

The co-association of two objects is how much their memberships overlap: a = <u_i, u_j> in truth, b in found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita.arrays import BLOCK_ROWS, Array, Floats, blocks, dense, map_blocks, sorted_names
from partita.errors import KindError, TooLargeError
from partita.partitions import FUZZY, HARD, HardPartition, Kind, Partition, softest
from partita.statistics.tables import Contingency

EPS = float(np.finfo(np.float64).eps)
NOISE = 64.0 * EPS
"""Memberships that differ by less, in the mean, differ by rounding only."""

CANCELLED = 1e-12
"""A difference this small beside its terms is rounding, and is taken for 0."""

_DIGITS_AT_RISK = 1e-3
_ROWS_IN_CACHE = 16384
_TALL = 24
_FEW_COLUMNS = 512
_MOST_COLUMNS = 8192
_PRODUCTS_PER_PAIR = 100  # about how many cost as much as one pair of objects in a tile
_EXTRA = 3  # the columns 1, |u|^2 and |v|^2 before those of the clusters

WHY_NOT = ": rows must sum to one, or the product co-association of two objects can pass 1"


class PairValues(NamedTuple):
    """Means, variances and products over all pairs i < j, of a (truth) and b (found)."""

    mean_truth: Any
    mean_found: Any
    covariance: Any
    variance_truth: Any
    variance_found: Any
    gap_variance: Any
    frobenius_gap: Any
    frobenius_excess: Any
    frobenius_room: Any


@dataclass(frozen=True, eq=False)
class PairMoments:
    """What all pairs of objects say together about two co-associations, collected in one pass.

    Weights are multiplicities: an object of weight 2 is two objects, which also form a pair. Two hard
    clusterings are kept as their table. Of soft ones a factor F is kept with F'F = A'WA, where the rows
    of A are (1, |u|^2, |v|^2, u, v): sums of factors merge without the cancellation that raw moments
    suffer when memberships are nearly equal to each other or to their mean.

    Attributes
    ----------
    factor : array (m, 3 + k + k') or None
        F, at most as many rows as columns.
    total : number or array
        The number of objects, or the sum of their weights.
    kinds : (Kind, Kind)
        The kinds of truth and found.
    row_names, column_names : sequences
        Cluster names; blocks that saw different clusters are merged by them.
    table : Contingency or None
        The table (or a stack of tables) of two hard clusterings.
    fractional_weights : bool
        Whether some objects counted by fractions: below one, an object's pair with itself counts negative.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    options: ClassVar[tuple[str, ...]] = ()
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})
    why_not: ClassVar[str] = WHY_NOT

    factor: Array | None
    total: Any
    kinds: tuple[Kind, Kind] = (HARD, HARD)
    row_names: Sequence[Any] = ()
    column_names: Sequence[Any] = ()
    table: Contingency | None = None
    fractional_weights: bool = False

    # --- making ----------------------------------------------------------------------------------------

    @staticmethod
    def block_rows(truth: Partition, found: Partition) -> int:
        """How many objects one block holds."""
        if isinstance(truth, HardPartition) and isinstance(found, HardPartition):
            return Contingency.block_rows(truth, found)
        width = sum(p.n_clusters for p in (truth, found) if not isinstance(p, HardPartition))
        return max(1024, min(BLOCK_ROWS, BLOCK_ROWS * 32 // (width + _EXTRA)))

    @staticmethod
    def pair_operations(truth: Partition, found: Partition) -> float:
        """0, except for very many clusters, where their products cost as much as looking at pairs."""
        if truth.kind is HARD and found.kind is HARD:
            return 0.0
        # labels close together need not be counted to know that their clusters are few
        spans = [p.span if isinstance(p, HardPartition) else p.n_clusters for p in (truth, found)]
        width = sum(spans) if sum(spans) <= _FEW_COLUMNS else truth.n_clusters + found.n_clusters
        if width <= _FEW_COLUMNS:
            return 0.0
        return float(truth.n_objects) * width**2 / _PRODUCTS_PER_PAIR

    @classmethod
    def zero(cls) -> PairMoments:
        """The moments of no objects."""
        return cls.from_table(Contingency.zero())

    @classmethod
    def from_table(cls, table: Contingency) -> PairMoments:
        """The moments of two hard clusterings, or of a stack of pairs of them, from their table."""
        if table.kinds != (HARD, HARD):
            raise KindError(
                "a table of soft clusterings does not hold their co-associations.",
                got=" and ".join(table.kinds),
                need="the table of two hard clusterings",
                fix="PairMoments.from_block(truth, found)",
            )
        fractional = not bool(table.is_whole)
        return cls(None, table.total, table.kinds, table.row_names, table.column_names, table, fractional)

    @classmethod
    def from_block(cls, truth: Partition, found: Partition, weight: Array | None = None) -> PairMoments:
        """The moments of one block of objects."""
        for partition in (truth, found):
            refuse_rows_that_do_not_sum_to_one(partition, cls.kinds_accepted)
        if isinstance(truth, HardPartition) and isinstance(found, HardPartition):
            return cls.from_table(Contingency.from_block(truth, found, weight))
        total = truth.n_objects if weight is None else weight.sum()
        return cls(
            factor=_factor(dense(truth.memberships()), dense(found.memberships()), weight),
            total=total,
            kinds=(truth.kind, found.kind),
            row_names=truth.names,
            column_names=found.names,
            fractional_weights=weight is not None and weight.dtype.kind == "f",
        )

    @classmethod
    def over_blocks(cls, truth: Partition, found: Partition, weight: Array | None) -> PairMoments:
        """The moments of all objects, block by block on threads."""

        def one(rows: slice) -> PairMoments:
            part = None if weight is None else weight[rows]
            return cls.from_block(truth.take(rows), found.take(rows), part)

        parts = map_blocks(one, truth.n_objects, cls.block_rows(truth, found), products=True)
        merged = parts[0]
        for part in parts[1:]:
            merged = merged + part
        return merged

    def __add__(self, other: PairMoments) -> PairMoments:
        """The moments of both sets of objects; clusters are matched by name."""
        if self.table is not None and other.table is not None:
            return PairMoments.from_table(self.table + other.table)
        if self.factor is None or other.factor is None:
            empty, rest = (self, other) if self.factor is None else (other, self)
            if empty.total:
                raise KindError("moments of hard and soft blocks cannot be added.", need="blocks of one kind")
            return rest
        kinds = (softest((self.kinds[0], other.kinds[0])), softest((self.kinds[1], other.kinds[1])))
        rows, columns = self.row_names, self.column_names
        if (rows, columns) != (other.row_names, other.column_names):
            rows = sorted_names({*rows, *other.row_names})
            columns = sorted_names({*columns, *other.column_names})
        stacked = np.vstack([_spread(part, rows, columns) for part in (self, other)])
        # only F'F matters, so a factor may grow for a while before it is made a triangle again
        factor = stacked if len(stacked) <= _TALL * stacked.shape[1] else _triangle(stacked)
        fractional = self.fractional_weights or other.fractional_weights
        return PairMoments(factor, self.total + other.total, kinds, rows, columns, None, fractional)

    # --- sizes -----------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; () unless it comes from a stack of hard tables."""
        return () if self.table is None else self.table.shape

    @property
    def is_whole(self) -> Array:
        """Whether pairs are counted in whole numbers: both sides hard, weights (if any) whole."""
        return np.asarray(False) if self.table is None else self.table.is_whole

    @cached_property
    def n(self) -> Floats:
        """The number of objects (sum of weights), as floats for formulas."""
        return np.asarray(self.total, dtype=np.float64)

    @property
    def n_pairs(self) -> Floats:
        """The number of pairs, n (n - 1) / 2."""
        return np.asarray(self.n * (self.n - 1.0) / 2.0)

    @cached_property
    def n_rows(self) -> Array:
        """The number of true clusters that are not empty."""
        return self.table.n_rows if self.table is not None else np.asarray(self._sides[0].filled.sum())

    @cached_property
    def n_columns(self) -> Array:
        """The number of found clusters that are not empty."""
        return self.table.n_columns if self.table is not None else np.asarray(self._sides[1].filled.sum())

    @cached_property
    def is_identical(self) -> Array:
        """Whether both are the same clustering up to the names of clusters, and up to empty ones."""
        if self.table is not None:
            return self.table.is_relabelling
        from scipy.optimize import linear_sum_assignment

        u, v = (side.raw[:, side.filled] for side in self._sides)
        if u.shape != v.shape:
            return np.asarray(False)
        apart = np.linalg.norm(u[:, :, None] - v[:, None, :], axis=0)
        return np.asarray((apart[linear_sum_assignment(apart)] <= CANCELLED * np.sqrt(self.n)).all())

    # --- over all pairs --------------------------------------------------------------------------------

    @cached_property
    def pairs(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The soft pair counts: sums of ab, a (1 - b), (1 - a) b and (1 - a) (1 - b)."""
        if self.table is not None:
            return self.table.pairs
        a, b = self.values.mean_truth, self.values.mean_found
        ab = self.values.covariance + a * b
        h = self.n_pairs
        both, truth_only, found_only, neither = (
            np.asarray(h * share) for share in (ab, a - ab, b - ab, 1.0 - a - b + ab)
        )
        return both, truth_only, found_only, neither

    @property
    def disagreement(self) -> Floats:
        """The mean of a + b - 2ab: a (1 - b) + (1 - a) b."""
        _, truth_only, found_only, _ = self.pairs
        return np.asarray((truth_only + found_only) / self.n_pairs)

    @property
    def squared_gap(self) -> Floats:
        """The mean of (a - b)^2, never below 0."""
        difference = self.values.mean_truth - self.values.mean_found
        return np.asarray(np.maximum(self.values.gap_variance, 0.0) + difference**2)

    @cached_property
    def values(self) -> PairValues:
        """Means, variances and the Frobenius products."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return _of_soft(*self._sides, self.n) if self.table is None else _of_hard(self.table)

    @cached_property
    def _sides(self) -> tuple[Side, Side]:
        assert self.factor is not None
        k = len(self.row_names)
        n = float(self.total)
        ones = self.factor[:, 0]
        means = ones @ self.factor / n
        centred = self.factor - np.outer(ones, means)
        truth, found = slice(_EXTRA, _EXTRA + k), slice(_EXTRA + k, None)
        return (
            Side.of(self.factor[:, truth], means[truth], centred[:, truth], centred[:, 1], n),
            Side.of(self.factor[:, found], means[found], centred[:, found], centred[:, 2], n),
        )


class Side(NamedTuple):
    """One clustering inside the factor: memberships, and what is left of them about their mean."""

    raw: Array
    centred: Array
    along_mean: Array
    squares: Array
    mean_square: float
    spread: float
    filled: Array

    @classmethod
    def of(cls, raw: Array, mean: Array, centred: Array, squares: Array, n: float) -> Side:
        """Deviations of the size of rounding are none."""
        spread = float((centred**2).sum())
        if spread <= n * mean.size * NOISE**2:
            centred, squares, spread = np.zeros_like(centred), np.zeros_like(squares), 0.0
        filled = (raw**2).sum(axis=0) > 0.0
        return cls(raw, centred, centred @ mean, squares, float(mean @ mean), spread, filled)


def _of_soft(truth: Side, found: Side, n: Floats) -> PairValues:
    """With c the centred memberships and p = c m: a_ij - |m|^2 = <c_i, c_j> + p_i + p_j."""
    ordered = n * (n - 1.0)
    covariance, excess = _joint(truth, found, n)
    variance_truth, own_truth = _joint(truth, truth, n)
    variance_found, own_found = _joint(found, found, n)
    overlap = truth.centred @ truth.centred.T - found.centred @ found.centred.T
    gap_variance = (
        (overlap**2).sum()
        + 2.0 * n * ((truth.along_mean - found.along_mean) ** 2).sum()
        - ((truth.squares - found.squares) ** 2).sum()
        - (truth.spread - found.spread) ** 2 / (n - 1.0)
    ) / ordered
    ratio = truth.mean_square / found.mean_square
    chance = truth.spread * found.spread / (n - 1.0)
    full_truth, full_found = (
        own + s.spread**2 / (n - 1.0) for own, s in ((own_truth, truth), (own_found, found))
    )
    outer = (ratio * full_found + full_truth / ratio) / 2.0
    room = outer - chance
    return PairValues(
        mean_truth=np.asarray(truth.mean_square - truth.spread / ordered),
        mean_found=np.asarray(found.mean_square - found.spread / ordered),
        covariance=np.asarray(covariance),
        variance_truth=np.asarray(variance_truth),
        variance_found=np.asarray(variance_found),
        gap_variance=np.asarray(gap_variance),
        frobenius_gap=np.asarray(((_unit_slope(truth, n) - _unit_slope(found, n)) ** 2).sum() / ordered),
        frobenius_excess=np.asarray(excess),
        frobenius_room=np.asarray(np.where(room <= CANCELLED * outer, 0.0, room)),
    )


def _joint(one: Side, other: Side, n: Floats) -> tuple[Any, Any]:
    """The covariance over pairs, and the sum with each object's own pair over what shuffles give."""
    products = ((one.centred.T @ other.centred) ** 2).sum()
    linear = 2.0 * n * (one.along_mean @ other.along_mean)
    own = one.squares @ other.squares
    by_chance = one.spread * other.spread / (n - 1.0)
    terms = products + np.abs(linear) + np.abs(own) + by_chance
    excess = products + linear - by_chance
    covariance = excess - own
    if one is other and covariance <= CANCELLED * terms:
        covariance = 0.0
    return covariance / (n * (n - 1.0)), excess


def _unit_slope(side: Side, n: Floats) -> Array:
    """The co-association in the factor's coordinates, scaled so that its square has its own sum."""
    product = side.raw @ side.raw.T
    return np.asarray(n * n * side.mean_square / (product**2).sum() * product)


def _of_hard(table: Contingency) -> PairValues:
    a, b, c, d = table.pairs
    h = a + b + c + d
    excess = a * d - b * c
    return PairValues(
        mean_truth=(a + b) / h,
        mean_found=(a + c) / h,
        covariance=excess / h**2,
        variance_truth=(a + b) * (c + d) / h**2,
        variance_found=(a + c) * (b + d) / h**2,
        gap_variance=(b + c) / h - ((b - c) / h) ** 2,
        frobenius_gap=(b + c) / h,
        frobenius_excess=excess,
        frobenius_room=((a + b) * (b + d) + (a + c) * (c + d)) / 2.0,
    )


# --- one block -----------------------------------------------------------------------------------------


def shares(partition: Partition) -> Array:
    """Memberships, dense, in double precision; of fuzzy rows, with sums that are one."""
    rows = dense(partition.memberships())
    return _with_sums_of_one(rows) if partition.kind is FUZZY else rows


def _with_sums_of_one(rows: Array) -> Array:
    """What single precision, or rounding to a few digits, left of them."""
    sums = rows @ np.ones(rows.shape[1])
    return rows if np.abs(sums - 1.0).max() <= 1e-12 else np.asarray(rows / sums[:, None])


def refuse_rows_that_do_not_sum_to_one(partition: Partition, accepted: frozenset[Kind]) -> None:
    """Only rows that sum to one have co-associations between 0 and 1."""
    if partition.kind not in accepted:
        raise KindError(
            f"no co-association for {partition.kind.value} partitions{WHY_NOT}.",
            got=repr(partition),
            need=" or ".join(k.value for k in Kind if k in accepted) + " partitions",
            fix="as_partition(values, normalize=True) for typicalities, .pignistic() for masses",
        )


def _fitting(width: int) -> int:
    if width > _MOST_COLUMNS:
        raise TooLargeError(
            "the products of all pairs of clusters do not fit.",
            got=f"{width} clusters in both clusterings together",
            need=f"at most {_MOST_COLUMNS}, unless both are hard",
            fix="name other indices, or harden() both sides",
        )
    return width


def _factor(u: Array, v: Array, weight: Array | None) -> Array:
    """F with F'F = A'WA: from the products while they keep their digits, else by QR, which is slower."""
    n, width = len(u), _EXTRA + _fitting(u.shape[1] + v.shape[1])
    root = None if weight is None else np.sqrt(weight)
    if n <= width:
        return _triangle(_columns(u, v, root, np.empty((n, width))))
    products = np.zeros((width, width))
    in_cache = np.empty((min(n, _ROWS_IN_CACHE), width))
    for rows in blocks(n, _ROWS_IN_CACHE):
        part = None if root is None else root[rows]
        columns = _columns(u[rows], v[rows], part, in_cache[: rows.stop - rows.start])
        products += columns.T @ columns
    if _loses_digits(products, u.shape[1]):
        return _triangle(_columns(u, v, root, np.empty((n, width))))
    scale = np.sqrt(np.diag(products))
    divisor = np.where(scale == 0.0, 1.0, scale)
    values, vectors = np.linalg.eigh(products / np.outer(divisor, divisor))
    # times a scale of 0 an empty cluster stays empty, whatever rounding made of it
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * scale)


def _columns(u: Array, v: Array, root: Array | None, out: Array) -> Array:
    """The rows (1, |u|^2, |v|^2, u, v), times the root of their weight."""
    out[:, 0] = 1.0
    clusters = (slice(_EXTRA, _EXTRA + u.shape[1]), slice(_EXTRA + u.shape[1], None))
    for place, side, given in zip((1, 2), clusters, (u, v), strict=True):
        rows = _with_sums_of_one(given)
        out[:, place] = (rows * rows) @ np.ones(rows.shape[1])  # faster than einsum
        out[:, side] = rows
    if root is not None:
        out *= root[:, None]
    return out


def _triangle(rows: Array) -> Array:
    return np.asarray(np.linalg.qr(rows, mode="r"))


def _loses_digits(products: Array, k: int) -> bool:
    """Whether the two sides nearly agree, or one nearly equals its mean: differences would be rounding."""
    u, v = slice(_EXTRA, _EXTRA + k), slice(_EXTRA + k, None)
    square, cross = products[u, u], products[u, v]
    squares = (square**2).sum() + (products[v, v] ** 2).sum()
    if squares - 2.0 * (cross**2).sum() < _DIGITS_AT_RISK * squares:
        return True
    for side in (u, v):
        at_mean = (products[0, side] ** 2).sum() / products[0, 0]
        if np.trace(products[side, side]) - at_mean < _DIGITS_AT_RISK * at_mean:
            return True
    return False


def _spread(part: PairMoments, rows: Sequence[Any], columns: Sequence[Any]) -> Array:
    """The factor with its columns at the places of a larger list of clusters."""
    assert part.factor is not None
    if rows == part.row_names and columns == part.column_names:
        return part.factor
    at_row = {name: place for place, name in enumerate(rows)}
    at_column = {name: place for place, name in enumerate(columns)}
    wide = np.zeros((part.factor.shape[0], _EXTRA + _fitting(len(rows) + len(columns))))
    place = [
        *range(_EXTRA),
        *(_EXTRA + at_row[name] for name in part.row_names),
        *(_EXTRA + len(rows) + at_column[name] for name in part.column_names),
    ]
    wide[:, place] = part.factor
    return wide
