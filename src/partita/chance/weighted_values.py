"""Values of many indices under many sets of weights of the same objects, together.

What is a sum over objects (tables, moments of pairs) comes for all sets from products of the weights with
what each object adds; what is a sum over pairs of objects, from tiles that are made once; the rest is
computed set by set while that is cheap. A value is that of `compare` with these weights as ``sample_weight``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, blocks, dense, divided_by_row_sums, multiplicities
from partita.chance.object_weights import Units, Weights, units_of
from partita.chance.pairs_of_pairs import mean_gaps_by_chance
from partita.engine import collect, pair_operations
from partita.inputs import Inputs
from partita.partitions import FUZZY, HARD, HardPartition, Partition
from partita.progress import bar
from partita.registry import Index
from partita.statistics import Contingency
from partita.statistics.pairs.coassociation import PairMoments
from partita.statistics.pairs.coassociation_factors import (
    EXTRA,
    factor_of_products,
    loses_digits,
    triangle,
    unweighted_columns,
    with_sums_of_one,
)
from partita.statistics.pairs.coassociation_gaps import CoassociationGaps
from partita.statistics.pairs.concordance import ConcordanceChance, ConcordanceGaps
from partita.statistics.pairs.credal import CredalGaps
from partita.statistics.pairs.shuffles import ShuffledGaps
from partita.statistics.pairs.tnorm_pairs import TNormPairs
from partita.statistics.tables.counting import is_faint
from partita.statistics.tables.overlaps import SharedMemberships

__all__ = ["values_under"]

Values = Floats | str
"""The values of an index, one a set; or why there are none."""

MOST_CELLS = 1 << 26
"""Cells of all tables together, and products of all moments: half a minute for all indices of a table."""

MOST_WEIGHTS = 1 << 23
"""Weights that are held at once, 64 MiB, where all of a set are needed together."""

MOST_PAIRS = 4e10
"""Pairs of objects times sets of weights that are looked at in tiles: some ten seconds."""

MOST_PAIRS_OF_PAIRS = 5e7
"""The same where gaps by chance are summed over sorted pairs: some seconds."""

MOST_OPERATIONS = 5e8
"""Pair operations, or objects times clusters and features, that are done again for each set: some seconds."""

CELLS_AT_ONCE = 1 << 21
ROWS_FOR_A_TRIANGLE = 1 << 22
"""Numbers in the rows of all sets up to which moments are made by QR, which keeps all digits."""


def values_under(
    entries: Mapping[str, Sequence[Index]],
    inputs: Mapping[str, Inputs],
    weights_of: Callable[[Units], Weights],
) -> tuple[dict[str, dict[str, Values]], Weights]:
    """The values of indices of several pairs of clusterings, under the same sets of weights.

    Parameters
    ----------
    entries, inputs : dict
        The indices and the prepared inputs of each pair of clusterings, by a name of the pair. All are of the
        same objects, with the same weights.
    weights_of : function
        Makes the sets of weights of what is drawn.

    Returns
    -------
    dict of dict
        For each pair and each label of an index its values, one a set of weights, or the reason why not.
    Weights
        The sets of weights of the clusterings.
    """
    bare = {name: replace(one, X=None, model=None) for name, one in inputs.items()}
    units = units_of(bare)
    weights = weights_of(units)
    of_objects = {n: [e for e in own if "X" in e.inputs] for n, own in entries.items()}
    stacks = {
        name: _Stacks(units.inputs[name], [e for e in own if e not in of_objects[name]], weights)
        for name, own in entries.items()
    }
    _sum_over_units(stacks.values(), weights)
    with bar("judging what was drawn") as report:

        def tell(before: int, done: int) -> None:
            report(before + done, len(stacks) * weights.n_sets)

        found = {
            name: stack.values(partial(tell, i * weights.n_sets))
            for i, (name, stack) in enumerate(stacks.items())
        }
    if any(of_objects.values()):
        with_data = units_of(inputs)
        again = weights_of(with_data)
        for name, own in of_objects.items():
            with bar("judging what was drawn") as report:
                found[name] |= _set_by_set(
                    own, with_data.inputs[name], again, lambda done: report(done, again.n_sets)
                )
    return found, weights


def _sum_over_units(stacks: Iterable[_Stacks], weights: Weights) -> None:
    """Every sum over units of every pair, in one pass over the weights."""
    sums = [s for stack in stacks for s in stack.sums]
    with bar("drawing objects anew") as report:
        for part, block in weights.blocks() if sums else ():
            for one in sums:
                one.add(part, block)
            report(part.stop, weights.units.size)


# --- sums over objects -------------------------------------------------------------------------------------


class _CellSums:
    """The tables of two hard clusterings of units: each unit lies in one cell."""

    def __init__(self, truth: HardPartition, found: HardPartition, n_sets: int, *, whole: bool) -> None:
        self.kinds = (truth.kind, found.kind)
        self.shape = (truth.n_clusters, found.n_clusters)
        self.cells = truth.codes.astype(np.int64) * found.n_clusters + found.codes
        size = self.shape[0] * self.shape[1]
        self.raw: Array = np.zeros((n_sets, size), dtype=np.int64 if whole else np.float64)

    def add(self, part: slice, block: Array) -> None:
        order = np.argsort(self.cells[part], kind="stable")
        cells, starts = np.unique(self.cells[part][order], return_index=True)
        self.raw[:, cells] += np.add.reduceat(block[:, order], starts, axis=1)

    def table(self, sets: slice) -> Contingency:
        raw = self.raw[sets].reshape(-1, *self.shape)
        return _table(raw, raw.sum(axis=(-1, -2)), self.kinds)


class _ProductSums:
    """The raw tables of two clusterings that are not both hard: sums of products of memberships.

    For what they share, of the smaller one of two memberships.
    """

    def __init__(self, truth: Partition, found: Partition, n_sets: int, *, shared: bool = False) -> None:
        self.sides = (truth, found)
        self.kinds = (truth.kind, found.kind)
        self.join = np.minimum if shared and HARD not in self.kinds else np.multiply
        self.sums_to_one = shared
        self.shape = (truth.n_clusters, found.n_clusters)
        self.raw = np.zeros((n_sets, self.shape[0] * self.shape[1]))
        self.totals = np.zeros(n_sets)

    def add(self, part: slice, block: Array) -> None:
        u, v = (_memberships(p, part) for p in self.sides)
        if self.sums_to_one:
            u, v = divided_by_row_sums(u), divided_by_row_sums(v)
        self.raw += block.astype(np.float64) @ self.join(u[:, :, None], v[:, None, :]).reshape(len(u), -1)
        self.totals += block.sum(axis=1)

    def table(self, sets: slice) -> Contingency:
        return _table(self.raw[sets].reshape(-1, *self.shape), self.totals[sets], self.kinds)


def _memberships(partition: Partition, part: slice) -> Array:
    """Those of some objects in all clusters, also where a cluster has none of these objects."""
    if isinstance(partition, HardPartition):
        return np.asarray(partition.codes[part, None] == np.arange(partition.n_clusters), dtype=np.float64)
    return dense(partition.take(part).memberships())


def _table(raw: Array, total: Array, kinds: Any) -> Contingency:
    return Contingency(raw, total, kinds, range(raw.shape[-2]), range(raw.shape[-1]))


class _MomentSums:
    """The products A'WA of two clusterings that are not both hard (see `PairMoments`)."""

    def __init__(self, truth: Partition, found: Partition, n_sets: int) -> None:
        self.sides = (truth, found)
        rows = [_memberships(p, slice(0, 1)) for p in self.sides]
        self.origins = (with_sums_of_one(rows[0])[0], with_sums_of_one(rows[1])[0])
        self.width = EXTRA + truth.n_clusters + found.n_clusters
        self.upper = np.triu_indices(self.width)
        self.products = np.zeros((n_sets, self.upper[0].size))
        self.totals = np.zeros(n_sets)
        self.unweighted = np.zeros((self.width, self.width))

    def columns(self, part: slice) -> Array:
        u, v = (_memberships(p, part) for p in self.sides)
        return unweighted_columns(u, v, self.origins)

    def add(self, part: slice, block: Array) -> None:
        columns = self.columns(part)
        self.unweighted += columns.T @ columns
        self.products += block.astype(np.float64) @ (columns[:, self.upper[0]] * columns[:, self.upper[1]])
        self.totals += block.sum(axis=1)

    @property
    def loses_digits(self) -> bool:
        return loses_digits(self.unweighted, self.sides[0].n_clusters)

    def moments(self, sets: slice) -> PairMoments:
        products = np.empty((len(self.totals[sets]), self.width, self.width))
        products[:, self.upper[0], self.upper[1]] = self.products[sets]
        products[:, self.upper[1], self.upper[0]] = self.products[sets]
        return _moments(self, factor_of_products(products), self.totals[sets])


class _MomentRows:
    """The same moments by QR of the weighted rows: slower, and no digits are lost."""

    def __init__(self, sums: _MomentSums, weights: Array) -> None:
        self.sums, self.weights = sums, weights
        self.rows = sums.columns(slice(0, weights.shape[1]))

    def moments(self, sets: slice) -> PairMoments:
        chosen = self.weights[sets]
        rows = np.sqrt(chosen)[:, :, None] * self.rows
        return _moments(self.sums, triangle(rows), chosen.sum(axis=1))


def _moments(sums: _MomentSums, factor: Array, totals: Array) -> PairMoments:
    truth, found = sums.sides
    return PairMoments(
        factor=factor,
        total=totals,
        kinds=(truth.kind, found.kind),
        row_names=range(truth.n_clusters),
        column_names=range(found.n_clusters),
        origins=sums.origins,
    )


# --- all statistics of one pair of clusterings -------------------------------------------------------------

LINEAR: tuple[type[Any], ...] = (Contingency, PairMoments, SharedMemberships)
LINEAR_WITH_A_HARD_SIDE: tuple[type[Any], ...] = (CoassociationGaps, ShuffledGaps, CredalGaps)
"""Sums over objects."""

OF_TILES: tuple[type[Any], ...] = (CoassociationGaps, CredalGaps, ConcordanceGaps, TNormPairs)
"""Sums over pairs of objects."""

OF_PAIRS_OF_PAIRS: tuple[type[Any], ...] = (ShuffledGaps, ConcordanceChance)
"""Sums over pairs of pairs of objects, for two soft sides."""

STAND_ON_MOMENTS: tuple[type[Any], ...] = (PairMoments, CoassociationGaps, ShuffledGaps, CredalGaps)
"""With a hard side all that these need; with two soft ones most of it."""

SET_BY_SET = "set by set"


class _Stacks:
    """Stacks of the statistics that the indices of one pair of clusterings need, some sets at a time."""

    def __init__(self, inputs: Inputs, entries: Sequence[Index], weights: Weights) -> None:
        self.inputs, self.entries, self.weights = inputs, entries, weights
        self.truth, self.found = inputs.partitions["truth"], inputs.partitions["found"]
        self.kinds = (self.truth.kind, self.found.kind)
        self.is_hard = set(self.kinds) == {HARD}
        self.fractional = weights.units.each is not None
        self.cells = self.truth.n_clusters * self.found.n_clusters
        self.width = EXTRA + self.truth.n_clusters + self.found.n_clusters
        # a hard side has co-associations 0 and 1, and gaps to it are sums over objects
        linear = (*LINEAR, *LINEAR_WITH_A_HARD_SIDE) if HARD in self.kinds else LINEAR
        self.of_objects: set[type[Any]] = {*linear}
        self.of_pairs = {TNormPairs} if HARD in self.kinds else {*OF_TILES, *OF_PAIRS_OF_PAIRS}
        needed = {r.statistic for e in entries if not self._obstacle(e) for r in e.requests}
        self.of_table: _CellSums | _ProductSums | None = None
        self.of_shared: _ProductSums | None = None
        self.of_moments: _MomentSums | _MomentRows | None = None
        n_sets = weights.n_sets
        if self.is_hard and needed:
            assert isinstance(self.truth, HardPartition)
            assert isinstance(self.found, HardPartition)
            self.of_table = _CellSums(self.truth, self.found, n_sets, whole=not self.fractional)
        elif needed:
            if Contingency in needed:
                self.of_table = _ProductSums(self.truth, self.found, n_sets)
            if SharedMemberships in needed:
                self.of_shared = _ProductSums(self.truth, self.found, n_sets, shared=True)
            if needed & {*STAND_ON_MOMENTS}:
                self.of_moments = _MomentSums(self.truth, self.found, n_sets)

    @property
    def sums(self) -> list[Any]:
        """What is summed over units."""
        return [s for s in (self.of_table, self.of_shared, self.of_moments) if s is not None]

    # --- what cannot be had together ----------------------------------------------------------------------

    def _obstacle(self, entry: Index) -> str:
        """Why an index has no stack here; "set by set" where each set is a computation of its own."""
        n_sets = self.weights.n_sets
        statistics = {r.statistic for r in entry.requests}
        if self.cells * n_sets > MOST_CELLS:
            shape = f"{self.truth.n_clusters} x {self.found.n_clusters}"
            return f"no interval: {n_sets} tables of {shape} cells are too many; fewer replicates"
        if self.is_hard:
            return "" if all(s is Contingency or s.from_table for s in statistics) else SET_BY_SET
        if any(is_faint(p) for p in (self.truth, self.found)):
            return SET_BY_SET
        if statistics <= {Contingency}:
            return ""
        if not {*self.kinds} <= {HARD, FUZZY}:
            return SET_BY_SET
        if self.width**2 * n_sets > MOST_CELLS:
            clusters = f"{self.truth.n_clusters} + {self.found.n_clusters} clusters"
            return f"no interval: {n_sets} sets of moments of {clusters} are too many; fewer replicates"
        if any(r.options for r in entry.requests) or not statistics <= self.of_objects | self.of_pairs:
            return SET_BY_SET
        if statistics <= self.of_objects:
            return ""
        size = self.inputs.n_objects
        again = bool(statistics & {*OF_PAIRS_OF_PAIRS}) and float(size) ** 2 * n_sets > MOST_PAIRS_OF_PAIRS
        if again or size * n_sets > MOST_WEIGHTS or float(size) ** 2 * n_sets > MOST_PAIRS:
            return f"no interval: {n_sets} sums over pairs of {size} objects would take too long"
        return ""

    # --- values ---------------------------------------------------------------------------------------------

    def values(self, on_set: Callable[[int], None]) -> dict[str, Values]:
        """The values of all indices, or why there are none; ``on_set`` is told how many sets are done."""
        obstacles = {e.label: self._obstacle(e) for e in self.entries}
        found: dict[str, Values] = {label: why for label, why in obstacles.items() if why}
        together = [e for e in self.entries if not obstacles[e.label]]
        if isinstance(self.of_moments, _MomentSums):
            why = self._settle_moments(self.of_moments)
            of_moments = [
                e for e in together if why and any(r.statistic in STAND_ON_MOMENTS for r in e.requests)
            ]
            found |= {e.label: why for e in of_moments}
            together = [e for e in together if e not in of_moments]
        rest = [e for e in self.entries if obstacles[e.label] == SET_BY_SET]
        if together:
            n_sets = self.weights.n_sets
            filled: dict[str, Floats] = {e.label: np.empty(n_sets) for e in together}
            requests = {r for e in together for r in e.requests}
            tall = self.inputs.n_objects if isinstance(self.of_moments, _MomentRows) else 1
            rows = max(1, CELLS_AT_ONCE // max(self.cells, tall * self.width, self.width**2))
            for sets in blocks(n_sets, rows):
                known = self._statistics({r.statistic for r in requests}, sets)
                for entry in together:
                    chosen = [known[r.statistic] for r in entry.requests]
                    filled[entry.label][sets] = entry.evaluate(chosen).values
                if not rest:
                    on_set(sets.stop)
            found |= filled
        return found | _set_by_set(rest, self.inputs, self.weights, on_set)

    def _settle_moments(self, sums: _MomentSums) -> str:
        """Make moments by QR where products would lose digits, or where that is cheap; or say why not."""
        size, n_sets = self.inputs.n_objects, self.weights.n_sets
        if size * n_sets * self.width <= ROWS_FOR_A_TRIANGLE:
            self.of_moments = _MomentRows(sums, self._whole)
        elif sums.loses_digits:
            if size * n_sets > MOST_WEIGHTS:
                return f"no interval: the clusterings nearly agree, or are nearly constant, on {size} objects"
            self.of_moments = _MomentRows(sums, self._whole)
        return ""

    def _statistics(self, wanted: set[type[Any]], sets: slice) -> dict[type[Any], Any]:
        """The wanted statistics, each a stack of these sets."""
        known: dict[type[Any], Any] = {}
        if self.of_table is not None:
            known[Contingency] = self.of_table.table(sets)
        if self.is_hard:
            table = known[Contingency]
            return known | {s: s.from_table(table=table) for s in wanted if s is not Contingency}
        if self.of_shared is not None:
            known[SharedMemberships] = SharedMemberships(self.of_shared.table(sets))
        if self.of_moments is not None and wanted & {*STAND_ON_MOMENTS}:
            known[PairMoments] = moments = replace(
                self.of_moments.moments(sets), fractional_weights=self.fractional
            )
            if HARD in self.kinds:
                known[CoassociationGaps] = CoassociationGaps.of_moments(moments, "linear")
                known[ShuffledGaps] = ShuffledGaps.of_moments(moments)
            elif wanted & {CoassociationGaps, CredalGaps}:
                known[CoassociationGaps] = CoassociationGaps.of_replicates(
                    self.truth, self.found, self._whole[sets], moments
                )
            if CredalGaps in wanted:
                known[CredalGaps] = _credal(known[CoassociationGaps])
        if HARD not in self.kinds:
            known |= self._by_chance(wanted, sets)
        for statistic in (ConcordanceGaps, TNormPairs):
            if statistic in wanted:
                known[statistic] = statistic.from_whole(self.truth, self.found, weight=self._whole[sets])
        return known

    def _by_chance(self, wanted: set[type[Any]], sets: slice) -> dict[type[Any], Any]:
        """The gaps by chance of two soft clusterings."""
        known: dict[type[Any], Any] = {}
        sides = self.truth, self.found
        if ShuffledGaps in wanted:
            gaps = mean_gaps_by_chance(*sides, self._whole[sets], distances=False)
            known[ShuffledGaps] = ShuffledGaps(gaps, gaps, self.kinds)
        if ConcordanceChance in wanted:
            gaps = mean_gaps_by_chance(*sides, self._whole[sets], distances=True)
            known[ConcordanceChance] = ConcordanceChance(gaps, self.kinds, shape=gaps.shape)
        return known

    @cached_property
    def _whole(self) -> Array:
        return self.weights.whole()


def _credal(gaps: CoassociationGaps) -> CredalGaps:
    """Of clusterings whose rows sum to one: how far the beliefs in "together" lie apart."""
    assert gaps.moments is not None
    pairs = gaps.moments.n_pairs
    sums = np.where(pairs > 0.0, gaps.together * pairs, 0.0)
    return CredalGaps(
        sums,
        pairs,
        gaps.kinds,
        are_same=gaps.is_identical & (pairs <= 0.0),
        is_whole=not gaps.fractional_weights,
    )


def _set_by_set(
    entries: Sequence[Index], inputs: Inputs, weights: Weights, on_set: Callable[[int], None]
) -> dict[str, Values]:
    """Every set by itself, while that is cheap."""
    if not entries:
        return {}
    n_sets, size = weights.n_sets, inputs.n_objects
    linear = float(size) * (sum(p.n_clusters for p in inputs.partitions.values()) + _features(inputs))
    costs = {e.label: n_sets * max(linear, pair_operations(e.requests, inputs)) for e in entries}
    cheap = [e for e in entries if costs[e.label] <= MOST_OPERATIONS and size * n_sets <= MOST_WEIGHTS]
    why = f"no interval: it would be computed {n_sets} times, which takes too long"
    found: dict[str, Values] = {e.label: why for e in entries if e not in cheap}
    if not cheap:
        return found
    filled: dict[str, Floats] = {e.label: np.empty(n_sets) for e in cheap}
    requests = [r for e in cheap for r in e.requests]
    for place, weight in enumerate(weights.whole()):
        chosen = replace(inputs, weight=multiplicities(weight))
        collected = collect(requests, chosen)
        for entry in cheap:
            filled[entry.label][place], _ = entry.value_for(chosen, collected)
        on_set(place + 1)
    return found | filled


def _features(inputs: Inputs) -> int:
    return 0 if inputs.X is None else int(inputs.X.values.shape[1])
