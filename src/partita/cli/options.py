"""What commands share: options, how files are read, and how a result is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
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
    "truth_column": "label_columns",
    "found_column": "label_columns",
    "column": "label_columns",
    "labels": "label_columns",
    "splits": "n_splits",
    "neighbors": "n_neighbors",
    "no_structure": "structure",
    "null": "n_null",
    "components": "n_components",
    "shapes": "covariance_type",
    "data_file": "X",
}
"""The parameters of the library that options have other names for."""

FORMATS = click.Choice(["table", "json", "csv", "markdown", "html"])

file_options = (
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line holds the names of the columns; without one they are 0, 1, 2, ... "
        "Default: it does, and a first line that looks like an object is refused.",
    ),
    click.option("--encoding", metavar="NAME", help="Of a text that is not in UTF-8 or UTF-16: cp1252, ..."),
    click.option(
        "--decimal", type=click.Choice([".", ","]), help="The decimal mark. Default: what the numbers show."
    ),
)
"""How texts are written, where that cannot be recognised."""

feature_options = (
    click.option(
        "--columns",
        metavar="NAME[,NAME...]",
        help="The features. Default: all columns of numbers but identifiers, labels and constants; "
        "the result says which.",
    ),
    click.option(
        "--leave-out", metavar="NAME[,NAME...]", help="Columns that are no features, such as labels."
    ),
    *file_options,
)
"""Which columns of DATA are features, and how the file is written."""

scale_option = click.option(
    "--scale",
    type=click.Choice(["standard", "robust"]),
    help="Give all features the same say: by mean and deviation, or by median and quartiles. Default: as "
    "they are, and the result says where a few outweigh the rest.",
)

all_option = click.option(
    "--all", "all_rows", is_flag=True, help="Show every index that applies, not only the headline."
)

by_row_option = click.option(
    "--by-row",
    is_flag=True,
    help="Match the lines of both files in their order, whatever identifiers they hold.",
)


def missing_option(*policies: str, what: str) -> Callable[..., Any]:
    """The option that says what is done where values are missing; by default that is refused."""
    return click.option(
        "--missing",
        type=click.Choice(["raise", *policies]),
        default="raise",
        show_default=True,
        help=f"What to do where {what} missing (empty, NA, ...).",
    )


noise_options = (
    click.option(
        "--noise",
        type=click.Choice(["cluster", "singletons", "ignore", "raise"]),
        default="cluster",
        show_default=True,
        help="What to do with objects that are noise: those labelled -1 beside non-negative labels.",
    ),
    click.option("--noise-label", metavar="LABEL", help="The label of noise, where it is another than -1."),
)


def every_row(result: Any, wanted: bool, indices: str | None) -> Any:
    """The result with every row that it has, if ``--all`` asks for that."""
    from partita.errors import ParameterError

    if not wanted:
        return result
    if indices is not None:
        raise ParameterError(
            "--all shows every index that applies.", got=f"--indices {indices} beside it", need="one of them"
        )
    return getattr(result, "all", result)  # clusterings side by side have every row already


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


def with_options(*options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that adds these options to a command, in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def two_clusterings(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments and options by which a command gets a reference and another clustering from files."""
    return with_options(
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
            help="The column that names the objects; the files are joined on it. Default: a column that "
            "tells the objects apart in both files.",
        ),
        by_row_option,
        missing_option("drop", "noise", what="labels or memberships are"),
        click.option(
            "--truth-kind",
            metavar="KIND",
            help="How to read TRUTH: hard, fuzzy, possibilistic, rough or evidential. "
            "Default: the most specific that its values satisfy; typicalities must be named.",
        ),
        click.option("--found-kind", metavar="KIND", help="How to read FOUND."),
        click.option("--normalize", is_flag=True, help="Divide each row of memberships by its sum first."),
        *file_options,
        *noise_options,
    )(command)


def read_sides(given: Mapping[str, Any], weight: str | None = None) -> Any:
    """The two clusterings that the options of `two_clusterings` name, with weights from the first file.

    A command may also have options that name several found clusterings, and data.
    """
    from partita.errors import ParameterError
    from partita.files.sources import check_files

    truth, found, data = given["truth"], given["found"], given.get("data_file")
    names, several = (given["truth_column"], given["found_column"]), given.get("clusterings")
    if found is None and (names[0] is None or (names[1] is None and several is None)):
        raise ParameterError(
            "a single file needs two columns.",
            got=truth,
            need="--truth-column and --found-column, or a second file",
        )
    if several is not None:
        _refuse_beside_several(given)
    if data is None and (given.get("columns") is not None or given.get("leave_out") is not None):
        raise ParameterError(
            "--columns and --leave-out are about the data.", got="no --data", need="--data FILE"
        )
    check_files(truth, found, data)
    from partita.files.reading import ClusteringFile, DataFile, read_two

    def clustering(path: str, name: str | None, kind: str | None) -> ClusteringFile:
        columns = split_columns(given["column"] if name is None else name)
        return ClusteringFile(path, columns, kind, given["normalize"], given["noise_label"])

    one = clustering(truth, names[0], given["truth_kind"])
    other = clustering(found or truth, names[1], given["found_kind"])
    if several is not None:
        other = replace(other, columns=None, several=split_columns(several))
    with several_may_be_meant(other.columns, "--clusterings" if "clusterings" in given else None):
        return read_two(
            one,
            other,
            id_column=given["id_column"],
            by_row=given["by_row"],
            writing=writing_of(given),
            missing=given["missing"],
            weight=weight,
            data=None
            if data is None
            else DataFile(data, split_columns(given["columns"]), split_columns(given["leave_out"]) or ()),
        )


def _refuse_beside_several(given: Mapping[str, Any]) -> None:
    """Several clusterings are columns of labels: what is about a single one is refused."""
    from partita.errors import ParameterError

    for option in ("found_column", "found_kind", "normalize"):
        if given[option]:
            raise ParameterError(
                "--clusterings names columns of labels, one for each clustering.",
                got=f"--{option.replace('_', '-')} beside it",
                need="one of them: --found-column for a single clustering, which may be soft",
            )


@contextmanager
def several_may_be_meant(names: Sequence[str] | None, option: str | None) -> Iterator[None]:
    """Where several columns make no memberships, say by which option several clusterings are named."""
    from partita.errors import FileError, PartitionError, Phrase

    try:
        yield
    except (PartitionError, FileError) as problem:
        if names is not None and len(names) > 1 and option is not None:
            hint = f"{option} {','.join(names)} if each is a clustering of its own"
            problem.fix = Phrase(problem.fix, "; ", hint) if problem.fix else hint
        raise


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
