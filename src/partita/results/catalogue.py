"""What is known about the indices, for people to read: the catalogue, and one card for each entry."""

from __future__ import annotations

import doctest
import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any, Literal, get_args, get_origin

from partita.errors import near_names
from partita.partitions import Kind
from partita.registry import CLAIMS, Index, find, indices
from partita.registry.curves import Curve, curves, find_curve, is_curve
from partita.results import Result, Table, show
from partita.results.formulas import readable
from partita.results.symbols import symbols_of

__all__ = ["Catalogue", "IndexCard", "card", "catalogue", "reference"]

KIND_LETTERS = {kind: kind.value[0].upper() for kind in Kind}
CLAIM_LETTERS = dict(zip(CLAIMS, "SIRETNZ", strict=True))
WIDEST_RANGE = 18
"""A longer range is cut in the terminal, where all columns must fit."""


@dataclass(frozen=True, repr=False)
class Catalogue(Result):
    """All indices, one row each, then the curves over numbers of clusters."""

    entries: tuple[Index, ...] = ()
    curves: tuple[Curve, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each index."""
        return [
            {
                "index": entry.name,
                "symbol": entry.symbol or "",
                "title": entry.title,
                "inputs": ", ".join(entry.inputs),
                "kinds": ", ".join(entry.kinds),
                "range": _by_kind(entry, partial(range_text, entry)),
                "best": entry.best,
                "direction": entry.direction,
                "claims": _claims_held(entry),
                "references": ", ".join(entry.references),
            }
            for entry in self.entries
        ] + [
            {
                "index": curve.name,
                "symbol": "",
                "title": curve.title,
                "inputs": f"{curve.of} for several k",
                "kinds": "",
                "range": "",
                "best": curve.best,
                "direction": curve.direction,
                "claims": "",
                "references": ", ".join(curve.references),
            }
            for curve in self.curves
        ]

    def table(self) -> Table:
        """Every column; a range or claim that is not the same for all kinds names them."""
        rows = self.records()
        columns = tuple(rows[0]) if rows else ()
        return Table(self._title, columns, tuple(tuple(row.values()) for row in rows), self.notes)

    def brief(self) -> Table:
        """A terminal's width of it: letters for kinds and claims, facts for the hardest kind."""
        columns = ("index", "symbol", "kinds", "range", "better", "claims", "references")
        rows = tuple(
            (
                entry.name,
                entry.symbol or "",
                "".join(KIND_LETTERS[kind] for kind in entry.kinds),
                _short_range(entry),
                entry.direction,
                _claim_letters(entry),
                ", ".join(entry.references),
            )
            for entry in self.entries
        ) + tuple(
            (c.name, "", "", f"of {c.of}", c.direction, "", ", ".join(c.references)) for c in self.curves
        )
        legend = (
            f"kinds: {_legend(KIND_LETTERS)}",
            f"claims: {_legend(CLAIM_LETTERS)}; - refuted, . not known",
            "range and claims: first of the kinds, default options; ? not known, ... depends on the input",
            "range of a curve: the index whose curve it is",
            "partita indices NAME shows one index whole; --format markdown, csv or json has every column",
        )
        return Table(self._title, columns, rows, self.notes + legend, spare=("references",))

    @property
    def _title(self) -> str:
        return f"{len(self.entries)} indices" + (f", {len(self.curves)} curves" if self.curves else "")


@dataclass(frozen=True, repr=False)
class IndexCard(Result):
    """One index: every fact of its entry."""

    name: str = ""
    title: str = ""
    facts: tuple[tuple[str, str], ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each fact."""
        facts = (("index", self.name), ("title", self.title), *self.facts)
        return [{"fact": fact, "text": text} for fact, text in facts]

    def table(self) -> Table:
        """The facts, as they print."""
        return self._table(self.facts)

    def brief(self) -> Table:
        """The same with the formula in signs that a terminal has; other forms keep it in LaTeX."""
        return self._table(tuple((f, readable(t) if f == "formula" else t) for f, t in self.facts))

    def _table(self, facts: tuple[tuple[str, str], ...]) -> Table:
        return Table(f"{self.name}: {self.title}", ("fact", "text"), facts, self.notes)


def catalogue() -> Catalogue:
    """Every index with its kinds, range, direction, claims and references."""
    return Catalogue(entries=tuple(indices()), curves=tuple(curves()))


def card(name: str | Index) -> IndexCard:
    """Everything known about one index, or one curve."""
    if isinstance(name, str) and is_curve(name):
        return _curve_card(find_curve(name))
    entry = find(name)
    best = f"{show(entry.best)} ({entry.direction} is better)" if entry.best is not None else ""
    facts: list[tuple[str, str]] = [
        ("asked for as", entry.asked_as),
        ("symbol", entry.symbol or "none"),
        ("also named", ", ".join(entry.aliases)),
        ("call", f"partita.indices.{entry.name}{entry.__signature__}".replace(" -> float", "")),
        ("options", "; ".join(_option_text(entry, option) for option in entry.options)),
        ("what", " ".join(_summary(entry).split())),
        ("formula", entry.formula),
        *_letters(entry),
        ("how to read", _reading(entry)),
        ("example", _example(entry)),
        ("best", best or "none (it describes)"),
        ("range", _by_kind(entry, partial(range_text, entry))),
        (
            "metric class",
            _by_kind(entry, lambda kind: entry.metric_class(kind) or "none claimed")
            if _is_pair(entry)
            else "",
        ),
    ]
    facts += [(claim, _claim_text(entry, claim)) for claim in CLAIMS]
    facts += [("given sizes", _given_sizes_text(entry))]
    facts += [("limit", f"{show(limit.value)} where {limit.reason}") for limit in entry.limits]
    facts += [("caveat", text) for text in dict.fromkeys(entry.caveats.values())]
    facts += [("pitfalls", " ".join(_pitfalls(entry).split()))]
    facts += [
        ("checked value", f"{show(e.value)} ({e.source})")
        for e in entry.examples
        if e.value is not None and e.source
    ]
    facts += [("reference", reference(key)) for key in entry.references]
    return IndexCard(
        notes=("yes: tested on random clusterings; no: a stored counter-example is run as a test",),
        name=entry.name,
        title=entry.title,
        facts=tuple((fact, text) for fact, text in dict.fromkeys(facts) if text),
    )


def _curve_card(curve: Curve) -> IndexCard:
    facts = [
        ("curve of", f"{curve.of}, for several numbers of clusters"),
        ("rather of", f"{' or '.join(curve.rather_of)}, where that is judged too" if curve.rather_of else ""),
        ("rule", curve.rule),
        ("what", " ".join(_summary(curve).split())),
        ("formula", curve.formula),
        *_letters(curve),
        ("how to read", f"{curve.direction} is better: {curve.rule} chooses the number of clusters"),
        ("example", _example(curve)),
        ("best", f"{show(curve.best)} ({curve.direction} is better)" if curve.best is not None else ""),
        ("pitfalls", " ".join(_pitfalls(curve).split())),
        *(("checked values", f"{list(map(show, e.expected))} ({e.source})") for e in curve.examples),
        *(("reference", reference(key)) for key in curve.references),
    ]
    return IndexCard(
        name=curve.label, title=curve.title, facts=tuple((fact, text) for fact, text in facts if text)
    )


def _letters(entry: Index | Curve) -> list[tuple[str, str]]:
    return [("letter", f"{symbol}: {meaning}") for symbol, meaning in symbols_of(entry).items()]


def _reading(entry: Index) -> str:
    """How high and low values are read: from the direction, the range and the claims, for the first kind."""
    kind = entry.kinds[0]
    within = _within(entry, kind)
    if entry.best is None:
        return "; ".join(x for x in ("it describes: neither high nor low is better", within) if x)
    if math.isinf(entry.best):
        parts = ["no value is the best one, so compare values for the same data only"]
    else:
        parts = [f"{show(entry.best)} is best{_who_scores_best(entry, kind)}"]
    if _is_pair(entry) and entry.direction == "higher":
        chance = {
            "claimed": "0 is the mean over all shuffles of the objects, so below 0 is worse than chance",
            "refuted": "not corrected for chance: shuffled objects do not score 0 on average",
        }
        parts.append(chance.get(entry.status("zero_by_chance", kind), ""))
    parts = [part for part in (*parts, within) if part]
    for_kind = f"for {kind.value} clusterings, " if len(entry.kinds) > 1 and _is_pair(entry) else ""
    others = [k.value for k in entry.kinds if _is_pair(entry) and entry.status("reflexive", k) == "refuted"]
    soft = [f"against itself, a clustering that is {' or '.join(others)} does not score best"] * bool(others)
    return "; ".join([f"{entry.direction} is better", f"{for_kind}{parts[0]}", *parts[1:], *soft])


def _within(entry: Index, kind: Kind) -> str:
    """Between which ends values lie, as far as these are known."""
    ends = entry.range_of((kind,) * max(1, len([n for n in entry.inputs if n != "X"]))) or (None, None)
    known = [end is not None and (callable(end) or math.isfinite(end)) for end in ends]
    low, high = map(_end_text, ends)
    texts = {
        (True, True): f"values lie in [{low}, {high}]",
        (True, False): f"no value is below {low}",
        (False, True): f"no value is above {high}",
    }
    return texts.get((known[0], known[1]), "")


def _who_scores_best(entry: Index, kind: Kind) -> str:
    if not _is_pair(entry) or entry.status("reflexive", kind) != "claimed":
        return ""
    if entry.status("separating", kind) == "claimed":
        return ", and only equivalent clusterings reach it"
    return ", which a clustering scores against itself, and others may too"


def _example(entry: Index | Curve) -> str:
    """The first example of the docstring, with what it gives."""
    steps = doctest.DocTestParser().get_examples(inspect.cleandoc(entry.__doc__ or ""))
    code: list[str] = []
    for step in steps:
        code.append(step.source.strip())
        if step.want:
            home = "partita.indices" if isinstance(entry, Index) else entry.__module__
            known = [f"from {home} import {entry.name}"] if entry.__module__.startswith("partita.") else []
            return f"{'; '.join([*known, *code])}  # {step.want.strip()}"
    return ""


def range_text(entry: Index, kind: Kind) -> str:
    """Both ends of the range for a kind, in words where they depend on the input."""
    ends = entry.range_of((kind,) * max(1, len([n for n in entry.inputs if n != "X"])))
    if ends is None:
        return "not defined"
    return f"[{', '.join(_end_text(end) for end in ends)}]"


def _end_text(end: Any) -> str:
    if end is None:
        return "not known"
    return str(getattr(end, "text", "depends on the input")) if callable(end) else f"{end:g}"


def _short_range(entry: Index) -> str:
    text = range_text(entry, entry.kinds[0]).replace("not known", "?")
    if len(text) <= WIDEST_RANGE:
        return text
    low = text.partition(",")[0]
    return f"{low}, ...]" if len(low) < WIDEST_RANGE // 2 else "[..., ...]"


def _by_kind(entry: Index, text_of: Callable[[Kind], str]) -> str:
    """One text when it is the same for all kinds, or each with its kinds."""
    groups: dict[str, list[str]] = {}
    for kind in entry.kinds:
        groups.setdefault(text_of(kind), []).append(kind.value)
    if len(groups) == 1:
        return next(iter(groups))
    return "; ".join(f"{', '.join(kinds)}: {text}" for text, kinds in groups.items())


def _is_pair(entry: Index) -> bool:
    return {"truth", "found"} <= set(entry.inputs)


def _given_sizes_text(entry: Index) -> str:
    """On what it depends when the cluster sizes of two hard clusterings are given."""
    if not entry.given_sizes:
        return ""
    sums = {"squares": "the sum of squared cells", "entropy": "the sum of m log m over cells"}[
        entry.given_sizes
    ]
    if entry.separable:
        return f"an affine function of {sums}, and of the same over rows and columns"
    return f"monotone in {sums}"


def _claim_text(entry: Index, claim: str) -> str:
    if not _is_pair(entry) and claim != "relabelling_invariant":
        return ""
    words = {"claimed": "yes", "refuted": "no", "open": "not known"}
    return f"{_by_kind(entry, lambda kind: words[entry.status(claim, kind)])} ({CLAIMS[claim]})"


def _claims_held(entry: Index) -> str:
    held = {claim: [k for k in entry.kinds if entry.status(claim, k) == "claimed"] for claim in CLAIMS}
    return ", ".join(
        claim if len(kinds) == len(entry.kinds) else f"{claim} ({', '.join(kinds)})"
        for claim, kinds in held.items()
        if kinds
    )


def _claim_letters(entry: Index) -> str:
    marks = {"refuted": "-", "open": "."}
    return "".join(
        marks.get(entry.status(claim, entry.kinds[0]), letter) for claim, letter in CLAIM_LETTERS.items()
    )


def _legend(letters: Mapping[Any, str]) -> str:
    return ", ".join(f"{letter} {name}" for name, letter in letters.items())


def _option_text(entry: Index, name: str) -> str:
    """An option with its default first, and what else it may be."""
    default, hint = entry.options[name], entry.option_types.get(name)
    others = [repr(c) for c in get_args(hint) if c != default] if get_origin(hint) is Literal else []
    return f"{name}={default!r}" + (f" (or {', '.join(others)})" if others else "")


def _summary(entry: Index | Curve) -> str:
    return inspect.cleandoc(entry.__doc__ or "").split("\n\n")[0]


def _pitfalls(entry: Index | Curve) -> str:
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
