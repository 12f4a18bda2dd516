"""How well one clustering predicts another, cluster by cluster."""

from __future__ import annotations

import math

import numpy as np

from partita.indices.pairs import BY_CHANCE, SAME
from partita.registry import HARD, Array, Example, Floats, Limit, index
from partita.statistics import Contingency

NOT_WHOLE = "pairs are counted: it needs whole-number weights, of a sum below 2^53"


def _no_pair_in_truth(t: Contingency) -> Array:
    return np.asarray((t.row_sums <= 1).all(axis=-1))


def _pairs_kept(table: Contingency) -> Floats:
    """For each cluster of truth, twice the number of its pairs that are together in found."""
    if table.is_sparse:
        cells = table.raw.astype(np.float64)
        return np.asarray(cells.multiply(cells - (cells != 0)).sum(axis=1))
    cells = table.counts.astype(np.float64)
    return np.asarray((cells * (cells - 1.0)).sum(axis=-1))


@index(
    title="Prediction strength",
    best=1.0,
    range={HARD: (0.0, 1.0)},
    claims={"relabelling_invariant": HARD, "reflexive": HARD, "normalized": HARD},
    refuted={
        "symmetric": {HARD: Example([0, 0, 1, 1], [0, 0, 0, 1])},
        "separating": {HARD: Example([0, 0, 1, 1], [0, 0, 0, 0])},
        "triangle": {HARD: Example([0, 0, 1, 2], [0, 0, 0, 0], [0, 1, 0, 0])},
        **BY_CHANCE,
    },
    limits=[
        Limit(
            lambda t: ~t.is_whole,
            math.nan,
            NOT_WHOLE,
        ),
        SAME,
        Limit(_no_pair_in_truth, math.nan, "truth has no pair together"),
    ],
    references=["tibshirani2005"],
    formula=r"\min_{i: n_{i\cdot} \ge 2} \frac{\sum_j n_{ij} (n_{ij} - 1)}{n_{i\cdot} (n_{i\cdot} - 1)}",
    examples=[
        Example(
            [0, 0, 0, 1, 1, 1],
            [0, 0, 1, 1, 1, 1],
            1 / 3,
            source="by hand: one of the three pairs of the first cluster, all three of the second",
        ),
        Example(
            [0, 0, 1, 1, 2], [0, 0, 1, 2, 2], 0.0, source="by hand: the second cluster loses its only pair"
        ),
        Example([0, 0, 0, 1], [0, 0, 0, 0], 1.0, source="by hand: all three pairs; a single object has none"),
    ],
)
def prediction_strength(table: Contingency) -> Floats:
    """Of the pairs inside a true cluster, the share that found keeps together, for the worst true cluster.

    Meant for two halves of a data set: truth is the clustering of the test half, found what the clustering
    of the training half predicts there. The largest number of clusters whose mean over several halvings is
    at least 0.8 or 0.9 is then chosen: ``stability(..., strategy="transfer", scheme=Subsample(0.5),
    indices="prediction_strength", threshold=0.8)``.

    Pitfalls
    --------
    Not symmetric, and merging found clusters never lowers it: one found cluster always scores 1. True
    clusters of a single object have no pair and are passed over; a small one decides as much as a large one.

    Examples
    --------
    >>> round(prediction_strength([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]), 4)
    0.3333
    """
    sizes = np.asarray(table.row_sums, dtype=np.float64)
    pairs = sizes * (sizes - 1.0)
    kept = np.divide(_pairs_kept(table), pairs, where=pairs > 0, out=np.ones(pairs.shape))
    return np.asarray(kept.min(axis=-1))
