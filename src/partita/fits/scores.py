"""One index of one clustering inside a sweep: hard labels where the index knows no other, and said so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from partita.inputs import Inputs, prepare
from partita.registry import Caveat, CaveatKind, Index
from partita.registry.caveats import said

HARDENED = Caveat(CaveatKind.HARDENED, "on hardened labels")


def hardened(inputs: Inputs) -> Inputs:
    """The same inputs with every clustering hardened."""
    return replace(inputs, partitions={name: p.harden() for name, p in inputs.partitions.items()})


def score(entry: Index, given: Mapping[str, Any]) -> tuple[float, tuple[Caveat, ...]]:
    """Value and caveats of an index, for those of the inputs that it takes."""
    wanted = {name: given[name] for name in entry.inputs}
    inputs = prepare(wanted, metric=str(entry.options.get("metric", "")))
    is_defined = entry.range_of(inputs.kinds) is not None
    inputs = inputs if is_defined else hardened(inputs)
    entry.check_kinds(inputs.kinds)
    value, caveats = entry.value_for(inputs, None)
    caveats += said(CaveatKind.OWN, entry.caveat(inputs.kinds))
    return value, caveats if is_defined else (*caveats, HARDENED)
