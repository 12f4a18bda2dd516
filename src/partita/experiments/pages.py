"""Pages of papers that were run again: HTML in the report's style, Markdown, CSV, JSON and figures."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from partita.errors import FileError
from partita.experiments.reproductions import Reproduction
from partita.experiments.studies import Part
from partita.files.writing import write_whole
from partita.plots import FigureData, picture
from partita.reports.documents import (
    Block,
    Code,
    Document,
    Facts,
    FigureBlock,
    Paragraph,
    Points,
    Section,
    Sentence,
    TableBlock,
)
from partita.reports.words import sentence
from partita.results import Cell, Table

__all__ = ["document_of", "markdown", "write"]

FIGURES = "figures"
"""The folder of the pictures, beside the pages."""

MOST_BYTES = 40_000
"""Of a picture as SVG; a larger one, such as a scatter plot, is written as PNG."""

DOTS, COLOURS = 80, 64
"""Of such a PNG, an inch, and in all: small files, which a page shows as they are."""


def document_of(found: Reproduction, *, command: str = "") -> Document:
    """The page of a paper: the score in words first, then part by part, then what to take from it."""
    counts = found.score
    total = sum(counts.values())
    first = (
        f"{counts['reproduced']} of {total} numbers and statements are reproduced, "
        f"{counts['not reproduced']} are not, {counts['not determinable']} cannot be told"
    )
    parts = [
        Sentence(sentence(found.score_of(name)), name, "support")
        for name, part in found.parts.items()
        if part.findings
    ]
    absent = [
        Sentence(sentence(f"the data {name} could not be had: {how}"), "made", "distrust")
        for name, how in found.missing.items()
    ]
    small = [Sentence("These are small versions of the experiments.", "made", "distrust")] * found.quick
    sections = [_section(found, name, part) for name, part in found.parts.items()]
    taken = Section(
        "lessons", "What to take from it", (Points(tuple(Sentence(sentence(x)) for x in found.lessons)),)
    )
    facts = tuple((name, _text(value)) for name, value in found.provenance.items())
    made: list[Block] = [Facts(facts)]
    if command:
        made = [Paragraph("This command makes the page again:"), Code(command), *made]
    return Document(
        title=f"{found.paper}, run again",
        subtitle=found.title,
        verdict=(Sentence(sentence(first), "", "answer"), *parts, *small, *absent),
        sections=(
            *sections,
            Section("made", "How this was made", tuple(made)),
            *([taken] if found.lessons else []),
        ),
    )


def _section(found: Reproduction, name: str, part: Part) -> Section:
    blocks: list[Block] = []
    if part.remarks:
        blocks.append(Points(tuple(Sentence(sentence(remark)) for remark in part.remarks)))
    if part.findings:
        rows = tuple(
            (
                f.where,
                f.printed,
                f.obtained,
                Cell(f.outcome, strong=f.outcome != "reproduced"),
                f.tolerance,
                f.reason,
            )
            for f in part.findings
        )
        columns = ("where", "the paper", "ours", "outcome", "tolerance", "why not")
        table = Table("what the paper has, and what we get", columns, rows).without_blank_columns()
        blocks.append(TableBlock(f"{name}-findings", table))
    blocks += [FigureBlock(f"{name}-{key}", data) for key, data in part.figures.items()]
    blocks += [TableBlock(f"{name}-table{i}", table) for i, table in enumerate(part.tables, start=1)]
    return Section(name, f"{name}: {found.titles[name]}", tuple(blocks))


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


# --- Markdown ---------------------------------------------------------------------------------------------


def markdown(page: Document, pictures: Mapping[str, str]) -> str:
    """The page as Markdown; ``pictures`` has where the picture of each anchor is."""
    lines = [f"# {page.title}", "", page.subtitle, ""]
    lines += [f"- {said.text}" for said in page.verdict]
    for section in page.sections:
        lines += ["", *_markdown_of(section, 2, pictures)]
    return "\n".join(lines).rstrip() + "\n"


def _markdown_of(section: Section, level: int, pictures: Mapping[str, str]) -> Iterator[str]:
    yield f"{'#' * level} {section.heading}"
    for block in section.blocks:
        yield ""
        yield from _block(block, pictures)
    for inner in section.sections:
        yield ""
        yield from _markdown_of(inner, level + 1, pictures)


def _block(block: Block, pictures: Mapping[str, str]) -> Iterator[str]:
    match block:
        case Paragraph(text):
            yield text
        case Points(items):
            yield from (f"- {item.text}" for item in items)
        case Facts(rows):
            yield from (f"- {name}: {text}" for name, text in rows)
        case Code(text):
            yield from ("```", text, "```")
        case FigureBlock(anchor, data):
            yield f"![{data.description}]({pictures[anchor]})"
            yield ""
            yield f"*{data.title}*"
        case TableBlock(_, table):
            yield table.markdown()


# --- files ------------------------------------------------------------------------------------------------


def write(found: Reproduction, folder: str | os.PathLike[str], *, command: str = "") -> list[Path]:
    """Write the page of a paper as HTML and Markdown, its findings as CSV and JSON, and its figures.

    Parameters
    ----------
    found : Reproduction
        What `reproduce` returned.
    folder : path
        It is made where it is not there; files of the same paper in it are replaced, each whole.
    command : str
        What makes it again, told on the page.
    """
    from partita.reports.pages import page as html_page

    place = Path(folder)
    try:
        (place / FIGURES).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(f"{place} cannot hold pages.", got=problem.strerror or str(problem)) from None
    page = document_of(found, command=command)
    content: dict[str, bytes] = {}
    pictures = {}
    for block in (block for section in page.sections for block in section.blocks):
        if isinstance(block, FigureBlock):
            form, drawn = _picture(block.data)
            pictures[block.anchor] = f"{FIGURES}/{found.paper}-{block.anchor}.{form}"
            content[pictures[block.anchor]] = drawn
    texts = {
        "html": html_page(page),
        "md": markdown(page, pictures),
        "csv": found.write("csv") + "\n",
        "json": found.write("json") + "\n",
    }
    content |= {f"{found.paper}.{form}": text.encode() for form, text in texts.items()}
    for name, written in content.items():
        write_whole(place / name, written, overwrite=True)
    return [place / name for name in content]


def _picture(data: FigureData) -> tuple[str, bytes]:
    """A figure as SVG, or as a PNG of few colours where that would be large."""
    from PIL import Image  # which matplotlib writes PNG with

    drawn = picture(data, "svg")
    if len(drawn) <= MOST_BYTES:
        return "svg", drawn
    out = io.BytesIO()
    with Image.open(io.BytesIO(picture(data, "png", dots=DOTS))) as whole:
        whole.convert("RGB").quantize(COLOURS).save(out, "png", optimize=True)
    return "png", out.getvalue()
