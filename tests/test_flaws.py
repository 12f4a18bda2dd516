"""Fits that do not win: empty and single-object clusters, collapsed components."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

import partita as pt
from partita.cluster import GaussianMixtureEM
from partita.fits.degenerate_fits import Shape, collapsed_components, shape_of
from partita.fits.settings import Grid
from partita.partitions import as_partition
from partita.registry import find
from partita.results.verdicts import RemarkKind
from partita.selection._choose_k import _of_fits
from partita.selection.index_panel import Panel
from partita.selection.sweep import Fit, Sweep
from partita.selection.votes import evaluate
from partita.statistics import GivenMixture

RNG = np.random.default_rng(0)
CLOUDS = RNG.normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)


@pytest.mark.parametrize(
    ("labels", "k", "expected"),
    [
        ([0, 0, 1, 1], 2, Shape(2)),
        ([0, 0, 1, 2], 3, Shape(3, single=2)),
        ([0, 0, 2, 2], 3, Shape(2, empty=1)),
        ([0, 0, 1, -1], None, Shape(2, single=1, coverage=0.75)),
        ([-1, -1, -1, 0], None, Shape(1, coverage=0.25)),
        ([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.7, 0.3]], 2, Shape(2, single=1)),
    ],
    ids=str,
)
def test_what_clusters_look_like(labels, k, expected):
    found = shape_of(as_partition(labels), k)
    assert found == expected
    assert Shape.from_dict(found.to_dict()) == found
    assert bool(found.flaw) == bool(found.empty or found.single)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("method", [GaussianMixtureEM, GaussianMixture])
def test_sound_mixtures_have_no_collapsed_component(method, kind):
    for X in (CLOUDS, CLOUDS * 1e3, np.c_[CLOUDS, CLOUDS.sum(axis=1)], np.c_[CLOUDS, np.ones(90)]):
        for k in (1, 3):
            assert collapsed_components(method(k, covariance_type=kind, random_state=0).fit(X), X) == 0


@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
@pytest.mark.parametrize("method", [GaussianMixtureEM, GaussianMixture])
def test_a_component_on_copies_of_one_object_has_collapsed(method, kind):
    X = np.vstack([CLOUDS, np.tile([[40.0, 40.0]], (20, 1))])
    model = method(4, covariance_type=kind, n_init=5, random_state=0).fit(X)
    assert collapsed_components(model, X) == 1


def test_a_tight_cluster_is_no_collapse():
    """Variance of its own, however small, is more than the floor."""
    X = np.vstack([CLOUDS, RNG.normal(scale=0.05, size=(30, 2)) + 40])
    assert collapsed_components(GaussianMixtureEM(4, n_init=3, random_state=0).fit(X), X) == 0


def test_a_given_mixture_is_held_against_a_millionth_of_the_variance():
    variance = float(CLOUDS.var(axis=0).mean())
    for share, collapsed in ((1e-8, 1), (1e-3, 0)):
        tight = np.eye(2) * share * variance
        model = GivenMixture([0.5, 0.5], CLOUDS[:2], np.stack([np.eye(2), tight]))
        assert collapsed_components(model, CLOUDS) == collapsed


def test_a_collapsed_mixture_is_named_and_does_not_win():
    X = np.vstack([RNG.normal(size=(60, 2)), np.tile([[4.0, 4.0]], (12, 1))])
    options = {"ks": range(1, 5), "n_runs": 3, "random_state": 0, "n_splits": 0}
    choice = pt.choose_k(X, GaussianMixtureEM(), indices=["BIC"], structure=False, **options)
    values = dict(zip(choice.ks, choice.curves["bic"].values, strict=True))
    assert min(values, key=values.get) != 1  # the likelihood of the floor is the best by far
    assert choice["BIC"].k in (None, 1)
    assert "collapsed" in {remark.kind.value for remark in choice.remarks}
    assert "does not count" in str(choice)


def test_a_cluster_of_one_object_does_not_win():
    X = np.vstack([RNG.normal(size=(60, 2)), [[50.0, 50.0]]])
    choice = pt.choose_k(X, ks=range(1, 6), n_runs=2, random_state=0, structure=False, n_splits=0)
    assert choice.k != 2
    assert "tiny_clusters" in {remark.kind.value for remark in choice.remarks}
    assert choice.to_frame().query("k == 2")["value"].notna().any()  # what was computed is not hidden


def test_runs_that_collapsed_are_named_where_a_sound_one_was_taken():
    """The value at that k is of a run with a smaller likelihood, which a reader must know."""

    def fit(k, run, objective, collapsed):
        return Fit(
            k, run, run, objective, {"bic": objective}, {"bic": ""}, shape=Shape(k, collapsed=collapsed)
        )

    fits = [fit(1, 0, 5.0, 0), fit(1, 1, 5.0, 0), fit(2, 0, -90.0, 1), fit(2, 1, 3.0, 0)]
    grid = Grid("n_clusters", (1, 2), True)
    sweep = Sweep(np.zeros((50, 2)), None, None, grid, 2, Panel((find("bic"),)))
    selected = evaluate(sweep, fits)[2]
    assert selected == {1: 0, 2: 1}
    (remark,) = _of_fits(fits, selected)
    assert remark.kind is RemarkKind.COLLAPSED
    assert remark.text.startswith("1 runs at k = 2 were passed over")
