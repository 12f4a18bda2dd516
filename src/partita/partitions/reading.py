"""The door: anything that describes a clustering comes in here and leaves as a partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.arrays import Column, check_flag, frame_library, from_frame, is_sparse
from partita.errors import ParameterError, PartitionError, Phrase, Setting
from partita.partitions.evidential import EvidentialPartition
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
from partita.partitions.models import clustering_in, is_estimator
from partita.partitions.partition import Partition, normalise_names
from partita.partitions.rough import RoughPartition, is_boolean


def as_partition(
    obj: Any,
    kind: Kind | str | None = None,
    *,
    X: Any = None,
    focal_sets: Any = None,
    names: Sequence[Any] | None = None,
    normalize: bool = False,
) -> Any:
    """Turn anything that describes a clustering into a partition of the most specific kind it satisfies.

    Parameters
    ----------
    obj : object
        Labels (any hashable values), an ``(n, k)`` matrix of memberships (array, list, sparse, data
        frame), masses together with ``focal_sets``, a dictionary ``{"mass": ..., "F": ...}`` as evclust
        makes them, a fitted scikit-learn clusterer or mixture, or a partition.
    kind : {"hard", "fuzzy", "probabilistic", "possibilistic", "rough", "evidential"}, optional
        Needed for typicalities. Without it, labels and one-hot matrices are hard, other boolean
        matrices rough, and rows that sum to one fuzzy.
    X : (n, d) array, optional
        The data; needed for a mixture model, whose memberships depend on it.
    focal_sets : (f, k) array or list of sets, optional
        What the columns of a mass matrix stand for.
    names : sequence, optional
        Names of the clusters, one for each column.
    normalize : bool
        Divide each row by its sum first.

    Returns
    -------
    Partition
        `HardPartition`, `FuzzyPartition`, `PossibilisticPartition`, `RoughPartition` or
        `EvidentialPartition`.

    Examples
    --------
    >>> as_partition(["cat", "dog", "cat"]).kind
    <Kind.HARD: 'hard'>
    >>> as_partition([[0.8, 0.2], [0.1, 0.9]]).kind
    <Kind.FUZZY: 'fuzzy'>
    """
    wanted = None if kind is None else Kind.read(kind)
    check_flag(normalize, "normalize")
    if isinstance(obj, Partition):
        if names is not None or focal_sets is not None or normalize:
            raise ParameterError(
                "a partition is ready: names, focal_sets and normalize belong to what it is made from.",
                got=repr(obj),
                need="these options where the partition is made",
            )
        return obj if wanted is None else obj.to(wanted)
    if isinstance(obj, Mapping) and not is_sparse(obj):
        return _from_mapping(obj, wanted, names, normalize)
    if frame_library(obj) is not None:
        return _from_frame(obj, wanted, focal_sets, names, normalize)
    if is_estimator(obj):
        return as_partition(clustering_in(obj, X), wanted, names=names)
    if isinstance(obj, type):
        raise PartitionError(
            "this is a class, not a clustering.",
            got=obj.__name__,
            need="labels, memberships or a fitted model",
        )
    if focal_sets is not None:
        _check_wanted(wanted, EVIDENTIAL, "focal_sets=")
        return EvidentialPartition(_normalised(obj, normalize), focal_sets, names=names)
    if _is_matrix(obj):
        return _from_matrix(obj, wanted, names, normalize, None)
    return _from_labels(obj, wanted, names, None)


def _from_labels(labels: Any, wanted: Kind | None, names: Sequence[Any] | None, index: Any) -> Any:
    if getattr(labels, "ndim", 1) == 0:
        raise PartitionError(
            "a single value is not a clustering.", got=repr(labels), need="one label for each object"
        )
    hard = HardPartition(labels, names=names, index=index)
    return hard if wanted is None else hard.to(wanted)


def _is_matrix(obj: Any) -> bool:
    """Two or more dimensions; a list is a matrix when it holds lists, or nothing but tuples of numbers."""
    if is_sparse(obj):
        return True
    ndim = getattr(obj, "ndim", None)
    if isinstance(ndim, int):
        return ndim >= 2
    if not isinstance(obj, (list, tuple)):
        return False
    rows = [item for item in obj if isinstance(item, (list, tuple)) or getattr(item, "ndim", None)]
    if rows and all(isinstance(row, tuple) for row in rows):
        return len(rows) == len(obj) and all(isinstance(cell, (int, float)) for row in rows for cell in row)
    return bool(rows)


def _normalised(matrix: Any, normalize: bool) -> Any:
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
            got=f"row {first} sums to {sums[first]:g}" if bad.any() else f"a negative value, {smallest:g}",
            need="non-negative, finite rows with a positive sum",
        )
    return values.multiply(1.0 / sums[:, None]).tocsr() if is_sparse(values) else values / sums[:, None]


def _from_matrix(
    obj: Any, wanted: Kind | None, names: Sequence[Any] | None, normalize: bool, index: Any
) -> Any:
    if wanted is EVIDENTIAL:
        raise PartitionError(
            "masses need their focal sets.",
            got="a matrix alone",
            need="focal_sets=, an (f, k) matrix of 0 and 1",
        )
    if wanted is ROUGH:
        return RoughPartition(obj, names=names, index=index)
    raw = obj if is_sparse(obj) else dense_array(obj)
    matrix = numeric_matrix(_normalised(raw, normalize))
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
    if wanted is None and is_boolean(raw) and not normalize:
        if (np.asarray(matrix.sum(axis=0)) == 1).all():
            fix = Phrase("transpose it: matrix.T; or ", Setting("kind", "rough"), " if it is meant so")
            raise lies_on_its_side(matrix, fix=fix)
        return RoughPartition(raw, names=names, index=index)
    try:
        return FuzzyPartition(matrix, names=names, index=index)
    except PartitionError as error:
        raise (_better_guess(matrix) if wanted is None else None) or error from None


def _better_guess(matrix: Any) -> PartitionError | None:
    """What else a matrix may be whose rows do not sum to one, or None when nothing else comes to mind."""
    values = matrix.data if is_sparse(matrix) else matrix
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
            "this matrix of 0 and 1 can mean two things.",
            got=f"matrix of shape {matrix.shape}; {int((rows > 1).sum())} rows have more than a single 1",
            need=Phrase(
                Setting("kind", "rough"),
                " (the clusters each object may belong to) or ",
                Setting("kind", "possibilistic"),
            ),
            parameter="kind",
        )
    return None


def _from_frame(
    obj: Any, wanted: Kind | None, focal_sets: Any, names: Sequence[Any] | None, normalize: bool
) -> Any:
    part = from_frame(obj)
    if isinstance(part, Column) and focal_sets is None:
        made = _from_labels(part.values, wanted, names if names is not None else part.categories, part.index)
    elif focal_sets is not None or isinstance(part, Column):
        _check_wanted(wanted, EVIDENTIAL, "focal_sets=")
        made = EvidentialPartition(
            _normalised(part.values, normalize), focal_sets, names=names, index=part.index
        )
    else:
        made = _from_matrix(
            part.values, wanted, part.names if names is None else names, normalize, part.index
        )
    made.frame = frame_library(obj)
    return made


def _from_mapping(
    obj: Mapping[Any, Any], wanted: Kind | None, names: Sequence[Any] | None, normalize: bool
) -> Any:
    if "mass" not in obj or "F" not in obj:
        raise PartitionError(
            "a dictionary is read as an evidential clustering, and this one is none.",
            got=f"keys {list(obj)[:8]}",
            need='the keys "mass" (n, f) and "F" (f, k), as evclust makes them',
        )
    _check_wanted(wanted, EVIDENTIAL, "a dictionary of masses")
    return EvidentialPartition(_normalised(obj["mass"], normalize), obj["F"], names=names)


def _check_wanted(wanted: Kind | None, kind: Kind, what: str) -> None:
    if wanted not in (None, kind):
        raise ParameterError(
            f"{what} makes an {kind} partition.",
            got=Phrase(Setting("kind", str(wanted))),
            need=Phrase(Setting("kind", str(kind)), " or none"),
            parameter="kind",
        )
