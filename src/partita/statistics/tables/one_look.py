"""Tables made in the look that reads their sides: each block is checked and counted while it is at hand."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from partita.arrays import BLOCK_ROWS, COMPILED_FROM, HARD_BLOCK_ROWS, Array, map_blocks
from partita.partitions import FuzzyPartition, HardPartition
from partita.partitions.memberships import FIRST_ROWS, is_one_hot, look_at_rows
from partita.statistics.tables.contingency import Contingency

GUESSED_CELLS = 1 << 12
"""Cells of a table up to which it is counted on a guess of the labels' ranges."""

LABELS_GUESSED_FROM = 4096
"""Labels that a guess of their range is made from, evenly spread over all."""


# --- labels ---------------------------------------------------------------------------------------------


def table_of_labels(truth: Any, found: Any) -> Contingency | None:
    """The table of many labels that were not looked at before, and their ranges from the same look.

    None where there is nothing to gain: it is then made like any other.
    """
    if not (isinstance(truth, HardPartition) and isinstance(found, HardPartition)):
        return None
    counts = _count_at_one_look(truth, found)
    if counts is None:
        return None
    return Contingency(counts, truth.n_objects, (truth.kind, found.kind), truth.row_names, found.row_names)


def _count_at_one_look(truth: HardPartition, found: HardPartition) -> Array | None:
    """The table of many labels whose ranges are not known, and the ranges from the same look at them.

    The ranges are guessed from a few labels; where the guess was too narrow there is no table, but the ranges
    are known. None too where there is nothing to gain.
    """
    n = truth.n_objects
    if n < COMPILED_FROM or (truth.is_looked_at and found.is_looked_at):
        return None
    a, b = truth.values, found.values
    if not all(values.dtype in (np.int64, np.int32) for values in (a, b)):
        return None
    (low_a, rows), (low_b, columns) = _guessed_range(truth), _guessed_range(found)
    if rows * columns > GUESSED_CELLS:
        return None
    from partita.kernels.labels import count_pairs

    parts = map_blocks(
        lambda part: count_pairs(a[part], b[part], low_a, low_b, rows, columns), n, HARD_BLOCK_ROWS
    )
    table = sum((part for part, _, _ in parts), np.zeros((rows, columns), dtype=np.int64))
    outside = [ends for _, strays, ends in parts if strays]
    for side, (partition, low) in enumerate(((truth, low_a), (found, low_b))):
        filled = low + np.flatnonzero(table.any(axis=1 - side))
        seen = np.concatenate([filled, *(ends[2 * side : 2 * side + 2] for ends in outside)])
        if not partition.is_looked_at:
            partition.ends = (int(seen.min()), int(seen.max()))
    if outside:
        return None
    cut = (slice(p.low - low, p.high - low + 1) for p, low in ((truth, low_a), (found, low_b)))
    return np.ascontiguousarray(table[tuple(cut)])


def _guessed_range(partition: HardPartition) -> tuple[int, int]:
    """The lowest label and how many from there on: known, or guessed from a few labels with some to spare."""
    if partition.is_looked_at:
        return partition.low, partition.span
    few = partition.values[:: max(1, partition.n_objects // LABELS_GUESSED_FROM)]
    low, high = int(few.min()), int(few.max())
    spare = 1 + (high - low) // 8
    lowest = max(low - spare, int(np.iinfo(np.int64).min))
    return lowest, high - lowest + 1 + spare


# --- memberships ------------------------------------------------------------------------------------------


def read_and_multiply(truth: Any, found: Any) -> tuple[FuzzyPartition, FuzzyPartition, Contingency] | None:
    """Two fuzzy clusterings that lie in files, and their table, from one read of the files.

    None for everything else, and where something is wrong with them: they are then read like any other, and
    who reads them says what is wrong.
    """
    if not (_may_be_fuzzy(truth) and _may_be_fuzzy(found)) or len(truth) != len(found):
        return None
    sides = [FuzzyPartition.trusted(side, tuple(range(side.shape[1]))) for side in (truth, found)]

    def multiplied(rows: slice) -> Contingency | None:
        if not all(look_at_rows(side.values, rows).is_fine for side in sides):
            return None
        return Contingency.from_block(*(side.take(rows) for side in sides))

    parts = map_blocks(multiplied, len(truth), BLOCK_ROWS, products=True)
    tables = [part for part in parts if part is not None]
    return (sides[0], sides[1], reduce(add, tables)) if len(tables) == len(parts) else None


def _may_be_fuzzy(side: Any) -> bool:
    """Whether these are many rows of numbers in a file, and the first of them soft memberships."""
    if not (isinstance(side, np.memmap) and side.ndim == 2 and side.size >= COMPILED_FROM):
        return False
    if side.dtype not in (np.float32, np.float64) or not side.dtype.isnative:
        return False
    first = side[:FIRST_ROWS]
    return not is_one_hot(first) and look_at_rows(first, slice(0, len(first))).is_fine
