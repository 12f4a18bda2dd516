"""`report`: results as one self-contained HTML file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from partita.errors import ParameterError
from partita.files.writing import check_target, write_whole
from partita.plots.names import plain_name
from partita.reports.contents import Part, contents
from partita.reports.pages import page
from partita.results import Result

TITLE = "Clustering report"


def report(
    *results: Result | Mapping[str, Result],
    to: str | os.PathLike[str] | None = None,
    title: str | None = None,
    overwrite: bool = False,
    command: str | None = None,
) -> Path:
    """Write results as one HTML file that opens with the verdict in plain words.

    Parameters
    ----------
    *results : results, or dictionaries of results by name
        What procedures returned, the most important first. A name says what a result is about, such as the
        labels that were compared with: ``{"species": compare(species, found)}``.
    to : path
        The file, whose name ends in ``.html``; it must be named. It is written whole or not at all.
    title : str, optional
        Of the page.
    overwrite : bool
        Whether a file that is there may be replaced.
    command : str, optional
        What makes the report again; it is told at the end.

    Returns
    -------
    Path
        The file.

    Notes
    -----
    The page loads nothing and sends nothing, and is complete where scripts are off. It does not grow with the
    number of objects beyond some ten thousand.

    See Also
    --------
    partita.reports.analyse : all that a report of data consists of, in one call.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import partita as pt
    >>> agreement = pt.compare(list("aabb"), [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = report({"labels": agreement}, to=pathlib.Path(folder) / "x.html")
    ...     path.name, path.read_text(encoding="utf-8")[:15]
    ('x.html', '<!DOCTYPE html>')
    """
    parts = list(_parts(results))
    target = _checked_path(to)
    check_target(target, overwrite=overwrite, parameter="to")
    document = contents(parts, title=_one_line(title) or TITLE, command=_one_line(command))
    write_whole(target, page(document).encode(), overwrite=overwrite, parameter="to")
    return target


def _checked_path(to: Any) -> Path:
    if not isinstance(to, (str, os.PathLike)) or not os.fspath(to).lower().endswith(".html"):
        raise ParameterError(
            "a report is an HTML file.",
            got="no name" if to is None else repr(to)[:80],
            need='a name that ends in .html, such as to="report.html"',
            parameter="to",
        )
    return Path(to)


def _one_line(text: Any) -> str:
    """A text for the page: in one line, what does not print as its code; nothing for nothing."""
    given = "" if text is None else str(text).strip()
    return plain_name(given) if given else ""


def _parts(results: tuple[Any, ...]) -> Iterator[Part]:
    """The results with their names, each under an anchor of its own."""
    if not any(given if isinstance(given, Mapping) else True for given in results):
        raise ParameterError(
            "there is nothing to report.",
            got="no result",
            need="results of compare, choose_k, validate, ...",
            parameter="results",
        )
    seen: Counter[str] = Counter()
    for given in results:
        for name, result in given.items() if isinstance(given, Mapping) else [("", given)]:
            if not isinstance(result, Result):
                raise ParameterError(
                    "a report tells results.",
                    got=type(result).__name__,
                    need="what compare, choose_k, validate, ... returned, or a dictionary of these by name",
                    parameter="results",
                )
            word = type(result).__name__.lower()
            seen[word] += 1
            yield Part(result, word if seen[word] == 1 else f"{word}{seen[word]}", str(name))
