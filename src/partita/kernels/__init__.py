"""Every compiled loop. Serial, without the GIL, on one block of rows; each module is imported late."""

from __future__ import annotations

from collections.abc import Callable


def _nobody_listens() -> None:
    pass


announce: Callable[[], None] = _nobody_listens
"""Called once, just before the first loop is compiled; not when all come from the cache."""
