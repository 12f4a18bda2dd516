"""The consensus index of many soft partitions against a loop over pairs."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import combinations, islice

import numpy as np

import partita as pt
from partita.ensembles._consensus_index import consensus_index

ISSUE = 7
INDICES = ["MI", "nmi_joint", "nmi_max", "nmi_sum", "nmi_sqrt", "nmi_min", "VI", "NVI", "ARI"]
SAMPLE = 100


def co_associations(report: Callable[..., None]) -> None:
    """100 fuzzy runs of 300 objects, in CPU seconds: all pairs together against single calls."""
    rng = np.random.default_rng(1)
    n, k, count = 300, 4, 100
    centre = rng.dirichlet(np.full(k, 0.2), n)
    members = [pt.FuzzyPartition(0.7 * centre + 0.3 * rng.dirichlet(np.ones(k), n)) for _ in range(count)]
    pairs = list(islice(combinations(members, 2), SAMPLE))
    for name in ("coassociation_average_distance", "belief_adjusted_rand"):
        entry = pt.indices.find(name)
        consensus_index(members[:3], name)  # compiled on the first call
        before = time.process_time()
        alone = [float(entry(a, b)) for a, b in pairs]
        between = time.process_time()
        result = consensus_index(members, name)
        after = time.process_time()
        np.testing.assert_allclose(result.values(name)[:SAMPLE], alone, rtol=1e-12)
        single, together = (between - before) * (count * (count - 1) / 2 / SAMPLE), after - between
        print(f"       {name}: {together:.2f} CPU s for all pairs, single calls {single:.1f}")
        label = f"consensus index by {name}, 100 x (300, 4), vs single calls (scaled)"
        report(label, single / together, 5, at_most=False, issue=12, clock="CPU")


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
    co_associations(report)
