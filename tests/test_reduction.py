"""Statistics merge: zero, any cut, any order, weights, threads, sparse or dense; and so do the indices."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import partita as pt
from partita import arrays, inputs
from partita.engine import Request, collect
from partita.errors import KindError, ParameterError, TooLargeError
from partita.indices import catalogue
from partita.inputs import prepare
from partita.partitions import FUZZY, HARD, POSSIBILISTIC, Ensemble
from partita.statistics import Contingency, MembershipMoments
from partita.statistics.tables import contingency as tables
from partita.statistics.tables import counting
from strategies import integer_weights, pairs, partitions

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")
IN_TABLES = (HARD, FUZZY, POSSIBILISTIC)


def cells_by_name(table):
    dense = table.raw.toarray() if table.is_sparse else table.raw
    return {
        (r, c): dense[i, j].item()
        for i, r in enumerate(table.row_names)
        for j, c in enumerate(table.column_names)
        if dense[i, j]
    }


def same_table(a, b, exact):
    assert a.total == b.total
    assert a.kinds == b.kinds
    first, second = cells_by_name(a), cells_by_name(b)
    assert first == (second if exact else pytest.approx(second, rel=1e-12))


def same_moments(a, b):
    first = {n: s for n, s in zip(a.names, a.sizes, strict=True) if s}
    second = {n: s for n, s in zip(b.names, b.sizes, strict=True) if s}
    assert first == pytest.approx(second, rel=1e-12)
    assert a.total == b.total
    for name in ("squares", "entropies", "nonspecificities"):
        assert getattr(a, name) == pytest.approx(getattr(b, name), rel=1e-12, abs=1e-15)


@given(data=st.data(), sides=pairs(IN_TABLES, min_n=3))
def test_tables_merge_over_any_cut_in_any_order(data, sides):
    truth, found = sides
    n = truth.n_objects
    cut = sorted({0, n, *data.draw(st.lists(st.integers(1, n - 1), max_size=3))})
    weight = data.draw(st.none() | integer_weights(n))

    def part(rows):
        # labels taken out as lists, so that a block knows only the clusters it saw
        block = [
            pt.HardPartition(p.labels[rows].tolist()) if p.kind is HARD else p.take(rows)
            for p in (truth, found)
        ]
        return Contingency.from_block(*block, None if weight is None else weight[rows])

    blocks = [part(slice(a, b)) for a, b in pairwise(cut)]
    whole = Contingency.from_block(truth, found, weight)
    exact = truth.kind is found.kind is HARD
    for order in (blocks, blocks[::-1]):
        merged = Contingency.zero()
        for block in order:
            merged = merged + block
        same_table(merged, whole, exact)
    if len(blocks) > 2:
        same_table((blocks[0] + blocks[1]) + blocks[2], blocks[0] + (blocks[1] + blocks[2]), exact)


@given(data=st.data(), found=partitions())
def test_moments_merge_over_any_cut_in_any_order(data, found):
    n = found.n_objects
    cut = sorted({0, n, *data.draw(st.lists(st.integers(0, n), max_size=3))})
    weight = data.draw(st.none() | integer_weights(n))
    blocks = [
        MembershipMoments.from_block(found.take(slice(a, b)), None if weight is None else weight[a:b])
        for a, b in pairwise(cut)
    ]
    whole = MembershipMoments.from_block(found, weight)
    for order in (blocks, blocks[::-1]):
        merged = MembershipMoments.zero()
        for block in order:
            merged = merged + block
        same_moments(merged, whole)


@given(found=partitions())
def test_moments_by_the_definition(found):
    moments = MembershipMoments.from_block(found)
    if hasattr(found, "masses"):
        shares, sizes = found.masses, found.masses @ found.focal_sets
        set_sizes = found.focal_sets.sum(axis=1)
        nonspecificity = sum(
            m * np.log(s) for row in shares for m, s in zip(row, set_sizes, strict=True) if s
        )
    elif hasattr(found, "possible"):
        shares = sizes = found.possible.astype(float)
        nonspecificity = sum(np.log(row.sum()) for row in found.possible)
    else:
        shares = sizes = np.asarray(found.memberships())
        nonspecificity = None if found.kind is POSSIBILISTIC else 0.0
    np.testing.assert_allclose(
        np.sort(moments.sizes[moments.sizes > 0]), np.sort([s for s in sizes.sum(0) if s])
    )
    assert moments.squares == pytest.approx((shares**2).sum())
    if nonspecificity is not None:
        assert moments.nonspecificities == pytest.approx(nonspecificity, abs=1e-12)


def test_fractional_weights_use_fractional_tables_and_ami_says_so():
    truth, found, weight = [0, 0, 1, 1], [0, 0, 1, 0], [0.5, 1.5, 2.0, 1.0]
    result = pt.compare(truth, found, sample_weight=weight)
    assert "whole-number weights" in result["AMI"].caveat
    assert np.isnan(result["AMI"].value)
    table = Contingency.from_block(*map(pt.as_partition, (truth, found)), np.array(weight))
    np.testing.assert_array_equal(table.counts, [[2.0, 0.0], [1.0, 2.0]])
    assert result["VI"].value == pytest.approx(
        pt.indices.variation_of_information.of(Contingency.from_counts([[2, 0], [1, 2]]))
    )


@pytest.mark.parametrize("sides", ["hard", "soft", "mixed"])
def test_blocks_and_threads_change_nothing_that_counts(monkeypatch, sides):
    rng = np.random.default_rng(3)
    n = 1000
    U, V = rng.dirichlet(np.ones(4), n), rng.dirichlet(np.ones(3), n)
    truth = rng.integers(0, 4, n) if sides != "soft" else U
    found = rng.integers(0, 3, n) if sides == "hard" else V
    inputs = prepare({"truth": truth, "found": found})
    request = Request(Contingency)
    whole = collect([request], inputs)[request].raw
    monkeypatch.setattr(tables, "BLOCK_ROWS", 7)
    monkeypatch.setattr(Contingency, "block_rows", staticmethod(lambda *_: 7))
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("PARTITA_NUM_THREADS", threads)
        results.append(collect([request], inputs)[request].raw)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)
    if sides == "hard":
        np.testing.assert_array_equal(results[0], whole)
    else:
        np.testing.assert_allclose(results[0], whole, rtol=1e-12)


def test_compiled_and_plain_counting_agree(monkeypatch):
    rng = np.random.default_rng(4)
    n = arrays.COMPILED_FROM + 3
    for dtype in (np.int64, np.int32, np.int8, np.uint16):
        a, b = (
            rng.integers(-3 if dtype != np.uint16 else 0, 9, n).astype(dtype),
            rng.integers(5, 12, n).astype(dtype),
        )
        truth, found = pt.as_partition(a), pt.as_partition(b)
        assert (truth.low, truth.high) == (int(a.min()), int(a.max()))
        compiled = Contingency.from_block(truth, found).raw
        monkeypatch.setattr(counting, "COMPILED_FROM", n + 1)
        np.testing.assert_array_equal(compiled, Contingency.from_block(truth, found).raw)
        monkeypatch.undo()


def test_many_clusters_make_a_sparse_table_with_the_same_values():
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 400, 2000), rng.integers(0, 300, 2000)
    truth, found = pt.as_partition(a), pt.as_partition(b)
    table = Contingency.from_block(truth, found)
    assert table.is_sparse
    dense = Contingency.from_counts(table.counts)
    assert table.counts.sum() == 2000
    for entry in catalogue():
        if entry.statistics == (Contingency,):
            assert entry.of(table) == pytest.approx(entry.of(dense), rel=1e-12, abs=1e-12)
    halves = Contingency.from_block(
        truth.take(slice(0, 900)), found.take(slice(0, 900))
    ) + Contingency.from_block(truth.take(slice(900, 2000)), found.take(slice(900, 2000)))
    np.testing.assert_array_equal(halves.counts, table.counts)
    np.testing.assert_array_equal(table.transposed().counts, table.counts.T)


def test_widely_spread_labels_do_not_make_a_huge_table():
    labels = [0, 10**15, -(10**15), 10**15]
    assert pt.indices.rand(labels, ["a", "b", "c", "b"]) == 1.0
    assert pt.indices.adjusted_rand(np.array([2**64 - 1, 0, 0], dtype=np.uint64), [1, 2, 2]) == 1.0


@given(data=st.data(), sides=pairs([FUZZY, POSSIBILISTIC]))
def test_sparse_memberships_give_the_dense_table(data, sides):
    truth, found = sides
    weight = data.draw(st.none() | integer_weights(truth.n_objects))
    expected = Contingency.from_block(truth, found, weight).counts
    thin = [type(p)(sparse.csr_array(p.memberships())) for p in sides]
    hard_side = pt.HardPartition(list(range(truth.n_objects)))
    for a, b in ((thin[0], found), (truth, thin[1]), thin):
        np.testing.assert_allclose(Contingency.from_block(a, b, weight).counts, expected, atol=1e-12)
    np.testing.assert_allclose(
        Contingency.from_block(hard_side, thin[1], weight).counts,
        Contingency.from_block(hard_side, found, weight).counts,
        atol=1e-12,
    )


@given(data=st.data())
def test_all_tables_of_an_ensemble_come_from_one_product(data):
    n = data.draw(st.integers(1, 9))
    members = [data.draw(partitions(n, IN_TABLES)) for _ in range(data.draw(st.integers(1, 4)))]
    weight = data.draw(st.none() | integer_weights(n))
    stack = Contingency.from_ensemble(Ensemble(members), sample_weight=weight)
    for i, a in enumerate(members):
        for j, b in enumerate(members):
            one = Contingency.from_block(
                *(pt.HardPartition.from_codes(p.codes, p.names) if p.kind is HARD else p for p in (a, b)),
                weight,
            )
            cells = stack.counts[i, j, : a.n_clusters, : b.n_clusters]
            if one.kinds == (HARD, HARD) and stack.kinds != (HARD, HARD):
                continue  # a mixed stack is scaled as soft, which changes hard tables by rounding only
            np.testing.assert_allclose(cells, one.counts, atol=1e-12)
    if all(m.kind is HARD for m in members):
        assert stack.raw.dtype.kind == "i"
        assert pt.indices.rand.of(stack).shape == (len(members), len(members))


def test_an_ensemble_that_does_not_fit_is_refused_before_work_starts():
    many = [np.arange(200)] * 100
    with pytest.raises(TooLargeError, match="do not fit"):
        Contingency.from_ensemble(Ensemble(many))
    with pytest.raises(KindError):
        Contingency.from_ensemble(Ensemble([pt.RoughPartition([[True, True]])]))


def test_tables_are_checked():
    for bad in ([1, 2], [["a"]], [[-1, 2]], [[np.nan, 1.0]], [[np.inf, 1.0]]):
        with pytest.raises(ParameterError):
            Contingency.from_counts(bad)


@pytest.mark.parametrize(
    "bad", [[1, 2], [[1], [2], [3]], [1, -1, 1], [np.nan, 1, 1], [np.inf, 1, 1], [0, 0, 0], ["a", 1, 1]]
)
def test_bad_weights_are_refused(bad):
    with pytest.raises((ParameterError, pt.errors.MismatchError)) as caught:
        pt.compare([0, 1, 1], [0, 1, 0], sample_weight=bad)
    assert caught.value.need


def test_bad_thread_counts_are_refused(monkeypatch):
    monkeypatch.setenv("PARTITA_NUM_THREADS", "many")
    with pytest.raises(ParameterError, match="PARTITA_NUM_THREADS"):
        arrays.thread_count()
    assert inputs.NOISE_POLICIES == ("cluster", "singletons", "ignore", "raise")
