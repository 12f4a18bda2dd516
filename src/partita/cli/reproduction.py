"""The command that runs the papers again."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from partita.cli.completion import papers
from partita.cli.options import jobs_option, option, seed_option, split_columns
from partita.cli.output import quiet_option
from partita.cli.spellings import Command
from partita.cli.surroundings import quietly

__all__ = ["reproduce"]

KEPT = ".checkpoint"
"""The folder inside of ``--out`` that keeps every piece of work."""


@click.command(cls=Command)
@click.argument("papers", nargs=-1, required=True, metavar="PAPER...", shell_complete=papers)
@option("--quick", is_flag=True, help="Small versions, a minute each at most.")
@option("--only", metavar="PART[,PART...]", help="Parts of one paper, such as table2,fig1.")
@option(
    "--out",
    metavar="FOLDER",
    help="Write a page of each paper as Markdown and HTML, its findings as CSV and JSON, and its figures; "
    "what was interrupted goes on from there.",
)
@jobs_option
@seed_option(0)
@quiet_option
@click.pass_context
def reproduce(
    ctx: click.Context,
    /,
    papers: tuple[str, ...],
    quick: bool,
    only: str | None,
    out: str | None,
    jobs: int | None,
    seed: int,
    quiet: bool,
) -> None:
    """Run papers again, and compare with what they print.

    PAPER is rovetta2009, lagofernandez2009, lei2014, franti2017, campagner2022, or all. Each number and
    statement comes to "reproduced", "not reproduced" or "not determinable", by a tolerance that is stated.
    Data sets are looked for in the folder that PARTITA_DATA names; what cannot be had is told, and the rest
    runs.

    \b
    Examples:
      partita reproduce rovetta2009 --only table2
      partita reproduce all --quick --out pages --jobs -1
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita.errors import ParameterError
    from partita.experiments import PAPERS, find_paper, write
    from partita.experiments import reproduce as run

    names = list(dict.fromkeys(n for paper in papers for n in (PAPERS if paper == "all" else (paper,))))
    for name in names:
        find_paper(name)
    if only is not None and len(names) > 1:
        raise ParameterError(
            "parts are those of one paper.", got=", ".join(names), need="one paper", parameter="only"
        )
    typed = shlex.join(["partita", *ctx.meta.get("partita.typed", ())])
    for place, name in enumerate(names):
        with quietly(quiet):
            found = run(
                name,
                quick=quick,
                only=split_columns(only),
                checkpoint=None if out is None else Path(out) / KEPT,
                n_jobs=jobs,
                random_state=seed,
            )
        click.echo("\n" * bool(place) + str(found))
        if out is not None:
            write(found, out, command=typed)
            click.echo(f"\nwritten to {Path(out) / name}.html and .md")
