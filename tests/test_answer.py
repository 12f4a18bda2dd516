"""Answers with typed reasons: first lines, paragraphs, JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.results.answers import MOST_WORDS, Answer, Reason, ReasonKind

AGREE = Reason(ReasonKind.AGREEMENT, "two methods agree", "density tree and mixture agree (ARI 0.96)")
LASTS = Reason(ReasonKind.LASTING, "apart while the reach grows 2.6-fold")
RIVAL = Reason(ReasonKind.RIVAL, "4 are nearly as good", role="against", values={"k": 4, "margin": 0.06})
NEXT = Reason(ReasonKind.END_OF_RANGE, "ask again with larger ks", role="next")
QUIET = Reason(ReasonKind.STRUCTURE, "", "structure was found (p = 0.01)")


def test_the_first_line_is_the_answer_its_reasons_and_what_to_do():
    answer = Answer(3, "weak", "3 clusters, weak", (AGREE, NEXT, RIVAL, QUIET))
    assert answer.statement == (
        "3 clusters, weak: two methods agree; 4 are nearly as good. Ask again with larger ks."
    )
    assert Answer(None, "no structure", "No clusters").statement == "No clusters."
    assert Answer(3, "clear", "3 clusters, clear", (QUIET,)).statement == "3 clusters, clear."
    assert Answer(3, "clear", "3 clusters", (NEXT,)).statement == "3 clusters. Ask again with larger ks."


def test_the_paragraph_has_every_reason_in_a_full_sentence():
    answer = Answer(3, "weak", "3 clusters, weak", (AGREE, QUIET, NEXT))
    assert answer.paragraph == (
        "3 clusters, weak. Density tree and mixture agree (ARI 0.96). Structure was found (p = 0.01)."
        " Ask again with larger ks."
    )


@pytest.mark.parametrize("text", ["why not?", "stop!", "done."])
def test_a_sentence_that_ends_has_no_second_end(text):
    assert Reason(ReasonKind.FLAW, text).sentence == text[0].upper() + text[1:]


def test_a_reason_too_long_for_the_first_line_is_passed_over_for_a_shorter_one():
    long = Reason(ReasonKind.AGREEMENT, "word " * 30)
    answer = Answer(3, "clear", "3 clusters, clear", (long, LASTS))
    assert answer.statement == "3 clusters, clear: apart while the reach grows 2.6-fold."
    assert answer.because == (long, LASTS)


def test_a_line_of_exactly_25_words_is_kept():
    clause = " ".join(["word"] * 22)
    answer = Answer(3, "clear", "3 clusters, clear", (Reason(ReasonKind.VOTES, clause),))
    assert len(answer.statement.split()) == MOST_WORDS == 25
    longer = Answer(3, "clear", "3 clusters, clear", (Reason(ReasonKind.VOTES, clause + " more"),))
    assert longer.statement == "3 clusters, clear."


texts = st.text("ab .;:\n", max_size=90)
reasons = st.builds(
    Reason,
    st.sampled_from(ReasonKind),
    texts,
    texts,
    st.sampled_from(["for", "against"]),
    st.dictionaries(
        texts, st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts, max_size=2
    ),
)


@given(because=st.lists(reasons, max_size=9), advice=st.booleans())
def test_any_answer_is_short_and_comes_back_from_json(because, advice):
    answer = Answer(7, "contested", "Contested: 7 clusters at best", (*because, *[NEXT] * advice))
    assert len(answer.statement.split()) <= MOST_WORDS
    again = Answer.from_dict(json.loads(json.dumps(answer.to_dict())))
    assert again == answer
    assert (again.statement, again.paragraph) == (answer.statement, answer.paragraph)


@pytest.mark.parametrize("value", [3, "leiden 0.5", 0.25, True, None])
def test_an_answer_may_be_a_number_a_name_or_none(value):
    again = Answer.from_dict(json.loads(json.dumps(Answer(value, "weak", "so").to_dict())))
    assert again.value == value
    assert type(again.value) is type(value)


def test_kinds_of_reasons_are_a_closed_list():
    with pytest.raises(ValueError, match="not a valid ReasonKind"):
        Answer.from_dict(
            {"value": 1, "strength": "weak", "headline": "", "because": [{"kind": "x", "short": ""}]}
        )
