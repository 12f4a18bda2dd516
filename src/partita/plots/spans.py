"""Values with intervals in rows: one panel a scale, marks that tell exact, bounded and sampled apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from partita.plots.palette import FAINT, INK, OKABE_ITO
from partita.plots.panels import name_ticks, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "MARKS",
    "SpanPanel",
    "draw_span_panel",
    "draw_spans",
    "height_of",
    "is_roomy",
    "span",
]

ROW = 0.24
"""Height of a row in inches."""

AROUND = 0.85
"""What a panel needs beside its rows, in inches: title, ticks and the name of its axis."""

LEGEND = 0.22
"""Height of the legend in inches."""

ROOMY = 4.0
"""Inches of width below which numbers are left away."""

MOST_LETTERS, FEW_LETTERS = 26, 12
"""Of the names of rows, with and without room."""


@dataclass(frozen=True)
class Mark:
    """How a kind of number looks, and what it is called."""

    text: str
    colour: str
    marker: str
    line: Literal["-", "--"] = "-"
    is_filled: bool = True
    has_caps: bool = False


MARKS: Mapping[str, Mark] = {
    "exact": Mark("exact", OKABE_ITO[0], "o"),
    "bound": Mark("certified bounds", OKABE_ITO[2], "s", is_filled=False, has_caps=True),
    "sampled": Mark("from a sample", OKABE_ITO[3], "o", "--", is_filled=False),
    "interval": Mark("value, interval", OKABE_ITO[0], "o"),
    "best": Mark("best", OKABE_ITO[3], "D"),
    "difference": Mark("not decided", OKABE_ITO[0], "o", is_filled=False),
    "worse": Mark("decidedly worse", OKABE_ITO[0], "s"),
}


@dataclass(frozen=True)
class SpanPanel:
    """Rows on one scale.

    Attributes
    ----------
    title : str
        What stands above.
    axis : str
        What is measured, and which way is better.
    rows : tuple of str
        Their names, from top to bottom.
    view : list of two floats
        From where to where the axis goes.
    ends : two floats or None
        Of the range of the index, where they are known.
    line : float or None
        A value that rows are held against.
    """

    title: str
    axis: str
    rows: tuple[str, ...]
    view: Sequence[float]
    ends: tuple[float | None, float | None] = (None, None)
    line: float | None = None

    def facts(self) -> dict[str, Any]:
        """What the drawing needs to know, in plain values."""
        return {
            "title": self.title,
            "axis": self.axis,
            "rows": list(self.rows),
            "view": [float(v) for v in self.view],
            "ends": list(self.ends),
            "line": self.line,
        }


def span(
    panel: str, row: str, value: float | None, low: float | None, high: float | None, mark: str, text: str
) -> dict[str, Any]:
    """The record of one row: None where there is no value, or where an end is open."""
    return {"panel": panel, "row": row, "value": value, "low": low, "high": high, "mark": mark, "text": text}


def height_of(shown: Sequence[SpanPanel]) -> float:
    """What panels below one another need, in inches."""
    return LEGEND + sum(len(panel.rows) * ROW + AROUND for panel in shown)


def draw_spans(
    ax: Axes,
    records: Sequence[Mapping[str, Any]],
    shown: Mapping[str, Mapping[str, Any]],
    columns: Sequence[Sequence[str]],
) -> None:
    """Columns of panels below one another, under a legend of the marks; the rows have names at the left."""
    roomy = is_roomy(ax)
    signs = _signs([r["mark"] for r in records])
    heights = [len(shown[name]["rows"]) * ROW + AROUND for name in columns[0]]
    made = panels(ax, len(heights) + 1, len(columns), heights=[LEGEND if signs else 0.01, *heights])
    for top in made[: len(columns)]:
        top.set_axis_off()
    if signs:
        key = made[0].legend(
            handles=signs, loc="center left", ncols=len(signs), borderpad=0.0, columnspacing=1.2
        )
        key.set_in_layout(False)
    for place, axes in enumerate(made[len(columns) :]):
        name = columns[place % len(columns)][place // len(columns)]
        mine = [r for r in records if r["panel"] == name]
        draw_span_panel(axes, mine, shown[name], named=place % len(columns) == 0, roomy=roomy)


def is_roomy(ax: Axes) -> bool:
    """Whether an Axes has room for numbers beside its panels."""
    figure: Any = ax.get_figure()
    return bool(figure.bbox.width / figure.dpi * ax.get_position().width >= ROOMY)


def draw_span_panel(
    ax: Axes,
    records: Sequence[Mapping[str, Any]],
    facts: Mapping[str, Any],
    *,
    named: bool = True,
    roomy: bool = True,
) -> None:
    """The rows of one panel: a line from end to end, a mark at the value, the numbers at the right.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    records, facts : list of dict, dict
        From `span` and `SpanPanel.facts`.
    named : bool
        Whether the names of the rows are at the left.
    roomy : bool
        Whether there is room for numbers; without it names are short too.
    """
    rows = {name: place for place, name in enumerate(facts["rows"])}
    left, right = facts["view"]
    for end in facts["ends"]:
        if end is not None and left <= end <= right:
            ax.axvline(end, color=FAINT, linewidth=0.8)
    if facts["line"] is not None:
        ax.axvline(facts["line"], color=INK, linewidth=0.8, linestyle=":", gid="line")
    for record in records:
        _draw_row(ax, record, rows[record["row"]], left, right)
        if roomy:
            _write_numbers(ax, record["text"], rows[record["row"]])
    ax.set_xlim(left, right)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    if named:
        name_ticks(ax, "y", list(rows.values()), list(rows), MOST_LETTERS if roomy else FEW_LETTERS)
    else:
        ax.set_yticks([])
    ax.locator_params(axis="x", nbins=6 if roomy else 3)
    ax.set_title(facts["title"], fontsize=9)
    ax.set_xlabel(facts["axis"], fontsize=8)


def _draw_row(ax: Axes, record: Mapping[str, Any], y: int, left: float, right: float) -> None:
    mark = MARKS[record["mark"]]
    low, high, value = record["low"], record["high"], record["value"]
    if low is not None or high is not None:
        ends = (left if low is None else low, right if high is None else high)
        ax.plot(ends, (y, y), color=mark.colour, linestyle=mark.line, linewidth=2.2, gid="span")
        caps = [end for end in (low, high) if end is not None]
        if mark.has_caps or value is None:
            ax.plot(caps, [y] * len(caps), "|", color=mark.colour, markersize=9, markeredgewidth=1.8)
        for end, arrow in ((low, "<"), (high, ">")):
            if end is None:
                at = left if arrow == "<" else right
                ax.plot(at, y, arrow, color=mark.colour, markersize=6, clip_on=False, gid="open end")
    if value is not None:
        ax.plot(
            value,
            y,
            mark.marker,
            color=mark.colour,
            markerfacecolor=mark.colour if mark.is_filled else "white",
            markersize=6.5,
            markeredgewidth=1.5,
            linestyle="none",
            gid="value",
        )


def _write_numbers(ax: Axes, text: str, y: int) -> None:
    ax.annotate(
        text,
        (1.0, y),
        xycoords=("axes fraction", "data"),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        fontsize=7.5,
        annotation_clip=False,
        gid="numbers",
    )


def _signs(marks: Sequence[str]) -> list[Any]:
    """What the legend shows; a lone interval needs no words."""
    from matplotlib.lines import Line2D

    used = [name for name in MARKS if name in marks]
    if used == ["interval"]:
        return []
    return [
        Line2D(
            [],
            [],
            color=MARKS[name].colour,
            linestyle=MARKS[name].line,
            marker=MARKS[name].marker,
            markerfacecolor=MARKS[name].colour if MARKS[name].is_filled else "white",
            label=MARKS[name].text,
        )
        for name in used
    ]
