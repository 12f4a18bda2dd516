"""The base index of a distributional measure: an index of two hard clusterings, evaluated on many tables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import ParameterError, PartitaError
from partita.partitions import HARD
from partita.registry import Index, find
from partita.statistics import SUMMANDS, Contingency, KnownSums

_TABLES_AT_ONCE = 100_000
PARTITION_DISTANCE = "classification_error"


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
    """An index of the table of two hard clusterings of ``n`` objects."""

    entry: Index
    n: int

    @classmethod
    def named(cls, index: str | Index, n: int) -> TableIndex:
        """The index of that name; refused if a table does not determine it."""
        entry = find(index)
        if set(entry.inputs) != {"truth", "found"} or not entry.is_of_table:
            raise ParameterError(
                f"{entry.label} is no function of the table of two hard clusterings.",
                got=f"an index on {', '.join(r.statistic.__name__ for r in entry.requests)}",
                need="an index on Contingency, such as rand, adjusted_rand, variation_of_information",
                fix=f"partita.indices.{entry.name} takes soft clusterings as they are",
            )
        return cls(entry, n)

    @property
    def phi(self) -> Callable[[Array], Array]:
        """The summand of the sums over cells, rows and columns that it depends on."""
        return SUMMANDS[self.entry.given_sizes]

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
        """The ends over all tables whose sums over rows, columns and cells lie in these ranges.

        For the other two given, the index is monotone in each sum, also along the edges of what tables can
        have: the sum over cells is at most those over rows and columns, and at least theirs together less
        that of one single cluster. So the ends are at the corners of the box and of these edges, or a limit
        sets them. Infinite where a corner has no value.
        """
        alone = float(self.phi(np.ones(self.n)).sum())
        together = float(self.phi(np.array(self.n)))
        (low_rows, high_rows), (low_columns, high_columns), (low, high) = np.clip(ranges, alone, together)
        rows = np.clip([low_rows, high_rows, low, high], low_rows, high_rows)
        columns = np.clip([low_columns, high_columns, low, high], low_columns, high_columns)
        corners = set(itertools.product(rows, columns))
        for end in (low, high):
            corners |= {(r, np.clip(together + end - r, low_columns, high_columns)) for r in rows}
            corners |= {(np.clip(together + end - c, low_rows, high_rows), c) for c in columns}
        made = []
        for r, c in corners:
            least, most = max(low, r + c - together), min(high, r, c)
            if least <= most + 1e-9 * together:
                made += [(r, c, least), (r, c, max(least, most))]
        over = np.array(made).T
        if not over.size:
            return -np.inf, np.inf
        known = KnownSums.without_sizes(
            np.full(over.shape[1], self.n), over[0], over[1], over[2], self.entry.given_sizes
        )
        try:
            values = np.asarray(self.entry.formula_on(known), dtype=np.float64)
        except PartitaError:  # it asks for cluster sizes
            return -np.inf, np.inf
        if not np.isfinite(values).all():
            return -np.inf, np.inf
        # a clustering with one cluster, or of single objects, has the value that a limit sets
        reached = max(high_rows, high_columns) >= together * (1 - 1e-12)
        if reached or min(low_rows, low_columns) <= alone + 1e-12 * together:
            set_values = [limit.value for limit in self.entry.limits if math.isfinite(limit.value)]
            values = np.append(values, set_values)
        return float(values.min()), float(values.max())

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
        low, high = (
            float(end) if isinstance(end, (int, float)) else side * math.inf
            for end, side in zip(self.entry.range_of((HARD, HARD)) or (None, None), (-1, 1), strict=True)
        )
        if self.coefficients is not None:
            # all objects apart, or all together
            ends = float(self.phi(np.ones(self.n)).sum()), float(self.phi(np.array(self.n)))
            products = [[w * end for end in ends] for w in self.coefficients.weights]
            low = max(low, self.coefficients.constant + sum(map(min, products)))
            high = min(high, self.coefficients.constant + sum(map(max, products)))
        return (low, high) if math.isfinite(high - low) else None

    @property
    def width(self) -> float | None:
        """The width of its range, where that is known."""
        return None if self.range is None else self.range[1] - self.range[0]
