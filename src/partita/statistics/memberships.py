"""Sums over one clustering: cluster sizes and how soft its objects are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import entr

from partita.arrays import BLOCK_ROWS, HARD_BLOCK_ROWS, Array, is_sparse, sorted_names
from partita.partitions import (
    ALL,
    HARD,
    EvidentialPartition,
    HardPartition,
    Kind,
    MembershipPartition,
    Partition,
    RoughPartition,
    softest,
)
from partita.statistics.protocol import Additive


@dataclass(frozen=True, eq=False)
class MembershipMoments(Additive):
    """Cluster sizes, squared memberships, entropies and set sizes of one clustering, summed over objects.

    Attributes
    ----------
    sizes : array (k,)
        Column sums: counts, memberships, or plausibilities.
    squares : float
        Sum of squared memberships (masses for an evidential partition).
    entropies : float
        Sum over objects of the entropy of their memberships or masses, in nats.
    nonspecificities : float
        Sum over objects of the mean log size of their sets, in nats.
    total : float
        The number of objects, or the sum of their weights.
    """

    inputs: ClassVar[tuple[str, ...]] = ("found",)
    kinds_accepted: ClassVar[frozenset[Kind]] = ALL

    sizes: Array
    squares: Any
    entropies: Any
    nonspecificities: Any
    total: Any
    kind: Kind = HARD
    names: Sequence[Any] = ()

    @staticmethod
    def block_rows(found: Partition) -> int:
        """How many objects one block holds."""
        return HARD_BLOCK_ROWS if isinstance(found, HardPartition) else BLOCK_ROWS

    @classmethod
    def zero(cls) -> MembershipMoments:
        """The sums over no objects."""
        return cls(np.zeros(0), 0.0, 0.0, 0.0, 0)

    @classmethod
    def from_block(cls, found: Partition, weight: Array | None = None) -> MembershipMoments:
        """The sums over one block of objects."""
        total = found.n_objects if weight is None else weight.sum()
        if isinstance(found, HardPartition):
            labels = found.values.astype(np.int64) - found.low
            sizes = np.bincount(labels, weights=weight, minlength=found.span)
            return cls(sizes, float(total), 0.0, 0.0, total, found.kind, found.row_names)
        shares = _shares(found)
        each = np.ones(found.n_objects) if weight is None else np.asarray(weight, dtype=np.float64)
        squared = (
            shares.multiply(shares).sum(axis=1)
            if is_sparse(shares)
            else np.einsum("ij,ij->i", shares, shares)
        )
        sizes = (
            found.focal_sets.T @ (shares.T @ each)
            if isinstance(found, EvidentialPartition)
            else shares.T @ each
        )
        entropies = found.entropies() if not isinstance(found, MembershipPartition) else _entropies(shares)
        return cls(
            np.asarray(sizes, dtype=np.float64),
            float(each @ np.asarray(squared).ravel()),
            float(each @ entropies),
            float(each @ found.nonspecificities()),
            total,
            found.kind,
            found.names,
        )

    def __add__(self, other: MembershipMoments) -> MembershipMoments:
        """The sums over both sets of objects; clusters are matched by name."""
        if self.names == other.names:
            names: Sequence[Any] = self.names
            sizes = self.sizes + other.sizes
        else:
            merged: dict[Any, Any] = dict(zip(self.names, self.sizes, strict=True))
            for name, size in zip(other.names, other.sizes, strict=True):
                merged[name] = merged.get(name, 0.0) + size
            names = sorted_names(merged)
            sizes = np.array([merged[name] for name in names])
        return MembershipMoments(
            sizes,
            self.squares + other.squares,
            self.entropies + other.entropies,
            self.nonspecificities + other.nonspecificities,
            self.total + other.total,
            softest((self.kind, other.kind)),
            names,
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; always () here."""
        return np.shape(self.total)

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (self.kind,)

    @property
    def n_clusters(self) -> Array:
        """The number of clusters that are not empty."""
        return np.asarray((self.sizes > 0).sum(axis=-1))

    @property
    def size_entropy(self) -> Array:
        """The entropy of the cluster sizes, taken as shares of their sum, in nats."""
        return np.asarray(entr(self.sizes / self.sizes.sum(axis=-1)).sum(axis=-1))


def _shares(found: Partition) -> Any:
    """What each object gives to each cluster or focal set."""
    if isinstance(found, EvidentialPartition):
        return found.masses
    if isinstance(found, RoughPartition):
        return found.possible.astype(np.float64)
    assert isinstance(found, MembershipPartition)
    return found.block(slice(None))


def _entropies(shares: Any) -> Array:
    if is_sparse(shares):
        terms = shares.copy()
        terms.data = entr(terms.data)
        return np.asarray(terms.sum(axis=1)).ravel()
    return np.asarray(entr(shares).sum(axis=1))
