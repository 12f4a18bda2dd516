"""From inputs to statistics: each made once, in as few passes as can be; it never sees an index."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np

from partita.arrays import is_sparse, map_blocks, stacked
from partita.arrays.chunked import all_at_once, sum_of_chunks, zipped
from partita.errors import ParameterError
from partita.inputs import Inputs
from partita.partitions import HardPartition
from partita.statistics import Contingency, Request, Statistic, Whole
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.options import options_of
from partita.statistics.protocol import ALL_VALUES, rows_of_data

TRIAL_ROWS = 4096
"""Objects that a trial looks at."""

__all__ = [
    "Request",
    "brought_here",
    "bytes_in_chunks",
    "collect",
    "needs_all_at_once",
    "pair_operations",
    "why_costly",
]

TABLE = Request.of(Contingency, {})


def collect(
    requests: Iterable[Request], inputs: Inputs, on_block: Callable[[int, int], None] | None = None
) -> dict[Request, Any]:
    """Every requested statistic, and whatever they stand on, each once.

    Additive ones are made in one pass, the others from all objects; a richer statistic that is made anyway
    serves for a poorer one. For two hard partitions whatever a table determines is made from the table.
    """
    settled = {r: _settled(r, inputs) for r in dict.fromkeys(requests)}
    needs: dict[Request, Mapping[str, Request]] = {}
    asked = list(settled.values())
    for request in asked:  # which grows
        if request not in needs:
            stands_on = _foundations(request, inputs)
            needs[request] = {name: _settled(need, inputs) for name, need in stands_on.items()}
            asked += needs[request].values()
    richer = {replace(r, statistic=poorer): r for r in needs for poorer in r.statistic.serves_for}
    source = {r: richer.get(r, r) for r in needs}
    made: dict[Request, Any] = {} if inputs.table is None else {TABLE: inputs.table}
    waiting = [r for r in dict.fromkeys(source.values()) if r not in made]
    while waiting:
        ready = [r for r in waiting if all(source[need] in made for need in needs[r].values())]
        built_on = {r: {name: made[source[need]] for name, need in needs[r].items()} for r in ready}
        made |= _collect_together(built_on, inputs, on_block)
        waiting = [r for r in waiting if r not in made]
    return {request: made[source[r]] for request, r in settled.items()}


def _foundations(request: Request, inputs: Inputs) -> Mapping[str, Request]:
    """What this statistic is built on here, by the name of the parameter that takes it."""
    if _is_determined_by_table(request, inputs):
        return {"table": TABLE}
    if not request.statistic.needs:
        return {}
    given = dict(zip(request.statistic.inputs, _sides(request, inputs), strict=True))
    standard = {name: option.default for name, option in options_of(request.statistic.options).items()}
    options = standard | _all_options(request, inputs)
    stands_on: Mapping[str, Request] = request.statistic.foundations(**given, **options)
    return stands_on


def _settled(request: Request, inputs: Inputs) -> Request:
    """The request without the options that do not matter for these inputs."""
    if not request.options:
        return request
    given = dict(zip(request.statistic.inputs, _sides(request, inputs), strict=True))
    idle = request.statistic.idle_options(**given)
    return replace(request, options=tuple((k, v) for k, v in request.options if k not in idle))


def _collect_together(
    built_on: Mapping[Request, Mapping[str, Any]],
    inputs: Inputs,
    on_block: Callable[[int, int], None] | None,
) -> dict[Request, Any]:
    """Statistics that do not need each other, from what they are built on."""
    from_table = [r for r in built_on if _is_determined_by_table(r, inputs)]
    collected = {r: r.statistic.from_table(**built_on[r]) for r in from_table}
    sides = {r: _sides(r, inputs) for r in built_on if r not in collected}
    whole = [r for r in sides if issubclass(r.statistic, Whole)]
    made_whole = _from_chunks if inputs.is_chunked else _from_whole
    collected |= {r: made_whole(r, built_on[r], inputs, on_block) for r in whole}
    additive = {r: built_on[r] for r in sides if r not in collected}
    if additive:
        over = _over_chunks if inputs.is_chunked else _over_blocks
        made = over(additive, inputs, on_block)
        collected |= dict(zip(additive, made, strict=True))
    if inputs.X is not None and inputs.X.exponent:
        collected = {r: made.with_exponent(inputs.X.exponent) for r, made in collected.items()}
    return collected


def _from_whole(
    request: Request, built_on: Mapping[str, Any], inputs: Inputs, on_block: Callable[[int, int], None] | None
) -> Any:
    """A statistic of all objects at once, in memory, or made from what it stands on alone."""
    sides, options = _sides(request, inputs), _all_options(request, inputs)
    return request.statistic.from_whole(
        *sides, weight=inputs.weight, on_block=on_block, **built_on, **options
    )


def _from_chunks(
    request: Request, built_on: Mapping[str, Any], inputs: Inputs, on_block: Callable[[int, int], None] | None
) -> Any:
    """A statistic of all objects, by passes over chunks, or pairs of chunks, of what it takes."""
    statistic = request.statistic
    if statistic.from_needs_alone:
        return _from_whole(request, built_on, inputs, on_block)
    if statistic.from_chunks is None:
        raise all_at_once(", ".join(map(repr, inputs.partitions.values())))
    objects = chunked_objects(request, inputs)
    sides, options = _sides(request, inputs), _all_options(request, inputs)
    return statistic.from_chunks(objects, *sides, on_block=on_block, **built_on, **options)


def chunked_objects(request: Request, inputs: Inputs) -> ChunkedObjects:
    """The objects in chunks, with those inputs alone that the statistic takes."""
    own = _taken_by(request, inputs)
    return ChunkedObjects(_columns(own), partial(_opened, request, replace(own.blank(), weight=None)))


def _taken_by(request: Request, inputs: Inputs) -> Inputs:
    taken = request.sides or request.statistic.inputs
    partitions = {name: p for name, p in inputs.partitions.items() if name in taken}
    return replace(inputs, partitions=partitions, X=inputs.X if "X" in taken else None)


def _opened(request: Request, blank: Inputs, parts: Sequence[Any]) -> tuple[list[Any], Any]:
    inputs = blank.holding(parts)
    return _sides(request, inputs), inputs.weight


def trial(request: Request, inputs: Inputs) -> float:
    """Make a statistic of the first few objects of those in chunks; returns its number of pair operations."""
    own = _taken_by(request, inputs)
    held: Any = replace(own.blank(), weight=None).holding
    first = np.arange(min(TRIAL_ROWS, own.n_objects))
    few: Any = ChunkedObjects(_columns(own), held).take(first)
    collect([request], few)
    return pair_operations([request], few)


def _columns(inputs: Inputs) -> list[Any]:
    """What lies in chunks: the values of clusterings and data, and the weights."""
    clusterings: Iterable[Any] = inputs.partitions.values()
    columns: list[Any] = [p.values for p in clusterings]
    columns += [] if inputs.X is None else [inputs.X.values]
    return columns + ([] if inputs.weight is None else [inputs.weight])


def bytes_in_chunks(inputs: Inputs) -> int:
    """What all objects that lie in chunks would take here, written out."""
    return sum(math.prod(column.shape) * column.dtype.itemsize for column in _columns(inputs))


def brought_here(inputs: Inputs) -> Inputs:
    """The same with all objects in memory."""
    return inputs.blank().holding([stacked(zipped(_itself, column)) for column in _columns(inputs)])


def _itself(chunk: Any) -> Any:
    return chunk


def _over_blocks(
    built_on: Mapping[Request, Mapping[str, Any]], inputs: Inputs, on_block: Callable[[int, int], None] | None
) -> list[Any]:
    """Additive statistics of objects in memory, in one pass over blocks of them."""
    sides = {r: _sides(r, inputs) for r in built_on}
    rows = min(r.statistic.block_rows(*sides[r]) for r in built_on)

    def one(part: slice) -> list[Any]:
        cut = {id(p): p.take(part) for p in inputs.partitions.values()}
        for X in (x for r in built_on for x in sides[r] if isinstance(x, np.ndarray) or is_sparse(x)):
            cut.setdefault(id(X), rows_of_data(X, part))
        weight = None if inputs.weight is None else inputs.weight[part]
        return [
            r.statistic.from_block(
                *(cut[id(p)] for p in sides[r]), weight=weight, **built_on[r], **dict(r.options)
            )
            for r in built_on
        ]

    soft = any(not isinstance(p, HardPartition) for p in inputs.partitions.values())
    products = soft or inputs.X is not None
    return reduce(_added, map_blocks(one, inputs.n_objects, rows, on_block, products=products))


def _over_chunks(
    built_on: Mapping[Request, Mapping[str, Any]], inputs: Inputs, on_block: Callable[[int, int], None] | None
) -> list[Any]:
    """Additive statistics of objects in chunks, each chunk in blocks where it lies."""
    shared = built_on, inputs.blank()
    made: list[Any] = sum_of_chunks(_of_chunk, shared, _columns(inputs), _added, on_block)
    return made


def _of_chunk(shared: tuple[Mapping[Request, Mapping[str, Any]], Inputs], *parts: Any) -> list[Any]:
    built_on, blank = shared
    return _over_blocks(built_on, blank.holding(parts), None)


def _added(some: list[Any], others: list[Any]) -> list[Any]:
    return [a + b for a, b in zip(some, others, strict=True)]


def _all_options(request: Request, inputs: Inputs) -> dict[str, Any]:
    """The request's options, and the fitted model for a statistic that can use one."""
    options = dict(request.options)
    return {**options, "model": inputs.model} if request.statistic.takes_model else options


def _sides(request: Request, inputs: Inputs) -> list[Any]:
    """What a statistic is made from: the values of X, partitions, the model."""
    made: dict[str, Any] = dict(inputs.partitions)
    if inputs.X is not None and not why_not_sparse(request, inputs):
        made["X"] = inputs.X.sparse if request.statistic.takes_units else inputs.X.scaled_sparse
    elif inputs.X is not None and "X" in (request.sides or request.statistic.inputs):
        made["X"] = inputs.X.values if request.statistic.takes_units else inputs.X.scaled
    if inputs.model is not None:
        made["model"] = inputs.model
    return [made[name] for name in request.sides or request.statistic.inputs]


def why_not_sparse(request: Request, inputs: Inputs) -> str:
    """Why this statistic does not take the data as they are, sparse; nothing where it does."""
    if inputs.X is None or inputs.X.sparse is None or "X" not in request.statistic.inputs:
        return ALL_VALUES
    known = {**inputs.partitions, "X": inputs.X.sparse, "model": inputs.model}
    given = [known.get(name) for name in request.sides or request.statistic.inputs]
    reason: str = request.statistic.why_not_sparse(*given, **dict(request.options))
    return reason


def needs_all_values(requests: Iterable[Request], inputs: Inputs) -> str:
    """Why one of these statistics, or one that it stands on, needs sparse data written out; else nothing."""
    for request in requests:
        if "X" in request.statistic.inputs:
            reason = why_not_sparse(request, inputs)
            if reason:
                return reason
    return ""


def _is_determined_by_table(request: Request, inputs: Inputs) -> bool:
    return request.statistic.from_table is not None and inputs.are_hard


def refusal(request: Request, inputs: Inputs) -> ParameterError | None:
    """What a statistic refuses in the data, or None."""
    assert inputs.X is not None
    options = dict(request.options)
    if request.statistic.check is Statistic.check:
        return None  # which refuses nothing; data in chunks would be read for that
    if not inputs.is_chunked or getattr(request.statistic, "check_chunks", None) is None:
        stays_sparse = not why_not_sparse(request, inputs)
        return inputs.X.refusal(partial(request.statistic.check, **options), stays_sparse=stays_sparse)
    try:
        request.statistic.check_chunks(chunked_objects(request, inputs), **options)
    except ParameterError as problem:
        return problem
    return None


def needs_all_at_once(requests: Iterable[Request], inputs: Inputs) -> bool:
    """Whether one of these statistics, or one that it stands on, is not made chunk by chunk."""
    return any(
        (
            issubclass(r.statistic, Whole)
            and not r.statistic.from_needs_alone
            and r.statistic.from_chunks is None
        )
        or needs_all_at_once(_foundations(r, inputs).values(), inputs)
        for r in requests
        if not _is_determined_by_table(r, inputs)
    )


def pair_operations(requests: Iterable[Request], inputs: Inputs) -> float:
    """About how many pairs of objects these statistics must look at; 0 for those that need no look."""
    costly = [r for r in requests if not _is_determined_by_table(r, inputs)]
    return float(sum(r.statistic.pair_operations(*_sides(r, inputs), **dict(r.options)) for r in costly))


def sampling(requests: Iterable[Request], inputs: Inputs) -> dict[str, Any]:
    """The options by which these statistics look at a sample of the inputs, where they can."""
    looks = [r for r in requests if not _is_determined_by_table(r, inputs)]
    return {k: v for r in looks for k, v in r.statistic.sampling(*_sides(r, inputs)).items()}


def looks_at_pairs(requests: Iterable[Request]) -> bool:
    """Whether what takes long, if anything does, is to look at pairs of objects."""
    return why_costly(requests) == Statistic.why_costly


def why_costly(requests: Iterable[Request]) -> str:
    """Why these statistics take long, in words."""
    reasons = [r.statistic.why_costly for r in requests]
    return next((reason for reason in reasons if reason != Statistic.why_costly), Statistic.why_costly)
