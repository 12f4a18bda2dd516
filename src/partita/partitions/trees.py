"""Trees of merges, as SciPy's linkage and scikit-learn's ``children_`` list them, and their cuts."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import ParameterError, Phrase, Setting
from partita.partitions.hard import HardPartition


def merges_in(matrix: Any) -> Array | None:
    """The pairs of nodes that a tree merges, row by row, or None where a matrix is no such tree.

    Nodes 0 to n - 1 are objects and node n + i is what row i makes. A linkage has the height and the number
    of objects beside each pair; every node but the root is merged once, which memberships never satisfy.
    """
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.shape[1] not in (2, 4):
        return None
    if matrix.dtype.kind not in "iuf" or (matrix.shape[1] == 2 and matrix.dtype.kind == "f"):
        return None
    n, pairs = len(matrix) + 1, matrix[:, :2]
    if not np.isfinite(matrix).all() or not np.array_equal(np.sort(pairs, axis=None), np.arange(2 * n - 2)):
        return None
    made_before = pairs.max(axis=1) < n + np.arange(n - 1)
    return pairs.astype(np.int64) if made_before.all() else None


def cut(merges: Array, k: Any) -> HardPartition:
    """The clusters that are left before the last ``k - 1`` merges."""
    n = len(merges) + 1
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or not 1 <= k <= n:
        raise ParameterError(
            Phrase(Setting("k"), " is no number of clusters of this tree."),
            got=repr(k)[:60],
            need=f"a whole number from 1 to {n}",
            parameter="k",
        )
    above = np.full(2 * n - 1, -1)
    for i, (left, right) in enumerate(merges[: n - k].tolist()):
        above[left] = above[right] = n + i
    top = np.arange(2 * n - 1)
    for node in range(2 * n - 2, -1, -1):
        if above[node] >= 0:
            top[node] = top[above[node]]
    _, first, codes = np.unique(top[:n], return_index=True, return_inverse=True)
    by_appearance = np.argsort(np.argsort(first))
    return HardPartition(by_appearance[codes])


def tree_without_k() -> ParameterError:
    """The error for a tree that nobody said how to cut."""
    return ParameterError(
        "this is a tree of merges, and a clustering is a cut of it.",
        got="a linkage matrix, or children_",
        need=Phrase(Setting("k", words="k="), ", the number of clusters"),
        fix=Phrase(Setting("k", 3, "as_partition(tree, k=3)"), ", or k=[2, 3, 4] for an ensemble of cuts"),
        parameter="k",
    )
