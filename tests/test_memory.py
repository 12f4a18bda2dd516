"""How much memory clustering takes beyond the data, in bytes, as a multiple of theirs; data may be a file."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

import partita as pt
from partita.arrays import BLOCK_ROWS
from partita.cluster import GaussianMixtureEM, RandomSwap

N, D, K = 300_000, 10, 10
METHODS = {
    "random swap": lambda: RandomSwap(K, max_swaps=20, random_state=0),
    "a mixture": lambda: GaussianMixtureEM(K, max_iter=3, random_state=0),
    "a mixture of variances": lambda: GaussianMixtureEM(
        K, covariance_type="diag", init="random", max_iter=3, random_state=0
    ),
}
MOST = 2.4
"""Times X: a copy of it by columns or by clusters, and the memberships of a mixture, which here are as large
as X, or what random swap knows of each object."""

BLOCKS = {name: 0 if name == "random swap" else 4 * BLOCK_ROWS * max(D, K) * 8 for name in METHODS}
"""Blocks of rows, which are no larger for more objects, come on top."""


@pytest.fixture(scope="module")
def file_of_data(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 30, size=(K, D))[rng.integers(0, K, N)] + rng.normal(size=(N, D))
    path = tmp_path_factory.mktemp("data") / "X.npy"
    np.save(path, X)
    return path


@pytest.mark.parametrize("mode", [None, "r"], ids=["an array", "a file"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore::partita.errors.ConvergenceWarning")
def test_clustering_takes_a_small_multiple_of_the_data(method, mode, file_of_data):
    X = np.load(file_of_data, mmap_mode=mode)
    METHODS[method]().fit(X[:3000])  # what is loaded once is not counted
    tracemalloc.start()
    try:
        model = METHODS[method]().fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert model.labels_.nbytes < peak < MOST * X.nbytes + BLOCKS[method]


def test_a_file_that_is_mapped_gives_the_same_clusters_and_choices(tmp_path):
    X = np.random.default_rng(1).normal(size=(200, 3)) + np.arange(200)[:, None] % 3 * 9
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert not mapped.flags.writeable
    for one in (RandomSwap(3, random_state=0), GaussianMixtureEM(3, random_state=0)):
        np.testing.assert_array_equal(one.fit(mapped).labels_, one.fit(X).labels_)
    for sweep in (pt.choose_k, pt.stability):
        ways = {"ks": [2, 3], "random_state": 0}
        there, here = sweep(mapped, n_jobs=2, **ways), sweep(X, **ways)
        pd.testing.assert_frame_equal(there.to_frame(), here.to_frame(), check_exact=True)
