"""Memberships, features and weights that are read part by part: columns of tables, or arrays of NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.arrays.chunked import Chunked, OnChunk, Piece
from partita.errors import FileError
from partita.files.saved_arrays import SavedArray
from partita.files.scans import Scan
from partita.files.tables import Table
from partita.files.words import words_among_numbers
from partita.partitions.chunked_reading import Looking, read_pieces
from partita.partitions.kinds import Kind
from partita.partitions.reading import Reading


def clustering_of_array(
    array: SavedArray, kind: str | None, normalize: bool, noise_label: Any, on_chunk: OnChunk = None
) -> Any:
    """The clustering in an array: labels, or a column for each cluster."""
    looking = _reading(kind, None, normalize, noise_label)
    return _read(array, array.pieces(), looking, on_chunk)


def memberships_in_parts(
    scan: Scan, names: Sequence[str], kind: str | None, normalize: bool, on_chunk: OnChunk = None
) -> Any:
    """The clustering in columns of memberships."""
    pieces = [scan.piece(_matrix, scan, names, place) for place, _ in enumerate(scan.sizes)]
    return _read(scan, pieces, _reading(kind, names, normalize, None), on_chunk)


def weights_in_parts(scan: Scan, name: str, on_chunk: OnChunk = None) -> Any:
    """How often each object counts."""
    pieces = [scan.piece(_weights, scan, name, place) for place, _ in enumerate(scan.sizes)]
    return _read(scan, pieces, Looking("weight"), on_chunk)


def data_of_array(array: SavedArray, on_chunk: OnChunk = None) -> Any:
    """Data in an array."""
    return _read(array, array.pieces(), Looking("X"), on_chunk)


def _read(scan: Scan, pieces: Sequence[Piece], looking: Looking, on_chunk: OnChunk) -> Any:
    """What pieces of a file hold; what is wrong is told with its name, also where it is seen later."""
    with scan.errors_named():
        made = read_pieces(pieces, scan.sizes, looking, on_chunk)
    values = made.values
    later = (scan.piece(chunk.read) for chunk in values.chunks)
    return made.with_values(Chunked(later, values.sizes, values.shape[1:], values.dtype))


def _reading(kind: str | None, names: Sequence[str] | None, normalize: bool, noise_label: Any) -> Looking:
    wanted = None if kind is None else Kind.read(kind)
    return Reading(wanted, names=names, normalize=normalize, noise_label=noise_label).by_chunk()


def numbers_of_part(part: Table, names: Sequence[str]) -> list[Array]:
    """Columns of numbers; one with words among them is refused."""
    columns = []
    for column in part.amounts_and_numbers(names):
        if column.dtype.kind not in "biuf":
            problem = words_among_numbers(part, column.name)
            problem.column = column.name  # type: ignore[attr-defined]
            raise problem
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
