"""How options are spelled: one name in every command, and older names that scripts may still use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import click
from click.shell_completion import CompletionItem

from partita.errors import Setting

__all__ = ["Command", "Option", "option", "option_names", "options_of", "spelled"]

PARAMETERS = {
    "truth_kind": "kind",
    "found_kind": "kind",
    "samples": "n_samples",
    "budget": "budget_seconds",
    "seed": "random_state",
    "weight": "sample_weight",
    "runs": "n_runs",
    "repeats": "n_repeats",
    "jobs": "n_jobs",
    "truth_column": "label_columns",
    "found_column": "label_columns",
    "column": "label_columns",
    "labels": "label_columns",
    "splits": "n_splits",
    "neighbors": "n_neighbors",
    "no_structure": "structure",
    "null": "n_null",
    "components": "n_components",
    "shapes": "covariance_type",
    "data_file": "X",
    "force": "overwrite",
    "n_threads": "n_jobs",
}
"""The parameters of the library that options have other names for."""

PLACES = {"FILE": "file", "FOLDER": "dir"}
"""What the help calls places on the disk, and how a shell that completes them calls them."""


class Option(click.Option):
    """An option that also hears older names, which no help tells.

    Parameters
    ----------
    names : list of str
        As it is typed, the first as it is told; and the name of the parameter.
    old : list of str
        As it was once called.
    """

    def __init__(self, names: Sequence[str], *, old: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__([*names, *old], **attributes)
        self.old = frozenset(old)

    def _told(self) -> click.Option:
        told = copy(self)
        told.opts = [name for name in self.opts if name not in self.old]
        return told

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What may be typed for it; the shell itself knows files and folders."""
        if self.metavar in PLACES:
            return [CompletionItem(incomplete, type=PLACES[self.metavar])]
        return super().shell_complete(ctx, incomplete)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The lines of the help."""
        return click.Option.get_help_record(self._told(), ctx)

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """How an error names it."""
        return click.Option.get_error_hint(self._told(), ctx)


def option(*names: str, **attributes: Any) -> Callable[[Any], Any]:
    """A decorator that adds an option to a command; ``old`` may list its older names."""
    return click.option(*names, cls=Option, **attributes)


class Command(click.Command):
    """A command that writes to each file it is told of, and whose older names the shell does not offer."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; of two files for one option the first would be forgotten without a word."""
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        places = [one for one in given if isinstance(one, Option) and one.metavar in PLACES]
        for one in places:
            if places.count(one) > 1 and not ctx.resilient_parsing:
                raise click.UsageError(f"{one.opts[0]} is given twice; it takes one {one.metavar}.", ctx)
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What may be typed next."""
        old = {name for option in self.params for name in getattr(option, "old", ())}
        return [item for item in super().shell_complete(ctx, incomplete) if item.value not in old]


def options_of(command: click.Command) -> dict[str, list[click.Option]]:
    """The options of a command, by the parameters of the library that they set."""
    options: dict[str, list[click.Option]] = {}
    for one in command.params:
        if isinstance(one, click.Option) and one.name is not None:
            options.setdefault(PARAMETERS.get(one.name, one.name), []).append(one)
    return options


def option_names(options: Sequence[click.Option], typed: Sequence[str] = ()) -> str:
    """The options as they were typed, or else as they are told."""
    words = {word.partition("=")[0] for word in typed}
    return " or ".join(next((name for name in one.opts if name in words), one.opts[0]) for one in options)


def spelled(
    setting: Setting, options: Mapping[str, Sequence[click.Option]], typed: Sequence[str] = ()
) -> str:
    """A setting as it is typed, a word from a closed list in quotes; as in Python if no option sets it."""
    known = options.get(setting.name)
    if not known:
        return str(setting)
    names = option_names(known, typed)
    if setting.value is ... or known[0].is_flag:
        return names
    is_listed = isinstance(known[0].type, click.Choice)
    return f'{names} "{setting.value}"' if is_listed else f"{names} {setting.value}"
