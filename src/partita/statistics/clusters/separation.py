"""Separation of clusters: fewer objects at their borders than within them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array, Floats

__all__ = ["MOST_OBJECTS", "Separation", "separation_of"]

NEIGHBOURS = 10
"""Number of nearest neighbours that define the density at an object, and whether it lies at a border."""

SPARSE = 0.8
"""Borders are sparse if the median object there lies sparser than this share of its own cluster. Where a
single group is cut in parts the share is about a half or less (normal: 0.2 to 0.5, uniform: 0.5 to 0.7 with
its edges); two normal groups reach 0.8 from a distance of 4 standard deviations on."""

NOT_DENSE = 0.5
"""The same share for the cluster where it is smallest: a border that lies denser than the inside is a cut
through a group, or cuts the long tail of a skewed group off."""

THIN = 0.5
"""Largest density at the borders, relative to that within the clusters. A few objects at the border of a
uniform group may rank as sparse by chance, since neighbours share their surroundings; their density is
hardly ever so low."""

MOST_OBJECTS = 10_000
"""Number of objects beyond which a sample is used."""


@dataclass(frozen=True)
class Separation:
    """Density at the borders between clusters, compared with that within them.

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
    def has_gaps(self) -> bool:
        """True if gaps separate all clusters."""
        return self.sparseness >= SPARSE and self.lowest >= NOT_DENSE and self.density <= THIN


def separation_of(X: Floats, labels: Array, seed: int = 0, *, metric: str = "euclidean") -> Separation | None:
    """The separation of the clusters in X; None where there are fewer than two.

    An object lies at a border if one of its ten nearest is in another cluster, and the density at it falls
    with the distance to its tenth nearest. It is compared with the objects of its own cluster that do not lie
    at a border, so that clusters may differ in density and shape: by ranks, and by the density itself, which
    falls with the power d of that distance in d features. Objects labelled -1 are left out.

    With ``metric="precomputed"`` X holds distances, and d is estimated from those to the nearest ten.

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
    of_distances = metric == "precomputed"
    points = np.asarray(X[np.ix_(rows, rows)] if of_distances else X[rows], dtype=np.float64)
    points = points / (np.abs(points).max() or 1.0)  # squares of what is huge or tiny stay numbers
    if of_distances:
        nearest: Array = np.argsort(points, axis=1, kind="stable")[:, : count + 1]
        distances: Array = np.take_along_axis(points, nearest, axis=1)
        dimension = _dimension_of(distances)
    else:
        distances, nearest = map(np.asarray, cKDTree(points).query(points, count + 1))
        dimension = float(points.shape[1])
    reach, at_border = distances[:, -1], (codes[nearest] != codes[:, None]).any(axis=1)
    if not at_border.any():
        return Separation(1.0, 1.0, 0.0)
    shares, ratios = [], []
    for j in np.unique(codes[at_border]):
        inside, border = np.sort(reach[(codes == j) & ~at_border]), reach[(codes == j) & at_border]
        if not inside.size:  # all of the cluster is border: it is no denser inside
            shares.append(np.full(border.shape, 0.5))
            ratios.append(np.ones(border.shape))
            continue
        below, upto = np.searchsorted(inside, border, "left"), np.searchsorted(inside, border, "right")
        shares.append((below + upto) / (2 * len(inside)))
        middle = np.full(border.shape, np.median(inside))
        ratio = np.where(middle > 0, np.inf, 1.0)  # where objects are equal the reach is 0
        ratios.append(np.divide(middle, border, out=ratio, where=border > 0))
    with np.errstate(over="ignore"):
        density = float(np.median(np.concatenate(ratios)) ** dimension)
    lowest = min(float(np.median(share)) for share in shares)
    return Separation(float(np.median(np.concatenate(shares))), lowest, density)


def _dimension_of(distances: Floats) -> float:
    """The dimension that nearest neighbours fill, from distances in order: the number within r grows as r^d.

    The maximum likelihood estimate over all objects (Levina and Bickel 2005, averaged as MacKay and
    Ghahramani advise); at least one.
    """
    away, last = distances[:, 1:-1], distances[:, -1:]
    known = (away > 0) & (last > 0)
    if not known.any():
        return 1.0
    logs = np.log(np.broadcast_to(last, away.shape)[known] / away[known])
    return max(1.0, float(1.0 / logs.mean())) if logs.mean() > 0 else 1.0
