"""Commands on data: how good is a clustering, how many clusters are there, are they found again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from partita.cli.options import (
    by_row_option,
    file_options,
    form_option,
    missing_option,
    noise_options,
    show,
    split_columns,
    split_indices,
    with_options,
    writing_of,
)

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


@click.command()
@click.argument("data")
@click.option(
    "--labels",
    metavar="NAME[,NAME...]",
    help="The column of labels, or the columns of memberships, in DATA or in the file of --memberships.",
)
@click.option(
    "--memberships",
    metavar="FILE",
    help="A file with the clustering: labels, or one column for each cluster.",
)
@click.option(
    "--id",
    "id_column",
    metavar="NAME",
    help="The column that names the objects, in both files. Default: one that tells them apart in both.",
)
@by_row_option
@with_options(*feature_options)
@missing_option("drop", "median", "noise", what="features or labels are")
@click.option("--kind", metavar="KIND", help="How to read the clustering: hard, fuzzy, possibilistic, ...")
@click.option("--normalize", is_flag=True, help="Divide each row of memberships by its sum first.")
@click.option(
    "--indices",
    metavar="NAME[,NAME...]",
    help="Names or symbols, with options after a colon: CH,silhouette:sample_size=2000. "
    "Default: every index that applies and is quick.",
)
@click.option(
    "--metric",
    default="euclidean",
    show_default=True,
    help='For distances between objects; "precomputed" if DATA holds them.',
)
@with_options(*noise_options)
@form_option
def validate(
    data: str,
    labels: str | None,
    memberships: str | None,
    columns: str | None,
    leave_out: str | None,
    id_column: str | None,
    by_row: bool,
    kind: str | None,
    normalize: bool,
    missing: str,
    indices: str | None,
    metric: str,
    noise: str,
    noise_label: str | None,
    form: str,
    **given: Any,
) -> None:
    """Judge a clustering by the data it is of.

    DATA is a .csv, .tsv, .txt (also .gz), .npy, .npz, .parquet, .feather or .xlsx file, or - for standard
    input, with one line for each object.

    \b
    Examples:
      partita validate flowers.csv --labels cluster
      partita validate flowers.csv --memberships mixture.csv --id flower --indices XB,PC,silhouette
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita.errors import ParameterError
    from partita.files.sources import check_files

    if labels is None and memberships is None:
        raise ParameterError(
            "which clustering is to be judged?",
            got="neither --labels nor --memberships",
            need="--labels NAME, a column of the data, or --memberships FILE",
        )
    check_files(data, memberships)
    from partita.files.reading import ClusteringFile, read_judged

    path = data if memberships is None else memberships
    sides = read_judged(
        data,
        ClusteringFile(path, split_columns(labels), kind, normalize, noise_label),
        columns=split_columns(columns),
        leave_out=split_columns(leave_out) or [],
        id_column=id_column,
        by_row=by_row,
        writing=writing_of(given),
        missing=missing,
        every_column=metric == "precomputed",
    )
    from partita.validation import validate as run

    result = run(sides.first, sides.second, indices=split_indices(indices), metric=metric, noise=noise)
    show(result, form, sides.notes)


def over_k(command: Any) -> Any:
    """The options of a command that clusters data for several numbers of clusters."""
    return with_options(
        click.argument("data"),
        click.option(
            "--k",
            "ks",
            metavar="RANGE",
            default="2:10",
            show_default=True,
            help="Numbers of clusters: 1:12 (both ends), 2:30:2 (in steps), or 2,3,5.",
        ),
        click.option(
            "--method",
            default="swap",
            show_default=True,
            metavar="NAME",
            help="swap, gmm, kmeans, fuzzy, possibilistic, rough, evidential, ward or binary; "
            "options after a colon: gmm:covariance_type=diag.",
        ),
        *feature_options,
        missing_option("drop", "median", what="features are"),
        click.option("--id", "id_column", metavar="NAME", help="The column that names the objects."),
        click.option("--seed", type=int, metavar="N", help="The seed of everything random."),
        click.option("--jobs", type=int, metavar="N", help="Workers; the result is the same for any number."),
        click.option(
            "--checkpoint",
            metavar="FOLDER",
            help="Keep what is computed there, and go on from it after a kill.",
        ),
        form_option,
    )(command)


@click.command()
@over_k
@click.option("--runs", type=int, default=10, show_default=True, help="Fits for each number of clusters.")
@click.option(
    "--indices",
    metavar="NAME[,NAME...]",
    help="Indices and curves that choose: BIC,silhouette,gap. Default: four that suit the method.",
)
@click.option("--truth", metavar="NAME", help="The column of DATA with the true labels; it has no vote.")
@click.option("--consensus", metavar="NAME[,NAME...]", help="Indices that compare the runs of a k: VI,ARI.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="INDEX=RULE",
    help="Another rule than an index's own: BIC=first_max, ball_hall=knee; may be repeated.",
)
@click.option(
    "--search",
    type=click.Choice(["brute force", "stepwise", "guided", "hierarchical"]),
    default="brute force",
    show_default=True,
    help="Each k anew, from the one before, as part of the search, or cut from one tree.",
)
@click.option(
    "--pool",
    type=click.Choice(["objective", "index"]),
    default="objective",
    show_default=True,
    help="Which run of a k is judged: that of the best objective, or each index's own best.",
)
def choose(
    runs: int,
    indices: str | None,
    truth: str | None,
    consensus: str | None,
    rules: tuple[str, ...],
    search: str,
    pool: str,
    form: str,
    **given: Any,
) -> None:
    """Say how many clusters there are in data, by several indices.

    DATA is a .csv, .tsv, .txt (also .gz), .npy, .npz, .parquet, .feather or .xlsx file, or - for standard
    input, with one line for each object.

    \b
    Examples:
      partita choose flowers.csv --k 1:12 --method gmm --runs 20 --indices BIC,ICL,PNC --truth species
      partita choose flowers.csv --columns petal_length,petal_width --indices CH,gap
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    sides, method, ks, common = _inputs(given, truth)
    from partita.selection import choose_k

    result = choose_k(
        sides.first,
        None if search == "hierarchical" and given["method"] == "swap" else method,
        ks,
        n_runs=runs,
        indices=split_indices(indices),
        truth=sides.second,
        consensus=split_indices(consensus),
        rules=dict(rule.partition("=")[::2] for rule in rules),
        search=search,
        pool=pool,
        **common,
    )
    show(result, form, sides.notes)


@click.command()
@over_k
@click.option("--repeats", type=int, default=20, show_default=True, help="Perturbed data sets for each k.")
@click.option(
    "--scheme",
    default="subsample:0.3",
    show_default=True,
    metavar="NAME",
    help="subsample:SHARE, bootstrap, noise:SCALE or rerun.",
)
@click.option(
    "--strategy",
    type=click.Choice(["cross-validation", "transfer"]),
    default="cross-validation",
    show_default=True,
    help="Compare with the clustering of all data, or carry one clustering over to other objects.",
)
@click.option("--indices", metavar="NAME[,NAME...]", help="External indices. Default: CI,ARI.")
def stability(
    repeats: int,
    scheme: str,
    strategy: str,
    indices: str | None,
    form: str,
    **given: Any,
) -> None:
    """Say how many clusters are found again in perturbed data.

    DATA is a .csv, .tsv, .txt (also .gz), .npy, .npz, .parquet, .feather or .xlsx file, or - for standard
    input, with one line for each object.

    \b
    Examples:
      partita stability flowers.csv --leave-out species
      partita stability flowers.csv --leave-out species --k 2:20 --scheme noise:0.2 --indices CI,VI
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    sides, method, ks, common = _inputs(given)
    from partita.selection import stability as run

    result = run(
        sides.first,
        None if given["method"] == "swap" else method,
        ks,
        scheme=_scheme(scheme),
        strategy=strategy,
        n_repeats=repeats,
        indices=split_indices(indices),
        **common,
    )
    show(result, form, sides.notes)


def _inputs(
    given: Mapping[str, Any], truth: str | None = None
) -> tuple[Any, Any, Sequence[int], dict[str, Any]]:
    """The data with its true labels, the method, the numbers of clusters and the options of `over_k`."""
    from partita.files.sources import check_files

    check_files(given["data"])
    from partita.files.reading import ClusteringFile, read_features, read_judged

    which: dict[str, Any] = {
        "columns": split_columns(given["columns"]),
        "leave_out": split_columns(given["leave_out"]) or [],
        "id_column": given["id_column"],
        "writing": writing_of(given),
        "missing": given["missing"],
    }
    if truth is None:
        sides = read_features(given["data"], **which)
    else:
        sides = read_judged(given["data"], ClusteringFile(given["data"], [truth]), **which)
    common = {"n_jobs": given["jobs"], "random_state": given["seed"], "checkpoint": given["checkpoint"]}
    return sides, _method(given["method"]), _numbers(given["ks"]), common


def _numbers(text: str) -> Sequence[int]:
    """``1:12`` with both ends, ``2:30:2`` in steps, or ``2,3,5``."""
    from partita.errors import ParameterError

    try:
        parts = [int(part) for part in text.split(":")] if ":" in text else []
        if len(parts) in (2, 3) and (len(parts) == 2 or parts[2] > 0):
            return range(parts[0], parts[1] + 1, *parts[2:])
        if not parts:
            return [int(part) for part in text.split(",")]
    except ValueError:
        pass
    raise ParameterError("--k is no range of numbers.", got=repr(text), need="1:12, 2:30:2 or 2,3,5")


def _method(text: str) -> Any:
    """A clusterer by its short name, with parameters after a colon."""
    from importlib import import_module

    from partita.errors import ParameterError, near_names

    ours = {
        "swap": "RandomSwap",
        "gmm": "GaussianMixtureEM",
        "fuzzy": "FuzzyCMeans",
        "possibilistic": "PossibilisticCMeans",
        "rough": "RoughKMeans",
        "evidential": "EvidentialCMeans",
        "binary": "StochasticComplexityClustering",
    }
    theirs = {"kmeans": "KMeans", "ward": "AgglomerativeClustering"}  # half a second to import
    known = ours | theirs
    name, _, given = text.partition(":")
    if name not in known:
        raise near_names(name, known, noun="method")
    room = import_module("sklearn.cluster" if name in theirs else "partita.cluster")
    options = dict(piece.partition("=")[::2] for piece in given.split(",") if piece)
    try:
        return getattr(room, known[name])().set_params(
            **{option: _value(value) for option, value in options.items()}
        )
    except ValueError as problem:
        raise ParameterError(f"{name} has no such option.", got=text, need=str(problem)) from None


def _value(text: str) -> Any:
    """A number where it is one, else the word."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return {"True": True, "False": False, "None": None}.get(text, text)


def _scheme(text: str) -> Any:
    from partita.errors import ParameterError, near_names
    from partita.selection import Bootstrap, Noise, Rerun, Subsample

    known = {"subsample": Subsample, "bootstrap": Bootstrap, "noise": Noise, "rerun": Rerun}
    name, _, amount = text.partition(":")
    if name not in known:
        raise near_names(name, known, noun="scheme")
    try:
        return known[name](*([float(amount)] if amount else []))
    except (TypeError, ValueError) as problem:
        raise ParameterError(
            f"{name} does not take this.", got=text, need="subsample:0.3, noise:0.2, bootstrap or rerun"
        ) from problem
