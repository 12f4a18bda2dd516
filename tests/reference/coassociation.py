"""Co-association indices by the definition: every pair of objects is looked at, in two nested loops.

rovetta2009 with its misprints undone, and the Rand indices on co-associations. 0/0 is the best
value for identical partitions, else nan.
"""

import math
from collections.abc import Callable
from functools import wraps
from itertools import combinations
from math import fsum

import numpy as np

from .tables import Memberships

ZERO = 1e-13


def coassociations(U: Memberships) -> list[float]:
    """<u_i, u_j> for all i < j."""
    return [fsum(x * y for x, y in zip(a, b, strict=True)) for a, b in combinations(U.tolist(), 2)]


TNORMS: dict[str, Callable[[float, float], float]] = {
    "product": lambda x, y: x * y,
    "minimum": min,
    "lukasiewicz": lambda x, y: max(x + y - 1.0, 0.0),
}


def degrees(U: Memberships, tnorm: str) -> list[float]:
    """For all i < j the sum over clusters of T(u_i, u_j)."""
    join = TNORMS[tnorm]
    return [fsum(map(join, a, b)) for a, b in combinations(U.tolist(), 2)]


def identical(U: Memberships, V: Memberships) -> bool:
    """Equal after dropping empty columns and sorting the others."""
    columns = [sorted(map(tuple, W[:, W.any(axis=0)].T.tolist())) for W in (U, V)]
    return len(columns[0]) == len(columns[1]) and bool(np.allclose(*columns, rtol=0, atol=1e-12))


def mean(values: list[float]) -> float:
    return fsum(values) / len(values)


def variance(values: list[float]) -> float:
    center = mean(values)
    return mean([(x - center) ** 2 for x in values])


def _ratio(above: float, below: float, U: Memberships, V: Memberships, best: float) -> float:
    if below > ZERO:
        return above / below
    return best if identical(U, V) else math.nan


def with_pairs(best: float) -> Callable[..., Callable[..., float]]:
    """For a single object: the best value if it is identical on both sides, else nan."""

    def wrap(function: Callable[..., float]) -> Callable[..., float]:
        @wraps(function)
        def safe(U: Memberships, V: Memberships, **options: object) -> float:
            if len(U) == 1:
                return best if identical(U, V) else math.nan
            return function(U, V, **options)

        return safe

    return wrap


@with_pairs(best=0.0)
def coassociation_average_distance(
    U: Memberships, V: Memberships, *, variant: str = "gap", tnorm: str = "product"
) -> float:
    a, b = degrees(U, tnorm), degrees(V, tnorm)
    if variant == "means":
        return abs(mean(a) - mean(b))
    return 2.0 * mean([abs(x - y) for x, y in zip(a, b, strict=True)])


@with_pairs(best=0.0)
def coassociation_rand_distance(U: Memberships, V: Memberships, *, tnorm: str = "product") -> float:
    both = TNORMS[tnorm]
    return mean([x + y - 2 * both(x, y) for x, y in zip(degrees(U, tnorm), degrees(V, tnorm), strict=True)])


@with_pairs(best=0.0)
def coassociation_student_distance(U: Memberships, V: Memberships, *, tnorm: str = "product") -> float:
    gaps = [abs(x - y) for x, y in zip(degrees(U, tnorm), degrees(V, tnorm), strict=True)]
    return mean(gaps) / (0.5 + mean([d * d for d in gaps]) - mean(gaps) ** 2)


@with_pairs(best=0.0)
def coassociation_correlation_distance(
    U: Memberships, V: Memberships, *, halved: bool = False, tnorm: str = "product"
) -> float:
    a, b = degrees(U, tnorm), degrees(V, tnorm)
    center_a, center_b = mean(a), mean(b)
    covariance = mean([(x - center_a) * (y - center_b) for x, y in zip(a, b, strict=True)])
    spread = math.sqrt(variance(a)) * math.sqrt(variance(b))
    if min(variance(a), variance(b)) <= ZERO:
        return 0.0 if identical(U, V) else math.nan
    return (1.0 - covariance / spread) / (2.0 if halved else 1.0)


@with_pairs(best=0.0)
def coassociation_jaccard_distance(U: Memberships, V: Memberships, *, tnorm: str = "product") -> float:
    pairs, both = list(zip(degrees(U, tnorm), degrees(V, tnorm), strict=True)), TNORMS[tnorm]
    apart = fsum(x + y - 2 * both(x, y) for x, y in pairs)
    return _ratio(apart, fsum(x + y - both(x, y) for x, y in pairs), U, V, 0.0)


@with_pairs(best=1.0)
def product_adjusted_rand(U: Memberships, V: Memberships) -> float:
    """(RI - E) / (1 - E), E the mean over all pairs of one side with all pairs of the other."""
    a, b = coassociations(U), coassociations(V)
    agreement = mean([x * y + (1 - x) * (1 - y) for x, y in zip(a, b, strict=True)])
    expected = mean([x * y + (1 - x) * (1 - y) for x in a for y in b])
    return _ratio(agreement - expected, 1.0 - expected, U, V, 1.0)


def _frobenius_value(X: Memberships, Y: Memberships) -> float:
    n = len(X)
    scaled = [Z * (Z.sum() / (Z * Z).sum()) for Z in (X, Y)]
    return 1.0 - float(((scaled[0] - scaled[1]) ** 2).sum()) / (n * (n - 1))


@with_pairs(best=1.0)
def frobenius_rand(U: Memberships, V: Memberships) -> float:
    return _frobenius_value(U @ U.T, V @ V.T)


@with_pairs(best=1.0)
def frobenius_adjusted_rand(U: Memberships, V: Memberships) -> float:
    """The expectation of <X, Y> over shuffles: diagonals meet diagonals, pairs meet pairs."""
    X, Y = U @ U.T, V @ V.T
    n = len(U)
    x, y = (Z.sum() / (Z * Z).sum() for Z in (X, Y))
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    off = [mean([Z[i, j] for i, j in pairs]) for Z in (X, Y)]
    on = [mean([Z[i, i] for i in range(n)]) for Z in (X, Y)]
    product = n * on[0] * on[1] + n * (n - 1) * off[0] * off[1]
    lengths = x * x * (X * X).sum() + y * y * (Y * Y).sum()
    expected = 1.0 - (lengths - 2.0 * x * y * product) / (n * (n - 1))
    return _ratio(_frobenius_value(X, Y) - expected, 1.0 - expected, U, V, 1.0)


def _together_and_apart(U: Memberships) -> tuple[list[float], list[float]]:
    together = coassociations(U)
    sums = [a * b for a, b in combinations([fsum(row) for row in U.tolist()], 2)]
    return together, [s - t for s, t in zip(sums, together, strict=True)]


@with_pairs(best=1.0)
def belief_rand(U: Memberships, V: Memberships) -> float:
    (jU, aU), (jV, aV) = _together_and_apart(U), _together_and_apart(V)
    shared = fsum(map(min, jU, jV)) + fsum(map(min, aU, aV))
    return shared / max(fsum(jU + aU), fsum(jV + aV))


@with_pairs(best=1.0)
def belief_adjusted_rand(U: Memberships, V: Memberships) -> float:
    (jU, aU), (jV, aV) = _together_and_apart(U), _together_and_apart(V)
    largest = max(fsum(jU + aU), fsum(jV + aV))
    shared = fsum(map(min, jU, jV)) + fsum(map(min, aU, aV))
    expected = fsum(min(x, y) for x in jU for y in jV) + fsum(min(x, y) for x in aU for y in aV)
    expected /= len(jU)
    return _ratio(shared - expected, largest - expected, U, V, 1.0)


REFERENCE: dict[str, Callable[..., float]] = {
    function.__name__: function
    for function in (
        coassociation_average_distance,
        coassociation_rand_distance,
        coassociation_student_distance,
        coassociation_correlation_distance,
        coassociation_jaccard_distance,
        product_adjusted_rand,
        frobenius_rand,
        frobenius_adjusted_rand,
        belief_rand,
        belief_adjusted_rand,
    )
}
