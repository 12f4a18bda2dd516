"""Texts larger than memory: cut where records end, and read by the rules of those in memory."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import os
import re
import shutil
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from partita.errors import FileError
from partita.files.scans import Scan
from partita.files.sources import STANDARD_INPUT, TEXT, WITHOUT_HEADER, Unchanged, ending
from partita.files.tables import Table, TextTable
from partita.files.text import (
    CP1252_READ,
    MARKS,
    SEPARATOR_LINE,
    WELL_FORMED,
    Layout,
    Writing,
    layout_of,
    text_codec,
)
from partita.progress import bar

PART_BYTES = 1 << 24
"""Bytes of a text that are read at a time."""

LONGEST_RECORD = 1 << 27
"""Bytes in which one record must end."""

ONE_BYTE = 'a,;\t|"\n\r0'
"""Characters that are one byte each in encodings whose texts can be cut between bytes."""

NULL, CONTROL = re.compile(rb"\0"), re.compile(rb"[^\t\n\f\r -\xff]")
"""What no text holds, and what none does whose encoding is only guessed."""


class _Part(NamedTuple):
    """Where some records lie, how many there are, and how many lines are above them."""

    start: int
    stop: int
    n_records: int
    lines_above: int


class TextScan(Scan):
    """A text with one line for each object, cut where records end.

    All of it is looked at when it is opened: whether every line has the same number of columns, and where
    the parts begin. What is packed, or comes from standard input, is first written to a temporary file that
    has no name and is gone with this process.
    """

    def __init__(self, path: str | Path, file: Path, writing: Writing) -> None:
        super().__init__(path)
        kind = ending(file)
        self.are_rounded_memberships = kind in WITHOUT_HEADER
        if writing.header is None and self.are_rounded_memberships:
            writing = replace(writing, header=False)
        self.header = writing.header
        self._unchanged = None if str(file) == STANDARD_INPUT else Unchanged(file)
        self._stream, self._reading = _plain(file), threading.Lock()
        weakref.finalize(self, self._stream.close)
        self._size = os.fstat(self._stream.fileno()).st_size
        encodings, self._begin = _encodings(self._bytes(0, 8), writing.encoding)
        wrong: FileError | None = None
        for self._encoding in encodings:
            self._is_guessed = self._encoding != encodings[0]
            try:
                with bar(f"reading {file.name}") as report:
                    self._find_parts(TEXT.get(kind, ""), writing, report)
                break
            except UnicodeDecodeError as problem:
                wrong = wrong or _no_text(problem, encodings, self._lines)
                if self._encoding == encodings[-1]:
                    raise wrong from None
        if self._encoding != encodings[0]:
            self.notes = (CP1252_READ,)
        self.sizes = tuple(part.n_records for part in self._parts)
        first = TextTable(path, self._layout_of_part(0), self.header)
        self.names, self.notes = first.names, (*self.notes, *first.notes)

    def part(self, place: int) -> Table:
        """One of the parts."""
        made = TextTable(self.path, self._layout_of_part(place), self.header, names=self.names)
        made.amounts = self.amounts
        if self._unchanged is not None:
            self._unchanged.check()
        return made

    def _layout_of_part(self, place: int) -> Layout:
        where = self._parts[place]
        text = self._bytes(where.start, where.stop - where.start).decode(self._encoding)
        return self._layout.of_later(_without_line_end(text), where.lines_above, is_known=True)

    def _find_parts(self, usual: str, writing: Writing, report: Callable[[int, int], None]) -> None:
        """Look at every line, and find where the parts begin."""
        self._parts: list[_Part] = []
        self._lines = 0
        if not self._size - self._begin:
            raise FileError("this file holds no objects.", need="a header and one line for each object")
        text, stop = self._records(self._begin, self._size)
        self._layout = replace(layout_of(text, usual, writing), text="", notes=(), has_header=False)
        above = _above_objects(text, self._layout.separator, writing.header is not False)
        start = self._begin + len(above.encode(self._encoding))
        self._lines = _line_ends(above)
        end = self._end_of_content(self._layout.separator)
        while start < end:
            text, stop = self._records(start, end)
            layout = self._layout.of_later(_without_line_end(text), self._lines)
            self._parts.append(_Part(start, stop, layout.n_records, self._lines))
            self._lines += _line_ends(text)
            start = stop
            report(start, end)
        if not self._parts:
            raise FileError("this file holds no objects.", need="a header and one line for each object")

    def _records(self, start: int, end: int) -> tuple[str, int]:
        """Whole records from this byte on, and where the next one begins."""
        length = PART_BYTES
        while length <= LONGEST_RECORD:
            content = self._bytes(start, min(length, end - start))
            if self._unchanged is not None:
                self._unchanged.check()
            cut = len(content) if start + len(content) >= end else _last_end_of_record(content)
            if cut:
                whole = content[:cut]
                control = (CONTROL if self._is_guessed else NULL).search(whole)
                if control is not None:
                    raise UnicodeDecodeError(self._encoding, whole, *control.span(), "a control character")
                return whole.decode(self._encoding), start + cut
            length *= 2
        raise FileError(
            "this file is malformed.",
            got=f"after line {self._lines} a record that does not end: a quote is open",
            need=WELL_FORMED,
        )

    def _end_of_content(self, separator: str) -> int:
        """Where the last record ends: lines of separators only, as spreadsheets write them, are none."""
        nothing = (separator + " \t\r\n").encode()
        end = self._size
        while end > self._begin:
            start = max(self._begin, end - (1 << 16))
            left = self._bytes(start, end - start).rstrip(nothing)
            end = start + len(left)
            if left:
                break
        tail = self._bytes(end, min(1 << 16, self._size - end))
        stops = [place for place in (tail.find(b"\n"), tail.find(b"\r")) if place >= 0]
        stop = end + min(stops, default=len(tail))
        left_out = self._bytes(stop, 1 << 20).strip(b"\r\n").count(b"\n") + 1
        if self._bytes(stop, 1 << 20).strip(b"\r\n"):
            self.notes = (f"{left_out} empty lines at the end of the file were left out",)
        return stop

    def _bytes(self, start: int, count: int) -> bytes:
        with self._reading:
            self._stream.seek(start)
            return bytes(self._stream.read(count))


def _plain(file: Path) -> Any:
    """A text as a file that can be read anywhere."""
    is_packed = file.suffix.lower() == ".gz"
    if str(file) != STANDARD_INPUT and not is_packed:
        return file.open("rb")
    spooled = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the scan is used)
    try:
        if is_packed:
            with gzip.open(file) as unpacked:
                shutil.copyfileobj(unpacked, spooled, 1 << 20)
        elif sys.stdin is not None:  # a shell may have closed it
            shutil.copyfileobj(sys.stdin.buffer, spooled, 1 << 20)
        spooled.flush()
    except OSError as problem:
        spooled.close()
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise FileError(
            "there is no room for the temporary file that this is unpacked to.",
            got=f"{tempfile.gettempdir()}: {problem.strerror}",
            need="room for all of the text, unpacked",
            fix="TMPDIR=FOLDER before the command, or unpack it yourself",
        ) from None
    return spooled


def _encodings(start: bytes, asked: str | None) -> tuple[tuple[str, ...], int]:
    """The encodings to try, and how many bytes of a mark are before the text."""
    marked = next((name for mark, name in MARKS.items() if start.startswith(mark)), None)
    name = asked or marked or "utf-8"
    codec = text_codec(name)
    is_plain = ONE_BYTE.encode(name.replace("-sig", "")) == ONE_BYTE.encode("ascii")
    if not is_plain or (asked is None and 0 in start):
        raise FileError(
            "a text in this encoding is not read in chunks.",
            got=name if not is_plain else "bytes of zero, as in UTF-16",
            need="UTF-8, or another encoding with ASCII in it",
            fix=f"iconv -f {asked or 'UTF-16'} -t UTF-8 FILE > NEW",
        )
    is_utf_8 = codec.name in ("utf-8", "utf-8-sig")
    usual = "utf-8" if is_utf_8 else name
    mark, begin = "\ufeff".encode(usual, "ignore"), 0
    for _ in range(2 if is_utf_8 else 1):  # as in memory, where the encoding leaves away one mark by itself
        begin += len(mark) if mark and start.startswith(mark, begin) else 0
    return (usual,) if asked or marked else ("UTF-8", "cp1252"), begin


def _no_text(problem: UnicodeDecodeError, encodings: tuple[str, ...], lines: int) -> FileError:
    line = lines + problem.object[: problem.start].count(b"\n") + 1
    return FileError(
        f"this is no text in {' or '.join(encodings)}.",
        got=f"byte 0x{problem.object[problem.start]:02x} in line {line}",
        need="a text file with columns",
        fix="--encoding NAME if it is text in another encoding, or save it in UTF-8",
    )


def _above_objects(text: str, separator: str, has_header: bool) -> str:
    """What is above the first object: the line that names the separator, and the header."""
    named = SEPARATOR_LINE.match(text)
    start = 0 if named is None else named.end()
    if not has_header:
        return text[:start]
    lines = io.StringIO(text[start:], newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    next(reader, None)
    return text[: start + lines.tell()]


def _last_end_of_record(content: bytes) -> int:
    """Where the last record that ends here does: at the end of a line, not inside of quotes."""
    line_end = b"\n" if b"\n" in content else b"\r"
    stop, quotes = len(content), content.count(b'"')
    while stop > 0:
        cut = content.rfind(line_end, 0, stop) + 1
        quotes -= content.count(b'"', cut, stop)
        if quotes % 2 == 0:
            return cut
        stop = cut - 1
    return 0


def _without_line_end(text: str) -> str:
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n").removesuffix("\r")


def _line_ends(text: str) -> int:
    """How many lines end in a text."""
    return text.count("\n") + (text.count("\r") - text.count("\r\n") if "\r" in text else 0)
