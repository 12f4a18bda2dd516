"""Means, variances and products of two co-associations over all pairs of objects, from sums over them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Floats
from partita.statistics.pairs.sparse_coassociation import PairSums
from partita.statistics.tables.contingency import Contingency

CANCELLED = 1e-12
"""A difference this small beside its terms is rounding, and is taken for 0."""

_DIGITS_AT_RISK = 1e-3


class PairValues(NamedTuple):
    """Means, variances and products over all pairs i < j, of a (truth) and b (found)."""

    mean_truth: Any
    mean_found: Any
    apart_truth: Any
    apart_found: Any
    covariance: Any
    variance_truth: Any
    variance_found: Any
    gap_variance: Any
    correlation_distance: Any
    frobenius_gap: Any
    frobenius_excess: Any
    frobenius_room: Any

    @property
    def have_lost_digits(self) -> bool:
        """Whether a side is nearly constant over all pairs, or both nearly agree."""
        squares = self.variance_truth + self.mean_truth**2, self.variance_found + self.mean_found**2
        near = (
            (self.variance_truth, squares[0]),
            (self.variance_found, squares[1]),
            (self.gap_variance, sum(squares)),
            (self.correlation_distance, 1.0),
            (self.frobenius_gap, sum(squares)),
        )
        return any(not left > _DIGITS_AT_RISK * whole for left, whole in near)


class OwnSums(NamedTuple):
    """Sums over one clustering U alone."""

    sizes_squared: float
    """Of the squared sizes of its clusters."""
    squares: float
    """Of all squared memberships."""
    products_squared: float
    """Of the squared cells of U'U, which are those of UU' too."""

    @classmethod
    def of_both(cls, sums: PairSums) -> tuple[OwnSums, OwnSums]:
        """Of each of two clusterings, from the sums over all their pairs."""
        a, b, _, aa, bb = sums.everywhere.tolist()
        own_a, own_b, *_ = sums.own.tolist()
        return cls(a, own_a, aa), cls(b, own_b, bb)


def values_of_table(table: Contingency) -> PairValues:
    """From the table of two hard clusterings, or a stack of them; kept in it, since several ask for them."""
    known: dict[str, PairValues] = table.__dict__
    if "_pair_values" not in known:
        known["_pair_values"] = _values_of_counts(*table.pairs)
    return known["_pair_values"]


def _values_of_counts(a: Floats, b: Floats, c: Floats, d: Floats) -> PairValues:
    h = a + b + c + d
    excess = a * d - b * c
    return PairValues(
        mean_truth=(a + b) / h,
        mean_found=(a + c) / h,
        apart_truth=(c + d) / h,
        apart_found=(b + d) / h,
        covariance=excess / h**2,
        variance_truth=(a + b) * (c + d) / h**2,
        variance_found=(a + c) * (b + d) / h**2,
        gap_variance=((b + c) * (a + d) + 4.0 * b * c) / h**2,
        correlation_distance=_one_minus_correlation(a, b, c, d),
        frobenius_gap=(b + c) / h,
        frobenius_excess=excess,
        frobenius_room=((a + b) * (b + d) + (a + c) * (c + d)) / 2.0,
    )


def _one_minus_correlation(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """1 - e / s with e = ad - bc and s^2 = (a + b)(c + d)(a + c)(b + d).

    Where e is positive, as (s^2 - e^2) / s (s + e): its numerator is a sum in which nothing cancels.
    """
    h = a + b + c + d
    a, b, c, d = (count / h for count in (a, b, c, d))
    excess = a * d - b * c
    scale = np.sqrt((a + b) * (c + d)) * np.sqrt((a + c) * (b + d))
    between = (a * d + b * c) * (a * c + b * d + a * b + c * d) + (a * c + b * d) * (a * b + c * d)
    rest = 4.0 * (a * b) * (c * d) + between
    return np.asarray(np.where(excess > 0.0, rest / (scale * (scale + excess)), 1.0 - excess / scale))


def values_of_sums(sums: PairSums) -> PairValues:
    """From the sums of a, b, ab, aa and bb over all pairs: differences, of which little may be left."""
    n = np.float64(sums.n)  # a single object has no pairs: its means are 0/0, not an error
    pairs = n * (n - 1.0)
    a, b, ab, aa, bb = (sums.everywhere - sums.own) / pairs
    covariance, variance_truth, variance_found = (
        0.0 if abs(left) <= CANCELLED * product else left
        for product, left in ((ab, ab - a * b), (aa, aa - a * a), (bb, bb - b * b))
    )
    all_truth, all_found, all_both, truth_squared, found_squared = sums.everywhere
    spread_truth, spread_found = sums.own[0] - all_truth / n, sums.own[1] - all_found / n
    slopes = all_truth / truth_squared, all_found / found_squared
    deviations = np.sqrt(variance_truth * variance_found)
    by_chance = spread_truth * spread_found / (n - 1.0)
    outer = (
        all_truth / all_found * (found_squared - (all_found / n) ** 2)
        + all_found / all_truth * (truth_squared - (all_truth / n) ** 2)
    ) / 2.0
    room = outer - by_chance
    gap = _difference(variance_truth, variance_found, covariance, aa + bb)
    between = _difference(slopes[0] * all_truth, slopes[1] * all_found, slopes[0] * slopes[1] * all_both, 0.0)
    values = PairValues(
        mean_truth=a,
        mean_found=b,
        apart_truth=1.0 - a,
        apart_found=1.0 - b,
        covariance=covariance,
        variance_truth=variance_truth,
        variance_found=variance_found,
        gap_variance=gap,
        correlation_distance=np.divide(deviations - covariance, deviations),
        frobenius_gap=between / pairs,
        frobenius_excess=all_both - all_truth / n * (all_found / n) - by_chance,
        frobenius_room=0.0 if room <= CANCELLED * outer else room,
    )
    return PairValues(*(np.asarray(value) for value in values))


def _difference(one: float, other: float, product: float, of: float) -> float:
    """The mean square of a difference, from two mean squares and the mean product; 0 where it is rounding."""
    gap = one + other - 2.0 * product
    return 0.0 if gap <= CANCELLED * max(one + other, of) else gap
