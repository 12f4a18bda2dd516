"""From votes and checks to an answer: what makes it clear, weak, contested or none, each rule alone."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.registry.families import VOICES
from partita.results.verdicts import Remark, RemarkKind
from partita.selection.assessment import Ballot, Checks, assess
from partita.selection.convexity import Disagreement
from partita.selection.replication import Replication

KS = tuple(range(1, 11))
SOUND = Checks(
    refuted=True, structure="laws are refuted", p=0.02, silhouette=0.6, replication=Replication(4, 0.95, 0.01)
)
"""Checks that leave nothing to doubt, for k = 4."""


def ballot(ks=KS, **choices: int | None) -> Ballot:
    """One index a family."""
    return Ballot({family: {f"index of {family}": k} for family, k in choices.items()}, ks)


AGREED = ballot(compactness=4, separation=4, likelihood=4, curves=4, density=5)


def kinds(answer) -> set[str]:
    return {remark.kind.value for remark in answer.remarks}


def test_a_family_has_one_vote_that_its_indices_share():
    votes = Ballot({"compactness": {"a": 2, "b": 3, "c": 3, "d": None}, "density": {"e": 3}}, KS)
    assert votes.votes == {3: pytest.approx(1 + 2 / 3), 2: pytest.approx(1 / 3)}
    assert (votes.leading, votes.answering, votes.choosers(3)) == (3, 2, ["b", "c", "e"])
    assert Ballot({"compactness": dict.fromkeys("abcd", 2)}, KS).votes == {2: 1}


def test_clear_is_what_nothing_speaks_against():
    answer = assess(AGREED, SOUND)
    assert (answer.k, answer.strength, answer.remarks) == (4, "clear", ())
    opening = "there is structure (p = 0.0200): k = 4, by 4 of 5 families; silhouette 0.6"
    assert answer.statement.startswith(opening)


def test_what_was_checked_is_told_in_numbers_too():
    told = assess(AGREED, SOUND).checked
    assert (told.refuted, told.powerful, told.p, told.silhouette) == (True, True, 0.02, 0.6)
    assert (told.prediction_strength, told.found_again, told.dense) == (0.95, True, None)
    unknown = assess(AGREED, Checks()).checked
    assert (unknown.refuted, unknown.found_again, unknown.dense) == (None, None, None)
    assert math.isnan(unknown.prediction_strength)


SCALE = Remark(RemarkKind.SCALE, "euros make up the distances")
UNBACKED = {"refuted": False, "powerful": False, "structure": "nothing is refuted, with low power"}


@pytest.mark.parametrize(
    ("change", "k", "strength"),
    [
        ({"silhouette": 0.2499}, 4, "weak"),
        ({"silhouette": 0.25}, 4, "clear"),
        ({"silhouette": math.nan}, 4, "clear"),
        ({"replication": Replication(4, 0.79, 0.005)}, 4, "weak"),
        ({"replication": Replication(4, 0.79, 0.01)}, 4, "clear"),
        ({"replication": Replication(4, math.nan, math.nan)}, 4, "weak"),
        ({"replication": None}, 4, "clear"),
        ({"remarks": (SCALE,)}, 4, "weak"),
        ({"refuted": None}, 4, "clear"),
        (UNBACKED, 4, "weak"),
        (UNBACKED | {"silhouette": 0.4}, None, "weak"),
        ({"refuted": False}, None, "contested"),
        ({"refuted": False, "silhouette": 0.4}, 1, "no structure"),
        ({"refuted": False, "replication": None}, 1, "no structure"),
        ({"disagreement": Disagreement(2, 1.3, 0.2, 0.4, -0.5)}, None, "contested"),
        ({"disagreement": Disagreement(2, 1.3, 0.2, 0.4, -0.5), "refuted": False}, None, "contested"),
        ({"disagreement": Disagreement(2, 1.6, 0.2, 0.4, -0.5), **UNBACKED}, None, "contested"),
    ],
    ids=str,
)
def test_each_check_alone(change, k, strength):
    answer = assess(AGREED, replace(SOUND, **change))
    assert (answer.k, answer.strength) == (k, strength)


@pytest.mark.parametrize(
    ("choices", "k", "strength"),
    [
        ({"compactness": 4, "separation": 4, "density": 5}, 4, "weak"),  # two thirds are not more than that
        ({"compactness": 4, "separation": 4, "curves": 4, "density": 5}, 4, "clear"),
        ({"compactness": 4, "separation": 4, "density": 5, "curves": 6}, None, "contested"),
        ({"compactness": 4, "density": 5}, None, "contested"),
        ({"compactness": None, "density": None}, None, "contested"),
        ({"compactness": 4, "density": None}, 4, "weak"),  # one alone has an answer
        ({"compactness": 4}, 4, "clear"),  # one was asked, and halves of the data agree
        ({"compactness": 10, "separation": 10, "density": 10}, None, "weak"),
        (
            {"compactness": 1, "separation": 1, "density": 1},
            1,
            "weak",
        ),  # but laws without clusters are refuted
    ],
    ids=str,
)
def test_votes_alone(choices, k, strength):
    answer = assess(ballot(**choices), SOUND)
    assert (answer.k, answer.strength) == (k, strength)


def test_the_end_of_a_range_is_no_answer_and_votes_for_it_are_marked():
    last = assess(ballot(compactness=10, separation=10), SOUND)
    assert "no answer inside the range: k = 10 or more: the largest tried" in last.statement
    some = assess(ballot(compactness=4, separation=4, curves=4, density=10), SOUND)
    assert (some.k, kinds(last), kinds(some)) == (4, {"end_of_range"}, {"end_of_range"})
    first = assess(ballot(ks=(3, 4, 5), compactness=3, separation=3), SOUND)
    assert (first.k, kinds(first)) == (None, {"end_of_range"})
    assert "k = 3 or fewer" in first.statement
    two = ballot(ks=(2, 3, 4), compactness=2, separation=2)
    assert assess(two, SOUND).k == 2  # one cluster is refuted
    assert assess(two, replace(SOUND, refuted=None)).k is None


def test_kin_are_one_voice():
    kin = Ballot({"compactness": dict.fromkeys(("WB", "CH", "DBI"), 4)}, KS)
    answer = assess(kin, replace(SOUND, replication=None))
    assert (answer.k, answer.strength, kinds(answer)) == (4, "weak", {"kin"})


def test_a_contradiction_with_density_is_told_with_its_numbers():
    found = Disagreement(2, 2.0, 0.25, 0.5, -0.5)
    answer = assess(AGREED, replace(SOUND, disagreement=found))
    (remark,) = answer.remarks
    assert remark.kind is RemarkKind.NON_CONVEX
    assert {"0.2500", "0.5000", "-0.5000"} <= set(remark.text.replace(")", " ").replace(";", " ").split())


families = st.sampled_from(sorted(VOICES))
chosen = st.dictionaries(families, st.none() | st.integers(1, 10), max_size=7)
checks = st.builds(
    Checks,
    refuted=st.sampled_from([None, True, False]),
    powerful=st.booleans(),
    structure=st.just("what the test says"),
    silhouette=st.just(math.nan) | st.floats(-1, 1),
    replication=st.none() | st.builds(Replication, st.just(2), st.floats(0, 1), st.floats(0, 0.1)),
    disagreement=st.none() | st.just(Disagreement(3, 1.3, 0.2, 0.5, 0.1)),
)


@given(chosen, checks)
def test_whatever_the_votes_and_checks(choices, checks):
    votes = ballot(**choices)
    answer = assess(votes, checks)
    assert answer.statement
    if answer.strength == "clear":
        assert answer.k == votes.leading
        assert answer.k != 10
        assert votes.share(answer.k) > 2 / 3
        assert checks.refuted is not False
        assert not checks.silhouette < 0.25
        assert checks.disagreement is None
    if answer.strength == "no structure":
        assert answer.k == 1
        assert checks.refuted is False
    assert answer.k in (None, 1, votes.leading)
