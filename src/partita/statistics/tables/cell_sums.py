"""Sums over the cells of a table in which nothing cancels, however large or uneven the cells are."""

from __future__ import annotations

import numpy as np
from scipy.special import xlog1py

from partita.arrays import Array, Floats

_LARGEST = np.finfo(np.float64).max


def sums_without_each(values: Array, axis: int) -> Array:
    """For each value the sum of all others along an axis: before it plus after it, without subtracting."""
    values = np.moveaxis(values, axis, -1)
    sums = np.zeros_like(values)
    sums[..., 1:] += np.cumsum(values[..., :-1], axis=-1)
    sums[..., :-1] += np.cumsum(values[..., :0:-1], axis=-1)[..., ::-1]
    return np.moveaxis(sums, -1, axis)


def missing_information(parts: Array, others: Array) -> Floats:
    """The sum over the last axis of x log((x + y) / x), x a part and y the rest of the whole it is part of.

    Over the whole that is the entropy. Every term is at least 0 and exact to rounding, also where a part is
    almost everything or almost nothing.
    """
    with np.errstate(over="ignore"):
        ratios = np.divide(others, parts, where=parts > 0, out=np.zeros(np.shape(parts)))
    # a part next to which the others are infinite adds nothing
    return np.asarray(xlog1py(parts, np.minimum(ratios, _LARGEST)).sum(axis=-1))


def excess(x: Array, mean: Array) -> Array:
    """X log(x / mean) - x + mean, without cancellation when x is close to its mean."""
    is_some = mean > 0
    safe = np.where(is_some, mean, 1.0)
    away = (x - mean) / safe
    made = safe * (xlog1py(1.0 + away, away) - away)
    return made if is_some.all() else np.where(is_some, made, 0.0)
