"""EM for mixtures of Gaussians by its textbook steps, one component at a time."""

from __future__ import annotations

import numpy as np


def lei_start(X, chosen):
    """The start of Lei et al. (2014): objects as means, feature variances as covariance, equal weights."""
    k = len(chosen)
    variances = [np.mean((column - np.mean(column)) ** 2) for column in X.T]
    return np.full(k, 1 / k), X[chosen].copy(), np.array([np.diag(variances)] * k)


def log_densities(X, mean, covariance):
    """Of each object under one Gaussian."""
    gaps = X - mean
    squared = (gaps * np.linalg.solve(covariance, gaps.T).T).sum(axis=1)
    return -0.5 * (X.shape[1] * np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1] + squared)


def e_step(X, weights, means, covariances):
    """Responsibilities and the log-likelihood."""
    each = zip(weights, means, covariances, strict=True)
    joint = np.column_stack([np.log(w) + log_densities(X, m, S) for w, m, S in each])
    top = joint.max(axis=1, keepdims=True)
    total = top[:, 0] + np.log(np.exp(joint - top).sum(axis=1))
    return np.exp(joint - total[:, None]), total.sum()


def m_step(X, shares, kind="full"):
    """Weights, means and (k, d, d) covariances of the kind."""
    n, d = X.shape
    weights = shares.sum(axis=0) / n
    means = [shares[:, c] @ X / shares[:, c].sum() for c in range(len(weights))]
    covariances = []
    for c, mean in enumerate(means):
        scatter = (shares[:, c, None] * (X - mean)).T @ (X - mean)
        covariances.append(scatter / shares[:, c].sum())
    if kind == "tied":
        pooled = sum(w * S for w, S in zip(weights, covariances, strict=True))
        covariances = [pooled] * len(weights)
    elif kind == "diag":
        covariances = [np.diag(np.diag(S)) for S in covariances]
    elif kind == "spherical":
        covariances = [np.eye(d) * np.trace(S) / d for S in covariances]
    return weights, np.array(means), np.array(covariances)


def until_means_rest(X, start, tol, max_iter, kind="full"):
    """EM until no mean moves by ``tol`` in any feature; parameters, iterations, whether the means rest."""
    weights, means, covariances = start
    for iteration in range(1, max_iter + 1):
        shares, _ = e_step(X, weights, means, covariances)
        before = means
        weights, means, covariances = m_step(X, shares, kind)
        if np.abs(means - before).max() < tol:
            return weights, means, covariances, iteration, True
    return weights, means, covariances, max_iter, False
