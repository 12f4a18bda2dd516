"""Distributional measures on Iris-sized input, beside the times that campagner2022 prints in its Table 1.

The paper's times are from another machine and other settings: orders of magnitude only.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from sklearn.datasets import load_iris

import partita as pt
from partita.distributional.solvers.pair_moments import expected_squares

ISSUE = 4
DRAWS = 2000


def memberships(X: np.ndarray, m: float) -> np.ndarray:
    """Fuzzy c-means with three clusters and fuzzifier m."""
    centres = X[[0, 60, 120]]
    for _ in range(200):
        logs = -np.log(((X[:, None] - centres) ** 2).sum(axis=2) + 1e-300) / (m - 1)
        u = np.exp(logs - logs.max(axis=1, keepdims=True))
        u /= u.sum(axis=1, keepdims=True)
        centres = (u**m).T @ X / (u**m).sum(axis=0)[:, None]
    return u


def iris(report: Callable[..., None], best: Callable[..., float]) -> None:
    X, species = load_iris(return_X_y=True)
    near, soft = memberships(X, 1.4), memberships(X, 5.0)
    vague = pt.RoughPartition(np.ones((150, 3), dtype=bool))
    evidence = pt.PossibilisticPartition(near / near.max(axis=1, keepdims=True)).to("evidential")
    cases = [
        ("fuzzy E and Var of Rand (paper 784 s)", soft, {"law": False}, 0.005, 9),
        ("full law of Rand, m = 5 memberships (paper 784 s)", soft, {}, 5.0, 1),
        ("full law of Rand, nearly hard (m = 1.4)", near, {}, 0.1, 3),
        *(
            (f"rough interval of {index}, 3^150 completions", vague, {"index": index, "law": False}, 0.1, 3)
            for index in ("rand", "adjusted_rand", "jaccard", "variation_of_information", "nmi_sum")
        ),
        ("partition distance, both ends (paper 0.8 s)", vague, {"index": "PD", "law": False}, 0.01, 9),
        (
            f"evidential Rand, {DRAWS} draws with exact ends (paper 1395 s)",
            evidence,
            {"method": "sample", "n_samples": DRAWS, "random_state": 0},
            1.0,
            3,
        ),
    ]
    for what, found, options, target, repeats in cases:

        def work(found: object = found, options: dict = options) -> object:
            return pt.distribution(species, found, **options)

        work()  # compiled on the first call
        seconds = best(work, repeats)
        print(f"       {what}: {seconds * 1e3:.1f} ms")
        report(f"{what}, share of {target:g} s", seconds / target, 1, at_most=True)


def ten_objects(report: Callable[..., None]) -> None:
    """Two evidential clusterings of ten objects, and one against labels: CPU seconds to be within 0.01."""
    rng = np.random.default_rng(0)
    sets = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=bool)
    one, other = (pt.EvidentialPartition(rng.dirichlet(np.ones(5), 10), sets) for _ in range(2))
    for name in ("rand", "PD", "nmi_sum", "jaccard", "adjusted_rand"):
        for what, truth, most in (("labels", np.arange(10) % 3, 0.3), ("evidence", other, 2.0)):
            pt.distribution(truth, one, name, n_samples=10, random_state=0)  # compiled on the first call
            before = time.process_time()
            found = pt.distribution(truth, one, name, random_state=0)
            seconds = time.process_time() - before
            print(f"       {name}, {found.cost['draws']} draws against {what}: {seconds:.2f} CPU s")
            label = f"evidential {name} of ten objects against {what}, share of {most:g} CPU s"
            report(label, seconds / most, 1, at_most=True, issue=12, clock="CPU")


def million(report: Callable[..., None], best: Callable[..., float], rng: np.random.Generator) -> None:
    U, V = (rng.dirichlet(np.ones(10), 10**6) for _ in range(2))
    product = best(lambda: U.T @ V, 5)
    report(
        "fuzzy E(Rand), n = 10^6, k = 10, vs one U.T @ V",
        best(lambda: expected_squares(U, V), 3) / product,
        20,
        at_most=True,
    )
    whole = best(lambda: pt.distribution(U, V, law=False), 3) / product
    print(f"       the same through distribution(), with Var and all checks: {whole:.1f}x")


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    iris(report, best)
    ten_objects(report)
    million(report, best, np.random.default_rng(0))
