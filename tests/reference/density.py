"""DBCV by the definition (moulavi2014, definitions 1 to 8): full matrices, all edges sorted, Kruskal.

What the paper leaves open is settled as in its authors' program: a cluster of one object is noise; if no edge
is internal all edges count, if no node is all nodes; equal objects add nothing to a core distance. Of edges
of equal length (ten digits) the one of smaller distance comes first, then that of lexicographically lower
ends.
"""

import math

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def distance_matrix(X: Matrix, metric: str) -> Matrix:
    gaps = np.abs(X[:, None, :] - X[None, :, :])
    if metric == "cityblock":
        return gaps.sum(axis=2)
    if metric == "chebyshev":
        return gaps.max(axis=2)
    squared = (gaps**2).sum(axis=2)
    return np.sqrt(squared) if metric == "euclidean" else squared


def core_distance(row: list[float], dimension: float) -> float:
    """Of an object with these distances to the other objects of its cluster."""
    inverse = math.fsum((1.0 / gap) ** dimension for gap in row if gap > 0)
    return (inverse / len(row)) ** (-1.0 / dimension) if inverse > 0 else 0.0


def digits(x: float) -> float:
    return float(f"{x:.9e}")


def spanning_tree(reach: Matrix, gaps: Matrix) -> list[tuple[int, int]]:
    m = len(reach)
    edges = sorted((digits(reach[i, j]), digits(gaps[i, j]), i, j) for i in range(m) for j in range(i + 1, m))
    root = list(range(m))
    tree = []
    for _, _, i, j in edges:
        if root[i] != root[j]:
            old, new = root[j], root[i]
            root = [new if r == old else r for r in root]
            tree.append((i, j))
    return tree


def dbcv(
    X: Matrix,
    U: Matrix,
    *,
    metric: str = "euclidean",
    dimension: float | None = None,
    noise: NDArray[np.bool_] | None = None,
) -> float:
    X, U = np.asarray(X, dtype=float), np.asarray(U)
    n = len(X)
    d = float(X.shape[1] if dimension is None else dimension)
    if metric == "precomputed":
        gaps, ranked = X, list(range(n))
    else:
        gaps, ranked = distance_matrix(X, metric), sorted(range(n), key=lambda i: tuple(X[i]))
    in_cluster = np.ones(n, dtype=bool) if noise is None else ~noise
    clusters = [[i for i in ranked if column[i] and in_cluster[i]] for column in U.T]
    clusters = [members for members in clusters if len(members) > 1]
    if len(clusters) < 2:
        return math.nan
    core = np.zeros(n)
    sparseness, internal = [], []
    for members in clusters:
        for i in members:
            core[i] = core_distance([gaps[i, j] for j in members if j != i], d)
        own = np.ix_(members, members)
        reach = np.maximum(gaps[own], np.maximum(core[members][:, None], core[members][None, :]))
        tree = spanning_tree(reach, gaps[own])
        degree = [sum(i in edge for edge in tree) for i in range(len(members))]
        inner = {i for i, edges in enumerate(degree) if edges > 1}
        between = [edge for edge in tree if inner.issuperset(edge)]
        sparseness.append(max(reach[edge] for edge in between or tree))
        internal.append([members[i] for i in inner or range(len(members))])
    value = 0.0
    for a, members in enumerate(clusters):
        separation = min(
            max(core[i], core[j], gaps[i, j])
            for b in range(len(clusters))
            if b != a
            for i in internal[a]
            for j in internal[b]
        )
        larger = max(separation, sparseness[a])
        if larger == 0:
            return math.nan
        value += len(members) / n * (separation - sparseness[a]) / larger
    return value


REFERENCE_OF_DATA = {"dbcv": dbcv}
