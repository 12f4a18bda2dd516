"""Sheets of .xlsx files, as the text that a spreadsheet would save."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path
from typing import Any

from partita.errors import FileError, MissingDependencyError, PartitaError


def missing_package(package: str, extra: str) -> MissingDependencyError:
    """The error for an optional package that is needed to read a file."""
    return MissingDependencyError(
        f"this kind of file needs the package {package}.",
        need=f"{package}, which is not installed",
        fix=f"pip install partita[{extra}], or save the file as .csv",
    )


def sheet_as_text(file: Path) -> tuple[str, tuple[str, ...]]:
    """The first sheet with commas between its cells, and what to say where there are several.

    All digits are kept; formulas stand as the values that the spreadsheet last saved.
    """
    try:
        import openpyxl
    except ImportError:
        raise missing_package("openpyxl", "excel") from None
    with file.open("rb") as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and print settings that are not read
        try:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            sheets = book.worksheets
            if not sheets:
                raise FileError("this file holds no sheet of cells.", need="a sheet with a table")
            rows = [list(row) for row in sheets[0].iter_rows(values_only=True)]
        except PartitaError:
            raise
        except Exception as problem:  # noqa: BLE001 (whatever a damaged archive or document leads to)
            raise FileError(
                "this is no spreadsheet that can be read.",
                got=str(problem).partition("\n")[0],
                need="a whole .xlsx file without a password",
                fix="save it as .csv",
            ) from None
    others = [sheet.title for sheet in sheets[1:]]
    note = f"sheet {sheets[0].title!r} was read, and not: {', '.join(map(repr, others[:5]))}"
    return _as_text(rows), (note,) if others else ()


def _as_text(rows: list[list[Any]]) -> str:
    """The cells down to the last row and across to the last column that hold anything."""
    filled = [[cell is not None and cell != "" for cell in row] for row in rows]
    height = max((i + 1 for i, row in enumerate(filled) if any(row)), default=0)
    width = max((j + 1 for row in filled for j, is_filled in enumerate(row) if is_filled), default=0)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows[:height]:
        cells = [*row[:width], *[None] * (width - len(row))]
        writer.writerow([_cell_text(cell) for cell in cells])
    return out.getvalue()


def _cell_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    return cell if isinstance(cell, str) else str(cell)
