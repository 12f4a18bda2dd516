"""How a command writes its result: in one of the formats, with what is to be said about its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click


def show(
    result: Any,
    form: str,
    notes: Sequence[str] = (),
    *,
    parts: Mapping[str, Any] | None = None,
    key: str = "",
) -> None:
    """Print a result, with what is to be said about its files; as CSV only its rows, the rest beside them.

    Parameters
    ----------
    result : Result
        What a procedure returned.
    form : str
        One of `partita.results.FORMATS`.
    notes : list of str
        What reading the files had to say.
    parts : dict of Result, optional
        Tables that go with it, by what they are of, such as one for each clustering (the name is "" for one
        alone). They follow the result; JSON has them under ``key``, and CSV, which is one table, has nothing
        else.
    key : str
        What the parts are.
    """
    result = replace(result, notes=(*notes, *result.notes))
    if form == "json":
        click.echo(_json(result, parts, key))
    elif form == "csv":
        click.echo(result.write(form) if parts is None else _rows_of(parts))
        for note in _beside(result):
            click.echo(note, err=True)
    else:
        click.echo("\n\n".join([_shown(result, form), *(_shown(p, form) for p in (parts or {}).values())]))


def _shown(result: Any, form: str) -> str:
    from partita.results.terminal import has_bold

    return str(result.text(bold=has_bold()) if form == "table" else result.write(form))


def _json(result: Any, parts: Mapping[str, Any] | None, key: str) -> str:
    if parts is None:
        return str(result.write("json"))
    import json

    from partita.results import plain

    rows = {name: plain(part.records()) for name, part in parts.items()}
    whole = {**result.to_dict(), key: rows[""] if [*rows] == [""] else rows}
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False, default=str)


def _rows_of(parts: Mapping[str, Any]) -> str:
    """The rows of all parts as one CSV table; of several, the first column says of which clustering."""
    from partita.results import Table

    several = [*parts] != [""]
    columns = next(iter(parts.values())).columns
    rows = [(*([name] * several), *row.values()) for name, part in parts.items() for row in part.records()]
    return Table("", (*["clustering"] * several, *columns), tuple(rows)).csv()


def _beside(result: Any) -> list[str]:
    """What a table of rows has no room for."""
    skipped = ", ".join(x.index for x in getattr(result, "left_out", ()))
    told = (getattr(result, "reading", ""), *result.footnotes, f"left out: {skipped}" if skipped else "")
    return [note for note in told if note]
