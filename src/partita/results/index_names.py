"""Names of indices in results: the label that a name means, and short names for columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from partita.errors import ParameterError, PartitaError, near_names
from partita.registry import Index
from partita.registry.curves import find_entry

__all__ = ["CONSENSUS", "one_of", "short_names"]

CONSENSUS = "consensus "
"""Prefix of the label of a choice by the consensus of the runs of a k, before the label of the index."""


def one_of(name: Any, labels: Sequence[str] | Mapping[str, Any], *, noun: str) -> str:
    """The label that a name means: itself, by a symbol, or without options where one label has that name."""
    known = list(labels)
    if isinstance(name, str) and name in known:
        return name
    prefix = CONSENSUS if isinstance(name, str) and name.lower().startswith(CONSENSUS) else ""
    bare = {label.removeprefix(CONSENSUS).partition(":")[0] for label in known}
    entry = find_entry(name[len(prefix) :] if prefix else name, fits=lambda one: one.name in bare)
    label = prefix + entry.label
    fitting = [k for k in known if k == label] or [k for k in known if k.partition(":")[0] == label]
    if len(fitting) > 1:
        raise ParameterError(
            f"{name} is more than one {noun} here.", got=repr(name), need=f"one of {', '.join(fitting)}"
        )
    if not fitting:
        raise near_names(str(getattr(name, "label", name)), known, noun=noun)
    return fitting[0]


def short_names(labels: Sequence[str]) -> dict[str, str]:
    """For each index its symbol where it has one, and the whole label where another has the same symbol."""
    short = {}
    for label in labels:
        prefix = CONSENSUS if label.startswith(CONSENSUS) else ""
        try:
            entry = find_entry(label[len(prefix) :])
        except PartitaError:  # read from a file, and not known here
            short[label] = label
            continue
        short[label] = prefix + ((entry.symbol if isinstance(entry, Index) else "") or entry.label)
    times = Counter(short.values())
    return {label: name if times[name] == 1 else label for label, name in short.items()}
