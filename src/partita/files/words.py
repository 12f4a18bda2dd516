"""Columns of numbers that hold something else: what it is, in which line, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.errors import FileError
from partita.files.tables import MISSING, Table, stripped
from partita.files.text import GROUPED_BY_COMMAS, MAY_BE_EITHER, about_marks, as_number
from partita.partitions.amounts import Amounts, Way
from partita.partitions.roles import role_of_words


def word_columns(frame: Any) -> list[str]:
    """The columns of a frame that are no numbers."""
    return [name for name, dtype in zip(frame.columns, frame.dtypes, strict=True) if dtype.kind not in "biuf"]


def text_counts(column: Any) -> Any:
    """How often each text of a column occurs, without the missing ones."""
    return column.dropna().astype(str).str.strip().value_counts()


def read_amounts(table: Table, frame: Any, names: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    """The frame with numbers where cells agree in a sign and in marks of thousands, and what to say."""
    ways = {}
    for name in sorted(set(word_columns(frame)) & set(names)):
        way = way_of(table, name, amounts_of(frame[name]))
        if way is not None:
            ways[name] = way
    if not ways:
        return frame, ()
    return frame.assign(**{name: way.numbers(frame[name], MISSING) for name, way in ways.items()}), (
        told_ways(ways),
    )


def amounts_of(texts: Any) -> Amounts:
    """What the cells of a column have in common."""
    return Amounts.of(text for text in map(str, texts.dropna().unique()) if text.strip() not in MISSING)


def way_of(table: Table, name: str, amounts: Amounts) -> Way | None:
    """How the numbers of a column are written; the caller is asked where that may be two things."""
    ways = amounts.found()
    known = getattr(getattr(table, "layout", None), "known_decimal", None)
    if len(ways) > 1 and known is not None:
        ways = amounts.found(known)
    if len(ways) > 1:
        raise about_marks(name, amounts.example)
    return ways[0] if ways else None


def told_ways(ways: Mapping[str, Way]) -> str:
    """How columns of numbers with signs and marks were read."""
    return "read as numbers: " + ", ".join(f"{name} ({way.told})" for name, way in ways.items())


def refuse_words_among_numbers(table: Table, frame: Any, columns: Sequence[str]) -> None:
    """Refuse columns most of whose cells are numbers, and say what the others are."""
    for name in columns:
        if role_of_words(name, text_counts(frame[name])).is_unsure:
            raise words_among_numbers(table, name)


def words_among_numbers(table: Table, name: str) -> FileError:
    """The error for a column of numbers with some other text in it."""
    texts = stripped(table.read([], [name])[name])
    decimal = getattr(getattr(table, "layout", None), "decimal", ".")
    is_word = np.array([text not in MISSING and as_number(text) is None for text in texts])
    if decimal == ",":
        is_word = np.array(
            [
                text not in MISSING and ("." in text or as_number(text.replace(",", ".")) is None)
                for text in texts
            ]
        )
    words = texts[is_word]
    if not len(words) and all(abs(as_number(text) or 0) < 2**63 for text in texts if text not in MISSING):
        return FileError(
            f"column {name!r} holds numbers that are written as texts.",
            got=repr(texts.iloc[0]),
            need="a column of numbers",
            fix="save it as numbers, or leave it out if it is no feature",
        )
    if not len(words):  # pandas leaves what does not fit as text
        return FileError(
            f"column {name!r} holds whole numbers that do not fit into 64 bits.",
            got=max(texts, key=len),
            need="numbers below 9.2e18 in size, or with a decimal point",
            fix="write a decimal point behind them",
        )
    first = words.iloc[0]
    if all(MAY_BE_EITHER.fullmatch(text) for text in words):
        return about_marks(name, first)
    position = int(np.flatnonzero(is_word)[0])
    need, fix = _advice(first, decimal)
    if position == 0 and len(words) == 1 and len(texts) > 1 and as_number(first.strip("%$€£ ")) is None:
        need = "one line of names, then the objects"
        fix = f"delete {table.place(0)} if it holds units or titles"
    return FileError(
        f"column {name!r} holds numbers, and texts that are none.",
        got=f"{first!r} in {table.place(position)} ({len(words)} of {len(texts)} cells)",
        need=need,
        fix=fix,
    )


def _advice(word: str, decimal: str) -> tuple[str, str]:
    """What is needed and what to do, by what the first of these texts looks like."""
    bare = word.strip("%$€£ ")
    if GROUPED_BY_COMMAS.fullmatch(bare.partition(".")[0]) or (
        "'" in bare and bare.replace("'", "").isdigit()
    ):
        return "numbers without thousands separators", "write 1234.5 for 1,234.5"
    if as_number(bare.replace(",", ".")) is not None and bare != word:
        return "plain numbers", "write the numbers without signs of currency or percent"
    if as_number(word.replace(",", ".")) is not None:
        return f"the same decimal mark in all numbers, here {decimal!r}", f"write {word} with {decimal!r}"
    return (
        "a number in each cell",
        "write NA where a value is missing; leave the column out if it holds words",
    )
