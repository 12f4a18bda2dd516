"""One clustering hard: the columns of the table fill up independently of each other.

For given cluster sizes most indices depend on the cells through one sum alone (`Index.given_sizes`). So it is
enough to know, for all sizes that can occur, the ends of that sum (rough: an interval in polynomial time) or
its law (fuzzy, possibilistic). Tables here have the hard clustering's clusters as columns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from partita.arrays import Array, held, map_blocks
from partita.distributional.solvers.groups import Groups
from partita.distributional.solvers.tallies import IMPOSSIBLE
from partita.statistics import SUMMANDS

MOST_STEPS = 2e10
"""Elementary steps of joining columns that are taken without asking; about ten seconds."""

STEPS_PER_SECOND, STEPS_PER_WORK = 5e8, 5e3
"""The first for a clock, with room to spare: the number of steps is a bound, most often a tenth is taken."""

MOST_WEIGHTS = 1 << 27
"""Weights of (sizes, sum of squares) that are held at once; one gigabyte."""

MOST_ROWS = 12
"""Clusters of the soft side; all their subsets are looked at."""

JOINS = {"sum": 0, "product": 1, "minimum": 2, "lukasiewicz": 3}


@dataclass(frozen=True, eq=False)
class SizeEnds:
    """For each vector of cluster sizes that can occur, the ends of the sum over cells."""

    sizes: Array
    least: Array
    most: Array


def counts_inside(possible: Array, labels: Array, n_columns: int) -> Array:
    """For each column and each set of rows, how many objects have all their possible rows in the set.

    ``possible`` is ``(..., n, k)``, ``labels`` the ``n`` columns of the objects; the result is
    ``(..., n_columns, 2^k)``, sets as bit masks.
    """
    *stack, n, k = possible.shape
    masks = (possible @ (1 << np.arange(k))).reshape(-1, n)
    keys = ((np.arange(masks.shape[0])[:, None] * n_columns + labels) << k) + masks
    counts = np.bincount(keys.ravel(), minlength=masks.shape[0] * n_columns << k)
    return _summed_over_subsets(counts.reshape(*stack, n_columns, 1 << k))


def groups_inside(groups: Groups) -> Array:
    """`counts_inside` for groups of equal objects whose found side is hard."""
    k, columns = groups.shape
    counts = np.zeros((columns, 1 << k), dtype=np.int64)
    np.add.at(counts, (groups.columns.argmax(axis=1), groups.rows @ (1 << np.arange(k))), groups.counts)
    return _summed_over_subsets(counts)


def _summed_over_subsets(counts: Array) -> Array:
    k = counts.shape[-1].bit_length() - 1
    cube = counts.reshape(*counts.shape[:-1], *[2] * k)
    for axis in range(-k, 0):
        cube = np.cumsum(cube, axis=axis)
    return cube.reshape(counts.shape)


def steps_for_ends(inside: Array) -> float:
    """An upper bound on the steps that `size_ends` takes (known before any work)."""
    k = inside.shape[-1].bit_length() - 1
    singles = inside[:, 1 << np.arange(k)]
    reach = inside[:, -1:] - inside[:, (1 << k) - 1 - (1 << np.arange(k))] - singles + 1.0
    steps, grid = 0.0, 1.0
    for column in reach:
        # one coordinate follows from the others; leaving the widest away gives the smallest box
        states = math.prod(sorted(column)[:-1])
        steps += grid * states
        grid *= max(states, 1.0)
    most = math.prod(sorted((reach - 1).sum(axis=0) + 1)[:-1])
    return float(min(steps, sum(most * math.prod(sorted(c)[:-1]) for c in reach)))


def size_ends(inside: Array, summand: str) -> SizeEnds:
    """All cluster sizes that the columns can add up to, each with the ends of the sum over cells."""
    from partita.kernels import columns as kernels

    parts = [kernels.column_states(column) for column in inside]
    return _ends(parts, summand)


def _ends(parts: Sequence[Array], summand: str) -> SizeEnds:
    from partita.kernels import columns as kernels

    starts = np.concatenate([[0], np.cumsum([len(p) for p in parts])])
    phi = SUMMANDS[summand](np.arange(_total(parts) + 1))
    return SizeEnds(*kernels.size_ends(np.concatenate(parts), starts, phi))


def _total(parts: Sequence[Array]) -> int:
    return int(sum(p[0].sum() for p in parts))


def separable_ends(inside: Array, summand: str, row_weight: float, cell_weight: float) -> Array:
    """The ends of a weighted sum over rows and cells for each of a stack of draws, ``(draws, 2)``."""
    from partita.kernels import columns as kernels

    phi = SUMMANDS[summand](np.arange(int(inside[0, :, -1].sum()) + 1))

    def some(draws: slice) -> Array:
        ends: Array = kernels.separable_ends(inside[draws], phi, row_weight, cell_weight)
        return ends

    return np.concatenate(map_blocks(some, inside.shape[0], 64))


def multiset_ends(inside: Array, summand: str) -> tuple[SizeEnds, Array, int]:
    """`size_ends` of a stack of draws, sizes in descending order and each multiset once in a draw.

    All draws one after the other, where each one ends, and how many vectors of sizes there were.
    """
    from partita.kernels import columns as kernels

    phi = SUMMANDS[summand](np.arange(int(inside[0, :, -1].sum()) + 1))
    sizes, least, most, ends, vectors = held(kernels.multiset_ends)(inside, phi)
    return SizeEnds(sizes, least, most), ends, vectors


# --- the law of sizes and squares -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SquareLaw:
    """The law of cluster sizes (sorted) and the sum of squared cells.

    Attributes
    ----------
    sizes : (s, k) array
        Cluster sizes of the soft side, in descending order.
    squares : (s,) array
        The sum of squared cells.
    weights : (s,) array
        Probabilities, or possibilities.
    """

    sizes: Array
    squares: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class _Windows:
    """Where the weights of each vector of sizes lie, one after the other, by place in a grid."""

    first: Array
    lowest: Array
    length: Array


def square_law(states: Sequence[Array], weights: Sequence[Array], join: str) -> SquareLaw | None:
    """The joint law of (sizes, squares) when column ``j`` is ``states[j]`` with ``weights[j]``.

    ``join`` is "sum" for probabilities, or the t-norm whose largest value counts. None where it would take
    more than `MOST_STEPS`.
    """
    from partita.kernels import columns as kernels

    columns = sorted(zip(states, weights, strict=True), key=lambda column: len(column[0]))
    parts = [column[0] for column in columns]
    k = parts[0].shape[1]
    shape = tuple(sum(int(p[:, i].max() - p[:, i].min()) for p in parts) + 1 for i in range(k - 1))
    corners = [p.min(axis=0) for p in parts]
    ends = [_ends(parts[: j + 1], "squares") for j in range(len(parts))]
    lengths = [((e.most - e.least) / 2 + 1).sum() for e in ends]
    steps = sum(length * len(p) for length, p in zip(lengths[:-1], parts[1:], strict=True))
    if steps > MOST_STEPS or max(lengths) > MOST_WEIGHTS:
        return None

    def places(sizes: Array, corner: Array) -> Array:
        if k == 1:
            return np.zeros(len(sizes), dtype=np.int64)
        grid = np.ravel_multi_index(tuple((sizes - corner)[:, : k - 1].T), shape, order="F")
        return np.asarray(grid)

    law = np.asarray(columns[0][1], dtype=np.float64)
    where = places(parts[0], corners[0])
    first, lowest = np.arange(len(law) + 1), (parts[0] ** 2).sum(axis=1)
    for j in range(1, len(parts)):
        corner = np.sum(corners[: j + 1], axis=0)
        is_last = j == len(parts) - 1
        window, names = _windows(ends[j], places(ends[j].sizes, corner), math.prod(shape), is_last)
        joined = np.zeros(int(window.first[-1]))
        squares = (parts[j] ** 2).sum(axis=1)
        offset = places(parts[j], corners[j])
        kernels.join_column(
            law, first, lowest, where, offset, squares, columns[j][1],
            window.first, window.lowest, joined, JOINS[join], IMPOSSIBLE,
        )  # fmt: skip
        law = joined
        if not is_last:
            where = places(ends[j].sizes, corner)
            lowest = window.lowest[where]
            length = window.length[where]
            first = np.concatenate([[0], np.cumsum(length)])
    if len(parts) == 1:
        return SquareLaw(-np.sort(-parts[0], axis=1), lowest, law)
    length = np.diff(np.append(names.first, len(law)))
    squares = np.repeat(names.lowest, length) + 2 * (np.arange(len(law)) - np.repeat(names.first, length))
    positive = law > 0
    return SquareLaw(np.repeat(names.sizes, length, axis=0)[positive], squares[positive], law[positive])


@dataclass(frozen=True, eq=False)
class _Names:
    sizes: Array
    first: Array
    lowest: Array


def _windows(ends: SizeEnds, places: Array, grid: int, by_multiset: bool) -> tuple[_Windows, _Names]:
    """Room for the weights of each vector of sizes; at the end, for each multiset of sizes."""
    sizes = -np.sort(-ends.sizes, axis=1) if by_multiset else ends.sizes
    if by_multiset:
        distinct, group = np.unique(sizes, axis=0, return_inverse=True)
        group = group.ravel()
    else:
        distinct, group = sizes, np.arange(len(sizes))
    least, most = np.full(len(distinct), np.inf), np.full(len(distinct), -np.inf)
    np.minimum.at(least, group, ends.least)
    np.maximum.at(most, group, ends.most)
    length = ((most - least) / 2).astype(np.int64) + 1
    first = np.concatenate([[0], np.cumsum(length)])
    window = _Windows(np.zeros(grid + 1, np.int64), np.zeros(grid, np.int64), np.zeros(grid, np.int64))
    window.first[places], window.first[-1] = first[group], first[-1]
    window.lowest[places], window.length[places] = least[group].astype(np.int64), length[group]
    return window, _Names(distinct, first[:-1], least.astype(np.int64))
