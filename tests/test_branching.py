"""The certified minimum over completions: against all completions, and its bound when it must stop early."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.distributional.budgets import Budget
from partita.distributional.solvers.branching import local_search, minimum
from partita.distributional.solvers.groups import Groups
from strategies import rough


def square(m):
    return m * m


def information(m):
    return m * np.log(np.maximum(m, 1))


FUNCTIONS = (square, information)
WEIGHTS = ((1, 1, -2), (-1, -1, 2), (1, 0, 0), (-1, 0, 0), (0, 1, -1), (0, 0, 1), (0, 0, -1), (0.5, -2, 1))


def all_tables(truth, found):
    """The tables of all completions, one object after the other."""
    k, others = truth.shape[1], found.shape[1]
    tables = {(0,) * (k * others)}
    for own, other in zip(truth, found, strict=True):
        cells = [i * others + j for i in np.flatnonzero(own) for j in np.flatnonzero(other)]
        tables = {(*table[:c], table[c] + 1, *table[c + 1 :]) for table in tables for c in cells}
    return np.array(sorted(tables)).reshape(-1, k, others)


def values(tables, phi, weights):
    parts = (
        phi(tables.sum(axis=2)).sum(axis=1),
        phi(tables.sum(axis=1)).sum(axis=1),
        phi(tables).sum(axis=(1, 2)),
    )
    return sum(w * part for w, part in zip(weights, parts, strict=True))


def draw_sets(rng, n, k, *, hard=False):
    sets = np.zeros((n, k), dtype=bool) if hard else rng.random((n, k)) < rng.random()
    sets[np.arange(n), rng.integers(0, k, n)] = True
    return sets


def check(truth, found, phi, weights, tables=None, **options):
    tables = all_tables(truth, found) if tables is None else tables
    least = values(tables, phi, weights).min()
    result = minimum(Groups.of(truth, found), phi, weights, **options)
    noise = 1e-9 * max(1, len(truth) ** 2)
    assert result.bound <= result.attained
    assert result.bound == pytest.approx(least, abs=noise)
    assert result.attained == pytest.approx(least, abs=noise)
    # certified means from below, whatever the rounding
    assert result.bound <= least + 1e-13 * abs(least)
    assert (result.table == tables).all(axis=(1, 2)).any()
    assert values(result.table[None], phi, weights)[0] == pytest.approx(result.attained, abs=noise)


@given(data=st.data(), phi=st.sampled_from(FUNCTIONS), weights=st.sampled_from(WEIGHTS))
def test_all_completions(data, phi, weights):
    n = data.draw(st.integers(1, 4))
    check(*(data.draw(rough(n)).possible for _ in range(2)), phi, weights)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_all_completions_of_six_objects(weights):
    rng = np.random.default_rng(11)
    for phi, (k, others) in zip(FUNCTIONS, ((3, 3), (2, 3)), strict=True):
        check(draw_sets(rng, 6, k), draw_sets(rng, 6, others), phi, weights)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 2)])
def test_more_objects_with_a_hard_side(shape):
    """All tables of 16 or 24 objects, half of them fully ambiguous; D is even."""
    rng = np.random.default_rng(sum(shape))
    n = 16 if shape == (3, 2) else 24
    truth, found = draw_sets(rng, n, shape[0]), draw_sets(rng, n, shape[1], hard=True)
    truth[: n // 2] = True
    tables = all_tables(truth, found)
    assert len(tables) > 50
    for weights in ((1, 1, -2), (-1, -1, 2)):
        check(truth, found, square, weights, tables, step=2)
        check(truth, found, information, weights, tables)
        turned = minimum(Groups.of(found, truth), square, weights, step=2)
        assert turned.attained == turned.bound == values(tables, square, weights).min()


def test_both_sides_rough_with_groups_of_many():
    rng = np.random.default_rng(0)
    kinds = [draw_sets(rng, 4, k) for k in (3, 2)]
    which = rng.integers(0, 4, 14)
    truth, found = (side[which] for side in kinds)
    tables = all_tables(truth, found)
    for weights in WEIGHTS:
        check(truth, found, square, weights, tables)


def rough_pair(n, k, ambiguous, seed):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, k, n)
    sides = []
    for _ in range(2):
        possible = np.eye(k, dtype=bool)[np.where(rng.random(n) < 0.1, rng.integers(0, k, n), label)]
        some = rng.choice(n, ambiguous, replace=False)
        possible[some] |= rng.random((ambiguous, k)) < 0.5
        sides.append(possible)
    return Groups.of(*sides)


@pytest.mark.parametrize("weights", [(1, 1, -2), (-1, -1, 2)])
def test_a_bound_holds_wherever_the_search_stops(weights):
    groups = rough_pair(60, 3, 20, 0)
    exact = minimum(groups, square, weights, step=2)
    assert exact.bound == exact.attained
    assert exact.nodes > 3
    for options in (
        {"most_nodes": 1},
        {"most_nodes": 5},
        {"budget": Budget(deadline=time.monotonic() - 1)},
        {"budget": Budget(work=0.0)},
        {"budget": Budget(work=20_000.0)},
        {"gap": 40},
    ):
        early = minimum(groups, square, weights, step=2, **options)
        assert early.bound <= exact.attained <= early.attained
        assert early.nodes <= exact.nodes
        assert (early.attained - early.bound) % 2 == 0
    assert early.attained - early.bound <= 40
    assert minimum(groups, square, weights, most_nodes=1).bound <= exact.attained


def test_the_same_twice():
    groups = rough_pair(40, 3, 8, 1)
    one, two = (minimum(groups, information, (-1, -1, 2), gap=1e-6) for _ in range(2))
    assert (one.bound, one.attained, one.nodes) == (two.bound, two.attained, two.nodes)
    np.testing.assert_array_equal(one.table, two.table)
    assert one.attained - one.bound <= 1e-6


def test_certain_objects_and_single_clusters():
    rng = np.random.default_rng(0)
    truth, found = draw_sets(rng, 40, 3, hard=True), draw_sets(rng, 40, 4, hard=True)
    for phi in FUNCTIONS:
        check(truth, found, phi, (1, 1, -2))
    whole, halves = np.ones((9, 1), dtype=bool), np.ones((9, 2), dtype=bool)
    for weights in WEIGHTS:
        check(whole, whole, square, weights)
        check(whole, halves, square, weights)
    check(halves, halves, information, (1, 1, -2))


@given(data=st.data())
def test_local_search_attains_what_it_says(data):
    n = data.draw(st.integers(1, 4))
    truth, found = (data.draw(rough(n)).possible for _ in range(2))
    tables = all_tables(truth, found)

    def ratio(stack):
        size = values(stack, square, (0, 1, 0)) - n
        return np.where(size > 0, values(stack, square, (1, 1, -2)) / np.where(size > 0, size, 1), np.nan)

    value, table = local_search(Groups.of(truth, found), ratio, rng=np.random.default_rng(0))
    assert (table == tables).all(axis=(1, 2)).any()
    np.testing.assert_equal(ratio(table[None])[0], value)
    if not np.isnan(value):
        assert value >= np.nanmin(ratio(tables))


def test_local_search_finds_the_proved_minimum():
    for seed in range(3):
        groups = rough_pair(50, 3, 12, seed)
        for weights in ((1, 1, -2), (0, 0, -1)):
            proved = minimum(groups, square, weights, step=2 if weights[0] else 0)
            found, _ = local_search(
                groups, lambda t, w=weights: values(t, square, w), starts=6, rng=np.random.default_rng(1)
            )
            assert found == pytest.approx(proved.attained)
