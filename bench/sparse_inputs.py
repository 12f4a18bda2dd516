"""Sparse inputs: memberships in 10^4 clusters, tables of 10^5 x 10^5, texts; their time and their memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import silhouette_score

import partita as pt

ISSUE = 19

TEXT = ["ssw", "calinski_harabasz", "davies_bouldin", "xie_beni", "simplified_silhouette"]


def run(report: Callable[..., None], best: Callable[..., float]) -> None:
    soft_memberships(report)
    many_clusters(report, best)
    texts(report, best)


def soft_memberships(report: Callable[..., None]) -> None:
    n, k, filled = 10**6, 10**4, 5
    home = np.random.default_rng(0).integers(0, k, n)

    def memberships(seed: int) -> Any:
        rng = np.random.default_rng(seed)
        near = np.sort(rng.integers(0, 4, (n, filled)), axis=1) + np.arange(filled)
        values = rng.random((n, filled))
        values /= values.sum(axis=1, keepdims=True)
        columns = ((home[:, None] + near) % k).astype(np.int32)
        starts = np.arange(0, filled * n + 1, filled, dtype=np.int32)
        return sparse.csr_array((values.ravel(), columns.ravel(), starts), shape=(n, k))

    U, V = memberships(1), memberships(2)
    room = float(sum(m.data.nbytes + m.indices.nbytes + m.indptr.nbytes for m in (U, V)))
    labels = pt.FuzzyPartition(U).harden()
    product = cpu(lambda: U.T @ V)
    for truth, what, most in ((U, "sparse", 60), (labels, "labels", 40)):
        shown = f"10^6 objects, 10^4 clusters, {what} against sparse: every index"
        report(
            f"{shown}, vs one U.T @ V",
            cpu(lambda truth=truth: pt.compare(truth, V)) / product,
            most,
            at_most=True,
        )
        report(
            f"{what} against sparse: peak memory, in sizes of the two inputs",
            peak(lambda truth=truth: pt.compare(truth, V)) / room,
            10,
            at_most=True,
        )


def many_clusters(report: Callable[..., None], best: Callable[..., float]) -> None:
    n, k = 10**6, 10**5
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n)
    found = np.where(rng.random(n) < 0.7, truth, rng.integers(0, k, n))
    sorting = best(lambda: np.argsort(truth * k + found, kind="stable"), 3)
    report(
        "10^6 labels, 10^5 x 10^5 clusters: every index, pairings too, vs sorting their pairs",
        best(lambda: pt.compare(truth, found), 2) / sorting,
        30,
        at_most=True,
    )
    report(
        "its peak memory, in sizes of the two inputs",
        peak(lambda: pt.compare(truth, found)) / (16.0 * n),
        20,
        at_most=True,
    )


def texts(report: Callable[..., None], best: Callable[..., float]) -> None:
    n, d, filled, k = 10**5, 30_000, 60, 20
    rng = np.random.default_rng(0)
    labels = rng.integers(0, k, n)
    usual = 1.0 / np.arange(1, d + 1)
    words = rng.choice(d, size=(n, filled), p=usual / usual.sum())
    topic = (labels[:, None] * 997 + rng.integers(0, 300, (n, filled))) % d
    columns = np.where(rng.random((n, filled)) < 0.5, words, topic)
    places = (np.repeat(np.arange(n), filled), columns.ravel())
    X = sparse.csr_array(sparse.coo_array((np.ones(n * filled), places), shape=(n, d)))
    X = sparse.csr_array(X / np.sqrt((X * X).sum(axis=1))[:, None])
    room = float(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    few = 4000
    peer = best(lambda: silhouette_score(X[:few], labels[:few], metric="cosine"), 2) * (n / few) ** 2
    ours = best(lambda: pt.indices.silhouette(X, labels, metric="cosine"), 3)
    report(
        "cosine silhouette, 10^5 texts of 60 words: scikit-learn's (n^2 from 4,000)",
        peer / ours,
        100,
        at_most=False,
    )
    pass_over = best(lambda: (X * X).sum(axis=1), 3)
    report(
        f"{len(TEXT)} indices of 10^5 texts, 30,000 words, vs one sum of squares",
        best(lambda: pt.validate(X, labels, indices=TEXT), 2) / pass_over,
        100,
        at_most=True,
    )
    report(
        "validate, peak memory in sizes of X",
        peak(lambda: pt.validate(X, labels, metric="cosine")) / room,
        8,
        at_most=True,
    )


def cpu(work: Callable[[], object]) -> float:
    """Seconds of all cores for one run: long work is measured once."""
    start = time.process_time()
    work()
    return time.process_time() - start


def peak(work: Callable[[], object]) -> float:
    """Bytes that are held at most, beside what is there before."""
    tracemalloc.start()
    try:
        work()
        return float(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
