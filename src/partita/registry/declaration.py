"""The decorator that makes a formula an index."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args, get_type_hints

import numpy as np

from partita.errors import ParameterError, near_names
from partita.partitions import ALL, Kind
from partita.registry.entry import Index
from partita.registry.facts import CLAIMS, GIVEN_SIZES, Example, Formula, Limit, RangeEnd
from partita.registry.families import family_of_module
from partita.registry.lookup import add
from partita.statistics import Statistic
from partita.statistics.options import options_of

SHORTEST = """
from partita.indices import index
from partita.registry import HARD, Array
from partita.statistics import Contingency

@index(title="Largest cell", best=1.0, range={HARD: (0.0, 1.0)})
def largest_cell(table: Contingency) -> Array:
    \"\"\"The share of objects in the largest cell of the table of two clusterings.\"\"\"
    return table.counts.max(axis=(-2, -1)) / table.n

largest_cell(truth, found)
"""
"""The least that an entry has."""

MISSING: Any = inspect.Parameter.empty


def index(
    function: Any = None,
    /,
    *,
    title: str = MISSING,
    best: float | None = MISSING,
    range: Mapping[Any, tuple[RangeEnd, RangeEnd]] = MISSING,  # noqa: A002 (the word users expect)
    symbol: str | None = None,
    aliases: Sequence[str] = (),
    claims: Mapping[str, Any] | None = None,
    refuted: Mapping[str, Mapping[Kind, Example]] | None = None,
    limits: Sequence[Limit] = (),
    rule: str = "best",
    references: Sequence[str] = (),
    formula: str = "",
    examples: Sequence[Example] = (),
    caveat: str | Mapping[Any, str] = "",
    alternatives: Mapping[str, Mapping[str, type[Any]]] | None = None,
    defaults: Mapping[str, Any] | None = None,
    without: Sequence[str] = (),
    given_sizes: str = "",
    separable: bool = False,
    family: str = "",
    constant: Mapping[Kind, str] | None = None,
    of_centers: Callable[..., Any] | None = None,
    by_shuffles: Callable[..., str] | None = None,
) -> Callable[[Formula], Index]:
    """Make a formula on statistics an index, known everywhere from then on.

    A function of two label arrays, or of data and labels, needs no entry: ``indices={"mine": f}``.

    Parameters
    ----------
    function
        Not used: an index needs a title, a best value and a range, so that it is ``@index(...)``.
    title : str
        Its name in words.
    best : float or None
        The best value; the direction follows from it. None for a quantity that only describes.
    range : dict
        Both ends for each kind it is defined for. A key is a kind, a set of kinds (`SOFT`), or a pair of
        kinds; an end is a number, None (not known), or a function of the statistics.
    symbol, aliases : str, sequence of str
        Other names it is found by, without regard to case.
    claims : dict
        For each claim of `CLAIMS` the kinds it holds for (`ALL`, a kind, or a set of them).
    refuted : dict
        For each claim that fails, a counter-example for each kind.
    limits : sequence of Limit
        Where the formula is 0/0, the value there and the reason; the first that holds wins.
    rule : str
        How a number of clusters is chosen by it.
    references, formula : sequence of str, str
        Keys of references.bib, and the formula in LaTeX.
    examples : sequence of Example
        Inputs with known values and their source.
    caveat : str or dict
        What a reader of the value must know every time, or for each kind.
    alternatives : dict
        Options that choose another class for the first statistic: for each option its values and their
        classes, the default first. The formula need not know.
    defaults : dict
        Other defaults for options of the statistics.
    without : sequence of str
        Options of the statistics that the index does not take; they keep their defaults.
    given_sizes : {"", "squares", "entropy"}
        For given cluster sizes of two hard clusterings, the sum over the cells of their table on which the
        value depends, and monotonically: of m^2, or of m log m. Nothing by default.
    separable : bool
        Whether the value is an affine function of that sum over cells, over rows and over columns.
    family : str
        What it looks at, one of `partita.registry.families.FAMILIES`; that of its module by default.
    constant : dict
        For each kind whose clusterings all score best, whatever they are, the reason: the value then says
        nothing, and is computed only where it is asked for.
    of_centers : function, optional
        The value for a `CentroidPair` of two sets of centres, where the statistics of the formula are others.

    by_shuffles : callable
        Of an index of hard clusterings, a function of its options that names the same index for soft ones,
        corrected by shuffles: ``adjusted(...)``.

    Returns
    -------
    decorator
        It takes the formula: annotated parameters are the statistics it needs, keyword-only ones its own
        options. The options of the statistics are the index's too.
    """
    _refuse_incomplete(function, title, best, range)

    def register(function: Formula) -> Index:
        if not inspect.isfunction(function):
            raise _incomplete("an index is made of a function.", f"{function!r:.60}")
        statistics, options, hints = _read_signature(function)
        chosen = [s for choices in (alternatives or {}).values() for s in choices.values()]
        _inherit(options, hints, [*statistics, *chosen], defaults or {}, without)
        for option, choices in (alternatives or {}).items():
            options.setdefault(option, next(iter(choices)))
            known = dict.fromkeys((*get_args(hints.get(option)), *choices))
            hints[option] = Literal[tuple(known)]
        ranges = dict(range)
        defined = frozenset(
            k for key in ranges for k in (key if isinstance(key, (frozenset, set, tuple)) else (key,))
        )
        entry = Index(
            name=function.__name__,
            title=title,
            formula_function=function,
            best=best,
            ranges=ranges,
            symbol=symbol,
            aliases=tuple(aliases),
            claims={c: _kind_set(kinds) & defined for c, kinds in (claims or {}).items()},
            refuted=dict(refuted or {}),
            limits=tuple(limits),
            rule=rule,
            references=tuple(references),
            formula=formula,
            examples=tuple(examples),
            caveats={ALL: caveat} if isinstance(caveat, str) else dict(caveat),
            family=family or family_of_module(function.__module__ or ""),
            options=options,
            defaults=options,
            option_types=hints,
            statistics=statistics,
            alternatives=dict(alternatives or {}),
            given_sizes=given_sizes,
            separable=separable,
            constant=dict(constant or {}),
            of_centers=of_centers,
            by_shuffles=by_shuffles,
        )
        _check_facts(entry)
        add(entry)
        return entry

    return register


def _refuse_incomplete(function: Any, title: Any, best: Any, ends: Any) -> None:
    """Refuse a decorator without what every index needs, and show the least that one needs."""
    if function is not None:
        raise _incomplete("index(...) takes no function: it decorates one.", f"{function!r:.60}")
    missing = [n for n, v in (("title", title), ("best", best), ("range", ends)) if v is MISSING]
    if missing:
        raise _incomplete(
            f"an index needs {' and '.join(missing)}.", f"index(...) without {', '.join(missing)}"
        )
    if not isinstance(title, str):
        raise _incomplete("the title of an index is a text.", f"title={title!r:.60}")
    is_number = isinstance(best, (int, float, np.number)) and not isinstance(best, bool)
    if best is not None and not is_number:
        raise _incomplete("the best value of an index is a number, or None.", f"best={best!r:.60}")
    are_pairs = isinstance(ends, Mapping) and all(
        isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in ends.values()
    )
    if not are_pairs or not ends:
        raise _incomplete(
            "the range of an index has both ends for each kind of clustering.", f"range={ends!r:.60}"
        )


def _incomplete(what: str, got: str) -> ParameterError:
    example = SHORTEST.strip("\n").replace("\n", "\n         ")
    return ParameterError(
        what,
        got=got,
        need=f"at least\n         {example}",
        fix='indices={"mine": f} in compare, validate, choose or benchmark takes a function as it is',
    )


RESERVED_OPTIONS = ("noise", "sample_weight", "on_undefined", "X", "truth", "found", "model")


def _kind_set(kinds: Any) -> frozenset[Kind]:
    return frozenset({kinds}) if isinstance(kinds, Kind) else frozenset(kinds)


def _read_signature(function: Formula) -> tuple[tuple[type[Any], ...], dict[str, Any], dict[str, Any]]:
    """The statistics, the options with their defaults, and the options' annotations."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as problem:
        raise ParameterError(
            f"the annotations of {function.__name__} cannot be read: {problem}.",
            need="names that are known where the formula is defined",
        ) from None
    statistics, options = [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            if parameter.default is inspect.Parameter.empty:
                raise ParameterError(f"option {name!r} of {function.__name__} needs a default.")
            if name in RESERVED_OPTIONS:
                raise ParameterError(
                    f"{name!r} cannot be an option of {function.__name__}.", got="a name of every index"
                )
            options[name] = parameter.default
        else:
            statistic = hints.get(name)
            if not (isinstance(statistic, type) and issubclass(statistic, Statistic)):
                raise _incomplete(
                    f"{function.__name__} does not say which statistic {name!r} is, such as Contingency.",
                    f"annotation {statistic!r}",
                )
            statistics.append(statistic)
    if not statistics:
        raise _incomplete(f"{function.__name__} uses no statistic.", "no annotated parameter")
    return tuple(statistics), options, {k: v for k, v in hints.items() if k in options}


def _inherit(
    options: dict[str, Any],
    hints: dict[str, Any],
    statistics: Sequence[type[Statistic]],
    defaults: Mapping[str, Any],
    without: Sequence[str],
) -> None:
    """Add the options of the statistics to those of the formula, which stand where both have one."""
    offered = {
        name: option
        for statistic in reversed(statistics)
        for name, option in options_of(statistic.options).items()
        if option.is_inherited
    }
    for name in (*defaults, *without):
        if name not in offered:
            raise near_names(name, offered, noun="option of these statistics")
    for statistic in statistics:
        for name in options_of(statistic.options):
            if name in offered and name not in without and name not in options:
                options[name] = defaults.get(name, offered[name].default)
                hints[name] = offered[name].hint


def _check_facts(entry: Index) -> None:
    ends = [end for pair in entry.ranges.values() for end in pair]
    if entry.best is not None and math.isfinite(entry.best) and entry.best not in ends:
        raise ParameterError(
            f"the best value of {entry.name} is not an end of its range.", got=repr(entry.best)
        )
    if entry.given_sizes not in GIVEN_SIZES or (entry.separable and not entry.given_sizes):
        raise ParameterError(
            f"{entry.name} does not say on which sum over cells it depends.",
            got=repr(entry.given_sizes),
            need=", ".join(repr(sum_) for sum_ in GIVEN_SIZES[1:]),
        )
    for claim in [*entry.claims, *entry.refuted]:
        if claim not in CLAIMS:
            raise near_names(claim, CLAIMS, noun="claim")
    for claim, kinds in entry.claims.items():
        both = kinds & set(entry.refuted.get(claim, ()))
        if both:
            raise ParameterError(f"{entry.name} both claims and refutes {claim} for {', '.join(both)}.")
