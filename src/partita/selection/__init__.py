"""How many clusters, how stable, and is there structure at all."""

from partita.datasets.null_data import normal_like, uniform_like
from partita.fits.schemes import Bootstrap, Noise, Rerun, Subsample
from partita.selection._benchmark import Benchmark, benchmark
from partita.selection._choose import choose, choose_value
from partita.selection._choose_k import choose_k
from partita.selection._hopkins import hopkins
from partita.selection._stability import Stability, stability
from partita.selection._structure import Structure, structure
from partita.selection.choices import ChoiceOfClustering, ChoiceOfK, ChoiceOfValue
from partita.selection.covariance_shapes import CovarianceShapes
from partita.selection.evidence import ScoredClustering
from partita.selection.votes import Choice
from partita.statistics.null_tests import NullTest

__all__ = [
    "Benchmark",
    "Bootstrap",
    "Choice",
    "ChoiceOfClustering",
    "ChoiceOfK",
    "ChoiceOfValue",
    "CovarianceShapes",
    "Noise",
    "NullTest",
    "Rerun",
    "ScoredClustering",
    "Stability",
    "Structure",
    "Subsample",
    "benchmark",
    "choose",
    "choose_k",
    "choose_value",
    "hopkins",
    "normal_like",
    "stability",
    "structure",
    "uniform_like",
]
