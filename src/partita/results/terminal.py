"""What the screen that a person looks at can show: how wide it is, and whether it has bold letters."""

from __future__ import annotations

import os
import shutil
import sys

__all__ = ["has_bold", "screen_width"]

WIDTH_OF_FILES = 110
"""For what no terminal shows: the same on every machine."""

LEAST_WIDTH = 40
"""In a narrower terminal lines break by themselves."""


def screen_width() -> int:
    """The columns of the terminal that standard output goes to; a fixed number where it goes elsewhere."""
    if not _shows_output():
        return WIDTH_OF_FILES
    return max(LEAST_WIDTH, shutil.get_terminal_size((WIDTH_OF_FILES, 24)).columns)


def has_bold() -> bool:
    """Whether standard output is a terminal with bold letters, which the user has not refused (NO_COLOR)."""
    return _shows_output() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _shows_output() -> bool:
    stream = sys.stdout
    return stream is not None and not stream.closed and stream.isatty()
