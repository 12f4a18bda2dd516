"""Dense clusters of any shape, held against what a method of centres finds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_circles, make_moons

import partita as pt
from partita.cluster import RandomSwap
from partita.selection.convexity import dense_clusters, disagreement
from shared_data import features


def reference_reach(X, neighbours=3):
    """The largest of a distance and both core distances, pair by pair."""
    gaps = cdist(X, X)
    core = [sorted(row)[neighbours] for row in gaps.tolist()]
    pairs = range(len(X))
    return np.array([[max(gaps[i, j], core[i], core[j]) if i != j else 0 for j in pairs] for i in pairs])


def reference_components(reach, height):
    """Labels of the objects that hang together by reaches up to a height: flooding, object by object."""
    labels = np.full(len(reach), -1)
    for start in range(len(reach)):
        if labels[start] < 0:
            labels[start] = labels.max() + 1
            stack = [start]
            while stack:
                near = np.flatnonzero((reach[stack.pop()] <= height) & (labels < 0))
                labels[near] = labels[start]
                stack += near.tolist()
    return labels


SHAPES = {
    "moons": (make_moons(200, noise=0.05, random_state=0)[0], 2),
    "circles": (make_circles(200, noise=0.03, factor=0.4, random_state=0)[0], 2),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_seen_and_the_method_that_misses_them_is_told(name):
    X, k = SHAPES[name]
    dense = dense_clusters(X, np.random.default_rng(0))
    assert dense.k == k
    found = disagreement(dense, RandomSwap(k, random_state=0).fit(X).labels_)
    assert found.agreement < 0.5
    assert found.dbcv > found.other_dbcv
    assert found.dbcv == pytest.approx(pt.indices.dbcv(X, dense.labels), rel=1e-12)
    assert disagreement(dense, dense.labels) is None  # a method that finds them is right


@pytest.mark.parametrize("name", SHAPES)
def test_they_are_components_of_reaches_over_the_whole_stretch(name):
    X = SHAPES[name][0][::2]
    dense = dense_clusters(X, np.random.default_rng(0))
    reach = reference_reach(X)
    heights = np.unique(reach[reach > 0])
    counts = []
    for height in heights:
        sizes = np.bincount(reference_components(reach, height))
        large = sizes[sizes >= max(5, 0.05 * len(X))]
        counts.append(len(large) if large.sum() >= 0.8 * len(X) else 0)
    stretch = heights[np.array(counts) == dense.k]
    above = heights[heights > stretch[-1]][0]
    assert dense.lasting == pytest.approx(above / stretch[0], rel=1e-12)


def test_spiral():
    X = features("spiral")
    dense = dense_clusters(X, np.random.default_rng(0))
    assert dense.k == 3
    assert disagreement(dense, RandomSwap(3, random_state=0).fit(X).labels_) is not None


@pytest.mark.parametrize("seed", range(3))
def test_round_clusters_are_no_contradiction_and_one_cloud_has_none(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 40, axis=0)
    dense = dense_clusters(X, rng)
    assert dense.k == 3
    assert disagreement(dense, RandomSwap(3, random_state=0).fit(X).labels_) is None
    assert dense_clusters(rng.normal(size=(200, 2)), rng) is None


def test_small_and_odd_data():
    rng = np.random.default_rng(0)
    assert dense_clusters(rng.normal(size=(9, 2)), rng) is None
    assert dense_clusters(np.ones((50, 2)), rng) is None
    line = np.r_[rng.normal(size=40), rng.normal(size=40) + 50][:, None]
    dense = dense_clusters(line, rng)
    assert dense.k == 2
    assert disagreement(dense, np.arange(80) % 2) is None  # in one dimension nothing is non-convex
    many = np.vstack([make_moons(4000, noise=0.05, random_state=0)[0]])
    assert dense_clusters(many, rng).labels.size == 1000


def test_choose_k_says_that_moons_are_not_compact():
    choice = pt.choose_k(SHAPES["moons"][0], ks=range(1, 9), n_runs=2, random_state=0)
    assert (choice.k, choice.strength) == (None, "contested")
    assert "non_convex" in {remark.kind.value for remark in choice.remarks}
