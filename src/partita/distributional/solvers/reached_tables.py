"""Ends of many drawn pairs of rough clusterings, by all tables that their completions reach.

Draws from the same masses reach the same tables again and again. So each table is written down once, with the
tables that one more object makes of it, and its value is found once. A draw is then a walk over known tables.
"""

from __future__ import annotations

import math

import numpy as np

from partita.arrays import Array, held
from partita.distributional.budgets import Budget
from partita.distributional.table_index import PARTITION_DISTANCE, TableIndex

MOST_CELLS = 1 << 23
"""Cells of the tables that are known at the same time; about 70 megabytes in all."""

MOST_STEPS, MOST_BESIDE_MATCHINGS = 500_000, 50_000
"""Steps of one draw; with more of them branch and bound is not slower, nor the search for matchings."""

MOST_HOPE = 20.0
"""How far a quick bound of its steps may be above that for a draw to be tried at all."""

PER_DRAW, PER_STEP, PER_TABLE = 20.0, 0.01, 1.5
"""Work of a draw, of a step, and of a new table with its value."""

_KEY_BITS = 62
_DRAWS_AT_ONCE = 64


class ReachedTables:
    """All tables that drawn pairs of focal sets reached so far, with the values of an index.

    Parameters
    ----------
    truth_sets, found_sets : (s, k) and (s', k') boolean arrays
        The focal sets of both sides.
    index : TableIndex
        The index whose ends are wanted.
    """

    def __init__(self, truth_sets: Array, found_sets: Array, index: TableIndex) -> None:
        self.index, self.shape = index, (truth_sets.shape[1], found_sets.shape[1])
        self.bits = max(index.n.bit_length(), 1)
        cells = truth_sets[:, None, :, None] & found_sets[None, :, None, :]
        possible = cells.reshape(-1, math.prod(self.shape))
        sizes = possible.sum(axis=1)
        # certain kinds first, then those with few cells: what is reached stays small for long
        order = np.argsort(sizes, kind="stable")
        self.number = np.argsort(order).reshape(len(truth_sets), len(found_sets))
        self.sizes = sizes[order]
        self.cells = np.argsort(~possible[order], axis=1, kind="stable")
        self.unit = np.int64(1) << (self.bits * np.arange(possible.shape[1], dtype=np.int64))
        self.certain = np.where(self.sizes == 1, self.unit[self.cells[:, 0]], 0)
        self.steps = self.tables = 0
        self.room = max(1, MOST_CELLS // possible.shape[1])
        is_matched = index.entry.name == PARTITION_DISTANCE and not self.reaches_all
        self.most_steps = MOST_BESIDE_MATCHINGS if is_matched else MOST_STEPS
        self._clear()

    @staticmethod
    def fits(k: int, columns: int, n: int) -> bool:
        """Whether a table of that many clusters and objects can be written as one number."""
        return k * columns * n.bit_length() <= _KEY_BITS

    @property
    def reaches_all(self) -> bool:
        """Whether even all tables that there are make little work."""
        cells = len(self.unit)
        return math.comb(self.index.n + cells, cells) * cells <= MOST_CELLS // 8

    def _clear(self) -> None:
        size = min(self.room, 1 << 12)
        self.keys, self.stamps = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.onward = np.full((size, len(self.unit)), -1, np.int32)
        self.values, self.n_valued = np.full(size, np.nan), 0
        self.count = np.zeros(2, np.int64)
        self._index_keys()

    def _index_keys(self) -> None:
        """A hash table with room for twice as many keys as there are places."""
        self.slots = np.full(1 << (2 * len(self.keys) - 1).bit_length(), -1, np.int32)
        self.leaves = np.zeros(2 * len(self.keys), np.int32)

    def _grow(self) -> bool:
        """Make more room; whether that is allowed."""
        size = min(4 * len(self.keys), self.room)
        more = size - len(self.keys)
        if more <= 0:
            return False
        from partita.kernels.reached_tables import rehash

        none = np.zeros(more, np.int64)
        self.keys, self.stamps = (np.concatenate([known, none]) for known in (self.keys, self.stamps))
        self.onward = np.concatenate([self.onward, np.full((more, len(self.unit)), -1, np.int32)])
        self.values = np.concatenate([self.values, np.full(more, np.nan)])
        self._index_keys()
        rehash(self.keys, self.slots, int(self.count[0]))
        return True

    def ends(self, truth_picks: Array, found_picks: Array, budget: Budget) -> tuple[Array, Array]:
        """Least and largest value of each draw ``(s, 2)``, nan where it has none; and whether it was solved.

        Draws of which too many tables are reached are left unsolved. Less draws where the budget is spent.
        """
        kinds = np.sort(self.number[truth_picks, found_picks], axis=1)
        roots = self.certain[kinds].sum(axis=1)
        ends = np.full((len(kinds), 2), np.nan)
        solved = self._hopeful(kinds)
        trial, done = np.flatnonzero(solved), 0
        is_cleared = False
        while done < len(trial):
            some = trial[done : done + _DRAWS_AT_ONCE]
            values, is_large = self._walk(roots[some], kinds[some], budget)
            ends[some[: len(values)]] = values
            done += len(values)
            budget.spend(PER_DRAW * len(values))
            if len(values):
                is_cleared = False
            elif not is_large and not self._grow():
                is_large = is_cleared
                self._clear()
                is_cleared = True
            if is_large:
                solved[trial[done]] = False
                done += 1
            if budget.is_over and done:
                last = trial[done - 1] + 1
                return ends[:last], solved[:last]
        return ends, solved

    def _hopeful(self, kinds: Array) -> Array:
        """Which draws may have few enough steps, by the number of their completions."""
        completions = np.log(self.sizes)[kinds].sum(axis=1)
        n = (self.sizes[kinds] > 1).sum(axis=1)
        cells = len(self.unit)
        tables = np.array([math.log(math.comb(m + cells - 1, cells - 1)) for m in range(kinds.shape[1] + 1)])
        return np.asarray(np.minimum(completions, tables[n]) <= math.log(self.most_steps * MOST_HOPE))

    def _walk(self, roots: Array, kinds: Array, budget: Budget) -> tuple[Array, bool]:
        """Ends of the first draws, as many as there was room for, and whether the next is too large."""
        from partita.kernels.reached_tables import reach

        parts, done, is_large, steps = held(reach)(
            roots, kinds, self.cells, self.sizes, self.unit,
            self.keys, self.onward, self.slots, self.stamps, self.count, self.most_steps, self.leaves,
        )  # fmt: skip
        self.steps += steps
        budget.spend(PER_STEP * steps)
        self._value(budget)
        if not done:
            return np.zeros((0, 2)), is_large
        parts = parts[:done]
        values = self.values[self.leaves[: parts[-1]]]
        first = np.concatenate([[0], parts[:-1]])
        # fmin and fmax leave undefined values out
        return np.stack([np.fmin.reduceat(values, first), np.fmax.reduceat(values, first)], axis=1), is_large

    def _value(self, budget: Budget) -> None:
        """Find the values of the new whole tables; those that differ by the order of clusters have one."""
        from partita.kernels.reached_tables import ordered_keys, totals

        last = int(self.count[0])
        keys = self.keys[self.n_valued : last]
        whole = np.flatnonzero(totals(keys, self.bits, len(self.unit)) == self.index.n)
        places, self.n_valued = self.n_valued + whole, last
        if not len(places):
            return
        different, place = np.unique(ordered_keys(keys[whole], self.bits, *self.shape), return_inverse=True)
        self.tables += len(places)
        budget.spend(PER_TABLE * len(places) + self.index.table_work * len(different))
        self.values[places] = self.index.on_tables(self._unpacked(different))[place.ravel()]

    def _unpacked(self, keys: Array) -> Array:
        digits = keys[:, None] >> (self.bits * np.arange(len(self.unit), dtype=np.int64))
        return np.asarray((digits & ((1 << self.bits) - 1)).reshape(-1, *self.shape))
