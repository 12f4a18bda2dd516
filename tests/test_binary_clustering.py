"""Clusters of 0/1 vectors by stochastic complexity: moves and swaps against sums from scratch, real data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.cluster.binary import StochasticComplexityClustering
from partita.errors import ConvergenceWarning, ParameterError
from partita.indices.complexity import stochastic_complexity as exact_or_printed
from partita.indices.pairs import adjusted_rand
from partita.kernels import binary as kernel
from reference import kmeans_family as reference
from shared_data import features, frame

stochastic_complexity = exact_or_printed.using(form="printed")  # what the method makes small


def table(name):
    """A stored set, and its labels."""
    return features(name), frame(name)["label"].to_numpy()


@st.composite
def clusterings(draw):
    """0/1 data and a clustering without an empty cluster."""
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 5))
    row = st.lists(st.integers(0, 1), min_size=d, max_size=d)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=np.int64)
    k = draw(st.integers(1, min(n, 4)))
    rest = draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k))
    return X, np.array([*range(k), *rest], dtype=np.int64)


def counts(X, labels):
    k = labels.max() + 1
    return np.bincount(labels, minlength=k), np.array([X[labels == j].sum(axis=0) for j in range(k)])


# --- moves and swaps -------------------------------------------------------------------------------------


@given(case=clusterings(), data=st.data())
def test_joining_costs_what_the_complexity_rises_by(case, data):
    X, labels = case
    i, j = data.draw(st.integers(0, len(X) - 1)), data.draw(st.integers(0, labels.max()))
    there = np.arange(len(X)) != i
    before, after = labels[there], np.where(there, labels, j)
    sizes, ones = np.bincount(before, minlength=j + 1), X[there][before == j].sum(axis=0)
    cost = kernel.joining_cost(X, i, sizes[j], ones, kernel.rises(len(X)))
    n = len(X)
    constant = n * np.log(n) - (n - 1) * np.log(n - 1)  # of the number of objects, wherever the new one goes
    wanted = reference.complexity(X, after) - reference.complexity(X[there], before)
    assert cost + constant == pytest.approx(wanted, abs=1e-9)


@given(case=clusterings())
def test_passes_only_lower_the_complexity_and_end_where_no_move_does(case):
    X, labels = case
    sizes, ones = counts(X, labels)
    values, settled = [reference.complexity(X, labels)], False
    while not settled:
        settled = not kernel.move_objects(X, labels, sizes, ones, kernel.rises(len(X)), 0, len(X))
        values.append(reference.complexity(X, labels))
        assert values[-1] < values[-2] or settled
    assert values[-1] == values[-2]
    assert kernel.complexity(sizes, ones) == pytest.approx(values[-1], abs=1e-9)
    np.testing.assert_array_equal(sizes, counts(X, labels)[0])
    np.testing.assert_array_equal(ones, counts(X, labels)[1])
    for moved in reference.other_clusterings(labels):
        assert reference.complexity(X, moved) > values[-1] - 1e-8


@given(case=clusterings(), data=st.data())
def test_a_swap_leaves_no_cluster_empty_and_counts_right(case, data):
    X, labels = case
    k = int(labels.max()) + 1
    seed, gone = data.draw(st.integers(0, len(X) - 1)), data.draw(st.integers(0, k - 1))
    sizes, ones = counts(X, labels)
    if k == 1 or sizes[labels[seed]] == 1:
        return
    kernel.swap(X, gone, seed, counts(X, labels), labels, sizes, ones, 0, len(X))
    assert labels[seed] == gone
    assert sizes.min() > 0
    np.testing.assert_array_equal(sizes, counts(X, labels)[0])
    np.testing.assert_array_equal(ones, counts(X, labels)[1])


# --- the estimator -----------------------------------------------------------------------------------------


@given(case=clusterings(), seed=st.integers(0, 99))
@settings(max_examples=40)
def test_the_objective_is_the_index_and_swaps_never_harm(case, seed):
    X, labels = case
    k = int(labels.max()) + 1
    model = StochasticComplexityClustering(k, n_init=2, max_swaps=5, random_state=seed).fit(X)
    assert model.objective_ == pytest.approx(stochastic_complexity(X, model.labels_), abs=1e-9)
    assert model.objective_ == pytest.approx(reference.complexity(X, model.labels_), abs=1e-9)
    plain = StochasticComplexityClustering(k, n_init=2, max_swaps=0, random_state=seed).fit(X)
    assert model.objective_ <= plain.objective_ + 1e-9
    sizes, ones = counts(X, model.labels_)
    assert sizes.min() > 0
    np.testing.assert_array_equal(model.cluster_centers_, ones / sizes[:, None])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.usefixtures("compiled")
def test_the_best_of_all_clusterings_is_found_where_they_can_be_listed(seed):
    rng = np.random.default_rng(seed)
    X, k = rng.integers(0, 2, (6, 1 + seed % 4)), 1 + seed % 3
    best = min(reference.complexity(X, labels) for labels in reference.all_clusterings(6, k))
    found = StochasticComplexityClustering(k, random_state=seed).fit(X).objective_
    assert found == pytest.approx(best, abs=1e-9)


@given(case=clusterings(), data=st.data())
@settings(max_examples=30)
def test_new_objects_go_where_the_complexity_rises_least(case, data):
    X, labels = case
    k, d = int(labels.max()) + 1, X.shape[1]
    model = StochasticComplexityClustering(k, n_init=1, max_swaps=0, random_state=0).fit(X)
    new = np.array([data.draw(st.lists(st.integers(0, 1), min_size=d, max_size=d))])
    values = [reference.complexity(np.vstack([X, new]), np.append(model.labels_, j)) for j in range(k)]
    assert values[model.predict(new)[0]] == pytest.approx(min(values), abs=1e-9)


def test_threads_change_nothing():
    X = np.random.default_rng(0).integers(0, 2, (60, 8))
    one, three = (StochasticComplexityClustering(4, random_state=5, n_jobs=jobs).fit(X) for jobs in (1, 3))
    np.testing.assert_array_equal(one.labels_, three.labels_)
    assert one.objective_ == three.objective_


@pytest.mark.usefixtures("compiled")
def test_truth_and_other_forms_of_bits():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 50)
    X = (rng.uniform(size=(150, 30)) < np.array([0.1, 0.9])[rng.integers(0, 2, (3, 30))][truth]).astype(int)
    fits = [
        StochasticComplexityClustering(3, random_state=0, **options).fit(data)
        for data, options in [(X, {}), (X.astype(bool), {}), (X * 3.0 - 7.0, {"binarize": -5.0})]
    ]
    assert adjusted_rand(truth, fits[0].labels_) == 1.0
    for other in fits[1:]:
        np.testing.assert_array_equal(other.labels_, fits[0].labels_)


@pytest.mark.parametrize("value", [2, 0.5, -1])
def test_other_values_are_named(value):
    with pytest.raises(ParameterError, match=f"column 1 of X has the value {value}"):
        StochasticComplexityClustering().fit([[0, 1], [1, value]])
    model = StochasticComplexityClustering().fit([[0, 1], [1, 0]])
    with pytest.raises(ParameterError, match="has the value 7"):
        model.predict([[7, 0]])


def test_odd_data_has_a_usable_fit():
    same = StochasticComplexityClustering(2, random_state=0).fit(np.ones((5, 3)))
    assert same.partition_.n_clusters == 2
    assert np.isfinite(same.objective_)
    assert StochasticComplexityClustering(1).fit([[1, 0]]).objective_ == 0
    assert StochasticComplexityClustering(3).fit(np.eye(3)).partition_.sizes.tolist() == [1, 1, 1]
    named = pd.DataFrame({"x": [0, 1, 1]}, index=["a", "b", "c"])
    assert list(StochasticComplexityClustering().fit(named).partition_.index) == ["a", "b", "c"]


def test_an_early_end_is_warned_of():
    X = np.random.default_rng(0).integers(0, 2, (80, 10))
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        StochasticComplexityClustering(4, n_init=1, max_swaps=0, max_iter=1, random_state=0).fit(X)


# --- real data ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("compiled")
def test_votes_fall_into_the_parties():
    X, party = table("votes_complete")
    for seed in range(3):
        model = StochasticComplexityClustering(2, random_state=seed).fit(X)
        assert adjusted_rand(party, model.labels_) > 0.5
        assert model.objective_ == pytest.approx(stochastic_complexity(X, model.labels_), abs=1e-9)
        assert model.objective_ < stochastic_complexity(X, party)


@pytest.mark.usefixtures("compiled")
def test_animals_fall_into_their_classes():
    X, classes = table("zoo_binary")
    for seed in range(3):
        plain, swapped = (
            StochasticComplexityClustering(7, max_swaps=swaps, random_state=seed).fit(X) for swaps in (0, 100)
        )
        assert swapped.objective_ <= plain.objective_
        assert swapped.objective_ < stochastic_complexity(X, classes)
        assert adjusted_rand(classes, swapped.labels_) > 0.8
