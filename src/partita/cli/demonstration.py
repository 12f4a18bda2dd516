"""The demonstration: the Iris data, from the clusters to a report."""

from __future__ import annotations

import os
from itertools import chain, count
from pathlib import Path
from typing import Any

import click

from partita.cli.options import option
from partita.cli.output import force_option, paragraph, quiet_option
from partita.cli.report import check_page
from partita.cli.spellings import Command
from partita.cli.surroundings import quietly

__all__ = ["demo"]

PAGE = "partita-demo.html"

MARK = '<meta name="generator" content="partita'
"""Part of every page that partita wrote."""

TITLE = "Iris: 150 flowers of 3 species"

AGAINST_SPECIES = ["ARI", "VI", "purity"]

MOST_OF_A_HEAD = 1 << 16
"""Letters at the beginning of a page in which the mark is sought."""


@click.command(cls=Command)
@option("--out", metavar="FILE", help=f"The report, an .html file. Default: {PAGE}, in the current folder.")
@force_option
@quiet_option
def demo(out: str | None, force: bool, quiet: bool) -> None:
    """Analyse the Iris data, and write a report.

    The clusters and their number, their stability, and their agreement with the species, with intervals. The
    report of an earlier demonstration is replaced, any other file only if it is named, with --force.
    """
    target = free_page() if out is None else out
    may_replace = force or out is None
    check_page(target, may_replace)
    with quietly(quiet):
        _analyse(target, overwrite=may_replace)


def free_page() -> str:
    """A name in the current folder that is free, or that of a report that a demonstration wrote."""
    stem, dot, ending = PAGE.rpartition(".")
    names = chain([PAGE], (f"{stem}-{i}{dot}{ending}" for i in count(2)))
    return next(name for name in names if not os.path.lexists(name) or _is_ours(Path(name)))


def _is_ours(file: Path) -> bool:
    """Whether a file is the report of a demonstration."""
    try:
        if not file.is_file() or file.is_symlink():
            return False
        with file.open(encoding="utf-8", errors="replace") as page:
            head = page.read(MOST_OF_A_HEAD)
    except OSError:
        return False
    return MARK in head and f"<title>{TITLE}" in head


def _analyse(target: str, *, overwrite: bool) -> None:
    from sklearn.datasets import load_iris

    from partita import compare, report
    from partita.progress import bar
    from partita.reports import analyse
    from partita.results import show
    from partita.selection import Stability

    iris = load_iris(as_frame=True)
    species = iris.target_names[iris.target]
    click.echo("Iris: 150 flowers of 3 species, 4 features.")
    parts = analyse(iris.data, truth=species, truth_name="species", n_repeats=10, random_state=0)
    choice: Any = parts[0]
    steady = next(part for part in parts if isinstance(part, Stability))
    click.echo(f"\n1. How many clusters?\n\n{choice.title}")
    paragraph(choice.answer.paragraph)
    click.echo(f"\n2. Are they stable?\n\n{steady.title}")
    paragraph(steady.statement)
    click.echo("\n3. How do they compare with the species, and how sure is that?")
    for k in dict.fromkeys([choice.k, 3]):
        if k in choice.partitions:
            found = compare(
                species, choice.partitions[k], indices=AGAINST_SPECIES, bootstrap=999, random_state=0
            )
            click.echo(f"\n{found.title}")
            for row in found.rows:
                span = f"95% interval {show(row.ci_low)} to {show(row.ci_high)}"
                end = f"best is {show(row.best)}"
                click.echo(f"{row.index:<25}{row.symbol or '':<5}{show(row.value):<8}{span}, {end}")
    with bar("writing the report"):
        path = report(*parts, to=target, title=TITLE, overwrite=overwrite, command="partita demo")
    click.echo(f"\nreport written to {path.absolute()}")
    click.echo("The same for your own data: partita report DATA.csv")
