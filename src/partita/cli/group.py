"""The group of all commands, and how it ends: with a result, or with what is wrong in a few lines."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from partita import __version__
from partita.cli import was_interrupted
from partita.cli.catalogue import indices
from partita.cli.completion import completion
from partita.cli.demonstration import demo
from partita.cli.late_modules import let_them_wait
from partita.cli.pairs import align, compare, distribution
from partita.cli.report import report
from partita.cli.reproduction import reproduce
from partita.cli.selection import choose, stability, structure
from partita.cli.spellings import option_names, options_of, spelled
from partita.cli.validation import choose_among, validate
from partita.errors import FileError, PartitaError, TooLargeError

LONGEST_LINE = 400
"""Of an error message; a file may have names and lines of any length."""

TYPED = "partita.typed"
"""Under which a context keeps the words that were typed."""


class Commands(click.Group):
    """Commands that tell what is wrong with their input in the words of their own options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, and keep them as they were typed."""
        ctx.meta[TYPED] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error of partita is printed without a traceback, exit code 2."""
        try:
            return super().invoke(ctx)
        except PartitaError as problem:
            command = self.commands.get(ctx.invoked_subcommand or "")
            _stop(problem, {} if command is None else options_of(command), ctx.meta[TYPED])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def commands() -> None:
    """Evaluate clusterings: find clusters and their number, compare clusterings, validate them."""


for command in (
    report,
    compare,
    align,
    distribution,
    validate,
    structure,
    choose,
    choose_among,
    stability,
    indices,
    reproduce,
    demo,
    completion,
):
    commands.add_command(command)


def run(arguments: Sequence[str] | None = None) -> None:
    """Run a command; what is wrong is told, and ends as `SystemExit` with its code.

    Ctrl-C comes out as `KeyboardInterrupt`.
    """
    let_them_wait()
    if sys.stdout is None:
        sys.stdout = _Closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ä is no reason to stop
    try:
        commands.main(arguments, prog_name="partita", standalone_mode=False)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        _stop(FileError("the result cannot be written.", got=reason, need="an output that takes it"))
    except click.ClickException as problem:
        with contextlib.suppress(OSError):
            problem.show()
        sys.exit(2)
    except click.Abort:
        raise KeyboardInterrupt from None
    except MemoryError:
        _stop(TooLargeError("there is not enough memory for this.", got="no more", need="fewer objects"))
    except Exception as problem:  # noqa: BLE001 (whatever it is, it is no fault of the user)
        _admit(problem)


class _Closed(io.TextIOBase):
    """Standard output that was closed before the command began: what is written to it must not be lost."""

    encoding = "utf-8"

    def writable(self) -> bool:
        """True, so that the first write tells what is wrong."""
        return True

    def write(self, text: str) -> int:
        """Refuse any text."""
        if text:
            raise OSError(errno.EBADF, "standard output is closed")
        return 0


def _stop(
    problem: PartitaError,
    options: Mapping[str, Sequence[click.Option]] | None = None,
    typed: Sequence[str] = (),
) -> NoReturn:
    """Print what is wrong, in the words of these options, and end."""
    if was_interrupted():
        raise KeyboardInterrupt from None
    known = options or {}
    about = known.get(problem.parameter or "", ())
    place = f"{option_names(about, typed)}: " if about and problem.parameter not in problem.settings else ""
    message = problem.told(lambda setting: spelled(setting, known, typed))
    with contextlib.suppress(OSError):  # an error output that is full: the code tells it still
        for line in f"{type(problem).__name__}: {place}{message}".split("\n"):
            click.echo(_harmless(line), err=True)
    sys.exit(2)


def _admit(problem: Exception) -> NoReturn:
    """Say that the fault is ours, and how to see where it is."""
    if was_interrupted():
        raise KeyboardInterrupt from None
    if os.environ.get("PARTITA_TRACEBACK"):
        import traceback

        traceback.print_exception(problem)
        hint = ""
    else:
        hint = " (PARTITA_TRACEBACK=1 in the environment shows where)"
    words = " ".join(f"{type(problem).__name__}: {problem}".split())
    with contextlib.suppress(OSError):
        click.echo(f"this is a fault of partita, please report it{hint}: {_harmless(words)}", err=True)
    sys.exit(1)


def _harmless(line: str) -> str:
    """A line of bounded length; names from files must not drive the terminal."""
    shown = line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " ..."
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown)
