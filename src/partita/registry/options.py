"""The options of an index: each is held against its annotation before anything is hashed or computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

import numpy as np

from partita.arrays import generator
from partita.errors import ParameterError
from partita.statistics.options import Above, AtLeast, Below

ON_UNDEFINED = ("nan", "raise")
SEEDS = (np.random.Generator, np.random.RandomState, np.random.SeedSequence)


def check_on_undefined(value: Any) -> None:
    """Refuse what says neither nan nor raise."""
    if not isinstance(value, str) or value not in ON_UNDEFINED:
        raise ParameterError(
            "no such on_undefined.", got=repr(value), need='"nan" or "raise"', parameter="on_undefined"
        )


def checked_option(index_name: str, name: str, value: Any, hint: Any) -> Any:
    """The value as the formula takes it, or an error that says what is needed."""
    base, marks = (get_args(hint)[0], get_args(hint)[1:]) if get_origin(hint) is Annotated else (hint, ())
    if get_origin(base) is Literal:
        choices = get_args(base)
        if not any(value is c or (type(value) is type(c) and value == c) for c in choices):
            raise ParameterError(
                f"{index_name} has no such {name}.", got=shown(value), need=", ".join(map(repr, choices))
            )
        return value
    types = get_args(base) or (base,)
    if value is None and type(None) in types:
        return value
    if name == "random_state":
        return _checked_seed(value)
    wanted = next((t for t in (bool, int, float, str) if t in types), None)
    if wanted in (int, float):
        return _checked_number(index_name, name, value, wanted is int, marks)
    if wanted is bool and not isinstance(value, (bool, np.bool_)):
        raise _refused(index_name, name, value, "True or False")
    if wanted is str and not isinstance(value, str):
        raise _refused(index_name, name, value, "a text")
    try:
        hash(value)
    except TypeError:
        raise _refused(index_name, name, value, "a value that can be hashed: a number, a text") from None
    return value


def _checked_seed(value: Any) -> Any:
    if not isinstance(value, SEEDS):
        generator(value)
    return value


def _checked_number(index_name: str, name: str, value: Any, is_whole: bool, marks: Sequence[Any]) -> Any:
    """A whole or a finite number inside its bounds, in Python's own type."""
    types = (int, np.integer) if is_whole else (int, float, np.integer, np.floating)
    bounds = [mark for mark in marks if isinstance(mark, (Above, AtLeast, Below))]
    if isinstance(value, types) and not isinstance(value, bool):
        try:
            number: Any = int(value) if is_whole else float(value)
        except OverflowError:  # a whole number beyond all floats
            number = math.inf
        if (is_whole or math.isfinite(number)) and all(mark.holds(number) for mark in bounds):
            return value if type(value) in (int, float) and value == number else number
    need = "a whole number" if is_whole else "a finite number"
    raise _refused(index_name, name, value, " ".join([need, " and ".join(map(str, bounds))]).strip())


def _refused(index_name: str, name: str, value: Any, need: str) -> ParameterError:
    return ParameterError(f"{name} of {index_name} cannot be this.", got=shown(value), need=need)


def shown(value: Any) -> str:
    """A value in a message, cut where it is long; Python writes no whole number of more than 4300 digits."""
    try:
        text = repr(value)
    except ValueError:
        return f"a {type(value).__name__} too long to write"
    return text if len(text) <= 200 else f"{text[:200]}..."
