"""What is known about the indices, for people to read: the catalogue, and one card for each entry."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import partita.indices  # noqa: F401 (registers the indices that are listed here)
from partita.errors import near_names
from partita.partitions import Kind
from partita.registry import CLAIMS, Index, find, indices
from partita.results import Result, Table, show

__all__ = ["Catalogue", "IndexCard", "card", "catalogue", "reference"]


@dataclass(frozen=True, repr=False)
class Catalogue(Result):
    """All indices, one row each."""

    rows: tuple[dict[str, Any], ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a row."""
        return [dict(row) for row in self.rows]

    def table(self) -> Table:
        """The rows, as they print."""
        columns = tuple(self.rows[0]) if self.rows else ()
        return Table(
            f"{len(self.rows)} indices", columns, tuple(tuple(r.values()) for r in self.rows), self.notes
        )


@dataclass(frozen=True, repr=False)
class IndexCard(Result):
    """One index: every fact of its entry."""

    title: str = ""
    facts: tuple[tuple[str, str], ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a fact."""
        return [{"fact": name, "text": text} for name, text in self.facts]

    def table(self) -> Table:
        """The facts, as they print."""
        return Table(self.title, ("fact", "text"), self.facts, self.notes)


def catalogue() -> Catalogue:
    """Every index with its kinds, range, direction, claims and references."""
    rows = tuple(
        {
            "index": entry.name,
            "symbol": entry.symbol or "",
            "of": ", ".join(entry.inputs),
            "kinds": _kinds_text(entry.kinds),
            "range": range_text(entry, entry.kinds[0]),
            "direction": entry.direction,
            "claims": _short_claims(entry),
            "references": ", ".join(entry.references),
        }
        for entry in indices()
    )
    return Catalogue(
        notes=(
            "range and claims: for the hardest kind the index is defined for; partita indices NAME shows all",
        ),
        rows=rows,
    )


def card(name: str | Index) -> IndexCard:
    """Everything known about one index."""
    entry = find(name)
    facts: list[tuple[str, str]] = [
        ("call", f"partita.indices.{entry.name}{entry.__signature__}".replace(" -> float", "")),
        ("symbol", ", ".join(s for s in (entry.symbol, *entry.aliases) if s) or "none"),
        ("what", " ".join(_summary(entry).split())),
        ("formula", entry.formula),
        (
            "best",
            "none (it describes)"
            if entry.best is None
            else f"{show(entry.best)} ({entry.direction} is better)",
        ),
    ]
    facts += [(f"range, {kind}", range_text(entry, kind)) for kind in entry.kinds]
    facts += [(claim, _claim_text(entry, claim)) for claim in CLAIMS if _claim_text(entry, claim)]
    for kind in entry.kinds:
        if entry.metric_class(kind):
            facts.append((f"class, {kind}", str(entry.metric_class(kind))))
    facts += [("limit", f"{show(limit.value)} where {limit.reason}") for limit in entry.limits]
    facts += [("caveat", text) for text in dict.fromkeys(entry.caveats.values()) if text]
    facts += [("pitfalls", " ".join(_pitfalls(entry).split()))] if _pitfalls(entry) else []
    facts += [("reference", reference(key)) for key in entry.references]
    return IndexCard(title=f"{entry.name}: {entry.title}", facts=tuple(facts))


def range_text(entry: Index, kind: Kind) -> str:
    """Both ends of the range for a kind, in words where they depend on the input."""
    ends = entry.range_of((kind,) * max(1, len([n for n in entry.inputs if n != "X"])))
    if ends is None:
        return "not defined"
    return f"[{', '.join(_end_text(end) for end in ends)}]"


def _end_text(end: Any) -> str:
    if end is None:
        return "not known"
    return str(getattr(end, "text", "depends on the input")) if callable(end) else show(float(end))


def _kinds_text(kinds: Sequence[Kind]) -> str:
    return "all" if len(kinds) == len(Kind) else ", ".join(k.value for k in kinds)


def _claim_text(entry: Index, claim: str) -> str:
    if len(entry.inputs) < 2 and claim != "relabelling_invariant":
        return ""
    by_status: dict[str, list[str]] = {}
    for kind in entry.kinds:
        by_status.setdefault(entry.status(claim, kind), []).append(kind.value)
    words = {"claimed": "yes, tested", "refuted": "no, by a stored counter-example", "open": "not known"}
    parts = [f"{words[s]}: {', '.join(kinds)}" for s, kinds in by_status.items()]
    return f"{CLAIMS[claim]} ({'; '.join(parts)})"


def _short_claims(entry: Index) -> str:
    kind = entry.kinds[0]
    return ", ".join(claim for claim in CLAIMS if entry.status(claim, kind) == "claimed")


def _summary(entry: Index) -> str:
    return inspect.cleandoc(entry.__doc__ or "").split("\n\n")[0]


def _pitfalls(entry: Index) -> str:
    found = re.search(
        r"Pitfalls\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", inspect.cleandoc(entry.__doc__ or ""), re.DOTALL
    )
    return found.group(1) if found else ""


@cache
def _references() -> dict[str, dict[str, str]]:
    text = (files("partita") / "references.bib").read_text(encoding="utf-8")
    entries: dict[str, dict[str, str]] = {}
    for key, body in re.findall(r"@\w+\{(\w+),(.*?)\n\}", text, re.DOTALL):
        entries[key] = dict(re.findall(r"(\w+) = \{(.*?)\},?\n", body + "\n"))
    return entries


def reference(key: str) -> str:
    """One reference, written out."""
    if key not in _references():
        raise near_names(key, _references(), noun="reference")
    fields = _references()[key]
    where = (
        fields.get("journal")
        or fields.get("booktitle")
        or fields.get("publisher")
        or fields.get("howpublished", "")
    )
    volume = f" {fields['volume']}" if "volume" in fields else ""
    pages = f": {fields['pages'].replace('--', '-')}" if "pages" in fields else ""
    authors = fields["author"].replace(" and ", "; ")
    return f"{authors} ({fields['year']}). {fields['title']}. {where}{volume}{pages}".strip()
