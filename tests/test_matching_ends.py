"""Ends of the largest matching over completions: against all completions, and at sizes with known answers."""

from __future__ import annotations

import time
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.distributional.budgets import Budget
from partita.distributional.solvers import matching_ends as module
from partita.distributional.solvers.groups import Groups
from partita.distributional.solvers.matching_ends import MatchingEnds, matching_ends
from partita.kernels.matchings import fewest_matched
from strategies import rough


def all_tables(truth, found):
    """The tables of all completions, one object after the other."""
    k, others = truth.shape[1], found.shape[1]
    tables = {(0,) * (k * others)}
    for own, other in zip(truth, found, strict=True):
        cells = [i * others + j for i in np.flatnonzero(own) for j in np.flatnonzero(other)]
        tables = {(*table[:c], table[c] + 1, *table[c + 1 :]) for table in tables for c in cells}
    return np.array(sorted(tables)).reshape(-1, k, others)


def ends(truth, found):
    tables = all_tables(truth, found)
    if tables.shape[1] > tables.shape[2]:
        tables = tables.transpose(0, 2, 1)
    k, others = tables.shape[1:]
    matched = [tables[:, range(k), pi].sum(axis=1) for pi in permutations(range(others), k)]
    largest = np.max(matched, axis=0)
    return int(largest.min()), int(largest.max())


def draw_sets(rng, n, k, *, hard=False):
    sets = np.zeros((n, k), dtype=bool) if hard else rng.random((n, k)) < rng.random()
    sets[np.arange(n), rng.integers(0, k, n)] = True
    return sets


def check(truth, found):
    fewest, most = ends(truth, found)
    result = matching_ends(Groups.of(truth, found))
    assert result == MatchingEnds((fewest, fewest), (most, most))
    assert result.is_exact


@given(data=st.data())
def test_all_completions(data):
    n = data.draw(st.integers(1, 4))
    check(*(data.draw(rough(n)).possible for _ in range(2)))


@pytest.mark.parametrize("hard", [None, 0, 1])
def test_all_completions_by_either_way(hard):
    """Both ways to each end agree with the definition, also where only one of them would be taken."""
    rng = np.random.default_rng(7)
    for _ in range(25):
        n, shape = rng.integers(1, 7), rng.integers(1, 4, 2)
        sides = [draw_sets(rng, n, k, hard=hard == side) for side, k in enumerate(shape)]
        check(*sides)
        fewest, most = ends(*sides)
        groups = Groups.of(*sides)
        assert module._fewest_programme(groups, Budget()) == (fewest, fewest)
        start = np.arange(min(shape)), np.arange(min(shape))
        assert module._most_programme(groups, start, Budget()) == (most, most)
        if hard == 1:
            assert fewest_matched(module.groups_inside(groups), 10**6) == (fewest, fewest)


def test_the_compiled_search_agrees_with_the_programme():
    rng = np.random.default_rng(3)
    for _ in range(25):
        n, k, others = rng.integers(20, 120), rng.integers(2, 5), rng.integers(1, 6)
        groups = Groups.of(draw_sets(rng, n, k), draw_sets(rng, n, others, hard=True))
        low, high = fewest_matched(module.groups_inside(groups), 10**6)
        assert (low, high) == module._fewest_programme(groups, Budget())
        few, some = fewest_matched(module.groups_inside(groups), 3)
        assert few <= high <= some


@pytest.mark.parametrize("n", [30, 31, 32, 150])
def test_nothing_known_of_one_side(n):
    """Every cluster spread evenly over as many: a matching holds a part, and no less by its mean."""
    found = np.eye(3, dtype=bool)[np.arange(n) % 3]
    result = matching_ends(Groups.of(np.ones((n, 3), dtype=bool), found))
    assert result == MatchingEnds((-(-n // 3),) * 2, (n, n))


def test_rounding_the_relaxed_programme_would_be_wrong():
    """Without whole potentials the least sum is 1; no completion has a matching of less than 2."""
    truth = np.array([[1, 1, 1], [1, 1, 1], [1, 1, 0]], dtype=bool)
    found = np.eye(4, dtype=bool)[[0, 3, 3]]
    assert ends(truth, found)[0] == 2
    check(truth, found)
    truth = np.array([[0, 1, 1], [1, 1, 0], [1, 0, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]], dtype=bool)
    found = np.eye(3, dtype=bool)[[2, 1, 1, 2, 0, 2]]
    assert ends(truth, found)[0] == 3
    check(truth, found)


def test_certain_objects_and_single_clusters():
    rng = np.random.default_rng(0)
    truth, found = draw_sets(rng, 40, 3, hard=True), draw_sets(rng, 40, 5, hard=True)
    check(truth, found)
    whole = np.ones((9, 1), dtype=bool)
    check(whole, whole)
    check(whole, np.ones((9, 2), dtype=bool))
    assert matching_ends(Groups.of(whole, np.ones((9, 2), dtype=bool))).fewest == (5, 5)


def test_many_clusters_and_a_deadline():
    rng = np.random.default_rng(1)
    label = rng.integers(0, 9, 120)
    sides = []
    for _ in range(2):
        possible = np.eye(9, dtype=bool)[label]
        possible[:30] |= rng.random((30, 9)) < 0.3
        sides.append(possible)
    groups = Groups.of(*sides)
    exact = matching_ends(groups)
    assert exact.is_exact
    assert exact.most == (120, 120)
    late = matching_ends(groups, budget=Budget(deadline=time.monotonic() - 1))
    for one, end in ((late.fewest, exact.fewest), (late.most, exact.most)):
        assert one[0] <= end[0] <= one[1]
    turned = matching_ends(groups.transposed())
    assert turned == exact
