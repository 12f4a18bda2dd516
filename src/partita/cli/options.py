"""What commands share: options, how files are read, and how a result is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from partita.errors import Setting

PARAMETERS = {
    "truth_kind": "kind",
    "found_kind": "kind",
    "samples": "n_samples",
    "budget": "budget_seconds",
    "seed": "random_state",
    "weight": "sample_weight",
    "runs": "n_runs",
    "repeats": "n_repeats",
    "jobs": "n_jobs",
}
"""The parameters of the library that options have other names for."""

FORMATS = click.Choice(["table", "json", "csv", "markdown"])

form_option = click.option(
    "--format", "form", type=FORMATS, default="table", show_default=True, help="How to write the result."
)


def options_of(command: click.Command) -> dict[str, list[click.Option]]:
    """The options of a command, by the parameters of the library that they set."""
    options: dict[str, list[click.Option]] = {}
    for option in command.params:
        if isinstance(option, click.Option) and option.name is not None:
            options.setdefault(PARAMETERS.get(option.name, option.name), []).append(option)
    return options


def option_names(options: Sequence[click.Option]) -> str:
    """The options as they are typed."""
    return " or ".join(option.opts[0] for option in options)


def spelled(setting: Setting, options: Mapping[str, Sequence[click.Option]]) -> str:
    """A setting as it is typed, a word from a closed list in quotes; as in Python if no option sets it."""
    known = options.get(setting.name)
    if not known:
        return str(setting)
    if setting.value is ... or known[0].is_flag:
        return option_names(known)
    is_listed = isinstance(known[0].type, click.Choice)
    return (
        f'{option_names(known)} "{setting.value}"' if is_listed else f"{option_names(known)} {setting.value}"
    )


def two_clusterings(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments and options by which a command gets a reference and another clustering from files."""
    options = [
        click.argument("truth"),
        click.argument("found", required=False),
        click.option(
            "--truth-column",
            metavar="NAME[,NAME...]",
            help="In TRUTH: the column of labels, or the columns of memberships (in .npz, the array). "
            "Default: all columns but the identifiers.",
        ),
        click.option("--found-column", metavar="NAME[,NAME...]", help="The same in FOUND."),
        click.option("--column", metavar="NAME[,NAME...]", help="The same in both files."),
        click.option(
            "--id",
            "id_column",
            metavar="NAME",
            help="The column that names the objects; the files are joined on it.",
        ),
        click.option(
            "--truth-kind",
            metavar="KIND",
            help="How to read TRUTH: hard, fuzzy, possibilistic, rough or evidential. "
            "Default: the most specific that its values satisfy; typicalities must be named.",
        ),
        click.option("--found-kind", metavar="KIND", help="How to read FOUND."),
        click.option("--normalize", is_flag=True, help="Divide each row of memberships by its sum first."),
        click.option(
            "--header/--no-header",
            default=None,
            help="Whether the first line holds the names of the columns; without one they are 0, 1, 2, ... "
            "Default: it does, and a first line that looks like an object is refused.",
        ),
        click.option(
            "--noise",
            type=click.Choice(["cluster", "singletons", "ignore", "raise"]),
            default="cluster",
            show_default=True,
            help="What objects labelled -1 beside non-negative labels are.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_sides(given: dict[str, Any]) -> tuple[object, object]:
    """The two clusterings that the options of `two_clusterings` name; those options are taken out."""
    from partita.errors import ParameterError
    from partita.files import read_partition

    truth, found = given.pop("truth"), given.pop("found")
    names = given.pop("truth_column"), given.pop("found_column")
    common, kinds = given.pop("column"), (given.pop("truth_kind"), given.pop("found_kind"))
    if found is None and None in names:
        raise ParameterError(
            "a single file needs two columns.",
            got=truth,
            need="--truth-column and --found-column, or a second file",
        )
    normalize = given.pop("normalize")
    one, other = (
        read_partition(
            path,
            columns=split_columns(common if name is None else name),
            id_column=given["id_column"],
            kind=kind,
            header=given["header"],
            normalize=normalize,
        )
        for path, name, kind in zip((truth, found or truth), names, kinds, strict=True)
    )
    return one, other


@contextmanager
def advising_identifiers(id_column: str | None) -> Iterator[None]:
    """What to do about objects that do not match, in the words of the command line."""
    from partita.errors import MismatchError

    try:
        yield
    except MismatchError as problem:
        problem.fix = "--id NAME joins the files on a column of identifiers that both have"
        if id_column is not None:
            problem.fix = "leave --id away if both files have the same objects in the same order"
        raise


def show(result: Any, form: str) -> None:
    """Print a result; as CSV only its rows, with what was dropped told beside them."""
    click.echo(result.write(form))
    if form == "csv":
        skipped = ", ".join(x.index for x in getattr(result, "left_out", ()))
        reading = getattr(result, "reading", "")
        for note in (reading, *result.notes, f"left out: {skipped}" if skipped else ""):
            if note:
                click.echo(note, err=True)


def split_columns(text: str | None) -> list[str] | None:
    """Names between commas; a name with a comma in it is quoted, as in the file."""
    import csv

    try:
        return None if text is None else next(csv.reader([text], skipinitialspace=True)) or [""]
    except csv.Error:
        return [str(text)]


def split_indices(text: str | None) -> list[str] | None:
    """Split at commas, but keep ``rand:pairs=ordered,x=1`` together."""
    if text is None:
        return None
    names: list[str] = []
    for piece in text.split(","):
        if names and "=" in piece and ":" not in piece and ":" in names[-1]:
            names[-1] += "," + piece
        else:
            names.append(piece)
    return names
