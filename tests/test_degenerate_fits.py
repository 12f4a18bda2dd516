"""Fits that do not count: empty and single-object clusters, collapsed components."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.mixture import GaussianMixture

import partita as pt
from partita.cluster import GaussianMixtureEM, RandomSwap
from partita.fits.degenerate_fits import Shape, collapsed_components, shape_of
from partita.partitions import as_partition
from partita.results.answers import ReasonKind
from partita.results.verdicts import RemarkKind
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


def remarks_of(choice, kind):
    return [remark.text for remark in choice.remarks if remark.kind is kind]


def test_a_collapsed_mixture_is_named_and_is_not_a_clear_answer():
    """Twelve copies of an object far from the others: every mixture of two or more puts one on them."""
    X = np.vstack([RNG.normal(size=(60, 2)), np.tile([[4.0, 4.0]], (12, 1))])
    options = {"ks": range(1, 5), "n_runs": 3, "random_state": 0}
    choice = pt.choose_k(X, GaussianMixtureEM(), indices=["BIC"], structure=False, **options)
    values = dict(zip(choice.ks, choice.curves["bic"].values, strict=True))
    assert min(values, key=values.get) != 1  # the likelihood of the floor is the best by far
    assert choice["BIC"].k in (None, 1)
    (remark,) = remarks_of(choice, RemarkKind.COLLAPSED)
    assert remark.startswith("k = 2 to 4 does not count: 1 component at the floor of variance")
    assert "does not count" in str(choice)
    assert (choice.k, choice.strength) == (2, "weak")  # the best guess
    assert choice.because[0].kind is ReasonKind.FLAW
    assert choice.statement.startswith("2 clusters, weak: 1 component at the floor of variance")


def test_ready_clusterings_without_a_flaw_come_first():
    """Two clouds and an object far away, which is a cluster of one of the two clusterings."""
    X = np.vstack([CLOUDS[:60], [[90.0, 90.0]]])
    found = pt.choose(X, {"far": np.arange(61) == 60, "two": np.arange(61) < 30}, random_state=0)
    assert found.best == "two"
    far = np.where(np.arange(61) == 60, 2, np.arange(61) < 30)
    both = pt.choose(X, {"far": far, "odd": np.where(np.arange(61) == 0, 2, np.arange(61) % 2)})
    assert (both.best, both.k, both.strength) == ("far", 3, "weak")
    assert "1 cluster of a single object" in both.statement


def test_a_cluster_of_one_object_does_not_win():
    X = np.vstack([RNG.normal(size=(60, 2)), [[50.0, 50.0]]])
    choice = pt.choose_k(X, RandomSwap(), range(1, 6), n_runs=2, random_state=0, structure=False)
    assert choice["CH"].k is None
    assert choice.strength == "contested"
    (remark,) = remarks_of(choice, RemarkKind.TINY_CLUSTERS)
    assert "does not count: 1 cluster of a single object at k = 2" in remark
    assert choice.to_frame().query("k == 2")["value"].notna().any()  # what was computed is not hidden
    own = pt.choose_k(X, random_state=0)
    assert own.k is None or np.bincount(own.partition.codes).min() > 1


class CutsOne(ClusterMixin, BaseEstimator):
    """Two halves; or, by its seed, one object and the others, with a smaller objective."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X, y=None):
        is_flawed = self.random_state % 2
        self.labels_ = np.minimum(np.arange(len(X)) // (1 if is_flawed else 45), 1)
        self.inertia_ = -9.0 if is_flawed else 3.0
        return self


def test_runs_with_a_flaw_are_passed_over_for_sound_ones_and_that_is_told():
    """The value at that k is of a run with a worse objective, which a reader must know."""
    choice = pt.choose_k(CLOUDS, CutsOne(), [2], n_runs=8, indices=["CH"], structure=False, random_state=0)
    flawed = [fit for fit in choice.fits if fit.flaw]
    assert 0 < len(flawed) < 8
    assert choice.fit_at(2).objective == 3.0
    assert not choice.fit_at(2).flaw
    (remark,) = remarks_of(choice, RemarkKind.TINY_CLUSTERS)
    assert remark.startswith(f"{len(flawed)} runs at k = 2 were passed over for sound ones")
