"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import partita
from partita import comparison, lower_and_upper
from partita.cli import main
from partita.results import Table

COMMANDS = (
    "compare",
    "align",
    "distribution",
    "validate",
    "structure",
    "choose",
    "choose-among",
    "stability",
    "report",
    "indices",
    "demo",
    "completion",
)
HEAVY = ("numpy", "pandas", "scipy", "sklearn", "numba", "matplotlib", "rich", "narwhals")
LABELS = {"a.csv": "label\na\na\nb\nb\nb\n", "b.csv": "label\n0\n0\n1\n2\n2\n"}
TRUTH, FOUND = list("aabbb"), [0, 0, 1, 2, 2]
posix = pytest.mark.skipif(os.name != "posix", reason="pipes, signals and /dev/full are those of POSIX")


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder with the files given, the way the installed script does."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str, **files: str | bytes) -> Outcome:
        for name, content in {**LABELS, **files}.items():
            path = Path(name.replace("__", "."))
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        code = 0
        try:
            main(arguments)
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Outcome(code, *capsys.readouterr())

    return run_command


def in_process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "partita", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


# --- compare ----------------------------------------------------------------------------------------------


def test_compare_prints_the_table_and_nothing_else(run: Run) -> None:
    assert run("compare", "a.csv", "b.csv") == (
        0,
        f"{comparison.compare(TRUTH, FOUND, names=('a', 'b'))}\n",
        "",
    )


def test_the_two_sides_are_called_by_their_files_or_columns(run: Run) -> None:
    title = lambda *words: run("compare", *words, "--indices", "ARI").out.splitlines()[0]  # noqa: E731
    assert title("a.csv", "b.csv") == "5 objects: hard a (k=2), hard b (k=3)"
    two = "segment,cluster\n" + "\n".join(f"{t},{f}" for t, f in zip(TRUTH, FOUND, strict=True)) + "\n"
    columns = ("compare", "c.csv", "--truth", "segment", "--labels", "cluster")
    outcome = run(*columns, c__csv=two)
    assert "hard segment (k=2), hard cluster (k=3)" in outcome.out
    assert "truth" not in outcome.out
    by_cluster = run(*columns, "--by", "cluster", "--indices", "ARI", c__csv=two).out
    assert "2 clusters in segment, 3 clusters in cluster" in by_cluster
    several = run(
        "compare", "c.csv", "--truth", "segment", "--clusterings", "cluster,segment", c__csv=two
    ).out
    assert "hard segment (k=2); cluster: hard (k=3), segment: hard (k=2)" in " ".join(several.split())


def test_indices_by_name_with_options(run: Run) -> None:
    code, out, _ = run("compare", "a.csv", "b.csv", "--indices", "ARI, vi:base=2,rand:pairs=ordered")
    names = [line.split()[0] for line in out.splitlines()[3:]]
    assert (code, names) == (0, ["adjusted_rand", "variation_of_information:base=2", "rand:pairs=ordered"])


def test_bounds_can_be_left_away(run: Run) -> None:
    typicalities = "x,y\n1,0.2\n0.7,0.9\n0.1,1\n0.4,1\n0.8,0.8\n"
    sides = ("compare", "a.csv", "r.csv", "--found-kind", "possibilistic", "--indices", "ARI,rand")
    for extra, count in (((), 2), (("--bounds",), 2), (("--no-bounds",), 0)):
        code, out, err = run(*sides, "--format", "json", *extra, r__csv=typicalities)
        assert (code, err) == (0, "")
        assert sum(row.get("lower") is not None for row in strict(out)["rows"]) == count


def test_json_is_strict_and_whole(run: Run) -> None:
    _, out, err = run("compare", "a.csv", "b.csv", "--format", "json")
    data = strict(out)
    assert err == ""
    again = comparison.Comparison.from_dict(data)
    assert str(again) == str(comparison.compare(TRUTH, FOUND, names=("a", "b")))
    assert [row.value for row in again] == [row.value for row in comparison.compare(TRUTH, FOUND)]
    assert data["provenance"]["n"] == 5


def test_csv_parses_back_with_all_digits(run: Run) -> None:
    _, out, err = run("compare", "a.csv", "b.csv", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    expected = comparison.compare(TRUTH, FOUND)
    assert err == ""
    assert [(row["index"], float(row["value"])) for row in rows] == [(r.index, r.value) for r in expected]
    assert {row["p"] for row in rows} == {""}


def test_undefined_values_are_null_and_blank(run: Run) -> None:
    arguments = ("compare", "n.csv", "n.csv", "--noise", "ignore", "--indices", "ARI", "--format")
    noise = {"n__csv": "label\n-1\n-1\n-1\n"}
    assert strict(run(*arguments, "json", **noise).out)["rows"][0]["value"] is None
    assert next(csv.DictReader(io.StringIO(run(*arguments, "csv", **noise).out)))["value"] == ""
    assert " nan " in run(*arguments, "table", **noise).out


def cells(markdown: str) -> list[list[str]]:
    """The table in a Markdown text, as a reader of the page sees it."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and token.level == 4:
            rows[-1].append("".join(child.content for child in token.children or ()))
            assert {child.type for child in token.children or ()} <= {"text", "text_special"}
    return rows


@pytest.mark.parametrize(
    "arguments",
    [("compare", "a.csv", "b.csv"), ("indices",), ("indices", "ARI"), ("indices", "pairs_in_both")],
)
def test_markdown_is_a_table_that_reads_as_meant(run: Run, arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments, "--format", "markdown")
    assert (code, err) == (0, "")
    header, *rows = cells(out)
    assert rows
    assert {len(row) for row in rows} == {len(header)}
    if arguments == ("indices", "ARI"):
        formula = next(text for fact, text in rows if fact == "formula")
        assert formula == partita.indices.adjusted_rand.formula


NASTY = [
    "<script>alert(1)</script>",
    "a|b",
    "*bold* _it_ `code`",
    "[x](http://y)",
    "back\\slash\\",
    "x\ny",
    "&amp;",
]


def test_markdown_and_html_escape_everything() -> None:
    table = Table("<b>title</b>", ("<i>name</i>", "a|b"), tuple((text, text) for text in NASTY), ("<u>note",))
    header, *rows = cells(table.markdown())
    assert header == ["<i>name</i>", "a|b"]
    assert rows == [[" ".join(text.split())] * 2 for text in NASTY]
    assert "<" not in table.markdown()

    tags: set[str] = set()
    texts: list[str] = []

    class Reader(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            tags.add(tag)

        def handle_data(self, data: str) -> None:
            texts.append(data)

    reader = Reader(convert_charrefs=True)
    reader.feed(table.html())
    reader.close()
    assert tags == {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert texts == ["<b>title</b>", *header, *(t for t in NASTY for _ in range(2)), "<u>note"]


def test_labels_never_reach_html() -> None:
    page = comparison.compare(["<script>", "<script>", "b"], ["<img>", "x", "x"])._repr_html_()
    assert "<script" not in page
    assert "<img" not in page


def test_files_are_joined_on_identifiers_and_what_was_dropped_is_told(run: Run) -> None:
    files = {
        "x__csv": "id,label\n1,a\n2,a\n3,b\n4,b\n5,b\n",
        "y__tsv": "label\tid\n2\t5\n2\t4\n1\t3\n0\t2\n0\t1\n9\t77\n",
    }
    arguments = ("compare", "x.csv", "y.tsv", "--id", "id", "--format")
    dropped = "joined on id: 5 objects in both files, 1 left out"
    data = strict(run(*arguments, "json", **files).out)
    values = {row["index"]: row["value"] for row in data["rows"]}
    assert values == {row.index: row.value for row in comparison.compare(TRUTH, FOUND)}
    assert any(dropped in note for note in data["notes"])
    assert dropped in run(*arguments, "table").out
    assert dropped in run(*arguments, "markdown").out
    _, out, err = run(*arguments, "csv")
    assert dropped in err
    assert dropped not in out


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        (("d.csv", "--truth-column", "species", "--found-column", "cluster"), {}),
        (("d.csv", "d.csv", "--truth-column", "species", "--found-column", "cluster"), {}),
        (("a.csv", "d.csv", "--found-column", "cluster"), {}),
        (("d.csv", "d.csv", "--column", "species", "--found-column", "cluster"), {}),
        (("d.csv", "--truth-column", "species", "--found-column", "p,q,r"), {}),
        (("d.csv", "--truth-column", "species", "--found-column", "cluster", "--id", "name"), {}),
        (("z.npz", "--truth-column", "t", "--found-column", "f"), {}),
        (("a.csv", "f.npy"), {}),
        (
            ("n.csv", "b.csv", "--truth-column", "1", "--found-column", "0", "--no-header"),
            {"b.csv": "0\n0\n1\n2\n2\n"},
        ),
    ],
)
def test_ways_to_name_the_two_clusterings(
    run: Run, arguments: tuple[str, ...], files: dict[str, str | bytes]
) -> None:
    rows = zip("uvwxy", TRUTH, FOUND, ("1,0,0", "1,0,0", "0,1,0", "0,0,1", "0,0,1"), strict=True)
    matrix = "\n".join(f"{name},{t},{f},{one_hot}" for name, t, f, one_hot in rows)
    arrays = io.BytesIO()
    np.savez(arrays, t=np.array(TRUTH), f=np.array(FOUND))
    array = io.BytesIO()
    np.save(array, np.array(FOUND))
    made: dict[str, str | bytes] = {
        "d.csv": f"name,species,cluster,p,q,r\n{matrix}\n",
        "n.csv": "\n".join(f"{i},{t}" for i, t in enumerate(TRUTH)),
        "z.npz": arrays.getvalue(),
        "f.npy": array.getvalue(),
    }
    code, out, err = run("compare", *arguments, "--format", "csv", **made, **files)
    assert (code, err) == (0, "")
    assert out == comparison.compare(TRUTH, FOUND).write("csv") + "\n"


def test_a_column_whose_name_has_a_comma_is_quoted(run: Run) -> None:
    files = {"c__csv": '"x,y",z\na,1\nb,2\n'}
    assert run("compare", "c.csv", "--truth-column", '"x,y"', "--found-column", "z", **files).code == 0
    assert "'x'" in run("compare", "c.csv", "--truth-column", "x,y", "--found-column", "z").err


def test_noise_and_missing_labels_are_named(run: Run) -> None:
    labels = {"l__csv": "x\na\nnoise\nb\nb\na\nNA\n", "m__csv": "x\na\na\nb\nb\na\nb\n"}
    refused = run("compare", "m.csv", "l.csv", "--indices", "ARI", **labels)
    assert '--missing "noise"' in refused.err
    ways = ("--missing", "noise", "--noise-label", "noise", "--noise", "ignore", "--format", "json")
    told = json.loads(run("compare", "m.csv", "l.csv", "--indices", "ARI", *ways).out)
    assert told["provenance"]["n"] == 4
    assert told["rows"][0]["value"] == 1.0
    data = {"d__csv": "u,v,x\n0.5,1,a\n0.7,1.5,noise\n5,6,b\n5.5,6.5,b\n0.1,1.2,a\n9,9.5,NA\n"}
    judged = run("validate", "d.csv", "--labels", "x", "--indices", "CH", *ways, **data)
    assert json.loads(judged.out)["provenance"]["n"] == 4


def test_dots_between_thousands_are_asked_about(run: Run) -> None:
    file = {"th__csv": "x;y;l\n900;2;a\n1.100;3;a\n950;9;b\n1.200;8;b\n"}
    refused = run("validate", "th.csv", "--labels", "l", "--columns", "x", "--indices", "CH", **file)
    assert refused.code == 2
    assert "--decimal" in refused.err
    assert run("validate", "th.csv", "--labels", "l", "--columns", "x", "--decimal", ".").code == 0


def test_the_same_objects_under_two_names_are_never_matched_by_row(run: Run) -> None:
    files = {"s1__csv": "id,l\na,0\nb,0\nc,1\nd,1\n", "s2__csv": "name,l\na,0\nc,1\nb,0\nd,1\n"}
    refused = run("compare", "s1.csv", "s2.csv", "--column", "l", **files)
    assert refused.code == 2
    assert "rename 'name' to 'id'" in refused.err
    renamed = {"s2__csv": files["s2__csv"].replace("name", "id")}
    joined = run("compare", "s1.csv", "s2.csv", "--indices", "ARI", "--format", "json", **renamed)
    assert json.loads(joined.out)["rows"][0]["value"] == 1.0


def test_placeholders_among_labels_that_are_numbers_are_refused(run: Run) -> None:
    files = {"la__csv": "l\n0\n0\n1\n1\n-\n", "lb__csv": "l\n0\n0\n1\n1\n1\n"}
    refused = run("compare", "la.csv", "lb.csv", **files)
    assert refused.code == 2
    assert "'-' beside numbers" in refused.err
    mended = {"la__csv": files["la__csv"].replace("-", "NA")}
    assert run("compare", "la.csv", "lb.csv", "--missing", "drop", **mended).code == 0


def test_only_ends_apply(run: Run) -> None:
    """No index takes typicalities against a rough clustering; the usual ones have lower and upper values."""
    rough = {"r__csv": "p,q\nTrue,True\nTrue,False\nFalse,True\n", "t__csv": "p,q\n1,0.5\n0.2,0.7\n0.1,1\n"}
    sides = ("compare", "r.csv", "t.csv", "--truth-kind", "rough", "--found-kind", "possibilistic")
    for form in ("table", "markdown", "json"):
        code, out, err = run(*sides, "--format", form, "--indices", "all", **rough)
        assert (code, err) == (0, "")
        assert "not defined for rough against possibilistic" in out
    assert "53 left out: result.left_out" in run(*sides).out
    code, out, err = run(*sides, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    columns = ["index", "symbol", "value", "best", "direction", "lower", "upper", "ci_low", "ci_high"]
    assert list(rows[0]) == [*columns, "expected", "adjusted", "p", "caveat"]
    assert {row["index"] for row in rows} == set(lower_and_upper.USUAL)
    assert all(row["value"] == "" and float(row["lower"]) <= float(row["upper"]) for row in rows)
    assert "left out: " in err


# --- bad input --------------------------------------------------------------------------------------------

BAD: dict[str, tuple[tuple[str, ...], dict[str, str | bytes], str]] = {
    "no such file": (("compare", "none.csv", "b.csv"), {}, "FileError: there is no such file."),
    "a directory": (("compare", ".", "b.csv"), {}, "FileError: this is a directory."),
    "an empty name": (("compare", "", "b.csv"), {}, "FileError: this is a directory."),
    "a name too long": (
        ("compare", "x" * 5000 + ".csv", "b.csv"),
        {},
        "FileError: this file cannot be read.",
    ),
    "an empty file": (("compare", "x.csv", "b.csv"), {"x__csv": ""}, "holds no objects"),
    "one file": (("compare", "a.csv"), {}, "a single file needs two columns"),
    "one file, one column": (("compare", "a.csv", "--found-column", "label"), {}, "needs two columns"),
    "unknown column": (("compare", "a.csv", "b.csv", "--truth-column", "lable"), {}, "did you mean label?"),
    "empty column": (("compare", "a.csv", "b.csv", "--truth-column", ""), {}, "no column named ''"),
    "column with a newline": (("compare", "a.csv", "b.csv", "--column", "x\ny"), {}, r"named 'x\ny'"),
    "unknown id": (("compare", "a.csv", "b.csv", "--id", "labell"), {}, "did you mean label?"),
    "repeated ids": (
        ("compare", "x.csv", "x.csv", "--id", "id"),
        {"x__csv": "id,label\n1,a\n1,b\n"},
        "identifiers are repeated",
    ),
    "ids that never meet": (
        ("compare", "x.csv", "y.csv", "--id", "id"),
        {"x__csv": "id,label\n007,a\n008,b\n", "y__csv": "id,label\n7,a\n8,b\n"},
        "fix:   write them alike in both files, or --by-row",
    ),
    "lengths differ": (("compare", "a.csv", "x.csv"), {"x__csv": "label\na\n"}, "fix:   --id NAME"),
    "nan labels": (("compare", "a.csv", "x.csv"), {"x__csv": "label\na\nNaN\n"}, "labels are missing"),
    "rows off": (
        ("compare", "a.csv", "x.csv"),
        {"x__csv": "p,q\n.5,.6\n.5,.5\n"},
        "--truth-kind or --found-kind possibilistic if these are typicalities, or --normalize",
    ),
    "may be no header": (("compare", "a.csv", "x.csv"), {"x__csv": "1\n1\n2\n2\n2\n"}, "fix:   --no-header"),
    "noise": (
        ("compare", "x.csv", "b.csv", "--noise", "raise"),
        {"x__csv": "label\n-1\n0\n0\n1\n1\n"},
        'fix:   --noise "cluster"',
    ),
    "unknown index": (("compare", "a.csv", "b.csv", "--indices", "adjusted_rnd"), {}, "mean adjusted_rand"),
    "no index": (("compare", "a.csv", "b.csv", "--indices", ""), {}, "no index named ''"),
    "an index too few": (("compare", "a.csv", "b.csv", "--indices", "ARI,,VI"), {}, "no index named ''"),
    "an option alone": (("compare", "a.csv", "b.csv", "--indices", "pairs=ordered"), {}, "'pairs=ordered'"),
    "unknown option": (("compare", "a.csv", "b.csv", "--indices", "rand:pair=x"), {}, "did you mean pairs?"),
    "unknown value": (("compare", "a.csv", "b.csv", "--indices", "rand:pairs=x"), {}, "no such pairs"),
    "option without value": (("compare", "a.csv", "b.csv", "--indices", "rand:pairs"), {}, "name=value"),
    "index of one": (("compare", "a.csv", "b.csv", "--indices", "entropy"), {}, "does not compare two"),
    "not for this kind": (
        ("compare", "a.csv", "x.csv", "--indices", "AMI"),
        {"x__csv": "p,q\n" + ".5,.5\n" * 5},
        "KindError: adjusted_mutual_information is not defined for hard against fuzzy",
    ),
    "unknown kind": (("compare", "a.csv", "b.csv", "--truth-kind", "fuzy"), {}, "did you mean fuzzy?"),
    "wrong kind": (
        ("compare", "a.csv", "x.csv", "--found-kind", "hard"),
        {"x__csv": "p,q\n.5,.5\n1,0\n"},
        "one-hot",
    ),
    "columns of an array": (
        ("compare", "x.npy", "b.csv", "--column", "a"),
        {"x__npy": b"\x93NUMPY"},
        "no NumPy",
    ),
    "threads": (("compare", "a.csv", "b.csv"), {"PARTITA_NUM_THREADS": "many"}, "PARTITA_NUM_THREADS"),
    "card of no index": (("indices", "VIX"), {}, "did you mean"),
    "escapes in a file name": (("compare", "\x1b[2J\udcff.csv", "b.csv"), {}, r"\x1b[2J\udcff.csv"),
    "escapes in a column": (
        ("compare", "x.csv", "b.csv", "--column", "q"),
        {"x__csv": "\x1b[31m<script>\x07,\u202egnp\nu,v\n"},
        r"\x1b[31m<script>\x07, \u202egnp",
    ),
    "a column of 100 kB": (
        ("compare", "x.csv", "b.csv", "--column", "y"),
        {"x__csv": "x" * 100_000 + ",z\na,b\n"},
        "xxx ...",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_on_stderr_with_exit_code_2(
    run: Run, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    arguments, files, message = BAD[case]
    for name in [name for name in files if name.isupper()]:
        monkeypatch.setenv(name, str(files[name]))
    code, out, err = run(*arguments, **{k: v for k, v in files.items() if not k.isupper()})
    assert (code, out) == (2, "")
    assert message in err
    first, *rest = err.splitlines()
    assert first.split(":")[0].endswith("Error")
    assert "  got:   " in err
    assert "  need:  " in err or "  fix:   " in err
    assert {line[:9] for line in rest} <= {"  got:   ", "  need:  ", "  fix:   "}
    assert all(line.isprintable() and len(line) < 420 for line in err.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Usage: partita"),
        (("banana",), "No such command 'banana'"),
        (("--banana",), "No such option"),
        (("compare",), "Missing argument 'TRUTH'"),
        (("compare", "a.csv", "b.csv", "c.csv"), "unexpected extra argument"),
        (("compare", "a.csv", "b.csv", "--banana"), "No such option"),
        (("compare", "a.csv", "b.csv", "--format", "xml"), "'table', 'json', 'csv', 'markdown'"),
        (("compare", "a.csv", "b.csv", "--noise", "loud"), "'cluster', 'singletons', 'ignore', 'raise'"),
        (("compare", "a.csv", "b.csv", "--id"), "requires an argument"),
        (("indices", "ARI", "VI"), "unexpected extra argument"),
    ],
)
def test_wrong_usage_is_exit_code_2_too(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err


# --- help, start, stop ------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_is_everywhere(run: Run, command: tuple[str, ...], flag: str) -> None:
    code, out, err = run(*command, flag)
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: {' '.join(('partita', *command))} ")
    assert "..." not in out.partition("Commands:")[2], "a command's summary is cut"
    assert max(map(len, out.splitlines())) <= 100


def test_help_and_version_import_nothing_heavy() -> None:
    script = f"""
import sys
from partita.cli import main
for command in {COMMANDS}:
    main([command, "-h"])
for option in ("--help", "--version"):
    main([option])
print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == "[]\n"
    assert done.stdout.endswith(f"partita, version {partita.__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "a.csv", "none.csv"),
        ("distribution", "none.csv", "a.csv"),
        ("validate", "a.csv", "--memberships", "none.npy"),
        ("choose", "none.parquet"),
        ("stability", "none.xlsx"),
        ("structure", "none.csv"),
        ("choose-among", "none.csv", "--clusterings", "a,b"),
        ("align", "a.csv", "none.csv", "--save", "out.csv"),
        ("compare", "a.csv", "a.csv", "--data", "none.csv"),
        ("choose", "none.csv", "--method", "gmm", "--save-labels", "out.csv", "--save-k", "3"),
        ("compare", "a.csv", "a.odt"),
        ("report", "none.csv", "--k", "1:3"),
        ("compare", "a.csv", "none.csv", "--out", "out.json", "--plot", "out.svg"),
    ],
)
def test_a_file_that_is_not_there_is_told_before_anything_heavy_is_imported(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "a.csv").write_text(LABELS["a.csv"])
    (tmp_path / "a.odt").write_text("no table")
    script = f"""
import sys
from partita.cli import main
try:
    main({arguments})
except SystemExit as stop:
    print(stop.code, [name for name in {HEAVY} if name in sys.modules])
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, cwd=tmp_path)
    assert done.stdout == "2 []\n"
    assert "no such file" in done.stderr or "kind of file is not known" in done.stderr


def test_standard_input_is_a_file_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(content: str, *arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        return run(*arguments)

    plain = run("compare", "a.csv", "b.csv", "--format", "csv")
    assert piped(LABELS["b.csv"], "compare", "a.csv", "-", "--format", "csv").out == plain.out
    table = "x,label\n1.5,a\n2.5,a\n7,b\n8,b\n"
    judged = piped(table, "validate", "-", "--labels", "label", "--indices", "CH")
    assert (judged.code, "features: x" in judged.out) == (0, True)
    empty = piped("", "compare", "a.csv", "-")
    assert (empty.code, "nothing came from standard input" in empty.err) == (2, True)


def test_the_column_of_labels_in_a_file_beside_the_data(run: Run) -> None:
    files = {
        "d__csv": "id,x\n1,0.5\n2,0.25\n3,8\n4,9\n",
        "m__csv": "id,first,second\n4,1,1\n3,1,0\n2,0,1\n1,0,0\n",
    }
    arguments = ("validate", "d.csv", "--memberships", "m.csv", "--indices", "CH")
    assert "if some are no memberships: --labels NAME, --id NAME" in run(*arguments, **files).err
    values = [
        strict(run(*arguments, "--labels", name, "--format", "json").out)["rows"][0]["value"]
        for name in ("first", "second")
    ]
    assert values[0] > 100 > values[1]


def test_the_budget_would_notice() -> None:
    script = f"import sys, partita.partitions; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert "numpy" in done.stdout


def test_the_installed_command_in_a_pipe(tmp_path: Path) -> None:
    for name, content in LABELS.items():
        (tmp_path / name).write_text(content)
    piped = {"cwd": tmp_path, "input": LABELS["b.csv"]}
    done = in_process("compare", "a.csv", "-", "--format", "json", **piped)
    assert (done.returncode, done.stderr) == (0, "")
    assert strict(done.stdout)["result"] == "Comparison"
    failed = in_process("compare", "a.csv", "none.csv", cwd=tmp_path)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr.startswith("FileError: there is no such file.\n  got:   none.csv\n")


def test_a_terminal_that_does_not_know_every_letter() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = in_process("indices", "VI", env=environment, encoding="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Meil?, Marina" in done.stdout
    assert "Fränti, Pasi" in done.stdout


@posix
def test_a_reader_that_leaves_early_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "partita", "indices"]
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.stderr == b""
    assert done.returncode == 1


@posix
def test_a_full_disk_is_told() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "partita", "indices"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"FileError: the result cannot be written.\n  got:   No space left")


@posix
def test_an_interrupt_is_exit_code_130(tmp_path: Path) -> None:
    pipe = tmp_path / "slow.csv"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "partita", "compare", str(pipe), str(pipe)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process, pipe.open("wb"):  # opens when the command reads, which then waits for what never comes
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.split()) == (130, b"", [b"stopped"])


@posix
@pytest.mark.parametrize("disguised", [False, True])
@pytest.mark.parametrize("where", ["partita.cli.group", "click", "partita.progress"])
def test_an_interrupt_of_imports_is_exit_code_130(tmp_path: Path, where: str, disguised: bool) -> None:
    """Also inside of an exec, as in the making of a namedtuple, after which python -m would kill itself.

    A compiled module that is interrupted while it starts fails with an ImportError instead.
    """
    (tmp_path / "sitecustomize.py").write_text(f"""
import sys

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {where!r}:
            try:
                exec("import signal; signal.raise_signal(signal.SIGINT)")
            except KeyboardInterrupt:
                raise ImportError("initialization failed") if {disguised} else KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
""")
    done = in_process(
        "compare", "a.csv", "b.csv", cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}
    )
    assert (done.returncode, done.stdout, done.stderr.split()) == (130, "", ["stopped"])


@posix
def test_an_interrupt_that_is_swallowed_comes_again(tmp_path: Path) -> None:
    script = """
import os, signal, sys, time
import partita.files.sources as sources

def swallowing(*paths):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:
        pass
    time.sleep(60)

sources.check_files = swallowing
sys.argv = ["partita", "choose", "any.csv"]
from partita.cli import main
main()
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.split()) == (130, "", ["stopped"])


@posix
@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["nothing"], 2)])
def test_an_interrupt_when_all_is_told_changes_nothing(
    tmp_path: Path, arguments: list[str], code: int
) -> None:
    """Python forgets its handlers before it lets go of what it holds."""
    (tmp_path / "sitecustomize.py").write_text("""
import builtins, signal
raise_signal = signal.raise_signal

class Late:
    def __del__(self, raise_signal=raise_signal, number=signal.SIGINT):
        raise_signal(number)

builtins.late = Late()
""")
    done = in_process(*arguments, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == code
    assert "KeyboardInterrupt" not in done.stderr


@posix
@pytest.mark.parametrize("arguments", [["nothing"], ["choose", "none.csv"]])
def test_a_full_error_output_leaves_the_exit_code(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "partita", *arguments]
        buffered = {**os.environ, "PYTHONUNBUFFERED": ""}  # what is left is written in the end
        ways: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": full, "env": buffered}
        done = subprocess.run(command, timeout=60, check=False, **ways)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_closed_standard_input_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    code, out, err = run("choose", "-", "--out", "a.csv", "--force")
    assert (code, out) == (2, "")
    assert "nothing came from standard input" in err


def test_demo_answers_for_iris(run: Run) -> None:
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    assert "150 objects, 4 features: density trees and mixtures" in out
    assert "2 clusters, clear. " in out
    assert "2. Are they stable?" in out
    assert "150 objects: hard truth (k=3), hard found (k=3)" in out
    agreement = next(line for line in reversed(out.splitlines()) if line.startswith("adjusted_rand "))
    iris = load_iris(as_frame=True)
    three = partita.choose_k(iris.data, random_state=0).partitions[3]
    expected = adjusted_rand_score(iris.target, three.labels)
    assert agreement.split()[1:3] == ["ARI", f"{expected:.4f}"]


def test_weights_come_from_a_column_of_the_first_file(tmp_path, capsys):
    truth, found = tmp_path / "t.csv", tmp_path / "f.csv"
    truth.write_text("id,label,times\na,0,1\nb,0,2\nc,1,3\nd,1,4\n")
    found.write_text("id,label\nd,1\nc,1\nb,1\na,0\n")
    arguments = ["compare", str(truth), str(found), "--id", "id", "--column", "label", "--indices", "RI"]
    assert main([*arguments, "--weight", "times", "--format", "json"]) in (None, 0)
    value = json.loads(capsys.readouterr().out)["rows"][0]["value"]
    assert value == partita.indices.rand([0, 0, 1, 1], [0, 1, 1, 1], sample_weight=[1, 2, 3, 4])
    for wrong in ("tims", "label2", "id"):
        with pytest.raises(SystemExit) as stopped:
            main([*arguments, "--weight", wrong])
        assert stopped.value.code == 2


# --- how many clusters ----------------------------------------------------------------------------------


@pytest.fixture
def clouds(tmp_path):
    rng = np.random.default_rng(0)
    centres = np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    table = pd.DataFrame(rng.normal(size=(90, 2)) + centres, columns=["x", "y"])
    table["cloud"] = np.repeat(["a", "b", "c"], 30)
    table["id"] = [f"o{i}" for i in range(90)]
    table.to_csv(tmp_path / "clouds.csv", index=False)
    return str(tmp_path / "clouds.csv")


def test_choose_says_how_many_clusters(clouds, capsys):
    main(["choose", clouds, "--k", "1:5", "--method", "gmm", "--runs", "2", "--truth", "cloud", "--id", "id",
          "--indices", "BIC,silhouette,ARI", "--consensus", "VI", "--seed", "0"])  # fmt: skip
    shown = capsys.readouterr().out
    assert "90 objects, 2 features: GaussianMixtureEM, k = 1 to 5, 2 runs each" in shown
    assert shown.splitlines()[1].startswith("3 clusters, clear: GaussianMixtureEM, density tree ")
    assert "no vote: it knows the truth" in " ".join(shown.split())


def test_choose_as_csv_has_every_run(clouds, capsys):
    main(
        [
            "choose",
            clouds,
            "--columns",
            "x,y",
            "--k",
            "2,3",
            "--runs",
            "2",
            "--indices",
            "CH",
            "--format",
            "csv",
        ]
    )
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "k,run,seed,index,value,caveat"
    assert len(rows) == 1 + 2 * 2


def test_choose_goes_on_from_a_checkpoint(clouds, tmp_path, capsys):
    arguments = ["choose", clouds, "--columns", "x,y", "--k", "2:4", "--runs", "1", "--indices", "CH",
                 "--checkpoint", str(tmp_path / "kept")]  # fmt: skip
    main(arguments)
    first = capsys.readouterr().out
    main(arguments)
    assert capsys.readouterr().out == first
    with pytest.raises(SystemExit):
        main([*arguments[:-2], "--seed", "1", *arguments[-2:]])
    assert "is the checkpoint of other work" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("scheme", "shown"),
    [
        ("subsample:0.5", "4 x Subsample(share=0.5)"),
        ("bootstrap", "4 x Bootstrap()"),
        ("noise:0.1", "4 x Noise(scale=0.1)"),
        ("rerun", "4 x Rerun()"),
    ],
)
def test_stability_prints_the_answer_and_every_k(clouds, scheme, shown, capsys):
    main(["stability", clouds, "--columns", "x,y", "--k", "2:4", "--repeats", "4", "--scheme", scheme,
          "--seed", "0"])  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert f"90 objects, 2 features: RandomSwap, {shown}, cross-validation" == lines[0]
    assert lines[1].startswith("3 clusters, ")
    assert not lines[1].startswith("3 clusters, clear")  # 4 repeats are few
    three = next(line.split() for line in lines if line.startswith("3   "))
    assert three[1:4] == ["0", "0", "0"]  # three clouds are stable every time
    assert float(three[4]) > 0.99


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--k", "a:b"], "--k is not a range"),
        (["--k", "3:2"], "the smaller end first"),
        (["--k", "1:5:0"], "--k is not a range"),
        (["--method", "gm"], "did you mean gmm"),
        (["--method", "gmm:covariance=full"], "gmm has no such option"),
        (["--indices", "ARI"], "compares with a truth"),
        (["--truth", "nothing"], "no column named 'nothing'"),
        (["--columns", "x,cloud"], "features are numbers"),
    ],
)
def test_choose_refuses_what_makes_no_sense(clouds, arguments, problem, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["choose", clouds, "--columns", "x,y", *arguments])
    assert stopped.value.code == 2
    assert problem in capsys.readouterr().err


@pytest.mark.parametrize("scheme", ["jackknife", "subsample:2", "noise:x", "bootstrap:1"])
def test_stability_refuses_schemes_that_there_are_not(clouds, scheme, capsys):
    with pytest.raises(SystemExit):
        main(["stability", clouds, "--columns", "x,y", "--scheme", scheme])
    assert "Error: " in capsys.readouterr().err


@posix
@pytest.mark.parametrize("command", ["indices", "--version"])
def test_a_closed_standard_output_is_told(command: str) -> None:
    line = f'exec "{sys.executable}" -m partita {command} >&-'
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(
        b"FileError: the result cannot be written.\n  got:   standard output is closed"
    )


@posix
def test_a_file_is_written_where_standard_output_is_closed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\na\na\nb\n")
    line = f'exec "{sys.executable}" -m partita compare a.csv a.csv --out x.json >&-'
    done = subprocess.run(line, shell=True, cwd=tmp_path, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 0
    assert strict((tmp_path / "x.json").read_text())["result"] == "Comparison"
