"""Records: dataclasses that are written to JSON, and read back by the types of their fields."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, wraps
from types import UnionType
from typing import Any, Literal, ParamSpec, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from partita.errors import ParameterError, PartitaError
from partita.results.result import Result, number, plain

__all__ = ["JsonRecord", "read_back"]

P = ParamSpec("P")
R = TypeVar("R")

DERIVED = ("statement", "method")
"""Entries that may be worded otherwise by another version: they are texts, and not compared."""

UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""The errors of code that meets other data than it was written for."""


# --- refusing what was not written ------------------------------------------------------------------------


def read_back(read: Callable[P, R]) -> Callable[P, R]:
    """A ``from_dict`` that takes what `to_dict` wrote, and refuses all else with the place that is wrong.

    What was read must have the types of its fields, write the same again, and print. An entry that an older
    version did not write may be missing.
    """
    plain_read: Any = read

    @wraps(read)
    def from_dict(cls: Any, data: Any) -> Any:
        if cls.from_dict.__func__ is not from_dict:
            return plain_read(cls, data)  # for the from_dict of a subclass, which checks the whole
        if not isinstance(data, Mapping):
            raise _unlike(cls, "a dictionary", type(data).__name__)
        try:
            made = plain_read(cls, data)
            for place, got, need in (*_of_other_type(made), *_differences(data, made.to_dict())):
                raise _unlike(cls, need, f"{place}: {got}")
            if isinstance(made, Result):
                made.text(80)
        except PartitaError:
            raise
        except UNREADABLE as error:
            missing = isinstance(error, KeyError)
            got = f"no {error}" if missing else f"{type(error).__name__}: {error}"
            raise _unlike(cls, "every entry of its kind", got) from error
        return made

    return cast("Callable[P, R]", from_dict)


def _unlike(cls: Any, need: str, got: str) -> ParameterError:
    return ParameterError(
        f"this is not what to_dict() of {cls.__name__} gave.",
        got=got[:200],
        need=need,
        fix="write the result again, or undo the change",
    )


def _of_other_type(value: Any, place: str = "") -> Iterator[tuple[str, str, str]]:
    """The fields of a dataclass that hold something else than their types say."""
    kind: Any = type(value)
    for name, hint in _hints(kind).items():
        yield from _misfits(hint, getattr(value, name), f"{place}.{name}" if place else name)


@cache
def _hints(cls: Any) -> dict[str, Any]:
    known = get_type_hints(cls)
    return {one.name: known[one.name] for one in fields(cls)}


NEEDS = {float: "a number", int: "a whole number", str: "a text", bool: "True or False"}
ACCEPTED: dict[Any, tuple[type, ...]] = {
    float: (int, float, np.integer, np.floating),
    int: (int, np.integer),
}


def _misfits(hint: Any, value: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if hint is Any:
        return
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        found = [[*_misfits(one, value, place)] for one in inner]
        if all(found):
            yield (place, repr(value), " or ".join(wrong[0][2] for wrong in found))
    elif origin is Literal:
        if value not in inner:
            yield (place, repr(value), "one of " + ", ".join(map(repr, inner)))
    elif origin is tuple and isinstance(value, tuple):
        each = inner[:1] * len(value) if inner[-1:] == (...,) else inner
        if len(each) != len(value):
            yield (place, f"{len(value)} entries", f"{len(each)} entries")
        for i, (one, part) in enumerate(zip(each, value, strict=False)):
            yield from _misfits(one, part, f"{place}[{i}]")
    elif origin in (Mapping, dict) and isinstance(value, Mapping):
        for name, part in value.items():
            yield from _misfits(inner[0], name, f"{place}, a name")
            yield from _misfits(inner[1], part, f"{place}[{name!r}]")
    elif isinstance(hint, type) and is_dataclass(hint) and isinstance(value, hint):
        yield from _of_other_type(value, place)
    else:
        kind = types.NoneType if hint is None else origin or hint
        is_number = kind in ACCEPTED and isinstance(value, bool)
        if isinstance(kind, type) and (is_number or not isinstance(value, ACCEPTED.get(kind, (kind,)))):
            yield (place, repr(value), NEEDS.get(kind, kind.__name__))


def _differences(given: Any, written: Any, place: str = "") -> Iterator[tuple[str, str, str]]:
    """The entries that were given and are not written again."""
    if isinstance(given, Mapping) and isinstance(written, Mapping):
        for name, value in given.items():
            where = f"{place}[{name!r}]" if place else str(name)
            if str(name) not in written:
                yield (where, "an entry that there is not", "no such entry")
            elif name not in DERIVED:
                yield from _differences(value, written[str(name)], where)
            elif not isinstance(value, str):
                yield (where, repr(value), "a text")
    elif isinstance(given, (list, tuple)) and isinstance(written, (list, tuple)):
        if len(given) != len(written):
            yield (place, f"{len(given)} entries", f"{len(written)} entries")
        for i, (one, other) in enumerate(zip(given, written, strict=False)):
            yield from _differences(one, other, f"{place}[{i}]")
    else:
        one, other = plain(given), plain(written)
        if isinstance(one, bool) != isinstance(other, bool) or one != other:
            yield (place, repr(given), repr(written))


# --- records --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JsonRecord:
    """A dataclass that JSON holds. Fields that are not printed are not written."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, as JSON holds them."""
        return dict(plain(self))

    @classmethod
    @read_back
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
        hints = _hints(kind)
        for name in value:
            if name not in hints:
                raise _unlike(kind, f"entries among {', '.join(hints)}", f"an entry {name!r}")
        return kind(**{name: _read(hints[name], one) for name, one in value.items()})
    return number(value) if kind is float else value
