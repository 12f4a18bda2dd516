"""Tasks on workers: one thread each, results in order, saved as soon as they are there."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import one_native_thread, one_thread
from partita.errors import ParameterError, Phrase, Setting, TooLargeError, WorkerError
from partita.fits.checkpoints import Checkpoint, Record
from partita.fits.shipments import LEAST_BYTES, Shared, current_shipment, has_workers_again
from partita.progress import bar

MOST_TASKS = 1_000_000
"""Fits of one sweep: even a millisecond each is more than a quarter of an hour."""

MOST_SHOWN = 100
"""Characters of an input that an error quotes."""

MOST_WORKERS = 10_000
"""More than any cluster of machines has; joblib itself refuses a million."""


@dataclass(frozen=True)
class Task:
    """One piece of a sweep: a key that names its files, and what the work is called with."""

    key: str
    arguments: tuple[Any, ...]


NO_NUMBERS = Phrase(Setting("ks"), " are no numbers of clusters.")


def check_workers(n_jobs: Any) -> None:
    """Refuse what is no number of workers."""
    is_count = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not is_count or not 0 < abs(n_jobs) <= MOST_WORKERS):
        what = Phrase(Setting("n_jobs"), " is no count of workers.")
        need = f"a whole number, not 0, from -{MOST_WORKERS:,} to {MOST_WORKERS:,}"
        raise ParameterError(what, got=repr(n_jobs)[:60], need=need)


def check_count(name: str, value: Any) -> None:
    """Refuse what is no whole number from 1 on."""
    if not _is_count(value):
        raise ParameterError(
            Phrase(Setting(name), " is no count."), got=_brief(value), need="a whole number >= 1"
        )


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 1)


def numbers_of_clusters(ks: Any, n: int) -> tuple[int, ...]:
    """Numbers of clusters, each once, rising; the first that is none is refused, and no more are read."""
    need = f"whole numbers from 1 to n = {n}"
    numbers: set[int] = set()
    is_one = not isinstance(ks, Iterable) or (isinstance(ks, np.ndarray) and ks.ndim == 0)
    for place, k in enumerate([ks] if is_one else ks):
        if not _is_count(k) or k > n:
            raise ParameterError(NO_NUMBERS, got=f"{_brief(k)}, in {_brief(ks)}", need=need)
        refuse_many("numbers of clusters", place + 1)
        numbers.add(int(k))
    if not numbers:
        raise ParameterError(NO_NUMBERS, got=_brief(ks), need=need)
    return tuple(sorted(numbers))


def _brief(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python writes no integers of more than some thousand digits
        return "a number with thousands of digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def refuse_many(what: str, count: int) -> None:
    """Refuse more pieces of work than can be listed, before any is."""
    if count > MOST_TASKS:
        raise TooLargeError(
            f"these are too many {what}.",
            got=f"{count:.3g}" if count < 1e300 else "a number of more than 300 digits",
            need=f"at most {MOST_TASKS:,}",
            fix="fewer numbers of clusters, runs or repeats",
        )


def task_seed(root: int, *place: int) -> int:
    """The seed of one task: it depends on the root and on where the task stands, not on the other tasks."""
    return int(np.random.SeedSequence(root, spawn_key=place).generate_state(1)[0])


def run_tasks(
    work: Callable[..., Record],
    tasks: Sequence[Task],
    *,
    n_jobs: int | None,
    description: str,
    checkpoint: Checkpoint | None = None,
) -> Iterator[Record]:
    """The records of all tasks, in their order; those in the checkpoint are read, not computed again.

    Each task has one thread for itself, whatever ``n_jobs``, so that results are the same for any number of
    workers. Workers are joblib's: its back ends (dask, Ray, Spark) serve as well. What several tasks are
    given is sent to a worker once.
    """
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    check_workers(n_jobs)
    backend = get_active_backend()[0]
    shipment = current_shipment()
    rows = list(shipment.packed([task.arguments for task in tasks]))
    one_by_one = bool(backend.supports_return_generator or getattr(backend, "supports_sharedmem", False))
    done, may_try_again = 0, True
    # the limit of the whole holds where tasks are threads, each of which would lift that of the others
    with bar(description) as report, one_native_thread():
        while done < len(tasks):
            # those of Ray and Spark give all at the end
            pool = Parallel(
                n_jobs=n_jobs, return_as="generator" if one_by_one else "list", max_nbytes=LEAST_BYTES
            )
            calls = zip(tasks[done:], rows[done:], strict=True)
            try:
                with shipment.scattered(backend, rows):
                    with _deaf_workers() if one_by_one and pool.n_jobs != 1 else nullcontext():
                        records = pool(delayed(_one)(work, task.key, checkpoint, *row) for task, row in calls)
                    for record in records:
                        done += 1
                        report(done, len(tasks))
                        yield record
            except pickle.PicklingError as problem:
                raise _cannot_be_sent(problem) from None
            except Exception as problem:
                if not _is_loss_of_worker(problem):
                    raise
                # a dask cluster that lost what tasks share, but not these, goes on when it has it again
                if may_try_again and isinstance(problem, CancelledError) and has_workers_again(backend):
                    may_try_again = False
                    continue
                raise _lost_worker(problem, description, tasks, done, checkpoint) from None


@contextmanager
def _deaf_workers() -> Iterator[None]:
    """Have processes that are started inside not hear Ctrl-C, which waits here as long.

    A terminal sends it to all of them, and a worker that hears it between two tasks prints where it was.
    Whoever started them hears it too, and ends them.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # the first worker would, and some Pythons unmask signals in there
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _one(work: Callable[..., Record], key: str, checkpoint: Checkpoint | None, *row: Any) -> Record:
    known = checkpoint.load(key) if checkpoint is not None else None
    if known is not None:
        return known
    with one_thread():
        record = work(*(one.content if isinstance(one, Shared) else one for one in row))
    if checkpoint is not None:
        checkpoint.save(key, record)
    return record


def _cannot_be_sent(problem: pickle.PicklingError) -> ParameterError:
    told = str(problem.__cause__ or problem).strip('"\n ').splitlines()[-1]  # loky's cause is a traceback
    return ParameterError(
        "this cannot be sent to worker processes.",
        got=told.removeprefix("_pickle.PicklingError: "),
        need="a method, and data, that can be pickled",
        fix=Phrase(Setting("n_jobs", 1), " needs no other process"),
        parameter="estimator",
    )


def _is_loss_of_worker(problem: Exception) -> bool:
    """Whether a worker ended, or on a dask cluster so many that a task or what it needs is given up."""
    return isinstance(problem, (BrokenExecutor, CancelledError)) or type(problem).__name__ == "KilledWorker"


def _lost_worker(
    problem: Exception, description: str, tasks: Sequence[Task], done: int, checkpoint: Checkpoint | None
) -> WorkerError:
    reason = " ".join(str(problem).split())
    fewer = "; fewer workers need less memory"
    if checkpoint is None:
        fix = Phrase(Setting("checkpoint", words="checkpoint=..."), " keeps what is done", fewer)
    else:
        kept = sum(checkpoint.holds(task.key) for task in tasks)
        fix = Phrase(
            f"the same call goes on from {checkpoint.folder}, which keeps {kept} of {len(tasks)} tasks", fewer
        )
    return WorkerError(
        "a worker process ended in the middle of its work.",
        got=f"{description}: {done} of {len(tasks)} tasks were done; {reason}",
        need="workers that live on; a system that runs out of memory kills them",
        fix=fix,
    )
