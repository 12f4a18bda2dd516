"""Tables in files: named columns that are read as numbers or as texts, whatever the file is."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array
from partita.errors import FileError, PartitaError, near_names
from partita.files.sources import WITHOUT_HEADER, ending, file_kind, named, tell_name
from partita.files.spreadsheets import missing_package, sheet_as_text
from partita.files.text import WELL_FORMED, Layout, Writing, layout_of, read_layout
from partita.partitions.amounts import Way
from partita.partitions.roles import WITHOUT_NAME

MISSING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "NULL", "null", "None"]
"""Texts that stand for a value that is not there."""


class Cells(NamedTuple):
    """Labels as they stand in a file: whole numbers, or positions in distinct texts where there are some.

    The empty text stands for a value that is not there, and some texts may have no object.
    """

    values: Array
    texts: list[str] | None = None

    def of(self, rows: Any) -> Cells:
        """Those of some objects."""
        return Cells(self.values[rows], self.texts)


class Table(ABC):
    """Named columns in a file; what is wrong with them is told with the name of the file.

    Attributes
    ----------
    names : list of str
        The names of the columns.
    notes : tuple of str
        What a reader must know about how the file was read.
    are_rounded_memberships : bool
        Whether the file holds memberships by its kind, which are printed with a few digits.
    """

    names: list[str]
    notes: tuple[str, ...] = ()
    header: bool | None = None
    are_rounded_memberships = False
    amounts: Mapping[str, Way] = {}
    """Columns of a file in parts whose numbers have signs, or marks between thousands."""

    def __init__(self, path: str | Path) -> None:
        self.path = path

    @abstractmethod
    def read(self, numbers: Sequence[str], texts: Sequence[str] = (), rows: int | None = None) -> Any:
        """A pandas frame of these columns: numbers where they are numbers, and plain texts.

        With ``rows``, of so many first objects.
        """

    def cells(self, name: str) -> Cells:
        """The labels in a column."""
        import pandas as pd

        codes, texts = pd.factorize(self.read([], [name])[name])
        return Cells(codes, list(texts))

    def number_columns(self, names: Sequence[str]) -> Iterator[Any]:
        """These columns as `read` gives numbers, one after the other: not all need be in memory at once."""
        frame = self.read(names)
        return (frame[name] for name in names)

    def amounts_and_numbers(self, names: Sequence[str]) -> Iterator[Any]:
        """These columns, one after the other, with the numbers of those in ``amounts``."""
        import pandas as pd

        plain = self.number_columns([name for name in names if name not in self.amounts])
        for name in names:
            if name in self.amounts:
                values = self.amounts[name].numbers(self.read([], [name])[name], MISSING)
                yield pd.Series(values, name=name)
            else:
                yield next(plain)

    @contextmanager
    def errors_named(self) -> Iterator[None]:
        """Whatever is wrong with the content is told with the name of the file."""
        try:
            yield
        except PartitaError as problem:
            tell_name(problem, self.path)
            raise

    def place(self, position: int) -> str:
        """Where an object stands in the file, as a person counts."""
        return f"row {position + 1}"

    @property
    def row_names(self) -> str | None:
        """The first column where it has no name, as pandas writes an index."""
        return self.names[0] if self.names[0] in WITHOUT_NAME and len(self.names) > 1 else None

    def check(self, wanted: Sequence[str], known: Sequence[str] | None = None, noun: str = "column") -> None:
        """Refuse names that no column has."""
        there = set(self.names if known is None else known)
        for name in wanted:
            if name not in there:
                raise near_names(name, self.names if known is None else known, noun=noun)


def open_table(path: str | Path, writing: Writing) -> Table | None:
    """The table in a file; None for the arrays of NumPy, which have no named columns."""
    with named(path) as file:
        kind = file_kind(file)
        if kind == "numpy":
            return None
        if kind == "parquet":
            from partita.files.parquet import ParquetParts

            return ArrowTable(path, ParquetParts(file).table())
        if kind == "feather":
            return ArrowTable(path, feather_columns(file))
        if kind == "excel":
            text, notes = sheet_as_text(file)
            return TextTable(path, layout_of(text, ",", writing, notes), writing.header)
        table = TextTable(path, read_layout(file, writing), writing.header)
        table.are_rounded_memberships = ending(file) in WITHOUT_HEADER
        return table


class TextTable(Table):
    """The table in a text."""

    def __init__(
        self, path: str | Path, layout: Layout, header: bool | None, names: list[str] | None = None
    ) -> None:
        super().__init__(path)
        self.layout, self.header = layout, header
        self.names, self.notes = layout.names, layout.notes
        if names is None:
            self._leave_out_empty_columns()
        else:
            self.names = names

    def _leave_out_empty_columns(self) -> None:
        """Without those that a separator at the end of each line makes."""
        layout = self.layout
        unnamed = [name for i, name in enumerate(layout.names) if name == f"column {i + 1}"]
        texts = self.read([], unnamed) if unnamed else None
        empty = [name for name in unnamed if texts is not None and not any(stripped(texts[name]))]
        if empty and len(empty) < len(self.names):
            self.names = [name for name in self.names if name not in empty]
            self.notes += (f"without a name and empty, left out: {', '.join(empty)}",)

    def place(self, position: int) -> str:
        """The line of an object, if no text before it goes over several."""
        return f"line {self.layout.first_line + position}"

    def read(self, numbers: Sequence[str], texts: Sequence[str] = (), rows: int | None = None) -> Any:
        """A pandas frame of these columns; in those read as text, nothing counts as missing."""
        import pandas as pd

        wanted = list(dict.fromkeys([*numbers, *texts]))
        try:
            frame = pd.read_csv(
                io.StringIO(self.layout.text, newline=""),
                sep=self.layout.separator,
                decimal=self.layout.decimal,
                names=self.layout.names,
                usecols=None if len(wanted) == len(self.layout.names) else wanted,
                header=0 if self.layout.has_header else None,
                index_col=False,
                skipinitialspace=True,
                skip_blank_lines=False,
                keep_default_na=False,
                na_values=dict.fromkeys(set(numbers) - set(texts), MISSING) if texts else MISSING,
                dtype=dict.fromkeys(texts, object),
                low_memory=False,
                **all_digits(),
                nrows=rows,
            )
        except (ValueError, OverflowError) as problem:
            raise FileError("this file is malformed.", got=str(problem).strip(), need=WELL_FORMED) from None
        return in_order(frame, wanted)


class ArrowTable(Table):
    """The table in a .parquet or .feather file, whose columns have types, and names beside the objects."""

    header = True

    def __init__(self, path: str | Path, columns: Any) -> None:
        super().__init__(path)
        names = [str(name) for name in columns.column_names]
        order = columns_in_order(names if columns.num_rows else [])
        self._columns = columns.select(order)
        self.names = [names[i] for i in order]

    def column(self, name: str) -> Any:
        """A column as pyarrow has it."""
        return self._columns.column(self.names.index(name))

    def read(self, numbers: Sequence[str], texts: Sequence[str] = (), rows: int | None = None) -> Any:
        """A pandas frame of these columns; whole numbers are spelled as such in texts."""
        import pandas as pd

        wanted = dict.fromkeys([*numbers, *texts])
        return pd.DataFrame({name: self._values(name, name in texts, rows) for name in wanted})

    def number_columns(self, names: Sequence[str]) -> Iterator[Any]:
        """These columns, one after the other."""
        import pandas as pd

        return (pd.Series(self._values(name, False, None), name=name, copy=False) for name in names)

    def _values(self, name: str, is_text: bool, rows: int | None) -> Any:
        import pandas as pd
        import pyarrow as pa

        column = _without_decimals(self.column(name).slice(0, rows))
        kind = column.type
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        if is_number and not is_text:
            return column.to_numpy() if column.null_count == 0 else _with_gaps(column)
        spelled = pd.Series([_spelled(value) for value in column.to_pylist()], dtype=object)
        return spelled if is_text else spelled.where(~spelled.isin(MISSING))

    def cells(self, name: str) -> Cells:
        """The labels in a column: only its different values are spelled."""
        import pyarrow as pa

        column = _without_decimals(self.column(name))
        if pa.types.is_integer(column.type) and not column.null_count:
            values = column.to_numpy()
            if values.dtype != np.uint64 or not values.size or values.max() < 2**63:
                return Cells(values.astype(np.int64) if values.dtype == np.uint64 else values)
        if pa.types.is_nested(column.type):
            return super().cells(name)
        if pa.types.is_dictionary(column.type):
            encoded = column.unify_dictionaries()
        else:
            encoded = column.dictionary_encode()
        whole = encoded.combine_chunks()
        whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
        texts = [_spelled(value) for value in whole.dictionary.to_pylist()]
        codes = whole.indices.fill_null(len(texts)) if whole.indices.null_count else whole.indices
        return Cells(codes.to_numpy(), [*texts, ""])


def feather_columns(file: Path) -> Any:
    """What a .feather file holds."""
    try:
        from pyarrow import feather
    except ImportError:
        raise missing_package("pyarrow", "parquet") from None
    with arrow_errors("feather"), file.open("rb") as stream:
        columns = feather.read_table(stream)
        columns.validate(full=True)
    return columns


@contextmanager
def arrow_errors(kind: str, where: str = "") -> Iterator[None]:
    """Whatever pyarrow meets in a damaged file is told as that."""
    try:
        yield
    except (PartitaError, MemoryError):
        raise
    except Exception as problem:  # noqa: BLE001
        raise FileError(
            f"this is no {kind} file that can be read.",
            got=f"{where}{str(problem).partition(chr(10))[0]}",
            need=f"a whole {kind} file",
        ) from None


def columns_in_order(names: Sequence[str]) -> list[int]:
    """The places of columns, which have different names: pandas saves its index last."""
    if not names:
        raise FileError("this file holds no objects.", need="columns, and one row for each object")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError("two columns have the same name.", got=repr(twice[0]), need="different names")
    index = names.index(WITHOUT_NAME[-1]) if WITHOUT_NAME[-1] in names else 0
    return [index, *(i for i, _ in enumerate(names) if i != index)]


def all_digits() -> dict[str, Any]:
    """What makes pandas read every digit of a number; from 3.1 on it does so anyway."""
    import pandas as pd

    version = tuple(int(part) for part in pd.__version__.split(".")[:2])
    return {} if version >= (3, 1) else {"float_precision": "round_trip"}


def stripped(column: Any) -> Any:
    """A column of texts without blanks around them; much quicker than pandas does it."""
    import pandas as pd

    return pd.Series([text.strip() for text in column], dtype=object, name=column.name)


def in_order(frame: Any, names: Sequence[str]) -> Any:
    """These columns of a frame; as it is where it has no others, because to pick very many takes long."""
    return frame if list(frame.columns) == list(names) else frame[list(names)]


def _without_decimals(column: Any) -> Any:
    """Decimal numbers as those that can be computed with."""
    import pyarrow as pa

    return column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column


def _with_gaps(column: Any) -> Any:
    """Numbers and truth values with nan where there is none."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return column.cast(pa.float64(), safe=False).to_numpy()


def _spelled(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)
