"""Tables that completions can reach, object by object, each table written down once."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel

BITS = 4
"""Of each cell in the keys of the examples: tables of two by two cells, at most 15 objects in each."""


def _walks(rng: np.random.Generator) -> Any:
    cells = np.array([[0, 1, 0, 0], [0, 1, 2, 3], [2, 0, 0, 0]])
    sizes, unit = np.array([2, 4, 1]), np.int64(1) << (BITS * np.arange(4))
    room = 256
    for most_steps in (10_000, 30):
        yield (
            np.array([unit[2], 0]), rng.integers(0, 3, size=(2, 5)), cells, sizes, unit,
            np.zeros(room, np.int64), np.full((room, 4), -1, np.int32), np.full(2 * room, -1, np.int32),
            np.zeros(room, np.int64), np.zeros(2, np.int64), most_steps, np.zeros(2 * room, np.int32),
        )  # fmt: skip


def _keys(rng: np.random.Generator) -> Any:
    return np.unique(rng.integers(0, 1 << (4 * BITS), size=50))


@kernel()
def _place(key: Any, shift: int) -> Any:
    return np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))


@kernel()
def _known(key: Any, keys: Any, slots: Any, count: Any) -> Any:
    """The number of a table, a new one if need be; -1 where there is no room for it."""
    bits = 0
    while (1 << bits) < slots.shape[0]:
        bits += 1
    at = _place(key, 64 - bits)
    while slots[at] >= 0:
        if keys[slots[at]] == key:
            return slots[at]
        at = (at + 1) & (slots.shape[0] - 1)
    if count[0] == keys.shape[0]:
        return -1
    new = count[0]
    keys[new] = key
    slots[at] = new
    count[0] += 1
    return new


@kernel(
    work=lambda roots, kinds, cells, *_: 100 * kinds.size * cells.shape[1],
    calls=1000,
    reads=(0, 1, 2, 3, 4),
    examples=_walks,
)
def reach(
    roots: Any, kinds: Any, cells: Any, sizes: Any, unit: Any,
    keys: Any, onward: Any, slots: Any, stamps: Any, count: Any, most_steps: int, leaves: Any,
) -> Any:  # fmt: skip
    """All tables of each drawn pair of rough clusterings, in order, as far as there is room.

    Parameters
    ----------
    roots : (d,) array
        For each draw the table of the objects that have one possible cell, as a key.
    kinds : (d, n) array
        The kinds of its objects; those with one possible cell are passed over.
    cells, sizes : (kinds, cells) and (kinds,) arrays
        For each kind its possible cells, and how many they are.
    unit : (cells,) array
        What an object in a cell adds to a key.
    keys, onward, slots, stamps, count
        The tables known so far: keys, the table with one object more in each cell, a hash table, when it was
        last met, and how many there are (with the last stamp).
    most_steps : int
        Steps that are taken for one draw.
    leaves : array
        Where the numbers of the tables are written.

    Returns
    -------
    ends ``(d,)`` of the parts of ``leaves``; how many draws are done; whether the next one is too large
    (otherwise there was no room left); steps taken
    """
    draws, n = kinds.shape
    ends = np.zeros(draws, dtype=np.int64)
    here = np.empty(leaves.shape[0], dtype=np.int32)
    there = np.empty(leaves.shape[0], dtype=np.int32)
    written = 0
    all_steps = 0
    for d in range(draws):
        steps = 0
        here[0] = _known(roots[d], keys, slots, count)
        if here[0] < 0:
            return ends, d, False, all_steps
        reached = 1
        for x in range(n):
            kind = kinds[d, x]
            if sizes[kind] == 1:
                continue
            steps += reached * sizes[kind]
            if steps > most_steps:
                return ends, d, True, all_steps + steps
            count[1] += 1
            stamp = count[1]
            more = 0
            for i in range(reached):
                table = here[i]
                for c in range(sizes[kind]):
                    cell = cells[kind, c]
                    after = onward[table, cell]
                    if after < 0:
                        after = _known(keys[table] + unit[cell], keys, slots, count)
                        if after < 0:
                            return ends, d, False, all_steps + steps
                        onward[table, cell] = after
                    if stamps[after] != stamp:
                        stamps[after] = stamp
                        there[more] = after
                        more += 1
            here, there = there, here
            reached = more
        all_steps += steps
        if written + reached > leaves.shape[0]:
            return ends, d, False, all_steps
        leaves[written : written + reached] = here[:reached]
        written += reached
        ends[d] = written
    return ends, draws, False, all_steps


@kernel(
    work=lambda keys, slots, count: 40 * count,
    calls=100,
    reads=(0,),
    examples=lambda rng: [(_keys(rng), np.full(128, -1, np.int32), 20)],
)
def rehash(keys: Any, slots: Any, count: int) -> None:
    """Enter the first keys, all different, into an empty hash table."""
    bits = 0
    while (1 << bits) < slots.shape[0]:
        bits += 1
    for new in range(count):
        at = _place(keys[new], 64 - bits)
        while slots[at] >= 0:
            at = (at + 1) & (slots.shape[0] - 1)
        slots[at] = new


@kernel()
def _sort_rows(table: Any, code: Any, with_places: bool) -> None:
    """Put rows in the order of their entries, first whatever the order of these, then as they stand."""
    rows, columns = table.shape
    for i in range(rows):
        code[i] = 0
        for j in range(columns):
            m = table[i, j]
            code[i] += m * (1 + m * (5 + 31 * m))
        if with_places:
            for j in range(columns):
                code[i] = 1009 * code[i] + table[i, j]
    for i in range(1, rows):
        at = i
        while at > 0 and code[at] > code[at - 1]:
            code[at], code[at - 1] = code[at - 1], code[at]
            for j in range(columns):
                table[at, j], table[at - 1, j] = table[at - 1, j], table[at, j]
            at -= 1


@kernel(
    work=lambda keys, bits, rows, columns: 20 * keys.size * rows * columns,
    calls=100,
    reads=(0,),
    examples=lambda rng: [(_keys(rng), BITS, 2, 2)],
)
def ordered_keys(keys: Any, bits: int, rows: int, columns: int) -> Any:
    """For each table the key of one with its clusters in another order, mostly the same for all orders."""
    made = np.empty_like(keys)
    table = np.zeros((rows, columns), dtype=np.int64)
    code = np.zeros(max(rows, columns), dtype=np.int64)
    mask = (1 << bits) - 1
    for t in range(keys.shape[0]):
        for i in range(rows):
            for j in range(columns):
                table[i, j] = keys[t] >> (bits * (i * columns + j)) & mask
        for with_places in (False, True):
            _sort_rows(table, code, with_places)
            _sort_rows(table.T, code, with_places)
        made[t] = 0
        for i in range(rows):
            for j in range(columns):
                made[t] |= table[i, j] << (bits * (i * columns + j))
    return made


@kernel(
    work=lambda keys, bits, cells: keys.size * cells,
    calls=1000,
    reads=(0,),
    examples=lambda rng: [(_keys(rng), BITS, 4)],
)
def totals(keys: Any, bits: int, cells: int) -> Any:
    """How many objects are in each table."""
    made = np.zeros(keys.shape[0], dtype=np.int64)
    mask = (1 << bits) - 1
    for t in range(keys.shape[0]):
        for c in range(cells):
            made[t] += keys[t] >> (bits * c) & mask
    return made
