"""The parts of a report: the verdict, figures, tables, clusters, what was left out, how it was made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from partita.comparison import Comparison
from partita.partitions import HARD, Partition
from partita.plots import FigureData, NoFigureError, figure_data, kinds_of
from partita.plots.figures import every_kind, keyword_options
from partita.plots.names import plain_name, short_name
from partita.progress import bar
from partita.reports.clusters import cluster_sections, small_clusters, unsure_objects
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
from partita.reports.glossaries import Explanations, column_explanations, explanations, glossary
from partita.reports.verdicts import compared_with, distrust, joined_sentences, sentences_of
from partita.reports.words import sentence
from partita.results import Result, Table
from partita.results.index_rows import IndexTable
from partita.results.side_by_side import SideBySide
from partita.selection import ChoiceOfClustering, ChoiceOfK, Stability
from partita.selection._structure import Structure
from partita.selection.choices import Decision
from partita.validation import Validation

__all__ = ["Part", "contents"]

FIGURES: Mapping[type, tuple[str, ...]] = {
    ChoiceOfK: ("scatter", "levels", "lasting", "scores", "map", "curves", "tree", "memberships"),
    ChoiceOfClustering: ("scatter", "levels", "lasting", "map", "curves"),
    Structure: ("null",),
    Stability: ("stability", "recovery"),
    Validation: ("silhouette",),
    Comparison: ("contingency", "flow", "null", "intervals", "ends"),
    SideBySide: ("values", "intervals", "flow"),
}
"""The figures of each result in a report, in this order; of other results their usual one."""

SPOKEN_OF = "adjusted_rand"
"""The index by which statements grade agreement, and whose chance distribution is shown."""

ONCE = ("null", "intervals")
"""Figures that a report has of its first comparison only; the tables cover all."""

FEW = 5
"""Options of one kind that are listed one by one."""

HEADINGS: Mapping[type, str] = {
    ChoiceOfK: "The clusters, and their number",
    ChoiceOfClustering: "The best clustering",
    Structure: "The test of structure",
    Stability: "Are the clusters stable",
    Validation: "Quality of the clustering",
    Comparison: "Agreement of two clusterings",
    SideBySide: "Clusterings side by side",
}


@dataclass(frozen=True)
class Part:
    """A result in a report, with its anchor and the name that the user gave it."""

    result: Result
    anchor: str
    name: str = ""

    @property
    def heading(self) -> str:
        """The heading of its sections."""
        known = next((HEADINGS[one] for one in type(self.result).__mro__ if one in HEADINGS), "")
        heading = known or type(self.result).__name__
        if isinstance(self.result, Comparison) and self.name:
            return compared_with(self.result, short_name(self.name, 60))
        return f"{heading}: {short_name(self.name, 60)}" if self.name else heading


def contents(parts: Sequence[Part], *, title: str, command: str = "") -> Document:
    """The document about these results.

    Parameters
    ----------
    parts : list of Part
        The results, the most important first.
    title : str
        Of the page.
    command : str
        The command that makes it again, where that is known.
    """
    validated = next((p for p in parts if isinstance(p.result, Validation) and p.result.inputs), None)
    steady = next((p.result for p in parts if isinstance(p.result, Stability)), None)
    reference = _reference(parts)
    figures, missing = _figures(parts, reference)
    pages = None
    said = [s for part in parts for s in _sentences(part, parts)]
    if validated is not None:
        assert isinstance(validated.result, Validation)
        pages = cluster_sections(validated.result, steady, "clusters", validated.name, reference)
        said += small_clusters(validated.result, "clusters")
        said += unsure_objects(validated.result, "clusters")
    said += distrust([(part.result, part.anchor, part.name) for part in parts])
    sections = (
        figures,
        _tables(parts),
        *([] if pages is None else [pages]),
        _left_out(parts, missing),
        _made(parts, command),
    )
    kept = tuple(section for section in sections if section.blocks or section.sections)
    anchors = set(_anchors(kept))
    verdict = tuple(replace(s, evidence=_nearest(s.evidence, anchors)) for s in joined_sentences(said))
    return Document(title, _subtitle(parts), verdict, kept)


def _sentences(part: Part, parts: Sequence[Part]) -> list[Sentence]:
    """The sentences of a part; a stability analysis that finds another number of clusters is a doubt."""
    said = sentences_of(part.result, part.anchor, part.name)
    choice = next((one.result for one in parts if isinstance(one.result, ChoiceOfK)), None)
    if isinstance(part.result, Stability) and choice is not None and choice.k is not None:
        found = part.result.k or 1
        return [
            replace(s, weight="against") if s.weight == "support" and found != choice.k else s for s in said
        ]
    return said


def _reference(parts: Sequence[Part]) -> Partition | None:
    """The clustering whose colours all figures have: the answer, or the one that was validated."""
    for part in parts:
        one: Any = part.result
        if isinstance(one, Decision) and one.evidence is not None and one.k is not None:
            return one.partition
        if isinstance(one, (Validation, Comparison)) and one.inputs is not None:
            return one.inputs.partitions["found"]
    return None


def _subtitle(parts: Sequence[Part]) -> str:
    titles = dict.fromkeys(str(getattr(part.result, "title", "")) for part in parts)
    return next((plain_name(title) for title in titles if title), "")


# --- figures ----------------------------------------------------------------------------------------------


def _figures(parts: Sequence[Part], reference: Partition | None) -> tuple[Section, list[Sentence]]:
    """The section of figures, and the reasons why some are missing."""
    sections, missing = [], []
    first = next((part for part in parts if isinstance(part.result, Comparison)), None)
    with bar("preparing figures") as progress:
        for place, part in enumerate(parts):
            is_further = isinstance(part.result, Comparison) and part is not first
            kinds = [kind for kind in _kinds(part.result) if not (is_further and kind in ONCE)]
            blocks: list[Block] = []
            for number, kind in enumerate(kinds):
                progress(len(kinds) * place + number, len(kinds) * len(parts))
                try:
                    data = _figure(part.result, kind, reference)
                except NoFigureError as problem:
                    missing.append(Sentence(sentence(f"the figure {kind} of {part.heading}: {problem.what}")))
                    continue
                blocks.append(FigureBlock(f"{part.anchor}-{kind}", data))
            if isinstance(part.result, ChoiceOfK) and part.result.structure is not None:
                blocks.append(FigureBlock(f"{part.anchor}-structure", figure_data(part.result.structure)))
            if blocks:
                sections.append(Section(f"{part.anchor}-figures", part.heading, tuple(blocks)))
    return Section("figures", "Figures", (), tuple(sections)), missing


def _kinds(result: Result) -> list[str]:
    """The kinds of figures that a report has of such a result."""
    carried = kinds_of(result)
    wanted = next((FIGURES[one] for one in type(result).__mro__ if one in FIGURES), carried[:1])
    return [kind for kind in wanted if kind in carried and _is_worth_it(result, kind)]


def _is_worth_it(result: Any, kind: str) -> bool:
    """True where such a figure shows something here; it is not missing otherwise."""
    if isinstance(result, Decision):
        if kind == "curves":
            return bool(getattr(result, "curves", True))
        if kind in ("tree", "memberships") and isinstance(result, ChoiceOfK):
            kinds = {found.kind for found in result.partitions.values()}
            return len(result.partitions) > 1 and (kind == "tree" or kinds != {HARD})
        if kind == "scatter" and result.evidence is not None:
            return result.evidence.metric != "precomputed"
        return result.evidence is not None and (kind != "levels" or len(result.levels) > 1)
    rows = getattr(result, "rows", ())
    asked = {"null": "p", "intervals": "ci_low", "ends": "lower"}
    if isinstance(result, Comparison) and kind in asked:
        return any(getattr(row, asked[kind]) == getattr(row, asked[kind]) for row in rows)
    if isinstance(result, SideBySide) and kind == "intervals":
        return any(row.ci_low == row.ci_low for one in result.results.values() for row in one.rows)
    return True


def _figure(result: Result, kind: str, reference: Partition | None) -> FigureData:
    maker = every_kind()[kind].maker_for(result)
    assert maker is not None
    options: dict[str, Any] = {"reference": reference} if "reference" in keyword_options(maker) else {}
    if isinstance(result, ChoiceOfK) and kind == "curves":
        options["truth"] = result.provenance.get("true_k")
    if isinstance(result, Comparison) and kind == "null" and _has_chance(result, SPOKEN_OF):
        options["indices"] = [SPOKEN_OF]
    return figure_data(result, kind, **options)


def _has_chance(result: Comparison, index: str) -> bool:
    return any(row.index == index and math.isfinite(row.p) for row in result.rows)


# --- tables -----------------------------------------------------------------------------------------------


def _tables(parts: Sequence[Part]) -> Section:
    sections, seen = [], set()
    for part in parts:
        tables = _tables_of(part.result, every_row=type(part.result) not in seen)
        seen.add(type(part.result))
        known = column_explanations(part.result)
        blocks = [_table_block(t, f"{part.anchor}-table{i or ''}", known) for i, t in enumerate(tables)]
        said = (Paragraph(sentence(part.result.statement)),) if part.result.statement else ()
        sections.append(Section(part.anchor, part.heading, (*said, *blocks)))
    words = glossary([part.result for part in parts], "indices-table")
    if words is not None:
        about = Paragraph(
            "Each name opens: what the index means, how to read it, its formula and its source."
        )
        sections.append(Section("indices", "What the indices mean", (about, words)))
    return Section("tables", "Tables", (), tuple(sections))


def _tables_of(result: Any, *, every_row: bool) -> list[Table]:
    """All tables of a result; of several comparisons the first has every row, the others a digest."""
    whole = result.all if every_row and isinstance(result, IndexTable) else result
    tables = [_by_index(replace(whole.table(), answer="")), *whole.more()]
    if isinstance(result, (Stability, Validation)) and _has_clusters(result):
        tables.append(result.by_cluster.table())
    if isinstance(result, Comparison) and result.inputs is not None and result.inputs.n_objects:
        tables.append(result.differences("cluster").table())
    if isinstance(result, ChoiceOfK) and result.structure is not None:
        tables.append(result.structure.table())
    return [table for table in tables if table.rows]


def _by_index(table: Table) -> Table:
    """A digest without the column of families, which names each of them once: a row begins with its index."""
    if table.columns[0] != "family":
        return table
    return replace(table, columns=table.columns[1:], rows=tuple(row[1:] for row in table.rows))


def _has_clusters(result: Stability | Validation) -> bool:
    if isinstance(result, Stability):
        return bool(result.clusters)
    return result.inputs is not None and bool(result.inputs.n_objects)


def _table_block(table: Table, anchor: str, known: Explanations) -> TableBlock:
    """The table, with explanations of the indices that are its rows or its columns."""
    first = [row[0] for row in table.rows if row and isinstance(row[0], str)]
    rows = explanations(first) if table.columns[0] == "index" else {}
    return TableBlock(anchor, table, {name: known[name] for name in table.columns if name in known} | rows)


# --- what was left out, and how it was made ---------------------------------------------------------------


def _left_out(parts: Sequence[Part], missing: Sequence[Sentence]) -> Section:
    items = list(missing)
    for part in parts:
        reasons: dict[str, list[str]] = {}
        for one in getattr(part.result, "left_out", ()):
            reasons.setdefault(one.reason, []).append(one.index)
        items += [
            Sentence(f"{', '.join(names)}: {reason}.", part.anchor) for reason, names in reasons.items()
        ]
    notes = dict.fromkeys(note for part in parts for note in part.result.notes)
    blocks: list[Block] = [Points(tuple(items))] if items else []
    if notes:
        blocks += [Paragraph("Notes of the procedures:"), Points(tuple(Sentence(n) for n in notes))]
    return Section("left-out", "What was left out", tuple(blocks))


def _made(parts: Sequence[Part], command: str) -> Section:
    blocks: list[Block] = []
    if command:
        blocks += [Paragraph("This command makes the report again:"), Code(command)]
    else:
        blocks.append(Paragraph("It was made in Python, by partita.report; options and seeds are below."))
    blocks.append(Facts(tuple(_versions())))
    sections = tuple(
        Section(
            f"{part.anchor}-made",
            part.heading,
            (
                Facts(
                    tuple((plain_name(name), _fact(value)) for name, value in part.result.provenance.items())
                ),
            ),
        )
        for part in parts
        if part.result.provenance
    )
    return Section("made", "How this was made", tuple(blocks), sections)


def _fact(value: Any) -> str:
    if isinstance(value, Mapping):
        alike = Counter(map(str, value.values()))
        if len(value) > FEW and len(alike) < len(value):  # such as the same method for sixty indices
            return ", ".join(f"{one} ({count} times)" for one, count in alike.items())
        return ", ".join(f"{name}: {one}" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _versions() -> Iterator[tuple[str, str]]:
    import platform
    from importlib.metadata import version

    from partita import __version__

    yield "partita", __version__
    yield "Python", platform.python_version()
    for package in ("numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib"):
        yield package, version(package)


# --- anchors ----------------------------------------------------------------------------------------------


def _anchors(sections: Sequence[Section]) -> Iterator[str]:
    for section in sections:
        yield section.anchor
        for block in section.blocks:
            if isinstance(block, (FigureBlock, TableBlock)):
                yield block.anchor
        yield from _anchors(section.sections)


def _nearest(anchor: str, known: set[str]) -> str:
    """The anchor itself, or the nearest one above it that the page has."""
    while anchor and anchor not in known:
        anchor = anchor.rpartition("-")[0]
    return anchor
