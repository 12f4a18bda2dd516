"""Results that hold one row an index: values, what was left out and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Self

from partita.errors import ParameterError, PartitaError, near_names
from partita.registry import find
from partita.results import Result, Table, number, plain

__all__ = ["IndexTable", "IndexValue", "LeftOut", "method_of"]

MOST_PAIR_OPERATIONS = 1e9
"""What is computed unasked; indices that look at more pairs of objects must be named."""


@dataclass(frozen=True)
class IndexValue:
    """One index with its value: a row of a result."""

    index: str
    symbol: str
    value: float
    best: float
    direction: str
    lower: float = math.nan
    upper: float = math.nan
    p: float = math.nan
    caveat: str = ""
    method: str = ""
    """``"exact"``, ``"sampled"``, or ``"bounds"`` where the lower and upper values are outer bounds."""


def method_of(rows: Iterable[IndexValue]) -> str:
    """How the values of a whole table were found, in words."""
    inexact: dict[str, list[str]] = {"sampled": [], "bounds": []}
    for row in rows:
        if row.method in inexact and row.index not in inexact[row.method]:
            inexact[row.method].append(row.index)
    parts = [f"{method}: {', '.join(names)}" for method, names in inexact.items() if names]
    return "; ".join([*parts, "the rest exact"]) if parts else "exact"


@dataclass(frozen=True)
class LeftOut:
    """An index that was not computed, why, and what it would cost."""

    index: str
    reason: str
    cost: str = ""


@dataclass(frozen=True, repr=False)
class IndexTable(Result):
    """Index values, one row each; ``result["ARI"].value`` is one number.

    Attributes
    ----------
    rows : tuple of IndexValue
        One for each index.
    left_out : tuple of LeftOut
        Indices that do not apply, with the reason.
    title : str
        What was judged, in words.
    """

    rows: tuple[IndexValue, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    title: str = ""

    def __getitem__(self, name: str) -> IndexValue:
        row = self._by_spelling.get(_spelled(name))
        if row is not None:
            return row
        skipped = next((x for x in self.left_out if _spelled(name) == x.index), None)
        if skipped is not None:
            raise ParameterError(f"{skipped.index} was left out.", got=skipped.reason)
        raise near_names(str(name), [s for r in self.rows for s in (r.index, r.symbol) if s], noun="row")

    def __contains__(self, name: object) -> bool:
        return _spelled(name) in self._by_spelling

    @cached_property
    def _by_spelling(self) -> dict[str, IndexValue]:
        """Rows by their label; by the bare name too, where one row has it."""
        names = Counter(row.index.partition(":")[0] for row in self.rows)
        bare = {row.index.partition(":")[0]: row for row in self.rows}
        return {name: row for name, row in bare.items() if names[name] == 1} | {r.index: r for r in self.rows}

    def __iter__(self) -> Any:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(f.name for f in fields(IndexValue) if f.name != "method")  # the caveat tells readers

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a row, with every column."""
        return [{name: getattr(row, name) for name in self.columns} for row in self.rows]

    def table(self) -> Table:
        """The rows, as they print; columns that hold nothing are left away."""
        pieces = Counter(piece for row in self.rows for piece in row.caveat.split("; ") if piece)
        often = [piece for piece, times in pieces.items() if times > 1]
        marks = {piece: f"[{i}]" for i, piece in enumerate(often, start=1)}
        rows = tuple(tuple(_cell(n, row, marks) for n in self.columns) for row in self.rows)
        footnotes = tuple(f"{mark} {piece}" for piece, mark in marks.items())
        reasons: dict[str, list[str]] = {}
        for x in self.left_out:
            reasons.setdefault(x.reason, []).append(x.index)
        skipped = tuple(f"left out: {', '.join(names)} ({reason})" for reason, names in reasons.items())
        return Table(self.title, self.columns, rows, footnotes + self.notes + skipped).without_blank_columns()

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        return {
            **super().to_dict(),
            "rows": plain([asdict(row) for row in self.rows]),
            "title": self.title,
            "left_out": [asdict(x) for x in self.left_out],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        if data.get("result") != cls.__name__:
            raise ParameterError(
                f"this is no {cls.__name__.lower()}.", got=f"result {data.get('result')!r}", need=cls.__name__
            )
        numeric = ("value", "best", "lower", "upper", "p")
        records: list[dict[str, Any]] = [
            {k: number(v) if k in numeric else v for k, v in row.items()} for row in data["rows"]
        ]
        return cls(
            notes=tuple(data["notes"]),
            provenance=dict(data["provenance"]),
            rows=tuple(IndexValue(**record) for record in records),
            left_out=tuple(LeftOut(**x) for x in data["left_out"]),
            title=data["title"],
        )


def _spelled(name: Any) -> str:
    """The label of the index that a name or symbol means; the name itself if it means none."""
    try:
        return find(name).label
    except PartitaError:
        return str(name)


def _cell(column: str, row: IndexValue, marks: Mapping[str, str]) -> Any:
    """A value as the table shows it: nan only where nothing is known, a mark for a caveat that rows share."""
    value = getattr(row, column)
    keeps_nan = column == "value" and math.isnan(row.lower)
    if column == "caveat":
        pieces = value.split("; ") if value else []
        text = "; ".join(piece for piece in pieces if piece not in marks)
        return " ".join([marks[piece] for piece in pieces if piece in marks] + [text] * bool(text))
    return None if isinstance(value, float) and math.isnan(value) and not keeps_nan else value
