"""The gap statistic by the definition (Tibshirani, Walther & Hastie 2001, eq. 3 and step 3 of section 3)."""

import math
from collections.abc import Sequence


def gap_and_errors(
    scatter: Sequence[float], null: Sequence[Sequence[float]]
) -> tuple[list[float], list[float]]:
    """For each k: the mean log W* less log W, and sqrt(1 + 1/B) times the deviation (over B) of log W*."""
    gaps, errors = [], []
    for k, W in enumerate(scatter):
        logs = [math.log(row[k]) for row in null]
        B = len(logs)
        mean = sum(logs) / B
        gaps.append(mean - math.log(W))
        errors.append(math.sqrt(sum((x - mean) ** 2 for x in logs) / B) * math.sqrt(1 + 1 / B))
    return gaps, errors
