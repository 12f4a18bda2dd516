"""Where a table comes from: a file of a known kind, or standard input; nothing heavy is imported here."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from partita.errors import FileError, PartitaError, Phrase, TooLargeError

STANDARD_INPUT = "-"
TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "", ".dat": "", ".q": " ", ".meanq": " "}
"""Endings of texts, and what usually separates their columns."""
WITHOUT_HEADER = frozenset({".q", ".meanq"})
"""Memberships as ADMIXTURE, STRUCTURE and fastStructure write them: numbers from the first line on."""
OTHER_KINDS = {
    ".npy": "numpy",
    ".npz": "numpy",
    ".parquet": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".xlsx": "excel",
    ".xlsm": "excel",
}
KNOWN = (
    ".csv, .tsv, .txt, .Q (also .gz), .npy, .npz, .parquet (or a folder of them), .feather, .xlsx,"
    " or - for standard input"
)

MOST_UNPACKED = 1 << 29
"""Bytes that a packed file may become in memory, where it is packed more than `USUAL_PACKING` times."""

USUAL_PACKING = 5
"""How many times larger a packed text usually is when it is unpacked."""

MOST_PACKING = 1032
"""How many times at most gzip and zip make a file smaller."""

UNPACKED_BYTES = 1 << 20
"""Bytes that are unpacked at a time."""


def check_files(*paths: str | Path | None) -> None:
    """Refuse what is no file at once, before anything is imported that takes longer than to say so."""
    for path in paths:
        if path is not None:
            with named(path) as file:
                file_kind(file)


class Unchanged:
    """A file that must stay as it was while it is read."""

    def __init__(self, file: Path) -> None:
        self.file, self._seen = file, self._now(file)

    @staticmethod
    def _now(file: Path) -> tuple[int, int, int]:
        found = file.stat()
        return found.st_size, found.st_mtime_ns, found.st_ino

    def check(self) -> None:
        """Refuse a file that was written meanwhile."""
        try:
            now: Any = self._now(self.file)
        except OSError:
            now = None
        if now != self._seen:
            raise FileError(
                "this file changed while it was read.",
                got=f"{self.file.name}: "
                + ("it is gone" if now is None else "another size, or written anew"),
                need="a file that nobody writes to meanwhile",
                fix="try again when it is whole",
            )


@contextmanager
def named(path: str | Path) -> Iterator[Path]:
    """The file, which is there; whatever goes wrong with it is told with its name."""
    try:
        file, shown = Path(path), str(path) or "''"
        os.fsencode(file)
        is_name = "\0" not in shown
    except (TypeError, ValueError):
        is_name = False
    if not is_name:
        raise FileError("this is no name of a file.", got=repr(path), need="a path that the system knows")
    shown = "standard input" if shown == STANDARD_INPUT else shown
    try:
        yield file
    except PartitaError as problem:
        tell_name(problem, path)
        raise
    except FileNotFoundError:
        raise FileError("there is no such file.", got=shown, need="a file that can be read") from None
    except (OSError, EOFError, zlib.error) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileError(
            "this file cannot be read.", got=f"{shown}: {reason}", need="a whole file that may be read"
        ) from None


def tell_name(problem: PartitaError, path: str | Path) -> None:
    """Put the name of a file before what came from it, once."""
    if getattr(problem, "file", None) == str(path):
        return
    problem.file = str(path)  # type: ignore[attr-defined]
    shown = "standard input" if str(path) == STANDARD_INPUT else str(path) or "''"
    problem.got = Phrase(f"{shown}: ", problem.got) if problem.got else shown


def ending(file: Path) -> str:
    """The ending that says what a file holds: that of ``x.csv.gz`` is ``.csv``."""
    suffix = file.suffix.lower()
    return Path(file.stem).suffix.lower() if suffix == ".gz" else suffix


def file_kind(file: Path) -> str:
    """One of text, numpy, parquet (a folder of them too), feather and excel."""
    if str(file) != STANDARD_INPUT and stat.S_ISDIR(file.stat().st_mode):
        files_of_folder(file)
        return "parquet"
    kind = OTHER_KINDS.get(file.suffix.lower())
    if kind is not None:
        return kind
    # what a shell makes of <(command) has no ending
    is_stream = str(file) == STANDARD_INPUT or (not file.suffix and stat.S_ISFIFO(file.stat().st_mode))
    if is_stream or ending(file) in TEXT:
        return "text"
    old = " as .xlsx or .csv" if file.suffix.lower() in (".xls", ".ods", ".xlsb") else " as .csv"
    raise FileError("this kind of file is not known.", need=KNOWN, fix=f"save it{old}")


def files_of_folder(folder: Path) -> tuple[list[Path], list[str]]:
    """The Parquet files in a folder, in the order of their names, and the names of other files in it.

    Those in folders that name a value, as year=2024, are among them. What begins with a dot or _ is nothing.
    """
    files: list[Path] = []
    others: list[str] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: _natural(entry.name)):
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            if "=" in entry.name:
                more, others_there = files_of_folder(entry)
                files, others = [*files, *more], [*others, *others_there]
        elif entry.suffix.lower() == ".parquet":
            files.append(entry)
        else:
            others.append(entry.name)
    if not files:
        raise FileError(
            "this is a directory.",
            got="one without Parquet files" + (f": {', '.join(others[:3])}" if others else ""),
            need="a file, or a folder of files that end in .parquet",
        )
    return files, others


def _natural(name: str) -> list[Any]:
    """What to sort names by, so that part-2 comes before part-10."""
    return [int(piece) if i % 2 else piece for i, piece in enumerate(re.split(r"(\d+)", name))]


def file_bytes(file: Path) -> bytes:
    """What a text file holds, unpacked."""
    if str(file) == STANDARD_INPUT:
        content = b"" if sys.stdin is None else sys.stdin.buffer.read()  # a shell may have closed it
        if not content.strip():
            raise FileError(
                "nothing came from standard input.",
                need="a table, as another program writes it: program | partita ... -",
            )
        return content
    return _unpacked(file) if file.suffix.lower() == ".gz" else file.read_bytes()


def _unpacked(file: Path) -> bytes:
    """A packed text; refused as soon as much more comes out of it than its size says."""
    size = file.stat().st_size
    if size * MOST_PACKING <= MOST_UNPACKED:
        return gzip.decompress(file.read_bytes())
    content = io.BytesIO()
    with gzip.open(file) as stream:
        while block := stream.read(UNPACKED_BYTES):
            content.write(block)
            refuse_unpacked(
                size,
                content.tell(),
                f"{content.tell() / 1e6:,.0f} MB or more, out of {size / 1e6:,.1f} MB",
                f"gunzip -k {file.name} and read that file, or --in-chunks (in_chunks=True)",
            )
    return content.getvalue()


def refuse_unpacked(size: int, unpacked: int, got: str, fix: str) -> None:
    """Refuse what would fill the memory, and does not look like that by its size."""
    if unpacked > max(MOST_UNPACKED, size * USUAL_PACKING):
        raise TooLargeError(
            "this packed file is too large to be read into memory.",
            got=got,
            need=f"at most {MOST_UNPACKED / 1e6:,.0f} MB, or {USUAL_PACKING} times the size of the file",
            fix=fix,
        )


def unpacks_to_more(file: Path, most: int) -> bool:
    """Whether a file packed by gzip holds more bytes than this; not more than these are unpacked to know."""
    if file.stat().st_size * MOST_PACKING <= most:
        return False
    held = 0
    with gzip.open(file) as stream:
        while held <= most and (block := stream.read(UNPACKED_BYTES)):
            held += len(block)
    return held > most
