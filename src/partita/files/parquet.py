"""Parquet: one file, or a folder of parts with the same columns, read at once or by row groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from partita.errors import FileError
from partita.files.sources import Unchanged, files_of_folder
from partita.files.spreadsheets import missing_package
from partita.files.tables import ArrowTable, arrow_errors, columns_in_order

PART_ROWS = 1 << 19
"""Rows from which on a part is read by itself; row groups of fewer are read together."""

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""How a folder is called whose objects have no value."""


class RowGroups(NamedTuple):
    """Some row groups of a file that follow one another."""

    file: int
    groups: tuple[int, ...]
    n_rows: int


class ParquetParts:
    """The files of a table, their columns and their row groups.

    Attributes
    ----------
    files : list of Path
        Those of a folder in the order of their names, in which 2 comes before 10.
    names : list of str
        Of the columns.
    others : list of str
        Files of the folder that are none of its parts.
    """

    def __init__(self, place: Path) -> None:
        try:
            from pyarrow import parquet
        except ImportError:
            raise missing_package("pyarrow", "parquet") from None
        self._parquet = parquet
        self.place = place
        self.files, self.others = files_of_folder(place) if place.is_dir() else ([place], [])
        self._unchanged = [Unchanged(file) for file in self.files]
        self._footers = [self._footer(i) for i, _ in enumerate(self.files)]
        self._keys = [_keys_of(file.relative_to(place).parts) if file != place else {} for file in self.files]
        self._refuse_other_columns()
        schema = self._footers[0].schema.to_arrow_schema()
        self.types = {str(field.name): field.type for field in schema}
        names = [str(name) for name in schema.names]
        self.names = [names[i] for i in columns_in_order(names)] + [
            key for key in self._keys[0] if key not in names
        ]

    def _told(self, file: int) -> str:
        """The name of a part, where there are several."""
        return f"{self.files[file].relative_to(self.place)}: " if self.files[file] != self.place else ""

    def _footer(self, file: int) -> Any:
        with arrow_errors("parquet", self._told(file)), self.files[file].open("rb") as stream:
            footer = self._parquet.read_metadata(stream)
            footer.schema.to_arrow_schema()
            return footer

    def _refuse_other_columns(self) -> None:
        """Refuse parts whose columns are others, or hold something else."""
        first = _kinds_of(self._footers[0])
        for i, footer in enumerate(self._footers[1:], start=1):
            kinds = _kinds_of(footer)
            wrong = next((name for name in {**first, **kinds} if first.get(name) != kinds.get(name)), None)
            if wrong is None and self._keys[i].keys() == self._keys[0].keys():
                continue
            got = "folders of other names" if wrong is None else f"column {wrong!r}: "
            if wrong is not None:
                got += " and ".join(
                    f"{kinds_of_one.get(wrong, 'none')} in {self.files[j].name}"
                    for kinds_of_one, j in ((first, 0), (kinds, i))
                )
            raise FileError(
                "the files of this folder have different columns.",
                got=got,
                need="the same columns of the same types in all files",
                fix="write them anew with one schema, or give one file alone",
            )

    @property
    def n_rows(self) -> int:
        """The number of objects."""
        return sum(footer.num_rows for footer in self._footers)

    @property
    def bytes_in_memory(self) -> int:
        """About how many bytes all columns take when they are unpacked."""
        return 8 * self.n_rows * len(self.names)

    @cached_property
    def parts(self) -> list[RowGroups]:
        """The row groups that are read together."""
        parts: list[RowGroups] = []
        for i, footer in enumerate(self._footers):
            groups: list[int] = []
            rows = 0
            for group in range(footer.num_row_groups):
                count = footer.row_group(group).num_rows
                if groups and rows + count > PART_ROWS:
                    parts.append(RowGroups(i, tuple(groups), rows))
                    groups, rows = [], 0
                if count:
                    groups, rows = [*groups, group], rows + count
            if groups:
                parts.append(RowGroups(i, tuple(groups), rows))
        return parts

    def table(self) -> Any:
        """All of it."""
        import pyarrow as pa

        if self.files == [self.place]:
            with arrow_errors("parquet"), self.place.open("rb") as stream:
                whole = self._parquet.read_table(stream)
                whole.validate(full=True)
            return whole
        made = []
        for i, _ in enumerate(self.files):
            with arrow_errors("parquet", self._told(i)), self.files[i].open("rb") as stream:
                part = self._parquet.read_table(stream)
                part.validate(full=True)
            for key in self._keys[i]:
                place = part.schema.get_field_index(key)
                part = part if place < 0 else part.remove_column(place)  # the folder says it too
                part = part.append_column(key, self._key_column(key, i, part.num_rows))
            made.append(part)
        with arrow_errors("parquet"):
            return pa.concat_tables(_of_one_writing(made), promote_options="permissive")

    def column(self, part: RowGroups, name: str) -> Any:
        """One column of one part."""
        import pyarrow as pa

        if name in self._keys[part.file]:
            return self._key_column(name, part.file, part.n_rows)
        told = f"{self._told(part.file)}row group {part.groups[0]}, column {name!r}: "
        with arrow_errors("parquet", told), self.files[part.file].open("rb") as stream:
            is_text = pa.types.is_string(self.types[name]) or pa.types.is_large_string(self.types[name])
            reader = self._parquet.ParquetFile(
                stream, metadata=self._footers[part.file], read_dictionary=[name] if is_text else None
            )
            column = reader.read_row_groups(part.groups, columns=[name], use_threads=False).column(0)
            if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
                column.validate(full=True)
        self._unchanged[part.file].check()
        return column

    def _key_column(self, key: str, file: int, n: int) -> Any:
        """What the name of a folder says of all its objects."""
        import numpy as np
        import pyarrow as pa

        texts = {text for keys in self._keys if (text := keys[key]) is not None}
        value = self._keys[file][key]
        if all(re.fullmatch(r"-?\d{1,18}", text) for text in texts):
            alone = pa.array([None if value is None else int(value)], pa.int64())
        else:
            alone = pa.array([value], pa.string())
        return pa.chunked_array([alone.take(pa.array(np.zeros(n, dtype=np.int32)))])


class ParquetPart(ArrowTable):
    """The table in some row groups: a column is read when it is asked for."""

    def __init__(self, path: str | Path, parts: ParquetParts, which: RowGroups) -> None:
        self.path, self.names = path, parts.names
        self._parts, self._which = parts, which
        self.first_row = 0

    def place(self, position: int) -> str:
        """Where an object stands in the file, as a person counts."""
        return f"row {self.first_row + position + 1}"

    def column(self, name: str) -> Any:
        """A column as pyarrow has it."""
        return self._parts.column(self._which, name)


def _keys_of(folders: Sequence[str]) -> dict[str, str | None]:
    """What the names of folders say, as in year=2024."""
    pairs = [folder.split("=", 1) for folder in folders[:-1]]
    return {unquote(key): None if value == NO_VALUE else unquote(value) for key, value in pairs}


def _of_one_writing(tables: Sequence[Any]) -> list[Any]:
    """Tables of the same columns; texts that only some have as categories are plain texts in all."""
    import pyarrow as pa

    made = []
    for table in tables:
        fields = [
            field.with_type(field.type.value_type)
            if pa.types.is_dictionary(field.type)
            and any(other.schema.field(field.name).type != field.type for other in tables)
            else field
            for field in table.schema
        ]
        made.append(table.cast(pa.schema(fields)))
    return made


def _kinds_of(footer: Any) -> dict[str, str]:
    """What each column holds; numbers may be written in different widths."""
    import pyarrow as pa

    kinds = {}
    for field in footer.schema.to_arrow_schema():
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            kinds[str(field.name)] = "numbers"
        elif str(kind) in ("string", "large_string", "string_view"):
            kinds[str(field.name)] = "texts"
        elif not pa.types.is_null(kind):
            kinds[str(field.name)] = str(kind)
        else:
            kinds[str(field.name)] = "numbers"
    return kinds
