"""What of some data is examined for structure: not too many objects, each once, and no rounding."""

from __future__ import annotations

import numpy as np

from partita.arrays import Array, Floats, one_blas_thread
from partita.errors import ParameterError
from partita.results.verdicts import Remark, RemarkKind, speak

__all__ = ["examined_objects", "rescaled"]

MOST_FEATURES = 50
"""Of more features the leading principal components are tested: so many hold nearly all of the distances, or
the tests see nothing in any case."""

MANY_EQUAL = 0.1
"""The share of objects that equal an earlier one from which a reader is told."""


def examined_objects(
    X: Array, most_objects: int, rng: np.random.Generator
) -> tuple[Floats, tuple[Remark, ...], tuple[str, ...]]:
    """The data, or a random part of it, such that equal values alone do not look like structure.

    Remarks and notes tell a reader what was done.

    Objects that are equal are at distance 0, which no continuous law explains, and neither makes clusters.
    They come about in two ways. Values were rounded, or are codes: then a feature has few values. There each
    value is spread evenly over half the median gap between values to both sides, as if it had been rounded.
    Or objects were copied: these count once.
    """
    n = len(X)
    remarks: tuple[Remark, ...] = ()
    notes: list[str] = []
    if n > most_objects:
        X = X[np.sort(rng.choice(n, most_objects, replace=False))]
        remarks = speak(
            RemarkKind.SAMPLED, f"{most_objects:,} of {n:,} objects, drawn at random, were tested"
        )
    values = rescaled(X)
    rounded = _few_valued(values)
    distinct = np.unique(values, axis=0, return_index=True)[1]
    copies = len(values) - len(distinct)
    told = f"{copies:,} of {len(values):,} objects equal an earlier one"
    treated = "values that repeat were spread over the gaps between values, as if they had been rounded"
    if copies and _are_copies(values, rounded, len(distinct)):
        values = values[np.sort(distinct)]
        rounded = _few_valued(values)
        treated = f"each was tested once{'; ' + treated if rounded.any() else ''}"
    if copies >= MANY_EQUAL * (len(distinct) + copies):
        remarks += speak(RemarkKind.DUPLICATES, f"{told}: {treated}")
    elif copies or rounded.any():
        notes.append(f"{told}: {treated}" if copies else treated)
    values = _spread(values, rounded, rng)
    if values.shape[1] > MOST_FEATURES:
        notes.append(
            f"in place of {values.shape[1]:,} features their {MOST_FEATURES} leading principal components"
        )
        values = _leading(values, MOST_FEATURES)
    return values, remarks, tuple(notes)


def rescaled(X: Array) -> Floats:
    """The data moved and divided so that no square and no power of a distance is too large or too small."""
    if (X[0] == X).all():
        raise ParameterError(
            "all objects are equal, or there is only one: nothing can be said of structure.",
            got=f"{len(X)} objects",
            need="at least two that differ",
        )
    values = X.astype(np.float64) / np.abs(X).max().astype(np.float64)
    values -= values[0]
    return np.asarray(values / np.abs(values).max())


def _few_valued(X: Floats) -> Array:
    """Features whose values occur at least twice on the average; those that never vary are none."""
    counts = np.array([len(np.unique(feature)) for feature in X.T])
    return np.asarray((counts > 1) & (2 * counts <= len(X)))


def _spread(X: Floats, rounded: Array, rng: np.random.Generator) -> Floats:
    """The data with rounded features spread over what they were rounded from.

    Within the steps the features hang together as the values do: else data along a diagonal would become a
    row of boxes that touch at their corners.
    """
    if not rounded.any():
        return X
    from scipy.special import ndtr

    values = X[:, rounded]
    steps = [float(np.median(np.diff(np.unique(feature)))) for feature in values.T]
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    with one_blas_thread():
        _, strengths, axes = np.linalg.svd(standard / np.sqrt(len(X)), full_matrices=False)
        normal = (rng.standard_normal((len(X), len(strengths))) * strengths) @ axes
    spread = X.copy()
    spread[:, rounded] += (ndtr(normal) - 0.5) * steps
    return spread


def _are_copies(X: Floats, rounded: Array, n_distinct: int) -> bool:
    """Whether objects are equal because they were copied, not because their values were rounded.

    Few values make many objects: five values in each of three features up to 125. Where a feature has nearly
    as many values as there are different objects, coincidence of its values cannot be why objects are equal.
    """
    counts = np.array([len(np.unique(feature)) for feature in X.T])
    if (counts > 1).sum() == 1:
        return not rounded.any()
    return bool(2 * counts.max() >= n_distinct)


def _leading(X: Floats, count: int) -> Floats:
    """Leading principal components."""
    centred = X - X.mean(axis=0)
    with one_blas_thread():
        if X.shape[1] > len(X):
            squares, left = np.linalg.eigh(centred @ centred.T)
            return np.ascontiguousarray((left * np.sqrt(np.maximum(squares, 0)))[:, ::-1][:, :count])
        axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :count]
        return np.ascontiguousarray(centred @ axes)
