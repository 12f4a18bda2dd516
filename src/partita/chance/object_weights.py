"""Sets of weights of the same objects: those of bootstrap replicates, and those that leave one object out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from partita.arrays import Array, blocks
from partita.inputs import Inputs
from partita.partitions import HARD, HardPartition

__all__ = ["Draws", "LeftOutInTurn", "Units", "Weights", "units_of"]

WEIGHTS_AT_ONCE = 1 << 21
"""Weights that are made at once, 16 MiB: all sets for some objects, so that products of memberships are made
once for all sets, and memory does not grow with the number of objects."""

MOST_TURNS = 1000
"""Units up to which each is left out in turn; of more, this many groups of units are."""

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

    @property
    def size(self) -> int:
        """The number of units."""
        return int(self.times.size)

    @cached_property
    def total(self) -> int:
        """The number of objects."""
        return int(self.times.sum())


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
    labels, times = _combinations([p for p in distinct.values() if isinstance(p, HardPartition)], weight)
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


def _combinations(sides: list[HardPartition], weight: Array | None) -> tuple[list[HardPartition], Array]:
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
    """Sets of weights of the same units, a few units at a time."""

    units: Units
    n_sets: int

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Some units after others, and their weights in each set ``(n_sets, units)``; the same each time."""
        raise NotImplementedError

    def whole(self) -> Array:
        """All weights, ``(n_sets, size)``."""
        return np.concatenate([weights for _, weights in self.blocks()], axis=1)


class Draws(Weights):
    """Bootstrap replicates: as many objects as there are, drawn with replacement.

    Parameters
    ----------
    units : Units
        What is drawn.
    n_sets : int
        The number of replicates.
    seed : SeedSequence
        Where the draws come from.
    """

    def __init__(self, units: Units, n_sets: int, seed: np.random.SeedSequence) -> None:
        self.units, self.n_sets, self.seed = units, n_sets, seed

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Multinomial weights: first how many draws fall on these units, then on which of them."""
        rng = np.random.default_rng(self.seed)
        units = self.units
        parts = list(blocks(units.size, max(64, WEIGHTS_AT_ONCE // self.n_sets)))
        sizes = np.array([units.times[part].sum() for part in parts], dtype=np.float64)
        in_part = rng.multinomial(units.total, sizes / sizes.sum(), size=self.n_sets)
        for part, size, drawn in zip(parts, sizes, in_part.T, strict=True):
            times = units.times[part]
            if (times == 1).all():
                counts = _drawn_evenly(times.size, drawn, rng)
            else:
                counts = rng.multinomial(drawn, times / size)
            yield part, counts if units.each is None else counts * units.each[part]


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

    def __init__(self, units: Units) -> None:
        self.units = units
        self.n_sets = min(units.size, MOST_TURNS)
        self.in_groups = units.size > MOST_TURNS
        self.times: Array = np.ones(self.n_sets) if self.in_groups else units.times.astype(np.float64)

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """The weights of all objects, without those of one set each."""
        units = self.units
        for part in blocks(units.size, max(64, WEIGHTS_AT_ONCE // self.n_sets)):
            times = units.times[part]
            counts = np.tile(times, (self.n_sets, 1))
            own = np.arange(part.start, part.stop)
            left_out = times if self.in_groups else np.minimum(times, 1)
            counts[own % self.n_sets, own - part.start] -= left_out
            yield part, counts if units.each is None else counts * units.each[part]
