"""What an answer rests on, for programs: how strong it is, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

__all__ = ["Remark", "RemarkKind", "Strength", "remarks_of", "speak"]

Strength = Literal["clear", "weak", "contested", "no structure"]
"""How far an answer can be trusted."""


class RemarkKind(StrEnum):
    """What a remark is about: the closed list."""

    END_OF_RANGE = "end_of_range"
    """The best is the smallest or largest that was tried: it may lie beyond."""
    SCALE = "scale"
    """A few features make up the distances."""
    COLLAPSED = "collapsed"
    """A component of a mixture shrank to the variance that it cannot go below."""
    TINY_CLUSTERS = "tiny_clusters"
    """Clusters that are empty or hold one object."""
    NON_CONVEX = "non_convex"
    """Density sees other clusters than compactness does."""
    KIN = "kin"
    """Indices that agree are of one family."""
    NOISE = "noise"
    """Objects are in no cluster."""
    UNDEFINED = "undefined"
    """Something has no value."""
    SAMPLED = "sampled"
    """Something was estimated from a sample."""
    DUPLICATES = "duplicates"
    """Many objects are equal."""
    LOW_POWER = "low_power"
    """The test would often miss what is there."""


@dataclass(frozen=True)
class Remark:
    """One thing that speaks for caution, or that a reader must know."""

    kind: RemarkKind
    text: str

    def __str__(self) -> str:
        return self.text


def speak(kind: RemarkKind, text: str) -> tuple[Remark, ...]:
    """The remark, or none where there is nothing to say."""
    return (Remark(kind, text),) if text else ()


def remarks_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Remark, ...]:
    """The remarks that were written to a file."""
    return tuple(Remark(RemarkKind(row["kind"]), row["text"]) for row in rows)
