"""Clustering methods as scikit-learn estimators, for every kind of clustering that partita judges.

Each takes ``n_clusters`` first, is seeded by ``random_state``, and leaves ``partition_`` (of the right kind),
``labels_`` and ``objective_`` (smaller is better).
"""

from partita.cluster.binary import StochasticComplexityClustering
from partita.cluster.evidential import EvidentialCMeans
from partita.cluster.fuzzy import FuzzyCMeans, MaxEntropyMemberships
from partita.cluster.genetic import GeneticKMeans
from partita.cluster.global_kmeans import GlobalKMeans
from partita.cluster.mixture import GaussianMixtureEM
from partita.cluster.possibilistic import PossibilisticCMeans
from partita.cluster.rough import RoughKMeans
from partita.cluster.swap import RandomSwap
from partita.cluster.ward import ward_partition
from partita.cluster.xmeans import XMeans

__all__ = [
    "EvidentialCMeans",
    "FuzzyCMeans",
    "GaussianMixtureEM",
    "GeneticKMeans",
    "GlobalKMeans",
    "MaxEntropyMemberships",
    "PossibilisticCMeans",
    "RandomSwap",
    "RoughKMeans",
    "StochasticComplexityClustering",
    "XMeans",
    "ward_partition",
]
