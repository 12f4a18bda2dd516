"""Distributional measures by the definition (campagner2022 eqs. 5-10, appendix A): every pair of clusterings.

An object is a set of possible labels, or a dictionary {set of labels: mass}, or a row of memberships; objects
and sides are independent. `value(labels, labels)` is the base index on labels, nan where it is undefined.
Undefined values are never part of a result: how much of them there is comes second, and whoever needs a mean
or a degree of belief divides by what is left. Values are keys after rounding to 11 decimals.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from .tables import Memberships

Labels = tuple[int, ...]
Value = Callable[[Labels, Labels], float]
Rough = Sequence[Iterable[int]]
Masses = list[dict[frozenset[int], float]]
Focal = dict[frozenset[float], float]

DECIMALS = 11


def key(value: float) -> float:
    """A value as a dictionary key; 0 and -0 are one."""
    return round(value, DECIMALS) + 0.0


# --- sets of clusterings (eq. 6) ------------------------------------------------------------------------


def sets_of(possible: Any) -> list[frozenset[int]]:
    """For each object its set of possible labels, from an (n, k) matrix of truth values."""
    return [frozenset(np.flatnonzero(row).tolist()) for row in np.asarray(possible, dtype=bool)]


def clusterings(sets: Rough) -> Iterator[Labels]:
    """C(R): all label vectors that take one label from each object's set."""
    yield from product(*(sorted(labels) for labels in sets))


def completions(possible: Any) -> list[Labels]:
    """The same from an (n, k) matrix of truth values."""
    return list(clusterings(sets_of(possible)))


def rough_values(truth: Rough, found: Rough, value: Value) -> tuple[dict[float, int], int]:
    """For each attainable value the number of pairs of clusterings that have it; the undefined pairs."""
    counts: dict[float, int] = {}
    undefined = 0
    for one, other in product(list(clusterings(truth)), list(clusterings(found))):
        v = value(one, other)
        if math.isnan(v):
            undefined += 1
        else:
            counts[key(v)] = counts.get(key(v), 0) + 1
    return counts, undefined


def share_at_most(counts: Mapping[float, float], t: float) -> float:
    """F(t) of p_R as it has to be (section 6b): by the number of clusterings, not of values."""
    return sum(count for v, count in counts.items() if v <= t) / sum(counts.values())


def hausdorff(truth: Rough, found: Rough, distance: Value) -> float:
    """Between C(R1) and C(R2): the largest distance of a member of one to the nearest of the other."""
    ones, others = list(clusterings(truth)), list(clusterings(found))
    from_truth = max(min(distance(one, other) for other in others) for one in ones)
    from_found = max(min(distance(one, other) for one in ones) for other in others)
    return max(from_truth, from_found)


# --- laws (fuzzy) ---------------------------------------------------------------------------------------


def fuzzy_law(U: Memberships, V: Memberships, value: Value) -> tuple[dict[float, float], float]:
    """For each value its probability, every object and side drawn by itself; the undefined probability."""
    law: dict[float, float] = {}
    undefined = 0.0
    for one, other in product(_all_labels(U), _all_labels(V)):
        probability = _product([*_memberships_at(U, one), *_memberships_at(V, other)])
        v = value(one, other)
        if math.isnan(v):
            undefined += probability
        else:
            law[key(v)] = law.get(key(v), 0.0) + probability
    return law, undefined


def moments(law: Mapping[float, float]) -> tuple[float, float]:
    """Mean and standard deviation of what is defined."""
    total = math.fsum(law.values())
    if not total:
        return math.nan, math.nan
    mean = math.fsum(p * v for v, p in law.items()) / total
    return mean, math.sqrt(math.fsum(p * (v - mean) ** 2 for v, p in law.items()) / total)


# --- possibilities (eq. 7) ------------------------------------------------------------------------------


def _product(values: Sequence[float]) -> float:
    return math.prod(values)


def _lukasiewicz(values: Sequence[float]) -> float:
    return max(0.0, 1.0 - math.fsum(1.0 - v for v in values))


TNORMS: dict[str, Callable[[Sequence[float]], float]] = {
    "minimum": min,
    "product": _product,
    "lukasiewicz": _lukasiewicz,
}
DUAL_CONORMS: dict[str, Callable[[float, float], float]] = {
    "minimum": max,
    "product": lambda a, b: 1.0 - (1.0 - a) * (1.0 - b),
    "lukasiewicz": lambda a, b: min(1.0, a + b),
}


def possibility(
    P: Memberships, Q: Memberships, value: Value, tnorm: str = "minimum", conorm: str = "max"
) -> tuple[dict[float, float], float]:
    """For each value with a positive one its possibility; that of "undefined".

    The t-norm joins the typicalities of all objects of both sides. `conorm="max"`: the highest possibility of
    a pair of clusterings with that value, `"dual"`: eq. (7) to the letter, the t-norm's own s-conorm over all
    of those pairs.
    """
    conjunction = TNORMS[tnorm]
    disjunction = {"max": max, "dual": DUAL_CONORMS[tnorm]}[conorm]
    possibilities: dict[float, float] = {}
    undefined = 0.0
    for one, other in product(_all_labels(P), _all_labels(Q)):
        degree = conjunction([*_memberships_at(P, one), *_memberships_at(Q, other)])
        if degree == 0:
            continue
        v = value(one, other)
        if math.isnan(v):
            undefined = disjunction(undefined, degree)
        else:
            possibilities[key(v)] = disjunction(possibilities.get(key(v), 0.0), degree)
    return possibilities, undefined


def cut_expectations(possibilities: Mapping[float, float]) -> tuple[float, float]:
    """(1/h) times the integrals over alpha in (0, h] of the least and of the greatest value of the cut.

    A cut holds the values whose possibility is at least alpha, h is the highest possibility.
    """
    if not possibilities:
        return math.nan, math.nan
    levels = sorted(set(possibilities.values()))
    lower = upper = below = 0.0
    for level in levels:
        cut = [v for v, degree in possibilities.items() if degree >= level]
        lower += (level - below) * min(cut)
        upper += (level - below) * max(cut)
        below = level
    return lower / levels[-1], upper / levels[-1]


def possible_at_most(possibilities: Mapping[float, float], t: float) -> float:
    """The possibility of "value <= t", divided by the height."""
    within = [degree for v, degree in possibilities.items() if v <= t]
    return max(within, default=0.0) / max(possibilities.values())


def necessary_at_most(possibilities: Mapping[float, float], t: float) -> float:
    """1 - the possibility of "value > t", divided by the height."""
    beyond = [degree for v, degree in possibilities.items() if v > t]
    return 1.0 - max(beyond, default=0.0) / max(possibilities.values())


# --- evidence (eqs. 5, 8, 9, 10) ------------------------------------------------------------------------


def evidential_values(truth: Masses, found: Masses, value: Value) -> tuple[Focal, float]:
    """For each set of values its mass; the mass of pairs of rough clusterings without any defined value.

    Masses on the empty set must be settled before (`masses`). What is undefined is left out of a set.
    """
    focal: Focal = {}
    undefined = 0.0
    for (one, m_one), (other, m_other) in product(list(focal_rough(truth)), list(focal_rough(found))):
        values, _ = rough_values(one, other, value)
        if values:
            focal[frozenset(values)] = focal.get(frozenset(values), 0.0) + m_one * m_other
        else:
            undefined += m_one * m_other
    return focal, undefined


def focal_rough(given: Masses) -> Iterator[tuple[tuple[frozenset[int], ...], float]]:
    """F(M): all rough clusterings of positive mass, and that mass (eq. 5)."""
    for chosen in product(*([(A, m) for A, m in row.items() if m > 0] for row in given)):
        yield tuple(A for A, _ in chosen), _product([m for _, m in chosen])


def expectations(focal: Mapping[frozenset[float], float]) -> tuple[float, float]:
    """Eqs. (9) and (10), of what is defined."""
    total = math.fsum(focal.values())
    if not total:
        return math.nan, math.nan
    lower = math.fsum(m * min(V) for V, m in focal.items())
    upper = math.fsum(m * max(V) for V, m in focal.items())
    return lower / total, upper / total


def belief_at_most(focal: Mapping[frozenset[float], float], t: float) -> float:
    """The mass of sets that lie below t as a whole."""
    return math.fsum(m for V, m in focal.items() if max(V) <= t) / math.fsum(focal.values())


def plausibility_at_most(focal: Mapping[frozenset[float], float], t: float) -> float:
    """The mass of sets that reach below t."""
    return math.fsum(m for V, m in focal.items() if min(V) <= t) / math.fsum(focal.values())


# --- clusterings of every kind --------------------------------------------------------------------------


def consonant(row: Sequence[float]) -> dict[frozenset[int], float]:
    """A row of typicalities as masses on its nested level sets; what it lacks to 1 is on the empty set."""
    masses: dict[frozenset[int], float] = {}
    below = 0.0
    for level in sorted({v for v in row if v > 0}):
        masses[frozenset(c for c, v in enumerate(row) if v >= level)] = level - below
        below = level
    if below < 1:
        masses[frozenset()] = 1.0 - below
    return masses


def masses(partition: Any, empty: str = "normalize") -> Masses:
    """Any clustering as mass functions, object by object; told apart by the name of its kind.

    `empty="normalize"` divides by 1 - m(empty set), `"cluster"` makes the empty set one more cluster, the
    same for all objects, `"keep"` leaves it.
    """
    kind = str(partition.kind)
    rows: Masses
    if kind == "hard":
        rows = [{frozenset({int(code)}): 1.0} for code in partition.codes]
    elif kind == "rough":
        rows = [{labels: 1.0} for labels in sets_of(partition.possible)]
    elif kind == "fuzzy":
        rows = [
            {frozenset({c}): v for c, v in enumerate(row) if v} for row in partition.memberships().tolist()
        ]
    elif kind == "possibilistic":
        rows = [consonant(row) for row in partition.memberships().tolist()]
    else:
        sets = sets_of(partition.focal_sets)
        rows = [{A: m for A, m in zip(sets, row, strict=True) if m} for row in partition.masses.tolist()]
    return [_settled(row, empty, len(partition.names)) for row in rows]


def typicalities(partition: Any) -> Memberships:
    """A hard, rough or possibilistic clustering as possibilities of its labels."""
    kind = str(partition.kind)
    if kind not in ("hard", "rough", "possibilistic"):
        raise ValueError(f"a {kind} clustering is no possibility distribution")
    given = partition.possible if kind == "rough" else partition.memberships()
    return np.asarray(given, dtype=np.float64)


def _settled(row: dict[frozenset[int], float], empty: str, n_clusters: int) -> dict[frozenset[int], float]:
    on_empty = row.get(frozenset(), 0.0)
    filled = {A: m for A, m in row.items() if A}
    if empty == "normalize":
        return {A: m / math.fsum(filled.values()) for A, m in filled.items()} if on_empty else filled
    if empty == "cluster":
        return filled | ({frozenset({n_clusters}): on_empty} if on_empty else {})
    return row


def _all_labels(U: Memberships) -> list[Labels]:
    """Without those that some object cannot have."""
    return list(clusterings([np.flatnonzero(row).tolist() for row in U]))


def _memberships_at(U: Memberships, labels: Labels) -> list[float]:
    return [float(U[x, label]) for x, label in enumerate(labels)]
