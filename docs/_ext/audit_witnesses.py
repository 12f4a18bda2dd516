"""Definitions written out, slowly: what a package should say, and what some packages do instead."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist


def scatters_and_gaps(X: Any, labels: Any, q: float = 1.0) -> tuple[Any, Any]:
    """Of each cluster the mean distance to its centre (to the power q), and the distances of centres."""
    clusters = [X[labels == k] for k in np.unique(labels)]
    centres = np.array([c.mean(axis=0) for c in clusters])
    within = [
        (np.linalg.norm(c - m, axis=1) ** q).mean() ** (1 / q) for c, m in zip(clusters, centres, strict=True)
    ]
    return np.array(within), cdist(centres, centres)


def davies_bouldin_ratios(X: Any, labels: Any, q: float = 1.0) -> Any:
    """The ratio of every pair of clusters; nothing of a cluster with itself."""
    within, gaps = scatters_and_gaps(X, labels, q)
    np.fill_diagonal(gaps, np.inf)
    return (within[:, None] + within) / gaps


def davies_bouldin_of_cluster_crit(X: Any, labels: Any) -> float:
    """As the source of clusterCrit reads: a row keeps its last ratio; the maximum is over rows so far."""
    ratios = davies_bouldin_ratios(X, labels)
    k = len(ratios)
    last = [ratios[i, k - 1 if i < k - 1 else k - 2] for i in range(k)]
    return sum(max(last[: i + 1]) for i in range(k)) / k


def dunn(X: Any, labels: Any) -> float:
    """The least distance between clusters over the largest inside one."""
    D = cdist(X, X)
    same = labels[:, None] == labels
    return float(D[~same].min() / D[same].max())


def silhouettes(X: Any, labels: Any, of_one: float = 0.0, metric: str = "euclidean") -> Any:
    """The width of each object; an object alone in its cluster has the given one."""
    D = cdist(X, X, metric)
    widths = []
    for i, own in enumerate(labels):
        if (labels == own).sum() == 1:
            widths.append(of_one)
            continue
        a = D[i][labels == own].sum() / ((labels == own).sum() - 1)
        b = min(D[i][labels == k].mean() for k in set(labels.tolist()) - {own})
        widths.append((b - a) / max(a, b))
    return np.array(widths)


def of_cluster_means(values: Any, labels: Any) -> float:
    """The mean over clusters of their means."""
    return float(np.mean([values[labels == k].mean() for k in np.unique(labels)]))


def table(a: Any, b: Any) -> Any:
    """The contingency table."""
    counts = np.zeros((np.max(a) + 1, np.max(b) + 1))
    np.add.at(counts, (a, b), 1)
    return counts


def nmi(N: Any, mean: Callable[[float, float], float]) -> float:
    """Mutual information over a mean of the entropies, from a table."""
    p = N / N.sum()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    entropies = [-(s[s > 0] * np.log(s[s > 0])).sum() for s in (rows, columns)]
    return float(mutual_information(N) / mean(*entropies))


def mutual_information(N: Any) -> float:
    """From a table of counts, whole or not."""
    p = N / N.sum()
    e = np.outer(p.sum(axis=1), p.sum(axis=0))
    return float((p[p > 0] * np.log(p[p > 0] / e[p > 0])).sum())


def pairs(N: Any) -> tuple[int, int, int, int]:
    """Pairs of objects together in both, in the first, in the second, in neither: exact integers."""

    def two(counts: Any) -> int:
        return sum(int(c) * (int(c) - 1) // 2 for c in np.ravel(counts))

    both, rows, columns, n = two(N), two(N.sum(axis=1)), two(N.sum(axis=0)), two([N.sum()])
    return both, rows - both, columns - both, n - rows - columns + both


def adjusted_rand(N: Any) -> float:
    """From exact integers, divided once."""
    a, b, c, d = pairs(N)
    return 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))


def entropy(counts: Any) -> float:
    """Of the shares of these counts, in nats."""
    p = np.ravel(counts) / np.sum(counts)
    return float(-(p[p > 0] * np.log(p[p > 0])).sum())


def mean_entropy_of_classes(N: Any) -> float:
    """The entropy of the classes inside a cluster, in bits, weighted by the sizes of the clusters."""
    sizes = N.sum(axis=0)
    return sum(size / N.sum() * entropy(N[:, j]) for j, size in enumerate(sizes)) / math.log(2)


def phi(N: Any) -> float:
    """The correlation of being together in one clustering and in the other, over distinct pairs."""
    a, b, c, d = pairs(N)
    return (a * d - b * c) / math.sqrt((a + b) * (a + c) * (b + d) * (c + d))


def f_measure(N: Any) -> float:
    """Of each class the best F of a cluster, weighted by the sizes of the classes."""
    rows, columns = N.sum(axis=1), N.sum(axis=0)
    return float((rows / N.sum() * (2 * N / (rows[:, None] + columns)).max(axis=1)).sum())


def product_rand(U: Any, V: Any) -> float:
    """The expected Rand index of two hard clusterings drawn from memberships, over distinct pairs."""
    upper = np.triu_indices(len(U), 1)
    s, t = (U @ U.T)[upper], (V @ V.T)[upper]
    return float((s * t + (1 - s) * (1 - t)).mean())


def best_matching(N: Any) -> float:
    """The most objects that a pairing of classes and clusters leaves in place: every pairing is tried."""
    orders = permutations(range(N.shape[1]), N.shape[0])
    return max(sum(float(N[i, j]) for i, j in enumerate(order)) for order in orders)


def _squares(X: Any, U: Any) -> tuple[Any, Any, Any]:
    weights = U**2
    centres = weights.T @ X / weights.sum(axis=0)[:, None]
    return weights, centres, cdist(X, centres, "sqeuclidean")


def xie_beni(X: Any, U: Any) -> float:
    """Mean squared distance to the centres over the least squared distance of two centres."""
    weights, centres, squares = _squares(X, U)
    apart = cdist(centres, centres, "sqeuclidean")[~np.eye(len(centres), dtype=bool)].min()
    return float((weights * squares).sum() / len(X) / apart)


def fukuyama_sugeno(X: Any, U: Any) -> float:
    """Scatter about the centres minus scatter of the centres about the mean of all objects."""
    weights, centres, squares = _squares(X, U)
    return float((weights * (squares - ((centres - X.mean(axis=0)) ** 2).sum(axis=1))).sum())
