"""The consensus index of many soft partitions against a loop over pairs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, islice

import numpy as np

import partita as pt
from partita.ensembles._consensus_index import consensus_index

INDICES = ["MI", "nmi_joint", "nmi_max", "nmi_sum", "nmi_sqrt", "nmi_min", "VI", "NVI", "ARI"]
SAMPLE = 100


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    n, k, count = 1000, 10, 100
    centre = rng.dirichlet(np.full(k, 0.2), n)
    members = [
        pt.FuzzyPartition((0.7 * centre + 0.3 * rng.dirichlet(np.ones(k), n))[:, rng.permutation(k)])
        for _ in range(count)
    ]
    ensemble = pt.Ensemble(members)
    entries = [pt.indices.find(name) for name in INDICES]
    pairs = list(islice(combinations(members, 2), SAMPLE))

    def one_by_one() -> list[list[float]]:
        return [[entry(a, b) for entry in entries] for a, b in pairs]

    result = consensus_index(ensemble, INDICES)
    ours = np.array([result.values(name)[:SAMPLE] for name in INDICES]).T
    np.testing.assert_allclose(ours, one_by_one(), rtol=1e-10)
    all_pairs = count * (count - 1) // 2
    report(
        "consensus index, 100 x (1000, 10), 9 indices, vs single calls (100 of 4950 pairs, scaled)",
        best(one_by_one, 5) * (all_pairs / SAMPLE) / best(lambda: consensus_index(ensemble, INDICES), 10),
        50,
        at_most=False,
    )
