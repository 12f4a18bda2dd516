"""Ends that are certified hold for every completion, lie inside the index's range and need no clock.

Completions are planted: labels are drawn first, and soft clusterings made around them, so that the value on
these labels must lie between the ends, whatever else is in there.
"""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.distributional import budgets, evidential, measures
from partita.distributional.budgets import Budget
from partita.distributional.solvers.columns import counts_inside
from partita.distributional.solvers.groups import Groups
from partita.distributional.solvers.matching_ends import hard_matching_ends, matching_ends
from partita.distributional.table_index import TableIndex
from partita.errors import KindError, ParameterError
from partita.indices import catalogue
from partita.registry import find
from partita.statistics import Contingency
from reference import distributional as by_definition
from strategies import possibilistic

ON_TABLES = [e.name for e in catalogue() if set(e.inputs) == {"truth", "found"} and e.is_of_table] + [
    "rand:pairs=ordered",
    "v_measure:beta=2",
    "v_measure:beta=0.5",
    "variation_of_information:base=2",
    *(f"adjusted_mutual_information:average={a}" for a in ("max", "min", "geometric", "joint")),
]
MADE_OF_SUMS = [spec for spec in ON_TABLES if find(spec).given_sizes]
TINY = 1e-9
full = pytest.mark.full
LITTLE = 3e4
"""So little work that most bounds are relaxed."""


# --- soft clusterings around given labels -----------------------------------------------------------------


def around(labels, k, share, rng):
    """A rough clustering with these labels among its completions."""
    return np.eye(k, dtype=bool)[labels] | (rng.random((len(labels), k)) < share)


def as_kind(possible, labels, kind, rng):
    """A clustering all of whose level cuts, or focal clusterings, have these labels as a completion."""
    if kind == "rough":
        return pt.RoughPartition(possible)
    n, k = possible.shape
    own = np.eye(k, dtype=bool)[labels]
    if kind == "possibilistic":
        return pt.PossibilisticPartition(np.where(own, 1.0, possible * rng.choice([0.25, 0.5, 1.0], (n, k))))
    sets, place = np.unique(np.concatenate([own, possible]), axis=0, return_inverse=True)
    masses = np.zeros((n, len(sets)))
    share = rng.choice([0.1, 0.5, 1.0], n)
    np.add.at(masses, (np.arange(n), place[:n]), 1.0 - share)
    np.add.at(masses, (np.arange(n), place[n:]), share)
    return pt.EvidentialPartition(masses, sets)


def planted(seed, kind, most=16):
    """Two clusterings of a kind and the labels inside them, equal up to names, nearly so, or not at all."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, most)), int(rng.integers(2, 5))
    columns = int(rng.integers(k, 6))
    labels = rng.integers(0, k, n)
    noise = rng.random(n) < rng.choice([0.0, 0.0, 0.3, 1.0])
    other = np.where(noise, rng.integers(0, columns, n), rng.permutation(columns)[labels])
    truth = as_kind(around(labels, k, rng.uniform(0.1, 0.6), rng), labels, kind, rng)
    found = as_kind(around(other, columns, rng.uniform(0.1, 0.8), rng), other, kind, rng)
    table = np.zeros((1, k, columns), dtype=np.int64)
    np.add.at(table[0], (labels, other), 1)
    return truth, found, table


def value_on(spec, table):
    return float(find(spec).evaluate([Contingency.from_counts(table)]).values[0])


@pytest.mark.parametrize("kind", ["rough", "possibilistic", "evidential"])
@pytest.mark.parametrize(
    ("seed", "most"), [(2, 16), (3, 16), *(pytest.param(s, m, marks=full) for s in (0, 1) for m in (9, 16))]
)
def test_planted_completions_lie_between_the_ends(kind, seed, most, monkeypatch):
    monkeypatch.setattr(measures, "QUICK_WORK", LITTLE)
    truth, found, table = planted(seed, kind, most)
    rows = pt.compare(truth, found, indices=ON_TABLES).rows
    assert len(rows) == len(ON_TABLES)
    checked = 0
    for spec, row in zip(ON_TABLES, rows, strict=True):
        value = value_on(spec, table)
        if not math.isnan(value):
            assert row.lower - TINY <= value <= row.upper + TINY, spec
            checked += 1
    assert checked > len(ON_TABLES) / 2


@pytest.mark.parametrize("most", [18, pytest.param(26, marks=full)])
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), spec=st.sampled_from(MADE_OF_SUMS))
def test_planted_completions_of_rough_clusterings(most, seed, spec):
    truth, found, table = planted(seed, "rough", most=most)
    value = value_on(spec, table)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(measures, "USUAL_WORK", 10 * LITTLE)
        result = pt.distribution(truth, found, spec, law=False)
    if not math.isnan(value):
        assert result.lower_within[0] - TINY <= value <= result.upper_within[1] + TINY


@pytest.mark.parametrize(
    "specs", [("NMI", "nmi_max"), pytest.param(("nmi_joint", "nmi_sqrt", "v_measure"), marks=full)], ids=str
)
def test_equal_completions_inside_two_rough_clusterings_score_one(specs, monkeypatch):
    """0.97507 was once certified here: the box of sums has its largest value where rows = columns."""
    rng = np.random.default_rng(43)
    n, k = int(rng.integers(8, 26)), int(rng.integers(3, 5))
    columns = int(rng.integers(k, 7))
    z = rng.integers(0, k, n)
    w = rng.permutation(columns)[z]
    A = np.eye(k, dtype=bool)[z] | (rng.random((n, k)) < rng.uniform(0.1, 0.5))
    B = np.eye(columns, dtype=bool)[w] | (rng.random((n, columns)) < rng.uniform(0.3, 0.8))
    monkeypatch.setattr(measures, "USUAL_WORK", 1e6)
    for spec in specs:
        assert pt.distribution(pt.RoughPartition(A), pt.RoughPartition(B), spec, law=False).upper == 1.0
    assert pt.distribution(pt.RoughPartition(A), pt.RoughPartition(B), "NVI", law=False).lower == 0.0


# --- ranges and clocks ------------------------------------------------------------------------------------


def vague(n, k, seed):
    rng = np.random.default_rng(seed)
    return [pt.PossibilisticPartition(rng.random((n, k))) for _ in range(2)]


def without_clock(monkeypatch):
    def looked_at():
        pytest.fail("a result depends on the clock")

    monkeypatch.setattr(budgets, "time", SimpleNamespace(monotonic=looked_at))


def test_ends_stay_inside_the_range_and_need_no_clock(monkeypatch):
    """VI's upper end was 2.39, 9.913 or 9.916 from run to run, with three clusters on each side."""
    sides = vague(150, 3, 0)
    names = {"VI": 2 * math.log(3), "MI": math.log(3), "joint_entropy": 2 * math.log(3), "AMI": 1.0}
    first = pt.compare(*sides, indices=list(names))
    without_clock(monkeypatch)
    for name, most in names.items():
        row = pt.compare(*sides, indices=[name])[name]
        assert -2.0 * (name == "AMI") - TINY <= row.lower <= row.upper <= most + TINY
        assert (row.lower, row.upper) == (first[name].lower, first[name].upper)


@pytest.mark.parametrize("most", [10, pytest.param(40, marks=full)])
@pytest.mark.parametrize("kind", ["rough", "possibilistic", "evidential"])
def test_a_comparison_needs_no_clock_and_is_the_same_twice(kind, most, monkeypatch):
    without_clock(monkeypatch)
    truth, found, _ = planted(1, kind, most=most)
    one, two = (pt.compare(truth, found) for _ in range(2))
    np.testing.assert_array_equal(*([(r.lower, r.upper) for r in rows] for rows in (one, two)))


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(["rough", "possibilistic", "evidential"]))
def test_ends_lie_inside_the_range_of_so_many_clusters(seed, kind):
    truth, found, _ = planted(seed, kind)
    k, columns = (p.n_clusters for p in (truth, found))
    for name, most in (
        ("variation_of_information", min(math.log(len(truth)), math.log(k) + math.log(columns))),
        ("mutual_information", math.log(min(k, columns))),
        ("class_entropy", math.log(k)),
    ):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(measures, "QUICK_WORK", LITTLE)
            row = pt.compare(truth, found, indices=[name])[name]
        assert -TINY <= row.lower <= row.upper <= most + TINY


def test_less_work_gives_wider_ends_and_none_gives_the_range():
    truth, found, _ = planted(3, "rough", most=40)
    ends = []
    for work in (0.0, 1e5, 1e6):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(measures, "QUICK_WORK", work)
            row = pt.compare(truth, found, indices=["VI"])["VI"]
        ends.append((row.lower, row.upper))
    index = TableIndex(find("VI"), len(truth), (truth.n_clusters, found.n_clusters))
    assert ends[0] == pytest.approx(index.range, abs=TINY)
    for wide, narrow in pairwise(ends):
        assert wide[0] - TINY <= narrow[0] <= narrow[1] <= wide[1] + TINY


def test_a_part_of_a_budget():
    whole = Budget(100.0)
    part = whole.part(0.5)
    part.spend(30.0)
    assert (part.work_left, whole.work_left) == (20.0, 70.0)
    assert not part.is_over
    part.spend(20.0)
    assert part.is_over
    assert not whole.is_over
    assert not Budget().is_limited
    assert whole.is_limited


def test_the_least_of_adjusted_information_is_not_below_its_bound():
    """All pairs of clusterings of five objects."""
    labels = [np.array(x) for x in by_definition.clusterings([range(i + 1) for i in range(5)])]
    tables = np.zeros((len(labels) ** 2, 5, 5), dtype=np.int64)
    for table, (one, other) in zip(tables, ((a, b) for a in labels for b in labels), strict=True):
        np.add.at(table, (one, other), 1)
    tables = np.unique(tables, axis=0)[::10]
    for average, least in (
        ("arithmetic", -2.0),
        ("max", -2.0),
        ("joint", -1.0),
        ("min", 1 - 25 * math.log(5) / math.log(16)),
        ("geometric", 1 - 25 * math.log(5) / math.log(16)),
    ):
        entry = find(f"adjusted_mutual_information:average={average}")
        values = entry.evaluate([Contingency.from_counts(tables)]).values
        assert least <= np.nanmin(values) < 0.0


# --- comparisons without ends -----------------------------------------------------------------------------


def test_bounds_can_be_left_away(monkeypatch):
    monkeypatch.setattr(measures, "quick_ends", lambda *_: pytest.fail("ends were worked out"))
    truth, found, _ = planted(0, "possibilistic")
    result = pt.compare(truth, found, bounds=False)
    assert len(result.rows) > 10
    assert all(math.isnan(row.lower) and math.isnan(row.upper) for row in result)
    truth, found, _ = planted(0, "rough")
    result = pt.compare(truth, found, bounds=False)
    assert "rand" not in result
    assert "rand" in {left.index for left in result.left_out}
    with pytest.raises(KindError):
        pt.compare(truth, found, indices=["rand"], bounds=False)
    for odd in (1, "no", None, [True], np.array([True, False])):
        with pytest.raises(ParameterError, match="bounds"):
            pt.compare(truth, found, bounds=odd)


# --- against a hard clustering ----------------------------------------------------------------------------


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_ends_of_many_draws_are_those_of_each(seed):
    """All completions of few objects, for the whole stack at once."""
    rng = np.random.default_rng(seed)
    n, k, columns = int(rng.integers(2, 6)), int(rng.integers(1, 6)), int(rng.integers(1, 4))
    labels = rng.integers(0, columns, (5, n))
    possible = np.array([around(rng.integers(0, k, n), k, 0.5, rng) for _ in range(5)])
    inside = counts_inside(possible, labels, columns)
    matched = hard_matching_ends(inside)
    for spec in ("adjusted_rand", "jaccard", "nmi_sum", "fowlkes_mallows", "pair_recall"):
        index = TableIndex(find(spec), n)
        for soft_is_truth in (True, False):
            got, _ = evidential._ends_by_sizes(inside, index, soft_is_truth=soft_is_truth)
            for ends, soft, hard in zip(got, possible, labels, strict=True):
                sides = [soft, np.eye(columns, dtype=bool)[hard]]
                sides = sides if soft_is_truth else sides[::-1]
                tables = np.zeros((0, sides[0].shape[1], sides[1].shape[1]), dtype=np.int64)
                for one in by_definition.completions(sides[0]):
                    for other in by_definition.completions(sides[1]):
                        table = np.zeros((1, *tables.shape[1:]), dtype=np.int64)
                        np.add.at(table[0], (list(one), list(other)), 1)
                        tables = np.concatenate([tables, table])
                values = index.on_tables(tables)
                values = values[~np.isnan(values)]
                expected = (values.min(), values.max()) if len(values) else (math.nan, math.nan)
                assert tuple(ends) == pytest.approx(expected, abs=TINY, nan_ok=True)
    for ends, soft, hard in zip(matched, possible, labels, strict=True):
        alone = matching_ends(Groups.of(soft, np.eye(columns, dtype=bool)[hard]))
        assert (ends[0], ends[1]) == (alone.fewest[0], alone.most[0])


# --- crisp typicalities, odd options ----------------------------------------------------------------------


@settings(max_examples=20)
@given(found=possibilistic(4), spec=st.sampled_from(["rand", "VI", "pair_precision"]))
def test_crisp_typicalities_have_possibilities(found, spec):
    crisp = np.eye(2)[[0, 1, 1, 0]]
    for method in ("auto", "exact", "sample"):
        result = pt.distribution([0, 0, 1, 1], pt.PossibilisticPartition(crisp), spec, method=method)
        assert result.possibilities.tolist() == [1.0]
    law = pt.distribution([0, 0, 1, 1], found, spec)
    assert len(law.possibilities) == len(law.support)


@pytest.mark.parametrize("odd", [[1], {"a": 1}, np.array([1, 2]), 10**400, "x", b"x", 1 + 2j, np.array([])])
def test_odd_options_are_refused(odd):
    rough = pt.RoughPartition([[True, False], [True, True], [False, True]])
    names = ("method", "law", "tnorm", "reading", "empty", "n_samples", "epsilon", "confidence", "n_inner")
    for name in (*names, "drop", "budget_seconds"):
        with pytest.raises(ParameterError):
            pt.distribution([0, 0, 1], rough, **{name: odd})
    with pytest.raises(ParameterError):
        pt.hausdorff([0, 0, 1], rough, budget_seconds=odd)
