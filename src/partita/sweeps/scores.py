"""One index of one clustering inside a sweep: hard labels where the index knows no other, and said so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from partita.engine import Inputs, prepare
from partita.registry import Index
from partita.results import join_texts

HARDENED = "on hardened labels"


def hardened(inputs: Inputs) -> Inputs:
    """The same inputs with every clustering hardened."""
    return replace(inputs, partitions={name: p.harden() for name, p in inputs.partitions.items()})


def score(entry: Index, given: Mapping[str, Any]) -> tuple[float, str]:
    """Value and caveat of an index, for those of the inputs that it takes."""
    wanted = {name: given[name] for name in entry.inputs}
    inputs, caveat = prepare(wanted, metric=str(entry.options.get("metric", ""))), ""
    if entry.range_of(inputs.kinds) is None:
        inputs, caveat = hardened(inputs), HARDENED
    entry.check_kinds(inputs.kinds)
    value, reason = entry.value_for(inputs, None)
    return value, join_texts([reason, entry.caveat(inputs.kinds), caveat])
