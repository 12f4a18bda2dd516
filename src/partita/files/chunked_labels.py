"""Labels in tables that are read part by part: counted in one look, both sides of a comparison together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array
from partita.arrays.chunked import Chunked, OnChunk, Piece, compute
from partita.errors import PartitionError, TooLargeError
from partita.files.clusterings import label_meanings
from partita.files.missing import labels_are_missing, missing_texts, told_counts
from partita.files.scans import RowMask, Scan, known_rows, sum_of_looks
from partita.files.tables import Cells
from partita.partitions import HardPartition, as_partition
from partita.partitions.chunked import ChunkedHard
from partita.partitions.chunked_reading import WIDEST, counted_labels
from partita.statistics import Contingency
from partita.statistics.tables.one_look import table_of_labels

MOST_LABELS = 1_000_000
"""Different labels above which a column is taken to name objects."""


@dataclass(frozen=True)
class LabelColumn:
    """A column of labels."""

    scan: Scan
    name: str
    noise_label: Any = None
    drops_gaps: bool = False
    """Whether objects without a label are left out."""

    def cells(self, place: int) -> Cells:
        """Those of one part."""
        with self.scan.errors_named():
            return self.scan.part(place).cells(self.name)


@dataclass(frozen=True)
class _Seen:
    """What parts of a column hold: how often each label occurs, and which texts stand for none."""

    column: LabelColumn
    counts: Mapping[Any, int]
    missing: Mapping[str, int]
    first_missing: int | None

    def __add__(self, other: _Seen) -> _Seen:
        first = self.first_missing if self.first_missing is not None else other.first_missing
        counts = Counter(self.counts)
        counts.update(other.counts)
        _refuse_too_many(self.column, len(counts))
        return _Seen(self.column, counts, Counter(self.missing) + Counter(other.missing), first)


class _SeenTogether(NamedTuple):
    """What parts of all columns hold, and the table of two of them where that was counted."""

    columns: tuple[_Seen, ...]
    table: Contingency | None


def labels_in_parts(columns: Sequence[LabelColumn], on_chunk: OnChunk = None) -> list[ChunkedHard]:
    """The clusterings in columns of labels, each part looked at once.

    Two columns whose parts have the same sizes are counted together: their table is then known to the first
    of them, and they need not be read again.
    """
    sizes = columns[0].scan.sizes
    if any(column.scan.sizes != sizes for column in columns):
        return [labels_in_parts([column], on_chunk)[0] for column in columns]
    starts = columns[0].scan.starts()
    pieces = (Piece(partial(_look, columns, *where)) for where in enumerate(starts))
    seen: _SeenTogether = sum_of_looks(pieces, sizes, _added, on_chunk)
    made = [
        _clustering(column, one, _of_whole_file(column, on_chunk) or one)
        for column, one in zip(columns, seen.columns, strict=True)
    ]
    if seen.table is not None:
        made[0].clustering.counted_beside = (made[1].clustering, _renamed(seen.table, made))
    return [one.clustering for one in made]


def _of_whole_file(column: LabelColumn, on_chunk: OnChunk) -> _Seen | None:
    """What a column holds with the objects that are left out: all of them say how labels are spelled."""
    if column.scan.whole is column.scan:
        return None
    whole = replace(column, scan=column.scan.whole)
    pieces = (Piece(partial(_look, [whole], *where)) for where in enumerate(whole.scan.starts()))
    seen: _SeenTogether = sum_of_looks(pieces, whole.scan.sizes, _added, on_chunk)
    return seen.columns[0]


def known_labels(column: LabelColumn, on_chunk: OnChunk = None) -> tuple[RowMask, str | None]:
    """Which objects of a file have a label, and what is told of the others."""
    known = known_rows(column.scan, partial(_known_in, column), on_chunk)
    if known.count() == known.n:
        return known, None
    pieces = (column.scan.piece(_missing_in, column, *where) for where in enumerate(column.scan.starts()))
    looks = compute(list(pieces), on_chunk)
    counts = sum((Counter(missing) for missing, _ in looks), Counter[str]())
    first = column.scan.place(next(first for _, first in looks if first is not None))
    told = told_counts(column.name, counts, known.n, first)
    if not known.count():
        raise labels_are_missing(told, is_all=True)
    return known, f"labels: {told}"


def _missing_in(column: LabelColumn, place: int, start: int) -> tuple[dict[str, int], int | None]:
    return _missing(column.cells(place), start)


def _known_in(column: LabelColumn, place: int) -> Array:
    cells = column.cells(place)
    if cells.texts is None:
        return np.ones(len(cells.values), dtype=bool)
    return ~_gaps(cells.texts)[cells.values]


def _gaps(texts: Sequence[str]) -> Array:
    import pandas as pd

    return missing_texts(pd.Series(texts, dtype=object))


# --- the look ---------------------------------------------------------------------------------------------


def _look(columns: Sequence[LabelColumn], place: int, start: int) -> _SeenTogether:
    cells = [column.cells(place) for column in columns]
    hard = [_hard(one) for one in cells]
    gaps = [_missing(one, start) for one in cells]
    if len(columns) == 2 and not any(missing for missing, _ in gaps):
        truth, found = hard
        table = table_of_labels(truth, found)
        if table is None:
            table = Contingency.from_block(truth.compacted(), found.compacted())
        names = (table.row_names, table.column_names)
        margins = zip(columns, names, (table.row_sums, table.column_sums), strict=True)
        return _SeenTogether(tuple(_Seen(m[0], _counts(*m), {}, None) for m in margins), table)
    seen = []
    for column, one, (missing, first) in zip(columns, hard, gaps, strict=True):
        counts = {label: n for label, n in counted_labels(one) if n and label not in missing}
        _refuse_too_many(column, len(counts))
        seen.append(_Seen(column, counts, missing, first))
    return _SeenTogether(tuple(seen), None)


def _counts(column: LabelColumn, names: Sequence[Any], sums: Array) -> dict[Any, int]:
    filled = np.flatnonzero(sums)
    _refuse_too_many(column, len(filled))
    return {names[i]: int(sums[i]) for i in filled.tolist()}


def _hard(cells: Cells) -> HardPartition:
    if cells.texts is not None:
        return HardPartition.from_codes(cells.values, cells.texts)
    values = cells.values if cells.values.dtype in (np.int64, np.int32) else cells.values.astype(np.int64)
    return HardPartition.not_looked_at(values)


def _missing(cells: Cells, start: int) -> tuple[dict[str, int], int | None]:
    """How often each text that stands for none occurs, and the first object that has one."""
    if cells.texts is None:
        return {}, None
    gaps = _gaps(cells.texts)
    counts = np.bincount(cells.values, minlength=len(gaps))
    if not counts[gaps].any():
        return {}, None
    missing = {cells.texts[i]: int(counts[i]) for i in np.flatnonzero(gaps & (counts > 0)).tolist()}
    return missing, start + int(gaps[cells.values].argmax())


def _added(some: _SeenTogether, others: _SeenTogether) -> _SeenTogether:
    columns = tuple(a + b for a, b in zip(some.columns, others.columns, strict=True))
    are_both = some.table is not None and others.table is not None
    return _SeenTogether(columns, some.table + others.table if are_both else None)  # type: ignore[operator]


def _refuse_too_many(column: LabelColumn, count: int) -> None:
    if count > MOST_LABELS:
        raise TooLargeError(
            "these are too many different labels for clusters.",
            got=f"{column.scan.path}: more than {MOST_LABELS} in column {column.name!r}",
            need=f"at most {MOST_LABELS}",
            fix="name another column, if this one names the objects",
        )


# --- what the labels are ----------------------------------------------------------------------------------


class _Made(NamedTuple):
    """A clustering, and its label for each value that stands in the file."""

    clustering: ChunkedHard
    by_raw: Mapping[Any, Any] | None


def _clustering(column: LabelColumn, seen: _Seen, whole: _Seen) -> _Made:
    """The clustering, by the rules for labels in memory, which heed all texts of a whole file."""
    with column.scan.errors_named():
        if whole.missing and not column.drops_gaps:
            scan = whole.column.scan
            first = scan.place(whole.first_missing or 0)
            told = told_counts(column.name, whole.missing, scan.n_objects, first)
            raise labels_are_missing(told, is_all=not whole.counts)
        labels: dict[Any, Any] = {raw: raw for raw in whole.counts}
        if any(isinstance(raw, str) for raw in whole.counts):
            texts = list(dict.fromkeys(str(raw) for raw in whole.counts))
            meanings = dict(zip(texts, label_meanings(texts, column.name, column.scan.header), strict=True))
            labels = {raw: meanings[str(raw)] for raw in whole.counts}
        labels = {raw: labels[raw if raw in labels else str(raw)] for raw in seen.counts}
        distinct = as_partition(_series(list(labels.values())))
    own = dict(zip(labels.values(), distinct.labels.tolist(), strict=True))
    by_raw = {raw: own[label] for raw, label in labels.items()}
    counts: Counter[Any] = Counter()
    for raw, count in seen.counts.items():
        counts[by_raw[raw]] += count
    made = _in_parts(column, by_raw, counts, distinct)
    made.noise_label = column.noise_label
    return _Made(made, None if all(type(raw) is int for raw in by_raw) else by_raw)


def _series(labels: list[Any]) -> Any:
    import pandas as pd

    return pd.Series(np.array(labels, dtype=object if any(isinstance(x, str) for x in labels) else None))


def _in_parts(
    column: LabelColumn, by_raw: Mapping[Any, Any], counts: Mapping[Any, int], distinct: HardPartition
) -> ChunkedHard:
    """The labels, part by part: whole numbers where they do not lie far apart, else positions in names."""
    sizes = column.scan.sizes
    names = distinct._names
    if names is None and distinct.span > WIDEST * len(counts) + 1024:
        names = tuple(sorted(counts))
    if names is None:
        values = by_raw
        ordered = {label: counts[label] for label in sorted(counts)}
    else:
        place = {name: i for i, name in enumerate(names)}
        values, ordered = {raw: place[label] for raw, label in by_raw.items()}, dict(counts)
    is_plain = names is None and all(type(raw) is int for raw in by_raw)
    read = partial(_labels_of_part, column, None if is_plain else values)
    pieces = (column.scan.piece(read, place) for place, _ in enumerate(sizes))
    return ChunkedHard.of(Chunked(pieces, sizes, (), np.int64), ordered, names)


def _labels_of_part(column: LabelColumn, values: Mapping[Any, int] | None, place: int) -> Array:
    cells = column.cells(place)
    if cells.texts is not None:
        known = values or {}
        table = np.array([_value_of(text, known) for text in cells.texts], dtype=np.int64)
        return table[cells.values]
    if values is None:
        return cells.values.astype(np.int64, copy=False)
    distinct, codes = np.unique(cells.values, return_inverse=True)
    return np.array([values[label] for label in distinct.tolist()], dtype=np.int64)[codes]


def _value_of(text: str, values: Mapping[Any, int]) -> int:
    """The label of a text; one that no object has may be unknown."""
    if text in values:
        return values[text]
    return values.get(int(text), 0) if text.lstrip("-").isdecimal() else 0


def _renamed(table: Contingency, made: Sequence[_Made]) -> Contingency:
    """The table with the labels of the clusterings, in their order, for what stands in the file."""
    from scipy.sparse import csr_array

    raw, names = table.raw, [table.row_names, table.column_names]
    for axis, (clustering, by_raw) in enumerate(made):
        if by_raw is not None:
            labels = [by_raw.get(name) for name in names[axis]]
            there = set(labels)
            ordered = tuple(label for label in clustering.names if label in there)
            row = {label: i for i, label in enumerate(ordered)}
            known = [i for i, label in enumerate(labels) if label in row]
            # two things in the file may be one label: 1 where no value is missing, "1" in other parts
            cells = (np.ones(len(known), dtype=raw.dtype), ([row[labels[i]] for i in known], known))
            added = csr_array(cells, shape=(len(ordered), len(labels)))
            raw, names[axis] = added @ raw if axis == 0 else raw @ added.T, ordered
    return replace(table, raw=raw, row_names=names[0], column_names=names[1])


def refuse_other_kind(kind: str | None) -> None:
    """Labels in parts are hard clusterings."""
    if kind not in (None, "hard"):
        raise PartitionError(
            "labels that are read in chunks are hard clusterings.",
            got=f"kind={kind!r}",
            need="memberships, or no kind",
        )
