"""Columns of a table: how they can be filled, and what they add up to."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel


def _boxes(inside: Any) -> float:
    """How many ways there are to fill all cells but one, each between its own ends."""
    k = inside.size.bit_length() - 1
    cells = 1 << np.arange(k - 1)
    return float(np.prod(inside[-1] - inside[inside.size - 1 - cells] - inside[cells] + 1.0))


def _inside(rng: np.random.Generator) -> Any:
    counts = rng.integers(0, 4, size=(2, 3, 8))
    counts[:, :, 0] = 0
    sets = np.arange(8)
    return np.stack([counts[:, :, (sets & held) == sets].sum(axis=2) for held in sets], axis=2)


def _stacked_columns(rng: np.random.Generator) -> Any:
    parts = [column_states(inside) for inside in _inside(rng)[0]]
    yield np.concatenate(parts), np.cumsum([0, *map(len, parts)]), np.arange(60.0) ** 2


def _joins(rng: np.random.Generator) -> Any:
    law, weight = rng.random(6), rng.random(2)
    first, lowest, places = np.array([0, 2, 6]), np.array([4, 6]), np.array([0, 3])
    offset, added = np.array([0, 1]), np.array([2, 4])
    next_first, next_lowest = np.array([0, 8, 16, 0, 32, 40]), np.zeros(6, np.int64)
    for join in range(4):
        yield (
            law, first, lowest, places, offset, added, weight,
            next_first, next_lowest, np.zeros(48), join, 1e-9,
        )  # fmt: skip


@kernel(
    work=lambda inside: inside.size * _boxes(inside),
    calls=10,
    reads=(0,),
    examples=lambda rng: [(inside,) for inside in _inside(rng)[0]],
)
def column_states(inside: Any) -> Any:
    """All ways in which the objects of one column can lie in its ``k`` cells, ``(s, k)``.

    ``inside[S]`` counts the objects whose possible rows all lie in the set ``S`` (a bit mask). Counts ``c``
    can be reached exactly if ``sum of c over S >= inside[S]`` for every ``S`` (Hall).
    """
    sets = inside.shape[0]
    k = 0
    while (1 << k) < sets:
        k += 1
    n = inside[sets - 1]
    low = np.zeros(k, dtype=np.int64)
    high = np.zeros(k, dtype=np.int64)
    for i in range(k):
        low[i] = inside[1 << i]
        high[i] = n - inside[sets - 1 - (1 << i)]
    c = low.copy()
    # the first pass counts, the second writes
    states = np.empty((0, k), dtype=np.int64)
    for writing in range(2):
        found = 0
        c[:] = low
        going = True
        while going:
            rest = n
            for i in range(k - 1):
                rest -= c[i]
            fits = rest >= low[k - 1] and rest <= high[k - 1]
            if fits:
                c[k - 1] = rest
                for held in range(1, sets):
                    total = 0
                    for i in range(k):
                        if held >> i & 1:
                            total += c[i]
                    if total < inside[held]:
                        fits = False
                        break
            if fits:
                if writing:
                    states[found] = c
                found += 1
            going = False
            for i in range(k - 1):
                if c[i] < high[i]:
                    c[i] += 1
                    going = True
                    break
                c[i] = low[i]
        if not writing:
            states = np.empty((found, k), dtype=np.int64)
    return states


def _widen_small(
    least: Any, most: Any, filled: Any, offset: Any, added: Any, next_least: Any, next_most: Any
) -> None:
    """`_widen` by array operations: one way to fill the column does not meet another at a place."""
    for s in range(offset.size):
        to = filled + offset[s]
        next_least[to] = np.minimum(next_least[to], least[filled] + added[s])
        next_most[to] = np.maximum(next_most[to], most[filled] + added[s])


@kernel(small=_widen_small)
def _widen(
    least: Any, most: Any, filled: Any, offset: Any, added: Any, next_least: Any, next_most: Any
) -> None:
    """Join the ends at the places filled so far with each way to fill one more column."""
    for place in filled:
        for s in range(offset.size):
            to = place + offset[s]
            next_least[to] = min(next_least[to], least[place] + added[s])
            next_most[to] = max(next_most[to], most[place] + added[s])


@kernel(
    work=lambda states, starts, phi: 20 * len(states) + states.size,
    calls=20,
    reads=(0, 1, 2),
    examples=_stacked_columns,
)
def size_ends(states: Any, starts: Any, phi: Any) -> Any:
    """For all cluster sizes that columns can add up to, the least and the largest sum of phi over cells.

    ``states[starts[j]:starts[j + 1]]`` are the ways column ``j`` can be filled; ``phi[m]`` is the summand of
    a cell that holds ``m``. Columns are joined one by one, keeping for each vector of sizes so far the two
    ends.

    Returns
    -------
    sizes ``(s, k)``, least ``(s,)``, largest ``(s,)``
    """
    columns = starts.shape[0] - 1
    k = states.shape[1]
    corner = np.zeros((columns, k), dtype=np.int64)
    reach = np.zeros(k, dtype=np.int64)
    for j in range(columns):
        for i in range(k):
            column = states[starts[j] : starts[j + 1], i]
            corner[j, i] = column.min()
            reach[i] += column.max() - column.min()
    # sizes are places in a grid, counted from the smallest; the last size follows from the others
    strides = np.zeros(k, dtype=np.int64)
    grid = 1
    for i in range(k - 1):
        strides[i] = grid
        grid *= reach[i] + 1
    least = np.zeros(1)
    most = np.zeros(1)
    filled = np.zeros(1, dtype=np.int64)
    for j in range(columns):
        count = starts[j + 1] - starts[j]
        offset = np.zeros(count, dtype=np.int64)
        added = np.zeros(count)
        for s in range(count):
            for i in range(k):
                m = states[starts[j] + s, i]
                added[s] += phi[m]
                offset[s] += (m - corner[j, i]) * strides[i]
        next_least = np.full(grid, np.inf)
        next_most = np.full(grid, -np.inf)
        _widen(least, most, filled, offset, added, next_least, next_most)
        least = next_least
        most = next_most
        filled = np.flatnonzero(most > -np.inf)
    total = 0
    for j in range(columns):
        total += states[starts[j]].sum()
    low = corner.sum(axis=0)
    sizes = np.zeros((filled.shape[0], k), dtype=np.int64)
    for f in range(filled.shape[0]):
        place = filled[f]
        rest = total
        for i in range(k - 1):
            sizes[f, i] = low[i] + place % (reach[i] + 1)
            place //= reach[i] + 1
            rest -= sizes[f, i]
        sizes[f, k - 1] = rest
    return sizes, least[filled], most[filled]


@kernel()
def _joined_columns(inside: Any) -> Any:
    """The states of all columns of one draw, one after the other, and where each column starts."""
    columns = inside.shape[0]
    parts = [column_states(inside[j]) for j in range(columns)]
    starts = np.zeros(columns + 1, dtype=np.int64)
    for j in range(columns):
        starts[j + 1] = starts[j] + parts[j].shape[0]
    states = np.empty((starts[columns], parts[0].shape[1]), dtype=np.int64)
    for j in range(columns):
        states[starts[j] : starts[j + 1]] = parts[j]
    return states, starts


@kernel(
    work=lambda inside, phi: 20 * len(inside) * sum(inside.shape[-1] * _boxes(one) for one in inside[0]),
    calls=100,
    reads=(0, 1),
    examples=lambda rng: [(_inside(rng), np.arange(60.0) ** 2)],
)
def multiset_ends(inside: Any, phi: Any) -> Any:
    """For each drawn clustering all multisets of sizes, each with the ends of the sum of phi over cells.

    ``inside`` is as in `separable_ends`. An index does not see the order of sizes, so equal ones are one.

    Returns
    -------
    sizes ``(s, k)`` in descending order, least ``(s,)``, largest ``(s,)``, all draws one after the other;
    where each draw ends ``(d,)``; how many vectors of sizes there were
    """
    draws = inside.shape[0]
    n = phi.shape[0]
    all_sizes = []
    all_least = []
    all_most = []
    ends = np.zeros(draws, dtype=np.int64)
    total = 0
    vectors = 0
    for d in range(draws):
        states, starts = _joined_columns(inside[d])
        sizes, least, most = size_ends(states, starts, phi)
        count, k = sizes.shape
        vectors += count
        keys = np.zeros(count, dtype=np.int64)
        for s in range(count):
            for i in range(1, k):
                at = i
                while at > 0 and sizes[s, at] > sizes[s, at - 1]:
                    sizes[s, at], sizes[s, at - 1] = sizes[s, at - 1], sizes[s, at]
                    at -= 1
            # the last size follows from the others; numbers that wrap around only leave equal ones apart
            for i in range(k - 1):
                keys[s] = keys[s] * n + sizes[s, i]
        order = np.argsort(keys, kind="mergesort")
        kept = 0
        for o in range(count):
            s = order[o]
            is_same = kept > 0
            if is_same:
                for i in range(k):
                    if sizes[order[kept - 1], i] != sizes[s, i]:
                        is_same = False
            if is_same:
                first = order[kept - 1]
                least[first] = min(least[first], least[s])
                most[first] = max(most[first], most[s])
            else:
                order[kept] = s
                kept += 1
        total += kept
        ends[d] = total
        all_sizes.append(sizes[order[:kept]])
        all_least.append(least[order[:kept]])
        all_most.append(most[order[:kept]])
    made = np.empty((total, all_sizes[0].shape[1]), dtype=np.int64)
    made_least = np.empty(total)
    made_most = np.empty(total)
    start = 0
    for d in range(draws):
        made[start : ends[d]] = all_sizes[d]
        made_least[start : ends[d]] = all_least[d]
        made_most[start : ends[d]] = all_most[d]
        start = ends[d]
    return made, made_least, made_most, ends, vectors


@kernel(
    work=lambda inside, *_: 20 * len(inside) * sum(inside.shape[-1] * _boxes(one) for one in inside[0]),
    calls=100,
    reads=(0, 1),
    examples=lambda rng: [(_inside(rng), np.arange(60.0) ** 2, 0.5, -1.0)],
)
def separable_ends(inside: Any, phi: Any, row_weight: float, cell_weight: float) -> Any:
    """The ends of ``row_weight * sum phi(sizes) + cell_weight * sum phi(cells)`` for each drawn clustering.

    ``inside[d, j, S]`` counts, for draw ``d`` and column ``j``, the objects whose possible rows lie in ``S``.
    """
    draws = inside.shape[0]
    ends = np.empty((draws, 2))
    for d in range(draws):
        states, starts = _joined_columns(inside[d])
        sizes, least, most = size_ends(states, starts, phi)
        low = np.inf
        high = -np.inf
        for s in range(sizes.shape[0]):
            rows = 0.0
            for i in range(sizes.shape[1]):
                rows += phi[sizes[s, i]]
            one = row_weight * rows + cell_weight * least[s]
            other = row_weight * rows + cell_weight * most[s]
            low = min(low, one, other)
            high = max(high, one, other)
        ends[d, 0] = low
        ends[d, 1] = high
    return ends


def _join_small(
    law: Any, first: Any, lowest: Any, places: Any, offset: Any, added: Any, weight: Any,
    next_first: Any, next_lowest: Any, joined: Any, join: int, impossible: float,
) -> None:  # fmt: skip
    """`join_column` by array operations: all sizes at once for each way to fill the column.

    Sizes that differ by order alone may share a place.
    """
    lengths = np.diff(first)
    inside = np.arange(law.size) - np.repeat(first[:-1], lengths)
    for c in range(offset.size):
        to = places + offset[c]
        start = next_first[to] + (lowest + added[c] - next_lowest[to]) // 2
        at = np.repeat(start, lengths) + inside
        if join == 0:
            np.add.at(joined, at, weight[c] * law)
        elif join == 1:
            np.maximum.at(joined, at, weight[c] * law)
        elif join == 2:
            np.maximum.at(joined, at, np.minimum(weight[c], law))
        else:
            joint = weight[c] + law - 1.0
            np.maximum.at(joined, at[joint > impossible], joint[joint > impossible])


@kernel(
    work=lambda law, first, lowest, places, offset, *_: offset.size * (40 + law.size / 16),
    small=_join_small,
    reads=(0, 1, 2, 3, 4, 5, 6, 7, 8),
    examples=_joins,
)
def join_column(
    law: Any, first: Any, lowest: Any, places: Any, offset: Any, added: Any, weight: Any,
    next_first: Any, next_lowest: Any, joined: Any, join: int, impossible: float,
) -> None:  # fmt: skip
    """Join the law of (sizes, sum of squares) of the columns so far with the states of one more column.

    ``law[first[s] : first[s + 1]]`` are the weights of sums ``lowest[s], lowest[s] + 2, ...`` for the sizes
    at ``places[s]``; ``joined`` holds those of the new sizes in the same way, found by place. ``join`` is 0
    for sums of products, 1 / 2 / 3 for the largest product / minimum / Lukasiewicz conjunction, of which
    less than ``impossible`` counts as nothing.
    """
    for s in range(places.shape[0]):
        for c in range(offset.shape[0]):
            to = places[s] + offset[c]
            start = next_first[to] + (lowest[s] + added[c] - next_lowest[to]) // 2
            w = weight[c]
            length = first[s + 1] - first[s]
            old = law[first[s] : first[s] + length]
            new = joined[start : start + length]
            if join == 0:
                for t in range(length):
                    new[t] += w * old[t]
            elif join == 1:
                for t in range(length):
                    new[t] = max(new[t], w * old[t])
            elif join == 2:
                for t in range(length):
                    new[t] = max(new[t], min(w, old[t]))
            else:
                for t in range(length):
                    joint = w + old[t] - 1.0
                    if joint > impossible:
                        new[t] = max(new[t], joint)
