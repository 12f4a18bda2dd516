"""Two files of the same objects: joined on identifiers where both have them, by row otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import MismatchError, ParameterError
from partita.files.identifiers import (
    best_identifier,
    lengths_of_files_differ,
    like_identifiers,
    places,
    refuse_other_names,
    shared_identifiers,
    shown_name,
)
from partita.files.tables import Table
from partita.partitions import Partition
from partita.partitions.word_columns import PROFILED, Profiled


@dataclass(frozen=True)
class Side:
    """What was read from one file, and of which lines.

    Attributes
    ----------
    content : clustering, frame or array
        Of the objects that are kept.
    kept : array of bool, optional
        Which objects of the file these are; all, where it is None.
    identifiers : pandas index, optional
        Of all objects of the file.
    notes : tuple of str
        What was left out or put in, and why.
    are_distances : bool
        Whether the columns of the content are its objects too.
    beside : frame, optional
        Columns of words and dates of the same objects, which are no features.
    """

    content: Any
    n_objects: int
    kept: Array | None = None
    identifiers: Any = None
    notes: tuple[str, ...] = ()
    are_distances: bool = False
    beside: Any = None

    def of_lines(self, lines: Array) -> Any:
        """The content of these objects of the file, which are all kept."""
        rows = lines if self.kept is None else (np.cumsum(self.kept) - 1)[lines]
        is_all = len(rows) == self.n_objects and bool((rows == np.arange(len(rows))).all())
        if isinstance(self.content, Partition):
            part = self.content if is_all else self.content.take(rows)
            part.index = None  # from here on objects are known by their place
            return part
        if is_all:
            chosen = self.content
        elif isinstance(self.content, np.ndarray):
            chosen = self.content[rows]
            chosen = chosen[:, rows] if self.are_distances else chosen
        else:
            chosen = self.content.iloc[rows]
            chosen = chosen.iloc[:, rows] if self.are_distances else chosen
        chosen = chosen.reset_index(drop=True) if hasattr(chosen, "iloc") else chosen
        return self.profiled(chosen, rows)

    def profiled(self, chosen: Any, rows: Any = slice(None)) -> Any:
        """Features of some of the objects that are kept, with the columns that only profile clusters."""
        if self.beside is not None:
            texts = self.beside.iloc[rows]
            chosen.attrs[PROFILED] = Profiled({name: texts[name].to_numpy(dtype=object) for name in texts})
        return chosen


@dataclass(frozen=True)
class Joined:
    """Contents of the same objects in the same order, those of the first file.

    ``lines`` are the objects of the first file, for whatever else goes with them.
    """

    one: Any
    others: tuple[Any, ...]
    lines: Array
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Join:
    """The column on which two files are joined, None for by row, and others that only tell objects apart."""

    name: str | None = None
    others: tuple[str, ...] = ()
    by_row: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """That identifiers were not heeded, where both files have some."""
        if not self.by_row or not self.others:
            return ()
        return (
            f"matched by row, as asked, though both files have {', '.join(map(shown_name, self.others))}",
        )


def plan_join(
    one: Table | None, other: Table | None, *, id_column: str | None, by_row: bool, taken: set[str]
) -> Join:
    """How two files are joined: on the column asked for, on the one that both have, or by row."""
    if by_row and id_column is not None:
        raise ParameterError(
            "files are joined on identifiers or by row, not both.",
            got="an id_column and by_row",
            need="one of them",
            parameter="by_row",
        )
    if one is None or other is None or one is other:
        return Join(id_column, by_row=by_row or (one is other and id_column is None))
    names = like_identifiers(one, other, taken)
    if by_row or id_column is not None:
        return Join(id_column, tuple(names), by_row)
    candidates = shared_identifiers(one, other, names)
    if not candidates:
        refuse_other_names(one, other, taken)
    return Join(best_identifier(candidates), tuple(names))


@dataclass(frozen=True)
class Pair:
    """Two files that are brought together: what was read from each, and the column they are joined on."""

    one: Side
    other: Side
    name: str | None = None
    is_one_file: bool = False


def join(*pairs: Pair) -> Joined:
    """Bring a side and others to the objects that all have, without those whose values are missing.

    Parameters
    ----------
    pairs : Pair
        In each, ``one`` is the same content of the same file, with the identifiers that the other has too.
    """
    matched = [_matched(pair) for pair in pairs]
    lines = reduce(np.intersect1d, [m.lines for m in matched])
    if not len(lines):
        raise MismatchError(
            "no object is left.",
            got=f"{matched[0].n_objects} objects, of each of which something is missing",
            need="an object whose values are there",
        )
    others = tuple(
        pair.other.of_lines(m.other_lines[np.searchsorted(m.lines, lines)])
        for pair, m in zip(pairs, matched, strict=True)
    )
    said = [note for pair in pairs for note in (*pair.one.notes, *pair.other.notes)]
    notes = tuple(dict.fromkeys([*said, *(note for m in matched for note in m.notes)]))
    return Joined(pairs[0].one.of_lines(lines), others, lines, notes)


@dataclass(frozen=True)
class _Matched:
    """Which lines of two files are the same objects, of those that both have and keep, in rising order."""

    lines: Array
    other_lines: Array
    n_objects: int
    notes: tuple[str, ...]


def _matched(pair: Pair) -> _Matched:
    one, other, name = pair.one, pair.other, pair.name or ""
    notes: list[str] = []
    if one.identifiers is not None and other.identifiers is not None:
        place = places(one.identifiers, other.identifiers, name)
        lines = np.flatnonzero(place >= 0)
        other_lines = place[lines]
        left = one.n_objects + other.n_objects - 2 * len(lines)
        told = f", {left} left out" if left else ""
        if not pair.is_one_file:
            notes.append(f"joined on {shown_name(name)}: {len(lines)} objects in both files{told}")
    elif one.n_objects != other.n_objects:
        raise lengths_of_files_differ(one.n_objects, other.n_objects)
    else:
        lines = other_lines = np.arange(one.n_objects)
    keep = np.ones(len(lines), dtype=bool)
    for side, its_lines in ((one, lines), (other, other_lines)):
        if side.kept is not None:
            keep &= side.kept[its_lines]
    if not keep.all() and any(isinstance(s.content, Partition) and s.kept is not None for s in (one, other)):
        notes.append(f"missing values: {int(keep.sum())} of {len(keep)} objects kept ({keep.mean():.1%})")
    return _Matched(lines[keep], other_lines[keep], len(keep), tuple(notes))
