"""What takes long or does not fit is left out or refused before the work starts, with what it costs."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from scipy.spatial import cKDTree

import partita as pt
from partita.errors import TooLargeError
from partita.indices.likelihood import partition_negentropy
from partita.indices.memberships import average_partition_density, fuzzy_hypervolume, kwon, pbm_fuzzy
from partita.indices.scatter import marriott
from partita.indices.separation import davies_bouldin
from partita.statistics.clusters import dispersions, prototypes
from partita.statistics.clusters.moments import ClusterScatter

OF_MATRICES = [marriott, fuzzy_hypervolume, average_partition_density, partition_negentropy]
quiet = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")


def test_matrices_of_many_features_are_left_out_unasked_and_refused_where_they_do_not_fit():
    X, labels = np.random.default_rng(0).normal(size=(60, 10_000)), np.arange(60) % 3
    result = pt.validate(X, labels)
    left = {one.index: one for one in result.left_out}
    for entry in OF_MATRICES:
        assert "too many features" in left[entry.name].reason
        assert float(left[entry.name].cost.split()[0]) > 1e11
        with pytest.raises(TooLargeError, match="3 clusters, 10000 features"):
            entry(X, labels)
    assert math.isfinite(result["CH"].value)


def test_ordinary_numbers_of_features_are_judged_unasked():
    X = np.random.default_rng(0).normal(size=(2000, 100))
    result = pt.validate(X, np.arange(2000) % 4)
    assert all(math.isfinite(result[entry.name].value) for entry in OF_MATRICES)


@quiet
@pytest.mark.parametrize("soft", [False, True])
def test_clusters_of_fewer_objects_than_features_need_no_decomposition(monkeypatch, soft):
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(12, 12)), np.arange(12) % 2
    found = 0.8 * np.eye(2)[labels] + 0.1 if soft else labels
    monkeypatch.setattr(prototypes, "log_determinants", lambda _: pytest.fail("it was decomposed"))
    assert math.isnan(fuzzy_hypervolume(X, found))
    scatter = ClusterScatter.from_block(X, pt.as_partition(found), power=1.0)
    assert scatter.surely_flat.all()
    assert (np.linalg.matrix_rank(scatter.scatter) < 12).all()


def test_fractions_of_objects_are_not_counted_as_few():
    X, labels = np.random.default_rng(2).normal(size=(40, 2)), np.arange(40) % 2
    light = fuzzy_hypervolume(X, labels, sample_weight=np.full(40, 0.01))
    assert light == pytest.approx(fuzzy_hypervolume(X, labels))


@pytest.mark.parametrize("entry", [kwon, pbm_fuzzy, davies_bouldin], ids=lambda e: e.name)
def test_all_pairs_of_centres_are_not_held_at_once(entry):
    k = 4000
    rng = np.random.default_rng(3)
    X, labels = np.repeat(rng.normal(size=(k, 2)), 2, axis=0), np.repeat(np.arange(k), 2)
    X += 1e-4 * rng.normal(size=X.shape)
    tracemalloc.start()
    entry(X, labels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * k**2 / 2  # of 8 million pairs not one number each


def test_the_least_separation_is_that_of_the_nearest_centres():
    rng = np.random.default_rng(4)
    centers = rng.normal(size=(3000, 2))
    away = np.array([1e-3, 0.0])
    X = np.vstack([centers + away, centers - away])
    nearest = cKDTree(centers).query(centers, k=2)[0][:, 1].min()
    charge = np.square(centers - centers.mean(axis=0)).sum(axis=1).mean()
    assert kwon(X, np.tile(np.arange(3000), 2)) == pytest.approx(
        (6000 * 1e-6 + charge) / nearest**2, rel=1e-9
    )


def test_too_many_pairs_of_centres_are_left_out_unasked_and_refused_when_they_take_long(monkeypatch):
    X, labels = np.random.default_rng(5).normal(size=(40, 2)), np.arange(40) % 20
    monkeypatch.setattr("partita.validation.MOST_PAIR_OPERATIONS", 30)
    left = {one.index: one.reason for one in pt.validate(X, labels).left_out}
    assert "too many centres" in left["kwon"]
    assert "too many centres" in left["davies_bouldin"]
    assert "calinski_harabasz" not in left
    assert "fukuyama_sugeno" not in left  # it needs each centre and the mean, no pairs
    monkeypatch.setattr(dispersions, "MOST_OPERATIONS", 30)
    for entry in (kwon, davies_bouldin):
        with pytest.raises(TooLargeError, match="20 clusters"):
            entry(X, labels)
