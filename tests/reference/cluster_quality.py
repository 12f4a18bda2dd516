"""Each cluster by itself, by the definitions: loops over objects, no partita."""

from __future__ import annotations

import math

import numpy as np


def by_cluster(X: np.ndarray, labels: list, weight: list | None = None) -> dict:
    """Size, mean silhouette, root mean square distance from the mean, neighbour and share that would move."""
    if weight is not None:
        rows = [i for i, w in enumerate(weight) for _ in range(w)]
        X, labels = X[rows], [labels[i] for i in rows]
    names = sorted(set(labels))
    members = {name: [i for i, label in enumerate(labels) if label == name] for name in names}

    def distance(i: int, j: int) -> float:
        return math.dist(X[i], X[j])

    def mean_to(i: int, name: object) -> float:
        others = [j for j in members[name] if j != i]
        return sum(distance(i, j) for j in others) / len(others) if others else math.nan

    found = {}
    for name in names:
        silhouettes, nearest = [], []
        for i in members[name]:
            away = [(mean_to(i, other), place) for place, other in enumerate(names) if other != name]
            b, place = min(away)
            nearest.append(names[place])
            a = mean_to(i, name)
            alone = len(members[name]) == 1
            silhouettes.append(0.0 if alone or max(a, b) == 0 else (b - a) / max(a, b))
        centre = [sum(X[i][f] for i in members[name]) / len(members[name]) for f in range(len(X[0]))]
        squares = [math.dist(X[i], centre) ** 2 for i in members[name]]
        found[name] = {
            "size": len(members[name]),
            "silhouette": sum(silhouettes) / len(silhouettes),
            "scatter": math.sqrt(sum(squares) / len(squares)),
            "neighbour": max(names, key=lambda other: (nearest.count(other), -names.index(other))),
            "would_move": sum(s < 0 for s in silhouettes) / len(silhouettes),
        }
    return found
