"""Weights of every size: which are accepted, and that no index loses its digits to them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.engine import collect
from partita.errors import ParameterError, UndefinedIndexWarning
from partita.indices import catalogue
from partita.inputs import prepare
from partita.partitions import EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH
from partita.registry import Index
from partita.statistics import Contingency
from reference import REFERENCE, bcubed, information, matching, pairs

pytestmark = pytest.mark.filterwarnings(f"ignore::{UndefinedIndexWarning.__module__}.UndefinedIndexWarning")

EXTERNAL = [entry for entry in catalogue() if set(entry.inputs) == {"truth", "found"}]

# what these are for two hard clusterings, as functions of an index that counts pairs
SAME_AS = {
    "coassociation_average_distance": ("rand", lambda r: 2 * (1 - r)),
    "coassociation_rand_distance": ("rand", lambda r: 1 - r),
    "coassociation_student_distance": ("rand", lambda r: (1 - r) / (0.5 + r * (1 - r))),
    "coassociation_correlation_distance": ("hubert_gamma", lambda g: 1 - g),
    "coassociation_jaccard_distance": ("jaccard", lambda j: 1 - j),
    "product_adjusted_rand": ("adjusted_rand", float),
    "frobenius_rand": ("rand", float),
    "frobenius_adjusted_rand": ("adjusted_rand", float),
    "belief_rand": ("rand", float),
    "belief_adjusted_rand": ("adjusted_rand", float),
    "campello_rand": ("rand", float),
    "campello_adjusted_rand": ("adjusted_rand", float),
    "campello_jaccard": ("jaccard", float),
    "hullermeier_rifqi": ("rand", float),
    "adjusted_concordance": ("adjusted_rand", float),
    "credal_rand": ("rand", float),
    "fuzzy_partition_distance": ("classification_error", float),
}


class Weighted:
    """Two hard clusterings and a weight for each object, exactly: tables and pairs in fractions."""

    def __init__(self, truth: list[int], found: list[int], weight: list[float]) -> None:
        self.U, self.V = (np.eye(max(labels) + 1)[labels] for labels in (truth, found))
        exact = [Fraction(w) for w in weight]
        self.n = sum(exact)
        self.cells = [
            [
                sum((w for t, f, w in zip(truth, found, exact, strict=True) if (t, f) == (i, j)), Fraction())
                for j in range(max(found) + 1)
            ]
            for i in range(max(truth) + 1)
        ]

    @property
    def rows(self) -> list[Fraction]:
        return [sum(row, Fraction()) for row in self.cells]

    @property
    def columns(self) -> list[Fraction]:
        return [sum(column, Fraction()) for column in zip(*self.cells, strict=True)]

    def counted(self) -> pairs.Pairs:
        def choose_two(sizes: Any) -> Fraction:
            return sum((x * (x - 1) / 2 for x in sizes), Fraction())

        in_both = choose_two(cell for row in self.cells for cell in row)
        in_sides = choose_two(self.rows), choose_two(self.columns)
        return pairs.Pairs(self.n, choose_two([self.n]), *in_sides, in_both, hard=True)

    def table(self, U: Any, _: Any) -> list[list[Fraction]]:
        """Scaled to the number of objects, as the references for indices without a scale take it."""
        scaled = [[cell * len(self.U) / self.n for cell in row] for row in self.cells]
        return scaled if U is self.U else list(map(list, zip(*scaled, strict=True)))

    def expected(self, name: str) -> float:
        if name in SAME_AS:
            other, function = SAME_AS[name]
            return function(self.expected(other))
        if name == "prediction_strength":
            kept = [
                sum(x * (x - 1) for x in row) / (size * (size - 1))
                for row, size in zip(self.cells, self.rows, strict=True)
                if size > 1
            ]
            return float(min(kept))
        if name == "adjusted_mutual_information":
            return self.adjusted_mutual_information()
        if name in pairs.REFERENCE:
            with mock.patch.object(pairs, "count_pairs", return_value=self.counted()):
                return REFERENCE[name](self.U, self.V)
        with (
            mock.patch.object(information, "table", self.table),
            mock.patch.object(matching, "table", self.table),
            mock.patch.object(bcubed, "table", self.table),
        ):
            return REFERENCE[name](self.U, self.V)

    def adjusted_mutual_information(self) -> float:
        """With E[I] = (k - 1)(k' - 1) / 2n, which is off by some n^-2 (times the inverse smallest shares)."""
        k, others = (sum(map(bool, sizes)) for sizes in (self.rows, self.columns))
        by_chance = (k - 1) * (others - 1) / 2 / float(self.n)
        with mock.patch.object(information, "table", self.table):
            shared = information.mutual_information(self.U, self.V)
            sides = information._marginal_entropies(self.U, self.V)
        return (shared - by_chance) / (sum(sides) / 2 - by_chance)


# --- two hard clusterings: exact references ---------------------------------------------------------------


def weighted_labels(weight: st.SearchStrategy[float]) -> st.SearchStrategy[tuple[list[Any], ...]]:
    """Labels of two clusterings, of which neither is a single cluster, and weights."""
    one = st.tuples(st.integers(0, 2), st.integers(0, 2), weight)
    drawn = st.lists(one, min_size=3, max_size=8).map(lambda rows: tuple(map(list, zip(*rows, strict=True))))
    return drawn.filter(lambda sides: len(set(sides[0])) > 1 and len(set(sides[1])) > 1)


LARGE_COUNTS = st.integers(10**9, 10**15)
UNEVEN_COUNTS = st.integers(2, 9) | LARGE_COUNTS
FLOATS = st.tuples(st.floats(1.0, 10.0), st.integers(1, 28)).map(lambda drawn: drawn[0] * 10.0 ** drawn[1])


def hold_against_exact(entries: list[Index], drawn: tuple[list[Any], ...]) -> None:
    truth, found, weight = drawn
    exact = Weighted(truth, found, weight)
    inputs = prepare({"truth": truth, "found": found}, sample_weight=weight)
    collected = collect([request for entry in entries for request in entry.requests], inputs)
    for entry in entries:
        got, _ = entry.value_for(inputs, collected)
        assert got == pytest.approx(exact.expected(entry.name), rel=1e-11, abs=1e-11), entry.name


@settings(max_examples=30)
@given(weighted_labels(LARGE_COUNTS))
def test_every_index_of_two_clusterings_is_exact_for_large_counts(drawn):
    hold_against_exact(EXTERNAL, drawn)


@settings(max_examples=30)
@given(weighted_labels(UNEVEN_COUNTS))
def test_every_index_of_two_clusterings_is_exact_for_uneven_counts(drawn):
    # the reference here for the expected mutual information is one for large clusters
    hold_against_exact([e for e in EXTERNAL if e.name != "adjusted_mutual_information"], drawn)


@settings(max_examples=30)
@given(weighted_labels(FLOATS))
def test_every_index_of_two_clusterings_is_exact_for_uneven_floats(drawn):
    needs_whole = ("adjusted_mutual_information", "prediction_strength")
    hold_against_exact([e for e in EXTERNAL if e.name not in needs_whole], drawn)


@pytest.mark.parametrize("name", ["class_entropy", "variation_of_information", "joint_entropy"])
@given(weighted_labels(UNEVEN_COUNTS | FLOATS))
def test_small_entropies_keep_their_digits(name, drawn):
    truth, found, weight = drawn
    got = pt.indices.find(name)(truth, found, sample_weight=weight)
    assert got == pytest.approx(Weighted(truth, found, weight).expected(name), rel=1e-11, abs=0.0)


def test_one_cluster_tells_nothing_whatever_the_weights():
    """Cluster sizes of 4e9 and 3e9: their product passes 64 bits."""
    weights = [4 * 10**9, 3 * 10**9]
    assert pt.indices.homogeneity([0, 1], [0, 0], sample_weight=weights) == 0.0
    assert pt.indices.nmi_sum([0, 1], [0, 0], sample_weight=weights) == 0.0
    assert pt.indices.mutual_information([0, 1], [0, 0], sample_weight=weights) == 0.0
    sizes = pt.indices.entropy([0, 1], sample_weight=weights)
    assert pt.indices.variation_of_information([0, 1], [0, 0], sample_weight=weights) == pytest.approx(sizes)


def test_tables_of_large_counts():
    """By hand: a diagonal table, and two mistakes among 10^12 objects, which are 2 (10^12 / 2 - 1) pairs."""
    same = Contingency.from_counts(np.diag([10**12, 3 * 10**12, 7 * 10**12]))
    assert pt.indices.mirkin.of(same) == 0.0
    assert pt.indices.minkowski_score.of(same) == 0.0
    assert pt.indices.variation_of_information.of(same) == 0.0
    assert pt.indices.adjusted_mutual_information.of(same) == 1.0
    assert pt.indices.prediction_strength.of(same) == 1.0
    half = 5 * 10**11
    moved = Contingency.from_counts([[half - 1, 1], [1, half - 1]])
    assert moved.pairs[1] == moved.pairs[2] == 2.0 * (half - 1)
    with pytest.raises(ParameterError, match="contingency table"):
        Contingency.from_counts([[1e31, 1.0]])


# --- any kind, any statistic: what grows with the weights in a simple way goes on so ------------------------

DRAWN = np.random.default_rng(7)
DATA = DRAWN.normal(size=(12, 2)) + 5.0 * (np.arange(12) % 3)[:, None]
BINARY = (DRAWN.random((12, 5)) < 0.5).astype(float)
COUNT = DRAWN.integers(1, 9, 12)
FOCAL_SETS = [[1, 0], [0, 1], [1, 1], [0, 0]]
SIDES = {
    HARD: (np.arange(12) % 3, np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 1, 0])),
    FUZZY: (DRAWN.dirichlet([1, 1, 1], 12), DRAWN.dirichlet([1, 1], 12)),
    POSSIBILISTIC: tuple(pt.PossibilisticPartition(DRAWN.uniform(0.1, 1.0, (12, k))) for k in (3, 2)),
    ROUGH: tuple(
        pt.RoughPartition(np.eye(k)[np.arange(12) % k] + (DRAWN.random((12, k)) < 0.3) > 0) for k in (3, 2)
    ),
    EVIDENTIAL: tuple(
        pt.EvidentialPartition(
            DRAWN.dirichlet(np.ones(4), 12), np.array([[1, 0], [0, 1], [1, 1], [0, 0]], bool)
        )
        for _ in range(2)
    ),
}
OF_PARTITIONS = [entry for entry in catalogue() if "model" not in entry.inputs]


def values_at(power: int, truth: Any, found: Any) -> dict[str, float]:
    """The value of every index with weights of this size, by its label; each statistic is made once."""
    values = {}
    for X in (DATA, BINARY):
        of_data = [e for e in OF_PARTITIONS if (e.name == "stochastic_complexity") == (X is BINARY)]
        for names in {entry.inputs for entry in of_data}:
            given = {"X": X, "truth": truth, "found": found}
            inputs = prepare({name: given[name] for name in names}, sample_weight=COUNT * 2.0**power)
            entries = [e for e in of_data if e.inputs == names and set(inputs.kinds) <= set(e.kinds)]
            collected = collect([request for entry in entries for request in entry.requests], inputs)
            values |= {entry.label: entry.value_for(inputs, collected)[0] for entry in entries}
    return values


@pytest.mark.parametrize("first", SIDES, ids=str)
@pytest.mark.parametrize("second", SIDES, ids=str)
def test_no_weight_in_range_breaks_an_index(first, second):
    powers = (-90, -60, -30, 0, 26, 30, 36, 40, 80, 90)
    at = {power: values_at(power, SIDES[first][0], SIDES[second][1]) for power in powers}
    assert all(values.keys() == at[0].keys() for values in at.values())
    assert at[0]
    for label in at[0]:
        ratios = [at[power + 10][label] / (at[power][label] or 1.0) for power in (26, 30, 80)]
        if ratios[0] == pytest.approx(ratios[1], rel=1e-5):
            assert ratios[2] == pytest.approx(ratios[1], rel=1e-4) or np.isnan(ratios[2]), label


@pytest.mark.parametrize("weight", [1e31, 1e300, 1e308, 1e-31, 1e-320, np.inf, np.nan, -1.0])
def test_weights_out_of_range_are_refused_with_the_range(weight):
    for call in (
        lambda w: pt.compare([0, 0, 1], [0, 1, 1], sample_weight=w),
        lambda w: pt.validate(DATA[:3], [0, 0, 1], sample_weight=w),
        lambda w: pt.indices.entropy([0, 0, 1], sample_weight=w),
        lambda w: Contingency.from_ensemble(pt.Ensemble([[0, 0, 1], [0, 1, 1]]), w),
    ):
        with pytest.raises(ParameterError, match=r"between 1e-30 and 1e\+30"):
            call([1.0, 0.0, weight])
    with pytest.raises(ParameterError, match=r"a sum of 1\.5e\+30"):
        pt.compare([0, 0, 1], [0, 1, 1], sample_weight=[5e29] * 3)
    with pytest.raises(ParameterError, match="not all 0"):
        pt.compare([0, 0, 1], [0, 1, 1], sample_weight=[0, 0, 0])


def test_numbers_that_are_kept_as_objects_are_weights():
    truth, found = [0, 0, 1, 1], [0, 1, 1, 1]
    for weight in ([1, 2, 3, 4], [0.5, 1, 2, 0.25], [np.float32(1), 2, np.int8(3), True]):
        as_objects = np.array(weight, dtype=object)
        assert pt.indices.rand(truth, found, sample_weight=as_objects) == pt.indices.rand(
            truth, found, sample_weight=np.array(weight, dtype=float)
        )
    for odd in (["1", "2", "3", "4"], [1, 2, 3, None], [1, 2, 3, 1j], [10**400, 1, 1, 1]):
        with pytest.raises(ParameterError, match="sample_weight"):
            pt.indices.rand(truth, found, sample_weight=np.array(odd, dtype=object))
