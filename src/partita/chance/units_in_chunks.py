"""Objects in chunks that are drawn: what is known of all of them, while they stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.arrays.chunked import Chunked, sum_of_chunks, zipped
from partita.chance.object_weights import Units, combinations, units_of
from partita.inputs import Inputs
from partita.partitions import POSSIBILISTIC, HardPartition
from partita.partitions.chunked import ChunkedHard, InChunks
from partita.statistics.tables.counting import is_faint

__all__ = ["UnitsInChunks", "is_faint_anywhere", "units_in_chunks"]


MOST_COMBINATIONS = 1_000_000
"""Combinations of labels that are brought here; objects with more are drawn one by one, where they are."""


@dataclass(frozen=True, eq=False)
class UnitsInChunks:
    """What `Units` are, for objects in chunks; each object is a unit.

    Attributes
    ----------
    inputs : dict of Inputs
        The clusterings, by name; labels as positions among all names.
    weight : Chunked or None
        How many objects a unit stands for; where weights are fractions, what it counts each time.
    """

    inputs: Mapping[str, Inputs]
    weight: Chunked | None = None

    is_chunked = True

    @property
    def _first(self) -> Inputs:
        return next(iter(self.inputs.values()))

    @property
    def size(self) -> int:
        """The number of units."""
        return self._first.n_objects

    @property
    def counts_each(self) -> bool:
        """Whether weights are fractions."""
        return self.weight is not None and self.weight.dtype.kind == "f"

    @property
    def each(self) -> Chunked | None:
        """What an object counts each time it is drawn, where weights are fractions."""
        return self.weight if self.counts_each else None

    @cached_property
    def times(self) -> Array:
        """How many objects each unit stands for; asked for few units only."""
        if self.weight is None or self.counts_each:
            return np.ones(self.size, dtype=np.int64)
        return np.concatenate(zipped(np.asarray, self.weight))

    @cached_property
    def total(self) -> int:
        """The number of objects."""
        if self.weight is None or self.counts_each:
            return self.size
        return int(self.weight.sum())

    def sizes_of_parts(self, rows: int) -> Floats:
        """The numbers of objects in parts of so many units."""
        if self.weight is None or self.counts_each:
            starts = np.arange(0, self.size, rows)
            return np.minimum(rows, self.size - starts).astype(np.float64)
        lined_up = self.weight.cut_as(self.sizes_cut_at(rows))
        sums = zipped(partial(_sums_of_parts, rows), lined_up)
        return np.concatenate(sums).astype(np.float64)

    def sizes_cut_at(self, rows: int) -> tuple[int, ...]:
        """The sizes of chunks that end where a part of so many units does, near to where they end now."""
        first: Any = next(iter(self._first.partitions.values()))
        ends = -(-np.cumsum(first.values.sizes) // rows) * rows
        return tuple(np.diff(np.unique(np.minimum(ends, self.size)), prepend=0).tolist())


def _sums_of_parts(rows: int, weight: Array) -> Array:
    return np.add.reduceat(weight, np.arange(0, weight.size, rows))


def units_in_chunks(inputs: Mapping[str, Inputs]) -> Units | UnitsInChunks:
    """The units of several pairs of clusterings of the same objects in chunks.

    They are here, as those in memory are, where they are combinations of labels and not too many.
    """
    weight: Any = next(iter(inputs.values())).weight
    distinct: dict[int, Any] = {id(p): p for one in inputs.values() for p in one.partitions.values()}
    coded = {key: p.coded() if isinstance(p, ChunkedHard) else p for key, p in distinct.items()}
    combined = _combinations([*coded.values()], weight)
    if combined is not None:
        codes, times = combined
        known = {
            key: HardPartition.from_codes(own, p.names)
            for (key, p), own in zip(coded.items(), codes, strict=True)
        }
        return units_of(
            {
                name: replace(
                    one,
                    partitions={side: known[id(p)] for side, p in one.partitions.items()},
                    n_objects=times.size,
                    weight=times,
                )
                for name, one in inputs.items()
            }
        )
    plain = {
        name: replace(one, weight=None, partitions={side: coded[id(p)] for side, p in one.partitions.items()})
        for name, one in inputs.items()
    }
    return UnitsInChunks(plain, weight)


Cells = tuple[list[Array], Array]
"""Combinations of labels, as positions in the names of each side, and how many objects have each."""


def _combinations(sides: list[Any], weight: Any) -> Cells | None:
    """Each combination of labels once; None where objects are drawn, one by one."""
    is_fraction = weight is not None and weight.dtype.kind == "f"
    if is_fraction or not all(isinstance(side, ChunkedHard) for side in sides):
        return None
    columns = [side.values for side in sides]
    widths = [len(side.names) for side in sides]
    add = partial(_counted_together, widths)
    cells: Cells | None = sum_of_chunks(
        _counted, widths, columns if weight is None else [*columns, weight], add
    )
    return cells


def _counted(widths: list[int], *parts: Array) -> Cells | None:
    """The combinations of labels in a chunk; None where they are too many."""
    sides = [HardPartition.from_codes(own, range(k)) for own, k in zip(parts, widths, strict=False)]
    made, times = combinations(sides, parts[-1] if len(parts) > len(widths) else None)
    return None if times.size > MOST_COMBINATIONS else ([side.values for side in made], times)


def _counted_together(widths: list[int], one: Cells | None, other: Cells | None) -> Cells | None:
    if one is None or other is None:
        return None
    codes = [np.concatenate(both) for both in zip(one[0], other[0], strict=True)]
    return _counted(widths, *codes, np.concatenate([one[1], other[1]]))


def is_faint_anywhere(partition: Any) -> bool:
    """Whether products of its typicalities with those of another may be lost, in chunks or not."""
    if not isinstance(partition, InChunks):
        return is_faint(partition)
    is_possibilistic = partition.kind is POSSIBILISTIC  # type: ignore[attr-defined]
    return is_possibilistic and any(zipped(partial(_is_faint_in, partition.blank()), partition.values))


def _is_faint_in(blank: Any, values: Any) -> bool:
    return is_faint(blank.holding(values))
