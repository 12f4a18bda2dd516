"""From inputs to statistics: alignment, noise, weights, blocks on threads; it never sees an index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array, map_blocks
from partita.errors import KindError, ParameterError, PartitionError, Phrase, Setting
from partita.partitions import (
    HARD,
    DataMatrix,
    HardPartition,
    Kind,
    MembershipPartition,
    Partition,
    alignment_note,
    as_partition,
    is_mixture,
    same_objects,
)
from partita.statistics import Contingency, Request, Statistic, Whole
from partita.statistics.options import options_of

__all__ = ["Inputs", "NOISE_POLICIES", "Request", "collect", "pair_operations", "prepare", "why_costly"]

NOISE_POLICIES = ("cluster", "singletons", "ignore", "raise")


@dataclass(frozen=True)
class Inputs:
    """Clusterings of the same objects, aligned, with noise and weights settled."""

    partitions: Mapping[str, Partition]
    n_objects: int
    weight: Array | None = None
    coverage: float = 1.0
    dropped: int = 0
    notes: tuple[str, ...] = ()
    aligned: str = ""
    """What is said where objects were dropped; it is among the notes too."""
    frame: str | None = field(default=None, compare=False)
    X: DataMatrix | None = None
    model: Any = None

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of the clusterings, in their order."""
        return tuple(p.kind for p in self.partitions.values())


def prepare(
    given: Mapping[str, Any], *, noise: str = "cluster", sample_weight: Any = None, metric: str = ""
) -> Inputs:
    """Turn what a caller gave into partitions of the same objects, jointly.

    Objects are aligned by index where all sides have one, and the noise policy is applied to all sides. With
    ``metric="precomputed"`` X holds distances between objects.
    """
    if not isinstance(noise, str) or noise not in NOISE_POLICIES:
        need = ", ".join(f'"{p}"' for p in NOISE_POLICIES)
        raise ParameterError("no such noise policy.", got=repr(noise), need=need, parameter="noise")
    X = given.get("X")
    sides: dict[str, Any] = (
        {"X": DataMatrix(X, are_distances=metric == "precomputed")} if "X" in given else {}
    )
    sides |= {name: as_partition(obj, X=X) for name, obj in given.items() if name != "X"}
    model = next((obj for name, obj in given.items() if name != "X" and is_mixture(obj)), None)
    if "model" in given and model is None:
        raise _no_mixture(given["model"])
    frame = next((p.frame for p in sides.values() if p.frame), None)
    notes = [f"{name}: {p.note}" for name, p in sides.items() if p.note]
    sides, weight, _, dropped = same_objects(sides, sample_weight)
    sides = {name: _crisp(p) for name, p in sides.items()}
    aligned = alignment_note(sides, dropped) if dropped else ""
    notes += [aligned] * bool(dropped)
    sides, weight, coverage, noise_notes = _settle_noise(sides, weight, noise)
    data = sides.pop("X", None)
    ready = {name: p.compacted() if isinstance(p, HardPartition) else p for name, p in sides.items()}
    nothing_left = noise == "ignore" and coverage == 0.0
    n = 0 if nothing_left else next(iter(ready.values())).n_objects
    return Inputs(
        ready, n, weight, coverage, dropped, tuple(notes + noise_notes), aligned, frame, data, model
    )


def _no_mixture(obj: Any) -> KindError:
    return KindError(
        "this index judges a fitted Gaussian mixture.",
        got=type(obj).__name__,
        need="a model with weights_, means_ and covariances_, such as scikit-learn's GaussianMixture",
        fix="fit one, or use partition_negentropy(X, found), which takes any hard or fuzzy partition",
    )


def _crisp(partition: Any) -> Any:
    """One-hot memberships as the hard partition they are, so that every index treats them alike."""
    if isinstance(partition, MembershipPartition) and partition.is_crisp:
        hard: HardPartition = partition.to(HARD)
        return hard
    return partition


def collect(
    requests: Iterable[Request], inputs: Inputs, on_block: Callable[[int, int], None] | None = None
) -> dict[Request, Any]:
    """Every requested statistic, and whatever they stand on, each once.

    Additive ones are made in one pass, the others from all objects; a richer statistic that is made anyway
    serves for a poorer one. For two hard partitions whatever a table determines is made from the table.
    """
    settled = {r: _settled(r, inputs) for r in requests}
    needs: dict[Request, Mapping[str, Request]] = {}
    asked = list(settled.values())
    for request in asked:  # which grows
        if request not in needs:
            stands_on = _foundations(request, inputs)
            needs[request] = {name: _settled(need, inputs) for name, need in stands_on.items()}
            asked += needs[request].values()
    richer = {replace(r, statistic=poorer): r for r in needs for poorer in r.statistic.serves_for}
    made: dict[Request, Any] = {}
    waiting = dict.fromkeys(richer.get(r, r) for r in needs)
    while waiting:
        known = {r: made[richer.get(r, r)] for r in needs if richer.get(r, r) in made}
        ready = [r for r in waiting if known.keys() >= set(needs[r].values())]
        built_on = {r: {name: known[need] for name, need in needs[r].items()} for r in ready}
        made |= _collect_together(built_on, inputs, on_block)
        waiting = {r: None for r in waiting if r not in made}
    return {request: made[richer.get(r, r)] for request, r in settled.items()}


def _foundations(request: Request, inputs: Inputs) -> Mapping[str, Request]:
    """What this statistic is built on here, by the name of the parameter that takes it."""
    if _is_determined_by_table(request, inputs):
        return {"table": Request(Contingency)}
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
    collected |= {
        r: r.statistic.from_whole(
            *sides[r], weight=inputs.weight, on_block=on_block, **built_on[r], **_all_options(r, inputs)
        )
        for r in whole
    }
    wanted = [r for r in sides if r not in collected]
    if wanted:
        rows = min(r.statistic.block_rows(*sides[r]) for r in wanted)

        def one(part: slice) -> list[Any]:
            cut = {id(p): p.take(part) for p in inputs.partitions.values()}
            for X in (x for r in wanted for x in sides[r] if isinstance(x, np.ndarray)):
                cut.setdefault(id(X), np.asarray(X[part], dtype=np.float64))
            weight = None if inputs.weight is None else inputs.weight[part]
            return [
                r.statistic.from_block(
                    *(cut[id(p)] for p in sides[r]), weight=weight, **built_on[r], **dict(r.options)
                )
                for r in wanted
            ]

        merged: list[Any] | None = None
        soft = any(not isinstance(p, HardPartition) for p in inputs.partitions.values())
        products = soft or inputs.X is not None
        for found in map_blocks(one, inputs.n_objects, rows, on_block, products=products):
            merged = found if merged is None else [a + b for a, b in zip(merged, found, strict=True)]
        assert merged is not None
        collected |= dict(zip(wanted, merged, strict=True))
    if inputs.X is not None and inputs.X.exponent:
        collected = {r: made.with_exponent(inputs.X.exponent) for r, made in collected.items()}
    return collected


def _all_options(request: Request, inputs: Inputs) -> dict[str, Any]:
    """The request's options, and the fitted model for a statistic that can use one."""
    options = dict(request.options)
    return {**options, "model": inputs.model} if request.statistic.takes_model else options


def _sides(request: Request, inputs: Inputs) -> list[Any]:
    """What a statistic is made from: the values of X, partitions, the model."""
    made: dict[str, Any] = dict(inputs.partitions)
    if inputs.X is not None:
        made["X"] = inputs.X.values if request.statistic.takes_units else inputs.X.scaled
    if inputs.model is not None:
        made["model"] = inputs.model
    return [made[name] for name in request.sides or request.statistic.inputs]


def _is_determined_by_table(request: Request, inputs: Inputs) -> bool:
    return request.statistic.from_table is not None and set(inputs.kinds) == {HARD}


def pair_operations(requests: Iterable[Request], inputs: Inputs) -> float:
    """About how many pairs of objects these statistics must look at; 0 for those that need no look."""
    costly = [r for r in requests if not _is_determined_by_table(r, inputs)]
    return float(sum(r.statistic.pair_operations(*_sides(r, inputs), **dict(r.options)) for r in costly))


def why_costly(requests: Iterable[Request]) -> str:
    """Why these statistics take long, in words."""
    reasons = [r.statistic.why_costly for r in requests]
    return next((reason for reason in reasons if reason != Statistic.why_costly), Statistic.why_costly)


# --- noise --------------------------------------------------------------------------------------------


def _settle_noise(
    partitions: dict[str, Any], weight: Array | None, policy: str
) -> tuple[dict[str, Any], Array | None, float, list[str]]:
    masks = {name: p.noise_mask for name, p in partitions.items()}
    noisy = {name: mask for name, mask in masks.items() if mask is not None}
    if not noisy:
        return partitions, weight, 1.0, []
    n = next(iter(partitions.values())).n_objects
    anywhere = np.zeros(n, dtype=bool)
    for mask in noisy.values():
        anywhere |= mask
    coverage = float(np.average(~anywhere, weights=weight))
    counts = ", ".join(f"{int(mask.sum())} in {name}" for name, mask in noisy.items())
    if policy == "raise":
        raise PartitionError(
            "there is noise.",
            got=f"noise objects: {counts}",
            need="no noise, as noise='raise' demands",
            fix=Phrase(Setting("noise", "cluster"), ', "singletons" or "ignore"'),
        )
    notes = [f'noise: {counts}; coverage {coverage:.1%}; policy "{policy}"']
    if policy == "ignore" and coverage > 0.0:
        kept = np.flatnonzero(~anywhere)
        partitions = {name: p.take(kept) for name, p in partitions.items()}
        weight = None if weight is None else weight[kept]
    elif policy == "singletons":
        if weight is not None:
            partitions, weight, masks = _repeat_noise(partitions, weight, anywhere)
        partitions = {name: _noise_as_singletons(name, p, masks[name]) for name, p in partitions.items()}
    return partitions, weight, coverage, notes


def _repeat_noise(
    partitions: dict[str, Any], weight: Array, anywhere: Array
) -> tuple[dict[str, Any], Array, dict[str, Array | None]]:
    """A noise object of weight 3 is three singletons: repeat it."""
    if weight.dtype.kind != "i":
        raise ParameterError(
            "a fraction of an object cannot be a singleton.",
            got="fractional weights on noise",
            need="whole-number weights",
            fix=Phrase(Setting("noise", "cluster"), ' or "ignore"'),
        )
    rows = np.repeat(np.arange(weight.size), np.where(anywhere, weight, 1))
    repeated = {name: p.take(rows) for name, p in partitions.items()}
    return repeated, np.where(anywhere, 1, weight)[rows], {name: p.noise_mask for name, p in repeated.items()}


def _noise_as_singletons(name: str, partition: Partition, mask: Array | None) -> Partition:
    if mask is None:
        return partition
    if not isinstance(partition, HardPartition):
        raise ParameterError(
            f"noise cannot become singletons in a {partition.kind} partition.",
            got=f"{name}: {partition!r}",
            need="a hard partition",
            fix=Phrase(Setting("noise", "ignore"), ", or harden() first"),
        )
    codes = partition.codes.copy()
    codes[mask] = partition.n_clusters + np.arange(int(mask.sum()))
    made = HardPartition(codes, index=partition.index)
    made.note, made.frame = partition.note, partition.frame
    return made
