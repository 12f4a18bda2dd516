"""Density trees: against the definition, the vectors, SciPy's single linkage; ties, weights, odd input."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import single
from scipy.spatial.distance import cdist, squareform
from sklearn.metrics import adjusted_rand_score

from partita.cluster import DensityTree, density_tree
from partita.cluster.density_tree import reach_trees, smallest_cluster
from partita.errors import EmptyClusterWarning, ParameterError, TooLargeError
from reference import density_tree as reference

# --- data of the definition: every value by formula ---------------------------------------------------------

G = (0.6180339887498949, 0.7548776662466927, 0.5698402909980532)
THREE = [(0, 0), (8, 0), (0, 8)]


def unif(n, start=0):
    i = start + 1.0 + np.arange(n)
    return np.column_stack([i * g % 1 for g in G])


def normal(n, d=2, start=0):
    """Pairs of columns by Box and Muller, each further pair in another order."""
    i, columns = start + 1.0 + np.arange(n), []
    for j in range((d + 1) // 2):
        radius, angle = (
            np.sqrt(-2 * np.log((i * G[0] + 0.1 * j) % 1)),
            2 * np.pi * ((i * G[1] + 0.37 * j) % 1),
        )
        pair = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
        columns.append(pair[np.argsort(i * (G[2] + 0.0731 * j) % 1, kind="stable")] if j else pair)
    return np.hstack(columns)[:, :d]


def groups(centres, sizes, sds):
    centres = np.array(centres, dtype=float)
    sizes, sds = np.broadcast_to(sizes, len(centres)), np.broadcast_to(sds, len(centres))
    each = enumerate(zip(centres, sizes, sds, strict=True))
    parts = [c + sd * normal(n, len(c), 1000 * g) for g, (c, n, sd) in each]
    return np.vstack(parts), np.repeat(np.arange(len(centres)), sizes)


def rings():
    parts = []
    for n, radius, start in ((80, 1, 0), (160, 3, 1000)):
        t = 2 * np.pi * np.arange(n) / n
        parts.append(np.column_stack([radius * np.cos(t), radius * np.sin(t)]) + 0.05 * normal(n, 2, start))
    return np.vstack(parts), np.repeat([0, 1], [80, 160])


def moons():
    t = np.pi * np.arange(100) / 99
    upper, lower = np.column_stack([np.cos(t), np.sin(t)]), np.column_stack([1 - np.cos(t), 0.5 - np.sin(t)])
    return np.vstack([upper + 0.05 * normal(100), lower + 0.05 * normal(100, 2, 1000)]), np.repeat(
        [0, 1], 100
    )


def scatter():
    X, y = groups(THREE, 60, 0.8)
    return np.vstack([X, 16 * unif(18)[:, :2] - 4]), np.append(y, np.full(18, -1))


def units():
    X, y = groups(THREE, 50, 1.0)
    return np.column_stack([X[:, 0], X[:, 1] / 2, 300 * unif(150, 5000)[:, 2]]), y


DATA = {
    "three_groups": lambda: groups(THREE, 40, 1.0),
    "two_rings": rings,
    "two_moons": moons,
    "levels": lambda: groups(
        [(30 * a + 6 * b, 6 * b * (2 - b)) for a in range(3) for b in range(3)], 30, 0.7
    ),
    "one_cloud": lambda: (normal(200), np.zeros(200)),
    "two_densities": lambda: groups([(0, 0), (6, 0)], (150, 60), (0.3, 1.2)),
    "scatter": scatter,
    "one_uniform_law": lambda: (unif(300)[:, :2], np.zeros(300)),
    "units": units,
    "two_overlapping": lambda: groups([(0, 0), (3.6, 0)], 150, 1.0),
    "unequal_sizes": lambda: groups([(0, 0), (7, 0), (0, 7), (7, 7)], (120, 60, 30, 15), 1.0),
    "ten_dimensions": lambda: groups(np.vstack([np.zeros(10), 8 * np.eye(10)[:2]]), 50, 1.0),
}

# sum and sum of squares of X; persistence of every cut; median edge; sizes of the longest cut, its ARI
VECTORS = {
    "three_groups": ([619.607534828, 5273.433154678], [0.198989435, 1.502187621], 0.81480536, [40] * 3, 1.0),
    "two_rings": (
        [-0.42819592, 1519.223511898],
        [1.595010311, 0.012264355, 0.318047811, -0.24982638],
        0.332773395,
        [160, 80],
        1.0,
    ),
    "two_moons": (
        [150.001270663, 262.666664139],
        [0.999686747, 0.040028518, 0.053602398, 0.003331974, 0.0],
        0.12027868,
        [100, 100],
        1.0,
    ),
    "levels": (
        [10250.252722109, 521190.573852403],
        [
            0.036684138,
            0.849697255,
            0.029156142,
            0.009249201,
            0.016614279,
            0.060054369,
            0.024680219,
            2.10874758,
        ],
        0.661437231,
        [30] * 9,
        1.0,
    ),
    "one_cloud": ([1.899091147, 393.092680881], [], 0.344112517, None, None),
    "two_densities": ([354.290150343, 2252.570296018], [2.889982368], 0.139427727, [150, 60], 1.0),
    "scatter": ([1077.700287379, 9041.030641065], [0.413676412, 1.580354966], 0.529253971, [68, 66, 64], 1.0),
    "one_uniform_law": (
        [299.961223096, 199.625910542],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.300576359],
        0.068031494,
        [62, 47, 45, 40, 36, 31, 21, 18],
        0.0,
    ),
    "units": (
        [22977.981919302, 4476556.207074097],
        [5.0493e-05, 0.001443444, 8.6585e-05, 0.000221669, 0.030104276, 0.235057385],
        7.676711773,
        [30, 23, 23, 21, 20, 20, 13],
        -0.0185,
    ),
    "two_overlapping": ([527.672078477, 2480.973326904], [0.14392538], 0.389275006, [160, 140], 0.8214),
    "unequal_sizes": (
        [827.154883378, 6204.48191628],
        [0.329438683, 0.086958856, 1.271381905],
        0.558035515,
        [120, 60, 30, 15],
        1.0,
    ),
    "ten_dimensions": (
        [790.879045522, 7834.99775214],
        [0.024901008, 0.403637241],
        3.293914676,
        [50] * 3,
        1.0,
    ),
}
TIED = {"one_uniform_law", "units"}
"""Data with objects that are equally near to two clusters: the definition leaves open where they go."""


@pytest.mark.parametrize("name", VECTORS)
def test_the_vectors_of_the_definition(name):
    check, persistence, median, sizes, ari = VECTORS[name]
    X, y = DATA[name]()
    np.testing.assert_allclose([X.sum(), (X**2).sum()], check, rtol=1e-9, atol=1e-8)
    tree = reach_trees(X, [5])[0]
    smallest = smallest_cluster(len(X), 0.05)
    cuts = tree.cuts(smallest)
    assert tree.median_edge == pytest.approx(median, abs=1e-6)
    assert cuts.n_clusters == len(persistence) + 1
    np.testing.assert_allclose(cuts.persistence, persistence, atol=1e-6)
    if not persistence:
        return
    k = int(np.argmax(cuts.persistence)) + 2
    labels = cuts.labels(k)
    found = sorted(np.bincount(labels).tolist(), reverse=True)
    if name not in TIED:
        assert found == sizes
        assert adjusted_rand_score(y[y >= 0], labels[y >= 0]) == pytest.approx(ari, abs=1e-4)
        return
    R = reference.reach_matrix(cdist(X, X), 5)
    nearness = reference.bottlenecks(R, reference.sides(len(X), reference.splits(R, smallest), k))
    nearest = nearness <= nearness.min(axis=0) * (1 + 1e-9)
    free = int((nearest.sum(axis=0) > 1).sum())
    assert 0 < np.abs(np.subtract(found, sizes)).sum() <= 2 * free


# --- against the definition ---------------------------------------------------------------------------------


@pytest.fixture(params=["row by row", "compiled"])
def path(request, monkeypatch):
    """Both ways to find a spanning tree, whatever the number of objects."""
    monkeypatch.setattr(density_tree, "COMPILED_OBJECTS", 0 if request.param == "compiled" else math.inf)


both_paths = pytest.mark.usefixtures("path", "compiled")


@st.composite
def clouds(draw):
    """Some groups of continuous values, so that no two distances are equal; core distances are, as always."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, k = draw(st.integers(6, 34)), draw(st.integers(1, 3)), draw(st.integers(1, 4))
    return draw(st.floats(0.5, 8.0)) * rng.normal(size=(k, d))[rng.integers(0, k, n)] + rng.normal(
        size=(n, d)
    )


@st.composite
def grids(draw):
    """Coordinates on a small grid, so that ties and equal objects are frequent."""
    n, d, top = draw(st.integers(6, 26)), draw(st.integers(1, 3)), draw(st.integers(1, 9))
    rows = st.lists(st.integers(0, top), min_size=d, max_size=d)
    return np.array(draw(st.lists(rows, min_size=n, max_size=n)), dtype=float)


def check_heights(X, m, smallest, metric="euclidean"):
    """Hold a tree and its splits to the definition; what the definition gives, for more questions."""
    D = reference.distance_matrix(X)
    R = reference.reach_matrix(D, m)
    splits = reference.splits(R, smallest)
    tree = reach_trees(D if metric == "precomputed" else X, [m], metric=metric)[0]
    cuts = tree.cuts(smallest)
    np.testing.assert_allclose(tree.heights, reference.heights(R), rtol=1e-12)
    assert tree.median_edge == pytest.approx(np.median(tree.heights))
    np.testing.assert_allclose(cuts.heights, reference.split_heights(splits), rtol=1e-12)
    np.testing.assert_allclose(cuts.persistence, reference.persistence(R, splits), rtol=1e-9, atol=1e-9)
    assert cuts.n_clusters == len(cuts.heights) + 1
    return D, R, splits, cuts


def check_loose(R, splits, cuts, k, sides):
    """Hold the labels of a cut to what the definition leaves no choice in, ties or not."""
    filled, kept = cuts.labels(k), cuts.labels(k, noise="keep")
    assert filled.dtype == kept.dtype == np.int64
    assert reference.by_first_object(filled.tolist()) == filled.tolist()
    assert set(filled.tolist()) == set(range(k))
    assert ((kept == filled) | (kept == -1)).all()
    nearness = reference.bottlenecks(R, sides)
    heights = [next((h for h, parts in splits[::-1] if side in parts), np.inf) for side in sides]
    for side, near, height in zip(sides, nearness, heights, strict=True):
        inside = kept[sorted(side)]
        assert set(inside.tolist()) == {inside[0]} != {-1}
        own = filled == inside[0]
        assert (near[own] <= nearness[:, own].min(axis=0)).all()
        assert (near[kept == inside[0]] <= height).all()


@both_paths
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_continuous_data_agree_with_the_definition(metric):
    @given(X=clouds(), m=st.integers(1, 5), smallest=st.integers(1, 5))
    def holds(X, m, smallest):
        D, R, splits, cuts = check_heights(X, m, smallest, metric)
        for k in range(1, cuts.n_clusters + 1):
            sides = reference.sides(len(X), splits, k)
            if sides is not None and not reference.is_cut_of_equals(splits, k):
                check_loose(R, splits, cuts, k, sides)
                assert cuts.labels(k).tolist() == reference.fill(R, D, sides)

    holds()


@both_paths
@pytest.mark.parametrize("seed", range(8))
def test_larger_data_with_many_loose_objects_agree_with_the_definition(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(130, 2)) + 5 * rng.normal(size=(5, 2))[rng.integers(0, 5, 130)]
    X[:20] *= 2.0
    D, R, splits, cuts = check_heights(X, 4, 7)
    assert cuts.n_clusters > 2
    for k in range(2, cuts.n_clusters + 1):
        sides = reference.sides(len(X), splits, k)
        check_loose(R, splits, cuts, k, sides)
        assert cuts.labels(k).tolist() == reference.fill(R, D, sides)


@both_paths
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_ties_and_equal_objects_agree_with_the_definition(metric):
    @given(X=grids(), m=st.integers(1, 5), smallest=st.integers(2, 5))
    def holds(X, m, smallest):
        _, R, splits, cuts = check_heights(X, m, smallest, metric)
        for k in range(1, cuts.n_clusters + 1):
            sides = reference.sides(len(X), splits, k)
            assert len(np.unique(cuts.labels(k))) == k
            if sides is not None and not reference.is_cut_of_equals(splits, k):
                check_loose(R, splits, cuts, k, sides)

    holds()


@pytest.mark.parametrize("name", DATA)
def test_branches_are_the_clusters_of_all_cuts(name):
    X = DATA[name]()[0]
    weight = 1.0 + np.arange(len(X)) % 3
    for weights in (None, weight):
        tree = reach_trees(X, [5], sample_weight=weights)[0]
        cuts = tree.cuts(smallest_cluster(len(X), 0.05))
        branches, finest = cuts.branches, cuts.labels(cuts.n_clusters)
        members = [finest == label for label in range(cuts.n_clusters)]
        for branch in branches[cuts.n_clusters :]:
            members.append(members[branch.children[0]] | members[branch.children[1]])
        assert len(branches) == 2 * cuts.n_clusters - 1
        assert members[-1].all()
        for k in range(1, cuts.n_clusters + 1):
            labels = cuts.labels(k)
            alive = [place for place, branch in enumerate(branches) if branch.first <= k <= branch.last]
            expected = {np.flatnonzero(labels == label).tobytes() for label in range(k)}
            assert {np.flatnonzero(members[place]).tobytes() for place in alive} == expected
        for branch, inside in zip(branches, members, strict=True):
            assert branch.size == (inside.sum() if weights is None else weight[inside].sum())


@both_paths
@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_heights_are_those_of_single_linkage(d):
    X = np.random.default_rng(d).normal(size=(150, d))
    for tree in reach_trees(X, [1, 3, 8]):
        core = np.sort(cdist(X, X), axis=1)[:, tree.min_samples]
        np.testing.assert_allclose(tree.core, core, rtol=1e-12)
        reach = np.maximum(cdist(X, X), np.maximum.outer(core, core))
        np.fill_diagonal(reach, 0.0)
        np.testing.assert_allclose(tree.heights, single(squareform(reach))[:, 2], rtol=1e-12)


@both_paths
@given(X=st.one_of(clouds(), grids()), m=st.integers(1, 5), seed=st.integers(0, 1000))
def test_the_order_of_the_objects_changes_no_height(X, m, seed):
    """Loose objects at equal reach from two clusters may go to either: their order decides between these."""
    order = np.random.default_rng(seed).permutation(len(X))
    cuts, other = (reach_trees(rows, [m])[0].cuts(3) for rows in (X, X[order]))
    np.testing.assert_array_equal(cuts.persistence, other.persistence)


@both_paths
@given(X=clouds(), m=st.integers(1, 5), scale=st.floats(1e-3, 1e3), shift=st.floats(-10, 10))
def test_scale_and_origin_do_not_matter(X, m, scale, shift):
    tree, other = reach_trees(X, [m])[0], reach_trees(scale * X + shift, [m])[0]
    np.testing.assert_allclose(other.heights, scale * tree.heights, rtol=1e-6)
    cuts, others = tree.cuts(4), other.cuts(4)
    np.testing.assert_allclose(others.persistence, cuts.persistence, atol=1e-6)
    for k in range(1, cuts.n_clusters + 1):
        np.testing.assert_array_equal(others.labels(k), cuts.labels(k))


@pytest.mark.parametrize("exponent", [-900, -300, 300, 490])
def test_data_of_any_size(exponent):
    X = np.random.default_rng(0).normal(size=(40, 2))
    tree, other = reach_trees(X, [3])[0], reach_trees(np.ldexp(X, exponent), [3])[0]
    np.testing.assert_array_equal(other.heights, np.ldexp(tree.heights, exponent))
    np.testing.assert_array_equal(other.cuts(4).persistence, tree.cuts(4).persistence)


def test_all_trees_at_once_are_those_of_each_alone():
    X = np.random.default_rng(0).normal(size=(80, 2))
    for tree in reach_trees(X, [8, 3, 5]):
        (alone,) = reach_trees(X, [tree.min_samples])
        np.testing.assert_array_equal(tree.ends, alone.ends)
        np.testing.assert_array_equal(tree.heights, alone.heights)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("d", [2, 18])
def test_many_objects_give_the_same_tree_without_numba(monkeypatch, d):
    X = np.random.default_rng(1).normal(size=(1100, d)) + 4 * (np.arange(1100) % 3)[:, None]
    (tree,) = reach_trees(X, [5])
    monkeypatch.setattr(density_tree, "has_numba", lambda: False)
    (other,) = reach_trees(X, [5])
    np.testing.assert_array_equal(other.ends, tree.ends)
    np.testing.assert_allclose(other.heights, tree.heights, rtol=1e-14)


# --- weights ------------------------------------------------------------------------------------------------


@given(X=grids(), m=st.integers(1, 5), smallest=st.integers(2, 6), seed=st.integers(0, 1000))
def test_weights_are_repeated_objects(X, m, smallest, seed):
    X = np.unique(X, axis=0)
    weight = np.random.default_rng(seed).integers(1, 5, len(X))
    whole = np.repeat(np.arange(len(X)), weight)
    if weight.sum() <= m:
        return
    (tree,) = reach_trees(X, [m], sample_weight=weight)
    (repeated,) = reach_trees(X[whole], [m])
    np.testing.assert_allclose(tree.core[whole], repeated.core, rtol=1e-12)
    if len(X) == 1:
        assert tree.cuts(smallest).n_clusters == 1
        return
    cuts, others = tree.cuts(smallest), repeated.cuts(smallest)
    np.testing.assert_allclose(cuts.heights, others.heights, rtol=1e-12)
    assert tree.median_edge == pytest.approx(repeated.median_edge)
    np.testing.assert_allclose(cuts.persistence, others.persistence, atol=1e-9)
    D = reference.distance_matrix(X[whole])
    R = reference.reach_matrix(D, m)
    splits = reference.splits(R, smallest)
    for k in range(1, cuts.n_clusters + 1):
        sides = reference.sides(len(whole), splits, k)
        if sides is not None and not reference.is_cut_of_equals(splits, k):
            nearness = reference.bottlenecks(R, sides)
            labels = cuts.labels(k)[whole]
            for side, near in zip(sides, nearness, strict=True):
                own = labels == labels[min(side)]
                assert (near[own] <= nearness[:, own].min(axis=0)).all()


def test_unit_weights_change_nothing():
    X = np.random.default_rng(0).normal(size=(60, 2))
    plain, weighted = reach_trees(X, [4])[0], reach_trees(X, [4], sample_weight=np.ones(60))[0]
    np.testing.assert_allclose(weighted.heights, plain.heights, rtol=1e-14)
    np.testing.assert_array_equal(weighted.cuts(4).labels(2), plain.cuts(4).labels(2))
    assert weighted.median_edge == plain.median_edge


@pytest.mark.parametrize(
    ("weight", "problem"),
    [([1] * 9 + [0], "weight 0"), ([1] * 9, "sample_weight"), ([-1] * 10, "sample_weight")],
)
def test_bad_weights_are_refused(weight, problem):
    with pytest.raises(ParameterError, match=problem):
        reach_trees(np.arange(10.0)[:, None], [2], sample_weight=weight)


# --- odd input of the functions -----------------------------------------------------------------------------


def test_equal_objects_alone_have_no_cut():
    (tree,) = reach_trees(np.full((30, 2), 7.0), [5])
    assert tree.heights.tolist() == [0.0] * 29
    cuts = tree.cuts(4)
    assert (cuts.n_clusters, cuts.heights.size, cuts.persistence.size) == (1, 0, 0)
    assert cuts.labels(1).tolist() == [0] * 30


def test_two_points_with_many_equal_objects_last_no_time():
    """Every positive height is the same, and so is the median edge by the rule for heights of 0."""
    (tree,) = reach_trees(np.repeat([[0.0], [1.0]], 10, axis=0), [3])
    cuts = tree.cuts(4)
    assert cuts.n_clusters == 1  # all objects join at one height


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_objects(n):
    X = np.arange(float(n))[:, None]
    with pytest.raises(ParameterError, match="more objects"):
        reach_trees(X, [n])
    if n > 1:
        (tree,) = reach_trees(X, [n - 1])
        assert tree.ends.shape == (n - 1, 2)
        assert tree.cuts(4).n_clusters == 1


@pytest.mark.parametrize("m", [0, -1, 10, 11, 2.0, True, None, "5"])
def test_odd_numbers_of_neighbours_are_refused(m):
    with pytest.raises(ParameterError, match="min_samples"):
        reach_trees(np.arange(10.0)[:, None], [3, m])


@pytest.mark.parametrize(
    ("X", "metric", "problem"),
    [
        ([[0.0], [np.nan], [2.0]], "euclidean", "nan or inf"),
        ([[0.0], [np.inf], [2.0]], "euclidean", "nan or inf"),
        ([0.0, 1.0, 2.0], "euclidean", r"shape \(n, d\)"),
        ([[0.0], [1e300], [2.0]], "euclidean", "too large"),
        ([[0.0], [1.0], [2.0]], "cityblock", "metric"),
        ([[0.0], [1.0], [2.0]], "precomputed", "matrix of distances"),
        ([[0.0, 1.0, 2.0], [1.5, 0.0, 1.0], [2.0, 1.0, 0.0]], "precomputed", "not symmetric"),
    ],
)
def test_odd_data_are_refused(X, metric, problem):
    with pytest.raises(ParameterError, match=problem):
        reach_trees(X, [1], metric=metric)


def test_work_that_takes_hours_is_refused():
    with pytest.raises(TooLargeError, match="sample of the objects"):
        reach_trees(np.zeros((1_000_000, 2)), [5])


@pytest.mark.parametrize("k", [0, 4, -1, 2.0, True, None])
def test_numbers_of_clusters_without_a_cut_are_refused(k):
    X, _ = DATA["three_groups"]()
    with pytest.raises(ParameterError, match="2 splits, so it has cuts into 1 to 3 clusters"):
        reach_trees(X, [5])[0].cuts(6).labels(k)
    with pytest.raises(ParameterError, match="loose"):
        reach_trees(X, [5])[0].cuts(6).labels(2, noise="drop")


@pytest.mark.parametrize(
    ("n", "share", "least"), [(100, 0.07, 7), (100, 0.071, 8), (10, 0.05, 4), (300, 0.05, 15), (40.5, 0.1, 5)]
)
def test_the_smallest_cluster(n, share, least):
    assert smallest_cluster(n, share) == least


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("d", [2, 20])
def test_memory_grows_with_the_objects_alone(d):
    n = 20_000 if d == 2 else 6000  # all distances would take 3200 and 288 MB
    X = np.random.default_rng(0).normal(size=(n, d))
    reach_trees(X[:1000], [3])
    tracemalloc.start()
    trees = reach_trees(X, [3, 8])
    cuts = [tree.cuts(smallest_cluster(n, 0.01)) for tree in trees]
    labels = [found.labels(k, noise="keep") for found in cuts for k in (1, found.n_clusters)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(labels) == 4
    assert peak < 80e6


# --- the estimator ------------------------------------------------------------------------------------------


def test_the_longest_cut_is_taken():
    X, y = DATA["levels"]()
    model = DensityTree().fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.n_clusters_ == 9
    assert list(model.persistence_) == list(range(2, 10))
    assert model.objective_ == -model.persistence_[9] == -max(model.persistence_.values())
    np.testing.assert_allclose(
        list(model.persistence_.values())[:-1], -np.diff(np.log(model.heights_)), atol=1e-12
    )
    assert adjusted_rand_score(y // 3, model.cut(3)) == 1.0
    np.testing.assert_array_equal(DensityTree(3).fit(X).labels_, model.cut(3))
    assert DensityTree(3).fit(X).objective_ == -model.persistence_[3]
    with pytest.raises(ParameterError, match="8 splits"):
        model.cut(10)


def test_more_clusters_than_cuts_take_the_finest_with_a_warning():
    X, _ = DATA["three_groups"]()
    with pytest.warns(EmptyClusterWarning, match="2 splits, so it has cuts into 1 to 3 clusters"):
        model = DensityTree(7).fit(X)
    assert model.n_clusters_ == 3
    assert model.partition_.n_clusters == 3


def test_noise_is_filled_or_kept():
    X, _ = DATA["scatter"]()
    filled, kept = DensityTree().fit(X), DensityTree(noise="keep").fit(X)
    assert filled.labels_.min() == 0
    loose = kept.labels_ == -1
    assert 0 < loose.sum() < 18
    np.testing.assert_array_equal(kept.labels_[~loose], filled.labels_[~loose])
    np.testing.assert_array_equal(kept.partition_.noise_mask, loose)
    np.testing.assert_array_equal(kept.cut(2) == -1, kept.tree_.cuts(10).labels(2, noise="keep") == -1)


def test_an_object_far_away_is_loose():
    X, y = DATA["two_densities"]()
    X = np.vstack([X, [[1000.0, 0.0]]])
    model = DensityTree(noise="keep").fit(X)
    assert (model.labels_ == -1).nonzero()[0].tolist() == [210]
    filled = DensityTree().fit(X)
    assert filled.labels_[210] == filled.labels_[200]
    assert adjusted_rand_score(y, filled.labels_[:-1]) == 1.0


def test_one_cloud_is_one_cluster():
    model = DensityTree(noise="keep").fit(DATA["one_cloud"]()[0])
    assert (model.n_clusters_, model.objective_, model.persistence_) == (1, 0.0, {})
    assert model.labels_.tolist() == [0] * 200
    with pytest.raises(ParameterError, match="0 splits"):
        model.cut(2)


def test_distances_give_the_clusters_of_the_data():
    X, _ = DATA["unequal_sizes"]()
    model, other = DensityTree(noise="keep").fit(X), DensityTree(noise="keep", metric="precomputed")
    other.fit(cdist(X, X))
    np.testing.assert_array_equal(model.labels_, other.labels_)
    assert model.persistence_ == pytest.approx(other.persistence_)
    new = X[::7] + 0.01
    np.testing.assert_array_equal(model.predict(new), other.predict(cdist(new, X)))
    assert other.__sklearn_tags__().input_tags.pairwise
    with pytest.raises(ParameterError, match="matrix of distances"):
        DensityTree(metric="precomputed").fit(X)


def test_the_tree_is_in_units_of_the_data():
    X, _ = DATA["three_groups"]()
    model = DensityTree().fit(np.ldexp(X, 400))
    np.testing.assert_array_equal(model.tree_.heights, np.ldexp(reach_trees(X, [5])[0].heights, 400))
    np.testing.assert_array_equal(model.tree_.core, np.ldexp(reach_trees(X, [5])[0].core, 400))
    assert model.tree_.median_edge == np.ldexp(reach_trees(X, [5])[0].median_edge, 400)
    np.testing.assert_array_equal(model.tree_.cuts(6).persistence, list(model.persistence_.values()))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_fewer_objects_than_two_clusters_need_are_one(n):
    model = DensityTree().fit(np.arange(float(n))[:, None])
    assert model.labels_.tolist() == [0] * n
    assert model.tree_ is None
    assert model.cut(1).tolist() == [0] * n
    with pytest.raises(ParameterError, match="0 splits"):
        model.cut(2)


def test_fewer_objects_than_neighbours_are_refused():
    with pytest.raises(ParameterError, match="more objects"):
        DensityTree(min_samples=20).fit(np.arange(20.0)[:, None])
