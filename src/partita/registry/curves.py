"""Entries for whole curves: from the values of an index over k to one value for each k."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, TypeAlias

import numpy as np

from partita.arrays import Array, Floats
from partita.errors import ParameterError, PartitaError, UnknownNameError, near_names
from partita.registry.entry import Evaluation, Index
from partita.registry.lookup import (
    HEADLINE,
    Selected,
    find,
    known_spellings,
    listed,
    load_catalogue,
    read_options,
    select,
    selector,
    understood,
)

CurveFunction: TypeAlias = Callable[..., tuple[Any, Sequence[str]]]


@dataclass(frozen=True)
class CurveExample:
    """A curve with known values and their source; nan where there is none."""

    ks: tuple[int, ...]
    values: tuple[float, ...]
    n: float
    d: int
    expected: tuple[float, ...]
    source: str
    null: tuple[tuple[float, ...], ...] | None = None


@dataclass(frozen=True, eq=False)
class Curve:
    """A function of the curve of an index over k, with what is known about it. Call it like a function.

    Attributes
    ----------
    name, title : str
        Its name, and its name in words.
    of : str
        The index whose curve it reads.
    rule : str
        How a number of clusters is chosen by its values.
    best : float or None
        The best value; None where only the rule decides.
    function : callable
        From those of ``ks, values, n, d`` that it names to values and reasons, one of each for each k; ``""``
        is no reason.
    needs_null : bool
        Whether it holds the curve against those of data without structure, and names ``null`` too.
    rather_of : tuple of str
        Indices that it reads in place of ``of`` where a sweep has one of them; it then reads any other that
        is named too, and where lower is better: ``"second_difference:of=ssw"``.
    formula, references, examples
        In LaTeX; keys of references.bib; curves with known values.
    """

    name: str
    title: str
    of: str
    rule: str
    best: float | None
    function: CurveFunction
    formula: str = ""
    references: tuple[str, ...] = ()
    examples: tuple[CurveExample, ...] = ()
    needs_null: bool = False
    rather_of: tuple[str, ...] = ()
    is_of_given: bool = False

    def __post_init__(self) -> None:
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            object.__setattr__(self, name, getattr(self.function, name))
        object.__setattr__(self, "__wrapped__", self.function)

    family: ClassVar[str] = "curves"

    @property
    def label(self) -> str:
        """The name, with the index that it reads where that was chosen."""
        return f"{self.name}:of={self.of}" if self.is_of_given else self.name

    def using(self, **options: Any) -> Curve:
        """The same curve of another index: ``of="bic"``."""
        if not self.rather_of:
            raise ParameterError(f"{self.name} has no options.", got=", ".join(options))
        for option in options:
            if option != "of":
                raise near_names(option, ["of"], noun=f"option of {self.name}")
        read = find(options.get("of", self.of))
        if read.direction != "lower" or "truth" in read.inputs:
            raise ParameterError(
                f"{self.name} reads the curve of an internal index where lower is better.",
                got=f"{read.label}, an index of {', '.join(read.inputs)}, {read.direction} is better",
                need="one such as ssw, bic_partition or bic",
            )
        return replace(self, of=read.label, is_of_given=True)

    def among(self, entries: Sequence[Index]) -> Curve:
        """The same curve, of the first of these indices that it would rather read; not if one was chosen."""
        better = next((entry for entry in entries if entry.name in self.rather_of), None)
        return self if better is None or self.is_of_given else self.using(of=better.label)

    @property
    def direction(self) -> str:
        """``"higher"`` or ``"lower"`` is better, or ``"none"`` where only the rule decides."""
        if self.best is None:
            return "none"
        return "higher" if self.best == math.inf else "lower"

    def __call__(
        self, ks: Sequence[int], values: Sequence[float], n: float, d: int, null: Any = None
    ) -> Evaluation:
        """One value for each k, and the reason where there is none or where a limit set it.

        Parameters
        ----------
        ks, values : sequences
            Numbers of clusters, rising, and the values of the index ``of`` there; nan where it has none.
        n, d : number, int
            How many objects (or the sum of their weights) and features the data has.
        null : (b, k) array
            For a curve that needs it: the values of the index at each k for b data sets without structure.
        """
        numbers, heights = _checked(self.name, ks, values, n, d)
        given = {"ks": numbers, "values": heights, "n": n, "d": d}
        if self.needs_null:
            given["null"] = _checked_null(self.name, null, numbers.size)
        with np.errstate(all="ignore"):
            made, reasons = self.function(**{name: given[name] for name in _parameters(self.function)})
        outcome = Evaluation(np.asarray(made, dtype=np.float64), np.array(list(reasons), dtype=object))
        if outcome.values.shape != numbers.shape or outcome.reasons.shape != numbers.shape:
            raise PartitaError(
                f"{self.name} did not give one value and one reason for each k.",
                got=f"shapes {outcome.values.shape} and {outcome.reasons.shape}",
                need=f"shape {numbers.shape}",
            )
        unexplained = ~np.isfinite(outcome.values) & (outcome.reasons == "")
        if unexplained.any():
            raise PartitaError(
                f"{self.name} gave {outcome.values[unexplained][0]} at k = {numbers[unexplained][0]}"
                " and no reason.",
                need="a finite value, or a reason",
                fix="this is a bug in the entry; please report it with the curve",
            )
        return outcome

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.__module__, self.label)

    def __repr__(self) -> str:
        return f"<curve {self.name}(ks, values, n, d{', null' if self.needs_null else ''}) of {self.of}>"


@cache
def _parameters(function: CurveFunction) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _checked(name: str, ks: Any, values: Any, n: Any, d: Any) -> tuple[Array, Floats]:
    numbers, heights = np.asarray(ks), np.asarray(values, dtype=np.float64)
    rising = numbers.ndim == 1 and numbers.dtype.kind in "iu" and (np.diff(numbers) > 0).all()
    if not rising or not numbers.size or numbers[0] < 1:
        raise ParameterError(
            f"{name} needs rising numbers of clusters.", got=repr(ks), need="whole numbers >= 1, each once"
        )
    if heights.shape != numbers.shape:
        raise ParameterError(
            f"{name} needs a value for each number of clusters.",
            got=f"{heights.size} values for {numbers.size} numbers of clusters",
            need="as many values; nan where the index has none",
        )
    if not (math.isfinite(n) and n > 0 and d == int(d) and d >= 1):
        raise ParameterError(
            f"{name} needs the size of the data.", got=f"n={n!r}, d={d!r}", need="n > 0 and d >= 1"
        )
    return numbers.astype(np.int64), heights


def _checked_null(name: str, null: Any, n_ks: int) -> Floats:
    curves_of_nothing = np.asarray(null, dtype=np.float64)
    if curves_of_nothing.ndim != 2 or curves_of_nothing.shape[1] != n_ks or not len(curves_of_nothing):
        raise ParameterError(
            f"{name} compares with data without structure.",
            got="no null" if null is None else f"null of shape {curves_of_nothing.shape}",
            need=f"values of shape (number of null data sets, {n_ks})",
            fix="choose_k(..., indices=[...]) makes them",
        )
    return curves_of_nothing


# --- the registry -------------------------------------------------------------------------------------

_BY_NAME: dict[str, Curve] = {}


def curve(
    *,
    title: str,
    of: str,
    rule: str,
    best: float | None = None,
    formula: str = "",
    references: Sequence[str] = (),
    examples: Sequence[CurveExample] = (),
    needs_null: bool = False,
    rather_of: Sequence[str] = (),
) -> Callable[[CurveFunction], Curve]:
    """Make a function of some of ``ks, values, n, d`` a curve entry, known everywhere from then on.

    Parameters
    ----------
    title : str
        Its name in words.
    of : str
        The index whose curve it reads.
    rule : str
        How a number of clusters is chosen by its values.
    best : {inf, -inf, 0.0} or None
        The best value; None where only the rule decides.
    formula, references, examples
        In LaTeX; keys of references.bib; curves with known values.
    needs_null : bool
        Whether the function also takes curves of data without structure.
    rather_of : sequence of str
        Indices that it reads in place of ``of`` where a sweep has one of them.

    Returns
    -------
    decorator
        It takes the function, which gives values and reasons, one of each for each k.
    """

    def register(function: CurveFunction) -> Curve:
        taken = ("ks", "values", "n", "d", *(["null"] if needs_null else []))
        if not set(_parameters(function)) <= set(taken):
            raise ParameterError(
                f"{function.__name__} is no function of a curve.",
                got=", ".join(_parameters(function)),
                need=f"some of {', '.join(taken)}",
            )
        entry = Curve(
            name=function.__name__,
            title=title,
            of=of,
            rule=rule,
            best=best,
            function=function,
            formula=formula,
            references=tuple(references),
            examples=tuple(examples),
            needs_null=needs_null,
            rather_of=tuple(rather_of),
        )
        _add(entry)
        return entry

    return register


def _add(entry: Curve) -> None:
    """Enter a curve; redefining one's own (a notebook cell run twice) replaces it."""
    load_catalogue()
    old = _BY_NAME.get(entry.name.lower())
    if old is not None and old.__module__ != entry.__module__:
        raise ParameterError(
            f"there is a curve named {entry.name!r} already.", got=f"another one from {entry.__module__}"
        )
    taken = known_spellings().get(entry.name.lower())
    if taken is not None:
        raise ParameterError(f"{entry.name!r} already means an index.", got=f"{taken!r}")
    _BY_NAME[entry.name.lower()] = entry


def curves() -> list[Curve]:
    """Every curve entry that is known."""
    load_catalogue()
    return list(_BY_NAME.values())


def find_curve(name: str | Curve) -> Curve:
    """The curve entry of that name, without regard to case; ``"angle:of=ssw"`` sets what it reads."""
    if isinstance(name, Curve):
        return name
    if not isinstance(name, str):
        raise ParameterError("a curve is named by a string.", got=repr(name), need='a name such as "jump"')
    load_catalogue()
    named = _named(name)
    if named is None:
        raise near_names(name.partition(":")[0], [known.name for known in curves()], noun="curve")
    entry, text = named
    return entry.using(**read_options(text)) if text else entry


def _named(name: str) -> tuple[Curve, str] | None:
    """The curve that a name means, ours or that of another package, and the options after it."""
    spelling, _, text = name.partition(":")
    entry = _BY_NAME.get(spelling.strip().lower())
    if entry is not None or spelling.strip().lower() in known_spellings():
        return None if entry is None else (entry, text)
    try:
        known = understood(name)
    except UnknownNameError:  # of several meanings, or none of ours: for who looks for an index to tell
        return None
    if known is None or known[0].ours not in _BY_NAME:
        return None
    return _BY_NAME[known[0].ours], known[1]


def is_curve(name: Any) -> bool:
    """Whether this is a curve, or the name of one."""
    if isinstance(name, str):
        load_catalogue()
        return _named(name) is not None
    return isinstance(name, Curve)


def find_entry(
    name: str | Index | Curve, *, parameter: str = "index", fits: Callable[[Index], bool] | None = None
) -> Index | Curve:
    """The index or the curve of that name or symbol, here or in another package; ``name:option=value``.

    Case, hyphens, spaces, underscores and apostrophes do not matter. ``"NbClust:db"`` is the name that one
    package has, ``"franti2017:J"`` that of one paper. A name of several indices is an error that lists them,
    unless one of them ``fits``; so is a name of an index that partita does not have.
    """
    if is_curve(name):
        return find_curve(name)  # type: ignore[arg-type]
    return find(name, parameter=parameter, fits=fits)  # type: ignore[arg-type]


def select_entries(
    names: Any,
    inputs: Sequence[str],
    *,
    headline: Sequence[str] = (),
    parameter: str = "indices",
) -> tuple[list[Index | Curve], frozenset[str]]:
    """Indices and curves, as `select` reads their names; and the labels of those that were named themselves.

    A group takes in the curves that belong to it: the family "curves", those of a paper, all of them.
    """
    chosen: dict[str, Index | Curve] = {}
    named: set[str] = set()
    for name in listed(names):
        if is_curve(name):
            found: list[Index | Curve] = [find_curve(name)]
            named.add(found[0].label)
        elif isinstance(name, str) and name.strip().lower() == HEADLINE and headline:
            found = [find_entry(one) for one in headline]
        else:
            of_group = [curve for curve in curves() if _is_in(curve, name)]
            try:
                selected = select(name, inputs, parameter=parameter)
            except UnknownNameError:
                if not of_group:
                    raise
                selected = Selected((), frozenset())
            found = [*selected.entries, *of_group]
            named |= selected.named
        chosen |= {entry.label: entry for entry in found}
    return list(chosen.values()), frozenset(named)


def _is_in(curve: Curve, name: Any) -> bool:
    """Whether a name stands for a group that has this curve."""
    holds = selector(name)
    if holds is not None:
        return holds(curve)
    return isinstance(name, str) and name.strip().lower() in curve.references


def remove_curve(entry: Curve) -> None:
    """Take a curve out of the registry."""
    del _BY_NAME[entry.name.lower()]


def _restore(module: str, name: str) -> Curve:
    """The curve that was pickled: its module is imported, which registers it."""
    importlib.import_module(module)
    return find_curve(name)
