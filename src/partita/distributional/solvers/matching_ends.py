"""How few and how many objects the best matching of clusters can hold, over all completions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.distributional.budgets import Budget
from partita.distributional.solvers.columns import groups_inside
from partita.distributional.solvers.groups import Groups

_MOST_LISTED = 7  # clusters whose matchings are listed
_MOST_ROWS = 4  # of the compiled search; with more the mixed programme is faster
_MOST_COMPILED = 6  # rows that it can have at all
_MOST_BOXES = 20_000
_HITS_AT_ONCE = 1 << 24
_NODE, _PER_GROUP = 20_000.0, 5.0  # work of a node of a mixed programme, and of listing matchings


@dataclass(frozen=True)
class MatchingEnds:
    """Ends of the largest matching ``max_pi sum_i N_{i, pi(i)}`` over all completions, each in an interval.

    Attributes
    ----------
    fewest, most : pair of whole numbers
        The end is at least the first and at most the second; they are equal when it is exact.
    """

    fewest: tuple[int, int]
    most: tuple[int, int]

    @property
    def is_exact(self) -> bool:
        """Whether both ends are exact."""
        return self.fewest[0] == self.fewest[1] and self.most[0] == self.most[1]


def matching_ends(groups: Groups, *, budget: Budget | None = None) -> MatchingEnds:
    """The fewest and the most objects in the largest matching, over all completions.

    Parameters
    ----------
    groups : Groups
        The two rough clusterings.
    budget : Budget, optional
        What may be spent; after that bounds are good enough.
    """
    if (groups.rows.sum(axis=1) == 1).all():
        groups = groups.transposed()
    is_one_side_hard = bool((groups.columns.sum(axis=1) == 1).all())
    limit = budget or Budget()
    limit.spend(_PER_GROUP * len(groups.counts))
    return MatchingEnds(_fewest(groups, is_one_side_hard, limit), _most(groups, is_one_side_hard, limit))


def hard_matching_ends(inside: Array) -> Array | None:
    """The fewest and the most of many problems against hard clusterings, ``(s, 2)``; None where that is slow.

    ``inside`` is what `counts_inside` gives: for each column and set of rows the objects that can be nowhere
    else, ``(s, k', 2^k)``.
    """
    from scipy.optimize import linear_sum_assignment

    from partita.kernels.matchings import fewest_matched

    sets = inside.shape[-1]
    k = sets.bit_length() - 1
    if k > _MOST_COMPILED:
        return None
    ends = np.empty((len(inside), 2), dtype=np.int64)
    possible = inside[:, :, -1:] - inside[:, :, sets - 1 - (1 << np.arange(k))]
    for place, (column, cells) in enumerate(zip(inside, possible, strict=True)):
        low, high = fewest_matched(column, _MOST_BOXES)
        if low != high:
            return None
        ends[place] = low, cells[linear_sum_assignment(cells, maximize=True)].sum()
    return ends


def _fewest(groups: Groups, is_one_side_hard: bool, budget: Budget) -> tuple[int, int]:
    if is_one_side_hard and groups.shape[0] <= _MOST_ROWS:
        from partita.kernels.matchings import fewest_matched

        low, high = fewest_matched(groups_inside(groups), _MOST_BOXES)
        if low == high:
            return int(low), int(high)
    return _fewest_programme(groups, budget)


def _fewest_programme(groups: Groups, budget: Budget) -> tuple[int, int]:
    """The least of sum alpha + sum beta, alpha_i + beta_j >= N_ij, over completions N, by a mixed programme.

    By duality the least sum for one N is its largest matching, and whole alpha, beta >= 0 reach it. Only they
    need be whole: for given ones the flows of groups into cells of capacity alpha_i + beta_j are a transport
    problem with whole numbers, which has a whole solution if it has any. For the same reason whole alpha and
    beta that noise of 1e-6 lets pass are right: a set of objects without room lacks room for one at least.
    """
    from scipy import sparse
    from scipy.optimize import LinearConstraint, linear_sum_assignment

    k, columns = groups.shape
    cells = groups.cells.reshape(len(groups.counts), -1)
    is_ambiguous = cells.sum(axis=1) > 1
    certain = groups.counts[~is_ambiguous] @ cells[~is_ambiguous]
    counts, own = groups.counts[is_ambiguous], cells[is_ambiguous]
    some = (certain + counts @ (own & (np.cumsum(own, axis=1) == 1))).reshape(k, columns)
    forced = certain.reshape(k, columns)
    # the mean over all matchings of the padded table is n / max(k, k')
    low = max(
        int(forced[linear_sum_assignment(forced, maximize=True)].sum()), -(-groups.n // max(k, columns))
    )
    high = int(some[linear_sum_assignment(some, maximize=True)].sum())
    if low == high or budget.is_over:
        return low, high

    g, cell = np.nonzero(own)
    f, each = len(g), np.arange(k * columns)
    room = sparse.csr_array(
        (
            np.concatenate([-np.ones(f), np.ones(2 * len(each))]),
            (
                np.concatenate([cell, each, each]),
                np.concatenate([np.arange(f), f + each // columns, f + k + each % columns]),
            ),
        ),
        shape=(len(each), f + k + columns),
    )
    every = sparse.csr_array((np.ones(f), (g, np.arange(f))), shape=(len(counts), f + k + columns))
    potentials = np.arange(f + k + columns) >= f
    x, bound = _solved(
        budget,
        potentials.astype(np.float64),
        integrality=potentials.astype(np.int64),
        constraints=[LinearConstraint(room, certain, np.inf), LinearConstraint(every, counts, counts)],
    )
    if x is not None:
        high = min(high, int(np.rint(x[f:]).sum()))
    return math.ceil(max(low, bound)), high


def _solved(budget: Budget, cost: Array, **rest: Any) -> tuple[Array | None, float]:
    """The point of a mixed programme, if one was found in time, and a bound of its value, if need be -inf.

    The value is whole and the solver's noise is about 1e-6, so the bound can be rounded up when 1e-3 is off.
    """
    from scipy.optimize import milp

    options: Any = {"mip_rel_gap": 0.0}
    if budget.seconds_left < math.inf:
        options["time_limit"] = max(budget.seconds_left, 0.0)
    if budget.work_left < math.inf:
        options["node_limit"] = int(max(budget.work_left / _NODE, 1))
    result = milp(cost, options=options, **rest)
    budget.spend(_NODE * (1 + (result.mip_node_count or 0)))
    bound = result.mip_dual_bound
    return result.x, -math.inf if bound is None or math.isnan(bound) else bound - 1e-3


def _most(groups: Groups, is_one_side_hard: bool, budget: Budget) -> tuple[int, int]:
    from scipy.optimize import linear_sum_assignment

    k, columns = groups.shape
    possible = np.tensordot(groups.counts, groups.cells, axes=1)
    matching = linear_sum_assignment(possible, maximize=True)
    if is_one_side_hard:
        # an object has one column, so one cell of the matching at most: none is counted twice
        exact = int(possible[matching].sum())
        return exact, exact
    if max(k, columns) <= _MOST_LISTED:
        exact = _most_listed(groups if k <= columns else groups.transposed())
        return exact, exact
    return _most_programme(groups, matching, budget)


def _hits(groups: Groups, rows: Array, columns: Array) -> int:
    """How many objects can be in the cells of a matching."""
    return int(groups.counts @ groups.cells[:, rows, columns].any(axis=1))


def _most_listed(groups: Groups) -> int:
    """The most objects in any of all matchings of no more rows than columns."""
    k, columns = groups.shape
    every = np.array(list(permutations(range(columns), k)))
    best, several = 0, max(1, _HITS_AT_ONCE // len(groups.counts))
    for first in range(0, len(every), several):
        some = every[first : first + several]
        hit = np.zeros((len(groups.counts), len(some)), dtype=bool)
        for i in range(k):
            hit |= groups.cells[:, i, some[:, i]]
        best = max(best, int((groups.counts @ hit).max()))
    return best


def _most_programme(groups: Groups, start: tuple[Array, Array], budget: Budget) -> tuple[int, int]:
    """The most objects in a matching, by a mixed programme: cells are matched or not, groups are hit or not.

    Only the cells' variables need be whole: with a whole matching a group's bound is 0, or at least 1.
    """
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment

    k, columns = groups.shape
    low, high = _hits(groups, *start), groups.n
    if low == high or budget.is_over:
        return low, high
    g, cell = np.nonzero(groups.cells.reshape(len(groups.counts), -1))
    each, own = np.arange(k * columns), np.arange(len(groups.counts))
    width = len(each) + len(own)
    once = sparse.csr_array(
        (np.ones(2 * len(each)), (np.concatenate([each // columns, k + each % columns]), np.tile(each, 2))),
        shape=(k + columns, width),
    )
    hit = sparse.csr_array(
        (
            np.concatenate([np.ones(len(own)), -np.ones(len(g))]),
            (np.concatenate([own, g]), np.concatenate([len(each) + own, cell])),
        ),
        shape=(len(own), width),
    )
    x, bound = _solved(
        budget,
        np.concatenate([np.zeros(len(each)), -groups.counts]),
        integrality=(np.arange(width) < len(each)).astype(np.int64),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(once, -np.inf, 1), LinearConstraint(hit, -np.inf, 0)],
    )
    if x is not None:
        chosen = x[: len(each)].reshape(k, columns)
        low = max(low, _hits(groups, *linear_sum_assignment(chosen, maximize=True)))
    return low, math.floor(min(high, -bound))
