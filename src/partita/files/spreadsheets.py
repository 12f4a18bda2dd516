"""Sheets of .xlsx files, as the text that a spreadsheet would save."""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from partita.errors import FileError, MissingDependencyError, PartitaError, TooLargeError

MOST_ROWS = 1 << 20
"""Rows of a sheet, by the definition of the format."""

MOST_UNPACKED = 1 << 29
"""Bytes of a spreadsheet, unpacked, and of the text that its first sheet becomes."""

SCANNED = 1 << 20
"""Bytes of a sheet in which rows are counted at a time."""

AS_TEXT = "save it as .csv or .parquet, which is read part by part"


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
            _refuse_large(stream)
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            sheets = book.worksheets
            if not sheets:
                raise FileError("this file holds no sheet of cells.", need="a sheet with a table")
            sheets[0].reset_dimensions()  # otherwise each row is filled up to what the sheet says it holds
            text = _as_text(sheets[0].iter_rows(values_only=True))
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
    return text, (note,) if others else ()


def _refuse_large(stream: Any) -> None:
    """Refuse what takes minutes to parse, before openpyxl goes through all sheets to open one."""
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
        unpacked = sum(member.file_size for member in members)
        if unpacked > MOST_UNPACKED:
            raise TooLargeError(
                "this spreadsheet is too large to be read.",
                got=f"{unpacked / 1e6:,.0f} MB, unpacked",
                need=f"at most {MOST_UNPACKED / 1e6:,.0f} MB",
                fix=AS_TEXT,
            )
        for member in members:
            if member.filename.startswith("xl/worksheets/") and _has_too_many_rows(archive, member):
                raise _too_many_rows()
    stream.seek(0)


def _has_too_many_rows(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    count, end = 0, b""
    with archive.open(member) as sheet:
        while count <= MOST_ROWS and (block := sheet.read(SCANNED)):
            count += (end + block).count(b"<row")
            end = block[-3:]
    return count > MOST_ROWS


def _too_many_rows() -> TooLargeError:
    return TooLargeError(
        "this spreadsheet has more rows than a sheet can have.",
        got=f"more than {MOST_ROWS:,} rows",
        need=f"at most {MOST_ROWS:,}",
        fix=AS_TEXT,
    )


def _as_text(rows: Iterable[tuple[Any, ...]]) -> str:
    """The cells down to the last row and across to the last column that hold anything."""
    lines: list[tuple[str, int]] = []  # each with its number of cells
    n_empty = height = width = length = 0
    widest = 0
    for i, row in enumerate(rows):
        if i >= MOST_ROWS:
            raise _too_many_rows()
        filled = next((j for j in range(len(row), 0, -1) if not _is_empty(row[j - 1])), 0)
        if not filled:
            n_empty += 1
            continue
        lines += [("", 1)] * n_empty
        lines.append((_line(row[:filled]), filled))
        n_empty, height = 0, i + 1
        width, widest = (filled, i) if filled > width else (width, widest)
        length += len(lines[-1][0])
        if length + height * width > MOST_UNPACKED:
            raise TooLargeError(
                "this sheet is too large to be read.",
                got=f"{height:,} rows and {width:,} columns: row {widest + 1} has a cell in column {width:,}",
                need=f"a table of at most {MOST_UNPACKED:,} cells and letters",
                fix=f"clear what stands outside of the table, or {AS_TEXT}",
            )
    nothing = '""' if width == 1 else ""
    return "".join(f"{line or nothing}{',' * (width - count)}\n" for line, count in lines)


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _line(cells: tuple[Any, ...]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([_cell_text(cell) for cell in cells])
    return out.getvalue()


def _cell_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    return cell if isinstance(cell, str) else str(cell)
