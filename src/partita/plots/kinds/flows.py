"""Flows (alluvial figures): where the clusters of one clustering are in the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Array
from partita.comparison import Comparison
from partita.errors import ParameterError
from partita.inputs import Inputs
from partita.partitions import Ensemble, Partition
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.joint_masses import Joints, finest, joints_of, mass_text, percent
from partita.plots.layouts import Ribbon, blocks_of, few_crossings, ribbon_outline, ribbons_of
from partita.plots.names import short_name
from partita.plots.panels import label, name_ticks
from partita.results.side_by_side import SideBySide
from partita.selection import ChoiceOfK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["check_share", "clusterings_over_k", "flow", "main_parents_finding"]

flow = figure_kind("flow", "where the clusters of one clustering are in the next, by counts or mass")

MOST_LEVELS = 12
"""Clusterings in one figure."""

MOST_CLUSTERS = 40
"""Blocks of one clustering; the smallest clusters of more are one block."""

LEAST = 0.02
"""A ribbon that is less than this share of both clusters that it joins is hidden."""

BLOCK_WIDTH, WIDEST_BLOCK = 0.03, 0.1
"""Of the whole figure, and of the distance of two clusterings at most."""

LETTERS_IN_TITLE = 16

ROUNDING = 1e-9


@flow.of(Comparison)
def flow_of_comparison(
    result: Comparison, *, least: float = LEAST, reference: Partition | None = None
) -> FigureData:
    """From the true clusters to the found ones.

    ``least`` is the share of a cluster below which ribbons are hidden: those that are less of both.
    """
    inputs = result.inputs
    if inputs is None or not inputs.n_objects:
        raise _no_clusterings("comparison", inputs)
    named = {inputs.called.of(side): partition for side, partition in inputs.partitions.items()}
    return _figure(named, least, reference, weight=inputs.weight)


@flow.of(SideBySide)
def flow_of_side_by_side(
    result: SideBySide, *, least: float = LEAST, reference: Partition | None = None
) -> FigureData:
    """From the truth, where there is one, to each clustering in turn."""
    given: dict[Any, Inputs] = {}
    for name, one in result.results.items():
        inputs = getattr(one, "inputs", None)
        if inputs is None or not inputs.n_objects:
            raise _no_clusterings("side-by-side result", inputs)
        given[name] = inputs
    _check_same_objects(result, list(given.values()))
    first = next(iter(given.values()))
    listed: dict[Any, Partition] = {}
    if "truth" in first.partitions:
        listed[first.called.truth] = first.partitions["truth"]
    listed |= {result.labels[name]: inputs.partitions["found"] for name, inputs in given.items()}
    return _figure(listed, least, reference, weight=first.weight)


@flow.of(Ensemble)
def flow_of_ensemble(
    result: Ensemble, *, least: float = LEAST, reference: Partition | None = None
) -> FigureData:
    """From each clustering to the next, in the order in which they were given."""
    return _figure(dict(zip(result.names, result, strict=True)), least, reference)


@flow.of(ChoiceOfK)
def flow_over_k(result: ChoiceOfK, *, least: float = LEAST, reference: Partition | None = None) -> FigureData:
    """From each number of clusters to the next."""
    partitions = clusterings_over_k(result)
    return _figure(partitions, least, reference or finest(list(partitions.values())), prefix="k = ")


def clusterings_over_k(result: ChoiceOfK) -> dict[int, Partition]:
    """The clustering of each k, or an error that says why there is none."""
    if result.refit is None:
        raise NoFigureError(
            "this choice of k holds no clusterings to show.",
            got="a result read from a file",
            need="the data, to fit them again",
            fix="choose_k again",
        )
    return result.partitions


def _no_clusterings(noun: str, inputs: Inputs | None) -> NoFigureError:
    return NoFigureError(
        f"this {noun} holds no clusterings to show.",
        got="a result read from a file" if inputs is None else "no objects: all are noise, and are ignored",
        need="the clusterings themselves",
    )


def _check_same_objects(result: SideBySide, given: Sequence[Inputs]) -> None:
    """Refuse clusterings from which different objects were left out."""
    left_out = result.provenance.get("noise") == "ignore" and any(one.coverage < 1.0 for one in given)
    names = [one.partitions["found"].index for one in given]
    if len({one.n_objects for one in given}) == 1:
        if not left_out and not any(one.dropped for one in given):
            return
        if all(index is not None and index.equals(names[0]) for index in names):
            return
    raise NoFigureError(
        "these clusterings are not of the same objects.",
        got=f"{', '.join(f'{one.n_objects:,}' for one in given)} objects, after some were left out",
        need="the same objects in every clustering",
        fix='noise="cluster"' if left_out else None,
    )


# --- what is shown ----------------------------------------------------------------------------------------


def _figure(
    partitions: Mapping[Any, Partition],
    least: float,
    reference: Partition | None,
    *,
    weight: Array | None = None,
    prefix: str = "",
) -> FigureData:
    check_share(least)
    joints = joints_of(
        partitions,
        reference=reference or next(iter(partitions.values())),
        most_levels=MOST_LEVELS,
        most_clusters=MOST_CLUSTERS,
        weight=weight,
    )
    orders = few_crossings(joints)
    blocks = blocks_of(joints, orders)
    ribbons = ribbons_of(joints, orders, blocks)
    shown = [ribbon for ribbon in ribbons if _largest_share(joints, ribbon) >= least]
    names = [f"{prefix}{level.name}" for level in joints.levels]
    title = _finding(joints, names, over_k=bool(prefix))
    tallest = max(len(level.clusters) for level in joints.levels)
    return FigureData(
        kind="flow",
        title=title,
        description=(
            f"{title}. Columns are clusterings ({', '.join(map(short_name, names))}), their blocks clusters "
            f"as high as their {'mass' if joints.is_soft else 'number of objects'}; a ribbon is what two "
            "clusters share, in the colour of the left one."
        ),
        records=tuple(_record(joints, names, ribbon) for ribbon in shown),
        facts={
            "levels": names,
            "blocks": [
                {
                    "level": block.level,
                    "cluster": joints.levels[block.level].clusters[block.cluster],
                    "mass": float(joints.levels[block.level].masses[block.cluster]),
                    "colour": joints.levels[block.level].colours[block.cluster],
                    "low": block.low,
                    "high": block.high,
                }
                for block in blocks
            ],
            "total": joints.total,
            "paired": list(joints.paired),
            "from_main_parents": list(joints.from_main_parents),
        },
        notes=(*joints.notes, *_hidden_note(joints, ribbons, shown, least)),
        size=(6.8, float(np.clip(0.32 * tallest + 1.6, 3.2, 7.0))),
    )


def check_share(least: Any, parameter: str = "least") -> None:
    """Refuse what is no share."""
    is_number = isinstance(least, (int, float, np.floating, np.integer)) and not isinstance(least, bool)
    if not is_number or not 0.0 <= least <= 1.0:
        raise ParameterError(
            f"{parameter} is no share.",
            got=repr(least)[:60],
            need="a number from 0 to 1",
            parameter=parameter,
        )


def _largest_share(joints: Joints, ribbon: Ribbon) -> float:
    """The share that a ribbon is of the cluster of which it is more."""
    parent = joints.levels[ribbon.level].masses[ribbon.parent]
    child = joints.levels[ribbon.level + 1].masses[ribbon.child]
    return float(ribbon.mass / min(parent, child))


def _record(joints: Joints, names: Sequence[str], ribbon: Ribbon) -> dict[str, Any]:
    before, after = joints.levels[ribbon.level], joints.levels[ribbon.level + 1]
    return {
        "from_clustering": names[ribbon.level],
        "from_cluster": before.clusters[ribbon.parent],
        "to_clustering": names[ribbon.level + 1],
        "to_cluster": after.clusters[ribbon.child],
        "mass": ribbon.mass,
        "share": ribbon.mass / joints.total,
        "colour": before.colours[ribbon.parent],
        "level": ribbon.level,
        "from_low": ribbon.parent_low,
        "to_low": ribbon.child_low,
    }


def _hidden_note(
    joints: Joints, ribbons: Sequence[Ribbon], shown: Sequence[Ribbon], least: float
) -> tuple[str, ...]:
    kept = set(shown)
    masses = [ribbon.mass for ribbon in ribbons if ribbon not in kept]
    hidden = len(masses)
    if not hidden:
        return ()
    share = sum(masses) / (joints.total * len(joints.tables))
    each = "" if len(joints.tables) == 1 else ", on average of the steps"
    word = "ribbon" if hidden == 1 else "ribbons"
    amount = f"{percent(share)} of the {joints.noun}{each}"
    return (f"{hidden:,} {word} of less than {percent(least)} of both clusters hidden: {amount}",)


# --- what it says -----------------------------------------------------------------------------------------


def main_parents_finding(joints: Joints, names: Sequence[str]) -> str:
    """How far clusters are parts of clusters of the level before, in a sentence."""
    kept = joints.from_main_parents
    least = min(kept)
    verb, whose = ("comes", "its") if joints.is_soft else ("come", "their")
    if least >= 1.0 - ROUNDING:
        return "every cluster is a part of one cluster of the clustering before"
    step = kept.index(least)
    steps = f"{_in_title(names[step])} to {_in_title(names[step + 1])}"
    said = f"{percent(least)} of the {joints.noun} {verb} from the main parent of {whose} cluster"
    if len(kept) == 1:
        return said
    return f"at every step at least {said}; the least from {steps}"


def _finding(joints: Joints, names: Sequence[str], *, over_k: bool) -> str:
    if over_k:
        return main_parents_finding(joints, names)
    kept = joints.paired
    same = [
        share >= 1.0 - ROUNDING and len(before.clusters) == len(after.clusters)
        for share, before, after in zip(kept, joints.levels, joints.levels[1:], strict=False)
    ]
    verb = "is" if joints.is_soft else "are"
    if all(same):
        if len(kept) > 1:
            return f"all {len(names)} clusterings are the same, up to the names of clusters"
        before, after = map(_in_title, names)
        return f"each cluster of {before} is one of {after}, and the other way round"
    if len(kept) == 1:
        total, inside = joints.total, kept[0] * joints.total
        return (
            f"{percent(kept[0])} of the {joints.noun} ({mass_text(inside)} of {mass_text(total)}) "
            f"{verb} in paired clusters of {_in_title(names[0])} and {_in_title(names[1])}"
        )
    steps = [f"{_in_title(a)} to {_in_title(b)}" for a, b in pairwise(names)]
    low, high = int(np.argmin(kept)), int(np.argmax(kept))
    return (
        f"from one clustering to the next {percent(kept[low])} ({steps[low]}) to {percent(kept[high])} "
        f"({steps[high]}) of the {joints.noun} {'stays' if joints.is_soft else 'stay'} in paired clusters"
    )


def _in_title(name: str) -> str:
    return short_name(name, LETTERS_IN_TITLE)


# --- how it is drawn --------------------------------------------------------------------------------------


@flow.drawn
def draw_flow(ax: Axes, data: FigureData) -> None:
    """Columns of blocks, ribbons between them, and names beside the blocks."""
    from matplotlib.collections import PolyCollection

    levels, blocks = data.facts["levels"], data.facts["blocks"]
    last = len(levels) - 1
    half = min(BLOCK_WIDTH * last, WIDEST_BLOCK) / 2
    outlines = [
        ribbon_outline(
            (record["level"] + half, record["level"] + 1 - half),
            (record["from_low"], record["to_low"]),
            record["share"],
        )
        for record in data.records
    ]
    colours = data.column("colour")
    ax.add_collection(
        PolyCollection(outlines, facecolors=colours, edgecolors="none", alpha=0.42, gid="ribbons")
    )
    corners = [
        [(x - half, b["low"]), (x + half, b["low"]), (x + half, b["high"]), (x - half, b["high"])]
        for b in blocks
        for x in [b["level"]]
    ]
    filled = [block["colour"] for block in blocks]
    ax.add_collection(PolyCollection(corners, facecolors=filled, edgecolors="none", gid="blocks"))
    for block in sorted(blocks, key=lambda block: -block["mass"]):
        at_left = block["level"] == 0
        x = block["level"] + (-1 if at_left else 1) * (half + 0.004 * last)
        text = f"{short_name(block['cluster'], 14)} ({mass_text(block['mass'])})"
        middle = (block["low"] + block["high"]) / 2
        side = "right" if at_left else "left"
        label(ax, x, middle, text, 40, ha=side, va="center", fontsize=8 if block["level"] in (0, last) else 7)
    ax.set_xlim(-0.1, last + 0.1)
    bottom = max(block["high"] for block in blocks)
    ax.set_ylim(bottom * 1.02, -0.02 * bottom)
    name_ticks(ax, "x", range(len(levels)), levels, 18)
    ax.tick_params(length=0)
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
