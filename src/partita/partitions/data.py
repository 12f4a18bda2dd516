"""The data a clustering was made from: one row for each object, one column for each feature."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import (
    MOST_DENSE_CELLS,
    Array,
    binary_exponent,
    frame_library,
    inside_its_shape,
    is_sparse,
    numeric_frame,
    read_only,
    to_csr,
)
from partita.arrays.chunked import Chunked, all_at_once, is_of_dask
from partita.arrays.containers import array_of, doubles_of
from partita.errors import ParameterError, Phrase, Setting, TooLargeError
from partita.partitions.models import refuse_annotated
from partita.partitions.partition import row_selection
from partita.partitions.roles import note_on_identifiers, role_of_numbers
from partita.partitions.word_columns import PROFILED, without_words


def _means(values: Array, axis: int) -> Array:
    """The mean of what is there; numbers whose sum overflows have one too."""
    with np.errstate(over="ignore"):
        means = np.asarray(np.nanmean(values, axis=axis))
    if np.isfinite(means).all():
        return means
    largest = np.nanmax(np.abs(values), axis=axis)
    return np.asarray(np.nanmean(values / largest, axis=axis) * largest)


FILLS: Mapping[str, Callable[..., Any]] = {"median": np.nanmedian, "mean": _means}
"""What may be put where a value is missing: a number that the others of its column have in the middle."""

WRITTEN_OUT_CELLS = 1 << 20
"""Sparse matrices of so many cells are written out: 8 MiB."""

FILLED_SHARE = 0.125
"""So are those with a larger share of cells that are not 0."""

DATA_POLICIES = ("raise", "drop", *FILLS)


class DataMatrix:
    """Numbers ``(n, d)``, checked once: finite, in single or double precision.

    A large sparse matrix stays one, in ``sparse``; its ``values`` are written out when something asks for
    them, and refused where they would not fit.

    Parameters
    ----------
    X : array, data frame or SciPy sparse matrix
        One row for each object. Whole numbers and truth values become numbers; text is refused.
    are_distances : bool
        Whether columns are objects too: then choosing objects chooses columns.
    missing : {"raise", "drop", "median", "mean"}
        What to do about NaN: refuse, mark the objects in ``unlabelled`` to be left out, or take the median or
        the mean of the column. All else refuses.
    takes_words : bool
        Leave out columns of words and dates, and say so; otherwise they are refused.
    """

    note = ""
    noise_mask = None
    unlabelled: Array | None = None
    """Objects with a missing value, which are to be left out."""
    sparse: Any = None
    """The values as a CSR array, where they came sparse and are many; else None."""
    aside: Mapping[str, Array] = {}
    """Columns of words and dates, as texts: no features, but they profile clusters."""

    def __init__(
        self, X: Any, *, are_distances: bool = False, missing: str = "raise", takes_words: bool = True
    ) -> None:
        refuse_annotated(X)
        if is_of_dask(X):  # NumPy would bring all of it here
            raise all_at_once(f"X, a dask {type(X).__name__}")
        if isinstance(X, DataMatrix) and isinstance(vars(X).get("values"), Chunked):
            raise all_at_once(repr(X))
        self.are_distances = are_distances
        self.frame = frame_library(X)
        self.index: Any = None
        self.features: tuple[Any, ...] = ()
        if is_sparse(X) and not are_distances and _stays_sparse(X):
            self._set_sparse(X, missing)
            return
        if self.frame is not None:
            if takes_words and not are_distances:
                X, self.aside, told = without_words(X)
                self.note = "; ".join(told)
            beside = getattr(X, "attrs", {}).get(PROFILED)
            if beside is not None:
                self.aside = {**self.aside, **beside.columns}
            values, names, self.index = numeric_frame(X)
            self.features = tuple(names)
        else:
            values = _numbers(X)
        if values.ndim != 2 or 0 in values.shape:
            raise ParameterError(
                "X is no table of objects and features.",
                got=f"array of shape {values.shape}",
                need="shape (n, d): a row for each object, a column for each feature",
                fix=Phrase(
                    "X.reshape(-1, 1) for a single feature, ",
                    Setting("metric", "precomputed"),
                    " for the distances of all pairs, as pdist gives them",
                )
                if values.ndim == 1
                else None,
            )
        if values.dtype != np.float32:
            values = doubles_of(values) if values.dtype != np.float64 else values
        with np.errstate(over="ignore", invalid="ignore"):
            bad = not np.isfinite(values.sum(dtype=np.float64))
        if bad and not np.isfinite(values).all():
            values = self._completed(values, missing)
        if are_distances and values.shape[0] != values.shape[1]:
            raise ParameterError(
                "distances between objects are a square.",
                got=f"array of shape {values.shape}",
                need="shape (n, n)",
                fix='another metric than "precomputed" if these are features',
            )
        self.values = read_only(np.ascontiguousarray(values))
        if self.features and not are_distances:
            self._say(self._doubts())
            self._say(note_on_identifiers([str(name) for name in self.features], list(self.values.T)))

    def _say(self, text: str) -> None:
        self.note = "; ".join(one for one in (self.note, text) if one)

    def _set_sparse(self, X: Any, missing: str) -> None:
        values = sparse_numbers(X)
        gaps = ~np.isfinite(values.data)
        if gaps.any():
            rows, columns = values.tocoo().coords
            if missing in FILLS and not np.isinf(values.data).any():
                self.values = read_only(self._completed(written_out(values), missing))
                return
            counts = self._refuse_gaps(rows[gaps], columns[gaps], values.data[gaps], drops=missing == "drop")
            self.unlabelled = np.bincount(rows[gaps], minlength=values.shape[0]) > 0
            self.note = f"missing values: {counts}"
            values = values.copy()
            values.data[gaps] = 0.0
        self.sparse = values

    @cached_property
    def values(self) -> Array:
        """The numbers, dense."""
        return read_only(written_out(self.sparse))

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of objects and of features."""
        n, d = (self.values if self.sparse is None else self.sparse).shape
        return int(n), int(d)

    def _doubts(self) -> str:
        """Which columns of a frame look as if they measured nothing; they are features all the same."""
        names = [str(name) for name in self.features]
        roles = {name: role_of_numbers(name, self.values[:, j], names) for j, name in enumerate(names)}
        doubtful = [f"{name!r} ({role.reason})" for name, role in roles.items() if not role.is_feature]
        more = f", ... ({len(doubtful)} columns)" if len(doubtful) > 5 else ""
        return f"features that may be none: {', '.join(doubtful[:5])}{more}" if doubtful else ""

    def _completed(self, values: Array, missing: str) -> Array:
        """Values without a gap: a median or mean in each, or a zero in rows that are to be left out."""
        gaps = np.isnan(values)
        rows, columns = np.nonzero(~np.isfinite(values))
        can_fill = missing in FILLS and not self.are_distances and not gaps.all(axis=0).any()
        counts = self._refuse_gaps(
            rows,
            columns,
            values[rows, columns],
            drops=missing == "drop" or can_fill,
            is_blank=bool(gaps.all(axis=0).any()),
        )
        filled = values.copy()
        if missing in FILLS:
            some = np.unique(columns)
            filled[:, some] = np.where(
                gaps[:, some], FILLS[missing](values[:, some], axis=0), values[:, some]
            )
            self._say(f"missing values: {counts}, each now the {missing} of its column")
        else:
            self.unlabelled = np.asarray(gaps.any(axis=1))
            filled[gaps] = 0.0
            self._say(f"missing values: {counts}")
        return filled

    def _refuse_gaps(
        self, rows: Array, columns: Array, values: Array, *, drops: bool, is_blank: bool = False
    ) -> str:
        """How many values are missing in which columns; an error where that cannot be, or is not wanted."""
        places, counts = np.unique(columns, return_counts=True)
        names = [f"column {self.features[j]!r}" if self.features else f"column {j}" for j in places]
        listed = ", ".join(f"{count} in {name}" for count, name in zip(counts[:5], names, strict=False))
        listed += f", ... ({len(names)} columns)" if len(names) > 5 else ""
        is_infinite = bool(np.isinf(values).any())
        if is_infinite or not drops:
            raise ParameterError(
                "X has missing or infinite values.",
                got=f"{listed}; the first in row {int(rows[columns == places[0]].min())} of {names[0]}",
                need="finite numbers" + (", or one at least in each column" if is_blank else ""),
                fix="replace what is infinite"
                if is_infinite
                else Phrase(
                    Setting("missing", "drop"),
                    " leaves these objects out, ",
                    Setting("missing", "median"),
                    " or ",
                    Setting("missing", "mean"),
                    " fills in",
                ),
                parameter="missing",
            )
        return listed

    def complete(self) -> DataMatrix:
        """The objects that have all values."""
        if self.unlabelled is None:
            return self
        if self.unlabelled.all():
            raise ParameterError("no object has all values.", got=self.note, need="one complete row at least")
        made = self.take(~self.unlabelled)
        made.unlabelled = None
        made.note = f"{self.note}; {int(self.unlabelled.sum())} of {self.n_objects} objects are left out"
        return made

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return self.shape[0]

    def refusal(self, check: Callable[..., None], *, stays_sparse: bool = False) -> ParameterError | None:
        """What ``check`` of the values, or of sparse ones as they are, refuses, or None."""
        try:
            check(self.sparse if stays_sparse else self.values)
        except ParameterError as problem:
            return problem
        return None

    def take(self, rows: Any) -> DataMatrix:
        """The same features of some of the objects."""
        chosen = row_selection(rows, self.n_objects)
        made = DataMatrix.__new__(DataMatrix)
        made.frame, made.features = self.frame, self.features
        made.aside = {name: texts[chosen] for name, texts in self.aside.items()}
        made.index = None if self.index is None else self.index[chosen]
        made.are_distances, made.note = self.are_distances, self.note
        made.unlabelled = None if self.unlabelled is None else self.unlabelled[chosen]
        if self.sparse is not None:
            made.sparse = self.sparse[chosen]
            return made
        kept = self.values[chosen]
        made.values = read_only(np.ascontiguousarray(kept[:, chosen] if self.are_distances else kept))
        return made

    @cached_property
    def exponent(self) -> int:
        """The power of two that is the unit of ``scaled``; 0 for ordinary numbers."""
        return binary_exponent(self.values if self.sparse is None else self.sparse.data[:, None])

    @cached_property
    def scaled(self) -> Array:
        """The values in units of ``2 ** exponent``, whose squares neither overflow nor vanish."""
        return read_only(np.ldexp(self.values, -self.exponent)) if self.exponent else self.values

    @cached_property
    def scaled_sparse(self) -> Any:
        """The same of sparse values."""
        made = self.sparse.copy() if self.exponent else self.sparse
        if self.exponent:
            made.data = np.ldexp(made.data, -self.exponent)
        return made

    def with_other_values(self, values: Array) -> DataMatrix:
        """The same objects with other values."""
        made = self.take(np.arange(self.n_objects))
        made.sparse, made.values = None, read_only(np.ascontiguousarray(values))
        return made

    def __repr__(self) -> str:
        n, d = self.shape
        return f"X(n={n}, d={d})"


def complete_data(X: Any, missing: str) -> DataMatrix:
    """Data without a gap, by a policy: refused, left out, or filled in."""
    if not isinstance(missing, str) or missing not in DATA_POLICIES:
        raise ParameterError(
            "no such policy for missing values.",
            got=repr(missing),
            need=", ".join(f'"{policy}"' for policy in DATA_POLICIES),
            parameter="missing",
        )
    return DataMatrix(X, missing=missing).complete()


def _stays_sparse(X: Any) -> bool:
    """Whether X is large, and few of its cells are filled; else it is as well written out."""
    cells = math.prod(X.shape)
    return len(X.shape) == 2 and cells > WRITTEN_OUT_CELLS and X.nnz < FILLED_SHARE * cells


def sparse_numbers(X: Any) -> Any:
    """A CSR array of doubles in canonical form: sorted, each cell once, no zero stored."""
    if X.dtype.kind not in "fiub":
        raise ParameterError(
            "X holds no numbers.",
            got=f"{type(X).__name__}, dtype {X.dtype}",
            need="an (n, d) array of numbers",
        )
    matrix = to_csr(X)
    return matrix if matrix.dtype == np.float64 else matrix.astype(np.float64)


def written_out(X: Any) -> Array:
    """A sparse matrix as an array, refused where that would not fit."""
    if math.prod(X.shape) > MOST_DENSE_CELLS:
        raise TooLargeError(
            "X is sparse, and too large to be written out, as this needs it.",
            got=f"a sparse matrix of shape {X.shape}",
            need=f"at most {MOST_DENSE_CELLS:,} cells, where all values are needed",
            fix="TruncatedSVD first, or indices that take X as it is: scatter, davies_bouldin, silhouette",
        )
    return np.asarray(inside_its_shape(X).toarray())


def _numbers(X: Any) -> Array:
    if is_sparse(X):
        X = written_out(X)
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        X = np.ma.filled(np.ma.asarray(X).astype(np.float64), np.nan)  # a masked cell is a missing one
    try:
        values = array_of(X)
        if values.dtype.kind in "biuO":
            values = doubles_of(values)
    except (TypeError, ValueError):
        values = np.empty(0, dtype=object)
    if values.dtype.kind != "f":
        raise ParameterError(
            "X holds no numbers.",
            got=f"{type(X).__name__}, dtype {values.dtype}" if values.size else f"{type(X).__name__}",
            need="an (n, d) array of numbers",
            fix="encode text columns as numbers; of an object that holds a table, pass the table (adata.X)",
        )
    return values
