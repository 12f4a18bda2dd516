"""What people see: sizes of reports, times of figures and of the demonstration, a missing file."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

import partita as pt
from measuring import Report

ISSUE = 17
SECONDS_OF_A_FIGURE = 5.0
"""The issue says that a figure of a million objects takes seconds; this is what is taken for it."""


def run(report: Report, best: Callable[..., float]) -> None:
    warnings.simplefilter("ignore", pt.errors.PartitaWarning)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        reports(report, folder)
        demonstration(report, best, folder)
        missing_file(report, best)
    figures(report, best)


def reports(report: Report, folder: Path) -> None:
    X, species = load_iris(return_X_y=True)
    pd.DataFrame(X, columns=list("abcd")).assign(species=species).to_csv(folder / "iris.csv", index=False)
    words = ["report", "iris.csv", "--k", "2:4", "--truth", "species", "--runs", "2", "--out", "iris.html"]
    subprocess.run([sys.executable, "-m", "partita", *words], cwd=folder, check=True, capture_output=True)
    size = (folder / "iris.html").stat().st_size
    report("the report of Iris, as a share of 400 kB", size / 400e3, 1, at_most=True, clock="bytes")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 6, 10**4)
    X = rng.normal(size=(10**4, 5)) + labels[:, None]
    judged, compared = pt.validate(X, labels), pt.compare(labels, rng.permutation(labels))
    large = pt.report(judged, compared, to=folder / "large.html").stat().st_size
    report("a report of 10^4 objects, as a share of 1.5 MB", large / 1.5e6, 1, at_most=True, clock="bytes")


def demonstration(report: Report, best: Callable[..., float], folder: Path) -> None:
    def demo() -> None:
        words = [sys.executable, "-m", "partita", "demo"]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)

    report("partita demo, as a share of a minute", best(demo, 1) / 60, 1, at_most=True)


def missing_file(report: Report, best: Callable[..., float]) -> None:
    """Once Python has started and the command line is imported."""
    from partita.cli import main

    def asked() -> None:
        with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            main(["compare", "no_such_file.csv", "nor_this.csv"])

    report("a missing file is told, as a share of 0.1 s", best(asked, 3) / 0.1, 1, at_most=True, issue=14)


def figures(report: Report, best: Callable[..., float]) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    n = 10**6
    rng = np.random.default_rng(0)
    labels, others = rng.integers(0, 6, n), rng.integers(0, 5, n)
    X = rng.normal(size=(n, 2)) + labels[:, None]

    def drawn(result: object) -> Callable[[], None]:
        def draw() -> None:
            pt.plot(result).figure.canvas.draw()
            plt.close("all")

        return draw

    for name, result in (
        ("a comparison", pt.compare(labels, others)),
        ("a validation", pt.validate(X, labels, indices=["CH"])),
    ):
        seconds = best(drawn(result), 2)
        what = f"the figure of {name} of 10^6 objects, as a share of {SECONDS_OF_A_FIGURE:g} s"
        report(what, seconds / SECONDS_OF_A_FIGURE, 1, at_most=True)
