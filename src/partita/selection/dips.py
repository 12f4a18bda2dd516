"""Hartigan's dip: how far the law of some numbers is from the nearest one with a single peak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from partita.arrays import Floats

__all__ = ["Unimodal", "dip", "evenly_thinned", "unimodal_fit"]

MOST_VALUES = 200
"""What stands for more numbers: so many of them, evenly by rank. The dip differs by less than 1 / 200."""


@dataclass(frozen=True)
class Unimodal:
    """A law with a single peak near to a sample, by where its distribution function bends."""

    dip: float
    places: Floats
    heights: Floats
    """The distribution function at those places; it is straight in between."""

    def quantiles(self, shares: Floats) -> Floats:
        """The values below which given shares of the law lie."""
        rising, first = np.unique(self.heights, return_index=True)
        return np.asarray(np.interp(shares, rising, self.places[first]))


def dip(values: Floats) -> float:
    """Hartigan's dip: how far a sample's distribution function is from one with a single peak (hartigan1985).

    The largest difference from the nearest continuous one; at least half of one value's share.
    """
    return unimodal_fit(values).dip


def evenly_thinned(rising: Floats) -> Floats:
    """Some of many sorted numbers, evenly by rank, the first and the last among them."""
    if len(rising) <= MOST_VALUES:
        return rising
    return rising[np.linspace(0, len(rising) - 1, MOST_VALUES).astype(np.intp)]


def unimodal_fit(values: Floats) -> Unimodal:
    """The dip, and a law with a single peak that differs from the sample by at most twice the dip.

    Up to its peak the distribution function of such a law is convex, beyond it concave. The greatest convex
    minorant of the sample's function and its least concave majorant are held against each other between two
    ends; where they are farthest apart, the peak must lie within, so the ends move there. What they leave
    behind outside counts too. It ends when nothing inside is farther apart than what was left. The law
    follows the minorant up to one end, a straight line to the other, and the majorant from there on.
    """
    places, counts = np.unique(values, return_counts=True)
    upto = np.cumsum(counts)
    x, above, below = places.tolist(), upto.tolist(), (upto - counts).tolist()
    n, last = above[-1], len(x) - 1
    left_of = _hull(x, below)
    right_of = [last - j for j in reversed(_hull([-v for v in reversed(x)], [-v for v in reversed(above)]))]
    low, high, gap = 0, last, float(counts.max())
    while low < high:
        minorant = _chain(left_of, high, low)[::-1]
        majorant = _chain(right_of, low, high)
        apart, peak_low, peak_high = _farthest(x, below, above, minorant, majorant)
        if apart <= gap:
            break
        gap = max(gap, _left_behind(x, above, below, [j for j in minorant if j <= peak_low], 1))
        gap = max(gap, _left_behind(x, below, above, [j for j in majorant if j >= peak_high], -1))
        if (low, high) == (peak_low, peak_high):
            break
        low, high = peak_low, peak_high
    convex = _chain(left_of, low, 0)[::-1]
    concave = _chain(right_of, high, last)
    heights = np.array([below[j] for j in convex] + [above[j] for j in concave]) / n
    return Unimodal(gap / (2 * n), np.array([x[j] for j in convex + concave]), heights)


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
    while chain[-1] != end and following[chain[-1]] != chain[-1]:
        chain.append(following[chain[-1]])
    return chain


def _at(x: Sequence[float], y: Sequence[float], i: int, j: int, place: float) -> float:
    return y[i] + (y[j] - y[i]) * (place - x[i]) / (x[j] - x[i])


def _farthest(
    x: Sequence[float],
    below: Sequence[float],
    above: Sequence[float],
    minorant: Sequence[int],
    majorant: Sequence[int],
) -> tuple[float, int, int]:
    """How far majorant and minorant are apart where they are farthest, and the corners around that place."""
    best, peak_low, peak_high = 0.0, minorant[0], majorant[-1]
    right = 0
    for corner in minorant:
        while majorant[right] < corner:
            right += 1
        if majorant[right] == corner:
            height = above[corner]
        else:
            height = _at(x, above, majorant[right - 1], majorant[right], x[corner])
        if height - below[corner] > best:
            best, peak_low, peak_high = height - below[corner], corner, majorant[right]
    left = 0
    for corner in majorant:
        while left + 1 < len(minorant) and minorant[left + 1] <= corner:
            left += 1
        if minorant[left] == corner:
            height = below[corner]
        else:
            height = _at(x, below, minorant[left], minorant[left + 1], x[corner])
        if above[corner] - height > best:
            best, peak_low, peak_high = above[corner] - height, minorant[left], corner
    return best, peak_low, peak_high


def _left_behind(
    x: Sequence[float], y: Sequence[float], hull: Sequence[float], corners: Sequence[int], side: int
) -> float:
    """The largest difference between the sample and its hull between given corners."""
    worst = 0.0
    for i, j in pairwise(corners):
        for k in range(i, j + 1):
            worst = max(worst, side * (y[k] - _at(x, hull, i, j, x[k])))
    return worst
