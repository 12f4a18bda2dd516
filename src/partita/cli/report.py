"""The command that writes a report of data: an HTML file that opens with the answer."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from partita.cli.completion import columns_of_data
from partita.cli.options import from_number_on, option, scale_named
from partita.cli.output import Output, force_option, paragraph, quiet_option
from partita.cli.selection import data_of, method_of, numbers_of, on_data, over_k, truth_option
from partita.cli.spellings import Command
from partita.cli.surroundings import quietly

__all__ = ["report", "verdict_of"]


PACKED = (".gz",)


@click.command(cls=Command)
@over_k(
    "all that the data can carry; a named method tries 1 to 10, and more while the best is the last",
    own="density trees and mixtures",
    with_parameter=False,
)
@truth_option("The column of DATA with the true labels: the clusters found are compared with them.")
@option(
    "--labels",
    metavar="NAME",
    shell_complete=columns_of_data,
    help="The column of DATA with the labels of an old clustering, which is validated and compared too.",
)
@option(
    "--runs",
    type=int,
    default=10,
    show_default=True,
    callback=from_number_on(1),
    help="Fits of a named method for each number of clusters.",
)
@option(
    "--repeats",
    type=int,
    default=20,
    show_default=True,
    metavar="N",
    callback=from_number_on(0),
    help="Perturbed data sets of the stability analysis; 0 for none.",
)
@option(
    "--bootstrap",
    type=int,
    default=999,
    show_default=True,
    metavar="N",
    callback=from_number_on(0),
    help="Bootstrap resamples for the intervals of a comparison; 0 for none.",
)
@option(
    "--shuffles",
    "n_shuffles",
    type=int,
    default=999,
    show_default=True,
    metavar="N",
    callback=from_number_on(1),
    help="Permutations for the p-value of a comparison.",
)
@on_data(seed=0)
@option("--title", metavar="TEXT", help="Title of the page. Default: the name of the file.")
@option("--out", metavar="FILE", help="The page, an .html file. Default: DATA.html, in the current folder.")
@force_option
@quiet_option
@click.pass_context
def report(
    ctx: click.Context,
    /,
    truth: str | None,
    labels: str | None,
    title: str | None,
    out: str | None,
    force: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Write a report of data that opens with the answer.

    The clusters and their number, how far to trust them, their stability, what sets each apart, and how they
    compare with other labels: one HTML file with figures and tables, which needs no network. DATA is a
    .csv, .tsv, .txt (also .gz), .npy, .npz, .parquet, .feather or .xlsx file, or - for standard input, with
    one line for each object.

    \b
    Examples:
      partita report flowers.csv --truth species
      partita report customers.csv --labels segment --scale robust --missing mean
      partita report flowers.csv --k 1:10 --method gmm --truth species --out flowers.html --force
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita.files.sources import check_files

    target = page_of(given["data"]) if out is None else out
    check_page(target, force, given["data"])
    check_files(given["data"])
    method, ks = method_of(given), numbers_of(given["ks"])
    with quietly(quiet):
        sides = data_of(given, truth, labels)
        others = sides.second or {}
        from partita import report as write
        from partita.progress import bar
        from partita.reports import analyse

        parts = analyse(
            sides.first,
            method,
            ks,
            truth=others.get(truth),
            labels=others.get(labels),
            truth_name=truth or "",
            labels_name=labels or "",
            scale=scale_named(given["scale"]),
            n_runs=given["runs"],
            n_repeats=given["repeats"],
            n_shuffles=given["n_shuffles"],
            bootstrap=given["bootstrap"],
            n_jobs=given["jobs"],
            random_state=given["seed"],
            checkpoint=given["checkpoint"],
            metric=given["metric"],
            notes=sides.notes,
        )
        with bar("writing the report"):
            path = write(
                *parts,
                to=target,
                title=title or Path(given["data"]).name,
                overwrite=force,
                command=shlex.join(["partita", *ctx.meta.get("partita.typed", ())]),
            )
    for line in verdict_of(parts):
        paragraph(line)
    click.echo(f"\nreport written to {path}")
    Output(quiet=quiet).say(*sides.notes)


def page_of(data: str) -> str:
    """The name of the page of a file, in the current folder."""
    if data == "-":
        return "report.html"
    file = Path(data)
    name = file.stem if file.suffix.lower() in PACKED else file.name
    return f"{Path(name).stem}.html"


def check_page(target: str, force: bool, *read: str) -> None:
    """Refuse a page that cannot be written, before anything is computed."""
    from partita.errors import FileError
    from partita.files.writing import check_target

    if not target.lower().endswith(".html"):
        raise FileError(
            "a report is an HTML file.",
            got=target or "''",
            need="a name that ends in .html",
            parameter="out",
        )
    check_target(target, overwrite=force, inputs=read, parameter="out")


def verdict_of(parts: Sequence[Any]) -> list[str]:
    """The answer of a report with its reasons, then the answers of other results."""
    from partita.reports.verdicts import sentences_of
    from partita.selection.choices import Decision

    said: list[str] = []
    for part in parts:
        for name, result in part.items() if isinstance(part, Mapping) else [("", part)]:
            answers = [one.text for one in sentences_of(result, "", name) if one.weight == "answer"]
            said += [result.answer.paragraph] if isinstance(result, Decision) else answers
    return list(dict.fromkeys(said))
