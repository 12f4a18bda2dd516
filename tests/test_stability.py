"""Stability: by its definition, for any clusterer, scheme and strategy, and on the slides' data."""

from __future__ import annotations

import json
import math
from html import escape

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info, threadpool_limits

import partita
from partita.cluster import EvidentialCMeans, FuzzyCMeans, GaussianMixtureEM, RandomSwap, RoughKMeans
from partita.errors import ParameterError, UnknownNameError
from partita.evaluation import HARDENED
from partita.fits import perturbed
from partita.resampling import Bootstrap, Noise, Rerun, Stability, Subsample
from partita.results.answers import Answer
from partita.results.verdicts import RemarkKind
from reference.centroids import centroid_index
from shared_data import features

SCHEMES = [Subsample(0.4), Bootstrap(), Noise(0.5), Rerun()]
STRATEGIES = ["cross-validation", "transfer"]
full = pytest.mark.full


def clouds(n_clusters=3, size=30, apart=9.0, seed=0):
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(n_clusters) / n_clusters
    centres = apart * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.repeat(centres, size, axis=0) + rng.normal(size=(n_clusters * size, 2))


X = clouds()


class Groups(ClusterMixin, BaseEstimator):
    """Equal groups along the first feature; ``groups`` of them. It looks at how many threads it has."""

    def __init__(self, groups=2, random_state=None):
        self.groups = groups
        self.random_state = random_state

    def fit(self, X, y=None):
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
        self.labels_ = X[:, 0].argsort().argsort() * self.groups // len(X)
        return self


# --- by the definition ------------------------------------------------------------------------------------


def one_hot(labels):
    return (np.asarray(labels)[:, None] == np.unique(labels)).astype(float)


def draw_by_definition(scheme, whole_labels, rng):
    """Rows and values of perturbed data."""
    n = len(X)
    if isinstance(scheme, Subsample):
        rows = np.sort(rng.choice(n, math.floor(scheme.share * n), replace=False))
        return rows, X[rows]
    if isinstance(scheme, Bootstrap):
        rows = np.sort(rng.integers(n, size=n))
        return rows, X[rows]
    if isinstance(scheme, Noise):
        squares = sum(
            ((X[whole_labels == j] - X[whole_labels == j].mean(axis=0)) ** 2).sum() for j in set(whole_labels)
        )
        return np.arange(n), X + rng.normal(scale=scheme.scale * math.sqrt(squares / X.size), size=X.shape)
    return np.arange(n), X


def repeat_by_definition(method, k, root, seed, scheme, strategy):
    """CI and ARI of one repeat."""

    def fit(data, seed):
        return clone(method).set_params(n_clusters=k, random_state=seed).fit(data)

    whole = fit(X, int(np.random.SeedSequence(root, spawn_key=(0, k)).generate_state(1)[0]))
    rng = np.random.default_rng(seed)
    rows, values = draw_by_definition(scheme, whole.labels_, rng)
    model = fit(values, int(rng.integers(1 << 32)))
    if strategy == "transfer":
        if isinstance(scheme, Subsample):
            rest = [i for i in range(len(X)) if i not in set(rows)]
            rows = np.sort(rng.choice(rest, len(rows), replace=False))
            values = X[rows]
        else:
            rows, values = draw_by_definition(scheme, whole.labels_, rng)
        truth, found = fit(values, int(rng.integers(1 << 32))).labels_, model.predict(values)
    else:
        truth, found = whole.labels_[rows], model.labels_
    at = {row: place for place, row in enumerate(rows)}  # each object once
    places = list(at.values())
    truth, found = truth[places], found[places]
    return centroid_index(X[list(at)], one_hot(truth), one_hot(found)), adjusted_rand_score(truth, found)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_every_value_is_that_of_its_definition(scheme, strategy):
    method = KMeans(n_init=1, init="random", max_iter=5)
    found = partita.stability(
        X, method, [2, 4], scheme=scheme, strategy=strategy, n_repeats=2, random_state=7
    )
    for repeat in found.repeats:
        ci, ari = repeat_by_definition(method, repeat.k, 7, repeat.seed, scheme, strategy)
        assert repeat.values["centroid_index"] == ci
        assert repeat.values["adjusted_rand"] == pytest.approx(ari, abs=1e-12)
        by_definition = np.random.SeedSequence(7, spawn_key=(1, repeat.k, repeat.repeat)).generate_state(1)[0]
        assert repeat.seed == by_definition


def test_soft_clusterings_are_compared_soft():
    """By the memberships on the objects of the subsample; with predictions in the transfer."""
    method = FuzzyCMeans(m=1.5)
    index = partita.registry.find("adjusted_rand")
    for strategy in STRATEGIES:
        found = partita.stability(
            X, method, [4], strategy=strategy, n_repeats=2, indices=index, random_state=0
        )
        for repeat in found.repeats:
            rng = np.random.default_rng(repeat.seed)
            rows = np.sort(rng.choice(90, 27, replace=False))
            model = (
                clone(method).set_params(n_clusters=4, random_state=int(rng.integers(1 << 32))).fit(X[rows])
            )
            if strategy == "transfer":
                rows = np.sort(rng.choice(np.setdiff1d(np.arange(90), rows), 27, replace=False))
                own = clone(method).set_params(n_clusters=4, random_state=int(rng.integers(1 << 32)))
                truth, other = own.fit(X[rows]).memberships_, model.predict_proba(X[rows])
            else:
                seed = int(np.random.SeedSequence(0, spawn_key=(0, 4)).generate_state(1)[0])
                whole = clone(method).set_params(n_clusters=4, random_state=seed).fit(X)
                truth, other = whole.memberships_[rows], model.memberships_
            assert repeat.values["adjusted_rand"] == index(truth, other)
            assert HARDENED.text not in repeat.caveats["adjusted_rand"]


def test_an_index_for_hard_clusterings_says_that_labels_were_hardened():
    found = partita.stability(
        X, GaussianMixtureEM(), [2, 3], n_repeats=2, indices=["prediction_strength", "ARI"], random_state=0
    )
    frame = found.to_frame()
    two = frame[frame.k == 2]
    assert (two[two["index"] == "prediction_strength"].caveat.str.contains(HARDENED.text)).all()
    assert not two[two["index"] == "adjusted_rand"].caveat.str.contains(HARDENED.text).any()


# --- rules and the table ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "size"), [(0, 25), *(pytest.param(s, 50, marks=full) for s in (0, 1))])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("scheme", [Subsample(), Bootstrap(), Noise()], ids=repr)
def test_three_clouds_are_three_clusters(scheme, strategy, seed, size):
    found = partita.stability(
        clouds(size=size, seed=seed),
        ks=range(2, 6),
        scheme=scheme,
        strategy=strategy,
        n_repeats=10,
        random_state=seed,
    )
    assert found.k == 3


def test_every_repeat_is_kept():
    found = partita.stability(X, ks=[2, 3], n_repeats=3, indices=["CI", "ARI", "VI"], random_state=0)
    frame = found.to_frame()
    assert list(frame.columns) == ["k", "repeat", "seed", "index", "value", "caveat"]
    assert len(frame) == 2 * 3 * 3
    assert not frame.duplicated(["k", "repeat", "index"]).any()
    assert frame.seed.nunique() == 6
    for (k, index), part in frame.groupby(["k", "index"]):
        np.testing.assert_array_equal(part.value, found.values(index, k))
    assert found.indices == ("centroid_index", "adjusted_rand", "variation_of_information")
    assert list(found.choices) == [
        "all rules together",
        "last centroid_index of 0 in all repeats",
        "last adjusted_rand of 0.9",
        "last variation_of_information of 0.1 of its largest value",
        "weakest cluster of 0.75",
    ]
    with pytest.raises(ParameterError, match="nmi_sum was not computed"):
        found.values("NMI", 2)
    with pytest.raises(ParameterError, match="k = 9"):
        found.values("CI", 9)


def test_the_table_has_means_deviations_and_worst_values():
    found = partita.stability(X, KMeans(n_init=1), [2, 4], n_repeats=4, random_state=0)
    table = found.table()
    head = ("k", "centroid_index", "sd", "worst", "adjusted_rand", "sd", "worst", "weakest cluster")
    assert table.columns == head
    for row in table.rows:
        ci, ari = found.values("CI", row[0]), found.values("ARI", row[0])
        spreads = (ci.std(ddof=1), ari.std(ddof=1))
        expected = (ci.mean(), spreads[0], ci.max(), ari.mean(), spreads[1], ari.min())
        assert row[1:-1] == pytest.approx(expected)
        assert row[-1] == pytest.approx(min(c.jaccard for c in found.clusters if c.tried == row[0]))
    once = partita.stability(X, KMeans(n_init=1), [2], n_repeats=1, random_state=0).table()
    assert math.isnan(once.rows[0][2])  # one value has no spread
    assert table.answer == found.statement
    text = str(found)
    assert text.startswith("90 objects, 2 features: KMeans, 4 x Subsample(share=0.3), cross-validation\n")
    assert "last centroid_index of 0 in all repeats: " in text


@pytest.mark.parametrize("estimator", [KMeans(n_init=1), make_pipeline(StandardScaler(), KMeans(n_init=1))])
def test_plain_k_means_has_a_caveat(estimator):
    found = partita.stability(X, estimator, [3], n_repeats=2, random_state=0)
    assert any("plain k-means" in note and "RandomSwap" in note for note in found.notes)
    assert partita.stability(X, RandomSwap(), [3], n_repeats=2, random_state=0).notes == ()


def test_it_is_written_as_json_html_and_frames():
    found = partita.stability(
        pd.DataFrame(X), AgglomerativeClustering(), [3, 90], n_repeats=np.int64(2), random_state=0
    )
    held = json.loads(found.write("json"), parse_constant=pytest.fail)
    assert held["k"] == held["answer"]["value"] == found.k == 3
    assert Answer.from_dict(held["answer"]).statement == held["statement"] == found.statement
    assert held["choices"]["last centroid_index of 0 in all repeats"]["k"] == 3
    assert (held["value"], held["strength"]) == (3, found.strength)
    assert len(held["by_cluster"]) == len(found.by_cluster.to_frame())
    assert len(held["rows"]) == len(found.to_frame()) == 8
    assert held["rows"][-1]["value"] is None
    assert held["provenance"]["n_repeats"] == 2
    assert held["provenance"]["scheme"] == "Subsample(share=0.3)"
    html = found.write("html")
    for note in found.notes:
        assert escape(note) in html
    hostile = Stability(
        title="<script>",
        notes=("<b>",),
        ks=found.ks,
        repeats=found.repeats,
        choices={"<i>": found.choices["all rules together"]},
    ).write("html")
    assert not any(tag in hostile for tag in ("<script>", "<b>", "<i>"))
    assert found.write("csv").count("\n") == 8


def test_frames_in_frames_out():
    polars = pytest.importorskip("polars")
    found = partita.stability(polars.DataFrame(X), ks=[3], n_repeats=1, random_state=0)
    assert isinstance(found.to_frame(), polars.DataFrame)


# --- workers, threads and seeds ---------------------------------------------------------------------------

ESTIMATORS = [
    RandomSwap(),
    GaussianMixtureEM(n_init=1),
    KMeans(n_init=1),
    GaussianMixture(),
    AgglomerativeClustering(),
    make_pipeline(StandardScaler(), KMeans(n_init=1)),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_number_of_workers_changes_nothing(scheme, strategy):
    for estimator in ESTIMATORS:
        frames = [
            partita.stability(
                X,
                estimator,
                [4],
                scheme=scheme,
                strategy=strategy,
                n_repeats=2,
                structure=False,
                random_state=5,
                n_jobs=n_jobs,
            ).to_frame()
            for n_jobs in (1, 2)
        ]
        assert frames[0].value.notna().all()
        pd.testing.assert_frame_equal(*frames, check_exact=True)


def test_large_data_goes_to_workers_as_it_is():
    """Over a megabyte, joblib maps it into memory, and read-only."""
    large = clouds(size=25_000)
    frames = [
        partita.stability(
            large,
            KMeans(n_init=1, max_iter=3),
            [3],
            scheme=Rerun(),
            n_repeats=2,
            random_state=5,
            n_jobs=n_jobs,
        ).to_frame()
        for n_jobs in (1, 2)
    ]
    assert (frames[0].caveat == "").all()
    pd.testing.assert_frame_equal(*frames, check_exact=True)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_fit_and_evaluation_has_one_thread(n_jobs, monkeypatch):
    judged = perturbed.judge

    def watched(*inputs):
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
        return judged(*inputs)

    if n_jobs == 1:
        monkeypatch.setattr(perturbed, "judge", watched)
    with threadpool_limits(limits=2):
        with pytest.raises(AssertionError):
            Groups().fit(X)
        found = partita.stability(
            X, Groups(), [2, 3], k_param="groups", n_repeats=2, random_state=0, n_jobs=n_jobs
        )
        assert 2 in {pool["num_threads"] for pool in threadpool_info()}
    assert found.to_frame().value.notna().all()


def test_earlier_rows_stay_when_ks_and_repeats_are_added():
    def frame(ks, n_repeats):
        return partita.stability(X, ks=ks, n_repeats=n_repeats, random_state=11).to_frame()

    few, many = frame([3, 5], 2), frame([2, 3, 4, 5], 4)
    same = many[many.k.isin([3, 5]) & (many.repeat < 2)].reset_index(drop=True)
    pd.testing.assert_frame_equal(few, same, check_exact=True)


def test_earlier_runs_of_choose_k_stay_when_ks_and_runs_are_added():
    def frame(ks, n_runs):
        return partita.choose_k(X, ks=ks, n_runs=n_runs, indices=["silhouette"], random_state=11).to_frame()

    few, many = frame([3, 5], 2), frame([2, 3, 4, 5], 4)
    same = many[many.k.isin([3, 5]) & (many.run < 2)].reset_index(drop=True)
    pd.testing.assert_frame_equal(few, same, check_exact=True)


# --- any data ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [RoughKMeans(), EvidentialCMeans(), FuzzyCMeans(), GaussianMixtureEM()])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_clusterings_of_every_kind(estimator, strategy):
    found = partita.stability(X, estimator, [3], strategy=strategy, n_repeats=2, random_state=0)
    assert not any(repeat.failed for repeat in found.repeats)
    assert (found.values("CI", 3) == 0).all()


def test_one_cluster_is_always_stable():
    found = partita.stability(X, ks=1, n_repeats=2, random_state=0)
    assert (found.values("CI", 1) == 0).all()
    assert found.choices["last centroid_index of 0 in all repeats"].k == 1
    assert found.k is None  # nothing else was tried
    assert found.strength == "no structure"
    assert found.statement == "no answer: nothing tried has two clusters or more. Try more clusters."


def test_too_many_clusters_for_a_subsample_are_told_and_do_not_end_it():
    found = partita.stability(X, ks=[3, 28], n_repeats=2, random_state=0)
    assert found.k == 3
    assert np.isnan(found.values("CI", 28)).all()
    assert "2 of 4 fits failed" in found.notes[0]
    assert "k = 28" in next(r.text for r in found.remarks if r.kind is RemarkKind.UNDEFINED)
    frame = found.to_frame()
    assert frame[frame.k == 28].caveat.str.contains("n_samples=27").all()
    assert "nan" in str(found)


def test_if_every_fit_fails_it_is_an_error():
    with pytest.raises(ParameterError, match="no fit succeeded") as refused:
        partita.stability(X, ks=[28, 30], n_repeats=2, random_state=0)
    assert "n_samples=27" in refused.value.got


def test_warnings_of_fits_are_counted_and_not_given_one_by_one():
    found = partita.stability(X, GaussianMixtureEM(max_iter=1, tol=0), [3, 4], n_repeats=2, random_state=0)
    assert found.notes == ("6 of 6 fits gave a ConvergenceWarning",)


def test_constant_data_is_one_cluster():
    found = partita.stability(np.ones((20, 2)), ks=[1, 3], n_repeats=2, random_state=0)
    assert (found.k, found.strength) == (1, "no structure")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("scheme", [Subsample(), Bootstrap(), Noise()], ids=repr)
@pytest.mark.parametrize(
    "data",
    [
        np.zeros((12, 2)),
        np.repeat([[0.0, 0.0], [5.0, 5.0]], 6, axis=0),
        np.arange(4.0)[:, None],
        np.array([[0.0], [1.0]]),
        np.array([[3.0, 1.0]]),
        1e80 * np.arange(24.0).reshape(12, 2),
        1e-300 * np.arange(24.0).reshape(12, 2),
    ],
    ids=["constant", "duplicates", "four", "two", "one", "large", "tiny"],
)
def test_hard_data_has_an_answer(data, scheme, strategy):
    ks = [k for k in (1, 2) if k <= len(data)]
    estimators = [RandomSwap(), GaussianMixtureEM(), AgglomerativeClustering()]
    for estimator in estimators[: 3 if len(data) > 4 else 2]:  # the last one takes no single object
        found = partita.stability(
            data,
            estimator,
            ks,
            scheme=scheme,
            strategy=strategy,
            n_repeats=2,
            random_state=0,
            indices=["CI", "ARI", "NMI"],
        )
        frame = found.to_frame()
        assert len(frame) == len(ks) * 6
        assert (frame.value.notna() | (frame.caveat != "")).all()
        json.loads(found.write("json"))


@pytest.mark.parametrize(
    "options",
    [
        {"scheme": 0.3},
        {"scheme": Subsample},
        {"scheme": "subsample"},
        {"strategy": "bootstrap"},
        {"strategy": None},
        {"n_repeats": 0},
        {"n_repeats": 2.5},
        {"indices": []},
        {"indices": 3},
        {"indices": "silhouette"},
        {"indices": ["CI", "BIC"]},
        {"ks": []},
        {"ks": [2.5]},
        {"ks": [0]},
        {"ks": [91]},
        {"ks": None},
        {"threshold": "0.9"},
        {"threshold": None},
        {"threshold": math.nan},
        {"k_param": "groups"},
        {"estimator": KMeans},
        {"estimator": StandardScaler()},
        {"n_jobs": 0},
        {"random_state": -1},
        {"random_state": "seed"},
        {"checkpoint": 3},
    ],
    ids=str,
)
def test_bad_options_are_refused_before_any_work(options, monkeypatch):
    monkeypatch.setattr(perturbed, "fit_whole", pytest.fail)
    with pytest.raises(ParameterError) as refused:
        partita.stability(X, **options)
    assert refused.value.got
    assert refused.value.need


def test_unknown_indices_are_told_with_near_names():
    with pytest.raises(UnknownNameError, match="did you mean"):
        partita.stability(X, indices=["adjusted_randd"])


# --- the slides' data -------------------------------------------------------------------------------------


def test_franti_ci_zero_finds_the_true_number_of_clusters_in_small():
    found = partita.stability(features("s4"), ks=[14, 15, 16], n_repeats=4, indices="CI", random_state=0)
    assert found.k == 15


@full
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("name", "truth"), [("s1", 15), ("s2", 15), ("s3", 15), ("s4", 15), ("a1", 20)])
def test_franti_ci_zero_finds_the_true_number_of_clusters(name, truth, seed):
    """By the usual method, the best of two random swaps: one alone misses a cluster of S4 now and then."""
    ks = range(truth - 2, truth + 3)
    found = partita.stability(features(name), ks=ks, n_repeats=10, indices="CI", random_state=seed)
    assert found.k == truth


@pytest.mark.parametrize(("n", "compiles"), [(60, False), (6500, True)])
def test_all_fits_of_a_sweep_run_one_form(monkeypatch, n, compiles):
    """Which form runs is told by the work of the whole: each fit of the larger data alone would be small."""
    from partita.kernels import swaps

    asked = []
    is_small = swaps.is_small

    def spy(X, n_clusters, n_searches):
        asked.append(is_small(X, n_clusters, n_searches))
        return asked[-1]

    monkeypatch.setattr(swaps, "is_small", spy)
    X = np.random.default_rng(0).normal(size=(n, 2))
    brief = RandomSwap(n_init=2, max_swaps=1)  # the form does not depend on how long the search goes on
    partita.stability(X, brief, [2, 3], n_repeats=40, indices=["ARI"], random_state=0)
    assert set(asked) == {not compiles}
    assert is_small(X[:100], 3, 2)
