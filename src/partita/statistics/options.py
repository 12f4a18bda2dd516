"""The options of a statistic: a frozen dataclass whose annotations say what each may be."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints


@dataclass(frozen=True)
class Above:
    """A numeric option must be greater than this."""

    bound: float

    def holds(self, value: float) -> bool:
        """Whether the value is inside."""
        return value > self.bound

    def __str__(self) -> str:
        return f"above {self.bound:g}"


@dataclass(frozen=True)
class AtLeast:
    """A numeric option must be this or greater."""

    bound: float

    def holds(self, value: float) -> bool:
        """Whether the value is inside."""
        return value >= self.bound

    def __str__(self) -> str:
        return f"at least {self.bound:g}"


@dataclass(frozen=True)
class Below:
    """A numeric option must be less than this."""

    bound: float

    def holds(self, value: float) -> bool:
        """Whether the value is inside."""
        return value < self.bound

    def __str__(self) -> str:
        return f"below {self.bound:g}"


@dataclass(frozen=True)
class Inner:
    """An option that only statistics set which stand on this one; no index takes it."""


@dataclass(frozen=True)
class NoOptions:
    """A statistic without a choice."""


class Option(NamedTuple):
    """The default of an option, its annotation, and whether an index of the statistic takes it."""

    default: Any
    hint: Any
    is_inherited: bool


def options_of(owned: Any) -> dict[str, Option]:
    """The options in a dataclass of them, by name."""
    return _read(owned)


@cache
def _read(owned: Any) -> dict[str, Option]:
    hints = get_type_hints(owned, include_extras=True)
    return {
        field.name: Option(field.default, hints[field.name], Inner() not in _marks(hints[field.name]))
        for field in fields(owned)
    }


def _marks(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()
