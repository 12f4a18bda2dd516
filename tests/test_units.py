"""Units of the data: a power of two changes no clustering of any estimator, and attributes only by itself."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from partita import cluster
from partita.cluster.units import ORDINARY, working_exponent
from partita.errors import ParameterError

IRIS = load_iris().data
CLASSES = [getattr(cluster, name) for name in cluster.__all__ if isinstance(getattr(cluster, name), type)]
every = pytest.mark.parametrize("made", CLASSES, ids=lambda made: made.__name__)

UNITS = {
    "cluster_centers_": 1,
    "means_": 1,
    "covariances_": 2,
    "scales_": 2,
    "path_": 2,
    "heights_": 1,
    "memberships_": 0,
    "masses_": 0,
    "typicalities_": 0,
    "weights_": 0,
    "n_iter_": 0,
}
"""Attributes, and the power of the units they are in."""

IN_UNITS = {
    "EvidentialCMeans": {"delta": 10.0},
    "MaxEntropyMemberships": {"beta": 1.0},
    "StochasticComplexityClustering": {"binarize": 2.0},
}
"""Parameters in units of X."""


SHORTER = {"StochasticComplexityClustering": {"n_init": 3}}
"""A search that is as good an example, and takes less time."""


def fitted(made, X, exponent, **options):
    """A fit of X times 2 to a power, and what it leaves."""
    options = {"n_clusters": 3, **SHORTER.get(made.__name__, {}), **options}
    for name, value in IN_UNITS.get(made.__name__, {}).items():
        options[name] = float(np.ldexp(value, exponent))
    if "random_state" in made().get_params():
        options["random_state"] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of empty clusters and the like, in the library's name
        return made(**options).fit(np.ldexp(X, exponent))


@cache
def of_iris(made):
    """The fit that all others of iris are held against."""
    return fitted(made, IRIS, 0)


def assert_same_in_other_units(model, other, X, exponent):
    np.testing.assert_array_equal(model.labels_, other.labels_)
    # but for a mixture, whose determinants have logarithms, a power of two changes no bit
    rounding = 1e-9 if isinstance(model, cluster.GaussianMixtureEM) else 0.0
    is_binary = isinstance(model, cluster.StochasticComplexityClustering)  # its centres are shares of ones
    for name, power in UNITS.items():
        if hasattr(model, name) and not is_binary:
            wanted = np.asarray(getattr(model, name), float)
            found = np.ldexp(np.asarray(getattr(other, name), float), -power * exponent)
            least = max(rounding, 1e-300)  # a scale without spread is a smallest number, in no units
            np.testing.assert_allclose(found, wanted, rtol=rounding, atol=least, err_msg=name)
    np.testing.assert_array_equal(model.predict(X), other.predict(np.ldexp(X, exponent)))
    assert other.objective_ == pytest.approx(objective_in(model, X, exponent), rel=1e-12, abs=1e-300)


def objective_in(model, X, exponent):
    """The objective of a model in other units."""
    if isinstance(model, cluster.GaussianMixtureEM):  # densities: minus log of 2^-exponent for each number
        varying = int((X.min(axis=0) < X.max(axis=0)).sum())
        return model.objective_ + len(X) * varying * exponent * np.log(2)
    without_units = (cluster.StochasticComplexityClustering, cluster.DensityTree, cluster.MergedMixture)
    if isinstance(model, without_units):
        return model.objective_
    power = 1 if isinstance(model, cluster.MaxEntropyMemberships) else 2
    return np.ldexp(model.objective_, power * exponent)


@every
@pytest.mark.parametrize("exponent", [-500, -330, -199, -40, 40, 331, 500])
def test_units_change_no_clustering(made, exponent):
    assert_same_in_other_units(of_iris(made), fitted(made, IRIS, exponent), IRIS, exponent)


@st.composite
def small_data(draw):
    """Whole numbers with ties, duplicates and constant features, at least one of which varies."""
    n, d = draw(st.integers(4, 12)), draw(st.integers(1, 3))
    row = st.lists(st.integers(-9, 9), min_size=d, max_size=d)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=float)
    X[0, 0] += 30.0
    return X


@every
@given(X=small_data(), exponent=st.integers(-480, 490))
@settings(max_examples=25, deadline=None)
@pytest.mark.usefixtures("compiled")
def test_units_change_no_clustering_of_any_data(made, X, exponent):
    assert_same_in_other_units(fitted(made, X, 0), fitted(made, X, exponent), X, exponent)


FROM_CENTRES = [made for made in CLASSES if "array-like" in made._parameter_constraints.get("init", ())]


@pytest.mark.parametrize("made", FROM_CENTRES, ids=lambda made: made.__name__)
def test_starts_are_in_units_of_the_data(made):
    options = {"min_clusters": 3} if made is cluster.XMeans else {}
    starts = IRIS[[0, 70, 120]]
    model = fitted(made, IRIS, 0, init=starts, **options)
    other = fitted(made, IRIS, -500, init=np.ldexp(starts, -500).tolist(), **options)
    assert_same_in_other_units(model, other, IRIS, -500)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("exponent", [-500, 500])
def test_mixtures_of_every_shape(kind, exponent):
    X = np.column_stack([IRIS, np.full(150, 3.0)]) if kind != "spherical" else IRIS
    k, d = 2, X.shape[1]
    shapes = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}
    spread = np.broadcast_to(np.eye(d) if kind in ("full", "tied") else 1.0, shapes[kind])
    fits = []
    for e in (0, exponent):
        start = ([0.5, 0.5], np.ldexp(X[[0, 149]], e), np.ldexp(spread, 2 * e))
        model = cluster.GaussianMixtureEM(2, covariance_type=kind, init=start, stop="means", max_iter=500)
        fits.append(model.set_params(tol=float(np.ldexp(1e-9, e))).fit(np.ldexp(X, e)))
    model, other = fits
    np.testing.assert_array_equal(model.labels_, other.labels_)
    assert model.n_iter_ == other.n_iter_
    np.testing.assert_allclose(np.ldexp(other.means_, -exponent), model.means_, rtol=1e-12)
    varying = X.min(axis=0) < X.max(axis=0)
    if kind in ("full", "tied"):
        cells = np.ix_(varying, varying)
        found = np.ldexp(other.covariances_, -2 * exponent)
        np.testing.assert_allclose(found[..., *cells], model.covariances_[..., *cells], rtol=1e-12)
        assert (other.covariances_[..., 4, 4] == model.covariances_[..., 4, 4]).all()
    densities = model.score_samples(X) - varying.sum() * exponent * np.log(2)
    np.testing.assert_allclose(other.score_samples(np.ldexp(X, exponent)), densities, rtol=1e-12)
    assert other.objective_ == pytest.approx(objective_in(model, X, exponent), rel=1e-12)
    for criterion, power in (("aic", 2 * len(X)), ("bic", 2 * len(X)), ("icl", 2 * len(X)), ("pnc", 1)):
        wanted = getattr(model, criterion)(X) + power * varying.sum() * exponent * np.log(2)
        assert getattr(other, criterion)(np.ldexp(X, exponent)) == pytest.approx(wanted, rel=1e-9)


def test_x_means_tells_its_criterion_in_units_of_the_data():
    model, other = (fitted(cluster.XMeans, IRIS, e, n_clusters=9) for e in (0, -500))
    assert other.n_clusters_ == model.n_clusters_
    assert other.bic_ == pytest.approx(model.bic_ + 2 * IRIS.size * -500 * np.log(2), rel=1e-12)


def test_ward_in_any_units():
    expected = cluster.ward_partition(IRIS, 4).labels
    for exponent in (-900, -500, 500):
        np.testing.assert_array_equal(cluster.ward_partition(np.ldexp(IRIS, exponent), 4).labels, expected)


@every
def test_data_too_small_to_be_squared_are_clustered_all_the_same(made):
    model, other = of_iris(made), fitted(made, IRIS, -1000)
    np.testing.assert_array_equal(model.labels_, other.labels_)
    np.testing.assert_array_equal(other.predict(np.ldexp(IRIS, -1000)), other.labels_)


@given(exponent=st.integers(-1070, 505))
def test_ordinary_data_are_left_alone(exponent):
    X = np.ldexp([[0.0, -1.0], [0.5, 1.0]], exponent)
    shift = working_exponent(X)
    assert (shift == 0) == (ORDINARY[0] <= np.abs(X).max() <= ORDINARY[1])
    assert ORDINARY[0] <= np.ldexp(np.abs(X).max(), shift) <= ORDINARY[1]


@every
def test_new_data_may_be_far_larger_than_those_of_the_fit(made):
    model = fitted(made, IRIS, -500)
    assert model.predict(np.full((2, 4), 1e100)).max() < 3
    with pytest.raises(ParameterError, match="too large to be squared"):
        model.predict(np.full((1, 4), 1e200))
