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
from partita.partitions.side_names import (
    UNNAMED,
    SideNames,
    count_text,
    described,
    n_without_noise,
    noise_name,
    noise_share,
    plain_name,
    side_text,
)
from partita.partitions.trees import cut, with_cuts

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
    "SideNames",
    "UNNAMED",
    "alignment_note",
    "as_partition",
    "is_mixture",
    "coassociation",
    "complete_data",
    "count_text",
    "cut",
    "described",
    "gower_distances",
    "lengths_differ",
    "n_without_noise",
    "noise_name",
    "noise_share",
    "pairwise_masses",
    "plain_name",
    "read_marked",
    "same_objects",
    "side_text",
    "softest",
    "with_cuts",
]
