"""Units in which squares are numbers: data far from 1 are multiplied by a power of two, which is exact."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.errors import ParameterError

ORDINARY = (2.0**-200, 1e100)
"""Data whose largest value is in here are left as they are.

Differences within them are a 2^-53 of it at least (or cancelled before), so that squares are neither too
small nor too large to be numbers.
"""

WORKING = 300
"""The largest of other data is brought just below 2 to this power, where the smallest lose least."""


def working_exponent(X: Floats) -> int:
    """The power of two by which X is to be multiplied; 0 for ordinary data, and where there are only zeros.

    Refused are data whose sum of squares is no number: no objective could be told in their units.
    """
    largest = _largest(X, cells=X.size)
    if largest == 0.0 or ORDINARY[0] <= largest <= ORDINARY[1]:
        return 0
    return WORKING - math.frexp(largest)[1]


def to_working_units(X: Floats, exponent: int) -> Floats:
    """New data in the working units of a fit.

    What is too large to be squared there becomes the largest that is not: from there all centres are at one
    distance, up to rounding, as they are from farther away.
    """
    _largest(X, cells=X.shape[1])
    if exponent == 0:
        return X
    most = _largest_squarable(X.shape[1])
    return np.asarray(np.clip(shifted(X, exponent), -most, most))


def shifted(value: Any, exponent: int) -> Any:
    """A number or array times 2 to a power: exact, or infinite or zero where it leaves the range."""
    if exponent == 0:
        return value
    with np.errstate(over="ignore", under="ignore"):
        moved = np.ldexp(value, exponent)
    return moved if isinstance(value, np.ndarray) else float(moved)


def _largest(X: Floats, *, cells: int) -> float:
    """The largest absolute value; refused if so many squares of such values have no finite sum."""
    largest, most = max(float(X.max()), -float(X.min())), _largest_squarable(cells)
    if largest > most:
        raise ParameterError(
            "X has values too large to be squared.",
            got=f"a value of size {largest:.3g}",
            need=f"values up to {most:.3g}",
            fix="divide the features by their scale",
        )
    return largest


def _largest_squarable(cells: int) -> float:
    """So many squared differences of values up to this one have a finite sum."""
    return math.sqrt(float(np.finfo(np.float64).max) / (4 * cells))
