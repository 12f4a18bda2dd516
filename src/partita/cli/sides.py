"""Two clusterings from files: the options that name them, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from partita.cli.completion import columns_of_data, files
from partita.cli.options import (
    by_row_option,
    file_options,
    id_option,
    missing_option,
    noise_options,
    option,
    split_columns,
    with_options,
    writing_of,
)

__all__ = ["names_of_sides", "read_sides", "several_may_be_meant", "two_clusterings"]


def two_clusterings(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments and options by which a command gets a reference and another clustering from files."""
    return with_options(
        click.argument("truth", shell_complete=files),
        click.argument("found", required=False, shell_complete=files),
        option(
            "--truth",
            "truth_column",
            old=["--truth-column"],
            metavar="NAME[,NAME...]",
            shell_complete=columns_of_data,
            help="In TRUTH: the column of labels, or the columns of memberships (in .npz, the array). "
            "Default: all columns but the identifiers.",
        ),
        option(
            "--labels",
            "found_column",
            old=["--found-column"],
            metavar="NAME[,NAME...]",
            shell_complete=columns_of_data,
            help="The same in FOUND, or in TRUTH where that is the only file.",
        ),
        option("--column", metavar="NAME[,NAME...]", help="The same in both files."),
        id_option(
            "; the files are joined on it. Default: a column that tells the objects apart in both files."
        ),
        by_row_option,
        missing_option("drop", "noise", what="labels or memberships are"),
        option(
            "--truth-kind",
            metavar="KIND",
            help="How to read TRUTH: hard, fuzzy, possibilistic, rough or evidential. "
            "Default: the most specific that its values satisfy; typicalities must be named.",
        ),
        option("--found-kind", metavar="KIND", help="How to read FOUND."),
        option("--normalize", is_flag=True, help="Divide each row of memberships by its sum first."),
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
            need="--truth and --labels, or a second file",
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
            in_chunks=given.get("in_chunks", False),
        )


def names_of_sides(given: Mapping[str, Any]) -> tuple[str, str] | None:
    """What the two clusterings are called: by their columns where these are named, else by their files.

    None where one name would be that of both.
    """
    truth, found = given["truth"], given["found"] or given["truth"]
    columns = [given["truth_column"], given["found_column"]]
    columns = [given["column"] if column is None else column for column in columns]
    names = [column if column and "," not in column else None for column in columns]
    if given.get("clusterings") is not None:
        names[1] = "found"
    files = _file_names(truth, found)
    named = [name or file for name, file in zip(names, files, strict=True)]
    if named[0] == named[1]:
        named = files
    return (named[0], named[1]) if named[0] != named[1] else None


def _file_names(*paths: str) -> list[str]:
    """Each file by its name without ending; by its folder too where that is needed to tell them apart."""
    bare = [Path(path) for path in paths]
    stems = [
        "standard input" if str(path) == "-" else path.name.partition(".")[0] or path.name for path in bare
    ]
    if len(set(stems)) < len(stems):
        stems = ["/".join([*path.parts[-2:-1], path.name]) for path in bare]
    return stems


def _refuse_beside_several(given: Mapping[str, Any]) -> None:
    """Several clusterings are columns of labels: what is about a single one is refused."""
    from partita.errors import ParameterError

    for name, typed in (
        ("found_column", "--labels"),
        ("found_kind", "--found-kind"),
        ("normalize", "--normalize"),
    ):
        if given[name]:
            raise ParameterError(
                "--clusterings names columns of labels, one for each clustering.",
                got=f"{typed} beside it",
                need="one of them: --labels for a single clustering, which may be soft",
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
