"""Objects around centres, and swaps of these by array operations: what runs where nothing is compiled.

An array operation on little data costs the same as one on next to none. So several searches in the same data
go on together, and many swaps of each are judged at once: most fail, and one that fails leaves no trace. Only
the first that helps is carried out, its objects moving in the order in which the compiled loops move them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from partita.kernels.lloyd import nearest_small

NOBODY = -1

LEAST_GAIN = 1e-12
"""Share of the sum of squares that a swap must gain: less may be rounding, and swaps might never end."""

AHEAD = 12
"""Swaps that are judged at once when the last one helped; each time that all fail, four times as many."""

CELLS_AT_A_TIME = 1 << 16
"""Objects times centres times swaps that are judged at once: arrays that stay in a processor's cache."""

ROUNDING = 1e-12
"""Share of the sum of squares around the origin that sums of squares by products may be wrong by."""


class Swarm(NamedTuple):
    """Objects, centres, and who belongs where; all arrays change in place."""

    X: Any
    centres: Any
    labels: Any
    squared: Any  # of each object, to its own centre
    first: Any  # member of each cluster
    after: Any  # next member of the same cluster
    before: Any
    sizes: Any
    errors: Any  # sum of squared distances of each cluster
    radii: Any  # largest distance of each cluster


def gather_small(X: Any, centres: Any) -> Any:
    """`gather` by array operations."""
    n, k = X.shape[0], centres.shape[0]
    labels, _ = nearest_small(X, centres)
    order = np.argsort(labels, kind="stable")
    X, labels = X[order], labels[order]
    sizes = np.bincount(labels, minlength=k)
    starts, ends = np.cumsum(sizes) - sizes, np.cumsum(sizes)
    sums = np.stack([np.bincount(labels, column, k) for column in X.T], axis=1)
    centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
    squared = ((X - centres[labels]) ** 2).sum(axis=1)
    after, before, radii = np.arange(1, n + 1), np.arange(-1, n - 1), np.zeros(k)
    after[ends[sizes > 0] - 1], before[starts[sizes > 0]] = NOBODY, NOBODY
    np.maximum.at(radii, labels, squared)
    first = np.where(sizes > 0, starts, NOBODY)
    errors = np.bincount(labels, squared, k)
    return Swarm(X, centres, labels, squared, first, after, before, sizes, errors, np.sqrt(radii))


def removal_costs_small(swarm: Any) -> Any:
    """`removal_costs` by array operations."""
    return _removal_costs(swarm.sizes, swarm.centres)


def _removal_costs(sizes: Any, centres: Any) -> Any:
    """What merging each cluster into its best neighbour would cost; of several swarms with one axis more."""
    k = sizes.shape[-1]
    both = sizes[..., :, None] + sizes[..., None, :]
    share = sizes[..., :, None] * sizes[..., None, :] / np.maximum(both, 1)
    merged = share * np.square(centres[..., :, None, :] - centres[..., None, :, :]).sum(axis=-1)
    merged[..., np.arange(k), np.arange(k)] = np.inf
    return merged.min(axis=-1)


# --- several searches ------------------------------------------------------------------------------------


class Objects(NamedTuple):
    """Data that several searches have in common, from its mean, so that products lose few digits."""

    X: Any
    origin: Any
    columns: Any  # (d, n)
    extended: Any  # (n, d + 1), the last column being 1
    total: Any  # sum of squares


def _objects(X: Any) -> Objects:
    origin = X.sum(axis=0) / len(X)
    extended = np.ones((X.shape[0], X.shape[1] + 1))
    extended[:, :-1] = X - origin
    columns = np.ascontiguousarray(extended[:, :-1].T)
    return Objects(X, origin, columns, extended, np.square(columns).sum())


class Swarms(NamedTuple):
    """Some swarms of the same objects; what has an array for each is stacked along the first axis."""

    objects: Objects
    centres: Any  # (s, k, d)
    labels: Any  # (s, n)
    squared: Any
    sizes: Any  # (s, k)
    errors: Any
    elsewhere: Any  # (s, n): the nearest centre but for an object's own
    to_elsewhere: Any  # and the squared distance to it
    lists: list[list[list[int]]]  # members of each cluster of each swarm, in the order that draws go by

    def settle(self, these: list[int]) -> None:
        """Move the centres of some swarms to the means of their members; that of an empty cluster stays."""
        X, labels, (k, d) = self.objects.X, self.labels[these], self.centres.shape[1:]
        cells = labels + k * np.arange(len(these))[:, None]
        sizes = np.bincount(cells.ravel(), minlength=k * len(these)).reshape(-1, k)
        places = (cells[:, :, None] * d + np.arange(d)).ravel()
        sums = np.bincount(places, np.concatenate([X.ravel()] * len(these)), k * d * len(these))
        means = sums.reshape(-1, k, d) / np.maximum(sizes, 1)[:, :, None]
        centres = np.where(sizes[:, :, None] > 0, means, self.centres[these])
        gaps = X - centres.reshape(-1, d)[cells]
        squared = np.einsum("sif,sif->si", gaps, gaps)
        self.centres[these], self.sizes[these], self.squared[these] = centres, sizes, squared
        self.errors[these] = np.bincount(cells.ravel(), squared.ravel(), k * len(these)).reshape(-1, k)
        self.look_around(these)

    def look_around(self, these: Any) -> None:
        """Find the nearest other centre of each object of some swarms."""
        gaps, labels = self.objects.X[:, None, :] - self.centres[these][:, None], self.labels[these]
        squares = np.einsum("sikf,sikf->sik", gaps, gaps)
        squares.ravel()[np.arange(0, squares.size, squares.shape[2]) + labels.ravel()] = np.inf
        self.elsewhere[these], self.to_elsewhere[these] = squares.argmin(axis=2), squares.min(axis=2)

    def gather(self, these: list[int]) -> None:
        """Give all objects of some swarms to their nearest centres, and move these to their means."""
        for s in these:
            labels, _ = nearest_small(self.objects.X, self.centres[s])
            self.labels[s], order = labels, labels.argsort(kind="stable").tolist()
            sizes = np.bincount(labels, minlength=self.sizes.shape[1])
            self.lists[s] = [
                order[end - size : end]
                for end, size in zip(sizes.cumsum().tolist(), sizes.tolist(), strict=True)
            ]
        self.settle(these)


def gather_all(X: Any, centres: Any) -> Swarms:
    """Swarms of the same objects around several sets of centres ``(s, k, d)``, which move to their means."""
    (s, k, _), n = centres.shape, len(X)
    made = Swarms(
        _objects(X), centres.copy(), np.zeros((s, n), np.int64), np.zeros((s, n)),
        np.zeros((s, k), np.int64), np.zeros((s, k)),
        np.zeros((s, n), np.int64), np.zeros((s, n)), [[] for _ in range(s)],
    )  # fmt: skip
    made.gather(list(range(s)))
    return made


def _alone(swarm: Any) -> Swarms:
    """One swarm as several."""
    after, lists = swarm.after.tolist(), []
    for first in swarm.first.tolist():
        members, i = [], first
        while i != NOBODY:
            members.append(i)
            i = after[i]
        lists.append(members)
    made = Swarms(
        _objects(swarm.X), swarm.centres[None].copy(), swarm.labels[None].copy(), swarm.squared[None].copy(),
        swarm.sizes[None].copy(), swarm.errors[None].copy(),
        swarm.labels[None].copy(), swarm.squared[None].copy(), [lists],
    )  # fmt: skip
    made.look_around([0])
    return made


def _write_back(swarm: Any, swarms: Swarms) -> None:
    """Make a swarm what has become of it."""
    swarm.centres[:], swarm.labels[:], swarm.squared[:] = (
        swarms.centres[0], swarms.labels[0], swarms.squared[0],
    )  # fmt: skip
    swarm.sizes[:], swarm.errors[:], swarm.radii[:] = swarms.sizes[0], swarms.errors[0], 0.0
    np.maximum.at(swarm.radii, swarm.labels, swarm.squared)
    np.sqrt(swarm.radii, out=swarm.radii)
    for j, members in enumerate(swarms.lists[0]):
        swarm.first[j] = members[0] if members else NOBODY
        if members:
            swarm.after[members], swarm.before[members] = [*members[1:], NOBODY], [NOBODY, *members[:-1]]


# --- what swaps would lead to -----------------------------------------------------------------------------


class Outlook(NamedTuple):
    """What some swaps would end with."""

    errors: Any  # sums of squares, exact where a swap may help
    centres: Any  # (k, b, d)
    labels: list[Any]  # (b, n): after the new centre was placed, then two for each round: see `_replay`


def _outlook(swarms: Swarms, of: Any, removed: Any, points: Any, rounds: int) -> Outlook:
    """What `try_swap` would do, for ``b`` swaps, each of one of the swarms, at once.

    Arrays are ``(b, n)`` or ``(k, b, n)``, objects last: most of them stay where they are, and only those
    that move are looked at one by one, by their place in ``(b, n)``.
    """
    origin, columns, X, total = swarms.objects[1:]
    n, k, b = len(X), swarms.sizes.shape[1], len(removed)
    swaps, places = np.arange(b), np.arange(b * n).reshape(b, n)
    labels = swarms.labels.take(of, axis=0)
    centres = (swarms.centres.take(of, axis=0) - origin).transpose(1, 0, 2).copy()
    is_homeless = labels == removed[:, None]
    gaps = columns[:, None, :] - columns.take(points, axis=1)[:, :, None]
    to_new = np.square(gaps, out=gaps).sum(axis=0)
    to_own, to_next = swarms.squared.take(of, axis=0), swarms.to_elsewhere.take(of, axis=0)
    comes = np.where(is_homeless, to_new <= to_next, to_new < to_own)
    is_member = (np.arange(k)[:, None, None] == labels).astype(np.float64)
    centres[removed, swaps] = X[points, :-1]
    movers = np.flatnonzero(is_homeless != comes)
    movers_swap, movers_object = np.divmod(movers, n)
    at = swarms.elsewhere[of[movers_swap], movers_object]
    at = np.where(is_homeless.ravel()[movers], at, removed[movers_swap])
    active = _moved(labels, is_member, movers, at)
    active[removed, swaps] = True
    passed = [labels.copy()]
    for _ in range(rounds - 1):
        centres, _ = _means(is_member, X, centres)
        scores = _scores(centres, X)
        is_active = active.ravel().take(labels * b + swaps[:, None])
        seen = np.where(is_active | active[:, :, None], scores, np.inf)
        movers = np.flatnonzero(seen.min(axis=0) < scores.ravel().take(labels * (b * n) + places))
        at = seen.reshape(k, -1).take(movers, axis=1).argmin(axis=0)
        first = labels.copy()
        first.ravel()[movers] = at
        again = np.flatnonzero((at > labels.ravel()[movers]) & ~is_active.ravel()[movers])
        if again.size:
            at[again] = _second_look(centres, scores, is_member, columns, at[again], movers[again])
        active = _moved(labels, is_member, movers, at)
        passed += [first, labels.copy()]
    centres, sizes = _means(is_member, X, centres)
    least = swarms.errors.take(of, axis=0).sum(axis=1)
    errors = total - np.einsum("kb,kbf,kbf->b", sizes, centres, centres)
    close = np.flatnonzero(errors < least + ROUNDING * total)
    if close.size:
        gaps = X[:, :-1] - centres[labels[close], close[:, None]]
        errors[close] = np.einsum("bif,bif->b", gaps, gaps)
    return Outlook(errors, centres + origin, passed)


def _second_look(centres: Any, scores: Any, is_member: Any, columns: Any, at: Any, movers: Any) -> Any:
    """Where objects end that went on to a cluster that is looked at after their own.

    There they are looked at among all centres; but not where the members that the cluster had before are too
    near to their centre for any of them to leave it, for then the loops pass over the cluster as a whole.
    """
    swaps, objects = np.divmod(movers, scores.shape[2])
    gaps = np.square(centres[:, swaps] - centres[at, swaps]).sum(axis=2)
    gaps[at, np.arange(at.size)] = np.inf
    squares = scores[at, swaps] + np.square(columns).sum(axis=0)
    widest = (squares * is_member[at, swaps]).max(axis=1)
    return np.where(gaps.min(axis=0) < 4 * widest, scores[:, swaps, objects].argmin(axis=0), at)


def _means(is_member: Any, X: Any, centres: Any) -> tuple[Any, Any]:
    """The means of clusters, the centre itself where one is empty; and their sizes."""
    k, b, n = is_member.shape
    sums = (is_member.reshape(k * b, n) @ X).reshape(k, b, -1)
    sizes = sums[:, :, -1:]
    return np.where(sizes > 0, sums[:, :, :-1] / np.maximum(sizes, 1.0), centres), sizes[:, :, 0]


def _scores(centres: Any, X: Any) -> Any:
    """Squared distances but for an object's own square, which is the same for all centres, (k, b, n)."""
    k, b, d = centres.shape
    factors = np.empty((k, b, d + 1))
    np.multiply(centres, -2.0, out=factors[:, :, :-1])
    np.einsum("kbf,kbf->kb", centres, centres, out=factors[:, :, -1])
    return (factors.reshape(k * b, d + 1) @ X.T).reshape(k, b, -1)


def _moved(labels: Any, is_member: Any, movers: Any, at: Any) -> Any:
    """Move objects, in place, each in its own swap; which clusters of which swaps that touches, (k, b)."""
    k, b, n = is_member.shape
    left = labels.ravel()[movers]
    members = is_member.ravel()
    members[left * (b * n) + movers], members[at * (b * n) + movers] = 0.0, 1.0
    labels.ravel()[movers] = at
    touched, swaps = np.zeros(k * b, np.bool_), movers // n
    touched[left * b + swaps] = touched[at * b + swaps] = True
    return touched.reshape(k, b)


def _take(swarms: Swarms, s: int, removed: int, outlook: Outlook, row: int) -> None:
    """Carry out the swap of a row; distances are left to be settled."""
    placed, *passes = [labels[row].tolist() for labels in outlook.labels]
    _replay(swarms.lists[s], swarms.labels[s].tolist(), removed, placed, passes)
    swarms.labels[s], swarms.centres[s] = outlook.labels[-1][row], outlook.centres[:, row]


def _replay(
    lists: list[list[int]], labels: list[int], removed: int, placed: list[int], passes: list[list[int]]
) -> None:
    """Move members between lists as the loops do: one by one, each to the head of its new list.

    The members of the cluster that goes leave first, then others come to its new centre. In a round, cluster
    after cluster is looked at; what has come to a later one at its first look may leave that at its second.
    """
    clusters = [removed, *(q for q in range(len(lists)) if q != removed)]
    for q in clusters:
        _leave(lists, q, [i for i in lists[q] if labels[i] == q != placed[i]], placed)
    labels = placed
    for first, second in zip(passes[::2], passes[1::2], strict=True):
        for q in range(len(lists)):
            goals = {i: first[i] if labels[i] == q else second[i] for i in lists[q]}
            _leave(lists, q, [i for i in lists[q] if goals[i] != q], goals)
        labels = second


def _leave(lists: list[list[int]], q: int, members: list[int], goals: Any) -> None:
    for i in members:
        lists[q].remove(i)
        lists[goals[i]].insert(0, i)


# --- swaps ------------------------------------------------------------------------------------------------


def try_swap_small(swarm: Any, removed: int, point: int, rounds: int) -> bool:
    """`try_swap` by array operations."""
    swarms = _alone(swarm)
    outlook = _outlook(swarms, np.array([0]), np.array([removed]), np.array([point]), rounds)
    if not outlook.errors[0] < swarm.errors.sum() * (1.0 - LEAST_GAIN):
        return False
    _take(swarms, 0, int(removed), outlook, 0)
    swarms.settle([0])
    _write_back(swarm, swarms)
    return True


def swap_small(swarm: Any, draws: Any, rounds: int, failures: int, patience: int) -> Any:
    """`swap` by array operations."""
    swarms = _alone(swarm)
    ((tried, taken, failures),) = swap_all(swarms, [0], [draws], rounds, [failures], patience)
    if taken:
        _write_back(swarm, swarms)
    return tried, taken, failures


@dataclass
class _Search:
    """Where the search of one swarm stands in its draws."""

    swarm: int
    draws: Any
    failures: int
    tried: int = 0
    taken: int = 0
    width: int = 0  # of the next look ahead; 0: swaps are to be drawn
    removed: Any = None
    points: Any = None
    ahead: Any = None  # places of those that are still to be judged

    def draw(self, swarms: Swarms, order: Any, patience: int) -> None:
        """Draw swaps, as `swap` does. Until one helps, what is drawn again fails again: it is judged once."""
        s, k = self.swarm, swarms.sizes.shape[1]
        draws = self.draws[self.tried : self.tried + patience - self.failures]
        in_lists = np.array([i for members in swarms.lists[s] for i in members])
        reached = swarms.squared[s][in_lists].cumsum()
        places = reached.searchsorted(draws[:, 0] * swarms.errors[s].sum(), side="right")
        self.points = in_lists[np.minimum(places, len(in_lists) - 1)]
        ranks = np.minimum(((k + 1) ** draws[:, 1]).astype(np.int64) - 1, k - 1)
        is_own = order[ranks] == swarms.labels[s][self.points]
        ranks = np.where(is_own, np.where(ranks + 1 < k, ranks + 1, ranks - 1), ranks)
        self.removed = order[ranks]
        pairs = (self.removed * len(in_lists) + self.points).tolist()
        first = {pair: place for place, pair in reversed([*enumerate(pairs)])}
        self.ahead, self.width = sorted(first.values()), AHEAD


def swap_all(
    swarms: Swarms, these: list[int], draws: Any, rounds: int, failures: Any, patience: int
) -> list[tuple[int, int, int]]:
    """`swap` for some of several swarms, each with draws of its own: what it returns for each."""
    searches = [_Search(*given) for given in zip(these, draws, failures, strict=True)]
    most = max(1, CELLS_AT_A_TIME // swarms.labels.shape[1] // swarms.sizes.shape[1])
    while going := [s for s in searches if s.tried < len(s.draws) and s.failures < patience]:
        if fresh := [s for s in going if not s.width]:
            drawn = [s.swarm for s in fresh]
            orders = _removal_costs(swarms.sizes[drawn], swarms.centres[drawn]).argsort(kind="stable")
            for search, order in zip(fresh, orders, strict=True):
                search.draw(swarms, order, patience)
        _look_ahead(swarms, going, rounds, max(1, most // len(going)))
    return [(s.tried, s.taken, s.failures) for s in searches]


def _look_ahead(swarms: Swarms, going: list[_Search], rounds: int, most: int) -> None:
    """Judge the next swaps of each search, and carry out the first that helps."""
    parts = [search.ahead[: min(search.width, most)] for search in going]
    of = np.repeat([search.swarm for search in going], [len(part) for part in parts])
    removed = np.concatenate([search.removed[part] for search, part in zip(going, parts, strict=True)])
    points = np.concatenate([search.points[part] for search, part in zip(going, parts, strict=True)])
    outlook = _outlook(swarms, of, removed, points, rounds)
    helps = (outlook.errors < swarms.errors[of].sum(axis=1) * (1.0 - LEAST_GAIN)).tolist()
    changed, start = [], 0
    for search, part in zip(going, parts, strict=True):
        end = start + len(part)
        if True in helps[start:end]:
            row = helps.index(True, start)
            _take(swarms, search.swarm, int(removed[row]), outlook, row)
            changed.append(search.swarm)
            search.tried, search.taken = search.tried + part[row - start] + 1, search.taken + 1
            search.failures = search.width = 0
        else:
            search.ahead, search.width = search.ahead[len(part) :], 4 * search.width
            if not search.ahead:
                failed = len(search.removed)
                search.tried, search.failures = search.tried + failed, search.failures + failed
        start = end
    if changed:
        swarms.settle(changed)
