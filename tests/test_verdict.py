"""Verdicts: every rule of strength, levels, alternatives and sentences, on planted scores and on data."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import partita as pt
from answer_vectors import MAKERS
from partita.results.answers import ReasonKind
from partita.results.verdicts import RemarkKind
from partita.selection import evidence
from partita.selection.evidence import MIXTURE, TREE, WARD, Evidence, ScoredClustering
from partita.selection.verdict import MOST_ALTERNATIVES, Verdict, judge
from partita.statistics.tables.near_clusterings import SAME, Clusterings
from reference.answers import adjusted_rand

N = 120
EIGHT = np.repeat(np.arange(8), N // 8)
FOUR, TWO, THREE = EIGHT // 2, EIGHT // 4, np.arange(N) % 3
"""Eight clusters in four, four in two; the three lie across them all."""


def planted(labels, score, method=TREE, **parts):
    """A clustering of this score, all of it lasting beyond 1."""
    given_parts = {"lasting": min(score, 1.0), "agreement": max(score - 1.0, 0.0), **parts}
    return ScoredClustering(np.asarray(labels), method, **given_parts)


def about(d=2, n=N, metric="euclidean", dominant=None, rows=None):
    """The evidence of data, as far as a verdict looks at it."""
    X = np.random.default_rng(0).normal(size=(n, d))
    if dominant is not None:
        X[:, dominant] *= 40.0
    rows = np.arange(n) if rows is None else rows
    return Evidence(X, rows, metric, dominant, (), (), (), None, Clusterings([]), 20)


def of_test(verdict, p=0.5):
    """The result of a test of structure."""
    found = {"structure": "structure was found", "no structure": "no structure was found"}
    headline = found.get(verdict, "cannot tell")
    return SimpleNamespace(verdict=verdict, p=p, statement=f"{headline}: for a reason.", remarks=())


def verdict_on(*clusterings, structure=None, d=2, **ways):
    return judge(about(d), clusterings, structure, **ways)


def kinds(verdict, role=None):
    return {reason.kind for reason in verdict.answer.because if role in (None, reason.role)}


# --- strength ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("structure", [None, "structure", "no structure", "cannot tell"])
@pytest.mark.parametrize(
    ("score", "margin", "strength"),
    [
        (1.6, 0.001, "clear"),
        (1.5999, 0.0499, "contested"),
        (1.5999, 0.0501, "weak"),
        (1.1, 0.0501, "weak"),
        (1.1, 0.0499, "contested"),
        (1.0999, 0.5, "contested"),
        (0.2, 0.001, "contested"),
    ],
)
def test_strength_is_by_score_and_margin_and_below_by_the_test(score, margin, strength, structure):
    found = verdict_on(
        planted(FOUR, score),
        planted(THREE, score - margin),
        structure=None if structure is None else of_test(structure),
    )
    if structure == "no structure":
        strength = {"clear": "weak"}.get(strength, strength) if score >= 1.1 else "no structure"
    assert found.answer.strength == strength
    if structure == "cannot tell" and score < 1.1:
        return  # see below
    if strength == "no structure":
        assert (found.best, found.answer.value, found.levels) == (None, None, ())
        assert found.answer.statement == "No structure was found: for a reason."
        assert [one.k for one in found.alternatives] == [4, 3]  # what was seen is still there
    else:
        assert (found.best.k, found.answer.value) == (4, 4)
        assert found.answer.statement.startswith(
            "Contested: 4 clusters" if strength == "contested" else "4 clusters"
        )


def test_clusters_are_always_handed_over_but_for_no_structure():
    for score in (0.0, 0.5, 1.3, 2.0):
        for test in (None, of_test("structure")):
            assert verdict_on(planted(FOUR, score), structure=test).best.k == 4


@pytest.mark.parametrize(("score", "k"), [(1.0999, 4), (0.9, 4), (0.8999, 1), (0.1, 1), (None, 1)])
def test_where_the_test_cannot_tell_the_best_guess_is_handed_over(score, k):
    clusterings = [] if score is None else [planted(FOUR, score), planted(THREE, score / 2)]
    found = verdict_on(*clusterings, structure=of_test("cannot tell"))
    assert (found.best.k, found.answer.value, found.answer.strength) == (k, k, "contested")
    assert found.answer.statement == f"Cannot tell: for a reason. Best guess: {k} cluster{'s' * (k > 1)}."
    assert found.best.partition.n_objects == N
    assert len(set(found.best.labels.tolist())) == k
    assert found.levels == (found.best,)
    assert [one.k for one in found.alternatives] == ([] if score is None else [3] if k == 4 else [4, 3])


def test_the_margin_is_to_other_clusters_of_another_number():
    nearly = FOUR.copy()
    nearly[0] = 4  # another number, nearly the same clusters
    assert adjusted_rand(nearly, FOUR) > SAME
    other_four = (THREE + FOUR) % 4  # the same number, other clusters
    found = verdict_on(
        planted(FOUR, 1.5), planted(nearly, 1.49), planted(other_four, 1.48), planted(THREE, 1.2)
    )
    assert found.margin == pytest.approx(0.3)
    assert found.answer.strength == "weak"
    assert verdict_on(planted(FOUR, 1.5), planted(nearly, 1.49)).margin == 1.5  # nothing else: the score


def test_a_rival_is_named_where_it_is_near():
    near, far = (
        verdict_on(planted(FOUR, 1.5), planted(THREE, 1.5 - margin, MIXTURE)) for margin in (0.09, 0.11)
    )
    (reason,) = (reason for reason in near.answer.because if reason.kind is ReasonKind.RIVAL)
    assert reason.short == "3 (mixture) are nearly as good"
    assert reason.values == {"k": 3, "margin": pytest.approx(0.09)}
    assert "0.09 lower" in reason.text
    assert ReasonKind.RIVAL not in kinds(far)


def test_contested_answers_send_to_the_alternatives():
    found = verdict_on(planted(FOUR, 0.8))
    assert found.answer.statement.endswith("See .alternatives.")
    assert found.answer.statement.startswith("Contested: 4 clusters (density tree) at best: ")


def test_distances_are_weak_at_most():
    found = judge(about(N, metric="precomputed"), [planted(FOUR, 2.0)], None)
    assert found.answer.strength == "weak"


@pytest.mark.parametrize(("largest", "strength"), [(None, "clear"), (5, "clear"), (4, "weak"), (3, "weak")])
def test_the_largest_number_tried_is_not_clear(largest, strength):
    found = verdict_on(planted(FOUR, 2.0), largest_k=largest)
    assert found.answer.strength == strength
    at_end = strength == "weak"
    assert (ReasonKind.END_OF_RANGE in kinds(found)) == at_end
    assert found.answer.statement.endswith("Ask again with larger ks.") == at_end


def test_the_end_of_the_values_of_a_parameter_is_not_clear():
    found = verdict_on(planted(FOUR, 2.0), end="eps = 0.1 is the smallest tried")
    assert found.answer.strength == "weak"
    assert "eps = 0.1 is the smallest tried" in found.answer.statement
    assert found.answer.statement.endswith("Ask again with values beyond.")


def test_little_coverage_is_not_clear():
    assert verdict_on(planted(FOUR, 2.0), coverage=0.5).answer.strength == "clear"
    found = verdict_on(planted(FOUR, 2.0), coverage=0.42)
    assert found.answer.strength == "weak"
    assert "only 42% of the objects are in a cluster" in found.answer.statement


def test_a_fit_that_does_not_count_is_not_clear_and_the_reason_is_first():
    found = verdict_on(planted(FOUR, 2.0), flaw="1 component at the floor of variance")
    assert found.answer.strength == "weak"
    assert found.answer.statement.startswith("4 clusters, weak: 1 component at the floor of variance")
    assert found.answer.because[0].kind is ReasonKind.FLAW
    assert verdict_on(planted(FOUR, 0.5), flaw="1 cluster without an object").answer.strength == "contested"


@pytest.mark.parametrize(
    ("d", "score", "strength"), [(3, 1.4, "clear"), (4, 1.29, "clear"), (4, 1.31, "weak")]
)
def test_from_four_columns_on_a_good_second_level_is_not_clear(d, score, strength):
    assert verdict_on(planted(FOUR, 1.9), planted(TWO, score), d=d).answer.strength == strength


def test_better_supported_clusters_of_another_method_are_not_clear_and_named():
    own = planted(THREE, 1.9)
    found = verdict_on(planted(FOUR, 1.7, "KMeans"), rivals=[own])
    assert (found.best.k, found.answer.strength) == (4, "weak")
    assert "the density tree sees 3 clusters, which are better supported" in found.answer.statement
    assert kinds(found, "next") == {ReasonKind.RIVAL}
    assert found.alternatives[0].k == 3
    among = verdict_on(planted(FOUR, 1.5, "KMeans"), planted(TWO, 0.9, "KMeans"), rivals=[own])
    assert [one.k for one in among.alternatives] == [3, 2]  # the one that the first line names is the first
    for harmless in (planted(THREE, 1.74), planted(FOUR, 2.0)):  # hardly better; the same clusters
        assert verdict_on(planted(FOUR, 1.7, "KMeans"), rivals=[harmless]).answer.strength == "clear"


# --- no candidate -------------------------------------------------------------------------------------------


def test_without_two_clusters_there_is_no_candidate():
    one = ScoredClustering(np.zeros(N, np.int64), "KMeans", lasting=1.0, agreement=1.0)
    for given_ones in ((), (one,)):
        found = verdict_on(*given_ones)
        assert (found.best, found.answer.value, found.answer.strength) == (None, None, "no structure")
        assert math.isnan(found.margin)
        assert found.answer.statement == "No clusters were found: no method divides these objects."
    assert verdict_on(one, planted(FOUR, 0.3)).best.k == 4
    denied = verdict_on(structure=of_test("no structure"))
    assert denied.answer.statement == "No structure was found: for a reason."


@pytest.mark.parametrize("score", [2.0, 1.1, 1.0999])
def test_without_a_candidate_the_clusters_of_other_methods_are_named_where_they_are_good(score):
    found = verdict_on(rivals=[planted(FOUR, score)])
    assert (found.best, found.answer.value, found.answer.strength) == (None, None, "no structure")
    assert [one.k for one in found.alternatives] == [4]
    named = "; the density tree sees 4 clusters. See .alternatives." if score >= 1.1 else "."
    assert found.answer.statement == f"No clusters were found: no candidate has two clusters{named}"


@pytest.mark.parametrize(("n", "text"), [(1, "1 object is too few"), (7, "7 objects are too few")])
def test_few_objects_have_no_answer(n, text):
    found = judge(about(n=n), [planted(np.arange(n) % 2, 2.0)], None)
    assert found.best is None
    assert text in found.answer.statement


# --- levels and alternatives --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "score", "are_levels"),
    [(TWO, 1.0, True), (TWO, 0.9999, False), (THREE, 1.4, False), (EIGHT, 1.2, True)],
)
def test_a_nested_second_of_score_one_is_a_level(second, score, are_levels):
    found = verdict_on(planted(FOUR, 1.9), planted(second, score))
    other = found.levels if are_levels else found.alternatives
    assert any(one.k == second.max() + 1 for one in other)
    assert [one.k for one in found.levels] == (sorted({4, second.max() + 1}) if are_levels else [4])
    assert (ReasonKind.LEVELS in kinds(found)) == are_levels


@pytest.mark.parametrize(("strays", "are_levels"), [(6, True), (7, False)])
def test_nested_is_95_per_cent(strays, are_levels):
    coarse = TWO.copy()
    coarse[np.flatnonzero(FOUR == 0)[:strays]] = 1  # 6 of 120 objects
    found = verdict_on(planted(FOUR, 1.9), planted(coarse, 1.5))
    assert (len(found.levels) == 2) == are_levels


def test_a_variant_is_no_second_answer():
    """Another number, but an adjusted Rand index of 0.7 and more."""
    six = np.select([EIGHT == 1, EIGHT == 3], [4, 5], FOUR)
    assert 0.7 < adjusted_rand(six, FOUR) < SAME
    found = verdict_on(planted(FOUR, 1.9), planted(six, 1.5), planted(TWO, 1.2))
    assert [one.k for one in found.levels] == [2, 4]
    assert found.margin == pytest.approx(0.4)  # but it is a rival
    assert [one.k for one in found.alternatives] == [6]


def test_the_second_is_first_among_the_alternatives():
    four = (THREE + FOUR) % 4
    found = verdict_on(planted(FOUR, 1.9), planted(four, 1.8), planted(THREE, 1.2), planted(TWO, 0.4))
    assert [one.k for one in found.alternatives] == [3, 4, 2]


def test_alternatives_are_ten_different_clusterings_at_most():
    rng = np.random.default_rng(0)
    many = [planted(np.unique(rng.integers(k, size=N), return_inverse=True)[1], 1 / k) for k in range(2, 17)]
    variants = [
        replace(one, lasting=one.lasting - 1e-3, labels=one.labels.max() - one.labels) for one in many
    ]
    found = verdict_on(*many, *variants)
    shown = [*found.levels, *found.alternatives]
    assert len(found.alternatives) == MOST_ALTERNATIVES
    assert all(adjusted_rand(a.labels, b.labels) <= SAME for i, a in enumerate(shown) for b in shown[:i])
    assert list(found.alternatives) == sorted(found.alternatives, key=lambda one: -one.score)


def test_two_levels_are_told_in_groups_where_they_are_even():
    fine, coarse = planted(FOUR, 1.9), planted(TWO, 1.4)
    assert verdict_on(fine, coarse).answer.headline == "4 clusters, clear, in 2 groups of 2"
    first_coarse = verdict_on(replace(fine, lasting=0.4), coarse).answer
    assert first_coarse.headline == "2 clusters, weak"
    assert "two levels hold, 2 and 4" in first_coarse.statement
    uneven = np.select([EIGHT == 0, EIGHT == 1, EIGHT == 2], [0, 1, 2], 3)
    halves = np.where(EIGHT <= 2, 0, 1)
    assert verdict_on(planted(uneven, 1.9), planted(halves, 1.4)).answer.headline == "4 clusters, clear"


# --- sentences ----------------------------------------------------------------------------------------------


def test_who_agrees_and_how_long_clusters_last():
    same = {MIXTURE: 0.999, WARD: 1.0}
    found = verdict_on(planted(FOUR, 2.0, lasting=0.95, agrees_with=same, best_bic=0.15)).answer
    assert found.statement == (
        "4 clusters, clear: density tree, mixture and Ward find the same (ARI 1.00); apart while the reach"
        " grows 2.6-fold; best BIC."
    )
    near = verdict_on(planted(FOUR, 1.3, lasting=0.39, agreement=0.9, agrees_with={MIXTURE: 0.96, WARD: 0.7}))
    assert near.answer.statement == "4 clusters, weak: density tree and mixture agree (ARI 0.96)."
    alone = verdict_on(planted(FOUR, 1.7, lasting=0.95, agrees_with={MIXTURE: 0.6, WARD: 0.9})).answer
    assert alone.statement == (
        "4 clusters, clear: dense, apart while the reach grows 2.6-fold; only density trees see them, k-means"
        " would cut them."
    )
    none = verdict_on(planted(FOUR, 0.9, MIXTURE, lasting=0.1, agrees_with={TREE: 0.6, WARD: 0.9})).answer
    assert "no two methods agree" in none.statement
    foreign = verdict_on(
        planted(FOUR, 0.9, "KMeans", lasting=0.1, agrees_with={TREE: 0.6, MIXTURE: 0.2})
    ).answer
    assert "neither density tree nor mixture agrees" in foreign.statement


def test_another_method_is_called_by_its_name_and_a_ready_one_by_its_own():
    swept = planted(
        FOUR, 1.7, WARD, agrees_with={TREE: 1.0}, parameters={"estimator": "AgglomerativeClustering"}
    )
    assert "AgglomerativeClustering and density tree find the same" in verdict_on(swept).answer.statement
    ready = planted(FOUR, 1.7, "a", agrees_with={TREE: 0.97, MIXTURE: 0.93}, parameters={"name": "a"})
    found = verdict_on(ready, called="a", alike=["b", "c", "d", "e"]).answer
    assert found.statement.startswith("4 clusters (a), clear: density tree and mixture agree (ARI 0.93); ")
    assert "B, c, d and 1 more have the same clusters." in found.paragraph


@pytest.mark.parametrize(("d", "w"), [(2, 0.15), (5, 0.35)])
def test_the_best_bic_is_claimed_only_for_its_clusters(d, w):
    for share, claimed in ((1.0, True), (0.96, True), (0.5, False), (0.9, False)):
        found = verdict_on(planted(FOUR, 1.7, best_bic=share * w), d=d)
        assert (ReasonKind.BEST_BIC in kinds(found)) == claimed


@pytest.mark.parametrize(
    ("parameters", "method", "rescaled"),
    [
        ({"scale": "standard", "min_samples": 5}, TREE, True),
        ({"scale": "raw", "min_samples": 5}, TREE, False),
        ({"n_components": 4}, MIXTURE, True),
        ({"estimator": "GaussianMixture", "k": 4}, MIXTURE, False),  # of the data as they are
    ],
)
def test_the_column_that_dominates_is_named(parameters, method, rescaled):
    best = planted(FOUR, 1.9, method, parameters=parameters)
    found = judge(about(3, dominant=1), [best], None, column="income").answer
    assert ("after columns got equal weight" in found.headline) == rescaled
    assert ("income alone made 99." in found.statement) == rescaled
    assert "Income alone made 99." in found.paragraph
    (reason,) = (reason for reason in found.because if reason.kind is ReasonKind.SCALE)
    assert reason.role == ("for" if rescaled else "against")
    assert reason.values["column"] == "income"


def test_a_sample_is_told_and_labels_are_of_all_objects():
    rows = np.arange(0, N, 2)
    labels = FOUR[rows]
    for test in (None, of_test("no structure")):
        found = judge(about(rows=rows), [planted(labels, 1.9), planted(THREE[rows], 0.4)], test)
        assert "seen in 60 of 120 objects" in found.answer.statement
        assert len(found.best.labels) == N
        assert {len(one.labels) for one in found.alternatives} == {N}
    none = judge(about(rows=rows), [planted(labels, 0.9)], of_test("no structure"))
    assert {len(one.labels) for one in none.alternatives} == {N}


def test_the_test_of_structure_is_quoted_and_told_first_where_it_decides():
    weak = verdict_on(planted(FOUR, 1.2), structure=of_test("cannot tell"))
    assert ReasonKind.LOW_POWER in kinds(weak, "against")
    assert "cannot tell" not in weak.answer.statement
    low = verdict_on(planted(FOUR, 1.0), structure=of_test("structure"))
    assert "structure was found" in low.answer.statement
    high = verdict_on(planted(FOUR, 1.9), structure=of_test("structure", p=0.01))
    (reason,) = (reason for reason in high.answer.because if reason.kind is ReasonKind.STRUCTURE)
    assert (reason.role, reason.values) == ("for", {"p": 0.01})
    assert "structure" not in high.answer.statement
    assert "Structure was found: for a reason." in high.answer.paragraph
    denied = verdict_on(planted(FOUR, 1.9), structure=of_test("no structure"))
    assert "no structure was found" in denied.answer.statement


@pytest.mark.parametrize("test", ["structure", "cannot tell"])
def test_the_advice_of_the_test_of_structure_is_not_quoted(test):
    """It advises to ask for the clusters that are told here."""
    structure = of_test(test)
    structure.statement = structure.statement.removesuffix(".") + " (p = 0.0167). Next: choose_k(X)."
    for score in (1.9, 1.0):
        answer = verdict_on(planted(FOUR, score), structure=structure).answer
        assert "for a reason (p = 0.0167)." in answer.paragraph.lower()
        assert "choose_k" not in answer.paragraph
        assert "Next:" not in answer.statement


words = st.text("abc ,;.-", min_size=1, max_size=60).filter(lambda text: bool(text.split()))


@st.composite
def verdicts(draw):
    """Verdicts on clusterings of all sorts, with all sorts of remarks."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    methods = st.sampled_from([TREE, MIXTURE, WARD, "KMeans", "a method with a long name"])
    parameters = [
        {"scale": "standard"},
        {"scale": "raw"},
        {"n_components": 9},
        {"name": draw(words)},
        {"estimator": "GaussianMixture"},
    ]
    pool = [FOUR, TWO, EIGHT, THREE, rng.integers(40, size=N)]

    def one():
        part = st.floats(0, 1)
        return ScoredClustering(
            np.unique(draw(st.sampled_from(pool)), return_inverse=True)[1],
            draw(methods),
            draw(st.sampled_from(parameters)),
            draw(part),
            draw(part),
            draw(st.sampled_from([0.0, 0.15, 0.35])),
            {name: draw(part) for name in draw(st.sets(st.sampled_from([TREE, MIXTURE, WARD, "graph"])))},
        )

    clusterings = [one() for _ in range(draw(st.integers(0, 4)))]
    test = draw(st.sampled_from([None, "structure", "no structure", "cannot tell"]))
    return judge(
        about(draw(st.sampled_from([2, 5])), dominant=draw(st.sampled_from([None, 1]))),
        clusterings,
        None if test is None else of_test(test),
        largest_k=draw(st.sampled_from([None, 4, 100])),
        rivals=[one() for _ in range(draw(st.integers(0, 1)))],
        column=draw(words),
        called=draw(st.just("") | words),
        alike=draw(st.lists(words, max_size=6)),
        coverage=draw(st.floats(0, 1)),
    )


@given(verdicts())
def test_any_verdict_has_a_first_line_of_25_words_and_comes_back_from_json(found):
    assert len(found.answer.statement.split()) <= 25
    assert found.answer.statement.endswith(".")
    assert found.answer.paragraph.startswith(found.answer.headline)
    assert (found.best is None) == (found.answer.strength == "no structure") == (found.answer.value is None)
    assert all(reason.sentence in found.answer.paragraph for reason in found.answer.because)
    again = Verdict.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.answer == found.answer
    assert json.dumps(again.to_dict()) == json.dumps(found.to_dict())
    if found.best is not None:
        assert again.best in again.levels  # the same object, by which tables know the answer
        assert found.best in found.levels
        assert found.levels == tuple(sorted(found.levels, key=lambda one: one.k))
        assert not any(one is found.best for one in found.alternatives)


# --- on data ------------------------------------------------------------------------------------------------


def test_first_lines_of_data():
    lines = {
        name: pt.choose_k(MAKERS[name]().X, structure=False).statement for name in ("two_densities", "levels")
    }
    assert lines["two_densities"] == (
        "2 clusters, clear: density tree, mixture and Ward find the same (ARI 1.00); apart while the reach"
        " grows 2.7-fold; best BIC."
    )
    assert lines["levels"].startswith("9 clusters, clear, in 3 groups of 3: two levels hold, 3 and 9; ")


def test_the_scale_sentence_names_the_column():
    X = pd.DataFrame(MAKERS["units"]().X, columns=["height", "width", "income"])
    choice = pt.choose_k(X, structure=False)
    assert (choice.k, choice.strength) == (3, "clear")
    assert choice.statement.startswith("3 clusters, clear, after columns got equal weight: ")
    assert "income alone made 99.7% of the distances" in choice.statement
    assert RemarkKind.SCALE in {remark.kind for remark in choice.remarks}
    unnamed = pt.choose_k(X.to_numpy(), structure=False)
    assert "column 2 alone made 99.7% of the distances" in unnamed.statement
    scaled = pt.choose_k(X, structure=False, scale="standard")
    assert "alone made" not in scaled.answer.paragraph
    assert RemarkKind.SCALE not in {remark.kind for remark in scaled.remarks}


def test_distances_are_weak_at_most_on_data():
    X = MAKERS["three_groups"]().X
    choice = pt.choose_k(cdist(X, X), metric="precomputed")
    assert (choice.k, choice.strength) == (3, "weak")
    assert choice.statement.startswith("3 clusters, weak: density tree and Ward find the same (ARI 1.00)")
    assert choice.structure is None


def test_a_sample_is_told_on_data(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_OBJECTS", 90)
    choice = pt.choose_k(MAKERS["three_groups"]().X, structure=False, random_state=0)
    assert (choice.k, choice.strength) == (3, "clear")
    assert "seen in 90 of 120 objects" in choice.statement
    assert choice.partition.n_objects == 120
    assert {len(one.labels) for one in (*choice.levels, *choice.alternatives)} == {120}
    assert any(remark.kind is RemarkKind.SAMPLED for remark in choice.remarks)


def test_the_end_of_the_range_on_data():
    X = MAKERS["levels"]().X
    ended = pt.choose_k(X, ks=range(2, 10), structure=False)
    assert (ended.k, ended.strength) == (9, "weak")
    assert "the largest number tried" in ended.statement
    assert ended.statement.endswith("Ask again with larger ks.")
    assert pt.choose_k(X, ks=range(2, 11), structure=False).strength == "clear"
    alone = pt.choose_k(X, ks=[9], structure=False)  # nothing was swept
    assert (alone.k, alone.strength) == (9, "clear")
    fewer = pt.choose_k(X, ks=range(2, 8), structure=False)
    assert fewer.strength == "weak"
    assert "9 clusters, which are better supported" in fewer.statement
