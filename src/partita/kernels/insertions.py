"""Global k-means: what a new centre at an object would take off the sum of squares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.kernels.lloyd import squared_distance


@njit(cache=True, nogil=True, boundscheck=False)
def insertion_gains(candidates: Any, X: Any, squares: Any, starts: Any, centres: Any) -> Any:
    """How much each candidate would take off the sum of squared distances as one more centre.

    The rows of X are grouped by cluster, from ``starts[j]`` to ``starts[j + 1]``, and fall there by
    ``squares``, the squared distance to the centre. A row that is nearer to its centre than half the way from
    the candidate to this centre gains nothing, nor does any row after it.
    """
    gains = np.zeros(candidates.shape[0])
    for c in range(candidates.shape[0]):
        for j in range(centres.shape[0]):
            quarter = squared_distance(candidates, c, centres, j) / 4
            for i in range(starts[j], starts[j + 1]):
                if squares[i] <= quarter:
                    break
                gains[c] += max(squares[i] - squared_distance(candidates, c, X, i), 0.0)
    return gains
