"""Titles of figures about an answer: its headline first."""

from __future__ import annotations

from typing import Any

from partita.plots.names import plain_name, short_name

__all__ = ["titled"]

MOST_LETTERS = 40
"""Letters of the name of a clustering in a title."""


def titled(result: Any, finding: str = "") -> str:
    """The answer and its strength, then the finding of the figure; the name of a clustering is cut."""
    head, chosen = result.answer.headline, getattr(result, "chosen", None)
    if chosen is not None:
        head = head.replace(chosen.label, short_name(chosen.label, MOST_LETTERS))
    head = plain_name(head)
    return f"{head}{'; ' if ': ' in head else ': '}{finding}" if finding else head
