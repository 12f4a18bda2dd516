"""Parts of drawings: panels in one Axes, names at ticks, notes, and texts that never overlap."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from partita.plots.names import short_name
from partita.plots.palette import FAINT, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = ["STYLE", "label", "name_ticks", "panels", "plain_frame", "settled", "style"]

STYLE: dict[str, Any] = {
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.grid": False,
    "axes.unicode_minus": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "font.size": 9,
    "font.family": ["DejaVu Sans"],
    "svg.fonttype": "none",
    "svg.hashsalt": "partita",
    "pdf.fonttype": 42,
}

MOST_LETTERS_ABREAST = 60
"""Of all names at an x axis; longer ones are slanted."""

TITLE_LINE = 1e-3
"""Height of an Axes that holds a title alone, to that of its panels."""

LABEL = "partita-label"
"""The mark of texts that give way to one another: of two that would overlap the later is left away."""


@contextmanager
def style() -> Iterator[None]:
    """Whatever is drawn inside looks like a figure of partita; the user's own settings stay."""
    import matplotlib as mpl

    settings: Any = STYLE
    with mpl.rc_context(settings):
        yield


def panels(
    ax: Axes,
    rows: int = 1,
    columns: int = 1,
    *,
    widths: Sequence[float] | None = None,
    heights: Sequence[float] | None = None,
) -> list[Axes]:
    """Axes inside of one, row by row; the outer one keeps nothing but its title, and shrinks to a line."""
    ax.set_axis_off()
    place = ax.get_subplotspec()
    figure: Any = ax.get_figure()
    if place is not None:
        halves = place.subgridspec(2, 1, height_ratios=(TITLE_LINE, 1.0), hspace=0.0)
        ax.set_subplotspec(halves[0])  # so that the layout keeps room for its title above the panels
        inner = halves[1].subgridspec(rows, columns, width_ratios=widths, height_ratios=heights)
        return [figure.add_subplot(inner[i, j]) for i in range(rows) for j in range(columns)]
    w, h = list(widths or [1.0] * columns), list(heights or [1.0] * rows)
    made = []
    for i in range(rows):
        for j in range(columns):
            left, top = sum(w[:j]) / sum(w), 1.0 - sum(h[: i + 1]) / sum(h)
            made.append(ax.inset_axes((left, top, 0.85 * w[j] / sum(w), 0.8 * h[i] / sum(h))))
    return made


def name_ticks(ax: Axes, axis: str, positions: Sequence[float], names: Sequence[Any], most: int = 24) -> None:
    """Names at these positions of the x or y axis, cut where they are long."""
    texts = [short_name(name, most) for name in names]
    if axis == "y":
        ax.set_yticks(list(positions), texts)
        return
    ax.set_xticks(list(positions), texts)
    if len(texts) > 1 and max(map(len, texts)) * len(texts) > MOST_LETTERS_ABREAST:
        for text in ax.get_xticklabels():
            text.set(rotation=35, horizontalalignment="right", rotation_mode="anchor")


def label(ax: Axes, x: float, y: float, text: Any, most: int = 24, **ways: Any) -> Text:
    """A name at a point, cut where it is long; it gives way to labels that were set before it."""
    return ax.text(x, y, short_name(text, most), gid=LABEL, **ways)


def plain_frame(ax: Axes) -> None:
    """No ticks and no frame, for drawings whose axes measure nothing."""
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)


def settled(figure: Figure) -> None:
    """Leave away what would overlap: names at ticks and labels, each by those before it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with without_glyph_warnings():
        figure.draw_without_rendering()
        canvas: Any = figure.canvas if hasattr(figure.canvas, "get_renderer") else FigureCanvasAgg(figure)
        renderer = canvas.get_renderer()
        for ax in figure.axes:
            for axis in (ax.xaxis, ax.yaxis):
                _thin_out([t for t in axis.get_ticklabels() if t.get_text() and t.get_visible()], renderer)
            _thin_out([t for t in ax.texts if t.get_gid() == LABEL and t.get_visible()], renderer)


def _thin_out(texts: Sequence[Any], renderer: Any) -> None:
    """Hide each text that lies on one before it."""
    import numpy as np

    kept = np.empty((0, 4))
    for text in texts:
        box = text.get_window_extent(renderer)
        if text.get_rotation() % 180:  # the box of a slanted text is far larger than its letters
            middle = box.x1 if text.get_horizontalalignment() == "right" else (box.x0 + box.x1) / 2
            half = 0.6 * text.get_fontsize() * renderer.points_to_pixels(1.0)
            box = type(box).from_extents(middle - half, box.y0, middle + half, box.y1)
        over = (kept[:, 0] < box.x1) & (kept[:, 2] > box.x0) & (kept[:, 1] < box.y1) & (kept[:, 3] > box.y0)
        if over.any():
            text.set_visible(False)
        else:
            kept = np.vstack([kept, [box.x0, box.y0, box.x1, box.y1]])


@contextmanager
def without_glyph_warnings() -> Iterator[None]:
    """A name in letters that the font lacks is drawn as it can be; that is no warning for the user."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        yield
