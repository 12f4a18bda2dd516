"""Which of many objects are drawn one by one: some of every cluster, the same ones every time."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array

__all__ = ["MOST_DRAWN", "drawn_how", "thinned", "thinning_note"]

MOST_DRAWN = 2000
"""Objects that are drawn one by one in a figure."""

FEWEST = 10
"""Objects of each cluster that are drawn, where it has as many, however large the others are."""


def thinned(codes: Any, most: int = MOST_DRAWN) -> Array:
    """The rows of the objects that are drawn, in ascending order: all, or shares of every cluster.

    Each cluster has a number of rows in proportion to its size, and ten at least while there is room. Rows
    are drawn at random from a fixed seed; where there are more clusters than rows, from all objects.
    """
    codes = np.asarray(codes)
    if codes.size <= most:
        return np.arange(codes.size)
    _, groups, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    order = np.random.default_rng(0).permutation(codes.size)
    if sizes.size > most:
        return np.sort(order[:most])
    least = np.minimum(sizes, min(FEWEST, most // sizes.size))
    wanted = np.maximum(np.floor(sizes * ((most - least.sum()) / codes.size)).astype(int), 0) + least
    wanted = np.minimum(wanted, sizes)
    order = order[np.argsort(groups[order], kind="stable")]
    starts = np.cumsum(sizes) - sizes
    rank = np.arange(codes.size) - np.repeat(starts, sizes)
    return np.sort(order[rank < np.repeat(wanted, sizes)])


def drawn_how(clusters: int, most: int = MOST_DRAWN) -> str:
    """How rows were drawn from so many clusters, in words."""
    return "some of every cluster" if clusters <= most else "drawn at random"


def thinning_note(shown: int, total: int, clusters: int = 1) -> tuple[str, ...]:
    """What is written in a figure that does not show every object."""
    return (f"{shown:,} of {total:,} objects shown, {drawn_how(clusters)}",) if shown < total else ()
