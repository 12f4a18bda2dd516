"""Matchings of clusters over all completions."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel

BOXES = 1000
"""Boxes that a search looks at, as a rule."""


def _inside(rng: np.random.Generator) -> Any:
    for k, columns in ((2, 3), (3, 3), (4, 2)):
        counts = rng.integers(0, 6, size=(columns, 1 << k))
        counts[:, 0] = 0
        sets = np.arange(1 << k)
        yield np.stack([counts[:, (sets & held) == sets].sum(axis=1) for held in sets], axis=1), 20_000


@kernel(work=lambda bel, most_boxes: bel.size * BOXES, calls=1000, reads=(0,), examples=_inside)
def fewest_matched(bel: Any, most_boxes: int) -> Any:
    """Bounds on the least of sum alpha_i + sum beta_j with room for all objects of every hard cluster.

    Up to six rows. Cell (i, j) has room for alpha_i + beta_j objects, so that column j fits in if and only if
    beta_j >= (bel_j(S) - alpha(S)) / |S| for every set S of rows (Hall). The sum with these beta_j not
    rounded up is convex in alpha: a tangent bounds it from below on a whole box. Boxes are halved until none
    can hold a smaller sum. All numbers are whole, in sixtieths.

    Parameters
    ----------
    bel : (k', 2^k) array of whole numbers
        For each column and each set of rows (bit i is row i): the objects that can be nowhere else.
    most_boxes : int
        How many boxes to look at.

    Returns
    -------
    no sum is less than this, a sum that there is; equal when finished
    """
    unit = 60
    columns, sets = bel.shape
    k = 0
    while 1 << k < sets:
        k += 1
    share = np.zeros(sets, dtype=np.int64)
    for s in range(1, sets):
        size = 0
        for i in range(k):
            size += s >> i & 1
        share[s] = unit // size
    top = np.zeros(k, dtype=np.int64)
    for i in range(k):
        for j in range(columns):
            top[i] = max(top[i], bel[j, sets - 1] - bel[j, sets - 1 - (1 << i)])

    # each halving shortens a side, so a stack holds no more boxes than there are halvings on one path
    low = np.zeros((64 * k + 8, k), dtype=np.int64)
    high = np.zeros((64 * k + 8, k), dtype=np.int64)
    floor = np.zeros(64 * k + 8, dtype=np.int64)
    height = 0
    if k >= columns:
        # as long as all alpha_i > 0, one less of each and one more of each beta_j costs nothing
        for zero in range(k):
            high[height] = top
            high[height, zero] = 0
            height += 1
    else:
        high[0] = top
        height = 1

    best = 0
    for j in range(columns):
        best += bel[j, sets - 1]
    inside = np.zeros(sets, dtype=np.int64)
    slope = np.zeros(k, dtype=np.int64)
    middle = np.zeros(k, dtype=np.int64)
    boxes = 0
    while height > 0 and boxes < most_boxes:
        height -= 1
        if floor[height] > unit * (best - 1):
            continue
        boxes += 1
        whole = 0
        for i in range(k):
            middle[i] = (low[height, i] + high[height, i]) >> 1
            whole += middle[i]
            slope[i] = unit
        tangent = unit * whole
        for s in range(1, sets):
            i = 0
            while not s >> i & 1:
                i += 1
            inside[s] = inside[s - (1 << i)] + middle[i]
        for j in range(columns):
            beta, tight = 0, 0
            for s in range(1, sets):
                need = (bel[j, s] - inside[s]) * share[s]
                if need > beta:
                    beta, tight = need, s
            tangent += beta
            whole += (beta + unit - 1) // unit
            for i in range(k):
                if tight >> i & 1:
                    slope[i] -= share[tight]
        best = min(best, whole)
        longest, side = 0, 0
        for i in range(k):
            down, up = low[height, i] - middle[i], high[height, i] - middle[i]
            tangent += min(slope[i] * down, slope[i] * up)
            if up - down > longest:
                longest, side = up - down, i
        tangent = max(tangent, floor[height])
        if longest == 0 or tangent > unit * (best - 1):
            continue
        # the half that the tangent falls into is looked at first
        upper = height if slope[side] > 0 else height + 1
        lower = 2 * height + 1 - upper
        low[height + 1] = low[height]
        high[height + 1] = high[height]
        low[upper, side] = middle[side] + 1
        high[lower, side] = middle[side]
        floor[height] = tangent
        floor[height + 1] = tangent
        height += 2
    least = best
    for h in range(height):
        least = min(least, -(-floor[h] // unit))
    return least, best
