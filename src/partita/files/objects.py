"""The objects of a file by name, for what is written about them: identifiers, or numbers of rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from partita.arrays import Array
from partita.files.tables import Table, stripped
from partita.files.text import as_number
from partita.partitions.roles import identifier_rank

ROW = "row"
"""What the numbers of rows are called, where a file names no objects."""

NO_IDENTIFIERS = 4
"""The rank of a name that says nothing; see `partita.partitions.roles.identifier_rank`."""


@dataclass(frozen=True)
class Objects:
    """The objects of a file, and which of them were kept.

    Attributes
    ----------
    n_lines : int
        Objects in the file.
    lines : array of int
        Those that were kept, counted from 0.
    table : Table, optional
        The file, where its columns have names.
    id_column : str, optional
        The column that names the objects, where somebody said so.
    used : collection of str
        Columns that are something else: features and labels.
    """

    n_lines: int
    lines: Array
    table: Table | None = None
    id_column: str | None = None
    used: Collection[str] = ()

    @cached_property
    def names(self) -> Any:
        """The identifiers of all objects of the file, or their rows counted from 1, as a pandas series."""
        import pandas as pd

        column = self._column()
        if column is None or self.table is None:
            return pd.Series(range(1, self.n_lines + 1), name=ROW)
        return stripped(self.table.read([], [column])[column])

    def _column(self) -> str | None:
        """The column that names the objects: as asked for, a first one without a name, or by its name."""
        table = self.table
        if table is None or self.id_column is not None or table.row_names is not None:
            return self.id_column or (None if table is None else table.row_names)
        ranks = {name: identifier_rank(name) for name in table.names if name not in self.used}
        texts = table.read([], list(ranks)) if ranks else {}
        likely = sorted(ranks, key=ranks.__getitem__)
        return next((name for name in likely if _names_each(stripped(texts[name]), ranks[name])), None)


def _names_each(column: Any, rank: int) -> bool:
    """Whether all values are there and different; under a name that says nothing, only words name objects."""
    is_each = column.is_unique and not (column == "").any()
    return bool(is_each and (rank < NO_IDENTIFIERS or all(as_number(text) is None for text in column)))
