"""How much of each object belongs to each cluster, for any kind of clustering, as figures draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import RANGE_TOLERANCE, Array, Floats, dense, divided_by_row_sums, is_sparse
from partita.partitions import (
    EvidentialPartition,
    HardPartition,
    Partition,
    PossibilisticPartition,
    RoughPartition,
)
from partita.plots.names import plain_name
from partita.plots.palette import FAINT, NOISE_COLOUR, noise_name

__all__ = ["SURE", "SoftShares", "details", "finding", "soft_shares", "unsure_objects"]

SURE = 0.8
"""Objects with a smaller largest share are counted as unsure."""

NOISE = "noise"
"""How figures call it."""

MOST_NAMED = 4
"""Clusters whose sizes stand in a title one by one."""


@dataclass(frozen=True, eq=False)
class SoftShares:
    """Shares of objects in clusters: rows sum to one.

    Attributes
    ----------
    names : tuple of str
        One for each column, as figures write them.
    matrix : (n, k) array or CSR array
        Memberships, shares of typicalities, or pignistic probabilities; labels are ones.
    noise : int or None
        The column that is noise.
    word : str
        What a share is called.
    notes : tuple of str
        What was done to have shares.
    is_hard, is_rough : bool
        Whether each object is in one cluster; whether it is in one of several, unknown which.
    """

    names: tuple[str, ...]
    matrix: Any
    noise: int | None
    word: str
    notes: tuple[str, ...] = ()
    is_hard: bool = False
    is_rough: bool = False

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return int(self.matrix.shape[0])

    @cached_property
    def own(self) -> Array:
        """For each object the column of its largest share, the first of equals."""
        if not is_sparse(self.matrix):
            return np.asarray(self.matrix.argmax(axis=1))
        starts, cells = self.matrix.indptr, self.matrix.data
        below = cells < np.repeat(self.largest, np.diff(starts))
        columns = np.where(below, len(self.names), self.matrix.indices)
        return np.asarray(np.minimum.reduceat(columns, starts[:-1]))

    @cached_property
    def largest(self) -> Floats:
        """For each object its largest share."""
        if not is_sparse(self.matrix):
            return np.asarray(self.matrix.max(axis=1), dtype=np.float64)
        cells = self.matrix.data.astype(np.float64, copy=False)  # no row is empty
        return np.asarray(np.maximum.reduceat(cells, self.matrix.indptr[:-1]))

    @cached_property
    def is_noise(self) -> Array:
        """Which objects are more noise than anything else."""
        return np.zeros(self.n_objects, bool) if self.noise is None else self.own == self.noise

    @cached_property
    def sizes(self) -> Floats:
        """The sum of the shares of each column."""
        return np.asarray(self.matrix.sum(axis=0), dtype=np.float64).ravel()

    def at(self, rows: Any) -> Floats:
        """The shares of some objects."""
        return dense(self.matrix[rows])

    def means(self, runs: Array, count: int) -> Floats:
        """The mean shares of runs of objects, given for each object the run that it is in."""
        from scipy.sparse import csr_array

        n = self.n_objects
        inside = csr_array((np.ones(n), (runs, np.arange(n))), shape=(count, n))
        return dense(inside @ self.matrix) / np.bincount(runs, minlength=count)[:, None]

    def joined(self, most: int) -> SoftShares:
        """The same with no more than so many columns: the smallest are one, which is the last."""
        if len(self.names) <= most:
            return self
        last = self.sizes.argsort(kind="stable")[: len(self.names) - most + 1]
        rest = np.setdiff1d(last, [] if self.noise is None else [self.noise])
        kept = np.setdiff1d(np.arange(len(self.names)), rest)
        place = np.full(len(self.names), len(kept))
        place[kept] = np.arange(len(kept))
        from scipy.sparse import csr_array

        shape = (place.size, len(kept) + 1)
        to = csr_array((np.ones(place.size), (np.arange(place.size), place)), shape=shape)
        return replace(
            self,
            names=(*(self.names[j] for j in kept), f"{rest.size} smaller clusters"),
            matrix=self.matrix @ to,
            noise=None if self.noise is None else int(place[self.noise]),
            notes=(*self.notes, f"the {rest.size} smallest clusters are drawn as one"),
        )

    def colours(self, known: dict[str, str]) -> list[str]:
        """A colour for each column, by those of the clusters; noise, and clusters in one, are grey."""
        return [
            NOISE_COLOUR if j == self.noise else known.get(name, FAINT) for j, name in enumerate(self.names)
        ]


def soft_shares(partition: Partition, *, as_given: bool = False) -> SoftShares:
    """The shares of a clustering of any kind.

    Parameters
    ----------
    partition : Partition
        Typicalities are divided by their sum for each object; rough and evidential clusterings count by
        pignistic probabilities, and mass on the empty set is a column of noise.
    as_given : bool
        Leave typicalities as they are: rows need not sum to one then.
    """
    names = tuple(plain_name(name) for name in partition.names)
    noise = noise_name(partition)
    column = None if noise is None else partition.names.index(noise)
    if column is not None and NOISE not in names:
        names = (*names[:column], NOISE, *names[column + 1 :])
    if isinstance(partition, HardPartition):
        return SoftShares(names, _one_hot(partition), column, "membership", (), is_hard=True)
    if isinstance(partition, RoughPartition):
        shared = divided_by_row_sums(partition.possible)
        told = "pignistic probabilities: equal shares of the clusters that are possible"
        return SoftShares(names, shared, column, "pignistic probability", (told,), is_rough=True)
    if isinstance(partition, EvidentialPartition):
        return _of_masses(partition, names)
    values = partition.memberships()
    if isinstance(partition, PossibilisticPartition):
        if as_given:
            return SoftShares(names, values, column, "typicality")
        told = "typicalities, divided by their sum for each object"
        return SoftShares(names, divided_by_row_sums(values), column, "share of typicality", (told,))
    return SoftShares(names, values, column, "membership")


def _one_hot(partition: HardPartition) -> Any:
    from scipy.sparse import csr_array

    n = partition.n_objects
    return csr_array((np.ones(n), partition.codes, np.arange(n + 1)), shape=(n, partition.n_clusters))


def _of_masses(partition: EvidentialPartition, names: tuple[str, ...]) -> SoftShares:
    shared = partition.masses @ (partition.focal_sets / np.maximum(partition.cardinalities, 1)[:, None])
    notes = ("pignistic probabilities",)
    if not (partition.empty_mass > RANGE_TOLERANCE).any():
        return SoftShares(names, shared, None, "pignistic probability", notes)
    told = ("pignistic probabilities; mass on the empty set is noise",)
    matrix = np.column_stack([shared, partition.empty_mass])
    return SoftShares((*names, NOISE), matrix, len(names), "pignistic probability", told)


# --- what they come to, in words ---------------------------------------------------------------------------


def finding(shares: SoftShares) -> str:
    """The number of clusters, with their sizes or the number of objects that are unsure."""
    filled = _filled(shares)
    counted = f"{filled} cluster{'s' * (filled != 1)}" if filled or not shares.is_hard else "no cluster"
    return f"{counted}{' of ' if shares.is_hard and filled else '; '}{details(shares)}".removesuffix("; ")


def details(shares: SoftShares) -> str:
    """The sizes of hard clusters, or the number of objects that are unsure; then the noise."""
    n, noise = shares.n_objects, int(shares.is_noise.sum())
    mostly = "" if shares.is_hard else "mostly "
    beside = f"{noise:,} of {n:,} objects {'is' if noise == 1 else 'are'} {mostly}noise" if noise else ""
    unsure = 0 if shares.is_hard else unsure_objects(shares)
    if shares.is_hard:
        how = _sizes_told(shares) if _filled(shares) else ""
    elif unsure:
        how = f"{unsure:,} of {n:,} objects {_doubt(shares, unsure == 1)}"
    elif shares.is_rough:
        how = "for every object a single one is possible"
    else:
        how = f"every object belongs to its own by {SURE} or more"
    return "; ".join(filter(None, [how, beside]))


def _filled(shares: SoftShares) -> int:
    """The number of clusters that have objects; noise is none."""
    return sum(bool(size) for j, size in enumerate(shares.sizes.tolist()) if j != shares.noise)


def unsure_objects(shares: SoftShares) -> int:
    """How many objects belong to no cluster by `SURE`, and are not noise."""
    return int(np.sum((shares.largest < SURE) & ~shares.is_noise))


def _doubt(shares: SoftShares, is_one: bool) -> str:
    if shares.is_rough:
        return "may be in several of them"
    return f"{'belongs to its cluster' if is_one else 'belong to theirs'} by less than {SURE}"


def _sizes_told(shares: SoftShares) -> str:
    """The sizes of the clusters of a hard clustering that have objects."""
    sizes = [round(size) for j, size in enumerate(shares.sizes) if j != shares.noise and size]
    if len(set(sizes)) == 1 and len(sizes) > 1:
        return f"{sizes[0]:,} object{'s' * (sizes[0] != 1)} each"
    if len(sizes) <= MOST_NAMED:
        return f"{_listed(sizes)} object{'s' * (sizes != [1])}"
    return f"{min(sizes):,} to {max(sizes):,} objects"


def _listed(sizes: Sequence[int]) -> str:
    texts = [f"{size:,}" for size in sizes]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
