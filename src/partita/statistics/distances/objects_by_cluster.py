"""Objects sorted by cluster, and the distances between them: compiled, by SciPy, or given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from partita.arrays import Array, Floats, is_sparse, map_blocks
from partita.errors import ParameterError, Phrase, Setting
from partita.partitions import (
    HardPartition,
)
from partita.statistics.protocol import OnBlock

MOST_OPERATIONS = 3e10
"""Distances of ten features that are taken when asked for: about a minute."""

MOST_SUMS = 1 << 26
"""Distance sums (objects x clusters) that are held at once: 512 MiB."""

NEAR = 2.0**-10
"""Of the extent of all centres: distances below that are taken again, from points near by."""

T = TypeVar("T")

PRECOMPUTED = "precomputed"
DENSITY = "density"
"""The density-connectivity distance, of Euclidean distances: see `connectivity`."""

COMPILED = ("euclidean", "sqeuclidean", "cityblock")
BY_SCIPY = (
    "braycurtis", "canberra", "chebyshev", "correlation", "cosine", "dice", "hamming", "jaccard",
    "jensenshannon", "mahalanobis", "minkowski", "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath",
    "yule",
)  # fmt: skip
MOST_DISTANT = 2.0**900
"""Objects come in units in which no true distance is larger; Bray-Curtis' of x and almost -x is."""

OF_TRUTH_VALUES = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
BY_COVARIANCE = ("seuclidean", "mahalanobis")
SEE_NO_OFFSET = (*COMPILED, "chebyshev", "minkowski")
SPELLINGS = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}

COMPILED_PAIRS = 1 << 18
"""Pairs from which on compiled loops pay for being loaded."""

TILE_CELLS = 1 << 21
"""Distances, or sums of them, that one block holds: 16 MiB."""

ROWS_AT_ONCE = 256
"""Objects that are held against all others at a time, at most."""

MOST_BANDS = 64
"""Blocks of rows when each pair is looked at once: each leaves sums for all objects after it."""

SPARSE_WORK = 5.0
"""The work for one pair of sparse objects that share no feature; each that they share costs 1 more."""

NOT_SYMMETRIC = {"float64": 1e-8, "float32": 1e-5}
"""How far given distances may differ from their mirror image, as a share of the largest."""


@dataclass(frozen=True, eq=False)
class ObjectsByCluster:
    """Objects in the order of their clusters, empty ones left out, and the distances between them.

    Attributes
    ----------
    X : array (n, d), or (n, n) distances
        The data in that order; given distances stay in the order they came in.
    order, codes, weight : arrays (n,)
        Which object each is, its cluster, and its weight.
    bounds : array (k + 1,)
        Where each cluster starts.
    sizes, counts : arrays (k,)
        Weight and number of objects of each cluster.
    """

    X: Array
    metric: str
    order: Array
    codes: Array
    weight: Floats
    bounds: Array
    sizes: Floats
    names: tuple[Any, ...]
    covariance: Floats | None = None
    """Of the features, for metrics that need it, where these objects are a part of those it is of."""

    @classmethod
    def of(
        cls,
        X: Array,
        found: HardPartition,
        weight: Array | None,
        metric: str,
        covariance: Floats | None = None,
    ) -> ObjectsByCluster:
        """Sort the objects, and check the metric."""
        metric = known_metric(metric)
        n = found.n_objects
        cls._check(X, metric, n)
        filled = np.flatnonzero(found.sizes)
        place = np.zeros(found.n_clusters, dtype=np.int64)
        place[filled] = np.arange(filled.size)
        codes = place[found.codes]
        order = np.argsort(codes, kind="stable")
        each = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
        return cls(
            cls._in_order(X, metric, order),
            metric,
            order,
            codes[order],
            each[order],
            np.concatenate([[0], np.cumsum(found.sizes[filled])]).astype(np.int64),
            np.bincount(codes, each, filled.size).astype(np.float64),
            tuple(found.names[i] for i in filled),
            covariance,
        )

    @staticmethod
    def _check(X: Array, metric: str, n: int) -> None:
        check_metric(X, metric, n)

    @staticmethod
    def _in_order(X: Array, metric: str, order: Array) -> Array:
        """The data by cluster; given distances as they are."""
        return X if metric == PRECOMPUTED else _near_zero(np.asarray(X, dtype=np.float64), metric)[order]

    @property
    def n(self) -> int:
        """The number of objects."""
        return self.order.size

    @property
    def k(self) -> int:
        """The number of clusters that are not empty."""
        return self.bounds.size - 1

    @property
    def counts(self) -> Array:
        """The number of objects of each cluster."""
        return np.diff(self.bounds)

    def is_compiled(self, rows: int) -> bool:
        """Whether the distances of so many objects to all are found by a compiled loop."""
        return self.metric in COMPILED and rows * self.n >= COMPILED_PAIRS

    @cached_property
    def _metric_options(self) -> dict[str, Any]:
        """What SciPy would otherwise estimate anew from each tile."""
        if self.metric not in BY_COVARIANCE:
            return {}
        covariance = self.covariance
        if covariance is None:
            away = self.X - np.average(self.X, axis=0, weights=self.weight)
            covariance = (away * self.weight[:, None]).T @ away / max(self.weight.sum() - 1.0, 1.0)
        if self.metric == "seuclidean":
            return {"V": np.diag(covariance)}
        if np.linalg.matrix_rank(covariance, hermitian=True) < len(covariance):
            raise ParameterError(
                "Mahalanobis distances need a covariance matrix that can be inverted.",
                got=f"{len(covariance)} features, some of which follow from the others",
                need="independent features, and more objects than features",
            )
        return {"VI": np.linalg.inv(covariance)}

    def distances(self, rows: Any, to: Floats | None = None) -> Floats:
        """The distances of some objects to all, or to other points."""
        if self.metric == PRECOMPUTED:
            return np.asarray(self.X[np.ix_(self.order[rows], self.order)], dtype=np.float64)
        return self.between(self.X[rows], self.X if to is None else to)

    def between(self, points: Floats, others: Floats | None = None) -> Floats:
        """The distances of points to others, or to each other."""
        from scipy.spatial.distance import cdist

        metric: Any = self.metric
        with np.errstate(all="ignore"):
            made = cdist(points, points if others is None else others, metric, **self._metric_options)
        bad = ~(made < MOST_DISTANT)
        if bad.any():
            raise ParameterError(
                f"the metric {self.metric!r} has no value for some pairs of objects.",
                got=f"{int(bad.sum())} distances that are no numbers, or next to infinite",
                need="a metric that is defined for these data",
            )
        return made

    def to_centers(self, points: Floats, ways: Floats, origins: Floats, offsets: Floats) -> Floats:
        """The distances of places to centres, each a point near by and the way from there.

        Small ones are taken again from there: what lies close together far from 0 loses digits.
        """
        centers = origins + offsets
        apart = self.between(points + ways, centers)
        if self.metric in SEE_NO_OFFSET:
            zero = np.zeros((1, centers.shape[1]))
            near = NEAR**2 if self.metric == "sqeuclidean" else NEAR
            i, j = np.nonzero(apart < near * self.between(zero, centers).max())
            if i.size:
                gaps = (points[i] - origins[j]) + (ways[i] - offsets[j])
                apart[i, j] = self.between(gaps, zero)[:, 0]
        return apart

    def over_rows(
        self, picked: Array, work: Callable[[Array], T], on_block: OnBlock, *, of_sums: bool = False
    ) -> list[T]:
        """Apply work to blocks of some objects, small enough that their distances to all fit.

        ``of_sums`` says that it asks for sums over clusters only.
        """
        self._get_ready(picked.size, of_sums)  # once, before there are threads
        rows = self.rows_at_once(self._width(picked.size, of_sums))
        return map_blocks(lambda part: work(picked[part]), picked.size, rows, on_block)

    def _get_ready(self, rows: int, of_sums: bool) -> None:  # noqa: ARG002
        _ = self.packed if self.is_compiled(rows) else self._metric_options

    def _width(self, rows: int, of_sums: bool) -> int:  # noqa: ARG002
        """How many numbers are held for one of so many objects."""
        return self.k if self.is_compiled(rows) else self.n

    # --- compiled ---------------------------------------------------------------------------------------

    @cached_property
    def packed(self) -> tuple[Floats, Floats]:
        """The objects in tiles for the compiled loops, and their weights, 0 for those filled up."""
        from partita.kernels.distances import TILE

        tiles = -(-self.n // TILE)
        filled = np.zeros((tiles * TILE, self.X.shape[1]))
        filled[: self.n] = self.X
        weight = np.zeros(tiles * TILE)
        weight[: self.n] = self.weight
        return np.ascontiguousarray(filled.reshape(tiles, TILE, -1).transpose(0, 2, 1)).ravel(), weight

    def sums_of(self, rows: Array, compiled: bool) -> Floats:
        """The weighted sums of the distances of some objects to the objects of each cluster, ``(m, k)``."""
        if compiled:
            return self._compiled_sums(self._points(rows), 0, self.packed[1].size)[0]
        return np.asarray(np.add.reduceat(self.distances(rows) * self.weight, self.bounds[:-1], axis=1))

    def sums_from(self, points: Floats) -> Floats:
        """The same of other points, which lie in the space of the data as it is kept here."""
        compiled = self.is_compiled(len(points))
        self._get_ready(len(points), of_sums=True)

        def of_some(part: slice) -> Floats:
            few = points[part]
            if compiled:
                nothing = np.zeros(len(few), dtype=np.int64), np.zeros(len(few))
                return self._compiled_sums((few, *nothing), 0, self.packed[1].size)[0]
            away = self.between(few, self.X) * self.weight
            return np.asarray(np.add.reduceat(away, self.bounds[:-1], axis=1))

        rows = self.rows_at_once(self._width(len(points), of_sums=True))
        return np.concatenate(map_blocks(of_some, len(points), rows))

    def least_from(self, points: Floats) -> Floats:
        """The least distances of other points to the objects of each cluster, ``(m, k)``."""

        def of_some(part: slice) -> Floats:
            return np.asarray(
                np.minimum.reduceat(self.between(points[part], self.X), self.bounds[:-1], axis=1)
            )

        return np.concatenate(map_blocks(of_some, len(points), self.rows_at_once(self.n)))

    @staticmethod
    def rows_at_once(cells: int) -> int:
        """How many objects are looked at together where each takes so many cells."""
        return max(1, min(ROWS_AT_ONCE, TILE_CELLS // cells))

    def _points(self, rows: Any) -> tuple[Floats, Array, Floats]:
        return self.X[rows], self.codes[rows], self.weight[rows]

    def _compiled_sums(
        self, points: tuple[Floats, Array, Floats], first: int, mirrored: int
    ) -> tuple[Floats, Floats]:
        from partita.kernels.distances import sums_to_clusters

        packed, weight = self.packed
        parts = -(-self.n // len(points[0]))  # such calls come until all objects are seen
        made: tuple[Floats, Floats] = sums_to_clusters.times(parts)(
            *points, packed, weight, self.bounds, first, mirrored,
            self.metric == "cityblock", self.metric == "euclidean",
        )  # fmt: skip
        return made

    def all_sums(self, on_block: OnBlock) -> Floats:
        """The sums of all objects, ``(n, k)``; a pair is looked at once, but for those inside a block."""
        from partita.kernels.distances import TILE

        _, weight = self.packed
        bands = -(-self.n // TILE // MOST_BANDS) * TILE

        def of_band(rows: slice) -> tuple[Floats, Floats]:
            return self._compiled_sums(self._points(rows), rows.start, min(rows.start + bands, weight.size))

        sums = np.zeros((self.n, self.k))
        parts = map_blocks(of_band, self.n, bands, on_block)
        for start, (rows, columns) in zip(range(0, self.n, bands), parts, strict=True):
            stop, first = start + len(rows), self.codes[start]
            sums[start:stop] += rows
            sums[stop:, first : first + len(columns)] += columns[:, : self.n - stop].T
        return sums


def _near_zero(X: Floats, metric: str) -> Floats:
    """The data without its large offset, where the metric does not see it, so that means keep their digits.

    A feature is shifted if all its values have one sign and none is more than twice another: then differences
    are exact (Sterbenz), and so is every distance.
    """
    if metric not in SEE_NO_OFFSET:
        return X
    low, high = X.min(axis=0), X.max(axis=0)
    far = ((low > 0) & (high / 2.0 <= low)) | ((high < 0) & (low / 2.0 >= high))
    return X - np.where(far, low, 0.0) if far.any() else X


def known_metric(metric: Any) -> str:
    """The metric by SciPy's name, "density" or "precomputed"."""
    name = SPELLINGS.get(metric, metric) if isinstance(metric, str) else ""
    if name not in (*COMPILED, *BY_SCIPY, PRECOMPUTED, DENSITY):
        raise ParameterError(
            "no such metric.",
            got=repr(metric),
            need=f'a name of scipy.spatial.distance ({", ".join(COMPILED)}, ...), "density" or "precomputed"',
            fix=Phrase(
                "distances of your own go in as an (n, n) matrix with ", Setting("metric", "precomputed")
            ),
            parameter="metric",
        )
    return name


def check_metric(X: Array, metric: str, n: int) -> None:
    """Refuse data that the metric does not measure."""
    if metric == PRECOMPUTED:
        check_distances(X, n)
    elif metric in OF_TRUTH_VALUES and not np.isin(X, (0, 1)).all():
        raise ParameterError(
            f"the metric {metric!r} compares truth values.",
            got="other numbers than 0 and 1",
            need="0 and 1 only",
            fix="X > threshold, or a metric of numbers such as euclidean",
        )
    elif metric == "jensenshannon" and (X.min() < 0 or not X.any(axis=1).all()):
        raise ParameterError(
            "the metric 'jensenshannon' compares distributions.",
            got="a row of zeros" if X.min() >= 0 else "negative numbers",
            need="no negative value, and in each row a positive one",
        )


def check_distances(X: Array, n: int) -> None:
    """Refuse what is no matrix of distances between n objects."""
    if X.shape != (n, n):
        raise ParameterError(
            'X is no matrix of distances, as metric="precomputed" says.',
            got=f"array of shape {X.shape} for {n} objects",
            need=f"shape ({n}, {n})",
            fix="leave metric out if X is data",
        )
    most = float(np.abs(X).max())
    tolerance = NOT_SYMMETRIC[X.dtype.name] * most

    def worst(rows: slice) -> tuple[float, float]:
        with np.errstate(over="ignore"):
            return float(X[rows].min()), float(np.abs(X[rows] - X[:, rows].T).max())

    ends = map_blocks(worst, n, max(1, TILE_CELLS // n))
    problems = {
        "some distances are negative": min(low for low, _ in ends) < -tolerance,
        "the distance of an object to itself is not 0": float(np.abs(np.diagonal(X)).max()) > tolerance,
        "the matrix is not symmetric": max(gap for _, gap in ends) > tolerance,
    }
    for problem, holds in problems.items():
        if holds:
            raise ParameterError(
                f"{problem}.",
                got=f"a matrix with entries up to {most:g}",
                need="distances: not negative, symmetric, 0 on the diagonal",
                fix="(D + D.T) / 2 for rounding; similarities must be turned into distances first",
            )


def work_of_pair(X: Any, metric: str) -> float:
    """The work for one pair, in units of ten features; of sparse objects, about the values they share."""
    if is_sparse(X):
        objects = np.bincount(X.indices, minlength=1).astype(np.float64)  # that have each feature
        return SPARSE_WORK + float(objects @ objects) / float(X.shape[0]) ** 2
    return 0.1 if metric == PRECOMPUTED else max(float(X.shape[1]) / 10.0, 0.1)
