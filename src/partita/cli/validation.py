"""Commands on clusterings that are there already, and the data they are of."""

from __future__ import annotations

from typing import Any

import click

from partita.cli.completion import columns_of_data, files
from partita.cli.options import (
    all_option,
    by_row_option,
    chunks_option,
    every_row,
    feature_options,
    id_option,
    indices_option,
    metric_option,
    missing_option,
    noise_options,
    option,
    refuse_all_of_some,
    scale_named,
    scale_option,
    seed_option,
    split_columns,
    split_indices,
    threads_option,
    with_options,
    writing_of,
)
from partita.cli.output import Output, with_output
from partita.cli.sides import several_may_be_meant
from partita.cli.spellings import Command

file_option = option(
    "--memberships",
    metavar="FILE",
    help="A file with the clustering: labels, or one column for each cluster. With --clusterings, the file "
    "that has these columns. Default: DATA.",
)
matching_options = (
    id_option(", in both files. Default: one that tells them apart in both."),
    by_row_option,
    *feature_options,
    missing_option("drop", "mean", "median", "noise", what="features or labels are"),
)


@click.command(cls=Command)
@click.argument("data", shell_complete=files)
@option(
    "--labels",
    metavar="NAME[,NAME...]",
    shell_complete=columns_of_data,
    help="One clustering: its column of labels, or its columns of memberships, in DATA or in the file of "
    "--memberships.",
)
@option(
    "--clusterings",
    metavar="NAME,NAME[,...]",
    shell_complete=columns_of_data,
    help="Several clusterings, side by side: each of these columns holds the labels of one.",
)
@file_option
@with_options(*matching_options)
@chunks_option
@option("--kind", metavar="KIND", help="How to read the clustering: hard, fuzzy, possibilistic, ...")
@option("--normalize", is_flag=True, help="Divide each row of memberships by its sum first.")
@indices_option(
    "Names or symbols, with options after a colon: CH,silhouette:sample_size=2000; or a family "
    "(compactness, density, ...), a paper's key (franti2017), headline or all. Default: every index that "
    "applies and is quick, of which the headline is shown.",
)
@all_option
@option(
    "--by-cluster",
    is_flag=True,
    help="Add each cluster: size, silhouette, scatter, nearest neighbour, objects that would move. As CSV, "
    "that table alone.",
)
@scale_option
@metric_option
@with_options(*noise_options)
@threads_option
@with_output("partita.validation:Validation", "partita.results.side_by_side:SideBySide")
def validate(
    data: str,
    labels: str | None,
    clusterings: str | None,
    memberships: str | None,
    columns: str | None,
    leave_out: str | None,
    id_column: str | None,
    by_row: bool,
    kind: str | None,
    normalize: bool,
    missing: str,
    indices: str | None,
    all_rows: bool,
    by_cluster: bool,
    scale: str,
    metric: str | None,
    noise: str,
    noise_label: str | None,
    output: Output,
    **given: Any,
) -> None:
    """Validate clusterings by their data.

    One by --labels or --memberships, several side by side by --clusterings.
    DATA is a .csv, .tsv, .txt (also .gz), .npy, .npz, .parquet, .feather or .xlsx file, or - for standard
    input, with one line for each object; or a folder of .parquet files. It may be larger than memory.

    \b
    Examples:
      partita validate flowers.csv --labels cluster
      partita validate flowers.csv --labels cluster --scale standard --by-cluster --plot it.png
      partita validate flowers.csv --clusterings kmeans,ward,leiden --leave-out species
      partita validate flowers.csv --memberships mixture.csv --id flower --indices XB,PC,silhouette
      partita validate flowers.csv --labels cluster --indices density,franti2017
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita.errors import ParameterError
    from partita.files.sources import check_files

    if labels is None and memberships is None and clusterings is None:
        raise ParameterError(
            "which clustering is to be validated?",
            got="neither --labels nor --clusterings nor --memberships",
            need="--labels NAME, a column of the data, or --memberships FILE; for several, "
            "--clusterings NAME,NAME",
        )
    if clusterings is not None and (labels is not None or kind is not None or normalize):
        other = "--labels" if labels is not None else "--kind" if kind is not None else "--normalize"
        raise ParameterError(
            "--clusterings names columns of labels, one for each clustering.",
            got=f"{other} beside it",
            need="one of them: --labels for a single clustering, which may be soft",
        )
    refuse_all_of_some(all_rows, indices)
    check_files(data, memberships)
    from partita.files.reading import ClusteringFile, read_judged

    path = data if memberships is None else memberships
    names, several = split_columns(labels), split_columns(clusterings)
    with several_may_be_meant(names, "--clusterings"):
        sides = read_judged(
            data,
            ClusteringFile(path, names, kind, normalize, noise_label, several),
            columns=split_columns(columns),
            leave_out=split_columns(leave_out) or [],
            id_column=id_column,
            by_row=by_row,
            writing=writing_of(given),
            missing=missing,
            every_column=metric == "precomputed",
            takes_words=metric == "gower",
            in_chunks=given["in_chunks"],
        )
    from partita.validation import validate as run

    result = run(
        sides.first,
        sides.second,
        indices=split_indices(indices),
        metric=metric,
        noise=noise,
        scale=scale_named(scale),
    )
    each = {"": result} if several is None else result.results
    parts = {name: one.by_cluster for name, one in each.items()} if by_cluster else None
    if parts is not None and several is not None:
        parts = {name: _of_clustering(name, part) for name, part in parts.items()}
    shown = every_row(result, all_rows)
    output.show(shown, sides.notes, parts=parts, key="by_cluster", drawn=result)


def _of_clustering(name: str, clusters: Any) -> Any:
    from dataclasses import replace

    return replace(clusters, title=f"{name}: {clusters.title}")


@click.command(cls=Command)
@click.argument("data", shell_complete=files)
@option(
    "--clusterings",
    metavar="NAME,NAME[,...]",
    required=True,
    shell_complete=columns_of_data,
    help="The clusterings to choose among: each of these columns holds the labels of one.",
)
@option("--memberships", metavar="FILE", help="The file that has these columns. Default: DATA.")
@with_options(*matching_options)
@indices_option(
    "Indices to report: silhouette,DBCV; or a family (compactness, density, ...), a paper's key "
    "(franti2017), headline or all. They do not decide the answer. Default: one or two of each family.",
)
@scale_option
@metric_option
@option("--no-structure", is_flag=True, help="Skip the test of structure.")
@option(
    "--neighbors",
    type=int,
    default=10,
    show_default=True,
    metavar="N",
    help="Number of nearest neighbours; the share in an object's own cluster is reported.",
)
@seed_option()
@threads_option
@with_options(*noise_options)
@with_output("partita.selection:ChoiceOfClustering")
def choose_among(
    data: str,
    clusterings: str,
    memberships: str | None,
    columns: str | None,
    leave_out: str | None,
    id_column: str | None,
    by_row: bool,
    missing: str,
    indices: str | None,
    scale: str,
    metric: str | None,
    no_structure: bool,
    neighbors: int,
    seed: int | None,
    noise: str,
    noise_label: str | None,
    output: Output,
    **given: Any,
) -> None:
    """Choose the best of several ready clusterings of data.

    Nothing is clustered: columns of DATA, or of the file of --memberships, hold the labels.

    \b
    Examples:
      partita choose-among flowers.csv --clusterings kmeans,ward,leiden --leave-out species
      partita choose-among cells.csv --memberships runs.csv --id cell --clusterings r02,r05 --seed 0
      partita choose-among flowers.csv --clusterings kmeans,ward --indices density,compactness
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita.errors import ParameterError
    from partita.files.sources import check_files

    check_files(data, memberships)
    names = split_columns(clusterings) or []
    if len(names) < 2:
        raise ParameterError(
            "there is nothing to choose among.",
            got=f"--clusterings {clusterings}",
            need="two columns of labels at least, with a comma between them",
            fix="partita validate for one",
        )
    from partita.files.reading import ClusteringFile, read_judged

    path = data if memberships is None else memberships
    sides = read_judged(
        data,
        ClusteringFile(path, noise_label=noise_label, several=names),
        columns=split_columns(columns),
        leave_out=split_columns(leave_out) or [],
        id_column=id_column,
        by_row=by_row,
        writing=writing_of(given),
        missing=missing,
        every_column=metric == "precomputed",
        takes_words=metric == "gower",
    )
    from partita.selection import choose as run

    result = run(
        sides.first,
        sides.second,
        indices=split_indices(indices),
        scale=scale_named(scale),
        metric=metric,
        noise=noise,
        structure=not no_structure,
        n_neighbors=neighbors,
        random_state=seed,
    )
    output.show(result, sides.notes)
