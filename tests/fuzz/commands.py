"""The command line: every command with options drawn from its own list, on files of all sorts."""

from __future__ import annotations

import base64
import io
import os
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
from hypothesis import strategies as st

from fuzz.law import BrokenLawError, obey
from fuzz.values import texts
from partita.cli import commands, main
from test_odd_files import files

LEFT_OUT = {
    "demo": "it always does the same",
    "reproduce": "it takes minutes",
    "completion": "it asks a shell",
}
TABLES = {
    "data.csv": "id,x,y,label,other\n"
    + "".join(f"{i},{i % 5},{(i * 7) % 11},{i % 3},{'ab'[i % 2]}\n" for i in range(24)),
    "soft.csv": "a,b\n" + "".join(f"{(i % 5) / 4},{1 - (i % 5) / 4}\n" for i in range(24)),
    "labels.csv": "id,one,two\n" + "".join(f"{23 - i},{i % 3},{i % 4}\n" for i in range(24)),
}
COLUMNS = ("id", "x", "y", "label", "other", "a", "b", "one", "two", "c0", "nonsense")
SMALL = {"--runs": "1", "--repeats": "2", "--k": "1:3", "--jobs": "1", "--seed": "0", "--null-sets": "3"}
"""Given where a command has them, so that the work stays small."""


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    names = sorted(set(commands.commands) - set(LEFT_OUT))
    command = commands.commands[draw(st.sampled_from(names))]
    odd = draw(st.dictionaries(st.sampled_from(("odd_1", "odd_2")), files(), max_size=1))
    contents = {f"{stem}_{name}": base64.b64encode(content).decode() for stem, (name, content) in odd.items()}
    paths = st.sampled_from((*TABLES, *contents, "missing.csv", "-", "."))
    words: list[str] = []
    options = [p for p in command.params if isinstance(p, click.Option)]
    for option in options:
        if option.opts[-1] in SMALL:
            words += [option.opts[-1], SMALL[option.opts[-1]]]
    for option in draw(st.lists(st.sampled_from(options), max_size=3, unique=True)):
        words += written(draw, option, paths)
    for argument in (p for p in command.params if isinstance(p, click.Argument)):
        count = draw(st.integers(0, 2)) if argument.nargs == -1 else argument.nargs
        words += [draw(paths) for _ in range(count if draw(st.integers(0, 15)) else 0)]
    return {"files": contents, "words": [command.name, *words]}


def written(draw: st.DrawFn, option: click.Option, paths: st.SearchStrategy[str]) -> list[str]:
    """An option as it is typed, with a value that it may or may not take."""
    name = draw(st.sampled_from(option.opts + option.secondary_opts))
    if option.is_flag or option.count:
        return [name]
    if name in SMALL and draw(st.integers(0, 3)):
        return []
    values: list[st.SearchStrategy[str]] = [
        st.sampled_from(COLUMNS),
        st.integers(-1, 12).map(str),
        paths,
        texts,
    ]
    if isinstance(option.type, click.Choice):
        values = [st.sampled_from([str(choice) for choice in option.type.choices])] * 6 + values
    elif option.type is click.FLOAT:
        values += [st.floats().map(str)]
    elif "indices" in name or "index" in name:
        values = [
            st.sampled_from(["ARI,VI", "headline", "CH", "silhouette", "PC", "ARI:x=1", "all", ","])
        ] * 4 + values
    return [name, draw(st.one_of(values))]


def run(document: dict[str, Any]) -> None:
    """In a folder of its own; the exit code tells an answer (0) and bad input (2), never a fault (1)."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in TABLES.items():
            (Path(folder) / name).write_text(text)
        for name, content in document["files"].items():
            (Path(folder) / name).write_bytes(base64.b64decode(content))
        os.chdir(folder)
        try:
            obey(lambda: command(document["words"]))
        finally:
            os.chdir(before)


def command(words: list[str]) -> None:
    code, out, told = 0, io.StringIO(), io.StringIO()
    nothing = io.TextIOWrapper(io.BytesIO(b""))
    with redirect_stdout(out), redirect_stderr(told), patch.object(sys, "stdin", nothing):
        try:
            main(words)
        except SystemExit as stop:
            code = int(stop.code or 0)
    if code not in (0, 2) or "Traceback" in told.getvalue():
        raise BrokenLawError(f"exit code {code}: {told.getvalue()[-2000:]}")
    if code == 2 and not told.getvalue().strip():
        raise BrokenLawError("exit code 2 without a word")
