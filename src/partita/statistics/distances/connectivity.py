"""Density-connectivity distances: the largest step on the best path between two objects (beer2023)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np

from partita.arrays import Array, Floats, blocks, map_blocks
from partita.errors import ParameterError, TooLargeError
from partita.partitions import HardPartition, Kind
from partita.statistics.distances.objects_by_cluster import (
    COMPILED,
    DENSITY,
    MOST_OPERATIONS,
    MOST_SUMS,
    ROWS_AT_ONCE,
    TILE_CELLS,
    ObjectsByCluster,
    known_metric,
    work_of_pair,
)
from partita.statistics.options import AtLeast
from partita.statistics.protocol import OnBlock, Request, Whole

MinPoints = Annotated[int, AtLeast(1)]

COMPILED_PAIRS = 20_000
"""Pairs from which on compiled loops pay for being loaded."""

MOST_TREE_FEATURES = 5
"""Features up to which a k-d tree finds neighbours faster than a look at all objects."""

MINKOWSKI = {"euclidean": 2.0, "sqeuclidean": 2.0, "cityblock": 1.0}
"""The metrics that a k-d tree knows, by the power of their distances."""

ROUNDING = 1e-12
"""By what share the sum of fractional weights may miss ``min_points`` and still reach it."""


@dataclass(frozen=True)
class PathOptions:
    """The distance of objects, and how many of them make a place dense."""

    metric: str = "euclidean"
    min_points: MinPoints = 5


@dataclass(frozen=True, eq=False)
class ReachabilityPath(Whole):
    """The density-connectivity distances of all pairs of objects, in 2n numbers.

    The core distance of an object is the distance to the ``min_points``-th nearest object, the object itself
    being the first. The mutual reachability of two objects is the largest of their core distances and their
    distance, and their density-connectivity distance the least number such that a path of steps of no larger
    mutual reachability leads from one to the other.

    Prim's algorithm visits the objects one by one, each time the one that is nearest to those visited. Let m
    be the largest step after the visit of x and up to that of y. Before the step m was made, every way out of
    the objects visited was at least m, so no path from x to y is better. And since the last step before x
    that is larger than m, every step led from an object visited since then (a shorter way out of the earlier
    ones would have been taken before), so that x and y are connected by steps of at most m. Hence m is their
    distance: the largest step between the two in the order of visits.

    Attributes
    ----------
    order : array (n,)
        The objects in the order of visits.
    steps : array (n,)
        In that order, the mutual reachability by which each was reached; infinite for the first.
    core : array (n,)
        The core distances, in the order of the data; infinite where there are too few objects for one.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X",)
    options: ClassVar[type[Any]] = PathOptions

    order: Array
    steps: Floats
    core: Floats
    kinds: tuple[Kind, ...] = ()

    @classmethod
    def from_whole(
        cls,
        X: Array,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        metric: str = "euclidean",
        min_points: int = 5,
    ) -> ReachabilityPath:
        """From all objects: the data, or their distances if ``metric="precomputed"``.

        Parameters
        ----------
        X : array (n, d), or (n, n) distances for ``metric="precomputed"``
            The data.
        weight : array, optional
            Multiplicities: copies of an object count as its neighbours, at distance 0.
        on_block : callable, optional
            Told how many blocks of core distances are done, of how many.
        metric : str
            One of SciPy's, or "precomputed"; "density" is "euclidean" here.
        min_points : int
            The objects that make a place dense, the object itself among them.
        """
        name = "euclidean" if metric == DENSITY else known_metric(metric)
        operations = cls.pair_operations(X, metric=name)
        if operations > MOST_OPERATIONS:
            raise TooLargeError(
                "the spanning tree of so many objects takes long, and nothing shows how far it is.",
                got=f"{len(X)} objects, {operations:.1e} distances of ten features",
                need=f"at most {MOST_OPERATIONS:.0e}",
                fix="a sample of the objects",
            )
        n = len(X)
        together = HardPartition.from_codes(np.zeros(n, dtype=np.int64), (0,))
        objects = ObjectsByCluster.of(X, together, weight, name)
        core = _core_distances(objects, min_points, on_block)
        if not np.isfinite(core).all():
            return cls(np.arange(n), np.full(n, np.inf), core)
        return cls(*_visits(objects, core), core)

    @staticmethod
    def pair_operations(X: Any, *, metric: str = "euclidean", **_: Any) -> float:
        """Pairs of objects, in units of ten features."""
        return float(X.shape[0]) ** 2 / 2 * work_of_pair(X, metric)

    @classmethod
    def request(cls, metric: str, min_points: int) -> Request:
        """The path of this distance; that of density-connectivity distances is the one of Euclidean ones."""
        name = "euclidean" if metric == DENSITY else known_metric(metric)
        return Request.of(cls, {"metric": name, "min_points": min_points})

    @property
    def has_too_few(self) -> bool:
        """True if there are fewer objects than ``min_points``, so that nothing has a core distance."""
        return not bool(np.isfinite(self.core).all())

    def among(self, rows: Array) -> ReachabilityPath:
        """The same distances of some of the objects, the others still lying on the paths between them."""
        number = np.full(self.core.size, -1)
        number[rows] = np.arange(len(rows))
        kept = np.flatnonzero(number[self.order] >= 0)
        steps = np.full(kept.size, np.inf)
        if kept.size > 1:
            steps[1:] = np.maximum.reduceat(self.steps[: kept[-1] + 1], kept[:-1] + 1)
        return ReachabilityPath(number[self.order[kept]], steps, self.core[rows])

    @cached_property
    def _places(self) -> Array:
        """The place of each object in the order of visits."""
        return np.argsort(self.order)

    def distances(self, rows: Array) -> Floats:
        """The distances of some objects to all, ``(m, n)``."""
        made = np.empty((len(rows), self.order.size))
        for row, p in zip(made, self._places[rows].tolist(), strict=True):
            row[self.order[p]] = 0.0
            row[self.order[p + 1 :]] = np.maximum.accumulate(self.steps[p + 1 :])
            row[self.order[:p][::-1]] = np.maximum.accumulate(self.steps[1 : p + 1][::-1])
        return made

    def sums(self, codes: Array, weight: Floats, k: int) -> Floats:
        """The weighted sums of the distances of all objects to those of each cluster, ``(n, k)``."""
        codes, weight = codes[self.order], weight[self.order]
        back = np.concatenate([self.steps[:1], self.steps[1:][::-1]])
        made = np.empty((self.order.size, k))
        for part in blocks(k, max(1, TILE_CELLS // self.order.size)):
            members = np.where(codes[:, None] == np.arange(part.start, part.stop), weight[:, None], 0.0)
            made[self.order, part] = (
                _sums_to_visited(self.steps, members) + _sums_to_visited(back, members[::-1])[::-1]
            )
        return made

    def least(self, chosen: Array) -> Floats:
        """The distance of each object to the nearest other one of those chosen (a mask); inf without one."""
        back = np.concatenate([self.steps[:1], self.steps[1:][::-1]])
        among = chosen[self.order]
        made = np.empty(self.order.size)
        made[self.order] = np.minimum(
            _least_to_visited(self.steps, among), _least_to_visited(back, among[::-1])[::-1]
        )
        return made

    def ends(self, codes: Array, k: int) -> tuple[Floats, Floats]:
        """For each cluster the least distance to another one, and the largest inside it.

        From an object of one cluster to one of another, some two visited in a row are the first to be of
        different clusters, and these are no further apart; inside, the first and the last are furthest.
        """
        codes = codes[self.order]
        near, far = np.full(k, np.inf), np.zeros(k)
        other = codes[1:] != codes[:-1]
        np.minimum.at(near, codes[1:][other], self.steps[1:][other])
        np.minimum.at(near, codes[:-1][other], self.steps[1:][other])
        first: dict[int, int] = {}
        falling: list[int] = []  # places whose steps no later one reaches
        steps = self.steps.tolist()
        for p, c in enumerate(codes.tolist()):
            while falling and steps[falling[-1]] <= steps[p]:
                falling.pop()
            falling.append(p)
            if first.setdefault(c, p) != p:
                far[c] = steps[falling[bisect_right(falling, first[c])]]
        return near, far


def path_if_needed(options: Mapping[str, Any]) -> Mapping[str, Request]:
    """The path that these options of a statistic of distances ask for, by the name of its parameter."""
    if options["metric"] != DENSITY:
        return {}
    return {"path": ReachabilityPath.request(DENSITY, options["min_points"])}


def _core_distances(objects: ObjectsByCluster, min_points: int, on_block: OnBlock) -> Floats:
    """The distance from each object to the nearest ``min_points`` objects, itself and its copies included."""
    each, n = objects.weight, objects.n
    if min_points > float(each.sum()) * (1.0 + ROUNDING):
        return np.full(n, np.inf)
    wanted = min_points * (1.0 - 2.0 * ROUNDING)
    most = min(min_points, n) if each.min() >= 1.0 else n  # so many objects weigh enough
    power = MINKOWSKI.get(objects.metric)
    if power is not None and most < n and objects.X.shape[1] <= MOST_TREE_FEATURES:
        from scipy.spatial import cKDTree

        found: Any = cKDTree(objects.X).query(objects.X, k=range(1, most + 1), p=power)
        away, near = found
        away = away**2 if objects.metric == "sqeuclidean" else away
        return _reached(away, each[near], wanted)
    if objects.metric in COMPILED and n * n >= COMPILED_PAIRS:
        from partita.kernels.neighbours import nearest_weights

        columns, metric = np.ascontiguousarray(objects.X.T), COMPILED.index(objects.metric)
        reached = nearest_weights.times(-(-n // ROWS_AT_ONCE))

        def compiled(rows: slice) -> Floats:
            return np.asarray(reached(columns, each, rows.start, rows.stop, metric, wanted))

        return np.concatenate(map_blocks(compiled, n, ROWS_AT_ONCE, on_block))

    def of_rows(rows: Array) -> Floats:
        gaps = objects.distances(rows)
        gaps[np.arange(rows.size), rows] = 0.0
        near = np.argsort(gaps, axis=1, kind="stable")
        return _reached(np.take_along_axis(gaps, near, axis=1), each[near], wanted)

    return np.concatenate(objects.over_rows(np.arange(n), of_rows, on_block))


def _reached(away: Floats, weight: Floats, wanted: float) -> Floats:
    """In rows of growing distances, the first up to which the objects weigh enough."""
    first = (np.cumsum(weight, axis=1) >= wanted).argmax(axis=1)
    return np.asarray(away[np.arange(len(away)), first])


def _visits(objects: ObjectsByCluster, core: Floats) -> tuple[Array, Floats]:
    """The objects in the order of Prim's algorithm from the first of them, and the step to each."""
    n = objects.n
    if objects.metric in COMPILED and n * n >= COMPILED_PAIRS:
        from partita.kernels.density import spanning_tree

        ends, lengths, _ = spanning_tree(objects.X, core, COMPILED.index(objects.metric), 1.0, False)
        return np.concatenate([[0], ends[:, 1]]), np.concatenate([[np.inf], lengths])
    order, steps = np.zeros(n, dtype=np.int64), np.full(n, np.inf)
    reach = np.full(n, np.inf)
    outside = np.ones(n, dtype=bool)
    for step in range(1, n):
        last = order[step - 1]
        outside[last] = False
        gaps = objects.distances(np.array([last]))[0]
        np.minimum(reach, np.maximum(np.maximum(gaps, core), core[last]), out=reach)
        order[step] = np.where(outside, reach, np.inf).argmin()
        steps[step] = reach[order[step]]
    return order, steps


def _sums_to_visited(steps: Floats, members: Floats) -> Floats:
    """For each object in the order of visits, the sums of its distances to the members visited before it.

    Let p be an object and q the last one before it whose step is as large as that to p. From p all after q,
    and q itself, are as far as its own step; those before q are as far as they are from q.
    """
    before = np.zeros((len(members) + 1, members.shape[1]))
    np.cumsum(members, axis=0, out=before[1:])
    made = np.zeros(members.shape)
    lengths = steps.tolist()
    falling = [0]
    for p in range(1, len(lengths)):
        while lengths[falling[-1]] < lengths[p]:
            falling.pop()
        q = falling[-1]
        made[p] = made[q] + lengths[p] * (before[p] - before[q])
        falling.append(p)
    return made


def _least_to_visited(steps: Floats, chosen: Array) -> Floats:
    """For each object in the order of visits, the distance to the nearest chosen one visited before it."""
    made = np.full(len(steps), np.inf)
    for p in range(1, len(steps)):
        made[p] = steps[p] if chosen[p - 1] else max(made[p - 1], steps[p])
    return made


@dataclass(frozen=True, eq=False)
class ConnectedObjects(ObjectsByCluster):
    """Objects sorted by cluster, with density-connectivity distances; the data themselves are not kept.

    Copies of an object are as far from it as its core distance.
    """

    path: ReachabilityPath = field(kw_only=True)

    @classmethod
    def along(
        cls,
        path: ReachabilityPath | None,
        X: Array,
        found: HardPartition,
        weight: Array | None,
        min_points: int,
    ) -> ConnectedObjects:
        """The objects of a path, which is made where there is none yet; an error if they are too few."""
        known = ReachabilityPath.from_whole(X, weight, min_points=min_points) if path is None else path
        if known.has_too_few:
            n = found.n_objects if weight is None else weight.sum()
            raise ParameterError(
                "there are fewer objects than min_points, so that none has a core distance.",
                got=f"{n:g} objects, min_points={min_points}",
                need=f"at least {min_points} objects",
                fix=f"min_points={max(1, int(n))}",
            )
        plain = ObjectsByCluster.of(np.empty((found.n_objects, 0)), found, weight, "euclidean")
        values = {one.name: getattr(plain, one.name) for one in fields(plain)}
        return cls(**{**values, "metric": DENSITY}, path=known)

    def is_compiled(self, rows: int) -> bool:  # noqa: ARG002
        """No loop is compiled for these distances."""
        return False

    def distances(self, rows: Any, to: Floats | None = None) -> Floats:  # noqa: ARG002
        """The distances of some objects to all."""
        return self.path.distances(self.order[rows])[:, self.order]

    def sums_of(self, rows: Array, compiled: bool) -> Floats:
        """The weighted sums of the distances of some objects to the objects of each cluster, ``(m, k)``."""
        sums = self._sums[rows] if self._holds_sums else super().sums_of(rows, compiled)
        copies = np.maximum(self.weight[rows] - 1.0, 0.0)
        sums[np.arange(len(rows)), self.codes[rows]] += copies * self.path.core[self.order[rows]]
        return sums

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """For each cluster the least distance to another one, and the largest inside it."""
        codes = np.empty(self.n, dtype=np.int64)
        codes[self.order] = self.codes
        near, far = self.path.ends(codes, self.k)
        copied = self.weight > 1.0
        np.maximum.at(far, self.codes[copied], self.path.core[self.order[copied]])
        return near, far

    @property
    def _holds_sums(self) -> bool:
        return self.n * self.k <= MOST_SUMS

    @cached_property
    def _sums(self) -> Floats:
        codes, weight = np.empty(self.n, dtype=np.int64), np.empty(self.n)
        codes[self.order], weight[self.order] = self.codes, self.weight
        return self.path.sums(codes, weight, self.k)[self.order]

    def _get_ready(self, rows: int, of_sums: bool) -> None:  # noqa: ARG002
        _ = self._sums if of_sums and self._holds_sums else self.path._places

    def _width(self, rows: int, of_sums: bool) -> int:  # noqa: ARG002
        return self.k if of_sums and self._holds_sums else self.n
