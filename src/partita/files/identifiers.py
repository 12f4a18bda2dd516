"""Identifiers: which column tells the objects of two files apart, and bringing both to the same objects."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from partita.errors import MismatchError, Phrase, Setting
from partita.files.tables import Table, stripped
from partita.files.text import as_number
from partita.partitions.roles import WITHOUT_NAME, identifier_rank, is_label_name

WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
FEWEST_WORDS, FEWEST_NUMBERS = 3, 10
"""Objects from which on all different words, or integers, may be identifiers under any name."""
SAMPLE_ROWS = 200
BY_ROW = Phrase(
    Setting("by_row", True, "no id_column"), " if both files have the same objects in the same order"
)


def identifiers_of(column: Any, name: str) -> Any:
    """Identifiers as a pandas index. They stay text: 007 and 7 are two objects."""
    import pandas as pd

    index = pd.Index(stripped(column), dtype=object)
    wrong = index[index.duplicated() | (index == "")]
    if len(wrong):
        raise MismatchError(
            "identifiers are repeated or missing, so files cannot be joined on them.",
            got=f"column {name!r}: {wrong[0]!r} ({len(wrong)} such lines)",
            need="each object once",
            fix=Phrase(Setting("id_column"), " NAME for another column, or ", BY_ROW),
        )
    return index


def shown_name(name: str) -> str:
    """The name of a column, in a sentence."""
    return "the first column, which has no name" if name in WITHOUT_NAME else name


def shared_identifiers(one: Table, other: Table, names: Sequence[str]) -> dict[str, tuple[int, Any]]:
    """The columns that tell objects apart in both files; for each, its order and how it matches them.

    Of those with these names, which both files have: all their values are different words or whole numbers,
    and most of those of the shorter file are in the other, unless the name says identifiers. Where there is
    none, a name of identifiers under which some are repeated is refused.
    """
    import pandas as pd

    if not names:
        return {}
    texts = [table.read([], names) for table in (one, other)]
    candidates: dict[str, tuple[int, Any]] = {}
    problem = None
    for name in names:
        first, second = (stripped(frame[name]) for frame in texts)
        rank = identifier_rank(name)
        if all(_tells_apart(column, rank) for column in (first, second)):
            place = pd.Index(second, dtype=object).get_indexer(pd.Index(first, dtype=object))
            is_near = int((place >= 0).sum()) * 2 >= min(len(first), len(second))
            if is_near or rank < 4 or not _are_whole(first):
                candidates[name] = _order(name, rank, first), place
        elif rank <= 1 and not first.equals(second):
            problem = _repeated(name, first, second)
    if problem is not None and not candidates:
        raise problem
    return candidates


def best_identifier(candidates: Mapping[str, tuple[int, Any]]) -> str | None:
    """The column to join on; the name decides: id, customer_id, name, index, others, a first one without."""
    if not candidates:
        return None
    best = min(order for order, _ in candidates.values())
    tied = [name for name, (order, _) in candidates.items() if order == best]
    matched = [candidates[name][1] for name in tied]
    if any(not np.array_equal(matched[0], places) for places in matched[1:]):
        raise MismatchError(
            "several columns may tell the objects apart, and they do not match them alike.",
            got=", ".join(map(repr, tied)),
            need="to know on which column the files are to be joined",
            fix=Phrase(Setting("id_column", tied[0]), " or another of them, or ", BY_ROW),
        )
    return tied[0]


def refuse_other_names(one: Table, other: Table, taken: Collection[str]) -> None:
    """Refuse files that name the same objects, in different lines, in columns of different names."""
    columns = []
    for table in (one, other):
        names = list(heads_like_identifiers(table, taken))
        texts = table.read([], names) if names else {}
        columns.append([stripped(texts[name]) for name in names])
    for first in columns[0]:
        for second in columns[1]:
            ranks = identifier_rank(str(first.name)), identifier_rank(str(second.name))
            if not (_tells_apart(first, min(ranks)) and _tells_apart(second, min(ranks))):
                continue
            common = int(first.isin(set(second)).sum())
            if common * 2 >= min(len(first), len(second)) and first.tolist() != second.tolist():
                raise under_two_names(str(first.name), str(second.name), f"{common} values in common")


def heads_like_identifiers(table: Table, taken: Collection[str]) -> dict[str, Any]:
    """The first values of each column that may name objects."""
    free = [name for name in table.names if name not in taken]
    heads = table.read([], free, rows=SAMPLE_ROWS) if free else {}
    columns = {name: stripped(heads[name]) for name in free}
    return {name: head for name, head in columns.items() if _tells_apart(head, identifier_rank(name))}


def under_two_names(name: str, other: str, common: str) -> MismatchError:
    """The error for files whose columns of identifiers have different names."""
    return MismatchError(
        "the files name the same objects, in different lines, under two names.",
        got=f"{name!r} and {other!r}: {common}",
        need="one name for the column of identifiers",
        fix=Phrase(f"rename {other!r} to {name!r}, or ", BY_ROW),
    )


def like_identifiers(one: Table, other: Table, taken: Collection[str]) -> list[str]:
    """Columns of both files whose name, or first lines of different words or integers, say identifiers."""
    known = set(other.names) - set(taken)
    shared = [name for name in one.names if name in known and not is_label_name(name, one.names)]
    if not shared or 1 in (len(one.names), len(other.names)):
        return []
    heads = [table.read([], shared, rows=SAMPLE_ROWS) for table in (one, other)]
    return [
        name
        for name in shared
        if identifier_rank(name) <= 1
        or all(_tells_apart(stripped(head[name]), identifier_rank(name)) for head in heads)
    ]


def _tells_apart(column: Any, rank: int) -> bool:
    """Whether all values are there, different, and words or whole numbers rather than measurements."""
    if not column.is_unique or (column == "").any():
        return False
    if _are_whole(column):
        return rank < 4 or len(column) >= FEWEST_NUMBERS
    return (rank < 4 or len(column) >= FEWEST_WORDS) and any(as_number(text) is None for text in column)


def _are_whole(column: Any) -> bool:
    joined = "".join(column)
    # most are digits only, which is seen at once
    return (joined.isascii() and joined.isdigit()) or all(WHOLE.fullmatch(text) for text in column)


def _order(name: str, rank: int, column: Any) -> int:
    """Which of several candidates comes first: an index that counts rows says least."""
    if name in WITHOUT_NAME:
        return 5
    return rank if rank < 4 or not _are_whole(column) else 6


def _repeated(name: str, first: Any, second: Any) -> MismatchError:
    """The error for identifiers that both files have, in different lines, some of them more than once."""
    repeated = [int(column.duplicated().sum()) for column in (first, second)]
    missing = [int((column == "").sum()) for column in (first, second)]
    return MismatchError(
        f"both files have {name!r}, in different lines, and it does not name each object once.",
        got=f"{repeated[0]} and {repeated[1]} repeated identifiers, {missing[0]} and {missing[1]} empty ones",
        need="each object once, so that the files can be joined",
        fix=Phrase(Setting("id_column"), " NAME for another column, or ", BY_ROW),
    )


def places(one: Any, other: Any, name: str) -> Any:
    """Where each identifier of the first file stands in the second, -1 where it does not."""
    place = other.get_indexer(one)
    is_alone = np.ones(len(other), dtype=bool)
    is_alone[place[place >= 0]] = False
    alone, others_alone = one[place < 0], other[is_alone]
    alike = {meaning_of(text): text for text in alone}
    for text in others_alone:
        if meaning_of(text) in alike:
            raise written_in_two_ways(name, alike[meaning_of(text)], "the first file", text, "the second")
    if len(alone) == len(one):
        raise MismatchError(
            "the files have no object in common.",
            got=f"{name!r} begins {', '.join(map(repr, one[:3]))} and {', '.join(map(repr, other[:3]))}",
            need="identifiers of the same objects",
            fix=Phrase(Setting("id_column"), " NAME for another column, or ", BY_ROW),
        )
    return place


def written_in_two_ways(name: str, text: str, where: str, other: str, other_where: str) -> MismatchError:
    """The error for files that spell the same objects in two ways."""
    return MismatchError(
        "identifiers are written in two ways, so the files cannot be joined on them.",
        got=f"{name!r}: {text!r} in {where}, {other!r} in {other_where}",
        need="the same text for the same object",
        fix=Phrase("write them alike in both files, or ", BY_ROW),
    )


def meaning_of(text: str) -> Any:
    """What a spreadsheet may have made another text of: a number, or the same letters."""
    number = as_number(text)
    return text.casefold() if number is None else number


def lengths_of_files_differ(one: int, other: int) -> MismatchError:
    """The error for files that are to be matched by row and cannot be."""
    return MismatchError(
        "the files have different numbers of objects.",
        got=f"{one} and {other}",
        need="the same objects in the same order, or a column that names them in both",
        fix=Phrase(Setting("id_column"), " NAME joins the files on a column of identifiers that both have"),
    )
