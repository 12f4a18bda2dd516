"""Trees of merges: cut at a number of clusters or a height, and taken by compare, validate and choose."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import AgglomerativeClustering

import partita as pt
from partita.errors import MismatchError, ParameterError

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 2)) + np.repeat([[0, 0], [8, 0], [0, 8]], 20, axis=0)
TRUTH = np.repeat([0, 1, 2], 20)


def same(a, b):
    return pt.compare(a, b, indices=["VI"])["VI"].value == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("method", ["ward", "average", "single", "complete", "centroid", "median"])
def test_a_tree_is_cut_at_a_height_as_scipy_does(method):
    tree = linkage(X, method)
    for height in (0.0, *np.quantile(tree[:, 2], [0.1, 0.5, 0.9, 0.97]), tree[-1, 2], 1e9):
        ours, theirs = pt.cut(tree, height=height), fcluster(tree, height, "distance")
        assert ours.n_clusters == len(set(theirs))
        assert same(ours, theirs)


@pytest.mark.parametrize("method", ["ward", "average", "single", "complete"])
def test_a_tree_is_cut_into_k_clusters_as_scipy_does(method):
    tree = linkage(X, method)
    for k in (1, 2, 3, 10, 60):
        assert same(pt.cut(tree, k=k), fcluster(tree, k, "maxclust"))
    assert [p.n_clusters for p in pt.cut(tree, k=[2, 5])] == [2, 5]
    heights = sorted(tree[:, 2])
    cuts = pt.cut(tree, height=[heights[-1] - 1e-9, heights[-2] - 1e-9])
    assert [p.n_clusters for p in cuts] == [2, 3]
    assert same(pt.as_partition(tree, height=heights[-2] - 1e-9), fcluster(tree, 3, "maxclust"))


def test_the_tree_of_scikit_learn_has_heights_where_it_kept_distances():
    model = AgglomerativeClustering(3, linkage="average", compute_distances=True).fit(X)
    tree = linkage(X, "average")
    for given in (
        model,
        (model.children_, model.distances_),
        np.column_stack([model.children_, model.distances_]),
        pd.DataFrame(tree),
        tree.tolist(),
    ):
        assert same(pt.cut(given, k=3), model.labels_)
        assert same(pt.cut(given, height=2.0), fcluster(tree, 2.0, "distance"))
    assert same(pt.cut(model.children_, k=4), pt.cut(tree, k=4))
    bare = AgglomerativeClustering(3).fit(X)
    for given in (bare, bare.children_):
        with pytest.raises(ParameterError, match="no heights") as caught:
            pt.cut(given, height=1.0)
        assert "compute_distances=True" in caught.value.fix


def test_a_tree_needs_one_way_to_be_cut():
    tree = linkage(X)
    with pytest.raises(ParameterError, match="tree of merges"):
        pt.cut(tree)
    with pytest.raises(ParameterError, match="both"):
        pt.cut(tree, k=3, height=1.0)
    for bad in (-1.0, float("nan"), float("inf"), True, "1", [1.0, -1.0]):
        with pytest.raises(ParameterError, match="no height of a tree"):
            pt.cut(tree, height=bad)
    for bad in (0, 61, 2.0, True, "3", [2, 0]):
        with pytest.raises(ParameterError, match="no number of clusters"):
            pt.cut(tree, k=bad)
    with pytest.raises(ParameterError, match="none is given"):
        pt.cut(tree, k=[])
    for not_a_tree in ([0, 1, 1], X, np.zeros((3, 4)), 7):
        with pytest.raises(ParameterError, match="tree"):
            pt.cut(not_a_tree, k=2)
    with pytest.raises(ParameterError, match="distances"):
        pt.cut((AgglomerativeClustering(3).fit(X).children_, [1.0, 2.0]), height=1.0)


def test_compare_takes_trees_on_both_sides():
    tree, other = linkage(X, "ward"), linkage(X, "single")
    expected = pt.compare(TRUTH, fcluster(tree, 3, "maxclust"), indices=["ARI"])["ARI"].value
    assert pt.compare(TRUTH, tree, k=3, indices=["ARI"])["ARI"].value == expected
    assert pt.compare(tree, TRUTH, k=3, indices=["ARI"])["ARI"].value == expected
    both = pt.compare(tree, other, k=4, indices=["ARI"])["ARI"].value
    assert both == pt.compare(pt.cut(tree, k=4), pt.cut(other, k=4), indices=["ARI"])["ARI"].value
    assert "found: a tree of merges, cut at k = 3" in pt.compare(TRUTH, tree, k=3, indices=["ARI"]).notes
    cuts = pt.compare(TRUTH, tree, k=[2, 3], indices=["ARI"])
    assert list(cuts.results) == ["k = 2", "k = 3"]
    assert cuts["k = 3"]["ARI"].value == expected
    named = pt.compare(TRUTH, {"ward": tree, "labels": TRUTH}, k=3, indices=["ARI"])
    assert named["ward"]["ARI"].value == expected
    by_height = pt.compare(TRUTH, tree, height=7.0, indices=["ARI"])["ARI"].value
    assert by_height == pt.compare(TRUTH, fcluster(tree, 7.0, "distance"), indices=["ARI"])["ARI"].value


def test_validate_and_choose_take_trees():
    tree = linkage(X, "ward")
    labels = fcluster(tree, 3, "maxclust")
    value = pt.validate(X, tree, k=3, indices=["CH"], structure=False)["CH"].value
    assert value == pytest.approx(pt.validate(X, labels, indices=["CH"], structure=False)["CH"].value)
    chosen = pt.choose(X, tree, k=[2, 3, 5], random_state=0)
    assert (chosen.best, chosen.k) == ("k = 3", 3)
    methods = {"ward": tree, "average": linkage(X, "average")}
    assert pt.choose(X, methods, k=3, random_state=0).k == 3
    several = pt.choose(X, methods, k=[3, 6], random_state=0)
    names = [name for candidate in several.candidates for name in candidate.names]
    assert sorted(names) == ["average, k = 3", "average, k = 6", "ward, k = 3", "ward, k = 6"]
    assert several.k == 3


def test_k_beside_no_tree_is_refused():
    for call in (
        lambda: pt.compare(TRUTH, TRUTH, k=3),
        lambda: pt.validate(X, TRUTH, height=3.0),
        lambda: pt.choose(X, {"a": TRUTH, "b": TRUTH % 2}, k=3),
    ):
        with pytest.raises(ParameterError, match="tree"):
            call()
    with pytest.raises(ParameterError, match="one cut"):
        pt.compare(linkage(X), TRUTH, k=[2, 3])
    with pytest.raises(MismatchError, match="objects"):
        pt.compare(TRUTH[:-1], linkage(X), k=3)
    with pytest.raises(ParameterError, match="tree of merges"):
        pt.compare(TRUTH, linkage(X))
