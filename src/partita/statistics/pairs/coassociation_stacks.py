"""The moments of many pairs of clusterings of the same objects, made together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from partita.arrays import Array, Floats, dense, held
from partita.partitions import HARD, Partition
from partita.statistics.pairs.coassociation import PairMoments
from partita.statistics.pairs.coassociation_factors import (
    EXTRA,
    fitting,
    from_origin,
    shares,
    triangle,
    with_sums_of_one,
)
from partita.statistics.pairs.coassociation_gaps import CoassociationGaps, hold_bounds
from partita.statistics.pairs.object_pairs import number_of_pairs
from partita.statistics.pairs.shuffles import ShuffledGaps, multiplicities_of_pairs, products_of_all_pairs

MOST_OBJECTS = 2048
"""Objects up to which many pairs at once are faster than one after the other."""

MOST_VALUES = 1 << 24
"""Co-associations of all clusterings that are held at once: 128 MiB; sorted too, two or three times that."""

_CELLS_AT_ONCE = 1 << 21


def pairs_at_once(n_objects: int, n_clusters: int) -> int:
    """How many pairs of clusterings of so many clusters, both sides together, one stack may hold."""
    return max(1, _CELLS_AT_ONCE // (n_objects * (EXTRA + n_clusters)))


def moments_of_pairs(
    truths: Sequence[Partition], founds: Sequence[Partition], weight: Array | None
) -> PairMoments:
    """A stack ``(s,)`` of moments, of truths of one kind with founds of one kind."""
    (places, x, truth_origins), (other_places, y, found_origins) = _side(truths), _side(founds)
    k, others = x.shape[-1], y.shape[-1]
    rows = np.empty((len(truths), truths[0].n_objects, EXTRA + fitting(k + others)))
    rows[..., 0] = 1.0
    rows[..., 1] = (x * x).sum(axis=-1)[places]
    rows[..., 2] = (y * y).sum(axis=-1)[other_places]
    rows[..., EXTRA : EXTRA + k], rows[..., EXTRA + k :] = x[places], y[other_places]
    if weight is not None:
        rows *= np.sqrt(weight)[:, None]
    total = truths[0].n_objects if weight is None else weight.sum()
    return PairMoments(
        factor=triangle(rows),
        total=np.full(len(truths), total),
        kinds=(truths[0].kind, founds[0].kind),
        row_names=range(k),
        column_names=range(others),
        fractional_weights=weight is not None and weight.dtype.kind == "f",
        origins=(truth_origins[places], found_origins[other_places]),
    )


def _side(partitions: Sequence[Partition]) -> tuple[Array, Array, Array]:
    """For each its place among the distinct ones; their memberships as seen from an object, and its own.

    Those with fewer clusters than the largest have empty ones added.
    """
    distinct = {id(p): p for p in partitions}
    place = {key: i for i, key in enumerate(distinct)}
    k = max(p.n_clusters for p in distinct.values())
    rows = np.zeros((len(distinct), partitions[0].n_objects, k))
    origins = np.zeros((len(distinct), k))
    for i, partition in enumerate(distinct.values()):
        given = dense(partition.memberships())
        own = slice(0, given.shape[1])
        origins[i, own] = with_sums_of_one(given[:1])[0]
        rows[i, :, own] = from_origin(given, origins[i, own][None])
    return np.array([place[id(p)] for p in partitions]), rows, origins


class Coassociations:
    """The co-associations of some clusterings with rows that sum to one, each written out once.

    Parameters
    ----------
    members : sequence of Partition
        Hard or fuzzy clusterings of the same objects.
    weight : array, optional
        Multiplicities.
    """

    def __init__(self, members: Sequence[Partition], weight: Array | None) -> None:
        self.members, self.weight = members, weight
        self.place = {id(member): i for i, member in enumerate(members)}

    @staticmethod
    def fit(n_members: int, n_objects: int) -> bool:
        """Whether so many can be written out."""
        return n_members * (n_objects + 1) * n_objects // 2 <= MOST_VALUES

    @cached_property
    def values(self) -> Floats:
        """For each clustering those of all pairs of objects; with weights, of copies of an object too."""
        return np.stack([products_of_all_pairs(shares(member), self.weight) for member in self.members])

    @cached_property
    def _counts(self) -> Floats | None:
        return None if self.weight is None else multiplicities_of_pairs(self.weight)

    @cached_property
    def _sorted(self) -> tuple[Floats, Floats]:
        """The values in order, and before each the share of those below."""
        size = self.values.shape[1]
        if self._counts is None:
            return np.sort(self.values, axis=1), np.broadcast_to(
                np.arange(size + 1.0) / size, (len(self.values), size + 1)
            )
        order = np.argsort(self.values, axis=1, kind="stable")
        upto = np.zeros((len(order), size + 1))
        np.cumsum(self._counts[order], axis=1, out=upto[:, 1:])
        return np.take_along_axis(self.values, order, axis=1), upto / self._counts.sum()

    def _places(self, partitions: Sequence[Partition]) -> Array:
        return np.array([self.place[id(p)] for p in partitions])

    def gaps(
        self, truths: Sequence[Partition], founds: Sequence[Partition], moments: PairMoments
    ) -> CoassociationGaps:
        """The mean gaps of pairs of them; ``moments`` are those of the same pairs."""
        if HARD in moments.kinds:
            return CoassociationGaps.of_moments(moments, "linear")
        from partita.kernels.cross_gaps import sums_of_gaps

        pairs = number_of_pairs(truths[0].n_objects, self.weight)
        if pairs <= 0.0:
            none = np.where(moments.is_identical, 0.0, math.nan)
            return CoassociationGaps.of_moments(moments, "identical", none)
        places = self._places(truths), self._places(founds)
        counts = np.ones(self.values.shape[1]) if self._counts is None else self._counts
        sums = held(sums_of_gaps)(self.values, counts, *places)
        mean_gaps = np.where(moments.is_identical, 0.0, sums / pairs)
        hold_bounds(mean_gaps, moments)
        return CoassociationGaps.of_moments(moments, "tiles", mean_gaps)

    def shuffled(
        self, truths: Sequence[Partition], founds: Sequence[Partition], moments: PairMoments
    ) -> ShuffledGaps:
        """The mean gaps by chance of pairs of them."""
        if HARD in moments.kinds:
            return ShuffledGaps.of_moments(moments)
        if number_of_pairs(truths[0].n_objects, self.weight) <= 0.0:
            none = np.full(len(truths), math.nan)
            return ShuffledGaps(none, none, moments.kinds)
        from partita.kernels.cross_gaps import cross_gaps

        by_chance = held(cross_gaps)(*self._sorted, self._places(truths), self._places(founds))
        return ShuffledGaps(by_chance, by_chance, moments.kinds)
