"""align: which found cluster is which true one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import partita as pt
from partita.errors import KindError, MismatchError, ParameterError, PartitionError, UndefinedIndexError
from partita.partitions import FUZZY, HARD, POSSIBILISTIC
from strategies import STRATEGIES, pairs

IN_TABLES = (HARD, FUZZY, POSSIBILISTIC)
TRUTH = ["a", "a", "a", "b", "b", "b", "c", "c"]
FOUND = [2, 2, 0, 0, 0, 1, 3, 3]


def test_pairs_and_their_numbers_by_hand():
    pairs_found = pt.align(TRUTH, FOUND)
    assert pairs_found.mapping == {2: "a", 0: "b", 3: "c"}
    assert pairs_found.unmatched_found == (1,)
    assert pairs_found.unmatched_truth == ()
    b = pairs_found.rows[1]
    assert (b.truth, b.found, b.true_size, b.found_size, b.overlap) == ("b", 0, 3, 3, 2)
    assert (b.precision, b.recall, b.accuracy) == (2 / 3, 2 / 3, 6 / 8)
    a = pairs_found.rows[0]
    assert (a.precision, a.recall, a.accuracy) == (1, 2 / 3, 7 / 8)


def test_it_prints_as_a_table():
    text = str(pt.align(TRUTH, FOUND))
    assert "75.0% in paired clusters" in text
    assert "without a partner: found 1" in text
    assert "precision  recall  accuracy" in text
    assert 'text-align: right">0.6667</td>' in pt.align(TRUTH, FOUND)._repr_html_()


def test_more_true_clusters_than_found_ones():
    pairs_found = pt.align(FOUND, TRUTH)
    assert pairs_found.mapping == {"a": 2, "b": 0, "c": 3}
    assert pairs_found.unmatched_truth == (1,)
    assert "without a partner: true 1" in str(pairs_found)


def test_relabel_hard():
    renamed = pt.align(TRUTH, FOUND).relabel(FOUND)
    assert renamed.labels.tolist() == ["a", "a", "b", "b", "b", 1, "c", "c"]
    assert renamed.names == ("a", "b", "c", 1)
    assert "relabelled" in renamed.note
    assert (renamed.labels == np.array(TRUTH, dtype=object)).mean() == pytest.approx(
        1 - pt.indices.classification_error(TRUTH, FOUND)
    )


def test_new_names_do_not_meet_true_ones():
    numbers = pt.align([0, 0, 0, 1, 1], [1, 1, 0, 2, 2])
    assert numbers.mapping == {1: 0, 2: 1}
    assert numbers.relabel([1, 1, 0, 2, 2]).labels.tolist() == [0, 0, 2, 1, 1]
    words = pt.align(["x", "x", "x", "y", "y"], ["y", "y", "x", "z", "z"])
    assert words.relabel(["y", "x", "z"]).labels.tolist() == ["x", "x (unmatched)", "y"]


def test_relabel_the_same_clusters_of_other_objects():
    assert pt.align(TRUTH, FOUND).relabel([3, 0, 0]).labels.tolist() == ["c", "b", "b"]
    with pytest.raises(MismatchError, match="none of the clusters"):
        pt.align(TRUTH, FOUND).relabel(["p", "q"])


@pytest.mark.parametrize("kind", [pt.FuzzyPartition, pt.PossibilisticPartition])
@pytest.mark.parametrize("shape", [np.asarray, csr_array])
def test_relabelled_memberships_lie_beside_those_of_truth(kind, shape):
    truth = kind([[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.1, 0.9]])
    found = kind(shape(np.asarray(truth.memberships())[:, [2, 0, 1]]))
    renamed = pt.align(truth, found).relabel(found)
    assert type(renamed) is kind
    assert renamed.names == truth.names
    values = renamed.memberships()
    np.testing.assert_array_equal(values.toarray() if shape is csr_array else values, truth.memberships())


def test_columns_of_true_clusters_without_a_partner_are_zero():
    truth = pt.HardPartition(["p", "p", "q", "r"])
    found = pt.FuzzyPartition([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.6, 0.4]])
    pairs_found = pt.align(truth, found)
    renamed = pairs_found.relabel(found)
    assert renamed.names == ("p", "q", "r")
    assert renamed.memberships()[:, 2].tolist() == [0, 0, 0, 0]
    assert pairs_found.unmatched_truth == ("r",)


@given(sides=pairs(IN_TABLES))
@pytest.mark.parametrize("matching", ["greedy", "optimal"])
def test_what_is_paired_adds_up_to_the_index(matching, sides):
    pairs_found = pt.align(*sides, matching=matching, min_overlap=0.0)
    name = {"greedy": "criterion_h", "optimal": "classification_error"}[matching]
    shared = sum(row.overlap for row in pairs_found.rows) / sides[0].n_objects
    assert shared == pytest.approx(1 - getattr(pt.indices, name)(*sides), abs=1e-9)
    assert len(pairs_found.mapping) == len(pairs_found.rows) == len(set(pairs_found.mapping.values()))
    for row in pairs_found.rows:
        assert 0 < row.precision <= 1 + 1e-9
        assert 0 < row.recall <= 1 + 1e-9
        assert -1e-9 <= row.accuracy <= 1 + 1e-9


@given(data=st.data())
@pytest.mark.parametrize("kind", IN_TABLES)
def test_relabelling_is_a_renaming(kind, data):
    n = data.draw(st.integers(1, 8))
    truth, found = data.draw(STRATEGIES[HARD](n)), data.draw(STRATEGIES[kind](n))
    pairs_found = pt.align(truth, found)
    renamed = pairs_found.relabel(found)
    assert renamed.kind is found.kind
    assert renamed.equivalent(found)
    for row in pairs_found.rows:
        assert renamed.sizes[renamed.names.index(row.truth)] == found.sizes[found.names.index(row.found)]


def test_hard_relabelling_then_aligning_changes_nothing():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 12, 500)
    names = rng.permutation(12)
    found = names[np.where(rng.random(500) < 0.8, truth, rng.integers(0, 12, 500))]
    pairs_found = pt.align(truth, found)
    assert pairs_found.mapping == {int(name): i for i, name in enumerate(names)}
    assert pairs_found.relabel(found).labels.dtype.kind == "i"


def test_the_similarity_decides_who_is_paired():
    """Table [[5, 4], [4, 2]]: by overlap 4 + 4 beat 5 + 2; by Braun-Banquet 5/9 + 2/6 beat 4/9 + 4/9."""
    truth = [0] * 9 + [1] * 6
    found = [0] * 5 + [1] * 4 + [0] * 4 + [1] * 2
    assert pt.align(truth, found).mapping == {1: 0, 0: 1}
    assert pt.align(truth, found, matching="greedy").mapping == {0: 0, 1: 1}
    assert pt.align(truth, found, similarity="braun_banquet").mapping == {0: 0, 1: 1}


def test_frames_dictionaries_and_json():
    pairs_found = pt.align(TRUTH, FOUND)
    frame = pairs_found.to_frame()
    assert list(frame.columns) == list(pairs_found.columns)
    assert frame["recall"].tolist() == [2 / 3, 2 / 3, 1.0]
    read = pt.Alignment.from_dict(json.loads(pairs_found.write("json")))
    assert read == pairs_found
    assert read.relabel(FOUND).labels.tolist() == pairs_found.relabel(FOUND).labels.tolist()
    with pytest.raises(ParameterError, match="no alignment"):
        pt.Alignment.from_dict({"result": "Comparison"})
    named = pt.align([(1, "x"), (1, "x"), (2, "y")], [0, 0, 1])
    assert pt.Alignment.from_dict(json.loads(named.write("json"))).mapping == {0: (1, "x"), 1: (2, "y")}


def test_polars_in_polars_out():
    import polars as pl

    frame = pt.align(pl.Series(TRUTH), pl.Series(FOUND)).to_frame()
    assert isinstance(frame, pl.DataFrame)


def test_noise():
    truth, found = [0, 0, 1, 1, -1], [1, 1, 0, -1, 0]
    ignored = pt.align(truth, found, noise="ignore")
    assert ignored.mapping == {1: 0, 0: 1}
    assert "coverage 60.0%" in str(ignored)
    assert ignored.relabel(found).labels.tolist() == [0, 0, 1, -1, 1]
    as_cluster = pt.align([0, 0, -1, -1], [1, 1, -1, -1])
    assert as_cluster.mapping == {1: 0, -1: -1}
    with pytest.raises(PartitionError):
        pt.align(truth, found, noise="raise")
    with pytest.raises(ParameterError, match="singletons"):
        pt.align(truth, found, noise="singletons")
    with pytest.raises(UndefinedIndexError, match="nothing to align"):
        pt.align([-1, 0], [0, -1], noise="ignore")


def test_weights_are_multiplicities():
    weight = [1, 2, 3, 1, 1, 2, 1, 1]
    weighted = pt.align(TRUTH, FOUND, sample_weight=weight)
    repeated = pt.align(np.repeat(TRUTH, weight), np.repeat(FOUND, weight))
    assert weighted.rows == repeated.rows


def test_bad_input():
    with pytest.raises(ParameterError, match="one to one"):
        pt.align(TRUTH, FOUND, matching="two_way")
    with pytest.raises(ParameterError, match="similarity"):
        pt.align(TRUTH, FOUND, similarity="cosine")
    with pytest.raises(MismatchError):
        pt.align([0, 1], [0, 1, 1])
    rough = pt.RoughPartition([[True, True], [True, False]])
    with pytest.raises(KindError, match="pignistic"):
        pt.align([0, 1], rough)
    with pytest.raises(KindError, match="relabelled"):
        pt.align([0, 1], [0, 1]).relabel(rough)
