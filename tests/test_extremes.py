"""Any clusterings and any weights in range: a number, nan with a reason, or our error; never a warning."""

from __future__ import annotations

import math
import warnings
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.errors import KindError, ParameterError, TooLargeError
from partita.indices import catalogue
from partita.inputs import prepare
from partita.partitions import FUZZY, POSSIBILISTIC, FuzzyPartition, Partition, PossibilisticPartition
from partita.registry import Index
from strategies import partitions


def all_choices(entry: Index) -> list[Index]:
    """The index with its options as they are, and with each other choice of one of them."""
    changed = [
        {name: choice}
        for name, hint in entry.option_types.items()
        for choice in get_args(hint)
        if isinstance(choice, (str, bool)) and choice != entry.defaults[name]
    ]
    return [entry, *(entry.using(**options) for options in changed)]


OF_TWO = [e for entry in catalogue() if entry.inputs == ("truth", "found") for e in all_choices(entry)]
OF_ONE = [e for entry in catalogue() if entry.inputs == ("found",) for e in all_choices(entry)]


def next_to_nothing(n: int) -> st.SearchStrategy[Partition]:
    """Memberships so small that products and quotients of them leave the range of numbers."""
    small = st.sampled_from([0.0, 5e-324, 1e-300, 1e-160, 1e-17, 0.3])
    rows = st.lists(st.tuples(small, small), min_size=n, max_size=n).map(np.array)
    fuzzy = rows.map(lambda u: FuzzyPartition(np.column_stack([u, 1.0 - u.sum(axis=1)])))
    possibilistic = rows.map(lambda u: PossibilisticPartition(np.column_stack([u, np.full(n, 0.8)])))
    return fuzzy | possibilistic


def weights(n: int) -> st.SearchStrategy[Any]:
    one = st.sampled_from([1, 3, 1e-30, 1e-3, 0.25, 0.999, 1.001, 4e9, 1e16, 1e28])
    return st.none() | st.lists(one, min_size=n, max_size=n)


@st.composite
def cases(draw: st.DrawFn, count: int) -> tuple[Any, ...]:
    n = draw(st.integers(1, 5))
    sides = [draw(partitions(n) | next_to_nothing(n)) for _ in range(count)]
    return (*sides, draw(weights(n)))


def hold(entries: list[Index], names: tuple[str, ...], drawn: tuple[Any, ...]) -> None:
    *sides, weight = drawn
    inputs = prepare(dict(zip(names, sides, strict=True)), sample_weight=weight)
    for entry in entries:
        try:
            entry.check_kinds(inputs.kinds)
            value, reason = entry.value_for(inputs, None)
        except (KindError, TooLargeError):
            continue
        except ParameterError:
            assert entry.options.get("method") == "sample", entry.label  # typicalities cannot be sampled
            continue
        assert math.isfinite(value) or reason, entry.label


@settings(max_examples=40)
@given(cases(2))
def test_every_index_of_two_clusterings_has_a_value_or_a_reason(drawn):
    hold(OF_TWO, ("truth", "found"), drawn)


@settings(max_examples=60)
@given(cases(1))
def test_every_index_of_one_clustering_has_a_value_or_a_reason(drawn):
    hold(OF_ONE, ("found",), drawn)


def test_one_soft_object_has_no_pair():
    with pytest.warns(pt.errors.UndefinedIndexWarning, match="no pair"):
        value = pt.indices.rand([[0.5, 0.5]], [[0.3, 0.7]], pairs="coassociation")
    assert math.isnan(value)
    assert pt.indices.rand([0], [0], pairs="coassociation") == 1.0
    assert pt.indices.mirkin([[0.5, 0.5]], [[0.3, 0.7]], pairs="coassociation") == 0.0


def test_one_cluster_against_very_many_memberships():
    """By hand: all pairs are together in truth, so none is apart in both, and none less than none."""
    rng = np.random.default_rng(0)
    soft = pt.FuzzyPartition(rng.dirichlet(np.ones(100_000), 6))
    assert pt.indices.pairs_in_neither(np.zeros(6, dtype=int), soft) == 0.0
    assert pt.indices.pairs_in_truth_only(np.zeros(6, dtype=int), soft) > 0.0


def test_very_many_clusters_are_compared():
    """Each object on its own on both sides, which is the same clustering: every index is at its best."""
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = pt.compare(rng.permutation(12_000), rng.permutation(12_000))
    for name in ("ARI", "AMI", "NMI", "FPD", "purity", "classification_error"):
        assert result[name].value == pytest.approx(result[name].best, abs=1e-12)
    mixed = pt.compare(rng.integers(0, 12_000, 20_000), rng.integers(0, 12_000, 20_000))
    assert mixed["FPD"].value == pytest.approx(mixed["classification_error"].value)


@pytest.mark.parametrize("kind", [FUZZY, POSSIBILISTIC])
def test_a_cluster_of_next_to_nothing_adds_nothing_to_a_pairing(kind):
    """Two clusters, and a third that holds 1e-30 of an object: like itself, but not a third of a match."""
    soft = pt.as_partition([[0.0, 0.75, 0.25], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5]], kind=kind)
    for name in ("pair_set_index", "simplified_pair_set_index"):
        index = pt.indices.find(name)
        with_it = index(soft, soft, sample_weight=[3.0, 1e-30, 1.0])
        without = index(soft.take([0, 2]), soft.take([0, 2]), sample_weight=[3.0, 1.0])
        assert with_it == pytest.approx(without, abs=1e-12)
