"""Every compiled loop. Serial, without the GIL, on one block of rows; imported late."""

from partita.kernels.columns import column_states, join_column, separable_ends, size_ends
from partita.kernels.labels import count_pairs, low_and_high
from partita.kernels.matchings import fewest_matched

__all__ = [
    "column_states",
    "count_pairs",
    "fewest_matched",
    "join_column",
    "low_and_high",
    "separable_ends",
    "size_ends",
]
