"""What campagner2022 says of its experiment: held against its own Table 1, and against our run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

from partita.experiments.campagner2022.algorithms import AS_PRINTED, INDICES, in_words, numbers_of, printed_of
from partita.experiments.campagner2022.readings import OBJECTS, is_cut_off
from partita.experiments.campagner2022.table1 import SOFT, WHOSE, cell_of, plan_values, work_values
from partita.experiments.findings import Finding, statement
from partita.experiments.studies import Part, Record, Run, Study
from partita.results import show

__all__ = ["STATEMENTS"]

NEARLY_HARD = 0.9
"""Of the mean largest share of a cluster: above it we call a clustering close to hard."""

TWICE = (1.5, 2.5)
SIMILAR = 2.0
"""Ratios of run times that we call "approximately twice", and the largest that we call "similar"."""

SAME_DIGITS = 5e-4
"""Differences below it are none at three decimals."""

OURS = {"printed": "in our run, settings as printed", "fitted": "in our run, fitted settings"}
OWN = "in its own Table 1"

Values = Callable[..., Mapping[str, float]]
"""Row and algorithm give the values of a cell, or with ``what="half"`` how far draws may be off."""


def gather_statements(records: Mapping[str, Record], _run: Run) -> Part:
    """A verdict on each statement."""
    tables: dict[str, Values] = {OWN: own_values}
    for whose, told in OURS.items():
        tables[told] = _our_values(records, whose)
    findings = [*_on_hardness(records), *_on_times()]
    for where, values in tables.items():
        findings += [_on_equal(where, values), _on_width(where, values), _on_place(where, values)]
        findings.append(_on_order(where, values))
    remarks = (
        f"close to hard: mean largest share of a cluster above {NEARLY_HARD}",
        f"approximately twice: a ratio from {TWICE[0]} to {TWICE[1]}; similar: a ratio up to {SIMILAR:g}",
        "no difference: none at three decimals, beyond what our draws leave open",
        "run times in the statements are the printed ones: ours are not the same twice",
    )
    return Part(tuple(findings), {}, (), remarks)


def own_values(row: str, algorithm: str, what: str = "values") -> dict[str, float]:
    """What the paper prints; of its draws nothing is known."""
    return {name: p.value if what == "values" else 0.0 for name, p in numbers_of(row, algorithm).items()}


def _our_values(records: Mapping[str, Record], whose: str) -> Values:
    def values(row: str, algorithm: str, what: str = "values") -> Mapping[str, float]:
        found: Mapping[str, float] = cell_of(records, whose, algorithm, row)[what]
        return found

    return values


def _on_hardness(records: Mapping[str, Record]) -> list[Finding]:
    found = []
    for whose, told in OURS.items():
        shares = {
            name: records[f"{whose}-{name}-RI"].values["certainty"] for name in AS_PRINTED if name != "KM"
        }
        evidence = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
        near = records[f"{whose}-PCM-RI"].values["nearest"]
        found.append(
            statement(
                f"Section 4, {told}",
                "hyper-parameters were set to obtain clusterings close to being hard",
                min(shares.values()) >= NEARLY_HARD,
                f"mean largest share of a cluster: {evidence}; two centres of PCM are {near:.2g} cm apart",
                unless="an m of 5 is far from hard; an exponent of 5, m = 1.4, is near it"
                if whose == "printed"
                else "clusters of PCM that coincide share their objects",
            )
        )
    return found


def _on_times() -> list[Finding]:
    seconds = {
        how: {
            index: {a: printed_of(f"{how}-{index}", a)["seconds"].value for a in names} for index in INDICES
        }
        for how, names in (("D", list(AS_PRINTED)), ("S", ["RKM", *SOFT]))
    }
    grown = [list(one.values()) == sorted(one.values()) for one in seconds["D"].values()]
    ratios = {
        f"{index} {name}": one["ECM"] / one[name]
        for index, one in seconds["D"].items()
        for name in ("FCM", "PCM")
    }
    apart = {
        how: {
            index: max(one[name] for name in SOFT) / min(one[name] for name in SOFT)
            for index, one in found.items()
        }
        for how, found in seconds.items()
    }
    return [
        statement(
            f"Section 4, {OWN}",
            "the cost of the exact versions sharply increases for more general algorithms",
            all(grown),
            "; ".join(
                f"{index}: {', '.join(show(s) for s in one.values())} s"
                for index, one in seconds["D"].items()
            ),
        ),
        statement(
            f"Section 4, {OWN}",
            "run times of D-RI and D-PD for ECM were approximately twice those of FCM and PCM",
            all(TWICE[0] <= ratio <= TWICE[1] for ratio in ratios.values()),
            ", ".join(f"{name} {ratio:.2f} times" for name, ratio in ratios.items()),
            unless="its own numbers do not say so for all",
        ),
        statement(
            f"Section 4, {OWN}",
            "run times of the approximations for FCM, PCM and ECM were similar",
            max(apart["S"].values()) <= SIMILAR,
            f"slowest to fastest: {_ratios(apart['S'])}; of the exact versions {_ratios(apart['D'])}",
        ),
    ]


def _ratios(values: Mapping[str, float]) -> str:
    return ", ".join(f"{index} {value:.2f}" for index, value in values.items())


def _on_equal(where: str, values: Values) -> Finding:
    gaps = {
        f"{index} {algorithm} {name}": abs(values(f"S-{index}", algorithm)[name] - value)
        - values(f"S-{index}", algorithm, "half")[name]
        for index in INDICES
        for algorithm in ("RKM", "FCM")
        for name, value in values(f"D-{index}", algorithm).items()
    }
    others = {name: gap for name, gap in gaps.items() if gap >= SAME_DIGITS}
    told = ", ".join(f"{name} by {gap:.3f}" for name, gap in others.items())
    return statement(
        f"Section 4, {where}",
        "for RKM and FCM there were no differences between approximated and exact results",
        not others,
        f"{len(others)} of {len(gaps)} differ{': ' + told if told else ''}",
        unless=_same_objects(list(others)),
    )


def _same_objects(others: list[str]) -> str:
    """Why the printed ends differ, where it is by how one number was written."""
    lower = [numbers_of(row, "RKM")["lower"] for row in ("D-PD", "S-PD")]
    if others != ["PD RKM lower"] or not all(is_cut_off(15 / OBJECTS, one) for one in lower):
        return "the draws do not reach the ends"
    return (
        f"{lower[0].text} and {lower[1].text} are both 15 of {OBJECTS} objects, cut off as 1 - 0.9 and as 0.1"
    )


def _on_width(where: str, values: Values) -> Finding:
    cells = {
        f"{index} {algorithm}": (
            _width(values(f"S-{index}", algorithm)),
            _width(values(f"D-{index}", algorithm)),
        )
        for index in INDICES
        for algorithm in ("PCM", "ECM")
    }
    narrower = sum(sampled < exact for sampled, exact in cells.values())
    told = ", ".join(f"{name} {s:.3f} of {d:.3f}" for name, (s, d) in cells.items())
    return statement(
        f"Section 4, {where}",
        "for PCM and ECM sampling systematically underestimated the uncertainty: narrower intervals",
        narrower == len(cells),
        f"{narrower} of {len(cells)} are narrower: {told}",
    )


def _width(values: Mapping[str, float]) -> float:
    return values["upper"] - values["lower"]


def _on_place(where: str, values: Values) -> Finding:
    """What follows from the paper's section 3.3: drawn completions lie between the true ends."""
    outside = []
    for index in INDICES:
        for algorithm in ("PCM", "ECM"):
            drawn, true = values(f"S-{index}", algorithm), values(f"D-{index}", algorithm)
            if drawn["lower"] < true["lower"] - SAME_DIGITS or drawn["upper"] > true["upper"] + SAME_DIGITS:
                outside.append(f"{index} {algorithm} {in_words(drawn)} against {in_words(true)}")
    return statement(
        f"Section 3.3, {where}",
        "the ends of drawn completions lie between the true ends, for PCM and ECM",
        not outside,
        f"outside: {'; '.join(outside)}" if outside else "all four intervals lie inside",
        unless="by sampling completions this happens by chance only: a misprint may be behind it",
    )


def _on_order(where: str, values: Values) -> Finding:
    agreeing = total = 0
    for index in INDICES:
        for end in (min, max):
            pairs = [
                (end(values(f"D-{index}", name).values()), end(values(f"S-{index}", name).values()))
                for name in ("RKM", *SOFT)
            ]
            for (exact, sampled), (other, drawn) in combinations(pairs, 2):
                total += 1
                agreeing += (exact - other) * (sampled - drawn) > 0
    return statement(
        f"Section 4, {where}",
        "smaller values by the exact method go with smaller values by sampling",
        agreeing == total,
        f"{agreeing} of {total} pairs of algorithms are in the same order by both, over both ends",
        unless="sampling narrows wide intervals most",
    )


STATEMENTS = Study(
    "statements", "what is said of Table 1", plan_values, work_values, gather_statements, ("iris",)
)
assert set(OURS) == set(WHOSE)
