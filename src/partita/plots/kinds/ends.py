"""Ends: lower and upper values of indices over the hard clusterings that soft ones stand for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from partita.comparison import Comparison
from partita.partitions import HARD, ROUGH
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.index_axes import axis_text, better_text, finite, known_range, shown_indices, view_of
from partita.plots.spans import MARKS, SpanPanel, draw_spans, height_of, span
from partita.registry import CaveatKind
from partita.results import show
from partita.results.index_rows import IndexValue

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ends", "row_name", "scales"]

ends = figure_kind(
    "ends", "lower and upper values of indices, where sides are rough, possibilistic, evidential"
)

MOST_INDICES = 14

HOW = {CaveatKind.BOUND: "bound", CaveatKind.SAMPLED_ENDS: "sampled"}


@ends.of(Comparison)
def ends_of_comparison(result: Comparison, *, indices: Any = None) -> FigureData:
    """A bar from the lower to the upper value of each index that has them; ``indices`` names some."""
    bounded = {r.index: r for r in result.rows if math.isfinite(r.lower) and math.isfinite(r.upper)}
    if not bounded:
        raise NoFigureError(
            "no index here has a lower and an upper value.",
            got=f"{' and '.join(result.provenance.get('kinds', ()))} clusterings",
            need="a rough, possibilistic or evidential side, and bounds=True",
            fix="compare(truth, found, bounds=True)",
        )
    first = [label for label in result.headline if label in bounded]
    chosen = shown_indices(list(dict.fromkeys([*first, *bounded])), indices, (), MOST_INDICES)
    rows = [bounded[label] for label in chosen.labels]
    shown = scales(rows)
    title = _title(rows[0], is_expected=not {*result.provenance.get("kinds", ())} <= {HARD, ROUGH})
    marks = dict.fromkeys(MARKS[how_ends(row)].text for row in rows)
    return FigureData(
        kind="ends",
        title=title,
        description=(
            f"{title}. A bar for each index from its lower to its upper value over the hard clusterings that"
            f" the two stand for; {' and '.join(marks)}. {_spoken(rows)}"
        ),
        records=tuple(
            span(
                name,
                row_name(row),
                finite(row.value),
                finite(row.lower),
                finite(row.upper),
                how_ends(row),
                f"{show(row.lower)} to {show(row.upper)}",
            )
            for name, panel in shown.items()
            for row in rows
            if row_name(row) in panel.rows
        ),
        x="value of the index",
        facts={"panels": {name: panel.facts() for name, panel in shown.items()}, "columns": [list(shown)]},
        notes=(*_notes(rows), *chosen.notes),
        size=(6.8, max(height_of(list(shown.values())) + 0.5, 2.4)),
    )


def scales(rows: Sequence[IndexValue]) -> Mapping[str, SpanPanel]:
    """A panel for all indices of one range and direction; an index of open range has its own."""
    grouped: dict[Any, list[IndexValue]] = {}
    for row in rows:
        low, high = known_range(row.index)
        is_open = low is None or high is None
        grouped.setdefault((low, high, row.direction, row.index if is_open else ""), []).append(row)
    made: dict[str, SpanPanel] = {}
    for (low, high, direction, _), own in grouped.items():
        drawn = [v for row in own for v in (row.value, row.lower, row.upper, row.ci_low, row.ci_high)]
        one = own[0]
        axis = axis_text(one.index, one.symbol, direction) if len(own) == 1 else better_text(direction)
        reach = f"; the range is {low:g} to {high:g}" if low is not None and high is not None else ""
        made[f"scale {len(made) + 1}"] = SpanPanel(
            title="",
            axis=f"{axis}{reach}",
            rows=tuple(map(row_name, own)),
            view=view_of(drawn, (low, high)),
            ends=(low, high),
        )
    return made


def row_name(row: IndexValue) -> str:
    """What the row of an index is called: its symbol and its name."""
    return row.index if not row.symbol or row.symbol == row.index else f"{row.symbol}: {row.index}"


def how_ends(row: IndexValue) -> str:
    """How lower and upper values were found: exact, bound or sampled."""
    return next((HOW[c.kind] for c in row.caveats if c.kind in HOW), "exact")


def _title(row: IndexValue, *, is_expected: bool) -> str:
    """What the first index says, and how sure that is; rough clusterings have values, others expectations."""
    name = f"the expected {row.symbol or row.index}" if is_expected else row.symbol or row.index
    over = "over the hard clusterings that these stand for"
    low, high, how = show(row.lower), show(row.upper), how_ends(row)
    if how == "bound":
        return f"{name} is at least {low} and at most {high} {over}: certified, and perhaps closer"
    if how == "sampled":
        return f"{name} is from about {low} to about {high} {over}, by a sample"
    return f"{name} is {low} {over}" if low == high else f"{name} is between {low} and {high} {over}"


def _spoken(rows: Sequence[IndexValue]) -> str:
    return "; ".join(
        f"{row_name(row)}: {show(row.lower)} to {show(row.upper)} ({MARKS[how_ends(row)].text},"
        f" {better_text(row.direction)})"
        for row in rows
    )


def _notes(rows: Sequence[IndexValue]) -> tuple[str, ...]:
    """What the marks at values are, where there are such."""
    if all(math.isnan(row.value) for row in rows):
        return ()
    return ("marks: the value of the table of the clusterings as they are; it need not lie between the ends",)


@ends.drawn
def draw_ends(ax: Axes, data: FigureData) -> None:
    """Bars on the scales of their indices."""
    draw_spans(ax, data.records, data.facts["panels"], data.facts["columns"])
