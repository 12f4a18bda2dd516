"""Null distributions: what chance alone gives, with the value that was observed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from partita.arrays import Array, Floats
from partita.plots.figures import FigureData, figure_kind
from partita.plots.names import plain_name, short_name
from partita.plots.palette import INK, OKABE_ITO
from partita.plots.panels import label, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NullPanel", "null", "null_figure"]

null = figure_kind("null", "the null distribution of a value, with the one that was observed")

MOST_BINS = 40

FEW_LEVELS = 25
"""Values that are no more than so many different ones have a bin for each."""

FINEST = 1 / 80
"""Of the whole range: levels that lie closer would have bins too thin to see."""

ROUNDING = 1e-9
"""Values that lie no farther apart than this are one."""

MOST_ABREAST = 3
"""Panels in a row."""

PANEL_HEIGHT = 1.9
"""In inches, with title and axis."""

MARGIN = 0.06
"""Of the range of a panel, left free at either side."""

NARROW = 0.4
"""Of the width of a panel: less has no room for a text."""

DRAWN, OBSERVED = OKABE_ITO[4], OKABE_ITO[3]


@dataclass(frozen=True, eq=False)
class NullPanel:
    """One null distribution.

    Attributes
    ----------
    values : array
        As they were drawn; nan where a draw has none.
    observed : float or None
        The value that is held against them.
    p : float or None
        Its p-value.
    expected : float or None
        The expected value of the null model.
    axis : str
        What is measured, and which way is better.
    times : array, optional
        How often each value counts; once by default.
    unit : str
        What is counted.
    """

    values: Floats
    observed: float | None
    p: float | None
    expected: float | None
    axis: str
    times: Array | None = None
    unit: str = "draws"

    @property
    def counts(self) -> Array:
        """How often each value counts."""
        return np.ones(self.values.size, dtype=np.int64) if self.times is None else np.asarray(self.times)


def null_figure(
    shown: Mapping[str, NullPanel],
    title: str,
    description: str,
    notes: tuple[str, ...] = (),
    *,
    abreast: int = MOST_ABREAST,
) -> FigureData:
    """What a figure of null distributions shows, one panel for each.

    Parameters
    ----------
    shown : dict of NullPanel
        By what stands above the panel.
    title, description : str
        The finding, and what somebody needs to know who cannot see it.
    notes : tuple of str
        Written in the figure.
    abreast : int
        Panels in a row, at most.
    """
    named = {plain_name(name): panel for name, panel in shown.items()}
    bins = {name: binned(panel) for name, panel in named.items()}
    columns = min(abreast, max(len(named), 1))
    rows = -(-len(named) // columns)
    units = list(dict.fromkeys(panel.unit for panel in named.values())) or ["draws"]
    empty = sum(int(panel.counts[~np.isfinite(panel.values)].sum()) for panel in named.values())
    drawn = sum(int(panel.counts.sum()) for panel in named.values())
    missing = (f"{empty:,} of {drawn:,} {units[0]} have no value and are not drawn",) if empty else ()
    return FigureData(
        kind="null",
        title=title,
        description=description,
        records=tuple(
            {"panel": name, "low": low, "high": high, "count": count}
            for name, found in bins.items()
            for low, high, count in found
        ),
        y=units[0],
        facts={
            "observed": {name: _number(panel.observed) for name, panel in named.items()},
            "p": {name: _number(panel.p) for name, panel in named.items()},
            "expected": {name: _number(panel.expected) for name, panel in named.items()},
            "axis": {name: panel.axis for name, panel in named.items()},
            "draws": {name: int(panel.counts.sum()) for name, panel in named.items()},
            "abreast": columns,
        },
        notes=(*notes, *missing),
        size=(6.8 if columns > 1 else 5.2, max(PANEL_HEIGHT * rows + 0.5, 3.2)),
    )


def binned(panel: NullPanel) -> list[tuple[float, float, int]]:
    """Low end, high end and count of each bin: one for each of few levels, else bins of equal width."""
    values = np.asarray(panel.values, dtype=float)
    is_known = np.isfinite(values)
    values, times = values[is_known], panel.counts[is_known]
    if not values.size:
        return []
    levels, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights=times).astype(np.int64)
    if levels[-1] - levels[0] <= ROUNDING * max(1.0, abs(float(levels[0]))):
        levels, counts = levels[:1], counts.sum(keepdims=True)
    gaps = np.diff(levels)
    span = float(levels[-1] - levels[0])
    if levels.size == 1:
        half = _half_width(float(levels[0]), panel.observed)
    elif levels.size <= FEW_LEVELS and levels.size < times.sum() and gaps.min() >= FINEST * span:
        half = float(gaps.min()) / 2
    else:
        counts, edges = np.histogram(values, bins=_bin_count(values, times), weights=times)
        counts, ends = counts.astype(np.int64), edges.tolist()
        return list(zip(ends[:-1], ends[1:], counts.tolist(), strict=True))
    return [
        (level - half, level + half, count)
        for level, count in zip(levels.tolist(), counts.tolist(), strict=True)
    ]


def _bin_count(values: Floats, times: Array) -> int:
    """As Freedman and Diaconis have it, within limits; half of the most where quartiles do not differ."""
    every = int(times.sum())
    order = np.argsort(values)
    reached = np.cumsum(times[order])
    low, high = values[order][np.searchsorted(reached, [0.25 * every, 0.75 * every])]
    span = float(values.max() - values.min())
    width = 2 * float(high - low) / every ** (1 / 3)
    return MOST_BINS // 2 if width <= 0 else int(min(max(math.ceil(span / width), 5), MOST_BINS))


def _half_width(level: float, observed: float | None) -> float:
    """Of the only bin: something that is seen beside the observed value."""
    away = abs(observed - level) if observed is not None and math.isfinite(observed) else 0.0
    return away / MOST_BINS if away > 0 else max(abs(level), 1.0) / MOST_BINS


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


@null.drawn
def draw_null(ax: Axes, data: FigureData) -> None:
    """A histogram in each panel; the observed value is a full line, the expected one a dashed line."""
    names = list(data.facts["axis"])
    columns = data.facts["abreast"]
    rows = -(-len(names) // columns)
    made = panels(ax, rows, columns)
    for spare in made[len(names) :]:
        spare.set_axis_off()
    for place, (name, panel) in enumerate(zip(names, made, strict=False)):
        _draw_panel(panel, data, name)
        if place % columns == 0:
            panel.set_ylabel(data.y)


def _draw_panel(ax: Axes, data: FigureData, name: str) -> None:
    mine = [r for r in data.records if r["panel"] == name]
    observed, expected, p = (data.facts[key][name] for key in ("observed", "expected", "p"))
    if mine:
        ax.bar(
            [(r["low"] + r["high"]) / 2 for r in mine],
            [r["count"] for r in mine],
            width=[0.96 * (r["high"] - r["low"]) for r in mine],
            color=DRAWN,
        )
    ends = [end for r in mine for end in (r["low"], r["high"])]
    ends += [value for value in (observed, expected) if value is not None]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    margin = MARGIN * (high - low) or 0.5
    ax.set_xlim(low - margin, high + margin)
    top = max([r["count"] for r in mine], default=1)
    ax.set_ylim(0, 1.45 * top)
    if observed is not None:
        ax.plot([observed, observed], [0, 1.28 * top], color=OBSERVED, linewidth=2.0, gid="observed")
        side = _side(observed, low, high)
        label(ax, observed, 1.30 * top, f"observed {observed:.3g}", 40, ha=side, va="bottom", fontsize=7)
    if expected is not None:
        ax.plot([expected, expected], [0, 1.12 * top], color=INK, linewidth=1.0, ls="--", gid="expected")
        side = _side(expected, low, high, observed)
        label(ax, expected, 1.13 * top, f" expected {expected:.3g} ", 40, ha=side, va="bottom", fontsize=7)
    draws = f"{data.facts['draws'][name]:,} {data.y}{'' if mine else ' without a value'}"
    told = draws if p is None else f"p = {p:.3g}, {draws}"
    ax.set_title(f"{short_name(name, 30)}\n{told}", fontsize=8)
    ax.set_xlabel(data.facts["axis"][name], fontsize=8)
    ax.locator_params(axis="y", integer=True, nbins=4)
    ax.locator_params(axis="x", nbins=5)


def _side(x: float, low: float, high: float, other: float | None = None) -> str:
    """How a text at a line is set: inside of its panel, and away from another line where there is room."""
    share = (x - low) / (high - low) if high > low else 0.5
    if other is not None and NARROW < share < 1.0 - NARROW:
        return "left" if x > other else "right"
    return "left" if share < NARROW else "right" if share > 1.0 - NARROW else "center"
