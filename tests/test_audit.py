"""The audit of other packages, and the proofs: witnesses for numbers, paragraphs for verdicts."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def cases():
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        import audit_cases

        yield audit_cases
    finally:
        sys.path.remove(str(DOCS / "_ext"))


def close(a, b, tolerance):
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return a == pytest.approx(b, rel=tolerance, abs=tolerance)


def test_ours_is_the_number_of_the_definition_and_theirs_is_not(cases):
    found = cases.cases()
    assert len(found) > 35
    for case in found:
        assert close(case.ours, case.witness, 1e-9), case
        assert not close(case.theirs, case.ours, 1e-4), case
        assert case.verdict in cases.VERDICTS
        assert case.known


def test_every_case_has_its_paragraph_and_every_paragraph_its_case(cases):
    text = (DOCS / "audit" / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\(audit-([\w-]+)\)=$", text, re.MULTILINE)) == {
        case.topic for case in cases.cases()
    }


def test_what_is_called_wrong_was_run_or_is_told_to_be_read(cases):
    for case in cases.cases():
        assert re.match(r"(run|recorded) \d|not run$", case.known), case


def test_identical_clusterings_have_their_best_value_at_the_edges(cases):
    rows = [row for row in cases.edges() if row["clusterings"] in ("both one cluster", "all alone, twice")]
    assert len(rows) >= 5
    assert all(row["partita"] == "1" for row in rows)


def test_proofs_name_code_that_is_there():
    pages = [path.read_text(encoding="utf-8") for path in (DOCS / "how").glob("*.md")]
    source = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src" / "partita").rglob("*.py")}
    everything = "\n".join(source.values())
    named = [
        name
        for page in pages
        for said in re.findall(r"\*In\s+the\s+code\.\*(.*?)(?:\n\n|\Z)", page, re.DOTALL)
        for name in re.findall(r"`([\w./]+)`", said)
    ]
    assert len(named) > 20
    for name in named:
        if name.endswith(".py"):
            assert (ROOT / "src" / "partita" / name).exists(), name
        else:
            for part in name.split("."):
                assert re.search(rf"(def|class) {part}\b", everything), name


def test_every_theorem_is_proved_and_checked():
    for page in ("statistics", "identities", "distributional"):
        text = (DOCS / "how" / f"{page}.md").read_text(encoding="utf-8")
        parts = re.split(r"^#{2,3} (?=Theorem \d+)", text, flags=re.MULTILINE)[1:]
        assert [int(re.match(r"Theorem (\d+)", part)[1]) for part in parts] == list(range(1, len(parts) + 1))
        for part in parts:
            assert "*Proof.*" in part, part[:60]
            assert "∎" in part, part[:60]
            assert re.search(r"```{code-cell} python\n.*?assert ", part, re.DOTALL), part[:60]
