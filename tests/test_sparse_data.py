"""Data as a sparse matrix: the same values as written out, without writing it out."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import silhouette_score

import partita as pt
from partita.cluster_profiles import cluster_profiles
from partita.engine import needs_all_values
from partita.errors import ParameterError, TooLargeError, UndefinedIndexWarning
from partita.inputs import prepare
from partita.partitions import data as data_module
from partita.registry.lookup import indices
from partita.results.verdicts import RemarkKind
from partita.statistics.clusters.moments import ClusterMoments
from partita.statistics.clusters.sparse_data import squared_to_all
from partita.statistics.distances.distance_sums import silhouette_samples

INDICES = [e for e in indices() if "X" in e.inputs and "found" in e.inputs and "truth" not in e.inputs]
SPARSE_METRICS = ("euclidean", "cosine", "sqeuclidean")
N, D, K = 120, 40, 4


@pytest.fixture
def stays_sparse(monkeypatch):
    """Small matrices are not written out either."""
    monkeypatch.setattr(data_module, "WRITTEN_OUT_CELLS", 0)
    monkeypatch.setattr(data_module, "FILLED_SHARE", 1.01)


def words(n=N, d=D, k=K, seed=0, density=0.08):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    X = sparse.random_array((n, d), density=density, rng=rng, format="csr")
    own = sparse.csr_array((np.full(n, 0.7), (np.arange(n), labels)), shape=(n, d))
    return sparse.csr_array(X + own), labels


def value(entry, X, found, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedIndexWarning)
        return entry(X, found, **options)


def founds(labels):
    rng = np.random.default_rng(5)
    return {
        "hard": labels,
        "fuzzy": rng.dirichlet(np.full(K, 0.4), labels.size),
        "sparse fuzzy": sparse.csr_array(
            np.where(np.eye(K)[labels] > 0, 0.75, 0.25 * np.eye(K)[(labels + 1) % K])
        ),
    }


@pytest.mark.parametrize("entry", INDICES, ids=lambda e: e.label)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_index_of_data_is_the_same_of_sparse_ones(entry, weighted, stays_sparse):
    X, labels = words()
    if entry.name == "stochastic_complexity":
        X = (X > 0).astype(np.int8)
    weight = np.random.default_rng(1).integers(1, 4, N) if weighted else None
    judged = 0
    for found in founds(labels).values():
        if entry.range_of((pt.as_partition(found).kind,)) is None:
            continue
        for metric in SPARSE_METRICS if "metric" in entry.options else (None,):
            one = entry if metric is None else entry.using(metric=metric)
            expected = value(one, X.toarray(), found, sample_weight=weight)
            assert value(one, X, found, sample_weight=weight) == pytest.approx(
                expected, rel=1e-12, abs=1e-14, nan_ok=True
            )
            judged += 1
    assert judged


def test_what_takes_sparse_data_never_writes_it_out(stays_sparse, monkeypatch):
    X, labels = words()
    inputs = prepare({"X": X, "found": labels})
    stay = [e for e in INDICES if not needs_all_values(e.requests, inputs)]
    monkeypatch.setattr(data_module, "written_out", lambda _: pytest.fail("X was written out"))
    for entry in stay:
        if entry.name != "stochastic_complexity":
            value(entry, X, labels)
    assert {"ssw", "calinski_harabasz", "davies_bouldin", "xie_beni", "silhouette", "kwon", "pbm_fuzzy"} <= {
        e.name for e in stay
    }
    assert {"dunn", "generalized_dunn"} <= {e.name for e in stay}
    assert "dbcv" not in {e.name for e in stay}


@pytest.mark.parametrize("metric", SPARSE_METRICS)
def test_silhouettes_are_those_of_scikit_learn(metric, stays_sparse):
    X, labels = words(seed=2)
    expected = silhouette_score(X.toarray(), labels, metric=metric)
    assert pt.indices.silhouette(X, labels, metric=metric) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", SPARSE_METRICS)
def test_silhouettes_of_a_sample_are_those_of_the_same_objects(metric, stays_sparse):
    X, labels = words(seed=3)
    sampled = pt.indices.silhouette.using(metric=metric, sample_size=40, random_state=7)
    assert sampled(X, labels) == pytest.approx(sampled(X.toarray(), labels), rel=1e-12)
    np.testing.assert_allclose(
        silhouette_samples(X, labels, metric=metric), silhouette_samples(X.toarray(), labels, metric=metric),
        rtol=1e-12, atol=1e-14,
    )  # fmt: skip


@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean"])
def test_sums_over_very_many_clusters_stay_sparse(metric, stays_sparse, monkeypatch):
    X, labels = words(seed=22)
    expected = pt.indices.silhouette(X, labels, metric=metric)
    monkeypatch.setattr("partita.statistics.distances.sparse_objects.DENSE_SUMS", 0)
    assert pt.indices.silhouette(X, labels, metric=metric) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("delta", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("diameter", [1, 2, 3])
def test_every_gap_between_clusters_is_the_same(delta, diameter, stays_sparse):
    X, labels = words(seed=23)
    for metric in SPARSE_METRICS:
        one = pt.indices.generalized_dunn.using(delta=delta, diameter=diameter, metric=metric)
        expected = value(one, X.toarray(), labels)
        assert value(one, X, labels) == pytest.approx(expected, rel=1e-12, abs=1e-14)


def far_off(offset, spread, seed=4):
    """Sparse words beside two features that all objects have, far from 0 and close together."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 90)
    columns = offset + spread * (rng.standard_normal((90, 2)) + 4.0 * np.eye(3)[labels][:, :2])
    few = sparse.random_array((90, 30), density=0.03, rng=rng) * spread
    return sparse.csr_array(sparse.hstack([few, columns])), labels


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e7])
@pytest.mark.parametrize(
    "name", ["ssw", "ssb", "calinski_harabasz", "davies_bouldin", "simplified_silhouette"]
)
def test_a_large_offset_costs_no_digits(name, offset, stays_sparse):
    X, labels = far_off(offset, 1.0)
    expected = value(getattr(pt.indices, name), X.toarray(), labels)
    assert value(getattr(pt.indices, name), X, labels) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("variant", ["standard", "squared"])
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e7])
def test_silhouettes_keep_their_digits_far_from_zero(variant, offset, stays_sparse):
    X, labels = far_off(offset, 1.0)
    expected = pt.indices.silhouette(X.toarray(), labels, variant=variant)
    assert pt.indices.silhouette(X, labels, variant=variant) == pytest.approx(expected, rel=1e-11)


def test_equal_objects_have_distance_zero(stays_sparse):
    one = sparse.csr_array(np.array([[0.1, 0.0, 0.3], [0.0, 0.7, 0.0]]))
    X = sparse.csr_array(sparse.vstack([one] * 20))
    labels = np.tile([0, 1], 20)
    assert pt.indices.ssw(X, labels) == 0.0
    for metric in SPARSE_METRICS:
        assert pt.indices.silhouette(X, labels, metric=metric) == 1.0
        same = sparse.csr_array(sparse.vstack([one[[0]]] * 40))
        assert pt.indices.silhouette(same, labels, metric=metric) == 0.0


def test_distances_to_centres_are_those_feature_by_feature():
    X, labels = words(seed=6)
    moments = ClusterMoments.from_block(X, pt.HardPartition(labels))
    gaps = X.toarray()[:, None] - moments.centers
    np.testing.assert_allclose(
        squared_to_all(X, moments.origins, moments.offsets), (gaps**2).sum(axis=-1), rtol=1e-12
    )


def test_blocks_of_objects_change_last_digits_only():
    X, labels = words(seed=7)
    found = pt.HardPartition(labels)
    parts = [ClusterMoments.from_block(X[rows], found.take(rows)) for rows in (slice(0, 50), slice(50, N))]
    whole, added = ClusterMoments.from_block(X, found), parts[0] + parts[1]
    np.testing.assert_allclose(added.within, whole.within, rtol=1e-12)
    np.testing.assert_allclose(added.centers, whole.centers, rtol=1e-12, atol=1e-15)


def unsorted(X):
    turned = X.copy()
    for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        turned.indices[a:b], turned.data[a:b] = X.indices[a:b][::-1], X.data[a:b][::-1]
    turned.has_sorted_indices = False
    return turned


def in_halves(X):
    cells = X.tocoo()
    places = tuple(np.concatenate([axis, axis]) for axis in cells.coords)
    return sparse.coo_array((np.concatenate([cells.data / 2, cells.data / 2]), places), shape=X.shape)


def with_zeros(X):
    cells = X.tocoo()
    rows, columns = (np.concatenate([axis, [0, 1]]) for axis in cells.coords)
    return sparse.coo_array((np.concatenate([cells.data, [0.0, 0.0]]), (rows, columns)), shape=X.shape)


def with_long_indices(X):
    made = X.copy()
    made.indices, made.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return made


def locked(X):
    made = X.copy()
    for part in (made.data, made.indices, made.indptr):
        part.flags.writeable = False
    return made


FORMATS = {
    **{name: (lambda X, name=name: X.asformat(name)) for name in ("csr", "csc", "coo", "lil", "dok", "bsr")},
    "csr_matrix": sparse.csr_matrix,
    "csc_matrix": sparse.csc_matrix,
    "coo_matrix": sparse.coo_matrix,
    "unsorted": unsorted,
    "repeated": in_halves,
    "stored zeros": with_zeros,
    "long indices": with_long_indices,
    "read-only": locked,
    "big-endian": lambda X: sparse.csr_array((X.data.astype(">f8"), X.indices, X.indptr), shape=X.shape),
}


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_of_the_same_matrix_is_the_same(form, stays_sparse):
    X, labels = words(seed=8)
    given = FORMATS[form](X)
    before = given.toarray()
    for name in ("ssw", "davies_bouldin", "silhouette"):
        assert getattr(pt.indices, name)(given, labels) == pytest.approx(
            getattr(pt.indices, name)(X, labels), rel=1e-14
        )
    np.testing.assert_array_equal(given.toarray(), before)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint32, np.float32])
def test_other_numbers_are_taken_as_they_are(dtype, stays_sparse):
    X, labels = words(seed=9)
    X = (X * 3).astype(dtype)
    assert pt.indices.ssw(X, labels) == pytest.approx(pt.indices.ssw(X.toarray(), labels), rel=1e-12)


def test_huge_and_tiny_values_do_not_overflow(stays_sparse):
    X, labels = words(seed=10)
    for scale in (1e200, 1e-200):
        for name in ("calinski_harabasz", "davies_bouldin", "silhouette"):
            expected = getattr(pt.indices, name)(X.toarray() * scale, labels)
            assert getattr(pt.indices, name)(X * scale, labels) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers_are_refused_with_their_place(bad, stays_sparse):
    X, labels = words(seed=11)
    X.data[X.indptr[7]] = bad
    with pytest.raises(ParameterError, match=f"row 7 of column {X.indices[X.indptr[7]]}"):
        pt.indices.ssw(X, labels)


@pytest.mark.parametrize("policy", ["drop", "mean", "median"])
def test_missing_values_follow_the_policy(policy, stays_sparse):
    X, labels = words(seed=12)
    X.data[[3, 50]] = np.nan
    expected = pt.validate(X.toarray(), labels, indices=["ssw"], missing=policy)
    result = pt.validate(X, labels, indices=["ssw"], missing=policy)
    assert result["ssw"].value == pytest.approx(expected["ssw"].value, rel=1e-12)
    assert result.notes == expected.notes


def test_a_row_of_zeros_has_no_cosine(stays_sparse):
    X, labels = words(seed=13)
    X.data[X.indptr[9] : X.indptr[10]] = 0.0
    with pytest.raises(ParameterError, match="row 9"):
        pt.indices.silhouette(X, labels, metric="cosine")
    expected = pt.indices.silhouette(X.toarray(), labels)
    assert pt.indices.silhouette(X, labels) == pytest.approx(expected, rel=1e-12)


def test_nothing_but_zeros_is_judged_as_written_out(stays_sparse):
    empty, labels = sparse.csr_array((N, 5)), words()[1]
    assert pt.indices.ssw(empty, labels) == 0.0
    assert pt.indices.silhouette(empty, labels) == 0.0


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (sparse.csr_array((N, D), dtype=complex), "no numbers"),
        (sparse.csr_array((0, D)), "no table"),
        (sparse.csr_array((N, 0)), "no table"),
        (sparse.coo_array(np.arange(3.0)), "no table"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(X, said, stays_sparse):
    with pytest.raises(ParameterError, match=said):
        pt.indices.ssw(X, words()[1])


@pytest.mark.parametrize("noise", ["cluster", "ignore", "singletons"])
def test_noise_is_treated_alike(noise, stays_sparse):
    X, labels = words(seed=14)
    for name in ("ssw", "davies_bouldin", "silhouette"):
        expected = value(getattr(pt.indices, name), X.toarray(), labels - 1, noise=noise)
        assert value(getattr(pt.indices, name), X, labels - 1, noise=noise) == pytest.approx(
            expected, rel=1e-12, nan_ok=True
        )


def test_objects_of_weight_zero_are_not_there(stays_sparse):
    X, labels = words(seed=15)
    weight = np.random.default_rng(2).random(N)
    weight[::5] = 0.0
    for name in ("ssw", "ssb", "davies_bouldin", "silhouette", "pbm_fuzzy"):
        expected = getattr(pt.indices, name)(X.toarray(), labels, sample_weight=weight)
        assert getattr(pt.indices, name)(X, labels, sample_weight=weight) == pytest.approx(
            expected, rel=1e-12
        )


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_other_norms_see_some_objects_at_a_time(p, stays_sparse):
    X, labels = words(seed=16)
    for found in (labels, founds(labels)["fuzzy"]):
        expected = pt.indices.davies_bouldin(X.toarray(), found, p=p)
        assert pt.indices.davies_bouldin(X, found, p=p) == pytest.approx(expected, rel=1e-12)


def test_a_validation_says_the_same_of_both(stays_sparse):
    X, labels = words(seed=17)
    X = sparse.csr_array(sparse.vstack([X, X[:20]]))
    labels = np.concatenate([labels, labels[:20]])
    one, other = pt.validate(X, labels), pt.validate(X.toarray(), labels)
    assert [row.index for row in one.rows] == [row.index for row in other.rows]
    assert one.title == other.title
    copies = [[r.text for r in result.remarks if r.kind is RemarkKind.DUPLICATES] for result in (one, other)]
    assert copies[0] == copies[1] != []
    assert str(one.by_cluster) == str(other.by_cluster)


# --- what would not fit when written out --------------------------------------------------------------------


def test_large_sparse_data_are_judged_in_the_room_of_their_values():
    n, d, k = 20_000, 20_000, 10
    rng = np.random.default_rng(0)
    labels = rng.integers(0, k, n)
    columns = np.where(rng.random((n, 30)) < 0.5, rng.integers(0, d, (n, 30)), labels[:, None] * 50)
    columns = columns + np.arange(30) % 50
    places = (np.repeat(np.arange(n), 30), columns.ravel() % d)
    X = sparse.csr_array(sparse.coo_array((rng.random(n * 30) + 0.1, places), shape=(n, d)))
    tracemalloc.start()
    try:
        result = pt.validate(X, labels, metric="cosine")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + 8 * k * d
    assert peak < 25 * size < 8 * n * d / 10
    reasons = {left.index.partition(":")[0]: left.reason for left in result.left_out}
    assert "written out" in reasons["dbcv"]
    assert "written out" in reasons["marriott"]
    assert {"ssw", "calinski_harabasz", "davies_bouldin", "xie_beni", "silhouette"} <= {
        row.index.partition(":")[0] for row in result.rows
    }
    with pytest.raises(TooLargeError, match="written out"):
        pt.indices.dbcv(X, labels)
    with pytest.raises(TooLargeError, match="written out"):
        pt.indices.silhouette(X, labels, metric="cityblock")


def test_centres_that_do_not_fit_are_left_out_with_the_reason(monkeypatch, stays_sparse):
    monkeypatch.setattr("partita.statistics.clusters.sparse_data.MOST_CENTER_CELLS", K * D - 1)
    monkeypatch.setattr("partita.evaluation.MOST_DENSE_CELLS", N * D - 1)
    monkeypatch.setattr(data_module, "MOST_DENSE_CELLS", N * D - 1)
    X, labels = words(seed=18)
    result = pt.validate(X, labels)
    reasons = {left.index: left.reason for left in result.left_out}
    assert f"{K} clusters in {D} features" in reasons["ssw"]
    assert "silhouette" in {row.index for row in result.rows}
    with pytest.raises(TooLargeError, match="written out"):
        pt.indices.ssw(X, labels)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_the_drop_in_silhouette_agrees_with_scikit_learn(metric, form, stays_sparse):
    X, labels = words(seed=21)
    for data in (X, sparse.csr_array(sparse.vstack([X[1:], sparse.csr_array((1, D))]))):
        expected = silhouette_score(data.toarray(), labels, metric=metric)
        given = data.asformat(form)
        assert pt.drop_in.silhouette_score(given, labels, metric=metric) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kind", ["hard", "fuzzy", "sparse fuzzy"])
def test_profiles_of_clusters_are_the_same(kind, stays_sparse):
    X, labels = words(seed=19)
    found = pt.as_partition(founds(labels)[kind])
    weight = np.random.default_rng(3).random(N)
    one, other = (cluster_profiles(data_module.DataMatrix(data), found, weight) for data in (X, X.toarray()))
    assert one.title == other.title
    for mine, theirs in zip(one.records(), other.records(), strict=True):
        assert mine == {
            name: pytest.approx(value, rel=1e-10, abs=1e-12) if isinstance(value, float) else value
            for name, value in theirs.items()
        }


@pytest.mark.parametrize("name", ["centroid_index", "centroid_similarity_index", "centroid_ratio"])
def test_centres_are_compared_without_writing_out(name, stays_sparse, monkeypatch):
    X, labels = words(seed=20)
    other = np.where(np.arange(N) % 5 == 0, (labels + 1) % K, labels)
    expected = getattr(pt.indices, name)(X.toarray(), labels, other)
    monkeypatch.setattr(data_module, "written_out", lambda _: pytest.fail("X was written out"))
    assert getattr(pt.indices, name)(X, labels, other) == pytest.approx(expected, rel=1e-12)
