"""The contingency table of two clusterings, and everything that comes from it alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita.arrays import (
    BLOCK_ROWS,
    HARD_BLOCK_ROWS,
    MOST_WEIGHT,
    Array,
    Floats,
    dense,
    is_sparse,
    map_blocks,
    multiplicities,
    sorted_names,
)
from partita.errors import KindError, ParameterError, TooLargeError
from partita.partitions import (
    FUZZY,
    HARD,
    POSSIBILISTIC,
    Ensemble,
    HardPartition,
    Kind,
    Partition,
    softest,
)
from partita.statistics.protocol import Additive
from partita.statistics.tables.cell_sums import excess, missing_information, sums_without_each
from partita.statistics.tables.counting import count_labels, is_faint, scaled_products
from partita.statistics.tables.hypergeometric import (
    expected_mutual_information,
    expected_mutual_informations,
)

_MOST_EXACT_OBJECTS = 3e9  # the square of more passes 64 bits
_MOSTLY_LOST = 1e-3
_MOST_DENSE_CELLS = 1 << 27


EMPTY_SHARE = 1e-10
"""A soft cluster that holds less than this share of all objects counts as empty: its entropy is rounding."""


class PairCounts(NamedTuple):
    """Numbers of unordered pairs of objects: together in both, in one only, or in neither clustering."""

    both: Any
    truth_only: Any
    found_only: Any
    neither: Any


@dataclass(frozen=True, eq=False)
class Contingency(Additive):
    """How much of each true cluster is in each found one: N* = phi U'V, one table or a stack of them.

    Rows are clusters of truth, columns clusters of found, leading axes the stack. For hard partitions
    the table holds whole numbers. ``phi`` brings soft tables to the total number of objects (lei2014 eq. 3);
    it is 1 for hard ones, and 1 up to rounding for fuzzy ones. Large tables with few filled cells are sparse.

    Attributes
    ----------
    raw : array or CSR array
        U'V before scaling, the part that can be added over blocks of objects.
    total : array of shape (...)
        The number of objects, or the sum of their weights.
    kinds : (Kind, Kind)
        The kinds of truth and found.
    row_names, column_names : sequences
        Cluster names; blocks that saw different clusters are merged by them.
    exponent : int
        Tiny typicalities: ``raw`` is U'V without this power of two, which N* does not depend on.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY, POSSIBILISTIC})

    raw: Any
    total: Any
    kinds: tuple[Kind, Kind] = (HARD, HARD)
    row_names: Sequence[Any] = ()
    column_names: Sequence[Any] = ()
    exponent: int = 0

    # --- making ----------------------------------------------------------------------------------------

    @staticmethod
    def block_rows(truth: Partition, found: Partition) -> int:
        """How many objects one block holds."""
        if isinstance(truth, HardPartition) and isinstance(found, HardPartition):
            return max(HARD_BLOCK_ROWS, min(truth.span * found.span, truth.n_objects))
        # a block's table is then never larger than the block
        spans = [p.span for p in (truth, found) if isinstance(p, HardPartition)]
        return max(BLOCK_ROWS, *spans, 0)

    @classmethod
    def zero(cls) -> Contingency:
        """The table of no objects."""
        return cls(np.zeros((0, 0), dtype=np.int64), 0)

    @classmethod
    def from_block(cls, truth: Partition, found: Partition, weight: Array | None = None) -> Contingency:
        """The table of one block of objects."""
        for partition in (truth, found):
            if partition.kind not in cls.kinds_accepted:
                partition.memberships()  # raises, naming the conversions that would help
        total = truth.n_objects if weight is None else weight.sum()
        exponent = 0
        if isinstance(truth, HardPartition) and isinstance(found, HardPartition):
            raw = count_labels(truth, found, weight)
        else:
            raw, exponent = scaled_products(truth, found, weight)
        return cls(raw, total, (truth.kind, found.kind), truth.row_names, found.row_names, exponent)

    @classmethod
    def from_counts(cls, counts: Any, kinds: tuple[Kind, Kind] | None = None) -> Contingency:
        """A table, or a stack ``(..., k, k')``, from its cells; whole numbers are taken for hard ones."""
        if kinds is not None and not (
            isinstance(kinds, tuple) and len(kinds) == 2 and all(isinstance(k, Kind) for k in kinds)
        ):
            raise ParameterError("a table has two kinds.", got=repr(kinds), need="a pair of Kind, or None")
        cells = _numbers(counts)
        values = np.asarray(cells.data if is_sparse(cells) else cells)
        if values.size and not (values.min() >= 0 and values.max() <= MOST_WEIGHT):
            wrong = ~((values >= 0) & (values <= MOST_WEIGHT))
            raise ParameterError(
                "a contingency table holds no negative, infinite or huge cells.",
                got=f"a cell of {values[wrong][0]}",
                need=f"cells between 0 and {MOST_WEIGHT:g}",
            )
        if cells.dtype.kind == "i" and float(values.sum(dtype=np.float64)) >= 2.0**62:
            cells = cells.astype(np.float64)
        whole = cells.dtype.kind == "i"
        rows, columns = cells.shape[-2:]
        total = cells.sum() if is_sparse(cells) else cells.sum(axis=(-1, -2))
        return cls(
            cells, total, kinds or ((HARD, HARD) if whole else (FUZZY, FUZZY)), range(rows), range(columns)
        )

    @classmethod
    def from_ensemble(cls, ensemble: Ensemble, sample_weight: Any = None) -> Contingency:
        """All L x L tables of an ensemble, shape ``(L, L, k, k)``, from one matrix product.

        Partitions with fewer clusters than the largest have empty ones added. Weights are multiplicities.
        """
        weight = None if sample_weight is None else multiplicities(sample_weight, ensemble.n_objects)
        members = list(ensemble)
        for member in members:
            if member.kind not in cls.kinds_accepted:
                member.memberships()
        k = max(m.n_clusters for m in members)
        count = len(members)
        if (count * k) ** 2 > _MOST_DENSE_CELLS:
            raise TooLargeError(
                "the tables of this ensemble do not fit.",
                got=f"{count} x {count} tables of {k} x {k} cells",
                need=f"at most {_MOST_DENSE_CELLS} cells",
                fix="compare in parts: Ensemble(members[:100])",
            )

        total = np.full((count, count), ensemble.n_objects if weight is None else weight.sum())
        if any(is_faint(m) for m in members):
            raw = np.zeros((count, count, k, k))
            for i, j in np.ndindex(count, count):
                cells, _ = scaled_products(members[i], members[j], weight)
                raw[i, j, : members[i].n_clusters, : members[j].n_clusters] = dense(cells)
            return cls(raw, total, (ensemble.kind, ensemble.kind), range(k), range(k))
        codes = [m.codes if isinstance(m, HardPartition) else None for m in members]

        def gram(rows: slice) -> Array:
            stacked = np.zeros((len(range(*rows.indices(ensemble.n_objects))), count, k))
            for place, (member, labels) in enumerate(zip(members, codes, strict=True)):
                if labels is None:
                    stacked[:, place, : member.n_clusters] = dense(member.take(rows).memberships())
                else:
                    stacked[np.arange(stacked.shape[0]), place, labels[rows]] = 1.0
            flat = stacked.reshape(stacked.shape[0], count * k)
            return flat.T @ flat if weight is None else flat.T @ (flat * weight[rows, None])

        parts = map_blocks(gram, ensemble.n_objects, max(256, BLOCK_ROWS * 2 // (count * k)), products=True)
        product = parts[0]
        for part in parts[1:]:
            product += part
        raw = product.reshape(count, k, count, k).transpose(0, 2, 1, 3)
        if all(m.kind is HARD for m in members) and (weight is None or weight.dtype.kind == "i"):
            raw = np.rint(raw).astype(np.int64)
        return cls(raw, total, (ensemble.kind, ensemble.kind), range(k), range(k))

    def __add__(self, other: Contingency) -> Contingency:
        """The table of both sets of objects; clusters are matched by name."""
        kinds = (softest((self.kinds[0], other.kinds[0])), softest((self.kinds[1], other.kinds[1])))
        total = self.total + other.total
        one, two, exponent = self, other, 0
        if self.exponent or other.exponent:
            filled = [table.exponent for table in (self, other) if table.raw.shape[-1]]
            exponent = max(filled, default=0)
            one, two = self._without(exponent), other._without(exponent)
        if self.row_names == other.row_names and self.column_names == other.column_names:
            return Contingency(one.raw + two.raw, total, kinds, self.row_names, self.column_names, exponent)
        rows = _union(self.row_names, other.row_names)
        columns = _union(self.column_names, other.column_names)
        raw = _spread(one, rows, columns) + _spread(two, rows, columns)
        return Contingency(raw, total, kinds, rows, columns, exponent)

    def _without(self, exponent: int) -> Contingency:
        """The same table without this power of two, which is not below its own unless it is empty."""
        return replace(self, raw=self.raw * math.ldexp(1.0, min(self.exponent - exponent, 0)))

    def transposed(self) -> Contingency:
        """The table with truth and found exchanged."""
        raw = self.raw.T.tocsr() if self.is_sparse else np.swapaxes(self.raw, -1, -2)
        kinds = self.kinds[::-1]
        return Contingency(raw, self.total, kinds, self.column_names, self.row_names, self.exponent)

    # --- the table -------------------------------------------------------------------------------------

    @cached_property
    def is_sparse(self) -> bool:
        """Whether only filled cells are stored."""
        return is_sparse(self.raw)

    @cached_property
    def is_whole(self) -> Array:
        """Whether the table counts objects: both sides hard, weights (if any) whole numbers."""
        return np.asarray(self.kinds == (HARD, HARD) and self.raw.dtype.kind in "iu")

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; () for one table."""
        return tuple(self.raw.shape[:-2])

    @cached_property
    def _phi(self) -> Any:
        if self.kinds == (HARD, HARD):
            return 1
        mass = np.asarray(self.raw.sum()) if self.is_sparse else self.raw.sum(axis=(-1, -2))
        return np.divide(self.total, mass, where=mass > 0, out=np.ones(np.shape(mass)))

    @cached_property
    def cells(self) -> Array:
        """The cells of N* in one last axis ``(..., m)``; a sparse table lists the filled ones only."""
        if self.is_sparse:
            return np.asarray(self.raw.data * self._phi)
        flat = self.raw.reshape(*self.shape, -1)
        return np.asarray(flat if self.kinds == (HARD, HARD) else flat * np.asarray(self._phi)[..., None])

    @property
    def counts(self) -> Array:
        """N* itself, ``(..., k, k')``."""
        if not self.is_sparse:
            return self.cells.reshape(self.raw.shape)
        if self.raw.shape[0] * self.raw.shape[1] > _MOST_DENSE_CELLS:
            raise TooLargeError(
                "this table is too large to be written out.",
                got=f"{self.raw.shape[0]} x {self.raw.shape[1]} cells",
                need=f"at most {_MOST_DENSE_CELLS} cells",
                fix="use .cells, .row_sums and .column_sums",
            )
        return np.asarray(self.raw.toarray() * self._phi)

    @cached_property
    def row_sums(self) -> Array:
        """The sizes of the true clusters in N*, ``(..., k)``."""
        return self._margin(-1)

    @cached_property
    def column_sums(self) -> Array:
        """The sizes of the found clusters in N*, ``(..., k')``."""
        return self._margin(-2)

    def _margin(self, axis: int) -> Array:
        sums = np.asarray(self.raw.sum(axis=axis))
        if self.kinds == (HARD, HARD):
            return sums
        return np.asarray(sums * np.asarray(self._phi)[..., None])

    @cached_property
    def n_rows(self) -> Array:
        """The number of true clusters that are not empty (on soft tables: up to rounding)."""
        count: Array = self.are_filled(self.row_sums).sum(axis=-1)
        return count

    @cached_property
    def n_columns(self) -> Array:
        """The number of found clusters that are not empty (on soft tables: up to rounding)."""
        count: Array = self.are_filled(self.column_sums).sum(axis=-1)
        return count

    def are_filled(self, sizes: Array) -> Array:
        """Which clusters of these sizes are not empty (on soft tables: up to rounding)."""
        nothing = 0.0 if self.kinds == (HARD, HARD) else EMPTY_SHARE * self.n[..., None]
        return np.asarray(sizes > nothing)

    @cached_property
    def n(self) -> Floats:
        """The number of objects (sum of weights), as floats for formulas."""
        return np.asarray(self.total, dtype=np.float64)[()]

    # --- entropies, in nats ----------------------------------------------------------------------------

    @cached_property
    def row_entropy(self) -> Floats:
        """H(truth)."""
        return self._mean_information(self.row_sums, self._rest_of(self.row_sums))

    @cached_property
    def column_entropy(self) -> Floats:
        """H(found)."""
        return self._mean_information(self.column_sums, self._rest_of(self.column_sums))

    @cached_property
    def rows_given_columns(self) -> Floats:
        """H(truth | found): what is not known of the true cluster when the found one is."""
        return self._mean_information(self.cells, self._others_in_column)

    @cached_property
    def columns_given_rows(self) -> Floats:
        """H(found | truth): what is not known of the found cluster when the true one is."""
        return self._mean_information(self.cells, self._others_in_row)

    @cached_property
    def joint_entropy(self) -> Floats:
        """H(truth, found), as the richer side's entropy and what the other side adds to it."""
        return np.where(
            self.row_entropy >= self.column_entropy,
            self.row_entropy + self.columns_given_rows,
            self.column_entropy + self.rows_given_columns,
        )[()]

    @cached_property
    def mutual_information(self) -> Floats:
        """I(truth, found): what of the poorer side's entropy is known from the other side.

        Where this difference would be mostly rounding, it is summed cell by cell instead.
        """
        truth_is_poorer = self.row_entropy < self.column_entropy
        poorer = np.where(truth_is_poorer, self.row_entropy, self.column_entropy)
        lost = np.where(truth_is_poorer, self.rows_given_columns, self.columns_given_rows)
        difference: Floats = np.maximum(poorer - lost, 0.0)
        mostly_lost = difference < _MOSTLY_LOST * poorer
        if self.is_sparse or not mostly_lost.any():
            return difference
        with np.errstate(invalid="ignore", divide="ignore"):
            row_shares = self.row_sums / self.n[..., None]
            expected = row_shares[..., :, None] * self.column_sums[..., None, :]
            summed = excess(self.counts, expected).sum(axis=(-1, -2)) / self.n
        information: Floats = np.where(mostly_lost, summed, difference)[()]
        return information

    def _mean_information(self, parts: Array, others: Array) -> Floats:
        information = missing_information(parts, others)
        out = np.zeros(np.shape(information))
        mean: Floats = np.divide(information, self.n, where=self.n > 0, out=out)[()]
        return mean

    # --- how much lies beside each cell ----------------------------------------------------------------

    def _rest_of(self, sizes: Array) -> Array:
        """For each cluster of one side the size of all others together."""
        return self._total_beside(sizes) - sizes if self.is_whole else sums_without_each(sizes, -1)

    def _total_beside(self, sizes: Array) -> Array:
        return np.asarray(self.total).astype(sizes.dtype)[..., None]

    @cached_property
    def outside_largest_row(self) -> Array:
        """How much lies outside the largest true cluster."""
        return np.asarray(self._rest_of(self.row_sums).min(axis=-1))

    @cached_property
    def outside_largest_cells(self) -> Array:
        """How much of each found cluster lies outside its largest cell."""
        if self.is_sparse:
            largest = self.raw.max(axis=0).toarray().ravel() * self._phi
            return np.asarray(np.maximum(self.column_sums - largest, 0))
        return np.asarray(self._others_in_column.reshape(self.counts.shape).min(axis=-2))

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        """The rows and columns of the filled cells of a sparse table, in the order of `cells`."""
        rows, columns = self.raw.tocoo().coords
        return rows, columns

    @cached_property
    def _others_in_row(self) -> Array:
        """For each of `cells` the other cells of its row together."""
        if self.is_sparse:
            return np.asarray(np.maximum(self.row_sums[self._places[0]] - self.cells, 0))
        others = (
            self.row_sums[..., :, None] - self.counts if self.is_whole else sums_without_each(self.counts, -1)
        )
        return np.asarray(others.reshape(self.cells.shape))

    @cached_property
    def _others_in_column(self) -> Array:
        """For each of `cells` the other cells of its column together."""
        if self.is_sparse:
            return np.asarray(np.maximum(self.column_sums[self._places[1]] - self.cells, 0))
        others = (
            self.column_sums[..., None, :] - self.counts
            if self.is_whole
            else sums_without_each(self.counts, -2)
        )
        return np.asarray(others.reshape(self.cells.shape))

    @cached_property
    def _in_neither(self) -> Array:
        """For each of `cells` all cells that are neither in its row nor in its column together."""
        if self.is_whole:
            return self._total_beside(self.cells) - self.cells - self._others_in_row - self._others_in_column
        if self.is_sparse:
            in_other_rows = self.n - self.row_sums[self._places[0]]
            return np.maximum(in_other_rows - self._others_in_column, 0.0)
        return np.asarray(sums_without_each(sums_without_each(self.counts, -1), -2).reshape(self.cells.shape))

    @cached_property
    def expected_mutual_information(self) -> Floats:
        """The mean of I over all shuffles of the objects; whole-number tables only."""
        totals = np.asarray(self.n).ravel()
        if (
            self.shape
            and totals.size > 1
            and 0 < totals[0] <= _MOST_EXACT_OBJECTS
            and (totals == totals[0]).all()
        ):
            rows, columns = (
                sums.reshape(totals.size, sums.shape[-1]) for sums in (self.row_sums, self.column_sums)
            )
            return expected_mutual_informations(rows, columns).reshape(self.shape)
        known: dict[bytes, float] = {}  # tables of a stack often have the same margins

        def expected(rows: Array, columns: Array) -> float:
            margins = rows.tobytes() + columns.tobytes()
            if margins not in known:
                known[margins] = expected_mutual_information(rows, columns)
            return known[margins]

        values = [expected(self.row_sums[i], self.column_sums[i]) for i in np.ndindex(self.shape)]
        return np.array(values, dtype=np.float64).reshape(self.shape)[()]

    @cached_property
    def is_relabelling(self) -> Array:
        """Whether each cluster of one side is exactly one of the other: for hard tables, identical."""
        filled = np.asarray((self.cells > 0).sum(axis=-1))
        return np.asarray((filled == self.n_rows) & (filled == self.n_columns))

    # --- objects ---------------------------------------------------------------------------------------

    @cached_property
    def mean_precision(self) -> Floats:
        """The mean over all objects of the share of its found cluster that is of its true one."""
        return self._mean_share(self._others_in_column)

    @cached_property
    def mean_recall(self) -> Floats:
        """The mean over all objects of the share of its true cluster that is in its found one."""
        return self._mean_share(self._others_in_row)

    def _mean_share(self, others: Array) -> Floats:
        cells = self.cells.astype(np.float64)
        shares = np.divide(cells, cells + others, where=cells > 0, out=np.zeros(cells.shape))
        ordered = np.sort(cells * shares, axis=-1)  # whatever the order of the clusters, the same to the bit
        mean: Floats = ordered.sum(axis=-1) / self.n
        return mean

    # --- pairs -----------------------------------------------------------------------------------------

    @cached_property
    def pair_counts(self) -> PairCounts:
        """The four pair counts: whole numbers for hard tables of up to 3 x 10^9 objects, above that floats.

        On soft tables they come from the same expressions on fractional cells, where the pairs together
        in both can be negative (lei2014; Anderson et al. 2010).
        """
        if self.is_whole and (self.n < _MOST_EXACT_OBJECTS).all():
            n = np.asarray(self.total)
            in_cells, in_rows, in_columns = (
                _products(sizes, sizes) for sizes in (self.cells, self.row_sums, self.column_sums)
            )
            both, truth_only, found_only = in_cells - n, in_rows - in_cells, in_columns - in_cells
            ordered = (both, truth_only, found_only, (n * n - in_rows) - found_only)
            return PairCounts(*(count // 2 for count in ordered))
        # cell by cell every term but the first is at least 0, and nothing cancels
        cells = self.cells.astype(np.float64)
        beside = (self.cells - 1, self._others_in_row, self._others_in_column, self._in_neither)
        return PairCounts(*(_products(cells, others) / 2.0 for others in beside))

    @cached_property
    def pairs(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The pair counts a, b, c, d (both, truth only, found only, neither) as floats for formulas.

        Floats are exact up to 1.3 x 10^8 objects.
        """
        a, b, c, d = (np.asarray(count, dtype=np.float64)[()] for count in self.pair_counts)
        return a, b, c, d


def _numbers(counts: Any) -> Any:
    """Cells as whole numbers in 64 bits or as floats, in an array or a CSR array of our own."""
    if is_sparse(counts):
        from scipy.sparse import csr_array

        cells: Any = csr_array(counts, copy=True)
        cells.sum_duplicates()
    else:
        try:
            cells = np.asarray(counts)
        except ValueError:
            cells = np.empty(0, dtype=object)
    if cells.ndim < 2 or cells.dtype.kind not in "iubf":
        raise ParameterError(
            "this is not a contingency table.",
            got=f"array of shape {cells.shape}, dtype {cells.dtype}",
            need="numbers of shape (..., k, k')",
        )
    return cells.astype(np.float64 if cells.dtype.kind == "f" else np.int64)


def _products(values: Array, others: Array) -> Any:
    return np.einsum("...i,...i->...", values, others)


# --- merging by name -----------------------------------------------------------------------------------


def _union(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, ...]:
    """All names, in an order that does not depend on which came first."""
    return sorted_names(set(a) | set(b))


def _spread(table: Contingency, rows: Sequence[Any], columns: Sequence[Any]) -> Any:
    """The table's cells at their places in a larger one."""
    row_place = {name: i for i, name in enumerate(rows)}
    column_place = {name: i for i, name in enumerate(columns)}
    to_rows = np.array([row_place[name] for name in table.row_names], dtype=np.int64)
    to_columns = np.array([column_place[name] for name in table.column_names], dtype=np.int64)
    if table.shape:
        raise KindError("stacks of tables with different clusters cannot be added.", got=str(table.shape))
    if table.is_sparse or len(rows) * len(columns) > _MOST_DENSE_CELLS:
        from scipy.sparse import coo_array

        cells = coo_array(table.raw)
        place = (to_rows[cells.coords[0]], to_columns[cells.coords[1]])
        return coo_array((cells.data, place), shape=(len(rows), len(columns))).tocsr()
    wide = np.zeros((len(rows), len(columns)), dtype=table.raw.dtype)
    wide[np.ix_(to_rows, to_columns)] = table.raw
    return wide
