"""Mean absolute differences between all of one set of values and all of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel


def _rows(rng: np.random.Generator) -> Any:
    """Sorted rows, some values of them equal, and pairs of rows."""
    values = np.sort(np.round(rng.random((4, 1500)), 3), axis=1)
    return values, np.array([0, 1, 2]), np.array([3, 3, 0])


def _sorted_rows(rng: np.random.Generator) -> Any:
    values, first, second = _rows(rng)
    shares = np.cumsum(rng.random((4, 1501)), axis=1)
    yield values, shares / shares[:, -1:], first, second


def _weighted_rows(rng: np.random.Generator) -> Any:
    values, first, second = _rows(rng)
    yield values, rng.random(1500), first, second


@kernel(
    work=lambda values, _, first, __: first.size * values.shape[1],
    reads=(0, 1, 2, 3),
    examples=_weighted_rows,
)
def sums_of_gaps(values: Any, counts: Any, first: Any, second: Any) -> Any:
    """For pairs of rows the sum of |x - y| over their places, each of which counts so often."""
    sums = np.empty(first.shape[0])
    size = values.shape[1]
    for p in range(first.shape[0]):
        x = values[first[p]]
        y = values[second[p]]
        total = 0.0
        for start in range(0, size, 1024):
            part = 0.0
            for t in range(start, min(start + 1024, size)):
                part += counts[t] * abs(x[t] - y[t])
            total += part
        sums[p] = total
    return sums


@kernel(
    work=lambda values, _, first, __: 4 * first.size * values.shape[1],
    reads=(0, 1, 2, 3),
    examples=_sorted_rows,
)
def cross_gaps(values: Any, upto: Any, first: Any, second: Any) -> Any:
    """For pairs of sorted rows the mean of |x - y| over all of x with all of y.

    ``upto[r, t]`` is the share of row ``r`` in its first ``t`` values, one row for all where it is the same:
    the integral of F (1 - G) + G (1 - F), in one merge.
    """
    means = np.empty(first.shape[0])
    size = values.shape[1]
    for p in range(first.shape[0]):
        x = values[first[p]]
        y = values[second[p]]
        share = upto[min(first[p], upto.shape[0] - 1)]
        other = upto[min(second[p], upto.shape[0] - 1)]
        i, j, steps = 0, 0, 0
        total, part = 0.0, 0.0
        previous = min(x[0], y[0])
        while i < size and j < size:
            f, g = share[i], other[j]
            if x[i] <= y[j]:
                value = x[i]
                i += 1
            else:
                value = y[j]
                j += 1
            part += (value - previous) * (f * (1.0 - g) + g * (1.0 - f))
            previous = value
            steps += 1
            if steps == 1024:
                total += part
                part, steps = 0.0, 0
        while i < size:
            part += (x[i] - previous) * (1.0 - share[i])
            previous = x[i]
            i += 1
        while j < size:
            part += (y[j] - previous) * (1.0 - other[j])
            previous = y[j]
            j += 1
        means[p] = total + part
    return means
