"""Clusterings given by a matrix of memberships: fuzzy (probabilistic) and possibilistic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import entr

from partita.arrays import (
    BLOCK_ROWS,
    COMPILED_FROM,
    MOST_DENSE_CELLS,
    Array,
    blocks,
    dense,
    inside_its_shape,
    is_sparse,
    map_blocks,
    read_only,
    row_sum_tolerance,
    to_csr,
)
from partita.arrays.containers import array_of, doubles_of
from partita.errors import PartitionError, Phrase, Setting, TooLargeError, row_of_matrix
from partita.partitions.kinds import FUZZY, POSSIBILISTIC, Kind
from partita.partitions.partition import Partition, normalise_names, row_selection
from partita.partitions.tnorms import all_together

FIRST_ROWS = 64

REST_IS_NOISE = 'as_partition(memberships, noise="rest") if what rows lack to one is noise'


class MembershipPartition(Partition):
    """What fuzzy and possibilistic partitions share: an ``(n, k)`` matrix, dense or CSR."""

    values: Any
    _names: tuple[Any, ...]

    def __init__(self, memberships: Any, *, names: Sequence[Any] | None = None, index: Any = None) -> None:
        matrix = numeric_matrix(memberships)
        if matrix.size < COMPILED_FROM and not is_sparse(matrix):
            matrix = matrix.copy()  # so that it cannot change; a large one is looked at where it is
        columns = normalise_names(names, matrix.shape[1])
        self._set(self._checked(matrix, columns), columns, index)

    @classmethod
    def trusted(
        cls,
        values: Any,
        names: tuple[Any, ...],
        *,
        index: Any = None,
        note: str = "",
        frame: str | None = None,
    ) -> Any:
        """A partition from values that are known to be right."""
        made = cls.__new__(cls)
        made._set(values, names, index)
        made.note, made.frame = note, frame
        return made

    def _set(self, values: Any, names: tuple[Any, ...], index: Any) -> None:
        self.values = values if is_sparse(values) else read_only(values)
        self._names = names
        self.index = index

    def _checked(self, matrix: Any, names: Sequence[Any]) -> Any:
        raise NotImplementedError

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return int(self.values.shape[0])

    @property
    def names(self) -> tuple[Any, ...]:
        """One name for each column."""
        return self._names

    def memberships(self) -> Any:
        """The ``(n, k)`` matrix, dense or CSR as it was given."""
        return self.values

    @cached_property
    def is_crisp(self) -> bool:
        """Whether every object has membership 1 in one cluster and 0 in the others."""
        return is_one_hot(self.values)

    def block(self, rows: slice) -> Any:
        """Some rows in double precision."""
        part = self.values[rows]
        return part if part.dtype == np.float64 else part.astype(np.float64)

    @cached_property
    def sizes(self) -> Array:
        """The sum of the memberships of each cluster."""
        return read_only(np.asarray(self.values.sum(axis=0, dtype=np.float64)).ravel())

    def take(self, rows: Any) -> Any:
        """The same clustering of some of the objects."""
        chosen = row_selection(rows, self.n_objects)
        index = None if self.index is None else self.index[chosen]
        return self.trusted(self.values[chosen], self.names, index=index, note=self.note, frame=self.frame)

    def entropies(self) -> Array:
        """For each object, the entropy of its memberships in nats."""
        if is_sparse(self.values):
            terms = self.values.astype(np.float64)
            terms.data = entr(terms.data)
            return np.asarray(terms.sum(axis=1)).ravel()
        parts = map_blocks(lambda s: entr(self.block(s)).sum(axis=1), self.n_objects, BLOCK_ROWS)
        return np.concatenate(parts)

    def nonspecificities(self) -> Array:
        """Zeros: memberships go to single clusters."""
        return np.zeros(self.n_objects)

    def _at(self, clustering: Any) -> Array:
        """For each object its membership in the cluster that ``clustering`` gives it."""
        columns = self.columns_of(clustering)
        return np.asarray(self.values[np.arange(self.n_objects), columns], dtype=np.float64).ravel()


class FuzzyPartition(MembershipPartition):
    """Memberships in [0, 1] that sum to one for each object: fuzzy or probabilistic.

    Parameters
    ----------
    memberships : (n, k) array or SciPy sparse matrix
        Rows sum to one within 1e-6 (1e-4 in single precision).
    names : sequence, optional
        One name for each cluster; their positions by default.

    Examples
    --------
    >>> FuzzyPartition([[0.9, 0.1], [0.5, 0.5]])
    FuzzyPartition(n=2, k=2, sizes=[1.4 0.6], ambiguity=0, partial assignment=0.734)
    """

    kind: ClassVar[Kind] = FUZZY

    @cached_property
    def noise_mask(self) -> Array | None:
        """Which objects are wholly in the cluster named -1 beside non-negative integers, or None."""
        numbers = [name for name in self._names if type(name) is int]
        if not numbers or min(numbers) != -1:
            return None
        mask = dense(self.values[:, [self._names.index(-1)]]).ravel() == 1.0
        return read_only(mask) if mask.any() else None

    def _checked(self, matrix: Any, names: Sequence[Any]) -> Any:
        survey = survey_rows(matrix)
        survey.raise_if_out_of_range(matrix, names)
        if survey.n_off:
            raise rows_off(matrix, survey)
        return survey.clipped(matrix)

    def probability_of(self, clustering: Any, *, log: bool = False) -> float:
        """The probability of a hard clustering when objects are drawn independently.

        ``log=True`` gives its natural logarithm, which does not underflow.
        """
        with np.errstate(divide="ignore"):
            total = float(np.log(self._at(clustering)).sum())
        return total if log else float(np.exp(total))


class PossibilisticPartition(MembershipPartition):
    """Typicalities in [0, 1], free to sum to anything but zero for each object.

    Parameters
    ----------
    typicalities : (n, k) array or SciPy sparse matrix
        No row may be all zero.
    names : sequence, optional
        One name for each cluster; their positions by default.

    Examples
    --------
    >>> PossibilisticPartition([[1.0, 0.4], [0.2, 0.7]])
    PossibilisticPartition(n=2, k=2, sizes=[1.2 1.1], ambiguity=0.3, partial assignment=0.775)
    """

    kind: ClassVar[Kind] = POSSIBILISTIC

    def _checked(self, matrix: Any, names: Sequence[Any]) -> Any:
        survey = survey_rows(matrix)
        survey.raise_if_out_of_range(matrix, names)
        if survey.n_zero:
            raise zero_rows(matrix, survey)
        return survey.clipped(matrix)

    def entropies(self) -> Array:
        """For each object, the entropy of its consonant masses in nats."""
        high_to_low, steps = levels(self.values)
        return np.asarray(entr(steps).sum(axis=1) + entr(1.0 - high_to_low[:, 0]))

    def nonspecificities(self) -> Array:
        """For each object, the mean log size of its level sets in nats."""
        _, steps = levels(self.values)
        return np.asarray(steps @ np.log(np.arange(1, steps.shape[1] + 1)))

    @property
    def _n_choices(self) -> int:
        return self.n_clusters + 1

    def possibility_of(self, clustering: Any, *, tnorm: str = "minimum") -> float:
        """The possibility of a hard clustering: its objects' typicalities joined by a t-norm.

        Parameters
        ----------
        clustering : hard clustering
            With this partition's names as labels.
        tnorm : {"minimum", "product", "lukasiewicz"}
            How "and" is read.
        """
        return all_together(self._at(clustering), tnorm)


def levels(typicalities: Any) -> tuple[Array, Array]:
    """Typicalities of each object from high to low, and the steps between them (consonant masses).

    Of a sparse matrix as many as the fullest row has: further ones are 0.
    """
    values = _filled_in_front(typicalities) if is_sparse(typicalities) else dense(typicalities)
    high_to_low = -np.sort(-values, axis=1)
    below = np.concatenate([high_to_low[:, 1:], np.zeros((len(values), 1))], axis=1)
    return high_to_low, high_to_low - below


def _filled_in_front(matrix: Any) -> Array:
    """The filled cells of each row side by side."""
    counts = np.diff(matrix.indptr)
    front = np.zeros((matrix.shape[0], int(counts.max())))
    rows = np.repeat(np.arange(matrix.shape[0]), counts)
    front[rows, np.arange(rows.size) - matrix.indptr[:-1][rows]] = matrix.data
    return front


# --- checking a matrix --------------------------------------------------------------------------------


def dense_array(values: Any) -> Array:
    """A NumPy array of anything with equally long rows and no masked cell, sparse or not."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise PartitionError("memberships are missing.", got="a masked array", need="a number in every cell")
    if is_sparse(values):
        if math.prod(values.shape) > MOST_DENSE_CELLS:
            raise TooLargeError(
                "this sparse matrix does not fit as a dense one, which this kind of clustering needs.",
                got=f"matrix of shape {values.shape}",
                need=f"at most {MOST_DENSE_CELLS} cells",
            )
        return np.asarray(inside_its_shape(values).toarray())
    try:
        return array_of(values)
    except TypeError as problem:
        raise _no_numbers(str(problem)) from None
    except ValueError:
        raise PartitionError(
            "the rows are not equally long.", got="a ragged list", need="n rows of k numbers each"
        ) from None


def numeric_matrix(memberships: Any) -> Any:
    """A two-dimensional float matrix, dense or CSR, with at least one row and one column."""
    matrix = to_csr(memberships) if is_sparse(memberships) else dense_array(memberships)
    if matrix.dtype.kind in "iubO" or not matrix.dtype.isnative:
        try:
            matrix = matrix.astype(np.float32) if matrix.dtype.name == "float32" else doubles_of(matrix)
        except (TypeError, ValueError):
            raise _no_numbers("objects that are not numbers") from None
    if matrix.dtype.kind != "f":
        raise _no_numbers(f"dtype {matrix.dtype}")
    if matrix.ndim != 2:
        raise PartitionError(
            "memberships are not a matrix.",
            got=f"array of shape {matrix.shape}",
            need="shape (n, k): a row for each object, a column for each cluster",
        )
    if 0 in matrix.shape:
        raise PartitionError(
            "a clustering of no objects, or into no clusters, says nothing.",
            got=f"matrix of shape {matrix.shape}",
            need="at least one row and one column",
        )
    return matrix


def _no_numbers(got: str) -> PartitionError:
    return PartitionError("memberships are not numbers.", got=got, need="n rows of k numbers each")


@dataclass(frozen=True)
class RowSurvey:
    """What one pass over a matrix of memberships shows."""

    low: float
    high: float
    tolerance: float
    n_off: int
    first_off: int
    first_sum: float
    n_zero: int
    first_zero: int

    def raise_if_out_of_range(self, matrix: Any, names: Sequence[Any]) -> None:
        """Refuse NaN, infinite, negative values and values above one; the first is told by its column."""
        if self.low >= -self.tolerance and self.high <= 1.0 + self.tolerance:
            return
        cells = matrix.tocoo() if is_sparse(matrix) else None
        values = matrix.ravel() if cells is None else cells.data
        bad = np.flatnonzero(~((values >= -self.tolerance) & (values <= 1.0 + self.tolerance)))
        value = float(values[bad[0]])
        if cells is None:
            row, column = divmod(int(bad[0]), matrix.shape[1])
        else:
            row, column = (int(axis[bad[0]]) for axis in cells.coords)
        what = "memberships are not finite." if not np.isfinite(value) else "memberships are outside [0, 1]."
        raise PartitionError(
            what,
            got=Phrase(
                f"matrix of shape {matrix.shape}; ",
                row_of_matrix(row),
                f", column {names[column]!r} is {value:g} ({bad.size} cells are off)",
            ),
            need="every membership between 0 and 1",
            fix=Phrase(Setting("normalize", True), " if these are unnormalised weights")
            if self.low >= 0 and np.isfinite(value)
            else REST_IS_NOISE
            if np.isnan(value)
            else None,
        )

    def clipped(self, matrix: Any) -> Any:
        """The matrix with what rounding carried below zero or above one set to the end it passed."""
        if self.low >= 0.0 and self.high <= 1.0:
            return matrix
        if is_sparse(matrix):
            kept = matrix.copy()
            kept.data = np.clip(kept.data, 0.0, 1.0)
            kept.eliminate_zeros()
            return kept
        return np.clip(matrix, 0.0, 1.0)


class RowLook(NamedTuple):
    """What one block of rows shows."""

    low: float = 0.0
    high: float = 1.0
    n_off: int = 0
    first_off: int = -1
    first_sum: float = 1.0
    n_zero: int = 0
    first_zero: int = -1

    @property
    def is_fine(self) -> bool:
        """Whether these are memberships as they stand."""
        return self.low >= 0.0 and self.high <= 1.0 and not self.n_off


@np.errstate(invalid="ignore", over="ignore")
def look_at_rows(matrix: Any, rows: slice) -> RowLook:
    """Range and row sums of a block."""
    block, tolerance = matrix[rows], row_sum_tolerance(matrix)
    k = matrix.shape[1]
    if is_sparse(block):
        low, high = float(block.min()), float(block.max())
        sums = np.asarray(block.sum(axis=1, dtype=np.float64)).ravel()
        high = max(high, float(block.data.max())) if block.nnz else high
        low = low if not block.nnz or not np.isnan(block.data).any() else float("nan")
    else:
        # a sum of k numbers in [0, 1] in single precision is off by less than this
        surely = tolerance - k * 2.0**-22
        if block.dtype == np.float32 and surely > 0.0 and block.min() >= 0.0:
            sums = block @ np.ones(k, dtype=np.float32)
            if sums.max() <= 1.0 + surely and sums.min() >= 1.0 - surely:
                return RowLook()
        wide = block if block.dtype == np.float64 else block.astype(np.float64)
        low = float(wide.min())
        sums = wide @ np.ones(k)
        if low >= 0.0 and np.abs(sums - 1.0).max() <= tolerance:
            return RowLook(low)
        high = float(wide.max())
    off = ~(np.abs(sums - 1.0) <= tolerance)
    zero = sums == 0.0
    first_off = int(off.argmax()) if off.any() else -1
    return RowLook(
        low,
        high,
        int(off.sum()),
        rows.start + first_off if first_off >= 0 else -1,
        float(sums[first_off]) if first_off >= 0 else 1.0,
        int(zero.sum()),
        rows.start + int(zero.argmax()) if zero.any() else -1,
    )


def survey_rows(matrix: Any) -> RowSurvey:
    """Range and row sums of a matrix, by blocks that stay in cache."""
    n = matrix.shape[0]
    looks = map_blocks(partial(look_at_rows, matrix), n, BLOCK_ROWS, products=n > BLOCK_ROWS)
    first = next((look for look in looks if look.n_off), looks[0])
    first_zero = next((look for look in looks if look.n_zero), looks[0])
    lows, highs = np.array([look.low for look in looks]), np.array([look.high for look in looks])
    return RowSurvey(
        low=float(lows.min()),
        high=float(highs.max()),
        tolerance=row_sum_tolerance(matrix),
        n_off=sum(look.n_off for look in looks),
        first_off=first.first_off,
        first_sum=first.first_sum,
        n_zero=sum(look.n_zero for look in looks),
        first_zero=first_zero.first_zero,
    )


def rows_off(matrix: Any, survey: RowSurvey) -> PartitionError:
    """The error for rows that do not sum to one, with the likeliest reason."""
    got = Phrase(
        f"matrix of shape {matrix.shape}; ",
        row_of_matrix(survey.first_off),
        f" sums to {survey.first_sum:.6g} ({survey.n_off} rows are off by more than {survey.tolerance:g})",
    )
    need = f"every row sum = 1 within {survey.tolerance:g}"
    columns = np.asarray(matrix.sum(axis=0, dtype=np.float64)).ravel()
    if (np.abs(columns - 1.0) <= max(survey.tolerance, 1e-6)).all():
        return lies_on_its_side(matrix)
    if survey.n_zero:
        return zero_rows(matrix, survey)
    sums = np.asarray(matrix.sum(axis=1, dtype=np.float64))
    lacks = f"; {REST_IS_NOISE}" if sums.max() <= 1.0 + survey.tolerance else ""
    return PartitionError(
        "memberships do not sum to one.",
        got=got,
        need=need,
        fix=Phrase(
            Setting("kind", "possibilistic"),
            " if these are typicalities, or ",
            Setting("normalize", True),
            lacks,
        ),
    )


def lies_on_its_side(matrix: Any, fix: str = "transpose it: matrix.T") -> PartitionError:
    """The error for a matrix whose columns sum to one and whose rows do not."""
    return PartitionError(
        "this matrix seems to lie on its side: its columns sum to one and its rows do not.",
        got=f"matrix of shape {matrix.shape}",
        need="shape (n, k): a row for each object, a column for each cluster",
        fix=fix,
    )


def zero_rows(matrix: Any, survey: RowSurvey) -> PartitionError:
    """The error for objects that belong to no cluster at all."""
    return PartitionError(
        "some objects belong to no cluster.",
        got=Phrase(
            f"matrix of shape {matrix.shape}; ",
            row_of_matrix(survey.first_zero),
            f" is all zero ({survey.n_zero} in all)",
        ),
        need="a positive membership in at least one cluster for every object",
        fix=f"drop these objects, or {REST_IS_NOISE}",
    )


def one_hot_columns(matrix: Any) -> Array:
    """For each row of a one-hot matrix the place of its 1."""
    return np.asarray(matrix.indices if is_sparse(matrix) else matrix.argmax(axis=1)).ravel()


def is_one_hot(matrix: Any) -> bool:
    """Whether every row is a single 1 among zeros; the first block that is not ends the search."""
    if is_sparse(matrix):
        counts = np.diff(matrix.indptr)
        return bool((matrix.data == 1).all() and (counts == 1).all())
    for rows in (slice(FIRST_ROWS), *blocks(matrix.shape[0], BLOCK_ROWS)):  # most show it at once
        block = matrix[rows]
        ones = block == 1
        if not ((ones | (block == 0)).all() and (ones.sum(axis=1) == 1).all()):
            return False
    return True
