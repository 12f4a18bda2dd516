"""Independent witnesses: every index by its definition, slow and plain, NumPy and the standard library only.

`REFERENCE[name](U, V)` takes membership matrices of shape (n, k) and (n, k'), the truth first, and gives a
float, nan where the index is undefined; options are keywords, as those of the index.
`REFERENCE_OF_ONE[name](U)` are the indices of a single partition. Nothing here imports partita.
`tests/test_reference.py` tests them.
"""

from collections.abc import Callable

from . import coassociation, credal, information, matching, pairs, soft_rand

REFERENCE: dict[str, Callable[..., float]] = (
    pairs.REFERENCE
    | information.REFERENCE
    | coassociation.REFERENCE
    | credal.REFERENCE
    | soft_rand.REFERENCE
    | matching.REFERENCE
)
REFERENCE_OF_ONE: dict[str, Callable[..., float]] = {"entropy": information.entropy} | credal.REFERENCE_OF_ONE

__all__ = ["REFERENCE", "REFERENCE_OF_ONE"]
