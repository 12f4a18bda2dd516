"""Clusterings in tables: one column of labels, or a column of memberships for each cluster."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from partita.errors import FileError, PartitionError, Phrase, Setting
from partita.files.identifiers import identifiers_of
from partita.files.joining import Side
from partita.files.missing import check_policy, missing_labels_in, missing_texts, told_missing
from partita.files.tables import Cells, Table
from partita.files.text import as_number, header_or_object
from partita.files.words import refuse_words_among_numbers, word_columns
from partita.partitions import as_partition

LABEL_COLUMNS = Setting("label_columns", words="columns")
WHICH_COLUMNS = Phrase(
    "if some are no memberships: ", LABEL_COLUMNS, " NAME, ", Setting("id_column"), " NAME"
)

PLACEHOLDERS = {"-", "--", ".", "..", "?", "missing", "unknown", "n.a.", "na.", "nil", "*"}
"""Texts, in lower case, that beside numbers stand for a value that is not there."""


def clustering_in(
    table: Table,
    columns: Sequence[str] | None,
    id_column: str | None,
    kind: str | None,
    *,
    normalize: bool = False,
    missing: str = "raise",
    noise_label: str | None = None,
    by_row: bool = False,
    no_memberships: Collection[str] = (),
) -> Side:
    """The clustering in a table.

    Parameters
    ----------
    columns : list of str, optional
        One column of labels, or several of memberships; by default all but the identifiers.
    id_column : str, optional
        The column that names the objects; by default a first column without a name.
    missing : {"raise", "drop", "noise"}
        What to do with objects whose label or memberships are missing; only labels can be noise.
    noise_label : str, optional
        The label of noise, where it is another than -1.
    by_row : bool
        Whether identifiers are only left out, not read: the objects are taken as they lie.
    no_memberships : list of str
        Other columns that are left out unless they are asked for.
    """
    check_policy(missing, ("raise", "drop", "noise"))
    names = table.row_names if id_column is None else id_column
    chosen = columns_of_clustering(table, columns, id_column, no_memberships)
    texts = [] if names is None or by_row else [names]
    if len(chosen) == 1:
        cells = table.cells(chosen[0])
        frame = table.read([], texts) if texts else cells.values
        values, kept = _labels(table, chosen[0], cells, missing)
    else:
        frame = table.read(chosen, texts)
        values, kept = _memberships(table, frame[chosen], missing)
    notes = table.notes
    if table.are_rounded_memberships and len(chosen) > 1 and not normalize and _are_rounded(values):
        normalize = True
        notes += (f"{table.path}: memberships are rounded, so each row was divided by its sum",)
    index = identifiers_of(frame[texts[0]], texts[0]) if texts else None
    own_index = index if index is None or kept is None else index[kept]
    try:
        part = as_partition(
            values if own_index is None else values.set_axis(own_index),
            kind,
            normalize=normalize,
            noise_label=noise_label,
            missing="noise" if missing == "noise" and len(chosen) == 1 else "raise",
        )
    except PartitionError as problem:
        if isinstance(problem.got, Phrase) and len(chosen) > 1:
            lines = np.arange(len(frame)) if kept is None else np.flatnonzero(kept)
            problem.got = problem.got.told(
                lambda s: table.place(int(lines[s.value])) if s.name == "row" else str(s)
            )
        if columns is None and len(chosen) > 1:
            problem.fix = Phrase(problem.fix, "; ", WHICH_COLUMNS) if problem.fix else WHICH_COLUMNS
        raise
    part.index = own_index
    if kept is not None:
        told = f"memberships: {int((~kept).sum())} of {len(kept)} objects"
        told = f"labels: {told_missing(table, chosen[0], ~kept)}" if len(chosen) == 1 else told
        notes += (f"missing in {table.path}, {told}",)
    return Side(part, len(frame), kept, index, notes)


def columns_of_clustering(
    table: Table, columns: Sequence[str] | None, id_column: str | None, no_memberships: Collection[str]
) -> list[str]:
    """The column of labels, or those of memberships: as asked for, or all but identifiers."""
    names = table.row_names if id_column is None else id_column
    table.check([] if names is None else [names])
    free = [name for name in table.names if name != names]
    table.check(columns or (), free, "column" if names is None else "column beside the identifiers")
    aside = {table.row_names, *no_memberships}
    chosen = list(columns or (name for name in free if name not in aside))
    if not chosen:
        raise FileError("this file holds identifiers only.", got=repr(names), need="a column of labels")
    if len(set(chosen)) < len(chosen):
        raise PartitionError(
            "two columns of memberships have the same name.",
            got=", ".join(map(repr, chosen[:6])),
            need="each column once",
        )
    return chosen


def _memberships(table: Table, frame: Any, missing: str) -> tuple[Any, Any]:
    """Columns of memberships, and which objects are kept (None if all)."""
    words = word_columns(frame)
    if words:
        refuse_words_among_numbers(table, frame, words)
        raise FileError(
            "several columns are read as a matrix of memberships, and not all of them are numbers.",
            got=f"words in {', '.join(map(repr, words[:5]))}",
            need="one column of labels, or columns of memberships only",
            fix=WHICH_COLUMNS,
        )
    gaps = np.asarray(frame.isna().any(axis=1)) if missing == "drop" else np.zeros(1, dtype=bool)
    if not gaps.any() or gaps.all():
        return frame, None
    return frame[~gaps].reset_index(drop=True), ~gaps


def _are_rounded(frame: Any) -> bool:
    """Whether rows miss one as a sum, but by no more than the digits that they are printed with."""
    values = frame.to_numpy(dtype=float)
    if not ((values >= 0) & (values <= 1)).all():
        return False
    off = np.abs(values.sum(axis=1) - 1).max()
    for digits in range(1, 10):
        scaled = values * 10**digits
        if np.abs(scaled - np.round(scaled)).max() < 1e-6:
            return bool(1e-12 < off <= values.shape[1] * 0.5 / 10**digits + 1e-12)
    return False


def _labels(table: Table, name: str, cells: Cells, missing: str) -> tuple[Any, Any]:
    """A column as labels, whole numbers where all are, and which objects are kept (None if all)."""
    import pandas as pd

    if cells.texts is None:
        return pd.Series(cells.values), None
    is_gap = missing_texts(pd.Series(cells.texts, dtype=object))
    occurs = np.bincount(cells.values, minlength=len(is_gap)) > 0
    kept = None
    if (is_gap & occurs).any():
        kept = ~is_gap[cells.values]
        if missing == "raise" or not kept.any():
            raise missing_labels_in(table, name, ~kept)
    known = [text for text, is_label in zip(cells.texts, occurs & ~is_gap, strict=True) if is_label]
    by_text = dict(zip(known, label_meanings(known, name, table.header), strict=True))
    labels = np.array([by_text.get(text) for text in cells.texts], dtype=object)
    if not any(isinstance(label, str) for label in by_text.values()):
        labels = np.array([by_text.get(text, 0) for text in cells.texts])
    if kept is None or missing == "drop":
        return pd.Series(labels[cells.values if kept is None else cells.values[kept]]), kept
    with_gaps = labels.astype(object)[cells.values]
    with_gaps[~kept] = None
    return pd.Series(with_gaps), None


def label_meanings(texts: Sequence[str], name: str, header: bool | None) -> list[Any]:
    """The labels that different texts of a column stand for: numbers where all are, else texts.

    A label that is spelled in two ways is refused.
    """
    if header is None and name in texts:
        raise header_or_object(name, "it is also the label of an object")
    numbers = [as_number(text) for text in texts]
    placeholders = [text for text in texts if text.strip().lower() in PLACEHOLDERS]
    if placeholders and len(placeholders) == numbers.count(None) < len(numbers):
        raise PartitionError(
            "labels are numbers, and some stand for none.",
            got=f"column {name!r}: {', '.join(map(repr, placeholders[:5]))} beside numbers",
            need="a label for every object, or NA where one is missing",
            fix="write NA there; then it is known as missing",
        )
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
        return [text.strip() for text in texts]
    return numbers
