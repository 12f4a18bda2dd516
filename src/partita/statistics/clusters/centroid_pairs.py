"""Two sets of centres: which is nearest to which, and what two clusterings of the same data share by that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from partita.arrays import Array, Floats, binary_exponent, blocks
from partita.errors import ParameterError
from partita.partitions import FUZZY, HARD, DataMatrix, HardPartition, Kind, Partition
from partita.statistics.clusters.moments import ClusterMoments
from partita.statistics.clusters.sparse_data import too_many_centers
from partita.statistics.protocol import OnBlock, Request, Statistic, Whole
from partita.statistics.tables.contingency import Contingency
from partita.statistics.tables.matchings import match_clusters, shared_objects

OF_MODELS = ("cluster_centers_", "means_")
"""Attributes in which fitted models keep their centres."""

MOST_PAIRS = 1 << 22
"""Pairs of centres that are sorted by distance: 2048 on each side."""

_TILE_CELLS = 1 << 20
_TIE = 1e-12  # distances that differ by less are ties, which rounding must not decide


@dataclass(frozen=True, eq=False)
class CentroidPair(Whole):
    """The centres of two clusterings, and where there is data, what each pair of clusters shares.

    Centres are means; those of a fuzzy clustering are weighted by squared memberships. Empty clusters have
    none. Nearest centres are those of smallest Euclidean distance; of equal ones the first.

    Attributes
    ----------
    truth, found : arrays (k, d), (k', d)
        The centres, seen from a common origin near them.
    table : Contingency or None
        How many objects each pair of clusters shares; None for bare centres.
    rows, columns : arrays (k,), (k',)
        Which row and column of the table belongs to each centre.
    """

    inputs: ClassVar[tuple[str, ...]] = ("X", "truth", "found")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})
    needs: ClassVar[Mapping[str, type[Statistic]]] = {
        "of_truth": ClusterMoments,
        "of_found": ClusterMoments,
        "shared": Contingency,
    }
    from_needs_alone: ClassVar[bool] = True

    truth: Floats
    found: Floats
    table: Contingency | None = None
    rows: Array | None = None
    columns: Array | None = None
    kinds: tuple[Kind, Kind] = (HARD, HARD)

    # --- making ----------------------------------------------------------------------------------------

    @staticmethod
    def pair_operations(X: Array, truth: Partition, found: Partition) -> float:  # noqa: ARG004 (the contract)
        """How many pairs of centres are looked at."""
        return float(truth.n_clusters) * float(found.n_clusters)

    @staticmethod
    def why_not_sparse(X: Any, truth: Partition, found: Partition) -> str:
        """Why the centres do not fit, or nothing."""
        return too_many_centers(X, truth) or too_many_centers(X, found)

    @classmethod
    def foundations(cls, **_given: Any) -> Mapping[str, Request]:
        """The moments of both clusterings, and their table."""
        of_truth = Request(ClusterMoments, sides=("X", "truth"))
        return {"of_truth": of_truth, "of_found": Request(ClusterMoments), "shared": Request(Contingency)}

    @classmethod
    def from_whole(
        cls,
        X: Array,
        truth: Partition,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        of_truth: ClusterMoments | None = None,
        of_found: ClusterMoments | None = None,
        shared: Contingency | None = None,
    ) -> CentroidPair:
        """From the data and two clusterings of it; what it stands on is made here where it is not given."""
        of_truth = of_truth or ClusterMoments.over_blocks(X, truth, weight=weight, on_block=on_block)
        of_found = of_found or ClusterMoments.over_blocks(X, found, weight=weight, on_block=on_block)
        here = of_truth.origins[of_truth.weights.argmax()]
        return cls(
            ((of_truth.origins - here) + of_truth.offsets)[of_truth.filled],
            ((of_found.origins - here) + of_found.offsets)[of_found.filled],
            shared or Contingency.over_blocks(truth, found, weight=weight),
            np.flatnonzero(of_truth.filled),
            np.flatnonzero(of_found.filled),
            (truth.kind, found.kind),
        )

    @classmethod
    def from_centers(cls, truth: Any, found: Any, X: Any = None) -> CentroidPair:
        """From two sets of centres, ``(k, d)`` and ``(k', d)``; with data, whose objects follow the nearest.

        Fitted models that have ``cluster_centers_`` or ``means_`` stand for these; columns of two frames are
        matched by name.

        Examples
        --------
        >>> pair = CentroidPair.from_centers([[0.0], [4.0]], [[0.5], [1.0]])
        >>> pair.nearest_found, pair.nearest_truth
        (array([0, 1]), array([0, 0]))
        """
        truth, found = (
            next((getattr(one, name) for name in OF_MODELS if hasattr(one, name)), one)
            for one in (truth, found)
        )
        sides = [_checked(truth, "truth"), _checked(_in_order_of(found, truth), "found")]
        if sides[0].shape[1] != sides[1].shape[1]:
            raise ParameterError(
                "the two sets of centres have other features.",
                got=f"{sides[0].shape[1]} and {sides[1].shape[1]} columns",
                need="as many on both sides",
            )
        if X is None:
            unit = binary_exponent(np.vstack(sides))
            truth, found = (np.ldexp(centers, -unit) for centers in sides)
            return cls(truth - truth[0], found - truth[0])
        data = DataMatrix(_in_order_of(X, truth))
        if data.shape[1] != sides[0].shape[1]:
            raise ParameterError(
                "the centres and the data have other features.",
                got=f"{sides[0].shape[1]} columns of centres, {data.shape[1]} of X",
                need="as many in all",
                parameter="X",
            )
        values = np.asarray(data.values, dtype=np.float64)
        unit = binary_exponent(np.vstack([*sides, values]))
        truth, found, values = (np.ldexp(one, -unit) for one in (*sides, values))
        here = truth[0]
        truth, found, values = truth - here, found - here, values - here
        parts = [
            HardPartition.from_codes(_nearest(values, centers), range(len(centers)))
            for centers in (truth, found)
        ]
        counts = Contingency.over_blocks(*parts)
        return cls(truth, found, counts, np.arange(len(truth)), np.arange(len(found)))

    # --- what it is ------------------------------------------------------------------------------------

    @property
    def n_truth(self) -> int:
        """The number of true centres."""
        return len(self.truth)

    @property
    def n_found(self) -> int:
        """The number of found centres."""
        return len(self.found)

    # --- nearest centres -------------------------------------------------------------------------------

    @cached_property
    def nearest_found(self) -> Array:
        """For each true centre the nearest found one."""
        return _nearest(self.truth, self.found)

    @cached_property
    def nearest_truth(self) -> Array:
        """For each found centre the nearest true one."""
        return _nearest(self.found, self.truth)

    @cached_property
    def orphans_found(self) -> int:
        """How many found centres are nearest to no true one: CI_1(truth, found)."""
        return self.n_found - int(np.unique(self.nearest_found).size)

    @cached_property
    def orphans_truth(self) -> int:
        """How many true centres are nearest to no found one: CI_1(found, truth)."""
        return self.n_truth - int(np.unique(self.nearest_truth).size)

    # --- shared objects --------------------------------------------------------------------------------

    @cached_property
    def shared_forward(self) -> Floats:
        """For each true cluster, how many objects it shares with the found one of nearest centre."""
        assert self.rows is not None
        assert self.columns is not None
        return self._shared(self.rows, self.columns[self.nearest_found], of_truth=True)

    @cached_property
    def shared_backward(self) -> Floats:
        """For each found cluster, how many objects it shares with the true one of nearest centre."""
        assert self.rows is not None
        assert self.columns is not None
        return self._shared(self.columns, self.rows[self.nearest_truth], of_truth=False)

    def _shared(self, own: Array, other: Array, *, of_truth: bool) -> Floats:
        assert self.table is not None
        sizes = self.table.row_sums if of_truth else self.table.column_sums
        partner = np.full(sizes.shape[-1], -1)
        partner[own] = other
        return np.asarray(shared_objects(self.table, partner, of_truth=of_truth)[own], dtype=np.float64)

    # --- pairs of centres ------------------------------------------------------------------------------

    @cached_property
    def unstable(self) -> int:
        """How many pairs of centres, the nearest paired first, are farther apart than their neighbours.

        Squared, their distance exceeds the product of each one's distance to the nearest of its own side.
        """
        from scipy.spatial.distance import cdist

        apart = cdist(self.truth, self.found)
        largest = apart.max()
        closeness = 2.0 * largest - apart if largest > 0 else np.ones_like(apart)
        paired = match_clusters(Contingency.zero(), matching="greedy", closeness=closeness).of_truth
        assert paired is not None
        allowed = _to_neighbour(self.truth) * _to_neighbour(self.found)[paired]
        squared = apart[np.arange(self.n_truth), paired] ** 2
        return int((squared > allowed * (1.0 + _TIE)).sum())


def _in_order_of(values: Any, first: Any) -> Any:
    """A frame with its columns in the order of those of another; anything else as it is."""
    own, wanted = (list(getattr(one, "columns", ())) for one in (values, first))
    if not own or not wanted or own == wanted:
        return values
    if sorted(map(str, own)) != sorted(map(str, wanted)):
        raise ParameterError(
            "the two sets of centres have other features.",
            got=f"columns {', '.join(map(str, wanted[:5]))} and {', '.join(map(str, own[:5]))}",
            need="the same columns",
        )
    return values[wanted]


def _checked(centers: Any, name: str) -> Floats:
    try:
        values = np.asarray(centers, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 2 or 0 in values.shape or not np.isfinite(values).all():
        raise ParameterError(
            f"the centres of {name} must be a table of numbers.",
            got=f"{type(centers).__name__} of shape {values.shape}",
            need="shape (k, d): a row for each centre, finite numbers",
        )
    return values


def _nearest(centers: Floats, others: Floats) -> Array:
    """For each centre the first of the nearest others."""
    from scipy.spatial.distance import cdist

    rounding = 8.0 * np.finfo(np.float64).eps * max(np.abs(centers).max(), np.abs(others).max())
    nearest = np.empty(len(centers), dtype=np.int64)
    for part in blocks(len(centers), max(1, _TILE_CELLS // len(others))):
        apart = cdist(centers[part], others)
        limit = apart.min(axis=1, keepdims=True) * (1.0 + _TIE) + rounding
        nearest[part] = (apart <= limit).argmax(axis=1)
    return nearest


def _to_neighbour(centers: Floats) -> Floats:
    """The distance of each centre to the nearest other one of the same set."""
    from scipy.spatial.distance import cdist

    nearest = np.empty(len(centers))
    for part in blocks(len(centers), max(1, _TILE_CELLS // len(centers))):
        apart = cdist(centers[part], centers)
        apart[np.arange(len(apart)), np.arange(part.start, part.stop)] = np.inf
        nearest[part] = apart.min(axis=1)
    return nearest


def orphans_of(pair: CentroidPair, way: str = "symmetric") -> Floats:
    """How many clusters are nearest, by their centres, to none of the other side; ``way`` as below."""
    forward, backward = pair.orphans_found, pair.orphans_truth
    chosen = {"symmetric": max(forward, backward), "forward": forward, "backward": backward}[way]
    return np.asarray(chosen, dtype=np.float64)


def orphans_by_overlap(table: Contingency, way: str = "symmetric") -> Floats:
    """How many clusters are most alike, by Jaccard's overlap, to none of the other side; one for each table.

    "forward" counts found clusters, "backward" true ones, "symmetric" takes the larger.
    """
    matched = match_clusters(table, "jaccard", "two_way")
    assert matched.of_truth is not None
    assert matched.of_found is not None
    forward = table.n_columns - _distinct(matched.of_truth, table.column_sums.shape[-1])
    backward = table.n_rows - _distinct(matched.of_found, table.row_sums.shape[-1])
    chosen = {"symmetric": np.maximum(forward, backward), "forward": forward, "backward": backward}[way]
    return np.asarray(chosen, dtype=np.float64)


def _distinct(partner: Array, others: int) -> Array:
    """How many different partners there are, -1 not counted."""
    *stack, size = partner.shape
    places = np.where(partner < 0, others, partner).reshape(-1, size)
    met = np.zeros((len(places), others + 1), dtype=bool)
    met[np.arange(len(places))[:, None], places] = True
    return np.asarray(met[:, :others].sum(axis=-1).reshape(stack))
