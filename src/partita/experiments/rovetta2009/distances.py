"""The five distances of rovetta2009, and its printed numbers."""

from __future__ import annotations

from typing import Any

from partita.comparison import compare
from partita.experiments.findings import Printed, printed_values

__all__ = ["NAMES", "SAME", "distances_of", "printed_numbers"]

NAMES = {
    "Average": "coassociation_average_distance",
    "Rand": "coassociation_rand_distance",
    "Student": "coassociation_student_distance",
    "Correl.": "coassociation_correlation_distance",
    "Jaccard": "coassociation_jaccard_distance",
}
"""The paper's columns, and our names; all are distances, 0 for agreement."""

SAME = 1e-9
"""Differences up to it are rounding of ours."""


def distances_of(truth: Any, found: Any) -> dict[str, float]:
    """The five, by the paper's columns; nan where one is 0/0."""
    values = compare(truth, found, indices=list(NAMES.values()))
    return {column: float(values[name].value) for column, name in NAMES.items()}


def printed_numbers(table: str) -> dict[tuple[str, str], Printed]:
    """The numbers of a table by row and column."""
    return {(p.row, p.column): p for p in printed_values("rovetta2009") if p.table == table}
