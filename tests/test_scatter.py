"""The scatter family: exact arithmetic, scikit-learn, known values; blocks, weights, offsets, limits."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
import shared_data
import strategies
from partita.engine import Request, collect
from partita.errors import KindError, UndefinedIndexError, UndefinedIndexWarning
from partita.indices.scatter import (
    ball_hall,
    bic_partition,
    calinski_harabasz,
    hartigan_log,
    marriott,
    mse,
    r_squared,
    rmsstd,
    ssb,
    ssw,
    wb_index,
    xu,
)
from partita.inputs import prepare
from partita.partitions import FUZZY, HARD, as_partition
from partita.registry.caveats import join_caveats
from partita.statistics.clusters import moments as cluster_moments
from partita.statistics.clusters.moments import ClusterMoments, ClusterScatter, log_determinants
from reference.scatter import REFERENCE_OF_DATA

ENTRIES = [
    ssw, ssb, mse, ball_hall, marriott, calinski_harabasz, hartigan_log, xu, wb_index, rmsstd, r_squared,
    bic_partition,
]  # fmt: skip
VARIANTS = [
    ssb.using(variant="slide"),
    ball_hall.using(variant="mean_error"),
    wb_index.using(variant="f_test"),
    rmsstd.using(variant="slide"),
]
BY_LABEL = {entry.label: entry for entry in ENTRIES + VARIANTS}
SOFT = {label: entry for label, entry in BY_LABEL.items() if FUZZY in entry.kinds}
FIELDS = ("weights", "sizes", "centers", "within")


def quietly(entry, *args, **options):
    """The value, where nan is an answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedIndexWarning)
        return entry(*args, **options)


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


# --- by the definition --------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", BY_LABEL.values(), ids=BY_LABEL)
@settings(max_examples=30)
@given(case=data())
def test_hard_partitions_agree_with_exact_arithmetic(entry, case):
    X, found = case
    assert quietly(entry, X, found) == pytest.approx(
        expected(entry, X, found), rel=1e-10, abs=1e-10, nan_ok=True
    )


@pytest.mark.parametrize("entry", SOFT.values(), ids=SOFT)
@settings(max_examples=30)
@given(case=data([FUZZY]))
def test_fuzzy_partitions_agree_with_exact_arithmetic(entry, case):
    X, found = case
    assert quietly(entry, X, found) == pytest.approx(
        expected(entry, X, found), rel=1e-9, abs=1e-10, nan_ok=True
    )


@given(case=data([HARD, FUZZY]), draw=st.data())
def test_whole_weights_are_repeated_rows(case, draw):
    X, found = case
    weight = draw.draw(strategies.integer_weights(len(X)))
    rows = np.repeat(np.arange(len(X)), weight)
    for entry in BY_LABEL.values() if found.kind is HARD else SOFT.values():
        repeated = quietly(entry, X[rows], found.take(rows))
        assert quietly(entry, X, found, sample_weight=weight) == pytest.approx(
            repeated, rel=1e-12, abs=1e-12, nan_ok=True
        ), entry.label


@given(case=data())
def test_names_do_not_matter(case):
    X, found = case
    renamed = ["zyxw"[code] for code in found.codes]
    for entry in BY_LABEL.values():
        assert quietly(entry, X, renamed) == pytest.approx(
            quietly(entry, X, found), rel=1e-12, abs=1e-12, nan_ok=True
        ), entry.label


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_examples_have_their_value(entry):
    for example in entry.examples:
        chosen = entry.using(**example.options) if example.options else entry
        value = chosen(*example.arguments(entry.inputs))
        assert value == pytest.approx(example.value, rel=1e-12)


def test_fractional_weights_use_the_same_formulas():
    X = np.array([[0.0], [1.0], [5.0], [7.0]])
    doubled = [ssw(X, [0, 0, 1, 1], sample_weight=w) for w in ([1, 1, 1, 1], [2.5] * 4)]
    assert doubled[1] == pytest.approx(2.5 * doubled[0], rel=1e-14)
    # SSB = 30.25 and SSW = 2.5 for single objects; three quarters of each leave n - k = 1
    assert calinski_harabasz(X, [0, 0, 1, 1], sample_weight=[0.75] * 4) == pytest.approx(12.1, rel=1e-12)
    assert math.isnan(quietly(rmsstd, X, [0, 0, 1, 1], sample_weight=[0.1] * 4))


# --- others' values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_calinski_harabasz_agrees_with_scikit_learn(seed):
    from sklearn.metrics import calinski_harabasz_score

    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(300, 1 + 3 * seed)) + 100, rng.integers(0, 5, 300)
    assert calinski_harabasz(X, labels) == pytest.approx(calinski_harabasz_score(X, labels), rel=1e-10)
    assert wb_index(X, labels, variant="f_test") == pytest.approx(
        1 / calinski_harabasz_score(X, labels), rel=1e-10
    )


@pytest.mark.parametrize(
    ("name", "k", "values"),
    [
        ("iris", 3, (78.85144, 561.6278, 0.3926088)),
        ("wine", 3, (2370690, 561.8157, 0.4672351)),
        ("r15", 15, (108.619, 4871.983, 0.1286511)),
        ("d31", 31, (3393.257, 9168.212, 0.3459017)),
        ("s1", 15, (8.917616e12, 22675.25, 0.2355463)),
        ("s2", 15, (1.327911e13, 13506.77, 0.3954367)),
        ("s3", 15, (1.688957e13, 7889.635, 0.6769732)),
        ("s4", 15, (1.570314e13, 6205.863, 0.8606493)),
    ],
)
def test_regression_values_of_the_best_partitions(name, k, values):
    """SSW, CH and WB that an independent program gave; k-means comes near on larger sets."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    X = shared_data.features(name)
    with threadpool_limits(1):
        model = KMeans(k, n_init=40, tol=0, max_iter=1000, random_state=2).fit(X)
    found = [index(X, model.labels_) for index in (ssw, calinski_harabasz, wb_index)]
    assert found == pytest.approx(values, rel=1e-6 if name in ("iris", "wine", "r15") else 5e-5)


def test_iris_has_the_values_of_other_packages():
    """Values that peers gave."""
    from sklearn.cluster import KMeans

    X = shared_data.features("iris")
    labels = KMeans(3, n_init=20, random_state=0).fit_predict(X)
    assert ball_hall(X, labels) == pytest.approx(26.2838, abs=5e-5)
    assert ball_hall(X, labels, variant="mean_error") == pytest.approx(0.52457, abs=5e-6)
    assert hartigan_log(X, labels) == pytest.approx(2.0336, abs=5e-5)


# --- identities ---------------------------------------------------------------------------------------


@given(case=data([HARD, FUZZY]))
def test_the_sums_of_squares_add_up(case):
    X, found = case
    moments = ClusterMoments.from_block(X, found)
    counted = np.asarray(found.memberships(), dtype=float) ** 2
    total = (counted.sum(axis=1) * ((X - moments.mean) ** 2).sum(axis=1)).sum()
    assert moments.sst == pytest.approx(total, rel=1e-12, abs=1e-12)
    assert moments.n_clusters == (found.memberships().sum(axis=0) > 0).sum()
    scatter = ClusterScatter.from_block(X, found)
    np.testing.assert_allclose(np.einsum("jff->j", scatter.scatter), scatter.within, rtol=1e-12, atol=1e-12)
    assert scatter.pooled.shape == (X.shape[1], X.shape[1])


def test_wb_and_calinski_harabasz_are_one_formula():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 2)), np.arange(40) % 4
    assert wb_index(X, labels) == pytest.approx(4 * 36 / (3 * calinski_harabasz(X, labels)), rel=1e-12)
    assert r_squared(X, labels) == pytest.approx(ssb(X, labels) / (ssw(X, labels) + ssb(X, labels)))


# --- blocks, names, kernels ---------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", [ClusterMoments, ClusterScatter])
@given(case=data([HARD, FUZZY]), draw=st.data())
def test_blocks_add_up_in_any_order(statistic, case, draw):
    X, found = case
    cuts = sorted(draw.draw(st.sets(st.integers(1, len(X)), max_size=3)) | {0, len(X)})
    pieces = [slice(a, b) for a, b in pairwise(cuts)]
    parts = [statistic.from_block(X[p], found.take(p)) for p in draw.draw(st.permutations(pieces))]
    whole = statistic.from_block(X, found)
    for merged in (reduce(add, parts), reduce(add, parts, statistic.zero()) + statistic.zero()):
        assert list(merged.names) == list(whole.names)
        assert merged.total == whole.total
        for field in FIELDS + (("scatter",) if statistic is ClusterScatter else ()):
            np.testing.assert_allclose(getattr(merged, field), getattr(whole, field), rtol=1e-12, atol=1e-12)
        assert merged.ssb == pytest.approx(whole.ssb, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("statistic", [ClusterMoments, ClusterScatter])
def test_blocks_that_saw_other_clusters_merge_by_name(statistic):
    X = np.array([[0.0, 1.0], [2.0, 3.0], [7.0, 1.0], [4.0, 4.0]])
    labels = ["b", "a", "c", "b"]
    one = statistic.from_block(X[:2], as_partition(labels[:2]))
    two = statistic.from_block(X[2:], as_partition(labels[2:]))
    whole = statistic.from_block(X, as_partition(labels))
    for merged in (one + two, two + one):
        assert merged.names == ("a", "b", "c")
        for field in FIELDS:
            np.testing.assert_allclose(getattr(merged, field), getattr(whole, field), rtol=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [HARD, FUZZY])
def test_the_compiled_loops_agree_with_numpy(monkeypatch, kind, weighted):
    rng = np.random.default_rng(1)
    n = 5000
    X = rng.normal(size=(n, 3)) + rng.integers(0, 4, n)[:, None]
    labels = rng.integers(5, 9, n).astype(np.int32)
    found = as_partition(labels if kind is HARD else rng.dirichlet(np.ones(4), n))
    weight = rng.integers(0, 4, n) if weighted else None
    plain = ClusterMoments.from_block(X, found, weight)
    monkeypatch.setattr(cluster_moments, "COMPILED_ROWS", 1)
    compiled = ClusterMoments.from_block(X, found, weight)
    for field in FIELDS:
        np.testing.assert_allclose(getattr(compiled, field), getattr(plain, field), rtol=1e-12)
    assert compiled.ssb == pytest.approx(plain.ssb, rel=1e-12)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_engine_collects_the_same_whatever_the_blocks(monkeypatch, threads):
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(6000, 2)), rng.integers(0, 3, 6000)
    whole = ClusterMoments.from_block(X, as_partition(labels))
    monkeypatch.setenv("PARTITA_NUM_THREADS", threads)
    monkeypatch.setattr(ClusterMoments, "block_rows", staticmethod(lambda X, found: 700))
    request = Request(ClusterMoments)
    merged = collect([request], prepare({"X": X, "found": labels}))[request]
    np.testing.assert_allclose(merged.within, whole.within, rtol=1e-12)
    np.testing.assert_allclose(merged.centers, whole.centers, rtol=1e-12, atol=1e-14)


def test_blocks_hold_more_objects_when_each_has_many_clusters():
    X = np.zeros((10, 3))
    few, many = (as_partition([*range(9), top]) for top in (9, 40))
    assert ClusterMoments.block_rows(X, few) == cluster_moments.BLOCK_ROWS
    singletons = as_partition(np.arange(100_000))
    assert ClusterMoments.block_rows(X, singletons) >= 100_000
    assert ClusterScatter.block_rows(np.zeros((10, 2000)), many) >= 41 * 2000
    assert ClusterMoments.block_rows(np.zeros((10, 10**6)), few) == 1024
    assert ClusterMoments.block_rows(X, as_partition(np.full((2, 5000), 1 / 5000))) < 1000 + 1024


# --- precision ----------------------------------------------------------------------------------------


def exact_ssw(X, labels):
    total = Fraction()
    for c in np.unique(labels):
        rows = [[Fraction(x) for x in row] for row in X[labels == c].tolist()]
        for column in zip(*rows, strict=True):
            middle = sum(column) / len(column)
            total += sum((x - middle) ** 2 for x in column)
    return float(total)


@pytest.mark.parametrize("compiled_from", [1, 10**9])
@pytest.mark.parametrize("offset", [0.0, 1e8, -1e12])
def test_a_large_offset_costs_no_digits(monkeypatch, offset, compiled_from):
    monkeypatch.setattr(cluster_moments, "COMPILED_ROWS", compiled_from)
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2], 100)
    X = rng.normal(size=(300, 2)) + 3.0 * labels[:, None] + offset
    found = as_partition(labels)
    parts = [
        ClusterMoments.from_block(X[a : a + 50], found.take(slice(a, a + 50))) for a in range(0, 300, 50)
    ]
    merged = reduce(add, parts)
    assert merged.ssw == pytest.approx(exact_ssw(X, labels), rel=1e-12)
    assert merged.sst == pytest.approx(exact_ssw(X, np.zeros(300)), rel=1e-12)
    scatter = ClusterScatter.from_block(X, found)
    assert np.trace(scatter.pooled) == pytest.approx(merged.ssw, rel=1e-12)


def test_an_outlier_in_a_cluster_of_its_own_does_not_blur_the_others():
    X = np.array([[1e15], [0.1], [0.2], [0.4]])
    labels = np.array([0, 1, 1, 1])
    assert ssw(X, labels) == pytest.approx(exact_ssw(X, labels), rel=1e-12)


@pytest.mark.parametrize("entry", BY_LABEL.values(), ids=BY_LABEL)
def test_single_precision_is_read_as_it_is(entry):
    rng = np.random.default_rng(4)
    X, labels = rng.normal(size=(50, 2)).astype(np.float32), rng.integers(0, 3, 50)
    assert entry(X, labels) == entry(X.astype(float), labels)


def test_coincident_centres_are_seen_through_rounding():
    X = np.array([[0.1], [0.2], [0.3], [0.1 + 0.1], [0.6 / 3]])
    labels = [0, 0, 0, 1, 1]
    moments = ClusterMoments.from_block(X, as_partition(labels))
    assert moments.ssb == 0
    assert wb_index(X, labels) == math.inf
    assert calinski_harabasz(X, labels) == 0
    assert hartigan_log(X, labels) == -math.inf


# --- degenerate cases ---------------------------------------------------------------------------------

ALIKE = [[2.0, 1.0]] * 4
NAN = math.nan
INF = math.inf


@pytest.mark.parametrize(
    ("entry", "X", "labels", "value", "reason"),
    [
        (calinski_harabasz, [[0], [1], [2]], [0, 0, 0], NAN, "only one cluster"),
        (calinski_harabasz, [[0], [1], [2]], [0, 1, 2], NAN, "as many clusters as objects"),
        (calinski_harabasz, ALIKE, [0, 0, 1, 1], NAN, "all objects are alike"),
        (calinski_harabasz, [[0], [0], [2]], [0, 0, 1], INF, "no object is away"),
        (wb_index, [[0], [1], [2]], [0, 0, 0], NAN, "only one cluster"),
        (wb_index, [[0], [1], [2]], [0, 1, 2], 0.0, ""),
        (wb_index, ALIKE, [0, 0, 1, 1], NAN, "all objects are alike"),
        (wb_index, [[0], [2], [1]], [0, 0, 1], INF, "coincide"),
        (wb_index.using(variant="f_test"), [[0], [1]], [0, 1], NAN, "as many clusters"),
        (hartigan_log, [[0], [1]], [0, 0], NAN, "only one cluster"),
        (hartigan_log, ALIKE, [0, 0, 1, 1], NAN, "all objects are alike"),
        (hartigan_log, [[0], [1]], [0, 1], INF, "no object is away"),
        (hartigan_log, [[0], [2], [1]], [0, 0, 1], -INF, "coincide"),
        (xu, [[0], [1]], [0, 1], -INF, "no object is away"),
        (xu, [[0], [1]], [0, 0], 0.5 * math.log(0.5 / 4), ""),
        (rmsstd, [[0], [1]], [0, 1], NAN, "as many clusters as objects"),
        (rmsstd, ALIKE, [0, 0, 1, 1], 0.0, ""),
        (r_squared, ALIKE, [0, 0, 1, 1], NAN, "all objects are alike"),
        (r_squared, [[0], [1]], [0, 0], 0.0, ""),
        (bic_partition, [[0], [1]], [0, 1], NAN, "as many clusters as objects"),
        (bic_partition, [[0], [0], [1]], [0, 0, 1], NAN, "the variance is 0"),
        (marriott, [[0, 0], [1, 1]], [0, 0], -INF, "n - k < d"),
        (marriott, [[0, 3], [1, 3], [2, 3], [3, 3]], [0, 0, 1, 1], -INF, "singular"),
        (marriott, [[0, 0], [1, 2], [2, 4], [9, 1]], [0, 0, 0, 1], -INF, "singular"),
        (ssb, [[0], [1]], [0, 0], 0.0, ""),
        (ssb.using(variant="slide"), [[0], [1]], [0, 0], NAN, "only one cluster"),
        (ssw, [[0], [1]], [0, 1], 0.0, ""),
        (mse, [[3]], [0], 0.0, ""),
        (ball_hall, [[3]], ["x"], 0.0, ""),
        (ssw, [[1e200], [-1e200], [0]], [0, 0, 1], NAN, "overflow"),
        (marriott, [[1e200], [-1e200], [0]], [0, 0, 1], math.log(8) + 400 * math.log(10), ""),
        (ssw, [[1e-200], [-1e-200], [0]], [0, 0, 1], NAN, "too small"),
        (calinski_harabasz, [[0], [1], [2e154]], [0, 0, 1], INF, "beyond all numbers"),
        (wb_index, [[0], [1], [2e154]], [0, 0, 1], 3.75e-309, ""),
        (r_squared, [[0], [1], [2e154]], [0, 0, 1], 1.0, ""),
        (ssb, [[1e308], [-1e308], [0]], [0, 1, 1], NAN, "overflow"),
    ],
    ids=lambda v: getattr(v, "label", None),
)
def test_degenerate_cases(entry, X, labels, value, reason):
    outcome, caveats = entry.value_for(prepare({"X": X, "found": labels}), None)
    why = join_caveats(caveats)
    assert outcome == pytest.approx(value, nan_ok=True)
    assert reason in why
    assert bool(why) == bool(reason)


def test_nothing_is_undefined_in_silence():
    with pytest.warns(UndefinedIndexWarning, match="only one cluster"):
        assert math.isnan(calinski_harabasz([[0], [1]], [0, 0]))
    with pytest.raises(UndefinedIndexError, match="all objects are alike"):
        wb_index([[1], [1]], [0, 1], on_undefined="raise")


def test_memberships_that_say_nothing_put_all_centres_in_one_place():
    X = [[0.0, 1.0], [3.0, 5.0], [7.0, 2.0]]
    U = np.full((3, 2), 0.5)
    assert calinski_harabasz(X, U) == 0
    assert wb_index(X, U) == math.inf
    assert ssb(X, U) == 0


def test_more_features_than_objects():
    rng = np.random.default_rng(5)
    X, labels = rng.normal(size=(6, 20)), [0, 0, 0, 1, 1, 1]
    assert marriott(X, labels) == -math.inf
    assert all(math.isfinite(entry(X, labels)) for entry in ENTRIES if entry is not marriott)


def test_empty_clusters_contribute_nothing():
    X = [[0.0], [1.0], [5.0]]
    empty = pt.HardPartition(["a", "a", "c"], names=["a", "b", "c"])
    soft = np.array([[0.9, 0.0, 0.1], [0.8, 0.0, 0.2], [0.2, 0.0, 0.8]])
    for entry in BY_LABEL.values():
        assert quietly(entry, X, empty) == pytest.approx(quietly(entry, X, ["a", "a", "c"]), nan_ok=True)
    for entry in SOFT.values():
        assert entry(X, soft) == pytest.approx(entry(X, soft[:, [0, 2]]))
    moments = ClusterMoments.from_block(np.array(X), empty)
    assert moments.filled.tolist() == [True, False, True]
    assert moments.centers_of_filled.tolist() == [[0.5], [5.0]]


def test_hard_only_indices_refuse_memberships():
    X, U = [[0.0], [1.0]], [[0.5, 0.5], [0.3, 0.7]]
    for entry in ENTRIES:
        if entry.label not in SOFT:
            with pytest.raises(KindError, match="harden"):
                entry(X, U)


def test_the_power_of_memberships_is_an_option_of_the_statistic():
    rng = np.random.default_rng(6)
    X, U = rng.normal(size=(30, 2)), rng.dirichlet(np.ones(3), 30)
    for power in (1.0, 2.0, 2.5):
        W = U**power
        centers = (W.T @ X) / W.sum(axis=0)[:, None]
        away = X[:, None, :] - centers
        expected_scatter = np.einsum("ij,ijf,ijg->jfg", W, away, away)
        found = ClusterScatter.from_block(X, as_partition(U), power=power)
        np.testing.assert_allclose(found.centers, centers, rtol=1e-12)
        np.testing.assert_allclose(found.scatter, expected_scatter, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(found.weights, W.sum(axis=0), rtol=1e-12)
        np.testing.assert_allclose(found.sizes, U.sum(axis=0), rtol=1e-12)


def test_sparse_memberships_are_read_as_dense_ones():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(7)
    X, U = rng.normal(size=(20, 2)), np.eye(3)[rng.integers(0, 3, 20)] * 0.75 + 0.25 * np.array([0, 0, 1])
    assert ssw(X, csr_array(U)) == pytest.approx(ssw(X, U), rel=1e-14)


def test_log_determinants_do_not_depend_on_units():
    rng = np.random.default_rng(8)
    A = rng.normal(size=(5, 9, 4))
    matrices = np.einsum("sif,sig->sfg", A, A)
    np.testing.assert_allclose(log_determinants(matrices), np.linalg.slogdet(matrices)[1], rtol=1e-10)
    units = np.array([1e-9, 1.0, 1e9, 1e5])
    scaled = matrices * units[:, None] * units
    np.testing.assert_allclose(
        log_determinants(scaled), log_determinants(matrices) + 2 * np.log(units).sum(), rtol=1e-9
    )
    singular = np.ones((2, 2))
    mixed = np.stack([np.eye(2), singular, np.full((2, 2), np.inf)])
    assert log_determinants(mixed).tolist()[:2] == [0.0, -math.inf]
    assert math.isnan(log_determinants(mixed)[2])


# --- Table B.1 of franti2017 ------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "printed"), [(2, 0.001395), (15, 0.001378)])
def test_table_b1_gives_the_near_tie_of_2_and_15_clusters_on_s3(k, printed):
    """franti_validation.md, section 4: with both orders of a pair summed, and SSW(N - M) as printed."""
    X = shared_data.features("s3")
    labels = pt.cluster.RandomSwap(k, random_state=0).fit(X).labels_
    value = calinski_harabasz.using(variant="slide")(X, labels)
    assert 2 * value / (len(X) - k) ** 2 == pytest.approx(printed, abs=6e-7)


def test_centres_that_rounding_alone_sets_apart_are_no_scatter():
    X, soft = [[1e30], [2e30]], [[1 - 1e-16, 1e-16]] * 2
    assert ssb.using(variant="slide")(X, soft) == 0.0
    assert ssb(X, soft) == 0.0
    assert wb_index.using(variant="slide")(X, soft) == math.inf
    near = [[0.75, 0.25], [0.75 - 1e-6, 0.25 + 1e-6]]
    assert ssb.using(variant="slide")(X, near) > 0.0
