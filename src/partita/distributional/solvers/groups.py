"""Objects with the same possible clusters on both sides, counted: all that a table can depend on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from partita.arrays import Array


@dataclass(frozen=True, eq=False)
class Groups:
    """Two rough clusterings of the same objects, as counts of equal objects.

    Attributes
    ----------
    rows : (g, k) boolean array
        For each group its possible clusters in truth, the rows of the table; at least one.
    columns : (g, k') boolean array
        For each group its possible clusters in found, the columns of the table; at least one.
    counts : (g,) array of whole numbers
        How many objects are in each group; at least one.
    """

    rows: Array
    columns: Array
    counts: Array

    @classmethod
    def of(cls, truth: Array, found: Array) -> Groups:
        """Group the objects of two ``(n, k)`` boolean matrices of possible clusters."""
        both = np.concatenate([truth, found], axis=1)
        if both.shape[1] < 63:  # sets as bit masks sort much faster than rows
            _, first, counts = np.unique(
                both @ (1 << np.arange(both.shape[1])), return_index=True, return_counts=True
            )
            kinds = both[first]
        else:
            kinds, counts = np.unique(both, axis=0, return_counts=True)
        k = truth.shape[1]
        return cls(kinds[:, :k], kinds[:, k:], counts.astype(np.int64))

    @property
    def n(self) -> int:
        """The number of objects."""
        return int(self.counts.sum())

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the table: clusters of truth by clusters of found."""
        return self.rows.shape[1], self.columns.shape[1]

    @cached_property
    def cells(self) -> Array:
        """For each group the cells of the table it may be in, ``(g, k, k')``."""
        return np.asarray(self.rows[:, :, None] & self.columns[:, None, :])

    @cached_property
    def n_ambiguous(self) -> int:
        """How many objects have more than one possible cell."""
        return int(self.counts[self.cells.sum(axis=(1, 2)) > 1].sum())

    def objects(self) -> tuple[Array, Array]:
        """The possible clusters of every object, in truth and in found."""
        return np.repeat(self.rows, self.counts, axis=0), np.repeat(self.columns, self.counts, axis=0)

    def of_rows(self) -> Groups:
        """The same with found left away: one cluster there for all."""
        rows, place = np.unique(self.rows, axis=0, return_inverse=True)
        counts = np.bincount(place.ravel(), weights=self.counts).astype(np.int64)
        return Groups(rows, np.ones((len(rows), 1), dtype=bool), counts)

    def transposed(self) -> Groups:
        """The same with truth and found exchanged."""
        return Groups(self.columns, self.rows, self.counts)
