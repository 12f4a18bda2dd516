"""Indices of soft partitions: references, published values on Iris, limits, merging, weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import shared_data
import strategies
from partita.errors import KindError, UndefinedIndexError
from partita.indices import memberships as room
from partita.partitions import (
    EVIDENTIAL,
    FUZZY,
    HARD,
    ROUGH,
    FuzzyPartition,
    HardPartition,
    RoughPartition,
)
from partita.registry import Index
from partita.statistics.clusters import prototypes
from reference.memberships import REFERENCE_OF_DATA, REFERENCE_OF_ONE, nonspecificity_of_masses

ENTRIES = [entry for entry in vars(room).values() if isinstance(entry, Index)]
OF_ONE = [entry for entry in ENTRIES if entry.inputs == ("found",)]
OF_DATA = [entry for entry in ENTRIES if entry.inputs == ("X", "found")]
DIRECTIONS = {
    "partition_coefficient": "higher",
    "modified_partition_coefficient": "higher",
    "partition_entropy": "lower",
    "nonspecificity": "none",
    "fukuyama_sugeno": "lower",
    "kwon": "lower",
    "pbm_fuzzy": "higher",
    "fuzzy_hypervolume": "lower",
    "average_partition_density": "higher",
}
of_one = pytest.mark.parametrize("entry", OF_ONE, ids=lambda e: e.name)
of_data = pytest.mark.parametrize("entry", OF_DATA, ids=lambda e: e.name)
quiet = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")


@st.composite
def points_and(draw, partition):
    n = draw(st.integers(1, 10))
    d = draw(st.integers(1, 3))
    grid = st.lists(st.integers(0, 4), min_size=d, max_size=d)
    return np.array(draw(st.lists(grid, min_size=n, max_size=n)), dtype=float), draw(partition(n))


either = st.one_of(points_and(strategies.hard), points_and(strategies.fuzzy))


def memberships(partition):
    return np.asarray(partition.memberships(), dtype=float)


@pytest.fixture(scope="module")
def iris():
    """Iris and its fuzzy c-means partition: m = 2, k = 3."""
    X = shared_data.features("iris")
    centers = X[[0, 60, 120]]
    for _ in range(300):
        squared = np.square(X[:, None] - centers).sum(axis=2) + 1e-300
        U = 1 / squared / (1 / squared).sum(axis=1, keepdims=True)
        centers = (U**2).T @ X / (U**2).sum(axis=0)[:, None]
    return X, U, centers


def test_the_room_has_the_entries_of_the_issue():
    assert {entry.name: entry.direction for entry in ENTRIES} == DIRECTIONS
    assert {name for name in DIRECTIONS if name in REFERENCE_OF_ONE | REFERENCE_OF_DATA} == set(DIRECTIONS)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_examples_have_their_value(entry):
    for example in entry.examples:
        assert entry(*example.inputs, **example.options) == pytest.approx(example.value, abs=1e-12)


# --- without data ----------------------------------------------------------------------------------------


@quiet
@of_one
@given(found=strategies.partitions(kinds=[HARD, FUZZY]))
def test_indices_of_one_partition_equal_their_reference(entry, found):
    expected = REFERENCE_OF_ONE[entry.name](memberships(found))
    np.testing.assert_allclose(entry(found), expected, rtol=1e-12, atol=1e-12)


@given(found=strategies.evidential())
def test_nonspecificity_of_masses(found):
    sets = [frozenset(np.flatnonzero(row)) for row in found.focal_sets]
    objects = [dict(zip(sets, row, strict=True)) for row in found.masses]
    expected = nonspecificity_of_masses(objects)
    assert room.nonspecificity(found) == pytest.approx(expected, abs=1e-12)
    assert room.nonspecificity(found, base=2) == pytest.approx(expected / math.log(2), abs=1e-12)


@given(found=strategies.rough())
def test_nonspecificity_of_sets(found):
    objects = [{frozenset(np.flatnonzero(row)): 1.0} for row in found.possible]
    assert room.nonspecificity(found) == pytest.approx(nonspecificity_of_masses(objects), abs=1e-12)


def test_a_vacuous_clustering_is_as_unspecific_as_can_be():
    assert room.nonspecificity(RoughPartition([[True] * 4] * 3), base=2) == 2.0
    assert room.nonspecificity.kinds == (HARD, FUZZY, ROUGH, EVIDENTIAL)


def test_partition_coefficient_is_divided_by_objects_not_by_cells():
    """A trap of peers: averages over n k cells fall below 1 / k."""
    even = np.full((6, 3), 1 / 3)
    assert room.partition_coefficient(even) == pytest.approx(1 / 3)
    assert room.modified_partition_coefficient(even) == pytest.approx(0.0, abs=1e-12)
    assert room.partition_entropy(even, base=3) == pytest.approx(1.0)


def test_hard_partitions_are_sure():
    labels = ["a", "b", "b", "c"]
    assert room.partition_coefficient(labels) == room.modified_partition_coefficient(labels) == 1.0
    assert room.partition_entropy(labels) == room.nonspecificity(labels) == 0.0


def test_iris_has_the_values_of_the_peers(iris):
    """Peers differ: partition entropy 0.3955 nats in e1071, 0.5706 bits in fuzzy-c-means."""
    _, U, _ = iris
    assert room.partition_entropy(U) == pytest.approx(0.3955, abs=5e-5)
    assert room.partition_entropy(U, base=2) == pytest.approx(0.5706, abs=5e-5)
    assert room.partition_coefficient(U) == pytest.approx(0.7834, abs=5e-5)


@quiet
def test_one_cluster_has_no_modified_coefficient():
    assert math.isnan(room.modified_partition_coefficient([[1.0], [1.0]]))
    assert math.isnan(room.modified_partition_coefficient([0, 0]))
    with pytest.raises(UndefinedIndexError, match="single cluster"):
        room.modified_partition_coefficient([0, 0], on_undefined="raise")


def test_possibilistic_partitions_are_refused():
    found = strategies.PossibilisticPartition([[1.0, 0.4], [0.3, 0.2]])
    for entry in OF_ONE:
        with pytest.raises(KindError):
            entry(found)


# --- with data -------------------------------------------------------------------------------------------


@quiet
@of_data
@given(drawn=either)
def test_indices_of_data_equal_their_reference(entry, drawn):
    X, found = drawn
    expected = REFERENCE_OF_DATA[entry.name](X, memberships(found))
    np.testing.assert_allclose(entry(X, found), expected, rtol=1e-9, atol=1e-9)


@quiet
@of_data
@given(drawn=points_and(strategies.fuzzy), m=st.sampled_from([1, 2, 3]))
def test_the_power_of_the_memberships_is_an_option(entry, drawn, m):
    X, found = drawn
    expected = REFERENCE_OF_DATA[entry.name](X, memberships(found), m=m)
    np.testing.assert_allclose(entry(X, found, m=m), expected, rtol=1e-9, atol=1e-9)


@of_data
@pytest.mark.parametrize("kind", [HARD, FUZZY])
def test_blocks_names_order_and_precision(entry, kind, monkeypatch, iris):
    X, U, _ = iris
    found = HardPartition(U.argmax(axis=1)) if kind is HARD else FuzzyPartition(U)
    whole = entry(X, found)
    assert math.isfinite(whole)
    turned = np.random.default_rng(0).permutation(len(X))
    assert entry(X[turned], found.take(turned)) == pytest.approx(whole, rel=1e-11)
    renamed = -5 * found.codes if kind is HARD else U[:, [2, 0, 1]]
    assert entry(X, renamed) == pytest.approx(whole, rel=1e-11)
    # float32 moves objects across the surface of an ellipsoid at most
    single = X.astype(np.float32)
    assert entry(single, found) == pytest.approx(entry(single.astype(float), found), rel=1e-12)
    for statistic in (prototypes.ClusterMoments, prototypes.ClusterScatter):
        monkeypatch.setattr(statistic, "block_rows", staticmethod(lambda *_: 23))
    assert entry(X, found) == pytest.approx(whole, rel=1e-12)


@of_data
def test_empty_clusters_and_sparse_memberships_change_nothing(entry, iris):
    X, U, _ = iris
    wide = np.column_stack([U, np.zeros(len(X))])
    assert entry(X, wide) == pytest.approx(entry(X, U), rel=1e-12)
    assert entry(X, FuzzyPartition(csr_array(wide))) == pytest.approx(entry(X, U), rel=1e-12)
    labels = U.argmax(axis=1)
    assert entry(X, HardPartition(labels, names=range(5))) == pytest.approx(entry(X, labels), rel=1e-12)


@of_data
def test_data_far_from_the_origin_loses_no_digits(entry):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 1000, (60, 2)) / 1024.0  # exact after the shift
    U = rng.dirichlet([1, 1, 1], 60)
    assert entry(X + 2.0**20, U) == pytest.approx(entry(X, U), rel=1e-9)


def test_fuzzy_c_means_prototypes_are_the_centers_of_its_partition(iris):
    X, U, centers = iris
    found = prototypes.Prototypes.from_whole(X, FuzzyPartition(U))
    np.testing.assert_allclose(found.clusters.centers, centers, rtol=1e-9)
    nearest = min(np.square(centers[i] - centers[j]).sum() for i in range(3) for j in range(i))
    assert found.least_separation == pytest.approx(nearest)
    # Xie-Beni on this partition is 0.13691
    assert found.clusters.ssw / (len(X) * found.least_separation) == pytest.approx(0.13691, abs=1e-5)


def test_kwon_adds_the_spread_of_centers_to_xie_and_beni(iris):
    X, U, centers = iris
    spread = np.square(centers - X.mean(axis=0)).sum(axis=1).mean()
    nearest = min(np.square(centers[i] - centers[j]).sum() for i in range(3) for j in range(i))
    assert room.kwon(X, U) == pytest.approx(0.13691 * len(X) + spread / nearest, abs=1e-3)


def test_hypervolume_shrinks_where_clusters_are_found(iris):
    X, U, _ = iris
    labels = U.argmax(axis=1)
    assert room.fuzzy_hypervolume(X, U) < room.fuzzy_hypervolume(X, np.full((len(X), 3), 1 / 3))
    by_numpy = sum(math.sqrt(np.linalg.det(np.cov(X[labels == c].T, bias=True))) for c in range(3))
    assert room.fuzzy_hypervolume(X, labels) == pytest.approx(by_numpy, rel=1e-10)
    scaled = room.fuzzy_hypervolume(10.0 * X, labels)
    assert scaled == pytest.approx(1e4 * by_numpy, rel=1e-10)


SEPARATE = [[0.0], [1.0], [5.0], [6.0]]


@quiet
@pytest.mark.parametrize(
    ("name", "X", "found", "value", "reason"),
    [
        ("kwon", SEPARATE, [0, 0, 0, 0], math.nan, "single cluster"),
        ("kwon", [[2.0]] * 3, [0, 1, 1], math.nan, "all objects are the same"),
        ("kwon", [[0.0], [2.0], [0.0], [2.0]], [0, 0, 1, 1], math.inf, "coincide"),
        ("kwon", SEPARATE, [[0.5, 0.5]] * 4, math.inf, "coincide"),
        ("kwon", SEPARATE, [0, 1, 2, 3], 0.0 + 6.5, None),
        ("pbm_fuzzy", SEPARATE, [0, 0, 0, 0], math.nan, "single cluster"),
        ("pbm_fuzzy", SEPARATE, [0, 1, 2, 3], math.nan, "lies on its centre"),
        ("pbm_fuzzy", [[2.0]] * 3, [0, 1, 1], math.nan, "lies on its centre"),
        ("pbm_fuzzy", [[0.0], [2.0], [0.0], [2.0]], [0, 0, 1, 1], 0.0, None),
        ("fukuyama_sugeno", SEPARATE, [0, 0, 0, 0], 26.0, None),
        ("fukuyama_sugeno", SEPARATE, [0, 1, 2, 3], -26.0, None),
        ("fuzzy_hypervolume", SEPARATE, [0, 1, 1, 1], math.nan, "flat"),
        ("fuzzy_hypervolume", [[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]], [0, 0, 0], math.nan, "flat"),
        ("fuzzy_hypervolume", [[1.0, 2.0, 3.0], [2.0, 2.0, 1.0]], [0, 0], math.nan, "flat"),
        ("average_partition_density", SEPARATE, [0, 1, 1, 1], math.nan, "flat"),
        ("average_partition_density", SEPARATE, [0, 0, 1, 1], 0.0, None),
    ],
)
def test_degenerate_cases(name, X, found, value, reason):
    entry = getattr(room, name)
    np.testing.assert_allclose(entry(X, found), value)
    if math.isnan(value):
        with pytest.raises(UndefinedIndexError, match=reason):
            entry(X, found, on_undefined="raise")


@quiet
@pytest.mark.parametrize("entry", [room.fuzzy_hypervolume, room.average_partition_density])
@pytest.mark.parametrize("scale", [1e80, 1e-80])
def test_volumes_beyond_the_range_of_numbers_are_not_scored(entry, scale):
    X = np.random.default_rng(0).normal(size=(40, 5)) * scale
    assert math.isnan(entry(X, np.zeros(40, dtype=int)))
    with pytest.raises(UndefinedIndexError, match="scale the features"):
        entry(X, np.zeros(40, dtype=int), on_undefined="raise")


@pytest.mark.parametrize("entry", [room.fukuyama_sugeno, room.pbm_fuzzy], ids=lambda e: e.name)
@pytest.mark.parametrize("found", [[0, 0, 1, 1], [[0.5, 0.5], [0.2, 0.8]] * 2], ids=["hard", "fuzzy"])
@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_squares_beyond_the_range_of_numbers_are_not_scored(entry, found, scale):
    with pytest.raises(UndefinedIndexError, match="scale the features"):
        entry(scale * np.array(SEPARATE), found, on_undefined="raise")


@quiet
@pytest.mark.parametrize("m", [1e300, 1e5])
@pytest.mark.parametrize(
    "entry",
    [
        room.fukuyama_sugeno,
        room.kwon,
        room.pbm_fuzzy,
        room.fuzzy_hypervolume,
        room.average_partition_density,
    ],
    ids=lambda e: e.name,
)
def test_memberships_that_vanish_when_raised_to_a_power_weigh_nothing(entry, m):
    assert math.isnan(entry(SEPARATE, [[0.5, 0.5], [0.2, 0.8]] * 2, m=m))
    with pytest.raises(UndefinedIndexError, match="no membership is left"):
        entry(SEPARATE, [[0.5, 0.5], [0.2, 0.8]] * 2, m=m, on_undefined="raise")


def test_objects_on_the_surface_of_an_ellipsoid_are_outside():
    X = [[0.0], [2.0], [1.0]]
    assert room.average_partition_density(X[:2], [0, 0]) == 0.0
    variance = 2 / 3
    assert room.average_partition_density(X, [0, 0, 0]) == pytest.approx(1 / math.sqrt(variance))
