"""Series and data frames of pandas, polars and pyarrow: taken apart, none of them imported to find out."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from partita.arrays.matrices import Array, objects
from partita.errors import ParameterError, PartitaError, PartitionError, Phrase, Setting

FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")


def frame_library(obj: Any) -> str | None:
    """The library of a series, index or data frame, or None; nothing is imported to find out."""
    ancestors = {ancestor.__module__.split(".")[0] for ancestor in type(obj).__mro__}
    library = next((name for name in FRAME_LIBRARIES if name in ancestors and name in sys.modules), None)
    return library if library is not None and _native_frame(obj, library) is not None else None


def _native_frame(obj: Any, library: str) -> Any:
    """The object as a series or frame that narwhals reads, or None when it is neither."""
    module: Any = sys.modules[library]
    if library == "polars":
        return obj if isinstance(obj, (module.Series, module.DataFrame, module.LazyFrame)) else None
    if library == "pyarrow":
        if isinstance(obj, module.Array):
            return module.chunked_array([obj])
        if isinstance(obj, module.RecordBatch):
            return module.Table.from_batches([obj])
        return obj if isinstance(obj, (module.Table, module.ChunkedArray)) else None
    if isinstance(obj, module.Index):
        return module.Series(obj.to_flat_index())
    if isinstance(obj, module.api.extensions.ExtensionArray):
        return module.Series(obj)
    return obj if isinstance(obj, (module.Series, module.DataFrame)) else None


class Column:
    """A one-dimensional labelled column taken out of a series: values, categories and object index."""

    def __init__(self, values: Array, categories: list[Any] | None, index: Any) -> None:
        self.values = values
        self.categories = categories
        self.index = index


class Matrix:
    """A two-dimensional block taken out of a data frame: values, column names and object index."""

    def __init__(self, values: Array, names: list[Any], index: Any) -> None:
        self.values = values
        self.names = names
        self.index = index


def from_frame(obj: Any, *, keeps_missing: bool = False) -> Column | Matrix:
    """Take a pandas, polars or pyarrow series or frame apart.

    A frame with one column is that column. Categories keep their order, and the unused ones. Missing labels
    are refused, unless they are to be kept as None.
    """
    import narwhals as nw

    values = _uniform(obj)
    if values is not None and not np.isnan(values).any():
        return Matrix(values, list(obj.columns), obj.index)
    native = _opened(obj, PartitionError)
    index = obj.index if hasattr(obj, "index") and hasattr(obj, "iloc") else None
    if isinstance(native, nw.Series):
        return _column(native, index, keeps_missing)
    columns = [native.get_column(name) for name in native.columns]
    if len(columns) == 1:
        return _column(columns[0], index, keeps_missing)
    bad = [c.name for c in columns if not _is_numeric(c)]
    if bad:
        raise PartitionError(
            "a frame with several columns is read as a matrix of memberships, and these are not numbers.",
            got=f"columns {', '.join(map(repr, bad[:5]))}",
            need="one column of labels, or numeric columns only",
            fix="frame[column] for labels, or drop the columns that are no clusters (an id, a name)",
        )
    missing = [c.name for c in columns if c.null_count()]
    if missing:
        raise PartitionError(
            "memberships are missing.",
            got=f"nulls in columns {', '.join(map(repr, missing[:5]))}",
            need="a number in every cell",
        )
    wide = [c.name for c in columns if _is_wide(c)]
    narrow = native.with_columns(nw.col(*wide).cast(nw.Float64)) if wide else native
    cells = narrow.to_numpy() if columns else np.zeros((len(native), 0))
    return Matrix(cells, list(native.columns), index)


def label_columns(obj: Any) -> dict[Any, Any] | None:
    """The columns of a frame that can be no memberships, each a series of labels; None for all else.

    Words and categories are labels, and so are whole numbers that are not all 0 and 1.
    """
    uniform = _uniform(obj)
    if frame_library(obj) is None or (uniform is not None and uniform.dtype.kind in "bf"):
        return None
    import narwhals as nw

    native = _opened(obj, PartitionError)
    if isinstance(native, nw.Series) or len(native.columns) < 2 or not len(native):
        return None
    columns = {name: native.get_column(name) for name in native.columns}
    if all(_is_numeric(column) for column in columns.values()):
        is_whole = all(column.dtype.is_integer() for column in columns.values())
        if not is_whole or all(column.is_in([0, 1]).all() for column in columns.values()):
            return None
    return frame_columns(obj)


def frame_columns(obj: Any) -> dict[Any, Any]:
    """The columns of a frame by name; a series is its own only column."""
    import narwhals as nw

    native = _opened(obj, PartitionError)
    if isinstance(native, nw.Series):
        return {native.name: obj}
    if hasattr(obj, "iloc"):
        return {name: obj[name] for name in obj.columns}
    return {name: native.get_column(name).to_native() for name in native.columns}


def collected(obj: Any) -> Any:
    """A lazy frame, computed; anything else as it is."""
    is_lazy = hasattr(obj, "collect_schema") and hasattr(obj, "collect")
    return _opened(obj, PartitionError).to_native() if is_lazy else obj


def _uniform(obj: Any) -> Array | None:
    """The values of a pandas frame with one NumPy type of numbers in all of its columns, of at least two.

    Column by column, as all other frames are read, takes a minute where there are tens of thousands.
    """
    if frame_library(obj) != "pandas" or obj.ndim != 2 or obj.shape[1] < 2 or not obj.columns.is_unique:
        return None
    types = set(obj.dtypes)
    is_plain = len(types) == 1 and all(isinstance(t, np.dtype) and t.kind in "biuf" for t in types)
    return obj.to_numpy() if is_plain else None


def refuse_equal_names(obj: Any, error: type[PartitaError] = ParameterError) -> None:
    """Refuse a data frame with two columns of one name; anything else is let through."""
    if frame_library(obj) is None or getattr(obj, "ndim", 2) != 2:
        return
    names = list(getattr(obj, "column_names", getattr(obj, "columns", ())))
    if len(set(names)) < len(names):
        raise error(
            "two columns of the frame have the same name.",
            got=f"columns {names[:8]}",
            need="one name for each column",
            fix="rename one of them",
        )


def _opened(obj: Any, error: type[PartitaError]) -> Any:
    """A series or frame as narwhals reads it, computed where it was lazy."""
    import narwhals as nw

    try:
        native: Any = nw.from_native(_native_frame(obj, frame_library(obj) or ""), allow_series=True)
    except nw.exceptions.DuplicateError:
        refuse_equal_names(obj, error)
        raise
    if not isinstance(native, nw.LazyFrame):
        return native
    try:
        return native.collect()
    except Exception as problem:  # noqa: BLE001 (whatever its plan meets)
        raise error(
            "this lazy frame cannot be computed.",
            got=str(problem).partition("\n")[0],
            need="a frame of values",
        ) from None


def numeric_frame(obj: Any) -> tuple[Array, list[Any], Any]:
    """The columns of a series or frame as an ``(n, d)`` array, their names, and the object index."""
    import narwhals as nw

    uniform = _uniform(obj)
    if uniform is not None:
        single = uniform.dtype == np.float32
        return uniform if single else uniform.astype(np.float64), list(obj.columns), obj.index
    native = _opened(obj, ParameterError)
    if isinstance(native, nw.Series):
        native = native.to_frame()
    columns = [native.get_column(name) for name in native.columns]
    bad = [c.name for c in columns if not _is_numeric(c)]
    if bad:
        raise ParameterError(
            "some columns of X are not numbers.",
            got=f"columns {', '.join(map(repr, bad[:5]))}",
            need="numeric columns only",
            fix="encode them, or leave them out (an id, a label, a name)",
        )
    index = obj.index if hasattr(obj, "index") and hasattr(obj, "iloc") else None
    narrow = [c.cast(nw.Float64) if _is_wide(c) else c for c in columns]
    values = [np.asarray(c.to_numpy(), dtype=np.float64) for c in narrow]  # a null becomes nan
    is_single = all(c.dtype == nw.Float32 for c in columns)
    made = np.stack(values, axis=1) if values else np.zeros((len(native), 0))
    return made.astype(np.float32) if is_single else made, list(native.columns), index


def opened_frame(obj: Any) -> Any:
    """A series or data frame as narwhals reads it."""
    return _opened(obj, ParameterError)


def is_number_column(column: Any) -> bool:
    """Whether a column that narwhals reads holds numbers or truth values; or what nobody can tell."""
    import narwhals as nw

    return _is_numeric(column) or column.dtype == nw.Unknown


def _is_numeric(column: Any) -> bool:
    import narwhals as nw

    if column.dtype == nw.Unknown:  # pandas' sparse columns are not known to narwhals
        return column.to_numpy().dtype.kind in "biuf"
    return bool(column.dtype.is_numeric() or column.dtype == nw.Boolean)


def _is_wide(column: Any) -> bool:
    """Whether NumPy has no numbers of this type."""
    import narwhals as nw

    return isinstance(column.dtype, (nw.Int128, nw.UInt128, nw.Decimal))


def _column(series: Any, index: Any, keeps_missing: bool) -> Column:
    import narwhals as nw

    missing = int(series.null_count())
    if missing:
        if not keeps_missing:
            raise missing_labels(missing, len(series))
        is_category = isinstance(series.dtype, (nw.Categorical, nw.Enum))
        return Column(objects(series.to_list()), _categories(series) if is_category else None, index)
    if len(series) and isinstance(series.dtype, (nw.Categorical, nw.Enum)):
        return Column(objects(series.to_list()), _categories(series), index)
    if isinstance(series.dtype, (nw.Datetime, nw.Struct, nw.List, nw.Array)) or _is_wide(series):
        return Column(objects(series.to_list()), None, index)
    return Column(np.asarray(series.to_numpy()), None, index)


def _categories(series: Any) -> list[Any] | None:
    """All categories in their order, or None where the library only knows those in use."""
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "categories"):
        return list(native.cat.categories)
    if hasattr(native, "unify_dictionaries"):
        return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist())
    categories = getattr(series.dtype, "categories", None)
    return None if categories is None else list(categories)


def missing_labels(missing: int, n: int) -> PartitionError:
    """The error for labels with None or NaN among them."""
    return PartitionError(
        "labels are missing.",
        got=f"{missing} of {n} labels are None or NaN",
        need="a label for every object",
        fix=Phrase(
            Setting("missing", "drop", 'as_partition(labels, missing="drop")'),
            " leaves these objects out, ",
            Setting("missing", "noise"),
            " makes them noise",
        ),
        parameter="missing",
    )
