"""Curve entries: by hand, by brute force over the definition, where they have no value, and the registry."""

from __future__ import annotations

import inspect
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita.indices.curves as family
import partita.indices.scatter  # noqa: F401 (registers the indices that the curves are of)
import strategies  # noqa: F401 (the profile)
from partita.errors import ParameterError, PartitaError, UnknownNameError
from partita.indices.curves import angle, gap, hartigan, jump, krzanowski_lai, second_difference
from partita.registry import find, indices
from partita.registry.curves import Curve, curve, curves, find_curve, remove_curve

ENTRIES = [hartigan, krzanowski_lai, jump, second_difference, angle, gap]
named = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
NAN, INF = math.nan, math.inf


# --- the entries --------------------------------------------------------------------------------------


@named
def test_every_curve_is_documented_and_reads_a_known_index(entry):
    doc = inspect.cleandoc(entry.__doc__)
    assert doc.split("\n")[0].endswith(".")
    assert "Pitfalls\n--------\n" in doc
    assert ">>> " in doc
    assert entry.title
    assert entry.formula
    assert entry.references
    assert entry.examples
    assert find(entry.of).name == entry.of


@named
def test_examples_have_their_values(entry):
    for example in entry.examples:
        found = entry(example.ks, example.values, example.n, example.d, example.null)
        np.testing.assert_allclose(found.values, example.expected, rtol=1e-12, err_msg=example.source)


# --- brute force --------------------------------------------------------------------------------------


def by_definition(name, W, k, n, d):
    """The value at k from the curve as a dictionary; nan where a neighbour is missing or 0 is divided by."""

    def shrunk(j):
        return j ** (2 / d) * W[j]

    def transformed(j):
        return 0.0 if j == 0 else (W[j] / W[min(W)]) ** (-d / 2)

    try:
        if name == "hartigan":
            return (W[k] / W[k + 1] - 1) * (n - k - 1)
        if name == "krzanowski_lai":
            above, below = shrunk(k - 1) - shrunk(k), shrunk(k) - shrunk(k + 1)
            return NAN if abs(below) <= 1e-12 * max(shrunk(k), shrunk(k + 1)) else abs(above / below)
        if name == "jump":
            return transformed(k) - transformed(k - 1)
        if name == "second_difference":
            return W[k - 1] + W[k + 1] - 2 * W[k]
    except KeyError:
        return NAN
    raise AssertionError(name)


@pytest.mark.parametrize("entry", [hartigan, krzanowski_lai, jump, second_difference], ids=lambda e: e.name)
@given(
    heights=st.lists(st.integers(1, 40), min_size=1, max_size=7),
    ks=st.sets(st.integers(1, 9), min_size=7, max_size=7).map(sorted),
    d=st.integers(1, 4),
)
def test_curves_agree_with_their_definitions(entry, heights, ks, d):
    ks = ks[: len(heights)]
    curve_of = dict(zip(ks, map(float, heights), strict=True))
    found = entry(ks, heights, n=60, d=d)
    expected = [by_definition(entry.name, curve_of, k, 60, d) for k in ks]
    np.testing.assert_allclose(found.values, expected, rtol=1e-9, atol=1e-12)
    assert [bool(reason) for reason in found.reasons] == np.isnan(expected).tolist()


def angle_choice(ks, F):
    """The k that the description asks for: knees by size, the first whose successor is not narrower."""

    def size(k):
        return F[k - 1] + F[k + 1] - 2 * F[k] if k - 1 in F and k + 1 in F else -INF

    knees = [k for k in ks if size(k) > 0 and size(k) >= size(k - 1) and size(k) > size(k + 1)]
    knees.sort(key=lambda k: -size(k))
    widths = [
        sum(math.pi / 2 if F[k] == F[j] else math.atan(1 / abs(F[k] - F[j])) for j in (k - 1, k + 1))
        for k in knees
    ]
    for place, knee in enumerate(knees):
        if place + 1 == len(knees) or widths[place + 1] >= widths[place]:
            return knee
    return None


@given(heights=st.lists(st.integers(0, 12), min_size=3, max_size=9))
def test_the_narrowest_angle_is_the_choice_of_its_description(heights):
    ks = list(range(1, len(heights) + 1))
    found = angle(ks, heights, n=60, d=2).values
    expected = angle_choice(ks, dict(zip(ks, heights, strict=True)))
    if expected is None:
        assert np.isnan(found).all()
    else:
        assert ks[np.nanargmin(found)] == expected


def test_second_difference_and_hartigan_by_hand():
    ks, ssw = [2, 3, 4, 5], [100.0, 40.0, 36.0, 30.0]
    assert second_difference(ks, ssw, 20, 3).values.tolist()[1:3] == [56.0, -2.0]
    assert hartigan(ks, ssw, 20, 3).values.tolist()[:3] == pytest.approx([25.5, 16 / 9, 3.0])


def test_krzanowski_lai_and_jump_in_one_dimension_by_hand():
    ks, ssw = [1, 2, 3, 4], [64.0, 4.0, 1.0, 0.5]
    # k^2 W = 64, 16, 9, 8
    assert krzanowski_lai(ks, ssw, 30, 1).values.tolist()[1:3] == pytest.approx([48 / 7, 7.0])
    # (W / 64)^(-1/2) = 1, 4, 8, 8 sqrt(2)
    assert jump(ks, ssw, 30, 1).values.tolist() == pytest.approx([1.0, 3.0, 4.0, 8 * math.sqrt(2) - 8])


def test_three_clusters_on_a_line_are_found():
    """Points at 0, 0.5, 10, 10.5, 20, 20.5: the best SSW for each k is known."""
    X = np.array([0, 0.5, 10, 10.5, 20, 20.5])
    best = []
    for k in range(1, 6):
        cuts = [np.split(X, c) for c in _cuts(6, k)]
        best.append(min(sum(((part - part.mean()) ** 2).sum() for part in parts) for parts in cuts))
    ks = [1, 2, 3, 4, 5]
    assert ks[np.nanargmax(krzanowski_lai(ks, best, 6, 1).values)] == 3
    assert ks[np.nanargmax(second_difference(ks, np.log(best), 6, 1).values)] == 3
    assert next(k for k, v in zip(ks, hartigan(ks, best, 6, 1).values, strict=True) if v <= 10) == 3


def _cuts(n, k):
    from itertools import combinations

    return [list(c) for c in combinations(range(1, n), k - 1)]


# --- where there is no value --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "ks", "values", "expected", "reasons"),
    [
        (hartigan, [1, 3], [9, 4], [NAN, NAN], ["needs ssw at k = 2", "needs ssw at k = 4"]),
        (hartigan, [1, 2, 3], [9, 0, 0], [INF, NAN, NAN], ["no scatter", "nothing to hold", "needs ssw"]),
        (hartigan, [1, 2], [9, NAN], [NAN, NAN], ["ssw is nan at k = 2", "ssw is nan at k = 2"]),
        (krzanowski_lai, [1, 2], [9, 4], [NAN, NAN], ["nothing before k = 1", "needs ssw at k = 3"]),
        (krzanowski_lai, [2, 4, 5], [9, 4, 3], [NAN] * 3, ["k = 1", "k = 3", "k = 6"]),
        (krzanowski_lai, [1, 2, 3], [6, 3, 2], [NAN] * 3, ["nothing before", "noise", "needs ssw"]),
        (krzanowski_lai, [1, 2, 3], [0, 0, 0], [NAN] * 3, ["nothing before", "noise", "needs ssw"]),
        (jump, [1, 2, 3], [8, 4, 0], [1, 1, INF], ["", "", "no scatter is left at k"]),
        (jump, [1, 2, 3], [8, 0, 0], [1, INF, NAN], ["", "no scatter", "at k - 1 already"]),
        (jump, [1, 2], [0, 0], [INF, NAN], ["no scatter", "at k - 1 already"]),
        (jump, [2, 3, 5], [8, 4, 2], [NAN, 1, NAN], ["needs ssw at k = 1", "", "needs ssw at k = 4"]),
        (
            second_difference,
            [1, 2, 3],
            [8, INF, 1],
            [NAN] * 3,
            ["k = 0", "the curve is inf at k = 2", "k = 2"],
        ),
        (angle, [1, 2, 3], [3, 2, 1], [NAN] * 3, ["k = 0", "no knee", "k = 4"]),
        (angle, [1, 2, 3], [1, 2, 1], [NAN] * 3, ["k = 0", "no knee", "k = 4"]),
        (angle, [4], [1], [NAN], ["k = 3"]),
    ],
    ids=lambda v: getattr(v, "name", None),
)
def test_what_has_no_value_has_a_reason(entry, ks, values, expected, reasons):
    found = entry(ks, values, n=10, d=2)
    np.testing.assert_allclose(found.values, expected)
    for reason, part in zip(found.reasons, reasons, strict=True):
        assert part in reason
        assert bool(part) == bool(reason)


def test_hartigan_has_no_degree_of_freedom_left_at_the_end():
    found = hartigan([3, 4], [2, 0], n=4, d=2)
    assert math.isnan(found.values[0])
    assert found.reasons[0]


def test_later_knees_have_no_angle_once_a_wider_one_has_come():
    F = [100.0, 50.0, 49.0, 30.0, 29.9, 20.0, 19.95, 19.9]
    found = angle(range(1, 9), F, n=10, d=2)
    knees = [2, 4, 6]
    assert [
        k for k, r in zip(range(1, 9), found.reasons, strict=True) if "needs" not in r and "no knee" not in r
    ] == (knees)
    assert np.isfinite(found.values).sum() >= 1
    assert "it is chosen" in found.reasons[3]


def test_jumps_of_many_features_do_not_overflow():
    ks, ssw = [1, 2, 3, 4], [1000.0, 100.0, 1.0, 0.999]
    found = jump(ks, ssw, n=50, d=1000)
    assert np.isfinite(found.values).all()
    assert "overflows" in found.reasons[0]
    few = jump(ks, ssw, n=50, d=2)
    assert not any(few.reasons)
    assert np.argmax(few.values) == 2


def test_the_scale_of_the_curve_changes_no_jump():
    ks, ssw = [1, 2, 3], np.array([30.0, 7.0, 5.0])
    np.testing.assert_allclose(jump(ks, ssw, 9, 5).values, jump(ks, 1e100 * ssw, 9, 5).values, rtol=1e-12)


# --- the registry -------------------------------------------------------------------------------------


def test_curves_are_found_by_name():
    assert [entry.name for entry in curves()][: len(ENTRIES)] == [entry.name for entry in ENTRIES]
    for entry in ENTRIES:
        assert find_curve(entry.name.upper()) is entry
        assert find_curve(entry) is entry
        assert getattr(family, entry.name) is entry
        assert entry.direction in ("higher", "lower", "none")
        assert isinstance(pickle.loads(pickle.dumps(entry)), Curve)
        assert pickle.loads(pickle.dumps(entry)) is entry
        assert entry.name in repr(entry)
    assert hartigan.direction == "none"
    assert jump.direction == "higher"
    assert angle.direction == "lower"
    with pytest.raises(UnknownNameError, match="hartigan"):
        find_curve("hartigen")
    with pytest.raises(ParameterError):
        find_curve(3)


def test_no_index_has_the_name_of_a_curve():
    spellings = {s.lower() for e in indices() for s in (e.name, e.symbol, *e.aliases) if s}
    assert spellings.isdisjoint(entry.name for entry in curves())

    def ssw(ks, values, n, d):
        return values, [""] * len(ks)

    with pytest.raises(ParameterError, match="already means an index"):
        curve(title="t", of="ssw", rule="best")(ssw)


def _declare(function):
    return curve(title="t", of="ssw", rule="best")(function)


@pytest.fixture
def scratch():
    """Take out of the registry what a test put in."""
    before = set(curves())
    yield
    for entry in set(curves()) - before:
        remove_curve(entry)


@pytest.mark.usefixtures("scratch")
def test_one_may_redefine_ones_own_curve_but_not_anothers():
    @_declare
    def drop(ks, values, n, d):
        return values, [""] * len(ks)

    first = drop

    @_declare
    def drop(ks, values, n, d):
        return -values, [""] * len(ks)

    assert find_curve("drop") is drop is not first

    def jump(ks, values, n, d):
        return values, [""] * len(ks)

    with pytest.raises(ParameterError, match="already"):
        _declare(jump)


@pytest.mark.usefixtures("scratch")
def test_a_curve_must_explain_itself_and_give_a_value_for_each_k():
    @_declare
    def silent(ks, values, n, d):
        return values * np.nan, [""] * len(ks)

    @_declare
    def short(ks, values, n, d):
        return values[:1], [""]

    with pytest.raises(PartitaError, match="no reason"):
        silent([1, 2], [3, 4], 5, 1)
    with pytest.raises(PartitaError, match="one value and one reason"):
        short([1, 2], [3, 4], 5, 1)


@pytest.mark.parametrize(
    ("ks", "values", "n", "d"),
    [
        ([2, 1], [1, 2], 9, 2),
        ([1, 1], [1, 2], 9, 2),
        ([0, 1], [1, 2], 9, 2),
        ([], [], 9, 2),
        ([1.5, 2.5], [1, 2], 9, 2),
        ([[1, 2]], [[1, 2]], 9, 2),
        ([1, 2], [1, 2, 3], 9, 2),
        ([1, 2], [1, 2], 0, 2),
        ([1, 2], [1, 2], NAN, 2),
        ([1, 2], [1, 2], 9, 0),
    ],
)
def test_bad_curves_are_refused(ks, values, n, d):
    with pytest.raises(ParameterError):
        jump(ks, values, n, d)
