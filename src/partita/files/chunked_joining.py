"""Two files of the same objects where one is larger than memory: joined in order, or by a look-up.

Where both are sorted by their identifiers, they are gone through side by side. Where one fits in memory, each
part of the other looks up its identifiers there. What is kept of a large file is one bit for each object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.arrays.chunked import OnChunk, compute
from partita.errors import MismatchError, Phrase, Setting
from partita.files.identifiers import (
    BY_ROW,
    heads_like_identifiers,
    like_identifiers,
    meaning_of,
    shown_name,
    under_two_names,
    written_in_two_ways,
)
from partita.files.scans import KeptRows, RowMask, Scan
from partita.files.tables import Table, stripped
from partita.partitions.roles import identifier_rank

MOST_ALONE = 100_000
"""Identifiers that only one of two large files has, which are looked for in other spellings."""

MOST_HASHED = 1 << 24
"""Identifiers of which 8 bytes each are in memory at a time."""


def identifiers_to_join_on(one: Table, other: Table, taken: set[str]) -> tuple[str | None, list[str]]:
    """The column that names objects in both files, as its name and first rows say, and all that may.

    It is asked for where no name says that a column does and the first rows of one look like it.
    """
    names = like_identifiers(one, other, taken)
    ranks = {name: identifier_rank(name) for name in names}
    best = min(ranks.values(), default=4)
    tied = [name for name in names if ranks[name] == best]
    if not names or (best < 4 and len(tied) == 1):
        return (tied[0] if names else None), names
    raise MismatchError(
        "it is not clear whether the files are to be joined on a column.",
        got=f"{', '.join(map(repr, tied))} in both files",
        need="to know which column names the objects",
        fix=Phrase(Setting("id_column", tied[0]), ", or ", BY_ROW),
    )


def refuse_other_names(one: Scan, other: Scan, taken: set[str], on_chunk: OnChunk = None) -> None:
    """Refuse files that name the same objects, in different lines, in columns of different names.

    It is asked for the first objects of the one: where they are in the other, each once.
    """
    heads = [heads_like_identifiers(scan, taken) for scan in (one, other)]
    for (name, head), (other_name, other_head) in product(*(of_one.items() for of_one in heads)):
        if head.tolist() == other_head.tolist():
            continue
        own, common = (
            _occurrences(scan, column, set(head), on_chunk)
            for scan, column in ((one, name), (other, other_name))
        )
        is_each_once = {*own.values(), *common.values()} == {1}
        if is_each_once and len(common) * 2 >= len(head):
            raise under_two_names(
                name, other_name, f"{len(common)} of the first {len(head)} values in common"
            )


def _occurrences(scan: Scan, name: str, texts: set[str], on_chunk: OnChunk) -> Counter[str]:
    pieces = [scan.piece(_occurrences_in, scan, name, texts, part) for part, _ in enumerate(scan.sizes)]
    return sum(compute(pieces, on_chunk), Counter[str]())


def _occurrences_in(scan: Scan, name: str, texts: set[str], part: int) -> Counter[str]:
    cells = scan.part(part).cells(name)
    if cells.texts is None:
        numbers = [n for text in texts if isinstance(n := meaning_of(text), int) and abs(n) < 2**63]
        return Counter(map(str, cells.values[np.isin(cells.values, numbers)].tolist()))
    counts: Counter[str] = Counter()
    for text, count in zip(cells.texts, np.bincount(cells.values, minlength=len(cells.texts)), strict=True):
        if text.strip() in texts:
            counts[text.strip()] += int(count)
    return counts


@dataclass(frozen=True)
class _Order:
    """In which order the identifiers of a file are."""

    rises_as_numbers: bool
    rises_as_texts: bool


def sorted_alike(one: Scan, other: Scan, name: str, on_chunk: OnChunk = None) -> str | None:
    """How both files are sorted by their identifiers: as "numbers", as "texts", or not alike."""
    orders = []
    for scan in (one, other):
        orders.append(_order(scan, name, on_chunk))
        if not (orders[-1].rises_as_numbers or orders[-1].rises_as_texts):
            return None
    if all(order.rises_as_numbers for order in orders):
        return "numbers"
    return "texts" if all(order.rises_as_texts for order in orders) else None


def merged(
    one: Scan, other: Scan, name: str, order: str, on_chunk: OnChunk = None
) -> tuple[Scan, Scan, tuple[str, ...]]:
    """The objects that both files have, which are sorted by their identifiers; and what is said of that."""
    masks = RowMask(one.n_objects), RowMask(other.n_objects)
    sides = [_in_turn(scan, name, order) for scan in (one, other)]
    ids, others = next(sides[0]), next(sides[1])
    done, total = 0, len(one.sizes) + len(other.sizes)
    while ids is not None and others is not None:
        (start, mine), (other_start, theirs) = ids, others
        masks[0].put(start, np.isin(mine, theirs, assume_unique=True))
        masks[1].put(other_start, np.isin(theirs, mine, assume_unique=True))
        last, other_last = mine[-1], theirs[-1]
        if last <= other_last:
            ids, done = next(sides[0]), done + 1
        if other_last <= last:
            others, done = next(sides[1]), done + 1
        if on_chunk is not None:
            on_chunk(min(done, total), total)
    count = masks[0].count()
    if order == "texts" and count < min(one.n_objects, other.n_objects):
        _refuse_two_spellings(_alone(one, masks[0], name), other, masks[1], name, on_chunk)
    _refuse_nothing(count, one, other, name)
    left = one.n_objects + other.n_objects - 2 * count
    return _kept(one, masks[0]), _kept(other, masks[1]), (_told(name, count, left),)


def looked_up(
    scan: Scan, small: Any, name: str, on_chunk: OnChunk = None
) -> tuple[Scan, Array, tuple[str, ...]]:
    """The objects of a large file that a small one has, where in the small one they are, and what is said.

    Parameters
    ----------
    scan : Scan
        The large file.
    small : pandas index
        All identifiers of the small one, each once.
    """
    mask = RowMask(scan.n_objects)
    pieces = [scan.piece(_places, scan, small, name, part) for part, _ in enumerate(scan.sizes)]
    found = []
    for start, place in zip(scan.starts(), compute(pieces, on_chunk), strict=True):
        mask.put(start, place[1])
        found.append(place[0])
    places = np.concatenate(found)
    counts = np.bincount(places, minlength=len(small))
    if (counts > 1).any():
        raise _repeated(scan, name, small[int(counts.argmax())], int(counts.max()))
    if len(places) < min(len(small), scan.n_objects):
        _refuse_two_spellings(small[counts == 0], scan, mask, name, on_chunk)
    if not len(places):
        raise _nothing_in_common(name, small[:3].tolist(), _first(scan, name))
    left = scan.n_objects + len(small) - 2 * len(places)
    return _kept(scan, mask), places, (_told(name, len(places), left),)


def refuse_repeated(scan: Scan, name: str, on_chunk: OnChunk = None) -> None:
    """Refuse identifiers that two objects of a large file share, also those that no other file has.

    Their hashes are compared, some of them at a time; identifiers whose hashes are equal are counted.
    """
    n_rounds = -(-scan.n_objects // MOST_HASHED)
    for turn in range(n_rounds):
        pieces = [
            scan.piece(_hashes, scan, name, n_rounds, turn, place) for place, _ in enumerate(scan.sizes)
        ]
        hashes = np.sort(np.concatenate(list(compute(pieces, on_chunk))))
        twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])[:MOST_ALONE]
        if not len(twice):
            continue
        pieces = [scan.piece(_counts_of, scan, name, twice, place) for place, _ in enumerate(scan.sizes)]
        counts = sum(compute(pieces, on_chunk), Counter[str]())
        text, count = max(counts.items(), key=lambda item: item[1])
        if count > 1:
            raise _repeated(scan, name, text, count)


def _hashes(scan: Scan, name: str, n_rounds: int, turn: int, part: int) -> Array:
    """Of the identifiers of a part, those that are compared in this turn."""
    hashes = _hashed(_identifiers(scan, name, part).astype(str))
    return np.asarray(hashes[hashes % np.uint64(n_rounds) == turn])


def _hashed(texts: Array) -> Array:
    from pandas.util import hash_array

    return np.asarray(hash_array(texts.astype(object), categorize=False))


def _counts_of(scan: Scan, name: str, hashes: Array, part: int) -> Counter[str]:
    texts = _identifiers(scan, name, part).astype(str)
    return Counter(texts[np.isin(_hashed(texts), hashes)].tolist())


def _repeated(scan: Scan, name: str, text: str, count: int) -> MismatchError:
    return MismatchError(
        "identifiers are repeated or missing, so files cannot be joined on them.",
        got=f"column {name!r} of {scan.path}: {text!r} {count} times",
        need="each object once",
        fix=Phrase(Setting("id_column"), " NAME for another column, or ", BY_ROW),
    )


def are_same_lines(scan: Scan, texts: Any, name: str, on_chunk: OnChunk = None) -> bool:
    """Whether a large file has the same identifiers as a small one, line by line."""
    if len(texts) != scan.n_objects:
        return False
    pieces = [scan.piece(_are_same, scan, texts, name, *where) for where in enumerate(scan.starts())]
    return all(compute(pieces, on_chunk))


def _are_same(scan: Scan, texts: Any, name: str, part: int, start: int) -> bool:
    own = stripped(scan.part(part).read([], [name])[name])
    return bool(own.tolist() == texts[start : start + len(own)].tolist())


def neither_sorted_nor_small(one: Scan, other: Scan, name: str) -> MismatchError:
    """The error for large files that cannot be joined."""
    command = f"duckdb -c \"COPY (FROM '{other.path}' ORDER BY {name}) TO 'sorted.parquet'\""
    return MismatchError(
        "files larger than memory are joined where both are sorted by the same column.",
        got=f"{name!r}, which does not rise from row to row in both files; and both are large",
        need="both files sorted by it, or one that is small",
        fix=Phrase(
            f"sort them, for example by {command}; ",
            BY_ROW,
            f"; --in-memory (in_chunks=False) if {one.n_objects + other.n_objects} objects fit",
        ),
    )


# --- identifiers ------------------------------------------------------------------------------------------


def _identifiers(scan: Scan, name: str, part: int, start: int = 0) -> Array:
    """Those of one part: whole numbers where all are written as such, else texts without blanks around."""
    cells = scan.part(part).cells(name)
    if cells.texts is None:
        return cells.values.astype(np.int64, copy=False)
    texts = [text.strip() for text in cells.texts]
    used = np.bincount(cells.values, minlength=len(texts)) > 0
    if any(is_used and not text for text, is_used in zip(texts, used, strict=True)):
        empty = np.array([not text for text in texts])[cells.values]
        raise MismatchError(
            "identifiers are repeated or missing, so files cannot be joined on them.",
            got=f"column {name!r} is empty in {scan.place(start + int(empty.argmax()))}",
            need="each object once",
            fix=Phrase(Setting("id_column"), " NAME for another column, or ", BY_ROW),
        )
    if all(_is_number(text) for text, is_used in zip(texts, used, strict=True) if is_used):
        numbers = [int(text) if is_used else 0 for text, is_used in zip(texts, used, strict=True)]
        return np.array(numbers, dtype=np.int64)[cells.values]
    ending_in_null = [text for text, is_used in zip(texts, used, strict=True) if is_used and text[-1] == "\0"]
    if ending_in_null:  # NumPy leaves it away, and two objects would be one
        raise MismatchError(
            "identifiers that end in a null character are not joined in chunks.",
            got=f"column {name!r}: {ending_in_null[0]!r}",
            need="identifiers without it",
            fix="--in-memory (in_chunks=False) if both files fit",
        )
    return np.array(texts)[cells.values]


def _is_number(text: str) -> bool:
    """Whether a text is a whole number as programs write it: 7, but not 007."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 19 and (digits[0] != "0" or text == "0")


def _order(scan: Scan, name: str, on_chunk: OnChunk) -> _Order:
    pieces = [scan.piece(_look, scan, name, *where) for where in enumerate(scan.starts())]
    parts = compute(pieces, on_chunk)
    rises = []
    for i in (0, 1):
        ends = [part[i] for part in parts]
        is_rising = all(part is not None for part in ends) and all(
            before[1] < after[0] for before, after in pairwise(ends)
        )
        rises.append(is_rising)
    return _Order(*rises)


def _look(scan: Scan, name: str, part: int, start: int) -> tuple[Any, Any]:
    """The ends of a part as numbers and as texts, each None where it does not rise so."""
    ids = _identifiers(scan, name, part, start)
    as_numbers = (ids[0], ids[-1]) if ids.dtype.kind == "i" and (ids[1:] > ids[:-1]).all() else None
    if as_numbers is not None and ids[0] >= 0 and len(str(ids[0])) == len(str(ids[-1])):
        return as_numbers, (str(ids[0]), str(ids[-1]))
    texts = ids.astype(str)
    return as_numbers, (texts[0], texts[-1]) if (texts[1:] > texts[:-1]).all() else None


def _in_turn(scan: Scan, name: str, order: str) -> Iterator[tuple[int, Array] | None]:
    for part, start in enumerate(scan.starts()):
        with scan.errors_named():
            ids = _identifiers(scan, name, part, start)
        yield start, ids if order == "numbers" else ids.astype(str)
    while True:
        yield None


def _places(scan: Scan, small: Any, name: str, part: int) -> tuple[Array, Array]:
    """Where the identifiers of a part stand in the small file, and which do."""
    ids = _identifiers(scan, name, part)
    place = small.get_indexer(ids.astype(str).astype(object))
    return place[place >= 0], place >= 0


def _alone(scan: Scan, mask: RowMask, name: str) -> list[str]:
    """The first identifiers that the other file does not have."""
    alone: list[str] = []
    for part, start in enumerate(scan.starts()):
        with scan.errors_named():
            ids = _identifiers(scan, name, part, start)
        ids = ids[~mask.of(start, len(ids))]
        alone += ids[: MOST_ALONE - len(alone)].astype(str).tolist()
        if len(alone) == MOST_ALONE:
            break
    return alone


def _refuse_two_spellings(
    alone: Iterable[str], scan: Scan, mask: RowMask, name: str, on_chunk: OnChunk
) -> None:
    """Refuse identifiers that the other file does not have, but as 7 where it has 007."""
    alike = {meaning_of(text): text for text in alone}
    pieces = [scan.piece(_alike, scan, mask, alike, name, *where) for where in enumerate(scan.starts())]
    for text in compute(pieces, on_chunk):
        if text is not None:
            raise written_in_two_ways(name, alike[meaning_of(text)], "the other file", text, str(scan.path))


def _alike(
    scan: Scan, mask: RowMask, alike: Mapping[Any, str], name: str, part: int, start: int
) -> str | None:
    """An identifier of a part that the other file has in another spelling."""
    ids = _identifiers(scan, name, part, start)
    ids = ids[~mask.of(start, len(ids))]
    if ids.dtype.kind == "i":
        ids = ids[np.isin(ids, [n for n in alike if isinstance(n, int) and abs(n) < 2**63])]
    return next((text for text in ids.astype(str).tolist() if meaning_of(text) in alike), None)


def _first(scan: Scan, name: str) -> list[Any]:
    texts: list[Any] = scan.read([], [name], rows=3)[name].tolist()
    return texts


def _refuse_nothing(count: int, one: Scan, other: Scan, name: str) -> None:
    if not count:
        raise _nothing_in_common(name, _first(one, name), _first(other, name))


def _nothing_in_common(name: str, first: list[Any], second: list[Any]) -> MismatchError:
    return MismatchError(
        "the files have no object in common.",
        got=f"{name!r} begins {', '.join(map(repr, first))} and {', '.join(map(repr, second))}",
        need="identifiers of the same objects",
        fix=Phrase(Setting("id_column"), " NAME for another column, or ", BY_ROW),
    )


def _told(name: str, count: int, left: int) -> str:
    more = f", {left} left out" if left else ""
    return f"joined on {shown_name(name)}: {count} objects in both files{more}"


def _kept(scan: Scan, mask: RowMask) -> Scan:
    return scan if mask.count() == scan.n_objects else KeptRows(scan, mask)
