"""choose: which of several ready clusterings, by votes, neighbours and density, without a fit."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import partita as pt
from generated_data import uniform
from partita.errors import MismatchError, ParameterError, PartitionError
from partita.results.verdicts import RemarkKind
from partita.statistics.distances.kept_neighbours import MOST_OBJECTS, kept_neighbours
from reference.neighbours import kept

SIZE = 30
CORNERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
X = np.random.default_rng(0).normal(size=(3 * SIZE, 2)) + np.repeat(CORNERS, SIZE, axis=0)
THREE, TWO = np.repeat([0, 1, 2], SIZE), np.repeat([0, 1, 1], SIZE)
SIX = THREE * 2 + (np.arange(3 * SIZE) % 2)


def quick(data, candidates, **options):
    return pt.choose(data, candidates, structure=False, random_state=0, **options)


def kinds(result):
    return {remark.kind for remark in result.remarks}


# --- votes ------------------------------------------------------------------------------------------------


def test_values_are_those_of_the_indices_and_the_best_wins_by_families():
    found = pt.choose(X, {"three": THREE, "two": TWO, "six": SIX}, random_state=0)
    assert (found.best, found.k, found.strength) == ("three", 3, "clear")
    frame = found.to_frame().set_index("clustering")
    for name, labels in (("three", THREE), ("two", TWO), ("six", SIX)):
        for index in ("silhouette", "calinski_harabasz", "xie_beni", "bic_partition", "dbcv"):
            assert frame.loc[name, index] == pt.indices.__dict__[index](X, labels)
    assert list(frame["clusters"]) == [3, 2, 6]
    assert list(frame["smallest"]) == [SIZE, SIZE, SIZE // 2]
    assert {p.family for p in found.preferences.values()} == {
        "compactness",
        "separation",
        "likelihood",
        "density",
    }
    assert found.votes == {"three": 4}
    assert found.preferences["silhouette"].runner_up == "two"
    assert "three, 3 clusters, by 4 of 4 families" in found.statement


def test_names_of_one_clustering_share_its_vote():
    found = quick(X, {"leiden_0.2": THREE, "leiden_0.5": 2 - THREE, "leiden_1": SIX})
    assert len(found.candidates) == 2
    assert found.candidates[0].names == ("leiden_0.2", "leiden_0.5")
    assert found.best == "leiden_0.2"
    assert found.votes == {"leiden_0.2 = leiden_0.5": 4}
    assert list(found.to_frame()["clustering"]) == ["leiden_0.2", "leiden_0.5", "leiden_1"]


def test_the_same_clustering_under_all_names_is_no_choice():
    found = quick(X, {"a": THREE, "b": (THREE + 1) % 3})
    assert (found.best, found.k, found.strength) == ("a", 3, "weak")
    assert found.votes == {}


def test_noise_makes_another_clustering_though_labels_are_the_same():
    noise, cluster = np.where(THREE == 2, -1, THREE), THREE
    found = quick(X, {"noise": noise, "cluster": cluster})
    assert len(found.candidates) == 2
    assert found.candidates[0].clusters == 2


def test_soft_clusterings_of_other_columns_are_the_same():
    soft = np.array([[0.9, 0.1, 0.0], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8]])[THREE]
    found = quick(X, {"soft": soft, "turned": soft[:, [2, 0, 1]], "two": TWO})
    assert found.candidates[0].names == ("soft", "turned")


def test_an_exact_tie_of_different_clusterings_has_no_vote_of_that_index():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    found = quick(square, {"rows": [0, 1, 0, 1], "columns": [0, 0, 1, 1]}, indices=["calinski_harabasz"])
    assert found.best is None
    assert found.preferences["calinski_harabasz"].label is None
    assert "tie" in found.preferences["calinski_harabasz"].reason


def test_of_equal_values_the_one_that_covers_more_objects_is_preferred():
    noisy = np.where(np.arange(3 * SIZE) < 5, -1, THREE)
    found = quick(X, {"noisy": noisy, "three": THREE, "two": TWO}, noise="ignore")
    assert found.best == "three"
    assert found.preferences["silhouette"].runner_up == "noisy"
    assert found.to_frame()["silhouette"][0] == found.to_frame()["silhouette"][1]


def test_an_index_with_a_value_for_one_clustering_alone_has_no_vote():
    one = np.zeros(3 * SIZE, int)
    found = quick(X, {"one": one, "three": THREE}, indices=["silhouette", "bic_partition"])
    assert found.preferences["silhouette"].label is None
    assert found.preferences["bic_partition"].label == "three"


def test_kin_indices_are_one_voice():
    found = quick(X, {"three": THREE, "two": TWO}, indices=["silhouette", "calinski_harabasz"])
    assert found.strength == "weak"
    assert RemarkKind.KIN in kinds(found)


def test_groups_of_indices_are_taken_by_name():
    found = quick(X, {"three": THREE, "two": TWO}, indices="separation")
    assert {p.family for p in found.preferences.values()} == {"separation"}
    with pytest.raises(ParameterError) as problem:
        quick(X, {"three": THREE, "two": TWO}, indices=["gap"])
    assert problem.value.parameter == "indices"
    with pytest.raises(ParameterError):
        quick(X, {"three": THREE, "two": TWO}, indices=["entropy"])
    with pytest.raises(ParameterError):  # it needs a model, and was named
        quick(X, {"three": THREE, "two": TWO}, indices=["bic"])


# --- checks -----------------------------------------------------------------------------------------------


def test_nothing_is_best_where_there_is_no_structure():
    plain = uniform(np.random.default_rng(0), 150, 2).X
    cut = {f"k-means {k}": KMeans(k, n_init=2, random_state=0).fit_predict(plain) for k in (2, 3, 4)}
    found = pt.choose(plain, cut, random_state=0)
    assert (found.best, found.k, found.strength) == (None, None, "no structure")


def test_pieces_of_long_clusters_are_never_clear():
    data, truth = make_moons(200, noise=0.06, random_state=0)
    two, ten = (KMeans(k, n_init=2, random_state=0).fit_predict(data) for k in (2, 10))
    alone = pt.choose(data, {"two": two, "ten": ten}, random_state=0)
    assert alone.strength != "clear"
    assert RemarkKind.NON_CONVEX in kinds(alone)
    beside = pt.choose(data, {"two": two, "moons": truth}, random_state=0)
    assert beside.preferences["dense clusters"].label == "moons"
    assert beside.strength != "clear"
    assert RemarkKind.NON_CONVEX in kinds(beside)


def test_a_single_object_as_cluster_does_not_win_while_others_have_none():
    single = THREE.copy()
    single[0] = 3
    found = quick(X, {"single": single, "two": TWO, "six": SIX})
    assert found.best != "single"
    assert RemarkKind.TINY_CLUSTERS in kinds(found)
    assert "single object" in found.candidates[0].flaw
    other = SIX.copy()
    other[5] = 9
    both = quick(X, {"single": single, "other": other})
    assert both.best == "single"  # where all have one, they count


def test_units_that_drown_others_are_told_and_scaled():
    raw = X * [1.0, 1000.0]
    told = quick(raw, {"three": THREE, "two": TWO})
    assert RemarkKind.SCALE in kinds(told)
    assert told.strength == "weak"
    scaled = quick(raw, {"three": THREE, "two": TWO}, scale="standard")
    assert RemarkKind.SCALE not in kinds(scaled)
    whole = StandardScaler().fit_transform(raw)
    assert scaled.to_frame()["silhouette"][0] == pytest.approx(pt.indices.silhouette(whole, THREE), abs=1e-12)
    with pytest.raises(ParameterError):
        quick(raw, {"three": THREE, "two": TWO}, scale="log")


def test_scaled_data_are_scaled_by_all_objects_also_where_noise_is_left_out():
    noisy = np.where(np.arange(3 * SIZE) < 10, -1, THREE)
    found = quick(X * [1.0, 50.0], {"noisy": noisy, "two": TWO}, scale="standard", noise="ignore")
    whole = StandardScaler().fit_transform(X * [1.0, 50.0])[10:]
    assert found.to_frame()["silhouette"][1] == pytest.approx(
        pt.indices.silhouette(whole, TWO[10:]), abs=1e-12
    )


def test_copies_are_told():
    doubled = np.repeat(X, 3, axis=0)
    found = quick(doubled, {"three": np.repeat(THREE, 3), "two": np.repeat(TWO, 3)})
    assert RemarkKind.DUPLICATES in kinds(found)


# --- noise and what is missing ------------------------------------------------------------------------------


def test_coverage_stands_beside_each_clustering():
    noisy = np.where(np.arange(3 * SIZE) % 10 == 0, -1, THREE)
    found = quick(X, {"noisy": noisy, "three": THREE, "two": TWO})
    assert [c.coverage for c in found.candidates] == [pytest.approx(0.9), 1.0, 1.0]
    assert RemarkKind.NOISE in kinds(found)
    assert "90.0%" in next(r.text for r in found.remarks if r.kind is RemarkKind.NOISE)
    with pytest.raises(PartitionError):
        quick(X, {"noisy": noisy, "two": TWO}, noise="raise")
    with pytest.raises(ParameterError):
        quick(X, {"noisy": noisy, "two": TWO}, noise="drop")


def test_ignored_noise_is_left_out_for_all():
    noisy = np.where(np.arange(3 * SIZE) % 10 == 0, -1, THREE)
    found = quick(X, {"noisy": noisy, "two": TWO}, noise="ignore")
    rows = noisy >= 0
    frame = found.to_frame().set_index("clustering")
    assert frame.loc["two", "silhouette"] == pt.indices.silhouette(X[rows], TWO[rows])
    assert frame.loc["noisy", "coverage"] == pytest.approx(0.9)


def test_a_clustering_of_few_objects_is_not_clear():
    few = np.where(np.arange(3 * SIZE) % 3 == 0, THREE, -1)
    fewer = np.where(few == 2, 1, few)
    found = quick(X, {"few": few, "fewer": fewer}, indices=["silhouette", "xie_beni", "bic_partition"])
    assert found.ballot.leading is not None
    assert found.strength != "clear"


def test_all_noise_has_no_clusters():
    found = quick(X, {"none": np.full(3 * SIZE, -1), "three": THREE, "two": TWO}, noise_label=-1)
    assert (found.candidates[0].clusters, found.candidates[0].coverage) == (0, 0.0)
    assert found.best == "three"


def test_missing_labels_and_values():
    labels = pd.Series(THREE).astype("Int64")
    labels[3] = pd.NA
    with pytest.raises(PartitionError):
        quick(X, {"a": labels, "b": TWO})
    kept_out = quick(X, {"a": labels, "b": TWO}, missing="drop")
    rows = np.arange(3 * SIZE) != 3
    assert kept_out.to_frame()["silhouette"][1] == pt.indices.silhouette(X[rows], TWO[rows])


# --- containers ---------------------------------------------------------------------------------------------


def test_frames_of_labels_are_several_clusterings():
    columns = {"a": THREE, "b": TWO}
    data = pd.DataFrame(X, columns=["u", "v"])
    from_pandas = quick(data, pd.DataFrame(columns))
    assert from_pandas.votes == quick(X, columns).votes
    assert isinstance(quick(pl.DataFrame(X), pl.DataFrame(columns)).to_frame(), pl.DataFrame)
    turned = data.sample(frac=1, random_state=1)
    assert quick(turned, pd.DataFrame(columns)).votes == from_pandas.votes  # objects are known by name


def test_clusterings_in_different_orders_are_refused():
    one = pd.Series(THREE)
    with pytest.raises(MismatchError):
        quick(X, {"a": one, "b": one[::-1]})


def test_fitted_models_are_candidates():
    model = KMeans(3, n_init=2, random_state=0).fit(X)
    pipeline = make_pipeline(StandardScaler(), KMeans(2, n_init=2, random_state=0)).fit(X)
    found = quick(X, {"three": model, "piped": pipeline})
    assert found.best == "three"
    assert any("space of X" in note for note in found.notes)


def test_names_that_read_alike_stay_apart():
    found = quick(X, {"X": THREE, 1: TWO, "1": SIX})
    assert found.best == "X"
    assert [c.names for c in found.candidates] == [("X",), (1,), ("1",)]
    assert len({c.label for c in found.candidates}) == 3


@pytest.mark.parametrize("candidates", [{}, {"a": THREE}, THREE])
def test_nothing_to_choose_among_is_refused(candidates):
    with pytest.raises(ParameterError) as problem:
        quick(X, candidates)
    assert problem.value.parameter == "candidates"


def test_the_result_is_written_and_read_by_programs():
    found = pt.choose(X, {"three": THREE, "two": TWO, "again": 2 - THREE}, random_state=0)
    written = json.loads(found.write("json"))
    assert (written["best"], written["k"], written["strength"]) == ("three", 3, "clear")
    assert written["candidates"][0]["names"] == ["three", "again"]
    again = pt.choose(X, {"three": THREE, "two": TWO, "again": 2 - THREE}, random_state=0)
    assert json.loads(again.write("json")) == written
    for form in ("table", "markdown", "html", "csv"):
        assert "three" in found.write(form)


# --- agreement and neighbours -------------------------------------------------------------------------------


def test_agreement_is_the_adjusted_rand_index_of_every_two():
    found = quick(X, {"three": THREE, "again": 2 - THREE, "two": TWO})
    names = ["three", "again", "two"]
    assert list(found.agreement.columns) == list(found.agreement.index) == names
    given_labels = dict(zip(names, (THREE, 2 - THREE, TWO), strict=True))
    for a in names:
        for b in names:
            expected = pt.compare(given_labels[a], given_labels[b], indices=["ARI"])["ARI"].value
            assert found.agreement.loc[a, b] == pytest.approx(expected, abs=1e-12)


def test_neighbours_by_hand():
    line = np.array([[0.0], [1.0], [2.1], [3.3], [10.0]])
    labels = [np.array([0, 0, 1, 1, -1]), np.array([0, 0, 0, 0, 1])]
    found = kept_neighbours(line, labels, 2, np.random.default_rng(0))
    # of two objects in a cluster the nearest one is looked at: 0-1, 1-0, 2-1, 3-2
    assert found.shares[:, 0].tolist()[:4] == [1.0, 1.0, 0.0, 1.0]
    assert np.isnan(found.shares[4]).all()  # noise, and alone in its cluster
    assert found.shares[:4, 1].tolist() == [1.0, 1.0, 1.0, 1.0]
    assert found.means.tolist() == [0.75, 1.0]
    assert found.over_all.tolist()[:4] == [1.0, 1.0, 0.5, 1.0]
    assert np.isnan(found.over_all[4])
    assert found.weakest(0) == 0.5


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 25), st.integers(1, 8), st.integers(1, 3))
def test_neighbours_are_those_of_the_definition(seed, n, most, d):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(n, d))
    labels = rng.integers(-1, 3, size=n)
    found = kept_neighbours(data, [labels], most, rng)
    expected = [kept(data, labels, i, most) for i in range(n)]
    np.testing.assert_allclose(found.shares[:, 0], expected, rtol=0, atol=1e-12)


def test_an_object_among_its_copies_is_not_its_own_neighbour():
    copies = np.zeros((6, 2))
    labels = np.array([0, 0, 0, 1, 1, 1])
    found = kept_neighbours(copies, [labels, np.zeros(6, int)], 2, np.random.default_rng(0))
    assert (found.shares[:, 1] == 1.0).all()
    assert set(np.unique(found.shares[:, 0])) <= {0.0, 0.5, 1.0}


def test_the_frame_of_neighbours_has_a_row_for_each_object_looked_at():
    found = quick(X, {"three": THREE, "six": SIX}, n_neighbors=4)
    frame = found.neighbours
    assert list(frame.columns) == ["three", "six", "all"]
    assert len(frame) == 3 * SIZE
    assert found.to_frame()["neighbours"][1] == pytest.approx(frame["six"].mean())
    assert frame["all"].tolist() == pytest.approx(frame[["three", "six"]].mean(axis=1).tolist())


def test_a_cluster_that_lies_among_others_is_no_clear_one():
    rng = np.random.default_rng(2)
    mixed = THREE.copy()
    mixed[rng.choice(SIZE, SIZE // 2, replace=False)] = 3
    found = quick(X, {"mixed": mixed, "worse": rng.permutation(mixed)})
    assert found.ballot.leading == "mixed"
    assert found.strength != "clear"
    assert found.kept.weakest(0) < 0.5


def test_of_many_objects_a_sample_is_looked_at_and_told():
    n = MOST_OBJECTS + 500
    many = np.random.default_rng(0).normal(size=(n, 1)) + np.repeat([[0.0], [30.0]], n // 2, axis=0)
    halves = np.repeat([0, 1], n // 2)
    found = quick(many, {"halves": halves, "quarters": 2 * halves + (np.arange(n) % 2)})
    assert RemarkKind.SAMPLED in kinds(found)
    assert len(found.neighbours) == MOST_OBJECTS
    assert found.best == "halves"
    assert "silhouette:sample_size=2000" in found.preferences
