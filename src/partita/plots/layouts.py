"""Where clusters of several clusterings are drawn: orders with few crossings, blocks, ribbons and nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array, Floats
from partita.plots.joint_masses import Joints

__all__ = ["Block", "Ribbon", "blocks_of", "few_crossings", "node_places", "ribbon_outline", "ribbons_of"]

SWEEPS = 12
"""Down and up through all clusterings; the best order of all is taken."""

GAPS = 0.25
"""Of the height of all blocks of a clustering, what the gaps between them take together at most."""

WIDEST_GAP = 0.04

SPACING_SWEEPS = 8
STEPS_OF_A_RIBBON = 24


class Block(NamedTuple):
    """A cluster as a part of a column, by shares of all mass from above."""

    level: int
    cluster: int
    low: float
    high: float


class Ribbon(NamedTuple):
    """What two clusters of adjacent columns share, and where it leaves the one and enters the other."""

    level: int
    parent: int
    child: int
    mass: float
    parent_low: float
    child_low: float


# --- orders -----------------------------------------------------------------------------------------------


def few_crossings(joints: Joints) -> list[Array]:
    """For each clustering an order of its clusters in which little mass crosses.

    The first clustering keeps its order to begin with; then each is ordered by the mean place of what it
    shares with its neighbour, down and up again. Clusters that are shown together stay last.
    """
    tables = joints.tables
    last = [bool(level.together) for level in joints.levels]
    orders = [np.arange(len(level.clusters)) for level in joints.levels]
    best, fewest = list(orders), _all_crossings(tables, orders)
    for sweep in range(SWEEPS):
        for step in range(len(tables)) if sweep % 2 == 0 else range(len(tables) - 1, -1, -1):
            table, fixed, moved = (
                (tables[step].T, step, step + 1) if sweep % 2 == 0 else (tables[step], step + 1, step)
            )
            orders[moved] = _by_mean_place(table, orders[fixed], orders[moved], last[moved])
        crossing = _all_crossings(tables, orders)
        if crossing < fewest:
            best, fewest = list(orders), crossing
    return best


def _by_mean_place(table: Floats, other: Array, own: Array, last_stays: bool) -> Array:
    """Own clusters by the mean place of their mass in the other clustering; ties as they were."""
    place = np.empty(other.size)
    place[other] = np.arange(other.size)
    mass = table.sum(axis=1)
    mean = np.divide(table @ place, mass, out=np.zeros(mass.shape), where=mass > 0)
    if last_stays:
        mean[-1] = np.inf
    return own[np.argsort(mean[own], kind="stable")]


def _all_crossings(tables: Sequence[Floats], orders: Sequence[Array]) -> float:
    return sum(
        crossings(table[np.ix_(above, below)])
        for table, above, below in zip(tables, orders, orders[1:], strict=False)
    )


def crossings(table: Floats) -> float:
    """The products of all masses that cross, of a table in the order in which it is drawn."""
    later_rows = np.cumsum(table[::-1], axis=0)[::-1]
    below = np.zeros_like(table)
    below[:-1] = later_rows[1:]
    before = np.zeros_like(table)
    before[:, 1:] = np.cumsum(below, axis=1)[:, :-1]
    return float((table * before).sum())


# --- columns of blocks, and the ribbons between them ------------------------------------------------------


def blocks_of(joints: Joints, orders: Sequence[Array]) -> list[Block]:
    """The clusters of each clustering one below the other, all columns centred."""
    made = []
    most = max(len(level.clusters) for level in joints.levels)
    gap = min(WIDEST_GAP, GAPS / max(most - 1, 1))
    for place, (level, order) in enumerate(zip(joints.levels, orders, strict=True)):
        low = gap * (most - len(level.clusters)) / 2
        for cluster in order.tolist():
            high = low + float(level.masses[cluster]) / joints.total
            made.append(Block(place, cluster, low, high))
            low = high + gap
    return made


def ribbons_of(joints: Joints, orders: Sequence[Array], blocks: Sequence[Block]) -> list[Ribbon]:
    """Everything that adjacent clusterings share, each at its place in both blocks."""
    lows = {(block.level, block.cluster): block.low for block in blocks}
    made = []
    for level, (table, above, below) in enumerate(zip(joints.tables, orders, orders[1:], strict=False)):
        drawn = table[np.ix_(above, below)] / joints.total
        leaves = np.cumsum(drawn, axis=1) - drawn
        enters = np.cumsum(drawn, axis=0) - drawn
        for i, j in np.argwhere(drawn > 0).tolist():
            parent, child = int(above[i]), int(below[j])
            made.append(
                Ribbon(
                    level,
                    parent,
                    child,
                    float(table[parent, child]),
                    lows[level, parent] + float(leaves[i, j]),
                    lows[level + 1, child] + float(enters[i, j]),
                )
            )
    return made


def ribbon_outline(ends: tuple[float, float], lows: tuple[float, float], height: float) -> Any:
    """The corners of a ribbon between two x positions, as smooth as an S."""
    t = np.linspace(0.0, 1.0, STEPS_OF_A_RIBBON)
    bend = t * t * (3.0 - 2.0 * t)
    x = ends[0] + t * (ends[1] - ends[0])
    y = lows[0] + bend * (lows[1] - lows[0])
    return np.column_stack([np.r_[x, x[::-1]], np.r_[y, (y + height)[::-1]]])


# --- nodes of a tree --------------------------------------------------------------------------------------


def node_places(joints: Joints, orders: Sequence[Array]) -> list[Floats]:
    """For each clustering the x position of its clusters: near those that they share with, one apart.

    Each level is put, in its order, as near to the mean position of its neighbours as distances of at least
    one allow, in the sense of least squares.
    """
    widest = max(order.size for order in orders)
    places = []
    for order in orders:
        x = np.empty(order.size)
        x[order] = (np.arange(order.size) - (order.size - 1) / 2) * min(2.0, widest / order.size)
        places.append(x)
    for sweep in range(SPACING_SWEEPS):
        steps = range(len(orders)) if sweep % 2 == 0 else range(len(orders) - 1, -1, -1)
        for step in steps:
            wanted = _mean_position(joints.tables, places, step)
            places[step][orders[step]] = _one_apart(wanted[orders[step]])
    return places


def _mean_position(tables: Sequence[Floats], places: Sequence[Floats], step: int) -> Floats:
    pulls = np.zeros(places[step].size)
    masses = np.zeros(places[step].size)
    if step > 0:
        pulls += places[step - 1] @ tables[step - 1]
        masses += tables[step - 1].sum(axis=0)
    if step < len(tables):
        pulls += tables[step] @ places[step + 1]
        masses += tables[step].sum(axis=1)
    return np.asarray(pulls / masses)


def _one_apart(wanted: Floats) -> Floats:
    """The positions in ascending order, at least one apart, that are nearest to those wanted."""
    from scipy.optimize import isotonic_regression

    steps = np.arange(wanted.size)
    return np.asarray(isotonic_regression(wanted - steps).x + steps)
