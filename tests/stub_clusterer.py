"""A clusterer that costs next to nothing, for tests of what is kept, resumed, seeded and told about fits."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin


class StubClusterer(ClusterMixin, BaseEstimator):
    """Equal shares of the objects along the first principal axis; its seed shifts where they end."""

    def __init__(self, n_clusters=2, spread=0.3, random_state=None):
        self.n_clusters = n_clusters
        self.spread = spread
        self.random_state = random_state

    def fit(self, X, y=None):
        X = np.asarray(X, dtype=float)
        self.mean_ = X.mean(axis=0)
        axis = np.linalg.eigh(np.cov(X.T).reshape(X.shape[1], -1))[1][:, -1]
        self.axis_ = axis * np.sign(axis[np.abs(axis).argmax()])
        shift = np.random.default_rng(self.random_state).uniform(-self.spread, self.spread)
        shares = (np.arange(1, self.n_clusters) + shift) / self.n_clusters
        self.ends_ = np.quantile((X - self.mean_) @ self.axis_, shares)
        self.labels_ = self.predict(X)
        parts = [X[self.labels_ == j] for j in range(self.n_clusters)]
        self.inertia_ = float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts if len(part)))
        return self

    def predict(self, X):
        return np.searchsorted(self.ends_, (np.asarray(X, dtype=float) - self.mean_) @ self.axis_)
