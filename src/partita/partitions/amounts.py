"""Numbers as people write them: with a sign of currency or percent, and with marks between thousands.

A column is read so where all of its cells agree: the same sign in each, and one meaning of dots and commas.
Where the cells have two, such as 1,500, the caller is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.arrays import Array

SIGNS = "€$£%"
BLANKS = str.maketrans(dict.fromkeys("\u00a0\u202f\u2009", " "))
THOUSANDS = ("", ",", ".", "'", "’", " ")
DECIMALS = (".", ",")

AMOUNT = re.compile(
    rf"(?P<minus>[+-]?)(?P<before>[{SIGNS}]?) ?(?P<after_sign>[+-]?)"
    rf"(?P<number>(\d[\d.,'’ ]*(?<! )|[.,]\d+)([eE][+-]?\d+)?) ?(?P<behind>[{SIGNS}]?)"
)
WAYS = {
    (thousands, decimal): re.compile(
        rf"(\d+|[1-9]\d{{0,2}}({re.escape(thousands)}\d{{3}})+)({re.escape(decimal)}\d*)?([eE][+-]?\d+)?"
        rf"|{re.escape(decimal)}\d+([eE][+-]?\d+)?"
        if thousands
        else rf"(\d+({re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+)([eE][+-]?\d+)?"
    )
    for thousands in THOUSANDS
    for decimal in DECIMALS
    if thousands != decimal
}
"""The marks of thousands and of decimals, and what numbers look like with them."""


@dataclass(frozen=True)
class Way:
    """How the numbers of a column are written: with this sign, and with these marks where they occur."""

    sign: str
    thousands: str
    decimal: str

    @property
    def told(self) -> str:
        """The sign and the marks, in words."""
        mark = "blanks" if self.thousands == " " else repr(self.thousands)
        marks = f"{mark} between thousands"
        return ", ".join([*[f"in {self.sign}"] * bool(self.sign), *[marks] * bool(self.thousands)])

    def number(self, text: str) -> float:
        """The number that a text of the column stands for."""
        minus, _, number = _taken_apart(text) or ("", "", "nan")
        plain = number.replace(self.thousands, "") if self.thousands else number
        return float(minus + plain.replace(self.decimal, "."))

    def numbers(self, texts: Any, missing: Sequence[str] = ()) -> Array:
        """The numbers of a series or array of texts; nan for what is no text, or stands for none."""
        import pandas as pd

        codes, distinct = pd.factorize(texts)
        values = [
            np.nan if not isinstance(text, str) or text.strip() in missing else self.number(text)
            for text in distinct
        ]
        return np.asarray([*values, np.nan], dtype=float)[codes]


@dataclass(frozen=True)
class Amounts:
    """What the cells of a column have in common.

    Attributes
    ----------
    signs : frozenset of str
        Of currency or percent; the empty one for a number without.
    ways : frozenset of pairs
        The marks of thousands and decimals by which all can be read.
    used : frozenset of str
        Marks that occur.
    example : str
        A cell with a mark.
    """

    signs: frozenset[str] = frozenset()
    ways: frozenset[tuple[str, str]] = frozenset(WAYS)
    used: frozenset[str] = frozenset()
    example: str = ""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Amounts:
        """Of different texts, none of which stands for a missing value."""
        signs: set[str] = set()
        ways, used, example = set(WAYS), set[str](), ""
        for text in texts:
            parts = _taken_apart(text)
            if parts is None:
                return cls(ways=frozenset())
            _, sign, number = parts
            signs.add(sign)
            marks = {mark for mark in number if mark in THOUSANDS}
            if marks:
                ways = {way for way in ways if WAYS[way].fullmatch(number)}
                used |= marks
                example = example or text.strip()
                if not ways:
                    break
        return cls(frozenset(signs), frozenset(ways), frozenset(used), example)

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(
            self.signs | other.signs,
            self.ways & other.ways,
            self.used | other.used,
            self.example or other.example,
        )

    def found(self, decimal: str | None = None) -> list[Way]:
        """The ways in which all cells can be read: none, one, or two between which the caller must choose.

        None too for plain numbers, without a sign and without marks of thousands.
        """
        if len(self.signs) != 1:
            return []
        (sign,) = self.signs
        by_mark = {way: Way(sign, *(mark if mark in self.used else "" for mark in way)) for way in self.ways}
        if not sign and not any(way.thousands for way in by_mark.values()):
            return []
        likely = {way for (_, mark), way in by_mark.items() if decimal in (None, mark)}
        return [
            replace(way, decimal=way.decimal or ".")
            for way in sorted(likely, key=lambda way: (way.thousands, way.decimal))
        ]


def _taken_apart(text: str) -> tuple[str, str, str] | None:
    """The minus, the sign and the number of a text."""
    match = AMOUNT.fullmatch(text.strip().translate(BLANKS))
    if match is None:
        return None
    minus, sign = match["minus"] + match["after_sign"], match["before"] + match["behind"]
    return (minus, sign, match["number"]) if len(minus) < 2 and len(sign) < 2 else None
