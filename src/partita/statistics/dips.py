"""Hartigan's dip: the distance from the distribution of a sample to the nearest one with a single peak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from partita.arrays import Floats

__all__ = ["Unimodal", "dip", "evenly_thinned", "unimodal_fit"]

MOST_VALUES = 100
"""Longer samples are represented by so many values, evenly by rank. The dip changes by less than 1 / 100."""


@dataclass(frozen=True)
class Unimodal:
    """A distribution with a single peak near to a sample: its function is linear between the places."""

    dip: float
    places: Floats
    heights: Floats

    def quantiles(self, shares: Floats) -> Floats:
        """The quantiles of given probabilities."""
        rising, first = np.unique(self.heights, return_index=True)
        return np.asarray(np.interp(shares, rising, self.places[first]))


def dip(values: Floats) -> float:
    """Hartigan's dip: the largest difference from the nearest distribution function with a single peak.

    That function is continuous, so the dip is at least half of the share of one value (hartigan1985).
    """
    return unimodal_fit(values).dip


def evenly_thinned(rising: Floats) -> Floats:
    """At most 100 of the sorted numbers, evenly by rank, with the first and the last."""
    if len(rising) <= MOST_VALUES:
        return rising
    return rising[np.linspace(0, len(rising) - 1, MOST_VALUES).astype(np.intp)]


def unimodal_fit(values: Floats) -> Unimodal:
    """The dip, and a distribution with a single peak that differs from the sample by at most twice the dip.

    Up to its peak the distribution function is convex, beyond it concave. The greatest convex minorant of the
    empirical distribution function and its least concave majorant are compared between two ends; the peak
    must lie around the place where they differ most, so the ends move there. The differences from the hulls
    outside count too. The search stops when no difference inside is larger. The fit follows the minorant up
    to one end, a straight line to the other, and the majorant from there on.
    """
    x, counts = np.unique(values, return_counts=True)
    above = np.cumsum(counts)
    below = above - counts
    last = len(x) - 1
    # the corner before each point on the minorant up to it, and the one after it on the majorant from it on
    before = _hull(x.tolist(), below.tolist())
    after = [last - j for j in reversed(_hull((-x[::-1]).tolist(), (-above[::-1]).tolist()))]
    low, high, gap = 0, last, float(counts.max())
    while low < high:
        minorant, majorant = _chain(before, high, low)[::-1], _chain(after, low, high)
        lower = np.interp(x, x[minorant], below[minorant])
        upper = np.interp(x, x[majorant], above[majorant])
        apart = (upper - lower).tolist()
        farthest = max(minorant + majorant, key=apart.__getitem__)
        if apart[farthest] <= gap:
            break
        left = max(j for j in minorant if j <= farthest)
        right = min(j for j in majorant if j >= farthest)
        gap = max(gap, (above - lower)[low : left + 1].max(), (upper - below)[right : high + 1].max())
        if (low, high) == (left, right):
            break
        low, high = left, right
    convex, concave = _chain(before, low, 0)[::-1], _chain(after, high, last)
    heights = np.concatenate([below[convex], above[concave]]) / len(values)
    return Unimodal(float(gap) / (2 * len(values)), x[convex + concave], heights)


def _hull(x: Sequence[float], y: Sequence[float]) -> list[int]:
    """For each point the one before it on the greatest convex minorant of the points up to it."""
    before = [0] * len(x)
    for j in range(1, len(x)):
        i = j - 1
        while i > 0:
            h = before[i]
            if (y[j] - y[i]) * (x[i] - x[h]) > (y[i] - y[h]) * (x[j] - x[i]):
                break
            i = h
        before[j] = i
    return before


def _chain(following: Sequence[int], start: int, end: int) -> list[int]:
    """The corners from one point to another."""
    chain = [start]
    while chain[-1] != end:
        chain.append(following[chain[-1]])
    return chain
