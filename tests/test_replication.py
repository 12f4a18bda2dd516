"""Halves of the data that predict each other."""

from __future__ import annotations

import numpy as np
import pytest
from partita.selection.replication import Replication, fit_halves, replications

import partita as pt
from partita.cluster import RandomSwap

CLOUDS = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)


def test_a_halving_is_what_its_seed_says():
    """By hand: the halves, both fits, the nearest centre of one for the objects of the other."""
    rng = np.random.default_rng(5)
    order = rng.permutation(90)
    one, other = CLOUDS[np.sort(order[:45])], CLOUDS[np.sort(order[45:])]
    seeds = rng.integers(1 << 32, size=2)
    model = RandomSwap(4, random_state=int(seeds[0])).fit(one)
    own = RandomSwap(4, random_state=int(seeds[1])).fit(other).labels_
    nearest = ((other[:, None] - model.cluster_centers_) ** 2).sum(axis=2).argmin(axis=1)
    shares = []
    for j in np.unique(own):
        inside = nearest[own == j]
        pairs = [(a, b) for a in range(len(inside)) for b in range(len(inside)) if a != b]
        shares += [np.mean([inside[a] == inside[b] for a, b in pairs])] if pairs else []
    record = fit_halves(CLOUDS, RandomSwap(), {"n_clusters": 4}, 5)
    assert record.values["strength"] == pytest.approx(min(shares), rel=1e-12)


def test_three_clouds_are_found_again_and_four_are_not():
    found = replications(
        CLOUDS,
        RandomSwap(),
        [(k, {"n_clusters": k}) for k in (1, 3, 5)],
        n_splits=5,
        root=0,
        place=0,
        n_jobs=None,
    )
    assert found[1] == Replication(1, 1.0, 0.0)
    assert found[3].mean == 1.0
    assert found[3].is_enough
    assert not found[5].is_enough


@pytest.mark.parametrize(("mean", "error", "enough"), [(0.8, 0.0, 1), (0.79, 0.02, 1), (0.7, 0.05, 0)])
def test_enough_is_within_a_standard_error(mean, error, enough):
    assert Replication(3, mean, error).is_enough == enough
    assert not Replication(3, float("nan"), float("nan")).is_enough


def test_what_cannot_be_clustered_says_nothing():
    class Refusing(RandomSwap):
        def _solve(self, X, rng, index):
            raise ValueError("no")

    record = fit_halves(CLOUDS, Refusing(), {"n_clusters": 2}, 0)
    assert record.values["strength"] is None


def test_they_have_a_vote_only_where_no_index_is_named():
    options = {"ks": range(1, 6), "n_runs": 1, "structure": False, "n_splits": 3, "random_state": 0}
    usual, named = pt.choose_k(CLOUDS, **options), pt.choose_k(CLOUDS, indices=["CH"], **options)
    assert usual["prediction_strength"].family == "resampling"
    assert usual["prediction_strength"].k == 3
    assert "prediction_strength" not in named.choices
    assert "prediction strength" in named.statement
    without = pt.choose_k(CLOUDS, **{**options, "n_splits": 0})
    assert "prediction_strength" not in without.choices
