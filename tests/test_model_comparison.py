"""Several candidates against one truth, and against each other."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import partita as pt
from partita.chance.bootstraps import Replicates
from partita.errors import MismatchError, ParameterError, PartitaError, UnknownNameError
from partita.inputs import prepare
from partita.model_verdicts import ModelComparison, ModelValue
from partita.registry import find

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, 120)


def noisy(kept, seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(TRUTH.size) < kept, TRUTH, rng.integers(0, 3, TRUTH.size))


GOOD, FAIR, BAD = noisy(0.95, 1), noisy(0.9, 2), noisy(0.3, 3)
SOFT = 0.7 * np.eye(3)[FAIR] + 0.1


def test_who_is_better_is_said_where_it_is_decided_and_only_there():
    result = pt.compare_models(TRUTH, {"good": GOOD, "bad": BAD}, bootstrap=200)
    assert result.best == result.leading == "good"
    assert result.strength == "clear"
    assert result.statement == "good: best by 3 of 3 families; better than bad by all 6 indices"
    close = pt.compare_models(TRUTH, {"one": GOOD, "two": noisy(0.94, 7), "bad": BAD}, bootstrap=300)
    assert close.best is None
    assert close.leading in ("one", "two")
    assert close.strength == "weak"
    assert "better than bad by" in close.statement
    assert "not decided against" in close.statement


def test_values_are_those_of_compare_and_differences_theirs():
    found = {"good": GOOD, "soft": SOFT, "bad": BAD}
    result = pt.compare_models(TRUTH, found, ["ARI", "VI"], bootstrap=99, random_state=4)
    for name, one in found.items():
        alone = pt.compare(TRUTH, one, indices=["ARI", "VI"])
        for index in ("ARI", "VI"):
            assert result[index][name].value == pytest.approx(alone[index].value)
    for index, pick in (("ARI", max), ("VI", min)):
        values = {name: row.value for name, row in result[index].items()}
        best = pick(values, key=values.get)
        assert result.best_by[find(index).label] == (best,)
        for name, row in result[index].items():
            if name == best:
                assert math.isnan(row.difference)
                assert math.isnan(row.p)
            else:
                assert row.difference == pytest.approx(values[name] - values[best])
                assert row.difference_low <= row.difference_high
                assert 0.0 < row.p <= 1.0
    assert any("different kinds" in note for note in result.notes)


def test_candidates_are_judged_on_the_same_drawn_objects():
    """The replicates of each candidate are those of the drawn labels of all of them together."""
    inputs = {n: prepare({"truth": TRUTH, "found": one}) for n, one in {"a": GOOD, "b": BAD}.items()}
    same = prepare({"truth": TRUTH, "x": GOOD, "y": BAD})
    joint = {
        "a": prepare({"truth": TRUTH, "found": GOOD}),
        "b": prepare({"truth": TRUTH, "found": BAD}),
    }
    joint = {
        name: type(one)({"truth": same.partitions["truth"], "found": same.partitions[side]}, one.n_objects)
        for (name, one), side in zip(joint.items(), ("x", "y"), strict=True)
    }
    entry = find("ARI")
    drawn = Replicates({n: [entry] for n in joint}, joint, 400, 0).drawn
    apart = drawn["a"]["adjusted_rand"] - drawn["b"]["adjusted_rand"]
    alone = [Replicates({n: [entry]}, {n: one}, 400, s).drawn[n] for s, (n, one) in enumerate(inputs.items())]
    unpaired = alone[0]["adjusted_rand"] - alone[1]["adjusted_rand"]
    assert apart.mean() == pytest.approx(unpaired.mean(), abs=0.02)
    identical = Replicates({n: [entry] for n in "ab"}, {"a": joint["a"], "b": joint["a"]}, 50, 0).drawn
    assert (identical["a"]["adjusted_rand"] == identical["b"]["adjusted_rand"]).all()


def test_a_candidate_and_its_twin_are_not_told_apart():
    renamed = (GOOD + 1) % 3
    result = pt.compare_models(TRUTH, {"one": GOOD, "twin": renamed}, ["ARI", "VI"], bootstrap=60)
    assert {row.p for row in result.rows if not math.isnan(row.p)} == {1.0}
    assert result.best is None
    assert result.leading is None
    assert result.strength == "weak"
    assert "not decided between one and twin" in result.statement


def test_p_is_about_uniform_between_equally_good_candidates():
    """Two candidates with the same law: p at most 0.1 in about a tenth of draws, not in a third."""
    rng = np.random.default_rng(5)
    low = 0
    for seed in range(120):
        truth = rng.integers(0, 3, 100)
        pair = {name: np.where(rng.random(100) < 0.8, truth, rng.integers(0, 3, 100)) for name in ("a", "b")}
        result = pt.compare_models(truth, pair, ["RI"], bootstrap=200, random_state=seed)
        low += min(row.p for row in result.rows if not math.isnan(row.p)) <= 0.1
    assert 3 <= low <= 24


def equal_candidates(seed, n=150):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return truth, {name: np.where(rng.random(n) < 0.8, truth, rng.integers(0, 3, n)) for name in "ab"}


def named_best(seeds):
    """How often one of two candidates with the same law is called best by the headline indices."""
    results = [pt.compare_models(*equal_candidates(seed), bootstrap=240, random_state=seed) for seed in seeds]
    return np.mean([result.best is not None for result in results])


def test_a_best_of_two_equal_candidates_is_hardly_ever_named():
    """Each of three families was one more chance at the whole level: 7 to 10 %."""
    assert named_best(range(24)) <= 0.1


@pytest.mark.full
def test_a_best_of_two_equal_candidates_is_named_at_most_at_the_level():
    assert named_best(range(600)) <= 0.05


def test_too_few_replicates_to_decide_anything_are_said():
    truth, candidates = equal_candidates(0)
    few = pt.compare_models(truth, candidates, bootstrap=60)
    assert any("bootstrap=60 can decide nothing" in note and "needs 119" in note for note in few.notes)
    enough = pt.compare_models(truth, candidates, bootstrap=119)
    assert not any("can decide nothing" in note for note in enough.notes)


def test_few_objects_are_left_out_in_turn():
    result = pt.compare_models(TRUTH[:12], {"good": GOOD[:12], "bad": BAD[:12]}, ["VI"], bootstrap=50)
    rows = result["VI"]
    assert "jackknife" in result.notes[-1]
    worse = max(rows.values(), key=lambda row: row.value)
    assert worse.difference_low < worse.difference < worse.difference_high
    assert 0.0 < worse.p < 1.0


def row(index, candidate, value, p=math.nan, direction="higher"):
    return ModelValue(index, "", direction, candidate, value, p=p)


def verdict(*rows):
    names = tuple(dict.fromkeys(r.candidate for r in rows))
    return ModelComparison(rows=rows, candidates=names)


def test_indices_that_decide_for_different_candidates_are_contested():
    result = verdict(
        row("adjusted_rand", "a", 0.9),
        row("adjusted_rand", "b", 0.5, 0.001),
        row("nmi_sum", "a", 0.8),
        row("nmi_sum", "b", 0.7, 0.6),
        row("purity", "a", 0.3, 0.001),
        row("purity", "b", 0.6),
    )
    assert result.leading == "a"
    assert result.best is None
    assert result.strength == "contested"
    assert result.statement == (
        "a: best by 2 of 3 families; better than b by adjusted_rand; but b is better by purity;"
        " not decided by nmi_sum"
    )


def test_kin_are_one_voice():
    """Three indices of pairs are one family, which one of information and one of matching outvote."""
    pairs = [
        row(i, n, v) for i in ("rand", "jaccard", "fowlkes_mallows") for n, v in (("a", 0.9), ("b", 0.8))
    ]
    others = [row(i, n, v) for i in ("nmi_sum", "purity") for n, v in (("a", 0.7), ("b", 0.8))]
    assert verdict(*pairs, *others).leading == "b"


def test_a_level_is_divided_among_candidates_and_families():
    two = verdict(row("rand", "a", 0.9), row("rand", "b", 0.8, 0.03))
    assert two.worse_by == {"rand": ("b",)}
    families = verdict(
        row("rand", "a", 0.9),
        row("rand", "b", 0.8, 0.03),
        row("nmi_sum", "a", 0.9),
        row("nmi_sum", "b", 0.8, 0.02),
    )
    assert families.level == pytest.approx(0.025)
    assert families.fewest_replicates == 79  # 2 / (79 + 1) = 0.025
    assert families.worse_by == {"rand": (), "nmi_sum": ("b",)}
    three = verdict(row("rand", "a", 0.9), row("rand", "b", 0.8, 0.03), row("rand", "c", 0.1, 0.002))
    assert three.worse_by == {"rand": ("c",)}


def test_results_are_kept_printed_and_looked_up():
    result = pt.compare_models(TRUTH, {"good": GOOD, "bad": BAD}, ["ARI", "VI"], bootstrap=99, random_state=2)
    back = ModelComparison.from_dict(json.loads(result.write("json")))
    assert back.rows == result.rows
    assert str(back) == str(result)
    assert (back.best, back.strength) == (result.best, result.strength)
    assert result.provenance["seed"] == 2
    assert result.provenance["bootstrap"] == 99
    frame = result.to_frame()
    assert len(frame) == 4
    assert {"value", "ci_low", "difference", "difference_low", "p"} <= set(frame.columns)
    assert "95% interval" in str(result)
    with pytest.raises(UnknownNameError):
        result["NMI"]
    with pytest.raises(ParameterError):
        ModelComparison.from_dict({"result": "Comparison"})


# --- without a truth --------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_without_a_truth_all_pairs_are_compared(library):
    frame = library({"good": GOOD, "fair": FAIR, "bad": BAD})
    result = pt.compare_models(None, frame, ["ARI", "purity"], bootstrap=60)
    values = result.matrix("ARI")
    assert list(values.columns) == ["good", "fair", "bad"]
    assert values.loc["good", "fair"] == pytest.approx(pt.indices.adjusted_rand(GOOD, FAIR))
    assert values.loc["fair", "good"] == values.loc["good", "fair"]
    assert values.loc["bad", "bad"] == 1.0
    purity = result.matrix("purity")
    assert purity.loc["good", "bad"] == pytest.approx(pt.indices.purity(GOOD, BAD))
    assert purity.loc["bad", "good"] == pytest.approx(pt.indices.purity(BAD, GOOD))
    assert result.closest == ("good", "fair")
    assert result.best is None
    assert result.statement.startswith("closest: good and fair (adjusted_rand ")
    assert type(result)(**{f: getattr(result, f) for f in ("rows", "own")}).rows == result.rows
    back = pt.PairwiseAgreement.from_dict(json.loads(result.write("json")))
    assert back.rows == result.rows
    assert str(back) == str(result)
    assert isinstance(result.to_frame(), library)
    row = result.rows[0]
    assert row.ci_low < row.value < row.ci_high


def test_what_a_soft_clustering_scores_against_itself_is_on_the_diagonal():
    result = pt.compare_models(None, {"soft": SOFT, "hard": FAIR}, ["NMI"], bootstrap=30)
    assert result.matrix("NMI").loc["soft", "soft"] == pytest.approx(pt.self_agreement(SOFT, "NMI"))


# --- what callers give ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("candidates", "error"),
    [
        ({"a": [0, 1, 1], "b": [0, 1]}, MismatchError),
        (
            {"a": pd.Series([0, 1, 1], index=[1, 2, 3]), "b": pd.Series([0, 1, 1], index=[2, 3, 4])},
            MismatchError,
        ),
        ({"a": [0, 1, 1]}, ParameterError),
        ({}, ParameterError),
        ([("a", [0, 1, 1]), ("a", [0, 0, 1])], ParameterError),
        ({1: [0, 1, 1], "1": [0, 0, 1]}, ParameterError),
        (pd.DataFrame([[0, 1], [1, 1], [1, 0]], columns=["a", "a"]), ParameterError),
        ([0, 1, 1], ParameterError),
        (None, PartitaError),
    ],
)
@pytest.mark.parametrize("truth", [[0, 0, 1], None])
def test_bad_candidates_are_refused(candidates, error, truth):
    with pytest.raises(error):
        pt.compare_models(truth, candidates)


def test_bad_numbers_are_refused():
    pair = {"a": GOOD, "b": BAD}
    for wrong in ({"bootstrap": 0}, {"bootstrap": True}, {"confidence": 1.0}, {"confidence": 0.0}):
        with pytest.raises(ParameterError):
            pt.compare_models(TRUTH, pair, **wrong)
    with pytest.raises(UnknownNameError):
        pt.compare_models(TRUTH, pair, ["no such index"])


def test_pairs_with_a_name_are_candidates_and_noise_is_left_out_for_all():
    noise = np.where(np.arange(120) < 20, -1, GOOD)
    result = pt.compare_models(TRUTH, [("a", noise), ("b", BAD)], ["ARI"], noise="ignore", bootstrap=40)
    assert result.provenance["n"] == 100
    assert result["ARI"]["b"].value == pytest.approx(pt.indices.adjusted_rand(TRUTH[20:], BAD[20:]))


@pytest.mark.parametrize("truth", [[0], [0, 1], [0] * 30, list(range(25))])
def test_degenerate_truths_never_raise(truth):
    n = len(truth)
    result = pt.compare_models(truth, {"a": [0] * n, "b": list(range(n)), "c": truth}, bootstrap=20)
    assert len(result.rows) > 0
    assert isinstance(result.statement, str)
    assert "nan" not in result.statement
    assert isinstance(str(result), str)
