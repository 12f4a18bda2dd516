"""All indices that are known, found by name, symbol, the name that others have, or near name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from partita.errors import ParameterError, UnknownNameError, near_names
from partita.partitions import ALL
from partita.registry.entry import Index
from partita.registry.families import FAMILIES
from partita.registry.functions import function_index, named_functions
from partita.registry.names import OURS, Meaning, has_several_meanings, meaning_of, same_spelling

_BY_NAME: dict[str, Index] = {}
_BY_SPELLING: dict[str, Index] = {}
_FUNCTIONS: dict[str, Index] = {}
"""Functions that were given in the place of indices, by name: the last of each name."""


def load_catalogue() -> None:
    """Import partita's own indices and curves, which registers them; while that goes on, nothing happens."""
    importlib.import_module("partita.indices")


def _spellings(entry: Index) -> list[str]:
    return [s.lower() for s in (entry.name, entry.symbol, *entry.aliases) if s]


def add(entry: Index) -> None:
    """Enter an index; redefining one's own (a notebook cell run twice) replaces it."""
    load_catalogue()
    old = _BY_NAME.get(entry.name)
    if old is not None and old.formula_function.__module__ != entry.formula_function.__module__:
        raise ParameterError(
            f"there is an index named {entry.name!r} already.",
            got=f"another one from {entry.formula_function.__module__}",
        )
    for spelling in _spellings(entry):
        if _BY_SPELLING.get(spelling) not in (None, old):
            raise ParameterError(
                f"{spelling!r} already means {_BY_SPELLING[spelling].name}.", got=f"index {entry.name}"
            )
    if old is not None:
        remove(old)
    _BY_NAME[entry.name] = entry
    _BY_SPELLING.update(dict.fromkeys(_spellings(entry), entry))


def remove(entry: Index) -> None:
    """Take an index out of the registry."""
    del _BY_NAME[entry.name]
    for spelling in _spellings(entry):
        del _BY_SPELLING[spelling]


def restore(module: str, name: str, options: dict[str, Any]) -> Index:
    """The index that was pickled: its module is imported, which registers it."""
    importlib.import_module(module)
    return find(name).using(**options)


def know_function(entry: Index) -> Index:
    """Find a function that was given by its name from now on; the name of an index cannot be one."""
    from partita.registry.curves import is_curve

    key = entry.name.strip().lower()
    if key in _BY_SPELLING or is_curve(entry.name) or selector(entry.name) or key == HEADLINE:
        raise ParameterError(
            f"{entry.name!r} is the name of an index, a curve or a group of indices.",
            got=f"a function of this name: {entry.formula_function.__doc__!r:.60}",
            need="another name",
            parameter="indices",
        )
    _FUNCTIONS[entry.name] = entry
    return entry


def known_spellings() -> Mapping[str, Index]:
    """Names, symbols and aliases in small letters, and what each means."""
    return _BY_SPELLING


def own_symbols() -> Mapping[str, Index]:
    """The symbol of each index that has one, as it is written; the same may mean others to others."""
    return {entry.symbol: entry for entry in _BY_NAME.values() if entry.symbol}


def indices() -> list[Index]:
    """Every index that is known, family by family."""
    load_catalogue()
    return list(_BY_NAME.values())


def find(
    name: str | Index, *, parameter: str = "index", fits: Callable[[Index], bool] | None = None
) -> Index:
    """The index of that name or symbol, or of that name in another package; options follow a colon.

    Case, hyphens, spaces, underscores and apostrophes do not matter. ``"rand:pairs=ordered"`` sets options,
    ``"NbClust:db"`` is the name that one package has, and its number where options of ours give it. Of
    several meanings the one that ``fits`` is taken. The error for a name that is not known is about
    ``parameter``.
    """
    return _find(name, parameter, fits)


def _find(
    name: Any, parameter: str, fits: Callable[[Index], bool] | None = None, others: Iterable[str] = ()
) -> Index:
    """`find`; the error for a name that is not known suggests the others, too."""
    if isinstance(name, Index):
        return name
    if not isinstance(name, str):
        raise ParameterError(
            "an index is named by a string.", got=repr(name), need='a name such as "ARI"', parameter=parameter
        )
    load_catalogue()
    if is_corrected(name):
        corrected: Index = importlib.import_module(CORRECTED_IN).read_label(name)
        return corrected
    spelling, _, text = name.partition(":")
    key = spelling.strip().lower()
    entry = _BY_SPELLING.get(key)
    if entry is not None and (key == entry.name.lower() or not has_several_meanings(spelling)):
        return entry.using(**read_options(text)) if text else entry
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    _refuse_curve(name)
    known = understood(name, parameter, fits)
    if known is None or not (known[0].name in _BY_NAME or is_corrected(known[0].ours)):
        raise near_names(
            spelling,
            [s for e in _BY_NAME.values() for s in (e.name, e.symbol, *e.aliases) if s] + list(others),
            noun="index",
            parameter=parameter,
            listed=_BY_NAME,
        )
    meaning, text = known
    entry = _find(meaning.ours, parameter)
    return _as_asked(entry.using(**read_options(text)) if text else entry, meaning)


def understood(
    name: str, parameter: str = "index", fits: Callable[[Index], bool] | None = None
) -> tuple[Meaning, str] | None:
    """What a name means that is not written as ours are, and the options after it; None if nothing."""
    from partita.registry.curves import curves

    spelled = [(e.name, (e.name, e.symbol, *e.aliases, e.title)) for e in _BY_NAME.values()]
    spelled += [(curve.name, (curve.name, curve.title)) for curve in curves()]
    own: dict[str, list[str]] = {}
    for ours, names in spelled:
        for spelling in {same_spelling(s) for s in names if s}:
            own.setdefault(spelling, []).append(ours)
    suits = None if fits is None else lambda ours: ours in _BY_NAME and fits(_BY_NAME[ours])
    return meaning_of(name, own, suits, parameter)


def _as_asked(entry: Index, meaning: Meaning) -> Index:
    """The index that says whose name it was asked for by, and that the number there is another one."""
    if meaning.whose == OURS:
        return entry
    asked = f"{meaning.spelled} in {meaning.whose}"
    if meaning.remark:
        asked += f" ({meaning.remark})"
    if not meaning.differs:
        return replace(entry, asked_as=asked)
    text = f"{meaning.spelled} in {meaning.whose} is another number: {meaning.remark}"
    caveats = {kinds: "; ".join(filter(None, (own, text))) for kinds, own in entry.caveats.items()}
    return replace(entry, asked_as=asked, caveats=caveats or {ALL: text})


CORRECTED = "adjusted("
CORRECTED_IN = "partita.chance.adjustment"
"""How the label of an index that is corrected for chance begins, and who reads it."""


def is_corrected(name: Any) -> bool:
    """Whether this is written like an index that is corrected for chance: ``adjusted(nmi_sum)``."""
    return isinstance(name, str) and name.strip().lower().startswith(CORRECTED)


def _refuse_curve(name: str) -> None:
    """Tell what the name of a curve means, where an index is wanted."""
    from partita.registry.curves import is_curve

    if is_curve(name):
        raise UnknownNameError(
            f"{name} is a curve over numbers of clusters, not an index of one clustering.",
            got=repr(name),
            need="clusterings for several k",
            fix=f'choose_k(X, indices=["{name}"])',
        )


def read_options(text: str) -> dict[str, Any]:
    """Options as they are written after the colon of a name: ``pairs=ordered,base=2``."""
    options: dict[str, Any] = {}
    for item in text.split(","):
        key, sign, value = item.partition("=")
        if not sign:
            raise ParameterError("options are written name=value.", got=repr(item), need="rand:pairs=ordered")
        options[key.strip()] = _literal(value.strip())
    return options


def _literal(text: str) -> Any:
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def listed(names: Any) -> list[Any]:
    """Names as a list, one name too, or functions by name; an iterator can be gone through only once."""
    if isinstance(names, (str, Index, Mapping)):
        return [names]
    try:
        return list(names)
    except TypeError:  # it cannot be iterated
        return [names]


# --- several at once --------------------------------------------------------------------------------------

EVERY, HEADLINE = "all", "headline"
"""Words that stand for every index that fits, and for the few that a procedure shows first."""


class Selected(NamedTuple):
    """The indices that were asked for; those asked for by their own name must apply, the others may not."""

    entries: tuple[Index, ...]
    named: frozenset[str]


def selector(word: Any) -> Callable[[Any], bool] | None:
    """Whether an entry belongs to what this word stands for: all, a family, or a paper that it is from.

    None where the word stands for no group; the name of an index never does.
    """
    if not isinstance(word, str):
        return None
    load_catalogue()
    group = word.strip().lower()
    if group in _BY_SPELLING:
        return None
    if group == EVERY:
        return lambda _: True
    if group in FAMILIES or any(entry.family == group for entry in _BY_NAME.values()):
        return lambda entry: bool(entry.family == group)
    if any(group in entry.references for entry in _BY_NAME.values()):
        return lambda entry: group in entry.references
    return None


def is_group(names: Any) -> bool:
    """Whether all indices are asked for, or those shown first: such a result says what it comes to."""
    asked = [EVERY] if names is None else listed(names)
    return bool(asked) and all(isinstance(n, str) and n.strip().lower() in (EVERY, HEADLINE) for n in asked)


def groups(entries: Iterable[Any]) -> list[str]:
    """The families and papers of these entries, as `selector` takes them."""
    known = list(entries)
    return sorted({e.family for e in known} | {key for e in known for key in e.references})


def select(
    names: Any,
    inputs: Sequence[str] = (),
    *,
    needs: Sequence[str] = (),
    headline: Sequence[str] = (),
    parameter: str = "indices",
) -> Selected:
    """Indices by name, and whole groups of them: ``["ARI", "information", "lei2014", "headline", "all"]``.

    Parameters
    ----------
    names : str, index, or list of them; None for all
        Names and symbols, with options after a colon; a family, the key of a paper, "headline" or "all";
        functions of labels by name, ``{"mine": f}``.
    inputs, needs : names of inputs
        Those that the procedure has (any, if none are named), and those that an index of a group must take.
    headline : names
        What "headline" stands for.
    parameter : str
        The parameter that errors are about.
    """
    fitting = _fitting(tuple(indices()), tuple(inputs), tuple(needs))
    chosen: dict[str, Index] = {}
    named: set[str] = set()
    for name in [EVERY] if names is None else listed(names):
        holds = selector(name)
        functions = named_functions(name)
        if functions is not None:
            given = [know_function(function_index(n, f, inputs, needs)) for n, f in functions.items()]
            chosen |= {entry.label: entry for entry in given}
            named |= {entry.label for entry in given}
        elif isinstance(name, str) and name.strip().lower() == HEADLINE and headline:
            chosen |= {entry.label: entry for entry in map(find, headline)}
        elif holds is not None:
            group = {entry.label: entry for entry in fitting if holds(entry)}
            if not group:
                raise _empty_group(str(name), inputs, fitting, parameter)
            chosen |= group
        else:
            entry = _find(name, parameter, fitting.__contains__, groups(fitting))
            chosen[entry.label] = entry
            named.add(entry.label)
    return Selected(tuple(chosen.values()), frozenset(named))


@lru_cache
def _fitting(
    entries: tuple[Index, ...], inputs: tuple[str, ...], needs: tuple[str, ...]
) -> tuple[Index, ...]:
    """Those of the indices that take all inputs that are needed, and no others than there are."""
    return tuple(
        e for e in entries if set(needs) <= set(e.inputs) and (not inputs or set(e.inputs) <= set(inputs))
    )


def _empty_group(
    name: str, inputs: Sequence[str], fitting: Sequence[Index], parameter: str
) -> UnknownNameError:
    """The error for a group of which no index fits: what its indices take, and which groups have some."""
    having = near_names(name, groups(fitting), noun="group of indices")
    holds = selector(name) or (lambda _: False)
    taken = dict.fromkeys(", ".join(entry.inputs) for entry in _BY_NAME.values() if holds(entry))
    return UnknownNameError(
        f"no index of {name!r} takes just {', '.join(inputs)}.",
        got=f"{name!r}, whose indices take {' or '.join(taken)}",
        need=f"a family that has some ({', '.join(dict.fromkeys(e.family for e in fitting))}), or a paper",
        fix=having.fix,
        parameter=parameter,
    )


def resolve(
    names: Iterable[str | Index] | str | Index | None,
    inputs: Sequence[str],
    *,
    needs: Sequence[str] | None = None,
    headline: Sequence[str] = (),
    parameter: str = "indices",
) -> list[Index]:
    """The indices asked for, as `select` reads them; all that need just these inputs, if none are."""
    needs = (inputs if names is None else ()) if needs is None else needs
    return list(select(names, inputs, needs=needs, headline=headline, parameter=parameter).entries)
