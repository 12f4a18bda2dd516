"""Pair indices by the definition (franti2017 part VI and Table 1, rand also campagner2022 eq. 1).

Hard input: every pair of objects is looked at. Soft input: x(x-1)/2 on the cells and margins of N*, and nan
for memberships too soft to hold a pair. 0/0 of identical partitions is their best value, else nan.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from .tables import Memberships, is_hard, labels, margins, table


@dataclass(frozen=True)
class Pairs:
    """The number of pairs, and how many of them are together."""

    n: int
    every: Fraction
    in_truth: Fraction
    in_found: Fraction
    in_both: Fraction
    hard: bool
    same: bool = True  # False for one soft object: there is no pair to tell it by

    @property
    def truth_only(self) -> Fraction:
        return self.in_truth - self.in_both

    @property
    def found_only(self) -> Fraction:
        return self.in_found - self.in_both

    @property
    def neither(self) -> Fraction:
        return self.every - self.in_both - self.truth_only - self.found_only

    @property
    def agreeing(self) -> Fraction:
        return self.in_both + self.neither

    @property
    def too_soft(self) -> bool:
        return not self.hard and (self.in_truth <= 0 or self.in_found <= 0)

    def ratio(self, above: Fraction | float, below: Fraction | float, identical: float) -> float:
        """Divide; where that cannot be done, `identical` if no pair is judged differently, else nan."""
        if below != 0:
            return float(above / below)
        return identical if self.same and self.truth_only == self.found_only == 0 else math.nan


def count_pairs(U: Memberships, V: Memberships, pairs: str = "distinct") -> Pairs:
    """By looking at every pair where both sides are hard, else from N*, or from the co-association."""
    if is_hard(U) and is_hard(V):
        return brute_force_pairs(U, V)
    return coassociated_pairs(U, V) if pairs == "coassociation" else soft_pairs(U, V)


def brute_force_pairs(U: Memberships, V: Memberships) -> Pairs:
    truth, found = labels(U), labels(V)
    every = in_truth = in_found = in_both = 0
    for i, j in combinations(range(len(truth)), 2):
        every += 1
        in_truth += truth[i] == truth[j]
        in_found += found[i] == found[j]
        in_both += truth[i] == truth[j] and found[i] == found[j]
    return Pairs(len(truth), *map(Fraction, (every, in_truth, in_found, in_both)), hard=True)


def soft_pairs(U: Memberships, V: Memberships) -> Pairs:
    N = table(U, V)
    rows, columns = margins(N)
    in_both = sum((_choose_two(cell) for row in N for cell in row), Fraction())
    in_truth, in_found = (sum(map(_choose_two, sums), Fraction()) for sums in (rows, columns))
    one_cluster = all(sum(map(bool, sums)) == 1 for sums in (rows, columns))  # as good as hard
    return Pairs(len(U), _choose_two(Fraction(len(U))), in_truth, in_found, in_both, hard=one_cluster)


def coassociated_pairs(U: Memberships, V: Memberships) -> Pairs:
    """Two objects are together to the degree sum u_i u_j, in both to the product of the two degrees."""
    u, v = ([[Fraction(value) for value in row] for row in side.tolist()] for side in (U, V))
    every = in_truth = in_found = in_both = Fraction()
    for i, j in combinations(range(len(u)), 2):
        a, b = (sum((x * y for x, y in zip(w[i], w[j], strict=True)), Fraction()) for w in (u, v))
        every, in_truth, in_found, in_both = every + 1, in_truth + a, in_found + b, in_both + a * b
    return Pairs(len(u), every, in_truth, in_found, in_both, hard=False, same=len(u) > 1)


def _choose_two(x: Fraction) -> Fraction:
    return x * (x - 1) / 2


def pairs_in_both(p: Pairs) -> float:
    return float(p.in_both)


def pairs_in_truth_only(p: Pairs) -> float:
    return float(p.truth_only)


def pairs_in_found_only(p: Pairs) -> float:
    return float(p.found_only)


def pairs_in_neither(p: Pairs) -> float:
    return float(p.neither)


def rand(p: Pairs, *, ordered: bool = False) -> float:
    """Share of agreeing pairs; "ordered" counts (x, y), (y, x) and (x, x), as campagner2022 eq. 1."""
    if ordered:
        return float((2 * p.agreeing + p.n) / p.n**2)
    return p.ratio(p.agreeing, p.every, identical=1.0)


def hubert_gamma_prime(p: Pairs) -> float:
    """Agreeing minus disagreeing pairs, over all pairs."""
    return p.ratio(p.agreeing - p.truth_only - p.found_only, p.every, identical=1.0)


def mirkin(p: Pairs) -> float:
    """Ordered pairs judged differently."""
    return float(2 * (p.truth_only + p.found_only))


def adjusted_rand(p: Pairs) -> float:
    """(index - expected index) / (maximal index - expected index), the index being the pairs in both."""
    if p.every == 0:
        return 1.0 if p.hard else math.nan
    expected = p.in_truth * p.in_found / p.every
    maximal = (p.in_truth + p.in_found) / 2
    return _unless_too_soft(p, lambda: p.ratio(p.in_both - expected, maximal - expected, identical=1.0))


def jaccard(p: Pairs) -> float:
    """Pairs together in both, over pairs together in any."""
    in_any = p.in_both + p.truth_only + p.found_only
    return _unless_too_soft(p, lambda: p.ratio(p.in_both, in_any, identical=1.0))


def fowlkes_mallows(p: Pairs) -> float:
    """Geometric mean of pair precision and pair recall."""
    return _unless_too_soft(
        p, lambda: p.ratio(float(p.in_both), math.sqrt(p.in_truth * p.in_found), identical=1.0)
    )


def hubert_gamma(p: Pairs) -> float:
    """Correlation over pairs of "together in truth" and "together in found" (franti2017 Table 1, no. 9)."""

    def correlation() -> float:
        covariance = p.every * p.in_both - p.in_truth * p.in_found
        variances = p.in_truth * (p.every - p.in_truth) * p.in_found * (p.every - p.in_found)
        return p.ratio(float(covariance), math.sqrt(variances), identical=1.0)

    return _unless_too_soft(p, correlation)


def minkowski_score(p: Pairs) -> float:
    """Root of the pairs judged differently over the pairs together in truth."""
    differing = p.truth_only + p.found_only
    return _unless_too_soft(p, lambda: math.sqrt(p.ratio(differing, p.in_truth, identical=0.0)))


def pair_precision(p: Pairs) -> float:
    """Of the pairs together in found, the share together in truth."""
    return _unless_too_soft(p, lambda: p.ratio(p.in_both, p.in_found, identical=1.0))


def pair_recall(p: Pairs) -> float:
    """Of the pairs together in truth, the share together in found."""
    return _unless_too_soft(p, lambda: p.ratio(p.in_both, p.in_truth, identical=1.0))


def _unless_too_soft(p: Pairs, value: Callable[[], float]) -> float:
    return math.nan if p.too_soft else value()


def of_memberships(value: Callable[..., float]) -> Callable[..., float]:
    """The same of two membership matrices, with the option that says which pairs are counted."""

    def counted(U: Memberships, V: Memberships, *, pairs: str = "distinct") -> float:
        ordered = {"ordered": True} if pairs == "ordered" else {}
        return value(count_pairs(U, V, pairs), **ordered)

    return counted


REFERENCE: dict[str, Callable[..., float]] = {
    function.__name__: of_memberships(function)
    for function in (
        rand,
        adjusted_rand,
        jaccard,
        fowlkes_mallows,
        hubert_gamma,
        hubert_gamma_prime,
        minkowski_score,
        mirkin,
        pair_precision,
        pair_recall,
        pairs_in_both,
        pairs_in_truth_only,
        pairs_in_found_only,
        pairs_in_neither,
    )
}
