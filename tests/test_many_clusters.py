"""Hard clusterings with very many clusters: sparse tables, and pairings that are settled without a search."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linear_sum_assignment

import partita as pt
from partita.errors import TooLargeError
from partita.statistics.tables import counting, matchings
from partita.statistics.tables.contingency import Contingency
from partita.statistics.tables.matchings import is_too_large_to_pair, match_clusters, matching_score
from partita.statistics.tables.settled_pairs import settle


def two_clusterings(n, k, agreement, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return truth, np.where(rng.random(n) < agreement, truth, rng.integers(0, k, n))


@pytest.mark.parametrize("weighted", [False, True])
def test_every_index_of_a_sparse_table_is_that_of_the_dense_one(weighted, monkeypatch):
    truth, found = two_clusterings(150, 30, 0.6)
    weight = np.random.default_rng(1).integers(1, 4, 150) if weighted else None
    dense = pt.compare(truth, found, sample_weight=weight, indices="all")
    monkeypatch.setattr(counting, "DENSE_CELLS", 0)
    assert Contingency.from_block(pt.as_partition(truth), pt.as_partition(found)).is_sparse
    sparse_ones = pt.compare(truth, found, sample_weight=weight, indices="all")
    assert len(sparse_ones.rows) == len(dense.rows) > 40
    for one, other in zip(sparse_ones.rows, dense.rows, strict=True):
        assert one.index == other.index
        assert one.value == pytest.approx(other.value, rel=1e-12, abs=1e-14, nan_ok=True), one.index


def test_very_many_clusters_are_compared_in_the_room_of_their_labels():
    n, k = 100_000, 20_000
    truth, found = two_clusterings(n, k, 0.7)
    tracemalloc.start()
    try:
        result = pt.compare(truth, found)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * 8 * n < 8 * k * k / 50
    for name in ("ARI", "AMI", "VI", "PD", "PSI", "purity", "criterion_h"):
        assert np.isfinite(result[name].value), name
    assert 0 < result["PD"].value <= result["criterion_h"].value < 0.5
    paired = sum(row.overlap for row in pt.align(truth, found).rows)
    assert 1.0 - paired / n == pytest.approx(result["PD"].value)


@given(
    st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 9), st.sampled_from([2, 5, 50]), st.booleans()
)
def test_settled_pairs_belong_to_an_optimal_pairing(seed, k, k_found, most, whole):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, most, (k, k_found)) * (rng.random((k, k_found)) < 0.5)
    values = cells.astype(np.float64) if whole else cells * rng.random(cells.shape)
    filled = sparse.coo_array(values)
    settled = settle(*filled.coords, filled.data, filled.shape)
    assert np.unique(settled.rows).size == settled.rows.size == np.unique(settled.columns).size
    rest = np.delete(np.delete(values, settled.rows, axis=0), settled.columns, axis=1)
    total = values[settled.rows, settled.columns].sum() + _best_total(rest)
    assert total == pytest.approx(_best_total(values), rel=1e-12)
    left = np.zeros((k, k_found), dtype=bool)
    left[filled.coords[0][settled.left], filled.coords[1][settled.left]] = True
    np.testing.assert_array_equal(values[left].sum(), pytest.approx(rest.sum()))


def _best_total(values):
    return values[linear_sum_assignment(values, maximize=True)].sum() if values.size else 0.0


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(2, 40), st.floats(0, 1))
def test_the_pairing_of_a_sparse_table_has_the_total_of_the_dense_one(seed, k, k_found, agreement):
    truth, found = two_clusterings(4 * k, k, agreement, seed)
    cells = np.zeros((k, k_found), dtype=np.int64)
    np.add.at(cells, (truth, found % k_found), 1)
    dense, filled = Contingency.from_counts(cells), Contingency.from_counts(sparse.csr_array(cells))
    for similarity in matchings.SIMILARITIES:
        expected = matching_score(dense, similarity, "optimal", None)
        assert matching_score(filled, similarity, "optimal", None) == pytest.approx(expected, rel=1e-12)
        paired = match_clusters(filled, similarity, "optimal")
        rows = np.flatnonzero(paired.of_truth >= 0)
        np.testing.assert_array_equal(paired.of_found[paired.of_truth[rows]], rows)


def test_clusters_that_mostly_agree_need_no_search(monkeypatch):
    monkeypatch.setattr(matchings, "MOST_CLUSTERS", 100)
    truth, found = two_clusterings(20_000, 2_000, 0.9)
    table = Contingency.from_block(pt.as_partition(truth), pt.as_partition(found))
    assert table.is_sparse
    for similarity in ("overlap", "braun_banquet"):
        assert not is_too_large_to_pair(table, similarity)
    assert np.isfinite(pt.indices.pair_set_index(truth, found))
    mixed = two_clusterings(20_000, 2_000, 0.0)
    assert is_too_large_to_pair(Contingency.from_block(*map(pt.as_partition, mixed)))
    with pytest.raises(TooLargeError, match="greedy"):
        pt.align(*mixed)
    assert pt.align(*mixed, matching="greedy").rows
    caveat = pt.compare(*mixed)["PSI"].caveat
    assert "greedily" in caveat
