"""Candidates in one figure: names that are told apart, ranks, and which are shown where there are many."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from partita.plots.names import MOST_LETTERS, short_name
from partita.results.side_by_side import SideBySide

__all__ = ["best_candidates", "distinct_names", "leaders", "ranks", "short_statement"]

ROUNDING = 1e-12
"""Relative differences of values that are none."""


def distinct_names(names: Iterable[Any], most: int = MOST_LETTERS) -> dict[Any, str]:
    """Each name as figures write it, cut where it is long; names that then look alike are numbered."""
    made: dict[Any, str] = {}
    taken: set[str] = set()
    for name in names:
        text, again = short_name(name, most), 2
        while text in taken:
            text, again = f"{short_name(name, most - 5)} ({again})", again + 1
        made[name] = text
        taken.add(text)
    return made


def ranks(values: Mapping[Any, float], direction: str) -> dict[Any, float]:
    """For each name its rank: 1 is best, equal values share theirs; nan without a value or a direction."""
    if direction not in ("higher", "lower"):
        return dict.fromkeys(values, math.nan)
    sign = 1.0 if direction == "higher" else -1.0
    return {
        name: math.nan if math.isnan(own) else 1.0 + sum(_is_better(v, own, sign) for v in values.values())
        for name, own in values.items()
    }


def _is_better(value: float, own: float, sign: float) -> bool:
    return sign * value > sign * own and not math.isclose(value, own, rel_tol=ROUNDING, abs_tol=ROUNDING)


def best_candidates(
    ranked: Sequence[Mapping[Any, float]], names: Sequence[Any], most: int, leading: Collection[Any] = ()
) -> tuple[list[Any], tuple[str, ...]]:
    """The names that are shown, in their own order, and what is said of the others.

    Parameters
    ----------
    ranked : list of dict
        The ranks by each index; without a rank a name comes after all others.
    names : list
        All of them.
    most : int
        How many are shown.
    leading : collection of names
        Those that the verdict names: they come first.
    """
    if len(names) <= most:
        return list(names), ()

    def place(name: Any) -> tuple[bool, float]:
        return name not in leading, sum(_or_last(one.get(name, math.nan), len(names)) for one in ranked)

    best = set(sorted(names, key=place)[:most])
    first = "those that lead, then " if leading else ""
    note = f"{most} of {len(names)} are shown: {first}the best by mean rank over the indices shown"
    return [name for name in names if name in best], (note,)


def _or_last(rank: float, last: int) -> float:
    return float(last) if math.isnan(rank) else rank


def leaders(result: SideBySide) -> set[Any]:
    """The clusterings that some family of indices finds best."""
    return {name for names in result.families.values() for name in names}


def short_statement(result: SideBySide) -> str:
    """What is said of clusterings side by side, with names that a title has room for."""
    names = distinct_names(result.labels.values())
    short = {name: names[label] for name, label in result.labels.items()}
    renamed = SideBySide(
        results={short[name]: table for name, table in result.results.items()},
        same={short[name]: number for name, number in result.same.items()},
    )
    return renamed.statement
