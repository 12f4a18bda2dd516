"""How far two co-associations lie apart: the mean of |a - b| over all pairs of objects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from partita.arrays import Array, Floats, generator, map_blocks
from partita.errors import ParameterError, PartitaError, TooLargeError
from partita.partitions import FUZZY, HARD, POSSIBILISTIC, Kind, Partition
from partita.statistics.options import Above, Below
from partita.statistics.pairs.coassociation import (
    WHY_NOT,
    PairMoments,
    refuse_rows_that_do_not_sum_to_one,
)
from partita.statistics.pairs.coassociation_factors import shares
from partita.statistics.pairs.object_pairs import number_of_pairs, sum_over_pairs, work_of_pairs
from partita.statistics.protocol import OnBlock, Request, Statistic, Whole
from partita.statistics.tables.contingency import Contingency
from partita.statistics.tables.counting import FAINT_MEMBERSHIPS, csr_of, stay_sparse

OUTSIDE = 1e-9
"""How far rounding may carry a mean gap past the bounds that are known beforehand."""

MOST_DRAWN = 1e8
"""Pairs that are drawn at once, at most: a few gigabytes."""

_LOOKED_AT = 2048
_MOST_WRITTEN_OUT = 1 << 24  # cells of sparse memberships that are written out to see how alike objects are
_CELLS_AT_ONCE = 32
_PAIRS_PER_CELL = 50_000  # what starting on a cell costs, in pairs of a tile
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
            if method == "sample":
                raise ParameterError(
                    "gaps of typicalities cannot be sampled with a guarantee, since they have no bound.",
                    got="a possibilistic partition",
                    need='method="auto"',
                )
            return cls._of_typicalities(truth, found, weight, on_block)
        moments = moments or PairMoments.over_blocks(truth, found, weight=weight)
        if HARD in moments.kinds:
            return cls.of_moments(moments, "linear")
        if moments.is_identical or number_of_pairs(truth.n_objects, weight) <= 0.0:
            return cls.of_moments(moments, "identical", 0.0 if moments.is_identical else math.nan)
        u, v = shares(truth), shares(found)
        if method == "sample":
            size = sample_size(epsilon, confidence)
            gap = _sampled_gap(u, v, weight, moments, size, generator(random_state))
            how = f"mean gap sampled: within {epsilon:g} with confidence {confidence:g}"
            return cls.of_moments(moments, "sample", gap, how)
        chosen, _ = _plan(truth, found)
        gap = _METHODS[chosen](u, v, weight, moments, on_block) / float(moments.n_pairs)
        hold_bounds(gap, moments)
        return cls.of_moments(moments, chosen, gap)

    @classmethod
    def _of_typicalities(
        cls, truth: Partition, found: Partition, weight: Array | None, on_block: OnBlock
    ) -> CoassociationGaps:
        u, v = typicalities(truth, found)
        sums = [rows.sum(axis=1) for rows in (u, v)]
        pairs = number_of_pairs(truth.n_objects, weight)
        left, right = _signed(u, v)
        left_sums, right_sums = _signed(sums[0][:, None], sums[1][:, None])

        def of_tile(i: slice, j: slice) -> list[Floats]:
            together = left[i] @ right[j].T
            return [np.abs(together), np.abs(left_sums[i] @ right_sums[j].T - together)]

        together, apart = sum_over_pairs(of_tile, truth.n_objects, weight, on_block) / (pairs or math.nan)
        each = np.ones(truth.n_objects) if weight is None else weight
        sizes = [_sum_of_products(r, weight) / (pairs or math.nan) for r in sums]
        return cls(
            np.asarray(together),
            np.asarray(apart),
            (np.asarray(sizes[0]), np.asarray(sizes[1])),
            (truth.kind, found.kind),
            np.asarray(each.sum(), dtype=np.float64),
            np.asarray(truth.kind is found.kind and truth.equivalent(found)),
            method="tiles",
            fractional_weights=weight is not None and weight.dtype.kind == "f",
        )

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
        return float(sample_size(epsilon, confidence)) if method == "sample" else _plan(truth, found)[1]

    @classmethod
    def of_replicates(
        cls, truth: Partition, found: Partition, weights: Array, moments: PairMoments
    ) -> CoassociationGaps:
        """A stack: the gaps of two fuzzy clusterings under each set of weights ``(s, n)``.

        ``moments`` are a stack of those sets.
        """
        gaps = _by_tiles(shares(truth), shares(found), weights, moments, None)
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


def typicalities(truth: Partition, found: Partition) -> tuple[Array, Array]:
    """The rows of both sides, times a common power of two where all are so small that products are lost.

    Sums over pairs then have a common factor, which no ratio of them depends on.
    """
    u, v = shares(truth), shares(found)
    largest = max(float(rows.max(initial=0.0)) for rows in (u, v))
    if not 0.0 < largest < FAINT_MEMBERSHIPS:
        return u, v
    exponent = math.frexp(largest)[1]
    return np.ldexp(u, -exponent), np.ldexp(v, -exponent)


def _sum_of_products(r: Floats, weight: Array | None) -> float:
    """The sum of r_i r_j over all pairs, copies counted; nothing is subtracted, so that nothing cancels."""
    if not r.size:
        return 0.0
    each = np.ones(r.size) if weight is None else weight.astype(np.float64)
    weighed = each * r
    between = float(weighed[1:] @ np.cumsum(weighed)[:-1])
    return between + float(each @ ((each - 1.0) * r * r)) / 2.0


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


# --- which method --------------------------------------------------------------------------------------


def _plan(truth: Partition, found: Partition) -> tuple[str, float]:
    """The cheapest exact method for two soft clusterings, and how many pairs it looks at."""
    n = truth.n_objects
    pairs = n * (n - 1.0) / 2.0
    if POSSIBILISTIC in (truth.kind, found.kind):
        return "tiles", work_of_pairs(pairs, truth, found)
    if truth.n_clusters == found.n_clusters == 2:
        return "angles", n * math.log2(n + 1.0)
    k = max(truth.n_clusters, found.n_clusters)
    is_small = not stay_sparse(truth, found) or n * k <= _MOST_WRITTEN_OUT
    rows = _LOOKED_AT if is_small else min(_LOOKED_AT, max(_MOST_WRITTEN_OUT // (8 * k), 1))
    looked_at = slice(None, None, max(1, n // rows))
    few = [shares(p.take(looked_at)) for p in (truth, found)]
    if all((rows > 0.0).mean() < 0.5 for rows in few):
        shared = _shared_objects(*(_support(p.memberships()) for p in (truth, found)))
        in_cells = 2.0 * float((shared.data * (shared.data - 1.0)).sum())
        if in_cells + _PAIRS_PER_CELL * shared.nnz < pairs:
            return "supports", in_cells + _PAIRS_PER_CELL * float(shared.nnz)
    if _distinct_rows(np.hstack(few))[0].size < 0.8 * len(few[0]):
        m = _distinct_rows(np.hstack([shares(truth), shares(found)]))[0].size if is_small else n
        if m < 0.7 * n:
            return "distinct", work_of_pairs(m * (m + 1.0) / 2.0, truth, found)
    return "tiles", work_of_pairs(pairs, truth, found)


def _signed(u: Array, v: Array) -> tuple[Array, Array]:
    """Two matrices whose rows have the products a - b."""
    return np.hstack([u, v]), np.hstack([u, -v])


# --- the exact methods: sums of |a - b| over pairs -------------------------------------------------------


def _by_tiles(u: Array, v: Array, weight: Array | None, _: PairMoments, on_block: OnBlock) -> Any:
    left, right = _signed(u, v)

    def of_tile(i: slice, j: slice) -> list[Floats]:
        gaps = left[i] @ right[j].T
        return [np.abs(gaps, out=gaps)]

    return sum_over_pairs(of_tile, len(u), weight, on_block)[0]


def _by_distinct_rows(
    u: Array, v: Array, weight: Array | None, moments: PairMoments, on_block: OnBlock
) -> float:
    """Equal objects have equal gaps: the distinct ones are weighed by how often they occur."""
    first, group = _distinct_rows(np.hstack([u, v]))
    counts = np.bincount(group, weights=weight, minlength=first.size)
    return float(_by_tiles(u[first], v[first], counts, moments, on_block))


def _distinct_rows(rows: Array) -> tuple[Array, Array]:
    """The first place of each distinct row, and for each row which one it is; by hashes, then checked."""
    odd = np.random.default_rng(0).integers(0, 2**63, rows.shape[1], dtype=np.uint64) * 2 + 1
    bits = np.ascontiguousarray(rows + 0.0).view(np.uint64)  # + 0.0 makes -0.0 and 0.0 the same
    mixed = (bits ^ (bits >> np.uint64(29))) * odd
    hashes = (mixed ^ (mixed >> np.uint64(32))).sum(axis=1, dtype=np.uint64)
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first[group]], rows):
        return np.arange(len(rows)), np.arange(len(rows))
    return first, group


def _by_angles(u: Array, v: Array, weight: Array | None, _: PairMoments, on_block: OnBlock) -> float:  # noqa: ARG001
    """Two clusters against two: with s = p + q - 1 and t = p - q, a - b = s_i t_j + t_i s_j.

    For fixed i its sign is a half-plane of points (s_j, t_j): sorted by angle, all sums of one sign are
    differences of prefix sums. Sums of s and t stay apart, so that a small t keeps its digits.
    """
    p, q = u[:, 0], v[:, 0]
    points = np.stack([(p - 0.5) + (q - 0.5), p - q])
    # a line through 0 has two directions, and |a - b| sees the line only
    points[:, (points[1] < 0.0) | ((points[1] == 0.0) & (points[0] < 0.0))] *= -1.0
    angle = np.arctan2(points[1] + 0.0, points[0])
    order = np.argsort(angle)
    s, t = points[:, order]
    each = np.ones(s.size) if weight is None else weight[order].astype(np.float64)
    angle = angle[order]
    below = np.zeros((2, s.size + 1))
    np.cumsum(np.stack([s, t]) * each, axis=1, out=below[:, 1:])
    turned = np.searchsorted(angle, math.pi - angle)
    signed = 2.0 * below[:, turned] - below[:, -1:]
    full = float(each @ np.abs(t * signed[0] + s * signed[1]))
    return (full - float(each @ np.abs(2.0 * s * t))) / 2.0


def _support(rows: Any) -> Any:
    """Ones where memberships, dense or sparse, are positive."""
    return csr_of((rows > 0.0).astype(np.float64))


def _shared_objects(u: Any, v: Any) -> Any:
    """For each pair of clusters how many objects have a share in both, where there is more than one."""
    shared = (u.T @ v).tocoo()
    shared.data[shared.data < 2.0] = 0.0
    shared.eliminate_zeros()
    return shared


def _by_supports(u: Array, v: Array, weight: Array | None, moments: PairMoments, on_block: OnBlock) -> float:
    """|a - b| = a + b - 2 min(a, b), where the minimum needs a common cluster on both sides.

    A pair is met in each cell (cluster, cluster') that both its objects are in, and is shared among them.
    """
    in_u, in_v = _support(u).tocsc(), _support(v).tocsc()
    cells = _shared_objects(in_u, in_v)
    each = np.ones(len(u)) if weight is None else weight.astype(np.float64)

    def of_cells(chosen: slice) -> float:
        total = 0.0
        for r, s in zip(cells.row[chosen], cells.col[chosen], strict=True):
            rows = np.intersect1d(
                in_u.indices[in_u.indptr[r] : in_u.indptr[r + 1]],
                in_v.indices[in_v.indptr[s] : in_v.indptr[s + 1]],
                assume_unique=True,
            )
            a, b = u[rows], v[rows]
            met = ((a > 0.0) @ (a > 0.0).T.astype(np.float64)) * ((b > 0.0) @ (b > 0.0).T.astype(np.float64))
            smaller = np.minimum(a @ a.T, b @ b.T) / met
            np.fill_diagonal(smaller, 0.0)
            total += float(each[rows] @ smaller @ each[rows]) / 2.0
        return total

    common = math.fsum(map_blocks(of_cells, cells.nnz, _CELLS_AT_ONCE, on_block, products=True))
    copies = each * (each - 1.0) / 2.0
    common += float(copies @ np.minimum((u * u).sum(axis=1), (v * v).sum(axis=1)))
    means = moments.values.mean_truth + moments.values.mean_found
    return float(moments.n_pairs * means) - 2.0 * common


_METHODS = {"tiles": _by_tiles, "distinct": _by_distinct_rows, "angles": _by_angles, "supports": _by_supports}


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


def _sampled_gap(
    u: Array, v: Array, weight: Array | None, moments: PairMoments, size: int, rng: np.random.Generator
) -> float:
    """The mean of d - d^2 over drawn pairs, with the exact mean of d^2 added, inside the known bounds."""
    left, right = _signed(u, v)
    i, j = draw_pairs(len(u), weight, size, rng)
    gaps = np.abs(products_of(left, right, i, j))
    lower, upper = bounds(moments)
    return float(np.clip((gaps - gaps**2).mean() + moments.squared_gap, lower, upper))


def draw_pairs(n: int, weight: Array | None, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Pairs of different objects, uniformly; the copies of an object (its weight) are different objects."""
    if weight is None:
        i = rng.integers(n, size=size)
        return i, (i + rng.integers(1, n, size=size)) % n
    upto = np.cumsum(weight, dtype=np.float64)

    def draw(count: int) -> Array:
        place = np.searchsorted(upto, rng.random(count) * upto[-1], side="right")
        return np.asarray(np.minimum(place, n - 1))

    i, j = np.empty(size, dtype=np.intp), np.empty(size, dtype=np.intp)
    undecided = np.arange(size)
    while undecided.size:
        i[undecided], j[undecided] = draw(undecided.size), draw(undecided.size)
        # one in w_i draws of the same object is the same copy too; below weight one there is no other copy
        same = (i[undecided] == j[undecided]) & (rng.random(undecided.size) * weight[i[undecided]] < 1.0)
        undecided = undecided[same]
    return i, j


def products_of(left: Array, right: Array, i: Array, j: Array) -> Floats:
    """The products of chosen rows."""
    parts = map_blocks(lambda s: np.einsum("ij,ij->i", left[i[s]], right[j[s]]), i.size, _PAIRS_AT_ONCE)
    return np.concatenate(parts)
