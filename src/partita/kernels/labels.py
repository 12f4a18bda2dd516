"""Labels: their range, and the table of two blocks of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel


@kernel(
    work=lambda values: values.size,
    calls=100,
    reads=(0,),
    examples=lambda rng: [(rng.integers(-3, 9, 50).astype(kind),) for kind in (np.int32, np.int64)],
)
def low_and_high(values: Any) -> Any:
    """The smallest and the largest of a block of labels, in one look at each."""
    low = values[0]
    high = values[0]
    for value in values:
        low = min(low, value)
        high = max(high, value)
    return low, high


def _label_blocks(rng: np.random.Generator) -> Any:
    for one in (np.int32, np.int64):
        for other in (np.int32, np.int64):
            a, b = rng.integers(-2, 5, 60).astype(one), rng.integers(3, 9, 60).astype(other)
            yield a, b, -1, 3, 6, 5


@kernel(work=lambda a, *_: a.size, calls=100, reads=(0, 1), examples=_label_blocks)
def count_pairs(a: Any, b: Any, low_a: int, low_b: int, rows: int, columns: int) -> Any:
    """Count how often each pair of labels occurs: the ``(rows, columns)`` table of two label blocks.

    Pairs with a label outside ``[low, low + rows)`` or ``[low, low + columns)`` are only counted: the range
    may be a guess, or the caller's array may have changed since it was found. Four private tables take turns,
    so that equal neighbours do not wait for each other's counter.

    Returns
    -------
    table, number of pairs that were outside, and where there are any the ends of ``a`` and of ``b``
    """
    # a negative offset is a huge one when unsigned, so one comparison holds both ends
    height, width = np.uint64(rows), np.uint64(columns)
    private = np.zeros((4, rows * columns), dtype=np.int64)
    strays = 0
    for i in range(a.shape[0]):
        row = np.uint64(a[i] - low_a)
        column = np.uint64(b[i] - low_b)
        if row < height and column < width:
            private[i & 3, row * width + column] += 1
        else:
            strays += 1
    ends = np.zeros(4, dtype=np.int64)
    if strays > 0:  # rare, and a look of its own, since more in the loop above would slow it down
        ends[0], ends[1] = low_and_high(a)
        ends[2], ends[3] = low_and_high(b)
    return private.sum(axis=0).reshape(rows, columns), strays, ends
