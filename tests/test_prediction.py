"""Prediction strength: by hand, by the definition, what merging does to it, and the method of that name."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partita as pt
from partita.cluster import RandomSwap
from partita.errors import KindError, UndefinedIndexError, UndefinedIndexWarning
from partita.indices import prediction_strength
from partita.resampling import Subsample, stability
from partita.statistics import Contingency
from reference.prediction import prediction_strength as by_definition

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")

labels = st.integers(2, 25).flatmap(lambda n: st.lists(st.integers(0, 4), min_size=n, max_size=n))


def one_hot(values):
    return np.eye(max(values) + 1)[list(values)]


@pytest.mark.parametrize(
    ("truth", "found", "expected"),
    [
        ("aaaabbb", "xxxyzzz", 1 / 2),  # 3 of 6 pairs, 3 of 3
        ("aaaabb", "xxyyzz", 1 / 3),  # 2 of 6, 1 of 1
        ("aabbc", "xxxxx", 1.0),
        ("aabbc", "xyzzw", 0.0),
        ("abc", "xyz", 1.0),  # both each on its own
        ("a", "x", 1.0),
        ("aaa", "xxx", 1.0),
    ],
)
def test_by_hand(truth, found, expected):
    assert prediction_strength(list(truth), list(found)) == pytest.approx(expected, rel=1e-15)


@given(truth=labels, data=st.data())
def test_equals_the_definition(truth, data):
    found = data.draw(st.lists(st.integers(0, 3), min_size=len(truth), max_size=len(truth)))
    expected = by_definition(one_hot(truth), one_hot(found))
    np.testing.assert_allclose(prediction_strength(truth, found), expected, rtol=1e-14)


@given(truth=labels, data=st.data())
def test_merging_found_clusters_never_lowers_it(truth, data):
    found = data.draw(st.lists(st.integers(0, 3), min_size=len(truth), max_size=len(truth)))
    assume(len(set(truth)) < len(truth))
    merged = [max(label, 1) for label in found]
    assert prediction_strength(truth, merged) >= prediction_strength(truth, found)


def test_a_truth_without_pairs_has_no_value():
    with pytest.warns(UndefinedIndexWarning, match="no pair together"):
        assert math.isnan(prediction_strength([0, 1, 2], [0, 0, 1]))
    with pytest.raises(UndefinedIndexError, match="no pair together"):
        prediction_strength([0, 1, 2], [0, 0, 1], on_undefined="raise")


def test_fractional_weights_have_no_pairs_to_count():
    with pytest.warns(UndefinedIndexWarning, match="whole-number weights"):
        assert math.isnan(prediction_strength([0, 0, 1], [0, 1, 1], sample_weight=[0.5, 1.0, 1.0]))
    weighted = prediction_strength([0, 0, 1], [0, 1, 1], sample_weight=[3, 1, 2])
    assert weighted == prediction_strength([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]) == 0.5


def test_soft_clusterings_are_refused():
    with pytest.raises(KindError, match="harden"):
        prediction_strength([0, 1], [[0.5, 0.5], [0.2, 0.8]])


def test_large_and_sparse_tables_count_exactly():
    rng = np.random.default_rng(0)
    truth, found = np.repeat(np.arange(500), 4), rng.integers(0, 400, 2000)
    found[:4], truth[-4:] = [1, 1, 1, 2], np.arange(1000, 1004)
    found[4:1996] = truth[4:1996]
    table = Contingency.from_block(pt.as_partition(truth), pt.as_partition(found))
    assert table.is_sparse
    assert prediction_strength.of(table) == 0.5  # 3 of the 6 pairs of the first cluster
    many = Contingency.from_counts([[10**9, 1], [0, 10**9]])
    pairs = 10**9 * (10**9 + 1)
    assert prediction_strength.of(many) == pytest.approx(10**9 * (10**9 - 1) / pairs, rel=1e-15)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("compiled")
def test_three_clusters_are_chosen_by_halves_that_predict_each_other(seed):
    centres = np.repeat([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]], 40, axis=0)
    X = centres + np.random.default_rng(seed).normal(size=centres.shape)
    found = stability(
        X,
        RandomSwap(),
        range(1, 7),
        strategy="transfer",
        scheme=Subsample(0.5),
        indices="prediction_strength",
        n_repeats=8,
        threshold=0.8,
        random_state=seed,
    )
    assert found.k == 3
    assert (found.values("prediction_strength", 1) == 1).all()
    assert (found.values("prediction_strength", 3) == 1).all()
    assert all(found.values("prediction_strength", k).mean() < 0.8 for k in (4, 5, 6))


@pytest.mark.usefixtures("compiled")
def test_one_cloud_is_one_cluster():
    X = np.random.default_rng(0).normal(size=(150, 2))
    found = stability(
        X,
        RandomSwap(),
        range(1, 5),
        strategy="transfer",
        scheme=Subsample(0.5),
        indices="prediction_strength",
        n_repeats=8,
        threshold=0.8,
        random_state=0,
    )
    assert found.k == 1
