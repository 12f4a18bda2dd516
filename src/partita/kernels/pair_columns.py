"""Two rows of memberships as seen from an object, with their squares: what pairs of objects are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel

ROUNDING = 1e-12
"""Row sums that differ from one by no more are one; others are what single precision or few digits left."""


def _memberships(rng: np.random.Generator) -> Any:
    u, v = rng.dirichlet(np.ones(3), 40), rng.dirichlet(np.ones(2), 40) * 1.001
    for root in (np.zeros(0), rng.random(40)):
        yield u, v, u[0].copy(), np.array([0.25, 0.75]), root, np.empty((40, 8))


@kernel(
    work=lambda u, v, *_: 3 * (u.size + v.size),
    calls=100,
    reads=(0, 1, 2, 3, 4),
    examples=_memberships,
    fastmath={"reassoc", "contract", "nsz"},
)
def pair_columns(u: Any, v: Any, origin_u: Any, origin_v: Any, root: Any, out: Any) -> None:
    """Write the rows (1, |x|^2, |y|^2, x, y) of some objects, times the root of their weight if it is given.

    Here x = u - origin and y = v - origin, with rows of u and v that sum to one, and so of x and y to 0.
    """
    _seen_from(u, origin_u, out, 1, 3)
    _seen_from(v, origin_v, out, 2, 3 + u.shape[1])
    out[:, 0] = 1.0
    if root.shape[0] > 0:
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] *= root[i]


@kernel(fastmath={"reassoc", "contract", "nsz"})
def _seen_from(rows: Any, origin: Any, out: Any, square_at: int, first: int) -> None:
    """Write each row as seen from the origin, and its squared length."""
    n, k = rows.shape
    for i in range(n):
        total = 0.0
        for j in range(k):
            total += rows[i, j]
        scale = 1.0 if abs(total - 1.0) <= ROUNDING else 1.0 / total
        left = 0.0
        for j in range(k):
            value = rows[i, j] * scale - origin[j]
            out[i, first + j] = value
            left += value
        square = 0.0
        for j in range(k):
            value = out[i, first + j] - left * origin[j]
            out[i, first + j] = value
            square += value * value
        out[i, square_at] = square
