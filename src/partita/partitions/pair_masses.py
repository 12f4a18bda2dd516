"""What a clustering says of each pair of objects: together, apart, either, or nothing that fits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array, Floats, blocks, check_flag, dense, divided_by_row_sums
from partita.errors import TooLargeError
from partita.partitions.evidential import EvidentialPartition
from partita.partitions.hard import HardPartition
from partita.partitions.kinds import EVIDENTIAL
from partita.partitions.memberships import FuzzyPartition
from partita.partitions.partition import Partition
from partita.partitions.reading import as_partition

_MOST_CELLS = 1 << 28
"""Two gigabytes of masses."""

_MOST_RELATIONS = 1 << 26
"""Pairs of focal sets that are compared at once."""

_ROWS = 256


class PairMasses(NamedTuple):
    """For pairs of objects the masses on the empty set, {together}, {apart} and {together, apart}."""

    empty: Array
    together: Array
    apart: Array
    both: Array


def pairwise_masses(partition: Any, condensed: bool = False) -> PairMasses:
    """The masses of every pair of objects on "together" and "apart", by Dempster's rule.

    The relational representation of a clustering (denoeux2018): the masses of two objects are combined
    without normalisation. A pair is together when both are surely in the same single cluster, apart when
    their sets share no cluster, and undecided (``both``) when the sets overlap; mass on the empty set on
    either side stays there.

    Parameters
    ----------
    partition : anything `as_partition` takes
        Hard (noise is mass on the empty set), fuzzy, rough or evidential; a possibilistic one by its
        consonant masses.
    condensed : bool
        Whether to give each pair i < j once, in the order of SciPy's ``pdist``.

    Returns
    -------
    PairMasses
        The arrays ``empty, together, apart, both``, each ``(n, n)``, or ``(n (n - 1) / 2,)`` if condensed;
        they sum to one. The diagonal is what an object and a copy of it would have.

    Examples
    --------
    >>> pairs = pairwise_masses([[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]], condensed=True)
    >>> pairs.together.tolist()
    [0.5, 0.5, 0.2]
    >>> pairs.both.tolist()
    [0.0, 0.0, 0.0]
    """
    check_flag(condensed, "condensed")
    read = as_partition(partition)
    n = read.n_objects
    cells = 4 * (n * (n - 1) // 2 if condensed else n * n)
    if cells > _MOST_CELLS:
        raise TooLargeError(
            "the masses of all pairs would not fit.",
            got=f"{n} objects, {cells} masses",
            need=f"at most {_MOST_CELLS} masses",
            fix="take(rows) of some objects, or an index, which needs no matrix: credal_rand",
        )
    relations = PairRelations.of(read if isinstance(read, FuzzyPartition) else read.to(EVIDENTIAL))
    if not condensed:
        return relations.between(slice(0, n), slice(0, n))
    made = PairMasses(*(np.empty(n * (n - 1) // 2) for _ in PairMasses._fields))
    done = 0
    for rows in blocks(n, _ROWS):
        later = np.arange(rows.start, n) > np.arange(rows.start, rows.stop)[:, None]
        count = int(later.sum())
        for target, tile in zip(made, relations.between(rows, slice(rows.start, n)), strict=True):
            target[done : done + count] = tile[later]
        done += count
    return made


@dataclass(frozen=True, eq=False)
class PairRelations:
    """Per object, the factors whose products are the masses of pairs: no matrix of pairs is kept.

    Attributes
    ----------
    masses : array (n, f)
        Masses of the focal sets, rows summing to one.
    sets : array (f, k) or None
        The focal sets; None when each column is one cluster.
    """

    masses: Floats
    sets: Array | None = None

    @classmethod
    def of(cls, partition: Partition) -> PairRelations:
        """The factors of a partition. Noise of a hard one is a cluster here, like any other."""
        if isinstance(partition, (HardPartition, FuzzyPartition)):
            values: Any = partition.memberships()
            made = cls(divided_by_row_sums(dense(values)))
        else:
            evidence: EvidentialPartition = partition.to(EVIDENTIAL)
            all_single = bool((evidence.cardinalities == 1).all())
            made = cls(
                divided_by_row_sums(dense(evidence.masses)), None if all_single else evidence.focal_sets
            )
            if not all_single and evidence.focal_sets.shape[0] ** 2 > _MOST_RELATIONS:
                raise TooLargeError(
                    "there are too many different sets of clusters.",
                    got=f"{evidence.focal_sets.shape[0]} focal sets",
                    need=f"at most {int(_MOST_RELATIONS**0.5)}",
                    fix=".pignistic() or .harden() first",
                )
        return made

    @property
    def is_bayesian(self) -> bool:
        """Whether all masses are on single clusters."""
        return self.sets is None

    @cached_property
    def single(self) -> Floats:
        """The masses of the single clusters."""
        return self.masses if self.sets is None else self.masses[:, self.sets.sum(axis=1) == 1]

    @cached_property
    def live(self) -> Floats:
        """For each object its mass on sets that are not empty."""
        if self.sets is None:
            return np.ones(len(self.masses))
        return np.asarray(1.0 - self.masses[:, self._is_empty].sum(axis=1))

    @cached_property
    def _is_empty(self) -> Array:
        assert self.sets is not None
        return np.asarray(self.sets.sum(axis=1) == 0)

    @cached_property
    def _shared(self) -> Array:
        """For each two focal sets the number of clusters they share."""
        assert self.sets is not None
        members = self.sets.astype(np.float64)
        return np.asarray(members @ members.T)

    @cached_property
    def disjoint(self) -> Floats:
        """For each object and set, its mass on non-empty sets that share nothing with the set."""
        if self.sets is None:
            return 1.0 - self.masses
        apart = (self._shared == 0) & ~self._is_empty & ~self._is_empty[:, None]
        return np.asarray(self.masses @ apart.astype(np.float64))

    @cached_property
    def overlapping(self) -> Floats:
        """For each object and set, its mass on sets that share a cluster but do not settle it."""
        if self.sets is None:
            return np.zeros_like(self.masses)
        one = self.sets.sum(axis=1) == 1
        undecided = (self._shared > 0) & ~(one & one[:, None])
        return np.asarray(self.masses @ undecided.astype(np.float64))

    def empty(self, rows: slice, columns: slice) -> Any:
        """Mass on the empty set, for each pair of these rows and columns."""
        return 1.0 - np.outer(self.live[rows], self.live[columns]) if not self.is_bayesian else 0.0

    def together(self, rows: slice, columns: slice) -> Floats:
        """Mass on "together", for each pair of these rows and columns."""
        return self.single[rows] @ self.single[columns].T

    def apart(self, rows: slice, columns: slice) -> Floats:
        """Mass on "apart", for each pair of these rows and columns."""
        return self.disjoint[rows] @ self.masses[columns].T

    def both(self, rows: slice, columns: slice) -> Any:
        """Mass on "together or apart", for each pair of these rows and columns."""
        return self.overlapping[rows] @ self.masses[columns].T if not self.is_bayesian else 0.0

    def between(self, rows: slice, columns: slice) -> PairMasses:
        """All four masses, for each pair of these rows and columns."""
        together = self.together(rows, columns)
        empty, both = (
            np.broadcast_to(m, together.shape).copy()
            for m in (self.empty(rows, columns), self.both(rows, columns))
        )
        return PairMasses(empty, together, self.apart(rows, columns), both)
