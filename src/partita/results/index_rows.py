"""Results that hold one row an index: values, what was left out and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Self

from partita.errors import ParameterError, PartitaError, near_names
from partita.inputs import Inputs
from partita.registry import Caveat, CaveatKind, Index, find
from partita.registry.caveats import join_caveats, said
from partita.results import Result, Table, number, plain
from partita.results.records import read_back
from partita.results.tables import show
from partita.results.verdicts import Remark, RemarkKind, remarks_of, speak

__all__ = ["IndexTable", "IndexValue", "LeftOut", "method_of", "remarks_on"]

FROM_A_SAMPLE = frozenset({CaveatKind.SAMPLED, CaveatKind.SAMPLED_ENDS})


COLUMNS = (
    "index",
    "symbol",
    "value",
    "best",
    "direction",
    "lower",
    "upper",
    "ci_low",
    "ci_high",
    "expected",
    "adjusted",
    "p",
)
SPARE = ("symbol", "best", "expected", "adjusted")
"""Columns that go first where a terminal is too narrow."""

OF_THE_NULL = ("expected_error", "z", "null_mean", "null_spread")
"""Columns that are there where a null model was asked for; they are not printed."""

SOMETIMES = ("se", *OF_THE_NULL)
"""Columns that are there where a row has something in them."""


@dataclass(frozen=True)
class IndexValue:
    """One index with its value: a row of a result.

    Attributes
    ----------
    lower, upper : float
        The ends over the hard clusterings that soft sides stand for; they have nothing to do with a sample.
    ci_low, ci_high : float
        A sampling interval: where the value may lie for all objects of which these are a sample.
    expected, adjusted, p : float
        The value by chance under a null model, (value - expected) / (best - expected), and how often chance
        does at least as well.
    z, null_mean, null_spread : float
        The value in standard deviations from the mean under the null model, and these two.
    """

    index: str
    symbol: str
    value: float
    best: float
    direction: str
    lower: float = math.nan
    upper: float = math.nan
    ci_low: float = math.nan
    ci_high: float = math.nan
    expected: float = math.nan
    adjusted: float = math.nan
    p: float = math.nan
    se: float = math.nan
    expected_error: float = math.nan
    z: float = math.nan
    null_mean: float = math.nan
    null_spread: float = math.nan
    caveats: tuple[Caveat, ...] = ()

    @classmethod
    def of(cls, entry: Index, value: float, caveats: tuple[Caveat, ...]) -> Self:
        """The row of an index with this value; a call of the class would set eighteen fields one by one."""
        row = cls.__new__(cls)  # the rest of the fields are what the class has for them
        vars(row).update(entry.row_facts, value=value, caveats=caveats)
        return row

    @property
    def caveat(self) -> str:
        """All caveats in one line."""
        return join_caveats(self.caveats)

    @property
    def method(self) -> str:
        """How the numbers were found.

        ``"exact"``, ``"sampled"``, ``"bounds"`` where the lower and upper values are outer bounds, or nothing
        where there is no number.
        """
        if not self.caveats:
            return "exact"
        kinds = {caveat.kind for caveat in self.caveats}
        if CaveatKind.NOT_COMPUTED in kinds and math.isnan(self.value):
            return ""
        if CaveatKind.BOUND in kinds:
            return "bounds"
        return "exact" if kinds.isdisjoint(FROM_A_SAMPLE) else "sampled"


def method_of(rows: Iterable[IndexValue]) -> str:
    """How the values of a whole table were found, in words."""
    inexact: dict[str, list[str]] = {"sampled": [], "bounds": []}
    for row in rows:
        method = row.method if row.caveats else ""
        if method in inexact and row.index not in inexact[method]:
            inexact[method].append(row.index)
    parts = [f"{method}: {', '.join(names)}" for method, names in inexact.items() if names]
    return "; ".join([*parts, "the rest exact"]) if parts else "exact"


MOST_NAMED = 3


def remarks_on(rows: Iterable[IndexValue], inputs: Inputs) -> tuple[Remark, ...]:
    """What holds for any table of indices: noise, values from a sample, values that are missing."""
    table = list(rows)
    sampled = [row.index for row in table if row.caveats and row.method == "sampled"]
    missing = [row.index for row in table if math.isnan(row.value) and math.isnan(row.lower)]
    return (
        *speak(RemarkKind.NOISE, inputs.noisy),
        *speak(RemarkKind.SAMPLED, f"estimated from a sample: {_some(sampled)}" if sampled else ""),
        *speak(RemarkKind.UNDEFINED, f"without a value here: {_some(missing)}" if missing else ""),
    )


def _some(names: list[str]) -> str:
    """The first few of the names, and how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True)
class LeftOut:
    """An index that was not computed, why, and what it would cost."""

    index: str
    reason: str
    cost: str = ""


@dataclass(frozen=True, repr=False)
class IndexTable(Result):
    """Index values, one row each; ``result["ARI"].value`` is one number.

    Where no indices were named it prints as a digest: a statement, a few indices of each family, and what
    was found. ``result.all`` prints every row; rows, frames and files have them all in any case.

    Attributes
    ----------
    rows : tuple of IndexValue
        One for each index.
    left_out : tuple of LeftOut
        Indices that do not apply, with the reason.
    title : str
        What was judged, in words.
    statement : str
        The answer in a sentence; nothing where indices were named.
    headline : tuple of str
        The indices that a digest prints; none where all are printed.
    findings : tuple of str
        What else was found, a line each.
    """

    rows: tuple[IndexValue, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    title: str = ""
    statement: str = ""
    headline: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    @property
    def footnotes(self) -> tuple[str, ...]:
        """The remarks, then the notes that say something else."""
        return tuple(dict.fromkeys(super().footnotes))

    @property
    def all(self) -> Self:
        """The same result, printed with every row."""
        return replace(self, headline=())

    def __getitem__(self, name: str) -> IndexValue:
        row = self._by_spelling.get(self._spelled(name))
        if row is not None:
            return row
        wanted = self._spelled(name)
        skipped = next((x for x in self.left_out if wanted in (x.index, x.index.partition(":")[0])), None)
        if skipped is not None:
            raise ParameterError(f"{skipped.index} was left out.", got=skipped.reason)
        spelled = [s for r in self.rows for s in (r.index, r.symbol) if s]
        raise near_names(str(name), spelled, noun="row", listed=[r.index for r in self.rows])

    def __contains__(self, name: object) -> bool:
        return self._spelled(name) in self._by_spelling

    def _spelled(self, name: Any) -> str:
        """The label of the index that a name or symbol means here; the name itself if it means none."""
        here = {*self._by_spelling, *(skipped.index for skipped in self.left_out)}
        try:
            return find(name, fits=lambda entry: entry.label in here or entry.name in here).label
        except PartitaError:
            return str(name)

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
        """The names of all columns; those of the null model and of standard errors where a row has one."""
        more = [name for name in SOMETIMES if any(not math.isnan(getattr(row, name)) for row in self.rows)]
        return (*COLUMNS, *more, "caveat")

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a row, with every column."""
        return [{name: getattr(row, name) for name in self.columns} for row in self.rows]

    def table(self) -> Table:
        """The rows of the headline, or all, as they print; columns that hold nothing are left away."""
        shown = [self[name] for name in self.headline] if self.headline else list(self.rows)
        times = Counter(caveat.text for row in shown for caveat in row.caveats)
        often = [text for text in times if times[text] > 1]
        marks = {text: f"[{i}]" for i, text in enumerate(often, start=1)}
        columns, rows = self._printed(shown, marks)
        if self.headline:
            columns = ("family", *columns)
            families = [find(row.index.partition(":")[0]).family for row in shown]
            first = [f if f not in families[:i] else "" for i, f in enumerate(families)]
            rows = [(family, *row) for family, row in zip(first, rows, strict=True)]
        marked = tuple(f"{mark} {text}" for text, mark in marks.items())
        notes = (*marked, *self._which_is_which(shown), *self.findings, *self.footnotes, *self._not_shown())
        return Table(
            self.title, columns, tuple(rows), notes, self.statement, spare=SPARE
        ).without_blank_columns()

    def _printed(
        self, shown: Sequence[IndexValue], marks: Mapping[str, str]
    ) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Columns and cells; a sampling interval and ends over hard clusterings have names of their own."""
        columns = tuple(name for name in self.columns if name not in OF_THE_NULL)
        rows = [tuple(_cell(n, row, marks) for n in columns) for row in shown]
        if not _any_number(shown, "ci_low"):
            return columns, rows
        at = columns.index("lower")
        named = (*columns[:at], OVER_HARD, self.interval_name, *columns[at + 4 :])
        return named, [
            (*cells[:at], _span(row.lower, row.upper), _span(row.ci_low, row.ci_high), *cells[at + 4 :])
            for row, cells in zip(shown, rows, strict=True)
        ]

    @property
    def interval_name(self) -> str:
        """What the column of the sampling interval is called where it is printed."""
        return f"{100.0 * self.provenance.get('confidence', 0.95):g}% interval"

    def _which_is_which(self, shown: Sequence[IndexValue]) -> tuple[str, ...]:
        """What the two kinds of ends are, where there are sampling intervals."""
        if not _any_number(shown, "ci_low"):
            return ()
        sampling = (
            f"{self.interval_name}: where the value may lie for all objects of which these are a sample"
        )
        if not _any_number(shown, "lower"):
            return (sampling,)
        ends = f"{OVER_HARD}: lower and upper value over those that the clusterings stand for; no sampling"
        return ends, sampling

    def _not_shown(self) -> tuple[str, ...]:
        """What a digest keeps back, in a line; else what was left out, and why."""
        if self.headline:
            skipped = f"; {len(self.left_out)} left out: result.left_out" if self.left_out else ""
            return (f"{len(self.rows)} indices in all: result.all, --all{skipped}",)
        reasons: dict[str, list[str]] = {}
        for x in self.left_out:
            reasons.setdefault(x.reason, []).append(x.index)
        return tuple(f"left out: {', '.join(names)} ({reason})" for reason, names in reasons.items())

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        return {
            **super().to_dict(),
            "rows": plain([{**asdict(row), "caveat": row.caveat, "method": row.method} for row in self.rows]),
            "title": self.title,
            "left_out": [asdict(x) for x in self.left_out],
            "headline": list(self.headline),
            "findings": list(self.findings),
        }

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        cls.refuse_other(data, cls.__name__.lower())
        return cls(
            notes=tuple(data["notes"]),
            provenance=dict(data["provenance"]),
            rows=tuple(map(_row_of, data["rows"])),
            left_out=tuple(LeftOut(**x) for x in data["left_out"]),
            title=data["title"],
            statement=data.get("statement", ""),
            remarks=remarks_of(data.get("remarks", ())),
            headline=tuple(data.get("headline", ())),
            findings=tuple(data.get("findings", ())),
        )


OVER_HARD = "over hard clusterings"

NUMBERS = ("value", "best", *COLUMNS[5:], *SOMETIMES)
KIND_OF_METHOD = {"sampled": CaveatKind.SAMPLED, "bounds": CaveatKind.BOUND}
"""What a caveat without a kind is about, in rows that were written when only the method was told."""


def _row_of(record: Mapping[str, Any]) -> IndexValue:
    """The row that `IndexTable.to_dict` wrote, now or before caveats had kinds."""
    told: dict[str, Any] = {k: number(v) if k in NUMBERS else v for k, v in record.items()}
    text, method = told.pop("caveat", ""), told.pop("method", "")
    if "caveats" in told:
        caveats = tuple(Caveat(CaveatKind.read(c["kind"]), c["text"]) for c in told.pop("caveats"))
    else:
        caveats = said(KIND_OF_METHOD.get(method, CaveatKind.UNSORTED), text)
        return IndexValue(**told, caveats=caveats)
    row = IndexValue(**told, caveats=caveats)
    if method not in ("", row.method):
        raise ParameterError(
            f"the method and the caveats of {row.index} differ.", got=repr(method), need=repr(row.method)
        )
    return row


def _any_number(rows: Iterable[IndexValue], column: str) -> bool:
    return any(not math.isnan(getattr(row, column)) for row in rows)


def _span(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{show(low)} to {show(high)}"


def _cell(column: str, row: IndexValue, marks: Mapping[str, str]) -> Any:
    """A value as the table shows it: nan only where nothing is known, a mark for a caveat that rows share."""
    value = getattr(row, column)
    keeps_nan = column == "value" and math.isnan(row.lower)
    if column == "caveat":
        shared = [marks[caveat.text] for caveat in row.caveats if caveat.text in marks]
        own = join_caveats(caveat for caveat in row.caveats if caveat.text not in marks)
        return " ".join([*shared, *[own] * bool(own)])
    return None if isinstance(value, float) and math.isnan(value) and not keeps_nan else value
