"""What commands write beside the screen: files, figures, notes; what each option is called; exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from click.shell_completion import ShellComplete

import partita as pt
from command_runs import Run, runner
from partita import errors, progress
from partita.cli import commands
from partita.cli import output as output_room
from partita.partitions.data import complete_data
from partita.plots import pictures


def flowers() -> pd.DataFrame:
    """Three clouds of 20 objects, a clustering of them and one with two clouds put together."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"])
    table += np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    table["kind"] = np.repeat(["a", "b", "c"], 20)
    table["three"] = np.repeat([2, 0, 1], 20)
    table["two"] = np.repeat([0, 1, 1], 20)
    table.loc[0, "three"] = 0
    return table


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder with the file f.csv, the way the installed script does."""
    monkeypatch.chdir(tmp_path)
    flowers().to_csv("f.csv", index=False)
    return runner(capsys)


COMPARE = "compare f.csv --truth kind --labels three"
FIGURES = {
    "compare": COMPARE,
    "compare several": "compare f.csv --truth kind --clusterings three,two",
    "compare all": "compare l.csv --all --bootstrap 20",
    "align": "align f.csv --truth kind --labels three",
    "distribution": "distribution f.csv --truth kind --labels three",
    "validate": "validate f.csv --columns x,y --labels three",
    "validate several": "validate f.csv --columns x,y --clusterings three,two",
    "structure": "structure f.csv --columns x,y --null 19 --seed 0",
    "choose": "choose f.csv --columns x,y --k 2:4 --runs 1 --indices CH --splits 0 --no-structure",
    "choose a value": "choose f.csv --columns x,y --method ward --parameter n_clusters --values 2,3 "
    "--no-structure",
    "choose-among": "choose-among f.csv --columns x,y --clusterings three,two --no-structure",
    "stability": "stability f.csv --columns x,y --k 2:3 --repeats 3 --seed 0",
}
BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


# --- figures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "form"), [*zip(FIGURES, ["svg", "png", "pdf"] * 4, strict=True)])
def test_every_command_draws_its_result(run: Run, name: str, form: str) -> None:
    flowers()[["kind", "three", "two"]].to_csv("l.csv", index=False)
    plain = run(FIGURES[name])
    drawn = run(f"{FIGURES[name]} --plot it.{form}")
    assert plain.code == drawn.code == 0
    assert Path(f"it.{form}").read_bytes().startswith(BEGINNINGS[form])
    assert drawn.err.startswith(f"figure written to it.{form}: ")
    if "--seed" in FIGURES[name] or name.startswith(("compare", "align", "validate")):
        assert drawn.out == plain.out


def test_a_figure_may_be_another_than_the_usual_one(run: Run) -> None:
    truth, found = flowers()["kind"], flowers()["three"]
    result = pt.compare(truth, found, names=("kind", "three"))
    assert run(f"{COMPARE} --plot usual.svg --quiet").err == ""
    said = run(f"{COMPARE} --plot other.svg --plot-kind flow").err
    titles = {kind: pt.plots.figure_data(result, kind).title for kind in (None, "flow")}
    assert said == f"figure written to other.svg: {titles['flow']}\n"
    usual, other = (Path(f"{name}.svg").read_text() for name in ("usual", "other"))
    assert usual != other


def test_the_same_command_draws_the_same_picture(run: Run) -> None:
    for name in ("one", "again"):
        run(f"{COMPARE} --plot {name}.svg")
    assert Path("one.svg").read_bytes() == Path("again.svg").read_bytes()


def test_the_pictures_are_those_of_the_library() -> None:
    assert output_room.PICTURES == pictures.FORMS


def test_commands_without_a_figure_have_no_such_option(run: Run) -> None:
    for name in ("indices", "report f.csv", "demo"):
        code, out, err = run(f"{name} --plot it.png")
        assert (code, out) == (2, "")
        assert "No such option: --plot" in err or "No such option '--plot'" in err


# --- files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "form"),
    [("r.json", "json"), ("r.csv", "csv"), ("r.md", "markdown"), ("r.HTML", "html"), ("r.txt", "table")],
)
def test_a_result_is_written_as_its_file_is_called(run: Run, name: str, form: str) -> None:
    shown = run(f"{COMPARE} --format {form}")
    code, out, err = run(f"{COMPARE} --out {name}")
    assert (code, out) == (0, "")
    assert err.endswith(f"result written to {name}\n")
    assert Path(name).read_text(encoding="utf-8") == shown.out
    assert run(f"{COMPARE} --out named.txt --format {form} --quiet") == (0, "", "")
    assert Path("named.txt").read_text(encoding="utf-8") == shown.out


def test_a_file_is_the_same_whatever_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "validate f.csv --columns x,y --clusterings three,two"
    run(f"{line} --out pipe.txt")
    monkeypatch.setattr("partita.results.terminal._shows_output", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, run(line).out.splitlines())) <= 80
    assert max(map(len, Path("pipe.txt").read_text().splitlines())) > 80
    run(f"{line} --out terminal.txt")
    assert Path("terminal.txt").read_bytes() == Path("pipe.txt").read_bytes()


REFUSED = {
    "a result that is there": (f"{COMPARE} --out old.json", "--out: this file is there already"),
    "how to replace it": (f"{COMPARE} --out old.json", "fix:   --force replaces it"),
    "a figure that is there": (f"{COMPARE} --plot old.png", "--plot: this file is there already"),
    "the input": (f"{COMPARE} --out f.csv --force", "--out: this file is read"),
    "the data": (f"{COMPARE} --data d.csv --out d.csv --force", "--out: this file is read"),
    "the input drawn over": ("validate f.png --labels x --plot f.png --force", "--plot: this file is read"),
    "no folder": (f"{COMPARE} --plot none/it.png", "--plot: there is no such folder"),
    "a device": (f"{COMPARE} --out /dev/null --force", "--out: this is a device or a pipe"),
    "no picture": (f"{COMPARE} --plot it.gif", "figures are written as .png, .svg or .pdf"),
    "no ending": (f"{COMPARE} --plot png.", "figures are written as .png, .svg or .pdf"),
    "a kind alone": (f"{COMPARE} --plot-kind flow", "--plot FILE"),
    "an unknown kind": (f"{COMPARE} --plot it.png --plot-kind flows", "did you mean flow"),
    "another command's kind": (f"{COMPARE} --plot it.png --plot-kind silhouette", "this command has no"),
    "force alone": (f"{COMPARE} --force", "--out FILE or --plot FILE"),
    "the old name alone": ("choose f.csv --overwrite", "--save-labels FILE"),
    "one file for two": (f"{COMPARE} --out it.png --plot ./it.png", "two things cannot be written to one"),
    "no threads": (f"{COMPARE} --jobs 0", "--jobs is no count of workers"),
    "a report elsewhere": ("report f.csv --out f.txt", "--out: a report is an HTML file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_written_is_refused_before_anything_is_computed(
    run: Run, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    def compute(*_: object, **__: object) -> None:
        raise AssertionError("something was computed")

    for name in ("read_two", "read_judged", "read_features"):
        monkeypatch.setattr(f"partita.files.reading.{name}", compute)
    for name in ("old.json", "old.png", "d.csv", "f.png"):
        Path(name).write_text("precious")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    line, message = REFUSED[case]
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert message in err
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_file_that_is_there_is_replaced_if_that_is_told(run: Run) -> None:
    for option in ("--force", "--overwrite"):
        for name in ("r.json", "r.svg"):
            Path(name).write_text("old")
        assert run(f"{COMPARE} --out r.json --plot r.svg {option}").code == 0
        assert json.loads(Path("r.json").read_text())["result"] == "Comparison"
        assert Path("r.svg").read_text().startswith("<?xml")


def test_a_full_disk_leaves_the_old_figure(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, target: object) -> None:
        raise OSError(28, "No space left on device")

    Path("r.svg").write_text("old")
    monkeypatch.setattr(Path, "replace", fail)
    code, out, err = run(f"{COMPARE} --plot r.svg --force")
    assert (code, "adjusted_rand" in out) == (2, True)
    assert "--plot: this file cannot be written" in err
    assert Path("r.svg").read_text() == "old"
    assert sorted(path.name for path in Path().iterdir()) == ["f.csv", "r.svg"]


# --- one name for one thing -------------------------------------------------------------------------------

COMPUTING = sorted(set(commands.commands) - {"completion", "indices", "demo", "reproduce"})


def options_by_name(command: str) -> dict[str, click.Option]:
    options = [one for one in commands.commands[command].params if isinstance(one, click.Option)]
    return {one.opts[0]: one for one in options}


@pytest.mark.parametrize("command", COMPUTING)
def test_every_command_has_the_common_options(command: str) -> None:
    known = options_by_name(command)
    assert {"--out", "--force", "--quiet", "--jobs", "--missing", "--id"} <= set(known)
    assert ("--format" in known) == ("--plot" in known) == (command != "report")


@pytest.mark.parametrize("command", COMPUTING)
def test_older_names_are_heard_and_not_told(command: str, run: Run) -> None:
    old = {name for one in options_by_name(command).values() for name in one.old}
    told = run(f"{command} --help").out
    assert "--overwrite" in old
    assert all(name not in told.replace("--save-labels", "") for name in old)
    offered = ShellComplete(commands, {}, "partita", "_X").get_completions([command], "--")
    assert {item.value for item in offered} >= {"--force", "--out"}
    assert not {item.value for item in offered} & old


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (COMPARE, "compare f.csv --truth-column kind --found-column three"),
        (
            "align f.csv --truth kind --labels three --save-labels o.csv --force",
            "align f.csv --truth-column kind --found-column=three --save o.csv --overwrite",
        ),
    ],
)
def test_scripts_with_older_names_go_on(run: Run, new: str, old: str) -> None:
    outcome = run(new)
    assert outcome.code == 0
    assert run(old) == outcome


def test_an_error_names_the_option_as_it_was_typed(run: Run) -> None:
    line = "align f.csv --truth kind --labels three"
    assert "FileError: --save: labels are" in run(f"{line} --save o.txt").err
    assert "FileError: --save: labels are" in run(f"{line} --save=o.txt").err
    assert "FileError: --save-labels: labels are" in run(f"{line} --save-labels o.txt").err


def test_a_wrong_value_is_told_with_the_common_name(run: Run) -> None:
    assert "Invalid value for '--scale': 'big'" in run("choose f.csv --scale big").err
    assert "Option '--truth' requires an argument" in run("compare f.csv --truth").err


# --- columns, gaps, scales --------------------------------------------------------------------------------


def gaps() -> pd.DataFrame:
    table = flowers()
    table["note"] = ["seen", "not seen"] * 30
    table.loc[[3, 5], "x"] = np.nan
    table.loc[5, "y"] = np.nan
    return table


def test_gaps_are_counted_and_filled_with_the_mean(run: Run) -> None:
    gaps().to_csv("gaps.csv", index=False)
    line = "validate gaps.csv --labels three --leave-out two --indices CH --format json"
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert "column 'x': 2 of 60 (empty 2 times; the first in line 5); in all: x 2, y 1" in err
    assert '--missing "drop" leaves these objects out' in err
    assert '--missing "mean"' in err
    data, labels = gaps()[["x", "y"]], gaps()["three"]
    kept = data.notna().all(axis=1)
    expected = {
        "mean": pt.indices.CH(data.fillna(data.mean()), labels),
        "median": pt.indices.CH(data.fillna(data.median()), labels),
        "drop": pt.indices.CH(data[kept], labels[kept]),
    }
    assert len(set(expected.values())) == 3
    for policy, value in expected.items():
        result = json.loads(run(f"{line} --missing {policy}").out)
        assert result["rows"][0]["value"] == pytest.approx(value, rel=1e-12)
        assert any(note.startswith("missing values: x 2, y 1; ") for note in result["notes"])


def test_the_library_fills_with_the_mean_too() -> None:
    data, labels = gaps()[["x", "y"]], gaps()["three"]
    whole = data.fillna(data.mean())
    for given in (data, data.to_numpy()):
        found = pt.validate(given, labels, indices=["CH"], missing="mean")
        assert found["CH"].value == pytest.approx(pt.indices.CH(whole, labels), rel=1e-12)
        assert "each now the mean of its column" in found.notes[0]
    huge = np.array([[1.5e308, 0.0], [1.5e308, 1.0], [np.nan, 2.0]])
    assert complete_data(huge, "mean").values[2].tolist() == pytest.approx([1.5e308, 2.0])


def test_text_columns_are_left_out_with_a_note(run: Run) -> None:
    gaps().to_csv("gaps.csv", index=False)
    code, out, err = run("structure gaps.csv --leave-out three,two --missing drop --null 19 --seed 0")
    assert (code, err) == (0, "")
    assert "features: x, y (left out: kind: words; note: words)" in " ".join(out.split())


def test_scales_that_differ_are_told_and_mended(run: Run) -> None:
    table = flowers()
    table["y"] *= 10_000
    table.to_csv("far.csv", index=False)
    line = "validate far.csv --columns x,y --labels three --indices CH --format json"
    found = {name: json.loads(run(f"{line} {name}").out) for name in ("", "--scale none", "--scale standard")}
    assert found[""] == found["--scale none"]
    kinds = {name: {remark["kind"] for remark in one["remarks"]} for name, one in found.items()}
    assert "scale" in kinds["--scale none"]
    assert "scale" not in kinds["--scale standard"]
    values = {name: one["rows"][0]["value"] for name, one in found.items()}
    standard = (table[["x", "y"]] - table[["x", "y"]].mean()) / table[["x", "y"]].std(ddof=0)
    assert values["--scale standard"] == pytest.approx(pt.indices.CH(standard, table["three"]))
    assert values["--scale none"] == pytest.approx(pt.indices.CH(table[["x", "y"]], table["three"]))


# --- notes, faults, workers -------------------------------------------------------------------------------


def test_quiet_leaves_nothing_but_the_result(run: Run) -> None:
    loud = run(f"{COMPARE} --format csv --bootstrap 50")
    assert loud.err != ""
    assert run(f"{COMPARE} --format csv --bootstrap 50 --quiet") == (0, loud.out, "")


@pytest.mark.parametrize("quiet", [False, True])
def test_a_bar_is_not_drawn_where_quiet_is_asked_for(
    run: Run, monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0)
    assert run(f"{FIGURES['stability']}{' --quiet' * quiet}").code == 0
    assert ("stability" in screen.getvalue()) is not quiet


@pytest.mark.parametrize("option", ["--null permutation", "--bootstrap 2000", "--bootstrap 20 --data f.csv"])
def test_draws_show_how_far_they_are(run: Run, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    reports: list[tuple[str, int, int]] = []

    class Spy:
        def __init__(self, name: str) -> None:
            self.name = name

        def __enter__(self) -> Callable[[int, int], None]:
            return lambda done, total: reports.append((self.name, done, total))

        def __exit__(self, *_: object) -> None:
            pass

    for room in ("chances", "weighted_values"):
        monkeypatch.setattr(f"partita.chance.{room}.bar", Spy)
    more = " --columns x,y --indices CSI,CI" if "--data" in option else ""
    assert run(f"{COMPARE} {option}{more}").code == 0
    assert reports
    assert all(0 < done <= total for _, done, total in reports)
    for bar in {(name, total) for name, _, total in reports}:
        done = [done for name, done, total in reports if (name, total) == bar]
        assert done[-1] == bar[1]
        assert done == sorted(done)


@pytest.mark.parametrize("quiet", [False, True])
def test_warnings_are_notes_of_one_line(run: Run, monkeypatch: pytest.MonkeyPatch, quiet: bool) -> None:
    real = pt.comparison.compare

    def warn(*arguments: object, **options: object) -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn("objects were\ndropped", errors.AlignmentWarning, stacklevel=1)
        return real(*arguments, **options)

    monkeypatch.setattr("partita.comparison.compare", warn)
    code, _, err = run(f"{COMPARE}{' --quiet' * quiet}")
    assert (code, err) == (0, "" if quiet else "note: objects were dropped\n")


def test_a_fault_of_ours_is_admitted_in_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by\x1b[2J\nzero")

    monkeypatch.setattr("partita.comparison.compare", fail)
    code, out, err = run(COMPARE)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert err.startswith("this is a fault of partita, please report it (PARTITA_TRACEBACK=1 ")
    assert err.endswith(r"ZeroDivisionError: by\x1b[2J zero" + "\n")
    monkeypatch.setenv("PARTITA_TRACEBACK", "1")
    code, out, err = run(COMPARE)
    assert (code, out) == (1, "")
    assert "Traceback" in err
    assert 'raise ZeroDivisionError("by' in err


def test_memory_that_is_not_there_is_no_fault_of_ours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("partita.comparison.compare", fail)
    code, out, err = run(COMPARE)
    assert (code, out) == (2, "")
    assert "TooLargeError: there is not enough memory" in err


def test_the_number_of_threads_holds_for_the_command_alone(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str | None] = []
    real = pt.comparison.compare

    def look(*arguments: object, **options: object) -> object:
        seen.append(os.environ.get("PARTITA_NUM_THREADS"))
        return real(*arguments, **options)

    monkeypatch.setattr("partita.comparison.compare", look)
    monkeypatch.delenv("PARTITA_NUM_THREADS", raising=False)
    assert run(f"{COMPARE} --jobs 3").out == run(COMPARE).out
    monkeypatch.setenv("PARTITA_NUM_THREADS", "2")
    run(f"{COMPARE} --jobs 1")
    run(COMPARE)
    assert seen == ["3", None, "1", "2"]


# --- completion -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(run: Run, shell: str) -> None:
    code, out, err = run(f"completion {shell}")
    assert (code, err) == (0, "")
    assert f"_PARTITA_COMPLETE={shell}_complete" in out


def completed(line: str) -> list[str]:
    *words, last = line.split(" ")
    found = ShellComplete(commands, {}, "partita", "_PARTITA_COMPLETE").get_completions(words, last)
    return [item.value for item in found]


def test_names_are_completed(run: Run) -> None:
    assert run("indices ARI").code == 0
    assert completed("comp") == ["compare", "completion"]
    assert completed("compare f.csv --indices adjusted_r") == ["adjusted_rand"]
    assert "VI,ARI" in completed("compare f.csv --indices VI,A")
    assert completed("validate f.csv --labels t") == ["three", "two"]
    assert completed("validate f.csv --columns x,") == ["x,x", "x,y", "x,kind", "x,three", "x,two"]
    assert completed("validate none.csv --labels t") == []
    assert completed("compare f.csv --plot-kind silh") == ["silhouette"]
    assert completed("choose f.csv --scale r") == ["robust"]


def test_the_shell_completes_files_itself() -> None:
    def kinds(line: str) -> list[tuple[str, str]]:
        *words, last = line.split(" ")
        found = ShellComplete(commands, {}, "partita", "_PARTITA_COMPLETE").get_completions(words, last)
        return [(item.type, item.value) for item in found]

    for command in ("report", "choose", "validate", "choose-among", "compare"):
        assert kinds(f"{command} fl") == [("file", "fl")]
    for typed in ("report f.csv --out ", "choose f.csv --plot ", "validate f.csv --memberships "):
        assert kinds(typed) == [("file", "")]
    assert kinds("compare f.csv g") == [("file", "g")]
    assert kinds("choose f.csv --checkpoint k") == [("dir", "k")]


def test_other_names_are_completed(run: Run) -> None:
    assert run("indices ARI").code == 0
    Path("g.csv").write_text("other,more\n1,2\n")
    assert completed("compare f.csv g.csv --labels ") == ["other", "more"]
    assert completed("compare f.csv g.csv --truth t") == ["three", "two"]
    assert completed("report f.csv --method k") == ["kmeans"]
    assert completed("reproduce l") == ["lagofernandez2009", "lei2014"]


def test_a_file_is_not_forgotten_for_another(run: Run) -> None:
    code, out, err = run("choose f.csv --plot one.png --plot two.png")
    assert (code, out) == (2, "")
    assert "--plot is given twice; it takes one FILE" in err
    assert "a name that ends in one of them" in run("choose f.csv --plot png").err


def test_the_shell_is_answered_by_the_installed_command(run: Run) -> None:
    run("indices ARI")
    environment = {
        **os.environ,
        "_PARTITA_COMPLETE": "bash_complete",
        "COMP_WORDS": "partita validate f.csv --labels t",
        "COMP_CWORD": "4",
    }
    done = subprocess.run(
        [sys.executable, "-c", "from partita.cli import main; main()"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("plain,three\nplain,two\n", "")
