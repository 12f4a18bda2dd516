"""Arrays that NumPy saved, larger than memory: looked at where they are, some rows at a time."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from partita.arrays import Array
from partita.arrays.chunked import Piece
from partita.errors import FileError
from partita.files.scans import Scan
from partita.files.sources import Unchanged, named
from partita.files.tables import Cells, Table

ARRAY_BYTES = 1 << 24
"""Bytes of an array that are looked at at a time."""

KEPT_PARTS = 8
"""Parts before the one that is read that may still be looked at."""


class SavedArray(Scan):
    """An array in a .npy file, of which some rows are in memory at a time.

    Its columns have no names.
    """

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
            if self.values.dtype.names is not None or self.values.ndim not in (1, 2) or not self.values.size:
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

    @property
    def holds_whole_labels(self) -> bool:
        """Whether it holds labels that are whole numbers."""
        return self.values.ndim == 1 and self.values.dtype.kind in "iu" and self.values.dtype != np.uint64

    def part(self, place: int) -> Table:
        """One of the parts: labels without a name."""
        return ArrayPart(self.path, self.rows_of(place))

    def rows_of(self, place: int) -> Array:
        """One of the parts."""
        self._forget(place - KEPT_PARTS)
        rows = self.values[place * self.rows : (place + 1) * self.rows]
        self._unchanged.check()
        return np.ascontiguousarray(np.asarray(rows), dtype=rows.dtype.newbyteorder("="))

    def _forget(self, place: int) -> None:
        """Give back the memory of a part that was read; where it is still used, it comes again by itself."""
        if place < 0 or not hasattr(mmap, "MADV_DONTNEED") or not self.values.flags.c_contiguous:
            return
        size = self.rows * self.values.nbytes // len(self.values)
        start = self.values.offset % mmap.ALLOCATIONGRANULARITY + place * size
        first, last = (
            -(-start // mmap.PAGESIZE) * mmap.PAGESIZE,
            (start + size) // mmap.PAGESIZE * mmap.PAGESIZE,
        )
        if last > first:
            self.values._mmap.madvise(mmap.MADV_DONTNEED, first, last - first)

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
