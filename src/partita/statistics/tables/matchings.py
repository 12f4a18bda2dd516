"""Which cluster is which: how alike two clusters are, four ways to match them, and the score of a matching.

franti2017 part VI in three steps: a similarity of two clusters, a way to match the clusters of one side
with those of the other, and a normalisation of the total. Every set-matching index is a choice of the three.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, is_sparse
from partita.errors import ParameterError, TooLargeError
from partita.partitions import HardPartition, Partition
from partita.statistics.tables.contingency import Contingency
from partita.statistics.tables.settled_pairs import settle

MATCHINGS = ("one_way", "two_way", "greedy", "optimal")
PAIRINGS = ("greedy", "optimal")
NORMALIZATIONS = ("objects", "clusters", "sizes", "chance", "simplified", None)

MOST_CLUSTERS = 30_000
"""Clusters of a sparse table that are searched for the best pairing; the time grows with their square."""

_TIE = 1e-12  # soft similarities that differ by less are ties, which rounding must not decide
_FEW_WAYS = 120  # pairings that are tried one by one: 5 x 5 clusters
_MOST_CELLS = 1 << 27
_CHUNK = 1 << 14


def _share(part: Array, whole: Array) -> Array:
    """A quotient in which two empty clusters share nothing."""
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=np.asarray(whole) > 0)


SIMILARITIES: dict[str, Callable[[Array, Array, Array], Array]] = {
    "overlap": lambda shared, _truth, _found: shared,
    "jaccard": lambda shared, truth, found: _share(shared, truth + found - shared),
    "dice": lambda shared, truth, found: _share(2 * shared, truth + found),
    "braun_banquet": lambda shared, truth, found: _share(shared, np.maximum(truth, found)),
}
"""Similarities of two clusters, from the objects they share and their sizes."""


@dataclass(frozen=True, eq=False)
class Matching:
    """For each cluster the position of the one it is matched with on the other side, -1 for none.

    Attributes
    ----------
    of_truth : array of shape (..., k), or None
        For each true cluster a found one. None when only the found ones were matched.
    of_found : array of shape (..., k'), or None
        For each found cluster a true one. For a pairing, the inverse of ``of_truth``.
    """

    of_truth: Array | None
    of_found: Array | None


def cluster_similarities(table: Contingency, similarity: str = "overlap") -> Any:
    """How alike each true cluster is to each found one, ``(..., k, k')``; sparse where the table is."""
    function = SIMILARITIES[_known(similarity, SIMILARITIES, "similarity of clusters")]
    if not table.is_sparse:
        return function(table.counts, table.row_sums[..., :, None], table.column_sums[..., None, :])
    alike = table.raw.copy()
    alike.data = np.asarray(table.cells)
    alike.sum_duplicates()
    rows = np.repeat(np.arange(alike.shape[0]), np.diff(alike.indptr))
    alike.data = function(alike.data, table.row_sums[rows], table.column_sums[alike.indices])
    return alike


def match_clusters(
    table: Contingency,
    similarity: str = "overlap",
    matching: str = "optimal",
    *,
    over: str = "found",
    closeness: Floats | None = None,
) -> Matching:
    """Match the clusters of two sides; clusters that share nothing stay unmatched.

    Ties go to the lowest position: of the true clusters first, then of the found ones. Among optimal
    pairings of equal total this holds up to 5 x 5 clusters; above, it is scipy's choice.

    Parameters
    ----------
    table : Contingency
        One table or a stack.
    similarity : {"overlap", "jaccard", "dice", "braun_banquet"}
        What makes two clusters alike.
    matching : {"one_way", "two_way", "greedy", "optimal"}
        Each cluster of one side, or of both, with its most similar one; or pairs, the most similar first
        or with the largest total.
    over : {"found", "truth"}
        Which clusters a one-way matching looks at.
    closeness : (k, k') array, optional
        Taken instead of a similarity; 0 forbids a pair.
    """
    _known(matching, MATCHINGS, "matching")
    _known(over, ("found", "truth"), "side")
    if closeness is not None:
        return _match(closeness, matching, over)
    done: dict[Any, Matching] = table.__dict__.setdefault("_matchings", {})
    key = (similarity, matching, over)
    if key not in done:
        done[key] = _match(cluster_similarities(table, similarity), matching, over)
    return done[key]


def matching_score(
    table: Contingency,
    similarity: str = "overlap",
    matching: str = "optimal",
    normalize: str | None = "objects",
    *,
    over: str = "found",
    closeness: Floats | None = None,
) -> Floats:
    """The total similarity of matched clusters, normalised: every set-matching index in one function.

    ``normalize`` as in `partita.set_matching`. With ``closeness`` (centroids) objects are counted.
    """
    check_score(similarity, matching, normalize)
    matched = match_clusters(table, similarity, matching, over=over, closeness=closeness)
    function = SIMILARITIES.get(similarity, SIMILARITIES["overlap"])
    k, k_found = table.n_rows, table.n_columns
    n = np.asarray(table.n)
    totals = []
    for partner, own, other, clusters in (
        (matched.of_truth, table.row_sums, table.column_sums, k),
        (matched.of_found, table.column_sums, table.row_sums, k_found),
    ):
        if partner is None:
            continue
        shared = shared_objects(table, partner, of_truth=own is table.row_sums)
        if normalize == "objects":
            totals.append(shared.sum(axis=-1) / n)
            continue
        place = np.maximum(partner, 0)
        partners = other[place] if other.ndim == 1 else np.take_along_axis(other, place, axis=-1)
        alike = function(shared, own, partners)
        alike = np.where(table.are_filled(own), alike, 0.0)  # a cluster that counts as empty is like none
        if normalize == "sizes":
            totals.append((own * alike).sum(axis=-1) / n)
        elif normalize == "clusters" and matching not in PAIRINGS:
            totals.append(alike.sum(axis=-1) / clusters)
        else:
            totals.append(alike.sum(axis=-1))
    total = np.asarray(sum(totals) / len(totals), dtype=np.float64)
    most = np.maximum(k, k_found)
    if normalize == "clusters" and matching in PAIRINGS:
        return total / most
    if normalize in ("chance", "simplified"):
        by_chance = 1.0 if normalize == "simplified" else _expected_total(table, function)
        corrected = np.maximum(total - by_chance, 0.0) / np.where(most > 1, most - by_chance, 1.0)
        return np.where(most > 1, corrected, 1.0)
    return total


def check_score(similarity: str, matching: str, normalize: str | None) -> None:
    """Refuse a similarity, a matching and a normalisation that make no score together."""
    _known(similarity, [*SIMILARITIES, "centroid"], "similarity of clusters", parameter="similarity")
    _known(matching, MATCHINGS, "matching", parameter="matching")
    _known(normalize, NORMALIZATIONS, "normalization", parameter="normalize")
    if normalize in ("chance", "simplified") and matching not in PAIRINGS:
        raise ParameterError(
            "the correction for chance is one of pairings.",
            got=f"matching={matching!r}, normalize={normalize!r}",
            need='matching="optimal" or "greedy"',
        )
    if normalize not in ("objects", None) and similarity in ("overlap", "centroid"):
        raise ParameterError(
            f"a matching by {similarity} counts objects, which cannot be averaged over clusters.",
            got=f"similarity={similarity!r}, normalize={normalize!r}",
            need='normalize="objects" or None, or similarity "jaccard", "dice" or "braun_banquet"',
        )


def _known(name: Any, names: Any, noun: str, *, parameter: str | None = None) -> Any:
    if not (name is None or isinstance(name, str)) or name not in names:
        need = ", ".join(repr(n) for n in names)
        raise ParameterError(f"no such {noun}.", got=repr(name), need=need, parameter=parameter)
    return name


def _expected_total(table: Contingency, function: Callable[[Array, Array, Array], Array]) -> Floats:
    """The total if clusters of equal rank by size shared as many objects as chance gives them."""
    rank = min(table.row_sums.shape[-1], table.column_sums.shape[-1])
    truth, found = (-np.sort(-sums, axis=-1)[..., :rank] for sums in (table.row_sums, table.column_sums))
    return np.asarray(function(truth * (found / table.n[..., None]), truth, found).sum(axis=-1))


def shared_objects(table: Contingency, partner: Array, *, of_truth: bool) -> Array:
    """For each cluster of one side, how many objects it shares with its partner."""
    if not table.is_sparse:
        axis = -1 if of_truth else -2
        if table.counts.ndim == 2:
            own = np.arange(partner.size)
            cells = table.counts[own, partner] if of_truth else table.counts[partner, own]
        else:
            places = np.expand_dims(np.maximum(partner, 0), axis)
            cells = np.take_along_axis(table.counts, places, axis=axis).squeeze(axis)
        alone = partner < 0
        return np.where(alone, 0, cells) if alone.any() else cells
    filled = table.raw.tocoo()
    keys = filled.coords[0].astype(np.int64) * filled.shape[1] + filled.coords[1]
    order = np.argsort(keys, kind="stable")
    own = np.arange(partner.size)
    wanted = own * filled.shape[1] + partner if of_truth else partner * filled.shape[1] + own
    place = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), keys.size - 1)]
    return np.where((partner >= 0) & (keys[place] == wanted), table.cells[place], 0)


# --- four ways to match -----------------------------------------------------------------------------------


def _match(closeness: Any, matching: str, over: str) -> Matching:
    if matching == "one_way":
        nearest = _nearest(closeness, of_truth=over == "truth")
        return Matching(nearest, None) if over == "truth" else Matching(None, nearest)
    if matching == "two_way":
        return Matching(_nearest(closeness, of_truth=True), _nearest(closeness, of_truth=False))
    if is_sparse(closeness):
        return _greedy(closeness) if matching == "greedy" else _optimal_sparse(closeness)
    stack = closeness.reshape(-1, *closeness.shape[-2:])
    paired = _greedy(stack) if matching == "greedy" else _optimal(stack)
    assert paired.of_truth is not None
    assert paired.of_found is not None
    *shape, rows, columns = closeness.shape
    return Matching(paired.of_truth.reshape(*shape, rows), paired.of_found.reshape(*shape, columns))


def _nearest(closeness: Any, *, of_truth: bool) -> Array:
    """For each cluster of one side the closest of the other."""
    if is_sparse(closeness):
        own, other = _from_closest(closeness)[1:] if of_truth else _from_closest(closeness)[:0:-1]
        nearest = np.full(closeness.shape[0 if of_truth else 1], -1)
        nearest[own[::-1]] = other[::-1]  # the last one written, the closest, stays
        return nearest
    axis = -1 if of_truth else -2
    best = closeness.max(axis=axis, keepdims=True)
    place = (closeness >= best * (1.0 - _TIE)).argmax(axis=axis)
    return np.where(best.squeeze(axis) > 0, place, -1)


def _from_closest(closeness: Any) -> tuple[Array, Array, Array]:
    """Table, row and column of every pair that shares something, the closest first, then by position."""
    if is_sparse(closeness):
        filled = closeness.tocoo()
        kept = filled.data > 0
        values, rows, columns = filled.data[kept], filled.coords[0][kept], filled.coords[1][kept]
        tables = np.zeros(values.size, dtype=np.int64)
    else:
        tables, rows, columns = np.nonzero(closeness)
        values = closeness[tables, rows, columns]
    order = np.argsort(-values, kind="stable")
    if values.dtype.kind == "f" and values.size:
        ends = np.diff(values[order], prepend=np.inf, append=-np.inf) < -_TIE * float(values.max())
        tied = np.flatnonzero(~(ends[:-1] & ends[1:]))
        rank = np.cumsum(ends)[tied]
        order[tied] = order[tied][np.lexsort((order[tied], rank))]
    return tables[order], rows[order], columns[order]


def _greedy(closeness: Any) -> Matching:
    """Pair the closest two, then the closest two of the rest, and so on, in all tables at once."""
    count = 1 if is_sparse(closeness) else closeness.shape[0]
    k, k_found = closeness.shape[-2:]
    tables, rows, columns = _from_closest(closeness)
    of_truth, of_found = np.full(count * k, -1), np.full(count * k_found, -1)
    for start in range(0, rows.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        row, column = tables[part] * k + rows[part], tables[part] * k_found + columns[part]
        free = ((of_truth[row] < 0) & (of_found[column] < 0)).nonzero()[0]
        used_rows, used_columns = set(), set()
        chosen = []
        for place, a, b in zip(free.tolist(), row[free].tolist(), column[free].tolist(), strict=True):
            if a not in used_rows and b not in used_columns:
                used_rows.add(a)
                used_columns.add(b)
                chosen.append(place)
        of_truth[row[chosen]] = columns[part][chosen]
        of_found[column[chosen]] = rows[part][chosen]
    return Matching(of_truth, of_found)


def _optimal(closeness: Array) -> Matching:
    """The pairing of largest total in every table of a stack; a cluster too many stays alone."""
    count, k, k_found = closeness.shape
    if k > k_found:
        turned = _optimal(np.swapaxes(closeness, -1, -2))
        return Matching(turned.of_found, turned.of_truth)
    if math.perm(k_found, k) <= _FEW_WAYS:
        of_truth = _best_of_few(closeness)
    else:
        from scipy.optimize import linear_sum_assignment

        exact = closeness.astype(np.float64, copy=False)  # of whole numbers SciPy makes slower copies
        of_truth = np.array([linear_sum_assignment(values, maximize=True)[1] for values in exact])
    close = closeness[np.arange(count)[:, None], np.arange(k), of_truth]
    of_truth = np.where(close > 0, of_truth, -1)
    of_found = np.full((count, k_found), -1)
    tables, rows = np.nonzero(of_truth >= 0)
    of_found[tables, of_truth[tables, rows]] = rows
    return Matching(of_truth, of_found)


@cache
def _ways(k: int, k_found: int) -> Array:
    return np.array(list(permutations(range(k_found), k)), dtype=np.int64)


def _best_of_few(closeness: Array) -> Array:
    """Try all pairings: faster than an assignment for a stack of small tables, and scipy is not loaded."""
    count, k, k_found = closeness.shape
    ways = _ways(k, k_found)
    best = np.empty((count, k), dtype=np.int64)
    for start in range(0, count, _CHUNK):
        part = closeness[start : start + _CHUNK]
        totals = np.asarray(sum(part[:, row, ways[:, row]] for row in range(k)))
        top = totals.max(axis=-1, keepdims=True)
        best[start : start + _CHUNK] = ways[(totals >= top * (1.0 - _TIE)).argmax(axis=-1)]
    return best


def is_too_large_to_pair(table: Contingency, similarity: str = "overlap") -> bool:
    """Whether more clusters of a sparse table are left to a search than it pairs in seconds."""
    if not table.is_sparse or min(table.raw.shape) <= MOST_CLUSTERS:
        return False
    known: dict[str, bool] = table.__dict__.setdefault("_too_large_to_pair", {})
    if similarity not in known:
        cells = cluster_similarities(table, similarity).tocoo()
        rows, columns = cells.coords
        settled = settle(rows, columns, cells.data, cells.shape)
        known[similarity] = settled.clusters_left(rows, columns) > MOST_CLUSTERS
    return known[similarity]


def _optimal_sparse(closeness: Any) -> Matching:
    """The same on filled cells only; each row may also take a column of its own, which means no partner."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    filled = closeness.tocoo()
    rows, columns = filled.coords
    settled = settle(rows, columns, filled.data, closeness.shape)
    clusters = settled.clusters_left(rows, columns)
    if clusters > MOST_CLUSTERS:
        raise TooLargeError(
            "these are too many clusters for an optimal pairing.",
            got=f"{clusters} clusters that share objects with several others",
            need=f"at most {MOST_CLUSTERS}",
            fix='matching="greedy" (index criterion_h)',
        )
    of_truth, of_found = (np.full(size, -1) for size in closeness.shape)
    of_truth[settled.rows], of_found[settled.columns] = settled.columns, settled.rows
    if settled.left.size:
        row_places, row = np.unique(rows[settled.left], return_inverse=True)
        column_places, column = np.unique(columns[settled.left], return_inverse=True)
        k, k_found = row_places.size, column_places.size
        own = np.arange(k)
        # a constant on every edge changes no choice, and keeps the solver from taking 0 for "no edge"
        lift = float(filled.data.max())
        weights = np.concatenate([filled.data[settled.left] + lift, np.full(k, lift)])
        places = (np.concatenate([row, own]), np.concatenate([column, k_found + own]))
        graph = csr_array((weights, places), shape=(k, k_found + k))
        chosen_rows, chosen = min_weight_full_bipartite_matching(graph, maximize=True)
        real = chosen < k_found
        pair_rows, pair_columns = row_places[chosen_rows[real]], column_places[chosen[real]]
        of_truth[pair_rows], of_found[pair_columns] = pair_columns, pair_rows
    return Matching(of_truth, of_found)


# --- by centroids -----------------------------------------------------------------------------------------


def centroids(partition: Partition, X: Floats, weight: Array | None = None) -> Floats:
    """The mean of each cluster's objects, weighted by membership; nan for an empty cluster.

    One row for each of ``partition.row_names``.
    """
    ones = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    if isinstance(partition, HardPartition):
        place = partition.values.astype(np.int64) - partition.low
        sizes = np.bincount(place, weights=ones, minlength=partition.span)
        columns = [np.bincount(place, weights=ones * x, minlength=partition.span) for x in X.T]
        sums = np.stack(columns, axis=-1)
    else:
        U = partition.memberships()
        sizes, sums = np.asarray(U.T @ ones), np.asarray(U.T @ (X * ones[:, None]))
    return np.where(sizes[:, None] > 0, sums / np.where(sizes > 0, sizes, 1.0)[:, None], np.nan)


def centroid_closeness(truth: Partition, found: Partition, X: Floats, weight: Array | None = None) -> Floats:
    """Twice the largest distance of centroids minus each distance: positive, the largest for the nearest."""
    from scipy.spatial.distance import cdist

    if len(truth.row_names) * len(found.row_names) > _MOST_CELLS:
        raise TooLargeError(
            "the distances of these centroids do not fit.",
            got=f"{len(truth.row_names)} x {len(found.row_names)} distances",
            need=f"at most {_MOST_CELLS}",
            fix='similarity="overlap"',
        )
    distances = cdist(centroids(truth, X, weight), centroids(found, X, weight))
    largest = np.nanmax(distances)
    return np.where(np.isnan(distances), 0.0, 2.0 * largest - distances if largest > 0 else 1.0)
