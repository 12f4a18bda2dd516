"""How many draws are enough, how sure their mean is, and what is drawn.

Seeds are fixed. Where a test could fail by chance alone, the chance (over seeds) is said.
"""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

import strategies  # noqa: F401 (loads the hypothesis profile)
from partita.distributional.budgets import Budget
from partita.distributional.sampling import (
    FIRST_STAGE,
    MOST_DRAWS,
    Plan,
    bernstein_half_width,
    draw_labels,
    draw_tables,
    hoeffding_half_width,
    hoeffding_size,
    kl_upper_limit,
    normal_half_width,
    tables_of,
)
from partita.errors import ParameterError


def quiet(_done, _total):
    """Nobody looks."""


# --- how many, how sure ---------------------------------------------------------------------------------


def test_hoeffding_by_the_paper():
    """campagner2022 section 5.6 of our reading: 18445 for 0.01 and 0.95."""
    assert hoeffding_size(0.01, 0.95) == 18445


@given(
    epsilon=st.floats(0.002, 0.5),
    confidence=st.floats(0.5, 0.999),
    width=st.sampled_from([0.5, 1.0, 1.5, 8.0]),
)
def test_hoeffdings_number_is_the_smallest_that_is_enough(epsilon, confidence, width):
    """2 exp(-2 s eps^2 / width^2) <= 1 - confidence holds for it, and not for one less."""

    def error(size):
        return 2.0 * math.exp(-2.0 * size * (epsilon / width) ** 2)

    size = hoeffding_size(epsilon, confidence, width)
    assert error(size) <= (1.0 - confidence) * (1 + 1e-9)
    assert error(size - 1) > (1.0 - confidence) * (1 - 1e-9)
    assert hoeffding_half_width(size, confidence, width) <= epsilon * (1 + 1e-9)


def test_half_widths_by_hand():
    """Values 0, 0, 1, 1 have variance 1/3 with three degrees of freedom."""
    values = np.array([0.0, 0.0, 1.0, 1.0])
    assert hoeffding_half_width(200, 0.95, 2.0) == pytest.approx(2 * math.sqrt(math.log(40) / 400))
    log = math.log(4 / 0.1)
    by_bernstein = math.sqrt(2 * (1 / 3) * log / 4) + 7 * 3.0 * log / (3 * 3)
    assert bernstein_half_width(values, 0.9, 3.0) == pytest.approx(by_bernstein)
    assert normal_half_width(values, 0.95) == pytest.approx(1.959963984540054 * math.sqrt(1 / 3) / 2)
    assert bernstein_half_width(values[:1], 0.9, 1.0) == normal_half_width(values[:1], 0.9) == math.inf


def test_a_plan_takes_the_better_of_two_theorems():
    """Constant draws: Bernstein. Few and spread ones: Hoeffding. Each has half of the allowed error."""
    plan = Plan(n_samples=1000, confidence=0.9)
    half, theorem = plan.half_width(np.full(1000, 0.3), 1.0)
    assert theorem == "empirical Bernstein"
    assert half == pytest.approx(7 * math.log(4 / 0.05) / (3 * 999))
    half, theorem = plan.half_width(np.array([0.0, 1.0] * 10), 1.0)
    assert theorem == "Hoeffding"
    assert half == pytest.approx(math.sqrt(math.log(2 / 0.05) / 40))
    half, theorem = plan.half_width(np.array([0.0, 1.0] * 10), None)
    assert theorem == "normal approximation"
    assert half == pytest.approx(normal_half_width(np.array([0.0, 1.0] * 10), 0.9))


VARIABLES = {
    "rare": (lambda rng, shape: (rng.random(shape) < 0.02).astype(float), 0.02),
    "even": (lambda rng, shape: (rng.random(shape) < 0.5).astype(float), 0.5),
    "skewed": (lambda rng, shape: rng.random(shape) ** 9, 0.1),
}


@pytest.mark.parametrize("name", VARIABLES)
@pytest.mark.parametrize("size", [2, 30, 400])
def test_the_interval_covers_as_often_as_it_says(name, size):
    """500 means. The theorems are careful, 0.95 is covered where 0.8 is said: then below 1e-20 to fail."""
    draw, mean = VARIABLES[name]
    values = draw(np.random.default_rng(1), (500, size))
    plan = Plan(n_samples=size, confidence=0.8)
    hits = sum(abs(v.mean() - mean) <= plan.half_width(v, 1.0)[0] for v in values)
    assert stats.binom.cdf(399, 500, 0.95) < 1e-20
    assert hits >= 400


@pytest.mark.parametrize("name", VARIABLES)
def test_stopping_early_keeps_the_coverage(name):
    """Looking at each stage is paid for. If 0.95 is covered, fewer than 160 of 200 have a chance of 1e-9."""
    draw, mean = VARIABLES[name]
    rng, hits, sizes = np.random.default_rng(2), 0, set()
    plan = Plan(epsilon=0.04, confidence=0.8)
    for _ in range(200):
        values, is_enough = plan.run(lambda size: draw(rng, (size, 1)), 1.0, quiet)
        assert is_enough
        hits += abs(values.mean() - mean) <= 0.04
        sizes.add(len(values))
    assert stats.binom.cdf(159, 200, 0.95) < 1e-9
    assert hits >= 160
    assert max(sizes) <= plan.most_draws(1.0)


def test_what_is_enough_for_the_plan_is_within_epsilon():
    """The half-width that is reported after "auto" is never above the one that was asked for."""
    for name, (draw, _) in VARIABLES.items():
        rng = np.random.default_rng(3)
        plan = Plan(epsilon=0.03, confidence=0.9)
        values, _ = plan.run(lambda size, draw=draw, rng=rng: draw(rng, (size, 1)), 1.0, quiet)
        assert plan.half_width(values[:, 0], 1.0)[0] <= 0.03 * (1 + 1e-12), name


# --- when to stop ---------------------------------------------------------------------------------------


def counting(sizes, value=None):
    """Draws that are written down; constant ones, or coins."""
    rng = np.random.default_rng(4)

    def draw(size):
        sizes.append(size)
        drawn = (rng.random((size, 2)) < 0.5).astype(float)
        return drawn if value is None else np.full((size, 2), value)

    return draw


def test_constant_draws_stop_at_the_first_stage_that_is_enough():
    """By Bernstein with no variance: 7 log(4 / delta) / (3 (s - 1)) <= eps."""
    sizes, reports = [], []
    plan = Plan(epsilon=0.05)
    values, is_enough = plan.run(counting(sizes, 0.3), 1.0, lambda *r: reports.append(r))
    assert is_enough
    assert len(values) == sum(sizes) == reports[-1][0]
    assert len(values) in (FIRST_STAGE, 2 * FIRST_STAGE, 4 * FIRST_STAGE)
    assert len(values) < plan.most_draws(1.0) == reports[-1][1]
    assert [done for done, _ in reports] == np.cumsum(sizes).tolist()


def test_coins_need_hoeffdings_number_and_no_more():
    """A variance of 1/4 is the largest there is, so no stage is enough before."""
    sizes = []
    plan = Plan(epsilon=0.05)
    values, is_enough = plan.run(counting(sizes), 1.0, quiet)
    assert is_enough
    assert len(values) == sum(sizes) == plan.most_draws(1.0) == hoeffding_size(0.05, 0.975)


def test_both_columns_have_to_be_enough():
    """One column is constant, the other a coin: no stopping before Hoeffding's number."""
    rng = np.random.default_rng(5)

    def draw(size):
        return np.stack([np.full(size, 0.5), rng.random(size) < 0.5], axis=1)

    plan = Plan(epsilon=0.1)
    assert len(plan.run(draw, 1.0, quiet)[0]) == plan.most_draws(1.0)


@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 1000])
@pytest.mark.parametrize("batch", [1, 64, 4096])
def test_a_number_of_draws_is_kept(n, batch):
    if n / batch > 300:
        batch = 16
    sizes = []
    values, is_enough = Plan(n_samples=n).run(counting(sizes, 0.3), 1.0, quiet, batch)
    assert len(values) == sum(sizes) == n
    assert is_enough
    assert max(sizes) <= batch


def test_a_deadline_in_the_past_allows_one_batch():
    for n_samples in ("auto", 1000):
        sizes = []
        plan = Plan(n_samples=n_samples, epsilon=0.001, budget=Budget(deadline=time.monotonic() - 1.0))
        values, is_enough = plan.run(counting(sizes), 1.0, quiet, 16)
        assert sizes == [16]
        assert len(values) == 16
        assert not is_enough
    only = Plan(n_samples=5, budget=Budget(deadline=time.monotonic() - 1.0)).run(counting([]), 1.0, quiet)
    assert len(only[0]) == 5
    assert only[1]


def test_a_deadline_far_away_changes_nothing():
    plan = Plan(n_samples=300, budget=Budget(deadline=time.monotonic() + 1e6))
    assert len(plan.run(counting([]), 1.0, quiet)[0]) == 300


def test_draws_without_a_known_range_have_an_end_too():
    assert Plan().most_draws(None) == 100_000
    assert Plan(epsilon=1e-6).most_draws(1.0) == MOST_DRAWS
    assert Plan(n_samples=7).most_draws(None) == Plan(n_samples=7).most_draws(1.0) == 7
    sizes = []
    values, is_enough = Plan(epsilon=0.05).run(counting(sizes, 0.3), None, quiet)
    assert (len(values), is_enough) == (FIRST_STAGE, True)


def test_an_end_before_epsilon_is_reached_was_not_enough(monkeypatch):
    """500 coins leave their mean open by more than 0.04; the plan asked for 0.01."""
    monkeypatch.setattr("partita.distributional.sampling.MOST_DRAWS", 500)
    plan = Plan(epsilon=0.01)
    values, is_enough = plan.run(counting([]), 1.0, quiet)
    assert len(values) == 500
    assert plan.half_width(values[:, 0], 1.0)[0] > 0.04
    assert not is_enough


def test_undefined_draws_do_not_stop_the_plan():
    """With nothing but nan there is no mean that could be near enough."""

    def draw(size):
        return np.full((size, 1), np.nan)

    plan = Plan(epsilon=0.1)
    assert len(plan.run(draw, 1.0, quiet)[0]) == plan.most_draws(1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"n_samples": n} for n in (0, -1, 1.5, True, "many", None)),
        *({"epsilon": e} for e in (0.0, 1.0, -0.1, math.nan, "0.1", True, None)),
        *({"confidence": c} for c in (0.0, 1.0, 1.5, math.nan, "0.9", False)),
    ],
    ids=str,
)
def test_plans_that_make_no_sense(wrong):
    with pytest.raises(ParameterError):
        Plan(**wrong)


def test_numbers_of_numpy_are_numbers():
    assert Plan(n_samples=np.int64(5)).most_draws(1.0) == 5


# --- the one-sided limit --------------------------------------------------------------------------------


def divergence(p, q):
    return stats.entropy([p, 1 - p], [q, 1 - q])


@pytest.mark.parametrize("mean", [0.0, 1e-4, 0.1, 0.5, 0.7])
@pytest.mark.parametrize("draws", [1, 20, 5000])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_limit_solves_its_equation(mean, draws, confidence):
    """draws * KL(mean, limit) = log(1 / (1 - confidence)), above the mean."""
    budget = math.log(1 / (1 - confidence)) / draws
    expected = optimize.brentq(
        lambda q: divergence(mean, q) - budget, mean + 1e-12, 1 - 1e-15, xtol=1e-15, rtol=1e-13
    )
    assert kl_upper_limit(mean, draws, confidence) == pytest.approx(expected, rel=1e-8)


def test_limits_at_the_ends_by_hand():
    """At mean 0, (1 - q)^s = 1 - confidence; nothing is above 1; means are held in [0, 1]."""
    assert kl_upper_limit(0.0, 50, 0.95) == pytest.approx(1 - 0.05 ** (1 / 50), rel=1e-12)
    assert kl_upper_limit(1.0, 50, 0.95) == 1.0
    assert kl_upper_limit(-1e-17, 50, 0.95) == kl_upper_limit(0.0, 50, 0.95)
    assert kl_upper_limit(1.0 + 1e-15, 50, 0.95) == 1.0
    # one draw of 0.99 refutes almost nothing: 1 - q = e^-300
    assert kl_upper_limit(0.99, 1, 0.95) == 1.0


@pytest.mark.parametrize("name", VARIABLES)
def test_the_limit_covers_as_often_as_it_says(name):
    """400 means of 40 draws. If 0.93 is covered, fewer than 320 hits have a chance below 1e-14."""
    draw, mean = VARIABLES[name]
    values = draw(np.random.default_rng(6), (400, 40)).mean(axis=1)
    hits = sum(mean <= kl_upper_limit(float(v), 40, 0.8) for v in values)
    assert stats.binom.cdf(319, 400, 0.93) < 1e-14
    assert hits >= 320


# --- what is drawn --------------------------------------------------------------------------------------

ROWS = np.array(
    [
        [0.0, 0.3, 0.7, 0.0],
        [0.1, 0.0, 0.2, 0.7],
        [0.5, 0.5, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 1.0, 0.0],
        [1 / 3, 1 / 3, 1 / 3, 0.0],
        [0.1, 0.2, 0.3, 0.4],
    ]
)


def test_labels_have_their_frequencies_and_never_probability_zero():
    """125 000 draws of eight objects, 10^6 labels. Each chi-square test fails with a chance of 1e-9."""
    drawn = draw_labels(ROWS, 125_000, np.random.default_rng(7))
    assert drawn.shape == (125_000, 8)
    for labels, row in zip(drawn.T, ROWS, strict=True):
        counts = np.bincount(labels, minlength=4)
        assert len(counts) == 4
        assert (counts[row == 0] == 0).all()
        expected = 125_000 * row[row > 0]
        statistic = ((counts[row > 0] - expected) ** 2 / expected).sum()
        assert statistic <= stats.chi2.isf(1e-9, max((row > 0).sum() - 1, 1))


class Edges:
    """A generator that gives the numbers at which rounding could go wrong."""

    def random(self, shape):
        return np.resize([0.0, np.nextafter(1.0, 0.0), 1 / 3, 2 / 3, 0.1, 0.3, 0.6, 0.9], shape)


def test_no_number_of_the_generator_leads_to_a_label_of_probability_zero():
    """0.1 summed ten times is 1 - 1e-16; so are the sevenths. A last column of zero must stay empty."""
    for k in (3, 7, 10):
        for empty in (0, k // 2, k):
            row = np.insert(np.full(k, 1 / k), empty, 0.0)
            labels = draw_labels(np.tile(row, (8, 1)), 80, Edges())
            assert not (labels == empty).any()
            assert labels.min() >= 0
            assert labels.max() <= k


def test_objects_are_drawn_independently():
    """Two fair objects agree in half of 40 000 draws, within 6.2 standard deviations (chance: 1e-9)."""
    drawn = draw_labels(np.full((2, 2), 0.5), 40_000, np.random.default_rng(8))
    assert abs((drawn[:, 0] == drawn[:, 1]).mean() - 0.5) < 6.2 * 0.5 / 200


def test_weights_need_not_sum_to_one():
    labels = draw_labels(np.array([[2.0, 6.0]]), 40_000, np.random.default_rng(9))
    assert abs(labels.mean() - 0.75) < 6.2 * math.sqrt(0.75 * 0.25) / 200


@given(data=st.data())
def test_tables_count_labels(data):
    n, k, other, draws = (data.draw(st.integers(1, m)) for m in (6, 3, 4, 5))
    row, column = (st.lists(st.integers(0, m - 1), min_size=n, max_size=n) for m in (k, other))
    truth = np.array(data.draw(st.lists(row, min_size=draws, max_size=draws)))
    found = np.array(data.draw(st.lists(column, min_size=draws, max_size=draws)))
    expected = np.zeros((draws, k, other), dtype=int)
    for s, x in np.ndindex(draws, n):
        expected[s, truth[s, x], found[s, x]] += 1
    np.testing.assert_array_equal(tables_of(truth, found, (k, other)), expected)
    # one side may be the same for all draws
    np.testing.assert_array_equal(
        tables_of(truth[0], found, (k, other)), tables_of(np.tile(truth[0], (draws, 1)), found, (k, other))
    )
    np.testing.assert_array_equal(
        tables_of(truth, found[0], (k, other)), tables_of(truth, np.tile(found[0], (draws, 1)), (k, other))
    )


def test_drawn_tables_hold_all_objects_and_repeat_with_the_seed():
    tables = draw_tables(ROWS, ROWS[::-1], 100, np.random.default_rng(10))
    assert tables.shape == (100, 4, 4)
    assert (tables.sum(axis=(1, 2)) == 8).all()
    again = draw_tables(ROWS, ROWS[::-1], 100, np.random.default_rng(10))
    np.testing.assert_array_equal(tables, again)
    assert len(np.unique(tables, axis=0)) > 50


def test_many_objects_are_drawn_in_parts(monkeypatch):
    """Parts of three draws: all ten are there, all different objects' counts add up."""
    monkeypatch.setattr("partita.distributional.sampling._CELLS_AT_ONCE", 24)
    tables = draw_tables(ROWS, ROWS, 10, np.random.default_rng(11))
    assert tables.shape == (10, 4, 4)
    assert (tables.sum(axis=(1, 2)) == 8).all()
    assert len(np.unique(tables, axis=0)) > 5
