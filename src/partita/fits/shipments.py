"""What many tasks are given: pickled once, sent to each worker once, kept there while the work goes on."""

from __future__ import annotations

import pickle
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any
from uuid import uuid4

import numpy as np

from partita.arrays import Array, read_only
from partita.errors import WorkerError

__all__ = ["LEAST_BYTES", "Shared", "Shipment", "current_shipment", "has_workers_again", "one_shipment"]

LEAST_BYTES = 1000
"""What is smaller goes with each task: to look for it elsewhere would cost more."""

MOST_COPIED = 1 << 24
"""Bytes of a memory map that a worker copies: joblib waits a second for files that workers go on mapping."""

PLAIN = (bool, int, float, str, type(None))


class Shared:
    """Something that several tasks are given.

    Where tasks are threads it is never pickled. Else it is pickled once, its arrays beside it: joblib puts
    large ones into files that all workers of a machine map, or sends them to the workers of a cluster. Each
    worker unpickles it once, without a copy of large arrays; they are read-only there.

    Attributes
    ----------
    content : object
        The thing itself.
    shipment, place : str, int
        By which a worker knows that it has it.
    """

    def __init__(self, content: Any, shipment: str, place: int) -> None:
        self.content = content
        self.shipment = shipment
        self.place = place

    @cached_property
    def pieces(self) -> tuple[Array, ...]:
        """The pickle, and the memory of each array in it, as bytes."""
        try:
            import cloudpickle  # functions of a notebook can be sent, too
        except ImportError:  # an older joblib brings its own
            from joblib.externals import cloudpickle

        buffers: list[pickle.PickleBuffer] = []
        try:
            pickled = cloudpickle.dumps(self.content, protocol=5, buffer_callback=buffers.append)
        except (TypeError, AttributeError, pickle.PicklingError) as problem:
            raise pickle.PicklingError(f"{type(self.content).__name__}: {problem}") from None
        return np.frombuffer(pickled, np.uint8), *map(_bytes_of, buffers)

    def __sizeof__(self) -> int:
        return sum(piece.nbytes for piece in self.pieces)

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (self.shipment, self.place, *self.pieces)


def _bytes_of(buffer: pickle.PickleBuffer) -> Array:
    """The memory of an array; of one that maps a file, joblib must see that it does, and send its name."""
    owner = memoryview(buffer).obj
    if isinstance(owner, np.ndarray) and owner.flags.c_contiguous:
        return owner.reshape(-1).view(np.uint8)
    return np.frombuffer(buffer.raw(), np.uint8)


_here: tuple[str, dict[int, Shared]] = ("", {})
"""On a worker: the shipment that it works on, and what has come of it."""

_arriving = threading.Lock()


def _arrived(shipment: str, place: int, *pieces: Array) -> Shared:
    """On a worker: the thing that these pieces are, or that came before. Older shipments are let go."""
    global _here
    with _arriving:
        if _here[0] != shipment:
            _here = (shipment, {})
        things = _here[1]
        if place not in things:
            if sum(piece.nbytes for piece in pieces) <= MOST_COPIED:
                pieces = tuple(piece.copy() for piece in pieces)
            pickled, *buffers = map(read_only, pieces)
            made = Shared(pickle.loads(pickled.data, buffers=buffers), shipment, place)  # noqa: S301 (our own)
            made.pieces = pieces  # one worker may send it on to another
            things[place] = made
        return things[place]


class Shipment:
    """All that the tasks of one piece of work share."""

    def __init__(self) -> None:
        self.name = uuid4().hex
        self._things: dict[int, Shared] = {}
        self._futures: dict[int, Any] = {}

    def packed(self, rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """The arguments of each task, with a `Shared` in the place of what more than one is given."""
        times = Counter(place for row in rows for place in {id(one) for one in row})
        for row in rows:
            yield tuple(self._shared(one) if self._is_shared(one, times[id(one)]) else one for one in row)

    def _is_shared(self, thing: Any, times: int) -> bool:
        return not isinstance(thing, PLAIN) and (times > 1 or id(thing) in self._things)

    def _shared(self, thing: Any) -> Shared:
        # it keeps the thing, so that the identity is not that of another one later
        return self._things.setdefault(id(thing), Shared(thing, self.name, len(self._things)))

    @contextmanager
    def scattered(self, backend: Any, rows: Sequence[tuple[Any, ...]]) -> Iterator[None]:
        """Have a dask cluster hold what these tasks share, on every worker, before they come.

        joblib would do so by itself, but anew for each of its calls, and on one worker only.
        """
        known = getattr(backend, "data_futures", None)
        if known is None:  # another back end than dask's
            yield
            return
        try:
            backend.effective_n_jobs(-1)  # it waits for workers
        except TimeoutError as problem:
            raise WorkerError(
                "the dask cluster has no worker.",
                got=str(problem).partition(". ")[0],
                need="a worker that is there in time",
                fix='joblib.parallel_config("dask", wait_for_workers_timeout=60) waits longer',
            ) from None
        things = {id(one): one for row in rows for one in row if isinstance(one, Shared)}
        for place, thing in things.items():
            held = self._futures.get(place)
            was_lost = held is not None and held.status != "finished"
            if (held is None or was_lost) and thing.__sizeof__() > LEAST_BYTES:
                self._futures[place] = backend.client.scatter(thing, broadcast=True, hash=False)
        known.update(self._futures)
        try:
            yield
        finally:
            for place in self._futures:
                known.pop(place, None)


def has_workers_again(backend: Any) -> bool:
    """Whether a dask cluster that lost workers has several in time: with one, joblib would work right here.

    What ended those workers could then end this process, too.
    """
    until = time.monotonic() + backend.wait_for_workers_timeout
    while sum(backend.client.ncores().values()) < 2:
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


_current: ContextVar[Shipment | None] = ContextVar("_current", default=None)


def current_shipment() -> Shipment:
    """That of the work that is going on, or a new one."""
    return _current.get() or Shipment()


@contextmanager
def one_shipment() -> Iterator[None]:
    """Inside, or in a function that this decorates, all tasks are of one piece of work.

    What they share must not change meanwhile: a worker that has it would not see that.
    """
    before = _current.set(_current.get() or Shipment())
    try:
        yield
    finally:
        _current.reset(before)
