"""A hash of data, options, functions and estimators: the same in every process, another for other work.

Everything is taken apart down to plain values. Functions and classes of one's own count whole: code,
constants, defaults, closures, inner functions, and the globals they refer to, taken apart in their turn. What
an installed library defines counts by its name and the library's version. The rest is refused.
"""

from __future__ import annotations

import builtins
import copyreg
import dis
import functools
import hashlib
import importlib
import inspect
import pickle
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, EllipsisType, FunctionType, MappingProxyType, ModuleType, NotImplementedType
from typing import Any

import numpy as np

from partita.errors import ParameterError

PLAIN = (str, bytes, bool, int, float, complex, type(None), EllipsisType, NotImplementedType)
HOLDERS: dict[type, tuple[str, ...]] = {
    property: ("fget", "fset", "fdel"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    functools.cached_property: ("func",),
    functools._lru_cache_wrapper: ("__wrapped__",),
}
"""What these hold counts, not the lock or the store beside it."""

COUNTS = "co_argcount co_posonlyargcount co_kwonlyargcount co_flags"
NAMES = "co_name co_names co_varnames co_freevars co_cellvars"
NOT_CODE = {
    *("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__annotate_func__"),
    *("__annotations_cache__", "__firstlineno__", "__static_attributes__", "_abc_impl", "__slotnames__"),
}
"""What stands in a class beside its code and values."""

UNBOUNDED = ("eval", "exec", "globals", "vars", "locals", "__import__")
"""Builtins by which a function may use what its code does not name."""


def fingerprint(*parts: Any) -> str:
    """The hash of some parts.

    Arrays count by shape, type and bytes, an estimator by its class and parameters; not by its
    ``random_state``, which every fit sets anew.
    """
    try:
        return _Fingerprints().of(parts).hex()
    except RecursionError:
        raise _refused("options", "they are nested too deeply") from None


class _Uses:
    """A module of one's own, and the names that a function may use of it."""

    def __init__(self, module: ModuleType, names: frozenset[str]) -> None:
        self.module, self.names = module, names


class _Fingerprints:
    """The hashes of what was met on the way, so that nothing is taken apart twice."""

    def __init__(self) -> None:
        self._met: dict[int, tuple[Any, bytes]] = {}  # with the object, which keeps its id
        self._uses: dict[tuple[str, frozenset[str]], _Uses] = {}
        self._depth = 0

    def of(self, obj: Any) -> bytes:
        """The hash of one object; something inside refers back to it by its depth."""
        if type(obj) in PLAIN:
            return _hash(f"{type(obj).__name__} {hex(obj) if type(obj) is int else obj!r}")
        if id(obj) in self._met:
            return self._met[id(obj)][1]
        self._met[id(obj)] = obj, _hash(f"what is around, at depth {self._depth}")
        self._depth += 1
        hashed = self._hash(obj)
        self._depth -= 1
        self._met[id(obj)] = obj, hashed
        return hashed

    def _whole(self, kind: str, parts: Iterable[Any]) -> bytes:
        hashes = [self.of(part) for part in parts]
        return _hash(f"{kind} {len(hashes)}", *hashes)

    def _hash(self, obj: Any) -> bytes:
        kind = type(obj)
        if isinstance(obj, np.generic) and type(obj.item()) in PLAIN:
            return self.of(obj.item())
        if kind is np.ndarray:
            inside = obj.ravel().tolist() if obj.dtype.hasobject else ()
            content = b"" if obj.dtype.hasobject else np.ascontiguousarray(obj).tobytes()
            return _hash(f"array {obj.shape} {obj.dtype!r}", content, self._whole("", inside))
        if kind in (list, tuple):
            return self._whole(kind.__name__, obj)
        if kind in (dict, MappingProxyType):
            return self._whole("dict", [part for item in obj.items() for part in item])
        if kind in (set, frozenset):
            return _hash(kind.__name__, *sorted(self.of(part) for part in obj))
        if kind in HOLDERS:
            return self._whole(kind.__name__, [getattr(obj, name) for name in HOLDERS[kind]])
        if kind is CodeType:
            return self._of_code(obj)
        if kind is _Uses:
            held = vars(obj.module)
            names = sorted(name for name in obj.names if name in held)
            return self._whole(obj.module.__name__, [self._used(held[n], obj.names) for n in names])
        if kind is ModuleType:
            return _hash(_of_library(obj.__name__) or _stop(obj, "it is a whole module"))
        name = _library_name(obj)
        if name:
            return _hash(name)
        if kind is FunctionType:
            return self._of_function(obj)
        if isinstance(obj, type):
            return self._of_class(obj)
        if hasattr(obj, "get_params"):
            given = obj.get_params(deep=False)
            kept = [item for item in sorted(given.items()) if item[0] != "random_state"]
            return self._whole("estimator", [kind, *kept])
        if hasattr(obj, "py_func") and hasattr(obj, "targetoptions"):  # a function compiled by numba
            return self._whole("compiled", [obj.py_func, obj.targetoptions])
        return self._of_object(obj)

    def _of_code(self, code: CodeType) -> bytes:
        listed = [[getattr(code, name) for name in names.split()] for names in (COUNTS, NAMES)]
        exceptions = getattr(code, "co_exceptiontable", b"")
        return self._whole("code", [code.co_code, exceptions, code.co_consts, *listed])

    def _of_function(self, function: Any) -> bytes:
        codes = list(_codes(function.__code__))
        names = frozenset(name for code in codes for name in code.co_names)
        wanted = {name for code in codes for name in _globals_of(code)}
        held = [_content(cell) for cell in function.__closure__ or ()]
        known = {**vars(builtins), **function.__globals__}
        for name in UNBOUNDED:
            if name in wanted and known.get(name) is getattr(builtins, name):
                _stop(function, f"it calls {name}, and may use anything")
        used = [(name, name in known, known.get(name)) for name in sorted(wanted)]
        modules = [_imported(module, function) for code in codes for module in _imports_of(code)]
        parts = [
            (function.__module__, function.__qualname__),
            function.__code__,
            function.__defaults__,
            function.__kwdefaults__,
            vars(function),
            [self._used(value, names) for value in held],
            [(name, found, self._used(value, names)) for name, found, value in used],
            [self._used(module, names) for module in modules],
        ]
        return self._whole("function", parts)

    def _used(self, value: Any, names: frozenset[str]) -> Any:
        """A module of one's own counts by what a function may use of it; all else whole."""
        if type(value) is not ModuleType or _of_library(value.__name__):
            return value
        return self._uses.setdefault((value.__name__, names), _Uses(value, names))

    def _of_class(self, cls: type) -> bytes:
        held = {name: value for name, value in vars(cls).items() if name not in NOT_CODE}
        slots = [name for name, value in held.items() if inspect.isdatadescriptor(value) and _is_slot(value)]
        own = [item for item in held.items() if item[0] not in slots]
        name = f"{cls.__module__}.{cls.__qualname__}"
        return self._whole("class", [name, type(cls), cls.__bases__, slots, own])

    def _of_object(self, obj: Any) -> bytes:
        """Any other object: by what it would be pickled as, taken apart."""
        reduce = copyreg.dispatch_table.get(type(obj))
        try:
            reduced = obj.__reduce_ex__(4) if reduce is None else reduce(obj)
        except RecursionError:
            raise
        except Exception as problem:  # noqa: BLE001 (whatever its class raises, it cannot be taken apart)
            _stop(obj, str(problem).partition("\n")[0])
        if isinstance(reduced, str):
            module = pickle.whichmodule(obj, reduced)  # type: ignore[attr-defined]
            return _hash(_held_as(module, reduced, obj) or _stop(obj, "only its name is known"))
        made_by, arguments, state, items, pairs = (*reduced[:5], None, None, None)[:5]
        parts = [made_by, arguments, state, list(items or ()), list(pairs or ())]
        return self._whole("object", parts)


def _hash(text: str, *contents: bytes) -> bytes:
    whole = hashlib.sha256(f"{len(text)}:{text}".encode())
    for content in contents:
        whole.update(content)
    return whole.digest()


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of every function inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _globals_of(code: CodeType) -> Iterator[str]:
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval


def _imports_of(code: CodeType) -> Iterator[str]:
    """The modules that a function imports by itself, with a dot for each package to go up."""
    steps = list(dis.get_instructions(code))
    for place, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            yield "." * int(steps[place - 2].argval or 0) + step.argval


def _imported(name: str, function: Any) -> ModuleType | None:
    try:
        return importlib.import_module(name, function.__globals__.get("__package__"))
    except (ImportError, TypeError):
        return None


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled
        return NotImplemented


def _is_slot(value: Any) -> bool:
    return inspect.ismemberdescriptor(value) or inspect.isgetsetdescriptor(value)


def _library_name(obj: Any) -> str:
    """The name under which an installed library holds this very object, with its version, or nothing."""
    module, name = getattr(obj, "__module__", None), getattr(obj, "__qualname__", None)
    return _held_as(module, name, obj) if isinstance(module, str) and isinstance(name, str) else ""


def _held_as(module: str, name: str, obj: Any) -> str:
    library = _of_library(module)
    found: Any = sys.modules.get(module) if library else None
    for part in name.split("."):
        found = getattr(found, part, None)
    is_held = found is obj or (callable(found) and inspect.unwrap(found) is obj)
    return f"{module}.{name} {library}" if is_held else ""


@functools.cache
def _of_library(module: str) -> str:
    """The installed library that a module is part of, with its version; nothing for one's own modules."""
    top = module.partition(".")[0]
    if top in sys.builtin_module_names or (top in sys.stdlib_module_names and top != "__main__"):
        return f"{module} of Python {sys.version_info[:2]}"
    found = sys.modules.get(top)
    places = [getattr(found, "__file__", None), *getattr(found, "__path__", ())]
    folders = {part for place in places if place for part in Path(place).parts}
    if top == "partita" or folders & {"site-packages", "dist-packages"}:
        return f"{module} of {top} {getattr(found, '__version__', '')}"
    return ""


def _stop(obj: Any, reason: str) -> Any:
    raise _refused(f"{type(obj).__name__} {getattr(obj, '__qualname__', '')}".strip(), reason)


def _refused(got: str, reason: str) -> ParameterError:
    return ParameterError(
        "a checkpoint could not tell this from something else of its kind.",
        got=f"{got}: {reason}",
        need="an estimator of plain values, arrays, and functions and classes whose code can be read whole",
        fix="no checkpoint, or a function that gets what it uses as arguments",
    )
