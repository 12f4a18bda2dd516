"""All pairs of objects, in tiles of the upper triangle on threads; what two clusterings need for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from partita.arrays import Array, Floats, blocks, dense, map_blocks
from partita.partitions import HardPartition, Partition
from partita.partitions.chunked_equivalence import Likeness, is_one_to_one, likeness
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.options import AtLeast, Below
from partita.statistics.protocol import OnBlock

TILE_ROWS = 256
"""Objects on each side of a tile: a few tiles of doubles stay in a core's cache."""

PRODUCTS_PER_PAIR = 100
"""About how many products of memberships cost as much as one pair of objects in a tile."""


@dataclass(frozen=True)
class DrawnPairs:
    """How many pairs are drawn where not all can be looked at."""

    n_samples: Annotated[int, AtLeast(2), Below(1e8)] = 1_000_000
    random_state: Any = None


def sum_over_pairs(
    of_tile: Callable[[slice, slice], Sequence[Floats]],
    n: int,
    weight: Array | None = None,
    on_block: OnBlock = None,
    split: int | None = None,
) -> Floats:
    """Sum quantities of pairs over all pairs of distinct objects, each pair once.

    ``of_tile(rows, columns)`` gives one array a quantity, for all pairs of these objects. Weights are
    multiplicities: the copies of an object are pairs too. Nothing is subtracted, so that nothing cancels.
    Weights ``(s, n)`` are s sets of them, and each quantity has s sums: tiles are made once for all.
    With ``split`` only pairs of one of the first so many objects and one of the others are summed.
    """
    first = split or 0

    def one_row_of_tiles(rows: slice) -> Floats:
        total: Floats = np.zeros(1)
        for part in blocks(n - first, TILE_ROWS):
            columns = slice(first + part.start, first + part.stop)
            if columns.start >= rows.start:
                values = of_tile(rows, columns)
                total = total + [_sum_of_tile(v, rows, columns, weight) for v in values]
        return total

    parts = map_blocks(one_row_of_tiles, split or n, TILE_ROWS, on_block, products=True)
    return np.asarray(np.sum(parts, axis=0))


def _sum_of_tile(values: Floats, rows: slice, columns: slice, weight: Array | None) -> Any:
    own = np.diagonal(values)
    on_diagonal = rows.start == columns.start
    if on_diagonal:
        values = np.triu(values, 1)
    if weight is None:
        return float(values.sum())
    left, right = weight[..., rows], weight[..., columns]
    total = ((left @ values) * right).sum(axis=-1)
    if on_diagonal:
        total = total + (left * (left - 1.0)) @ own / 2.0
    return total


def number_of_pairs(n: int, weight: Array | None) -> Any:
    """How many pairs of objects there are, copies counted; a number for each set of weights."""
    return pairs_among(float(n) if weight is None else weight.sum(axis=-1, dtype=np.float64))


def pairs_among(total: Any) -> Any:
    """The same for objects that count so much in all."""
    return total * (total - 1.0) / 2.0


def draw_objects(n: int, weight: Array | None, size: int, rng: np.random.Generator) -> Array:
    """Places of objects, drawn with replacement, each as often as it counts."""
    if weight is None:
        return np.asarray(rng.integers(n, size=size))
    upto = np.cumsum(weight, dtype=np.float64)
    places = np.searchsorted(upto, rng.random(size) * upto[-1], side="right")
    return np.asarray(np.minimum(places, n - 1))


def draw_pairs(n: int, weight: Array | None, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Pairs of different objects, uniformly; the copies of an object (its weight) are different objects."""
    if weight is None:
        i = rng.integers(n, size=size)
        return i, (i + rng.integers(1, n, size=size)) % n
    upto = np.cumsum(weight, dtype=np.float64)

    def draw(count: int) -> Array:
        place = np.searchsorted(upto, rng.random(count) * upto[-1], side="right")
        return np.asarray(np.minimum(place, n - 1))

    i, j = np.empty(size, dtype=np.intp), np.empty(size, dtype=np.intp)
    undecided = np.arange(size)
    while undecided.size:
        i[undecided], j[undecided] = draw(undecided.size), draw(undecided.size)
        # one in w_i draws of the same object is the same copy too; below weight one there is no other copy
        same = (i[undecided] == j[undecided]) & (rng.random(undecided.size) * weight[i[undecided]] < 1.0)
        undecided = undecided[same]
    return i, j


def work_of_pairs(pairs: float, truth: Partition, found: Partition) -> float:
    """So many pairs in units of pairs of few clusters: the products of very many cost more than the pair."""
    return pairs * max(1.0, (truth.n_clusters + found.n_clusters) / PRODUCTS_PER_PAIR)


def both_hard(truth: Partition, found: Partition) -> bool:
    """Whether everything about pairs is in the table."""
    return isinstance(truth, HardPartition) and isinstance(found, HardPartition)


def is_relabelling(truth: Partition, found: Partition) -> bool:
    """Whether two clusterings that are not both hard are the same up to the names of the clusters."""
    return truth.kind is found.kind and truth.equivalent(found)


def is_relabelling_of_chunks(objects: ChunkedObjects, truth: Partition, found: Partition) -> bool:
    """The same of objects in chunks."""
    return truth.kind is found.kind and is_one_to_one(objects.each(_likeness))


def _likeness(truth: Partition, found: Partition, weight: Array | None) -> Likeness:  # noqa: ARG001
    return likeness(truth, found)


def membership_columns(partition: Partition) -> Floats:
    """The memberships of the clusters that are not empty, ``(k, n)``, one cluster a contiguous row."""
    columns = np.ascontiguousarray(dense(partition.memberships()).T)
    return columns[columns.any(axis=1)]
