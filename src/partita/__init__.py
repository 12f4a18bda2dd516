"""Judge clusterings of every kind: hard, fuzzy, probabilistic, possibilistic, rough and evidential.

>>> import partita as pt
>>> pt.compare([0, 0, 1, 1], [0, 0, 1, 2])["ARI"].value
0.571...
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from partita import kernels as _kernels

__version__ = "0.3.0"

if TYPE_CHECKING:
    from partita import (
        chance,
        cluster,
        datasets,
        distributional,
        drop_in,
        errors,
        experiments,
        indices,
        plots,
        reports,
        resampling,
        selection,
        statistics,
    )
    from partita.alignment import Alignment, align, set_matching
    from partita.chance import adjusted
    from partita.cluster_quality import ClusterQuality
    from partita.comparison import Comparison, compare, self_agreement
    from partita.contingency_table import contingency
    from partita.distributional import Distribution, SetDistance, distribution, hausdorff
    from partita.ensembles import ConsensusIndex, consensus, consensus_index
    from partita.model_comparison import ModelComparison, PairwiseAgreement, compare_models
    from partita.partitions import (
        Ensemble,
        EvidentialPartition,
        FuzzyPartition,
        HardPartition,
        Kind,
        PossibilisticPartition,
        RoughPartition,
        as_partition,
        coassociation,
        cut,
        gower_distances,
        pairwise_masses,
    )
    from partita.plots import plot
    from partita.registry import index
    from partita.reports import report
    from partita.scorers import scorer
    from partita.selection import (
        Benchmark,
        ChoiceOfClustering,
        ChoiceOfK,
        ChoiceOfValue,
        Stability,
        benchmark,
        choose,
        choose_k,
        choose_value,
        stability,
        structure,
    )
    from partita.validation import SideBySide, Validation, validate

_HOMES = {
    "Alignment": "partita.alignment",
    "Benchmark": "partita.selection",
    "ChoiceOfClustering": "partita.selection",
    "ChoiceOfK": "partita.selection",
    "ChoiceOfValue": "partita.selection",
    "ClusterQuality": "partita.cluster_quality",
    "Comparison": "partita.comparison",
    "ConsensusIndex": "partita.ensembles",
    "Distribution": "partita.distributional",
    "Ensemble": "partita.partitions",
    "EvidentialPartition": "partita.partitions",
    "FuzzyPartition": "partita.partitions",
    "HardPartition": "partita.partitions",
    "Kind": "partita.partitions",
    "ModelComparison": "partita.model_comparison",
    "PairwiseAgreement": "partita.model_comparison",
    "PossibilisticPartition": "partita.partitions",
    "RoughPartition": "partita.partitions",
    "SetDistance": "partita.distributional",
    "SideBySide": "partita.validation",
    "Stability": "partita.selection",
    "Validation": "partita.validation",
    "adjusted": "partita.chance",
    "align": "partita.alignment",
    "as_partition": "partita.partitions",
    "benchmark": "partita.selection",
    "choose": "partita.selection",
    "choose_k": "partita.selection",
    "choose_value": "partita.selection",
    "coassociation": "partita.partitions",
    "compare": "partita.comparison",
    "compare_models": "partita.model_comparison",
    "consensus": "partita.ensembles",
    "consensus_index": "partita.ensembles",
    "contingency": "partita.contingency_table",
    "cut": "partita.partitions",
    "distribution": "partita.distributional",
    "gower_distances": "partita.partitions",
    "hausdorff": "partita.distributional",
    "index": "partita.indices",
    "pairwise_masses": "partita.partitions",
    "plot": "partita.plots",
    "report": "partita.reports",
    "scorer": "partita.scorers",
    "self_agreement": "partita.comparison",
    "set_matching": "partita.alignment",
    "stability": "partita.selection",
    "structure": "partita.selection",
    "validate": "partita.validation",
}
_ROOMS = (
    "chance",
    "cluster",
    "datasets",
    "distributional",
    "drop_in",
    "errors",
    "experiments",
    "indices",
    "plots",
    "reports",
    "resampling",
    "selection",
    "statistics",
)

__all__ = [
    "Alignment",
    "Benchmark",
    "ChoiceOfClustering",
    "ChoiceOfK",
    "ChoiceOfValue",
    "ClusterQuality",
    "Comparison",
    "ConsensusIndex",
    "Distribution",
    "Ensemble",
    "EvidentialPartition",
    "FuzzyPartition",
    "HardPartition",
    "Kind",
    "ModelComparison",
    "PairwiseAgreement",
    "PossibilisticPartition",
    "RoughPartition",
    "SetDistance",
    "SideBySide",
    "Stability",
    "Validation",
    "adjusted",
    "align",
    "as_partition",
    "benchmark",
    "choose",
    "chance",
    "choose_k",
    "choose_value",
    "cluster",
    "coassociation",
    "compare",
    "compare_models",
    "consensus",
    "consensus_index",
    "contingency",
    "cut",
    "datasets",
    "distribution",
    "distributional",
    "drop_in",
    "errors",
    "experiments",
    "gower_distances",
    "hausdorff",
    "index",
    "indices",
    "pairwise_masses",
    "plot",
    "plots",
    "report",
    "reports",
    "resampling",
    "scorer",
    "selection",
    "self_agreement",
    "set_matching",
    "stability",
    "statistics",
    "structure",
    "validate",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for: ``import partita`` computes and loads nothing."""
    if name in _ROOMS:
        return importlib.import_module(f"partita.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'partita' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _say_compiling() -> None:
    from partita.progress import say_compiling

    say_compiling()


_kernels.announce = _say_compiling
