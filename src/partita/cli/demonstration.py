"""The demonstration: all that partita says of Iris, from the number of clusters to a report."""

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
"""In a page that a report of partita is."""

TITLE = "Iris: 150 flowers of 3 species"

AGAINST_SPECIES = ["ARI", "VI", "purity"]

MOST_OF_A_HEAD = 1 << 16
"""Letters at the beginning of a page that are looked at."""


@click.command(cls=Command)
@option("--out", metavar="FILE", help=f"The report, a file .html. Default: {PAGE}, in the current folder.")
@force_option
@quiet_option
def demo(out: str | None, force: bool, quiet: bool) -> None:
    """Ask of Iris all there is to ask, and write a report.

    How many clusters there are, how stable they are, how they compare with the species, and how sure that is.
    The report of an earlier demonstration is replaced, any other file only if it is named, with --force.
    """
    target = free_page() if out is None else out
    may_replace = force or out is None
    check_page(target, may_replace)
    with quietly(quiet):
        _tell(target, overwrite=may_replace)


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


def _tell(target: str, *, overwrite: bool) -> None:
    from sklearn.datasets import load_iris

    from partita import report
    from partita.cluster import GaussianMixtureEM
    from partita.progress import bar
    from partita.reports import analyse
    from partita.selection import Stability

    iris = load_iris(as_frame=True)
    species = iris.target_names[iris.target]
    click.echo("Iris: 150 flowers of 3 species, 4 features.")
    parts = analyse(
        iris.data,
        GaussianMixtureEM(n_init=2),
        range(1, 7),
        truth=species,
        truth_name="species",
        n_runs=5,
        n_repeats=10,
        random_state=0,
    )
    choice: Any = parts[0]
    steady = next(part for part in parts if isinstance(part, Stability))
    _tell_part("1. How many clusters?", choice)
    _tell_part("2. Are they found again in a part of the flowers?", steady)
    paragraph(f"In numbers: {steady.statement}.")
    _tell_agreement(species, choice)
    with bar("writing the report"):
        path = report(*parts, to=target, title=TITLE, overwrite=overwrite, command="partita demo")
    click.echo(f"\nAll of it, with figures: report written to {path.absolute()}")
    click.echo("The same for your own data: partita report DATA.csv")


def _tell_part(heading: str, result: Any) -> None:
    """What a result says, in sentences."""
    from partita.reports.verdicts import sentences_of

    click.echo(f"\n{heading}\n\n{result.title}")
    paragraph(" ".join(one.text for one in sentences_of(result, "", "")))


def _tell_agreement(species: Any, choice: Any) -> None:
    """How near the mixtures are to the species, and within which limits that is known."""
    from partita import compare
    from partita.results import show

    click.echo("\n3. How do they compare with the species, and how sure is that?")
    for k in dict.fromkeys([choice.k or 3, 3]):
        found = compare(species, choice.model_at(k), indices=AGAINST_SPECIES, bootstrap=999, random_state=0)
        click.echo(f"\n{found.title}; memberships are kept soft")
        for row in found.rows:
            span = f"95% interval {show(row.ci_low)} to {show(row.ci_high)}"
            end = f"best is {show(row.best)}"
            click.echo(f"{row.index:<25}{row.symbol or '':<5}{show(row.value):<8}{span}, {end}")
