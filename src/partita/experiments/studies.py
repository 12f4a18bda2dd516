"""Studies: the parts of a paper that are run again, each as tasks for workers and a gathering of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partita.experiments.findings import Finding
from partita.fits.checkpoints import Record
from partita.fits.tasks import Task, task_seed
from partita.plots import FigureData
from partita.results import Table

__all__ = ["Outlook", "Paper", "Part", "Record", "Run", "Study", "Task"]


@dataclass(frozen=True)
class Run:
    """How a study is run.

    Attributes
    ----------
    quick : bool
        Whether small versions are enough.
    seed : int
        From which all seeds are derived.
    missing : dict
        Data sets that cannot be had, each with the way to get it.
    """

    quick: bool = False
    seed: int = 0
    missing: Mapping[str, str] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Whether a data set can be had."""
        return name not in self.missing

    def task_seed(self, *place: int) -> int:
        """The seed of one task: by the root and its place alone."""
        return task_seed(self.seed, *place)


@dataclass(frozen=True)
class Part:
    """What a study came to.

    Attributes
    ----------
    findings : tuple of Finding
        Each number and statement with what it comes to.
    figures : dict of FigureData
        By a short name that files can have.
    tables : tuple of Table
        What stands beside the paper's tables.
    remarks : tuple of str
        What a reader must know: settings that the paper does not state, what was fitted, what was left out.
    """

    findings: tuple[Finding, ...] = ()
    figures: Mapping[str, FigureData] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """One table, figure or section of a paper.

    Attributes
    ----------
    name : str
        By which ``only`` asks for it: "table2".
    title : str
        What it is, in words.
    plan : callable
        ``plan(run)`` gives the tasks; each has a key, and arguments for ``work``.
    work : callable
        ``work(*arguments)`` gives a `Record`: values that JSON holds, and arrays. A function of a module, so
        that workers find it; it depends on nothing but its arguments.
    gather : callable
        ``gather(records, run)``, the records by the keys of their tasks, gives the `Part`.
    data : tuple of str
        Data sets that it needs, by their names in `partita.datasets`.
    """

    name: str
    title: str
    plan: Callable[[Run], Sequence[Task]]
    work: Callable[..., Record]
    gather: Callable[[Mapping[str, Record], Run], Part]
    data: tuple[str, ...] = ()


Outlook = Callable[[Mapping[str, Part]], Sequence[str]]
"""What a user should take from it, from the parts that were run: sentences that their numbers carry."""


@dataclass(frozen=True)
class Paper:
    """A paper that is run again.

    Attributes
    ----------
    key : str
        "rovetta2009".
    title : str
        Of the paper.
    studies : tuple of Study
        In the order of the paper.
    lessons : callable
        What a user should take from it.
    """

    key: str
    title: str
    studies: tuple[Study, ...]
    lessons: Outlook

    def study(self, name: str) -> Any:
        """The study of that name, or None."""
        return next((one for one in self.studies if one.name == name), None)
