"""A report as a page: one HTML file with its own style and script, and nothing else may run in it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import groupby
from typing import Any

from markupsafe import Markup

from partita.plots import FigureData
from partita.plots.names import plain_name
from partita.plots.pictures import inline_svg
from partita.progress import bar
from partita.reports.documents import Block, Document, FigureBlock, Section, TableBlock
from partita.reports.drawings import slim
from partita.results import Cell, Table, show

__all__ = ["page"]

MOST_ROWS, MOST_ROWS_BEHIND = 300, 20
"""Rows of a table, and of that behind a figure: a page must not grow with the number of objects."""

LONGEST = 400
"""Letters of a text that somebody named, such as a label; the rest is cut."""

WIDEST = 36
"""Letters of a cell in one line."""

VERDICT_GROUPS = {
    "answer": "",
    "support": "Why",
    "against": "Doubts",
    "next": "What to do next",
    "distrust": "Keep in mind",
}
"""The sentences of the verdict by their weight, and the heading of each group."""


@dataclass(frozen=True)
class ShownCell:
    """A cell of a table as a page writes it; ``about`` is the anchor of what is known of it."""

    text: str
    is_strong: bool = False
    about: str = ""

    @property
    def is_long(self) -> bool:
        """Whether it may take several lines."""
        return len(self.text) > WIDEST


@dataclass(frozen=True)
class ShownTable:
    """A table as a page writes it; ``numeric`` are the columns of numbers, counted from 1."""

    caption: str
    numeric: tuple[int, ...]
    heads: tuple[ShownCell, ...]
    rows: tuple[tuple[ShownCell, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Meaning:
    """What is known of an index, by its labels, and the anchor under which a page has it."""

    labels: tuple[str, ...]
    anchor: str
    facts: tuple[tuple[str, str], ...]


def page(document: Document) -> str:
    """The whole page; the same document gives the same text."""
    from partita import __version__

    style, script = (_template(name) for name in ("report.css", "report.js"))
    blocks = list(_blocks(document.sections))
    meanings = _meanings(blocks)
    about = {label: one.anchor for one in meanings for label in one.labels}
    made: str = (
        _environment()
        .get_template("report.html.jinja")
        .render(
            document=document,
            version=__version__,
            policy=_policy(style, script),
            style=Markup(style),  # noqa: S704 (our own)
            script=Markup(script),  # noqa: S704 (our own)
            verdict_groups=VERDICT_GROUPS,
            names=_names(document, blocks),
            tables={block.anchor: _table_of(block, about) for block in blocks},
            pictures=_pictures(blocks),
            meanings_of=meanings,
        )
    )
    return made


def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("partita.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"grouped": _grouped, "code": _code}
    return made


def _template(name: str) -> str:
    return (files("partita.reports") / "templates" / name).read_text(encoding="utf-8").strip()


def _policy(style: str, script: str) -> str:
    """What the page may do: apply its own style, run its own script, show pictures inside of itself."""
    marks = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{marks[0]}'; script-src 'sha256-{marks[1]}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _visible(value: Any) -> Any:
    """A text with codes for what is not seen or turns the direction of text; escaping comes after this."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return plain_name(value) if value.strip() else value


def _code(text: str) -> Markup:
    """A command with its lines."""
    return Markup("\n").join(map(_visible, text.splitlines()))


def _grouped(blocks: Sequence[Block]) -> list[tuple[str, list[Block]]]:
    """Blocks of one kind that follow each other, such as figures that stand side by side."""
    kinds = groupby(blocks, key=lambda block: type(block).__name__.removesuffix("Block").lower())
    return [(kind, list(same)) for kind, same in kinds]


# --- what a page numbers ----------------------------------------------------------------------------------


def _blocks(sections: Iterable[Section]) -> Iterator[FigureBlock | TableBlock]:
    """Figures and tables in their order."""
    for section in sections:
        for block in section.blocks:
            if isinstance(block, (FigureBlock, TableBlock)):
                yield block
        yield from _blocks(section.sections)


def _names(document: Document, blocks: Sequence[FigureBlock | TableBlock]) -> dict[str, str]:
    """What links call each anchor: figures and tables by their number, sections by their heading."""
    names = dict(_headings(document.sections))
    counts = {"Figure": 0, "Table": 0}
    for block in blocks:
        word = "Figure" if isinstance(block, FigureBlock) else "Table"
        counts[word] += 1
        names[block.anchor] = f"{word} {counts[word]}"
    return names


def _headings(sections: Iterable[Section]) -> Iterator[tuple[str, str]]:
    for section in sections:
        yield section.anchor, section.heading
        yield from _headings(section.sections)


def _meanings(blocks: Iterable[FigureBlock | TableBlock]) -> list[Meaning]:
    known: dict[str, tuple[tuple[str, str], ...]] = {}
    for block in blocks:
        if isinstance(block, TableBlock):
            known |= block.explained
    alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for label, facts in known.items():
        alike.setdefault(facts, []).append(label)
    return [
        Meaning(tuple(labels), f"i{i}", facts) for i, (facts, labels) in enumerate(alike.items(), start=1)
    ]


# --- figures and tables -----------------------------------------------------------------------------------


def _pictures(blocks: Sequence[FigureBlock | TableBlock]) -> dict[str, Markup]:
    """The drawings, by the anchors of their figures."""
    made: dict[str, Markup] = {}
    with bar("drawing figures") as progress:
        for place, block in enumerate(blocks):
            progress(place, len(blocks))
            if isinstance(block, FigureBlock):
                made[block.anchor] = _picture(block, f"f{place}-")
    return made


def _picture(block: FigureBlock, prefix: str) -> Markup:
    told = replace(
        block.data, title=plain_name(block.data.title), description=plain_name(block.data.description)
    )
    return Markup(slim(inline_svg(told, prefix, **block.options)))  # noqa: S704 (matplotlib escapes)


def _table_of(block: FigureBlock | TableBlock, about: Mapping[str, str]) -> ShownTable:
    if isinstance(block, TableBlock):
        return _shown(block.table, {label: about[label] for label in block.explained}, MOST_ROWS)
    return _shown(_behind(block.data), {}, MOST_ROWS_BEHIND)


def _behind(data: FigureData) -> Table:
    """The table behind a figure: a row for each mark."""
    columns = tuple(data.records[0]) if data.records else ()
    return Table("", columns, tuple(tuple(record.values()) for record in data.records))


def _shown(table: Table, about: Mapping[str, str], most: int) -> ShownTable:
    rows = table.rows[:most]
    more = len(table.rows) - len(rows)
    marks = {note: place for place, note in enumerate(_notes_of_cells(table), start=1)}
    heads = tuple(ShownCell(name, about=about.get(name, "")) for name in table.columns)
    cells = tuple(
        tuple(_shown_cell(cell, marks, {} if place else about) for place, cell in enumerate(row))
        for row in rows
    )
    numeric = tuple(place for place, is_numeric in enumerate(table.is_numeric, start=1) if is_numeric)
    cut = (f"{len(rows):,} of {len(table.rows):,} rows are shown",) if more else ()
    return ShownTable(table.title, numeric, heads, cells, (*cut, *table.all_notes))


def _notes_of_cells(table: Table) -> list[str]:
    """The notes of cells, each once, in the order in which a table numbers them."""
    cells = (cell for row in table.rows for cell in row if isinstance(cell, Cell))
    return list(dict.fromkeys(note for cell in cells for note in cell.notes))


def _shown_cell(cell: Any, marks: Mapping[str, int], about: Mapping[str, str]) -> ShownCell:
    value = cell.value if isinstance(cell, Cell) else cell
    text = _cut(show(value))
    if isinstance(cell, Cell):
        text = " ".join([text] * bool(text) + [f"[{marks[note]}]" for note in cell.notes])
    is_strong = isinstance(cell, Cell) and cell.strong
    return ShownCell(text, is_strong, about.get(str(value), ""))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
