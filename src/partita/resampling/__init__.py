"""Data perturbed, data without structure, and how far clusterings of one data set agree."""

from partita.resampling.agreements import ConsensusIndex, consensus_index
from partita.resampling.least_squares import consensus
from partita.resampling.null_data import normal_like, uniform_like
from partita.resampling.repeats import Stability, stability
from partita.resampling.schemes import Bootstrap, Noise, Rerun, Subsample

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
