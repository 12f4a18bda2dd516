"""Tables that are larger than memory: read part by part, each part a table of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.arrays.chunked import Chunked, OnChunk, Piece, Work, all_at_once, compute, sum_of_chunks
from partita.errors import FileError, ParameterError
from partita.files.parquet import ParquetPart, ParquetParts
from partita.files.sources import file_kind, named, unpacks_to_more
from partita.files.tables import Cells, Table
from partita.files.text import Writing

LARGEST_IN_MEMORY = 1 << 29
"""Bytes of a file, unpacked, above which it is read part by part."""

ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)
"""How many bits of each byte are one."""


class Scan(Table):
    """A table of which one part is in memory at a time.

    Attributes
    ----------
    sizes : tuple of int
        The numbers of objects of the parts, each above 0.
    """

    sizes: tuple[int, ...]

    @abstractmethod
    def part(self, place: int) -> Table:
        """One of the parts."""

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return sum(self.sizes)

    def read(self, numbers: Sequence[str], texts: Sequence[str] = (), rows: int | None = None) -> Any:
        """A pandas frame of these columns of the first objects."""
        import pandas as pd

        if rows is None:
            raise all_at_once(f"{self.path}: {self.n_objects} objects")
        frames = []
        for place, start in enumerate(self.starts()):
            if start >= rows:
                break
            frames.append(self.part(place).read(numbers, texts, rows - start))
        return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)

    def place(self, position: int) -> str:
        """Where an object stands in the file, as a person counts."""
        ends = np.cumsum(self.sizes)
        part = int(np.searchsorted(ends, position, side="right"))
        return self.part(part).place(position - int(ends[part] - self.sizes[part]))

    def piece(self, work: Callable[..., Any], *arguments: Any) -> Piece:
        """Work on the file, to be done when it is asked for; what is wrong is told with its name."""
        return Piece(partial(self._told, work, *arguments))

    def _told(self, work: Callable[..., Any], *arguments: Any) -> Any:
        with self.errors_named():
            return work(*arguments)

    def starts(self) -> list[int]:
        """The first object of each part."""
        return [0, *np.cumsum(self.sizes)[:-1].tolist()]

    @property
    def whole(self) -> Scan:
        """The file with all of its objects."""
        return self

    def mask_of(self, whole: RowMask) -> RowMask:
        """Which of its objects are kept, where that is known of those of the whole file."""
        return whole


class FirstRows(Table):
    """The first objects of a scan, as a table of their own."""

    def __init__(self, scan: Scan, rows: int) -> None:
        super().__init__(scan.path)
        self.names, self.header = scan.names, scan.header
        self.layout = getattr(scan.part(0), "layout", None)
        self._scan, self._rows = scan, rows

    def read(self, numbers: Sequence[str], texts: Sequence[str] = (), rows: int | None = None) -> Any:
        """A pandas frame of these columns."""
        return self._scan.read(numbers, texts, rows=self._rows if rows is None else min(rows, self._rows))

    def place(self, position: int) -> str:
        """Where an object stands in the file."""
        return self._scan.place(position)


class ParquetScan(Scan):
    """A Parquet file, or a folder of them, by row groups."""

    header = True

    def __init__(self, path: str | Path, file: Path) -> None:
        super().__init__(path)
        self._parts = ParquetParts(file)
        self.names = self._parts.names
        self.sizes = tuple(part.n_rows for part in self._parts.parts)
        if not self.sizes:
            raise FileError("this file holds no objects.", need="columns, and one row for each object")
        if self._parts.others:
            told = ", ".join(self._parts.others[:3]) + (", ..." if len(self._parts.others) > 3 else "")
            self.notes = (f"{path}: {len(self._parts.files)} Parquet files; others were not read: {told}",)

    def part(self, place: int) -> Table:
        """One of the parts."""
        made = ParquetPart(self.path, self._parts, self._parts.parts[place])
        made.first_row, made.amounts = self.starts()[place], self.amounts
        return made


class RowMask:
    """Which of many objects are kept, one bit for each."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._bits = np.zeros(-(-n // 8), dtype=np.uint8)

    def put(self, start: int, kept: Array) -> None:
        """Keep these of the objects from ``start`` on."""
        first, skipped = divmod(start, 8)
        packed = np.packbits(np.concatenate([np.zeros(skipped, dtype=bool), kept]), bitorder="little")
        self._bits[first : first + packed.size] |= packed

    def of(self, start: int, count: int) -> Array:
        """Which of these objects are kept."""
        first, skipped = divmod(start, 8)
        bits = np.unpackbits(self._bits[first : -(-(start + count) // 8)], bitorder="little")
        return bits[skipped : skipped + count].astype(bool)

    def count(self) -> int:
        """How many are kept."""
        return int(ONES[self._bits].sum(dtype=np.int64))

    def both(self, other: RowMask) -> RowMask:
        """What both keep."""
        made = RowMask(self.n)
        made._bits = self._bits & other._bits
        return made


class KeptRows(Scan):
    """Some of the objects of a scan."""

    def __init__(self, scan: Scan, mask: RowMask) -> None:
        super().__init__(scan.path)
        self.names, self.notes, self.header = scan.names, scan.notes, scan.header
        self.are_rounded_memberships = scan.are_rounded_memberships
        self._scan, self._mask = scan, mask
        kept = [int(self._mask.of(*where).sum()) for where in zip(scan.starts(), scan.sizes, strict=True)]
        self._parts = [place for place, count in enumerate(kept) if count]
        self.sizes = tuple(count for count in kept if count)

    @property
    def whole(self) -> Scan:
        """The file with all of its objects."""
        return self._scan.whole

    def mask_of(self, whole: RowMask) -> RowMask:
        """Which of its objects are kept, where that is known of those of the whole file."""
        mask, inner, start = RowMask(self.n_objects), self._scan.mask_of(whole), 0
        for where in zip(self._scan.starts(), self._scan.sizes, strict=True):
            kept = inner.of(*where)[self._mask.of(*where)]
            mask.put(start, kept)
            start += len(kept)
        return mask

    def part(self, place: int) -> Table:
        """One of the parts."""
        own = self._parts[place]
        rows = np.flatnonzero(self._mask.of(self._scan.starts()[own], self._scan.sizes[own]))
        return KeptPart(self._scan.part(own), rows)


class KeptPart(Table):
    """Some of the objects of a table."""

    def __init__(self, table: Table, rows: Array) -> None:
        super().__init__(table.path)
        self.names, self.header, self.amounts = table.names, table.header, table.amounts
        self._table, self._rows = table, rows

    def read(self, numbers: Sequence[str], texts: Sequence[str] = (), rows: int | None = None) -> Any:
        """A pandas frame of these columns."""
        return self._table.read(numbers, texts).iloc[self._rows[:rows]].reset_index(drop=True)

    def cells(self, name: str) -> Cells:
        """The labels in a column."""
        return self._table.cells(name).of(self._rows)

    def number_columns(self, names: Sequence[str]) -> Iterator[Any]:
        """These columns, one after the other."""
        columns = self._table.number_columns(names)
        return (column.iloc[self._rows].reset_index(drop=True) for column in columns)

    def place(self, position: int) -> str:
        """Where an object stands in the file."""
        return self._table.place(int(self._rows[position]))


def known_rows(scan: Scan, known: Callable[[int], Array], on_chunk: OnChunk = None) -> RowMask:
    """The objects of which ``known`` says so, part by part."""
    mask = RowMask(scan.n_objects)
    pieces = [scan.piece(known, place) for place, _ in enumerate(scan.sizes)]
    for start, kept in zip(scan.starts(), compute(pieces, on_chunk), strict=True):
        mask.put(start, kept)
    return mask


def sum_of_looks(pieces: Iterable[Piece], sizes: Sequence[int], add: Work, on_chunk: OnChunk = None) -> Any:
    """What looks at parts come to, added two by two."""
    return sum_of_chunks(_as_it_is, None, [Chunked(pieces, sizes, (), bool)], add, on_chunk)


def _as_it_is(_shared: None, seen: Any) -> Any:
    return seen


def is_large(path: str | Path) -> bool:
    """Whether a file is read part by part where nobody says how."""
    with named(path) as file:
        kind = file_kind(file)
        if kind == "parquet":
            return ParquetParts(file).bytes_in_memory > LARGEST_IN_MEMORY
        size = file.stat().st_size if str(path) != "-" else 0
        if kind == "text" and file.suffix.lower() == ".gz":
            return unpacks_to_more(file, LARGEST_IN_MEMORY)
        if kind == "text":
            return size > LARGEST_IN_MEMORY
        return file.suffix.lower() == ".npy" and size > LARGEST_IN_MEMORY


def open_scan(path: str | Path, writing: Writing) -> Scan:
    """The table in a file, or the array, to be read part by part."""
    with named(path) as file:
        kind = file_kind(file)
        if kind == "parquet":
            return ParquetScan(path, file)
        if kind == "text":
            from partita.files.text_scans import TextScan

            return TextScan(path, file, writing)
        if file.suffix.lower() == ".npy":
            from partita.files.saved_arrays import SavedArray

            return SavedArray(path)
        raise ParameterError(
            "this kind of file is not read in chunks.",
            got=file.suffix,
            need=".parquet, a folder of them, .npy, .csv, .tsv or .txt",
            fix="save it as .parquet",
            parameter="in_chunks",
        )
