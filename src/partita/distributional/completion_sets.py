"""How far two sets of completions are apart: the Hausdorff distance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.arrays import Array, generator
from partita.distributional.outcomes import BOUND, EXACT, Quantity
from partita.distributional.rough import rough_ends
from partita.distributional.sampling import Plan, draw_labels, tables_of
from partita.distributional.sides import Side, base_index
from partita.distributional.solvers.groups import Groups
from partita.distributional.solvers.tallies import Choices
from partita.distributional.tasks import Task, budget_of, nothing_left
from partita.errors import KindError, ParameterError
from partita.inputs import prepare
from partita.partitions import HARD, ROUGH
from partita.progress import bar
from partita.registry import Index
from partita.results import Result, Table, number
from partita.results.provenance import provenance
from partita.results.records import read_back

MOST_LISTED = 5000
"""Ways to complete one side that are gone through one by one."""

NODES = 100
"""Nodes of branch and bound for the completions nearest to one."""

DRAWN = 50
"""Completions that are tried where there are more."""


@dataclass(frozen=True, repr=False)
class SetDistance(Result):
    """A distance between two sets of clusterings: ``value``, or what is certain about it.

    Attributes
    ----------
    value : float
        The distance; where it is only bounded, its upper bound.
    lower, upper : float
        The true distance lies between them.
    method : {"exact", "bound"}
        Whether both are equal.
    """

    index: str = ""
    title: str = ""
    value: float = math.nan
    lower: float = math.nan
    upper: float = math.nan
    method: str = EXACT

    def records(self) -> list[dict[str, Any]]:
        """One row."""
        names = ("index", "value", "lower", "upper", "method")
        return [{name: getattr(self, name) for name in names}]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        return {**super().to_dict(), "title": self.title}

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> SetDistance:
        """The distance that `to_dict` wrote."""
        cls.refuse_other(data, "distance of sets")
        (row,) = data["rows"]
        values: dict[str, Any] = {k: v if k in ("index", "method") else number(v) for k, v in row.items()}
        return cls(tuple(data["notes"]), dict(data["provenance"]), title=data["title"], **values)

    def table(self) -> Table:
        """The row, as it prints."""
        (row,) = self.records()
        return Table(self.title, tuple(row), (tuple(row.values()),), self.notes)


def hausdorff(
    truth: Any,
    found: Any,
    index: str | Index = "rand",
    *,
    noise: str = "cluster",
    budget_seconds: float | None = None,
    random_state: Any = 0,
) -> SetDistance:
    """The Hausdorff distance between the completions of two rough clusterings.

    The largest distance from a completion of either side to the nearest completion of the other
    (campagner2022, appendix A). The distance of two hard clusterings is how far the index is from its best
    value. If one side is hard it is the largest distance of all. If both are rough it is exact while the
    completions can be listed, otherwise between certified bounds.

    Parameters
    ----------
    truth, found : clusterings
        Hard or rough.
    index : str or index
        An index with a finite best value, that the table of two hard clusterings determines.
    noise : {"cluster", "singletons", "ignore", "raise"}
        What to do with objects labelled -1 beside non-negative labels.
    budget_seconds : float, optional
        When to stop, with the best certified bounds so far.
    random_state : None, int or Generator
        For the completions that are tried where there are too many.

    Examples
    --------
    >>> from partita import RoughPartition
    >>> rough = RoughPartition([[True, False], [True, False], [True, True]])
    >>> hausdorff([0, 0, 0], rough).value  # doctest: +ELLIPSIS
    0.666...
    """
    budget = budget_of(budget_seconds)
    inputs = prepare({"truth": truth, "found": found}, noise=noise)
    if not inputs.n_objects:
        raise nothing_left()
    sides = [Side.of(p, "normalize") for p in inputs.partitions.values()]
    if not {s.kind for s in sides} <= {HARD, ROUGH}:
        raise KindError(
            "only hard and rough clusterings are sets of clusterings.",
            got=" and ".join(s.kind for s in sides),
            need="hard or rough clusterings",
            fix=".alpha_cut(alpha) of memberships, or distribution(...) for any kind",
        )
    base = base_index(index, sides, inputs.n_objects)
    if base.entry.best is None or not math.isfinite(base.entry.best):
        raise ParameterError(
            f"{base.entry.name} has no best value to be far from.", got=f"best = {base.entry.best}"
        )
    possible = [np.asarray(s.weights) > 0 for s in sides]  # chunks refuse to become an array
    with bar("hausdorff") as report:
        plan = Plan(budget=budget)
        task = Task(base, "auto", plan, generator(random_state), most_nodes=NODES, report=report)
        ways = [
            _farthest(possible[i], possible[1 - i], task.within(share), swapped=bool(i))
            for i, share in ((0, 0.5), (1, 1.0))
        ]
    low, high = (max(getattr(w, end) for w in ways) for end in ("low", "high"))
    notes: tuple[str, ...] = ()
    if math.isinf(low):
        low = high = math.nan
        notes = ("no pair of completions has a value",)
    method = BOUND if low < high else EXACT
    if method == BOUND:
        notes = ("completions were tried, not all listed: the distance is between lower and upper",)
    return SetDistance(
        notes=(*inputs.notes, *notes),
        provenance=provenance(
            inputs,
            kinds=[s.kind for s in sides],
            noise=noise,
            budget_seconds=budget_seconds,
            random_state=random_state,
            method=method,
        ),
        index=base.entry.label,
        title=f"Hausdorff distance by {base.entry.label}, {inputs.n_objects} objects",
        value=high,
        lower=low,
        upper=high,
        method=method,
    )


def _farthest(start: Array, target: Array, task: Task, *, swapped: bool) -> Quantity:
    """The largest distance from a completion of ``start`` to the nearest one of ``target``."""
    # completions that put equally many objects of each kind into each cluster are equally far
    kinds, place = np.unique(target, axis=0, return_inverse=True)
    of_kind = np.eye(len(kinds), dtype=bool)[place.ravel()]
    choices = Choices.of(start.astype(np.float64), of_kind.astype(np.float64), "minimum")
    listed = choices.n_tables <= MOST_LISTED
    quiet = replace(task, report=lambda _done, _total: None)
    listing = quiet.within(0.8)
    if listed:
        tables = choices.tally("minimum").tables
    else:
        drawn = draw_labels(start / start.sum(axis=1, keepdims=True), DRAWN, task.rng)
        tables = tables_of(drawn, place.ravel(), (start.shape[1], len(kinds)))
    low, high, exact = -math.inf, -math.inf, listed
    for done, table in enumerate(tables, start=1):
        rows, columns = np.nonzero(table)
        one, other = np.eye(start.shape[1], dtype=bool)[rows], kinds[columns]
        groups = Groups(one, other, table[rows, columns])
        ends = rough_ends(groups.transposed() if swapped else groups, listing.within(0.2))
        nearest = _distance_of(ends[:2], task, nearest=True)
        if not math.isnan(nearest.value):
            low, high = max(low, nearest.low), max(high, nearest.high)
            exact = exact and nearest.method == EXACT
        task.report(done, len(tables))
        if listing.budget.is_over and done < len(tables):
            listed = exact = False
            break
    if not listed:
        sides = (target, start) if swapped else (start, target)
        high = max(high, _distance_of(rough_ends(Groups.of(*sides), quiet)[:2], task, nearest=False).high)
    return Quantity(high, low, high, EXACT if exact else BOUND)


def _distance_of(ends: tuple[Quantity, Quantity], task: Task, *, nearest: bool) -> Quantity:
    """The smallest, or the largest, distance to the best value that an index with these ends has."""
    best = task.index.entry.best
    assert best is not None
    is_lower_better = task.index.entry.direction == "lower"
    end = ends[0] if is_lower_better == nearest else ends[1]
    low, high = sorted((abs(best - end.low), abs(best - end.high)))
    return Quantity(abs(best - end.value), low, high, end.method)
