"""Data without structure that looks like given data."""

from __future__ import annotations

import numpy as np

from partita.arrays import Floats, one_blas_thread


def uniform_like(X: Floats, rng: np.random.Generator) -> Floats:
    """As many objects, uniform in the box that the data fills along its principal axes (Tibshirani 2001)."""
    with one_blas_thread():
        middle = X.mean(axis=0)
        axes = np.linalg.svd(X - middle, full_matrices=False)[2]
        along = (X - middle) @ axes.T
        low, high = along.min(axis=0), along.max(axis=0)
        drawn: Floats = rng.uniform(low, high, size=(len(X), len(low))) @ axes + middle
    return drawn


def normal_like(X: Floats, rng: np.random.Generator) -> Floats:
    """As many objects, from one normal law with the mean and the covariances of the data."""
    with one_blas_thread():
        middle = X.mean(axis=0)
        _, spread, axes = np.linalg.svd(X - middle, full_matrices=False)
        drawn = rng.standard_normal((len(X), len(spread))) * (spread / np.sqrt(max(len(X) - 1, 1)))
        return np.asarray(drawn @ axes + middle)
