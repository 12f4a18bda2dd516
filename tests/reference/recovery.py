"""How well clusters are found again, by the definition (Hennig 2007): sets of objects, one pair at a time."""

import math
from collections.abc import Sequence
from fractions import Fraction


def clusters_of(labels: Sequence[int], objects: Sequence[int]) -> dict[int, set[int]]:
    """Label to objects; -1 is no cluster."""
    found: dict[int, set[int]] = {}
    for label, obj in zip(labels, objects, strict=True):
        if label != -1:
            found.setdefault(int(label), set()).add(int(obj))
    return found


def best_jaccards(whole: Sequence[int], objects: Sequence[int], found: Sequence[int]) -> list[float]:
    """For each cluster of the whole, from 0 on, the largest |A & B| / |A | B| over the clusters B found.

    A is the cluster's part among the objects; nan where that is empty.
    """
    drawn = {int(obj) for obj in objects}
    parts = clusters_of(found, objects).values()
    values = []
    for label in range(max(whole) + 1):
        part = {i for i, own in enumerate(whole) if own == label} & drawn
        shares = [Fraction(len(part & other), len(part | other)) for other in parts]
        values.append(float(max(shares, default=Fraction(0))) if part else math.nan)
    return values
