"""Halves of the data that predict each other."""

from __future__ import annotations

import numpy as np
import pytest

import partita as pt
from partita.cluster import RandomSwap
from partita.fits.checkpoints import Record
from partita.fits.settings import Grid
from partita.selection import prediction_strength
from partita.selection.index_panel import Panel
from partita.selection.prediction_strength import fit_halves, prediction_strength_over_k
from partita.selection.sweep import Sweep

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


def over_k(*ks, n_splits=2):
    sweep = Sweep(CLOUDS, None, RandomSwap(), Grid("n_clusters", ks, True), 1, Panel(()))
    return prediction_strength_over_k(sweep, n_splits, 0, None, None)


def test_three_clouds_are_found_again_and_five_are_not():
    curve, choice = over_k(1, 3, 5, n_splits=5)
    assert (curve.values[0], curve.errors[0]) == (1.0, 0.0)
    assert curve.values[1] == 1.0
    assert curve.values[2] + curve.errors[2] < 0.8
    assert choice.k == 3


@pytest.mark.parametrize(
    ("strengths", "mean", "error", "enough"),
    [((0.8, 0.8), 0.8, 0.0, 1), ((0.77, 0.81), 0.79, 0.02, 1), ((0.65, 0.75), 0.7, 0.05, 0)],
)
def test_enough_is_within_a_standard_error(monkeypatch, strengths, mean, error, enough):
    records = [Record({"strength": strength}) for strength in strengths]
    monkeypatch.setattr(prediction_strength, "run_tasks", lambda *_, **__: records)
    curve, choice = over_k(3)
    assert (*curve.values, *curve.errors) == pytest.approx((mean, error))
    assert choice.k == (3 if enough else None)


def test_halves_without_a_strength_choose_nothing(monkeypatch):
    records = [Record({"strength": None})] * 2
    monkeypatch.setattr(prediction_strength, "run_tasks", lambda *_, **__: records)
    curve, choice = over_k(3)
    assert np.isnan(curve.values[0])
    assert choice.k is None


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
