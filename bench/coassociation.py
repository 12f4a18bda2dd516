"""Co-associations: linear sums against one matrix product, gaps against n x n matrices and sorting."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np

import partita as pt
from cpu_time import cpu_seconds

ISSUE = 3
LINEAR = [
    "coassociation_rand_distance",
    "coassociation_correlation_distance",
    "coassociation_jaccard_distance",
    "product_adjusted_rand",
    "frobenius_rand",
    "frobenius_adjusted_rand",
]


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    linear(report, rng)
    soft_against_soft(report, best, rng)
    two_against_two(report, best, rng)


def linear(report: Callable[..., None], rng: np.random.Generator) -> None:
    """In seconds of processors on both sides; the product as NumPy has it, with BLAS on all its threads."""
    n = 10**6
    U, V = rng.dirichlet(np.ones(10), n), rng.dirichlet(np.ones(12), n)
    tables = [e.name for e in pt.indices.catalogue() if e.statistics == (pt.statistics.Contingency,)]
    names = LINEAR + [name for name in tables if pt.Kind.FUZZY in pt.indices.find(name).kinds]
    pt.compare(U, V, indices=names)
    report(
        f"10^6 x (10, 12): {len(LINEAR)} pair, {len(names) - len(LINEAR)} table indices vs one U.T @ V",
        cpu_seconds(lambda: pt.compare(U, V, indices=names)) / cpu_seconds(lambda: U.T @ V),
        6,
        at_most=True,
        clock="CPU",
        issue=19,
        earlier={3: 6},
    )


def soft_against_soft(
    report: Callable[..., None], best: Callable[..., float], rng: np.random.Generator
) -> None:
    n = 20_000
    U, V = rng.dirichlet(np.ones(8), n), rng.dirichlet(np.ones(6), n)

    def dense() -> float:
        gaps = U @ U.T
        gaps -= V @ V.T
        np.abs(gaps, out=gaps)
        h = n * (n - 1) / 2
        mean = (gaps.sum() - np.diagonal(gaps).sum()) / 2 / h
        gaps *= gaps
        square = (gaps.sum() - np.diagonal(gaps).sum()) / 2 / h
        return float(mean / (0.5 + square - mean**2))

    def ours() -> float:
        return pt.indices.coassociation_student_distance(U, V)

    assert abs(ours() - dense()) < 1e-10
    report(
        "student distance, soft, n = 20,000, 8 x 6, vs n x n",
        best(dense, 2) / best(ours, 3),
        4,
        at_most=False,
    )
    tracemalloc.start()
    ours()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    report(
        "student distance: peak memory, as a share of one n x n matrix",
        peak / (8 * n * n),
        0.02,
        at_most=True,
    )


def two_against_two(
    report: Callable[..., None], best: Callable[..., float], rng: np.random.Generator
) -> None:
    n = 200_000
    U, V = rng.dirichlet(np.ones(2), n), rng.dirichlet(np.ones(2), n)
    values = rng.random(n)
    report(
        "student distance, 2 x 2 clusters, n = 200,000, vs one np.sort",
        best(lambda: pt.indices.coassociation_student_distance(U, V)) / best(lambda: np.sort(values)),
        100,
        at_most=True,
    )
