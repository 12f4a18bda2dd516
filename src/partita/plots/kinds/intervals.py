"""Intervals: how sure values are, of one clustering or of several candidates side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from partita.comparison import Comparison
from partita.model_verdicts import ModelComparison, ModelValue
from partita.plots.candidates import best_candidates, distinct_names, leaders, ranks, short_statement
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.index_axes import axis_text, better_text, finite, shown_indices, view_of
from partita.plots.kinds.ends import row_name, scales
from partita.plots.names import plain_name
from partita.plots.spans import SpanPanel, draw_spans, height_of, span
from partita.results import show
from partita.results.index_rows import IndexValue
from partita.results.side_by_side import SideBySide

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["intervals"]

intervals = figure_kind("intervals", "values with their sampling intervals, candidates side by side")

MOST_INDICES = 14
"""Rows of one comparison."""

MOST_PANELS = 6
"""Indices by which candidates are held side by side."""

MOST_CANDIDATES = 12

NO_TEST = "overlapping intervals are no test of a difference"


# --- one comparison -----------------------------------------------------------------------------------------


@intervals.of(Comparison)
def intervals_of_comparison(result: Comparison, *, indices: Any = None) -> FigureData:
    """The value of each index with its sampling interval; ``indices`` names some."""
    sure = {row.index: row for row in result.rows if _has_interval(row)}
    if not sure:
        raise _no_intervals(result, "compare(truth, found, bootstrap=1000)")
    chosen = shown_indices(list(sure), indices, result.headline, MOST_INDICES)
    rows = [sure[label] for label in chosen.labels]
    shown = scales(rows)
    first, confidence = rows[0], _percent(result.provenance.get("confidence", 0.95))
    name = first.symbol or first.index
    title = (
        f"{name} is {show(first.value)} in every replicate, which is no certainty"
        if first.ci_low == first.ci_high
        else f"{name} is {show(first.value)}, with a {confidence} interval from {_span(first)}"
    )
    spoken = "; ".join(
        f"{row_name(r)} {show(r.value)}, {_span(r)} ({better_text(r.direction)})" for r in rows
    )
    return FigureData(
        kind="intervals",
        title=title,
        description=(
            f"{title}. The value of each index with its interval: where it may lie for all objects of which"
            f" these are a sample. {spoken}"
        ),
        records=tuple(
            span(
                name,
                row_name(row),
                finite(row.value),
                finite(row.ci_low),
                finite(row.ci_high),
                "interval",
                _numbers(row),
            )
            for name, panel in shown.items()
            for row in rows
            if row_name(row) in panel.rows
        ),
        x="value of the index",
        facts={"panels": {name: panel.facts() for name, panel in shown.items()}, "columns": [list(shown)]},
        notes=(
            f"{confidence} intervals: where the value may lie for all objects of which these are a sample",
            *chosen.notes,
        ),
        size=(6.8, max(height_of(list(shown.values())) + 0.5, 2.4)),
    )


def _has_interval(row: IndexValue | ModelValue) -> bool:
    return all(math.isfinite(v) for v in (row.value, row.ci_low, row.ci_high))


def _span(row: IndexValue | ModelValue) -> str:
    return f"{show(row.ci_low)} to {show(row.ci_high)}"


def _percent(confidence: float) -> str:
    return f"{100.0 * confidence:g}%"


def _no_intervals(result: Any, fix: str) -> NoFigureError:
    asked = "bootstrap" in result.provenance
    return NoFigureError(
        "no value here has an interval." if asked else "no intervals were asked for.",
        got=f"a {type(result).__name__} without intervals",
        need="values with sampling intervals",
        fix="more objects: the caveats say what is missing" if asked else fix,
    )


# --- several candidates -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    """One candidate by one index, as a figure shows it."""

    name: str
    value: float
    low: float
    high: float
    mark: str = "interval"
    text: str = ""


@intervals.of(SideBySide)
def intervals_side_by_side(result: SideBySide, *, indices: Any = None) -> FigureData:
    """A panel for each index, with all clusterings; ``indices`` names some."""
    tables = result.results.values()
    found = list(dict.fromkeys(row.index for table in tables for row in table.rows if _has_interval(row)))
    first = next(iter(tables))
    if not found:
        raise _no_intervals(first, "compare(truth, {...}, bootstrap=1000)")
    chosen = shown_indices(found, indices, first.headline, MOST_PANELS)
    known = {row.index: row for table in tables for row in table.rows}
    ranked = [
        ranks({n: t[label].value for n, t in result.results.items() if label in t}, known[label].direction)
        for label in chosen.labels
    ]
    kept, more = best_candidates(ranked, list(result.results), MOST_CANDIDATES, leaders(result))
    names = distinct_names([result.labels[name] for name in kept])
    by_index: dict[str, list[_Row]] = {}
    for label in chosen.labels:
        best = result.best_by(label)
        own = {name: result.results[name][label] for name in kept if label in result.results[name]}
        by_index[label] = [
            _Row(names[result.labels[n]], r.value, r.ci_low, r.ci_high, _mark(n, best), _numbers(r))
            for n, r in own.items()
        ]
    shown = {
        label: _values_panel(label, known[label].symbol, known[label].direction, rows, tuple(names.values()))
        for label, rows in by_index.items()
    }
    confidence = _percent(first.provenance.get("confidence", 0.95))
    title = short_statement(result) or f"{confidence} intervals of {len(names)} clustering"
    return FigureData(
        kind="intervals",
        title=title,
        description=(
            f"{title}. A panel for each index, with the value of each clustering and its {confidence}"
            f" interval; {NO_TEST}. {_spoken(by_index)}"
        ),
        records=tuple(_record(label, row) for label, rows in by_index.items() for row in rows),
        x="value of the index",
        facts={"panels": {name: panel.facts() for name, panel in shown.items()}, "columns": [list(shown)]},
        notes=(
            f"{confidence} intervals; {NO_TEST}: compare_models tests differences",
            *more,
            *chosen.notes,
        ),
        size=(6.8, max(height_of(list(shown.values())) + 0.7, 2.4)),
    )


def _values_panel(
    label: str, symbol: str, direction: str, rows: Sequence[_Row], names: tuple[str, ...]
) -> SpanPanel:
    drawn = [v for row in rows for v in (row.value, row.low, row.high)]
    return SpanPanel(label, axis_text(label, symbol, direction), names, view_of(drawn))


def _record(panel: str, row: _Row) -> dict[str, Any]:
    return span(panel, row.name, finite(row.value), finite(row.low), finite(row.high), row.mark, row.text)


def _mark(name: Any, best: Sequence[Any]) -> str:
    return "best" if name in best else "interval"


def _numbers(row: IndexValue | ModelValue) -> str:
    """The value with its interval, as they stand beside a row."""
    if math.isnan(row.value):
        return "no value"
    return f"{show(row.value)} ({_span(row)})" if _has_interval(row) else f"{show(row.value)} (no interval)"


def _spoken(by_index: Mapping[str, Sequence[_Row]]) -> str:
    return ". ".join(
        f"{label}: "
        + ", ".join(f"{row.name} {show(row.value)} ({show(row.low)} to {show(row.high)})" for row in rows)
        for label, rows in by_index.items()
    )


@intervals.of(ModelComparison, usual=True)
def intervals_of_models(result: ModelComparison, *, indices: Any = None) -> FigureData:
    """Left the values of all candidates with intervals, right the differences to the best one with theirs."""
    labels = list(dict.fromkeys(row.index for row in result.rows if _has_interval(row)))
    if not labels:
        raise _no_intervals(result, "compare_models(truth, candidates)")
    chosen = shown_indices(labels, indices, (), MOST_PANELS)
    ranked = [_ranks_by(result[label]) for label in chosen.labels]
    leading = {name for found in result.families.values() for name in found}
    kept, more = best_candidates(ranked, result.candidates, MOST_CANDIDATES, leading)
    names = distinct_names(kept)
    shown: dict[str, SpanPanel] = {}
    records: list[dict[str, Any]] = []
    columns: list[list[str]] = [[], []]
    for label in chosen.labels:
        own = {name: row for name, row in result[label].items() if name in names}
        for column, (panel, made) in enumerate(_two_panels(result, label, own, names)):
            key = f"{label}, {('value', 'difference')[column]}"
            columns[column].append(key)
            shown[key] = panel
            records += [_record(key, row) for row in made]
    title = _title(result)
    confidence = _percent(result.confidence)
    return FigureData(
        kind="intervals",
        title=title,
        description=(
            f"{title}. Left the value of each candidate with its {confidence} interval, right its difference"
            " to the candidate that the index finds best, from the same drawn objects."
            f" {plain_name(result.statement)}"
        ),
        records=tuple(records),
        x="value of the index, and difference to the best",
        facts={"panels": {name: panel.facts() for name, panel in shown.items()}, "columns": columns},
        notes=(
            f"{confidence} intervals; {NO_TEST}: differences (right) are of the same drawn objects",
            f"decidedly worse: p at most {result.level:.3g}",
            *more,
            *chosen.notes,
        ),
        size=(6.8, max(height_of([shown[name] for name in columns[0]]) + 0.7, 2.6)),
    )


def _ranks_by(rows: Mapping[str, ModelValue]) -> dict[str, float]:
    return ranks({name: row.value for name, row in rows.items()}, next(iter(rows.values())).direction)


def _two_panels(
    result: ModelComparison, label: str, own: Mapping[str, ModelValue], names: Mapping[str, str]
) -> list[tuple[SpanPanel, list[_Row]]]:
    """Values, and differences to the best, of one index."""
    best, worse = result.best_by.get(label, ()), result.worse_by.get(label, ())
    first = next(iter(own.values()))
    values = [_Row(names[n], r.value, r.ci_low, r.ci_high, _mark(n, best)) for n, r in own.items()]
    apart = [
        _Row(
            names[n],
            r.difference,
            r.difference_low,
            r.difference_high,
            "worse" if n in worse else "difference",
            "no p" if math.isnan(r.p) else f"p = {r.p:.2g}",
        )
        for n, r in own.items()
        if math.isfinite(r.difference)
    ]
    rows = tuple(names.values())
    view = view_of([0.0, *(v for row in apart for v in (row.value, row.low, row.high))])
    sign = {"higher": "below 0 is worse", "lower": "above 0 is worse"}.get(
        first.direction, "it only describes"
    )
    difference = SpanPanel("difference to the best", f"{first.symbol or label}, {sign}", rows, view, line=0.0)
    return [(_values_panel(label, first.symbol, first.direction, values, rows), values), (difference, apart)]


def _title(result: ModelComparison) -> str:
    """Who is better and how sure that is, as the verdict has it."""
    if not result.best_by:
        return "no index here judges between the candidates"
    short = distinct_names(list(result.candidates))
    if len(short) == 1:
        return f"{next(iter(short.values()))} is the only candidate: nothing is decided"
    if result.leading is None:
        return (
            f"not decided which of {len(short)} candidates is best: as many families of indices find each of"
            f" several best ({result.strength})"
        )
    leading = short[result.leading]
    voices = sum(result.leading in found for found in result.families.values())
    families = "family" if len(result.families) == 1 else "families"
    of = f"best by {voices} of {len(result.families)} {families} of indices"
    if result.against:
        others = ", ".join(f"{short[n]} is better by {len(own)}" for n, own in result.against.items())
        return f"contested: {leading} is {of}, but {others} of {len(result.best_by)} indices"
    beaten = result.beaten_by(result.leading)
    open_ = [short[name] for name, own in beaten.items() if not own]
    if not open_:
        how = "by every family" if result.strength == "clear" else "by some indices, not by every family"
        whom = short[next(iter(beaten))] if len(beaten) == 1 else "each other candidate"
        return f"{leading} is decidedly better than {whom}, {how} ({result.strength})"
    who = open_[0] if len(open_) == 1 else f"{len(open_)} of {len(beaten)} others"
    return f"{leading} is {of}, but not decidedly better than {who} ({result.strength})"


@intervals.drawn
def draw_intervals(ax: Axes, data: FigureData) -> None:
    """Rows with bars; values left and differences right, where there are such."""
    draw_spans(ax, data.records, data.facts["panels"], data.facts["columns"])
