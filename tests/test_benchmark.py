"""Methods on data sets with known clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from joblib import parallel_config
from scipy.stats import rankdata
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import partita as pt
from partita.errors import FileError, ParameterError
from partita.fits.models import seeded
from partita.selection import _benchmark
from partita.selection._benchmark import Benchmark, BenchmarkRun

SETS = {
    "blobs": make_blobs(60, centers=4, cluster_std=0.6, random_state=0),
    "line": (np.array([[0.0], [1.0], [5.0], [6.0], [20.0], [21.0]]), [0, 0, 1, 1, 2, 2]),
}
KM = KMeans(n_init=1)


def test_every_run_of_every_method_on_every_set_is_a_row():
    result = pt.benchmark({"KM": KM, "Ward": AgglomerativeClustering()}, SETS, n_runs=3, random_state=0)
    frame = result.to_frame()
    assert len(frame) == 2 * (3 + 1) * 6  # Ward is not random
    assert list(dict.fromkeys(frame["index"])) == list(_benchmark.USUAL)
    assert result.ks == {"blobs": 4, "line": 3}
    for _, row in frame[frame["method"] == "KM"].iterrows():
        X, y = SETS[row["data"]]
        model = seeded(KM, {"n_clusters": result.ks[row["data"]]}, row["seed"]).fit(X)
        entry = pt.indices.find(row["index"])
        given = {"X": X, "truth": y, "found": model.labels_}
        assert row["value"] == pytest.approx(entry(*(given[name] for name in entry.inputs)), abs=1e-12)


def test_neither_workers_nor_other_methods_change_a_value():
    both = pt.benchmark({"KM": KM, "two": KMeans(2, n_init=1)}, SETS, n_runs=2, random_state=3)
    with parallel_config(backend="threading"):
        alone = pt.benchmark({"KM": KM}, {"line": SETS["line"]}, n_runs=2, random_state=3, n_jobs=2)
    frame = both.to_frame()
    mine = frame[(frame["method"] == "KM") & (frame["data"] == "line")].reset_index(drop=True)
    assert mine.equals(alone.to_frame())


def test_a_number_of_clusters_that_was_given_stays():
    methods = {"KM": KM, "two": KMeans(2, n_init=1), "own": DBSCAN(eps=2.0, min_samples=1)}
    piped = make_pipeline(StandardScaler(), KMeans(n_init=1))
    result = pt.benchmark(methods | {"piped": piped}, {"line": SETS["line"]}, n_runs=1, indices=["CI", "mse"])
    assert result.mean("line", "two", "centroid_index") == 1
    assert result.mean("line", "own", "centroid_index") == 0
    assert any("as given: two (k = 2)" in note for note in result.notes)
    assert any("themselves: own" in note for note in result.notes)
    assert any(note.startswith("mse: does not use the truth") for note in result.notes)
    # a pipeline is judged in the space of X: pairs one apart have a mean squared distance of 1/4
    assert result.mean("line", "piped", "mse") == pytest.approx(0.25)
    none = pt.benchmark({"KM": KM}, {"line": SETS["line"]}, n_runs=1, indices=["mse"])
    assert none.notes == ("number of clusters as in the truth: KM",)


def made(values, indices):
    """A benchmark with these means by data set and method."""
    runs = [
        BenchmarkRun(data, method, 0, 0, dict(zip(indices, each, strict=True)))
        for data, methods in values.items()
        for method, each in methods.items()
    ]
    return Benchmark(indices=tuple(indices), runs=tuple(runs), ks=dict.fromkeys(values, 2))


def test_ranks_by_hand():
    # ARI: higher is better, mse: lower. A: ranks 1, 2 on p; 2.5, 3 on q. B: 2, 1; 2.5, 1.5. C: 3, 3; 1, 1.5
    values = {
        "p": {"A": (0.9, 2.0), "B": (0.8, 1.0), "C": (math.nan, math.nan)},
        "q": {"A": (0.5, 9.0), "B": (0.5, 3.0), "C": (0.7, 3.0)},
    }
    result = made(values, ["adjusted_rand", "mse"])
    assert result.mean_ranks == pytest.approx({"B": 7 / 4, "A": 8.5 / 4, "C": 8.5 / 4})
    # behind B: A by 0 and 3/4, C by 3/2 and -3/4, which is less than its standard error of 9/8
    assert result.winners == ("B", "C")
    assert result.answer.strength == "contested"
    assert result.statement == (
        "B and C tie: mean ranks 1.75 to 2.12 of 3 methods over 2 data sets; no difference exceeds its "
        "standard error. Add data sets."
    )
    tied = made({"p": {"A": (1.0,), "B": (1.0,)}}, ["adjusted_rand"])
    assert tied.winners == ("A", "B")
    assert tied.statement == "A and B tie: mean rank 1.50 of 2 methods over 1 data set. Add data sets."
    assert made({"p": {"A": (1.0,)}}, ["adjusted_rand"]).statement == ""
    assert Benchmark().statement == ""
    assert made({"p": {"A": (), "B": ()}}, []).winners == ()


def test_a_winner_is_ahead_by_more_than_the_standard_error():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 12):
        scores = rng.normal(size=(n, 3)) + np.array([0.6, 0.0, 0.0])
        values = {f"set {i}": dict(zip("ABC", scores[i][:, None].tolist(), strict=True)) for i in range(n)}
        result = made(values, ["adjusted_rand"])
        ranks = rankdata(-scores, axis=1)
        order = np.argsort(ranks.mean(axis=0), kind="stable")
        behind = ranks - ranks[:, order[:1]]
        errors = behind.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.zeros(3)
        tied = [i for i in order if behind[:, i].mean() == 0 or behind[:, i].mean() < errors[i]]
        assert result.winners == tuple("ABC"[i] for i in tied)
        assert result.answer.strength == ("contested" if len(tied) > 1 else "weak" if n == 1 else "clear")


def test_statements_are_short_whatever_the_names():
    names = [f"method number {i} of a long list with a long name" for i in range(6)]
    values = {d: {name: (float(i), -float(i)) for i, name in enumerate(names)} for d in ("p", "q")}
    for used in (["adjusted_rand", "mse"], ["adjusted_rand", "rand"]):
        for some in (names, names[:3], names[:2]):
            result = made({d: {n: values[d][n] for n in some} for d in values}, used)
            assert len(result.statement.split()) <= 25


def test_noise_is_counted_and_shown():
    X, y = SETS["line"]
    methods = {"KM": KM, "dense": DBSCAN(eps=1.0, min_samples=2), "all": DBSCAN(eps=1.0, min_samples=3)}
    far = (np.r_[X, [[50.0]]], [*y, 3])
    result = pt.benchmark(methods, {"line": (X, y), "far": far}, n_runs=1, indices=["ARI"], random_state=0)
    assert (result.coverage("line", "dense"), result.coverage("far", "dense")) == pytest.approx((1.0, 6 / 7))
    assert (result.coverage("far", "all"), result.coverage("far", "KM")) == (0.0, 1.0)
    assert result.mean("far", "dense", "adjusted_rand") == 1.0  # noise is a cluster of one object here
    frame = result.to_frame()
    (row,) = frame[(frame["data"] == "far") & (frame["method"] == "dense")].to_dict("records")
    assert (row["clusters"], row["coverage"]) == pytest.approx((3, 6 / 7))
    assert result.table().columns == ("data", "k", "method", "coverage", "ARI")
    assert "noise counts as one more cluster: all on line, dense on far, all on far" in result.notes
    assert "dense leaves up to 14% of the objects out" in [r.short for r in result.answer.because]
    assert pt.benchmark({"KM": KM}, {"line": (X, y)}, n_runs=1, indices=["ARI"]).table().columns[3] == "ARI"


def test_the_table_has_means_with_deviations():
    runs = [BenchmarkRun("p", "A", i, i, {"adjusted_rand": v}) for i, v in enumerate((0.5, 0.7, 0.9))]
    text = str(Benchmark(indices=("adjusted_rand",), runs=tuple(runs), ks={"p": 4}))
    assert "0.7000 (0.2)" in text
    assert "standard deviation" in text


class Failing(KMeans):
    """Fails on data of one feature, with an error that no sweep expects."""

    def fit(self, X, y=None, sample_weight=None):
        if X.shape[1] == 1:
            raise RuntimeError("no")
        return super().fit(X)


def test_failures_are_noted_and_come_last():
    result = pt.benchmark({"bad": Failing(n_init=1), "KM": KM}, SETS, n_runs=2, random_state=0)
    assert "bad failed on line (2 runs): RuntimeError: no" in result.notes
    frame = result.to_frame()
    failed = frame[(frame["data"] == "line") & (frame["method"] == "bad")]
    assert failed["value"].isna().all()
    assert set(failed["caveat"]) == {"RuntimeError: no"}
    assert list(result.mean_ranks) == ["KM", "bad"]


def test_an_index_that_cannot_judge_is_noted():
    result = pt.benchmark({"KM": KM}, SETS, n_runs=1, indices=["bic", "ARI"], random_state=0)
    assert math.isnan(result.mean("line", "KM", "bic"))
    assert any(note.startswith("not computed: bic: needs a fitted Gaussian mixture") for note in result.notes)


def test_work_goes_on_where_it_was(tmp_path, monkeypatch):
    given = {"methods": {"KM": KM}, "data": SETS, "n_runs": 2, "checkpoint": tmp_path / "kept"}
    first = pt.benchmark(**given, random_state=0)
    monkeypatch.setattr(_benchmark, "fit_and_judge", lambda *_: pytest.fail("fitted again"))
    assert pt.benchmark(**given, random_state=0).to_frame().equals(first.to_frame())
    with pytest.raises(FileError, match="other work"):
        pt.benchmark(**(given | {"n_runs": 3}), random_state=0)


@pytest.mark.parametrize(
    ("methods", "data", "words"),
    [
        ({}, SETS, "methods must be a dictionary"),
        ([KM], SETS, "methods must be a dictionary"),
        ({"KM": KM}, {}, "data must be a dictionary"),
        ({"KM": KMeans}, SETS, "method 'KM'"),
        ({"KM": KM}, {"odd": SETS["line"][0]}, "data set 'odd' must be a pair"),
        (
            {"KM": KM},
            {"gaps": ([[0.0], [math.nan]], [0, 1])},
            "data set 'gaps' cannot be clustered: X has missing",
        ),
        ({"KM": KM}, {"short": ([[0.0], [1.0]], [0, 1, 1])}, "data set 'short' cannot be clustered"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(methods, data, words):
    with pytest.raises(ParameterError) as caught:
        pt.benchmark(methods, data, n_runs=1)
    assert words in str(caught.value)
    assert caught.value.parameter in ("methods", "data")
