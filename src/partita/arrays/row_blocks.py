"""Rows in blocks, on threads: how many, held to one thread, and kept from being interrupted."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any, TypeVar

from partita.errors import ParameterError

P = TypeVar("P")
T = TypeVar("T")

BLOCK_ROWS = 1 << 16
"""Rows of one block of memberships: enough that Python's part is small, few enough to share among threads."""

HARD_BLOCK_ROWS = 1 << 20
"""Rows of one block of labels."""

COMPILED_FROM = 100_000
"""Labels from which on compiled loops pay for being loaded."""

OPERATIONS_AT_A_TIME = 1 << 28
"""Additions and products of one compiled call, some tenths of a second; between two calls Ctrl-C is heard."""


def blocks(n: int, rows: int) -> Iterator[slice]:
    """Cut ``n`` rows into slices of a fixed size, whatever the number of threads."""
    for start in range(0, n, rows):
        yield slice(start, min(start + rows, n))


_alone: ContextVar[bool] = ContextVar("_alone", default=False)


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for everything inside: ours, BLAS and OpenMP. So the fits of a sweep run, on any worker."""
    before = _alone.set(True)
    try:
        with one_native_thread():
            yield
    finally:
        _alone.reset(before)


def one_native_thread() -> AbstractContextManager[Any]:
    """One thread for BLAS and OpenMP alone; unlike `one_thread`, a generator may yield inside."""
    limited: AbstractContextManager[Any] = _thread_controller(len(sys.modules)).limit(limits=1)
    return limited


@lru_cache(maxsize=4)
def _thread_controller(n_modules: int) -> Any:  # noqa: ARG001 (a new module may bring a new library)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def thread_count() -> int:
    """All cores of this process; one inside a worker process or thread; ``PARTITA_NUM_THREADS`` overrides.

    A thread of the pool that waited for the pool would wait for ever, so there it does not.
    """
    if _alone.get() or getattr(_here, "is_in_pool", False):
        return 1
    asked = os.environ.get("PARTITA_NUM_THREADS")
    if asked is not None:
        if not (asked.isascii() and asked.isdigit()) or int(asked) < 1:
            raise ParameterError(
                "PARTITA_NUM_THREADS is not a number of threads.", got=repr(asked), need="a whole number >= 1"
            )
        return int(asked)
    in_worker = multiprocessing.current_process().name != "MainProcess"
    if in_worker or threading.current_thread() is not threading.main_thread():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_blocks(
    work: Callable[[slice], T],
    n: int,
    rows: int,
    on_block: Callable[[int, int], None] | None = None,
    *,
    products: bool = False,
) -> list[T]:
    """Apply ``work`` to every block on a pool of threads; results come back in block order.

    ``products`` says that the work multiplies matrices: BLAS then keeps to one thread, since its own
    threads would fight with ours, and their number would change last bits.
    """
    slices = list(blocks(n, rows))
    done: list[T] = []
    with one_blas_thread() if products else nullcontext():
        for made in in_order(work, slices):
            done.append(made)
            if on_block is not None:
                on_block(len(done), len(slices))
    return done


def in_order(work: Callable[[P], T], pieces: Sequence[P]) -> Iterator[T]:
    """What ``work`` makes of each piece, on a pool of threads, in the order of the pieces.

    No more than a few are begun before their turn, so that what waits to be taken stays small.
    """
    threads = min(thread_count(), len(pieces))
    if threads <= 1:
        yield from map(held(work), pieces)
        return
    pool, begun = _pool(thread_count()), deque[Future[T]]()
    try:
        for piece in pieces:
            begun.append(pool.submit(work, piece))
            if len(begun) > 4 * threads:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    finally:
        for waiting in begun:
            waiting.cancel()


def held(work: Callable[..., T]) -> Callable[..., T]:
    """The same work, during which Ctrl-C waits.

    Numba runs Python code when it wraps the arrays that a loop returns. An interrupt that came during the
    loop is raised there, where nothing looks for it: it ends in a SystemError, or the process crashes.
    """

    def calmly(*args: Any) -> T:
        usual = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(usual):
            return work(*args)  # only the main thread hears signals
        came: list[tuple[int, Any]] = []
        signal.signal(signal.SIGINT, lambda *what: came.append(what))
        try:
            return work(*args)
        finally:
            signal.signal(signal.SIGINT, usual)
            if came:
                usual(*came[-1])

    return calmly


_here = threading.local()
"""Whether this thread is one of the pool."""


def _join_pool() -> None:
    _here.is_in_pool = True


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """One pool for all work of this process: starting threads anew costs more than many a pass.

    Work inside it never asks for it again, since `thread_count` is one there; a forked child makes its own.
    """
    return ThreadPoolExecutor(threads, thread_name_prefix="partita", initializer=_join_pool)


_blas_lock = threading.RLock()
_blas_users: Counter[int] = Counter()
"""How often each thread holds BLAS to one thread now, by its identity."""
_blas_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread; of several that ask at once, the first sets the limit, the last lifts it."""
    global _blas_limit
    own = threading.get_ident()
    with _blas_lock:
        if not _blas_users:
            _blas_limit = _thread_controller(0).limit(limits=1, user_api="blas")
        _blas_users[own] += 1
    try:
        yield
    finally:
        with _blas_lock:
            _leave_blas(own, _blas_users[own] - 1)


def _leave_blas(thread: int, remaining: int) -> None:
    """Write down how often a thread still holds BLAS to one thread; the last lifts the limit."""
    if remaining:
        _blas_users[thread] = remaining
    elif _blas_users.pop(thread, 0) and not _blas_users:
        _blas_limit.restore_original_limits()


def _in_forked_child() -> None:
    """Only the thread that forked lives on: the others' pool, and their hold on BLAS, are gone."""
    _pool.cache_clear()
    for thread in set(_blas_users) - {threading.get_ident()}:
        _leave_blas(thread, 0)
    _blas_lock.release()


if hasattr(os, "register_at_fork"):
    # a lock that another thread holds would stay locked in the child for ever, so it is taken first
    os.register_at_fork(
        before=_blas_lock.acquire, after_in_parent=_blas_lock.release, after_in_child=_in_forked_child
    )
