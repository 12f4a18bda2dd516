"""Clusterings that a command writes: one line for each object, whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from partita.errors import FileError
from partita.files.writing import check_target, write_whole

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
        if "\0" in self.path or not self.path.lower().endswith(".csv"):
            raise FileError(
                "labels are written as .csv.",
                got=self.path or "''",
                need="a name that ends in .csv",
                parameter=self.parameter,
            )
        check_target(self.path, overwrite=self.overwrite, inputs=inputs, parameter=self.parameter)

    def write(self, frame: Any) -> None:
        """Write a pandas frame, so that the file is there whole or not at all."""
        content = frame.to_csv(index=False, lineterminator="\n").encode("utf-8")
        write_whole(self.path, content, overwrite=self.overwrite, parameter=self.parameter)


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
