"""The Hopkins statistic by the definition (Hopkins & Skellam 1954, with d-th powers): every distance."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def hopkins(X: NDArray[np.float64], objects: Sequence[int], places: NDArray[np.float64], d: int) -> float:
    """Sum of u^d over the sum of u^d and w^d: u from places to objects, w from objects to other objects."""
    rows = X.tolist()
    u = [min(math.dist(place, row) for row in rows) for place in places.tolist()]
    w = [min(math.dist(rows[i], row) for j, row in enumerate(rows) if j != i) for i in objects]
    from_places, from_objects = (sum(gap**d for gap in gaps) for gaps in (u, w))
    return from_places / (from_places + from_objects)
