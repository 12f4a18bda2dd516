"""The pages of the catalogue, in Markdown, from the registry alone."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import re
from html import escape
from typing import Any

from index_facts import (
    ALL_KINDS,
    claims_of,
    docstring_parts,
    entries,
    fact,
    is_pair,
    peer_rows,
    record,
    signature,
)
from index_pictures import picture
from partita.registry import CLAIMS, Index
from partita.registry.curves import Curve
from partita.registry.families import FAMILIES
from partita.results import show
from partita.results.catalogue import reference
from partita.results.symbols import symbols_of
from peer_values import what_was_read

STATUS_CLASSES = {"holds": "proved", "fails": "refuted", "not known": "open"}
ESCAPED = re.compile(r"([\\*_<>\[\]$|#~^{}])")


def prose(text: str) -> str:
    """Words of a docstring as Markdown: what stands in backticks stays, and names of indices are links."""
    names = {entry.name for entry in entries()}
    parts = re.split(r"(``.+?``|`.+?`)", text)
    out = []
    for part in parts:
        if part.startswith("`"):
            word = part.strip("`")
            out.append(f"[`{word}`]({word}.md)" if word in names else f"`{word}`")
        else:
            out.append(ESCAPED.sub(r"\\\1", part))
    return "".join(out)


def page(entry: Index | Curve) -> str:
    """Everything known about one entry."""
    sections = [
        f"# {entry.title}",
        _head(entry),
        *(prose(p) for p in docstring_parts(entry)[1]),
        _in_short(entry),
        _how_to_read(entry),
        _picture(entry),
        _formula(entry),
        _example(entry),
        *([_claims(entry), _limits(entry)] if isinstance(entry, Index) else []),
        _pitfalls(entry),
        _checked(entry),
        _peers(entry),
        _references(entry),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _head(entry: Index | Curve) -> str:
    home = "partita.indices" if isinstance(entry, Index) else "partita.indices.curves"
    summary, _ = docstring_parts(entry)
    return f"```{{py:function}} {home}.{entry.name}{signature(entry)}\n```\n\n{prose(summary)}"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _in_short(entry: Index | Curve) -> str:
    direction = {"none": "it describes: neither is better"}.get(
        entry.direction, f"{entry.direction} is better"
    )
    rows = [
        ("name", f"`{entry.name}`"),
        ("symbol", (entry.symbol if isinstance(entry, Index) else None) or ""),
        ("also named", ", ".join(f"`{a}`" for a in getattr(entry, "aliases", ()))),
        ("family", f"{entry.family}: {FAMILIES[entry.family]}"),
        ("direction", direction),
        ("best", "" if entry.best is None else show(entry.best)),
        ("chooses k by", f"`{entry.rule}`" if not is_pair(entry) and entry.best is not None else ""),
    ]
    if isinstance(entry, Index):
        rows += [
            ("takes", ", ".join(f"`{name}`" for name in entry.inputs)),
            ("kinds", ", ".join(kind.value for kind in entry.kinds)),
            ("range", prose(fact(entry, "range"))),
            ("metric class", prose(fact(entry, "metric class"))),
            ("options", prose(fact(entry, "options")) and f"`{fact(entry, 'options')}`".replace("|", "\\|")),
        ]
    else:
        rows += [("curve of", f"[`{entry.of}`]({entry.of}.md), for several numbers of clusters")]
    return _table(("in short", ""), [row for row in rows if row[1]])


def _how_to_read(entry: Index | Curve) -> str:
    text = fact(entry, "how to read")
    parts = [part.strip() for part in text.split(";")]
    return "## How to read it\n\n" + "\n".join(f"- {prose(part)}" for part in parts) if text else ""


def _picture(entry: Index | Curve) -> str:
    svg, text = picture(entry)
    title = "What values look like" if is_pair(entry) else "How it moves over k"
    figure = f'<figure class="picture">{svg}<figcaption>{escape(text)}</figcaption></figure>'
    return f"## {title}\n\n```{{raw}} html\n{figure}\n```"


def _formula(entry: Index | Curve) -> str:
    if not entry.formula:
        return ""
    letters = "\n".join(f"- {prose(letter)}: {prose(text)}" for letter, text in symbols_of(entry).items())
    return f"## Formula\n\n```{{math}}\n{entry.formula}\n```\n\n{letters}".rstrip()


def _example(entry: Index | Curve) -> str:
    """The examples of the docstring, run: one that prints something else fails the build."""
    text = inspect.cleandoc(entry.__doc__ or "")
    found = re.search(r"Examples\n-+\n(.*)\Z", text, re.DOTALL)
    if not found:
        return ""
    home = importlib.import_module(entry.__module__)
    test = doctest.DocTestParser().get_doctest(found.group(1), dict(vars(home)), entry.name, None, 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    if doctest.DocTestRunner(optionflags=flags, verbose=False).run(test).failed:
        raise ValueError(f"the example of {entry.name} does not print what it shows")
    shown = "partita.indices" if isinstance(entry, Index) else "partita.indices.curves"
    return f"## Example\n\n```pycon\n>>> from {shown} import {entry.name}\n{found.group(1).strip()}\n```"


def _claims(entry: Index) -> str:
    statuses = claims_of(entry)
    kinds = [kind.value for kind in entry.kinds]
    rows = [
        (
            f"`{claim}`",
            CLAIMS[claim],
            *(f"[{by_kind[kind]}]{{.status-{STATUS_CLASSES[by_kind[kind]]}}}" for kind in kinds),
        )
        for claim, by_kind in statuses.items()
    ]
    legend = (
        "*Holds*: a test tries it on all clusterings of few objects and on many drawn ones. *Fails*: a stored"
        " counter-example is run as a test. *Not known*: nobody has settled it."
    )
    examples = _counter_examples(entry)
    return "\n\n".join(
        part
        for part in ["## What holds", _table(("claim", "in words", *kinds), rows), legend, examples]
        if part
    )


def _counter_examples(entry: Index) -> str:
    lines = []
    for claim, by_kind in entry.refuted.items():
        for kind, example in by_kind.items():
            shown = "; ".join(_shown(given) for given in example.inputs)
            if kind in entry.kinds and shown and len(shown) < 240:
                lines.append(f"- `{claim}`, {kind.value}: `{shown}`")
    return "Counter-examples:\n\n" + "\n".join(lines) if lines else ""


def _shown(given: Any) -> str:
    plain = given.tolist() if hasattr(given, "tolist") else given
    text = str(plain)
    return text if isinstance(plain, (list, tuple)) else ""


def _limits(entry: Index) -> str:
    if not entry.limits:
        return ""
    rows = [(show(limit.value), prose(limit.reason)) for limit in entry.limits]
    return "## Degenerate cases\n\nThe first that holds sets the value.\n\n" + _table(
        ("value", "where"), rows
    )


def _pitfalls(entry: Index | Curve) -> str:
    caveats = list(dict.fromkeys(getattr(entry, "caveats", {}).values()))
    texts = [prose(text) for text in [fact(entry, "pitfalls"), *caveats] if text]
    return "## Pitfalls\n\n" + "\n\n".join(texts) if texts else ""


def _checked(entry: Index | Curve) -> str:
    if isinstance(entry, Curve):
        rows = [(", ".join(map(show, e.expected)), prose(e.source)) for e in entry.examples]
    else:
        rows = [(show(e.value), prose(e.source)) for e in entry.examples if e.value is not None and e.source]
    return "## Checked values\n\n" + _table(("value", "source"), rows) if rows else ""


def _peers(entry: Index | Curve) -> str:
    rows = [(r.package, f"`{r.name}`", prose(r.agreement), r.known) for r in peer_rows(entry.name)]
    if not rows:
        return ""
    legend = (
        "*Run*: called when this page was made, on the same objects. *Recorded*: called once, by"
        " [a script](../../audit/index.md). *Read*: its manual or its source, not called."
    )
    shown = _compact(_table(("package", "name there", "number", "how we know"), rows))
    return f"## In other packages\n\n{shown}\n\n{legend}"


def _compact(table: str) -> str:
    return f":::{{container}} compact\n{table}\n:::"


def _references(entry: Index | Curve) -> str:
    return "## References\n\n" + "\n".join(f"- {prose(reference(key))}" for key in entry.references)


def json_text() -> str:
    """All entries as JSON."""
    return (
        json.dumps({"indices": [record(entry) for entry in entries()]}, indent=1, ensure_ascii=False) + "\n"
    )


# --- the table of all -------------------------------------------------------------------------------------

QUESTIONS = {
    "pair": "do two clusterings agree?",
    "data": "how good is a clustering of these data?",
    "alone": "how soft is a clustering?",
    "curve": "how many clusters?",
}


def _question(entry: Index | Curve) -> str:
    if isinstance(entry, Curve):
        return "curve"
    if is_pair(entry):
        return "pair"
    return "data" if "X" in entry.inputs else "alone"


def table_html() -> str:
    """One row an entry, with what the filter above it reads."""
    rows = []
    for entry in entries():
        kinds = [kind.value for kind in getattr(entry, "kinds", ())]
        symbol = getattr(entry, "symbol", None) or ""
        ranges = fact(entry, "range") if isinstance(entry, Index) else f"of {entry.of}"
        chance = is_pair(entry) and "holds" in claims_of(entry)["zero_by_chance"].values()
        metric = is_pair(entry) and any(entry.metric_class(k) == "metric" for k in entry.kinds)
        marks = [name for name, is_so in (("chance", chance), ("metric", metric)) if is_so]
        words = " ".join([entry.name, entry.title, symbol, *getattr(entry, "aliases", ()), *entry.references])
        words += " " + " ".join(row.name for row in peer_rows(entry.name))
        rows.append(
            f'<tr data-words="{escape(words.lower())}" data-kinds="{" ".join(kinds)}"'
            f' data-family="{entry.family}"'
            f' data-question="{_question(entry)}" data-marks="{" ".join(marks)}">'
            f'<td><a href="indices/{entry.name}.html">{entry.name}</a><br>{escape(entry.title)}</td>'
            f"<td>{escape(symbol)}</td><td>{entry.family}</td><td>{', '.join(kinds)}</td>"
            f"<td>{escape(ranges)}</td><td>{entry.direction}</td></tr>"
        )
    head = "".join(
        f"<th scope='col'>{c}</th>" for c in ("index", "symbol", "family", "kinds", "range", "better")
    )
    return (
        f'<div class="catalogue-filter" hidden>{_filters()}</div>\n'
        '<p class="catalogue-count" role="status"></p>\n'
        f'<div class="catalogue-table"><table class="table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _filters() -> str:
    choices = {
        "question": QUESTIONS,
        "kinds": {kind: kind for kind in ALL_KINDS},
        "family": {family: family for family in dict.fromkeys(entry.family for entry in entries())},
        "marks": {"chance": "0 by chance", "metric": "a metric"},
    }
    names = {"question": "question", "kinds": "kind", "family": "family", "marks": "property"}
    selects = [
        f'<label>{names[key]}<select data-filter="{key}"><option value="">any</option>'
        + "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in options.items())
        + "</select></label>"
        for key, options in choices.items()
    ]
    return '<label>search<input type="search" placeholder="ARI, rand_score, db ..."></label>' + "".join(
        selects
    )


def peers_table(package: str) -> str:
    """What packages whose name begins so call our indices, as Markdown that stands beside the catalogue."""
    rows = [
        (
            f"`{row.name}`",
            row.package,
            f"[{prose(entry.name)}](../catalogue/indices/{entry.name}.md)",
            prose(row.agreement),
            row.known,
        )
        for entry in entries()
        for row in peer_rows(entry.name)
        if row.package.startswith(package)
    ]
    in_order = sorted(rows, key=lambda row: (row[1], row[0].lower()))
    table = _compact(_table(("there", "package", "here", "number", "how we know"), in_order))
    read = what_was_read(package)
    return f"{table}\n\nWhat was read: {read}." if read else table
