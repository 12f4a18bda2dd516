"""What clusterings of the same objects have in common: the mass that two clusters share, level by level.

Of two hard clusterings the joint mass of two clusters is the number of objects in both. Of soft ones it is
the sum over all objects of the product of their memberships.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.differences import Cells, amount, cells_of, table_of
from partita.inputs import Inputs
from partita.partitions import FUZZY, HARD, HardPartition, Kind, Partition
from partita.plots.figures import NoFigureError
from partita.plots.names import plain_name, short_name
from partita.plots.palette import NOISE_COLOUR, cluster_colours
from partita.statistics import Contingency, is_too_large_to_pair, match_clusters, shared_objects

__all__ = [
    "ClusterNames",
    "Joints",
    "Level",
    "as_memberships",
    "finest",
    "joints_of",
    "mass_text",
    "paired_share",
    "partners_of",
    "percent",
]

MOST_ALIGNED = 1000
"""Clusters of a clustering up to which its colours are those of the reference, by alignment."""

OTHERS_COLOUR = "#c4c8cc"
"""Of the block that stands for all clusters that are too small to be shown."""

NOTHING = 1e-9
"""A share of all objects that is rounding, and nothing that clusters have in common."""

PRODUCTS = "soft clusterings by mass: the products of memberships, summed over the objects"


@dataclass(frozen=True, eq=False)
class Level:
    """One clustering: its clusters as figures show them, the smallest of very many as one.

    Attributes
    ----------
    key, name : object, str
        Its name as it was given, and as figures write it.
    keys, clusters : tuples
        The same of its clusters; the last has the key None where it stands for several.
    masses : array
        The mass of each cluster.
    colours : tuple of str
        One for each cluster.
    together : int
        How many clusters the last one stands for; 0 where each has its own.
    """

    key: Any
    name: str
    keys: tuple[Any, ...]
    clusters: tuple[str, ...]
    masses: Floats
    colours: tuple[str, ...]
    together: int = 0


@dataclass(frozen=True, eq=False)
class Joints:
    """Clusterings in their order, and the joint masses of each with the next.

    Attributes
    ----------
    levels : tuple of Level
        The clusterings.
    tables : tuple of (k, k') arrays
        For each two that are adjacent the joint mass of their clusters.
    paired : tuple of float
        For each two that are adjacent the share of all mass that is in paired clusters: one to one, with the
        largest total.
    from_main_parents : tuple of float
        The share that is in the cluster before with which its own cluster shares most.
    total : float
        The number of objects, or the sum of their weights.
    is_soft : bool
        Whether some of them have memberships.
    notes : tuple of str
        What was done to show them.
    """

    levels: tuple[Level, ...]
    tables: tuple[Floats, ...]
    paired: tuple[float, ...]
    from_main_parents: tuple[float, ...]
    total: float
    is_soft: bool
    notes: tuple[str, ...]

    @property
    def noun(self) -> str:
        """What the mass is of, in a sentence."""
        return "mass" if self.is_soft else "objects"


def as_memberships(
    partitions: Mapping[str, Partition], taken: frozenset[Kind] = frozenset({HARD, FUZZY})
) -> tuple[dict[str, Partition], tuple[str, ...]]:
    """The clusterings with pignistic probabilities for those of other kinds than these, and what is said."""
    sides, notes = {}, []
    for name, partition in partitions.items():
        other = partition.kind not in taken
        sides[name] = partition.pignistic() if other else partition
        notes += [f"{short_name(name)}: {partition.kind}, by its pignistic probabilities"] * other
    return sides, tuple(notes)


def finest(partitions: Sequence[Partition]) -> Partition:
    """The clustering with the most clusters, the first of equals."""
    return max(partitions, key=lambda partition: partition.n_clusters)


def joints_of(
    partitions: Mapping[Any, Partition],
    *,
    reference: Partition,
    most_levels: int,
    most_clusters: int,
    weight: Array | None = None,
) -> Joints:
    """The clusterings, in their order, with what adjacent ones have in common.

    Parameters
    ----------
    partitions : dict
        Of the same objects in the same order; at least two.
    reference : Partition
        Whose colours the others take on, by alignment.
    most_levels : int
        How many clusterings are shown, the first ones.
    most_clusters : int
        How many clusters of each are shown, the largest ones; the others together.
    weight : array, optional
        Multiplicities.
    """
    if len(partitions) < 2:
        raise NoFigureError(
            "one clustering alone has nothing to share with others.",
            got=f"{len(partitions)} clustering",
            need="at least two clusterings of the same objects",
        )
    shown = dict(list(partitions.items())[:most_levels])
    texts = dict(zip(shown, distinct([plain_name(key) for key in shown]), strict=True))
    sides, notes = as_memberships({texts[key]: partition for key, partition in shown.items()})
    members = list(sides.values())
    n = members[0].n_objects
    tables = [
        table_of(Inputs({"truth": one, "found": next_one}, n, weight)) for one, next_one in pairwise(members)
    ]
    cells = [cells_of(table) for table in tables]
    sizes = [(table.row_names, one.row_sizes) for table, one in zip(tables, cells, strict=True)]
    sizes.append((tables[-1].column_names, cells[-1].column_sizes))
    levels, groups = [], []
    for (key, name), partition, (names, masses) in zip(texts.items(), members, sizes, strict=True):
        level, group = _level(key, name, partition, names, masses, reference, most_clusters)
        levels.append(level)
        groups.append(group)
    is_soft = any(partition.kind is not HARD for partition in members)
    left_out = len(partitions) - len(shown)
    notes = (
        *notes,
        *[PRODUCTS] * is_soft,
        *[f"the first {len(shown):,} of {len(partitions):,} clusterings shown"] * bool(left_out),
        *_together_note(levels),
    )
    joint = [
        _grouped(table, one, groups[i : i + 2], levels[i : i + 2])
        for i, (table, one) in enumerate(zip(tables, cells, strict=True))
    ]
    return Joints(
        tuple(levels),
        tuple(joint),
        tuple(paired_share(table) for table in tables),
        tuple(_from_main_parents(one) for one in cells),
        float(tables[0].n),
        is_soft,
        notes,
    )


def partners_of(table: Contingency) -> Array:
    """For each row the position of the column that it is paired with, or -1; pairs share most in all."""
    matching = "greedy" if is_too_large_to_pair(table) else "optimal"
    partners = match_clusters(table, "overlap", matching).of_truth
    assert partners is not None
    return partners


def paired_share(table: Contingency) -> float:
    """The share of all mass that is in paired clusters."""
    inside = shared_objects(table, partners_of(table), of_truth=True).sum()
    return min(float(inside / table.n), 1.0)


def _from_main_parents(cells: Cells) -> float:
    largest = np.zeros(cells.column_sizes.size)
    np.maximum.at(largest, cells.columns, cells.shared)
    return min(float(largest.sum() / cells.shared.sum()), 1.0)


def _level(
    key: Any,
    name: str,
    partition: Partition,
    names: Sequence[Any],
    masses: Floats,
    reference: Partition,
    most: int,
) -> tuple[Level, dict[Any, int]]:
    """A level, and the place of each cluster in it; those that it does not have go to its last."""
    filled = np.flatnonzero(masses > 0)
    if filled.size > most:
        largest = filled[np.argsort(-masses[filled], kind="stable")]
        kept, rest = np.sort(largest[: most - 1]), largest[most - 1 :]
    else:
        kept, rest = filled, filled[:0]
    keys = [names[i] for i in kept.tolist()]
    named = ClusterNames(partition, keys)
    texts = [named[i] for i in range(len(keys))]
    own = masses[kept].tolist()
    colours = _colours(partition, keys, reference)
    if rest.size:
        keys.append(None)
        texts.append(f"{rest.size:,} others")
        own.append(float(masses[rest].sum()))
        colours.append(OTHERS_COLOUR)
    level = Level(
        key, name, tuple(keys), tuple(texts), np.array(own, dtype=float), tuple(colours), int(rest.size)
    )
    return level, {known: i for i, known in enumerate(keys[: kept.size])}


def _colours(partition: Partition, keys: Sequence[Any], reference: Partition) -> list[str]:
    if max(partition.n_clusters, reference.n_clusters) > MOST_ALIGNED:
        colours = cluster_colours(names=keys)
    elif partition is reference:
        colours = cluster_colours(partition)
    else:
        colours = cluster_colours(partition, reference=reference)
    noise = _noise_name(partition)
    return [NOISE_COLOUR if _is(key, noise) else colours[plain_name(key)] for key in keys]


def _grouped(
    table: Contingency, cells: Cells, groups: Sequence[Mapping[Any, int]], levels: Sequence[Level]
) -> Floats:
    """The joint masses of the clusters that are shown."""
    shape = tuple(len(level.clusters) for level in levels)
    places = [
        np.array([group.get(name, len(level.clusters) - 1) for name in names], dtype=np.int64)
        for group, level, names in zip(groups, levels, (table.row_names, table.column_names), strict=True)
    ]
    at = places[0][cells.rows] * shape[1] + places[1][cells.columns]
    joint = np.bincount(at, cells.shared, shape[0] * shape[1]).reshape(shape)
    return np.where(joint > NOTHING * float(table.n), joint, 0.0)


def _together_note(levels: Sequence[Level]) -> tuple[str, ...]:
    crowded = [level for level in levels if level.together]
    if not crowded:
        return ()
    count = sum(level.together for level in crowded)
    where = short_name(crowded[0].name) if len(crowded) == 1 else f"{len(crowded)} clusterings"
    return (f"the {count:,} smallest clusters of {where} are shown together, as others",)


# --- names and numbers ------------------------------------------------------------------------------------


class ClusterNames:
    """The names of a clustering's clusters as figures write them, by their places; noise is called so.

    Parameters
    ----------
    partition : Partition
        Whose clusters.
    names : sequence
        Their names in the order of the places; there may be very many.
    """

    def __init__(self, partition: Partition, names: Sequence[Any]) -> None:
        self.names = names
        self.noise = _noise_name(partition)

    def __getitem__(self, place: int) -> str:
        name = self.names[place]
        return "noise" if _is(name, self.noise) else plain_name(name)


_NO_NOISE = object()


def _noise_name(partition: Partition) -> Any:
    """The name of the cluster of noise, or a mark that there is none."""
    place = partition.noise_place if isinstance(partition, HardPartition) else None
    return _NO_NOISE if place is None else partition.names[place]


def _is(name: Any, noise: Any) -> bool:
    return noise is not _NO_NOISE and type(name) is type(noise) and bool(name == noise)


def distinct(texts: Sequence[str]) -> list[str]:
    """The same texts, with a number behind those that were there before."""
    made: list[str] = []
    for text in texts:
        again, new = 2, text
        while new in made:
            new, again = f"{text} ({again})", again + 1
        made.append(new)
    return made


def percent(share: float) -> str:
    """A share in percent; what is not all or nothing is never written as such."""
    if 0.0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1.0 - 1e-12:
        return ">99.9%"
    return f"{100.0 * share:.1f}".removesuffix(".0") + "%"


def mass_text(mass: float) -> str:
    """A number of objects or a mass, with thousands set apart."""
    size = amount(mass)
    return f"{size:,}" if isinstance(size, int) else f"{size:,.1f}" if size >= 0.1 else f"{size:.2g}"
