"""Perturbed data, data without structure, and ensembles, by the names that scripts call them by."""

from partita.ensembles import ConsensusIndex, consensus, consensus_index
from partita.selection import (
    Bootstrap,
    Noise,
    Rerun,
    Stability,
    Subsample,
    normal_like,
    stability,
    uniform_like,
)

__all__ = [
    "Bootstrap",
    "ConsensusIndex",
    "Noise",
    "Rerun",
    "Stability",
    "Subsample",
    "consensus",
    "consensus_index",
    "normal_like",
    "stability",
    "uniform_like",
]
