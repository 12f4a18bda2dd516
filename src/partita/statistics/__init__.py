"""Small frozen summaries of clusterings and data; ``a + b`` merges those of two sets of objects."""

from partita.statistics.coassociation import PairMoments
from partita.statistics.concordance import ConcordanceChance, ConcordanceGaps
from partita.statistics.coupling import CoupledContingency
from partita.statistics.credal import CredalGaps, PairNonspecificity
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
from partita.statistics.moments import MembershipMoments
from partita.statistics.overlaps import SharedMemberships
from partita.statistics.shuffles import ShuffledGaps
from partita.statistics.tables import Contingency, PairCounts
from partita.statistics.tnorms import TNormPairs

__all__ = [
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
