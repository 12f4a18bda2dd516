"""Every compiled loop. Serial, without the GIL, on one block of rows; imported late."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, boundscheck=False)
def low_and_high(values: Any) -> Any:
    """The smallest and the largest of a block of labels, in one look at each."""
    low = values[0]
    high = values[0]
    for value in values:
        low = min(low, value)
        high = max(high, value)
    return low, high


@njit(cache=True, nogil=True, boundscheck=False)
def count_pairs(a: Any, b: Any, low_a: int, low_b: int, rows: int, columns: int) -> Any:
    """Count how often each pair of labels occurs: the ``(rows, columns)`` table of two label blocks.

    Labels must lie in ``[low, low + rows)`` and ``[low, low + columns)``. Four private tables take turns,
    so that equal neighbours do not wait for each other's counter.
    """
    cells = rows * columns
    private = np.zeros((4, cells), dtype=np.int64)
    n = a.shape[0]
    whole = n - n % 4
    for i in range(0, whole, 4):
        private[0, (a[i] - low_a) * columns + (b[i] - low_b)] += 1
        private[1, (a[i + 1] - low_a) * columns + (b[i + 1] - low_b)] += 1
        private[2, (a[i + 2] - low_a) * columns + (b[i + 2] - low_b)] += 1
        private[3, (a[i + 3] - low_a) * columns + (b[i + 3] - low_b)] += 1
    for i in range(whole, n):
        private[0, (a[i] - low_a) * columns + (b[i] - low_b)] += 1
    return private.sum(axis=0).reshape(rows, columns)
