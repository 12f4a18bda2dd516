"""The command line: thin commands over the public functions.

What is imported here comes before Ctrl-C can be told of in one line, so it is next to nothing.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partita.cli.group import commands

__all__ = ["commands", "main", "was_interrupted"]

INTERRUPTED = 130

AGAIN_SECONDS = 1.0
"""After which Ctrl-C is taken to be swallowed."""

_presses: list[int] = []
"""Ctrl-C, as often as it came to this process."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    The exit code is 0, or 2 where the input is wrong, which is told without a traceback, 1 where the fault is
    partita's own, and 130 after Ctrl-C.

    Parameters
    ----------
    arguments : list of str, optional
        What is typed after ``partita``. By default that of this process, which is then taken to end here.
    """
    is_process = arguments is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_process:
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
        _press_until_heard()
    code: Any = 1
    try:
        try:
            from partita.cli.group import run

            run(arguments)
        except Exception:
            if was_interrupted():
                raise KeyboardInterrupt from None
            raise
        code = 0
    except KeyboardInterrupt:
        code = INTERRUPTED
        if is_process:
            _clear_up(code)
        # Ctrl-C inside of an exec, as in the making of a namedtuple, is kept as one that nobody heard of, and
        # python -m would kill itself in the end; another exec takes that back
        exec("")  # noqa: S102
        if sys.stderr is not None:
            print("stopped", file=sys.stderr)  # noqa: T201
        sys.exit(code)
    except SystemExit as end:
        code = end.code
        raise
    finally:
        _let_go_of_a_full_output()
        if is_process:
            _clear_up(code if isinstance(code, int) else 1)


def _let_go_of_a_full_output() -> None:
    """Python would end with 120 where the error output cannot take what is left of it."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except OSError:
        sys.stderr = None


def _press_until_heard() -> None:
    """Have Ctrl-C come again each second until the command ends.

    Callbacks of compiled code, and whoever catches all that is raised, may swallow it. It comes as Ctrl-C
    does, so that work which must not be interrupted can have it wait.
    """
    if not hasattr(signal, "setitimer"):
        return

    def interrupt(number: int, frame: Any) -> None:
        _presses.append(number)
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.signal(signal.SIGINT, interrupt)


def was_interrupted() -> bool:
    """Whether Ctrl-C came: whatever ends the command then is it in disguise.

    A compiled module that it finds while it is imported fails with an ImportError.
    """
    return bool(_presses)


def _clear_up(code: int) -> None:
    """From now on Ctrl-C ends this process at once, with this code: all is told.

    Python waits for threads first, and hears Ctrl-C while it does. Then it forgets its handlers, and Ctrl-C
    would kill it, which is why it is ignored in the end.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # a closed one
            stream.flush()
    signal.signal(signal.SIGINT, lambda *_: os._exit(code))


def __getattr__(name: str) -> Any:
    """The group of commands, imported when it is asked for."""
    if name == "commands":
        from partita.cli.group import commands

        return commands
    raise AttributeError(f"module 'partita.cli' has no attribute {name!r}")
