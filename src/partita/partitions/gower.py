"""Gower's distances between objects with columns of several sorts: numbers, categories, truth values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partita.arrays import Floats, blocks
from partita.arrays.mixed_columns import MixedColumn, mixed_columns
from partita.errors import ParameterError, TooLargeError

__all__ = ["MOST_OBJECTS", "gower_distances", "refuse_too_many"]

MOST_OBJECTS = 16_384
"""Number of objects whose distances are held at once: 2 GiB."""

_BLOCK_CELLS = 1 << 21


def gower_distances(X: Any, *, weights: Any = None) -> Floats:
    """The distances of Gower (1971) between objects described by numbers, categories and truth values.

    The distance of two objects is the weighted mean over the columns in which both have a value. A column of
    numbers contributes the difference over its range, and so does an ordered category by the places of its
    levels. A category contributes 0 where it is the same and 1 elsewhere. So does a truth value, but two
    objects without the property have nothing in common by that: the column does not count for them. A column
    of numbers that is the same everywhere contributes 0. All of this is what ``daisy(metric = "gower")`` of
    R's package cluster computes; there a column of truth values that are all TRUE does not count at all.

    Parameters
    ----------
    X : data frame or (n, d) array
        One row for each object. Missing values are left out pair by pair.
    weights : dict by column, or list of numbers, optional
        How much each column counts; 1 for those that are not named.

    Returns
    -------
    array (n, n)
        From 0 to 1; for ``metric="precomputed"``. ``metric="gower"`` computes them with equal weights.

    References
    ----------
    gower1971

    Cost
    ----
    n x n x d operations, and n x n numbers in memory; at most 16,384 objects.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [20, 40, 60], "town": ["Ulm", "Bonn", "Ulm"]})
    >>> gower_distances(people)
    array([[0.  , 0.75, 0.5 ],
           [0.75, 0.  , 0.75],
           [0.5 , 0.75, 0.  ]])
    """
    columns = [replace(column, values=_scaled(column)) for column in mixed_columns(X)]
    n = columns[0].values.size
    refuse_too_many(n)
    each = _weights(columns, weights)
    distances = np.empty((n, n))
    for part in blocks(n, max(1, _BLOCK_CELLS // n)):
        total, weight = np.zeros((part.stop - part.start, n)), np.zeros((part.stop - part.start, n))
        for column, own in zip(columns, each, strict=True):
            if own > 0:
                _add(column, own, part, total, weight)
        lacking = weight == 0
        lacking[np.arange(len(total)), np.arange(part.start, part.stop)] = False
        if lacking.any():
            i, j = (int(where[0]) for where in np.nonzero(lacking))
            raise ParameterError(
                "two objects have no value in common, so that they have no distance.",
                got=f"rows {i + part.start} and {j}, and {int(lacking.sum()) - 1} more pairs",
                need="for each pair one column at least in which both have a value",
                fix="leave out objects that lack most values, or columns that most objects lack",
            )
        np.divide(total, weight, out=total, where=weight > 0)
        distances[part] = total
    np.fill_diagonal(distances, 0.0)
    return distances


def refuse_too_many(n: int) -> None:
    """Refuse more objects than those whose distances fit."""
    if n > MOST_OBJECTS:
        raise TooLargeError(
            "the distances between so many objects do not fit.",
            got=f"{n:,} objects, {8 * n * n / 2**30:.0f} GiB",
            need=f"at most {MOST_OBJECTS:,}",
            fix="a random sample of the objects",
        )


def _scaled(column: MixedColumn) -> Floats:
    """Numbers from 0 to 1, over their range; 0 where all are the same. Codes stay as they are."""
    values = column.values
    largest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 0.0
    if column.sort != "interval" or not largest > 0:
        return values
    values = values / largest
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (values - low) / (high - low if high > low else 1.0)


def _add(column: MixedColumn, own: float, part: slice, total: Floats, weight: Floats) -> None:
    """Add what a column contributes to the distances of some objects to all."""
    here, there = column.values[part, None], column.values[None, :]
    apart = np.abs(here - there) if column.sort == "interval" else (here != there).astype(np.float64)
    counts = ~np.isnan(here) & ~np.isnan(there)
    if column.sort == "asymmetric":
        counts &= (here > 0) | (there > 0)
    total += np.where(counts, own * apart, 0.0)
    weight += np.where(counts, own, 0.0)


def _weights(columns: Sequence[MixedColumn], weights: Any) -> list[float]:
    names = [column.name for column in columns]
    if weights is None:
        return [1.0] * len(names)
    if isinstance(weights, Mapping):
        unknown = next((name for name in weights if name not in names), None)
        if unknown is not None:
            raise ParameterError(
                "a weight is given for no column.",
                got=repr(unknown),
                need=f"one of {', '.join(map(str, names))}",
                parameter="weights",
            )
        given: Any = [weights.get(name, 1.0) for name in names]
    else:
        given = weights
    try:
        each = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        each = np.empty(0)
    if each.shape != (len(names),) or not np.isfinite(each).all() or (each < 0).any() or not each.any():
        raise ParameterError(
            "weights of columns must be numbers of at least 0, one for each.",
            got=repr(weights)[:80],
            need=f"{len(names)} numbers, not all 0, or a dictionary by column",
            parameter="weights",
        )
    return list(map(float, each))
