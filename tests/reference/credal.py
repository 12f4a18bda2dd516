"""Credal indices by the definition (denoeux2018), and Zhou's distance.

A clustering is a list with a dictionary {set of clusters: mass} for each object. Dempster's rule is a loop
over all pairs of sets; matchings are all permutations. Without a pair, identical clusterings score best.
"""

import math
from collections.abc import Callable
from itertools import combinations, permutations

from .tables import Memberships

Masses = list[dict[frozenset[int], float]]
EMPTY, TOGETHER, APART, BOTH = "empty", "together", "apart", "both"


def of_memberships(U: Memberships) -> Masses:
    """Each membership is mass on one cluster; clusters without any are left out."""
    return [{frozenset({r}): value for r, value in enumerate(row) if value} for row in U.tolist()]


def pair_mass(one: dict[frozenset[int], float], other: dict[frozenset[int], float]) -> dict[str, float]:
    """What two objects have on the four relations, by Dempster's rule without normalisation."""
    mass = dict.fromkeys((EMPTY, TOGETHER, APART, BOTH), 0.0)
    for A, a in one.items():
        for B, b in other.items():
            if not A or not B:
                relation = EMPTY
            elif not A & B:
                relation = APART
            elif A == B and len(A) == 1:
                relation = TOGETHER
            else:
                relation = BOTH
            mass[relation] += a * b
    return mass


def conflict(m: dict[str, float], w: dict[str, float]) -> float:
    """The mass that goes to the empty set when both are combined."""
    on_empty = m[EMPTY] + w[EMPTY] - m[EMPTY] * w[EMPTY]
    return on_empty + m[TOGETHER] * w[APART] + m[APART] * w[TOGETHER]


def jousselme(m: dict[str, float], w: dict[str, float]) -> float:
    """The root of delta' J delta / 2, J holding |A and B| / |A or B|."""
    sets = {EMPTY: set(), TOGETHER: {"s"}, APART: {"d"}, BOTH: {"s", "d"}}
    form = 0.0
    for A, a in sets.items():
        for B, b in sets.items():
            alike = 1.0 if A == B else len(a & b) / len(a | b)
            form += (m[A] - w[A]) * alike * (m[B] - w[B])
    return math.sqrt(max(form, 0.0) / 2)


def belief(m: dict[str, float], w: dict[str, float]) -> float:
    """Half the absolute differences of the beliefs in {together}, {apart} and {together, apart}."""
    both = (m[TOGETHER] + m[APART] + m[BOTH]) - (w[TOGETHER] + w[APART] + w[BOTH])
    return (abs(m[TOGETHER] - w[TOGETHER]) + abs(m[APART] - w[APART]) + abs(both)) / 2


GAPS = {"conflict": conflict, "jousselme": jousselme, "belief": belief}


def credal_rand_of_masses(truth: Masses, found: Masses, type: str = "belief") -> float:  # noqa: A002
    """One minus the mean gap; without a pair 1 for identical clusterings, else nan."""
    pairs = list(combinations(range(len(truth)), 2))
    if not pairs:
        return 1.0 if _same_object(truth[0], found[0]) else math.nan
    gaps = [GAPS[type](pair_mass(truth[i], truth[j]), pair_mass(found[i], found[j])) for i, j in pairs]
    return 1 - math.fsum(gaps) / len(gaps)


def _same_object(one: dict[frozenset[int], float], other: dict[frozenset[int], float]) -> bool:
    """Whether some renaming of the clusters turns the masses of one into those of the other."""
    clusters = sorted(set().union(*one, *other))
    for order in permutations(clusters):
        names = dict(zip(clusters, order, strict=True))
        renamed = {frozenset(names[c] for c in A): m for A, m in one.items()}
        if renamed.keys() == other.keys() and all(math.isclose(renamed[A], other[A]) for A in other):
            return True
    return False


def nonspecificity_of_masses(found: Masses) -> float:
    """The mean mass on the empty set and on {together, apart}; nan without a pair."""
    masses = [pair_mass(one, other) for one, other in combinations(found, 2)]
    return math.fsum(m[EMPTY] + m[BOTH] for m in masses) / len(masses) if masses else math.nan


def credal_rand(U: Memberships, V: Memberships, type: str = "belief") -> float:  # noqa: A002
    """On memberships."""
    if len(U) == 1:
        same = sorted(value for value in U[0] if value) == sorted(value for value in V[0] if value)
        return 1.0 if same else math.nan
    return credal_rand_of_masses(of_memberships(U), of_memberships(V), type)


def pairwise_nonspecificity(U: Memberships) -> float:
    """On memberships: 0 but for rounding, since every mass is on one cluster."""
    return nonspecificity_of_masses(of_memberships(U))


def fuzzy_partition_distance(U: Memberships, V: Memberships) -> float:
    """Half the mean L1 distance of the rows, at best over all bijections of the padded clusters."""
    k = max(U.shape[1], V.shape[1])
    u, v = ([row + [0.0] * (k - len(row)) for row in side.tolist()] for side in (U, V))
    return min(
        math.fsum(abs(a[r] - b[order[r]]) for a, b in zip(u, v, strict=True) for r in range(k)) / (2 * len(u))
        for order in permutations(range(k))
    )


REFERENCE: dict[str, Callable[..., float]] = {
    "credal_rand": credal_rand,
    "fuzzy_partition_distance": fuzzy_partition_distance,
}
REFERENCE_OF_ONE: dict[str, Callable[..., float]] = {"pairwise_nonspecificity": pairwise_nonspecificity}
REFERENCE_OF_MASSES: dict[str, Callable[..., float]] = {
    "credal_rand": credal_rand_of_masses,
    "pairwise_nonspecificity": nonspecificity_of_masses,
}
