"""Laws, focal sets and distributions: numbers by hand, errors where there is none, JSON and back."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
import strategies  # noqa: F401 (loads the hypothesis profile)
from partita.distributional.outcomes import BOUND, EXACT, SAMPLED, Distribution, Focal, Law, Quantity
from partita.errors import KindError, ParameterError
from partita.results import FORMATS, Cell, show

SUPPORT = np.array([0.0, 0.2, 0.5, 1.0])


def ends(lower, upper, mean=math.nan, std=math.nan):
    values = {"lower": lower, "upper": upper, "mean": mean, "std": std}
    return {name: Quantity.exact(value) for name, value in values.items()}


# --- laws -----------------------------------------------------------------------------------------------


def test_equal_values_are_one_up_to_rounding():
    values = np.array([0.3, 0.1 + 0.2, 1.0, 1.0 + 1e-14, 0.3000001, 1e6, 1e6 * (1 + 1e-14)])
    law = Law.of(values, np.array([0.1, 0.2, 0.05, 0.15, 0.1, 0.3, 0.1]), "probability")
    np.testing.assert_allclose(law.support, [0.3, 0.3000001, 1.0, 1e6], rtol=1e-13)
    np.testing.assert_allclose(law.weights, [0.3, 0.1, 0.2, 0.4], rtol=1e-13)
    for measure in ("possibility", "set"):
        law = Law.of(values, np.array([0.1, 0.2, 0.05, 0.15, 0.1, 0.3, 0.1]), measure)
        assert law.weights.tolist() == [0.2, 0.1, 0.15, 0.3]


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 8)), min_size=1, max_size=12),
    st.sampled_from(["probability", "possibility"]),
)
def test_a_law_collects_what_a_dictionary_collects(drawn, measure):
    values, weights = (np.array(part, dtype=float) for part in zip(*drawn, strict=True))
    expected = {}
    for value, weight in zip(values, weights, strict=True):
        old = expected.get(value, 0.0)
        expected[value] = old + weight if measure == "probability" else max(old, weight)
    law = Law.of(values, weights, measure)
    assert law.support.tolist() == sorted(expected)
    assert law.weights.tolist() == [expected[v] for v in sorted(expected)]


def test_undefined_probability_is_told_and_divided_out():
    """0.4 of the mass is undefined: 0.2 and 0.4 become 1/3 and 2/3."""
    law = Law.of(np.array([0.5, np.nan, 1.0, np.nan]), np.array([0.2, 0.1, 0.4, 0.3]), "probability")
    assert law.undefined == pytest.approx(0.4)
    np.testing.assert_allclose(law.weights, [1 / 3, 2 / 3])
    assert law.mean == pytest.approx(0.5 / 3 + 2 / 3)
    possible = Law.of(np.array([0.5, np.nan, 1.0, np.nan]), np.array([0.2, 0.1, 0.4, 0.3]), "possibility")
    assert possible.undefined == 0.3
    assert possible.weights.tolist() == [0.2, 0.4]


def test_a_law_of_nothing_but_undefined_values():
    law = Law.of(np.full(2, np.nan), np.array([0.5, 0.5]), "probability")
    assert law.undefined == 1.0
    assert len(law.support) == len(law.weights) == 0
    assert all(map(math.isnan, (law.mean, law.std, law.quantile(0.5), law.cdf(1.0), *law.expectations())))


def test_moments_and_quantiles_by_hand():
    """Mean 0.04 + 0.25 + 0.2 = 0.49; second moment 0.008 + 0.125 + 0.2 = 0.333."""
    law = Law(SUPPORT, np.array([0.1, 0.2, 0.5, 0.2]), "probability")
    assert law.total == pytest.approx(1.0)
    assert law.mean == pytest.approx(0.49)
    assert law.std == pytest.approx(math.sqrt(0.333 - 0.49**2))
    assert [law.cdf(x) for x in (-0.1, 0.0, 0.3, 0.5, 2.0)] == pytest.approx([0.0, 0.1, 0.3, 0.8, 1.0])
    assert law.cdf(0.5 - 1e-14) == pytest.approx(0.8)  # equal up to rounding
    levels = {0.0: 0.0, 0.1: 0.0, 0.11: 0.2, 0.3: 0.2, 0.5: 0.5, 0.8: 0.5, 0.81: 1.0, 1.0: 1.0}
    assert {level: law.quantile(level) for level in levels} == levels


def test_what_was_dropped_is_divided_out_of_the_moments():
    law = Law(np.array([0.0, 1.0]), np.array([0.3, 0.6]), "probability", method=BOUND, dropped=0.1)
    assert law.total == pytest.approx(0.9)
    assert (law.mean, law.cdf(0.5), law.quantile(1.0)) == pytest.approx((2 / 3, 1 / 3, 1.0))
    assert law.std == pytest.approx(math.sqrt(2) / 3)


def test_expectations_of_possibilities_by_hand():
    """Cuts up to 0.1: [0, 1]; to 0.3: [0, 0.5]; to 0.6: [0.2, 0.5]; to 1: 0.2 alone."""
    law = Law(SUPPORT, np.array([0.3, 1.0, 0.6, 0.1]), "possibility")
    assert law.expectations() == pytest.approx((0.7 * 0.2, 0.1 + 0.5 * 0.5 + 0.4 * 0.2))
    # half as possible all over: nothing changes, the height is divided out
    half = Law(SUPPORT, law.weights / 2, "possibility")
    assert half.expectations() == pytest.approx(law.expectations())


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 10)), min_size=1, max_size=8))
def test_expectations_are_integrals_over_levels(drawn):
    values, degrees = (np.array(part, dtype=float) for part in zip(*drawn, strict=True))
    law = Law.of(values, degrees / 10, "possibility")
    # levels in the middle of tenths: cuts change at tenths only, so that the sum is the integral
    levels = [(i + 0.5) / 10 for i in range(int(degrees.max()))]
    cuts = [values[degrees / 10 >= level] for level in levels]
    expected = np.mean([c.min() for c in cuts]), np.mean([c.max() for c in cuts])
    assert law.expectations() == pytest.approx(expected, abs=1e-12)


def test_a_law_is_a_frame():
    frame = Law(SUPPORT, np.full(4, 0.25), "probability").to_frame()
    assert list(frame.columns) == ["value", "probability"]
    assert frame["value"].tolist() == SUPPORT.tolist()


# --- distributions by hand ------------------------------------------------------------------------------


def test_probabilities_by_hand():
    d = Distribution(
        quantities=ends(0.49, 0.49, 0.49, 0.3),
        law=Law(SUPPORT, np.array([0.02, 0.2, 0.5, 0.28]), "probability"),
    )
    assert d.interval(0.95) == (0.2, 1.0)  # 0.025 are not reached at 0
    assert d.interval(0.97) == (0.0, 1.0)
    assert d.interval(0.2) == (0.5, 0.5)
    for t, share in ((-0.1, 0.0), (0.0, 0.02), (0.4, 0.22), (0.5, 0.72), (1.0, 1.0)):
        assert d.cdf(t) == d.belief(t) == d.plausibility(t) == pytest.approx(share)
    assert d.probabilities.tolist() == [0.02, 0.2, 0.5, 0.28]
    assert d.focal_values == [((v,), pytest.approx(p)) for v, p in zip(SUPPORT, d.probabilities, strict=True)]
    with pytest.raises(KindError, match="no possibility"):
        d.possibilities  # noqa: B018


@pytest.mark.parametrize("height", [1.0, 0.5])
def test_possibilities_by_hand(height):
    weights = np.array([0.3, 1.0, 0.6, 0.1]) * height
    d = Distribution(quantities=ends(0.14, 0.43), law=Law(SUPPORT, weights, "possibility"))
    assert d.interval(1.0) == d.interval(0.95) == (0.0, 1.0)
    assert d.interval(0.8) == (0.0, 0.5)
    assert d.interval(0.6) == (0.2, 0.5)
    assert d.interval(0.3) == (0.2, 0.2)
    by_hand = {-0.1: (0.0, 0.0), 0.0: (0.0, 0.3), 0.2: (0.4, 1.0), 0.5: (0.9, 1.0), 1.0: (1.0, 1.0)}
    for t, expected in by_hand.items():
        assert (d.belief(t), d.plausibility(t)) == pytest.approx(expected)
    assert d.possibilities.tolist() == weights.tolist()
    for wrong in (lambda: d.probabilities, lambda: d.cdf(0.5)):
        with pytest.raises(KindError, match="no probability"):
            wrong()
    with pytest.raises(KindError, match="not enumerated"):
        d.focal_values  # noqa: B018


def test_sets_by_hand():
    for law in (Law(SUPPORT, np.ones(4), "set"), None):
        d = Distribution(quantities=ends(0.0, 1.0), law=law, measure="set")
        assert d.interval(0.5) == d.interval(0.99) == (0.0, 1.0)
        beliefs = [(d.belief(t), d.plausibility(t)) for t in (-0.1, 0.0, 0.99, 1.0)]
        assert beliefs == [(0, 0), (0, 1), (0, 1), (1, 1)]
        assert (d.lower_within, d.upper_within, d.gap, d.method) == ((0.0, 0.0), (1.0, 1.0), 0.0, EXACT)
    with_law = Distribution(quantities=ends(0.0, 1.0), law=Law(SUPPORT, np.ones(4), "set"))
    assert with_law.focal_values == [(tuple(SUPPORT), 1.0)]
    assert with_law.support.tolist() == SUPPORT.tolist()
    with pytest.raises(KindError):
        d.support  # noqa: B018


def test_masses_by_hand():
    """[0, 0.5] has 0.7 and [0.2, 1] has 0.3."""
    focal = Focal(np.array([0.0, 0.2]), np.array([0.5, 1.0]), np.array([0.7, 0.3]), ((0.0, 0.5), (0.2, 1.0)))
    d = Distribution(quantities=ends(0.06, 0.65), focal=focal)
    by_hand = {-0.1: (0, 0), 0.1: (0, 0.7), 0.2: (0, 1), 0.5: (0.7, 1), 0.99: (0.7, 1), 1.0: (1, 1)}
    for t, expected in by_hand.items():
        assert (d.belief(t), d.plausibility(t)) == pytest.approx(expected)
    assert d.interval(0.9) == (0.0, 1.0)
    assert d.interval(0.2) == (0.0, 0.5)
    assert d.focal_values == [((0.0, 0.5), 0.7), ((0.2, 1.0), 0.3)]
    with pytest.raises(KindError):
        d.cdf(0.5)


def test_the_weaker_end_names_the_method():
    sure, bound, drawn = (Quantity(0.5, 0.4, 0.7, m) for m in (EXACT, BOUND, SAMPLED))
    for lower, upper, method in ((sure, bound, BOUND), (drawn, bound, SAMPLED), (sure, sure, EXACT)):
        d = Distribution(quantities={"lower": lower, "upper": upper})
        assert d.method == method
        assert d.gap == pytest.approx(0.3)


@pytest.mark.parametrize("level", [0.0, -0.5, 1.1, math.nan])
def test_a_level_is_a_share(level):
    with pytest.raises(ParameterError):
        Distribution(quantities=ends(0.0, 1.0)).interval(level)


def test_the_chance_to_miss_an_end_by_hand():
    """Three draws from 0, 0.5, 1 with 1/4, 1/2, 1/4 (section 6b, Prop. 3 as corrected)."""
    uniform = Law(np.array([0.0, 0.5, 1.0]), np.array([0.25, 0.5, 0.25]), "probability")
    d = Distribution(quantities=ends(0.0, 1.0), cost={"draws": 3}, uniform=uniform)
    assert d.miss_probability(0.5) == pytest.approx((0.75**3, 0.75**3))
    assert d.miss_probability(0.6) == pytest.approx((0.25**3, 0.25**3))
    assert d.miss_probability(1.1) == (0.0, 0.0)
    skewed = Law(np.array([0.0, 1.0]), np.array([0.9, 0.1]), "probability")
    d = Distribution(quantities=ends(0.0, 1.0), cost={"draws": 2}, uniform=skewed)
    assert d.miss_probability(0.5) == pytest.approx((0.01, 0.81))
    for incomplete in ({"uniform": uniform}, {"cost": {"draws": 3}}):
        with pytest.raises(KindError, match="not known"):
            Distribution(quantities=ends(0.0, 1.0), **incomplete).miss_probability(0.1)


# --- results of every kind ------------------------------------------------------------------------------

HARD = [0, 0, 1, 1, 1]
FUZZY = pt.FuzzyPartition([[1, 0], [0.5, 0.5], [0, 1], [0.2, 0.8], [0, 1]])
ROUGH = pt.RoughPartition(np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 1]], dtype=bool))
POSSIBILISTIC = pt.PossibilisticPartition([[1, 0], [0.5, 1], [0, 1], [0.2, 0.9], [0, 1]])
EVIDENTIAL = pt.EvidentialPartition(
    np.array([[0.5, 0, 0.5], [0, 1, 0], [0, 0.3, 0.7], [1, 0, 0], [0, 1, 0]]),
    np.array([[1, 0], [0, 1], [1, 1]], dtype=bool),
)
CASES = {
    "hard": (HARD, [0, 1, 1, 1, 1], {}),
    "fuzzy": (HARD, FUZZY, {}),
    "fuzzy, no law": (FUZZY, FUZZY, {"law": False}),
    "fuzzy, sampled": (FUZZY, FUZZY, {"index": "adjusted_rand", "method": "sample", "n_samples": 50}),
    "fuzzy, undefined": ([0] * 5, FUZZY, {"index": "hubert_gamma"}),
    "rough": (HARD, ROUGH, {}),
    "rough, no law": (HARD, ROUGH, {"law": False}),
    "rough, sampled": (HARD, ROUGH, {"method": "sample", "n_samples": 20}),
    "rough, no range": (ROUGH, ROUGH, {"index": "minkowski_score", "method": "sample", "n_samples": 20}),
    "possibilistic": (HARD, POSSIBILISTIC, {}),
    "evidential": (HARD, EVIDENTIAL, {}),
    "evidential, sampled": (EVIDENTIAL, EVIDENTIAL, {"method": "sample", "n_samples": 30}),
    "evidential, nested": (HARD, EVIDENTIAL, {"method": "nested", "n_samples": 30}),
}


def result(name):
    truth, found, options = CASES[name]
    return pt.distribution(truth, found, random_state=0, **options)


def same(one, other):
    """Equal in every number and word; nan equals nan."""
    assert one.to_dict() == other.to_dict()
    for name in ("index", "reading", "title", "notes", "method"):
        assert getattr(one, name) == getattr(other, name)
    for name, quantity in one.quantities.items():
        np.testing.assert_equal(vars(other.quantities[name]), vars(quantity))
    for name in ("law", "focal", "uniform"):
        parts = [getattr(d, name) for d in (one, other)]
        assert (parts[0] is None) == (parts[1] is None)
        if parts[0] is not None:
            np.testing.assert_equal(vars(parts[1]), vars(parts[0]))


@pytest.mark.parametrize("name", CASES)
def test_through_strict_json_and_back(name):
    d = result(name)
    text = json.dumps(d.to_dict(), allow_nan=False)
    back = Distribution.from_dict(json.loads(text))
    same(d, back)
    for t in (0.3, 0.6, 1.0):
        if d.law is not None or d.focal is not None:
            assert (back.belief(t), back.plausibility(t)) == (d.belief(t), d.plausibility(t))


@pytest.mark.parametrize("name", CASES)
def test_pickles_are_the_same(name):
    d = result(name)
    same(d, pickle.loads(pickle.dumps(d)))


@pytest.mark.parametrize("name", CASES)
def test_every_format_shows_the_numbers(name):
    d = result(name)
    written = {form: d.write(form) for form in FORMATS}
    assert d._repr_html_().startswith(d.write("html"))
    assert written["table"] == str(d) == repr(d)
    for form in ("table", "markdown", "html"):
        assert ("mean" if d.measure == "probability" else "lower") in written[form]
        assert d.quantities["lower"].method in written[form] or math.isnan(d.lower)
    assert "lower" in written["csv"]
    assert d.quantities["lower"].method in written["csv"]
    assert d.reading.split(":")[0] in written["html"]
    assert json.loads(written["json"])["result"] == "Distribution"
    assert list(d.to_frame()["quantity"]) == ["lower", "upper", "mean", "std"]


@pytest.mark.parametrize("name", CASES)
def test_the_spread_is_printed_and_not_the_rounding(name):
    """Mean, sd and the 90% interval of a law; lower and upper where there is none; columns in files stay."""
    d = result(name)
    table = d.table()
    assert table.columns == ("quantity", "value", "method")
    assert d.columns == ("quantity", "value", "low", "high", "method")
    values = {row[0]: row[1].value for row in table.rows}
    if name == "fuzzy, undefined":
        assert "nan [1]" in str(d)
        assert "[1] the index has no value" in str(d)
        return
    if d.measure != "probability":
        assert values == {"lower": d.lower, "upper": d.upper}
    else:
        spread = {} if d.law is None else dict(zip(("90% from", "90% to"), d.interval(0.9), strict=True))
        expected = {"mean": d.mean, "sd": d.std} | spread
        assert values == {n: v for n, v in expected.items() if not math.isnan(v)}
    for printed, cell, method in table.rows:
        known = {"sd": "std"}.get(printed, printed)
        if known not in d.quantities:
            assert method == (EXACT if d.law.method == BOUND and not cell.note else d.law.method)
            continue
        quantity = d.quantities[known]
        assert method == quantity.method
        matters = len({show(x) for x in (quantity.value, quantity.low, quantity.high)}) > 1
        assert bool(cell.note) == (matters and not math.isnan(quantity.low)), printed
        for end in (quantity.low, quantity.high):
            assert show(end) in cell.note or not cell.note or math.isinf(end)


def test_a_law_without_its_tails_says_what_its_quantiles_may_be():
    """By hand: of the probability that was left away all may lie below, or all above."""
    undefined = {name: Quantity.undefined() for name in ("lower", "upper", "mean", "std")}

    def shown(weights, dropped):
        law = Law(np.arange(5.0), np.array(weights), "probability", BOUND, dropped=dropped)
        return {row[0]: row for row in Distribution(law=law, quantities=undefined).table().rows}

    little = shown([0.04, 0.26, 0.3, 0.2, 0.18], 0.02)
    assert little["90% from"][1].note == "certified: between 0 and 1"
    assert little["90% from"][2] == BOUND
    assert little["90% to"][1:] == (Cell(4.0), EXACT)
    much = shown([0.05, 0.25, 0.3, 0.2, 0.1], 0.1)
    assert much["90% from"][1].note == "certified: at most 0"
    assert much["90% to"][1].note == "certified: at least 4"


def test_other_dictionaries_are_refused():
    with pytest.raises(ParameterError, match="no distribution"):
        Distribution.from_dict({**result("hard").to_dict(), "result": "Comparison"})


def test_what_is_known_of_each_kind():
    """Lower and upper are ends, or expectations, in their order; a law where it was not refused."""
    for name in CASES:
        d = result(name)
        if name != "fuzzy, undefined":
            assert d.lower <= d.upper
        else:
            assert math.isnan(d.lower)
        assert (d.law is None) == ("no law" in name or "evidential" in name), name
        assert (d.focal is None) == ("evidential" not in name or "nested" in name), name


@pytest.mark.parametrize("name", ["fuzzy, no law", "possibilistic, no law", "evidential, nested"])
def test_without_a_law_nothing_is_said_about_single_values(name):
    """Lower and upper are means here: "the mean is at most t" is not "the value is at most t"."""
    d = pt.distribution(HARD, POSSIBILISTIC, law=False) if "possib" in name else result(name)
    assert d.law is None
    for ask in (d.belief, d.plausibility, d.interval):
        with pytest.raises(KindError):
            ask(0.8)


@pytest.mark.parametrize("found", [FUZZY, POSSIBILISTIC, ROUGH, EVIDENTIAL], ids=lambda p: str(p.kind))
def test_where_nothing_is_defined_nothing_is_known(found):
    """One cluster in truth: the correlation of pairs has no value for any clustering."""
    d = pt.distribution([0] * 5, found, "hubert_gamma")
    assert all(map(math.isnan, (d.lower, d.upper, *d.interval(0.9), d.belief(0.5), d.plausibility(0.5))))


# --- between the ends -----------------------------------------------------------------------------------


def test_hurwicz_weighs_the_two_ends():
    rough = pt.RoughPartition([[1, 0], [1, 1], [0, 1], [0, 1]])
    result = pt.distribution([0, 0, 1, 1], rough, hurwicz=0.25)
    assert (result.lower, result.upper) == (0.5, 1.0)
    assert result.quantities["hurwicz"].value == 0.25 * 1.0 + 0.75 * 0.5
    assert result.quantities["hurwicz"].method == "exact"
    assert "hurwicz   0.6250  exact" in str(result)
    assert "0.75 of the lower and 0.25 of the upper" in str(result)
    assert [result.hurwicz(w) for w in (0, 0.5, 1)] == [0.5, 0.75, 1.0]
    assert pt.Distribution.from_dict(json.loads(result.write("json"))).to_dict() == result.to_dict()


def test_hurwicz_of_possibilities_and_masses_lies_between_their_expectations():
    possible = pt.distribution([0, 0, 1], pt.PossibilisticPartition([[1, 0.5], [0.2, 1], [0, 1]]), "VI")
    # by hand: cuts at 1, 1/2 and 1/5; expectations are means of the ends over levels
    assert possible.hurwicz(0.5) == pytest.approx((possible.lower + possible.upper) / 2)
    masses = pt.EvidentialPartition([[0.5, 0, 0.5], [0, 1, 0], [0, 0.5, 0.5]], [[1, 0], [0, 1], [1, 1]])
    found = pt.distribution([0, 0, 1], masses, "rand")
    assert found.lower < found.hurwicz(0.3) < found.upper
    fuzzy = pt.distribution([0, 0, 1], [[1, 0], [0.5, 0.5], [0, 1]], "rand")
    assert fuzzy.hurwicz(0.9) == pytest.approx(fuzzy.mean)


@pytest.mark.parametrize("weight", [-0.1, 1.5, math.nan, "half", True, None])
def test_what_is_no_hurwicz_weight_is_refused(weight):
    rough = pt.RoughPartition([[1, 0], [1, 1], [0, 1]])
    if weight is not None:
        with pytest.raises(ParameterError, match="hurwicz"):
            pt.distribution([0, 0, 1], rough, hurwicz=weight)
    with pytest.raises(ParameterError, match="hurwicz"):
        pt.distribution([0, 0, 1], rough).hurwicz(weight)
