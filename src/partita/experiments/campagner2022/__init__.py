"""campagner2022: distributional measures for soft clusterings, on Iris and as theorems."""

from __future__ import annotations

from collections.abc import Mapping

from partita.experiments.campagner2022.claims import THEOREMS
from partita.experiments.campagner2022.readings import READINGS
from partita.experiments.campagner2022.statements import STATEMENTS
from partita.experiments.campagner2022.table1 import SEARCH, TABLE1, TIMES
from partita.experiments.findings import Finding
from partita.experiments.studies import Paper, Part

__all__ = ["PAPER"]


def lessons(parts: Mapping[str, Part]) -> list[str]:
    """Sentences that the parts carry."""
    taken = []
    if "table1" in parts:
        found = parts["table1"].findings
        same = sum(one.outcome == "reproduced" for one in found)
        taken.append(
            f"Table 1 is no test of an implementation: {same} of {len(found)} of its numbers follow from the "
            "settings that the paper prints"
        )
    claims = _by_words(parts, "theorems")
    nested = claims.get("with nested sampling one should expect a larger approximation error")
    if nested is not None and nested.outcome == "reproduced":
        taken.append(
            'sample evidential clusterings with exact ends, method="sample", not method="nested": '
            f"nested ends are {nested.obtained}"
        )
    literal = next((one for words, one in claims.items() if words.startswith("the lower expectation")), None)
    if literal is not None and literal.outcome == "not reproduced":
        taken.append(
            "a lower distance of 0 says that two clusterings are compatible, not that they are equal: "
            f"{literal.obtained}"
        )
    own = _by_words(parts, "statements").get(
        "smaller values by the exact method go with smaller values by sampling"
    )
    if own is not None and own.outcome == "not reproduced":
        taken.append(f"do not rank algorithms by sampled ends: in the paper's own table {own.obtained}")
    return taken


def _by_words(parts: Mapping[str, Part], name: str) -> dict[str, Finding]:
    """The findings of a part by what the paper says; the first of several."""
    found: dict[str, Finding] = {}
    for one in parts[name].findings if name in parts else ():
        found.setdefault(one.printed, one)
    return found


PAPER = Paper(
    "campagner2022",
    "Campagner, Ciucci and Denœux: A distributional approach for soft clustering comparison and evaluation "
    "(2022)",
    (TABLE1, READINGS, SEARCH, STATEMENTS, TIMES, THEOREMS),
    lessons,
)
