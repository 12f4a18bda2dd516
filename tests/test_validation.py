"""Judging one clustering by its data: the table, several side by side, scorers, the command line."""

from __future__ import annotations

import csv
import io
import json
import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.preprocessing import StandardScaler

import partita as pt
from partita import cli
from partita.errors import (
    HardenedWarning,
    KindError,
    MismatchError,
    ParameterError,
    TooLargeError,
    UndefinedIndexError,
    UnknownNameError,
)

X, SPECIES = load_iris(return_X_y=True)
LABELS = KMeans(3, n_init=5, random_state=0).fit(X).labels_
FOLDS = KFold(3, shuffle=True, random_state=0)  # the species are sorted
SMALL, TWO = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]


# --- validate ---------------------------------------------------------------------------------------------


def test_every_index_that_applies_agrees_with_its_own_call():
    result = pt.validate(X, LABELS)
    assert len(result) > 25
    for row in result:
        entry = pt.indices.find(row.index)
        inputs = (X, LABELS) if "X" in entry.inputs else (LABELS,)
        assert row.value == pytest.approx(entry(*inputs), rel=1e-12, nan_ok=True), row.index
        assert row.direction == entry.direction


def test_published_values_for_iris():
    """Values that independent programs gave."""
    result = pt.validate(X, LABELS)
    published = {"DBI": 0.6619715, "dunn": 0.09881, "ball_hall": 26.2838, "silhouette": 0.552819}
    published |= {"CH": 561.6278, "WB": 0.3926088, "XB": 0.162755, "hartigan_log": 2.0336}
    for name, value in published.items():
        assert result[name].value == pytest.approx(value, rel=5e-5), name


def test_scikit_learn_agrees():
    result = pt.validate(X, LABELS, indices=["CH", "DBI", "silhouette"])
    assert result["CH"].value == pytest.approx(calinski_harabasz_score(X, LABELS), rel=1e-10)
    assert result["DBI"].value == pytest.approx(davies_bouldin_score(X, LABELS), rel=1e-10)
    assert result["silhouette"].value == pytest.approx(silhouette_score(X, LABELS), rel=1e-10)


def test_a_mixture_gives_its_likelihood_and_hard_indices_say_so():
    model = GaussianMixture(3, random_state=0).fit(X)
    result = pt.validate(X, model)
    assert result["BIC"].value == pytest.approx(model.bic(X))
    assert result["AIC"].value == pytest.approx(model.aic(X))
    assert "on hardened labels" in result["silhouette"].caveat
    assert result["silhouette"].value == pytest.approx(silhouette_score(X, model.predict(X)))
    assert "on hardened labels" not in result["CH"].caveat
    assert "bic" in {x.index for x in pt.validate(X, LABELS).left_out}


def test_memberships_are_never_hardened_silently():
    U = GaussianMixture(3, random_state=0).fit(X).predict_proba(X)
    result = pt.validate(X, U)
    assert "silhouette" not in result
    assert "harden()" in next(x.reason for x in result.left_out if x.index == "silhouette")
    with pytest.raises(KindError):
        pt.validate(X, U, indices=["silhouette"])


def test_curves_need_several_numbers_of_clusters():
    left = {x.index: x.reason for x in pt.validate(SMALL, TWO).left_out}
    assert left["hartigan"] == "needs a curve: choose_k"
    with pytest.raises(ParameterError, match="curve"):
        pt.validate(SMALL, TWO, indices=["hartigan"])


def test_distances_instead_of_data():
    distances = np.abs(np.subtract.outer(*[np.ravel(SMALL)] * 2))
    by_distance = pt.validate(distances, TWO, metric="precomputed")
    by_data = pt.validate(SMALL, TWO)
    for name in ("silhouette", "dunn"):
        assert by_distance[name].value == pytest.approx(by_data[name].value)
    assert "calinski_harabasz" in {x.index for x in by_distance.left_out}
    with pytest.raises(ParameterError):
        pt.validate(distances, TWO, metric="precomputed", indices=["CH"])
    with pytest.raises(ParameterError):
        pt.indices.davies_bouldin(distances, TWO, metric="precomputed")


def test_a_metric_for_those_that_have_one():
    result = pt.validate(X, LABELS, metric="cityblock")
    expected = silhouette_score(X, LABELS, metric="cityblock")
    assert result["silhouette:metric=cityblock"].value == pytest.approx(expected)


def test_costly_indices_are_left_out_unasked(monkeypatch):
    monkeypatch.setattr("partita.validation.MOST_PAIR_OPERATIONS", 10)
    result = pt.validate(X, LABELS)
    skipped = next(x for x in result.left_out if x.index == "silhouette")
    assert "sample_size" in skipped.reason
    assert skipped.cost
    assert "silhouette" in pt.validate(X, LABELS, indices=["silhouette"])


def test_a_million_objects_are_offered_a_sample_before_anything_starts():
    data, labels = np.zeros((10**6, 1)), np.arange(10**6) % 2
    with pytest.raises(TooLargeError, match="sample_size"):
        pt.indices.silhouette(data, labels)
    result = pt.validate(data, labels, indices=["headline"])
    assert result["silhouette"].method == "sampled"
    left = {x.index: x.reason for x in result.left_out}
    assert "fuzzy_silhouette" in left["fuzzy_silhouette"]


def test_a_sampled_silhouette_says_so():
    row = pt.validate(X, LABELS, indices=["silhouette:sample_size=60"])["silhouette:sample_size=60"]
    assert "sampled" in row.caveat
    assert "standard error" in row.caveat
    assert row.value == pytest.approx(silhouette_score(X, LABELS), abs=0.1)


def test_only_sampled_rows_are_marked_as_sampled():
    """An exact row, and a value that a limit sets, are no estimates, whatever stands beside them."""
    sampled = "silhouette:sample_size=60"
    result = pt.validate(X, LABELS, indices=[sampled, "CH", "fuzzy_silhouette", "silhouette:sample_size=999"])
    assert [row.method for row in result] == ["sampled", "exact", "exact", "exact"]
    assert result.provenance["method"] == f"sampled: {sampled}; the rest exact"
    assert [row["method"] for row in result.to_dict()["rows"]] == [row.method for row in result]
    again = pt.Validation.from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert again.rows == result.rows
    alone = pt.validate(X, np.zeros(150, dtype=int), indices=[sampled])
    assert math.isnan(alone.rows[0].value)
    assert (alone.rows[0].method, "sampled" in alone.rows[0].caveat) == ("exact", False)
    assert alone.provenance["method"] == "exact"
    assert {row.method for row in pt.validate(X, LABELS)} == {"exact"}
    both = pt.validate(X, {"found": LABELS, "truth": SPECIES}, indices=[sampled, "CH"])
    assert both.provenance["method"] == f"sampled: {sampled}; the rest exact"
    assert both.provenance["kinds"] == ["hard", "hard"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_in_frames_out(frame):
    made = frame({"a": [0.0, 1.0, 5.0, 6.0], "b": [1, 1, 2, 2]})
    result = pt.validate(made, TWO, indices=["CH"])
    assert type(result.to_frame()) is frame
    assert result["CH"].value == pytest.approx(pt.indices.CH(np.asarray(made.to_numpy()), TWO))


def test_data_and_labels_are_aligned_by_index():
    data = pd.DataFrame({"x": [5.0, 0.0, 1.0, 6.0, 9.0]}, index=list("cabde"))
    labels = pd.Series([0, 0, 1, 1], index=list("abcd"))
    result = pt.validate(data, labels, indices=["CH"])
    assert result["CH"].value == 50.0
    assert any("aligned" in note for note in result.notes)


def test_noise_weights_and_single_precision():
    noisy = pt.validate([*SMALL, [99.0]], [*TWO, -1], noise="ignore", indices=["CH"])
    assert noisy["CH"].value == 50.0
    weighted = pt.validate(SMALL, TWO, sample_weight=[2, 1, 1, 1], indices=["CH", "silhouette"])
    repeated = pt.validate([SMALL[0], *SMALL], [0, *TWO], indices=["CH", "silhouette"])
    for name in ("CH", "silhouette"):
        assert weighted[name].value == pytest.approx(repeated[name].value)
    single = pt.validate(X.astype(np.float32), LABELS, indices=["CH", "silhouette", "DBI"])
    for row in single:
        assert row.value == pytest.approx(pt.indices.find(row.index)(X, LABELS), rel=1e-5)


def test_nothing_dies_at_the_ends_of_a_sweep():
    for labels in ([0] * 6, list(range(6)), [0, 0, 0, 0, 0, 1]):
        for data in (np.arange(6.0)[:, None], np.ones((6, 2)), np.eye(6)):
            result = pt.validate(data, labels, metric="euclidean")
            assert all(row.caveat for row in result if not math.isfinite(row.value))
    with pytest.raises(UndefinedIndexError):
        pt.validate(SMALL, [0] * 4, indices=["CH"], on_undefined="raise")


@pytest.mark.parametrize(
    ("data", "labels", "error"),
    [
        ([[0.0], [math.nan], [1.0]], [0, 0, 1], ParameterError),
        ([[0.0], [math.inf], [1.0]], [0, 0, 1], ParameterError),
        ([["a"], ["b"], ["c"]], [0, 0, 1], ParameterError),
        ([0.0, 1.0, 2.0], [0, 0, 1], ParameterError),
        (np.zeros((3, 0)), [0, 0, 1], ParameterError),
        (SMALL, [0, 0, 1], MismatchError),
        (SMALL, {}, ParameterError),
        (pd.DataFrame({"x": ["a", "b", "c"]}), [0, 0, 1], ParameterError),
        (pd.DataFrame({"x": [1.0, None, 2.0]}), [0, 0, 1], ParameterError),
        (None, [0, 0, 1], ParameterError),
    ],
)
def test_bad_data_is_refused_by_name(data, labels, error):
    with pytest.raises(error) as caught:
        pt.validate(data, labels)
    assert caught.value.what


def test_bad_options_are_refused():
    for options in ({"metric": "no"}, {"noise": "no"}, {"on_undefined": "no"}):
        with pytest.raises(ParameterError):
            pt.validate(SMALL, TWO, **options)
    with pytest.raises(UnknownNameError):
        pt.validate(SMALL, TWO, indices=["sillhouette"])
    with pytest.raises(ParameterError, match="compare"):
        pt.validate(SMALL, TWO, indices=["ARI"])


def test_results_round_trip_through_strict_json():
    result = pt.validate(SMALL, TWO)
    again = pt.Validation.from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert str(again) == str(result)
    assert str(pickle.loads(pickle.dumps(result))) == str(result)
    assert "<table>" in result._repr_html_()


# --- several by name ---------------------------------------------------------------------------------------


def test_a_dictionary_of_masses_is_one_clustering():
    masses = {"mass": [[1.0, 0.0], [0.0, 1.0]], "F": [[1, 0], [0, 1]]}
    assert isinstance(pt.validate([[0.0], [1.0]], masses), pt.Validation)


# --- scorers ----------------------------------------------------------------------------------------------


def test_a_scorer_chooses_in_a_grid_search():
    search = GridSearchCV(
        KMeans(n_init=2, random_state=0), {"n_clusters": [2, 3, 4]}, scoring=pt.scorer("silhouette"), cv=FOLDS
    )
    assert search.fit(X).best_params_ == {"n_clusters": 2}


def test_a_scorer_is_higher_for_better():
    good, bad = KMeans(3, n_init=3, random_state=0).fit(X), KMeans(12, n_init=1, random_state=0).fit(X)
    for name in ("silhouette", "DBI", "XB"):
        assert pt.scorer(name)(good, X) > pt.scorer(name)(bad, X), name
    assert pt.scorer("DBI")(good, X) == pytest.approx(-davies_bouldin_score(X, good.labels_))


def test_scorers_for_mixtures_truth_and_those_that_cannot_predict():
    mixture = GaussianMixture(3, random_state=0).fit(X)
    assert pt.scorer("bic")(mixture, X) == pytest.approx(-mixture.bic(X))
    with pytest.warns(HardenedWarning, match="silhouette .* on hardened labels"):
        value = pt.scorer("silhouette")(mixture, X)
    assert value == pytest.approx(silhouette_score(X, mixture.predict(X)))
    assert pt.scorer("CH")(mixture, X) == pt.indices.CH(X, mixture.predict_proba(X))  # in silence
    assert pt.scorer("ARI")(KMeans(3, n_init=2, random_state=0).fit(X), X, SPECIES) > 0.7
    with pytest.raises(ParameterError, match="truth"):
        pt.scorer("ARI")(mixture, X)
    ward = AgglomerativeClustering(3).fit(X)
    assert pt.scorer("silhouette")(ward, X) == pytest.approx(silhouette_score(X, ward.labels_))
    half = X[::2]
    expected = silhouette_score(half, AgglomerativeClustering(3).fit_predict(half))
    assert pt.scorer("silhouette")(ward, half) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("estimator", "data"),
    [
        (KMeans(2), X),  # not fitted
        (StandardScaler().fit(X), X),  # no clusterer
        (KMeans(2, n_init=1, random_state=0).fit(X), X[:, :2]),  # other features
        (AgglomerativeClustering(200), X),  # more clusters than objects
        (KMeans, X),
        (LABELS, X),
    ],
)
def test_a_scorer_refuses_what_it_cannot_judge(estimator, data):
    with pytest.raises(ParameterError) as caught:
        pt.scorer("CH")(estimator, data)
    assert caught.value.got


def test_scorers_in_cross_validation_and_pickles():
    scores = cross_validate(KMeans(3, n_init=1, random_state=0), X, scoring=pt.scorer("CH"), cv=FOLDS)
    assert np.isfinite(scores["test_score"]).all()
    assert pickle.loads(pickle.dumps(pt.scorer("CH"))) == pt.scorer("CH")
    with pytest.raises(ParameterError, match="describes"):
        pt.scorer("entropy")
    with pytest.raises(UnknownNameError):
        pt.scorer("no such index")


# --- the command line -------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("name,x,y,cluster\na,0,1,u\nb,1,1,u\nc,5,2,v\nd,6,2,v\n")
    Path("soft.csv").write_text("name,u,v\nd,0.1,0.9\nc,0,1\nb,0.8,0.2\na,1,0\n")
    np.save("data.npy", SMALL)
    np.save("labels.npy", TWO)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = 0
    try:
        cli.main(["validate", *arguments])
    except SystemExit as stop:
        code = int(stop.code or 0)
    return code, *capsys.readouterr()


@pytest.mark.usefixtures("files")
def test_labels_in_a_column(capsys):
    code, out, err = run(capsys, "data.csv", "--labels", "cluster", "--id", "name", "--format", "json")
    assert (code, err) == (0, "")
    result = pt.Validation.from_dict(json.loads(out))
    assert result["CH"].value == pytest.approx(pt.indices.CH([[0, 1], [1, 1], [5, 2], [6, 2]], TWO))
    code, out, _ = run(
        capsys, "data.csv", "--labels", "cluster", "--columns", "x", "--indices", "CH,silhouette"
    )
    assert code == 0
    assert "50" in out


@pytest.mark.usefixtures("files")
def test_memberships_in_a_file_are_joined_by_identifier(capsys):
    options = ("--memberships", "soft.csv", "--columns", "x,y", "--id", "name", "--format", "csv")
    code, out, err = run(capsys, "data.csv", *options)
    assert code == 0
    rows = {row["index"]: row for row in csv.DictReader(io.StringIO(out))}
    expected = pt.indices.xie_beni([[0, 1], [1, 1], [5, 2], [6, 2]], [[1, 0], [0.8, 0.2], [0, 1], [0.1, 0.9]])
    assert float(rows["xie_beni"]["value"]) == pytest.approx(expected)
    assert "left out" in err
    code, out, _ = run(capsys, "data.npy", "--memberships", "labels.npy", "--indices", "CH")
    assert code == 0
    assert "50" in out


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("data.csv",), "neither --labels nor --clusterings nor --memberships"),
        (("data.csv", "--labels", "cluster", "--memberships", "soft.csv"), "soft.csv: 'cluster'"),
        (("data.csv", "--labels", "cluster", "--columns", "name,x"), "features are numbers"),
        (("data.csv", "--labels", "klaster"), "cluster"),
        (("none.csv", "--labels", "cluster"), "no such file"),
        (("data.csv", "--labels", "cluster", "--id", "name", "--indices", "ARI"), "compare"),
    ],
)
def test_bad_input_on_the_command_line(capsys, arguments, words):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
