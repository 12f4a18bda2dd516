"""Information indices by the definition (lei2014 Table II on N*, and the conditional entropies).

Plain loops over the cells of the exact table; only logarithms and the final sums are floats. H(truth) and
H(found) are the entropies of the margins of N*; for possibilistic memberships these are not the column sums
of U or V, so that `entropy`, which sees one partition, is another number there. Natural logarithms, or those
to `base`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

from .tables import AmbiguousError, Masses, Memberships, is_hard, labels, margins, table

Cell = tuple[Fraction, Fraction, Fraction]


def entropy(U: Memberships, *, base: float = math.e) -> float:
    """Of one partition: of its column sums, normalised to total 1."""
    sums = [sum(map(Fraction, column), Fraction()) for column in U.T.tolist()]
    return _entropy(size / sum(sums) for size in sums) / math.log(base)


def joint_entropy(U: Memberships, V: Memberships, *, base: float = math.e) -> float:
    return _entropy(p for p, _, _ in _cells(U, V)) / math.log(base)


def mutual_information(U: Memberships, V: Memberships, *, base: float = math.e) -> float:
    return math.fsum(p * _log(p / (row * column)) for p, row, column in _cells(U, V)) / math.log(base)


def class_entropy(U: Memberships, V: Memberships, *, base: float = math.e) -> float:
    """H(truth | found): what is still unknown of the truth when the found cluster is known."""
    return math.fsum(-p * _log(p / column) for p, _, column in _cells(U, V)) / math.log(base)


def variation_of_information(U: Memberships, V: Memberships, *, base: float = math.e) -> float:
    """H(truth | found) + H(found | truth)."""
    return class_entropy(U, V, base=base) + class_entropy(V, U, base=base)


def normalized_variation_of_information(U: Memberships, V: Memberships) -> float:
    if _constant(U, V) == (True, True):
        return 0.0
    return variation_of_information(U, V) / joint_entropy(U, V)


def nmi_joint(U: Memberships, V: Memberships) -> float:
    return _normalized(U, V, lambda _u, _v, joint: joint)


def nmi_max(U: Memberships, V: Memberships) -> float:
    return _normalized(U, V, lambda u, v, _: max(u, v))


def nmi_sum(U: Memberships, V: Memberships) -> float:
    return _normalized(U, V, lambda u, v, _: (u + v) / 2)


def nmi_sqrt(U: Memberships, V: Memberships) -> float:
    return _normalized(U, V, lambda u, v, _: math.sqrt(u * v))


def nmi_min(U: Memberships, V: Memberships) -> float:
    return _normalized(U, V, lambda u, v, _: min(u, v))


def homogeneity(U: Memberships, V: Memberships) -> float:
    """1 - H(truth | found) / H(truth)."""
    return 1.0 if _constant(U, V)[0] else 1 - class_entropy(U, V) / _marginal_entropies(U, V)[0]


def completeness(U: Memberships, V: Memberships) -> float:
    """1 - H(found | truth) / H(found)."""
    return homogeneity(V, U)


def v_measure(U: Memberships, V: Memberships, *, beta: float = 1.0) -> float:
    """Harmonic mean of h = I/H(truth) and c = I/H(found), (1 + beta) h c / (beta h + c), with I cancelled.

    Cancelling leaves no 0/0 for independent partitions: their value is 0.
    """

    def mean(u: float, v: float, _joint: float) -> float:
        return (beta * v + u) / (1 + beta)

    return _normalized(U, V, mean)


AVERAGES: dict[str, Callable[[float, float, float], float]] = {
    "arithmetic": lambda u, v, _: (u + v) / 2,
    "geometric": lambda u, v, _: math.sqrt(u * v),
    "max": lambda u, v, _: max(u, v),
    "min": lambda u, v, _: min(u, v),
    "joint": lambda _u, _v, joint: joint,
}


def adjusted_mutual_information(U: Memberships, V: Memberships, *, average: str = "arithmetic") -> float:
    """(I - E[I]) / (average of the entropies - E[I]), objects permuted at random; hard only."""
    rows, columns = _sizes(U), _sizes(V)
    constant, singletons = _constant(U, V), (max(rows) == 1, max(columns) == 1)
    if all(constant) or all(singletons):
        return 1.0
    if any(constant):
        return 0.0
    if any(singletons) and average == "min":  # I = E[I] = H of the coarser one, under every permutation
        return math.nan
    expected = expected_mutual_information(rows, columns)
    normalizer = AVERAGES[average](*_marginal_entropies(U, V), joint_entropy(U, V))
    return (mutual_information(U, V) - expected) / (normalizer - expected)


def expected_mutual_information(rows: Sequence[int], columns: Sequence[int]) -> float:
    """The mean of I over all permutations of the objects, for cluster sizes `rows` and `columns`.

    A cell count is hypergeometric: exact integers, one correctly rounded division per term.
    """
    n = sum(rows)
    return math.fsum(_expected_cell(n, a, b) for a in rows for b in columns)


def expected_mutual_information_by_permutations(U: Memberships, V: Memberships) -> float:
    """The same by going through all n! orders of the found labels (n <= 6)."""
    if len(V) > 6:
        raise ValueError("6! = 720 permutations are the most that is reasonable")
    orders = [list(order) for order in permutations(range(len(V)))]
    return math.fsum(mutual_information(U, V[order]) for order in orders) / len(orders)


@cache
def _expected_cell(n: int, a: int, b: int) -> float:
    ways = math.comb(n, a)
    return math.fsum(
        math.comb(b, x) * math.comb(n - b, a - x) / ways * (x / n) * _log(Fraction(n * x, a * b))
        for x in range(max(1, a + b - n), min(a, b) + 1)
    )


def _cells(U: Memberships, V: Memberships) -> list[Cell]:
    """The cells that are not empty: their share and the shares of their row and their column."""
    N, n = table(U, V), len(U)
    rows, columns = margins(N)
    return [
        (cell / n, rows[i] / n, columns[j] / n)
        for i, row in enumerate(N)
        for j, cell in enumerate(row)
        if cell
    ]


def _log(x: Fraction) -> float:
    """The logarithm, to full relative precision near 1 too."""
    return math.log1p(x - 1) if abs(x - 1) < Fraction(1, 2) else math.log(x)


def _entropy(shares: Iterable[Fraction]) -> float:
    return math.fsum(-p * _log(p) for p in shares if p)


def _marginal_entropies(U: Memberships, V: Memberships) -> tuple[float, float]:
    rows, columns = margins(table(U, V))
    return _entropy(size / len(U) for size in rows), _entropy(size / len(U) for size in columns)


def _constant(U: Memberships, V: Memberships) -> tuple[bool, bool]:
    """Whether all mass of the truth, and all mass of the found, sits in one cluster."""
    rows, columns = margins(table(U, V))
    return sum(map(bool, rows)) == 1, sum(map(bool, columns)) == 1


def _normalized(U: Memberships, V: Memberships, normalizer: Callable[[float, float, float], float]) -> float:
    constant = _constant(U, V)
    if any(constant):
        return 1.0 if all(constant) else 0.0
    return mutual_information(U, V) / normalizer(*_marginal_entropies(U, V), joint_entropy(U, V))


def _sizes(U: Memberships) -> list[int]:
    if not is_hard(U):
        raise ValueError("the chance model of adjusted_mutual_information is for hard partitions")
    return [int(size) for size in np.bincount(labels(U)) if size]


def entropy_of_masses(found: Masses, *, base: float = math.e) -> float:
    """Of the plausibilities of the clusters, summed over the objects, normalised to total 1."""
    clusters = {cluster for masses in found for sets in masses for cluster in sets}
    sums = [
        sum((Fraction(m) for masses in found for A, m in masses.items() if c in A), Fraction())
        for c in clusters
    ]
    if not sum(sums):
        return math.nan  # every object is in no cluster
    return _entropy(size / sum(sums) for size in sums) / math.log(base)


def with_coupling(value: Callable[..., float]) -> Callable[..., float]:
    """The same with an option: ``coupling="maximal"`` reads another table of the same margins."""

    def of_memberships(U: Memberships, V: Memberships, *, coupling: str = "product", **options: Any) -> float:
        if coupling == "maximal" and not is_hard(U) and not is_hard(V):
            return value(*as_cells(maximal_coupling(U, V)), **options)
        return value(U, V, **options)

    return of_memberships


def maximal_coupling(U: Memberships, V: Memberships) -> list[list[float]]:
    """Clusters matched so that they share most; each object puts min(u, v) there, the rest as a product."""
    k = max(U.shape[1], V.shape[1])
    u, v = ([row + [0.0] * (k - len(row)) for row in side.tolist()] for side in (U, V))
    shared = [[math.fsum(a[i] * b[j] for a, b in zip(u, v, strict=True)) for j in range(k)] for i in range(k)]
    scores = {order: math.fsum(shared[i][order[i]] for i in range(k)) for order in permutations(range(k))}
    best = max(scores.values())
    answers = [_coupled(u, v, order) for order, score in scores.items() if score >= best - 1e-9]
    if any(abs(np.subtract(other, answers[0])).max() > 1e-9 for other in answers[1:]):
        raise AmbiguousError("several matchings are equally good")
    return answers[0]


def _coupled(u: list[list[float]], v: list[list[float]], order: Sequence[int]) -> list[list[float]]:
    k = len(order)
    N = [[0.0] * k for _ in range(k)]
    for a, b in zip(u, v, strict=True):
        same = [min(a[i], b[order[i]]) for i in range(k)]
        left = math.fsum(a) - math.fsum(same)
        for i in range(k):
            N[i][order[i]] += same[i]
            for j in range(k):
                rest = (a[i] - same[i]) * (b[j] - same[order.index(j)])
                N[i][j] += rest / left if left > 1e-12 else 0.0
    return N


def as_cells(N: list[list[float]]) -> tuple[Memberships, Memberships]:
    """Memberships of one object for each cell, whose table has the cells of N as shares."""
    cells = [(i, j, cell) for i, row in enumerate(N) for j, cell in enumerate(row) if cell > 0]
    U, V = np.zeros((len(cells), len(N))), np.zeros((len(cells), len(N)))
    for place, (i, j, cell) in enumerate(cells):
        U[place, i], V[place, j] = cell, 1.0
    return U, V


REFERENCE_OF_MASSES: dict[str, Callable[..., float]] = {"entropy": entropy_of_masses}
REFERENCE: dict[str, Callable[..., float]] = {"adjusted_mutual_information": adjusted_mutual_information} | {
    function.__name__: with_coupling(function)
    for function in (
        joint_entropy,
        mutual_information,
        nmi_joint,
        nmi_max,
        nmi_sum,
        nmi_sqrt,
        nmi_min,
        variation_of_information,
        normalized_variation_of_information,
        class_entropy,
        homogeneity,
        completeness,
        v_measure,
    )
}
