"""Random swap against scikit-learn's repeated k-means on a grid of a hundred clusters like Birch1."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans

from partita.cluster import RandomSwap
from partita.indices.centroids import centroid_index
from partita.statistics.clusters.centroid_pairs import CentroidPair

ISSUE = 6


def grid_of_clusters(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Birch1's shape: 10 x 10 Gaussian clusters of 1000 objects that touch their neighbours."""
    centres = np.stack(np.meshgrid(np.arange(10.0), np.arange(10.0)), axis=2).reshape(-1, 2)
    return np.repeat(centres, 1000, axis=0) + rng.normal(scale=0.25, size=(100_000, 2)), centres


def run(report: Callable[..., None], best: Callable[..., float]) -> None:  # noqa: ARG001 (one form for all)
    X, truth = grid_of_clusters(np.random.default_rng(0))
    RandomSwap(100, random_state=0).fit(X[:5000])
    ours, peer, right, right_of_peer = [], [], 0, 0
    for seed in range(5):
        start = time.perf_counter()
        model = RandomSwap(100, random_state=seed).fit(X)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        repeated = KMeans(100, n_init=5, random_state=seed).fit(X)
        peer.append(time.perf_counter() - start)
        right += _wrong(truth, model.cluster_centers_) == 0
        right_of_peer += _wrong(truth, repeated.cluster_centers_) == 0
    print(f"random swap finds all 100 clusters in {right} of 5 seeds, KMeans(n_init=5) in {right_of_peer}")
    report("random swap, 10^5 x 2, k = 100: right of 5 seeds", right, 4, at_most=False)
    report(
        "random swap: median time vs scikit-learn's KMeans(n_init=5)",
        statistics.median(peer) / statistics.median(ours),
        1,
        at_most=False,
    )


def _wrong(truth: np.ndarray, found: np.ndarray) -> float:
    return float(centroid_index.of(CentroidPair.from_centers(truth, found)))
