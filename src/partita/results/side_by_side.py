"""Several clusterings of the same objects, judged by the same indices, side by side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from partita.errors import near_names
from partita.registry import find
from partita.results.index_rows import IndexTable, method_of
from partita.results.result import Result, join_texts
from partita.results.tables import Table

__all__ = ["SideBySide", "provenance_together"]

BEFORE = ("index", "symbol", "best", "direction")
AFTER = ("better", "caveat")
"""Columns around those of the clusterings."""


@dataclass(frozen=True, repr=False)
class SideBySide(Result):
    """Several clusterings of the same objects, index by index, on one scale.

    Where the clusterings are of different kinds, every index of the data that hard labels have is computed on
    hardened labels: its form for memberships is another quantity, and often the better one by that alone.

    Attributes
    ----------
    results : dict of Validation or Comparison
        One for each clustering, by its name.
    title : str
        What was judged, in words.
    """

    results: Mapping[Any, IndexTable] = field(default_factory=dict)
    title: str = ""

    def __getitem__(self, name: Any) -> Any:
        known = {**{self.labels[n]: result for n, result in self.results.items()}, **self.results}
        if not isinstance(name, Hashable) or name not in known:
            raise near_names(str(name), self.labels.values(), noun="clustering")
        return known[name]

    @cached_property
    def labels(self) -> dict[Any, str]:
        """The column of each clustering: its name, in quotes where a column of that name is there already."""
        times = Counter([*BEFORE, *AFTER, "", *map(str, self.results)])
        labels: dict[Any, str] = {}
        for name in self.results:
            label = str(name) if times[str(name)] == 1 else repr(name)
            again = 2
            while label in labels.values() or label in (*BEFORE, *AFTER, ""):
                label, again = f"{name!r} ({again})", again + 1
            labels[name] = label
        return labels

    @property
    def wins(self) -> dict[Any, int]:
        """For each clustering, how many indices find it better than all others."""
        better = [row["better"] for row in self.records()]
        return {name: better.count(label) for name, label in self.labels.items()}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*BEFORE, *self.labels.values(), *AFTER)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary an index: its value for each clustering, and which of them it finds better.

        An index that looks at neither the data nor a truth finds none better.
        """
        listed = dict.fromkeys(row.index for result in self.results.values() for row in result.rows)
        return [self._record(name) for name in listed]

    def _record(self, index: str) -> dict[str, Any]:
        rows = {self.labels[n]: result[index] for n, result in self.results.items() if index in result}
        known = next(iter(rows.values()))
        values = {label: rows[label].value if label in rows else math.nan for label in self.labels.values()}
        can_judge = len(find(index.partition(":")[0]).inputs) > 1
        return {
            "index": index,
            "symbol": known.symbol,
            "best": known.best,
            "direction": known.direction,
            **values,
            "better": _better(values, known.direction) if can_judge else "",
            "caveat": join_texts(list(dict.fromkeys(row.caveat for row in rows.values()))),
        }

    def table(self) -> Table:
        """The indices, as they print."""
        rows = tuple(
            tuple(None if k == "best" and math.isnan(v) else v for k, v in row.items())
            for row in self.records()
        )
        won = ", ".join(f"{self.labels[name]} by {count}" for name, count in self.wins.items())
        notes = (*self.notes, f"judged better: {won} of the indices, many of which are kin")
        return Table(self.title, self.columns, rows, notes).without_blank_columns()


def _better(values: Mapping[str, float], direction: str) -> str:
    """The name of the single best value, or nothing."""
    if direction == "none" or any(math.isnan(v) for v in values.values()):
        return ""
    choose = max if direction == "higher" else min
    best = choose(values.values())
    names = [name for name, value in values.items() if value == best]
    return names[0] if len(names) == 1 else ""


def provenance_together(results: Mapping[Any, IndexTable]) -> dict[str, Any]:
    """What all clusterings have in common, and lists of what each has of its own."""
    each = [result.provenance for result in results.values()]
    lists = {n: [p[n] for p in each] for n in ("n", "coverage") if len({p[n] for p in each}) > 1}
    lists |= {name: [one for p in each for one in p[name]] for name in ("kinds", "clusters")}
    rows = [row for result in results.values() for row in result.rows]
    methods = {str(name): result.provenance["methods"] for name, result in results.items()}
    return {**each[0], **lists, "method": method_of(rows), "methods": methods}
