"""Every table with its weight, against writing out all choices of all objects."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies  # noqa: F401 (loads the hypothesis profile)
from partita.distributional.solvers import tallies
from partita.distributional.solvers.tallies import Choices, Tally, combine

SEMIRINGS = ("sum", "product", "minimum", "lukasiewicz")


def conjunction(semiring, values):
    """What many weights make together, by the definition of the t-norm."""
    if semiring == "minimum":
        return min(values)
    if semiring == "lukasiewicz":
        return max(0.0, sum(values) - (len(values) - 1))
    return math.prod(values)


def enumerated(truth, found, semiring):
    """For each table (as a tuple) the sum, or the largest, of the weights of all choices that make it."""
    weights = {}
    cells = list(itertools.product(range(truth.shape[1]), range(found.shape[1])))
    for chosen in itertools.product(cells, repeat=len(truth)):
        values = [(truth[x, i], found[x, j]) for x, (i, j) in enumerate(chosen)]
        if any(0.0 in pair for pair in values):
            continue
        table = np.zeros((truth.shape[1], found.shape[1]), dtype=int)
        for cell in chosen:
            table[cell] += 1
        key = tuple(table.ravel().tolist())
        weight = conjunction(semiring, [v for pair in values for v in pair])
        old = weights.get(key, 0.0)
        weights[key] = old + weight if semiring == "sum" else max(old, weight)
    return {key: weight for key, weight in weights.items() if weight > 1e-12}


def as_dict(tally):
    """The same from a tally, in which no table may be twice."""
    keys = [tuple(t.ravel().tolist()) for t in tally.tables]
    assert len(set(keys)) == len(keys)
    assert (tally.weights > 0).all()
    # what is 0 by the Lukasiewicz t-norm may be 1e-17 in floating point
    return {k: float(w) for k, w in zip(keys, tally.weights, strict=True) if w > 1e-12}


@st.composite
def weighted_sides(draw, n=None, most=4):
    """Weights in quarters for n objects and up to 3 x 2 clusters; rows need not sum or reach to one."""
    n = draw(st.integers(1, 4)) if n is None else n
    sides = []
    for most_clusters in (3, 2):
        k = draw(st.integers(1, most_clusters))
        row = st.lists(st.integers(0, most), min_size=k, max_size=k).filter(any)
        sides.append(np.array(draw(st.lists(row, min_size=n, max_size=n))) / 4)
    return sides


@pytest.mark.parametrize("semiring", SEMIRINGS)
@given(sides=weighted_sides())
def test_all_tables_and_their_weights(semiring, sides):
    got = as_dict(Choices.of(*sides, semiring).tally(semiring))
    assert got == pytest.approx(enumerated(*sides, semiring), abs=1e-12)


@given(sides=weighted_sides(most=12))
def test_weights_above_one_are_multiplied_too(sides):
    got = as_dict(Choices.of(*sides, "sum").tally("sum"))
    assert got == pytest.approx(enumerated(*sides, "sum"), rel=1e-12)
    total = math.prod(float(truth.sum() * found.sum()) for truth, found in zip(*sides, strict=True))
    assert sum(got.values()) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("semiring", SEMIRINGS)
def test_objects_with_a_single_cell_count_with_their_weight(semiring):
    """0.75 three times, alone: 0.421875 as a product, 0.25 by Lukasiewicz; the fourth object is in two."""
    truth = np.array([[0.75, 0.0]] * 3 + [[1.0, 0.5]])
    got = as_dict(Choices.of(truth, np.ones((4, 1)), semiring).tally(semiring))
    one = {"sum": 0.75**3, "product": 0.75**3, "minimum": 0.75, "lukasiewicz": 0.25}[semiring]
    other = {"sum": 0.75**3 / 2, "product": 0.75**3 / 2, "minimum": 0.5}
    expected = {(4, 0): one}
    if semiring in other:  # 0.75 + 0.75 + 0.75 + 0.5 - 3 < 0
        expected[3, 1] = other[semiring]
    assert got == pytest.approx(expected)


def test_lukasiewicz_can_leave_nothing_possible():
    """Each side is possible to 0.4; together 0.4 + 0.4 < 1. Three objects of 0.6 are impossible as well."""
    for truth, found in (([[0.4, 0.3]], [[0.4]]), ([[0.6, 0.6]] * 3, [[1.0]] * 3)):
        choices = Choices.of(np.array(truth), np.array(found), "lukasiewicz")
        tally = choices.tally("lukasiewicz")
        assert tally.tables.shape == (0, 2, 1)
        assert tally.weights.shape == (0,)
    possible = Choices.of(np.array([[0.6, 0.6]] * 2), np.ones((2, 1)), "lukasiewicz").tally("lukasiewicz")
    assert as_dict(possible) == pytest.approx({(2, 0): 0.2, (1, 1): 0.2, (0, 2): 0.2})


# --- components -----------------------------------------------------------------------------------------


@given(sides=weighted_sides())
def test_components_part_the_objects_and_their_cells(sides):
    choices = Choices.of(*sides, "sum")
    flat = choices.weights.reshape(len(sides[0]), -1) > 0
    cells = [set(c.tolist()) for c, _ in choices.components]
    objects = [o.tolist() for _, o in choices.components]
    assert sorted(itertools.chain.from_iterable(objects)) == list(range(len(flat)))
    assert len(set.union(*cells)) == sum(map(len, cells))
    for own, members in zip(cells, objects, strict=True):
        assert all(set(np.flatnonzero(flat[x]).tolist()) <= own for x in members)
        # no smaller: from any cell every other one is reached by objects that may be in both
        reached, before = {min(own)}, set()
        while reached != before:
            before = set(reached)
            for x in members:
                if flat[x, sorted(reached)].any():
                    reached |= set(np.flatnonzero(flat[x]).tolist())
        assert reached == own


def test_with_a_hard_side_components_lie_in_columns():
    truth = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=float)
    parts = [(c.tolist(), o.tolist()) for c, o in Choices.of(truth, found, "sum").components]
    assert sorted(parts) == [([0, 2, 4], [0, 1]), ([1], [2]), ([5], [3])]


@given(sides=weighted_sides())
def test_the_number_of_tables_is_never_underestimated(sides):
    choices = Choices.of(*sides, "minimum")
    bound = choices.n_tables
    assert bound * (1 + 1e-9) >= len(choices.tally("minimum").weights)
    for number, one in enumerate(choices.component_bounds):
        assert one * (1 + 1e-9) >= len(choices.component_tally(number, "minimum").weights)


def test_the_number_of_tables_of_equal_objects_is_known():
    """Ten objects free in three cells: C(12, 2) = 66 ways; certain objects add none."""
    free, certain = np.full((10, 3), 1 / 3), np.eye(3)[np.zeros(5, dtype=int)]
    choices = Choices.of(np.concatenate([free, certain]), np.ones((15, 1)), "sum")
    assert choices.n_tables == pytest.approx(66)
    assert len(choices.tally("sum").weights) == 66
    assert Choices.of(np.full((1000, 9), 1 / 9), np.full((1000, 9), 1 / 9), "sum").n_tables > 1e100


# --- combining ------------------------------------------------------------------------------------------


def test_components_are_combined_each_with_each():
    """Two ways in the first column, two in the second; each cell where it belongs."""
    first = Tally(np.array([[2, 0], [1, 1]]), np.array([0.25, 0.75]))
    second = Tally(np.array([[0, 3], [3, 0]]), np.array([0.5, 0.5]))
    places = [np.array([0, 2]), np.array([1, 3])]
    both = {
        ((2, 0), (0, 3)): (0.125, 0.25, 0.0),
        ((2, 3), (0, 0)): (0.125, 0.25, 0.0),
        ((1, 0), (1, 3)): (0.375, 0.5, 0.25),
        ((1, 3), (1, 0)): (0.375, 0.5, 0.25),
    }
    for semiring, place in (("sum", 0), ("product", 0), ("minimum", 1), ("lukasiewicz", 2)):
        got = combine([first, second], places, (2, 2), semiring)
        expected = {
            tuple(itertools.chain(*table)): weights[place]
            for table, weights in both.items()
            if weights[place] > 0
        }
        assert as_dict(got) == pytest.approx(expected)


def test_nothing_combined_is_the_empty_table():
    tally = combine([], [], (2, 3), "sum")
    assert tally.tables.tolist() == [[[0, 0, 0], [0, 0, 0]]]
    assert tally.weights.tolist() == [1.0]


# --- telling tables apart -------------------------------------------------------------------------------


@pytest.mark.parametrize("semiring", SEMIRINGS)
@settings(max_examples=20)
@given(sides=weighted_sides())
def test_without_a_number_for_each_table_the_result_is_the_same(semiring, sides):
    choices = Choices.of(*sides, semiring)
    quick = choices.tally(semiring)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallies, "_radix", lambda _: None)
        slow = Choices.of(*sides, semiring).tally(semiring)
    assert as_dict(slow) == pytest.approx(as_dict(quick), abs=1e-15)


def test_many_cells_are_too_many_for_one_number():
    """Two objects free in 64 cells: 3^64 > 2^62. Both in one cell, or in two different ones."""
    weights = np.ones((2, 64))
    assert tallies._radix(weights) is None
    assert tallies._radix(weights[:, :39]) is not None  # 3^39 < 2^62 < 3^40
    assert tallies._radix(weights[:, :40]) is None
    tally = Choices(weights.reshape(2, 8, 8) / 64).tally("sum")
    got = as_dict(tally)
    assert len(got) == 64 + math.comb(64, 2)
    assert {(max(table), round(w * 64**2, 9)) for table, w in got.items()} == {(2, 1.0), (1, 2.0)}


def test_numbers_for_cells_tell_all_counts_apart():
    free = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]], dtype=float)
    radix = tallies._radix(free)
    counts = itertools.product(*(range(int(s) + 1) for s in free.sum(axis=0)))
    keys = [int(np.dot(c, radix)) for c in counts]
    assert len(keys) == len(set(keys)) == 4 * 4 * 4
