"""k-means by its definition."""

from __future__ import annotations

import numpy as np


def sum_of_squares(X: np.ndarray, centres: np.ndarray) -> float:
    """Squared distances to the nearest centre."""
    return float(((X[:, None] - centres) ** 2).sum(axis=2).min(axis=1).sum())


def lloyd_by_definition(X: np.ndarray, centres: np.ndarray) -> list[np.ndarray] | None:
    """The centres before each iteration until no label changes; None if a cluster is ever empty."""
    path, labels = [], None
    while True:
        path.append(centres)
        now = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        if labels is not None and (now == labels).all():
            return path
        labels = now
        if len(np.unique(labels)) < len(centres):
            return None
        centres = np.array([X[labels == j].mean(axis=0) for j in range(len(centres))])
