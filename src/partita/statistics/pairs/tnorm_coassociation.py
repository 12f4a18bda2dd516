"""Co-associations under a t-norm other than the product: how they differ over all pairs of objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import FUZZY, HARD, HardPartition, Kind, Partition
from partita.partitions.tnorms import shared_degrees, tnorm_of
from partita.statistics.chunked_objects import ChunkedObjects, Weighed
from partita.statistics.pairs.coassociation import WHY_NOT, PairMoments
from partita.statistics.pairs.coassociation_factors import shares
from partita.statistics.pairs.object_pairs import (
    both_hard,
    is_relabelling,
    is_relabelling_of_chunks,
    number_of_pairs,
    pairs_among,
    sum_over_pairs,
)
from partita.statistics.protocol import OnBlock, Whole
from partita.statistics.tables.contingency import Contingency

CONSTANT = 1e-24
"""A variance this small beside the squared mean is rounding, and is taken for 0."""


@dataclass(frozen=True)
class CoassociationOptions:
    """How memberships are joined, and the co-associations of both clusterings."""

    tnorm: Literal["product", "minimum", "lukasiewicz"] = "product"


@dataclass(frozen=True, eq=False)
class TNormCoassociations(Whole):
    """Means over all pairs of objects, with a (truth) and b (found) the sums over clusters of T(u_i, u_j).

    ``a and b`` is T(a, b), and ``a or b`` is a + b - T(a, b), as for all of Frank's t-norms. Every pair is
    visited twice; for two hard clusterings the table is enough, whatever the t-norm.

    Attributes
    ----------
    together : float
        The mean of |a - b|.
    squared_gap : float
        The mean of (a - b)^2.
    mean_truth, mean_found, mean_both : floats
        The means of a, b and T(a, b).
    variance_truth, variance_found, correlation_distance : floats
        Variances of a and b, and one minus their correlation.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    options: ClassVar[type[Any]] = CoassociationOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})
    why_not: ClassVar[str] = WHY_NOT

    together: Any
    squared_gap: Any
    mean_truth: Any
    mean_found: Any
    mean_both: Any
    variance_truth: Any
    variance_found: Any
    correlation_distance: Any
    kinds: tuple[Kind, Kind]
    n: Floats
    is_identical: Array
    shape: tuple[int, ...] = ()
    is_whole: Any = False

    @property
    def moments(self) -> Self:
        """Itself: it has the linear sums too."""
        return self

    @property
    def values(self) -> Self:
        """Itself: it has the means and variances too."""
        return self

    @property
    def pairs(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Sums over pairs of: together in both, in truth only, in found only, in neither."""
        both, truth, found = self.mean_both, self.mean_truth, self.mean_found
        shared = (both, truth - both, found - both, 1.0 - truth - found + both)
        number = pairs_among(self.n)
        return tuple(np.asarray(number * share) for share in shared)  # type: ignore[return-value]

    @property
    def disagreement(self) -> Floats:
        """The mean of a + b - 2 T(a, b)."""
        return np.asarray(self.mean_truth + self.mean_found - 2.0 * self.mean_both)

    @classmethod
    def from_table(cls, table: Contingency, **_: Any) -> TNormCoassociations:
        """Of hard tables, one or a stack, on which all t-norms agree."""
        moments = PairMoments.from_table(table)
        v = moments.values
        with np.errstate(invalid="ignore", divide="ignore"):
            both = moments.pairs[0] / moments.n_pairs
            gap = moments.disagreement
        return cls(
            gap,
            gap,
            v.mean_truth,
            v.mean_found,
            both,
            v.variance_truth,
            v.variance_found,
            v.correlation_distance,
            table.kinds,
            table.n,
            table.is_relabelling,
            table.shape,
            table.is_whole,
        )

    @classmethod
    def from_whole(
        cls,
        truth: Partition,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        tnorm: str = "product",
    ) -> TNormCoassociations:
        """The means over all pairs of objects."""
        if both_hard(truth, found):
            return cls.from_table(Contingency.over_blocks(truth, found, weight=weight))
        number = number_of_pairs(truth.n_objects, weight)
        total = Weighed.of(found, weight=weight).total

        def sums(centre: tuple[float, float] | None) -> Floats:
            return _sums(truth, found, weight, tnorm=tnorm, centre=centre, on_block=on_block)

        return cls._of(sums, number, total, (truth.kind, found.kind), is_relabelling(truth, found))

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        truth: Partition,
        found: Partition,
        on_block: OnBlock = None,
        *,
        tnorm: str = "product",
    ) -> TNormCoassociations:
        """The same of objects in chunks."""
        total = objects.weighed.total

        def sums(centre: tuple[float, float] | None) -> Floats:
            return np.asarray(
                objects.sum_over_pairs(partial(_sums, tnorm=tnorm, centre=centre), np.add, on_block)
            )

        same = is_relabelling_of_chunks(objects, truth, found)
        return cls._of(sums, pairs_among(total), total, (truth.kind, found.kind), same)

    @classmethod
    def _of(
        cls, sums: Any, number: Any, total: Any, kinds: tuple[Kind, Kind], same: Any
    ) -> TNormCoassociations:
        """From the sums over pairs, first as they are, then about their means."""
        with np.errstate(invalid="ignore", divide="ignore"):
            pairs = np.float64(number)
            gap, squared, a, b, both = sums(None) / pairs
            truth, found, between = sums((float(a), float(b))) / pairs
            truth, found = (
                0.0 if variance <= CONSTANT * mean**2 else variance
                for variance, mean in ((truth, a), (found, b))
            )
            widths = np.sqrt(truth), np.sqrt(found)
            apart = np.maximum(between - (widths[0] - widths[1]) ** 2, 0.0)
            correlation = np.divide(apart, 2.0 * widths[0] * widths[1])
        return cls(
            together=np.asarray(gap),
            squared_gap=np.asarray(squared),
            mean_truth=np.asarray(a),
            mean_found=np.asarray(b),
            mean_both=np.asarray(both),
            variance_truth=np.asarray(truth),
            variance_found=np.asarray(found),
            correlation_distance=np.asarray(correlation),
            kinds=kinds,
            n=np.asarray(total, dtype=np.float64),
            is_identical=np.asarray(same),
        )

    @staticmethod
    def pair_operations(truth: Partition, found: Partition, **_options: Any) -> float:
        """Pairs times clusters, twice; none where the table tells all."""
        if both_hard(truth, found):
            return 0.0
        clusters = sum(1 if isinstance(p, HardPartition) else p.n_clusters for p in (truth, found))
        return float(2.0 * number_of_pairs(truth.n_objects, None) * (clusters + 4))


def _sums(
    truth: Partition,
    found: Partition,
    weight: Array | None,
    split: int | None = None,
    *,
    tnorm: str,
    centre: tuple[float, float] | None,
    on_block: OnBlock = None,
) -> Floats:
    """Sums over pairs of |a - b|, (a - b)^2, a, b, T(a, b); or of squares about the given means."""
    join = tnorm_of(tnorm)
    u, v = shares(truth), shares(found)

    def of_tile(rows: slice, columns: slice) -> list[Floats]:
        a = shared_degrees(u[rows], u[columns], tnorm)
        b = shared_degrees(v[rows], v[columns], tnorm)
        if centre is None:
            return [np.abs(a - b), (a - b) ** 2, a, b, join(a, b)]
        a, b = a - centre[0], b - centre[1]
        return [a * a, b * b, (a - b) ** 2]

    return sum_over_pairs(of_tile, truth.n_objects, weight, on_block, split)
