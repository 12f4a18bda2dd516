"""Frozen results: they print as tables and turn into HTML, Markdown, CSV, JSON or a frame."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any

from partita.errors import ParameterError
from partita.results.tables import Table
from partita.results.terminal import has_bold, screen_width
from partita.results.verdicts import Remark

__all__ = ["FORMATS", "Result", "join_texts", "number", "plain"]

FORMATS = ("table", "json", "csv", "markdown", "html")


def plain(value: Any) -> Any:
    """A value that strict JSON can hold: nan becomes null, infinities text, records what they print."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) if f.repr else None for f in fields(value)}
    return value


@dataclass(frozen=True)
class Result:
    """What every procedure returns: it prints as a table and turns into a frame, a dictionary or JSON.

    Attributes
    ----------
    notes : tuple of str
        What a reader must know about the whole result.
    provenance : dict
        Version, options, number of objects, kinds, and whether values are exact.
    remarks : tuple of Remark
        What speaks for caution, each with a kind for programs and a text for people.
    """

    notes: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    frame: str = field(default="pandas", repr=False, compare=False)
    remarks: tuple[Remark, ...] = ()

    @property
    def statement(self) -> str:
        """The answer in a sentence, where the procedure has one."""
        return ""

    @property
    def footnotes(self) -> tuple[str, ...]:
        """What is said below the table: the remarks, then the notes."""
        return (*(remark.text for remark in self.remarks), *self.notes)

    def table(self) -> Table:
        """The rows, as they print."""
        raise NotImplementedError

    def brief(self) -> Table:
        """What a terminal shows of the table; all of it, unless that is too wide."""
        return self.table()

    def more(self) -> tuple[Table, ...]:
        """Tables that are shown below the first."""
        return ()

    def text(self, width: int | None = None, *, bold: bool = False) -> str:
        """The tables as they print.

        Parameters
        ----------
        width : int, optional
            The terminal's by default where standard output is one, else 110.
        bold : bool
            Whether the best values are in bold letters, by codes that only a terminal understands.
        """
        columns = screen_width() if width is None else width
        return "\n\n".join(table.text(columns, bold=bold) for table in (self.brief(), *self.more()))

    def __repr__(self) -> str:
        return self.text()  # without bold letters: it may be written to a file

    __str__ = __repr__

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What IPython shows; in a terminal with bold letters."""
        printer.text(self.text(bold=has_bold()))

    def _repr_html_(self) -> str:
        """What a notebook shows: the tables, and the usual figure of such a result where it has one."""
        import partita  # figures are above this room, so they are asked for at the front door

        return f"{self.write('html')}{partita.plots.illustration(self)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        rows = self.records()
        return tuple(rows[0]) if rows else ()

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a row, with every column."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """The rows as a data frame of the library that the input came in; pandas for arrays."""
        import narwhals as nw

        rows = self.records()
        columns = {name: [row[name] for row in rows] for name in self.columns}
        if self.frame == "pandas":
            import pandas as pd

            return pd.DataFrame(columns)
        return nw.from_dict(columns, backend=self.frame).to_native()  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {
            "result": type(self).__name__,
            "rows": plain(self.records()),
            "statement": self.statement,
            "remarks": [asdict(remark) for remark in self.remarks],
            "notes": list(self.notes),
            "provenance": plain(dict(self.provenance)),
        }

    @classmethod
    def refuse_other(cls, data: Any, noun: str) -> None:
        """An error where this is not what `to_dict` of such a result gave."""
        written = data.get("result") if isinstance(data, Mapping) else None
        if written != cls.__name__:
            got = repr(data)[:60] if written is None else f"result {written!r}"
            raise ParameterError(
                f"this is no {noun}.", got=got, need=f"what to_dict() of {cls.__name__} gave"
            )

    def write(self, form: str) -> str:
        """The result in one of the formats ``table``, ``json``, ``csv``, ``markdown``, ``html``."""
        if form == "json":
            import json

            return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        if form == "table":
            return str(self)
        if form == "csv":
            return Table("", self.columns, tuple(tuple(r.values()) for r in self.records())).csv()
        if form in ("markdown", "html"):
            return "\n\n".join(getattr(table, form)() for table in (self.table(), *self.more()))
        raise ParameterError("no such format.", got=repr(form), need=", ".join(FORMATS))


def number(value: Any) -> float:
    """Undo what `plain` does to a float."""
    return math.nan if value is None else float(value)


def join_texts(texts: Sequence[str]) -> str:
    """Texts in one line, without the empty ones."""
    return "; ".join(t for t in texts if t)
