"""Every table that two soft clusterings can produce, with its weight: the exact engine for small problems.

Objects are added one by one to the tables reached so far. What is done with weights makes it a probability,
a possibility, or a plain set: the same dynamic programme in another semiring.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.partitions.tnorms import TNORMS

MOST_TABLES = 500_000
"""Tables that are written out without asking."""

IMPOSSIBLE = 1e-12
"""What rounding can leave of a Lukasiewicz conjunction that is impossible."""


def _lukasiewicz(x: Array, y: Array) -> Array:
    joint = TNORMS["lukasiewicz"](x, y)
    return np.where(joint > IMPOSSIBLE, joint, 0.0)


MEET: dict[str, Callable[[Array, Array], Array]] = {
    **TNORMS,
    "lukasiewicz": _lukasiewicz,
    "sum": np.multiply,
}
"""How the weights of independent objects combine, by the name of the semiring."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Distinct tables ``(s, k, k')`` of whole numbers and the weight ``(s,)`` of each."""

    tables: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class Choices:
    """For each object the weight of each cell of the table it may be in, ``(n, k, k')``; 0 is impossible."""

    weights: Array

    @classmethod
    def of(cls, truth: Array, found: Array, semiring: str) -> Choices:
        """From ``(n, k)`` and ``(n, k')`` weights of clusters."""
        return cls(np.asarray(MEET[semiring](truth[:, :, None], found[:, None, :]), dtype=np.float64))

    @cached_property
    def components(self) -> list[tuple[Array, Array]]:
        """Cells (positions in a flat table) between which objects can choose, and those objects.

        Different components are filled independently. With a hard side they are columns, or less.
        """
        flat = self.weights.reshape(len(self.weights), -1) > 0
        label = np.arange(flat.shape[1])
        for kind in np.unique(flat[flat.any(axis=1)], axis=0):
            joined = label[kind]
            label[np.isin(label, joined)] = joined.min()
        of_object = label[flat.argmax(axis=1)]
        return [(np.flatnonzero(label == c), np.flatnonzero(of_object == c)) for c in np.unique(of_object)]

    @cached_property
    def component_bounds(self) -> list[float]:
        """For each component an upper bound on the number of ways it can be filled."""
        return [self._bound(cells, rows) for cells, rows in self.components]

    def _bound(self, cells: Array, rows: Array) -> float:
        free = self.weights.reshape(len(self.weights), -1)[np.ix_(rows, cells)] > 0
        kinds, counts = np.unique(free[free.sum(axis=1) > 1], axis=0, return_counts=True)
        by_kind = [_ways(int(c), int(s)) for c, s in zip(counts, kinds.sum(axis=1), strict=True)]
        at_once = _ways(int(counts.sum()), int(kinds.any(axis=0).sum())) if len(kinds) else 0.0
        return float(math.exp(min(sum(by_kind), at_once, 700.0)))

    @cached_property
    def n_tables(self) -> float:
        """An upper bound on the number of tables, known before any work."""
        return float(math.exp(min(sum(math.log(b) for b in self.component_bounds), 700.0)))

    def component_tally(self, component: int, semiring: str) -> Tally:
        """All ways to fill one component: counts ``(s, cells)``, with weights."""
        cells, rows = self.components[component]
        return _fill(self.weights.reshape(len(self.weights), -1)[np.ix_(rows, cells)], semiring)

    def tally(self, semiring: str) -> Tally:
        """Every table with its weight."""
        k, columns = self.weights.shape[1:]
        if not self.weights.any(
            axis=(1, 2)
        ).all():  # a conjunction can be impossible though its parts are not
            return Tally(np.zeros((0, k, columns), dtype=np.int64), np.zeros(0))
        parts = [self.component_tally(c, semiring) for c in range(len(self.components))]
        return combine(parts, [cells for cells, _ in self.components], (k, columns), semiring)


def combine(parts: list[Tally], cells: list[Array], shape: tuple[int, int], semiring: str) -> Tally:
    """All combinations of the ways to fill the components."""
    tables = np.zeros((1, shape[0] * shape[1]), dtype=np.int64)
    weights = np.ones(1)
    for part, places in zip(parts, cells, strict=True):
        repeated = np.repeat(tables, len(part.weights), axis=0)
        repeated[:, places] = np.tile(part.tables, (len(tables), 1))
        tables, weights = repeated, MEET[semiring](weights[:, None], part.weights).ravel()
    possible = weights > 0
    return Tally(tables[possible].reshape(-1, *shape), weights[possible])


def _ways(objects: int, cells: int) -> float:
    """The logarithm of the number of ways to put equal objects into cells."""
    return math.lgamma(objects + cells) - math.lgamma(cells) - math.lgamma(objects + 1)


def _fill(weights: Array, semiring: str) -> Tally:
    """All counts that objects (rows) with weighted choices among cells (columns) can add up to."""
    cells = weights.shape[1]
    join: Any = np.add if semiring == "sum" else np.maximum
    meet = MEET[semiring]
    base = np.zeros(cells, dtype=np.int64)
    certain = (weights > 0).sum(axis=1) == 1
    np.add.at(base, weights[certain].argmax(axis=1), 1)
    start = 1.0
    for weight in weights[certain].max(axis=1):
        start = float(meet(np.asarray(start), weight))
    counts, values = np.zeros((1, cells), dtype=np.int64), np.array([start])
    free = weights[~certain]
    radix = _radix(free)
    keys = np.zeros(1, dtype=np.int64)
    for row in free:
        choice = np.flatnonzero(row)
        values = meet(values[:, None], row[choice]).ravel()
        counts = (counts[:, None, :] + np.eye(cells, dtype=np.int64)[choice]).reshape(-1, cells)
        if radix is None:
            _, keys = np.unique(counts, axis=0, return_inverse=True)
            keys = keys.ravel()
        else:
            keys = (keys[:, None] + radix[choice]).ravel()
        order = np.argsort(keys, kind="stable")
        first = np.flatnonzero(np.diff(keys[order], prepend=-1))
        values = join.reduceat(values[order], first)
        counts, keys = counts[order[first]], keys[order[first]]
    return Tally(counts + base, values)


def _radix(free: Array) -> Array | None:
    """A number for each cell such that counts are told apart by one 64-bit sum; None where too many."""
    sizes = [int(s) + 1 for s in (free > 0).sum(axis=0)]
    if math.prod(sizes) >= 1 << 62:
        return None
    return np.concatenate([[1], np.cumprod(sizes[:-1])]).astype(np.int64)
