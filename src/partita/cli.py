"""The command line: thin commands over the public functions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from partita import __version__

FORMATS = click.Choice(["table", "json", "csv", "markdown"])
LONGEST_LINE = 400
"""Of an error message; a file may have names and lines of any length."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def commands() -> None:
    """Judge clusterings of every kind: say how far two of them agree."""


form_option = click.option(
    "--format", "form", type=FORMATS, default="table", show_default=True, help="How to write the result."
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


def _read_sides(given: dict[str, Any]) -> tuple[object, object]:
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
            columns=_split_columns(common if name is None else name),
            id_column=given["id_column"],
            kind=kind,
            header=given["header"],
            normalize=normalize,
        )
        for path, name, kind in zip((truth, found or truth), names, kinds, strict=True)
    )
    return one, other


@contextmanager
def _advising_identifiers(id_column: str | None) -> Iterator[None]:
    """What to do about objects that do not match, in the words of the command line."""
    from partita.errors import MismatchError

    try:
        yield
    except MismatchError as problem:
        problem.fix = "--id NAME joins the files on a column of identifiers that both have"
        if id_column is not None:
            problem.fix = "leave --id away if both files have the same objects in the same order"
        raise


@commands.command()
@two_clusterings
@click.option(
    "--indices",
    metavar="NAME[,NAME...]",
    help="Names or symbols, with options after a colon: ARI,VI,rand:pairs=ordered. "
    "Default: every index that applies.",
)
@click.option("--weight", metavar="NAME", help="Column of TRUTH that says how often each object counts.")
@form_option
def compare(indices: str | None, weight: str | None, noise: str, form: str, **given: Any) -> None:
    """Compare two clusterings in files, the reference first.

    TRUTH and FOUND are .csv, .tsv, .csv.gz, .tsv.gz, .npy or .npz files: one column of labels, or a matrix
    of memberships with one column for each cluster.

    \b
    Examples:
      partita compare truth.csv found.csv
      partita compare truth.csv found.csv --id name --indices ARI,VI
      partita compare data.csv --truth-column species --found-column cluster
      partita compare labels.npy memberships.npy --format json
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita import comparison
    from partita.files import read_weights

    path = given["truth"]
    sides = _read_sides(given)
    id_column = given["id_column"]
    weights = (
        None if weight is None else read_weights(path, weight, id_column=id_column, header=given["header"])
    )
    with _advising_identifiers(id_column):
        result = comparison.compare(
            *sides, indices=_split_indices(indices), noise=noise, sample_weight=weights
        )
    _show(result, form)


@commands.command()
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
    from partita.distributional import distribution as run

    sides = _read_sides(given)
    with _advising_identifiers(given["id_column"]):
        result = run(
            *sides,
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
    _show(result, form)


@commands.command()
@click.argument("data")
@click.option("--labels", metavar="NAME", help="The column of DATA that holds the labels.")
@click.option(
    "--memberships",
    metavar="FILE",
    help="A file with the clustering: labels, or one column for each cluster. Instead of --labels.",
)
@click.option("--columns", metavar="NAME[,NAME...]", help="The features. Default: all other columns of DATA.")
@click.option("--id", "id_column", metavar="NAME", help="The column that names the objects, in both files.")
@click.option("--kind", metavar="KIND", help="How to read the clustering: hard, fuzzy, possibilistic, ...")
@click.option("--header/--no-header", default=None, help="Whether the first line holds the names of columns.")
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
@click.option(
    "--noise",
    type=click.Choice(["cluster", "singletons", "ignore", "raise"]),
    default="cluster",
    show_default=True,
    help="What objects labelled -1 beside non-negative labels are.",
)
@form_option
def validate(
    data: str,
    labels: str | None,
    memberships: str | None,
    columns: str | None,
    id_column: str | None,
    kind: str | None,
    header: bool | None,
    indices: str | None,
    metric: str,
    noise: str,
    form: str,
) -> None:
    """Judge a clustering by the data it is of.

    DATA is a .csv, .tsv, .csv.gz, .tsv.gz, .npy or .npz file with one line for each object.

    \b
    Examples:
      partita validate flowers.csv --labels cluster
      partita validate flowers.csv --memberships mixture.csv --id flower --indices XB,PC,silhouette
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita.errors import ParameterError
    from partita.files import read_data, read_partition
    from partita.validation import validate as run

    if (labels is None) == (memberships is None):
        raise ParameterError(
            "which clustering is to be judged?",
            got="both --labels and --memberships" if labels else "neither --labels nor --memberships",
            need="--labels NAME, a column of the data, or --memberships FILE",
        )
    found = read_partition(
        data if memberships is None else memberships,
        columns=None if labels is None else [labels],
        id_column=id_column,
        kind=kind,
        header=header,
    )
    X = read_data(
        data,
        columns=_split_columns(columns),
        leave_out=[] if labels is None else [labels],
        id_column=id_column,
        header=header,
    )
    with _advising_identifiers(id_column):
        result = run(X, found, indices=_split_indices(indices), metric=metric, noise=noise)
    _show(result, form)


def _show(result: Any, form: str) -> None:
    """Print a result; as CSV only its rows, with what was dropped told beside them."""
    click.echo(result.write(form))
    if form == "csv":
        skipped = ", ".join(x.index for x in getattr(result, "left_out", ()))
        reading = getattr(result, "reading", "")
        for note in (reading, *result.notes, f"left out: {skipped}" if skipped else ""):
            if note:
                click.echo(note, err=True)


def _split_columns(text: str | None) -> list[str] | None:
    """Names between commas; a name with a comma in it is quoted, as in the file."""
    import csv

    try:
        return None if text is None else next(csv.reader([text], skipinitialspace=True)) or [""]
    except csv.Error:
        return [str(text)]


def _split_indices(text: str | None) -> list[str] | None:
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


@commands.command()
@click.argument("name", required=False)
@form_option
def indices(name: str | None, form: str) -> None:
    """List every index, or show one: partita indices ARI."""
    from partita.entries import card, catalogue

    click.echo((catalogue() if name is None else card(name)).write(form))


@commands.command()
def demo() -> None:
    """Compare a Gaussian mixture with the species of Iris."""
    from sklearn.datasets import load_iris
    from sklearn.mixture import GaussianMixture

    from partita.comparison import compare as run
    from partita.partitions import as_partition

    iris = load_iris()
    species = iris.target_names[iris.target]
    mixture = GaussianMixture(n_components=3, random_state=0).fit(iris.data)
    found = as_partition(mixture, X=iris.data)
    click.echo("Iris: 150 flowers, 3 species; a Gaussian mixture of 3 components, memberships kept soft.")
    click.echo(f"  species: {as_partition(species)}")
    click.echo(f"  mixture: {found}\n")
    click.echo(str(run(species, found)))
    click.echo("\nThe same, hardened (each flower to its most probable component):\n")
    click.echo(str(run(species, found.harden(), indices=["ARI", "AMI", "NMI", "VI", "RI"])))


# --- running ----------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; what is wrong with the input is printed without a traceback, exit code 2."""
    from partita.errors import FileError, PartitaError

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ä is no reason to stop
    try:
        commands.main(arguments, prog_name="partita", standalone_mode=False)
    except PartitaError as problem:
        _stop(problem)
    except OSError as problem:
        _stop(FileError("the result cannot be written.", got=problem.strerror or str(problem)))
    except click.ClickException as problem:
        problem.show()
        sys.exit(2)
    except click.Abort:
        click.echo("stopped", err=True)
        sys.exit(130)


def _stop(problem: Exception) -> None:
    text = _in_options(f"{type(problem).__name__}: {problem}")
    for line in text.split("\n"):
        shown = line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " ..."
        # names from files must not drive the terminal
        click.echo("".join(c if c.isprintable() else repr(c)[1:-1] for c in shown), err=True)
    sys.exit(2)


def _in_options(text: str) -> str:
    """What errors advise in Python, in the words of the command line."""
    import re

    text = re.sub(r'\bkind="(\w+)"', r"--truth-kind or --found-kind \1", text)
    text = re.sub(r'\b(noise|method|tnorm|reading|empty)="', r'--\1 "', text)
    text = text.replace('index="', '--index "').replace("budget_seconds", "--budget")
    return text.replace("normalize=True", "--normalize").replace("n_samples", "--samples")
