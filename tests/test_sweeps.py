"""Sweeps: any clusterer given a k and a seed, tasks on workers with one thread each, partitions as arrays."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from partita.cluster import GaussianMixtureEM, RandomSwap
from partita.errors import MismatchError, ParameterError
from partita.evaluation import HARDENED, score
from partita.fits.models import (
    clustering_of,
    is_random,
    k_parameter,
    method_or_usual,
    one_line,
    seeded,
)
from partita.fits.partitions import from_arrays, to_arrays
from partita.fits.tasks import Task, check_count, numbers_of_clusters, run_tasks, task_seed
from partita.partitions import (
    EvidentialPartition,
    FuzzyPartition,
    HardPartition,
    PossibilisticPartition,
    RoughPartition,
)
from partita.partitions.models import last_step, objective_of
from partita.registry import find
from thread_counts import threads

X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)


class Grouper(ClusterMixin, BaseEstimator):
    """A clusterer whose number of clusters has a name of its own; it says nothing of its objective."""

    def __init__(self, groups=2):
        self.groups = groups

    def fit(self, X, y=None):
        self.labels_ = np.arange(len(X)) % self.groups
        return self


# --- models -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "k_param", "name"),
    [
        (RandomSwap(), None, "n_clusters"),
        (GaussianMixture(), None, "n_components"),
        (SpectralClustering(), None, "n_clusters"),  # it has n_components too, which is something else
        (make_pipeline(StandardScaler(), KMeans()), None, "kmeans__n_clusters"),
        (make_pipeline(PCA(2), GaussianMixture()), None, "gaussianmixture__n_components"),
        (Grouper(), "groups", "groups"),
        (make_pipeline(StandardScaler(), Grouper()), "grouper__groups", "grouper__groups"),
    ],
)
def test_the_parameter_for_the_number_of_clusters(estimator, k_param, name):
    assert k_parameter(estimator, k_param) == name


@pytest.mark.parametrize(
    ("estimator", "k_param"),
    [(KMeans, None), (3, None), (None, None), (Grouper(), None), (KMeans(), "groups"), (KMeans(), 3)],
)
def test_what_has_no_number_of_clusters_is_refused(estimator, k_param):
    with pytest.raises(ParameterError) as refused:
        k_parameter(estimator, k_param)
    assert refused.value.got
    assert refused.value.need


def test_a_seeded_clone_has_k_and_every_seed_and_leaves_the_original_alone():
    original = Pipeline([("reduce", PCA(1, random_state=1)), ("cluster", KMeans(2, random_state=1))])
    made = seeded(original, {"cluster__n_clusters": 3}, 7)
    assert [made["reduce"].random_state, made["cluster"].random_state, made["cluster"].n_clusters] == [
        7,
        7,
        3,
    ]
    assert [original["reduce"].random_state, original["cluster"].n_clusters] == [1, 2]
    assert not hasattr(made["cluster"], "labels_")


def test_who_is_random():
    assert is_random(RandomSwap())
    assert is_random(make_pipeline(PCA(), AgglomerativeClustering()))
    assert not is_random(make_pipeline(StandardScaler(), AgglomerativeClustering()))


def test_objectives_are_small_for_good_fits():
    swap, means = RandomSwap(3, random_state=0).fit(X), KMeans(3, n_init=1, random_state=0).fit(X)
    mixture = GaussianMixture(3, random_state=0).fit(X)
    assert objective_of(swap) == swap.objective_
    assert objective_of(means) == means.inertia_
    assert objective_of(mixture) == -mixture.lower_bound_
    assert objective_of(make_pipeline(StandardScaler(), KMeans(3, n_init=1)).fit(X)) > 0
    assert math.isnan(objective_of(AgglomerativeClustering(3).fit(X)))


def test_the_clustering_of_a_model_is_as_soft_as_the_model():
    soft = GaussianMixture(2, random_state=0).fit(X)
    piped = make_pipeline(StandardScaler(), GaussianMixture(2, random_state=0)).fit(X)
    np.testing.assert_array_equal(clustering_of(soft, X).memberships(), soft.predict_proba(X))
    np.testing.assert_array_equal(clustering_of(piped, X).memberships(), piped.predict_proba(X))
    assert clustering_of(KMeans(3, n_init=1).fit(X), X).kind == "hard"
    assert last_step(piped) is piped.steps[-1][1]


@pytest.mark.parametrize("change", [-1, 1])
def test_a_clustering_of_other_objects_is_refused(change):
    fitted = KMeans(3, n_init=1).fit(X)
    fitted.labels_ = np.resize(fitted.labels_, len(X) + change)
    with pytest.raises(MismatchError, match="KMeans clustered other objects"):
        clustering_of(fitted, X)


def test_random_swap_is_the_usual_method():
    assert isinstance(method_or_usual(None), RandomSwap)
    given_one = KMeans()
    assert method_or_usual(given_one) is given_one


def test_a_problem_is_one_line():
    assert one_line(ValueError("two\n  lines")) == "ValueError: two lines"


# --- tasks ------------------------------------------------------------------------------------------------


def test_a_seed_depends_on_its_root_and_place_alone():
    by_definition = np.random.SeedSequence(5, spawn_key=(1, 3, 0)).generate_state(1)[0]
    assert task_seed(5, 1, 3, 0) == by_definition
    seeds = {
        task_seed(root, *place) for root in (0, 1) for place in [(0, 1), (1, 0), (0, 1, 0), (1, 1), (1,)]
    }
    assert len(seeds) == 10
    assert all(0 <= seed < 2**32 for seed in seeds)


@pytest.mark.parametrize("value", [0, -1, True, 2.0, "2", None])
def test_counts_that_are_none_are_refused(value):
    with pytest.raises(ParameterError) as refused:
        check_count("n_repeats", value)
    assert refused.value.got == repr(value)


def test_numbers_of_clusters_rise_and_come_once():
    assert numbers_of_clusters([5, 2, np.int64(3), 2], 10) == (2, 3, 5)
    assert numbers_of_clusters(4, 10) == (4,)
    assert numbers_of_clusters((k for k in (2, 1)), 2) == (1, 2)


@pytest.mark.parametrize("ks", [[], [0], [-2], [11], [2.0], ["2"], "2", [True], None, 2.5, [None], [[2]]])
def test_numbers_of_clusters_that_are_none_are_refused(ks):
    with pytest.raises(ParameterError) as refused:
        numbers_of_clusters(ks, 10)
    assert refused.value.got
    assert refused.value.need == "whole numbers from 1 to n = 10"


@pytest.mark.parametrize(
    ("backend", "n_jobs"), [("loky", 1), ("loky", 2), ("threading", 1), ("threading", 2)]
)
def test_every_task_has_one_thread_and_results_come_in_order(backend, n_jobs):
    tasks = [Task(f"t{i}", (i,)) for i in range(12)]
    inner = {"inner_max_num_threads": 2} if backend == "loky" else {}
    with threadpool_limits(limits=2), parallel_config(backend, **inner):
        assert max(threads(0).values["threads"]) == 2  # else nothing would be shown
        records = list(run_tasks(threads, tasks, n_jobs=n_jobs, description="probe"))
        assert max(threads(0).values["threads"]) == 2  # and the limit is lifted again
    assert [record.values["place"] for record in records] == list(range(12))
    assert all(set(record.values["threads"]) == {1} for record in records)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2"])
def test_numbers_of_workers_that_make_no_sense_are_refused(n_jobs):
    with pytest.raises(ParameterError):
        list(run_tasks(threads, [], n_jobs=n_jobs, description="probe"))


# --- partitions as arrays ---------------------------------------------------------------------------------

MEMBERSHIPS = np.array([[0.75, 0.25, 0.0], [0.0, 1.0, 0.0], [0.125, 0.375, 0.5]])
PARTITIONS = [
    HardPartition([2, 0, 0, 5]),
    HardPartition([0, -1, 1, -1]),
    HardPartition(["b", "a", "a"]),
    FuzzyPartition(MEMBERSHIPS),
    FuzzyPartition(sp.csr_matrix(MEMBERSHIPS)),
    PossibilisticPartition([[0.5, 0.9], [0.0, 0.125], [1.0, 0.25]]),
    RoughPartition([[True, False], [True, True]]),
    EvidentialPartition([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]], [[0, 0], [1, 0], [1, 1]]),
]


@pytest.mark.parametrize("partition", PARTITIONS, ids=lambda p: str(p.kind))
def test_a_partition_survives_as_arrays_in_a_file_without_pickle(partition):
    held = io.BytesIO()
    np.savez(held, allow_pickle=False, **to_arrays(partition))
    with np.load(io.BytesIO(held.getvalue()), allow_pickle=False) as arrays:
        found = from_arrays(dict(arrays))
    assert found.kind == partition.kind
    if isinstance(partition, HardPartition):
        np.testing.assert_array_equal(found.codes, partition.codes)
        np.testing.assert_array_equal(found.noise_mask, partition.noise_mask)
    elif isinstance(partition, EvidentialPartition):
        np.testing.assert_array_equal(found.masses, partition.masses)
        np.testing.assert_array_equal(found.focal_sets, partition.focal_sets)
    elif isinstance(partition, RoughPartition):
        np.testing.assert_array_equal(found.possible, partition.possible)
    else:
        values = partition.memberships()
        np.testing.assert_array_equal(
            found.memberships(), values.toarray() if sp.issparse(values) else values
        )


@given(st.lists(st.integers(-1, 4), min_size=1, max_size=12))
def test_labels_with_noise_survive_as_arrays(labels):
    partition = HardPartition(labels)
    found = from_arrays(to_arrays(partition))
    assert adjusted_rand_score(found.labels, labels) == 1
    noise = np.array(labels) == -1
    if (~noise).any():  # -1 alone is a label as any other
        assert (
            (found.noise_mask if found.noise_mask is not None else np.zeros(len(labels), bool)) == noise
        ).all()


# --- scores -----------------------------------------------------------------------------------------------


def test_an_index_for_hard_clusterings_takes_hardened_ones_and_says_so():
    truth, found = (GaussianMixtureEM(k, random_state=0).fit(X).partition_ for k in (2, 4))
    hard = [p.harden().labels for p in (truth, found)]
    row = score(find("prediction_strength"), {"X": X, "truth": truth, "found": found})
    value, caveats = row.value, row.caveats
    assert HARDENED in caveats
    assert value == find("prediction_strength")(*hard)
    row = score(find("adjusted_rand"), {"X": X, "truth": truth, "found": found})
    value, caveats = row.value, row.caveats
    assert HARDENED not in caveats
    assert value != adjusted_rand_score(*hard)
