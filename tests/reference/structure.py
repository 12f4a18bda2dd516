"""The statistics of structure by their definitions: every distance, every distribution with one peak."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog


def hopkins(X: NDArray[np.float64], objects: Sequence[int], places: NDArray[np.float64], d: int) -> float:
    """Sum of u^d over the sum of u^d and w^d: u from places to objects, w from objects to other objects.

    Hopkins & Skellam 1954, with d-th powers.
    """
    rows = X.tolist()
    u = [min(math.dist(place, row) for row in rows) for place in places.tolist()]
    w = [min(math.dist(rows[i], row) for j, row in enumerate(rows) if j != i) for i in objects]
    from_places, from_objects = (sum(gap**d for gap in gaps) for gaps in (u, w))
    return from_places / (from_places + from_objects)


def spanning_tree_length(X: NDArray[np.float64]) -> float:
    """Prim: the nearest object outside the tree joins it, again and again."""
    rows = X.tolist()
    inside, outside, length = [0], list(range(1, len(rows))), 0.0
    while outside:
        gap, joining = min((math.dist(rows[i], rows[j]), j) for i in inside for j in outside)
        length += gap
        inside.append(joining)
        outside.remove(joining)
    return length


def dip(values: Sequence[float]) -> float:
    """Hartigan's dip as linear programs, one for each place of the peak.

    The unknowns are the values of a continuous distribution function at the sample, and the largest
    difference t: the function is convex up to the peak and concave beyond, and at each value within t of the
    sample's share below it and of the share up to it.
    """
    places, counts = np.unique(values, return_counts=True)
    upto = np.cumsum(counts) / counts.sum()
    below = upto - counts / counts.sum()
    m = len(places)
    return min((_nearest(places, below, upto, peak) for peak in range(m)), default=0.0)


def _nearest(
    x: NDArray[np.float64], below: NDArray[np.float64], upto: NDArray[np.float64], peak: int
) -> float:
    m = len(x)
    height, unit = np.eye(m, m + 1), np.eye(1, m + 1, m)[0]
    slopes = [(height[i + 1] - height[i]) / (x[i + 1] - x[i]) for i in range(m - 1)]
    rows = [*(height - unit), *(-height - unit), *(-slope for slope in slopes)]
    limits = [*below, *(-upto), *([0.0] * (m - 1))]
    for i in range(m - 2):  # the bend at value i + 1
        bend = slopes[i] - slopes[i + 1]
        if i + 1 < peak:
            rows.append(bend)
            limits.append(0.0)
        if i + 1 > peak:
            rows.append(-bend)
            limits.append(0.0)
    found = linprog(unit, np.array(rows), np.array(limits), bounds=[(0, 1)] * (m + 1))
    assert found.status == 0
    return float(found.fun)


def corrected_p(values: Sequence[float], null: Sequence[Sequence[float]]) -> list[float]:
    """Max-T of Westfall & Young, where larger values speak against the law."""
    pool = [list(values), *map(list, null)]
    means = [sum(column) / len(pool) for column in zip(*pool, strict=True)]
    spreads = [
        math.sqrt(sum((v - mean) ** 2 for v in column) / len(pool))
        for column, mean in zip(zip(*pool, strict=True), means, strict=True)
    ]
    deviations = [
        [(v - mean) / spread for v, mean, spread in zip(row, means, spreads, strict=True)] for row in pool
    ]
    return [sum(max(row) >= own - 1e-12 for row in deviations) / len(pool) for own in deviations[0]]
