"""Global k-means: what a new centre at an object would take off the sum of squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel
from partita.kernels.lloyd import squared_distance


def _grouped(rng: np.random.Generator) -> Any:
    X, centres = rng.normal(size=(40, 3)), rng.normal(size=(4, 3))
    labels = np.arange(40) // 10
    squares = ((X - centres[labels]) ** 2).sum(axis=1)
    order = np.lexsort((-squares, labels))
    yield X[:15], X[order], squares[order], np.arange(0, 41, 10), centres


@kernel(
    work=lambda candidates, X, *_: candidates.size * len(X),
    calls=100,
    reads=(0, 1, 2, 3, 4),
    examples=_grouped,
)
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
