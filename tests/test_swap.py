"""Lloyd's iteration and random swap: against scikit-learn, by the definition, and on the slides' data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from partita.cluster.centres import lloyd, nearest, starting_centres
from partita.cluster.swap import RandomSwap, swap_search, swap_searches
from partita.errors import ConvergenceWarning, EmptyClusterWarning, ParameterError
from partita.indices.centroids import centroid_index
from partita.kernels.swaps import NOBODY, gather, swap, try_swap
from partita.statistics.clusters.centroid_pairs import CentroidPair
from reference.kmeans import lloyd_by_definition, sum_of_squares
from shared_data import centroids, features, full

IRIS = load_iris().data
UNTIED = IRIS + 1e-6 * np.random.default_rng(0).random(IRIS.shape)  # objects at equal distances go either way


@st.composite
def problems(draw, most=40):
    """Objects on a small grid, so that ties, duplicates and empty clusters occur; a number of clusters."""
    n, d = draw(st.integers(1, most)), draw(st.integers(1, 3))
    cells = st.lists(st.integers(0, 6), min_size=d, max_size=d)
    X = np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=float)
    return X, draw(st.integers(1, min(n, 6)))


seeds = st.integers(0, 2**32 - 1)


def wrong_centroids(truth: np.ndarray, found: np.ndarray) -> float:
    return float(centroid_index.of(CentroidPair.from_centers(truth, found)))


# --- nearest centres and Lloyd --------------------------------------------------------------------------


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=16), data=st.data()
)
def test_centres_are_the_means_of_the_labels_whatever_ties_there_are(rows, data):
    X = np.array(rows, dtype=float)
    points = np.unique(X, axis=0)
    k = data.draw(st.integers(1, min(5, len(points))))
    fit = lloyd(X, points[data.draw(st.permutations(range(len(points))))[:k]])
    means = [X[fit.labels == j].mean(axis=0) for j in range(k) if (fit.labels == j).any()]
    assert fit.converged
    np.testing.assert_allclose(means, fit.centres[np.unique(fit.labels)], atol=1e-12)
    assert fit.objective == pytest.approx(np.square(X - fit.centres[fit.labels]).sum(), abs=1e-12)


def test_centres_are_the_means_of_the_labels_where_an_object_is_equally_near_to_two():
    """A tie that is settled anew moves an object, and its centre with it (it gave centres 4 and 2)."""
    X = np.array([[0.0], [4.0], [3.0], [3.0]])
    fit = lloyd(X, np.array([[4.0], [3.0]]))
    means = [X[fit.labels == j].mean() for j in (0, 1)]
    np.testing.assert_allclose(fit.centres[:, 0], means)


@given(problems(), seeds)
def test_the_nearest_centre_is_the_first_of_the_nearest(problem, seed):
    X, k = problem
    centres = starting_centres(X, k, "random", np.random.default_rng(seed))
    squares = ((X[:, None] - centres) ** 2).sum(axis=2)
    labels, squared = nearest(X, centres)
    assert (labels == squares.argmin(axis=1)).all()
    np.testing.assert_allclose(squared, squares.min(axis=1), rtol=1e-14)


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 8, 40])
@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_lloyd_is_scikit_learns_from_the_same_start(n_clusters, init):
    centres = starting_centres(UNTIED, n_clusters, init, np.random.default_rng(n_clusters))
    peer = KMeans(n_clusters, init=centres, n_init=1, max_iter=300, tol=0).fit(UNTIED)
    found = lloyd(UNTIED, centres)
    assert found.converged
    assert found.n_iter == peer.n_iter_
    assert found.objective == pytest.approx(peer.inertia_, rel=1e-12)
    np.testing.assert_allclose(found.centres, peer.cluster_centers_, rtol=1e-12)


@given(problems(), seeds)
def test_lloyd_ends_where_its_definition_does(problem, seed):
    """Without an empty cluster on the way, which each may fill in a way of its own."""
    X, k = problem
    X = X + 1e-6 * np.random.default_rng(seed).random(X.shape)  # no ties
    centres = starting_centres(X, k, "random", np.random.default_rng(seed))
    path = lloyd_by_definition(X, centres)
    if path is None:
        return
    found = lloyd(X, centres)
    np.testing.assert_allclose(found.centres, path[-1], rtol=1e-9)
    assert found.n_iter == len(path)


@given(problems(), seeds)
def test_no_iteration_of_lloyd_makes_it_worse(problem, seed):
    X, k = problem
    centres = starting_centres(X, k, "random", np.random.default_rng(seed))
    values = [sum_of_squares(X, centres)] + [lloyd(X, centres, max_iter=i).objective for i in range(1, 8)]
    assert (np.diff(values) <= 1e-12 * (1 + values[0])).all()
    end = lloyd(X, centres)
    assert len(np.unique(end.labels)) == min(k, len(np.unique(X, axis=0)))


def test_lloyd_stops_by_tolerance_as_scikit_learn_does():
    centres = starting_centres(IRIS, 5, "random", np.random.default_rng(3))
    peer = KMeans(5, init=centres, n_init=1, tol=1e-2).fit(IRIS)
    assert lloyd(IRIS, centres, tol=1e-2).n_iter == peer.n_iter_ < lloyd(IRIS, centres).n_iter


@pytest.mark.parametrize("init", [[[1.0]], [[np.nan, 0.0], [0.0, 1.0]], np.zeros((2, 2, 2))])
def test_centres_that_cannot_be_a_start_are_refused(init):
    with pytest.raises(ParameterError, match="no set of starting centres"):
        RandomSwap(2, init=init).fit([[0.0, 1.0], [2.0, 3.0], [5.0, 5.0]])


# --- the swarm ------------------------------------------------------------------------------------------


def assert_sound(swarm) -> None:
    """Lists, sizes, means and distances say the same."""
    for j in range(len(swarm.sizes)):
        members, i, last = [], swarm.first[j], NOBODY
        while i != NOBODY:
            assert swarm.before[i] == last
            members.append(i)
            last, i = i, swarm.after[i]
        assert sorted(members) == np.flatnonzero(swarm.labels == j).tolist()
        assert swarm.sizes[j] == len(members)
        if members:
            np.testing.assert_allclose(swarm.centres[j], swarm.X[members].mean(axis=0), atol=1e-12)
        squares = ((swarm.X[members] - swarm.centres[j]) ** 2).sum(axis=1)
        np.testing.assert_allclose(swarm.squared[members], squares, atol=1e-12)
        assert swarm.errors[j] == pytest.approx(squares.sum(), abs=1e-12)
        assert swarm.radii[j] == pytest.approx(np.sqrt(squares.max(initial=0.0)), abs=1e-12)


@given(problems(), seeds, st.integers(1, 3))
def test_a_swap_helps_or_leaves_everything_as_it_was(problem, seed, rounds):
    X, k = problem
    rng = np.random.default_rng(seed)
    swarm = gather(X, starting_centres(X, k, "random", rng))
    assert_sound(swarm)
    for _ in range(6):
        state = (swarm.centres, swarm.labels, swarm.squared, swarm.errors)
        before = [part.copy() for part in state]
        helped = try_swap(swarm, int(rng.integers(k)), int(rng.integers(len(X))), rounds)
        assert_sound(swarm)
        assert helped == (swarm.errors.sum() < before[-1].sum())
        if not helped:
            for was, now in zip(before, state, strict=True):
                np.testing.assert_array_equal(was, now)


@given(problems(), seeds)
def test_one_round_after_a_swap_is_one_of_k_means_from_the_new_centres(problem, seed):
    """Local repartition passes over what cannot change: nearest centres, then means, as if over all objects.

    From a converged state, where every object is with its nearest centre.
    """
    X, k = problem
    rng = np.random.default_rng(seed)
    X = X + 1e-3 * rng.random(X.shape)
    start = lloyd(X, starting_centres(X, k, "random", rng)).centres
    swarm = gather(X, start)
    removed, point = int(rng.integers(k)), int(rng.integers(len(X)))
    new = swarm.centres.copy()
    new[removed] = swarm.X[point]
    expected = sum_of_squares_after_one_round(X, new)
    before = swarm.errors.sum()
    if try_swap(swarm, removed, point, 1):
        assert swarm.errors.sum() == pytest.approx(expected, rel=1e-9)
    else:
        assert expected >= before * (1 - 1e-9)


def sum_of_squares_after_one_round(X: np.ndarray, centres: np.ndarray) -> float:
    labels = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    return sum(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum() for j in np.unique(labels))


def test_the_search_ends_after_its_patience():
    swarm = gather(IRIS, IRIS[:3])
    tried, taken, failures = swap(swarm, np.random.default_rng(0).random((10_000, 2)), 2, 0, 7)
    assert tried < 10_000
    assert failures == 7
    assert taken > 0


# --- the estimator --------------------------------------------------------------------------------------


@given(problems(), seeds)
def test_swaps_never_end_worse_than_where_they_start(problem, seed):
    """Swaps only lower the objective, from the first means on; Lloyd alone may be luckier: it is no bound."""
    X, k = problem
    start = starting_centres(X, k, "random", np.random.default_rng(seed))
    found, _ = swap_search(X, start, np.random.default_rng(seed), max_swaps=20, patience=10)
    assert found.objective <= sum_of_squares_after_one_round(X, start) * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("plain_steps", [0, 10**9])
@pytest.mark.parametrize("k", [1, 2, 7])
def test_searches_that_go_on_together_find_what_each_finds_alone(monkeypatch, k, plain_steps):
    """Whether that is compiled or not; in data without ties, which rounding may break this way or that."""
    monkeypatch.setattr("partita.kernels.compilation.PLAIN_STEPS", plain_steps)
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(70, 3)) * [1.0, 3.0, 1e-3] + 100.0
        starts = [starting_centres(X, k, "random", np.random.default_rng([seed, s])) for s in range(4)]
        rngs, others = ([np.random.default_rng([s, seed]) for s in range(4)] for _ in range(2))
        options = {"max_swaps": 150, "patience": 40}
        together = swap_searches(X, starts, rngs, **options)
        alone = [swap_search(X, start, rng, **options) for start, rng in zip(starts, others, strict=True)]
        assert [tried for _, tried in together] == [tried for _, tried in alone]
        for (one, _), (other, _) in zip(together, alone, strict=True):
            np.testing.assert_array_equal(one.labels, other.labels)
            np.testing.assert_allclose(one.centres, other.centres, rtol=1e-12)


def test_the_number_of_jobs_changes_nothing():
    alone, together = (
        RandomSwap(6, n_init=5, random_state=1, n_jobs=jobs).fit(IRIS).cluster_centers_ for jobs in (1, 2)
    )
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("state", [0, np.random.default_rng(0), np.random.RandomState(0), None])
def test_any_seed_will_do(state):
    assert RandomSwap(3, random_state=state).fit(IRIS).objective_ < 79.0


def test_what_a_fit_leaves():
    X = pd.DataFrame(IRIS, index=[f"flower {i}" for i in range(150)])
    X.columns = X.columns.astype(str)
    model = RandomSwap(3, random_state=0).fit(X)
    assert model.partition_.index.equals(X.index)
    assert model.objective_ == pytest.approx(sum_of_squares(IRIS, model.cluster_centers_), rel=1e-12)
    assert (model.predict(X) == model.labels_).all()
    assert model.partition_.n_clusters == 3
    assert model.n_swaps_ >= 50


def test_fewer_distinct_objects_than_clusters_leave_clusters_empty():
    with pytest.warns(EmptyClusterWarning, match="2 of 4 clusters are empty"):
        model = RandomSwap(4, random_state=0).fit([[0.0], [0.0], [1.0], [1.0], [1.0]])
    assert model.objective_ == 0.0
    assert np.isfinite(model.cluster_centers_).all()


def test_a_short_end_is_said():
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        RandomSwap(10, max_iter=1, max_swaps=0, random_state=0).fit(IRIS)


@pytest.mark.parametrize(
    ("X", "problem"),
    [
        ([[np.nan], [1.0]], "NaN"),
        ([[np.inf], [1.0]], "infinity"),
        ([[1.0]], "n_samples=1 should be >= n_clusters=2"),
        ([[1e200], [0.0], [1.0]], "too large to be squared"),
        ([["a"], ["b"]], "could not convert"),
        ([1.0, 2.0, 3.0], "Expected 2D"),
        (np.zeros((0, 2)), "0 sample"),
        (np.zeros((3, 0)), "0 feature"),
    ],
)
def test_bad_data_is_refused(X, problem):
    with pytest.raises(ValueError, match=problem):
        RandomSwap(2).fit(X)


@pytest.mark.parametrize(
    "options",
    [{"n_clusters": 0}, {"n_clusters": 2.5}, {"init": "best"}, {"patience": 0}, {"tol": -1}, {"n_init": 0},
     {"random_state": "x"}, {"max_swaps": -1}],
)  # fmt: skip
def test_bad_options_are_refused(options):
    with pytest.raises(ValueError, match=f"'{next(iter(options))}' parameter of RandomSwap"):
        RandomSwap(**options).fit(IRIS)


# --- franti2017 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("s1", 8.92),
        ("s2", 13.28),
        ("s3", 16.89),
        ("s4", 15.70),
        full("birch1", 4.64),
        full("birch2", 2.28),
    ],
)
def test_the_mean_squared_errors_of_the_slides(name, published):
    X, truth = features(name), centroids(name)
    starts = 10 if len(X) < 10_000 else 1
    model = RandomSwap(len(truth), n_init=starts, random_state=0).fit(X)
    unit = 1e6 if name == "birch2" else 1e8
    assert round(model.objective_ / X.size / unit, 2) == published
    assert wrong_centroids(truth, model.cluster_centers_) == 0


@pytest.mark.parametrize("name", ["s1", "s2", "s3", "s4", "a1", "a2", "a3", "unbalance"])
@pytest.mark.parametrize("seed", range(3))
def test_one_start_finds_every_cluster(name, seed):
    X, truth = features(name), centroids(name)
    model = RandomSwap(len(truth), random_state=seed).fit(X)
    assert wrong_centroids(truth, model.cluster_centers_) == 0
