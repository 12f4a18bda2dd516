"""Degenerate fits: clusters without objects or with a single one, and collapsed components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, one_blas_thread
from partita.partitions import HardPartition, Partition, is_mixture
from partita.results.records import read_back

__all__ = ["Shape", "collapsed_components", "shape_of"]


@dataclass(frozen=True)
class Shape:
    """The shape of the clusters of one fit.

    Attributes
    ----------
    clusters : int
        Clusters with at least one object.
    empty, single : int
        Clusters of the number asked for that have no object, and those that have one.
    collapsed : int
        Components of a mixture that vary less than its floor of variance in some direction.
    coverage : float
        The share of objects that are in a cluster: not noise.
    """

    clusters: int
    empty: int = 0
    single: int = 0
    collapsed: int = 0
    coverage: float = 1.0

    @property
    def flaw(self) -> str:
        """The reason why this fit does not count, or an empty text."""
        parts = [
            _counted(self.collapsed, "component") + " at the floor of variance" if self.collapsed else "",
            _counted(self.empty, "cluster") + " without an object" if self.empty else "",
            _counted(self.single, "cluster") + " of a single object" if self.single else "",
        ]
        return ", ".join(part for part in parts if part)

    def to_dict(self) -> dict[str, Any]:
        """The fields, as JSON holds them."""
        return asdict(self)

    @classmethod
    @read_back
    def from_dict(cls, row: Mapping[str, Any]) -> Shape:
        """The shape that `to_dict` wrote."""
        return cls(**row)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


def shape_of(found: Partition, k: int | None, model: Any = None, X: Array | None = None) -> Shape:
    """The shape of the clusters of a clustering, hardened where they are soft.

    Parameters
    ----------
    found : Partition
        The clustering.
    k : int or None
        How many clusters were asked for; None where none were.
    model, X : fitted model, array
        A mixture and its data: its components are looked at too.
    """
    hard = found if isinstance(found, HardPartition) else found.harden()
    noise = hard.noise_mask
    codes = hard.codes if noise is None else hard.codes[~noise]
    sizes = np.bincount(codes) if codes.size else np.zeros(0, np.int64)
    clusters = int((sizes > 0).sum())
    return Shape(
        clusters,
        empty=0 if k is None else max(k - clusters, 0),
        single=int((sizes == 1).sum()) if clusters > 1 else 0,  # one cluster is whole, however small
        collapsed=collapsed_components(model, X) if X is not None and is_mixture(model) else 0,
        coverage=1.0 if noise is None else 1.0 - float(noise.mean()),
    )


def collapsed_components(model: Any, X: Array) -> int:
    """The number of components of a mixture with less variance, in some direction, than its floor adds.

    A component on a few objects, or on objects that agree in a feature, has no variance of its own there: the
    likelihood would be infinite, and is whatever the floor (``reg_covar``) makes of it. Directions in which
    the data as a whole do not vary either, as with collinear columns, say nothing about a component.
    """
    from partita.cluster.mixture import GaussianMixtureEM

    values = np.asarray(X, dtype=np.float64)
    variances = np.var(values, axis=0)
    share = float(getattr(model, "reg_covar", 0.0) or 1e-6)
    # ours is a share of each feature's variance, scikit-learn's is absolute
    ours = isinstance(model, GaussianMixtureEM) or not hasattr(model, "reg_covar")
    floor = share * np.where(variances > 0, variances, 1.0) if ours else np.full(variances.shape, share)
    covariances = np.asarray(model.covariances_, dtype=np.float64)
    kind = getattr(model, "covariance_type", "full")
    if kind == "spherical":
        return int((covariances < 2.0 * floor.mean()).sum()) if variances.any() else 0
    if kind == "diag":
        varies = variances > floor
        return int((covariances[:, varies] < 2.0 * floor[varies]).any(axis=1).sum())
    each = covariances[None] if kind == "tied" else covariances
    with one_blas_thread():
        whole = np.cov(values.T, bias=True).reshape(len(floor), len(floor)) + np.diag(floor)
        flat = _flat_directions(whole, floor)
        return sum(_flat_directions(one, floor) > flat for one in each)


def _flat_directions(covariance: Floats, floor: Floats) -> int:
    """In how many directions a covariance, its floor included, is less than twice the floor."""
    scale = np.sqrt(floor)
    return int((np.linalg.eigvalsh(covariance / np.outer(scale, scale)) < 2.0).sum())
