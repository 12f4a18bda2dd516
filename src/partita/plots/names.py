"""Names of clusters, objects and columns as figures write them: short, in one line, and without tricks."""

from __future__ import annotations

import unicodedata
from typing import Any

__all__ = ["MOST_LETTERS", "plain_name", "short_name"]

MOST_LETTERS = 24

DIRECTIONS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c")
"""Characters that turn the direction of what follows."""


def plain_name(name: Any) -> str:
    """A name as text in one line: what does not print, or turns the direction of text, as its code."""
    text = " ".join(str(name).split())
    return "".join(_shown(c) for c in text) or "''"


def _shown(letter: str) -> str:
    hidden = letter in DIRECTIONS or unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn")
    return f"\\u{ord(letter):04x}" if hidden and letter != "\u200d" else letter


def short_name(name: Any, most: int = MOST_LETTERS) -> str:
    """The same, cut with an ellipsis where it is longer than ``most`` letters."""
    text = plain_name(name)
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
