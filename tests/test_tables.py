"""Tables in every form: they fit the width, numbers stand on their points, reasons are told once."""

from __future__ import annotations

import io
import math
import os
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
from partita.results import Cell, Table, show
from partita.results.terminal import has_bold, screen_width
from partita.results.text_tables import printed_width, wrapped

MIXED = [
    1.5,
    12,
    -0.25,
    math.nan,
    math.inf,
    -math.inf,
    3e-9,
    -3.25e20,
    None,
    123456.75,
    np.float32(0.5),
    np.int64(7),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_numbers_of_a_column_stand_on_their_points():
    table = Table("", ("name", "x"), tuple((f"row {i}", value) for i, value in enumerate(MIXED)))
    lines = table.text().splitlines()[1:]
    numbers = [line[len("row 10  ") :] for line in lines]
    ends = set()
    for text, value in zip(numbers, MIXED, strict=True):
        assert text.strip() == show(value)
        whole = re.match(r"\s*[+-]?(\d+|inf|nan)", text)
        if value is not None:
            assert whole is not None
            ends.add(whole.end())
    assert len(ends) == 1


@given(st.lists(st.one_of(st.none(), st.integers(-(10**9), 10**9), st.floats()), min_size=1, max_size=8))
def test_any_numbers_stand_on_their_points(values):
    lines = Table("", ("n", "x"), tuple(("a", v) for v in values)).text().splitlines()[1:]
    whole = [re.match(r"a\s+[+-]?(\d+|inf|nan)", line) for line in lines]
    assert len({found.end() for found in whole if found}) <= 1
    assert [line[1:].strip() for line in lines] == [show(v) for v in values]


def test_truth_values_and_words_are_no_numbers():
    table = Table("", ("a", "b", "c"), ((True, 1, "1"), (False, 2.5, "2")))
    assert table.is_numeric == (False, True, False)


WIDE = Table(
    "a title",
    ("index", "symbol", *(f"value {i}" for i in range(9)), "why"),
    tuple((f"index_{i}", "S", *(i + j / 7 for j in range(9)), "words " * 12) for i in range(4)),
    ("a note " * 30,),
    answer="the answer " * 20,
    spare=("symbol",),
)


@pytest.mark.parametrize("width", [80, 81, 100, 110, 200])
def test_a_table_fits_the_width(width):
    text = WIDE.text(width)
    assert max(map(len, text.splitlines())) <= width
    header = next(line for line in text.splitlines() if line.startswith("index "))
    shown = [name for name in WIDE.columns if re.search(rf"\b{name}\b", header)]
    assert shown[0] == "index"
    assert shown[-1] == "why"
    assert ("symbol" in shown) == (len(shown) == len(WIDE.columns))
    cut = f"{len(shown)} of 12 columns; to_frame() has all"
    assert (cut in text) == (len(shown) < 12)
    assert (len(shown) == 12) == (width == 200)


@given(
    st.lists(
        st.tuples(st.text(max_size=60), st.booleans()), min_size=1, max_size=7, unique_by=lambda c: c[0]
    ),
    st.lists(st.text(max_size=90), max_size=4),
    st.integers(80, 120),
)
def test_whatever_it_holds_it_fits(columns, texts, width):
    rows = tuple(tuple(0.5 if numeric else text for _, numeric in columns) for text in texts)
    table = Table("", tuple(name for name, _ in columns), rows, tuple(texts))
    for line in table.text(width).split("\n"):
        assert printed_width(line) <= width
        assert line.isprintable()


def test_values_are_the_last_to_go():
    """Soft clusterings have caveats, lower and upper values: too much for 80 columns."""
    rough = pt.RoughPartition([[True, False], [True, True], [False, True], [False, True]])
    for found in (rough, [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.1, 0.9]]):
        text = pt.compare([0, 0, 1, 1], found).all.text(80)
        header = next(line.split() for line in text.splitlines() if line.startswith("index "))
        assert {"index", "value", "direction", "caveat"} <= set(header)
        assert max(map(len, text.splitlines())) <= 80


def test_a_last_column_of_numbers_may_be_cut_and_one_of_texts_is_wrapped():
    numbers = Table("", ("k", *(f"an index {i}" for i in range(20))), ((2, *range(20)),)).text(80)
    assert numbers.splitlines()[0].startswith("k  an index 0")
    assert "of 21 columns" in numbers
    assert "an index 19" not in numbers
    wrapping = Table("", ("k", "why"), ((2, "word " * 40),)).text(80).splitlines()
    assert len(wrapping) > 3
    assert all(line.startswith(" " * 3) for line in wrapping[2:])


def test_words_that_are_too_long_break_after_a_mark():
    assert wrapped("normalized_variation_of_information", 30) == ["normalized_variation_of_", "information"]
    assert wrapped("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrapped("聚类" * 5, 10) == ["聚类聚类聚", "类聚类聚类"]
    assert wrapped("", 10) == []


def test_a_label_cannot_move_the_cursor():
    text = Table("\x1b[2Jtitle", ("a",), (("x\ty\r\nz\x1b[31m",),)).text()
    assert "\x1b" not in text
    assert "\r" not in text
    assert "\\x1b[31m" in text


# --- notes of cells ---------------------------------------------------------------------------------------

NOTED = Table(
    "values",
    ("k", "CH", "silhouette"),
    (
        (1, Cell(math.nan, "one cluster"), Cell(math.nan, "one cluster")),
        (2, 50.0, Cell(0.8, strong=True)),
        (3, 40.0, Cell(math.nan, ("a singleton <&>", "sampled"))),
    ),
    ("of the table",),
)


def test_a_reason_is_told_once_in_every_form():
    plain_markdown = NOTED.markdown().replace("\\", "")
    for form, last in (
        (NOTED.text(), "[2] a singleton <&>"),
        (plain_markdown, "[2] a singleton &lt;&amp;&gt;"),
    ):
        assert form.count("nan [1]") == 2
        assert "nan [2] [3]" in form
        assert form.count("one cluster") == 1
        assert last in form
        assert form.index("[1] one cluster") < form.index("[3] sampled") < form.index("of the table")
    page = NOTED.html()
    assert page.count("nan [1]") == 2
    assert "<li>[1] one cluster</li><li>[2] a singleton &lt;&amp;&gt;</li><li>[3] sampled</li>" in page
    assert NOTED.csv().splitlines() == ["k,CH,silhouette", "1,,", "2,50.0,0.8", "3,40.0,"]
    assert NOTED.is_numeric == (True, True, True)


def test_notes_of_columns_that_are_cut_are_not_listed():
    row = [Cell(math.nan, f"reason {i}") for i in range(12)]
    table = Table("", ("name", *(f"an index {i}" for i in range(12)), "why"), (("a", *row, "text"),))
    text = table.text(80)
    shown = text.split("nan [")[1:]
    assert 0 < len(shown) < 12
    assert text.count("reason") == len(shown)


def test_a_column_with_nothing_but_notes_is_not_blank():
    table = Table("", ("a", "b", "c"), ((1, Cell("", "why"), Cell(None)),)).without_blank_columns()
    assert table.columns == ("a", "b")
    assert "[1]" in table.text().splitlines()[1]


# --- forms ------------------------------------------------------------------------------------------------


def test_title_answer_and_table_stay_apart():
    table = Table("a <title>", ("a", "b"), (("x", 1.5),), answer="the answer\nand more")
    assert table.text().splitlines()[:4] == ["a <title>", "the answer", "and more", ""]
    assert table.markdown().splitlines()[:6] == ["**a &lt;title&gt;**", "", "the answer", "", "and more", ""]
    page = table.html()
    assert page.startswith(
        "<div><p><strong>a &lt;title&gt;</strong></p><p>the answer</p><p>and more</p><table>"
    )
    # a title that brings its answer along is taken apart too
    assert Table("a <title>\nthe answer\nand more", ("a", "b"), (("x", 1.5),)).html() == page


def test_only_numbers_are_set_to_the_right():
    table = Table("", ("word", "number"), (("x", 1.5), ("y", None)))
    assert "| --- | ---: |" in table.markdown()
    page = table.html()
    assert '<th style="text-align: left">word</th><th style="text-align: right">number</th>' in page
    assert '<td style="text-align: left">x</td><td style="text-align: right">1.5000</td>' in page


def test_the_best_is_bold_on_a_terminal_only():
    assert "\x1b" not in NOTED.text()
    bold = NOTED.text(bold=True)
    assert "\x1b[1m0.8000\x1b[0m" in bold
    assert re.sub(r"\x1b\[\d*m", "", bold) == NOTED.text()
    assert "**0.8000**" in NOTED.markdown()
    assert "<strong>0.8000</strong>" in NOTED.html()


# --- the screen -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "expected"), [("90", 90), ("50", 50), ("20", 40), ("200", 200)])
def test_results_print_at_the_width_of_the_terminal(monkeypatch, columns, expected):
    monkeypatch.setenv("COLUMNS", columns)
    result = pt.compare([0, 0, 1, 1], [0, 1, 1, 1])
    in_a_pipe = str(result)
    assert screen_width() == 110
    monkeypatch.setattr("sys.stdout", Terminal())
    assert screen_width() == expected
    assert str(result) == result.text(expected)
    assert in_a_pipe == result.text(110)


def test_bold_letters_are_for_terminals_that_have_them(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert not has_bold()
    monkeypatch.setattr("sys.stdout", Terminal())
    assert has_bold()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_bold()
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not has_bold()
    monkeypatch.setattr("sys.stdout", None)
    assert not has_bold()
    assert screen_width() == 110


def test_ipython_shows_bold_letters_on_a_terminal_only(monkeypatch):
    class Printer:
        def __init__(self) -> None:
            self.shown = ""

        def text(self, text: str) -> None:
            self.shown += text

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    result = pt.validate([[0.0], [1.0], [5.0]], {"a": [0, 0, 1], "b": [0, 1, 1]}, indices=["CH"])
    in_a_notebook, in_a_terminal = Printer(), Printer()
    result._repr_pretty_(in_a_notebook, False)
    monkeypatch.setattr("sys.stdout", Terminal())
    result._repr_pretty_(in_a_terminal, False)
    assert "\x1b[1m" in in_a_terminal.shown
    assert "\x1b" not in in_a_notebook.shown


def test_the_command_line_is_bold_in_a_terminal_and_plain_in_a_pipe():
    """A terminal of our own, 80 columns wide, and a pipe."""
    import fcntl
    import pty
    import struct
    import subprocess
    import sys
    import termios

    code = (
        "import partita as pt; from partita.cli.output import show;"
        "show(pt.validate([[0.], [1.], [5.], [6.]], {'good': [0, 0, 1, 1], 'bad': [0, 1, 0, 1]}), 'table')"
    )
    command = [sys.executable, "-c", code]
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")} | {
        "TERM": "xterm"
    }
    piped = subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout
    assert "\x1b" not in piped
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen(command, env=environment, stdout=side, stderr=side) as process:
        os.close(side)
        seen = b""
        try:
            while piece := os.read(main, 65536):
                seen += piece
        except OSError:  # the other end was closed
            pass
        assert process.wait() == 0
    os.close(main)
    text = seen.decode()
    assert "\x1b[1m50\x1b[0m" in text
    assert max(len(re.sub(r"\x1b\[\d*m", "", line)) for line in text.splitlines()) <= 80
