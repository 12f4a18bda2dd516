"""Whether two matrices, dense or sparse, have the same columns in some order."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays.matrices import is_sparse

ROUNDING = 1e-12
"""A share of the largest sum that rounding can move another one by."""


def same_columns(a: Any, b: Any, tolerance: float, order: float = np.inf) -> bool:
    """Whether every column of ``a`` has its own column of ``b``, no further off than the tolerance.

    ``order`` is that of the norm: 2, or inf for the largest difference. By Hoelder's inequality the products
    of such columns with any vector r differ by at most the tolerance times the dual norm of r, so that only
    columns with products so close together are looked at.
    """
    if a.shape != b.shape:
        return False
    r = np.random.default_rng(0).random(a.shape[0])
    products = [np.asarray(matrix.T @ r) for matrix in (a, b)]
    rounding = ROUNDING * float(max(np.abs(one).max(initial=0.0) for one in products))
    reach = tolerance * float(np.linalg.norm(r, 1 if order == np.inf else 2)) + rounding
    first, second = (np.argsort(one, kind="stable") for one in products)
    if (np.abs(products[0][first] - products[1][second]) > reach).any():
        return False
    left, right = (matrix.tocsc() if is_sparse(matrix) else matrix for matrix in (a, b))
    sought, free = products[1][second], np.ones(second.size, dtype=bool)
    if is_sparse(a) and 0 not in a.shape:  # one by one, very many columns take minutes
        from scipy.sparse.linalg import norm

        free = norm(left[:, first] - right[:, second], order, axis=0) > tolerance
        first = first[free]
    for column in first:
        low, high = np.searchsorted(sought, products[0][column] + np.array([-reach, reach]), side="left")
        for place in low + np.flatnonzero(free[low : high + 1]):
            gap = left[:, [column]] - right[:, [second[place]]]
            size = np.linalg.norm(gap.data if is_sparse(gap) else gap.ravel(), order) if a.shape[0] else 0.0
            if size <= tolerance:
                free[place] = False
                break
        else:
            return False
    return True
