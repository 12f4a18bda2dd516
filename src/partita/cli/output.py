"""Where a command writes its result and its figure, and how: on standard output, or whole to a file."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from partita.cli.completion import figure_kinds
from partita.cli.options import option, with_options
from partita.cli.surroundings import quietly, threads

__all__ = ["Output", "force_option", "paragraph", "quiet_option", "show", "with_output"]

FORMATS = ("table", "json", "csv", "markdown", "html")

FORMATS_OF_FILES = {".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html", ".htm": "html"}
"""What is written to a file of such a name, where no format is named."""

WIDEST = 100
"""Of the lines of a paragraph; longer ones are hard to read."""

PICTURES = ("png", "svg", "pdf")

READ = ("truth", "found", "data", "data_file", "memberships")
"""The parameters of commands that name files which are read."""

WRITTEN = {"out": "--out", "plot": "--plot", "save_labels": "--save-labels"}
"""Those that name files which are written."""

force_option = option(
    "--force",
    old=["--overwrite"],
    is_flag=True,
    help="Replace files that are there already; never one that is read.",
)
quiet_option = option(
    "--quiet", is_flag=True, help="Nothing but the result: no progress bar, no notes beside it."
)
form_option = option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How to write the result. Default: table, or what the name of --out ends in.",
)
out_option = option(
    "--out", metavar="FILE", help="Write the result to this file, whole or not at all, not to the screen."
)
plot_options = (
    option("--plot", metavar="FILE", help="Draw a figure of the result, to a file .png, .svg or .pdf."),
    option(
        "--plot-kind",
        metavar="NAME",
        shell_complete=figure_kinds,
        help="Another figure than the usual one; an unknown name lists those that there are.",
    ),
)


def with_output(*results: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator for a command that shows a result: its options, read into one `Output`.

    What cannot be written is refused before the command runs.

    Parameters
    ----------
    *results : str
        What it may come to, as ``"module:class"``; where that is told, figures of it can be drawn.
    """

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(
            *,
            form: str | None,
            out: str | None,
            force: bool,
            quiet: bool,
            plot: str | None = None,
            plot_kind: str | None = None,
            n_threads: int | None = None,
            **given: Any,
        ) -> None:
            output = Output(form, out, plot, plot_kind, force, quiet, results)
            output.check(given)
            with quietly(quiet), threads(n_threads):
                command(output=output, **given)

        options = (form_option, out_option, *(plot_options if results else ()), force_option, quiet_option)
        return with_options(*options)(run)

    return add


@dataclass(frozen=True)
class Output:
    """Where a result goes.

    Attributes
    ----------
    form : str, optional
        One of `FORMATS`.
    file : str, optional
        Where it is written instead of standard output.
    picture, kind : str, optional
        A file for a figure of it, and which.
    force, quiet : bool
        Whether files that are there are replaced, and whether nothing is said beside the result.
    results : tuple of str
        What the command may come to.
    """

    form: str | None = None
    file: str | None = None
    picture: str | None = None
    kind: str | None = None
    force: bool = False
    quiet: bool = False
    results: tuple[str, ...] = ()

    def check(self, given: Mapping[str, Any]) -> None:
        """Refuse what cannot be written or drawn, before anything is computed."""
        from partita.errors import ParameterError
        from partita.files.writing import check_target

        written = {"out": self.file, "plot": self.picture, "save_labels": given.get("save_labels")}
        named = {name: path for name, path in written.items() if path is not None}
        if self.force and not named:
            told = [WRITTEN[n] for n in ("out", "plot", "save_labels") if n in given or n != "save_labels"]
            raise ParameterError(
                "--force replaces files.",
                got="nothing that is written to a file",
                need=" or ".join(f"{name} FILE" for name in told),
            )
        read = [given.get(name) for name in READ]
        for name, path in named.items():
            if name != "save_labels":
                check_target(path, overwrite=self.force, inputs=read, parameter=name)
        self._refuse_one_file_for_two(named)
        self._check_picture()

    def _refuse_one_file_for_two(self, named: Mapping[str, str]) -> None:
        from pathlib import Path

        from partita.errors import ParameterError

        places: dict[Path, str] = {}
        for name, path in named.items():
            place = Path(path).absolute()
            if place in places:
                raise ParameterError(
                    "two things cannot be written to one file.",
                    got=f"{places[place]} and {WRITTEN[name]} {path}",
                    need="a name for each",
                )
            places[place] = WRITTEN[name]

    def _check_picture(self) -> None:
        from partita.errors import ParameterError

        if self.picture is None:
            if self.kind is not None:
                raise ParameterError(
                    "--plot-kind says what is drawn.", got="no --plot", need="--plot FILE beside it"
                )
            return
        if self._form_of_picture() not in PICTURES:
            raise ParameterError(
                "figures are written as .png, .svg or .pdf.",
                got=self.picture or "''",
                need="a name that ends in one of them",
                parameter="plot",
            )
        if self.kind is not None:
            self._check_kind(self.kind)

    def _form_of_picture(self) -> str:
        from pathlib import Path

        return Path(self.picture or "").suffix.lower().removeprefix(".")

    def _check_kind(self, kind: str) -> None:
        """Refuse a figure that no result of the command has."""
        from importlib import import_module

        from partita.errors import near_names
        from partita.plots.figures import NoFigureError, every_kind

        known = every_kind()
        if kind not in known:
            raise near_names(kind, known, noun="kind of figure", parameter="plot_kind")
        types = [
            getattr(import_module(module), name) for module, name in (r.split(":") for r in self.results)
        ]
        carried = [
            one.name
            for one in known.values()
            if any(issubclass(made, maker) for made in types for maker in one.makers)
        ]
        if kind not in carried:
            raise NoFigureError(
                f"this command has no figure of the kind {kind}.",
                got=kind,
                need=", ".join(carried) or "a command that has figures",
                parameter="plot_kind",
            )

    @property
    def form_used(self) -> str:
        """The format: as named, or as the name of the file tells."""
        from pathlib import Path

        suffix = "" if self.file is None else Path(self.file).suffix.lower()
        return self.form or FORMATS_OF_FILES.get(suffix, "table")

    def show(
        self,
        result: Any,
        notes: Sequence[str] = (),
        *,
        parts: Mapping[str, Any] | None = None,
        key: str = "",
        drawn: Any = None,
    ) -> None:
        """Write a result where it is wanted, as `show` does, and its figure, of ``drawn`` if that is told."""
        if self.file is None:
            show(result, self.form_used, notes, parts=parts, key=key, quiet=self.quiet)
        else:
            from partita.files.writing import write_whole
            from partita.results.terminal import WIDTH_OF_FILES

            text, beside = told(result, self.form_used, notes, parts=parts, key=key, width=WIDTH_OF_FILES)
            content = f"{text}\n".encode("utf-8", errors="replace")
            write_whole(self.file, content, overwrite=self.force, parameter="out")
            self.say(*beside, f"result written to {self.file}")
        if self.picture is not None:
            self._draw(result if drawn is None else drawn)

    def _draw(self, result: Any) -> None:
        from partita.errors import PartitaError
        from partita.files.writing import write_whole
        from partita.plots import figure_data
        from partita.plots.pictures import picture

        assert self.picture is not None
        try:
            data = figure_data(result, self.kind)
        except PartitaError as problem:
            problem.parameter = "plot" if self.kind is None else "plot_kind"
            raise
        content = picture(data, self._form_of_picture())
        write_whole(self.picture, content, overwrite=self.force, parameter="plot")
        self.say(f"figure written to {self.picture}: {data.title}")

    def say(self, *notes: str) -> None:
        """Tell something beside the result."""
        for note in notes if not self.quiet else ():
            click.echo(_printable(note), err=True)


def paragraph(text: str) -> None:
    """Print a text in lines that a person likes to read."""
    from partita.results.terminal import screen_width
    from partita.results.text_tables import wrapped

    click.echo("\n".join(wrapped(_printable(text), min(screen_width(), WIDEST))))


def _printable(text: str) -> str:
    from partita.results.text_tables import one_line

    return one_line(text)


# --- texts of a result ------------------------------------------------------------------------------------


def show(
    result: Any,
    form: str,
    notes: Sequence[str] = (),
    *,
    parts: Mapping[str, Any] | None = None,
    key: str = "",
    quiet: bool = False,
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
    quiet : bool
        Whether what a table of rows has no room for is left unsaid.
    """
    text, beside = told(result, form, notes, parts=parts, key=key)
    click.echo(text)
    for note in beside if not quiet else ():
        click.echo(note, err=True)


def told(
    result: Any,
    form: str,
    notes: Sequence[str],
    *,
    parts: Mapping[str, Any] | None,
    key: str,
    width: int | None = None,
) -> tuple[str, list[str]]:
    """The text of a result, and what is said beside it; a table of this width, of the screen's by default."""
    result = replace(result, notes=(*notes, *result.notes))
    if form == "json":
        return _json(result, parts, key), []
    if form == "csv":
        return str(result.write(form) if parts is None else _rows_of(parts)), _beside(result)
    every = [result, *(parts or {}).values()]
    return "\n\n".join(_shown(one, form, width) for one in every), []


def _shown(result: Any, form: str, width: int | None) -> str:
    from partita.results.terminal import has_bold

    if form != "table":
        return str(result.write(form))
    return str(result.text(width, bold=width is None and has_bold()))


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
