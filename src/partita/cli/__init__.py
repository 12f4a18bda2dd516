"""The command line: thin commands over the public functions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from partita import __version__
from partita.cli.catalogue import demo, indices
from partita.cli.late_modules import let_them_wait
from partita.cli.options import option_names, options_of, spelled
from partita.cli.pairs import align, compare, distribution
from partita.cli.selection import choose, stability, structure
from partita.cli.validation import choose_among, validate
from partita.errors import FileError, PartitaError

LONGEST_LINE = 400
"""Of an error message; a file may have names and lines of any length."""


class Commands(click.Group):
    """Commands that tell what is wrong with their input in the words of their own options."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error of partita is printed without a traceback, exit code 2."""
        try:
            return super().invoke(ctx)
        except PartitaError as problem:
            command = self.commands.get(ctx.invoked_subcommand or "")
            _stop(problem, {} if command is None else options_of(command))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def commands() -> None:
    """Judge clusterings of every kind: how far two agree, how good one is, how many clusters there are."""


for command in (
    compare,
    align,
    distribution,
    validate,
    structure,
    choose,
    choose_among,
    stability,
    indices,
    demo,
):
    commands.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; what is wrong with the input is printed without a traceback, exit code 2."""
    let_them_wait()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ä is no reason to stop
    try:
        commands.main(arguments, prog_name="partita", standalone_mode=False)
    except OSError as problem:
        _stop(FileError("the result cannot be written.", got=problem.strerror or str(problem)), {})
    except click.ClickException as problem:
        problem.show()
        sys.exit(2)
    except click.Abort:
        click.echo("stopped", err=True)
        sys.exit(130)


def _stop(problem: PartitaError, options: Mapping[str, Sequence[click.Option]]) -> NoReturn:
    """Print what is wrong, in the words of these options, and end."""
    about = options.get(problem.parameter or "", ())
    place = f"{option_names(about)}: " if about and problem.parameter not in problem.settings else ""
    message = problem.told(lambda setting: spelled(setting, options))
    for line in f"{type(problem).__name__}: {place}{message}".split("\n"):
        shown = line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " ..."
        # names from files must not drive the terminal
        click.echo("".join(c if c.isprintable() else repr(c)[1:-1] for c in shown), err=True)
    sys.exit(2)
