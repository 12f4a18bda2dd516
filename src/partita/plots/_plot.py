"""`plot`: a figure of any result, drawn with matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from partita.errors import ParameterError
from partita.plots.figures import FigureData, every_kind, made_figure
from partita.plots.panels import settled, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "new_figure", "plot"]

LETTERS_PER_INCH = 12.0
"""Of a title; it is wrapped to the width of its Axes."""

SMALL_LETTERS_PER_INCH = 19.0
"""Of a note."""

NOTE_POINTS = 10.0
"""The height of a line of a note."""

NOTES = "partita-notes"
"""The mark of the texts that are notes."""


def plot(result: Any, kind: str | None = None, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a figure of a result.

    Parameters
    ----------
    result : result, clustering, or dictionary of clusterings
        What a procedure returned; a partition, an ensemble or several clusterings by name have figures too.
    kind : str, optional
        Which figure: see `partita.plots.kinds_of`. By default the usual one of such a result.
    ax : matplotlib Axes, optional
        Where to draw. By default a new figure of a size that suits it.
    **options : object
        Of that figure.

    Returns
    -------
    matplotlib Axes
        What was drawn in; figures of several panels have them inside of it.

    See Also
    --------
    partita.plots.figure_data : what is drawn, as plain records.

    Examples
    --------
    >>> import partita as pt
    >>> ax = pt.plot(pt.compare(list("aabb"), [0, 0, 1, 1]))
    >>> ax.get_title(loc="left")
    'each true cluster is one found cluster, and the other way round'
    """
    _check_axes(ax)
    data, of_drawing = made_figure(result, kind, options)
    if ax is None:
        import matplotlib.pyplot as plt

        # loads the backend: one that is loaded inside the style loses its settings again, and a notebook
        # then shows the first figure only
        load_backend: Any = plt.draw_if_interactive
        load_backend()
        with style():
            _, ax = plt.subplots(figsize=data.size, layout="constrained")
    draw(ax, data, **of_drawing)
    return ax


def draw(ax: Axes, data: FigureData, *, title: bool = True, **options: Any) -> None:
    """Draw figure data into an Axes, with its title and notes."""
    kind = every_kind()[data.kind]
    assert kind.draw is not None
    with style():
        kind.draw(ax, data, **options)
        if title:
            ax.set_title(_wrapped(data.title, ax))
        if data.notes:
            _write_notes(ax, data.notes)
        figure: Any = ax.get_figure(root=True)
        settled(figure)


def _write_notes(ax: Axes, notes: Sequence[str]) -> None:
    """Notes at the foot of the figure, below their Axes; above those of other plots in the same figure."""
    figure: Any = ax.get_figure(root=True)
    place = ax.get_subplotspec()
    whole = None if place is None else place.get_topmost_subplotspec()
    if whole is None or whole.get_gridspec().get_geometry() == (1, 1):
        left, share = 0.0, 1.0
    else:
        left, share = whole.get_position(figure).x0, ax.get_position().width
    width = figure.get_size_inches()[0] * share
    most = max(24, int(width * SMALL_LETTERS_PER_INCH))
    lines = [line for note in notes for line in textwrap.wrap(note, most)]
    others = [t for one in figure.axes for t in one.texts if t.get_gid() == NOTES]
    before = sum(len(t.get_text().split("\n")) for t in others)
    ax.annotate(
        "\n".join(lines),
        xy=(left, 0.0),
        xycoords="figure fraction",
        xytext=(4, 4 + before * NOTE_POINTS),
        textcoords="offset points",
        fontsize=7,
        annotation_clip=False,
        gid=NOTES,
    ).set_in_layout(False)
    _leave_room(figure, before + len(lines))


def _leave_room(figure: Any, lines: int) -> None:
    """Keep the notes at the foot of a figure free, where its layout can be told."""
    engine: Any = getattr(figure, "get_layout_engine", lambda: None)()
    if engine is not None and hasattr(engine, "set") and engine.get().get("rect") is not None:
        foot = NOTE_POINTS / 72 * lines / figure.get_size_inches()[1]
        engine.set(rect=(0.0, foot, 1.0, 1.0 - foot))


def _wrapped(title: str, ax: Axes) -> str:
    figure: Any = ax.get_figure()
    width = figure.bbox.width / figure.dpi * ax.get_position().width
    return "\n".join(textwrap.wrap(title, max(24, int(width * LETTERS_PER_INCH))))


def new_figure(data: FigureData, *, title: bool = True, **options: Any) -> Figure:
    """A figure of its own, which no window knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as NewFigure

    with style():
        figure = NewFigure(figsize=data.size, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure.add_subplot(), data, title=title, **options)
    return figure


def _check_axes(ax: Any) -> None:
    if ax is None:
        return
    from matplotlib.axes import Axes as AxesType

    if not isinstance(ax, AxesType) or ax.name != "rectilinear":
        raise ParameterError(
            "ax is where the figure is drawn.",
            got=type(ax).__name__,
            need="one Axes of matplotlib with straight x and y axes, or None",
            parameter="ax",
        )
