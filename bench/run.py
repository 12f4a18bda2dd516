"""What partita's speed is worth: ratios to peers and to the hardware's limit, each measured in this one run.

Run with ``make bench``. Times are the best of several; a target that is missed is marked.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from genieclust.compare_partitions import adjusted_rand_score as genieclust_ari
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

import chance
import coassociation
import consensus
import ctrl_c
import dask_workers
import distributional
import first_answer
import internal
import intervals
import mixture
import partita as pt
import prototypes
import small_work
import strategies
import swaps
import sweeps
from partita.partitions import FUZZY
from partita.statistics import Contingency

rng = np.random.default_rng(0)
missed: list[str] = []
SOFT_TABLES = [
    entry for entry in pt.indices.catalogue() if entry.statistics == (Contingency,) and FUZZY in entry.kinds
]
ON_TABLES = [entry for entry in pt.indices.catalogue() if entry.statistics == (Contingency,)]


def best(work: Callable[[], object], repeats: int = 15) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def report(what: str, ratio: float, target: float, *, at_most: bool) -> None:
    fine = ratio <= target if at_most else ratio >= target
    sign = "<=" if at_most else ">="
    print(f"{'ok    ' if fine else 'MISSED'} {what:<78} {ratio:8.2f}x   target {sign} {target:g}x")
    if not fine:
        missed.append(what)


def hard_labels() -> None:
    n = 10**7
    truth, found = rng.integers(0, 10, n), rng.integers(0, 12, n)
    pt.compare(truth, found)
    ours = best(lambda: pt.compare(truth, found, indices=ON_TABLES))
    everything = best(lambda: pt.compare(truth, found))
    limit = best(lambda: (truth.max(), found.max()))
    print(
        f"10^7 labels, 10 x 12: {len(ON_TABLES)} table indices {ours * 1e3:.1f} ms, every index "
        f"{everything * 1e3:.1f} ms; reading both arrays once {limit * 1e3:.1f} ms"
    )
    report(
        "compare (all table indices, AMI too) vs genieclust's ARI alone",
        best(lambda: genieclust_ari(truth, found)) / ours,
        2.2,
        at_most=False,
    )
    report(
        "compare vs scikit-learn's ARI alone",
        best(lambda: adjusted_rand_score(truth, found), 1) / ours,
        40,
        at_most=False,
    )


def many_clusters() -> None:
    truth, found = rng.integers(0, 3000, 30_000), rng.integers(0, 3000, 30_000)
    ours = best(lambda: pt.indices.adjusted_mutual_information(truth, found))
    report(
        "AMI, 30,000 objects in 3000 x 3000 clusters vs scikit-learn",
        best(lambda: adjusted_mutual_info_score(truth, found), 1) / ours,
        50,
        at_most=False,
    )


def soft_memberships() -> None:
    n = 10**6
    U, V = rng.dirichlet(np.ones(10), n), rng.dirichlet(np.ones(12), n)
    product = best(lambda: U.T @ V)
    reading = best(lambda: (U.max(), V.max()))
    print(f"10^6 x (10, 12): U.T @ V {product * 1e3:.1f} ms; reading both once {reading * 1e3:.1f} ms")
    report(
        "compare, checks included, vs one U.T @ V",
        best(lambda: pt.compare(U, V, indices=SOFT_TABLES)) / product,
        5,
        at_most=True,
    )
    report(
        "variation_of_information alone vs one U.T @ V",
        best(lambda: pt.indices.variation_of_information(U, V)) / product,
        3,
        at_most=True,
    )
    tracemalloc.start()
    pt.compare(U, V, indices=SOFT_TABLES)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    report(
        "peak extra memory of compare, as a share of the input",
        peak / (U.nbytes + V.nbytes),
        0.1,
        at_most=True,
    )


def optimal_pairing() -> None:
    cells = rng.integers(0, 50, (2000, 2000))
    alone = best(lambda: linear_sum_assignment(cells, maximize=True), 3)
    ours = best(lambda: pt.indices.classification_error.of(Contingency.from_counts(cells)), 3)
    report(
        "classification_error, 2000 x 2000 clusters vs linear_sum_assignment", ours / alone, 1.5, at_most=True
    )


def start_up() -> None:
    def run(code: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True), 9)

    numpy_alone = run("import numpy")
    print(f"python -c 'import numpy': {numpy_alone * 1e3:.0f} ms")
    report("import partita vs import numpy", run("import partita") / numpy_alone, 1.3, at_most=True)
    first = "import partita; partita.compare([0, 0, 1, 1], [0, 1, 1, 1])"
    report("a first compare of two short lists vs import numpy", run(first) / numpy_alone, 8, at_most=True)
    help_text = "import sys; sys.argv = ['partita', '--help']; from partita.cli import main; main()"
    report("partita --help vs import numpy", run(help_text) / numpy_alone, 3, at_most=True)


if __name__ == "__main__":
    for part in (start_up, hard_labels, many_clusters, soft_memberships, optimal_pairing):
        part()
    for room in (
        small_work,
        chance,
        coassociation,
        distributional,
        internal,
        mixture,
        prototypes,
        swaps,
        consensus,
        dask_workers,
        strategies,
        sweeps,
        ctrl_c,
        first_answer,
        intervals,
    ):
        room.run(report, best)
    print(f"{len(missed)} targets missed" if missed else "all targets met")
