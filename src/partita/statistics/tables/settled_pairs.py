"""Pairs of clusters that some optimal pairing holds whatever the others do: they need no search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.arrays import Array, Floats

_MOST_ROUNDS = 50


class Settled(NamedTuple):
    """Pairs that are settled, and the cells between the clusters that are left."""

    rows: Array
    columns: Array
    left: Array

    def clusters_left(self, rows: Array, columns: Array) -> int:
        """How many rows or columns, whichever are more, the cells that are left span."""
        return max(np.unique(axis[self.left]).size for axis in (rows, columns))


def settle(rows: Array, columns: Array, values: Floats, shape: tuple[int, int]) -> Settled:
    """The pairs (i, j) with w_ij >= w_il + w_mj for every other l and m, again and again among the rest.

    Without (i, j) a pairing has at most one cell in row i and one in column j; (i, j) in their place loses
    nothing. So some optimal pairing has it, and the rest is a smaller table. Clusters that mostly agree are
    settled in a few rounds, as is one that falls apart into others.
    """
    left = np.flatnonzero(values > 0)
    paired: list[Array] = []
    for _ in range(_MOST_ROUNDS):
        row, column, value = rows[left], columns[left], values[left]
        beside = _largest_other(row, value, shape[0]) + _largest_other(column, value, shape[1])
        chosen = np.flatnonzero(value >= beside)
        for axis in (row, column):  # ties: the first of each row, and of each column
            chosen = chosen[np.unique(axis[chosen], return_index=True)[1]]
        if not chosen.size:
            break
        paired.append(left[chosen])
        taken = [np.zeros(size, dtype=bool) for size in shape]
        taken[0][row[chosen]], taken[1][column[chosen]] = True, True
        left = left[~(taken[0][row] | taken[1][column])]
    cells = np.concatenate([np.zeros(0, dtype=np.int64), *paired])
    return Settled(rows[cells], columns[cells], left)


def _largest_other(place: Array, values: Floats, size: int) -> Floats:
    """For each cell the largest other one at its place, 0 where there is none."""
    best = np.zeros(size)
    np.maximum.at(best, place, values)
    at_best = np.flatnonzero(values == best[place])
    first = np.full(size, -1)
    first[place[at_best[::-1]]] = at_best[::-1]  # the last one written stays
    others = np.arange(values.size) != first[place]
    second = np.zeros(size)
    np.maximum.at(second, place[others], values[others])
    return np.where(others, best[place], second[place])
