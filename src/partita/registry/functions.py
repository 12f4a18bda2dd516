"""Functions of a user as indices, without an entry: ``indices={"mine": f}``."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from partita.errors import ParameterError
from partita.partitions import HARD
from partita.registry.entry import Index
from partita.registry.facts import Limit
from partita.statistics.given_labels import GivenLabels, LabelledData, LabelPair

__all__ = ["function_again", "function_index", "named_functions", "no_direction"]

DATA, PAIR = "X", ("truth", "found")
BEST = {"higher": math.inf, "lower": -math.inf, "none": None}
FORM = 'indices={"mine": f}, or {"mine": (f, "higher")} where high values are better'


def named_functions(asked: Any) -> dict[Any, Any] | None:
    """Functions by name, of a dictionary or of one function that has a name; None for all else."""
    if isinstance(asked, Mapping):
        return dict(asked)
    if not inspect.isroutine(asked):
        return None
    if asked.__name__ == "<lambda>":
        raise ParameterError("a function needs a name.", got="a lambda", need=FORM, parameter="indices")
    return {asked.__name__: asked}


def function_index(name: str, given: Any, available: Sequence[str] = (), needs: Sequence[str] = ()) -> Index:
    """An index that is a function of two label arrays, or of the data and labels.

    Parameters
    ----------
    name : str
        Its name in tables.
    given : callable, or (callable, "higher" or "lower")
        The function, and which values are better.
    available, needs : names of inputs
        As for `partita.registry.lookup.select`. Where both are possible, a function whose first parameter
        is called ``X`` takes the data.
    """
    function, direction = _checked(name, given)
    takes_data = _parameters(name, function)[:1] == [DATA]
    has_pair = not available or set(PAIR) <= set(available)
    has_data = (not available or DATA in available) and not needs
    of_data = has_data and (takes_data or not has_pair)
    return _made(name, function, direction, LabelledData if of_data else LabelPair)


def _checked(name: Any, given: Any) -> tuple[Callable[..., Any], str]:
    function, direction = given, "none"
    if isinstance(given, (tuple, list)) and len(given) == 2:
        function, direction = given
    if not isinstance(name, str) or not name.strip() or any(mark in name for mark in ":,()"):
        raise ParameterError(
            "a function needs a name.", got=repr(name), need="a text without : , ( )", parameter="indices"
        )
    if not callable(function) or isinstance(function, Index):
        raise ParameterError(
            f"{name!r} is no function.", got=repr(function)[:60], need=FORM, parameter="indices"
        )
    if given is not function and not (isinstance(direction, str) and direction in ("higher", "lower")):
        raise ParameterError(
            f"which values of {name!r} are better?",
            got=repr(direction),
            need='"higher" or "lower"',
            parameter="indices",
        )
    return function, direction


def _parameters(name: str, function: Callable[..., Any]) -> list[str]:
    """The names of what it takes by position, where it says so; an error if two arrays are not enough."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # built in, and says nothing
        return []
    try:
        signature.bind(None, None)
    except TypeError as problem:
        raise ParameterError(
            f"the function {name!r} cannot be called with two arrays.",
            got=f"{name}{signature}: {problem}",
            need="f(truth, found), or f(X, labels)",
            parameter="indices",
        ) from None
    return list(signature.parameters)


def _made(
    name: str, function: Callable[..., Any], direction: str, statistic: type[LabelPair] | type[LabelledData]
) -> Index:
    """The index; functions are told apart by themselves."""

    def formula(labels: GivenLabels) -> float:
        return labels.value_of(name, function)

    formula.__name__ = formula.__qualname__ = name
    formula.__module__ = getattr(function, "__module__", None) or __name__
    formula.__doc__ = inspect.getdoc(function) or f"{name}, a function that was given."
    ends = (
        (math.isnan, math.nan, f"{name} returned nan"),
        (partial(_equals, math.inf), math.inf, f"{name} returned infinity"),
        (partial(_equals, -math.inf), -math.inf, f"{name} returned minus infinity"),
    )
    limits = tuple(
        Limit(lambda labels, holds=holds: holds(formula(labels)), value, reason)
        for holds, value, reason in ends
    )
    return Index(
        name=name,
        title=f"{name}, a function that was given",
        formula_function=formula,
        best=BEST[direction],
        ranges={HARD: (None, None)},
        limits=limits,
        family="given",
        statistics=(statistic,),
        made_by=(function_again, (name, function, direction, statistic)),
    )


def _equals(one: float, other: float) -> bool:
    return one == other


def function_again(*parts: Any) -> Index:
    """The index that was pickled, known by its name in this process too."""
    from partita.registry.lookup import know_function

    return know_function(_made(*parts))


def no_direction(name: str) -> str:
    """Why a function without a direction decides nothing, and how to give it one."""
    return f'it was not said which values are better; {{"{name}": (f, "higher")}} says it'
