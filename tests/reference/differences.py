"""Where two clusterings differ, by the definition: loops over clusters and over pairs of objects.

Memberships are rows of probabilities (hard ones one-hot), weights are whole: an object of weight 2 is two.
"""

import math
from itertools import permutations

Rows = list[list[float]]


def shared(U: Rows, V: Rows, weight: list[int]) -> list[list[float]]:
    """How much each true cluster has in common with each found one."""
    return [
        [sum(w * u[i] * v[j] for u, v, w in zip(U, V, weight, strict=True)) for j in range(len(V[0]))]
        for i in range(len(U[0]))
    ]


def clusters(U: Rows, V: Rows, weight: list[int], side: str) -> list[dict]:
    """For each cluster of a side that has objects, its best match and what became of it."""
    table = shared(U, V, weight)
    if side == "found":
        table = [list(column) for column in zip(*table, strict=True)]
    sizes = [sum(row) for row in table]
    others = [sum(column) for column in zip(*table, strict=True)]
    rows = []
    for i, row in enumerate(table):
        if sizes[i] == 0:
            continue
        union = [sizes[i] + others[j] - row[j] for j in range(len(row))]
        best = max(range(len(row)), key=lambda j: (row[j], row[j] / union[j] if union[j] else 0, -j))
        of_own, of_other = row[best] / sizes[i], row[best] / others[best]
        pure = sum(x for j, x in enumerate(row) if x and x / others[j] > 0.5) / sizes[i]
        if of_own >= 0.9:
            fate = "kept" if of_other >= 0.9 else {"truth": "merged", "found": "split"}[side]
        else:
            fate = {"truth": "split", "found": "merged"}[side] if pure >= 0.5 else "lost"
        rows.append(
            {
                "cluster": i,
                "size": sizes[i],
                "best_match": best,
                "overlap": row[best],
                "precision": of_other if side == "truth" else of_own,
                "recall": of_own if side == "truth" else of_other,
                "jaccard": row[best] / union[best],
                "parts": sum(x >= 0.1 * sizes[i] for x in row),
                "fate": fate,
            }
        )
    return rows


def disagreement(U: Rows, V: Rows, weight: list[int]) -> list[float]:
    """For each object the probability that a pair with another is together on one side only."""
    copies = [i for i, w in enumerate(weight) for _ in range(w)]
    told = []
    for i in range(len(U)):
        rest = copies.copy()
        rest.remove(i)
        apart = 0.0
        for j in rest:
            in_truth = sum(a * b for a, b in zip(U[i], U[j], strict=True))
            in_found = sum(a * b for a, b in zip(V[i], V[j], strict=True))
            apart += in_truth * (1 - in_found) + in_found * (1 - in_truth)
        told.append(apart / len(rest) if rest else math.nan)
    return told


def entropy_gap(U: Rows, V: Rows, weight: list[int]) -> list[float]:
    """For each object the expected -log p(truth | found) - log p(found | truth) over labels drawn for it."""
    table = shared(U, V, weight)
    rows, columns = [sum(row) for row in table], [sum(c) for c in zip(*table, strict=True)]
    return [
        sum(
            u[i] * v[j] * -(math.log(table[i][j] / columns[j]) + math.log(table[i][j] / rows[i]))
            for i in range(len(u))
            for j in range(len(v))
            if u[i] and v[j]
        )
        for u, v in zip(U, V, strict=True)
    ]


def least_moved(U: Rows, V: Rows, weight: list[int]) -> float:
    """How much lies outside the best pairing of clusters by what they share, over all pairings."""
    table = shared(U, V, weight)
    if len(table) > len(table[0]):
        table = [list(column) for column in zip(*table, strict=True)]
    ways = permutations(range(len(table[0])), len(table))
    return sum(weight) - max(sum(table[i][j] for i, j in enumerate(way)) for way in ways)
