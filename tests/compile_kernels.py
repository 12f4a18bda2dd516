"""Fill the cache of compiled kernels before two workers want it at the same time.

``python -m partita.kernels`` compiles them all, where there is such a command; otherwise small fits and
comparisons do. What these leave out is compiled by the test that needs it first.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib.util import find_spec

import numpy as np


def by_use() -> None:
    """Every estimator, and the indices whose loops are compiled, on data of a few sizes."""
    import partita as pt
    from partita import arrays, cluster

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) + 6.0 * (np.arange(60) % 3)[:, None]
    estimators = [getattr(cluster, name) for name in cluster.__all__]
    for made in (estimator for estimator in estimators if isinstance(estimator, type)):
        binary = made is cluster.StochasticComplexityClustering
        made(n_clusters=3).fit((X > 3).astype(float) if binary else X)
    for kind in ("full", "tied", "diag", "spherical"):
        cluster.GaussianMixtureEM(2, covariance_type=kind, n_init=2, random_state=0).fit(X)
    for crossover in ("pairwise", "random"):
        try:
            cluster.GeneticKMeans(3, crossover=crossover, random_state=0).fit(X)
        except pt.errors.PartitaError:
            continue
    n = 2 * arrays.COMPILED_FROM
    labels, others = rng.integers(0, 5, (2, n))
    for weight in (None, rng.integers(1, 4, n), rng.random(n) + 0.5):
        pt.compare(labels, others, indices=["ARI", "PSI"], sample_weight=weight)
        pt.validate(rng.normal(size=(n, 2)), labels, indices=["CH"], sample_weight=weight)
    X = rng.normal(size=(2000, 3))
    for metric in ("euclidean", "cityblock", "chebyshev"):
        for weight in (None, rng.integers(1, 4, 2000)):
            indices = ["silhouette", "dunn", "dbcv", "CH", "DBI"]
            pt.validate(X, labels[:2000], indices=indices, metric=metric, sample_weight=weight)
    rough = pt.RoughPartition(np.eye(3, dtype=bool)[labels[:40] % 3] | (rng.random((40, 3)) < 0.3))
    for index in ("VI", "rand", "classification_error"):
        pt.distribution(others[:40] % 3, rough, index)
    pt.distribution(others[:40] % 3, rng.dirichlet(np.ones(3), 40), "rand")


if __name__ == "__main__":
    if find_spec("partita.kernels.__main__"):
        sys.exit(subprocess.call([sys.executable, "-m", "partita.kernels"]))
    warnings.simplefilter("ignore")
    by_use()
