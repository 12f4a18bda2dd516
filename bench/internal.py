"""Internal indices: silhouette, Dunn and the scatter family against scikit-learn and SciPy."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import calinski_harabasz_score, silhouette_score

import partita as pt
from cpu_time import cpu_seconds

ISSUE = 5
FIVE = ["calinski_harabasz", "DBI", "WB", "xu", "ball_hall"]


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    X, labels = rng.normal(size=(n, 10)), rng.integers(0, 10, n)
    ours = pt.indices.silhouette(X, labels)
    assert abs(ours - silhouette_score(X, labels)) < 1e-10
    report(
        "silhouette, 20,000 x 10, vs scikit-learn",
        best(lambda: silhouette_score(X, labels), 1) / best(lambda: pt.indices.silhouette(X, labels), 3),
        10,
        at_most=False,
    )
    tracemalloc.start()
    pt.indices.silhouette(X, labels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    report("silhouette: peak memory, in n x k matrices", peak / (8 * n * 10), 8, at_most=True)

    def dunn_by_blocks() -> float:
        groups = [X[labels == j] for j in range(10)]
        apart = min(_over_blocks(a, b, min) for i, a in enumerate(groups) for b in groups[:i])
        return apart / max(_over_blocks(a, a, max) for a in groups)

    assert abs(dunn_by_blocks() - pt.indices.dunn(X, labels)) < 1e-12
    report(
        "Dunn, 20,000 x 10, vs cdist over pairs of clusters in blocks",
        best(dunn_by_blocks, 3) / best(lambda: pt.indices.dunn(X, labels), 15),
        10,
        at_most=False,
        issue=19,
        earlier={5: 10},
    )
    n = 10**6
    X, labels = rng.normal(size=(n, 10)), rng.integers(0, 20, n)
    pt.validate(X, labels, indices=FIVE)
    report(
        "CH + DBI + WB + Xu + Ball-Hall, 10^6 x 10, k = 20, vs scikit-learn's CH alone",
        best(lambda: calinski_harabasz_score(X, labels), 3)
        / best(lambda: pt.validate(X, labels, indices=FIVE), 5),
        4,
        at_most=False,
    )
    soft_moments(report, X, rng)


def soft_moments(report: Callable[..., None], X: np.ndarray, rng: np.random.Generator) -> None:
    """Checks of the memberships included; in seconds of processors, the product on all threads of BLAS."""
    U = rng.dirichlet(np.ones(20), len(X))
    product = cpu_seconds(lambda: (U**2).T @ X)
    for what, index in (
        ("moments (CH)", "calinski_harabasz"),
        ("scatter (hypervolume)", "fuzzy_hypervolume"),
    ):
        pt.validate(X, U, indices=[index])
        report(
            f"fuzzy {what}, 10^6 x 10, k = 20, vs one (U**2).T @ X",
            cpu_seconds(lambda index=index: pt.validate(X, U, indices=[index]), 5) / product,
            4,
            at_most=True,
            clock="CPU",
            issue=19,
        )


def _over_blocks(a: np.ndarray, b: np.ndarray, choose: Callable[..., float]) -> float:
    return choose(
        float(getattr(cdist(a[i : i + 1000], b), choose.__name__)()) for i in range(0, len(a), 1000)
    )
