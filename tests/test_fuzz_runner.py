"""The search of ``make fuzz``: a fault is found, made small, kept once; so is a process that dies."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path

import pytest
from hypothesis import strategies as st

from fuzz import __main__ as runner
from fuzz import worker
from fuzz.areas import AREAS, Area
from fuzz.law import obey

KINDS_OF_AREAS = set(AREAS)


def divide(number: int) -> None:
    obey(lambda: 1 // (number < 17))


@pytest.fixture
def search(monkeypatch, tmp_path):
    monkeypatch.setitem(AREAS, "numbers", Area(st.integers(0, 1000), divide))
    monkeypatch.setattr(worker, "SHRINK_SECONDS", math.inf)
    return worker.Search("numbers", tmp_path / "current.json", set(), math.inf)


def test_a_fault_is_found_and_made_small(search):
    finding = search.turn(1)
    assert finding["document"] == 17
    assert finding["signature"] == "ZeroDivisionError at outside"
    assert json.loads(search.current.read_text()) >= 17


def test_it_is_not_found_again(search):
    search.turn(1)
    assert search.turn(2) is None
    assert search.known_again > 0


def test_a_case_is_kept_once_and_can_be_run(search, monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "CASES", tmp_path / "cases")
    finding = search.turn(1)
    assert runner.keep(finding) == runner.keep(finding)
    [path] = (tmp_path / "cases").iterdir()
    case = json.loads(path.read_text())
    with pytest.raises(ZeroDivisionError):
        AREAS[case["area"]].run(case["document"])


def test_a_process_that_dies_is_a_fault_of_what_it_had_in_hand(monkeypatch):
    told = 'File "/x/src/partita/kernels/swaps.py", line 3 in improve\n  File "/x/y.py", line 1 in z'

    def dies(words, **_):
        Path(words[words.index("-m") + 5]).write_text('{"call": "compare"}')
        return subprocess.CompletedProcess(words, -11, "", told)

    monkeypatch.setattr(subprocess, "run", dies)
    [finding] = runner.look("procedures", 1, 1.0, set())
    assert finding["document"] == {"call": "compare"}
    assert finding["signature"] == "the process ended with -11 in kernels/swaps.py:improve"


def test_one_that_fails_before_it_begins_is_none(monkeypatch):
    monkeypatch.setattr(
        subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, 1, "", "no module")
    )
    with pytest.raises(RuntimeError, match="before it began"):
        runner.look("procedures", 1, 1.0, set())


def test_all_areas_take_their_turn():
    assert set(runner.AREAS) == KINDS_OF_AREAS
