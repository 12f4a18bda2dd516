"""Silhouettes: how well each object lies in its cluster, sorted within the clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Array, Floats
from partita.cluster_quality import ClusterQuality, ObjectSilhouettes
from partita.errors import PartitaError
from partita.partitions import Partition
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.names import plain_name, short_name
from partita.plots.palette import FAINT, INK, cluster_colours, colour_at
from partita.plots.panels import label, name_ticks
from partita.plots.thinning import MOST_DRAWN, thinned
from partita.results import show
from partita.validation import Validation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

silhouette = figure_kind("silhouette", "the silhouette of each object, sorted within the clusters")

GAP = 0.02
"""Between clusters, of all objects; less where there are many clusters."""

ALL_GAPS = 0.2
"""Of all objects, together."""

HATCH = "////"
"""Of objects with a negative silhouette."""

MOST_BARS = 60
"""Of a cluster; more objects are joined to a curve."""

MOST_PROFILES = 200
"""Clusters whose profiles are drawn as such; more are an image inside the figure."""

TALLEST, LINE = 8.0, 0.19
"""In inches: the figure, and a line of text."""


@silhouette.of(Validation, usual=True)
def silhouettes_of_validation(result: Validation, *, reference: Partition | None = None) -> FigureData:
    """Of the clustering that was judged, with the colours of ``reference`` where that is given."""
    try:
        quality = result.by_cluster
    except PartitaError as problem:
        raise NoFigureError(problem.what, got=problem.got, need=problem.need, fix=problem.fix) from None
    found = None if result.inputs is None else result.inputs.partitions["found"]
    return _silhouettes(quality, {} if found is None else cluster_colours(found, reference=reference))


@silhouette.of(ClusterQuality, usual=True)
def silhouettes_of_clusters(result: ClusterQuality) -> FigureData:
    """Of the clusters that were judged."""
    return _silhouettes(result, {})


def _silhouettes(quality: ClusterQuality, colours: dict[str, str]) -> FigureData:
    objects = quality.objects
    known = None if objects is None else np.isfinite(objects.values)
    if objects is None or known is None or not known.any():
        raise NoFigureError(
            "silhouettes need two clusters at least, and objects in them.",
            got=quality.title,
            need="a clustering of two clusters or more",
        )
    order = _stacked(objects, known)
    clusters = _clusters(quality, objects, order, colours)
    shown = _thinned(objects.clusters[order])
    negative = int((objects.values[order] < 0).sum())
    gaps = {one["code"]: one["gap"] for one in clusters}
    records = tuple(
        {
            "cluster": plain_name(objects.names[code]),
            "object": row,
            "silhouette": value,
            "neighbour": plain_name(objects.names[neighbour]) if neighbour >= 0 else "",
            "negative": value < 0,
            "place": place + gaps[code],
            "code": code,
        }
        for place, row, code, neighbour, value in zip(
            shown.tolist(),
            objects.rows[order[shown]].tolist(),
            objects.clusters[order[shown]].tolist(),
            objects.neighbours[order[shown]].tolist(),
            objects.values[order[shown]].tolist(),
            strict=True,
        )
    )
    title = _title(objects, order.size, negative)
    return FigureData(
        kind="silhouette",
        title=title,
        description=_description(title, clusters),
        records=records,
        x="silhouette, from −1 to 1 (higher is better)",
        y="objects, sorted within clusters",
        facts={"mean": float(objects.mean), "negative": negative, "clusters": clusters},
        notes=_notes(quality, objects, records, order.size, len(clusters)),
        size=(6.8, min(max(2.2 + 0.32 * len(clusters), 3.4), TALLEST)),
    )


def _stacked(objects: ObjectSilhouettes, known: Array) -> Array:
    """The places of the objects that have a value: cluster by cluster, the best first."""
    order = np.lexsort((-objects.values, objects.clusters))
    return np.asarray(order[known[order]])


def _clusters(
    quality: ClusterQuality, objects: ObjectSilhouettes, order: Array, colours: dict[str, str]
) -> list[dict[str, Any]]:
    """Each cluster that has objects: where it is drawn, how large it is, and its mean over all objects."""
    codes, starts, counts = np.unique(objects.clusters[order], return_index=True, return_counts=True)
    rows = {row.cluster: row for row in quality.rows}
    negative = np.bincount(objects.clusters[order], objects.values[order] < 0, len(objects.names))
    gap = min(GAP, ALL_GAPS / len(codes)) * order.size
    made = []
    for place, (code, start, count) in enumerate(
        zip(codes.tolist(), starts.tolist(), counts.tolist(), strict=True)
    ):
        name = plain_name(objects.names[code])
        row = rows.get(objects.names[code])
        mean = math.nan if row is None else float(row.silhouette)
        made.append(
            {
                "cluster": name,
                "code": code,
                "size": count if row is None else row.size,
                "seen": count,
                "mean": mean if math.isfinite(mean) else None,
                "negative": int(negative[code]),
                "colour": colours.get(name, colour_at(code)),
                "gap": place * gap,
                "low": start + place * gap,
                "high": start + count + place * gap,
            }
        )
    return made


def _thinned(codes: Array) -> Array:
    """Places in the sorted objects: all, or evenly spread over the ranks of each cluster, with both ends."""
    if codes.size <= MOST_DRAWN:
        return np.arange(codes.size)
    kept = np.bincount(codes[thinned(codes)], minlength=int(codes.max()) + 1)
    filled, starts, sizes = np.unique(codes, return_index=True, return_counts=True)
    parts = [
        start + np.unique(np.linspace(0, size - 1, kept[code]).round().astype(int))
        for code, start, size in zip(filled, starts, sizes, strict=True)
    ]
    return np.concatenate(parts)


def _title(objects: ObjectSilhouettes, looked_at: int, negative: int) -> str:
    sampled = " sampled" if looked_at < objects.n_objects else ""
    if not negative:
        return f"mean silhouette {show(objects.mean)}; none of {looked_at:,}{sampled} objects is below 0"
    lie = "lies" if negative == 1 else "lie"
    below = f"{negative:,} of {looked_at:,}{sampled} objects {lie} nearer to another cluster on average"
    return f"mean silhouette {show(objects.mean)}; {below} (below 0)"


def _description(title: str, clusters: list[dict[str, Any]]) -> str:
    known = [one for one in clusters if one["mean"] is not None]
    ends = ""
    if known:
        best, worst = (pick(known, key=lambda one: one["mean"]) for pick in (max, min))
        ends = (
            f" The best cluster is {short_name(best['cluster'])} with a mean of {show(best['mean'])},"
            f" the worst {short_name(worst['cluster'])} with {show(worst['mean'])}."
        )
    return (
        f"{title}. The silhouettes of objects in {len(clusters)} clusters, sorted within each cluster, with"
        f" the mean of each cluster as a line and that of all as a dashed one.{ends}"
    )


def _notes(
    quality: ClusterQuality,
    objects: ObjectSilhouettes,
    records: Sequence[dict[str, Any]],
    known: int,
    clusters: int,
) -> tuple[str, ...]:
    notes = list(quality.notes)
    notes += ["hatched: nearer to another cluster on average"] if (objects.values < 0).any() else []
    total, seen = objects.n_objects, len(objects.values)
    if seen < total:
        notes.append(f"estimated from {seen:,} of {total:,} objects, each held against all")
    if known < seen:
        notes.append(f"{seen - known:,} objects have no silhouette and are not drawn")
    shown, seen_clusters = len(records), len({record["code"] for record in records})
    if shown < known:
        those = (
            "every cluster" if seen_clusters == clusters else f"{seen_clusters:,} of {clusters:,} clusters"
        )
        notes.append(f"{shown:,} of {known:,} objects shown, at even ranks of {those}; means are of all")
    return tuple(notes)


@silhouette.drawn
def draw_silhouettes(ax: Axes, data: FigureData) -> None:
    """A profile for each cluster, hatched below 0; its mean is a line, that of all objects a dashed one."""
    clusters, mean = data.facts["clusters"], data.facts["mean"]
    by_code: dict[int, list[dict[str, Any]]] = {one["code"]: [] for one in clusters}
    for record in data.records:
        by_code[record["code"]].append(record)
    for one in clusters:
        if by_code[one["code"]]:
            _draw_profile(ax, one, by_code[one["code"]], dense=len(clusters) > MOST_PROFILES)
    values = data.column("silhouette")
    ax.set_xlim(min(0.0, mean, *values) - 0.03, 1.0)
    height = clusters[-1]["high"] / (ax.get_window_extent().height / ax.figure.dpi)  # of an inch
    ax.set_ylim(1.01 * clusters[-1]["high"], -LINE * height)
    ax.axvline(mean, color=INK, linewidth=1.0, linestyle="--", gid="mean")
    side, away = ("right", -0.01) if mean > 0.5 else ("left", 0.01)
    label(ax, mean + away, -LINE * height, f"mean of all {mean:.2f}", ha=side, va="top", fontsize=8)
    told = _apart(clusters, LINE * height)
    name_ticks(ax, "y", [_middle(one) for one in told], [one["cluster"] for one in told])
    ax.tick_params(axis="y", length=0)
    for one in told:
        _tell(ax, one)
    ax.axvline(0.0, color=FAINT, linewidth=0.8)
    ax.set_xlabel(data.x)
    ax.set_ylabel(data.y)


def _draw_profile(ax: Axes, cluster: dict[str, Any], mine: list[dict[str, Any]], *, dense: bool) -> None:
    edges, values = _outline([r["place"] for r in mine], [r["silhouette"] for r in mine], cluster)
    colour = cluster["colour"]
    ax.fill(np.maximum(values, 0.0), edges, color=colour, linewidth=0, gid="positive", rasterized=dense)
    if (values < 0).any():
        ax.fill(
            np.minimum(values, 0.0),
            edges,
            facecolor="none",
            edgecolor=colour,
            hatch=HATCH,
            linewidth=0.8,
            gid="negative",
            rasterized=dense,
        )
    if cluster["mean"] is not None:
        ends = [cluster["low"], cluster["high"]]
        ax.plot(
            [cluster["mean"]] * 2, ends, color=INK, linewidth=1.2, gid="mean of cluster", rasterized=dense
        )


def _outline(places: list[float], values: list[float], cluster: dict[str, Any]) -> tuple[Floats, Floats]:
    """Of bars that fill the height of a cluster, each up to halfway to the next; of many bars their ends."""
    at, heights = np.asarray(places) + 0.5, np.asarray(values)
    if at.size <= MOST_BARS:
        bounds = np.concatenate([[cluster["low"]], (at[:-1] + at[1:]) / 2, [cluster["high"]]])
        at, heights = np.repeat(bounds, 2)[1:-1], np.repeat(heights, 2)
    ends = [cluster["low"]], [cluster["high"]]
    return np.concatenate([ends[0], at, ends[1]]), np.concatenate([[0.0], heights, [0.0]])


def _apart(clusters: list[dict[str, Any]], least: float) -> list[dict[str, Any]]:
    """Clusters from the first on whose middles lie as far apart as this, so that each has room for a line."""
    told: list[dict[str, Any]] = []
    for one in clusters:
        if not told or _middle(one) - _middle(told[-1]) >= least:
            told.append(one)
    return told


def _middle(cluster: dict[str, Any]) -> float:
    return float(cluster["low"] + cluster["high"]) / 2


def _tell(ax: Axes, cluster: dict[str, Any]) -> None:
    """The mean, the size and the number below 0 of a cluster, right of it."""
    mean = "" if cluster["mean"] is None else f"mean {cluster['mean']:.2f}, "
    seen = f" of {cluster['seen']:,} seen" if cluster["seen"] < cluster["size"] else ""
    below = f", {cluster['negative']:,}{seen} below 0" if cluster["negative"] else ""
    text = f"{mean}n = {cluster['size']:,.6g}{below}"
    placed = label(ax, 1.02, _middle(cluster), text, 60, va="center", fontsize=8, clip_on=False)
    placed.set_transform(ax.get_yaxis_transform())
