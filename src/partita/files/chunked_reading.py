"""The doors to files larger than memory: what `partita.files.reading` does, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.errors import FileError, MismatchError, ParameterError
from partita.files.chunked_features import features_in_parts, known_features, refuse_filling, told_gaps
from partita.files.chunked_joining import (
    are_same_lines,
    identifiers_to_join_on,
    looked_up,
    merged,
    neither_sorted_nor_small,
    refuse_other_names,
    refuse_repeated,
    sorted_alike,
)
from partita.files.chunked_labels import LabelColumn, known_labels, labels_in_parts, refuse_other_kind
from partita.files.chunked_matrices import (
    clustering_of_array,
    data_of_array,
    memberships_in_parts,
    weights_in_parts,
)
from partita.files.clusterings import clustering_in, columns_of_clustering
from partita.files.identifiers import identifiers_of, lengths_of_files_differ, like_identifiers
from partita.files.joining import Join, Side
from partita.files.numpy_files import told_of_array
from partita.files.saved_arrays import SavedArray
from partita.files.scans import KeptRows, RowMask, Scan, is_large, known_rows, open_scan
from partita.files.tables import open_table, stripped
from partita.files.text import Writing
from partita.progress import bar

if TYPE_CHECKING:
    from partita.files.reading import ClusteringFile, DataFile, Read


def clustering_in_chunks(
    path: str | Path,
    columns: Sequence[str] | None,
    id_column: str | None,
    kind: str | None,
    normalize: bool,
    writing: Writing,
) -> Any:
    """One clustering, part by part."""
    scan = open_scan(path, writing)
    with _bar(path) as report:
        if isinstance(scan, SavedArray):
            return _of_array(scan, kind, normalize, None, report)
        with scan.errors_named():
            chosen = columns_of_clustering(scan, columns, id_column, ())
        return _clustering(scan, chosen, kind, normalize, None, report)


def data_in_chunks(
    path: str | Path,
    columns: Sequence[str] | None,
    leave_out: Sequence[str],
    id_column: str | None,
    writing: Writing,
) -> Any:
    """Data, part by part."""
    scan = open_scan(path, writing)
    with _bar(path) as report:
        if isinstance(scan, SavedArray):
            return data_of_array(scan, report)
        with scan.errors_named():
            return features_in_parts(scan, columns, leave_out, id_column, on_chunk=report)[0]


def weights_in_chunks(path: str | Path, column: str, writing: Writing) -> Any:
    """Weights, part by part."""
    scan = open_scan(path, writing)
    with scan.errors_named():
        scan.check([column])
    with _bar(path) as report:
        return weights_in_parts(scan, column, report)


def _of_array(array: SavedArray, kind: str | None, normalize: bool, noise_label: Any, report: Any) -> Any:
    if array.holds_whole_labels and kind in (None, "hard"):
        return labels_in_parts([LabelColumn(array, "", noise_label)], report)[0]
    return clustering_of_array(array, kind, normalize, noise_label, report)


def _clustering(
    scan: Scan, chosen: Sequence[str], kind: str | None, normalize: bool, noise_label: Any, report: Any
) -> Any:
    if len(chosen) > 1:
        return memberships_in_parts(scan, chosen, kind, normalize, report)
    refuse_other_kind(kind)
    return labels_in_parts([LabelColumn(scan, chosen[0], noise_label)], report)[0]


@contextmanager
def _bar(*paths: str | Path) -> Iterator[Any]:
    names = " and ".join(dict.fromkeys(Path(path).name for path in paths))
    with bar(f"reading {names}") as report:
        yield report


# --- two files --------------------------------------------------------------------------------------------


class _Reading:
    """Files of the same objects: opened once each, joined, and read part by part."""

    def __init__(self, paths: Sequence[str | Path], writing: Writing, missing: str) -> None:
        refuse_filling(missing)
        self.missing, self.writing = missing, writing
        self.notes: list[str] = []
        self.sources: dict[str | Path, Scan] = {
            path: open_scan(path, writing) for path in dict.fromkeys(paths)
        }
        arrays = [source for source in self.sources.values() if isinstance(source, SavedArray)]
        for array in arrays:
            array.cut(min(one.rows for one in arrays))
        self.places: dict[str | Path, Any] = {}
        """For a small file that was joined with a large one: where the objects are in it."""
        self._sides: dict[tuple[Any, ...], Side] = {}
        for source in self.sources.values():
            self.notes += source.notes

    def scan(self, path: str | Path) -> Scan | None:
        """The table in a file; None for an array."""
        source = self.sources[path]
        return None if isinstance(source, SavedArray) else source

    def join(
        self, one: str | Path, other: str | Path, id_column: str | None, by_row: bool, taken: set[str]
    ) -> Join:
        """Bring two files to the same objects in the same order."""
        if by_row and id_column is not None:
            raise ParameterError(
                "files are joined on identifiers or by row, not both.",
                got="an id_column and by_row",
                need="one of them",
                parameter="by_row",
            )
        first, second = self.scan(one), self.scan(other)
        if first is None or second is None or first is second:
            if id_column is not None and (first is None or second is None):
                raise ParameterError("arrays have no column of identifiers.", need="files with named columns")
            if id_column is not None and first is not None:
                with first.errors_named(), _bar(one) as report:
                    first.check([id_column])
                    refuse_repeated(first, id_column, report)
            self._same_lengths(one, other)
            return Join(id_column, by_row=True)
        for scan in (first, second) if id_column is not None else ():
            with scan.errors_named():
                scan.check([str(id_column)])
        name = id_column
        others: list[str] = []
        if id_column is None and not by_row:
            name, others = identifiers_to_join_on(first, second, taken)
        elif by_row:
            others = like_identifiers(first, second, taken)
        if name is None and not by_row:
            with _bar(one, other) as report:
                refuse_other_names(first, second, taken, report)
        if name is None:
            self._same_lengths(one, other)
            return Join(None, tuple(others), by_row=True)
        if self._join_on(name, one, other, first, second, is_asked=id_column is not None):
            return Join(name, (*others, name))
        return Join(None, tuple(others))

    def _join_on(
        self, name: str, one: str | Path, other: str | Path, first: Scan, second: Scan, *, is_asked: bool
    ) -> bool:
        """Join on a column; not where nobody asks for it and it repeats some names in the same lines."""
        with _bar(one, other) as report:
            order = sorted_alike(first, second, name, report)
        if order is not None:
            with _bar(one, other) as report:
                self.sources[one], self.sources[other], notes = merged(first, second, name, order, report)
            self.notes += notes
            return True
        small = [path for path in sorted((one, other), key=self._size) if not is_large(path)]
        if not small:
            raise neither_sorted_nor_small(first, second, name)
        large = other if small[0] == one else one
        table = open_table(small[0], self.writing)
        assert table is not None
        scan = self.scan(large)
        assert scan is not None
        texts = stripped(table.read([], [name])[name])
        if not (is_asked or texts.is_unique):
            with _bar(large) as report:
                if are_same_lines(scan, texts, name, report):
                    return False
        with table.errors_named():
            index = identifiers_of(texts, name)
        with _bar(large) as report:
            self.sources[large], self.places[small[0]], notes = looked_up(scan, index, name, report)
            refuse_repeated(scan, name, report)
        self.notes += notes
        return True

    def _size(self, path: str | Path) -> int:
        return self.sources[path].n_objects

    def _same_lengths(self, one: str | Path, other: str | Path) -> None:
        if self._size(one) != self._size(other):
            raise lengths_of_files_differ(self._size(one), self._size(other))

    def columns(self, file: ClusteringFile, plan: Join) -> list[str]:
        """The columns of a clustering."""
        scan = self.scan(file.path)
        if scan is None:
            return []
        with scan.errors_named():
            return columns_of_clustering(scan, file.columns, plan.name, plan.others)

    def leave_out(self, masks: dict[str | Path, list[RowMask]]) -> None:
        """All files without the objects of which something is missing; they are in the same order."""
        every = [mask for of_file in masks.values() for mask in of_file]
        known = reduce(RowMask.both, every)
        if not known.count():
            raise MismatchError(
                "no object is left.",
                got=f"{known.n} objects, of each of which something is missing",
                need="an object whose values are there",
            )
        if known.count() < known.n:
            self.sources = {
                path: source.keeping(known) if isinstance(source, SavedArray) else KeptRows(source, known)
                for path, source in self.sources.items()
            }
            rows = np.flatnonzero(known.of(0, known.n)) if self.places else None
            self.places = {path: places[rows] for path, places in self.places.items()}
            share = known.count() / known.n
            self.notes.append(f"missing values: {known.count()} of {known.n} objects kept ({share:.1%})")

    def known_features(
        self,
        path: str | Path,
        columns: Sequence[str] | None,
        leave_out: Sequence[str],
        plan: Join,
        masks: dict[str | Path, list[RowMask]],
    ) -> list[str]:
        """Which columns of a table are features; the objects that have all of them join the masks."""
        scan = self.sources[path]
        with _bar(path) as report, scan.errors_named():
            first, notes = features_in_parts(
                scan.whole, columns, leave_out, plan.name, may_have_gaps=True, on_chunk=report
            )
            names = [str(name) for name in first.features]
            known = known_features(scan.whole, names, report)
            told = [told_gaps(scan.whole, names, known, report)] if known.count() < known.n else []
        self.notes += [*notes, *told]
        masks.setdefault(path, []).append(scan.mask_of(known))
        return names

    def features(
        self, path: str | Path, columns: Sequence[str] | None, leave_out: Sequence[str], plan: Join
    ) -> Any:
        """The features of a table; which these are depends on all of its objects, as in memory."""
        scan = self.sources[path]
        is_settled = self.missing == "drop"  # what they are is told then, and gaps are left out
        with _bar(path) as report, scan.errors_named():
            features, notes = features_in_parts(
                scan if is_settled else scan.whole, columns, leave_out, plan.name, kept=scan, on_chunk=report
            )
        self.notes += () if is_settled else notes
        return features

    def clusterings(
        self, files: Sequence[ClusteringFile], chosen: Sequence[Sequence[str]], plan: Join
    ) -> list[Any]:
        """What these files hold; two columns of labels are counted together."""
        made: dict[int, Any] = {}
        labels: dict[int, LabelColumn] = {}
        for i, (file, names) in enumerate(zip(files, chosen, strict=True)):
            source = self.sources[file.path]
            if file.path in self.places:
                made[i] = self.of_small(file, plan).of_lines(self.places[file.path])
            elif isinstance(source, SavedArray):
                _refuse_columns(file)
                if source.holds_whole_labels and file.kind in (None, "hard"):
                    labels[i] = LabelColumn(source, "", file.noise_label)
                    continue
                with _bar(file.path) as report:
                    made[i] = clustering_of_array(source, file.kind, file.normalize, file.noise_label, report)
            elif len(names) > 1:
                kind = self._kind_of_whole_file(source, names, file)
                with _bar(file.path) as report:
                    made[i] = memberships_in_parts(source, names, kind, file.normalize, report)
            else:
                refuse_other_kind(file.kind)
                labels[i] = LabelColumn(source, names[0], file.noise_label, self.missing == "drop")
        if labels:
            with _bar(*(files[i].path for i in labels)) as report:
                made |= dict(zip(labels, labels_in_parts(list(labels.values()), report), strict=True))
        return [made[i] for i, _ in enumerate(files)]

    def of_small(self, file: ClusteringFile, plan: Join) -> Side:
        """What a small file holds, and which of its objects are kept; it is read once."""
        asked = (file.path, *(file.columns or ()))
        if asked not in self._sides:
            table = open_table(file.path, self.writing)
            assert table is not None
            with table.errors_named():
                self._sides[asked] = clustering_in(
                    table,
                    file.columns,
                    plan.name,
                    file.kind,
                    normalize=file.normalize,
                    noise_label=file.noise_label,
                    missing=self.missing,
                    no_memberships=plan.others,
                )
            self.notes += self._sides[asked].notes
        return self._sides[asked]

    def _kind_of_whole_file(self, scan: Scan, names: Sequence[str], file: ClusteringFile) -> str | None:
        """The kind of memberships, which all objects of a file decide, also those that are left out later."""
        if scan.whole is scan:
            return file.kind
        with _bar(file.path) as report:
            whole = scan.whole
            if self.missing == "drop":
                whole = KeptRows(whole, known_features(whole, names, report))
            return str(memberships_in_parts(whole, names, file.kind, file.normalize, report).kind)

    def weights(self, path: str | Path, name: str) -> Any:
        """Weights in a column of a file."""
        scan = self.scan(path)
        if scan is None:
            raise FileError(
                "arrays have no column of weights.", got=str(path), need="a file with named columns"
            )
        if path in self.places:
            from partita.files.reading import read_weights

            return read_weights(path, name, header=self.writing.header).to_numpy()[self.places[path]]
        with scan.errors_named():
            scan.check([name])
        with _bar(path) as report:
            return weights_in_parts(scan, name, report)


def _refuse_columns(file: ClusteringFile) -> None:
    if file.columns is not None:
        raise ParameterError(
            "a .npy file has no named columns.", got=", ".join(file.columns), need="no column for this file"
        )


def read_two_in_chunks(
    truth: ClusteringFile,
    found: ClusteringFile,
    *,
    id_column: str | None,
    by_row: bool,
    writing: Writing,
    missing: str,
    weight: str | None = None,
    data: DataFile | None = None,
) -> Read:
    """What `partita.files.reading.read_two` does, part by part."""
    from partita.files.reading import Read

    reading = _Reading([truth.path, found.path, *([] if data is None else [data.path])], writing, missing)
    taken = {*truth.taken, *found.taken, *([] if weight is None else [weight])}
    plan = reading.join(truth.path, found.path, id_column, by_row, taken)
    if data is not None and data.path not in (truth.path, found.path):
        raise ParameterError(
            "the data are in a third file, and files are read in chunks.",
            got=str(data.path),
            need="features and labels in one file",
            fix="--in-memory if all fit",
        )
    files = [truth, *found.parts.values()]
    chosen = [reading.columns(file, plan) for file in files]
    masks = _known_clusterings(reading, files, chosen, plan) if missing == "drop" else {}
    columns: Sequence[str] | None = None
    if data is not None:
        if reading.scan(data.path) is None or data.path in reading.places:
            raise ParameterError(
                "these data are not read in chunks.", got=str(data.path), need="a large table"
            )
        labels = [c for file in (truth, found) if file.path == data.path for c in file.taken]
        leave_out = [*data.leave_out, *labels]
        columns = data.columns
        if missing == "drop":
            columns = reading.known_features(data.path, columns, leave_out, plan, masks)
    if missing == "drop":
        reading.leave_out(masks)
    clusterings = reading.clusterings(files, chosen, plan)
    weights = None if weight is None else reading.weights(truth.path, weight)
    features = None if data is None else reading.features(data.path, columns, leave_out, plan)
    return Read(
        clusterings[0],
        found.together(clusterings[1:]),
        weights,
        tuple(dict.fromkeys((*reading.notes, *plan.notes))),
        data=features,
    )


def _known_clusterings(
    reading: _Reading, files: Sequence[ClusteringFile], chosen: Sequence[Sequence[str]], plan: Join
) -> dict[str | Path, list[RowMask]]:
    """Of each file, which objects have labels or memberships."""
    masks: dict[str | Path, list[RowMask]] = {}
    for file, names in zip(files, chosen, strict=True):
        scan = reading.sources[file.path]
        if isinstance(scan, SavedArray):
            known = _known_of_array(scan)
            if known.count() < known.n:
                reading.notes.append(
                    f"missing in {file.path}, {told_of_array(scan.values, known.n - known.count())}"
                )
            masks.setdefault(file.path, []).append(known)
        elif file.path in reading.places:
            kept, places = reading.of_small(file, plan).kept, reading.places[file.path]
            known = RowMask(len(places))
            known.put(0, np.ones(len(places), dtype=bool) if kept is None else kept[places])
            masks.setdefault(file.path, []).append(known)
        else:
            with _bar(file.path) as report, scan.errors_named():
                if len(names) == 1:
                    known, told = known_labels(LabelColumn(scan.whole, names[0]), report)
                else:
                    known = known_features(scan.whole, names, report)
                    gaps = known.n - known.count()
                    told = f"memberships: {gaps} of {known.n} objects" if gaps else None
            if told is not None:
                reading.notes.append(f"missing in {file.path}, {told}")
            masks.setdefault(file.path, []).append(scan.mask_of(known))
    return masks


def _known_of_array(array: SavedArray) -> RowMask:
    """Which objects have a value in each column."""
    with _bar(array.path) as report:
        return known_rows(array, partial(_known_in, array), report)


def _known_in(array: SavedArray, place: int) -> Any:
    rows = array.rows_of(place)
    gaps = np.isnan(rows) if rows.dtype.kind == "f" else np.zeros(len(rows), dtype=bool)
    return ~gaps.reshape(len(rows), -1).any(axis=1)


def read_judged_in_chunks(
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
    """What `partita.files.reading.read_judged` does, part by part."""
    from partita.files.reading import Read

    if every_column:
        raise ParameterError(
            "distances between objects are not read in chunks.",
            got="metric='precomputed'",
            need="features",
            parameter="metric",
        )
    reading = _Reading([data, clustering.path], writing, missing)
    plan = reading.join(data, clustering.path, id_column, by_row, {*(columns or ()), *clustering.taken})
    if data in reading.places:
        raise ParameterError(
            "the data are the smaller file here, and the clustering is not read with it in chunks.",
            got=str(data),
            need="both in one file, or both sorted by their identifiers",
            fix="--in-memory if both fit",
        )
    files = list(clustering.parts.values())
    chosen = [reading.columns(file, plan) for file in files]
    labels = [*leave_out, *(clustering.taken if clustering.path == data else ())]
    source = reading.sources[data]
    if missing == "drop":
        masks = _known_clusterings(reading, files, chosen, plan)
        if isinstance(source, SavedArray):
            masks.setdefault(data, []).append(_known_of_array(source))
        else:
            columns = reading.known_features(data, columns, labels, plan, masks)
        reading.leave_out(masks)
        source = reading.sources[data]
    if isinstance(source, SavedArray):
        with _bar(data) as report:
            features = data_of_array(source, report)
    else:
        features = reading.features(data, columns, labels, plan)
    clusterings = reading.clusterings(files, chosen, plan)
    notes = tuple(dict.fromkeys((*reading.notes, *plan.notes)))
    return replace(Read(features, clustering.together(clusterings)), notes=notes)
