"""Centroid indices: against exact references, by hand, on the slides' data, and what the entries state."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import shared_data
from command_runs import runner
from partita.errors import KindError, ParameterError, UndefinedIndexWarning
from partita.indices.centroids import (
    centroid_index,
    centroid_ratio,
    centroid_similarity_index,
    generalized_centroid_index,
)
from partita.partitions import FUZZY, HARD, FuzzyPartition, HardPartition, PossibilisticPartition
from partita.statistics import Contingency, matching_score
from partita.statistics.clusters.centroid_pairs import CentroidPair
from partita.statistics.clusters.moments import ClusterMoments
from partita.statistics.tables.matchings import centroid_closeness
from reference.centroids import (
    REFERENCE,
    REFERENCE_OF_DATA,
    index_of_centers,
    nearest,
    similarity_of_centers,
)
from reference.tables import AmbiguousError
from shared_data import full
from strategies import fuzzy, hard

ON_DATA = [centroid_index, centroid_similarity_index, centroid_ratio]
WAYS = ["symmetric", "forward", "backward"]
CHOICES = [
    *[(centroid_index, {"way": way}) for way in WAYS],
    *[(centroid_similarity_index, {"variant": variant}) for variant in ("program", "slide")],
    (centroid_ratio, {}),
]

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")


@st.composite
def data(draw, n, top=4):
    """Coordinates on a small grid: ties, duplicates and coincident centres occur."""
    d = draw(st.integers(1, 3))
    rows = st.lists(st.integers(0, top), min_size=d, max_size=d)
    return np.array(draw(st.lists(rows, min_size=n, max_size=n)), dtype=float)


@st.composite
def cases(draw, kinds=(hard, fuzzy)):
    """Data and two clusterings of it."""
    n = draw(st.integers(1, 9))
    return draw(data(n)), *(draw(draw(st.sampled_from(kinds))(n)) for _ in range(2))


# --- against the definition ----------------------------------------------------------------------------


@pytest.mark.parametrize(("entry", "options"), CHOICES, ids=lambda x: getattr(x, "name", str(x)))
@given(case=cases())
def test_entries_on_data_agree_with_the_reference(entry, options, case):
    X, a, b = case
    try:
        wanted = REFERENCE_OF_DATA[entry.name](
            X, np.asarray(a.memberships()), np.asarray(b.memberships()), **options
        )
    except AmbiguousError:
        reject()
    assert entry(X, a, b, **options) == pytest.approx(wanted, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("way", WAYS)
@given(draw=st.data())
def test_the_generalised_index_agrees_with_the_reference(way, draw):
    n = draw.draw(st.integers(1, 12))
    a, b = draw.draw(hard(n)), draw.draw(hard(n))
    wanted = REFERENCE["generalized_centroid_index"](a.memberships(), b.memberships(), way=way)
    assert generalized_centroid_index(a, b, way=way) == wanted


@pytest.mark.parametrize("way", WAYS)
@given(draw=st.data())
def test_bare_centres_agree_with_the_reference(way, draw):
    d = draw.draw(st.integers(1, 3))
    centers = st.lists(st.lists(st.integers(0, 4), min_size=d, max_size=d), min_size=1, max_size=6)
    A, B = draw.draw(centers), draw.draw(centers)
    value = centroid_index.using(way=way).of(CentroidPair.from_centers(A, B))
    assert value == index_of_centers(A, B, way=way)


@given(case=cases(kinds=(hard,)))
def test_the_slide_variant_is_a_set_matching_by_centroids(case):
    """`set_matching` takes plain means, so hard clusterings only."""
    X, a, b = case
    table, closeness = Contingency.from_block(a, b), centroid_closeness(a, b, X)
    both_ways = matching_score(table, "centroid", "two_way", "objects", closeness=closeness)
    assert centroid_similarity_index(X, a, b) == pytest.approx(float(both_ways), abs=1e-12)


# --- weights, blocks, precision, names -----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["hard", "fuzzy"])
def test_the_size_of_blocks_does_not_matter(kind, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(5000, 3)) + 1e4
    if kind == "hard":
        a, b = (HardPartition(rng.integers(0, 6, 5000)) for _ in range(2))
    else:
        a, b = (FuzzyPartition(rng.dirichlet(np.ones(6) / 4, 5000)) for _ in range(2))
    whole = CentroidPair.from_whole(X, a, b)
    monkeypatch.setattr(ClusterMoments, "block_rows", staticmethod(lambda X, found: 700))
    parts = CentroidPair.from_whole(X, a, b)
    np.testing.assert_allclose(parts.truth - parts.truth[0], whole.truth - whole.truth[0], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(parts.nearest_found, whole.nearest_found)
    np.testing.assert_allclose(parts.shared_forward, whole.shared_forward, rtol=1e-12)


@given(case=st.integers(0, 1000))
def test_single_precision_and_offsets(case):
    rng = np.random.default_rng(case)
    X = rng.integers(0, 50, (12, 2)).astype(np.float32)
    a, b = rng.integers(0, 3, 12), rng.integers(0, 4, 12)
    for entry in ON_DATA:
        value = entry(X.astype(float), a, b)
        assert entry(X, a, b) == pytest.approx(value, nan_ok=True)
        assert entry(X.astype(float) + 1e9, a, b) == pytest.approx(value, nan_ok=True)


def test_the_sizes_of_labels_and_empty_clusters_do_not_matter():
    X = [[0.0], [1.0], [10.0], [11.0]]
    plain = [0, 0, 1, 1]
    wide = HardPartition([7, 7, 500, 500])
    empty = HardPartition(["a", "a", "c", "c"], names=["a", "b", "c", "d"])
    hollow = FuzzyPartition([[0.9, 0.0, 0.1], [0.9, 0.0, 0.1], [0.1, 0.0, 0.9], [0.1, 0.0, 0.9]])
    for other in (wide, empty, hollow):
        assert centroid_index(X, plain, other) == 0.0
        assert centroid_ratio(X, other, plain) == 1.0
    assert centroid_similarity_index(X, wide, empty) == 1.0
    assert generalized_centroid_index(wide, empty) == 0.0


def test_fuzzy_centres_are_weighted_by_squared_memberships():
    U = FuzzyPartition([[0.75, 0.25], [0.25, 0.75]])
    pair = CentroidPair.from_whole(np.array([[0.0], [10.0]]), U, U)
    assert pair.kinds == (FUZZY, FUZZY)
    # 10 * (1/16) / (10/16) = 1, and 9
    assert pair.truth[1, 0] - pair.truth[0, 0] == pytest.approx(8.0, abs=1e-12)


def test_a_stack_of_tables():
    tables = np.array([[[3, 1], [0, 4]], [[2, 2], [2, 2]], [[5, 0], [3, 0]]])
    for way in WAYS:
        entry = generalized_centroid_index.using(way=way)
        stacked = entry.of(Contingency.from_counts(tables))
        np.testing.assert_array_equal(stacked, [entry.of(Contingency.from_counts(t)) for t in tables])


# --- what has no value, and what is refused ------------------------------------------------------------


def test_the_ratio_needs_as_many_centres():
    with pytest.warns(UndefinedIndexWarning, match="both sides need as many"):
        assert math.isnan(centroid_ratio([[0], [1], [2]], [0, 0, 1], [0, 1, 2]))
    assert centroid_ratio([[0], [1], [2]], [0, 0, 0], [1, 1, 1]) == 1.0
    assert math.isnan(
        centroid_ratio.of(CentroidPair.from_centers(np.arange(3000)[:, None], np.ones((3000, 1))))
    )


def test_bare_centres_have_no_objects_to_share():
    pair = CentroidPair.from_centers([[0.0], [5.0]], [[1.0], [4.0]])
    assert math.isnan(centroid_similarity_index.of(pair))
    assert centroid_index.of(pair) == 0.0
    assert centroid_ratio.of(pair) == 1.0


@pytest.mark.parametrize(
    ("A", "B"),
    [
        ([0.0, 1.0], [[1.0]]),
        ([[0.0, 1.0]], [[1.0]]),
        ([[math.nan]], [[1.0]]),
        ([["x"]], [[1.0]]),
        ([], [[1.0]]),
    ],
)
def test_what_are_no_centres(A, B):
    with pytest.raises(ParameterError, match="centres"):
        CentroidPair.from_centers(A, B)


def test_kinds_that_have_no_centres():
    typical = PossibilisticPartition([[1.0, 0.4], [0.3, 1.0]])
    for entry in ON_DATA:
        with pytest.raises(KindError):
            entry([[0.0], [1.0]], [0, 1], typical)
    with pytest.raises(KindError):
        generalized_centroid_index([0, 1], [[0.5, 0.5], [0.2, 0.8]])


@pytest.mark.parametrize("n", [1, 2, 6])
def test_every_object_alone_and_all_together(n):
    X = np.arange(n, dtype=float)[:, None] ** 2
    alone, together = np.arange(n), np.zeros(n, dtype=int)
    assert centroid_index(X, alone, alone) == 0.0
    assert centroid_index(X, together, alone) == n - 1
    assert centroid_index(X, together, alone, way="backward") == 0.0
    assert centroid_similarity_index(X, alone, alone) == 1.0
    assert generalized_centroid_index(together, alone) == n - 1


def test_equal_objects():
    X = np.ones((4, 2))
    assert centroid_index(X, [0, 0, 1, 1], [0, 1, 0, 1]) == 1.0
    assert centroid_similarity_index(X, [0, 0, 1, 1], [0, 1, 0, 1]) == 0.5  # the same one for both
    assert centroid_similarity_index(X, [0, 0, 1, 1], [0, 1, 0, 1], variant="program") == 0.25
    assert centroid_ratio(X, [0, 0, 1, 1], [0, 1, 0, 1]) == 1.0


def test_noise_is_a_cluster_or_left_out():
    X = [[0.0], [1.0], [10.0], [11.0], [50.0]]
    assert centroid_index(X, [0, 0, 1, 1, 1], [0, 0, 1, 1, -1]) == 1.0
    assert centroid_index(X, [0, 0, 1, 1, 1], [0, 0, 1, 1, -1], noise="ignore") == 0.0


# --- what the entries state ----------------------------------------------------------------------------

EVERY = [*ON_DATA, generalized_centroid_index]


@pytest.mark.parametrize("entry", EVERY, ids=lambda e: e.name)
def test_examples_have_their_value(entry):
    for example in entry.examples:
        value = entry.using(**example.options)(*example.arguments(entry.inputs))
        assert value == pytest.approx(example.value, abs=1e-12), example.source


@pytest.mark.parametrize("entry", ON_DATA, ids=lambda e: e.name)
@given(case=cases())
def test_claims_hold(entry, case):
    X, a, b = case
    value = entry(X, a, b)
    kind = max(a.kind, b.kind, key=lambda k: k.softness)
    if kind in entry.claims.get("symmetric", ()):
        assert entry(X, b, a) == pytest.approx(value, abs=1e-12, nan_ok=True)
    if kind in entry.claims.get("normalized", ()):
        assert math.isnan(value) or 0 <= value <= 1
    if a.kind in entry.claims.get("reflexive", ()):
        assert entry(X, a, a) == entry.best
    if kind in entry.claims.get("separating", ()) and value == entry.best:
        assert a.equivalent(b)


def _sides(example, entry):
    """The data where it is needed, and the clusterings."""
    given_data = example.inputs[:1] if entry in ON_DATA else ()
    return given_data, example.inputs[len(given_data) :]


@pytest.mark.parametrize(
    ("entry", "claim", "example"),
    [
        pytest.param(e, claim, example, id=f"{e.name}-{claim}-{kind}")
        for e in EVERY
        for claim, examples in e.refuted.items()
        for kind, example in examples.items()
    ],
)
def test_refutations_are_counter_examples(entry, claim, example):
    X, sides = _sides(example, entry)
    far = [abs(entry(*X, a, b) - entry.best) for a, b in ((sides[0], sides[1]), (sides[1], sides[-1]))]
    across = abs(entry(*X, sides[0], sides[-1]) - entry.best)
    if claim == "relabelling_invariant":
        assert HardPartition(sides[1]).equivalent(HardPartition(sides[2]))
        assert across != far[0]
    elif claim == "reflexive":
        assert sides[0] == sides[1]
        assert far[0] > 1e-6
    elif claim == "separating":
        assert far[0] < 1e-12
        assert sides[0] != sides[1]
    elif claim == "triangle":
        assert across > sum(far) + 1e-6
    elif claim == "normalized":
        assert entry(*X, *sides) > 1
    else:
        assert claim == "zero_by_chance"
        shuffled = [[sides[1][i] for i in order] for order in permutations(range(len(sides[1])))]
        assert np.mean([entry(*X, sides[0], found) for found in shuffled]) > 1e-6


# --- the slides' data ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def slides():
    """For each of S1 to S4 the points, and the nearest centroid of the true classes."""

    def load(name):
        X, classes = shared_data.features(name), shared_data.labels(name)
        means = np.array([X[classes == c].mean(axis=0) for c in range(15)])
        return X, means, _nearest(X, means)

    return load


def _nearest(X, centers):
    return cdist(X, centers).argmin(axis=1)


@pytest.mark.parametrize(
    ("name", "orphans", "program", "slide"),
    [
        ("s3", 0, 0.961, 0.961),
        ("s4", 1, 0.839, 0.871),
        full("s1", 0, 1.0, 1.0),
        full("s2", 0, 0.993, 0.993),
    ],
)
def test_agglomerative_clustering_of_the_s_sets(slides, name, orphans, program, slide):
    """Printed CI: 0 0 0 1. The CSI values are those of an independent program, after one
    reassignment to the nearest centroid; franti2017 prints 1.00 1.00 .98 .85, which neither variant gives."""
    from sklearn.cluster import AgglomerativeClustering

    X, means, truth = slides(name)
    ward = AgglomerativeClustering(15).fit_predict(X)
    centers = np.array([X[ward == c].mean(axis=0) for c in range(15)])
    again = _nearest(X, centers)
    assert centroid_index(X, truth, ward) == orphans
    assert centroid_index.of(CentroidPair.from_centers(means, centers)) == orphans
    assert centroid_index(X, truth, again) == orphans
    assert generalized_centroid_index(truth, ward) == orphans
    assert centroid_ratio(X, truth, ward) == pytest.approx(1 - orphans / 15)
    assert centroid_similarity_index(X, truth, again, variant="program") == pytest.approx(program, abs=6e-4)
    assert centroid_similarity_index(X, truth, again) == pytest.approx(slide, abs=6e-4)


def _k_means(X, centers):
    labels = _nearest(X, centers)
    for _ in range(40):
        centers = np.array([X[labels == c].mean(axis=0) for c in range(len(centers))])
        labels = _nearest(X, centers)
    return labels


def test_k_means_on_s3(slides):
    """The printed CSI of k-means, .89, is that of runs with the printed CI of 1; by the program's variant."""
    X, _, truth = slides("s3")
    rng = np.random.default_rng(0)
    runs = [_k_means(X, X[rng.choice(len(X), 15, replace=False)]) for _ in range(12)]
    kept = [run for run in runs if centroid_index(X, truth, run) == 1]
    assert len(kept) >= 4
    mean = np.mean([centroid_similarity_index(X, truth, run, variant="program") for run in kept])
    assert mean == pytest.approx(0.893, abs=0.01)


def test_the_true_centroids_of_s1_match_their_classes(slides):
    X, means, truth = slides("s1")
    centers = shared_data.centroids("s1")
    pair = CentroidPair.from_centers(centers, means)
    np.testing.assert_array_equal(pair.nearest_found, np.arange(15))
    assert centroid_index.of(pair) == 0
    assert centroid_similarity_index(X, _nearest(X, centers), truth) == pytest.approx(0.9994, abs=6e-4)


def test_kinds_of_a_pair():
    pair = CentroidPair.from_whole(np.array([[0.0], [1.0]]), HardPartition([0, 1]), HardPartition([0, 0]))
    assert pair.kinds == (HARD, HARD)
    assert pair.shape == ()
    assert CentroidPair.pair_operations(pair.truth, HardPartition([0, 1]), HardPartition([0, 0])) == 2.0


# --- two sets of centres without clusterings -------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@given(draw=st.data())
def test_two_sets_of_centres_agree_with_the_reference(way, draw):
    d = draw.draw(st.integers(1, 3))
    centers = st.lists(st.lists(st.integers(0, 4), min_size=d, max_size=d), min_size=1, max_size=6)
    A, B = draw.draw(centers), draw.draw(centers)
    wanted = index_of_centers(A, B, way=way)
    assert centroid_index(centers=A, found_centers=B, way=way) == wanted
    assert generalized_centroid_index(centers=A, found_centers=B, way=way) == wanted


@pytest.mark.parametrize("variant", ["slide", "program"])
@given(draw=st.data())
def test_objects_that_follow_the_nearest_of_two_sets_of_centres(variant, draw):
    d = draw.draw(st.integers(1, 2))
    rows = st.lists(st.lists(st.integers(0, 6), min_size=d, max_size=d), min_size=1, max_size=5)
    X, A, B = draw.draw(rows), draw.draw(rows), draw.draw(rows)
    ways = {"centers": A, "found_centers": B}
    wanted = similarity_of_centers(X, A, B, variant=variant)
    assert centroid_similarity_index(X, variant=variant, **ways) == pytest.approx(wanted, abs=1e-12)
    followed = nearest(X, A), nearest(X, B)
    assert generalized_centroid_index(X=X, **ways) == generalized_centroid_index(*followed)


def test_fitted_models_and_frames_stand_for_their_centres():
    import pandas as pd
    from sklearn.cluster import KMeans

    X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0], [0.0, 30.0], [1.0, 30.0]])
    two, three = (KMeans(k, n_init=5, random_state=0).fit(X) for k in (2, 3))
    assert centroid_index(centers=two, found_centers=three) == 1.0
    assert centroid_index(centers=two.cluster_centers_, found_centers=three.cluster_centers_) == 1.0
    first = pd.DataFrame({"x": [0.0, 100.0], "y": [1.0, 1.0]})
    again = pd.DataFrame({"y": [1.0, 1.0], "x": [0.0, 100.0]})
    assert centroid_index(centers=first, found_centers=again) == 0.0
    with pytest.raises(ParameterError, match="other features"):
        centroid_index(centers=first, found_centers=again.rename(columns={"y": "z"}))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"centers": [[0.0]]}, "compares two sets of centres"),
        ({"centers": [[0.0, 1.0]], "found_centers": [[0.0]]}, "other features"),
        ({"centers": [0.0, 1.0], "found_centers": [[0.0]]}, "table of numbers"),
        ({"centers": [[math.inf]], "found_centers": [[0.0]]}, "table of numbers"),
        (
            {"centers": [[0.0]], "found_centers": [[0.0]], "X": [[0.0, 1.0]]},
            "and the data have other features",
        ),
        ({"centers": [[0.0]], "found_centers": [[0.0]], "noise": "ignore"}, "compares two sets of centres"),
    ],
)
def test_centres_that_cannot_be_compared(given, message):
    with pytest.raises(ParameterError, match=message) as caught:
        centroid_index(**given)
    assert caught.value.got
    assert caught.value.need


def test_an_index_of_objects_does_not_take_centres():
    import partita as pt

    with pytest.raises(ParameterError, match="rand does not compare two sets of centres"):
        pt.indices.rand(centers=[[0.0]], found_centers=[[0.0]])
    with pytest.warns(UndefinedIndexWarning, match="nearest centre"):
        assert math.isnan(centroid_similarity_index(centers=[[0.0]], found_centers=[[0.0]]))


GIVEN, FOUND = [[0.5], [4.5], [22.0]], [[2.5], [20.0], [24.0]]
SIX = [[0.0], [1.0], [4.0], [5.0], [20.0], [24.0]]
"""The clusters of the examples: their centres by hand, CI 1, CR 2/3 and CSI 0.75."""


def test_compare_of_two_sets_of_centres():
    import partita as pt

    alone = pt.compare(GIVEN, FOUND, centers=True)
    assert [row.index for row in alone] == ["centroid_index", "centroid_ratio"]
    assert alone["CI"].value == 1.0
    assert alone["centroid_ratio"].value == pytest.approx(2 / 3)
    assert alone.statement == "1 of 3 clusters is missed (CI = 1)"
    left_out = {skipped.index for skipped in alone.left_out}
    assert left_out == {"centroid_similarity_index", "generalized_centroid_index"}
    assert str(alone).startswith("3 and 3 centres of 1 features")
    with_data = pt.compare(GIVEN, FOUND, X=SIX, centers=True)
    assert with_data["CSI"].value == 0.75
    assert with_data["generalized_centroid_index"].value == 1.0
    assert type(alone).from_dict(alone.to_dict()).to_dict() == alone.to_dict()
    with pytest.raises(ParameterError, match="no clusters of objects"):
        alone.by_cluster()
    with pytest.raises(ParameterError, match="rand does not compare"):
        pt.compare(GIVEN, FOUND, centers=True, indices=["rand"])
    with pytest.raises(ParameterError, match="no clusterings of objects"):
        pt.compare(GIVEN, FOUND, centers=True, bootstrap=100)
    with pytest.raises(ParameterError, match="other features"):
        pt.compare(GIVEN, [[1.0, 2.0]], centers=True)


def test_the_command_line_compares_two_files_of_centres(tmp_path, capsys):
    run = runner(capsys)
    for name, rows in {"a": GIVEN, "b": FOUND, "data": SIX}.items():
        lines = [f"{float(x)},{2.0 * x}" for (x,) in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y", *lines]) + "\n")
    a, b, data = (tmp_path / f"{name}.csv" for name in ("a", "b", "data"))
    shown = run(f"compare {a} {b} --centers --format csv")
    assert shown.code == 0
    assert "centroid_index,CI,1" in shown.out
    assert (
        "centroid_similarity_index,CSI,0.75"
        in run(f"compare {a} {b} --centers --data {data} --format csv").out
    )
    refused = run(f"compare {a} --centers")
    assert refused.code != 0
    assert "a second file" in refused.err
