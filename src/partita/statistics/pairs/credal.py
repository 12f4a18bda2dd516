"""How far two clusterings agree in the masses of pairs of objects: Dempster-Shafer theory on pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, ClassVar, Literal

import numpy as np

from partita.arrays import BLOCK_ROWS, Array, Floats, dense, is_sparse, map_blocks
from partita.partitions import (
    EVIDENTIAL,
    FUZZY,
    HARD,
    ROUGH,
    HardPartition,
    Kind,
    PairRelations,
    Partition,
    RoughPartition,
)
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.pairs.object_pairs import (
    is_relabelling_of_chunks,
    number_of_pairs,
    pairs_among,
    sum_over_pairs,
    work_of_pairs,
)
from partita.statistics.protocol import OnBlock, Request, Statistic, Whole
from partita.statistics.tables.contingency import Contingency
from partita.statistics.tables.overlaps import SharedMemberships, summing_to_one

CREDAL = frozenset({HARD, FUZZY, ROUGH, EVIDENTIAL})
_BAYESIAN = frozenset({HARD, FUZZY})
_LISTED = frozenset({HARD, ROUGH})
_MANY_CELLS = 1 << 22

Factors = Callable[[PairRelations, slice], tuple[Floats, Floats]]

CONSISTENCY = "a consistency: 1 where nothing contradicts; a soft clustering need not reach it with itself"


@dataclass(frozen=True)
class CredalOptions:
    """Which distance of masses."""

    type: Literal["belief", "jousselme", "conflict"] = "belief"


@dataclass(frozen=True, eq=False)
class CredalGaps(Whole):
    """The sum over pairs of objects of how far apart their masses are in two clusterings.

    Closed sums for ``type="conflict"``, for ``"belief"`` with a hard side, and where both sides are hard
    or fuzzy and one is hard; tiles of all distinct pairs for the rest, in O(tile^2) memory.

    Attributes
    ----------
    gaps : array of shape (...)
        Conflict, Jousselme distance or half the absolute differences of beliefs, summed over pairs.
    pairs : array of shape (...)
        The number of pairs; weights are multiplicities.
    kinds : (Kind, Kind)
        The kinds of truth and found.
    are_same : bool, or array of shape (...)
        Whether the clusterings are equivalent; only looked at when there is no pair.
    is_whole : bool
        Whether the weights, if any, are whole numbers.
    how : str
        What a reader of a value must know.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    options: ClassVar[type[Any]] = CredalOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = CREDAL
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"shared": SharedMemberships}

    gaps: Any
    pairs: Any
    kinds: tuple[Kind, Kind] = (HARD, HARD)
    are_same: Any = False
    is_whole: bool = True
    how: str = ""

    @classmethod
    def from_table(cls, table: Contingency) -> CredalGaps:
        """Of hard tables, one or a stack: the pairs that are together on one side only, for every type."""
        a, b, c, d = table.pairs
        same, whole = table.is_relabelling, bool(table.is_whole)
        return cls(b + c, a + b + c + d, table.kinds, are_same=same, is_whole=whole)

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The products of memberships, where one side is hard and the other hard or fuzzy."""
        kinds = {given["truth"].kind, given["found"].kind}
        return {"shared": Request(SharedMemberships)} if HARD in kinds and kinds <= _BAYESIAN else {}

    @classmethod
    def from_whole(
        cls,
        truth: Partition,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        type: str = "belief",  # noqa: A002 (the name that the field gives it)
        shared: SharedMemberships | None = None,
    ) -> CredalGaps:
        """The sums over all pairs of these objects; ``shared`` where it is known already."""
        pairs = number_of_pairs(truth.n_objects, weight)
        hard = HARD in (truth.kind, found.kind)
        bayesian = {truth.kind, found.kind} <= _BAYESIAN
        if bayesian and (hard or type == "conflict"):
            gaps = _gaps_of_table(truth, found, weight, on_block, shared)
        else:
            truth_rows, found_rows, times = _distinct_objects(truth, found, weight)
            a, b = PairRelations.of(truth_rows), PairRelations.of(found_rows)
            if type == "conflict":
                gaps = _conflicts(a, b, times, pairs, on_block)
            elif type == "belief" and hard:
                gaps = _belief_gaps_to_hard(a, b, times, pairs, on_block)
            else:
                gaps = _gaps_by_tiles(a, b, times, _DISTANCES[type], on_block)
        return cls(
            gaps,
            pairs,
            (truth.kind, found.kind),
            are_same=pairs <= 0 and _plain(truth).equivalent(_plain(found)),
            is_whole=weight is None or weight.dtype.kind == "i",
            how=CONSISTENCY if type == "conflict" and (truth.kind, found.kind) != (HARD, HARD) else "",
        )

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        truth: Partition,
        found: Partition,
        on_block: OnBlock = None,
        *,
        type: str = "belief",  # noqa: A002
        shared: SharedMemberships | None = None,
    ) -> CredalGaps:
        """The same of objects in chunks, which are hard or fuzzy."""
        weighed = objects.weighed
        if HARD in (truth.kind, found.kind) or type == "conflict":
            parts = objects.each(partial(_counted_once, shared=shared))
            gaps = _gaps_of_counts(parts, shared)
        else:
            gaps = objects.sum_over_pairs(partial(_tiles_of_pair, type=type), add, on_block)
        pairs = pairs_among(weighed.total)
        return cls(
            gaps,
            pairs,
            (truth.kind, found.kind),
            are_same=pairs <= 0 and is_relabelling_of_chunks(objects, truth, found),
            is_whole=weighed.is_whole,
            how=CONSISTENCY if type == "conflict" and (truth.kind, found.kind) != (HARD, HARD) else "",
        )

    @staticmethod
    def pair_operations(truth: Partition, found: Partition, *, type: str = "belief") -> float:  # noqa: A002
        """How many pairs of objects must be looked at; none where sums have a closed form."""
        hard = HARD in (truth.kind, found.kind)
        bayesian = {truth.kind, found.kind} <= _BAYESIAN
        if type == "conflict" or (hard and (type == "belief" or bayesian)):
            return 0.0
        n = truth.n_objects
        if {truth.kind, found.kind} <= _LISTED:
            n = _distinct_objects(truth, found, None)[0].n_objects
        return work_of_pairs(n * (n - 1) / 2, truth, found)

    @property
    def fractional_weights(self) -> bool:
        """Whether some objects counted by fractions: below one, their pairs with themselves are negative."""
        return not self.is_whole

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; () for two clusterings."""
        return np.shape(self.gaps)


@dataclass(frozen=True, eq=False)
class PairNonspecificity(Whole):
    """The sum over pairs of objects of the mass that settles neither "together" nor "apart".

    Attributes
    ----------
    undecided : float
        Mass on the empty set and on {together, apart}, summed over pairs.
    pairs : float
        The number of pairs; weights are multiplicities.
    kind : Kind
        The kind of the clustering.
    is_whole : bool
        Whether the weights, if any, are whole numbers.
    """

    inputs: ClassVar[tuple[str, ...]] = ("found",)
    kinds_accepted: ClassVar[frozenset[Kind]] = CREDAL

    undecided: Any
    pairs: Any
    kind: Kind = HARD
    is_whole: bool = True

    @classmethod
    def from_whole(
        cls, found: Partition, weight: Array | None = None, on_block: OnBlock = None
    ) -> PairNonspecificity:
        """The sums over all pairs of these objects, in one pass over the objects."""
        pairs = number_of_pairs(found.n_objects, weight)
        undecided = 0.0
        if found.kind not in _BAYESIAN:
            rows, _, times = _distinct_objects(found, found, weight)
            masses = PairRelations.of(rows)
            live, both = _pair_sums(masses, masses, [(_live, _any), (_both, _any)], times, on_block)
            undecided = pairs - live + both
        return cls(undecided, pairs, found.kind, weight is None or weight.dtype.kind == "i")

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        found: Partition,
        on_block: OnBlock = None,  # noqa: ARG003
    ) -> PairNonspecificity:
        """Of objects in chunks, which are hard or fuzzy: there is no such mass."""
        weighed = objects.weighed
        return cls(0.0, pairs_among(weighed.total), found.kind, weighed.is_whole)

    @property
    def kinds(self) -> tuple[Kind]:
        """The kind of the clustering."""
        return (self.kind,)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; always () here."""
        return np.shape(self.undecided)


def _plain(partition: Partition) -> Partition:
    """The same clustering, noise being a cluster like any other, as it is in all sums here."""
    if not isinstance(partition, HardPartition):
        return partition
    return HardPartition.from_codes(partition.codes, range(partition.n_clusters))


def _distinct_objects(
    truth: Partition, found: Partition, weight: Array | None
) -> tuple[Partition, Partition, Floats]:
    """Each distinct object once, in order of first appearance, and how often it counts."""
    times = np.ones(truth.n_objects) if weight is None else weight.astype(np.float64)
    rows = np.column_stack([_numbers(truth), _numbers(found)])
    keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    if first.size == times.size:
        return truth, found, times
    order = np.argsort(first)
    sums: Any = np.bincount(place, weights=times)
    return truth.take(first[order]), found.take(first[order]), sums[order]


def _numbers(partition: Partition) -> Array:
    """What tells one object from another, as rows of numbers."""
    if isinstance(partition, HardPartition):
        return partition.codes.astype(np.float64)
    if isinstance(partition, RoughPartition):
        return np.packbits(partition.possible, axis=1).astype(np.float64)
    values = partition.masses if partition.kind is EVIDENTIAL else partition.memberships()  # type: ignore[attr-defined]
    return dense(values)


# --- closed sums -------------------------------------------------------------------------------------


def _gaps_of_table(
    truth: Partition,
    found: Partition,
    weight: Array | None,
    on_block: OnBlock,
    shared: SharedMemberships | None = None,
) -> float:
    """The sum of s (1 - t) + (1 - s) t over pairs, s and t being the masses of "together"."""

    def one(part: slice) -> tuple[Contingency | None, float]:
        times = None if weight is None else weight[part]
        return _counted_once(truth.take(part), found.take(part), times, shared)

    rows = Contingency.block_rows(truth, found)
    return _gaps_of_counts(map_blocks(one, truth.n_objects, rows, on_block, products=True), shared)


def _counted_once(
    truth: Partition, found: Partition, weight: Array | None, shared: SharedMemberships | None
) -> tuple[Contingency | None, float]:
    """What some objects add to those sums: their table, unless it is known, and their copies."""
    sides = summing_to_one(truth), summing_to_one(found)
    counted = Contingency.from_block(*sides, weight) if shared is None else None
    return counted, _differing_copies(*sides, weight)


def _gaps_of_counts(
    parts: Sequence[tuple[Contingency | None, float]], shared: SharedMemberships | None
) -> float:
    tables = [counted for counted, _ in parts if counted is not None]
    table: Contingency = shared.table if shared else reduce(add, tables)
    if table.is_whole:
        return float(table.pair_counts.truth_only + table.pair_counts.found_only)
    margins = [np.asarray(table.raw.sum(axis=axis), dtype=np.float64) for axis in (0, 1)]
    cells = np.asarray(table.raw.data if table.is_sparse else table.raw, dtype=np.float64).ravel()
    ordered = sum(float(m @ m) for m in margins) - 2.0 * float(cells @ cells)
    return (ordered - math.fsum(copies for _, copies in parts)) / 2.0


def _differing_copies(truth: Partition, found: Partition, weight: Array | None) -> float:
    """The same sum over each object and a copy of it."""
    s, t = (_squared_lengths(p) for p in (truth, found))
    each = s + t - 2.0 * s * t
    return float(each.sum() if weight is None else weight @ each)


def _squared_lengths(partition: Partition) -> Floats:
    if isinstance(partition, HardPartition):
        return np.ones(partition.n_objects)
    values = partition.memberships()
    if is_sparse(values):
        return np.asarray(values.multiply(values).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", values, values))


def _pair_sums(
    a: PairRelations,
    b: PairRelations,
    terms: Sequence[tuple[Factors, Factors]],
    times: Floats,
    on_block: OnBlock,
) -> list[float]:
    """For each term (p, q) the sum of p(i, j) q(i, j) over pairs, p of ``a`` and q of ``b``.

    With p(i, j) = x_i . y_j and q(i, j) = z_i . t_j the sum over all i, j is that of X'Z * Y'T.
    """
    for of_a, of_b in terms:  # factors are made here once, not by several threads at a time
        of_a(a, slice(0, 0)), of_b(b, slice(0, 0))
    width = max(a.masses.shape[1], b.masses.shape[1])
    rows = max(1, min(BLOCK_ROWS, _MANY_CELLS // width))

    def one(part: slice) -> list[tuple[Floats, Floats, float]]:
        w = times[part]
        found = []
        for of_a, of_b in terms:
            (x, y), (z, t) = of_a(a, part), of_b(b, part)
            copies = float(w @ (np.einsum("ij,ij->i", x, y) * np.einsum("ij,ij->i", z, t)))
            weighted = w[:, None]
            found.append((x.T @ (z * weighted), y.T @ (t * weighted), copies))
        return found

    parts = map_blocks(one, times.size, rows, on_block, products=True)
    sums = []
    for term in range(len(terms)):
        left, right, _ = parts[0][term]
        for part in parts[1:]:
            left, right = left + part[term][0], right + part[term][1]
        sums.append((float((left * right).sum()) - math.fsum(p[term][2] for p in parts)) / 2.0)
    return sums


def _together(m: PairRelations, part: slice) -> tuple[Floats, Floats]:
    return m.single[part], m.single[part]


def _apart(m: PairRelations, part: slice) -> tuple[Floats, Floats]:
    return m.masses[part], m.disjoint[part]


def _both(m: PairRelations, part: slice) -> tuple[Floats, Floats]:
    return m.masses[part], m.overlapping[part]


def _live(m: PairRelations, part: slice) -> tuple[Floats, Floats]:
    return m.live[part, None], m.live[part, None]


def _any(m: PairRelations, part: slice) -> tuple[Floats, Floats]:
    ones = np.ones((m.live[part].size, 1))
    return ones, ones


def _conflicts(a: PairRelations, b: PairRelations, times: Floats, pairs: float, on_block: OnBlock) -> float:
    terms = [(_live, _live), (_together, _apart), (_apart, _together)]
    live, split, joined = _pair_sums(a, b, terms, times, on_block)
    return pairs - live + split + joined


def _belief_gaps_to_hard(
    a: PairRelations, b: PairRelations, times: Floats, pairs: float, on_block: OnBlock
) -> float:
    """A hard side has masses 0 and 1, where |x - y| = x + y - 2 x y; so no pair must be looked at."""
    terms = [(_together, _together), (_apart, _apart), (_both, _any), (_any, _both)]
    together, apart, both_a, both_b = _pair_sums(a, b, terms, times, on_block)
    return pairs - (both_a + both_b) / 2.0 - together - apart


# --- tiles -------------------------------------------------------------------------------------------

Distance = Callable[[PairRelations, PairRelations, slice, slice], Floats]


def _belief_distance(a: PairRelations, b: PairRelations, rows: slice, columns: slice) -> Floats:
    """Half the absolute differences of the beliefs in {together}, {apart} and {together, apart}."""
    gap = np.abs(a.together(rows, columns) - b.together(rows, columns))
    if a.is_bayesian and b.is_bayesian:
        return gap
    gap += np.abs(a.apart(rows, columns) - b.apart(rows, columns))
    gap += np.abs(a.empty(rows, columns) - b.empty(rows, columns))
    return gap / 2.0


def _jousselme_distance(a: PairRelations, b: PairRelations, rows: slice, columns: slice) -> Floats:
    """sqrt(delta' J delta / 2), the quadratic form written as a sum of squares."""
    together = a.together(rows, columns) - b.together(rows, columns)
    if a.is_bayesian and b.is_bayesian:
        return np.abs(together)
    half_both = (a.both(rows, columns) - b.both(rows, columns)) / 2.0
    apart = a.apart(rows, columns) - b.apart(rows, columns)
    empty = a.empty(rows, columns) - b.empty(rows, columns)
    squares = empty**2 + (together + half_both) ** 2 + (apart + half_both) ** 2 + 2.0 * half_both**2
    return np.asarray(np.sqrt(squares / 2.0))


_DISTANCES: dict[str, Distance] = {"belief": _belief_distance, "jousselme": _jousselme_distance}


def _tiles_of_pair(
    truth: Partition,
    found: Partition,
    weight: Array | None,
    split: int | None,
    *,
    type: str,  # noqa: A002
) -> float:
    """The sum over the pairs of one chunk, or between two."""
    times = np.ones(truth.n_objects) if weight is None else weight.astype(np.float64)
    a, b = PairRelations.of(truth), PairRelations.of(found)
    return _gaps_by_tiles(a, b, times, _DISTANCES[type], None, split)


def _gaps_by_tiles(
    a: PairRelations,
    b: PairRelations,
    times: Floats,
    distance: Distance,
    on_block: OnBlock,
    split: int | None = None,
) -> float:
    for side in (a, b):  # factors are made here once, not by several threads at a time
        _ = side.single, side.live, side.disjoint, side.is_bayesian or side.overlapping
    (gaps,) = sum_over_pairs(
        lambda rows, columns: [distance(a, b, rows, columns)], times.size, times, on_block, split
    )
    return float(gaps)
