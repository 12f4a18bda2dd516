"""The sampling bias of indices of two hard clusterings, and tables for which no interval is reliable.

The interval is for the value of all objects of this kind: the limit of the index when every cell of the
table grows in proportion. An index of a sample differs from that limit in the mean where cells are small
(entropies, best matches), and replicates differ from the limit *of the sample* in the same way. The bias is
the difference between their mean and this limit (Efron and Tibshirani 1993, section 10.2), with the limit in
the place of the value: indices of pairs count no pair of an object with itself, and the adjusted mutual
information depends on the number of objects, so that their value is not their limit.

Smooth functions of the table (entropies, BCubed) take bias and standard error from a jackknife, which also
counts the cells that a replicate loses. Best matches are not smooth: a jackknife fails for them (Efron 1979),
and so does any bootstrap where the two largest parts of a cluster are about equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.chance.object_weights import MOST_TURNS, LeftOutInTurn
from partita.chance.weighted_values import values_under
from partita.evaluation import values_of
from partita.inputs import Inputs
from partita.partitions import HARD
from partita.registry import Index

__all__ = ["OF_LARGER_SIZES", "Bias", "SamplingBias", "is_of_hard", "is_smooth", "jackknife_error"]

SMOOTH = frozenset({"information", "bcubed"})
"""Families whose indices are smooth functions of the table."""

LIMIT = 2 * 10**9
"""Objects of the table that serves as the limit; squares of it fit into 64 bits."""

GROWTH = 10_000
"""How many times as many objects as there are, up to `LIMIT`."""

OF_LARGER_SIZES = frozenset({"pair_set_index", "simplified_pair_set_index"})
"""Indices that divide by the larger size of two matched clusters, which has a kink where both are equal."""

SMALL_CELL = 2
"""Objects in a cell that is small: about as many as it has by chance where it expects one."""

MANY_SMALL = 1.0 / 3.0
"""The share of small cells, among those with objects, above which every row has a caveat."""

FEW_MOVED = 10
"""Objects outside the largest part of their cluster, below which the ends of an interval are uncertain."""

NEAR_TIE = 2.0
"""Standard errors by which two parts of a cluster, or the sizes of two clusters, must differ."""


def is_smooth(entry: Index) -> bool:
    """True for indices that are smooth functions of the table."""
    return entry.family in SMOOTH


@dataclass(frozen=True)
class Bias:
    """The bias of one index: how far its value lies above that of all objects, and its standard error.

    Attributes
    ----------
    bias : float
        nan where only the replicates can give it.
    error : float
        The standard error of a jackknife; nan where there is none.
    limit : float
        The index of a table with the same shares and very many objects.
    grows : bool
        True for counts, which have no limit.
    """

    bias: float = math.nan
    error: float = math.nan
    limit: float = math.nan
    grows: bool = False


class SamplingBias:
    """Biases of indices of two hard clusterings, and what speaks against their intervals.

    Parameters
    ----------
    entries : list of Index
        Of truth and found, all defined for hard clusterings.
    inputs : Inputs
        Two hard clusterings in memory; whole-number weights are repeated objects.
    """

    def __init__(self, entries: Sequence[Index], inputs: Inputs) -> None:
        truth: Any = inputs.partitions["truth"]
        found: Any = inputs.partitions["found"]
        weight: Any = np.ones(inputs.n_objects, dtype=np.int64) if inputs.weight is None else inputs.weight
        table = np.zeros((truth.n_clusters, found.n_clusters), dtype=np.int64)
        np.add.at(table, (truth.codes, found.codes), weight)
        self.filled = table[table > 0]
        self.small = int((self.filled <= SMALL_CELL).sum())
        self.moved = int(self.filled.sum()) - int(min(table.max(axis=0).sum(), table.max(axis=1).sum()))
        self.near_ties = _near_ties(table) + _near_ties(table.T)
        self.equal_sizes = _equal_sizes(table)
        growth = max(1, min(GROWTH, LIMIT // int(self.filled.sum())))
        limits, nearer = (
            values_of(entries, replace(inputs, weight=weight * times))[0]
            for times in (growth, max(1, growth // 10))
        )
        self._limits = {label: value for label, (value, _) in limits.items()}
        self._growing = {label for label, (v, _) in nearer.items() if _grows(v, self._limits[label])}
        smooth = [e for e in entries if is_smooth(e)]
        self._left_out: dict[str, Any] = {}
        if smooth and self.filled.size <= MOST_TURNS:
            values, turns = values_under({"": smooth}, {"": inputs}, LeftOutInTurn)
            assert isinstance(turns, LeftOutInTurn)
            self._left_out, self._times = values[""], turns.times

    @property
    def has_many_small_cells(self) -> bool:
        """True where more than a third of the filled cells hold one or two objects."""
        return self.small > MANY_SMALL * self.filled.size

    @property
    def has_few_moved(self) -> bool:
        """True where the clusterings agree so well that few objects decide the value."""
        return self.moved < FEW_MOVED

    def of(self, entry: Index, value: float) -> Bias:
        """The bias of an index with this value."""
        limit = self._limits.get(entry.label, math.nan)
        if entry.label in self._growing:
            return Bias(grows=True)
        left_out = self._left_out.get(entry.label)
        if left_out is None or isinstance(left_out, str) or np.isnan(left_out).any():
            return Bias(limit=limit)
        n = float(self._times.sum())
        bias = (n - 1.0) * float(np.average(left_out - value, weights=self._times))
        return Bias(bias, jackknife_error(left_out, self._times), limit)


def jackknife_error(left_out: Any, times: Any) -> float:
    """The standard error from what the value is without each object."""
    n = float(times.sum())
    apart = left_out - np.average(left_out, weights=times)
    return math.sqrt((n - 1.0) / n * float(times @ apart**2))


def is_of_hard(inputs: Inputs) -> bool:
    """True for two hard clusterings."""
    return set(inputs.kinds) == {HARD}


def _grows(nearer: float, limit: float) -> bool:
    """True where ten times as many objects change the value by more than an index with a limit would."""
    return abs(limit - nearer) > 0.5 * max(abs(limit), 1.0)


def _equal_sizes(table: Any) -> int:
    """How many rows are about as large as the column that they share most objects with."""
    sizes, best = table.sum(axis=1), table.argmax(axis=1)
    others = table.sum(axis=0)[best]
    apart = sizes + others - 2 * table.max(axis=1)
    return int((np.abs(sizes - others) < NEAR_TIE * np.sqrt(apart.astype(np.float64))).sum())


def _near_ties(table: Any) -> int:
    """How many rows have a largest cell that exceeds the second by less than two standard errors."""
    if table.shape[1] < 2:
        return 0
    second, first = np.partition(table, -2, axis=1)[:, -2:].T.astype(np.float64)
    apart: Floats = first - second
    return int(((first > 0) & (apart < NEAR_TIE * np.sqrt(first + second))).sum())
