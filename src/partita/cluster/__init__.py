"""Clustering methods as scikit-learn estimators, for every kind of clustering that partita judges.

Each takes ``n_clusters`` first, is seeded by ``random_state``, and leaves ``partition_`` (of the right kind),
``labels_`` and ``objective_`` (smaller is better).
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partita.cluster.binary import StochasticComplexityClustering
    from partita.cluster.density_tree import DensityTree
    from partita.cluster.evidential import EvidentialCMeans
    from partita.cluster.fuzzy import FuzzyCMeans, MaxEntropyMemberships
    from partita.cluster.genetic import GeneticKMeans
    from partita.cluster.global_kmeans import GlobalKMeans
    from partita.cluster.merged_mixture import MergedMixture
    from partita.cluster.mixture import GaussianMixtureEM
    from partita.cluster.possibilistic import PossibilisticCMeans
    from partita.cluster.rough import RoughKMeans
    from partita.cluster.swap import RandomSwap
    from partita.cluster.ward import ward_partition
    from partita.cluster.xmeans import XMeans

_HOMES = {
    "DensityTree": "density_tree",
    "EvidentialCMeans": "evidential",
    "FuzzyCMeans": "fuzzy",
    "GaussianMixtureEM": "mixture",
    "GeneticKMeans": "genetic",
    "GlobalKMeans": "global_kmeans",
    "MaxEntropyMemberships": "fuzzy",
    "MergedMixture": "merged_mixture",
    "PossibilisticCMeans": "possibilistic",
    "RandomSwap": "swap",
    "RoughKMeans": "rough",
    "StochasticComplexityClustering": "binary",
    "XMeans": "xmeans",
    "ward_partition": "ward",
}

__all__ = [
    "DensityTree",
    "EvidentialCMeans",
    "FuzzyCMeans",
    "GaussianMixtureEM",
    "GeneticKMeans",
    "GlobalKMeans",
    "MaxEntropyMemberships",
    "MergedMixture",
    "PossibilisticCMeans",
    "RandomSwap",
    "RoughKMeans",
    "StochasticComplexityClustering",
    "XMeans",
    "ward_partition",
]


def __getattr__(name: str) -> Any:
    """Import the method that is asked for, when it is asked for: who uses one does not wait for all."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"partita.cluster.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'partita.cluster' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
