"""Values that are missing: which texts stand for them, in which columns, and what is done about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import FileError, ParameterError, PartitionError, Phrase, Setting
from partita.files.tables import MISSING, Table, stripped
from partita.partitions.data import DATA_POLICIES, FILLS

FILLED = (
    Setting("missing", "median"),
    " puts the median of the column there, ",
    Setting("missing", "mean"),
    " its mean",
)


def check_policy(missing: str, known: Sequence[str] = DATA_POLICIES) -> None:
    """Refuse what is no way to deal with missing values."""
    if missing not in known:
        need = ", ".join(f'"{policy}"' for policy in known)
        raise ParameterError(
            "no such way to deal with missing values.", got=repr(missing), need=need, parameter="missing"
        )


def missing_texts(column: Any) -> Array:
    """Which texts stand for a value that is not there."""
    return np.asarray(stripped(column).isin(MISSING))


def told_missing(table: Table, name: str, mask: Array) -> str:
    """How many values of a column are missing, how that is written, and where first."""
    texts = stripped(table.read([], [name])[name][mask])
    return told_counts(name, Counter(texts), len(mask), table.place(int(np.flatnonzero(mask)[0])))


def told_counts(name: str, counts: Mapping[str, int], n: int, first: str) -> str:
    """The same, where it is known how often each text stands for a value that is not there."""
    named: Counter[str] = Counter()
    for text, count in counts.items():
        named[text.strip() or "empty"] += count
    written = ", ".join(
        f"{text} {count} times" if count > 1 else text for text, count in named.most_common(4)
    )
    return f"column {name!r}: {named.total()} of {n} ({written}; the first in {first})"


def missing_labels_in(table: Table, name: str, mask: Array) -> PartitionError:
    """The error for objects without a label."""
    return labels_are_missing(told_missing(table, name, mask), is_all=bool(mask.all()))


def labels_are_missing(told: str, *, is_all: bool) -> PartitionError:
    """The error for so many objects without a label."""
    return PartitionError(
        "all labels are missing." if is_all else "labels are missing.",
        got=told,
        need="a label for every object",
        fix=None
        if is_all
        else Phrase(
            Setting("missing", "drop"),
            " leaves these objects out, ",
            Setting("missing", "noise"),
            " makes them noise",
        ),
    )


def settle_features(table: Table, frame: Any, missing: str) -> tuple[Any, Array | None, tuple[str, ...]]:
    """Features without gaps, which objects are kept (None if all), and what to say.

    By default gaps are refused; ``"drop"`` leaves these objects out, ``"median"`` and ``"mean"`` put that of
    the column there.
    """
    check_policy(missing)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = frame.to_numpy(dtype=float).sum(axis=0)
    doubtful = frame.columns[~np.isfinite(sums)]
    _refuse_infinite(table, frame[doubtful])
    gaps = {name: np.asarray(frame[name].isna()) for name in doubtful}
    gaps = {name: mask for name, mask in gaps.items() if mask.any()}
    if not gaps:
        return frame, None, ()
    counts = counts_of_gaps({name: int(mask.sum()) for name, mask in gaps.items()})
    if missing == "raise":
        name, mask = next(iter(gaps.items()))
        more = f"; in all: {counts}" if len(gaps) > 1 else ""
        raise FileError(
            "features have missing values.",
            got=f"{told_missing(table, name, mask)}{more}",
            need="a number in each cell",
            fix=Phrase(
                Setting("missing", "drop"),
                " leaves these objects out, ",
                *FILLED,
            ),
            parameter="missing",
        )
    anywhere = np.logical_or.reduce(list(gaps.values()))
    if missing in FILLS:
        middles = getattr(frame[list(gaps)], missing)()
        return frame.fillna(middles), None, (f"missing values: {counts}; {_put(missing)}",)
    if anywhere.all():
        raise FileError(
            "no object is left.",
            got=f"missing values: {counts}",
            need="an object whose values are there",
            fix=Phrase(*FILLED),
        )
    note = f"missing values: {counts}; {int(anywhere.sum())} of {len(anywhere)} objects left out"
    return frame[~anywhere].reset_index(drop=True), ~anywhere, (note,)


def counts_of_gaps(gaps: Mapping[str, int]) -> str:
    """How many values are missing in each column."""
    counts = ", ".join(f"{name} {count}" for name, count in list(gaps.items())[:6])
    return counts + (f", ... ({len(gaps)} columns)" if len(gaps) > 6 else "")


def settle_array(array: Any, missing: str) -> tuple[Any, Array | None, tuple[str, ...]]:
    """The same for an array without names; where gaps are refused, that is left to who uses it."""
    is_matrix = isinstance(array, np.ndarray) and array.ndim == 2 and array.dtype.kind == "f"
    gaps = np.asarray(np.isnan(array) if is_matrix and missing != "raise" else [[False]])
    anywhere = np.logical_or.reduce(gaps, axis=1)
    if not anywhere.any() or anywhere.all() or gaps.all(axis=0).any():
        return array, None, ()
    if missing in FILLS:
        filled = np.where(gaps, FILLS[missing](array, axis=0), array)
        return filled, None, (f"missing values: {int(gaps.sum())}; {_put(missing)}",)
    note = f"missing values: {int(gaps.sum())}; {int(anywhere.sum())} of {len(array)} objects left out"
    return array[~anywhere], ~anywhere, (note,)


def _put(missing: str) -> str:
    return f"the {missing} of the column was put there"


def _refuse_infinite(table: Table, frame: Any) -> None:
    for name in frame.columns:
        values = frame[name].to_numpy()
        if values.dtype.kind == "f" and np.isinf(values).any():
            wrong = np.flatnonzero(np.isinf(values))
            first = table.place(int(wrong[0]))
            raise FileError(
                "features have infinite values.",
                got=f"column {name!r}: {len(wrong)} of {len(values)}, the first in {first}",
                need="finite numbers",
                fix=Phrase("write NA there, then ", Setting("missing", "drop"), ', "median" or "mean"'),
            )
