"""Sums over all pairs of objects of their co-associations, without ever looking at a pair.

The co-association of two objects is how much their memberships overlap: a = <u_i, u_j> in truth, b in found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita.arrays import (
    BLOCK_ROWS,
    Array,
    Floats,
    blocks,
    dense,
    one_blas_thread,
    same_columns,
    sorted_names,
)
from partita.errors import KindError, Phrase, Setting
from partita.partitions import FUZZY, HARD, HardPartition, Kind, Partition, softest
from partita.statistics.pairs.coassociation_factors import (
    EXTRA,
    factor_of,
    fitting,
    triangle,
    with_sums_of_one,
)
from partita.statistics.pairs.object_pairs import PRODUCTS_PER_PAIR
from partita.statistics.pairs.pair_values import (
    CANCELLED,
    OwnSums,
    PairValues,
    values_of_sums,
    values_of_table,
)
from partita.statistics.pairs.sparse_coassociation import SparseRows
from partita.statistics.protocol import Additive
from partita.statistics.tables.contingency import Contingency
from partita.statistics.tables.counting import stay_sparse

EPS = float(np.finfo(np.float64).eps)
NOISE = 64.0 * EPS
"""Memberships that differ by less, in the mean, differ by rounding only."""

_TALL = 24
_ROWS_WRITTEN_OUT = 8192
_FEW_COLUMNS = 512

WHY_NOT = ": rows must sum to one, or the product co-association of two objects can pass 1"


@dataclass(frozen=True, eq=False)
class PairMoments(Additive):
    """What all pairs of objects say together about two co-associations, collected in one pass.

    Weights are multiplicities: an object of weight 2 is two objects, which also form a pair. Two hard
    clusterings are kept as their table. Of soft ones a factor F is kept with F'F = A'WA, where the rows
    of A are (1, |x|^2, |y|^2, x, y), x = u - u_0 and y = v - v_0 the memberships as seen from those of some
    object: sums of factors merge without the cancellation that raw moments suffer when memberships are
    nearly equal to each other or to their mean. Sparse memberships are kept as they are, those of all chunks
    too, and multiplied in the end: nothing is then as large as all pairs of clusters. Few clusters
    are brought to a factor after all where digits would be lost; of many, a variance or a squared gap has an
    error of up to 1e-12 of the mean squared co-associations that it is a difference of.

    Attributes
    ----------
    factor : array (..., m, 3 + k + k') or None
        F, at most as many rows as columns; leading axes are a stack.
    origins : (array (..., k), array (..., k')) or None
        u_0 and v_0.
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
    rows : SparseRows or None
        The sparse memberships.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})
    why_not: ClassVar[str] = WHY_NOT

    factor: Array | None
    total: Any
    kinds: tuple[Kind, Kind] = (HARD, HARD)
    row_names: Sequence[Any] = ()
    column_names: Sequence[Any] = ()
    table: Contingency | None = None
    fractional_weights: bool = False
    origins: tuple[Array, Array] | None = None
    rows: SparseRows | None = None

    # --- making ----------------------------------------------------------------------------------------

    @staticmethod
    def block_rows(truth: Partition, found: Partition) -> int:
        """How many objects one block holds."""
        both_hard = isinstance(truth, HardPartition) and isinstance(found, HardPartition)
        if both_hard or stay_sparse(truth, found):
            return Contingency.block_rows(truth, found)
        width = sum(p.n_clusters for p in (truth, found) if not isinstance(p, HardPartition))
        return max(1024, min(BLOCK_ROWS, BLOCK_ROWS * 32 // (width + EXTRA)))

    @staticmethod
    def pair_operations(truth: Partition, found: Partition) -> float:
        """0, except for very many clusters, where their products cost as much as looking at pairs."""
        if (truth.kind is HARD and found.kind is HARD) or stay_sparse(truth, found):
            return 0.0
        # labels close together need not be counted to know that their clusters are few
        spans = [p.span if isinstance(p, HardPartition) else p.n_clusters for p in (truth, found)]
        width = sum(spans) if sum(spans) <= _FEW_COLUMNS else truth.n_clusters + found.n_clusters
        if width <= _FEW_COLUMNS:
            return 0.0
        return float(truth.n_objects) * width**2 / PRODUCTS_PER_PAIR

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
        fractional = weight is not None and weight.dtype.kind == "f"
        kinds = (truth.kind, found.kind)
        if stay_sparse(truth, found):
            rows = SparseRows.of(truth, found, weight)
            names = truth.row_names, found.row_names
            return cls(None, total, kinds, *names, fractional_weights=fractional, rows=rows)
        u, v = dense(truth.memberships()), dense(found.memberships())
        origins = with_sums_of_one(u[:1])[0], with_sums_of_one(v[:1])[0]
        return cls(
            factor=factor_of(u, v, origins, weight),
            origins=origins,
            total=total,
            kinds=kinds,
            row_names=truth.names,
            column_names=found.names,
            fractional_weights=fractional,
        )

    def __add__(self, other: PairMoments) -> PairMoments:
        """The moments of both sets of objects; clusters are matched by name."""
        if self.table is not None and other.table is not None:
            return PairMoments.from_table(self.table + other.table)
        if (self.factor is None) != (other.factor is None) or (self.rows is None) != (other.rows is None):
            empty, rest = (self, other) if self.table is not None else (other, self)
            if empty.total:
                raise KindError("moments of hard and soft blocks cannot be added.", need="blocks of one kind")
            return rest
        kinds = (softest((self.kinds[0], other.kinds[0])), softest((self.kinds[1], other.kinds[1])))
        rows, columns = self.row_names, self.column_names
        if (rows, columns) != (other.row_names, other.column_names):
            rows = sorted_names({*rows, *other.row_names})
            columns = sorted_names({*columns, *other.column_names})
        fractional = self.fractional_weights or other.fractional_weights
        total = self.total + other.total
        if self.rows is not None and other.rows is not None:
            one, two = (
                given
                if (part.row_names, part.column_names) == (rows, columns)
                else given.with_columns(
                    (_places(part.row_names, rows), len(rows)),
                    (_places(part.column_names, columns), len(columns)),
                )
                for part, given in ((self, self.rows), (other, other.rows))
            )
            return PairMoments(None, total, kinds, rows, columns, None, fractional, rows=one.joined(two))
        origins = _origins_in(self, rows, columns)
        stacked = np.vstack([_seen_from(origins, part, rows, columns) for part in (self, other)])
        # only F'F matters, so a factor may grow for a while before it is made a triangle again
        factor = stacked if len(stacked) <= _TALL * stacked.shape[1] else triangle(stacked)
        return PairMoments(factor, total, kinds, rows, columns, None, fractional, origins)

    # --- sizes -----------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; () for one pair of clusterings."""
        return np.shape(self.total)

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
        return self._filled(0)

    @cached_property
    def n_columns(self) -> Array:
        """The number of found clusters that are not empty."""
        return self._filled(1)

    def _filled(self, side: int) -> Array:
        if self.table is not None:
            return (self.table.n_rows, self.table.n_columns)[side]
        if self.rows is not None:
            return np.asarray(self.rows.filled[side].size)
        return np.asarray(self._sides[side].filled.sum(axis=-1))

    @cached_property
    def is_identical(self) -> Array:
        """Whether both are the same clustering up to the names of clusters, and up to empty ones."""
        if self.table is not None:
            return self.table.is_relabelling
        tolerance = CANCELLED * self.n**0.5
        if self.rows is not None:
            return np.asarray(self.rows.are_same(float(tolerance)))
        truth, found = self._sides
        # where k columns are each within the tolerance, the matrices' norms are within sqrt(k) tolerances
        size, other = (np.sqrt((side.raw**2).sum(axis=(-2, -1))) for side in self._sides)
        same = np.asarray(np.abs(size - other) <= 2.0 * truth.raw.shape[-1] ** 0.5 * tolerance)
        for i in map(tuple, np.argwhere(same)):
            one, another = (side.raw[i][:, side.filled[i]] for side in (truth, found))
            same[i] = same_columns(one, another, float(tolerance[i]), 2)
        return same

    @cached_property
    def own_sums(self) -> tuple[OwnSums, OwnSums]:
        """What each of two clusterings that are not both hard says of itself; not of a stack."""
        if self.rows is not None:
            return OwnSums.of_both(self.rows.sums)
        truth, found = (side.own_sums(float(self.n)) for side in self._sides)
        return truth, found

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
            np.where(h == 0.0, 0.0, h * share) for share in (ab, a - ab, b - ab, 1.0 - a - b + ab)
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

    @property
    def gap_by_chance(self) -> Floats:
        """The mean of a (1 - b') + (1 - a) b' over all pairs and all other pairs (primed)."""
        v = self.values
        return np.asarray(v.mean_truth * v.apart_found + v.apart_truth * v.mean_found)

    @cached_property
    def values(self) -> PairValues:
        """Means, variances and the Frobenius products."""
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.table is not None:
                return values_of_table(self.table)
            if self.rows is not None:
                values = values_of_sums(self.rows.sums)
                few = len(self.row_names) + len(self.column_names) <= _FEW_COLUMNS
                return self._with_factor(self.rows).values if few and values.have_lost_digits else values
            with one_blas_thread():
                return _of_soft(*self._sides, self.n)

    def _with_factor(self, rows: SparseRows) -> PairMoments:
        """The same of few clusters, written out."""
        made = PairMoments.zero()
        for u, v, each in zip(rows.truth, rows.found, rows.weights, strict=True):
            for part in blocks(len(each), _ROWS_WRITTEN_OUT):
                sides = dense(u[part]), dense(v[part])
                origins = made.origins or (sides[0][0], sides[1][0])
                factor = factor_of(*sides, origins, each[part])
                some = replace(self, factor=factor, origins=origins, rows=None, total=each[part].sum())
                made = made + some
        return made

    @cached_property
    def _sides(self) -> tuple[Side, Side]:
        assert self.factor is not None
        assert self.origins is not None
        rows, columns = self.factor.shape[-2:]
        with one_blas_thread():  # several would only wait for each other
            factor = self.factor if rows <= columns else triangle(self.factor)
        ones = factor[..., :, :1]
        means = (np.swapaxes(ones, -1, -2) @ factor)[..., 0, :] / self.n[..., None]
        centred = factor - ones * means[..., None, :]
        found_from = EXTRA + len(self.row_names)
        truth, found = (
            Side.of(
                raw=factor[..., clusters] + ones * origin[..., None, :],
                mean=origin + means[..., clusters],
                centred=centred[..., clusters],
                # |x|^2 is that about the mean of x, and twice the product with it
                squares=centred[..., place] - 2.0 * _along(centred[..., clusters], means[..., clusters]),
                n=self.n,
            )
            for place, clusters, origin in (
                (1, slice(EXTRA, found_from), self.origins[0]),
                (2, slice(found_from, None), self.origins[1]),
            )
        )
        return truth, found


class Side(NamedTuple):
    """One clustering inside the factor: memberships, and what is left of them about their mean."""

    raw: Array
    centred: Array
    along_mean: Array
    squares: Array
    mean_square: Array
    spread: Array
    filled: Array

    @classmethod
    def of(cls, raw: Array, mean: Array, centred: Array, squares: Array, n: Floats) -> Side:
        """With the squared lengths about the mean; deviations of the size of rounding are none."""
        spread = _sum_of_squares(centred)
        spreads = spread > n * mean.shape[-1] * NOISE**2
        centred, squares = centred * spreads[..., None, None], squares * spreads[..., None]
        # deviations sum to 0, so that what all clusters have in common does not matter
        along_mean = _along(centred, mean - mean.mean(axis=-1, keepdims=True))
        filled = (raw**2).sum(axis=-2) > 0.0
        mean_square = np.asarray((mean * mean).sum(axis=-1))
        return cls(
            raw, centred, along_mean, squares + 2.0 * along_mean, mean_square, spread * spreads, filled
        )

    def own_sums(self, n: float) -> OwnSums:
        """What this clustering of ``n`` objects says of itself."""
        products = self.raw.T @ self.raw
        return OwnSums(
            n**2 * float(self.mean_square), float(np.trace(products)), float(np.square(products).sum())
        )


def _along(rows: Array, direction: Array) -> Array:
    """The products of rows with a vector."""
    return np.asarray((rows @ direction[..., None])[..., 0])


def _sum_of_squares(matrices: Array) -> Array:
    return np.asarray((matrices**2).sum(axis=(-1, -2)))


def _of_soft(truth: Side, found: Side, n: Floats) -> PairValues:
    """With c the centred memberships and p = c m: a_ij - |m|^2 = <c_i, c_j> + p_i + p_j."""
    ordered = n * (n - 1.0)
    covariance, excess = _joint(truth, found, n)
    variance_truth, own_truth = _joint(truth, truth, n)
    variance_found, own_found = _joint(found, found, n)
    ratio = truth.mean_square / found.mean_square
    chance = truth.spread * found.spread / (n - 1.0)
    full_truth, full_found = (
        own + s.spread**2 / (n - 1.0) for own, s in ((own_truth, truth), (own_found, found))
    )
    outer = (ratio * full_found + full_truth / ratio) / 2.0
    room = outer - chance
    means = [np.asarray(side.mean_square - side.spread / ordered) for side in (truth, found)]
    return PairValues(
        mean_truth=means[0],
        mean_found=means[1],
        apart_truth=1.0 - means[0],
        apart_found=1.0 - means[1],
        covariance=np.asarray(covariance),
        variance_truth=np.asarray(variance_truth),
        variance_found=np.asarray(variance_found),
        gap_variance=np.asarray(_gap_variance(truth, found, n)),
        # in units of the deviations, so that nothing cancels when one is far smaller than the other
        correlation_distance=np.asarray(
            _gap_variance(truth, found, n, np.sqrt(variance_truth), np.sqrt(variance_found)) / 2.0
        ),
        frobenius_gap=_sum_of_squares(_unit_slope(truth, n) - _unit_slope(found, n)) / ordered,
        frobenius_excess=np.asarray(excess),
        frobenius_room=np.asarray(np.where(room <= CANCELLED * outer, 0.0, room)),
    )


def _gap_variance(truth: Side, found: Side, n: Floats, unit_truth: Any = 1.0, unit_found: Any = 1.0) -> Any:
    """The variance of a / unit - b / unit' over all pairs."""
    units = np.asarray(unit_truth), np.asarray(unit_found)

    def gap(of: Callable[[Side], Array], axes: int) -> Array:
        one, other = (unit.reshape(unit.shape + (1,) * axes) for unit in units)
        return np.asarray(of(truth) / one - of(found) / other)

    return (
        _sum_of_squares(gap(lambda side: side.centred @ np.swapaxes(side.centred, -1, -2), 2))
        + 2.0 * n * (gap(lambda side: side.along_mean, 1) ** 2).sum(axis=-1)
        - (gap(lambda side: side.squares, 1) ** 2).sum(axis=-1)
        - gap(lambda side: side.spread, 0) ** 2 / (n - 1.0)
    ) / (n * (n - 1.0))


def _joint(one: Side, other: Side, n: Floats) -> tuple[Any, Any]:
    """The covariance over pairs, and the sum with each object's own pair over what shuffles give."""
    products = _sum_of_squares(np.swapaxes(one.centred, -1, -2) @ other.centred)
    linear = 2.0 * n * (one.along_mean * other.along_mean).sum(axis=-1)
    own = (one.squares * other.squares).sum(axis=-1)
    by_chance = one.spread * other.spread / (n - 1.0)
    terms = products + np.abs(linear) + np.abs(own) + by_chance
    excess = products + linear - by_chance
    covariance = excess - own
    if one is other:
        covariance = np.where(covariance <= CANCELLED * terms, 0.0, covariance)
    return covariance / (n * (n - 1.0)), excess


def _unit_slope(side: Side, n: Floats) -> Array:
    """The co-association in the factor's coordinates, scaled so that its square has its own sum."""
    product = side.raw @ np.swapaxes(side.raw, -1, -2)
    return np.asarray((n * n * side.mean_square / _sum_of_squares(product))[..., None, None] * product)


# --- one block -----------------------------------------------------------------------------------------


def refuse_rows_that_do_not_sum_to_one(partition: Partition, accepted: frozenset[Kind]) -> None:
    """Only rows that sum to one have co-associations between 0 and 1."""
    if partition.kind not in accepted:
        raise KindError(
            f"no co-association for {partition.kind.value} partitions{WHY_NOT}.",
            got=repr(partition),
            need=" or ".join(k.value for k in Kind if k in accepted) + " partitions",
            fix=Phrase(
                Setting("normalize", True, "as_partition(values, normalize=True)"),
                " for typicalities, .pignistic() for masses",
            ),
        )


def _origins_in(part: PairMoments, rows: Sequence[Any], columns: Sequence[Any]) -> tuple[Array, Array]:
    """The origins in a larger list of clusters."""
    assert part.origins is not None
    at = _places(part.row_names, rows), _places(part.column_names, columns)
    wide = np.zeros(len(rows)), np.zeros(len(columns))
    for origin, places, given in zip(wide, at, part.origins, strict=True):
        origin[places] = given
    return wide


def _places(names: Sequence[Any], among: Sequence[Any]) -> Sequence[int]:
    if names == among:
        return range(len(names))
    at = {name: place for place, name in enumerate(among)}
    return [at[name] for name in names]


def _seen_from(
    origins: tuple[Array, Array], part: PairMoments, rows: Sequence[Any], columns: Sequence[Any]
) -> Array:
    """The factor with its columns at the places of a larger list of clusters, and as seen from there."""
    assert part.factor is not None
    places = _places(part.row_names, rows), _places(part.column_names, columns)
    wide = np.zeros((part.factor.shape[0], EXTRA + fitting(len(rows) + len(columns))))
    found_from = EXTRA + len(rows)
    wide[:, [*range(EXTRA), *(EXTRA + r for r in places[0]), *(found_from + c for c in places[1])]] = (
        part.factor
    )
    clusters = (slice(EXTRA, found_from), slice(found_from, None))
    shifts = [own - origin for own, origin in zip(_origins_in(part, rows, columns), origins, strict=True)]
    for place, side, shift in zip((1, 2), clusters, shifts, strict=True):
        wide[:, place] += 2.0 * (wide[:, side] @ shift) + (shift @ shift) * wide[:, 0]
        wide[:, side] += np.outer(wide[:, 0], shift)
    return wide
