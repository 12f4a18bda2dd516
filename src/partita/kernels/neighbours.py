"""Distances to the nearest objects: ``metric`` 0 is euclidean, 1 squared euclidean, 2 city-block."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel


def _weighted_columns(rng: np.random.Generator) -> Any:
    columns = rng.normal(size=(3, 30))
    columns[:, 4] = columns[:, 3]
    for metric in (0, 1, 2):
        yield columns, np.ones(30), 0, 30, metric, 5.0
        yield columns, rng.random(30) + 0.2, 7, 20, metric, 3.3


@kernel(
    work=lambda columns, weight, start, stop, *_: (stop - start) * columns.size,
    calls=10,
    reads=(0, 1),
    examples=_weighted_columns,
)
def nearest_weights(columns: Any, weight: Any, start: int, stop: int, metric: int, wanted: float) -> Any:
    """The least distance up to which objects weigh ``wanted`` together, from objects ``start`` to ``stop``.

    Each object is its own first neighbour. ``columns`` is ``(d, n)``; all objects together weigh enough.
    """
    d, n = columns.shape
    gaps = np.empty(n)
    # the nearest so far, in order, and their weights: as few as weigh enough
    near, held = np.empty(n + 1), np.empty(n + 1)
    found = np.empty(stop - start)
    for i in range(start, stop):
        gaps[:] = 0.0
        for f in range(d):
            own = columns[f, i]
            if metric == 2:
                for j in range(n):
                    gaps[j] += abs(columns[f, j] - own)
            else:
                for j in range(n):
                    gap = columns[f, j] - own
                    gaps[j] += gap * gap
        size, total = 0, 0.0
        for j in range(n):
            if total >= wanted and gaps[j] >= near[size - 1]:
                continue
            place = size
            while place > 0 and near[place - 1] > gaps[j]:
                near[place], held[place] = near[place - 1], held[place - 1]
                place -= 1
            near[place], held[place] = gaps[j], weight[j]
            size += 1
            total += weight[j]
            while total - held[size - 1] >= wanted:
                size -= 1
                total -= held[size]
        found[i - start] = np.sqrt(near[size - 1]) if metric == 0 else near[size - 1]
    return found
