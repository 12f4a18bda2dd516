"""The tables of the audit, made with the site: a case whose witness is not our number fails the build."""

from __future__ import annotations

import math
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from audit_cases import VERDICTS, Case, Number, cases, edges

CLOSE = 1e-9
MARKS = {"wrong": "refuted", "other": "open", "convention": "open"}


def problem(case: Case) -> str:
    """What is wrong with a case, or nothing: ours has to be the witness, and theirs not."""
    if not _equal(case.ours, case.witness):
        return f"{case.index}: ours is {case.ours}, by the definition {case.witness}"
    if _equal(case.theirs, case.ours, 1e-4):
        return f"{case.index}: {case.peer} says {case.theirs}, as we do"
    return "" if case.verdict in VERDICTS else f"{case.index}: no verdict {case.verdict!r}"


def _equal(a: Number, b: Number, tolerance: float = CLOSE) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


def _shown(number: Number) -> str:
    if isinstance(number, str):
        return number
    return f"{number:.4g}" if abs(number) < 1e4 else f"{number:.0f}"


def cases_table() -> str:
    """All cases as Markdown; a verdict leads to its paragraph."""
    lines = ["| index | package, and its name | input | theirs | ours | verdict |", "|" + " --- |" * 6]
    for case in cases():
        verdict = f"[[{VERDICTS[case.verdict]}](#audit-{case.topic})]{{.status-{MARKS[case.verdict]}}}"
        cells = (
            case.index.replace("|", "\\|"),
            f"{case.peer} `{case.name}`, {case.known}",
            case.given,
            _shown(case.theirs),
            _shown(case.ours),
            verdict,
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def edges_table() -> str:
    """What everybody says where an index is 0/0 or nearly so, as Markdown."""
    rows = edges()
    heads = [*dict.fromkeys(name for row in rows for name in row if name != "partita"), "partita"]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    lines += ["| " + " | ".join(row.get(name, "") for name in heads) + " |" for row in rows]
    return "\n".join(lines)


class AuditTable(SphinxDirective):
    """The table of all cases, or of the edges."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The table, read as Markdown."""
        tables = {"cases": cases_table, "edges": edges_table}
        made = nodes.container(classes=["compact"])
        made += self.parse_text_to_nodes(tables[self.arguments[0]]())
        return [made]


def _compute(_: Sphinx) -> None:
    """All numbers, kept for the processes that read pages: threads do not live on in these."""
    edges()
    if problems := [text for case in cases() if (text := problem(case))]:
        raise ExtensionError("the audit does not hold: " + "; ".join(problems))


def setup(app: Sphinx) -> dict[str, Any]:
    """Compute before sources are read, and offer the directive ``audit-table``."""
    app.connect("builder-inited", _compute)
    app.add_directive("audit-table", AuditTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
