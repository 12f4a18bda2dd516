"""The co-association matrix of a clustering: how much each two objects are together."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array, check_flag, dense, map_blocks
from partita.errors import KindError, Phrase, Setting, TooLargeError
from partita.partitions.kinds import FUZZY, HARD
from partita.partitions.reading import as_partition
from partita.partitions.tnorms import shared_degrees, tnorm_of

MOST_CELLS = 1 << 27
"""Values that a matrix may hold: one gigabyte."""

_ROWS = 64


def coassociation(U: Any, tnorm: str = "product", condensed: bool = False) -> Array:
    """How much each two objects are together: the sum over clusters of their memberships joined by "and".

    Parameters
    ----------
    U : clustering
        Anything `as_partition` takes, hard or fuzzy.
    tnorm : {"product", "minimum", "lukasiewicz"}
        How "and" is read: u v, min(u, v), or max(0, u + v - 1).
    condensed : bool
        Only the pairs i < j, in the order of `scipy.spatial.distance.squareform`.

    Returns
    -------
    array (n, n), or (n (n - 1) / 2,) if condensed
        Between 0 and 1. On the diagonal an object with itself: 1 if its row is hard, or for the minimum.

    Notes
    -----
    Memory: n^2 numbers (half of it condensed), refused above 2^27. No index needs the matrix:
    ``indices.coassociation_rand_distance`` and its family come from sums over clusters or tiles of pairs.

    Examples
    --------
    >>> coassociation([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    array([[1. , 0.5, 0. ],
           [0.5, 0.5, 0.5],
           [0. , 0.5, 1. ]])
    >>> coassociation(["a", "a", "b"], condensed=True)
    array([1., 0., 0.])
    """
    tnorm_of(tnorm)
    check_flag(condensed, "condensed")
    partition = as_partition(U)
    if partition.kind not in (HARD, FUZZY):
        raise KindError(
            f"a {partition.kind} partition has no co-association: unless rows sum to one, that of two objects"
            " can pass 1.",
            got=repr(partition),
            need="a hard or fuzzy partition",
            fix=Phrase(
                Setting("normalize", True, "as_partition(values, normalize=True)"),
                " for typicalities, .pignistic() for masses",
            ),
        )
    n = partition.n_objects
    cells = n * (n - 1) // 2 if condensed else n * n
    if cells > MOST_CELLS:
        raise TooLargeError(
            "this co-association matrix does not fit.",
            got=f"{n} objects: {cells} values",
            need=f"at most {MOST_CELLS} values",
            fix="the indices of co-associations do not need it; or take a sample: partition.take(rows)",
        )
    rows = dense(partition.memberships())
    made = np.empty(cells if condensed else (n, n))

    def fill(part: slice) -> None:
        if not condensed:
            made[part] = shared_degrees(rows[part], rows, tnorm)
            return
        values = shared_degrees(rows[part], rows[part.start :], tnorm)
        for place, i in enumerate(range(part.start, part.stop)):
            start = i * n - i * (i + 1) // 2
            made[start : start + n - i - 1] = values[place, place + 1 :]

    map_blocks(fill, n, _ROWS, products=True)
    return made
