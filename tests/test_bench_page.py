"""The page and the figure of the benchmark, from records made up here: nothing is timed."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

BENCH = Path(__file__).parents[1] / "bench"


@pytest.fixture
def bench(monkeypatch):
    """Modules of the folder, which are no package."""
    monkeypatch.syspath_prepend(str(BENCH))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(BENCH) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def found(bench):
    from measuring import Growth, Memory, Peer, Report

    report = Report(issue=3)
    report("a ratio | of two", 2.5, 2.0, at_most=False, issue=19, earlier={2: 1.5})
    report("another ratio", 2.5, 2.0, at_most=True, clock="CPU")
    report.add(Growth("Contingency", "rand", (10, 20), (1.0, 2.5), 1.32, 1.15))
    report.add(Memory("compare", 10**8, 10**7, "resident pages"))
    report.add(Peer("them", "ARI", -0.5, 0.5, agree=False, remark="they overflow"))
    report.note("a note")
    part = {"failure": "", "seconds": 3.0, **report.to_dict()}
    return {"tables": part, "lost": {"records": [], "notes": [], "failure": "ended with -9", "seconds": 1.0}}


def test_every_bench_file_is_found_by_its_function(bench):
    from run import parts

    found = set(parts())
    assert {"tables", "growth", "peers", "past_memory", "dask_cluster", "internal"} <= found
    assert not found & {"run", "measuring", "results", "figure"}


def test_what_is_missed_or_failed_is_said_first(found):
    from results import page

    text = page(found, 61.0, load=2.0)
    assert "1 of 3 targets hold, in 1.0 minutes" in text
    missed = text[text.index("## Missed") : text.index("## Targets")]
    assert "MISSED another ratio: 2.5x, target <= 2x" in missed
    assert "MISSED growth of Contingency: n^1.32, limit 1.15" in missed
    assert "FAILED lost: ended with -9" in missed
    assert "a ratio" not in missed
    assert "provisional" in text


def test_the_table_has_issue_target_and_verdict(found):
    from results import page

    lines = page(found, 61.0, load=0.0).splitlines()
    assert "| 19 | a ratio \\| of two | 2.5x | >= 2x (2: 1.5x) | wall | holds |" in lines
    assert "| 3 | another ratio | 2.5x | <= 2x | CPU | **missed** |" in lines
    assert "| them | ARI | -0.5 | 0.5 | **no** |  | they overflow |" in lines
    assert "| compare | 100 MB | 10 MB | resident pages |" in lines


def test_files_are_written_whole_and_the_figure_is_one(found, tmp_path):
    from results import write

    write(tmp_path, found, 61.0, load=0.0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["RESULTS.md", "results.svg"]
    assert ET.parse(tmp_path / "results.svg").getroot().tag.endswith("svg")
    assert "a ratio" in (tmp_path / "results.svg").read_text()


def test_a_margin_above_one_is_a_target_that_holds(found):
    from figure import margin
    from measuring import Target
    from results import records

    for target in records(found, Target):
        assert (margin(target) >= 1) == target.holds
