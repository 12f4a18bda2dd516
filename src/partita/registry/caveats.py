"""What a reader must know about a value: words for people, and a kind for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from partita.errors import near_names

__all__ = ["Caveat", "CaveatKind", "join_caveats", "limit_caveat", "said"]


class CaveatKind(StrEnum):
    """What a caveat is about: the closed list."""

    UNDEFINED = "undefined"
    """There is no value, and why."""
    LIMIT = "limit"
    """A limit set the value, not the formula."""
    NOISE = "noise"
    """Nothing but noise is left."""
    SAMPLED = "sampled"
    """The value is an estimate from a sample."""
    METHOD = "method"
    """How the value came about, where that is not the usual way; it is no estimate."""
    EXACT_ENDS = "exact ends"
    """The lower and upper values are exact."""
    BOUND = "bound"
    """The lower and upper values are certified outer bounds."""
    SAMPLED_ENDS = "sampled ends"
    """The lower and upper values come from a sample."""
    INTERVAL = "interval"
    """What a reader must know of the sampling interval."""
    COVERAGE = "coverage"
    """The sampling interval holds the value of all objects less often than it says."""
    NOT_COMPUTED = "not computed"
    """Something was not computed, and why."""
    OWN = "own"
    """What the entry of the index says of every value."""
    CONSTANT = "constant"
    """Every clustering of this kind has this value."""
    HARDENED = "hardened"
    """The value is of hardened labels."""
    BOTH_DIRECTIONS = "both directions"
    """The value is a mean over both orders of the two clusterings."""
    NOT_REFLEXIVE = "not reflexive"
    """A clustering of this kind does not score best against itself."""
    REFLEXIVITY_UNKNOWN = "reflexivity unknown"
    """Nobody knows whether it does."""
    UNSORTED = "unsorted"
    """Read from a file that was written before caveats had kinds."""

    @classmethod
    def read(cls, name: str) -> CaveatKind:
        """The kind of that name; one that a later version wrote is refused."""
        if name not in {kind.value for kind in cls}:
            raise near_names(name, [kind.value for kind in cls], noun="kind of caveat")
        return cls(name)


@dataclass(frozen=True)
class Caveat:
    """One thing to know about a value."""

    kind: CaveatKind
    text: str

    def __str__(self) -> str:
        return self.text


def said(kind: CaveatKind, text: str) -> tuple[Caveat, ...]:
    """The caveat, or none where there is nothing to say."""
    return (Caveat(kind, text),) if text else ()


def limit_caveat(value: float, reason: str) -> tuple[Caveat, ...]:
    """What a limit that set this value says."""
    return said(CaveatKind.UNDEFINED if math.isnan(value) else CaveatKind.LIMIT, reason)


def join_caveats(caveats: Iterable[Caveat]) -> str:
    """All in one line."""
    return "; ".join(caveat.text for caveat in caveats)
