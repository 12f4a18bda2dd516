"""Density-based indices by the definition, from full matrices.

DBCV (moulavi2014, definitions 1 to 8): all edges sorted, Kruskal.

What the paper leaves open is settled as in its authors' program: a cluster of one object is noise; if no edge
is internal all edges count, if no node is all nodes; equal objects add nothing to a core distance. Of edges
of equal length (ten digits) the one of smaller distance comes first, then that of lexicographically lower
ends.

DISCO (beer2026) and the Dunn index of density-connectivity distances (beer2023): all paths, by Floyd and
Warshall. As in the authors' program: an object is its own first neighbour; 0/0 is 0; one cluster is held
against each object of noise as a cluster; noise alone has -1, one cluster without noise 0. Fewer objects than
min_points have no core distance (their program refuses them).
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


def minimax(X: Matrix, *, metric: str = "euclidean", min_points: int = 5) -> tuple[Matrix, Matrix]:
    """The density-connectivity distances of all pairs, and the core distances; copies of an object count."""
    gaps = (
        np.array(X, dtype=float) if metric == "precomputed" else distance_matrix(np.asarray(X, float), metric)
    )
    n = len(gaps)
    core = np.array([sorted(row)[min_points - 1] for row in gaps.tolist()])
    paths = np.array([[max(core[i], core[j], gaps[i, j]) for j in range(n)] for i in range(n)])
    for middle in range(n):
        for i in range(n):
            for j in range(n):
                paths[i, j] = min(paths[i, j], max(paths[i, middle], paths[middle, j]))
    np.fill_diagonal(paths, 0.0)
    return paths, core


def quotient(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def disco_samples(
    X: Matrix,
    labels: list[int | None],
    *,
    metric: str = "euclidean",
    min_points: int = 5,
) -> list[float]:
    """The score of each object; None is the label of noise."""
    names = sorted({c for c in labels if c is not None})
    if not names:
        return [-1.0] * len(labels)
    if len(names) == 1 and None not in labels:
        return [0.0] * len(labels)
    if len(labels) < min_points:
        return [math.nan] * len(labels)
    paths, core = minimax(X, metric=metric, min_points=min_points)
    groups = {c: [i for i, label in enumerate(labels) if label == c] for c in names}
    noise = [i for i, label in enumerate(labels) if label is None]
    scores = []
    for i, label in enumerate(labels):
        if label is None:
            sparsest = {c: max(core[j] for j in groups[c]) for c in names}
            sparse = [quotient(core[i] - m, max(core[i], m)) for m in sparsest.values()]
            away = {c: min(paths[i, j] for j in groups[c]) for c in names}
            far = [quotient(away[c] - sparsest[c], max(away[c], sparsest[c])) for c in names]
            scores.append(min(min(sparse), min(far)))
            continue
        others = [groups[c] for c in names if c != label] or [[j] for j in noise]
        own = [paths[i, j] for j in groups[label] if j != i]
        if not own:
            scores.append(0.0)
            continue
        a = math.fsum(own) / len(own)
        b = min(math.fsum(paths[i, j] for j in group) / len(group) for group in others)
        scores.append(quotient(b - a, max(a, b)))
    return scores


def as_labels(U: Matrix, noise: NDArray[np.bool_] | None) -> list[int | None]:
    which = np.asarray(U).argmax(axis=1).tolist()
    return which if noise is None else [None if out else c for c, out in zip(which, noise, strict=True)]


def disco(
    X: Matrix,
    U: Matrix,
    *,
    metric: str = "euclidean",
    min_points: int = 5,
    noise: NDArray[np.bool_] | None = None,
) -> float:
    scores = disco_samples(X, as_labels(U, noise), metric=metric, min_points=min_points)
    return math.fsum(scores) / len(scores)


def dc_dunn(
    X: Matrix,
    U: Matrix,
    *,
    metric: str = "euclidean",
    min_points: int = 5,
    noise: NDArray[np.bool_] | None = None,
) -> float:
    labels = as_labels(U, noise)
    kept = [i for i, label in enumerate(labels) if label is not None]
    which = [labels[i] for i in kept]
    if len(kept) < min_points or len(set(which)) < 2:
        return math.nan
    X = np.asarray(X, float)[kept][:, kept] if metric == "precomputed" else np.asarray(X, float)[kept]
    paths, _ = minimax(X, metric=metric, min_points=min_points)
    pairs = [(i, j) for i in range(len(which)) for j in range(i)]
    apart = min(paths[i, j] for i, j in pairs if which[i] != which[j])
    wide = max((paths[i, j] for i, j in pairs if which[i] == which[j]), default=0.0)
    if wide == 0:
        return math.inf if apart > 0 else math.nan
    return apart / wide


REFERENCE_OF_DATA = {"dbcv": dbcv, "disco": disco, "dc_dunn": dc_dunn}
