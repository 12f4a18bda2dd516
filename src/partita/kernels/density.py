"""Density-based validity: core distances, spanning trees of mutual reachability, separations.

Objects lie cluster by cluster. ``metric`` is 0 for euclidean, 1 for squared euclidean, 2 for city-block.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel


def _sorted_objects(rng: np.random.Generator) -> Any:
    columns, weight = rng.normal(size=(3, 30)), np.ones(30)
    columns[:, 4] = columns[:, 3]
    low = np.repeat([0, 10, 11], [10, 1, 19])
    high = np.repeat([10, 11, 30], [10, 1, 19])
    for metric, dimension in ((0, 3.0), (1, 2.5), (2, 3.3)):
        yield columns, weight, low, high, 0, 30, metric, dimension


@kernel(
    work=lambda columns, weight, low, high, start, stop, *_: (
        float((high - low)[start:stop].sum()) * len(columns)
    ),
    calls=10,
    reads=(0, 1, 2, 3),
    examples=_sorted_objects,
)
def core_distances(
    columns: Any, weight: Any, low: Any, high: Any, start: int, stop: int, metric: int, dimension: float
) -> Any:
    """The power mean, with exponent -dimension, of the distances to the other objects of the same cluster.

    For objects ``start`` to ``stop``, whose clusters are ``low`` to ``high``; ``columns`` is ``(d, n)``.
    Objects at distance 0 add nothing. Distances are shares of the smallest, so that no power overflows.
    """
    widest = 0
    for i in range(start, stop):
        widest = max(widest, high[i] - low[i])
    gaps = np.empty(widest)
    powers = np.empty(widest)
    core = np.zeros(stop - start)
    half = metric == 0  # squared distances take half the exponent, and no root
    exponent = dimension / 2.0 if half else dimension
    whole = int(np.floor(exponent))
    rest = exponent - whole
    for i in range(start, stop):
        first, m = low[i], high[i] - low[i]
        gaps[:m] = 0.0
        total = 0.0
        for f in range(columns.shape[0]):
            own = columns[f, i]
            if metric == 2:
                for j in range(m):
                    gaps[j] += abs(columns[f, first + j] - own)
            else:
                for j in range(m):
                    gap = columns[f, first + j] - own
                    gaps[j] += gap * gap
        near = np.inf
        for j in range(m):
            total += weight[first + j]
            if 0.0 < gaps[j] < near:
                near = gaps[j]
        if near == np.inf:
            continue
        for j in range(m):
            gaps[j] = near / gaps[j] if gaps[j] > 0.0 else 0.0
        if rest == 0.0:
            powers[:m] = 1.0
        elif rest == 0.5:
            for j in range(m):
                powers[j] = np.sqrt(gaps[j])
        else:
            for j in range(m):
                powers[j] = gaps[j] ** rest
        bits = whole
        while bits > 0:
            if bits & 1:
                for j in range(m):
                    powers[j] *= gaps[j]
            bits >>= 1
            if bits > 0:
                for j in range(m):
                    gaps[j] *= gaps[j]
        inverse = 0.0
        for j in range(m):
            inverse += weight[first + j] * powers[j]
        others = total - min(weight[i], 1.0)
        core[i - start] = (np.sqrt(near) if half else near) * (inverse / others) ** (-1.0 / dimension)
    return core


def _points(rng: np.random.Generator) -> Any:
    points, core = rng.normal(size=(25, 3)), rng.random(25)
    points[7] = points[3]
    return [(points, core, metric, 2.0**20 + 1.0, pair) for metric in (0, 1, 2) for pair in (False, True)]


@kernel(work=lambda points, *_: len(points) * points.size, calls=10, reads=(0, 1), examples=_points)
def spanning_tree(points: Any, core: Any, metric: int, tie: float, by_pair: bool) -> Any:
    """The minimum spanning tree of mutual reachability by Prim's algorithm, without a matrix.

    Of edges of equal reach the one of smaller distance is taken, then the one between lower positions; or
    with ``by_pair`` the one whose lower position is highest, then the higher one. Numbers are equal when they
    agree after `tie` has cut their last bits.

    Returns
    -------
    both ends, the reach and the distance of each edge
    """
    m, d = points.shape
    # objects outside the tree lie in the first places of these, in any order
    columns = points.T.copy()
    who = np.arange(m)
    cut = np.empty(m)
    for v in range(m):
        lifted = core[v] * tie
        cut[v] = lifted - (lifted - core[v])
    reach = np.full(m, np.inf)
    close = np.full(m, np.inf)
    exact = np.full(m, np.inf)
    parent = np.full(m, m)
    gaps = np.empty(m)
    ends = np.empty((m - 1, 2), dtype=np.int64)
    lengths = np.empty(m - 1)
    apart = np.empty(m - 1)
    place = 0
    for step in range(m):
        u, least = who[place], cut[place]
        left = m - 1 - step
        if step > 0:
            ends[step - 1, 0], ends[step - 1, 1] = parent[place], u
            lengths[step - 1] = max(exact[place], core[u], core[parent[place]])
            apart[step - 1] = exact[place]
        for f in range(d):
            columns[f, place] = columns[f, left]
        who[place], cut[place], parent[place] = who[left], cut[left], parent[left]
        reach[place], close[place], exact[place] = reach[left], close[left], exact[left]

        gaps[:left] = 0.0
        for f in range(d):
            own = points[u, f]
            if metric == 2:
                for p in range(left):
                    gaps[p] += abs(columns[f, p] - own)
            else:
                for p in range(left):
                    gap = columns[f, p] - own
                    gaps[p] += gap * gap
        if metric == 0:
            for p in range(left):
                gaps[p] = np.sqrt(gaps[p])
        place = 0
        for p in range(left):
            lifted = gaps[p] * tie
            short = lifted - (lifted - gaps[p])
            new = max(least, cut[p], short)
            order = -float(min(u, who[p]) * m + max(u, who[p])) if by_pair else short
            if new < reach[p] or (
                new == reach[p] and (order < close[p] or (order == close[p] and u < parent[p]))
            ):
                reach[p], close[p], exact[p], parent[p] = new, order, gaps[p], u
            if reach[p] > reach[place] or p == 0:
                continue
            if reach[p] < reach[place] or close[p] < close[place]:
                place = p
            elif close[p] == close[place]:
                lower, upper = min(who[p], parent[p]), max(who[p], parent[p])
                lowest, top = min(who[place], parent[place]), max(who[place], parent[place])
                if lower < lowest or (lower == lowest and upper < top):
                    place = p
    return ends, lengths, apart


def _reaches(rng: np.random.Generator) -> Any:
    points, core = rng.normal(size=(30, 3)), rng.random(30)
    cluster, high = np.arange(30) // 10, np.arange(30) // 10 * 10 + 10
    return [(points, core, cluster, high, 0, 30, 3, metric) for metric in (0, 1, 2)]


@kernel(
    work=lambda points, core, cluster, high, start, stop, *_: (stop - start) * points.size,
    calls=10,
    reads=(0, 1, 2, 3),
    examples=_reaches,
)
def nearest_reach(
    points: Any, core: Any, cluster: Any, high: Any, start: int, stop: int, k: int, metric: int
) -> Any:
    """For each cluster the least mutual reachability to an object of another one.

    Pairs of objects ``start`` to ``stop`` with those of later clusters, which begin at ``high``.
    """
    least = np.full(k, np.inf)
    for i in range(start, stop):
        own = cluster[i]
        for j in range(high[i], core.size):
            other = cluster[j]
            reach = max(core[i], core[j])
            most = max(least[own], least[other])
            if reach >= most:
                continue
            bound = most * most if metric == 0 else most
            total = 0.0
            for f in range(points.shape[1]):
                gap = points[i, f] - points[j, f]
                total += abs(gap) if metric == 2 else gap * gap
                if total >= bound:
                    break
            if total >= bound:
                continue
            reach = max(reach, np.sqrt(total) if metric == 0 else total)
            least[own] = min(least[own], reach)
            least[other] = min(least[other], reach)
    return least
