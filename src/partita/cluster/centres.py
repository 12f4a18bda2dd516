"""Clusterings by centres: the nearest one, starts, and Lloyd's iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import OPERATIONS_AT_A_TIME, Array, Floats, map_blocks, one_blas_thread
from partita.errors import ParameterError

BLOCK_DISTANCES = 1 << 22
"""Distances that one thread computes at a time."""


@dataclass(frozen=True)
class CentreFit:
    """Centres, the nearest of them for each object, the sum of squared distances, and how it was reached."""

    centres: Floats
    labels: Array
    objective: float
    n_iter: int
    converged: bool


def nearest(X: Floats, centres: Floats) -> tuple[Array, Floats]:
    """The nearest centre of each object, the first of equals, and the squared distance to it."""
    from partita.kernels.lloyd import nearest_centres

    centres = np.ascontiguousarray(centres, dtype=np.float64)
    rows = max(1, BLOCK_DISTANCES // len(centres))
    found = map_blocks(lambda part: nearest_centres(X[part], centres), len(X), rows)
    return np.concatenate([labels for labels, _ in found]), np.concatenate([square for _, square in found])


def starting_centres(X: Floats, n_clusters: int, init: Any, rng: np.random.Generator) -> Floats:
    """``n_clusters`` centres: "k-means++", "random" (distinct objects), or those given."""
    if not isinstance(init, str):
        given = read_centres(init)
        is_finite = bool(np.isfinite(given).all())
        if given.shape != (n_clusters, X.shape[1]) or not is_finite:
            raise ParameterError(
                "init is no set of starting centres.",
                got=f"array of shape {given.shape}{'' if is_finite else ' with nan or inf'}",
                need=f"finite numbers of shape {(n_clusters, X.shape[1])}",
            )
        return given
    if init == "random":
        return X[rng.choice(len(X), n_clusters, replace=False)]
    from sklearn.cluster import kmeans_plusplus

    with one_blas_thread():
        centres: Floats = kmeans_plusplus(X, n_clusters, random_state=int(rng.integers(1 << 31)))[0]
    return centres


def read_centres(init: Any) -> Floats:
    """Given centres as an array of numbers of its own."""
    try:
        return np.array(init, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ParameterError(
            "init is no set of starting centres.", got=repr(init)[:100], need="an array of numbers"
        ) from None


def lloyd(X: Floats, centres: Floats, *, max_iter: int = 300, tol: float = 0.0) -> CentreFit:
    """Lloyd's iteration: nearest centres, then means, until no object moves.

    With ``tol`` it also ends when the centres move by less than ``tol`` times the mean variance of the
    features in all, as scikit-learn's `KMeans` does. An empty cluster takes the object farthest from its own.
    """
    from partita.kernels.lloyd import RUNNING, SETTLED, at_start, iterate_lloyd

    centres = np.array(centres, dtype=np.float64, order="C")
    threshold = tol * float(X.var(axis=0).mean()) if tol else 0.0
    n, d = X.shape
    state, end = at_start(n, d, len(centres)), RUNNING
    while end == RUNNING:
        end = iterate_lloyd(X, centres, state, max_iter, threshold, OPERATIONS_AT_A_TIME // d)
    labels, squared = nearest(X, centres)
    return CentreFit(centres, labels, float(squared.sum()), int(state.position[0]), end == SETTLED)
