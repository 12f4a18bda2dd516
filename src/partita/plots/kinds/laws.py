"""Laws: what an index may be between soft clusterings, over the hard ones that they stand for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Array, Floats
from partita.distributional import Distribution
from partita.distributional.completion_sets import SetDistance
from partita.distributional.outcomes import Focal, Law, Quantity
from partita.errors import ParameterError, PartitaError
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.index_axes import Ends, axis_text, finite, known_range, view_of
from partita.plots.palette import FAINT, INK, shade
from partita.plots.panels import panels
from partita.plots.spans import MARKS, SpanPanel, draw_span_panel, is_roomy, span
from partita.registry import find
from partita.results import show

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["law"]

law = figure_kind("law", "the law of an index, or its lower and upper values, over hard clusterings")

MOST_STEMS = 60
"""Values that are drawn one by one; more are put into bins."""

BINS = 80

MOST_STEPS = 200
"""Places at which the bands of an evidential law are told."""

ZOOMED = 0.25
"""Of the range of the index: values that lie closer together are shown on an axis of their own."""

WORDS = {"exact": "exact", "bound": "certified", "sampled": "sampled"}
"""How a number is known, in a word that stands beside it."""

HEIGHTS = {"set": 0.7}
"""Of laws in inches that need less than others."""

USUAL_HEIGHT = 2.3

HOW = {
    "exact": "exact",
    "bound": "exact but for unlikely values that were left away",
    "sampled": "estimated from draws",
}


@law.of(Distribution, usual=True)
def law_of_distribution(result: Distribution, *, level: float = 0.9) -> FigureData:
    """The law, or what is known of it, and the numbers that sum it up; ``level`` is of the interval."""
    _check_level(level)
    rows = _rows(result, level)
    if not rows:
        raise NoFigureError(
            f"{result.index} has no value for any clustering that is possible.",
            got="no values",
            need="an index that is defined for some of the hard clusterings",
        )
    symbol, direction = _symbol_and_direction(result.index)
    shape = _shape(result)
    ends = known_range(result.index)
    drawn = [v for row in rows for v in (row["value"], row["low"], row["high"])]
    drawn += [] if shape is None else [shape.view[0], shape.view[1]]
    whole = view_of(drawn, ends)
    title = _title(result, level)
    axis = axis_text(result.index, symbol, direction)
    reach = f"; the range is {ends[0]:g} to {ends[1]:g}" if None not in ends else ""
    panel = SpanPanel("", f"{axis}{reach}", tuple(row["row"] for row in rows), whole, ends)
    return FigureData(
        kind="law",
        title=title,
        description=_description(title, shape, rows),
        records=(*([] if shape is None else shape.records), *(_with_height(row) for row in rows)),
        x=axis,
        y="" if shape is None else shape.axis,
        facts={
            "panel": panel.facts(),
            "shape": None if shape is None else shape.name,
            "shape_title": "" if shape is None else shape.title,
            "view": _law_view(shape, whole),
            "method": None if shape is None else shape.method,
        },
        notes=_notes(result, shape),
        size=(6.8, (0.0 if shape is None else _height(shape.name)) + 1.5 + 0.26 * len(rows)),
    )


def _height(shape: str) -> float:
    """What the law needs, in inches; its title and axis come on top."""
    return HEIGHTS.get(shape, USUAL_HEIGHT)


def _check_level(level: Any) -> None:
    is_number = isinstance(level, (int, float)) and not isinstance(level, bool)
    if not is_number or not 0.0 < level < 1.0:
        raise ParameterError(
            "a level is a share.",
            got=repr(level)[:60],
            need="a number above 0 and below 1",
            fix="level=0.9",
            parameter="level",
        )


def _symbol_and_direction(label: str) -> tuple[str, str]:
    try:
        entry = find(label)
    except PartitaError:
        return "", "none"
    return entry.symbol or "", entry.direction


# --- the numbers --------------------------------------------------------------------------------------------


def _rows(result: Distribution, level: float) -> list[dict[str, Any]]:
    """A row for each number: what is sure about it is its bar."""
    known = {n: q for n, q in result.quantities.items() if not math.isnan(q.value)}
    if result.measure == "probability":
        rows = [_quantity_row("mean", known["mean"])] if "mean" in known else []
        if result.law is not None and len(result.law.support) > 1:
            low, high = result.interval(level)
            name, text = f"{100 * level:g}% of the probability", f"{show(low)} to {show(high)}"
            rows.append(span("numbers", name, None, finite(low), finite(high), result.law.method, text))
        elif "mean" in known and "std" in known and known["std"].value > 0.0:
            mean, sd = known["mean"].value, known["std"].value
            text, mark = f"{show(mean)} ± {show(sd)}", known["std"].method
            rows.append(span("numbers", "mean ± sd", None, finite(mean - sd), finite(mean + sd), mark, text))
        return rows
    if not {"lower", "upper"} <= set(known):
        return []
    lower, upper = known["lower"], known["upper"]
    name = "all values" if result.measure == "set" else "expected value"
    text = f"{show(lower.value)} to {show(upper.value)}"
    rows = [span("numbers", name, None, finite(lower.value), finite(upper.value), result.method, text)]
    what = "value" if result.measure == "set" else "expectation"
    if result.method == "exact":
        return rows
    ends = (("lower", lower), ("upper", upper))
    return [*rows, *(_quantity_row(f"{end} {what}", quantity) for end, quantity in ends)]


def _quantity_row(name: str, quantity: Quantity) -> dict[str, Any]:
    """A number with what is sure about it, where that is not the number itself."""
    low, high = quantity.low, quantity.high
    text = show(quantity.value)
    if quantity.method == "exact" or math.isnan(low) or text == show(low) == show(high):
        return span("numbers", name, finite(quantity.value), None, None, quantity.method, text)
    within = f"{text} ({show(low)} to {show(high)})"
    ends = (low if math.isfinite(low) else None, high if math.isfinite(high) else None)
    return span("numbers", name, finite(quantity.value), *ends, quantity.method, within)


def _with_height(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"height": None, "upper_height": None}


# --- the law ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Shape:
    """A law as it is drawn."""

    name: str
    records: Sequence[dict[str, Any]]
    axis: str
    title: str
    method: str
    view: tuple[float, float]


def _shape(result: Distribution) -> _Shape | None:
    """What is known of the values that can occur: their weights, themselves, or bands around their law."""
    if result.focal is not None and len(result.focal.masses):
        return _bands(result.focal, result)
    if result.law is None or not np.isfinite(result.law.support).any():
        return None
    known = np.isfinite(result.law.support)
    return _bars(result.law, result.law.support[known], result.law.weights[known], result)


def _bars(made: Law, support: Floats, weights: Array, result: Distribution) -> _Shape:
    """A stem for each of few values, bins for many: sums of probabilities, the largest possibility."""
    view = (float(support[0]), float(support[-1]))
    is_summed = made.measure == "probability"
    heights = weights / weights.sum() if is_summed else weights
    if len(support) <= MOST_STEMS:
        marks = [(v, v, w) for v, w in zip(support.tolist(), heights.tolist(), strict=True)]
    else:
        edges = np.linspace(*view, BINS + 1)
        place = np.clip(np.searchsorted(edges, support, side="right") - 1, 0, BINS - 1)
        joined = np.zeros(BINS)
        (np.add if is_summed else np.maximum).at(joined, place, heights)
        marks = [
            (low, high, height)
            for low, high, height in zip(
                edges[:-1].tolist(), edges[1:].tolist(), joined.tolist(), strict=True
            )
            if height > 0.0
        ]
    axis = {"probability": "probability", "possibility": "possibility"}.get(made.measure, "")
    axis = "share of draws" if is_summed and made.method == "sampled" else axis
    count = f"{len(support):,} {'value' if len(support) == 1 else 'values'}"
    binned = f" in {BINS} bins" if len(support) > MOST_STEMS else ""
    draws = result.cost.get("draws")
    how = f"{draws:,} draws" if made.method == "sampled" and draws is not None else HOW[made.method]
    what = {"set": "values that can occur", "possibility": "possibility"}.get(made.measure, "probability law")
    return _Shape(
        made.measure,
        [_shape_record(low, high, height, None, made.method) for low, high, height in marks],
        axis,
        f"{what}, {how}: {count}{binned}",
        made.method,
        view,
    )


def _bands(focal: Focal, result: Distribution) -> _Shape:
    """Belief and plausibility of a value of at most x, at some places."""
    known = np.isfinite(focal.low) & np.isfinite(focal.high)
    low, high, masses = focal.low[known], focal.high[known], focal.masses[known]
    places = np.unique(np.concatenate([low, high]))
    view = (float(places[0]), float(places[-1])) if places.size else (0.0, 1.0)
    if places.size > MOST_STEPS:
        places = np.linspace(*view, MOST_STEPS)
    belief, plausibility = (_at_most(ends, masses, places) for ends in (high, low))
    draws = result.cost.get("draws")
    how = f"{draws:,} draws" if focal.method == "sampled" and draws is not None else HOW[focal.method]
    return _Shape(
        "belief",
        [
            _shape_record(x, x, lower, upper, focal.method)
            for x, lower, upper in zip(places.tolist(), belief.tolist(), plausibility.tolist(), strict=True)
        ],
        "degree that it is at most x",
        f"belief (full line) and plausibility (dashed), {how}",
        focal.method,
        view,
    )


def _at_most(ends: Floats, masses: Array, places: Floats) -> Floats:
    """The mass of those sets whose end is at most each place."""
    order = np.argsort(ends, kind="stable")
    reached = np.concatenate([[0.0], np.cumsum(masses[order])])
    near = 1e-12 * np.maximum(1.0, np.abs(places))
    return np.asarray(reached[np.searchsorted(ends[order], places + near, side="right")])


def _shape_record(low: float, high: float, height: float, upper: float | None, method: str) -> dict[str, Any]:
    return span("law", "", None, low, high, method, "") | {"height": height, "upper_height": upper}


def _law_view(shape: _Shape | None, whole: Sequence[float]) -> list[float]:
    """The axis of the law: that of the numbers, or one of its own where values lie close together."""
    if shape is None:
        return list(whole)
    if shape.view[1] - shape.view[0] < ZOOMED * (whole[1] - whole[0]) and shape.view[0] < shape.view[1]:
        return view_of(shape.view)
    return list(whole)


# --- words --------------------------------------------------------------------------------------------------


def _title(result: Distribution, level: float) -> str:
    """What the index may be, as sure as it is."""
    name = _symbol_and_direction(result.index)[0] or result.index
    if result.measure == "probability":
        mean = result.quantities["mean"]
        value = show(mean.value)
        if result.law is not None and result.law.method == "exact" and len(result.law.support) == 1:
            return f"{name} is {value}: there is one value"
        about = "about " if mean.method == "sampled" else ""
        if result.law is None:
            return f"{name} is {about}{value} on average"
        low, high = map(show, result.interval(level))
        share = f"{100 * level:g}% of the probability"
        where = f"at {about}{low}" if low == high else f"from {about}{low} to {high}"
        return f"{name} is {about}{value} on average, {share} {where}"
    low, high = show(result.lower), show(result.upper)
    if result.measure == "set":
        if result.method == "sampled":
            return f"{name} goes at least from {low} to {high}, by sampled completions; it may go further"
        if result.method == "bound":
            return f"{name} lies within {low} and {high}, whichever completion is true: certified bounds"
        if low == high:
            return f"{name} is {low}, whichever completion is true"
        return f"{name} goes from {low} to {high}, as the one or the other completion is true"
    how = {"exact": "", "bound": ": certified bounds", "sampled": ", by a sample"}[result.method]
    return f"the expected {name} is between {low} (lower) and {high} (upper){how}"


def _description(title: str, shape: _Shape | None, rows: Sequence[dict[str, Any]]) -> str:
    numbers = "; ".join(f"{row['row']}: {row['text']} ({MARKS[row['mark']].text})" for row in rows)
    above = "" if shape is None else f" Above: {shape.title}."
    return f"{title}.{above} Numbers: {numbers}."


def _notes(result: Distribution, shape: _Shape | None) -> tuple[str, ...]:
    notes = []
    if result.dropped > 0.0:
        notes.append(f"values of total probability {result.dropped:.2g} were left away")
    if result.law is not None and result.law.undefined > 0.0:
        word = {"probability": "with probability", "possibility": "with possibility"}.get(result.law.measure)
        share = f" {word} {result.law.undefined:.2g}" if word else " for some completions"
        notes.append(f"the index has no value{share}")
    if shape is None and result.measure == "probability":
        notes.append("the law itself is not kept: law=True, or out of reach")
    return tuple(notes)


# --- distances of sets --------------------------------------------------------------------------------------


@law.of(SetDistance, usual=True)
def law_of_set_distance(result: SetDistance) -> FigureData:
    """The distance of two sets of clusterings, or its certified bounds, on the axis of what it can be."""
    if math.isnan(result.value):
        raise NoFigureError(
            "this distance has no value.",
            got="; ".join(result.notes) or "nan",
            need="completions for which the index is defined",
        )
    symbol, _ = _symbol_and_direction(result.index)
    name = symbol or result.index
    low, high = show(result.lower), show(result.upper)
    is_exact = result.method == "exact"
    title = (
        f"the two sets of clusterings are {show(result.value)} apart by {name}"
        if is_exact
        else f"the two sets of clusterings are at least {low} and at most {high} apart by {name}: certified"
    )
    row = span(
        "numbers",
        "distance",
        finite(result.value) if is_exact else None,
        None if is_exact else finite(result.lower),
        None if is_exact else finite(result.upper),
        result.method,
        show(result.value) if is_exact else f"{low} to {high}",
    )
    ends = _farthest(result.index)
    view = view_of((result.lower, result.upper, 0.0), ends)
    reach = "" if ends[1] is None else f", at most {ends[1]:g}"
    axis = f"distance: how far {name} is from its best value; 0 is none{reach}"
    return FigureData(
        kind="law",
        title=title,
        description=(
            f"{title}. The Hausdorff distance: the largest from a completion of either side to the nearest"
            " one of the other."
        ),
        records=(_with_height(row),),
        x=axis,
        facts={
            "panel": SpanPanel("", axis, ("distance",), view, ends).facts(),
            "shape": None,
            "shape_title": "",
            "view": list(view),
            "method": None,
        },
        size=(6.8, 2.0),
    )


def _farthest(label: str) -> Ends:
    """What a distance from the best value can be."""
    low, high = known_range(label)
    try:
        best = find(label).best
    except PartitaError:
        best = None
    if low is None or high is None or best is None:
        return 0.0, None
    return 0.0, max(abs(best - low), abs(best - high))


# --- drawing ------------------------------------------------------------------------------------------------


@law.drawn
def draw_law(ax: Axes, data: FigureData) -> None:
    """The law above, its numbers below, each named by how it is known."""
    facts, roomy = data.facts["panel"], is_roomy(ax)
    numbers = [r for r in data.records if r["panel"] == "numbers"]
    told = [r | {"text": f"{r['text']}, {WORDS[r['mark']]}"} for r in numbers]
    if data.facts["shape"] is None:
        (below,) = panels(ax, 1, 1)
    else:
        above, below = panels(
            ax, 2, 1, heights=(_height(data.facts["shape"]), 0.5 + 0.26 * len(facts["rows"]))
        )
        _draw_shape(above, data)
        left, right = data.facts["view"]
        if [left, right] != facts["view"]:
            below.axvspan(left, right, color=FAINT, alpha=0.25, linewidth=0.0, gid="zoomed")
            above.set_xlabel("the grey part of the axis below", fontsize=8)
    draw_span_panel(below, told, facts, roomy=roomy)


def _draw_shape(ax: Axes, data: FigureData) -> None:
    mine = [r for r in data.records if r["panel"] == "law"]
    colour = MARKS[data.facts["method"]].colour
    x, heights = [r["low"] for r in mine], [r["height"] for r in mine]
    if data.facts["shape"] == "belief":
        upper = [r["upper_height"] for r in mine]
        ax.fill_between(x, heights, upper, step="post", color=shade(colour, 0.3), linewidth=0.0)
        ax.step(x, heights, where="post", color=colour, gid="belief")
        ax.step(x, upper, where="post", color=colour, linestyle="--", gid="plausibility")
        ax.set_ylim(0.0, 1.05)
    elif all(r["low"] == r["high"] for r in mine):
        ax.vlines(x, 0.0, heights, color=colour, linewidth=2.0, gid="law")
        ax.set_ylim(0.0, 1.15 * max(heights))
    else:
        widths = [r["high"] - r["low"] for r in mine]
        is_drawn = data.facts["method"] == "sampled"
        fill = shade(colour, 0.45) if is_drawn else colour
        ax.bar(x, heights, width=widths, align="edge", color=fill, gid="law")
        ax.set_ylim(0.0, 1.15 * max(heights))
    mean = next((r for r in data.records if r["panel"] == "numbers" and r["row"] == "mean"), None)
    if mean is not None and mean["value"] is not None:
        ax.axvline(mean["value"], color=INK, linestyle="--", linewidth=1.0, gid="mean")
    if data.facts["shape"] == "set":
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    ax.set_xlim(*data.facts["view"])
    ax.set_ylabel(data.y, fontsize=8)
    ax.locator_params(axis="x", nbins=6)
    ax.set_title(data.facts["shape_title"], fontsize=8)
