"""Rows in chunks, never here all at once: each chunk is worked on where it is.

A chunk is a delayed array of dask, or a `Piece`: an array that is read on this machine when it is needed.
Dask works on the former, by whatever scheduler or client is in use; threads of this process on the latter.
"""

from __future__ import annotations

import operator
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, NoReturn

import numpy as np

from partita.arrays.matrices import Array, is_sparse, stacked
from partita.arrays.row_blocks import in_order, one_blas_thread
from partita.errors import MismatchError, TooLargeError, WorkerError

Work = Callable[..., Any]
OnChunk = Callable[[int, int], None] | None


class Piece(NamedTuple):
    """A chunk on this machine, such as a part of a file: read when it is needed, and not kept."""

    read: Callable[[], Any]


class Chunked:
    """Rows cut into chunks, in order: how many each has is known, what they hold is computed where it lies.

    It has the shape and type of an array, and refuses to become one.

    Attributes
    ----------
    chunks : tuple of delayed arrays, or of pieces
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
        chunks = (_later(work, *parts) for parts in made)
        return Chunked(
            chunks, self.sizes if sizes is None else sizes, tail, self.dtype if dtype is None else dtype
        )

    def cut_as(self, sizes: Sequence[int]) -> Chunked:
        """The same rows in chunks of other sizes."""
        if self.sizes == tuple(sizes):
            return self
        if self.is_here:
            return Chunked(_recut(self.chunks, self.sizes, sizes), sizes, self.shape[1:], self.dtype)
        import dask.array as da

        parts = [
            da.from_delayed(_of_dask(chunk), (size, *self.shape[1:]), dtype=self.dtype)
            for chunk, size in zip(self.chunks, self.sizes, strict=True)
        ]
        lined_up = da.concatenate(parts).rechunk((tuple(sizes), *self.shape[1:]))
        # an optimised graph gives tasks of the chunks other work under their own names, and a scheduler that
        # knows them from an earlier look warns of deadlocks
        cut = lined_up.to_delayed(optimize_graph=False).ravel()
        return Chunked(cut, sizes, self.shape[1:], self.dtype)

    def first_rows(self, count: int) -> Any:
        """Some rows of the first chunk."""
        return compute([_later(partial(_head, count), self.chunks[0])])[0]

    @property
    def is_here(self) -> bool:
        """Whether all chunks are read on this machine, without dask."""
        return all(isinstance(chunk, Piece) for chunk in self.chunks)

    def sum(self) -> Any:
        """The sum of all numbers, added in the tree of `sum_of_chunks`."""
        return sum_of_chunks(_sum_of, None, [self], operator.add)

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
        fix=".compute() on all inputs if they fit (--in-memory, in_chunks=False for files), or on a sample of"
        " the same rows",
    )


def in_chunks(array: Array, sizes: Sequence[int]) -> Chunked:
    """An array in memory, cut into chunks of these sizes."""
    ends = np.cumsum(sizes)
    parts = (Piece(partial(_itself, array[end - size : end])) for size, end in zip(sizes, ends, strict=True))
    return Chunked(parts, sizes, array.shape[1:], array.dtype)


def _sum_of(_shared: None, chunk: Array) -> Any:
    return chunk.sum()


def _head(count: int, chunk: Any) -> Any:
    return chunk[:count]


def _itself(array: Array) -> Array:
    return array


def _recut(pieces: Sequence[Piece], sizes: Sequence[int], wanted: Sequence[int]) -> list[Piece]:
    """The same rows in pieces of other sizes, each read from those that it lies in."""
    ends = np.cumsum(sizes)
    cut, start = [], 0
    for size in wanted:
        first, last = np.searchsorted(ends, [start, start + size - 1], side="right")
        skipped = start - int(ends[first] - sizes[first])
        cut.append(Piece(partial(_rows_of, pieces[first : last + 1], skipped, size)))
        start += size
    return cut


def _rows_of(pieces: Sequence[Piece], skipped: int, size: int) -> Any:
    parts = [piece.read() for piece in pieces]
    return stacked(parts)[skipped : skipped + size]


def aligned(values: Any) -> Any:
    """The same values, dense or sparse, where numbers lie at multiples of their size.

    What one process sent to another may lie anywhere. NumPy copies that before it multiplies or sums it, in
    an order of its own, and last bits would depend on which worker had what.
    """
    if is_sparse(values):
        return values if values.data.flags.aligned else values.copy()
    return np.require(values, requirements="A")


def is_of_dask(obj: Any) -> bool:
    """Whether this is of dask, in rows or not; nothing is imported to find out."""
    return _is_of(obj, "dask")


def is_chunked(obj: Any) -> bool:
    """Whether this is a dask array, series or frame."""
    return _is_of(obj, "dask.array") or is_dask_frame(obj)


def is_dask_frame(obj: Any) -> bool:
    """Whether this is a dask series or data frame."""
    return _is_of(obj, "dask.dataframe") and hasattr(obj, "divisions")


def _is_of(obj: Any, module: str) -> bool:
    return module in sys.modules and any(
        f"{kind.__module__}.".startswith(f"{module}.") for kind in type(obj).__mro__
    )


def pieces_of(obj: Any) -> list[Any]:
    """The chunks of a dask object, in order, each to be computed by itself."""
    if is_dask_frame(obj):
        return list(obj.to_delayed())
    if obj.ndim > 1 and any(len(cuts) > 1 for cuts in obj.chunks[1:]):
        obj = obj.rechunk(dict.fromkeys(range(1, obj.ndim), -1))
    return list(obj.to_delayed().ravel())


def first_chunk(obj: Any) -> Any:
    """What the first chunk of a dask object holds."""
    return compute(pieces_of(obj)[:1])[0]


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


def for_each(work: Work, *columns: Sequence[Any], on_chunk: OnChunk = None) -> list[list[Any]]:
    """What ``work`` finds in every chunk of each column of chunks, all computed at once."""
    tasks = [_later(partial(work, place), chunk) for place, column in enumerate(columns) for chunk in column]
    made = iter(compute(tasks, on_chunk))
    return [[next(made) for _ in column] for column in columns]


def made_once(work: Work, *parts: Any) -> Any:
    """What ``work`` makes of chunks that lie beside each other, for later use by several others.

    Of pieces it is made here, now and once; of chunks of dask it is a task, done where they lie.
    """
    made = _later(work, *parts)
    return made.read() if isinstance(made, Piece) else made


def zipped(work: Work, *sides: Chunked, on_chunk: OnChunk = None) -> list[Any]:
    """What ``work`` finds in the chunks that lie beside each other."""
    return for_beside(work, *(side.chunks for side in sides), on_chunk=on_chunk)


def for_beside(work: Work, *columns: Sequence[Any], on_chunk: OnChunk = None) -> list[Any]:
    """The same of columns of chunks whose sizes are not known."""
    return compute([_later(work, *parts) for parts in zip(*columns, strict=True)], on_chunk)


def sum_of_chunks(
    work: Work, shared: Any, sides: Sequence[Chunked], add: Work, on_chunk: OnChunk = None
) -> Any:
    """``work(shared, *chunks)`` of all chunks that lie beside each other, added two by two.

    Neighbours are added first, then neighbours of these: a tree that depends on the number of chunks alone,
    so that no bit of the sum depends on who worked on what.
    """
    beside = list(zip(*(side.chunks for side in sides), strict=True))
    if all(side.is_here for side in sides):
        return _sum_here([_later(partial(work, shared), *parts) for parts in beside], add, on_chunk)
    once = _delayed(shared)
    sums = of_chunks = [_delayed(work)(once, *map(_of_dask, parts)) for parts in beside]
    while len(sums) > 1:
        pairs = [_delayed(add)(a, b) for a, b in zip(sums[::2], sums[1::2], strict=False)]
        sums = pairs + sums[2 * len(pairs) :]
    return compute(sums, on_chunk, of_chunks)[0]


def _sum_here(pieces: Sequence[Piece], add: Work, on_chunk: OnChunk) -> Any:
    """The sum of what pieces come to, in the tree of `sum_of_chunks`; only its open branches are kept.

    They hold sums of 2^i pieces, each more than the next: two that have become equal are added at once, and
    those that are left at the end from the last to the first, as the levels of the tree would.
    """
    branches: list[tuple[int, Any]] = []
    for made in _read_in_order(pieces, on_chunk):
        branches.append((1, made))
        while len(branches) > 1 and branches[-2][0] == branches[-1][0]:
            (size, last), (_, before) = branches.pop(), branches.pop()
            branches.append((2 * size, add(before, last)))
    total = branches.pop()[1]
    while branches:
        total = add(branches.pop()[1], total)
    return total


def _read_in_order(pieces: Sequence[Piece], on_chunk: OnChunk) -> Iterator[Any]:
    with one_blas_thread():
        for done, made in enumerate(in_order(_read, pieces), start=1):
            if on_chunk is not None:
                on_chunk(done, len(pieces))
            yield made


def _read(piece: Piece) -> Any:
    return piece.read()


def compute(tasks: Sequence[Any], on_chunk: OnChunk = None, of_chunks: Sequence[Any] = ()) -> list[Any]:
    """The values of delayed work: by whatever scheduler or client of dask is in use, or by threads here.

    ``on_chunk`` is told how many of ``of_chunks`` are done, of the tasks themselves where there are none; a
    scheduler on this machine counts every step on the way.
    """
    if all(isinstance(task, Piece) for task in tasks):
        return list(_read_in_order(tasks, on_chunk))
    import dask

    work = [_of_dask(task) for task in tasks]
    try:
        if on_chunk is None:
            return list(dask.compute(*work))
        client = _client_in_use()
        if client is not None:
            return _watched(client, work, of_chunks or work, on_chunk)
        with _steps_told(on_chunk):
            return list(dask.compute(*work))
    except Exception as problem:
        if any(words in str(problem) for words in LOST_CHUNKS):
            raise _chunks_lost(problem) from problem
        if _is_loss_of_workers(problem):
            raise _workers_lost(problem) from problem
        raise


def _client_in_use() -> Any:
    """The client of a cluster that dask would work on, or None; so too in workers, whom nobody watches."""
    if threading.current_thread() is not threading.main_thread():
        return None
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "gather") else None


def _watched(client: Any, work: Sequence[Any], of_chunks: Sequence[Any], on_chunk: Any) -> list[Any]:
    """What a cluster makes of delayed work, told of as it comes."""
    both = {task.key: task for task in (*of_chunks, *work)}
    futures = dict(zip(both, client.compute([*both.values()]), strict=True))
    finished: SimpleQueue[Any] = SimpleQueue()
    for task in of_chunks:
        futures[task.key].add_done_callback(finished.put)
    results = [futures[task.key] for task in work]
    del futures  # a sum of a chunk may go as soon as it was added to another
    for done in range(len(of_chunks)):
        finished.get()
        on_chunk(done + 1, len(of_chunks))
    return list(client.gather(results))


def _steps_told(on_chunk: Any) -> Any:
    """While this lasts, schedulers on this machine tell of every step they have done."""
    from dask.callbacks import Callback

    steps = {"done": 0, "in all": 0}

    def begin(_graph: Any, state: Any) -> None:
        steps["in all"] += sum(len(state[name]) for name in ("waiting", "ready", "running"))

    def step(*_: Any) -> None:
        steps["done"] += 1
        on_chunk(min(steps["done"], steps["in all"]), steps["in all"])

    return Callback(start_state=begin, posttask=step)


LOSSES = (
    "KilledWorker",
    "CommClosedError",
    "FutureCancelledError",
    "FuturesCancelledError",
    "CancelledError",
)
"""What distributed raises where workers, or the way to them, are gone."""


LOST_CHUNKS = ("Missing dependency", "lost dependencies")
"""What schedulers say of chunks that were kept on workers, and are not there any more."""


def _chunks_lost(problem: Exception) -> WorkerError:
    return WorkerError(
        "chunks that were kept on workers of dask are gone.",
        got=f"{type(problem).__name__}: {' '.join(str(problem).split())[:200]}",
        need="the client that keeps them (.persist()), open and in use",
        fix="make the array anew, and .persist() it again on the client in use",
    )


def _is_loss_of_workers(problem: Exception) -> bool:
    if isinstance(problem, BrokenExecutor):
        return True
    kinds = {kind.__name__ for kind in type(problem).__mro__ if kind.__module__.startswith("distributed")}
    return not kinds.isdisjoint(LOSSES)


def _workers_lost(problem: Exception) -> WorkerError:
    return WorkerError(
        "workers of dask ended in the middle of their work, and others did not take it over.",
        got=f"{type(problem).__name__}: {' '.join(str(problem).split())[:200]}",
        need="workers that live until their chunks are done",
        fix="smaller chunks, if they ran out of memory; the logs of the workers say why they ended",
    )


def _later(work: Work, *parts: Any) -> Any:
    """The work on chunks that lie beside each other, to be done when it is asked for."""
    if all(isinstance(part, Piece) for part in parts):
        return Piece(partial(_worked_on, work, parts))
    return _delayed(work)(*map(_of_dask, parts))


def _worked_on(work: Work, parts: Sequence[Piece]) -> Any:
    return work(*(part.read() for part in parts))


def _of_dask(chunk: Any) -> Any:
    """A chunk for dask, which reads a piece where it works on it."""
    return _delayed(chunk.read)() if isinstance(chunk, Piece) else chunk


def _delayed(work: Any) -> Any:
    import dask

    return dask.delayed(work, pure=False, traverse=False)
