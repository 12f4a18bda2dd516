"""The only room that tells what is waited for: on a terminal or in a notebook, never in a pipe.

It draws the progress bar, and says once that loops are being compiled.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE_SECONDS = 1.0
"""Work that ends sooner shows no bar."""


_taken = threading.Lock()
"""Held by the work whose bar may be drawn."""


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def say_compiling() -> None:
    """One line that says what is waited for before the first loop is compiled."""
    if _is_watched():
        print("partita: compiling loops for large data, once; this takes some seconds", file=sys.stderr)  # noqa: T201


@contextmanager
def bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """A function ``report(done, total)`` that draws a bar once the work has taken a while.

    Inside other work that has a bar there is none: the outer one tells more.
    """
    started = time.monotonic()
    drawn: list[Any] = []
    is_outermost = _taken.acquire(blocking=False)

    def report(done: int, total: int) -> None:
        if not drawn:
            if time.monotonic() - started < PATIENCE_SECONDS or done >= total:
                return
            if not (is_outermost and _is_watched()):
                return
            from rich.console import Console
            from rich.progress import Progress

            progress = Progress(console=Console(stderr=True), transient=True)
            progress.start()
            drawn.extend((progress, progress.add_task(description, total=total)))
        drawn[0].update(drawn[1], completed=done, total=total)

    try:
        yield report
    finally:
        if drawn:
            drawn[0].stop()
        if is_outermost:
            _taken.release()
