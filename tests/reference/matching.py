"""Set matching by the definition (franti2017 part VI): exact tables, all permutations, no assignment solver.

Rows of a table are true clusters. Clusters without any object do not exist here.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations

from .tables import Memberships, Table, margins, table

Pairing = list[tuple[int, int]]


def filled(U: Memberships, V: Memberships) -> Table:
    """N* without empty rows and columns."""
    N = table(U, V)
    rows, columns = margins(N)
    return [
        [cell for cell, size in zip(row, columns, strict=True) if size]
        for row, own in zip(N, rows, strict=True)
        if own
    ]


def pairings(N: Table) -> Iterator[Pairing]:
    """All ways to pair as many clusters as there are on the shorter side."""
    k, k_found = len(N), len(N[0])
    if k <= k_found:
        yield from (list(enumerate(order)) for order in permutations(range(k_found), k))
    else:
        yield from ([(i, j) for j, i in enumerate(order)] for order in permutations(range(k), k_found))


def greedy_pairing(N: Table) -> Pairing:
    """The largest cell, ties by position, then the largest of the other rows and columns, and so on."""
    cells = sorted((-cell, i, j) for i, row in enumerate(N) for j, cell in enumerate(row) if cell)
    pairs: Pairing = []
    for _, i, j in cells:
        if all(i != a and j != b for a, b in pairs):
            pairs.append((i, j))
    return pairs


def purity(U: Memberships, V: Memberships) -> float:
    return float(sum(max(column) for column in zip(*filled(U, V), strict=True)) / len(U))


def goodman_kruskal(U: Memberships, V: Memberships) -> float:
    """Of every found cluster, the share outside its largest true class; weighted by size."""
    N = filled(U, V)
    _, columns = margins(N)
    shares = [1 - max(column) / size for column, size in zip(zip(*N, strict=True), columns, strict=True)]
    return float(sum(size * share for size, share in zip(columns, shares, strict=True)) / len(U))


def goodman_kruskal_lambda(U: Memberships, V: Memberships) -> float:
    """(error without the found cluster - error with it) / error without it."""
    N = filled(U, V)
    rows, _ = margins(N)
    without = len(U) - max(rows)
    if len(N) == 1:
        return 1.0 if len(N[0]) == 1 else math.nan
    known = len(U) - sum(max(column) for column in zip(*N, strict=True))
    return float((without - known) / without)


def f_measure(U: Memberships, V: Memberships) -> float:
    """Harmonic mean of precision and recall of the best found cluster, for each class, by size."""
    N = filled(U, V)
    rows, columns = margins(N)

    def harmonic(i: int, j: int) -> Fraction:
        if not N[i][j]:
            return Fraction()
        precision, recall = N[i][j] / columns[j], N[i][j] / rows[i]
        return 2 * precision * recall / (precision + recall)

    return float(
        sum(rows[i] * max(harmonic(i, j) for j in range(len(columns))) for i in range(len(rows))) / len(U)
    )


def normalized_van_dongen(U: Memberships, V: Memberships) -> float:
    N = filled(U, V)
    matched = sum(max(row) for row in N) + sum(max(column) for column in zip(*N, strict=True))
    return float((2 * len(U) - matched) / (2 * len(U)))


def classification_error(U: Memberships, V: Memberships) -> float:
    N = filled(U, V)
    return float(1 - max(sum(N[i][j] for i, j in pairs) for pairs in pairings(N)) / len(U))


def criterion_h(U: Memberships, V: Memberships) -> float:
    N = filled(U, V)
    return float(1 - sum(N[i][j] for i, j in greedy_pairing(N)) / len(U))


def _pair_set(U: Memberships, V: Memberships, expected: Callable[[Table], Fraction]) -> float:
    N = filled(U, V)
    rows, columns = margins(N)
    most = max(len(rows), len(columns))
    if most == 1:
        return 1.0
    total = max(
        sum((N[i][j] / max(rows[i], columns[j]) for i, j in pairs), Fraction()) for pairs in pairings(N)
    )
    by_chance = expected(N)
    return float((total - by_chance) / (most - by_chance)) if total >= by_chance else 0.0


def pair_set_index(U: Memberships, V: Memberships) -> float:
    """franti2017: E pairs the sizes in descending order, n_i (m_i / N) / max(n_i, m_i) each."""

    def expected(N: Table) -> Fraction:
        by_size = zip(*(sorted(sizes, reverse=True) for sizes in margins(N)), strict=False)
        return sum((a * (b / len(U)) / max(a, b) for a, b in by_size), Fraction())

    return _pair_set(U, V, expected)


def simplified_pair_set_index(U: Memberships, V: Memberships) -> float:
    return _pair_set(U, V, lambda _: Fraction(1))


REFERENCE: dict[str, Callable[..., float]] = {
    function.__name__: function
    for function in (
        purity,
        f_measure,
        classification_error,
        normalized_van_dongen,
        criterion_h,
        goodman_kruskal,
        goodman_kruskal_lambda,
        pair_set_index,
        simplified_pair_set_index,
    )
}
