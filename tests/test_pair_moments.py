"""Mean and variance of the sums of squares: against all hard clusterings, and where the answer is known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.distributional.solvers import pair_moments
from partita.distributional.solvers.pair_moments import expected_squares, variance_of_squares
from partita.errors import PartitaError, TooLargeError
from strategies import fuzzy

DISAGREEMENT = (1.0, 1.0, -2.0)
weights = st.sampled_from([DISAGREEMENT, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.3, -1.7, 2.2)])


def outcomes(U, V):
    """All pairs of hard clusterings: probability, and (A, B, T) counted pair by pair of objects."""
    n, k = U.shape
    found = []
    for rows in product(range(k), repeat=n):
        p_rows = np.prod([U[x, rows[x]] for x in range(n)])
        if p_rows == 0:
            continue
        for columns in product(range(V.shape[1]), repeat=n):
            p = p_rows * np.prod([V[x, columns[x]] for x in range(n)])
            if p > 0:
                same = [[rows[x] == rows[y], columns[x] == columns[y]] for x in range(n) for y in range(n)]
                found.append((p, [sum(r for r, _ in same), sum(c for _, c in same), sum(map(all, same))]))
    return np.array([p for p, _ in found]), np.array([abt for _, abt in found], dtype=float)


@st.composite
def memberships(draw, most=3):
    """Two fuzzy clusterings of the same few objects, with up to three clusters each."""
    n = draw(st.integers(1, most))
    few_clusters = fuzzy(n).map(lambda p: np.asarray(p.memberships())).filter(lambda u: u.shape[1] <= 3)
    return draw(few_clusters), draw(few_clusters)


def one_hot(rng, n, k):
    return np.eye(k)[rng.integers(0, k, n)]


def check(U, V, w):
    p, squares = outcomes(U, V)
    mean = p @ squares
    np.testing.assert_allclose(expected_squares(U, V), mean, rtol=1e-12)
    values = (squares - mean) @ w
    np.testing.assert_allclose(variance_of_squares(U, V, w), p @ values**2, rtol=1e-11, atol=1e-11)


@given(sides=memberships(), w=weights)
def test_against_all_hard_clusterings(sides, w):
    check(*sides, w)


@pytest.mark.parametrize(
    ("n", "k", "other"), [(5, 2, 2), (4, 3, 2), (4, 2, 3), (3, 3, 3), (5, 1, 3), (1, 3, 2)]
)
def test_against_all_hard_clusterings_without_zeros(n, k, other):
    rng = np.random.default_rng(n * k * other)
    U, V = rng.dirichlet(np.ones(k), n), rng.dirichlet(np.ones(other), n)
    check(U, V, DISAGREEMENT)
    check(U, one_hot(rng, n, other), (0.3, -1.7, 2.2))


def test_one_hot_rows_leave_nothing_to_chance():
    rng = np.random.default_rng(0)
    U, V = one_hot(rng, 500, 4), one_hot(rng, 500, 3)
    table = U.T @ V
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    assert expected_squares(U, V) == ((rows**2).sum(), (columns**2).sum(), (table**2).sum())
    assert variance_of_squares(U, V, DISAGREEMENT) == 0.0
    assert variance_of_squares(U, V, (0.1, 0.7, -0.33)) < 1e-12 * 500**2


@pytest.mark.parametrize("softness", [1e-3, 1e-6, 1e-9])
def test_one_object_that_is_nearly_certain(softness):
    """It moves from a cluster of 4 to one of 5: A is 4^2 + 5^2 or 3^2 + 6^2, a difference of 4."""
    U = np.eye(2)[[0, 0, 0, 0, 1, 1, 1, 1, 1]]
    U[0] = [1 - softness, softness]
    variance = variance_of_squares(U, U[1:2].repeat(9, axis=0), (1.0, 0.0, 0.0))
    assert variance == pytest.approx(16 * softness * (1 - softness), rel=1e-12 / softness)


def test_one_cluster_in_found():
    """With one cluster in found, T is A, and B is constant."""
    rng = np.random.default_rng(1)
    U, V = rng.dirichlet(np.ones(4), 60), np.ones((60, 1))
    expected = variance_of_squares(U, V, (1.0, 0.0, 0.0))
    assert variance_of_squares(U, V, (0.0, 7.0, 1.0)) == pytest.approx(expected, rel=1e-11)
    assert variance_of_squares(U, V, (0.5, 0.0, 0.5)) == pytest.approx(expected, rel=1e-11)
    assert variance_of_squares(U, V, (-2.0, 0.0, 0.0)) == pytest.approx(4 * expected, rel=1e-11)


def test_against_draws():
    rng = np.random.default_rng(2)
    n, draws = 80, 20_000
    U, V = rng.dirichlet(np.full(4, 0.5), n), rng.dirichlet(np.full(3, 0.5), n)
    rows = (rng.random((draws, n, 1)) > U.cumsum(axis=1)).sum(axis=2).clip(0, 3)
    columns = (rng.random((draws, n, 1)) > V.cumsum(axis=1)).sum(axis=2).clip(0, 2)
    cells = rows * 3 + columns + 12 * np.arange(draws)[:, None]
    table = np.bincount(cells.ravel(), minlength=12 * draws).reshape(draws, 4, 3)
    values = (table.sum(axis=2) ** 2).sum(axis=1) + (table.sum(axis=1) ** 2).sum(axis=1)
    values = values - 2 * (table**2).sum(axis=(1, 2))
    variance = variance_of_squares(U, V, DISAGREEMENT)
    assert values.mean() == pytest.approx(
        np.dot(expected_squares(U, V), DISAGREEMENT), abs=5 * (variance / draws) ** 0.5
    )
    assert values.var() == pytest.approx(variance, rel=0.06)


def test_blocks_and_single_precision_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    U, V = rng.dirichlet(np.ones(5), 300), rng.dirichlet(np.ones(3), 300)
    mean, variance = expected_squares(U, V), variance_of_squares(U, V, DISAGREEMENT)
    single = U.astype(np.float32), V.astype(np.float32)
    np.testing.assert_allclose(expected_squares(*single), mean, rtol=1e-6)
    assert variance_of_squares(*single, DISAGREEMENT) == pytest.approx(variance, rel=1e-5)
    monkeypatch.setattr(pair_moments, "MEAN_ROWS", 7)
    monkeypatch.setattr(pair_moments, "VARIANCE_BYTES", 4000)
    np.testing.assert_allclose(expected_squares(U, V), mean, rtol=1e-13)
    assert variance_of_squares(U, V, DISAGREEMENT) == pytest.approx(variance, rel=1e-12)


def test_exchanging_the_sides_exchanges_the_weights():
    rng = np.random.default_rng(4)
    U, V = rng.dirichlet(np.ones(4), 50), rng.dirichlet(np.ones(2), 50)
    a, b, t = expected_squares(U, V)
    np.testing.assert_allclose(expected_squares(V, U), (b, a, t), rtol=1e-13)
    one, other = variance_of_squares(U, V, (0.2, 0.9, -1.4)), variance_of_squares(V, U, (0.9, 0.2, -1.4))
    assert one == pytest.approx(other, rel=1e-11)


def test_what_cannot_be_computed_is_said():
    with pytest.raises(TooLargeError, match="pair of cells"):
        variance_of_squares(np.full((2, 200), 1 / 200), np.full((2, 200), 1 / 200), DISAGREEMENT)
    with pytest.raises(PartitaError, match="negative"):
        variance_of_squares(np.array([[1.5, -0.5]] * 9), np.array([[0.5, 0.5]] * 9), (1.0, 0.0, 0.0))
