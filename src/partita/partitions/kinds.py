"""The five kinds of clustering, from the hardest to the softest."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from partita.errors import near_names


class Kind(StrEnum):
    """A kind of clustering; the order of the members is the order of softness."""

    HARD = "hard"
    FUZZY = "fuzzy"
    POSSIBILISTIC = "possibilistic"
    ROUGH = "rough"
    EVIDENTIAL = "evidential"

    @property
    def softness(self) -> int:
        """The place in the order from hard (0) to evidential (4)."""
        return _SOFTNESS[self]

    @classmethod
    def read(cls, name: Any) -> Kind:
        """The kind of that name; ``"probabilistic"`` and ``"crisp"`` are understood too."""
        spelled = str(name).lower()
        spelled = {"probabilistic": "fuzzy", "crisp": "hard"}.get(spelled, spelled)
        if spelled not in {k.value for k in cls}:
            raise near_names(str(name), [k.value for k in cls], noun="kind of clustering", parameter="kind")
        return cls(spelled)


_SOFTNESS = {kind: place for place, kind in enumerate(Kind)}

HARD, FUZZY, POSSIBILISTIC, ROUGH, EVIDENTIAL = Kind
ALL = frozenset(Kind)
SOFT = frozenset({FUZZY, POSSIBILISTIC})
"""The kinds whose memberships go into a table without being hard."""


def softest(kinds: Iterable[Kind]) -> Kind:
    """The softest of these kinds."""
    return max(kinds, key=_SOFTNESS.__getitem__)
