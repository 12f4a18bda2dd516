"""All indices that are known, found by name, symbol or near name."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import Any

from partita.errors import ParameterError, UnknownNameError, near_names
from partita.registry.entry import Index

_BY_NAME: dict[str, Index] = {}
_BY_SPELLING: dict[str, Index] = {}


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


def indices() -> list[Index]:
    """Every index that is known, family by family."""
    load_catalogue()
    return list(_BY_NAME.values())


def find(name: str | Index, *, parameter: str = "index") -> Index:
    """The index of that name or symbol, without regard to case; ``"rand:pairs=ordered"`` sets options.

    The error for a name that is not known is about ``parameter``.
    """
    if isinstance(name, Index):
        return name
    if not isinstance(name, str):
        raise ParameterError(
            "an index is named by a string.", got=repr(name), need='a name such as "ARI"', parameter=parameter
        )
    load_catalogue()
    spelling, _, text = name.partition(":")
    entry = _BY_SPELLING.get(spelling.strip().lower())
    if entry is None:
        _refuse_curve(name)
        raise near_names(
            spelling,
            [s for e in _BY_NAME.values() for s in (e.name, e.symbol, *e.aliases) if s],
            noun="index",
            parameter=parameter,
        )
    return entry.using(**read_options(text)) if text else entry


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
    """Names as a list, one name too; an iterator can be gone through only once."""
    if isinstance(names, (str, Index)):
        return [names]
    try:
        return list(names)
    except TypeError:  # it cannot be iterated
        return [names]


def resolve(
    names: Iterable[str | Index] | str | Index | None, inputs: Sequence[str], *, parameter: str = "indices"
) -> list[Index]:
    """The named indices, or all that need just these inputs; errors are about ``parameter``."""
    if names is None:
        return [entry for entry in indices() if set(entry.inputs) == set(inputs)]
    chosen = [find(name, parameter=parameter) for name in listed(names)]
    return list({entry.label: entry for entry in chosen}.values())
