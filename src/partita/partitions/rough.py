"""Rough clusterings: for each object the set of clusters it may belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, ClassVar

import numpy as np

from partita.arrays import Array, is_sparse, read_only
from partita.errors import PartitionError, Phrase, row_of_matrix
from partita.partitions.hard import HardPartition
from partita.partitions.kinds import ROUGH, Kind
from partita.partitions.memberships import dense_array
from partita.partitions.object_sets import hold_sets, items_of, possible_matrix
from partita.partitions.partition import Partition, normalise_names, row_selection


class RoughPartition(Partition):
    """Each object has a non-empty set of possible clusters; one of them is its true one.

    The lower approximation of a cluster holds the objects with that cluster alone, the upper
    approximation all objects that may belong to it.

    Parameters
    ----------
    possible : (n, k) boolean array, or list of sets of clusters
        Which clusters are possible for which object; as sets, lists or tuples of cluster names, one for each
        object (campagner2022, part 2.1).
    names : sequence, optional
        One name for each cluster; their positions by default, of sets the members in order. With names, sets
        may hold positions too.

    Examples
    --------
    >>> rough = RoughPartition([[True, False], [True, True]])
    >>> rough
    RoughPartition(n=2, k=2, sizes=[1..2 0..1], ambiguity=0.5, partial assignment=0)
    >>> [c.labels.tolist() for c in rough.completions()]
    [[0, 0], [0, 1]]
    >>> RoughPartition([{"a"}, {"a", "b"}]).names
    ('a', 'b')
    """

    kind: ClassVar[Kind] = ROUGH

    def __init__(self, possible: Any, *, names: Sequence[Any] | None = None, index: Any = None) -> None:
        items = items_of(possible)
        if items is not None and hold_sets(items):
            self._set(*possible_matrix(items, names), index)
            return
        matrix = dense_array(possible)
        if is_boolean(matrix):
            matrix = matrix.astype(bool)
        if matrix.ndim != 2 or 0 in matrix.shape or matrix.dtype.kind not in "biuf":
            raise PartitionError(
                "this is not a matrix of possible clusters.",
                got=f"array of shape {matrix.shape}, dtype {matrix.dtype}",
                need="shape (n, k), True where a cluster is possible for an object",
            )
        if matrix.dtype != bool:
            if not np.isin(matrix, (0, 1)).all():
                raise PartitionError(
                    "possible clusters are marked by True and False.",
                    got=f"values such as {matrix[~np.isin(matrix, (0, 1))][0]}",
                    need="only True and False (or 1 and 0)",
                    fix="alpha_cut(alpha) of a fuzzy or possibilistic partition",
                )
            matrix = matrix.astype(bool)
        empty = ~matrix.any(axis=1)
        if empty.any():
            raise PartitionError(
                "some objects have no possible cluster.",
                got=Phrase(row_of_matrix(int(empty.argmax())), f" is empty ({int(empty.sum())} such rows)"),
                need="at least one possible cluster for every object",
            )
        self._set(matrix, normalise_names(names, matrix.shape[1]), index)

    def _set(self, possible: Array, names: tuple[Any, ...], index: Any) -> None:
        self.possible = read_only(possible)
        self._names = names
        self.index = index

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return int(self.possible.shape[0])

    @property
    def names(self) -> tuple[Any, ...]:
        """One name for each cluster."""
        return self._names

    @cached_property
    def _set_sizes(self) -> Array:
        return read_only(self.possible.sum(axis=1))

    @cached_property
    def sizes(self) -> Array:
        """The number of objects in each upper approximation."""
        return read_only(self.possible.sum(axis=0))

    @cached_property
    def lower_sizes(self) -> Array:
        """The number of objects in each lower approximation."""
        return read_only(self.possible[self._set_sizes == 1].sum(axis=0))

    def _sizes_text(self) -> str:
        shown = [f"{a}..{b}" for a, b in zip(self.lower_sizes[:8], self.sizes[:8], strict=True)]
        return "[" + " ".join(shown) + (" ...]" if self.n_clusters > 8 else "]")

    def take(self, rows: Any) -> RoughPartition:
        """The same clustering of some of the objects."""
        chosen = row_selection(rows, self.n_objects)
        index = None if self.index is None else self.index[chosen]
        made = RoughPartition.__new__(RoughPartition)
        made._set(self.possible[chosen], self.names, index)
        made.note, made.frame = self.note, self.frame
        return made

    def entropies(self) -> Array:
        """Zeros: each object has one set."""
        return np.zeros(self.n_objects)

    def nonspecificities(self) -> Array:
        """For each object, the log size of its set in nats."""
        return np.log(self._set_sizes)

    def is_compatible(self, clustering: Any) -> bool:
        """Whether a hard clustering gives every object one of its possible clusters."""
        return bool(self.possible[np.arange(self.n_objects), self.columns_of(clustering)].all())

    @property
    def n_completions(self) -> int:
        """How many hard clusterings are compatible with this one; exact, however large."""
        return prod(int(s) for s in self._set_sizes)

    def completions(self) -> Iterator[HardPartition]:
        """All compatible hard clusterings, one after the other (`n_completions` of them)."""
        choices = [np.flatnonzero(row).tolist() for row in self.possible]
        for codes in product(*choices):
            yield HardPartition.from_codes(np.array(codes, dtype=np.int64), self.names, index=self.index)


def is_boolean(matrix: Any) -> bool:
    """Whether an array, dense or sparse, holds True and False only (and not 1 and 0)."""
    if matrix.dtype.kind == "O" and not is_sparse(matrix):
        return all(isinstance(cell, (bool, np.bool_)) for cell in matrix.flat)
    return bool(matrix.dtype == bool)
