"""What the indices of a report mean: meaning, how to read, formula, range, pitfalls and reference of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from partita.errors import PartitaError
from partita.registry import Index
from partita.registry.curves import find_entry
from partita.reports.documents import TableBlock
from partita.results import Result, Table
from partita.results.catalogue import card
from partita.results.formulas import readable
from partita.results.index_names import short_names
from partita.selection import ChoiceOfK, Stability

__all__ = ["Explanations", "column_explanations", "explanations", "glossary"]

TOLD = {
    "what": "meaning",
    "how to read": "how to read it",
    "formula": "formula",
    "letter": "where",
    "range": "range",
    "rule": "rule",
    "pitfalls": "pitfalls",
    "reference": "reference",
}
"""The facts of a card that a report tells, and what they are called there."""


Explanations = Mapping[str, tuple[tuple[str, str], ...]]
"""For each label the name and text of every fact."""


def explanations(labels: Iterable[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """For each label of an index what is known of it; nothing for what is no index."""
    known = {label: _entry(label) for label in labels}
    return {label: _facts(entry) for label, entry in known.items() if entry is not None}


def _entry(label: str) -> Any:
    try:
        return find_entry(label.removeprefix("consensus "))
    except PartitaError:  # a voice that is no index, such as that of density
        return None


def column_explanations(result: Result) -> Explanations:
    """The same for the columns of tables that have one for each index: by label, and by symbol."""
    labels = _labels(result) if isinstance(result, (ChoiceOfK, Stability)) else []
    told = explanations(labels)
    return told | {short: told[label] for label, short in short_names(labels).items() if label in told}


def _facts(entry: Any) -> tuple[tuple[str, str], ...]:
    facts = card(entry.name).facts
    letters = "; ".join(text for fact, text in facts if fact == "letter")
    told: list[tuple[str, str]] = []
    for fact, text in facts:
        if fact not in TOLD or not text:
            continue
        if fact == "letter":
            text, letters = letters, ""  # noqa: PLW2901
        if text and (
            fact != "reference" or not any(name == fact for name, _ in told)
        ):  # the first is its source
            told.append((TOLD[fact], readable(text) if fact == "formula" else text.replace("`", "")))
    return tuple(told)


def glossary(results: Iterable[Result], anchor: str) -> TableBlock | None:
    """All indices of these results, one row each, with what is known of them."""
    labels = list(dict.fromkeys(label for result in results for label in _labels(result)))
    told = explanations(labels)
    entries = {label: _entry(label) for label in told}
    rows = tuple(
        (label, entry.symbol or "" if isinstance(entry, Index) else "", entry.title, _better(entry))
        for label, entry in entries.items()
    )
    if not rows:
        return None
    table = Table("the indices of this report", ("index", "symbol", "title", "better"), rows)
    return TableBlock(anchor, table, told)


def _better(entry: Any) -> str:
    return {"higher": "higher", "lower": "lower"}.get(entry.direction, "it describes")


def _labels(result: Any) -> list[str]:
    """The labels of the indices that a result speaks of."""
    if isinstance(getattr(result, "curves", None), Mapping):
        return [*result.choices, *result.curves]
    if hasattr(result, "preferences"):
        return list(result.preferences)
    if hasattr(result, "repeats"):
        return list(result.indices)
    rows = getattr(result, "rows", ())
    return [row.index for row in rows if isinstance(getattr(row, "index", None), str)]
