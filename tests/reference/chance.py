"""Chance by the definition: every shuffle and every partition is looked at, one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations

Labels = tuple[int, ...]


def every_partition(n: int) -> Iterator[Labels]:
    """Labels of all partitions of n objects, each once: a new cluster has the next number."""
    if n == 0:
        yield ()
        return
    for before in every_partition(n - 1):
        for label in range(max(before, default=-1) + 2):
            yield (*before, label)


def partitions_into(n: int, k: int) -> list[Labels]:
    """Those with exactly k clusters."""
    return [labels for labels in every_partition(n) if len(set(labels)) == k]


def shuffles(rows: Sequence[object]) -> Iterator[tuple[object, ...]]:
    """The rows in every order, equal ones told apart."""
    yield from permutations(rows)


def stirling(n: int, k: int) -> int:
    """How many partitions have k clusters, by inclusion and exclusion."""
    total = sum((-1) ** j * math.comb(k, j) * (k - j) ** n for j in range(k + 1))
    return total // math.factorial(k)


def bell(n: int) -> int:
    """How many partitions there are."""
    return sum(stirling(n, k) for k in range(n + 1))


def expected_rand(n: int, together_truth: Fraction, together_found: Fraction) -> Fraction:
    """Gates and Ahn (2017): pairs together in both, or in neither, of two independent partitions."""
    return together_truth * together_found + (1 - together_truth) * (1 - together_found)


def together_fixed_number(n: int, k: int) -> Fraction:
    """S(n - 1, k) / S(n, k): merge the two objects into one."""
    return Fraction(stirling(n - 1, k), stirling(n, k))


def together_all(n: int) -> Fraction:
    """B(n - 1) / B(n)."""
    return Fraction(bell(n - 1), bell(n))


def together_in(labels: Sequence[int]) -> Fraction:
    """The share of pairs that are together in this partition."""
    sizes = [list(labels).count(label) for label in set(labels)]
    return Fraction(sum(math.comb(s, 2) for s in sizes), math.comb(len(labels), 2))


def mean_and_share(
    values: Iterable[float], observed: float, *, higher: bool | None
) -> tuple[float, float, float]:
    """Mean and deviation of the values that there are, and the share that is at least as good.

    Values that are nan count as at least as good. Without a direction there is no share.
    """
    seen = list(values)
    known = [v for v in seen if not math.isnan(v)]
    if not known:
        return math.nan, math.nan, math.nan if math.isnan(observed) or higher is None else 1.0
    mean = math.fsum(known) / len(known)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in known) / len(known))
    if higher is None or math.isnan(observed):
        return mean, deviation, math.nan
    near = 1e-9 * max(1.0, abs(observed))
    hits = sum(math.isnan(v) or (v >= observed - near if higher else v <= observed + near) for v in seen)
    return mean, deviation, hits / len(seen)
