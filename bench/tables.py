"""Contingency tables: millions of labels and memberships against genieclust, scikit-learn and one product."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from genieclust.compare_partitions import adjusted_rand_score as genieclust_ari
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

import partita as pt
from measuring import Report, peak_bytes
from partita.partitions import FUZZY
from partita.statistics import Contingency

ISSUE = 2
ON_TABLES = [entry for entry in pt.indices.catalogue() if entry.statistics == (Contingency,)]
SOFT_TABLES = [entry for entry in ON_TABLES if FUZZY in entry.kinds]


def run(report: Report, best: Callable[..., float]) -> None:
    for part in (hard_labels, many_clusters, soft_memberships, optimal_pairing):
        part(report, best, np.random.default_rng(0))


def hard_labels(report: Report, best: Callable[..., float], rng: np.random.Generator) -> None:
    n = 10**7
    truth, found = rng.integers(0, 10, n), rng.integers(0, 12, n)
    every = pt.compare(truth, found)
    assert abs(every["ARI"].value - genieclust_ari(truth, found)) < 1e-12
    ours = best(lambda: pt.compare(truth, found, indices=ON_TABLES))
    everything = best(lambda: pt.compare(truth, found))
    reading = best(lambda: (truth.max(), found.max()))
    report.note(
        f"10^7 labels, 10 x 12: {len(ON_TABLES)} table indices {ours * 1e3:.1f} ms, all {len(every.rows)} "
        f"{everything * 1e3:.1f} ms; reading both arrays once {reading * 1e3:.1f} ms"
    )
    report(
        "10^7 labels: compare by all table indices, AMI too, vs genieclust's ARI alone",
        best(lambda: genieclust_ari(truth, found)) / ours,
        2.2,
        at_most=False,
        issue=19,
        earlier={2: 2.0},
    )
    report(
        "10^7 labels: the same vs scikit-learn's ARI alone",
        best(lambda: adjusted_rand_score(truth, found), 1) / ours,
        40,
        at_most=False,
    )


def many_clusters(report: Report, best: Callable[..., float], rng: np.random.Generator) -> None:
    truth, found = rng.integers(0, 3000, 30_000), rng.integers(0, 3000, 30_000)
    ours = best(lambda: pt.indices.adjusted_mutual_information(truth, found))
    report(
        "AMI, 30,000 objects in 3000 x 3000 clusters vs scikit-learn",
        best(lambda: adjusted_mutual_info_score(truth, found), 1) / ours,
        50,
        at_most=False,
    )


def soft_memberships(report: Report, best: Callable[..., float], rng: np.random.Generator) -> None:
    n = 10**6
    U, V = rng.dirichlet(np.ones(10), n), rng.dirichlet(np.ones(12), n)
    product = best(lambda: U.T @ V)
    reading = best(lambda: (U.max(), V.max()))
    report.note(f"10^6 x (10, 12): U.T @ V {product * 1e3:.1f} ms; reading both once {reading * 1e3:.1f} ms")
    report(
        f"10^6 x (10, 12): {len(SOFT_TABLES)} table indices, checks included, vs one U.T @ V",
        best(lambda: pt.compare(U, V, indices=SOFT_TABLES)) / product,
        5,
        at_most=True,
    )
    report(
        "10^6 x (10, 12): variation_of_information alone vs one U.T @ V",
        best(lambda: pt.indices.variation_of_information(U, V)) / product,
        3,
        at_most=True,
    )
    report(
        "10^6 x (10, 12): peak extra memory of compare, as a share of the input",
        peak_bytes(lambda: pt.compare(U, V, indices=SOFT_TABLES)) / (U.nbytes + V.nbytes),
        0.1,
        at_most=True,
    )


def optimal_pairing(report: Report, best: Callable[..., float], rng: np.random.Generator) -> None:
    cells = rng.integers(0, 50, (2000, 2000))
    alone = best(lambda: linear_sum_assignment(cells, maximize=True), 3)
    ours = best(lambda: pt.indices.classification_error.of(Contingency.from_counts(cells)), 3)
    report(
        "classification_error, 2000 x 2000 clusters vs linear_sum_assignment",
        ours / alone,
        1.5,
        at_most=True,
        issue=3,
    )
