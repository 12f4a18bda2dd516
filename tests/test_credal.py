"""Credal Rand, pairwise masses and nonspecificity, fuzzy partition distance: golden values, traps, laws."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import squareform

import partita as pt
from partita.engine import Request, collect
from partita.errors import KindError, ParameterError, PartitionError, TooLargeError
from partita.inputs import prepare
from partita.partitions import EVIDENTIAL, FUZZY, HARD, ROUGH, pair_masses
from partita.statistics import CredalGaps, SharedMemberships
from partita.statistics.pairs import credal, object_pairs
from reference.credal import credal_rand_of_masses, nonspecificity_of_masses, pair_mass
from strategies import integer_weights, pairs, partitions, triples

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")

KINDS = (HARD, FUZZY, ROUGH, EVIDENTIAL)
TYPES = {"conflict": "credal_consistency", "jousselme": "credal_jousselme", "belief": "credal_belief"}
RAND, NONSPECIFICITY = pt.indices.credal_rand, pt.indices.pairwise_nonspecificity
DISTANCE = pt.indices.fuzzy_partition_distance

GOLDEN = json.loads((Path(__file__).parent / "golden" / "credal.json").read_text())
INPUTS = (
    {name: pt.HardPartition(labels) for name, labels in GOLDEN["hard"].items()}
    | {name: pt.FuzzyPartition(values) for name, values in GOLDEN["fuzzy"].items()}
    | {name: pt.RoughPartition(np.array(rows, dtype=bool)) for name, rows in GOLDEN["rough"].items()}
    | {
        name: pt.EvidentialPartition(
            given["mass"], [[c in s for c in range(given["n_clusters"])] for s in given["focal_sets"]]
        )
        for name, given in GOLDEN["evidential"].items()
    }
)


def masses_of(partition):
    """A clustering as the references take it; noise of a hard one is a cluster."""
    if partition.kind is HARD:
        return [{frozenset({int(code)}): 1.0} for code in partition.codes]
    evidence = partition.to("evidential")
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in evidence.focal_sets]
    return [dict(zip(sets, row, strict=True)) for row in evidence.masses.tolist()]


def sides(name):
    return [INPUTS[side] for side in name.split(",")]


def vacuous(n, k=3):
    return pt.EvidentialPartition(np.ones((n, 1)), [[True] * k])


# --- golden values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GOLDEN["credal"])
@pytest.mark.parametrize("gap", TYPES)
def test_credal_rand_has_the_golden_values(name, gap):
    a, b = sides(name)
    expected = GOLDEN["credal"][name][TYPES[gap]]
    assert RAND(a, b, type=gap) == pytest.approx(expected, abs=1e-10)
    assert RAND(b, a, type=gap) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("name", GOLDEN["nonspecificity"])
def test_nonspecificity_has_the_golden_values(name):
    assert NONSPECIFICITY(INPUTS[name]) == pytest.approx(GOLDEN["nonspecificity"][name], abs=1e-10)


@pytest.mark.parametrize("name", GOLDEN["matching_l1"])
def test_fuzzy_partition_distance_has_the_golden_values(name):
    assert DISTANCE(*sides(name)) == pytest.approx(GOLDEN["matching_l1"][name], abs=1e-10)


@pytest.mark.parametrize("name", GOLDEN["grand"])
def test_on_memberships_two_types_are_the_belief_rand_and_one_the_product_rand(name):
    a, b = sides(name)
    for gap in ("belief", "jousselme"):
        assert RAND(a, b, type=gap) == pytest.approx(GOLDEN["grand"][name], abs=1e-10)
    assert RAND(a, b, type="conflict") == pytest.approx(GOLDEN["product_rand"][name], abs=1e-10)


# --- traps of peers -------------------------------------------------------------------------------


def test_the_empty_set_counts_wherever_it_stands():
    given = INPUTS["E2"]
    assert given.cardinalities[-1] == 0
    first = pt.EvidentialPartition(given.masses[:, ::-1], given.focal_sets[::-1])
    assert pt.pairwise_masses(given, condensed=True).empty.mean() == pytest.approx(0.381, abs=5e-4)
    for gap in TYPES:
        assert RAND(INPUTS["E1"], first, type=gap) == pytest.approx(RAND(INPUTS["E1"], given, type=gap))


def test_one_single_vacuous_focal_set():
    unknown = vacuous(10)
    hard = [0] * 5 + [1] * 5
    assert NONSPECIFICITY(unknown) == 1.0
    assert RAND(hard, unknown, type="conflict") == 1.0
    for gap in TYPES:
        assert RAND(unknown, unknown, type=gap) == 1.0


def test_identical_hard_clusterings_score_one_and_are_specific():
    labels = [0, 0, 0, 1, 1, 1, 1, 2, 2, 3]
    for gap in TYPES:
        assert RAND(labels, [x + 7 for x in labels], type=gap) == 1.0
    assert NONSPECIFICITY(labels) == 0.0


def test_conflict_is_a_consistency_and_says_so():
    fuzzy = INPUTS["U"]
    assert RAND(fuzzy, fuzzy, type="conflict") < 0.7
    assert RAND(INPUTS["E1"], INPUTS["E1"], type="conflict") < 0.9
    rough = INPUTS["R"]
    assert RAND(rough, rough, type="conflict") == 1.0
    row = pt.compare(fuzzy, fuzzy, indices=["credal_rand:type=conflict"])["credal_rand:type=conflict"]
    assert "consistency" in row.caveat
    assert "consistency" not in pt.compare(fuzzy, fuzzy)["credal_rand"].caveat


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_jousselme_is_reflexive_symmetric_and_blind_to_names(kind, data):
    a, b = data.draw(pairs([kind], min_n=2, max_n=6))
    assert RAND(a, a, type="jousselme") == pytest.approx(1.0, abs=1e-9)
    assert RAND(a, b, type="jousselme") == pytest.approx(RAND(b, a, type="jousselme"), abs=1e-12)


@pytest.mark.parametrize("gap", ["belief", "jousselme"])
@given(sides=triples(KINDS, min_n=2, max_n=5))
def test_distances_of_mixed_kinds_obey_the_triangle_inequality(gap, sides):
    a, b, c = sides
    ab, bc, ac = (1.0 - RAND(*two, type=gap) for two in ((a, b), (b, c), (a, c)))
    assert ac <= ab + bc + 1e-9


@given(labels=pairs([HARD], min_n=2))
def test_for_hard_clusterings_all_types_are_the_rand_index(labels):
    for gap in TYPES:
        assert RAND(*labels, type=gap) == pytest.approx(pt.indices.rand(*labels), abs=1e-15)


# --- against the references, every kind ------------------------------------------------------------------


@pytest.mark.parametrize("gap", TYPES)
@given(sides=pairs(KINDS, min_n=2, max_n=7))
def test_credal_rand_equals_double_loops(gap, sides):
    expected = credal_rand_of_masses(*(masses_of(p) for p in sides), type=gap)
    assert RAND(*sides, type=gap) == pytest.approx(expected, abs=1e-9)


@given(found=partitions(kinds=KINDS))
def test_nonspecificity_equals_double_loops(found):
    expected = nonspecificity_of_masses(masses_of(found)) if found.n_objects > 1 else math.nan
    assert NONSPECIFICITY(found) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(found=partitions())
def test_pairwise_masses_follow_dempsters_rule(found):
    if found.kind is HARD and found.noise_mask is not None and found.noise_mask.all():
        with pytest.raises(PartitionError, match="noise"):
            pt.pairwise_masses(found)
        return
    square = pt.pairwise_masses(found)
    evidence = masses_of(found.to("evidential"))
    for i, one in enumerate(evidence):
        for j, other in enumerate(evidence):
            expected = pair_mass(one, other)
            assert {name: m[i, j] for name, m in square._asdict().items()} == pytest.approx(expected)
    np.testing.assert_allclose(sum(square), 1.0, rtol=1e-12)
    for full, condensed in zip(square, pt.pairwise_masses(found, condensed=True), strict=True):
        if found.n_objects > 1:
            np.testing.assert_allclose(condensed, squareform(full, checks=False), atol=1e-15)
        else:
            assert condensed.size == 0


def test_condensed_masses_of_many_rows_keep_scipys_order(monkeypatch):
    monkeypatch.setattr(pair_masses, "_ROWS", 5)
    for full, condensed in zip(
        pt.pairwise_masses(INPUTS["E1"]), pt.pairwise_masses(INPUTS["E1"], condensed=True), strict=True
    ):
        np.testing.assert_allclose(condensed, squareform(full, checks=False), atol=1e-15)


def test_noise_of_labels_is_the_empty_set_in_pairwise_masses_and_a_cluster_in_the_index():
    labels = [-1, -1, 0, 0]
    assert pt.pairwise_masses(labels).empty[0].tolist() == [1.0, 1.0, 1.0, 1.0]
    assert RAND(labels, [2, 2, 0, 0]) == 1.0
    assert RAND(labels, [0, 0, 0, 0], noise="ignore") == 1.0


def test_too_many_pairs_or_sets_are_refused_before_the_work_starts(monkeypatch):
    labels = np.zeros(10**6, dtype=int)
    for condensed in (False, True):
        with pytest.raises(TooLargeError, match="would not fit"):
            pt.pairwise_masses(labels, condensed)
    monkeypatch.setattr(pair_masses, "_MOST_RELATIONS", 8)
    with pytest.raises(TooLargeError, match="sets of clusters"):
        NONSPECIFICITY(INPUTS["R"])


# --- weights, tiles, threads ----------------------------------------------------------------------------


def soft_sides(n=700):
    rng = np.random.default_rng(8)
    sets = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    fuzzy = pt.FuzzyPartition(rng.dirichlet(np.ones(4), n))
    return fuzzy, pt.EvidentialPartition(rng.dirichlet(np.ones(6), n), sets)


@pytest.mark.parametrize("gap", TYPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_tiles_and_threads(monkeypatch, gap, weighted):
    inputs = prepare(
        dict(zip(("truth", "found"), soft_sides(), strict=True)),
        sample_weight=np.arange(700) % 3 + 1 if weighted else None,
    )
    request = Request(CredalGaps, (("type", gap),))
    whole = collect([request], inputs)[request]
    monkeypatch.setattr(object_pairs, "TILE_ROWS", 64)
    monkeypatch.setattr(credal, "BLOCK_ROWS", 64)
    gaps = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("PARTITA_NUM_THREADS", threads)
        gaps.append(collect([request], inputs)[request].gaps)
    assert gaps[0] == gaps[1] == gaps[2]
    assert gaps[0] == pytest.approx(whole.gaps, rel=1e-12)


def test_closed_sums_equal_tiles():
    rng = np.random.default_rng(2)
    fuzzy, masses = soft_sides(60)
    hard = pt.HardPartition(rng.integers(0, 3, 60))
    weight = rng.integers(1, 4, 60)
    for a, b in ((hard, masses), (hard, fuzzy), (masses, hard)):
        closed = CredalGaps.from_whole(a, b, weight, type="belief").gaps
        tiles = credal._gaps_by_tiles(
            *map(pt.partitions.PairRelations.of, (a, b)), weight.astype(float), credal._belief_distance, None
        )
        assert closed == pytest.approx(tiles, rel=1e-12)
        assert CredalGaps.pair_operations(a, b, type="belief") == 0
    assert CredalGaps.pair_operations(fuzzy, masses, type="conflict") == 0
    assert CredalGaps.pair_operations(fuzzy, masses, type="jousselme") == 60 * 59 / 2


def test_objects_that_repeat_are_looked_at_once():
    rng = np.random.default_rng(3)
    possible = rng.random((50_000, 3)) < 0.6
    possible[:, 0] |= ~possible.any(axis=1)
    truth, found = pt.RoughPartition(possible), pt.RoughPartition(np.roll(possible, 1, axis=0))
    assert CredalGaps.pair_operations(truth, found) <= 49 * 48 / 2
    assert 0 < RAND(truth, found) < 1
    some = slice(0, 40)
    expected = credal_rand_of_masses(*(masses_of(p.take(some)) for p in (truth, found)))
    assert RAND(truth.take(some), found.take(some)) == pytest.approx(expected, abs=1e-12)


def test_sparse_and_single_precision_memberships():
    U, V = (np.array(GOLDEN["fuzzy"][name]) for name in "UV")
    for index in (RAND, RAND.using(type="conflict"), DISTANCE):
        expected = index(U, V)
        assert index(sparse.csr_array(U), V) == pytest.approx(expected, abs=1e-12)
        assert index(sparse.csr_array(U), sparse.csr_array(V)) == pytest.approx(expected, abs=1e-12)
        assert index(U.astype(np.float32), V) == pytest.approx(expected, abs=1e-6)
    # rows off by what single precision allows do not carry a value past its range
    sloppy = np.array([[1.0, 9e-5], [9e-5, 1.0]], dtype=np.float32)
    apart = [[0.0, 1.0], [5e-7, 1.0]]
    assert RAND(sloppy, apart) < 1e-3
    assert RAND(sloppy, apart, type="conflict") < 1e-3
    assert DISTANCE(sloppy, sloppy) == 0.0


# --- degenerate and bad input -----------------------------------------------------------------------------


def test_without_a_pair_only_the_same_clustering_has_a_value():
    assert RAND([0], ["x"]) == RAND([-1], pt.RoughPartition([[True]])) == 1.0
    assert RAND([[0.5, 0.5]], [[0.5, 0.5]]) == 1.0
    assert math.isnan(RAND([[0.5, 0.5]], [[0.2, 0.8]]))
    assert math.isnan(NONSPECIFICITY([0]))
    assert math.isnan(RAND([0, 1], [0, 0], sample_weight=[0.5, 0.5]))
    with pytest.warns(pt.errors.UndefinedIndexWarning, match="weights below one"):
        assert math.isnan(RAND([0, 0], [0, 1], sample_weight=[0.6, 0.6]))
    assert RAND([0, 0, 1], [0, 1, 1], sample_weight=[1.5, 2.0, 2.5]) == pytest.approx(1 - 8 / 15)


def test_kinds_and_options_that_do_not_exist_are_refused():
    typical = pt.PossibilisticPartition([[1.0, 0.5], [0.2, 1.0]])
    for index in (RAND, DISTANCE):
        with pytest.raises(KindError):
            index([0, 1], typical)
    with pytest.raises(KindError):
        NONSPECIFICITY(typical)
    with pytest.raises(KindError):
        DISTANCE([0, 1], pt.RoughPartition([[True, True], [True, False]]))
    with pytest.raises(ParameterError, match="type"):
        RAND([0, 1], [0, 1], type="euclidean")


# --- fuzzy partition distance ---------------------------------------------------------------------------


@given(data=st.data(), sides=pairs([HARD, FUZZY], min_n=3))
def test_shared_memberships_merge_over_any_cut_in_any_order(data, sides):
    n = sides[0].n_objects
    cut = sorted({0, n, *data.draw(st.lists(st.integers(1, n - 1), max_size=3))})
    weight = data.draw(st.none() | integer_weights(n))

    def part(a, b):
        rows = slice(a, b)
        times = None if weight is None else weight[rows]
        return SharedMemberships.from_block(*(p.take(rows) for p in sides), times)

    whole = part(0, n)
    blocks = [part(a, b) for a, b in pairwise(cut)]
    for order in (blocks, blocks[::-1]):
        merged = SharedMemberships.zero()
        for block in order:
            merged = merged + block
        assert merged.n == whole.n
        assert merged.best_total == pytest.approx(float(whole.best_total), rel=1e-12, abs=1e-12)


def test_distance_of_hard_clusterings_is_the_classification_error():
    assert DISTANCE([0, 0, 0, 1, 1, 1], [1, 1, 0, 0, 0, 0]) == pytest.approx(1 / 6)
    assert DISTANCE(range(10), [0] * 10) == pytest.approx(0.9)  # 1 - 1 / max(k, k') is reached
    assert DISTANCE(list(range(500)), list(range(500))[::-1]) == 0.0


def test_uniform_memberships_reach_the_upper_end():
    assert DISTANCE([[1 / 3] * 3] * 4, [0] * 4) == pytest.approx(1 - 1 / 3)
