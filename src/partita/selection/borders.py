"""Whether clusters are set apart: fewer objects at their borders than within them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array, Floats

__all__ = ["Borders", "MOST_OBJECTS", "borders_of"]

NEIGHBOURS = 10
"""How many neighbours of an object tell how dense it lies, and whether it lies at a border."""

SPARSE = 0.8
"""Borders are sparse if the median object there lies sparser than so large a share of its own cluster. Where
one cloud is cut it is about a half or less (normal: 0.2 to 0.5, uniform: 0.5 to 0.7 with its edges); two
normal clouds reach it from a distance of 4 standard deviations on."""

NOT_DENSE = 0.5
"""In no cluster may the border lie denser than the inside: that is a cut through a cloud, or at the foot of
one, as where the long tail of a skewed cloud is cut off."""

THIN = 0.5
"""The density at borders is at most so large a share of that within. A few objects at the border of an even
cloud may rank as sparse by chance, since neighbours share their surroundings; they hardly reach this too."""

MOST_OBJECTS = 10_000
"""Of more objects a sample is looked at."""


@dataclass(frozen=True)
class Borders:
    """How sparse clusters are where they meet others.

    Attributes
    ----------
    sparseness : float
        The share of its own cluster that lies denser, for the median object at a border; 1 where no two
        clusters touch.
    lowest : float
        The same for the cluster where it is smallest.
    density : float
        For the median object at a border, the density there over the median density in its cluster.
    """

    sparseness: float
    lowest: float
    density: float

    @property
    def set_apart(self) -> bool:
        """Whether all clusters are set apart."""
        return self.sparseness >= SPARSE and self.lowest >= NOT_DENSE and self.density <= THIN


def borders_of(X: Floats, labels: Array, seed: int = 0) -> Borders | None:
    """How sparse the borders between clusters are; None where there are no two clusters.

    An object lies at a border if one of its ten nearest is in another cluster, and the sparser the farther
    its tenth nearest is. It is compared with the objects of its own cluster that do not lie at a border, so
    that clusters may differ in density: by ranks, and by the density itself, which falls with the power d of
    that distance in d features. Shapes do not matter. Objects labelled -1 are left out.

    Cost
    ----
    One search for nearest neighbours among at most 10,000 objects.
    """
    rows = np.flatnonzero(labels >= 0)
    if len(rows) > MOST_OBJECTS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_OBJECTS, replace=False))
    names, codes, sizes = np.unique(labels[rows], return_inverse=True, return_counts=True)
    if len(names) < 2:
        return None
    from scipy.spatial import cKDTree

    count = min(NEIGHBOURS, max(1, int(sizes.min()) - 1))
    points = np.asarray(X[rows], dtype=np.float64)
    points = points / (np.abs(points).max() or 1.0)  # squares of what is huge or tiny stay numbers
    distances, nearest = map(np.asarray, cKDTree(points).query(points, count + 1))
    reach, at_border = distances[:, -1], (codes[nearest] != codes[:, None]).any(axis=1)
    if not at_border.any():
        return Borders(1.0, 1.0, 0.0)
    looks = [_at_border(reach, codes == j, at_border) for j in np.unique(codes[at_border])]
    shares, closeness = [look[0] for look in looks], np.concatenate([look[1] for look in looks])
    with np.errstate(over="ignore"):
        density = float(np.median(closeness) ** points.shape[1])
    lowest = min(float(np.median(share)) for share in shares)
    return Borders(float(np.median(np.concatenate(shares))), lowest, density)


def _at_border(reach: Floats, own: Array, at_border: Array) -> tuple[Floats, Floats]:
    """Of each object of a cluster at its border, how it lies to those inside.

    The share of these that lie denser (ties halve), and their median reach over its own.
    """
    inside, border = np.sort(reach[own & ~at_border]), reach[own & at_border]
    if not inside.size:  # all of it is border: it is no denser inside
        return np.full(border.shape, 0.5), np.ones(border.shape)
    below, upto = np.searchsorted(inside, border, "left"), np.searchsorted(inside, border, "right")
    middle = np.full(border.shape, np.median(inside))
    closeness = np.where(middle > 0, np.inf, 1.0)  # where objects are equal and have no reach
    np.divide(middle, border, out=closeness, where=border > 0)
    return (below + upto) / (2 * len(inside)), closeness
