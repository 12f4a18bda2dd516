"""Clustering trees: which cluster of each level comes from which of the level before.

After Zappia and Oshlack (2018), whose in-proportion is the share of the lower cluster at each edge here.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Floats
from partita.errors import ParameterError, near_names
from partita.partitions import Ensemble, Partition
from partita.plots.figures import FigureData, figure_kind
from partita.plots.heat_maps import (
    LETTERS_ON_DARK,
    LETTERS_ON_LIGHT,
    cell_colour,
    colour_bar,
    strengths,
)
from partita.plots.joint_masses import Joints, finest, joints_of, percent
from partita.plots.kinds.flows import check_share, clusterings_over_k, main_parents_finding
from partita.plots.layouts import few_crossings, node_places
from partita.plots.names import plain_name, short_name
from partita.plots.palette import FAINT, is_dark
from partita.plots.panels import LABEL, label, name_ticks
from partita.selection import ChoiceOfK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

tree = figure_kind("tree", "which cluster of each clustering comes from which of the one before")

MOST_LEVELS = 30
MOST_CLUSTERS = 40
"""Nodes of one level; the smallest clusters of more are one node."""

LEAST = 0.1
"""The share of a cluster that comes from another, below which the edge between them is hidden."""

COLOURS = ("cluster", "stability")

LARGEST_NODE, SMALLEST_NODE = 420.0, 14.0
"""Areas of nodes, in square points."""

WIDEST_EDGE, THINNEST_EDGE = 7.0, 0.7

LETTER = 4.6
"""The width of a letter at a node, in points."""

FEWEST_LETTERS = 3
"""A name of which no more can be shown is left away."""


@tree.of(ChoiceOfK)
def tree_over_k(
    result: ChoiceOfK,
    *,
    least: float = LEAST,
    colour: Any = "cluster",
    measure: str = "",
    reference: Partition | None = None,
) -> FigureData:
    """A level for each number of clusters; see `tree_of_ensemble` for the options."""
    return _figure(clusterings_over_k(result), least, colour, measure, reference, "k = ")


@tree.of(Ensemble)
def tree_of_ensemble(
    result: Ensemble,
    *,
    least: float = LEAST,
    colour: Any = "cluster",
    measure: str = "",
    reference: Partition | None = None,
) -> FigureData:
    """A level for each clustering, in the order in which they were given.

    Parameters
    ----------
    result : Ensemble
        The clusterings, at least two.
    least : float
        Edges are hidden where less than this share of the lower cluster comes from the upper one.
    colour : {"cluster", "stability"} or dict
        The colours of the nodes. "cluster": one for each cluster, those of ``reference`` by alignment.
        "stability": how far a cluster is one of its neighbours' too: the largest Jaccard index that it has
        with a cluster of the level before, and with one of the level after, the mean of both; 1 is a cluster
        that stays as it is. Or a number for each cluster, ``{(level, cluster): value}``.
    measure : str
        What such numbers are.
    reference : Partition, optional
        Whose colours are taken on; by default those of the clustering with the most clusters.
    """
    return _figure(dict(zip(result.names, result, strict=True)), least, colour, measure, reference, "")


def _figure(
    partitions: Mapping[Any, Partition],
    least: float,
    colour: Any,
    measure: str,
    reference: Partition | None,
    prefix: str,
) -> FigureData:
    check_share(least)
    joints = joints_of(
        partitions,
        reference=reference or finest(list(partitions.values())),
        most_levels=MOST_LEVELS,
        most_clusters=MOST_CLUSTERS,
    )
    names = [f"{prefix}{level.name}" for level in joints.levels]
    values, measured = _node_values(joints, partitions, colour, measure)
    places = node_places(joints, few_crossings(joints))
    edges = _edges(joints, names, places)
    shown = [edge for edge in edges if edge["share_of_lower"] >= least]
    title = main_parents_finding(joints, names)
    hidden = len(edges) - len(shown)
    widest = max(len(level.clusters) for level in joints.levels)
    return FigureData(
        kind="tree",
        title=title,
        description=(
            f"{title}. A row of nodes for each clustering, from {short_name(names[0])} to "
            f"{short_name(names[-1])}; a node is a cluster, as large as its "
            f"{'mass' if joints.is_soft else 'number of objects'}; an edge is the share of the lower cluster "
            "that comes from the upper one, the thicker the more is shared."
        ),
        records=tuple(shown),
        y="clustering",
        facts={
            "levels": names,
            "nodes": [
                {
                    "level": i,
                    "cluster": level.clusters[j],
                    "mass": float(level.masses[j]),
                    "colour": level.colours[j],
                    "value": values[i][j],
                    "together": level.keys[j] is None and bool(level.together),
                    "x": float(places[i][j]),
                }
                for i, level in enumerate(joints.levels)
                for j in range(len(level.clusters))
            ],
            "measure": measured,
            "scale": _scale(values, colour),
            "total": joints.total,
            "hidden": hidden,
            "from_main_parents": list(joints.from_main_parents),
        },
        notes=(*joints.notes, *_hidden_note(edges, shown, least)),
        size=(6.8, float(np.clip(0.62 * len(names) + 1.0, 2.6, 9.0)) + 0.02 * widest),
    )


def _edges(joints: Joints, names: Sequence[str], places: Sequence[Floats]) -> list[dict[str, Any]]:
    """All that clusters of adjacent levels share."""
    made = []
    for level, table in enumerate(joints.tables):
        above, below = joints.levels[level], joints.levels[level + 1]
        for i, j in np.argwhere(table > 0).tolist():
            made.append(
                {
                    "from_clustering": names[level],
                    "from_cluster": above.clusters[i],
                    "to_clustering": names[level + 1],
                    "to_cluster": below.clusters[j],
                    "mass": float(table[i, j]),
                    "share_of_lower": float(table[i, j] / table[:, j].sum()),
                    "share_of_upper": float(table[i, j] / table[i].sum()),
                    "level": level,
                    "upper_x": float(places[level][i]),
                    "lower_x": float(places[level + 1][j]),
                }
            )
    return made


def _hidden_note(
    edges: Sequence[Mapping[str, Any]], shown: Sequence[Mapping[str, Any]], least: float
) -> tuple[str, ...]:
    hidden = len(edges) - len(shown)
    if not hidden:
        return ()
    of = f"{hidden:,} of {len(edges):,} edges"
    return (f"{of} hidden: less than {percent(least)} of the lower cluster comes from the upper one",)


# --- numbers at nodes -------------------------------------------------------------------------------------


def _node_values(
    joints: Joints, partitions: Mapping[Any, Partition], colour: Any, measure: str
) -> tuple[list[list[float | None]], str]:
    """A number for each node, or None, and what it is; no name where nodes have the colours of clusters."""
    if not isinstance(measure, str):
        raise ParameterError(
            "measure is what the numbers of clusters are.",
            got=repr(measure)[:60],
            need="text",
            parameter="measure",
        )
    if isinstance(colour, Mapping):
        return _given_values(joints, partitions, colour), plain_name(measure or "value")
    if not isinstance(colour, str) or colour not in COLOURS:
        raise near_names(str(colour)[:60], COLOURS, noun="colour of nodes", parameter="colour")
    if colour == "stability":
        return _stabilities(joints), "stability (higher is better)"
    return [[None] * len(level.clusters) for level in joints.levels], ""


def _stabilities(joints: Joints) -> list[list[float | None]]:
    """For each cluster the mean of its largest Jaccard indices with the levels beside its own."""
    beside: list[list[Floats]] = [[] for _ in joints.levels]
    for level, table in enumerate(joints.tables):
        upper, lower = table.sum(axis=1), table.sum(axis=0)
        jaccard = table / (upper[:, None] + lower[None, :] - table)
        beside[level].append(jaccard.max(axis=1))
        beside[level + 1].append(jaccard.max(axis=0))
    made: list[list[float | None]] = []
    for level_of, found in zip(joints.levels, beside, strict=True):
        means: list[float | None] = np.mean(found, axis=0).tolist()
        if level_of.together:
            means[-1] = None
        made.append(means)
    return made


def _given_values(
    joints: Joints, partitions: Mapping[Any, Partition], given: Mapping[Any, Any]
) -> list[list[float | None]]:
    """The numbers that were given, by level and cluster as they are named."""
    known = {(key, name) for key, partition in partitions.items() for name in partition.names}
    for key, value in given.items():
        if key not in known:
            raise ParameterError(
                "colour has a cluster that is not there.",
                got=repr(key)[:60],
                need="(clustering, cluster), by their names",
                parameter="colour",
            )
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise ParameterError(
                "colour has something that is no number.",
                got=repr(value)[:60],
                need="a number for each cluster",
                parameter="colour",
            )
    return [[_number(given.get((level.key, key))) for key in level.keys] for level in joints.levels]


def _scale(values: Sequence[Sequence[float | None]], colour: Any) -> list[float]:
    """The faint and the strong end of the colours."""
    known = [value for level in values for value in level if value is not None]
    if colour == "stability" or not known:
        return [0.0, 1.0]
    low, high = min(known), max(known)
    return [low if low < high else high - 1.0, high]


def _number(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


# --- how it is drawn --------------------------------------------------------------------------------------


@tree.drawn
def draw_tree(ax: Axes, data: FigureData) -> None:
    """Levels from above, nodes with their names, edges as wide as what is shared."""
    from matplotlib.collections import LineCollection

    levels, nodes, total = data.facts["levels"], data.facts["nodes"], data.facts["total"]
    weakest_first = sorted(data.records, key=lambda record: record["share_of_lower"])
    lines = [[(r["upper_x"], r["level"]), (r["lower_x"], r["level"] + 1)] for r in weakest_first]
    widths = [THINNEST_EDGE + (WIDEST_EDGE - THINNEST_EDGE) * r["mass"] / total for r in weakest_first]
    strong = [0.25 + 0.6 * r["share_of_lower"] for r in weakest_first]
    ax.add_collection(
        LineCollection(lines, linewidths=widths, colors=FAINT, alpha=strong, zorder=1, gid="edges")
    )
    colours = _node_colours(ax, data)
    ends = min(node["x"] for node in nodes) - 0.6, max(node["x"] for node in nodes) + 1.0
    unit = _points_across(ax) / (ends[1] - ends[0])
    areas = _areas(nodes, unit)
    ax.scatter(
        [node["x"] for node in nodes],
        [node["level"] for node in nodes],
        s=areas,
        c=colours,
        edgecolors=FAINT if data.facts["measure"] else "white",
        linewidths=0.6,
        zorder=2,
        gid="nodes",
    )
    for place in sorted(range(len(nodes)), key=lambda place: -nodes[place]["mass"]):
        beside = [n["x"] for n in nodes if n["level"] == nodes[place]["level"] and n["x"] > nodes[place]["x"]]
        room = (min(beside, default=ends[1]) - nodes[place]["x"]) * unit
        _name_node(ax, nodes[place], colours[place], areas[place], room)
    ax.set_xlim(*ends)
    ax.set_ylim(len(levels) - 0.5, -0.5)
    ax.set_xticks([])
    name_ticks(ax, "y", range(len(levels)), levels, 18)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _points_across(ax: Axes) -> float:
    figure: Any = ax.get_figure()
    return float(figure.bbox.width / figure.dpi * 72.0 * ax.get_position().width)


def _areas(nodes: Sequence[Mapping[str, Any]], unit: float) -> list[float]:
    """In square points, in proportion to the masses; none so large that it reaches the next."""
    largest = min(LARGEST_NODE, math.pi / 4 * (0.8 * unit) ** 2)
    single = [node["mass"] for node in nodes if not node["together"]] or [node["mass"] for node in nodes]
    return [
        max(largest * min(node["mass"] / max(single), 1.0), min(SMALLEST_NODE, largest)) for node in nodes
    ]


def _name_node(ax: Axes, node: Mapping[str, Any], colour: str, area: float, room: float) -> None:
    """The name inside of the node where it is short enough, else beside it as far as there is room."""
    across = 2.0 * math.sqrt(area / math.pi)
    if len(node["cluster"]) * LETTER <= across - 2.0:
        on = LETTERS_ON_DARK if is_dark(colour) else LETTERS_ON_LIGHT
        label(ax, node["x"], node["level"], node["cluster"], ha="center", va="center", fontsize=7, color=on)
        return
    shown = short_name(node["cluster"], max(int((room - across) / LETTER), 1))
    if len(shown) < min(len(node["cluster"]), FEWEST_LETTERS):
        return
    ax.annotate(
        shown,
        (node["x"], node["level"]),
        xytext=(across / 2 + 2, 0),
        textcoords="offset points",
        ha="left",
        va="center",
        fontsize=7,
        gid=LABEL,
    )


def _node_colours(ax: Axes, data: FigureData) -> list[str]:
    """Those of the clusters, or by the numbers of the nodes, with what these stand for at the side."""
    nodes = data.facts["nodes"]
    if not data.facts["measure"]:
        return [node["colour"] for node in nodes]
    low, high = data.facts["scale"]
    strong = strengths(np.array([math.nan if n["value"] is None else n["value"] for n in nodes]), low, high)
    colour_bar([ax], low, high, data.facts["measure"])
    return [FAINT if math.isnan(one) else cell_colour(one) for one in strong.tolist()]
