"""The share of its nearest neighbours that an object's own cluster keeps, by the definition."""

from __future__ import annotations

import math

import numpy as np


def kept(X, labels, i, n_neighbors):
    """For object i: nan for noise and for single-object clusters."""
    size = sum(label == labels[i] for label in labels)
    if labels[i] == -1 or size == 1:
        return math.nan
    others = [j for j in range(len(X)) if j != i]
    others.sort(key=lambda j: float(np.sum((np.asarray(X[i]) - np.asarray(X[j])) ** 2)))
    looked_at = others[: min(n_neighbors, size - 1)]
    return sum(labels[j] == labels[i] for j in looked_at) / len(looked_at)
