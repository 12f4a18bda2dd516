"""franti2017: the slides on cluster validation, study by study."""

from __future__ import annotations

from collections.abc import Mapping

from partita.experiments.franti2017.binary_data import BINARY
from partita.experiments.franti2017.cluster_level import CENTROIDS, EXAMPLES, UNBALANCE
from partita.experiments.franti2017.curves import CURVES
from partita.experiments.franti2017.external_tables import EXTERNAL
from partita.experiments.franti2017.high_quality import HIGH_QUALITY
from partita.experiments.franti2017.psi_behaviour import PSI
from partita.experiments.franti2017.searches import RANDOM_DATA, STRATEGIES
from partita.experiments.franti2017.selection_tables import K_TABLES
from partita.experiments.franti2017.stability import STABILITY
from partita.experiments.franti2017.stability_cases import STABILITY_CASES
from partita.experiments.studies import Paper, Part

__all__ = ["PAPER"]


def _title(parts: Mapping[str, Part], study: str, figure: str) -> str:
    """What a figure says, where its study was run and could draw it."""
    shown = parts[study].figures.get(figure) if study in parts else None
    return "" if shown is None else shown.title


LESSONS = (
    ("external", "measures", "do not rely on one run of it: random swap or many starts"),
    ("stability", "approaches", "stability needs a method that finds the same optimum again"),
    ("stability_cases", "cases", "being stable does not make a number of clusters right"),
    ("strategies", "searches", "a search need not begin anew at each k"),
    ("binary", "complexity", "choose k by the exact form"),
    ("unbalance", "unbalance", "where clusters are of unequal size, look at an index that counts clusters"),
    ("psi", "random", "prefer indices that are adjusted for chance"),
)
"""The figures whose titles carry a lesson, and the lesson."""


def _lessons(parts: Mapping[str, Part]) -> list[str]:
    titles = [(_title(parts, study, figure), advice) for study, figure, advice in LESSONS]
    return [f"{title}: {advice}" for title, advice in titles if title]


PAPER = Paper(
    "franti2017",
    "Franti (2017): cluster validation (slides of the course Clustering Methods, part 3)",
    (
        RANDOM_DATA,
        CURVES,
        K_TABLES,
        BINARY,
        STABILITY,
        STABILITY_CASES,
        STRATEGIES,
        EXAMPLES,
        PSI,
        UNBALANCE,
        CENTROIDS,
        EXTERNAL,
        HIGH_QUALITY,
    ),
    _lessons,
)
