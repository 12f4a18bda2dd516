"""What both families start from: is the input hard, and the exact table N* = phi U'V.

Memberships are floats, floats are fractions, so the table is computed without any rounding. A condition such
as "no pairs together" or "all mass in one cluster" is then decided exactly, never by a tolerance.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Memberships = NDArray[np.float64]
Table = list[list[Fraction]]
Masses = list[dict[frozenset[int], float]]


class AmbiguousError(Exception):
    """The definition allows several values here."""


def is_hard(U: Memberships) -> bool:
    """Every row holds a single 1 and otherwise zeros."""
    return all(sorted(row)[-1] == 1 and sum(value != 0 for value in row) == 1 for row in U.tolist())


def labels(U: Memberships) -> list[int]:
    """The label of every object of a hard membership matrix."""
    return [row.index(1) for row in U.tolist()]


def table(U: Memberships, V: Memberships) -> Table:
    """N* of lei2014 eq. 3, clusters of the truth in rows; its cells always add up to n."""
    return _table(*(tuple(map(tuple, side.tolist())) for side in (U, V)))


@lru_cache(maxsize=8)
def _table(U: tuple[tuple[float, ...], ...], V: tuple[tuple[float, ...], ...]) -> Table:
    pairs = [([Fraction(x) for x in u], [Fraction(y) for y in v]) for u, v in zip(U, V, strict=True)]
    counts = [[sum(u[i] * v[j] for u, v in pairs) for j in range(len(V[0]))] for i in range(len(U[0]))]
    phi = Fraction(len(pairs)) / sum(map(sum, counts))
    return [[phi * count for count in row] for row in counts]


def margins(N: Table) -> tuple[list[Fraction], list[Fraction]]:
    """The row sums and the column sums."""
    return [sum(row, Fraction()) for row in N], [sum(column, Fraction()) for column in zip(*N, strict=True)]
