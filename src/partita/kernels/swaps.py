"""Random swap with local repartition: only objects near the two ends of a swap are looked at.

A cluster's members lie in a doubly linked list. An object at distance u from its centre can only be nearer to
a centre that is within 2 u of its own, so most clusters are passed over without a look at their members.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from partita.kernels.compilation import kernel
from partita.kernels.lloyd import (
    CALLS,
    ascending,
    centre_work,
    nearest_centres,
    objects_and_centres,
    squared_distance,
)
from partita.kernels.swarms import (
    LEAST_GAIN,
    NOBODY,
    Swarm,
    gather_small,
    removal_costs_small,
    swap_small,
    try_swap_small,
)

SWIFTER = 4
"""Steps of these loops that array operations on several searches together do in the time of one."""


@kernel(work=centre_work, calls=CALLS, examples=objects_and_centres, small=gather_small, reads=(0, 1))
def gather(X: Any, centres: Any) -> Any:
    """The swarm of objects around given centres, each of which moves to its mean.

    Objects are copied cluster by cluster: a list whose members lie side by side in memory is gone through
    many times faster than one that jumps about.
    """
    n, d = X.shape
    k = centres.shape[0]
    labels, _ = nearest_centres(X, centres)
    starts = np.zeros(k + 1, np.int64)
    for i in range(n):
        starts[labels[i] + 1] += 1
    for j in range(k):
        starts[j + 1] += starts[j]
    swarm = Swarm(
        np.empty((n, d)), centres.copy(), np.empty(n, np.int64), np.empty(n),
        np.full(k, NOBODY), np.full(n, NOBODY), np.full(n, NOBODY),
        np.zeros(k, np.int64), np.zeros(k), np.zeros(k),
    )  # fmt: skip
    for i in range(n):
        place = starts[labels[i]]
        starts[labels[i]] += 1
        swarm.labels[place] = labels[i]
        for f in range(d):
            swarm.X[place, f] = X[i, f]
    for i in range(n - 1, -1, -1):
        _link(swarm, i, swarm.labels[i])
    for j in range(k):
        _settle(swarm, j)
    return swarm


def _swarm_work(swarm: Any, *_: Any) -> float:
    return centre_work(swarm.X, swarm.centres)


def _swarms(rng: np.random.Generator, *more: Any) -> Any:
    return [(gather_small(*given), *more) for given in objects_and_centres(rng)]


@kernel()
def _link(swarm: Any, i: int, j: int) -> None:
    head = swarm.first[j]
    swarm.labels[i] = j
    swarm.after[i], swarm.before[i] = head, NOBODY
    if head != NOBODY:
        swarm.before[head] = i
    swarm.first[j] = i
    swarm.sizes[j] += 1


@kernel()
def _unlink(swarm: Any, i: int) -> None:
    left, right, own = swarm.before[i], swarm.after[i], swarm.labels[i]
    if left == NOBODY:
        swarm.first[own] = right
    else:
        swarm.after[left] = right
    if right != NOBODY:
        swarm.before[right] = left
    swarm.sizes[own] -= 1


@kernel()
def _put_back(swarm: Any, i: int, j: int, left: int) -> None:
    """Take an object to where it was in a cluster: after the member on its left."""
    if left == NOBODY:
        _link(swarm, i, j)
        return
    right = swarm.after[left]
    swarm.labels[i] = j
    swarm.before[i], swarm.after[i], swarm.after[left] = left, right, i
    if right != NOBODY:
        swarm.before[right] = i
    swarm.sizes[j] += 1


@kernel()
def _settle(swarm: Any, j: int) -> None:
    """Move a centre to the mean of its members; that of an empty cluster stays."""
    d = swarm.X.shape[1]
    if swarm.sizes[j] > 0:
        for f in range(d):
            swarm.centres[j, f] = 0.0
        i = swarm.first[j]
        while i != NOBODY:
            for f in range(d):
                swarm.centres[j, f] += swarm.X[i, f]
            i = swarm.after[i]
        for f in range(d):
            swarm.centres[j, f] /= swarm.sizes[j]
    _measure(swarm, j)


@kernel()
def _measure(swarm: Any, j: int) -> None:
    """Distances of the members of a cluster to its centre."""
    total, widest = 0.0, 0.0
    i = swarm.first[j]
    while i != NOBODY:
        square = squared_distance(swarm.X, i, swarm.centres, j)
        swarm.squared[i] = square
        total += square
        widest = max(widest, square)
        i = swarm.after[i]
    swarm.errors[j], swarm.radii[j] = total, np.sqrt(widest)


@kernel(work=lambda swarm: swarm.sizes.size**2, calls=CALLS, small=removal_costs_small, examples=_swarms)
def removal_costs(swarm: Any) -> Any:
    """For each cluster what merging it into its best neighbour would cost (Ward); inf for the only one."""
    k = swarm.centres.shape[0]
    cost = np.full(k, np.inf)
    for a in range(k):
        for b in range(a):
            sizes = swarm.sizes[a] + swarm.sizes[b]
            share = swarm.sizes[a] * swarm.sizes[b] / sizes if sizes > 0 else 0.0
            merged = share * squared_distance(swarm.centres, a, swarm.centres, b)
            cost[a], cost[b] = min(cost[a], merged), min(cost[b], merged)
    return cost


@kernel()
def removal_order(swarm: Any) -> Any:
    """Clusters by what their removal costs, the cheapest first."""
    return ascending(removal_costs(swarm))


@kernel()
def _far_object(swarm: Any, share: float) -> Any:
    """An object drawn with probability proportional to its squared distance, by a share in [0, 1)."""
    rest = share * swarm.errors.sum()
    j, last = 0, swarm.errors.size - 1
    while j < last and rest >= swarm.errors[j]:
        rest -= swarm.errors[j]
        j += 1
    while swarm.first[j] == NOBODY:  # rounding ran past the last cluster with members
        j -= 1
    i = swarm.first[j]
    while swarm.after[i] != NOBODY and rest >= swarm.squared[i]:
        rest -= swarm.squared[i]
        i = swarm.after[i]
    return i


@kernel()
def _move(swarm: Any, i: int, j: int, touched: Any, trail: Any, n_moved: int) -> int:
    """Move an object to a cluster and write down where it was; both clusters are touched."""
    own = swarm.labels[i]
    trail[n_moved, 0], trail[n_moved, 1], trail[n_moved, 2] = i, own, swarm.before[i]
    touched[own] = touched[j] = True
    _unlink(swarm, i)
    _link(swarm, i, j)
    return n_moved + 1


@kernel()
def _by_distance(swarm: Any, j: int, wanted: Any) -> Any:
    """The wanted clusters other than j by the distance of their centres from that of j, and these."""
    k = swarm.centres.shape[0]
    found, gaps, count = np.empty(k, np.int64), np.empty(k), 0
    for q in range(k):
        if wanted[q] and q != j:
            gaps[count] = np.sqrt(squared_distance(swarm.centres, j, swarm.centres, q))
            found[count] = q
            count += 1
    order = ascending(gaps[:count])
    near, apart = np.empty(count, np.int64), np.empty(count)
    for place in range(count):
        near[place], apart[place] = found[order[place]], gaps[order[place]]
    return near, apart


@kernel()
def _place(swarm: Any, removed: int, point: int, touched: Any, trail: Any) -> int:
    """Put a centre on an object, give the members of the old one to the nearest, attract what is nearer."""
    n_moved = 0
    everybody = np.ones(swarm.sizes.size, np.bool_)
    near, gaps = _by_distance(swarm, removed, everybody)
    for f in range(swarm.X.shape[1]):
        swarm.centres[removed, f] = swarm.X[point, f]
    touched[removed] = True
    i = swarm.first[removed]
    while i != NOBODY:
        following = swarm.after[i]
        to_old = np.sqrt(swarm.squared[i])
        best, at = squared_distance(swarm.X, i, swarm.centres, removed), removed
        reach = to_old + np.sqrt(best)
        for place in range(near.size):
            if gaps[place] >= reach:
                break
            square = squared_distance(swarm.X, i, swarm.centres, near[place])
            if square < best:
                best, at = square, near[place]
                reach = to_old + np.sqrt(best)
        swarm.squared[i] = best
        if at != removed:
            n_moved = _move(swarm, i, at, touched, trail, n_moved)
        i = following
    for q in range(swarm.sizes.size):
        gap = np.sqrt(squared_distance(swarm.centres, q, swarm.centres, removed))
        if q == removed or gap >= 2 * swarm.radii[q]:
            continue
        i = swarm.first[q]
        while i != NOBODY:
            following = swarm.after[i]
            square = squared_distance(swarm.X, i, swarm.centres, removed)
            if square < swarm.squared[i]:
                swarm.squared[i] = square
                n_moved = _move(swarm, i, removed, touched, trail, n_moved)
            i = following
    return n_moved


@kernel()
def _repartition(swarm: Any, active: Any, touched: Any, trail: Any, n_moved: int) -> int:
    """Let objects go to a nearer centre where one of the two has just moved."""
    everybody = np.ones(swarm.sizes.size, np.bool_)
    for q in range(swarm.sizes.size):
        near, gaps = _by_distance(swarm, q, everybody if active[q] else active)
        if near.size == 0 or gaps[0] >= 2 * swarm.radii[q]:
            continue
        nearest_gap = gaps[0] * gaps[0]
        i = swarm.first[q]
        while i != NOBODY:
            following = swarm.after[i]
            best, at = swarm.squared[i], q
            if 4 * best > nearest_gap:
                own = np.sqrt(best)
                reach = own + own
                for place in range(near.size):
                    if gaps[place] >= reach:
                        break
                    square = squared_distance(swarm.X, i, swarm.centres, near[place])
                    if square < best:
                        best, at = square, near[place]
                        reach = own + np.sqrt(best)
            if at != q:
                swarm.squared[i] = best
                n_moved = _move(swarm, i, at, touched, trail, n_moved)
            i = following
    return n_moved


@kernel()
def _settle_touched(swarm: Any, touched: Any) -> None:
    for j in range(touched.size):
        if touched[j]:
            _settle(swarm, j)


@kernel(
    work=_swarm_work,
    calls=CALLS,
    small=try_swap_small,
    examples=lambda rng: _swarms(rng, 0, 5, 2),
)
def try_swap(swarm: Any, removed: int, point: int, rounds: int) -> bool:
    """Replace a centre by an object, then some rounds of k-means around it; undone unless it is better.

    What is undone leaves no trace, not even in the order of members.
    """
    k, n = swarm.sizes.size, swarm.labels.size
    before = swarm.errors.sum()
    centres, errors, radii = swarm.centres.copy(), swarm.errors.copy(), swarm.radii.copy()
    # an object moves once when the centre is placed, and at most twice in each round after the first: to the
    # nearest centre that has moved, then to the nearest of all
    trail = np.empty(((2 * rounds - 1) * n, 3), np.int64)
    touched, changed = np.zeros(k, np.bool_), np.zeros(k, np.bool_)
    n_moved = _place(swarm, removed, point, touched, trail)
    for remaining in range(rounds, 0, -1):
        _settle_touched(swarm, touched)
        for j in range(k):
            changed[j] |= touched[j]
        if remaining > 1:
            active, touched = touched, np.zeros(k, np.bool_)
            n_moved = _repartition(swarm, active, touched, trail, n_moved)
    if swarm.errors.sum() < before * (1.0 - LEAST_GAIN):
        return True
    for back in range(n_moved - 1, -1, -1):
        _unlink(swarm, trail[back, 0])
        _put_back(swarm, trail[back, 0], trail[back, 1], trail[back, 2])
    for j in range(k):
        if changed[j]:
            swarm.errors[j], swarm.radii[j] = errors[j], radii[j]
            for f in range(centres.shape[1]):
                swarm.centres[j, f] = centres[j, f]
            i = swarm.first[j]
            while i != NOBODY:
                swarm.squared[i] = squared_distance(swarm.X, i, swarm.centres, j)
                i = swarm.after[i]
    return False


@kernel()
def _drawn(swarm: Any, order: Any, draw: Any) -> Any:
    """The cluster that goes and the object that its centre goes to, by two numbers in [0, 1)."""
    k = swarm.sizes.size
    point = _far_object(swarm, draw[0])
    rank = min(int((k + 1) ** draw[1]) - 1, k - 1)
    if order[rank] == swarm.labels[point]:
        rank = rank + 1 if rank + 1 < k else rank - 1
    return order[rank], point


@kernel(
    work=lambda swarm, *_: _swarm_work(swarm) / SWIFTER,
    calls=CALLS,
    small=swap_small,
    examples=lambda rng: _swarms(rng, rng.random((40, 2)), 2, 0, 30),
)
def swap(swarm: Any, draws: Any, rounds: int, failures: int, patience: int) -> Any:
    """Try swaps, one for each row of draws, until too many in a row have failed.

    The new centre is an object drawn by its squared distance. The old one is drawn by the rank of its removal
    cost, rank r with probability log((r + 1) / r) / log(k + 1): the cheap ones most, each of them at times.
    Returns how many were tried, how many taken, and how many have failed in a row.
    """
    order, taken = removal_order(swarm), 0
    for tried in range(draws.shape[0]):
        if failures >= patience:
            return tried, taken, failures
        removed, point = _drawn(swarm, order, draws[tried])
        if try_swap(swarm, removed, point, rounds):
            order, taken, failures = removal_order(swarm), taken + 1, 0
        else:
            failures += 1
    return draws.shape[0], taken, failures


def is_small(X: Any, n_clusters: int, n_searches: int) -> bool:
    """Whether so many searches, each of many swaps, are done sooner than `swap` is compiled."""
    return not swap.is_compiled(n_searches, SimpleNamespace(X=X, centres=range(n_clusters)))


@kernel(work=_swarm_work, calls=CALLS, examples=lambda rng: _swarms(rng, 3))
def gain_at(swarm: Any, point: int) -> float:
    """How much a centre on an object would take off the sum of squares, all others staying where they are."""
    gain = 0.0
    for q in range(swarm.sizes.size):
        if squared_distance(swarm.X, point, swarm.centres, q) >= 4 * swarm.radii[q] ** 2:
            continue
        i = swarm.first[q]
        while i != NOBODY:
            gain += max(swarm.squared[i] - squared_distance(swarm.X, i, swarm.X, point), 0.0)
            i = swarm.after[i]
    return gain


@kernel(work=_swarm_work, calls=CALLS, examples=lambda rng: _swarms(rng, rng.random(4)))
def helpful_object(swarm: Any, shares: Any) -> Any:
    """Of objects drawn by their squared distance, one for each share, that which gains most as a centre."""
    most, at = -1.0, NOBODY
    for share in shares:
        point = _far_object(swarm, share)
        gain = gain_at(swarm, point)
        if gain > most:
            most, at = gain, point
    return at


@kernel(
    work=_swarm_work,
    calls=20 * CALLS,
    examples=lambda rng: _swarms(rng, rng.random((40, 2)), 2, 0.5),
)
def weighed_swaps(swarm: Any, draws: Any, rounds: int, least: float) -> Any:
    """Draw swaps as `swap` does, and try those whose gain is at least a share of what the removal costs.

    Weighing a swap takes a fraction of the time of trying it, and most are not worth a try. Returns how many
    were tried and how many taken.
    """
    costs = removal_costs(swarm)
    order, tried, taken = ascending(costs), 0, 0
    for row in range(draws.shape[0]):
        removed, point = _drawn(swarm, order, draws[row])
        if gain_at(swarm, point) < least * costs[removed]:
            continue
        tried += 1
        if try_swap(swarm, removed, point, rounds):
            costs, taken = removal_costs(swarm), taken + 1
            order = ascending(costs)
    return tried, taken
