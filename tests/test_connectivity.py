"""Density-connectivity distances: against all paths and the authors' numbers; noise, weights, metrics."""

from __future__ import annotations

import math
from typing import Literal, get_args, get_origin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import partita as pt
from partita.errors import ParameterError, TooLargeError, UndefinedIndexWarning
from partita.indices import (
    catalogue,
    dbcv,
    dc_dunn,
    disco,
    dunn,
    generalized_dunn,
    macro_silhouette,
    silhouette,
)
from partita.partitions import DataMatrix, FuzzyPartition, HardPartition
from partita.partitions.chunked_reading import cut_into_chunks
from partita.statistics import ConnectedGaps, DensityScores, DistanceSums, ReachabilityPath
from partita.statistics.distances import connectivity
from partita.statistics.distances.cluster_gaps import ClusterGaps
from reference.density import as_labels, disco_samples, minimax
from shared_data import features, labels
from strategies import hard, integer_weights

METRICS = ["euclidean", "sqeuclidean", "cityblock", "chebyshev"]

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")


@pytest.fixture(params=["plain", "compiled"])
def path(request, monkeypatch):
    """Both ways to compute it, whatever the number of objects; neighbours by looks at all objects."""
    if request.param == "compiled":
        monkeypatch.setattr(connectivity, "COMPILED_PAIRS", 0)
        monkeypatch.setattr(connectivity, "MOST_TREE_FEATURES", 0)


both_paths = pytest.mark.usefixtures("path")


@st.composite
def cases(draw, least=1, most=14):
    """Coordinates on a small grid, so that ties and equal objects are frequent; labels, noise among them."""
    n, d, top = draw(st.integers(least, most)), draw(st.integers(1, 3)), draw(st.integers(0, 5))
    rows = st.lists(st.integers(0, top), min_size=d, max_size=d)
    X = np.array(draw(st.lists(rows, min_size=n, max_size=n)), dtype=float)
    return X, draw(hard(n)), draw(st.integers(1, n))


def close(made, expected):
    np.testing.assert_allclose(made, expected, rtol=1e-12, atol=1e-12)


def moons(n=100):
    from sklearn.datasets import make_moons

    return make_moons(n, random_state=42)


def noisy_blobs(n=60, seed=0):
    rng = np.random.default_rng(seed)
    which = rng.integers(3, size=n)
    X = rng.normal(size=(n, 2)) + 4.0 * which[:, None]
    return X, np.where(rng.random(n) < 0.2, -1, which)


# --- the distances -------------------------------------------------------------------------------------


@both_paths
@pytest.mark.parametrize("metric", METRICS)
def test_distances_and_core_distances_are_those_of_all_paths(metric):
    @given(case=cases())
    def hold(case):
        X, _, min_points = case
        expected, core = minimax(X, metric=metric, min_points=min_points)
        made = ReachabilityPath.from_whole(X, metric=metric, min_points=min_points)
        close(made.core, core)
        close(made.distances(np.arange(len(X))), expected)
        given_distances = cdist(X, X, metric)
        made = ReachabilityPath.from_whole(given_distances, metric="precomputed", min_points=min_points)
        close(made.distances(np.arange(len(X))), expected)

    hold()


@given(case=cases(), seed=st.integers(0, 100))
def test_sums_ends_and_nearest_are_those_of_the_matrix(case, seed):
    X, found, min_points = case
    rng = np.random.default_rng(seed)
    matrix, _ = minimax(X, min_points=min_points)
    made = ReachabilityPath.from_whole(X, min_points=min_points)
    codes, k, weight = found.codes, found.n_clusters, rng.random(len(X))
    members = np.eye(k)[codes] * weight[:, None]
    close(made.sums(codes, weight, k), matrix @ members)
    chosen = rng.random(len(X)) < 0.4
    others = chosen & ~np.eye(len(X), dtype=bool)
    close(made.least(chosen), np.where(others, matrix, np.inf).min(axis=1))
    near, far = made.ends(codes, k)
    together = codes[:, None] == codes
    each = [codes == c for c in range(k)]
    close(near, [np.where(~together[own], matrix[own], np.inf).min(initial=np.inf) for own in each])
    close(far, [np.where(together[own], matrix[own], 0.0).max(initial=0.0) for own in each])


@given(case=cases(), seed=st.integers(0, 100))
def test_some_of_the_objects_keep_their_distances(case, seed):
    X, _, min_points = case
    rows = np.random.default_rng(seed).permutation(len(X))[: 1 + seed % len(X)]
    whole = ReachabilityPath.from_whole(X, min_points=min_points)
    some = whole.among(rows)
    every = np.arange(len(rows))
    close(some.distances(every), whole.distances(rows)[:, rows])
    close(some.core, whole.core[rows])
    assert math.isinf(some.steps[0])


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock"])
@pytest.mark.parametrize("d", [2, 8])
def test_a_tree_of_neighbours_and_all_distances_give_the_same(metric, d, monkeypatch):
    X = np.round(np.random.default_rng(0).normal(size=(200, d)), 1)
    expected = np.sort(cdist(X, X, metric), axis=1)[:, 4]
    for most in (0, 10):
        monkeypatch.setattr(connectivity, "MOST_TREE_FEATURES", most)
        close(ReachabilityPath.from_whole(X, metric=metric).core, expected)


@both_paths
@given(X=cases(2), weight=st.data())
def test_whole_weights_are_repeated_objects(X, weight):
    X, _, _ = X
    times = weight.draw(integer_weights(len(X))) + 1
    min_points = weight.draw(st.integers(1, int(times.sum())))
    repeated = np.repeat(np.arange(len(X)), times)
    expected, core = minimax(X[repeated], min_points=min_points)
    made = ReachabilityPath.from_whole(X, times.astype(float), min_points=min_points)
    first = np.cumsum(times) - times
    close(made.core, core[first])
    close(made.distances(np.arange(len(X))), expected[np.ix_(first, first)])


@both_paths
def test_halves_of_objects_make_no_place_denser():
    X = np.random.default_rng(1).normal(size=(150, 2))
    twice = np.repeat(X, 2, axis=0)
    halves = ReachabilityPath.from_whole(twice, np.full(300, 0.5), min_points=7)
    close(halves.core[::2], ReachabilityPath.from_whole(X, min_points=7).core)
    tenths = ReachabilityPath.from_whole(np.repeat(X[:1], 50, axis=0), np.full(50, 0.1))
    assert not tenths.has_too_few  # though 50 times 0.1 is less than 5 in floating point
    assert not tenths.core.any()


def test_few_objects():
    for X in ([[0.0]], [[0.0], [3.0]], [[0.0], [3.0], [4.0]], np.zeros((6, 2))):
        for min_points in range(1, len(X) + 1):
            expected, _ = minimax(X, min_points=min_points)
            made = ReachabilityPath.from_whole(np.array(X), min_points=min_points)
            close(made.distances(np.arange(len(X))), expected)
    assert ReachabilityPath.from_whole(np.zeros((4, 1))).has_too_few


def test_too_many_objects_are_refused_before_the_work():
    X = np.broadcast_to(np.zeros((1, 10)), (1_000_000, 10))
    with pytest.raises(TooLargeError, match="spanning tree"):
        ReachabilityPath.from_whole(X)


# --- metric="density" ----------------------------------------------------------------------------------

PAIRWISE = [e for e in catalogue() if {DistanceSums, ClusterGaps} & set(e.statistics)]


def forms(entry):
    """The entry, and one for each value of a closed option that needs no centres."""
    changed = [
        entry.using(**{name: value})
        for name, hint in entry.option_types.items()
        for value in (get_args(hint) if get_origin(hint) is Literal else ())
        if value not in ("squared", "slide") and (name, value) not in NEEDS_CENTRES
    ]
    return [entry, *changed]


NEEDS_CENTRES = {("delta", 4), ("delta", 5), ("diameter", 3)}


def test_every_index_that_takes_a_distance_takes_this_one():
    with_metric = {entry.name for entry in catalogue() if "metric" in entry.options}
    assert with_metric == {entry.name for entry in PAIRWISE} | {"dbcv", "disco", "dc_dunn"}
    assert all(pt.indices.find(name).options["min_points"] == 5 for name in with_metric - {"dbcv"})


def check_as_precomputed(entry, X, found, min_points):
    matrix, _ = minimax(X, min_points=min_points)
    value = entry.using(metric="density", min_points=min_points)(X, found)
    expected = entry.using(metric="precomputed")(matrix, found)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("entry", [f for e in PAIRWISE for f in forms(e)], ids=lambda e: e.label)
def test_density_is_the_matrix_of_all_paths(entry):
    @settings(max_examples=40)
    @given(case=cases())
    def hold(case):
        check_as_precomputed(entry, *case)

    hold()


@pytest.mark.parametrize("entry", [f for e in PAIRWISE for f in forms(e)], ids=lambda e: e.label)
def test_density_of_few_equal_and_noisy_objects(entry):
    for X in ([[0.0], [3.0]], [[0.0], [3.0], [4.0]], [[0.0], [0.0], [4.0]], np.zeros((5, 2))):
        for found in ([0] * len(X), [0] * (len(X) - 1) + [1], list(range(len(X))), [0] * (len(X) - 1) + [-1]):
            for min_points in (1, 2, len(X)):
                check_as_precomputed(entry, X, found, min_points)
    X, found = noisy_blobs(30)
    check_as_precomputed(entry, X, found, 5)


@pytest.mark.parametrize("entry", PAIRWISE, ids=lambda e: e.name)
@given(case=cases(2, 10), weight=st.data())
def test_density_with_weights_is_that_of_repeated_objects(entry, case, weight):
    X, found, _ = case
    times = weight.draw(integer_weights(len(X)))
    min_points = weight.draw(st.integers(1, int(times.sum())))
    dense = entry.using(metric="density", min_points=min_points)
    repeated = np.repeat(np.arange(len(X)), times)
    expected = dense(X[repeated], found.take(repeated))
    assert dense(X, found, sample_weight=times) == pytest.approx(expected, rel=1e-11, nan_ok=True)


def test_density_of_a_fuzzy_clustering_is_that_of_its_hardened_clusters():
    X, _ = noisy_blobs(40)
    U = FuzzyPartition(np.random.default_rng(0).dirichlet(np.ones(3), 40))
    matrix, _ = minimax(X)
    entry = pt.indices.fuzzy_silhouette
    value = entry(X, U, metric="density")
    assert value == pytest.approx(entry(matrix, U, metric="precomputed"), rel=1e-12)


def test_sums_too_many_to_hold_come_from_rows_of_distances(monkeypatch):
    X, found = noisy_blobs(150)
    entries = [
        e.using(metric="density") for e in (silhouette, generalized_dunn, generalized_dunn.using(delta=6))
    ]
    weight = np.random.default_rng(0).integers(1, 4, 150)
    held = [entry(X, found, sample_weight=weight) for entry in entries]
    monkeypatch.setattr(connectivity, "MOST_SUMS", 0)
    np.testing.assert_allclose([e(X, found, sample_weight=weight) for e in entries], held, rtol=1e-12)
    monkeypatch.setattr(connectivity, "TILE_CELLS", 1)  # one cluster at a time
    monkeypatch.setattr(connectivity, "MOST_SUMS", 1 << 26)
    np.testing.assert_allclose([e(X, found, sample_weight=weight) for e in entries], held, rtol=1e-12)


def test_a_sample_is_held_against_all_objects():
    X, found = noisy_blobs(200)
    made = DistanceSums.from_whole(X, HardPartition(found), metric="density", sample_size=50)
    whole = DistanceSums.from_whole(X, HardPartition(found), metric="density")
    assert made.is_sampled
    np.testing.assert_array_equal(made.silhouettes, whole.silhouettes[made.rows])


def test_silhouettes_of_objects_and_clusters_take_it():
    X, y = moons()
    each = pt.indices.silhouettes.silhouette_samples(X, y, metric="density")
    assert each.mean() == pytest.approx(silhouette(X, y, metric="density"))
    by_cluster = pt.indices.silhouettes.cluster_silhouettes(X, y, metric="density")
    assert np.mean(list(by_cluster.values())) == pytest.approx(macro_silhouette(X, y, metric="density"))
    assert pt.validate(X, y, metric="density").by_cluster[0].silhouette == pytest.approx(by_cluster[0])


def test_the_spanning_tree_is_made_once(monkeypatch):
    X, y = moons()
    asked = []
    monkeypatch.setattr(
        connectivity, "_visits", lambda *args, visits=connectivity._visits: asked.append(1) or visits(*args)
    )
    result = pt.validate(X, y, metric="density")
    rows = {row.index for row in result.all.rows}
    assert {"disco:metric=density", "dc_dunn:metric=density", "dunn:metric=density"} <= rows
    assert len(asked) == 1
    assert (
        "core distances of its own"
        in {one.index: one.reason for one in result.left_out}["dbcv:metric=density"]
    )
    assert result["disco:metric=density"].value == disco(X, y)


def test_what_density_cannot_do_is_refused():
    X, y = moons()
    with pytest.raises(ParameterError, match="fewer objects than min_points") as refused:
        silhouette(X[:3], y[:3], metric="density")
    assert refused.value.fix == "min_points=3"
    with pytest.raises(ParameterError, match="fewer objects"):
        dunn(X[:4], y[:4], metric="density", sample_weight=[0.5] * 4)
    with pytest.raises(ParameterError, match="centre"):
        generalized_dunn(X, y, metric="density", delta=4, diameter=3)
    with pytest.raises(ParameterError, match="core distances of its own"):
        dbcv(X, y, metric="density")
    with pytest.raises(ParameterError, match='variant="squared"'):
        silhouette(X, y, metric="density", variant="squared")
    with pytest.raises(ParameterError, match="min_points"):
        disco(X, y, min_points=0)
    with pytest.raises(ParameterError, match=r"no such metric(.|\n)*density"):
        disco(X, y, metric="dense")


def test_chunks_are_refused():
    X, y = moons()
    lazy = (cut_into_chunks(DataMatrix(X), (50, 50)), cut_into_chunks(pt.as_partition(y), (50, 50)))
    for entry in (disco, dc_dunn, silhouette.using(metric="density"), dunn.using(metric="density")):
        with pytest.raises(TooLargeError, match=entry.name):
            pt.validate(*lazy, indices=[entry])
    assert pt.validate(*lazy, indices=["silhouette"])["silhouette"].value == pytest.approx(silhouette(X, y))


# --- DISCO ---------------------------------------------------------------------------------------------


@both_paths
@pytest.mark.parametrize("metric", METRICS)
def test_scores_are_those_of_the_definition(metric):
    @given(case=cases())
    def hold(case):
        X, found, min_points = case
        which = as_labels(np.eye(found.n_clusters)[found.codes], found.noise_mask)
        expected = disco_samples(X, which, metric=metric, min_points=min_points)
        assert disco(X, found, metric=metric, min_points=min_points) == pytest.approx(
            np.mean(expected), abs=1e-12, nan_ok=True
        )
        made = DensityScores.from_whole(X, found, metric=metric, min_points=min_points)
        if made.n_clusters > 1 or (made.n_clusters and made.is_noise.any()):
            np.testing.assert_allclose(made.scores, expected, atol=1e-12)

    hold()


def test_the_value_that_the_authors_program_prints():
    """src/Evaluation/disco.py of github.com/pasiweber/DISCO: 0.71... for these moons and HDBSCAN()."""
    from sklearn.cluster import HDBSCAN

    X, _ = moons()
    assert math.floor(disco(X, HDBSCAN(copy=True).fit_predict(X)) * 100) == 71


@pytest.mark.parametrize(("name", "printed"), [("spiral", 0.59), ("aggregation", 0.31), ("compound", 0.35)])
def test_values_that_the_authors_print(name, printed):
    """src/Experiments/Pointwise.ipynb of github.com/pasiweber/DISCO, of standardized data."""
    X = features(name)
    assert round(disco((X - X.mean(axis=0)) / X.std(axis=0), labels(name)), 2) == printed


def test_edge_cases_of_the_paper():
    X = np.random.default_rng(0).normal(size=(8, 2))
    with pytest.warns(UndefinedIndexWarning, match="fewer objects than min_points"):
        assert math.isnan(disco(X[:4], [0, 0, 1, 1]))
    assert disco(X, [-1] * 8) == -1.0
    assert disco(X, [3] * 8) == 0.0
    assert disco(X, range(8)) == 0.0
    assert disco(np.zeros((8, 2)), [0, 0, 0, 1, 1, 1, -1, -1]) == 0.0
    assert disco(X, [0] + [-1] * 7, min_points=2) == pytest.approx(
        np.mean(disco_samples(X, [0] + [None] * 7, min_points=2)), abs=1e-12
    )


def test_noise_is_told_and_its_policies():
    X, found = noisy_blobs()
    row = pt.validate(X, found, indices=["disco", "dc_dunn"])
    count = int((found == -1).sum())
    made = DensityScores.from_whole(X, HardPartition(found))
    assert row["disco"].caveat == (
        f"{count} noise objects have the mean score {made.scores[found == -1].mean():.2f}"
    )
    assert row["dc_dunn"].caveat == f"{count} noise objects are left out"
    inside = found != -1
    assert disco(X, found, noise="ignore") == disco(X[inside], found[inside])
    names = np.where(inside, found, 10 + np.arange(len(X)))
    assert disco(X, found, noise="singletons") == disco(X, names)
    assert pt.validate(X[inside], found[inside], indices=["disco"])["disco"].caveat == ""


def test_noise_in_a_sparse_place_is_better_than_noise_in_a_cluster():
    X, y = moons()
    out = np.vstack([X, [[5.0, 5.0], [-5.0, 4.0]]])
    assert disco(out, [*y, -1, -1]) > disco(out, [*y, 0, 1])
    y = y.copy()
    y[::10] = -1
    assert disco(X, y) < disco(X, moons()[1])


# --- the Dunn index of density-connectivity distances ---------------------------------------------------


@both_paths
@given(case=cases())
def test_dc_dunn_is_dunn_without_noise(case):
    X, found, min_points = case
    inside = np.ones(len(X), dtype=bool) if found.noise_mask is None else ~found.noise_mask
    value = dc_dunn(X, found, min_points=min_points)
    if inside.sum() < min_points:
        assert math.isnan(value)
        return
    dense = dunn.using(metric="density", min_points=min_points)
    assert value == pytest.approx(dense(X[inside], found.take(inside)), nan_ok=True)
    distances = cdist(X, X)
    again = dc_dunn(distances, found, metric="precomputed", min_points=min_points)
    assert again == pytest.approx(value, nan_ok=True)


def test_clusters_of_any_shape_are_apart():
    X, y = moons(300)
    assert dc_dunn(X, y) > 1 > dunn(X, y)
    halves = (X[:, 0] > np.median(X[:, 0])).astype(int)
    assert dc_dunn(X, halves) < 1
    assert disco(X, y) > 0.5 > disco(X, halves)
    assert silhouette(X, halves) > silhouette(X, y)  # which knows no shapes
    assert silhouette(X, y, metric="density") == pytest.approx(disco(X, y))


def test_noise_only_and_few_objects_have_no_gaps():
    X = np.random.default_rng(0).normal(size=(8, 2))
    with pytest.warns(UndefinedIndexWarning, match="no two clusters"):
        assert math.isnan(dc_dunn(X, [-1] * 8))
    with pytest.warns(UndefinedIndexWarning, match="fewer objects than min_points"):
        assert math.isnan(dc_dunn(X, [0, 0, 1, 1, -1, -1, -1, -1]))
    assert ConnectedGaps.from_whole(X, HardPartition([0, 0, 1, 1, -1, -1, -1, -1])).n_noise == 4


# --- what changes nothing -------------------------------------------------------------------------------

DENSE = [disco, dc_dunn, *(e.using(metric="density") for e in PAIRWISE), macro_silhouette]


@pytest.mark.parametrize("entry", DENSE, ids=lambda e: e.label)
@pytest.mark.parametrize("n", [60, 200])
def test_order_names_place_and_unit_change_nothing(entry, n):
    X, found = noisy_blobs(n)
    value = entry(X, found)
    order = np.random.default_rng(1).permutation(n)
    renamed = np.array([7, 3, 5, -1])[found]
    for data, which in [
        (X[order], found[order]),
        (X, renamed),
        (X + 1000.0, found),
        (1e-9 * X, found),
        (3e8 * X, found),
        (X @ [[0.6, -0.8], [0.8, 0.6]], found),
    ]:
        assert entry(data, which) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("entry", [disco, dc_dunn])
def test_distances_of_another_unit_change_nothing(entry):
    X, found = noisy_blobs()
    distances = cdist(X, X)
    value = entry(X, found)
    assert entry(distances, found, metric="precomputed") == pytest.approx(value)
    assert entry(1e6 * distances, found, metric="precomputed") == pytest.approx(value)
    assert entry(X, found, metric="density") == value


@pytest.mark.parametrize("entry", DENSE, ids=lambda e: e.label)
def test_threads_change_no_bit(entry, monkeypatch):
    X, found = noisy_blobs(400)
    X = np.hstack([X, X**2, np.sin(X), np.cos(X)])
    values = set()
    for threads in ("1", "3"):
        monkeypatch.setenv("PARTITA_NUM_THREADS", threads)
        values.add(entry(X, found))
    assert len(values) == 1


def test_a_large_offset_costs_no_digit():
    X, found = noisy_blobs()
    whole = np.round(X * 1024) / 1024
    for entry in (disco, dc_dunn, silhouette.using(metric="density")):
        assert entry(whole + 2.0**30, found) == pytest.approx(entry(whole, found), rel=1e-12)


def test_path_is_of_the_metric_asked_for():
    assert ReachabilityPath.request("density", 5) == ReachabilityPath.request("euclidean", 5)
    assert ReachabilityPath.request("manhattan", 5) == ReachabilityPath.request("cityblock", 5)
    assert ReachabilityPath.request("density", 6) != ReachabilityPath.request("density", 5)
