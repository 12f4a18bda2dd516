"""The doors to the files: clusterings, data and weights, one file or two of the same objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from partita.errors import FileError, ParameterError
from partita.files.clusterings import clustering_in
from partita.files.features import features_in
from partita.files.identifiers import identifiers_of
from partita.files.joining import Join, Pair, Side, join, plan_join
from partita.files.missing import check_policy, settle_array
from partita.files.numpy_files import loaded_arrays, partition_of_arrays
from partita.files.objects import Objects
from partita.files.scans import is_large
from partita.files.sources import named
from partita.files.tables import Table, open_table
from partita.files.text import Writing
from partita.partitions import as_partition
from partita.partitions.data import FILLS


@dataclass(frozen=True)
class ClusteringFile:
    """A file, and what in it is the clustering: one, or with ``several`` a column of labels for each."""

    path: str | Path
    columns: Sequence[str] | None = None
    kind: str | None = None
    normalize: bool = False
    noise_label: str | None = None
    several: Sequence[str] | None = None

    @property
    def parts(self) -> dict[str, ClusteringFile]:
        """Each clustering by its name; one alone has none."""
        if self.several is None:
            return {"": self}
        _refuse_twice(self.several)
        return {name: replace(self, columns=[name], several=None) for name in self.several}

    @property
    def taken(self) -> list[str]:
        """The columns that it names."""
        return [*(self.columns or ()), *(self.several or ())]

    def together(self, clusterings: Sequence[Any]) -> Any:
        """What was read: the clustering, or several by name."""
        return clusterings[0] if self.several is None else dict(zip(self.several, clusterings, strict=True))


def _refuse_twice(names: Sequence[str]) -> None:
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise ParameterError(
            "a clustering is named twice.", got=repr(twice), need="each column once", parameter="clusterings"
        )


@dataclass(frozen=True)
class DataFile:
    """A file, and which of its columns are features."""

    path: str | Path
    columns: Sequence[str] | None = None
    leave_out: Sequence[str] = ()
    every_column: bool = False
    takes_words: bool = False


@dataclass(frozen=True)
class Read:
    """What was read for a command: contents of the same objects, and what to say about them.

    ``second`` is a dictionary where several clusterings were named; ``objects`` names the objects as the
    first file does.
    """

    first: Any
    second: Any = None
    weights: Any = None
    notes: tuple[str, ...] = ()
    data: Any = None
    objects: Objects | None = None


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
    in_chunks: bool = False,
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
    in_chunks : bool
        For ``.parquet`` (a folder of them too), ``.npy`` and texts: do not keep the values, but read them
        part by part when they are needed. What looks at all objects at once is then refused or left out.
    """
    if in_chunks:
        from partita.files.chunked_reading import clustering_in_chunks

        _refuse_gaps_in_chunks(missing)
        return clustering_in_chunks(
            path, columns, id_column, kind, normalize, Writing(header, encoding, decimal)
        )
    table = open_table(path, Writing(header, encoding, decimal))
    if table is None:
        with named(path) as file:
            check_policy(missing, ("raise", "drop", "noise"))
            return partition_of_arrays(file, columns, id_column, kind, normalize, missing)[0]
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
    in_chunks: bool = False,
) -> Any:
    """Read data, one line for each object, one column for each feature, as a pandas frame or an array.

    Columns that are no features are left out: identifiers, words, dates, labels, constants (the rules are in
    `partita.partitions.roles`). Amounts with signs and marks of thousands are numbers where all cells agree.
    The columns of the frame say which were taken; ``attrs["notes"]`` says why others were not.

    Parameters
    ----------
    path : path
        As in `read_partition`; ``.npz`` with one array.
    columns, leave_out : lists of str
        Which columns are features, or are none, whatever the rules say.
    id_column, header, encoding, decimal : str, bool
        As in `read_partition`.
    missing : {"raise", "drop", "median", "mean"}
        What to do where a feature is missing: refuse, leave the object out, or take the column's median or
        mean.
    in_chunks : bool
        As in `read_partition`.
    """
    if in_chunks:
        from partita.files.chunked_reading import data_in_chunks

        _refuse_gaps_in_chunks(missing)
        return data_in_chunks(path, columns, leave_out, id_column, Writing(header, encoding, decimal))
    table = open_table(path, Writing(header, encoding, decimal))
    if table is None:
        return _array(path, columns).content
    with table.errors_named():
        side = features_in(table, columns, leave_out, id_column, missing=missing)
    side.content.attrs["notes"] = side.notes
    return side.content


def read_weights(
    path: str | Path,
    column: str,
    *,
    id_column: str | None = None,
    header: bool | None = None,
    in_chunks: bool = False,
) -> Any:
    """Read how often each object counts from a column of a file, as a pandas series; or part by part."""
    if in_chunks:
        from partita.files.chunked_reading import weights_in_chunks

        return weights_in_chunks(path, column, Writing(header))
    table = open_table(path, Writing(header))
    if table is None:
        raise _weights_need_columns(path)
    with table.errors_named():
        return _weights(table, column, table.row_names if id_column is None else id_column)


def _refuse_gaps_in_chunks(missing: str) -> None:
    if missing != "raise":
        raise ParameterError(
            "one file in chunks is read without gaps.",
            got=f"missing={missing!r}",
            need='"raise"',
            fix="the command line, partita compare --missing drop, leaves objects out on both sides",
            parameter="missing",
        )


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


def _array(path: str | Path, columns: Sequence[str] | None, missing: str = "raise") -> Side:
    with named(path) as file:
        array = next(iter(loaded_arrays(file, columns).values()))
    used, kept, notes = settle_array(array, missing)
    return Side(used, len(array) if getattr(array, "ndim", 0) else 0, kept, notes=notes)


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
    data: DataFile | None = None,
    in_chunks: bool | None = False,
) -> Read:
    """Two clusterings of the same objects (or several found ones), the weights in a column of the first file.

    With ``data``, the features of these objects too. Where ``in_chunks`` is None, large files are read part
    by part.
    """
    if _is_for_chunks(in_chunks, truth.path, found.path, None if data is None else data.path):
        from partita.files.chunked_reading import read_two_in_chunks

        return read_two_in_chunks(
            truth,
            found,
            id_column=id_column,
            by_row=by_row,
            writing=writing,
            missing=missing,
            weight=weight,
            data=data,
        )
    tables = _opened([truth.path, found.path, *([] if data is None else [data.path])], writing)
    one, other = tables[truth.path], tables[found.path]
    taken = {*truth.taken, *found.taken, *([] if weight is None else [weight])}
    ways: dict[str, Any] = {"id_column": id_column, "by_row": by_row}
    plan = plan_join(one, other, **ways, taken=taken)
    first = _clustering(truth, one, plan, missing)
    pairs = [
        Pair(first, _clustering(part, other, plan, missing), plan.name, one is other)
        for part in found.parts.values()
    ]
    notes = plan.notes
    if data is not None:
        labels = [c for file in (truth, found) if file.path == data.path for c in file.taken]
        third = tables[data.path]
        to_data = plan_join(one, third, **ways, taken={*taken, *(data.columns or ())})
        to_data = replace(to_data, by_row=True) if third is one else to_data
        features = _features(replace(data, leave_out=[*data.leave_out, *labels]), third, to_data, missing)
        again = first if to_data == plan else _clustering(truth, one, to_data, missing)
        pairs.append(Pair(again, features, to_data.name, third is one))
        notes += to_data.notes
    joined = join(*pairs)
    weights = None
    if weight is not None:
        if one is None:
            raise _weights_need_columns(truth.path)
        with one.errors_named():
            weights = _weights(one, weight, None).to_numpy()[joined.lines]
    return Read(
        joined.one,
        found.together(joined.others[: len(found.parts)]),
        weights,
        tuple(dict.fromkeys((*joined.notes, *notes))),
        data=None if data is None else joined.others[-1],
        objects=Objects(first.n_objects, joined.lines, one, plan.name, taken),
    )


def read_label_columns(
    path: str | Path,
    *,
    id_column: str | None,
    noise_label: str | None,
    writing: Writing,
    missing: str,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Every column of a file as a clustering, by name, and what is said of the file.

    A column whose values all differ names the objects: as a clustering it would say nothing.
    """
    table = open_table(path, writing)
    if table is None:
        raise FileError("this file has no named columns.", got=str(path), need="a table with a header")
    with table.errors_named():
        texts = table.read([], texts=table.names)
        alone = [name for name in table.names if name != id_column and texts[name].is_unique]
        names = [name for name in table.names if name != id_column and name not in alone]
        if len(names) < 2:
            got = ", ".join(names) or "no column whose values repeat"
            raise ParameterError("there are no two clusterings.", got=got, need="two columns of labels")
    first, *others = names
    one = ClusteringFile(path, [first], noise_label=noise_label)
    found = read_two(
        one,
        replace(one, columns=None, several=others),
        id_column=id_column,
        by_row=True,
        writing=writing,
        missing=missing,
    )
    said = (f"left out: {', '.join(alone)} (every value is another, so it names objects)",) * bool(alone)
    return {first: found.first, **found.second}, (*found.notes, *said)


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
    takes_words: bool = False,
    in_chunks: bool | None = False,
) -> Read:
    """Data and a clustering of it (or several), in one file or two."""
    if _is_for_chunks(in_chunks, data, clustering.path):
        from partita.files.chunked_reading import read_judged_in_chunks

        return read_judged_in_chunks(
            data,
            clustering,
            columns=columns,
            leave_out=leave_out,
            id_column=id_column,
            by_row=by_row,
            writing=writing,
            missing=missing,
            every_column=every_column,
        )
    tables = _opened([data, clustering.path], writing)
    one, other = tables[data], tables[clustering.path]
    is_one_file = one is other and one is not None
    taken = {*(columns or ()), *clustering.taken}
    plan = plan_join(one, other, id_column=id_column, by_row=by_row, taken=taken)
    plan = replace(plan, by_row=True) if is_one_file else plan
    labels = [*leave_out, *(clustering.taken if is_one_file else ())]
    features = DataFile(data, columns, labels, every_column, takes_words)
    first = _features(features, one, plan, missing)
    policy = "raise" if missing in FILLS else missing
    joined = join(
        *(
            Pair(first, _clustering(part, other, plan, policy), plan.name)
            for part in clustering.parts.values()
        )
    )
    return Read(
        joined.one,
        clustering.together(joined.others),
        None,
        tuple(dict.fromkeys((*joined.notes, *plan.notes))),
        objects=_objects(joined.one, first.n_objects, joined.lines, one, plan.name, taken),
    )


def read_features(
    data: str | Path,
    *,
    columns: Sequence[str] | None,
    leave_out: Sequence[str],
    id_column: str | None,
    writing: Writing,
    missing: str,
    every_column: bool = False,
    takes_words: bool = False,
) -> Read:
    """Data alone, with what to say about its columns; with ``every_column`` no rule leaves one out.

    With ``takes_words`` words that repeat are features.
    """
    table = open_table(data, writing)
    if table is None:
        side = _array(data, columns, missing)
    else:
        with table.errors_named():
            side = features_in(
                table,
                columns,
                leave_out,
                id_column,
                missing=missing,
                every_column=every_column,
                takes_words=takes_words,
                needs_identifiers=False,
            )
    lines = np.arange(side.n_objects) if side.kept is None else np.flatnonzero(side.kept)
    objects = _objects(side.content, side.n_objects, lines, table, id_column, leave_out)
    return Read(side.profiled(side.content), notes=side.notes, objects=objects)


def _objects(
    features: Any, n_lines: int, lines: Any, table: Table | None, id_column: str | None, taken: Any
) -> Objects:
    return Objects(n_lines, lines, table, id_column, {*taken, *getattr(features, "columns", ())})


def _features(data: DataFile, table: Table | None, plan: Join, missing: str) -> Side:
    policy = "raise" if missing == "noise" else missing
    if table is None:
        return _array(data.path, data.columns, "raise" if data.every_column else policy)
    with table.errors_named():
        return features_in(
            table,
            data.columns,
            data.leave_out,
            plan.name,
            missing=policy,
            every_column=data.every_column,
            takes_words=data.takes_words,
            needs_identifiers=not plan.by_row,
        )


def _is_for_chunks(in_chunks: bool | None, *paths: str | Path | None) -> bool:
    """Whether files are read part by part: where that is asked for, or one of them is large."""
    if in_chunks is not None:
        return in_chunks
    return any(is_large(path) for path in dict.fromkeys(paths) if path is not None)


def _opened(paths: Sequence[str | Path], writing: Writing) -> dict[str | Path, Table | None]:
    """The tables in these files, each read once: standard input comes but once."""
    return {path: open_table(path, writing) for path in dict.fromkeys(paths)}


def _clustering(request: ClusteringFile, table: Table | None, plan: Join, missing: str) -> Side:
    if table is None:
        with named(request.path) as file:
            part, kept, told = partition_of_arrays(
                file, request.columns, plan.name, request.kind, request.normalize, missing
            )
            part = as_partition(part, noise_label=request.noise_label)
        notes = (f"missing in {request.path}, {told}",) if told else ()
        return Side(part, part.n_objects if kept is None else len(kept), kept, notes=notes)
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
