"""How a text file is written: its encoding, what separates its columns, its decimal mark, its header.

What a file does not say is recognised from its first lines; what two readings fit is asked about.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from partita.errors import FileError, ParameterError, Phrase, Setting
from partita.files.sources import TEXT, WITHOUT_HEADER, ending, file_bytes

SEPARATORS = ",;\t|"
BLANKS = " "
SAMPLE_CHARACTERS, SAMPLE_LINES = 200_000, 200
WELL_FORMED = "lines of equally many columns; a text that holds the separator in double quotes"
NO_LETTERS = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs"})
"""Encodings of Python that no file is written in."""

SEPARATOR_LINE = re.compile(r"sep=([,;\t|])[\r\n]+", re.IGNORECASE)
"""What Excel wants above the names of the columns."""
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}

CP1252_READ = "encoding: this is no UTF-8, so it was read as cp1252 (Windows); --encoding for another"

DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
GROUPED_BY_COMMAS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
MAY_BE_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
DOT_MAY_BE_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
SMALL_WHOLE = re.compile(r"[+-]?\d{1,3}")


@dataclass(frozen=True)
class Writing:
    """How a text file is written, as far as the caller says so; what is None is recognised."""

    header: bool | None = None
    encoding: str | None = None
    decimal: str | None = None


@dataclass(frozen=True)
class Layout:
    """A text whose every line has been looked at; ``names`` of columns are 0, 1, 2, ... where it has none."""

    text: str
    separator: str
    decimal: str
    names: list[str]
    has_header: bool
    notes: tuple[str, ...] = ()
    lines_above: int = 0
    are_blanks: bool = False
    """Whether any number of blanks separated the columns in the file."""
    n_records: int = 0
    """How many lines there are, with the header; a text in quotes may go over several."""
    known_decimal: str | None = None
    """The decimal mark, where the caller named it or cells can be read in no other way."""

    def of_later(self, text: str, lines_above: int, *, is_known: bool = False) -> Layout:
        """More lines of the same file, after a look at each, unless they are known to be well-formed."""
        text = _with_tabs(text) if self.are_blanks else text
        n_records = self.n_records
        if not is_known:
            first, n_records = _look_at_every_line(text, self.separator, lines_above)
            if len(first) != len(self.names):
                raise _ragged(len(self.names), len(first), lines_above + 1, self.separator)
        return replace(
            self, text=text, has_header=False, notes=(), lines_above=lines_above, n_records=n_records
        )

    @property
    def first_line(self) -> int:
        """The number of the line that holds the first object."""
        return self.lines_above + (2 if self.has_header else 1)


def read_layout(file: Path, writing: Writing) -> Layout:
    """Read a text file and find out how it is written."""
    text, notes = _decoded(file_bytes(file), writing.encoding)
    kind = ending(file)
    if writing.header is None and kind in WITHOUT_HEADER:
        writing = replace(writing, header=False)
    return layout_of(text, TEXT.get(kind, ""), writing, notes)


def layout_of(text: str, usual: str, writing: Writing, notes: tuple[str, ...] = ()) -> Layout:
    """Find out how a text is written, where ``usual`` separates the columns of such files ("" if none)."""
    if writing.decimal not in (None, ".", ","):
        raise ParameterError(
            "no such decimal mark.", got=repr(writing.decimal), need='"." or ","', parameter="decimal"
        )
    text, named = text.rstrip("\r\n"), SEPARATOR_LINE.match(text)
    if named is not None:
        text, usual = text[named.end() :], named[1]
    if not text.strip():
        raise FileError("this file holds no objects.", need="a header and one line for each object")
    sample = _sample(text)
    separator = _separator(sample, usual, writing.decimal)
    are_blanks = separator == BLANKS
    if are_blanks:
        text, separator = _with_tabs(text), "\t"
        sample = _sample(text)
    text, cut = _without_empty_end(text, separator)
    first, n_records = _look_at_every_line(text, separator)
    decimal = writing.decimal or _decimal_mark(sample, separator)
    if writing.header is not False and "\n" not in text and "\r" not in text:
        raise FileError("this file holds no objects.", need="a header and one line for each object")
    if writing.header is None and _may_be_object(first, decimal):
        raise header_or_object(", ".join(first[:6]), "it holds numbers")
    return Layout(
        text,
        separator,
        decimal,
        [str(i) for i in range(len(first))] if writing.header is False else _checked_names(first),
        writing.header is not False,
        (*notes, *([f"{cut} empty lines at the end of the file were left out"] if cut else [])),
        0 if named is None else 1,
        are_blanks,
        n_records,
        decimal if writing.decimal or decimal == "," else None,
    )


# --- encoding ---------------------------------------------------------------------------------------------


def _decoded(content: bytes, encoding: str | None) -> tuple[str, tuple[str, ...]]:
    """The text, and what to say where its encoding was not the usual one."""
    if encoding is not None:
        return _decoded_as(content, encoding), ()
    for mark, name in MARKS.items():
        if content.startswith(mark):
            return _decoded_as(content, name), ()
    if content.find(0) >= 0:
        for name, zeros in (("utf-16-le", content[1::2]), ("utf-16-be", content[::2])):
            if zeros.count(0) * 2 > len(zeros) and len(content) % 2 == 0:
                return _decoded_as(content, name), (f"encoding: read as {name}",)
        raise _no_text(content, content.find(0), "UTF-8")
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError as problem:
        place = problem.start
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        raise _no_text(content, place, "UTF-8 or cp1252") from None
    if any(ord(letter) < 32 and letter not in "\t\r\n\f" for letter in set(text)):
        raise _no_text(content, place, "UTF-8 or cp1252")
    return text, (CP1252_READ,)


def text_codec(encoding: str) -> codecs.CodecInfo:
    """The encoding of this name, which is one of texts."""
    try:
        codec = codecs.lookup(encoding)
        # bytes to bytes, as base64 is, also counts as a codec
        is_known = codec._is_text_encoding and codec.name not in NO_LETTERS
    except (LookupError, ValueError):
        is_known = False
    if not is_known:
        raise ParameterError(
            "there is no such encoding.",
            got=repr(encoding),
            need="a name such as utf-8, cp1252, latin-1 or utf-16",
            parameter="encoding",
        )
    return codec


def _decoded_as(content: bytes, encoding: str) -> str:
    codec = text_codec(encoding)
    if codec.name == "utf-8":
        encoding = "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeError as problem:
        raise _no_text(content, getattr(problem, "start", 0), encoding.removesuffix("-sig")) from None
    if "\0" in text:
        raise _no_text(content, content.find(0), encoding)
    return text.removeprefix("\ufeff")


def _no_text(content: bytes, place: int, encoding: str) -> FileError:
    place = max(0, min(place, len(content) - 1))
    return FileError(
        f"this is no text in {encoding}.",
        got=f"byte 0x{content[place]:02x} in line {content.count(bytes([10]), 0, place) + 1}",
        need="a text file with columns",
        fix="--encoding NAME if it is text in another encoding, or save it in UTF-8",
    )


# --- separator and decimal mark ---------------------------------------------------------------------------


def _sample(text: str) -> str:
    """The first lines, whole."""
    if len(text) <= SAMPLE_CHARACTERS:
        return text
    start = text[:SAMPLE_CHARACTERS]
    end = max(start.rfind("\n"), start.rfind("\r"))
    return start[:end] if end > 0 else start


def _records(text: str, separator: str) -> list[list[str]]:
    """The cells of the first lines, as far as they can be split like that."""
    lines = io.StringIO(text, newline="")
    if separator == BLANKS and '"' not in text:
        return [line.split() for line, _ in zip(lines, range(SAMPLE_LINES), strict=False)]
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True):
            rows.append([cell.strip() for cell in row])
            if len(rows) == SAMPLE_LINES:
                break
    except csv.Error:
        pass  # such as a quote that the end of the sample left open
    return rows


def _separator(sample: str, usual: str, decimal: str | None) -> str:
    """What splits each of the first lines into equally many columns, of which most are clean."""
    found: dict[str, float] = {}
    # blanks are part of words in files whose ending names another separator
    candidates = SEPARATORS + (BLANKS if usual in ("", BLANKS) else "")
    if decimal == "," and '"' not in sample:
        candidates, usual = candidates.replace(",", ""), usual.replace(",", ";")
    for separator in candidates:
        rows = _records(sample, separator)
        if len({len(row) for row in rows}) == 1 and len(rows[0]) > 1:
            others = set(SEPARATORS) - {separator, ","}  # a comma may be a decimal mark
            cells = [cell for row in rows for cell in row]
            found[separator] = sum(others.isdisjoint(cell) for cell in cells) / len(cells)
    if found:
        order = usual + candidates
        return max(found, key=lambda separator: (found[separator], -order.index(separator)))
    first = sample.lstrip().splitlines()[0]
    held = [separator for separator in candidates if separator in first]
    if not held:
        _refuse_title(sample, candidates.replace(BLANKS, "").replace(",", ""))
    if usual in held or not held:  # one column, or lines of different lengths, which are told with it
        return usual or candidates[0]
    return max(held, key=first.count)


def _refuse_title(sample: str, separators: str) -> None:
    """Refuse a first line that is no header of the columns below it."""
    for separator in separators:
        widths = {len(row) for row in _records(sample, separator)[1:]}
        if len(widths) == 1 and max(widths) > 1:
            raise FileError(
                f"the lines below the first seem to be separated by {separator!r}, and the first is not.",
                got=sample.splitlines()[0][:80],
                need="the names of all columns in the first line",
                fix="delete line 1 if it is a title; put texts in double quotes if this is one column",
            )


def _with_tabs(text: str) -> str:
    """A text whose columns are separated by any number of blanks, with one tab between them."""
    if '"' not in text:
        return "\n".join(["\t".join(line.split()) for line in io.StringIO(text)])
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    lines = (line.strip().replace("\t", " ") for line in io.StringIO(text))
    try:
        rows = list(csv.reader(lines, delimiter=" ", skipinitialspace=True, strict=True))
    except csv.Error as problem:
        raise FileError("this file is malformed.", got=str(problem), need=WELL_FORMED) from None
    if len(rows) > 1 and {len(row) for row in rows[1:]} == {len(rows[0]) + 1}:
        rows[0] = ["", *rows[0]]  # R writes names of rows, and no name above them
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def _without_empty_end(text: str, separator: str) -> tuple[str, int]:
    """The text without lines at its end that hold separators only, as spreadsheets write them."""
    content = text.rstrip(separator + " \t\r\n")
    end = re.compile(r"[\r\n]").search(text, len(content))
    if end is None or not content:
        return text, 0
    tail = text[end.start() :]
    return text[: end.start()], tail.count("\n") or tail.count("\r")


def _decimal_mark(sample: str, separator: str) -> str:
    """A comma where cells can be read in no other way: 1,5 or 0,250 but not 1,500."""
    if separator == ";":
        _refuse_grouping_dots(sample)
    if "," not in sample or (separator == "," and '"' not in sample):
        return "."
    cells = {cell for row in _records(sample, separator)[1:] for cell in row if "," in cell}
    decimal = {cell for cell in cells if DECIMAL_COMMA.fullmatch(cell)}
    if any(not MAY_BE_EITHER.fullmatch(cell) for cell in decimal):
        is_grouped = any(GROUPED_BY_COMMAS.fullmatch(cell) for cell in cells - decimal)
        return "." if is_grouped else ","
    return "."


def _refuse_grouping_dots(sample: str) -> None:
    """An error for a column of whole numbers below 1000 and others such as 1.304: most likely 1304.

    Only where semicolons separate columns, as programs write that have dots between thousands.
    """
    rows = _records(sample, ";")
    for column in zip(*rows[1:], strict=False):
        cells = {cell.strip() for cell in column} - {""}
        dotted = {cell for cell in cells if "." in cell}
        if not dotted or dotted == cells:
            continue
        if all(DOT_MAY_BE_EITHER.fullmatch(c) for c in dotted) and all(
            SMALL_WHOLE.fullmatch(c) for c in cells - dotted
        ):
            raise FileError(
                "dots in this file may be decimal marks or thousands separators.",
                got=f"{min(dotted)} beside {min(cells - dotted)}",
                need="to know which, or numbers without thousands separators",
                fix=Phrase(
                    Setting("decimal", "."),
                    " if they are decimal marks, ",
                    Setting("decimal", ","),
                    " if they stand between thousands",
                ),
                parameter="decimal",
            )


def about_marks(column: str, cell: str) -> FileError:
    """The error for numbers whose commas, or dots, may be two things."""
    mark, other, noun = (",", ".", "commas") if "," in cell else (".", ",", "dots")
    return FileError(
        f"column {column!r} holds {noun} that may be decimal marks or thousands separators.",
        got=cell,
        need="to know which, or numbers without thousands separators",
        fix=Phrase(
            Setting("decimal", mark),
            " if they are decimal marks, ",
            Setting("decimal", other),
            " if they stand between thousands",
        ),
    )


# --- lines and header -------------------------------------------------------------------------------------


def _look_at_every_line(text: str, separator: str, lines_above: int = 0) -> tuple[list[str], int]:
    """The cells of the first line, and how many there are, after a look at every line.

    All have the same number of columns, and their quotes are closed.
    """
    if '"' not in text:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        is_even = len({line.count(separator) for line in lines}) == 1 and "" not in lines
        if is_even and max(map(len, lines)) < csv.field_size_limit():
            return lines[0].split(separator), len(lines)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True
    )
    try:
        first = next(reader, [])
        n_records = 1
        for fields in reader:
            n_records += 1
            if len(fields) != len(first):
                raise _ragged(len(first), len(fields), lines_above + reader.line_num, separator)
    except csv.Error as problem:
        raise FileError(
            "this file is malformed.",
            got=f"line {lines_above + reader.line_num}: {problem}",
            need=WELL_FORMED,
        ) from None
    return first, n_records


def _ragged(first: int, here: int, line: int, separator: str) -> FileError:
    fix = None
    if here == 0:
        fix = "write NA in the empty line if a value is missing there, or delete it"
    elif first == 1 and separator == ",":
        fix = Phrase(Setting("decimal", ","), " if these are decimal commas in a single column")
    return FileError(
        "this file is malformed: its lines have different numbers of columns.",
        got=f"{first} in the first line, {here} in line {line}",
        need=f"the same number of columns in every line, separated by {separator!r}",
        fix=fix,
    )


def _may_be_object(first: Sequence[str], decimal: str) -> bool:
    """Whether the first line holds numbers only, as an object would."""
    names = [name.strip() for name in first]
    # pandas names the columns of a matrix 0, 1, 2, ...; up to 1 this may as well be an object
    is_counted = len(names) > 2 and names == [str(i) for i in range(len(names))]
    return not is_counted and all(as_number(name.replace(decimal, ".")) is not None for name in names)


def _checked_names(first: Sequence[str]) -> list[str]:
    names = [name.strip() for name in first]
    # a separator at the end of each line makes columns without a name
    names = [name or (f"column {i + 1}" if i else "") for i, name in enumerate(names)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(
            "two columns have the same name.", got=repr(twice[0]), need="different names in the first line"
        )
    return names


def header_or_object(first_line: str, reason: str) -> FileError:
    """The error for a first line that two readings fit."""
    return FileError(
        f"the first line of this file may be no header: {reason}.",
        got=first_line,
        need="to know whether the first line holds the names of the columns",
        fix="--no-header if it is the first object, --header if these are names",
    )


def as_number(text: str) -> int | float | None:
    """The number that a text spells, whole where it is, or None."""
    if "_" in text:  # Python reads 1_000 as a number, other programs do not
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number
