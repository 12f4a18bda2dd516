"""Dask arrays and frames: the same values as in memory, whoever works on the chunks; else a clear refusal."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.cluster import KMeans

import partita as pt
from partita.arrays.chunked import Chunked, compute, in_chunks, is_chunked, sum_of_chunks, zipped
from partita.errors import MismatchError, ParameterError, PartitionError, TooLargeError

N = 5000
FEWER = 1600
"""Objects of two soft clusterings, for which some statistics look at all pairs."""


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, N)
    found = np.where(rng.random(N) < 0.7, truth, rng.integers(0, 6, N))
    return {
        "truth": truth,
        "found": found,
        "noisy": np.where(rng.random(N) < 0.1, -1, found),
        "U": rng.dirichlet(np.ones(4), N),
        "V": rng.dirichlet(np.full(3, 0.3), N),
        "X": rng.normal(size=(N, 3)) + 2.0 * truth[:, None],
        "weight": rng.integers(0, 3, N),
    }


@pytest.fixture(scope="module")
def fewer(data):
    """The first objects, with a last chunk that is shorter than the others."""
    return {name: values[:FEWER] for name, values in data.items()}


def cut(values, rows=700):
    return da.from_array(values, chunks=(rows, 2)[: values.ndim])


def agree(lazy, plain, *, exact=False):
    """Rows of one result against another: the same values, or left out because they need all at once."""
    values = {row.index: row.value for row in plain.rows}
    left = {one.index for one in lazy.left_out if "lie in chunks" in one.reason}
    assert {row.index for row in lazy.rows} == values.keys() - left
    for row in lazy.rows:
        expected = values[row.index]
        if exact:
            assert row.value == expected or (np.isnan(row.value) and np.isnan(expected)), row.index
        else:
            assert row.value == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), row.index
    assert lazy.provenance["n"] == plain.provenance["n"]
    assert lazy.provenance["clusters"] == plain.provenance["clusters"]
    assert lazy.provenance["coverage"] == pytest.approx(plain.provenance["coverage"])


# --- values --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [333, 700, N])
def test_tables_of_labels_are_exactly_those_in_memory(data, rows):
    lazy = pt.compare(cut(data["truth"], rows), cut(data["found"], rows))
    agree(lazy, pt.compare(data["truth"], data["found"]), exact=True)
    assert len(lazy.rows) > 50
    assert lazy.statement == pt.compare(data["truth"], data["found"]).statement


def test_memberships(fewer):
    agree(pt.compare(cut(fewer["U"]), cut(fewer["V"], 900)), pt.compare(fewer["U"], fewer["V"]))
    agree(pt.compare(cut(fewer["truth"]), cut(fewer["V"])), pt.compare(fewer["truth"], fewer["V"]))
    single = fewer["U"].astype(np.float32)
    agree(pt.compare(cut(single), cut(fewer["V"])), pt.compare(single, fewer["V"]))


def test_one_index_is_a_float(data):
    value = pt.indices.adjusted_rand(cut(data["truth"]), cut(data["found"]))
    assert value == pt.indices.adjusted_rand(data["truth"], data["found"])
    assert pt.indices.partition_coefficient(cut(data["U"])) == pytest.approx(
        pt.indices.partition_coefficient(data["U"]), rel=1e-12
    )
    assert pt.indices.calinski_harabasz(cut(data["X"]), cut(data["truth"])) == pytest.approx(
        pt.indices.calinski_harabasz(data["X"], data["truth"]), rel=1e-12
    )


@pytest.mark.parametrize("found", ["truth", "U"])
def test_validate_by_what_adds_up(data, found):
    lazy = pt.validate(cut(data["X"]), cut(data[found]))
    agree(lazy, pt.validate(data["X"], data[found]))
    assert {"calinski_harabasz", "davies_bouldin", "xie_beni"} <= {row.index for row in lazy.rows}


def test_huge_numbers_and_single_precision(data):
    for X in (data["X"] * 1e200, data["X"] * 1e-200, data["X"].astype(np.float32)):
        agree(pt.validate(cut(X), cut(data["truth"])), pt.validate(X, data["truth"]))


def test_a_check_of_the_data_is_made_chunk_by_chunk(data):
    binary = (data["X"] > 2.0).astype(float)
    agree(pt.validate(cut(binary), cut(data["truth"])), pt.validate(binary, data["truth"]))
    last_is_not = np.where(np.arange(N)[:, None] == N - 1, 0.5, binary)
    agree(pt.validate(cut(last_is_not), cut(data["truth"])), pt.validate(last_is_not, data["truth"]))


@pytest.mark.parametrize("scale", [1, 0.3])
def test_weights(data, scale):
    weight = data["weight"] * scale
    for given in (cut(weight, 450), weight):
        lazy = pt.compare(cut(data["truth"]), cut(data["found"]), sample_weight=given)
        agree(lazy, pt.compare(data["truth"], data["found"], sample_weight=weight), exact=scale == 1)
    lazy = pt.validate(cut(data["X"]), cut(data["U"]), sample_weight=cut(weight))
    agree(lazy, pt.validate(data["X"], data["U"], sample_weight=weight))


def test_a_chunk_whose_weights_are_all_zero_is_left_out(data):
    weight = np.where(np.arange(N) < 1500, 0, 1)
    lazy = pt.compare(cut(data["truth"]), cut(data["found"]), sample_weight=cut(weight))
    agree(lazy, pt.compare(data["truth"], data["found"], sample_weight=weight), exact=True)


@pytest.mark.parametrize("policy", ["cluster", "ignore"])
@pytest.mark.parametrize("weighted", [False, True])
def test_noise(data, policy, weighted):
    ways = {"noise": policy}
    lazy_ways = ways | ({"sample_weight": cut(data["weight"])} if weighted else {})
    ways |= {"sample_weight": data["weight"]} if weighted else {}
    lazy = pt.compare(cut(data["truth"]), cut(data["noisy"]), **lazy_ways)
    plain = pt.compare(data["truth"], data["noisy"], **ways)
    agree(lazy, plain, exact=True)
    assert lazy.notes == plain.notes
    assert "noise" in lazy.notes[0]
    agree(
        pt.validate(cut(data["X"]), cut(data["noisy"]), **lazy_ways),
        pt.validate(data["X"], data["noisy"], **ways),
    )


def test_noise_that_is_all(data):
    nothing = np.full(N, -1)
    nothing[:1000] = 3
    rest = np.full(N, -1)
    rest[1000:] = 3
    lazy = pt.compare(cut(nothing), cut(rest), noise="ignore")
    assert lazy.provenance["n"] == 0
    with pytest.raises(PartitionError, match="there is noise"):
        pt.compare(cut(data["truth"]), cut(data["noisy"]), noise="raise")


def test_centres_of_both(data):
    lazy = pt.compare(cut(data["truth"]), cut(data["found"]), X=cut(data["X"]))
    agree(lazy, pt.compare(data["truth"], data["found"], X=data["X"]), exact=False)
    assert "centroid_index" in {row.index for row in lazy.rows}


@pytest.mark.parametrize("ways", [{"bootstrap": 40}, {"null": "permutation", "n_shuffles": 40}])
def test_draws_from_hard_labels_are_those_in_memory(data, ways):
    asked = {"indices": ["ARI", "NMI", "VI"], "random_state": 3, **ways}
    for found in ("found", "noisy"):
        lazy = pt.compare(cut(data["truth"]), cut(data[found]), **asked)
        plain = pt.compare(data["truth"], data[found], **asked)
        frames = [r.to_frame()[["ci_low", "ci_high", "expected", "adjusted", "p"]] for r in (lazy, plain)]
        pd.testing.assert_frame_equal(*frames, rtol=1e-12)
        assert frames[0].notna().to_numpy().any()


def test_several_by_name(data):
    candidates = {"a": data["found"], "b": data["noisy"]}
    lazy = pt.compare(cut(data["truth"]), {name: cut(one) for name, one in candidates.items()})
    plain = pt.compare(data["truth"], candidates)
    for name in candidates:
        agree(lazy.results[name], plain.results[name], exact=True)


def test_a_table(data):
    lazy, plain = (pt.contingency(f(data["truth"]), f(data["noisy"])) for f in (cut, np.asarray))
    pd.testing.assert_frame_equal(lazy, plain)


# --- labels of all sorts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spell",
    [
        lambda found: np.array(list("fbcdea"))[found],
        lambda found: found.astype(float),
        lambda found: found.astype(np.uint8),
        lambda found: found * -(10**12),
        lambda found: found > 2,
        lambda found: np.where(found == 0, -1, found),
        lambda found: np.eye(6)[found],
        lambda found: np.sort(found) * 1000,
    ],
)
def test_labels(data, spell):
    labels = spell(data["found"])
    lazy = pt.as_partition(cut(labels))
    plain = pt.as_partition(labels)
    assert lazy.kind is plain.kind
    assert lazy.names == plain.names
    assert lazy.n_clusters == plain.n_clusters
    assert lazy.sizes.tolist() == plain.sizes.tolist()
    agree(pt.compare(cut(data["truth"]), lazy), pt.compare(data["truth"], labels), exact=True)


def test_a_one_hot_chunk_of_soft_memberships_stays_soft(fewer):
    U = fewer["U"].copy()
    U[:700] = np.eye(4)[fewer["truth"][:700] % 4]
    agree(pt.compare(cut(fewer["truth"]), cut(U)), pt.compare(fewer["truth"], U))


def test_options_of_reading(data):
    raw = data["U"] * 3.0
    lazy, plain = (pt.as_partition(one, normalize=True) for one in (cut(raw), raw))
    assert pt.indices.partition_coefficient(lazy) == pytest.approx(pt.indices.partition_coefficient(plain))
    lazy, plain = (pt.as_partition(one, kind="possibilistic") for one in (cut(data["U"]), data["U"]))
    assert pt.indices.rand(lazy, cut(data["truth"])) == pytest.approx(
        pt.indices.rand(plain, data["truth"]), rel=1e-12
    )


def test_unknown_chunk_sizes(data):
    truth, found = cut(data["truth"]), cut(data["found"])
    large = truth > 0
    assert np.isnan(truth[large].chunks[0]).all()
    kept = data["truth"] > 0
    agree(
        pt.compare(truth[large], found[large]),
        pt.compare(data["truth"][kept], data["found"][kept]),
        exact=True,
    )
    early = truth[da.from_array(np.arange(N) < 2000, chunks=700)]  # most chunks are empty
    agree(pt.compare(early, data["found"][:2000]), pt.compare(data["truth"][:2000], data["found"][:2000]))


# --- frames ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frame(data):
    names = np.array(list("abcdef"))[data["found"]]
    return pd.DataFrame(
        {
            "truth": data["truth"],
            "found": names,
            "kind": pd.Categorical(names, categories=list("fedcbaz")),
            **{f"x{j}": data["X"][:, j] for j in range(3)},
            **{f"u{j}": data["U"][:, j] for j in range(4)},
        },
        index=np.arange(N) * 2,
    )


def test_columns_of_a_frame(frame):
    lazy = dd.from_pandas(frame, npartitions=6)
    agree(pt.compare(lazy.truth, lazy.found), pt.compare(frame.truth, frame.found), exact=True)
    agree(pt.compare(lazy.truth, lazy.kind), pt.compare(frame.truth, frame.kind), exact=True)
    assert pt.as_partition(lazy.kind).names == tuple("fedcbaz")
    X, U = [f"x{j}" for j in range(3)], [f"u{j}" for j in range(4)]
    agree(pt.validate(lazy[X], lazy[U]), pt.validate(frame[X], frame[U]))
    assert pt.as_partition(lazy[U]).names == tuple(U)


def test_divisions_that_differ_are_cut_alike(frame):
    truth, found = (dd.from_pandas(frame[c], npartitions=k) for c, k in (("truth", 6), ("found", 4)))
    agree(pt.compare(truth, found), pt.compare(frame.truth, frame.found), exact=True)


def test_a_frame_beside_an_array_goes_by_position(frame, data):
    truth = dd.from_pandas(frame.truth, npartitions=6)
    agree(pt.compare(truth, cut(data["found"])), pt.compare(frame.truth, data["found"]), exact=True)
    agree(pt.compare(truth, frame.found), pt.compare(frame.truth, frame.found), exact=True)


def test_another_index_is_refused(frame):
    truth = dd.from_pandas(frame.truth, npartitions=6)
    moved = dd.from_pandas(frame.found.set_axis(frame.index + 1), npartitions=6)
    with pytest.raises(MismatchError, match="join them first"):
        pt.compare(truth, moved)
    with pytest.raises(MismatchError, match="not the same in each chunk"):
        pt.compare(truth, frame.found[::-1])
    with pytest.raises(MismatchError, match="not the same in each chunk"):
        pt.compare(truth.clear_divisions(), dd.from_pandas(frame.found, npartitions=4).clear_divisions())


# --- who works on it -------------------------------------------------------------------------------------


def test_no_bit_depends_on_the_scheduler(fewer):
    made = []
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            made.append(pt.compare(cut(fewer["U"], 300), cut(fewer["V"], 300)))
    assert [row.value for row in made[0].rows] == [row.value for row in made[1].rows]


def test_a_cluster_of_processes(data, fewer):
    here = pt.compare(cut(fewer["U"]), cut(fewer["V"]))
    hard_here = pt.compare(cut(data["truth"]), cut(data["found"]))
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        there = pt.compare(cut(fewer["U"]), cut(fewer["V"]))
        hard_there = pt.compare(cut(data["truth"]), cut(data["found"]))
        agree(hard_there, pt.compare(data["truth"], data["found"]))
        agree(pt.validate(cut(data["X"]), cut(data["noisy"])), pt.validate(data["X"], data["noisy"]))
        with pytest.raises(PartitionError, match="chunk 1 of rows 700 to 1399"):
            pt.as_partition(cut(np.where(np.arange(FEWER)[:, None] == 800, 0.9, fewer["U"])))
        assert len(client.scheduler_info()["workers"]) == 2
    for one, other in ((there, here), (hard_there, hard_here)):
        assert repr([row.value for row in one.rows]) == repr([row.value for row in other.rows])


def test_numbers_that_lie_askew_are_moved_first():
    """What a worker receives may lie at any address, and products of matrices would have other last bits."""
    U = np.random.default_rng(0).dirichlet(np.ones(4), 700)
    askew = np.frombuffer(b"12" + U.tobytes(), dtype=np.uint8)[2:].view(np.float64).reshape(U.shape)
    assert not askew.flags.aligned
    held = pt.as_partition(cut(U)).holding(askew).values
    assert held.flags.aligned
    assert held.tobytes() == U.tobytes()


# --- refusals --------------------------------------------------------------------------------------------


def test_what_needs_all_objects_is_refused_or_left_out(data):
    X, found = cut(data["X"]), cut(data["truth"])
    with pytest.raises(TooLargeError, match="dbcv") as refused:
        pt.validate(X, found, indices=["dbcv"])
    assert "compute()" in refused.value.fix
    with pytest.raises(TooLargeError):
        pt.indices.dbcv(X, found)
    with pytest.raises(TooLargeError):
        np.asarray(pt.as_partition(found).values)
    for use in (
        lambda p: p.take([0, 1]),
        lambda p: p.codes,
        lambda p: p.labels,
        lambda p: p.memberships(),
        lambda p: p.to("fuzzy"),
        lambda p: p.noise_mask,
    ):
        with pytest.raises(TooLargeError, match="in chunks"):
            use(pt.as_partition(found))
    left = {one.index for one in pt.validate(X, found).left_out if "in chunks" in one.reason}
    assert "dbcv" in left


@pytest.mark.parametrize(
    ("ways", "name"),
    [
        ({"missing": "drop"}, "missing"),
        ({"noise": "singletons"}, "noise"),
    ],
)
def test_options_that_need_all_objects(data, ways, name):
    with pytest.raises(ParameterError) as refused:
        pt.compare(cut(data["truth"]), cut(data["found"]), **ways)
    assert refused.value.parameter == name
    assert refused.value.fix


def test_wrong_values_are_found_where_they_are(data):
    gap = data["found"].astype(float)
    gap[1500] = np.nan
    with pytest.raises(PartitionError, match="labels are missing") as refused:
        pt.compare(cut(data["truth"]), cut(gap))
    assert "chunk 2" in str(refused.value)
    hole = data["X"].copy()
    hole[1500, 1] = np.inf
    with pytest.raises(ParameterError, match="missing or infinite"):
        pt.validate(cut(hole), cut(data["truth"]))
    with pytest.raises(ParameterError, match="a weight of -1"):
        pt.compare(cut(data["truth"]), cut(data["found"]), sample_weight=cut(data["weight"] - 1))
    with pytest.raises(MismatchError, match="same objects"):
        pt.compare(cut(data["truth"]), cut(data["found"][:-1]))
    model = KMeans(2, n_init=1).fit(data["X"])
    with pytest.raises(ParameterError, match="fitted model"):
        pt.validate(cut(data["X"]), model)


def test_what_is_chunked(data):
    assert is_chunked(cut(data["truth"]))
    assert not any(map(is_chunked, (data["truth"], pd.Series([1]), [1], dask.delayed(1), None)))
    made = pt.as_partition(cut(data["U"]))
    assert isinstance(made.values, Chunked)
    for shape in ((), (4, 4, 4)):
        with pytest.raises(PartitionError, match="dimensions"):
            pt.as_partition(da.zeros(shape, dtype=int))
    with pytest.raises(TooLargeError, match="X, a dask Array"):
        pt.validate(cut(data["X"]), cut(data["truth"]), scale="standard")
    assert repr(made) == "FuzzyPartition(n=5000, k=4, 8 chunks)"


# --- pieces that are read on this machine -----------------------------------------------------------------


def pieces(values, rows):
    """Chunks of an array without dask, which are read when they are needed."""
    sizes = [len(values[start : start + rows]) for start in range(0, len(values), rows)]
    return in_chunks(values, sizes)


@pytest.mark.parametrize("n_chunks", range(1, 18))
def test_pieces_are_added_in_the_tree_of_dask(n_chunks):
    texts = np.arange(n_chunks)
    add = "({}+{})".format
    here = sum_of_chunks(spelled, "", [pieces(texts, 1)], add)
    elsewhere = [dask.delayed(one) for one in np.split(texts, n_chunks)]
    there = sum_of_chunks(spelled, "", [Chunked(elsewhere, [1] * n_chunks, (), int)], add)
    assert here == there
    assert here.count("+") == n_chunks - 1


def spelled(_shared, chunk):
    return str(chunk[0])


@pytest.mark.parametrize(("rows", "wanted"), [(3, (10,)), (10, (1, 2, 7)), (4, (3, 3, 4)), (2, (5, 5))])
def test_pieces_of_other_sizes(rows, wanted):
    values = np.arange(20).reshape(10, 2)
    cut_again = pieces(values, rows).cut_as(wanted)
    assert cut_again.is_here
    parts = compute(cut_again.chunks)
    assert [len(part) for part in parts] == list(wanted)
    np.testing.assert_array_equal(np.concatenate(parts), values)


def test_pieces_beside_chunks_of_dask_go_through_dask():
    values = np.arange(10)
    lazy = Chunked(cut(values, 4).to_delayed(), (4, 4, 2), (), int)
    assert zipped(lambda a, b: int((a * b).sum()), pieces(values, 4), lazy) == [14, 126, 145]


def test_a_piece_that_fails_ends_the_rest():
    begun = []

    def fails(chunk):
        begun.append(chunk[0])
        raise ValueError("no such piece")

    with pytest.raises(ValueError, match="no such piece"):
        zipped(fails, pieces(np.arange(1000), 1))
    assert len(begun) < 100
