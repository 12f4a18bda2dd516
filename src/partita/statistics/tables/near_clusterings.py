"""Search for the most similar of many hard clusterings, by the adjusted Rand index and its bound by sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from partita.arrays import Array, Floats

__all__ = ["SAME", "Clusterings"]

SAME = 0.9
"""Adjusted Rand index above which two clusterings count as the same."""


class Clusterings:
    """Hard clusterings of the same objects, and their adjusted Rand indices with others.

    The index of two clusterings is at most what their sizes of clusters allow. That bound needs no pass over
    the objects, so that only the pairs are counted for which it matters.
    """

    def __init__(self, labels: Iterable[Array]) -> None:
        self.codes = [np.asarray(one, np.int64) for one in labels]
        sizes = [np.bincount(one) for one in self.codes]
        self.pairs = np.array([(s * (s - 1.0)).sum() / 2 for s in sizes])

    def __len__(self) -> int:
        return len(self.codes)

    def bounds(self, labels: Array) -> Floats:
        """The largest adjusted Rand index with each that the sizes allow."""
        own = Clusterings([labels]).pairs
        return np.asarray(_adjusted(np.minimum(own, self.pairs), own, self.pairs, len(labels)))

    def agreement(self, labels: Array, place: int = 0) -> float:
        """The adjusted Rand index with one of these."""
        codes, own = self.codes[place], Clusterings([labels]).pairs[0]
        table = np.bincount(labels * (codes.max(initial=0) + 1) + codes)
        return float(_adjusted((table * (table - 1.0)).sum() / 2, own, self.pairs[place], len(labels)))

    def best_agreement(self, labels: Array) -> float:
        """The largest adjusted Rand index with any of these, at least 0."""
        best = 0.0
        bounds = self.bounds(labels)
        for place in np.argsort(-bounds, kind="stable"):
            if bounds[place] <= best:
                break
            best = max(best, self.agreement(labels, int(place)))
        return best

    def near(self, labels: Array) -> dict[int, float]:
        """The places of those that count as the same clustering, with their adjusted Rand index."""
        possible = np.flatnonzero(self.bounds(labels) > SAME)
        values = {int(place): self.agreement(labels, int(place)) for place in possible}
        return {place: value for place, value in values.items() if value > SAME}


def _adjusted(together: Any, own: Any, other: Any, n: int) -> Any:
    """The adjusted Rand index from numbers of pairs (hubert1985); 1 for two trivial clusterings."""
    expected, largest = own * other / (n * (n - 1) / 2), (own + other) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(largest == expected, 1.0, (together - expected) / (largest - expected))
