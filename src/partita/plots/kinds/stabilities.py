"""Stability: every repeat at every k, and the recovery of each cluster."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Floats
from partita.errors import ParameterError
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.index_axes import better_text
from partita.plots.multiples import (
    at_foot,
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
from partita.plots.thinning import MOST_DRAWN, thinned
from partita.registry import find
from partita.results import show
from partita.selection import Stability
from partita.selection.stabilities import DISSOLVED, RECOVERED, ClusterRecovery, ClusterStability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

stability = figure_kind("stability", "agreement of clusterings of perturbed data: every repeat at every k")
recovery = figure_kind("recovery", "stability of each cluster: every repeat of every cluster")

GOLDEN = (math.sqrt(5) - 1) / 2
"""The fractional parts of its multiples fill a width evenly, however many there are."""

JITTER = 0.5
"""Spread of the repeats, relative to the width between two settings, or of a line."""

PANEL_HEIGHT = 2.6
LINE, TALLEST = 0.26, 7.0
"""Height of a cluster, and of all of them, in inches."""

OF_REPEATS, OF_MEAN, OF_CHOICE, LOST = OKABE_ITO[4], OKABE_ITO[0], OKABE_ITO[3], OKABE_ITO[3]


def spread_over(count: int) -> Floats:
    """Offsets of marks from their place: between -1/2 and 1/2, the same every time."""
    return np.asarray((np.arange(count) + 1) * GOLDEN % 1.0 - 0.5)


# --- every repeat at every k ------------------------------------------------------------------------------


@stability.of(Stability, usual=True)
def stability_over_k(result: Stability) -> FigureData:
    """A panel for each index, with a dot for each repeat and the mean at each k or value tried."""
    if not result.repeats:
        raise NoFigureError("there is no repeat to show.", got="a result without repeats", need="one repeat")
    settings = list(result.settings)
    records, means = [], {}
    for index in result.indices:
        values = [result.values(index, setting) for setting in settings]
        means[index] = [_mean(at) for at in values]
        records += _repeats(result, index, settings, values)
    known = [r for r in records if math.isfinite(r["value"])]
    shown = [known[i] for i in thinned([f"{r['index']} {r['place']}" for r in known]).tolist()]
    title = (
        f"{result.answer.headline}: {result.because[0].short}" if result.because else result.answer.headline
    )
    swept = result.parameter
    chosen = settings.index(result.value) if result.value in settings else None
    return FigureData(
        kind="stability",
        title=title,
        description=f"{title}. {_best_means(result, means)}",
        records=tuple(shown),
        x="number of clusters k" if swept is None else f"{plain_name(swept)}, evenly spaced",
        y="agreement of clusterings",
        facts={
            "panels": [
                {
                    "index": index,
                    "name": find(index).symbol or index,
                    "direction": find(index).direction,
                    "means": means[index],
                    "limit": result.limits.get(index),
                    "said": _limit_text(result, index),
                }
                for index in result.indices
            ],
            "places": _places(result),
            "settings": [plain_name(setting) for setting in settings],
            "chosen": None if chosen is None else _places(result)[chosen],
        },
        notes=_notes(result, len(shown), len(known), len(records) - len(known)),
        size=size_of_multiples(len(result.indices), PANEL_HEIGHT),
    )


def _places(result: Stability) -> list[int]:
    """The place of each setting: numbers of clusters to scale, others one after the other."""
    return list(result.ks) if result.parameter is None else list(range(len(result.settings)))


def _repeats(
    result: Stability, index: str, settings: Sequence[Any], values: Sequence[Floats]
) -> list[dict[str, Any]]:
    aside = spread_over(max(map(len, values)))
    return [
        {
            "index": index,
            "setting": plain_name(setting),
            "place": place,
            "repeat": repeat,
            "value": float(value),
            "aside": float(JITTER * aside[repeat]),
        }
        for setting, place, at in zip(settings, _places(result), values, strict=True)
        for repeat, value in enumerate(at.tolist())
    ]


def _mean(values: Floats) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else None


def _best_means(result: Stability, means: Mapping[str, Sequence[float | None]]) -> str:
    """The best mean of each index, in words."""
    texts = []
    for index, over in means.items():
        known = [
            (mean, setting)
            for mean, setting, k in zip(over, result.settings, result.ks, strict=True)
            if mean is not None and k > 1  # one cluster is stable in any data
        ]
        if not known:
            texts.append(f"{index} has no value")
            continue
        way = find(index).direction
        pick = min if way == "lower" else max
        best = pick(known, key=lambda pair: pair[0])
        at = f"{result.parameter or 'k'} = {plain_name(best[1])}"
        texts.append(f"{index} ({better_text(way)}) has its best mean, {show(best[0])}, at {at}")
    return f"A dot for each repeat, a line through the means: {'; '.join(texts)}."


def _limit_text(result: Stability, index: str) -> str:
    limit = result.limits.get(index)
    if limit is None:
        return ""
    entry = find(index)
    if limit == 0 and entry.best == 0:
        return "must be 0 in all repeats"
    return f"mean must be {'at most' if entry.direction == 'lower' else 'at least'} {limit:g}"


def _notes(result: Stability, shown: int, total: int, lost: int) -> tuple[str, ...]:
    marks = ["dots: repeats; line: their mean"]
    marks += ["dotted: the limit"] if result.limits else []
    marks += ["ring: the answer"] if result.value in result.settings else []
    notes = ["; ".join(marks)]
    if shown < total:
        notes.append(f"{shown:,} of {total:,} repeats shown, some at every setting; means are of all")
    if lost:
        notes.append(f"{lost:,} repeats have no value and are not drawn")
    return tuple(notes)


@stability.drawn
def draw_stability(ax: Axes, data: FigureData) -> None:
    """Small multiples: dots beside each other at each setting, and a line through the means."""
    panels = data.facts["panels"]
    for number, (panel, one) in enumerate(zip(panels, multiples(ax, len(panels)), strict=True)):
        _draw_repeats(one, data, panel)
        panel_title(one, panel["name"], panel["said"], len(panels))
        direction_label(one, panel["direction"])
        if at_foot(number, len(panels)):
            setting_label(one, data.x)


def _draw_repeats(ax: Axes, data: FigureData, panel: Mapping[str, Any]) -> None:
    places = data.facts["places"]
    step = min(min(np.diff(sorted(places)), default=1), max(0.1 * (max(places) - min(places)), 1))
    mine = [r for r in data.records if r["index"] == panel["index"]]
    ax.plot(
        [r["place"] + step * r["aside"] for r in mine],
        [r["value"] for r in mine],
        color=OF_REPEATS,
        linestyle="none",
        marker="o",
        markersize=3,
        markeredgewidth=0,
        alpha=0.7,
        rasterized=len(mine) > MOST_DRAWN // 4,
        gid="repeats",
    )
    means = [math.nan if m is None else m for m in panel["means"]]
    ax.plot(places, means, color=OF_MEAN, linewidth=1.4, marker="o", markersize=3.5, gid="means")
    if panel["limit"] is not None:
        ax.axhline(panel["limit"], color=INK, linewidth=0.9, linestyle=":", gid="limit")
    chosen = data.facts["chosen"]
    if chosen is not None and not math.isnan(means[places.index(chosen)]):
        ax.plot(
            [chosen],
            [means[places.index(chosen)]],
            color=OF_CHOICE,
            markerfacecolor="none",
            marker="o",
            markersize=8,
            markeredgewidth=1.6,
            clip_on=False,
            gid="chosen",
        )
    low, high = marked(places)
    ax.set_xlim(min(low, min(places) - 0.6 * step), max(high, max(places) + 0.6 * step))
    ax.margins(y=0.12)
    ax.locator_params(axis="y", nbins=5)
    setting_ticks(ax, places, data.facts["settings"], len(data.facts["panels"]))


# --- every cluster ----------------------------------------------------------------------------------------


@recovery.of(Stability)
def recovery_of_stability(result: Stability, *, k: Any = None) -> FigureData:
    """The recovery of each cluster of the answer, or at a ``k`` or another value tried."""
    return recovery_of_clusters(result.by_cluster, k=k)


@recovery.of(ClusterStability, usual=True)
def recovery_of_clusters(result: ClusterStability, *, k: Any = None) -> FigureData:
    """The recovery of each cluster of the chosen clustering, or at another value ``k``."""
    rows = _rows_at(result, k)
    tried = rows[0].tried
    at = _named(result, tried)
    aside = spread_over(max(len(row.jaccards) for row in rows))
    records = [
        {
            "cluster": str(row.cluster),
            "repeat": repeat,
            "jaccard": value,
            "place": place,
            "aside": float(JITTER * aside[repeat]),
        }
        for place, row in enumerate(rows)
        for repeat, value in enumerate(row.jaccards)
        if math.isfinite(value)
    ]
    total = len(records)
    records = [records[i] for i in thinned([r["place"] for r in records]).tolist()]
    title = f"at {at}{_aside(result, tried)}, {_recovered(rows)}"
    return FigureData(
        kind="recovery",
        title=title,
        description=f"{title}. {_worst_and_best(rows)}",
        records=tuple(records),
        x="Jaccard coefficient in perturbed data (higher is better)",
        y="cluster",
        facts={
            "clusters": [
                {
                    "cluster": str(row.cluster),
                    "size": row.size,
                    "mean": row.jaccard if math.isfinite(row.jaccard) else None,
                    "recovered": row.recovered,
                    "dissolved": row.dissolved,
                    "compared": row.compared,
                    "is_found": row.jaccard >= RECOVERED,
                }
                for row in rows
            ],
            "recovered": RECOVERED,
            "dissolved": DISSOLVED,
            "setting": plain_name(tried),
        },
        notes=_notes_of_clusters(rows, len(records), total),
        size=(6.8, min(1.6 + LINE * len(rows), TALLEST)),
    )


def _rows_at(result: ClusterStability, k: Any) -> list[ClusterRecovery]:
    """The clusters of a setting, the most stable first."""
    if not result.rows:
        raise NoFigureError(
            "the recovery of single clusters is not known.",
            got="a result without clusters",
            need="one that stability returned",
        )
    settings = list(dict.fromkeys(row.tried for row in result.rows))
    if k is None:
        k = result.chosen if result.chosen in settings else _steadiest(result.rows, settings)
    if k not in settings:
        raise ParameterError(
            f"there are no clusters at {result.parameter} = {k}.",
            got=repr(k)[:60],
            need=f"one of {settings}",
            parameter="k",
        )
    rows = [row for row in result.rows if row.tried == k]
    return sorted(rows, key=lambda row: -row.jaccard if math.isfinite(row.jaccard) else math.inf)


def _steadiest(rows: Sequence[ClusterRecovery], settings: Sequence[Any]) -> Any:
    """Where nothing was chosen: the setting of two clusters or more whose least stable one is most stable."""

    def worst(setting: Any) -> tuple[bool, float]:
        means = [row.jaccard for row in rows if row.tried == setting]
        return len(means) > 1, min(m if math.isfinite(m) else -1.0 for m in means)

    return max(settings, key=worst)


def _named(result: ClusterStability, tried: Any) -> str:
    return f"{short_name(result.parameter)} = {short_name(tried)}"


def _aside(result: ClusterStability, tried: Any) -> str:
    """A remark where the clusters are not those of the answer."""
    if tried == result.chosen:
        return ""
    return (
        " (there is no answer)" if result.chosen is None else f" ({_named(result, result.chosen)} was chosen)"
    )


def _recovered(rows: Sequence[ClusterRecovery]) -> str:
    """The number of stable clusters, and the least stable one where some are not."""
    lost = [row for row in rows if not row.jaccard >= RECOVERED]
    if not lost:
        every = {1: "the only cluster is", 2: "both clusters are"}.get(
            len(rows), f"all {len(rows)} clusters are"
        )
        return f"{every} stable (mean Jaccard of at least {RECOVERED:g})"
    worst = lost[-1]
    mean = f"mean Jaccard {show(worst.jaccard)}" if math.isfinite(worst.jaccard) else "never compared"
    are = "is" if len(lost) == 1 else "are"
    return (
        f"{len(lost)} of {len(rows)} clusters {are} not stable: the worst is cluster {worst.cluster}"
        f" ({mean}, {RECOVERED:g} required)"
    )


def _worst_and_best(rows: Sequence[ClusterRecovery]) -> str:
    texts = [
        f"cluster {row.cluster} of {row.size:,} objects: mean {show(row.jaccard)}, above {RECOVERED:g} in"
        f" {row.recovered} and at most {DISSOLVED:g} in {row.dissolved} of {row.compared} repeats"
        for row in (rows if len(rows) <= 5 else [*rows[:2], *rows[-2:]])
    ]
    which = "" if len(rows) <= 5 else "the two best and the two worst are "
    return f"A dot for each repeat and a bar at the mean of each cluster; {which}{'; '.join(texts)}."


def _notes_of_clusters(rows: Sequence[ClusterRecovery], shown: int, total: int) -> tuple[str, ...]:
    notes = [
        f"dots: repeats; bar: mean; dotted: recovered above {RECOVERED:g}, dissolved up to {DISSOLVED:g}"
    ]
    if not total and any(row.compared for row in rows):
        notes.append("single repeats were not kept: means only")
    if shown < total:
        notes.append(f"{shown:,} of {total:,} repeats shown, some of every cluster; means are of all")
    missing = sum(len(row.jaccards) - row.compared for row in rows if row.jaccards)
    if missing:
        notes.append(f"{missing:,} times a cluster had no object in perturbed data: nothing to compare")
    return tuple(notes)


@recovery.drawn
def draw_recovery(ax: Axes, data: FigureData) -> None:
    """A line for each cluster: dots for repeats, a bar at the mean; the limits are dotted."""
    clusters = data.facts["clusters"]
    for is_found, colour in ((True, OF_REPEATS), (False, LOST)):
        mine = [r for r in data.records if clusters[r["place"]]["is_found"] == is_found]
        ax.plot(
            [r["jaccard"] for r in mine],
            [r["place"] + r["aside"] for r in mine],
            color=colour,
            linestyle="none",
            marker="o",
            markersize=3,
            markeredgewidth=0,
            alpha=0.7,
            rasterized=len(mine) > MOST_DRAWN // 4,
            gid="repeats",
        )
    known = [(place, one["mean"]) for place, one in enumerate(clusters) if one["mean"] is not None]
    ax.vlines(
        [mean for _, mean in known],
        [place - 0.35 for place, _ in known],
        [place + 0.35 for place, _ in known],
        color=INK,
        linewidth=1.8,
        gid="means",
    )
    for name in ("recovered", "dissolved"):
        ax.axvline(data.facts[name], color=FAINT, linewidth=1.0, linestyle=":", gid=name)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(len(clusters) - 0.4, -0.6)
    named = _spaced(ax, len(clusters))
    name_ticks(ax, "y", named, [f"{clusters[i]['cluster']} (n = {clusters[i]['size']:,})" for i in named])
    ax.tick_params(axis="y", length=0)
    for place in named:
        one = clusters[place]
        mean = "no value" if one["mean"] is None else f"mean {one['mean']:.2f}"
        text = f"{mean}, recovered {one['recovered']} of {one['compared']}"
        label(ax, 1.04, place, text, 50, va="center", fontsize=8, clip_on=False)
    ax.set_xlabel(data.x)
    ax.set_ylabel(data.y)


def _spaced(ax: Axes, count: int) -> list[int]:
    """The lines that are named: all, or every second, third and so on where letters would overlap."""
    figure: Any = ax.get_figure(root=True)
    room = ax.get_window_extent().height / figure.dpi / 0.17
    return list(range(0, count, max(math.ceil(count / max(room, 1.0)), 1)))
