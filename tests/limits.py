"""Odd inputs, and the limits of the catalogue that none of them reaches: the gate demands that all are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Literal, get_origin

import numpy as np

from gate import Scene, values_of, variants
from partita.errors import PartitaError
from partita.partitions import (
    EvidentialPartition,
    FuzzyPartition,
    HardPartition,
    PossibilisticPartition,
    RoughPartition,
)
from partita.registry import Index
from partita.statistics import CentroidPair, GivenMixture

EXTREMES = (1e-9, 1.0, 3.0, 300.0, 1e6, 1)
N = 6


def unreached(entries: Sequence[Index]) -> list[str]:
    """Limits that no odd input reaches, with any value of a closed option or an extreme one of a number.

    Those that keep very large inputs out ("too many ...") are tested where they are made.
    """
    waiting = {
        (entry.name, limit.reason)
        for entry in entries
        for limit in entry.limits
        if not limit.reason.startswith("too many")
    }
    every = [variant for entry in entries for variant in [*variants(entry), *extremes(entry)]]
    bare = CentroidPair.from_centers([[0.0], [1.0]], [[0.0], [2.0]])
    for entry in entries:
        if entry.statistics == (CentroidPair,):
            waiting -= {(entry.name, caveat.text) for caveat in entry.evaluate([bare]).caveats()}
    scenes, seen = [], set()  # all are kept: what is named by its id must live on
    for scene in odd_scenes():
        scenes.append(scene)
        (X,), (truth, found, _) = scene.data, scene.partitions
        given = {"X": X, "truth": truth, "found": found, "model": scene.model}
        looks = {
            names: (names, id(scene.weight), *(id(given[name]) for name in names))
            for names in {entry.inputs for entry in every}
        }
        names = {name for name, _ in waiting}
        new = [e for e in every if e.name in names and looks[e.inputs] not in seen]
        seen.update(looks.values())
        for label, said in reasons(new, scene):
            name = label.partition(":")[0]
            waiting -= {known for known in waiting if known[0] == name and known[1] in said}
        if not waiting:
            break
    return [f"{name}: no input of limits.odd_scenes reaches {reason!r}" for name, reason in sorted(waiting)]


def reasons(entries: Sequence[Index], scene: Scene) -> Iterator[tuple[str, str]]:
    """What is said about the value of each entry; nothing of those that refuse the scene."""
    try:
        found = values_of(entries, scene, scene.partitions[:2], weight=scene.weight)
    except PartitaError:
        half = len(entries) // 2
        for part in (entries[:half], entries[half:]) if half else ():
            yield from reasons(part, scene)
        return
    for label, (_, caveats) in found.items():
        yield label, " ".join(caveat.text for caveat in caveats)


def extremes(entry: Index) -> Iterator[Index]:
    """The entry with each of its numbers at either end."""
    for name, hint in entry.option_types.items():
        if name == "metric":
            yield from (entry.using(metric=name) for name in ("cityblock", "braycurtis"))
        for value in EXTREMES if get_origin(hint) is not Literal else ():
            try:
                yield entry.using(**{name: value})
            except PartitaError:
                continue  # not among its values


def odd_scenes() -> Iterator[Scene]:
    """Every degenerate clustering beside every degenerate data set, and beside every other one."""
    near = np.random.default_rng(0).normal(size=(N, 2))
    sides, weights = odd_sides(), odd_weights()
    whole, first = weights[0], np.arange(1)
    flat = GivenMixture([1.0], [[0.0, 0.0]], [[[1.0, 1.0], [1.0, 1.0]]])
    for X, found in product(odd_data(near), sides):
        yield Scene((X,), (sides[0], found, found), flat, whole)
    for truth, found in product(sides, sides):
        yield Scene((near,), (truth, found, found), flat, whole)
        yield Scene((near[:1],), (truth.take(first), found.take(first), found.take(first)), flat, whole[:1])
    for truth, found, weight in product(sides, sides, weights[1:]):
        yield Scene((near,), (truth, found, found), flat, weight)
    yield from light_scenes(near, flat)


def light_scenes(near: np.ndarray, model: GivenMixture) -> Iterator[Scene]:
    """Soft clusterings of a few objects that weigh less than one."""
    rng = np.random.default_rng(0)
    sets = [[True, False], [False, True], [True, True], [False, False]]
    for _ in range(600):
        n = int(rng.integers(2, N))
        truth, found = (
            FuzzyPartition(rng.dirichlet(np.full(rng.integers(2, 4), rng.choice([0.05, 1.0])), size=n))
            for _ in range(2)
        )
        masses = EvidentialPartition(rng.dirichlet(np.full(4, 0.5), size=n), sets)
        weight = rng.random(n) * rng.choice([0.3, 0.6, 1.2])
        yield Scene((near[:n],), (truth, found, found), model, weight)
        yield Scene((near[:n],), (masses, masses, masses), model, weight)


def odd_data(near: np.ndarray) -> list[np.ndarray]:
    """Duplicates, constants, and numbers at the ends of what there is."""
    line = np.array([[0.0], [0.0], [1.0], [1.0], [9.0], [9.0]])
    return [
        near,
        np.round(near),
        np.zeros((N, 2)),
        near * [1.0, 0.0],
        near[:, [0, 0]],
        near * 1e300,
        near * 1e-300,
        near * [1e300, 1e-300],
        near[[0, 0, 0, 1, 1, 1]],
        line,
        line + 1e-300 * near[:, :1],
        np.array([[0.0], [1.0], [1e160], [0.0], [0.0], [0.0]]),
        np.array([[0.0], [1e-190], [1e-190], [1e119], [1e119], [1e119]]),
        np.array([[0.0], [1e-190], [1e-190], [0.0], [0.0], [1e119]]),
        line + 1e-170 * np.array([[0.0], [1.0], [0.0], [1.0], [0.0], [1.0]]),
        np.array([[-1.0], [1.0], [0.0], [-1.0], [1.0], [0.0]]),
        np.array([[-1.0], [1.0], [0.0], [-1.0], [1.0], [1e-170]]),
        (near > 0).astype(float),
    ]


def odd_sides() -> list[Any]:
    """One cluster, one for each object, noise only, memberships that say nothing, no membership at all."""
    halves = [0, 0, 0, 1, 1, 1]
    soft = np.array([[0.9, 0.1]] * 3 + [[0.2, 0.8]] * 3)
    return [
        HardPartition(halves),
        HardPartition([0] * N),
        HardPartition(list(range(N))),
        HardPartition([0, 0, 1, 1, 2, 2]),
        HardPartition([0, 0, 0, 0, 0, 1]),
        HardPartition([-1] * N),
        FuzzyPartition(soft),
        FuzzyPartition(np.full((N, 2), 0.5)),
        FuzzyPartition(np.full((N, 4), 0.25)),
        FuzzyPartition(np.eye(2)[halves] * 0.5 + 0.25),
        FuzzyPartition(np.hstack([np.eye(N)[:, :1] / 2, np.eye(N) - np.eye(N)[:, :1] @ np.eye(N)[:1] / 2])),
        PossibilisticPartition(soft),
        PossibilisticPartition(np.full((N, 3), 0.1)),
        PossibilisticPartition([[0.5], *[[5e-324]] * 5]),
        PossibilisticPartition([[5e-324], [0.5], *[[5e-324]] * 4]),
        PossibilisticPartition(np.diag([0.5, 1.0, 1.0, 1.0, 1.0, 1.0])),
        RoughPartition([[True, True]] * N),
        EvidentialPartition(np.ones((N, 1)), [[False, False]]),
    ]


def odd_weights() -> list[np.ndarray]:
    """Ones first; then fractions whose sum is large, about one, and small."""
    some = np.array([0.5, 1.0, 2.0, 1.5, 1.0, 1.0])
    return [np.ones(N, dtype=np.int64), some, some / 3, some / 6, some / 1000, np.full(N, 0.25)]
