"""Indices of separation by the definition: Dunn, Davies-Bouldin, Xie-Beni, silhouettes.

Loops over objects and clusters; X is (n, d), U the (n, k) memberships, one-hot for a hard partition. Clusters
without objects are left away first. nan where undefined, inf where the stated limit is infinite.
"""

import math
from collections.abc import Callable

import numpy as np

Matrix = np.ndarray


def _clusters(X: Matrix, U: Matrix) -> list[Matrix]:
    """The objects of each cluster of a hard partition."""
    return [X[U[:, j] == 1] for j in range(U.shape[1]) if U[:, j].any()]


def _distance(x: Matrix, y: Matrix, p: float = 2.0) -> float:
    return float((np.abs(x - y) ** p).sum() ** (1 / p))


def _ratio(numerator: float, denominator: float) -> float:
    if denominator == 0:
        return math.nan if numerator == 0 else math.inf
    return numerator / denominator


def dunn(X: Matrix, U: Matrix, *, variant: str = "standard") -> float:
    groups = _clusters(X, U)
    if variant == "slide":
        shares = []
        for group in groups:
            squares = [_distance(x, group.mean(axis=0)) ** 2 for x in group]
            shares.append(math.nan if sum(squares) < 1e-20 else max(squares) / sum(squares))
        return math.fsum(shares)
    return generalized_dunn(X, U, delta=1, diameter=1)


def generalized_dunn(X: Matrix, U: Matrix, *, delta: int = 3, diameter: int = 2) -> float:
    groups = _clusters(X, U)
    if len(groups) < 2:
        return math.nan

    def apart(a: Matrix, b: Matrix) -> float:
        between = [[_distance(x, y) for y in b] for x in a]
        each = [d for row in between for d in row]
        centres = a.mean(axis=0), b.mean(axis=0)
        if delta == 5:
            to_other = [_distance(x, centres[1]) for x in a] + [_distance(y, centres[0]) for y in b]
            return math.fsum(to_other) / len(to_other)
        if delta == 6:
            return max(max(map(min, between)), max(map(min, zip(*between, strict=True))))
        return {
            1: min(each),
            2: max(each),
            3: math.fsum(each) / len(each),
            4: _distance(*centres),
        }[delta]

    def wide(a: Matrix) -> float:
        pairs = [_distance(a[i], a[j]) for i in range(len(a)) for j in range(i)]
        if diameter == 3:
            return 2 * math.fsum(_distance(x, a.mean(axis=0)) for x in a) / len(a)
        if not pairs:
            return 0.0
        return max(pairs) if diameter == 1 else math.fsum(pairs) / len(pairs)

    least = min(apart(a, b) for i, a in enumerate(groups) for b in groups[:i])
    return _ratio(_rounded(least), _rounded(max(map(wide, groups))))


def _rounded(value: float) -> float:
    """Zero where only rounding is left; drawn coordinates are whole numbers."""
    return 0.0 if abs(value) < 1e-12 else value


def _centres(X: Matrix, U: Matrix, power: float) -> tuple[Matrix, Matrix]:
    used = U[:, U.any(axis=0)] ** power
    return used, np.array([(u[:, None] * X).sum(axis=0) / u.sum() for u in used.T])


def davies_bouldin(
    X: Matrix, U: Matrix, *, q: float = 1.0, p: float = 2.0, variant: str = "standard", power: float = 2.0
) -> float:
    weights, centres = _centres(X, U, power)
    if len(centres) < 2:
        return math.nan
    exponent = 2.0 if variant == "squared" else q
    scatter = []
    for u, c in zip(weights.T, centres, strict=True):
        mean = math.fsum(w * _distance(x, c, p) ** exponent for w, x in zip(u, X, strict=True)) / u.sum()
        scatter.append(_rounded(mean) if variant == "squared" else _rounded(mean) ** (1 / exponent))
    worst = []
    for i, a in enumerate(centres):
        rivals = []
        for j, b in enumerate(centres):
            if j != i:
                gap = _rounded(_distance(a, b, p))
                rivals.append(_ratio(scatter[i] + scatter[j], gap**2 if variant == "squared" else gap))
        worst.append(math.nan if any(map(math.isnan, rivals)) else max(rivals))
    return math.nan if any(map(math.isnan, worst)) else math.fsum(worst) / len(worst)


def xie_beni(X: Matrix, U: Matrix, *, m: float = 2.0, power: float = 2.0) -> float:
    _, centres = _centres(X, U, power)
    if len(centres) < 2:
        return math.nan
    weights = U[:, U.any(axis=0)] ** m
    spread = math.fsum(
        w * _distance(x, c) ** 2
        for u, c in zip(weights.T, centres, strict=True)
        for w, x in zip(u, X, strict=True)
    )
    nearest = min(_distance(a, b) for i, a in enumerate(centres) for b in centres[:i])
    return _ratio(_rounded(spread), len(X) * _rounded(nearest) ** 2)


def _silhouettes(X: Matrix, U: Matrix, distance: Callable[[Matrix, Matrix], float]) -> list[float]:
    labels = U.argmax(axis=1)
    values = []
    for i, x in enumerate(X):
        means = {}
        for j in set(labels.tolist()):
            others = [distance(x, X[o]) for o in range(len(X)) if labels[o] == j and o != i]
            if others:
                means[j] = math.fsum(others) / len(others)
        own = means.pop(int(labels[i]), None)
        if own is None or max(own, *means.values()) == 0:
            values.append(0.0)
        else:
            next_one = min(means.values())
            values.append((next_one - own) / max(own, next_one) if max(own, next_one) else 0.0)
    return values


def silhouette(X: Matrix, U: Matrix, *, variant: str = "standard", metric: str = "euclidean") -> float:
    if len(_clusters(X, U)) < 2:
        return math.nan
    p = 1.0 if metric == "cityblock" else 2.0
    power = 2 if variant == "squared" or metric == "sqeuclidean" else 1
    values = _silhouettes(X, U, lambda x, y: _distance(x, y, p) ** power)
    return math.fsum(values) / len(values)


def macro_silhouette(X: Matrix, U: Matrix) -> float:
    """The mean over clusters of the mean over their objects (Pavlopoulos, Vardakas and Likas)."""
    if len(_clusters(X, U)) < 2:
        return math.nan
    values = np.array(_silhouettes(X, U, _distance))
    means = [math.fsum(values[column == 1]) / column.sum() for column in U.T if column.any()]
    return math.fsum(means) / len(means)


def fuzzy_silhouette(X: Matrix, U: Matrix, *, alpha: float = 1.0) -> float:
    """Weighted by how far an object's first membership is above its second (Campello and Hruschka)."""
    used = U[:, U.any(axis=0)]
    hard = np.eye(U.shape[1])[U.argmax(axis=1)]
    if len(_clusters(X, hard)) < 2:
        return math.nan
    ordered = -np.sort(-used, axis=1)
    weights = (ordered[:, 0] - ordered[:, 1]) ** alpha
    if not weights.any():
        return math.nan
    return float(weights @ _silhouettes(X, hard, _distance) / weights.sum())


def simplified_silhouette(X: Matrix, U: Matrix) -> float:
    groups = _clusters(X, U)
    if len(groups) < 2:
        return math.nan
    centres = [g.mean(axis=0) for g in groups]
    values = []
    for j, group in enumerate(groups):
        for x in group:
            own = _rounded(_distance(x, centres[j]))
            rival = _rounded(min(_distance(x, c) for o, c in enumerate(centres) if o != j))
            alone = len(group) == 1 or max(own, rival) == 0
            values.append(0.0 if alone else (rival - own) / max(own, rival))
    return math.fsum(values) / len(values)


def sci(X: Matrix, U: Matrix, *, variant: str = "program") -> float:
    """The program's: for each cluster its nearest centre over its mean distance to the own, by size.

    Printed: a silhouette of squared distances to objects, with b from the centres of the clusters.
    """
    groups = _clusters(X, U)
    if len(groups) < 2:
        return math.nan
    centres = [g.mean(axis=0) for g in groups]
    if variant == "printed":
        values = []
        for j, group in enumerate(groups):
            b = _rounded(min(_distance(centres[j], c) ** 2 for o, c in enumerate(centres) if o != j))
            for x in group:
                a = math.fsum(_distance(x, y) ** 2 for y in group) / max(len(group) - 1, 1)
                alone = len(group) == 1 or max(a, b) == 0
                values.append(0.0 if alone else (b - a) / max(a, b))
        return math.fsum(values) / len(values)
    total = 0.0
    for j, group in enumerate(groups):
        nearest = _rounded(min(_distance(centres[j], c) for o, c in enumerate(centres) if o != j))
        spread = _rounded(math.fsum(_distance(x, centres[j]) for x in group) / len(group))
        total += len(group) / len(X) * _ratio(nearest, spread)
    return total


REFERENCE_OF_DATA: dict[str, Callable[..., float]] = {
    "dunn": dunn,
    "generalized_dunn": generalized_dunn,
    "davies_bouldin": davies_bouldin,
    "xie_beni": xie_beni,
    "silhouette": silhouette,
    "macro_silhouette": macro_silhouette,
    "fuzzy_silhouette": fuzzy_silhouette,
    "simplified_silhouette": simplified_silhouette,
    "sci": sci,
}
