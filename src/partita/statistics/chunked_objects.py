"""Objects that lie in chunks, as statistics of pairs look at them: chunk by chunk, and two chunks at a time.

A pass over pairs of chunks holds one of them while those after it come by, each in its turn, on threads of
this process or by dask. What they come to is added in an order that depends on the chunks alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array, blocks, stacked
from partita.arrays.chunked import Chunked, Piece, for_beside, made_once, sum_of_chunks, zipped
from partita.statistics.protocol import OnBlock

MOST_ROWS = 1 << 17
"""Rows of a chunk that are held against others at once."""

FEWEST_ROWS = 4096
"""Neighbouring chunks are looked at together up to so many rows: very small ones have too many pairs."""

Opened = tuple[list[Any], Array | None]
"""The inputs of a statistic, and the weights, of the objects of one chunk or of two."""


class Weighed(NamedTuple):
    """How much objects count in all, and whether each counts by a whole number."""

    total: float
    is_whole: bool

    @classmethod
    def of(cls, *sides: Any, weight: Array | None) -> Weighed:
        """Of objects in memory; the last of the sides is a clustering."""
        if weight is None:
            return cls(float(sides[-1].n_objects), True)
        return cls(float(weight.sum()), weight.dtype.kind == "i")


class ChunkedObjects:
    """The objects of all inputs of a statistic, in chunks that lie beside each other.

    Parameters
    ----------
    columns : sequence of Chunked
        The values of the inputs, cut alike.
    opened : callable
        Makes of the values of a chunk, one array for each column, what the statistic takes (`Opened`).
    """

    def __init__(self, columns: Sequence[Chunked], opened: Callable[[Sequence[Any]], Opened]) -> None:
        sizes = _together(columns[0].sizes)
        self.columns = [column.cut_as(sizes) for column in columns]
        self.sizes = sizes
        self.opened = opened

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return sum(self.sizes)

    @property
    def n_chunks(self) -> int:
        """The number of chunks, small neighbours taken together."""
        return len(self.sizes)

    @property
    def n_pairs(self) -> int:
        """The number of pairs of chunks, each with itself counted."""
        return self.n_chunks * (self.n_chunks + 1) // 2

    @cached_property
    def weighed(self) -> Weighed:
        """How much all objects count."""
        parts: list[Weighed] = self.each(Weighed.of)
        return Weighed(math.fsum(part.total for part in parts), all(part.is_whole for part in parts))

    @property
    def weights(self) -> Array | None:
        """The weights of all objects, one number each, or None where there are none."""
        parts = self.each(_weights)
        return None if parts[0] is None else np.concatenate(parts)

    def each(self, work: Callable[..., Any]) -> list[Any]:
        """``work(*inputs, weight=...)`` of every chunk, in order."""
        return zipped(partial(_of_one, self.opened, work), *self.columns)

    def sum_over_chunks(
        self, work: Callable[..., Any], add: Callable[[Any, Any], Any], on_block: OnBlock = None
    ) -> Any:
        """The sum of ``work(*inputs, weight=...)`` over all chunks."""
        of_one = partial(_of_one, self.opened, work)
        return sum_of_chunks(_without_shared, of_one, self.columns, add, on_block)

    def sum_over_pairs(
        self, work: Callable[..., Any], add: Callable[[Any, Any], Any], on_block: OnBlock = None
    ) -> Any:
        """The sum of ``work`` over every chunk, and over every two of them.

        Of one chunk it is ``work(*inputs, weight=..., split=None)``. Two come as one, of the objects of both,
        and ``split`` says how many are of the first: then the pairs between the two are to be looked at.
        """
        n, total = self.n_chunks, self.n_pairs
        of_two = partial(_of_two, self.opened, work)
        made = self.sum_over_chunks(partial(work, split=None), add, _part_of(on_block, 0, n, total))
        done = n
        for place in range(n - 1):
            first = made_once(_beside, *(column.chunks[place] for column in self.columns))
            rest = [_some(column, range(place + 1, n)) for column in self.columns]
            told = _part_of(on_block, done, n - 1 - place, total)
            made = add(made, sum_of_chunks(of_two, first, rest, add, told))
            done += n - 1 - place
        return made

    def sum_against_all(
        self,
        work: Callable[..., Any],
        points: Any,
        add: Callable[[Any, Any], Any],
        on_block: OnBlock = None,
    ) -> Any:
        """The sum over all chunks of ``work(points, *inputs, weight=...)``; points may be a task of dask."""
        against = partial(_of_points, self.opened, work, add)
        return sum_of_chunks(against, points, self.columns, add, on_block)

    def each_against_all(
        self,
        points: Callable[..., Any],
        work: Callable[..., Any],
        add: Callable[[Any, Any], Any],
        most_rows: int,
        on_block: OnBlock = None,
    ) -> Iterator[Any]:
        """The `sum_against_all` of all objects, some after the other, in order.

        Those of one chunk, or as many of them as may be held at once, are ``points(rows, *inputs,
        weight=...)``, with ``rows`` a slice of the chunk.
        """
        held = [(place, rows) for place, size in enumerate(self.sizes) for rows in blocks(size, most_rows)]
        total = len(held) * self.n_chunks
        for before, (place, rows) in enumerate(held):
            parts = (column.chunks[place] for column in self.columns)
            own = made_once(partial(_of_one, self.opened, partial(points, rows)), *parts)
            told = _part_of(on_block, before * self.n_chunks, self.n_chunks, total)
            yield self.sum_against_all(work, own, add, told)

    def take(self, rows: Array) -> Opened:
        """The inputs and weights of some objects, by their places in ascending order, in memory."""
        ends = np.cumsum(self.sizes)
        cuts = np.searchsorted(rows, np.concatenate([[0], ends]))
        touched = [i for i in range(self.n_chunks) if cuts[i] < cuts[i + 1]]
        local = [rows[cuts[i] : cuts[i + 1]] - (ends[i] - self.sizes[i]) for i in touched]
        picks = [Piece(partial(_itself, one)) for one in local]
        parts = for_beside(_picked, picks, *(_some(column, touched).chunks for column in self.columns))
        return self.opened([stacked(column) for column in zip(*parts, strict=True)])

    def take_drawn(self, drawn: Sequence[Array]) -> tuple[list[Any], list[Array]]:
        """The inputs of all objects that were drawn, and the places of each draw among these."""
        rows, places = np.unique(np.stack(drawn), return_inverse=True)
        return self.take(rows)[0], list(places.reshape(len(drawn), -1))


def _together(sizes: Sequence[int]) -> tuple[int, ...]:
    """The sizes of chunks after neighbours were joined that have no more than `FEWEST_ROWS` together."""
    joined: list[int] = []
    for size in sizes:
        if joined and joined[-1] + size <= FEWEST_ROWS:
            joined[-1] += size
        else:
            joined.append(size)
    return tuple(joined)


def n_chunks_of(partition: Any) -> int:
    """In how many chunks the objects of a clustering are looked at; 1 where they are in memory."""
    values = getattr(partition, "values", None)
    return len(_together(values.sizes)) if isinstance(values, Chunked) else 1


def _some(column: Chunked, places: Sequence[int]) -> Chunked:
    return Chunked(
        (column.chunks[i] for i in places),
        (column.sizes[i] for i in places),
        column.shape[1:],
        column.dtype,
    )


def _part_of(on_block: OnBlock, before: int, steps: int, total: int) -> OnBlock:
    """Tells of a part of all work: so many steps, whatever its own are, after so many others."""
    if on_block is None:
        return None

    def tell(done: int, of_part: int) -> None:
        steps_done = before + steps * done // of_part
        if steps_done:
            on_block(steps_done, total)

    return tell


def _itself(value: Any) -> Any:
    return value


def _picked(rows: Array, *parts: Any) -> list[Any]:
    return [part[rows] for part in parts]


# --- the work, where the chunks are ---------------------------------------------------------------------


def _of_one(opened: Callable[..., Opened], work: Callable[..., Any], *parts: Any) -> Any:
    sides, weight = opened(parts)
    return work(*sides, weight=weight)


def _without_shared(work: Callable[..., Any], *parts: Any) -> Any:
    return work(*parts)


def _weights(*_sides: Any, weight: Array | None) -> Array | None:
    return weight


def _beside(*parts: Any) -> tuple[Any, ...]:
    return parts


def _of_two(
    opened: Callable[..., Opened], work: Callable[..., Any], first: tuple[Any, ...], *second: Any
) -> Any:
    sides, weight = opened([stacked(two) for two in zip(first, second, strict=True)])
    return work(*sides, weight=weight, split=first[0].shape[0])


def _of_points(
    opened: Callable[..., Opened],
    work: Callable[..., Any],
    add: Callable[[Any, Any], Any],
    points: Any,
    *parts: Any,
) -> Any:
    """Points against the objects of one chunk, some after the other: they are copied on the way."""
    total: Any = None
    for rows in blocks(parts[0].shape[0], MOST_ROWS):
        sides, weight = opened([part[rows] for part in parts])
        made = work(points, *sides, weight=weight)
        total = made if total is None else add(total, made)
    return total
