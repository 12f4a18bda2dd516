"""Prediction strength by the definition (Tibshirani & Walther 2005, eq. 2): every pair of every cluster."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from .tables import Memberships, labels


def prediction_strength(U: Memberships, V: Memberships) -> float:
    """The worst share, over clusters of U with a pair, of their pairs that V keeps together; hard only."""
    truth, found = labels(U), labels(V)
    shares = []
    for cluster in set(truth):
        members = [i for i, label in enumerate(truth) if label == cluster]
        together = [found[i] == found[j] for i, j in combinations(members, 2)]
        if together:
            shares.append(Fraction(sum(together), len(together)))
    if shares:
        return float(min(shares))
    return 1.0 if len(set(found)) == len(found) else math.nan  # no pair in truth: identical, or 0/0


REFERENCE: dict[str, Callable[..., float]] = {"prediction_strength": prediction_strength}
