"""All facts of an entry as plain values: what pages, the table and ``indices.json`` are made from."""

from __future__ import annotations

import inspect
import math
import re
from functools import cache
from typing import Any, NamedTuple

from partita.partitions import Kind
from partita.registry import CLAIMS, Index, indices
from partita.registry.curves import Curve, curves
from partita.registry.families import FAMILIES
from partita.registry.names import peers
from partita.results.catalogue import card, reference
from partita.results.symbols import symbols_of
from peer_values import how_known

STATUS_WORDS = {"claimed": "holds", "refuted": "fails", "open": "not known"}


def entries() -> list[Index | Curve]:
    """Every index, then every curve, in the order of the catalogue; those that users added are not ours."""
    known = [*indices(), *curves()]
    return [entry for entry in known if entry.__module__.startswith("partita.")]


def is_pair(entry: Index | Curve) -> bool:
    """Whether it compares two clusterings."""
    return isinstance(entry, Index) and {"truth", "found"} <= set(entry.inputs)


class Peer(NamedTuple):
    """What one package calls an index."""

    package: str
    name: str
    differs: str
    """How its number is another one, or nothing."""
    but: str
    """Where its number, the same otherwise, is another one, or nothing."""
    known: str
    """How that is known: run, recorded or read."""

    @property
    def agreement(self) -> str:
        """Whether the numbers agree, in words."""
        return self.differs or (f"the same, but: {self.but}" if self.but else "the same")


@cache
def peer_rows(name: str) -> list[Peer]:
    """What other packages call it, and whether their number is ours."""
    rows = []
    inputs = next((e.inputs for e in entries() if e.name == name and isinstance(e, Index)), ())
    for package, said in peers().get(name, {}).items():
        for facts in said:
            known = how_known(package, facts["name"], inputs) if inputs else "read"
            rows.append(Peer(package, facts["name"], facts.get("differs", ""), facts.get("but", ""), known))
    return rows


def docstring_parts(entry: Index | Curve) -> tuple[str, list[str]]:
    """The summary, and the paragraphs before the first section."""
    text = re.split(r"\n\n?\w+\n-{3,}\n", inspect.cleandoc(entry.__doc__ or ""))[0]
    summary, *rest = text.split("\n\n")
    return " ".join(summary.split()), [" ".join(p.split()) for p in rest]


def fact(entry: Index | Curve, name: str) -> str:
    """One fact of the card, or nothing."""
    return next((text for title, text in card(entry.name).facts if title == name), "")


def signature(entry: Index | Curve) -> str:
    """How it is called."""
    if isinstance(entry, Curve):
        return f"({', '.join(['ks', 'values', 'n', 'd', *(['null'] if entry.needs_null else [])])})"
    return str(entry.__signature__).removesuffix(" -> float")


def _plain(value: float | None) -> float | str | None:
    return str(value) if value is not None and not math.isfinite(value) else value


def _end(end: Any) -> float | str | None:
    return str(getattr(end, "text", "depends on the input")) if callable(end) else _plain(end)


def _ranges(entry: Index) -> dict[str, list[Any]]:
    sides = max(1, len([name for name in entry.inputs if name != "X"]))
    ranges = {kind.value: entry.range_of((kind,) * sides) for kind in entry.kinds}
    return {kind: [_end(end) for end in ends or ()] for kind, ends in ranges.items()}


def claims_of(entry: Index) -> dict[str, dict[str, str]]:
    """For each claim that applies and each kind: holds, fails or not known."""
    applying = CLAIMS if is_pair(entry) else ["relabelling_invariant"]
    return {
        claim: {kind.value: STATUS_WORDS[entry.status(claim, kind)] for kind in entry.kinds}
        for claim in applying
    }


def record(entry: Index | Curve) -> dict[str, Any]:
    """Everything about one entry that JSON can carry; a range end is a number, words, or null (not known)."""
    summary, _ = docstring_parts(entry)
    facts: dict[str, Any] = {
        "name": entry.name,
        "title": entry.title,
        "summary": summary,
        "family": entry.family,
        "family_looks_at": FAMILIES[entry.family],
        "best": _plain(entry.best),
        "direction": entry.direction,
        "rule": entry.rule,
        "formula": entry.formula,
        "letters": symbols_of(entry),
        "pitfalls": fact(entry, "pitfalls"),
        "how_to_read": fact(entry, "how to read"),
        "references": [{"key": key, "text": reference(key)} for key in entry.references],
        "peers": [
            {
                "package": row.package,
                "name": row.name,
                "agrees": not row.differs,
                "remark": row.differs or row.but,
                "known": row.known,
            }
            for row in peer_rows(entry.name)
        ],
        "page": f"indices/{entry.name}.html",
    }
    if isinstance(entry, Curve):
        return facts | {"type": "curve", "of": entry.of, "symbol": None, "aliases": [], "kinds": []}
    return facts | {
        "type": "index",
        "symbol": entry.symbol,
        "aliases": list(entry.aliases),
        "call": f"partita.indices.{entry.name}{signature(entry)}",
        "inputs": list(entry.inputs),
        "options": {name: repr(value) for name, value in entry.options.items()},
        "kinds": [kind.value for kind in entry.kinds],
        "ranges": _ranges(entry),
        "claims": claims_of(entry),
        "metric_class": {kind.value: entry.metric_class(kind) for kind in entry.kinds}
        if is_pair(entry)
        else {},
        "limits": [{"value": _plain(limit.value), "where": limit.reason} for limit in entry.limits],
    }


ALL_KINDS = tuple(kind.value for kind in Kind)
