"""Density trees by the definition: all distances, components by flooding, loose objects filled one by one.

NumPy arrays and plain loops. A height is a reach at which objects join, all of one height at once: where b
components of at least s objects from below it meet, there are b - 1 splits. Cut k separates the k - 1 highest
splits; it is unique where the next split is lower.
"""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Split = tuple[float, list[set[int]]]


def distance_matrix(X: Matrix) -> Matrix:
    n = len(X)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            D[i, j] = np.sqrt(sum((X[i, f] - X[j, f]) ** 2 for f in range(X.shape[1])))
    return D


def reach_matrix(D: Matrix, m: int) -> Matrix:
    """The reach of all pairs; 0 counts as the smallest that is positive."""
    n = len(D)
    core = [sorted(D[i, j] for j in range(n) if j != i)[m - 1] for i in range(n)]
    R = np.array([[max(D[i, j], core[i], core[j]) for j in range(n)] for i in range(n)])
    np.fill_diagonal(R, np.inf)
    if (np.isfinite(R) & (R > 0)).any():
        R[R == 0] = R[R > 0].min()
    np.fill_diagonal(R, 0.0)
    return R


def heights(R: Matrix) -> list[float]:
    """Of the n - 1 edges of a minimum spanning tree, rising: the object nearest to the tree joins it next."""
    found, outside = [], set(range(1, len(R)))
    nearest = R[0].copy()
    while outside:
        v = min(outside, key=lambda i: nearest[i])
        found.append(float(nearest[v]))
        outside.remove(v)
        nearest = np.minimum(nearest, R[v])
    return sorted(found)


def components(R: Matrix, height: float) -> list[set[int]]:
    """What hangs together by reaches up to a height."""
    unseen = np.ones(len(R), dtype=bool)
    found = []
    while unseen.any():
        start = int(unseen.argmax())
        unseen[start] = False
        component, waiting = {start}, [start]
        while waiting:
            for j in np.flatnonzero(unseen & (R[waiting.pop()] <= height)).tolist():
                unseen[j] = False
                component.add(j)
                waiting.append(j)
        found.append(component)
    return found


def splits(R: Matrix, smallest: float, weight: Matrix | None = None) -> list[Split]:
    """For each height with a split the sides that meet there, the highest first."""
    sizes = np.ones(len(R)) if weight is None else weight
    found: list[Split] = []
    below: list[set[int]] = [{i} for i in range(len(R))]
    for height in sorted(set(heights(R))):
        joined = components(R, height)
        for component in joined:
            parts = [p for p in below if p <= component and sum(sizes[i] for i in p) >= smallest]
            if len(parts) > 1 and height > 0:
                found.insert(0, (height, parts))
        below = joined
    return found


def split_heights(found: list[Split]) -> list[float]:
    return [height for height, parts in found for _ in parts[1:]]


def persistence(R: Matrix, found: list[Split]) -> list[float]:
    """Of the cuts into 2, 3, ... clusters."""
    falling = [*split_heights(found), float(np.median(heights(R)))]
    return [float(np.log(falling[i] / falling[i + 1])) for i in range(len(falling) - 1)]


def sides(n: int, found: list[Split], k: int) -> list[set[int]] | None:
    """The k clusters without loose objects; None where splits of one height are both separated and not."""
    clusters, done = [set(range(n))], 0
    for _, parts in found:
        if done == k - 1:
            return clusters
        whole = next(c for c in clusters if parts[0] <= c)
        clusters = [c for c in clusters if c is not whole] + parts
        done += len(parts) - 1
        if done > k - 1:
            return None
    return clusters


def is_cut_of_equals(found: list[Split], k: int) -> bool:
    """The last split that is separated is as high as the first that is not."""
    falling = split_heights(found)
    return 1 < k <= len(falling) and falling[k - 2] == falling[k - 1]


def by_first_object(labels: list[int]) -> list[int]:
    order: dict[int, int] = {}
    return [-1 if label < 0 else order.setdefault(label, len(order)) for label in labels]


def fill(R: Matrix, D: Matrix, clusters: list[set[int]]) -> list[int]:
    """The nearest loose object joins its nearest labelled one, again and again; of equals the last pair."""
    labels = {i: c for c, cluster in enumerate(clusters) for i in cluster}
    loose = set(range(len(R))) - set(labels)
    while loose:
        _, _, _, i, j = min((R[i, j], -min(i, j), -max(i, j), i, j) for i in loose for j in labels)
        labels[i] = labels[j]
        loose.remove(i)
    return by_first_object([labels[i] for i in range(len(R))])


def bottlenecks(R: Matrix, clusters: list[set[int]]) -> Matrix:
    """For each cluster the least height at which each object hangs together with it."""
    least = np.empty((len(clusters), len(R)))
    for c, cluster in enumerate(clusters):
        way = R[sorted(cluster)].min(axis=0)
        way[sorted(cluster)] = 0.0
        outside = set(range(len(R))) - cluster
        while outside:
            v = min(outside, key=lambda i: way[i])
            outside.remove(v)
            way = np.minimum(way, np.maximum(way[v], R[v]))
        least[c] = way
    return least
