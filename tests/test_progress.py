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
        "partita.arrays._gather",
        lambda results, total, on_block: [seen.append((total, on_block)) or r for r in results],
    )
    rng = np.random.default_rng(0)
    U = rng.dirichlet([1, 1], 150_000)
    pt.compare(U, U, indices=["VI"])
    assert any(on_block is not None and total > 1 for total, on_block in seen)
    assert capsys.readouterr().err == ""
