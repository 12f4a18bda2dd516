"""The one table model, and its forms: text, HTML, Markdown, CSV."""

from __future__ import annotations

import csv
import html
import io
import math
import numbers
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from partita.results.terminal import WIDTH_OF_FILES
from partita.results.text_tables import Column, fitting, lines_of, one_line, wrapped

__all__ = ["Cell", "Table", "show"]


@dataclass(frozen=True)
class Cell:
    """A value in a table, with the reason for it, or marked as the best.

    Attributes
    ----------
    value : object
        What stands in the table.
    note : str or tuple of str
        What a reader must know of it: it gets a number, ``nan [1]``, and is told once below the table.
    strong : bool
        Whether it stands out: in bold letters where there are some.

    Examples
    --------
    >>> print(Table("", ("k", "CH"), ((1, Cell(float("nan"), "one cluster")), (2, 50.0))).text())
    k       CH
    1  nan [1]
    2   50
    <BLANKLINE>
    [1] one cluster
    """

    value: Any
    note: str | tuple[str, ...] = ""
    strong: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know, each by itself."""
        notes = (self.note,) if isinstance(self.note, str) else self.note
        return tuple(note for note in notes if note)


@dataclass(frozen=True)
class Table:
    """Columns and rows with a title and an answer above, and notes below.

    Attributes
    ----------
    title, answer : str
        Above the table.
    columns : tuple of str
        Their names.
    rows : tuple of tuple
        Values, or a `Cell` where a value has a note or stands out.
    notes : tuple of str
        Below the table, after the notes of the cells.
    spare : tuple of str
        Columns that go first, in this order, where a terminal is too narrow.
    whole : str
        Where all columns are found, when some were cut.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    answer: str = ""
    spare: tuple[str, ...] = ("symbol", "best")
    whole: str = "to_frame() has all"

    def without_blank_columns(self) -> Table:
        """The table without the columns that hold nothing."""
        if not self.rows:
            return self
        return self._only(
            [i for i, _ in enumerate(self.columns) if not all(_is_empty(row[i]) for row in self.rows)]
        )

    def _only(self, kept: Sequence[int]) -> Table:
        """The table with these columns."""
        return replace(
            self,
            columns=tuple(self.columns[i] for i in kept),
            rows=tuple(tuple(row[i] for i in kept) for row in self.rows),
        )

    @cached_property
    def _marks(self) -> dict[str, str]:
        """The number of each note of a cell, in the order in which they come."""
        cells = (value for row in self.rows for value in row if isinstance(value, Cell))
        notes = dict.fromkeys(note for cell in cells for note in cell.notes)
        return {note: f"[{i}]" for i, note in enumerate(notes, start=1)}

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What stands below: the notes of the cells with their numbers, then those of the table."""
        return (*(f"{mark} {note}" for note, mark in self._marks.items()), *self.notes)

    @cached_property
    def is_numeric(self) -> tuple[bool, ...]:
        """For each column, whether numbers are all that it holds."""
        filled = [
            [v for row in self.rows if (v := _value(row[i])) is not None] for i in range(len(self.columns))
        ]
        return tuple(bool(column) and all(map(_is_number, column)) for column in filled)

    def _shown(self, cell: Any) -> str:
        marks = [self._marks[note] for note in cell.notes] if isinstance(cell, Cell) else []
        return " ".join([text for text in [show(_value(cell))] if text] + marks)

    @property
    def _above(self) -> tuple[str, list[str]]:
        """The title, and the answers below it."""
        title, *more = self.title.split("\n")
        return title, [text for text in (*more, *self.answer.split("\n")) if text]

    # --- forms --------------------------------------------------------------------------------------------

    def text(self, width: int = WIDTH_OF_FILES, *, bold: bool = False) -> str:
        """Plain text of this width: numbers aligned on the decimal point, the last column wrapped.

        Columns that do not fit are left away, and a note says so. ``bold`` is for terminals.
        """
        title, answers = self._above
        lines = [line for text in (title, *answers) for line in wrapped(one_line(text), width, GAP)]
        lines += [""] if lines else []
        kept = fitting(self._text_columns(), width, self.spare)
        shown = self if len(kept) == len(self.columns) else self._only(kept)
        cut = f"{len(kept)} of {len(self.columns)} columns; {self.whole}" if shown is not self else ""
        notes = [*[cut] * bool(cut), *shown.all_notes]
        lines += [*lines_of(shown._text_columns(), width, bold=bold), *[""] * bool(notes)]
        for note in notes:
            lines += wrapped(one_line(note), width, GAP)
        return "\n".join(lines)

    def _text_columns(self) -> list[Column]:
        return [
            Column(
                one_line(name),
                tuple(one_line(self._shown(row[j])) for row in self.rows),
                self.is_numeric[j],
                frozenset(i for i, row in enumerate(self.rows) if _is_strong(row[j])),
            )
            for j, name in enumerate(self.columns)
        ]

    def markdown(self) -> str:
        """Title, answer, a Markdown table with numbers to the right, and notes."""
        title, answers = self._above
        lines = [f"**{_escape_markdown(title)}**", ""] if title else []
        for answer in answers:
            lines += [_escape_markdown(answer), ""]
        rules = (" ---: " if right else " --- " for right in self.is_numeric)
        lines.append("| " + " | ".join(map(_escape_markdown, self.columns)) + " |")
        lines.append("|" + "|".join(rules) + "|")
        for row in self.rows:
            texts = [_escape_markdown(self._shown(cell)) for cell in row]
            strong = [f"**{t}**" if t and _is_strong(c) else t for t, c in zip(texts, row, strict=True)]
            lines.append("| " + " | ".join(strong) + " |")
        lines += ["", *(f"- {_escape_markdown(note)}" for note in self.all_notes)] if self.all_notes else []
        return "\n".join(lines)

    def html(self) -> str:
        """Title, answer, an HTML table with numbers to the right, and notes; every text is escaped."""
        title, answers = self._above
        head = "".join(
            f"<th {_side(right)}>{html.escape(name)}</th>"
            for name, right in zip(self.columns, self.is_numeric, strict=True)
        )
        body = "".join(f"<tr>{self._html_row(row)}</tr>" for row in self.rows)
        above = f"<p><strong>{html.escape(title)}</strong></p>" if title else ""
        above += "".join(f"<p>{html.escape(answer)}</p>" for answer in answers)
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.all_notes)
        listed = f"<ul>{notes}</ul>" if notes else ""
        return f"<div>{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{listed}</div>"

    def _html_row(self, row: tuple[Any, ...]) -> str:
        cells = []
        for cell, right in zip(row, self.is_numeric, strict=True):
            text = html.escape(self._shown(cell))
            text = f"<strong>{text}</strong>" if _is_strong(cell) and text else text
            cells.append(f"<td {_side(right)}>{text}</td>")
        return "".join(cells)

    def csv(self) -> str:
        """Comma-separated values with all digits; title and notes are left out."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        values = [[_value(cell) for cell in row] for row in self.rows]
        writer.writerows([["" if _is_blank(v) else v for v in row] for row in values])
        return out.getvalue().rstrip("\n")


GAP = "  "
"""Before the lines of a note after its first."""


def show(value: Any) -> str:
    """A value as a reader wants it: four decimals, whole numbers whole."""
    if value is None:
        return ""
    if not isinstance(value, numbers.Real) or isinstance(value, numbers.Rational):
        return str(value)
    value = float(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value) or value == int(value):
        return f"{value:g}" if math.isinf(value) or abs(value) >= 1e15 else str(int(value))
    return f"{value:.4f}" if 1e-3 <= abs(value) < 1e6 else f"{value:.4g}"


def _value(cell: Any) -> Any:
    return cell.value if isinstance(cell, Cell) else cell


def _is_strong(cell: Any) -> bool:
    return isinstance(cell, Cell) and cell.strong


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _is_empty(cell: Any) -> bool:
    """Whether there is neither a value nor a note."""
    value = _value(cell)
    return (value is None or (isinstance(value, str) and not value)) and not (
        isinstance(cell, Cell) and cell.notes
    )


def _is_blank(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _side(right: bool) -> str:
    """Said of every cell: a notebook's own style sets all of them to the right."""
    return 'style="text-align: right"' if right else 'style="text-align: left"'


def _escape_markdown(text: str) -> str:
    """One line that Markdown shows as it is; underscores inside words need no escape."""
    special = re.compile(r"[\\`*\[\]~$|]|(?<!\w)_|_(?!\w)")
    return special.sub(r"\\\g<0>", html.escape(" ".join(text.split()), quote=False))
