"""What entries declare about tables with given margins (`given_sizes`, `separable`) is executed here.

Small tables are enumerated: all of up to seven objects with up to four clusters on each side, and all with
margins that hypothesis draws. Sums are written out from the definition: of m^2 and of m log m.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies  # noqa: F401 (loads the hypothesis profile)
from partita.distributional.table_index import TableIndex
from partita.errors import ParameterError, PartitaError
from partita.indices import catalogue
from partita.partitions import HARD
from partita.registry import find, index, remove
from partita.statistics import Contingency, KnownSums

ON_TABLES = [e for e in catalogue() if set(e.inputs) == {"truth", "found"} and e.is_of_table]
WITH_OPTIONS = [
    "rand:pairs=ordered",
    "joint_entropy:base=2",
    "mutual_information:base=10",
    "variation_of_information:base=2",
    "class_entropy:base=2",
    "v_measure:beta=2",
    "v_measure:beta=0.5",
    *(f"adjusted_mutual_information:average={a}" for a in ("max", "min", "geometric", "joint")),
]
GIVEN_SIZES = [e.name for e in ON_TABLES if e.given_sizes] + WITH_OPTIONS
SEPARABLE = [spec for spec in GIVEN_SIZES if find(spec).separable]
BY_SUMS_ALONE = [spec for spec in GIVEN_SIZES if find(spec).name != "adjusted_mutual_information"]
"""The expected information depends on the sizes themselves."""

MOST_OBJECTS, MOST_CLUSTERS = 7, 4


# --- all tables with given margins ----------------------------------------------------------------------


def rows_of(total, room):
    """All ways to put so many objects into cells with so much room."""
    if len(room) == 1:
        return [(total,)] if total <= room[0] else []
    return [(m, *rest) for m in range(min(total, room[0]) + 1) for rest in rows_of(total - m, room[1:])]


def tables_with(row_sums, column_sums):
    if not row_sums:
        return [()] if not any(column_sums) else []
    return [
        (row, *rest)
        for row in rows_of(row_sums[0], column_sums)
        for rest in tables_with(row_sums[1:], [c - m for c, m in zip(column_sums, row, strict=True)])
    ]


def sizes_of(n, k):
    """All cluster sizes of n objects in at most k clusters, the largest first; zeros at the end."""
    return [
        s for s in itertools.product(range(n, -1, -1), repeat=k) if sum(s) == n and list(s) == sorted(s)[::-1]
    ]


@cache
def small_tables(most=MOST_OBJECTS):
    """For each pair of margins the stack of all its tables."""
    stacks = []
    for n in range(1, most + 1):
        for rows, columns in itertools.product(sizes_of(n, MOST_CLUSTERS), repeat=2):
            stacks.append(np.array(tables_with(rows, columns)))
    return stacks


def tables_for(spec):
    """Fewer where each table takes long: the expected information is a sum over all shuffles."""
    return small_tables(4) if spec not in BY_SUMS_ALONE else small_tables()


def values_of(spec, tables):
    return find(spec).evaluate([Contingency.from_counts(np.asarray(tables))]).values


def phi_sum(summand, counts, axis):
    """The sum of m^2, or of m log m, from the definition."""
    counts = np.asarray(counts, dtype=float)
    if summand == "squares":
        return (counts * counts).sum(axis=axis)
    return (counts * np.log(np.where(counts > 0, counts, 1.0))).sum(axis=axis)


def three_sums(summand, tables):
    """Over rows, over columns, over cells."""
    tables = np.asarray(tables)
    return (
        phi_sum(summand, tables.sum(axis=-1), -1),
        phi_sum(summand, tables.sum(axis=-2), -1),
        phi_sum(summand, tables, (-1, -2)),
    )


def hold_on_margins(spec, sums, values):
    """One value for each sum, up or down with it, and undefined for all sums of these margins or for none."""
    undefined = np.isnan(values)
    assert undefined.all() or not undefined.any()
    if undefined.all():
        return
    order = np.argsort(sums, kind="stable")
    sums, values = sums[order], values[order]
    steps = np.diff(values)
    equal = np.diff(sums) < 1e-9
    assert np.abs(steps[equal]).max(initial=0.0) < 1e-9
    assert (steps > -1e-9).all() or (steps < 1e-9).all()


def test_the_enumeration_counts_tables():
    """4! tables of a permutation; over all margins, all ways to put 3 objects into 2 x 3 cells."""
    assert len(tables_with([1] * 4, [1] * 4)) == 24
    margins = [[s for s in itertools.product(range(4), repeat=k) if sum(s) == 3] for k in (2, 3)]
    tables = [t for rows, columns in itertools.product(*margins) for t in tables_with(rows, columns)]
    assert len(tables) == len(set(tables)) == math.comb(3 + 5, 5)
    assert sizes_of(4, 3) == [(4, 0, 0), (3, 1, 0), (2, 2, 0), (2, 1, 1)]


# --- given the sizes, one sum decides -------------------------------------------------------------------


@pytest.mark.parametrize("spec", GIVEN_SIZES)
def test_given_the_sizes_the_value_follows_one_sum_up_or_down(spec):
    stacks = tables_for(spec)
    together = np.concatenate(stacks)
    values, sums = values_of(spec, together), three_sums(find(spec).given_sizes, together)[2]
    start = 0
    for stack in stacks:
        at = slice(start, start + len(stack))
        hold_on_margins(spec, sums[at], values[at])
        start += len(stack)


@settings(max_examples=20)
@given(data=st.data())
def test_given_larger_sizes_too(data):
    n = data.draw(st.integers(8, 14))
    margins = []
    for most in (3, 2):
        inner = sorted(data.draw(st.lists(st.integers(0, n), min_size=most - 1, max_size=most - 1)))
        margins.append(np.diff([0, *inner, n]).tolist())
    tables = np.array(tables_with(*margins))
    for spec in GIVEN_SIZES:
        sums = three_sums(find(spec).given_sizes, tables)[2]
        hold_on_margins(spec, sums, values_of(spec, tables))


@pytest.mark.parametrize("spec", GIVEN_SIZES)
def test_sums_and_sizes_give_the_value_of_the_table(spec):
    entry, tables = find(spec), np.concatenate(tables_for(spec))
    over_cells = three_sums(entry.given_sizes, tables)[2]
    known = KnownSums.of(tables.sum(axis=2), tables.sum(axis=1), over_cells, entry.given_sizes)
    np.testing.assert_allclose(
        entry.evaluate([known]).values, values_of(spec, tables), rtol=0, atol=1e-9, equal_nan=True
    )


@pytest.mark.parametrize("spec", BY_SUMS_ALONE)
def test_where_the_formula_applies_the_three_sums_give_the_value(spec):
    """Limits need to know whether a clustering is constant; everything else is in the sums."""
    entry, tables = find(spec), np.concatenate(small_tables())
    outcome = entry.evaluate([Contingency.from_counts(tables)])
    free = outcome.reasons == ""
    known = KnownSums.without_sizes(
        tables.sum(axis=(1, 2)), *three_sums(entry.given_sizes, tables), entry.given_sizes
    )
    got = np.asarray(entry.formula_on(known))
    assert free.sum() > 1000
    np.testing.assert_allclose(got[free], outcome.values[free], rtol=0, atol=1e-9)


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "max", "min", "joint"])
def test_adjusted_information_needs_the_sizes(average):
    entry = find(f"adjusted_mutual_information:average={average}")
    known = KnownSums.without_sizes(*np.full((4, 1), 9.0), "entropy")
    with pytest.raises(PartitaError, match="cluster sizes"):
        entry.evaluate([known])
    assert TableIndex(entry, 9).on_box([(9.0, 12.0)] * 3) == (-math.inf, math.inf)


def test_what_is_not_known_is_refused():
    """Cells never; the other kind of sum never: a wrong declaration cannot give a number."""
    sizes = np.array([[3, 3]])
    for spec, summand in (("rand", "entropy"), ("mutual_information", "squares"), ("purity", "squares")):
        with pytest.raises(PartitaError, match="not known"):
            find(spec).evaluate([KnownSums.of(sizes, sizes, np.array([10.0]), summand)])


def test_a_declaration_that_names_no_sum_is_refused():
    for facts in ({"given_sizes": "cubes"}, {"separable": True}):
        with pytest.raises(ParameterError, match="which sum"):

            @index(title="None", best=None, range={HARD: (0.0, 1.0)}, **facts)
            def nothing(table: Contingency) -> float:
                return table.n


# --- separable: affine in the three sums ----------------------------------------------------------------


@st.composite
def tables_of(draw, most=12):
    """A table of up to 4 x 4 clusters, some of them empty."""
    shape = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    cells = st.integers(0, most)
    filled = st.lists(cells, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    return np.array(draw(filled.filter(lambda c: sum(c) > 1))).reshape(shape)


@settings(max_examples=30)
@given(table=tables_of(), scale=st.sampled_from([1, 1, 7, 1000]))
def test_separable_entries_are_affine_in_the_three_sums(table, scale):
    table = table * scale
    for spec in SEPARABLE:
        entry = find(spec)
        c = TableIndex(entry, int(table.sum())).coefficients
        expected = values_of(spec, table[None])[0]
        sums = three_sums(entry.given_sizes, table)
        # parts of opposite sign cancel: rounding is relative to the largest of them
        largest = max(abs(w * s) for w, s in zip(c.weights, sums, strict=True))
        assert abs(c.value(*sums) - expected) <= 1e-10 * max(abs(expected), 1e-3 * largest)


def test_coefficients_of_the_rand_index_by_hand():
    """1 - (A + B - 2 T) / (n (n - 1)), and / n^2 for ordered pairs (campagner2022 eq. 1)."""
    for spec, pairs in (("rand", 20.0), ("rand:pairs=ordered", 25.0)):
        c = TableIndex(find(spec), 5).coefficients
        np.testing.assert_allclose(
            (c.constant, *c.weights), (1.0, -1 / pairs, -1 / pairs, 2 / pairs), atol=1e-14
        )


def test_coefficients_of_the_variation_of_information_by_hand():
    """2 H(U, V) - H(U) - H(V) with H = log n - (sum of m log m) / n."""
    c = TableIndex(find("variation_of_information"), 5).coefficients
    np.testing.assert_allclose((c.constant, *c.weights), (0.0, 0.2, 0.2, -0.4), atol=1e-14)


@pytest.mark.parametrize("spec", [s for s in GIVEN_SIZES if s not in SEPARABLE])
def test_entries_that_are_not_separable_are_not_affine(spec):
    """The best affine function of the three sums misses a table on which no limit holds."""
    entry = find(spec)
    assert TableIndex(entry, 5).coefficients is None
    tables = np.concatenate([s for s in small_tables() if s[0].sum() == 5])
    outcome = entry.evaluate([Contingency.from_counts(tables)])
    free = outcome.reasons == ""
    sums = np.stack([np.ones(len(tables)), *three_sums(entry.given_sizes, tables)], axis=1)[free]
    fitted = sums @ np.linalg.lstsq(sums, outcome.values[free], rcond=None)[0]
    assert np.abs(fitted - outcome.values[free]).max() > 1e-3


@pytest.mark.parametrize("entry", [e for e in ON_TABLES if not e.given_sizes], ids=lambda e: e.name)
def test_entries_that_declare_nothing_depend_on_more_than_sums(entry):
    """Two tables with the same margins and the same cells (in other places) but different values."""
    for n in range(2, 10):
        for rows, columns in itertools.product(sizes_of(n, 3), repeat=2):
            tables = np.array(tables_with(rows, columns))
            values = entry.evaluate([Contingency.from_counts(tables)]).values
            cells = [tuple(sorted(t.ravel())) for t in tables]
            seen = {}
            for held, value in zip(cells, values, strict=True):
                if abs(seen.setdefault(held, value) - value) > 1e-6:
                    return
    pytest.fail("it seems to depend on sums alone")


# --- boxes of sums --------------------------------------------------------------------------------------


def random_tables(rng, n, count):
    """Tables of n objects, from like to unlike, with few or many, even or uneven clusters on either side."""
    tables = []
    for _ in range(count):
        k, columns = rng.integers(1, 7, size=2)
        labels = rng.choice(k, n, p=rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 30.0]))))
        other = rng.choice(columns, n, p=rng.dirichlet(np.full(columns, rng.choice([0.3, 1.0, 30.0]))))
        alike = rng.random(n) < rng.choice([0.0, 0.5, 0.9, 1.0])
        table = np.zeros((6, 6), dtype=np.int64)
        np.add.at(table, (labels, np.where(alike, labels % columns, other)), 1)
        tables.append(table)
    return np.array(tables)


def past(spec, tables, ends):
    """How far values on the tables are outside these ends."""
    values = values_of(spec, tables)
    values = values[~np.isnan(values)]
    return max((ends[0] - values).max(initial=0.0), (values - ends[1]).max(initial=0.0))


def past_corners(spec, tables):
    """How far values on the tables are outside what the box around their sums allows."""
    entry = find(spec)
    box = [(float(s.min()), float(s.max())) for s in three_sums(entry.given_sizes, tables)]
    return past(spec, tables, TableIndex(entry, int(tables[0].sum())).on_box(box))


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), count=st.sampled_from([2, 3, 5, 60]))
def test_the_corners_of_a_box_of_sums_enclose_all_tables_inside(seed, n, count):
    tables = random_tables(np.random.default_rng(seed), n, count)
    assert [spec for spec in BY_SUMS_ALONE if past_corners(spec, tables) > 1e-9] == []


@pytest.mark.parametrize("spec", BY_SUMS_ALONE)
def test_the_corners_enclose_tables_that_are_small_on_different_sides(spec):
    """Coarse against fine, fine against coarse, and two equal clusterings in between.

    The sums over cells go up to 96, those over rows and over columns down to 48: no table has both.
    """
    coarse, fine, middle = np.repeat([0, 1], 12), np.tile(np.arange(12), 2), np.repeat(np.arange(6), 4)
    tables = np.zeros((3, 12, 12), dtype=np.int64)
    for table, sides in zip(tables, [(coarse, fine), (fine, coarse), (middle, middle)], strict=True):
        np.add.at(table, sides, 1)
    assert [(s.min(), s.max()) for s in three_sums("squares", tables)] == [(48, 288), (48, 288), (24, 96)]
    assert past_corners(spec, tables) < 1e-9


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 40), is_same=st.booleans())
def test_a_relaxed_box_encloses_the_tables_planted_in_it(seed, n, is_same):
    """Ranges that are wider than what tables attain, as relaxations give; also around equal clusterings."""
    rng = np.random.default_rng(seed)
    tables = random_tables(rng, n, 3)
    if is_same:
        tables = np.array([np.diag(t.sum(axis=1)) for t in tables])
    for spec in BY_SUMS_ALONE:
        entry = find(spec)
        least, most = (phi_sum(entry.given_sizes, sizes, 0) for sizes in (np.ones(n), np.array([n])))
        box = []
        for sums in three_sums(entry.given_sizes, tables):
            room = rng.choice([0.0, 1e-12, 0.1, 1.0], size=2) * rng.random(2) * (most - least)
            box.append((float(sums.min() - room[0]), float(sums.max() + room[1])))
        assert past(spec, tables, TableIndex(entry, n).on_box(box)) < 1e-9, spec


def points_between(rng, box, least, most, count):
    """Sums over rows, columns and cells inside a box that obey what tables obey; many on edges."""
    rows, columns = (rng.uniform(*ends, count) for ends in box[:2])
    columns = np.where(rng.random(count) < 0.2, np.clip(rows, *box[1]), columns)
    on_edge = rng.random(count) < 0.2
    columns = np.where(on_edge, np.clip(most + box[2][0] - rows, *box[1]), columns)
    low = np.maximum(box[2][0], rows + columns - most)
    high = np.minimum(box[2][1], np.minimum(rows, columns))
    share = np.clip(rng.uniform(-0.3, 1.3, count), 0, 1)
    cells = np.minimum(low + share * (high - low), high)
    return np.array([rows, columns, cells])[:, low <= high]


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 40))
def test_the_ends_of_a_box_are_at_vertices_for_all_real_sums(seed, n):
    """The theorem itself: between the ends lie the formula's values on all sums, not those of tables only."""
    rng = np.random.default_rng(seed)
    for spec in BY_SUMS_ALONE:
        entry = find(spec)
        least, most, pair, apart = (
            phi_sum(entry.given_sizes, np.array(sizes), 0)
            for sizes in ([1] * n, [n], [2] + [1] * (n - 2), [n - 1, 1])
        )
        box = [np.sort(rng.uniform(pair, apart, 2)) for _ in "RC"] + [np.sort(rng.uniform(least, most, 2))]
        box[1] = box[rng.integers(2)]
        points = points_between(rng, box, least, most, 2000)
        if not points.size:
            continue
        known = KnownSums.without_sizes(np.full(points.shape[1], n), *points, entry.given_sizes)
        values = np.asarray(entry.formula_on(known))
        low, high = TableIndex(entry, n).on_box([tuple(ends) for ends in box])
        scale = max(1.0, np.abs(values).max())
        assert low - 1e-9 * scale <= values.min() <= values.max() <= high + 1e-9 * scale, spec


def test_an_index_of_someone_else_has_no_proof():
    """Of a declaration alone nothing follows: x (1 - x) has its end inside."""

    @index(title="A hump", best=None, range={HARD: (0.0, 1.0)}, given_sizes="squares")
    def hump(table: Contingency) -> float:
        a, b, _, _ = table.pairs
        share = a / (a + b)
        return 4.0 * share * (1.0 - share)

    try:
        measured = TableIndex(hump, 4)
        assert measured.on_box([(10.0, 10.0), (10.0, 10.0), (4.0, 10.0)]) == (-math.inf, math.inf)
        assert measured.range == (0.0, 1.0)
    finally:
        remove(hump)


def test_corners_of_the_pair_recall_by_hand():
    """(T - n) / (A - n): from (6 - 4) / (15 - 4) to (10 - 4) / (12 - 4), whatever B is.

    A box that holds a single cluster, or single objects, has the values that limits set too: here 1.
    """
    recall = TableIndex(find("pair_recall"), 4)
    assert recall.on_box([(12.0, 15.0), (5.0, 15.0), (6.0, 10.0)]) == pytest.approx((2 / 11, 6 / 8))
    assert recall.on_box([(12.0, 16.0), (4.0, 16.0), (6.0, 10.0)]) == pytest.approx((2 / 12, 1.0))


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40))
def test_the_range_holds_every_value(seed, n):
    tables = random_tables(np.random.default_rng(seed), n, 20)
    for spec in [e.name for e in ON_TABLES] + WITH_OPTIONS:
        measured = TableIndex(find(spec), n)
        # the expected information takes long
        some = tables if spec not in GIVEN_SIZES or spec in BY_SUMS_ALONE else tables[:2]
        if measured.range is None:
            assert measured.width is None
            continue
        assert measured.width == measured.range[1] - measured.range[0]
        assert past(spec, some, measured.range) < 1e-9


def test_ranges_are_known_for_all_indices_with_two_finite_ends():
    """And where the ends depend on the tables, from the coefficients."""
    assert [e.name for e in ON_TABLES if TableIndex(e, 10).range is None] == []
    assert [s for s in WITH_OPTIONS if TableIndex(find(s), 10).range is None] == []


def test_ranges_by_hand():
    """Ten objects: at most log 10 nats, 45 pairs."""
    for name, ends in (
        ("joint_entropy", (0.0, math.log(10))),
        ("pairs_in_both", (0.0, 45.0)),
        ("adjusted_rand", (-0.5, 1.0)),
        ("rand", (0.0, 1.0)),
        ("minkowski_score", (0.0, math.sqrt(44))),
        ("generalized_centroid_index", (0.0, 9.0)),
        ("adjusted_mutual_information", (-2.0, 1.0)),
    ):
        assert TableIndex(find(name), 10).range == pytest.approx(ends, abs=1e-12)


def test_ranges_of_few_clusters_by_hand():
    """Ten objects in at most 2 and 3 clusters."""
    for name, ends in (
        ("joint_entropy", (0.0, math.log(6))),
        ("mutual_information", (0.0, math.log(2))),
        ("variation_of_information", (0.0, math.log(6))),
        ("class_entropy", (0.0, math.log(2))),
        ("generalized_centroid_index", (0.0, 2.0)),
    ):
        assert TableIndex(find(name), 10, (2, 3)).range == pytest.approx(ends, abs=1e-12)
    assert TableIndex(find("variation_of_information"), 10, (4, 4)).range == pytest.approx((0, math.log(10)))


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40))
def test_the_range_of_few_clusters_holds_every_value(seed, n):
    tables = random_tables(np.random.default_rng(seed), n, 20)
    filled = [int((tables.sum(axis=axis) > 0).sum(axis=1).max()) for axis in (2, 1)]
    for spec in [e.name for e in ON_TABLES if e.name != "adjusted_mutual_information"] + WITH_OPTIONS[:7]:
        assert past(spec, tables, TableIndex(find(spec), n, tuple(filled)).range) < 1e-9
