"""Features that are read part by part: which columns they are, by the rules of those in memory.

Columns of words are known by the first rows. The role of a column of numbers depends on all of its values:
their ends, whether they are whole, and how many are different. All but the last are found in one look; for
that, it is enough to know whether there are few different ones, or whether they rise.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.arrays.chunked import Chunked, OnChunk, compute
from partita.arrays.matrices import ends_of_sizes, exponent_between
from partita.errors import FileError, ParameterError, Phrase, Setting
from partita.files.chunked_matrices import numbers_of_part
from partita.files.features import columns_wanted, features_note, no_features, refuse_unsure
from partita.files.missing import counts_of_gaps, told_counts
from partita.files.scans import FirstRows, RowMask, Scan, known_rows, sum_of_looks
from partita.files.words import (
    amounts_of,
    refuse_words_among_numbers,
    text_counts,
    told_ways,
    way_of,
    word_columns,
)
from partita.partitions.amounts import Amounts, Way
from partita.partitions.chunked import ChunkedData
from partita.partitions.roles import (
    MOST_GROUPS,
    Facts,
    Role,
    are_whole,
    identifier_rank,
    is_label_name,
    note_on_identifiers,
    role_by_facts,
    role_of_words,
)

SAMPLE_ROWS = 10_000
"""First rows by which it is told which columns hold words."""


@dataclass(frozen=True)
class _Seen:
    """What parts of a column of numbers hold."""

    n: int
    gaps: int = 0
    infinite: int = 0
    first_gap: int | None = None
    low: Any = np.inf
    high: Any = -np.inf
    first: Any = None
    last: Any = None
    is_whole: bool = True
    rises: bool = True
    has_repeats: bool = False
    few: frozenset[Any] | None = frozenset()
    """The different values, unless they are more than groups may be."""
    sizes: tuple[float, float] = (np.inf, 0.0)
    """The smallest that is not 0, and the largest, without their signs."""

    def __add__(self, other: _Seen) -> _Seen:
        few = None if self.few is None or other.few is None else self.few | other.few
        is_next = self.last is None or other.first is None or bool(other.first > self.last)
        return _Seen(
            self.n + other.n,
            self.gaps + other.gaps,
            self.infinite + other.infinite,
            self.first_gap if self.first_gap is not None else other.first_gap,
            min(self.low, other.low),
            max(self.high, other.high),
            self.first if self.first is not None else other.first,
            other.last if other.last is not None else self.last,
            self.is_whole and other.is_whole,
            self.rises and other.rises and is_next,
            self.has_repeats or other.has_repeats,
            None if few is None or len(few) > MOST_GROUPS else few,
            (min(self.sizes[0], other.sizes[0]), max(self.sizes[1], other.sizes[1])),
        )

    @property
    def facts(self) -> Facts:
        """What the role of the column depends on."""
        return Facts(self.n, self.n - self.gaps, self.low, self.high, self.is_whole, self._distinct)

    def _distinct(self) -> int | None:
        if self.rises and not self.gaps:
            return self.n
        if self.few is not None:
            return len(self.few)
        return MOST_GROUPS + 1 if self.has_repeats else None


def features_in_parts(
    scan: Scan,
    columns: Sequence[str] | None,
    leave_out: Collection[str],
    id_column: str | None,
    *,
    kept: Scan | None = None,
    may_have_gaps: bool = False,
    on_chunk: OnChunk = None,
) -> tuple[ChunkedData, tuple[str, ...]]:
    """The features of the objects in a table, or of those that are kept, and what to say of its columns."""
    wanted = columns_wanted(scan, columns, leave_out, id_column)
    head = scan.read(wanted, rows=SAMPLE_ROWS)
    amounts = dict(scan.whole.amounts)
    words = [name for name in wanted if name in word_columns(head) and name not in amounts]
    amounts |= _amounts(scan, head, words, on_chunk)
    words = [name for name in words if name not in amounts]
    roles: dict[str, Role] = {name: role_of_words(name, text_counts(head[name])) for name in words}
    if words and (columns is not None or any(role.is_unsure for role in roles.values())):
        refuse_words_among_numbers(FirstRows(scan, SAMPLE_ROWS), head, words)
        raise no_features(scan.names, words, {}, [])
    numbers = [name for name in wanted if name not in words]
    seen, more = _looked_at_numbers(scan, numbers, on_chunk)
    amounts |= more
    if columns is None:
        roles |= {name: role_by_facts(name, one.facts, scan.names) for name, one in seen.items()}
        refuse_unsure(roles)
    left_out = {name: roles[name].reason for name in wanted if name in roles and not roles[name].is_feature}
    chosen = [name for name in wanted if name not in left_out]
    if not chosen:
        raise no_features(scan.names, [], left_out, [name for name in left_out if name not in words])
    if not may_have_gaps:
        _refuse_gaps(scan, {name: seen[name] for name in chosen})
    if columns is None and id_column is not None:
        left_out = {id_column: "names the objects", **left_out}
    note = features_note(chosen, left_out)
    if words and len(head) < scan.n_objects:
        note += f"; words are known by the first {len(head)} rows"
    told = [told_ways({name: amounts[name] for name in wanted if name in amounts})] * bool(amounts)
    plain = [name for name in chosen if name in head and name not in word_columns(head)]
    doubts = note_on_identifiers(plain, [head[name].to_numpy() for name in plain])
    told += [doubts] * bool(doubts)
    return _data(kept or scan, chosen, [seen[name] for name in chosen]), (*scan.notes, *told, note)


def _looked_at_numbers(
    scan: Scan, names: Sequence[str], on_chunk: OnChunk
) -> tuple[dict[str, _Seen], dict[str, Way]]:
    """What these columns hold, and those with signs or marks of thousands that the first rows do not have."""
    amounts: dict[str, Way] = {}
    while names:
        try:
            return _looked_at(scan, names, on_chunk), amounts
        except FileError as problem:
            name = getattr(problem, "column", None)
            found = {} if name is None or name in amounts else _amounts(scan, None, [name], on_chunk)
            if not found:
                raise
            amounts |= found
    return {}, amounts


def _amounts(scan: Scan, head: Any, names: Sequence[str], on_chunk: OnChunk) -> dict[str, Way]:
    """How numbers with signs and marks are written; from here on, parts of the file are read so."""
    likely = [name for name in names if head is None or amounts_of(head[name]).found()]
    if not likely:
        return {}
    pieces = (scan.piece(_common, scan, likely, place) for place, _ in enumerate(scan.sizes))
    common = sum_of_looks(pieces, scan.sizes, _added, on_chunk)
    first = FirstRows(scan, SAMPLE_ROWS)
    ways = {name: way_of(first, name, one) for name, one in zip(likely, common, strict=True)}
    found = {name: way for name, way in ways.items() if way is not None}
    scan.whole.amounts = {**scan.whole.amounts, **found}
    return found


def _common(scan: Scan, names: Sequence[str], place: int) -> list[Amounts]:
    texts = scan.part(place).read([], names)
    return [amounts_of(texts[name]) for name in names]


def known_features(scan: Scan, names: Sequence[str], on_chunk: OnChunk = None) -> RowMask:
    """Which objects have all of these features."""
    return known_rows(scan, partial(_known_in, scan, names), on_chunk)


def told_gaps(scan: Scan, names: Sequence[str], known: RowMask, on_chunk: OnChunk = None) -> str:
    """How many values of these features are missing, and how many objects that leaves out."""
    pieces = [scan.piece(_gaps_in, scan, names, place) for place, _ in enumerate(scan.sizes)]
    gaps = np.sum(list(compute(pieces, on_chunk)), axis=0).tolist()
    counts = counts_of_gaps({name: count for name, count in zip(names, gaps, strict=True) if count})
    return f"missing values: {counts}; {known.n - known.count()} of {known.n} objects left out"


def _gaps_in(scan: Scan, names: Sequence[str], place: int) -> list[int]:
    columns = numbers_of_part(scan.part(place), names)
    return [int(np.isnan(column).sum()) if column.dtype.kind == "f" else 0 for column in columns]


def _known_in(scan: Scan, names: Sequence[str], place: int) -> Array:
    columns = numbers_of_part(scan.part(place), names)
    known = np.ones(len(columns[0]), dtype=bool)
    for column in columns:
        if column.dtype.kind == "f":
            known &= ~np.isnan(column)
    return known


def _looked_at(scan: Scan, names: Sequence[str], on_chunk: OnChunk) -> dict[str, _Seen]:
    pieces = (scan.piece(_look, scan, names, *where) for where in enumerate(scan.starts()))
    found: list[_Seen] = sum_of_looks(pieces, scan.sizes, _added, on_chunk)
    return dict(zip(names, found, strict=True))


def _added(some: list[Any], others: list[Any]) -> list[Any]:
    return [a + b for a, b in zip(some, others, strict=True)]


def _look(scan: Scan, names: Sequence[str], place: int, start: int) -> list[_Seen]:
    part = scan.part(place)
    seen = []
    for name in names:
        (values,) = numbers_of_part(part, [name])
        seen.append(_seen(name, values, start, scan.names))
    return seen


def _seen(name: str, values: Array, start: int, names: Sequence[str]) -> _Seen:
    n, gaps, first_gap = len(values), 0, None
    if values.dtype.kind == "f":
        missing = np.isnan(values)
        gaps = int(missing.sum())
        if gaps:
            first_gap = start + int(missing.argmax())
            values = values[~missing]
    if not len(values):
        return _Seen(n, gaps, first_gap=first_gap)
    low, high = values.min(), values.max()
    infinite = 0
    if values.dtype.kind == "f" and not (np.isfinite(low) and np.isfinite(high)):
        infinite = int(np.isinf(values).sum())
    is_whole = are_whole(values, low, high)
    rises = is_whole and bool((values[1:] > values[:-1]).all())
    few: frozenset[Any] | None = None
    has_repeats = not is_whole
    if is_whole and not rises and (is_label_name(name, names) or identifier_rank(name) in (2, 3)):
        distinct = np.unique(values)
        has_repeats = len(distinct) < len(values)
        few = frozenset(distinct.tolist()) if len(distinct) <= MOST_GROUPS else None
    elif is_whole and not rises and float(high) - float(low) < len(values) - 1:
        has_repeats = True
    sizes = (np.inf, 0.0) if infinite else ends_of_sizes(values.astype(np.float64, copy=False))
    first, last = values[0], values[-1]
    return _Seen(
        n, gaps, infinite, first_gap, low, high, first, last, is_whole, rises, has_repeats, few, sizes
    )


def _refuse_gaps(scan: Scan, seen: dict[str, _Seen]) -> None:
    """Refuse features that are missing or infinite somewhere."""
    for name, one in seen.items():
        if one.infinite:
            raise FileError(
                "features have infinite values.",
                got=f"column {name!r}: {one.infinite} of {one.n}",
                need="finite numbers",
                fix=Phrase("write NA there, then ", Setting("missing", "drop")),
            )
    gaps = {name: one for name, one in seen.items() if one.gaps}
    if not gaps:
        return
    name, first = next(iter(gaps.items()))
    in_all = ", ".join(f"{other} {one.gaps}" for other, one in list(gaps.items())[:6])
    told = told_counts(name, {"": first.gaps}, first.n, scan.place(first.first_gap or 0))
    raise FileError(
        "features have missing values.",
        got=told + (f"; in all: {in_all}" if len(gaps) > 1 else ""),
        need="a number in each cell",
        fix=Phrase(Setting("missing", "drop"), " leaves these objects out"),
        parameter="missing",
    )


def _data(scan: Scan, names: Sequence[str], seen: Sequence[_Seen]) -> ChunkedData:
    made = ChunkedData.__new__(ChunkedData)
    made.index, made.are_distances, made.features = None, False, tuple(names)
    pieces = (scan.piece(_matrix, scan, names, place) for place, _ in enumerate(scan.sizes))
    made.values = Chunked(pieces, scan.sizes, (len(names),), np.float64)
    made.frame = "pandas"
    made.exponent = exponent_between(min(one.sizes[0] for one in seen), max(one.sizes[1] for one in seen))
    return made


def _matrix(scan: Scan, names: Sequence[str], place: int) -> Array:
    """The features of one part; column by column, so that no more than this is in memory."""
    matrix = np.empty((scan.sizes[place], len(names)))
    for j, column in enumerate(scan.part(place).amounts_and_numbers(names)):
        matrix[:, j] = column
    return matrix


def refuse_filling(missing: str) -> None:
    """Values are left out, or refused; what to put in their place is not known before all are read."""
    if missing not in ("raise", "drop"):
        raise ParameterError(
            "this way with missing values is not for files that are read in chunks.",
            got=repr(missing),
            need='"raise" or "drop"',
            fix="fill them in the file, or --in-memory (in_chunks=False) if it fits",
            parameter="missing",
        )
