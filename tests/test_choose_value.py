"""choose_value: clusters, coverage and score of each value of a parameter, ends, failures, checkpoints."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import partita as pt
from partita.errors import FileError, ParameterError
from partita.fits import fit_scores
from partita.fits.tasks import task_seed
from partita.results.verdicts import RemarkKind
from partita.selection.sweep import Seeds
from stub_clusterer import StubClusterer

SIZE = 30
CORNERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
X = np.random.default_rng(0).normal(size=(3 * SIZE, 2)) + np.repeat(CORNERS, SIZE, axis=0)
THREE = np.repeat([0, 1, 2], SIZE)
EPS = [0.3, 0.6, 0.9, 1.2, 1.6, 2.0, 3.0, 6.0, 9.0]


def quick(method, parameter, values, data=X, **options):
    given = {"structure": False, "random_state": 0, "n_runs": 1, **options}
    return pt.choose_value(data, method, {parameter: values}, **given)


def kinds(result):
    return {remark.kind for remark in result.remarks}


class Cut:
    """Knows no get_params: cuts the first feature, its seed shifts where."""

    def __init__(self):
        self.at = 0.0
        self.random_state = None

    def fit_predict(self, X):
        return (np.asarray(X)[:, 0] > self.at).astype(int)


KNOWN = {
    "three": THREE,
    "two": np.minimum(THREE, 1),
    "turned": 2 - THREE,
    "single": np.where(np.arange(3 * SIZE) == 0, 3, THREE),
}


class Labelled(ClusterMixin, BaseEstimator):
    """Gives the labels that a name stands for; a name that it does not know is an error."""

    def __init__(self, name="three"):
        self.name = name

    def fit(self, X, y=None):
        if self.name not in KNOWN:
            raise ValueError(f"no labels are named {self.name}")
        self.labels_ = KNOWN[self.name]
        return self


# --- what is found at each value ----------------------------------------------------------------------------


def test_clusters_and_coverage_of_each_value_are_those_of_the_fits():
    found = quick(DBSCAN(min_samples=4), "eps", EPS)
    fits = [DBSCAN(eps=eps, min_samples=4).fit(X).labels_ for eps in EPS]
    assert found.ks == tuple(len(set(labels) - {-1}) for labels in fits)
    assert found.coverage == tuple(pytest.approx((labels >= 0).mean()) for labels in fits)
    assert found.parameter == "eps"
    assert found.tried == tuple(EPS)
    frame = found.to_frame().set_index("eps")
    for eps, labels in zip(EPS, fits, strict=True):
        for index in ("dbcv", "silhouette"):
            expected = pt.validate(X, labels, indices=[index])[index].value
            assert frame.loc[eps, index] == pytest.approx(expected, nan_ok=True)
    table = found.table()
    assert table.columns[:3] == ("eps", "clusters", "coverage")
    assert [row[0] for row in table.rows] == EPS
    (preferred,) = found.more()
    assert [row[0] for row in preferred.rows] == ["dbcv", "silhouette"]


def test_the_best_score_wins_and_the_middle_of_equal_values_is_chosen():
    found = pt.choose_value(X, DBSCAN(min_samples=4), {"eps": EPS}, random_state=0)
    equal = tuple(eps for eps in EPS if np.array_equal(DBSCAN(eps=eps, min_samples=4).fit(X).labels_, THREE))
    assert len(equal) == 3
    assert found.chosen.names == equal
    assert (found.value, found.k, found.strength) == (equal[1], 3, "clear")
    assert found.best == found.value
    assert found.statement.startswith(f"3 clusters (eps = {equal[0]} to {equal[2]}), clear: ")
    assert np.array_equal(found.partition.labels, THREE)
    scores = found.to_frame().set_index("eps")["score"]
    assert found.score == scores[equal[1]] == scores.max()
    assert scores[list(equal)].nunique() == 1
    assert found.votes == {f"eps = {equal[0]} to {equal[2]}": 2}
    assert RemarkKind.NOISE in kinds(found)
    assert np.array_equal(found.model.labels_, THREE)
    assert found.model.eps == found.value


def test_the_answer_is_that_of_choose_among_the_same_clusterings():
    found = quick(DBSCAN(min_samples=4), "eps", EPS)
    ready = {eps: DBSCAN(eps=eps, min_samples=4).fit(X).labels_ for eps in EPS}
    among = pt.choose(X, ready, structure=False, random_state=0)
    assert (among.k, among.strength) == (found.k, found.strength)
    assert among.score == pytest.approx(
        found.score - found.scored.best_bic
    )  # BIC is of methods that are fitted
    assert among.best in found.chosen.names
    by_name = {name: one.score for one in among.candidates for name in one.names}
    without_bic = [c.score - (c.scored.best_bic if c.scored else 0.0) for c in found.candidates]
    assert without_bic == pytest.approx([by_name[one.names[0]] for one in found.candidates], nan_ok=True)


def test_no_value_divides_the_data_where_there_is_no_structure():
    flat = np.random.default_rng(0).random((150, 2))
    found = pt.choose_value(flat, KMeans(n_init=1), {"n_clusters": [2, 3, 4]}, n_runs=1, random_state=0)
    assert (found.value, found.k, found.partition, found.strength) == (None, None, None, "no structure")
    with pytest.raises(ParameterError, match="no value was chosen"):
        _ = found.model


def test_the_old_spelling_in_choose_k_warns_and_gives_the_same():
    options = {"structure": False, "random_state": 0, "indices": ["silhouette"]}
    with pytest.warns(FutureWarning, match="use choose_value") as told:
        old = pt.choose_k(X, DBSCAN(min_samples=4), parameter="eps", values=[0.6, 2.0, 9.0], **options)
    assert told[0].filename == __file__
    new = pt.choose_value(X, DBSCAN(min_samples=4), {"eps": [0.6, 2.0, 9.0]}, **options)
    assert old.to_dict() == new.to_dict()


def test_density_methods_are_judged_by_density():
    assert "dbcv" in quick(DBSCAN(), "eps", [1.0, 2.0]).preferences
    assert "dbcv" in quick(HDBSCAN(copy=True), "min_cluster_size", [5, 20]).preferences
    assert "dbcv" not in quick(KMeans(n_init=1), "n_clusters", [2, 3]).preferences


def test_a_sweep_over_k_has_the_value_k():
    found = pt.choose_k(X, StubClusterer(), [2, 3], n_runs=1, indices=["CH"], structure=False, random_state=0)
    assert found.k in (2, 3)
    assert found.value == found.k


def test_texts_are_values_without_an_order():
    found = quick(AgglomerativeClustering(3), "linkage", ["ward", "single"], data=X[::3])
    assert "tried" not in found.statement
    assert found.value in ("ward", "single")
    named = quick(Labelled(), "name", ["two", "three", "turned"])
    assert named.chosen.names == ("three", "turned")
    assert named.chosen.label == "name = three, turned"
    assert named.value == "three"


# --- ends, failures and flaws -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "parameter", "values", "word"),
    [
        (DBSCAN(min_samples=4), "eps", [2.0, 9.0, 12.0], "smallest"),
        (DBSCAN(min_samples=4), "eps", [9.0, 12.0, 2.0, 1.6], "smallest"),
        (KMeans(n_init=2), "n_clusters", [2, 3], "largest"),
    ],
)
def test_the_most_clusters_at_an_end_of_the_values_are_not_clear(method, parameter, values, word):
    """Beyond it there may be more."""
    found = quick(method, parameter, values)
    assert (found.k, found.strength) == (3, "weak")
    end = {"smallest": min, "largest": max}[word](values)
    assert f"{parameter} = {end} is the {word} tried" in found.statement
    assert found.statement.endswith("Ask again with values beyond.")
    assert pt.indices.ARI(THREE, found.model.labels_) == 1.0


@pytest.mark.parametrize("values", [[0.4, 0.6, 2.0], [0.4, 0.6, 1.6, 2.0, 3.0], [2.0]])
def test_an_end_is_an_answer_where_more_clusters_were_tried_or_nothing_was_swept(values):
    found = quick(DBSCAN(min_samples=4), "eps", values)
    assert (found.value, found.k, found.strength) == (2.0, 3, "clear")
    assert "tried" not in found.statement


def test_values_without_any_clusters_are_told_beside_what_is_seen():
    found = quick(DBSCAN(min_samples=4), "eps", [20.0, 30.0])
    assert (found.value, found.k) == (None, None)
    assert "no candidate has two clusters; the density tree sees 3 clusters" in found.statement


def test_values_that_fail_are_told_and_the_others_judged():
    found = quick(Labelled(), "name", ["two", "none", "three"])
    assert found.value == "three"
    assert found.ks == (2, None, 3)
    assert np.isnan(found.coverage[1])
    assert any("1 of 3 fits failed" in note for note in found.notes)
    with pytest.raises(ParameterError):
        found.model_at("none")
    with pytest.raises(ParameterError) as problem:
        quick(Labelled(), "name", ["none", "nothing"])
    assert "no fit succeeded" in str(problem.value)


def test_a_single_object_as_cluster_does_not_win():
    found = quick(Labelled(), "name", ["two", "single"], indices=["silhouette", "calinski_harabasz"])
    assert found.candidates[1].flaw
    assert found.value != "single"
    assert RemarkKind.TINY_CLUSTERS in kinds(found)


def test_a_collapsed_mixture_does_not_win():
    data = np.vstack([X, np.full((8, 2), 20.0)])
    found = quick(GaussianMixture(4, reg_covar=1e-9), "covariance_type", ["full", "tied"], data=data)
    assert "floor" in found.candidates[0].flaw
    assert found.candidates[0].values["bic"] < found.candidates[1].values["bic"]
    assert found.preferences["bic"].label is None  # nothing sound is left to compare with


def test_models_with_one_clustering_are_judged_by_their_own_likelihoods():
    found = quick(GaussianMixture(3), "covariance_type", ["full", "spherical"])
    assert len(found.candidates) == 2
    for candidate in found.candidates:
        seed = found.seeds[found.tried.index(candidate.names[0])]
        model = GaussianMixture(3, covariance_type=candidate.names[0], random_state=seed).fit(X)
        assert candidate.values["bic"] == pytest.approx(model.bic(X))


# --- runs, seeds, objects of any library ----------------------------------------------------------------


def test_the_run_with_the_best_objective_speaks_for_a_value():
    found = quick(KMeans(init="random", n_init=1, max_iter=2), "n_clusters", [3, 5, 8], n_runs=4)
    for place, value in enumerate(found.tried):
        seeds = [task_seed(0, Seeds.ON_DATA, place, run) for run in range(4)]
        fits = [
            KMeans(value, init="random", n_init=1, max_iter=2, random_state=seed).fit(X) for seed in seeds
        ]
        sound = [fit for fit in fits if np.bincount(fit.labels_).min() > 1]
        best = min(sound or fits, key=lambda fit: fit.inertia_)
        assert found.seeds[place] == best.random_state
        assert np.array_equal(found.model_at(value).labels_, best.labels_)


def test_any_object_with_fit_predict_is_swept():
    found = quick(Cut(), "at", [-50.0, 4.5, 50.0])
    assert found.ks == (1, 2, 1)
    assert found.candidates[0].names == (-50.0, 50.0)
    assert found.candidates[0].label == "at = -50.0, 50.0"


def test_a_pipeline_is_judged_where_its_last_step_clusters_all_values():
    raw = X * [1.0, 1000.0]
    method = make_pipeline(StandardScaler(), DBSCAN(min_samples=4))
    found = quick(method, "dbscan__eps", [0.2, 0.5, 3.0], data=raw)
    scaled = StandardScaler().fit_transform(raw)
    labels = DBSCAN(eps=0.5, min_samples=4).fit(scaled).labels_
    expected = pt.validate(scaled, labels, indices=["silhouette"])["silhouette"].value
    assert found.to_frame().set_index("dbscan__eps").loc[0.5, "silhouette"] == pytest.approx(expected)
    assert RemarkKind.SCALE not in kinds(found)
    changing = quick(method, "standardscaler__with_std", [True, False], data=raw)
    assert any("evaluated in the space of X" in note for note in changing.notes)


def test_scaled_sweeps_give_models_that_scale():
    raw = X * [1.0, 1000.0]
    found = quick(DBSCAN(min_samples=4), "eps", [0.2, 0.5, 3.0], data=raw, scale="standard")
    assert found.value == 0.5
    assert [name for name, _ in found.model.steps] == ["scale", "cluster"]
    assert RemarkKind.SCALE not in kinds(found)
    assert RemarkKind.SCALE in kinds(quick(DBSCAN(), "eps", [100.0, 500.0], data=raw))


def test_a_truth_is_compared_with_and_has_no_vote():
    found = quick(DBSCAN(min_samples=4), "eps", [0.6, 2.0, 9.0], truth=THREE)
    assert found.preferences["adjusted_rand"].label == "eps = 2.0"
    assert not found.preferences["adjusted_rand"].votes
    assert found.to_frame()["adjusted_rand"][1] == 1.0


def test_workers_and_checkpoints_change_nothing(tmp_path):
    method, values = StubClusterer(n_clusters=3), [0.0, 0.2, 0.4]
    plain = quick(method, "spread", values, n_runs=2)
    kept = quick(method, "spread", values, n_runs=2, checkpoint=tmp_path)
    written = sorted(p.name for p in tmp_path.iterdir())
    assert "value00000-run00000.json" in written
    again = quick(method, "spread", values, n_runs=2, checkpoint=tmp_path, n_jobs=2)
    texts = {json.dumps(result.to_dict()) for result in (plain, kept, again)}
    assert len(texts) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == written
    with pytest.raises(FileError):
        quick(method, "spread", [0.0, 0.3], n_runs=2, checkpoint=tmp_path)


def test_a_checkpoint_is_read_and_not_computed_again(tmp_path, monkeypatch):
    first = quick(Labelled(), "name", ["two", "three"], checkpoint=tmp_path)

    def refuse(*_):
        raise AssertionError("it was fitted again")

    with monkeypatch.context() as patched:
        patched.setattr(fit_scores, "clustering_by", refuse)
        again = quick(Labelled(), "name", ["two", "three"], checkpoint=tmp_path)
        with pytest.raises(AssertionError):
            quick(Labelled(), "name", ["two", "three"])
    assert again.to_dict() == first.to_dict()


# --- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "options", "parameter"),
    [
        ({"epsilon": [1]}, {}, "parameter"),
        ({"eps": []}, {}, "values"),
        ({"eps": [None, 0.3]}, {}, "values"),
        ({"eps": [float("nan"), 0.3]}, {}, "values"),
        ({"eps": "0.3"}, {}, "values"),
        ({"eps": 0.3}, {}, "values"),
        ({"eps": [0.3], "min_samples": [2]}, {}, "values"),
        ({}, {}, "values"),
        ([("eps", [0.3])], {}, "values"),
        ({"eps": [0.3]}, {"indices": ["gap"]}, "indices"),
        ({"eps": [0.3]}, {"n_jobs": 0}, "n_jobs"),
        ({"eps": [0.3]}, {"n_runs": 0}, "n_runs"),
        ({"eps": [0.3]}, {"space": "other"}, "space"),
        ({"eps": [0.3]}, {"structure": "yes"}, "structure"),
        ({"eps": [0.3]}, {"estimator": DBSCAN}, "estimator"),
    ],
    ids=str,
)
def test_bad_input_is_refused(values, options, parameter):
    given = {"estimator": DBSCAN(), **options}
    with pytest.raises(ParameterError) as problem:
        pt.choose_value(X, values=values, **given)
    assert problem.value.parameter == parameter


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"parameter": "eps"}, "parameter"),
        ({"values": [1, 2]}, "values"),
        ({"parameter": "eps", "values": [0.3], "ks": [2, 3]}, "ks"),
        ({"parameter": "eps", "values": [0.3], "consensus": ["ARI"]}, "consensus"),
        ({"parameter": "eps", "values": [0.3], "rules": {"CH": "best"}}, "rules"),
        ({"parameter": "eps", "values": [0.3], "pool": "mean"}, "pool"),
        ({"parameter": "eps", "values": [0.3], "search": "stepwise"}, "search"),
        ({"parameter": "eps", "values": [0.3], "covariance_type": ["full"]}, "covariance_type"),
    ],
)
def test_what_does_not_go_together_in_the_old_spelling_is_refused(options, parameter):
    with pytest.raises(ParameterError) as problem:
        pt.choose_k(X, DBSCAN(), **options)
    assert problem.value.parameter == parameter


def test_curves_of_a_group_are_left_out_with_the_reason():
    found = quick(DBSCAN(min_samples=4), "eps", [0.6, 2.0, 9.0], indices="franti2017")
    assert any("left out: jump (a curve over numbers of clusters)" in note for note in found.notes)
    assert "jump" not in found.preferences
