"""Lines: values of several series over numbers or names, in small multiples, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from partita.plots.figures import FigureData, figure_kind
from partita.plots.names import plain_name, short_name
from partita.plots.palette import FAINT, colour_at
from partita.plots.panels import name_ticks, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Series", "line_figure", "lines"]

lines = figure_kind("lines", "values of several series over numbers or names")

MOST_ABREAST = 3
"""Panels in a row."""

MARKERS = "osD^vPX*"


@dataclass(frozen=True)
class Series:
    """A line: its values over ``x``, with the ends of intervals where there are some."""

    x: Sequence[Any]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def line_figure(
    shown: Mapping[str, Mapping[str, Series]],
    *,
    title: str,
    description: str,
    x: str,
    y: str,
    notes: tuple[str, ...] = (),
    marked: Mapping[str, float] | None = None,
    log_x: bool = False,
    abreast: int = MOST_ABREAST,
) -> FigureData:
    """What a figure of lines shows.

    Parameters
    ----------
    shown : dict of dict of Series
        By panel and by series; a figure of one panel has the name "".
    title, description : str
        The finding, and what somebody needs to know who cannot see it.
    x, y : str
        What the axes measure, with the direction of better.
    notes : tuple of str
        Written in the figure.
    marked : dict of float, optional
        By panel, where a dashed line stands, such as the true number of clusters.
    log_x : bool
        Whether x is drawn on a logarithmic scale.
    abreast : int
        Panels in a row, at most.
    """
    places = [place for lines_of in shown.values() for one in lines_of.values() for place in one.x]
    named = any(isinstance(place, str) for place in places)
    ticks = list(dict.fromkeys(plain_name(place) for place in places)) if named else []
    columns = min(abreast, max(len(shown), 1))
    rows = -(-len(shown) // columns)
    return FigureData(
        kind="lines",
        title=title,
        description=description,
        records=tuple(_records(shown, named)),
        x=x,
        y=y,
        facts={
            "panels": [plain_name(name) for name in shown],
            "series": list(dict.fromkeys(plain_name(name) for one in shown.values() for name in one)),
            "ticks": ticks,
            "marked": {plain_name(name): float(value) for name, value in (marked or {}).items()},
            "log_x": log_x,
            "abreast": columns,
        },
        notes=notes,
        size=(6.8, max(2.0 * rows + 0.8, 3.4)),
    )


def _records(shown: Mapping[str, Mapping[str, Series]], named: bool) -> Any:
    for panel, series in shown.items():
        for name, one in series.items():
            low = one.low if one.low is not None else [math.nan] * len(one.x)
            high = one.high if one.high is not None else [math.nan] * len(one.x)
            for place, value, below, above in zip(one.x, one.y, low, high, strict=True):
                yield {
                    "panel": plain_name(panel),
                    "series": plain_name(name),
                    "x": plain_name(place) if named else float(place),
                    "y": _number(value),
                    "low": _number(below),
                    "high": _number(above),
                }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


@lines.drawn
def draw_lines(ax: Axes, data: FigureData) -> None:
    """A line with marks for each series; bars are its intervals."""
    names, columns = data.facts["panels"], data.facts["abreast"]
    rows = -(-len(names) // columns)
    made = panels(ax, rows, columns) if len(names) > 1 else [ax]
    for spare in made[len(names) :]:
        spare.set_axis_off()
    for place, (name, panel) in enumerate(zip(names, made, strict=False)):
        _draw_panel(panel, data, name)
        if place % columns == 0:
            panel.set_ylabel(data.y)
        if place + columns >= len(names):
            panel.set_xlabel(data.x)
    if len(data.facts["series"]) > 1:
        handles, labels = made[0].get_legend_handles_labels()
        beside = made[min(columns, len(names)) - 1]
        beside.legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _draw_panel(ax: Axes, data: FigureData, name: str) -> None:
    ticks = data.facts["ticks"]
    for place, series in enumerate(data.facts["series"]):
        mine = [r for r in data.records if r["panel"] == name and r["series"] == series]
        x = [float(ticks.index(r["x"])) if ticks else r["x"] for r in mine]
        y = [math.nan if r["y"] is None else r["y"] for r in mine]
        colour, marker = colour_at(place), MARKERS[place % len(MARKERS)]
        ax.plot(x, y, color=colour, marker=marker, markersize=3.5, linewidth=1.2, label=short_name(series))
        bars = [(a, r["low"], r["high"]) for a, r in zip(x, mine, strict=True) if r["low"] is not None]
        if bars:
            ax.vlines([b[0] for b in bars], [b[1] for b in bars], [b[2] for b in bars], color=colour, lw=0.9)
    if name in data.facts["marked"]:
        ax.axvline(data.facts["marked"][name], color=FAINT, linestyle="--", linewidth=1.0)
    if data.facts["log_x"]:
        ax.set_xscale("log")
    if ticks:
        name_ticks(ax, "x", range(len(ticks)), ticks)
    if name:
        ax.set_title(short_name(name, 34), fontsize=8)
