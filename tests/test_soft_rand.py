"""Campello's indices and concordance: published values, methods against plain loops, degenerate inputs."""

from __future__ import annotations

import json
import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import partita as pt
from partita.engine import Request, collect
from partita.errors import KindError, ParameterError, TooLargeError
from partita.indices import find
from partita.inputs import prepare
from partita.partitions import FUZZY, HARD, Ensemble
from partita.statistics import ConcordanceChance, ConcordanceGaps, Contingency, TNormPairs
from partita.statistics.pairs import concordance as concordance_module
from partita.statistics.pairs import object_pairs
from reference import soft_rand as reference
from strategies import hard, integer_weights, pairs

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")

GOLDEN = json.loads((Path(__file__).parent / "golden" / "soft_rand.json").read_text())
INPUTS = GOLDEN["hard_labels"] | GOLDEN["fuzzy"]
CAMPELLO = ("campello_rand", "campello_adjusted_rand", "campello_jaccard")
CONCORDANCE = ("hullermeier_rifqi", "adjusted_concordance")
NAMES = CAMPELLO + CONCORDANCE
RAND = {"campello_rand": "rand", "hullermeier_rifqi": "rand", "campello_jaccard": "jaccard"}
ADJUSTED = {"campello_adjusted_rand": "adjusted_rand", "adjusted_concordance": "adjusted_rand"}
both_kinds = pairs([HARD, FUZZY], max_n=8)


def memberships(partition):
    return np.asarray(partition.memberships(), dtype=np.float64)


def fuzzy(rng, n, k):
    return pt.FuzzyPartition(rng.dirichlet(np.full(k, 0.6), n))


# --- values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", GOLDEN["pairs"])
def test_the_vectors_of_the_definitions(pair):
    truth, found = (INPUTS[name] for name in pair.split(","))
    expected = GOLDEN["pairs"][pair]
    for tnorm, key in (("minimum", "min"), ("product", "product")):
        sums = TNormPairs.from_whole(pt.as_partition(truth), pt.as_partition(found), tnorm=tnorm)
        np.testing.assert_allclose(sums.pairs, expected[f"campello_{key}_abcd"], rtol=1e-11)
        for name in CAMPELLO:
            value = expected[f"campello_{key}_{name.removeprefix('campello_')}"]
            assert find(name)(truth, found, tnorm=tnorm) == pytest.approx(value, abs=1e-10)
    assert find("NDC")(truth, found) == pytest.approx(expected["ndc"], abs=1e-10)
    aci = math.nan if expected["aci"] is None else expected["aci"]
    assert find("ACI")(truth, found) == pytest.approx(aci, abs=1e-10, nan_ok=True)
    chance = ConcordanceChance.from_whole(pt.as_partition(truth), pt.as_partition(found))
    assert 1 - float(chance.expected_gap) == pytest.approx(expected["ndc_expected"], abs=1e-10)


@pytest.mark.parametrize("name", CAMPELLO)
@given(both=both_kinds)
def test_the_product_norm_equals_its_reference(name, both):
    expected = reference.REFERENCE[name](*map(memberships, both), tnorm="product")
    np.testing.assert_allclose(find(name)(*both, tnorm="product"), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_hard_values_are_those_of_the_hard_indices(name, data):
    n = data.draw(st.integers(1, 12))
    truth, found = data.draw(hard(n)), data.draw(hard(n))
    same = find((RAND | ADJUSTED)[name])(truth, found)
    if name == "campello_adjusted_rand" or not math.isnan(same):
        np.testing.assert_allclose(find(name)(truth, found), same, rtol=1e-12, atol=1e-12)


def test_stacks_of_hard_tables_need_no_objects():
    labels = [[0, 0, 1, 1, 2], [0, 1, 1, 2, 2], [0, 0, 0, 0, 0], [0, 1, 2, 3, 4]]
    tables = Contingency.from_ensemble(Ensemble(labels))
    for name in NAMES:
        entry = find(name)
        stacked = entry.of(*(s.from_table(tables) for s in entry.statistics))
        one_by_one = [[entry(a, b) for b in labels] for a in labels]
        np.testing.assert_allclose(stacked, one_by_one, rtol=1e-14)


def test_the_expected_gap_is_that_over_all_shuffles():
    rng = np.random.default_rng(0)
    for truth, found in ((fuzzy(rng, 6, 3), fuzzy(rng, 6, 2)), (pt.HardPartition([0, 0, 1, 1, 1, 2]),) * 2):
        exact = reference.gap_over_all_shuffles(memberships(truth), memberships(found))
        chance = ConcordanceChance.from_whole(truth, found)
        assert float(chance.expected_gap) == pytest.approx(exact, abs=1e-14)


def test_adjusted_concordance_is_zero_by_chance_for_fuzzy_clusterings():
    rng = np.random.default_rng(1)
    truth, found = fuzzy(rng, 5, 3), fuzzy(rng, 5, 2)
    shuffled = [found.take(np.array(order)) for order in permutations(range(5))]
    assert np.mean([find("ACI")(truth, s) for s in shuffled]) == pytest.approx(0, abs=1e-13)
    assert abs(np.mean([find("campello_adjusted_rand")(truth, s) for s in shuffled])) > 1e-3


def test_reflexive_or_not_with_the_value():
    soft = INPUTS["U"]
    for name in CONCORDANCE:
        assert find(name).status("reflexive", FUZZY) == "claimed"
        assert find(name)(soft, soft) == 1.0
    for name in CAMPELLO:
        assert find(name).status("reflexive", FUZZY) == "refuted"
        assert find(name)(soft, soft) < 0.9
    assert find("NDC").metric_class(FUZZY) == "pseudo-metric"
    assert find("NDC").metric_class(HARD) == "metric"


# --- methods ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tile", [1, 3, 7, 64])
def test_tiles_of_any_size_give_the_plain_loops(monkeypatch, tile):
    rng = np.random.default_rng(tile)
    truth, found = fuzzy(rng, 23, 4), fuzzy(rng, 23, 3)
    monkeypatch.setattr(object_pairs, "TILE_ROWS", tile)
    U, V = memberships(truth), memberships(found)
    for tnorm in ("minimum", "product"):
        sums = TNormPairs.from_whole(truth, found, tnorm=tnorm).pairs
        np.testing.assert_allclose(sums, reference.campello_sums(U, V, tnorm), rtol=1e-13)
    gaps = ConcordanceGaps.from_whole(truth, found)
    assert float(gaps.mean_gap) == pytest.approx(reference.mean_gap(U, V), rel=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_number_of_threads_changes_no_bit(monkeypatch, weighted):
    rng = np.random.default_rng(2)
    truth, found = fuzzy(rng, 700, 5), fuzzy(rng, 700, 4)
    weight = rng.integers(1, 5, 700) if weighted else None

    def values(threads):
        monkeypatch.setenv("PARTITA_NUM_THREADS", threads)
        return [
            *TNormPairs.from_whole(truth, found, weight).pairs,
            ConcordanceGaps.from_whole(truth, found, weight).gaps,
            ConcordanceChance.from_whole(truth, found, weight).expected_gap,
        ]

    assert [v.tobytes() for v in values("1")] == [v.tobytes() for v in values("3")]


def as_if_soft(partition):
    """A hard side pushed through the methods for soft ones."""
    return pt.FuzzyPartition(partition.memberships())


@given(data=st.data())
def test_a_hard_side_takes_short_cuts_to_the_same_values(data):
    n = data.draw(st.integers(2, 12))
    truth, found = data.draw(hard(n)), fuzzy(np.random.default_rng(n), n, 3)
    weight = data.draw(st.none() | integer_weights(n).map(lambda w: w + 1))
    for left, right in ((truth, found), (found, truth), (truth, data.draw(hard(n)))):
        soft = [as_if_soft(p) if p.kind is HARD else p for p in (left, right)]
        for tnorm in ("minimum", "product"):
            quick = TNormPairs.from_whole(left, right, weight, tnorm=tnorm).pairs
            slow = TNormPairs.from_whole(*soft, weight, tnorm=tnorm).pairs
            np.testing.assert_allclose(quick, slow, rtol=1e-12, atol=1e-12)
        quick, slow = (ConcordanceGaps.from_whole(*s, weight) for s in ((left, right), soft))
        np.testing.assert_allclose(quick.mean_gap, slow.mean_gap, rtol=1e-12, atol=1e-13)
        quick, slow = (ConcordanceChance.from_whole(*s, weight) for s in ((left, right), soft))
        np.testing.assert_allclose(quick.expected_gap, slow.expected_gap, rtol=1e-12, atol=1e-13)


def test_fractional_weights_stay_in_range_or_are_undefined():
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(1, 6))
        sides = [rng.integers(0, 3, n), fuzzy(rng, n, 2), rng.integers(0, 3, n), fuzzy(rng, n, 3)]
        weight = rng.random(n) * rng.choice([0.5, 1.0, 4.0]) + 0.01
        for name in NAMES:
            find(name)(*rng.permutation(np.array(sides, dtype=object))[:2], sample_weight=weight)
    assert find("NDC")([0, 1, 1], [0, 0, 1], sample_weight=[1.5, 1.5, 1.5]) == pytest.approx(
        1 - 2 * 1.5**2 / (4.5 * 3.5 / 2)
    )


@pytest.mark.parametrize("name", NAMES)
def test_float32_and_sparse_memberships(name):
    U, V = np.array(INPUTS["U"]), np.array(INPUTS["V"])
    value = find(name)(U, V)
    assert find(name)(csr_array(U), V) == pytest.approx(value, abs=1e-14)
    assert find(name)(csr_array(U), csr_array(V)) == pytest.approx(value, abs=1e-14)
    assert find(name)(INPUTS["H"], csr_array(V)) == pytest.approx(find(name)(INPUTS["H"], V), abs=1e-14)
    assert find(name)(U.astype(np.float32), V.astype(np.float32)) == pytest.approx(value, abs=1e-6)


def test_sparse_memberships_that_cannot_be_written_out_are_refused(monkeypatch):
    monkeypatch.setattr("partita.arrays.matrices.MOST_DENSE_CELLS", 20)
    with pytest.raises(TooLargeError, match="sparse"):
        find("NDC")(csr_array(np.array(INPUTS["U"])), INPUTS["V"])


@pytest.mark.parametrize("name", NAMES)
def test_empty_clusters_do_not_matter(name):
    U, V = np.array(INPUTS["U"]), np.array(INPUTS["V"])
    wider = np.insert(U, [0, 2, 3], 0.0, axis=1)
    assert find(name)(wider, V) == pytest.approx(find(name)(U, V), abs=1e-14)


# --- the sampled expectation ------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_a_sampled_expectation_is_as_close_as_it_says(monkeypatch, weighted):
    rng = np.random.default_rng(4)
    truth, found = fuzzy(rng, 60, 3), fuzzy(rng, 60, 4)
    weight = rng.random(60) * 3 if weighted else None
    exact = float(ConcordanceChance.from_whole(truth, found, weight).expected_gap)
    monkeypatch.setattr(concordance_module, "EXACT_UP_TO", 10)
    away = []
    for seed in range(200):
        drawn = ConcordanceChance.from_whole(truth, found, weight, n_samples=400, random_state=seed)
        away.append((float(drawn.expected_gap) - exact) / drawn.standard_error)
    # 200 standardised errors: mean 0 +- 1/sqrt(200), mean square 1 +- 1/10, each to five deviations
    assert abs(np.mean(away)) < 5 / math.sqrt(200)
    assert abs(np.mean(np.square(away)) - 1) < 0.5
    assert np.max(np.abs(away)) < 5


def test_a_sampled_index_states_its_error_and_follows_its_seed(monkeypatch):
    monkeypatch.setattr(concordance_module, "EXACT_UP_TO", 10)
    exact = GOLDEN["pairs"]["U,V"]["aci"]
    named = [find("ACI").using(n_samples=5000, random_state=seed) for seed in (0, 0, 1)]
    first, again, other = (pt.compare(INPUTS["U"], INPUTS["V"], indices=[entry]) for entry in named)
    assert first.rows[0].value == again.rows[0].value != other.rows[0].value
    assert first.rows[0].value == pytest.approx(exact, abs=0.02)
    assert "standard error" in first.rows[0].caveat
    # one hard side stays exact, whatever the size
    assert find("ACI")(INPUTS["H"], INPUTS["U"]) == pytest.approx(GOLDEN["pairs"]["H,U"]["aci"], abs=1e-10)


@pytest.mark.parametrize("bad", [1, 0, 2.5, True, "many"])
def test_bad_numbers_of_samples_are_refused(bad):
    with pytest.raises(ParameterError):
        find("ACI")(INPUTS["U"], INPUTS["V"], n_samples=bad)


def test_bad_input_is_refused():
    with pytest.raises(ParameterError):
        find("campello_rand")(INPUTS["U"], INPUTS["V"], tnorm="lukasiewicz")
    with pytest.raises(ParameterError):
        TNormPairs.from_whole(*map(pt.as_partition, (INPUTS["U"], INPUTS["V"])), tnorm="maximum")
    with pytest.raises(ParameterError):
        find("ACI")(INPUTS["U"], INPUTS["V"], random_state="seed")
    for name in NAMES:
        with pytest.raises(KindError):
            find(name)([0, 1], pt.PossibilisticPartition([[1.0, 0.4], [0.2, 0.7]]))


# --- degenerate inputs -------------------------------------------------------------------------------------

ONE, SINGLE, OTHER = [0] * 4, [0, 1, 2, 3], [0, 0, 1, 1]
THIRDS, FIFTHS = [[1 / 3] * 3] * 4, [[0.2] * 5] * 4
ALONE = [[0.5, 0.5, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1.0]]


@pytest.mark.parametrize(
    ("truth", "found", "rand", "adjusted", "jaccard", "ndc", "aci"),
    [
        (ONE, ONE, 1, 1, 1, 1, 1),
        (SINGLE, SINGLE, 1, 1, 1, 1, 1),
        (ONE, SINGLE, 0, 0, 0, 0, 0),
        (ONE, OTHER, 1 / 3, 0, 1 / 3, 1 / 3, 0),
        (THIRDS, THIRDS, 0.5, 0, 1 / 3, 1, 1),
        (THIRDS, FIFTHS, 0.5, 0, 1 / 3, 1, math.nan),
        (ONE, THIRDS, 0.5, 0, 0.5, 1, math.nan),
        (SINGLE, THIRDS, 0.5, 0, 0, 0, 0),
        (SINGLE, ALONE, 1, math.nan, math.nan, 1, math.nan),
        (ALONE, ALONE, 1, 1, 1, 1, 1),
        ([0], ["x"], 1, 1, 1, 1, 1),
        ([[0.5, 0.5]], [[0.5, 0.5]], 1, 1, 1, 1, 1),
        ([[0.5, 0.5]], [0], *[math.nan] * 5),
        ([[0.5, 0.5]], [[0.25, 0.75]], *[math.nan] * 5),
    ],
)
def test_degenerate_inputs(truth, found, rand, adjusted, jaccard, ndc, aci):
    values = [find(name)(truth, found) for name in NAMES]
    np.testing.assert_allclose(values, [rand, adjusted, jaccard, ndc, aci], atol=1e-14)
    swapped = [find(name)(found, truth) for name in NAMES]
    np.testing.assert_allclose(swapped, values, atol=1e-14)


def test_small_differences_keep_their_digits():
    """Memberships 1/2 +- 1e-9: distances of 1e-9 are compared with each other, not with 1."""
    steps = np.array([0.0, 1.0, 3.0, 4.0]) * 2.0**-30
    U, V = (np.column_stack([0.5 + s, 0.5 - s]) for s in (steps, steps[[0, 1, 3, 2]]))
    wide = [np.column_stack([0.5 + s, 0.5 - s]) for s in (steps * 2**26, steps[[0, 1, 3, 2]] * 2**26)]
    assert float(ConcordanceChance.from_whole(*map(pt.FuzzyPartition, (U, V))).expected_gap) > 1e-10
    assert find("ACI")(U, V) == pytest.approx(find("ACI")(*wide), rel=1e-12)


# --- cost -------------------------------------------------------------------------------------------------


def test_the_cost_is_known_beforehand():
    rng = np.random.default_rng(5)
    labels = pt.HardPartition(rng.integers(0, 3, 40))
    soft, other = fuzzy(rng, 40, 3), fuzzy(rng, 40, 2)
    for statistic in (TNormPairs, ConcordanceGaps, ConcordanceChance):
        assert statistic.pair_operations(labels, labels) == 0
        assert statistic.pair_operations(soft, other) >= 780
    assert TNormPairs.pair_operations(labels, soft) >= 780
    assert ConcordanceGaps.pair_operations(labels, soft) < 780


def test_progress_is_reported():
    rng = np.random.default_rng(6)
    inputs = prepare({"truth": fuzzy(rng, 600, 3), "found": fuzzy(rng, 600, 3)})
    seen = []
    collect([Request(ConcordanceGaps)], inputs, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
