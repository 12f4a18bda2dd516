"""Dense and sparse arrays: views, conversions, and the tolerances of rounding."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from partita.arrays.row_blocks import blocks
from partita.errors import ParameterError, PartitionError, TooLargeError

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]

MOST_DENSE_CELLS = 1 << 28
"""The largest dense matrix that is made of something smaller without being asked for: 2 GiB."""

ROW_SUM_TOLERANCE = {"float64": 1e-6, "float32": 1e-4, "float16": 1e-2}
"""How far a row of memberships may be from one, by the precision it came in."""

ORDINARY = 400
"""Numbers from 2^-400 to 2^400 in size: their squares, and sums of many, neither overflow nor vanish."""

RANGE_TOLERANCE = 1e-9
"""How far rounding may carry a membership or an index value past the end of its range."""


def row_sum_tolerance(values: Any) -> float:
    """The tolerance for rows that should sum to one, by the precision of the values."""
    return ROW_SUM_TOLERANCE.get(values.dtype.name, ROW_SUM_TOLERANCE["float64"])


def read_only(values: Array) -> Array:
    """A view that cannot be written through."""
    view = values.view()
    view.flags.writeable = False
    return view


def binary_exponent(values: Array) -> int:
    """The e for which ``values * 2 ** -e``, an exact product, can be squared; 0 for ordinary numbers.

    The largest is then about ``2 ** ORDINARY``, so that only differences below 2^-910 of it vanish when
    squared.
    """
    return exponent_between(*ends_of_sizes(values))


def ends_of_sizes(values: Array) -> tuple[float, float]:
    """The smallest size of a number that is not 0, where that is not ordinary (else inf), and the largest."""
    least, largest = np.inf, 0.0
    if values.dtype != np.float64 or not values.size:
        return least, largest  # all single-precision numbers are ordinary
    for rows in blocks(len(values), max(1, (1 << 18) // max(values[0].size, 1))):
        sizes = np.abs(values[rows])
        largest = max(largest, float(sizes.max()))
        if sizes.min() < 2.0**-ORDINARY:
            least = min(least, float(sizes.min(where=sizes > 0, initial=np.inf)))
    return least, largest


def exponent_between(least: float, largest: float) -> int:
    """The exponent for numbers of these sizes."""
    if largest == 0 or (least >= 2.0**-ORDINARY and 2.0**-ORDINARY <= largest <= 2.0**ORDINARY):
        return 0
    return int(np.frexp(largest)[1]) - ORDINARY


def is_sparse(obj: Any) -> bool:
    """Whether this is a SciPy sparse array or matrix; SciPy is not imported to find out."""
    if type(obj) is np.ndarray:
        return False
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(obj))


def inside_its_shape(obj: Any) -> Any:
    """A sparse matrix whose indices are; SciPy would read and write memory that is not its own."""
    if getattr(obj, "format", "") not in ("csr", "csc", "bsr", "coo"):  # others keep no lists of indices
        return obj
    try:
        checked = type(obj)(obj)  # the check changes attributes
        if obj.format != "coo":  # which was looked at just now
            checked.check_format()
    except ValueError as problem:
        raise ParameterError(
            "this sparse matrix is damaged.",
            got=str(problem),
            need=f"indices inside its shape {obj.shape}",
        ) from None
    return checked


def to_csr(obj: Any) -> Any:
    """A CSR array in canonical form, in double precision unless it is single already."""
    from scipy.sparse import csr_array

    matrix = csr_array(inside_its_shape(obj))
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiub":
        raise PartitionError(
            "this sparse array holds no memberships.",
            got=f"array of shape {matrix.shape}, dtype {matrix.dtype}",
            need="an (n, k) matrix of numbers",
        )
    if matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()  # the caller's arrays are shared until here
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    matrix.data, matrix.indices, matrix.indptr = map(read_only, (matrix.data, matrix.indices, matrix.indptr))
    return matrix


def dense(values: Any) -> Array:
    """A dense array in double precision of a dense or sparse matrix; refused where it would not fit."""
    if not is_sparse(values):
        return np.asarray(values, dtype=np.float64)
    rows, columns = values.shape
    if rows * columns > MOST_DENSE_CELLS:
        raise TooLargeError(
            "this sparse matrix does not fit when written out, as is needed here.",
            got=f"matrix of shape {values.shape}, {values.nnz} cells filled",
            need=f"at most {MOST_DENSE_CELLS} cells in all",
            fix="an index that stays sparse (ARI, NMI, VI), or fewer objects: .take(rows)",
        )
    return np.asarray(values.toarray(), dtype=np.float64)


def one_hot(codes: Array, k: int) -> Any:
    """The CSR array with a 1 in each row, at the place that its code names."""
    from scipy.sparse import csr_array

    n = len(codes)
    return csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, k))


def stacked(parts: Sequence[Any]) -> Any:
    """The rows of several dense or of several sparse arrays, below each other."""
    if len(parts) == 1:
        return parts[0]
    if is_sparse(parts[0]):
        from scipy.sparse import vstack

        return vstack(parts, format="csr")
    return np.concatenate(parts)


def divided_by_row_sums(values: Any) -> Any:
    """Rows with sums of one, as partitions mean them: they may be off by the precision they came in."""
    sums = np.asarray(values.sum(axis=1, dtype=np.float64)).reshape(-1, 1)
    return values.multiply(1.0 / sums).tocsr() if is_sparse(values) else values / sums


def objects(items: Sequence[Any]) -> Array:
    """An object array with these items, even when they are sequences themselves."""
    return np.fromiter(items, dtype=object, count=len(items))


def sorted_names(names: Iterable[Any]) -> tuple[Any, ...]:
    """Distinct names in an order that depends on them alone; by type first if they do not compare."""
    listed = list(names)
    try:
        ordered = sorted(listed)
        if all(a < b for a, b in pairwise(ordered)):  # sets compare too, but not each with each
            return tuple(ordered)
    except (TypeError, ValueError):
        pass
    return tuple(sorted(listed, key=lambda name: (type(name).__name__, repr(name))))
