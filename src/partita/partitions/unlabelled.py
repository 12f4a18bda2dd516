"""Labels that are missing: made noise, left out, or marked for all inputs to leave out together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partita.arrays import Array, objects
from partita.errors import MismatchError, ParameterError, PartitionError, Phrase, Setting
from partita.partitions.hard import HardPartition, is_missing, listed

MISSING_POLICIES = ("raise", "drop", "noise")
MARK = "mark"


def hard_with_missing(
    labels: Any, policy: str, *, names: Sequence[Any] | None, index: Any, noise_label: Any
) -> HardPartition:
    """The partition of labels of which some may be None, NaN or masked.

    "noise" gives them the label of noise. "drop" leaves their objects out, and the index names the others.
    "mark" does what "noise" does and says in ``unlabelled`` which they were.
    """
    values, missing = _split(labels)
    if not missing.any():
        return HardPartition(values, names=names, index=index, noise_label=noise_label)
    if missing.all():
        refused = MismatchError if policy == MARK else PartitionError  # marked: beside other inputs
        raise refused(
            "every label is missing.", got=f"{missing.size} labels, all None or NaN", need="some labels"
        )
    known = HardPartition(values[~missing], names=names, noise_label=noise_label)
    count = f"{int(missing.sum())} of {missing.size}"
    if policy == "drop":
        known.index = (_positions(missing.size) if index is None else index)[~missing]
        known.positions_among = missing.size if index is None else None
        known.note = f"{count} objects have no label and are left out"
        return known
    mask = known.noise_mask
    if mask is None:
        if noise_label is None and any(isinstance(name, int) and name < 0 for name in known.names):
            raise ParameterError(
                "negative labels leave no label for noise.",
                got=f"labels {[name for name in known.names if isinstance(name, int)][:5]}",
                need=Phrase(Setting("noise_label"), ", the label that missing ones get"),
                parameter="noise_label",
            )
        noise_label = -1 if noise_label is None else noise_label
    clusters = known.names if mask is not None else (*known.names, noise_label)
    place = len(clusters) - 1 if mask is None else int(known.codes[mask][0])
    codes = np.full(missing.size, place, dtype=np.int64)
    codes[~missing] = known.codes
    made = HardPartition.from_codes(codes, clusters, index=index, noise_label=noise_label)
    if policy == MARK:
        made.unlabelled = missing
    else:
        made.note = f"{count} labels are missing, and noise"
    return made


def _positions(n: int) -> Any:
    import pandas as pd

    return pd.RangeIndex(n)


def _split(labels: Any) -> tuple[Array, Array]:
    """The labels as an array, and which of them are missing."""
    if isinstance(labels, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(labels)
        values, missing = _split(np.asarray(labels.data))
        return values, missing | mask
    if not hasattr(labels, "dtype"):
        labels = objects(listed(labels))
    values = np.asarray(labels)
    if values.ndim != 1:
        return values, np.zeros(values.shape[:1], dtype=bool)
    if values.dtype.kind == "f":
        return values, np.isnan(values)
    if values.dtype.kind in "mM":
        return values, np.isnat(values)
    if values.dtype.kind == "O":
        return values, np.array([is_missing(label) for label in values.tolist()], dtype=bool)
    return values, np.zeros(values.shape, dtype=bool)
