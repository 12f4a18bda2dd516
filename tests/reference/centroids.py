"""Centroid indices by the definition (franti2017 part VI), exactly.

Coordinates and memberships are floats, floats are fractions: centres, distances and ties are not rounded. Of
equally near centres the first is taken. Clusters without any object do not exist here. The indices take the
data X and the memberships U (truth) and V (found); the generalised one takes U and V.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .matching import filled
from .tables import AmbiguousError, Memberships, is_hard, margins, table

Matrix = NDArray[np.float64]
Centers = list[list[Fraction]]

TIE = Fraction(1, 10**12)


def centers(X: Matrix, U: Memberships) -> tuple[Centers, list[int]]:
    """Means weighted by squared memberships, and the columns they belong to."""
    rows = [[Fraction(float(value)) for value in row] for row in np.asarray(X)]
    made, columns = [], []
    for j in range(U.shape[1]):
        weights = [Fraction(float(u)) ** 2 for u in U[:, j]]
        total = sum(weights)
        if total:
            made.append(
                [sum(w * x for w, x in zip(weights, f, strict=True)) / total for f in zip(*rows, strict=True)]
            )
            columns.append(j)
    return made, columns


def squared(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum(((x - y) ** 2 for x, y in zip(a, b, strict=True)), Fraction())


def nearest(sources: Centers, targets: Centers) -> list[int]:
    """The first of the nearest; memberships such as 1/3 are rounded, so that a near tie is none to judge."""
    found = []
    for c in sources:
        gaps = [squared(c, target) for target in targets]
        least = min(gaps)
        if any(0 < gap - least <= TIE * max(gaps) for gap in gaps):
            raise AmbiguousError("two centres are equally near but for rounding")
        found.append(gaps.index(least))
    return found


def orphans(sources: Centers, targets: Centers) -> int:
    return len(targets) - len(set(nearest(sources, targets)))


def chosen(forward: int, backward: int, way: str) -> float:
    return float({"symmetric": max(forward, backward), "forward": forward, "backward": backward}[way])


def index_of_centers(A: Centers, B: Centers, *, way: str = "symmetric") -> float:
    return chosen(orphans(A, B), orphans(B, A), way)


def centroid_index(X: Matrix, U: Memberships, V: Memberships, *, way: str = "symmetric") -> float:
    return index_of_centers(centers(X, U)[0], centers(X, V)[0], way=way)


def centroid_similarity_index(X: Matrix, U: Memberships, V: Memberships, *, variant: str = "slide") -> float:
    """The mean of both directions; all sources of a target, or (program) only its best one."""
    N = table(U, V)
    (A, rows), (B, columns) = centers(X, U), centers(X, V)

    def one_way(shared: dict[tuple[int, int], Fraction]) -> Fraction:
        if variant == "slide":
            return sum(shared.values(), Fraction())
        targets = {target for _, target in shared}
        return sum((max(v for (_, t), v in shared.items() if t == target) for target in targets), Fraction())

    forward = one_way({(i, j): N[rows[i]][columns[j]] for i, j in enumerate(nearest(A, B))})
    backward = one_way({(j, i): N[rows[i]][columns[j]] for j, i in enumerate(nearest(B, A))})
    return float((forward + backward) / (2 * len(U)))


def similarity_of_centers(X: Centers, A: Centers, B: Centers, *, variant: str = "slide") -> float:
    """The same of two sets of centres, whose objects are those that each is the first nearest to."""
    of_truth, of_found = nearest(X, A), nearest(X, B)

    def one_way(sources: Centers, targets: Centers, own: list[int], others: list[int]) -> int:
        shared = [
            sum(a == i and b == j for a, b in zip(own, others, strict=True))
            for i, j in enumerate(nearest(sources, targets))
        ]
        if variant == "slide":
            return sum(shared)
        near = nearest(sources, targets)
        return sum(max(s for s, j in zip(shared, near, strict=True) if j == target) for target in set(near))

    both = one_way(A, B, of_truth, of_found) + one_way(B, A, of_found, of_truth)
    return both / (2 * len(X))


def centroid_ratio(X: Matrix, U: Memberships, V: Memberships) -> float:
    """Greedy pairs; unstable if the squared distance exceeds the product of the neighbours' distances."""
    A, B = centers(X, U)[0], centers(X, V)[0]
    if len(A) != len(B):
        return math.nan
    if len(A) == 1:
        return 1.0
    candidates = sorted((squared(a, b), i, j) for i, a in enumerate(A) for j, b in enumerate(B))
    paired: list[tuple[int, int]] = []
    unstable = 0
    for gap, i, j in candidates:
        if all(i != a and j != b for a, b in paired):
            paired.append((i, j))
            near_a = min(squared(A[i], c) for place, c in enumerate(A) if place != i)
            near_b = min(squared(B[j], c) for place, c in enumerate(B) if place != j)
            unstable += gap**2 > near_a * near_b  # gap > sqrt(near_a) * sqrt(near_b)
    return 1.0 - unstable / len(A)


def generalized_centroid_index(U: Memberships, V: Memberships, *, way: str = "symmetric") -> float:
    """Orphans of the map to the cluster of largest Jaccard overlap."""
    if not (is_hard(U) and is_hard(V)):
        return math.nan
    N = filled(U, V)
    rows, columns = margins(N)
    alike = [[cell / (rows[i] + columns[j] - cell) for j, cell in enumerate(row)] for i, row in enumerate(N)]
    to_found = [row.index(max(row)) for row in alike]
    to_truth = [column.index(max(column)) for column in map(list, zip(*alike, strict=True))]
    return chosen(len(columns) - len(set(to_found)), len(rows) - len(set(to_truth)), way)


REFERENCE = {"generalized_centroid_index": generalized_centroid_index}
REFERENCE_OF_DATA = {
    function.__name__: function for function in (centroid_index, centroid_similarity_index, centroid_ratio)
}
