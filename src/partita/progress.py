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

PATIENCE_SECONDS = 1.0
"""Work that ends sooner shows no bar."""

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


class Drawing(ABC):
    """A bar that is on the screen."""

    @abstractmethod
    def move(self, done: int, total: int) -> None:
        """Show how far the work is."""

    @abstractmethod
    def end(self, *, whole: bool) -> None:
        """The work is over: done, or stopped on the way."""


class TerminalBar(Drawing):
    """A line that moves, and is gone when the work is over."""

    def __init__(self, description: str) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._progress.start()
        self._task = self._progress.add_task(description, total=None)

    def move(self, done: int, total: int) -> None:
        """Show how far the work is."""
        self._progress.update(self._task, completed=done, total=total)

    def end(self, *, whole: bool) -> None:  # noqa: ARG002
        """Remove the line."""
        self._progress.stop()


def waiting_time(seconds: float) -> str:
    """A time as one waits for it: 40 s, 3 min, 2 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.0f} h"


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
            self._write(f"{self._description}: {done} of {total}{self._left(now)}")

    def end(self, *, whole: bool) -> None:
        """Say what was done; work that ends before its last step, as one that converged, is done too."""
        took = f"{time.monotonic() - self._started:.0f} s"
        stopped = f"stopped at {self._done} of {self._total} after {took}"
        self._write(f"{self._description}: {f'done in {took}' if whole else stopped}")

    def _left(self, now: float) -> str:
        """How long the rest takes if it goes on like this; nothing where that is under a second."""
        seconds = (now - self._started) * (self._total - self._done) / self._done if self._done else 0.0
        return f", about {waiting_time(seconds)} left" if seconds >= 1.0 else ""

    def _write(self, text: str) -> None:
        display = import_module("IPython.display").display
        if self._place is None:
            self._place = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._place.update({"text/plain": text}, raw=True)


@contextmanager
def bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """A function ``report(done, total)`` that draws a bar once the work has taken a while.

    Inside other work that has a bar there is none: the outer one tells more.
    """
    started = time.monotonic()
    drawn: list[Drawing] = []
    is_outermost = _taken.acquire(blocking=False)

    def report(done: int, total: int) -> None:
        if not drawn:
            if time.monotonic() - started < PATIENCE_SECONDS or done >= total:
                return
            if not (is_outermost and _is_watched()):
                return
            drawn.append(NotebookLine(description, started) if _is_notebook() else TerminalBar(description))
        drawn[0].move(done, total)

    is_whole = False
    try:
        yield report
        is_whole = True
    finally:
        if drawn:
            drawn[0].end(whole=is_whole)
        if is_outermost:
            _taken.release()
