"""The gate: what every index entry must have, and what the entry makes of itself."""

from __future__ import annotations

import inspect
import math
import pickle
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pytest

import partita as pt
from partita.errors import KindError, ParameterError, PartitaError, UndefinedIndexError, UnknownNameError
from partita.indices import catalogue
from partita.partitions import FUZZY, HARD, Kind
from partita.registry import Above, Example, Limit, find, index, remove
from partita.statistics import Contingency, Whole
from partita.statistics.options import Inner, options_of

ENTRIES = catalogue()
named = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)


def test_names_and_symbols_are_found_without_case():
    for entry in ENTRIES:
        assert find(entry.name.upper()) is entry
        if entry.symbol and entry.symbol != "CH":  # which has two meanings in franti2017, and asks
            assert find(entry.symbol.lower()) is entry
    assert find("ARI").name == "adjusted_rand"
    assert find("FM").name == "fowlkes_mallows"


def test_unknown_names_list_near_ones():
    with pytest.raises(UnknownNameError, match="adjusted_rand") as caught:
        find("ajusted_rand")
    assert isinstance(caught.value, KeyError)
    with pytest.raises(AttributeError, match="fowlkes_mallows"):
        _ = pt.indices.fowlkes_malows
    with pytest.raises(ParameterError):
        find(3)


def test_signature_is_derived_from_the_formula():
    assert list(inspect.signature(pt.indices.rand).parameters) == [
        "truth",
        "found",
        "pairs",
        "noise",
        "sample_weight",
        "on_undefined",
    ]
    assert next(iter(inspect.signature(pt.indices.entropy).parameters)) == "found"


def test_using_changes_options_and_text_does_too():
    ordered = pt.indices.rand.using(pairs="ordered")
    assert ordered([0, 0, 1, 1], [0, 1, 0, 1]) == 0.5
    assert ordered.label == "rand:pairs=ordered"
    assert find(ordered.label).options == ordered.options
    assert pt.indices.rand([0, 0, 1, 1], [0, 1, 0, 1], pairs="ordered") == 0.5
    assert pt.indices.rand([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: pt.indices.rand.using(pairs="all"), ParameterError),
        (lambda: pt.indices.rand.using(pear="ordered"), UnknownNameError),
        (lambda: pt.indices.purity.using(x=1), ParameterError),
        (lambda: pt.indices.v_measure.using(beta=0), ParameterError),
        (lambda: pt.indices.v_measure.using(beta=math.nan), ParameterError),
        (lambda: pt.indices.v_measure.using(beta="1"), ParameterError),
        (lambda: pt.indices.entropy.using(base=1), ParameterError),
        (lambda: find("rand:ordered"), ParameterError),
        (lambda: pt.indices.rand([0, 1]), ParameterError),
        (lambda: pt.indices.rand([0, 1], [0, 1], [0, 1]), ParameterError),
        (lambda: pt.indices.rand([0, 1], [0, 1], on_undefined="zero"), ParameterError),
        (lambda: pt.indices.rand([0, 1], [0, 1], noise="drop"), ParameterError),
    ],
)
def test_bad_options_are_refused(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, PartitaError)
    assert caught.value.what


def test_kinds_that_are_not_defined_are_refused_by_name():
    rough = pt.RoughPartition([[True, True], [True, False]])
    with pytest.raises(KindError, match="harden"):
        pt.indices.rand([0, 1], rough)
    with pytest.raises(KindError):
        pt.indices.adjusted_mutual_information([0, 1], [[0.5, 0.5], [0.2, 0.8]], average="joint")
    with pytest.raises(KindError):
        pt.indices.adjusted_mutual_information([0, 1], rough)
    with pytest.raises(KindError):
        pt.indices.rand.of(Contingency(np.eye(2), 2.0, (Kind.ROUGH, HARD)))


def test_undefined_is_nan_with_one_warning_or_an_error():
    with pytest.warns(pt.errors.UndefinedIndexWarning, match="truth has no pair together") as caught:
        value = pt.indices.pair_recall([0, 1, 2], [0, 0, 1])
    assert math.isnan(value)
    assert len(caught) == 1
    with pytest.raises(UndefinedIndexError, match="truth has no pair"):
        pt.indices.pair_recall([0, 1, 2], [0, 0, 1], on_undefined="raise")


def test_a_value_is_a_plain_float():
    assert type(pt.indices.rand([0, 1, 1], [0, 1, 0])) is float
    assert type(pt.indices.rand.of(Contingency.from_counts([[2, 1], [0, 3]]))) is float


@pytest.fixture
def scratch():
    """Take out of the registry what a test put in."""
    before = set(catalogue())
    yield
    for entry in set(catalogue()) - before:
        remove(entry)


def _declare(**changes):
    facts = {"title": "t", "best": 1.0, "range": {HARD: (0.0, 1.0)}} | changes

    def decorate(function):
        return index(**facts)(function)

    return decorate


@pytest.mark.usefixtures("scratch")
def test_non_finite_output_without_a_limit_is_a_bug_and_raises():
    @_declare()
    def always_nan(table: Contingency):
        return table.n * np.nan

    with pytest.raises(PartitaError, match="no limit says why"):
        always_nan([0, 1], [0, 1])


@pytest.mark.usefixtures("scratch")
def test_values_past_the_range_are_a_bug_but_rounding_is_not():
    @_declare()
    def too_large(table: Contingency):
        return 1.0 + 0.01 + 0 * table.n

    @_declare()
    def rounded(table: Contingency):
        return 1.0 + 1e-13 + 0 * table.n

    with pytest.raises(PartitaError, match="left its range"):
        too_large([0, 1], [0, 1])
    assert rounded([0, 1], [0, 1]) == 1.0


@pytest.mark.usefixtures("scratch")
def test_limits_come_first_and_the_first_wins():
    @_declare(
        limits=[
            Limit(lambda t: t.n == 2, 0.25, "two"),
            Limit(lambda t, *, gain: t.n <= gain, 0.75, "few"),
        ]
    )
    def limited(table: Contingency, *, gain: float = 3.0):
        return np.nan * table.n

    assert limited([0, 1], [0, 1]) == 0.25
    assert limited([0, 1, 1], [0, 1, 1]) == 0.75
    assert limited([0, 1, 1, 1], [0, 1, 1, 1], gain=4) == 0.75


@pytest.mark.usefixtures("scratch")
def test_a_statistic_takes_the_options_that_are_its_own():
    @dataclass(frozen=True)
    class Scales:
        scale: float = 1

    class Scaled(Contingency):
        options = Scales

        @classmethod
        def from_block(cls, truth, found, weight=None, *, scale=1):
            plain = Contingency.from_block(truth, found, weight)
            return Contingency(
                plain.raw * scale, plain.total * scale, *(plain.kinds, plain.row_names, plain.column_names)
            )

    globals()["Scaled"] = Scaled

    @_declare(best=None, range={HARD: (0.0, None)})
    def scaled_total(table: Scaled, *, shift: float = 0):
        return table.n + shift

    assert scaled_total([0, 1], [0, 1]) == 2
    assert scaled_total([0, 1], [0, 1], scale=10, shift=1) == 21
    assert scaled_total.using(scale=3).requests != scaled_total.requests


@dataclass(frozen=True)
class Choices:
    base: Annotated[float, Above(1)] = 2.0
    way: Literal["up", "down"] = "up"
    deep: Annotated[int, Inner()] = 0


class Chosen(Contingency):
    options = Choices

    @classmethod
    def from_block(cls, truth, found, weight=None, *, base=2.0, way="up", deep=0):
        table = Contingency.from_block(truth, found, weight)
        return cls(table.raw, base + 10 * (way == "down") + 100 * deep, *(table.kinds, range(2), range(2)))


@pytest.mark.usefixtures("scratch")
def test_an_index_inherits_the_options_of_its_statistics_with_their_defaults_and_bounds():
    @_declare(best=None, range={HARD: (0.0, None)})
    def of_base(table: Chosen, *, shift: float = 0.0):
        return table.n + shift

    assert dict(of_base.options) == {"shift": 0.0, "base": 2.0, "way": "up"}
    assert of_base([0, 1], [0, 1], base=3, way="down", shift=0.5) == 13.5
    with pytest.raises(ParameterError, match="base of of_base"):
        of_base([0, 1], [0, 1], base=1)
    with pytest.raises(ParameterError, match="way"):
        of_base.using(way="sideways")
    with pytest.raises(UnknownNameError, match="deep"):
        of_base.using(deep=1)


@pytest.mark.usefixtures("scratch")
def test_the_formulas_own_keyword_wins_and_is_handed_on():
    @_declare(best=None, range={HARD: (0.0, None)})
    def of_own(table: Chosen, *, base: Annotated[float, Above(4)] = 5.0):
        return table.n + base

    assert of_own([0, 1], [0, 1]) == 10.0
    assert of_own([0, 1], [0, 1], base=6) == 12.0
    with pytest.raises(ParameterError, match="above 4"):
        of_own.using(base=3)


@pytest.mark.usefixtures("scratch")
def test_an_index_may_leave_options_out_or_give_them_other_defaults():
    @_declare(best=None, range={HARD: (0.0, None)}, defaults={"base": 4.0}, without=("way",))
    def of_fewer(table: Chosen):
        return table.n

    assert dict(of_fewer.options) == {"base": 4.0}
    assert of_fewer([0, 1], [0, 1]) == 4.0
    for wrong in ({"without": ("bases",)}, {"defaults": {"deep": 1}}):
        with pytest.raises(UnknownNameError, match="option of these statistics"):

            @_declare(**wrong)
            def of_nothing(table: Chosen):
                return table.n


@pytest.mark.parametrize("entry", catalogue(), ids=lambda e: e.name)
def test_every_option_is_the_formulas_the_statistics_or_chooses_one(entry):
    own = inspect.signature(entry.formula_function).parameters
    chosen = [s for choices in entry.alternatives.values() for s in choices.values()]
    owned = {name for s in (*entry.statistics, *chosen) for name in options_of(s.options)}
    for name in entry.defaults:
        assert name in own or name in owned or name in entry.alternatives
        assert name in entry.option_types


@pytest.mark.usefixtures("scratch")
def test_a_whole_statistic_sees_all_objects_and_is_left_out_when_it_would_take_too_long(monkeypatch):
    class AllPairs(Whole, Contingency):
        how = "by all pairs"

        @classmethod
        def from_whole(cls, truth, found, weight, on_block):
            table = Contingency.from_block(truth, found, weight)
            return cls(table.raw, table.total, table.kinds, table.row_names, table.column_names)

        @staticmethod
        def pair_operations(truth, found):
            return truth.n_objects**2

    globals()["AllPairs"] = AllPairs

    @_declare(best=None, range={HARD: (0.0, None)})
    def objects_seen(table: AllPairs):
        return table.n

    result = pt.compare([0, 1, 1], [0, 1, 0])
    assert result["objects_seen"].value == 3
    assert result["objects_seen"].caveat == "by all pairs"
    monkeypatch.setattr("partita.comparison.MOST_PAIR_OPERATIONS", 8)
    (skipped,) = pt.compare([0, 1, 1], [0, 1, 0]).left_out
    assert (skipped.index, skipped.cost) == ("objects_seen", "9.0e+00 pair operations")
    assert pt.compare([0, 1, 1], [0, 1, 0], indices=["objects_seen"])["objects_seen"].value == 3


@pytest.mark.usefixtures("scratch")
def test_an_option_may_choose_the_statistic():
    class Doubled(Contingency):
        kinds_accepted = frozenset({HARD})
        why_not = ": they cannot be doubled"

        @classmethod
        def from_block(cls, truth, found, weight=None):
            table = Contingency.from_block(truth, found, weight)
            return table + table

    @_declare(
        best=None,
        range={HARD: (0.0, None), FUZZY: (0.0, None)},
        alternatives={"objects": {"once": Contingency, "twice": Doubled}},
    )
    def number_of_objects(table: Contingency):
        return table.n

    assert number_of_objects([0, 1], [0, 1]) == 2
    assert number_of_objects([0, 1], [0, 1], objects="twice") == 4
    assert find("number_of_objects:objects=twice").requests != number_of_objects.requests
    with pytest.raises(ParameterError, match="objects"):
        number_of_objects.using(objects="thrice")
    with pytest.raises(KindError, match="cannot be doubled"):
        number_of_objects([0, 1], [[0.5, 0.5], [0.1, 0.9]], objects="twice")


@pytest.mark.usefixtures("scratch")
def test_entries_that_contradict_themselves_are_refused():
    def formula(table: Contingency):
        return table.n

    for bad in (
        {"claims": {"pretty": HARD}},
        {"claims": {"symmetric": HARD}, "refuted": {"symmetric": {HARD: Example([0], [0])}}},
        {"best": 0.5},
        {"symbol": "ARI"},
    ):
        with pytest.raises(PartitaError):
            _declare(**bad)(formula)

    def no_statistic(table):
        return table

    with pytest.raises(ParameterError, match="which statistic"):
        _declare()(no_statistic)


@pytest.mark.usefixtures("scratch")
def test_redefining_ones_own_index_replaces_it_but_a_foreign_one_is_safe():
    def twice(table: Contingency):
        return 0 * table.n

    _declare()(twice)
    _declare()(twice)
    assert [e.name for e in catalogue()].count("twice") == 1

    def rand(table: Contingency):
        return 0 * table.n

    with pytest.raises(ParameterError, match="already"):
        _declare()(rand)


def test_direction_follows_from_best():
    directions = {e.name: e.direction for e in ENTRIES}
    assert directions["mutual_information"] == "higher"
    assert directions["mirkin"] == "lower"
    assert directions["joint_entropy"] == "none"
    assert directions["adjusted_rand"] == "higher"


def test_metric_classes_are_names_for_claims():
    assert pt.indices.variation_of_information.metric_class(HARD) == "metric"
    assert pt.indices.variation_of_information.metric_class(FUZZY) == "meta-metric"
    assert pt.indices.rand.metric_class(HARD) == "metric"
    assert pt.indices.nmi_sum.metric_class(HARD) == "semi-metric"
    assert pt.indices.nmi_min.metric_class(HARD) == "consistency"
    assert pt.indices.homogeneity.metric_class(HARD) is None


def test_errors_survive_pickling():
    error = KindError("what", got="this", need="that", fix="so")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
