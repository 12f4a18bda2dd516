"""Clusterings and data from files: texts, NumPy, parquet, feather, spreadsheets. Nothing is unpickled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partita.files.reading import read_data, read_partition, read_weights

__all__ = ["read_data", "read_partition", "read_weights"]


def __getattr__(name: str) -> Any:
    """Import the readers when they are asked for: that a file is not there is said without them."""
    if name in __all__:
        from partita.files import reading

        return getattr(reading, name)
    raise AttributeError(f"module 'partita.files' has no attribute {name!r}")
