"""How often the test of structure is right: its level on data without clusters, its power on two groups.

``python tests/structure_levels.py`` prints the tables; with ``--write`` they go to
docs/choosing/structure.json and, between its markers, into docs/choosing/structure.md, and the curves to
docs/choosing/structure.svg. Every 20 draws are kept in the folder ``--cache`` as soon as they are measured,
so that a run that was stopped continues there. Remove the folder when the test has changed.

``--draws`` limits the draws of each cell; ``--only`` takes parts of names, such as "normal", "two groups" or
"d=10"; ``--kept`` measures nothing. Set OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1. All cells take about
an hour and a half of one core.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri
from scipy.stats import binomtest

import generated_data as data
import partita as pt
from answers_table import filled, fingerprint, rounded, share, table
from partita.selection import _structure

PAGE = Path(__file__).parents[1] / "docs" / "choosing" / "structure.md"
RESULTS = PAGE.with_suffix(".json")
FIGURE = PAGE.with_suffix(".svg")

BLOCK = 20
"""Draws that are measured and kept together; without clusters, only the first get an estimate of power."""

NOMINAL = 0.05
TOLERANCE = 0.02


# --- data ---------------------------------------------------------------------------------------------------

Rng = np.random.Generator


Quantiles = Callable[[np.ndarray], np.ndarray]


def correlated_margins(rng: Rng, n: int, d: int, quantiles: Quantiles) -> np.ndarray:
    """Features of a given distribution that depend on each other as normal ones with correlations 0.5."""
    return quantiles(ndtr(data.correlated(rng, n, d, 0.5).X))


def lognormals(rng: Rng, n: int, d: int) -> np.ndarray:
    return correlated_margins(rng, n, d, lambda shares: np.exp(ndtri(shares)))


def betas(rng: Rng, n: int, d: int) -> np.ndarray:
    return correlated_margins(rng, n, d, lambda shares: betaincinv(2, 5, shares))


LAWS: dict[str, Callable[[Rng, int, int], np.ndarray]] = {
    "normal": lambda rng, n, d: data.gaussian(rng, n, d).X,
    "normal, correlations 0.7": lambda rng, n, d: data.correlated(rng, n, d, 0.7).X,
    "uniform in a box": lambda rng, n, d: data.uniform(rng, n, d).X,
    "Student, 5 degrees of freedom": lambda rng, n, d: data.students(rng, n, d, 5).X,
    "exponential features": lambda rng, n, d: data.exponential(rng, n, d).X,
    "lognormal features, correlated": lognormals,
    "beta(2, 5) features, correlated": betas,
}
LARGE_TOO = ("normal", "Student, 5 degrees of freedom")
"""Measured with 400 objects too."""

SHAPES: dict[str, Callable[[Rng, int, int], np.ndarray]] = {
    "banana": lambda rng, n, _: data.banana(rng, n).X,
    "sine": lambda rng, n, _: data.sine(rng, n).X,
    "ring": lambda rng, n, _: data.rings(rng, [n]).X,
}
"""One curved group in the plane: shape without clusters."""

GROUPS = "two groups"


def two_groups(rng: Rng, n: int, d: int, apart: float) -> np.ndarray:
    """Two normal groups of equal size and unit covariances, so far apart in a random direction."""
    direction = rng.normal(size=d)
    direction /= np.linalg.norm(direction)
    sides = np.where(np.arange(n) < n // 2, -0.5, 0.5)
    return rng.normal(size=(n, d)) + apart * sides[:, None] * direction


@dataclass(frozen=True)
class Cell:
    """Data sets of one kind; ``apart`` is the distance of two groups in standard deviations, else 0."""

    kind: str
    n: int
    d: int
    apart: float = 0.0

    @property
    def is_level(self) -> bool:
        """True if the data are without clusters or other shape."""
        return self.kind in LAWS

    def with_power(self, seed: int) -> bool:
        """True if the power is estimated for this draw: it takes half of the time, and p does not need it."""
        return seed < BLOCK or not self.is_level

    @property
    def name(self) -> str:
        """The name that ``--only`` takes parts of."""
        return f"{self.kind} n={self.n} d={self.d}" + (f" apart={self.apart:g}" if self.apart else "")

    def draw(self, seed: int) -> np.ndarray:
        """One data set. The same seed gives other data in every cell."""
        rng = np.random.default_rng([seed, *self.name.encode()])
        if self.kind == GROUPS:
            return two_groups(rng, self.n, self.d, self.apart)
        return {**LAWS, **SHAPES}[self.kind](rng, self.n, self.d)


def cells() -> Iterator[tuple[Cell, int]]:
    """All cells, with their numbers of draws."""
    for law in LAWS:
        for n in (200, 400) if law in LARGE_TOO else (200,):
            for d in (2, 5, 10, 20, 50):
                yield Cell(law, n, d), 300
    for shape in SHAPES:
        yield Cell(shape, 200, 2), 60
    for n in (60, 200, 400):
        for d in (2, 5, 10, 20):
            for apart in (2.0, 3.0, 4.0, 5.0, 6.0):
                yield Cell(GROUPS, n, d, apart), 60


# --- measurements -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    """The answer to one data set.

    Attributes
    ----------
    seed : int
    p : float
    found : bool
        True if the verdict is "structure".
    verdict : str
        Empty where no structure was found and the power was not estimated.
    """

    seed: int
    p: float
    found: bool
    verdict: str


def measure(cell: Cell, seed: int) -> Measured:
    """The answer to one data set."""
    without = patch.object(_structure, "_power", return_value=math.nan)
    with nullcontext() if cell.with_power(seed) else without:
        answer = _structure.quick_structure(cell.draw(seed), seed)
    known = cell.with_power(seed) or answer.has_structure
    return Measured(seed, answer.p, answer.has_structure, answer.verdict if known else "")


def file_of(cell: Cell, first: int, cache: Path) -> Path:
    """Where twenty answers are kept: data that changed are measured again."""
    return cache / f"{fingerprint((cell, first), cell.draw(first), ())}.json"


def block(cell: Cell, first: int, cache: Path) -> list[Measured]:
    """Twenty answers that were measured before, or are now."""
    file = file_of(cell, first, cache)
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        answers = [measure(cell, seed) for seed in range(first, first + BLOCK)]
        unfinished = file.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps([asdict(one) for one in answers]))
        unfinished.replace(file)
    return [Measured(**row) for row in json.loads(file.read_text())]


def blocks(only: Sequence[str], most: int) -> list[tuple[Cell, int]]:
    """The cells and first seeds of all blocks of the cells with one of these parts in their names."""
    return [
        (cell, first)
        for cell, draws in cells()
        if any(part in cell.name for part in only)
        for first in range(0, min(draws, most), BLOCK)
    ]


# --- counts -------------------------------------------------------------------------------------------------


def counted(cell: Cell, answers: Sequence[Measured]) -> dict[str, float]:
    """The share in which structure was found with its 95 % interval, and the shares of the other verdicts."""
    found = sum(one.found for one in answers)
    low, high = binomtest(found, len(answers)).proportion_ci(0.95, method="exact")
    with_power = [one for one in answers if cell.with_power(one.seed)]
    return {
        "draws": len(answers),
        "structure": found / len(answers),
        "low": float(low),
        "high": float(high),
        "draws with power": len(with_power),
        "no structure": share(one.verdict == "no structure" for one in with_power),
        "cannot tell": share(one.verdict == "cannot tell" for one in with_power),
    }


def summary(answers: Mapping[Cell, Sequence[Measured]]) -> dict[str, Any]:
    """All that the page shows."""
    return {
        "made by": "python tests/structure_levels.py --write",
        "version": pt.__version__,
        "cells": [{**asdict(cell), **counted(cell, of_cell)} for cell, of_cell in answers.items()],
    }


# --- tables -------------------------------------------------------------------------------------------------


def percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def level_cell(row: Mapping[str, Any]) -> str:
    """The share, bold where the whole interval lies more than 2 points from 5 %."""
    shown = f"{100 * row['structure']:.1f} %"
    off = row["low"] > NOMINAL + TOLERANCE or row["high"] < NOMINAL - TOLERANCE
    return f"**{shown}**" if off else shown


def arranged(
    rows: Sequence[Mapping[str, Any]],
    heading: Callable[[Mapping[str, Any]], str],
    column: Callable[[Mapping[str, Any]], str],
    shown: Callable[[Mapping[str, Any]], str],
    first: str,
    counts: str = "draws",
) -> str:
    """A table with a row for each heading, and the number of draws of each cell in it."""
    made: dict[str, dict[str, str]] = {}
    for row in rows:
        made.setdefault(heading(row), {})[column(row)] = shown(row)
    for name, cells_of in made.items():
        cells_of["draws"] = span(row[counts] for row in rows if heading(row) == name)
    return table(first, ["draws", *sorted_columns(rows, column)], made)


def span(numbers: Iterable[int]) -> str:
    """The smallest and the largest, or the one where they are equal."""
    found = sorted(set(numbers))
    return f"{found[0]}" if len(found) == 1 else f"{found[0]} to {found[-1]}"


def sorted_columns(
    rows: Sequence[Mapping[str, Any]], column: Callable[[Mapping[str, Any]], str]
) -> list[str]:
    """The columns by dimension, then by distance, whichever cells were measured first."""
    return list(dict.fromkeys(map(column, sorted(rows, key=lambda row: (row["d"], row["apart"])))))


def tables(found: Mapping[str, Any]) -> dict[str, str]:
    """The tables of the page, by the names of their markers."""
    levels = [row for row in found["cells"] if row["kind"] in LAWS]
    groups = [row for row in found["cells"] if row["kind"] == GROUPS]
    shapes = [row for row in found["cells"] if row["kind"] in SHAPES]

    def law(row: Mapping[str, Any]) -> str:
        return f"{row['kind']}; {row['n']} objects"

    def dimensions(row: Mapping[str, Any]) -> str:
        return f"d = {row['d']}"

    def size(row: Mapping[str, Any]) -> str:
        return f"{row['n']} objects, d = {row['d']}"

    def apart(row: Mapping[str, Any]) -> str:
        return f"{row['apart']:g} sd"

    def share_of(verdict: str) -> Callable[[Mapping[str, Any]], str]:
        return lambda row: percent(row[verdict])

    return {
        "level": arranged(levels, law, dimensions, level_cell, "distribution"),
        "undecided": arranged(
            levels, law, dimensions, share_of("cannot tell"), "distribution", "draws with power"
        ),
        "power": arranged(groups, size, apart, share_of("structure"), "data"),
        "cannot tell": arranged(groups, size, apart, share_of("cannot tell"), "data"),
        "shape": arranged(shapes, lambda row: row["kind"], size, share_of("structure"), "one group"),
        "counts": "\n".join(count_lines(found)),
    }


def count_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """How many data sets were drawn."""
    words = {
        "distribution without clusters": LAWS,
        "curved group": SHAPES,
        "pair of groups": (GROUPS,),
    }
    for name, kinds in words.items():
        draws = [row["draws"] for row in found["cells"] if row["kind"] in kinds]
        if draws:
            yield f"- {len(draws)} cells with a {name}: {span(draws)} draws each."
    levels = [row for row in found["cells"] if row["kind"] in LAWS]
    if levels:
        draws = sum(row["draws"] for row in levels)
        structure = round(sum(row["draws"] * row["structure"] for row in levels))
        low, high = binomtest(structure, draws).proportion_ci(0.95, method="exact")
        interval = f"95 % interval {100 * low:.1f} to {100 * high:.1f} %"
        share_of_all = f"{100 * structure / draws:.1f} % *structure* ({interval})"
        yield f"- In all {draws:,} data sets without clusters: {share_of_all}."
        for fewest in sorted({row["draws"] for row in levels}):
            low, high = binomtest(round(NOMINAL * fewest), fewest).proportion_ci(0.95, method="exact")
            interval = f"95 % interval of {100 * low:.1f} to {100 * high:.1f} %"
            yield f"- With {fewest} draws, a measured share of 5 % has a {interval}."


# --- the figure ---------------------------------------------------------------------------------------------

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
"""Okabe and Ito's."""
MARKERS = "os^D"


def curves(found: Mapping[str, Any]) -> str:
    """Power against distance, a panel for each number of objects: an SVG on white, for dark pages too."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    rows = [row for row in found["cells"] if row["kind"] == GROUPS]
    sizes, dimensions = (sorted({row[name] for row in rows}) for name in ("n", "d"))
    with plt.rc_context({"svg.fonttype": "none", "font.size": 8, "svg.hashsalt": "partita"}):
        figure, panels = plt.subplots(
            1, max(1, len(sizes)), figsize=(7, 2.4), sharey=True, squeeze=False, layout="constrained"
        )
        for n, axes in zip(sizes, panels[0], strict=True):
            for d, colour, marker in zip(dimensions, COLOURS, MARKERS, strict=False):
                shown = sorted(
                    (row["apart"], row["structure"]) for row in rows if (row["n"], row["d"]) == (n, d)
                )
                axes.plot(
                    *zip(*shown, strict=True), color=colour, marker=marker, markersize=3, label=f"d = {d}"
                )
            axes.set_title(f"{n} objects", loc="left")
            axes.set_xlabel("distance (standard deviations)")
            axes.set_xticks(sorted({row["apart"] for row in rows}))
            axes.set_ylim(-0.03, 1.03)
            axes.xaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
            axes.grid(alpha=0.3)
        if sizes:
            panels[0][0].set_ylabel("structure found")
            panels[0][-1].legend(loc="lower right", frameon=False)
        out = io.StringIO()
        figure.savefig(out, format="svg", facecolor="white", metadata={"Date": None})
        plt.close(figure)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


# --- the command --------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=300, help="of each cell at most")
    parser.add_argument("--only", nargs="+", default=[""], help="parts of names of cells")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "partita-structure")
    parser.add_argument("--kept", action="store_true", help="show what is kept, and measure nothing")
    parser.add_argument("--write", action="store_true", help="into docs/choosing/structure.*")
    asked = parser.parse_args(arguments)
    work = blocks(asked.only, asked.draws)
    if asked.kept:
        work = [(cell, first) for cell, first in work if file_of(cell, first, asked.cache).exists()]
    if not work:
        names = " or ".join(map(repr, asked.only))
        sys.stderr.write(f"nothing is kept, or no cell has {names} in its name\n")
        return 2
    answers: dict[Cell, list[Measured]] = {}
    for i, (cell, first) in enumerate(work, 1):
        answers.setdefault(cell, []).extend(block(cell, first, asked.cache))
        if sys.stderr.isatty() or i % 50 == 0:
            sys.stderr.write(f"\r{i} of {len(work)}")
            sys.stderr.flush()
    sys.stderr.write("\n")
    found = rounded(summary(answers))
    for name, text in tables(found).items():
        sys.stdout.write(f"{name}\n\n{text}\n\n")
    if asked.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables(found)), encoding="utf-8")
        FIGURE.write_text(curves(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
