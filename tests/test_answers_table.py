"""The measured tables, with made-up answers: agreement, counts, what is kept, and the page."""

from __future__ import annotations

import itertools
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import answers_table
import partita as pt
from answers import main
from answers_table import (
    LABELLED_SETS,
    MOST_OBJECTS,
    PAGE,
    RESULTS,
    Measured,
    Problem,
    Work,
    agreement,
    filled,
    labelled_set,
    measure,
    on_the_same_data,
    problems,
    quality,
    reliability,
    second_of,
    summary,
    tables,
)
from generated_data import blobs, gaussian
from plain_rules import REFUSED, Given, by_hdbscan, by_k_means, by_mixtures
from situations import SITUATIONS

# --- agreement --------------------------------------------------------------------------------------------


def adjusted_rand_by_pairs(truth, found):
    """Hubert and Arabie's index, every pair of objects counted."""
    pairs = list(itertools.combinations(range(len(truth)), 2))
    in_truth = [truth[i] == truth[j] for i, j in pairs]
    in_found = [found[i] == found[j] for i, j in pairs]
    both = sum(a and b for a, b in zip(in_truth, in_found, strict=True))
    expected = sum(in_truth) * sum(in_found) / len(pairs)
    return (both - expected) / ((sum(in_truth) + sum(in_found)) / 2 - expected)


@pytest.mark.parametrize("seed", range(5))
def test_agreement_is_the_adjusted_rand_index(seed):
    rng = np.random.default_rng(seed)
    truth, found = rng.integers(3, size=25), rng.integers(4, size=25)
    assert agreement(truth, found) == pytest.approx(adjusted_rand_by_pairs(truth, found))
    assert agreement(truth, truth + 7) == 1


def test_noise_of_the_truth_is_not_compared_and_noise_of_an_answer_is_a_cluster():
    truth = np.array([0, 0, 1, 1, -1, -1])
    assert agreement(truth, np.array([5, 5, 6, 6, 5, 7])) == 1
    assert agreement(truth, np.array([0, 0, -1, -1, 0, 1])) == 1


def test_no_answer_counts_0():
    assert agreement(np.array([0, 0, 1]), None) == 0
    one = measure("choose_k", Problem("made", "f", "n", 0), [np.array([0, 0, 1])], REFUSED)
    assert (one.ari, one.better, one.right, one.names_clusters) == (0, 0, False, False)


FINE = np.array([0, 0, 1, 1, 2, 2, 3, 3])
COARSE = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def test_an_answer_at_either_level_is_right():
    problem = Problem("made", "f", "n", 0)
    other = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    for given, right, ari, better, both in [
        (Given(4, FINE, COARSE), True, 1, 1, True),
        (Given(2, COARSE, FINE), True, 1, 1, True),
        (Given(2, COARSE), True, 1, 1, False),
        (Given(3, other, COARSE), False, agreement(COARSE, other), 1, False),
    ]:
        one = measure("choose_k", problem, [FINE, COARSE], given)
        assert one.true == (4, 2)
        assert (one.right, one.ari, one.better) == (right, pytest.approx(ari), better)
        assert one.finds_all_levels == both


def test_the_second_answer_is_a_level_or_an_alternative_with_other_clusters():
    def held(k, labels):
        return SimpleNamespace(k=k, partition=pt.HardPartition(labels))

    nearly = np.array([0, 0, 1, 1, 2, 2, 2, 3])
    answer = {"k": 4, "partition": pt.HardPartition(FINE)}
    itself, level, same_k = held(4, FINE), held(2, COARSE), held(4, COARSE * 3 + [0, 1] * 4)
    unlike = held(3, [0, 1, 2, 0, 1, 2, 0, 1])
    for levels, alternatives, expected in [
        ((level, itself), (unlike,), COARSE),
        ((), (same_k, unlike, level), unlike.partition.labels),
        ((itself,), (held(3, FINE.clip(max=2)), level), FINE.clip(max=2)),
        ((), (), None),
    ]:
        result = SimpleNamespace(**answer, levels=levels, alternatives=alternatives)
        np.testing.assert_array_equal(second_of(result, FINE), expected)
    assert agreement(FINE, nearly) < answers_table.DIFFERENT  # so few objects: one moved is a lot
    many = np.repeat(FINE, 50)
    moved = many.copy()
    moved[0] = 9
    result = SimpleNamespace(k=4, levels=(), alternatives=(held(5, moved),))
    assert second_of(result, many) is None


# --- counts by hand ---------------------------------------------------------------------------------------


def answer_of(rule, name, k, ari, strength="", better=None, true=(3,), source="made", seed=0, family="f"):
    second = () if better is None else (better,)
    return Measured(
        rule, Problem(source, family, name, seed), true, k, strength, (ari,), second or (0.0,), 0.0
    )


ANSWERS = [
    answer_of("choose_k", "a", 3, 1.0, "clear", 0.2),
    answer_of("choose_k", "b", 2, 0.4, "clear", 1.0),
    answer_of("choose_k", "c", 3, 0.9, "weak", 0.8),
    answer_of("choose_k", "d", None, 0.0, "no structure"),
]


def test_quality_by_hand():
    assert quality(ANSWERS) == {
        "answers": 4,
        "with a number": 0.75,
        "right k": 0.5,
        "ARI": pytest.approx(0.575),
        "better of two": pytest.approx((1 + 1 + 0.9 + 0) / 4),
        "ARI < 0.5": 0.5,
        "clear": 0.5,
    }


def test_reliability_by_hand():
    found = reliability(ANSWERS)
    assert list(found) == ["clear", "weak", "no structure", "all"]
    assert found["clear"]["answers"] == 2
    assert found["clear"]["ARI"] == pytest.approx(0.7)
    assert found["clear"]["right k"] == 0.5
    assert found["clear"]["ARI < 0.5"] == 0.5
    assert found["clear"]["better of two"] == 1
    assert found["weak"] == quality(ANSWERS[2:3])
    assert found["no structure"]["ARI"] == 0
    assert found["all"] == quality(ANSWERS)


def test_rules_are_compared_on_the_same_data():
    plain = [answer_of("silhouette", name, 2, 0.5) for name in "bcde"]
    found = on_the_same_data([*ANSWERS, *plain])
    assert {rule: [one.problem.name for one in part] for rule, part in found.items()} == {
        "choose_k": ["b", "c", "d"],
        "silhouette": ["b", "c", "d"],
    }
    assert on_the_same_data([]) == {}
    assert on_the_same_data([ANSWERS[0], plain[0]]) == {}


def test_a_summary_by_hand():
    """One distribution apart from groups, labelled sets apart from made data."""
    single = [
        answer_of("choose_k", "g", None, 1.0, "no structure", true=(1,)),
        answer_of("choose_k", "h", 2, 0.0, "contested", true=(1,)),
        answer_of("choose_k", "i", 1, 1.0, "weak", true=(1,)),
        answer_of("silhouette", "g", 2, 0.0, true=(1,)),
        answer_of("silhouette", "h", 5, 0.0, true=(1,)),
        answer_of("silhouette", "i", 2, 0.0, true=(1,)),
    ]
    labelled = [answer_of("choose_k", "x", 5, 0.3, "weak", source="labelled", family="g")]
    levelled = [
        Measured("choose_k", Problem("made", "levels", "l", s), (9, 3), 9, "clear", (1.0, 0.4), second)
        for s, second in enumerate([(0.4, 1.0), (0.4, 0.4)])
    ]
    found = summary([*ANSWERS, *single, *labelled, *levelled])
    assert found["one distribution"] == {
        "choose_k": {"answers": 3, "given clusters": pytest.approx(1 / 3)},
        "silhouette": {"answers": 3, "given clusters": 1},
    }
    assert found["one distribution, choose_k"]["no structure"] == pytest.approx(1 / 3)
    assert found["one distribution, choose_k"]["clear"] == 0
    made, other = found["sources"]["made"], found["sources"]["labelled"]
    assert made["rules"]["choose_k"] == quality([*ANSWERS, *levelled])
    assert made["levels"] == {"answers": 2, "both": 0.5}
    assert made["problems"] == 5
    assert made["seeds"] == {"choose_k": 2}
    assert list(made["families"]) == ["f", "levels"]
    assert other["rules"]["choose_k"]["ARI"] == pytest.approx(0.3)
    assert other["reliability"]["weak"]["answers"] == 1
    text = tables(found)
    assert "| choose_k | 6 | 83 % | 67 % | 0.72 | 0.82 | 67 % |" in text["made rules"]
    assert "| clear | 4 | 0.85 | 75 % | 25 % | 1.00 |" in text["made reliability"]
    assert "| choose_k | 3 | 33 % |" in text["one distribution"]
    assert text["levels"].startswith("Of 2 answers to data with two true levels, 50 % hold both")


# --- problems, plain rules --------------------------------------------------------------------------------


def test_all_situations_with_groups_and_without_are_problems(monkeypatch, tmp_path):
    monkeypatch.setattr(answers_table, "DATA", tmp_path)
    found = list(problems([0, 1], [""]))
    assert {one.name for one in found} == {n for n, one in SITUATIONS.items() if one.with_defaults}
    assert len(found) == 2 * len({one.name for one in found})
    assert {one.source for one in found} == {"made"}
    small = list(problems([0], ["blobs k=3"], most=200))
    assert small
    assert all(len(one.draw()[1][0]) <= 200 for one in small)


def test_a_labelled_set_is_sampled(monkeypatch, tmp_path):
    monkeypatch.setattr(answers_table, "DATA", tmp_path)
    frame = pd.DataFrame({"a": range(4000), "b": 1, "label": np.arange(4000) % 7})
    frame.to_csv(tmp_path / "a1.csv.gz", index=False)
    frame[:100].to_csv(tmp_path / "iris.csv.gz", index=False)
    assert [(one.family, one.name) for one in problems([0], ["a1", "iris"]) if one.source == "labelled"] == [
        ("groups in the plane", "a1"),
        ("measured objects", "iris"),
    ]
    X, (labels,) = labelled_set("iris", 0)
    assert list(X) == ["a", "b"]
    np.testing.assert_array_equal(labels, frame["label"][:100])
    X, (labels,) = labelled_set("iris", 1)
    assert len(X) == len(set(X["a"])) == 80
    np.testing.assert_array_equal(labels, X["a"] % 7)
    assert len(labelled_set("a1", 0)[0]) == len(labelled_set("a1", 2)[0]) == MOST_OBJECTS
    assert not labelled_set("a1", 0)[0].equals(labelled_set("a1", 2)[0])


@pytest.mark.parametrize("method", [by_k_means, by_mixtures, by_hdbscan])
def test_plain_rules_find_plain_groups(method):
    sample = blobs(np.random.default_rng(0), [30] * 3)
    for rule, given in method(sample.X, 0).items():
        assert given.k == 3, rule
        assert agreement(sample.groups, given.labels) > (0.9 if rule == "HDBSCAN" else 0.999)


def test_gap_and_bic_may_find_a_single_group_and_hdbscan_none():
    X = gaussian(np.random.default_rng(0), 100, 2).X
    assert by_k_means(X, 0)["gap"].k == 1
    assert by_mixtures(X, 0)["BIC"].k == 1
    assert by_hdbscan(X[:20], 0)["HDBSCAN"] == REFUSED
    assert set(by_k_means(np.ones((5, 2)), 0).values()) == {REFUSED}


# --- what is kept, and the page ---------------------------------------------------------------------------

PROBLEM = Problem("made", "round groups far apart", "blobs k=3 d=2", 0)


def test_what_was_measured_is_kept(monkeypatch, tmp_path):
    calls = []

    def method(X, seed):
        calls.append(seed)
        return {"choose_k": Given(1, np.zeros(len(X)), strength="weak")}

    monkeypatch.setitem(answers_table.METHODS, "choose_k", method)
    first, again = (Work("choose_k", PROBLEM, tmp_path).result() for _ in range(2))
    assert calls == [0]
    assert first == again
    assert [(one.rule, one.k, one.ari, one.problem) for one in first] == [("choose_k", 1, 0.0, PROBLEM)]
    assert len(list(tmp_path.glob("choose_k/*.json"))) == len(list(tmp_path.rglob("*.*"))) == 1


def test_a_method_that_fails_has_given_no_answer(monkeypatch, tmp_path):
    def method(X, seed):
        raise ValueError("too hard\nfor me")

    monkeypatch.setitem(answers_table.METHODS, "k-means", method)
    found = Work("k-means", PROBLEM, tmp_path).result()
    assert [one.rule for one in found] == ["silhouette", "Calinski-Harabasz", "gap"]
    assert {(one.k, one.ari, one.error) for one in found} == {(None, 0.0, "ValueError: too hard")}


def test_the_command_measures_prints_and_writes(monkeypatch, tmp_path, capsys):
    page, kept = tmp_path / "answers.md", tmp_path / "answers.json"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(answers_table, "PAGE", page)
    monkeypatch.setattr(answers_table, "RESULTS", kept)
    monkeypatch.setattr(answers_table, "DATA", tmp_path)

    def method(X, seed):
        return {"choose_k": Given(3, SITUATIONS[PROBLEM.name].sample(seed).groups, strength="clear")}

    monkeypatch.setitem(answers_table.METHODS, "choose_k", method)
    options = ["--table", "--only", PROBLEM.name, "--seeds", "0", "1", "--cache", str(tmp_path / "cache")]
    options += ["--plain-seeds", "0"]
    assert main([*options, "--methods", "choose_k", "HDBSCAN", "--write"]) == 0
    printed = capsys.readouterr().out
    assert "| clear | 2 | 1.00 | 100 % | 0 % | 1.00 |" in printed
    assert "| choose_k | 1 | 100 % | 100 % | 1.00 | 1.00 | 100 % |" in printed
    assert "3 answers, 0 failed" in printed
    found = json.loads(kept.read_text())
    assert found["sources"]["made"]["seeds"] == {"choose_k": 2, "HDBSCAN": 1}
    assert "| clear | 2 | 1.00 | 100 % | 0 % | 1.00 |" in page.read_text(encoding="utf-8")
    assert main(["--table", "--only", "no such data", "--cache", str(tmp_path)]) == 2


def test_tables_go_between_their_markers():
    page = "a\n<!-- table: one -->\nold\n<!-- end -->\nb\n<!-- table: two -->\n<!-- end -->\nc\n"
    made = filled(page, {"two": "2", "one": "1"})
    assert made == (
        "a\n<!-- table: one -->\n\n1\n\n<!-- end -->\nb\n<!-- table: two -->\n\n2\n\n<!-- end -->\nc\n"
    )
    with pytest.raises(ValueError, match="no marker <!-- table: three -->"):
        filled(page, {"three": ""})


def test_the_page_shows_the_kept_results():
    page, found = PAGE.read_text(encoding="utf-8"), json.loads(RESULTS.read_text(encoding="utf-8"))
    assert filled(page, tables(found)) == page


def test_the_kept_results_name_no_labelled_set():
    """Only counts and means over many sets are kept."""
    words = set(RESULTS.read_text(encoding="utf-8").replace('"', " ").split())
    names = {name for family in LABELLED_SETS.values() for name in family.split()}
    assert not words & names
