"""Lower and upper values of an index over the hard clusterings that soft sides stand for, in rows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from partita.errors import PartitionError, TooLargeError
from partita.inputs import Inputs
from partita.partitions import EVIDENTIAL, HARD, POSSIBILISTIC, ROUGH, softest
from partita.registry import Caveat, CaveatKind, Index
from partita.registry.caveats import said
from partita.results.index_rows import IndexValue

__all__ = ["USUAL", "asks_for_ends", "has_ends", "with_ends"]

BETWEEN_ENDS = frozenset({ROUGH, POSSIBILISTIC, EVIDENTIAL})
"""Kinds that stand for many hard clusterings without a probability for each: lower and upper values."""

USUAL = (
    "rand",
    "adjusted_rand",
    "jaccard",
    "nmi_sum",
    "variation_of_information",
    "classification_error",
)
"""Indices whose lower and upper values are shown unasked, where a side is one of those kinds."""

MOST_REPEATED = 1_000_000

OF_TYPICALITIES = Caveat(
    CaveatKind.METHOD,
    "value is of the table of typicalities; lower and upper are expected over the hard clusterings that these"
    " stand for, and it need not lie between them",
)


NOT_OF_CHUNKS = Caveat(
    CaveatKind.NOT_COMPUTED, "no lower and upper values: they look at all objects, which lie in chunks"
)


def asks_for_ends(entry: Index, inputs: Inputs, *, named: bool) -> bool:
    """Whether lower and upper values of this index are of interest."""
    return entry.is_of_table and (named or entry.name in USUAL) and not BETWEEN_ENDS.isdisjoint(inputs.kinds)


def has_ends(inputs: Inputs) -> bool:
    """Whether lower and upper values are worked out."""
    weight = inputs.weight
    return (
        bool(inputs.n_objects)
        and not inputs.is_chunked
        and (weight is None or (weight.dtype.kind == "i" and weight.sum() <= MOST_REPEATED))
    )


def with_ends(row: IndexValue, entry: Index, inputs: Inputs, *, is_wanted: bool) -> IndexValue:
    """The row with lower and upper values, and what soft clusterings score against themselves."""
    caveats = row.caveats
    if is_wanted and inputs.is_chunked:
        caveats = (*caveats, NOT_OF_CHUNKS)
    elif is_wanted and has_ends(inputs):
        lower, upper, how = _ends(entry, inputs)
        row, caveats = replace(row, lower=lower, upper=upper), (*caveats, how)
        if not math.isnan(row.value) and not math.isnan(lower):
            caveats = (*caveats, OF_TYPICALITIES)
    caveats = (*caveats, *_reflexivity(entry, inputs))
    return row if caveats == row.caveats else replace(row, caveats=caveats)


def _ends(entry: Index, inputs: Inputs) -> tuple[float, float, Caveat]:
    """Lower and upper value over the hard clusterings that both sides stand for, and how they were found."""
    from partita.distributional.measures import quick_ends

    if inputs.weight is not None:  # multiplicities: the same as repeated objects
        rows = np.repeat(np.arange(inputs.n_objects), inputs.weight)
        repeated = {name: p.take(rows) for name, p in inputs.partitions.items()}
        inputs = replace(inputs, partitions=repeated, n_objects=len(rows), weight=None)
    try:
        lower, upper, how = quick_ends(inputs, entry)
    except (PartitionError, TooLargeError) as problem:  # an object in no cluster at all; many clusters
        reason = f"no lower and upper values: {problem.what.rstrip('.')}"
        return math.nan, math.nan, Caveat(CaveatKind.NOT_COMPUTED, reason)
    return lower.value, upper.value, how


def _reflexivity(entry: Index, inputs: Inputs) -> tuple[Caveat, ...]:
    """What to say where a soft clustering does not score best against itself, or nobody knows."""
    kind = softest(inputs.kinds)
    if kind is HARD or entry.best is None or entry.range_of(inputs.kinds) is None:
        return ()
    one = f"{'an' if kind is EVIDENTIAL else 'a'} {kind} clustering"
    refuted = f"{one} does not score best against itself (see self_agreement)"
    unknown = f"not known whether {one} scores best against itself"
    return {
        "claimed": (),
        "refuted": said(CaveatKind.NOT_REFLEXIVE, refuted),
        "open": said(CaveatKind.REFLEXIVITY_UNKNOWN, unknown),
    }[entry.status("reflexive", kind)]
