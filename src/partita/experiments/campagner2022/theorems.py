"""The theorems of campagner2022 as executed claims: on all small clusterings, and by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from partita import indices
from partita.arrays import Array
from partita.distributional import distribution, hausdorff
from partita.experiments.campagner2022.algorithms import index_of_draws
from partita.experiments.campagner2022.worlds import (
    DISTANCES,
    ZERO,
    evidential_world,
    fuzzy_world,
    matrices,
    meanings,
    rough_world,
    triangle_excess,
)
from partita.experiments.studies import Record, Run, Task
from partita.partitions import EvidentialPartition, FuzzyPartition, PossibilisticPartition, RoughPartition

__all__ = ["plan_theorems", "work_theorem"]

PD, RAND = DISTANCES["PD"], DISTANCES["1 - Rand"]

SMALL: dict[str, list[Any]] = {"rough": [(3, 2), (2, 3)], "evidential": [2], "fuzzy": [2]}
LARGE: dict[str, list[Any]] = {"rough": [(3, 2), (2, 3), (4, 2)], "evidential": [2, 3], "fuzzy": [2, 3]}
"""Objects, and clusters, of the worlds."""

MOST_BOTH_WAYS = 30
"""Clusterings of a world of which every pair is computed in both orders."""


def plan_theorems(run: Run) -> Sequence[Task]:
    """One task for each world and base distance, and one for each claim that needs more than a world."""
    worlds = SMALL if run.quick else LARGE
    tasks = [
        Task(f"{kind}-{'x'.join(map(str, np.atleast_1d(size)))}-{place}", (kind, size, base))
        for kind, sizes in worlds.items()
        for size in sizes
        for place, base in enumerate(DISTANCES)
    ]
    repeats = 2000 if run.quick else 20000
    seed = run.task_seed
    return [
        *tasks,
        Task("counterexample", ("counterexample",)),
        Task("generalises", ("generalises",)),
        Task("mean", ("mean", seed(0), 10_000 if run.quick else 200_000)),
        Task("ends", ("ends", seed(1), repeats)),
        Task("hoeffding", ("hoeffding", seed(2), repeats // 10)),
        Task("nested", ("nested", seed(3), 2000)),
        Task("completions", ("completions",)),
        Task("covers", ("covers", seed(4), 20 if run.quick else 60)),
    ]


def work_theorem(claim: str, *arguments: Any) -> Record:
    """What is counted for one claim."""
    works: dict[str, Any] = {
        "rough": _rough,
        "evidential": _evidential,
        "fuzzy": _fuzzy,
        "counterexample": _counterexample,
        "generalises": _generalises,
        "mean": _mean,
        "ends": _ends,
        "hoeffding": _hoeffding,
        "nested": _nested,
        "completions": _completions,
        "covers": _covers,
    }
    return Record(works[claim](*arguments))


# --- worlds -----------------------------------------------------------------------------------------------


def _rough(size: tuple[int, int], base: str) -> dict[str, Any]:
    parts = rough_world(*size)
    lower, upper, _ = matrices(parts, base, both_ways=len(parts) <= MOST_BOTH_WAYS)
    means = [meanings(part) for part in parts]
    shared = np.array([[bool(a & b) for b in means] for a in means])
    same = np.array([[len(a | b) == 1 for b in means] for a in means])
    counts = np.array([part.n_completions for part in parts])
    hard = np.flatnonzero(counts == 1)
    apart = [
        abs(hausdorff(parts[i], parts[j], DISTANCES[base]).value - upper[i, j])
        for i in hard
        for j in range(len(parts))
    ]
    several = np.array([len(m) > 1 for m in means])
    literal = np.diag(counts == 1)
    example = next((i for i in np.flatnonzero(np.diag(upper) <= ZERO) if counts[i] > 1), None)
    return {
        "clusterings": len(parts),
        "asymmetric": float(max(abs(lower - lower.T).max(), abs(upper - upper.T).max())),
        "self_lower": float(np.diag(lower).max()),
        "wrong_lower": int(((lower <= ZERO) != shared).sum()),
        "wrong_upper": int(((upper <= ZERO) != same).sum()),
        "relabelled": int(((upper <= ZERO) != literal).sum()),
        "example": "" if example is None else _sets_in_words(parts[example]),
        "triangle_upper": triangle_excess(upper),
        "triangle_lower": triangle_excess(lower),
        "hausdorff": float(max(apart)),
        "hausdorff_pairs": len(apart),
        "self_upper_zero": int((np.diag(upper)[several] <= ZERO).sum()),
    }


def _sets_in_words(part: RoughPartition) -> str:
    rows = ["{" + ",".join(map(str, np.flatnonzero(row))) + "}" for row in np.asarray(part.possible)]
    return f"[{', '.join(rows)}]"


def _evidential(n: int, base: str) -> dict[str, Any]:
    parts = evidential_world(n)
    lower, upper, sure = matrices(parts, base, both_ways=len(parts) <= MOST_BOTH_WAYS, beliefs=True)
    means = [meanings(part) for part in parts]
    same = np.array([[len(a | b) == 1 for b in means] for a in means])
    several = np.array([len(m) > 1 for m in means])
    alike = np.array([[one.equivalent(other) for other in parts] for one in parts])
    hard = ~several
    return {
        "clusterings": len(parts),
        "asymmetric": float(max(abs(m - m.T).max() for m in (lower, upper, sure))),
        "wrong_sure": int(((sure >= 1 - ZERO) != same).sum()),
        "equal_not_sure": int((np.diag(sure)[several] < 1 - ZERO).sum()),
        "several": int(several.sum()),
        "wrong_upper": int(((upper <= ZERO) != same).sum()),
        "triangle_upper": triangle_excess(upper),
        "lower_zero_but_unlike": int(((lower <= ZERO) & ~alike).sum()),
        "triangle_lower": triangle_excess(lower),
        "hard": int(hard.sum()),
        "self_lower_hard": float(np.diag(lower)[hard].max()),
        "self_upper_hard": float(np.diag(upper)[hard].max()),
    }


def _fuzzy(n: int, base: str) -> dict[str, Any]:
    parts = fuzzy_world(n)
    lower, upper, _ = matrices(parts, base, both_ways=len(parts) <= MOST_BOTH_WAYS)
    means = [meanings(part) for part in parts]
    same = np.array([[len(a | b) == 1 for b in means] for a in means])
    several = np.array([len(m) > 1 for m in means])
    return {
        "clusterings": len(parts),
        "asymmetric": float(abs(upper - upper.T).max()),
        "ends_apart": float(abs(upper - lower).max()),
        "wrong_upper": int(((upper <= ZERO) != same).sum()),
        "triangle_upper": triangle_excess(upper),
        "self_zero": int((np.diag(upper)[several] <= ZERO).sum()),
        "several": int(several.sum()),
    }


# --- single claims ----------------------------------------------------------------------------------------


def _rough_of(*sets: Sequence[int]) -> RoughPartition:
    k = max(max(one) for one in sets) + 1
    return RoughPartition(np.array([[j in one for j in range(max(k, 2))] for one in sets]))


def _counterexample() -> dict[str, Any]:
    """Three clusterings for which the lower expectation is neither separating nor keeps the triangle."""
    a, b, c = _rough_of([0], [0], [0, 1]), _rough_of([0], [0], [0]), _rough_of([0], [0], [1])
    ends = {
        name: distribution(one.to("evidential"), other.to("evidential"), PD)
        for name, one, other in (("AB", a, b), ("AC", a, c), ("BC", b, c), ("AA", a, a))
    }
    return {
        "lower": {name: got.lower for name, got in ends.items()},
        "upper": {name: got.upper for name, got in ends.items()},
    }


def _generalises() -> dict[str, Any]:
    """Whether the measure for evidential clusterings gives those for the other kinds."""
    truth = [0, 0, 1]
    sets = [
        (distribution(truth, one, PD).support, distribution(truth, one.to("evidential"), PD).focal_values)
        for one in rough_world(3, 2)
    ]
    rough = sum(len(focal) == 1 and np.allclose(focal[0][0], support) for support, focal in sets)
    typical = PossibilisticPartition([[1.0, 0.5], [0.5, 1.0], [1.0, 0.5]])
    cuts = distribution(truth, typical, PD)
    masses = distribution(truth, typical.to("evidential"), PD)
    memberships = [[0.7, 0.3], [0.4, 0.6], [0.5, 0.5]]
    literal = distribution(
        truth, PossibilisticPartition(memberships), PD, tnorm="product", reading="literal"
    ).possibilities
    law = distribution(truth, FuzzyPartition(memberships), PD).probabilities
    return {
        "rough": int(rough),
        "roughs": len(sets),
        "cuts": [cuts.lower, cuts.upper],
        "masses": [masses.lower, masses.upper],
        "literal": literal.tolist(),
        "law": law.tolist(),
    }


def _mean(seed: int, many: int) -> dict[str, Any]:
    """The expected Rand distance of fuzzy clusterings: in closed form, and from all completions."""
    rng = np.random.default_rng(seed)
    gaps, kin = [], []
    for _ in range(5):
        one, other = (FuzzyPartition(rng.dirichlet(np.ones(2), size=4)) for _ in range(2))
        closed = 1 - distribution(one, other, RAND, law=False).mean
        listed = list(product(range(2), repeat=4))
        chances = [np.array([side.probability_of(labels) for labels in listed]) for side in (one, other)]
        values = np.array([index_of_draws(RAND, np.array(labels), np.array(listed)) for labels in listed])
        gaps.append(abs(closed - float(chances[0] @ (1 - values) @ chances[1])))
        pairs = indices.coassociation_rand_distance(one, other)
        kin.append(abs(closed - (1 - 1 / one.n_objects) * pairs))
    large, larger = (rng.dirichlet(np.ones(3), size=many) for _ in range(2))
    return {
        "gap": max(gaps),
        "kin": max(kin),
        "objects": many,
        "method": distribution(large, larger, RAND, law=False).method,
    }


def _ends(seed: int, repeats: int) -> dict[str, Any]:
    """How often the ends of drawn completions miss the true ones, beside the printed and a right bound."""
    truth = np.array([0, 0, 0, 1, 1, 1])
    found = _rough_of([0], [0, 1], [1], [1], [0, 1], [0, 1])
    draws, epsilon = 3, 1 / 6
    got = distribution(truth, found, PD, method="sample", n_samples=draws, random_state=seed)
    exact = distribution(truth, found, PD)
    assert got.uniform is not None
    values = index_of_draws(PD, truth, found.sample(repeats * draws, random_state=seed)).reshape(
        repeats, draws
    )
    law = got.uniform

    def below(x: float) -> float:
        return float(law.weights[law.support <= x + ZERO].sum())

    return {
        "draws": draws,
        "repeats": repeats,
        "epsilon": epsilon,
        "lower_missed": float(np.mean(values.min(axis=1) - exact.lower >= epsilon - ZERO)),
        "upper_missed": float(np.mean(exact.upper - values.max(axis=1) >= epsilon - ZERO)),
        "right": list(got.miss_probability(epsilon)),
        "eq11": below(exact.upper - epsilon) ** draws,
        "eq12": 1 - (1 - below(epsilon - exact.lower)) ** draws,
        "completions": found.n_completions,
        "values": len(exact.support),
    }


def _hoeffding(seed: int, repeats: int) -> dict[str, Any]:
    """How often a mean of draws is off by so much, and how often it may be."""
    truth = np.array([0, 0, 0, 1, 1])
    found = FuzzyPartition([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [0.3, 0.7], [0.2, 0.8]])
    draws = 50
    mean = distribution(truth, found, PD).mean
    values = index_of_draws(PD, truth, found.sample(repeats * draws, random_state=seed))
    off = abs(values.reshape(repeats, draws).mean(axis=1) - mean)
    epsilons = (0.02, 0.05, 0.1, 0.15)
    return {
        "draws": draws,
        "repeats": repeats,
        "epsilons": list(epsilons),
        "off": [float(np.mean(off >= epsilon)) for epsilon in epsilons],
        "bound": [min(1.0, float(2 * np.exp(-2 * draws * epsilon**2))) for epsilon in epsilons],
    }


def _nested(seed: int, draws: int) -> dict[str, Any]:
    """Expected ends: the true ones, those with exact ends for each draw, and nested ones."""
    truth = [0, 0, 0, 1, 1, 1]
    masses = np.array([[0.5, 0.1, 0.4]] * 3 + [[0.1, 0.5, 0.4]] * 3)
    found = EvidentialPartition(masses, np.array([[True, False], [False, True], [True, True]]))

    def ends(method: str, **options: Any) -> list[float]:
        got = distribution(truth, found, PD, method=method, random_state=seed, **options)
        return [got.lower, got.upper]

    return {
        "draws": draws,
        "exact": ends("exact"),
        "sample": ends("sample", n_samples=draws),
        "nested": ends("nested", n_samples=draws, n_inner=2),
    }


def _completions() -> dict[str, Any]:
    """The whole set of values where every object may be in every cluster."""
    truth = np.repeat([0, 1, 2], 20)
    found = RoughPartition(np.ones((60, 3), dtype=bool))
    got = distribution(truth, found, RAND)
    return {"completions": str(found.n_completions), "values": len(got.support), "method": got.method}


def _covers(seed: int, instances: int) -> dict[str, Any]:
    """Exact cover by triples as a least distance: elements are objects, triples are clusters."""
    rng = np.random.default_rng(seed)
    triples = [set(one) for one in combinations(range(6), 3)]
    right = covered = 0
    for _ in range(instances):
        chosen = _covering_triples(triples, rng)
        has_cover = any(not (one & other) for one, other in combinations(chosen, 2))
        found = RoughPartition(np.array([[x in one for one in chosen] for x in range(6)]))
        least = 1 - distribution([0] * 6, found, RAND, law=False).upper
        most = 1 - distribution(list(range(6)), found, RAND, law=False).lower
        reached = [abs(least - (1 - 3 / 6)) <= ZERO, abs(most - (3 - 1) / 6) <= ZERO]
        right += reached == [has_cover, has_cover]
        covered += has_cover
    return {"instances": instances, "right": right, "covered": covered}


def _covering_triples(triples: Sequence[set[int]], rng: np.random.Generator) -> list[set[int]]:
    """Some triples in which every element occurs."""
    while True:
        places: Array = rng.choice(len(triples), size=4, replace=False)
        chosen = [triples[place] for place in places]
        if set().union(*chosen) == set(range(6)):
            return chosen
