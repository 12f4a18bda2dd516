"""The data a clustering was made from: one row for each object, one column for each feature."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array, binary_exponent, frame_library, is_sparse, numeric_frame, read_only
from partita.arrays.containers import array_of, doubles_of
from partita.errors import ParameterError
from partita.partitions.partition import row_selection


class DataMatrix:
    """Numbers ``(n, d)``, checked once: finite, in single or double precision.

    Parameters
    ----------
    X : array or data frame
        One row for each object. Whole numbers and truth values become numbers; text is refused.
    are_distances : bool
        Whether columns are objects too: then choosing objects chooses columns.
    """

    note = ""
    noise_mask = None

    def __init__(self, X: Any, *, are_distances: bool = False) -> None:
        self.are_distances = are_distances
        self.frame = frame_library(X)
        self.index: Any = None
        self.features: tuple[Any, ...] = ()
        if self.frame is not None:
            values, names, self.index = numeric_frame(X)
            self.features = tuple(names)
        else:
            values = _numbers(X)
        if values.ndim != 2 or 0 in values.shape:
            raise ParameterError(
                "X is no table of objects and features.",
                got=f"array of shape {values.shape}",
                need="shape (n, d): a row for each object, a column for each feature",
                fix="X.reshape(-1, 1) for a single feature" if values.ndim == 1 else None,
            )
        if values.dtype != np.float32:
            values = doubles_of(values) if values.dtype != np.float64 else values
        with np.errstate(over="ignore", invalid="ignore"):
            bad = not np.isfinite(values.sum(dtype=np.float64))
        if bad and not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ParameterError(
                "X has missing or infinite values.",
                got=f"{int((~np.isfinite(values)).sum())} of them, the first in row {row}, column {column}",
                need="finite numbers",
                fix="impute them, or drop these objects from X and from the clustering",
            )
        if are_distances and values.shape[0] != values.shape[1]:
            raise ParameterError(
                "distances between objects are a square.",
                got=f"array of shape {values.shape}",
                need="shape (n, n)",
                fix='another metric than "precomputed" if these are features',
            )
        self.values = read_only(np.ascontiguousarray(values))

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return int(self.values.shape[0])

    def take(self, rows: Any) -> DataMatrix:
        """The same features of some of the objects."""
        chosen = row_selection(rows, self.n_objects)
        made = DataMatrix.__new__(DataMatrix)
        made.frame, made.features = self.frame, self.features
        made.index = None if self.index is None else self.index[chosen]
        made.are_distances = self.are_distances
        kept = self.values[chosen]
        made.values = read_only(np.ascontiguousarray(kept[:, chosen] if self.are_distances else kept))
        return made

    @cached_property
    def exponent(self) -> int:
        """The power of two that is the unit of ``scaled``; 0 for ordinary numbers."""
        return binary_exponent(self.values)

    @cached_property
    def scaled(self) -> Array:
        """The values in units of ``2 ** exponent``, whose squares neither overflow nor vanish."""
        return read_only(np.ldexp(self.values, -self.exponent)) if self.exponent else self.values

    def __repr__(self) -> str:
        n, d = self.values.shape
        return f"X(n={n}, d={d})"


def _numbers(X: Any) -> Array:
    if is_sparse(X):
        raise ParameterError(
            "X is sparse, and these indices need all values.",
            got=f"a sparse matrix of shape {X.shape}",
            need="a dense array",
            fix="X.toarray(), or TruncatedSVD first if it does not fit",
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ParameterError("X has masked values.", got="a masked array", need="finite numbers")
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
