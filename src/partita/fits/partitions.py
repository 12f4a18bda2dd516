"""Partitions as named arrays, and back: what a checkpoint holds of a fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita.arrays import Array, dense
from partita.partitions import (
    EvidentialPartition,
    FuzzyPartition,
    HardPartition,
    Kind,
    Partition,
    PossibilisticPartition,
    RoughPartition,
)


def to_arrays(partition: Any) -> dict[str, Array]:
    """The values of a partition, and its kind."""
    kind = {"kind": np.array(partition.kind.value)}
    if isinstance(partition, HardPartition):
        return {**kind, "labels": np.asarray(_plain_labels(partition))}
    if isinstance(partition, RoughPartition):
        return {**kind, "possible": np.asarray(partition.possible)}
    if isinstance(partition, EvidentialPartition):
        return {**kind, "masses": partition.masses, "focal_sets": partition.focal_sets}
    return {**kind, "memberships": dense(partition.memberships())}


def from_arrays(arrays: Mapping[str, Array]) -> Partition:
    """The partition that `to_arrays` took apart."""
    kind = Kind.read(str(arrays["kind"]))
    if kind is Kind.HARD:
        return HardPartition(arrays["labels"])
    if kind is Kind.ROUGH:
        return RoughPartition(arrays["possible"])
    if kind is Kind.EVIDENTIAL:
        return EvidentialPartition(arrays["masses"], arrays["focal_sets"])
    made = FuzzyPartition if kind is Kind.FUZZY else PossibilisticPartition
    return made(arrays["memberships"])


def cluster_numbers(partition: Partition) -> Array:
    """The cluster of each object as a number from 0 on, hardened where it is soft; -1 is noise.

    Clusters without an object have no number.
    """
    names, codes = np.unique(_plain_labels(partition.harden()), return_inverse=True)
    return np.asarray(codes - (names[0] < 0))


def _plain_labels(partition: HardPartition) -> Array:
    """Whole numbers; -1 for noise. Clusters without an object are not kept."""
    mask = partition.noise_mask
    return partition.codes if mask is None else np.where(mask, -1, partition.codes)
