"""Caveats: what programs conclude from a row follows from kinds, whatever the words are."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
from partita.comparison import Comparison
from partita.errors import UnknownNameError
from partita.inputs import prepare
from partita.registry import Caveat, CaveatKind, find
from partita.registry.caveats import join_caveats, said
from partita.results.index_rows import IndexTable, IndexValue, LeftOut, method_of
from strategies import pairs

MISLEADING = [
    "not sampled at all; neither are its certified outer bounds",
    "lower and upper are certified outer bounds",
    "on hardened labels",
    "one; two; three",
]

caveats = st.builds(
    Caveat, st.sampled_from(CaveatKind), st.sampled_from(MISLEADING) | st.text(min_size=1, max_size=8)
)


def row(*told: Caveat, value: float = 0.5, index: str = "rand") -> IndexValue:
    return IndexValue(index, "RI", value, 1.0, "higher", caveats=told)


@pytest.mark.parametrize("text", MISLEADING)
@pytest.mark.parametrize(
    ("kind", "method"),
    [
        (CaveatKind.OWN, "exact"),
        (CaveatKind.METHOD, "exact"),
        (CaveatKind.LIMIT, "exact"),
        (CaveatKind.EXACT_ENDS, "exact"),
        (CaveatKind.BOUND, "bounds"),
        (CaveatKind.SAMPLED, "sampled"),
        (CaveatKind.SAMPLED_ENDS, "sampled"),
    ],
)
def test_the_method_follows_from_the_kind_not_from_the_words(kind, method, text):
    assert row(Caveat(kind, text)).method == method


def test_one_sampled_row_does_not_mark_the_others():
    rows = [row(Caveat(CaveatKind.SAMPLED, "x"), index="silhouette"), row(index="calinski_harabasz")]
    assert method_of(rows) == "sampled: silhouette; the rest exact"
    assert method_of(rows[1:]) == "exact"


def test_what_was_not_computed_has_no_method_unless_there_is_a_value():
    why = Caveat(CaveatKind.NOT_COMPUTED, "no lower and upper values")
    assert row(why, value=math.nan).method == ""
    assert row(why).method == "exact"


@given(st.lists(st.lists(caveats, max_size=3), max_size=4), st.floats(allow_nan=False))
def test_rows_come_back_from_json_with_their_kinds(told, value):
    rows = tuple(row(*one, value=value, index=f"index {i}") for i, one in enumerate(told))
    table = IndexTable(rows=rows, left_out=(LeftOut("VI", "why"),), title="t")
    back = IndexTable.from_dict(json.loads(table.write("json")))
    assert back.rows == rows
    assert [r.caveat for r in back] == ["; ".join(c.text for c in one) for one in told]
    assert [r["caveat"] for r in table.records()] == [r["caveat"] for r in table.to_dict()["rows"]]
    assert [r.method for r in back] == [r["method"] for r in table.to_dict()["rows"]]


@pytest.mark.parametrize("method", ["", "exact", "sampled", "bounds"])
def test_rows_that_were_written_before_caveats_had_kinds_are_read(method):
    written = pt.compare([0, 0, 1, 1], [0, 1, 1, 1], indices=["MI", "VI"]).to_dict()
    for old in written["rows"]:
        del old["caveats"]
        old |= {"caveat": "grows; and is sampled", "method": method}
    back = Comparison.from_dict(json.loads(json.dumps(written)))
    assert [r.caveat for r in back] == ["grows; and is sampled"] * 2
    assert [r.method for r in back] == [method or "exact"] * 2
    assert "[1] grows; and is sampled" in str(back)


def test_a_kind_of_a_later_version_is_refused_by_name():
    written = pt.compare([0, 0, 1], [0, 1, 1], indices=["MI"]).to_dict()
    written["rows"][0]["caveats"][0]["kind"] = "sampld"
    with pytest.raises(UnknownNameError, match="did you mean sampled"):
        Comparison.from_dict(written)


def test_a_caveat_that_rows_share_is_one_footnote_whatever_punctuation_it_has():
    shared, alone = Caveat(CaveatKind.OWN, "one; two"), Caveat(CaveatKind.LIMIT, "two")
    text = str(IndexTable(rows=(row(shared, index="a"), row(shared, alone, index="b"), row(index="c"))))
    assert "[1] one; two" in text
    assert "[1] two\n" in text  # the mark of the shared one, then what the row says alone
    assert "[2]" not in text


# --- where they come from -----------------------------------------------------------------------------


def kinds_of(result: IndexTable, index: str) -> list[CaveatKind]:
    return [caveat.kind for caveat in result[index].caveats]


def test_each_source_of_a_caveat_has_its_kind():
    same = pt.compare([0, 0, 0], [0, 0, 0])
    assert kinds_of(same, "NMI") == [CaveatKind.LIMIT]
    assert kinds_of(pt.compare([0, 1, 2], [0, 1, 1]), "pair_recall") == [CaveatKind.UNDEFINED]
    assert kinds_of(pt.compare([0, 0, 1], [0, 1, 1]), "MI") == [CaveatKind.OWN]
    nothing = pt.compare([0, 1], [-1, -1], noise="ignore", indices=["ARI"])
    assert kinds_of(nothing, "ARI") == [CaveatKind.NOISE]
    soft = pt.FuzzyPartition([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    assert kinds_of(pt.compare(soft, soft), "VI") == [CaveatKind.NOT_REFLEXIVE]
    rough = pt.RoughPartition([[True, False], [True, True], [False, True]])
    assert kinds_of(pt.compare([0, 0, 1], rough), "rand") == [CaveatKind.EXACT_ENDS]
    runs = pt.consensus_index([[0, 0, 1], [0, 1, 1], [0, 1, 2]], ["purity", "pair_recall"])
    assert kinds_of(runs, "purity") == [CaveatKind.BOTH_DIRECTIONS]
    assert kinds_of(runs, "pair_recall") == [CaveatKind.UNDEFINED, CaveatKind.BOTH_DIRECTIONS]


def test_a_sample_and_hardened_labels_are_told_by_kind():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = pt.cluster.GaussianMixtureEM(2, random_state=0).fit(X)
    result = pt.validate(X, model, indices=["silhouette:sample_size=20", "dunn"])
    assert kinds_of(result, "silhouette:sample_size=20") == [CaveatKind.SAMPLED, CaveatKind.HARDENED]
    assert kinds_of(result, "dunn") == [CaveatKind.HARDENED]
    assert [r.method for r in result] == ["sampled", "exact"]


@given(pairs(min_n=1, max_n=5))
def test_what_has_no_value_says_so_by_kind_and_only_that(sides):
    inputs = prepare(dict(zip(("truth", "found"), sides, strict=True)))
    for name in ("ARI", "NMI", "pair_recall", "VI"):
        entry = find(name)
        if entry.range_of(inputs.kinds) is None:
            continue
        value, told = entry.value_for(inputs, None)
        assert math.isnan(value) == (CaveatKind.UNDEFINED in {caveat.kind for caveat in told})
        assert all(caveat.text for caveat in told)


def test_nothing_to_say_is_no_caveat():
    assert said(CaveatKind.OWN, "") == ()
    assert join_caveats(()) == ""
    assert str(Caveat(CaveatKind.OWN, "words")) == "words"
