"""The doors to the files: clusterings, data and weights, one file or two of the same objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from partita.errors import FileError
from partita.files.clusterings import clustering_in
from partita.files.features import features_in
from partita.files.identifiers import identifiers_of
from partita.files.joining import Join, Side, join, plan_join
from partita.files.numpy_files import loaded_arrays, partition_of_arrays
from partita.files.sources import named
from partita.files.tables import Table, open_table
from partita.files.text import Writing
from partita.partitions import as_partition


@dataclass(frozen=True)
class ClusteringFile:
    """A file, and what in it is the clustering."""

    path: str | Path
    columns: Sequence[str] | None = None
    kind: str | None = None
    normalize: bool = False
    noise_label: str | None = None


@dataclass(frozen=True)
class Read:
    """What was read for a command: contents of the same objects, and what to say about them."""

    first: Any
    second: Any = None
    weights: Any = None
    notes: tuple[str, ...] = ()


def read_partition(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    id_column: str | None = None,
    kind: str | None = None,
    header: bool | None = None,
    normalize: bool = False,
    encoding: str | None = None,
    decimal: str | None = None,
    missing: str = "raise",
) -> Any:
    """Read one clustering from a file.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv``, ``.txt`` or ``.Q`` (also ``.gz``), ``.npy``, ``.npz`` (one array, or "mass" and
        "F"), ``.parquet``, ``.feather``, ``.xlsx``, or ``"-"`` for a text from standard input.
    columns : list of str, optional
        One column of labels, or several of memberships. By default all but the identifiers. In a ``.npz``
        file, the name of the array.
    id_column : str, optional
        The column that names the objects. A first column without a name, as pandas writes it, is one.
    kind : str, optional
        How to read a matrix, for example ``"possibilistic"``.
    header : bool, optional
        Whether the first line holds the names of the columns. By default it does, and a first line that may
        as well be an object is refused; files that end in .Q have none.
    normalize : bool
        Divide each row of memberships by its sum first.
    encoding, decimal : str, optional
        Of a text, where they are not recognised: ``"cp1252"``, ``","``.
    missing : {"raise", "drop", "noise"}
        What to do with objects whose label or memberships are missing; only labels can be noise.
    """
    table = open_table(path, Writing(header, encoding, decimal))
    if table is None:
        with named(path) as file:
            return partition_of_arrays(file, columns, id_column, kind, normalize)
    with table.errors_named():
        return clustering_in(table, columns, id_column, kind, normalize=normalize, missing=missing).content


def read_data(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    leave_out: Sequence[str] = (),
    id_column: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    missing: str = "raise",
) -> Any:
    """Read data, one line for each object, one column for each feature, as a pandas frame or an array.

    Columns that are no features are left out: identifiers, words, labels, constants (the rules are in
    `partita.partitions.roles`). The columns of the frame say which were taken; ``attrs["notes"]`` says why
    others were not.

    Parameters
    ----------
    path : path
        As in `read_partition`; ``.npz`` with one array.
    columns, leave_out : lists of str
        Which columns are features, or are none, whatever the rules say.
    id_column, header, encoding, decimal : str, bool
        As in `read_partition`.
    missing : {"raise", "drop", "median"}
        What to do where a feature is missing: refuse, leave the object out, or take the column's median.
    """
    table = open_table(path, Writing(header, encoding, decimal))
    if table is None:
        return _array(path, columns).content
    with table.errors_named():
        side = features_in(table, columns, leave_out, id_column, missing=missing)
    side.content.attrs["notes"] = side.notes
    return side.content


def read_weights(
    path: str | Path, column: str, *, id_column: str | None = None, header: bool | None = None
) -> Any:
    """Read how often each object counts from a column of a file, as a pandas series."""
    table = open_table(path, Writing(header))
    if table is None:
        raise _weights_need_columns(path)
    with table.errors_named():
        return _weights(table, column, table.row_names if id_column is None else id_column)


def _weights(table: Table, column: str, id_column: str | None) -> Any:
    table.check([] if id_column is None else [id_column])
    table.check([column], [name for name in table.names if name != id_column])
    frame = table.read([column], [] if id_column is None else [id_column])
    weights = frame[column]
    if weights.dtype.kind not in "biuf" or weights.isna().any():
        raise FileError("weights are no numbers.", got=f"column {column!r}", need="a number in each line")
    return weights if id_column is None else weights.set_axis(identifiers_of(frame[id_column], id_column))


def _weights_need_columns(path: str | Path) -> FileError:
    return FileError(
        "arrays have no column of weights.", got=str(path), need="a file with named columns, such as .csv"
    )


def _array(path: str | Path, columns: Sequence[str] | None) -> Side:
    with named(path) as file:
        array = next(iter(loaded_arrays(file, columns).values()))
    return Side(array, len(array) if getattr(array, "ndim", 0) else 0)


# --- two files --------------------------------------------------------------------------------------------


def read_two(
    truth: ClusteringFile,
    found: ClusteringFile,
    *,
    id_column: str | None,
    by_row: bool,
    writing: Writing,
    missing: str,
    weight: str | None = None,
) -> Read:
    """Two clusterings of the same objects, and the weights in a column of the first file."""
    tables = _opened([truth.path, found.path], writing)
    one, other = tables[truth.path], tables[found.path]
    taken = {*(truth.columns or ()), *(found.columns or ()), *([] if weight is None else [weight])}
    plan = plan_join(one, other, id_column=id_column, by_row=by_row, taken=taken)
    first, second = (
        _clustering(request, table, plan, missing) for request, table in ((truth, one), (found, other))
    )
    joined = join(first, second, plan.name, is_one_file=one is other)
    weights = None
    if weight is not None:
        if one is None:
            raise _weights_need_columns(truth.path)
        with one.errors_named():
            weights = _weights(one, weight, None).to_numpy()[joined.lines]
    return Read(joined.one, joined.other, weights, (*joined.notes, *plan.notes))


def read_judged(
    data: str | Path,
    clustering: ClusteringFile,
    *,
    columns: Sequence[str] | None,
    leave_out: Sequence[str],
    id_column: str | None,
    by_row: bool = False,
    writing: Writing,
    missing: str,
    every_column: bool = False,
) -> Read:
    """Data and a clustering of it, in one file or two."""
    tables = _opened([data, clustering.path], writing)
    one, other = tables[data], tables[clustering.path]
    is_one_file = one is other and one is not None
    taken = {*(columns or ()), *(clustering.columns or ())}
    plan = plan_join(one, other, id_column=id_column, by_row=by_row, taken=taken)
    plan = replace(plan, by_row=True) if is_one_file else plan
    labels = [*leave_out, *((clustering.columns or ()) if is_one_file else ())]
    if one is None:
        first = _array(data, columns)
    else:
        with one.errors_named():
            first = features_in(
                one,
                columns,
                labels,
                plan.name,
                missing="raise" if missing == "noise" else missing,
                every_column=every_column,
                needs_identifiers=not plan.by_row,
            )
    second = _clustering(clustering, other, plan, "raise" if missing == "median" else missing)
    joined = join(first, second, plan.name)
    return Read(joined.one, joined.other, None, tuple(dict.fromkeys((*joined.notes, *plan.notes))))


def read_features(
    data: str | Path,
    *,
    columns: Sequence[str] | None,
    leave_out: Sequence[str],
    id_column: str | None,
    writing: Writing,
    missing: str,
) -> Read:
    """Data alone, with what to say about its columns."""
    table = open_table(data, writing)
    if table is None:
        return Read(_array(data, columns).content)
    with table.errors_named():
        side = features_in(table, columns, leave_out, id_column, missing=missing, needs_identifiers=False)
    return Read(side.content, notes=side.notes)


def _opened(paths: Sequence[str | Path], writing: Writing) -> dict[str | Path, Table | None]:
    """The tables in these files, each read once: standard input comes but once."""
    return {path: open_table(path, writing) for path in dict.fromkeys(paths)}


def _clustering(request: ClusteringFile, table: Table | None, plan: Join, missing: str) -> Side:
    if table is None:
        with named(request.path) as file:
            part = partition_of_arrays(file, request.columns, plan.name, request.kind, request.normalize)
            part = as_partition(part, noise_label=request.noise_label)
        return Side(part, part.n_objects)
    with table.errors_named():
        return clustering_in(
            table,
            request.columns,
            plan.name,
            request.kind,
            normalize=request.normalize,
            missing=missing,
            noise_label=request.noise_label,
            by_row=plan.by_row,
            no_memberships=plan.others,
        )
