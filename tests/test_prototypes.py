"""Fuzzy and possibilistic c-means and memberships of maximal entropy: definitions, peers, laws, odd data.

The last part holds for rough k-means and evidential c-means too, whose own tests are in
test_rough_and_evidential.py.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import entr
from skfuzzy import cmeans
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from partita.cluster import GaussianMixtureEM, GeneticKMeans, GlobalKMeans, RandomSwap
from partita.cluster.centres import starting_centres
from partita.cluster.evidential import EvidentialCMeans
from partita.cluster.fuzzy import FuzzyCMeans, MaxEntropyMemberships, fuzzy_memberships
from partita.cluster.possibilistic import PossibilisticCMeans
from partita.cluster.rough import RoughKMeans
from partita.errors import ConvergenceWarning, ParameterError, PartitaWarning
from reference import prototypes as reference

X, SPECIES = load_iris(return_X_y=True)
STARTS = X[[0, 60, 120]] + 1e-3
FUZZIFIERS = (1.01, 1.3, 2.0, 3.7)
METHODS = [FuzzyCMeans, PossibilisticCMeans, MaxEntropyMemberships, RoughKMeans, EvidentialCMeans]
MOVING = [FuzzyCMeans, PossibilisticCMeans, EvidentialCMeans]


def quietly(model, data):
    """The fit, where our own warnings are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartitaWarning)
        return model.fit(data)


def values(model):
    """What a fit says of each object, whatever it is called."""
    names = ("memberships_", "typicalities_", "masses_")
    return next((getattr(model, name) for name in names if hasattr(model, name)), None)


@st.composite
def problems(draw, min_clusters=1):
    """Points on a small grid, some of them equal, and as many of them as centres."""
    k, d = draw(st.integers(min_clusters, 3)), draw(st.integers(1, 3))
    point = st.lists(st.integers(-4, 4), min_size=d, max_size=d)
    data = np.array(draw(st.lists(point, min_size=k, max_size=9)), dtype=float)
    rows = draw(st.lists(st.integers(0, len(data) - 1), min_size=k, max_size=k))
    return data, data[rows] + draw(st.sampled_from([0.0, 0.25]))


# --- fuzzy c-means ------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1.3, 2.0, 3.7])
@pytest.mark.parametrize("iterations", [1, 7, 200])
def test_fuzzy_c_means_is_scikit_fuzzy_s(m, iterations):
    """From the same memberships, iteration by iteration."""
    start = reference.fuzzy_memberships(X, STARTS, m).T
    centres, memberships, *_ = cmeans(X.T, 3, m, 0.0, iterations, init=start)
    fit = quietly(FuzzyCMeans(3, m=m, init=STARTS, max_iter=iterations, tol=0), X)
    np.testing.assert_allclose(fit.cluster_centers_, centres, atol=1e-6)
    np.testing.assert_allclose(fit.memberships_, memberships.T, atol=1e-6)


@given(problems(), st.sampled_from([1.3, 2.0, 3.7]), st.integers(1, 4))
def test_fuzzy_c_means_by_the_definition(problem, m, iterations):
    data, start = problem
    model = quietly(FuzzyCMeans(len(start), m=m, init=start, max_iter=iterations, tol=0), data)
    centres, objective = reference.fuzzy_c_means(data, start, m, model.n_iter_)
    np.testing.assert_allclose(model.cluster_centers_, centres, atol=1e-9)
    assert model.objective_ == pytest.approx(objective, rel=1e-9, abs=1e-12)
    memberships = reference.fuzzy_memberships(data, model.cluster_centers_, m)
    np.testing.assert_allclose(model.memberships_, memberships, atol=1e-9)


def test_objects_on_centres_belong_to_them_evenly():
    centres = np.array([[0.0], [0.0], [5.0]])
    for m in FUZZIFIERS:
        memberships, objective = fuzzy_memberships(centres, centres, m)
        assert memberships.tolist() == [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
        assert objective == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_a_fuzzifier_near_one_is_k_means(seed):
    start = X[np.random.default_rng(seed).choice(len(X), 3, replace=False)]
    hard = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    fit = FuzzyCMeans(3, m=1 + 1e-6, init=start).fit(X)
    np.testing.assert_allclose(fit.cluster_centers_, hard.cluster_centers_, atol=1e-9)
    np.testing.assert_array_equal(fit.labels_, hard.labels_)
    assert fit.objective_ == pytest.approx(hard.inertia_)


def test_a_huge_fuzzifier_is_even():
    fit = FuzzyCMeans(3, m=1e4, init=STARTS).fit(X)
    np.testing.assert_allclose(fit.memberships_, 1 / 3, atol=1e-3)


# --- possibilistic c-means ----------------------------------------------------------------------------


@given(problems(), st.sampled_from([1.3, 2.0, 3.7]), st.integers(1, 4))
def test_possibilistic_c_means_by_the_definition(problem, m, iterations):
    data, start = problem
    start = start + np.linspace(0.1, 0.3, len(start))[:, None]  # apart, so that no scale is zero
    model = quietly(PossibilisticCMeans(len(start), m=m, init=start, max_iter=iterations, tol=0), data)
    centres, scales, typicalities, objective = reference.possibilistic_c_means(data, start, m, model.n_iter_)
    np.testing.assert_allclose(model.scales_, scales, rtol=1e-9)
    np.testing.assert_allclose(model.cluster_centers_, centres, atol=1e-9)
    np.testing.assert_allclose(model.typicalities_, typicalities, atol=1e-9)
    assert model.objective_ == pytest.approx(objective, rel=1e-9)


def test_possibilistic_c_means_starts_from_fuzzy_c_means():
    start = FuzzyCMeans(3, init=STARTS, tol=1e-12).fit(X)
    fit = quietly(PossibilisticCMeans(3, m=2.0, random_state=0), X)
    weights = start.memberships_**2
    squared = ((X[:, None] - start.cluster_centers_) ** 2).sum(axis=2)
    scales = (weights * squared).sum(axis=0) / weights.sum(axis=0)
    np.testing.assert_allclose(np.sort(fit.scales_), np.sort(scales), rtol=1e-4)


def test_possibilistic_centres_may_coincide_and_a_warning_says_so():
    with pytest.warns(PartitaWarning, match="2 of 3 centres of PossibilisticCMeans lie on another one"):
        PossibilisticCMeans(3, random_state=0).fit(X)
    apart = PossibilisticCMeans(2, init=[[1.0], [10.0]], m=1.5)
    assert len(apart.fit([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]]).cluster_centers_) == 2


def test_an_outlier_keeps_its_nearest_cluster():
    """Its typicalities are below the smallest number: the nearest is that number, the other 0."""
    data = np.array([[0.0], [1.0], [9.0], [10.0], [1e6]])
    fit = PossibilisticCMeans(2, init=[[0.5], [9.5]], m=1.01).fit(data[:-1])
    far = fit._typicalities(data[-1:])[0]
    assert far.tolist() == [[0.0, np.finfo(float).tiny]]
    assert fit.predict(data).tolist() == [0, 0, 1, 1, 1]


# --- maximal entropy ----------------------------------------------------------------------------------


def areas_and_means():
    """The features and centres of rovetta2009's Iris experiment: two areas, and the means of the species."""
    areas = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] * X[:, 3]])
    return areas, np.array([areas[species == SPECIES].mean(axis=0) for species in range(3)])


@pytest.mark.parametrize("beta", [0.2, 1.0, 30.0])
def test_max_entropy_memberships_of_rovetta2009(beta):
    areas, means = areas_and_means()
    fit = MaxEntropyMemberships(3, beta=beta, init=means).fit(areas)
    expected = reference.max_entropy_memberships(areas, means, beta)
    np.testing.assert_allclose(fit.memberships_, expected, atol=1e-12)
    np.testing.assert_array_equal(fit.cluster_centers_, means)
    distances = np.sqrt(((areas[:, None] - means) ** 2).sum(axis=2))
    assert fit.objective_ == pytest.approx((expected * distances - beta * entr(expected)).sum())


def test_max_entropy_memberships_range_from_the_nearest_centre_to_even():
    areas, means = areas_and_means()
    nearest = ((areas[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    sharp = MaxEntropyMemberships(3, beta=1e-300, init=means).fit(areas)
    np.testing.assert_array_equal(sharp.memberships_, np.eye(3)[nearest])
    even = MaxEntropyMemberships(3, beta=1e12, init=means).fit(areas)
    np.testing.assert_allclose(even.memberships_, 1 / 3, atol=1e-10)


def test_max_entropy_centres_are_those_of_k_means():
    fit = MaxEntropyMemberships(3, random_state=0).fit(X)
    again = KMeans(3, init=fit.cluster_centers_, n_init=1).fit(X)
    np.testing.assert_allclose(fit.cluster_centers_, again.cluster_centers_, atol=1e-9)


# --- laws ---------------------------------------------------------------------------------------------


@given(problems(min_clusters=2), st.sampled_from(FUZZIFIERS), st.sampled_from(MOVING))
@pytest.mark.usefixtures("compiled")
def test_the_objective_never_rises(problem, fuzzifier, method):
    data, start = problem
    name = "beta" if method is EvidentialCMeans else "m"
    fits = [
        quietly(method(len(start), init=start, max_iter=n, tol=0, **{name: fuzzifier}), data).objective_
        for n in range(1, 9)
    ]
    steps = np.diff(fits)
    assert (steps <= 1e-9 * max(fits[0], 1e-300)).all()


@given(problems(), st.sampled_from([*FUZZIFIERS, 50.0]), st.sampled_from(MOVING))
def test_shares_are_shares(problem, fuzzifier, method):
    data, start = problem
    name = "beta" if method is EvidentialCMeans else "m"
    fit = quietly(method(len(start), init=start, **{name: fuzzifier}), data)
    shares = values(fit)
    assert ((shares >= 0) & (shares <= 1)).all()
    if method is not PossibilisticCMeans:
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("method", [FuzzyCMeans, PossibilisticCMeans, MaxEntropyMemberships])
def test_the_order_of_the_centres_is_the_order_of_the_columns(method):
    order = [2, 0, 1]
    fit, other = (quietly(method(3, init=start), X) for start in (STARTS, STARTS[order]))
    np.testing.assert_allclose(values(other), values(fit)[:, order], atol=1e-6)
    np.testing.assert_allclose(other.cluster_centers_, fit.cluster_centers_[order], atol=1e-5)


@pytest.mark.parametrize("method", [*MOVING, RoughKMeans])
def test_units_and_origin_change_nothing(method):
    """Powers of two scale without rounding."""
    options = {"delta": 10.0 * 64} if method is EvidentialCMeans else {}
    fit = quietly(method(3, init=STARTS), X)
    scaled = quietly(method(3, init=STARTS * 64, **options), X * 64)
    np.testing.assert_array_equal(scaled.cluster_centers_, fit.cluster_centers_ * 64)
    assert scaled.n_iter_ == fit.n_iter_
    moved = quietly(method(3, init=STARTS + 1024.0), X + 1024.0)
    np.testing.assert_allclose(moved.cluster_centers_ - 1024.0, fit.cluster_centers_, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_threads_change_no_bit(method, monkeypatch):
    """Several blocks of objects, and several starts."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(30_000, 3)) + rng.integers(0, 4, (30_000, 1)) * 4
    options = (
        {"n_init": 3, "max_iter": 20} if method not in (PossibilisticCMeans, MaxEntropyMemberships) else {}
    )
    fits = []
    for threads, n_jobs in (("1", 1), ("2", 2)):
        monkeypatch.setenv("PARTITA_NUM_THREADS", threads)
        if "n_init" in options:
            options["n_jobs"] = n_jobs
        fits.append(quietly(method(4, random_state=0, **options), data))
    assert fits[0].cluster_centers_.tobytes() == fits[1].cluster_centers_.tobytes()
    assert fits[0].objective_ == fits[1].objective_
    assert fits[0].labels_.tobytes() == fits[1].labels_.tobytes()


@pytest.mark.parametrize("method", [FuzzyCMeans, RoughKMeans, EvidentialCMeans])
def test_the_best_of_several_starts_is_kept(method):
    starts = [starting_centres(X, 3, "random", seed) for seed in np.random.default_rng(3).spawn(6)]
    alone = [quietly(method(3, init=start), X).objective_ for start in starts]
    together = quietly(method(3, init="random", n_init=6, random_state=3), X)
    assert together.objective_ == pytest.approx(min(alone), rel=1e-9)
    assert min(alone) < max(alone)


def test_a_fit_that_was_cut_short_says_so():
    for method in (*MOVING, RoughKMeans):
        with pytest.warns(ConvergenceWarning, match=f"{method.__name__} did not converge in max_iter=1"):
            method(3, init=STARTS, max_iter=1).fit(X)


@pytest.mark.parametrize("method", METHODS)
def test_new_objects_are_treated_as_the_old_ones(method):
    fit = quietly(method(3, random_state=0), X)
    np.testing.assert_array_equal(fit.predict(X), fit.labels_)
    if hasattr(fit, "predict_proba"):
        np.testing.assert_array_equal(fit.predict_proba(X), fit.memberships_)


# --- odd data -----------------------------------------------------------------------------------------

GRID = np.array([[0.0, 0.1], [0.3, 0.2], [0.1, 0.5], [7.0, 7.2], [7.1, 7.7], [7.9, 7.3], [3.6, 3.1]])


@pytest.mark.parametrize("method", METHODS)
def test_centres_that_are_none_are_refused(method):
    with pytest.raises(ParameterError, match="init is no set of starting centres"):
        method(3, init=GRID[:2]).fit(GRID)


@pytest.mark.parametrize("method", METHODS)
def test_one_object_and_frames(method):
    alone = method(1).fit([[3.0, 4.0]])
    assert alone.cluster_centers_.tolist() == [[3.0, 4.0]]
    names = [f"object {i}" for i in range(7)]
    fit = quietly(method(2, random_state=0), pd.DataFrame(GRID, index=names, columns=["a", "b"]))
    assert list(fit.partition_.index) == names
    assert fit.partition_.frame == "pandas"


@pytest.mark.parametrize("method", [FuzzyCMeans, MaxEntropyMemberships])
def test_centres_that_must_coincide_are_reported(method):
    with pytest.warns(PartitaWarning, match="lie on another one"):
        method(3, random_state=0).fit(np.repeat(GRID[[0, 4]], 4, axis=0))


# --- starts -----------------------------------------------------------------------------------------------


def test_ten_starts_of_evidential_c_means_find_the_better_of_two_optima_of_iris():
    def objectives(**options):
        fits = (EvidentialCMeans(3, beta=1.5, random_state=seed, **options).fit(X) for seed in range(20))
        return np.array([fit.objective_ for fit in fits])

    one, usual = objectives(n_init=1), objectives()
    best = one.min()
    assert (one > best * (1 + 1e-4)).any()  # the other optimum, 0.1 % worse
    np.testing.assert_allclose(usual, best, rtol=1e-6)


@pytest.mark.parametrize("options", [{}, {"tol": 1e-2}, {"max_iter": 20}, {"tol": 0.0, "max_iter": 60}])
def test_a_start_that_was_tried_first_goes_on_with_the_same_steps(options):
    fit = quietly(EvidentialCMeans(3, init=STARTS, **options), X)
    centres, movement = [STARTS], []
    for _ in range(fit.n_iter_):
        centres.append(quietly(EvidentialCMeans(3, init=centres[-1], max_iter=1), X).cluster_centers_)
        movement.append(np.linalg.norm(centres[-1] - centres[-2], axis=1).max())
    np.testing.assert_array_equal(fit.cluster_centers_, centres[-1])
    least = options.get("tol", 1e-6) * np.sqrt(X.var(axis=0).sum())
    assert min(movement[:-1]) > least
    assert movement[-1] <= least or fit.n_iter_ == options["max_iter"]


@pytest.mark.parametrize("max_iter", [20, 25, 28, 30, 40])
def test_a_start_stopped_between_the_two_tolerances_has_not_converged(max_iter):
    with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter} "):
        fit = EvidentialCMeans(3, init=STARTS, max_iter=max_iter).fit(X)
    assert fit.n_iter_ == max_iter


FROM_K_CENTRES = [*METHODS, RandomSwap, GlobalKMeans, GeneticKMeans, GaussianMixtureEM]


@pytest.mark.parametrize("method", FROM_K_CENTRES, ids=lambda method: method.__name__)
@given(distinct=st.integers(1, 3), more=st.integers(1, 2), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None)
@pytest.mark.usefixtures("compiled")
def test_more_clusters_than_distinct_points_are_warned_of(method, distinct, more, seed):
    rng = np.random.default_rng(seed)
    points = 10.0 * np.arange(distinct)[:, None] + rng.uniform(size=(distinct, 2))
    data = points[np.r_[np.arange(distinct), rng.integers(distinct, size=12)]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        method(distinct + more, random_state=0).fit(data)
    assert all(issubclass(warning.category, PartitaWarning) for warning in caught)
    said = " ".join(str(warning.message) for warning in caught)
    assert "lie on another one" in said or "are empty" in said


@pytest.mark.parametrize("variant", ["pi", "lingras", "peters"])
def test_rough_k_means_warns_of_centres_at_one_place(variant):
    data = np.repeat([[0.0, 0.0], [5.0, 5.0]], 10, axis=0)
    with pytest.warns(PartitaWarning, match="centres of RoughKMeans lie on another one"):
        RoughKMeans(4, variant=variant, random_state=0).fit(data)
