"""rovetta2009: five indices on co-associations, on toy problems, on three sweeps and on Iris."""

from __future__ import annotations

from collections.abc import Mapping

from partita.experiments.rovetta2009.distances import NAMES
from partita.experiments.rovetta2009.iris import FIG2, TABLE3
from partita.experiments.rovetta2009.statements import STATEMENTS
from partita.experiments.rovetta2009.toys import FIG1, TABLE2
from partita.experiments.studies import Paper, Part

__all__ = ["PAPER"]


def lessons(parts: Mapping[str, Part]) -> list[str]:
    """Sentences that the parts carry."""
    taken = []
    if "table2" in parts:
        same = sum(finding.outcome == "reproduced" for finding in parts["table2"].findings)
        taken.append(
            f"the formulas of partita are those behind the paper's Table 2 ({same} of "
            f"{len(parts['table2'].findings)} numbers); where its text prints others, do not use them"
        )
    for finding in parts["statements"].findings if "statements" in parts else ():
        if finding.where == "Section 4.1, beyond Fig. 1" and finding.outcome == "not reproduced":
            zero = [column for column in NAMES if column not in finding.obtained]
            taken.append(
                f"where equal soft clusterings must have distance 0, compare them by {' or '.join(zero)}, "
                f"not by the others ({finding.obtained})"
            )
        if finding.outcome == "not reproduced" and "Correl. stays" in finding.obtained:
            taken.append(
                "a correlation distance may not see that a clustering gets softer: all memberships go "
                f"to 0.5 and {finding.obtained}"
            )
        if finding.outcome == "reproduced" and "see Jaccard" in finding.printed:
            taken.append(f"a Jaccard distance may fall while clusterings move apart: {finding.obtained}")
    if "table3" in parts:
        same = sum(finding.outcome == "reproduced" for finding in parts["table3"].findings)
        taken.append(
            f"Table 3 is no test of an implementation: {same} of {len(parts['table3'].findings)} of its "
            "numbers follow from the data and settings that the paper describes, and most of its rows "
            "follow from "
            "no data at all"
        )
    return taken


PAPER = Paper(
    "rovetta2009",
    "Rovetta and Masulli: An experimental validation of some indexes of fuzzy clustering similarity (2009)",
    (TABLE2, FIG1, TABLE3, FIG2, STATEMENTS),
    lessons,
)
