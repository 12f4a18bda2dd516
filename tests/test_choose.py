"""choose: the best of several ready clusterings by their scores; indices, noise, kinds, neighbours."""

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
from partita.selection import evidence
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


# --- scores, and what indices prefer ------------------------------------------------------------------------


def test_the_largest_score_wins_and_values_are_those_of_the_indices():
    found = pt.choose(X, {"three": THREE, "two": TWO, "six": SIX}, random_state=0)
    assert (found.best, found.k, found.strength) == ("three", 3, "clear")
    assert found.statement.startswith("3 clusters (three), clear: density tree and mixture find the same")
    frame = found.to_frame().set_index("clustering")
    for name, labels in (("three", THREE), ("two", TWO), ("six", SIX)):
        for index in ("silhouette", "calinski_harabasz", "xie_beni", "bic_partition", "dbcv"):
            assert frame.loc[name, index] == pt.indices.__dict__[index](X, labels)
    assert list(frame["clusters"]) == [3, 2, 6]
    assert list(frame["smallest"]) == [SIZE, SIZE, SIZE // 2]
    for candidate in found.candidates:
        one = candidate.scored
        assert frame.loc[candidate.label, "score"] == one.lasting + one.agreement + one.best_bic
    assert found.score == frame["score"].max() == frame.loc["three", "score"]
    assert found.margin == found.score - frame["score"].drop("three").max()
    np.testing.assert_array_equal(found.partition.codes, THREE)


def test_preferences_are_reported_by_family_and_decide_nothing():
    found = pt.choose(X, {"three": THREE, "two": TWO, "six": SIX}, random_state=0)
    assert {p.family for p in found.preferences.values()} == {
        "compactness",
        "separation",
        "likelihood",
        "density",
    }
    assert found.votes == {"three": 4}
    assert found.preferences["silhouette"].runner_up == "two"
    data, moons = make_moons(200, noise=0.06, random_state=0)
    cut = KMeans(2, n_init=2, random_state=0).fit_predict(data)
    beside = quick(data, {"cut": cut, "moons": moons}, indices=["silhouette", "CH", "xie_beni"])
    assert beside.votes == {"cut": 2}
    assert beside.best == "moons"


def test_names_of_one_clustering_share_its_vote():
    found = quick(X, {"leiden_0.2": THREE, "leiden_0.5": 2 - THREE, "leiden_1": SIX})
    assert len(found.candidates) == 2
    assert found.candidates[0].names == ("leiden_0.2", "leiden_0.5")
    assert found.best == "leiden_0.2"
    assert found.votes == {"leiden_0.2 = leiden_0.5": 4}
    assert list(found.to_frame()["clustering"]) == ["leiden_0.2", "leiden_0.5", "leiden_1"]


def test_one_clustering_under_all_names_is_scored_as_it_is_and_nothing_prefers_it():
    found = quick(X, {"a": THREE, "b": (THREE + 1) % 3})
    assert (found.best, found.k, found.strength) == ("a", 3, "clear")
    assert found.score == quick(X, {"a": THREE, "two": TWO}).score
    assert found.votes == {}
    assert len(found.candidates) == 1


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
    square = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], 3, axis=0)
    rows, columns = np.repeat([0, 1, 0, 1], 3), np.repeat([0, 0, 1, 1], 3)
    found = quick(square, {"rows": rows, "columns": columns}, indices=["calinski_harabasz"])
    assert found.preferences["calinski_harabasz"].label is None
    assert "tie" in found.preferences["calinski_harabasz"].reason
    assert found.votes == {}


def test_a_lead_below_the_standard_error_of_sampled_silhouettes_is_a_tie():
    rng = np.random.default_rng(0)
    line = rng.normal(size=(4 * SIZE, 1)) + np.repeat([[0.0], [5.0]], 2 * SIZE, axis=0)
    candidates = {
        "middle": line[:, 0] > 2.5,
        "nearly": line[:, 0] > 3.3,
        "random": rng.integers(2, size=4 * SIZE),
    }
    exact = quick(line, candidates, indices=["silhouette"]).preferences["silhouette"]
    assert (exact.label, exact.runner_up) == ("middle", "nearly")
    few = quick(line, candidates, indices=["silhouette:sample_size=12"])
    sampled = few.preferences["silhouette:sample_size=12"]
    values = [c.values["silhouette:sample_size=12"] for c in few.candidates]
    assert values[0] - values[2] > 0.5  # which is more than any standard error
    assert sampled.label is None
    assert sampled.reason.startswith("a tie: ")
    assert "less than the standard error" in sampled.reason
    assert few.votes == {}


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


def test_related_indices_share_one_vote_and_leave_the_answer_as_it_is():
    candidates = {"three": THREE, "two": TWO}
    found = quick(X, candidates, indices=["silhouette", "calinski_harabasz"])
    assert found.votes == {"three": 1}
    usual = quick(X, candidates)
    assert (found.best, found.strength, found.score) == (usual.best, usual.strength, usual.score)


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


def test_the_result_of_a_test_of_structure_is_quoted_without_another():
    plain = uniform(np.random.default_rng(0), 150, 2).X
    cut = {f"k-means {k}": KMeans(k, n_init=2, random_state=0).fit_predict(plain) for k in (2, 3)}
    known = pt.structure(plain, n_null=39, random_state=0)
    found = pt.choose(plain, cut, structure=known, random_state=0)
    assert found.structure is known
    assert found.strength == "no structure"
    assert found.statement.lower().startswith("no structure")


def test_pieces_of_long_clusters_are_never_clear_and_whole_ones_win():
    data, truth = make_moons(200, noise=0.06, random_state=0)
    two, ten = (KMeans(k, n_init=2, random_state=0).fit_predict(data) for k in (2, 10))
    alone = pt.choose(data, {"two": two, "ten": ten}, random_state=0)
    assert alone.strength not in ("clear", "weak")
    assert "the density tree sees 2 clusters, which are better supported" in alone.statement
    assert RemarkKind.NON_CONVEX in kinds(alone)
    rival = next(one for one in alone.alternatives if one.method == "density tree")
    assert pt.indices.ARI(truth, rival.labels) > 0.95
    beside = pt.choose(data, {"two": two, "moons": truth}, random_state=0)
    assert (beside.best, beside.strength) == ("moons", "weak")  # Ward and mixtures cut them
    assert beside.preferences["silhouette"].label == "two"
    assert RemarkKind.NON_CONVEX not in kinds(beside)


def test_no_candidate_with_clusters_is_told_beside_what_is_seen():
    nothing = {"noise": np.full(3 * SIZE, -1), "one": np.zeros(3 * SIZE, int)}
    found = quick(X, nothing)
    assert (found.best, found.k, found.partition) == (None, None, None)
    assert "no candidate has two clusters; the density tree sees 3 clusters" in found.statement
    (seen,) = found.alternatives
    np.testing.assert_array_equal(np.unique(seen.labels, return_inverse=True)[1], THREE)
    flat = quick(np.random.default_rng(0).random((90, 2)), nothing)
    assert flat.statement == "No clusters were found: no candidate has two clusters."


# --- kinds of method ----------------------------------------------------------------------------------------


def witnesses(found, name):
    return next(c for c in found.candidates if name in c.names).scored.agrees_with


def test_kinds_that_are_named_confirm_each_other_and_clones_do_not():
    nearly = THREE.copy()
    nearly[0] = 1
    candidates = {"a": THREE, "b": nearly, "two": TWO}
    unnamed = quick(X, candidates)
    assert set(witnesses(unnamed, "a")) == {"density tree", "mixture"}
    assert "b has the same clusters" in {reason.short for reason in unnamed.because}
    named = quick(X, candidates, kinds={"a": "graph", "b": "centres"})
    assert witnesses(named, "a")["centres"] == pytest.approx(pt.indices.ARI(THREE, nearly))
    assert "centres" in named.statement
    clones = quick(X, candidates, kinds=dict.fromkeys(candidates, "graph"))
    assert set(witnesses(clones, "a")) == {"density tree", "mixture"}


def test_kinds_that_find_exactly_the_same_clusters_confirm_each_other_too():
    found = quick(X, {"a": THREE, "b": 2 - THREE, "two": TWO}, kinds={"a": "graph", "b": "centres"})
    assert found.candidates[0].names == ("a", "b")
    assert witnesses(found, "a") == {"density tree": 1.0, "mixture": 1.0, "centres": 1.0}


def test_ready_clusterings_of_a_kind_of_partitas_own_join_it():
    turned = np.random.default_rng(1).permutation(THREE)
    alone = quick(X, {"two": TWO, "gmm": turned})
    joined = quick(X, {"two": TWO, "gmm": turned}, kinds={"gmm": "mixture"})
    assert witnesses(joined, "two") == witnesses(alone, "two")  # partita's own mixtures agree better
    assert witnesses(joined, "two")["mixture"] > 0.5
    assert set(witnesses(joined, "gmm")) == {"density tree", "Ward"}


@pytest.mark.parametrize("name", ["density tree", "mixture", "Ward", "graph"])
def test_the_name_of_a_clustering_does_not_change_its_score(name):
    two_of_six = np.where(SIX < 2, SIX, 2)
    kinds_of_others = {"b": "graph"}
    plain = quick(X, {"a": two_of_six, "b": SIX}, kinds=kinds_of_others)
    called = quick(X, {name: two_of_six, "b": SIX}, kinds=kinds_of_others)
    assert witnesses(called, name) == witnesses(plain, "a")
    assert called.best == {"a": name}.get(plain.best, plain.best)


@pytest.mark.parametrize(
    ("given_kinds", "problem"),
    [
        ({"c": "graph"}, "names no candidate"),
        ({"a": 1}, "must name the kind"),
        ("graph", "must name the kind"),
    ],
    ids=str,
)
def test_kinds_that_are_none_are_refused(given_kinds, problem):
    with pytest.raises(ParameterError, match=problem) as refused:
        quick(X, {"a": THREE, "b": TWO}, kinds=given_kinds)
    assert refused.value.parameter == "kinds"


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
    assert (told.best, told.strength) == ("three", "clear")  # both scales are looked at
    assert "Column 1 alone made more than 99.9 % of the distances" in told.answer.paragraph
    scaled = quick(raw, {"three": THREE, "two": TWO}, scale="standard")
    assert RemarkKind.SCALE not in kinds(scaled)
    assert "alone made" not in scaled.answer.paragraph
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
    assert (found.best, found.strength) == ("few", "weak")
    assert "only 33% of the objects are in a cluster" in found.statement


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
    assert (found.best, found.strength) == ("mixed", "contested")
    assert found.kept.weakest(0) < 0.5


def test_of_many_objects_a_sample_is_looked_at_and_told(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_OBJECTS", 300)
    n = MOST_OBJECTS + 500
    many = np.random.default_rng(0).normal(size=(n, 1)) + np.repeat([[0.0], [30.0]], n // 2, axis=0)
    halves = np.repeat([0, 1], n // 2)
    found = quick(many, {"halves": halves, "quarters": 2 * halves + (np.arange(n) % 2)})
    assert RemarkKind.SAMPLED in kinds(found)
    assert len(found.neighbours) == MOST_OBJECTS
    assert (found.best, found.k, found.partition.n_objects) == ("halves", 2, n)
    assert "seen in 300 of 10,500 objects" in found.statement
    assert "silhouette:sample_size=2000" in found.preferences
