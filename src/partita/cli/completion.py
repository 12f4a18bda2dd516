"""What the shell completes, and the command that prints what a shell needs for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from partita.cli.spellings import Command

__all__ = ["columns_of_data", "completion", "figure_kinds", "files", "index_names", "methods", "papers"]

SHELLS = ("bash", "zsh", "fish")

MOST_OF_A_HEADER = 1 << 16
"""Number of characters that are read of the first line of a file."""


OF_THE_SECOND = "found_column"
"""The option that is about the second file, where there are two."""


def files(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files, which the shell itself knows."""
    return [CompletionItem(incomplete, type="file")]


def columns_of_data(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The columns of the text file that the option is about, for the name after the last comma."""
    import csv

    # where an option waits for its value, click has not told the arguments apart yet
    typed = (*(ctx.params.get(name) for name in ("data", "truth", "found")), *ctx.args)
    paths = [word for word in typed if word] or [""]
    path = paths[-1 if parameter.name == OF_THE_SECOND else 0]
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            line = file.readline(MOST_OF_A_HEADER)
        mark = max(",;\t", key=line.count)
        return _after_comma(next(csv.reader([line], delimiter=mark), []), incomplete)
    except (OSError, UnicodeDecodeError, ValueError, csv.Error):  # no text: nothing is known of it
        return []


def index_names(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The indices by name and symbol, for the one after the last comma."""
    from partita.indices import catalogue

    entries = catalogue()
    symbols = [entry.symbol for entry in entries if entry.symbol]
    return _after_comma([*(entry.name for entry in entries), *symbols], incomplete)


def figure_kinds(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The kinds of figures."""
    from partita.plots.figures import every_kind

    return [name for name in every_kind() if name.startswith(incomplete)]


def methods(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The methods of clustering."""
    from partita.cli.methods import OURS, OWN, THEIRS

    return [name for name in (OWN, *OURS, *THEIRS) if name.startswith(incomplete)]


def papers(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The papers that can be run again."""
    from partita.experiments import PAPERS

    return [name for name in (*PAPERS, "all") if name.startswith(incomplete)]


def _after_comma(names: list[str], incomplete: str) -> list[str]:
    typed, comma, start = incomplete.rpartition(",")
    return [f"{typed}{comma}{name}" for name in names if name.startswith(start)]


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what a shell needs to complete what is typed.

    \b
    Examples:
      partita completion bash > ~/.partita-completion.bash
      echo 'source ~/.partita-completion.bash' >> ~/.bashrc
      partita completion zsh > ~/.partita-completion.zsh
      partita completion fish > ~/.config/fish/completions/partita.fish
    """  # noqa: D301 (click reads the backspace as: keep these lines)
    from click.shell_completion import get_completion_class

    maker: Any = get_completion_class(shell)
    source = maker(ctx.find_root().command, {}, "partita", "_PARTITA_COMPLETE")
    click.echo(source.source_template % source.source_vars())
