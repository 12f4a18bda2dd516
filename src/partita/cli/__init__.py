"""The command line: thin commands over the public functions."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from partita import __version__
from partita.cli.catalogue import demo, indices
from partita.cli.data import choose, stability, validate
from partita.cli.pairs import compare, distribution

LONGEST_LINE = 400
"""Of an error message; a file may have names and lines of any length."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def commands() -> None:
    """Judge clusterings of every kind: how far two agree, how good one is, how many clusters there are."""


for command in (compare, distribution, validate, choose, stability, indices, demo):
    commands.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; what is wrong with the input is printed without a traceback, exit code 2."""
    from partita.errors import FileError, PartitaError

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ä is no reason to stop
    try:
        commands.main(arguments, prog_name="partita", standalone_mode=False)
    except PartitaError as problem:
        _stop(problem)
    except OSError as problem:
        _stop(FileError("the result cannot be written.", got=problem.strerror or str(problem)))
    except click.ClickException as problem:
        problem.show()
        sys.exit(2)
    except click.Abort:
        click.echo("stopped", err=True)
        sys.exit(130)


def _stop(problem: Exception) -> None:
    text = _in_options(f"{type(problem).__name__}: {problem}")
    for line in text.split("\n"):
        shown = line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " ..."
        # names from files must not drive the terminal
        click.echo("".join(c if c.isprintable() else repr(c)[1:-1] for c in shown), err=True)
    sys.exit(2)


def _in_options(text: str) -> str:
    """What errors advise in Python, in the words of the command line."""
    import re

    text = re.sub(r'\bkind="(\w+)"', r"--truth-kind or --found-kind \1", text)
    text = re.sub(r'\b(noise|method|tnorm|reading|empty)="', r'--\1 "', text)
    text = text.replace('index="', '--index "').replace("budget_seconds", "--budget")
    return text.replace("normalize=True", "--normalize").replace("n_samples", "--samples")
