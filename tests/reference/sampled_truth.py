"""Estimates from a truth that is known for a sample, by the definition: loops over units and all objects.

``truth`` has None for objects without one. Values are exact fractions, standard errors come from the textbook
ratio estimator: (1 - f) m / (m - 1) sum (y - r x)^2 / (sum x)^2.
"""

import math
from fractions import Fraction

Labels = list


def together(labels: Labels, i: int, j: int) -> bool:
    return labels[i] is not None and labels[i] == labels[j]


def parts_of_clusters(truth: Labels, found: Labels, name: str) -> list[tuple[Fraction, Fraction]]:
    """For each true cluster drawn, numerator and denominator of the index, an object at a time."""
    n, parts = len(truth), []
    for label in sorted({t for t in truth if t is not None}):
        above = below = Fraction(0)
        for i in (i for i in range(n) if truth[i] == label):
            others = [j for j in range(n) if j != i]
            both = sum(together(truth, i, j) and together(found, i, j) for j in others)
            in_truth = sum(together(truth, i, j) for j in others)
            in_found = sum(together(found, i, j) for j in others)
            if name == "pair_precision":
                above, below = above + both, below + in_found
            elif name == "pair_recall":
                above, below = above + both, below + in_truth
            elif name == "rand":
                above += sum(together(truth, i, j) == together(found, i, j) for j in others)
                below += len(others)
            elif name == "bcubed_precision":
                above, below = above + Fraction(both + 1, in_found + 1), below + 1
            else:
                above, below = above + Fraction(both + 1, in_truth + 1), below + 1
        parts.append((above, below))
    return parts


def parts_of_objects(truth: Labels, found: Labels, name: str) -> list[tuple[Fraction, Fraction]]:
    """The same for each object drawn, over pairs of drawn objects only."""
    drawn, parts = [i for i, t in enumerate(truth) if t is not None], []
    for i in drawn:
        others = [j for j in drawn if j != i]
        both = sum(together(truth, i, j) and together(found, i, j) for j in others)
        if name == "rand":
            agreeing = sum(together(truth, i, j) == together(found, i, j) for j in others)
            parts.append((Fraction(agreeing), Fraction(len(others))))
        elif name == "pair_recall":
            parts.append((Fraction(both), Fraction(sum(together(truth, i, j) for j in others))))
        else:
            weight = Fraction(1, found.count(found[i])) if name == "bcubed_precision" else Fraction(1)
            parts.append((weight * both, weight * sum(together(found, i, j) for j in others)))
    return parts


def estimate(truth: Labels, found: Labels, name: str, design: str) -> tuple[float, float]:
    """The value for all objects and its standard error."""
    n, known = len(truth), sum(t is not None for t in truth)
    of_objects = design == "objects"
    parts = (parts_of_objects if of_objects else parts_of_clusters)(truth, found, name)
    if design == "clusters_of_objects":
        sizes = [truth.count(label) for label in sorted({t for t in truth if t is not None})]
        parts = [(y / size, x / size) for (y, x), size in zip(parts, sizes, strict=True)]
    above, below = (sum(side) for side in zip(*parts, strict=True))
    ratio, m = above / below, len(parts)
    spread = sum((y - ratio * x) ** 2 for y, x in parts) / below**2
    unseen = Fraction(1) if design == "clusters_of_objects" else 1 - Fraction(known, n)
    se = math.sqrt(unseen * m / (m - 1) * spread) * (2 if of_objects else 1)
    if of_objects and name == "bcubed_precision":
        alone = Fraction(len(set(found)), n)
        return float(alone + (1 - alone) * ratio), se * float(1 - alone)
    return float(ratio), se
