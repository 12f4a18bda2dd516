"""Columns that fill up independently of each other, against writing out all completions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies  # noqa: F401 (loads the hypothesis profile)
from partita.distributional.solvers import columns
from partita.distributional.solvers.columns import (
    counts_inside,
    groups_inside,
    multiset_ends,
    separable_ends,
    size_ends,
    square_law,
    steps_for_ends,
)
from partita.distributional.solvers.groups import Groups
from partita.kernels.columns import column_states

PHI = {"squares": lambda m: m * m, "entropy": lambda m: m * math.log(m) if m else 0.0}
JOINS = ("sum", "product", "minimum", "lukasiewicz")


@st.composite
def against_hard(draw):
    """Possible rows of a few objects, their columns, and the number of columns; some stay empty."""
    k = draw(st.integers(1, 4))
    n = draw(st.integers(1, {1: 8, 2: 8, 3: 5, 4: 4}[k]))
    masks = draw(st.lists(st.integers(1, (1 << k) - 1), min_size=n, max_size=n))
    n_columns = draw(st.integers(1, 3))
    labels = draw(st.lists(st.integers(0, n_columns - 1), min_size=n, max_size=n))
    possible = np.array([[bool(m >> i & 1) for i in range(k)] for m in masks])
    return possible, np.array(labels), n_columns


def tables_by_hand(possible, labels, n_columns):
    """All tables (as tuples of columns) that completions make."""
    made = set()
    for chosen in itertools.product(*(np.flatnonzero(row).tolist() for row in possible)):
        table = np.zeros((n_columns, possible.shape[1]), dtype=int)
        for column, row in zip(labels, chosen, strict=True):
            table[column, row] += 1
        made.add(tuple(map(tuple, table.tolist())))
    return made


def sizes_and_sums(tables, summand):
    """For each vector of sizes the sums over cells of all tables that have it."""
    sums = {}
    for table in tables:
        sizes = tuple(sum(c) for c in zip(*table, strict=True))
        sums.setdefault(sizes, []).append(sum(PHI[summand](m) for column in table for m in column))
    return sums


# --- counts and states ----------------------------------------------------------------------------------


@given(given_=against_hard())
def test_objects_inside_each_set_of_rows(given_):
    possible, labels, n_columns = given_
    k = possible.shape[1]
    inside = counts_inside(possible, labels, n_columns)
    assert inside.shape == (n_columns, 1 << k)
    for column, mask in itertools.product(range(n_columns), range(1 << k)):
        rows = {i for i in range(k) if mask >> i & 1}
        held = [set(np.flatnonzero(p).tolist()) <= rows for p in possible[labels == column]]
        assert inside[column, mask] == sum(held)


@given(given_=against_hard(), data=st.data())
def test_a_stack_is_counted_one_by_one_and_groups_as_their_objects(given_, data):
    possible, labels, n_columns = given_
    other = data.draw(st.permutations(range(len(possible))))
    stack = np.stack([possible, possible[other]])
    inside = counts_inside(stack, labels, n_columns)
    for one, single in zip(inside, stack, strict=True):
        np.testing.assert_array_equal(one, counts_inside(single, labels, n_columns))
    per_draw = counts_inside(stack, np.stack([labels, labels[other]]), n_columns)
    np.testing.assert_array_equal(per_draw[0], per_draw[1])
    groups = Groups.of(possible, np.eye(n_columns, dtype=bool)[labels])
    np.testing.assert_array_equal(groups_inside(groups), inside[0])


@given(given_=against_hard())
def test_the_states_of_a_column_are_those_of_its_completions(given_):
    possible, labels, n_columns = given_
    tables = tables_by_hand(possible, labels, n_columns)
    for column, inside in enumerate(counts_inside(possible, labels, n_columns)):
        states = list(map(tuple, column_states(inside).tolist()))
        assert len(set(states)) == len(states)
        assert set(states) == {table[column] for table in tables}


def test_hall_by_hand():
    """Two objects free in rows 0 and 1, one free in 1 and 2: row 0 takes at most two, row 2 at most one."""
    possible = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 1]], dtype=bool)
    states = column_states(counts_inside(possible, np.zeros(3, dtype=int), 1)[0])
    expected = {(2, 1, 0), (1, 2, 0), (0, 3, 0), (2, 0, 1), (1, 1, 1), (0, 2, 1)}
    assert set(map(tuple, states.tolist())) == expected
    assert len(states) == 6


def test_an_empty_column_has_one_state():
    assert column_states(np.zeros(8, dtype=np.int64)).tolist() == [[0, 0, 0]]
    assert column_states(np.array([0, 5])).tolist() == [[5]]


# --- ends for all sizes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("summand", PHI)
@given(given_=against_hard())
def test_the_ends_of_the_sum_for_all_sizes(summand, given_):
    expected = sizes_and_sums(tables_by_hand(*given_), summand)
    got = size_ends(counts_inside(*given_), summand)
    sizes = list(map(tuple, got.sizes.tolist()))
    assert len(set(sizes)) == len(sizes)
    assert set(sizes) == set(expected)
    for size, least, most in zip(sizes, got.least, got.most, strict=True):
        assert (least, most) == pytest.approx((min(expected[size]), max(expected[size])), abs=1e-12)


@pytest.mark.parametrize("summand", PHI)
@given(given_=against_hard())
def test_ends_of_many_draws_by_multisets_of_sizes(summand, given_):
    """One draw after the other; the order of sizes does not count, so that each multiset is there once."""
    possible, labels, n_columns = given_
    stack = np.stack([counts_inside(np.roll(possible, i, axis=0), labels, n_columns) for i in range(3)])
    got, last, n_vectors = multiset_ends(stack, summand)
    first = 0
    for inside, end in zip(stack, last, strict=True):
        each = size_ends(inside, summand)
        n_vectors -= len(each.sizes)
        expected: dict[tuple[int, ...], list[float]] = {}
        for size, least, most in zip(each.sizes.tolist(), each.least, each.most, strict=True):
            expected.setdefault(tuple(sorted(size, reverse=True)), []).extend([least, most])
        sizes = list(map(tuple, got.sizes[first:end].tolist()))
        assert sorted(sizes) == sorted(expected)
        for place, size in enumerate(sizes, start=first):
            assert (got.least[place], got.most[place]) == (min(expected[size]), max(expected[size]))
        first = end
    assert n_vectors == 0


@given(given_=against_hard())
def test_the_steps_are_known_before(given_):
    """One step for each sizes reached before a column and each of its states, column after column."""
    inside = counts_inside(*given_)
    reached, steps = {(0,) * given_[0].shape[1]}, 0
    for column in inside:
        states = column_states(column).tolist()
        steps += len(reached) * len(states)
        reached = {tuple(a + b for a, b in zip(r, s, strict=True)) for r in reached for s in states}
    assert steps_for_ends(inside) >= steps


def test_the_bound_on_steps_is_of_the_right_size():
    """Ten free objects in each of two columns, three rows: C(12, 2) = 66 states each, 66 + 66^2 steps."""
    inside = counts_inside(np.ones((20, 3), dtype=bool), np.repeat([0, 1], 10), 2)
    assert 66 + 66**2 <= steps_for_ends(inside) <= 4 * (66 + 66**2)
    certain = counts_inside(np.eye(3, dtype=bool)[[0] * 20], np.repeat([0, 1], 10), 2)
    assert steps_for_ends(certain) == 2


@pytest.mark.parametrize("summand", PHI)
@settings(max_examples=25)
@given(given_=against_hard(), data=st.data())
def test_the_ends_of_a_weighted_sum_for_each_draw(summand, given_, data):
    possible, labels, n_columns = given_
    row_weight, cell_weight = (data.draw(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0])) for _ in range(2))
    order = data.draw(st.permutations(range(len(possible))))
    stack = np.stack([possible, possible[order], possible])
    got = separable_ends(counts_inside(stack, labels, n_columns), summand, row_weight, cell_weight)
    assert got.shape == (3, 2)
    for ends, one in zip(got, stack, strict=True):
        values = [
            row_weight * sum(PHI[summand](m) for m in sizes) + cell_weight * over_cells
            for sizes, sums in sizes_and_sums(tables_by_hand(one, labels, n_columns), summand).items()
            for over_cells in sums
        ]
        assert tuple(ends) == pytest.approx((min(values), max(values)), abs=1e-11)


def test_more_draws_than_go_into_one_block():
    rng = np.random.default_rng(0)
    possible = rng.random((150, 6, 3)) < 0.5
    possible[..., 0] |= ~possible.any(axis=-1)
    inside = counts_inside(possible, np.array([0, 0, 0, 1, 1, 1]), 2)
    together = separable_ends(inside, "squares", 1.0, -2.0)
    alone = np.concatenate([separable_ends(one[None], "squares", 1.0, -2.0) for one in inside])
    np.testing.assert_array_equal(together, alone)
    assert len(np.unique(together, axis=0)) > 5


# --- the law of sizes and squares -----------------------------------------------------------------------


@st.composite
def weighted_columns(draw):
    """Up to three columns with up to four states each, and weights; k from 1 to 4."""
    k, states, weights = draw(st.integers(1, 4)), [], []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(0, 5))
        cells = st.lists(st.integers(0, k - 1), min_size=n, max_size=n)
        chosen = draw(st.lists(cells, min_size=1, max_size=5))
        counts = np.unique([[c.count(i) for i in range(k)] for c in chosen], axis=0)
        states.append(counts)
        degrees = st.lists(st.integers(1, 8), min_size=len(counts), max_size=len(counts))
        weights.append(np.array(draw(degrees)) / 8)
    return states, weights


def conjunction(join, values):
    if join == "minimum":
        return min(values)
    if join == "lukasiewicz":
        return max(0.0, sum(values) - (len(values) - 1))
    return math.prod(values)


def law_by_hand(states, weights, join):
    law = {}
    for places in itertools.product(*(range(len(s)) for s in states)):
        columns_ = [s[p] for s, p in zip(states, places, strict=True)]
        sizes = tuple(sorted(np.sum(columns_, axis=0).tolist(), reverse=True))
        key = sizes, int(sum((c * c).sum() for c in columns_))
        weight = conjunction(join, [w[p] for w, p in zip(weights, places, strict=True)])
        old = law.get(key, 0.0)
        law[key] = old + weight if join == "sum" else max(old, weight)
    return {key: weight for key, weight in law.items() if weight > 0}


@pytest.mark.parametrize("join", JOINS)
@given(columns_=weighted_columns())
def test_the_law_of_sizes_and_squares(join, columns_):
    law = square_law(*columns_, join)
    got = {}
    for sizes, squares, weight in zip(law.sizes.tolist(), law.squares.tolist(), law.weights, strict=True):
        key, old = (tuple(sizes), squares), got.get((tuple(sizes), squares), 0.0)
        got[key] = old + weight if join == "sum" else max(old, weight)
    assert got == pytest.approx(law_by_hand(*columns_, join), abs=1e-14)


def test_a_law_by_hand():
    """Columns (2, 0) or (1, 1), and (1, 0) or (0, 1): (3, 0) in one way, (2, 1) in three."""
    states = [np.array([[2, 0], [1, 1]]), np.array([[1, 0], [0, 1]])]
    law = square_law(states, [np.array([0.25, 0.75]), np.array([0.5, 0.5])], "sum")
    rows = zip(law.sizes.tolist(), law.squares.tolist(), law.weights.tolist(), strict=True)
    got = {(tuple(sizes), squares): weight for sizes, squares, weight in rows}
    assert got == {((3, 0), 5): 0.125, ((2, 1), 5): 0.125, ((2, 1), 3): 0.75}


def test_empty_columns_change_nothing():
    states, weights = [np.array([[2, 0], [1, 1]])], [np.array([0.25, 0.75])]
    alone = square_law(states, weights, "sum")
    nothing = square_law([np.zeros((1, 2), dtype=int), *states], [np.ones(1), *weights], "sum")
    for law in (alone, nothing):
        rows = sorted(zip(law.sizes.tolist(), law.squares.tolist(), law.weights.tolist(), strict=True))
        assert rows == [([1, 1], 2, 0.75), ([2, 0], 4, 0.25)]


def test_a_law_that_takes_too_long_is_not_begun(monkeypatch):
    states = [np.array([[3, 0], [2, 1], [1, 2], [0, 3]])] * 3
    weights = [np.full(4, 0.25)] * 3
    assert square_law(states, weights, "sum") is not None
    for name in ("MOST_STEPS", "MOST_WEIGHTS"):
        with monkeypatch.context() as patch:
            patch.setattr(columns, name, 3)
            assert square_law(states, weights, "sum") is None
