"""Halves of the data that predict each other: prediction strength over k."""

from __future__ import annotations

import math

import numpy as np
import pytest

import partita as pt
from partita.cluster import RandomSwap
from partita.selection.prediction_strength import fit_halves

CLOUDS = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
NAME = "prediction_strength"


def swept(X=CLOUDS, ks=range(1, 6), estimator=None, **options):
    given = {"n_runs": 1, "indices": ["CH"], "structure": False, "n_splits": 5, "random_state": 0, **options}
    return pt.choose_k(X, RandomSwap() if estimator is None else estimator, ks, **given)


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


def test_three_clouds_predict_each_other_and_five_pieces_do_not():
    found = swept()
    curve, choice = found.curves[NAME], found[NAME]
    strength = dict(zip(found.ks, zip(curve.values, curve.errors, strict=True), strict=True))
    assert strength[1] == (1.0, 0.0)
    assert strength[3] == (1.0, 0.0)
    assert sum(strength[5]) < 0.8
    assert (choice.k, choice.family, choice.votes) == (3, "resampling", True)


def test_the_largest_number_that_reaches_the_limit_within_a_standard_error_is_chosen():
    """As tibshirani2005 asks; five clouds, two of which are near each other."""
    rng = np.random.default_rng(0)
    centres = np.repeat([[0, 0], [9, 0], [0, 9], [9, 9], [12, 9]], 25, axis=0)
    found = swept(centres + rng.normal(size=centres.shape), range(1, 9))
    curve = found.curves[NAME]
    reached = [
        k for k, mean, error in zip(found.ks, curve.values, curve.errors, strict=True) if mean + error >= 0.8
    ]
    assert found[NAME].k == reached[-1]
    assert 4 <= reached[-1] <= 5


def test_a_choice_at_the_end_of_the_range_has_no_vote():
    choice = swept(ks=[1, 2, 3])[NAME]
    assert choice.k == 3
    assert not choice.votes
    assert choice.no_vote == "k = 3 is the largest tried"


class Refusing(RandomSwap):
    """Cannot cluster fewer than 60 objects."""

    def _solve(self, X, rng, index):
        if len(X) < 60:
            raise ValueError("too few")
        return super()._solve(X, rng, index)


def test_halves_that_cannot_be_clustered_have_no_value():
    assert fit_halves(CLOUDS, Refusing(), {"n_clusters": 2}, 0).values["strength"] is None
    found = swept(ks=[2, 3], estimator=Refusing())
    curve = found.curves[NAME]
    assert all(map(math.isnan, curve.values))
    assert curve.caveats == ("halves too small to be clustered",) * 2
    assert found[NAME].k is None
    assert found.k == 3


def test_few_objects_for_a_number_of_clusters_have_no_value():
    """Fewer than four objects for each cluster; equal objects count once."""
    X = np.repeat(CLOUDS[::9], 5, axis=0)
    values = dict(zip([2, 3], swept(X, [2, 3]).curves[NAME].values, strict=True))
    assert math.isfinite(values[2])
    assert math.isnan(values[3])


def test_halves_are_reported_where_they_are_asked_for_and_decide_nothing():
    without, with_halves = swept(n_splits=0), swept()
    assert NAME not in without.choices
    assert with_halves.verdict.to_dict() == without.verdict.to_dict()
    assert set(with_halves.choices) == {*without.choices, NAME}
    assert NAME not in pt.choose_k(CLOUDS, structure=False, random_state=0).choices
