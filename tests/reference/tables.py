"""What both families start from: is the input hard, and the exact table N* = phi U'V.

Memberships are floats, floats are fractions, so the table is computed without any rounding. A condition such
as "no pairs together" or "all mass in one cluster" is then decided exactly, never by a tolerance.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Memberships = NDArray[np.float64]
Table = list[list[Fraction]]


def is_hard(U: Memberships) -> bool:
    """Every row holds a single 1 and otherwise zeros."""
    return all(sorted(row)[-1] == 1 and sum(value != 0 for value in row) == 1 for row in U.tolist())


def labels(U: Memberships) -> list[int]:
    """The label of every object of a hard membership matrix."""
    return [row.index(1) for row in U.tolist()]


def table(U: Memberships, V: Memberships) -> Table:
    """N* of lei2014 eq. 3, clusters of the truth in rows; its cells always add up to n."""
    pairs = list(zip(_exact(U), _exact(V), strict=True))
    counts = [[sum(u[i] * v[j] for u, v in pairs) for j in range(V.shape[1])] for i in range(U.shape[1])]
    phi = Fraction(len(pairs)) / sum(map(sum, counts))
    return [[phi * count for count in row] for row in counts]


def margins(N: Table) -> tuple[list[Fraction], list[Fraction]]:
    """The row sums and the column sums."""
    return [sum(row, Fraction()) for row in N], [sum(column, Fraction()) for column in zip(*N, strict=True)]


def _exact(U: Memberships) -> list[list[Fraction]]:
    return [[Fraction(value) for value in row] for row in U.tolist()]
