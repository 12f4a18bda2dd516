"""Arrays that NumPy saved, larger than memory: some rows are read at a time."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from partita.arrays import Array
from partita.arrays.chunked import Piece
from partita.errors import FileError
from partita.files.scans import RowMask, Scan
from partita.files.sources import Unchanged, named
from partita.files.tables import Cells, Table

ARRAY_BYTES = 1 << 24
"""Bytes of an array that are read at a time."""


class SavedArray(Scan):
    """An array in a .npy file, of which some rows are in memory at a time.

    Its columns have no names.
    """

    _kept: RowMask | None = None

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.names = []
        with named(path) as file:
            self._unchanged = Unchanged(file)
            try:
                self.values = np.load(file, mmap_mode="r", allow_pickle=False)
            except (ValueError, EOFError, SyntaxError) as problem:
                raise FileError(
                    "this is no NumPy file of plain numbers or texts.",
                    got=str(problem).partition("\n")[0],
                    need="an array saved by numpy.save, whole, without Python objects in it",
                ) from None
            if (
                self.values.dtype.names is not None
                or self.values.ndim not in (1, 2)
                or not self.values.nbytes
            ):
                raise FileError(
                    "an array of this kind is not read in chunks.",
                    got=f"shape {self.values.shape}, {self.values.dtype}",
                    need="labels (n), or numbers (n, k), of one type",
                    fix="save its columns as .parquet" if self.values.dtype.names is not None else None,
                )
        self.cut(1 << max(0, (ARRAY_BYTES * len(self.values) // self.values.nbytes).bit_length() - 1))

    def cut(self, rows: int) -> None:
        """Have parts of so many rows."""
        n = len(self.values)
        self.rows, self.sizes = rows, tuple(min(rows, n - start) for start in range(0, n, rows))
        self._parts = list(enumerate(self.sizes))

    def keeping(self, kept: RowMask) -> SavedArray:
        """The same array with some of its rows."""
        made = copy.copy(self)
        counts = [int(kept.of(place * self.rows, size).sum()) for place, size in self._parts]
        made._kept = kept
        made._parts = [part for part, count in zip(self._parts, counts, strict=True) if count]
        made.sizes = tuple(count for count in counts if count)
        return made

    @property
    def holds_whole_labels(self) -> bool:
        """Whether it holds labels that are whole numbers."""
        return self.values.ndim == 1 and self.values.dtype.kind in "iu" and self.values.dtype != np.uint64

    def part(self, place: int) -> Table:
        """One of the parts: labels without a name."""
        return ArrayPart(self.path, self.rows_of(place))

    def rows_of(self, place: int) -> Array:
        """One of the parts: a copy, because a map of a file that is cut meanwhile would end the process."""
        own, count = self._parts[place]
        values, start = self.values, own * self.rows
        n = len(values)
        each = values.size // n
        # the whole part lies in one stretch, or some of each column
        is_one = values.flags.c_contiguous
        stretches = (
            [(start * each, count * each)] if is_one else [(j * n + start, count) for j in range(each)]
        )
        with named(self.path) as file:
            read = [
                np.fromfile(file, values.dtype, length, offset=values.offset + first * values.dtype.itemsize)
                for first, length in stretches
            ]
            self._unchanged.check()
        rows = read[0].reshape(count, *values.shape[1:]) if is_one else np.column_stack(read)
        rows = rows if self._kept is None else rows[self._kept.of(start, count)]
        return rows.astype(values.dtype.newbyteorder("="), copy=False)

    def pieces(self) -> list[Piece]:
        """All parts."""
        return [self.piece(self.rows_of, place) for place, _ in enumerate(self.sizes)]


class ArrayPart(Table):
    """Some labels of an array."""

    def __init__(self, path: str | Path, values: Array) -> None:
        super().__init__(path)
        self.names = []
        self._values = values

    def cells(self, name: str) -> Cells:  # noqa: ARG002
        """The labels."""
        return Cells(self._values)

    def read(self, numbers: Sequence[str], texts: Sequence[str] = (), rows: int | None = None) -> NoReturn:  # noqa: ARG002
        """Refused: columns have no names."""
        raise FileError("arrays have no named columns.", got=str(self.path), need="a table")
