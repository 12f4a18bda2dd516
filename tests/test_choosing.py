"""choose_k at its edges: names, votes, what is left out, what is infinite, costly or impossible."""

from __future__ import annotations

import json
import math
from functools import cache, partial
from itertools import count

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN

import partita as pt
from partita.cluster import FuzzyCMeans, GaussianMixtureEM, RandomSwap
from partita.errors import ParameterError, PartitaError, TooLargeError, UnknownNameError
from partita.fits.models import method_or_usual
from partita.fits.settings import Grid
from partita.registry import find
from partita.registry.curves import curves, find_curve
from partita.selection import ChoiceOfK, index_panel, sweep
from partita.selection.index_panel import HEADLINE_OF, Panel, method_sort
from partita.selection.sweep import ANOTHER_RUN, Fit, Sweep
from partita.selection.votes import evaluate
from shared_data import features

choose_k = partial(pt.choose_k, structure=False)
"""Without the test of structure, which test_structure and test_verdict are about."""

CLOUDS = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)


def decided(values: dict[str, list[float]], *, ks=None, curve_names=(), entries=None) -> ChoiceOfK:
    """The choice from given values over k, one run each."""
    count_of_ks = len(next(iter(values.values())))
    ks = tuple(ks or range(1, count_of_ks + 1))
    labels = list(values)
    panel = Panel(
        tuple(find(name) for name in (labels if entries is None else entries)),
        tuple(find_curve(name) for name in curve_names),
    )
    fits = [
        Fit(k, 0, 0, 1.0, {name: float(values[name][i]) for name in labels}, dict.fromkeys(labels, ""))
        for i, k in enumerate(ks)
    ]
    whole = Sweep(np.zeros((50, 2)), None, None, Grid("n_clusters", ks, True), 1, panel)
    curves, choices, selected, _ = evaluate(whole, fits)
    return ChoiceOfK(ks=ks, fits=tuple(fits), curves=curves, choices=choices, selected=selected)


# --- every name that is printed can be looked up --------------------------------------------------------


def printed_names(choice: ChoiceOfK) -> set[str]:
    chosen, over_k = choice.more()
    chosen_by = {name for row in over_k.rows for name in str(row[-1]).split(", ") if name}
    return {row[0] for row in chosen.rows} | set(over_k.columns[1:-1]) | chosen_by


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (None, {"indices": ["CH"], "consensus": ["VI", "ARI"]}),
        (GaussianMixtureEM(), {"indices": ["PNC:min_points=5", "BIC", "second_difference", "angle", "gap"]}),
        (
            None,
            {"indices": ["silhouette:metric=cityblock", "silhouette", "DBI:q=1", "DBI"], "consensus": "VI"},
        ),
        (None, {"indices": ["second_difference:of=ssw", "second_difference", "hartigan", "jump", "ssw"]}),
    ],
    ids=["consensus", "options", "twice", "curves"],
)
def test_every_name_that_is_printed_can_be_looked_up(estimator, options):
    choice = choose_k(CLOUDS, estimator, range(1, 6), n_runs=2, n_null=2, random_state=0, **options)
    names = printed_names(choice)
    assert len(names) >= len(choice.choices)
    again = ChoiceOfK.from_dict(json.loads(choice.write("json")))
    for name in names:
        assert choice[name].index in choice.choices
        assert again[name] == choice[name]


def test_names_without_options_mean_the_one_that_has_them():
    choice = choose_k(
        CLOUDS,
        GaussianMixtureEM(),
        [2, 3, 4],
        n_runs=2,
        indices=["PNC:min_points=5", "silhouette:metric=cityblock", "silhouette:metric=chebyshev"],
        consensus="VI",
        rules={"PNC": "first_max"},
        random_state=0,
    )
    assert choice["PNC"] is choice["partition_negentropy:min_points=5"]
    assert choice["PNC"].rule == "first_max"
    assert choice["consensus VI"] is choice["Consensus variation_of_information"]
    with pytest.raises(ParameterError, match="more than one choice"):
        choice["silhouette"]
    for unknown in ("VI", "CH", "gap", "consensus ARI", "consensus", "nothing"):
        with pytest.raises(UnknownNameError):
            choice[unknown]
    with pytest.raises(ParameterError):
        choice[5]


def test_the_catalogue_find_and_the_cards_know_the_same_names():
    from partita.results.catalogue import card, catalogue

    listed = [row["index"] for row in catalogue().records()]
    assert {c.name for c in curves()} <= set(listed)
    for name in listed:
        assert pt.indices.find(name).name == getattr(pt.indices, name).name == card(name).name == name
    assert pt.indices.find("Gap") is pt.indices.find(find_curve("gap"))


@pytest.mark.parametrize("name", ["gap", "hartigan", "jump", "angle:of=ssw"])
@pytest.mark.parametrize(
    "call",
    [
        lambda name: pt.compare([0, 1], [0, 1], indices=[name]),
        lambda name: pt.validate(CLOUDS, np.zeros(90, int), indices=[name]),
        lambda name: pt.consensus_index([[0, 1], [0, 1]], name),
        lambda name: pt.stability(CLOUDS, indices=name),
        lambda name: choose_k(CLOUDS, consensus=name),
    ],
    ids=["compare", "validate", "consensus_index", "stability", "choose_k"],
)
def test_a_curve_where_an_index_is_wanted_is_called_a_curve(call, name):
    with pytest.raises(PartitaError, match=f"{name} is a curve over numbers of clusters") as problem:
        call(name)
    assert "choose_k" in problem.value.fix


def test_an_index_of_data_and_two_clusterings_is_sent_to_the_call_that_takes_it():
    labels = np.repeat([0, 1, 2], 30)
    for refused in (
        lambda: pt.validate(CLOUDS, labels, indices=["CI"]),
        lambda: pt.compare(labels, labels, indices=["CI"]),
    ):
        with pytest.raises(ParameterError) as problem:
            refused()
        assert "partita.indices.centroid_index(X, truth, found)" in problem.value.fix
    assert pt.indices.centroid_index(CLOUDS, labels, labels) == 0
    with pytest.raises(ParameterError) as problem:
        pt.validate(CLOUDS, labels, indices=["ARI"])
    assert "compare(truth, found)" in problem.value.fix


# --- curves read the index that is in the sweep ---------------------------------------------------------


@cache
def sweep_of_mixtures(*indices):
    return choose_k(
        CLOUDS, GaussianMixtureEM(), ks=range(1, 6), n_runs=2, random_state=0, indices=list(indices)
    )


@pytest.mark.parametrize("name", ["second_difference", "angle"])
@pytest.mark.parametrize(
    ("asked", "of"),
    [
        (["{}", "BIC"], "bic"),
        (["BIC", "{}"], "bic"),
        (["{}:of=bic"], "bic"),
        (["{}:of=BIC", "bic"], "bic"),
        (["{}"], "bic_partition"),
        (["{}", "bic_partition"], "bic_partition"),
        (["{}:of=bic_partition", "BIC"], "bic_partition"),
        (["{}:of=ssw", "BIC"], "ssw"),
    ],
    ids=str,
)
def test_a_curve_is_that_of_the_index_it_names(name, asked, of):
    """Its values are what the formula makes of the values of that index, of the same runs."""
    choice = sweep_of_mixtures(*(text.format(name) for text in asked))
    read = sweep_of_mixtures(of).curves[of].values
    expected = find_curve(name)(choice.ks, read, 90, 2).values
    (curve,) = (c for label, c in choice.curves.items() if label.startswith(name))
    np.testing.assert_array_equal(curve.values, expected)
    assert choice[name].index == curve.index


def test_a_curve_reads_only_what_falls_and_only_if_it_may():
    for name in (
        "second_difference:of=silhouette",
        "angle:of=VI",
        "gap:of=bic",
        "angle:by=ssw",
        "angle:of=5",
    ):
        with pytest.raises(PartitaError):
            choose_k(CLOUDS, GaussianMixtureEM(), [1, 2, 3], indices=[name], truth=np.zeros(90))


# --- infinite values ------------------------------------------------------------------------------------


def test_what_is_infinite_stays_so_and_no_rule_takes_it():
    """Dunn at k = n: no cluster has a width."""
    X = CLOUDS[[*range(4), *range(30, 34)]]
    for search in ("brute force", "stepwise", "hierarchical"):
        choice = choose_k(X, ks=range(2, 9), n_runs=1, indices=["dunn"], search=search, random_state=0)
        values = choice.curves["dunn"].values
        assert values[-1] == math.inf
        assert "no cluster has a width" in choice.curves["dunn"].caveats[-1]
        sound = [k for k in choice.ks if not choice.fit_at(k).flaw]  # not a single object alone
        best = max(sound, key=lambda k: values[k - 2])
        assert choice["dunn"].k == (best if len(sound) > 1 else None)
        assert choice.to_frame().query("k == 8")["value"].eq(math.inf).all()
        again = ChoiceOfK.from_dict(json.loads(choice.write("json")))
        assert str(again) == str(choice)


@given(
    values=st.lists(
        st.floats(-5, 5) | st.sampled_from([math.inf, -math.inf, math.nan]), min_size=2, max_size=8
    )
)
def test_infinite_values_are_kept_and_passed_over(values):
    choice = decided({"dunn": values})
    np.testing.assert_array_equal(choice.curves["dunn"].values, values)
    known = {k: v for k, v in enumerate(values, start=1) if math.isfinite(v)}
    if len(known) >= 2 and 2 * len(known) >= len(values):
        assert choice["dunn"].k == min(k for k in known if known[k] == max(known.values()))
    else:
        assert choice["dunn"].k is None


# --- who votes ------------------------------------------------------------------------------------------


@given(values=st.lists(st.just(math.nan) | st.integers(0, 9), min_size=1, max_size=9))
def test_an_index_chooses_only_where_it_is_defined_on_half_of_the_range(values):
    """At half of the numbers of clusters that were tried, and at two of them if there were two."""
    choice = decided({"dunn": values, "silhouette": [0.5] * len(values)})
    known = sum(not math.isnan(v) for v in values)
    enough = 2 * known >= len(values) and known >= min(2, len(values))
    assert (choice["dunn"].k is not None) == enough
    at_end = choice["dunn"].k == len(values) > 1
    assert choice["dunn"].no_vote == (f"k = {len(values)} is the largest tried" if at_end else "")
    assert sum(choice.votes.values()) == 1 + (enough and not at_end)
    if known and not enough:
        reason = choice["dunn"].verdict.reason
        assert reason == f"no vote: dunn has a value at only {known} of {len(values)} numbers of clusters"
        assert reason in str(choice.more()[0])


def test_a_curve_is_defined_where_the_index_that_it_reads_is():
    """An angle has a value at its knees only; that is no reason to take its vote away."""
    falling = [100.0, 50.0, 20.0, 18.0, 17.0, 16.0, 15.0, 14.0]
    choice = decided({"ssw": falling}, curve_names=["angle:of=ssw"], entries=[])
    assert np.isfinite(choice.curves["angle:of=ssw"].values).sum() < 4
    assert choice["angle"].k is not None
    few = [100.0, 50.0, 20.0] + [math.nan] * 5
    choice = decided({"ssw": few}, curve_names=["second_difference:of=ssw"], entries=[])
    assert choice["second_difference"].k is None
    assert "ssw has a value at only 3 of 8" in choice["second_difference"].verdict.reason


def test_negentropy_of_components_that_are_too_small_has_no_vote():
    X = np.random.default_rng(2).normal(size=(40, 2))
    choice = choose_k(
        X, GaussianMixtureEM(), range(1, 9), n_runs=2, indices=["PNC:min_points=15", "BIC"], random_state=0
    )
    known = np.isfinite(choice.curves["partition_negentropy:min_points=15"].values).sum()
    assert 0 < known < 4
    assert choice["PNC"].k is None
    assert sum(choice.votes.values()) == 1


# --- what is left out -----------------------------------------------------------------------------------


def test_a_usual_index_that_cannot_judge_is_left_out_with_its_reason():
    X = features("heart_statlog")
    choice = choose_k(X, GaussianMixtureEM(), range(1, 4), n_runs=1, random_state=0)
    assert list(choice.choices) == ["bic", "icl", "silhouette", "second_difference:of=bic"]
    (note,) = (note for note in choice.notes if note.startswith("left out"))
    assert note.startswith("left out: partition_negentropy (some features are not continuous")
    rows = choice.to_frame().query("index == 'partition_negentropy'")
    assert rows["value"].isna().all()
    assert rows["caveat"].str.contains("not continuous").all()
    assert str(ChoiceOfK.from_dict(json.loads(choice.write("json")))) == str(choice)
    with pytest.raises(ParameterError, match="not continuous"):
        choose_k(X, GaussianMixtureEM(), range(1, 4), n_runs=1, indices=["PNC", "BIC"])


class LikeAMixture(ClusterMixin, BaseEstimator):
    """It has the parameters of a mixture of Gaussians and is none."""

    def __init__(self, n_components=2, covariance_type="full"):
        self.n_components = n_components
        self.covariance_type = covariance_type

    def fit(self, X, y=None):
        self.labels_ = np.arange(len(X)) % self.n_components
        return self


@pytest.mark.parametrize("columns", [[], [0], [0, 1]], ids=["none", "one", "both"])
@pytest.mark.parametrize(
    "estimator", [None, GaussianMixtureEM(), FuzzyCMeans(), LikeAMixture()], ids=lambda e: type(e).__name__
)
def test_the_usual_indices_never_refuse_data(estimator, columns):
    """Whatever the columns and the method, something is judged, and what is not is named."""
    X = CLOUDS.copy()
    X[:, columns] = X[:, columns] > 4
    choice = choose_k(X, estimator, [1, 2, 3], n_runs=1, random_state=0)
    left_out = [note for note in choice.notes if note.startswith("left out")]
    assert len(choice.choices) + len(left_out) == len(HEADLINE_OF[method_sort(method_or_usual(estimator))])
    assert choice.choices


# --- what is costly -------------------------------------------------------------------------------------


@pytest.mark.parametrize("pool", ["objective", "index"])
@pytest.mark.parametrize(
    "estimator", [None, FuzzyCMeans(), GaussianMixtureEM()], ids=lambda e: type(e).__name__
)
def test_only_the_runs_that_speak_are_judged_by_what_is_costly(estimator, pool, monkeypatch, tmp_path):
    """Printed results do not change; of the rows only those go that nothing was chosen by."""
    options = {
        "ks": range(1, 5),
        "n_runs": 3,
        "indices": ["calinski_harabasz", "silhouette", "dunn", "ARI"],
        "truth": np.repeat([0, 1, 2], 30),
        "pool": pool,
        "random_state": 0,
    }
    whole = choose_k(CLOUDS, estimator, **options)
    monkeypatch.setattr(sweep, "MOST_PAIR_OPERATIONS", 0.0)
    frugal = choose_k(CLOUDS, estimator, **options)
    kept = choose_k(CLOUDS, estimator, checkpoint=tmp_path, **options)
    resumed = choose_k(CLOUDS, estimator, checkpoint=tmp_path, n_jobs=2, **options)
    assert str(frugal) == str(whole) == str(kept) == str(resumed)
    pd.testing.assert_frame_equal(frugal.to_frame(), resumed.to_frame(), check_exact=True)
    one, other = (c.to_frame().set_index(["k", "run", "index"]) for c in (whole, frugal))
    costly = other.index.get_level_values("index").isin(["silhouette", "dunn"])
    speaks = np.array([pool == "index" or whole.selected[k] == run for k, run, _ in other.index])
    silent = costly & ~speaks
    assert silent.any() == (pool == "objective")
    pd.testing.assert_frame_equal(one[~silent], other[~silent])
    assert other[silent]["value"].isna().all()
    assert (other[silent]["caveat"] == ANOTHER_RUN).all()


def test_without_an_objective_every_run_is_judged(monkeypatch):
    class Silent(LikeAMixture):
        def __init__(self, n_components=2, random_state=None):
            self.n_components = n_components
            self.random_state = random_state

    monkeypatch.setattr(sweep, "MOST_PAIR_OPERATIONS", 0.0)
    choice = choose_k(CLOUDS, Silent(), [2, 3], n_runs=2, indices="silhouette")
    assert all(math.isfinite(fit.values["silhouette"]) for fit in choice.fits)


def test_small_data_is_judged_in_every_run_where_each_index_has_its_own_best():
    options = {"ks": [2, 3], "n_runs": 3, "indices": "silhouette", "random_state": 0}
    whole = choose_k(CLOUDS, pool="index", **options)
    assert all(math.isfinite(fit.values["silhouette"]) for fit in whole.fits)
    some = choose_k(CLOUDS, **options)
    assert [f.run for f in some.fits if math.isfinite(f.values["silhouette"])] == [*some.selected.values()]


def test_an_index_that_is_best_at_an_end_of_the_range_has_no_vote():
    rising = {"silhouette": [0.1, 0.2, 0.3, 0.4], "dunn": [0.4, 0.3, 0.2, 0.1]}
    choice = decided(rising, ks=(2, 3, 4, 5))
    assert (choice["silhouette"].k, choice["silhouette"].no_vote) == (5, "k = 5 is the largest tried")
    assert (choice["dunn"].k, choice["dunn"].no_vote) == (2, "")  # with one cluster it has no value
    assert choice.votes == {2: 1}
    beyond = decided(rising, ks=(4, 5, 6, 7))
    assert beyond["dunn"].no_vote == "k = 4 is the smallest tried"
    assert beyond.votes == {}
    assert "no vote: k = 7 is the largest tried" in str(beyond.more()[0])
    alone = decided({"silhouette": [0.1]}, ks=(2,))  # nothing was swept
    assert alone.votes == {2: 1}


def test_silhouettes_of_many_objects_are_sampled_and_said_so(monkeypatch):
    monkeypatch.setattr(index_panel, "LARGE", 80)
    monkeypatch.setattr(index_panel, "SAMPLE", 40)
    choice = choose_k(CLOUDS, RandomSwap(), range(1, 5), n_runs=1, random_state=0)
    assert choice["silhouette"].index == "silhouette:sample_size=40"
    rows = choice.to_frame().query("index == 'silhouette:sample_size=40' and k == 3")
    assert "standard error" in rows["caveat"].item()
    named = choose_k(CLOUDS, RandomSwap(), range(1, 5), n_runs=1, indices="silhouette", random_state=0)
    assert named["silhouette"].index == "silhouette"  # who names it gets all of it


# --- what is refused before any work --------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"ks": range(1, 10**11)},
        {"ks": range(1, 10**18)},
        {"ks": count(1)},
        {"ks": (3 for _ in count())},
        {"ks": [10**5000]},
        {"n_runs": 10**30},
        {"n_runs": 10**5000},
        {"n_null": 10**30, "indices": "gap"},
    ],
    ids=["long range", "longer", "endless", "endless repetition", "large k", "runs", "large", "null"],
)
def test_work_that_would_never_end_is_refused_before_it_starts(options):
    given = {"X": CLOUDS, "ks": [2, 3], "indices": "CH", **options}
    with pytest.raises((ParameterError, TooLargeError)):
        choose_k(**given)
    if not {"n_null", "n_runs"} & set(options):
        with pytest.raises((ParameterError, TooLargeError)):
            pt.stability(CLOUDS, ks=options["ks"])


def test_too_many_repeats_are_refused():
    with pytest.raises(TooLargeError, match="too many fits"):
        pt.stability(CLOUDS, n_repeats=10**12)


strange = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(allow_nan=True, allow_infinity=True),
    st.complex_numbers(),
    st.text(max_size=5),
    st.binary(max_size=3),
    st.lists(st.integers(-2, 3) | st.none() | st.text(max_size=2), max_size=3),
    st.dictionaries(st.integers(0, 3) | st.text(max_size=2), st.integers(0, 3) | st.none(), max_size=2),
    st.sampled_from([object(), int, len, np.array(3), np.array([[2, 3]]), np.array(["CH", "DBI"]), np.nan]),
)
RUNS = [[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]]


def check_result_or_refusal(call, *args, **options):
    """A result that can be looked at, or an error of partita's own that says what is wrong and is no bug."""
    try:
        result = call(*args, **options)
    except PartitaError as refused:
        problem = refused
    else:
        assert result is not None
        assert str(result)
        return
    assert problem.what
    assert "this is a bug" not in str(problem)


@settings(max_examples=150)
@given(
    option=st.sampled_from(
        [
            "estimator",
            "ks",
            "n_runs",
            "indices",
            "truth",
            "consensus",
            "rules",
            "pool",
            "n_null",
            "search",
            "k_param",
            "metric",
            "n_jobs",
            "random_state",
            "missing",
            "space",
            "scale",
            "structure",
            "n_splits",
            "covariance_type",
        ]
    ),
    value=strange,
)
def test_choose_k_has_only_errors_of_its_own(option, value):
    options = {"ks": [2, 3], "n_runs": 1, "indices": ["CH"], option: value}
    if option in ("n_jobs", "n_runs", "n_splits") and isinstance(value, int) and 3 < value <= 10**6:
        return  # that is work, and not strange
    check_result_or_refusal(pt.choose_k, CLOUDS[:12], **options)


@settings(max_examples=100)
@given(
    option=st.sampled_from(["ks", "n_runs", "n_jobs", "metric", "scale", "missing", "structure", "X"]),
    value=strange,
)
def test_the_own_answer_has_only_errors_of_its_own(option, value):
    if option == "n_jobs" and isinstance(value, int) and 3 < value <= 10**6:
        return
    check_result_or_refusal(pt.choose_k, **{"X": CLOUDS[::8], "structure": False, option: value})


@settings(max_examples=100)
@given(
    option=st.sampled_from(
        [
            "estimator",
            "values",
            "eps",
            "n_runs",
            "indices",
            "truth",
            "n_jobs",
            "missing",
            "space",
            "scale",
            "structure",
            "random_state",
        ]
    ),
    value=strange,
)
def test_choose_value_has_only_errors_of_its_own(option, value):
    if option == "n_jobs" and isinstance(value, int) and 3 < value <= 10**6:
        return
    options = {"estimator": DBSCAN(), "values": {"eps": [1.0, 2.0]}, "structure": False, option: value}
    if option == "eps":
        options["values"] = {"eps": options.pop("eps")}
    check_result_or_refusal(pt.choose_value, CLOUDS[::8], **options)


@settings(max_examples=100)
@given(
    option=st.sampled_from(
        [
            "candidates",
            "a",
            "kinds",
            "indices",
            "scale",
            "noise",
            "missing",
            "noise_label",
            "structure",
            "n_neighbors",
            "random_state",
        ]
    ),
    value=strange,
)
def test_choose_has_only_errors_of_its_own(option, value):
    labels = np.arange(12) % 2
    options = {"candidates": {"a": labels, "b": labels[::-1]}, "structure": False, option: value}
    if option == "a":
        options["candidates"] = {"a": options.pop("a"), "b": labels}
    check_result_or_refusal(pt.choose, CLOUDS[::8], **options)


@settings(max_examples=150)
@given(
    option=st.sampled_from(
        [
            "estimator",
            "ks",
            "scheme",
            "strategy",
            "n_repeats",
            "indices",
            "threshold",
            "k_param",
            "random_state",
        ]
    ),
    value=strange,
)
def test_stability_has_only_errors_of_its_own(option, value):
    if option == "n_repeats" and isinstance(value, int) and 0 < value <= 10**6:
        return
    check_result_or_refusal(pt.stability, CLOUDS[::6], **{"ks": [2], "n_repeats": 1, option: value})


@settings(max_examples=150)
@given(
    option=st.sampled_from(["ensemble", "index", "X", "noise", "sample_weight", "on_undefined"]),
    value=strange,
)
def test_consensus_index_has_only_errors_of_its_own(option, value):
    check_result_or_refusal(pt.consensus_index, **{"ensemble": RUNS, "index": "VI", option: value})


@settings(max_examples=150)
@given(option=st.sampled_from(["ensemble", "n_clusters", "kind", "n_init"]), value=strange)
def test_consensus_has_only_errors_of_its_own(option, value):
    check_result_or_refusal(pt.consensus, **{"ensemble": RUNS, option: value})


def test_a_model_is_of_a_number_of_clusters():
    choice = choose_k(CLOUDS, ks=[2, 3], n_runs=1, indices="CH")
    for k in ([2], "2", None, 2.5, 9):
        with pytest.raises(ParameterError, match="no fit with k"):
            choice.model_at(k)
