"""lei2014: information theoretic indices for soft clusterings, on 18 synthetic and seven real sets."""

from __future__ import annotations

from collections.abc import Mapping

from partita.experiments.lei2014.conclusion import CONCLUSION
from partita.experiments.lei2014.real_sets import REAL, WINE
from partita.experiments.lei2014.synthetic import CONSENSUS, FIG1, FUTURE, RATES
from partita.experiments.studies import Paper, Part

__all__ = ["PAPER"]


def _lessons(parts: Mapping[str, Part]) -> list[str]:
    said = []
    if "synthetic" in parts:
        said.append(
            f"on the synthetic sets: {parts['synthetic'].figures['fig2'].title}; take one of the six, not "
            "MI or NMI_min, to compare clusterings with different numbers of clusters"
        )
    if "real" in parts and "fig5" in parts["real"].figures:
        said.append(
            f"{parts['real'].figures['fig5'].title}: hold a success rate against that of permuted labels "
            "before you believe it"
        )
    if "future_work" in parts:
        said.append(parts["future_work"].figures["rates"].title)
    return said


PAPER = Paper(
    "lei2014",
    "Lei, Bezdek, Chan, Vinh, Romano and Bailey (2014): generalized information theoretic cluster validity "
    "indices for soft clusterings",
    (FIG1, RATES, REAL, CONSENSUS, WINE, CONCLUSION, FUTURE),
    _lessons,
)
