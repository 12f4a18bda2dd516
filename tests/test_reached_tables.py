"""Ends of drawn pairs of rough clusterings by all tables that they reach, held to plain enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import partita as pt
from partita.distributional import evidential, rough
from partita.distributional.budgets import Budget
from partita.distributional.solvers import reached_tables
from partita.distributional.solvers.reached_tables import ReachedTables
from partita.distributional.table_index import TableIndex

SETS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=bool)
NAMES = ["rand", "jaccard", "adjusted_rand", "nmi_sum", "partition_distance", "adjusted_mutual_information"]


def by_hand(truth, found, index):
    """Least and largest value over all completions, one by one."""
    values = []
    for a in itertools.product(*(np.flatnonzero(s) for s in truth)):
        for b in itertools.product(*(np.flatnonzero(s) for s in found)):
            table = np.zeros((1, truth.shape[1], found.shape[1]), dtype=int)
            np.add.at(table[0], (list(a), list(b)), 1)
            values.append(index.on_tables(table)[0])
    known = [v for v in values if not math.isnan(v)]
    return (min(known), max(known)) if known else (math.nan, math.nan)


def picks_of(rng, draws, n, *sizes):
    return [rng.integers(0, size, size=(draws, n)) for size in sizes]


def evidence(n, seed):
    masses = np.random.default_rng(seed).dirichlet(np.ones(len(SETS)), size=n)
    return pt.EvidentialPartition(masses, SETS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_ends_are_those_of_all_completions(name, columns):
    rng = np.random.default_rng(columns)
    index = TableIndex.named(name, 5, (3, columns))
    other = np.unique(SETS[:, :columns], axis=0)
    other = other[other.any(axis=1)]
    picks = picks_of(rng, 12, 5, len(SETS), len(other))
    ends, solved = ReachedTables(SETS, other, index).ends(*picks, Budget())
    expected = [by_hand(SETS[one], other[two], index) for one, two in zip(*picks, strict=True)]
    assert solved.all()
    np.testing.assert_allclose(ends, expected, atol=1e-12)


def test_little_room_changes_nothing_but_the_work(monkeypatch):
    index = TableIndex.named("adjusted_rand", 7, (3, 3))
    picks = picks_of(np.random.default_rng(0), 80, 7, len(SETS), len(SETS))
    usual = ReachedTables(SETS, SETS, index)
    expected, _ = usual.ends(*picks, Budget())
    monkeypatch.setattr(reached_tables, "MOST_CELLS", 9 * 900)
    narrow = ReachedTables(SETS, SETS, index)
    ends, solved = narrow.ends(*picks, Budget())
    assert 0 < solved.sum() < len(solved)  # some draws by themselves have more tables than there is room for
    np.testing.assert_array_equal(ends[solved], expected[solved])
    assert np.isnan(ends[~solved]).all()
    assert narrow.tables > usual.tables


def test_draws_with_too_many_steps_are_left_to_others(monkeypatch):
    index = TableIndex.named("rand", 6, (3, 3))
    picks = picks_of(np.random.default_rng(1), 40, 6, len(SETS), len(SETS))
    expected, _ = ReachedTables(SETS, SETS, index).ends(*picks, Budget())
    monkeypatch.setattr(reached_tables, "MOST_STEPS", 200)
    ends, solved = ReachedTables(SETS, SETS, index).ends(*picks, Budget())
    assert 0 < solved.sum() < len(solved)
    np.testing.assert_array_equal(ends[solved], expected[solved])


def test_what_is_left_is_bounded_and_the_whole_stays_certified(monkeypatch):
    """With few steps most draws go to branch and bound, whose ends are exact or further out."""
    whole = pt.distribution(evidence(6, 0), evidence(6, 1), "rand", n_samples=40, random_state=0)
    monkeypatch.setattr(reached_tables, "MOST_STEPS", 60)
    part = pt.distribution(evidence(6, 0), evidence(6, 1), "rand", n_samples=40, random_state=0)
    for name in ("lower", "upper"):
        assert part.quantities[name].method == whole.quantities[name].method == "sampled"
    assert (part.focal.low <= whole.focal.low + 1e-12).all()
    assert (part.focal.high >= whole.focal.high - 1e-12).all()
    assert np.isclose(part.focal.low, whole.focal.low).mean() > 0.5


def test_a_spent_budget_leaves_the_first_draws():
    index = TableIndex.named("rand", 6, (3, 3))
    picks = picks_of(np.random.default_rng(2), 300, 6, len(SETS), len(SETS))
    every, _ = ReachedTables(SETS, SETS, index).ends(*picks, Budget())
    some, solved = ReachedTables(SETS, SETS, index).ends(*picks, Budget(2000.0))
    assert 0 < len(some) == len(solved) < 300
    np.testing.assert_array_equal(some, every[: len(some)])


def test_tables_are_valued_once_however_many_draws_reach_them():
    """Ten objects make C(18, 8) tables of three by three; 2000 draws reach many of them often."""
    index = TableIndex.named("nmi_sum", 10, (3, 3))
    store = ReachedTables(SETS, SETS, index)
    rng = np.random.default_rng(3)
    for _ in range(4):
        ends, solved = store.ends(*picks_of(rng, 500, 10, len(SETS), len(SETS)), Budget())
        assert solved.all()
        assert (ends[:, 0] <= ends[:, 1]).all()
    assert store.tables <= math.comb(18, 8)
    assert store.steps < 2000 * 100_000
    assert store.reaches_all


@pytest.mark.parametrize("name", ["rand", "partition_distance", "nmi_sum", "jaccard", "adjusted_rand"])
def test_ten_objects_need_no_programme_and_all_draws(name, monkeypatch):
    """Two evidential sides of ten objects: as close as asked, without branch and bound for a single draw."""

    def never(*_args, **_options):
        raise AssertionError("a draw of ten objects went to branch and bound")

    for room, what in ((rough, "minimum"), (rough, "local_search"), (rough, "matching_ends")):
        monkeypatch.setattr(room, what, never)
    monkeypatch.setattr(evidential, "rough_ends", never)
    spent = []
    usual = Budget.spend
    monkeypatch.setattr(Budget, "spend", lambda self, work: (spent.append(work), usual(self, work))[1])
    one, other = evidence(10, 0), evidence(10, 1)
    found = pt.distribution(one, other, name, random_state=0)
    for end in ("lower", "upper"):
        quantity = found.quantities[end]
        assert quantity.method == "sampled"
        assert quantity.high - quantity.low <= 0.02 * (1 + 1e-9) * max(1.0, TableIndex.named(name, 10).width)
    assert sum(spent) / 2 < 5e6  # each is counted in a part and in the whole
    again = pt.distribution(one, other, name, random_state=0)
    assert found.quantities == again.quantities


@pytest.mark.parametrize(
    ("k", "columns", "n", "fits"), [(3, 3, 63, True), (3, 3, 64, False), (8, 8, 1, False)]
)
def test_tables_that_are_one_number(k, columns, n, fits):
    assert ReachedTables.fits(k, columns, n) == fits
