"""The kinds of clustering, their conversions, ensembles, and the door that all of them come in by."""

from partita.partitions.data import DataMatrix, complete_data
from partita.partitions.ensemble import Ensemble
from partita.partitions.evidential import EvidentialPartition
from partita.partitions.gower import gower_distances
from partita.partitions.hard import HardPartition
from partita.partitions.kinds import ALL, EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH, SOFT, Kind, softest
from partita.partitions.memberships import FuzzyPartition, MembershipPartition, PossibilisticPartition
from partita.partitions.models import is_mixture
from partita.partitions.pair_masses import PairMasses, PairRelations, pairwise_masses
from partita.partitions.partition import Partition, lengths_differ
from partita.partitions.reading import as_partition, read_marked
from partita.partitions.relations import coassociation
from partita.partitions.rough import RoughPartition
from partita.partitions.same_objects import alignment_note, same_objects

__all__ = [
    "ALL",
    "DataMatrix",
    "EVIDENTIAL",
    "Ensemble",
    "EvidentialPartition",
    "FUZZY",
    "FuzzyPartition",
    "HARD",
    "HardPartition",
    "Kind",
    "MembershipPartition",
    "POSSIBILISTIC",
    "PairMasses",
    "PairRelations",
    "Partition",
    "PossibilisticPartition",
    "ROUGH",
    "RoughPartition",
    "SOFT",
    "alignment_note",
    "as_partition",
    "is_mixture",
    "coassociation",
    "complete_data",
    "gower_distances",
    "lengths_differ",
    "pairwise_masses",
    "read_marked",
    "same_objects",
    "softest",
]
