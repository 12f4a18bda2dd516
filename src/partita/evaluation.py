"""Which indices apply and what is left out, and why; then their values, caveats and rows. Once, for all."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import MOST_DENSE_CELLS
from partita.arrays.chunked import all_at_once
from partita.engine import (
    Request,
    chunked_objects,
    collect,
    looks_at_pairs,
    needs_all_at_once,
    needs_all_values,
    pair_operations,
    refusal,
    sampling,
    trial,
    why_costly,
)
from partita.errors import ParameterError, UndefinedIndexError
from partita.inputs import Inputs, prepare
from partita.partitions import HARD, softest
from partita.progress import say_cost
from partita.registry import Caveat, CaveatKind, Index
from partita.registry.caveats import said
from partita.registry.entry import Basis
from partita.results.index_rows import IndexValue, LeftOut
from partita.statistics.protocol import OnBlock

__all__ = [
    "Assignment",
    "HARDENED",
    "Judgement",
    "MOST_PAIR_OPERATIONS",
    "Plan",
    "demand_values",
    "judge",
    "plan",
    "score",
    "values_of",
]

HARDENED = Caveat(CaveatKind.HARDENED, "on hardened labels")

ALL_AT_ONCE = "looks at all objects at once, and they lie in chunks"

HOLDS_EACH = "holds some numbers of each object"

MOST_HELD_OBJECTS = 1_000_000
"""Objects in chunks of which indices of pairs hold some numbers unasked, so that memory stays bounded."""

MOST_PAIR_OPERATIONS = 1e9
"""What is computed unasked; indices that look at more pairs of objects must be named."""


class Assignment(NamedTuple):
    """An index, the inputs that it judges, and what must be said about that."""

    entry: Index
    inputs: Inputs
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class Plan:
    """What is computed on which inputs, and what is left out."""

    assignments: tuple[Assignment, ...]
    left_out: tuple[LeftOut, ...] = ()


def plan(
    wanted: Iterable[Index],
    inputs: Inputs,
    *,
    strict: bool | Collection[str] = True,
    most_pairs: float = math.inf,
    hardens: bool = False,
    one_scale: bool = False,
    with_ends: Collection[str] = (),
) -> Plan:
    """Which of the indices can judge these inputs.

    Parameters
    ----------
    wanted : indices
        Each sees those of the inputs that it takes.
    inputs : Inputs
        From `prepare`.
    strict : bool, or labels
        Raise for an index that does not apply, or for one of these; else it is left out, with the reason, as
        is one that every clustering of this kind scores best on.
    most_pairs : float
        Leave out what looks at more pairs of objects.
    hardens : bool
        Judge hardened labels by an index that knows no others.
    one_scale : bool
        Judge hardened labels by every index of the data that knows them; nothing is left out for being the
        same for all clusterings of a kind, which others beside it are not of.
    with_ends : labels
        Indices that have lower and upper values here, and are wanted even without a value of their own.
    """
    views = _Views(inputs, keeps_model=not one_scale)
    assignments, left_out = [], []
    of_labels = not one_scale and _are_labels_alone(inputs)
    for entry in wanted:
        has_ends = entry.label in with_ends
        must = strict if isinstance(strict, bool) else entry.label in strict
        on = views.of(entry)
        if of_labels and not must and entry.is_of_hard_table and not entry.constant and HARD in entry.kinds:
            assignments.append(Assignment(entry, on))  # nothing can stand in its way
            continue
        prefers_hard = one_scale and "X" in entry.inputs and "model" not in entry.inputs
        needs_hard = (hardens or one_scale) and not has_ends and entry.range_of(on.kinds) is None
        if (prefers_hard or needs_hard) and entry.range_of((HARD,) * len(on.kinds)) is not None:
            on = views.hardened(entry)
        reason = _obstacle(entry, on) or ("" if has_ends else _not_defined(entry, on, strict=must))
        if must and reason == ALL_AT_ONCE:
            raise all_at_once(f"{entry.label} of {', '.join(map(repr, on.partitions.values()))}")
        if must and reason:
            raise ParameterError(f"{entry.label} cannot be computed here.", got=reason)
        cost = ""
        same_for_all = entry.constant.get(softest(on.kinds), "") if entry.constant and on.kinds else ""
        if not must and not has_ends and not reason:
            reason = _unwritten(entry, on) or ("" if one_scale else same_for_all)
            reason = reason or _refusal(entry, on)
            operations = 0.0 if reason else pair_operations(entry.requests, on)
            holds_too_many = operations > 0.0 and on.is_chunked and on.n_objects > MOST_HELD_OBJECTS
            if operations > most_pairs or holds_too_many:
                sampled = _sampled_form(entry, on)
                names = f"{sampled} or {entry.name}" if sampled else entry.name
                why = why_costly(entry.requests) if operations > most_pairs else HOLDS_EACH
                reason = f"{why} unasked; indices=[...] with {names}"
                cost = f"{operations:.1e} pair operations"
        if reason:
            left_out.append(LeftOut(entry.label, reason, cost))
        else:
            hardened = (HARDENED,) if on is not views.of(entry) else ()
            constant = said(CaveatKind.CONSTANT, same_for_all)
            assignments.append(Assignment(entry, on, (*constant, *hardened)))
    return Plan(tuple(assignments), tuple(left_out))


def _sampled_form(entry: Index, inputs: Inputs) -> str:
    """The index, spelled with the options by which it looks at a sample; empty where it cannot."""
    options = sampling(entry.requests, inputs)
    spelled = ",".join(f"{name}={value}" for name, value in options.items() if name in entry.options)
    return f"{entry.name}:{spelled}" if spelled else ""


class _Views:
    """The clusterings that an index takes: one object for all that take the same, so that they share."""

    def __init__(self, inputs: Inputs, *, keeps_model: bool) -> None:
        self.inputs, self.keeps_model = inputs, keeps_model
        self.known: dict[tuple[str, ...], Inputs] = {}
        self.by_inputs: dict[tuple[str, ...], Inputs] = {}
        self.hard: dict[tuple[str, ...], Inputs] = {}

    def of(self, entry: Index) -> Inputs:
        """As they are."""
        view = self.by_inputs.get(entry.inputs)
        if view is None:
            view = self.inputs.only(entry.inputs)
            self.by_inputs[entry.inputs] = view = self.known.setdefault(tuple(view.partitions), view)
        return view

    def hardened(self, entry: Index) -> Inputs:
        """As hard labels; the same object where they are hard already."""
        view = self.of(entry)
        if set(view.kinds) <= {HARD}:
            return view
        names = tuple(view.partitions)
        if names not in self.hard:
            self.hard[names] = view.hardened(keeps_model=self.keeps_model)
        return self.hard[names]


def _are_labels_alone(inputs: Inputs) -> bool:
    return inputs.are_hard and inputs.X is None and inputs.model is None and not inputs.is_chunked


def _obstacle(entry: Index, inputs: Inputs) -> str:
    """What an index needs and is not here, or nothing."""
    if "model" in entry.inputs and inputs.model is None:
        return "needs a fitted Gaussian mixture in place of the clustering"
    of_distances = inputs.X is not None and inputs.X.are_distances
    if of_distances and "X" in entry.inputs and "metric" not in entry.options:
        return "needs the data itself: it has centres, and distances have none"
    if of_distances and entry.options.get("metric", "precomputed") != "precomputed":
        return "needs the data itself: X holds distances of another metric"
    if inputs.is_chunked and needs_all_at_once(entry.requests, inputs):
        return ALL_AT_ONCE
    return ""


def _unwritten(entry: Index, inputs: Inputs) -> str:
    """Why an index cannot have sparse data that do not fit when they are written out, or nothing."""
    if inputs.X is None or inputs.X.sparse is None or math.prod(inputs.X.shape) <= MOST_DENSE_CELLS:
        return ""
    reason = needs_all_values(entry.requests, inputs)
    return f"{reason}, and {inputs.X.shape[0]} x {inputs.X.shape[1]} values do not fit" if reason else ""


def _not_defined(entry: Index, inputs: Inputs, *, strict: bool) -> str:
    """Why an index has no value for these kinds, or nothing; an error where that is asked for."""
    if strict:
        entry.check_kinds(inputs.kinds)
    if entry.range_of(inputs.kinds) is not None:
        return ""
    kinds = " against ".join(k.value for k in inputs.kinds)
    if inputs.weight is not None and entry.is_of_table:
        return f"not defined for {kinds}, and weights leave no lower and upper values"
    return f"not defined for {kinds} clusterings; {entry.way_out}"


def _refusal(entry: Index, inputs: Inputs) -> str:
    """Why a statistic of this index refuses the data, or nothing."""
    if inputs.X is not None:
        for request in entry.requests:
            problem = refusal(request, inputs)
            if problem is not None:
                return f"{problem.what.rstrip('.')} ({problem.got})"
    return ""


class Judgement(NamedTuple):
    """The rows of a plan, in the order asked for, and the statistics that they were computed from."""

    rows: tuple[IndexValue, ...]
    statistics: tuple[Any, ...]


def judge(plan: Plan, on_block: OnBlock | None = None) -> Judgement:
    """A row for each index of the plan; those that judge the same inputs share their statistics."""
    together: dict[int, list[Assignment]] = {}
    for one in plan.assignments:
        together.setdefault(id(one.inputs), []).append(one)
    rows: dict[str, IndexValue] = {}
    statistics: list[Any] = []
    for group in together.values():
        inputs = group[0].inputs
        if inputs.is_chunked and inputs.n_objects:
            _tell_costs([one.entry for one in group], inputs)
        computed, collected = values_of([one.entry for one in group], inputs, on_block)
        statistics += collected
        for one in group:
            value, caveats = computed[one.entry.label]
            own = one.entry.caveat(inputs.kinds)
            if own or one.caveats:
                caveats = (*caveats, *said(CaveatKind.OWN, own), *one.caveats)
            rows[one.entry.label] = IndexValue.of(one.entry, value, caveats)
    return Judgement(tuple(rows[one.entry.label] for one in plan.assignments), tuple(statistics))


def _tell_costs(entries: Iterable[Index], inputs: Inputs) -> None:
    """Say to whom waits what a look at very many pairs of objects in chunks costs, before it starts."""
    using: dict[Request, list[Index]] = {}
    for entry in entries:
        for request in entry.requests:
            using.setdefault(request, []).append(entry)
    for request, indices in using.items():
        operations = pair_operations([request], inputs)
        if operations > MOST_PAIR_OPERATIONS and looks_at_pairs([request]):
            labels = ", ".join(entry.label for entry in indices)
            n_pairs = chunked_objects(request, inputs).n_pairs
            say_cost(
                f"{labels}: {operations:.1e} pair operations in {n_pairs:,} pairs of chunks",
                operations,
                partial(trial, request, inputs),
                instead=_sampled_form(indices[0], inputs),
            )


def values_of(
    entries: Sequence[Index], inputs: Inputs, on_block: OnBlock | None = None
) -> tuple[dict[str, tuple[float, tuple[Caveat, ...]]], list[Any]]:
    """Value and caveats of each index by its label, nan where these kinds have none; and the statistics."""
    using: dict[tuple[Request, ...], list[Index]] = {}
    for entry in entries:
        if entry.range_of(inputs.kinds) is not None:
            using.setdefault(entry.requests, []).append(entry)
    values: dict[str, tuple[float, tuple[Caveat, ...]]] = {e.label: (math.nan, ()) for e in entries}
    if not inputs.n_objects:
        return values | {e.label: e.value_for(inputs, {}) for some in using.values() for e in some}, []
    collected = collect([request for requests in using for request in requests], inputs, on_block)
    with np.errstate(all="ignore"):
        for requests, some in using.items():
            basis = Basis([collected[request] for request in requests])
            for entry in some:
                values[entry.label] = entry.value_on(basis)
    return values, list(collected.values())


def demand_values(rows: Iterable[IndexValue], on_undefined: str) -> None:
    """Raise for the first row with neither a value nor lower and upper ones, where that is asked for."""
    for row in rows if on_undefined == "raise" else ():
        if math.isnan(row.value) and math.isnan(row.lower):
            raise UndefinedIndexError(
                f"{row.index} has no value here: {row.caveat}.", fix='on_undefined="nan"'
            )


def score(entry: Index, given: Mapping[str, Any]) -> IndexValue:
    """One index of those of the inputs that it takes; on hardened labels where it knows no others."""
    wanted = {name: given[name] for name in entry.inputs}
    inputs = prepare(wanted, metric=str(entry.options.get("metric", "")))
    return judge(plan([entry], inputs, hardens=True)).rows[0]
