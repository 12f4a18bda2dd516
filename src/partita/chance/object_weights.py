"""Sets of weights of the same objects: those of bootstrap replicates, and those that leave one object out."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from partita.arrays import Array, Floats, blocks
from partita.inputs import Inputs
from partita.partitions import HARD, HardPartition

__all__ = ["Draws", "LeftOutInTurn", "Units", "Weights", "units_of"]

WEIGHTS_AT_ONCE = 1 << 21
"""Weights that are made at once, 16 MiB: all sets for some objects, so that products of memberships are made
once for all sets, and memory does not grow with the number of objects."""

MOST_TURNS = 1000
"""Units up to which each is left out in turn; of more, this many groups of units are."""

PARTS_IN_A_GROUP = 256
"""Parts whose numbers of draws are drawn together."""

_FEW_COMBINATIONS = 1 << 22


@dataclass(frozen=True, eq=False)
class Units:
    """What is drawn: objects; where all sides are hard, each combination of labels once.

    To draw objects is to draw combinations of labels with the shares of objects that have them: the same law,
    whose cost does not grow with the number of objects.

    Attributes
    ----------
    inputs : dict of Inputs
        The clusterings of the units, by name.
    times : array of int
        How many objects a unit stands for. Whole-number weights are repeated objects.
    each : array or None
        What an object counts each time it is drawn, where weights are fractions.
    """

    inputs: Mapping[str, Inputs]
    times: Array
    each: Array | None = None

    is_chunked = False

    @property
    def size(self) -> int:
        """The number of units."""
        return int(self.times.size)

    @cached_property
    def total(self) -> int:
        """The number of objects."""
        return int(self.times.sum())

    def sizes_of_parts(self, rows: int) -> Floats:
        """The numbers of objects in parts of so many units."""
        starts = np.arange(0, self.size, rows)
        return np.add.reduceat(self.times, starts).astype(np.float64)


def units_of(inputs: Mapping[str, Inputs]) -> Units:
    """The units of several pairs of clusterings of the same objects."""
    first = next(iter(inputs.values()))
    weight, n = first.weight, first.n_objects
    plain = {name: replace(one, weight=None) for name, one in inputs.items()}
    if weight is not None and weight.dtype.kind == "f":
        return Units(plain, np.ones(n, dtype=np.int64), weight)
    times = np.ones(n, dtype=np.int64) if weight is None else weight
    distinct = {id(p): p for one in inputs.values() for p in one.partitions.values()}
    if any(p.kind is not HARD for p in distinct.values()) or any(x.X is not None for x in inputs.values()):
        return Units(plain, times)
    labels, times = combinations([p for p in distinct.values() if isinstance(p, HardPartition)], weight)
    made = dict(zip(distinct, labels, strict=True))
    return Units(
        {
            name: replace(
                one,
                partitions={side: made[id(p)] for side, p in one.partitions.items()},
                n_objects=times.size,
            )
            for name, one in plain.items()
        },
        times,
    )


def combinations(sides: list[HardPartition], weight: Array | None) -> tuple[list[HardPartition], Array]:
    """Each combination of labels once, as clusterings of these, and how many objects have it."""
    key = np.zeros(sides[0].n_objects, dtype=np.int64)
    codes: list[Array] = []
    size = 1
    for side in sides:
        key = key * side.n_clusters + side.codes
        size *= side.n_clusters
        if size > _FEW_COMBINATIONS:
            filled, key = np.unique(key, return_inverse=True)
        else:
            counts = np.bincount(key, minlength=size)
            filled = np.flatnonzero(counts)
            place = np.zeros(size, dtype=np.int64)
            place[filled] = np.arange(filled.size)
            key = place[key]
        before, own = np.divmod(filled, side.n_clusters)
        codes = [*(c[before] for c in codes), own]
        size = filled.size
    times: Array = np.bincount(key, minlength=size) if weight is None else np.zeros(size, dtype=np.int64)
    if weight is not None:
        np.add.at(times, key, weight)
    kept = times > 0
    made = [HardPartition.from_codes(c[kept], range(s.n_clusters)) for c, s in zip(codes, sides, strict=True)]
    return made, times[kept]


class Weights:
    """Sets of weights of the same units, some units at a time: a part.

    Whoever has the units of a part can make its weights without those of others.
    """

    units: Any
    n_sets: int
    rows: int
    """How many units a part has."""

    def parts(self) -> list[slice]:
        """The units, some after others."""
        return list(blocks(self.units.size, self.rows))

    def of_part(self, place: int, times: Array) -> Array:
        """The weights of one part in each set, ``(n_sets, units)``; ``times`` are those of its units."""
        raise NotImplementedError

    def of_units(self, place: int, part: slice) -> Array:
        """The weights in each set of the units of a part; the same each time."""
        counts = self.of_part(place, self.units.times[part])
        return counts if self.units.each is None else counts * self.units.each[part]

    def whole(self) -> Array:
        """All weights, ``(n_sets, size)``."""
        return np.concatenate([self.of_units(*where) for where in enumerate(self.parts())], axis=1)

    def blank(self) -> Self:
        """The same without the units: what whoever has some of them must know."""
        made = copy(self)
        made.units = None
        return made


class Draws(Weights):
    """Bootstrap replicates: as many objects as there are, drawn with replacement.

    Multinomial weights: first how many draws fall on some parts together, then on each of these, then on
    which of its units. Each has a seed of its own, so that it does not matter who draws what.

    Parameters
    ----------
    units : Units
        What is drawn.
    n_sets : int
        The number of replicates.
    seed : SeedSequence
        Where the draws come from.
    """

    def __init__(self, units: Any, n_sets: int, seed: np.random.SeedSequence) -> None:
        self.units, self.n_sets, self.seed = units, n_sets, seed
        self.rows = _rows_of_a_part(n_sets)
        self.sizes: Floats = units.sizes_of_parts(self.rows)
        groups = list(blocks(len(self.sizes), PARTS_IN_A_GROUP))
        of_groups = np.array([self.sizes[group].sum() for group in groups])
        rng = np.random.default_rng(seed)
        self.in_groups = rng.multinomial(units.total, of_groups / of_groups.sum(), size=n_sets)
        self._last: tuple[int, Array] = (-1, np.zeros(0))

    def of_part(self, place: int, times: Array) -> Array:
        """How often each unit of a part is drawn."""
        group, position = divmod(place, PARTS_IN_A_GROUP)
        drawn = self._in_parts(group)[:, position]
        rng = self._rng(group, position)
        if (times == 1).all():
            return _drawn_evenly(times.size, drawn, rng)
        return rng.multinomial(drawn, times / times.sum())

    def _in_parts(self, group: int) -> Array:
        """How many draws fall on each part of a group."""
        known, drawn = self._last  # one look: other threads may be at other groups
        if known != group:
            sizes = self.sizes[group * PARTS_IN_A_GROUP :][:PARTS_IN_A_GROUP]
            drawn = self._rng(group).multinomial(self.in_groups[:, group], sizes / sizes.sum())
            self._last = group, drawn
        return drawn

    def _rng(self, *places: int) -> np.random.Generator:
        keys = (*self.seed.spawn_key, *places)
        return np.random.default_rng(np.random.SeedSequence(self.seed.entropy, spawn_key=keys))


def _rows_of_a_part(n_sets: int) -> int:
    return max(64, WEIGHTS_AT_ONCE // n_sets)


def _drawn_evenly(size: int, drawn: Array, rng: np.random.Generator) -> Array:
    """For each set, how often each of ``size`` units is drawn when so many are."""
    places = rng.integers(0, size, int(drawn.sum()))
    places += np.repeat(np.arange(drawn.size) * size, drawn)
    return np.bincount(places, minlength=drawn.size * size).reshape(drawn.size, size)


class LeftOutInTurn(Weights):
    """The weights of a jackknife: one object is left out in turn, or a group of units where they are many.

    Attributes
    ----------
    times : array
        How many objects would be left out in each of these ways.
    """

    def __init__(self, units: Any) -> None:
        self.units = units
        self.n_sets = min(units.size, MOST_TURNS)
        self.rows = _rows_of_a_part(self.n_sets)
        self.in_groups = units.size > MOST_TURNS
        self.times: Array = np.ones(self.n_sets) if self.in_groups else units.times.astype(np.float64)

    def of_part(self, place: int, times: Array) -> Array:
        """The weights of all objects, without those of one set each."""
        counts = np.tile(times, (self.n_sets, 1))
        own = place * self.rows + np.arange(times.size)
        left_out = times if self.in_groups else np.minimum(times, 1)
        counts[own % self.n_sets, np.arange(times.size)] -= left_out
        return counts
