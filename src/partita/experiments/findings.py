"""Findings: what a paper printed or said, what we get, and what that comes to by a stated tolerance."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from partita.results import show

__all__ = ["Finding", "Outcome", "Printed", "number", "printed_values", "statement", "undetermined"]

Outcome = Literal["reproduced", "not reproduced", "not determinable"]
"""What a finding comes to; always computed, never typed in."""


@dataclass(frozen=True)
class Printed:
    """A value as a paper prints it.

    Attributes
    ----------
    table, row, column : str
        Where it stands.
    text : str
        As it is printed, with its decimals.
    """

    table: str
    row: str
    column: str
    text: str

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def where(self) -> str:
        """Where it stands, in words."""
        return ", ".join(part for part in (self.table, self.row, self.column) if part)

    @property
    def half_unit(self) -> float:
        """Half a unit of the last decimal: what rounding can take from it."""
        decimals = len(self.text.partition(".")[2])
        return float(0.5 * 10.0**-decimals)


@cache
def printed_values(paper: str) -> tuple[Printed, ...]:
    """All values of a paper's data file."""
    rows = json.loads((files("partita.experiments") / "printed" / f"{paper}.json").read_text("utf-8"))
    return tuple(Printed(**row) for row in rows)


@dataclass(frozen=True)
class Finding:
    """A number or a statement of a paper, held against what we get.

    Attributes
    ----------
    where : str
        Where the paper has it: "Table 2, toy1, Rand".
    printed, obtained : str
        What it says, and what we get.
    outcome : Outcome
        What that comes to.
    reason : str
        Why it is not reproduced, where that is known.
    tolerance : str
        By which tolerance a number was judged, and how far apart the numbers are where that is more.
    """

    where: str
    printed: str
    obtained: str
    outcome: Outcome
    reason: str = ""
    tolerance: str = ""


def number(
    printed: Printed, obtained: float, *, tolerance: float | None = None, reason: str = "", unless: str = ""
) -> Finding:
    """A printed number against ours: the same within the tolerance, by default half a unit of its last digit.

    Parameters
    ----------
    printed : Printed
        What the paper has.
    obtained : float
        What we get.
    tolerance : float, optional
        What still counts as the same, such as three standard errors of what is drawn at random.
    reason : str
        What the tolerance is, where it is not rounding.
    unless : str
        What may be behind it where the numbers differ.
    """
    allowed = printed.half_unit if tolerance is None else tolerance
    stated = reason or ("rounding" if tolerance is None else f"within {show(tolerance)}")
    shown = (printed.where, printed.text, show(obtained))
    if not math.isfinite(obtained):
        return Finding(*shown, "not determinable", unless or "no value", stated)
    # a value on the border of rounding is within it
    if abs(printed.value - obtained) <= allowed * (1 + 1e-9) + 1e-12:
        return Finding(*shown, "reproduced", "", stated)
    apart = f"{show(abs(printed.value - obtained))} apart, {show(allowed)} allowed ({stated})"
    return Finding(*shown, "not reproduced", unless, apart)


def statement(where: str, said: str, holds: bool | None, evidence: str, *, unless: str = "") -> Finding:
    """A statement of a paper in words, and whether it holds in what we ran; None where that cannot be told.

    Parameters
    ----------
    where, said : str
        Where the paper says what.
    holds : bool or None
        What our run shows; computed by the caller from numbers that ``evidence`` tells.
    evidence : str
        The numbers.
    unless : str
        What may be behind it where it does not hold.
    """
    outcome: Outcome = (
        "not determinable" if holds is None else "reproduced" if bool(holds) else "not reproduced"
    )
    return Finding(where, said, evidence, outcome, "" if holds else unless)


def undetermined(where: str, printed: Any, reason: str) -> Finding:
    """What cannot be told here, such as a number from data that cannot be had."""
    return Finding(where, str(printed), "", "not determinable", reason)
