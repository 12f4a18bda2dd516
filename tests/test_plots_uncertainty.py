"""Figures of how sure values are: laws, ends, null distributions, intervals, values side by side."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from scipy.stats import rankdata

import partita as pt
from partita.chance.chances import MOST_KEPT, NullDraws, chance_of
from partita.distributional.outcomes import Law, Quantity
from partita.errors import ParameterError, UnknownNameError
from partita.inputs import prepare
from partita.model_verdicts import ModelComparison, ModelValue
from partita.plots import NoFigureError, figure_data, kinds_of
from partita.plots._plot import new_figure
from partita.plots.candidates import best_candidates, distinct_names, ranks
from partita.plots.kinds.nulls import NullPanel, null_figure
from partita.plots.pictures import inline_svg
from partita.registry import find
from partita.selection._benchmark import Benchmark, BenchmarkRun

mpl.use("Agg")

HOSTILE = "<img src=x onerror=alert(1)> $x_1$ \u202e " + "n" * 200
RNG = np.random.default_rng(7)
TRUTH = np.repeat([0, 1, 2], 20)
GOOD = np.where(RNG.random(60) < 0.1, RNG.integers(0, 3, 60), TRUTH)
POOR = np.where(RNG.random(60) < 0.6, RNG.integers(0, 3, 60), TRUTH)
FUZZY = np.eye(3)[GOOD] * 0.7 + 0.1
ROUGH = pt.RoughPartition((np.eye(3)[GOOD] + (RNG.random((60, 3)) < 0.06)) > 0)
WIDE = pt.RoughPartition((np.eye(3)[POOR] + (RNG.random((60, 3)) < 0.4)) > 0)
POSSIBLE = pt.PossibilisticPartition((np.eye(3)[GOOD] * 0.5 + 0.5 * RNG.random((60, 3)).round(1))[::6])
SETS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=bool)
MASSES = pt.EvidentialPartition(np.column_stack([np.eye(3)[GOOD] * 0.8, np.full(60, 0.2)])[::6], SETS)


def drawn(data, **options):
    """The figure, after what every figure must hold: records of one form, JSON, texts in one line."""
    assert len({tuple(record) for record in data.records}) <= 1
    json.dumps(data.to_dict(), allow_nan=False)
    json.dumps([data.records, dict(data.facts)], allow_nan=False)
    assert data.title
    assert data.description.startswith(data.title)
    assert "\u202e" not in json.dumps(data.to_dict(), ensure_ascii=False)
    return new_figure(data, **options)


def marks(figure, gid):
    """Everything of that name that was drawn."""
    return [one for ax in figure.axes for one in ax.findobj() if one.get_gid() == gid]


# --- the law ------------------------------------------------------------------------------------------------


def test_the_law_of_few_values_is_drawn_value_by_value():
    result = pt.distribution(TRUTH[::6], FUZZY[::6], "rand")
    binned = figure_data(result)
    few = figure_data(replace(result, law=Law(np.array([0.1, 0.4]), np.array([0.25, 0.75]), "probability")))
    law = [r for r in few.records if r["panel"] == "law"]
    assert [(r["low"], r["high"], r["height"]) for r in law] == [(0.1, 0.1, 0.25), (0.4, 0.4, 0.75)]
    assert math.isclose(sum(r["height"] for r in binned.records if r["panel"] == "law"), 1.0)
    assert binned.facts["method"] == "exact"
    assert binned.title.startswith(f"RI is {result.mean:.4f} on average, 90% of the probability from ")
    assert len(marks(drawn(few), "law")) == 1
    assert len(marks(drawn(binned), "mean")) == 1


def test_bins_hold_the_probability_of_their_values():
    support, weights = np.linspace(0.2, 0.9, 1001), RNG.random(1001)
    result = replace(
        pt.distribution(TRUTH, FUZZY, "rand"), law=Law(support, weights / weights.sum(), "probability")
    )
    law = [r for r in figure_data(result).records if r["panel"] == "law"]
    for record in law[:-1]:
        inside = (support >= record["low"]) & (support < record["high"])
        assert math.isclose(record["height"], weights[inside].sum() / weights.sum())
    assert math.isclose(sum(r["height"] for r in law), 1.0)


def test_the_level_of_the_interval_is_an_option():
    result = pt.distribution(TRUTH, FUZZY, "rand")
    for level in (0.5, 0.99):
        data = figure_data(result, level=level)
        (row,) = [r for r in data.records if r["row"].endswith("of the probability")]
        assert (row["low"], row["high"]) == result.interval(level)
        assert row["row"].startswith(f"{100 * level:g}%")
    for wrong in (0.0, 1.0, 2, "x", True, math.nan):
        with pytest.raises(ParameterError, match="a level is a share"):
            figure_data(result, level=wrong)


@pytest.mark.parametrize(
    ("result", "method", "words"),
    [
        (pt.distribution(TRUTH, ROUGH, "ARI"), "exact", "as the one or the other completion is true"),
        (pt.distribution(WIDE, WIDE, "ARI", method="bound"), "bound", "certified bounds"),
        (
            pt.distribution(TRUTH, WIDE, "ARI", method="sample", random_state=0),
            "sampled",
            "it may go further",
        ),
    ],
)
def test_exact_bounded_and_sampled_numbers_are_told_apart(result, method, words):
    data = figure_data(result)
    numbers = {r["row"]: r for r in data.records if r["panel"] == "numbers"}
    assert numbers["all values"]["mark"] == result.method == method
    assert len(numbers) == (1 if method == "exact" else 3)
    for end in ("lower", "upper"):
        row = numbers.get(f"{end} value")
        assert row is None or row["mark"] == result.quantities[end].method
    assert words in data.title
    word = {"exact": "exact", "bound": "certified", "sampled": "sampled"}[method]
    assert word in marks(drawn(data), "numbers")[0].get_text()


def test_a_rough_law_is_an_interval_on_the_range_of_the_index():
    result = pt.distribution(TRUTH, ROUGH, "ARI")
    data = figure_data(result)
    (row,) = [r for r in data.records if r["panel"] == "numbers"]
    assert (row["low"], row["high"]) == (result.lower, result.upper)
    assert data.facts["panel"]["ends"] == [-0.5, 1.0]
    assert data.facts["panel"]["view"][0] <= -0.5 < 1.0 <= data.facts["panel"]["view"][1]
    assert "higher is better" in data.x
    assert data.facts["view"] != data.facts["panel"]["view"]  # close together: an axis of their own
    figure = drawn(data)
    assert len(marks(figure, "zoomed")) == 1
    wide = figure_data(pt.distribution(TRUTH[::6], POSSIBLE, "ARI"))
    assert wide.facts["view"] == wide.facts["panel"]["view"]
    assert not marks(drawn(wide), "zoomed")


def test_an_open_end_is_an_arrow():
    result = pt.distribution(TRUTH, ROUGH, "VI")
    quantities = dict(result.quantities) | {"upper": Quantity(1.0, 1.0, math.inf, "sampled")}
    data = figure_data(replace(result, quantities=quantities))
    (row,) = [r for r in data.records if r["row"] == "upper value"]
    assert (row["low"], row["high"]) == (1.0, None)
    assert "lower is better" in data.x
    assert len(marks(drawn(data), "open end")) == 1


def test_a_possibilistic_law_shows_possibilities_and_expectations():
    result = pt.distribution(TRUTH[::6], POSSIBLE, "ARI")
    data = figure_data(result)
    law = [r for r in data.records if r["panel"] == "law"]
    assert math.isclose(max(r["height"] for r in law), result.possibilities.max())
    assert data.y == "possibility"
    assert data.title == (
        f"the expected ARI is between {result.lower:.4f} (lower) and {result.upper:.4f} (upper)"
    )
    drawn(data)


def test_bands_of_an_evidential_law_are_belief_and_plausibility():
    result = pt.distribution(TRUTH[::6], MASSES, "ARI", random_state=0)
    data = figure_data(result)
    band = [r for r in data.records if r["panel"] == "law"]
    for record in band:
        assert math.isclose(record["height"], result.belief(record["low"]), abs_tol=1e-9)
        assert math.isclose(record["upper_height"], result.plausibility(record["low"]), abs_tol=1e-9)
        assert record["height"] <= record["upper_height"] + 1e-9
    figure = drawn(data)
    assert len(marks(figure, "belief")) == len(marks(figure, "plausibility")) == 1


def test_titles_of_laws_without_spread_and_without_a_law():
    assert figure_data(pt.distribution(TRUTH, GOOD, "ARI")).title.endswith(": there is one value")
    result = pt.distribution(TRUTH, FUZZY, "ARI")
    without = figure_data(replace(result, law=None))
    assert without.title == f"ARI is {result.mean:.4f} on average"
    assert without.facts["shape"] is None
    (row,) = [r for r in without.records if r["row"] == "mean ± sd"]
    assert math.isclose(row["high"] - row["low"], 2 * result.std)
    drawn(without)
    mean = Quantity(0.5, 0.4, 0.6, "sampled")
    assert (
        "about 0.5000"
        in figure_data(replace(result, law=None, quantities=dict(result.quantities) | {"mean": mean})).title
    )


def test_what_was_left_away_or_has_no_value_is_written():
    result = pt.distribution(TRUTH, FUZZY, "rand")
    law = Law(np.array([0.2, 0.7]), np.array([0.5, 0.4]), "probability", "bound", dropped=0.1, undefined=0.05)
    notes = figure_data(replace(result, law=law)).notes
    assert notes[0] == "values of total probability 0.1 were left away"
    assert notes[1] == "the index has no value with probability 0.05"
    nothing = {name: Quantity.undefined() for name in result.quantities}
    with pytest.raises(NoFigureError, match="has no value for any clustering"):
        figure_data(replace(result, law=None, quantities=nothing))


def test_a_law_from_a_file_is_the_same_figure():
    result = pt.distribution(TRUTH[::6], MASSES, "ARI", random_state=0)
    read = type(result).from_dict(json.loads(json.dumps(result.to_dict())))
    assert figure_data(read).records == figure_data(result).records


def test_a_distance_of_sets_is_a_point_or_a_bounded_bar():
    exact = pt.hausdorff(TRUTH, ROUGH, "rand")
    data = figure_data(exact)
    assert data.records[0]["value"] == exact.value
    assert data.title == f"the two sets of clusterings are {exact.value:.4f} apart by RI"
    assert data.facts["panel"]["ends"] == [0.0, 1.0]
    drawn(data)
    bounded = figure_data(replace(exact, lower=0.2, upper=0.5, value=0.5, method="bound"))
    assert (bounded.records[0]["low"], bounded.records[0]["high"]) == (0.2, 0.5)
    assert bounded.title.endswith("at least 0.2000 and at most 0.5000 apart by RI: certified")
    with pytest.raises(NoFigureError, match="has no value"):
        figure_data(replace(exact, value=math.nan))


# --- ends ---------------------------------------------------------------------------------------------------


def test_every_index_with_ends_has_a_row_on_its_own_scale():
    result = pt.compare(TRUTH, ROUGH)
    data = figure_data(result, "ends")
    bounded = {r.index: r for r in result.rows if math.isfinite(r.lower)}
    assert len(data.records) == len(bounded) > 3
    for record in data.records:
        row = bounded[record["row"].rpartition(": ")[2]]
        assert (record["low"], record["high"], record["mark"]) == (row.lower, row.upper, "exact")
        panel = data.facts["panels"][record["panel"]]
        assert panel["view"][0] <= record["low"] <= record["high"] <= panel["view"][1]
        assert f"{row.direction} is better" in panel["axis"]
    scales = {tuple(panel["ends"]) for panel in data.facts["panels"].values()}
    assert {(-0.5, 1.0), (0.0, 1.0), (0.0, None)} <= scales
    assert data.title.startswith(
        f"ARI is between {result['ARI'].lower:.4f} and {result['ARI'].upper:.4f} over"
    )
    assert len(marks(drawn(data), "span")) == len(bounded)


def test_titles_of_ends_say_how_they_are_known():
    bounded = pt.compare(WIDE, WIDE, indices=["ARI"])
    assert "certified, and perhaps closer" in figure_data(bounded, "ends").title
    expected = pt.compare(TRUTH[::6], POSSIBLE, indices=["ARI"])
    assert figure_data(expected, "ends").title.startswith("the expected ARI is ")
    sampled = pt.compare(
        TRUTH, pt.EvidentialPartition(np.repeat(MASSES.masses, 6, axis=0), SETS), indices=["RI"]
    )
    data = figure_data(sampled, "ends")
    assert data.records[0]["mark"] == "sampled"
    assert data.title.endswith("by a sample")
    row = replace(bounded.rows[0], lower=0.5, upper=0.5, caveats=())
    same = figure_data(replace(bounded, rows=(row,)), "ends")
    assert same.title == "ARI is 0.5000 over the hard clusterings that these stand for"
    legend = [t.get_text() for ax in drawn(data).axes if ax.get_legend() for t in ax.get_legend().get_texts()]
    assert legend == ["from a sample"]


def test_without_ends_there_is_no_such_figure():
    for result in (pt.compare(TRUTH, GOOD), pt.compare(TRUTH, ROUGH, bounds=False)):
        with pytest.raises(NoFigureError, match="no index here has a lower and an upper value"):
            figure_data(result, "ends")


# --- null distributions -------------------------------------------------------------------------------------


def test_null_draws_are_kept_and_are_those_of_p_and_spread():
    result = pt.compare(TRUTH, GOOD, null="permutation", indices=["ARI", "VI"], n_shuffles=200)
    for row in result.rows:
        draws = result.null_draws[row.index]
        assert draws.times.sum() == 200
        assert math.isclose(np.average(draws.values, weights=draws.times), row.null_mean)
        values = np.repeat(draws.values, draws.times)
        assert math.isclose(values.std(ddof=1), row.null_spread)
        as_good = values >= row.value - 1e-9 if row.direction == "higher" else values <= row.value + 1e-9
        assert math.isclose((1 + as_good.sum()) / 201, row.p)


def test_null_draws_are_no_part_of_what_is_compared_printed_or_written():
    one, other = (pt.compare(TRUTH, GOOD, null="permutation", indices=["ARI"]) for _ in range(2))
    assert one == other
    assert "null_draws" not in json.dumps(one.to_dict())
    chances = [
        chance_of([find("ARI")], prepare({"truth": TRUTH, "found": GOOD}))["adjusted_rand"] for _ in "ab"
    ]
    assert chances[0] == chances[1]
    assert "NullDraws" not in repr(chances[0])


def test_many_draws_are_kept_on_a_grid():
    values = np.append(RNG.normal(size=3 * MOST_KEPT), [math.nan, math.nan])
    times = np.full(values.size, 2)
    kept = NullDraws.of(values, times, is_enumerated=False)
    assert kept.values.size <= MOST_KEPT + 1
    assert kept.times.sum() == times.sum()
    assert kept.times[np.isnan(kept.values)].sum() == 4
    known = ~np.isnan(kept.values)
    step = np.ptp(values[:-2]) / (MOST_KEPT - 1)
    assert abs(np.average(kept.values[known], weights=kept.times[known]) - values[:-2].mean()) < step
    few = NullDraws.of(np.array([0.5, math.inf, 0.5, -math.inf]), np.ones(4, int), is_enumerated=True)
    assert few.values.tolist() == [-math.inf, 0.5, math.inf]
    assert few.times.tolist() == [1, 2, 1]


def test_a_panel_for_each_index_holds_all_draws_and_the_observed_value():
    result = pt.compare(TRUTH, GOOD, null="permutation", n_shuffles=99)
    data = figure_data(result, "null")
    assert list(data.facts["observed"]) == [name for name in result.headline if name in result.null_draws]
    for name, observed in data.facts["observed"].items():
        row = result[name]
        assert (observed, data.facts["p"][name], data.facts["expected"][name]) == (
            row.value,
            row.p,
            row.expected,
        )
        values = np.repeat(result.null_draws[name].values, result.null_draws[name].times)
        mine = [r for r in data.records if r["panel"] == name]
        assert sum(r["count"] for r in mine) == np.isfinite(values).sum()
        for r in mine[:-1]:
            assert r["count"] == ((values >= r["low"]) & (values < r["high"])).sum()
    assert data.y == "draws"
    assert any("of 59 indices are shown" in note for note in data.notes)
    assert len(marks(drawn(data), "observed")) == len(data.facts["observed"])


def test_enumerated_cases_count_as_often_as_they_occur():
    result = pt.compare([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], null="permutation", indices=["RI"])
    data = figure_data(result, "null")
    assert data.y == "cases"
    assert {round((r["low"] + r["high"]) / 2, 6): r["count"] for r in data.records} == {
        round(7 / 15, 6): 18,
        1.0: 2,
    }
    assert data.facts["draws"] == {"rand": 20}
    assert data.title == "RI 1 is not shown to be beyond chance: p = 0.1"


def test_titles_of_null_distributions_say_what_p_says():
    result = pt.compare(
        TRUTH, GOOD, null="permutation", indices=["ARI", "VI", "entropy_found"][:2], n_shuffles=99
    )
    assert figure_data(result, "null").title == "beyond chance by both indices shown: p at most 0.01"
    assert figure_data(result, "null", indices="ARI").title.endswith(" is beyond chance: p = 0.01")
    one, other = result.rows
    some = replace(result, rows=(one, replace(other, p=0.3)))
    assert figure_data(some, "null").title == (
        "beyond chance by 1 of 2 indices (p at most 0.05); not shown to be by VI"
    )
    none = replace(result, rows=(replace(one, p=0.2), replace(other, p=0.3)))
    assert figure_data(none, "null").title == (
        "not shown to be beyond chance by any of 2 indices: p at least 0.2"
    )
    silent = replace(result, rows=(replace(one, p=math.nan),))
    assert figure_data(silent, "null").title.startswith("no p-value: ARI")
    assert "about 0.1 have p of at most 0.05 by chance alone" in " ".join(figure_data(result, "null").notes)


def test_why_there_is_no_null_distribution_is_said():
    plain = pt.compare(TRUTH, GOOD)
    with pytest.raises(NoFigureError, match="no null model was asked for"):
        figure_data(plain, "null")
    result = pt.compare(TRUTH, GOOD, null="permutation", n_shuffles=9)
    read = type(result).from_dict(result.to_dict())
    with pytest.raises(NoFigureError, match="read from a file"):
        figure_data(read, "null")
    weights = np.linspace(0.5, 1.5, 60)
    weighted = pt.compare(TRUTH, GOOD, null="permutation", sample_weight=weights)
    with pytest.raises(NoFigureError, match="no whole numbers") as caught:
        figure_data(weighted, "null")
    assert "nothing could be drawn" in str(caught.value)


def test_values_that_differ_by_rounding_alone_are_one_bin():
    values = 3.91 + 1e-15 * np.arange(50)
    panel = NullPanel(values, 3.91, 1.0, 3.91, "VI")
    data = null_figure({"VI": panel}, "a title", "a title and more")
    (record,) = data.records
    assert record["count"] == 50
    assert record["high"] - record["low"] > 0.01


# --- intervals ----------------------------------------------------------------------------------------------


def test_intervals_of_a_comparison_are_those_of_its_rows():
    result = pt.compare(TRUTH, GOOD, bootstrap=60, indices=["ARI", "VI", "purity"])
    data = figure_data(result, "intervals")
    for record in data.records:
        row = result[record["row"].rpartition(": ")[2]]
        assert (record["value"], record["low"], record["high"]) == (row.value, row.ci_low, row.ci_high)
    first = result.rows[0]
    assert data.title == (
        f"ARI is {first.value:.4f}, with a 95% interval from {first.ci_low:.4f} to {first.ci_high:.4f}"
    )
    figure = drawn(data)
    assert len(marks(figure, "value")) == 3
    assert next(t.get_text() for t in marks(figure, "numbers")) == data.records[0]["text"]
    alone = figure_data(result, "intervals", indices=["VI"])
    assert [r["row"] for r in alone.records] == ["VI: variation_of_information"]
    assert any("1 of 3 indices are shown" in note for note in alone.notes)


def test_an_interval_without_width_is_no_certainty():
    result = pt.compare(TRUTH, TRUTH, bootstrap=30, indices=["ARI"])
    assert figure_data(result, "intervals").title == "ARI is 1 in every replicate, which is no certainty"


def test_without_intervals_there_is_no_such_figure():
    for result in (pt.compare(TRUTH, GOOD), pt.compare(TRUTH, {"a": GOOD, "b": POOR})):
        with pytest.raises(NoFigureError, match="no intervals were asked for"):
            figure_data(result, "intervals")
    with pytest.raises(NoFigureError, match="no value here has an interval"):
        figure_data(pt.compare([0], [0], bootstrap=10, indices=["ARI"]), "intervals")


def test_unknown_indices_of_a_figure_are_refused_with_a_near_name():
    result = pt.compare(TRUTH, GOOD, bootstrap=20, indices=["ARI", "VI"])
    with pytest.raises(UnknownNameError, match="there is no index of this figure"):
        figure_data(result, "intervals", indices=["adjusted_rnd"])
    with pytest.raises(UnknownNameError, match="there is no index of this figure"):
        figure_data(result, "intervals", indices="NMI")
    for wrong in (3, []):
        with pytest.raises(ParameterError, match="indices are named"):
            figure_data(result, "intervals", indices=wrong)


def test_intervals_side_by_side_mark_the_best_and_warn_of_overlap():
    result = pt.compare(TRUTH, {"good": GOOD, HOSTILE: POOR}, bootstrap=40, indices=["ARI", "VI"])
    data = figure_data(result, "intervals")
    for record in data.records:
        name = "good" if record["row"] == "good" else HOSTILE
        row = result.results[name][record["panel"]]
        assert (record["value"], record["low"], record["high"]) == (row.value, row.ci_low, row.ci_high)
        assert record["mark"] == ("best" if name in result.best_by(record["panel"]) else "interval")
    assert data.title.startswith("good: better by ")
    assert "overlapping intervals are no test" in data.notes[0]
    drawn(data)


def model(index, candidate, value, p=math.nan, difference=math.nan):
    entry = find(index)
    ends = (difference - 0.1, difference + 0.1)
    return ModelValue(
        entry.label,
        entry.symbol or "",
        entry.direction,
        candidate,
        value,
        value - 0.1,
        value + 0.1,
        difference,
        *ends,
        p,
    )


def models(*rows):
    return ModelComparison(rows=rows, candidates=tuple(dict.fromkeys(row.candidate for row in rows)))


SURE, UNSURE = 0.001, 0.4
TIED = (
    "not decided which of 2 candidates is best: as many families of indices find each of several best (weak)"
)


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        (
            (model("ARI", "a", 0.9), model("ARI", "b", 0.5, SURE, -0.4)),
            "a is decidedly better than b, by every family (clear)",
        ),
        (
            (
                model("ARI", "a", 0.9),
                model("ARI", "b", 0.5, SURE, -0.4),
                model("VI", "a", 0.2),
                model("VI", "b", 0.3, UNSURE, 0.1),
            ),
            "a is decidedly better than b, by some indices, not by every family (weak)",
        ),
        (
            (model("ARI", "a", 0.9), model("ARI", "b", 0.8, UNSURE, -0.1)),
            "a is best by 1 of 1 family of indices, but not decidedly better than b (weak)",
        ),
        (
            (
                model("ARI", "a", 0.9),
                model("ARI", "b", 0.8, UNSURE, -0.1),
                model("ARI", "c", 0.7, UNSURE, -0.2),
            ),
            "a is best by 1 of 1 family of indices, but not decidedly better than 2 of 2 others (weak)",
        ),
        (
            (
                model("ARI", "a", 0.9),
                model("ARI", "b", 0.5, SURE, -0.4),
                model("VI", "b", 0.2),
                model("VI", "a", 0.9, SURE, 0.7),
                model("purity", "a", 0.9),
                model("purity", "b", 0.5, SURE, -0.4),
            ),
            "contested: a is best by 2 of 3 families of indices, but b is better by 1 of 3 indices",
        ),
        (
            (model("ARI", "a", 0.9), model("ARI", "b", 0.9, 1.0, 0.0)),
            TIED,
        ),
        ((model("ARI", "a", 0.9),), "a is the only candidate: nothing is decided"),
        (
            (model("ARI", "a", 0.9), model("ARI", "b", math.nan)),
            "no index here judges between the candidates",
        ),
    ],
)
def test_titles_of_models_say_who_is_better_and_how_sure(rows, title):
    data = figure_data(models(*rows))
    assert data.title == title
    drawn(data)


def test_models_have_values_left_and_paired_differences_right():
    result = pt.compare_models(TRUTH, {"good": GOOD, "poor": POOR}, bootstrap=60, indices=["ARI", "VI"])
    assert kinds_of(result)[0] == "intervals"
    data = figure_data(result)
    for record in data.records:
        label, what = record["panel"].split(", ")
        row = result[label][record["row"]]
        if what == "value":
            assert (record["value"], record["low"], record["high"]) == (row.value, row.ci_low, row.ci_high)
            assert record["mark"] == ("best" if row.candidate in result.best_by[label] else "interval")
        else:
            assert (record["value"], record["low"]) == (row.difference, row.difference_low)
            assert record["high"] == row.difference_high
            assert record["text"] == f"p = {row.p:.2g}"
            worse = row.candidate in result.worse_by[label]
            assert record["mark"] == ("worse" if worse else "difference")
    assert len(data.records) == 6  # two values an index, and the difference of the one that is not best
    assert "above 0 is worse" in data.facts["panels"]["variation_of_information, difference"]["axis"]
    assert "below 0 is worse" in data.facts["panels"]["adjusted_rand, difference"]["axis"]
    assert len(marks(drawn(data), "line")) == 2


def test_of_many_candidates_the_best_are_shown_and_the_rest_counted():
    rows = [
        model("ARI", f"run {i}", i / 40, *((UNSURE, i / 40 - 0.725) if i < 29 else ())) for i in range(30)
    ]
    data = figure_data(models(*rows))
    shown = {r["row"] for r in data.records}
    assert shown == {f"run {i}" for i in range(18, 30)}
    assert any(note.startswith("12 of 30 are shown") for note in data.notes)


# --- values -------------------------------------------------------------------------------------------------


def test_values_side_by_side_are_ranked_in_the_direction_of_the_index():
    result = pt.compare(TRUTH, {"good": GOOD, "poor": POOR, "same": TRUTH}, indices=["ARI", "VI"])
    assert kinds_of(result)[0] == "values"
    data = figure_data(result)
    for name in ("adjusted_rand", "variation_of_information"):
        mine = {r["column"]: r for r in data.records if r["row"].endswith(name)}
        values = {column: result.results[column][name].value for column in mine}
        assert {column: r["value"] for column, r in mine.items()} == values
        sign = -1 if find(name).direction == "higher" else 1
        expected = rankdata(sign * np.array(list(values.values())), method="min")
        assert [r["rank"] for r in mine.values()] == expected.tolist()
        assert [column for column, r in mine.items() if r["best"]] == ["same"]
    assert data.title == result.statement
    assert data.facts["directions"] == ["higher", "lower"]
    texts = {t.get_text() for ax in drawn(data).axes for t in (*ax.texts, *ax.get_yticklabels())}
    assert {"★ 1", "★ 0", "ARI: adjusted_rand ↑", "VI: variation_of_information ↓"} <= texts


def test_an_index_that_lacks_a_value_is_shown_and_not_ranked():
    X = RNG.normal(size=(60, 2))
    result = pt.validate(X, {"two": GOOD > 0, "one": np.zeros(60, int)}, indices=["silhouette", "entropy"])
    data = figure_data(result)
    missing = [r for r in data.records if r["row"].endswith("silhouette")]
    assert [r["value"] is None for r in missing] == [False, True]
    assert [r["rank"] for r in missing] == [None, None]
    assert missing[1]["text"] == "–"
    assert any(note.startswith("not coloured: 2 of 2 rows") for note in data.notes)
    assert data.title == "no index here judges between them"
    drawn(data)


def test_one_clustering_alone_has_values_but_no_winner():
    data = figure_data(pt.compare(TRUTH, {"only": GOOD}, indices=["ARI"]))
    assert data.title == "values of only alone"
    assert not data.records[0]["best"]
    drawn(data)


def benchmark(methods, runs=2, data=("line",)):
    made = tuple(
        BenchmarkRun(one, name, run, run, {"adjusted_rand": value + 0.1 * run, "mse": 1.0 - value})
        for one in data
        for name, value in methods.items()
        for run in range(runs)
    )
    return Benchmark(indices=("adjusted_rand", "mse"), runs=made, ks=dict.fromkeys(data, 2))


def test_values_of_a_benchmark_are_means_with_their_deviations():
    result = benchmark({"A": 0.2, "B": 0.6})
    assert kinds_of(result)[0] == "values"
    data = figure_data(result)
    first = next(r for r in data.records if r["column"] == "B" and r["row"] == "line, ARI")
    assert math.isclose(first["value"], 0.65)
    assert math.isclose(first["spread"], np.std([0.6, 0.7], ddof=1))
    assert first["rank"] == 1.0
    assert first["text"] == "★ 0.6500 ± 0.07"
    assert data.title == (
        "B is best: mean rank 1.00 of 2 methods over 1 data set; next A, 2.00. Add data sets"
    )
    assert "mean ± standard deviation over runs" in data.notes
    drawn(data)
    assert figure_data(benchmark({"A": 0.2, "B": 0.2})).title.startswith("A and B tie: mean rank 1.50")
    assert figure_data(benchmark({"A": 0.2})).title == "1 method on 1 data set and 2 indices: nothing to rank"
    with pytest.raises(NoFigureError, match="no values"):
        figure_data(Benchmark())


def test_failed_runs_have_no_value_and_no_rank():
    made = benchmark({"A": 0.2, "B": 0.6}, runs=1)
    failed = replace(made, runs=(made.runs[0], replace(made.runs[1], values={}, failed="it broke")))
    data = figure_data(failed)
    assert {r["column"]: r["rank"] for r in data.records} == {"A": 1.0, "B": None}
    drawn(data)


def test_of_many_rows_and_columns_some_are_shown_and_counted():
    methods = {f"method {i}": i / 20 for i in range(20)}
    data = figure_data(benchmark(methods, runs=1, data=[f"set {i}" for i in range(20)]))
    assert len(data.facts["rows"]) == 24
    assert data.facts["columns"] == [f"method {i}" for i in range(12, 20)]
    assert any(note == "24 of 40 rows are shown" for note in data.notes)
    assert any(note.startswith("8 of 20 are shown: those that lead") for note in data.notes)
    drawn(data)


# --- names, ranks, small places -----------------------------------------------------------------------------


def test_names_that_look_alike_when_cut_are_numbered():
    names = distinct_names([HOSTILE + "1", HOSTILE + "2", "plain"])
    assert len(set(names.values())) == 3
    assert all(len(name) <= 24 and "\u202e" not in name for name in names.values())
    assert names["plain"] == "plain"


def test_ranks_share_ties_and_leave_out_what_has_no_value():
    values = {"a": 0.5, "b": 0.5 + 1e-15, "c": 0.9, "d": math.nan}
    higher = ranks(values, "higher")
    assert (higher["a"], higher["b"], higher["c"]) == (2.0, 2.0, 1.0)
    assert math.isnan(higher["d"])
    assert ranks(values, "lower")["c"] == 3.0
    assert all(math.isnan(rank) for rank in ranks(values, "none").values())


def test_those_that_lead_are_shown_whatever_their_rank():
    ranked = [{"a": 1.0, "b": 2.0, "c": 3.0}]
    assert best_candidates(ranked, ["a", "b", "c"], 2)[0] == ["a", "b"]
    assert best_candidates(ranked, ["a", "b", "c"], 2, {"c"})[0] == ["a", "c"]
    assert best_candidates(ranked, ["a", "b", "c"], 3) == (["a", "b", "c"], ())


def test_hostile_names_are_cut_and_stay_out_of_markup():
    result = pt.compare(TRUTH, {HOSTILE: GOOD, HOSTILE + "2": POOR}, bootstrap=20, indices=["ARI"])
    for kind in ("values", "intervals"):
        data = figure_data(result, kind)
        assert len(data.title) < 200
        svg = inline_svg(data, "f")
        assert "<img" not in svg
        drawn(data)
    candidates = pt.compare_models(TRUTH, {HOSTILE: GOOD, HOSTILE + "2": POOR}, bootstrap=20, indices=["ARI"])
    assert len({r["row"] for r in figure_data(candidates).records}) == 2
    drawn(figure_data(candidates))
    drawn(figure_data(benchmark({HOSTILE: 0.2, HOSTILE + "2": 0.6}, data=(HOSTILE, HOSTILE + "2"))))


def test_a_narrow_axes_leaves_the_numbers_away():
    from matplotlib.figure import Figure

    result = pt.compare(TRUTH, GOOD, bootstrap=20, indices=["ARI"])
    for width, count in ((3.0, 0), (6.8, 1)):
        figure = Figure(figsize=(width, 3.0), layout="constrained")
        pt.plot(result, "intervals", ax=figure.add_subplot())
        assert len(marks(figure, "numbers")) == count


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_objects_have_figures_of_chance_and_laws(n):
    some = ["ARI", "VI", "purity"]
    drawn(figure_data(pt.compare(TRUTH[:n], GOOD[:n], null="permutation", indices=some), "null"))
    drawn(figure_data(pt.distribution(TRUTH[:n], FUZZY[:n], "ARI")))
    if n > 1:
        drawn(figure_data(pt.compare(TRUTH[:n], GOOD[:n], bootstrap=10, indices=some), "intervals"))


@pytest.mark.parametrize("found", [np.zeros(60, int), np.arange(60), np.full(60, -1)])
def test_one_cluster_and_single_objects_have_null_distributions(found):
    result = pt.compare(TRUTH, found, null="permutation", n_shuffles=19, indices=["ARI", "VI", "FM"])
    drawn(figure_data(result, "null"))
