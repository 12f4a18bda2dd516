"""Clusterings that hardly tell one object from another: fuzzy c-means on noise gives such memberships."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
from partita.partitions import HardPartition
from partita.statistics.pairs.coassociation import PairMoments

UNIFORM, UNEVEN = np.full(3, 1 / 3), np.array([0.5, 0.3, 0.2])


def rows_near(centre: np.ndarray, away: float, n: int, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, centre.size))
    return centre + away * (noise - noise.mean(axis=1, keepdims=True)) * centre.min()


class Exact:
    """Co-associations of two clusterings in fractions, rows divided by their sums."""

    def __init__(self, U: np.ndarray, V: np.ndarray) -> None:
        self.n = len(U)
        self.X, self.Y = (self._products(rows) for rows in (U, V))

    @staticmethod
    def _products(rows: np.ndarray) -> Any:
        exact = np.array([[Fraction(value) for value in row] for row in rows.tolist()])
        exact = exact / exact.sum(axis=1)[:, None]
        return exact @ exact.T

    def correlation_distance(self) -> float:
        above = np.triu_indices(self.n, 1)
        a, b = (Z[above] - Z[above].sum() / above[0].size for Z in (self.X, self.Y))
        return 1.0 - float(a @ b) / math.sqrt(a @ a) / math.sqrt(b @ b)

    def frobenius_adjusted(self) -> float:
        """(F - E) / (1 - E): diagonals are shuffled among themselves, and pairs too."""
        n = self.n
        x, y = (Z.sum() / (Z * Z).sum() for Z in (self.X, self.Y))
        on = [np.trace(Z) for Z in (self.X, self.Y)]
        off = [Z.sum() - trace for Z, trace in zip((self.X, self.Y), on, strict=True)]
        by_chance = on[0] * on[1] / n + off[0] * off[1] / (n * (n - 1))
        above = (self.X * self.Y).sum() - by_chance
        most = (x / y * (self.X * self.X).sum() + y / x * (self.Y * self.Y).sum()) / 2
        return float(above / (most - by_chance))


@pytest.mark.parametrize("away", [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13])
@pytest.mark.parametrize("centre", [UNIFORM, UNEVEN], ids=["uniform", "uneven"])
def test_a_clustering_against_itself(away, centre):
    U = rows_near(centre, away, 40, 0)
    for V in (U, U[:, [2, 0, 1]]):
        assert pt.indices.coassociation_correlation_distance(U, V) == pytest.approx(0.0, abs=1e-12)
        assert pt.indices.frobenius_adjusted_rand(U, V) == pytest.approx(1.0, abs=1e-12)


@given(
    st.integers(-12, -1),
    st.integers(-12, -1),
    st.integers(0, 99),
    st.sampled_from([UNIFORM, UNEVEN]),
    st.sampled_from([np.full(4, 0.25), UNEVEN]),
)
def test_values_are_exact_however_near(power, other_power, seed, centre, other_centre):
    U = rows_near(centre, 10.0**power, 9, seed)
    V = rows_near(other_centre, 10.0**other_power, 9, seed + 100)
    exact = Exact(U, V)
    # memberships are given to 1e-16 or so, which is this share of how far they lie from their mean
    given_to = 1e-15 / 10.0 ** min(power, other_power) + 1e-12
    correlation = pt.indices.coassociation_correlation_distance(U, V)
    assert correlation == pytest.approx(exact.correlation_distance(), abs=100 * given_to)
    frobenius = pt.indices.frobenius_adjusted_rand(U, V)
    assert frobenius == pytest.approx(exact.frobenius_adjusted(), abs=100 * given_to)


@given(st.integers(-10, -1), st.integers(0, 99))
def test_near_and_hard(power, seed):
    """The smaller deviation of the two is not lost in the larger one."""
    U = rows_near(UNIFORM, 10.0**power, 9, seed)
    hard = np.arange(9) % 2
    expected = Exact(U, np.eye(2)[hard]).correlation_distance()
    got = pt.indices.coassociation_correlation_distance(U, hard)
    assert got == pytest.approx(expected, abs=1e-13 / 10.0**power)


@given(st.integers(-10, -2), st.integers(1, 8), st.integers(0, 99))
def test_blocks_see_what_the_whole_sees(power, cut, seed):
    U = pt.FuzzyPartition(rows_near(UNIFORM, 10.0**power, 9, seed))
    V = pt.FuzzyPartition(rows_near(UNEVEN, 10.0**power, 9, seed + 100))
    whole = PairMoments.from_block(U, V).values
    parts = [PairMoments.from_block(U.take(rows), V.take(rows)) for rows in (slice(0, cut), slice(cut, 9))]
    for merged in (parts[0] + parts[1], parts[1] + parts[0]):
        np.testing.assert_allclose(merged.values, whole, rtol=1e-14 / 10.0**power + 1e-12, atol=1e-15)


def test_blocks_with_other_clusters_have_other_origins():
    soft = pt.FuzzyPartition(rows_near(UNEVEN, 0.3, 6, 3))
    hard = HardPartition(["a", "a", "b", "c", "b", "c"])
    parts = [
        PairMoments.from_block(soft.take(rows), HardPartition(hard.labels[rows]))
        for rows in (slice(0, 2), slice(2, 4), slice(4, 6))
    ]
    merged = parts[0] + parts[1] + parts[2]
    np.testing.assert_allclose(merged.values, PairMoments.from_block(soft, hard).values, rtol=1e-12)


def test_deviations_of_the_size_of_rounding_are_none():
    """All pairs are then alike: no correlation, and every shuffle agrees as well."""
    U, V = rows_near(UNIFORM, 1e-15, 20, 0), rows_near(UNIFORM, 0.5, 20, 1)
    assert pt.indices.coassociation_correlation_distance(U, U) == 0.0
    assert pt.indices.frobenius_adjusted_rand(U, U) == 1.0
    with pytest.raises(pt.errors.UndefinedIndexError, match="the same for all pairs"):
        pt.indices.coassociation_correlation_distance(U, V, on_undefined="raise")
    assert pt.indices.frobenius_adjusted_rand(U, V) == 0.0
