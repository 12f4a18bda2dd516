"""The options that commands share, each with one name, and how what is typed for them is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from partita.cli.completion import columns_of_data, index_names
from partita.cli.spellings import PARAMETERS, option, option_names, options_of, spelled

__all__ = [
    "PARAMETERS",
    "all_option",
    "by_row_option",
    "chunks_option",
    "every_row",
    "feature_options",
    "file_options",
    "from_number_on",
    "id_option",
    "indices_option",
    "jobs_option",
    "metric_option",
    "missing_option",
    "noise_options",
    "option",
    "option_names",
    "options_of",
    "refuse_all_of_some",
    "scale_named",
    "scale_option",
    "seed_option",
    "spelled",
    "split_columns",
    "split_indices",
    "threads_option",
    "with_options",
    "writing_of",
]

file_options = (
    option(
        "--header/--no-header",
        default=None,
        help="Whether the first line holds the names of the columns; without one they are 0, 1, 2, ... "
        "Default: it does, and a first line that looks like an object is refused.",
    ),
    option("--encoding", metavar="NAME", help="Of a text that is not in UTF-8 or UTF-16: cp1252, ..."),
    option(
        "--decimal", type=click.Choice([".", ","]), help="The decimal mark. Default: what the numbers show."
    ),
)
"""How texts are written, where that cannot be recognised."""

chunks_option = option(
    "--in-chunks/--in-memory",
    default=None,
    help="Read .parquet (a folder of them too), .npy and texts part by part, in little memory, or all at "
    "once. Default: part by part above 512 MB; what needs all objects at once is then left out.",
)

feature_options = (
    option(
        "--columns",
        metavar="NAME[,NAME...]",
        shell_complete=columns_of_data,
        help="The features. Default: all columns of numbers but identifiers, labels and constants; "
        "the result says which.",
    ),
    option(
        "--leave-out",
        metavar="NAME[,NAME...]",
        shell_complete=columns_of_data,
        help="Columns to exclude, such as labels.",
    ),
    *file_options,
)
"""Which columns of DATA are features, and how the file is written."""

metric_option = option(
    "--metric",
    metavar="NAME",
    help="How distances between objects are measured: euclidean (the default), cityblock, cosine, ...; gower "
    "for columns of words and numbers; precomputed if DATA holds the distances.",
)

scale_option = option(
    "--scale",
    type=click.Choice(["standard", "robust", "none"]),
    default="none",
    show_default=True,
    help="Give all features equal weight: by mean and deviation, or by median and quartiles. With none they "
    "stay as they are, and the result says if a few dominate.",
)


def scale_named(text: str) -> str | None:
    """What the library calls it."""
    return None if text == "none" else text


def from_number_on(least: int) -> Callable[[click.Context, click.Parameter, int | None], int | None]:
    """A check of an option, before anything is computed: a whole number, this one at least."""

    def check(_ctx: click.Context, parameter: click.Parameter, number: int | None) -> int | None:
        from partita.errors import ParameterError

        if number is not None and number < least:
            raise ParameterError(
                f"{parameter.opts[0]} is too small.",
                got=str(number),
                need=f"a whole number, {least} at least",
            )
        return number

    return check


def seed_option(usual: int | None = None) -> Callable[[Any], Any]:
    """The option for the seed; without a default every run has another one."""
    return option(
        "--seed",
        type=int,
        default=usual,
        show_default=usual is not None,
        metavar="N",
        callback=from_number_on(0),
        help="The seed of everything random.",
    )


jobs_option = option("--jobs", type=int, metavar="N", help="Workers; the result is the same for any number.")
threads_option = option(
    "--jobs",
    "n_threads",
    type=int,
    metavar="N",
    help="Threads; the result is the same for any number. Default: all cores.",
)


def id_option(more: str = "") -> Callable[[Any], Any]:
    """The option for the column of identifiers."""
    return option(
        "--id",
        "id_column",
        metavar="NAME",
        shell_complete=columns_of_data,
        help=f"The column that names the objects{more}",
    )


def indices_option(help_text: str) -> Callable[[Any], Any]:
    """The option for indices, whose names the shell completes."""
    return option("--indices", metavar="NAME[,NAME...]", shell_complete=index_names, help=help_text)


all_option = option(
    "--all", "all_rows", is_flag=True, help="Show every index that applies, not only the headline."
)

by_row_option = option(
    "--by-row",
    is_flag=True,
    help="Match the lines of both files in their order, whatever identifiers they hold.",
)


def missing_option(*policies: str, what: str) -> Callable[..., Any]:
    """The option that says what is done where values are missing; by default that is refused."""
    return option(
        "--missing",
        type=click.Choice(["raise", *policies]),
        default="raise",
        show_default=True,
        help=f"What to do where {what} missing (empty, NA, ...).",
    )


noise_options = (
    option(
        "--noise",
        type=click.Choice(["cluster", "singletons", "ignore", "raise"]),
        default="cluster",
        show_default=True,
        help="How to treat noise: objects labelled -1 where other labels are not negative.",
    ),
    option("--noise-label", metavar="LABEL", help="The label of noise, where it is another than -1."),
)


def refuse_all_of_some(wanted: bool, indices: str | None) -> None:
    """Refuse ``--all`` beside ``--indices``."""
    from partita.errors import ParameterError

    if wanted and indices is not None:
        raise ParameterError(
            "--all shows every index that applies.", got=f"--indices {indices} beside it", need="one of them"
        )


def every_row(result: Any, wanted: bool) -> Any:
    """The result with every row that it has, if ``--all`` asks for that."""
    return getattr(result, "all", result) if wanted else result  # clusterings side by side have all already


def with_options(*options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that adds these options to a command, in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(options):
            command = one(command)
        return command

    return add


def writing_of(given: Mapping[str, Any]) -> Any:
    """How texts are written, as `file_options` say."""
    from partita.files.text import Writing

    return Writing(given["header"], given["encoding"], given["decimal"])


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
