"""Clusterings that a command writes: one line for each object, whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from partita.errors import FileError, Phrase, Setting

overwrite_option = click.option(
    "--overwrite", is_flag=True, help="Replace a file that is there already; never one that is read."
)

COLUMNS = {"fuzzy": "membership", "possibilistic": "typicality", "rough": "possible"}
"""What the columns of a soft clustering hold, by its kind; of an evidential one, pignistic probabilities."""


@dataclass(frozen=True)
class LabelFile:
    """A CSV file that is to be written.

    Attributes
    ----------
    path : str
        Where.
    parameter : str
        The option that named it.
    overwrite : bool
        Whether a file that is there may be replaced.
    """

    path: str
    parameter: str
    overwrite: bool = False

    def check(self, *inputs: str | None) -> None:
        """Refuse what cannot be written, before anything is computed, and any file that is read."""
        file = Path(self.path)
        if "\0" in self.path or file.suffix.lower() != ".csv":
            raise self._refused("labels are written as .csv.", need="a name that ends in .csv")
        if any(_is_same(file, Path(read)) for read in inputs if read not in (None, "-")):
            raise self._refused("this file is read, so it is not written.", need="another name")
        self._check_place()

    def _check_place(self) -> None:
        import os

        file = Path(self.path)
        try:
            is_folder, has_folder, is_there = file.is_dir(), file.parent.is_dir(), file.exists()
        except OSError as problem:  # a name too long, a loop of links
            raise self._refused("this file cannot be written.", reason=problem.strerror) from None
        if is_folder:
            raise self._refused("this is a directory.", need="the name of a file")
        if not has_folder:
            raise self._refused("there is no such folder.", need="a folder that is there")
        if is_there and not self.overwrite:
            raise self._refused(
                "this file is there already.",
                need="another name",
                fix=Phrase(Setting("overwrite"), " replaces it"),
            )
        if not os.access(file.parent, os.W_OK):
            raise self._refused("nothing may be written to this folder.", need="a folder of your own")

    def write(self, frame: Any) -> None:
        """Write a pandas frame, so that the file is there whole or not at all."""
        import os

        self._check_place()  # it may have come meanwhile
        target = Path(self.path).resolve()  # a link stays one
        part = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
        try:
            with part.open("x", encoding="utf-8", newline="") as file:
                frame.to_csv(file, index=False, lineterminator="\n")
            part.replace(target)
        except OSError as problem:
            raise self._refused("this file cannot be written.", reason=problem.strerror) from None
        finally:
            part.unlink(missing_ok=True)

    def _refused(
        self, what: str, *, need: str | None = None, fix: str | None = None, reason: str | None = None
    ) -> FileError:
        got = f"{self.path}: {reason}" if reason else self.path
        needed = need or ("a place that may be written to" if reason else None)
        return FileError(what, got=got or "''", need=needed, fix=fix, parameter=self.parameter)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except OSError:
        return False


def label_frame(partition: Any, objects: Any, *, keeps_all: bool) -> Any:
    """Each object with its label, and of a soft clustering how far it belongs to each cluster.

    Parameters
    ----------
    partition : Partition
        Of the objects that were kept.
    objects : Objects
        Those of the file.
    keeps_all : bool
        Whether objects that were left out have a line too, with nothing but their name.
    """
    import pandas as pd

    columns = label_columns(partition)
    names = objects.names
    of_kept = pd.DataFrame(columns, index=objects.lines)
    whole = of_kept.reindex(names.index) if keeps_all else of_kept
    if keeps_all and len(of_kept) < len(names):  # whole numbers stay whole beside gaps
        whole = whole.convert_dtypes()
    label = "label" if names.name != "label" else "cluster"
    whole = whole.rename(columns={"label": label})
    whole.insert(0, names.name, names.loc[whole.index], allow_duplicates=True)
    return whole


def label_columns(partition: Any) -> dict[str, Any]:
    """The label of each object, and of a soft clustering a column for each cluster and the uncertainty.

    The uncertainty is one minus the largest value of the object: of its memberships, or of what stands for
    them.
    """
    import numpy as np

    kind = partition.kind.value
    if kind == "hard":
        return {"label": np.asarray(partition.labels)}
    if kind == "rough":
        values = np.asarray(partition.possible, dtype=int)
        shares = values / values.sum(axis=1, keepdims=True)
    else:
        soft = partition.pignistic() if kind == "evidential" else partition
        values = soft.memberships()
        values = shares = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    word = COLUMNS.get(kind, "probability")
    each = {f"{word}_{name}": values[:, j] for j, name in enumerate(partition.names)}
    return {"label": np.asarray(partition.harden().labels), **each, "uncertainty": 1.0 - shares.max(axis=1)}
