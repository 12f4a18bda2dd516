"""Indices of scatter by their definitions (franti2017).

Coordinates are floats, floats are fractions, so sums of squares are computed without any rounding, and "no
scatter", "the centres coincide" and "W is singular" are decided exactly. Memberships such as 0.333... are
taken as the fractions that they came from. Fuzzy memberships count by their squares.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Vector = list[Fraction]


class Clusters:
    """The clusters that are not empty: how much each object counts, their centres, and sums of squares."""

    def __init__(self, X: Floats, U: Floats) -> None:
        self.points = [[Fraction(x) for x in row] for row in np.asarray(X, dtype=float).tolist()]
        columns = [[Fraction(u).limit_denominator(10**6) ** 2 for u in column] for column in U.T.tolist()]
        self.counted = [column for column in columns if any(column)]
        self.n, self.d, self.k = len(self.points), len(self.points[0]), len(self.counted)
        self.weights = [sum(column) for column in self.counted]
        self.centers = [mean(self.points, column) for column in self.counted]
        self.errors = [
            sum(w * squared_distance(x, c) for w, x in zip(column, self.points, strict=True))
            for column, c in zip(self.counted, self.centers, strict=True)
        ]
        self.within = sum(self.errors)
        middle = mean(self.centers, self.weights)
        self.between = sum(
            w * squared_distance(c, middle) for w, c in zip(self.weights, self.centers, strict=True)
        )


def mean(points: list[Vector], weights: Vector) -> Vector:
    return [
        sum(w * x[f] for w, x in zip(weights, points, strict=True)) / sum(weights)
        for f in range(len(points[0]))
    ]


def squared_distance(x: Vector, y: Vector) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), Fraction())


def determinant(matrix: list[Vector]) -> Fraction:
    """By elimination, exactly."""
    rows = [list(row) for row in matrix]
    product = Fraction(1)
    for i in range(len(rows)):
        pivot = next((r for r in range(i, len(rows)) if rows[r][i] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != i:
            rows[i], rows[pivot] = rows[pivot], rows[i]
            product = -product
        product *= rows[i][i]
        for r in range(i + 1, len(rows)):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return product


def ratio(above: Fraction, below: Fraction) -> float:
    if below == 0:
        return math.nan if above == 0 else math.inf
    return float(above / below)


def log(x: Fraction) -> float:
    return -math.inf if x == 0 else math.log(x.numerator) - math.log(x.denominator)


def ssw(X: Floats, U: Floats, *, variant: str = "sum") -> float:
    return float(within(Clusters(X, U), variant))


def within(c: Clusters, variant: str) -> Fraction:
    """Table B.1 of franti2017 divides by the number of objects."""
    return c.within / c.n if variant == "slide" else c.within


def between(c: Clusters, variant: str) -> Fraction:
    """Table B.1 of franti2017 has the mean squared distance of two centres, for k > 1."""
    if variant != "slide":
        return c.between
    pairs = [squared_distance(a, b) for i, a in enumerate(c.centers) for b in c.centers[i + 1 :]]
    return sum(pairs) / len(pairs)


def ssb(X: Floats, U: Floats, *, variant: str = "sum") -> float:
    c = Clusters(X, U)
    return math.nan if variant == "slide" and c.k == 1 else float(between(c, variant))


def mse(X: Floats, U: Floats) -> float:
    c = Clusters(X, U)
    return float(c.within / (c.n * c.d))


def ball_hall(X: Floats, U: Floats, *, variant: str = "sum") -> float:
    c = Clusters(X, U)
    if variant == "sum":
        return float(c.within / c.k)
    return float(sum(e / w for e, w in zip(c.errors, c.weights, strict=True)) / c.k)


def marriott(X: Floats, U: Floats) -> float:
    c = Clusters(X, U)
    W = [[Fraction(0)] * c.d for _ in range(c.d)]
    for column, center in zip(c.counted, c.centers, strict=True):
        for w, x in zip(column, c.points, strict=True):
            away = [a - b for a, b in zip(x, center, strict=True)]
            for f in range(c.d):
                for g in range(c.d):
                    W[f][g] += w * away[f] * away[g]
    return log(c.k**2 * determinant(W))


def calinski_harabasz(X: Floats, U: Floats, *, variant: str = "sum") -> float:
    c = Clusters(X, U)
    if c.k == 1 or c.k >= c.n:
        return math.nan
    return ratio(between(c, variant) / (c.k - 1), within(c, variant) / (c.n - c.k))


def hartigan_log(X: Floats, U: Floats, *, variant: str = "sum") -> float:
    c = Clusters(X, U)
    if c.k == 1 or c.within == c.between == 0:
        return math.nan
    return math.inf if c.within == 0 else log(between(c, variant) / within(c, variant))


def xu(X: Floats, U: Floats) -> float:
    c = Clusters(X, U)
    return c.d * log(c.within / (c.d * c.n**2)) / 2 + math.log(c.k)


def wb_index(X: Floats, U: Floats, *, variant: str = "wb") -> float:
    c = Clusters(X, U)
    if c.k == 1 or (variant == "f_test" and c.k >= c.n):
        return math.nan
    if variant != "f_test":
        return ratio(c.k * within(c, variant), between(c, variant))
    return ratio(c.within / (c.n - c.k), c.between / (c.k - 1))


def rmsstd(X: Floats, U: Floats, *, variant: str = "root") -> float:
    c = Clusters(X, U)
    if c.k == c.n:
        return math.nan
    variance = float(c.within / (c.d * (c.n - c.k)))
    return variance if variant == "slide" else math.sqrt(variance)


def r_squared(X: Floats, U: Floats) -> float:
    c = Clusters(X, U)
    middle = mean(c.points, [Fraction(1)] * c.n)
    total = sum(squared_distance(x, middle) for x in c.points)
    return math.nan if total == 0 else float(1 - c.within / total)


def bic_partition(X: Floats, U: Floats, *, variant: str = "size") -> float:
    c = Clusters(X, U)
    if c.k == c.n or c.within == 0:
        return math.nan
    variance = float(c.within / (c.d * (c.n - c.k)))
    likelihood = sum(float(size) * math.log(size / c.n) for size in c.weights)
    likelihood -= c.n * c.d / 2 * math.log(2 * math.pi * variance) + c.d * (c.n - c.k) / 2
    logs = sum(math.log(size) for size in c.weights) if variant == "slide" else math.log(c.n)
    return -2 * (likelihood - c.k * (c.d + 1) / 2 * logs)


REFERENCE_OF_DATA: dict[str, Callable[..., float]] = {
    function.__name__: function
    for function in (
        ssw,
        ssb,
        mse,
        ball_hall,
        marriott,
        calinski_harabasz,
        hartigan_log,
        xu,
        wb_index,
        rmsstd,
        r_squared,
        bic_partition,
    )
}
