"""Data with the metric that they are measured by: features as they are, or the distances between objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, frame_library, is_sparse
from partita.arrays.chunked import all_at_once, is_of_dask
from partita.arrays.containers import array_of
from partita.errors import ParameterError, Phrase, Setting
from partita.partitions import DataMatrix
from partita.partitions.chunked import InChunks
from partita.partitions.data import DATA_POLICIES
from partita.partitions.gower import gower_distances, refuse_too_many
from partita.partitions.scales import scaled_data
from partita.statistics.distances.objects_by_cluster import (
    DENSITY,
    NOT_SYMMETRIC,
    PRECOMPUTED,
    ObjectsByCluster,
    check_distances,
    known_metric,
)

__all__ = ["GOWER", "MeasuredData", "measured_data"]

GOWER = "gower"

FEWEST_ASKED = 3
"""Objects from which a square table is asked about: of two, most pairs of features are symmetric."""

CHECKED_PAIRS = 200
"""Pairs of objects for which a callable is asked the other way round."""

HINT = Phrase(
    Setting("metric", PRECOMPUTED),
    " if they are distances between the objects, ",
    Setting("metric", "euclidean"),
    " if each row holds the features of an object; similarities, such as an adjacency matrix, must be turned "
    "into distances first",
)


@dataclass(frozen=True)
class MeasuredData:
    """What a procedure computes with.

    Attributes
    ----------
    X : object
        The data as they were given; where distances were computed or condensed, a `DataMatrix` of them.
    metric : str
        "euclidean", another name, or "precomputed" where X holds distances.
    name : str
        The metric as it was asked for, in words.
    scale : str or None
        The scale that is still to be given to the features.
    """

    X: Any
    metric: str
    name: str
    scale: str | None = None

    @property
    def are_distances(self) -> bool:
        """True where X holds distances."""
        return self.metric == PRECOMPUTED

    @property
    def notes(self) -> tuple[str, ...]:
        """How distances came about, where they were computed here."""
        was_computed = self.are_distances and self.name != PRECOMPUTED
        return (f"distances between objects by the metric {self.name}",) if was_computed else ()


def measured_data(
    X: Any, metric: Any = None, *, missing: str = "raise", scale: Any = None, by_name: bool = False
) -> MeasuredData:
    """The data and the metric of a procedure; a question where a table may be features or distances.

    Parameters
    ----------
    X : array, frame or sparse matrix
        Features, the distances ``(n, n)``, or these condensed as by SciPy's ``pdist`` and R's ``dist``.
    metric : str or function, optional
        "euclidean" by default; another name of ``scipy.spatial.distance``, "gower", "precomputed", or a
        function of two rows.
    missing, scale : str, None
        What is done before distances are computed; "gower" takes care of both.
    by_name : bool
        True where named metrics of SciPy, and "density", are understood as they are.
    """
    if metric is None:
        refuse_square(X)
        return MeasuredData(X, "euclidean", "euclidean", scale)
    if isinstance(X, DataMatrix) and X.are_distances:
        return MeasuredData(X, PRECOMPUTED, PRECOMPUTED, scale)
    if callable(metric):
        name = getattr(metric, "__name__", type(metric).__name__)
    elif isinstance(metric, str) and metric == GOWER:
        name = GOWER
    else:
        name = known_metric(metric)
    in_chunks = _lies_in_chunks(X)
    if name == "euclidean" or (by_name and not callable(metric) and name not in (GOWER, PRECOMPUTED)):
        return MeasuredData(X, name, name, scale)
    if name == PRECOMPUTED and not callable(metric):
        if in_chunks:
            return MeasuredData(X, name, name, scale)
        return MeasuredData(_given_distances(X, missing), name, name, scale)
    if in_chunks:
        raise all_at_once(f"metric={name}")
    if name == DENSITY and not callable(metric):
        raise ParameterError(
            'metric="density" is that of indices, not of the data.',
            got='metric="density"',
            need="a name of scipy.spatial.distance, " + '"gower", "precomputed" or a function of two rows',
            fix='validate(X, found, metric="density")',
            parameter="metric",
        )
    if name == GOWER and not callable(metric):
        return MeasuredData(_by_gower(X, scale), PRECOMPUTED, GOWER)
    policy = missing if missing in DATA_POLICIES else "raise"
    data = X if isinstance(X, DataMatrix) else DataMatrix(X, missing=policy)
    told = name if scale is None else f'{name} of features on one scale ("{scale}")'
    refuse_too_many(data.n_objects)
    complete = data.complete()
    values = np.asarray(scaled_data(complete, scale)[0].values, dtype=np.float64)
    distances = _by_callable(values, metric) if callable(metric) else _by_name(values, name)
    return MeasuredData(_as_data(distances, data), PRECOMPUTED, told)


def _lies_in_chunks(X: Any) -> bool:
    """True for data that are not in memory."""
    return is_of_dask(X) or isinstance(X, InChunks)


def refuse_square(X: Any) -> None:
    """Ask about a table that may be distances: square and symmetric, with one value on the diagonal."""
    if _lies_in_chunks(X) or isinstance(X, DataMatrix):
        return
    shape = getattr(X, "shape", None)
    if shape is None and isinstance(X, (list, tuple)):
        is_list = bool(X) and isinstance(X[0], (list, tuple)) and len(X) == len(X[0])
        shape = (len(X), len(X[0])) if is_list else None
    try:
        n, d = shape or (0, 1)
    except (TypeError, ValueError):
        return
    if n != d or n < FEWEST_ASKED:
        return
    what = _what_is_square(X)
    if what:
        raise ParameterError(
            "X may be the distances between objects, or their features.",
            got=f"{what} of shape ({n}, {n}), symmetric and with one value on the diagonal",
            need=Phrase("to know what it is: ", Setting("metric")),
            fix=HINT,
            parameter="metric",
        )


def _what_is_square(X: Any) -> str:
    """A symmetric table with a constant diagonal in words; nothing for any other, and for a constant one."""
    if is_sparse(X):
        diagonal = X.diagonal()
        is_symmetric = X.dtype.kind in "fiub" and X.nnz > 0 and abs(X - X.T).max() == 0
        return "a sparse matrix" if is_symmetric and (diagonal == diagonal[0]).all() else ""
    try:
        if frame_library(X) is not None:
            values: Array = DataMatrix(X).values
        else:
            values = np.asarray(array_of(X), dtype=np.float64)
    except (TypeError, ValueError):
        return ""
    diagonal = np.diagonal(values)
    if values.ndim != 2 or not np.isfinite(values).all() or (values == values[0, 0]).all():
        return ""
    tolerance = NOT_SYMMETRIC["float32" if values.dtype == np.float32 else "float64"] * np.abs(values).max()
    is_square = np.ptp(diagonal) <= tolerance and (np.abs(values - values.T) <= tolerance).all()
    return "a table" if is_square else ""


def _given_distances(X: Any, missing: str) -> Any:
    """Distances as they are; condensed ones as a matrix."""
    policy = missing if missing in ("raise", "drop") else "raise"
    is_condensed = len(getattr(X, "shape", ())) == 1 or (
        isinstance(X, (list, tuple)) and bool(X) and not hasattr(X[0], "__len__")
    )
    if is_condensed:
        X = _square(X)
    data = DataMatrix(X, are_distances=True, missing=policy)
    if data.unlabelled is None:
        check_distances(data.values, data.n_objects)
    return data if is_condensed else X


def _square(X: Any) -> Floats:
    from scipy.spatial.distance import squareform

    try:
        values = np.asarray(array_of(X), dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    n = round((1 + np.sqrt(1 + 8 * values.size)) / 2)
    if not values.size or n * (n - 1) // 2 != values.size:
        raise ParameterError(
            "these are not the distances of all pairs of objects.",
            got=f"{values.size} numbers",
            need="n (n - 1) / 2 of them, as pdist gives, or shape (n, n)",
            fix=f"{n * (n - 1) // 2} would be those of {n} objects" if values.size else None,
        )
    refuse_too_many(n)
    return np.asarray(squareform(values, checks=False))


def _by_gower(X: Any, scale: Any) -> DataMatrix:
    if scale is not None:
        raise ParameterError(
            "Gower's distances divide each column by its range already.",
            got=f"scale={scale!r}",
            need="no scale",
            parameter="scale",
        )
    made = DataMatrix(gower_distances(X), are_distances=True)
    made.frame = frame_library(X)
    made.index = X.index if hasattr(X, "index") and hasattr(X, "iloc") else None
    return made


def _as_data(distances: Floats, data: DataMatrix) -> DataMatrix:
    """Distances of the complete objects as data; the others, which are left out, are at distance 0."""
    if data.unlabelled is not None:
        kept, n = np.flatnonzero(~data.unlabelled), data.n_objects
        whole = np.zeros((n, n))
        whole[np.ix_(kept, kept)] = distances
        distances = whole
    made = DataMatrix(distances, are_distances=True)
    made.frame, made.index, made.note, made.unlabelled = data.frame, data.index, data.note, data.unlabelled
    return made


def _by_name(values: Floats, name: str) -> Floats:
    from partita.partitions import HardPartition

    together = HardPartition(np.zeros(len(values), dtype=np.int64))
    objects = ObjectsByCluster.of(values, together, None, name)
    distances = objects.between(objects.X)
    np.fill_diagonal(distances, 0.0)
    return (distances + distances.T) / 2


def _by_callable(values: Floats, metric: Callable[..., Any]) -> Floats:
    """The distances of all pairs, each asked for once; of some, the other way round too."""
    n = len(values)

    def between(i: int, j: int) -> float:
        try:
            made = metric(values[i], values[j])
            away = float(made)
        except Exception as problem:
            raise ParameterError(
                "metric failed.",
                got=f"{type(problem).__name__}: {problem} (rows {i} and {j})",
                need="a function of two rows that returns a number",
                parameter="metric",
            ) from problem
        if not 0 <= away < np.inf:
            raise ParameterError(
                "metric returned no distance.",
                got=f"{made!r} for rows {i} and {j}",
                need="a finite number of at least 0",
                parameter="metric",
            )
        return away

    distances = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            distances[i, j] = distances[j, i] = between(i, j)
    largest = distances.max()
    rng = np.random.default_rng(0)
    for i, j in rng.integers(n, size=(min(CHECKED_PAIRS, n * n), 2)).tolist():
        if abs(between(i, j) - distances[i, j]) > NOT_SYMMETRIC["float64"] * largest:
            which = "of a row to itself is not 0" if i == j else "is another the other way round"
            raise ParameterError(
                f"the distance {which}.",
                got=f"{between(i, j)!r} for rows {i} and {j}",
                need="a symmetric metric, 0 for equal rows",
                parameter="metric",
            )
    return distances
