"""How far two co-associations lie apart by chance, when the objects of one side are shuffled."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from partita.arrays import Array, Floats, blocks, generator
from partita.errors import ParameterError
from partita.partitions import FUZZY, HARD, POSSIBILISTIC, Kind, Partition
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.pairs.coassociation import (
    WHY_NOT,
    PairMoments,
    refuse_rows_that_do_not_sum_to_one,
)
from partita.statistics.pairs.coassociation_factors import shares
from partita.statistics.pairs.coassociation_gaps import products_of
from partita.statistics.pairs.object_pairs import (
    DrawnPairs,
    draw_pairs,
    number_of_pairs,
    pairs_among,
    work_of_pairs,
)
from partita.statistics.pairs.typicalities import typicalities
from partita.statistics.protocol import OnBlock, Request, Statistic, Whole
from partita.statistics.tables.contingency import Contingency

EXACT_UP_TO = 5000
"""Objects up to which the gap by chance is exact for two soft clusterings: all pairs are held at once."""

_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class ShuffledGaps(Whole):
    """The mean gap when the objects of one side are shuffled: that of every pair with every pair.

    Exact where one side is hard, and for up to 5000 objects; sampled above that.

    Attributes
    ----------
    together, apart : float
        As those of `CoassociationGaps`, over all pairs of pairs.
    standard_error : float
        Of their mean where it is sampled; 0 where it is exact.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    options: ClassVar[type[Any]] = DrawnPairs
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY, POSSIBILISTIC})
    why_not: ClassVar[str] = WHY_NOT
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"moments": PairMoments}

    together: Any
    apart: Any
    kinds: tuple[Kind, Kind]
    standard_error: float = 0.0
    n_samples: int = 0

    @classmethod
    def from_table(cls, table: Contingency, **_: Any) -> ShuffledGaps:
        """For two hard clusterings, or a stack of pairs of them."""
        return cls.of_moments(PairMoments.from_table(table))

    @classmethod
    def of_moments(cls, moments: PairMoments) -> ShuffledGaps:
        """Where one side is hard and both have rows that sum to one."""
        gap = moments.gap_by_chance
        return cls(gap, gap, moments.kinds)

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The linear sums, where they are all it takes."""
        kinds = given["truth"].kind, given["found"].kind
        return {"moments": Request(PairMoments)} if _is_linear(kinds) else {}

    @classmethod
    def from_whole(
        cls,
        truth: Partition,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,  # noqa: ARG003 (pairs of pairs are not looked at in blocks)
        *,
        n_samples: int = 1_000_000,
        random_state: Any = None,
        moments: PairMoments | None = None,
    ) -> ShuffledGaps:
        """The expectation, by the cheapest method that is exact, or sampled."""
        if not isinstance(n_samples, (int, np.integer)) or isinstance(n_samples, bool) or n_samples < 2:
            raise ParameterError("n_samples is no number of pairs.", got=repr(n_samples), need="at least 2")
        kinds = (truth.kind, found.kind)
        for partition in (truth, found):
            refuse_rows_that_do_not_sum_to_one(partition, cls.kinds_accepted)
        if _is_linear(kinds):
            return cls.of_moments(moments or PairMoments.over_blocks(truth, found, weight=weight))
        if number_of_pairs(truth.n_objects, weight) <= 0.0:
            return cls(np.asarray(math.nan), np.asarray(math.nan), kinds)
        if truth.n_objects <= EXACT_UP_TO:
            rows = typicalities(truth, found) if POSSIBILISTIC in kinds else (shares(truth), shares(found))
            also_apart = _are_told_apart(kinds)
            sums = [r.sum(axis=1, keepdims=True) for r in rows]
            values = [products_of_all_pairs(r, weight) for r in rows]
            counts = None if weight is None else multiplicities_of_pairs(weight)
            apart = [
                products_of_all_pairs(s, weight) - v for s, v in zip(sums, values, strict=True) if also_apart
            ]
            gaps = [_mean_cross_gap(side[0], side[1], counts) for side in (values, apart) if side]
            return cls(np.asarray(gaps[0]), np.asarray(gaps[-1]), kinds)
        rng = generator(random_state)
        drawn = [draw_pairs(truth.n_objects, weight, int(n_samples), rng) for _ in kinds]
        return cls._of_drawn(truth, found, drawn)

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        truth: Partition,
        found: Partition,
        on_block: OnBlock = None,  # noqa: ARG003
        *,
        n_samples: int = 1_000_000,
        random_state: Any = None,
        moments: PairMoments | None = None,
    ) -> ShuffledGaps:
        """The same of objects in chunks; those that are drawn are brought together."""
        if moments is not None:
            return cls.of_moments(moments)
        kinds = (truth.kind, found.kind)
        if objects.n_objects <= EXACT_UP_TO:
            (truth, found), weight = objects.take(np.arange(objects.n_objects))
            return cls.from_whole(truth, found, weight, n_samples=n_samples, random_state=random_state)
        if pairs_among(objects.weighed.total) <= 0.0:
            return cls(np.asarray(math.nan), np.asarray(math.nan), kinds)
        rng, weight = generator(random_state), objects.weights
        drawn = [draw_pairs(objects.n_objects, weight, n_samples, rng) for _ in kinds]
        (truth, found), (i, j, *others) = objects.take_drawn([*drawn[0], *drawn[1]])
        return cls._of_drawn(truth, found, [(i, j), (others[0], others[1])])

    @classmethod
    def _of_drawn(
        cls, truth: Partition, found: Partition, drawn: Sequence[tuple[Array, Array]]
    ) -> ShuffledGaps:
        """From pairs of objects that were drawn for each side."""
        kinds = (truth.kind, found.kind)
        rows = typicalities(truth, found) if POSSIBILISTIC in kinds else (shares(truth), shares(found))
        also_apart = _are_told_apart(kinds)
        sums = [r.sum(axis=1, keepdims=True) for r in rows]
        values = [products_of(r, r, *pairs) for r, pairs in zip(rows, drawn, strict=True)]
        apart = [
            products_of(s, s, *pairs) - v
            for s, pairs, v in zip(sums, drawn, values, strict=True)
            if also_apart
        ]
        sampled = [_sampled_cross_gap(side[0], side[1]) for side in (values, apart) if side]
        error = sum(e for _, e in sampled) / len(sampled)  # at most, however they are correlated
        size = drawn[0][0].size
        return cls(np.asarray(sampled[0][0]), np.asarray(sampled[-1][0]), kinds, error, size)

    @staticmethod
    def pair_operations(
        truth: Partition,
        found: Partition,
        *,
        n_samples: int = 1_000_000,
        random_state: Any = None,  # noqa: ARG004 (an option of from_whole)
    ) -> float:
        """How many values are compared when pairs are sorted; 0 where one side is hard."""
        if _is_linear((truth.kind, found.kind)):
            return PairMoments.pair_operations(truth, found)
        n = truth.n_objects
        held = number_of_pairs(n, None) if n <= EXACT_UP_TO else float(n_samples)
        return work_of_pairs(held, truth, found) + held * math.log2(held + 2.0)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; () unless it comes from a stack of hard tables."""
        return tuple(np.shape(self.together))

    @property
    def is_sampled(self) -> bool:
        """Whether the expectation is an estimate."""
        return self.n_samples > 0

    @property
    def how(self) -> str:
        """How far a sampled expectation can be trusted; empty for an exact one."""
        if not self.n_samples:
            return ""
        mean = float(self.together + self.apart) / 2.0
        return (
            f"expected gap {mean:.4g} sampled ({self.n_samples} pairs a side), standard error"
            f" {self.standard_error:.2g}; that of the index is about {self.standard_error / mean:.2g}"
            " x (1 - index)"
        )


def _are_told_apart(kinds: tuple[Kind, Kind]) -> bool:
    """Whether being apart must be looked at too: fuzzy rows are apart by one minus what they are together."""
    return POSSIBILISTIC in kinds


def _is_linear(kinds: tuple[Kind, Kind]) -> bool:
    """Whether one side is hard and both have rows that sum to one."""
    return HARD in kinds and {*kinds} <= {HARD, FUZZY}


def products_of_all_pairs(rows: Array, weight: Array | None) -> Floats:
    """The products of all pairs of rows; with weights, those of each row with its own copies at the end."""
    parts = [rows[i + 1 :] @ rows[i] for i in range(len(rows) - 1)]
    if weight is not None:
        parts.append((rows * rows).sum(axis=1))
    return np.concatenate(parts) if parts else np.empty(0)


def multiplicities_of_pairs(weight: Array) -> Floats:
    """How often each of these pairs occurs."""
    each = weight.astype(np.float64)
    counts = products_of_all_pairs(each[:, None], weight)
    counts[counts.size - each.size :] = each * (each - 1.0) / 2.0
    return counts


def _mean_cross_gap(x: Floats, y: Floats, counts: Floats | None) -> float:
    """The mean of |x - y| over all of x with all of y: the integral of F (1 - G) + G (1 - F)."""
    pooled = np.concatenate([x, y])
    if counts is None:
        pooled[: x.size].sort()  # two sorted runs are merged in one go
        pooled[x.size :].sort()
    order = np.argsort(pooled, kind="stable")
    total = float(x.size if counts is None else counts.sum())
    below = np.zeros(2)
    parts, previous = [], float(pooled[order[0]])
    for part in blocks(order.size, _AT_ONCE):
        place = order[part]
        values = pooled[place]
        in_x = place < x.size
        each = np.ones(place.size) if counts is None else counts[place % x.size]
        upto = np.cumsum(np.stack([each * in_x, each * ~in_x]), axis=1) + below[:, None]
        f, g = np.hstack([below[:, None], upto[:, :-1]]) / total
        parts.append(float(np.diff(values, prepend=previous) @ (f * (1.0 - g) + g * (1.0 - f))))
        below, previous = upto[:, -1], float(values[-1])
    return math.fsum(parts)


def _sampled_cross_gap(x: Floats, y: Floats) -> tuple[float, float]:
    """The mean of |x - y| over all drawn x with all drawn y, unbiased, and its standard error."""
    x, y = np.sort(x), np.sort(y)
    gaps_of_x, gaps_of_y = _mean_gaps(x, y), _mean_gaps(y, x)
    variance = gaps_of_x.var(ddof=1) / x.size + gaps_of_y.var(ddof=1) / y.size
    return float(gaps_of_x.mean()), math.sqrt(variance)


def _mean_gaps(values: Floats, others: Floats) -> Floats:
    """For each value its mean absolute difference to the others, which are sorted."""
    below = np.searchsorted(others, values)
    sums = np.concatenate([[0.0], np.cumsum(others)])
    return np.asarray((values * (2.0 * below - others.size) + sums[-1] - 2.0 * sums[below]) / others.size)
