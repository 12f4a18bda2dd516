"""Sets from OpenML, which scikit-learn fetches and keeps; what comes is compared with what is known."""

from __future__ import annotations

import hashlib
import warnings
from http.client import HTTPException
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.datasets.data_set import DataSet
from partita.datasets.known_sets import KnownSet
from partita.errors import FileError

__all__ = ["content_digest", "from_openml"]


def from_openml(known: KnownSet) -> DataSet:
    """Fetch a set; scikit-learn checks the sum of the file that came, and we check its content.

    Classes are numbered in the order of their names.
    """
    bunch = _fetched(known)
    X = _numbers(bunch.data, known)
    names, labels = np.unique(np.asarray(bunch.target).astype(str), return_inverse=True)
    _check(known, X, labels)
    return DataSet(
        known.name,
        X,
        labels,
        parameters={"classes": tuple(map(str, names))},
        feature_names=tuple(map(str, bunch.data.columns)),
        source=f"OpenML, id {known.openml}",
        notes=known.notes,
    )


def content_digest(X: Array, labels: Array) -> str:
    """A checksum of values and classes that the order of rows, of columns and of classes does not change.

    Values are sorted within each row, and rows within each class; sha256 is taken of each class, and of these
    in order.
    """
    rows = np.sort(np.asarray(X, dtype="<f8") + 0.0, axis=1)  # + 0.0: there is one zero, not two
    sums = []
    for label in np.unique(labels):
        members = rows[labels == label]
        members = members[np.lexsort(members.T[::-1])]
        sums.append(hashlib.sha256(np.ascontiguousarray(members).tobytes()).hexdigest())
    return hashlib.sha256("".join(sorted(sums)).encode()).hexdigest()


def _fetched(known: KnownSet) -> Any:
    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="A network error occurred")  # the error tells it
            return fetch_openml(data_id=known.openml, as_frame=True)
    except (OSError, ValueError, HTTPException) as problem:  # no network, no such set, or a wrong sum
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise FileError(
            f"{known.name} cannot be had here.",
            got=f"from OpenML, id {known.openml}: {reason:.200}",
            need="the data set",
            fix=known.ways,
        ) from None


def _numbers(frame: Any, known: KnownSet) -> Array:
    """The features as numbers; a category that is written in digits is one."""
    try:
        columns = [np.asarray(frame[name].astype(str).astype(float)) for name in frame.columns]
    except ValueError as problem:
        raise _differs(known, f"a value that is no number: {problem}", "numbers only") from None
    return np.column_stack(columns)


def _check(known: KnownSet, X: Array, labels: Array) -> None:
    """Refuse what is not the set that is known."""
    sizes = tuple(sorted(np.bincount(labels).tolist(), reverse=True))
    if (X.shape, sizes) != ((known.n, known.d), known.sizes):
        got = f"n = {X.shape[0]}, d = {X.shape[1]}, classes of {sizes}"
        raise _differs(known, got, f"n = {known.n}, d = {known.d}, classes of {known.sizes}")
    found = content_digest(X, labels) if known.digest else ""
    if found != known.digest:
        raise _differs(known, f"content with the checksum {found}", f"content with {known.digest}")


def _differs(known: KnownSet, got: str, need: str) -> FileError:
    return FileError(
        f"what OpenML has as id {known.openml} is not the {known.name} that is known.",
        got=got,
        need=need,
        fix=f"look at it by sklearn.datasets.fetch_openml(data_id={known.openml}); or {known.ways}",
    )
