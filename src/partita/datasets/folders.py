"""Sets in a folder of the user's: one CSV file for each, and a manifest that names them with their sums."""

from __future__ import annotations

import csv
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partita.arrays import Array
from partita.datasets.data_set import DataSet
from partita.errors import FileError

__all__ = ["Folder", "Listed", "folder_of_user"]

VARIABLE = "PARTITA_DATA"
MANIFEST = "MANIFEST.csv"
NEEDED = ("file", "n", "d", "k")
CENTRES = "_centroids"
"""The end of the name of a file with the true centres of another set."""


@dataclass(frozen=True)
class Listed:
    """A line of the manifest: a file, what it holds, where it is from, and the sum of its bytes."""

    name: str
    path: Path
    n: int
    d: int
    k: int
    source: str = ""
    sha256: str = ""
    quirks: str = ""


@dataclass(frozen=True)
class Folder:
    """The sets that a manifest names."""

    path: Path
    sets: dict[str, Listed]

    @property
    def names(self) -> list[str]:
        """Those of data sets; the files of centres belong to them."""
        return [name for name in self.sets if not name.endswith(CENTRES)]

    def load(self, name: str) -> DataSet:
        """A set of the folder, with its true centres where the folder has these too."""
        listed = self.sets[name]
        X, labels, columns = _read(listed)
        centres = self.sets.get(f"{name}{CENTRES}")
        return DataSet(
            name,
            X,
            labels,
            centres=None if centres is None else _read(centres)[0],
            feature_names=columns,
            source=f"{listed.path.name} in {VARIABLE}",
            notes=tuple(text for text in (listed.source, listed.quirks) if text),
        )


def folder_of_user() -> Folder | None:
    """The folder that the environment variable PARTITA_DATA names, or None where it names none."""
    given = os.environ.get(VARIABLE, "")
    return _folder(Path(given).expanduser()) if given else None


def _folder(path: Path) -> Folder:
    manifest = path / MANIFEST
    try:
        with manifest.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise FileError(
            f"the folder of {VARIABLE} has no manifest that can be read.",
            got=f"{manifest}: {getattr(problem, 'strerror', None) or problem}",
            need=f"a file {MANIFEST} with the columns {', '.join(NEEDED)}, source and sha256",
        ) from None
    listed = [_listed(path, row, number) for number, row in enumerate(rows, start=2)]
    return Folder(path, {one.name: one for one in listed})


def _listed(folder: Path, row: dict[str, str | None], line: int) -> Listed:
    try:
        n, d, k = (int(row[column] or 0) for column in ("n", "d", "k"))
        file = row["file"] or ""
    except (KeyError, ValueError):
        file = ""
    if not file or Path(file).name != file:
        raise FileError(
            "a line of the manifest cannot be used.",
            got=f"{folder / MANIFEST}, line {line}: {row!r:.120}",
            need="the name of a file in the folder, and whole numbers n, d and k",
        )
    texts = {column: row.get(column) or "" for column in ("source", "sha256", "quirks")}
    return Listed(file.partition(".")[0].lower(), folder / file, n, d, k, **texts)


def _whole(values: Array) -> Array:
    labels = np.nan_to_num(values).astype(np.int64)
    if not np.array_equal(labels, values):
        raise ValueError("a label is no whole number")
    return labels


def _read(listed: Listed) -> tuple[Array, Array | None, tuple[str, ...]]:
    """Features, labels and the names of the columns, of a file that is what the manifest says."""
    import pandas as pd

    path = listed.path
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise FileError(
            f"the manifest names {path.name}, which cannot be read.",
            got=f"{path}: {problem.strerror}",
            need=f"the file in the folder of {VARIABLE}",
        ) from None
    found = hashlib.sha256(content).hexdigest()
    if listed.sha256 and found != listed.sha256.lower():
        raise FileError(
            f"{path.name} is not the file that the manifest names.",
            got=f"sha256 {found}",
            need=f"sha256 {listed.sha256}",
            fix=f"get the file again, or mend the line in {MANIFEST}",
        )
    try:
        frame = pd.read_csv(path)
        labels = _whole(frame.pop("label").to_numpy(float))
        X = np.ascontiguousarray(frame.to_numpy(float))
    except (OSError, EOFError, KeyError, TypeError, ValueError) as problem:
        raise FileError(
            f"{path.name} is no table of numbers with labels.",
            got=f"{path}: {problem}",
            need="a header, columns of numbers, and a column 'label' of whole numbers",
        ) from None
    k = int(np.unique(labels[labels >= 0]).size)
    if (*X.shape, k) != (listed.n, listed.d, listed.k):
        raise FileError(
            f"{path.name} does not hold what the manifest says.",
            got=f"n = {X.shape[0]}, d = {X.shape[1]}, k = {k}",
            need=f"n = {listed.n}, d = {listed.d}, k = {listed.k}",
        )
    return X, labels if k else None, tuple(map(str, frame.columns))
