"""Evidential (credal) clusterings: for each object a mass function on sets of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import entr

from partita.arrays import Array, read_only
from partita.errors import MismatchError, PartitionError
from partita.partitions.kinds import EVIDENTIAL, Kind
from partita.partitions.memberships import dense_array, numeric_matrix, survey_rows
from partita.partitions.object_sets import hold_masses, items_of, mass_matrix
from partita.partitions.partition import Partition, normalise_names, row_selection

_MOST_CLUSTERS = 1 << 16
"""A larger position in a focal set is an identifier, not a position."""


class EvidentialPartition(Partition):
    """Masses on sets of clusters that sum to one for each object; mass on the empty set is noise.

    Parameters
    ----------
    masses : (n, f) array, or list of mappings
        For each object the mass of each focal set; as mappings from sets to masses, one for each object:
        ``{("a",): 0.7, ("a", "b"): 0.3}``.
    focal_sets : (f, k) array of 0 and 1, or a list of sets of cluster positions (or names), optional
        Which clusters each focal set contains; no set twice. Not for mappings, which name them.
    names : sequence, optional
        One name for each cluster; their positions by default.

    Examples
    --------
    >>> EvidentialPartition([[0.7, 0.0, 0.3]], [{0}, {1}, {0, 1}])
    EvidentialPartition(n=1, k=2, sizes=[0.7..1 0..0.3], ambiguity=0.3, partial assignment=0.556)
    >>> EvidentialPartition([{("a",): 0.7, ("a", "b"): 0.3}, {("b",): 1.0}]).names
    ('a', 'b')
    """

    kind: ClassVar[Kind] = EVIDENTIAL

    def __init__(
        self, masses: Any, focal_sets: Any = None, *, names: Sequence[Any] | None = None, index: Any = None
    ) -> None:
        items = items_of(masses) if focal_sets is None else None
        if items is not None and hold_masses(items):
            masses, focal_sets, names = mass_matrix(items, names)
        matrix = numeric_matrix(dense_array(masses))
        sets = _focal_matrix(focal_sets, names)
        if sets.shape[0] != matrix.shape[1]:
            raise PartitionError(
                "there are masses on unknown focal sets.",
                got=f"masses of shape {matrix.shape} and {sets.shape[0]} focal sets",
                need="one focal set for each column of masses",
            )
        distinct = np.unique(sets, axis=0)
        if distinct.shape[0] != sets.shape[0]:
            raise PartitionError(
                "focal sets repeat.",
                got=f"{sets.shape[0]} focal sets, {distinct.shape[0]} of them distinct",
                need="every focal set once",
                fix="add up the columns of masses that belong to the same set",
            )
        survey = survey_rows(matrix)
        survey.raise_if_out_of_range(matrix, range(matrix.shape[1]))
        if survey.n_off:
            raise PartitionError(
                "masses do not sum to one.",
                got=f"masses of shape {matrix.shape}; row {survey.first_off} sums to {survey.first_sum:.6g} "
                f"({survey.n_off} rows are off by more than {survey.tolerance:g})",
                need=f"every row sum = 1 within {survey.tolerance:g}; mass on the empty set counts",
            )
        self._set(survey.clipped(matrix), sets, normalise_names(names, sets.shape[1]), index)

    @classmethod
    def trusted(cls, masses: Array, focal_sets: Array, names: tuple[Any, ...]) -> EvidentialPartition:
        """A partition from masses that are known to be right."""
        made = cls.__new__(cls)
        made._set(masses, focal_sets, names, None)
        return made

    def _set(self, masses: Array, focal_sets: Array, names: tuple[Any, ...], index: Any) -> None:
        self.masses = read_only(masses.astype(np.float64, copy=False))
        self.focal_sets = read_only(focal_sets)
        self._names = names
        self.index = index

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return int(self.masses.shape[0])

    @property
    def names(self) -> tuple[Any, ...]:
        """One name for each cluster."""
        return self._names

    @cached_property
    def cardinalities(self) -> Array:
        """The number of clusters in each focal set."""
        return read_only(self.focal_sets.sum(axis=1))

    @cached_property
    def empty_mass(self) -> Array:
        """For each object its mass on the empty set."""
        return read_only(self.masses[:, self.cardinalities == 0].sum(axis=1))

    @cached_property
    def sizes(self) -> Array:
        """The sum of the plausibilities of each cluster."""
        return read_only(self.masses.sum(axis=0) @ self.focal_sets)

    @cached_property
    def lower_sizes(self) -> Array:
        """The sum of the masses on each cluster alone."""
        single = self.cardinalities == 1
        return read_only(self.masses[:, single].sum(axis=0) @ self.focal_sets[single])

    def _sizes_text(self) -> str:
        shown = [f"{a:.5g}..{b:.5g}" for a, b in zip(self.lower_sizes[:8], self.sizes[:8], strict=True)]
        return "[" + " ".join(shown) + (" ...]" if self.n_clusters > 8 else "]")

    @cached_property
    def noise_mask(self) -> Array | None:
        """Which objects have their largest mass on the empty set, or None when there are none."""
        empty = self.cardinalities == 0
        if not empty.any():
            return None
        mask = self.masses.argmax(axis=1) == int(empty.argmax())
        return read_only(mask) if mask.any() else None

    def take(self, rows: Any) -> EvidentialPartition:
        """The same clustering of some of the objects."""
        chosen = row_selection(rows, self.n_objects)
        index = None if self.index is None else self.index[chosen]
        made = EvidentialPartition.trusted(self.masses[chosen], self.focal_sets, self.names)
        made.index, made.note, made.frame = index, self.note, self.frame
        return made

    def entropies(self) -> Array:
        """For each object, the entropy of its masses in nats."""
        return np.asarray(entr(self.masses).sum(axis=1))

    def nonspecificities(self) -> Array:
        """For each object, the mean log size of its focal sets in nats (the empty set adds nothing)."""
        return np.asarray(self.masses @ np.log(np.maximum(self.cardinalities, 1)))

    @property
    def _n_choices(self) -> int:
        return len(self.cardinalities)

    def mass_of(self, rough: Any, *, log: bool = False) -> float:
        """The mass of a rough clustering: the product of its sets' masses over all objects.

        ``rough`` is a `RoughPartition` with the same clusters, or a hard clustering with this
        partition's names as labels. ``log=True`` gives the natural logarithm, which does not underflow.
        """
        from partita.partitions.rough import RoughPartition

        if isinstance(rough, RoughPartition):
            if rough.names != self.names or rough.n_objects != self.n_objects:
                raise MismatchError(
                    "the rough clustering is about other objects or clusters.",
                    got=f"{rough.n_objects} objects, clusters {list(rough.names)[:6]}",
                    need=f"{self.n_objects} objects, clusters {list(self.names)[:6]}",
                )
            sets = rough.possible
        else:
            sets = np.eye(self.n_clusters, dtype=bool)[self.columns_of(rough)]
        column = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(self.focal_sets))}
        columns = np.array([column.get(row.tobytes(), -1) for row in np.ascontiguousarray(sets)])
        mass = np.where(columns < 0, 0.0, self.masses[np.arange(self.n_objects), columns])
        with np.errstate(divide="ignore"):
            total = float(np.log(mass).sum())
        return total if log else float(np.exp(total))


def _focal_matrix(focal_sets: Any, names: Sequence[Any] | None) -> Array:
    """Focal sets as an ``(f, k)`` boolean matrix, from a 0/1 matrix or from sets of clusters."""
    if focal_sets is None:
        raise PartitionError(
            "masses need their focal sets.",
            got="no focal sets",
            need="focal_sets=, an (f, k) matrix of 0 and 1",
        )
    if isinstance(focal_sets, (list, tuple)) and any(isinstance(s, (set, frozenset)) for s in focal_sets):
        return _from_sets(focal_sets, names)
    try:
        matrix = dense_array(focal_sets)
    except PartitionError:
        matrix = np.empty(0, dtype=object)
    is_matrix = matrix.ndim == 2 and 0 not in matrix.shape and matrix.dtype.kind in "biuf"
    if not is_matrix or not np.isin(matrix, (0, 1)).all():
        raise PartitionError(
            "these are not focal sets.",
            got=f"{type(focal_sets).__name__} of shape {matrix.shape}, dtype {matrix.dtype}",
            need="an (f, k) matrix of 0 and 1, or a list of sets of cluster positions",
            fix="[{0}, {1}, {0, 1}] for the sets themselves",
        )
    return matrix.astype(bool)


def _from_sets(focal_sets: Sequence[Any], names: Sequence[Any] | None) -> Array:
    """Sets of names where names are given and all members are among them, else of positions."""
    odd = [s for s in focal_sets if not isinstance(s, (set, frozenset))]
    if odd:
        raise PartitionError(
            "a focal set is not a set of clusters.",
            got=repr(odd[0])[:60],
            need="a set for every column of masses",
        )
    members = frozenset().union(*focal_sets)
    known: Sequence[Any] = () if names is None else normalise_names(names)
    if names is None or not members <= frozenset(known):
        positions = [int(m) for m in members if isinstance(m, (int, np.integer)) and m >= 0]
        k = len(known) if names is not None else 1 + max(positions, default=0)
        unknown = [m for m in members if m not in range(k)]
        if unknown or k > _MOST_CLUSTERS:
            raise PartitionError(
                "a focal set has a cluster that is not known.",
                got=f"{unknown[:5] or [max(positions)]}",
                need=f"names among {list(known)[:10]}, or positions from 0" if known else "positions from 0",
                fix=None if known else "names= when the sets hold names",
            )
        known = range(k)
    return np.array([[name in s for name in known] for s in focal_sets], dtype=bool)
