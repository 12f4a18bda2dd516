"""The simplex of three clusters: each object a point in a triangle, by its memberships."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import (
    EvidentialPartition,
    FuzzyPartition,
    Partition,
    PossibilisticPartition,
    RoughPartition,
)
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.names import plain_name, short_name
from partita.plots.palette import FAINT, INK, cluster_colours, is_dark
from partita.plots.panels import plain_frame
from partita.plots.soft_shares import SURE, SoftShares, finding, soft_shares
from partita.plots.thinning import thinned, thinning_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["simplex"]

simplex = figure_kind("simplex", "three clusters as the corners of a triangle, objects by their memberships")

HEIGHT = math.sqrt(3) / 2
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, HEIGHT]])

POINT, LARGEST = 16.0, 900.0
"""Areas of the point of one object, and of the most that lie on one place."""

MOST_VECTORS = 1000
"""Points that are drawn as such; more are rasterised, so that files stay small."""


@simplex.of(FuzzyPartition, PossibilisticPartition, RoughPartition, EvidentialPartition)
def simplex_of(result: Partition, *, reference: Partition | None = None) -> FigureData:
    """A point for each object; noise is left out, and its share divided out."""
    shares = soft_shares(result)
    columns = [j for j in range(len(shares.names)) if j != shares.noise]
    if len(columns) != 3:
        raise NoFigureError(
            "a triangle shows three clusters.",
            got=f"{len(columns)} clusters",
            need="a soft clustering into three",
            fix='the kind "memberships" shows any number',
            parameter="kind",
        )
    placed = np.flatnonzero(~shares.is_noise)
    if not placed.size:
        raise NoFigureError("all objects are noise.", got=repr(result)[:80], need="objects in clusters")
    rows, counts = _shown(shares, placed)
    three = _three(shares, rows, columns)
    labels = result.index if result.index is not None else range(result.n_objects)
    names = [shares.names[j] for j in columns]
    told = finding(shares)
    noisy = shares.n_objects - placed.size
    return FigureData(
        kind="simplex",
        title=told,
        description=f"{told}. A triangle with the clusters {', '.join(names)} at its corners: the nearer an"
        f" object is to a corner, the larger its {shares.word} there; dashed lines are at {SURE}.",
        records=tuple(
            {
                "object": plain_name(labels[row]) if count == 1 else "",
                "objects": count,
                "cluster": names[int(np.argmax(parts))],
                "first": round(parts[0], 4),
                "second": round(parts[1], 4),
                "third": round(parts[2], 4),
                "x": x,
                "y": y,
            }
            for row, count, parts, (x, y) in zip(
                rows.tolist(), counts.tolist(), three.tolist(), (three @ CORNERS).tolist(), strict=True
            )
        ),
        facts={
            "corners": names,
            "colours": dict(
                zip(shares.names, shares.colours(cluster_colours(result, reference=reference)), strict=True)
            ),
            "sure": SURE,
            "word": shares.word,
        },
        notes=(
            *shares.notes,
            *([f"{noisy:,} of {shares.n_objects:,} objects, mostly noise, left out"] if noisy else []),
            *thinning_note(int(counts.sum()), placed.size),
        ),
        size=(5.2, 4.9),
    )


def _shown(shares: SoftShares, placed: Array) -> tuple[Array, Array]:
    """The objects that are drawn, and how many each stands for: of a rough clustering all of one set."""
    if not shares.is_rough:
        rows = placed[thinned(shares.own[placed])]
        return rows, np.ones(rows.size, dtype=int)
    _, first, counts = np.unique(shares.matrix > 0, axis=0, return_index=True, return_counts=True)
    return first, counts


def _three(shares: SoftShares, rows: Array, columns: list[int]) -> Floats:
    """The shares of objects in three clusters, which sum to one without noise."""
    parts = shares.at(rows)[:, columns]
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


@simplex.drawn
def draw_simplex(ax: Axes, data: FigureData) -> None:
    """A triangle with names at its corners, and before each a line beyond which objects are sure."""
    plain_frame(ax)
    ax.set_aspect("equal")
    ax.set_xlim(-0.16, 1.16)
    ax.set_ylim(-0.13, HEIGHT + 0.1)
    ax.fill(*CORNERS.T, facecolor="none", edgecolor=INK, linewidth=1.0)
    sure = data.facts["sure"]
    for corner in range(3):
        ends = [sure * CORNERS[corner] + (1 - sure) * CORNERS[other] for other in range(3) if other != corner]
        ax.plot(*np.array(ends).T, color=FAINT, linewidth=0.8, linestyle="--")
    clusters, colours = data.facts["corners"], data.facts["colours"]
    most = max(data.column("objects"))
    for name in clusters:
        mine = [r for r in data.records if r["cluster"] == name]
        ax.scatter(
            [r["x"] for r in mine],
            [r["y"] for r in mine],
            s=[_area(r["objects"], most) for r in mine],
            color=colours[name],
            alpha=0.7 if most == 1 else 1.0,
            linewidths=0,
            rasterized=len(data.records) > MOST_VECTORS,
            zorder=3,
        )
    for r in data.records if most > 1 else ():
        ink = "#ffffff" if is_dark(colours[r["cluster"]]) else "#111111"
        ax.text(
            r["x"], r["y"], f"{r['objects']:,}", color=ink, ha="center", va="center", fontsize=8, zorder=4
        )
    away = 0.03 if most == 1 else 0.06
    places = ((-0.02, -away, "top"), (1.02, -away, "top"), (0.5, HEIGHT + away, "bottom"))
    for name, (x, y, up) in zip(clusters, places, strict=True):
        ax.text(x, y, short_name(name, 20), ha="center", va=up, fontsize=9)
    ax.text(0.5, -0.03, f"dashed: {data.facts['word']} {sure}", ha="center", va="top", fontsize=7)


def _area(count: int, most: int) -> float:
    """Of a point for so many objects, in square points of print."""
    return POINT if most == 1 else POINT + (LARGEST - POINT) * count / most
