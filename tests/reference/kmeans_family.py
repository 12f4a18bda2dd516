"""The k-means family by definition: sums from scratch, every pair looked at, every move weighed."""

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reference.likelihood import printed_complexity

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def squared(X: Floats, centres: Floats) -> Floats:
    return np.square(X[:, None, :] - centres[None, :, :]).sum(axis=2)


def sse(X: Floats, centres: Floats) -> float:
    """The sum of squared distances to the nearest centre."""
    return float(squared(X, centres).min(axis=1).sum())


def lloyd(X: Floats, centres: Floats) -> Floats:
    """Nearest centres and means, until nothing changes."""
    while True:
        labels = squared(X, centres).argmin(axis=1)
        moved = np.array([X[labels == j].mean(axis=0) for j in range(len(centres))])
        if np.array_equal(moved, centres):
            return centres
        centres = moved


def insertion_gains(X: Floats, centres: Floats) -> Floats:
    """By how much the sum of squares falls when one object more is a centre, for each object."""
    return np.array([sse(X, centres) - sse(X, np.vstack([centres, x])) for x in X])


def global_kmeans(X: Floats, k: int) -> list[float]:
    """The sums of squares for 1, ..., k clusters."""
    centres = X.mean(axis=0, keepdims=True)
    path = [sse(X, centres)]
    while len(centres) < k:
        centres = lloyd(X, np.vstack([centres, X[insertion_gains(X, centres).argmax()]]))
        path.append(sse(X, centres))
    return path


def full_global_kmeans(X: Floats, k: int) -> list[float]:
    """The same by the definition of likas2003: Lloyd's iteration from every object as the next centre."""
    centres = X.mean(axis=0, keepdims=True)
    path = [sse(X, centres)]
    while len(centres) < k:
        others = [x for x in X if not np.equal(centres, x).all(axis=1).any()]
        ends = [lloyd(X, np.vstack([centres, x])) for x in others]
        centres = min(ends, key=lambda end: sse(X, end))
        path.append(sse(X, centres))
    return path


def scatter(members: Floats) -> float:
    return float(np.square(members - members.mean(axis=0)).sum())


def merge_groups(X: Floats, groups: list[list[int]], k: int) -> list[list[int]]:
    """Merge the pair of groups of objects whose union adds least to the sum of squares, until k are left."""

    def growth(pair: tuple[list[int], list[int]]) -> float:
        a, b = pair
        return scatter(X[a + b]) - alone[id(a)] - alone[id(b)]

    while len(groups) > k:
        alone = {id(g): scatter(X[g]) for g in groups}
        a, b = min(itertools.combinations(groups, 2), key=growth)
        groups = [g for g in groups if g is not a and g is not b] + [a + b]
    return groups


def complexity(X: Labels, labels: Labels) -> float:
    """The stochastic complexity as printed, from scratch."""
    return printed_complexity(X.tolist(), np.eye(int(labels.max()) + 1)[labels])


def other_clusterings(labels: Labels) -> Iterator[Labels]:
    """Every clustering that differs by one move and leaves no cluster empty."""
    for i, own in enumerate(labels):
        if (labels == own).sum() > 1:
            for j in range(labels.max() + 1):
                if j != own:
                    yield np.where(np.arange(labels.size) == i, j, labels)


def all_clusterings(n: int, k: int) -> Iterator[Labels]:
    """Every way to put n objects into k clusters, none of them empty."""
    for labels in itertools.product(range(k), repeat=n):
        if len(set(labels)) == k:
            yield np.array(labels)
