"""Where two clusterings differ: by cluster, by object, in sentences."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import partita as pt
from partita.comparison import Comparison
from partita.errors import ParameterError
from reference import differences as reference

COLUMNS = [
    "side",
    "cluster",
    "size",
    "best_match",
    "overlap",
    "precision",
    "recall",
    "jaccard",
    "parts",
    "fate",
]


def compared(truth, found, **options):
    return pt.compare(truth, found, indices=["rand"], **options)


def one_hot(labels):
    return [[float(label == k) for k in range(max(labels) + 1)] for label in labels]


@st.composite
def hard_pairs(draw):
    n = draw(st.integers(1, 12))
    sides = [draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)) for _ in range(2)]
    return *sides, draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))


@settings(max_examples=60, deadline=None)
@given(hard_pairs())
def test_hard_clusterings_against_a_count_by_hand(drawn):
    truth, found, weight = drawn
    result = compared(truth, found, sample_weight=weight)
    U, V = one_hot(truth), one_hot(found)
    frame = result.by_cluster()
    assert list(frame.columns) == COLUMNS
    for side in ("truth", "found"):
        rows = frame[frame.side == side].drop(columns="side").to_dict("records")
        for row, expected in zip(rows, reference.clusters(U, V, weight, side), strict=True):
            assert row == pytest.approx(expected)
    objects = result.by_object()
    np.testing.assert_allclose(objects.disagreement, reference.disagreement(U, V, weight), atol=1e-12)
    np.testing.assert_allclose(objects.entropy_gap, reference.entropy_gap(U, V, weight), atol=1e-12)
    assert objects.truth.tolist() == truth
    assert objects.found.tolist() == found
    mapping = pt.align(truth, found, sample_weight=weight).mapping
    assert objects.moved.tolist() == [mapping.get(f) != t for t, f in zip(truth, found, strict=True)]
    whole = pt.align(truth, found, sample_weight=weight, min_overlap=0.0)
    if len(whole.rows) == len(mapping):
        assert np.dot(objects.moved, weight) == reference.least_moved(U, V, weight)


@pytest.mark.parametrize("kinds", ["ff", "fh", "hf"])
def test_soft_clusterings_against_a_count_by_hand(kinds):
    rng = np.random.default_rng(1)
    n, weight = 14, rng.integers(1, 4, 14)
    sides = [
        rng.dirichlet([0.4] * k, n) if kind == "f" else np.eye(k)[np.r_[:k, rng.integers(k, size=n - k)]]
        for kind, k in zip(kinds, (3, 4), strict=True)
    ]
    result = compared(*sides, sample_weight=weight)
    U, V = (side.tolist() for side in sides)
    frame, objects = result.by_cluster(), result.by_object()
    for side in ("truth", "found"):
        rows = frame[frame.side == side].drop(columns="side").to_dict("records")
        for row, expected in zip(rows, reference.clusters(U, V, weight.tolist(), side), strict=True):
            assert row.pop("fate") == expected.pop("fate")
            assert row == pytest.approx(expected)
    np.testing.assert_allclose(objects.disagreement, reference.disagreement(U, V, weight.tolist()))
    np.testing.assert_allclose(objects.entropy_gap, reference.entropy_gap(U, V, weight.tolist()))
    mapping = result.differences("cluster")  # the same objects, so the same partners as align
    assert len(mapping.rows) == 7
    pairs = pt.align(*sides, sample_weight=weight).mapping
    kept = sum(np.minimum(sides[0][:, t], sides[1][:, f]) for f, t in pairs.items())
    np.testing.assert_allclose(objects.moved, 1 - kept, atol=1e-9)


def test_means_over_objects_are_the_indices():
    rng = np.random.default_rng(0)
    truth, found = rng.integers(4, size=60), rng.integers(5, size=60)
    hard = pt.compare(truth, found).by_object()
    assert hard.disagreement.mean() == pytest.approx(1 - pt.indices.rand(truth, found))
    assert hard.entropy_gap.mean() == pytest.approx(pt.indices.VI(truth, found))
    U, V = rng.dirichlet([0.3] * 3, 30), rng.dirichlet([0.3] * 4, 30)
    soft = compared(U, V).by_object()
    assert soft.disagreement.mean() == pytest.approx(1 - pt.indices.rand(U, V, pairs="coassociation"))
    assert soft.entropy_gap.mean() == pytest.approx(pt.indices.VI(U, V))


@pytest.mark.parametrize(
    ("truth", "found", "fates"),
    [
        ([0] * 10 + [1] * 10, [5] * 10 + [6] * 10, ["kept", "kept", "kept", "kept"]),
        ([0] * 10 + [1] * 10, [5] * 9 + [6] * 11, ["kept", "kept", "kept", "kept"]),
        ([0] * 10 + [1] * 10, [5] * 20, ["merged", "merged", "merged"]),
        ([0] * 20, [5] * 10 + [6] * 10, ["split", "split", "split"]),
        ([0] * 20, [5] * 18 + [6] * 2, ["kept", "kept", "split"]),
        ([0] * 20, [5] * 17 + [6] * 3, ["split", "split", "split"]),
        ([0, 1] * 10, [5] * 10 + [6] * 10, ["lost", "lost", "lost", "lost"]),
        ([0] * 2 + [1] * 98, [5] * 100, ["merged", "kept", "kept"]),
    ],
)
def test_words_at_their_thresholds(truth, found, fates):
    assert compared(truth, found).by_cluster().fate.tolist() == fates


def test_the_story_of_iris():
    iris = load_iris(as_frame=True)
    truth = iris.target.map(dict(enumerate(iris.target_names)))
    labels = KMeans(3, n_init=10, random_state=0).fit_predict(iris.data)
    names = {labels[truth == name][0]: name[:3] for name in ("setosa",)}
    found = pd.Series(labels).map(lambda k: names.get(k, f"k{k}"))
    result = pt.compare(truth, found)
    assert result.story.startswith("setosa is found whole; versicolor is merged into k")
    assert "of which it is 77%; virginica is split over k" in result.story
    assert result.story.endswith("(36 and 14 of 50); 16 of 150 objects moved")
    assert result.by_object().moved.sum() == 16
    assert result.by_object().index.equals(truth.index)


def test_stories():
    same = [0, 0, 1, 1]
    assert compared(same, [7, 7, 3, 3]).story == "every true cluster is found whole; no object moved"
    U = [[0.7, 0.3], [0.1, 0.9]]
    assert compared(U, U).story == "every true cluster is found whole; no membership moved"
    merged = compared(["a"] * 4 + ["b"] * 3 + ["c"] * 5, [0] * 7 + [1] * 5).story
    assert (
        merged == "c is found whole; a and b are merged into 0, of which they are 100%; 3 of 12 objects moved"
    )
    lost = compared([0, 1] * 10, [5] * 10 + [6] * 10).story
    assert "0 is lost: its largest part, 50%, is in 5, of which it is 50%" in lost
    assert "found 5 and 6 are no true cluster; 10 of 20 objects moved" in lost
    many = compared(np.arange(40) // 4, np.arange(40) // 8).story
    assert "4 more are merged" in many
    kept = compared([0] * 20 + [1] * 20, [0] * 19 + [1] * 21).story
    assert (
        kept == "0 and 1 are kept, with 1 of 40 objects elsewhere and 1 of others in; 1 of 40 objects moved"
    )
    softer = compared([[0.9, 0.1], [0.2, 0.8]], [[0.8, 0.2], [0.2, 0.8]]).story
    assert softer.endswith("0.1 of 2 objects by membership moved")


def test_noise_is_called_so_and_hostile_names_are_cut():
    noisy = compared([0, 0, 0, 1, 1, 1, -1], [0, 0, 0, 1, -1, -1, -1])
    assert "1 is split over noise and 1 (2 and 1 of 3); 2 of 7 objects moved" in noisy.story
    assert -1 in noisy.by_cluster().cluster.tolist()
    ignored = compared([0, 0, 1, -1], [0, 0, 1, 1], noise="ignore")
    assert ignored.story == "every true cluster is found whole; no object moved"
    assert len(ignored.by_object()) == 3
    nothing = pt.compare([-1, 0], [0, -1], noise="ignore")
    assert nothing.story == "there is nothing to tell: every object is noise, and noise is ignored"
    assert len(nothing.by_cluster()) == len(nothing.by_object()) == 0
    hostile = compared(["\x1b[31m<b>" + "x" * 90] * 2 + ["b\nb"] * 2, [0, 0, 0, 1]).story
    assert "\x1b" not in hostile
    assert "\n" not in hostile
    assert len(hostile) < 250


def test_kinds_with_masses_are_taken_by_their_probabilities():
    rough = pt.as_partition([[True, True], [True, False], [False, True]], kind="rough")
    truth = [0, 0, 1]
    result = pt.compare(truth, rough, bounds=False, indices=["credal_rand"])
    half = compared(truth, [[0.5, 0.5], [1, 0], [0, 1]])
    pd.testing.assert_frame_equal(result.by_object(), half.by_object())
    pd.testing.assert_frame_equal(result.by_cluster(), half.by_cluster())
    assert any("pignistic" in note for note in result.differences("object").notes)
    typical = pt.as_partition([[1.0, 0.4], [0.8, 0.1], [0.2, 0.7]], kind="possibilistic")
    assert set(pt.compare(truth, typical, bounds=False).by_object()) == set(half.by_object())
    masses = compared(truth, typical, bounds=False).by_cluster()
    table = pt.contingency(truth, typical).to_numpy()
    np.testing.assert_allclose(masses["size"][:2], table.sum(axis=1))


def test_frames_of_the_input_and_names_of_objects():
    truth = pd.Series(list("aab"), index=["p", "q", "r"])
    frame = compared(truth, pd.Series([0, 1, 1], index=["r", "q", "p"])).by_object()
    assert list(frame.index) == ["p", "q", "r"]
    assert frame.loc["r", "found"] == 0
    polars = compared(pl.Series(list("aab")), pl.Series([1, 1, 0]))
    assert isinstance(polars.by_object(), pl.DataFrame)
    assert polars.by_cluster()["cluster"].to_list() == ["a", "b", "0", "1"]
    assert polars.by_object()["moved"].to_list() == [False] * 3
    by_name = compared([{"x", "y"}, {"z"}], [{"x"}, {"y", "z"}]).by_object()
    assert list(by_name.index) == ["x", "y", "z"]


def test_weights_are_multiplicities():
    truth, found, weight = [0, 0, 1, 1, 1], [0, 1, 1, 1, 2], [1, 3, 2, 1, 1]
    rows = np.repeat(np.arange(5), weight)
    once = compared(truth, found, sample_weight=weight)
    often = compared(np.take(truth, rows), np.take(found, rows))
    pd.testing.assert_frame_equal(once.by_cluster(), often.by_cluster())
    repeated = once.by_object().iloc[rows].reset_index(drop=True)
    pd.testing.assert_frame_equal(repeated, often.by_object())
    assert once.story == often.story
    light = compared(truth, found, sample_weight=[0.5] * 5).by_object()
    assert light.disagreement.between(0, 1).all()


@pytest.mark.parametrize(("truth", "found"), [([0], [0]), ([0], [[0.5, 0.5]]), ([0, 1], [0, 0])])
def test_degenerate_clusterings(truth, found):
    result = compared(truth, found)
    assert len(result.by_object()) == len(truth)
    assert result.by_object().disagreement.isna().all() == (len(truth) == 1)
    assert result.story
    assert len(result.by_cluster()) >= 2


def test_many_clusters_stay_linear():
    n = 30_000
    result = compared(np.arange(n) // 2, np.arange(n) // 3)
    objects = result.by_object()
    assert len(objects) == n
    assert len(result.by_cluster()) == n // 2 + n // 3


def test_a_file_does_not_hold_the_clusterings():
    result = pt.compare([0, 0, 1], [0, 1, 1])
    written = result.to_dict()
    json.dumps(written)
    assert "inputs" not in written
    read = Comparison.from_dict(written)
    for call in (read.by_cluster, read.by_object, lambda: read.story):
        with pytest.raises(ParameterError, match="read from a file") as caught:
            call()
        assert caught.value.fix
    with pytest.raises(ParameterError) as caught:
        result.differences("pair")
    assert caught.value.parameter == "by"


def test_they_print():
    result = pt.compare(["a", "a", "b"], [0, 1, 1])
    text = str(result.differences("cluster"))
    assert text.startswith("3 objects: 2 true and 2 found clusters")
    assert "fate" in text
    assert json.loads(result.differences("cluster").write("json"))["rows"][0]["cluster"] == "a"
    printed = str(pt.compare([0] * 30 + [1] * 30, [0, 1] * 30).differences("object"))
    assert "20 of 60 objects, those that disagree most" in printed
    assert (
        pt.compare({"x": 1, "y": 2}, {"x": 1, "y": 1}).differences("object").write("csv").startswith("object")
    )
