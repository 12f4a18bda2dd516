"""Pairwise merging of clusters (PNN, Ward): the pair whose union costs least, again and again."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel
from partita.kernels.lloyd import squared_distance


@kernel()
def merge_cost(centres: Any, sizes: Any, a: int, b: int) -> Any:
    """How much the sum of squares grows when two clusters become one."""
    return sizes[a] * sizes[b] / (sizes[a] + sizes[b]) * squared_distance(centres, a, centres, b)


@kernel(
    work=lambda centres, sizes, n_clusters: 2 * len(sizes) * centres.size,
    calls=100,
    examples=lambda rng: [(rng.normal(size=(12, 3)), rng.random(12) + 0.5, 4)],
)
def merge_pairs(centres: Any, sizes: Any, n_clusters: int) -> Any:
    """The centres that are left when the cheapest pair is merged until ``n_clusters`` remain.

    ``centres`` and ``sizes`` (positive) are changed in place. Each cluster keeps the nearest of those after
    it. A merge makes no cluster nearer to any other, so only partners of the two merged are sought anew.
    """
    m = sizes.size
    alive = np.ones(m, np.bool_)
    partner, cost = np.full(m, -1), np.full(m, np.inf)
    stale = np.ones(m, np.bool_)
    for _ in range(m - n_clusters):
        for a in range(m):
            if alive[a] and stale[a]:
                partner[a], cost[a] = -1, np.inf
                for b in range(a + 1, m):
                    if alive[b]:
                        found = merge_cost(centres, sizes, a, b)
                        if found < cost[a]:
                            partner[a], cost[a] = b, found
                stale[a] = False
        a = int(np.argmin(cost))
        b = partner[a]
        total = sizes[a] + sizes[b]
        for f in range(centres.shape[1]):
            centres[a, f] = (sizes[a] * centres[a, f] + sizes[b] * centres[b, f]) / total
        sizes[a] = total
        alive[b], cost[b] = False, np.inf
        for c in range(m):
            stale[c] = c == a or partner[c] == a or partner[c] == b
    return centres[alive]
