"""What the prototype methods share: sums over blocks of objects, and centres that move until they settle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from partita.arrays import Array, Floats, map_blocks
from partita.cluster.centres import nearest
from partita.cluster.clusterer import warn
from partita.errors import PartitaWarning
from partita.progress import bar

BLOCK_DISTANCES = 1 << 16
"""Distances that one thread computes at a time."""

COINCIDENT = 0.05
"""Centres nearer than this share of the median distance of objects to theirs count as one."""

ROUNDING = 1e-9
"""The same as a share of the spread of X, where objects lie on their centres."""

Sums = tuple[Floats, Floats, float]
"""The weights' sum of each centre, its weighted sum of differences of the objects, and the objective."""


@dataclass(frozen=True)
class PrototypeFit:
    """Centres, the objective a step before them, and how they were reached."""

    centres: Floats
    objective: float
    n_iter: int
    converged: bool


def sum_blocks(one_pass: Callable[..., Sums], X: Floats, centres: Floats, *options: Any, out: Any) -> Sums:
    """A compiled pass over blocks of objects on threads, its sums added in their order.

    ``out`` takes the memberships, one row an object; None when they are not wanted.
    """
    rows = max(256, BLOCK_DISTANCES // len(centres))
    nothing = np.empty((0, 0))

    def work(part: slice) -> Sums:
        return one_pass(X[part], centres, *options, nothing if out is None else out[part])

    parts = map_blocks(work, len(X), rows)
    totals, shifts, objective = parts[0]
    for more_totals, more_shifts, more in parts[1:]:
        totals, shifts, objective = totals + more_totals, shifts + more_shifts, objective + more
    return totals, shifts, float(objective)


def mean_shifts(totals: Floats, shifts: Floats) -> Floats:
    """How far each centre is from its weighted mean; a centre without weight stays."""
    return np.where(totals[:, None] > 0.0, shifts / np.where(totals > 0.0, totals, 1.0)[:, None], 0.0)


def settle(
    X: Floats,
    centres: Floats,
    step: Callable[[Floats], tuple[Floats, float]],
    *,
    max_iter: int,
    tol: float,
) -> PrototypeFit:
    """Move centres until no one moves by more than ``tol`` times the spread of X.

    ``step`` gives for centres how far each is to move, and the objective before that.
    """
    farthest = tol * spread(X)
    with bar("moving centres") as report:
        for n_iter in range(1, max_iter + 1):
            shifts, objective = step(centres)
            centres = centres + shifts
            if np.sqrt(np.square(shifts).sum(axis=1).max()) <= farthest:
                return PrototypeFit(centres, objective, n_iter, True)
            report(n_iter, max_iter)
    return PrototypeFit(centres, objective, max_iter, False)


def largest_column(values: Floats) -> Array:
    """The column of the largest value of each row, the first of equals."""
    return np.asarray(values.argmax(axis=1), dtype=np.int64)


def spread(X: Floats) -> float:
    """The root of the mean squared distance of the objects from their mean."""
    return float(np.sqrt(X.var(axis=0).sum()))


def warn_of_coincident(method: str, X: Floats, centres: Floats, advice: str) -> None:
    """Say that centres lie on one another."""
    if len(centres) < 2:
        return
    to_next = np.asarray(cKDTree(centres).query(centres, k=2)[0])[:, 1]
    usual = float(np.median(np.sqrt(nearest(X, centres)[1])))
    rounding = max(ROUNDING * spread(X), 8 * np.finfo(np.float64).eps * float(np.abs(centres).max()))
    coincident = int((to_next <= max(COINCIDENT * usual, rounding)).sum())
    if coincident:
        warn(
            f"{coincident} of {len(centres)} centres of {method} lie on another one; {advice}.",
            PartitaWarning,
        )
