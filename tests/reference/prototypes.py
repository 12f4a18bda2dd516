"""Fuzzy, possibilistic, rough and evidential clustering by centres, as their papers define them.

Plain loops over objects and clusters, one function a formula. Distances are Euclidean; an object on a centre
(or on the place of a set of clusters) belongs to it alone, evenly to several at the same place.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def squared(x: Matrix, c: Matrix) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(x, c, strict=True)))


def inverse_powers(costs: list[float], m: float) -> list[float]:
    """Shares proportional to cost**(-1/(m-1))."""
    zeros = costs.count(0.0)
    if zeros:
        return [1 / zeros if cost == 0 else 0.0 for cost in costs]
    least = min(costs)  # a ratio to it is at most 1, so that no power overflows
    shares = [(least / cost) ** (1 / (m - 1)) for cost in costs]
    return [share / sum(shares) for share in shares]


def fuzzy_memberships(X: Matrix, centres: Matrix, m: float) -> Matrix:
    return np.array([inverse_powers([squared(x, c) for c in centres], m) for x in X])


def weighted_means(X: Matrix, weights: Matrix) -> Matrix:
    return np.array(
        [sum(w * x for w, x in zip(column, X, strict=True)) / sum(column) for column in weights.T]
    )


def weighted_squares(X: Matrix, centres: Matrix, weights: Matrix) -> float:
    return sum(weights[i, j] * squared(X[i], centres[j]) for i in range(len(X)) for j in range(len(centres)))


def fuzzy_c_means(X: Matrix, centres: Matrix, m: float, iterations: int) -> tuple[Matrix, float]:
    """Centres and the objective (Bezdek 1981)."""
    for _ in range(iterations):
        centres = weighted_means(X, fuzzy_memberships(X, centres, m) ** m)
    return centres, weighted_squares(X, centres, fuzzy_memberships(X, centres, m) ** m)


def possibilistic_c_means(
    X: Matrix, centres: Matrix, m: float, iterations: int
) -> tuple[Matrix, Matrix, Matrix, float]:
    """Centres, scales, typicalities, and the objective (Krishnapuram and Keller 1993, K = 1)."""
    weights = fuzzy_memberships(X, centres, m) ** m
    scales = np.array(
        [
            sum(weights[i, j] * squared(X[i], c) for i in range(len(X))) / weights[:, j].sum()
            for j, c in enumerate(centres)
        ]
    )

    def typicalities(centres: Matrix) -> Matrix:
        return np.array(
            [
                [
                    1 / (1 + (squared(x, c) / eta) ** (1 / (m - 1)))
                    for c, eta in zip(centres, scales, strict=True)
                ]
                for x in X
            ]
        )

    for _ in range(iterations):
        centres = weighted_means(X, typicalities(centres) ** m)
    t = typicalities(centres)
    objective = weighted_squares(X, centres, t**m) + float((scales * ((1 - t) ** m).sum(axis=0)).sum())
    return centres, scales, t, objective


def max_entropy_memberships(X: Matrix, centres: Matrix, beta: float) -> Matrix:
    """rovetta2009, section 4.2."""
    rows = [[np.exp(-np.sqrt(squared(x, c)) / beta) for c in centres] for x in X]
    return np.array([[value / sum(row) for value in row] for row in rows])


def possible_clusters(X: Matrix, centres: Matrix, threshold: float, variant: str) -> NDArray[np.bool_]:
    distances = np.array([[np.sqrt(squared(x, c)) for c in centres] for x in X])
    possible = np.array([[d <= threshold * min(row) for d in row] for row in distances])
    if variant != "lingras":
        objects, clusters = set(range(len(X))), set(range(len(centres)))
        while clusters:
            _, i, j = min((distances[i, j], i, j) for i in objects for j in clusters)
            possible[i] = [other == j for other in range(len(centres))]
            objects.remove(i)
            clusters.remove(j)
    return possible


def rough_centres(
    X: Matrix, possible: NDArray[np.bool_], variant: str, lower_weight: float, old: Matrix
) -> Matrix:
    """Centres of rough k-means: Peters 2014 ("pi"), Lingras and West 2004, Peters 2006."""
    made = []
    for j in range(possible.shape[1]):
        upper = [i for i in range(len(X)) if possible[i, j]]
        lower = [i for i in upper if possible[i].sum() == 1]
        boundary = [i for i in upper if i not in lower]
        if not upper:
            made.append(old[j])
        elif variant == "pi":
            weights = [1 / possible[i].sum() for i in upper]
            made.append(sum(w * X[i] for w, i in zip(weights, upper, strict=True)) / sum(weights))
        else:
            other = upper if variant == "peters" else boundary
            if not lower or not other:
                made.append(X[lower or other].mean(axis=0))
            else:
                means = X[lower].mean(axis=0), X[other].mean(axis=0)
                made.append(lower_weight * means[0] + (1 - lower_weight) * means[1])
    return np.array(made)


def rough_objective(X: Matrix, centres: Matrix, possible: NDArray[np.bool_]) -> float:
    """The sum over objects of the mean squared distance to their possible clusters' centres."""
    return sum(
        sum(squared(x, c) for c, p in zip(centres, row, strict=True) if p) / row.sum()
        for x, row in zip(X, possible, strict=True)
    )


def evidential_c_means(
    X: Matrix, centres: Matrix, alpha: float, beta: float, delta: float, iterations: int
) -> tuple[Matrix, Matrix, float]:
    """Centres, masses (the empty set first, then all sets by size), and the objective.

    Masson and Denoeux 2008, eqs. (14)-(26): H_lk and B_lq are sums over the sets that hold l (and k).
    """
    k = len(centres)
    sets = [set(s) for size in range(1, k + 1) for s in combinations(range(k), size)]

    def costs(x: Matrix, centres: Matrix) -> list[float]:
        places = [np.mean([centres[j] for j in sorted(s)], axis=0) for s in sets]
        return [
            delta**2,
            *(len(s) ** alpha * squared(x, place) for s, place in zip(sets, places, strict=True)),
        ]

    for _ in range(iterations):
        masses = np.array([inverse_powers(costs(x, centres), beta) for x in X])[:, 1:]
        H, B = np.zeros((k, k)), np.zeros((k, X.shape[1]))
        for a, s in enumerate(sets):
            for i, x in enumerate(X):
                for j in s:
                    B[j] += x * len(s) ** (alpha - 1) * masses[i, a] ** beta
                    for other in s:
                        H[j, other] += len(s) ** (alpha - 2) * masses[i, a] ** beta
        centres = np.linalg.solve(H, B)
    masses = np.array([inverse_powers(costs(x, centres), beta) for x in X])
    objective = sum(
        mass**beta * cost
        for x, row in zip(X, masses, strict=True)
        for mass, cost in zip(row, costs(x, centres), strict=True)
    )
    return centres, masses, float(objective)
