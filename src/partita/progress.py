"""The only room that tells what is waited for: on a terminal or in a notebook, never in a pipe.

It draws the progress bar, and says once that loops are being compiled.
"""

from __future__ import annotations

import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from partita.errors import PartitaError

PATIENCE_SECONDS = 1.0
"""Work that ends sooner shows no bar."""

LONG_SECONDS = 60.0
"""Work that takes longer is told before it starts, with what it costs."""

NOTEBOOK_SECONDS = 0.2
"""A notebook is told no more often: each time is a message to the browser."""

_taken = threading.Lock()
"""Held by the work whose bar may be drawn."""

_silencers: list[None] = []
"""One for each `silenced` that is going on."""


def _is_notebook() -> bool:
    """Whether a Jupyter kernel runs this; that one of its packages was imported says nothing."""
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return getattr(shell, "kernel", None) is not None


@contextmanager
def silenced(is_silent: bool = True) -> Iterator[None]:
    """Meanwhile nothing is told of what is waited for."""
    if not is_silent:
        yield
        return
    _silencers.append(None)
    try:
        yield
    finally:
        _silencers.pop()


def _is_watched() -> bool:
    if _silencers:
        return False
    stream = sys.stderr
    return (stream is not None and stream.isatty()) or _is_notebook()


def say_compiling() -> None:
    """One line that says what is waited for before the first loop is compiled."""
    if _is_watched():
        print("partita: compiling loops for large data, once; this takes some seconds", file=sys.stderr)  # noqa: T201


def say_cost(what: str, work: float, trial: Callable[[], float], *, instead: str = "") -> None:
    """One line before long work starts: what it is, how long it takes at the rate of a trial, what is short.

    ``trial`` does a little of it and returns how much, in the unit of ``work``. It runs twice, and the second
    time counts: the first may load compiled loops.
    """
    if not _is_watched():
        return
    try:
        trial()
        started = time.monotonic()
        done = trial()
    except PartitaError:
        return  # a few objects may lack what all have, such as spread; the work tells what is wrong with all
    seconds = work * (time.monotonic() - started) / done
    if seconds >= LONG_SECONDS:
        offer = f"; {instead} takes a sample" if instead else ""
        line = f"partita: {what}, about {waiting_time(seconds)} at the rate measured here{offer}"
        print(line, file=sys.stderr)  # noqa: T201


class Drawing(ABC):
    """A bar that is on the screen."""

    @abstractmethod
    def move(self, done: int, total: int) -> None:
        """Show how far the work is."""

    @abstractmethod
    def end(self, *, whole: bool) -> None:
        """The work is over: done, or stopped on the way."""


def waiting_time(seconds: float) -> str:
    """A time as one waits for it: 40 s, 3 min, 2 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.0f} h"


def time_left(taken: float, done: int, total: int) -> str:
    """How long the rest takes if it goes on like this; nothing where that is under a second, or unknown."""
    seconds = taken * (total - done) / done if done else 0.0
    return f"about {waiting_time(seconds)} left" if seconds >= 1.0 else ""


class TerminalBar(Drawing):
    """A line that moves, and is gone when the work is over."""

    def __init__(self, description: str, started: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
        left = TextColumn("{task.fields[left]}")
        self._started = started
        self._progress = Progress(*columns, left, console=Console(stderr=True), transient=True)
        self._progress.start()
        self._task = self._progress.add_task(description, total=None, left="")

    def move(self, done: int, total: int) -> None:
        """Show how far the work is."""
        left = time_left(time.monotonic() - self._started, done, total)
        self._progress.update(self._task, completed=done, total=total, left=left)

    def end(self, *, whole: bool) -> None:  # noqa: ARG002
        """Remove the line."""
        self._progress.stop()


class NotebookLine(Drawing):
    """A line of text that is rewritten in its place, and ends as what was done and how long it took.

    A notebook cannot take an output back: cleared, it stays as an empty one below the cell, and clearing the
    whole cell would take the user's own outputs along. So the line stays and says something.
    """

    def __init__(self, description: str, started: float) -> None:
        self._description, self._started = description, started
        self._place: Any = None
        self._shown, self._done, self._total = 0.0, 0, 0

    def move(self, done: int, total: int) -> None:
        """Show how far the work is, now and then."""
        self._done, self._total = done, total
        now = time.monotonic()
        if now - self._shown >= NOTEBOOK_SECONDS:
            self._shown = now
            left = time_left(now - self._started, done, total)
            self._write(f"{self._description}: {done} of {total}{', ' * bool(left)}{left}")

    def end(self, *, whole: bool) -> None:
        """Say what was done; work that ends before its last step, as one that converged, is done too."""
        took = f"{time.monotonic() - self._started:.0f} s"
        stopped = f"stopped at {self._done} of {self._total} after {took}"
        self._write(f"{self._description}: {f'done in {took}' if whole else stopped}")

    def _write(self, text: str) -> None:
        display = import_module("IPython.display").display
        if self._place is None:
            self._place = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._place.update({"text/plain": text}, raw=True)


class _Work:
    """Work that has a bar once it has taken a while, be the first of its steps done by then or not."""

    def __init__(self, description: str) -> None:
        self._description, self._started = description, time.monotonic()
        self._drawn: Drawing | None = None
        self._steps: tuple[int, int] | None = None
        self._is_over = False
        self._drawing = threading.Lock()
        self._patience: threading.Timer | None = None
        if _is_watched() and not _is_notebook():  # what another thread shows goes to another cell
            self._patience = threading.Timer(PATIENCE_SECONDS, self._draw)
            self._patience.daemon = True
            self._patience.start()

    def move(self, done: int, total: int) -> None:
        """So many steps are done."""
        self._steps = done, total
        if self._drawn is not None:
            self._drawn.move(done, total)
        elif time.monotonic() - self._started >= PATIENCE_SECONDS and done < total and _is_watched():
            self._draw()

    def _draw(self) -> None:
        with self._drawing:
            if self._drawn is not None or self._is_over:
                return
            if _is_notebook():
                self._drawn = NotebookLine(self._description, self._started)
            else:
                self._drawn = TerminalBar(self._description, self._started)
            if self._steps is not None:
                self._drawn.move(*self._steps)

    def end(self, *, whole: bool) -> None:
        """It is over."""
        if self._patience is not None:
            self._patience.cancel()
        with self._drawing:
            self._is_over = True
            if self._drawn is not None:
                self._drawn.end(whole=whole)


def _nobody_looks(_done: int, _total: int) -> None:
    pass


@contextmanager
def bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """A function ``report(done, total)`` for work that has a bar once it has taken a while.

    Inside other work that has a bar there is none: the outer one tells more.
    """
    if not _taken.acquire(blocking=False):
        yield _nobody_looks
        return
    is_whole = False
    try:
        work = _Work(description)
        try:
            yield work.move
            is_whole = True
        finally:
            work.end(whole=is_whole)
    finally:
        _taken.release()
