"""Small multiples: panels of the same make side by side, each with its name and what it says."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from partita.plots.names import plain_name, short_name
from partita.plots.panels import name_ticks, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "at_foot",
    "at_left",
    "direction_label",
    "marked",
    "multiples",
    "panel_title",
    "setting_label",
    "setting_ticks",
    "size_of_multiples",
]

MOST_ABREAST = 3

LETTERS = {1: 58, 2: 50, 3: 29}
"""In a line of the title of a panel, by how many stand abreast."""

MOST_TICKS = {1: 20, 2: 12, 3: 8}
"""Names at the x axis of a panel, by how many stand abreast."""

SPARED = 9
"""Letters fewer where names stand beside the panels."""

LETTERS_PER_INCH, FEWEST_LETTERS, TALL_ENOUGH = 19, 14, 0.9
"""Of a panel: letters in a line, how many a title needs, and inches that a sentence at its side needs."""


def abreast_of(count: int) -> int:
    """How many panels stand in a row; four are two rows of two."""
    return 2 if count == 4 else min(max(count, 1), MOST_ABREAST)


def size_of_multiples(count: int, height: float) -> tuple[float, float]:
    """Width and height in inches that suit so many panels, each of this height."""
    rows = -(-max(count, 1) // abreast_of(count))
    return 6.8 if count > 1 else 5.2, height * rows + 0.7


def multiples(ax: Axes, count: int) -> list[Axes]:
    """The Axes of so many panels."""
    columns = abreast_of(count)
    made = panels(ax, -(-max(count, 1) // columns), columns)
    for spare in made[count:]:
        spare.set_axis_off()
    return made[:count]


def at_left(place: int, count: int) -> bool:
    """Whether a panel is the first of its row."""
    return place % abreast_of(count) == 0


def at_foot(place: int, count: int) -> bool:
    """Whether no panel stands below this one."""
    return place + abreast_of(count) >= count


def panel_title(ax: Axes, name: str, said: str, count: int, *, lying: bool = False) -> None:
    """The name of a panel, and below it in up to three lines what it says; ``lying`` where it is a list."""
    letters = LETTERS[abreast_of(count)] - (SPARED if lying else 0)
    letters = min(letters, int(LETTERS_PER_INCH * _inches(ax)[0]))
    told = said and letters >= FEWEST_LETTERS
    lines = textwrap.wrap(plain_name(said), letters, max_lines=3, placeholder="…") if told else []
    ax.set_title("\n".join([short_name(name, max(letters, 6)), *lines]), fontsize=8)


def direction_label(ax: Axes, direction: str) -> None:
    """Write at the y axis which way is better, in a word where there is no room for more."""
    way = {"higher": "higher is better →", "lower": "← lower is better"}.get(
        direction, "neither way is better"
    )
    short = {"higher": "better →", "lower": "← better"}.get(direction, "")
    ax.set_ylabel(way if _inches(ax)[1] >= TALL_ENOUGH else short, fontsize=8)


def setting_label(ax: Axes, text: str) -> None:
    """Write at the x axis what was tried, in several lines where the panel is narrow."""
    ax.set_xlabel(textwrap.fill(text, max(int(LETTERS_PER_INCH * _inches(ax)[0]), 6)), fontsize=8)


def _inches(ax: Axes) -> tuple[float, float]:
    """Width and height of a panel, as far as they are known before the layout is made."""
    figure: Any = ax.get_figure(root=True)
    box = ax.get_window_extent()
    return box.width / figure.dpi, box.height / figure.dpi


def setting_ticks(ax: Axes, places: Sequence[float], names: Sequence[str], count: int) -> None:
    """Names at the settings of an x axis, at every second, third and so on where there are many."""
    step = -(-len(places) // MOST_TICKS[abreast_of(count)])
    name_ticks(ax, "x", places[::step], names[::step], 10)


def marked(places: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis that shows these places with some room beside them."""
    low, high = min(places), max(places)
    room = 0.06 * (high - low) or 0.5
    return low - room, high + room
