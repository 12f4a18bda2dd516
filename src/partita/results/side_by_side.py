"""Several clusterings of the same objects, judged by the same indices, side by side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from partita.errors import TooLargeError, near_names
from partita.inputs import Inputs
from partita.registry import Index, find
from partita.results.answers import Answer
from partita.results.index_rows import IndexTable, IndexValue, method_of
from partita.results.result import Result, join_texts
from partita.results.tables import Cell, Table

__all__ = ["SideBySide", "provenance_together", "same_clusterings"]

ROUNDING = 1e-12
"""Values of different clusterings that are as close as this are a tie."""

ROUNDING_OF_THE_SAME = 1e-9
"""One clustering under other names of its clusters: sums in another order, and what cancels in them."""

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
    same : dict of int
        For each name the number of its clustering: names of the same clustering (`Partition.equivalent`) have
        the same, and so have the same values. Each is one of its own where nothing is said.
    answer : Answer or None
        The best clustering by the score of `choose`, where the data allow one; None elsewhere.
    """

    results: Mapping[Any, IndexTable] = field(default_factory=dict)
    title: str = ""
    same: Mapping[Any, int] = field(default_factory=dict)
    answer: Answer | None = None

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

    @cached_property
    def clusterings(self) -> tuple[tuple[Any, ...], ...]:
        """The names, those of the same clustering together."""
        groups: dict[Any, list[Any]] = {}
        for name in self.results:
            groups.setdefault(self.same.get(name, ("by itself", name)), []).append(name)
        return tuple(map(tuple, groups.values()))

    @cached_property
    def _rows(self) -> dict[str, dict[Any, IndexValue]]:
        """For each index its row in each result that has it."""
        listed = dict.fromkeys(row.index for result in self.results.values() for row in result.rows)
        return {
            index: {name: result[index] for name, result in self.results.items() if index in result}
            for index in listed
        }

    @cached_property
    def _best(self) -> dict[str, tuple[Any, ...]]:
        """For each index that judges, the names of the best clusterings."""
        best = {index: self._best_of(index, rows) for index, rows in self._rows.items()}
        return {index: names for index, names in best.items() if names}

    def _best_of(self, index: str, rows: Mapping[Any, IndexValue]) -> tuple[Any, ...]:
        direction = next(iter(rows.values())).direction
        values = {name: row.value for name, row in rows.items()}
        is_whole = len(rows) == len(self.results) and not any(map(math.isnan, values.values()))
        if direction == "none" or not is_whole or len(_entry(index).inputs) < 2:
            return ()
        best = (max if direction == "higher" else min)(values.values())
        ties = {name for name, value in values.items() if math.isclose(value, best, rel_tol=ROUNDING)}
        return tuple(name for group in self.clusterings if ties & set(group) for name in group)

    def best_by(self, index: str | Index) -> tuple[Any, ...]:
        """The names of the clusterings that an index finds best: several where they tie or are the same.

        None where it does not judge: it looks at neither the data nor a truth, or lacks a value.
        """
        first = next(iter(self.results.values()))
        label = next((n for n in self._rows if n == str(index)), None) or first[str(index)].index
        return self._best.get(label, ())

    @property
    def wins(self) -> dict[Any, int]:
        """For each clustering, how many indices find none better; ties count for all of them."""
        return {name: sum(name in best for best in self._best.values()) for name in self.results}

    @cached_property
    def families(self) -> dict[str, tuple[Any, ...]]:
        """For each family of indices that judges, the names that most of its indices find best."""
        votes: dict[str, Counter[Any]] = {}
        for index, names in self._best.items():
            votes.setdefault(_entry(index).family, Counter()).update(names)
        return {
            family: tuple(name for name in self.results if count[name] == max(count.values()))
            for family, count in votes.items()
        }

    @property
    def statement(self) -> str:
        """The best clustering: by its score where there is one, else by the most families of indices."""
        if len(self.results) < 2:
            return ""
        if self.answer is not None:
            return self.answer.statement
        if len(self.clusterings) == 1:
            return f"the same clustering: {self._named(self.clusterings[0])}"
        if not self._best:
            return "no index here judges between them"
        alone = {group: self._families_of(group, ties=False) for group in self.clusterings}
        tied = {group: self._families_of(group, ties=True) for group in self.clusterings}
        most = max((len(alone[group]), len(tied[group])) for group in self.clusterings)
        leading = [g for g in self.clusterings if (len(alone[g]), len(tied[g])) == most]
        word = "better" if len(self.clusterings) == 2 else "best"
        if len(leading) > 1:
            texts = " and ".join(map(self._named, leading))
            return f"a tie: {texts}, each {word} by {self._count(leading[0], alone, tied)}"
        (first,) = leading
        others = [
            f"{self._named(group)} by {len(alone[group])} ({', '.join(alone[group])})"
            for group in self.clusterings
            if group != first and alone[group]
        ]
        return join_texts([f"{self._named(first)}: {word} by {self._count(first, alone, tied)}", *others])

    def _families_of(self, group: Sequence[Any], *, ties: bool) -> list[str]:
        """The families that find this clustering best, alone or with others."""
        return [
            family
            for family, names in self.families.items()
            if set(names) & set(group) and ties == bool(set(names) - set(group))
        ]

    def _count(self, group: Any, alone: Mapping[Any, list[str]], tied: Mapping[Any, list[str]]) -> str:
        """By how many families and indices."""
        wins = _of(self.wins[group[0]], len(self._best), "indices")
        if len(self.families) == 1:
            return f"{wins}, which are of one family ({next(iter(self.families))})"
        shared = f", a tie in {len(tied[group])}" if tied[group] else ""
        return f"{_of(len(alone[group]), len(self.families), 'families')}{shared} ({wins})"

    def _named(self, names: Sequence[Any]) -> str:
        return " = ".join(self.labels[name] for name in names)

    def _better_text(self, names: Sequence[Any]) -> str:
        """The best in words: names of one clustering are equal, different clusterings tie."""
        groups = [tuple(name for name in group if name in names) for group in self.clusterings]
        texts = [self._named(group) for group in groups if group]
        return texts[0] if len(texts) == 1 else f"tie: {', '.join(texts)}" if texts else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*BEFORE, *self.labels.values(), *AFTER)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary an index: its value for each clustering, and which of them it finds better.

        An index that looks at neither the data nor a truth finds none better.
        """
        return [self._record(index, rows) for index, rows in self._rows.items()]

    def _record(self, index: str, rows: Mapping[Any, IndexValue]) -> dict[str, Any]:
        known = next(iter(rows.values()))
        values = {label: rows[n].value if n in rows else math.nan for n, label in self.labels.items()}
        return {
            "index": index,
            "symbol": known.symbol,
            "best": known.best,
            "direction": known.direction,
            **values,
            "better": self._better_text(self._best.get(index, ())),
            "caveat": join_texts(list(dict.fromkeys(row.caveat for row in rows.values()))),
        }

    def table(self) -> Table:
        """The indices: the best stands out, and the reason of what has no value is below."""
        return self._table({self.labels[name]: name for name in self.results})

    def brief(self) -> Table:
        """The same with one column for each clustering, however many names it has."""
        return self._table({self._named(group): group[0] for group in self.clusterings})

    def _table(self, clusterings: Mapping[str, Any]) -> Table:
        caveats = {index: self._caveat_of_values(rows) for index, rows in self._rows.items()}
        times = Counter(caveats.values())
        rows = []
        for record in self.records():
            index, caveat = record["index"], caveats[record["index"]]
            shown = record | {
                "best": None if math.isnan(record["best"]) else record["best"],
                "caveat": Cell("", caveat) if times[caveat] > 1 else caveat,
            }
            cells = [self._cell(index, name) for name in clusterings.values()]
            rows.append((*(shown[name] for name in BEFORE), *cells, *(shown[name] for name in AFTER)))
        won = ", ".join(f"{self._named(group)} by {self.wins[group[0]]}" for group in self.clusterings)
        notes = (*self.footnotes, f"best by single indices: {won} of {len(self._best)}")
        columns = (*BEFORE, *clusterings, *AFTER)
        spare = ("symbol", "best", "direction")
        return Table(
            self.title, columns, tuple(rows), notes, answer=self.statement, spare=spare
        ).without_blank_columns()

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold; clusterings are named as their columns are."""
        return {
            **super().to_dict(),
            "clusterings": [[self.labels[name] for name in group] for group in self.clusterings],
            "wins": {self.labels[name]: count for name, count in self.wins.items()},
            "families": {f: [self.labels[name] for name in names] for f, names in self.families.items()},
        }

    def _caveat_of_values(self, rows: Mapping[Any, IndexValue]) -> str:
        """The caveats of those rows that have a value; the reason of nan stands with it."""
        return join_texts(list(dict.fromkeys(r.caveat for r in rows.values() if not math.isnan(r.value))))

    def _cell(self, index: str, name: Any) -> Cell:
        best = self._best.get(index, ())
        row = self._rows[index].get(name)
        if row is None:
            left_out = {x.index: x.reason for x in self.results[name].left_out}
            return Cell(math.nan, left_out.get(index, "it does not apply to this clustering"))
        note = row.caveat if math.isnan(row.value) else ""
        return Cell(row.value, note, strong=name in best and len(best) < len(self.results))


def _entry(label: str) -> Index:
    return find(label.partition(":")[0])


def _of(count: int, total: int, what: str) -> str:
    if count == total > 1:
        return f"both {what}" if total == 2 else f"all {total} {what}"
    return f"{count} of {total} {what}"


def same_clusterings(results: Mapping[Any, IndexTable], prepared: Callable[[Any], Inputs]) -> dict[Any, int]:
    """For each name the number of its clustering: the same for clusterings that are equivalent.

    Parameters
    ----------
    results : dict
        The rows of each clustering. Only where all values agree the clusterings themselves are compared.
    prepared : function
        The clustering ``found`` of a name, with all its objects.
    """
    numbers: dict[Any, int] = {}
    firsts: dict[Any, int] = {}
    for name, result in results.items():
        alike = (first for first in firsts if _same_values(results[first], result))
        known = (firsts[f] for f in alike if _are_equivalent(prepared(f), prepared(name)))
        numbers[name] = next(known, len(firsts))
        if numbers[name] == len(firsts):
            firsts[name] = numbers[name]
    return numbers


def _same_values(one: IndexTable, other: IndexTable) -> bool:
    """Whether all values agree up to the rounding of one clustering under other names of its clusters."""
    if [row.index for row in one.rows] != [row.index for row in other.rows]:
        return False
    near = ROUNDING_OF_THE_SAME
    pairs = ((a.value, b.value) for a, b in zip(one.rows, other.rows, strict=True))
    return all(
        math.isclose(a, b, rel_tol=near, abs_tol=near) or (math.isnan(a) and math.isnan(b)) for a, b in pairs
    )


def _are_equivalent(one: Inputs, other: Inputs) -> bool:
    if one.dropped or other.dropped:  # not of the same objects, perhaps
        return False
    try:
        return one.partitions["found"].equivalent(other.partitions["found"])
    except TooLargeError:  # too many relabellings to try
        return False


def provenance_together(results: Mapping[Any, IndexTable]) -> dict[str, Any]:
    """What all clusterings have in common, and lists of what each has of its own."""
    each = [result.provenance for result in results.values()]
    lists = {n: [p[n] for p in each] for n in ("n", "coverage") if len({p[n] for p in each}) > 1}
    lists |= {name: [one for p in each for one in p[name]] for name in ("kinds", "clusters")}
    rows = [row for result in results.values() for row in result.rows]
    methods = {str(name): result.provenance["methods"] for name, result in results.items()}
    return {**each[0], **lists, "method": method_of(rows), "methods": methods}
