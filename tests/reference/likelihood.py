"""Likelihood and description length by the definition (lagofernandez2009, franti2017 part III).

Densities are written out object by object. Whether a covariance is singular is decided in fractions, without
rounding: its rank only depends on which objects have weight.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from .tables import Memberships

Matrix = list[list[Fraction]]


def exact_moments(X: Any, u: Any, power: float = 1.0) -> tuple[Fraction, list[Fraction], Matrix] | None:
    """Weight, centre and covariance (divided by the weight) of one cluster; None if it is empty."""
    weights = [Fraction(float(value)) ** int(power) for value in u]
    rows = [[Fraction(float(value)) for value in row] for row in X]
    total = sum(weights, Fraction())
    if total == 0:
        return None
    d = range(len(rows[0]))
    center = [sum((w * row[f] for w, row in zip(weights, rows, strict=True)), Fraction()) / total for f in d]
    covariance = [
        [
            sum(
                (
                    w * (row[f] - center[f]) * (row[g] - center[g])
                    for w, row in zip(weights, rows, strict=True)
                ),
                Fraction(),
            )
            / total
            for g in d
        ]
        for f in d
    ]
    return total, center, covariance


def determinant(matrix: Matrix) -> Fraction:
    """By elimination, exactly."""
    rows, product = [list(row) for row in matrix], Fraction(1)
    for step in range(len(rows)):
        pivot = next((r for r in range(step, len(rows)) if rows[r][step] != 0), None)
        if pivot is None:
            return Fraction()
        if pivot != step:
            rows[step], rows[pivot] = rows[pivot], rows[step]
            product = -product
        product *= rows[step][step]
        for r in range(step + 1, len(rows)):
            factor = rows[r][step] / rows[step][step]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[step], strict=True)]
    return product


def partition_negentropy(X: Any, U: Memberships, min_points: int | None = None, ridge: float = 0.0) -> float:
    """1/2 sum w log|S| - sum w log w; nan if a cluster is too small or singular."""
    floor = max(25, len(X[0]) + 1) if min_points is None else min_points
    variances = np.var(np.asarray(X, dtype=float), axis=0)
    value = 0.0
    for u in np.asarray(U).T:
        moments = exact_moments(X, u)
        if moments is None:
            continue
        weight, _, covariance = moments
        for f, row in enumerate(covariance):
            row[f] += Fraction(ridge * variances[f])
        volume = determinant(covariance)
        if weight < floor or volume <= 0:
            return math.nan
        share = float(weight) / len(X)
        log_volume = math.log(volume.numerator) - math.log(volume.denominator)
        value += share * (0.5 * log_volume - math.log(share))
    return value


def partition_overlap(U: Memberships) -> float:
    """lagofernandez2009, the first term of eq. (2)."""
    return -math.fsum(u * math.log(u) for row in U.tolist() for u in row if u > 0) / len(U)


def cluster_negentropy(X: Any, U: Memberships, neighbors: int = 4, min_points: int | None = None) -> float:
    """lagofernandez2009, eq. (3), with the estimate of Kozachenko and Leonenko, from all distances."""
    X, floor = np.asarray(X, dtype=float), max(25, len(X[0]) + 1) if min_points is None else min_points
    value, d = 0.0, len(X[0])
    for u in np.asarray(U).T:
        moments = exact_moments(X, u)
        if moments is None:
            continue
        size, _, covariance = moments
        inside = [i for i in range(len(X)) if u[i] > 0]
        m, volume = len(inside), determinant(covariance)
        if size < floor or m <= neighbors or volume <= 0:
            return math.nan
        inverse = np.linalg.inv(np.array([[float(cell) for cell in row] for row in covariance]))
        ball = math.pi ** (d / 2) / math.gamma(d / 2 + 1)
        harmonic = sum(1 / i for i in range(neighbors, m))
        mean_share = sum(u[i] for i in inside) / m
        entropy = 0.0
        for i in inside:
            squares = sorted(float((X[i] - X[j]) @ inverse @ (X[i] - X[j])) for j in inside if j != i)
            if squares[neighbors - 1] <= 0:
                return math.nan
            density = math.exp(-harmonic) / (ball * squares[neighbors - 1] ** (d / 2)) * u[i] / mean_share
            entropy -= u[i] / (m * mean_share) * math.log(density)
        value += float(size) / len(X) * max(0.0, d / 2 * math.log(2 * math.pi * math.e) - entropy)
    return value


def stochastic_complexity(
    X: Any, U: Memberships, form: str = "exact", simplified: bool = False, base: float | None = None
) -> float:
    """Exact: each label and each feature predicted from those before it (Krichevsky and Trofimov 1981)."""
    if form == "printed":
        return printed_complexity(X, U, simplified, base)
    labels = [int(np.argmax(u)) for u in np.asarray(U)]
    k, half = len(set(labels)), Fraction(1, 2)
    likelihood = Fraction(1)
    for i, (row, label) in enumerate(zip(X, labels, strict=True)):
        earlier = [X[m] for m in range(i) if labels[m] == label]
        likelihood *= (len(earlier) + half) / (i + k * half)
        for f, value in enumerate(row):
            alike = sum(other[f] == value for other in earlier)
            likelihood *= (alike + half) / (len(earlier) + 1)
    nats = math.log(likelihood.denominator) - math.log(likelihood.numerator)
    constant = len(labels) * math.log(len(labels)) if simplified else 0.0
    return (nats - constant) / (1.0 if base is None else math.log(base))


def printed_complexity(X: Any, U: Memberships, simplified: bool = False, base: float | None = None) -> float:
    """franti2017 part III, cluster by cluster and feature by feature."""

    def h(p: float) -> float:
        return 0.0 if p in (0.0, 1.0) else -p * math.log(p) - (1 - p) * math.log(1 - p)

    n, d, total = len(X), len(X[0]), 0.0
    for u in np.asarray(U).T:
        members = [row for row, inside in zip(X, u, strict=True) if inside]
        size = len(members)
        if size == 0:
            continue
        total += size * sum(h(sum(row[f] for row in members) / size) for f in range(d))
        total -= size * math.log(size if simplified else size / n)
        total += d / 2 * math.log(max(1, size))
    return total / (1.0 if base is None else math.log(base))


# --- of a mixture ----------------------------------------------------------------------------------------


def _covariance(model: Any, k: int) -> np.ndarray:
    d = model.means_.shape[1]
    return {
        "full": lambda: model.covariances_[k],
        "tied": lambda: model.covariances_,
        "diag": lambda: np.diag(model.covariances_[k]),
        "spherical": lambda: model.covariances_[k] * np.eye(d),
    }[model.covariance_type]()


def joint_densities(X: Any, model: Any) -> list[list[float]]:
    """For each object the log of w_k N(x | m_k, S_k)."""
    d = len(X[0])
    made = []
    for x in np.asarray(X, dtype=float):
        row = []
        for k, (weight, mean) in enumerate(zip(model.weights_, model.means_, strict=True)):
            S = _covariance(model, k)
            quadratic = (x - mean) @ np.linalg.inv(S) @ (x - mean)
            constant = d * math.log(2 * math.pi) + math.log(np.linalg.det(S))
            row.append(math.log(weight) - 0.5 * (quadratic + constant))
        made.append(row)
    return made


def number_of_parameters(model: Any) -> int:
    """Weights that sum to one, means, and the entries of the covariances that may differ."""
    k, d = model.means_.shape
    full = sum(1 for i in range(d) for j in range(i + 1))
    covariances = {"full": k * full, "tied": full, "diag": k * d, "spherical": k}
    return (k - 1) + k * d + covariances[model.covariance_type]


def _likelihood_and_responsibilities(X: Any, model: Any) -> tuple[float, list[list[float]]]:
    likelihood, shares = 0.0, []
    for row in joint_densities(X, model):
        top = max(row)
        log_density = top + math.log(math.fsum(math.exp(value - top) for value in row))
        likelihood += log_density
        shares.append([math.exp(value - log_density) for value in row])
    return likelihood, shares


def aic(X: Any, model: Any) -> float:
    likelihood, _ = _likelihood_and_responsibilities(X, model)
    return -2 * likelihood + 2 * number_of_parameters(model)


def bic(X: Any, model: Any) -> float:
    likelihood, _ = _likelihood_and_responsibilities(X, model)
    return -2 * likelihood + number_of_parameters(model) * math.log(len(X))


def icl(X: Any, model: Any) -> float:
    _, shares = _likelihood_and_responsibilities(X, model)
    entropy = -math.fsum(r * math.log(r) for row in shares for r in row if r > 0)
    return bic(X, model) + 2 * entropy


def icl_map(X: Any, model: Any) -> float:
    _, shares = _likelihood_and_responsibilities(X, model)
    return bic(X, model) - 2 * math.fsum(math.log(max(row)) for row in shares)


REFERENCE_OF_ONE: dict[str, Callable[..., float]] = {"partition_overlap": partition_overlap}
REFERENCE_OF_DATA: dict[str, Callable[..., float]] = {
    "partition_negentropy": partition_negentropy,
    "cluster_negentropy": cluster_negentropy,
    "stochastic_complexity": stochastic_complexity,
}
REFERENCE_OF_MODEL: dict[str, Callable[..., float]] = {"aic": aic, "bic": bic, "icl": icl, "icl_map": icl_map}
