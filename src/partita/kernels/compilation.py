"""Which form of a kernel runs: its Python code as it stands, or what numba makes of it.

Compiling takes seconds, once; small work is done sooner without. One rule decides, by an estimate of the work
that looks at nothing but the arguments: the same input always runs the same form, whatever is in the cache.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from partita import kernels
from partita.errors import TooLargeError

PLAIN_STEPS = 1_000_000
"""Passes through innermost loops up to which Python itself is quick enough: about half a second."""

STEPS_WITHOUT_NUMBA = 300 * PLAIN_STEPS
"""The same where numba is not installed: about two minutes."""

REGISTERED: list[Kernel] = []
"""Every kernel of the modules imported so far."""

_building = threading.RLock()
_namespaces: dict[tuple[str, str], dict[str, Any]] = {}


class Kernel:
    """A loop in two forms; a call runs the one that the work asks for.

    A kernel that calls another calls the same form of it. One without an estimate of its work serves others.
    """

    def __init__(
        self,
        function: FunctionType,
        options: dict[str, Any],
        work: Callable[..., float] | None,
        calls: int,
        examples: Callable[[np.random.Generator], Iterable[tuple[Any, ...]]] | None,
        small: FunctionType | None,
        reads: Sequence[int],
    ) -> None:
        functools.update_wrapper(self, function)
        self.function, self.options, self.small = function, options, small
        self.work, self.calls, self.examples, self.reads = work, calls, examples, frozenset(reads)
        REGISTERED.append(self)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def name(self) -> str:
        """Module and function."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"

    def __call__(self, *args: Any) -> Any:
        """Run the form that the work asks for."""
        return self._run(1, *args)

    def times(self, calls: int) -> Callable[..., Any]:
        """The same kernel for someone who knows that so many times the usual calls will come."""
        return functools.partial(self._run, calls)

    def is_compiled(self, times: int, *args: Any) -> bool:
        """Whether so many times the usual calls run the compiled form; an error where they cannot."""
        steps = times * self.steps(*args)
        if steps <= PLAIN_STEPS or (steps <= STEPS_WITHOUT_NUMBA and not has_numba()):
            return False
        if not has_numba():
            raise _too_large(steps)
        return True

    def _run(self, times: int, *args: Any) -> Any:
        if self.is_compiled(times, *args):
            return self.compiled(*self.typed(args))
        with np.errstate(all="ignore"):
            return self.plain(*args)

    def steps(self, *args: Any) -> float:
        """An estimate of the passes through innermost loops, of this call and those that come with it."""
        return 0.0 if self.work is None else self.calls * float(self.work(*args))

    def typed(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments as the compiled form takes them: what is only read is read-only, so one form serves."""
        return tuple(_read_only(arg) if place in self.reads else arg for place, arg in enumerate(args))

    @property
    def plain(self) -> Any:
        """The form that Python runs."""
        return _namespace(self.function.__module__, "plain")[self.function.__name__]

    @property
    def compiled(self) -> Any:
        """The form that numba compiles when it is first called."""
        return _namespace(self.function.__module__, "compiled")[self.function.__name__]


def kernel(
    *,
    work: Callable[..., float] | None = None,
    calls: int = 1,
    examples: Callable[[np.random.Generator], Iterable[tuple[Any, ...]]] | None = None,
    small: Any = None,
    reads: Sequence[int] = (),
    **options: Any,
) -> Callable[[Any], Any]:
    """Make a function a kernel.

    Parameters
    ----------
    work : callable, optional
        From the arguments an estimate of the passes through innermost loops. None: it only serves others.
    calls : int
        How many such calls come together, as a rule: one that is part of an iteration is never alone.
    examples : callable, optional
        Given a generator, argument tuples of every type that it is called with.
    small : callable, optional
        What to run uncompiled instead of the loop itself: the same result by array operations. One of another
        module is taken as it is: it calls no kernel.
    reads : sequence of int
        Positions of arrays that it does not write.
    options
        For numba.
    """
    return lambda function: Kernel(function, options, work, calls, examples, small, reads)


def _namespace(module: str, form: str) -> dict[str, Any]:
    """The names of a module, each kernel in that form; functions in it see each other's same form."""
    with _building:
        if (module, form) not in _namespaces:
            names = dict(vars(sys.modules[module]))
            _namespaces[module, form] = names
            for name, value in list(names.items()):
                if not isinstance(value, Kernel):
                    continue
                if value.function.__module__ != module:
                    names[name] = value.plain if form == "plain" else value.compiled
                elif form == "plain":
                    plain = value.small or value.function
                    names[name] = _rebound(plain, names) if plain.__module__ == module else plain
                else:
                    names[name] = _dispatcher(value, _rebound(value.function, names))
        return _namespaces[module, form]


def _rebound(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    """The function with other globals."""
    bound = FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    bound.__qualname__, bound.__module__ = function.__qualname__, function.__module__
    bound.__doc__ = function.__doc__
    return bound


def _dispatcher(kernel: Kernel, function: FunctionType) -> Any:
    """What numba compiles when it is called, and keeps on disk where it finds a place.

    A kernel that only serves others is part of what is kept of them, and needs no door to Python.
    """
    import numba

    njit: Any = numba.njit
    options = {"nogil": True, "boundscheck": False, **kernel.options}
    if kernel.examples is None:
        return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # no folder can be written to: compiled anew in each process
        return njit(**options)(function)


def has_numba() -> bool:
    """Whether numba can be imported; it is then heard when it compiles."""
    with _building:  # two threads that import numba at once see halves of it
        return _has_numba()


@functools.cache
def _has_numba() -> bool:
    try:
        from numba.core import event
    except ImportError:
        return False

    class Listener(event.Listener):
        told = False

        def on_start(self, event: Any) -> None:  # noqa: ARG002 (numba's signature)
            if not self.told:
                self.told = True
                kernels.announce()

        def on_end(self, event: Any) -> None:
            pass

    register: Any = event.register
    register("numba:compile", Listener())
    return True


def _too_large(steps: float) -> TooLargeError:
    return TooLargeError(
        "this is too much work without numba.",
        got=f"about {steps:.1e} steps",
        need=f"at most {STEPS_WITHOUT_NUMBA:.1e} where loops cannot be compiled",
        fix="pip install numba, or fewer objects",
    )


def _read_only(array: Any) -> Any:
    view = array.view()
    view.flags.writeable = False
    return view
