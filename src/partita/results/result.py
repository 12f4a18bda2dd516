"""Frozen results, and the one table model that shows them as text, HTML, Markdown, CSV, JSON or a frame."""

from __future__ import annotations

import csv
import html
import io
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from partita.errors import ParameterError
from partita.results.verdicts import Remark

__all__ = ["FORMATS", "Result", "Table", "show"]

FORMATS = ("table", "json", "csv", "markdown", "html")


@dataclass(frozen=True)
class Table:
    """Columns and rows with a title and an answer above, and notes below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    answer: str = ""

    def without_blank_columns(self) -> Table:
        """The table without the columns that hold nothing."""
        if not self.rows:
            return self
        kept = [i for i, _ in enumerate(self.columns) if any(row[i] not in (None, "") for row in self.rows)]
        return replace(
            self,
            columns=tuple(self.columns[i] for i in kept),
            rows=tuple(tuple(row[i] for i in kept) for row in self.rows),
        )

    def text(self, width: int = 110) -> str:
        """Aligned plain text; the last column is wrapped to the width."""
        cells = [[show(value) for value in row] for row in self.rows]
        filled = [[row[i] for row in self.rows if row[i] is not None] for i, _ in enumerate(self.columns)]
        numeric = [bool(column) and all(isinstance(v, (int, float)) for v in column) for column in filled]
        widths = [max([len(name), *(len(row[i]) for row in cells)]) for i, name in enumerate(self.columns)]
        before = sum(widths[:-1]) + 2 * (len(widths) - 1)
        if widths:
            widths[-1] = min(widths[-1], max(20, width - before))
        above = [text for text in (self.title, self.answer) if text]
        lines = [*above, ""] if above else []
        for row in [list(self.columns), *cells]:
            last = textwrap.wrap(row[-1], widths[-1]) or [""] if widths else [""]
            for i, piece in enumerate(last):
                texts = [*(row[:-1] if i == 0 else [""] * (len(row) - 1)), piece]
                padded = [
                    t.rjust(w) if right else t.ljust(w)
                    for t, w, right in zip(texts, widths, numeric, strict=True)
                ]
                lines.append("  ".join(padded).rstrip())
        lines += [""] if self.notes else []
        for note in self.notes:
            lines += textwrap.wrap(note, width, subsequent_indent="  ")
        return "\n".join(lines)

    def markdown(self) -> str:
        """A Markdown table."""
        lines = [f"**{_escape_markdown(self.title)}**", ""] if self.title else []
        lines += [_escape_markdown(self.answer), ""] if self.answer else []
        lines.append("| " + " | ".join(map(_escape_markdown, self.columns)) + " |")
        lines.append("|" + "|".join(" --- " for _ in self.columns) + "|")
        lines += ["| " + " | ".join(_escape_markdown(show(v)) for v in row) + " |" for row in self.rows]
        lines += ["", *(f"- {_escape_markdown(note)}" for note in self.notes)] if self.notes else []
        return "\n".join(lines)

    def html(self) -> str:
        """An HTML table; every text is escaped."""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(show(value))}</td>" for value in row) + "</tr>"
            for row in self.rows
        )
        title = f"<p><strong>{html.escape(self.title)}</strong></p>" if self.title else ""
        title += f"<p>{html.escape(self.answer)}</p>" if self.answer else ""
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        listed = f"<ul>{notes}</ul>" if notes else ""
        return f"<div>{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{listed}</div>"

    def csv(self) -> str:
        """Comma-separated values with all digits; title and notes are left out."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([["" if _is_blank(v) else v for v in row] for row in self.rows])
        return out.getvalue().rstrip("\n")


def show(value: Any) -> str:
    """A value as a reader wants it: four decimals, whole numbers whole."""
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value) or value == int(value):
        return f"{value:g}" if math.isinf(value) or abs(value) >= 1e15 else str(int(value))
    return f"{value:.4f}" if 1e-3 <= abs(value) < 1e6 else f"{value:.4g}"


def _is_blank(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _escape_markdown(text: str) -> str:
    """One line that Markdown shows as it is; underscores inside words need no escape."""
    special = re.compile(r"[\\`*\[\]~$|]|(?<!\w)_|_(?!\w)")
    return special.sub(r"\\\g<0>", html.escape(" ".join(text.split()), quote=False))


def plain(value: Any) -> Any:
    """A value that strict JSON can hold: nan becomes null, infinities become text."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
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

    def __repr__(self) -> str:
        return "\n\n".join(table.text() for table in (self.brief(), *self.more()))

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return self.write("html")

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
