"""Values of many indices under many sets of weights of the same objects, together.

What is a sum over objects (tables, moments of pairs) comes for all sets from products of the weights with
what each object adds; what is a sum over pairs of objects, from tiles that are made once; the rest is
computed set by set while that is cheap. A value is that of `compare` with these weights as ``sample_weight``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, blocks, multiplicities
from partita.chance.object_weights import Weights, units_of
from partita.chance.pairs_of_pairs import mean_gaps_by_chance
from partita.chance.units_in_chunks import is_faint_anywhere, units_in_chunks
from partita.chance.weighted_sums import CellSums, MomentSums, MomentTriangles, ProductSums, sum_over_units
from partita.engine import collect, pair_operations
from partita.inputs import Inputs
from partita.partitions import FUZZY, HARD
from partita.progress import bar
from partita.registry import Index
from partita.statistics import Contingency
from partita.statistics.pairs.coassociation import PairMoments
from partita.statistics.pairs.coassociation_factors import EXTRA
from partita.statistics.pairs.coassociation_gaps import CoassociationGaps
from partita.statistics.pairs.concordance import ConcordanceChance, ConcordanceGaps
from partita.statistics.pairs.credal import CredalGaps
from partita.statistics.pairs.shuffles import ShuffledGaps
from partita.statistics.pairs.tnorm_pairs import TNormPairs
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
    weights_of: Callable[[Any], Weights],
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
    in_chunks = any(one.is_chunked for one in inputs.values())
    units: Any = units_in_chunks(bare) if in_chunks else units_of(bare)
    weights = weights_of(units)
    of_objects = {n: [e for e in own if "X" in e.inputs] for n, own in entries.items()}
    stacks = {
        name: _Stacks(units.inputs[name], [e for e in own if e not in of_objects[name]], weights)
        for name, own in entries.items()
    }
    sum_over_units([one for stack in stacks.values() for one in stack.sums], weights)
    again = [stack.of_moments for stack in stacks.values() if stack.settles_moments()]
    sum_over_units(again, weights)
    with bar("judging what was drawn") as report:

        def tell(before: int, done: int) -> None:
            report(before + done, len(stacks) * weights.n_sets)

        found = {
            name: stack.values(partial(tell, i * weights.n_sets))
            for i, (name, stack) in enumerate(stacks.items())
        }
    if in_chunks or any(one.X is None for one in inputs.values()):
        for name, own in of_objects.items():
            found[name] |= {e.label: IN_CHUNKS for e in own}
    elif any(of_objects.values()):
        with_data = units_of(inputs)
        of_data = weights_of(with_data)
        for name, own in of_objects.items():
            with bar("judging what was drawn") as report:
                found[name] |= _set_by_set(
                    own, with_data.inputs[name], of_data, lambda done: report(done, of_data.n_sets)
                )
    return found, weights


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

IN_CHUNKS = "no interval: each replicate would look at all objects again, and they lie in chunks"


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
        self.is_faint = any(is_faint_anywhere(p) for p in (self.truth, self.found))
        needed = {r.statistic for e in entries if not self._obstacle(e) for r in e.requests}
        self.of_table: CellSums | ProductSums | None = None
        self.of_shared: ProductSums | None = None
        self.of_moments: MomentSums | MomentTriangles | None = None
        self._lost_digits = ""
        sides, n_sets = (self.truth, self.found), weights.n_sets
        if self.is_hard and needed:
            self.of_table = CellSums(sides, n_sets, whole=not self.fractional)
        elif needed:
            if Contingency in needed:
                self.of_table = ProductSums(sides, n_sets)
            if SharedMemberships in needed:
                self.of_shared = ProductSums(sides, n_sets, shared=True)
            if needed & {*STAND_ON_MOMENTS}:
                # by QR where that is cheap, which keeps all digits
                is_cheap = inputs.n_objects * n_sets * self.width <= ROWS_FOR_A_TRIANGLE
                self.of_moments = (MomentTriangles if is_cheap else MomentSums)(sides, n_sets)

    @property
    def sums(self) -> list[Any]:
        """What is summed over units."""
        return [s for s in (self.of_table, self.of_shared, self.of_moments) if s is not None]

    def settles_moments(self) -> bool:
        """Whether moments must be made again, by QR: the sums of products have lost digits."""
        if not isinstance(self.of_moments, MomentSums) or not self.of_moments.loses_digits:
            return False
        size, n_sets = self.inputs.n_objects, self.weights.n_sets
        if size * n_sets > MOST_WEIGHTS:
            self._lost_digits = (
                f"no interval: the clusterings nearly agree, or are nearly constant, on {size} objects"
            )
            return False
        self.of_moments = MomentTriangles((self.truth, self.found), n_sets)
        return True

    # --- what cannot be had together ----------------------------------------------------------------------

    def _obstacle(self, entry: Index) -> str:
        """Why an index has no stack here; "set by set" where each set is a computation of its own."""
        n_sets = self.weights.n_sets
        statistics = {r.statistic for r in entry.requests}
        if self.cells * n_sets > MOST_CELLS:
            shape = f"{self.truth.n_clusters} x {self.found.n_clusters}"
            return f"no interval: {n_sets} tables of {shape} cells are too many; fewer replicates"
        set_by_set = IN_CHUNKS if self.inputs.is_chunked else SET_BY_SET
        if self.is_hard:
            return "" if all(s is Contingency or s.from_table for s in statistics) else set_by_set
        if self.is_faint:
            return set_by_set
        if statistics <= {Contingency}:
            return ""
        if not {*self.kinds} <= {HARD, FUZZY}:
            return set_by_set
        if self.width**2 * n_sets > MOST_CELLS:
            clusters = f"{self.truth.n_clusters} + {self.found.n_clusters} clusters"
            return f"no interval: {n_sets} sets of moments of {clusters} are too many; fewer replicates"
        if any(r.options for r in entry.requests) or not statistics <= self.of_objects | self.of_pairs:
            return set_by_set
        if statistics <= self.of_objects:
            return ""
        if self.inputs.is_chunked:
            return IN_CHUNKS
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
        if self._lost_digits:
            lost = [e for e in together if any(r.statistic in STAND_ON_MOMENTS for r in e.requests)]
            found |= {e.label: self._lost_digits for e in lost}
            together = [e for e in together if e not in lost]
        rest = [e for e in self.entries if obstacles[e.label] == SET_BY_SET]
        if together:
            n_sets = self.weights.n_sets
            filled: dict[str, Floats] = {e.label: np.empty(n_sets) for e in together}
            requests = {r for e in together for r in e.requests}
            rows = max(1, CELLS_AT_ONCE // max(self.cells, self.width**2))
            for sets in blocks(n_sets, rows):
                known = self._statistics({r.statistic for r in requests}, sets)
                for entry in together:
                    chosen = [known[r.statistic] for r in entry.requests]
                    filled[entry.label][sets] = entry.evaluate(chosen).values
                if not rest:
                    on_set(sets.stop)
            found |= filled
        return found | _set_by_set(rest, self.inputs, self.weights, on_set)

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
