"""A progress bar on a terminal, for long work only; silence in a pipe."""

from __future__ import annotations

import io
import sys
import time
import types

import numpy as np
import pytest

import partita as pt
from partita import progress
from partita.arrays import map_blocks


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "patience", "drawn"), [(Terminal, 0, True), (Terminal, 9e9, False), (io.StringIO, 0, False)]
)
def test_a_bar_is_drawn_for_long_work_on_a_terminal_only(monkeypatch, stream, patience, drawn):
    screen = stream()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", patience)
    with progress.bar("comparing") as report:
        report(1, 4)
        report(4, 4)
    assert ("comparing" in screen.getvalue()) is drawn


def test_compare_reports_its_blocks(monkeypatch, capsys):
    told = []

    def watched(work, n, rows, on_block=None, **options):
        assert on_block is not None

        def told_too(done, total):
            told.append((done, total))
            on_block(done, total)

        return map_blocks(work, n, rows, told_too, **options)

    monkeypatch.setattr("partita.engine.map_blocks", watched)
    rng = np.random.default_rng(0)
    U = rng.dirichlet([1, 1], 150_000)
    pt.compare(U, U, indices=["VI"])
    assert told == [(done, 3) for done in (1, 2, 3)]
    assert capsys.readouterr().err == ""


def test_work_inside_other_work_draws_no_bar_of_its_own(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0)
    with progress.bar("outer") as outer:
        outer(1, 4)
        with progress.bar("inner") as inner:
            inner(1, 4)
    with progress.bar("later") as later:
        later(1, 4)
    assert "outer" in screen.getvalue()
    assert "inner" not in screen.getvalue()
    assert "later" in screen.getvalue()


def test_a_long_fit_shows_its_progress(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0)
    X = np.random.default_rng(0).random((500, 2))
    pt.cluster.RandomSwap(20, random_state=0).fit(X)
    pt.cluster.FuzzyCMeans(4, n_init=3, random_state=0).fit(X)
    assert "random swap" in screen.getvalue()
    assert "fuzzy c-means" in screen.getvalue()
    assert "moving centres" not in screen.getvalue()


def test_a_bar_is_drawn_before_the_first_step_is_done(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.01)
    with progress.bar("one long step"):
        ends = time.monotonic() + 10
        while "one long step" not in screen.getvalue() and time.monotonic() < ends:
            time.sleep(0.01)
    assert "one long step" in screen.getvalue()


def test_no_bar_is_drawn_when_the_work_is_over(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.05)
    with progress.bar("short"):
        pass
    time.sleep(0.1)
    assert screen.getvalue() == ""


def test_a_bar_says_how_long_it_takes_still(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    shown = progress.TerminalBar("clustering", time.monotonic() - 30)
    shown.move(1, 3)
    shown.end(whole=True)
    assert "about 60 s left" in screen.getvalue()


# --- notebooks --------------------------------------------------------------------------------------------


class Notebook:
    """What a front end shows of a cell: outputs in their places, rewritten by their names, never taken back.

    It stands in for IPython, which is not installed here: `get_ipython`, `display` and its handle.
    """

    def __init__(self, monkeypatch, *, kernel: object) -> None:
        self.outputs: list[str] = []
        self.written: list[str] = []
        shell = types.SimpleNamespace(kernel=kernel)
        package = types.ModuleType("IPython")
        package.get_ipython = lambda: shell  # type: ignore[attr-defined]
        package.display = types.ModuleType("IPython.display")  # type: ignore[attr-defined]
        package.display.display = self.display
        monkeypatch.setitem(sys.modules, "IPython", package)
        monkeypatch.setitem(sys.modules, "IPython.display", package.display)
        monkeypatch.setattr("sys.stderr", io.StringIO())
        monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0)
        monkeypatch.setattr(progress, "NOTEBOOK_SECONDS", 0)

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> types.SimpleNamespace:
        assert raw
        assert display_id
        place = len(self.outputs)
        self.outputs.append("")

        def update(data: dict[str, str], *, raw: bool) -> None:
            assert raw
            self.outputs[place] = data["text/plain"]
            self.written.append(data["text/plain"])

        update(data, raw=True)
        return types.SimpleNamespace(update=update)


def test_a_notebook_keeps_no_empty_output(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=object())
    with progress.bar("clustering") as report:
        for done in range(1, 4):
            report(done, 3)
    assert notebook.written == [
        "clustering: 1 of 3",
        "clustering: 2 of 3",
        "clustering: 3 of 3",
        "clustering: done in 0 s",
    ]
    assert notebook.outputs == ["clustering: done in 0 s"]
    assert sys.stderr.getvalue() == ""


def test_a_notebook_tells_how_long_it_takes_still(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=object())
    clock = iter([0.0, *[30.0] * 2, *[60.0] * 2, *[4000.0] * 9])  # at the start, then twice at each step
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.bar("clustering") as report:
        for done in (1, 2):
            report(done, 4)
        report(3, 10**4)
    assert notebook.written[:2] == [
        "clustering: 1 of 4, about 2 min left",
        "clustering: 2 of 4, about 60 s left",
    ]
    assert progress.waiting_time(0.6) == "1 s"
    assert progress.waiting_time(89.0 * 60) == "89 min"
    assert progress.waiting_time(7200.0) == "2 h"


def test_nothing_is_told_where_silence_is_asked_for(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=object())
    with progress.silenced():
        with progress.silenced(), progress.bar("inner") as report:
            report(1, 4)
        with progress.silenced(False), progress.bar("clustering") as report:
            report(1, 4)
    assert notebook.outputs == []
    with progress.silenced(False), progress.bar("clustering") as report:
        report(1, 4)
    assert notebook.outputs != []


def test_a_notebook_shows_nothing_for_work_that_is_short(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=object())
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 9e9)
    with progress.bar("clustering") as report:
        report(1, 3)
        report(3, 3)
    assert notebook.outputs == []


def test_a_notebook_says_where_work_was_stopped(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=object())

    def interrupted() -> None:
        with progress.bar("clustering") as report:
            report(1, 3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert notebook.outputs == ["clustering: stopped at 1 of 3 after 0 s"]


def test_ipython_in_a_pipe_is_no_notebook(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=None)
    with progress.bar("clustering") as report:
        report(1, 3)
    assert notebook.outputs == []
    assert sys.stderr.getvalue() == ""


def test_a_notebook_is_not_flooded(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=object())
    monkeypatch.setattr(progress, "NOTEBOOK_SECONDS", 9e9)
    with progress.bar("clustering") as report:
        for done in range(1, 1000):
            report(done, 1000)
    assert len(notebook.written) <= 2
    assert notebook.outputs == ["clustering: done in 0 s"]
