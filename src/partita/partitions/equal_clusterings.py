"""Equal clusterings: the same up to the names of the clusters; and plain labels of any clustering."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import TooLargeError
from partita.partitions.hard import HardPartition
from partita.partitions.partition import Partition

__all__ = ["equal_groups", "hard_labels"]


def equal_groups(partitions: Mapping[Any, Partition]) -> list[tuple[Any, ...]]:
    """The names, those of equal clusterings together: equal up to the names of the clusters."""
    groups: dict[Hashable, list[Any]] = {}
    soft: list[list[Any]] = []
    for name, partition in partitions.items():
        if isinstance(partition, HardPartition):
            labels = hard_labels(partition)
            _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
            rank = np.argsort(np.argsort(first, kind="stable"), kind="stable")
            signature = np.where(labels < 0, -1, rank[codes]).tobytes()
            groups.setdefault(signature, []).append(name)
            continue
        same = next((group for group in soft if _equivalent(partitions[group[0]], partition)), None)
        if same is None:
            soft.append([name])
        else:
            same.append(name)
    place = {name: i for i, name in enumerate(partitions)}
    return sorted(map(tuple, (*groups.values(), *soft)), key=lambda names: place[names[0]])


def _equivalent(one: Partition, other: Partition) -> bool:
    try:
        return one.equivalent(other)
    except TooLargeError:  # too many relabellings to try
        return False


def hard_labels(partition: Partition) -> Array:
    """The clusters of objects from 0 on, hardened where they are soft; -1 is noise."""
    hard = partition if isinstance(partition, HardPartition) else partition.harden()
    if hard.noise_mask is None:
        return hard.codes
    inside = ~hard.noise_mask
    labels = np.full(hard.n_objects, -1)
    labels[inside] = np.unique(hard.codes[inside], return_inverse=True)[1]
    return labels
