"""How far two co-associations lie apart: the mean of |a - b| over all pairs of objects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import add
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from partita.arrays import Array, Floats, generator, map_blocks
from partita.errors import ParameterError, PartitaError, TooLargeError
from partita.partitions import FUZZY, HARD, POSSIBILISTIC, Kind, Partition
from partita.statistics.chunked_objects import ChunkedObjects, Weighed
from partita.statistics.options import Above, Below
from partita.statistics.pairs.coassociation import (
    WHY_NOT,
    PairMoments,
    refuse_rows_that_do_not_sum_to_one,
)
from partita.statistics.pairs.coassociation_factors import shares
from partita.statistics.pairs.coassociation_sums import (
    METHODS,
    angles_of_pair,
    by_tiles,
    plan,
    rows_for,
    signed,
    tiles_of_pair,
)
from partita.statistics.pairs.object_pairs import (
    draw_pairs,
    is_relabelling_of_chunks,
    pairs_among,
)
from partita.statistics.pairs.typicalities import faint_exponent, largest_membership, typicality_sums
from partita.statistics.protocol import OnBlock, Request, Statistic, Whole
from partita.statistics.tables.contingency import Contingency

OUTSIDE = 1e-9
"""How far rounding may carry a mean gap past the bounds that are known beforehand."""

MOST_DRAWN = 1e8
"""Pairs that are drawn at once, at most: a few gigabytes."""

_PAIRS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class GapOptions:
    """Whether pairs are sampled, and how many."""

    method: Literal["auto", "sample"] = "auto"
    epsilon: Annotated[float, Above(0)] = 1e-3
    confidence: Annotated[float, Above(0), Below(1)] = 0.95
    random_state: Any = None


@dataclass(frozen=True, eq=False)
class CoassociationGaps(Whole):
    """The mean over all pairs of |a - b|, by the cheapest exact method, or sampled with a guarantee.

    Attributes
    ----------
    together : float
        The mean of |a - b|.
    apart : float
        The same for how far two objects are apart, r_i r_j - <u_i, u_j> with r the row sums. Equal to
        ``together`` unless one side is possibilistic.
    sizes : (float, float)
        The means of r_i r_j of both sides; 1 unless possibilistic. Typicalities that are tiny on both sides
        are taken times a common power of two, here and in the two means above.
    moments : PairMoments or None
        The linear sums; None if one side is possibilistic.
    method, how : str
        Which method it was, and what a reader must know of it: nothing for an exact one.
    standard_error : float
        Of a sampled mean gap; 0 where it is exact.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    options: ClassVar[type[Any]] = GapOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY, POSSIBILISTIC})
    why_not: ClassVar[str] = WHY_NOT
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"moments": PairMoments}

    together: Any
    apart: Any
    sizes: tuple[Any, Any]
    kinds: tuple[Kind, Kind]
    n: Floats
    is_identical: Array
    moments: PairMoments | None = None
    method: str = "table"
    how: str = ""
    fractional_weights: bool = False
    standard_error: float = 0.0

    @property
    def is_sampled(self) -> bool:
        """Whether the gap is an estimate."""
        return self.method == "sample"

    @classmethod
    def from_table(cls, table: Contingency, **_: Any) -> CoassociationGaps:
        """The gaps of two hard clusterings, or of a stack of pairs of them: pairs together in one only."""
        return cls.of_moments(PairMoments.from_table(table), "table")

    @classmethod
    def of_moments(
        cls, moments: PairMoments, method: str, mean_gap: Any = None, how: str = ""
    ) -> CoassociationGaps:
        """Of clusterings whose rows sum to one, or of a stack of pairs of them.

        Where one side is crisp, |a - b| = a + b - 2ab.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = np.asarray(moments.disagreement if mean_gap is None else mean_gap)
        one = np.asarray(1.0)
        identical = moments.is_identical
        fractional = moments.fractional_weights
        return cls(
            gap, gap, (one, one), moments.kinds, moments.n, identical, moments, method, how, fractional
        )

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """The linear sums, which typicalities have not."""
        kinds = given["truth"].kind, given["found"].kind
        return {} if POSSIBILISTIC in kinds else {"moments": Request(PairMoments)}

    @classmethod
    def from_whole(
        cls,
        truth: Partition,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        method: str = "auto",
        epsilon: float = 1e-3,
        confidence: float = 0.95,
        random_state: Any = None,
        moments: PairMoments | None = None,
    ) -> CoassociationGaps:
        """The gaps of all objects.

        Parameters
        ----------
        truth, found : Partition
            Hard, fuzzy or possibilistic.
        weight : array, optional
            Multiplicities.
        on_block : callable, optional
            Told how many blocks are done, of how many.
        method : {"auto", "sample"}
            The cheapest exact method, or a sample of pairs.
        epsilon, confidence : float
            A sampled mean gap is off by more than epsilon with probability at most 1 - confidence.
        random_state : None, int or Generator
            The seed of a sample.
        moments : PairMoments, optional
            The linear sums, where they are known already.
        """
        for partition in (truth, found):
            refuse_rows_that_do_not_sum_to_one(partition, cls.kinds_accepted)
        if POSSIBILISTIC in (truth.kind, found.kind):
            refuse_sampled_typicalities(method)
            return cls._of_typicalities(truth, found, weight, on_block)
        moments = moments or PairMoments.over_blocks(truth, found, weight=weight)
        known = cls._without_a_look(moments)
        if known is not None:
            return known
        if method == "sample":
            pairs = draw_pairs(
                truth.n_objects, weight, sample_size(epsilon, confidence), generator(random_state)
            )
            return cls._of_drawn(truth, found, pairs, moments, epsilon, confidence)
        chosen, _ = plan(truth, found)
        gap = METHODS[chosen](*rows_for(chosen, truth, found), weight, moments, on_block)
        return cls._of_sum(gap, moments, chosen)

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        truth: Partition,
        found: Partition,
        on_block: OnBlock = None,
        *,
        method: str = "auto",
        epsilon: float = 1e-3,
        confidence: float = 0.95,
        random_state: Any = None,
        moments: PairMoments | None = None,
    ) -> CoassociationGaps:
        """The gaps of objects in chunks; where pairs are sampled, the drawn objects are brought together."""
        if moments is None:
            refuse_sampled_typicalities(method)
            return cls._of_chunks_of_typicalities(objects, truth, found, on_block)
        known = cls._without_a_look(moments)
        if known is not None:
            return known
        if method == "sample":
            size = sample_size(epsilon, confidence)
            pairs = draw_pairs(objects.n_objects, objects.weights, size, generator(random_state))
            (truth, found), (i, j) = objects.take_drawn(pairs)
            return cls._of_drawn(truth, found, (i, j), moments, epsilon, confidence)
        chosen, _ = plan(truth, found)
        of_pair: Any = angles_of_pair if chosen == "angles" else tiles_of_pair
        return cls._of_sum(objects.sum_over_pairs(of_pair, add, on_block), moments, chosen)

    @classmethod
    def _without_a_look(cls, moments: PairMoments) -> CoassociationGaps | None:
        """The gaps where linear sums tell all."""
        if HARD in moments.kinds:
            return cls.of_moments(moments, "linear")
        if moments.is_identical or moments.n_pairs <= 0.0:
            return cls.of_moments(moments, "identical", 0.0 if moments.is_identical else math.nan)
        return None

    @classmethod
    def _of_sum(cls, gap: float, moments: PairMoments, method: str) -> CoassociationGaps:
        mean = gap / float(moments.n_pairs)
        hold_bounds(mean, moments)
        return cls.of_moments(moments, method, mean)

    @classmethod
    def _of_drawn(
        cls,
        truth: Partition,
        found: Partition,
        pairs: tuple[Array, Array],
        moments: PairMoments,
        epsilon: float,
        confidence: float,
    ) -> CoassociationGaps:
        gap, error = _sampled_gap(shares(truth), shares(found), pairs, moments)
        how = (
            f"mean gap sampled: within {epsilon:g} with confidence {confidence:g}, standard error {error:.2g}"
        )
        return replace(cls.of_moments(moments, "sample", gap, how), standard_error=error)

    @classmethod
    def _of_typicalities(
        cls, truth: Partition, found: Partition, weight: Array | None, on_block: OnBlock
    ) -> CoassociationGaps:
        exponent = faint_exponent(largest_membership(truth, found))
        sums = typicality_sums(truth, found, weight, exponent=exponent, on_block=on_block)
        weighed = Weighed.of(truth, weight=weight)
        same = truth.kind is found.kind and truth.equivalent(found)
        return cls._of_typicality_sums(sums, weighed, (truth.kind, found.kind), same)

    @classmethod
    def _of_chunks_of_typicalities(
        cls, objects: ChunkedObjects, truth: Partition, found: Partition, on_block: OnBlock
    ) -> CoassociationGaps:
        exponent = faint_exponent(max(objects.each(largest_membership)))
        sums = objects.sum_over_pairs(partial(typicality_sums, exponent=exponent), np.add, on_block)
        same = is_relabelling_of_chunks(objects, truth, found)
        return cls._of_typicality_sums(sums, objects.weighed, (truth.kind, found.kind), same)

    @classmethod
    def _of_typicality_sums(
        cls, sums: Floats, weighed: Weighed, kinds: tuple[Kind, Kind], same: bool
    ) -> CoassociationGaps:
        together, apart, *sizes = map(np.asarray, sums / (pairs_among(weighed.total) or math.nan))
        return cls(
            together,
            apart,
            (sizes[0], sizes[1]),
            kinds,
            np.asarray(weighed.total),
            np.asarray(same),
            method="tiles",
            fractional_weights=not weighed.is_whole,
        )

    @staticmethod
    def sampling(truth: Partition, found: Partition) -> Mapping[str, Any]:
        """Pairs of two fuzzy clusterings can be sampled."""
        return {"method": "sample"} if {truth.kind, found.kind} == {FUZZY} else {}

    @staticmethod
    def pair_operations(
        truth: Partition,
        found: Partition,
        *,
        method: str = "auto",
        epsilon: float = 1e-3,
        confidence: float = 0.95,
        random_state: Any = None,  # noqa: ARG004 (an option of from_whole)
    ) -> float:
        """About how many pairs of objects are looked at; 0 where one side is hard (see `PairMoments`)."""
        if POSSIBILISTIC not in (truth.kind, found.kind):
            linear = PairMoments.pair_operations(truth, found)
            if linear or HARD in (truth.kind, found.kind):
                return linear
        return float(sample_size(epsilon, confidence)) if method == "sample" else plan(truth, found)[1]

    @classmethod
    def of_replicates(
        cls, truth: Partition, found: Partition, weights: Array, moments: PairMoments
    ) -> CoassociationGaps:
        """A stack: the gaps of two fuzzy clusterings under each set of weights ``(s, n)``.

        ``moments`` are a stack of those sets.
        """
        gaps = by_tiles(shares(truth), shares(found), weights, moments, None)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean_gap = np.where(moments.is_identical, 0.0, gaps / moments.n_pairs)
        return cls.of_moments(moments, "tiles", mean_gap)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; () unless it comes from a stack of hard tables or of weights."""
        return tuple(np.shape(self.together))

    @property
    def is_whole(self) -> Array:
        """Whether pairs are counted in whole numbers."""
        return np.asarray(False) if self.moments is None else self.moments.is_whole

    @property
    def shortfall(self) -> Floats:
        """What the shared parts of "together" and "apart" lack to the larger of the two sums."""
        return np.asarray((np.abs(self.sizes[0] - self.sizes[1]) + self.together + self.apart) / 2.0)


def refuse_sampled_typicalities(method: str) -> None:
    """Typicalities are not sampled."""
    if method == "sample":
        raise ParameterError(
            "gaps of typicalities cannot be sampled with a guarantee, since they have no bound.",
            got="a possibilistic partition",
            need='method="auto"',
        )


def bounds(moments: PairMoments) -> tuple[Floats, Floats]:
    """Where the mean gap must lie, known from linear sums alone (0 <= a, b <= 1, and Cauchy-Schwarz)."""
    squared = moments.squared_gap
    upper = np.minimum(np.minimum(moments.disagreement, np.sqrt(squared)), squared + 0.25)
    return squared, upper


def hold_bounds(gap: Any, moments: PairMoments) -> None:
    """Refuse mean gaps, one or a stack, that cannot be."""
    if moments.fractional_weights:
        return  # pairs of objects with themselves can count negative, and then nothing is bounded
    lower, upper = bounds(moments)
    if not ((lower - OUTSIDE <= gap) & (gap <= upper + OUTSIDE)).all():
        raise PartitaError(
            "a mean gap lies outside its bounds.",
            got=repr(gap),
            need=f"{lower} to {upper}",
            fix="this is a bug; please report it with the inputs",
        )


# --- sampling ------------------------------------------------------------------------------------------


def sample_size(epsilon: float, confidence: float) -> int:
    """How many pairs Hoeffding's inequality asks for, since d - d^2 lies between 0 and 1/4."""
    if not (epsilon > 0.0 and 0.0 < confidence < 1.0):
        raise ParameterError(
            "no sample has this guarantee.",
            got=f"epsilon={epsilon!r}, confidence={confidence!r}",
            need="epsilon above 0, confidence between 0 and 1",
        )
    needed = math.log(2.0 / (1.0 - confidence)) / 32.0 / epsilon / epsilon
    if needed > MOST_DRAWN:
        raise TooLargeError(
            "so many pairs cannot be drawn.",
            got=f"epsilon={epsilon:g}, confidence={confidence:g}: {needed:.1e} pairs",
            need=f"at most {MOST_DRAWN:.1e}",
            fix='a larger epsilon, or method="auto"',
        )
    return max(math.ceil(needed), 1)


def _sampled_gap(u: Array, v: Array, pairs: tuple[Array, Array], moments: PairMoments) -> tuple[float, float]:
    """The mean of d - d^2 over drawn pairs, with the exact mean of d^2 added, and its standard error.

    The estimate is held inside the bounds that are known.
    """
    left, right = signed(u, v)
    gaps = np.abs(products_of(left, right, *pairs))
    drawn = gaps - gaps**2
    lower, upper = bounds(moments)
    error = float(drawn.std(ddof=1) / math.sqrt(drawn.size)) if drawn.size > 1 else math.inf
    return float(np.clip(drawn.mean() + moments.squared_gap, lower, upper)), error


def products_of(left: Array, right: Array, i: Array, j: Array) -> Floats:
    """The products of chosen rows."""
    parts = map_blocks(lambda s: np.einsum("ij,ij->i", left[i[s]], right[j[s]]), i.size, _PAIRS_AT_ONCE)
    return np.concatenate(parts)
