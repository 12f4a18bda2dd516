"""Weights of objects: how often each counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays.containers import array_of
from partita.arrays.matrices import Array
from partita.errors import ParameterError, Phrase, Setting

LEAST_WEIGHT, MOST_WEIGHT = 1e-30, 1e30
"""A weight is 0 or lies between these, and so does the sum of all: fourth powers of it are then numbers."""


def multiplicities(sample_weight: Any, n: int | None = None) -> Array:
    """Weights as an array: each 0 or between 1e-30 and 1e30, the sum too; whole numbers stay whole.

    Whole numbers are counts, in 64 bits, as long as their sum is below 2^53; above that they are floats.
    """
    if isinstance(sample_weight, np.ma.MaskedArray) and np.ma.is_masked(sample_weight):
        raise ParameterError(
            "some weights are masked.", got="a masked array", need="a weight for every object"
        )
    try:
        weight = array_of(sample_weight)
    except (ValueError, TypeError):
        weight = np.empty(0, dtype=object)
    if weight.dtype == object:
        weight = _numbers_of(weight)
    if weight.ndim != 1 or weight.dtype.kind not in "iufb" or n not in (None, weight.size):
        raise ParameterError(
            Phrase(Setting("sample_weight"), " is not a list of numbers, one for each object."),
            got=f"array of shape {weight.shape}, dtype {weight.dtype}",
            need="one number for each object" if n is None else f"{n} numbers, one for each object",
        )
    with np.errstate(over="ignore"):  # long double may hold more
        real = weight.astype(np.float64)
        total = real.sum()
    in_range = (real == 0.0) | ((real >= LEAST_WEIGHT) & (real <= MOST_WEIGHT))
    if not (in_range.all() and 0.0 < total <= MOST_WEIGHT):
        raise ParameterError(
            Phrase(Setting("sample_weight"), " cannot be multiplicities."),
            got=f"a weight of {real[~in_range][0]:g}" if not in_range.all() else f"a sum of {total:g}",
            need=f"weights of 0 or between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}, as is their sum; not all 0",
            fix="divide all by one number, and set what is next to nothing to 0",
        )
    whole = (real == np.floor(real)).all() and total < 2.0**53
    return weight.astype(np.int64) if whole else real


def _numbers_of(weight: Array) -> Array:
    """Numbers that were kept as objects, as a frame of mixed columns does; others come back as they are."""
    kinds = {type(value) for value in weight.ravel().tolist()}
    if not all(issubclass(kind, (int, float, np.integer, np.floating)) for kind in kinds):
        return weight
    try:
        return np.array(weight.tolist())
    except OverflowError:
        return weight
