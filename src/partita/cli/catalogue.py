"""The command on the catalogue of indices."""

from __future__ import annotations

import click

from partita.cli.completion import index_names
from partita.cli.output import Output, with_output
from partita.cli.spellings import Command


@click.command(cls=Command)
@click.argument("name", required=False, shell_complete=index_names)
@with_output()
def indices(name: str | None, output: Output) -> None:
    """List every index, or show one: partita indices ARI.

    \b
    Examples:
      partita indices
      partita indices ARI
      partita indices --out indices.csv
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from partita.results.catalogue import card, catalogue

    output.show(catalogue() if name is None else card(name))
