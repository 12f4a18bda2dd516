"""Statistics of pairs, from pairs of chunks: the same values as in memory, for any chunks and workers."""

import io
import re
import tracemalloc

import dask
import dask.array as da
import numpy as np
import pytest

import partita as pt
from partita import progress
from partita.arrays.chunked import Chunked, Piece
from partita.engine import Request, collect
from partita.errors import ParameterError, TooLargeError
from partita.inputs import prepare
from partita.partitions.chunked_reading import cut_into_chunks
from partita.partitions.data import DataMatrix
from partita.statistics import CoassociationGaps, ConcordanceGaps, TNormPairs, Whole, chunked_objects
from partita.statistics.distances import chunked_clusters

N = 40
CHUNKINGS = {
    "one": (40,),
    "two": (20, 20),
    "uneven": (7, 1, 1, 20, 11),
    "many": (8,) * 5,
    "single rows": (1,) * 12 + (28,),
}
WAYS = [(sizes, None) for sizes in CHUNKINGS.values()] + [
    (CHUNKINGS["uneven"], "whole"),
    (CHUNKINGS["many"], "fractions"),
]
ways_of_cutting = pytest.mark.parametrize(
    ("sizes", "weight"), WAYS, ids=[*CHUNKINGS, "whole weights", "fractional weights"]
)

ALL_AT_ONCE = {"dbcv", "disco", "dc_dunn", "cluster_negentropy"}
"""Indices of spanning trees, and of the nearest neighbours in a cluster, which chunks do not have."""


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
    agree(made, plain, without=ALL_AT_ONCE)
    assert "fuzzy_silhouette" in {row.index for row in made.rows}
    assert {one.index for one in made.left_out if "in chunks" in one.reason} == ALL_AT_ONCE


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
        agree(made, pt.validate(data["X"], data["noisy"], noise=policy), without=ALL_AT_ONCE)
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


@pytest.mark.parametrize(
    "labels", [[0] * 6, [0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 0, 1], [5, -1, 5, -1, 5, 5], [0, 1] * 3]
)
def test_few_objects_and_clusters(labels):
    X = np.array([[0.0, 1.0], [0.0, 1.0], [4.0, 1.0], [4.0, 2.0], [9.0, 9.0], [9.0, 9.5]])
    U = np.column_stack([np.linspace(0.2, 0.7, 6), np.linspace(0.8, 0.3, 6)])
    for n in (1, 2, 6):
        for sizes in ((n,), (1,) * n):
            found = pieces(np.array(labels[:n]), sizes)
            made = pt.validate(data_pieces(X[:n], sizes), found)
            agree(made, pt.validate(X[:n], labels[:n]), without=ALL_AT_ONCE)
            made = pt.compare(found, pieces(U[:n], sizes))
            agree(made, pt.compare(labels[:n], U[:n]))
            made = pt.compare(pieces(U[:n], sizes), pieces(U[:n, ::-1], sizes))
            agree(made, pt.compare(U[:n], U[:n, ::-1]))


def test_nothing_but_noise(data):
    noise = pieces(np.where(np.arange(N) < 3, 0, -1), CHUNKINGS["two"])
    other = np.where(np.arange(N) < 3, -1, 0)
    made = pt.compare(noise, pieces(other, CHUNKINGS["two"]), noise="ignore")
    assert made.provenance["n"] == 0


def test_one_index_is_a_float(data):
    sizes = CHUNKINGS["uneven"]
    X, found = data_pieces(data["X"], sizes), pieces(data["truth"], sizes)
    assert pt.indices.silhouette(X, found) == pytest.approx(
        pt.indices.silhouette(data["X"], data["truth"]), rel=1e-12
    )
    assert pt.indices.campello_rand(*(pieces(data[name], sizes) for name in "UV")) == pytest.approx(
        pt.indices.campello_rand(data["U"], data["V"]), rel=1e-12
    )


def test_many_clusters_are_summed_to_in_parts(data, monkeypatch):
    monkeypatch.setattr(chunked_clusters, "MOST_CELLS", 12)
    sizes = CHUNKINGS["uneven"]
    asked = ["silhouette", "silhouette:sample_size=17", "generalized_dunn:delta=6"]
    made = pt.validate(data_pieces(data["X"], sizes), pieces(data["truth"], sizes), indices=asked)
    agree(made, pt.validate(data["X"], data["truth"], indices=asked))
    monkeypatch.setattr("partita.statistics.distances.cluster_measures.MOST_DENSE_CELLS", 100)
    with pytest.raises(TooLargeError, match="do not fit"):
        pt.validate(data_pieces(data["X"], sizes), pieces(data["truth"], sizes), indices=["generalized_dunn"])


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
        agree(judged, pt.validate(data["X"], data["found"]), without=ALL_AT_ONCE)
        weighed = {
            "sample_weight": data["fractions"],
            "indices": ["silhouette", "silhouette:sample_size=9", "dunn"],
        }
        judged = pt.validate(lazy(data["X"], sizes), lazy(data["found"], sizes), **weighed)
        agree(judged, pt.validate(data["X"], data["found"], **weighed))
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
    parts = list(objects.each_against_all(some_rows, product_sums, np.add, 100))
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


def some_rows(rows, values, weight):
    return values[rows]


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
    parts = objects.each_against_all(some_rows, product_sums, np.add, 5, lambda *step: seen.append(step))
    assert [len(part) for part in parts] == [3, 4, 5, 5, 1]
    assert sorted(set(seen)) == [(done, 20) for done in range(1, 21)]


def test_small_neighbours_are_joined(monkeypatch):
    monkeypatch.setattr(chunked_objects, "FEWEST_ROWS", 10)
    column, reads = counted(np.arange(30.0), (3, 4, 5, 6, 12))
    objects = chunked_objects.ChunkedObjects([column], opened)
    assert objects.sizes == (7, 5, 6, 12)
    assert objects.sum_over_pairs(products_of_pairs, np.add) == pytest.approx(
        (np.arange(30).sum() ** 2 - (np.arange(30) ** 2).sum()) / 2
    )
    assert sum(reads) > 0


# --- costs ---------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def costly(monkeypatch):
    """Everything that looks at pairs is too much, and takes long."""
    monkeypatch.setattr("partita.evaluation.MOST_PAIR_OPERATIONS", 1)
    monkeypatch.setattr("partita.validation.MOST_PAIR_OPERATIONS", 1)
    monkeypatch.setattr("partita.comparison.MOST_PAIR_OPERATIONS", 1)
    monkeypatch.setattr(progress, "LONG_SECONDS", 0.0)


def test_many_pairs_are_left_out_unasked_with_their_cost(data, costly):
    sizes = CHUNKINGS["many"]
    judged = pt.validate(data_pieces(data["X"], sizes), pieces(data["truth"], sizes))
    left = {one.index: one for one in judged.left_out}
    assert left["silhouette"].reason.endswith("with silhouette:sample_size=2000 or silhouette")
    assert left["silhouette"].cost == f"{N * N * 0.3:.1e} pair operations"  # from both sides
    assert left["dunn"].cost == f"{N * N / 2 * 0.3:.1e} pair operations"
    compared = pt.compare(*(pieces(data[name], sizes) for name in "UV"))
    left = {one.index: one for one in compared.left_out}
    assert "campello_rand:n_samples=1000000 or campello_rand" in left["campello_rand"].reason
    assert "belief_rand:method=sample or belief_rand" in left["belief_rand"].reason
    assert left["hullermeier_rifqi"].reason.endswith("with hullermeier_rifqi")
    typical = cut_into_chunks(pt.as_partition(data["U"], kind="possibilistic"), sizes)
    compared = pt.compare(typical, pieces(data["V"], sizes), bounds=False)
    reasons = [one.reason for one in compared.left_out if one.index == "belief_rand"]
    assert reasons
    assert "sample" not in reasons[0]


def test_what_is_sorted_two_chunks_at_a_time_costs_more_for_more_chunks(data):
    for statistic, sides in ((ConcordanceGaps, ("truth", "U")), (CoassociationGaps, ("two", "pair"))):
        costs = [
            statistic.pair_operations(*(pieces(data[name], sizes) for name in sides))
            for sizes in (CHUNKINGS["one"], CHUNKINGS["many"])
        ]
        assert costs[1] == 5 * costs[0]
        assert costs[0] == statistic.pair_operations(*(pt.as_partition(data[name]) for name in sides))


@pytest.mark.parametrize(("stream", "is_told"), [(Terminal, True), (io.StringIO, False)])
def test_the_cost_is_told_before_the_work_on_a_terminal(data, costly, monkeypatch, stream, is_told):
    screen, sizes = stream(), CHUNKINGS["many"]
    monkeypatch.setattr("sys.stderr", screen)
    asked = ["silhouette", "fuzzy_silhouette", "dunn", "CH"]
    pt.validate(data_pieces(data["X"], sizes), pieces(data["truth"], sizes), indices=asked)
    lines = [line for line in screen.getvalue().splitlines() if line.startswith("partita: ")]
    if not is_told:
        assert screen.getvalue() == ""
        return
    assert len(lines) == 2  # two silhouettes are one look
    assert lines[0].startswith(
        "partita: silhouette, fuzzy_silhouette: 4.8e+02 pair operations in 15 pairs of"
    )
    assert re.search(
        r"chunks, about \d+ s at the rate measured here; silhouette:sample_size=2000 takes", lines[0]
    )
    assert lines[1].startswith("partita: dunn: 2.4e+02 pair operations in 15 pairs of chunks, about ")
    assert lines[1].endswith("measured here")


def test_short_work_and_work_in_memory_are_not_told(data, costly, monkeypatch):
    screen, sizes = Terminal(), CHUNKINGS["many"]
    monkeypatch.setattr("sys.stderr", screen)
    pt.validate(data["X"], data["truth"], indices=["silhouette"])
    monkeypatch.setattr(progress, "LONG_SECONDS", 1e9)
    pt.validate(data_pieces(data["X"], sizes), pieces(data["truth"], sizes), indices=["silhouette"])
    assert screen.getvalue() == ""


def test_a_trial_that_its_few_objects_do_not_allow_says_nothing(data, costly, monkeypatch):
    monkeypatch.setattr("partita.engine.TRIAL_ROWS", 3)
    screen, sizes = Terminal(), CHUNKINGS["many"]
    monkeypatch.setattr("sys.stderr", screen)
    asked = ["silhouette:metric=mahalanobis"]
    made = pt.validate(data_pieces(data["X"], sizes), pieces(data["truth"], sizes), indices=asked)
    assert screen.getvalue() == ""
    agree(made, pt.validate(data["X"], data["truth"], indices=asked))


# --- the protocol --------------------------------------------------------------------------------------


def test_what_is_made_from_chunks_takes_all_options():
    body = {
        "inputs": ("truth", "found"),
        "kinds": (),
        "options": TNormPairs.options,
        "from_whole": classmethod(
            lambda cls, truth, found, weight=None, on_block=None, *, tnorm="minimum", n_samples=None,
            random_state=0: cls()
        ),
    }  # fmt: skip
    type("Whole", (Whole,), body)
    with pytest.raises(ParameterError, match="does not take 'tnorm'"):
        type(
            "Chunked", (Whole,), body | {"from_chunks": classmethod(lambda cls, objects, truth, found: cls())}
        )


# --- refusals ------------------------------------------------------------------------------------------


def test_what_stays_whole_is_refused(data):
    sizes = CHUNKINGS["two"]
    with pytest.raises(TooLargeError, match="dbcv"):
        pt.validate(data_pieces(data["X"], sizes), pieces(data["truth"], sizes), indices=["dbcv"])


@pytest.mark.parametrize("to_chunks", [pieces, lazy])
def test_data_that_a_metric_does_not_measure(data, to_chunks):
    sizes = CHUNKINGS["two"]
    X = data_pieces(data["X"], sizes) if to_chunks is pieces else lazy(data["X"], sizes)
    with pytest.raises(ParameterError, match="compares truth values"):
        pt.validate(X, to_chunks(data["truth"], sizes), indices=["silhouette:metric=jaccard"])
    with pytest.raises(ParameterError, match="no such metric"):
        pt.validate(X, to_chunks(data["truth"], sizes), indices=["silhouette:metric=none"])


def test_light_weights_are_not_drawn_by_pairs(data):
    for cut in (pt.as_partition, lambda values: pieces(values, CHUNKINGS["two"])):
        with pytest.raises(ParameterError, match="less than one copy"):
            pt.compare(
                cut(data["U"]),
                cut(data["V"]),
                indices=["campello_rand:n_samples=50"],
                sample_weight=data["fractions"] / 2,
            )
    typical = cut_into_chunks(pt.as_partition(data["U"], kind="possibilistic"), CHUNKINGS["two"])
    with pytest.raises(ParameterError, match="cannot be sampled with a guarantee"):
        pt.compare(typical, pieces(data["V"], CHUNKINGS["two"]), indices=["belief_rand:method=sample"])


def test_discrete_features_are_known_from_all_chunks(data):
    """Five values, two or three in a chunk of ten: each chunk alone is too small, or has others than all."""
    n, sizes = 200, (10,) * 20
    few = np.sort(np.arange(n) % 5).astype(float)
    many = np.sort(np.arange(n) % 40).astype(float)  # few of many whole numbers in each chunk
    labels = np.tile(data["truth"], 5)
    rng = np.random.default_rng(2)
    for column, is_refused in ((few, True), (many, False)):
        X = np.column_stack([column, rng.normal(size=n)])
        for cut_X, cut in (
            (np.asarray, np.asarray),
            (lambda v: data_pieces(v, sizes), lambda v: pieces(v, sizes)),
        ):
            judged = pt.validate(cut_X(X), cut(labels))
            left = {one.index: one.reason for one in judged.left_out}
            assert ("not continuous" in left.get("partition_negentropy", "")) is is_refused
            if is_refused:
                with pytest.raises(ParameterError, match="not continuous"):
                    pt.validate(cut_X(X), cut(labels), indices=["partition_negentropy"])


@pytest.mark.parametrize("options", ["", ":ridge=0.1", ":min_points=5"])
def test_the_partition_negentropy(data, options):
    labels, U = data["truth"], data["U"]
    for X in (data["X"], data["X"] * 1e150, data["X"].astype(np.float32)):
        for found, weight in ((labels, None), (U, data["fractions"])):
            ways = {"indices": [f"partition_negentropy{options}"], "sample_weight": weight}
            made = pt.validate(
                data_pieces(X, CHUNKINGS["uneven"]), pieces(found, CHUNKINGS["uneven"]), **ways
            )
            agree(made, pt.validate(X, found, **ways))


# --- memory --------------------------------------------------------------------------------------------


def test_no_more_than_a_few_chunks_are_held(monkeypatch):
    """Data of 8 MB in chunks of 256 kB, copied when they are read; on one thread, so that few are at once."""
    monkeypatch.setenv("PARTITA_NUM_THREADS", "1")
    sizes, d = (64,) * 32, 512
    labels = np.arange(sum(sizes)) % 4
    stored = np.random.default_rng(0).normal(size=(labels.size, d)) + labels[:, None]
    chunks = (
        Piece(lambda start=start: stored[start : start + 64].copy()) for start in range(0, labels.size, 64)
    )
    X = data_pieces(stored, sizes).with_values(Chunked(chunks, sizes, (d,), float))
    found = pieces(labels, sizes)
    pt.validate(X, found, indices=["silhouette:sample_size=8"])  # loops are loaded
    tracemalloc.start()
    try:
        made = pt.validate(X, found, indices=["silhouette", "generalized_dunn"])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < stored.nbytes / 3
    agree(made, pt.validate(stored, labels, indices=["silhouette", "generalized_dunn"]))


# --- how far samples can be trusted --------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, "whole"])
def test_standard_errors_of_drawn_pairs_cover(data, weight):
    """Of 400 intervals of two standard errors about 95% hold the exact sum; a binomial bound of 1e-6."""
    truth, found = pt.as_partition(data["U"]), pt.as_partition(data["V"])
    each = None if weight is None else data[weight]
    exact = np.array(TNormPairs.from_whole(truth, found, each).pairs)
    gap = float(CoassociationGaps.from_whole(truth, found, each).together)
    draws = range(400)
    made = [TNormPairs.from_whole(truth, found, each, n_samples=300, random_state=seed) for seed in draws]
    sums = np.array([one.pairs for one in made])
    errors = np.array([one.standard_errors for one in made])
    inside = (np.abs(sums - exact) <= 1.96 * errors).mean(axis=0)
    assert (np.abs(inside - 0.95) < 0.055).all()
    # unbiased: the mean of all draws is within five of its own standard errors
    assert (np.abs(sums.mean(axis=0) - exact) < 5 * sums.std(axis=0) / 20).all()
    sampled = [
        CoassociationGaps.from_whole(truth, found, each, method="sample", epsilon=0.02, random_state=seed)
        for seed in draws
    ]
    gaps = np.array([float(one.together) for one in sampled])
    spread = np.array([one.standard_error for one in sampled])
    assert abs((np.abs(gaps - gap) <= 1.96 * spread).mean() - 0.95) < 0.055
    assert abs(gaps.mean() - gap) < 5 * gaps.std() / 20


def test_what_holds_numbers_of_each_object_is_left_out_unasked_where_there_are_many(monkeypatch):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(900, 2)), rng.integers(0, 3, 900)
    chunked = [da.from_array(one, chunks=300) for one in (X, labels)]
    assert "silhouette" in pt.validate(*chunked)
    monkeypatch.setattr("partita.evaluation.MOST_HELD_OBJECTS", 899)
    many = pt.validate(*chunked)
    reason = next(one.reason for one in many.left_out if one.index.startswith("silhouette"))
    assert "holds some numbers of each object" in reason
    assert "sample_size" in reason
    assert "calinski_harabasz" in many
    asked = pt.validate(*chunked, indices=["silhouette"])["silhouette"].value
    assert asked == pytest.approx(pt.indices.silhouette(X, labels), rel=1e-12)
