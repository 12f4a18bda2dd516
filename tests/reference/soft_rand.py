"""Campello's fuzzy pair indices and concordance by the definition: double loops over pairs of objects.

Identical means equal after sorting columns and dropping
empty ones; 0/0 of identical partitions is 1, every other zero denominator is nan.
"""

import math
from collections.abc import Callable
from itertools import combinations, permutations

from .tables import Memberships

TNORMS: dict[str, Callable[[float, float], float]] = {"minimum": min, "product": lambda x, y: x * y}
ROUNDING = 1e-12


def identical(U: Memberships, V: Memberships) -> bool:
    columns = [sorted(column for column in M.T.round(9).tolist() if any(column)) for M in (U, V)]
    return columns[0] == columns[1]


def _ratio(U: Memberships, V: Memberships, above: float, below: float) -> float:
    if abs(below) > ROUNDING:
        return above / below
    return 1.0 if identical(U, V) else math.nan


# --- Campello -----------------------------------------------------------------------------------------


def together(U: Memberships, i: int, j: int, tnorm: str) -> float:
    return max(TNORMS[tnorm](U[i, r], U[j, r]) for r in range(U.shape[1]))


def apart(U: Memberships, i: int, j: int, tnorm: str) -> float:
    k = U.shape[1]
    return max((TNORMS[tnorm](U[i, r], U[j, q]) for r in range(k) for q in range(k) if r != q), default=0.0)


def campello_sums(U: Memberships, V: Memberships, tnorm: str = "minimum") -> list[float]:
    """The sums a, b, c, d over pairs, the truth's degree first."""
    T = TNORMS[tnorm]
    terms: list[list[float]] = [[], [], [], []]
    for i, j in combinations(range(len(U)), 2):
        truth = [together(U, i, j, tnorm), apart(U, i, j, tnorm)]
        found = [together(V, i, j, tnorm), apart(V, i, j, tnorm)]
        for place, (t, f) in enumerate((t, f) for t in truth for f in found):
            terms[place].append(T(t, f))
    return [math.fsum(part) for part in terms]


def campello_rand(U: Memberships, V: Memberships, *, tnorm: str = "minimum") -> float:
    a, b, c, d = campello_sums(U, V, tnorm)
    return _ratio(U, V, a + d, a + b + c + d)


def campello_adjusted_rand(U: Memberships, V: Memberships, *, tnorm: str = "minimum") -> float:
    """Hubert and Arabie with M = a + b + c + d pairs, as they write it."""
    a, b, c, d = campello_sums(U, V, tnorm)
    every = a + b + c + d
    expected = (a + b) * (a + c) / every if every else 0.0
    return _ratio(U, V, a - expected, ((a + b) + (a + c)) / 2 - expected)


def campello_jaccard(U: Memberships, V: Memberships, *, tnorm: str = "minimum") -> float:
    a, b, c, _ = campello_sums(U, V, tnorm)
    return _ratio(U, V, a, a + b + c)


# --- concordance --------------------------------------------------------------------------------------


def equivalences(U: Memberships) -> list[float]:
    """1 - half the L1 distance of the rows, for every pair."""
    return [1.0 - math.fsum(abs(U[i] - U[j])) / 2.0 for i, j in combinations(range(len(U)), 2)]


def mean_gap(U: Memberships, V: Memberships) -> float:
    pairs = list(zip(equivalences(U), equivalences(V), strict=True))
    return math.fsum(abs(x - y) for x, y in pairs) / len(pairs)


def expected_gap(U: Memberships, V: Memberships) -> float:
    """Over all pairs of pairs."""
    xs, ys = equivalences(U), equivalences(V)
    return math.fsum(abs(x - y) for x in xs for y in ys) / (len(xs) * len(ys))


def gap_over_all_shuffles(U: Memberships, V: Memberships) -> float:
    """What `expected_gap` is short for."""
    shuffles = [mean_gap(U, V[list(order)]) for order in permutations(range(len(V)))]
    return math.fsum(shuffles) / len(shuffles)


def hullermeier_rifqi(U: Memberships, V: Memberships) -> float:
    if len(U) == 1:
        return 1.0 if identical(U, V) else math.nan
    return 1.0 - mean_gap(U, V)


def adjusted_concordance(U: Memberships, V: Memberships) -> float:
    if len(U) == 1:
        return 1.0 if identical(U, V) else math.nan
    by_chance = expected_gap(U, V)
    return _ratio(U, V, by_chance - mean_gap(U, V), by_chance)


REFERENCE: dict[str, Callable[..., float]] = {
    function.__name__: function
    for function in (
        campello_rand,
        campello_adjusted_rand,
        campello_jaccard,
        hullermeier_rifqi,
        adjusted_concordance,
    )
}
