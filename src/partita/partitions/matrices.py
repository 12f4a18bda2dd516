"""Matrices read as clusterings: memberships, possible clusters, typicalities; what is unclear asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partita.arrays import dense, is_sparse, row_sum_tolerance
from partita.errors import PartitionError, Phrase, Setting, row_of_matrix
from partita.partitions.hard import HardPartition
from partita.partitions.kinds import EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH, Kind
from partita.partitions.memberships import (
    FuzzyPartition,
    PossibilisticPartition,
    dense_array,
    is_one_hot,
    lies_on_its_side,
    numeric_matrix,
    one_hot_columns,
)
from partita.partitions.partition import normalise_names
from partita.partitions.rough import RoughPartition, is_boolean
from partita.partitions.trees import merges_in, tree_without_k


def divided_rows(matrix: Any, normalize: bool) -> Any:
    """The matrix with rows that sum to one, where that is wanted."""
    if not normalize:
        return matrix
    values = numeric_matrix(matrix)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.asarray(values.sum(axis=1, dtype=np.float64)).ravel()
    bad = ~(np.isfinite(sums) & (sums > 0))
    smallest = float((values.data if is_sparse(values) else values).min(initial=0.0))
    if bad.any() or smallest < 0:
        first = int(bad.argmax())
        raise PartitionError(
            "these rows cannot be normalised.",
            got=Phrase(row_of_matrix(first), f" sums to {sums[first]:g}")
            if bad.any()
            else f"a negative value, {smallest:g}",
            need="non-negative, finite rows with a positive sum",
        )
    return values.multiply(1.0 / sums[:, None]).tocsr() if is_sparse(values) else values / sums[:, None]


def from_matrix(
    obj: Any, wanted: Kind | None, names: Sequence[Any] | None, normalize: bool, index: Any
) -> Any:
    """The partition of the most specific kind that a matrix satisfies, or of the kind wanted."""
    if wanted is EVIDENTIAL:
        raise PartitionError(
            "masses need their focal sets.",
            got="a matrix alone",
            need="focal_sets=, an (f, k) matrix of 0 and 1",
        )
    if wanted is ROUGH:
        return RoughPartition(obj, names=names, index=index)
    raw = obj if is_sparse(obj) else dense_array(obj)
    matrix = numeric_matrix(divided_rows(raw, normalize))
    if wanted is POSSIBILISTIC:
        return PossibilisticPartition(matrix, names=names, index=index)
    if wanted is not FUZZY and is_one_hot(matrix):
        columns = one_hot_columns(matrix)
        return HardPartition.from_codes(columns, normalise_names(names, matrix.shape[1]), index=index)
    if wanted is HARD:
        raise PartitionError(
            "this matrix is not one-hot.",
            got=f"matrix of shape {matrix.shape}",
            need="a single 1 in every row, 0 elsewhere",
            fix="as_partition(matrix).harden(), which records what is lost",
        )
    if wanted is None and is_boolean(raw) and (np.asarray(matrix.sum(axis=0)) == 1).all():
        fix = Phrase("transpose it: matrix.T; or ", Setting("kind", "rough"), " if it is meant so")
        raise lies_on_its_side(matrix, fix=fix)
    try:
        return FuzzyPartition(matrix, names=names, index=index)
    except PartitionError as error:
        raise (_better_guess(raw, matrix) if wanted is None else None) or error from None


def rest_as_noise(obj: Any, names: Sequence[Any] | None, index: Any) -> FuzzyPartition:
    """Memberships whose rows sum to at most one, with what is missing to one as the membership in noise."""
    matrix = dense(numeric_matrix(obj))
    is_nan = np.asarray(np.isnan(matrix).all(axis=1))
    known = np.where(is_nan[:, None], 0.0, matrix)
    tolerance = row_sum_tolerance(matrix)
    with np.errstate(over="ignore", invalid="ignore"):
        rest = 1.0 - known.sum(axis=1)
    bad = np.asarray((rest < -tolerance) | (known < -tolerance).any(axis=1))
    if bad.any():
        first = int(bad.argmax())
        raise PartitionError(
            "these rows leave no rest for noise.",
            got=f"row {first} sums to {1.0 - rest[first]:.6g} ({int(bad.sum())} such rows)",
            need="non-negative rows that sum to at most 1, or rows of NaN for noise",
        )
    clusters = normalise_names(names, matrix.shape[1])
    if -1 in clusters:
        raise PartitionError(
            "a cluster has the name of noise.", got="a column named -1", need="other names than -1"
        )
    values = np.column_stack([known.clip(0.0, 1.0), rest.clip(0.0, 1.0)])
    made = FuzzyPartition(values, names=(*clusters, -1), index=index)
    nan = f", {int(is_nan.sum())} rows of NaN wholly" if is_nan.any() else ""
    made.note = (
        f"what rows lack to one is noise, column -1: {rest.clip(0.0).mean():.1%} of all membership{nan}"
    )
    return made


def _better_guess(raw: Any, matrix: Any) -> Exception | None:
    """What else a matrix may be whose rows do not sum to one, or None when nothing else comes to mind."""
    values = matrix.data if is_sparse(matrix) else matrix
    if not is_sparse(raw) and len(raw) > 2 and merges_in(raw) is not None:
        return tree_without_k()
    if matrix.shape[1] == 1:
        return PartitionError(
            "a matrix with one column is no membership matrix.",
            got=f"matrix of shape {matrix.shape}",
            need="labels in one dimension, or one column for each cluster",
            fix=".ravel() if this column holds labels",
        )
    if matrix.shape[0] == 1:
        return PartitionError(
            "this matrix has a single row, and it does not sum to one.",
            got=f"matrix of shape {matrix.shape}",
            need="shape (n, k): a row for each object, a column for each cluster",
            fix=".ravel() if this row holds labels, or transpose it: matrix.T",
        )
    with np.errstate(over="ignore", invalid="ignore"):
        columns, rows = (np.asarray(matrix.sum(axis=axis)).ravel() for axis in (0, 1))
    if np.isin(values, (0, 1)).all() and rows.all() and not (columns == 1).all():
        return PartitionError(
            "this matrix of 0 and 1 can mean several things.",
            got=f"matrix of shape {matrix.shape}; {int((rows > 1).sum())} rows have more than a single 1",
            need=Phrase(
                Setting("kind", "rough"),
                " (each object is in one of these clusters, unknown which) or ",
                Setting("kind", "possibilistic"),
                "; objects in all of these at once are a cover, which needs the omega index or the NMI of"
                " covers, and none is here",
            ),
            parameter="kind",
        )
    if not is_sparse(raw) and raw.dtype.kind in "iu" and raw.max() > 1:
        return PartitionError(
            "this matrix of whole numbers holds no memberships.",
            got=f"matrix of shape {matrix.shape} with values up to {raw.max()}",
            need=Phrase(
                Setting("background", words="background="),
                " for an image of labels (.ravel() if it has none), ",
                Setting("normalize", True),
                " for counts",
            ),
            fix="Ensemble(matrix.T) if each column is a clustering",
            parameter="background",
        )
    return None
