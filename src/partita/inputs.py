"""What a caller gave, as partitions of the same objects: aligned, with weights and noise settled."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import KindError, ParameterError, PartitionError, Phrase, Setting
from partita.partitions import (
    HARD,
    DataMatrix,
    HardPartition,
    Kind,
    MembershipPartition,
    Partition,
    alignment_note,
    as_partition,
    is_mixture,
    same_objects,
)

__all__ = ["Inputs", "NOISE_POLICIES", "prepare"]

NOISE_POLICIES = ("cluster", "singletons", "ignore", "raise")


@dataclass(frozen=True)
class Inputs:
    """Clusterings of the same objects, aligned, with noise and weights settled."""

    partitions: Mapping[str, Partition]
    n_objects: int
    weight: Array | None = None
    coverage: float = 1.0
    dropped: int = 0
    notes: tuple[str, ...] = ()
    aligned: str = ""
    """What is said where objects were dropped; it is among the notes too."""
    frame: str | None = field(default=None, compare=False)
    X: DataMatrix | None = None
    model: Any = None

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of the clusterings, in their order."""
        return tuple(p.kind for p in self.partitions.values())

    def only(self, names: Collection[str]) -> Inputs:
        """The clusterings of these names, with the data; the clustering found stands for a model."""
        taken = {"found", *names} if "model" in names else names
        kept = {name: p for name, p in self.partitions.items() if name in taken}
        return self if len(kept) == len(self.partitions) else replace(self, partitions=kept)

    def hardened(self, *, keeps_model: bool = True) -> Inputs:
        """The same with every clustering hardened."""
        hard = {name: p.harden() for name, p in self.partitions.items()}
        return replace(self, partitions=hard, model=self.model if keeps_model else None)


def prepare(
    given: Mapping[str, Any], *, noise: str = "cluster", sample_weight: Any = None, metric: str = ""
) -> Inputs:
    """Turn what a caller gave into partitions of the same objects, jointly.

    Objects are aligned by index where all sides have one, and the noise policy is applied to all sides. With
    ``metric="precomputed"`` X holds distances between objects.
    """
    if not isinstance(noise, str) or noise not in NOISE_POLICIES:
        need = ", ".join(f'"{p}"' for p in NOISE_POLICIES)
        raise ParameterError("no such noise policy.", got=repr(noise), need=need, parameter="noise")
    X = given.get("X")
    sides: dict[str, Any] = (
        {"X": DataMatrix(X, are_distances=metric == "precomputed")} if "X" in given else {}
    )
    sides |= {name: as_partition(obj, X=X) for name, obj in given.items() if name != "X"}
    model = next((obj for name, obj in given.items() if name != "X" and is_mixture(obj)), None)
    if "model" in given and model is None:
        raise _no_mixture(given["model"])
    frame = next((p.frame for p in sides.values() if p.frame), None)
    notes = [f"{name}: {p.note}" for name, p in sides.items() if p.note]
    sides, weight, _, dropped = same_objects(sides, sample_weight)
    sides = {name: _crisp(p) for name, p in sides.items()}
    aligned = alignment_note(sides, dropped) if dropped else ""
    notes += [aligned] * bool(dropped)
    sides, weight, coverage, noise_notes = _settle_noise(sides, weight, noise)
    data = sides.pop("X", None)
    ready = {name: p.compacted() if isinstance(p, HardPartition) else p for name, p in sides.items()}
    nothing_left = noise == "ignore" and coverage == 0.0
    n = 0 if nothing_left else next(iter(ready.values())).n_objects
    return Inputs(
        ready, n, weight, coverage, dropped, tuple(notes + noise_notes), aligned, frame, data, model
    )


def _no_mixture(obj: Any) -> KindError:
    return KindError(
        "this index judges a fitted Gaussian mixture.",
        got=type(obj).__name__,
        need="a model with weights_, means_ and covariances_, such as scikit-learn's GaussianMixture",
        fix="fit one, or use partition_negentropy(X, found), which takes any hard or fuzzy partition",
    )


def _crisp(partition: Any) -> Any:
    """One-hot memberships as the hard partition they are, so that every index treats them alike."""
    if isinstance(partition, MembershipPartition) and partition.is_crisp:
        hard: HardPartition = partition.to(HARD)
        return hard
    return partition


# --- noise --------------------------------------------------------------------------------------------


def _settle_noise(
    partitions: dict[str, Any], weight: Array | None, policy: str
) -> tuple[dict[str, Any], Array | None, float, list[str]]:
    masks = {name: p.noise_mask for name, p in partitions.items()}
    noisy = {name: mask for name, mask in masks.items() if mask is not None}
    if not noisy:
        return partitions, weight, 1.0, []
    n = next(iter(partitions.values())).n_objects
    anywhere = np.zeros(n, dtype=bool)
    for mask in noisy.values():
        anywhere |= mask
    coverage = float(np.average(~anywhere, weights=weight))
    counts = ", ".join(f"{int(mask.sum())} in {name}" for name, mask in noisy.items())
    if policy == "raise":
        raise PartitionError(
            "there is noise.",
            got=f"noise objects: {counts}",
            need="no noise, as noise='raise' demands",
            fix=Phrase(Setting("noise", "cluster"), ', "singletons" or "ignore"'),
        )
    notes = [f'noise: {counts}; coverage {coverage:.1%}; policy "{policy}"']
    if policy == "ignore" and coverage > 0.0:
        kept = np.flatnonzero(~anywhere)
        partitions = {name: p.take(kept) for name, p in partitions.items()}
        weight = None if weight is None else weight[kept]
    elif policy == "singletons":
        if weight is not None:
            partitions, weight, masks = _repeat_noise(partitions, weight, anywhere)
        partitions = {name: _noise_as_singletons(name, p, masks[name]) for name, p in partitions.items()}
    return partitions, weight, coverage, notes


def _repeat_noise(
    partitions: dict[str, Any], weight: Array, anywhere: Array
) -> tuple[dict[str, Any], Array, dict[str, Array | None]]:
    """A noise object of weight 3 is three singletons: repeat it."""
    if weight.dtype.kind != "i":
        raise ParameterError(
            "a fraction of an object cannot be a singleton.",
            got="fractional weights on noise",
            need="whole-number weights",
            fix=Phrase(Setting("noise", "cluster"), ' or "ignore"'),
        )
    rows = np.repeat(np.arange(weight.size), np.where(anywhere, weight, 1))
    repeated = {name: p.take(rows) for name, p in partitions.items()}
    return repeated, np.where(anywhere, 1, weight)[rows], {name: p.noise_mask for name, p in repeated.items()}


def _noise_as_singletons(name: str, partition: Partition, mask: Array | None) -> Partition:
    if mask is None:
        return partition
    if not isinstance(partition, HardPartition):
        raise ParameterError(
            f"noise cannot become singletons in a {partition.kind} partition.",
            got=f"{name}: {partition!r}",
            need="a hard partition",
            fix=Phrase(Setting("noise", "ignore"), ", or harden() first"),
        )
    codes = partition.codes.copy()
    codes[mask] = partition.n_clusters + np.arange(int(mask.sum()))
    made = HardPartition(codes, index=partition.index)
    made.note, made.frame = partition.note, partition.frame
    return made
