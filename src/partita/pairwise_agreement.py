"""How far several clusterings agree with each other, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from partita.errors import PartitaError, near_names
from partita.partitions import HardPartition, Partition
from partita.registry import Caveat, CaveatKind, find
from partita.registry.caveats import join_caveats
from partita.results import Result, Table, number, plain
from partita.results.index_rows import LeftOut
from partita.results.records import read_back
from partita.results.tables import Cell, show
from partita.results.verdicts import remarks_of

__all__ = ["AgreementOfPair", "PairwiseAgreement", "agreement_of"]

COLUMNS = ("index", "symbol", "direction", "first", "second", "value", "ci_low", "ci_high", "caveat")


@dataclass(frozen=True)
class AgreementOfPair:
    """One index of two clusterings, the first in the place of the truth."""

    index: str
    symbol: str
    direction: str
    first: str
    second: str
    value: float
    ci_low: float = math.nan
    ci_high: float = math.nan
    caveats: tuple[Caveat, ...] = ()

    @property
    def caveat(self) -> str:
        """All caveats in one line."""
        return join_caveats(self.caveats)


@dataclass(frozen=True, repr=False)
class PairwiseAgreement(Result):
    """All pairs of several clusterings; ``result.matrix("ARI")`` is one index of all of them.

    Attributes
    ----------
    rows : tuple of AgreementOfPair
        One for each index and pair; both orders for an index that is not symmetric.
    own : tuple of AgreementOfPair
        What each clustering scores against itself: not the best value, for soft ones.
    candidates : tuple of str
        Their names.
    title : str
        What was compared, in words.
    confidence : float
        Of the sampling intervals.
    left_out : tuple of LeftOut
        Indices that do not apply to all pairs, with the reason.
    """

    rows: tuple[AgreementOfPair, ...] = ()
    own: tuple[AgreementOfPair, ...] = ()
    candidates: tuple[str, ...] = ()
    title: str = ""
    confidence: float = 0.95
    left_out: tuple[LeftOut, ...] = ()

    @cached_property
    def _values(self) -> dict[str, dict[tuple[str, str], AgreementOfPair]]:
        found: dict[str, dict[tuple[str, str], AgreementOfPair]] = {}
        for row in (*self.rows, *self.own):
            found.setdefault(row.index, {})[row.first, row.second] = row
        return found

    def matrix(self, index: Any) -> Any:
        """The values of one index as a pandas frame: the first clustering by rows, the second by columns."""
        import pandas as pd

        known = self._values[self._label(index)]
        cells = [[(known.get((a, b)) or known[b, a]).value for b in self.candidates] for a in self.candidates]
        return pd.DataFrame(cells, index=list(self.candidates), columns=list(self.candidates))

    def _label(self, index: Any) -> str:
        try:
            label = find(index, fits=lambda entry: entry.label in self._values).label
        except PartitaError:
            label = str(index)
        if label not in self._values:
            raise near_names(str(index), self._values, noun="index here")
        return label

    @property
    def judging(self) -> str | None:
        """The index that the statement rests on: the first with a direction and a value for every pair."""
        for index, known in self._values.items():
            values = [row.value for (a, b), row in known.items() if a != b]
            if next(iter(known.values())).direction != "none" and not any(map(math.isnan, values)):
                return index
        return None

    @property
    def closest(self) -> tuple[str, str] | None:
        """The two that agree most, by the index that judges."""
        return self._extreme(most=True)

    @property
    def farthest(self) -> tuple[str, str] | None:
        """The two that agree least, by the index that judges."""
        return self._extreme(most=False)

    def _extreme(self, *, most: bool) -> tuple[str, str] | None:
        if self.judging is None:
            return None
        pairs = {pair: row for pair, row in self._values[self.judging].items() if pair[0] != pair[1]}
        higher = next(iter(pairs.values())).direction == "higher"
        return (max if higher == most else min)(pairs, key=lambda pair: pairs[pair].value)

    @property
    def best(self) -> None:
        """None: without a truth none of them is better."""
        return

    @property
    def statement(self) -> str:
        """Which two agree most and least."""
        if self.closest is None or self.farthest is None or self.judging is None:
            return "no index here has a value for every pair"
        if len(self.candidates) == 2:
            return f"{self._said(self.closest)}"
        return f"closest: {self._said(self.closest)}; farthest: {self._said(self.farthest)}"

    def _said(self, pair: tuple[str, str]) -> str:
        assert self.judging is not None
        row = self._values[self.judging][pair]
        sure = "" if math.isnan(row.ci_low) else f", {self._name} {row.ci_low:.2f} to {row.ci_high:.2f}"
        return f"{pair[0]} and {pair[1]} ({self.judging} {row.value:.2f}{sure})"

    @property
    def _name(self) -> str:
        return f"{100.0 * self.confidence:g}% interval"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return COLUMNS

    def records(self) -> list[dict[str, Any]]:
        """One dictionary an index and pair, with every column."""
        return [{name: getattr(row, name) for name in COLUMNS} for row in self.rows]

    def table(self) -> Table:
        """One row a pair, one column an index; the interval of the index that judges beside it."""
        pairs = dict.fromkeys((row.first, row.second) for row in self.rows)
        rows = []
        for pair in pairs:
            cells: list[Any] = [*pair]
            for index, known in self._values.items():
                row = known.get(pair)
                nothing = row is None or not math.isnan(row.value)
                cells.append(None if row is None else Cell(row.value, "" if nothing else row.caveat))
                if index == self.judging:
                    cells.append("" if row is None else _span(row))
            rows.append(tuple(cells))
        named = [n for i in self._values for n in ((i, self._name) if i == self.judging else (i,))]
        skipped = [f"left out: {x.index} ({x.reason})" for x in self.left_out]
        notes = (*self.footnotes, *skipped)
        columns = ("first", "second", *named)
        return Table(self.title, columns, tuple(rows), notes, self.statement).without_blank_columns()

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        return {
            **super().to_dict(),
            "rows": plain([{**asdict(row), "caveat": row.caveat} for row in self.rows]),
            "own": plain([asdict(row) for row in self.own]),
            "candidates": list(self.candidates),
            "title": self.title,
            "confidence": self.confidence,
            "left_out": [asdict(x) for x in self.left_out],
        }

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        cls.refuse_other(data, "agreement of pairs")
        return cls(
            notes=tuple(data["notes"]),
            provenance=dict(data["provenance"]),
            remarks=remarks_of(data.get("remarks", ())),
            rows=tuple(_row_of(row) for row in data["rows"]),
            own=tuple(_row_of(row) for row in data["own"]),
            candidates=tuple(data["candidates"]),
            title=data["title"],
            confidence=data["confidence"],
            left_out=tuple(LeftOut(**x) for x in data["left_out"]),
        )


def _row_of(record: Mapping[str, Any]) -> AgreementOfPair:
    told: dict[str, Any] = {
        k: number(v) if k in COLUMNS[5:8] else v for k, v in record.items() if k != "caveat"
    }
    caveats = tuple(Caveat(CaveatKind.read(c["kind"]), c["text"]) for c in told.pop("caveats"))
    return AgreementOfPair(**told, caveats=caveats)


def _span(row: AgreementOfPair) -> str:
    return "" if math.isnan(row.ci_low) else f"{show(row.ci_low)} to {show(row.ci_high)}"


def agreement_of(partitions: Sequence[Partition]) -> tuple[tuple[float, ...], ...]:
    """The adjusted Rand index of every two clusterings, of hardened labels; noise is one more cluster."""
    index = find("adjusted_rand")
    hard = [p if isinstance(p, HardPartition) else p.harden() for p in partitions]
    values = np.eye(len(hard))
    for i in range(len(hard)):
        for j in range(i):
            values[i, j] = values[j, i] = float(index(hard[i], hard[j]))
    return tuple(map(tuple, values.tolist()))
