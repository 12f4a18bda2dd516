"""The parameters of generators, as callers give them: what cannot be used is refused by its name."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from partita.errors import ParameterError, Phrase, Setting


def count(name: str, value: Any, *, least: int = 1, why: str = "") -> int:
    """A whole number that is not less than ``least``; ``why`` says what there would be too few for."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        need = f"a whole number >= {least}" + (f", {why}" if why else "")
        what = " is too small." if whole else " is no count."
        raise ParameterError(Phrase(Setting(name), what), got=_brief(value), need=need)
    return int(value)


def real(
    name: str,
    value: Any,
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
) -> float:
    """A finite number between these ends; ``above`` and ``below`` are themselves outside."""
    if not isinstance(value, bool) and isinstance(value, numbers.Real):
        number = float(value)
        if math.isfinite(number) and least <= number <= most and above < number < below:
            return number
    ends = {">=": least, ">": above, "<": below, "<=": most}
    told = " and ".join(f"{sign} {end:g}" for sign, end in ends.items() if math.isfinite(end))
    raise ParameterError(
        Phrase(Setting(name), " cannot be this."), got=_brief(value), need=f"a finite number {told}".strip()
    )


def one_of(name: str, value: Any, known: Iterable[Any]) -> None:
    """Refuse what is none of these values."""
    values = list(known)
    if isinstance(value, bool) or not any(type(value) is type(one) and value == one for one in values):
        need = ", ".join(repr(one) if isinstance(one, str) else str(one) for one in values)
        raise ParameterError(Phrase(Setting(name), " is none of the known."), got=_brief(value), need=need)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
