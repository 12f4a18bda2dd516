"""Several clusterings of the same data side by side: one scale for all, and columns that keep their names."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture

import partita as pt
import strategies
from partita.errors import UnknownNameError
from partita.results import Cell

X, SPECIES = load_iris(return_X_y=True)
AFTER = ["better", "caveat"]
SMALL, TWO = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]


def test_two_results_side_by_side():
    worse = [0, 1, 0, 1]
    result = pt.validate(SMALL, {"good": TWO, "bad": worse}, indices=["CH", "DBI", "entropy"])
    rows = {row["index"]: row for row in result.records()}
    assert rows["calinski_harabasz"]["good"] == 50.0
    assert rows["calinski_harabasz"]["better"] == "good"
    assert rows["davies_bouldin"]["better"] == "good"
    assert rows["entropy"]["better"] == ""
    assert result.wins == {"good": 2, "bad": 0}
    assert result["bad"]["CH"].value == pt.indices.CH(SMALL, worse)
    assert list(result.to_frame()["good"]) == [rows[i]["good"] for i in rows]
    assert "good by 2" in str(result)


def test_nothing_to_show_is_shown_as_such():
    for indices in ([], iter([])):
        result = pt.validate(SMALL, {"a": TWO, "b": TWO}, indices=indices)
        assert result.records() == []
        assert list(result.to_frame().columns) == ["index", "symbol", "best", "direction", "a", "b", *AFTER]
        assert "a = b by 0" in str(result)
        assert result.wins == {"a": 0, "b": 0}
        assert result.statement == "the same clustering: a = b"
    other = pt.validate(SMALL, {"a": TWO, "b": [0, 1, 0, 1]}, indices=[])
    assert "a by 0, b by 0" in str(other)
    assert other.statement == "no index here judges between them"


def test_every_kind_with_weights_that_leave_one_object():
    rough = pt.RoughPartition([[True, False], [True, True], [False, True], [False, True]])
    masses = {"mass": [[0.5, 0.3, 0.2]] * 4, "F": [[1, 0], [0, 1], [0, 0]]}
    clusterings = {"hard": TWO, "fuzzy": [[0.9, 0.1]] * 4, "rough": rough, "masses": masses}
    for weight in (None, [0, 0, 0, 1], [0.5, 0.25, 1.5, 1.0]):
        result = pt.validate(SMALL, clusterings, sample_weight=weight)
        assert result.provenance["kinds"] == ["hard", "fuzzy", "rough", "evidential"]
        assert all(row["caveat"] for row in result.records() if not math.isfinite(row["hard"]))


# --- one scale --------------------------------------------------------------------------------------------


def test_hard_beside_fuzzy_is_judged_on_hardened_labels():
    """Squared memberships give fuzzy c-means a CH of 605 where its labels have 560 and random swap's 562."""
    hard = pt.cluster.RandomSwap(3, random_state=0).fit(X)
    fuzzy = pt.cluster.FuzzyCMeans(3, random_state=0).fit(X)
    labels = fuzzy.partition_.harden().labels
    result = pt.validate(X, {"RS": hard, "FCM": fuzzy}, indices=["CH", "WB", "XB", "DBI", "xu"])
    for row in result.records():
        entry = pt.indices.find(row["index"])
        own, of_labels = entry(X, fuzzy.partition_), entry(X, labels)
        assert own != pytest.approx(of_labels, rel=1e-3), row["index"]  # two scales
        assert row["RS"] == pytest.approx(entry(X, hard.labels_), rel=1e-12)
        assert row["FCM"] == result["FCM"][row["index"]].value == pytest.approx(of_labels, rel=1e-12)
        assert row["caveat"] == "on hardened labels"
    better = {row["symbol"]: row["better"] for row in result.records()}
    assert better["CH"] == better["WB"] == "RS"
    assert any("different kinds" in note for note in result.notes)
    assert "different kinds" in str(result)


def test_clusterings_of_one_kind_keep_their_own_form():
    models = {k: pt.cluster.FuzzyCMeans(k, random_state=0).fit(X) for k in (2, 3)}
    result = pt.validate(X, models, indices=["XB", "fukuyama_sugeno"])
    for row in result.records():
        entry = pt.indices.find(row["index"])
        assert [row["2"], row["3"]] == [pytest.approx(entry(X, models[k].partition_)) for k in (2, 3)]
        assert "hardened" not in row["caveat"]
    assert not result.notes


def test_a_mixture_beside_labels_keeps_its_likelihood():
    """Of two models that hard labels have not, none is better; the rest is on one scale."""
    model = GaussianMixture(3, random_state=0).fit(X)
    result = pt.validate(X, {"mixture": model, "labels": SPECIES})
    rows = {row["index"]: row for row in result.records()}
    assert rows["bic"]["mixture"] == pytest.approx(model.bic(X))
    assert math.isnan(rows["bic"]["labels"])
    assert rows["bic"]["better"] == ""
    assert rows["partition_coefficient"]["mixture"] < 1.0  # of the memberships: it looks at no data
    by_labels = pt.indices.partition_negentropy(X, model.predict(X))
    assert rows["partition_negentropy"]["mixture"] == pytest.approx(by_labels, rel=1e-9)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_hardening_one_of_several_kinds_changes_no_judgement(data):
    """Beside a clustering of another kind, a soft clustering and its hardened labels score alike."""
    n = data.draw(st.integers(4, 9))
    values = st.lists(st.integers(-3, 3), min_size=2, max_size=2)
    points = np.array(data.draw(st.lists(values, min_size=n, max_size=n)), dtype=float)
    hard = data.draw(strategies.hard(n))
    soft = data.draw(strategies.partitions(n, set(pt.Kind) - {pt.Kind.HARD}))
    side_by_side = pt.validate(points, {"hard": hard, "soft": soft})
    hardened = pt.validate(points, {"hard": hard, "soft": soft.harden()})
    judged = {row["index"]: row for row in hardened.records()}
    for row in side_by_side.records():
        if "X" in pt.indices.find(row["index"]).inputs and not math.isnan(row["hard"]):
            expected = judged[row["index"]]
            assert row["soft"] == pytest.approx(expected["soft"], rel=1e-12, nan_ok=True), row["index"]
            assert set(side_by_side.best_by(row["index"])) == set(hardened.best_by(row["index"]))
    assert side_by_side.wins == hardened.wins


# --- names ------------------------------------------------------------------------------------------------

AWKWARD = ["index", "symbol", "best", "direction", "better", "caveat", "", "1", 1, 1.5, None, ("a", 1), "'1'"]


@pytest.mark.parametrize("names", [["best", "index"], ["better", "direction"], [1, "1"], ["1", 1], AWKWARD])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_spoil_nothing(names, library):
    data = pytest.importorskip(library).DataFrame({"x": [0.0, 1.0, 5.0, 6.0, 9.0]})
    clusterings = {name: [0, *map(int, format(i + 1, "04b"))] for i, name in enumerate(names)}
    result = pt.validate(data, clusterings, indices=["CH", "entropy"])
    labels = list(result.labels.values())
    assert len(set(labels)) == len(names)
    assert not set(labels) & {"index", "symbol", "best", "direction", "better", "caveat", ""}
    columns = ["index", "symbol", "best", "direction", *labels, "better", "caveat"]
    assert list(result.columns) == list(result.to_frame().columns) == columns
    values = {name: pt.indices.CH(data, found) for name, found in clusterings.items()}
    assert len(set(result.same.values())) == len(names)
    row = result.records()[0]
    assert row["index"] == "calinski_harabasz"
    assert (row["best"], row["direction"]) == (math.inf, "higher")
    for name, value in values.items():
        assert row[result.labels[name]] == result[name]["CH"].value == pytest.approx(value)
    best = max(values, key=lambda name: values[name])
    assert row["better"] == result.labels[best]
    assert result.wins == {name: int(name is best) for name in clusterings}
    assert f"{labels[0]} by " in str(result)
    json.dumps(result.to_dict(), allow_nan=False)


def test_ordinary_names_are_their_own_columns():
    result = pt.validate(SMALL, {"k-means": TWO, 3: [0, 1, 0, 1]}, indices=["CH"])
    assert list(result.labels.values()) == ["k-means", "3"]
    assert result[3] is result["3"]
    for unknown in ("kmeans", ["k-means"], 4):
        with pytest.raises(UnknownNameError, match="clustering"):
            result[unknown]


@given(
    st.dictionaries(
        st.one_of(st.text(max_size=3), st.integers(-2, 2), st.booleans(), st.sampled_from(AWKWARD)),
        st.lists(st.integers(0, 1), min_size=4, max_size=4),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=60, deadline=None)
def test_every_clustering_keeps_its_column_whatever_it_is_called(clusterings):
    result = pt.validate(SMALL, clusterings, indices=["ssw", "entropy"])
    frame = result.to_frame()
    assert frame.shape == (2, len(clusterings) + 6)
    assert frame.columns.is_unique
    assert list(frame["index"]) == ["ssw", "entropy"]
    for name, found in clusterings.items():
        assert frame[result.labels[name]][0] == pytest.approx(pt.indices.ssw(SMALL, found))
    scatter = {name: pt.indices.ssw(SMALL, found) for name, found in clusterings.items()}
    best = [name for name in scatter if math.isclose(scatter[name], min(scatter.values()), rel_tol=1e-12)]
    assert set(result.best_by("ssw")) == set(best)
    assert result.wins == {name: int(name in best) for name in clusterings}
    assert all(result.labels[name] in frame["better"][0] for name in best)
    assert frame["better"][1] == ""
    kept = {name: [found.index(x) for x in found] for name, found in clusterings.items()}
    for one in clusterings:
        for other in clusterings:
            assert (result.same[one] == result.same[other]) == (kept[one] == kept[other])
    assert isinstance(frame, pd.DataFrame)


# --- the same clustering under several names, ties, and families -------------------------------------------


def test_the_same_clustering_under_two_names_shares_the_vote():
    """Issue 15, item 8: leiden at two resolutions gave one clustering, and lost every vote to nobody."""
    km = pt.cluster.RandomSwap(3, random_state=0).fit(X).labels_
    found = {"leiden_0.2": km, "leiden_0.5": 2 - km, "other": np.arange(150) % 3}
    result = pt.validate(X, found, indices=["CH", "DBI", "silhouette", "dunn"])
    assert result.clusterings == (("leiden_0.2", "leiden_0.5"), ("other",))
    assert result.same["leiden_0.2"] == result.same["leiden_0.5"] != result.same["other"]
    values = {i: [pt.indices.find(i)(X, one) for one in found.values()] for i in ("calinski_harabasz", "DBI")}
    assert values["calinski_harabasz"][0] > values["calinski_harabasz"][2]
    assert values["DBI"][0] < values["DBI"][2]
    assert result.best_by("CH") == result.best_by("calinski_harabasz") == ("leiden_0.2", "leiden_0.5")
    assert result.wins == {"leiden_0.2": 4, "leiden_0.5": 4, "other": 0}
    assert {row["better"] for row in result.records()} == {"leiden_0.2 = leiden_0.5"}
    assert result.statement == "leiden_0.2 = leiden_0.5: better by both families (all 4 indices)"
    assert result.families == {"compactness": ("leiden_0.2", "leiden_0.5")} | {
        "separation": ("leiden_0.2", "leiden_0.5")
    }
    assert "leiden_0.2 = leiden_0.5 by 4, other by 0 of 4" in str(result)
    written = json.loads(result.write("json"))
    assert written["clusterings"] == [["leiden_0.2", "leiden_0.5"], ["other"]]
    assert written["wins"] == result.wins
    assert written["families"] == {family: list(names) for family, names in result.families.items()}
    columns = result.brief().columns
    assert [name for name in columns if name not in ("index", "symbol", "best", "direction", "better")] == [
        "leiden_0.2 = leiden_0.5",
        "other",
    ]
    assert {"leiden_0.2", "leiden_0.5", "other"} <= set(result.table().columns)
    beside_truth = pt.compare(SPECIES, found, indices=["ARI", "VI"])
    assert beside_truth.wins == {"leiden_0.2": 2, "leiden_0.5": 2, "other": 0}
    assert beside_truth["leiden_0.2"] is not beside_truth["leiden_0.5"]


def test_equal_values_of_different_clusterings_are_a_tie_and_count_for_both():
    """Mirror images: every index of scatter is equal, the clusterings are not."""
    result = pt.validate(SMALL, {"a": [0, 0, 0, 1], "b": [0, 1, 1, 1]}, indices=["ssw", "CH"])
    assert result["a"]["ssw"].value == pytest.approx(result["b"]["ssw"].value)
    assert result.same["a"] != result.same["b"]
    assert result.wins == {"a": 2, "b": 2}
    assert [row["better"] for row in result.records()] == ["tie: a, b"] * 2
    assert result.statement.startswith("a tie: a and b")
    assert not any(cell.strong for row in result.table().rows for cell in row if isinstance(cell, Cell))
    three = pt.validate(SMALL, {"a": [0, 0, 0, 1], "b": [0, 1, 1, 1], "c": TWO}, indices=["ssw"])
    assert three.best_by("ssw") == ("c",)


def test_the_statement_counts_families_not_kin():
    """Ten indices of compactness are one voice beside one of separation."""
    km = pt.cluster.RandomSwap(3, random_state=0).fit(X).labels_
    two = pt.cluster.RandomSwap(2, random_state=0).fit(X).labels_
    indices = ["ssw", "ssb", "mse", "CH", "WB", "dunn", "DBI"]
    result = pt.validate(X, {"three": km, "two": two}, indices=indices)
    judged = {row["index"]: row["better"] for row in result.records()}
    votes: dict[str, list[str]] = {}
    for index, better in judged.items():
        votes.setdefault(pt.indices.find(index).family, []).append(better)
    assert set(votes) == {"compactness", "separation"}
    most = {family: max(set(names), key=names.count) for family, names in votes.items()}
    assert {family: names[0] for family, names in result.families.items()} == most
    assert "of 2 families" in result.statement or "both families" in result.statement
    alone = pt.validate(X, {"three": km, "two": two}, indices=["ssw", "mse"])
    assert alone.statement == "three: better by both indices, which are of one family (compactness)"
    assert alone.to_dict()["statement"] == alone.statement


def test_noise_that_is_ignored_makes_no_clusterings_the_same():
    """Without its noise each has the same clusters, of other objects."""
    truth = [0, 0, 1, 1, 0, 1]
    found = {"a": [0, 0, 1, 1, -1, 1], "b": [0, 0, 1, -1, 0, 1]}
    result = pt.compare(truth, found, noise="ignore", indices=["ARI"])
    assert result["a"]["ARI"].value == result["b"]["ARI"].value == 1.0
    assert result.same["a"] != result.same["b"]
    again = pt.compare(truth, {"a": found["a"], "c": found["a"]}, noise="ignore", indices=["ARI"])
    assert again.same["a"] == again.same["c"]


def test_a_value_that_is_missing_has_its_reason_below():
    model = GaussianMixture(3, random_state=0).fit(X)
    result = pt.validate(X, {"mixture": model, "labels": SPECIES}, indices=["CH", "dunn"])
    assert "nan" not in str(result)
    one = pt.validate(SMALL, {"two": TWO, "one": [0] * 4}, indices=["CH", "ssw"])
    reason = one["one"]["CH"].caveat
    assert reason
    assert math.isnan(one["one"]["CH"].value)
    for form in (str(one), one.write("markdown").replace("\\", ""), one.write("html")):
        assert "nan [1]" in form
        assert form.count(reason) == 1
    whole = pt.validate(X, {"mixture": model, "labels": SPECIES})
    assert "needs a fitted Gaussian mixture" in str(whole)


def test_the_best_stands_out_where_letters_can_be_bold():
    result = pt.validate(SMALL, {"good": TWO, "bad": [0, 1, 0, 1]}, indices=["CH"])
    assert "\x1b[1m50\x1b[0m" in result.text(bold=True)
    assert "\x1b" not in str(result) + repr(result) + result.write("table")
    assert "<strong>50</strong>" in result.write("html")
    assert "**50**" in result.write("markdown")
