"""Labels as a function of a user takes them: one array for each clustering, or the data and one array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from partita.arrays import Array
from partita.errors import ParameterError, PartitaError
from partita.partitions import HARD, HardPartition, Kind
from partita.statistics.protocol import OnBlock, Whole

__all__ = ["GivenLabels", "LabelledData", "LabelPair"]


@dataclass(frozen=True, eq=False)
class _Given:
    """The arguments of a function, and what functions made of them: each is called once."""

    arguments: tuple[Array, ...]
    kinds: tuple[Kind, ...]
    values: dict[Any, float] = field(default_factory=dict, repr=False)

    def value_of(self, name: str, function: Callable[..., Any]) -> float:
        """What the function makes of them: a number, or an error that says what it did."""
        if function not in self.values:
            self.values[function] = _number(name, function, self.arguments)
        return self.values[function]


def _number(name: str, function: Callable[..., Any], arguments: tuple[Array, ...]) -> float:
    taken = " and ".join(f"an array of shape {one.shape}" for one in arguments)
    try:
        value = function(*arguments)
    except PartitaError:
        raise
    except Exception as problem:
        raise ParameterError(
            f"the function {name!r} failed.",
            got=f"{type(problem).__name__}: {problem}, from {taken}",
            need="a function that returns a number for these",
            parameter="indices",
        ) from problem
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not is_number and not (
        isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "iuf"
    ):
        raise ParameterError(
            f"the function {name!r} returned no number.",
            got=f"{value!r:.60} of {taken}",
            need="a whole or real number",
            parameter="indices",
        )
    return float(value)


def _copies(weight: Array | None) -> Array | None:
    """How often each object counts: a function takes no weights, but copies of objects."""
    if weight is None:
        return None
    times = np.rint(weight)
    if not np.array_equal(times, weight):
        raise ParameterError(
            "a function of labels takes no fractional weights.",
            got=f"{float(weight[times != weight][0])!r} among them",
            need="whole numbers, which stand for copies of objects",
            parameter="sample_weight",
        )
    return times.astype(np.int64)


def _repeated(values: Array, times: Array | None) -> Array:
    return values if times is None else np.repeat(values, times, axis=0)


class LabelPair(_Given, Whole):
    """The labels of two hard clusterings."""

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})

    @classmethod
    def from_whole(
        cls,
        truth: HardPartition,
        found: HardPartition,
        weight: Array | None = None,
        on_block: OnBlock = None,
    ) -> Self:
        """The labels as they were given; objects that count several times are repeated."""
        del on_block
        times = _copies(weight)
        labels = tuple(_repeated(np.asarray(one.labels), times) for one in (truth, found))
        return cls(labels, (HARD, HARD))


class LabelledData(_Given, Whole):
    """The data and the labels of one hard clustering."""

    inputs: ClassVar[tuple[str, ...]] = ("X", "found")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD})
    takes_units: ClassVar[bool] = True

    @classmethod
    def from_whole(
        cls, X: Array, found: HardPartition, weight: Array | None = None, on_block: OnBlock = None
    ) -> Self:
        """The data in their own units, and the labels as they were given."""
        del on_block
        times = _copies(weight)
        return cls((_repeated(np.asarray(X), times), _repeated(np.asarray(found.labels), times)), (HARD,))


GivenLabels = LabelPair | LabelledData
