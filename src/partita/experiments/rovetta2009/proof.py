"""Rows of Table 3 that no data can give: bounds on what their five printed distances need.

The proof. Let a and b be the co-associations of the true species and of the found clustering, over all
pairs of the objects of a row, and write means over the pairs. The species are crisp and have 50 objects
each, so mean(a) is known:
2450 of 4950 pairs of two species, 3675 of 11175 pairs of three.

1. Rand is mean(a + b - 2ab) and Jaccard is mean(a + b - 2ab) / mean(a + b - ab), so that Rand / Jaccard is
   mean(a + b - ab), the share of pairs together in either. It is at least mean(a), as b(1 - a) is never
   negative.
2. Both give mean(ab) = Rand / Jaccard - Rand and mean(b) = 2 Rand / Jaccard - Rand - mean(a). Student gives
   mean((a - b)^2), as |a - b| = a + b - 2ab for a crisp a, and with it mean(b^2), hence the variance of b.
   No variance is negative, and all three give the one value that Correl. can have.

Every printed number is taken as an interval of half a unit of its last decimal to each side, and the
arithmetic is that of intervals, so that what is called impossible is impossible for every number that may
have been rounded so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from partita.experiments.findings import Printed
from partita.experiments.rovetta2009.distances import SAME
from partita.results import show

SIZE = 50
"""Objects of each species."""


class Interval(NamedTuple):
    """Bounds of a number."""

    low: float
    high: float

    def plus(self, other: Interval) -> Interval:
        """The bounds of the sum."""
        return Interval(self.low + other.low, self.high + other.high)

    def minus(self, other: Interval) -> Interval:
        """The bounds of the difference."""
        return Interval(self.low - other.high, self.high - other.low)

    def times(self, other: Interval) -> Interval:
        """The bounds of the product."""
        products = [x * y for x in self for y in other]
        return Interval(min(products), max(products))

    def over(self, other: Interval) -> Interval:
        """The bounds of the quotient, by a number above 0."""
        return self.times(Interval(1 / other.high, 1 / other.low))

    def root(self) -> Interval:
        """The bounds of the square root; what is below 0 is cut off."""
        return Interval(math.sqrt(max(self.low, 0.0)), math.sqrt(max(self.high, 0.0)))

    def meets(self, other: Interval) -> bool:
        """Whether some number lies in both."""
        return self.low <= other.high and other.low <= self.high

    def __str__(self) -> str:
        return f"{show(self.low)} to {show(self.high)}"


@dataclass(frozen=True)
class Demand:
    """What the printed distances of a row need.

    Attributes
    ----------
    together : float
        The share of pairs of one species.
    either : Interval
        The share of pairs together in either clustering.
    variance : Interval
        Of the co-associations of the found clustering.
    correlation : Interval
        The values that Correl. can have.
    impossible : str
        Why no data can give the row; empty where some may.
    """

    together: float
    either: Interval
    variance: Interval
    correlation: Interval
    impossible: str


def rounded(printed: Printed) -> Interval:
    """The numbers that are printed so."""
    return Interval(printed.value - printed.half_unit, printed.value + printed.half_unit)


def demand(row: Mapping[str, Printed], species: int) -> Demand:
    """What a row of so many species of 50 objects needs."""
    together = species * math.comb(SIZE, 2) / math.comb(species * SIZE, 2)
    a = Interval(together, together)
    rand, half = rounded(row["Rand"]), rounded(row["Average"]).times(Interval(0.5, 0.5))
    rand = Interval(max(rand.low, half.low), min(rand.high, half.high))
    either = rand.over(rounded(row["Jaccard"]))
    both = either.minus(rand)
    b = either.plus(both).minus(a)
    squares = rand.over(rounded(row["Student"])).minus(Interval(0.5, 0.5)).plus(rand.times(rand))
    variance = squares.minus(a).plus(both).plus(both).minus(b.times(b))
    spread = variance.times(Interval(together * (1 - together), together * (1 - together))).root()
    one = Interval(1.0, 1.0)
    correlation = (
        one.minus(both.minus(a.times(b)).over(spread)) if spread.low > 0 else Interval(-math.inf, math.inf)
    )
    impossible = ""
    if rand.low > rand.high:
        impossible = "no data can give this row: Average is twice Rand"
    elif either.high < together:
        impossible = (
            "no data can give this row: Rand / Jaccard is the share of pairs together in either clustering, "
            "here "
            f"{either}, and {SIZE} objects of each species alone have {show(together)} together"
        )
    elif variance.high < 0:
        impossible = (
            "no data can give this row: its distances need co-associations with the negative variance "
            f"{variance}"
        )
    elif not correlation.meets(rounded(row["Correl."])):
        impossible = (
            f"no data can give this row: with {SIZE} objects of each species ({show(together)} of the pairs "
            f"together) its Rand, Jaccard and Student need a Correl. of {correlation}, not "
            f"{row['Correl.'].text}"
        )
    return Demand(together, either, variance, correlation, impossible)


def pairs_together(row: Mapping[str, Printed], species: int) -> list[tuple[int, int]]:
    """How many pairs two crisp clusterings have together that give all five numbers of a row, fewer first."""
    pairs = math.comb(species * SIZE, 2)
    found = []
    for apart in _whole(rounded(row["Rand"]), pairs):
        share = apart / pairs
        if not (_is(row["Average"], 2 * share) and _is(row["Student"], share / (0.5 + share - share**2))):
            continue
        jaccard = rounded(row["Jaccard"])
        for either in range(math.ceil(apart / jaccard.high), math.floor(apart / jaccard.low) + 1):
            both = either - apart
            first = np.arange(both, (either + both) // 2 + 1) / pairs
            second = (either + both) / pairs - first
            spread = np.sqrt(first * (1 - first) * second * (1 - second))
            distance = 1 - (both / pairs - first * second) / spread
            near = np.abs(distance - row["Correl."].value) <= row["Correl."].half_unit
            found += [(one, either + both - one) for one in np.rint(first[near] * pairs).astype(int).tolist()]
    return sorted(found)


def _whole(share: Interval, pairs: int) -> range:
    return range(math.ceil(share.low * pairs), math.floor(share.high * pairs) + 1)


def _is(printed: Printed, value: float) -> bool:
    return abs(printed.value - value) <= printed.half_unit + SAME


def together_in_the_first(pairs: int) -> int:
    """Pairs of one species among the first so many of all 150 objects, in the order of the objects."""
    species = np.repeat(np.arange(3), SIZE)
    first, second = np.triu_indices(len(species), 1)
    return int(np.sum((species[first] == species[second])[:pairs]))
