"""Chunks that are sparse: the same values as of one sparse array in memory, or of one written out."""

import dask
import dask.array as da
import numpy as np
import pytest
from scipy.sparse import csr_array

import partita as pt
from partita.arrays.chunked import aligned
from partita.partitions import DataMatrix, FuzzyPartition, as_partition
from partita.partitions.chunked_reading import cut_into_chunks
from partita.statistics import PairMoments, chunked_objects
from partita.statistics.pairs.sparse_coassociation import SparseRows

N, K, D = 60, 6, 7
SIZES = (25, 5, 30)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(chunked_objects, "FEWEST_ROWS", 31)  # the first two are joined


def memberships(seed):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(K), N) * (rng.random((N, K)) < 0.4)
    rows[np.arange(N), rng.integers(0, K, N)] += 0.3
    return csr_array(rows / rows.sum(axis=1, keepdims=True))


def sparse_chunks(matrix):
    ends = np.cumsum(SIZES)
    parts = [
        da.from_delayed(dask.delayed(matrix[end - size : end]), (size, matrix.shape[1]), dtype=matrix.dtype)
        for size, end in zip(SIZES, ends, strict=True)
    ]
    return da.concatenate(parts)


def dense_chunks(matrix):
    return da.from_array(matrix.toarray(), chunks=(SIZES, matrix.shape[1]))


def hold_same(one, other):
    mine, theirs = ({row.index: row.value for row in result.rows} for result in (one, other))
    assert set(mine) == set(theirs)
    for index in mine:
        assert mine[index] == pytest.approx(theirs[index], rel=1e-9, abs=1e-11, nan_ok=True), index


@pytest.mark.parametrize("kind", ["fuzzy", "possibilistic"])
@pytest.mark.parametrize("other", ["sparse chunks", "dense chunks", "in memory", "labels"])
def test_sparse_memberships_in_chunks_compare_as_written_out_in_memory(kind, other):
    U, V = memberships(0), memberships(1)
    if kind == "possibilistic":
        U, V = csr_array(U * 0.7), csr_array(V * 0.4)
    labels = np.random.default_rng(2).integers(0, 3, N)
    given = {
        "sparse chunks": (sparse_chunks(V), V.toarray()),
        "dense chunks": (dense_chunks(V), V.toarray()),
        "in memory": (V, V.toarray()),
        "labels": (da.from_array(labels, chunks=(SIZES,)), labels),
    }[other]
    found, whole = (side if other == "labels" else as_partition(side, kind=kind) for side in given)
    one = pt.compare(as_partition(sparse_chunks(U), kind=kind), found)
    hold_same(one, pt.compare(as_partition(U.toarray(), kind=kind), whole))


def test_the_distribution_of_sparse_memberships_in_chunks():
    U, V = memberships(0), memberships(1)
    one = pt.distribution(sparse_chunks(U), sparse_chunks(V), index="rand")
    other = pt.distribution(U.toarray(), V.toarray(), index="rand")
    assert (one.mean, one.std) == pytest.approx((other.mean, other.std), rel=1e-12)


def test_sizes_of_sparse_clusters_in_chunks():
    U = memberships(0)
    sizes = as_partition(sparse_chunks(U)).sizes
    np.testing.assert_allclose(sizes, U.toarray().sum(axis=0), rtol=1e-13)


@pytest.mark.parametrize("beside", ["sparse", "in memory"])
def test_sparse_data_in_chunks_are_judged_as_written_out(beside, monkeypatch):
    monkeypatch.setattr("partita.partitions.data.WRITTEN_OUT_CELLS", 0)  # so that these few stay sparse
    rng = np.random.default_rng(3)
    X = csr_array(rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.1))
    assert DataMatrix(X).sparse is not None
    labels = np.sort(rng.integers(0, 3, N))
    found = da.from_array(labels, chunks=(SIZES,))
    one = pt.validate(sparse_chunks(X) if beside == "sparse" else X, found)
    other = pt.validate(X.toarray(), labels)
    left = {row.index for row in one.left_out}
    mine, theirs = ({row.index: row.value for row in result.rows} for result in (one, other))
    assert {"silhouette", "dunn", "calinski_harabasz"} <= set(mine)
    assert set(mine) == set(theirs) - left
    for index, value in mine.items():
        assert value == pytest.approx(theirs[index], rel=1e-9, abs=1e-11, nan_ok=True), index


def test_sparse_data_beside_chunks_are_written_out_chunk_by_chunk(monkeypatch):
    monkeypatch.setattr("partita.partitions.data.WRITTEN_OUT_CELLS", 0)
    rng = np.random.default_rng(4)
    data = DataMatrix(csr_array(rng.random((N, D)) * (rng.random((N, D)) < 0.1)))
    cut = cut_into_chunks(data, SIZES)
    assert "values" not in vars(data)
    parts = [chunk.read() for chunk in cut.values.chunks]
    np.testing.assert_array_equal(np.concatenate(parts), data.sparse.toarray())


def test_a_sparse_chunk_that_does_not_fit_when_written_out_is_refused_with_its_place(monkeypatch):
    monkeypatch.setattr("partita.partitions.data.MOST_DENSE_CELLS", 100)
    monkeypatch.setattr("partita.partitions.data.WRITTEN_OUT_CELLS", 0)
    rng = np.random.default_rng(5)
    X = csr_array(rng.random((N, D)) * (rng.random((N, D)) < 0.1))
    with pytest.raises(pt.errors.TooLargeError, match=r"chunk 0 of rows 0 to 24"):
        pt.validate(sparse_chunks(X), np.arange(N) % 3)


@pytest.mark.parametrize("weight", [None, np.arange(N) % 3, np.linspace(0.5, 2.0, N)])
def test_what_a_clustering_says_of_itself_is_known_from_sparse_rows(weight):
    sides = [FuzzyPartition(memberships(seed)) for seed in (0, 1)]
    sparse = PairMoments.over_blocks(*sides, weight=weight)
    assert isinstance(sparse.rows, SparseRows)
    each = np.ones(N) if weight is None else weight
    for one, side in zip(sparse.own_sums, sides, strict=True):
        u = side.values.toarray()
        products = (u * each[:, None]).T @ u
        expected = ((each @ u) ** 2).sum(), np.trace(products), (products**2).sum()
        assert one == pytest.approx(expected, rel=1e-12)


def test_sparse_numbers_are_brought_to_where_they_can_be_added_in_one_order():
    matrix = memberships(0)
    shifted = np.frombuffer(b"\0" + matrix.data.tobytes(), dtype=np.uint8)[1:].view(np.float64)
    odd = matrix.copy()
    odd.data = shifted  # as a worker may have received it
    assert not odd.data.flags.aligned
    made = aligned(odd)
    assert made.data.flags.aligned
    np.testing.assert_array_equal(made.toarray(), matrix.toarray())
    assert aligned(matrix) is matrix
