"""The base index of a distributional measure: an index of two hard clusterings, evaluated on many tables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import ParameterError
from partita.partitions import HARD
from partita.registry import Index, find
from partita.statistics import SUMMANDS, Contingency, KnownSums

_TABLES_AT_ONCE = 100_000
PARTITION_DISTANCE = "classification_error"
EXPECTED_BY_SIZES = "adjusted_mutual_information"

WITH_ENDS_AT_VERTICES = frozenset(
    {
        "adjusted_rand",
        "completeness",
        "fowlkes_mallows",
        "homogeneity",
        "hubert_gamma",
        "jaccard",
        "minkowski_score",
        "nmi_joint",
        "nmi_max",
        "nmi_min",
        "nmi_sqrt",
        "nmi_sum",
        "normalized_variation_of_information",
        "pair_precision",
        "pair_recall",
        "v_measure",
    }
)
"""Indices for which, beside the separable ones, `TableIndex.on_box` has a proof."""

# planes of sums (R, C, T): both ends of each, T = R, T = C, T = R + C - S, and R = C
_PLANES = np.array([*np.repeat(np.eye(3), 2, axis=0), [-1, 0, 1], [0, -1, 1], [-1, -1, 1], [1, -1, 0]])
_TRIPLES = np.array(
    [t for t in itertools.combinations(range(10), 3) if abs(np.linalg.det(_PLANES[list(t)])) > 0.5]
)
_INVERSES = np.linalg.inv(_PLANES[_TRIPLES])


def _vertices(ends: Array, together: float) -> Array:
    """Vertices ``(v, 3)`` of the polytope of sums between ``ends``, and of its cut by the plane R = C."""
    right = np.concatenate([ends, [0.0, 0.0, -together, 0.0]])
    points = np.einsum("tij,tj->ti", _INVERSES, right[_TRIPLES])
    rows, columns, cells = points.T
    near = 1e-11 * (together + 1.0)
    inside = (points >= ends[::2] - near).all(axis=1) & (points <= ends[1::2] + near).all(axis=1)
    inside &= (cells <= np.minimum(rows, columns) + near) & (cells >= rows + columns - together - near)
    rows, columns, cells = np.clip(points[inside], ends[::2], ends[1::2]).T
    cells = np.clip(cells, rows + columns - together, np.minimum(rows, columns))
    return np.unique(np.stack([rows, columns, cells], axis=1), axis=0)


@dataclass(frozen=True)
class Coefficients:
    """Of a separable index: what each of its sums of phi, over rows, columns and cells, counts for."""

    constant: float
    rows: float
    columns: float
    cells: float

    @property
    def weights(self) -> tuple[float, float, float]:
        """Without the constant."""
        return self.rows, self.columns, self.cells

    def value(self, rows: Any, columns: Any, cells: Any) -> Any:
        """The value for these three sums."""
        return self.constant + self.rows * rows + self.columns * columns + self.cells * cells


@dataclass(frozen=True, eq=False)
class TableIndex:
    """An index of the table of two hard clusterings of ``n`` objects, in at most so many clusters."""

    entry: Index
    n: int
    clusters: tuple[int, int] | None = None

    @classmethod
    def named(cls, index: str | Index, n: int, clusters: tuple[int, int] | None = None) -> TableIndex:
        """The index of that name; refused if a table does not determine it."""
        entry = find(index)
        if set(entry.inputs) != {"truth", "found"} or not entry.is_of_table:
            raise ParameterError(
                f"{entry.label} is no function of the table of two hard clusterings.",
                got=f"an index on {', '.join(r.statistic.__name__ for r in entry.requests)}",
                need="an index on Contingency, such as rand, adjusted_rand, variation_of_information",
                fix=f"partita.indices.{entry.name} takes soft clusterings as they are",
            )
        return cls(entry, n, clusters)

    @property
    def phi(self) -> Callable[[Array], Array]:
        """The summand of the sums over cells, rows and columns that it depends on."""
        return SUMMANDS[self.entry.given_sizes]

    @property
    def has_ends_at_vertices(self) -> bool:
        """Whether `on_box` has a proof for it."""
        return self.entry.separable or self.entry.name in WITH_ENDS_AT_VERTICES

    @property
    def table_work(self) -> float:
        """What its value on one table counts for, where it is not soon found (see `Budget`)."""
        return 200.0 + self.n if self.entry.name == EXPECTED_BY_SIZES else 0.0

    def on_tables(self, tables: Array) -> Array:
        """Values for a stack ``(s, k, k')`` of tables; nan where it has none."""
        parts = [
            np.atleast_1d(
                self.entry.evaluate([Contingency.from_counts(tables[i : i + _TABLES_AT_ONCE])]).values
            )
            for i in range(0, len(tables), _TABLES_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def on_sums(self, truth_sizes: Array, found_sizes: Array, over_cells: Array) -> Array:
        """Values for tables known by their margins ``(s, k)``, ``(s, k')`` and one sum over the cells."""
        parts = []
        for i in range(0, len(over_cells), _TABLES_AT_ONCE):
            at = slice(i, i + _TABLES_AT_ONCE)
            known = KnownSums.of(truth_sizes[at], found_sizes[at], over_cells[at], self.entry.given_sizes)
            parts.append(self.entry.evaluate([known]).values)
        return np.concatenate(parts) if parts else np.zeros(0)

    def on_box(self, ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Ends that hold for all tables whose sums over rows, columns and cells lie in these ranges.

        The ranges may be wider than what tables attain. Infinite where nothing is proved.

        Let R, C and T be the sums over rows, columns and cells, S that of a single cluster and n' that of
        single objects. As phi is superadditive, T <= R and T <= C. As pairs apart in both (squares) and
        information (entropy) are not negative, R + C - S <= T. With the ranges this makes a polytope. The
        ends are at its vertices, or at those of its cut by the plane R = C:

        * An affine function of the sums has its ends at vertices, and so has a quotient of two, where the
          denominator is positive: {f <= t} and {f >= t} are half-spaces. This settles the separable indices,
          jaccard, pair precision and recall, the square of the Minkowski score, homogeneity, completeness,
          v_measure, nmi_joint, nmi_sum, NVI; and nmi_max and nmi_min on either side of R = C.
        * fowlkes_mallows and nmi_sqrt are g / sqrt(x y) with g >= 0, x and y affine. As sqrt(x y) is concave,
          {f <= t} is convex, so the largest value is at a vertex.
        * Write r, c, t for the pairs in R, C, T, and N for all pairs. The derivatives of ARI =
          (t - rc/N) / ((r + c)/2 - rc/N) by r, of Gamma = (tN - rc) / sqrt(rc(N - r)(N - c)) by r, and of
          fowlkes_mallows t / sqrt(rc) have the signs of -(c^2 - 2tc + tN) <= -(c - t)^2, of
          -(r(c - t) + t(N - r)), and of -1: all fall in R and in C, and rise in T. So the largest ARI or
          Gamma has T at its upper end and R, C as small as they can be (a vertex); or T = R and C at its
          lower end, where both rise with R (up to a vertex), or T = R = C, where both are 1 (also there).
        * The smallest of these three has T = max(its lower end, R + C - S). Where T = R + C - S, they rise in
          R and in C: ARI is -(N - r)(N - c) / (N (r + c)/2 - rc), Gamma -sqrt((N - r)(N - c) / (rc)),
          fowlkes_mallows (r + c - N) / sqrt(rc). Where T is at its lower end, they fall. So it is at R and C
          at their ends (a vertex), or on the edge where both hold. There r + c is fixed, and all three fall
          in rc, so it is at R = C, or at the end of the edge that is next to it (a vertex).
        * nmi_sqrt is i / sqrt(pq), i = p + q - h, with entropies p, q <= h: the smallest has i = 0 (on a
          whole face), or T at its lower end, where it rises in p and in q (d/dp has the sign of
          p - q + h >= 0): a vertex, or again i = 0.

        Where a side is a single cluster or single objects, denominators vanish. So these are looked at by
        themselves (there the formula holds, or a limit sets the value); all other sums differ from S by at
        least S - phi(n - 1) - phi(1), and from n' by at least phi(2) - 2 phi(1).
        """
        if not self.has_ends_at_vertices:
            return -np.inf, np.inf
        least = self._least_sums
        together = float(self.phi(np.array(self.n)))
        rows, columns, cells = (np.clip(r, low, together) for r, low in zip(ranges, least, strict=True))
        points, is_trivial = [], []
        for row_part, is_row_edge in self._parts(*rows):
            for column_part, is_column_edge in self._parts(*columns):
                found = _vertices(np.array([*row_part, *column_part, *cells]), together)
                points.append(found)
                is_trivial += [is_row_edge or is_column_edge] * len(found)
        sums = np.concatenate(points).T if points else np.zeros((3, 0))
        if not sums.size:
            return -np.inf, np.inf
        known = KnownSums.without_sizes(
            np.full(sums.shape[1], self.n), sums[0], sums[1], sums[2], self.entry.given_sizes
        )
        values = np.asarray(self.entry.formula_on(known), dtype=np.float64)
        is_finite, is_edge = np.isfinite(values), np.array(is_trivial)
        if not (is_finite | is_edge).all():
            return -np.inf, np.inf
        set_values = [limit.value for limit in self.entry.limits if math.isfinite(limit.value)]
        values = np.append(values[is_finite], set_values if is_edge.any() else [])
        return (float(values.min()), float(values.max())) if values.size else (-np.inf, np.inf)

    @cached_property
    def _least_sums(self) -> tuple[float, float, float]:
        """What the sums are at least: phi is convex, so even sizes have the least."""
        k, columns = self.clusters or (self.n, self.n)
        alone = float(self.phi(np.ones(self.n)).sum())
        rows, columns_, cells = (m * float(self.phi(np.array(self.n / m))) for m in (k, columns, k * columns))
        return max(alone, rows), max(alone, columns_), max(alone, cells)

    def _parts(self, low: float, high: float) -> list[tuple[tuple[float, float], bool]]:
        """The parts of a range of sums over clusters: single objects, a single cluster, all others.

        Also whether a part is one of the first two, whose sums no others come near.
        """
        alone, together = float(self.phi(np.ones(self.n)).sum()), float(self.phi(np.array(self.n)))
        one, two, fewer = (float(self.phi(np.array(m))) for m in (1, 2, self.n - 1))
        from_alone, from_together = two - 2.0 * one, together - fewer - one
        parts: list[tuple[tuple[float, float], bool]] = []
        # an eighth leaves room for rounding, and keeps denominators away from 0
        if low < alone + from_alone / 8.0:
            parts.append(((alone, alone), True))
            low = alone + from_alone
        if high > together - from_together / 8.0:
            parts.append(((together, together), True))
            high = together - from_together
        return parts + ([((low, high), False)] if low <= high + 1e-12 * together else [])

    @cached_property
    def coefficients(self) -> Coefficients | None:
        """Of a separable index: found from its values on four tables, which determine them."""
        if not self.entry.separable or self.n < 2:
            return None
        half = self.n // 2
        rest = self.n - half
        tables = np.array(
            [[[self.n, 0], [0, 0]], [[half, rest], [0, 0]], [[half, 0], [rest, 0]], [[half, 0], [0, rest]]]
        )
        together, columns_split, rows_split, both_split = map(float, self.on_tables(tables))
        whole, split = float(self.phi(np.array(self.n))), float(self.phi(np.array([half, rest])).sum())
        step = whole - split
        # in the second table the rows' sum differs from that of the last, in the third the columns'
        rows, columns = (columns_split - both_split) / step, (rows_split - both_split) / step
        cells = (together - both_split) / step - rows - columns
        return Coefficients(both_split - split * (rows + columns + cells), rows, columns, cells)

    @cached_property
    def range(self) -> tuple[float, float] | None:
        """Ends of its values on hard clusterings of ``n`` objects, where known; not always reached."""
        k, columns = self.clusters or (self.n, self.n)
        most = SimpleNamespace(n=self.n, n_rows=k, n_columns=columns, is_whole=True)
        most.row_entropy, most.column_entropy = math.log(k), math.log(columns)
        low, high = self.entry.ends_on((HARD, HARD), most)
        if self.entry.given_sizes:
            together = float(self.phi(np.array(self.n)))
            by_sums = self.on_box([(least, together) for least in self._least_sums])
            low, high = max(low, by_sums[0]), min(high, by_sums[1])
        return (low, high) if math.isfinite(high - low) else None

    @property
    def width(self) -> float | None:
        """The width of its range, where that is known."""
        return None if self.range is None else self.range[1] - self.range[0]
