"""What can be stated of an index: claims, range ends, limits, examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from partita.partitions import ROUGH, Kind, as_partition

CLAIMS = {
    "symmetric": "exchanging the two clusterings changes nothing",
    "relabelling_invariant": "the names of the clusters do not matter",
    "reflexive": "a clustering against itself scores best",
    "separating": "only equivalent clusterings score best",
    "triangle": "the distance to the best value obeys the triangle inequality",
    "normalized": "every value lies between 0 and 1",
    "zero_by_chance": "the mean over all shuffles of the objects is 0",
}
"""The closed list of what can be claimed of an index, per kind of clustering."""

METRIC_CLASSES = {
    "metric": {"reflexive", "separating", "symmetric", "triangle"},
    "pseudo-metric": {"reflexive", "symmetric", "triangle"},
    "semi-metric": {"reflexive", "separating", "symmetric"},
    "meta-metric": {"separating", "symmetric", "triangle"},
    "consistency": {"normalized", "reflexive", "symmetric"},
}
"""Names for combinations of claims (campagner2022, appendix A), strongest first."""

GIVEN_SIZES = ("", "squares", "entropy")
"""The sums over cells on which an index can depend when all cluster sizes are given: of m^2, of m log m."""

RangeEnd: TypeAlias = float | Callable[..., Any] | None
Formula: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Limit:
    """A condition on the statistic under which the index has a set value (or nan), and why."""

    when: Callable[..., Any]
    value: float
    reason: str


def bound(text: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A range end that depends on the statistic, with the words that the catalogue prints for it."""
    function.text = text  # type: ignore[attr-defined]
    return function


class Example:
    """Inputs with a known value and its source: ``Example([0, 1], [0, 0], 0.0, source="by hand")``.

    Without a value it is a counter-example for a claim. ``kind`` is how the inputs are to be read, for
    kinds that cannot be told from the values; lists of truth values alone are rough clusterings.
    """

    def __init__(self, *inputs: Any, source: str = "", kind: Kind | None = None, **options: Any) -> None:
        self.value: float | None = None
        if inputs and isinstance(inputs[-1], (int, float)):
            *inputs, self.value = inputs  # type: ignore[assignment]
        self.inputs = tuple(as_partition(obj, ROUGH) if _is_possible(obj) else obj for obj in inputs)
        self.source = source
        self.kind = kind
        self.options = options

    def partitions(self) -> list[Any]:
        """The inputs as partitions."""
        return [as_partition(obj, self.kind) for obj in self.inputs]

    def arguments(self, names: Sequence[str]) -> list[Any]:
        """The inputs of an index: partitions, data and models as they are."""
        return [
            obj if name in ("X", "model") else as_partition(obj, self.kind)
            for name, obj in zip(names, self.inputs, strict=True)
        ]


def _is_possible(obj: Any) -> bool:
    """Whether these are lists of truth values: the possible clusters of each object."""
    return isinstance(obj, list) and all(
        isinstance(row, list) and all(isinstance(cell, bool) for cell in row) for row in obj
    )
