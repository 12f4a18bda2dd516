"""Mixtures over numbers of components and their merging: against the slow reference, by hand, odd input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from partita.cluster import MergedMixture
from partita.cluster.merged_mixture import Merging, mixtures_over_k, standardised
from partita.errors import EmptyClusterWarning, ParameterError
from partita.statistics.clusters.mixtures import GivenMixture, free_parameters
from reference import answers as reference

CORNERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
CLOUDS = np.repeat(CORNERS, 30, axis=0) + np.random.default_rng(0).normal(size=(90, 2))
THREE = np.repeat([0, 1, 2], 30)
NAMES = {"full": "full", "diag": "diagonal", "tied": "tied"}


def moons(n=80):
    t = np.linspace(0, np.pi, n // 2)
    both = np.vstack(
        [np.column_stack([np.cos(t), np.sin(t)]), np.column_stack([1 - np.cos(t), 0.5 - np.sin(t)])]
    )
    return both + np.random.default_rng(1).normal(scale=0.05, size=both.shape)


RNG = np.random.default_rng(2)
DATA = {
    "clouds": CLOUDS,
    "moons": moons(),
    "one normal group": RNG.normal(size=(100, 2)),
    "one column": CLOUDS[:, :1],
    "five columns": np.column_stack([CLOUDS, RNG.normal(size=(90, 3))]),
    "a constant column": np.column_stack([CLOUDS, np.full(90, 4.0)]),
}


# --- standardised columns -----------------------------------------------------------------------------------


def test_columns_are_standardised_and_constant_ones_are_zero():
    X = np.column_stack([CLOUDS, np.full(90, 0.1), np.full(90, 1e90)])
    np.testing.assert_allclose(standardised(CLOUDS), reference.standardised(CLOUDS), atol=1e-12)
    assert (standardised(X)[:, 2:] == 0.0).all()
    assert (
        np.abs(standardised(1e-150 * CLOUDS)) < 1e-140
    ).all()  # squares are no numbers: as good as constant


# --- mixtures over k ----------------------------------------------------------------------------------------


def in_order(memberships):
    """The columns in an order that does not depend on the names of the clusters."""
    return memberships[:, np.argsort(np.arange(len(memberships)) @ memberships)]


@pytest.mark.parametrize("name", DATA)
def test_mixtures_are_those_of_the_definition_after_one_more_m_step(name):
    Z = standardised(DATA[name])
    found = {(NAMES[fit.covariance_type], fit.k): fit for fit in mixtures_over_k(Z)}
    expected = reference.fit_mixtures(DATA[name])
    assert set(found) == {(one.kind, one.k) for one in expected}
    for one in expected:
        fit = found[one.kind, one.k]
        parameters = reference.m_step(Z, one.posteriors, one.kind)
        posterior, likelihood = reference.e_step(Z, *parameters)
        bic = likelihood - reference.n_parameters(one.kind, one.k, Z.shape[1]) / 2 * math.log(len(Z))
        assert fit.bic == pytest.approx(bic, abs=1e-6)
        np.testing.assert_allclose(in_order(fit.memberships), in_order(posterior), atol=1e-6)
        np.testing.assert_array_equal(fit.labels, fit.memberships.argmax(axis=1))


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_bic_is_that_of_scikit_learn_for_the_same_mixture(kind):
    Z = standardised(DATA["five columns"])
    (fit,) = mixtures_over_k(Z, [3], [kind])
    model = GaussianMixture(3, covariance_type=kind)
    model.weights_, model.means_, model.covariances_ = (
        getattr(fit.mixture, name) for name in ("weights_", "means_", "covariances_")
    )
    matrices = np.array(list(fit.mixture.covariance_matrices()))
    model.precisions_cholesky_ = {
        "full": lambda: np.linalg.cholesky(np.linalg.inv(matrices)),
        "tied": lambda: np.linalg.cholesky(np.linalg.inv(matrices[0])),
        "diag": lambda: 1 / np.sqrt(model.covariances_),
        "spherical": lambda: 1 / np.sqrt(model.covariances_),
    }[kind]()
    assert -2 * fit.bic == pytest.approx(model.bic(Z), rel=1e-9)
    np.testing.assert_allclose(fit.memberships, model.predict_proba(Z), atol=1e-9)
    assert (fit.k, fit.covariance_type) == (3, kind)


def test_mixtures_that_the_data_cannot_carry_are_left_out():
    for fit in mixtures_over_k(standardised(DATA["moons"])):
        assert len(fit.labels) >= (5 if fit.k <= 20 else 10) * fit.k
        assert fit.k == 1 or np.bincount(fit.labels, minlength=fit.k).min() >= 3
    few = RNG.normal(size=(30, 6))
    for fit in mixtures_over_k(few):
        assert free_parameters(fit.covariance_type, fit.k, 6) <= 0.5 * few.size
    assert {fit.covariance_type for fit in mixtures_over_k(few)} == {"full", "diag", "tied"}
    assert mixtures_over_k(few[:4]) == []
    assert [fit.k for fit in mixtures_over_k(few, [9, 2], ["diag"])] == [2]
    copies = np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0)
    assert {fit.k for fit in mixtures_over_k(standardised(copies))} <= {1, 2}  # no tree has a third cluster


def test_k_rises_until_bic_has_not_improved_for_five_and_then_in_steps():
    ks = [fit.k for fit in mixtures_over_k(standardised(CLOUDS))]
    assert ks == [1, 2, 3, 4, 5, 6, 7, 8][: len(ks)]
    assert max(mixtures_over_k(standardised(CLOUDS)), key=lambda fit: fit.bic).k == 3
    grid = np.array([[8.0 * i, 8.0 * j] for i in range(6) for j in range(5)])
    X = np.repeat(grid, 12, axis=0) + np.random.default_rng(0).normal(scale=0.3, size=(360, 2))
    fits = mixtures_over_k(standardised(X))
    assert max(fits, key=lambda fit: fit.bic).k == 30
    assert {25, 32, 30} <= {fit.k for fit in fits}  # 30 is a neighbour of 32


# --- merging ------------------------------------------------------------------------------------------------


def mixture_of(means, sds, weights=None):
    means = np.array(means, dtype=float)
    d = means.shape[1]
    weights = np.full(len(means), 1 / len(means)) if weights is None else np.array(weights)
    return GivenMixture(weights, means, np.array([sd**2 * np.eye(d) for sd in sds]))


def in_the_form_of_the_reference(mixture):
    covariances = np.array(list(mixture.covariance_matrices()))
    k = len(mixture.weights_)
    nothing = np.zeros((0, k))
    return reference.Mixture("full", k, mixture.weights_, mixture.means_, covariances, nothing, nothing, 0.0)


@st.composite
def mixtures(draw):
    k, d = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    roots = rng.normal(size=(k, d, d))
    covariances = roots @ roots.transpose(0, 2, 1) + 0.05 * np.eye(d)
    return GivenMixture(rng.dirichlet(np.ones(k)), 2 * rng.normal(size=(k, d)), covariances)


@settings(max_examples=25)
@given(mixtures())
def test_saddles_prominences_and_the_elder_rule_are_those_of_the_definition(mixture):
    merging = Merging.of(mixture)
    expected = reference.merges_of(in_the_form_of_the_reference(mixture))
    np.testing.assert_allclose(merging.prominences, [one.prominence for one in expected], atol=1e-8)
    if np.diff(merging.prominences, prepend=0.0).min() > 1e-6:  # in what order equal ones join is free
        assert merging.joins.tolist() == [[one.component, one.into] for one in expected]


@settings(max_examples=25)
@given(mixtures())
def test_groups_are_nested_and_hold_all_components(mixture):
    merging, k = Merging.of(mixture), len(mixture.weights_)
    assert (merging.prominences >= -1e-12).all()
    finer = merging.groups(k)
    assert finer.tolist() == list(range(k))
    for count in range(k - 1, 0, -1):
        coarser = merging.groups(count)
        assert set(coarser.tolist()) == set(range(count))
        assert all(len(set(coarser[finer == j].tolist())) == 1 for j in set(finer.tolist()))
        finer = coarser


def test_prominence_by_hand():
    """Two equal peaks 6 deviations apart: at the middle each component has exp(-9 / 2) of its peak."""
    merging = Merging.of(mixture_of([[0.0], [6.0]], [1, 1]))
    peak = (1 + math.exp(-18)) / 2
    assert merging.prominences == pytest.approx([math.log(peak / math.exp(-4.5))])
    alone = Merging.of(mixture_of([[0.0, 1.0]], [1]))
    assert (alone.prominences.size, alone.groups(1).tolist()) == (0, [0])


def test_the_lower_peak_joins_the_higher_one():
    merging = Merging.of(mixture_of([[0.0], [3.0], [20.0]], [1, 1, 1], [0.5, 0.2, 0.3]))
    assert merging.joins.tolist() == [[1, 0], [2, 0]]
    assert merging.groups(2).tolist() == [0, 0, 1]
    assert merging.memberships(np.array([[0.2, 0.3, 0.5]]), 2).tolist() == [[0.5, 0.5]]


def test_the_density_may_hardly_drop_on_the_ridge_though_it_does_on_the_straight_line():
    """Two long components at a right angle: the straight line between their means leaves both."""
    long, high = np.diag([9.0, 0.01]), np.diag([0.01, 9.0])
    mixture = GivenMixture([0.5, 0.5], [[0.0, 0.0], [4.0, 4.0]], [long, high])
    peaks = [
        sum(
            0.5 * multivariate_normal(m, S).pdf(at) for m, S in zip(mixture.means_, (long, high), strict=True)
        )
        for at in ([0.0, 0.0], [4.0, 4.0], [4.0, 0.0])
    ]
    assert Merging.of(mixture).prominences[0] <= math.log(min(peaks[:2]) / peaks[2]) + 1.0


# --- the estimator ------------------------------------------------------------------------------------------


def test_it_is_the_mixture_of_best_bic_joined():
    model = MergedMixture().fit(CLOUDS)
    fits = mixtures_over_k(standardised(CLOUDS))
    best = max(fits, key=lambda fit: fit.bic)
    assert model.bic_ == {(fit.covariance_type, fit.k): fit.bic for fit in fits}
    assert (model.n_clusters_, model.objective_, model.n_iter_) == (3, -best.bic, len(fits))
    np.testing.assert_array_equal(model.labels_, best.labels)
    np.testing.assert_array_equal(model.memberships_, best.memberships)
    assert reference.adjusted_rand(model.labels_, THREE) == 1.0
    assert list(model.persistence_) == [3, 2]
    assert all(rise >= 0 for rise in model.persistence_.values())
    assert sum(model.persistence_.values()) == pytest.approx(Merging.of(best.mixture).prominences[-1])


def test_thin_components_of_a_curve_are_joined():
    X, groups = moons(200), np.repeat([0, 1], 100)
    model = MergedMixture(2).fit(X)
    assert model.mixture_.k > 2
    assert reference.adjusted_rand(model.labels_, groups) > 0.95
    for k in range(1, model.mixture_.k + 1):
        assert set(model.cut(k).tolist()) == set(range(k))
        alone = MergedMixture(k, n_components=model.mixture_.k).fit(X)
        np.testing.assert_array_equal(alone.labels_, model.cut(k))


def test_only_mixtures_of_enough_components_are_used():
    two = MergedMixture(5).fit(CLOUDS)
    assert two.mixture_.k >= 5
    assert two.n_clusters_ == 5
    with pytest.warns(EmptyClusterWarning, match="n_clusters=30 takes"):
        many = MergedMixture(30).fit(CLOUDS)
    assert many.n_clusters_ == many.labels_.max() + 1 < 30
    with pytest.warns(EmptyClusterWarning, match="n_clusters=3 takes 2"):
        assert MergedMixture(3, n_components=2).fit(CLOUDS).n_clusters_ == 2


def test_new_objects_go_where_their_posterior_is_largest():
    X = CLOUDS * [1.0, 50.0] + [3.0, -70.0]
    model = MergedMixture().fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.predict_proba(X), model.memberships_, atol=1e-9)
    new = CORNERS * [1.0, 50.0] + [3.0, -70.0]
    np.testing.assert_array_equal(model.predict(new), model.labels_[[0, 30, 60]])
    assert MergedMixture(2).fit(X).predict_proba(new).shape == (3, 2)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_the_shape_of_covariances_may_be_given(kind):
    model = MergedMixture(covariance_type=kind).fit(CLOUDS)
    assert {shape for shape, _ in model.bic_} == {kind}
    assert reference.adjusted_rand(model.labels_, THREE) == 1.0


@pytest.mark.parametrize("n", [1, 2, 4, 5, 9])
def test_few_objects_are_few_clusters(n):
    model = MergedMixture().fit(CLOUDS[:: 90 // n][:n])
    assert model.labels_.tolist() == [0] * n or n == 9
    assert np.isfinite(model.objective_)


@pytest.mark.parametrize("kind", ["auto", "full", "tied", "diag", "spherical"])
def test_one_object_is_one_cluster_whatever_the_shape(kind):
    model = MergedMixture(covariance_type=kind).fit([[3.0, -1.0]])
    assert model.predict_proba([[3.0, -1.0], [9.0, 9.0]]).tolist() == [[1.0], [1.0]]
    assert model.mixture_.mixture.means_.tolist() == [[0.0, 0.0]]
    assert model.partition_.n_clusters == 1


def test_what_it_cannot_do_is_refused():
    with pytest.raises(ParameterError, match="no mixture of 25 components") as problem:
        MergedMixture(n_components=25).fit(CLOUDS)
    assert problem.value.parameter == "n_components"
    model = MergedMixture().fit(CLOUDS)
    for k in (0, 4, True, 2.0, "2", None):
        with pytest.raises(ParameterError, match="3 components") as problem:
            model.cut(k)
        assert problem.value.parameter == "n_clusters"
    for options in ({"n_clusters": 0}, {"n_components": [2, 3]}, {"covariance_type": "round"}):
        with pytest.raises(ParameterError, match=next(iter(options))):
            MergedMixture(**options).fit(CLOUDS)


def test_the_order_of_objects_and_columns_and_units_do_not_matter():
    order = np.random.default_rng(0).permutation(90)
    plain = MergedMixture(2).fit(DATA["five columns"])
    for X, labels in (
        (DATA["five columns"][order], plain.labels_[order]),
        (DATA["five columns"][:, ::-1], plain.labels_),
        (DATA["five columns"] * [1e-6, 1.0, 30.0, 1e5, 2.0] + 17.0, plain.labels_),
    ):
        other = MergedMixture(2).fit(X)
        assert other.objective_ == pytest.approx(plain.objective_, rel=1e-6)
        assert reference.adjusted_rand(other.labels_, labels) == 1.0
