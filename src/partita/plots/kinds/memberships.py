"""Memberships: bars of shares for sorted objects, and the same as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import (
    Ensemble,
    EvidentialPartition,
    FuzzyPartition,
    HardPartition,
    Partition,
    PossibilisticPartition,
    RoughPartition,
)
from partita.plots.figures import FigureData, NoFigureError, Record, figure_kind
from partita.plots.names import plain_name, short_name
from partita.plots.palette import INK, chained_colours, repeated_note
from partita.plots.panels import name_ticks, panels
from partita.plots.soft_shares import SURE, SoftShares, finding, soft_shares, unsure_objects
from partita.selection import ChoiceOfK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["heatmap", "memberships"]

memberships = figure_kind("memberships", "membership bars: stacked shares of sorted objects in clusters")
heatmap = figure_kind("heatmap", "a heat map of the memberships of sorted objects")

MOST_COLUMNS = 400
"""Of one row of bars; objects that are more are drawn as means over runs of neighbours."""

FEWEST_COLUMNS = 100
"""Of one row, however many rows and clusters there are."""

MOST_MARKS = 8000
"""Columns times clusters of all rows, as far as the fewest columns allow."""

MOST_CLUSTERS = 32
"""As many as there are colours; the smallest are drawn as one beyond."""

MOST_ROWS = 12
"""Of bars."""

SEEN = 5e-4
"""Smaller shares have no mark."""

FEW_SEGMENTS = 6
"""Clusters whose names may be long."""

MOST_CORNERS = 4000
"""Of polygons in one figure; more are rasterised, so that its file stays small."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of sorted objects: each is a column of a figure.

    Attributes
    ----------
    of : (n,) array
        For each object its run.
    sizes : array
        The objects of each.
    first : array
        The first object of each, by its position.
    """

    of: Array
    sizes: Array
    first: Array

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.sizes.size)


def _runs(order: Array, groups: Array, most: int) -> Runs:
    """Runs of objects in that order, each within one group; of one object each while these fit."""
    n = order.size
    sorted_groups = groups[order]
    starts = np.flatnonzero(np.r_[True, sorted_groups[1:] != sorted_groups[:-1]])
    sizes = np.diff(np.r_[starts, n])
    pieces = sizes if n <= most else np.clip((sizes * (most / n)).astype(int), 1, sizes)
    place = np.arange(n) - np.repeat(starts, sizes)
    within = place * np.repeat(pieces, sizes) // np.repeat(sizes, sizes)
    run = np.repeat(np.cumsum(pieces) - pieces, sizes) + within
    of = np.empty(n, dtype=np.int64)
    of[order] = run
    first = order[np.flatnonzero(np.r_[True, run[1:] != run[:-1]])]
    return Runs(of, np.bincount(run), first)


def _order(main: SoftShares, others: Sequence[SoftShares] = ()) -> Array:
    """Objects by their cluster, noise last; then by their cluster in others; then the surest first."""
    own = np.where(main.is_noise, len(main.names), main.own)
    return np.lexsort((-main.largest, *(other.own for other in others), own))


# --- bars ---------------------------------------------------------------------------------------------------


@memberships.of(
    HardPartition, FuzzyPartition, PossibilisticPartition, RoughPartition, EvidentialPartition, usual=True
)
def memberships_of_one(result: Partition, *, reference: Partition | None = None) -> FigureData:
    """A bar for each object, or for runs of neighbours in the sorted order."""
    return _bars({"": result}, 0, reference)


@memberships.of(ChoiceOfK)
def memberships_over_k(result: ChoiceOfK, *, reference: Partition | None = None) -> FigureData:
    """A row of bars for each k, with the objects in one order."""
    if result.refit is None or not result.selected:
        raise NoFigureError(
            "this choice of k was read from a file and has no clusterings to show.",
            got="a result without data",
            need="what choose_k returned",
            fix="choose_k again",
        )
    ks = list(result.partitions)
    start = ks.index(result.k) if result.k in ks else 0
    told = f"k = {ks[start]}{' (chosen)' if ks[start] == result.k else ''}"
    return _bars({f"k = {k}": found for k, found in result.partitions.items()}, start, reference, told)


@memberships.of(Ensemble)
def memberships_of_several(result: Ensemble, *, reference: Partition | None = None) -> FigureData:
    """A row of bars for each clustering, with the objects in one order."""
    listed = [f"clustering {name}" if isinstance(name, int) else plain_name(name) for name in result.names]
    told = [f"{name} ({i})" if listed.count(name) > 1 else name for i, name in enumerate(listed)]
    return _bars(dict(zip(told, result, strict=True)), 0, reference, short_name(told[0]))


def _bars(given: dict[str, Partition], start: int, reference: Partition | None, by: str = "") -> FigureData:
    """Rows of bars, in the order of the one at ``start``, which is called ``by`` where there are several."""
    low = max(0, min(start - MOST_ROWS // 2, len(given) - MOST_ROWS))
    named, start = dict(list(given.items())[low : low + MOST_ROWS]), start - low
    known = chained_colours(list(named.values()), start=start, reference=reference)
    whole = [soft_shares(one) for one in named.values()]
    rows = [shares.joined(MOST_CLUSTERS) for shares in whole]
    main, main_partition = rows[start], list(named.values())[start]
    finest = max(rows, key=lambda shares: len(shares.names))
    runs = _runs(_order(main, [] if finest is main else [finest]), main.own, _most_columns(rows))
    told = finding(whole[0]) if not by else _over_rows(list(named), whole, known, start)
    at = f" at {by}" if by else ""
    each = _each(runs, main.n_objects)
    return FigureData(
        kind="memberships",
        title=told,
        description=f"{told}. Stacked bars of the {main.word} of {main.n_objects:,} objects in the clusters,"
        f" {'a row for each clustering, ' if by else ''}sorted by their cluster{at}, the surest first.",
        records=tuple(
            record
            for name, shares in zip(named, rows, strict=True)
            for record in _marks(name, shares, runs, main_partition)
        ),
        x=f"objects, sorted by cluster{at} and {main.word}",
        y=main.word,
        facts={
            "rows": list(named),
            "widths": runs.sizes.tolist(),
            "colours": {
                name: dict(zip(shares.names, shares.colours(one), strict=True))
                for name, shares, one in zip(named, rows, known, strict=True)
            },
            "segments": _segments(main, runs),
            "sorted_by": list(named)[start],
        },
        notes=(
            *dict.fromkeys(note for shares in rows for note in shares.notes),
            *_left_out(given, named),
            *each,
            *_never_largest(main),
            *repeated_note(main.colours(known[start])),
        ),
        size=(6.8, 2.9 if len(rows) == 1 else 1.4 + 0.62 * len(rows)),
    )


def _most_columns(rows: Sequence[SoftShares]) -> int:
    """Columns that a figure of so many clusters has."""
    fitting = MOST_MARKS // sum(len(shares.names) for shares in rows)
    return min(max(fitting, FEWEST_COLUMNS), MOST_COLUMNS)


def _left_out(given: dict[str, Any], shown: dict[str, Any]) -> tuple[str, ...]:
    if len(shown) == len(given):
        return ()
    first, *_, last = shown
    return (f"{len(shown)} of {len(given):,} clusterings shown: {short_name(first)} to {short_name(last)}",)


def _each(runs: Runs, n: int) -> tuple[str, ...]:
    """What is written where a column is several objects."""
    if runs.count == n:
        return ()
    low, high = int(runs.sizes.min()), int(runs.sizes.max())
    many = f"{high:,}" if low == high else f"{low:,} to {high:,}"
    return (f"{n:,} objects in {runs.count} columns, each the mean of {many} objects of one cluster",)


def _never_largest(shares: SoftShares) -> tuple[str, ...]:
    """Clusters that have shares and yet no object of their own: no place in the figure names them."""
    own = np.bincount(shares.own, minlength=len(shares.names))
    lost = [
        short_name(name)
        for name, size, count in zip(shares.names, shares.sizes, own, strict=True)
        if size > 0 and not count
    ]
    more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
    return (f"nobody's largest {shares.word}: {', '.join(lost[:3])}{more}",) if lost else ()


def _segments(shares: SoftShares, runs: Runs) -> list[Record]:
    """Where the objects of each cluster begin and end, in numbers of objects."""
    own = shares.own[runs.first]
    ends = np.cumsum(runs.sizes)
    return [
        {
            "cluster": shares.names[column],
            "low": int((ends - runs.sizes)[own == column].min()),
            "high": int(ends[own == column].max()),
        }
        for column in dict.fromkeys(own.tolist())
    ]


def _marks(row: str, shares: SoftShares, runs: Runs, objects: Partition) -> list[Record]:
    """A record for each share that is seen."""
    means = shares.means(runs.of, runs.count)
    single = runs.count == objects.n_objects
    labels = objects.index if objects.index is not None else range(objects.n_objects)
    told = [plain_name(labels[i]) if single else "" for i in runs.first.tolist()]
    sizes = runs.sizes.tolist()
    places, columns = np.nonzero(means >= SEEN)
    return [
        {
            "row": row,
            "column": place,
            "object": told[place],
            "objects": sizes[place],
            "cluster": shares.names[column],
            "share": share,
        }
        for place, column, share in zip(
            places.tolist(), columns.tolist(), means[places, columns].round(4).tolist(), strict=True
        )
    ]


def _over_rows(
    named: Sequence[str], rows: Sequence[SoftShares], colours: Sequence[dict[str, str]], start: int
) -> str:
    """What several rows show: how many objects are unsure in some of them; of hard ones how many move."""
    names, n = [short_name(name, 40) for name in named], rows[0].n_objects
    if len(rows) == 1:
        return f"{names[0]}: {finding(rows[0])}"
    if all(shares.is_hard for shares in rows):
        return _moves(names, rows, colours)
    several = [i for i, shares in enumerate(rows) if len(shares.names) > 1] or [0]
    picked = sorted({several[0], start, len(rows) - 1})
    counts = [f"{unsure_objects(rows[i]):,} of {n:,} at {names[i]}" for i in picked]
    return f"objects that belong to their cluster by less than {SURE}: {', '.join(counts)}"


def _moves(names: Sequence[str], rows: Sequence[SoftShares], colours: Sequence[dict[str, str]]) -> str:
    """Between which neighbouring rows most and fewest objects change their colour."""
    painted = []
    for shares, known in zip(rows, colours, strict=True):
        codes = np.array([int(colour[1:], 16) for colour in shares.colours(known)])
        painted.append(codes[shares.own])
    moved = [float(np.mean(a != b)) for a, b in pairwise(painted)]
    most = int(np.argmax(moved))
    if not moved[most]:
        return f"no object changes its cluster from {names[0]} to {names[-1]}"
    told = f"{moved[most]:.0%} of the objects change their colour from {names[most]} to {names[most + 1]}"
    return told if len(moved) == 1 else f"{told}, the most of {len(moved)} steps"


@memberships.drawn
def draw_memberships(ax: Axes, data: FigureData) -> None:
    """Stacked polygons, one for each cluster of a row; the names stand where their objects are."""
    names = data.facts["rows"]
    edges = np.r_[0, np.cumsum(data.facts["widths"])]
    made = panels(ax, len(names), 1) if len(names) > 1 else [ax]
    corners = 2 * sum(len(data.facts["colours"][name]) for name in names) * len(edges)
    for name, panel in zip(names, made, strict=True):
        _draw_row(panel, data, name, edges, rasterized=corners > MOST_CORNERS)
        panel.set_xlim(0, edges[-1])
        panel.set_ylim(0, 1)
        for segment in data.facts["segments"][1:]:
            panel.axvline(segment["low"], color=INK, linewidth=0.5)
        if len(names) > 1:
            panel.set_yticks([])
            panel.set_ylabel(short_name(name, 18), rotation=0, ha="right", va="center", fontsize=8)
            panel.set_xticks([])
    made[-1].set_xlabel(data.x)
    if len(names) == 1:
        ax.set_ylabel(data.y)
    segments = sorted(data.facts["segments"], key=lambda one: one["low"] - one["high"])
    name_ticks(
        made[-1],
        "x",
        [(s["low"] + s["high"]) / 2 for s in segments],
        [s["cluster"] for s in segments],
        most=24 if len(segments) <= FEW_SEGMENTS else 10,
    )
    made[-1].tick_params(axis="x", length=0)


def _draw_row(ax: Axes, data: FigureData, name: str, edges: Floats, *, rasterized: bool) -> None:
    colours = data.facts["colours"][name]
    heights = {cluster: np.zeros(len(edges) - 1) for cluster in colours}
    for record in data.records:
        if record["row"] == name:
            heights[record["cluster"]][record["column"]] += record["share"]
    floor = np.zeros(len(edges) - 1)
    for cluster, colour in colours.items():
        top = floor + heights[cluster]
        if heights[cluster].any():
            ax.fill_between(
                edges,
                np.r_[floor, floor[-1:]],
                np.r_[top, top[-1:]],
                step="post",
                color=colour,
                linewidth=0,
                antialiased=False,
                rasterized=rasterized,
                label=short_name(cluster),
            )
        floor = top


# --- heat map -----------------------------------------------------------------------------------------------


@heatmap.of(FuzzyPartition, PossibilisticPartition, RoughPartition, EvidentialPartition)
def heatmap_of(result: Partition) -> FigureData:
    """A cell for each cluster and object, or run of neighbours in the sorted order."""
    whole = soft_shares(result, as_given=True)
    shares = whole.joined(MOST_CLUSTERS)
    runs = _runs(_order(shares), shares.own, _most_columns([shares]))
    told = finding(whole)
    each = _each(runs, shares.n_objects)
    return FigureData(
        kind="heatmap",
        title=told,
        description=f"{told}. A heat map of the {shares.word} of {shares.n_objects:,} objects (from left to"
        f" right, sorted by cluster, the surest first) in each cluster (from top to bottom).",
        records=tuple(_marks("", shares, runs, result)),
        x=f"objects, sorted by cluster and {shares.word}",
        y="cluster",
        facts={
            "clusters": list(shares.names),
            "widths": runs.sizes.tolist(),
            "segments": _segments(shares, runs),
            "word": shares.word,
        },
        notes=(*shares.notes, *each),
        size=(6.8, min(2.2 + 0.2 * len(shares.names), 7.0)),
    )


@heatmap.drawn
def draw_heatmap(ax: Axes, data: FigureData) -> None:
    """An image of cells, clusters from top to bottom."""
    clusters = data.facts["clusters"]
    edges = np.r_[0, np.cumsum(data.facts["widths"])]
    cells = np.zeros((len(clusters), len(edges) - 1))
    place = {cluster: row for row, cluster in enumerate(clusters)}
    for record in data.records:
        cells[place[record["cluster"]], record["column"]] += record["share"]
    image = ax.pcolormesh(
        edges, np.arange(len(clusters) + 1), cells, cmap="cividis", vmin=0.0, vmax=1.0, rasterized=True
    )
    ax.invert_yaxis()
    for segment in data.facts["segments"][1:]:
        ax.axvline(segment["low"], color="white", linewidth=0.6)
    name_ticks(ax, "y", [row + 0.5 for row in range(len(clusters))], clusters, most=18)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", integer=True, nbins=6)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set_xlabel(data.x)
    ax.set_ylabel(data.y)
    figure: Any = ax.get_figure()
    figure.colorbar(image, ax=ax, label=data.facts["word"], pad=0.02)
