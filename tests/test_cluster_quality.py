"""Each cluster by itself, features on one scale, and silhouettes of many objects."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import RobustScaler, StandardScaler

import partita as pt
from partita.errors import ParameterError, PartitaError, UnknownNameError
from partita.results.verdicts import RemarkKind
from reference.cluster_quality import by_cluster

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2)) + 4.0 * (np.arange(40) % 3)[:, None]
LABELS = [("u", "v", "w")[i % 3] for i in range(40)]
EUROS = X * [10_000.0, 1.0]


@settings(max_examples=40, deadline=None)
@given(
    points=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=12),
    data=st.data(),
)
def test_every_column_is_as_defined(points, data):
    n = len(points)
    labels = [0, 1, *data.draw(st.lists(st.integers(0, 2), min_size=n - 2, max_size=n - 2))]
    weight = data.draw(st.none() | st.lists(st.integers(1, 3), min_size=n, max_size=n))
    expected = by_cluster(np.array(points, float), labels, weight)
    result = pt.validate(np.array(points, float), labels, sample_weight=weight, indices=[]).by_cluster
    assert [row.cluster for row in result] == list(expected)
    for row in result:
        wanted = expected[row.cluster]
        assert row.size == wanted["size"]
        assert row.silhouette == pytest.approx(wanted["silhouette"], abs=1e-9)
        assert row.scatter == pytest.approx(wanted["scatter"], abs=1e-9)


def test_neighbours_and_who_would_move_where_no_tie_decides():
    result = pt.validate(X, LABELS).by_cluster
    expected = by_cluster(X, LABELS)
    for row in result:
        wanted = expected[row.cluster]
        assert (row.neighbour, row.would_move) == (wanted["neighbour"], pytest.approx(wanted["would_move"]))
    wrong = ["u" if i == 1 else label for i, label in enumerate(LABELS)]
    moved = pt.validate(X, wrong).by_cluster["u"].would_move
    assert moved == pytest.approx(by_cluster(X, wrong)["u"]["would_move"])
    assert moved > 0


def test_its_table_and_frames():
    result = pt.validate(pd.DataFrame(X, columns=["a", "b"]), LABELS).by_cluster
    assert list(result.to_frame().columns) == [
        "cluster",
        "size",
        "silhouette",
        "scatter",
        "neighbour",
        "would_move",
    ]
    assert len(result) == 3
    assert str(result).splitlines()[0] == "40 objects in 3 clusters"
    with pytest.raises(UnknownNameError):
        result["x"]


def test_one_cluster_has_no_neighbour_and_soft_ones_are_hardened_aloud():
    alone = pt.validate(X, [0] * 40).by_cluster[0]
    assert (alone.neighbour, alone.size) == (None, 40)
    assert math.isnan(alone.silhouette)
    assert alone.scatter == pytest.approx(np.sqrt(np.square(X - X.mean(0)).sum(1).mean()))
    U = np.full((40, 3), 0.1)
    U[np.arange(40), np.arange(40) % 3] = 0.8
    soft = pt.validate(X, U).by_cluster
    assert soft.notes == ("of hardened labels",)
    hard = pt.validate(X, np.arange(40) % 3).by_cluster
    assert [row.silhouette for row in soft] == [row.silhouette for row in hard]


def test_distances_have_no_scatter():
    distances = np.abs(X[:, :1] - X[:, 0])
    row = pt.validate(distances, LABELS, metric="precomputed").by_cluster["u"]
    assert math.isnan(row.scatter)
    assert row.silhouette == pytest.approx(by_cluster(X[:, :1], LABELS)["u"]["silhouette"])


def test_a_result_from_a_file_says_that_it_has_no_data():
    again = pt.Validation.from_dict(pt.validate(X, LABELS).to_dict())
    assert again.strength == pt.validate(X, LABELS).strength
    with pytest.raises(PartitaError, match="no data"):
        str(again.by_cluster)


# --- many objects -----------------------------------------------------------------------------------------


def test_silhouettes_of_many_objects_are_sampled_with_their_error_and_always_the_same():
    rng = np.random.default_rng(1)
    labels = rng.integers(3, size=10_500)
    many = rng.normal(size=(10_500, 2)) + 5.0 * labels[:, None]
    result = pt.validate(many, labels, indices="headline")
    row = result["silhouette"]
    assert row.index == "silhouette:sample_size=2000"
    assert row.method == "sampled"
    error = float(row.caveat.split("standard error ")[1].split(";")[0])
    exact = pt.indices.silhouette(many, labels)
    assert abs(row.value - exact) < 4 * error
    assert RemarkKind.SAMPLED in [remark.kind for remark in result.remarks]
    assert "about" in result.statement
    assert pt.validate(many, labels, indices="headline")["silhouette"].value == row.value
    assert pt.validate(many, labels, indices=["silhouette"])["silhouette"].method == "exact"
    clusters = result.by_cluster
    assert [remark.kind for remark in clusters.remarks] == [RemarkKind.SAMPLED]
    assert [row.size for row in clusters] == np.bincount(labels).tolist()


# --- scale ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scale", "scaler"), [("standard", StandardScaler()), ("robust", RobustScaler())])
def test_features_on_one_scale_are_scikit_learns(scale, scaler):
    result = pt.validate(EUROS, LABELS, scale=scale, indices=["silhouette", "CH"])
    scaled = scaler.fit_transform(EUROS)
    assert result["silhouette"].value == pytest.approx(silhouette_score(scaled, LABELS))
    assert result["CH"].value == pytest.approx(pt.indices.CH(scaled, LABELS))
    assert result.provenance["scale"] == scale
    assert result.remarks == ()
    assert result.by_cluster["u"].scatter == pytest.approx(by_cluster(scaled, LABELS)["u"]["scatter"])


def test_features_that_drown_others_are_told_also_beside_named_indices():
    for indices in (None, ["CH"], "all"):
        result = pt.validate(EUROS, LABELS, indices=indices)
        (told,) = (remark for remark in result.remarks if remark.kind is RemarkKind.SCALE)
        assert told.text.startswith("column 0 makes up more than 99.9%")
        assert "column 0 makes up" in str(result)
    assert RemarkKind.SCALE not in [r.kind for r in pt.validate(X, LABELS).remarks]
    cosine = pt.validate(EUROS, LABELS, metric="cosine", indices=["silhouette"])
    assert RemarkKind.SCALE not in [r.kind for r in cosine.remarks]
    both = pt.validate(EUROS, {"one": LABELS, "two": [0, 1] * 20}, indices=["CH"])
    assert [remark.kind for remark in both.remarks] == [RemarkKind.SCALE]


def test_several_clusterings_are_judged_on_the_same_scale():
    noisy = [-1, *(np.arange(39) % 3).tolist()]
    both = pt.validate(
        EUROS, {"all": LABELS, "noisy": noisy}, scale="standard", noise="ignore", indices=["CH"]
    )
    scaled = StandardScaler().fit_transform(EUROS)
    assert both["noisy"]["CH"].value == pytest.approx(pt.indices.CH(scaled[1:], noisy[1:]))


def test_models_distances_and_unknown_scales_are_refused():
    model = KMeans(3, n_init=1, random_state=0).fit(X)
    with pytest.raises(ParameterError, match="space in which it was fitted") as caught:
        pt.validate(X, model, scale="standard")
    assert "make_pipeline(StandardScaler(), KMeans" in caught.value.fix
    assert caught.value.parameter == "scale"
    with pytest.raises(ParameterError, match="no such scale"):
        pt.validate(X, LABELS, scale="log")
    with pytest.raises(ParameterError, match="no features to scale"):
        pt.validate(np.zeros((40, 40)), LABELS, metric="precomputed", scale="standard")
