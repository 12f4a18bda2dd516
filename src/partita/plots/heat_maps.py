"""Cells coloured by a number, from faint to strong, with letters that can be read on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Floats
from partita.plots.palette import OKABE_ITO, is_dark, shade
from partita.plots.panels import LABEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cell_colour", "colour_bar", "draw_cells", "strengths"]

FAINTEST = 0.08
"""The share of colour in the faintest cell that is drawn."""

LETTERS_ON_LIGHT, LETTERS_ON_DARK = "#15191d", "#ffffff"
"""On cells, which keep their colour on dark paper: so these must not turn into the page's ink."""

MOST_AS_SHAPES = 1500
"""Cells that are drawn one by one; more are drawn as an image."""

STEPS_OF_A_BAR = 40

SIDE = 0.96
"""Of a cell that is drawn by itself; the rest is the gap to the next."""


def cell_colour(strength: float) -> str:
    """The colour of a cell: strength 0 is the faintest, 1 the strongest."""
    return shade(OKABE_ITO[0], FAINTEST + (1.0 - FAINTEST) * min(max(strength, 0.0), 1.0))


def strengths(values: Floats, low: float, high: float) -> Floats:
    """How strong cells of these values are drawn; the low end may be the larger one."""
    if high == low:
        return np.where(np.isnan(values), np.nan, 1.0)
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def draw_cells(ax: Axes, strong: Floats, texts: Mapping[tuple[int, int], str], *, fontsize: float) -> None:
    """Rows from above, columns from the left; nan is no cell.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    strong : (rows, columns) array
        How strong each cell is, from 0 to 1.
    texts : dict
        What is written in cells, the most important first.
    fontsize : float
        Of these texts.
    """
    rows, columns = strong.shape
    if np.isfinite(strong).sum() <= MOST_AS_SHAPES:
        _draw_shapes(ax, strong)
    else:
        from matplotlib.colors import ListedColormap

        image = ax.imshow(
            np.ma.masked_invalid(strong),
            cmap=ListedColormap([cell_colour(step / 255) for step in range(256)]),
            vmin=0.0,
            vmax=1.0,
            interpolation="nearest",
            aspect="auto",
            rasterized=True,
        )
        image.set_gid("cells")
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    for (i, j), text in texts.items():
        dark = is_dark(cell_colour(float(strong[i, j])))
        colour = LETTERS_ON_DARK if dark else LETTERS_ON_LIGHT
        ax.text(j, i, text, gid=LABEL, ha="center", va="center", fontsize=fontsize, color=colour)


def _draw_shapes(ax: Axes, strong: Floats) -> None:
    from matplotlib.collections import PolyCollection

    places = np.argwhere(np.isfinite(strong))
    half = SIDE / 2
    corners = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    shapes: Any = places[:, None, ::-1] + corners[None]
    colours = [cell_colour(float(strong[i, j])) for i, j in places.tolist()]
    ax.add_collection(PolyCollection(shapes, facecolors=colours, edgecolors="none", gid="cells"))


def colour_bar(axes: Sequence[Axes], low: float, high: float, name: str) -> None:
    """What the colours stand for, at the right side of these Axes."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    steps = np.linspace(0.0, 1.0, STEPS_OF_A_BAR)
    shown = ListedColormap([cell_colour(step) for step in (steps if low <= high else steps[::-1]).tolist()])
    ends = Normalize(min(low, high), max(low, high))
    figure: Any = axes[0].get_figure()
    bar = figure.colorbar(ScalarMappable(ends, shown), ax=list(axes), fraction=0.04, pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    bar.set_label(name, fontsize=8)
    bar.ax.tick_params(labelsize=7)
