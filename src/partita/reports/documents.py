"""The contents of a report: sentences with their evidence, figures, tables, lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from partita.plots import FigureData
from partita.results import Table

__all__ = [
    "Block",
    "Code",
    "Document",
    "Facts",
    "FigureBlock",
    "Paragraph",
    "Points",
    "Section",
    "Sentence",
    "TableBlock",
]

Weight = Literal["answer", "support", "against", "next", "distrust"]
"""The part of a sentence in the verdict: the answer, a reason, a doubt, what to do next, a caution."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of the verdict, and the anchor of the section, figure or table that shows it."""

    text: str
    evidence: str = ""
    weight: Weight = "support"


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    text: str


@dataclass(frozen=True)
class Points:
    """A list, an item each; an item may have an anchor in the page that it leads to."""

    items: tuple[Sentence, ...]


@dataclass(frozen=True)
class Facts:
    """Names and what is known of each, such as the version of a package."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Code:
    """A command or a script, as it is typed."""

    text: str


@dataclass(frozen=True)
class FigureBlock:
    """A figure with the table behind it."""

    anchor: str
    data: FigureData
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TableBlock:
    """A table that can be sorted.

    Attributes
    ----------
    anchor : str
        By which sentences lead to it.
    table : Table
        Its title is the caption.
    explained : dict
        For the text in the first cell of a row what is known of it: name and text of each fact, such as the
        meaning, formula, range, direction and reference of an index.
    """

    anchor: str
    table: Table
    explained: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A heading with blocks below it, and sections inside of it.

    ``colour`` is that of the cluster which it is about, as figures have it.
    """

    anchor: str
    heading: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    colour: str = ""


Block = Paragraph | Points | Facts | Code | FigureBlock | TableBlock


@dataclass(frozen=True)
class Document:
    """A whole report.

    Attributes
    ----------
    title, subtitle : str
        The name of the report, and the data and methods.
    verdict : tuple of Sentence
        The answer with its reasons.
    sections : tuple of Section
        Figures, tables, clusters, notes.
    """

    title: str
    subtitle: str
    verdict: tuple[Sentence, ...]
    sections: tuple[Section, ...]
