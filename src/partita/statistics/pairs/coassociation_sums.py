"""Sums of |a - b| over all pairs of objects, a and b their co-associations: exact methods, the cheapest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, dense, map_blocks
from partita.arrays.chunked import Chunked
from partita.partitions import POSSIBILISTIC, Partition
from partita.statistics.chunked_objects import n_chunks_of
from partita.statistics.pairs.coassociation import PairMoments
from partita.statistics.pairs.coassociation_factors import shares
from partita.statistics.pairs.object_pairs import sum_over_pairs, work_of_pairs
from partita.statistics.pairs.sparse_coassociation import rows_summing_to_one
from partita.statistics.protocol import OnBlock
from partita.statistics.tables.counting import csr_of, stay_sparse

_LOOKED_AT = 2048
_MOST_WRITTEN_OUT = 1 << 24  # cells of sparse memberships that are written out to see how alike objects are
_CELLS_AT_ONCE = 32
_PAIRS_PER_CELL = 50_000  # what starting on a cell costs, in pairs of a tile


def plan(truth: Partition, found: Partition) -> tuple[str, float]:
    """The cheapest exact method for two soft clusterings, and how many pairs it looks at."""
    n = truth.n_objects
    pairs = n * (n - 1.0) / 2.0
    if POSSIBILISTIC in (truth.kind, found.kind):
        return "tiles", work_of_pairs(pairs, truth, found)
    if truth.n_clusters == found.n_clusters == 2:
        return "angles", n * math.log2(n + 1.0) * n_chunks_of(truth)
    if isinstance(getattr(truth, "values", None), Chunked):
        return "tiles", work_of_pairs(pairs, truth, found)
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


def rows_for(method: str, truth: Partition, found: Partition) -> tuple[Any, Any]:
    """The memberships of both sides as a method takes them, with sums of one: sparse where it can."""
    if method == "supports" and stay_sparse(truth, found):
        return rows_summing_to_one(truth), rows_summing_to_one(found)
    return shares(truth), shares(found)


def signed(u: Array, v: Array) -> tuple[Array, Array]:
    """Two matrices whose rows have the products a - b."""
    return np.hstack([u, v]), np.hstack([u, -v])


# --- the exact methods: sums of |a - b| over pairs -------------------------------------------------------


def by_tiles(
    u: Array,
    v: Array,
    weight: Array | None,
    _: PairMoments | None,
    on_block: OnBlock = None,
    split: int | None = None,
) -> Any:
    """All pairs, or those between the first ``split`` objects and the others."""
    left, right = signed(u, v)

    def of_tile(i: slice, j: slice) -> list[Floats]:
        gaps = left[i] @ right[j].T
        return [np.abs(gaps, out=gaps)]

    return sum_over_pairs(of_tile, len(u), weight, on_block, split)[0]


def tiles_of_pair(truth: Partition, found: Partition, weight: Array | None, split: int | None) -> Any:
    """The same over the pairs of one chunk, or between two."""
    return by_tiles(shares(truth), shares(found), weight, None, split=split)


def angles_of_pair(truth: Partition, found: Partition, weight: Array | None, split: int | None) -> float:
    """By angles: of two chunks what both have together beyond what each has alone."""
    u, v = shares(truth), shares(found)
    total = _by_angles(u, v, weight, None, None)
    for part in [] if split is None else [slice(0, split), slice(split, len(u))]:
        total -= _by_angles(u[part], v[part], None if weight is None else weight[part], None, None)
    return total


def _by_distinct_rows(
    u: Array, v: Array, weight: Array | None, moments: PairMoments, on_block: OnBlock
) -> float:
    """Equal objects have equal gaps: the distinct ones are weighed by how often they occur."""
    first, group = _distinct_rows(np.hstack([u, v]))
    counts = np.bincount(group, weights=weight, minlength=first.size)
    return float(by_tiles(u[first], v[first], counts, moments, on_block))


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


def _by_angles(
    u: Array,
    v: Array,
    weight: Array | None,
    _: PairMoments | None,
    on_block: OnBlock,  # noqa: ARG001
) -> float:
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


def _by_supports(u: Any, v: Any, weight: Array | None, moments: PairMoments, on_block: OnBlock) -> float:
    """|a - b| = a + b - 2 min(a, b), where the minimum needs a common cluster on both sides.

    A pair is met in each cell (cluster, cluster') that both its objects are in, and is shared among them.
    Rows may be sparse.
    """
    in_u, in_v = _support(u).tocsc(), _support(v).tocsc()
    cells = _shared_objects(in_u, in_v)
    each = np.ones(u.shape[0]) if weight is None else weight.astype(np.float64)

    def of_cells(chosen: slice) -> float:
        total = 0.0
        for r, s in zip(cells.row[chosen], cells.col[chosen], strict=True):
            rows = np.intersect1d(
                in_u.indices[in_u.indptr[r] : in_u.indptr[r + 1]],
                in_v.indices[in_v.indptr[s] : in_v.indptr[s + 1]],
                assume_unique=True,
            )
            a, b = dense(u[rows]), dense(v[rows])
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


METHODS: dict[str, Callable[..., Any]] = {
    "tiles": by_tiles,
    "distinct": _by_distinct_rows,
    "angles": _by_angles,
    "supports": _by_supports,
}
