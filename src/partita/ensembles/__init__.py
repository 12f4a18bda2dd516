"""Many clusterings of one data set: how far they agree, and the one that is nearest to all."""

from partita.ensembles._consensus import consensus
from partita.ensembles._consensus_index import ConsensusIndex, consensus_index

__all__ = ["ConsensusIndex", "consensus", "consensus_index"]
