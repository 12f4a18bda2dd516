"""What may hold numbers: arrays, buffers and lists. Anything else is refused before it is gone through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

DEEPEST = 64
"""The most dimensions of a NumPy array: what lies deeper in lists, it does not look at."""


def array_of(values: Any) -> NDArray[Any]:
    """A NumPy array of an array, a buffer, or lists of these or of numbers.

    TypeError or ValueError for all else, at once: NumPy would go through an object of another library item by
    item, for as long as that takes.
    """
    refuse_foreign(values)
    try:
        return np.from_dlpack(values) if _speaks_dlpack_only(values) else np.asarray(values)
    except (TypeError, ValueError, MemoryError):
        raise
    except Exception as problem:  # noqa: BLE001 (a class may raise anything when asked for its values)
        raise TypeError(f"{type(problem).__name__}: {problem}") from None


def doubles_of(values: Any) -> Any:
    """An array in double precision, nan for None; TypeError or ValueError where something is no number."""
    try:
        with np.errstate(over="ignore"):
            return values.astype(np.float64)
    except (TypeError, ValueError, MemoryError):
        raise
    except Exception as problem:  # noqa: BLE001 (so may a class that is asked for a number)
        raise ValueError(f"{type(problem).__name__}: {problem}") from None


def refuse_foreign(values: Any) -> None:
    """TypeError for what is no array, buffer, list or scalar, and for masked cells, however deep in lists."""
    if isinstance(values, np.ndarray):
        if values.dtype.hasobject and any(item is np.ma.masked for item in values.flat):
            raise TypeError("masked cells")
        return
    level: list[Any] = [values]
    for _ in range(DEEPEST):
        for item in level if _roles(level) - {"known", "list"} else ():
            kind: Any = type(item)
            if _role(kind) == "foreign" and not _has_buffer(item):
                raise TypeError(f"{kind.__name__}, which is not understood")
            if _role(kind) == "masked" and np.ma.is_masked(item):
                raise TypeError("masked cells")
        lists = list({id(item): item for item in level if _role(item.__class__) == "list"}.values())
        if _roles(chain.from_iterable(lists)) <= {"known"}:
            return
        level = list(chain.from_iterable(lists))


def _roles(items: Iterable[Any]) -> set[str]:
    kinds: set[Any] = set(map(type, items))
    return set(map(_role, kinds))


@lru_cache(maxsize=256)
def _role(kind: Any) -> str:
    """How NumPy would read an object of this class; foreign ones it would ask for one item after another."""
    if issubclass(kind, np.ma.MaskedArray):
        return "masked"
    arrays = ("__array__", "__array_interface__", "__array_struct__", "__buffer__", "__dlpack__", "tocsr")
    texts = (str, bytes, bytearray, memoryview, dict)
    if issubclass(kind, texts) or any(hasattr(kind, name) for name in arrays):
        return "known"
    if issubclass(kind, Sequence):
        return "list"
    return "foreign" if hasattr(kind, "__getitem__") else "known"


def _speaks_dlpack_only(obj: Any) -> bool:
    """Whether this is a tensor that NumPy would otherwise take for an object of no known type."""
    return hasattr(type(obj), "__dlpack__") and not hasattr(type(obj), "__array__")


def _has_buffer(obj: Any) -> bool:
    try:
        memoryview(obj).release()
    except TypeError:
        return False
    return True
