"""Memberships, features and weights that are read part by part: columns of tables, or arrays of NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.arrays.chunked import OnChunk, Piece
from partita.errors import FileError
from partita.files.scans import Scan
from partita.files.sources import Unchanged, named
from partita.files.tables import Table
from partita.files.words import words_among_numbers
from partita.partitions.chunked import Looking, read_pieces
from partita.partitions.kinds import Kind
from partita.partitions.reading import Reading

ARRAY_BYTES = 1 << 24
"""Bytes of an array that are looked at at a time."""


class SavedArray:
    """An array in a .npy file, of which some rows are in memory at a time."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
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

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return len(self.values)

    def pieces(self) -> list[Piece]:
        """The rows, some at a time."""
        rows = max(1, ARRAY_BYTES * len(self.values) // self.values.nbytes)
        return [Piece(partial(self._rows, start, rows)) for start in range(0, len(self.values), rows)]

    def _rows(self, start: int, count: int) -> Array:
        rows = self.values[start : start + count]
        self._unchanged.check()
        return np.ascontiguousarray(np.asarray(rows), dtype=rows.dtype.newbyteorder("="))


def clustering_of_array(
    array: SavedArray, kind: str | None, normalize: bool, noise_label: Any, on_chunk: OnChunk = None
) -> Any:
    """The clustering in an array: labels, or a column for each cluster."""
    return read_pieces(array.pieces(), _reading(kind, None, normalize, noise_label), on_chunk)


def memberships_in_parts(
    scan: Scan, names: Sequence[str], kind: str | None, normalize: bool, on_chunk: OnChunk = None
) -> Any:
    """The clustering in columns of memberships."""
    pieces = [Piece(partial(_matrix, scan, names, place)) for place, _ in enumerate(scan.sizes)]
    with scan.errors_named():
        return read_pieces(pieces, _reading(kind, names, normalize, None), on_chunk)


def weights_in_parts(scan: Scan, name: str, on_chunk: OnChunk = None) -> Any:
    """How often each object counts."""
    pieces = [Piece(partial(_weights, scan, name, place)) for place, _ in enumerate(scan.sizes)]
    with scan.errors_named():
        return read_pieces(pieces, Looking("weight"), on_chunk)


def data_of_array(array: SavedArray, on_chunk: OnChunk = None) -> Any:
    """Data in an array."""
    return read_pieces(array.pieces(), Looking("X"), on_chunk)


def _reading(kind: str | None, names: Sequence[str] | None, normalize: bool, noise_label: Any) -> Looking:
    wanted = None if kind is None else Kind.read(kind)
    return Reading(wanted, names=names, normalize=normalize, noise_label=noise_label).by_chunk()


def numbers_of_part(part: Table, names: Sequence[str]) -> list[Array]:
    """Columns of numbers; one with words among them is refused."""
    columns = []
    for column in part.number_columns(names):
        if column.dtype.kind not in "biuf":
            raise words_among_numbers(part, column.name)
        columns.append(column.to_numpy())
    return columns


def _matrix(scan: Scan, names: Sequence[str], place: int) -> Array:
    return np.column_stack(numbers_of_part(scan.part(place), names))


def _weights(scan: Scan, name: str, place: int) -> Array:
    part = scan.part(place)
    weights = next(part.number_columns([name])).to_numpy()
    if weights.dtype.kind not in "biuf" or (weights.dtype.kind == "f" and np.isnan(weights).any()):
        raise FileError("weights are no numbers.", got=f"column {name!r}", need="a number in each line")
    return np.asarray(weights)
