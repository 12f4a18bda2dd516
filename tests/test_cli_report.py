"""The commands that write a report: what they hand on, what they print, and which files they leave alone."""

from __future__ import annotations

import html
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import partita as pt
from command_runs import Run, runner
from partita.cli import demonstration
from partita.cli.report import page_of, verdict_of

QUICK = "--k 1:4 --runs 2 --repeats 3 --bootstrap 50 --shuffles 99"


def clouds() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"])
    table += np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    table["kind"] = np.repeat(["a", "b", "c"], 20)
    table["old"] = np.repeat([0, 1, 1], 20)
    return table


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    clouds().to_csv("clouds.csv", index=False)
    return runner(capsys)


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the library is asked for; nothing is computed."""
    seen: dict[str, Any] = {}

    def analyse(X: Any, estimator: Any, ks: Any, **options: Any) -> list[Any]:
        seen.update(X=X, estimator=estimator, ks=ks, **options)
        return [pt.compare([0, 0, 1], [0, 0, 1])]

    def write(*parts: Any, to: str, **options: Any) -> Path:
        seen.update(parts=parts, to=to, **options)
        return Path(to)

    monkeypatch.setattr("partita.reports.analyse", analyse)
    monkeypatch.setattr("partita.report", write, raising=False)
    return seen


# --- report -----------------------------------------------------------------------------------------------


def test_a_report_is_written_and_its_verdict_printed(run: Run) -> None:
    line = f"report clouds.csv {QUICK} --truth kind --labels old"
    code, out, err = run(line)
    assert (code, err) == (0, "features: x, y\n")
    table = clouds()
    parts = pt.reports.analyse(
        table[["x", "y"]],
        ks=range(1, 5),
        truth=table["kind"],
        labels=table["old"],
        truth_name="kind",
        labels_name="old",
        n_runs=2,
        n_repeats=3,
        bootstrap=50,
        n_shuffles=99,
    )
    verdict = " ".join(verdict_of(parts))
    assert " ".join(out.split()) == f"{' '.join(verdict.split())} report written to clouds.html"
    assert out.startswith("3 clusters, clear. ")
    page = Path("clouds.html").read_text(encoding="utf-8")
    assert f"partita {line}" in html.unescape(page)
    assert "features: x, y (left out: " not in out
    assert sorted(path.name for path in Path().iterdir()) == ["clouds.csv", "clouds.html"]


def test_the_command_in_the_page_makes_it_again(run: Run) -> None:
    clouds().rename(columns={"kind": "the kind"}).to_csv("a b.csv", index=False)
    arguments = ["report", "a b.csv", *QUICK.split(), "--truth", "the kind", "--repeats", "0"]
    main_line = shlex.join(arguments)
    assert run(main_line).code == 0
    first = Path("a b.html").read_bytes()
    assert f"partita {main_line}" in html.unescape(first.decode())
    Path("a b.html").unlink()
    assert run(main_line).code == 0
    assert Path("a b.html").read_bytes() == first


def test_all_options_reach_the_library(run: Run, handed: dict[str, Any]) -> None:
    table = clouds()
    table.loc[0, "x"] = np.nan
    table.to_csv("clouds.csv", index=False)
    line = (
        "report clouds.csv --k 2,4 --method gmm:covariance_type=diag --truth kind --labels old --runs 3 "
        "--repeats 4 --bootstrap 5 --shuffles 6 --seed 7 --jobs 2 --checkpoint kept --scale robust "
        "--missing mean --title Clouds --out it.html --force"
    )
    code, out, err = run(line)
    assert code == 0
    assert err == "features: x, y\nmissing values: x 1; the mean of the column was put there\n"
    assert out.endswith("report written to it.html\n")
    expected = {
        "ks": [2, 4],
        "truth_name": "kind",
        "labels_name": "old",
        "scale": "robust",
        "n_runs": 3,
        "n_repeats": 4,
        "n_shuffles": 6,
        "bootstrap": 5,
        "n_jobs": 2,
        "random_state": 7,
        "checkpoint": "kept",
        "to": "it.html",
        "title": "Clouds",
        "overwrite": True,
        "command": f"partita {line}",
    }
    assert {name: handed[name] for name in expected} == expected
    assert handed["estimator"].covariance_type == "diag"
    assert list(handed["X"].columns) == ["x", "y"]
    assert handed["X"]["x"].iloc[0] == pytest.approx(table["x"].mean())
    assert handed["truth"].n_clusters == 3
    assert handed["labels"].n_clusters == 2
    assert any("missing values: x 1" in note for note in handed["notes"])


def test_what_is_usual(run: Run, handed: dict[str, Any]) -> None:
    assert run("report clouds.csv --leave-out old").code == 0
    usual = {"estimator": None, "ks": None, "truth": None, "labels": None, "random_state": 0, "scale": None}
    usual |= {"overwrite": False, "to": "clouds.html", "title": "clouds.csv"}
    assert {name: handed[name] for name in usual} == usual


@pytest.mark.parametrize(
    ("data", "page"),
    [
        ("flowers.csv", "flowers.html"),
        ("some/where/flowers.csv.gz", "flowers.html"),
        ("my.data.parquet", "my.data.html"),
        ("-", "report.html"),
        ("x.npy", "x.html"),
    ],
)
def test_a_page_is_called_like_its_data(data: str, page: str) -> None:
    assert page_of(data) == page


BAD = {
    "an old page": ("report clouds.csv", "--out: this file is there already"),
    "how to replace it": ("report clouds.csv", "--force replaces it"),
    "no page": ("report clouds.csv --out clouds.csv --force", "a name that ends in .html"),
    "the data": ("report odd.html --out odd.html --force", "--out: this file is read"),
    "a method without k": ("report clouds.csv --out x.html --method dbscan", "--parameter"),
    "an unknown method": ("report clouds.csv --out x.html --method kmaens", "did you mean kmeans"),
    "no numbers": ("report clouds.csv --out x.html --k two", "--k is not a range of numbers"),
    "an unknown truth": ("report clouds.csv --out x.html --truth kinds", "did you mean kind"),
    "labels twice": ("report clouds.csv --out x.html --truth kind --labels kind", "named twice"),
    "no data": ("report none.csv", "there is no such file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_and_nothing_is_written(run: Run, case: str) -> None:
    Path("clouds.html").write_text("precious")
    Path("odd.html").write_text("x,y\n1,2\n")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    line, message = BAD[case]
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert message in err
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


# --- demo -------------------------------------------------------------------------------------------------


def test_a_demonstration_replaces_its_own_page_and_no_other(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = pt.reports.analyse
    few = {"n_runs": 1, "n_repeats": 2, "n_shuffles": 19, "bootstrap": 0}
    monkeypatch.setattr("partita.reports.analyse", lambda *a, **options: real(*a, **{**options, **few}))
    Path("partita-demo.html").write_text("precious")
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    assert Path("partita-demo.html").read_text() == "precious"
    written = Path("partita-demo-2.html")
    assert f"report written to {written.absolute()}" in out
    assert demonstration.MARK in written.read_text(encoding="utf-8")
    for heading in ("1. How many clusters?", "2. Are they stable?", "3. How do they compare"):
        assert heading in out
    assert "\n2 clusters, clear. " in out
    assert "95% interval" in out
    assert max(len(line) for line in out.splitlines() if "report written" not in line) <= 110
    assert demonstration.free_page() == "partita-demo-2.html"
    Path("partita-demo.html").unlink()
    assert demonstration.free_page() == "partita-demo.html"


def test_pages_of_others_are_not_taken_for_a_demonstration(run: Run) -> None:
    run(f"report clouds.csv {QUICK} --repeats 0 --out partita-demo.html")
    assert demonstration.MARK in Path("partita-demo.html").read_text(encoding="utf-8")
    assert demonstration.free_page() == "partita-demo-2.html"
    Path("partita-demo-2.html").symlink_to("none.html")
    Path("partita-demo-3.html").mkdir()
    assert demonstration.free_page() == "partita-demo-4.html"


def test_a_demonstration_elsewhere(run: Run) -> None:
    Path("it.html").write_text("precious")
    code, out, err = run("demo --out it.html")
    assert (code, out) == (2, "")
    assert "--out: this file is there already" in err
    assert Path("it.html").read_text() == "precious"
    assert "a name that ends in .html" in run("demo --out it.txt").err


# --- what is told early ---


@pytest.mark.parametrize(
    ("arguments", "need"),
    [
        ("--seed -1", "0 at least"),
        ("--repeats -1", "0 at least"),
        ("--bootstrap -1", "0 at least"),
        ("--runs 0", "1 at least"),
        ("--shuffles 0", "1 at least"),
        ("--method dbscan", "partita choose clouds.csv --method dbscan --parameter eps"),
    ],
)
def test_a_report_refuses_before_it_reads(run: Run, arguments: str, need: str) -> None:
    Path("clouds.csv").write_bytes(b"\0")
    code, out, err = run(f"report clouds.csv {arguments}")
    assert (code, out) == (2, "")
    assert need in err


def test_a_report_notes_the_columns_it_leaves_out(run: Run) -> None:
    typed = "report clouds.csv --k 2,3 --runs 1 --repeats 0 --force"
    assert "features: x, y, old (left out: kind: words)" in run(typed).err
    assert run(f"{typed} --quiet").err == ""


# --- Ctrl-C -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_ctrl_c_ends_a_report_with_one_line(tmp_path: Path) -> None:
    """Pressed once the work has begun, which a folder shows that it makes."""
    import signal
    import time

    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(20_000, 4)), columns=list("abcd")).to_csv(tmp_path / "big.csv", index=False)
    command = [sys.executable, "-m", "partita", "report", "big.csv", "--checkpoint", "kept"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        ends = time.monotonic() + 60
        while not (tmp_path / "kept").exists() and time.monotonic() < ends:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        out, err = process.communicate(timeout=60)
        took = time.monotonic() - pressed
    assert (process.returncode, out, err.split()) == (130, "", ["stopped"])
    assert took < 10  # two seconds on a machine that does nothing else
    assert not (tmp_path / "big.html").exists()
