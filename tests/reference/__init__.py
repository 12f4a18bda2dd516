"""Independent witnesses: every index by its definition, slow and plain, NumPy and the standard library only.

`REFERENCE[name](U, V)` takes membership matrices of shape (n, k) and (n, k'), the truth first, and gives a
float, nan where the index is undefined; options are keywords, as those of the index.
`REFERENCE_OF_ONE[name](U)` are the indices of a single partition, `REFERENCE_OF_DATA[name](X, U)` those of
data and a partition (or two, or a fitted mixture); `WITNESS` has them all. `WITNESS_OF_MASSES[name]` takes
rough and evidential clusterings, as a list with a dictionary {set of clusters: mass} for each object.
Nothing here imports partita.
`tests/test_reference.py` tests them.
"""

from collections.abc import Callable

from . import (
    bcubed,
    centroids,
    coassociation,
    credal,
    density,
    information,
    likelihood,
    matching,
    memberships,
    pairs,
    prediction,
    scatter,
    separation,
    soft_rand,
)

REFERENCE: dict[str, Callable[..., float]] = (
    pairs.REFERENCE
    | prediction.REFERENCE
    | information.REFERENCE
    | coassociation.REFERENCE
    | credal.REFERENCE
    | soft_rand.REFERENCE
    | matching.REFERENCE
    | bcubed.REFERENCE
    | centroids.REFERENCE
)
REFERENCE_OF_ONE: dict[str, Callable[..., float]] = (
    {"entropy": information.entropy}
    | credal.REFERENCE_OF_ONE
    | memberships.REFERENCE_OF_ONE
    | likelihood.REFERENCE_OF_ONE
)
REFERENCE_OF_DATA: dict[str, Callable[..., float]] = (
    scatter.REFERENCE_OF_DATA
    | separation.REFERENCE_OF_DATA
    | density.REFERENCE_OF_DATA
    | memberships.REFERENCE_OF_DATA
    | likelihood.REFERENCE_OF_DATA
    | likelihood.REFERENCE_OF_MODEL
    | centroids.REFERENCE_OF_DATA
)
WITNESS = REFERENCE | REFERENCE_OF_ONE | REFERENCE_OF_DATA
WITNESS_OF_MASSES: dict[str, Callable[..., float]] = (
    information.REFERENCE_OF_MASSES | credal.REFERENCE_OF_MASSES | memberships.REFERENCE_OF_MASSES
)

__all__ = ["REFERENCE", "REFERENCE_OF_DATA", "REFERENCE_OF_ONE", "WITNESS", "WITNESS_OF_MASSES"]
