"""Records: dataclasses that are written to JSON, and read back by the types of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from types import UnionType
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

from partita.results.result import number, plain

__all__ = ["JsonRecord"]


@dataclass(frozen=True)
class JsonRecord:
    """A dataclass that JSON holds. Fields that are not printed are not written."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, as JSON holds them."""
        return dict(plain(self))

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Self:
        """The record that `to_dict` wrote; a field that was not written has its default."""
        made: Self = _read(cls, row)
        return made


def _read(kind: Any, value: Any) -> Any:
    """A written value as a field of this type holds it."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (some,) = (one for one in inner if one is not type(None))
        return None if value is None else _read(some, value)
    if origin is tuple:
        return tuple(_read(inner[0], one) for one in value)
    if origin is Mapping:
        return {name: _read(inner[1], one) for name, one in value.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        types = get_type_hints(kind)
        return kind(**{name: _read(types[name], one) for name, one in value.items()})
    return number(value) if kind is float else value
