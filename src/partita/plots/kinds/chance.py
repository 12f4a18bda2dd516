"""Chance: what a null model gives for the indices of a comparison, with the values that were observed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from partita.comparison import Comparison
from partita.plots.figures import FigureData, NoFigureError
from partita.plots.index_axes import axis_text, shown_indices
from partita.plots.kinds.nulls import NullPanel, null, null_figure
from partita.registry import CaveatKind
from partita.results import show
from partita.results.index_rows import IndexValue

__all__ = ["null_of_comparison"]

MOST_PANELS = 6


@null.of(Comparison)
def null_of_comparison(result: Comparison, *, indices: Any = None) -> FigureData:
    """The values that the null model gives for each index, and the observed one; ``indices`` names some."""
    _demand_draws(result)
    rows = {row.index: row for row in result.rows if row.index in result.null_draws}
    chosen = shown_indices(list(rows), indices, result.headline, MOST_PANELS)
    shown = [rows[label] for label in chosen.labels]
    level = 1.0 - result.provenance.get("confidence", 0.95)
    title = _title(shown, level)
    model = str(result.provenance.get("null", "the null model"))
    return null_figure(
        {row.index: _panel(result, row) for row in shown},
        title,
        f"{title}. A histogram for each index of its values under the null model: {model}. {_spoken(shown)}",
        (f"null model: {model}", *_by_luck(shown, level), *chosen.notes),
    )


def _demand_draws(result: Comparison) -> None:
    """An error that says what to do, where no values under a null model are here."""
    if result.null_draws:
        return
    if "null" not in result.provenance:
        raise NoFigureError(
            "no null model was asked for.",
            got="a comparison without a null model",
            need="values under a null model",
            fix='compare(truth, found, null="permutation")',
        )
    if result.inputs is None:
        raise NoFigureError(
            "this comparison was read from a file, which does not hold the draws.",
            got="a comparison without draws",
            need="one that compare() returned",
            fix=f'compare(truth, found, null="permutation") again; it was {result.provenance["null"]}',
        )
    reasons = [c.text for row in result.rows for c in row.caveats if c.kind is CaveatKind.NOT_COMPUTED]
    raise NoFigureError(
        "nothing could be drawn from the null model.",
        got=reasons[0] if reasons else "no draws",
        need="indices that can be computed for every draw",
        fix="fewer n_shuffles, or whole-number weights",
    )


def _panel(result: Comparison, row: IndexValue) -> NullPanel:
    draws = result.null_draws[row.index]
    return NullPanel(
        values=draws.values,
        observed=row.value,
        p=row.p,
        expected=row.expected,
        axis=axis_text(row.index, row.symbol, row.direction),
        times=draws.times,
        unit="cases" if draws.is_enumerated else "draws",
    )


def _title(rows: Sequence[IndexValue], level: float) -> str:
    """Which values are beyond chance; one that is not is not said to be chance."""
    judged = [row for row in rows if not math.isnan(row.p)]
    if not judged:
        return f"no p-value: {_names(rows)} only describe, or have no value"
    beyond = [row for row in judged if row.p <= level]
    highest, lowest = max(row.p for row in judged), min(row.p for row in judged)
    if len(judged) == 1:
        (row,) = judged
        word = "beyond chance" if beyond else "not shown to be beyond chance"
        return f"{row.symbol or row.index} {show(row.value)} is {word}: p = {row.p:.2g}"
    if len(beyond) == len(judged):
        every = "both" if len(judged) == 2 else f"all {len(judged)}"
        return f"beyond chance by {every} indices shown: p at most {highest:.2g}"
    if not beyond:
        least = "p = 1" if lowest == 1.0 else f"p at least {lowest:.2g}"
        return f"not shown to be beyond chance by any of {len(judged)} indices: {least}"
    rest = [row for row in judged if row not in beyond]
    return (
        f"beyond chance by {len(beyond)} of {len(judged)} indices (p at most {level:.2g});"
        f" not shown to be by {_names(rest)}"
    )


def _names(rows: Sequence[IndexValue]) -> str:
    return ", ".join(row.symbol or row.index for row in rows)


def _by_luck(rows: Sequence[IndexValue], level: float) -> tuple[str, ...]:
    """How many of so many indices have a small p by chance alone."""
    judged = sum(not math.isnan(row.p) for row in rows)
    if judged < 2:
        return ()
    return (f"of {judged} indices about {judged * level:.2g} have p of at most {level:.2g} by chance alone",)


def _spoken(rows: Sequence[IndexValue]) -> str:
    told = []
    for row in rows:
        p = "no p" if math.isnan(row.p) else f"p = {row.p:.2g}"
        told.append(f"{row.index}: observed {show(row.value)}, by chance {show(row.expected)}, {p}")
    return "; ".join(told)
