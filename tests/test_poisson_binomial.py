"""Laws of counts and bounds on the best matching: against exact fractions and all hard clusterings."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.distributional.solvers import poisson_binomial
from partita.distributional.solvers.pair_moments import expected_squares
from partita.distributional.solvers.poisson_binomial import (
    count_law,
    difference_law,
    expected_matching,
    expected_sums,
)
from partita.errors import ParameterError
from strategies import fuzzy


def slow_law(gain, loss, number):
    """The law of the sum on -n..n, one variable after the other, in the given arithmetic."""
    n = len(gain)
    law = np.array([number(0)] * (2 * n + 1))
    law[n] = number(1)
    for g, m in zip(gain, loss, strict=True):
        up, down = number(g), number(m)
        step = law * (number(1) - up - down)
        step[1:] += law[:-1] * up
        step[:-1] += law[1:] * down
        law = step
    return law


def total_variation(law, exact):
    first, pmf = law
    rest = exact.copy()
    rest[len(exact) // 2 + first :][: pmf.size] -= [type(exact[0])(p) for p in pmf]
    return float(sum(abs(rest))) / 2


def with_certain(rng, n):
    """Probabilities of every size, 0 and 1 among them."""
    p = rng.random(n) ** rng.integers(1, 9, n)
    p = np.where(rng.random(n) < 0.5, p, 1 - p)
    return np.where(rng.random(n) < 0.3, np.round(p), p)


CASES = {
    "any": lambda rng, n: rng.random(n),
    "some certain": with_certain,
    "all certain": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "rare": lambda rng, n: np.full(n, 1e-6),
    "nearly sure": lambda rng, n: 1 - 1e-3 * rng.random(n) ** 8,
    "even": lambda rng, n: np.full(n, 0.5),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n", [1, 32, 33, 66])
def test_count_law_against_fractions(case, n):
    p = CASES[case](np.random.default_rng(n), n)
    first, pmf = count_law(p)
    assert first >= 0
    assert first + pmf.size <= n + 1
    assert (pmf >= 0).all()
    assert pmf.sum() == pytest.approx(1.0, abs=1e-14)
    assert total_variation((first, pmf), slow_law(p, np.zeros(n), Fraction)) < 1e-14


@pytest.mark.parametrize("case", CASES)
def test_count_law_of_many(case):
    p = CASES[case](np.random.default_rng(7), 2000)
    assert total_variation(count_law(p), slow_law(p, np.zeros(2000), np.longdouble)) < 1e-13


def test_count_law_keeps_to_a_few_standard_deviations():
    p = np.random.default_rng(0).random(20_000)
    first, pmf = count_law(p)
    counts = np.arange(first, first + pmf.size)
    mean, variance = p.sum(), (p * (1 - p)).sum()
    assert pmf.size < 30 * variance**0.5
    assert pmf @ counts == pytest.approx(mean, rel=1e-13)
    assert pmf @ (counts - mean) ** 2 == pytest.approx(variance, rel=1e-11)


def test_certain_trials_only_move_the_law():
    for p, expected in (([], 0), ([0, 0], 0), ([1, 1, 1], 3), ([1] * 100 + [0] * 50, 100)):
        first, pmf = count_law(np.array(p, dtype=float))
        assert (first, pmf.tolist()) == (expected, [1.0])
    first, pmf = difference_law(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0, 0.0]))
    assert (first, pmf.tolist()) == (-1, [1.0])


@pytest.mark.parametrize("n", [1, 5, 40])
@pytest.mark.parametrize("spread", [0.1, 1.0])
def test_difference_law_against_fractions(n, spread):
    gain, loss, _ = np.random.default_rng(n).dirichlet([spread] * 3, n).T
    assert total_variation(difference_law(gain, loss), slow_law(gain, loss, Fraction)) < 1e-14


def test_difference_law_of_many():
    gain, loss, _ = np.random.default_rng(1).dirichlet([0.3] * 3, 2000).T
    exact = slow_law(gain, loss, np.longdouble)
    assert total_variation(difference_law(gain, loss), exact) < 1e-13
    assert total_variation(difference_law(loss, gain), exact[::-1]) < 1e-13


@pytest.mark.parametrize(
    ("gain", "loss"),
    [([0.5, 1.1], [0, 0]), ([0.5, -0.1], [0, 0]), ([0.7], [0.7]), ([0.5], [0.1, 0.1]), ([np.nan], [0.1])],
)
def test_what_is_no_probability_is_refused(gain, loss):
    with pytest.raises(ParameterError, match="no probabilities"):
        difference_law(np.array(gain), np.array(loss))


# --- both sides fuzzy, all hard clusterings ---------------------------------------------------------


def outcomes(U, V):
    """All pairs of hard clusterings that can happen: probability and table."""
    n = len(U)
    for rows in product(*[np.flatnonzero(u) for u in U]):
        for columns in product(*[np.flatnonzero(v) for v in V]):
            table = np.zeros((U.shape[1], V.shape[1]), dtype=int)
            np.add.at(table, (rows, columns), 1)
            yield np.prod([U[x, rows[x]] * V[x, columns[x]] for x in range(n)]), table


def best_matching(table):
    """The most objects of a matching: over all permutations of the table filled up to a square."""
    size = max(table.shape)
    square = np.zeros((size, size), dtype=int)
    square[: table.shape[0], : table.shape[1]] = table
    return max(sum(square[i, pi[i]] for i in range(size)) for pi in permutations(range(size)))


def m_log_m(m):
    return m * np.log(np.maximum(m, 1))


@st.composite
def memberships(draw):
    """Two fuzzy clusterings of up to three objects, with up to three clusters each."""
    n = draw(st.integers(1, 3))
    few_clusters = fuzzy(n).map(lambda p: np.asarray(p.memberships())).filter(lambda u: u.shape[1] <= 3)
    return draw(few_clusters), draw(few_clusters)


@given(sides=memberships(), phi=st.sampled_from([np.square, m_log_m, lambda m: (m == 0) * 1.0]))
def test_expected_sums_against_all_hard_clusterings(sides, phi):
    exact = np.zeros(3)
    for p, table in outcomes(*sides):
        exact += [p * phi(counts).sum() for counts in (table.sum(axis=1), table.sum(axis=0), table)]
    np.testing.assert_allclose(expected_sums(*sides, phi), exact, rtol=1e-12, atol=1e-13)


@given(sides=memberships())
def test_bounds_hold_the_mean_of_the_best_matching(sides):
    exact = sum(p * best_matching(table) for p, table in outcomes(*sides))
    for most in (5040, 0):
        low, high = expected_matching(*sides, most)
        assert low - 1e-12 <= exact <= high + 1e-12
        assert high <= len(sides[0])


@pytest.mark.parametrize(
    ("n", "k", "other"), [(4, 3, 3), (4, 2, 3), (4, 3, 2), (3, 2, 4), (5, 1, 3), (2, 4, 4)]
)
@pytest.mark.parametrize("spread", [0.1, 5.0])
def test_bounds_hold_without_zeros(n, k, other, spread):
    rng = np.random.default_rng(n + k + other)
    U, V = rng.dirichlet(np.full(k, spread), n), rng.dirichlet(np.full(other, spread), n)
    exact = sum(p * best_matching(table) for p, table in outcomes(U, V))
    for most in (5040, 0):
        low, high = expected_matching(U, V, most)
        assert low - 1e-12 <= exact <= high + 1e-12
    low, high = expected_matching(V, U)
    assert low - 1e-12 <= exact <= high + 1e-12


def test_two_clusters_on_both_sides_are_exact():
    rng = np.random.default_rng(2)
    U, V = rng.dirichlet([1, 1], 5), rng.dirichlet([1, 1], 5)
    exact = sum(p * best_matching(table) for p, table in outcomes(U, V))
    assert expected_matching(U, V) == pytest.approx((exact, exact), rel=1e-12)


@pytest.mark.parametrize(("k", "other"), [(3, 3), (3, 5), (9, 9), (10, 8)])
def test_bounds_are_tight_for_nearly_hard_clusterings(k, other):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, min(k, other), 600)
    U = 0.95 * np.eye(k)[labels] + 0.05 / k
    V = 0.95 * np.eye(other)[labels] + 0.05 / other
    low, high = expected_matching(U, V)
    assert 0 <= high - low < 1e-6
    assert low == pytest.approx(np.einsum("xi,xi->", U[:, : min(k, other)], V[:, : min(k, other)]))


def test_bounds_hold_for_draws_when_clusters_coincide():
    rng = np.random.default_rng(4)
    n, k, draws = 200, 4, 300
    U = V = np.full((n, k), 1 / k)
    best = [
        best_matching(np.bincount(rng.integers(0, 16, n), minlength=16).reshape(4, 4)) for _ in range(draws)
    ]
    error = 4 * np.std(best) / draws**0.5
    for most in (5040, 0):
        low, high = expected_matching(U, V, most)
        assert low - error <= np.mean(best) <= high + error
        assert high < n / 2


def test_one_hot_rows_leave_nothing_to_chance():
    rng = np.random.default_rng(5)
    U, V = np.eye(3)[rng.integers(0, 3, 90)], np.eye(4)[rng.integers(0, 4, 90)]
    table = (U.T @ V).astype(int)
    assert expected_matching(U, V) == (best_matching(table), best_matching(table))
    expected = [np.square(counts).sum() for counts in (table.sum(axis=1), table.sum(axis=0), table)]
    assert list(expected_sums(U, V, np.square)) == expected


def test_moves_are_the_matchings_that_do_not_fall_apart():
    """Of all matchings of five and five, the cycles: choose m clusters, and (m - 1)! ways to turn them."""
    for k, cycles in ((2, 1), (3, 5), (4, 20), (5, 84)):
        moves = list(poisson_binomial._moves(list(range(k)), k))
        assert len(moves) == cycles < factorial(k)
    # one row and three columns: it moves to either of the others
    assert len(list(poisson_binomial._moves([1], 3))) == 2
    # two rows and four columns: 4 single moves, 4 shifts, 1 exchange; two single moves at once fall apart
    assert len(list(poisson_binomial._moves([0, 1], 4))) == 9


@pytest.mark.parametrize(("n", "k", "other"), [(40, 3, 3), (300, 2, 4), (3000, 3, 2)])
def test_both_modules_agree_on_squares(n, k, other):
    rng = np.random.default_rng(n)
    U, V = rng.dirichlet(np.ones(k), n), rng.dirichlet(np.full(other, 0.2), n)
    np.testing.assert_allclose(expected_sums(U, V, np.square), expected_squares(U, V), rtol=1e-12)
    V = np.eye(other)[rng.integers(0, other, n)]
    np.testing.assert_allclose(expected_sums(U, V, np.square), expected_squares(U, V), rtol=1e-12)


def test_progress_and_batches(monkeypatch):
    rng = np.random.default_rng(6)
    U, V = rng.dirichlet(np.ones(3), 70), rng.dirichlet(np.ones(2), 70)
    whole = expected_sums(U, V, m_log_m)
    seen = []
    monkeypatch.setattr(poisson_binomial, "BATCH_ENTRIES", 1)
    np.testing.assert_allclose(
        expected_sums(U, V, m_log_m, on_block=lambda *at: seen.append(at)), whole, rtol=1e-13
    )
    assert seen == [(done, 11) for done in range(1, 12)]
