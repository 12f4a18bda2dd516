"""A clustering as the solvers take it: weights of clusters, or masses of sets, for each object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from partita.arrays import MOST_DENSE_CELLS, Array, dense
from partita.arrays.chunked import Chunked
from partita.distributional.table_index import TableIndex
from partita.errors import PartitionError, Phrase, Setting, TooLargeError
from partita.partitions import (
    EVIDENTIAL,
    FUZZY,
    HARD,
    POSSIBILISTIC,
    ROUGH,
    EvidentialPartition,
    HardPartition,
    Kind,
    Partition,
    RoughPartition,
)
from partita.partitions.chunked import ChunkedHard, InChunks
from partita.registry import Index

ROUNDING = 1e-9
"""Mass outside the empty set that rounding alone can leave."""

EMPTY = ("normalize", "cluster", "raise")
"""What to do with mass on the empty set."""


@dataclass(frozen=True, eq=False)
class Masses:
    """Masses ``(n, f)`` of each object on focal sets ``(f, k)``, none of them empty; rows sum to one."""

    masses: Array
    sets: Array


@dataclass(frozen=True, eq=False)
class Side:
    """One clustering, as the simplest kind that it is.

    Attributes
    ----------
    kind : Kind
        Bayesian masses are fuzzy, logical ones and typicalities of 0 and 1 rough, single choices hard.
    weights : (n, k) array, in chunks or not
        Memberships, typicalities, or 0 and 1; no columns for an evidential clustering.
    """

    kind: Kind
    weights: Any
    partition: Any
    empty: str

    @classmethod
    def of(cls, partition: Partition, empty: str) -> Side:
        """The side that a partition of any kind is; in chunks it stays there."""
        if isinstance(partition, InChunks):
            return cls(partition.kind, _weights_in_chunks(partition), partition, empty)
        if isinstance(partition, EvidentialPartition):
            focal = settled(partition, empty)
            kind, weights = _simplest_masses(focal)
            return cls(kind, weights, partition, empty)
        if isinstance(partition, HardPartition):
            if partition.n_objects * partition.n_clusters > MOST_DENSE_CELLS:
                raise TooLargeError(
                    "so many clusters do not fit.",
                    got=f"{partition.n_objects} objects in {partition.n_clusters} clusters",
                    need=f"at most {MOST_DENSE_CELLS} cells",
                )
            weights = np.zeros((partition.n_objects, partition.n_clusters))
            weights[np.arange(partition.n_objects), partition.codes] = 1.0
            return cls(HARD, weights, partition, empty)
        if isinstance(partition, RoughPartition):
            weights = partition.possible.astype(np.float64)
        else:
            weights = np.asarray(dense(partition.memberships()), dtype=np.float64)
        kind = partition.kind
        if kind is not FUZZY and (kind is ROUGH or np.isin(weights, (0.0, 1.0)).all()):
            kind = HARD if (weights.sum(axis=1) == 1).all() else ROUGH
        return cls(kind, weights, partition, empty)

    @cached_property
    def masses(self) -> Masses:
        """The same as masses on sets; typicalities as consonant ones."""
        if self.kind is ROUGH:
            sets, place = np.unique(self.weights > 0, axis=0, return_inverse=True)
            return Masses(np.eye(len(sets))[place.ravel()], sets)
        if self.kind in (HARD, FUZZY):
            return Masses(self.weights, np.eye(self.weights.shape[1], dtype=bool))
        return settled(self.partition.to(EVIDENTIAL), self.empty)

    @cached_property
    def n_possible(self) -> int:
        """How many clusters an object can be in at all; in chunks, how many there are."""
        if isinstance(self.weights, Chunked):
            return int(self.partition.n_clusters)
        some = self.weights > 0 if self.weights.shape[1] else self.masses.sets
        return int(some.any(axis=0).sum())

    @property
    def note(self) -> str:
        """What was done with mass on the empty set, in words."""
        if self.kind is POSSIBILISTIC or not isinstance(self.partition, EvidentialPartition):
            return ""
        mass = float(self.partition.empty_mass.mean())
        words = {"normalize": "divided out of each object", "cluster": "a cluster of its own"}
        return (
            f"mass on the empty set, {mass:.3g} of each object on average, is {words[self.empty]}"
            if mass
            else ""
        )


def _weights_in_chunks(partition: Any) -> Chunked:
    """Memberships in chunks; labels as yes and no for each cluster, which take an eighth of the room."""
    if isinstance(partition, ChunkedHard):
        k = partition.n_clusters
        return partition.coded().values.mapped(partial(_one_hot, k), tail=(k,), dtype=bool)  # type: ignore[no-any-return]
    values: Chunked = partition.values
    return values


def _one_hot(k: int, codes: Array) -> Array:
    return np.asarray(codes[:, None] == np.arange(k))


def base_index(index: str | Index, sides: Sequence[Any], n: int) -> TableIndex:
    """The index of the tables that two sides can make of ``n`` objects."""
    truth, found = (min(side.n_possible, n) for side in sides)
    return TableIndex.named(index, n, (truth, found))


def settled(partition: EvidentialPartition, empty: str) -> Masses:
    """Masses without the empty set, as ``empty`` says; sets without any mass are left away."""
    none = np.asarray(partition.empty_mass)
    masses, sets = partition.masses, partition.focal_sets
    if none.any() and empty == "raise":
        raise PartitionError(
            "there is mass on the empty set.",
            got=f"{int((none > 0).sum())} objects with up to {none.max():.3g}",
            need="no mass there, as empty='raise' demands",
            fix=Phrase(
                Setting("empty", "normalize"),
                " divides it out, ",
                Setting("empty", "cluster"),
                " makes it a cluster of its own",
            ),
        )
    if none.any() and empty == "cluster":
        sets = np.concatenate([sets, ~sets.any(axis=1, keepdims=True)], axis=1)
    elif none.any():
        kept = sets.any(axis=1)
        masses, sets = masses[:, kept], sets[kept]
        elsewhere = masses.sum(axis=1)
        nowhere = elsewhere <= ROUNDING
        if nowhere.any():
            raise PartitionError(
                "some objects have all their mass on the empty set.",
                got=f"{int(nowhere.sum())} objects, the first is {int(nowhere.argmax())}",
                need="some mass on a cluster for every object",
                fix=Phrase(
                    Setting("empty", "cluster"), ", or ", Setting("noise", "ignore"), " to leave them out"
                ),
            )
        masses = masses / elsewhere[:, None]
    used = np.flatnonzero(masses.any(axis=0))
    return Masses(masses[:, used], sets[used])


def _simplest_masses(focal: Masses) -> tuple[Kind, Array]:
    """Bayesian masses as memberships, logical ones as possible clusters."""
    is_one = focal.masses == 1.0
    if (focal.sets.sum(axis=1) == 1).all():
        weights = focal.masses @ focal.sets
        return HARD if is_one.any(axis=1).all() else FUZZY, weights
    if is_one.any(axis=1).all():
        return ROUGH, (is_one @ focal.sets).astype(np.float64)
    return EVIDENTIAL, np.zeros((len(is_one), 0))
