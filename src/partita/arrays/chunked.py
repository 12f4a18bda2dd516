"""Rows in chunks, never here all at once: dask's arrays and frames, each chunk worked on where it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from partita.arrays.matrices import Array
from partita.errors import MismatchError, TooLargeError

Work = Callable[..., Any]


class Chunked:
    """Rows cut into chunks, in order: how many each has is known, what they hold is computed where it lies.

    It has the shape and type of an array, and refuses to become one.

    Attributes
    ----------
    chunks : tuple of delayed arrays
        Each with at least one row.
    sizes : tuple of int
        Their numbers of rows.
    shape, dtype
        Of all rows.
    """

    def __init__(
        self, chunks: Iterable[Any], sizes: Iterable[int], tail: tuple[int, ...], dtype: Any
    ) -> None:
        self.chunks = tuple(chunks)
        self.sizes = tuple(sizes)
        self.shape = (sum(self.sizes), *tail)
        self.dtype = np.dtype(dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def mapped(
        self, work: Work, *others: Any, sizes: Iterable[int] | None = None, dtype: Any = None, **shape: Any
    ) -> Chunked:
        """The chunks after some work on each, later; ``others`` are chunks that lie as these do."""
        made = zip(*(side.chunks for side in (self, *others)), strict=True)
        tail = shape.get("tail", self.shape[1:])
        chunks = (_delayed(work)(*parts) for parts in made)
        return Chunked(
            chunks, self.sizes if sizes is None else sizes, tail, self.dtype if dtype is None else dtype
        )

    def cut_as(self, sizes: Sequence[int]) -> Chunked:
        """The same rows in chunks of other sizes."""
        if self.sizes == tuple(sizes):
            return self
        import dask.array as da

        parts = [
            da.from_delayed(chunk, (size, *self.shape[1:]), dtype=self.dtype)
            for chunk, size in zip(self.chunks, self.sizes, strict=True)
        ]
        lined_up = da.concatenate(parts).rechunk((tuple(sizes), *self.shape[1:]))
        return Chunked(lined_up.to_delayed().ravel(), sizes, self.shape[1:], self.dtype)

    def filled(self) -> Chunked:
        """The same without empty chunks."""
        kept = [(chunk, size) for chunk, size in zip(self.chunks, self.sizes, strict=True) if size]
        return Chunked((c for c, _ in kept), (s for _, s in kept), self.shape[1:], self.dtype)

    def __array__(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise all_at_once(f"{self!r}")

    def __getitem__(self, _rows: Any) -> NoReturn:
        raise all_at_once(f"{self!r}")

    def __repr__(self) -> str:
        return f"{len(self)} rows in {len(self.chunks)} chunks"


def all_at_once(got: str) -> TooLargeError:
    """The error where all objects are needed in memory at once."""
    return TooLargeError(
        "this looks at all objects at once, and they lie in chunks.",
        got=got,
        need="arrays in memory",
        fix=".compute() on all inputs if they fit, or on a sample of the same rows",
    )


def in_chunks(array: Array, sizes: Sequence[int]) -> Chunked:
    """An array in memory, cut into chunks of these sizes."""
    ends = np.cumsum(sizes)
    parts = (_delayed(array[end - size : end]) for size, end in zip(sizes, ends, strict=True))
    return Chunked(parts, sizes, array.shape[1:], array.dtype)


def is_chunked(obj: Any) -> bool:
    """Whether this is a dask array, series or frame; nothing is imported to find out."""
    return _is_of(obj, "dask.array") or is_dask_frame(obj)


def is_dask_frame(obj: Any) -> bool:
    """Whether this is a dask series or data frame."""
    return _is_of(obj, "dask.dataframe")


def _is_of(obj: Any, module: str) -> bool:
    return module in sys.modules and any(kind.__module__.startswith(module) for kind in type(obj).__mro__)


def pieces_of(obj: Any) -> list[Any]:
    """The chunks of a dask object, in order, each to be computed by itself."""
    if is_dask_frame(obj):
        return list(obj.to_delayed())
    if obj.ndim > 1 and any(len(cuts) > 1 for cuts in obj.chunks[1:]):
        obj = obj.rechunk(dict.fromkeys(range(1, obj.ndim), -1))
    return list(obj.to_delayed().ravel())


def with_one_division(sides: dict[str, Any]) -> dict[str, Any]:
    """Dask frames whose partitions end at different places of the index, cut at the same ones."""
    frames = {name: side for name, side in sides.items() if is_dask_frame(side)}
    divisions = {frame.divisions for frame in frames.values()}
    if len(divisions) < 2 or not all(frame.known_divisions for frame in frames.values()):
        return sides
    try:
        ends = tuple(sorted({end for one in divisions for end in one}))
    except TypeError:
        raise MismatchError(
            "the inputs have indices that cannot be compared.",
            got="; ".join(f"{name} is divided at {frame.divisions[:3]}" for name, frame in frames.items()),
            need="indices of one kind",
        ) from None
    return sides | {name: frame.repartition(divisions=ends, force=True) for name, frame in frames.items()}


def for_each(work: Work, *columns: Sequence[Any]) -> list[list[Any]]:
    """What ``work`` finds in every chunk of each column of chunks, all computed at once."""
    tasks = [[_delayed(work)(place, chunk) for chunk in column] for place, column in enumerate(columns)]
    made: list[list[Any]] = compute(tasks)
    return made


def zipped(work: Work, *sides: Chunked) -> list[Any]:
    """What ``work`` finds in the chunks that lie beside each other."""
    beside = zip(*(side.chunks for side in sides), strict=True)
    made: list[Any] = compute([_delayed(work)(*parts) for parts in beside])
    return made


def sum_of_chunks(work: Work, shared: Any, sides: Sequence[Chunked], add: Work) -> Any:
    """``work(shared, *chunks)`` of all chunks that lie beside each other, added two by two.

    Neighbours are added first, then neighbours of these: a tree that depends on the number of chunks alone,
    so that no bit of the sum depends on who worked on what.
    """
    once = _delayed(shared)
    sums = [_delayed(work)(once, *parts) for parts in zip(*(side.chunks for side in sides), strict=True)]
    while len(sums) > 1:
        pairs = [_delayed(add)(a, b) for a, b in zip(sums[::2], sums[1::2], strict=False)]
        sums = pairs + sums[2 * len(pairs) :]
    return compute(sums)[0]


def compute(tasks: Any) -> Any:
    """The values of delayed work, by whatever scheduler or client of dask is in use."""
    import dask

    return dask.compute(tasks)[0]


def _delayed(work: Any) -> Any:
    import dask

    return dask.delayed(work, pure=False, traverse=False)
