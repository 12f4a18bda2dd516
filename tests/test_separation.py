"""The separation family: by the definition, scikit-learn, known values; tiles, samples, weights, limits."""

from __future__ import annotations

import math
import warnings
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn import metrics

import shared_data
import strategies
from partita.errors import (
    KindError,
    MismatchError,
    ParameterError,
    PartitaError,
    TooLargeError,
    UndefinedIndexError,
    UndefinedIndexWarning,
)
from partita.indices.separation import davies_bouldin, dunn, generalized_dunn, xie_beni
from partita.indices.silhouettes import (
    cluster_silhouettes,
    fuzzy_silhouette,
    sci,
    silhouette,
    silhouette_samples,
    simplified_silhouette,
)
from partita.partitions import FUZZY, HARD, HardPartition, as_partition
from partita.statistics.clusters import dispersions
from partita.statistics.clusters.dispersions import CentroidSilhouettes, Dispersions
from partita.statistics.clusters.moments import ClusterMoments
from partita.statistics.distances import cluster_measures, objects_by_cluster
from partita.statistics.distances import distance_sums as distances
from partita.statistics.distances.cluster_gaps import ClusterGaps
from partita.statistics.distances.distance_sums import DistanceSums
from reference.separation import REFERENCE_OF_DATA

ENTRIES = [
    silhouette, simplified_silhouette, sci, fuzzy_silhouette,
    dunn, generalized_dunn, davies_bouldin, xie_beni,
]  # fmt: skip
VARIANTS = [
    silhouette.using(variant="squared"),
    silhouette.using(metric="cityblock"),
    sci.using(variant="printed"),
    fuzzy_silhouette.using(alpha=2.5),
    dunn.using(variant="slide"),
    davies_bouldin.using(variant="squared"),
    davies_bouldin.using(q=2.0),
    davies_bouldin.using(q=3.0, p=1.0),
    davies_bouldin.using(p=3.5, power=1.0),
    xie_beni.using(m=1.0),
    xie_beni.using(m=1.5, power=1.5),
    *(
        generalized_dunn.using(delta=a, diameter=b)
        for a in range(1, 7)
        for b in (1, 2, 3)
        if (a, b) != (3, 2)
    ),
]
BY_LABEL = {entry.label: entry for entry in ENTRIES + VARIANTS}
SOFT = {label: entry for label, entry in BY_LABEL.items() if FUZZY in entry.kinds}
POINT_BASED = [
    silhouette,
    fuzzy_silhouette,
    dunn,
    generalized_dunn,
    generalized_dunn.using(delta=2, diameter=1),
    generalized_dunn.using(delta=6, diameter=1),
]
DISTANCES = [e.using(metric=m) for e in POINT_BASED for m in ("euclidean", "sqeuclidean", "cityblock")]


def quietly(entry, *args, **options):
    """The value, where nan is an answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedIndexWarning)
        return entry(*args, **options)


def same(value, expected, rel=1e-10):
    return value == pytest.approx(expected, rel=rel, abs=1e-10, nan_ok=True)


@st.composite
def data(draw, kinds=(HARD,)):
    """Whole-number coordinates in a small box: ties, duplicates, coincident centres, constant features."""
    n = draw(st.integers(1, 9))
    d = draw(st.integers(1, 3))
    top = draw(st.sampled_from([0, 1, 2, 5]))
    row = st.lists(st.integers(-1, top), min_size=d, max_size=d)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=float)
    return X, draw(strategies.partitions(n, kinds))


def expected(entry, X, found):
    U = np.asarray(found.memberships(), dtype=float)
    changed = {k: v for k, v in entry.options.items() if v != entry.defaults[k]}
    return REFERENCE_OF_DATA[entry.name](X, U, **changed)


def scattered(n=520, d=5, k=6, duplicates=True):
    """Overlapping clusters of very different sizes, and a duplicate of each tenth object."""
    rng = np.random.default_rng(0)
    labels = rng.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    if duplicates:
        labels[::10] = labels[1::10]
    X = rng.normal(size=(n, d)) + 2.0 * rng.normal(size=(k, d))[labels]
    if duplicates:
        X[::10] = X[1::10]
    return X, labels


# --- by the definition --------------------------------------------------------------------------------


@settings(max_examples=60)
@given(case=data())
def test_hard_partitions_agree_with_the_definition(case):
    X, found = case
    for entry in BY_LABEL.values():
        assert same(quietly(entry, X, found), expected(entry, X, found)), entry.label


@settings(max_examples=60)
@given(case=data([FUZZY]))
def test_fuzzy_partitions_agree_with_the_definition(case):
    X, found = case
    for entry in SOFT.values():
        assert same(quietly(entry, X, found), expected(entry, X, found), rel=1e-9), entry.label


@settings(max_examples=25)
@given(case=data([HARD, FUZZY]), draw=st.data())
def test_whole_weights_are_repeated_rows(case, draw):
    X, found = case
    weight = draw.draw(strategies.integer_weights(len(X)))
    rows = np.repeat(np.arange(len(X)), weight)
    for entry in BY_LABEL.values() if found.kind is HARD else SOFT.values():
        value = quietly(entry, X, found, sample_weight=weight)
        assert same(value, quietly(entry, X[rows], found.take(rows)), rel=1e-12), entry.label


@settings(max_examples=15)
@given(case=data())
def test_names_of_clusters_and_single_precision_do_not_matter(case):
    X, found = case
    renamed = ["zyxw"[code] for code in found.codes]
    for entry in BY_LABEL.values():
        value = quietly(entry, X, found)
        assert same(quietly(entry, X, renamed), value, rel=1e-12), entry.label
        assert same(quietly(entry, X.astype(np.float32), found), value, rel=1e-12), entry.label


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_examples_have_their_value(entry):
    for example in entry.examples:
        chosen = entry.using(**example.options) if example.options else entry
        assert chosen(*example.arguments(entry.inputs)) == pytest.approx(example.value, rel=1e-12)


@settings(max_examples=30)
@given(case=data())
def test_special_cases_of_one_index_are_others(case):
    X, found = case
    assert same(quietly(generalized_dunn, X, found, delta=1, diameter=1), quietly(dunn, X, found))
    assert same(
        quietly(silhouette, X, found, metric="sqeuclidean"), quietly(silhouette, X, found, variant="squared")
    )
    assert same(quietly(fuzzy_silhouette, X, found), quietly(silhouette, X, found))


# --- scikit-learn -------------------------------------------------------------------------------------


@given(case=data())
def test_values_equal_those_of_scikit_learn(case):
    X, found = case
    labels = found.codes
    assume(2 <= len(set(labels.tolist())) < len(X))
    assert same(silhouette(X, found), metrics.silhouette_score(X, labels))
    assert silhouette_samples(X, found) == pytest.approx(metrics.silhouette_samples(X, labels), abs=1e-10)
    centres = np.array([X[labels == c].mean(axis=0) for c in np.unique(labels)])
    apart = cdist(centres, centres) + np.eye(len(centres))
    assume(apart.min() > 1e-6)  # scikit-learn leaves coincident centres out; ours is infinite
    assert same(davies_bouldin(X, found), metrics.davies_bouldin_score(X, labels))


@pytest.mark.parametrize(
    "metric", ["euclidean", "sqeuclidean", "cityblock", "cosine", "chebyshev", "seuclidean"]
)
@pytest.mark.parametrize("d", [2, 7, 12])
def test_compiled_and_other_metrics_equal_scikit_learn(metric, d):
    # scikit-learn's Euclidean distances of duplicates are no better than 1e-8
    X, labels = scattered(d=d, duplicates=False)
    options = {"V": X.var(axis=0, ddof=1)} if metric == "seuclidean" else {}
    theirs = metrics.silhouette_samples(X, labels, metric=metric, **options)
    assert silhouette_samples(X, labels, metric=metric) == pytest.approx(theirs, abs=1e-10)


def test_mahalanobis_is_euclidean_after_whitening():
    X, labels = scattered(d=3)
    roots = np.linalg.cholesky(np.linalg.inv(np.cov(X.T)))
    assert same(silhouette(X, labels, metric="mahalanobis"), silhouette(X @ roots, labels))
    with pytest.raises(ParameterError, match="inverted"):
        silhouette(np.c_[X, X[:, 0]], labels, metric="mahalanobis")


# --- tiles --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", DISTANCES, ids=lambda e: e.label)
@pytest.mark.parametrize("k", [6, 200])
@pytest.mark.usefixtures("compiled")
def test_compiled_loops_equal_scipy(entry, k, monkeypatch):
    X, labels = scattered(k=k)
    compiled = entry(X, labels)
    monkeypatch.setattr(cluster_measures, "MOST_BOUNDS", 0)
    monkeypatch.setattr(distances, "MOST_SUMS", 0)
    monkeypatch.setattr(cluster_measures, "MOST_SUMS", 0)
    assert same(entry(X, labels), compiled, rel=1e-12)
    monkeypatch.setattr(objects_by_cluster, "COMPILED_PAIRS", math.inf)
    assert same(entry(X, labels), compiled, rel=1e-12)
    monkeypatch.setattr(objects_by_cluster, "TILE_CELLS", 10_000)
    assert same(entry(X, labels), compiled, rel=1e-12)


@pytest.mark.parametrize("shape", ["blobs", "same radius", "line", "far away"])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_pairs_that_are_left_out_hold_no_end(shape, metric):
    """Pairs of tiles are skipped by bounds on distances; the ends must be those of all pairs."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 4, 1500)
    X = rng.normal(size=(1500, 3))
    if shape == "same radius":
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    if shape == "line":
        X = np.arange(1500.0)[:, None] * np.ones(3)
        labels = np.arange(1500) // 400
    X = X + 12.0 * np.eye(4, 3)[labels] * (shape != "line") + 1e6 * (shape == "far away")
    gaps = ClusterGaps.from_whole(X, HardPartition(labels), metric=metric)
    D = cdist(X, X, metric)
    for c in range(4):
        assert gaps.separations[c] == pytest.approx(D[labels == c][:, labels != c].min(), rel=1e-12)
        assert gaps.diameters[c] == pytest.approx(D[labels == c][:, labels == c].max(), rel=1e-12)


@pytest.mark.parametrize("shape", ["random", "blobs", "grid", "far away", "one cluster", "one place"])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "sqeuclidean"])
def test_a_glance_in_single_precision_changes_no_bit(shape, metric, monkeypatch):
    rng = np.random.default_rng(5)
    X, labels = 1e-5 * rng.normal(size=(1700, 5)), rng.integers(0, 5, 1700)
    labels[7] = 9
    if shape == "blobs":
        X = X + 1e-4 * labels[:, None]
    if shape == "grid":
        X = np.round(X * 2e5)
    if shape == "far away":
        X = X + 1e6
    if shape == "one cluster":
        labels = np.zeros(1700, dtype=int)
    if shape == "one place":
        X = np.full((1700, 5), 0.1)
    looked = []
    for least in (math.inf, 0.0):
        monkeypatch.setattr(cluster_measures, "WORTH_A_GLANCE", least)
        looked.append(ClusterGaps.from_whole(X, HardPartition(labels), metric=metric))
    assert looked[0].separations.tolist() == looked[1].separations.tolist()
    assert looked[0].diameters.tolist() == looked[1].diameters.tolist()


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_threads_change_no_bit(threads, monkeypatch):
    X, labels = scattered(1200)
    first = [entry(X, labels) for entry in DISTANCES]
    monkeypatch.setenv("PARTITA_NUM_THREADS", threads)
    assert [entry(X, labels) for entry in DISTANCES] == first


@pytest.mark.usefixtures("compiled")
def test_compiled_weights_are_repeated_rows():
    X, labels = scattered()
    weight = np.random.default_rng(1).integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    for entry in [*DISTANCES, davies_bouldin, xie_beni, simplified_silhouette]:
        assert same(entry(X, labels, sample_weight=weight), entry(X[rows], labels[rows]), rel=1e-12), (
            entry.label
        )


@pytest.mark.parametrize("statistic", [Dispersions, CentroidSilhouettes])
@given(case=data([HARD]), draw=st.data())
@settings(max_examples=30)
def test_blocks_in_any_order_merge(statistic, case, draw):
    X, found = case
    n = len(X)
    moments = ClusterMoments.from_block(X, found)
    rows = draw.draw(st.permutations(range(n)))
    cut = draw.draw(st.integers(1, n))
    parts = [
        statistic.from_block(X[list(part)], found.take(np.array(part)), moments)
        for part in (rows[:cut], rows[cut:])
        if part
    ]
    merged, whole = reduce(add, parts), statistic.from_block(X, found, moments)
    for name in ("sums", "squares", "weights", "widest", "printed"):
        if hasattr(whole, name):
            np.testing.assert_allclose(getattr(merged, name), getattr(whole, name), rtol=1e-12, atol=1e-12)


def test_blocks_are_matched_by_the_names_of_clusters():
    X = np.array([[0.0], [2.0], [5.0], [7.0]])
    moments = ClusterMoments.from_block(X, as_partition(list("aabb")))
    parts = [Dispersions.from_block(X[:2], as_partition(list("aa")), moments)]
    parts.append(Dispersions.from_block(X[2:], as_partition(list("bb")), moments))
    assert (parts[0] + parts[1]).sums.tolist() == [2.0, 2.0]


def test_the_compiled_second_pass_equals_numpy(monkeypatch):
    X, labels = scattered(3000)
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    entries = [e for label, e in BY_LABEL.items() if label.startswith(("davies", "xie", "sci", "dunn:"))]
    plain = [entry(X, labels, sample_weight=w) for entry in entries for w in (None, weight)]
    monkeypatch.setattr(dispersions, "COMPILED_ROWS", 1)
    assert same(
        [entry(X, labels, sample_weight=w) for entry in entries for w in (None, weight)], plain, rel=1e-12
    )


def test_many_clusters_do_not_ask_for_a_square(monkeypatch):
    monkeypatch.setattr(cluster_measures, "MOST_DENSE_CELLS", 8)
    X, labels = scattered(60, k=4)
    assert dunn(X, labels) > 0
    with pytest.raises(TooLargeError, match="pairs of clusters"):
        generalized_dunn(X, labels)


# --- distances beforehand -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [40, 520])
def test_precomputed_distances_give_the_same(n):
    X, labels = scattered(n)
    D = cdist(X, X)
    for entry in POINT_BASED:
        assert same(entry(D, labels, metric="precomputed"), entry(X, labels), rel=1e-12), entry.label
    single = silhouette(D.astype(np.float32), labels, metric="precomputed")
    assert single == pytest.approx(silhouette(X, labels), rel=1e-5)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda D: D[:, :-1], "square|shape"),
        (lambda D: D - 1.0, "negative"),
        (lambda D: D + np.eye(len(D)), "itself"),
        (lambda D: D + np.triu(np.ones_like(D), 1), "symmetric"),
    ],
)
def test_what_is_no_matrix_of_distances_is_refused(change, problem):
    X, labels = scattered(40)
    for entry in (silhouette, dunn):
        with pytest.raises(ParameterError, match=problem):
            entry(change(cdist(X, X)), labels, metric="precomputed")


def test_what_measures_to_centres_refuses_distances():
    X, labels = scattered(40)
    D = cdist(X, X)
    for options in ({"delta": 4}, {"delta": 5}, {"diameter": 3}):
        with pytest.raises(ParameterError, match="centres"):
            generalized_dunn(D, labels, metric="precomputed", **options)
    with pytest.raises(ParameterError, match="centres"):
        dunn(D, labels, metric="precomputed", variant="slide")
    for entry in (davies_bouldin, xie_beni, simplified_silhouette, sci):
        with pytest.raises(PartitaError, match="metric"):
            entry(D, labels, metric="precomputed")


@pytest.mark.parametrize("metric", ["euclid", "", None, 3, len])
def test_unknown_metrics_are_refused(metric):
    with pytest.raises(PartitaError):
        silhouette([[0.0], [1.0]], [0, 1], metric=metric)


def test_a_metric_without_a_value_is_refused():
    with pytest.raises(ParameterError, match="cosine"):
        silhouette([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 1], metric="cosine")


def test_squares_of_other_distances_are_refused():
    with pytest.raises(ParameterError, match="squared"):
        silhouette([[0.0], [1.0], [2.0]], [0, 0, 1], metric="cityblock", variant="squared")


# --- silhouettes of objects, clusters and samples -----------------------------------------------------


def test_silhouettes_of_objects_and_clusters():
    X = [[0.0], [1.0], [5.0]]
    assert silhouette_samples(X, ["a", "a", "b"]).tolist() == pytest.approx([0.8, 0.75, 0.0])
    assert cluster_silhouettes(X, ["a", "a", "b"]) == pytest.approx({"a": 0.775, "b": 0.0})
    # a cluster of copies of one object is no single object: a = 0, and b > 0
    assert silhouette_samples(X, [0, 0, 1], sample_weight=[1, 1, 2])[2] == 1.0
    weighted = silhouette_samples(X, [0, 1, 1], sample_weight=[2, 0, 1])
    assert weighted.tolist() == pytest.approx([1.0, math.nan, 0.0], nan_ok=True)
    D = np.abs(np.subtract.outer([0.0, 1.0, 5.0], [0.0, 1.0, 5.0]))
    assert silhouette_samples(
        D, [0, 0, 1], metric="precomputed", sample_weight=[1, 1, 0]
    ).tolist() == pytest.approx([0.0, 0.0, math.nan], nan_ok=True)
    with pytest.raises(MismatchError):
        silhouette_samples(X, [0, 1])


def test_the_neighbour_of_an_object():
    sums = DistanceSums.from_whole(np.array([[0.0], [1.0], [5.0], [9.0]]), as_partition(list("xxyz")))
    assert [sums.names[i] for i in sums.neighbours] == ["y", "y", "z", "y"]
    assert sums.nearest.tolist() == [5.0, 4.0, 4.0, 4.0]


def test_a_sample_of_all_objects_is_exact():
    X, labels = scattered()
    assert silhouette(X, labels, sample_size=len(X)) == silhouette(X, labels)
    assert DistanceSums.from_whole(X, as_partition(labels), sample_size=len(X)).how == ""


def test_samples_hold_every_cluster_and_say_what_they_are():
    X, labels = scattered()
    sums = DistanceSums.from_whole(X, as_partition(labels), sample_size=100, random_state=5)
    assert sorted(set(sums.codes.tolist())) == list(range(6))
    sizes = np.bincount(labels)
    assert np.bincount(sums.codes) == pytest.approx(
        np.clip(sizes * 100 / 520, np.minimum(16, sizes), None), abs=1
    )
    exact = silhouette_samples(X, labels)
    np.testing.assert_allclose(sums.silhouettes, exact[sums.rows], rtol=1e-12)
    assert sums.how.startswith(f"sampled: {sums.rows.size} of 520 objects, standard error 0.0")
    again = DistanceSums.from_whole(X, as_partition(labels), sample_size=100, random_state=5)
    assert again.mean_silhouette == sums.mean_silhouette
    few = DistanceSums.from_whole(X, as_partition(labels), sample_size=1)
    assert np.bincount(few.codes).tolist() == [2] * 6


def test_samples_are_unbiased_and_their_error_is_true():
    X, labels = scattered()
    weight = np.random.default_rng(2).integers(1, 4, len(X))
    found = as_partition(labels)
    for w in (None, weight):
        exact = silhouette(X, labels, sample_weight=w)
        draws = [DistanceSums.from_whole(X, found, w, sample_size=70, random_state=s) for s in range(200)]
        means = np.array([d.mean_silhouette for d in draws])
        errors = np.array([d.standard_error for d in draws])
        assert abs(means.mean() - exact) < 4 * means.std() / math.sqrt(200) + 1e-3
        assert errors.mean() == pytest.approx(means.std(), rel=0.2)


@pytest.mark.parametrize("size", [0, -3, 2.5, True, "all"])
def test_a_sample_size_that_is_none_is_refused(size):
    with pytest.raises(ParameterError, match="sample_size"):
        silhouette([[0.0], [1.0], [5.0]], [0, 0, 1], sample_size=size)


def test_cost_grows_with_pairs_and_features():
    X, found = np.zeros((100_000, 10)), as_partition(np.arange(100_000) % 7)
    assert DistanceSums.pair_operations(X, found) == 5e9
    assert DistanceSums.pair_operations(X, found, sample_size=1000) == 1e8
    assert ClusterGaps.pair_operations(X, found) == 5e9
    assert ClusterGaps.pair_operations(X, found, delta=4, diameter=3) == 0


# --- limits -------------------------------------------------------------------------------------------


def reason(entry, X, labels):
    with pytest.raises(UndefinedIndexError) as caught:
        entry(X, labels, on_undefined="raise")
    return str(caught.value)


@pytest.mark.parametrize(
    "entry", [e for e in BY_LABEL.values() if "slide" not in e.label], ids=lambda e: e.label
)
def test_one_cluster_has_no_value(entry):
    assert "one cluster" in reason(entry, [[0.0], [1.0], [2.0]], [0, 0, 0])
    assert "one cluster" in reason(entry, [[0.0]], [0])


def test_as_many_clusters_as_objects():
    X, labels = [[0.0], [1.0], [5.0]], [0, 1, 2]
    assert silhouette(X, labels) == simplified_silhouette(X, labels) == 0.0
    assert davies_bouldin(X, labels) == xie_beni(X, labels) == 0.0
    assert dunn(X, labels) == generalized_dunn(X, labels) == sci(X, labels) == math.inf
    assert "0/0" in reason(dunn.using(variant="slide"), X, labels)


@pytest.mark.parametrize("n", [4, 600])
def test_equal_objects(n):
    """All objects alike: no cluster is apart from the other, and none has a spread."""
    X, labels = np.full((n, 3), 0.1), np.arange(n) % 2
    assert silhouette(X, labels) == simplified_silhouette(X, labels) == 0.0
    for entry in (davies_bouldin, xie_beni, dunn, generalized_dunn, sci):
        assert "0/0" in reason(entry, X, labels), entry.name


def test_coincident_centres():
    X, labels = [[-1.0], [1.0], [-3.0], [3.0]], [0, 0, 1, 1]
    assert davies_bouldin(X, labels) == xie_beni(X, labels) == math.inf
    assert davies_bouldin(X, labels, variant="squared") == math.inf
    assert sci(X, labels) == 0.0
    half = [[0.5, 0.5]] * 4
    assert davies_bouldin(X, half) == xie_beni(X, half) == math.inf
    # thirds are not exact in binary, and both centres are 1/3
    thirds = [[0.0], [0.0], [1.0], [1.0], [0.0], [0.0]]
    assert davies_bouldin(thirds, [0, 0, 0, 1, 1, 1]) == math.inf


def test_objects_between_two_clusters_do_not_count():
    assert "none counts" in reason(fuzzy_silhouette, [[0.0], [4.0]], [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])
    with pytest.raises(KindError):
        silhouette([[0.0], [4.0]], [[0.5, 0.5], [0.3, 0.7]])


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e is not fuzzy_silhouette], ids=lambda e: e.name)
@pytest.mark.parametrize("n", [4, 600])
def test_distances_whose_squares_are_too_large_for_a_number(entry, n):
    X = np.where(np.arange(n) % 2, 1.0, -1.0)[:, None] * np.ones((1, 2)) + np.arange(n)[:, None] * 2.0**-20
    assert entry(X * 2.0**660, np.arange(n) % 3) == pytest.approx(entry(X, np.arange(n) % 3), rel=1e-12)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_a_large_offset_costs_no_digits(offset):
    X, labels = scattered(600)
    X = np.round(X * 1024) / 1024  # exact after the shift
    for entry in [*DISTANCES, davies_bouldin, xie_beni, simplified_silhouette, sci]:
        assert entry(X + offset, labels) == pytest.approx(entry(X, labels), rel=1e-9), entry.label


def test_more_features_than_objects_and_constant_features():
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(6, 40)), np.ones((6, 3))]
    labels = [0, 0, 0, 1, 1, 1]
    for entry in BY_LABEL.values():
        assert math.isfinite(entry(X, labels)), entry.label
    assert same(silhouette(X, labels), silhouette(X[:, :40], labels))


def test_fractional_weights_use_the_same_formulas():
    X, labels = scattered(60, k=3)
    for entry in (davies_bouldin, xie_beni, sci, dunn):
        assert same(entry(X, labels, sample_weight=np.full(60, 0.5)), entry(X, labels), rel=1e-12)
    # half an object has no other beside it: half of one counts as alone in its cluster
    assert silhouette_samples([[0.0], [1.0], [5.0]], [0, 0, 1], sample_weight=[0.5, 0.5, 1])[:2].tolist() == [
        0.0,
        0.0,
    ]


# --- known values -------------------------------------------------------------------------------------


def k_means(X, k):
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=0).fit_predict(X)


@pytest.mark.parametrize(
    ("name", "k", "dbi", "sc"),
    [
        ("iris", 3, 0.6619715, 0.552819),
        ("wine", 3, 0.5342432, 0.5711382),
        ("r15", 15, 0.314816, 0.7527392),
        ("s1", 15, 0.3665166, 0.7112786),
    ],
)
def test_values_of_the_best_known_partitions(name, k, dbi, sc):
    """Values that an independent program gave."""
    X = shared_data.features(name)
    found = k_means(X, k)
    assert davies_bouldin(X, found) == pytest.approx(dbi, rel=1e-5)
    assert silhouette(X, found) == pytest.approx(sc, rel=1e-5)
    if name == "s1":
        assert xie_beni(X, found) == pytest.approx(0.06256475, rel=1e-4)


def test_values_that_other_programs_give_for_iris():
    """Values that peers gave: k-means with three clusters."""
    X = shared_data.features("iris")
    found = k_means(X, 3)
    assert davies_bouldin(X, found, q=2.0) == pytest.approx(0.72559, abs=5e-6)  # NbClust
    assert davies_bouldin(X, found, variant="squared") == pytest.approx(0.29024, abs=5e-6)  # AP6YC/cvi
    assert dunn(X, found) == pytest.approx(0.09881, abs=5e-6)  # clusterCrit, genieclust, fpc
    assert xie_beni(X, found) == pytest.approx(0.162755, abs=5e-7)  # permetrics, pycvi
    assert np.mean(list(cluster_silhouettes(X, found).values())) == pytest.approx(0.55552, abs=5e-6)  # pycvi
