"""Rules that pick one cluster from each focal set, against enumeration by the definition."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
import strategies  # noqa: F401 (loads the hypothesis profile)
from partita.distributional.decision_rules import closest_rule
from partita.distributional.sampling import Plan
from partita.distributional.sides import Side
from partita.distributional.table_index import TableIndex
from partita.distributional.tasks import Task
from reference import REFERENCE
from reference import distributional as by_definition

INDICES = ("rand", "variation_of_information", "mutual_information", "pairs_in_both", "class_entropy")


@cache
def value(name, one, other):
    """The reference of an index on two tuples of labels."""
    U, V = (np.eye(max(labels) + 1)[list(labels)] for labels in (one, other))
    return REFERENCE[name](U, V)


@st.composite
def evidential(draw, n):
    """Masses in quarters on two or three sets of up to three clusters, none of them empty."""
    k = draw(st.integers(1, 3))
    masks = draw(st.lists(st.integers(1, (1 << k) - 1), min_size=1, max_size=3, unique=True))
    row = st.lists(st.integers(0, 3), min_size=len(masks), max_size=len(masks)).filter(any)
    grid = np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=float)
    sets = np.array([[bool(m >> c & 1) for c in range(k)] for m in masks])
    return pt.EvidentialPartition(grid / grid.sum(axis=1, keepdims=True), sets)


pairs = st.integers(2, 3).flatmap(lambda n: st.tuples(evidential(n), evidential(n)))


def rules_for(sides, name, seed=0):
    masses = [Side.of(p, "normalize").masses for p in sides]
    task = Task(TableIndex.named(name, sides[0].n_objects), "auto", Plan(), np.random.default_rng(seed))
    return masses, closest_rule(*masses, task)


def fuzzy_by(masses, picks, k):
    """The memberships that a rule makes: each mass goes to the cluster that is picked from its set."""
    U = np.zeros((len(masses.masses), k))
    for (x, f), mass in np.ndenumerate(masses.masses):
        U[x, picks[x, f]] += mass
    return U


@pytest.mark.parametrize("name", INDICES)
@settings(max_examples=15)
@given(sides=pairs)
def test_a_rule_picks_from_the_set_and_its_mean_is_that_of_the_fuzzy_law(name, sides):
    masses, rules = rules_for(sides, name)
    for rule in rules:
        made = []
        for side, picks, k in zip(masses, (rule.truth, rule.found), rule.shape, strict=True):
            assert picks.shape == side.masses.shape
            for (x, f), pick in np.ndenumerate(picks):
                assert side.sets[f, pick], (x, f)
            made.append(fuzzy_by(side, picks, k))
        law, undefined = by_definition.fuzzy_law(*made, lambda one, other: value(name, one, other))
        assert undefined == 0
        assert rule.mean == pytest.approx(by_definition.moments(law)[0], abs=1e-9)


@pytest.mark.parametrize("name", INDICES)
@settings(max_examples=10)
@given(sides=pairs)
def test_the_means_of_both_rules_lie_between_the_expectations(name, sides):
    _, (near_lower, near_upper) = rules_for(sides, name)
    focal, _ = by_definition.evidential_values(
        *map(by_definition.masses, sides), lambda one, other: value(name, one, other)
    )
    lower, upper = by_definition.expectations(focal)
    for rule in (near_lower, near_upper):
        assert lower - 1e-9 <= rule.mean <= upper + 1e-9


@settings(max_examples=20)
@given(sides=pairs, name=st.sampled_from(INDICES))
def test_rules_never_look_at_draws(sides, name):
    """The same for any generator, and again."""
    _, first = rules_for(sides, name, seed=0)
    for seed in (0, 1):
        _, again = rules_for(sides, name, seed)
        for one, other in zip(first, again, strict=True):
            np.testing.assert_array_equal(one.truth, other.truth)
            np.testing.assert_array_equal(one.found, other.found)
            assert one.mean == other.mean


def test_rules_by_hand():
    """Objects 0 to 3 are in {0}, {0}, {1}, {1}; the fifth may be in either: its cluster of truth is best.

    Agreement is largest when it goes where truth has it (all 10 pairs), smallest when it goes elsewhere: the
    fifth disagrees with all four, 6 of 10 pairs agree.
    """
    sets = np.array([[1, 0], [0, 1], [1, 1]], dtype=bool)
    found = pt.EvidentialPartition(np.eye(3)[[0, 0, 1, 1, 2]], sets)
    truth = pt.HardPartition([0, 0, 1, 1, 1])
    masses, (lower, upper) = rules_for((truth, found), "rand")
    vague = np.flatnonzero((masses[1].sets == [True, True]).all(axis=1))[0]
    assert upper.mean == pytest.approx(1.0)
    assert lower.mean == pytest.approx(0.6)
    assert (lower.found[4, vague], upper.found[4, vague]) == (0, 1)


def test_both_expectations_are_reached_where_objects_are_certain_or_alone():
    """One vague object against a hard clustering: the best pick of a single object is the end itself."""
    sets = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=bool)
    masses = np.eye(4)[[0, 0, 1, 1, 2, 2, 0]]
    masses[6] = [0.25, 0.0, 0.0, 0.75]
    sides = pt.HardPartition([0, 0, 1, 1, 2, 2, 1]), pt.EvidentialPartition(masses, sets)
    _, rules = rules_for(sides, "rand")
    focal, _ = by_definition.evidential_values(
        *map(by_definition.masses, sides), lambda one, other: value("rand", one, other)
    )
    assert [r.mean for r in rules] == pytest.approx(by_definition.expectations(focal))
