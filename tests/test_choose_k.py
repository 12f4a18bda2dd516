"""choose_k: the answer and its model, every value of every run, choices of indices, what papers say."""

from __future__ import annotations

import json
import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import partita as pt
from partita.cluster import FuzzyCMeans, GaussianMixtureEM, RandomSwap
from partita.errors import ParameterError, UnknownNameError
from partita.fits.tasks import task_seed
from partita.registry.rules import Verdict
from partita.resampling import uniform_like
from partita.selection import Choice, ChoiceOfK
from partita.selection.sweep import Seeds
from shared_data import features, frame

IRIS, SPECIES = load_iris(return_X_y=True)

choose_k = partial(pt.choose_k, structure=False)
"""Without the test of structure, which test_structure and test_verdict are about."""


def clouds(n_clusters=3, size=40, apart=9.0, seed=0):
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(n_clusters) / n_clusters
    centres = apart * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.repeat(centres, size, axis=0) + rng.normal(size=(n_clusters * size, 2))


class Noisy(ClusterMixin, BaseEstimator):
    """Labels by chance; the objective is a number that its seed decides, and has nothing to do with them."""

    def __init__(self, groups=2, random_state=None, tells_objective=True):
        self.groups = groups
        self.random_state = random_state
        self.tells_objective = tells_objective

    def fit(self, X, y=None):
        rng = np.random.default_rng(self.random_state)
        self.labels_ = np.concatenate(
            [np.arange(self.groups), rng.integers(self.groups, size=len(X) - self.groups)]
        )
        if self.tells_objective:
            self.inertia_ = float(rng.random())
        return self


def same(one, other):
    """The same clusters, whatever they are called."""
    return pt.indices.ARI(one, other) == 1.0


# --- the answer -----------------------------------------------------------------------------------------


def test_every_data_set_has_clusters_unless_there_is_no_structure():
    """The best guess, however uncertain, is handed over."""
    ring = np.random.default_rng(0).normal(size=(80, 2))
    ring /= np.linalg.norm(ring, axis=1, keepdims=True)
    touching = clouds(3, apart=2.0)
    for X in (ring, touching, clouds()):
        choice = choose_k(X)
        assert choice.strength != "no structure"
        assert choice.k == choice.partition.n_clusters == choice.scored.k
        assert choice.partition.n_objects == len(X)
        assert choice.score == choice.scored.score
        assert choice.answer.value == choice.k
    flat = np.random.default_rng(0).random((150, 2))
    nothing = pt.choose_k(flat, random_state=0)
    assert (nothing.strength, nothing.k, nothing.partition, nothing.scored) == ("no structure",) + (None,) * 3
    assert math.isnan(nothing.score)
    assert nothing.statement.startswith("No structure: ")
    assert nothing.structure.verdict == "no structure"
    with pytest.raises(ParameterError, match="no clusters were found"):
        nothing.model  # noqa: B018


@pytest.mark.parametrize("estimator", [None, KMeans(n_init=2), GaussianMixtureEM()], ids=str)
def test_the_parts_of_the_score_are_there_and_no_share(estimator):
    choice = choose_k(clouds(), estimator, range(1, 6), n_runs=2, random_state=0)
    best = choice.scored
    assert choice.score == best.lasting + best.agreement + best.best_bic > 1.6
    assert choice.strength == "clear"
    assert same(np.repeat([0, 1, 2], 40), choice.partition)
    assert "%" not in choice.answer.paragraph
    (row,) = (row for row in choice.table().rows if row[-1] == "answer")
    assert (row[0], float(row[2].value)) == (3, choice.score)


def test_an_estimator_is_scored_as_any_other_and_better_clusters_are_named():
    """k-means cuts two long stripes across, which density trees and mixtures see."""
    rng = np.random.default_rng(0)
    heights = np.repeat([0.0, 4.0], 120) + 0.4 * rng.normal(size=240)
    stripes = np.column_stack([rng.uniform(0, 16, 240), heights])
    truth = np.repeat([0, 1], 120)
    own = choose_k(stripes)
    assert own.k == 2
    assert own.strength in ("clear", "weak")
    assert same(truth, own.partition)
    named = choose_k(stripes, KMeans(n_init=2), range(1, 6), n_runs=1, random_state=0)
    assert named.strength not in ("clear", "weak")
    assert "sees 2 clusters, which are better supported" in named.statement
    assert same(truth, named.alternatives[0].labels)


def test_the_range_of_an_estimator_goes_on_while_the_best_is_its_end():
    centres = np.array([[12.0 * i, 12.0 * j] for i in range(4) for j in range(3)])
    X = np.repeat(centres, 10, axis=0) + np.random.default_rng(0).normal(size=(120, 2))
    choice = choose_k(X, AgglomerativeClustering(), indices="CH")
    assert choice.ks == tuple(range(1, 21))
    assert (choice.k, choice.strength) == (12, "clear")
    asked = choose_k(X, AgglomerativeClustering(), range(2, 11), indices="CH")
    assert asked.ks == tuple(range(2, 11))
    assert (asked.k, asked.strength) == (10, "contested")
    assert "the density tree sees 12 clusters, which are better supported" in asked.statement
    assert "the largest number tried" in asked.statement
    assert not asked["CH"].votes
    assert asked.votes == {}


def test_only_the_numbers_that_are_asked_for_may_be_the_answer():
    assert choose_k(clouds(), ks=[2, 5]).k in (2, 5)
    assert [choose_k(clouds(), ks=[k]).k for k in (2, 3, 4)] == [2, 3, 4]


def test_the_model_of_the_own_answer_finds_its_clusters_again():
    for X in (clouds(), clouds() * [1.0, 1e3]):
        choice = choose_k(X)
        assert same(choice.model.fit_predict(X), choice.partition)
        assert choice.model is choice.model
        assert same(choice.model_at(2).fit_predict(X), choice.partitions[2])
        scaled = choose_k(X, scale="standard")
        assert same(scaled.model.fit_predict(X), scaled.partition)


def test_distances_go_to_the_estimator_as_they_are():
    X = clouds()
    D = np.linalg.norm(X[:, None] - X, axis=2)
    method = AgglomerativeClustering(metric="precomputed", linkage="average")
    choice = choose_k(D, method, range(1, 6), metric="precomputed")
    assert (choice.k, choice.strength) == (3, "weak")
    assert list(choice.choices) == ["silhouette:metric=precomputed"]
    assert choice.title.startswith("120 objects, distances: AgglomerativeClustering, ")
    with pytest.raises(ParameterError, match="no such metric"):
        choose_k(D, metric="no such")


@pytest.mark.parametrize("estimator", [None, RandomSwap()], ids=["own", "swap"])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 8])
def test_few_objects_have_an_answer_or_the_reason_why_not(n, estimator):
    choice = choose_k(clouds()[:: 120 // n][:n], estimator, n_runs=1, random_state=0)
    if n < 8:
        assert choice.k is None
        assert choice.statement == (
            f"No clusters can be seen: {n} object{' is' if n == 1 else 's are'} too few; 8 are needed."
        )
    assert str(choice)


def test_equal_objects_are_not_divided():
    for estimator in (None, RandomSwap()):
        choice = pt.choose_k(np.full((30, 2), 3.0), estimator, n_runs=1, random_state=0)
        assert (choice.k, choice.strength) == (None, "no structure")
        assert choice.statement.startswith("No clusters were found")


def test_one_object_far_away_is_no_cluster():
    choice = choose_k(np.vstack([clouds(), [[1e7, -1e7]]]))
    assert choice.k == 3
    assert same(np.repeat([0, 1, 2], 40), choice.partition.labels[:-1])


# --- every value of every run ---------------------------------------------------------------------------


def test_every_value_is_that_of_a_fit_with_the_seed_it_tells():
    choice = choose_k(
        IRIS,
        KMeans(n_init=1),
        [2, 3],
        n_runs=2,
        indices=["calinski_harabasz", "silhouette", "ARI"],
        truth=SPECIES,
        random_state=5,
    )
    table = choice.to_frame()
    assert list(table.columns) == ["k", "run", "seed", "index", "value", "caveat"]
    assert len(table) == 2 * 2 * 3
    for (k, seed), rows in table.groupby(["k", "seed"]):
        labels = KMeans(k, n_init=1, random_state=seed).fit(IRIS).labels_
        values = dict(zip(rows["index"], rows["value"], strict=True))
        assert values["calinski_harabasz"] == pytest.approx(pt.indices.CH(IRIS, labels), rel=1e-9)
        if seed == choice.fit_at(k).seed:  # what looks at pairs of objects judges the run that speaks
            assert values["silhouette"] == pytest.approx(pt.indices.silhouette(IRIS, labels), rel=1e-9)
        else:
            assert math.isnan(values["silhouette"])
        assert values["adjusted_rand"] == pytest.approx(pt.indices.ARI(SPECIES, labels), rel=1e-9)


@pytest.mark.parametrize("pool", ["objective", "index"])
@pytest.mark.parametrize("tells_objective", [True, False])
def test_which_run_speaks_for_a_k(pool, tells_objective):
    X = clouds()
    choice = choose_k(
        X,
        Noisy(tells_objective=tells_objective),
        [2, 3, 4],
        n_runs=6,
        indices=["CH", "DBI"],
        pool=pool,
        k_param="groups",
        random_state=0,
    )
    for i, k in enumerate(choice.ks):
        runs = [fit for fit in choice.fits if fit.k == k]
        for index, choose in (("calinski_harabasz", max), ("davies_bouldin", min)):
            if pool == "objective" and tells_objective:
                expected = min(runs, key=lambda fit: fit.objective).values[index]
            else:
                expected = choose(fit.values[index] for fit in runs)
            assert choice.curves[index].values[i] == expected


def test_the_chosen_fit_of_a_method_is_there_and_is_the_one_that_was_judged():
    choice = choose_k(clouds(), RandomSwap(), range(1, 6), n_runs=3, random_state=1)
    assert choice.k == 3
    best = min((f for f in choice.fits if f.k == 3), key=lambda fit: fit.objective)
    assert choice.model.objective_ == best.objective
    assert choice.model is choice.model
    np.testing.assert_array_equal(choice.model.labels_, choice.partition.labels)
    assert choice.model_at(2).n_clusters == 2
    with pytest.raises(ParameterError, match="no fit with k = 9"):
        choice.model_at(9)


def test_the_number_of_workers_changes_nothing():
    options = {
        "ks": [1, 2, 3],
        "n_runs": 2,
        "indices": ["BIC", "silhouette", "gap"],
        "n_null": 3,
        "random_state": 0,
    }
    alone, together = (
        choose_k(clouds(size=20), GaussianMixtureEM(), n_jobs=jobs, **options) for jobs in (1, 2)
    )
    pd.testing.assert_frame_equal(alone.to_frame(), together.to_frame(), check_exact=True)
    assert str(alone) == str(together)


def test_a_value_does_not_depend_on_what_else_was_tried():
    few = choose_k(IRIS, ks=[2, 4], n_runs=2, indices="CH", random_state=3).to_frame()
    many = choose_k(IRIS, ks=range(1, 6), n_runs=3, indices=["DBI", "CH"], random_state=3).to_frame()
    kept = many[many["k"].isin([2, 4]) & (many["run"] < 2) & (many["index"] == "calinski_harabasz")]
    pd.testing.assert_frame_equal(few, kept.reset_index(drop=True), check_exact=True)


# --- any clusterer --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [
        None,
        KMeans(n_init=1),
        GaussianMixture(),
        AgglomerativeClustering(),
        make_pipeline(StandardScaler(), KMeans(n_init=1)),
        make_pipeline(StandardScaler(), GaussianMixtureEM()),
        FuzzyCMeans(),
        pt.cluster.RoughKMeans(),
        pt.cluster.EvidentialCMeans(delta=None),  # with it, a third cloud is noise for two clusters
    ],
    ids=lambda e: "none" if e is None else type(e[-1] if hasattr(e, "steps") else e).__name__,
)
def test_any_clusterer_finds_three_clouds(estimator):
    choice = choose_k(
        clouds(), estimator, range(2, 6), n_runs=2, indices=["silhouette", "CH"], random_state=0
    )
    assert choice.k == 3
    assert choice.votes == {3: 1}  # both are of one family


def test_a_method_without_chance_runs_once():
    choice = choose_k(clouds(), AgglomerativeClustering(), [2, 3], n_runs=10, indices="CH")
    assert [fit.run for fit in choice.fits] == [0, 0]
    assert "one run each" in choice.title


def test_soft_clusterings_are_judged_soft_where_an_index_can():
    choice = choose_k(
        IRIS,
        FuzzyCMeans(),
        [2, 3],
        n_runs=1,
        indices=["PC", "silhouette", "VI", "AMI"],
        truth=SPECIES,
        random_state=0,
    )
    rows = choice.to_frame().set_index(["k", "index"])
    model = FuzzyCMeans(3, random_state=choice.to_frame()["seed"].iloc[-1]).fit(IRIS)
    assert rows.loc[(3, "partition_coefficient"), "value"] == pytest.approx(pt.indices.PC(model.partition_))
    assert rows.loc[(3, "variation_of_information"), "value"] == pytest.approx(
        pt.indices.VI(SPECIES, model.partition_)
    )
    for hard_only in ("silhouette", "adjusted_mutual_information"):
        assert "on hardened labels" in rows.loc[(3, hard_only), "caveat"]
    assert "on hardened labels" not in rows.loc[(3, "variation_of_information"), "caveat"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_frames_out(library):
    import polars as pl

    columns = {"x": clouds()[:, 0], "y": clouds()[:, 1]}
    X = pd.DataFrame(columns) if library == "pandas" else pl.DataFrame(columns)
    table = choose_k(X, ks=[2, 3], n_runs=1, indices="CH", random_state=0).to_frame()
    assert type(table).__module__.startswith(library)


def test_fits_that_fail_are_told_and_do_not_end_the_sweep():
    X = clouds(size=4)  # 12 objects
    choice = choose_k(X, Picky(), range(2, 7), n_runs=2, indices=["CH"], random_state=0)
    assert choice.k == 3
    assert any("4 of 10 fits failed: ValueError: no more than 4" in note for note in choice.notes)
    with pytest.raises(ParameterError, match="no fit succeeded"):
        choose_k(X, Picky(), [5, 6], indices=["CH"])


class Picky(RandomSwap):
    def _solve(self, X, rng, index):
        if self.n_clusters > 4:
            raise ValueError("no more than 4")
        super()._solve(X, rng, index)


# --- choices and votes ----------------------------------------------------------------------------------


def made_choice(families: dict[str, dict[str, int | None]], **no_vote: str) -> ChoiceOfK:
    choices = {
        name: Choice(name, "best", Verdict(k, "because"), family, no_vote.get(name, ""))
        for family, chosen in families.items()
        for name, k in chosen.items()
    }
    return ChoiceOfK(ks=(1, 2, 3, 4), choices=choices)


def test_each_family_has_one_vote_which_its_indices_share():
    made = made_choice({"one": {"a": 3, "b": 2}, "two": {"c": 3, "d": None}, "three": {"e": None}})
    assert list(made.votes.items()) == [(3, 1.5), (2, 0.5)]
    tied = made_choice({"one": {"a": 3}, "two": {"b": 2}})
    assert list(tied.votes.items()) == [(2, 1), (3, 1)]
    assert made_choice({"one": {"a": None}}).votes == {}
    assert made_choice({"one": {"a": 4}, "two": {"b": 3}}, a="k = 4 is the largest tried").votes == {3: 1}


def test_votes_are_reported_and_are_not_the_answer():
    """All indices of compact clusters are for five pieces of each ring."""
    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, 240)
    radius = np.repeat([1.0, 3.0], 120)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    choice = choose_k(X)
    assert choice.k == 2
    assert same(np.repeat([0, 1], 120), choice.partition)
    assert 2 not in choice.votes
    assert sum(choice.votes.values()) >= 1
    named = choose_k(X, indices=["CH"], ks=range(1, 9), n_runs=1, random_state=0)
    assert (named.k, named.strength) == (choice.k, choice.strength)


def test_who_knows_the_truth_has_no_vote():
    choice = choose_k(IRIS, ks=range(2, 5), n_runs=1, indices=["silhouette", "ARI", "VI"], truth=SPECIES)
    assert choice.votes == {choice["silhouette"].k: 1}
    assert choice["ARI"].k == 3
    assert not choice["VI"].votes


def test_a_choice_tells_its_rule_and_by_how_much():
    choice = choose_k(clouds(), ks=range(1, 6), n_runs=2, indices=["CH", "ssw", "hartigan"], random_state=0)
    best = choice["CH"]
    values = dict(zip(choice.ks, choice.curves["calinski_harabasz"].values, strict=True))
    assert best.verdict.difference == pytest.approx(values[3] - values[best.verdict.runner_up])
    assert values[best.verdict.runner_up] == max(v for k, v in values.items() if k != 3 and not math.isnan(v))
    assert choice["ssw"].rule == "knee"
    assert choice.choices["hartigan"].rule == "at_most_10"


def test_prediction_strength_of_halves_is_reported_over_k_and_changes_nothing_else():
    options = {"ks": range(1, 6), "n_runs": 1, "indices": "CH", "random_state": 0}
    plain = choose_k(clouds(), KMeans(n_init=2), **options)
    split = choose_k(clouds(), KMeans(n_init=2), n_splits=3, **options)
    curve = split.curves["prediction_strength"]
    assert (curve.values[0], curve.values[2]) == (1.0, 1.0)  # one cluster predicts itself
    assert all(value < 0.8 for value in curve.values[3:])
    assert split["prediction_strength"].k == 3
    assert "prediction_strength" not in plain.curves
    assert split.answer == plain.answer
    assert split["CH"] == plain["CH"]


def test_the_usual_judges_suit_the_method():
    assert list(choose_k(clouds(), ks=[2, 3], n_runs=1).choices) == [
        "silhouette",
        "calinski_harabasz",
        "xie_beni",
        "bic_partition",
        "second_difference",
    ]
    mixture = choose_k(clouds(), GaussianMixtureEM(), [1, 2, 3], n_runs=1, truth=np.repeat([0, 1, 2], 40))
    assert list(mixture.choices) == [
        "bic",
        "icl",
        "partition_negentropy",
        "silhouette",
        "adjusted_rand",
        "nmi_sum",
        "second_difference:of=bic",
    ]


def test_the_gap_is_that_of_the_null_data_with_their_seeds():
    X, ks, n_null = clouds(2, size=15), [1, 2, 3, 4], 10
    choice = choose_k(X, ks=ks, n_runs=2, indices=["gap", "ssw"], n_null=n_null, random_state=7)
    nothing = [
        uniform_like(X, np.random.default_rng(task_seed(7, Seeds.NULL_DATA, b))) for b in range(n_null)
    ]
    logs = np.array(
        [
            [
                np.log(RandomSwap(k, random_state=task_seed(7, Seeds.ON_NULL, k, b)).fit(data).objective_)
                for k in ks
            ]
            for b, data in enumerate(nothing)
        ]
    )
    expected = logs.mean(axis=0) - np.log(choice.curves["ssw"].values)
    np.testing.assert_allclose(choice.curves["gap"].values, expected, rtol=1e-9)
    errors = logs.std(axis=0) * math.sqrt(1 + 1 / n_null)
    np.testing.assert_allclose(choice.curves["gap"].errors, errors, rtol=1e-9)
    assert choice.choices["gap"].k == 2


@pytest.mark.usefixtures("compiled")
def test_indices_may_choose_one_cluster_and_a_cloud_has_no_structure():
    alone = np.random.default_rng(0).random((300, 2))
    choice = pt.choose_k(alone, ks=range(1, 7), n_runs=3, indices=["gap", "ssw"], n_null=20, random_state=0)
    assert choice["gap"].k == 1
    assert choice["ssw"].k is None
    assert "no knee" in choice["ssw"].verdict.reason
    assert choice.votes == {1: 1}
    assert (choice.k, choice.strength) == (None, "no structure")
    normal = np.random.default_rng(1).normal(size=(300, 2))
    mixture = choose_k(
        normal, GaussianMixtureEM(), range(1, 5), n_runs=3, random_state=0, indices=["BIC", "ICL"]
    )
    assert (mixture["BIC"].k, mixture["ICL"].k) == (1, 1)
    assert mixture.strength == "contested"


def test_runs_that_agree_choose_a_number_of_clusters_too():
    choice = choose_k(
        clouds(4),
        KMeans(n_init=1, init="random"),
        range(1, 7),
        n_runs=10,
        indices="CH",
        consensus=["VI", "ARI"],
        random_state=0,
    )
    assert math.isnan(choice.curves["consensus variation_of_information"].values[0])
    runs = [choice_labels(choice, 3, run) for run in range(10)]
    assert choice.curves["consensus adjusted_rand"].values[2] == pytest.approx(
        pt.consensus_index(runs, "ARI").value, rel=1e-12
    )
    assert choice["consensus variation_of_information"].votes


def choice_labels(choice, k, run):
    seed = next(f.seed for f in choice.fits if (f.k, f.run) == (k, run))
    return KMeans(k, n_init=1, init="random", random_state=seed).fit(clouds(4)).labels_


# --- what it prints, and bad input ----------------------------------------------------------------------


def test_it_prints_what_a_reader_needs():
    choice = choose_k(clouds(), ks=range(1, 5), n_runs=2, indices=["CH", "silhouette"], random_state=0)
    text = str(choice)
    first, *rest = text.splitlines()
    assert first == "120 objects, 2 features: RandomSwap, k = 1 to 4, 2 runs each"
    assert " ".join(" ".join(rest).split()).startswith(choice.statement)
    assert choice.statement.startswith("3 clusters, clear: ")
    assert len(choice.statement.split()) <= 25
    assert "CH, silhouette" in text
    assert "choices of indices, which decide nothing" in text
    assert "<table>" in choice._repr_html_()
    assert "| index |" in choice.write("markdown")
    assert choice.write("csv").splitlines()[0] == "k,run,seed,index,value,caveat"


@pytest.mark.parametrize("estimator", [None, RandomSwap()], ids=["own", "swap"])
def test_it_comes_back_from_json(estimator):
    choice = choose_k(
        IRIS,
        estimator,
        [1, 2, 3],
        n_runs=2,
        indices=["CH", "gap", "hartigan"],
        n_null=2,
        random_state=0,
    )
    again = ChoiceOfK.from_dict(json.loads(choice.write("json")))
    assert str(again) == str(choice)
    assert (again.votes, again.answer, again.k) == (choice.votes, choice.answer, choice.k)
    assert [one.to_dict() for one in again.levels] == [one.to_dict() for one in choice.levels]
    with pytest.raises(ParameterError, match="has no data to fit"):
        again.model_at(2)
    with pytest.raises(ParameterError, match="no choice of k"):
        ChoiceOfK.from_dict({"result": "Comparison"})


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"ks": []}, "no numbers of clusters"),
        ({"ks": [0, 1]}, "no numbers of clusters"),
        ({"ks": [2.5]}, "no numbers of clusters"),
        ({"ks": [2, 151]}, "no numbers of clusters"),
        ({"n_runs": 0}, "n_runs is no count"),
        ({"n_null": 1.5}, "n_null is no count"),
        ({"pool": "best"}, "no such pool"),
        ({"indices": []}, "nothing to choose by"),
        ({"indices": ["ARI"]}, "compares with a truth"),
        ({"consensus": "DBI"}, "does not compare two clusterings"),
        ({"estimator": KMeans}, "an instance"),
        ({"estimator": KMeans, "covariance_type": ["full"]}, "an instance"),
        ({"estimator": "kmeans"}, "no clusterer"),
        ({"estimator": Noisy()}, "no parameter for the number of clusters"),
        ({"k_param": "groups"}, "no parameter for the number of clusters"),
        ({"random_state": "x"}, "not a seed"),
        ({"n_jobs": 0}, "no count of workers"),
        ({"n_jobs": 0, "estimator": RandomSwap()}, "no count of workers"),
        ({"X": [[1.0], [np.nan]]}, "missing or infinite"),
        ({"X": "data.csv"}, "no numbers|no table"),
    ],
    ids=str,
)
def test_bad_input_is_refused(options, problem):
    given = {"X": IRIS, "ks": [2, 3], "n_runs": 1, **options}
    with pytest.raises(ParameterError, match=problem):
        choose_k(**given)


def test_unknown_names_are_told():
    with pytest.raises(UnknownNameError, match="silhouet"):
        choose_k(IRIS, ks=[2], indices=["silhouet"])
    with pytest.raises(UnknownNameError):
        choose_k(IRIS, ks=[2, 3], n_runs=1, indices=["CH"])["gap"]


# --- the papers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ks", "truth"),
    [
        ("s4", range(14, 17), 15),
        ("r15", range(11, 19), 15),
        pytest.param("r15", range(2, 22), 15, marks=pytest.mark.full),
        *[pytest.param(f"s{i}", range(2, 22), 15, marks=pytest.mark.full) for i in (1, 2, 3, 4)],
        pytest.param("d31", range(24, 38), 31, marks=pytest.mark.full),
    ],
)
@pytest.mark.usefixtures("compiled")
def test_franti_the_true_number_of_clusters(name, ks, truth):
    """As an independent program found: CH, WB, Xu, DBI, silhouette on random swap."""
    five = ["CH", "WB", "xu", "DBI", "silhouette"]
    choice = choose_k(features(name), ks=ks, indices=five, random_state=0)
    assert {c.k for c in choice.choices.values()} == {truth}


def lei_data3(apart: float, n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three Gaussians of unit covariance, as in lei2014's data3: the farther, the less they overlap."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    return rng.normal(size=(n, 2)) + apart * np.array([[0, 0], [2, 0], [1, 2]])[labels], labels


def test_lei_success_rates_come_from_the_same_sweep():
    """lei2014's protocol: the l-th fits of every c are a run, a success if the truth has the best value."""
    X, labels = lei_data3(3.0)
    method = GaussianMixtureEM(init="random", stop="means", tol=1e-3, max_iter=100)
    names = ["nmi_max", "ARI", "nmi_joint", "nmi_sum", "nmi_sqrt", "VI", "MI"]
    table = choose_k(
        X, method, range(2, 7), n_runs=30, indices=names, truth=labels, random_state=0
    ).to_frame()
    rates = {}
    for index, rows in table.groupby("index"):
        by_run = rows.pivot(index="run", columns="k", values="value")
        chosen = by_run.idxmin(axis=1) if index == "variation_of_information" else by_run.idxmax(axis=1)
        rates[index] = (chosen == 3).mean()
    assert rates["nmi_joint"] == rates["nmi_sum"]  # monotone in each other
    assert min(rates[i] for i in rates if i != "mutual_information") > rates["mutual_information"] + 0.2


def test_lago_fernandez_pools_the_runs_of_each_index():
    """Each index takes its own best mixture over all runs; AIC and BIC then take the likeliest of a k."""
    X, _ = lei_data3(4.0)
    options = {"ks": range(1, 6), "n_runs": 5, "indices": ["AIC", "BIC", "ICL", "PNC"], "random_state": 0}
    pooled = choose_k(X, GaussianMixtureEM(init="random", tol=1e-5, max_iter=500), pool="index", **options)
    single = choose_k(X, GaussianMixtureEM(init="random", tol=1e-5, max_iter=500), **options)
    for index in ("aic", "bic"):
        assert pooled.curves[index].values == single.curves[index].values
    for index in ("icl", "partition_negentropy"):
        both = zip(pooled.curves[index].values, single.curves[index].values, strict=True)
        assert all(a <= b or math.isnan(b) for a, b in both)
    assert pooled["BIC"].k == pooled["ICL"].k == pooled["PNC"].k == 3


def test_iris_by_a_column_of_a_file():
    data = frame("iris")
    X, species = data.drop(columns="label"), data["label"]
    choice = choose_k(X, GaussianMixtureEM(), range(1, 5), n_runs=3, truth=species, random_state=0)
    assert choice["BIC"].k == 2
    assert choice["ARI"].k == 3


# --- search strategies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("search", ["stepwise", "guided", "hierarchical"])
def test_every_search_finds_the_clouds_and_says_what_it_did(search):
    choice = choose_k(clouds(), ks=range(2, 8), indices=["CH", "WB"], search=search, random_state=0)
    assert choice.k == 3
    assert choice.notes[0].startswith(search)
    assert {fit.k for fit in choice.fits} == set(choice.ks) <= set(range(2, 8))
    labels = getattr(choice.model, "labels_", choice.model)
    assert pt.indices.ARI(np.repeat([0, 1, 2], 40), labels) == 1.0
    assert choice.provenance["search"] == search


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"search": "random"}, "no search strategy named"),
        ({"search": "stepwise", "estimator": GaussianMixtureEM()}, "cannot use this clusterer"),
        ({"search": "guided", "indices": ["ssw"]}, "follows one index"),
        ({"search": "stepwise", "checkpoint": "folder"}, "stepwise search has no checkpoint"),
        ({"search": "hierarchical", "consensus": "VI"}, "one clustering for each k"),
        ({"search": "stepwise", "indices": ["gap"]}, "one clustering for each k"),
    ],
    ids=str,
)
def test_a_search_refuses_what_it_cannot_do(options, problem):
    with pytest.raises((ParameterError, UnknownNameError), match=problem):
        choose_k(**{"X": clouds(), "ks": [2, 3], "indices": ["CH"], **options})


def test_another_rule_than_an_indexs_own():
    options = {
        "ks": range(1, 8),
        "n_runs": 2,
        "indices": ["ball_hall", "ssw", "bic_partition"],
        "random_state": 0,
    }
    own = choose_k(clouds(), **options)
    other = choose_k(clouds(), rules={"Ball_Hall": "knee", "bic_partition": "first_max"}, **options)
    assert (own["ball_hall"].rule, other["ball_hall"].rule, other["ssw"].rule) == (
        "largest_drop",
        "knee",
        "knee",
    )
    assert own.curves["ball_hall"].values == other.curves["ball_hall"].values
    assert other["ball_hall"].k == 3
    assert other["bic_partition"].verdict.reason == "the first local best"
    for rules in ({"CH": "knee"}, {"ssw": "elbow"}, {"nothing": "best"}):
        with pytest.raises(UnknownNameError):
            choose_k(clouds(), rules=rules, **options)
