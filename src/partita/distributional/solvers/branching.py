"""The least a function of the table can be over all completions of two rough clusterings, with a proof.

Branch and bound: linear programmes bound the counts of the table, local search supplies completions.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.distributional.budgets import PER_ITERATION, PER_ROW, PROGRAMME, Budget
from partita.distributional.solvers.groups import Groups

_EPS = float(np.finfo(np.float64).eps)
_STACK_CELLS = 1 << 20  # cells of the tables that are looked at together
_STARTS = 6
_MOST_MOVES = 2000  # of one local search
_ROUNDS = 6  # linear programmes of one node while secants are what is wrong with it
_EDGE = 0.25  # no part of a split is smaller than this
_STEP, _PER_MOVE, _EVALUATION, _PER_CELL = 80.0, 0.1, 300.0, 0.05  # work of a move of the local search

_Function = Callable[[Array], Array]
_Weights = tuple[float, float, float]
_Split = tuple[int, int] | None  # a term and the last whole number of its lower part
_Moves = Callable[[Array, Array, Array, Array], Array]  # table, sources, targets, sizes to values after each


@dataclass(frozen=True)
class Minimum:
    """No completion has less than ``bound``, rounding included; ``table`` is one's that has ``attained``."""

    bound: float
    attained: float
    table: Array
    nodes: int


def minimum(
    groups: Groups,
    phi: _Function,
    weights: _Weights,
    *,
    step: float = 0.0,
    gap: float = 0.0,
    budget: Budget | None = None,
    most_nodes: int = 20_000,
) -> Minimum:
    """The least ``w_a sum phi(a_i) + w_b sum phi(b_j) + w_n sum phi(N_ij)`` over all completions.

    ``phi`` is convex on the whole numbers 0 to n. The weights of row sums a, column sums b and cells N have
    any sign: a maximum is the minimum with all negated. All values are known to differ by multiples of
    ``step``; a completion within ``gap`` of the bound is good enough. When the budget is spent, or after
    ``most_nodes``, the best bound so far is returned, one of no use if there was nothing to spend.
    """
    return _Search(groups, phi, weights, step, gap, budget or Budget()).run(most_nodes)


def local_search(
    groups: Groups,
    value_of: _Function,
    *,
    starts: int = 4,
    rng: np.random.Generator,
    budget: Budget | None = None,
    table_work: float = 0.0,
) -> tuple[float, Array]:
    """A completion with a small value, found by moving objects between cells while it helps.

    ``value_of`` takes an ``(s, k, k')`` stack of tables and gives their values, nan where a table has none.
    The value is that of the table returned; nan when no table looked at has one. When the budget
    is spent, or after `_MOST_MOVES` moves from each start, the best so far is returned. A value counts for
    ``table_work`` by itself.
    """
    flows, limit = _Flows(groups), budget or Budget()

    def after(table: Array, source: Array, target: Array, size: Array) -> Array:
        several, values = max(1, _STACK_CELLS // table.size), np.empty(len(source))
        limit.spend(_EVALUATION + (table_work + _PER_CELL * table.size) * len(source))
        for first in range(0, len(source), several):
            part = slice(first, first + several)
            stack = np.repeat(table[None], len(source[part]), axis=0)
            each = np.arange(len(stack))
            stack[each, source[part]] -= size[part]
            stack[each, target[part]] += size[part]
            values[part] = value_of(stack.reshape(-1, *groups.shape))
        return np.where(np.isnan(values), np.inf, values)

    found = [flows.descend(flows.random(rng), after, limit) for _ in range(starts)]
    value, table = min(found, key=lambda one: one[0])
    return (value if value < math.inf else math.nan), table.reshape(groups.shape)


class _Flows:
    """Completions as numbers of objects per ambiguous group and cell, and the moves between them."""

    def __init__(self, groups: Groups) -> None:
        cells = groups.cells.reshape(len(groups.counts), -1)
        ambiguous = cells.sum(axis=1) > 1
        self.certain = groups.counts[~ambiguous] @ cells[~ambiguous]
        self.cells, self.counts = cells[ambiguous], groups.counts[ambiguous]
        # every (group, from, to), sorted by (from, to): how many can move is a maximum over a run
        own, cells_in_all = [np.flatnonzero(row) for row in self.cells], len(self.certain)
        pair = np.concatenate([self.certain[:0], *((c[:, None] * cells_in_all + c).ravel() for c in own)])
        group = np.repeat(np.arange(len(own)), self.cells.sum(axis=1) ** 2)
        order = np.argsort(pair, kind="stable")
        source, target = np.divmod(pair[order], cells_in_all)
        moves = source != target
        self.group, self.source, self.target = group[order][moves], source[moves], target[moves]
        self.first = np.flatnonzero(np.diff(pair[order][moves], prepend=-1))

    def random(self, rng: np.random.Generator) -> Array:
        """A completion drawn at random, most of a group often in one cell."""
        odds = self.cells * (rng.exponential(size=self.cells.shape) ** 3 + 1e-9)
        return np.asarray(rng.multinomial(self.counts, odds / odds.sum(axis=1, keepdims=True)))

    def rounded(self, flows: Array) -> Array:
        """Whole numbers near ``flows`` of the right sum per group: the largest remainders are rounded up."""
        floor = np.floor(np.maximum(flows, 0) + 1e-9).astype(np.int64)
        last = np.where(self.cells, floor - flows, 2.0)
        rank = np.argsort(np.argsort(last, axis=1, kind="stable"), axis=1)
        return np.asarray(floor + (rank < (self.counts - floor.sum(axis=1))[:, None]))

    def descend(self, flows: Array, after: _Moves, budget: Budget) -> tuple[float, Array]:
        """Make the best move, of one object or of all that can make it together, while the value falls."""
        flows, table, none = flows.copy(), self.certain + flows.sum(axis=0), np.zeros(1, dtype=np.int64)
        value = float(after(table, none, none, none)[0])
        for _ in range(_MOST_MOVES if len(self.first) else 0):
            if budget.is_over:
                break
            budget.spend(_STEP + _PER_MOVE * len(self.group))
            able = flows[self.group, self.source]
            room = np.maximum.reduceat(able, self.first)
            single, several = np.flatnonzero(room > 0), np.flatnonzero(room > 1)
            which = self.first[np.concatenate([single, several])]
            size = np.concatenate([np.ones_like(room[single]), room[several]])
            values = after(table, self.source[which], self.target[which], size)
            best = int(np.argmin(values))
            # less by more than rounding, so that no table comes again
            if not values[best] < value - (64 * _EPS * abs(value) if value < math.inf else 0):
                break
            value, first, moved = float(values[best]), int(which[best]), size[best]
            g = self.group[first + int(np.argmax(able[first:] >= moved))]
            ends = [self.source[first], self.target[first]]
            flows[g, ends] += [-moved, moved]
            table[ends] += [-moved, moved]
        return value, table


class _Search:
    """Best-first search. A node is an interval for each term: row sums, then column sums, then cells."""

    def __init__(
        self, groups: Groups, phi: _Function, weights: _Weights, step: float, gap: float, budget: Budget
    ) -> None:
        from scipy import sparse

        k, k2 = self.shape = groups.shape
        self.n, self.flows, self.step, self.budget = groups.n, _Flows(groups), step, budget
        self.whole = np.arange(groups.n + 1)
        self.phi = np.asarray(phi(self.whole), dtype=np.float64)
        self.bottom, self.weights = int(np.argmin(self.phi)), weights
        self.weight = np.repeat(np.asarray(weights, dtype=np.float64), [k, k2, k * k2])
        sets = [groups.rows, groups.columns, groups.cells.reshape(len(groups.counts), -1)]
        forced = [s & (s.sum(axis=1, keepdims=True) == 1) for s in sets]
        self.low = np.concatenate([groups.counts @ s for s in forced])
        self.high = np.concatenate([groups.counts @ s for s in sets])
        scale = float(np.abs(self.weight) @ np.maximum(*np.abs(self.phi[[self.low, self.high]])))
        self.slack, self.tiny = max(gap, step * (1 - 1e-6), 1e-12 * scale), 1e-11 * scale
        self.excluded, self.attained, self.best = math.inf, math.inf, self.flows.certain
        self.nodes = 0
        self.convex = np.flatnonzero((self.weight > 0) & (self.low < self.high))
        self.cuts: dict[tuple[int, int], None] = {}
        # columns of the programme: flows, terms, values of the convex terms; rows: a group has its objects,
        # a cell has its flows, a row or a column of the table has its cells
        g, cell = self.own = np.nonzero(self.flows.cells)
        f, head, cells, lines = len(g), len(self.flows.counts), np.arange(k * k2), np.arange(k + k2)
        top, left = head + len(cells), f + len(lines)
        row = [g, top + lines, head + cells, head + cell, top + cells // k2, top + k + cells % k2]
        column = [np.arange(f), f + lines, left + cells, np.arange(f), left + cells, left + cells]
        sign = np.repeat([1.0, -1.0], [left + len(cells), f + 2 * len(cells)])
        self.n_flows, self.width = f, left + len(cells) + len(self.convex)
        at = np.concatenate(row), np.concatenate(column)
        self.equal = sparse.csr_array((sign, at), shape=(top + len(lines), self.width))
        self.right = np.concatenate([self.flows.counts, self.flows.certain, 0.0 * lines])

    def run(self, most_nodes: int) -> Minimum:
        """Search until the minimum is proved, or time or nodes are up."""
        rng = np.random.default_rng(0)
        for _ in range(_STARTS):
            self.take(self.flows.descend(self.flows.random(rng), self.after, self.budget)[1])
        heap: list[tuple[float, int, Array, Array, tuple[int, int]]] = []

        def look(low: Array, high: Array, bound: float) -> None:
            self.nodes += 1
            bound, low, high, split = self.relax(low, high, bound)
            if split is None or bound > self.attained - self.slack:
                self.excluded = min(self.excluded, bound)
            else:
                heapq.heappush(heap, (bound, self.nodes, low, high, split))

        look(self.low, self.high, -2 * float(np.abs(self.weight).sum() * np.abs(self.phi).max()))
        while heap and self.nodes < most_nodes and not self.budget.is_over:
            if heap[0][0] > self.attained - self.slack:
                break
            bound, _, low, high, (t, m) = heapq.heappop(heap)
            below, above = high.copy(), low.copy()
            below[t], above[t] = min(high[t], m), max(low[t], m + 1)
            look(low, below, bound)
            look(above, high, bound)
        bound = min([self.excluded, self.attained, *(node[0] for node in heap)])
        if self.step:
            bound = self.attained - self.step * math.floor((self.attained - bound) / self.step)
        return Minimum(bound, self.attained, self.best.reshape(self.shape), self.nodes)

    def take(self, table: Array) -> None:
        """Keep a completion's table if it is better than the best."""
        value = self.value(table)
        if value < self.attained:
            self.attained, self.best = value, table

    def value(self, table: Array) -> float:
        grid = table.reshape(self.shape)
        return float(self.weight @ self.phi[np.concatenate([grid.sum(axis=1), grid.sum(axis=0), table])])

    def after(self, table: Array, source: Array, target: Array, size: Array) -> Array:
        """The values after each of some moves, from the six counts that it changes."""
        k2, grid = self.shape[1], table.reshape(self.shape)
        values = np.full(len(source), self.value(table))
        lines = (grid.sum(axis=1), source // k2, target // k2), (grid.sum(axis=0), source % k2, target % k2)
        for w, (counts, out, into) in zip(self.weights, (*lines, (table, source, target)), strict=True):
            moved = np.where(out == into, 0, size)
            less, more = counts[out], counts[into]
            values += w * (self.phi[less - moved] - self.phi[less] + self.phi[more + moved] - self.phi[more])
        return values

    def relax(self, low: Array, high: Array, bound: float) -> tuple[float, Array, Array, _Split]:
        """Bound a node, narrow its intervals and say where to split it."""
        low, high = low.copy(), high.copy()
        terms = slice(self.n_flows, self.n_flows + len(self.weight))
        done = 0
        while True:
            if not _narrow(low, high, self.shape, self.n):
                return math.inf, low, high, None
            below, x, reduced = self.solve(low, high)
            bound, cutoff, done = max(bound, below), self.attained - self.slack, done + 1
            if x is None or bound > cutoff:
                return bound, low, high, None
            y = np.clip(x[terms], low, high)
            split, wrong = self.split(low, high, y)
            missed = self.cut(high, y, x[terms.stop :])
            # a term that is s off the end where its reduced cost d holds it costs d s
            d, spare = reduced[terms], cutoff - below
            room = np.where(np.abs(d) * self.n > spare, spare / np.maximum(np.abs(d), 1e-99) + 1e-6, self.n)
            highest = np.where(d > 0, np.minimum(high, low + room.astype(np.int64)), high)
            lowest = np.where(d < 0, np.maximum(low, high - room.astype(np.int64)), low)
            before, now = (high - low).sum(), (highest - lowest).sum()
            if now < before:
                self.excluded = min(self.excluded, cutoff)
                low, high = lowest, highest
            is_better = missed > max(self.tiny, wrong / 20) or now < 0.9 * before
            if is_better and (done < _ROUNDS or wrong <= self.tiny):
                continue
            if split is None:
                # whole cells are a completion: the flows into them are those of a transport problem
                self.take(np.rint(y[sum(self.shape) :]).astype(np.int64))
            else:
                flows = np.zeros(self.flows.cells.shape)
                flows[self.own] = x[: self.n_flows]
                self.take(self.flows.descend(self.flows.rounded(flows), self.after, self.budget)[1])
            return bound, low, high, split

    def split(self, low: Array, high: Array, y: Array) -> tuple[_Split, float]:
        """The term whose secant is most below it, or else the most broken one, and where; how much below."""
        slope = (self.phi[high] - self.phi[low]) / np.maximum(high - low, 1)
        secant = self.phi[low] + slope * (y - low)
        below = np.where(self.weight < 0, self.weight * (np.interp(y, self.whole, self.phi) - secant), 0)
        t, wrong = int(np.argmax(below)), float(below.max())
        if wrong <= self.tiny:
            t = int(np.argmax(np.abs(y - np.rint(y))))
            return (None if abs(y[t] - np.rint(y[t])) < 1e-6 else (t, math.floor(y[t]))), wrong
        edge = _EDGE * (high[t] - low[t])
        return (t, math.floor(min(max(y[t], low[t] + edge), high[t] - max(edge, 1)))), wrong

    def cut(self, high: Array, y: Array, values: Array) -> float:
        """Add the cuts that the point misses; by how much it misses the worst."""
        t = self.convex
        short = self.weight[t] * np.interp(y[t], self.whole, self.phi) - values
        at = np.minimum(np.floor(y[t] + 1e-7), high[t] - 1).astype(np.int64)
        known, missed = len(self.cuts), short > self.tiny
        self.cuts |= dict.fromkeys(zip(t[missed].tolist(), at[missed].tolist(), strict=True))
        return float(short.max()) if len(self.cuts) > known else 0.0

    def solve(self, low: Array, high: Array) -> tuple[float, Array | None, Array]:
        """A certified bound of a node by a linear programme, its point and reduced costs.

        Where weight * phi is convex it is at least every line through two neighbouring values; where it is
        concave, the secant of the interval. The bound does not trust the solver: for any multipliers of the
        right sign, right sides times them plus the least of the reduced costs over the box is a bound, less
        what rounding may add. Only "infeasible" is trusted: whole numbers do not miss by a tolerance.
        """
        from scipy import sparse
        from scipy.optimize import linprog

        t, f, w, phi = self.convex, self.n_flows, self.weight, self.phi
        slope = np.where(w < 0, w * (phi[high] - phi[low]) / np.maximum(high - low, 1), 0)
        constants = np.where((w < 0) | (self.low == self.high), w * phi[low] - slope * low, 0)
        cost = np.concatenate([np.zeros(f), slope, np.ones(len(t))])
        least = np.concatenate([np.zeros(f), low, w[t] * phi[np.clip(self.bottom, low[t], high[t])]])
        ends = phi[[low[t], high[t]]]
        most = np.concatenate([self.flows.counts[self.own[0]], high, w[t] * ends.max(axis=0)])
        c, m = np.array(list(self.cuts), dtype=np.int64).reshape(-1, 2).T
        inside = (low[c] < m) & (m < high[c] - 1)
        first, last = t[low[t] < high[t]], t[low[t] < high[t] - 1]
        c = np.concatenate([c[inside], first, last])
        m = np.concatenate([m[inside], low[first], high[last] - 1])
        rise, each = w[c] * (phi[m + 1] - phi[m]), np.arange(len(c))
        place = np.tile(each, 2), np.concatenate([f + c, f + len(w) + np.searchsorted(t, c)])
        factor = np.concatenate([rise, -np.ones(len(c))])
        lines = sparse.csr_array((factor, place), shape=(len(c), self.width))
        line = rise * m - w[c] * phi[m]
        if self.budget.is_over:
            return -math.inf, None, cost
        each_costs = PER_ITERATION + PER_ROW * (len(c) + len(self.right))
        iterations = (max(self.budget.work_left - PROGRAMME, PROGRAMME)) / each_costs
        options = {
            "presolve": False,
            "time_limit": min(self.budget.seconds_left, 1e9),
            "maxiter": int(min(iterations, 1e9)),
        }
        box = np.stack([least, most], axis=1)
        solver: Any = linprog  # its stubs know no sparse matrices
        r = solver(cost, lines, line, self.equal, self.right, box, method="highs", options=options)
        self.budget.spend(PROGRAMME + each_costs * r.nit)
        if r.status:
            return (math.inf if r.status == 2 else -math.inf), None, cost
        u, v = r.eqlin.marginals, np.minimum(r.ineqlin.marginals, 0)
        reduced = cost - self.equal.T @ u - lines.T @ v
        box_least = np.where(reduced > 0, least, most) * reduced
        parts = np.concatenate([constants, self.right * u, line * v, box_least])
        sizes = np.abs(cost) + abs(self.equal).T @ np.abs(u) + abs(lines).T @ np.abs(v)
        size = np.abs(parts).sum() + sizes @ np.maximum(np.abs(least), np.abs(most))
        return float(parts.sum() - size * (self.width + 64) * _EPS), r.x, reduced


def _narrow(low: Array, high: Array, shape: tuple[int, int], n: int) -> bool:
    """Narrow intervals, in place, by the sums that terms must have; whether anything is left."""
    k, k2 = shape
    cells0, cells1 = (ends[k + k2 :].reshape(shape) for ends in (low, high))
    before = -1
    while before != (before := int((high - low).sum())) and (low <= high).all():
        for axis, part in ((1, slice(k)), (0, slice(k, k + k2))):
            line0, line1 = low[part], high[part]
            np.maximum(line0, cells0.sum(axis), out=line0)
            np.minimum(line1, cells1.sum(axis), out=line1)
            np.maximum(line0, n - line1.sum() + line1, out=line0)
            np.minimum(line1, n - line0.sum() + line0, out=line1)
            np.minimum(cells1, cells0 + np.expand_dims(line1 - cells0.sum(axis), axis), out=cells1)
            np.maximum(cells0, cells1 + np.expand_dims(line0 - cells1.sum(axis), axis), out=cells0)
    return bool((low <= high).all())
