"""The only room that knows array libraries: NumPy, SciPy sparse, data frames; blocks and threads; seeds."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from partita.containers import array_of
from partita.errors import ParameterError, PartitaError, PartitionError, Phrase, Setting

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]
T = TypeVar("T")

BLOCK_ROWS = 1 << 16
"""Rows of one block of memberships: enough that Python's part is small, few enough to share among threads."""

HARD_BLOCK_ROWS = 1 << 20
"""Rows of one block of labels."""

COMPILED_FROM = 100_000
"""Labels from which on compiled loops pay for being loaded."""

OPERATIONS_AT_A_TIME = 1 << 28
"""Additions and products of one compiled call, some tenths of a second; between two calls Ctrl-C is heard."""

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
    if values.dtype != np.float64:
        return 0  # all single-precision numbers are ordinary
    least, largest = np.inf, 0.0
    for rows in blocks(len(values), max(1, (1 << 18) // max(values[0].size, 1))):
        sizes = np.abs(values[rows])
        largest = max(largest, float(sizes.max()))
        if sizes.min() < 2.0**-ORDINARY:
            least = min(least, float(sizes.min(where=sizes > 0, initial=np.inf)))
    if largest == 0 or (least >= 2.0**-ORDINARY and 2.0**-ORDINARY <= largest <= 2.0**ORDINARY):
        return 0
    return int(np.frexp(largest)[1]) - ORDINARY


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


# --- blocks and threads -----------------------------------------------------------------------------


def blocks(n: int, rows: int) -> Iterator[slice]:
    """Cut ``n`` rows into slices of a fixed size, whatever the number of threads."""
    for start in range(0, n, rows):
        yield slice(start, min(start + rows, n))


_alone: ContextVar[bool] = ContextVar("_alone", default=False)


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for everything inside: ours, BLAS and OpenMP. So the fits of a sweep run, on any worker."""
    before = _alone.set(True)
    try:
        with _thread_controller(len(sys.modules)).limit(limits=1):
            yield
    finally:
        _alone.reset(before)


@lru_cache(maxsize=4)
def _thread_controller(n_modules: int) -> Any:  # noqa: ARG001 (a new module may bring a new library)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def thread_count() -> int:
    """All cores of this process; one inside a worker process or thread; ``PARTITA_NUM_THREADS`` overrides."""
    if _alone.get():
        return 1
    asked = os.environ.get("PARTITA_NUM_THREADS")
    if asked is not None:
        if not (asked.isascii() and asked.isdigit()) or int(asked) < 1:
            raise ParameterError(
                "PARTITA_NUM_THREADS is not a number of threads.", got=repr(asked), need="a whole number >= 1"
            )
        return int(asked)
    in_worker = multiprocessing.current_process().name != "MainProcess"
    if in_worker or threading.current_thread() is not threading.main_thread():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_blocks(
    work: Callable[[slice], T],
    n: int,
    rows: int,
    on_block: Callable[[int, int], None] | None = None,
    *,
    products: bool = False,
) -> list[T]:
    """Apply ``work`` to every block on a pool of threads; results come back in block order.

    ``products`` says that the work multiplies matrices: BLAS then keeps to one thread, since its own
    threads would fight with ours, and their number would change last bits.
    """
    slices = list(blocks(n, rows))
    threads = min(thread_count(), len(slices))
    with one_blas_thread() if products else nullcontext():
        if threads <= 1:
            return _gather(map(held(work), slices), len(slices), on_block)
        return _gather(_pool(thread_count()).map(work, slices), len(slices), on_block)


def held(work: Callable[..., T]) -> Callable[..., T]:
    """The same work, during which Ctrl-C waits.

    Numba runs Python code when it wraps the arrays that a loop returns. An interrupt that came during the
    loop is raised there, where nothing looks for it: it ends in a SystemError, or the process crashes.
    """

    def calmly(*args: Any) -> T:
        usual = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(usual):
            return work(*args)  # only the main thread hears signals
        came: list[tuple[int, Any]] = []
        signal.signal(signal.SIGINT, lambda *what: came.append(what))
        try:
            return work(*args)
        finally:
            signal.signal(signal.SIGINT, usual)
            if came:
                usual(*came[-1])

    return calmly


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """One pool for all work of this process: starting threads anew costs more than many a pass.

    Work inside it never asks for it again, since `thread_count` is one there; a forked child makes its own.
    """
    return ThreadPoolExecutor(threads, thread_name_prefix="partita")


_blas_lock = threading.RLock()
_blas_users: Counter[int] = Counter()
"""How often each thread holds BLAS to one thread now, by its identity."""
_blas_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread; of several that ask at once, the first sets the limit, the last lifts it."""
    global _blas_limit
    own = threading.get_ident()
    with _blas_lock:
        if not _blas_users:
            _blas_limit = _thread_controller(0).limit(limits=1, user_api="blas")
        _blas_users[own] += 1
    try:
        yield
    finally:
        with _blas_lock:
            _leave_blas(own, _blas_users[own] - 1)


def _leave_blas(thread: int, remaining: int) -> None:
    """Write down how often a thread still holds BLAS to one thread; the last lifts the limit."""
    if remaining:
        _blas_users[thread] = remaining
    elif _blas_users.pop(thread, 0) and not _blas_users:
        _blas_limit.restore_original_limits()


def _in_forked_child() -> None:
    """Only the thread that forked lives on: the others' pool, and their hold on BLAS, are gone."""
    _pool.cache_clear()
    for thread in set(_blas_users) - {threading.get_ident()}:
        _leave_blas(thread, 0)
    _blas_lock.release()


if hasattr(os, "register_at_fork"):
    # a lock that another thread holds would stay locked in the child for ever, so it is taken first
    os.register_at_fork(
        before=_blas_lock.acquire, after_in_parent=_blas_lock.release, after_in_child=_in_forked_child
    )


def _gather(results: Iterator[T], total: int, on_block: Callable[[int, int], None] | None) -> list[T]:
    done: list[T] = []
    for result in results:
        done.append(result)
        if on_block is not None:
            on_block(len(done), total)
    return done


# --- what kind of thing is this? --------------------------------------------------------------------


def is_sparse(obj: Any) -> bool:
    """Whether this is a SciPy sparse array or matrix; SciPy is not imported to find out."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(obj))


def to_csr(obj: Any) -> Any:
    """A CSR array in canonical form, in double precision unless it is single already."""
    from scipy.sparse import csr_array

    matrix = csr_array(obj)
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
    """A dense array in double precision of a dense or sparse matrix."""
    return np.asarray(values.toarray() if is_sparse(values) else values, dtype=np.float64)


FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")


def frame_library(obj: Any) -> str | None:
    """The library of a series, index or data frame, or None; nothing is imported to find out."""
    ancestors = {ancestor.__module__.split(".")[0] for ancestor in type(obj).__mro__}
    library = next((name for name in FRAME_LIBRARIES if name in ancestors and name in sys.modules), None)
    return library if library is not None and _native_frame(obj, library) is not None else None


def _native_frame(obj: Any, library: str) -> Any:
    """The object as a series or frame that narwhals reads, or None when it is neither."""
    module: Any = sys.modules[library]
    if library == "polars":
        return obj if isinstance(obj, (module.Series, module.DataFrame, module.LazyFrame)) else None
    if library == "pyarrow":
        if isinstance(obj, module.Array):
            return module.chunked_array([obj])
        if isinstance(obj, module.RecordBatch):
            return module.Table.from_batches([obj])
        return obj if isinstance(obj, (module.Table, module.ChunkedArray)) else None
    if isinstance(obj, module.Index):
        return module.Series(obj.to_flat_index())
    if isinstance(obj, module.api.extensions.ExtensionArray):
        return module.Series(obj)
    return obj if isinstance(obj, (module.Series, module.DataFrame)) else None


class Column:
    """A one-dimensional labelled column taken out of a series: values, categories and object index."""

    def __init__(self, values: Array, categories: list[Any] | None, index: Any) -> None:
        self.values = values
        self.categories = categories
        self.index = index


class Matrix:
    """A two-dimensional block taken out of a data frame: values, column names and object index."""

    def __init__(self, values: Array, names: list[Any], index: Any) -> None:
        self.values = values
        self.names = names
        self.index = index


def from_frame(obj: Any) -> Column | Matrix:
    """Take a pandas, polars or pyarrow series or frame apart.

    A frame with one column is that column. Categories keep their order, and the unused ones.
    """
    import narwhals as nw

    values = _uniform(obj)
    if values is not None and not np.isnan(values).any():
        return Matrix(values, list(obj.columns), obj.index)
    native = _opened(obj, PartitionError)
    index = obj.index if hasattr(obj, "index") and hasattr(obj, "iloc") else None
    if isinstance(native, nw.Series):
        return _column(native, index)
    columns = [native.get_column(name) for name in native.columns]
    if len(columns) == 1:
        return _column(columns[0], index)
    bad = [c.name for c in columns if not _is_numeric(c)]
    if bad:
        raise PartitionError(
            "a frame with several columns is read as a matrix of memberships, and these are not numbers.",
            got=f"columns {', '.join(map(repr, bad[:5]))}",
            need="one column of labels, or numeric columns only",
            fix="frame[column] for labels, or drop the columns that are no clusters (an id, a name)",
        )
    missing = [c.name for c in columns if c.null_count()]
    if missing:
        raise PartitionError(
            "memberships are missing.",
            got=f"nulls in columns {', '.join(map(repr, missing[:5]))}",
            need="a number in every cell",
        )
    wide = [c.name for c in columns if _is_wide(c)]
    narrow = native.with_columns(nw.col(*wide).cast(nw.Float64)) if wide else native
    cells = narrow.to_numpy() if columns else np.zeros((len(native), 0))
    return Matrix(cells, list(native.columns), index)


def _uniform(obj: Any) -> Array | None:
    """The values of a pandas frame with one NumPy type of numbers in all of its columns, of at least two.

    Column by column, as all other frames are read, takes a minute where there are tens of thousands.
    """
    if frame_library(obj) != "pandas" or obj.ndim != 2 or obj.shape[1] < 2 or not obj.columns.is_unique:
        return None
    types = set(obj.dtypes)
    is_plain = len(types) == 1 and all(isinstance(t, np.dtype) and t.kind in "biuf" for t in types)
    return obj.to_numpy() if is_plain else None


def _opened(obj: Any, error: type[PartitaError]) -> Any:
    """A series or frame as narwhals reads it, computed where it was lazy."""
    import narwhals as nw

    try:
        native: Any = nw.from_native(_native_frame(obj, frame_library(obj) or ""), allow_series=True)
    except nw.exceptions.DuplicateError:
        raise error(
            "two columns of the frame have the same name.",
            got=f"columns {list(obj.schema.names if hasattr(obj, 'schema') else obj.columns)[:8]}",
            need="one name for each column",
        ) from None
    if not isinstance(native, nw.LazyFrame):
        return native
    try:
        return native.collect()
    except Exception as problem:  # noqa: BLE001 (whatever its plan meets)
        raise error(
            "this lazy frame cannot be computed.",
            got=str(problem).partition("\n")[0],
            need="a frame of values",
        ) from None


def numeric_frame(obj: Any) -> tuple[Array, list[Any], Any]:
    """The columns of a series or frame as an ``(n, d)`` array, their names, and the object index."""
    import narwhals as nw

    uniform = _uniform(obj)
    if uniform is not None:
        single = uniform.dtype == np.float32
        return uniform if single else uniform.astype(np.float64), list(obj.columns), obj.index
    native = _opened(obj, ParameterError)
    if isinstance(native, nw.Series):
        native = native.to_frame()
    columns = [native.get_column(name) for name in native.columns]
    bad = [c.name for c in columns if not _is_numeric(c)]
    if bad:
        raise ParameterError(
            "some columns of X are not numbers.",
            got=f"columns {', '.join(map(repr, bad[:5]))}",
            need="numeric columns only",
            fix="encode them, or leave them out (an id, a label, a name)",
        )
    index = obj.index if hasattr(obj, "index") and hasattr(obj, "iloc") else None
    narrow = [c.cast(nw.Float64) if _is_wide(c) else c for c in columns]
    values = [np.asarray(c.to_numpy(), dtype=np.float64) for c in narrow]  # a null becomes nan
    is_single = all(c.dtype == nw.Float32 for c in columns)
    made = np.stack(values, axis=1) if values else np.zeros((len(native), 0))
    return made.astype(np.float32) if is_single else made, list(native.columns), index


def _is_numeric(column: Any) -> bool:
    import narwhals as nw

    if column.dtype == nw.Unknown:  # pandas' sparse columns are not known to narwhals
        return column.to_numpy().dtype.kind in "biuf"
    return bool(column.dtype.is_numeric() or column.dtype == nw.Boolean)


def _is_wide(column: Any) -> bool:
    """Whether NumPy has no numbers of this type."""
    import narwhals as nw

    return isinstance(column.dtype, (nw.Int128, nw.UInt128, nw.Decimal))


def _column(series: Any, index: Any) -> Column:
    import narwhals as nw

    missing = int(series.null_count())
    if missing:
        raise missing_labels(missing, len(series))
    if len(series) and isinstance(series.dtype, (nw.Categorical, nw.Enum)):
        return Column(objects(series.to_list()), _categories(series), index)
    if isinstance(series.dtype, (nw.Datetime, nw.Struct, nw.List, nw.Array)) or _is_wide(series):
        return Column(objects(series.to_list()), None, index)
    return Column(np.asarray(series.to_numpy()), None, index)


def _categories(series: Any) -> list[Any] | None:
    """All categories in their order, or None where the library only knows those in use."""
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "categories"):
        return list(native.cat.categories)
    if hasattr(native, "unify_dictionaries"):
        return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist())
    categories = getattr(series.dtype, "categories", None)
    return None if categories is None else list(categories)


def objects(items: Sequence[Any]) -> Array:
    """An object array with these items, even when they are sequences themselves."""
    return np.fromiter(items, dtype=object, count=len(items))


def missing_labels(missing: int, n: int) -> PartitionError:
    """The error for labels with None or NaN among them."""
    return PartitionError(
        "labels are missing.",
        got=f"{missing} of {n} labels are None or NaN",
        need="a label for every object",
        fix="drop these objects on both sides, or use -1 (noise) beside non-negative integers",
    )


# --- weights ----------------------------------------------------------------------------------------


LEAST_WEIGHT, MOST_WEIGHT = 1e-30, 1e30
"""A weight is 0 or lies between these, and so does the sum of all: fourth powers of it are then numbers."""


def multiplicities(sample_weight: Any, n: int | None = None) -> Array:
    """Weights as an array: each 0 or between 1e-30 and 1e30, the sum too; whole numbers stay whole.

    Whole numbers are counts, in 64 bits, as long as their sum is below 2^53; above that they are floats.
    """
    if isinstance(sample_weight, np.ma.MaskedArray) and np.ma.is_masked(sample_weight):
        raise ParameterError(
            "some weights are masked.", got="a masked array", need="a weight for every object"
        )
    try:
        weight = array_of(sample_weight)
    except (ValueError, TypeError):
        weight = np.empty(0, dtype=object)
    if weight.ndim != 1 or weight.dtype.kind not in "iufb" or n not in (None, weight.size):
        raise ParameterError(
            Phrase(Setting("sample_weight"), " is not a list of numbers, one for each object."),
            got=f"array of shape {weight.shape}, dtype {weight.dtype}",
            need="one number for each object" if n is None else f"{n} numbers, one for each object",
        )
    with np.errstate(over="ignore"):  # long double may hold more
        real = weight.astype(np.float64)
        total = real.sum()
    in_range = (real == 0.0) | ((real >= LEAST_WEIGHT) & (real <= MOST_WEIGHT))
    if not (in_range.all() and 0.0 < total <= MOST_WEIGHT):
        raise ParameterError(
            Phrase(Setting("sample_weight"), " cannot be multiplicities."),
            got=f"a weight of {real[~in_range][0]:g}" if not in_range.all() else f"a sum of {total:g}",
            need=f"weights of 0 or between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}, as is their sum; not all 0",
            fix="divide all by one number, and set what is next to nothing to 0",
        )
    whole = (real == np.floor(real)).all() and total < 2.0**53
    return weight.astype(np.int64) if whole else real


def check_flag(value: Any, name: str) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, (bool, np.bool_)):
        what = Phrase(Setting(name), " cannot be this.")
        raise ParameterError(what, got=repr(value), need="True or False")


# --- random state -----------------------------------------------------------------------------------


def generator(random_state: Any) -> np.random.Generator:
    """Turn None, a whole number, a SeedSequence, a Generator or an old RandomState into a Generator."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 1 << 32, size=4, dtype=np.uint32))
    if random_state is None or isinstance(random_state, np.random.SeedSequence):
        return np.random.default_rng(random_state)
    if (
        isinstance(random_state, (int, np.integer))
        and not isinstance(random_state, bool)
        and random_state >= 0
    ):
        return np.random.default_rng(int(random_state))
    raise ParameterError(
        Phrase(Setting("random_state"), " is not a seed."),
        got=repr(random_state),
        need="None, a whole number >= 0, or a numpy Generator",
    )
