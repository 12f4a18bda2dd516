"""Bringing inputs to the same objects: by index where all have one, without those of weight 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita.arrays import Array, frame_library, multiplicities
from partita.errors import MismatchError, ParameterError
from partita.partitions.partition import lengths_differ


def same_objects(
    sides: Mapping[str, Any], sample_weight: Any = None
) -> tuple[dict[str, Any], Array | None, Array | None, int]:
    """Inputs of the same objects in the order of the first, and their weights.

    Also which objects of the first input these are (None if all), and how many objects were left out because
    not all inputs have them.
    """
    weight, weight_index = _read_weight(sample_weight)
    aligned, rows, dropped = _align(dict(sides))
    if weight is None:
        return aligned, None, rows, dropped
    # where one side names its objects, they are those of all sides
    named = next((name for name, p in sides.items() if p.index is not None), next(iter(sides)))
    weight = _align_weight(weight, weight_index, sides[named], aligned[named], rows)
    if not weight.all():
        counted = np.flatnonzero(weight)
        if not counted.size:
            raise ParameterError(
                "no object that is in all inputs has a weight.",
                got=f"{weight.size} weights of 0",
                need="a weight above 0 for one of them",
            )
        aligned = {name: p.take(counted) for name, p in aligned.items()}
        weight, rows = weight[counted], counted if rows is None else rows[counted]
    return aligned, weight, rows, dropped


def alignment_note(sides: Mapping[str, Any], dropped: int) -> str:
    """What is said where objects were left out."""
    kept = next(iter(sides.values())).n_objects
    return f"aligned by index: {kept} objects are in all inputs, {dropped} were left out"


def _align(partitions: dict[str, Any]) -> tuple[dict[str, Any], Array | None, int]:
    """Bring all sides to the same objects; also the kept rows of the first, and how many were dropped."""
    partitions = _with_positions(partitions)
    sides = list(partitions.items())
    (first_name, first), rest = sides[0], sides[1:]
    indexed = all(p.index is not None for p in partitions.values())
    if not rest or not indexed or all(p.index.equals(first.index) for _, p in rest):
        if not indexed:
            refuse_names_beside_positions(partitions)
            _refuse_other_orders(partitions)
        _refuse_other_shapes(partitions)
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


def _with_positions(partitions: dict[str, Any]) -> dict[str, Any]:
    """The sides; those without an index by position where objects were left out of the others."""
    plain = [p for p in partitions.values() if p.index is None]
    named = [p for p in partitions.values() if p.index is not None]
    n = min((p.n_objects for p in plain), default=0)
    fits = all(getattr(p, "positions_among", None) == n for p in named)
    if not named or not fits:
        return partitions
    import pandas as pd

    everyone = np.arange(n)
    made = {name: p if p.index is not None else p.take(everyone) for name, p in partitions.items()}
    for p in made.values():
        p.index = pd.RangeIndex(n) if p.index is None else p.index
    return made


def refuse_names_beside_positions(partitions: dict[str, Any]) -> None:
    """An error where one side names its objects (communities, dictionaries) and another lists them in order.

    Objects that are the numbers from 0 on, in order, are their own positions.
    """
    for name, p in partitions.items():
        if p.index is None or p.frame is not None or p.order_counts:
            continue
        if np.array_equal(p.index, np.arange(p.n_objects)):
            continue
        other = next(name for name, side in partitions.items() if side.index is None)
        raise MismatchError(
            f"{name} names its objects and {other} does not, so which is which cannot be known.",
            got=f"{name} of objects {list(p.index[:3])}...; {other} in an order of its own",
            need="names of the objects on all sides, or on none",
            fix=f"as_partition({name}, objects=...).labels with the objects in the order of {other}, or a"
            f" pandas object for {other} with these names as its index",
        )


def _refuse_other_orders(partitions: dict[str, Any]) -> None:
    """An error where two sides name their objects in different orders and a third does not name them."""
    named = [(name, p) for name, p in partitions.items() if p.index is not None]
    for name, p in named[1:]:
        first_name, first = named[0]
        if p.n_objects == first.n_objects and not p.index.equals(first.index):
            other = next(name for name, side in partitions.items() if side.index is None)
            raise MismatchError(
                f"{first_name} and {name} name their objects in different orders, and {other} names none.",
                got=f"{list(first.index[:3])}... and {list(p.index[:3])}...",
                need="one order, or names on all sides",
                fix=f"a pandas object for {other} too, or .to_numpy() on all sides if all have one order",
            )


def _refuse_other_shapes(partitions: dict[str, Any]) -> None:
    shapes = {name: p.image_shape for name, p in partitions.items() if getattr(p, "image_shape", None)}
    if len(set(shapes.values())) > 1:
        raise MismatchError(
            "images of different shapes have no pixels in common.",
            got=", ".join(f"{name} {shape}" for name, shape in shapes.items()),
            need="images of the same shape",
        )


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
    return multiplicities(sample_weight), index_of(sample_weight)


def index_of(weights: Any) -> Any:
    """The names of the objects that weights are of, where they have some."""
    is_series = frame_library(weights) == "pandas" and hasattr(weights, "iloc")
    return weights.index if is_series else None


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
