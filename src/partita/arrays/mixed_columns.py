"""The columns of a table of several sorts: numbers, ordered and unordered categories, truth values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from partita.arrays.containers import array_of, doubles_of
from partita.arrays.frames import _is_numeric, _is_wide, _opened, frame_library
from partita.arrays.matrices import Floats
from partita.errors import ParameterError

__all__ = ["MixedColumn", "mixed_columns"]

Sort = Literal["interval", "nominal", "asymmetric"]


@dataclass(frozen=True, eq=False)
class MixedColumn:
    """One column: numbers, codes of categories, or 0 and 1 for truth values; nan where a value is missing."""

    name: Any
    sort: Sort
    values: Floats


def mixed_columns(X: Any) -> list[MixedColumn]:
    """The columns of a frame, or of an array; numbers and ordered categories are intervals.

    Dates, and cells that are lists, are refused.
    """
    if frame_library(X) is None:
        X = _frame_of(X)
    import narwhals as nw

    native = _opened(X, ParameterError)
    native = native.to_frame() if isinstance(native, nw.Series) else native
    columns = [_column(name, native.get_column(name)) for name in native.columns]
    if not columns or not len(native):
        raise ParameterError(
            "X must be a table of objects and columns.",
            got=f"shape ({len(native)}, {len(columns)})",
            need="one row and one column at least",
        )
    infinite = next((c.name for c in columns if np.isinf(c.values).any()), None)
    if infinite is not None:
        raise ParameterError(
            "X has infinite values.", got=f"column {infinite!r}", need="finite numbers, or missing ones"
        )
    return columns


def _frame_of(X: Any) -> Any:
    import pandas as pd

    try:
        values = array_of(X)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 2:
        raise ParameterError(
            "X must be a table of objects and columns.",
            got=f"{type(X).__name__} of shape {values.shape}",
            need="a data frame, or an array of shape (n, d)",
        )
    return pd.DataFrame(values).infer_objects()


def _column(name: Any, column: Any) -> MixedColumn:
    import narwhals as nw

    native = column.to_native()
    if isinstance(column.dtype, (nw.Datetime, nw.Date, nw.Duration, nw.Time, nw.Struct, nw.List, nw.Array)):
        raise ParameterError(
            "a column holds neither numbers nor categories.",
            got=f"column {name!r} of {column.dtype}",
            need="numbers, categories or truth values",
            fix="turn dates into numbers, such as days, or leave the column out",
        )
    if column.dtype != nw.Boolean and _is_numeric(column):
        numbers = column.cast(nw.Float64) if _is_wide(column) else column
        return MixedColumn(name, "interval", np.array(numbers.to_numpy(), dtype=np.float64))
    if getattr(getattr(native, "cat", None), "ordered", False):
        codes = np.array(native.cat.codes, dtype=np.float64)
        return MixedColumn(name, "interval", np.where(codes < 0, np.nan, codes))
    cells = column.to_list()
    missing = np.array(column.is_null().to_numpy(), dtype=bool)
    missing |= np.array([isinstance(cell, float) and np.isnan(cell) for cell in cells], dtype=bool)
    known = [cell for cell, lacks in zip(cells, missing, strict=True) if not lacks]
    if known and all(isinstance(cell, (bool, np.bool_)) for cell in known):
        return MixedColumn(name, "asymmetric", _filled(missing, [float(cell) for cell in known]))
    try:
        codes_of = {cell: float(code) for code, cell in enumerate(dict.fromkeys(known))}
    except TypeError:
        raise ParameterError(
            "a column holds neither numbers nor categories.",
            got=f"column {name!r} with {type(known[0]).__name__}",
            need="numbers, categories or truth values",
        ) from None
    if known and all(isinstance(cell, (int, float, np.number)) for cell in known):
        return MixedColumn(name, "interval", _filled(missing, doubles_of(np.array(known, dtype=object))))
    return MixedColumn(name, "nominal", _filled(missing, [codes_of[cell] for cell in known]))


def _filled(missing: Any, known: Any) -> Floats:
    """The known values where none is missing, else nan."""
    values = np.full(missing.shape, np.nan)
    values[~missing] = known
    return values
