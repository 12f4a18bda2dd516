"""Figures of every result: `figure_data` says what is shown, `plot` draws it with matplotlib."""

from partita.plots._plot import plot
from partita.plots.figures import FigureData, NoFigureError, figure_data, kinds_of
from partita.plots.pictures import illustration, picture

__all__ = ["FigureData", "NoFigureError", "figure_data", "illustration", "kinds_of", "picture", "plot"]
