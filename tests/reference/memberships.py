"""Indices of soft partitions by the definition: loops over objects and clusters, prototypes written out."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .likelihood import determinant, exact_moments
from .tables import Memberships


def partition_coefficient(U: Memberships) -> float:
    return math.fsum(u * u for row in U.tolist() for u in row) / len(U)


def modified_partition_coefficient(U: Memberships) -> float:
    k = sum(any(column) for column in U.T.tolist())
    return math.nan if k < 2 else 1 - k / (k - 1) * (1 - partition_coefficient(U))


def partition_entropy(U: Memberships, base: float | None = None) -> float:
    nats = -math.fsum(u * math.log(u) for row in U.tolist() for u in row if u > 0) / len(U)
    return nats / (1.0 if base is None else math.log(base))


def nonspecificity(U: Memberships) -> float:
    """Of memberships: every one is of a single cluster."""
    return math.fsum(u * math.log(1) for row in U.tolist() for u in row) / len(U)


def nonspecificity_of_masses(objects: Iterable[Mapping[frozenset[int], float]]) -> float:
    """The mean over objects of sum m(A) log |A|, A not empty."""
    each = [math.fsum(m * math.log(len(A)) for A, m in masses.items() if A) for masses in objects]
    return math.fsum(each) / len(each)


# --- with data -------------------------------------------------------------------------------------------


def _filled(U: Memberships) -> list[list[float]]:
    return [column for column in U.T.tolist() if any(column)]


def _prototypes(X: Any, U: Memberships, m: float) -> list[np.ndarray]:
    """sum u^m x / sum u^m, exactly where m is whole."""
    if m == int(m):
        return [np.array([float(c) for c in exact_moments(X, u, m)[1]]) for u in _filled(U)]
    return [np.average(np.asarray(X, dtype=float), axis=0, weights=np.power(u, m)) for u in _filled(U)]


def _squared(a: Any, b: Any) -> float:
    return math.fsum((p - q) ** 2 for p, q in zip(a, b, strict=True))


def _mean(X: Any) -> list[float]:
    return [math.fsum(column) / len(X) for column in np.asarray(X, dtype=float).T.tolist()]


def _within(X: Any, U: Memberships, m: float, power: float = 2.0) -> float:
    """sum u^m |x - v|^power."""
    return math.fsum(
        u**m * _squared(x, v) ** (power / 2)
        for column, v in zip(_filled(U), _prototypes(X, U, m), strict=True)
        for u, x in zip(column, X, strict=True)
    )


def fukuyama_sugeno(X: Any, U: Memberships, m: float = 2.0) -> float:
    between = math.fsum(
        u**m * _squared(v, _mean(X))
        for column, v in zip(_filled(U), _prototypes(X, U, m), strict=True)
        for u in column
    )
    return _within(X, U, m) - between


def _separations(X: Any, U: Memberships, m: float) -> list[float]:
    """Squared distances between prototypes; 0 where rounding alone sets two apart."""
    V = _prototypes(X, U, m)
    spread = math.fsum(_squared(x, _mean(X)) for x in X)
    made = [_squared(V[i], V[j]) for i in range(len(V)) for j in range(i)]
    return [0.0 if value <= 1e-24 * spread else value for value in made]


def kwon(X: Any, U: Memberships, m: float = 2.0) -> float:
    V = _prototypes(X, U, m)
    if len(V) < 2 or all(list(x) == list(X[0]) for x in X):
        return math.nan
    nearest = min(_separations(X, U, m))
    spread = math.fsum(_squared(v, _mean(X)) for v in V) / len(V)
    return math.inf if nearest == 0 else (_within(X, U, m) + spread) / nearest


def pbm_fuzzy(X: Any, U: Memberships, m: float = 2.0) -> float:
    k = len(_filled(U))
    apart = math.fsum(math.sqrt(_squared(x, _mean(X))) for x in X)
    near = _within(X, U, m, power=1.0)
    if k < 2 or near <= 1e-13 * apart:
        return math.nan
    return (apart / near / k * math.sqrt(max(_separations(X, U, m)))) ** 2


def _ellipsoids(X: Any, U: Memberships, m: float) -> list[tuple[np.ndarray, np.ndarray, float]] | None:
    """Centre, covariance and volume of each cluster; None if one is flat."""
    made = []
    for u in _filled(U):
        _, center, covariance = exact_moments(X, u, m)
        volume = determinant(covariance)
        if volume <= 0:
            return None
        made.append((np.array(center, dtype=float), np.array(covariance, dtype=float), math.sqrt(volume)))
    return made


def fuzzy_hypervolume(X: Any, U: Memberships, m: float = 1.0) -> float:
    ellipsoids = _ellipsoids(X, U, m)
    return math.nan if ellipsoids is None else math.fsum(volume for _, _, volume in ellipsoids)


def average_partition_density(X: Any, U: Memberships, m: float = 1.0) -> float:
    """Objects inside a Mahalanobis distance of 1; those on it up to 1e-9 are outside."""
    ellipsoids = _ellipsoids(X, U, m)
    if ellipsoids is None:
        return math.nan
    densities = []
    for u, (center, covariance, volume) in zip(_filled(U), ellipsoids, strict=True):
        inverse = np.linalg.inv(covariance)
        gaps = [np.asarray(x, dtype=float) - center for x in X]
        inside = math.fsum(
            share for share, gap in zip(u, gaps, strict=True) if gap @ inverse @ gap < 1 - 1e-9
        )
        densities.append(inside / volume)
    return math.fsum(densities) / len(densities)


REFERENCE_OF_ONE: dict[str, Callable[..., float]] = {
    "partition_coefficient": partition_coefficient,
    "modified_partition_coefficient": modified_partition_coefficient,
    "partition_entropy": partition_entropy,
    "nonspecificity": nonspecificity,
}
REFERENCE_OF_MASSES: dict[str, Callable[..., float]] = {"nonspecificity": nonspecificity_of_masses}
REFERENCE_OF_DATA: dict[str, Callable[..., float]] = {
    "fukuyama_sugeno": fukuyama_sugeno,
    "kwon": kwon,
    "pbm_fuzzy": pbm_fuzzy,
    "fuzzy_hypervolume": fuzzy_hypervolume,
    "average_partition_density": average_partition_density,
}
