"""Values: clusterings or methods by several indices, coloured by rank, the best of each index marked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.plots.candidates import best_candidates, distinct_names, leaders, ranks, short_statement
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.heat_maps import draw_cells
from partita.plots.index_axes import better_text, finite, shown_indices
from partita.plots.names import plain_name, short_name
from partita.plots.panels import label, name_ticks
from partita.registry import find
from partita.results import show
from partita.results.side_by_side import SideBySide
from partita.selection import Benchmark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["values"]

values = figure_kind("values", "values of several clusterings or methods by each index, the best marked")

MOST_ROWS = 24
MOST_COLUMNS = 8

MOST_LETTERS = 20
"""Of the name of a column."""

ARROWS = {"higher": "↑", "lower": "↓"}

BEST = "★"

WORST_STRENGTH, BEST_STRENGTH = 0.0, 0.8
"""How strong the colours of the last and of the first rank are."""

ROW = 0.27
"""Height of a row in inches."""


@dataclass(frozen=True)
class _Row:
    """One index: its values by candidate, and those that it finds best; none where it does not judge."""

    name: str
    direction: str
    values: Mapping[Any, float]
    spreads: Mapping[Any, float]
    best: Sequence[Any]

    @property
    def ranks(self) -> dict[Any, float]:
        """1 is best; nan for all where the index does not judge between them."""
        return ranks(self.values, self.direction if self.best else "none")


@values.of(SideBySide, usual=True)
def values_side_by_side(result: SideBySide, *, indices: Any = None) -> FigureData:
    """A row for each index and a column for each clustering; ``indices`` names some."""
    known = {row.index: row for table in result.results.values() for row in table.rows}
    if not known:
        raise _nothing()
    first = next(iter(result.results.values()))
    chosen = shown_indices(list(known), indices, first.headline, MOST_ROWS)
    rows = []
    for index in chosen.labels:
        own = {n: table[index].value for n, table in result.results.items() if index in table}
        own = {n: own.get(n, math.nan) for n in result.results}
        best = result.best_by(index) if len(result.results) > 1 else ()
        row = known[index]
        name = f"{row.symbol}: {index}" if row.symbol else index
        rows.append(_Row(name, row.direction, own, {}, best))
    title = short_statement(result) or f"values of {short_name(next(iter(result.labels.values())))} alone"
    return _figure(rows, result.labels, title, "clustering", chosen.notes, leaders(result))


@values.of(Benchmark, usual=True)
def values_of_benchmark(result: Benchmark, *, indices: Any = None) -> FigureData:
    """A row for each data set and index, a column for each method: means of runs; ``indices`` names some."""
    if not result.runs or not result.indices:
        raise _nothing()
    chosen = shown_indices(result.indices, indices, (), MOST_ROWS)
    data = distinct_names(result.data, 18)
    rows = []
    for one in result.data:
        for index in chosen.labels:
            runs = {method: result.values_of(one, method, index) for method in result.methods}
            means = {m: float(v.mean()) if v.size else math.nan for m, v in runs.items()}
            direction = find(index).direction
            first = [m for m, rank in ranks(means, direction).items() if rank == 1.0]
            rows.append(
                _Row(
                    f"{data[one]}, {find(index).symbol or index}",
                    direction,
                    means,
                    {m: float(v.std(ddof=1)) for m, v in runs.items() if v.size > 1},
                    first if len(result.methods) > 1 else (),
                )
            )
    left = len(rows) - MOST_ROWS
    notes = (f"{MOST_ROWS} of {len(rows)} rows are shown",) if left > 0 else ()
    several = any(row.spreads for row in rows)
    more = ("mean ± standard deviation over runs",) if several else ()
    labels = {method: method for method in result.methods}
    told = (*more, *notes, *chosen.notes)
    over = f"{_counted(len(result.data), 'data set')} and {_counted(len(result.indices), 'index', 'indices')}"
    title = result.statement or f"{_counted(len(labels), 'method')} on {over}: nothing to rank"
    return _figure(rows[:MOST_ROWS], labels, title.rstrip("."), "method", told, set(result.winners))


def _nothing() -> NoFigureError:
    return NoFigureError(
        "there are no values here.", got="no indices", need="at least one index with a value"
    )


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def _figure(
    rows: Sequence[_Row],
    labels: Mapping[Any, str],
    title: str,
    noun: str,
    notes: tuple[str, ...],
    leading: set[Any],
) -> FigureData:
    kept, more = best_candidates([row.ranks for row in rows], list(labels), MOST_COLUMNS, leading)
    names = distinct_names([labels[name] for name in kept], MOST_LETTERS)
    records = []
    for row in rows:
        ranked = row.ranks
        for name in kept:
            value, is_best = row.values.get(name, math.nan), name in row.best
            spread = row.spreads.get(name)
            records.append(
                {
                    "row": plain_name(row.name),
                    "column": names[labels[name]],
                    "value": finite(value),
                    "spread": finite(spread),
                    "rank": finite(ranked.get(name)),
                    "best": is_best,
                    "direction": row.direction,
                    "text": _text(value, spread, is_best=is_best),
                }
            )
    judging = sum(bool(row.best) for row in rows)
    unranked = len(rows) - judging
    silent = (f"not coloured: {unranked} of {len(rows)} rows, which do not judge here",) if unranked else ()
    return FigureData(
        kind="values",
        title=title,
        description=(
            f"{title}. A table with a row for each index and a column for each {noun}, coloured by rank: the"
            f" darker the better, {BEST} is the best. {_spoken(rows, labels)}"
        ),
        records=tuple(records),
        x=noun,
        facts={
            "rows": [plain_name(row.name) for row in rows],
            "directions": [row.direction for row in rows],
            "columns": list(names.values()),
            "candidates": len(labels),
        },
        notes=(
            f"the darker the better by rank, {BEST} best; ↑ higher is better, ↓ lower is better",
            *silent,
            *more,
            *notes,
        ),
        size=(6.8, ROW * len(rows) + 1.9),
    )


def _text(value: float, spread: float | None, *, is_best: bool) -> str:
    """What is written in a cell."""
    if math.isnan(value):
        return "–"
    star = f"{BEST} " if is_best else ""
    return f"{star}{show(value)}" + (f" ± {spread:.1g}" if spread else "")


def _spoken(rows: Sequence[_Row], labels: Mapping[Any, str]) -> str:
    told = []
    for row in rows:
        names = [short_name(labels[name]) for name in row.best]
        best = f"best {', '.join(names)}" if names else "does not judge"
        told.append(f"{plain_name(row.name)} ({better_text(row.direction)}): {best}")
    return "; ".join(told)


@values.drawn
def draw_values(ax: Axes, data: FigureData) -> None:
    """Cells coloured by rank with the values in them."""
    rows, columns = data.facts["rows"], data.facts["columns"]
    strong = np.full((len(rows), len(columns)), np.nan)
    ranked: dict[tuple[int, int], str] = {}
    plain: dict[tuple[int, int], str] = {}
    last = max(data.facts["candidates"], 2)
    for place, record in enumerate(data.records):
        i, j = divmod(place, len(columns))
        if record["rank"] is None:
            plain[i, j] = record["text"]
        else:
            share = 1.0 - (record["rank"] - 1.0) / (last - 1.0)
            strong[i, j] = WORST_STRENGTH + share * (BEST_STRENGTH - WORST_STRENGTH)
            ranked[i, j] = record["text"]
    draw_cells(ax, strong, ranked, fontsize=7.5)
    for (i, j), text in plain.items():
        label(ax, j, i, text, 30, ha="center", va="center", fontsize=7.5)
    arrows = [ARROWS.get(direction, "·") for direction in data.facts["directions"]]
    cut = [f"{short_name(row, 30)} {arrow}" for row, arrow in zip(rows, arrows, strict=True)]
    name_ticks(ax, "y", range(len(rows)), cut, 34)
    name_ticks(ax, "x", range(len(columns)), columns, MOST_LETTERS)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xlabel(data.x)
