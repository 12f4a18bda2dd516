"""The objects that a found clustering has elsewhere than in the partner of their true cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from partita.results import Result, Table

__all__ = ["MovedObjects", "moved_objects", "told_moved"]


@dataclass(frozen=True, repr=False)
class MovedObjects(Result):
    """One row for each object that has moved: its name, its true cluster, its found one, and the new name."""

    rows: tuple[tuple[Any, ...], ...] = ()
    names: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.names

    def records(self) -> list[dict[str, Any]]:
        """One dictionary an object."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]

    def table(self) -> Table:
        """The objects, as they print."""
        return Table("objects that are not in the partner of their true cluster", self.names, self.rows)


def moved_objects(alignment: Any, objects: Any) -> MovedObjects:
    """The objects that have moved, by the names that the file has for them.

    Parameters
    ----------
    alignment : Alignment
        Of clusterings whose objects are named by their positions among those that were kept.
    objects : Objects
        Those of the first file.
    """
    frame = alignment.moved
    named = objects.names.iloc[objects.lines[frame.index.to_numpy(dtype=int)]]
    rows = zip(named.tolist(), *(frame[name].tolist() for name in frame.columns), strict=True)
    name = named.name if named.name not in frame.columns else f"object ({named.name})"
    return MovedObjects(rows=tuple(rows), names=(name, *frame.columns))


def told_moved(alignment: Any, *, are_listed: bool) -> tuple[str, ...]:
    """How many objects have moved, where that is known, and how they are listed."""
    from partita.partitions import HardPartition

    if not all(isinstance(side, HardPartition) for side in alignment.sides):
        return ()
    moved, n = len(alignment.moved), alignment.sides[0].n_objects
    how = "" if are_listed or not moved else ": --moved lists them"
    return (f"{moved} of {n} objects are not in the partner of their true cluster{how}",)
