"""Clusterings given object by object: a set of possible clusters (campagner2022, 2.1), or masses of sets."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import partita as pt
from partita.errors import MismatchError, ParameterError, PartitionError

CANDIDATES = [{0}, {0}, {0, 1}, {1}]
POSSIBLE = [[True, False], [True, False], [True, True], [False, True]]
TRUTH = [0, 0, 1, 1]


def rand_of(a, b):
    """The share of pairs of two objects on which two lists of labels agree."""
    pairs = list(combinations(range(len(a)), 2))
    return sum((a[i] == a[j]) == (b[i] == b[j]) for i, j in pairs) / len(pairs)


@pytest.mark.parametrize(
    "given",
    [
        CANDIDATES,
        [frozenset(s) for s in CANDIDATES],
        [[0], [0], [0, 1], [1]],
        [(0,), (0,), (0, 1), (1,)],
        [{0}, (0,), [0, 1], frozenset({1})],
        tuple(CANDIDATES),
        np.array([*CANDIDATES, None], dtype=object)[:-1],
        pd.Series(CANDIDATES),
        pd.Series([(0,), (0,), (0, 1), (1,)]),
        {"a": {0}, "b": {0}, "c": {0, 1}, "d": {1}},
    ],
    ids=[
        "sets",
        "frozensets",
        "lists",
        "tuples",
        "mixed",
        "tuple",
        "array",
        "series",
        "of-tuples",
        "mapping",
    ],
)
def test_a_set_for_each_object_is_its_possible_clusters(given):
    rough = pt.as_partition(given, kind="rough")
    assert isinstance(rough, pt.RoughPartition)
    assert (rough.possible.tolist(), rough.names) == (POSSIBLE, (0, 1))


def test_words_are_names_of_clusters_and_not_labels():
    rough = pt.as_partition([("a",), ("a", "b"), ("b",)], kind="rough")
    assert rough.names == ("a", "b")
    assert rough.possible.tolist() == [[True, False], [True, True], [False, True]]
    with pytest.raises(PartitionError, match="tuples"):
        pt.as_partition([("a",), ("a", "b"), ("b",)], kind="fuzzy")
    with pytest.raises(PartitionError, match="single values"):
        pt.as_partition([0, (0, 1), 1], kind="rough")
    assert pt.as_partition([("a",), ("a", "b"), ("b",)]).n_clusters == 3  # labels, where no kind is named
    evidential = pt.as_partition([("a",), ("a", "b"), ("b",)], kind="evidential")
    assert evidential.to("rough").possible.tolist() == rough.possible.tolist()


def test_the_distribution_is_that_of_all_completions():
    found = pt.as_partition(CANDIDATES, kind="rough")
    values = [rand_of(TRUTH, labels) for labels in product(*(sorted(s) for s in CANDIDATES))]
    law = pt.distribution(TRUTH, found, "rand")
    assert (law.lower, law.upper) == (pytest.approx(min(values)), pytest.approx(max(values)))
    assert law.lower < law.upper


def test_the_class_takes_sets_as_the_evidential_one_takes_focal_sets():
    assert pt.RoughPartition([{0}, {0, 1}]).possible.tolist() == [[True, False], [True, True]]
    assert pt.RoughPartition([{"x"}, {"x", "y"}]).names == ("x", "y")
    named = pt.RoughPartition([{"x"}, {"y"}], names=["y", "x", "z"])
    assert named.possible.tolist() == [[False, True, False], [True, False, False]]
    by_position = pt.RoughPartition([{0}, {0, 1}], names=["p", "q"])
    assert (by_position.names, by_position.possible.tolist()) == (("p", "q"), [[True, False], [True, True]])
    with pytest.raises(PartitionError, match="not known") as caught:
        pt.RoughPartition([{"x"}, {"w"}], names=["x", "y"])
    assert "'w'" in caught.value.got
    with pytest.raises(PartitionError, match="no possible cluster") as caught:
        pt.RoughPartition([{0}, set(), {0, 1}])
    assert "row 1" in caught.value.got
    with pytest.raises(PartitionError, match="hashable"):
        pt.RoughPartition([{0}, [[0]]])


def test_what_may_be_read_by_object_or_by_cluster_asks():
    unclear = [{0, 1}, {1}]
    for given in (unclear, {0: {0, 1}, 1: {1}}):
        with pytest.raises(PartitionError, match="by object or by cluster") as caught:
            pt.as_partition(given, kind="rough")
        assert "RoughPartition(" in caught.value.fix
        assert "objects=" in caught.value.fix
    by_object = pt.RoughPartition(unclear)
    assert by_object.possible.tolist() == [[True, True], [False, True]]
    by_cluster = pt.as_partition(unclear, kind="rough", objects=[0, 1])
    assert by_cluster.possible.tolist() == [[True, False], [True, True]]


def test_objects_and_their_number_decide():
    cover = [{0, 1, 2}, {2, 3}]
    by_cluster = [[True, False], [True, False], [True, True], [False, True]]
    assert pt.as_partition(cover, kind="rough").possible.tolist() == by_cluster
    assert pt.as_partition(cover, kind="rough", n_objects=4).possible.tolist() == by_cluster
    two = pt.as_partition(cover, kind="rough", n_objects=2)
    assert two.possible.tolist() == [[True, True, True, False], [False, False, True, True]]
    ordered = pt.as_partition([{"x"}, {"x", "y"}], kind="rough", objects=["ann", "bob"])
    assert (list(ordered.index), ordered.n_objects) == (["ann", "bob"], 2)
    named = pt.as_partition({"bob": {"x", "y"}, "ann": {"x"}}, kind="rough", objects=["ann", "bob"])
    assert named.possible.tolist() == [[True, False], [True, True]]
    with pytest.raises(PartitionError, match="objects"):
        pt.as_partition(cover, kind="rough", n_objects=7)
    with pytest.raises(PartitionError, match="list each object once"):
        pt.as_partition(cover, kind="rough", objects=[0, 1, 2])
    with pytest.raises(MismatchError):
        pt.as_partition([0, 1, 1], n_objects=4)
    for bad in (0, -1, 2.0, True, "4"):
        with pytest.raises(ParameterError, match="n_objects"):
            pt.as_partition(cover, kind="rough", n_objects=bad)


def test_the_other_side_decides():
    found = pt.as_partition(CANDIDATES, kind="rough")
    expected = pt.distribution(TRUTH, found, "rand")
    seen = pt.distribution(TRUTH, CANDIDATES, "rand")
    assert (seen.lower, seen.upper) == (expected.lower, expected.upper)
    turned = pt.distribution(CANDIDATES, TRUTH, "rand")
    assert (turned.lower, turned.upper) == (expected.lower, expected.upper)
    tuples = pt.distribution(TRUTH, [tuple(s) for s in CANDIDATES], "rand")
    assert (tuples.lower, tuples.upper) == (expected.lower, expected.upper)
    row = pt.compare(TRUTH, CANDIDATES, indices=["rand"])["rand"]
    assert (row.lower, row.upper) == (expected.lower, expected.upper)
    communities = pt.compare({"a": 0, "b": 0, "c": 1}, [{"a", "b"}, {"c"}], indices=["ARI"])
    assert communities["ARI"].value == 1.0  # clusters that do not overlap stay clusters
    with pytest.raises(PartitionError, match="by object or by cluster"):
        pt.compare([0, 1], [{0, 1}, {1}], indices=["rand"])
    with pytest.raises(PartitionError, match="overlap"):
        pt.compare([0, 0, 1, 1, 1], [{0, 1, 2}, {2, 3, 4}], indices=["rand"])


MASSES = [{("a",): 0.7, ("a", "b"): 0.3}, {("b",): 1.0}, {frozenset({"b", "a"}): 0.5, "a": 0.5}]


@pytest.mark.parametrize("kind", [None, "evidential"])
@pytest.mark.parametrize("given", [MASSES, tuple(MASSES), pd.Series(MASSES)], ids=["list", "tuple", "series"])
def test_masses_of_sets_for_each_object(given, kind):
    made = pt.as_partition(given, kind=kind)
    assert isinstance(made, pt.EvidentialPartition)
    assert made.names == ("a", "b")
    by_set = {
        frozenset(n for n, inside in zip(made.names, row, strict=True) if inside): made.masses[:, i].tolist()
        for i, row in enumerate(made.focal_sets)
    }
    assert by_set == {
        frozenset("a"): [0.7, 0.0, 0.5],
        frozenset("b"): [0.0, 1.0, 0.0],
        frozenset("ab"): [0.3, 0.0, 0.5],
    }


def test_masses_of_sets_go_into_the_class_too():
    made = pt.EvidentialPartition(MASSES)
    assert made.equivalent(pt.as_partition(MASSES))
    noise = pt.EvidentialPartition([{(): 1.0}, {(0,): 0.4, (0, 1): 0.6}])
    assert noise.empty_mass.tolist() == [1.0, 0.0]
    named = pt.EvidentialPartition(MASSES, names=["b", "a", "c"])
    assert (named.names, named.n_clusters) == (("b", "a", "c"), 3)
    halves = pt.as_partition([{("a",): 2, ("b",): 2}, {("a",): 1}], normalize=True)
    assert halves.to("fuzzy").memberships().tolist() == [[0.5, 0.5], [1.0, 0.0]]
    by_name = pt.as_partition({"ann": MASSES[0], "bob": MASSES[1]}, kind="evidential")
    assert list(by_name.index) == ["ann", "bob"]


@pytest.mark.parametrize(
    ("bad", "names", "words"),
    [
        ([{("a",): 0.7}, {("a",): 1.0}], None, "sum to one"),
        ([{("a",): 1.2, ("b",): -0.2}], None, "outside|negative|range|below"),
        ([{("a",): float("nan"), ("b",): 1.0}], None, "finite|nan"),
        ([{("a",): "0.7", ("b",): 0.3}], None, "number"),
        ([{("a", "b"): 0.5, ("b", "a"): 0.5}], None, "twice"),
        ([{("a",): 1.0}, {("c",): 1.0}], ["a", "b"], "not known"),
        ([{("a",): 1.0}, {}], None, "sum to one"),
        ([{("a",): 1.0}, {"b"}], None, "masses"),
    ],
)
def test_bad_masses_are_refused(bad, names, words):
    with pytest.raises(PartitionError, match=words):
        pt.EvidentialPartition(bad, names=names)


def test_a_class_without_its_focal_sets_still_asks():
    with pytest.raises(PartitionError, match="focal sets"):
        pt.EvidentialPartition([[0.7, 0.3]])


def test_a_matrix_stays_a_matrix():
    for given in ([[1, 1], [1, 0], [0, 1]], [(1, 1), (1, 0), (0, 1)]):
        assert pt.as_partition(given, kind="rough").possible.tolist() == [
            [True, True],
            [True, False],
            [False, True],
        ]
    sets = pt.as_partition([["a", "b"], ["b", "c"], ["a", "b"], ["c", "a"]], kind="rough")
    assert sets.names == ("a", "b", "c")
    numbers = pt.as_partition([[0, 2], [1, 2], [0, 2], [0, 1]], kind="rough")
    assert numbers.possible.tolist()[0] == [True, False, True]
