"""What procedures return: frozen results, one table model for all forms, rows of indices, the catalogue."""

from partita.registry.caveats import Caveat, CaveatKind
from partita.results.result import FORMATS, Result, join_texts, number, plain
from partita.results.tables import Cell, Table, show

__all__ = [
    "Caveat",
    "CaveatKind",
    "Cell",
    "FORMATS",
    "Result",
    "Table",
    "join_texts",
    "number",
    "plain",
    "show",
]
