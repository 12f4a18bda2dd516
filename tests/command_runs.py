"""Commands run in this process, as the installed script does, with what they print and their exit code."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import NamedTuple

import pytest

from partita.cli import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[[str], Outcome]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that runs a line as it is typed after ``partita``."""

    def run_command(line: str) -> Outcome:
        code = 0
        try:
            main(shlex.split(line))
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Outcome(code, *capsys.readouterr())

    return run_command
