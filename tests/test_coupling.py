"""The maximal coupling: the same margins, the same table for hard input, and no distance to oneself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import partita as pt
from partita.engine import Request, collect
from partita.errors import KindError, TooLargeError
from partita.inputs import prepare
from partita.partitions import FUZZY, HARD
from partita.statistics import Contingency, CoupledContingency
from partita.statistics.tables import coupling
from strategies import fuzzy, hard, integer_weights, pairs

VI = pt.indices.variation_of_information
SOFT = np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.4, 0.4, 0.2]])


@given(data=st.data(), sides=pairs([HARD, FUZZY]))
def test_both_margins_are_kept(data, sides):
    weight = data.draw(st.none() | integer_weights(sides[0].n_objects))
    coupled = CoupledContingency.from_whole(*sides, weight)
    plain = Contingency.from_block(*sides, weight)
    n = float(plain.n)
    assert coupled.total == plain.total
    assert (coupled.counts >= 0).all()
    np.testing.assert_allclose(coupled.row_sums, plain.row_sums, rtol=0, atol=1e-14 * n)
    np.testing.assert_allclose(coupled.column_sums, plain.column_sums, rtol=0, atol=1e-14 * n)


@given(data=st.data())
def test_with_a_hard_side_it_is_the_contingency_table(data):
    n = data.draw(st.integers(1, 9))
    crisp, other = data.draw(hard(n)), data.draw(st.one_of(hard(n), fuzzy(n)))
    for sides in ((crisp, other), (other, crisp)):
        plain = Contingency.from_block(*sides)
        coupled = CoupledContingency.from_whole(*sides)
        np.testing.assert_array_equal(coupled.counts, plain.counts)
        assert coupled.is_whole == plain.is_whole
    # and one-hot memberships go through the coupling itself to the same table
    soft = [pt.FuzzyPartition(p.memberships()) for p in (crisp, data.draw(hard(n)))]
    np.testing.assert_array_equal(
        CoupledContingency.from_whole(*soft).counts, Contingency.from_block(*soft).counts
    )


@given(data=st.data(), found=fuzzy())
def test_no_distance_to_a_relabelling_of_oneself(data, found):
    order = data.draw(st.permutations(range(found.n_clusters)))
    renamed = pt.FuzzyPartition(np.asarray(found.memberships())[:, order])
    assert VI.of(CoupledContingency.from_whole(found, renamed)) < 1e-12
    assert VI.of(CoupledContingency.from_whole(found, found)) < 1e-12


def test_by_hand():
    """u = (0.7, 0.3), v = (0.4, 0.6), matched as they stand: 0.4 and 0.3 stay, 0.3 goes from 0 to 1."""
    one = CoupledContingency.from_whole(pt.FuzzyPartition([[0.7, 0.3]]), pt.FuzzyPartition([[0.4, 0.6]]))
    # matching by U'V would exchange the two: 0.28 + 0.18 < 0.42 + 0.12
    np.testing.assert_allclose(one.counts, [[0.1, 0.6], [0.3, 0.0]], atol=1e-15)
    two = CoupledContingency.from_whole(
        pt.FuzzyPartition([[0.7, 0.3], [1.0, 0.0]]), pt.FuzzyPartition([[0.4, 0.6], [1.0, 0.0]])
    )
    np.testing.assert_allclose(two.counts, [[1.4, 0.3], [0.0, 0.3]], atol=1e-15)


def test_it_serves_the_information_formulas_and_the_engine(monkeypatch):
    request = Request(CoupledContingency)
    inputs = prepare({"truth": SOFT, "found": SOFT[:, [2, 0, 1]]})
    table = collect([request], inputs)[request]
    assert isinstance(table, Contingency)
    assert table.kinds == (FUZZY, FUZZY)
    assert VI.of(table) < 1e-12
    assert VI(SOFT, SOFT) > 0.5
    assert pt.indices.nmi_sum.of(table) == pytest.approx(1.0, abs=1e-12)
    assert CoupledContingency.pair_operations(*inputs.partitions.values()) == 0


def test_blocks_threads_and_sparse_memberships(monkeypatch):
    rng = np.random.default_rng(5)
    U, V = rng.dirichlet(np.ones(4), 500), rng.dirichlet(np.ones(3), 500)
    sides = [pt.FuzzyPartition(U), pt.FuzzyPartition(V)]
    seen = []
    whole = CoupledContingency.from_whole(*sides, on_block=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 1)]
    monkeypatch.setattr(coupling, "BLOCK_ROWS", 7)
    tables = []
    for threads in ("1", "3"):
        monkeypatch.setenv("PARTITA_NUM_THREADS", threads)
        tables.append(CoupledContingency.from_whole(*sides).raw)
    np.testing.assert_array_equal(*tables)
    np.testing.assert_allclose(tables[0], whole.raw, rtol=1e-12)
    thin = [pt.FuzzyPartition(sparse.csr_array(p.memberships())) for p in sides]
    np.testing.assert_allclose(CoupledContingency.from_whole(*thin).raw, whole.raw, rtol=1e-12)


@given(sides=pairs([FUZZY], max_n=6))
def test_the_distance_is_never_above_the_entropy_of_both(sides):
    table = CoupledContingency.from_whole(*sides)
    assert VI.of(table) <= float(table.row_entropy + table.column_entropy) + 1e-12


def test_kinds_without_a_law_of_labels_are_refused():
    typical = pt.PossibilisticPartition([[1.0, 0.5], [0.2, 1.0]])
    rough = pt.RoughPartition([[True, True], [True, False]])
    for other in (typical, rough):
        with pytest.raises(KindError, match="do not sum to one"):
            CoupledContingency.from_whole(pt.as_partition([0, 1]), other)


def test_too_many_clusters_are_refused(monkeypatch):
    monkeypatch.setattr(coupling, "_MOST_CELLS", 8)
    soft = pt.FuzzyPartition(SOFT)
    with pytest.raises(TooLargeError, match="matched"):
        CoupledContingency.from_whole(soft, soft)


def test_equally_good_matchings_depend_on_the_order_of_clusters():
    """A tie in U'V: the second true cluster shares the same with two found ones, but the tables differ."""
    U = np.array([[1.0, 0.0], [4 / 7, 3 / 7], [1.0, 0.0]])
    V = np.array([[2 / 6, 3 / 6, 1 / 6], [1 / 3, 1 / 3, 1 / 3], [0.0, 1.0, 0.0]])
    distances = {
        round(VI.of(CoupledContingency.from_whole(pt.FuzzyPartition(U), pt.FuzzyPartition(V[:, order]))), 6)
        for order in ([0, 1, 2], [2, 0, 1])
    }
    assert distances == {0.994077, 0.918153}
