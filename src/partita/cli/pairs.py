"""Commands on two clusterings."""

from __future__ import annotations

from typing import Any

import click

from partita.cli.options import (
    form_option,
    read_sides,
    show,
    split_indices,
    two_clusterings,
)


@click.command()
@two_clusterings
@click.option(
    "--indices",
    metavar="NAME[,NAME...]",
    help="Names or symbols, with options after a colon: ARI,VI,rand:pairs=ordered. "
    "Default: every index that applies.",
)
@click.option("--weight", metavar="NAME", help="Column of TRUTH that says how often each object counts.")
@click.option(
    "--bounds/--no-bounds",
    default=True,
    show_default=True,
    help="Lower and upper values of the usual indices for rough, possibilistic and evidential sides.",
)
@form_option
def compare(
    indices: str | None, weight: str | None, noise: str, bounds: bool, form: str, **given: Any
) -> None:
    """Compare two clusterings in files, the reference first.

    TRUTH and FOUND are .csv, .tsv, .txt, .Q (also .gz), .npy, .npz, .parquet, .feather or .xlsx files, or -
    for standard input: one column of labels, or a matrix of memberships with one column for each cluster.
    Files with a common column of identifiers are joined on it.

    \b
    Examples:
      partita compare truth.csv found.csv
      partita compare truth.csv found.csv --id name --indices ARI,VI
      partita compare data.csv --truth-column species --found-column cluster
      partita compare labels.npy memberships.npy --format json
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    sides = read_sides(given, weight)
    from partita import comparison

    result = comparison.compare(
        sides.first,
        sides.second,
        indices=split_indices(indices),
        noise=noise,
        sample_weight=sides.weights,
        bounds=bounds,
    )
    show(result, form, sides.notes)


@click.command()
@two_clusterings
@click.option(
    "--index", default="rand", show_default=True, help="Name or symbol, with options after a colon."
)
@click.option(
    "--method",
    type=click.Choice(["auto", "exact", "bound", "sample", "nested"]),
    default="auto",
    show_default=True,
    help="How to obtain it; the result says what it is.",
)
@click.option(
    "--tnorm",
    type=click.Choice(["minimum", "product", "lukasiewicz"]),
    default="minimum",
    show_default=True,
    help="How typicalities of different objects are joined.",
)
@click.option(
    "--reading",
    type=click.Choice(["cuts", "literal", "independent"]),
    default="cuts",
    show_default=True,
    help="How typicalities are read.",
)
@click.option(
    "--empty",
    type=click.Choice(["normalize", "cluster", "raise"]),
    default="normalize",
    show_default=True,
    help="What mass on the empty set is.",
)
@click.option("--samples", type=int, metavar="N", help="Draws. Default: until the mean is within --epsilon.")
@click.option(
    "--epsilon", type=float, default=0.01, show_default=True, help="How near a sampled mean must be."
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="And how surely.")
@click.option("--budget", type=float, metavar="SECONDS", help="When to stop, with the best bound so far.")
@click.option("--seed", type=int, metavar="N", help="Seed of the draws.")
@click.option("--no-law", is_flag=True, help="Only mean and ends, not every value that can occur.")
@form_option
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
    seed: int | None,
    no_law: bool,
    noise: str,
    form: str,
    **given: Any,
) -> None:
    """Say what an index may be between two soft clusterings.

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
    )
    show(result, form, sides.notes)
