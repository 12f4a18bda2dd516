"""Rules that people use to choose a number of clusters, on the columns as they are.

Each takes the data and a seed, and returns what its rules give, by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import calinski_harabasz_score, silhouette_score
from sklearn.mixture import GaussianMixture

from generated_data import number_of_groups


@dataclass(frozen=True)
class Given:
    """What a rule gives: its labels, those of its second level or alternative, and how sure it is."""

    k: int | None
    labels: np.ndarray | None
    second: np.ndarray | None = None
    strength: str = ""


REFUSED = Given(None, None)

MOST_CLUSTERS = 20
STARTS = 3
REFERENCES = 5
"""Numbers of clusters and starts of k-means, and of uniform reference sets of the gap statistic."""


def by_k_means(X: Any, seed: int) -> dict[str, Given]:
    """Silhouette, Calinski-Harabasz and gap, each at its largest value."""
    X = np.asarray(X, dtype=float)
    n_distinct = len(np.unique(X, axis=0))
    ks = range(1, min(MOST_CLUSTERS, n_distinct - 1) + 1)
    if len(ks) < 2:
        return dict.fromkeys(("silhouette", "Calinski-Harabasz", "gap"), REFUSED)
    fits = {k: KMeans(k, n_init=STARTS, random_state=seed).fit(X) for k in ks}
    rng = np.random.default_rng(seed)
    box = X.min(axis=0), X.max(axis=0)
    references = [rng.uniform(*box, size=X.shape) for _ in range(REFERENCES)]
    values = {
        "silhouette": {k: silhouette_score(X, fits[k].labels_) for k in ks[1:]},
        "Calinski-Harabasz": {k: calinski_harabasz_score(X, fits[k].labels_) for k in ks[1:]},
        "gap": {k: gap(fits[k].inertia_, references, k, seed) for k in ks},
    }
    best = {rule: max(of_k, key=of_k.__getitem__) for rule, of_k in values.items()}
    return {rule: Given(k, fits[k].labels_) for rule, k in best.items()}


def gap(inertia: float, references: Sequence[np.ndarray], k: int, seed: int) -> float:
    """Mean log sum of squares of uniform data, less that of the data."""
    expected = [
        np.log(KMeans(k, n_init=STARTS, random_state=seed).fit(reference).inertia_)
        for reference in references
    ]
    return float(np.mean(expected) - np.log(max(inertia, np.finfo(float).tiny)))


def by_mixtures(X: Any, seed: int) -> dict[str, Given]:
    """Gaussian mixtures with full covariances, at the best BIC.

    Only numbers of clusters are tried that leave more objects per cluster than there are columns: otherwise
    covariances are singular, and BIC has no bound.
    """
    X = np.asarray(X, dtype=float)
    n, d = X.shape
    fits = []
    for k in range(1, min(MOST_CLUSTERS, n // (d + 1)) + 1):
        try:
            fits.append(GaussianMixture(k, random_state=seed).fit(X))
        except ValueError:  # a covariance is singular
            continue
    if not fits:
        return {"BIC": REFUSED}
    best = min(fits, key=lambda fit: fit.bic(X))
    return {"BIC": Given(best.n_components, best.predict(X))}


def by_hdbscan(X: Any, seed: int) -> dict[str, Given]:
    """HDBSCAN with its defaults; without a cluster it refuses."""
    labels = HDBSCAN(copy=True).fit(np.asarray(X, dtype=float)).labels_
    k = number_of_groups(labels)
    return {"HDBSCAN": Given(k, labels) if k else REFUSED}
