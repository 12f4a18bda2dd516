"""Tasks on workers: one thread each, results in order, saved as soon as they are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import one_thread
from partita.errors import ParameterError
from partita.progress import bar
from partita.sweeps.checkpoints import Checkpoint, Record


@dataclass(frozen=True)
class Task:
    """One piece of a sweep: a key that names its files, and what the work is called with."""

    key: str
    arguments: tuple[Any, ...]


def check_count(name: str, value: Any) -> None:
    """Refuse what is no whole number from 1 on."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ParameterError(f"{name} is no count.", got=repr(value), need="a whole number >= 1")


def numbers_of_clusters(ks: Iterable[int], n: int) -> tuple[int, ...]:
    """Numbers of clusters, each once, rising."""
    listed: list[Any] = list(ks) if isinstance(ks, Iterable) else [ks]
    good = all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) and 1 <= k <= n for k in listed)
    if not listed or not good:
        raise ParameterError(
            "ks are no numbers of clusters.", got=repr(listed)[:100], need=f"whole numbers from 1 to n = {n}"
        )
    return tuple(sorted({int(k) for k in listed}))


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
    workers. Workers are joblib's: its back ends (dask, Ray, Spark) serve as well.
    """
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits

    if n_jobs is not None and (not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0):
        raise ParameterError("n_jobs is no count of workers.", got=repr(n_jobs), need="a whole number, not 0")
    # the limit of the whole holds where tasks are threads, each of which would lift that of the others
    with bar(description) as report, threadpool_limits(limits=1):
        pool = Parallel(n_jobs=n_jobs, return_as="generator")
        records = pool(delayed(_one)(work, task, checkpoint) for task in tasks)
        for done, record in enumerate(records, start=1):
            report(done, len(tasks))
            yield record


def _one(work: Callable[..., Record], task: Task, checkpoint: Checkpoint | None) -> Record:
    known = checkpoint.load(task.key) if checkpoint is not None else None
    if known is not None:
        return known
    with one_thread():
        record = work(*task.arguments)
    if checkpoint is not None:
        checkpoint.save(task.key, record)
    return record
