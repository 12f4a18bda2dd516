"""Tables of which only sums are known: over rows, over columns, over cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import xlogy

from partita.arrays import Array, Floats
from partita.errors import PartitaError
from partita.statistics.tables.contingency import Contingency, PairCounts

SUMMANDS: dict[str, Callable[[Array], Array]] = {
    "squares": lambda m: np.asarray(m, dtype=np.float64) ** 2,
    "entropy": lambda m: np.asarray(xlogy(m, m), dtype=np.float64),
}
"""What is summed over cells, rows and columns: m^2 for indices on pairs, m log m for entropies."""


@dataclass(frozen=True, eq=False)
class KnownSums(Contingency):
    """A stack of tables of two hard clusterings, without their cells.

    For given cluster sizes most indices depend on the cells through one sum (`Index.given_sizes`); an index
    that asks for more is refused.

    Attributes
    ----------
    over_rows, over_columns, over_cells : arrays of shape (...)
        Sums of m^2, or of m log m, as ``summand`` says.
    known_rows, known_columns : arrays of shape (..., k) or None
        The cluster sizes themselves, where they are known.
    """

    over_rows: Any = None
    over_columns: Any = None
    over_cells: Any = None
    summand: str = "squares"
    known_rows: Any = None
    known_columns: Any = None

    @classmethod
    def of(cls, row_sums: Array, column_sums: Array, over_cells: Array, summand: str) -> KnownSums:
        """A stack ``(s,)`` from sizes ``(s, k)`` and ``(s, k')`` and the sums ``(s,)`` over cells."""
        phi = SUMMANDS[summand]
        over = phi(row_sums).sum(axis=-1), phi(column_sums).sum(axis=-1)
        total = np.asarray(row_sums.sum(axis=-1))
        return cls._made(total, *over, over_cells, summand, row_sums, column_sums)

    @classmethod
    def without_sizes(
        cls, total: Array, rows: Array, columns: Array, cells: Array, summand: str
    ) -> KnownSums:
        """A stack ``(s,)`` from the three sums alone."""
        return cls._made(total, rows, columns, cells, summand)

    @classmethod
    def _made(cls, total: Array, *known: Any) -> KnownSums:
        names = ("over_rows", "over_columns", "over_cells", "summand", "known_rows", "known_columns")
        none = np.zeros((*np.shape(total), 0, 0), dtype=np.int64)
        return cls(none, total, **dict(zip(names, known, strict=False)))

    @cached_property
    def cells(self) -> Array:
        """Not known."""
        raise _not_known("cells", self.summand)

    def _margin(self, axis: int) -> Array:
        sizes = self.known_rows if axis == -1 else self.known_columns
        if sizes is None:
            raise _not_known("cluster sizes", self.summand)
        return np.asarray(sizes)

    @cached_property
    def pair_counts(self) -> PairCounts:
        """The four pair counts, as floats that hold whole numbers."""
        self._hold("squares")
        n = self.n
        return PairCounts(
            both=(self.over_cells - n) / 2,
            truth_only=(self.over_rows - self.over_cells) / 2,
            found_only=(self.over_columns - self.over_cells) / 2,
            neither=(n * n + self.over_cells - self.over_rows - self.over_columns) / 2,
        )

    def _hold(self, summand: str) -> None:
        if self.summand != summand:
            raise _not_known(f"sums of {summand}", self.summand)

    def _entropy_from(self, over: Array) -> Floats:
        self._hold("entropy")
        most = np.log(self.n)
        entropy = most - over / self.n
        # clusters of n objects that are not all together have at least most / n
        return np.asarray(np.where(entropy > 1e-13 * most, entropy, 0.0))

    @cached_property
    def row_entropy(self) -> Floats:
        """H(truth)."""
        return self._entropy_from(self.over_rows)

    @cached_property
    def column_entropy(self) -> Floats:
        """H(found)."""
        return self._entropy_from(self.over_columns)

    @cached_property
    def joint_entropy(self) -> Floats:
        """H(truth, found)."""
        return self._entropy_from(self.over_cells)

    @cached_property
    def rows_given_columns(self) -> Floats:
        """H(truth | found)."""
        return np.asarray(np.maximum(self.joint_entropy - self.column_entropy, 0.0))

    @cached_property
    def columns_given_rows(self) -> Floats:
        """H(found | truth)."""
        return np.asarray(np.maximum(self.joint_entropy - self.row_entropy, 0.0))

    @cached_property
    def mutual_information(self) -> Floats:
        """I(truth, found)."""
        return np.asarray(np.maximum(self.row_entropy + self.column_entropy - self.joint_entropy, 0.0))

    @cached_property
    def is_relabelling(self) -> Array:
        """Whether the sum over cells equals both the sums over rows and over columns (up to rounding)."""
        # moving one object between clusters changes a sum by far more than this
        near = 1e-9 * np.maximum(self.n, 1.0)
        rows, columns = (
            np.abs(self.over_cells - over) < near for over in (self.over_rows, self.over_columns)
        )
        return np.asarray(rows & columns)


def _not_known(what: str, summand: str) -> PartitaError:
    return PartitaError(
        f"the {what} of this table are not known.",
        need=f"an index that depends on the cells through the sum of {summand} only",
        fix="this is a bug in the entry (given_sizes); please report it",
    )
