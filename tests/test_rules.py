"""Rules: each by hand and by its definition, what has no answer, and the gap statistic they are used with."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita.indices  # noqa: F401 (registers indices and curves)
from partita.cluster import RandomSwap
from partita.errors import ParameterError, UnknownNameError
from partita.fits.settings import Grid
from partita.indices.curves import gap, gap_errors
from partita.registry import indices
from partita.registry.curves import curves
from partita.registry.rules import RULES, Verdict, apply_rule, in_runs
from partita.selection.index_panel import panel_for
from partita.selection.strategies import search_fits
from partita.selection.sweep import Sweep
from reference.curves import gap_and_errors
from shared_data import features

NAN = math.nan
heights = st.lists(st.integers(-20, 20) | st.just(NAN), min_size=1, max_size=9)
directions = st.sampled_from(["higher", "lower"])


def ask(rule, values, *, ks=None, direction="higher", **options):
    return apply_rule(rule, ks or range(1, len(values) + 1), values, direction=direction, **options)


def known(values, direction):
    """The numbers of clusters that have a value, and how good it is, higher being better."""
    return {
        k: (v if direction == "higher" else -v) for k, v in enumerate(values, start=1) if not math.isnan(v)
    }


def test_every_rule_that_an_entry_names_exists():
    for entry in [*indices(), *curves()]:
        assert entry.rule in RULES, entry.name


# --- best and first_max -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "direction", "expected"),
    [
        ([1, 3, 2], "higher", (2, 3, 1.0)),
        ([1, 3, 2], "lower", (1, 3, 1.0)),
        ([2, 5, 5], "higher", (2, 3, 0.0)),
        ([NAN, 1, NAN, 4], "higher", (4, 2, 3.0)),
        ([math.inf, 1, 2, -math.inf], "higher", (3, 2, 1.0)),
    ],
)
def test_best_by_hand(values, direction, expected):
    found = ask("best", values, direction=direction)
    assert (found.k, found.runner_up, found.difference) == expected


@given(values=heights, direction=directions)
def test_best_is_the_smallest_k_of_the_best_value(values, direction):
    gains = known(values, direction)
    found = ask("best", values, direction=direction)
    if not gains:
        assert found == Verdict(None, "it has no value at any k")
        return
    assert found.k == min(k for k in gains if gains[k] == max(gains.values()))
    others = {k: v for k, v in gains.items() if k != found.k}
    if others:
        assert found.runner_up == min(k for k in others if others[k] == max(others.values()))
        assert found.difference == gains[found.k] - gains[found.runner_up] >= 0
    else:
        assert found.runner_up is None
        assert math.isnan(found.difference)
        assert "nothing to compare" in found.reason


@pytest.mark.parametrize(
    ("values", "direction", "expected"),
    [
        ([3, 2, 9], "higher", 1),
        ([1, 5, 2, 9, 1], "higher", 2),
        ([1, 5, 5, 4], "higher", 3),
        ([9, 4, 6, 1], "lower", 2),
        ([1, 2, 3], "higher", None),
        ([2, 2], "higher", None),
        ([4], "higher", None),
        ([1, NAN, 3, 2], "higher", 3),
    ],
)
def test_first_max_by_hand(values, direction, expected):
    found = ask("first_max", values, direction=direction)
    assert found.k == expected
    if expected is None:
        assert "no worse up to the largest k" in found.reason


@given(values=heights, direction=directions)
def test_before_the_first_max_nothing_gets_worse(values, direction):
    gains = known(values, direction)
    found = ask("first_max", values, direction=direction)
    before = [gains[k] for k in sorted(gains) if found.k is None or k <= found.k]
    assert before == sorted(before)
    if found.k is not None:
        following = min(k for k in gains if k > found.k)
        assert found.runner_up == following
        assert found.difference == gains[found.k] - gains[following] > 0


# --- knee ---------------------------------------------------------------------------------------------


def scatter_curve(X, ks, seed):
    return [RandomSwap(k, random_state=seed).fit(X).objective_ for k in ks]


def test_knee_by_hand():
    """Slope 2 in log-log up to k = 4 and 1/2 after it: the slope lessens most there, by 3/4."""
    ks = [1, 2, 3, 4, 5, 6, 7, 8]
    values = [k**-2.0 if k <= 4 else 4**-2.0 * (k / 4) ** -0.5 for k in ks]
    found = ask("knee", values, direction="lower", best=0.0)
    assert found.k == 4
    assert found.reason == "the sharpest knee"
    softer = [k**-2.0 if k <= 4 else 4**-2.0 * (k / 4) ** -1.1 for k in ks]
    none = ask("knee", softer, direction="lower", best=0.0)
    assert none.k is None
    assert none.reason == "no knee: the slope lessens by at most 45%"


def test_the_knee_is_at_the_drop_and_not_one_step_after_it():
    """As 16 clear clusters in 32 dimensions have it: a 14-fold fall at 16, then 0.9 % and ever less."""
    after = [1.0, 0.991, 0.985, 0.981, 0.978, 0.976, 0.975, 0.974, 0.9735]
    values = [14 * 15 / k for k in range(1, 16)] + after
    found = ask("knee", values, direction="lower", best=0.0)
    assert found.k == 16


@given(
    k=st.integers(2, 30),
    drop=st.floats(2.0, 1e6),
    slope=st.floats(0.05, 2.0),
    flat=st.floats(0.0, 0.2),
    beyond=st.integers(3, 30),
)
def test_a_drop_between_two_straight_lines_is_the_knee(k, drop, slope, flat, beyond):
    """Whatever its height, and however little the curve falls after it."""
    ks = range(1, math.ceil(1.15 * k) + beyond)
    values = [float(q) ** -slope if q < k else k**-slope / drop * (k / q) ** (slope * flat) for q in ks]
    assert ask("knee", values, ks=ks, direction="lower", best=0.0).k == k


def blobs(n_clusters, d, apart, rng):
    """Clusters of 20 with unit variance, no two centres nearer than ``apart``."""
    centres, side = [], apart * (1 + n_clusters ** (1 / d))
    while len(centres) < n_clusters:
        centre = rng.uniform(0, side, d)
        if all(np.linalg.norm(centre - other) >= apart for other in centres):
            centres.append(centre)
    return np.repeat(centres, 20, axis=0) + rng.normal(size=(20 * n_clusters, d))


def stepwise_curve(X, ks, seed):
    grid = Grid("n_clusters", tuple(ks), True)
    sweep = Sweep(np.asarray(X), None, RandomSwap(), grid, 1, panel_for(["ssw"], (), ("X", "found")))
    return [fit.objective for fit in search_fits("stepwise", sweep, seed, stop=False).fits]


@pytest.mark.parametrize("d", [2, 8, 32])
@pytest.mark.parametrize("apart", [10.0, 100.0])
@pytest.mark.usefixtures("compiled")
def test_the_knee_of_clear_clusters_is_their_number(d, apart):
    for k in (2, 3, 4, 5, 8, 16):
        X = blobs(k, d, apart, np.random.default_rng([d, k]))
        ks = range(1, max(8, 3 * k // 2 + 3))
        assert ask("knee", stepwise_curve(X, ks, k), ks=ks, direction="lower", best=0.0).k == k


@pytest.mark.parametrize(
    ("name", "k", "largest"),
    [("s1", 15, 26), ("s2", 15, 26), ("s3", 15, 26), ("a1", 20, 34), ("r15", 15, 26), ("unbalance", 8, 14)],
)
def test_the_knee_of_sets_with_known_clusters(name, k, largest):
    ks = range(1, largest + 1)
    assert ask("knee", stepwise_curve(features(name), ks, 0), ks=ks, direction="lower", best=0.0).k == k


@pytest.mark.parametrize("name", ["s4", "iris"])
def test_where_clusters_overlap_the_curve_has_no_knee(name):
    ks = range(1, 27 if name == "s4" else 13)
    assert ask("knee", stepwise_curve(features(name), ks, 0), ks=ks, direction="lower", best=0.0).k is None


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("compiled")
def test_the_knee_of_fifteen_clusters_on_a_grid(seed):
    rng = np.random.default_rng(seed)
    centres = 8.0 * np.array([(i, j) for i in range(5) for j in range(3)])
    X = np.repeat(centres, 40, axis=0) + rng.normal(size=(600, 2))
    ks = range(1, 26)
    values = scatter_curve(X, ks, seed)
    assert ask("knee", values, direction="lower", best=0.0).k == 15
    share = 1 - np.array(values) / values[0]  # R^2 misses as much of 1 as SSW of 0
    assert ask("knee", share.tolist(), direction="higher", best=1.0).k == 15


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.uniform(size=(300, 2)),
        lambda rng: rng.normal(size=(300, 2)),
        lambda rng: rng.uniform(size=(300, 1)),
        lambda rng: rng.normal(size=(300, 5)),
    ],
    ids=["square", "normal", "line", "normal in five dimensions"],
)
@pytest.mark.usefixtures("compiled")
def test_clouds_without_clusters_have_no_knee(draw):
    for seed in range(5):
        values = scatter_curve(draw(np.random.default_rng(seed)), range(1, 13), seed)
        found = ask("knee", values, direction="lower", best=0.0)
        assert found.k is None, seed
        assert found.reason.startswith("no knee: the slope lessens by at most")


falling = st.lists(st.floats(0.1, 0.99), min_size=4, max_size=12).map(np.cumprod)


@given(values=falling, scale=st.sampled_from([1e-200, 1e-3, 0.5, 7.0, 1e200]))
def test_the_knee_knows_no_unit(values, scale):
    found = ask("knee", values.tolist(), direction="lower", best=0.0)
    scaled = ask("knee", (scale * values).tolist(), direction="lower", best=0.0)
    assert same_up_to_ties(found, scaled)


@given(values=falling, scale=st.sampled_from([0.25, 4.0]), shift=st.sampled_from([-8.0, 0.0, 16.0]))
def test_the_knee_of_an_unbounded_index_knows_no_zero_either(values, scale, shift):
    found = ask("knee", values.tolist(), direction="lower", best=-math.inf)
    moved = ask("knee", (scale * values + shift).tolist(), direction="lower", best=-math.inf)
    assert same_up_to_ties(found, moved)
    turned = ask("knee", (-values).tolist(), direction="higher", best=math.inf)
    assert same_up_to_ties(found, turned)


def same_up_to_ties(one, other):
    """The same verdict, unless two numbers of clusters, or an answer and none, are a rounding apart."""
    if one.k == other.k:
        return one.k is None or one.difference == pytest.approx(other.difference, rel=1e-6, abs=1e-9)
    return one.k is not None and other.k is not None and one.difference < 1e-9


@given(
    power=st.floats(0.1, 4),
    factor=st.floats(1e-3, 1e3),
    ks=st.sets(st.integers(1, 40), min_size=3, max_size=12).map(sorted),
)
def test_a_straight_line_has_no_knee(power, factor, ks):
    values = [factor * k**-power for k in ks]
    assert ask("knee", values, ks=ks, direction="lower", best=0.0).k is None


@pytest.mark.parametrize(
    ("ks", "values"),
    [
        ([3], [1.0]),
        ([3, 4], [2.0, 1.0]),
        ([1, 2, 3], [0.0, 0.0, 0.0]),
        ([1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0]),  # never improves: no slope that could lessen
        ([20, 21, 22], [3.0, 1.0, 0.9]),  # 22 is not far enough beyond 21
    ],
)
def test_where_no_knee_can_be_seen(ks, values):
    found = ask("knee", values, ks=ks, direction="lower", best=0.0)
    assert found == Verdict(None, "no knee: too few numbers of clusters to see one, or no improvement")


def test_a_value_at_its_best_is_left_out_of_the_curve():
    """log 0 is no height: a perfect fit at the last k neither breaks nor makes a knee."""
    ks = [1, 2, 3, 4, 5, 6]
    values = [64.0, 8.0, 6.0, 5.0, 4.3, 0.0]
    whole = ask("knee", values, ks=ks, direction="lower", best=0.0)
    assert whole == ask("knee", values[:-1], ks=ks[:-1], direction="lower", best=0.0)
    assert whole.k == 2


# --- the others ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "direction", "expected"),
    [
        ([90, 40, 30, 5], "lower", (2, 4, 25.0)),
        ([1, 2, 5, 6], "higher", (3, 2, 2.0)),
        ([9, 6, 3], "lower", (2, 3, 0.0)),
        ([9, NAN, 3, 2], "lower", (3, 4, 5.0)),
    ],
)
def test_largest_drop_by_hand(values, direction, expected):
    found = ask("largest_drop", values, direction=direction)
    assert (found.k, found.runner_up, found.difference) == expected


@pytest.mark.parametrize("values", [[1, 2, 3], [4], [2, 2]])
def test_without_a_drop_there_is_none(values):
    found = ask("largest_drop", values, direction="lower")
    assert found == Verdict(None, "no k improves on the one before it")


@pytest.mark.parametrize(
    ("values", "expected"),
    [([168, 11.75, 10.0, 3], 3), ([NAN, 4], 2), ([11, 10.01], None), ([1], 1), ([-3, 2], 1)],
)
def test_at_most_10_by_hand(values, expected):
    found = ask("at_most_10", values, direction="none")
    assert found.k == expected
    assert ("above 10" in found.reason) == (expected is None)


@pytest.mark.parametrize(
    ("values", "errors", "expected"),
    [
        ([1.0, 2.0, 2.5, 2.4], [0.1] * 4, 3),
        ([1.0, 2.0, 2.5, 2.4], [0.1, 0.1, 0.5, 0.1], 2),
        ([1.0, 1.5], [0.0, 0.5], 1),
        ([1.0, 2.0, 3.0], [0.1] * 3, None),
        ([1.0, NAN, 1.1], [9.0, 9.0, 0.2], 1),
        ([1.0, NAN, 1.3], [9.0, 9.0, 0.2], None),
        ([1.0], [0.5], None),
    ],
)
def test_first_se_max_by_hand(values, errors, expected):
    found = ask("first_se_max", values, errors=np.array(errors))
    assert found.k == expected


@given(
    values=st.lists(st.integers(-9, 9), min_size=1, max_size=8),
    errors=st.lists(st.integers(0, 4), min_size=8, max_size=8),
)
def test_first_se_max_is_the_rule_of_tibshirani(values, errors):
    """The smallest k with Gap(k) >= Gap(k + 1) - s(k + 1)."""
    errors = errors[: len(values)]
    expected = next(
        (k for k in range(1, len(values)) if values[k - 1] >= values[k] - errors[k]),
        None,
    )
    assert ask("first_se_max", values, errors=errors).k == expected


@pytest.mark.parametrize(
    ("values", "direction", "threshold", "expected"),
    [
        ([1.0, 0.95, 0.7, 0.92, 0.5], "higher", 0.9, 4),
        ([1.0, 0.95, 0.7], "higher", 0.99, 1),
        ([0.5, NAN, 0.2], "higher", 0.9, None),
        ([0.0, 0.0, 2.0, 0.0, 1.0], "lower", 0.0, 4),
        ([1.0, 2.0], "lower", 0.0, None),
        ([0.1 + 0.2], "lower", 0.3, 1),  # rounding is not instability
    ],
)
def test_last_stable_by_hand(values, direction, threshold, expected):
    found = ask("last_stable", values, direction=direction, threshold=threshold)
    assert found.k == expected
    assert f"{threshold:g}" in found.reason


def test_last_stable_takes_a_threshold_of_nine_tenths_unless_told():
    assert ask("last_stable", [0.95, 0.9, 0.89]).k == 2


def test_last_stable_names_all_that_are_stable_in_runs():
    assert "reached by 1, 2, 4\n" in ask("last_stable", [1.0, 0.95, 0.7, 0.92, 0.5]).reason + "\n"
    assert ask("last_stable", [0.1, 0.95, 0.3]).reason.endswith("reached by no other")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([3], "3"),
        ([3, 4], "3, 4"),
        ([2, 4, 5, 6, 15], "2, 4 to 6, 15"),
        ([1, 2, 3], "1 to 3"),
        ([2, 4], "2, 4"),
    ],
)
def test_numbers_are_drawn_together_in_runs(numbers, text):
    assert in_runs(numbers) == text


# --- all of them --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@given(values=heights, direction=directions)
def test_every_rule_answers_a_tried_k_or_says_why_not(rule, values, direction):
    options = {"errors": np.ones(len(values))} if rule == "first_se_max" else {}
    found = ask(rule, values, direction=direction, best=0.0 if rule == "knee" else None, **options)
    assert found.reason
    assert found.k is None or not math.isnan(values[found.k - 1])
    assert found.runner_up is None or found.runner_up != found.k


@pytest.mark.parametrize("rule", RULES)
@given(
    values=st.lists(st.floats() | st.sampled_from([1e308, -1e308, 5e-324, 0.0]), min_size=1, max_size=8),
    direction=directions,
    best=st.sampled_from([0.0, 1.0, None, math.inf]),
)
def test_no_number_is_too_large_or_too_small_for_a_rule(rule, values, direction, best):
    """An answer that was tried, and no warning of overflow."""
    found = ask(rule, values, direction=direction, best=best)
    assert found.k is None or math.isfinite(values[found.k - 1])


@pytest.mark.parametrize("rule", RULES)
def test_no_value_at_all_is_no_answer(rule):
    for values in ([], [NAN, NAN], [math.inf]):
        assert ask(rule, values) == Verdict(None, "it has no value at any k")


@pytest.mark.parametrize("rule", sorted(RULES.keys() - {"at_most_10"}))
def test_a_rule_that_compares_needs_a_direction(rule):
    options = {"errors": [0.1, 0.1]} if rule == "first_se_max" else {}
    with pytest.raises(ParameterError, match="direction"):
        ask(rule, [1.0, 2.0], direction="none", **options)


@pytest.mark.parametrize(
    ("ks", "values", "options"),
    [
        ([1, 2], [1.0], {}),
        ([2, 1], [1.0, 2.0], {}),
        ([1, 1], [1.0, 2.0], {}),
        ([0, 1], [1.0, 2.0], {}),
        ([-2, 1], [1.0, 2.0], {}),
        ([[1, 2]], [[1.0, 2.0]], {}),
        ([1, 2], [1.0, 2.0], {"errors": [0.1]}),
    ],
)
def test_bad_curves_are_refused(ks, values, options):
    with pytest.raises(ParameterError):
        apply_rule("first_se_max" if options else "best", ks, values, direction="higher", **options)


def test_unknown_rules_list_near_ones():
    with pytest.raises(UnknownNameError, match="first_max"):
        ask("frist_max", [1.0])


# --- the gap statistic --------------------------------------------------------------------------------


@given(
    scatter=st.lists(st.floats(0.01, 100), min_size=1, max_size=5),
    n_null=st.integers(1, 4),
    data=st.data(),
)
def test_gap_and_its_errors_equal_the_definition(scatter, n_null, data):
    row = st.lists(st.floats(0.01, 100), min_size=len(scatter), max_size=len(scatter))
    null = data.draw(st.lists(row, min_size=n_null, max_size=n_null))
    gaps, errors = gap_and_errors(scatter, null)
    found = gap(range(1, len(scatter) + 1), scatter, 30, 2, null)
    np.testing.assert_allclose(found.values, gaps, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(gap_errors(np.array(null)), errors, rtol=1e-9, atol=1e-9)
    assert not any(found.reasons)


def test_gaps_without_scatter_have_reasons():
    found = gap([1, 2, 3, 4], [4.0, 0.0, 2.0, NAN], 30, 2, [[4.0, 1.0, 0.0, 1.0]])
    np.testing.assert_array_equal(found.values, [0.0, math.inf, -math.inf, NAN])
    assert [bool(reason) for reason in found.reasons] == [False, True, True, True]
    assert np.isfinite(gap_errors(np.array([[4.0, 0.0], [2.0, 0.0]]))).all()


@pytest.mark.parametrize("null", [None, [1.0, 2.0], [[1.0]], np.empty((0, 2))])
def test_a_gap_needs_data_without_structure(null):
    with pytest.raises(ParameterError, match="without structure"):
        gap([1, 2], [2.0, 1.0], 30, 2, null)
