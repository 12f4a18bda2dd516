"""Concordance of pairs: how differently two clusterings see the distance of two objects, and by chance.

The distance of two objects is half the L1 distance of their membership rows: 0 for equal rows, 1 for rows
without a common cluster. The gap of a pair is |its distance in truth - its distance in found|.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita.arrays import Array, Floats, blocks, generator, map_blocks
from partita.errors import ParameterError
from partita.partitions import FUZZY, HARD, HardPartition, Kind, Partition
from partita.statistics.chunked_objects import ChunkedObjects, n_chunks_of
from partita.statistics.pairs.object_pairs import (
    DrawnPairs,
    both_hard,
    draw_objects,
    is_relabelling,
    is_relabelling_of_chunks,
    membership_columns,
    number_of_pairs,
    pairs_among,
    sum_over_pairs,
)
from partita.statistics.protocol import OnBlock, Whole
from partita.statistics.tables.contingency import Contingency

EXACT_UP_TO = 5000
"""Objects up to which the expected gap is exact for two soft clusterings: two numbers a pair are held."""

_AT_ONCE = 1 << 16


@dataclass(frozen=True, eq=False)
class ConcordanceGaps(Whole):
    """The sum of the gaps over all pairs of objects (Huellermeier and Rifqi).

    From the table for two hard clusterings, from sorted memberships for one, from tiles of pairs otherwise.

    Attributes
    ----------
    gaps, n_pairs : float
        The sum of the gaps, and the number of pairs; copies (weights) are pairs too.
    is_relabelling : bool
        Whether the clusterings are the same up to the names of the clusters.
    is_whole : bool
        Whether pairs are counted in whole numbers: both sides hard, weights (if any) whole.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})

    gaps: Floats
    n_pairs: Floats
    kinds: tuple[Kind, Kind]
    is_relabelling: Array
    shape: tuple[int, ...] = ()
    is_whole: Any = False

    @classmethod
    def from_table(cls, table: Contingency) -> ConcordanceGaps:
        """The pairs that hard tables, one or a stack, judge differently."""
        a, b, c, d = table.pairs
        n_pairs = a + b + c + d
        return cls(b + c, n_pairs, table.kinds, table.is_relabelling, table.shape, table.is_whole)

    @classmethod
    def from_whole(
        cls, truth: Partition, found: Partition, weight: Array | None = None, on_block: OnBlock = None
    ) -> ConcordanceGaps:
        """The sum over all pairs of objects."""
        if both_hard(truth, found):
            return cls.from_table(Contingency.over_blocks(truth, found, weight=weight))
        n_pairs = np.asarray(number_of_pairs(truth.n_objects, weight))
        kinds = (truth.kind, found.kind)
        if HARD in kinds:
            gaps: Any = _distances_to_a_hard_side(truth, found, weight).gaps
        else:
            gaps = _sum_of_gaps(truth, found, weight, on_block=on_block)
        same = np.asarray(is_relabelling(truth, found))
        return cls(np.asarray(gaps), n_pairs, kinds, same, np.shape(gaps))

    @classmethod
    def from_chunks(
        cls, objects: ChunkedObjects, truth: Partition, found: Partition, on_block: OnBlock = None
    ) -> ConcordanceGaps:
        """The sum over all pairs of objects in chunks."""
        kinds = (truth.kind, found.kind)
        if HARD in kinds:
            gaps: Any = _HardSums.of_chunks(objects, on_block).gaps
        else:
            gaps = objects.sum_over_pairs(_sum_of_gaps, add, on_block)
        n_pairs = np.asarray(pairs_among(objects.weighed.total))
        same = np.asarray(is_relabelling_of_chunks(objects, truth, found))
        return cls(np.asarray(gaps), n_pairs, kinds, same)

    @staticmethod
    def pair_operations(truth: Partition, found: Partition) -> float:
        """Pairs times clusters for two soft clusterings, a sort of the memberships for one."""
        if HARD in (truth.kind, found.kind):
            return _sorting_operations(truth, found)
        return float(number_of_pairs(truth.n_objects, None) * (truth.n_clusters + found.n_clusters))

    @property
    def mean_gap(self) -> Floats:
        """The mean gap of a pair."""
        return np.asarray(self.gaps / self.n_pairs)


@dataclass(frozen=True, eq=False)
class ConcordanceChance(Whole):
    """The mean gap when the objects of one clustering are shuffled: that of every pair with every pair.

    Exact where one side is hard, and for up to 5000 objects; sampled above that.

    Attributes
    ----------
    expected_gap : float
        The mean over all pairs of pairs.
    standard_error : float
        Of a sampled expectation; 0 where it is exact.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    options: ClassVar[type[Any]] = DrawnPairs
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})

    expected_gap: Floats
    kinds: tuple[Kind, Kind]
    standard_error: float = 0.0
    n_samples: int = 0
    shape: tuple[int, ...] = ()

    @classmethod
    def from_table(cls, table: Contingency) -> ConcordanceChance:
        """The share of pairs that hard tables, one or a stack, judge differently by chance."""
        a, b, c, d = table.pairs
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = ((a + b) * (b + d) + (a + c) * (c + d)) / np.square(a + b + c + d)
        return cls(np.asarray(expected), table.kinds, shape=table.shape)

    @classmethod
    def from_whole(
        cls,
        truth: Partition,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,  # noqa: ARG003 (the pairs of pairs are not looked at in blocks)
        *,
        n_samples: int = 1_000_000,
        random_state: Any = None,
    ) -> ConcordanceChance:
        """The expectation, by the cheapest method that is exact, or sampled."""
        kinds = (truth.kind, found.kind)
        if not isinstance(n_samples, (int, np.integer)) or isinstance(n_samples, bool) or n_samples < 2:
            raise ParameterError("n_samples is no number of pairs.", got=repr(n_samples), need="at least 2")
        rng = generator(random_state)
        if both_hard(truth, found):
            return cls.from_table(Contingency.over_blocks(truth, found, weight=weight))
        if number_of_pairs(truth.n_objects, weight) <= 0.0:
            return cls(np.asarray(math.nan), kinds)
        if HARD in kinds:
            return cls(_distances_to_a_hard_side(truth, found, weight).gap_by_chance, kinds)
        if truth.n_objects <= EXACT_UP_TO:
            sides = [_membership_rows(p) for p in (truth, found)]
            return cls(np.asarray(_mean_of_all_gaps(sides, weight)), kinds)
        drawn = [draw_objects(truth.n_objects, weight, int(n_samples), rng) for _ in range(4)]
        total = float(truth.n_objects if weight is None else weight.sum())
        return cls._of_drawn(truth, found, drawn, total)

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        truth: Partition,
        found: Partition,
        on_block: OnBlock = None,
        *,
        n_samples: int = 1_000_000,
        random_state: Any = None,
    ) -> ConcordanceChance:
        """The same of objects in chunks; those that are drawn are brought together."""
        kinds = (truth.kind, found.kind)
        if objects.n_objects <= EXACT_UP_TO:
            (truth, found), weight = objects.take(np.arange(objects.n_objects))
            return cls.from_whole(truth, found, weight, n_samples=n_samples, random_state=random_state)
        weighed = objects.weighed
        if pairs_among(weighed.total) <= 0.0:
            return cls(np.asarray(math.nan), kinds)
        if HARD in kinds:
            return cls(_HardSums.of_chunks(objects, on_block).gap_by_chance, kinds)
        rng, weight = generator(random_state), objects.weights
        drawn = [draw_objects(objects.n_objects, weight, n_samples, rng) for _ in range(4)]
        (truth, found), places = objects.take_drawn(drawn)
        return cls._of_drawn(truth, found, places, weighed.total)

    @classmethod
    def _of_drawn(
        cls, truth: Partition, found: Partition, drawn: Sequence[Array], total: float
    ) -> ConcordanceChance:
        """From pairs of objects of truth (the first two columns) and of found that were drawn."""
        i, j, *others = drawn
        distances = [
            _drawn_distances(_membership_rows(truth), i, j),
            _drawn_distances(_membership_rows(found), *others),
        ]
        estimate, error = _sampled_mean_gap(distances, total)
        return cls(np.asarray(estimate), (truth.kind, found.kind), error, i.size)

    @staticmethod
    def pair_operations(
        truth: Partition,
        found: Partition,
        *,
        n_samples: int = 1_000_000,
        random_state: Any = None,  # noqa: ARG004
    ) -> float:
        """Pairs times clusters and a sort of them, or as much for the sampled ones."""
        if HARD in (truth.kind, found.kind):
            return _sorting_operations(truth, found)
        exact = truth.n_objects <= EXACT_UP_TO
        held = number_of_pairs(truth.n_objects, None) if exact else float(n_samples)
        work = truth.n_clusters + found.n_clusters + math.log2(held + 2.0)
        return held * work

    @property
    def is_sampled(self) -> bool:
        """Whether the expectation is an estimate."""
        return self.n_samples > 0

    @property
    def how(self) -> str:
        """How far a sampled expectation can be trusted; empty for an exact one."""
        if not self.n_samples:
            return ""
        relative = self.standard_error / float(self.expected_gap)
        return (
            f"expected gap {float(self.expected_gap):.4g} sampled ({self.n_samples} pairs a side), standard"
            f" error {self.standard_error:.2g}; that of the index is {relative:.2g} x (1 - index)"
        )


# --- two soft clusterings --------------------------------------------------------------------------------


def _membership_rows(partition: Partition) -> Floats:
    return np.ascontiguousarray(membership_columns(partition).T)


def _sum_of_gaps(
    truth: Partition,
    found: Partition,
    weight: Array | None,
    split: int | None = None,
    on_block: OnBlock = None,
) -> Any:
    """The sum over all pairs of objects; with ``split``, of the first so many with the others."""
    u, v = _membership_rows(truth), _membership_rows(found)

    def of_tile(i: slice, j: slice) -> list[Floats]:
        return [np.abs(_distances(u, i, j) - _distances(v, i, j))]

    return sum_over_pairs(of_tile, truth.n_objects, weight, on_block, split)[0]


def _distances(rows: Floats, i: slice, j: slice) -> Floats:
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(rows[i], rows[j], "cityblock")) / 2.0


def _mean_of_all_gaps(sides: list[Floats], weight: Array | None) -> float:
    """The mean of |x - y| over all pairs x of one side and y of the other, without looking at each.

    The absolute differences inside the pooled values are those inside x, inside y, and between them. The
    ones between are never fewer than half of all (the energy distance is not negative): nothing cancels.
    """
    n = len(sides[0])
    held = n * (n - 1) // 2
    pooled = np.empty(2 * held)
    x, y = pooled[:held], pooled[held:]
    weights = None if weight is None else np.empty(2 * held)
    for side, values in zip(sides, (x, y), strict=True):
        _fill_upper_triangle(lambda i, j, rows=side: _distances(rows, i, j), n, values)
    copies = 0.0
    if weight is not None and weights is not None:
        each = weight.astype(np.float64)
        _fill_upper_triangle(lambda i, j: np.multiply.outer(each[i], each[j]), n, weights[:held])
        weights[held:] = weights[:held]
        copies = float((each * (each - 1.0)).sum()) / 2.0  # their distance is 0
    inside = 0.0
    for part in (slice(0, held), slice(held, None)):
        inside += _sum_of_differences(pooled[part], None if weights is None else weights[part], copies)
    between = _sum_of_differences(pooled, weights, 2.0 * copies) - inside
    return float(between / number_of_pairs(n, weight) ** 2)


def _fill_upper_triangle(of_tile: Any, n: int, out: Floats) -> None:
    """Write the values of all pairs, row by row of the upper triangle."""

    def fill(rows: slice) -> None:
        values = of_tile(rows, slice(rows.start, n))
        for place, i in enumerate(range(rows.start, rows.stop)):
            start = i * n - i * (i + 1) // 2
            out[start : start + n - i - 1] = values[place, place + 1 :]

    map_blocks(fill, n, 64)


def _sum_of_differences(values: Floats, weights: Floats | None, at_zero: float) -> float:
    """The sum of |v - v'| over all pairs of values; sorts them in place. Some more weigh at_zero at 0."""
    if weights is None:
        values.sort()
    else:
        order = np.argsort(values)
        values[:], weights[:] = values[order], weights[order]
    size = values.size
    total = at_zero + float(size if weights is None else weights.sum())
    below, previous, sums = at_zero, 0.0, []
    for part in blocks(size, _AT_ONCE):
        steps = np.diff(values[part], prepend=previous)
        each = np.ones(steps.size) if weights is None else weights[part]
        before = below + np.concatenate([[0.0], np.cumsum(each)[:-1]])
        sums.append(float((steps * before) @ (total - before)))
        below, previous = float(before[-1] + each[-1]), float(values[part][-1])
    return math.fsum(sums)


def _sampled_mean_gap(drawn: Sequence[Floats], total: float) -> tuple[float, float]:
    """An unbiased estimate from drawn pairs, each of one side with each of the other, and its error.

    Pairs are drawn with replacement, an object with itself included; that share is known (distance 0, once
    for each object), and is taken out again.
    """
    scale = (total / (total - 1.0)) ** 2
    mean, variance = 0.0, 0.0
    for own, other in (drawn, drawn[::-1]):
        gaps = _mean_gaps_to(own, other)
        mean = float(gaps.mean())
        variance += float(np.var(scale * (gaps - own / total), ddof=1)) / own.size
    expected = scale * (mean - float(drawn[0].mean() + drawn[1].mean()) / total)
    return expected, math.sqrt(variance)


def _drawn_distances(rows: Floats, i: Array, j: Array) -> Floats:
    parts = map_blocks(lambda s: np.abs(rows[i[s]] - rows[j[s]]).sum(axis=1) / 2.0, i.size, _AT_ONCE)
    return np.sort(np.concatenate(parts))


def _mean_gaps_to(values: Floats, others: Floats) -> Floats:
    """For each value its mean absolute difference to sorted other ones."""
    below = np.searchsorted(others, values)
    sums = np.concatenate([[0.0], np.cumsum(others)])
    size = others.size
    return np.asarray((values * (2 * below - size) + sums[-1] - 2.0 * sums[below]) / size)


# --- one hard clustering -----------------------------------------------------------------------------------


class _HardSums(NamedTuple):
    """Distances in the soft clustering, summed over all pairs and over those together in the hard one."""

    everywhere: float
    together: float
    n_together: float
    n_apart: float

    @classmethod
    def of_chunks(cls, objects: ChunkedObjects, on_block: OnBlock) -> _HardSums:
        """Over all pairs of objects in chunks."""
        return cls(*objects.sum_over_pairs(_hard_sums, np.add, on_block))

    @property
    def gaps(self) -> float:
        """The sum of the gaps: the distances of pairs together, and what those apart lack to 1."""
        return self.together + (self.n_apart - (self.everywhere - self.together))

    @property
    def gap_by_chance(self) -> Floats:
        """The mean gap of every pair with every pair."""
        mean = self.everywhere / (self.n_together + self.n_apart)
        share = self.n_together / (self.n_together + self.n_apart)
        return np.asarray(share * mean + (1.0 - share) * (1.0 - mean))


def _hard_sums(truth: Partition, found: Partition, weight: Array | None, split: int | None) -> Floats:
    """The sums over all pairs; with ``split``, what both parts have together beyond what each has alone.

    The pairs between two parts of like size have no less distance than those inside: little cancels.
    """
    both = np.array(_distances_to_a_hard_side(truth, found, weight))
    if split is None:
        return both
    for part in (slice(0, split), slice(split, truth.n_objects)):
        own = None if weight is None else weight[part]
        both -= np.array(_distances_to_a_hard_side(truth.take(part), found.take(part), own))
    return both


def _distances_to_a_hard_side(truth: Partition, found: Partition, weight: Array | None) -> _HardSums:
    hard, soft = (truth, found) if isinstance(truth, HardPartition) else (found, truth)
    assert isinstance(hard, HardPartition)
    clusters = membership_columns(soft)
    each = np.ones(hard.n_objects) if weight is None else weight.astype(np.float64)
    one_cluster = np.zeros(hard.n_objects, dtype=np.int64)

    def of_cluster(chosen: slice) -> tuple[float, float]:
        (values,) = clusters[chosen]
        order = np.argsort(values, kind="stable")
        regrouped = order[np.argsort(hard.codes[order], kind="stable")]
        return (
            _differences_in_groups(values[order], one_cluster, each[order]),
            _differences_in_groups(values[regrouped], hard.codes[regrouped], each[regrouped]),
        )

    sums = np.sum(map_blocks(of_cluster, len(clusters), 1), axis=0) / 2.0
    sizes = np.bincount(hard.codes, weights=each)
    n_together = float((sizes * (sizes - 1.0)).sum()) / 2.0
    n_pairs = number_of_pairs(hard.n_objects, weight)
    return _HardSums(float(sums[0]), float(sums[1]), n_together, n_pairs - n_together)


def _differences_in_groups(values: Floats, groups: Array, each: Floats) -> float:
    """The sum of w w' |v - v'| over pairs of a group; groups in a row, values sorted inside them."""
    sizes = np.bincount(groups, weights=each)
    before_group = np.cumsum(sizes) - sizes
    below = np.cumsum(each) - before_group[groups]
    same = groups[1:] == groups[:-1]
    steps = np.diff(values) * same
    return float((steps * below[:-1]) @ (sizes[groups[:-1]] - below[:-1]))


def _sorting_operations(truth: Partition, found: Partition) -> float:
    """What the method for a hard side costs, once for every chunk; two hard ones need the table only."""
    soft_clusters = sum(p.n_clusters for p in (truth, found) if not isinstance(p, HardPartition))
    return truth.n_objects * soft_clusters * math.log2(truth.n_objects + 1.0) * n_chunks_of(truth)
