"""Indices on axes: which of them a figure shows, what their axes are called, and how far these go."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from partita.errors import ParameterError, PartitaError, near_names
from partita.partitions import HARD, Kind
from partita.registry import find

__all__ = ["ShownIndices", "axis_text", "better_text", "finite", "known_range", "shown_indices", "view_of"]

Ends = tuple[float | None, float | None]

BETTER = {"higher": "higher is better", "lower": "lower is better"}

MARGIN = 0.06
"""Of the width of an axis, left free at either side."""


def better_text(direction: str) -> str:
    """Which way is better, in words."""
    return BETTER.get(direction, "neither high nor low is better")


def axis_text(label: str, symbol: str, direction: str) -> str:
    """What an axis of this index is called."""
    return f"{symbol or label}, {better_text(direction)}"


def finite(value: float | None) -> float | None:
    """The number, or None where it is none that can be drawn."""
    return None if value is None or not math.isfinite(value) else float(value)


def known_range(label: str, kinds: Iterable[Kind] = (HARD, HARD)) -> Ends:
    """Both ends of the range of an index that are finite numbers whatever the clusterings are."""
    try:
        ends = find(label).range_of(tuple(kinds))
    except PartitaError:
        return None, None
    low, high = (finite(end) if isinstance(end, (int, float)) else None for end in ends or (None, None))
    return low, high


def view_of(values: Iterable[float | None], ends: Ends = (None, None)) -> list[float]:
    """From where to where an axis goes that shows these values, and the ends of the range that there are."""
    known = [float(v) for v in (*values, *ends) if v is not None and math.isfinite(v)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    margin = MARGIN * (high - low) or 0.05 * max(abs(high), 1e-6)
    return [low - margin, high + margin]


@dataclass(frozen=True)
class ShownIndices:
    """The indices that a figure shows, and what is said of the others."""

    labels: tuple[str, ...]
    notes: tuple[str, ...] = ()


def shown_indices(known: Sequence[str], asked: Any, headline: Sequence[str], most: int) -> ShownIndices:
    """Those that were asked for, else those of the headline, else the first; no more than ``most``.

    Parameters
    ----------
    known : list of str
        The labels of the indices that the figure can show.
    asked : str or list of str, optional
        The user's choice, by names or symbols.
    headline : list of str
        What a digest prints.
    """
    if asked is not None:
        wanted = _asked(known, asked)
    else:
        wanted = [label for label in headline if label in known] or list(known)
    shown = tuple(wanted[:most])
    more = len(known) - len(shown)
    if not more:
        return ShownIndices(shown)
    return ShownIndices(shown, (f"{len(shown)} of {len(known)} indices are shown",))


def _asked(known: Sequence[str], asked: Any) -> list[str]:
    names = [asked] if isinstance(asked, str) else list(asked) if isinstance(asked, Iterable) else []
    if not names:
        raise ParameterError(
            "indices are named.", got=repr(asked)[:60], need="a name, or a list of names", parameter="indices"
        )
    found = []
    for name in names:
        label = _label(name)
        if label not in known:
            raise near_names(str(name), known, noun="index of this figure", parameter="indices")
        found.append(label)
    return list(dict.fromkeys(found))


def _label(name: Any) -> str:
    try:
        return find(name).label
    except PartitaError:
        return str(name)
