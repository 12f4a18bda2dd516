"""Small frozen summaries of clusterings and data; ``a + b`` merges those of two sets of objects."""

from partita.statistics.binary_counts import BinaryCounts
from partita.statistics.centroid_pairs import CentroidPair
from partita.statistics.cluster_gaps import ClusterGaps
from partita.statistics.cluster_moments import ClusterMoments, ClusterScatter
from partita.statistics.coassociation import PairMoments
from partita.statistics.concordance import ConcordanceChance, ConcordanceGaps
from partita.statistics.coupling import CoupledContingency
from partita.statistics.credal import CredalGaps, PairNonspecificity
from partita.statistics.density import DensityConnectivity
from partita.statistics.dispersions import CentroidSilhouettes, Dispersions, Radii
from partita.statistics.distances import DistanceSums, cluster_silhouettes, silhouette_samples
from partita.statistics.gaps import CoassociationGaps
from partita.statistics.known_sums import SUMMANDS, KnownSums
from partita.statistics.matchings import (
    Matching,
    centroid_closeness,
    check_score,
    cluster_similarities,
    is_too_large_to_pair,
    match_clusters,
    matching_score,
    shared_objects,
)
from partita.statistics.mixtures import (
    GaussianComponents,
    GivenMixture,
    MixtureFit,
    NegentropyParts,
    negentropy_parts,
)
from partita.statistics.moments import MembershipMoments
from partita.statistics.overlaps import SharedMemberships
from partita.statistics.protocol import Additive, Request, Statistic, Whole
from partita.statistics.prototypes import (
    CoreMemberships,
    FuzzyCenters,
    FuzzyCovariances,
    PrototypeDistances,
    Prototypes,
)
from partita.statistics.shuffles import ShuffledGaps
from partita.statistics.tables import Contingency, PairCounts
from partita.statistics.tnorms import TNormPairs

__all__ = [
    "Additive",
    "Request",
    "Statistic",
    "Whole",
    "BinaryCounts",
    "CentroidPair",
    "ClusterMoments",
    "ClusterScatter",
    "DensityConnectivity",
    "CentroidSilhouettes",
    "ClusterGaps",
    "Dispersions",
    "Radii",
    "DistanceSums",
    "cluster_silhouettes",
    "silhouette_samples",
    "GaussianComponents",
    "GivenMixture",
    "MixtureFit",
    "NegentropyParts",
    "negentropy_parts",
    "CoreMemberships",
    "FuzzyCenters",
    "FuzzyCovariances",
    "PrototypeDistances",
    "Prototypes",
    "SUMMANDS",
    "CoassociationGaps",
    "ConcordanceChance",
    "ConcordanceGaps",
    "Contingency",
    "CoupledContingency",
    "CredalGaps",
    "KnownSums",
    "Matching",
    "MembershipMoments",
    "PairCounts",
    "PairMoments",
    "PairNonspecificity",
    "SharedMemberships",
    "ShuffledGaps",
    "TNormPairs",
    "centroid_closeness",
    "check_score",
    "cluster_similarities",
    "is_too_large_to_pair",
    "match_clusters",
    "matching_score",
    "shared_objects",
]
