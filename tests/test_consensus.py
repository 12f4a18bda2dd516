"""consensus_index and consensus: against single calls, by the definition, by brute force."""

from __future__ import annotations

import json
import math
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import partita as pt
from partita.ensembles import _consensus as least_squares
from partita.ensembles import _consensus_index as agreements
from partita.ensembles._consensus import LeastSquares, consensus
from partita.ensembles._consensus_index import ConsensusIndex, consensus_index
from partita.errors import (
    KindError,
    MismatchError,
    ParameterError,
    PartitionError,
    TooLargeError,
    UndefinedIndexError,
    UndefinedIndexWarning,
    UnknownNameError,
)
from partita.indices import catalogue
from partita.partitions import FUZZY, HARD, POSSIBILISTIC
from partita.statistics import CoassociationGaps, ShuffledGaps
from partita.statistics.pairs import coassociation_stacks
from reference import REFERENCE
from reference import consensus as by_definition
from strategies import integer_weights, partitions

EXTERNAL = [e for e in catalogue() if {"truth", "found"} <= set(e.inputs)]
LEI2014 = ["MI", "nmi_joint", "nmi_max", "nmi_sum", "nmi_sqrt", "nmi_min", "VI", "NVI"]
RUNS = [[0, 0, 1, 1, 1, 2], [1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 2], [2, 2, 2, 0, 1, 1]]


def soft_runs(count: int, n: int = 30, k: int = 3, seed: int = 0) -> list[pt.FuzzyPartition]:
    rng = np.random.default_rng(seed)
    return [pt.FuzzyPartition(rng.dirichlet(np.full(k, 0.5), n)) for _ in range(count)]


def quietly(entry, *given, **options) -> float:
    """The value of one index alone, nan without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedIndexWarning)
        return entry(*given, **options)


def ensembles(kinds=(HARD, FUZZY), min_size=2, max_size=5, max_n=8):
    """Partitions of the same objects, of mixed kinds and numbers of clusters."""
    return st.integers(1, max_n).flatmap(
        lambda n: st.lists(partitions(n, kinds), min_size=min_size, max_size=max_size)
    )


# --- the consensus index --------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", EXTERNAL, ids=lambda e: e.name)
def test_every_external_index_is_the_mean_of_single_calls(entry):
    X = np.random.default_rng(1).normal(size=(6, 2))
    data = [X] if "X" in entry.inputs else []
    members = [pt.as_partition(labels) for labels in RUNS]
    if FUZZY in entry.kinds:
        members[1:1] = soft_runs(2, n=6)
    result = consensus_index(members, entry, X=X)
    assert result.value == pytest.approx(
        by_definition.consensus_index(lambda a, b: quietly(entry, *data, a, b), members),
        rel=1e-12,
        nan_ok=True,
    )
    for i, j in combinations(range(len(members)), 2):
        for a, b in ((i, j), (j, i)):
            single = quietly(entry, *data, members[a], members[b])
            assert result.matrix()[a, b] == pytest.approx(single, rel=1e-12, abs=1e-14, nan_ok=True)
    assert np.isnan(np.diag(result.matrix())).all()


@given(ensembles((HARD, FUZZY, POSSIBILISTIC)))
def test_lei2014s_indices_by_their_definition(members):
    matrices = [np.asarray(m.memberships(), dtype=float) for m in members]
    result = consensus_index(members, LEI2014)
    for row in result:
        expected = by_definition.consensus_index(REFERENCE[row.index], matrices)
        assert row.value == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


@settings(max_examples=25)
@given(st.data(), ensembles((HARD, FUZZY, POSSIBILISTIC)))
def test_tables_of_mixed_kinds_give_what_single_calls_give(data, members):
    weight = data.draw(st.none() | integer_weights(members[0].n_objects))
    noise = data.draw(st.sampled_from(["cluster", "singletons"]))
    if any(m.kind is not HARD for m in members):
        noise = "cluster"
    names = ["VI", "ARI", "nmi_max", "purity", "homogeneity", "PSI", "v_measure:beta=2"]
    result = consensus_index(members, names, sample_weight=weight, noise=noise)
    for name in names:
        values = [
            quietly(pt.indices.find(name), a, b, sample_weight=weight, noise=noise)
            for a, b in [pair for two in combinations(members, 2) for pair in (two, two[::-1])]
        ]
        expected = [(there + back) / 2 for there, back in zip(values[::2], values[1::2], strict=True)]
        np.testing.assert_allclose(result.values(name), expected, rtol=1e-9, atol=1e-9)


@given(st.data(), ensembles())
def test_neither_the_order_of_partitions_nor_that_of_clusters_matters(data, members):
    names = ["VI", "ARI", "purity", "frobenius_rand"]
    value = [row.value for row in consensus_index(members, names)]
    shuffled = data.draw(st.permutations(members))
    turned = [pt.FuzzyPartition(np.asarray(m.memberships())[:, ::-1]) for m in shuffled]
    for other in (shuffled, turned):
        np.testing.assert_allclose(
            [row.value for row in consensus_index(other, names)], value, rtol=1e-9, atol=1e-9
        )


def test_small_products_give_the_same_as_one_large_one(monkeypatch):
    members = soft_runs(7) + [pt.as_partition(np.arange(30) % k) for k in (2, 3, 3, 5)]
    whole = consensus_index(members, LEI2014)
    monkeypatch.setattr(agreements, "PRODUCT_SIDE", 8)
    parts = consensus_index(members, LEI2014)
    for name in LEI2014:
        np.testing.assert_allclose(parts.matrix(name), whole.matrix(name), rtol=1e-12)


@pytest.mark.parametrize("limit", ["MOST_CELLS_COUNTED", "MOST_HARD_OPERATIONS"])
def test_pairs_whose_tables_are_too_large_are_compared_one_by_one(monkeypatch, limit):
    members = [pt.as_partition(labels) for labels in RUNS]
    stacked = consensus_index(members, ["ARI", "purity", "frobenius_rand"])
    monkeypatch.setattr(agreements, limit, 0)
    monkeypatch.setattr(agreements, "_tables", None)
    alone = consensus_index(members, ["ARI", "purity", "frobenius_rand"])
    for row in stacked:
        np.testing.assert_allclose(alone.matrix(row.index), stacked.matrix(row.index), rtol=1e-14)


def test_hard_pairs_are_read_from_stacks_of_tables_by_every_index(monkeypatch):
    """Whatever the tables of hard clusterings determine needs no look at single pairs."""
    looked_at = []
    monkeypatch.setattr(
        agreements, "_put_pair", lambda entries, *_: looked_at.extend(a.entry for a in entries)
    )
    needed = [e for e in EXTERNAL if "X" not in e.inputs and HARD in e.kinds]
    consensus_index([[0, 0, 1, 2], [0, 1, 1, 2], [2, 2, 0, 0]], needed)
    assert looked_at == []


def test_a_hard_pair_in_a_mixed_ensemble_keeps_its_own_limits():
    singletons = [0, 1, 2, 3]
    members = [pt.as_partition(singletons), pt.as_partition(singletons), *soft_runs(1, n=4)]
    assert consensus_index(members, "ARI").matrix()[0, 1] == 1.0


def test_identical_partitions_are_at_their_best_only_if_hard():
    hard, soft = pt.as_partition(RUNS[0]), soft_runs(1)[0]
    assert consensus_index([hard] * 3, "VI").value == pytest.approx(0.0, abs=1e-15)
    assert consensus_index([hard] * 3, "ARI").value == 1.0
    result = consensus_index([soft] * 3, "VI")
    assert result.value == pytest.approx(pt.self_agreement(soft, "VI"))
    assert result.value > 0.1
    assert "identical fuzzy partitions do not score best" in result["VI"].caveat


def test_several_indices_and_their_rows():
    result = consensus_index(RUNS, ["VI", "ARI", "VI", "purity"])
    assert [row.index for row in result] == ["variation_of_information", "adjusted_rand", "purity"]
    assert result["VI"].value == consensus_index(RUNS, "VI").value == consensus_index(RUNS).value
    assert "mean of both directions" in result["purity"].caveat
    assert result["ARI"].caveat == ""
    assert len(result.values("ARI")) == 6
    assert result.values("ARI").mean() == pytest.approx(result["ARI"].value)
    assert list(result.to_frame()["index"]) == [row.index for row in result]
    with pytest.raises(ParameterError, match="several indices"):
        _ = result.value
    with pytest.raises(UnknownNameError):
        result.values("rand")


def test_it_prints_and_survives_json():
    result = consensus_index([*RUNS, soft_runs(1, n=6)[0].harden()], ["ARI", "pair_recall"])
    text = str(result)
    assert "5 hard partitions of 6 objects (k=2..3): mean over 10 pairs" in text
    assert "1 of 5 partitions: hardened: largest probability" in text
    again = ConsensusIndex.from_dict(json.loads(result.write("json")))
    assert again == result
    np.testing.assert_array_equal(again.matrix("ARI"), result.matrix("ARI"))
    assert result.provenance["partitions"] == 5
    assert 'text-align: left">adjusted_rand</td>' in result._repr_html_()


def test_a_pair_without_a_value_leaves_the_mean_without_one():
    members = [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
    result = consensus_index(members, ["pair_recall", "ARI"])
    assert math.isnan(result["pair_recall"].value)
    assert "truth has no pair together (2 times)" in result["pair_recall"].caveat
    assert np.isfinite(result.values("pair_recall")[2])
    assert np.isfinite(result["ARI"].value)
    with pytest.raises(UndefinedIndexError, match="truth has no pair together"):
        consensus_index(members, "pair_recall", on_undefined="raise")


def test_noise_is_settled_for_the_whole_ensemble():
    members = [[0, 0, 1, 1, -1], [0, 0, 1, 1, 1], [-1, 0, 1, 1, 0]]
    result = consensus_index(members, "ARI", noise="ignore")
    kept = [[m[i] for i in (1, 2, 3)] for m in members]
    assert result.value == pytest.approx(consensus_index(kept, "ARI").value)
    assert 'noise in 2 of 3 partitions; coverage 60.0%; policy "ignore"' in result.notes
    nothing = consensus_index([[-1, 0], [0, -1]], ["ARI", "frobenius_rand"], noise="ignore")
    assert all(math.isnan(row.value) and "every object is noise" in row.caveat for row in nothing)


def test_objects_are_aligned_by_index():
    first = pd.Series([0, 0, 1, 1, 2], index=list("abcde"))
    members = [first, first.sample(frac=1, random_state=0), first.iloc[::-1]]
    assert consensus_index(members, "ARI").value == 1.0
    assert consensus(members, kind="hard").equivalent(first)
    with pytest.raises(MismatchError):
        consensus_index([first, first.rename({"a": "z"})], "ARI")


def test_what_is_refused():
    rough = pt.RoughPartition([[True, False], [True, True], [False, True]])
    with pytest.raises(ParameterError, match="nothing to agree with"):
        consensus_index([RUNS[0]])
    with pytest.raises(PartitionError):
        consensus_index([])
    with pytest.raises(KindError, match="variation_of_information is not defined"):
        consensus_index([rough, [0, 0, 1]], "VI")
    with pytest.raises(KindError, match="adjusted_mutual_information"):
        consensus_index([*RUNS, *soft_runs(1, n=6)], "AMI")
    with pytest.raises(ParameterError, match="does not compare two"):
        consensus_index(RUNS, "entropy")
    with pytest.raises(ParameterError, match="needs the data too"):
        consensus_index(RUNS, "CI")
    with pytest.raises(UnknownNameError, match="adjusted_rand"):
        consensus_index(RUNS, "adjusted_rnd")
    for nothing in ([], None):
        with pytest.raises(ParameterError, match="nothing to compare by"):
            consensus_index(RUNS, nothing)
    with pytest.raises(ParameterError, match="on_undefined"):
        consensus_index(RUNS, on_undefined="warn")
    with pytest.raises(ParameterError, match="noise"):
        consensus_index(RUNS, noise="drop")


def test_rough_and_evidential_partitions_by_the_index_that_is_theirs():
    rough = pt.RoughPartition([[True, False], [True, True], [False, True]])
    members = [rough, rough.to("evidential"), pt.as_partition([0, 0, 1])]
    entry = pt.indices.credal_rand
    expected = np.mean([entry(a, b) for a, b in combinations(members, 2)])
    assert consensus_index(members, "credal_rand").value == pytest.approx(expected)


# --- the consensus partition ----------------------------------------------------------------------------


def problem(members, k, *, is_hard=False) -> tuple[LeastSquares, list[np.ndarray]]:
    return LeastSquares.of(members, k, is_hard=is_hard), [
        np.asarray(m.memberships(), dtype=float) for m in members
    ]


@given(st.data(), ensembles(max_n=6))
def test_the_distance_is_that_of_the_definition_and_never_rises(data, members):
    k = data.draw(st.integers(1, max(m.n_clusters for m in members)))
    solver, matrices = problem(members, k, is_hard=data.draw(st.booleans()))
    centre = solver.start(data.draw(st.integers(0, len(members) - 1)))
    before = math.inf
    for _ in range(6):
        np.testing.assert_allclose(centre.sum(axis=1), 1.0, rtol=1e-12)
        assert centre.min() >= 0.0
        places, distance = solver.relabelled(centre)
        assert distance == pytest.approx(by_definition.distance(centre, matrices), abs=1e-9)
        assert distance <= before + 1e-9
        before, centre = distance, solver.average(places)


@given(st.data(), ensembles(max_n=6).filter(lambda members: max(m.n_clusters for m in members) > 1))
def test_no_memberships_are_nearer_than_the_average_for_the_same_relabelling(data, members):
    width = max(m.n_clusters for m in members)
    k = data.draw(st.integers(2, width))
    solver, matrices = problem(members, k)
    places, _ = solver.relabelled(solver.start(0))
    centre = solver.average(places)

    def distance(M):
        """Clusters without a place lie beside those of M."""
        total = 0.0
        for U, order in zip(matrices, places.reshape(-1, width, k), strict=True):
            wide = by_definition.filled_up(U, width)
            has_place = (order == 1.0).any(axis=1)
            total += ((wide[:, has_place] @ order[has_place] - M) ** 2).sum() + (
                wide[:, ~has_place] ** 2
            ).sum()
        return total

    least = distance(centre)
    row = data.draw(st.integers(0, len(centre) - 1))
    corner = np.eye(k)[data.draw(st.integers(0, k - 1))]
    for step in (0.01, 0.3, 1.0):
        moved = centre.copy()
        moved[row] += step * (corner - moved[row])
        assert distance(moved) >= least - 1e-9


@given(ensembles(min_size=1, max_n=6), st.sampled_from(["soft", "hard"]))
def test_it_is_no_further_than_any_of_the_partitions(members, kind):
    k = max(int(np.count_nonzero(m.sizes)) for m in members)
    found = consensus(members, k, kind=kind)
    _, matrices = problem(members, k)
    distance = by_definition.distance(np.asarray(found.memberships()), matrices)
    for member, matrix in zip(members, matrices, strict=True):
        if member.kind is HARD or kind == "soft":
            assert distance <= by_definition.distance(matrix, matrices) + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_brute_force_finds_no_better_hard_partition_than_is_claimed(seed):
    rng = np.random.default_rng(seed)
    members = [pt.as_partition(np.append([0, 1, 2], rng.integers(0, 3, 3))) for _ in range(4)]
    _, matrices = problem(members, 3)
    found = by_definition.distance(consensus(members, 3, kind="hard").memberships(), matrices)
    least = by_definition.best_hard(matrices, 3)
    assert least - 1e-9 <= found <= min(by_definition.distance(U, matrices) for U in matrices) + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_brute_force_finds_no_better_soft_partition_than_is_claimed(seed):
    members = soft_runs(4, n=6, seed=seed)
    _, matrices = problem(members, 3)
    found = by_definition.distance(consensus(members, 3).memberships(), matrices)
    least = by_definition.best_soft(matrices)
    assert least - 1e-9 <= found <= min(by_definition.distance(U, matrices) for U in matrices) + 1e-9


def planted(count: int, wrong: int, n: int = 120, k: int = 4) -> tuple[np.ndarray, list[np.ndarray]]:
    """A hard partition, and renamed copies of it; each object is elsewhere in so many of them."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % k
    copies = np.tile(truth, (count, 1))
    for i in range(n):
        moved = rng.choice(count, wrong, replace=False)
        copies[moved, i] = (truth[i] + rng.integers(1, k, wrong)) % k
    return truth, [rng.permutation(k)[codes] for codes in copies]


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_a_planted_partition_is_recovered_from_noisy_renamed_copies(kind):
    truth, copies = planted(9, wrong=3)
    found = consensus(copies, kind=kind)
    assert found.harden().equivalent(truth)
    if kind == "soft":
        np.testing.assert_allclose(found.memberships().max(axis=1), 2 / 3)
    assert found.n_clusters == 4


@given(st.data())
def test_where_the_consensus_is_unique_orders_and_names_do_not_matter(data):
    truth, copies = planted(5, wrong=1)
    copies = data.draw(st.permutations(copies))
    renamed = [np.array(data.draw(st.permutations("wxyz")))[codes] for codes in copies]
    assert consensus(renamed, kind="hard").equivalent(truth)
    assert consensus(renamed).equivalent(consensus(copies))


def test_it_is_the_same_every_time_and_clusters_come_by_size():
    members = soft_runs(20, n=50, k=4)
    first, again = consensus(members), consensus(members)
    assert (first.memberships() == again.memberships()).all()
    assert (np.diff(first.sizes) <= 0).all()


def test_the_usual_number_of_clusters_is_the_most_common_one():
    runs = [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0], [0, 1, 2, 3, 3, 3]]
    assert consensus(runs).n_clusters == 2
    assert consensus(runs[:2]).n_clusters == 3  # one each: the larger
    empty = pt.HardPartition([0, 0, 1, 1, 1, 1], names=range(5))
    assert consensus([empty]).n_clusters == 2
    assert consensus(runs, 4, kind="hard").n_clusters == 4


def test_too_many_clusters_are_shared_evenly():
    found = consensus([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 2]], 2)
    np.testing.assert_allclose(sorted(found.memberships()[3]), [1 / 6, 5 / 6])


def test_one_partition_is_its_own_consensus():
    for member in (pt.as_partition(RUNS[0]), soft_runs(1)[0]):
        found = consensus([member])
        assert found.equivalent(member)
        assert "mean squared difference 0 an object" in found.note


def test_kinds_without_memberships_enter_by_pignistic_probabilities():
    rough = pt.RoughPartition([[True, False], [True, True], [False, True]])
    typical = pt.PossibilisticPartition([[1.0, 0.0], [1.0, 0.5], [0.0, 0.5]])
    found = consensus([rough, typical, [0, 0, 1]])
    same = consensus([rough.pignistic(), typical.pignistic(), [0, 0, 1]])
    assert (found.memberships() == same.memberships()).all()
    assert "1 of them: pignistic probabilities; mass on the empty set was divided out" in found.note
    assert "pignistic" not in consensus(RUNS).note
    assert "noise is a cluster" in consensus([[0, 0, -1], [0, 0, 1]]).note
    with pytest.raises(PartitionError, match="empty set"):
        consensus([pt.as_partition([0, 0, -1]).to("evidential"), [0, 0, 1]])


def test_sparse_and_single_precision_memberships_are_taken():
    soft = soft_runs(3)
    thin = [pt.FuzzyPartition(csr_array(np.asarray(m.memberships()))) for m in soft]
    single = [pt.FuzzyPartition(np.asarray(m.memberships()).astype(np.float32)) for m in soft]
    expected = consensus(soft).memberships()
    np.testing.assert_allclose(consensus(thin).memberships(), expected, rtol=1e-12)
    np.testing.assert_allclose(consensus(single).memberships(), expected, atol=1e-6)
    assert consensus_index(thin, "VI").value == pytest.approx(consensus_index(soft, "VI").value)


def test_what_consensus_refuses(monkeypatch):
    for bad in (0, 4, 2.0, True, "2"):
        with pytest.raises(ParameterError, match="n_clusters cannot be this"):
            consensus(RUNS, bad)
    with pytest.raises(ParameterError, match="no such kind"):
        consensus(RUNS, kind="fuzzy")
    with pytest.raises(ParameterError, match="n_init"):
        consensus(RUNS, n_init=0)
    with pytest.raises(PartitionError):
        consensus([])
    monkeypatch.setattr(least_squares, "MOST_DENSE_CELLS", 10)
    with pytest.raises(TooLargeError, match="side by side"):
        consensus(soft_runs(2))
    assert consensus(RUNS).n_objects == 6  # labels are not written out


# --- co-associations, written out once ---------------------------------------------------------------------

GAP_INDICES = [
    e.name for e in EXTERNAL if {r.statistic for r in e.requests} & {CoassociationGaps, ShuffledGaps}
]


def unlike_runs(n=12):
    rng = np.random.default_rng(5)
    fuzzy = [rng.dirichlet(np.full(k, 0.6), n) for k in (2, 3, 3, 4)]
    sparse = np.where(fuzzy[1] < 0.2, 0.0, fuzzy[1])
    fuzzy += [fuzzy[2][:, [2, 0, 1]], sparse / sparse.sum(axis=1, keepdims=True)]
    return [*map(pt.FuzzyPartition, fuzzy), pt.as_partition(rng.integers(0, 3, n))]


@pytest.mark.parametrize("name", GAP_INDICES)
@pytest.mark.parametrize("weight", [None, "whole", "fractional"])
def test_gaps_of_all_pairs_are_those_of_single_calls(name, weight, monkeypatch):
    """To 1e-12, whole and fractional weights, relabelled and hard runs; no pair is compared by itself."""
    runs = unlike_runs()
    each = {
        None: None,
        "whole": np.arange(12) % 3 + 1,
        "fractional": np.linspace(1.2, 3.0, 12),
    }[weight]
    expected = [
        float(pt.compare(a, b, indices=[name], sample_weight=each, bounds=False)[name].value)
        for a, b in combinations(runs, 2)
    ]

    def never(*_args, **_options):
        raise AssertionError("a pair was compared by itself")

    monkeypatch.setattr(agreements, "_put_pair", never)
    found = pt.consensus_index(runs, name, sample_weight=each)
    np.testing.assert_allclose(found.values(name), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", GAP_INDICES)
def test_co_associations_that_do_not_fit_are_made_pair_by_pair(name, monkeypatch):
    runs = unlike_runs()
    expected = pt.consensus_index(runs, name).values(name)
    monkeypatch.setattr(coassociation_stacks, "MOST_VALUES", 7 * 12 * 13 // 2 - 1)
    assert not coassociation_stacks.Coassociations.fit(7, 12)
    monkeypatch.setattr(coassociation_stacks.Coassociations, "values", None)
    np.testing.assert_allclose(pt.consensus_index(runs, name).values(name), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", GAP_INDICES)
def test_one_object_and_two(name):
    for n in (1, 2):
        runs = [pt.FuzzyPartition(np.full((n, 2), 0.5)), pt.FuzzyPartition([[0.3, 0.7]] * n)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedIndexWarning)
            expected = float(pt.compare(*runs, indices=[name], bounds=False)[name].value)
        found = pt.consensus_index(runs, name).values(name)
        np.testing.assert_allclose(found, [expected], atol=1e-12)


def test_each_run_is_written_out_once(monkeypatch):
    """Twenty runs make 190 pairs, and twenty rows of co-associations."""
    rng = np.random.default_rng(6)
    made = []
    usual = coassociation_stacks.products_of_all_pairs
    monkeypatch.setattr(
        coassociation_stacks, "products_of_all_pairs", lambda *given: (made.append(1), usual(*given))[1]
    )
    runs = [pt.FuzzyPartition(rng.dirichlet(np.ones(3), 15)) for _ in range(20)]
    pt.consensus_index(runs, GAP_INDICES)
    assert len(made) == 20


def test_the_order_of_objects_changes_no_distance():
    """Two relabellings that fit equally well are told apart by the clusters, not by rounding."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        n, count = rng.integers(6, 9), rng.integers(4, 7)
        weights = [rng.integers(0, 4, (n, rng.integers(2, 5))) + 1 for _ in range(count)]
        members = [w / w.sum(axis=1, keepdims=True) for w in weights]
        members[0] = np.eye(3)[rng.integers(0, 3, n)]
        order = rng.permutation(n)
        both = [
            consensus([pt.FuzzyPartition(m[rows]) for m in members], kind=kind).note
            for kind in ("soft", "hard")
            for rows in (np.arange(n), order)
        ]
        assert both[0] == both[1]
        assert both[2] == both[3]


@pytest.mark.parametrize("order", [[4, 2, 0, 1, 3], [1, 0, 3, 2, 4], [3, 4, 0, 2, 1]])
def test_a_distance_half_way_between_two_printed_ones_is_printed_alike(order):
    members = [
        [0, 1, 0, 1, 0],
        [3, 3, 1, 2, 1],
        [[0.5, 0.5]] * 3 + [[1 / 3, 2 / 3], [0.5, 0.5]],
        [0, 0, 1, 0, 0],
    ]
    notes = [
        consensus([pt.as_partition(np.array(m)[rows]) for m in members]).note for rows in (range(5), order)
    ]
    assert notes[0] == notes[1]
