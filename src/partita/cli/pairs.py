"""Commands on two clusterings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from partita.cli.completion import columns_of_data, index_names
from partita.cli.label_files import LabelFile
from partita.cli.options import (
    all_option,
    chunks_option,
    every_row,
    indices_option,
    option,
    refuse_all_of_some,
    seed_option,
    split_columns,
    split_indices,
    threads_option,
    writing_of,
)
from partita.cli.output import Output, with_output
from partita.cli.sides import names_of_sides, read_sides, two_clusterings
from partita.cli.spellings import Command

weight_option = option(
    "--weight",
    metavar="NAME",
    shell_complete=columns_of_data,
    help="Column of TRUTH that says how often each object counts.",
)


@click.command(cls=Command)
@two_clusterings
@option(
    "--clusterings",
    metavar="NAME,NAME[,...]",
    help="Several found clusterings, side by side: each of these columns of FOUND holds the labels of one.",
)
@option(
    "--data",
    "data_file",
    metavar="FILE",
    help="The data, so that indices of centres (CI, CSI) join; may be one of the other files.",
)
@option(
    "--columns",
    metavar="NAME[,NAME...]",
    help="With --data: the features. Default: all columns of numbers but identifiers, labels and constants.",
)
@option("--leave-out", metavar="NAME[,NAME...]", help="With --data: columns that are no features.")
@option(
    "--centers",
    is_flag=True,
    help="TRUTH and FOUND hold centres of clusters, a line each: CI and CR, and with --data, whose objects "
    "follow the nearest centre, CSI.",
)
@chunks_option
@indices_option(
    "Names or symbols, with options after a colon: ARI,VI,rand:pairs=ordered; or a family "
    "(information, pairs, ...), a paper's key (lei2014), headline or all. Default: every index that applies, "
    "of which the headline is shown.",
)
@all_option
@weight_option
@option(
    "--bounds/--no-bounds",
    default=True,
    show_default=True,
    help="Lower and upper values of the usual indices for rough, possibilistic and evidential sides.",
)
@option(
    "--null",
    metavar="NAME",
    help="What chance is: permutation, fixed number, all partitions or dirichlet. Adds the expected and the "
    "adjusted value and p.",
)
@option(
    "--bootstrap", type=int, metavar="N", help="Number of bootstrap resamples, for sampling intervals: 1000."
)
@option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals, and of 1 - p.")
@option("--shuffles", "n_shuffles", type=int, default=999, show_default=True, help="Draws for p.")
@option(
    "--sample",
    type=click.Choice(["objects", "clusters", "clusters_of_objects"]),
    help="TRUTH is known for a sample of FOUND: how that was drawn. Adds estimates for all objects.",
)
@option("--balanced", is_flag=True, help="Let every true cluster count the same, whatever its size.")
@seed_option(0)
@threads_option
@option(
    "--by",
    type=click.Choice(["cluster", "object"]),
    help="Where they differ: what became of each cluster, or of each object. As CSV, that table alone.",
)
@with_output(
    "partita.comparison:Comparison",
    "partita.results.side_by_side:SideBySide",
    "partita.pairwise_agreement:PairwiseAgreement",
)
def compare(
    indices: str | None,
    all_rows: bool,
    weight: str | None,
    noise: str,
    bounds: bool,
    by: str | None,
    output: Output,
    **given: Any,
) -> None:
    """Compare two clusterings in files, the reference first.

    TRUTH and FOUND are .csv, .tsv, .txt, .Q (also .gz), .npy, .npz, .parquet, .feather or .xlsx files, or -
    for standard input: one column of labels, or a matrix of memberships with one column for each cluster.
    A folder of .parquet files is one table. Files with a common column of identifiers are joined on it; they
    may be larger than memory.

    \b
    Examples:
      partita compare truth.csv found.csv
      partita compare truth.csv found.csv --id name --indices ARI,VI
      partita compare data.csv --truth species --labels cluster
      partita compare data.csv --truth species --clusterings kmeans,ward --data data.csv
      partita compare truth.csv found.csv --all
      partita compare truth.csv found.csv --null permutation --bootstrap 1000
      partita compare true_centres.csv centres.csv --centers
      partita compare truth.csv found.csv --by cluster --plot table.svg
      partita compare labels.csv --all    (a file of label columns: all pairs of them)
      partita compare truth.csv found.csv --indices information,lei2014
      partita compare labels.npy memberships.npy --format json
      partita compare big_truth.parquet big_found.parquet --id customer
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    if given["centers"]:
        _compare_centers(given, indices, output)
        return
    if _is_of_all_pairs(given, all_rows):
        _compare_all_pairs(given, indices, noise, output)
        return
    refuse_all_of_some(all_rows, indices)
    if given["balanced"] and weight is not None:
        from partita.errors import ParameterError

        raise ParameterError("weights are given twice.", got="--balanced and --weight", need="one of them")
    sides = read_sides(given, weight)
    from partita import comparison

    result = comparison.compare(
        sides.first,
        sides.second,
        names=names_of_sides(given),
        X=sides.data,
        indices=split_indices(indices),
        noise=noise,
        sample_weight="balanced" if given["balanced"] else sides.weights,
        bounds=bounds,
        sample=given["sample"],
        null=given["null"],
        bootstrap=given["bootstrap"],
        confidence=given["confidence"],
        n_shuffles=given["n_shuffles"],
        random_state=given["seed"],
    )
    parts = None if by is None else _differences(result, by)
    shown = every_row(result, all_rows)
    output.show(shown, sides.notes, parts=parts, key=f"by_{by}", drawn=result)


def _compare_centers(given: Mapping[str, Any], indices: str | None, output: Output) -> None:
    """Two sets of centres, and the data whose objects follow them if there are any."""
    from partita.comparison import compare as run
    from partita.errors import ParameterError
    from partita.files.reading import read_features
    from partita.files.sources import check_files

    truth, found, data = given["truth"], given["found"], given["data_file"]
    if found is None:
        raise ParameterError("two sets of centres are compared.", got=truth, need="a second file")
    check_files(truth, found, data)
    ways: dict[str, Any] = {
        "leave_out": split_columns(given["leave_out"]) or [],
        "writing": writing_of(given),
        "missing": given["missing"] if given["missing"] != "noise" else "raise",
    }
    columns = split_columns(given["columns"])
    sides = [
        read_features(path, columns=columns, id_column=given["id_column"], every_column=True, **ways)
        for path in (truth, found)
    ]
    names = columns or list(getattr(sides[0].first, "columns", ())) or None
    objects = None if data is None else read_features(data, columns=names, id_column=None, **ways)
    result = run(
        *(side.first for side in sides),
        X=None if objects is None else objects.first,
        indices=split_indices(indices),
        centers=True,
    )
    output.show(result, () if objects is None else objects.notes)


def _differences(result: Any, by: str) -> dict[str, Any]:
    """Where each of the clusterings found differs from the truth."""
    from partita.results.side_by_side import SideBySide

    several: Mapping[Any, Any] = result.results if isinstance(result, SideBySide) else {"": result}
    names = result.labels if isinstance(result, SideBySide) else {"": ""}
    return {names[name]: one.differences(by) for name, one in several.items()}


def _is_of_all_pairs(given: Mapping[str, Any], all_rows: bool) -> bool:
    """Whether one file is given and no column of it: then --all means all pairs of its columns."""
    named = ("found", "truth_column", "found_column", "column", "clusterings", "data_file")
    return all_rows and all(given[name] is None for name in named)


def _compare_all_pairs(given: Mapping[str, Any], indices: str | None, noise: str, output: Output) -> None:
    """Every label column of a file against every other."""
    from partita.files.reading import read_label_columns
    from partita.files.sources import check_files
    from partita.model_comparison import compare_models

    check_files(given["truth"])
    columns, notes = read_label_columns(
        given["truth"],
        id_column=given["id_column"],
        noise_label=given["noise_label"],
        writing=writing_of(given),
        missing=given["missing"],
    )
    result = compare_models(
        None,
        columns,
        indices=split_indices(indices),
        bootstrap=given["bootstrap"] or 1000,
        confidence=given["confidence"],
        random_state=given["seed"],
        noise=noise,
    )
    output.show(result, notes)


@click.command(cls=Command)
@two_clusterings
@weight_option
@option(
    "--similarity",
    type=click.Choice(["overlap", "jaccard", "dice", "braun_banquet"]),
    default="overlap",
    show_default=True,
    help="What makes two clusters alike; overlap favours large ones, braun_banquet lets small ones count as "
    "much.",
)
@option(
    "--matching",
    type=click.Choice(["optimal", "greedy"]),
    default="optimal",
    show_default=True,
    help="The pairs with the largest total similarity, or the most similar first.",
)
@option(
    "--min-overlap",
    type=float,
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="The share of the larger of two clusters that both must have in common to be partners.",
)
@option(
    "--moved",
    is_flag=True,
    help="List the objects that are not in the partner of their true cluster, too. As CSV, that table alone.",
)
@option(
    "--save-labels",
    old=["--save"],
    metavar="FILE",
    help="Write FOUND with the names of the true clusters to a .csv file: identifiers or row numbers, "
    "labels, and memberships where it has some.",
)
@threads_option
@with_output("partita.alignment:Alignment")
def align(
    weight: str | None,
    noise: str,
    similarity: str,
    matching: str,
    min_overlap: float,
    moved: bool,
    save_labels: str | None,
    output: Output,
    **given: Any,
) -> None:
    """Match the found clusters with the true ones.

    TRUTH and FOUND are files as in partita compare, with hard, fuzzy or possibilistic clusterings.

    \b
    Examples:
      partita align truth.csv found.csv
      partita align data.csv --truth species --labels cluster --moved
      partita align truth.csv found.csv --id name --save-labels relabelled.csv --force
      partita align truth.csv found.csv --similarity braun_banquet --min-overlap 0.5 --format json
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    target = None if save_labels is None else LabelFile(save_labels, "save_labels", output.force)
    if target is not None:
        target.check(given["truth"], given["found"])
    sides = read_sides(given, weight)
    import pandas as pd

    from partita.alignment import align as run

    for side in (sides.first, sides.second):
        side.index = pd.RangeIndex(side.n_objects)  # so that it is known who moved, where noise is left out
    result = run(
        sides.first,
        sides.second,
        similarity=similarity,
        matching=matching,
        noise=noise,
        sample_weight=sides.weights,
        min_overlap=min_overlap,
        names=names_of_sides(given),
    )
    from partita.cli.moved_objects import moved_objects, told_moved

    parts = {"": moved_objects(result, sides.objects)} if moved else None
    output.show(result, (*sides.notes, *told_moved(result, are_listed=moved)), parts=parts, key="moved")
    if target is not None:
        from partita.cli.label_files import label_frame

        frame = label_frame(result.relabel(sides.second), sides.objects, keeps_all=False)
        target.write(frame)
        output.say(f"relabelled clustering written to {target.path}: {len(frame)} objects")


@click.command(cls=Command)
@two_clusterings
@option(
    "--index",
    default="rand",
    show_default=True,
    shell_complete=index_names,
    help="Name or symbol, with options after a colon.",
)
@option(
    "--method",
    type=click.Choice(["auto", "exact", "bound", "sample", "nested"]),
    default="auto",
    show_default=True,
    help="How to obtain it; the result says what it is.",
)
@option(
    "--tnorm",
    type=click.Choice(["minimum", "product", "lukasiewicz"]),
    default="minimum",
    show_default=True,
    help="How typicalities of different objects are joined.",
)
@option(
    "--reading",
    type=click.Choice(["cuts", "literal", "independent"]),
    default="cuts",
    show_default=True,
    help="How typicalities are read.",
)
@option(
    "--empty",
    type=click.Choice(["normalize", "cluster", "raise"]),
    default="normalize",
    show_default=True,
    help="What mass on the empty set is.",
)
@option("--samples", type=int, metavar="N", help="Draws. Default: until the mean is within --epsilon.")
@option("--epsilon", type=float, default=0.01, show_default=True, help="How near a sampled mean must be.")
@option("--confidence", type=float, default=0.95, show_default=True, help="And how surely.")
@option("--budget", type=float, metavar="SECONDS", help="When to stop, with the best bound so far.")
@option(
    "--hurwicz", type=float, metavar="SHARE", help="One number between both ends: the share of the upper."
)
@seed_option()
@threads_option
@option("--no-law", is_flag=True, help="Only mean and ends, not every value that can occur.")
@with_output("partita.distributional.outcomes:Distribution")
def distribution(
    index: str,
    method: str,
    tnorm: str,
    reading: str,
    empty: str,
    samples: int | None,
    epsilon: float,
    confidence: float,
    budget: float | None,
    hurwicz: float | None,
    seed: int | None,
    no_law: bool,
    noise: str,
    output: Output,
    **given: Any,
) -> None:
    """Show the values of an index between soft clusterings.

    Over the hard clusterings that they stand for: a law for fuzzy ones, an interval for rough ones, a lower
    and an upper expectation for possibilistic and evidential ones; exact, bounded or sampled, and it says
    which.

    \b
    Examples:
      partita distribution species.csv memberships.csv --index rand
      partita distribution truth.csv rough.csv --found-kind rough --index VI
      partita distribution truth.csv typicalities.csv --found-kind possibilistic --format json
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    sides = read_sides(given)
    from partita.distributional import distribution as run

    result = run(
        sides.first,
        sides.second,
        index,
        method=method,
        law=not no_law,
        tnorm=tnorm,
        reading=reading,
        noise=noise,
        empty=empty,
        n_samples="auto" if samples is None else samples,
        epsilon=epsilon,
        confidence=confidence,
        budget_seconds=budget,
        random_state=seed,
        names=names_of_sides(given),
        hurwicz=hurwicz,
    )
    output.show(result, sides.notes)
