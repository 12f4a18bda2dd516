"""Curves: the values and the choice of each index over k, over a parameter, or for each clustering."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

from partita.errors import ParameterError, PartitaError
from partita.plots.answers import titled
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.index_axes import better_text
from partita.plots.multiples import (
    at_foot,
    at_left,
    direction_label,
    marked,
    multiples,
    panel_title,
    setting_label,
    setting_ticks,
    size_of_multiples,
)
from partita.plots.names import plain_name, short_name
from partita.plots.palette import FAINT, INK, OKABE_ITO
from partita.plots.panels import label, name_ticks
from partita.registry.curves import find_entry
from partita.results.index_names import one_of, short_names
from partita.selection import ChoiceOfClustering, ChoiceOfK, ChoiceOfValue
from partita.selection.choices import Decision
from partita.selection.votes import IndexOverK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

curves = figure_kind("curves", "each index over k, over a parameter or for each clustering, and its choice")

MOST_PANELS = 12
"""Where no indices are named."""

LETTERS_OF_NOTE = 100

MOST_NAMED = 3
"""Choices that a title names."""

LARGEST = 1e290
"""Values beyond are not drawn: the ends of an axis could not be computed."""

PANEL_HEIGHT = 2.0
"""In inches, of curves."""

LINE, TALLEST = 0.2, 6.0
"""In inches: of a clustering in a list, and of the list."""

OF_INDEX, OF_CHOICE = OKABE_ITO[0], OKABE_ITO[3]


@dataclass(frozen=True)
class Panel:
    """One index: what it is called, which way is better, what it chooses and why, and all its values."""

    index: str
    direction: str
    said: str
    reason: str
    chosen: str | None
    at_end: bool
    records: tuple[dict[str, Any], ...]


@curves.of(ChoiceOfK, usual=3)
def curves_over_k(
    result: ChoiceOfK, *, indices: Iterable[str] | str | None = None, truth: int | None = None
) -> FigureData:
    """A panel for each index that chooses, or for those named; a dashed line at the true k, where known."""
    _check_truth(truth)
    truth = None if truth is None else int(truth)
    choosing = [name for name in result.choices if not _knows_truth(name)]
    names, hidden = _shown(indices, result.curves, choosing)
    panels = [_panel_over_k(result, result.curves[name]) for name in names]
    chosen = {name: result.choices[name].k for name in choosing}
    named = [None if k is None else f"k = {k}" for k in chosen.values()]
    title = _title(result, None if result.k is None else f"k = {result.k}", named)
    settings = {k: str(k) for k in result.ks}
    others = [
        f"{short_name(name)}: {'no choice' if k is None else f'k = {k}'}"
        for name, k in chosen.items()
        if name not in result.curves
    ]
    notes = [f"choices without a curve: {'; '.join(others)}"] if others else []
    if truth is not None:
        title = f"{title}; the true k is {truth}"
        tried = truth in result.ks
        notes += [] if tried else [f"the true k = {truth} was not tried"]
    return _figure(
        panels,
        title,
        settings,
        "number of clusters k",
        notes=[*hidden, *notes],
        facts={"truth": truth if truth in result.ks else None, "lying": False},
        runs=max(Counter(fit.k for fit in result.fits).values(), default=0),
    )


@curves.of(ChoiceOfClustering, ChoiceOfValue)
def curves_over_clusterings(
    result: ChoiceOfClustering, *, indices: Iterable[str] | str | None = None
) -> FigureData:
    """A panel for each index that chooses, or for those named, with a value for each clustering."""
    if not result.candidates:
        raise NoFigureError("there is no clustering to show.", got="no candidate", need="one at least")
    known = list(result.candidates[0].values)
    choosing = [name for name, choice in result.preferences.items() if choice.votes]
    names, hidden = _shown(indices, known, choosing)
    swept = result.parameter if isinstance(result, ChoiceOfValue) else ""
    listed = _listed(result)
    lying = not swept or not all(_is_number(value) for value, _ in listed)
    if not lying:
        listed.sort(key=lambda pair: pair[0])
    panels = [_panel_of(result, name, listed) for name in names]
    best = None if result.chosen is None else plain_name(result.chosen.label)
    chosen = [result.preferences[name].label for name in choosing]
    even = ", evenly spaced" if swept and not lying else ""
    return _figure(
        panels,
        _title(result, best, [None if c is None else plain_name(c) for c in chosen]),
        {place: plain_name(name) for place, (name, _) in enumerate(listed)},
        f"{plain_name(swept)}{even}" if swept else "clustering",
        notes=list(hidden),
        facts={"truth": None, "lying": lying},
        runs=1,
    )


def _figure(
    panels: Sequence[Panel],
    title: str,
    settings: Mapping[int, str],
    axis: str,
    *,
    notes: Sequence[str],
    facts: Mapping[str, Any],
    runs: int,
) -> FigureData:
    records = tuple(record for panel in panels for record in panel.records)
    short = short_names([panel.index for panel in panels])
    height = min(LINE * len(settings), TALLEST) + 1.1 if facts["lying"] else PANEL_HEIGHT
    said = "; ".join(
        f"{panel.index} ({better_text(panel.direction)}): {panel.said}" for panel in panels[:MOST_PANELS]
    )
    return FigureData(
        kind="curves",
        title=title,
        description=f"{title}. Values of {len(panels)} indices over {axis}, with what each chooses: {said}.",
        records=records,
        x=axis,
        y="value of the index",
        facts={
            **facts,
            "settings": {str(place): name for place, name in settings.items()},
            "panels": [
                {
                    "name": short[panel.index],
                    "said": panel.reason if facts["lying"] else panel.said,
                    **{key: getattr(panel, key) for key in ("index", "direction", "chosen", "at_end")},
                }
                for panel in panels
            ],
        },
        notes=(*notes, *_legend(panels, records, runs, dashed=facts["truth"] is not None)),
        size=size_of_multiples(len(panels), height),
    )


def _legend(
    panels: Sequence[Panel], records: Sequence[dict[str, Any]], runs: int, *, dashed: bool
) -> list[str]:
    """What the marks mean, of those that there are."""
    marks = {
        "large dot: chosen": any(panel.chosen and not panel.at_end for panel in panels),
        "ring: chosen at an end of the range": any(panel.at_end for panel in panels),
        "dashed: the true k": dashed,
        f"band: from the lowest to the highest of {runs} runs": any(
            record["run_low"] != record["run_high"] for record in records
        ),
        "bars: one standard error": any(record["error"] for record in records),
        "cross: does not count": any(not record["counts"] for record in records),
    }
    lines = textwrap.wrap("; ".join(text for text, there in marks.items() if there), LETTERS_OF_NOTE)
    beyond = sum(record["beyond"] for record in records)
    lost = [f"{beyond} infinite or huge value{'s are' if beyond > 1 else ' is'} not drawn"] if beyond else []
    return [*lines, *lost]


def _title(result: Decision, answer: str | None, chosen: Sequence[str | None]) -> str:
    """The answer, and the number of indices that choose it or others; they do not decide it."""
    counted = Counter(c for c in chosen if c is not None)
    if answer is not None and len(counted) == 1 and counted[answer] == len(chosen):
        verb = "index chooses" if len(chosen) == 1 else "indices choose"
        return titled(result, f"{len(chosen)} of {len(chosen)} {verb} it")
    parts = [(short_name(name, 40), count) for name, count in counted.most_common(MOST_NAMED)]
    parts += [("others", counted.total() - sum(count for _, count in parts))]
    parts += [("none", len(chosen) - counted.total())]
    split = ", ".join(f"{name} ({count})" for name, count in parts if count)
    return titled(result, f"indices choose {split}" if counted else "no index has a choice")


def _shown(
    indices: Iterable[str] | str | None, known: Iterable[str], choosing: Sequence[str]
) -> tuple[list[str], tuple[str, ...]]:
    """The indices that have a panel, and a note on those that have none."""
    carried = list(known)
    if not carried:
        raise NoFigureError("no index has values.", got="a choice without curves", need="one index at least")
    if indices is not None:
        asked = list(indices) if isinstance(indices, Iterable) and not isinstance(indices, str) else [indices]
        if not asked:
            raise ParameterError("there is nothing to show.", got="no index", parameter="indices")
        names = carried if asked == ["all"] else [one_of(one, carried, noun="index") for one in asked]
        return list(dict.fromkeys(names)), ()
    names = [name for name in carried if name in choosing] or carried
    shown = names[:MOST_PANELS]
    if len(shown) == len(carried):
        return shown, ()
    which = "those that choose" if len(names) == len(shown) else f"the first {len(shown)} that choose"
    return shown, (f"{len(shown)} of {len(carried)} indices shown: {which}",)


def _check_truth(truth: Any) -> None:
    if truth is not None and (isinstance(truth, bool) or not isinstance(truth, Integral) or truth < 1):
        raise ParameterError(
            "truth is the true number of clusters.",
            got=repr(truth)[:60],
            need="a whole number from 1 on, or None",
            parameter="truth",
        )


# --- over k -----------------------------------------------------------------------------------------------


def _panel_over_k(result: ChoiceOfK, curve: IndexOverK) -> Panel:
    choice = result.choices.get(curve.index)
    chosen = None if choice is None else choice.k
    is_end = choice is not None and chosen is not None and not choice.votes and not _knows_truth(curve.index)
    end = f", the {'largest' if chosen == result.ks[-1] else 'smallest'} tried" if is_end else ""
    if choice is None:
        said = reason = "no choice"
    else:
        reason = choice.verdict.reason
        said = f"{'no choice' if chosen is None else f'k = {chosen}{end}'}: {reason}"
    spread = _spread(result, curve.index)
    flaws = curve.flaws or ("",) * len(result.ks)
    errors = curve.errors or (math.nan,) * len(result.ks)
    records = tuple(
        _record(
            curve.index,
            k,
            k,
            value,
            error=error,
            runs=spread.get(k, (value, value)),
            chosen=k == chosen,
            why=f"does not count: {flaw}" if flaw else caveat,
            counts=not flaw,
        )
        for k, value, error, flaw, caveat in zip(
            result.ks, curve.values, errors, flaws, curve.caveats, strict=True
        )
    )
    return Panel(
        curve.index,
        curve.direction,
        said,
        reason,
        None if chosen is None else f"k = {chosen}",
        is_end,
        records,
    )


def _spread(result: ChoiceOfK, index: str) -> dict[int, tuple[float, float]]:
    """At each k the lowest and the highest value of its runs."""
    known: dict[int, list[float]] = {}
    for fit in result.fits:
        value = fit.values.get(index, math.nan)
        if _is_drawable(value):
            known.setdefault(fit.k, []).append(value)
    return {k: (min(values), max(values)) for k, values in known.items()}


# --- of clusterings and values of a parameter -------------------------------------------------------------


def _listed(result: ChoiceOfClustering) -> list[tuple[Any, Any]]:
    """What is named at the axis, with its candidate: values of a parameter (None where all fits failed)."""
    if not isinstance(result, ChoiceOfValue):
        return [(c.label, c) for c in result.candidates]
    at = {name: c for c in result.candidates for name in c.names}
    return [(value, at.get(value)) for value in result.tried]


def _panel_of(result: ChoiceOfClustering, index: str, listed: Sequence[tuple[Any, Any]]) -> Panel:
    preference = result.preferences.get(index)
    chosen = None if preference is None else preference.label
    others = any(not candidate.flaw for candidate in result.candidates)
    if preference is None:
        said = reason = "no choice"
    else:
        name = "no choice" if chosen is None else short_name(chosen)
        reason = f"no choice: {preference.reason}" if chosen is None else preference.reason
        said = f"{name}: {preference.reason}"
    records = tuple(
        _record(
            index,
            place,
            plain_name(name),
            math.nan if candidate is None else candidate.values.get(index, math.nan),
            chosen=candidate is not None and candidate.label == chosen,
            why=_why(candidate, index, others),
            counts=candidate is None or not (candidate.flaw and others),
        )
        for place, (name, candidate) in enumerate(listed)
    )
    return Panel(
        index,
        _direction_of(index),
        said,
        reason,
        None if chosen is None else plain_name(chosen),
        False,
        records,
    )


def _why(candidate: Any, index: str, others: bool) -> str:
    if candidate is None:
        return "all fits failed"
    if candidate.flaw and others:
        return f"does not count: {candidate.flaw}"
    return str(candidate.caveats.get(index, ""))


def _knows_truth(index: str) -> bool:
    """True for an external index, which may not choose."""
    try:
        return "truth" in getattr(find_entry(index), "inputs", ())
    except PartitaError:  # read from a file, and not known here
        return False


def _direction_of(index: str) -> str:
    try:
        return str(find_entry(index).direction)
    except PartitaError:  # read from a file, and not known here
        return "none"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# --- records ----------------------------------------------------------------------------------------------


def _record(
    index: str,
    place: int,
    setting: Any,
    value: float,
    *,
    chosen: bool,
    why: str,
    counts: bool,
    error: float = math.nan,
    runs: tuple[float, float] | None = None,
) -> dict[str, Any]:
    low, high = (value, value) if runs is None else runs
    return {
        "index": index,
        "setting": setting,
        "place": place,
        "value": _number(value),
        "error": _number(error),
        "run_low": _number(low),
        "run_high": _number(high),
        "chosen": chosen,
        "counts": counts,
        "beyond": not math.isnan(value) and not _is_drawable(value),
        "why": plain_name(why) if why else "",
    }


def _is_drawable(value: float) -> bool:
    return abs(value) <= LARGEST  # neither nan nor infinite


def _number(value: float) -> float | None:
    return float(value) if _is_drawable(value) else None


# --- drawing ----------------------------------------------------------------------------------------------


@curves.drawn
def draw_curves(ax: Axes, data: FigureData) -> None:
    """Small multiples: lines over k or a parameter, lists of dots for clusterings; choices stand out."""
    panels = data.facts["panels"]
    by_index: dict[str, list[dict[str, Any]]] = {panel["index"]: [] for panel in panels}
    for record in data.records:
        by_index[record["index"]].append(record)
    draw = _draw_list if data.facts["lying"] else _draw_curve
    made = multiples(ax, len(panels))
    for place, (panel, one) in enumerate(zip(panels, made, strict=True)):
        draw(one, data, panel, by_index[panel["index"]])
        panel_title(one, panel["name"], panel["said"], len(panels), lying=data.facts["lying"])
        if data.facts["lying"]:
            one.set_xlabel(better_text(panel["direction"]), fontsize=8)
            one.tick_params(labelleft=at_left(place, len(panels)))
        else:
            direction_label(one, panel["direction"])
            if at_foot(place, len(panels)):
                setting_label(one, data.x)


def _draw_curve(ax: Axes, data: FigureData, panel: Mapping[str, Any], mine: list[dict[str, Any]]) -> None:
    places = [r["place"] for r in mine]
    low, high, values = ([_gap(r[key]) for r in mine] for key in ("run_low", "run_high", "value"))
    if low != high:
        ax.fill_between(places, low, high, color=OF_INDEX, alpha=0.2, linewidth=0, gid="runs")
    line = [value if r["counts"] else math.nan for r, value in zip(mine, values, strict=True)]
    ax.plot(places, line, color=OF_INDEX, linewidth=1.4, marker="o", markersize=3, gid="values")
    with_error = [r for r in mine if r["error"] and r["value"] is not None]
    if with_error:
        at, middle, half = ([r[key] for r in with_error] for key in ("place", "value", "error"))
        ax.errorbar(at, middle, yerr=half, fmt="none", ecolor=OF_INDEX, elinewidth=0.9, capsize=2)
    _mark(ax, panel, mine, "place", "value")
    ax.set_xlim(*marked(places))
    ax.margins(y=0.12)
    ax.locator_params(axis="y", nbins=4)
    setting_ticks(ax, places, list(data.facts["settings"].values()), len(data.facts["panels"]))
    if data.facts["truth"] is not None:
        ax.axvline(data.facts["truth"], color=INK, linewidth=1.0, linestyle="--", gid="truth")


def _draw_list(ax: Axes, data: FigureData, panel: Mapping[str, Any], mine: list[dict[str, Any]]) -> None:
    places = [r["place"] for r in mine]
    counting = [r for r in mine if r["counts"] and r["value"] is not None]
    ax.hlines(places, 0.0, 1.0, transform=ax.get_yaxis_transform(), color=FAINT, linewidth=0.4)
    ax.plot(
        [r["value"] for r in counting],
        [r["place"] for r in counting],
        color=OF_INDEX,
        linestyle="none",
        marker="o",
        markersize=4,
        gid="values",
    )
    _mark(ax, panel, mine, "value", "place")
    ax.set_ylim(len(mine) - 0.5, -0.5)
    ax.margins(x=0.1)
    name_ticks(ax, "y", places, list(data.facts["settings"].values()))
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=4)


def _mark(ax: Axes, panel: Mapping[str, Any], mine: list[dict[str, Any]], x: str, y: str) -> None:
    """What is chosen, what does not count, and that there is nothing."""
    chosen = [r for r in mine if r["chosen"] and r["value"] is not None]
    if chosen:
        ax.plot(
            [r[x] for r in chosen],
            [r[y] for r in chosen],
            color=OF_CHOICE,
            markerfacecolor="none" if panel["at_end"] else OF_CHOICE,
            linestyle="none",
            marker="o",
            markersize=7,
            markeredgewidth=1.6,
            clip_on=False,
            gid="chosen",
        )
    void = [r for r in mine if not r["counts"] and r["value"] is not None]
    if void:
        at, level = [r[x] for r in void], [r[y] for r in void]
        ax.plot(at, level, color=FAINT, linestyle="none", marker="x", markersize=4, gid="void")
    if not any(r["value"] is not None for r in mine):
        (ax.set_yticks if y == "value" else ax.set_xticks)([])
        text = label(ax, 0.5, 0.5, "no value", ha="center", va="center", fontsize=8)
        text.set_transform(ax.transAxes)


def _gap(value: float | None) -> float:
    return math.nan if value is None else value
