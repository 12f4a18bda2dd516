"""Stability cluster by cluster, of soft clusterings, in scaled data, and over any parameter of any method."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import partita as pt
from partita.cluster import EvidentialCMeans, FuzzyCMeans, PossibilisticCMeans, RandomSwap, RoughKMeans
from partita.errors import FileError, ParameterError
from partita.evaluation import HARDENED
from partita.fits.perturbed import best_jaccards
from partita.registry import CaveatKind, find
from partita.resampling import Bootstrap, Noise, Subsample
from partita.results.verdicts import RemarkKind
from reference import recovery

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)


class Cells:
    """A method without get_params or fit: groups by whole cells of the first feature; the rest is noise."""

    def __init__(self, width=3.0, room=None):
        self.width = width
        self.room = room

    def fit_predict(self, X):
        cells = np.floor(X[:, 0] / self.width).astype(int)
        return np.where(np.abs(X[:, 0]) > 11, -1, cells - cells.min())


class Tall:
    """Fits and keeps labels, but knows neither get_params nor fit_predict."""

    def __init__(self):
        self.height = 1.0

    def fit(self, X):
        self.labels_ = (X[:, 1] > self.height).astype(int)


# --- cluster by cluster -----------------------------------------------------------------------------------


@given(st.data(), st.integers(1, 25))
def test_jaccards_are_those_of_the_definition(data, n):
    whole = data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    whole[0] = 3
    objects = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1)))
    found = data.draw(st.lists(st.integers(-1, 4), min_size=len(objects), max_size=len(objects)))
    made = best_jaccards(np.array(whole)[objects], np.array(found), 4)
    assert made == pytest.approx(recovery.best_jaccards(whole, objects, found), nan_ok=True)


@pytest.mark.parametrize("scheme", [Subsample(0.4), Bootstrap()], ids=repr)
def test_every_cluster_is_compared_by_the_definition(scheme):
    method = AgglomerativeClustering()
    found = pt.stability(X, method, [2, 5], scheme=scheme, n_repeats=4, random_state=3)
    frame = found.by_cluster.to_frame()
    assert list(frame.columns) == ["k", "cluster", "size", "jaccard", "recovered", "dissolved", "compared"]
    for k in (2, 5):
        whole = AgglomerativeClustering(k).fit(X).labels_
        values = []
        for repeat in (r for r in found.repeats if r.k == k):
            drawn = scheme.draw(X, 0.0, np.random.default_rng(repeat.seed))
            labels = AgglomerativeClustering(k).fit(drawn.X).labels_
            once = {int(row): int(label) for row, label in zip(drawn.rows, labels, strict=True)}
            values.append(recovery.best_jaccards(whole.tolist(), list(once), list(once.values())))
        columns = np.array(values).T
        rows = frame[frame.k == k]
        for j, row in enumerate(rows.itertuples()):
            seen = [v for v in columns[j] if not math.isnan(v)]
            assert row.size == (whole == j).sum()
            assert row.jaccard == pytest.approx(np.mean(seen))
            assert row.recovered == sum(v > 0.75 for v in seen)
            assert row.dissolved == sum(v <= 0.5 for v in seen)
            assert row.compared == len(seen)
        assert found.weakest(k) == pytest.approx(rows.jaccard.min())


def test_the_table_of_clusters_is_that_of_the_chosen_k():
    found = pt.stability(X, ks=[2, 3, 4, 5], n_repeats=3, random_state=0)
    assert found.k == 3
    assert {row[0] for row in found.by_cluster.table().rows} == {3}
    assert "jaccard" in str(found.by_cluster)
    none = pt.stability(X[:30], ks=[4, 5], n_repeats=3, random_state=0)
    assert (none.k, none.strength) == (None, "no structure")
    assert {row[0] for row in none.by_cluster.table().rows} == {4, 5}
    assert json.loads(found.by_cluster.write("json"))["rows"]


def test_a_cluster_that_no_draw_has_is_not_compared():
    data = np.r_[X, [[500.0, 500.0]]]
    found = pt.stability(data, AgglomerativeClustering(), [4], n_repeats=3, random_state=0)
    single = next(c for c in found.clusters if c.size == 1)
    drawn = [
        (Subsample().draw(data, 0.0, np.random.default_rng(r.seed)).rows == 90).any() for r in found.repeats
    ]
    assert single.compared == sum(drawn) < 3
    assert math.isnan(single.jaccard) == (not any(drawn))


def test_a_cluster_of_one_object_is_told():
    data = np.r_[X, [[50.0, 50.0]]]
    found = pt.stability(
        data, AgglomerativeClustering(), [3, 4, 5, 6], scheme=Noise(0.2), n_repeats=10, random_state=0
    )
    assert (found.k, found.strength) == (4, "weak")
    assert [r.kind for r in found.remarks] == [RemarkKind.TINY_CLUSTERS]


# --- soft clusterings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "indices"),
    [
        (FuzzyCMeans(), ("centroid_index", "frobenius_adjusted_rand")),
        (RoughKMeans(), ("centroid_index", "adjusted_rand", "credal_rand")),
        (EvidentialCMeans(), ("centroid_index", "adjusted_rand", "credal_rand")),
        (PossibilisticCMeans(), ("centroid_index", "adjusted_rand")),
        (RandomSwap(), ("centroid_index", "adjusted_rand")),
    ],
)
def test_soft_clusterings_are_compared_by_what_they_score_best_in_against_themselves(method, indices):
    found = pt.stability(X, method, [3], n_repeats=2, random_state=0)
    assert found.indices == indices
    kind = pt.as_partition(method.set_params(n_clusters=3, random_state=0).fit(X)).kind
    for index in indices:
        said = {caveat.kind for caveat in found.caveats.get(index, ())}
        on_hardened = found.to_frame().query("index == @index").caveat.str.contains(HARDENED.text).all()
        assert on_hardened == (said == {CaveatKind.HARDENED})
        is_best_against_itself = find(index).status("reflexive", kind) == "claimed"
        assert on_hardened or is_best_against_itself or index == "centroid_index"


def test_fuzziness_is_no_instability():
    """The fuzzier the memberships, the lower ARI of a clustering with itself; not by the usual index."""
    for m in (1.5, 3.0):
        method = FuzzyCMeans(m=m)
        usual = pt.stability(X, method, [2, 3, 4], n_repeats=10, random_state=0)
        assert usual.values("frobenius_adjusted_rand", 3).mean() > 0.97
        assert usual.k == 3
    asked = pt.stability(X, method, [3], n_repeats=2, indices=["CI", "ARI"], random_state=0)
    assert asked.values("ARI", 3).max() < 0.5
    assert [c.kind for c in asked.caveats["adjusted_rand"]] == [CaveatKind.NOT_REFLEXIVE]
    assert "centroid_index" not in asked.caveats
    assert any("does not score best against itself" in note for note in asked.notes)


def test_a_checkpoint_tells_usual_indices_from_named_ones(tmp_path):
    options = {"ks": [2, 3], "n_repeats": 2, "random_state": 0, "checkpoint": tmp_path / "c"}
    usual = pt.stability(X, FuzzyCMeans(), **options)
    named = pt.stability(X, FuzzyCMeans(), indices=["CI", "ARI"], **options)
    assert named.indices == ("centroid_index", "adjusted_rand")
    again = pt.stability(X, FuzzyCMeans(), **options)
    pd.testing.assert_frame_equal(usual.to_frame(), again.to_frame(), check_exact=True)
    pd.testing.assert_frame_equal(usual.by_cluster.to_frame(), again.by_cluster.to_frame(), check_exact=True)


# --- scale ------------------------------------------------------------------------------------------------


def test_scale_is_applied_recorded_and_its_lack_is_told(tmp_path):
    units = pd.DataFrame(X * [1.0, 1000.0], columns=["share", "euros"])
    raw = pt.stability(units, ks=[2, 3, 4], n_repeats=10, random_state=0)
    (remark,) = [r for r in raw.remarks if r.kind is RemarkKind.SCALE]
    assert "euros" in remark.text
    assert raw.strength != "clear"
    for scale in ("standard", "robust"):
        found = pt.stability(units, ks=[2, 3, 4], n_repeats=10, random_state=0, scale=scale)
        assert (found.k, found.strength, found.remarks) == (3, "clear", ())
        assert found.provenance["scale"] == scale
    by_hand = pt.stability(StandardScaler().fit_transform(units), ks=[2, 3], n_repeats=2, random_state=0)
    same = pt.stability(units, ks=[2, 3], n_repeats=2, random_state=0, scale="standard")
    pd.testing.assert_frame_equal(by_hand.to_frame(), same.to_frame(), check_exact=True)
    piped = make_pipeline(StandardScaler(), RandomSwap())
    by_itself = pt.stability(units, piped, [2, 3, 4], n_repeats=2, random_state=0)
    assert not any(r.kind is RemarkKind.SCALE for r in by_itself.remarks)
    with pytest.raises(ParameterError, match="no such scale"):
        pt.stability(units, scale="minmax")
    options = {"ks": [2], "n_repeats": 2, "random_state": 0, "checkpoint": tmp_path / "c"}
    pt.stability(units, **options)
    with pytest.raises(FileError) as refused:
        pt.stability(units, scale="robust", **options)
    assert refused.value.got == "other data, scale"


# --- any parameter ----------------------------------------------------------------------------------------


def test_a_density_method_over_eps():
    found = pt.stability(
        X,
        DBSCAN(),
        parameter="eps",
        values=[0.1, 1.0, 2.0, 3.0, 20.0],
        scheme=Bootstrap(),
        n_repeats=10,
        random_state=0,
    )
    for place, eps in enumerate(found.tried):
        labels = DBSCAN(eps=eps).fit(X).labels_
        assert found.ks[place] == len(set(labels) - {-1})
        assert found.coverage[place] == (labels >= 0).mean()
    assert (found.k, found.strength) == (3, "clear")
    assert found.value in (2.0, 3.0)
    assert found.statement.startswith(
        f"eps = {found.value} (3 clusters), clear: all 10 bootstrap samples give"
    )
    assert {row[0] for row in found.by_cluster.table().rows} == {found.value}
    assert found.table().columns[:3] == ("eps", "k", "coverage")
    frame = found.to_frame()
    assert list(frame.columns) == ["eps", "k", "repeat", "seed", "index", "value", "caveat"]
    assert frame.eps.unique().tolist() == [0.1, 1.0, 2.0, 3.0, 20.0]
    assert len(found.values("ARI", 2.0)) == 10
    with pytest.raises(ParameterError, match=r"eps = 0\.7"):
        found.values("ARI", 0.7)
    held = json.loads(found.write("json"))
    assert (held["value"], held["provenance"]["parameter"]) == (found.value, "eps")


def test_noise_is_told_with_the_share_of_objects():
    found = pt.stability(X, DBSCAN(min_samples=4), parameter="eps", values=[0.2, 1.2, 30.0], n_repeats=3,
                         scheme=Bootstrap(), indices="ARI", threshold=0.5, random_state=0)  # fmt: skip
    assert found.k == 3
    (remark,) = [r for r in found.remarks if r.kind is RemarkKind.NOISE]
    assert f"{1 - found.coverage[1]:.1%}" in remark.text


def test_the_most_clusters_at_the_end_of_the_list_are_a_weak_answer():
    for values in ([2.0, 20.0], [20.0, 2.0], [2.0, 2.5]):
        found = pt.stability(X, DBSCAN(), parameter="eps", values=values, scheme=Bootstrap(), n_repeats=3,
                             random_state=0)  # fmt: skip
        assert (found.k, found.value, found.strength) == (3, values[values.index(2.0)], "weak")
        assert [r.kind for r in found.remarks] == [RemarkKind.END_OF_RANGE]
        assert found.statement.startswith("eps = 2.0 (3 clusters), weak: no more were tried; ")
        assert found.statement.endswith("Try other values.")


@pytest.mark.parametrize(
    ("method", "parameter", "values"),
    [
        (Cells(), "width", [2.0, 5.0, 30.0]),
        (Tall(), "height", [4.0, 5.0, 50.0]),
        (Cells(), "room", [None, "a"]),
    ],
)
@pytest.mark.parametrize("strategy", ["cross-validation", "transfer"])
def test_plain_objects_are_copied_and_set(method, parameter, values, strategy):
    before = dict(vars(method))
    found = pt.stability(
        X, method, parameter=parameter, values=values, n_repeats=2, strategy=strategy, random_state=0
    )
    assert vars(method) == before
    assert not any(r.failed for r in found.repeats)
    assert [len(found.values("ARI", value)) for value in values] == [2] * len(values)
    assert str(found)


def test_the_number_of_clusters_may_be_listed_as_a_parameter():
    listed = pt.stability(
        X, AgglomerativeClustering(), parameter="n_clusters", values=np.array([4, 3, 2, 3]), n_repeats=10,
        random_state=0,
    )  # fmt: skip
    assert listed.tried == listed.ks == (4, 3, 2)
    assert listed.k == listed.value == 3
    assert type(listed.value) is int


def test_values_go_on_from_a_checkpoint_and_others_are_refused(tmp_path):
    options = {"parameter": "eps", "n_repeats": 2, "random_state": 0, "checkpoint": tmp_path / "c"}
    first = pt.stability(X, DBSCAN(), values=[1.0, 2.0], **options)
    again = pt.stability(X, DBSCAN(), values=[1.0, 2.0], **options)
    pd.testing.assert_frame_equal(first.to_frame(), again.to_frame(), check_exact=True)
    with pytest.raises(FileError) as refused:
        pt.stability(X, DBSCAN(), values=[1.0, 2.5], **options)
    assert refused.value.got == "other values"


@pytest.mark.parametrize(
    "options",
    [
        {"parameter": "eps"},
        {"values": [1.0]},
        {"parameter": "epsilon", "values": [1.0]},
        {"parameter": 3, "values": [1.0]},
        {"parameter": "eps", "values": []},
        {"parameter": "eps", "values": 1.0},
        {"parameter": "eps", "values": "ab"},
        {"parameter": "eps", "values": [1.0], "ks": [2, 3]},
        {"parameter": "eps", "values": [1.0], "k_param": "eps"},
        {"parameter": "eps", "values": [1.0], "estimator": DBSCAN},
        {"parameter": "eps", "values": [1.0], "estimator": "DBSCAN"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(options):
    with pytest.raises(ParameterError) as refused:
        pt.stability(X, **{"estimator": DBSCAN(), **options})
    assert refused.value.got
    assert refused.value.need


def test_if_no_value_can_be_fitted_it_is_an_error():
    with pytest.raises(ParameterError, match="no fit succeeded"):
        pt.stability(X, DBSCAN(), parameter="eps", values=[-1.0], n_repeats=2, random_state=0)
