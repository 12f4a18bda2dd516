"""Clusterings and data from files: CSV, TSV (also gzipped), .npy and .npz. Nothing is unpickled."""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from partita.arrays import missing_labels
from partita.errors import (
    FileError,
    MismatchError,
    ParameterError,
    PartitaError,
    PartitionError,
    Phrase,
    near_names,
)
from partita.partitions import as_partition

__all__ = ["read_data", "read_partition", "read_weights"]

SEPARATORS = {".csv": ",", ".tsv": "\t"}
OTHER_SEPARATORS = ";,\t|"
MISSING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "NULL", "null", "None"]
WELL_FORMED = "lines of equally many columns; a text that holds the separator in double quotes"
WHICH_COLUMNS = "if some are no memberships: --truth-column / --found-column NAME, --id NAME"


def read_partition(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    id_column: str | None = None,
    kind: str | None = None,
    header: bool | None = None,
    normalize: bool = False,
) -> Any:
    """Read one clustering from a file.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv`` (also ``.gz``), ``.npy``, or ``.npz`` (one array, or "mass" and "F").
    columns : list of str, optional
        One column of labels, or several of memberships. By default all but the identifiers. In a ``.npz``
        file, the name of the array.
    id_column : str, optional
        The column that names the objects. A first column without a name, as pandas writes it, is one.
    kind : str, optional
        How to read a matrix, for example ``"possibilistic"``.
    header : bool, optional
        Whether the first line holds the names of the columns. By default it does, and a first line that may
        as well be an object is refused.
    normalize : bool
        Divide each row of memberships by its sum first.
    """
    with _named(path) as file:
        if file.suffix.lower() in (".npy", ".npz"):
            return _from_numpy(file, columns, id_column, kind, normalize)
        return _from_text(file, columns, id_column, kind, header, normalize)


def read_data(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    leave_out: Sequence[str] = (),
    id_column: str | None = None,
    header: bool | None = None,
) -> Any:
    """Read data, one line for each object, one column for each feature, as a pandas frame or an array.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv`` (also ``.gz``), ``.npy``, or ``.npz`` with one array.
    columns, leave_out : lists of str
        Which columns are features; by default all but those left out and the identifiers.
    id_column, header : str, bool
        As in `read_partition`.
    """
    with _named(path) as file:
        if file.suffix.lower() in (".npy", ".npz"):
            return next(iter(_loaded(file, columns).values()))
        text = _TextTable(file, id_column, header)
        _check_names([*(columns or ()), *leave_out], text.free, "column")
        chosen = list(columns) if columns is not None else [c for c in text.free if c not in leave_out]
        frame = text.frame(labels=[])
        words = _words(frame, chosen)
        if words or not chosen:
            raise FileError(
                "features are numbers, and not all of these columns are."
                if words
                else "there are no features.",
                got=f"words in {', '.join(map(repr, words[:5]))}" if words else ", ".join(text.names),
                need="columns of numbers",
                fix="--columns NAME,NAME for the features, or --id and --labels for those that are none",
            )
        index = None if text.id is None else _identifiers(frame[text.id], text.id)
        return frame[chosen] if index is None else frame[chosen].set_axis(index)


@contextmanager
def _named(path: str | Path) -> Iterator[Path]:
    """The file; whatever goes wrong with it is told with its name."""
    try:
        file, shown = Path(path), str(path) or "''"
        os.fsencode(file)
        is_name = "\0" not in shown
    except (TypeError, ValueError):
        is_name = False
    if not is_name:
        raise FileError("this is no name of a file.", got=repr(path), need="a path that the system knows")
    try:
        if file.is_dir():
            raise FileError("this is a directory.", need="a file")
        yield file
    except PartitaError as problem:
        problem.got = Phrase(f"{shown}: ", problem.got) if problem.got else shown
        raise
    except FileNotFoundError:
        raise FileError("there is no such file.", got=shown, need="a file that can be read") from None
    except (OSError, EOFError, zlib.error) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileError(
            "this file cannot be read.", got=f"{shown}: {reason}", need="a whole file that may be read"
        ) from None


def _words(frame: Any, columns: Sequence[str]) -> list[str]:
    """The columns that are no numbers."""
    kinds = dict(zip(frame.columns, (dtype.kind for dtype in frame.dtypes), strict=True))
    return [name for name in columns if kinds[name] not in "biuf"]


def _check_names(wanted: Sequence[str], known: Sequence[str], noun: str) -> None:
    there = set(known)
    for name in wanted:
        if name not in there:
            raise near_names(name, known, noun=noun)


# --- NumPy ------------------------------------------------------------------------------------------------


def _from_numpy(
    file: Path, columns: Sequence[str] | None, id_column: str | None, kind: str | None, normalize: bool
) -> Any:
    if id_column is not None:
        raise ParameterError(
            "arrays have no column of identifiers.",
            need="a .csv or .tsv file",
            fix="leave --id away if both files have the same objects in the same order",
        )
    arrays = _loaded(file, columns)
    if len(arrays) > 1:
        return as_partition(arrays, kind, normalize=normalize)
    ((name, array),) = arrays.items()
    if not isinstance(array, np.ndarray):
        raise FileError("this .npz file holds something else than arrays.", got=name, need="an array")
    return as_partition(array, kind, normalize=normalize)


def _loaded(file: Path, columns: Sequence[str] | None) -> dict[str, Any]:
    with file.open("rb") as stream:
        try:
            return _arrays(np.load(stream, allow_pickle=False), columns)
        except PartitaError:
            raise
        except Exception as problem:  # noqa: BLE001 (numpy's parsers let pass whatever they meet)
            raise FileError(
                "this is no NumPy file of plain numbers or texts.",
                got=str(problem).partition("\n")[0],
                need="an array saved by numpy.save or numpy.savez, whole, without Python objects in it",
            ) from None


def _arrays(loaded: Any, columns: Sequence[str] | None) -> dict[str, Any]:
    """The one array that is wanted, by name, or masses with their focal sets."""
    if isinstance(loaded, np.ndarray):
        if columns is not None:
            raise ParameterError(
                "a .npy file has no named columns.", got=", ".join(columns), need="no column for this file"
            )
        return {"": loaded}
    names = list(loaded.files)
    _check_names(columns or (), names, "array")
    wanted = list(columns or names)
    if columns is None and {"mass", "F"} <= set(names):
        wanted = ["mass", "F"]
    elif len(wanted) != 1:
        raise FileError(
            "a clustering is one array, and this file holds several." if wanted else "this file is empty.",
            got=", ".join(wanted) or None,
            need='one array, or "mass" and "F"',
            fix="--truth-column / --found-column NAME" if wanted else None,
        )
    return {name: loaded[name] for name in wanted}


# --- text -------------------------------------------------------------------------------------------------


def _from_text(
    file: Path,
    columns: Sequence[str] | None,
    id_column: str | None,
    kind: str | None,
    header: bool | None,
    normalize: bool,
) -> Any:
    text = _TextTable(file, id_column, header)
    _check_names(columns or (), text.free, "column" if text.id is None else "column beside the identifiers")
    chosen = list(columns or text.free)
    if not chosen:
        raise FileError("this file holds identifiers only.", got=repr(text.id), need="a column of labels")
    frame = text.frame(labels=chosen if len(chosen) == 1 else [])
    words = _words(frame, chosen) if len(chosen) > 1 else []
    if words:
        raise FileError(
            "several columns are read as a matrix of memberships, and not all of them are numbers.",
            got=f"words in {', '.join(map(repr, words[:5]))}",
            need="one column of labels, or columns of memberships only",
            fix=WHICH_COLUMNS,
        )
    index = None if text.id is None else _identifiers(frame[text.id], text.id)
    try:
        values = _labels(frame[chosen[0]], header) if len(chosen) == 1 else frame[chosen]
        part = as_partition(values if index is None else values.set_axis(index), kind, normalize=normalize)
    except PartitionError as problem:
        if columns is None and len(chosen) > 1:
            problem.fix = Phrase(problem.fix, "; ", WHICH_COLUMNS) if problem.fix else WHICH_COLUMNS
        raise
    part.index = index
    return part


def read_weights(
    path: str | Path, column: str, *, id_column: str | None = None, header: bool | None = None
) -> Any:
    """Read how often each object counts from a column of a text file, as a pandas series."""
    with _named(path) as file:
        text = _TextTable(file, id_column, header)
        _check_names([column], text.free, "column")
        frame = text.frame(labels=[])
        if frame[column].dtype.kind not in "biuf" or frame[column].isna().any():
            raise FileError("weights are no numbers.", got=f"column {column!r}", need="a number in each line")
        weights = frame[column]
        return weights if text.id is None else weights.set_axis(_identifiers(frame[text.id], text.id))


class _TextTable:
    """A text file whose lines have been looked at, and its columns: identifiers and the free ones."""

    def __init__(self, file: Path, id_column: str | None, header: bool | None) -> None:
        packed = file.suffix.lower() == ".gz"
        separator = SEPARATORS.get((Path(file.stem) if packed else file).suffix.lower())
        if separator is None:
            known = ".csv, .tsv, .csv.gz, .tsv.gz, .npy or .npz"
            raise FileError("this kind of file is not known.", need=known)
        self._text = _text(file.read_bytes(), packed)
        self._separator = separator
        self._header = header
        self.names = _column_names(self._text, separator, header)
        self.id = "" if id_column is None and self.names[0] == "" and len(self.names) > 1 else id_column
        if self.id is not None:
            _check_names([self.id], self.names, "column")
        self.free = [name for name in self.names if name != self.id]

    def frame(self, labels: Sequence[str]) -> Any:
        """All columns as a pandas frame; labels and identifiers stay text."""
        import pandas as pd

        try:
            return pd.read_csv(
                io.StringIO(self._text, newline=""),
                sep=self._separator,
                names=self.names,
                header=None if self._header is False else 0,
                index_col=False,
                skipinitialspace=True,
                skip_blank_lines=False,
                keep_default_na=False,
                na_values=MISSING if self.id is None else dict.fromkeys(self.free, MISSING),
                dtype=dict.fromkeys([*labels, *([] if self.id is None else [self.id])], object),
                low_memory=False,
            )
        except (ValueError, OverflowError) as problem:
            raise FileError("this file is malformed.", got=str(problem).strip(), need=WELL_FORMED) from None


def _text(raw: bytes, packed: bool) -> str:
    content = gzip.decompress(raw) if packed else raw
    try:
        text = content.decode("utf-8-sig")
        place = content.find(0)
    except UnicodeDecodeError as problem:
        place = problem.start
    if place >= 0:
        raise FileError(
            "this is no text in UTF-8.",
            got=f"byte 0x{content[place]:02x} in line {content.count(bytes([10]), 0, place) + 1}",
            need="a text file with columns",
            fix="save it in the encoding UTF-8",
        )
    return text.rstrip("\r\n")


def _column_names(text: str, separator: str, header: bool | None) -> list[str]:
    """The names in the first line, after a look at every line: same number of columns, quotes closed."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    try:
        first = next(lines, [])
        for fields in lines:
            if len(fields) != len(first):
                raise FileError(
                    "this file is malformed: its lines have different numbers of columns.",
                    got=f"{len(first)} in the first line, {len(fields)} in line {lines.line_num}",
                    need=f"the same number of columns in every line, separated by {separator!r}",
                )
    except csv.Error as problem:
        raise FileError(
            "this file is malformed.", got=f"line {lines.line_num}: {problem}", need=WELL_FORMED
        ) from None
    if not first or (lines.line_num < 2 and header is not False):
        raise FileError("this file holds no objects.", need="a header and one line for each object")
    other = next((s for s in OTHER_SEPARATORS if len(first) == 1 and s in first[0]), None)
    if other is not None:
        raise FileError(
            f"this file seems to be separated by {other!r}.",
            got=first[0],
            need=f"columns separated by {separator!r}",
            fix="save it as .csv with commas, or as .tsv with tabs",
        )
    if header is False:
        return [str(i) for i in range(len(first))]
    names = [name.strip() for name in first]
    # pandas names the columns of a matrix 0, 1, 2, ...; up to 1 this may as well be an object
    is_counted = len(names) > 2 and names == [str(i) for i in range(len(names))]
    if header is None and not is_counted and all(_number(name) is not None for name in names):
        raise _header_or_object(", ".join(names[:6]), "it holds numbers")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(
            "two columns have the same name.", got=repr(twice[0]), need="different names in the first line"
        )
    return names


def _header_or_object(first_line: str, reason: str) -> FileError:
    return FileError(
        f"the first line of this file may be no header: {reason}.",
        got=first_line,
        need="to know whether the first line holds the names of the columns",
        fix="--no-header if it is the first object, --header if these are names",
    )


def _identifiers(column: Any, name: str) -> Any:
    """Identifiers stay text: 007 and 7 are two objects."""
    import pandas as pd

    index = pd.Index(column.str.strip(), dtype=object)
    wrong = index[index.duplicated() | (index == "")]
    if len(wrong):
        raise MismatchError(
            "identifiers are repeated or missing, so files cannot be joined on them.",
            got=f"column {name!r}: {wrong[0]!r} ({len(wrong)} such lines)",
            need="each object once",
            fix="drop this column (or --id) if both files have the same objects in the same order",
        )
    return index


def _labels(column: Any, header: bool | None) -> Any:
    """A column of texts as labels, whole numbers where all are; a label with two spellings is refused."""
    import pandas as pd

    codes, texts = pd.factorize(column)
    if (codes < 0).any():
        raise missing_labels(int((codes < 0).sum()), len(codes))
    if header is None and column.name in texts:
        raise _header_or_object(str(column.name), "it is also the label of an object")
    numbers = [_number(text) for text in texts]
    meanings = [text.strip() if n is None else n for text, n in zip(texts, numbers, strict=True)]
    seen: dict[Any, str] = {}
    for text, meaning in zip(texts, meanings, strict=True):
        if seen.setdefault(meaning, text) != text:
            raise PartitionError(
                "one label is spelled in two ways.",
                got=f"{seen[meaning]!r} and {text!r}",
                need="the same text for the same cluster, a clearly different one for another",
            )
    if None in numbers or any(abs(n or 0) >= 2**63 for n in numbers):
        return pd.Series(np.array([text.strip() for text in texts], dtype=object)[codes])
    return pd.Series(np.array(numbers)[codes])


def _number(text: str) -> int | float | None:
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
