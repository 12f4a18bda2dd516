"""What a command sets while it runs: how many threads, whether bars and warnings are shown, and how."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from partita.errors import ParameterError, PartitaWarning, Phrase, Setting

__all__ = ["quietly", "threads"]


@contextmanager
def quietly(quiet: bool) -> Iterator[None]:
    """Show bars, and warnings as notes in one line each; or none of them."""
    from partita.progress import silenced

    def note(message: Warning | str, category: type[Warning], *_place: Any, **_more: Any) -> None:
        if not quiet:
            name = "note" if issubclass(category, PartitaWarning) else category.__name__
            click.echo(f"{name}: {' '.join(str(message).split())}", err=True)

    with warnings.catch_warnings(), silenced(quiet):
        warnings.showwarning = note
        yield


@contextmanager
def threads(jobs: int | None) -> Iterator[None]:
    """As many threads as are wanted, for what is computed in this process; all cores by default."""
    if jobs is None:
        yield
        return
    if jobs < 1:
        what = Phrase(Setting("n_jobs"), " is no count of workers.")
        raise ParameterError(what, got=repr(jobs), need="a whole number, 1 at least")
    before = os.environ.get("PARTITA_NUM_THREADS")
    os.environ["PARTITA_NUM_THREADS"] = str(jobs)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PARTITA_NUM_THREADS"]
        else:
            os.environ["PARTITA_NUM_THREADS"] = before
