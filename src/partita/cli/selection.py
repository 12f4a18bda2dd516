"""Commands on data: the test of structure, the clusters and their number, their stability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from partita.cli.completion import columns_of_data, files, methods
from partita.cli.label_files import LabelFile
from partita.cli.options import (
    feature_options,
    id_option,
    indices_option,
    jobs_option,
    metric_option,
    missing_option,
    option,
    scale_named,
    scale_option,
    seed_option,
    split_columns,
    split_indices,
    with_options,
    writing_of,
)
from partita.cli.output import Output, with_output
from partita.cli.spellings import Command


def on_data(seed: int | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The argument and the options of a command on data, with this default seed."""
    return with_options(
        click.argument("data", shell_complete=files),
        *feature_options,
        missing_option("drop", "mean", "median", what="features are"),
        id_option("."),
        scale_option,
        metric_option,
        seed_option(seed),
        jobs_option,
    )


def over_k(
    usual: str, *, own: str, with_parameter: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options of a command that clusters data for several k.

    Parameters
    ----------
    usual : str
        The numbers of clusters that are tried by default.
    own : str
        The meaning of ``--method auto``.
    with_parameter : bool
        Whether there is ``--parameter`` as well.
    """
    others = "; with --parameter also dbscan or hdbscan" if with_parameter else ""
    return with_options(
        option(
            "--k",
            "ks",
            metavar="RANGE",
            help=f"Numbers of clusters: 1:12 (both ends), 2:30:2 (in steps), or 2,3,5. Default: {usual}.",
        ),
        option(
            "--method",
            default="auto",
            show_default=True,
            metavar="NAME",
            shell_complete=methods,
            help=f"auto ({own}), swap, gmm, kmeans, fuzzy, possibilistic, rough, evidential, ward or "
            f"binary{others}. Options after a colon: gmm:covariance_type=diag.",
        ),
        option(
            "--checkpoint",
            metavar="FOLDER",
            help="Keep intermediate results in this folder, and continue from it after an interruption.",
        ),
    )


def truth_option(help_text: str) -> Callable[[Any], Any]:
    """The option for the column of the true labels."""
    return option("--truth", metavar="NAME", shell_complete=columns_of_data, help=help_text)


parameter_options = (
    option(
        "--parameter",
        metavar="NAME",
        help="Sweep another parameter of the method than the number of clusters, such as eps of dbscan.",
    ),
    option("--values", metavar="VALUE[,VALUE...]", help="The values of --parameter: 0.1,0.2,0.5."),
)


@click.command(cls=Command)
@option(
    "--null",
    type=int,
    default=99,
    show_default=True,
    metavar="N",
    help="Data sets drawn from each distribution without clusters; with 19 or fewer nothing can be found.",
)
@option(
    "--components",
    default="auto",
    show_default=True,
    metavar="N",
    help="Leading principal components that are tested beside all dimensions: a number, auto or none.",
)
@on_data()
@with_output("partita.selection:Structure")
def structure(null: int, components: str, output: Output, **given: Any) -> None:
    """Test if data have any structure at all.

    The test compares them with distributions that have no clusters: a uniform one, a normal one, and one with
    a single peak in each feature. DATA is a .csv, .tsv, .txt (also .gz), .npy, .npz, .parquet,
    .feather or .xlsx file, or - for standard input, with one line for each object.

    \b
    Examples:
      partita structure flowers.csv --leave-out species --seed 0
      partita structure customers.csv --scale robust --missing drop --null 499 --jobs 4
      partita structure cells.csv --components 10 --format json
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita.cli.methods import value_in

    sides = data_of(given)
    from partita.selection import structure as run

    result = run(
        sides.first,
        n_null=null,
        scale=scale_named(given["scale"]),
        n_components=None if components.lower() == "none" else value_in(components),
        metric=given["metric"],
        random_state=given["seed"],
        n_jobs=given["jobs"],
    )
    output.show(result, sides.notes)


@click.command(cls=Command)
@over_k(
    "all that the data can carry; a named method tries 1 to 10, and more while the best is the last",
    own="density trees and mixtures",
)
@with_options(*parameter_options)
@option(
    "--shapes",
    metavar="NAME[,NAME...]",
    help="With --method gmm: covariance shapes to try, among full, tied, diag and spherical; the best by BIC "
    "is used.",
)
@option("--runs", type=int, default=10, show_default=True, help="Fits of a named method for each k.")
@indices_option(
    "Indices and curves to report: BIC,silhouette,gap; or a family (compactness, curves, ...), a paper's key "
    "(franti2017), headline or all. They do not decide the answer. Default: headline, one or two of each "
    "family that suits the method.",
)
@truth_option("The column of DATA with the true labels: external indices are then reported.")
@option("--consensus", metavar="NAME[,NAME...]", help="Indices that compare the runs of a k: VI,ARI.")
@option(
    "--rule",
    "rules",
    multiple=True,
    metavar="INDEX=RULE",
    help="Another rule by which an index chooses: BIC=first_max, ball_hall=knee; may be repeated.",
)
@option(
    "--search",
    type=click.Choice(["brute force", "stepwise", "guided", "hierarchical"]),
    default="brute force",
    show_default=True,
    help="Start each k independently, from the one before, as part of the search, or cut one tree.",
)
@option(
    "--pool",
    type=click.Choice(["objective", "index", "mean"]),
    default="objective",
    show_default=True,
    help="The run of a k that indices evaluate: that of the best objective, their own best, or the mean of "
    "all.",
)
@option("--no-structure", is_flag=True, help="Skip the test of structure.")
@option(
    "--splits",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Random halvings of the data for the prediction strength of a named method; 0 for none.",
)
@option(
    "--save-labels",
    metavar="FILE",
    help="Write the clusters of the answer to a .csv file: identifiers or row numbers, labels, and of soft "
    "methods memberships and uncertainty.",
)
@option(
    "--save-k",
    metavar="N",
    help="With --save-labels: write the clustering with N clusters instead; with --parameter, that of its "
    "value N.",
)
@on_data()
@with_output("partita.selection:ChoiceOfK", "partita.selection:ChoiceOfValue")
def choose(
    runs: int,
    indices: str | None,
    truth: str | None,
    consensus: str | None,
    rules: tuple[str, ...],
    search: str,
    pool: str,
    no_structure: bool,
    splits: int,
    save_labels: str | None,
    save_k: str | None,
    shapes: str | None,
    output: Output,
    **given: Any,
) -> None:
    """Find the clusters in data, and their number.

    The first lines give the answer, how far to trust it, and why. DATA is a .csv, .tsv, .txt (also .gz),
    .npy, .npz, .parquet, .feather or .xlsx file, or - for standard input, with one line for each object. The
    file of --save-labels has a line for each of them, too; objects that were left out (--missing drop) have
    no label there.

    \b
    Examples:
      partita choose flowers.csv --leave-out species --plot clusters.svg
      partita choose flowers.csv --k 1:12 --method gmm --runs 20 --indices BIC,ICL,PNC --truth species
      partita choose customers.csv --scale robust --save-labels segments.csv
      partita choose customers.csv --method fuzzy --save-labels segments.csv --save-k 4 --force
      partita choose flowers.csv --columns petal_length,petal_width --method swap --indices CH,gap
      partita choose flowers.csv --method gmm --shapes full,tied,diag,spherical
      partita choose flowers.csv --method dbscan --parameter eps --values 0.4,0.6,0.8
      partita choose large.csv --method kmeans --no-structure --jobs 4 --checkpoint kept
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    parameter, values = given["parameter"], _values(given)
    target = _label_file(
        save_labels, save_k, values or numbers_of(given["ks"]), given["data"], overwrite=output.force
    )
    if shapes is not None:
        _refuse_shapes_without_mixture(given["method"])
    over_numbers = {
        "k": (given["ks"], None),
        "consensus": (consensus, None),
        "rule": (rules, ()),
        "search": (search, "brute force"),
        "pool": (pool, "objective"),
        "shapes": (shapes, None),
        "splits": (splits, 0),
    }
    if values is not None:
        _refuse_beside_parameter(over_numbers)
    sides = data_of(given, truth)
    method = method_of(given)
    shared: dict[str, Any] = {
        "n_runs": runs,
        "indices": split_indices(indices),
        "truth": sides.second,
        "structure": not no_structure,
        **_ways(given),
    }
    from partita.selection import choose_k, choose_value

    result: Any
    if values is not None:
        result = choose_value(sides.first, method, {parameter: values}, **shared)
    else:
        result = choose_k(
            sides.first,
            None if search == "hierarchical" and given["method"] == "swap" else method,
            numbers_of(given["ks"]),
            consensus=split_indices(consensus),
            rules=dict(rule.partition("=")[::2] for rule in rules) or None,
            search=search,
            pool=pool,
            n_splits=splits,
            covariance_type=split_columns(shapes),
            **shared,
        )
    output.show(result, sides.notes)
    if target is not None:
        output.say(_saved(target, result, parameter, save_k, sides))


def _refuse_beside_parameter(options: Mapping[str, tuple[Any, Any]]) -> None:
    """Refuse options of sweeps over k that differ from their defaults."""
    from partita.errors import ParameterError

    for name, (value, usual) in options.items():
        if value != usual:
            raise ParameterError(
                f"--{name} belongs to sweeps over numbers of clusters.",
                got=f"--{name} beside --parameter",
                need="one of them",
            )


def _refuse_shapes_without_mixture(method: str) -> None:
    from partita.errors import ParameterError

    if method.partition(":")[0] != "gmm":
        raise ParameterError(
            "--shapes are those of the covariances of a mixture.",
            got=f"--method {method}",
            need="a mixture of Gaussians",
            fix="--method gmm",
        )


def _label_file(
    path: str | None, save_k: str | None, tried: Sequence[Any] | None, data: str, *, overwrite: bool
) -> LabelFile | None:
    """The file for labels, checked before anything is computed."""
    from partita.errors import ParameterError

    if path is None:
        if save_k is not None:
            raise ParameterError(
                "--save-k needs a file to write to.", got="no --save-labels", need="--save-labels FILE"
            )
        return None
    if save_k is not None and tried is not None and _value(save_k) not in tried:
        raise ParameterError(
            f"there will be no fit of {save_k}.",
            got=f"--save-k {save_k}",
            need=f"one of {', '.join(map(str, tried))}",
        )
    target = LabelFile(path, "save_labels", overwrite)
    target.check(data)
    return target


def _value(text: str) -> Any:
    from partita.cli.methods import value_in

    return value_in(text)


def _saved(target: LabelFile, choice: Any, parameter: str | None, save_k: str | None, sides: Any) -> str:
    """Write the labels of the answer, or of another fit, and return a note that says so."""
    from partita.cli.label_files import label_frame
    from partita.errors import ParameterError

    if parameter is None:
        name, fits = "k", choice.partitions
        answer = choice.clustering
    else:
        name, fits = parameter, {value: c.partition for c in choice.candidates for value in c.names}
        answer = choice.partition
    value = choice.value if save_k is None else _value(save_k)
    found = answer if save_k is None else fits.get(value)
    if found is None:
        lacking = "no clusters were found" if save_k is None else f"there is no fit of {name} = {value}"
        raise ParameterError(
            f"{lacking}, so no labels were written.",
            got=choice.statement,
            need="a clustering",
            fix=f"--save-k N writes that of {name} = N, one of {', '.join(map(str, fits))}",
            parameter="save_labels",
        )
    frame = label_frame(found, sides.objects, keeps_all=True)
    target.write(frame)
    left_out = len(frame) - found.n_objects
    more = f", {left_out} of them left out and without a label" if left_out else ""
    return f"labels of {name} = {value} written to {target.path}: {len(frame)} objects{more}"


@click.command(cls=Command)
@over_k("2 to 10", own="random swap")
@with_options(*parameter_options)
@option("--repeats", type=int, default=20, show_default=True, help="Perturbed data sets for each k.")
@option(
    "--scheme",
    default="subsample:0.3",
    show_default=True,
    metavar="NAME",
    help="subsample:SHARE, bootstrap, noise:SCALE or rerun.",
)
@option(
    "--strategy",
    type=click.Choice(["cross-validation", "transfer"]),
    default="cross-validation",
    show_default=True,
    help="Compare with the clustering of all data, or transfer one clustering to other objects.",
)
@indices_option("External indices. Default: CI,ARI, for soft clusterings others that suit them.")
@option("--no-structure", is_flag=True, help="Leave out the test of structure.")
@option(
    "--by-cluster",
    is_flag=True,
    help="Add the stability of each cluster of the answer, or of all where there is no answer. As CSV, that "
    "table alone, of all.",
)
@on_data()
@with_output("partita.selection:Stability")
def stability(
    repeats: int,
    scheme: str,
    strategy: str,
    indices: str | None,
    no_structure: bool,
    by_cluster: bool,
    output: Output,
    **given: Any,
) -> None:
    """Analyse the stability of clusters in perturbed data.

    DATA is a .csv, .tsv, .txt (also .gz), .npy, .npz, .parquet, .feather or .xlsx file, or - for standard
    input, with one line for each object.

    \b
    Examples:
      partita stability flowers.csv --leave-out species
      partita stability flowers.csv --leave-out species --k 2:20 --scheme noise:0.2 --indices CI,VI
      partita stability customers.csv --scale robust --by-cluster --seed 0
      partita stability flowers.csv --method dbscan --parameter eps --values 1,2 --scheme bootstrap
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita.cli.methods import scheme_named

    sides = data_of(given)
    method, ks, values = method_of(given), numbers_of(given["ks"]), _values(given)
    from partita.selection import stability as run

    swept = {"ks": ks, "parameter": given["parameter"], "values": values}
    result = run(
        sides.first,
        None if given["method"] == "swap" else method,
        **{name: one for name, one in swept.items() if one is not None},
        scheme=scheme_named(scheme),
        strategy=strategy,
        n_repeats=repeats,
        indices=split_indices(indices),
        structure=not no_structure,
        **_ways(given),
    )
    parts = {"": result.by_cluster} if by_cluster else None
    output.show(result, sides.notes, parts=parts, key="by_cluster")


def data_of(given: Mapping[str, Any], *labels: str | None) -> Any:
    """The data as the options of `on_data` say, with no, one, or several columns of labels."""
    from partita.files.sources import check_files

    check_files(given["data"])
    from partita.files.reading import ClusteringFile, read_features, read_judged

    which: dict[str, Any] = {
        "columns": split_columns(given["columns"]),
        "leave_out": split_columns(given["leave_out"]) or [],
        "id_column": given["id_column"],
        "writing": writing_of(given),
        "missing": given["missing"],
        "every_column": given["metric"] == "precomputed",
        "takes_words": given["metric"] == "gower",
    }
    named = [name for name in labels if name is not None]
    if not named:
        sides = read_features(given["data"], **which)
    elif len(labels) == 1:
        sides = read_judged(given["data"], ClusteringFile(given["data"], named), **which)
    else:
        sides = read_judged(given["data"], ClusteringFile(given["data"], several=named), **which)
    if given["metric"] != "gower":
        _refuse_equal_objects(sides.first, given["data"])
    return sides


def _refuse_equal_objects(features: Any, path: str) -> None:
    """Refuse data in which no two objects differ."""
    import numpy as np

    from partita.errors import FileError

    values = np.asarray(features)
    if values.ndim == 2 and len(values) and (values == values[0]).all():
        raise FileError(
            "there is nothing to cluster: no two objects differ.",
            got=f"{path}: {len(values)} object{'s' if len(values) > 1 else ''}",
            need="at least two that differ",
        )


def numbers_of(text: str | None) -> Sequence[int] | None:
    """The numbers of clusters, or None where none are named."""
    from partita.cli.methods import numbers_in

    return None if text is None else numbers_in(text)


def method_of(given: Mapping[str, Any]) -> Any:
    """The method; one without a number of clusters needs another parameter to try."""
    from partita.cli.methods import WITHOUT_K, method_named
    from partita.errors import ParameterError

    name = given["method"].partition(":")[0]
    if name in WITHOUT_K and given.get("parameter") is None and given.get("values") is None:
        has_parameter = "parameter" in given
        other = f"partita choose {given['data']} --method {given['method']} {WITHOUT_K[name]}"
        raise ParameterError(
            f"{name} takes no number of clusters.",
            got=f"--method {given['method']}",
            need="another parameter to try" if has_parameter else "a method that takes one",
            fix=f"--parameter NAME --values VALUE,VALUE, such as {WITHOUT_K[name]}"
            if has_parameter
            else other,
        )
    return method_named(given["method"])


def _values(given: Mapping[str, Any]) -> Sequence[Any] | None:
    """The values of another parameter, where one is swept."""
    from partita.cli.methods import values_in
    from partita.errors import ParameterError

    parameter, values = given["parameter"], given["values"]
    if (parameter is None) != (values is None):
        lacking, there = ("--values", "--parameter") if values is None else ("--parameter", "--values")
        raise ParameterError(
            f"{there} needs {lacking}.", got=f"no {lacking}", need="--parameter NAME --values VALUE,VALUE"
        )
    return None if values is None else values_in(values)


def _ways(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that procedures take as they are."""
    names = {"n_jobs": "jobs", "random_state": "seed", "checkpoint": "checkpoint", "metric": "metric"}
    return {name: given[option] for name, option in names.items()} | {"scale": scale_named(given["scale"])}
