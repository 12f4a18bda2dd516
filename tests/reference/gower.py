"""Gower's distances by the definition (1971), one pair after the other, in fractions.

A table is a list of columns, each a sort ("interval", "nominal", "asymmetric") and its values, None where one
is missing; ordered categories come as the places of their levels.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Columns = Sequence[tuple[str, Sequence[Any]]]


def gower_distance(columns: Columns, weights: Sequence[float], i: int, j: int) -> Fraction | None:
    """The weighted mean over the columns in which both have a value; None where there is no such column."""
    total = weight = Fraction()
    for (sort, values), own in zip(columns, weights, strict=True):
        a, b = values[i], values[j]
        if a is None or b is None or (sort == "asymmetric" and not a and not b):
            continue
        known = [Fraction(value) for value in values if value is not None] if sort == "interval" else []
        span = max(known) - min(known) if known else Fraction()
        if sort == "interval":
            score = abs(Fraction(a) - Fraction(b)) / span if span else Fraction()
        else:
            score = Fraction(a != b)
        total += Fraction(own) * score
        weight += Fraction(own)
    return total / weight if weight else None
