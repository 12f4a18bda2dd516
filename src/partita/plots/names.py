"""Names of clusters, objects and columns as figures write them: short, in one line, and without tricks."""

from __future__ import annotations

from typing import Any

from partita.partitions import plain_name

__all__ = ["MOST_LETTERS", "plain_name", "short_name"]

MOST_LETTERS = 24


def short_name(name: Any, most: int = MOST_LETTERS) -> str:
    """The same, cut with an ellipsis where it is longer than ``most`` letters."""
    text = plain_name(name)
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
