"""Words for sentences: a text as a sentence, lists of names, numbers of things."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["clusters", "joined", "sentence"]

MOST_NAMED = 4


def sentence(text: str) -> str:
    """A text as a sentence: a capital letter in front, a stop behind."""
    text = text.strip()
    word = text.partition(" ")[0]
    is_name = "_" in word or text.startswith("k =")  # of an index, or a letter of a formula
    first = text if is_name else text[:1].upper() + text[1:]
    return first if first.endswith((".", "!", "?")) else f"{first}."


def joined(texts: Sequence[str], most: int = MOST_NAMED) -> str:
    """The first few texts: "a", "a and b", "a, b and 4 more"."""
    shown = list(texts[:most])
    if len(texts) > most:
        return f"{', '.join(shown)} and {len(texts) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def clusters(k: int) -> str:
    """The number of clusters in words."""
    return "one cluster" if k == 1 else f"{k} clusters"
