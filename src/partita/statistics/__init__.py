"""Small frozen summaries of clusterings and data; ``a + b`` merges those of two sets of objects."""

from partita.statistics.clusters.binary_counts import BinaryCounts
from partita.statistics.clusters.centroid_pairs import CentroidPair
from partita.statistics.clusters.dispersions import CentroidSilhouettes, Dispersions, Radii
from partita.statistics.clusters.mixtures import (
    ClusterNegentropies,
    GaussianComponents,
    GivenMixture,
    MixtureFit,
    NegentropyParts,
    negentropy_parts,
)
from partita.statistics.clusters.moments import ClusterMoments, ClusterScatter
from partita.statistics.clusters.prototypes import (
    CoreMemberships,
    FuzzyCenters,
    FuzzyCovariances,
    PrototypeDistances,
    Prototypes,
)
from partita.statistics.distances.cluster_gaps import ClusterGaps, ConnectedGaps
from partita.statistics.distances.connectivity import ReachabilityPath
from partita.statistics.distances.density import DensityConnectivity
from partita.statistics.distances.density_scores import DensityScores
from partita.statistics.distances.distance_sums import DistanceSums, cluster_silhouettes, silhouette_samples
from partita.statistics.memberships import MembershipMoments
from partita.statistics.pairs.coassociation import PairMoments
from partita.statistics.pairs.coassociation_gaps import CoassociationGaps
from partita.statistics.pairs.concordance import ConcordanceChance, ConcordanceGaps
from partita.statistics.pairs.credal import CredalGaps, PairNonspecificity
from partita.statistics.pairs.shuffles import ShuffledGaps
from partita.statistics.pairs.tnorm_coassociation import TNormCoassociations
from partita.statistics.pairs.tnorm_pairs import TNormPairs
from partita.statistics.protocol import Additive, Request, Statistic, Whole
from partita.statistics.tables.contingency import Contingency, PairCounts
from partita.statistics.tables.coupling import CoupledContingency
from partita.statistics.tables.known_sums import SUMMANDS, KnownSums
from partita.statistics.tables.matchings import (
    Matching,
    centroid_closeness,
    check_score,
    cluster_similarities,
    is_too_large_to_pair,
    match_clusters,
    matching_score,
    shared_objects,
)
from partita.statistics.tables.overlaps import SharedMemberships

__all__ = [
    "Additive",
    "Request",
    "Statistic",
    "Whole",
    "BinaryCounts",
    "CentroidPair",
    "ClusterMoments",
    "ClusterNegentropies",
    "ClusterScatter",
    "ConnectedGaps",
    "DensityConnectivity",
    "DensityScores",
    "ReachabilityPath",
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
    "TNormCoassociations",
    "TNormPairs",
    "centroid_closeness",
    "check_score",
    "cluster_similarities",
    "is_too_large_to_pair",
    "match_clusters",
    "matching_score",
    "shared_objects",
]
