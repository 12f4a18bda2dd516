"""What every clustering can do, whatever its kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from partita.arrays import Array, dense, generator
from partita.errors import KindError, MismatchError, ParameterError, PartitionError, Phrase, Setting
from partita.partitions.kinds import Kind

if TYPE_CHECKING:
    from partita.partitions.hard import HardPartition
    from partita.partitions.memberships import FuzzyPartition, PossibilisticPartition
    from partita.partitions.rough import RoughPartition


class Partition(ABC):
    """A clustering of ``n`` objects into ``k`` clusters; arrays are read-only, checked once, here.

    Attributes
    ----------
    names : tuple
        One name for each cluster (column). A cluster may be empty.
    index : object or None
        The objects' identifiers, where the input had some (a pandas index).
    note : str
        What was lost on the way here, for example by ``harden()``. Results print it.
    """

    kind: ClassVar[Kind]
    index: Any = None
    note: str = ""
    frame: str | None = None
    image_shape: tuple[int, ...] | None = None
    positions_among: int | None = None
    """Where the index holds positions, since some objects were left out: among how many."""
    order_counts: bool = False
    """Whether objects may be matched by their order too, though they have names (vertices of a graph)."""

    @property
    @abstractmethod
    def n_objects(self) -> int:
        """The number of objects."""

    @property
    @abstractmethod
    def names(self) -> tuple[Any, ...]:
        """One name for each cluster."""

    @property
    @abstractmethod
    def sizes(self) -> Array:
        """Objects in each cluster: counted, or summed by membership or plausibility."""

    @abstractmethod
    def take(self, rows: Any) -> Any:
        """The same clustering of some of the objects, given by positions, a mask or a slice."""

    @abstractmethod
    def entropies(self) -> Array:
        """For each object, the entropy of its memberships or masses (partial assignment), in nats."""

    @abstractmethod
    def nonspecificities(self) -> Array:
        """For each object, the mean log size of the sets it is assigned to (ambiguity), in nats."""

    def __len__(self) -> int:
        return self.n_objects

    @property
    def n_clusters(self) -> int:
        """The number of clusters, empty ones included."""
        return len(self.names)

    @property
    def row_names(self) -> Sequence[Any]:
        """Names for the rows of a table; a hard partition may list integers that do not occur."""
        return self.names

    @property
    def noise_mask(self) -> Array | None:
        """Which objects are noise, or None when there is none."""
        return None

    def memberships(self) -> Any:
        """The ``(n, k)`` matrix of memberships, for the kinds that have one."""
        raise KindError(
            f"{self.kind} partitions have no single membership matrix.",
            got=repr(self),
            need="a hard, fuzzy or possibilistic partition",
            fix=".pignistic() for probabilities, or .plausibility() for possibilities",
        )

    # --- how soft it is -------------------------------------------------------------------------

    @cached_property
    def ambiguity(self) -> float:
        """How undecided the sets are: mean non-specificity, from 0 (singletons) to 1 (all clusters)."""
        return float(np.mean(self.nonspecificities()) / np.log(max(self.n_clusters, 2)))

    @cached_property
    def partial_assignment(self) -> float:
        """How spread the memberships are: mean entropy, from 0 (one choice) to 1 (evenly over all)."""
        return float(np.mean(self.entropies()) / np.log(max(self._n_choices, 2)))

    @property
    def _n_choices(self) -> int:
        return self.n_clusters

    def _sizes_text(self) -> str:
        shown = [f"{size:.6g}" for size in self.sizes[:8]]
        return "[" + " ".join(shown) + (" ...]" if self.n_clusters > 8 else "]")

    def __repr__(self) -> str:
        parts = [f"n={self.n_objects}", f"k={self.n_clusters}", f"sizes={self._sizes_text()}"]
        empty = int(np.count_nonzero(np.asarray(self.sizes) == 0))
        if empty:
            parts.append(f"empty clusters={empty}")
        if self.noise_mask is not None:
            parts.append(f"noise={int(self.noise_mask.sum())}")
        parts.append(f"ambiguity={self.ambiguity:.3g}")
        parts.append(f"partial assignment={self.partial_assignment:.3g}")
        if self.note:
            parts.append(f"note={self.note!r}")
        return f"{type(self).__name__}({', '.join(parts)})"

    # --- conversions: see conversions.py ----------------------------------------------------------

    def to(self, kind: Kind | str) -> Any:
        """The same clustering as another kind, where that loses nothing.

        Hard goes into every kind; fuzzy, rough and possibilistic into evidential; and back where the
        values allow it (one-hot memberships are hard, logical masses rough, Bayesian masses fuzzy,
        consonant masses possibilistic). Anything else raises `KindError` naming the lossy ways.
        """
        from partita.partitions import conversions

        return conversions.to_kind(self, Kind.read(kind))

    def harden(self) -> HardPartition:
        """The cluster of largest membership (pignistic probability) for each object; ties go to the first."""
        from partita.partitions import conversions

        return conversions.harden(self)

    def pignistic(self) -> FuzzyPartition:
        """Probabilities that share every set's mass evenly among its clusters."""
        from partita.partitions import conversions

        return conversions.pignistic(self)

    def plausibility(self) -> PossibilisticPartition:
        """For each object and cluster, the mass of all sets that contain the cluster."""
        from partita.partitions import conversions

        return conversions.plausibility(self)

    def alpha_cut(self, alpha: float) -> RoughPartition:
        """The clusters of membership at least ``alpha`` for each object (fuzzy, possibilistic)."""
        from partita.partitions import conversions

        return conversions.alpha_cut(self, alpha)

    def lower(self) -> HardPartition:
        """The objects that surely belong to one cluster; the others become noise (rough, evidential)."""
        from partita.partitions import conversions

        return conversions.lower(self)

    def upper(self) -> RoughPartition:
        """The clusters each object may belong to (rough, evidential: its set of largest mass)."""
        from partita.partitions import conversions

        return conversions.upper(self)

    def equivalent(self, other: Any) -> bool:
        """Whether this and ``other`` are the same clustering up to the names of the clusters."""
        from partita.partitions import conversions

        return conversions.equivalent(self, other)

    # --- the clustering as a distribution over hard ones --------------------------------------------

    def sample(self, size: int, random_state: Any = None) -> Array:
        """Draw hard clusterings, shape ``(size, n)``, as positions in ``names``.

        Objects are drawn independently from their pignistic probabilities: memberships for a fuzzy
        partition, uniform completions for a rough one.
        """
        if not isinstance(size, (int, np.integer)) or isinstance(size, bool) or size < 1:
            raise ParameterError("size is not a number of draws.", got=repr(size), need="a whole number >= 1")
        probabilities = self.pignistic().memberships()
        steps = np.cumsum(dense(probabilities), axis=1)
        steps /= steps[:, -1:]
        rng = generator(random_state)
        drawn = np.empty((size, self.n_objects), dtype=np.int64)
        for row in drawn:
            row[:] = (rng.random((self.n_objects, 1)) >= steps).sum(axis=1)
        return drawn

    def columns_of(self, clustering: Any) -> Array:
        """For a hard clustering with this partition's names as labels, the column of each object's label."""
        from partita.partitions.hard import HardPartition
        from partita.partitions.reading import as_partition

        hard = as_partition(clustering)
        if not isinstance(hard, HardPartition):
            raise KindError(
                "a hard clustering is needed here.", got=repr(hard), need="one label for each object"
            )
        if hard.n_objects != self.n_objects:
            raise lengths_differ(self, hard)
        position = {name: i for i, name in enumerate(self.names)}
        in_use = [name for name, size in zip(hard.names, hard.sizes, strict=True) if size]
        unknown = [name for name in in_use if name not in position]
        if unknown:
            raise MismatchError(
                "the clustering has labels that this partition does not know.",
                got=f"labels {unknown[:5]}",
                need=f"labels among {list(self.names)[:10]}",
                fix="relabel the clustering, or give the partition names= when it is made",
            )
        return np.array([position.get(name, -1) for name in hard.names], dtype=np.int64)[hard.codes]


def lengths_differ(a: Partition, b: Partition) -> MismatchError:
    """The error for two clusterings of different numbers of objects."""
    return MismatchError(
        "the two clusterings do not have the same objects.",
        got=f"{a.n_objects} objects and {b.n_objects} objects",
        need="the same number of objects, in the same order",
        fix="give both as pandas Series or DataFrames with an index, and they are aligned by it",
    )


def normalise_names(names: Any, k: int | None = None) -> tuple[Any, ...]:
    """Names for ``k`` clusters (None: as many as there are names): those given, or their positions."""
    if names is None:
        return tuple(range(k or 0))
    try:
        given = tuple(names)
        distinct = len(set(given))
    except (TypeError, ValueError):  # NumPy raises ValueError for times without a unit
        given, distinct = (), -1
    if distinct < 0 or isinstance(names, (str, bytes)):
        raise PartitionError(
            Phrase(Setting("names"), " are not a list of hashable names."),
            got=repr(names)[:60],
            need="one name for each cluster",
        )
    if not len(given) == distinct == (distinct if k is None else k):
        raise PartitionError(
            "names do not fit the clusters.",
            got=f"{len(given)} names, {distinct} of them distinct",
            need=f"{len(given) if k is None else k} distinct names, one for each cluster",
        )
    return given


def row_selection(rows: Any, n: int) -> Any:
    """Check positions, a mask or a slice of objects; at least one must be chosen."""
    if isinstance(rows, slice):
        if not range(n)[rows]:
            raise _nothing_chosen()
        return rows
    try:
        chosen = np.asarray(rows)
    except ValueError:
        chosen = np.empty((), dtype=object)
    if chosen.dtype == bool and chosen.shape == (n,):
        if not chosen.any():
            raise _nothing_chosen()
        return chosen
    if chosen.ndim != 1 or (chosen.dtype.kind not in "iu" and chosen.size):
        raise ParameterError(
            "rows do not select objects.",
            got=f"array of shape {chosen.shape}, dtype {chosen.dtype}",
            need=f"positions below {n}, a mask of {n} booleans, or a slice",
        )
    if not chosen.size:
        raise _nothing_chosen()
    low, high = int(chosen.min()), int(chosen.max())
    if low < -n or high >= n:
        raise ParameterError(
            "rows reach past the objects.",
            got=f"position {low if low < -n else high}",
            need=f"positions below {n}",
        )
    return chosen.astype(np.intp)


def _nothing_chosen() -> ParameterError:
    return ParameterError("rows select no object.", got="an empty selection", need="at least one object")
