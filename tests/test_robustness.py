"""What a hostile reviewer broke, mended and kept from breaking again."""

from __future__ import annotations

import copy
import math
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

import partita as pt
from partita import arrays
from partita.errors import (
    KindError,
    MismatchError,
    ParameterError,
    PartitaError,
    PartitionError,
    TooLargeError,
)
from partita.indices import catalogue, find
from partita.partitions import FUZZY, HARD
from partita.registry import index, remove
from partita.statistics import Contingency, MembershipMoments

TRUTH, FOUND = [0, 0, 1, 1], [0, 1, 1, 1]


def test_an_array_that_changes_later_is_noticed_and_never_written_past():
    labels = np.random.default_rng(0).integers(0, 5, arrays.COMPILED_FROM * 2)
    other = labels.copy()
    partition = pt.as_partition(labels)
    labels[:1000] = 10**9
    with pytest.raises(PartitionError, match="changed"):
        pt.indices.adjusted_rand(partition, other)
    few = np.array([0, 0, 1, 1])
    kept = pt.as_partition(few)
    few[:] = 7
    assert kept.labels.tolist() == [0, 0, 1, 1]
    memberships = np.array([[0.5, 0.5], [0.1, 0.9]])
    soft = pt.as_partition(memberships)
    memberships[:] = np.nan
    assert np.isfinite(soft.memberships()).all()


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint8, np.float16, np.float32, np.uint64])
def test_narrow_weights_do_not_wrap(dtype):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3, 1000), rng.integers(0, 4, 1000)
    expected = pt.indices.adjusted_rand(a, b, sample_weight=np.full(1000, 100))
    assert pt.indices.adjusted_rand(a, b, sample_weight=np.full(1000, 100, dtype)) == expected


@pytest.mark.parametrize("weight", [2 * 10**9, 5 * 10**9, 2**52, 2**62])
def test_huge_weights_do_not_overflow(weight):
    """The limit for ever larger equal weights is the index on probabilities: RI 5/8, ARI 1/4 here."""
    weights = [weight] * 4
    assert pt.indices.rand(TRUTH, FOUND, sample_weight=weights) == pytest.approx(0.625, abs=1e-6)
    assert pt.indices.adjusted_rand(TRUTH, FOUND, sample_weight=weights) == pytest.approx(0.25, abs=1e-6)
    assert pt.indices.nmi_sum(TRUTH, FOUND, sample_weight=weights) == pytest.approx(
        pt.indices.nmi_sum(TRUTH, FOUND)
    )


def test_huge_tables_do_not_overflow():
    big = Contingency.from_counts(np.array([[5, 1], [1, 5]]) * 10**9)
    assert pt.indices.adjusted_rand.of(big) == pytest.approx(4 / 9, abs=1e-6)
    narrow = Contingency.from_counts(np.array([[60000, 1], [1, 60000]], dtype=np.int32))
    assert pt.indices.rand.of(narrow) == pytest.approx(1, abs=1e-4)
    assert Contingency.zero().expected_mutual_information == 0
    table = sparse.csr_matrix(np.array([[3, 0], [1, 2]]))
    assert pt.indices.rand.of(Contingency.from_counts(table)) == pt.indices.rand.of(
        Contingency.from_counts([[3, 0], [1, 2]])
    )


def test_an_ensemble_of_sorted_labels_longer_than_a_block():
    labels = np.repeat(np.arange(5), 20_000)
    stack = Contingency.from_ensemble(pt.Ensemble([labels, labels[::-1], labels % 2]))
    np.testing.assert_array_equal(stack.counts[0, 0], np.eye(5) * 20_000)
    np.testing.assert_array_equal(stack.counts[0, 1], np.eye(5)[::-1] * 20_000)


def test_a_soft_cluster_that_holds_nothing_but_rounding_counts_as_empty():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, 3))
    logits = np.stack([z[:, 0], z[:, 0] - 60 - z[:, 1] ** 2], 1)
    soft = np.exp(logits - logits.max(1, keepdims=True))
    soft /= soft.sum(1, keepdims=True)
    result = pt.compare(np.arange(200) % 3, soft)
    assert result["NMI"].value == pytest.approx(0, abs=1e-12)
    assert "single cluster" in result["nmi_min"].caveat
    for share in (1e-3, 1e-6, 1e-9, 1e-11, 1e-14):
        thin = np.column_stack([1 - share * rng.random(50), np.zeros(50)])
        thin[:, 1] = 1 - thin[:, 0]
        rows = pt.compare(rng.integers(0, 2, 50), thin)
        assert not any(row.best == 1 and row.value > 1 for row in rows)


def test_small_mutual_information_keeps_its_digits():
    """By hand: cells m (1 +- e) around independence give I = e^2/2 + O(e^4)."""
    for e in (1e-3, 1e-5, 1e-7):
        table = Contingency.from_counts(np.array([[1 + e, 1 - e], [1 - e, 1 + e]]) * 0.25 * 1000)
        assert pt.indices.mutual_information.of(table) == pytest.approx(e * e / 2, rel=1e-5)


def test_fractional_weights_on_hard_labels():
    rng = np.random.default_rng(2)
    for _ in range(40):
        n = rng.integers(1, 8)
        result = pt.compare(rng.integers(0, 3, n), rng.integers(0, 3, n), sample_weight=rng.random(n) + 0.01)
        assert "whole-number weights" in result["AMI"].caveat
    assert pt.compare(TRUTH, FOUND, sample_weight=[0.25] * 4)["NMI"].value == pytest.approx(
        pt.indices.nmi_sum(TRUTH, FOUND)
    )


def test_noise_as_singletons_keeps_the_weight_law():
    weighted = pt.indices.adjusted_rand(
        [0, 0, 1, 1], [0, 0, 1, -1], sample_weight=[1, 1, 1, 3], noise="singletons"
    )
    repeated = pt.indices.adjusted_rand([0, 0, 1, 1, 1, 1], [0, 0, 1, -1, -1, -1], noise="singletons")
    assert weighted == pytest.approx(repeated)
    with pytest.raises(ParameterError, match="fraction"):
        pt.compare([0, 1], [0, -1], sample_weight=[0.5, 0.7], noise="singletons")
    assert pt.compare([0, 1], [0, -1], sample_weight=[3, 1]).provenance["coverage"] == 0.75


def test_blas_threads_are_given_back():
    def blas_threads():
        return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}

    rng = np.random.default_rng(3)
    U = rng.dirichlet([1, 1, 1], 5000)
    with threadpool_limits(limits=2, user_api="blas"):
        assert blas_threads() == {2}  # else nothing would be shown
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda i: pt.indices.variation_of_information(U[i:], U[i:]), range(40)))
        assert blas_threads() == {2}


def test_inside_a_worker_thread_one_thread_is_used():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(arrays.thread_count).result() == 1


def test_many_hard_clusters_against_soft_ones_fit():
    rng = np.random.default_rng(4)
    n = 60_000
    V = rng.dirichlet([1, 1, 1], n)
    value = pt.indices.nmi_min(rng.permutation(n), V)
    assert 0 < value < 1


def test_rows_are_found_by_what_was_asked():
    result = pt.compare(TRUTH, FOUND, indices=["rand:pairs=ordered", "rand", "RI"])
    assert [row.index for row in result] == ["rand:pairs=ordered", "rand"]
    assert result["RI"].value == pt.indices.rand(TRUTH, FOUND)
    assert "ARI" not in result
    assert "ri" in result
    base = pt.compare(TRUTH, FOUND, indices=[pt.indices.variation_of_information.using(base=2.0)])
    assert base["VI:base=2"].value == pt.indices.variation_of_information(TRUTH, FOUND, base=2)
    with pytest.raises(KeyError):
        result[""]


def test_large_unsigned_labels_stay_apart():
    labels = pt.as_partition(np.array([2**64 - 1, 2**64 - 2, 0], np.uint64)).labels
    assert labels.tolist() == [2**64 - 1, 2**64 - 2, 0]


def test_indices_and_results_survive_pickling_and_copying():
    ordered = pt.indices.rand.using(pairs="ordered")
    for made in (pickle.loads(pickle.dumps(ordered)), copy.deepcopy(ordered)):
        assert made(TRUTH, FOUND) == ordered(TRUTH, FOUND)
    result = pt.compare(TRUTH, FOUND)
    assert str(pickle.loads(pickle.dumps(result))) == str(result)
    soft = pt.as_partition([[0.5, 0.5], [0.1, 0.9]])
    assert pickle.loads(pickle.dumps(soft)).equivalent(soft)


@pytest.mark.parametrize(
    "wrong", [(), ([[1, 2], [3, 4]],), (pt.HardPartition([0, 1]),), (Contingency.zero(),) * 2]
)
def test_the_wrong_statistics_are_refused(wrong):
    with pytest.raises(ParameterError, match="not a function of these"):
        pt.indices.rand.of(*wrong)


@pytest.mark.parametrize(
    ("truth", "found"),
    [
        (pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]), pd.Index(["a", "b"])),
        (
            pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]),
            pd.MultiIndex.from_tuples([("a", 1, 0), ("b", 2, 0)]),
        ),
        (pd.IntervalIndex.from_tuples([(0, 2), (1, 3)]), pd.Index([1, 2])),
    ],
)
def test_indices_that_do_not_compare_are_a_mismatch(truth, found):
    with pytest.raises(MismatchError):
        pt.compare(pd.Series([0, 1], index=truth), pd.Series([0, 1], index=found))


def test_weights_as_pandas_objects():
    expected = pt.indices.rand(TRUTH, FOUND, sample_weight=[1, 2, 3, 4])
    for weights in (
        pd.Index([1, 2, 3, 4]),
        pd.array([1, 2, 3, 4]),
        pd.Series([1, 2, 3, 4], index=list("wxyz")),
    ):
        assert pt.indices.rand(TRUTH, FOUND, sample_weight=weights) == expected
    truth = pd.Series(TRUTH, index=list("abcd"))
    found = pd.Series(FOUND[:3], index=list("abc"))
    kept_only = pd.Series([1, 2, 3], index=list("abc"))
    assert pt.compare(truth, found, sample_weight=kept_only)["RI"].value == pt.indices.rand(
        TRUTH[:3], FOUND[:3], sample_weight=[1, 2, 3]
    )
    with pytest.raises(MismatchError, match="twice"):
        pt.compare(truth, found, sample_weight=pd.Series([1, 2, 3, 4], index=list("aabc")))
    with pytest.raises(ParameterError, match="masked"):
        pt.compare(TRUTH, FOUND, sample_weight=np.ma.array([1, 2, 3, 4], mask=[0, 0, 0, 1]))


@pytest.mark.parametrize(
    "options", [{"indices": 5}, {"indices": max}, {"noise": np.zeros(2)}, {"on_undefined": np.zeros(2)}]
)
def test_odd_arguments_are_refused(options):
    with pytest.raises(PartitaError):
        pt.compare(TRUTH, FOUND, **options)


def test_a_one_hot_matrix_that_does_not_fit_is_refused():
    with pytest.raises(TooLargeError):
        pt.as_partition(np.arange(200_000)).to("fuzzy")


def test_any_sparse_format_is_a_matrix():
    matrix = sparse.dok_array(np.array([[0.5, 0.5], [1.0, 0.0]]))
    assert pt.as_partition(matrix).kind is FUZZY


@pytest.fixture
def scratch():
    before = set(catalogue())
    yield
    for entry in set(catalogue()) - before:
        remove(entry)


FACTS = {"title": "t", "best": None, "range": {HARD: (0.0, 5.0), FUZZY: (0.0, None)}}


@pytest.mark.usefixtures("scratch")
def test_an_index_of_two_statistics_has_the_range_of_all_its_inputs():
    @index(**FACTS)
    def both_sizes(moments: MembershipMoments, table: Contingency):
        return table.n + moments.total

    assert both_sizes([[0.5, 0.5]] * 4, [0, 0, 1, 1]) == 8
    with pytest.raises(PartitaError, match="left its range"):
        both_sizes([0, 0, 1, 1], [0, 0, 1, 1])
    hard_only = dict(FACTS, range={HARD: (0.0, None)})

    @index(**hard_only)
    def hard_sizes(moments: MembershipMoments, table: Contingency):
        return table.n + moments.total

    with pytest.raises(KindError):
        hard_sizes.of(MembershipMoments.zero(), Contingency.from_counts([[0.5, 0.5]]))


@pytest.mark.usefixtures("scratch")
def test_options_are_held_to_their_types_and_names():
    @index(**FACTS)
    def typed(table: Contingency, *, flag: bool = False, m: int = 2):
        return table.n * m + flag

    assert typed([0, 1], [0, 1], flag=True, m=2) == 5
    for bad in ({"flag": "banana"}, {"m": "abc"}, {"m": 1.5}, {"m": True}):
        with pytest.raises(ParameterError):
            typed([0, 1], [0, 1], **bad)

    def reserved(table: Contingency, *, noise: str = "x"):
        return table.n

    with pytest.raises(ParameterError, match="noise"):
        index(**FACTS)(reserved)

    @index(**FACTS)
    def misshapen(table: Contingency):
        return np.zeros((2, 3))

    with pytest.raises(PartitaError, match="shape"):
        misshapen([0, 1], [0, 1])


@pytest.mark.usefixtures("scratch")
def test_a_failed_redefinition_leaves_the_old_index():
    def mine(table: Contingency):
        return table.n

    old = index(**FACTS)(mine)
    with pytest.raises(ParameterError, match="already means"):
        index(**FACTS, symbol="ARI")(mine)
    assert find("mine") is old


def test_self_agreement_takes_a_generator_and_is_no_bound():
    assert pt.self_agreement((x for x in [0, 0, 1]), "ARI") == 1.0
    soft = pt.as_partition([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.1, 0.9]])
    assert pt.indices.nmi_sum(soft, soft.harden()) > pt.self_agreement(soft, "NMI")
    assert not math.isnan(pt.self_agreement(soft, "VI"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_makes_its_own_threads():
    labels = np.random.default_rng(5).integers(0, 5, 3 * arrays.HARD_BLOCK_ROWS)
    expected = pt.indices.rand(labels, labels[::-1].copy())
    child = os.fork()
    if child == 0:
        same = pt.indices.rand(labels, labels[::-1].copy()) == expected
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
