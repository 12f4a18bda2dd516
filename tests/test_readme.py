"""The README is true: its examples print what they show. An index is added as CONTRIBUTING.md says."""

from __future__ import annotations

import doctest
import importlib
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given

import gate
from partita.indices import catalogue
from partita.partitions import HARD
from partita.registry import find, remove
from test_gate import TABLES
from test_gate import test_claims_hold_for_all_small_hard_clusterings as check_small_clusterings
from test_gate import test_examples_have_their_value as check_examples

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")
ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_examples_print_what_they_show():
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", README, re.DOTALL))
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    # an empty line in the README stands for an empty line of output when a table goes on behind it
    shown = re.sub(r"\n\n(?=[a-z\[])", "\n<BLANKLINE>\n", examples)
    test = doctest.DocTestParser().get_doctest(shown, {}, "README.md", "README.md", 0)
    outcome = doctest.DocTestRunner(optionflags=flags).run(test)
    assert outcome.failed == 0
    assert outcome.attempted == README.count(">>>") > 10


@pytest.fixture
def kulczynski(tmp_path, monkeypatch):
    """The blocks of CONTRIBUTING.md, run to the letter as a user's own module."""
    blocks = re.findall(r"```python\n(.*?)```", CONTRIBUTING, re.DOTALL)
    (tmp_path / "my_indices.py").write_text("\n".join(blocks), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_indices", raising=False)
    try:
        yield importlib.import_module("my_indices").kulczynski
    finally:
        remove(find("kulczynski"))


def test_the_added_index_works_and_keeps_its_promises(kulczynski):
    assert kulczynski in catalogue()
    assert gate.missing(kulczynski) == [
        'kulczynski needs "kulczynski" in REFERENCE of tests/reference/my_indices.py'
    ]
    check_examples(kulczynski)
    for n in TABLES:
        check_small_clusterings(kulczynski, n)
    gate.check_refutations(kulczynski)
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(kulczynski, "kulczynski", globs={"kulczynski": kulczynski}):
        assert runner.run(test).failed == 0

    @given(scene=gate.scenes((HARD,)))
    def holds(scene):
        gate.check_claims([kulczynski], scene, HARD)
        gate.check_weights([kulczynski], scene)

    holds()


def test_the_readme_names_its_commands():
    for command in ("make demo", "make test", "make bench", "make check"):
        assert command in README
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^test:", makefile, re.MULTILINE)
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_readme_counts_the_indices():
    (said,) = re.findall(r"(\d+) indices states", README)
    assert int(said) == len(catalogue())


def test_links_of_the_readme_lead_to_files():
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_its_picture_is_made_by_the_script_beside_it():
    (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    script = (ROOT / picture).parent / "picture-of-a-report"
    assert (ROOT / picture).name in script.read_text(encoding="utf-8")
