"""Objects that are equal to others: which are distinct, and what is said of many copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array, is_sparse

__all__ = ["copies_text", "distinct_objects"]

MANY = 0.1
"""The share of objects with an equal one before them from which on it is said: distances of 0 then weigh."""


def distinct_objects(X: Any) -> Array:
    """Which objects have no equal one before them, in their order; sparse rows are canonical."""
    if is_sparse(X):
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        rows = [(X.indices[a:b].tobytes(), X.data[a:b].tobytes()) for a, b in ends]
        first = {row: place for place, row in reversed(list(enumerate(rows)))}
        return np.sort(np.fromiter(first.values(), dtype=np.int64))
    return np.sort(np.unique(X, axis=0, return_index=True)[1])


def copies_text(n: int, distinct: int) -> str:
    """What is said of so many objects of which so many are distinct; nothing where copies are few."""
    copies = n - distinct
    if copies < MANY * n or copies == 0:
        return ""
    return f"{copies} of {n} objects ({copies / n:.0%}) are equal to an earlier one"
