"""Statistics of pairs, from pairs of chunks: the same values as in memory, for any chunks and workers."""

import dask
import dask.array as da
import numpy as np
import pytest

import partita as pt
from partita.arrays.chunked import Chunked, Piece
from partita.engine import Request, collect
from partita.inputs import prepare
from partita.partitions.chunked import cut_into_chunks
from partita.partitions.data import DataMatrix
from partita.statistics import ConcordanceGaps, TNormPairs, chunked_objects

N = 40
CHUNKINGS = {
    "one": (40,),
    "two": (20, 20),
    "uneven": (7, 1, 1, 20, 11),
    "many": (8,) * 5,
    "single rows": (1,) * 40,
}
WAYS = [(sizes, None) for sizes in CHUNKINGS.values()] + [
    (CHUNKINGS["uneven"], "whole"),
    (CHUNKINGS["many"], "fractions"),
]
ways_of_cutting = pytest.mark.parametrize(
    ("sizes", "weight"), WAYS, ids=[*CHUNKINGS, "whole weights", "fractional weights"]
)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    """Chunks of these tests are small, and are not to be joined."""
    monkeypatch.setattr(chunked_objects, "FEWEST_ROWS", 1)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    truth = np.sort(rng.integers(0, 4, N))  # so that clusters are absent from most chunks
    found = np.where(rng.random(N) < 0.7, truth, rng.integers(0, 5, N)) * 3
    return {
        "truth": truth,
        "found": found,
        "names": np.array(list("dcab"))[truth],
        "noisy": np.where(rng.random(N) < 0.15, -1, truth),
        "U": rng.dirichlet(np.ones(4), N),
        "V": rng.dirichlet(np.full(3, 0.3), N),
        "two": rng.dirichlet(np.ones(2), N),
        "pair": rng.dirichlet(np.full(2, 0.4), N),
        "X": rng.normal(size=(N, 3)) + 2.0 * truth[:, None],
        "whole": rng.integers(1, 4, N),
        "fractions": rng.random(N) + 0.5,
    }


def pieces(values, sizes, **options):
    """An input in pieces that are read on this machine."""
    return cut_into_chunks(pt.as_partition(values, **options), sizes)


def data_pieces(X, sizes):
    return cut_into_chunks(DataMatrix(X), sizes)


def lazy(values, sizes):
    """An input in chunks of dask."""
    return da.from_array(values, chunks=(tuple(sizes), *values.shape[1:]))


def agree(in_chunks, plain, *, without=()):
    """All rows of one result against those of another, but for those of some indices."""
    expected = {row.index: row for row in plain.rows if row.index not in without}
    assert {row.index for row in in_chunks.rows} == expected.keys()
    for row in in_chunks.rows:
        value = expected[row.index].value
        assert row.value == pytest.approx(value, rel=1e-12, abs=1e-13, nan_ok=True), row.index
        assert row.caveat == expected[row.index].caveat, row.index


# --- values --------------------------------------------------------------------------------------------


@ways_of_cutting
@pytest.mark.parametrize(
    "sides", [("truth", "V"), ("U", "found"), ("U", "V"), ("two", "pair"), ("U", "U"), ("names", "U")]
)
def test_two_clusterings(data, sizes, sides, weight):
    ways = {} if weight is None else {"sample_weight": data[weight]}
    truth, found = (data[name] for name in sides)
    made = pt.compare(pieces(truth, sizes), pieces(found, sizes), **ways)
    agree(made, pt.compare(truth, found, **ways))
    assert {"campello_rand", "hullermeier_rifqi", "belief_rand", "credal_rand"} <= {
        r.index for r in made.rows
    }


@pytest.mark.parametrize("sizes", CHUNKINGS.values(), ids=CHUNKINGS)
@pytest.mark.parametrize("scale", [1.0, 2.0**-600])
def test_typicalities(data, sizes, scale):
    typical = pt.as_partition(data["U"] * scale, kind="possibilistic")
    for found in (data["V"], data["found"], data["U"] * scale):
        kind = "possibilistic" if found.shape[-1] == 4 else None
        other = pt.as_partition(found, kind=kind)
        made = pt.compare(cut_into_chunks(typical, sizes), cut_into_chunks(other, sizes), bounds=False)
        agree(made, pt.compare(typical, other, bounds=False))


@ways_of_cutting
@pytest.mark.parametrize("found", ["truth", "found", "names", "noisy", "U"])
def test_data_and_a_clustering(data, sizes, found, weight):
    ways = {} if weight is None else {"sample_weight": data[weight]}
    made = pt.validate(data_pieces(data["X"], sizes), pieces(data[found], sizes), **ways)
    plain = pt.validate(data["X"], data[found], **ways)
    agree(made, plain, without={"dbcv"})
    assert "fuzzy_silhouette" in {row.index for row in made.rows}
    assert {one.index for one in made.left_out if "in chunks" in one.reason} == {"dbcv"}


@pytest.mark.parametrize(
    "index",
    [f"generalized_dunn:delta={delta},diameter={width}" for delta in range(1, 7) for width in (1, 2, 3)]
    + [f"silhouette:metric={name}" for name in ("cityblock", "cosine", "seuclidean", "mahalanobis")]
    + [f"dunn:metric={name}" for name in ("sqeuclidean", "chebyshev", "mahalanobis", "canberra")]
    + ["silhouette:variant=squared", "fuzzy_silhouette:metric=cityblock,alpha=2"],
)
def test_measures_and_metrics(data, index):
    sizes = CHUNKINGS["uneven"]
    for X in (data["X"], data["X"] + 1e6, data["X"].astype(np.float32), data["X"] * 1e200):
        for found, weight in (("truth", "fractions"), ("names", None)):
            ways = {"indices": [index]} | ({} if weight is None else {"sample_weight": data[weight]})
            made = pt.validate(data_pieces(X, sizes), pieces(data[found], sizes), **ways)
            expected = pt.validate(X, data[found], **ways)
            assert made.rows[0].value == pytest.approx(expected.rows[0].value, rel=1e-12), (index, X[0])


@pytest.mark.parametrize(
    "index",
    [
        "campello_rand:tnorm=product",
        "credal_rand:type=jousselme",
        "credal_rand:type=conflict",
        "normalized_mutual_information:coupling=maximal",
        "coassociation_average_distance",
        "belief_adjusted_rand",
        "adjusted_concordance",
    ],
)
@pytest.mark.parametrize("sides", [("U", "V"), ("truth", "U"), ("truth", "found")])
def test_options(data, index, sides):
    truth, found = (data[name] for name in sides)
    for sizes in CHUNKINGS.values():
        made = pt.compare(pieces(truth, sizes), pieces(found, sizes), indices=[index])
        agree(made, pt.compare(truth, found, indices=[index]))


def test_noise_is_left_out_chunk_by_chunk(data):
    sizes = CHUNKINGS["uneven"]
    for policy in ("ignore", "cluster"):
        made = pt.validate(data_pieces(data["X"], sizes), pieces(data["noisy"], sizes), noise=policy)
        agree(made, pt.validate(data["X"], data["noisy"], noise=policy), without={"dbcv"})
        made = pt.compare(pieces(data["noisy"], sizes), pieces(data["U"], sizes), noise=policy)
        agree(made, pt.compare(data["noisy"], data["U"], noise=policy))


def test_weights_of_zero(data):
    weight = np.where(np.arange(N) % 3 == 0, 0, 2)
    made = pt.compare(*(pieces(data[name], (15, 25)) for name in "UV"), sample_weight=weight)
    agree(made, pt.compare(data["U"], data["V"], sample_weight=weight))


def test_inputs_cut_at_other_places(data):
    made = pt.compare(pieces(data["U"], (10, 20, 10)), pieces(data["V"], (1, 22, 17)))
    agree(made, pt.compare(data["U"], data["V"]))
    made = pt.compare(data["U"], pieces(data["V"], (1, 22, 17)))
    agree(made, pt.compare(data["U"], data["V"]))


def test_relabelled_memberships_are_known_for_what_they_are(data):
    U, sizes = np.pad(data["U"], ((0, 0), (0, 1))), CHUNKINGS["many"]
    moved = U[:, [1, 4, 0, 3, 2]]
    last_differs = np.where(np.arange(N)[:, None] == N - 1, moved[:, ::-1], moved)
    twice = np.column_stack([U[:, :2] / 2, U[:, :2] / 2, U[:, 2:]])  # two pairs of equal clusters
    for found, other, same in (
        (U, moved, True),
        (U, last_differs, False),
        (twice, twice[:, ::-1], True),
        (twice, np.column_stack([twice[:, [0, 0, 1, 1]], U[:, 2:]]), True),
        (twice, np.column_stack([U[:, :2], U[:, 2:]]), False),
    ):
        for statistic in (TNormPairs, ConcordanceGaps):
            sides = {"truth": pieces(found, sizes), "found": pieces(other, sizes)}
            made = collect([Request(statistic)], prepare(sides))[Request(statistic)]
            plain = statistic.from_whole(pt.as_partition(found), pt.as_partition(other))
            assert bool(made.is_relabelling) is bool(plain.is_relabelling) is same


def test_each_cluster(data):
    sizes = CHUNKINGS["uneven"]
    made = pt.validate(data_pieces(data["X"], sizes), pieces(data["found"], sizes)).by_cluster
    plain = pt.validate(data["X"], data["found"]).by_cluster
    np.testing.assert_allclose(
        [[row.size, row.silhouette, row.scatter, row.would_move] for row in made.rows],
        [[row.size, row.silhouette, row.scatter, row.would_move] for row in plain.rows],
        rtol=1e-12,
    )
    assert [row.neighbour for row in made.rows] == [row.neighbour for row in plain.rows]


# --- samples -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, "whole"])
def test_a_sample_is_that_in_memory(data, weight, monkeypatch):
    for statistic in ("shuffles", "concordance"):
        monkeypatch.setattr(f"partita.statistics.pairs.{statistic}.EXACT_UP_TO", 10)
    sizes = CHUNKINGS["uneven"]
    ways = {} if weight is None else {"sample_weight": data[weight]}
    of_data = ["silhouette:sample_size=20,random_state=3"]
    made = pt.validate(data_pieces(data["X"], sizes), pieces(data["truth"], sizes), indices=of_data, **ways)
    plain = pt.validate(data["X"], data["truth"], indices=of_data, **ways)
    agree(made, plain)
    assert made.rows[0].method == plain.rows[0].method == "sampled"
    asked = [
        "coassociation_average_distance:method=sample,epsilon=0.02,random_state=1",
        "campello_rand:n_samples=500,random_state=2",
        "belief_adjusted_rand:n_samples=500,random_state=4",
        "adjusted_concordance:n_samples=500,random_state=5",
    ]
    made = pt.compare(pieces(data["U"], sizes), pieces(data["V"], sizes), indices=asked, **ways)
    plain = pt.compare(data["U"], data["V"], indices=asked, **ways)
    agree(made, plain)
    assert {row.method for row in made.rows} == {"sampled"}
    assert all("standard error" in row.caveat for row in made.rows)


# --- who works on it, and what is read -----------------------------------------------------------------


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_dask(data, scheduler):
    sizes = CHUNKINGS["uneven"]
    with dask.config.set(scheduler=scheduler):
        made = pt.compare(lazy(data["U"], sizes), lazy(data["V"], CHUNKINGS["many"]))
        agree(made, pt.compare(data["U"], data["V"]))
        judged = pt.validate(lazy(data["X"], sizes), lazy(data["found"], sizes))
        agree(judged, pt.validate(data["X"], data["found"]), without={"dbcv"})
    here = pt.compare(pieces(data["U"], sizes), pieces(data["V"], sizes))
    there = {row.index: row.value for row in made.rows}
    assert [there[row.index] for row in here.rows] == [row.value for row in here.rows]


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_no_bit_depends_on_the_number_of_threads(data, threads, monkeypatch):
    sizes = CHUNKINGS["many"]
    values = []
    for count in ("3", threads):
        monkeypatch.setenv("PARTITA_NUM_THREADS", count)
        made = pt.compare(pieces(data["U"], sizes), pieces(data["V"], sizes))
        judged = pt.validate(data_pieces(data["X"], sizes), pieces(data["found"], sizes))
        values.append([row.value for row in (*made.rows, *judged.rows)])
    assert repr(values[0]) == repr(values[1])


def counted(values, sizes):
    """An array in pieces, and how often each was read."""
    ends, reads = np.cumsum(sizes), [0] * len(sizes)

    def read(place):
        reads[place] += 1
        return values[ends[place] - sizes[place] : ends[place]]

    made = Chunked((Piece(lambda p=p: read(p)) for p in range(len(sizes))), sizes, values.shape[1:], float)
    return made, reads


def opened(parts):
    return list(parts), None


def test_how_often_chunks_are_read():
    sizes = (3, 4, 5, 6)
    values = np.arange(18.0)
    column, reads = counted(values, sizes)
    objects = chunked_objects.ChunkedObjects([column], opened)
    every = objects.sum_over_pairs(products_of_pairs, np.add)
    assert every == pytest.approx((values.sum() ** 2 - values @ values) / 2)
    # alone; held for those after it, but for the last; and by those before it
    assert reads == [2, 3, 4, 4]
    column, reads = counted(values, sizes)
    objects = chunked_objects.ChunkedObjects([column], opened)
    parts = list(objects.each_against_all(itself, product_sums, np.add))
    np.testing.assert_allclose(np.concatenate(parts), values * values.sum())
    assert reads == [5, 5, 5, 5]
    column, reads = counted(values, sizes)
    (taken,), _ = chunked_objects.ChunkedObjects([column], opened).take(np.array([0, 2, 13, 17]))
    assert taken.tolist() == [0.0, 2.0, 13.0, 17.0]
    assert reads == [1, 0, 0, 1]


def products_of_pairs(values, weight, split):
    assert weight is None
    if split is None:
        return (values.sum() ** 2 - values @ values) / 2
    return values[:split].sum() * values[split:].sum()


def itself(values, weight):
    return values


def product_sums(points, values, weight):
    return points * values.sum()


def test_progress_is_told_over_all_pairs():
    column, _ = counted(np.arange(18.0), (3, 4, 5, 6))
    objects = chunked_objects.ChunkedObjects([column], opened)
    seen = []
    objects.sum_over_pairs(products_of_pairs, np.add, lambda *step: seen.append(step))
    assert sorted(set(seen)) == [(done, 10) for done in range(1, 11)]
    assert seen == sorted(seen)
    seen.clear()
    list(objects.each_against_all(itself, product_sums, np.add, lambda *step: seen.append(step)))
    assert sorted(set(seen)) == [(done, 16) for done in range(1, 17)]


def test_small_neighbours_are_joined(monkeypatch):
    monkeypatch.setattr(chunked_objects, "FEWEST_ROWS", 10)
    column, reads = counted(np.arange(30.0), (3, 4, 5, 6, 12))
    objects = chunked_objects.ChunkedObjects([column], opened)
    assert objects.sizes == (7, 5, 6, 12)
    assert objects.sum_over_pairs(products_of_pairs, np.add) == pytest.approx(
        (np.arange(30).sum() ** 2 - (np.arange(30) ** 2).sum()) / 2
    )
    assert sum(reads) > 0
