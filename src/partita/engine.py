"""From inputs to statistics: alignment, noise, weights, blocks on threads; it never sees an index."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from partita.arrays import Array, frame_library, map_blocks, multiplicities
from partita.errors import KindError, MismatchError, ParameterError, PartitionError
from partita.partitions import (
    HARD,
    DataMatrix,
    HardPartition,
    Kind,
    MembershipPartition,
    Partition,
    as_partition,
    is_mixture,
    lengths_differ,
)
from partita.statistics import Contingency

NOISE_POLICIES = ("cluster", "singletons", "ignore", "raise")


@dataclass(frozen=True)
class Request:
    """A statistic with its options: requests that are equal share one computation.

    A statistic is a frozen class with ``inputs`` (``X``, names of partitions, ``model``) and ``options``
    (names). An additive one has ``block_rows``, ``from_block(*inputs, weight, **options)`` and ``+``; a whole
    one, which looks at all objects at once, has ``from_whole(*inputs, weight, on_block, **options)``. One
    whose work grows faster than the data, with the pairs of objects mostly, has ``pair_operations``, and
    ``why_costly`` if it is not for these pairs. What the table of two hard partitions determines has
    ``from_table`` too. A statistic that ``needs`` others gets them after its inputs, in a later pass. One
    that is not defined for all data has ``check(X, **options)``, which refuses what it cannot judge.

    X comes in a unit in which squares neither overflow nor vanish, ``2 ** exponent``: 1 for ordinary data.
    Where that matters the statistic has a field ``exponent``. One that ``takes_units`` gets X as it is.
    """

    statistic: type[Any]
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, statistic: type[Any], options: Mapping[str, Any]) -> Request:
        """A statistic with those of the options that are its own and differ from what it takes by default."""
        make: Any = statistic
        standard = _standard_options(make)
        asked = ((name, options[name]) for name in statistic.options if name in options)
        return cls(statistic, tuple((k, v) for k, v in asked if k not in standard or standard[k] != v))


@cache
def _standard_options(statistic: Any) -> dict[str, Any]:
    """What a statistic takes for each of its options that is not given."""
    make = getattr(statistic, "from_whole", None) or statistic.from_block
    given = inspect.signature(make).parameters
    return {o: given[o].default for o in statistic.options if o in given}


@dataclass(frozen=True)
class Inputs:
    """Clusterings of the same objects, aligned, with noise and weights settled."""

    partitions: Mapping[str, Partition]
    n_objects: int
    weight: Array | None = None
    coverage: float = 1.0
    dropped: int = 0
    notes: tuple[str, ...] = ()
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
        raise ParameterError(
            "no such noise policy.", got=repr(noise), need=", ".join(f'"{p}"' for p in NOISE_POLICIES)
        )
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
    first = next(iter(sides.values()))
    weight, weight_index = _read_weight(sample_weight)
    sides, rows, dropped = _align(sides)
    if weight is not None:
        aligned = next(iter(sides.values()))
        weight = _align_weight(weight, weight_index, first, aligned, rows)
        if not weight.all():
            counted = np.flatnonzero(weight)
            sides = {name: p.take(counted) for name, p in sides.items()}
            weight = weight[counted]
    sides = {name: _crisp(p) for name, p in sides.items()}
    if dropped:
        kept = next(iter(sides.values())).n_objects
        notes.append(f"aligned by index: {kept} objects are in all inputs, {dropped} were left out")
    sides, weight, coverage, noise_notes = _settle_noise(sides, weight, noise)
    data = sides.pop("X", None)
    ready = {name: p.compacted() if isinstance(p, HardPartition) else p for name, p in sides.items()}
    nothing_left = noise == "ignore" and coverage == 0.0
    n = 0 if nothing_left else next(iter(ready.values())).n_objects
    return Inputs(ready, n, weight, coverage, dropped, tuple(notes + noise_notes), frame, data, model)


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
    """Every requested statistic, each once: additive ones in one pass, the others from all objects.

    For two hard partitions whatever a table determines is made from the table, without a pass of its own.
    """
    collected: dict[Request, Any] = {}
    waiting = dict.fromkeys(requests)
    for request in list(waiting):
        waiting |= dict.fromkeys(_needed(request))
    while waiting:
        ready = [r for r in waiting if all(n in collected for n in _needed(r))]
        collected |= _collect_together(ready, inputs, collected, on_block)
        waiting = {r: None for r in waiting if r not in collected}
    return collected


def _needed(request: Request) -> list[Request]:
    """The requests whose statistics this one is built on; they take those of its options that they know."""
    return [Request.of(need, dict(request.options)) for need in getattr(request.statistic, "needs", ())]


def _collect_together(
    requests: Sequence[Request],
    inputs: Inputs,
    known: Mapping[Request, Any],
    on_block: Callable[[int, int], None] | None,
) -> dict[Request, Any]:
    """Statistics that do not need each other."""
    sides = {r: _sides(r, inputs) for r in requests}
    table = Request(Contingency)
    from_table = [r for r in sides if _is_determined_by_table(r, inputs)]
    if from_table and table not in known:
        sides.setdefault(table, _sides(table, inputs))
    built_on = {r: [known[n] for n in _needed(r)] for r in sides}
    whole = [r for r in sides if hasattr(r.statistic, "from_whole") and r not in from_table]
    collected = {
        r: r.statistic.from_whole(
            *sides[r], *built_on[r], weight=inputs.weight, on_block=on_block, **_all_options(r, inputs)
        )
        for r in whole
    }
    wanted = [r for r in sides if r not in whole and r not in from_table]
    if wanted:
        rows = min(r.statistic.block_rows(*sides[r]) for r in wanted)

        def one(part: slice) -> list[Any]:
            cut = {id(p): p.take(part) for p in inputs.partitions.values()}
            for X in (x for r in wanted for x in sides[r] if isinstance(x, np.ndarray)):
                cut.setdefault(id(X), np.asarray(X[part], dtype=np.float64))
            weight = None if inputs.weight is None else inputs.weight[part]
            return [
                r.statistic.from_block(
                    *(cut[id(p)] for p in sides[r]), *built_on[r], weight=weight, **dict(r.options)
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
    collected = {r: _in_unit(made, inputs) for r, made in collected.items()}
    counted = collected | dict(known)
    return collected | {r: r.statistic.from_table(counted[table]) for r in from_table}


def _all_options(request: Request, inputs: Inputs) -> dict[str, Any]:
    """The request's options, and the fitted model for a statistic that can use one."""
    options = dict(request.options)
    return {**options, "model": inputs.model} if getattr(request.statistic, "takes_model", False) else options


def _sides(request: Request, inputs: Inputs) -> list[Any]:
    """What a statistic is made from: the values of X, partitions, the model."""
    made: dict[str, Any] = dict(inputs.partitions)
    if inputs.X is not None:
        in_units = getattr(request.statistic, "takes_units", False)
        made["X"] = inputs.X.values if in_units else inputs.X.scaled
    if inputs.model is not None:
        made["model"] = inputs.model
    return [made[name] for name in request.statistic.inputs]


def _in_unit(statistic: Any, inputs: Inputs) -> Any:
    """The statistic with the unit of the data it was made from, where that matters to it."""
    if inputs.X is None or not inputs.X.exponent or not hasattr(statistic, "exponent"):
        return statistic
    return replace(statistic, exponent=inputs.X.exponent)


def _is_determined_by_table(request: Request, inputs: Inputs) -> bool:
    return hasattr(request.statistic, "from_table") and set(inputs.kinds) == {HARD}


def pair_operations(requests: Iterable[Request], inputs: Inputs) -> float:
    """About how many pairs of objects these statistics must look at; 0 for those that need no look."""
    costly = [
        r
        for r in requests
        if hasattr(r.statistic, "pair_operations") and not _is_determined_by_table(r, inputs)
    ]
    return float(sum(r.statistic.pair_operations(*_sides(r, inputs), **dict(r.options)) for r in costly))


def why_costly(requests: Iterable[Request]) -> str:
    """Why these statistics take long, in words."""
    reasons = (getattr(r.statistic, "why_costly", "") for r in requests)
    return next((reason for reason in reasons if reason), "too many pairs of objects to look at")


# --- alignment ----------------------------------------------------------------------------------------


def _align(partitions: dict[str, Any]) -> tuple[dict[str, Any], Array | None, int]:
    """Bring all sides to the same objects; also the kept rows of the first, and how many were dropped."""
    sides = list(partitions.items())
    (first_name, first), rest = sides[0], sides[1:]
    indexed = all(p.index is not None for p in partitions.values())
    if not rest or not indexed or all(p.index.equals(first.index) for _, p in rest):
        for _, other in rest:
            if other.n_objects != first.n_objects:
                raise lengths_differ(first, other)
        return partitions, None, 0
    common = first.index
    for name, p in rest:
        common = common[_places(p.index, common, name) >= 0]
    if not len(common):
        raise MismatchError(
            "the inputs have no object in common.",
            got="; ".join(f"index of {name} starts {list(p.index[:3])}" for name, p in sides),
            need="overlapping indices",
            fix=".to_numpy() on both sides if they are in the same order",
        )
    rows = {name: _places(p.index, common, name) for name, p in sides}
    left_out = sum(p.n_objects for _, p in sides) - len(sides) * len(common)
    aligned = {name: p.take(rows[name]) for name, p in sides}
    return aligned, rows[first_name], left_out


def _places(index: Any, wanted: Any, name: str) -> Array:
    """Where each wanted object stands in an index, -1 where it does not."""
    if not index.is_unique:
        raise MismatchError(
            f"the index of {name} names some objects twice, so the inputs cannot be aligned by it.",
            got=f"{len(index) - index.nunique()} repeated entries",
            need="each object once",
            fix="reset_index(drop=True) on all inputs if they are in the same order",
        )
    try:
        return np.asarray(index.get_indexer(wanted))
    except Exception as problem:  # noqa: BLE001 (pandas raises half a dozen types here)
        raise MismatchError(
            "the inputs have indices that cannot be compared.",
            got=f"{type(index).__name__} in {name} against {type(wanted).__name__}: {problem}",
            need="indices of one kind",
            fix=".to_numpy() on both sides if they are in the same order",
        ) from None


# --- weights ------------------------------------------------------------------------------------------


def _read_weight(sample_weight: Any) -> tuple[Array | None, Any]:
    """Weights as an array (whole numbers stay whole), and their index where they have one."""
    if sample_weight is None:
        return None, None
    is_series = frame_library(sample_weight) == "pandas" and hasattr(sample_weight, "iloc")
    return multiplicities(sample_weight), sample_weight.index if is_series else None


def _align_weight(weight: Array, index: Any, first: Any, kept: Any, rows: Array | None) -> Array:
    """Weights of the kept objects: by index where both sides have one, else as the first input lies."""
    if index is not None and first.index is not None and not index.equals(first.index):
        place = _places(index, kept.index, "sample_weight")
        if (place < 0).any():
            raise MismatchError(
                "some objects have no weight.",
                got=f"{int((place < 0).sum())} objects are not in the index of sample_weight",
                need="a weight for every object",
            )
        return weight[place]
    if weight.shape[0] != first.n_objects:
        raise MismatchError(
            "sample_weight has another length than the clusterings.",
            got=f"{weight.shape[0]} weights for {first.n_objects} objects",
            need="one weight for each object",
        )
    return weight if rows is None else weight[rows]


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
            fix='noise="cluster", "singletons" or "ignore"',
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
            fix='noise="cluster" or "ignore"',
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
            fix='noise="ignore", or harden() first',
        )
    codes = partition.codes.copy()
    codes[mask] = partition.n_clusters + np.arange(int(mask.sum()))
    made = HardPartition(codes, index=partition.index)
    made.note, made.frame = partition.note, partition.frame
    return made
