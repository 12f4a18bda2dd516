"""A progress bar on a terminal, for long work only; silence in a pipe."""

from __future__ import annotations

import io

import numpy as np
import pytest

import partita as pt
from partita import progress


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
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0)
    seen = []
    real = progress.bar

    def spy(description):
        bar = real(description)
        enter = bar.__enter__
        bar.__enter__ = enter
        return bar

    monkeypatch.setattr("partita.comparison.bar", spy)
    monkeypatch.setattr(
        "partita.arrays.row_blocks._gather",
        lambda results, total, on_block: [seen.append((total, on_block)) or r for r in results],
    )
    rng = np.random.default_rng(0)
    U = rng.dirichlet([1, 1], 150_000)
    pt.compare(U, U, indices=["VI"])
    assert any(on_block is not None and total > 1 for total, on_block in seen)
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
