"""One table of odd data for all estimators: what must give a usable fit, and what must be refused."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

IRIS = load_iris().data
FEW = IRIS[::3]

ODD = {
    "one point": np.full((20, 2), 7.0),
    "one point that is not exact": np.full((6, 2), 0.1),
    "two points": np.repeat([[0.0, 1.0], [1.0, 1.0]], 10, axis=0),
    "one object apart from copies": np.array([[0.0], [0.0], [0.0], [1.0]]),
    "a constant feature": np.column_stack([FEW, np.full(50, 3.0)]),
    "a feature twice": np.column_stack([FEW, FEW]),
    "one column": FEW[:, :1],
    "as many objects as clusters": FEW[:3] + np.arange(3.0)[:, None],
    "far from the origin": FEW + 1e8,
    "farther from the origin": FEW + 1e12,
    "whole steps at 1e15": np.arange(8.0)[:, None] + 1e15,
    "tiny": FEW * 1e-300,
    "squares vanish": FEW * 1e-155,
    "huge": FEW * 1e99,
    "an outlier": np.vstack([FEW, np.full((1, 4), 1e6)]),
    "an outlier of another world": np.vstack([FEW, np.full((1, 4), 1e90)]),
    "a line": np.outer(np.arange(30.0), [1.0, 2.0, 3.0]),
    "more features than objects": np.random.default_rng(0).normal(size=(6, 40)),
    "integers": (10 * FEW).astype(int),
    "truth values": np.array([[True], [False], [True], [True]]),
    "single precision": FEW.astype(np.float32),
    "columns first": np.asfortranarray(FEW),
    "every other row, backwards": FEW[::-2],
    "lists": FEW[:20].tolist(),
}

REFUSED = {
    "nan": ([[np.nan, 0.0], [1.0, 0.0], [0.0, 0.0]], ValueError, "NaN"),
    "infinity": ([[np.inf, 0.0], [1.0, 0.0], [0.0, 0.0]], ValueError, "infinity"),
    "fewer than clusters": ([[1.0, 0.0], [0.0, 1.0]], ValueError, "n_samples=2 should be >= n_clusters=3"),
    "too large": ([[1e200, 0.0], [0.0, 1.0], [1.0, 1.0]], ValueError, "too large to be squared"),
    "no objects": (np.zeros((0, 2)), ValueError, "0 sample"),
    "words": ([["a", "b"]] * 4, ValueError, "could not convert"),
    "sparse": (csr_array(np.eye(5)), TypeError, "Sparse data was passed"),
}
