"""Whether near objects are in one cluster: the share of neighbours that a cluster keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from partita.arrays import Array, Floats

__all__ = ["MOST_OBJECTS", "KeptNeighbours", "kept_neighbours"]

MOST_OBJECTS = 10_000
"""Of more objects a sample is looked at, as if there were no others."""


@dataclass(frozen=True, eq=False)
class KeptNeighbours:
    """For each object and clustering the share of its nearest neighbours that are in its own cluster.

    Attributes
    ----------
    rows : array (m,)
        The objects that were looked at.
    shares : array (m, clusterings)
        nan for noise, and for an object that is alone in its cluster.
    labels : array (m, clusterings)
        Their clusters; -1 is noise.
    """

    rows: Array
    shares: Floats
    labels: Array

    @cached_property
    def means(self) -> Floats:
        """For each clustering the mean over the objects that have a share."""
        return _known_means(self.shares, axis=0)

    @cached_property
    def over_all(self) -> Floats:
        """For each object the mean over the clusterings that give it a share: low at contested borders."""
        return _known_means(self.shares, axis=1)

    def weakest(self, place: int) -> float:
        """The least mean share of a cluster of one clustering; nan where none has a share."""
        shares, labels = self.shares[:, place], self.labels[:, place]
        known = np.isfinite(shares)
        means = [float(shares[known & (labels == j)].mean()) for j in np.unique(labels[known])]
        return min(means, default=float("nan"))


def _known_means(shares: Floats, axis: int) -> Floats:
    """Means along an axis of the shares that are known; nan where none is."""
    known = np.isfinite(shares)
    counts = known.sum(axis=axis)
    sums = np.where(known, shares, 0.0).sum(axis=axis)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def kept_neighbours(
    X: Floats,
    labels: Sequence[Array],
    n_neighbors: int,
    rng: np.random.Generator,
    *,
    metric: str = "euclidean",
) -> KeptNeighbours:
    """How far clusterings keep near objects together, which needs no fit.

    For an object in a cluster of s objects its min(n_neighbors, s - 1) nearest others are looked at, so that
    a small cluster can keep all; of others that are equally near, those that the search meets first.

    Parameters
    ----------
    X : array (n, d)
        The data; a sample of 10,000 objects is looked at by itself if there are more.
    labels : list of arrays (n,)
        Clusters from 0 on for each clustering; -1 is noise, which is no cluster.
    n_neighbors : int
        How many nearest neighbours.
    rng : Generator
        Draws the sample.
    metric : {"euclidean", "precomputed"}
        Whether X holds features or distances; of equal distances the first objects are taken.

    Notes
    -----
    Random labels of the same sizes keep a share of sum of s (s - 1) / n (n - 1), and a single cluster keeps
    all: a high share speaks for a clustering only beside others of as many clusters.
    """
    from scipy.spatial import cKDTree

    n = len(X)
    rows = np.arange(n) if n <= MOST_OBJECTS else np.sort(rng.choice(n, MOST_OBJECTS, replace=False))
    of_distances = metric == "precomputed"
    seen = np.asarray(X[np.ix_(rows, rows)] if of_distances else X[rows], dtype=np.float64)
    chosen = np.column_stack([np.asarray(one)[rows] for one in labels])
    most = min(n_neighbors, len(rows) - 1)
    if most < 1:
        return KeptNeighbours(rows, np.full(chosen.shape, np.nan), chosen)
    if of_distances:
        near: Array = np.argsort(seen, axis=1, kind="stable")[:, : most + 1]
    else:
        near = np.asarray(cKDTree(seen).query(seen, k=most + 1)[1])
    itself = near == np.arange(len(rows))[:, None]
    # among copies an object need not be the first of its own neighbours, nor among them
    near = np.take_along_axis(near, np.argsort(itself, axis=1, kind="stable"), axis=1)[:, :most]
    shares = np.full(chosen.shape, np.nan)
    for place, own in enumerate(chosen.T):
        together = np.cumsum(own[near] == own[:, None], axis=1)
        sizes = np.bincount(own[own >= 0], minlength=1)
        looked_at = np.where(own >= 0, np.minimum(most, sizes[np.maximum(own, 0)] - 1), 0)
        able = np.flatnonzero(looked_at > 0)
        shares[able, place] = together[able, looked_at[able] - 1] / looked_at[able]
    return KeptNeighbours(rows, shares, chosen)
