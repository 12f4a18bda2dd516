"""Memberships as sparse matrices: the values of dense ones, and no table of all pairs of clusters."""

import time
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import partita as pt
from partita.arrays import same_columns
from partita.errors import ParameterError, TooLargeError, UndefinedIndexWarning
from partita.registry.lookup import indices
from partita.statistics.pairs.coassociation import PairMoments
from partita.statistics.pairs.coassociation_gaps import CoassociationGaps
from partita.statistics.tables.overlaps import SharedMemberships

INDICES = [e for e in indices() if e.inputs == ("truth", "found")]
FUZZY = pt.as_partition([[0.5, 0.5]]).kind
HARD = pt.as_partition([0, 1]).kind


def memberships(n, k, filled=3, seed=0, near=0.0):
    """Rows with some filled cells, around a cluster that is the same for every seed."""
    home = np.random.default_rng(99).integers(0, k, n)
    rng = np.random.default_rng(seed)
    columns = (home[:, None] + np.arange(filled) * (1 + rng.integers(0, 2, (n, 1)))) % k
    values = rng.random((n, filled)) + np.array([near, *[0.0] * (filled - 1)])
    places = (np.repeat(np.arange(n), filled), columns.ravel())
    made = sparse.csr_array(sparse.coo_array((values.ravel(), places), shape=(n, k)))
    return sparse.csr_array(made / made.sum(axis=1)[:, None])


def quietly(entry, *sides, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedIndexWarning)
        return entry(*sides, **options)


def labels_of(U):
    return np.asarray(U.argmax(axis=1)).ravel()


@pytest.mark.parametrize("entry", INDICES, ids=lambda e: e.label)
@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_every_index_is_the_same_of_sparse_memberships(entry, weights):
    n, k = 60, 7
    U, V = memberships(n, k, seed=1, near=1.0), memberships(n, k + 1, seed=2, near=1.0)
    rng = np.random.default_rng(3)
    weight = {None: None, "whole": rng.integers(1, 4, n), "fractional": rng.random(n) + 0.5}[weights]
    judged = 0
    for kinds, sides in (
        ((FUZZY, FUZZY), (U, V)),
        ((HARD, FUZZY), (labels_of(U), V)),
        ((FUZZY, HARD), (U, labels_of(V))),
    ):
        if entry.range_of(kinds) is None:
            continue
        expected = quietly(entry, *map(written_out, sides), sample_weight=weight)
        assert quietly(entry, *sides, sample_weight=weight) == pytest.approx(
            expected, rel=1e-10, abs=1e-13, nan_ok=True
        )
        judged += 1
    assert judged or entry.range_of((FUZZY, FUZZY)) is None


def written_out(side):
    return side.toarray() if sparse.issparse(side) else side


def moments_of(u, v, weight=None):
    return PairMoments.from_block(pt.as_partition(u), pt.as_partition(v), weight)


def factor_only(moments):
    assert moments.rows is None
    return moments


def assert_same_values(one, other, tolerance):
    for name, value in one.values._asdict().items():
        expected = getattr(other.values, name)
        assert value == pytest.approx(expected, rel=tolerance, abs=1e-15, nan_ok=True), name


@pytest.mark.parametrize("filled", [1, 2, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_pair_moments_are_those_of_the_dense_factor(filled, weighted):
    n, k = 80, 9
    U, V = memberships(n, k, filled, seed=4), memberships(n, k, filled + 1, seed=5)
    weight = np.random.default_rng(6).random(n) * 3 if weighted else None
    U = labels_of(U) if filled == 1 else U
    dense_U = U.toarray() if filled > 1 else U
    sparse_ones, dense_ones = moments_of(U, V, weight), moments_of(dense_U, V.toarray(), weight)
    assert sparse_ones.rows is not None
    assert_same_values(sparse_ones, factor_only(dense_ones), 1e-10)
    assert sparse_ones.n_rows == dense_ones.n_rows
    assert sparse_ones.n_columns == dense_ones.n_columns


def test_moments_of_blocks_add_up_whatever_clusters_they_saw():
    U, V = memberships(90, 8, seed=7), memberships(90, 8, seed=8)
    labels = np.sort(labels_of(V))
    for found in (V, labels):
        parts = [moments_of(U[a:b], found[a:b]) for a, b in ((0, 30), (30, 31), (31, 90))]
        added = PairMoments.zero() + parts[0] + (parts[1] + parts[2])
        assert_same_values(added, moments_of(U, found), 1e-12)


def test_few_clusters_that_nearly_agree_keep_their_digits():
    U = memberships(50, 6, seed=9).toarray()
    rng = np.random.default_rng(10)
    for step in (1e-3, 1e-6, 1e-9):
        V = U + step * U * rng.standard_normal(U.shape)
        V /= V.sum(axis=1, keepdims=True)
        assert_same_values(moments_of(sparse.csr_array(U), sparse.csr_array(V)), moments_of(U, V), 1e-9)


def test_memberships_that_are_all_equal_have_no_variance():
    same = np.tile([0.5, 0.25, 0.25, 0.0], (40, 1))
    moments = moments_of(sparse.csr_array(same), memberships(40, 4, seed=11))
    assert moments.values.variance_truth == 0.0
    assert moments.values.covariance == 0.0


def test_more_clusters_than_a_factor_takes():
    n, k = 400, 700
    U, V = memberships(n, k, 4, seed=12), memberships(n, k, 4, seed=13)
    assert_same_values(moments_of(U, V), moments_of(U.toarray(), V.toarray()), 1e-9)
    order = np.random.default_rng(0).permutation(k)
    identical = moments_of(U, U[:, order])
    assert identical.is_identical
    assert identical.values.gap_variance == 0.0
    assert not moments_of(U, V).is_identical
    for name in ("coassociation_rand_distance", "product_adjusted_rand", "frobenius_adjusted_rand"):
        if getattr(pt.indices, name).options == {}:
            expected = getattr(pt.indices, name)(U.toarray(), V.toarray())
            assert getattr(pt.indices, name)(U, V) == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 6), st.integers(1, 6))
def test_the_smaller_memberships_are_summed_cell_by_cell(seed, n, k, k_found):
    rng = np.random.default_rng(seed)
    u, v = (rng.random((n, c)) * (rng.random((n, c)) < 0.4) for c in (k, k_found))
    for rows in (u, v):
        rows[:, 0] += 0.1
        rows /= rows.sum(axis=1, keepdims=True)
    weight = rng.integers(0, 3, n) if seed % 2 else None
    each = np.ones(n) if weight is None else weight
    expected = np.einsum("i,ijl->jl", each, np.minimum(u[:, :, None], v[:, None, :]))
    for make in (np.asarray, sparse.csr_array):
        sides = (pt.FuzzyPartition(make(rows)) for rows in (u, v))
        made = SharedMemberships.from_block(*sides, weight).table.raw
        np.testing.assert_allclose(written_out(made), expected, rtol=1e-12, atol=1e-15)


def test_large_tables_of_smaller_memberships_are_sparse(monkeypatch):
    U, V = memberships(300, 400, seed=14), memberships(300, 400, seed=15)
    sides = pt.FuzzyPartition(U), pt.FuzzyPartition(V)
    made = SharedMemberships.from_block(*sides).table
    assert made.is_sparse
    expected = SharedMemberships.from_block(*(pt.FuzzyPartition(m.toarray()) for m in (U, V))).table
    np.testing.assert_allclose(made.raw.toarray(), expected.raw, atol=1e-13)
    monkeypatch.setattr("partita.statistics.tables.overlaps._CELLS_AT_ONCE", 10)
    np.testing.assert_allclose(
        SharedMemberships.from_block(*sides).table.raw.toarray(), expected.raw, atol=1e-13
    )


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_columns_are_the_same_in_any_order(make):
    rng = np.random.default_rng(16)
    a = rng.random((30, 8)) * (rng.random((30, 8)) < 0.5)
    a[:, 3] = a[:, 4]
    order = rng.permutation(8)
    moved = a[:, order] + 1e-9 * (a[:, order] > 0)
    assert same_columns(make(a), make(a[:, order]), 0.0)
    assert same_columns(make(a), make(moved), 1e-8)
    assert not same_columns(make(a), make(moved), 1e-10)
    assert not same_columns(make(a), make(np.delete(a, 0, axis=1)), 1.0)
    other = a.copy()
    other[:, 4] = a[:, 5]
    assert not same_columns(make(a), make(other), 1e-8)


def test_sparse_memberships_are_equivalent_up_to_names():
    U = memberships(500, 300, seed=17)
    order = np.random.default_rng(1).permutation(300)
    assert pt.FuzzyPartition(U).equivalent(pt.FuzzyPartition(U[:, order]))
    assert not pt.FuzzyPartition(U).equivalent(pt.FuzzyPartition(memberships(500, 300, seed=18)))
    crisp = sparse.csr_array(np.eye(5)[[0, 1, 4, 4]])
    assert pt.FuzzyPartition(crisp).equivalent([7, 8, 9, 9])
    assert not pt.FuzzyPartition(crisp).equivalent([7, 8, 9, 7])


# --- what would not fit when written out --------------------------------------------------------------------


@pytest.mark.parametrize("side", ["sparse", "labels"])
def test_many_clusters_are_compared_in_the_room_of_their_cells(side):
    n, k = 40_000, 8_000
    U, V = memberships(n, k, 5, seed=19), memberships(n, k, 5, seed=20)
    truth = U if side == "sparse" else labels_of(U)
    tracemalloc.start()
    try:
        result = pt.compare(truth, V)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    cells = 25 * n if side == "sparse" else 5 * n  # of the table, at most
    assert peak < 20 * 16 * cells < 8 * n * k / 3
    values = {row.index: row.value for row in result.rows}
    for name in ("adjusted_rand", "variation_of_information", "purity", "product_adjusted_rand"):
        assert np.isfinite(values[name])
    reasons = {left.index: (left.reason, left.cost) for left in result.left_out}
    assert "pairs" in reasons["campello_rand"][0]
    assert "pair operations" in reasons["campello_rand"][1]


def test_what_must_be_written_out_is_refused_before_the_work_starts(monkeypatch):
    monkeypatch.setattr("partita.arrays.matrices.MOST_DENSE_CELLS", 60 * 50 - 1)
    U, V = memberships(60, 50, seed=21), memberships(60, 50, seed=22)
    with pytest.raises(TooLargeError, match="written out"):
        pt.indices.coassociation_average_distance(U, V)


def test_very_many_columns_are_found_again_at_once():
    n, k = 40_000, 10_000
    U = memberships(n, k, seed=25)
    order = np.random.default_rng(2).permutation(k)
    moved = U[:, order]
    moved.data = moved.data * (1.0 + 1e-9 * np.random.default_rng(3).random(moved.nnz))
    started = time.perf_counter()
    for norm in (2, np.inf):
        assert same_columns(U, moved, 1e-8, norm)
    assert time.perf_counter() - started < 2.0
    moved.data[7] += 1e-6
    assert not same_columns(U, moved, 1e-8)


def test_typicalities_that_do_not_fit_have_no_lower_and_upper_value():
    sides = [pt.as_partition(memberships(3_000, 100_000, seed=seed), "possibilistic") for seed in (26, 27)]
    row = pt.compare(*sides)["VI"]
    assert np.isfinite(row.value)
    assert np.isnan(row.lower)
    assert "no lower and upper values: this sparse matrix does not fit" in row.caveat


def test_focal_sets_that_do_not_fit_are_refused():
    k = 20_000
    for side in (memberships(30, k, seed=28), np.append(np.arange(k), -1)):
        with pytest.raises(TooLargeError, match="focal sets"):
            pt.as_partition(side).to("evidential")


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo"])
@pytest.mark.parametrize("place", [-1, 10**6])
def test_indices_outside_the_shape_are_refused(form, place):
    damaged = memberships(60, 7, seed=29).asformat(form)
    (damaged.col if form == "coo" else damaged.indices)[3] = place
    for read in (
        pt.as_partition,
        lambda rows: pt.as_partition(rows, "rough"),
        lambda rows: pt.validate(rows, np.arange(60) % 3),
    ):
        with pytest.raises(ParameterError, match="damaged"):
            read(damaged)


@pytest.mark.parametrize("kind", ["fuzzy", "possibilistic"])
def test_conversions_of_sparse_memberships_are_those_of_dense_ones(kind):
    values = np.round(memberships(80, 9, 4, seed=23).toarray() * 4) / 4
    values[np.arange(80), values.argmax(axis=1)] += 1.0 - values.sum(axis=1)
    values = values.clip(0.0, 1.0)
    if kind == "fuzzy":
        values /= values.sum(axis=1, keepdims=True)
    one, other = (pt.as_partition(make(values), kind) for make in (sparse.csr_array, np.asarray))
    np.testing.assert_array_equal(one.harden().labels, other.harden().labels)
    assert one.harden().note == other.harden().note
    assert "ties" in one.harden().note
    np.testing.assert_allclose(one.entropies(), other.entropies(), atol=1e-12)
    np.testing.assert_allclose(one.nonspecificities(), other.nonspecificities(), atol=1e-12)
    assert repr(one) == repr(other)


def test_very_wide_typicalities_are_hardened_and_shown_without_writing_them_out():
    n, k = 20_000, 100_000
    for kind in ("fuzzy", "possibilistic"):
        wide = pt.as_partition(memberships(n, k, 4, seed=24), kind)
        assert "n=20000" in repr(wide)
        assert wide.harden().n_objects == n


def test_one_object_and_two_are_judged_as_when_written_out():
    values = np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    for n in (1, 2):
        one, other = values[:n], values[:n, ::-1]
        for entry in INDICES:
            if entry.range_of((FUZZY, FUZZY)) is not None:
                expected = quietly(entry, one, other)
                got = quietly(entry, sparse.csr_array(one), sparse.csr_array(other))
                assert got == pytest.approx(expected, rel=1e-10, abs=1e-13, nan_ok=True), entry.label


def test_clusters_of_weightless_objects_do_not_count():
    rows = sparse.csr_array(np.array([[0.5, 0.5, 0.0, 0.0], [0.5, 0.25, 0.25, 0.0]]))
    moments = moments_of(rows, rows[:, [1, 0, 3, 2]], np.array([2, 0]))
    assert (moments.n_rows, moments.n_columns) == (2, 2)
    assert moments.is_identical


@pytest.mark.parametrize("weight", [None, np.arange(400) % 3])
def test_gaps_of_many_clusters_are_summed_over_supports_without_writing_them_out(monkeypatch, weight):
    U, V = memberships(400, 300, seed=1), memberships(400, 310, seed=2)
    expected = CoassociationGaps.from_whole(*map(pt.as_partition, (U.toarray(), V.toarray())), weight)
    assert expected.method == "tiles"
    monkeypatch.setattr("partita.arrays.matrices.MOST_DENSE_CELLS", 50_000)
    monkeypatch.setattr("partita.statistics.pairs.coassociation_sums._MOST_WRITTEN_OUT", 10_000)
    monkeypatch.setattr("partita.statistics.pairs.coassociation_sums._PAIRS_PER_CELL", 0)
    made = CoassociationGaps.from_whole(*map(pt.as_partition, (U, V)), weight)
    assert made.method == "supports"
    assert float(made.together) == pytest.approx(float(expected.together), rel=1e-10)
