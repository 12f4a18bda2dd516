"""The toy problems of rovetta2009: two clusterings of the same objects, given by their memberships."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.datasets.parameters import one_of
from partita.errors import near_names

__all__ = ["ROVETTA2009", "SWEEPS", "MembershipPair", "make_rovetta2009_sweep", "make_rovetta2009_toy"]


@dataclass(frozen=True, eq=False, repr=False)
class MembershipPair:
    """Two clusterings of the same objects; it unpacks as ``first, second = pair``.

    Attributes
    ----------
    name : str
        What it is called.
    first, second : array of shape (n, k)
        Memberships: one row for each object, one column for each cluster, rows sum to 1.
    source : str
        Where it comes from.
    notes : tuple of str
        What the paper does not say, and what was taken.
    """

    name: str
    first: Array
    second: Array
    source: str = ""
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Array]:
        yield self.first
        yield self.second

    def __repr__(self) -> str:
        clusters = f"{self.first.shape[1]} and {self.second.shape[1]} clusters"
        return f"{self.name}: {len(self.first)} objects, {clusters} ({self.source})"


def _crisp(labels: list[int], k: int) -> Array:
    return np.eye(k)[labels]


def _two(share: Any) -> Array:
    """Memberships in two clusters, from those in the first."""
    first = np.asarray(share, dtype=float)
    return np.column_stack([first, 1 - first])


def _with_empty_third(memberships: Array) -> Array:
    return np.column_stack([memberships, np.zeros(len(memberships))])


HALVES = _two([1.0] * 6 + [0.0] * 12)
SOFT_HALVES = _two([0.8] * 6 + [0.2] * 12)
FALLING = _two([1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0, 1, 0.9, 0, 0, 0, 0, 0])
ACROSS = _crisp([0, 0, 1, 1, 2, 2] + [0] * 4 + [1] * 4 + [2] * 4, 3)

ROVETTA2009 = {
    "toy0": (HALVES, _with_empty_third(HALVES)),
    "toy1": (HALVES, _crisp([0] * 6 + [1] * 5 + [0] * 3 + [2] * 4, 3)),
    "toy2": (SOFT_HALVES, _with_empty_third(SOFT_HALVES)),
    "toy3": (HALVES, np.repeat([[1.0, 0.0, 0.0], [0.0, 0.8, 0.2], [0.0, 0.2, 0.8]], 6, axis=0)),
    "toy4": (HALVES, ACROSS),
    "toy5": (FALLING, ACROSS),
}
"""The first and the second clustering of each toy problem of set 1."""

NOTES_SET_1 = (
    "the text says 20 objects and Table 1 prints 19 columns; the numbers of Table 2 need 18",
    "the second clustering is not legible in Table 1: it was inferred from the numbers of Table 2",
    "toy1's is one of five that the indices cannot tell apart; toy3's may not be the only one that fits",
)

SWEEPS = ("objects", "one_membership", "all_memberships")
"""The three experiments of set 2, in the paper's order."""
STEPS = 10
NOTE_ALL = "the paper does not say in how many steps memberships go from 1 to 0.5: we take 10 steps of 0.05"


def make_rovetta2009_toy(name: str) -> MembershipPair:
    """A toy problem of the first set of rovetta2009: 18 objects in two and in three clusters.

    Nothing is drawn at random. With these, all 30 numbers of Table 2 are reproduced; see ``notes`` for what
    had to be inferred.

    Parameters
    ----------
    name : {"toy0", "toy1", "toy2", "toy3", "toy4", "toy5"}
        The row of Table 2.

    Examples
    --------
    >>> from partita.datasets import make_rovetta2009_toy
    >>> first, second = make_rovetta2009_toy("toy3")
    >>> second[6]
    array([0. , 0.8, 0.2])
    """
    if name not in ROVETTA2009:
        raise near_names(str(name), ROVETTA2009, noun="toy problem of rovetta2009", parameter="name")
    first, second = ROVETTA2009[name]
    return MembershipPair(name, first.copy(), second.copy(), "rovetta2009, Table 1", NOTES_SET_1)


def make_rovetta2009_sweep(experiment: str) -> tuple[MembershipPair, ...]:
    """An experiment of the second set of rovetta2009: one of two equal clusterings changes, step by step.

    20 objects are in two clusters of ten. The second clustering stays; the first is equal to it at step 0 and
    changes over 10 more. Nothing is drawn at random.

    Parameters
    ----------
    experiment : {"objects", "one_membership", "all_memberships"}
        Each step moves one more of the first ten objects to the other cluster, until one cluster is empty;
        or moves 0.1 of the first object's membership; or moves 0.05 of all objects' memberships, until all
        are 0.5 (the paper does not say in how many steps).

    Returns
    -------
    tuple of MembershipPair
        11 of them, the step at the end of each name.
    """
    one_of("experiment", experiment, SWEEPS)
    start = np.repeat([1.0, 0.0], 10)
    source = f"rovetta2009, set 2, experiment {SWEEPS.index(experiment) + 1}"
    notes = (NOTE_ALL,) if experiment == "all_memberships" else ()
    return tuple(
        MembershipPair(
            f"{experiment} {step}", _two(_moved(start, experiment, step)), _two(start), source, notes
        )
        for step in range(STEPS + 1)
    )


def _moved(start: Array, experiment: str, step: int) -> Array:
    """The memberships in the first cluster after some steps."""
    share = start.copy()
    if experiment == "objects":
        share[:step] = 0.0
    elif experiment == "one_membership":
        share[0] = 1 - step / STEPS
    else:
        share += (0.5 - start) * step / STEPS
    return share
